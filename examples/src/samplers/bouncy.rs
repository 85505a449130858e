use clockrace::simulation;

use super::{Normal, Target, dot};

simulation! {
    /// The Bouncy Particle: all coordinates move on a straight line until they bounce off the potential, with the
    /// hazard (v·∇φ)⁺, or the velocity is refreshed.
    pub model BouncyParticle<T: Target> {
        param target: T;
        /// The law of the velocities, whose precision is the matrix of masses.
        param velocities: Normal;
        /// How often the velocity is refreshed. Without it, parts of space may never be reached.
        param refreshment: f64 in 0.0..;
        /// How much of itself it keeps then.
        param rho: f64 = 0.0 in -1.0..=1.0;

        index coordinate = 0..target.dimension();

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64 = 0.0;
        tally bounces: u64 = 0;
        flow x[i in coordinate] = x[i] + v[i] * dt;
        init { velocities.refresh(&mut v, 0.0, rng); }

        let slope = dot(&v, &target.gradient(&x));
        clock bounce: hazard(|_| slope.max(0.0), bound = affine(slope, target.total_curvature(&v))) => {
            let gradient = target.gradient(&x);
            velocities.bounce(&mut v, gradient);
            bounces += 1;
        }
        clock refresh: rate(refreshment) => { velocities.refresh(&mut v, rho, rng); }
    }
}
