clockrace::simulation! {
    pub model M {
        param k: f64 = 1.0;
        state x: u64 = 0;
        state name: String = 3;
        clock a: rate(k * x) => { x += 1; }
        clock b: rate(x) => { x = "no"; x + k; }
        clock c if x: rate(k) => { undefined(x); x.wobble(); }
        observe o = name.clone();
        stop s if x;
    }
}

fn main() {}
