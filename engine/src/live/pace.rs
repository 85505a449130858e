//! Simulated time by the wall clock.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::shared::Shared;

/// What the simulated time is at each moment of the wall clock. Times are found by multiplication from an anchor, so that nothing drifts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Simulated units in a second: infinite is as fast as possible, and 0 a pause.
    speed: f64,
    /// The simulated time at `wall`.
    time: f64,
    wall: Instant,
    /// Whether the time is a whole number.
    whole: bool,
}

impl Pace {
    /// From `time` and `wall` on at `speed`.
    pub(super) fn new(speed: f64, time: f64, wall: Instant, whole: bool) -> Self {
        Pace { speed, time, wall, whole }
    }

    /// Whether the wall clock counts.
    pub(super) fn is_paced(&self) -> bool {
        self.speed < f64::INFINITY
    }

    /// The simulated time at a moment.
    fn time(&self, wall: Instant) -> f64 {
        self.time + self.speed * wall.saturating_duration_since(self.wall).as_secs_f64()
    }

    /// When the simulated time is `time`; never in a pause, and none that is too far ahead for the clock.
    pub(super) fn wall(&self, time: f64) -> Option<Instant> {
        if time <= self.time {
            return Some(self.wall);
        }
        let wait = Duration::try_from_secs_f64((time - self.time) / self.speed).ok()?;
        self.wall.checked_add(wait)
    }

    /// How the time moves from `now` to `next`, excluded, where something happens.
    pub(super) fn before(self, next: f64, now: f64) -> Frame {
        // The largest number below.
        let last = if next <= 0.0 { next } else { f64::from_bits(next.to_bits() - 1) };
        Frame { pace: self, from: now, last: last.max(now) }
    }

    /// How the time moves from `now` to `last`.
    pub(super) fn until(self, last: f64, now: f64) -> Frame {
        Frame { pace: self, from: now, last: last.clamp(now, f64::MAX) }
    }
}

/// How the time moves while the loop waits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pace: Pace,
    from: f64,
    last: f64,
}

impl Frame {
    /// The simulated time at a moment. It does not decrease, as all its operations are monotone.
    pub(super) fn time(&self, wall: Instant) -> f64 {
        let time = self.pace.time(wall).min(self.last);
        if self.pace.whole { time.floor() } else { time }.max(self.from)
    }
}

/// A speed that no run can have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a run cannot have the speed {speed}; it must be a number and not negative (infinite: as fast as possible)")]
pub struct SpeedError {
    /// The speed.
    pub speed: f64,
}

/// Checks a speed.
pub(super) fn usable(speed: f64) -> Result<f64, SpeedError> {
    if speed >= 0.0 { Ok(speed) } else { Err(SpeedError { speed }) }
}

/// Changes the speed of a live run; see [`Live::pacer`](super::Live::pacer).
///
/// A new speed counts from the simulated time of this moment on. What a run that could not keep up was behind is not
/// made up for then.
#[derive(Clone)]
pub struct Pacer {
    pub(super) shared: Arc<Shared>,
}

impl Pacer {
    /// From now on so many simulated units pass in a second: 0 is a pause, infinite is as fast as possible.
    ///
    /// # Errors
    /// If it is negative or NaN.
    pub fn set(&self, speed: f64) -> Result<(), SpeedError> {
        self.shared.set_speed(usable(speed)?);
        Ok(())
    }

    /// Pauses the run: only what is injected for now happens.
    pub fn pause(&self) {
        self.shared.set_speed(0.0);
    }

    /// The speed that was set last.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.shared.speed()
    }
}

impl std::fmt::Debug for Pacer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pacer").field("speed", &self.speed()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_come_from_the_anchor() {
        let wall = Instant::now();
        let pace = Pace::new(2.0, 10.0, wall, false);
        assert_eq!(pace.time(wall), 10.0);
        assert_eq!(pace.time(wall + Duration::from_millis(1500)), 13.0);
        assert_eq!(pace.wall(13.0), Some(wall + Duration::from_millis(1500)));
        assert_eq!(pace.wall(9.0), Some(wall));
        // Ten million steps of 0.1 are met as one step of a million: no step leaves an error to the next.
        let step = Pace::new(1.0, 0.0, wall, false);
        assert_eq!(step.wall(10_000_000.0 * 0.1), Some(wall + Duration::from_secs(1_000_000)));
    }

    #[test]
    fn a_pause_never_gets_anywhere() {
        let wall = Instant::now();
        let pace = Pace::new(0.0, 10.0, wall, false);
        assert_eq!(pace.wall(10.0), Some(wall));
        assert_eq!(pace.wall(10.5), None);
        assert_eq!(pace.time(wall + Duration::from_secs(1000)), 10.0);
    }

    #[test]
    fn a_time_too_far_ahead_never_comes() {
        let pace = Pace::new(1e-300, 0.0, Instant::now(), false);
        assert_eq!(pace.wall(1e10), None);
    }

    #[test]
    fn a_frame_stays_below_what_happens_next() {
        let wall = Instant::now();
        let later = wall + Duration::from_secs(100);
        let frame = Pace::new(1.0, 0.0, wall, false).before(5.0, 1.0);
        assert_eq!(frame.time(wall), 1.0);
        assert_eq!(frame.time(wall + Duration::from_secs(2)), 2.0);
        assert!(frame.time(later) < 5.0 && frame.time(later) > 4.999_999);
        assert_eq!(Pace::new(1.0, 0.0, wall, false).before(1.0, 1.0).time(later), 1.0);
        assert_eq!(Pace::new(1.0, 0.0, wall, false).before(0.0, 0.0).time(later), 0.0);
        assert_eq!(Pace::new(1.0, 0.0, wall, false).until(5.0, 1.0).time(later), 5.0);
        assert_eq!(Pace::new(f64::MAX, 0.0, wall, false).until(f64::INFINITY, 1.0).time(later), f64::MAX);
    }

    #[test]
    fn ticks_are_whole() {
        let wall = Instant::now();
        let frame = Pace::new(1.0, 3.0, wall, true).before(6.0, 3.0);
        let times = [0, 900, 1100, 2900, 5000].map(|ms| frame.time(wall + Duration::from_millis(ms)));
        assert_eq!(times, [3.0, 3.0, 4.0, 5.0, 5.0]);
    }

    #[test]
    fn a_speed_is_a_number_that_is_not_negative() {
        for speed in [0.0, 1.0, 1e300, f64::INFINITY] {
            assert_eq!(usable(speed), Ok(speed));
        }
        assert!(usable(f64::NAN).is_err());
        assert_eq!(usable(-1.0), Err(SpeedError { speed: -1.0 }));
    }
}
