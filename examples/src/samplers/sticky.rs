use std::f64::consts::TAU;

use clockrace::rand_distr::StandardNormal;
use clockrace::simulation;

use super::boomerang::rotated;
use super::{Referenced, Target};

simulation! {
    /// The sticky Zig-Zag process: a coordinate that reaches 0 stays there for an exponential time with rate κᵢ|vᵢ|, and then
    /// goes on with the velocity it had.
    pub model StickyZigZag<T: Target> {
        param target: T;
        /// κᵢ = w/(1 − w) · π(0), where w is the prior probability of being included and π the density of the slab.
        param kappa: Vec<f64>;

        index coordinate = 0..target.dimension();
        relation near(i in coordinate) -> coordinate = target.neighbours(i);

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64;
        state stuck[i in coordinate]: bool = false;
        let u[i in coordinate] = if stuck[i] { 0.0 } else { v[i] };
        flow x[i in coordinate] = x[i] + u[i] * dt;

        let slope[i in coordinate] = u[i] * target.partial(i, near(i).map(|j| x[j]));
        let curve[i in coordinate] = target.curvature(i, u[i], near(i).map(|j| u[j]));
        clock turn[i in coordinate] if !stuck[i]:
            hazard(|_| slope[i].max(0.0), bound = affine(slope[i], curve[i])) => { v[i] = -v[i]; }
        clock stick[i in coordinate] if !stuck[i]: at(now + time_to_zero(x[i], v[i])) => {
            x[i] = 0.0;
            stuck[i] = true;
        }
        clock thaw[i in coordinate] if stuck[i]: rate(kappa[i] * v[i].abs()) => { stuck[i] = false; }
    }
}

simulation! {
    /// The sticky Zig-Zag process of a normal law with many coordinates, φ = ½ xᵀΓx − hᵀx, which share one clock that
    /// thaws them.
    pub model StickyField {
        /// h.
        param linear: Vec<f64>;
        /// Γ: of each row what is not zero, and where it stands.
        param precision: Vec<Vec<(usize, f64)>>;
        /// The same for all coordinates.
        param kappa: f64 in 0.0..;

        index coordinate = 0..linear.len();
        relation row(i in coordinate) -> (coordinate, f64) = precision[i].iter().copied();

        state x[i in coordinate]: f64;
        /// 1 or −1.
        state v[i in coordinate]: f64 = if rng.random() { 1.0 } else { -1.0 };
        state stuck[i in coordinate]: bool = false;
        state frozen: Vec<usize> = Vec::new();
        tally events: u64 = 0;
        let u[i in coordinate] = if stuck[i] { 0.0 } else { v[i] };
        flow x[i in coordinate] = x[i] + u[i] * dt;

        clock turn[i in coordinate] if !stuck[i]: hazard(affine(
            v[i] * (row(i).map(|(j, g)| g * x[j]).sum::<f64>() - linear[i]),
            v[i] * row(i).map(|(j, g)| g * u[j]).sum::<f64>(),
        )) => {
            v[i] = -v[i];
            events += 1;
        }
        clock stick[i in coordinate] if !stuck[i]: at(now + time_to_zero(x[i], v[i])) => {
            x[i] = 0.0;
            stuck[i] = true;
            frozen.push(i);
            events += 1;
        }
        clock thaw if !frozen.is_empty(): rate(kappa * frozen.len() as f64) => {
            let i = frozen.swap_remove(rng.random_range(0..frozen.len()));
            stuck[i] = false;
            events += 1;
        }
    }
}

simulation! {
    /// The sticky factorised Boomerang.
    pub model StickyFactorisedBoomerang<T: Referenced> {
        param target: T;
        /// See [`StickyZigZag`].
        param kappa: Vec<f64>;
        /// How often a velocity is refreshed, in all coordinates together.
        param refreshment: f64 in 0.0..;

        index coordinate = 0..target.dimension();
        relation near(i in coordinate) -> coordinate = target.neighbours(i);

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64 = rng.sample::<f64, _>(StandardNormal) / target.precision(i).sqrt();
        state stuck[i in coordinate]: bool = false;
        flow (x[i], v[i])[i in coordinate] =
            if stuck[i] { (x[i], v[i]) } else { rotated(x[i], v[i], target.centre(i), dt) };

        let excess[i in coordinate] =
            target.partial(i, near(i).map(|j| x[j])) - target.precision(i) * (x[i] - target.centre(i));
        let radius[i in coordinate] = (x[i] - target.centre(i)).hypot(v[i]);
        clock turn[i in coordinate] if !stuck[i]: hazard(
            |_| (v[i] * excess[i]).max(0.0),
            bound = radius[i] * target.excess(i, near(i).map(|j| radius[j])),
        ) => { v[i] = -v[i]; }
        clock stick[i in coordinate] if !stuck[i]: at(now + turn_to_zero(x[i], v[i], target.centre(i))) => {
            x[i] = 0.0;
            stuck[i] = true;
        }
        clock thaw[i in coordinate] if stuck[i]: hazard(affine(kappa[i] * v[i].abs(), 0.0)) => { stuck[i] = false; }
        clock refresh: rate(refreshment) => {
            let i = rng.random_range(0..target.dimension());
            v[i] = rng.sample::<f64, _>(StandardNormal) / target.precision(i).sqrt();
        }
    }
}

/// When a coordinate on a straight line reaches 0, from now on.
pub(super) fn time_to_zero(x: f64, v: f64) -> f64 {
    if x * v < 0.0 { -x / v } else { f64::INFINITY }
}

/// When a coordinate on a circle around `centre` reaches 0, from now on: where it is at 0 now, the next time.
pub(super) fn turn_to_zero(x: f64, v: f64, centre: f64) -> f64 {
    let radius = (x - centre).hypot(v);
    if radius <= centre.abs() {
        return f64::INFINITY;
    }
    // x = μ + R cos(t − θ) is 0 at t = θ ± α.
    let alpha = (-centre / radius).acos();
    if x == 0.0 {
        return if v > 0.0 { 2.0 * alpha } else { TAU - 2.0 * alpha };
    }
    let theta = v.atan2(x - centre);
    (theta - alpha).rem_euclid(TAU).min((theta + alpha).rem_euclid(TAU))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circles_reach_zero_when_they_should() {
        for (x, v, centre) in [(0.5, -1.0, 0.2), (0.5, 1.0, 0.2), (-2.0, 0.3, 1.0), (0.0, 0.7, -0.4), (0.0, -0.7, -0.4)]
        {
            let time = turn_to_zero(x, v, centre);
            assert!(time > 0.0 && rotated(x, v, centre, time).0.abs() < 1e-14, "{x} {v} {centre}: {time}");
            // No sign change before.
            let sign = rotated(x, v, centre, 1e-3 * time).0.signum();
            assert!((1..999).all(|k| rotated(x, v, centre, 1e-3 * f64::from(k) * time).0.signum() == sign));
        }
        assert_eq!(turn_to_zero(1.0, 0.5, 2.0), f64::INFINITY);
    }
}
