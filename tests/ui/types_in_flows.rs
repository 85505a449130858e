use clockrace::simulation;

struct NoClone;

simulation! {
    #[derive(Debug)]
    model Shown {
        state x: f64 = 0.0;
        state held: NoClone = NoClone;
        flow x = x + dt;
    }
}

impl std::fmt::Debug for NoClone {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("held")
    }
}

simulation! {
    model Whole {
        index point = 0..3;
        state x[k in point]: f64 = 0.0;
        state v[k in point]: f64 = 0.0;
        state y: f32 = 0.0;
        state z: u64 = 0;
        flow x[k in point] = x[k] + v[k] * dt;
        flow y = y + dt;
        flow z = z + dt;
        action bounce() { both(&mut v, &x); }
    }
}

fn both(v: &mut [f64], x: &[f64]) {
    v[0] = x[0];
}

fn main() {}
