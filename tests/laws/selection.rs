//! The direct method and the next-reaction method are one law: each against the exact one, and
//! both against each other.

use clockrace::Model;
use clockrace_tests::{Chain, assert_mean, chi_square, chi_square_two, kolmogorov, kolmogorov_two, replicates};

const REPLICATES: u64 = 20_000;

/// One model under both methods, `Direct` and `Next` in a module of its own.
macro_rules! both {
    ($module:ident { $($items:tt)* }) => {
        mod $module {
            use clockrace::simulation;
            simulation! {
                #[select(direct)]
                pub(crate) model Direct { $($items)* }
            }
            simulation! {
                #[select(next_reaction)]
                pub(crate) model Next { $($items)* }
            }
        }
    };
}

/// A number from each replicate at time `t`.
fn at<M: Model + Clone, T>(model: &M, seed: u64, t: f64, of: impl Fn(&M::State) -> T) -> Vec<T> {
    replicates(model, seed, REPLICATES)
        .map(|mut sim| {
            sim.run_until(t).unwrap();
            of(&sim.state())
        })
        .collect()
}

/// Time and clock of the first event of each replicate.
fn first<M: Model + Clone>(model: &M, seed: u64) -> (Vec<f64>, Vec<&'static str>) {
    replicates(model, seed, REPLICATES)
        .map(|mut sim| {
            let fired = sim.step().unwrap().unwrap();
            (fired.time, M::event_name(fired.event))
        })
        .unzip()
}

both! { race {
    state done: bool = false;
    clock one: rate(1.0) => { done = true; }
    clock nothing: rate(0.0) => { done = true; }
    clock two: rate(2.0) => { done = true; }
    clock half: rate(0.5) => { done = true; }
    clock off if done: rate(7.0) => { done = true; }
    clock four: rate(4.0) => { done = true; }
} }

#[test]
fn the_first_clock_is_drawn_by_its_share_and_rings_by_the_sum() {
    fn check<M: Model + Clone>(model: &M) {
        let law = [1.0, 2.0, 0.5, 4.0, 0.0, 0.0].map(|rate| rate / 7.5);
        let clocks = ["one", "two", "half", "four", "nothing", "off"];
        let (mut times, names) = first(model, 1);
        let draws: Vec<usize> =
            names.iter().map(|name| clocks.iter().position(|clock| clock == name).unwrap()).collect();
        chi_square(M::NAME, &draws, &law);
        // Who rings does not depend on when.
        let early: Vec<usize> = draws.iter().zip(&times).filter(|(_, t)| **t < 0.05).map(|(draw, _)| *draw).collect();
        chi_square(format!("{} among early ones", M::NAME), &early, &law);
        kolmogorov(M::NAME, &mut times, |t| 1.0 - (-7.5 * t).exp());
    }
    check(&race::Direct::default());
    check(&race::Next::default());
}

both! { switched {
    state level: f64 = 0.3;
    state rang: f64 = f64::INFINITY;
    clock down: at(1.0) => { level = 0.0; }
    clock up: at(2.0) => { level = 2.0; }
    clock same: at(2.1) => { level = 2.0; }
    clock lower: at(2.2) => { level = 1.0; }
    clock bang if rang == f64::INFINITY: rate(level) => { rang = now; }
} }

#[test]
fn a_hazard_that_changes_while_waiting_keeps_its_law() {
    fn hazard(t: f64) -> f64 {
        0.3 * t.clamp(0.0, 1.0) + 2.0 * (t - 2.0).clamp(0.0, 0.2) + (t - 2.2).max(0.0)
    }
    let mut direct = at(&switched::Direct::default(), 2, f64::INFINITY, |s| s.rang);
    let mut next = at(&switched::Next::default(), 2, f64::INFINITY, |s| s.rang);
    kolmogorov("direct", &mut direct, |t| 1.0 - (-hazard(t)).exp());
    kolmogorov("next reaction", &mut next, |t| 1.0 - (-hazard(t)).exp());
    kolmogorov_two("both", &mut direct, &mut next);
}

