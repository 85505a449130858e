clockrace::simulation! {
    pub model Sets {
        param n: usize = 3;
        index a = 1..n;
        index b = 0..=n;
        index c = n;
        index d = 0..;
        index e: usize = 0..n;
        index f[k in a] = 0..n;
        index g = ..n;
        index h;
    }
}

clockrace::simulation! {
    pub model Relations {
        index site = 0..3;
        relation a -> site = [0];
        relation b() -> site = [0];
        relation c(k in site) = [k];
        relation d(k in site) -> site;
        relation e(k in site) -> site = [k], back f;
        relation g(k) -> site = [k];
        relation h(k in site) -> (site, f64);
        state relation i(k in site) -> [site] = [k];
        relation j[k in site] -> site = [k];
    }
}

clockrace::simulation! {
    pub model Values {
        param n: usize = 3;
        state m: usize = 3;
        index by_state = 0..m;
        index by_draw = 0..rng.random_range(1..3);
        index by_time = 0..now as usize;
        index site = 0..n;
        relation by_member(k in site) -> site = [m];
        relation by_link(k in site) -> site = link(k);
        relation drawn(k in site) -> site = [rng.random_range(site)];
        state early: usize = link.len();
        state also[k in site]: usize = link(k).count() + m;
        state relation link(k in site) -> site = [(k + m + late) % n];
        state late: usize = 1;
        param p: usize = m;
        clock c: rate(1.0) => { m += 1; late += 1; early += 1; also[0] += 1; link.insert(0, 1); }
    }
}

fn main() {}
