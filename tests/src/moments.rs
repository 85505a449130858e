use std::fmt::Display;

use clockrace::{Model, Observer, SimError, View};

/// How many standard errors a mean may lie from its exact value.
///
/// A normal variable goes beyond with probability 7·10⁻⁶, Student's t with the 100 degrees of
/// freedom that the tests have at least with 2·10⁻⁵.
pub const LIMIT: f64 = 4.5;

/// Moments of a sample.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// Number of values.
    pub n: f64,
    /// Mean.
    pub mean: f64,
    /// Variance, unbiased.
    pub variance: f64,
    /// Fourth central moment over the square of the second: 3 for a normal law.
    pub kurtosis: f64,
}

impl Moments {
    /// Of a sample of at least two values.
    #[must_use]
    pub fn of(sample: &[f64]) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "samples are small")]
        let n = sample.len() as f64;
        let mean = sample.iter().sum::<f64>() / n;
        let central = |power| sample.iter().map(|x| (x - mean).powi(power)).sum::<f64>() / n;
        let second = central(2);
        Moments { n, mean, variance: second * n / (n - 1.0), kurtosis: central(4) / (second * second) }
    }

    /// Standard error of the mean.
    #[must_use]
    pub fn error(&self) -> f64 {
        (self.variance / self.n).sqrt()
    }
}

/// Independent values with the mean `exact` lie as their own spread allows.
///
/// # Panics
/// If their mean is more than [`LIMIT`] standard errors away.
pub fn assert_mean(what: impl Display, sample: &[f64], exact: f64) {
    assert!(sample.len() > 100, "{what}: too few for a normal law");
    let moments = Moments::of(sample);
    let z = (moments.mean - exact) / moments.error();
    assert!(z.abs() < LIMIT, "{what}: {} ± {} instead of {exact} (z = {z})", moments.mean, moments.error());
}

/// Averages functions of the state over time, as an observer.
#[derive(Debug)]
pub struct Average<F> {
    of: F,
    area: Vec<f64>,
    time: f64,
}

impl<F> Average<F> {
    /// Averages what `of` writes into its second argument, `outputs` numbers.
    pub fn new(outputs: usize, of: F) -> Self {
        Average { of, area: vec![0.0; outputs], time: 0.0 }
    }

    /// The averages over all the time that was observed.
    #[must_use]
    pub fn means(&self) -> Vec<f64> {
        self.area.iter().map(|area| area / self.time).collect()
    }

    /// The integrals over all the time that was observed.
    #[must_use]
    pub fn areas(&self) -> &[f64] {
        &self.area
    }
}

impl<M: Model, F: FnMut(&M::State, &mut [f64])> Observer<M> for Average<F> {
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        let span = until - view.now();
        let mut values = [0.0; 16];
        let values = &mut values[..self.area.len()];
        (self.of)(&view.state(), values);
        for (area, value) in self.area.iter_mut().zip(values) {
            *area += *value * span;
        }
        self.time += span;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_of_a_known_sample() {
        let moments = Moments::of(&[1.0, 2.0, 3.0, 4.0]);
        assert_eq!((moments.mean, moments.variance), (2.5, 5.0 / 3.0));
        assert!((moments.kurtosis - 1.64).abs() < 1e-12);
    }
}
