use clockrace::rand::Rng;
use clockrace::rand::RngExt as _;
use clockrace::rand_distr::StandardNormal;

use super::dot;

/// A normal law N(μ, Γ⁻¹) with a Cholesky factor of its precision, Γ = LLᵀ.
#[derive(Clone, Debug)]
pub struct Normal {
    mean: Vec<f64>,
    /// Rows of L, up to the diagonal.
    lower: Vec<Vec<f64>>,
}

impl Normal {
    /// N(μ, Γ⁻¹).
    ///
    /// # Panics
    /// If the matrix is not positive definite, or not of the size of the mean.
    #[must_use]
    pub fn new(mean: Vec<f64>, precision: &[Vec<f64>]) -> Self {
        assert_eq!(mean.len(), precision.len(), "a mean for each row of the precision");
        let mut lower: Vec<Vec<f64>> = Vec::with_capacity(mean.len());
        for (i, row) in precision.iter().enumerate() {
            let mut new = Vec::with_capacity(i + 1);
            for j in 0..=i {
                let above: &[f64] = if j < i { &lower[j] } else { &new };
                let rest = row[j] - dot(&new[..j], &above[..j]);
                new.push(if j < i { rest / lower[j][j] } else { rest.sqrt() });
            }
            assert!(new[i] > 0.0, "the precision is positive definite");
            lower.push(new);
        }
        Normal { mean, lower }
    }

    /// Independent variables with these means and precisions.
    #[must_use]
    pub fn independent(mean: Vec<f64>, precisions: &[f64]) -> Self {
        let diagonal = |(i, &p): (usize, &f64)| (0..i).map(|_| 0.0).chain([p.sqrt()]).collect();
        Normal { mean, lower: precisions.iter().enumerate().map(diagonal).collect() }
    }

    /// The standard normal law in `d` dimensions.
    #[must_use]
    pub fn standard(d: usize) -> Self {
        Normal::independent(vec![0.0; d], &vec![1.0; d])
    }

    /// μ.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// x − μ.
    #[must_use]
    pub fn centred(&self, x: &[f64]) -> Vec<f64> {
        x.iter().zip(&self.mean).map(|(x, mean)| x - mean).collect()
    }

    /// Γ(x − μ), the gradient of the law's potential.
    #[must_use]
    pub fn gradient(&self, x: &[f64]) -> Vec<f64> {
        let centred = self.centred(x);
        let d = self.mean.len();
        let half: Vec<f64> = (0..d).map(|j| (j..d).map(|i| self.lower[i][j] * centred[i]).sum()).collect();
        self.lower.iter().map(|row| dot(row, &half)).collect()
    }

    /// L⁻¹u.
    #[must_use]
    pub fn solve_lower(&self, mut u: Vec<f64>) -> Vec<f64> {
        for i in 0..u.len() {
            u[i] = (u[i] - dot(&self.lower[i][..i], &u[..i])) / self.lower[i][i];
        }
        u
    }

    /// L⁻ᵀu.
    #[must_use]
    pub fn solve_upper(&self, mut u: Vec<f64>) -> Vec<f64> {
        for i in (0..u.len()).rev() {
            u[i] /= self.lower[i][i];
            for j in 0..i {
                u[j] -= self.lower[i][j] * u[i];
            }
        }
        u
    }

    /// Bounces the velocity off the level set to which `gradient` is normal:
    /// v − 2 (g·v)/‖L⁻¹g‖² L⁻ᵀL⁻¹g, which preserves the law of [`draw`](Normal::draw).
    pub fn bounce(&self, v: &mut [f64], gradient: Vec<f64>) {
        let product = dot(&gradient, v);
        let half = self.solve_lower(gradient);
        let factor = 2.0 * product / dot(&half, &half);
        for (v, step) in v.iter_mut().zip(self.solve_upper(half)) {
            *v -= factor * step;
        }
    }

    /// A draw from N(0, Γ⁻¹).
    pub fn draw(&self, rng: &mut impl Rng) -> Vec<f64> {
        self.solve_upper((0..self.mean.len()).map(|_| rng.sample(StandardNormal)).collect())
    }

    /// Refreshes the velocity: ρ v + √(1 − ρ²) times a [`draw`](Normal::draw).
    pub fn refresh(&self, v: &mut [f64], rho: f64, rng: &mut impl Rng) {
        let fresh = (1.0 - rho * rho).sqrt();
        for (v, draw) in v.iter_mut().zip(self.draw(rng)) {
            *v = rho * *v + fresh * draw;
        }
    }

    /// log |Γ|.
    #[must_use]
    pub fn log_determinant(&self) -> f64 {
        2.0 * self.lower.iter().filter_map(|row| row.last()).map(|diagonal| diagonal.ln()).sum::<f64>()
    }

    /// Γ⁻¹, row by row.
    #[must_use]
    pub fn covariance(&self) -> Vec<Vec<f64>> {
        let unit = |k: usize| (0..self.mean.len()).map(|i| if i == k { 1.0 } else { 0.0 }).collect();
        (0..self.mean.len()).map(|k| self.solve_upper(self.solve_lower(unit(k)))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clockrace::rand::SeedableRng as _;

    fn law() -> Normal {
        Normal::new(vec![1.0, -2.0, 0.5], &[vec![4.0, 2.0, 0.6], vec![2.0, 5.0, 1.0], vec![0.6, 1.0, 3.0]])
    }

    #[test]
    fn precision_and_covariance_are_inverse() {
        let (law, mean) = (law(), [1.0, -2.0, 0.5]);
        for row in law.covariance() {
            let x: Vec<f64> = row.iter().zip(mean).map(|(c, mean)| c + mean).collect();
            let unit = law.gradient(&x);
            assert!((norm_of(&unit) - 1.0).abs() < 1e-14, "{unit:?}");
        }
    }

    fn norm_of(u: &[f64]) -> f64 {
        dot(u, u).sqrt()
    }

    #[test]
    fn a_bounce_turns_the_rate_round_and_keeps_the_energy() {
        let law = law();
        let mut rng = clockrace::Rng::seed_from_u64(1);
        for _ in 0..100 {
            let (v, g) = (law.draw(&mut rng), law.draw(&mut rng));
            let mut bounced = v.clone();
            law.bounce(&mut bounced, g.clone());
            assert!((dot(&g, &bounced) + dot(&g, &v)).abs() < 1e-12);
            let energy = |v: &[f64]| {
                let x: Vec<f64> = v.iter().zip(law.mean()).map(|(v, mean)| v + mean).collect();
                dot(v, &law.gradient(&x))
            };
            assert!((energy(&bounced) - energy(&v)).abs() < 1e-12 * (1.0 + energy(&v)));
        }
    }
}
