clockrace::simulation! {
    pub model M {
        index site = 0..3;
        index row = 0..2;
        relation near(k in site) -> site = [k], inverse back;
        relation far(k in sites) -> column = [k];
        state x: u64 = 0;
        state u[k in sites]: u64 = 0;
        state v[k in near]: u64 = 0;
        state s[i in row][k in x]: u64 = 0;
        state w[(i, j) in nears]: u64 = 0;
        tally t[(i, j) in site]: u64 = 0;
        let l[k in set] = k;
        action put(k in positions, by: u64) { x += by; }
        clock a[k in nothing]: rate(1.0) => { x += 1; }
        clock b[(i, j) in back]: rate(1.0) => { x += 1; }
        reaction c[k in Site]: x -> @ 1.0;
    }
}

clockrace::simulation! {
    pub model WithoutAny {
        relation near(k in site) -> site = [k];
        state u[k in site]: u64 = 0;
        state s[i in row][j in column]: u64 = 0;
        state w[(i, j) in contact]: u64 = 0;
        clock a[k in site]: rate(u[k + 1] as f64) => { u[k] += 1; s[k][0] += 1; put(k); }
        action put(k in site) { u[(k + 1) % 3] += 1; }
    }
}

fn main() {}