both! { epidemic {
    state s: u64 = 30;
    state i: u64 = 3;
    state r: u64 = 0;
    state ended: f64 = 0.0;
    clock infection: rate(1.5 * (s * i) as f64 / 33.0) => { s -= 1; i += 1; }
    clock recovery: rate(i as f64) => { i -= 1; r += 1; ended = now; }
    stop extinct if i == 0;
} }

/// The law of the number never infected, by the chances of the embedded chain.
fn never_infected() -> Vec<f64> {
    let mut law = vec![0.0; 31];
    // reached[s][i]: the chance that the epidemic is ever there.
    let mut reached = vec![vec![0.0; 35]; 31];
    reached[30][3] = 1.0;
    for s in (0..=30).rev() {
        for i in (1..34).rev() {
            let here = reached[s][i];
            let infection = 1.5 * s as f64 / 33.0;
            let chance = infection / (infection + 1.0);
            if s > 0 {
                reached[s - 1][i + 1] += here * chance;
            }
            reached[s][i - 1] += here * (1.0 - chance);
        }
        law[s] = reached[s][0];
    }
    law
}

#[test]
fn an_epidemic_ends_alike() {
    let mut direct = at(&epidemic::Direct::default(), 3, f64::INFINITY, |s| (s.s as usize, s.ended));
    let mut next = at(&epidemic::Next::default(), 4, f64::INFINITY, |s| (s.s as usize, s.ended));
    let split = |rows: &mut Vec<(usize, f64)>| -> (Vec<usize>, Vec<f64>) { rows.drain(..).unzip() };
    let ((direct, mut direct_end), (next, mut next_end)) = (split(&mut direct), split(&mut next));
    let law = never_infected();
    assert!((law.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    chi_square("direct", &direct, &law);
    chi_square("next reaction", &next, &law);
    chi_square_two("both", &direct, &next);
    kolmogorov_two("time of the end", &mut direct_end, &mut next_end);
}

both! { regulated {
    state gene: bool = true;
    state x: u64 = 0;
    clock make if gene: rate(12.0) => { x += 1; }
    reaction decay: x -> @ 1.0;
    clock off if gene: rate(0.05 * x as f64) => { gene = false; }
    clock on if !gene: rate(0.8) => { gene = true; }
} }

#[test]
fn a_gene_that_represses_itself_has_the_law_of_its_chain() {
    const MOST: usize = 60;
    let index = |gene: bool, x: usize| x + if gene { 0 } else { MOST };
    let chain = Chain::new(
        2 * MOST,
        (0..MOST).flat_map(|x| {
            let n = x as f64;
            let mut moves = vec![(index(true, x), index(false, x), 0.05 * n), (index(false, x), index(true, x), 0.8)];
            if x + 1 < MOST {
                moves.push((index(true, x), index(true, x + 1), 12.0));
            }
            if x > 0 {
                moves.extend([true, false].map(|gene| (index(gene, x), index(gene, x - 1), n)));
            }
            moves
        }),
    );
    for t in [0.3, 2.0, 10.0] {
        let law = chain.after(t, &chain.at(index(true, 0)));
        let direct = at(&regulated::Direct::default(), 5, t, |s| index(s.gene, s.x as usize));
        let next = at(&regulated::Next::default(), 6, t, |s| index(s.gene, s.x as usize));
        chi_square(format!("direct at {t}"), &direct, &law);
        chi_square(format!("next reaction at {t}"), &next, &law);
        chi_square_two(format!("both at {t}"), &direct, &next);
    }
}

both! { timed {
    state up: bool = true;
    state x: u64 = 0;
    state failures: u64 = 0;
    clock arrival if up: rate(3.0) => { x += 1; }
    clock fail if up: after(0.7) => { up = false; failures += 1; x /= 2; }
    clock repair if !up: after(0.3) => { up = true; }
    clock leave: rate(0.5 * x as f64) => { x -= 1; }
    clock flush: every(1.75) => { x = 0; }
} }

#[test]
fn timed_clocks_among_exponential_ones_change_nothing() {
    let t = 3.3;
    let direct = at(&timed::Direct::default(), 7, t, |s| s.x as usize);
    let next = at(&timed::Next::default(), 8, t, |s| s.x as usize);
    // Since the flush at 1.75: down until 2, up until 2.7, halved and down until 3, up again.
    const MOST: usize = 40;
    let deaths = || (1..MOST).map(|n| (n, n - 1, 0.5 * n as f64));
    let up = Chain::new(MOST, deaths().chain((0..MOST - 1).map(|n| (n, n + 1, 3.0))));
    let down = Chain::new(MOST, deaths());
    let law = up.after(0.7, &down.after(0.25, &up.at(0)));
    let mut halved = vec![0.0; MOST];
    for (n, p) in law.into_iter().enumerate() {
        halved[n / 2] += p;
    }
    let law = up.after(0.3, &down.after(0.3, &halved));
    chi_square("direct", &direct, &law);
    chi_square("next reaction", &next, &law);
    chi_square_two("both", &direct, &next);
}

/// A ring of sites: 40 walkers start at site `n20` and hop on at the rate of their site.
macro_rules! ring {
    ($module:ident: $($site:ident $hop:ident $next:ident $rate:literal,)*) => {
        both! { $module {
            $(state $site: u64 = 0;)*
            init { n20 = 40; }
            $(reaction $hop: $site -> $next @ $rate;)*
        } }
    };
}

// Few enough to be selected by branches, and too many for that.
#[rustfmt::skip]
ring! { ring_24:
        n00 r00 n01 1.0, n01 r01 n02 2.0, n02 r02 n03 1.0, n03 r03 n04 2.0,
        n04 r04 n05 1.0, n05 r05 n06 2.0, n06 r06 n07 1.0, n07 r07 n08 2.0,
        n08 r08 n09 1.0, n09 r09 n10 2.0, n10 r10 n11 1.0, n11 r11 n12 2.0,
        n12 r12 n13 1.0, n13 r13 n14 2.0, n14 r14 n15 1.0, n15 r15 n16 2.0,
        n16 r16 n17 1.0, n17 r17 n18 2.0, n18 r18 n19 1.0, n19 r19 n20 2.0,
        n20 r20 n21 1.0, n21 r21 n22 2.0, n22 r22 n23 1.0, n23 r23 n00 2.0,
}
#[rustfmt::skip]
ring! { ring_72:
        n00 r00 n01 1.0, n01 r01 n02 2.0, n02 r02 n03 1.0, n03 r03 n04 2.0,
        n04 r04 n05 1.0, n05 r05 n06 2.0, n06 r06 n07 1.0, n07 r07 n08 2.0,
        n08 r08 n09 1.0, n09 r09 n10 2.0, n10 r10 n11 1.0, n11 r11 n12 2.0,
        n12 r12 n13 1.0, n13 r13 n14 2.0, n14 r14 n15 1.0, n15 r15 n16 2.0,
        n16 r16 n17 1.0, n17 r17 n18 2.0, n18 r18 n19 1.0, n19 r19 n20 2.0,
        n20 r20 n21 1.0, n21 r21 n22 2.0, n22 r22 n23 1.0, n23 r23 n24 2.0,
        n24 r24 n25 1.0, n25 r25 n26 2.0, n26 r26 n27 1.0, n27 r27 n28 2.0,
        n28 r28 n29 1.0, n29 r29 n30 2.0, n30 r30 n31 1.0, n31 r31 n32 2.0,
        n32 r32 n33 1.0, n33 r33 n34 2.0, n34 r34 n35 1.0, n35 r35 n36 2.0,
        n36 r36 n37 1.0, n37 r37 n38 2.0, n38 r38 n39 1.0, n39 r39 n40 2.0,
        n40 r40 n41 1.0, n41 r41 n42 2.0, n42 r42 n43 1.0, n43 r43 n44 2.0,
        n44 r44 n45 1.0, n45 r45 n46 2.0, n46 r46 n47 1.0, n47 r47 n48 2.0,
        n48 r48 n49 1.0, n49 r49 n50 2.0, n50 r50 n51 1.0, n51 r51 n52 2.0,
        n52 r52 n53 1.0, n53 r53 n54 2.0, n54 r54 n55 1.0, n55 r55 n56 2.0,
        n56 r56 n57 1.0, n57 r57 n58 2.0, n58 r58 n59 1.0, n59 r59 n60 2.0,
        n60 r60 n61 1.0, n61 r61 n62 2.0, n62 r62 n63 1.0, n63 r63 n64 2.0,
        n64 r64 n65 1.0, n65 r65 n66 2.0, n66 r66 n67 1.0, n67 r67 n68 2.0,
        n68 r68 n69 1.0, n69 r69 n70 2.0, n70 r70 n71 1.0, n71 r71 n00 2.0,
}

/// What is counted of a model's state.
type Counts<M> = fn(&<M as Model>::State) -> [u64; 5];

/// Numbers of walkers at some sites after some time have the law of independent walkers.
fn check_ring<D: Model + Clone, N: Model + Clone>(
    (direct, of_direct): (&D, Counts<D>),
    (next, of_next): (&N, Counts<N>),
    (size, time): (usize, f64),
    sites: [usize; 5],
) {
    let chain = Chain::new(size, (0..size).map(|k| (k, (k + 1) % size, if k % 2 == 0 { 1.0 } else { 2.0 })));
    let law = chain.after(time, &chain.at(20));
    // Each of the 40 walkers is at a site with the chance that the chain gives.
    let binomial = |p: f64| -> Vec<f64> {
        let mut law = vec![0.0; 41];
        law[0] = 1.0;
        for _ in 0..40 {
            for n in (0..40).rev() {
                law[n + 1] = law[n + 1] * (1.0 - p) + law[n] * p;
            }
            law[0] *= 1.0 - p;
        }
        law
    };
    let direct = at(direct, 9, time, of_direct);
    let next = at(next, 10, time, of_next);
    for (i, site) in sites.into_iter().enumerate() {
        let column = |rows: &[[u64; 5]]| -> Vec<usize> { rows.iter().map(|row| row[i] as usize).collect() };
        chi_square(format!("direct, site {site}"), &column(&direct), &binomial(law[site]));
        chi_square(format!("next reaction, site {site}"), &column(&next), &binomial(law[site]));
        chi_square_two(format!("both, site {site}"), &column(&direct), &column(&next));
    }
    // Numbers at two sites are as correlated as a multinomial law says.
    for (method, rows) in [("direct", direct), ("next reaction", next)] {
        let products: Vec<f64> = rows.iter().map(|row| (row[1] * row[2]) as f64).collect();
        assert_mean(format!("{method}, product"), &products, 40.0 * 39.0 * law[sites[1]] * law[sites[2]]);
    }
}

#[test]
fn two_dozen_clocks_move_independent_walkers() {
    use ring_24::{Direct, Next};
    check_ring(
        (&Direct::default(), |s| [s.n20, s.n23, s.n00, s.n05, s.n12]),
        (&Next::default(), |s| [s.n20, s.n23, s.n00, s.n05, s.n12]),
        (24, 6.0),
        [20, 23, 0, 5, 12],
    );
}

#[test]
fn six_dozen_clocks_move_independent_walkers() {
    use ring_72::{Direct, Next};
    check_ring(
        (&Direct::default(), |s| [s.n60, s.n68, s.n71, s.n00, s.n05]),
        (&Next::default(), |s| [s.n60, s.n68, s.n71, s.n00, s.n05]),
        (72, 38.0),
        [60, 68, 71, 0, 5],
    );
}
