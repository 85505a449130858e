clockrace::simulation! {
    pub model Scalars {
        param n: usize = 3;
        index site = 0..n;
        index few = 0..3;
        state u[k in site]: f64 = 0.0;
        state v[k in few]: u64 = "a";
        state w[k in few]: u64 = 1;
        tally t[k in few]: u64 = 0.5;
        clock too_deep: rate(u[0][1]) => {}
        clock integer[k in few]: rate(w[k]) => {}
        clock guard[k in few] if w[k]: rate(1.0) => {}
        clock body[k in few]: every(1.0) => { w[k] = 1.5; w[k].foo(); }
        clock unknown[k in few]: rate(nothing[k]) => {}
        observe o[k in few]: String = w[k];
    }
}

fn main() {}
