//! Sums over time.

use crate::record::path::segment::Segment;

/// Time, mean and variance of what has been added.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    pub(super) time: f64,
    pub(super) mean: f64,
    /// Squares of the distances from the mean, each times its time.
    pub(super) squares: f64,
}

impl Moments {
    /// For `time` the mean was `mean`, and the mean square distance from it `variance`.
    #[inline]
    pub(super) fn add(&mut self, time: f64, mean: f64, variance: f64) {
        // West (1979): no difference of large sums, and no rounding if the mean stays.
        let before = mean - self.mean;
        self.time += time;
        self.mean = if self.time == time { mean } else { self.mean + before * (time / self.time) };
        self.squares += time * variance + if before == 0.0 { 0.0 } else { time * before * (mean - self.mean) };
    }

    /// A coordinate from `from` to `until`.
    #[inline]
    pub(super) fn add_segment(&mut self, segment: &Segment, from: f64, until: f64) {
        let (mean, variance) = segment.mean_and_variance(from, until);
        self.add(until - from, mean, variance);
    }

    /// The mean square distance from the mean.
    pub(super) fn variance(&self) -> f64 {
        self.squares / self.time
    }

    /// The mean square.
    pub(super) fn second_moment(&self) -> f64 {
        self.variance() + self.mean * self.mean
    }
}

/// Time, means and covariance of two quantities.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Products {
    time: f64,
    means: [f64; 2],
    /// Products of the distances from the means, each times its time.
    products: f64,
}

impl Products {
    /// For `time` the means were `means`, and the mean product of the distances from them `covariance`.
    pub(super) fn add(&mut self, time: f64, means: [f64; 2], covariance: f64) {
        let before = [means[0] - self.means[0], means[1] - self.means[1]];
        self.time += time;
        let share = time / self.time;
        self.means = [self.means[0] + before[0] * share, self.means[1] + before[1] * share];
        self.products += time * covariance + time * before[0] * (means[1] - self.means[1]);
    }

    /// The mean product of the distances from the means.
    pub(super) fn covariance(&self) -> f64 {
        self.products / self.time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let segment = Segment::polynomial(1.0, 9.0, [2.0, -3.0, 0.4]);
        let other = Segment::polynomial(0.0, 9.0, [0.0, 1.0, -0.2]);
        let (mut whole, mut parts) = (Moments::default(), Moments::default());
        whole.add_segment(&segment, 1.0, 9.0);
        let mut products = Products::default();
        for (from, until) in [(1.0, 1.5), (1.5, 4.0), (4.0, 9.0)] {
            parts.add_segment(&segment, from, until);
            let joint = segment.joint(&other, from, until);
            products.add(until - from, joint.means, joint.covariance);
        }
        assert!((whole.mean - parts.mean).abs() < 1e-14);
        assert!((whole.variance() - parts.variance()).abs() < 1e-13);
        assert!((products.covariance() - segment.joint(&other, 1.0, 9.0).covariance).abs() < 1e-13);
        // Mean of x² with x = 2 − 3s + 0.4s² over s in [0, 8].
        let square = 4.0 - 12.0 * 4.0 + (9.0 + 1.6) * 64.0 / 3.0 - 2.4 * 512.0 / 4.0 + 0.16 * 4096.0 / 5.0;
        assert!((whole.second_moment() / square - 1.0).abs() < 1e-13);
    }

    #[test]
    fn what_stays_is_its_own_mean() {
        let mut moments = Moments::default();
        for time in [0.1, 0.7, 1e-9, 300.0] {
            moments.add(time, 0.3, 0.0);
        }
        assert_eq!((moments.mean, moments.variance()), (0.3, 0.0));
    }
}
