//! Weighted means and variances, on which all statistics stand.

use super::sum::Sum;

/// Mean, variance and range of values with weights: times for which they lasted, or 1.
///
/// As in [`record`](crate::record) only distances are added up, from the first value and from the
/// mean, but with twice the digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Weighted {
    weight: Sum,
    origin: f64,
    /// Distances from the origin, each times its weight.
    area: Sum,
    /// Squares of the distances from the mean, each times its weight.
    squares: Sum,
    min: f64,
    max: f64,
}

impl Weighted {
    /// Of no value.
    pub(super) fn none() -> Self {
        Weighted {
            weight: Sum::default(),
            origin: 0.0,
            area: Sum::default(),
            squares: Sum::default(),
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
        }
    }

    /// What has no weight does not count, in the range either.
    #[inline]
    pub(super) fn add(&mut self, value: f64, weight: f64) {
        if weight <= 0.0 {
            return;
        }
        if self.is_none() {
            self.origin = value;
        }
        // To keep it from the last time is slower: every step would wait for the division of the one before.
        let before = if self.is_none() { value } else { self.mean() };
        self.weight += weight;
        self.area += (value - self.origin) * weight;
        // West (1979): no difference of large sums. The mean never passes the value, except by rounding.
        self.squares += weight * ((value - before) * (value - self.mean())).max(0.0);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }

    pub(super) fn is_none(&self) -> bool {
        self.weight.get() == 0.0
    }

    pub(super) fn weight(&self) -> f64 {
        self.weight.get()
    }

    /// NaN if there is no value, as the other statistics.
    pub(super) fn mean(&self) -> f64 {
        self.origin + self.area.get() / self.weight()
    }

    /// The squares of the distances from the mean, each times its weight.
    pub(super) fn squares(&self) -> f64 {
        self.squares.get()
    }

    pub(super) fn min(&self) -> f64 {
        if self.is_none() { f64::NAN } else { self.min }
    }

    pub(super) fn max(&self) -> f64 {
        if self.is_none() { f64::NAN } else { self.max }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_count() {
        let mut values = Weighted::none();
        [(0.0, 1.0), (7.0, 0.0), (1.0, 2.0), (3.0, 1.0)].iter().for_each(|&(value, weight)| values.add(value, weight));
        assert_eq!((values.weight(), values.mean()), (4.0, 1.25));
        assert!((values.squares() - (1.25 * 1.25 + 2.0 * 0.25 * 0.25 + 1.75 * 1.75)).abs() < 1e-14);
        assert_eq!((values.min(), values.max()), (0.0, 3.0));
    }

    #[test]
    fn a_value_that_never_changes_has_no_variance() {
        let mut values = Weighted::none();
        (1..1000).for_each(|k| values.add(1.0 / 3.0, 0.1 * f64::from(k)));
        assert_eq!((values.mean(), values.squares()), (1.0 / 3.0, 0.0));
    }

    #[test]
    fn sums_do_not_drift() {
        // One long piece, then a million that are each less than half a unit in its last place.
        let mut values = Weighted::none();
        values.add(0.0, 1e10);
        (0..1_000_000).for_each(|_| values.add(1.0, 1e-7));
        assert_eq!(values.weight(), 1e10 + 0.1);
        assert!((values.mean() - 0.1 / (1e10 + 0.1)).abs() < 1e-26);
        // Small variation far from zero.
        let mut values = Weighted::none();
        (0..1_000_000).for_each(|k| values.add(1e9 + f64::from(k % 2), 0.1));
        assert_eq!(values.mean(), 1e9 + 0.5);
        assert!((values.squares() / values.weight() - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_is_not_defined_is_nan() {
        let none = Weighted::none();
        assert!(none.mean().is_nan() && none.min().is_nan() && none.max().is_nan());
        assert_eq!(none, none.clone());
    }
}
