clockrace::simulation! {
    pub model M {
        param limit: u64 = 3;
        state x: u64 = 0;
        state y: u64 = 0;
        clock a if 1 > 2: rate(1.0) => { x += 1; }
        stop s if limit > 3;
        stop t if y > limit;
        stop u if false;
    }
}

fn main() {}
