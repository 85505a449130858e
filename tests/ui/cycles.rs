clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        let a = b + 1;
        let b = c * 2;
        let c = a;
        let own = own;
        clock t: rate(a as f64) => { x += 1; }
    }
}

clockrace::simulation! {
    pub model N {
        state x: u64 = 0;
        action ping() { pong(); }
        action pong() { if x > 0 { ping(); } }
        clock t: rate(1.0) => ping();
    }
}

fn main() {}
