//! Piecewise deterministic samplers as models, generic over the law that they sample.
//!
//! The law has the density exp(−φ), known up to a factor. A sampler moves a particle `x` with the velocity
//! `v` through space, on straight lines or on circles, and at random times changes the velocity, so that in
//! the long run it spends its time as the law says. It needs the gradient of the potential φ and a bound of
//! how the gradient grows, which a [`Target`] gives.
//!
//! | process | model | with coordinates that stick at 0 |
//! |---|---|---|
//! | Zig-Zag (Bierkens, Fearnhead and Roberts, 2019) | [`ZigZag`], [`GaussianZigZag`], [`SubsampledZigZag`], [`WalledZigZag`] | [`StickyZigZag`], [`StickyField`] |
//! | factorised Boomerang (Bierkens, Grazzi, Kamatani and Roberts, 2020) | [`FactorisedBoomerang`] | [`StickyFactorisedBoomerang`] |
//! | Boomerang (the same) | [`Boomerang`] | [`StickyBoomerang`] |
//! | Bouncy Particle (Bouchard-Côté, Vollmer and Doucet, 2018) | [`BouncyParticle`] | [`StickyBouncyParticle`] |
//!
//! Coordinates that stick are those of Bierkens, Grazzi, van der Meulen and Schauer (2023): the law then has
//! the density exp(−φ) against ∏ᵢ (dxᵢ + δ₀(dxᵢ)/κᵢ), as a posterior has under a spike-and-slab prior.

mod boomerang;
mod bouncy;
mod gaussian;
mod logistic;
mod normal;
mod sticky;
mod sticky_joint;
mod walls;
mod zigzag;

use clockrace::rand::Rng;

pub use boomerang::{Boomerang, FactorisedBoomerang};
pub use bouncy::BouncyParticle;
pub use gaussian::{Gaussian, Spiked};
pub use logistic::Logistic;
pub use normal::Normal;
pub use sticky::{StickyFactorisedBoomerang, StickyField, StickyZigZag};
pub use sticky_joint::{StickyBoomerang, StickyBouncyParticle};
pub use walls::{Wall, WallKind, WalledZigZag};
pub use zigzag::{GaussianZigZag, SubsampledZigZag, ZigZag};

/// A law on ℝᵈ with density exp(−φ), by the gradient of its potential φ.
pub trait Target: Clone {
    /// The number of coordinates, d.
    fn dimension(&self) -> usize;

    /// The coordinates that ∂φ/∂xᵢ is a function of. The fewer, the less an event costs.
    fn neighbours(&self, i: usize) -> impl Iterator<Item = usize>;

    /// ∂φ/∂xᵢ, where `x` are the coordinates of the [`neighbours`](Target::neighbours), in their order.
    fn partial(&self, i: usize, x: impl Iterator<Item = f64>) -> f64;

    /// How fast vᵢ ∂φ/∂xᵢ grows at most, at any x, on the line x + v s: a bound of vᵢ Σⱼ ∂²φ/∂xᵢ∂xⱼ vⱼ, where `vi` is vᵢ
    /// and `v` are the velocities of the neighbours.
    fn curvature(&self, i: usize, vi: f64, v: impl Iterator<Item = f64>) -> f64;

    /// ∇φ at `x`.
    fn gradient(&self, x: &[f64]) -> Vec<f64> {
        (0..self.dimension()).map(|i| self.partial(i, self.neighbours(i).map(|j| x[j]))).collect()
    }

    /// How fast v·∇φ grows at most, on the line x + v s.
    fn total_curvature(&self, v: &[f64]) -> f64 {
        (0..self.dimension()).map(|i| self.curvature(i, v[i], self.neighbours(i).map(|j| v[j]))).sum()
    }
}

/// A law that is compared with one of independent normal variables, with means μᵢ and precisions Γᵢᵢ.
pub trait Referenced: Target {
    /// μᵢ.
    fn centre(&self, i: usize) -> f64;

    /// Γᵢᵢ, the inverse of the variance.
    fn precision(&self, i: usize) -> f64;

    /// A bound of |∂φ/∂xᵢ − Γᵢᵢ(xᵢ − μᵢ)| for all x with |xⱼ − μⱼ| ≤ rⱼ, where `r` are those of the neighbours.
    fn excess(&self, i: usize, r: impl Iterator<Item = f64>) -> f64;

    /// The law of those normal variables.
    fn reference(&self) -> Normal {
        let all = 0..self.dimension();
        Normal::independent(
            all.clone().map(|i| self.centre(i)).collect(),
            &all.map(|i| self.precision(i)).collect::<Vec<f64>>(),
        )
    }

    /// ∇φ less the gradient of the reference's potential, at `x`.
    fn gradient_excess(&self, x: &[f64]) -> Vec<f64> {
        let gradient = self.gradient(x).into_iter().enumerate();
        gradient.map(|(i, slope)| slope - self.precision(i) * (x[i] - self.centre(i))).collect()
    }

    /// A bound of |v·[`gradient_excess`](Referenced::gradient_excess)| on the circles on which `x` and `v` are.
    fn total_excess(&self, x: &[f64], v: &[f64]) -> f64 {
        let radii: Vec<f64> = (0..x.len()).map(|i| (x[i] - self.centre(i)).hypot(v[i])).collect();
        (0..x.len()).map(|i| radii[i] * self.excess(i, self.neighbours(i).map(|j| radii[j]))).sum()
    }
}

/// A law whose gradient is a sum of very many terms, estimated by one of them that is drawn at random.
pub trait Subsampled: Target {
    /// An unbiased estimate of ∂φ/∂xᵢ at `x`.
    fn estimate(&self, i: usize, x: &[f64], rng: &mut impl Rng) -> f64;

    /// ∂φ/∂xᵢ at a fixed point, the centre of the estimates.
    fn at_centre(&self, i: usize) -> f64;

    /// How far `x` is from the centre.
    fn distance(&self, x: &[f64]) -> f64;

    /// An estimate of ∂φ/∂xᵢ differs from [`at_centre`](Subsampled::at_centre) by at most this times the distance.
    fn spread(&self, i: usize) -> f64;
}

/// Σᵢ aᵢ bᵢ.
#[must_use]
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Euclidean length.
#[must_use]
pub fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
