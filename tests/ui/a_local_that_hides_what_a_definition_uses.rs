const SCALE: u64 = 2;

clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        let scaled = x * SCALE;
        clock a: rate(1.0) => { let SCALE: u64 = 100; x = scaled; }
    }
}

fn main() {}
