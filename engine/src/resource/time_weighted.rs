//! Statistics over time of a value that changes by steps.

use super::ResourceError;
use super::weighted::Weighted;
use crate::timing::rounding;

/// A value that changes by steps, and its statistics over time.
///
/// A value counts for as long as it lasts: the mean is the area under its path divided by the time.
/// Values that last no time at all, in between two events of one instant, do not count, in the range
/// either. All is as in [`TimeAverage`](crate::record::TimeAverage), which takes the outputs of a
/// model, but inside of it: bodies can look at it.
///
/// Over no time at all, every statistic is that of the value itself. Over a time that ends before
/// the last change it is NaN.
///
/// ```
/// # use clockrace::resource::TimeWeighted;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut stock = TimeWeighted::new(5.0);
/// stock.add(-2.0, 1.0)?; // 3 from t = 1 on
/// stock.set(8.0, 3.0)?;
/// assert_eq!(stock.mean(4.0), (5.0 + 2.0 * 3.0 + 8.0) / 4.0);
/// assert_eq!((stock.min(4.0), stock.max(4.0), stock.max(3.0)), (3.0, 8.0, 5.0));
/// stock.reset(4.0)?;
/// assert_eq!((stock.value(), stock.mean(6.0)), (8.0, 8.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeWeighted {
    value: f64,
    /// When it changed last.
    since: f64,
    /// The latest time that is known.
    last: f64,
    /// What was before.
    over: Weighted,
}

impl TimeWeighted {
    /// The value from time 0 on.
    #[must_use]
    pub fn new(value: f64) -> Self {
        TimeWeighted { value, since: 0.0, last: 0.0, over: Weighted::none() }
    }

    /// The value from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        TimeWeighted { since: time, last: time, ..TimeWeighted::new(self.value) }
    }

    /// The value.
    #[must_use]
    pub fn value(&self) -> f64 {
        self.value
    }

    /// The value is another one from `now` on.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::Value`] if
    /// the value is infinite or NaN.
    pub fn set(&mut self, value: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        if !value.is_finite() {
            return Err(ResourceError::Value { value });
        }
        self.step(value, now);
        Ok(())
    }

    /// The value is greater by `change` from `now` on.
    ///
    /// # Errors
    /// As [`set`](TimeWeighted::set).
    pub fn add(&mut self, change: f64, now: f64) -> Result<(), ResourceError> {
        self.set(self.value + change, now)
    }

    /// Forgets what was before `now`, not the value: the end of a warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        *self = self.since(now);
        Ok(())
    }

    /// The mean over time until `now`, in the unit of the value.
    #[must_use]
    pub fn mean(&self, now: f64) -> f64 {
        self.until(now).mean()
    }

    /// The variance over time until `now`: the mean square distance from the mean.
    #[must_use]
    pub fn variance(&self, now: f64) -> f64 {
        let over = self.until(now);
        over.squares() / over.weight()
    }

    /// The least value until `now`.
    #[must_use]
    pub fn min(&self, now: f64) -> f64 {
        self.until(now).min()
    }

    /// The greatest value until `now`.
    #[must_use]
    pub fn max(&self, now: f64) -> f64 {
        self.until(now).max()
    }

    /// With the time that the value has lasted. None if `now` is not a time.
    fn until(&self, now: f64) -> Weighted {
        let Ok(now) = self.check(now) else { return Weighted::none() };
        let mut over = self.over;
        over.add(self.value, now - self.since);
        if over.is_none() {
            over.add(self.value, 1.0);
        }
        over
    }

    /// The time, if it is one that can follow: what rounding took from it is given back.
    #[inline]
    pub(super) fn check(&self, now: f64) -> Result<f64, ResourceError> {
        let last = self.last;
        if now >= last && now <= f64::MAX {
            Ok(now)
        } else if now < last && now >= last - rounding(last) {
            Ok(last)
        } else {
            Err(ResourceError::Time { now, last })
        }
    }

    /// As [`set`](TimeWeighted::set), with a time that has been checked. Where nothing changes, no trace is left in
    /// the rounding.
    #[inline]
    pub(super) fn step(&mut self, value: f64, now: f64) {
        self.last = now;
        if value != self.value {
            self.over.add(self.value, now - self.since);
            (self.value, self.since) = (value, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_count_for_as_long_as_they_last() {
        let mut value = TimeWeighted::new(0.0);
        [(1.0, 1.0), (2.0, 3.0), (3.0, 3.0)].iter().for_each(|&(to, at)| value.set(to, at).unwrap());
        // 0 for 1, 1 for 2, 3 for 1; 2 for no time at all.
        assert_eq!(value.mean(4.0), 1.25);
        assert!((value.variance(4.0) - (2.75 - 1.25 * 1.25)).abs() < 1e-15);
        assert_eq!((value.min(4.0), value.max(4.0), value.max(3.0)), (0.0, 3.0, 1.0));
    }

    #[test]
    fn over_no_time_there_is_the_value() {
        let mut value = TimeWeighted::new(2.0).since(7.0);
        value.set(5.0, 7.0).unwrap();
        assert_eq!((value.mean(7.0), value.variance(7.0), value.min(7.0), value.max(7.0)), (5.0, 0.0, 5.0, 5.0));
        assert_eq!((value.mean(9.0), value.min(9.0)), (5.0, 5.0));
    }

    #[test]
    fn a_reset_forgets_the_past_and_not_the_value() {
        let mut value = TimeWeighted::new(1.0);
        value.add(9.0, 2.0).unwrap();
        value.reset(3.0).unwrap();
        assert_eq!((value.value(), value.mean(3.0), value.min(4.0)), (10.0, 10.0, 10.0));
        value.add(-10.0, 4.0).unwrap();
        assert_eq!((value.mean(8.0), value.variance(8.0)), (2.0, 16.0));
    }

    #[test]
    fn times_do_not_decrease_but_by_rounding() {
        let mut value = TimeWeighted::new(1.0);
        value.set(1.0, 3.0).unwrap();
        let before = value;
        for now in [2.9, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(value.set(2.0, now), Err(ResourceError::Time { last: 3.0, .. })));
            assert!(matches!(value.reset(now), Err(ResourceError::Time { last: 3.0, .. })));
            assert!(value.mean(now).is_nan() && value.variance(now).is_nan());
            assert!(value.min(now).is_nan() && value.max(now).is_nan());
        }
        assert_eq!(value, before);
        value.set(2.0, 3.0 - 1e-15).unwrap();
        assert_eq!((value.mean(3.0 - 1e-15), value.mean(6.0)), (1.0, 1.5));
    }

    #[test]
    fn values_are_finite() {
        let mut value = TimeWeighted::new(1.0);
        assert_eq!(value.set(f64::INFINITY, 1.0), Err(ResourceError::Value { value: f64::INFINITY }));
        assert!(matches!(value.add(f64::NAN, 1.0), Err(ResourceError::Value { .. })));
        assert_eq!(value, TimeWeighted::new(1.0));
    }

    #[test]
    fn looking_leaves_no_trace() {
        let (mut one, mut other) = (TimeWeighted::new(0.1), TimeWeighted::new(0.1));
        for k in 1..1000 {
            let now = 0.1 * f64::from(k);
            if k % 7 == 0 {
                one.add(0.1, now).unwrap();
                other.add(0.1, now).unwrap();
            }
            other.set(other.value(), now).unwrap();
            let _ = other.mean(now);
        }
        assert_eq!((one.mean(200.0), one.variance(200.0)), (other.mean(200.0), other.variance(200.0)));
    }
}
