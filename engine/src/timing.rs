//! What a clock remembers between two of its refreshes, and its next ring time.
//!
//! Where a function is given the moment at which the clock would ring, it gives the new one.

use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;
use crate::rng::{Rng, exponential};

/// `rate(E)` as a timed clock: the next-reaction method (Gibson and Bruck, 2000).
#[derive(Clone, Debug)]
pub struct Exponential {
    rate: f64,
}

impl Exponential {
    /// Not armed.
    pub const OFF: Exponential = Exponential { rate: 0.0 };

    /// The clock has rung: its time is used up.
    #[inline]
    pub fn rang(&mut self) {
        self.rate = 0.0;
    }

    /// Takes the hazard `rate` from `now` on: the time that is left is stretched, or drawn if there
    /// was none.
    #[inline]
    pub fn refresh(&mut self, at: Moment, rate: f64, now: Moment, rng: &mut Rng) -> Moment {
        if rate == self.rate {
            return at;
        }
        let old = std::mem::replace(&mut self.rate, rate);
        if rate <= 0.0 {
            Moment::NEVER
        } else if old > 0.0 && at.time <= f64::MAX {
            now.after(at.since(now) * (old / rate))
        } else {
            now.after(exponential(rng) / rate)
        }
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
    /// The value of E that the clock waits for.
    value: f64,
    /// The value that it rang for last; NaN if it has not rung.
    rung: f64,
}

impl At {
    /// Has not rung.
    pub const NEW: At = At { value: f64::NAN, rung: f64::NAN };

    /// The clock has rung.
    #[inline]
    pub fn rang(&mut self) {
        self.rung = self.value;
    }

    /// The clock's own action has changed what E reads: the value is a new one, even if it is equal.
    #[inline]
    pub fn renew(&mut self) {
        self.rung = f64::NAN;
    }

    /// When the clock rings for this value of E. With `at_once`, E reads `now`: then a value that
    /// equals `now` rings even if the clock has rung for it.
    ///
    /// # Errors
    /// If the value is NaN, or in the past by more than rounding.
    #[inline]
    pub fn refresh(&mut self, value: f64, at_once: bool, now: Moment) -> Result<Moment, Fault> {
        self.value = value;
        if value == self.rung && !(at_once && value == now.time) {
            Ok(Moment::NEVER)
        } else if value > now.time {
            Ok(Moment::at(value))
        } else if value >= now.time - rounding(now.time) {
            // A time that is known is not before what else is set for it; one that is read from `now` is this moment.
            let low = if at_once { now.low } else { now.low.max(0.0) };
            Ok(Moment { time: now.time, low })
        } else {
            Err(Fault::new(ErrorKind::RingTime { value }))
        }
    }
}

/// A few units in the last place of `now`: what a sum of times loses.
#[inline]
pub(crate) fn rounding(now: f64) -> f64 {
    8.0 * f64::EPSILON * now.abs()
}

/// Checks a speed.
///
/// # Errors
/// If it is negative, NaN or infinite.
#[inline]
pub fn speed(value: f64) -> Result<f64, Fault> {
    if (0.0..=f64::MAX).contains(&value) { Ok(value) } else { Err(Fault::new(ErrorKind::Speed { value })) }
}

/// Checks a delay. One that rounding of times made negative is 0.
#[inline]
fn delay(value: f64, now: Moment) -> Result<f64, Fault> {
    if value >= 0.0 {
        Ok(value)
    } else if value >= -rounding(now.time) {
        Ok(0.0)
    } else {
        Err(Fault::new(ErrorKind::Delay { value }))
    }
}

/// `after(D)`, with or without `redraw`: a delay that is kept or forgotten as a whole.
#[derive(Clone, Debug)]
pub struct Delay {
    armed: bool,
}

impl Delay {
    /// Nothing drawn.
    pub const OFF: Delay = Delay { armed: false };

    /// The clock has rung, or was disabled: it is drawn anew when it is enabled.
    #[inline(always)]
    pub fn forget(&mut self) {
        self.armed = false;
    }

    /// Whether a delay has been drawn and not been used up.
    #[inline(always)]
    #[must_use]
    pub fn armed(&self) -> bool {
        self.armed
    }

    /// Takes a draw.
    ///
    /// # Errors
    /// If it is negative or NaN.
    #[inline(always)]
    pub fn take(&mut self, drawn: f64, now: Moment) -> Result<Moment, Fault> {
        self.armed = true;
        Ok(now.after(delay(drawn, now)?))
    }
}

/// `after(D)` with `resume` or `speed`: work that is run down.
#[derive(Clone, Debug)]
pub struct Work {
    /// Work that was left at `since`; NaN before a draw.
    left: f64,
    since: Moment,
    speed: f64,
    running: bool,
}

impl Work {
    /// Nothing drawn.
    pub const OFF: Work = Work { left: f64::NAN, since: Moment::NEVER, speed: 1.0, running: false };

    /// The clock has rung: it is drawn anew when it is enabled.
    #[inline]
    pub fn forget(&mut self) {
        *self = Work::OFF;
    }

    /// Work left at `now`.
    #[inline]
    fn left(&self, now: Moment) -> f64 {
        (self.left - now.since(self.since) * self.speed).max(0.0)
    }

    /// The clock is disabled: what is left is kept with `resume`, forgotten otherwise.
    #[inline]
    pub fn disable(&mut self, now: Moment, resume: bool) {
        if !resume {
            self.forget();
        } else if self.running {
            self.left = self.left(now);
            self.running = false;
        }
    }

    /// Whether a delay has been drawn and not been used up.
    #[inline]
    #[must_use]
    pub fn armed(&self) -> bool {
        !self.left.is_nan()
    }

