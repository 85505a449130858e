//! The models as `simulation!` blocks.

use std::hint::black_box;

use clockrace::simulation;
use clockrace_bench::{Run, mean_square};

use crate::by_hand::neighbours;

simulation! {
    /// A Zig-Zag process on an image whose pixels are pulled to their neighbours and to zero.
    pub model Grid {
        param n: usize;
        param tether: f64 = crate::TETHER;
        index pixel = 0..n * n;
        relation near(k in pixel) -> pixel = neighbours(k, n);
        state x[k in pixel]: f64 = 0.0;
        state v[k in pixel]: f64 = if rng.random() { 1.0 } else { -1.0 };
        flow x[k in pixel] = x[k] + v[k] * dt;
        let weight[k in pixel] = tether + near.degree(k) as f64;
        /// The derivative of the potential, and its own.
        let pull[k in pixel] = near(k).fold((weight[k] * x[k], weight[k] * v[k]), |(a, b), j| (a - x[j], b - v[j]));
        clock flip[k in pixel]: hazard(affine({ let (a, b) = pull[k]; (v[k] * a, v[k] * b) })) => { v[k] = -v[k]; }
    }
}

simulation! {
    /// Particles that fly between two walls.
    pub model Walls {
        param n: usize;
        index particle = 0..n;
        state x[k in particle]: f64 = rng.random();
        state v[k in particle]: f64 = rng.random_range(-1.0..1.0);
        flow x[k in particle] = x[k] + v[k] * dt;
        clock hit[k in particle]: at(now + (if v[k] > 0.0 { 1.0 - x[k] } else { x[k] }) / v[k].abs()) => { v[k] = -v[k]; }
    }
}

simulation! {
    /// The same by crossings of the two walls.
    pub model Crossings {
        param n: usize;
        index particle = 0..n;
        state x[k in particle]: f64 = rng.random();
        state v[k in particle]: f64 = rng.random_range(-1.0..1.0);
        flow x[k in particle] = x[k] + v[k] * dt;
        clock left[k in particle]: crosses(x[k], down) => { v[k] = -v[k]; }
        clock right[k in particle]: crosses(x[k] - 1.0, up) => { v[k] = -v[k]; }
    }
}

macro_rules! runs {
    ($($model:ident = $value:expr;)*) => { $(
        impl $model {
            pub fn counted(n: usize, end: f64, seed: u64) -> Run {
                let value: fn(usize) -> $model = $value;
                let mut simulation = black_box(value(n)).start(seed).expect("the model is sound");
                let mut events = 0;
                simulation.run_each(end, |_, _| events += 1).expect("the model is sound");
                Run::counted(events, mean_square(simulation.state().x.iter().copied()))
            }
        }
    )* };
}

runs! {
    Grid = |n| Grid { n, tether: crate::TETHER };
    Walls = |n| Walls { n };
    Crossings = |n| Crossings { n };
}
