//! The race of all exponential clocks as one: the direct method.

use crate::error::{ErrorKind, SimError};
use crate::rng::{Rng, exponential, uniform};

/// When the first exponential clock rings, and the uniform number that will say which.
///
/// Both are drawn ahead of time, so that cutting a run never draws again. The time keeps the
/// part that rounding loses (`low`), so that waiting times far below the spacing of
/// floating-point numbers around `now` still add up.
#[derive(Clone, Debug)]
pub struct Race {
    /// Ring time, or infinity.
    pub time: f64,
    /// What rounding took from `time`.
    pub low: f64,
    /// Uniform on [0, 1): the clock, in proportion to the rates.
    pub choice: f64,
}

impl Race {
    /// No exponential clock is armed.
    pub const IDLE: Race = Race { time: f64::INFINITY, low: 0.0, choice: 0.0 };

    /// Draws anew: the total hazard is `total` from `now + low` on.
    ///
    /// # Errors
    /// If `total` is not finite.
    #[inline]
    pub fn draw(&mut self, total: f64, now: f64, low: f64, rng: &mut Rng) -> Result<(), SimError> {
        if total > 0.0 && total <= f64::MAX {
            let wait = low + exponential(rng) / total;
            self.choice = uniform(rng);
            self.time = now + wait;
            self.low = if self.time <= f64::MAX { wait - (self.time - now) } else { 0.0 };
        } else {
            *self = Race::IDLE;
            if total > 0.0 || total.is_nan() {
                return Err(too_much(total, now));
            }
        }
        Ok(())
    }
}

#[cold]
fn too_much(value: f64, now: f64) -> SimError {
    SimError::new(ErrorKind::TotalRate { value }, now)
}
