clockrace::simulation! {
    pub model M {
        param n: usize = 3;
        index site = 0..n;
        index row = 0..n;
        relation near(k in site) -> row = [k], inverse back;
        relation both(k in site, i in row) -> site = [k];
        state relation link(k in site) -> row = [k];
        state u[k in site]: u64 = 0;
        state s[i in row][k in site]: u64 = 0;
        state w[(k, i) in near]: u64 = 0;
        let next[k in site] = u[(k + 1) % n];
        action put(k in site, i in row, by: u64) { s[k][i] += by; }
        clock reads[i in row]: rate((u[i] + u[i + 1] + u[(i + 1) % n] + next[i]) as f64) => {}
        clock products[i in row][k in site]: rate((s[k][i] + s[i][i]) as f64) => {}
        clock pairs[(k, i) in near]: rate((w[(i, k)] + u[i] + s[i][k]) as f64) => {}
        clock rows[i in row]: rate(near(i).count() as f64 + both(i, i).count() as f64) => {}
        clock members[k in site]: rate(near(k).map(|j| u[j]).sum::<u64>() as f64) => {
            for i in back(k) { s[i][k] += 1; }
            for i in row { u[i] += 1; }
            let j = (k + 1) % row.len();
            s[j][k] += 1;
        }
        clock acts[i in row]: rate(1.0) => {
            put(i, i, 1);
            link.insert(i, i);
            let j = i;
            if link.contains(j, 0) && both.degree(j, j) > 0 { link.remove(0, j); }
            u[i as usize] += 1;
        }
    }
}

fn main() {}
