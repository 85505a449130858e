clockrace::simulation! {
    pub model M {
        index site = 0..3;
        relation near(k in site) -> site = [k], inverse back;
        state relation link(k in site) -> site = [k], inverse linked;
        state u[(i, j) in link]: u64;
        tally t[(i, j) in link]: u64 = 0;
        state w[(i, j) in link]: u64 = 0;
        state x: u64 = 0;
        clock fixed[k in site]: rate(1.0) => { near.insert(k, 0); near.remove(k, 0); back.insert(k, 0); }
        clock pure[k in site] if link.insert(k, 0): rate(if link.remove(k, 1) { 1.0 } else { 0.0 }) => { x += 1; }
        clock values[k in site]: rate(back.len() as f64 + linked.contains(k, k) as u8 as f64) => {
            link = near;
            link.clear();
            link.retain(|_| true);
            let r = &mut link;
            drop(back);
            near(k).next() = 3;
        }
        clock whole: rate(w.iter().sum::<u64>() as f64) => { w.fill(0); w.push(3); }
        stop done if link.remove(0, 0);
        invariant kept: link.insert(0, 0);
        observe o = link.insert(0, 0);
        let d = link.insert(0, 0);
    }
}

fn main() {}
