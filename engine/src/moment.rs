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

    /// Whether it comes strictly before `other`.
    #[inline(always)]
    #[must_use]
    pub fn before(self, other: Moment) -> bool {
        if self.time == other.time { self.low < other.low } else { self.time < other.time }
    }

    /// How long it is from `earlier` to here.
    #[inline(always)]
    #[must_use]
    pub fn since(self, earlier: Moment) -> f64 {
        (self.time - earlier.time) + (self.low - earlier.low)
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
