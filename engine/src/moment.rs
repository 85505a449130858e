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

    /// A whole number of ticks; two numbers hold every one of them.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "the second number holds the rest")]
    pub fn tick(tick: u64) -> Self {
        let time = tick as f64;
        // At most 2^64, which `i128` holds.
        Moment { time, low: (i128::from(tick) - time as i128) as f64 }
    }

    /// The number of ticks; those of a moment between two ticks that were counted before.
    #[inline]
    #[must_use]
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is clamped first")]
    pub fn ticks(self) -> u64 {
        if self.time >= 18_446_744_073_709_551_616.0 && self.low >= 0.0 {
            return u64::MAX;
        }
        (self.time.floor() as i128 + self.low as i128).clamp(0, i128::from(u64::MAX)) as u64
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
    fn every_tick_is_a_moment_of_its_own() {
        let near = |tick: u64| (tick.saturating_sub(3)..=tick.saturating_add(3)).collect::<Vec<_>>();
        for tick in [0, 1 << 20, 1 << 53, (1 << 53) + 1024, 1 << 60, 1 << 63, u64::MAX].into_iter().flat_map(near) {
            assert_eq!(Moment::tick(tick).ticks(), tick);
            if tick < u64::MAX {
                assert!(Moment::tick(tick).before(Moment::tick(tick + 1)), "{tick}");
            }
        }
        assert_eq!(Moment::at(7.5).ticks(), 7);
    }

    #[test]
    fn never_stays_never() {
        assert_eq!(Moment::at(3.0).after(f64::INFINITY), Moment::NEVER);
        assert_eq!(Moment::at(f64::MAX).after(f64::MAX), Moment::NEVER);
    }
}
