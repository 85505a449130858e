clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        tally count: u64 = 0;
        let c = count;
        clock a if count > 1: rate(count as f64) => { if count > 3 { x += 1; } count += 1; }
        stop s if count > 3;
        invariant i: count < 3;
        observe fine = count;
    }
}

fn main() {}
