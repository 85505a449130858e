clockrace::simulation! {
    pub model M {
        param a: f64 = b;
        param b: f64 = 1.0;
        state x: u64 = y;
        state y: u64 = 1;
        tally t: u64 = x;
    }
}

fn main() {}
