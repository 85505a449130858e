use clockrace::simulation;

use super::boomerang::rotated;
use super::sticky::{time_to_zero, turn_to_zero};
use super::{Normal, Referenced, Target, dot};

simulation! {
    /// The sticky Bouncy Particle, with independent standard normal velocities. Those coordinates bounce that move.
    pub model StickyBouncyParticle<T: Target> {
        param target: T;
        /// See [`StickyZigZag`](super::StickyZigZag).
        param kappa: Vec<f64>;
        /// How often the velocity is refreshed.
        param refreshment: f64 in 0.0..;

        index coordinate = 0..target.dimension();

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64 = 0.0;
        state stuck[i in coordinate]: bool = false;
        let velocities: Normal = Normal::standard(target.dimension());
        init { velocities.refresh(&mut v, 0.0, rng); }
        flow x[i in coordinate] = if stuck[i] { x[i] } else { x[i] + v[i] * dt };

        let moving = without(&v, &stuck);
        let slope = dot(&moving, &target.gradient(&x));
        clock bounce: hazard(|_| slope.max(0.0), bound = affine(slope, target.total_curvature(&moving))) => {
            let gradient = without(&target.gradient(&x), &stuck);
            velocities.bounce(&mut v, gradient);
        }
        clock refresh: rate(refreshment) => { velocities.refresh(&mut v, 0.0, rng); }
        clock stick[i in coordinate] if !stuck[i]: at(now + time_to_zero(x[i], v[i])) => {
            x[i] = 0.0;
            stuck[i] = true;
        }
        clock thaw[i in coordinate] if stuck[i]: rate(kappa[i] * v[i].abs()) => { stuck[i] = false; }
    }
}

simulation! {
    /// The sticky Boomerang, with a reference of independent variables.
    pub model StickyBoomerang<T: Referenced> {
        param target: T;
        /// See [`StickyZigZag`](super::StickyZigZag).
        param kappa: Vec<f64>;
        /// How often the velocity is refreshed.
        param refreshment: f64 in 0.0..;

        index coordinate = 0..target.dimension();

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64 = 0.0;
        state stuck[i in coordinate]: bool = false;
        let reference: Normal = target.reference();
        init { reference.refresh(&mut v, 0.0, rng); }
        flow (x[i], v[i])[i in coordinate] =
            if stuck[i] { (x[i], v[i]) } else { rotated(x[i], v[i], target.centre(i), dt) };

        let excess = without(&target.gradient_excess(&x), &stuck);
        clock bounce: hazard(|_| dot(&v, &excess).max(0.0), bound = target.total_excess(&x, &v)) => {
            let gradient = excess;
            reference.bounce(&mut v, gradient);
        }
        clock refresh: rate(refreshment) => { reference.refresh(&mut v, 0.0, rng); }
        clock stick[i in coordinate] if !stuck[i]: at(now + turn_to_zero(x[i], v[i], target.centre(i))) => {
            x[i] = 0.0;
            stuck[i] = true;
        }
        clock thaw[i in coordinate] if stuck[i]: hazard(affine(kappa[i] * v[i].abs(), 0.0)) => { stuck[i] = false; }
    }
}

/// The parts of `u` that belong to coordinates that are not stuck, and 0 elsewhere.
fn without(u: &[f64], stuck: &[bool]) -> Vec<f64> {
    u.iter().zip(stuck).map(|(&u, &stuck)| if stuck { 0.0 } else { u }).collect()
}
