use clockrace::simulation;

use super::{Subsampled, Target, norm};

simulation! {
    /// The Zig-Zag process: each coordinate moves at a constant speed and turns round with the hazard
    /// (vᵢ ∂φ/∂xᵢ)⁺. What a turn makes known anew are the hazards of the neighbours.
    pub model ZigZag<T: Target> {
        param target: T;

        index coordinate = 0..target.dimension();
        relation near(i in coordinate) -> coordinate = target.neighbours(i);

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64;
        tally turns: u64 = 0;
        flow x[i in coordinate] = x[i] + v[i] * dt;

        let slope[i in coordinate] = v[i] * target.partial(i, near(i).map(|j| x[j]));
        let curve[i in coordinate] = target.curvature(i, v[i], near(i).map(|j| v[j]));
        clock turn[i in coordinate]: hazard(|_| slope[i].max(0.0), bound = affine(slope[i], curve[i])) => {
            v[i] = -v[i];
            turns += 1;
        }
    }
}

simulation! {
    /// The Zig-Zag process of a normal law, whose hazards need no bound: they are vᵢ Γᵢ·(x − μ), and grow with vᵢ Γᵢ·v.
    pub model GaussianZigZag {
        /// μ.
        param mean: Vec<f64>;
        /// Γ: of each row what is not zero, and where it stands.
        param precision: Vec<Vec<(usize, f64)>>;

        index coordinate = 0..mean.len();
        relation row(i in coordinate) -> (coordinate, f64) = precision[i].iter().copied();

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64;
        tally turns: u64 = 0;
        flow x[i in coordinate] = x[i] + v[i] * dt;

        clock turn[i in coordinate]: hazard(affine(
            v[i] * row(i).map(|(j, g)| g * (x[j] - mean[j])).sum::<f64>(),
            v[i] * row(i).map(|(j, g)| g * v[j]).sum::<f64>(),
        )) => {
            v[i] = -v[i];
            turns += 1;
        }
    }
}

simulation! {
    /// The Zig-Zag process with subsampling: a proposal looks at one term of the gradient only, and the law is sampled
    /// exactly all the same (Bierkens, Fearnhead and Roberts, 2019, section 4).
    pub model SubsampledZigZag<T: Subsampled> {
        param target: T;

        index coordinate = 0..target.dimension();

        state x[i in coordinate]: f64;
        state v[i in coordinate]: f64;
        tally turns: u64 = 0;
        flow x[i in coordinate] = x[i] + v[i] * dt;

        let reach[i in coordinate] = v[i].abs() * target.spread(i);
        clock turn[i in coordinate]: hazard(
            |_, rng| (v[i] * target.estimate(i, &x, rng)).max(0.0),
            bound = affine(
                reach[i] * target.distance(&x),
                reach[i] * norm(&v),
                (v[i] * target.at_centre(i)).max(0.0),
            ),
        ) => {
            v[i] = -v[i];
            turns += 1;
        }
    }
}
