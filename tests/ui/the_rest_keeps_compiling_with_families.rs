// One mistake, and uses of all that the models generate.

mod resolved {
    clockrace::simulation! {
        pub model M<const N: usize> {
            param n: usize = 3;
            index site = 0..n;
            index generic = 0..N;
            index few = 0..4;
            relation near(k in site) -> site = [(k + 1) % n];
            state relation link(k in site) -> (site, f64) = [(k, 1.0)], inverse linked;
            state a[k in site]: u64;
            state b[k in generic]: u64;
            state s[i in few][k in site]: f64;
            state c[k in few]: u64 = 0;
            state w[(i, j) in near]: u64 = 0;
            state x[(i, j) in link]: u64 = 0;
            tally t[i in few][k in site]: u64 = 0;
            clock tick[k in site]: rate(1.0) => { a[nothing] += 1; k = 3; }
            clock product[i in few][k in site]: rate(1.0) => { s[i][k] += 1.0; }
            clock pair[(i, j) in near]: rate(1.0) => { w[(i, j)] += 1; }
            reaction r[k in few]: c[k] -> @ 1.0;
            observe o[k in site] = a[k];
            observe typed[k in site]: String = format!("{k}");
        }
    }
}

mod unparsed {
    clockrace::simulation! {
        pub model M {
            index site = 0..3;
            state a[k in site]: u64 = 1;
            state b[k in site]: u64 = +;
            clock tick[k in site]: rate(1.0) => { a[k] += 1; }
        }
    }
}

fn uses() -> Result<(), clockrace::SimError> {
    use clockrace::Model;
    let mut sim = resolved::M::<2> { n: 3, a: vec![1, 2, 3], b: [1, 2], s: vec![0.0; 12] }.start(1)?;
    let state: &resolved::MState<2> = sim.state();
    let _: (&[u64], [u64; 2], f64, [u64; 4]) = (&state.a, state.b, state.s[[1, 2]], state.c);
    let _: (&[u64], &Vec<u64>, Option<f64>) = (&state.w, &state.x, state.link.value(1, 2));
    let _: u64 = sim.tallies().t[[0, 1]];
    let observed = sim.observe()?;
    let _: (Vec<f64>, Vec<String>) = (observed.o, observed.typed);
    sim.run_each(1.0, |_, event| match event {
        resolved::MEvent::Tick(k) | resolved::MEvent::R(k) => drop::<usize>(k),
        resolved::MEvent::Product(i, k) | resolved::MEvent::Pair(i, k) => drop::<(usize, usize)>((i, k)),
    })?;
    let _: Vec<usize> = resolved::M::<2>::event_index(resolved::MEvent::Tick(1));
    let _: [u64; 3] = unparsed::M::default().start(1)?.state().a;
    Ok(())
}

fn main() {
    drop(uses());
    let _: u8 = "the only error outside";
}
