clockrace::simulation! {
    pub model M {
        param f: f64 = 1.0;
        index site = 0..3;
        index floats = 0..3.0;
        index text = 0..f;
        relation near(k in site) -> (site, f64) = [(k, 1.0)];
        state u[k in site]: f64 = 0.0;
        state small: u8 = 0;
        state signed: i64 = 0;
        action put(k in site, by: f64) { u[k] += by; }
        clock literal: rate(u[1.0] + u["a"]) => {}
        clock place: rate(u[f] + u[small] + u[signed + 1]) => {
            u[small] = 1.0;
            u[signed - 1] += 1.0;
            put(small, 1.0);
        }
        clock entries[k in site]: rate(near(k).map(|j| u[j]).sum::<f64>()) => {
            for j in near(k) { u[j] = 1.0; }
        }
    }
}

fn main() {}
