//! Statistics of independent values.

use super::student;

/// Independent values of one quantity, such as the same output in many replicates, and their
/// statistics.
///
/// Statistics have the unit of the values. What is not defined is NaN: the mean of no value, the
/// variance of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    values: Vec<f64>,
    mean: f64,
    variance: f64,
}

impl Sample {
    /// The sample of these values.
    #[must_use]
    pub fn new(values: Vec<f64>) -> Self {
        let n = values.len() as f64;
        // Distances from one of the values add up with less rounding than the values themselves,
        // and with none if all are equal.
        let origin = values.first().copied().filter(|first| first.is_finite()).unwrap_or(0.0);
        let mean = origin + values.iter().map(|value| value - origin).sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
        let variance = if values.len() > 1 { squares / (n - 1.0) } else { f64::NAN };
        Sample { values, mean, variance }
    }

    /// The values, in the order in which they were given.
    #[must_use]
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// The unbiased estimate of the variance: squared distances from the mean, divided by n − 1.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }

    /// The square root of the [`variance`](Sample::variance).
    #[must_use]
    pub fn standard_deviation(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The standard error of the mean: standard deviation / √n.
    #[must_use]
    pub fn standard_error(&self) -> f64 {
        (self.variance / self.len() as f64).sqrt()
    }

    /// The confidence interval of the mean by Student's t with n − 1 degrees of freedom: with
    /// `level` = 0.95, 95 of 100 such intervals cover the true mean. Exact for normal values, good
    /// for others when there are many.
    ///
    /// NaN if there are fewer than two values or `level` is not between 0 and 1.
    #[must_use]
    pub fn confidence_interval(&self, level: f64) -> (f64, f64) {
        if self.len() < 2 || !(level > 0.0 && level < 1.0) {
            return (f64::NAN, f64::NAN);
        }
        let reach = student::two_sided(level, self.len() - 1) * self.standard_error();
        (self.mean - reach, self.mean + reach)
    }

    /// The quantile at `level`, by linear interpolation of the sorted values: type 7 of Hyndman
    /// and Fan (1996), the default of R, NumPy and Julia. 0.5 is the median, 0 the least value, 1
    /// the greatest.
    ///
    /// NaN if there is no value, if one is NaN, or if `level` is not in [0, 1].
    #[must_use]
    pub fn quantile(&self, level: f64) -> f64 {
        self.quantiles(&[level])[0]
    }

    /// Several [`quantile`](Sample::quantile)s: the values are sorted only once.
    #[must_use]
    pub fn quantiles(&self, levels: &[f64]) -> Vec<f64> {
        let mut sorted = self.values.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        // By that order NaN stands first or last, according to its sign.
        let unknown = [sorted.first(), sorted.last()].into_iter().flatten().any(|value| value.is_nan());
        levels.iter().map(|&level| if unknown { f64::NAN } else { interpolate(&sorted, level) }).collect()
    }
}

/// The quantile of sorted values.
fn interpolate(sorted: &[f64], level: f64) -> f64 {
    if !(0.0..=1.0).contains(&level) {
        return f64::NAN;
    }
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let position = level * last as f64;
    let below = (position as usize).min(last);
    let above = (below + 1).min(last);
    let (a, b) = (sorted[below], sorted[above]);
    let fraction = position - below as f64;
    // Infinities have no difference.
    if fraction == 0.0 || a == b { a } else { a + fraction * (b - a) }
}

impl FromIterator<f64> for Sample {
    fn from_iter<I: IntoIterator<Item = f64>>(values: I) -> Self {
        Sample::new(values.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments() {
        let sample: Sample = [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0].into_iter().collect();
        assert_eq!(sample.mean(), 5.0);
        assert_eq!(sample.variance(), 32.0 / 7.0);
        assert_eq!(sample.standard_error(), (4.0_f64 / 7.0).sqrt());
        let (low, high) = sample.confidence_interval(0.95);
        assert!((high - 5.0 - 2.364_624_251_592_785 * (4.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert_eq!(low + high, 10.0);
    }

    #[test]
    fn equal_values_have_no_variance() {
        let sample = Sample::new(vec![3.0 / 763.0; 10_000]);
        assert_eq!((sample.mean(), sample.variance()), (3.0 / 763.0, 0.0));
        assert_eq!(Sample::new(vec![f64::INFINITY, 1.0]).mean(), f64::INFINITY);
        assert_eq!(Sample::new(vec![1.0, f64::INFINITY]).mean(), f64::INFINITY);
    }

    #[test]
    fn quantiles_of_type_7() {
        let sample = Sample::new(vec![3.0, 1.0, 10.0, 2.0]);
        assert_eq!(sample.quantiles(&[0.0, 0.25, 0.5, 0.75, 1.0]), [1.0, 1.75, 2.5, 4.75, 10.0]);
        assert_eq!(Sample::new(vec![4.0]).quantile(0.3), 4.0);
        assert!(sample.quantile(1.5).is_nan());
        assert!(sample.quantile(f64::NAN).is_nan());
        assert_eq!(Sample::new(vec![f64::INFINITY; 2]).quantile(0.5), f64::INFINITY);
        let infinite = Sample::new(vec![f64::INFINITY, 1.0, f64::NEG_INFINITY]);
        assert_eq!(infinite.quantiles(&[0.0, 0.5, 1.0]), [f64::NEG_INFINITY, 1.0, f64::INFINITY]);
    }

    #[test]
    fn what_is_not_defined_is_nan() {
        let none = Sample::new(Vec::new());
        assert!(none.mean().is_nan() && none.variance().is_nan() && none.quantile(0.5).is_nan());
        let one = Sample::new(vec![1.0]);
        assert!(one.standard_error().is_nan() && one.confidence_interval(0.9).0.is_nan());
        assert!(Sample::new(vec![1.0, f64::NAN]).quantile(0.0).is_nan());
        assert!(Sample::new(vec![1.0, -f64::NAN]).quantile(1.0).is_nan());
    }
}
