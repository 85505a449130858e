const SCALE: u64 = 2;

fn base() -> u64 {
    1
}

clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        let scaled = x * SCALE;
        let listed = vec![x, base()];
        clock a: rate(1.0) => { let SCALE: u64 = 100; x = scaled; }
        clock b: rate(1.0) => { const SCALE: u64 = 100; x = scaled; }
        clock c: rate(1.0) => { fn base() -> u64 { 3 } x = listed[0]; }
        clock d: rate(1.0) => { let base = || 3; x = listed[0] + base(); }
    }
}

fn main() {}
