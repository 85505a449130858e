//! What a clock remembers between two of its refreshes, and its next ring time.
//!
//! Every `refresh` is given the clock's current ring time and returns the new one (+∞ = off).

use crate::error::{ErrorKind, Fault};
use crate::rng::{Rng, exponential};

/// `rate(E)` as a timed clock: the next-reaction method (Gibson and Bruck, 2000).
#[derive(Clone, Debug)]
pub struct Exponential {
    rate: f64,
    /// What rounding took from the ring time; see [`Race::low`](crate::select::Race::low).
    pub low: f64,
}

impl Exponential {
    /// Not armed.
    pub const OFF: Exponential = Exponential { rate: 0.0, low: 0.0 };

    /// The clock has rung: its time is used up.
    #[inline]
    pub fn rang(&mut self) {
        self.rate = 0.0;
    }

    /// Takes the hazard `rate` from `now + now_low` on: the time that is left is stretched, or
    /// drawn if there was none.
    #[inline]
    pub fn refresh(&mut self, time: f64, rate: f64, now: f64, now_low: f64, rng: &mut Rng) -> f64 {
        if rate == self.rate {
            return time;
        }
        let wait = if rate <= 0.0 {
            f64::INFINITY
        } else if self.rate > 0.0 && time <= f64::MAX {
            ((time - now) + (self.low - now_low)) * (self.rate / rate)
        } else {
            exponential(rng) / rate
        } + now_low;
        self.rate = rate;
        let time = now + wait;
        self.low = if time <= f64::MAX { wait - (time - now) } else { 0.0 };
        time
    }
}

/// Checks the value of a `rate(E)`.
///
/// # Errors
/// If it is negative, NaN or infinite.
#[inline(always)]
pub fn rate(value: f64) -> Result<f64, Fault> {
    // The bits of finite numbers that are not negative are the smallest there are.
    if value.to_bits() <= f64::MAX.to_bits() { Ok(value) } else { odd_rate(value) }
}

/// A rate that is −0.0, or none at all.
#[cold]
fn odd_rate(value: f64) -> Result<f64, Fault> {
    if value == 0.0 { Ok(0.0) } else { Err(Fault::new(ErrorKind::Rate { value })) }
}

/// `at(E)`.
#[derive(Clone, Debug)]
pub struct At {
    /// The value the clock rang for last; NaN if it has not rung.
    rung: f64,
}

impl At {
    /// Has not rung.
    pub const NEW: At = At { rung: f64::NAN };

    /// The clock has rung for `time`.
    #[inline]
    pub fn rang(&mut self, time: f64) {
        self.rung = time;
    }

    /// The ring time for the value of E. With `at_once`, E reads `now`: then a value that equals
    /// `now` rings even if the clock has rung for it.
    ///
    /// # Errors
    /// If the value is NaN, or in the past by more than rounding.
    #[inline]
    pub fn refresh(&self, value: f64, at_once: bool, now: f64) -> Result<f64, Fault> {
        if value > now {
            return Ok(if value == self.rung { f64::INFINITY } else { value });
        }
        if value == self.rung && !(at_once && value == now) {
            return Ok(f64::INFINITY);
        }
        if value >= now - rounding(now) { Ok(now) } else { Err(Fault::new(ErrorKind::RingTime { value })) }
    }
}

/// A few units in the last place of `now`: what a sum of times loses.
#[inline]
fn rounding(now: f64) -> f64 {
    8.0 * f64::EPSILON * now.abs().max(f64::MIN_POSITIVE)
}

/// `after(D)`, with or without `redraw`, `resume` and `speed`.
#[derive(Clone, Debug)]
pub struct After {
    /// Work that was left at `since`; NaN before a draw.
    left: f64,
    since: f64,
    speed: f64,
    running: bool,
}

impl After {
    /// Nothing drawn.
    pub const OFF: After = After { left: f64::NAN, since: 0.0, speed: 1.0, running: false };

