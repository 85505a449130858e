clockrace::simulation! {
    pub model M {
        index site = 0..3;
        index row = 0..2;
        relation near(k in site) -> site = [k], inverse back;
        relation both(k in site, i in row) -> (site, f64) = [(k, 1.0)];
        state relation link(k in site) -> (site, f64) = [(k, 1.0)];
        state u[k in site]: u64 = 0;
        state s[i in row][k in site]: u64 = 0;
        state w[(i, j) in near]: u64 = 0;
        state x[(k, i, j) in both]: u64 = 0;
        state y[(i, j, l) in near]: u64 = 0;
        let half[k in site] = u[k] / 2;
        let product[i in row][k in site] = s[i][k];
        action put(k in site, by: u64) { u[k] += by; }
        clock elements[k in site]: rate((s[0] + w[k] + w[k][k] + w[(k, k, k)] + w[(k,)] + x[(k, k)]) as f64) => {
            s[1] += 1;
            w[k] = 3;
        }
        clock definitions[k in site]: rate((half + product[k] + product[(0, k)]) as f64) => {}
        clock relations[k in site]: rate((near(k, k).count() + both(k).count() + back().count()) as f64) => {
            near.contains(k);
            both.degree(k);
            link.insert(k, k);
            link.remove(k, k, 1.0);
            link.remove(k);
        }
        clock bracket[k in site]: rate((near[k] + link[k] + back[k]) as f64) => {}
        clock calls[k in site]: rate(1.0) => { put(k); put(k, 1, 2); }
        clock twice[(i, j) in near][k in site]: rate(1.0) => {}
    }
}

fn main() {}
