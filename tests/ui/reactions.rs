clockrace::simulation! {
    pub model M {
        param k: f64 = 1.0;
        state a: u64 = 0;
        state f: f64 = 0.0;
        state list: Vec<u64> = Vec::new();
        reaction r1: a -> f @ k;
        reaction r2: a + list -> @ k;
        reaction r3: b -> a @ k;
        reaction r4: k -> a @ k;
        clock c: rate(1.0) => { f += 1.0; list.push(1); }
    }
}

clockrace::simulation! {
    pub model N {
        state a: u64 = 0;
        reaction r1: a -> 2 a;
        reaction r2: a => a @ 1.0;
        reaction r3: a -> a @ at(1.0);
        reaction r4: a - b -> a @ 1.0;
    }
}

fn main() {}
