//! Integers where numbers are meant.
clockrace::simulation! {
    pub model N {
        param k: f64 = 1.0 in 0..;
        state a: u64 = 0;
        clock c: rate(a * a) => { a += 1; }
        invariant i: a + a + a;
    }
}

fn main() {}