    /// The clock has rung: it is drawn anew when it is enabled.
    #[inline]
    pub fn rang(&mut self) {
        *self = After::OFF;
    }

    /// Work left at `now`.
    #[inline]
    fn left(&self, now: f64) -> f64 {
        (self.left - (now - self.since) * self.speed).max(0.0)
    }

    /// The clock is disabled: what is left is kept with `resume`, forgotten otherwise.
    #[inline]
    pub fn disable(&mut self, now: f64, resume: bool) -> f64 {
        if !resume {
            *self = After::OFF;
        } else if self.running {
            self.left = self.left(now);
            self.running = false;
        }
        f64::INFINITY
    }

    /// Whether a draw is needed before [`run`](After::run).
    #[inline]
    #[must_use]
    pub fn wants_draw(&self) -> bool {
        self.left.is_nan()
    }

    /// Takes a draw.
    ///
    /// # Errors
    /// If it is negative or NaN.
    #[inline]
    pub fn take(&mut self, delay: f64) -> Result<(), Fault> {
        if delay >= 0.0 {
            self.left = delay;
            self.running = false;
            Ok(())
        } else {
            Err(Fault::new(ErrorKind::Delay { value: delay }))
        }
    }

    /// The clock is enabled and runs down at `speed`.
    ///
    /// # Errors
    /// If `speed` is negative, NaN or infinite.
    #[inline]
    pub fn run(&mut self, time: f64, speed: f64, now: f64) -> Result<f64, Fault> {
        if !(0.0..=f64::MAX).contains(&speed) {
            return Err(Fault::new(ErrorKind::Speed { value: speed }));
        }
        if self.running {
            if speed == self.speed {
                return Ok(time);
            }
            self.left = self.left(now);
        }
        self.since = now;
        self.speed = speed;
        self.running = true;
        Ok(if speed > 0.0 { now + self.left / speed } else { f64::INFINITY })
    }
}

/// `every(P)`, with or without `from`.
#[derive(Clone, Debug)]
pub struct Every {
    base: f64,
    period: f64,
    from: f64,
    /// The next tick is at `base + ticks · period`.
    ticks: f64,
    last: f64,
}

impl Every {
    /// Has not been armed.
    pub const NEW: Every = Every { base: 0.0, period: f64::NAN, from: f64::NAN, ticks: 0.0, last: f64::NEG_INFINITY };

    /// The clock has rung at `time`.
    #[inline]
    pub fn rang(&mut self, time: f64) {
        self.last = time;
        self.ticks += 1.0;
    }

    #[inline]
    fn tick(&self) -> f64 {
        self.base + self.ticks * self.period
    }

    /// The next tick of the grid. Ticks that passed while the clock was off are skipped. When the
    /// period changes, the next tick is a new period after the last one, or now if that has passed.
    ///
    /// # Errors
    /// If the period is not positive and finite, or `from` not finite.
    #[inline]
    pub fn refresh(&mut self, period: f64, from: Option<f64>, start: f64, now: f64) -> Result<f64, Fault> {
        if !(period > 0.0 && period <= f64::MAX) {
            return Err(Fault::new(ErrorKind::Period { part: "period", value: period }));
        }
        let phase = from.unwrap_or(start);
        if !phase.is_finite() {
            return Err(Fault::new(ErrorKind::Period { part: "phase", value: phase }));
        }
        if self.period.is_nan() || phase != self.from {
            self.base = phase;
            self.ticks = if from.is_some() { 0.0 } else { 1.0 };
        } else if period != self.period {
            if self.last > f64::NEG_INFINITY {
                self.base = self.last;
                self.ticks = 1.0;
            }
            if self.base + self.ticks * period < now {
                self.base = now;
                self.ticks = 0.0;
            }
        }
        (self.period, self.from) = (period, phase);
        if self.tick() < now || self.tick() <= self.last {
            self.skip(now);
        }
        Ok(self.tick())
    }

