//! Slips of the kind that people make.
clockrace::simulation! {
    pub model M {
        param k: f64 = 1.0;
        state a: u64 = 0;
        reaction r1: 2*a -> a @ k;
        reaction r2: a -> @ k => { a += 1; }
        clock c when a > 0: rate(k) => { a += 1; }
        clock d: rate k * 2.0 => { a += 1; }
        action f() -> u64 { 3 }
    }
}

fn main() {}
