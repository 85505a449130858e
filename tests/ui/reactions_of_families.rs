clockrace::simulation! {
    pub model Terms {
        index site = 0..3;
        relation near(k in site) -> site = [k];
        state u[k in site]: u64 = 0;
        state s[i in site][k in site]: u64 = 0;
        reaction set[k in site]: site -> near(k) @ 1.0;
        reaction comma[i in site][k in site]: s[i, k] -> @ 1.0;
        reaction body[k in site]: u[k] -> @ 1.0 => { u[k] += 1; }
    }
}

clockrace::simulation! {
    pub model Species {
        index site = 0..3;
        index row = 0..3;
        relation near(k in site) -> site = [k];
        state u[k in site]: u64 = 0;
        state f[k in site]: f64 = 0.0;
        state s[i in site][k in site]: u64 = 0;
        state w[(i, j) in near]: u64 = 0;
        let l[k in site] = u[k];
        reaction no_index: u -> @ 1.0;
        reaction added[k in site]: u[k] -> u @ 1.0;
        reaction float[k in site]: f[k] -> u[k] @ 1.0;
        reaction too_few[k in site]: s[k] -> @ 1.0;
        reaction too_many[k in site]: u[k][k] -> @ 1.0;
        reaction pair[k in site]: w[k] -> w[k][k] @ 1.0;
        reaction set[k in site]: site -> near @ 1.0;
        reaction definition[k in site]: l[k] -> @ 1.0;
        reaction other[k in row]: u[k] -> u[k + 1] @ 1.0;
    }
}

fn main() {}
