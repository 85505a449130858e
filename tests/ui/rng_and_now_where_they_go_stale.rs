clockrace::simulation! {
    pub model M {
        state x: u64 = 0;
        let age = now - 1.0;
        let draw: f64 = rng.random();
        clock a if now > 3.0: rate(now) => { x += 1; }
        clock b: rate(rng.random()) => { x += 1; }
        clock c: rate(age) => { x += 1; }
        clock d: at(rng.random()) => { x += 1; }
        clock e: every(now) => { x += 1; }
        stop s if now > 10.0 && x > 1;
        observe o = rng.random::<f64>();
        clock f: rate(1.0) => { let y = dt; }
    }
}

fn main() {}
