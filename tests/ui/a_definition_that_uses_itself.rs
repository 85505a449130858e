clockrace::simulation! {
    pub model M {
        state x: u64 = 3;
        let n = n + 1.0;
        let a = b + 1.0;
        let b = a;
        clock c: rate(n) => { x += 1; }
        clock d: rate(a) => { let x = 3; }
        observe o = 2.0 * n;
    }
}

fn main() {}
