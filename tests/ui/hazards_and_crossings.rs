use clockrace::simulation;

simulation! {
    model Hazards {
        state n: u64 = 0;
        clock constant: hazard(2.0) => { n += 1; }
        clock one: hazard(affine()) => { n += 1; }
        clock bounded: hazard(affine(1.0, 2.0), bound = 3.0) => { n += 1; }
        clock free: hazard(|s| s) => { n += 1; }
        clock two: hazard(|s, t| s, bound = 1.0) => { n += 1; }
        clock none: hazard(|| 1.0, bound = 1.0) => { n += 1; }
        clock option: hazard(|s| s, bound = 1.0, limit = 2.0) => { n += 1; }
        clock twice: hazard(|s| s, bound = 1.0, bound = 2.0) => { n += 1; }
        clock level: crosses(1.0 * now, 0.5, up) => { n += 1; }
        clock direction: crosses(1.0 * now) => { n += 1; }
        clock both: crosses(now, sideways) => { n += 1; }
    }
}

simulation! {
    model Resolved {
        state n: u64 = 0;
        state x: f64 = 0.0;
        flow x = x + dt;
        clock writes: hazard(|s| { n += 1; s }, bound = 1.0) => { n += 1; }
        clock draws: hazard(|s| rng.random_range(0.0..s), bound = 1.0) => { n += 1; }
        clock named: hazard(|n| n, bound = 1.0) => { n += 1; }
        clock still: crosses(n as f64 - 2.0, up) => { n += 1; }
        clock cubic: crosses(x * x * x - 1.0, up) => { n += 1; }
        clock sine: crosses(x.sin(), up) => { n += 1; }
    }
}

simulation! {
    model Types {
        state n: u64 = 0;
        state x: f64 = 0.0;
        flow x = x + dt;
        clock integer: hazard(|_| n, bound = 1.0) => { n += 1; }
        clock part: hazard(affine(n, 1.0)) => { n += 1; }
        clock pair: hazard(affine(1.0)) => { n += 1; }
        clock truth: crosses(x > 1.0, up, step = 1.0) => { n += 1; }
    }
}

fn main() {}
