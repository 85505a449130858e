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

    /// Draws the numbers for a next time: a standard exponential and a uniform one.
    #[inline(always)]
    pub fn ahead(rng: &mut Rng) -> Ahead {
        Ahead { wait: exponential(rng), choice: uniform(rng) }
    }

    /// Whether a total hazard is one.
    ///
    /// # Errors
    /// If it is infinite or NaN.
    #[inline(always)]
    pub fn check(total: f64, now: f64) -> Result<(), SimError> {
        if total <= f64::MAX { Ok(()) } else { Err(too_much(total, now)) }
    }

    /// Sets the next time by numbers drawn before; the total hazard is `total` from `now` on.
    #[inline(always)]
    pub fn take(&mut self, ahead: Ahead, total: f64, now: Moment) {
        self.at = if total > 0.0 { now.after(ahead.wait / total) } else { Moment::NEVER };
        self.choice = ahead.choice;
    }

    /// Draws anew.
    ///
    /// # Errors
    /// If `total` is not finite.
    #[inline]
    pub fn draw(&mut self, total: f64, now: Moment, rng: &mut Rng) -> Result<(), SimError> {
        Race::check(total, now.time)?;
        let ahead = Race::ahead(rng);
        self.take(ahead, total, now);
        Ok(())
    }
}

/// Numbers that do not depend on anything, drawn before they are needed.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    wait: f64,
    choice: f64,
}

#[cold]
fn too_much(value: f64, now: f64) -> SimError {
    SimError::new(ErrorKind::TotalRate { value }, now)
}
