//! The race of all exponential clocks as one: the direct method.

use crate::error::{ErrorKind, SimError};
use crate::moment::Moment;
use crate::rng::{Rng, exponential, uniform};

/// When the first exponential clock rings, and the uniform number that will say which.
///
/// Both are drawn ahead of time, so that cutting a run never draws again.
#[derive(Clone, Debug)]
pub struct Race {
    /// When the first clock rings.
    pub at: Moment,
    /// Uniform on [0, 1): the clock, in proportion to the rates.
    pub choice: f64,
}

impl Race {
    /// No exponential clock is armed.
    pub const IDLE: Race = Race { at: Moment::NEVER, choice: 0.0 };

    /// Draws anew: the total hazard is `total` from `now` on.
    ///
    /// # Errors
    /// If `total` is not finite.
    #[inline(always)]
    pub fn draw(&mut self, total: f64, now: Moment, rng: &mut Rng) -> Result<(), SimError> {
        // The bits of positive finite numbers: 1 to those of MAX.
        if total.to_bits().wrapping_sub(1) < f64::MAX.to_bits() {
            self.at = now.after(exponential(rng) / total);
            self.choice = uniform(rng);
            return Ok(());
        }
        *self = Race::IDLE;
        if total == 0.0 { Ok(()) } else { Err(too_much(total, now.time)) }
    }
}

#[cold]
fn too_much(value: f64, now: f64) -> SimError {
    SimError::new(ErrorKind::TotalRate { value }, now)
}
