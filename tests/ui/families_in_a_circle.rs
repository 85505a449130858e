clockrace::simulation! {
    pub model M {
        index site = 0..3;
        state u[k in site]: f64 = 0.0;
        let a[k in site] = b[k] + u[k];
        let b[k in site] = c + 1.0;
        let c = a[0];
        let own[k in site] = own[(k + 1) % 3];
        let whole = own.len();
        action put(k in site) { pass((k + 1) % 3); }
        action pass(k in site) { put(k); }
        clock t[k in site]: rate(a[k]) => { u[k] += 1.0; own[k] = 3.0; b[k] += 1.0; }
    }
}

clockrace::simulation! {
    pub model Uses {
        index site = 0..3;
        state u[k in site]: f64 = 0.0;
        let a[k in site] = u[k];
        let b[k in site] = { let k = 3; u[k] };
        clock whole: rate(a.iter().sum::<f64>() + a) => {}
        clock write[k in site]: rate(1.0) => { a[k] = 1.0; a[k] += 1.0; u[k] = 0.0; }
    }
}

fn main() {}
