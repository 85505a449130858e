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

clockrace::simulation! {
    pub model N {
        param k: f64 = 1.0 in 0..;
        state a: u64 = 0;
        state list: Vec<u64> = Vec::new();
        clock c: rate(a * a) => { a += 1; list.push(1); }
        observe o = { list.push(1); list.len() };
        invariant i: a + a + a;
    }
}

fn main() {}
