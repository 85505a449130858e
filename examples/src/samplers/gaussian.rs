use std::f64::consts::TAU;

use super::{Normal, Referenced, Target, dot};

/// A normal law, by its mean and its precision matrix Γ, which may be sparse.
#[derive(Clone, Debug)]
pub struct Gaussian {
    mean: Vec<f64>,
    rows: Vec<Vec<(usize, f64)>>,
}

impl Gaussian {
    /// N(μ, Γ⁻¹), where a row of the symmetric Γ holds (column, value) of what is not zero.
    ///
    /// # Panics
    /// If there is not one mean for each row.
    #[must_use]
    pub fn new(mean: Vec<f64>, rows: Vec<Vec<(usize, f64)>>) -> Self {
        assert_eq!(mean.len(), rows.len(), "a mean for each row of the precision");
        Gaussian { mean, rows }
    }

    /// N(μ, Γ⁻¹) with a full matrix.
    #[must_use]
    pub fn dense(mean: Vec<f64>, precision: &[Vec<f64>]) -> Self {
        Gaussian::new(mean, precision.iter().map(|row| row.iter().copied().enumerate().collect()).collect())
    }

    /// Γ, row by row, with what is not zero.
    #[must_use]
    pub fn rows(&self) -> &[Vec<(usize, f64)>] {
        &self.rows
    }

    /// μ.
    #[must_use]
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Γ in full.
    fn full(&self) -> Vec<Vec<f64>> {
        let mut precision = vec![vec![0.0; self.mean.len()]; self.mean.len()];
        for (row, entries) in precision.iter_mut().zip(&self.rows) {
            entries.iter().for_each(|&(j, value)| row[j] = value);
        }
        precision
    }

    /// The law as one that can be drawn from. O(d³).
    #[must_use]
    pub fn normal(&self) -> Normal {
        Normal::new(self.mean.clone(), &self.full())
    }

    /// The law with density exp(−φ) against ∏ᵢ (dxᵢ + δ₀(dxᵢ)/κᵢ), as sticky samplers have it, by going through all sets of
    /// coordinates that are not 0. O(2ᵈ d³).
    #[must_use]
    pub fn spiked(&self, kappa: &[f64]) -> Spiked {
        let (d, gamma) = (self.mean.len(), self.full());
        let linear: Vec<f64> = gamma.iter().map(|row| dot(row, &self.mean)).collect();
        // Sums over the sets: their masses, and for each coordinate those of the sets that have it and of its moments.
        let mut total = 0.0;
        let mut sums = vec![[0.0; 3]; d];
        for set in 0_u32..1 << d {
            let (members, out): (Vec<usize>, Vec<usize>) = (0..d).partition(|i| set >> i & 1 == 1);
            let block: Vec<Vec<f64>> =
                members.iter().map(|&i| members.iter().map(|&j| gamma[i][j]).collect()).collect();
            let law = Normal::new(vec![0.0; members.len()], &block);
            let half = law.solve_lower(members.iter().map(|&i| linear[i]).collect());
            let weight = 0.5 * (members.len() as f64 * TAU.ln() - law.log_determinant() + dot(&half, &half));
            let mass = weight.exp() / out.iter().map(|&i| kappa[i]).product::<f64>();
            total += mass;
            let (mean, covariance) = (law.solve_upper(half), law.covariance());
            for (k, &i) in members.iter().enumerate() {
                let moments = [1.0, mean[k], covariance[k][k] + mean[k] * mean[k]];
                sums[i].iter_mut().zip(moments).for_each(|(sum, moment)| *sum += mass * moment);
            }
        }
        let column = |k: usize| sums.iter().map(|sum| sum[k] / total).collect();
        Spiked { inclusion: column(0), mean: column(1), second: column(2) }
    }
}

/// A normal law with atoms at 0.
#[derive(Clone, Debug)]
pub struct Spiked {
    /// The probability that a coordinate is not 0.
    pub inclusion: Vec<f64>,
    /// E xᵢ.
    pub mean: Vec<f64>,
    /// E xᵢ².
    pub second: Vec<f64>,
}

impl Target for Gaussian {
    fn dimension(&self) -> usize {
        self.mean.len()
    }

    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize> {
        self.rows[i].iter().map(|&(j, _)| j)
    }

    fn partial(&self, i: usize, x: impl Iterator<Item = f64>) -> f64 {
        self.rows[i].iter().zip(x).map(|(&(j, value), x)| value * (x - self.mean[j])).sum()
    }

    fn curvature(&self, i: usize, vi: f64, v: impl Iterator<Item = f64>) -> f64 {
        vi * self.rows[i].iter().zip(v).map(|((_, value), v)| value * v).sum::<f64>()
    }
}

impl Referenced for Gaussian {
    fn centre(&self, i: usize) -> f64 {
        self.mean[i]
    }

    fn precision(&self, i: usize) -> f64 {
        self.rows[i].iter().find(|entry| entry.0 == i).map_or(0.0, |entry| entry.1)
    }

    fn excess(&self, i: usize, r: impl Iterator<Item = f64>) -> f64 {
        self.rows[i].iter().zip(r).filter(|((j, _), _)| *j != i).map(|((_, value), r)| value.abs() * r).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_coordinate_is_included_as_the_formula_says() {
        let law = Gaussian::new(vec![0.9], vec![vec![(0, 2.0)]]);
        let exact = law.spiked(&[1.5]);
        let slab = (TAU * 0.5).sqrt();
        let w = slab / (slab + (-0.81_f64).exp() / 1.5);
        assert!((exact.inclusion[0] - w).abs() < 1e-14 && (w - 0.857).abs() < 5e-4);
        assert!((exact.mean[0] - 0.9 * w).abs() < 1e-14 && (exact.second[0] - 1.31 * w).abs() < 1e-14);
    }
}
