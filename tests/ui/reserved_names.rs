clockrace::simulation! {
    pub model M {
        state now: u64 = 0;
        param rng: f64 = 0.0;
        state never: u64 = 0;
        let dt = 1.0;
        state me: u64 = 0;
        state __cr_x: u64 = 0;
    }
}

fn main() {}
