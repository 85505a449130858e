clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        let level = { if x == 0 { return 7.0; } x as f64 };
        clock a: rate(level) => { x += 1; }
    }
}

fn main() {}