    /// Takes a draw.
    ///
    /// # Errors
    /// If it is negative or NaN.
    #[inline]
    pub fn take(&mut self, drawn: f64, now: Moment) -> Result<(), Fault> {
        self.left = delay(drawn, now)?;
        self.running = false;
        Ok(())
    }

    /// The clock is enabled and runs down at `speed`.
    ///
    /// # Errors
    /// If `speed` is negative, NaN or infinite.
    #[inline]
    pub fn run(&mut self, at: Moment, speed: f64, now: Moment) -> Result<Moment, Fault> {
        let speed = self::speed(speed)?;
        if self.running {
            if speed == self.speed {
                return Ok(at);
            }
            self.left = self.left(now);
        }
        self.since = now;
        self.speed = speed;
        self.running = true;
        Ok(if speed > 0.0 { now.after(self.left / speed) } else { Moment::NEVER })
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
    pub fn refresh(&mut self, period: f64, from: Option<f64>, start: f64, at: Moment) -> Result<Moment, Fault> {
        let now = at.time;
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
        let tick = self.tick();
        // A tick at this instant is not before what has happened in it.
        Ok(if tick > now { Moment::at(tick) } else { Moment { time: now, low: at.low.max(0.0) } })
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

    fn at(time: f64) -> Moment {
        Moment::at(time)
    }

    #[test]
    fn ticks_are_multiples_and_do_not_drift() {
        let mut every = Every::NEW;
        let mut time = every.refresh(0.1, None, 0.0, at(0.0)).unwrap();
        for k in 1..=1000 {
            assert_eq!(time, at(f64::from(k) * 0.1));
            every.rang(time.time);
            time = every.refresh(0.1, None, 0.0, time).unwrap();
        }
    }

    #[test]
    fn ticks_missed_while_off_are_skipped_and_the_phase_stays() {
        let mut every = Every::NEW;
        assert_eq!(every.refresh(10.0, Some(5.0), 0.0, at(0.0)).unwrap(), at(5.0));
        assert_eq!(every.refresh(10.0, Some(5.0), 0.0, at(31.0)).unwrap(), at(35.0));
        every.rang(35.0);
        assert_eq!(every.refresh(10.0, Some(5.0), 0.0, at(35.0)).unwrap(), at(45.0));
        assert_eq!(every.refresh(2.0, Some(5.0), 0.0, at(36.0)).unwrap(), at(37.0));
        assert_eq!(every.refresh(0.5, Some(5.0), 0.0, at(36.0)).unwrap(), at(36.0));
    }

    #[test]
    fn a_phase_before_the_start_is_only_a_phase() {
        let mut every = Every::NEW;
        assert_eq!(every.refresh(3.0, Some(-1.0), 0.0, at(0.0)).unwrap(), at(2.0));
        let mut every = Every::NEW;
        assert_eq!(every.refresh(3.0, Some(0.0), 0.0, at(0.0)).unwrap(), at(0.0));
    }

    #[test]
    fn work_runs_down_at_its_speed() {
        let mut work = Work::OFF;
        work.take(10.0, at(0.0)).unwrap();
        assert_eq!(work.run(Moment::NEVER, 1.0, at(0.0)).unwrap(), at(10.0));
        assert_eq!(work.run(at(10.0), 0.5, at(4.0)).unwrap(), at(16.0));
        assert_eq!(work.run(at(16.0), 0.0, at(6.0)).unwrap(), Moment::NEVER);
        work.disable(at(7.0), true);
        assert_eq!(work.run(Moment::NEVER, 5.0, at(8.0)).unwrap(), at(9.0));
        work.disable(at(8.0), false);
        assert!(!work.armed());
    }

    #[test]
    fn at_a_value_it_rang_for_is_off_and_rounding_is_now() {
        let mut clock = At::NEW;
        assert_eq!(clock.refresh(2.0, false, at(1.0)).unwrap(), at(2.0));
        clock.rang();
        assert_eq!(clock.refresh(2.0, false, at(2.0)).unwrap(), Moment::NEVER);
        assert_eq!(clock.refresh(2.0, false, at(3.0)).unwrap(), Moment::NEVER);
        assert_eq!(clock.refresh(2.0, true, at(2.0)).unwrap(), at(2.0));
        assert_eq!(clock.refresh(3.0 - 1e-15, false, at(3.0)).unwrap(), at(3.0));
        clock.rang();
        assert_eq!(clock.refresh(3.0 - 1e-15, false, at(4.0)).unwrap(), Moment::NEVER);
        assert!(clock.refresh(2.5, false, at(3.0)).is_err());
        assert!(clock.refresh(f64::NAN, false, at(3.0)).is_err());
    }

    #[test]
    fn a_delay_that_rounding_made_negative_is_none() {
        let mut delay = Delay::OFF;
        let now = 0.1 + 0.2;
        assert_eq!(delay.take(0.3 - now, at(now)).unwrap(), at(now));
        assert!(delay.take(-1e-9, at(now)).is_err());
        assert!(delay.take(f64::NAN, at(now)).is_err());
        assert!(delay.take(-1e-300, at(0.0)).is_err());
    }

    #[test]
    fn a_hazard_that_changes_stretches_what_is_left() {
        let mut rng = crate::rng::stream(1, 0);
        let mut clock = Exponential::OFF;
        let whole = clock.refresh(Moment::NEVER, 2.0, at(0.0), &mut rng);
        let half = clock.refresh(whole, 4.0, at(0.0), &mut rng);
        assert!((half.time * 2.0 - whole.time).abs() < 1e-15 * whole.time);
        assert_eq!(clock.refresh(half, 0.0, at(0.0), &mut rng), Moment::NEVER);
    }
}
