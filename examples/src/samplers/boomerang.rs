use clockrace::rand_distr::StandardNormal;
use clockrace::simulation;

use super::{Normal, Referenced, Target, dot};

simulation! {
    /// The factorised Boomerang: each coordinate goes round its centre on a circle, as its reference N(μᵢ, 1/Γᵢᵢ) would
    /// have it, and turns round with the hazard ((∂φ/∂xᵢ − Γᵢᵢ(xᵢ − μᵢ)) vᵢ)⁺. The flow keeps the radius of the circle, which
    /// bounds the hazard.
    pub model FactorisedBoomerang<T: Referenced> {
        param target: T;
        /// How often a velocity is refreshed, in all coordinates together.
        param refreshment: f64 in 0.0..;
        /// How much of itself a velocity keeps then.
        param rho: f64 = 0.0 in -1.0..=1.0;

        index coordinate = 0..target.dimension();
        relation near(i in coordinate) -> coordinate = target.neighbours(i);

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64 = rng.sample::<f64, _>(StandardNormal) / target.precision(i).sqrt();
        tally turns: u64 = 0;
        flow (x[i], v[i])[i in coordinate] = rotated(x[i], v[i], target.centre(i), dt);

        let excess[i in coordinate] =
            target.partial(i, near(i).map(|j| x[j])) - target.precision(i) * (x[i] - target.centre(i));
        let radius[i in coordinate] = (x[i] - target.centre(i)).hypot(v[i]);
        clock turn[i in coordinate]: hazard(
            |_| (v[i] * excess[i]).max(0.0),
            bound = radius[i] * target.excess(i, near(i).map(|j| radius[j])),
        ) => {
            v[i] = -v[i];
            turns += 1;
        }
        clock refresh: rate(refreshment) => {
            let i = rng.random_range(0..target.dimension());
            let fresh: f64 = rng.sample(StandardNormal);
            v[i] = rho * v[i] + ((1.0 - rho * rho) / target.precision(i)).sqrt() * fresh;
        }
    }
}

simulation! {
    /// The Boomerang: all coordinates go round the centre of the reference N(μ, Γ⁻¹) and bounce together, with the hazard
    /// (v·(∇φ − Γ(x − μ)))⁺.
    pub model Boomerang<T: Target> {
        param target: T;
        /// N(μ, Γ⁻¹), with ∇φ = 0 at μ.
        param reference: Normal;
        /// The most that the matrix of the second derivatives of φ differs from Γ, in the spectral norm.
        param difference: f64 in 0.0..;
        /// How often the velocity is refreshed.
        param refreshment: f64 in 0.0..;
        /// How much of itself it keeps then.
        param rho: f64 = 0.0 in -1.0..=1.0;

        index coordinate = 0..target.dimension();

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64 = 0.0;
        tally bounces: u64 = 0;
        flow (x[i], v[i])[i in coordinate] = rotated(x[i], v[i], reference.mean()[i], dt);
        init { reference.refresh(&mut v, 0.0, rng); }

        let excess = minus(target.gradient(&x), &reference.gradient(&x));
        let centred = reference.centred(&x);
        clock bounce: hazard(
            |_| dot(&v, &excess).max(0.0),
            bound = 0.5 * difference * (dot(&centred, &centred) + dot(&v, &v)),
        ) => {
            let gradient = excess;
            reference.bounce(&mut v, gradient);
            bounces += 1;
        }
        clock refresh: rate(refreshment) => { reference.refresh(&mut v, rho, rng); }
    }
}

/// Place and velocity after a time `dt` on the circle around `centre`.
pub(super) fn rotated(x: f64, v: f64, centre: f64, dt: f64) -> (f64, f64) {
    let (sin, cos) = dt.sin_cos();
    (centre + (x - centre) * cos + v * sin, v * cos - (x - centre) * sin)
}

fn minus(a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.into_iter().zip(b).map(|(a, b)| a - b).collect()
}
