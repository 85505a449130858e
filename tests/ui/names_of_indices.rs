clockrace::simulation! {
    pub model M {
        param n: usize = 3;
        index site = 0..n;
        index row = 0..2;
        relation near(k in site) -> site = [k], inverse back;
        relation far(n in site) -> site = [n];
        state u[k in site]: u64 = 0;
        state u_of_site[site in row]: u64 = 0;
        state twice[i in row][i in site]: u64 = 0;
        let pair[(k, k) in near] = 1.0;
        action put(u in site, now in row) {}
        clock named[u in site]: rate(1.0) => {}
        clock reserved[rng in site]: rate(1.0) => {}
        clock written[k in site]: rate(1.0) => {
            k = 3;
            k += 1;
            let r = &mut k;
            std::mem::swap(&mut k, &mut 3);
            let (a, k) = (1, 2);
        }
        clock hidden[k in site]: rate(site.map(|row| row).sum::<usize>() as f64) => {
            let site = 3;
            for near in 0..3 {}
            if let Some(back) = Some(1) {}
            site = 0..4;
            near = 3;
            row.start = 1;
        }
    }
}

fn main() {}
