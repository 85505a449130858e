//! Times with more digits than one number holds.

/// A time as the unevaluated sum of two numbers: `time`, which everybody sees, and what rounding
/// took from it.
///
/// Waiting times far below the spacing of floating-point numbers around the current time still
/// add up this way, and races between them are fair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// The time, rounded.
    pub time: f64,
    /// What rounding took from it.
    pub low: f64,
}

impl Moment {
    /// A moment that never comes.
    pub const NEVER: Moment = Moment { time: f64::INFINITY, low: 0.0 };

    /// Exactly at `time`.
    #[inline(always)]
    #[must_use]
    pub fn at(time: f64) -> Self {
        Moment { time, low: 0.0 }
    }

    /// `wait` later.
    #[inline(always)]
    #[must_use]
    pub fn after(self, wait: f64) -> Self {
        let wait = self.low + wait;
        let time = self.time + wait;
        let low = if time <= f64::MAX { wait - (time - self.time) } else { 0.0 };
        Moment { time, low }
    }

    /// How long it is from `earlier` to here.
    #[inline(always)]
    #[must_use]
    pub fn since(self, earlier: Moment) -> f64 {
        (self.time - earlier.time) + (self.low - earlier.low)
    }
}

/// What ring times are kept as: moments, or plain times where no clock waits for a time relative
/// to another.
pub trait Key: Copy {
    /// Never.
    const NEVER: Self;
    /// Of a moment.
    fn of(moment: Moment) -> Self;
    /// As a moment.
    fn moment(self) -> Moment;
    /// Whether it comes strictly before `other`.
    fn before(self, other: Self) -> bool;
    /// The earliest of `keys` and its place; the lowest place wins ties.
    fn earliest<const N: usize>(keys: &[Self; N]) -> (Moment, usize);
}

impl Key for Moment {
    const NEVER: Self = Moment::NEVER;

    #[inline(always)]
    fn of(moment: Moment) -> Self {
        moment
    }

    #[inline(always)]
    fn moment(self) -> Moment {
        self
    }

    #[inline(always)]
    fn before(self, other: Self) -> bool {
        if self.time == other.time { self.low < other.low } else { self.time < other.time }
    }

    // Which clock comes first nobody can predict, so there is no branch on it; that two come at
    // one time is rare, and a branch.
    #[inline(always)]
    fn earliest<const N: usize>(keys: &[Self; N]) -> (Moment, usize) {
        let mut best = (keys[0], 0);
        for (place, &key) in keys.iter().enumerate().skip(1) {
            best = if key.time < best.0.time { (key, place) } else { best };
        }
        let equals = keys.iter().filter(|key| key.time == best.0.time).count();
        if equals > 1 && best.0.time < f64::INFINITY { earliest_of_equals(*keys) } else { best }
    }
}

/// The earliest of keys of which several have the same time.
#[cold]
#[inline(never)]
fn earliest_of_equals<const N: usize>(keys: [Moment; N]) -> (Moment, usize) {
    let mut best = (keys[0], 0);
    for (place, &key) in keys.iter().enumerate() {
        if key.before(best.0) {
            best = (key, place);
        }
    }
    best
}

impl Key for f64 {
    const NEVER: Self = f64::INFINITY;

    #[inline(always)]
    fn of(moment: Moment) -> Self {
        moment.time
    }

    #[inline(always)]
    fn moment(self) -> Moment {
        Moment::at(self)
    }

    #[inline(always)]
    fn before(self, other: Self) -> bool {
        self < other
    }

    #[inline(always)]
    fn earliest<const N: usize>(keys: &[Self; N]) -> (Moment, usize) {
        let mut best = (keys[0], 0);
        for (place, &key) in keys.iter().enumerate().skip(1) {
            best = if key < best.0 { (key, place) } else { best };
        }
        (Moment::at(best.0), best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_waits_add_up_at_large_times() {
        let start = Moment::at(2e6);
        let mut now = start;
        for _ in 0..1_000_000 {
            now = now.after(1e-12);
        }
        assert!((now.since(start) - 1e-6).abs() < 1e-20);
        assert!(start.before(now));
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Moment::at(3.0).after(f64::INFINITY), Moment::NEVER);
        assert_eq!(Moment::at(f64::MAX).after(f64::MAX), Moment::NEVER);
    }
}
