//! Timings of models whose time is counted in whole ticks (`time u64;`), with exact arithmetic.
//!
//! They have the methods of those in [`timing`](crate::timing).

use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;
use crate::schedule::Time as _;

/// `at(E)`; the last tick there is stands for never.
#[derive(Clone, Debug)]
pub struct At {
    value: u64,
    rung: Option<u64>,
}

impl At {
    /// Has not rung.
    pub const NEW: At = At { value: u64::MAX, rung: None };

    /// The clock has rung.
    #[inline]
    pub fn rang(&mut self) {
        self.rung = Some(self.value);
    }

    /// The clock's own action has changed what E reads: the value is a new one, even if it is equal.
    #[inline]
    pub fn renew(&mut self) {
        self.rung = None;
    }

    /// When the clock rings for this value of E. With `at_once`, E reads `now`.
    ///
    /// # Errors
    /// If the value is in the past.
    #[inline]
    #[allow(clippy::cast_precision_loss, reason = "it is for a message")]
    pub fn refresh(&mut self, value: u64, at_once: bool, now: Moment) -> Result<Moment, Fault> {
        self.value = value;
        let at = Moment::tick(value);
        if value == u64::MAX || (self.rung == Some(value) && !(at_once && at == now)) {
            Ok(Moment::NEVER)
        } else if at.before(now) {
            Err(Fault::new(ErrorKind::RingTime { value: value as f64 }))
        } else {
            Ok(at)
        }
    }
}

/// `after(D)`.
#[derive(Clone, Debug)]
pub struct Delay {
    armed: bool,
}

impl Delay {
    /// Nothing drawn.
    pub const OFF: Delay = Delay { armed: false };

    /// The clock has rung, or was disabled: it is drawn anew when it is enabled.
    #[inline]
    pub fn forget(&mut self) {
        self.armed = false;
    }

    /// Whether a delay has been drawn and not been used up.
    #[inline]
    #[must_use]
    pub fn armed(&self) -> bool {
        self.armed
    }

    /// Takes a draw; the greatest number there is stands for never.
    ///
    /// # Errors
    /// If no tick is so far away.
    #[inline]
    pub fn take(&mut self, drawn: u64, now: Moment) -> Result<Moment, Fault> {
        self.armed = true;
        if drawn == u64::MAX { Ok(Moment::NEVER) } else { drawn.after(|| "`after`".to_owned(), now) }
    }
}

/// `every(P)`.
#[derive(Clone, Debug)]
pub struct Every {
    period: u64,
    from: u64,
    /// The next tick; none if there is no later one.
    next: Option<u64>,
    last: Option<u64>,
}

impl Every {
    /// Has not been armed.
    pub const NEW: Every = Every { period: 0, from: 0, next: None, last: None };

    /// The clock has rung.
    #[inline]
    pub fn rang(&mut self, _time: f64) {
        self.last = self.next;
        self.next = self.next.and_then(|next| next.checked_add(self.period));
    }

    /// The next tick of the grid, as in models with time in `f64`.
    ///
    /// # Errors
    /// If the period is 0.
    #[inline]
    pub fn refresh(&mut self, period: u64, from: Option<u64>, start: f64, now: Moment) -> Result<Moment, Fault> {
        if period == 0 {
            return Err(Fault::new(ErrorKind::Period { part: "period", value: 0.0 }));
        }
        let phase = from.unwrap_or_else(|| Moment::at(start).ticks());
        let now = now.ticks();
        if self.period == 0 || phase != self.from {
            self.next = if from.is_some() { Some(phase) } else { phase.checked_add(period) };
        } else if period != self.period {
            self.next = match self.last {
                Some(last) => last.checked_add(period).map(|next| next.max(now)),
                None if from.is_some() => self.next.map(|next| next.max(now)),
                None => phase.checked_add(period).map(|next| next.max(now)),
            };
        }
        (self.period, self.from) = (period, phase);
        // Ticks that passed while the clock was off are skipped.
        if let Some(next) = self.next.filter(|&next| next < now || self.last.is_some_and(|last| next <= last)) {
            let missed = now.saturating_sub(next).div_ceil(period);
            self.next = missed.checked_mul(period).and_then(|by| next.checked_add(by));
            if self.next.is_some() && self.next <= self.last {
                self.next = self.last.and_then(|last| last.checked_add(period));
            }
        }
        Ok(self.next.map_or(Moment::NEVER, Moment::tick))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_is_exact_where_floating_point_numbers_have_gaps() {
        let mut every = Every::NEW;
        let start = (1_u64 << 60) + 1;
        let mut at = every.refresh(3, Some(start), 0.0, Moment::tick(0)).unwrap();
        for n in 0..100 {
            assert_eq!(at.ticks(), start + 3 * n);
            every.rang(0.0);
            at = every.refresh(3, Some(start), 0.0, at).unwrap();
        }
    }

    #[test]
    fn the_last_tick_is_the_last() {
        let mut every = Every::NEW;
        let at = every.refresh(u64::MAX - 1, Some(1), 0.0, Moment::tick(0)).unwrap();
        assert_eq!(at.ticks(), 1);
        every.rang(0.0);
        assert_eq!(every.refresh(u64::MAX - 1, Some(1), 0.0, at).unwrap().ticks(), u64::MAX);
        every.rang(0.0);
        assert_eq!(every.refresh(u64::MAX - 1, Some(1), 0.0, Moment::tick(u64::MAX)).unwrap(), Moment::NEVER);
        let mut delay = Delay::OFF;
        assert!(delay.take(5, Moment::tick(u64::MAX - 2)).is_err());
    }

    #[test]
    fn a_period_that_changes_before_the_first_ring_counts_from_the_start() {
        let mut every = Every::NEW;
        assert_eq!(every.refresh(10, None, 0.0, Moment::tick(0)).unwrap().ticks(), 10);
        assert_eq!(every.refresh(2, None, 0.0, Moment::tick(1)).unwrap().ticks(), 2);
        assert_eq!(every.refresh(3, None, 0.0, Moment::tick(7)).unwrap().ticks(), 7);
    }

    #[test]
    fn ticks_that_passed_are_skipped() {
        let mut every = Every::NEW;
        let at = |every: &mut Every, now| every.refresh(5, None, 0.0, Moment::tick(now)).unwrap().ticks();
        assert_eq!(at(&mut every, 0), 5);
        assert_eq!(at(&mut every, 12), 15);
        assert_eq!(at(&mut every, 15), 15);
        every.rang(15.0);
        assert_eq!(at(&mut every, 15), 20);
    }
}