    #[cold]
    fn skip(&mut self, now: f64) {
        self.ticks = self.ticks.max(((now - self.base) / self.period).floor() - 1.0);
        while self.tick() < now || self.tick() <= self.last {
            let before = self.ticks;
            self.ticks += 1.0;
            if before == self.ticks {
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_multiples_and_do_not_drift() {
        let mut every = Every::NEW;
        let mut time = every.refresh(0.1, None, 0.0, 0.0).unwrap();
        for k in 1..=1000 {
            assert_eq!(time, f64::from(k) * 0.1);
            every.rang(time);
            time = every.refresh(0.1, None, 0.0, time).unwrap();
        }
    }

    #[test]
    fn ticks_missed_while_off_are_skipped_and_the_phase_stays() {
        let mut every = Every::NEW;
        assert_eq!(every.refresh(10.0, Some(5.0), 0.0, 0.0).unwrap(), 5.0);
        assert_eq!(every.refresh(10.0, Some(5.0), 0.0, 31.0).unwrap(), 35.0);
        every.rang(35.0);
        assert_eq!(every.refresh(10.0, Some(5.0), 0.0, 35.0).unwrap(), 45.0);
        assert_eq!(every.refresh(2.0, Some(5.0), 0.0, 36.0).unwrap(), 37.0);
        assert_eq!(every.refresh(0.5, Some(5.0), 0.0, 36.0).unwrap(), 36.0);
    }

    #[test]
    fn a_phase_before_the_start_is_only_a_phase() {
        let mut every = Every::NEW;
        assert_eq!(every.refresh(3.0, Some(-1.0), 0.0, 0.0).unwrap(), 2.0);
        let mut every = Every::NEW;
        assert_eq!(every.refresh(3.0, Some(0.0), 0.0, 0.0).unwrap(), 0.0);
    }

    #[test]
    fn work_runs_down_at_its_speed() {
        let mut after = After::OFF;
        after.take(10.0).unwrap();
        assert_eq!(after.run(f64::INFINITY, 1.0, 0.0).unwrap(), 10.0);
        assert_eq!(after.run(10.0, 0.5, 4.0).unwrap(), 16.0);
        assert_eq!(after.run(16.0, 0.0, 6.0).unwrap(), f64::INFINITY);
        assert_eq!(after.disable(7.0, true), f64::INFINITY);
        assert_eq!(after.run(f64::INFINITY, 5.0, 8.0).unwrap(), 9.0);
        after.disable(8.0, false);
        assert!(after.wants_draw());
    }

    #[test]
    fn at_a_value_it_rang_for_is_off_and_rounding_is_now() {
        let mut at = At::NEW;
        assert_eq!(at.refresh(2.0, false, 1.0).unwrap(), 2.0);
        at.rang(2.0);
        assert_eq!(at.refresh(2.0, false, 2.0).unwrap(), f64::INFINITY);
        assert_eq!(at.refresh(2.0, false, 3.0).unwrap(), f64::INFINITY);
        assert_eq!(at.refresh(2.0, true, 2.0).unwrap(), 2.0);
        assert_eq!(at.refresh(3.0 - 1e-15, false, 3.0).unwrap(), 3.0);
        assert!(at.refresh(2.5, false, 3.0).is_err());
        assert!(at.refresh(f64::NAN, false, 3.0).is_err());
    }

    #[test]
    fn a_hazard_that_changes_stretches_what_is_left() {
        let mut rng = crate::rng::stream(1, 0);
        let mut clock = Exponential::OFF;
        let time = clock.refresh(f64::INFINITY, 2.0, 0.0, 0.0, &mut rng);
        let half = clock.refresh(time, 4.0, 0.0, 0.0, &mut rng);
        assert!((half * 2.0 - time).abs() < 1e-15 * time);
        assert_eq!(clock.refresh(half, 0.0, 0.0, 0.0, &mut rng), f64::INFINITY);
    }
}
