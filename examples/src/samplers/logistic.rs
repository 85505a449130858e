use clockrace::rand::Rng;
use clockrace::rand::RngExt as _;

use super::{Referenced, Subsampled, Target, dot, norm};

/// The posterior of a logistic regression, P(y = 1) = 1/(1 + exp(−z·β)), under independent N(0, σ²) priors.
#[derive(Clone, Debug)]
pub struct Logistic {
    rows: Vec<Vec<f64>>,
    outcomes: Vec<bool>,
    /// 1/σ².
    prior: f64,
    /// Aᵢⱼ = ¼ Σₖ |zₖᵢ zₖⱼ|, which bounds the second derivatives of the likelihood.
    bounds: Vec<Vec<f64>>,
    mode: Mode,
}

/// The posterior mode and what is known there.
#[derive(Clone, Debug, Default)]
struct Mode {
    at: Vec<f64>,
    /// ∇φ, which rounding leaves near 0.
    gradient: Vec<f64>,
    /// The diagonal of the matrix of second derivatives.
    precision: Vec<f64>,
    /// zₖ·β of each observation.
    scores: Vec<f64>,
    spread: Vec<f64>,
}

impl Logistic {
    /// The posterior given observations: `rows` are the covariates zₖ of each.
    ///
    /// # Panics
    /// If there are no observations, or not as many outcomes as rows.
    #[must_use]
    pub fn new(rows: Vec<Vec<f64>>, outcomes: Vec<bool>, sigma: f64) -> Self {
        assert!(!rows.is_empty() && rows.len() == outcomes.len(), "an outcome for each observation");
        let d = rows[0].len();
        let sum = |i: usize, j: usize| 0.25 * rows.iter().map(|z| (z[i] * z[j]).abs()).sum::<f64>();
        let bounds = (0..d).map(|i| (0..d).map(|j| sum(i, j)).collect()).collect();
        let mut target = Logistic { rows, outcomes, prior: sigma.powi(-2), bounds, mode: Mode::default() };
        target.mode = target.find_mode();
        target
    }

    /// φ(β), up to a constant.
    #[must_use]
    pub fn potential(&self, beta: &[f64]) -> f64 {
        let observation = |(z, &y): (&Vec<f64>, &bool)| {
            let score = dot(z, beta);
            score.max(0.0) + (-score.abs()).exp().ln_1p() - if y { score } else { 0.0 }
        };
        self.rows.iter().zip(&self.outcomes).map(observation).sum::<f64>() + 0.5 * self.prior * dot(beta, beta)
    }

    /// The posterior mode.
    #[must_use]
    pub fn mode(&self) -> &[f64] {
        &self.mode.at
    }

    /// By Newton's method.
    fn find_mode(&self) -> Mode {
        let d = self.dimension();
        let mut at = vec![0.0; d];
        let hessian = |at: &[f64]| {
            let mut hessian = vec![vec![0.0; d]; d];
            for z in &self.rows {
                let p = sigmoid(dot(z, at));
                for (i, row) in hessian.iter_mut().enumerate() {
                    row.iter_mut().zip(z).for_each(|(entry, zj)| *entry += p * (1.0 - p) * z[i] * zj);
                }
            }
            hessian.iter_mut().enumerate().for_each(|(i, row)| row[i] += self.prior);
            hessian
        };
        for _ in 0..50 {
            let newton = super::Normal::new(at.clone(), &hessian(&at));
            let step = newton.solve_upper(newton.solve_lower(self.gradient(&at)));
            at.iter_mut().zip(step).for_each(|(at, step)| *at -= step);
        }
        let n = self.rows.len() as f64;
        // An estimate is n (σ(zₖ·β) − σ(zₖ·β*)) zₖᵢ + (βᵢ − βᵢ*)/σ² away from the gradient at the mode.
        let spread = |i: usize| {
            let largest = self.rows.iter().map(|z| 0.25 * z[i].abs() * norm(z)).fold(0.0, f64::max);
            n * largest + self.prior
        };
        Mode {
            gradient: self.gradient(&at),
            precision: hessian(&at).iter().enumerate().map(|(i, row)| row[i]).collect(),
            scores: self.rows.iter().map(|z| dot(z, &at)).collect(),
            spread: (0..d).map(spread).collect(),
            at,
        }
    }
}

impl Target for Logistic {
    fn dimension(&self) -> usize {
        self.bounds.len()
    }

    fn neighbours(&self, _: usize) -> impl Iterator<Item = usize> {
        0..self.dimension()
    }

    fn partial(&self, i: usize, x: impl Iterator<Item = f64>) -> f64 {
        let x: Vec<f64> = x.collect();
        let terms =
            self.rows.iter().zip(&self.outcomes).map(|(z, &y)| (sigmoid(dot(z, &x)) - f64::from(u8::from(y))) * z[i]);
        terms.sum::<f64>() + self.prior * x[i]
    }

    fn curvature(&self, i: usize, vi: f64, v: impl Iterator<Item = f64>) -> f64 {
        let sum: f64 = self.bounds[i].iter().zip(v).map(|(bound, v)| bound * v.abs()).sum();
        vi.abs() * sum + self.prior * vi * vi
    }

    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let mut gradient: Vec<f64> = x.iter().map(|x| self.prior * x).collect();
        for (z, &y) in self.rows.iter().zip(&self.outcomes) {
            let residual = sigmoid(dot(z, x)) - f64::from(u8::from(y));
            gradient.iter_mut().zip(z).for_each(|(slope, z)| *slope += residual * z);
        }
        gradient
    }
}

impl Referenced for Logistic {
    fn centre(&self, i: usize) -> f64 {
        self.mode.at[i]
    }

    fn precision(&self, i: usize) -> f64 {
        self.mode.precision[i]
    }

    fn excess(&self, i: usize, r: impl Iterator<Item = f64>) -> f64 {
        // The second derivative in i itself lies between 1/σ² and 1/σ² + Aᵢᵢ, as Γᵢᵢ does.
        self.mode.gradient[i].abs() + self.bounds[i].iter().zip(r).map(|(bound, r)| bound * r).sum::<f64>()
    }
}

impl Subsampled for Logistic {
    fn estimate(&self, i: usize, x: &[f64], rng: &mut impl Rng) -> f64 {
        let k = rng.random_range(0..self.rows.len());
        let z = &self.rows[k];
        let change = sigmoid(dot(z, x)) - sigmoid(self.mode.scores[k]);
        self.mode.gradient[i] + self.rows.len() as f64 * change * z[i] + self.prior * (x[i] - self.mode.at[i])
    }

    fn at_centre(&self, i: usize) -> f64 {
        self.mode.gradient[i]
    }

    fn distance(&self, x: &[f64]) -> f64 {
        x.iter().zip(&self.mode.at).map(|(x, at)| (x - at).powi(2)).sum::<f64>().sqrt()
    }

    fn spread(&self, i: usize) -> f64 {
        self.mode.spread[i]
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
