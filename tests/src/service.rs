use clockrace::rand::Rng;
use clockrace::rand_distr::{Distribution, Exp1};

/// A law of service times with mean 1.
#[derive(Clone, Copy, Debug)]
pub enum Service {
    /// Always 1.
    Fixed,
    /// Exponential.
    Exponential,
    /// Uniform between 0 and 2.
    Uniform,
    /// Sum of three exponential phases.
    Erlang3,
    /// Exponential with the mean 1/2 or 4, with the chances 6/7 and 1/7.
    Hyperexponential,
}

impl Service {
    /// All of them.
    pub const ALL: [Service; 5] =
        [Service::Fixed, Service::Exponential, Service::Uniform, Service::Erlang3, Service::Hyperexponential];

    /// Mean of the square.
    #[must_use]
    pub fn second_moment(self) -> f64 {
        match self {
            Service::Fixed => 1.0,
            Service::Exponential => 2.0,
            Service::Uniform => 4.0 / 3.0,
            Service::Erlang3 => 4.0 / 3.0,
            Service::Hyperexponential => 6.0 / 7.0 * 0.5 + 1.0 / 7.0 * 32.0,
        }
    }

    /// Mean of e^(−s·service).
    #[must_use]
    pub fn laplace(self, s: f64) -> f64 {
        match self {
            Service::Fixed => (-s).exp(),
            Service::Exponential => 1.0 / (1.0 + s),
            Service::Uniform => (1.0 - (-2.0 * s).exp()) / (2.0 * s),
            Service::Erlang3 => (1.0 + s / 3.0).powi(-3),
            Service::Hyperexponential => 6.0 / 7.0 / (1.0 + s / 2.0) + 1.0 / 7.0 / (1.0 + 4.0 * s),
        }
    }
}

impl Distribution<f64> for Service {
    fn sample<R: Rng + ?Sized>(&self, rng: &mut R) -> f64 {
        let mut exponential = || -> f64 { Exp1.sample(rng) };
        match self {
            Service::Fixed => 1.0,
            Service::Exponential => exponential(),
            Service::Uniform => 2.0 * (-exponential()).exp(),
            Service::Erlang3 => (exponential() + exponential() + exponential()) / 3.0,
            // An exponential exceeds ln(7/6) with the chance 6/7.
            Service::Hyperexponential => {
                let mean = if exponential() > (7.0_f64 / 6.0).ln() { 0.5 } else { 4.0 };
                mean * exponential()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assert_mean;
    use clockrace::rand::SeedableRng;

    #[test]
    fn draws_have_the_moments_that_are_said() {
        let mut rng = clockrace::Rng::seed_from_u64(1);
        for service in [Service::Exponential, Service::Uniform, Service::Erlang3, Service::Hyperexponential] {
            let draws: Vec<f64> = service.sample_iter(&mut rng).take(100_000).collect();
            let of = |f: fn(f64) -> f64| draws.iter().map(|&x| f(x)).collect::<Vec<f64>>();
            assert_mean(format!("{service:?}"), &draws, 1.0);
            assert_mean(format!("square of {service:?}"), &of(|x| x * x), service.second_moment());
            assert_mean(format!("transform of {service:?}"), &of(|x| (-x).exp()), service.laplace(1.0));
        }
    }
}
