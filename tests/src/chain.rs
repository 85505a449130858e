/// A Markov chain in continuous time on the states `0..n`, solved by uniformisation.
#[derive(Clone, Debug)]
pub struct Chain {
    /// From, to, rate.
    transitions: Vec<(usize, usize, f64)>,
    /// The largest rate of leaving a state.
    uniform: f64,
    leave: Vec<f64>,
}

impl Chain {
    /// A chain with these transitions `(from, to, rate)`.
    #[must_use]
    pub fn new(states: usize, transitions: impl IntoIterator<Item = (usize, usize, f64)>) -> Self {
        let transitions: Vec<_> = transitions.into_iter().collect();
        let mut leave = vec![0.0; states];
        for &(from, _, rate) in &transitions {
            leave[from] += rate;
        }
        let uniform = leave.iter().copied().fold(0.0, f64::max);
        Chain { transitions, uniform, leave }
    }

    /// The law a time `span` after it was `law`.
    #[must_use]
    pub fn after(&self, span: f64, law: &[f64]) -> Vec<f64> {
        // Steps in which e^−Λt does not vanish.
        let steps = (self.uniform * span / 50.0).ceil().max(1.0);
        let mean = self.uniform * span / steps;
        let mut law = law.to_vec();
        for _ in 0..steps as u64 {
            let (mut weight, mut jumped, mut k) = ((-mean).exp(), law, 0.0);
            let mut sum: Vec<f64> = jumped.iter().map(|p| weight * p).collect();
            while k < mean || weight > 1e-18 {
                k += 1.0;
                weight *= mean / k;
                jumped = self.jump(&jumped);
                for (s, p) in sum.iter_mut().zip(&jumped) {
                    *s += weight * p;
                }
            }
            law = sum;
        }
        law
    }

    /// One step of the uniformised chain.
    fn jump(&self, law: &[f64]) -> Vec<f64> {
        let mut next: Vec<f64> = law.iter().zip(&self.leave).map(|(p, out)| p * (1.0 - out / self.uniform)).collect();
        for &(from, to, rate) in &self.transitions {
            next[to] += law[from] * rate / self.uniform;
        }
        next
    }

    /// The law that is certainly in `state`.
    #[must_use]
    pub fn at(&self, state: usize) -> Vec<f64> {
        let mut law = vec![0.0; self.leave.len()];
        law[state] = 1.0;
        law
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn immigration_and_death_give_a_poisson_law() {
        let (alpha, mu, span) = (3.0, 0.5, 2.0_f64);
        let births = (0..60).map(|n| (n, n + 1, alpha));
        let deaths = (1..61_u8).map(|n| (usize::from(n), usize::from(n) - 1, mu * f64::from(n)));
        let chain = Chain::new(61, births.chain(deaths));
        let law = chain.after(span, &chain.at(0));
        let mean = alpha / mu * (1.0 - (-mu * span).exp());
        let mut poisson = (-mean).exp();
        for (n, p) in (0..20_u8).zip(law) {
            assert!((p - poisson).abs() < 1e-12);
            poisson *= mean / f64::from(n + 1);
        }
    }
}
