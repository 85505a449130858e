//! Times and delays as models give them.

use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;
use crate::timing::rounding;

/// What a model measures time in: `f64`, or whole ticks, `u64`.
pub trait Time: Copy {
    /// This time as a moment that is not before `now`; `what` says in messages what should happen then.
    ///
    /// # Errors
    /// If it is in the past by more than rounding, NaN or infinite.
    fn at(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault>;

    /// The moment that is this much later than `now`.
    ///
    /// # Errors
    /// If it is negative by more than rounding, NaN or infinite; if there is no such tick.
    fn after(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault>;

    /// The same, where infinity is a moment that never comes.
    ///
    /// # Errors
    /// As `after`.
    fn wait(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault>;

    /// As `at`, where infinity is a moment that never comes.
    ///
    /// # Errors
    /// If it is in the past by more than rounding, or NaN.
    fn until(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault>;

    /// A time that is given from outside: of a tick, the first that is not before it.
    fn given(at: f64) -> Self;

    /// The time at a moment.
    fn of(moment: Moment) -> Self;

    /// The time from one moment to a later one.
    fn between(earlier: Moment, later: Moment) -> Self;
}

#[cold]
fn no_time(what: String, value: f64) -> Fault {
    Fault::new(ErrorKind::Schedule { what, value })
}

#[cold]
fn no_delay(what: String, value: f64) -> Fault {
    Fault::new(ErrorKind::Wait { what, value })
}

impl Time for f64 {
    #[inline]
    fn at(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        if self > now.time && self <= f64::MAX {
            Ok(Moment::at(self))
        } else if self >= now.time - rounding(now.time) && self <= f64::MAX {
            Ok(now)
        } else {
            Err(no_time(what(), self))
        }
    }

    #[inline]
    fn after(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        if self <= f64::MAX {
            let at = self.wait(what, now)?;
            // The sum may be too large though both are not.
            return Ok(if at.time <= f64::MAX { at } else { Moment::at(f64::MAX) });
        }
        Err(no_delay(what(), self))
    }

    #[inline]
    fn wait(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        if self >= 0.0 {
            Ok(now.after(self))
        } else if self >= -rounding(now.time) {
            Ok(now)
        } else {
            Err(no_delay(what(), self))
        }
    }

    #[inline]
    fn until(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        if self == f64::INFINITY { Ok(Moment::NEVER) } else { self.at(what, now) }
    }

    #[inline]
    fn given(at: f64) -> Self {
        at
    }

    #[inline]
    fn of(moment: Moment) -> Self {
        moment.time
    }

    #[inline]
    fn between(earlier: Moment, later: Moment) -> Self {
        later.since(earlier).max(0.0)
    }
}

impl Time for u64 {
    #[inline]
    fn at(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        let at = Moment::tick(self);
        #[allow(clippy::cast_precision_loss, reason = "it is for a message")]
        if at.before(now) { Err(no_time(what(), self as f64)) } else { Ok(at) }
    }

    #[inline]
    fn after(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        let now = now.ticks();
        now.checked_add(self)
            .map(Moment::tick)
            .ok_or_else(|| Fault::new(ErrorKind::Ticks { what: what(), now, delay: self }))
    }

    #[inline]
    fn wait(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        self.after(what, now)
    }

    #[inline]
    fn until(self, what: impl FnOnce() -> String, now: Moment) -> Result<Moment, Fault> {
        self.at(what, now)
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "what is too large is the last tick")]
    fn given(at: f64) -> Self {
        at.ceil() as u64
    }

    #[inline]
    fn of(moment: Moment) -> Self {
        moment.ticks()
    }

    #[inline]
    fn between(earlier: Moment, later: Moment) -> Self {
        later.ticks().saturating_sub(earlier.ticks())
    }
}
