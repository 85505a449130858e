//! Statistics of values that come one by one.

use super::ResourceError;
use super::weighted::Weighted;

/// Number, mean, variance and range of values that come one by one, such as waiting times. The values are
/// not kept: [`Sample`](crate::record::Sample) keeps them, and has quantiles.
///
/// What is not defined is NaN: the mean of no value, the variance of one.
///
/// ```
/// # use clockrace::resource::Tally;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut sojourn = Tally::new();
/// for time in [2.0, 4.0, 9.0] {
///     sojourn.record(time)?;
/// }
/// assert_eq!((sojourn.count(), sojourn.mean(), sojourn.variance()), (3, 5.0, 13.0));
/// assert_eq!((sojourn.min(), sojourn.max()), (2.0, 9.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tally {
    count: u64,
    values: Weighted,
}

impl Tally {
    /// No values yet.
    #[must_use]
    pub fn new() -> Self {
        Tally { count: 0, values: Weighted::none() }
    }

    /// Takes a value.
    ///
    /// # Errors
    /// [`ResourceError::Value`] if it is infinite or NaN.
    pub fn record(&mut self, value: f64) -> Result<(), ResourceError> {
        if !value.is_finite() {
            return Err(ResourceError::Value { value });
        }
        self.take(value);
        Ok(())
    }

    /// Takes a value that is known to be finite.
    #[inline]
    pub(super) fn take(&mut self, value: f64) {
        self.count += 1;
        self.values.add(value, 1.0);
    }

    /// Forgets all values.
    pub fn reset(&mut self) {
        *self = Tally::new();
    }

    /// How many values there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean, in the unit of the values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.values.mean()
    }

    /// The unbiased estimate of the variance: squared distances from the mean, divided by n − 1. For values
    /// that depend on each other, as successive waiting times do, it says nothing about the error of the mean.
    #[must_use]
    pub fn variance(&self) -> f64 {
        if self.count > 1 { self.values.squares() / (self.count - 1) as f64 } else { f64::NAN }
    }

    /// The least value.
    #[must_use]
    pub fn min(&self) -> f64 {
        self.values.min()
    }

    /// The greatest value.
    #[must_use]
    pub fn max(&self) -> f64 {
        self.values.max()
    }
}

impl Default for Tally {
    fn default() -> Self {
        Tally::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Sample;

    #[test]
    fn statistics_are_those_of_a_sample() {
        let values: Vec<f64> = (0..100).map(|k| 1e6 + f64::from(k * k % 37)).collect();
        let mut tally = Tally::new();
        values.iter().for_each(|&value| tally.record(value).unwrap());
        let sample = Sample::new(values);
        assert_eq!(tally.count(), 100);
        assert!((tally.mean() - sample.mean()).abs() < 1e-9);
        assert!((tally.variance() - sample.variance()).abs() < 1e-9 * sample.variance());
        assert_eq!((tally.min(), tally.max()), (sample.quantile(0.0), sample.quantile(1.0)));
    }

    #[test]
    fn what_is_not_defined_is_nan() {
        let mut tally = Tally::new();
        assert!(tally.mean().is_nan() && tally.variance().is_nan() && tally.min().is_nan() && tally.max().is_nan());
        assert!(matches!(tally.record(f64::NAN), Err(ResourceError::Value { .. })));
        assert_eq!(tally, Tally::default());
        tally.record(3.0).unwrap();
        assert!(tally.mean() == 3.0 && tally.variance().is_nan());
        tally.reset();
        assert_eq!(tally, Tally::new());
    }
}
