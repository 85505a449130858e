clockrace::simulation! {
    pub model M {
        index site = 0..3;
        param p[k in site]: f64 = 1.0;
        state u[k in site]: u64 = 0;
        stop s[k in site] if u[k] > 3;
        invariant i[k in site]: u[k] < 9;
        action a[k in site](by: u64) { u[k] += by; }
        init[k in site] { u[k] = 1; }
        state v[k]: u64 = 0;
        state w[3]: u64 = 0;
        state x[]: u64 = 0;
        clock c[k: site]: rate(1.0) => {}
        clock d(k in site): rate(1.0) => {}
        state y: [u64; site] = [0; 3];
        clock e[k in 0..3]: rate(1.0) => {}
        clock f[i in site, k in site]: rate(1.0) => {}
        observe o[k in 3]: f64 = 1.0;
    }
}

fn main() {}
