//! Indices at run time: one outside its set is a typed error that says whose and where, and a failing event leaves
//! nothing behind.

use std::fmt::Debug;

use clockrace::{ErrorKind, Model, SimError, Simulation, simulation};

#[track_caller]
fn assert_index(error: &SimError, family: &str, index: i64, size: usize) {
    let ErrorKind::Index { name, index: found, size: of } = error.kind() else { panic!("{error}") };
    assert_eq!((*name, *found, *of), (family, index, size), "{error}");
    let text = error.to_string();
    assert!([family, &index.to_string(), &size.to_string()].iter().all(|part| text.contains(part)), "{text}");
}

/// The simulation fails, again however it is asked, and its state is that of the event before.
#[track_caller]
fn fails<M: Model>(sim: &mut Simulation<M>, before: f64) -> SimError
where
    M::Observed: Debug,
    Simulation<M>: Clone,
{
    sim.run_until(before).unwrap();
    let look = |sim: &Simulation<M>| format!("{:?}", sim.observe().unwrap());
    let state = look(sim);
    let error = sim.clone().run_until(before + 1.0).unwrap_err();
    let text = error.to_string();
    assert_eq!(sim.run_until(before + 1.0).unwrap_err().to_string(), text);
    assert_eq!(look(sim), state);
    assert_eq!(sim.step().unwrap_err().to_string(), text);
    assert_eq!(sim.clone().run_until(before + 1.0).unwrap_err().to_string(), text);
    assert_eq!((look(sim), sim.now()), (state, before));
    error
}

/// A model for each way to go outside. At t = 2 `act` does something; what fails is `clock[index]`.
macro_rules! outside {
    ($($test:ident { $($items:tt)* } $clock:literal $index:expr, $event:literal $by:expr, $family:literal $at:literal in $size:literal;)*) => { $(
        #[test]
        fn $test() {
            simulation! {
                model Outside {
                    param n: usize = 3;
                    param far: usize = 7;
                    index site = 0..n;
                    index few = 0..4;
                    index row = 0..2;
                    relation near(k in site) -> site = [(k + 1) % n], inverse back;
                    state u[k in site]: u64 = k as u64;
                    state v[k in few]: (u8, f64) = (1, 2.0);
                    state s[i in row][k in site]: i32 = 5;
                    state w[(i, j) in near]: u64 = 1;
                    state relation link(k in site) -> site = near(k);
                    state x[(i, j) in link]: u64 = 1;
                    state pick: usize = 0;
                    state on: bool = false;
                    tally acts: u64 = 0;
                    tally hits[k in few]: u64 = 0;
                    clock before: at(1.0) => { acts += 1; }
                    observe u[k in site] = u[k];
                    observe v[k in few]: (u8, f64) = v[k];
                    observe s: Vec<i32> = s.to_vec();
                    observe w[(i, j) in near] = w[(i, j)];
                    observe links[i in site]: Vec<(usize, u64)> = link(i).map(|j| (j, x[(i, j)])).collect();
                    observe rest: (usize, bool, u64, Vec<u64>) = (pick, on, acts, hits.to_vec());
                    $($items)*
                }
            }
            let mut sim = Outside::default().start(1).unwrap();
            let error = fails(&mut sim, 1.0);
            assert_index(&error, $family, $at, $size);
            let (index, by): (&[usize], &[usize]) = (&$index, &$by);
            assert_eq!((error.clock(), error.clock_index()), (Some($clock), index), "{error}");
            assert_eq!((error.event(), error.event_index(), error.time()), (Some($event), by, 2.0), "{error}");
            assert_eq!(sim.tallies().acts, 1);
        }
    )* };
}

outside! {
    one_past_the_last {
        clock act[k in site] if k == 2: at(2.0) => { acts += 1; u[0] = 9; u[k + 1] = 7; }
    } "act" [2], "act" [2], "u" 3 in 3;

    one_before_the_first {
        clock act[k in site] if k == 0: at(2.0) => { acts += 1; u[k] = 9; u[k - 1] += 7; }
    } "act" [0], "act" [0], "u" -1 in 3;

    far_before_the_first {
        clock act[k in few] if k == 1: at(2.0) => { acts += 1; v[k].0 = 3; v[k - far].1 = 7.0; }
    } "act" [1], "act" [1], "v" -6 in 4;

    a_read_in_an_action {
        clock act[k in few] if k == 1: at(2.0) => { acts += 1; v[k].0 = 3; u[0] = v[k + 3].0 as u64; }
    } "act" [1], "act" [1], "v" 4 in 4;

    a_number_that_an_action_computes {
        clock act: at(2.0) => { acts += 1; pick = 5; u[1] = 8; u[pick] = 7; }
    } "act" [], "act" [], "u" 5 in 3;

    a_number_below_zero_that_an_action_computes {
        clock act: at(2.0) => { acts += 1; u[1] = 8; let j = pick; u[j - 1] = 7; }
    } "act" [], "act" [], "u" -1 in 3;

    a_product_in_its_first_set {
        clock act[i in row][k in site] if i == 1 && k == 2: at(2.0) => { acts += 1; s[0][k] = 1; s[i + 1][k] = 7; }
    } "act" [1, 2], "act" [1, 2], "s" 2 in 2;

    a_product_in_its_second_set {
        clock act[i in row] if i == 1: at(2.0) => { acts += 1; s[0][pick] = 1; pick = 3; s[i][pick] = 7; }
    } "act" [1], "act" [1], "s" 3 in 3;

    a_rate_that_reads_outside {
        clock act: at(2.0) => { acts += 1; on = true; }
        clock ring[k in site] if on && k > 0: rate(u[k + 1] as f64) => {}
    } "ring" [2], "act" [], "u" 3 in 3;

    a_guard_that_reads_outside {
        clock act[k in few] if k == 3: at(2.0) => { acts += 1; on = true; v[k].0 = 9; }
        clock ring[i in row][k in site] if !on || u[k - 1] > 5: after(1e9) => {}
    } "ring" [0, 0], "act" [3], "u" -1 in 3;

    a_time_that_reads_outside {
        clock act: at(2.0) => { acts += 1; u.fill(100); }
        clock ring[k in site]: at(if u[k] == 100 { v[k as usize + far].1 } else { never }) => {}
    } "ring" [0], "act" [], "v" 7 in 4;

    a_delay_that_reads_outside {
        clock act: at(2.0) => { acts += 1; u[2] = 100; }
        clock ring[k in site] if u[k] == 100: after(v[k as usize + 2].1) => {}
    } "ring" [2], "act" [], "v" 4 in 4;

    a_speed_that_reads_outside {
        clock act: at(2.0) => { acts += 1; pick = 4; }
        clock ring[k in site] if k == 1: after(1e9, speed(1.0 / v[pick].1)) => {}
    } "ring" [1], "act" [], "v" 4 in 4;

    a_tracked_index_outside {
        clock act: at(2.0) => { acts += 1; u[1] = 40; }
        clock ring[k in site]: rate(1e-9 * v[u[k] as usize].1) => {}
    } "ring" [1], "act" [], "v" 40 in 4;

    a_closure_of_a_rate {
        clock act: at(2.0) => { acts += 1; pick = 2; }
        clock ring[k in site]: rate(1e-9 * (0..=pick).map(|j| u[j + k]).sum::<u64>() as f64) => {}
    } "ring" [1], "act" [], "u" 3 in 3;

    a_definition_that_is_used_outside {
        let next[k in site] = u[k] + 1;
        clock act: at(2.0) => { acts += 1; pick = 3; }
        clock ring[k in row] if k == 1: rate(1e-9 * next[pick] as f64) => {}
    } "ring" [1], "act" [], "next" 3 in 3;

    a_definition_that_reads_outside {
        let next[k in site] = u[k + 1] + 1;
        clock act: at(2.0) => { acts += 1; pick = 2; }
        clock ring[k in row] if k == 1: rate(1e-9 * next[pick] as f64) => {}
    } "ring" [1], "act" [], "u" 3 in 3;

    a_definition_of_params_alone {
        let weight[k in few]: f64 = k as f64;
        clock act: at(2.0) => { acts += 1; pick = 4; }
        clock ring: rate(1e-9 * weight[pick]) => {}
    } "ring" [], "act" [], "weight" 4 in 4;

    an_argument_that_is_an_index {
        action put(k in site, by: u64) { u[k] = by; }
        clock act: at(2.0) => { acts += 1; put(2, 9); put(pick + far, 9); }
    } "act" [], "act" [], "put" 7 in 3;

    an_argument_that_is_a_shifted_index {
        action put(k in site, by: u64) { u[k] = by; }
        clock act[k in site] if k == 0: at(2.0) => { acts += 1; put(k, 9); put(k - 1, 9); }
    } "act" [0], "act" [0], "put" -1 in 3;

    an_element_in_an_action_that_is_called {
        action put(k in site, by: u64) { u[k] = by; u[k + 1] = by; }
        clock act[k in site] if k == 2: at(2.0) => { acts += 1; put(k - 1, 9); put(k, 9); }
    } "act" [2], "act" [2], "u" 3 in 3;

    a_row_of_a_relation {
        clock act[k in site] if k == 2: at(2.0) => { acts += 1; for j in near(k + 1) { u[j] = 9; } }
    } "act" [2], "act" [2], "near" 3 in 3;

    a_row_of_an_inverse {
        clock act: at(2.0) => { acts += 1; pick = 3; }
        clock ring[k in row]: rate(back(pick).count() as f64 * 1e-9) => {}
    } "ring" [0], "act" [], "back" 3 in 3;

    a_degree_outside {
        clock act: at(2.0) => { acts += 1; pick = near.degree(3); }
    } "act" [], "act" [], "near" 3 in 3;

    a_pair_that_cannot_be {
        clock act: at(2.0) => { acts += 1; u[0] = 8; link.insert(0, 0); on = link.insert(1, 3); }
    } "act" [], "act" [], "link" 3 in 3;

    a_pair_that_could_not_be_there {
        clock act[k in site] if k == 2: at(2.0) => { acts += 1; link.remove(2, 0); link.remove(k + 1, 0); }
    } "act" [2], "act" [2], "link" 3 in 3;

    an_element_in_a_closure {
        clock act: at(2.0) => { acts += 1; (0..4).for_each(|j| u[j] += 10); }
    } "act" [], "act" [], "u" 3 in 3;

    a_shifted_index_in_a_closure {
        clock act[k in site] if k == 2: at(2.0) => { acts += 1; (0..2).for_each(|_| u[k + 1] += 10); }
    } "act" [2], "act" [2], "u" 3 in 3;

    a_fixed_index_in_a_closure {
        clock act: at(2.0) => { acts += 1; (0..2).for_each(|_| { v[1].0 += 1; v[far].0 += 10; }); }
    } "act" [], "act" [], "v" 7 in 4;

    a_product_in_a_closure {
        clock act[k in site] if k == 2: at(2.0) => { acts += 1; (0..2).for_each(|i| s[i + k][k] += 10); }
    } "act" [2], "act" [2], "s" 2 in 2;

    an_argument_in_a_closure {
        action put(k in site, by: u64) { u[k] = by; }
        clock act: at(2.0) => { acts += 1; (1..5).for_each(|j| put(j, 9)); }
    } "act" [], "act" [], "put" 3 in 3;

    a_pair_in_a_closure {
        clock act: at(2.0) => { acts += 1; (1..5).for_each(|j| { link.insert(j - 1, j); x[(j - 1, j)] += 1; }); }
    } "act" [], "act" [], "link" 3 in 3;

    elements_of_tallies {
        clock act: at(2.0) => { acts += 1; hits[0] += 1; hits[pick + 1] += 1; for k in few { hits[k] += 1; } hits[4] += 1; }
    } "act" [], "act" [], "hits" 4 in 4;

    whole_families_before {
        clock act: at(2.0) => {
            acts += 1;
            u.iter_mut().for_each(|one| *one += 1);
            v.swap(0, 3);
            s.fill(7);
            w.fill(9);
            hits.fill(9);
            u[far] += 1;
        }
    } "act" [], "act" [], "u" 7 in 3;

    elements_and_whole_families_before {
        clock act[k in site] if k == 1: at(2.0) => {
            acts += 1;
            u[k] += 10;
            u[pick] += 20;
            u.reverse();
            u[k + 1] += 40;
            let j = 2 * pick + k;
            u[j] += 80;
            s[0][k] += 1;
            s[1][2 * pick] += 2;
            s.fill(3);
            s[pick][k] += 3;
            v[k as usize] = (0, 0.0);
            for l in few { v[l].0 += 1; }
            v[0].1 = 0.0;
            v[far + k as usize] = (9, 9.0);
        }
    } "act" [1], "act" [1], "v" 8 in 4;

    pairs_before {
        clock act[(i, j) in link] if i == 1: at(2.0) => {
            acts += 1;
            w[(i, j)] += 10;
            x[(i, j)] += 20;
            x[(j, 0)] += 20;
            link.remove(i, j);
            link.insert(i, i);
            link.insert(j, i);
            x[(j, i)] += 30;
            link.remove(0, 1);
            link.remove(j, i);
            link.insert(0, 1);
            w[(0, 1)] += 1;
            for k in site { link.insert(k, k); x[(k, k)] = 77; }
            v[far].0 = 1;
        }
    } "act" [1, 2], "act" [1, 2], "v" 7 in 4;
}

/// The same at the start.
macro_rules! outside_at_the_start {
    ($($test:ident { $($items:tt)* } $item:literal $index:expr, $family:literal $at:literal in $size:literal;)*) => { $(
        #[test]
        fn $test() {
            simulation! {
                model Start {
                    param n: usize = 3;
                    index site = 0..n;
                    state u[k in site]: u64 = k as u64;
                    $($items)*
                }
            }
            let error = Start::default().start(1).unwrap_err();
            assert_index(&error, $family, $at, $size);
            let index: &[usize] = &$index;
            assert_eq!((error.clock(), error.clock_index()), (Some($item), index), "{error}");
            assert_eq!((error.event(), error.event_index(), error.time()), (None, &[][..], 0.0));
        }
    )* };
}

outside_at_the_start! {
    a_rate_at_the_start { clock ring[k in site]: rate(u[k + 1] as f64) => {} } "ring" [2], "u" 3 in 3;
    a_guard_at_the_start { clock ring[k in site] if u[k - 1] > 0: after(1.0) => {} } "ring" [0], "u" -1 in 3;
    an_initial_value { state v[k in site]: u64 = u[k + 1]; } "v" [2], "u" 3 in 3;
    an_initial_value_of_a_single_state { state v: u64 = u[n]; } "v" [], "u" 3 in 3;
    an_initial_value_of_a_pair {
        relation near(k in site) -> site = [(k + 1) % n];
        state w[(i, j) in near]: u64 = u[j + 1];
    } "w" [1, 2], "u" 3 in 3;
    init { init { for k in 1..5 { u[k] += 1; } } } "init" [], "u" 3 in 3;
    a_stop { state on: bool = true; clock c: at(1.0) => { on = true; u[0] = 0; } stop full if on && u[n + 1] > 3; } "full" [], "u" 4 in 3;
    a_definition_of_params { let w[k in site]: f64 = v[k + 1]; let v[k in site]: f64 = n as f64; clock c: rate(w[0]) => {} } "w" [2], "v" 3 in 3;
    a_member_of_a_relation { relation near(k in site) -> site = [k, 2 * k]; } "near" [2], "site" 4 in 3;
    a_member_of_a_changing_relation { index other = 0..2; state relation near(k in site) -> other = [k]; } "near" [2], "other" 2 in 2;
    a_member_of_a_row_with_two_indices { index other = 0..2; relation near(k in site, l in other) -> other = [k * l]; } "near" [2, 1], "other" 2 in 2;
    a_row_in_a_relation { relation near(k in site) -> site = [k]; relation far(k in site) -> site = near(k + 1); } "far" [2], "near" 3 in 3;
}

simulation! {
    model Pairs {
        param n: usize = 3;
        index site = 0..n;
        index side = 0..2;
        relation near(i in site) -> site = [(i + 1) % n];
        relation face(i in site, s in side) -> site = (s == 0).then_some(i);
        state relation link(i in site) -> site = [(i + 1) % n];
        state w[(i, j) in near]: u64 = 0;
        state v[(i, s, j) in face]: u64 = 0;
        state x[(i, j) in link]: u64 = 0;
        state mode: u8;
        state pick: usize = 1;
        let turned[(i, j) in near] = w[(j, i)];
        clock act[i in site] if i == 1: at(1.0) => {
            w[(0, 1)] += 1;
            match mode {
                0 => w[(i, 0)] += 1,
                1 => x[(i, pick)] += 1,
                2 => { link.remove(i, 2); x[(i, 2)] += 1; }
                3 => v[(i, pick, i)] += 1,
                4 => (0..2).for_each(|_| w[(i, i)] += 1),
                5 => w[(i, n)] += 1,
                6 => x[(n, i)] += 1,
                7 => x[(0, 1)] = turned[(0, 1)],
                8 => { link.insert(2, 2); x[(2, 2)] += 1; x[(0, 0)] += 1; }
                _ => {}
            }
        }
        observe all: Vec<u64> = vec![w[(0, 1)], w[(1, 2)], w[(2, 0)], v[(0, 0, 0)], x[(0, 1)], x[(1, 2)], link.len() as u64];
    }
}

#[test]
fn a_pair_that_is_not_in_its_relation_is_an_error() {
    let cases = [
        ("w", 1, 0),
        ("x", 1, 1),
        ("x", 1, 2),
        ("v", 3, 1),
        ("w", 1, 1),
        ("w", 1, 3),
        ("x", 3, 1),
        ("w", 1, 0),
        ("x", 0, 0),
    ];
    for (mode, (family, of, to)) in (0..).zip(cases) {
        let mut sim = Pairs { n: 3, mode }.start(1).unwrap();
        let error = fails(&mut sim, 0.5);
        let ErrorKind::Pair { name, row, member } = error.kind() else { panic!("{mode}: {error}") };
        assert_eq!((*name, *row, *member), (family, of, to), "{mode}: {error}");
        assert_eq!((error.clock(), error.clock_index(), error.time()), (Some("act"), &[1][..], 1.0));
        assert_eq!(sim.observe().unwrap().all, [0, 0, 0, 0, 0, 0, 3], "{mode}");
    }
}

simulation! {
    model Watched {
        param n: usize = 3;
        index site = 0..n;
        state u[k in site]: u64 = 1;
        state pick: usize = 0;
        clock act: at(1.0) => { pick += 3; u[0] += 1; }
        clock later: at(2.0) => { pick = 1; }
        observe picked[k in site] = u[pick + k];
        observe fine = pick;
    }
}

#[test]
fn an_output_that_reads_outside_is_an_error_of_the_output_alone() {
    let mut sim = Watched::default().start(1).unwrap();
    assert_eq!(sim.observe().unwrap().picked, [1.0; 3]);
    sim.run_until(1.0).unwrap();
    let error = sim.observe().map(|observed| observed.fine).unwrap_err();
    assert_index(&error, "u", 3, 3);
    assert_eq!((error.clock(), error.clock_index(), error.time()), (Some("picked"), &[0][..], 1.0));
    sim.run_until(2.0).unwrap();
    let error = sim.view().output("fine").unwrap_err();
    assert_eq!((error.clock(), error.clock_index()), (Some("picked"), &[2][..]));
}

simulation! {
    model Conditions {
        index site = 0..3;
        state u[k in site]: u64 = 1;
        state pick: usize = 0;
        state step: usize;
        clock act[k in site]: at(1.0 + k as f64) => { u[k] += 1; pick += step; }
        stop full if step == 2 && u[pick] == 9;
        invariant sane: step != 3 || u[pick] < 9;
    }
}

#[test]
fn a_condition_that_reads_outside_is_an_error_of_the_event() {
    for (step, clock) in [(2, "full"), (3, "sane")] {
        let mut sim = Conditions { step }.start(1).unwrap();
        sim.check_invariants(true);
        let error = sim.run_until(5.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Index { name: "u", size: 3, .. }), "{error}");
        let k = if step == 2 { 1 } else { 0 };
        assert_eq!((error.clock(), error.clock_index()), (Some(clock), &[][..]));
        assert_eq!((error.event(), error.event_index(), error.time()), (Some("act"), &[k][..], 1.0 + k as f64));
        assert_eq!((sim.state().pick, sim.state().u[k]), (step * k, 1));
    }
}

// What is fine.

simulation! {
    model Fine {
        param n: usize;
        index site = 0..n;
        index few = 0..4;
        state u[k in site]: u64 = k as u64;
        state v[k in few]: u64 = k as u64;
        state out: Vec<u64> = Vec::new();
        let edge[k in site] = if k + 1 < n { u[k + 1] } else { 100 };
        clock guarded[k in site] if k + 1 < n && u[k + 1] < 99: at(1.0) => { out.push(u[k + 1]); }
        clock below[k in site] if k > 0: at(2.0) => { out.push(10 * u[k - 1]); }
        clock around[k in site]: at(3.0) => {
            out.push(u[(k - 1) % n] + u[(k + 1) % n] + u[(k + n - 1) % n] + u[(k - 2 * n) % n]);
        }
        clock far[k in few]: at(4.0) => { out.push(v[(k - 9) % 4]); out.push(v[(k + 13) % few.len()]); }
        clock nested[k in site]: at(5.0) => { let j = (k + n - 1) % n; let l = (j + n - 1) % n; out.push(u[l]); }
        clock sums[k in few]: at(6.0) => { out.push(v[((k - 1) % 4 + 2) % 4]); }
        observe edge[k in site]: u64 = edge[k];
    }
}

#[test]
fn guards_protect_and_remainders_wrap_in_both_directions() {
    let mut sim = Fine { n: 3 }.start(1).unwrap();
    let mut out = |until: f64| {
        sim.run_until(until).unwrap();
        sim.update(|state| std::mem::take(&mut state.out)).unwrap()
    };
    assert_eq!(out(1.0), [1, 2]);
    assert_eq!(out(2.0), [0, 10]);
    // u[k] is k: for each k the sum over k - 1, k + 1, k - 1 and k.
    assert_eq!(out(3.0), [5, 3, 4]);
    assert_eq!(out(4.0), [3, 1, 0, 2, 1, 3, 2, 0]);
    assert_eq!(out(5.0), [1, 2, 0]);
    assert_eq!(out(6.0), [1, 2, 3, 0]);
    assert_eq!(sim.observe().unwrap().edge, [1, 2, 100]);
    let mut sim = Fine { n: 1 }.start(1).unwrap();
    sim.run_until(3.5).unwrap();
    assert_eq!((sim.state().out.as_slice(), sim.observe().unwrap().edge), (&[0][..], vec![100]));
}

simulation! {
    model Empty<const N: usize> {
        param n: usize;
        index site = 0..n;
        index few = 0..0;
        index generic = 0..N;
        index two = 0..2;
        relation near(k in site) -> site = [(k + 1) % n];
        relation from(k in two) -> site = (0..n).map(move |j| (j + k) % n);
        state relation link(k in two) -> site = None::<usize>;
        state u[k in site]: f64 = 1.0;
        state v[k in few]: f64 = 1.0;
        state x[k in generic]: String;
        state s[i in two][k in site]: u64 = 3;
        state w[(i, j) in near]: u64 = 1;
        state y[(i, j) in link]: u64 = 1;
        state given[k in site]: u8;
        tally seen[k in site]: u64 = 0;
        let next[k in site] = u[(k + 1) % n];
        let fixed[k in site]: f64 = k as f64;
        clock a[k in site]: rate(u[(k + 1) % n] + fixed[k]) => { u[k] += 1.0; }
        clock b[k in few]: every(1.0) => { v[k] += 1.0; }
        clock c[k in generic]: after(1.0) => { x[k].push('c'); }
        clock d[i in two][k in site] if s[i][k] > 0: after(rng.random::<f64>(), redraw) => { s[i][k] -= 1; }
        clock e[(i, j) in near]: rate(w[(i, j)] as f64) => { w[(i, j)] += 1; seen[i] += 1; }
        clock f[(i, j) in link]: every(1.0) => { y[(i, j)] += 1; link.remove(i, j); }
        clock g: every(1.0) => { u.fill(2.0); for k in site { u[k] += next[k]; } v.iter_mut().for_each(|one| *one = 0.0); }
        reaction h[i in two][k in site]: s[i][k] -> s[i][(k + 1) % n] @ 1.0;
        observe u[k in site] = u[k];
        observe s[i in two][k in site] = s[i][k];
        observe w[(i, j) in near] = w[(i, j)];
        observe y[(i, j) in link] = y[(i, j)];
        observe sums[k in two] = from(k).map(|j| u[j]).sum::<f64>();
        observe mean = u.iter().sum::<f64>() / u.len() as f64;
    }
}

#[test]
fn sets_may_be_empty() {
    let mut sim = Empty::<0> { n: 0, x: [], given: Vec::new() }.start(1).unwrap();
    sim.run_until(10.0).unwrap();
    let observed = sim.observe().unwrap();
    assert_eq!((observed.u, observed.s, observed.w, observed.sums), (vec![], vec![], vec![], vec![0.0, 0.0]));
    assert!(observed.mean.is_nan() && observed.y.is_empty());
    assert_eq!((sim.state().s.sizes(), sim.next_time()), ([2, 0], 11.0));
    assert_eq!(sim.view().output_names(), ["sums[0]", "sums[1]", "mean"]);
    sim.update(|_| ()).unwrap();
    let mut clone = sim.clone();
    clone.run_until(20.0).unwrap();
    let mut sim = Empty::<1> { n: 1, x: [String::new()], given: vec![1] }.start(1).unwrap();
    sim.run_until(1.5).unwrap();
    assert_eq!((&sim.state().x, sim.state().u[0] >= 4.0), (&["c".to_owned()], true));
}

// After an error.

simulation! {
    /// Non-`Copy` elements are put back too.
    #[rollback]
    model RolledBack {
        param n: usize = 3;
        index site = 0..n;
        index row = 0..2;
        relation near(i in site) -> site = [(i + 1) % n];
        state relation link(i in site) -> site = near(i);
        state text[k in site]: String = format!("{k}");
        state lists[i in row][k in site]: Vec<usize> = vec![i, k];
        state w[(i, j) in near]: String = format!("{i}{j}");
        state x[(i, j) in link]: Vec<usize> = vec![i, j];
        state n_acts: usize = 0;
        state pick: usize = 1;
        tally log[k in site]: Vec<f64> = Vec::new();
        clock act[k in site]: at(1.0 + k as f64) => {
            n_acts += 1;
            text[k].push('a');
            text[(k + 1) % n].push('b');
            text[pick].push('c');
            for j in near(k) { w[(k, j)].push('d'); text[j].push('e'); }
            lists[0][k].push(7);
            lists[1][pick].clear();
            (0..2).for_each(|i| lists[i][k].push(8));
            log[k].push(now);
            log[pick].push(now);
            link.insert(k, k);
            x[(k, k)].push(9);
            link.remove(0, 1);
            if k == 1 {
                lists.iter_mut().for_each(Vec::clear);
                text.swap(0, 2);
                log.reverse();
            }
            if k > 0 { text[k + 2 * pick].push('f'); }
        }
        observe links: Vec<(usize, usize, Vec<usize>)> =
            site.map(|i| link(i).map(|j| (i, j, x[(i, j)].clone())).collect::<Vec<_>>()).collect::<Vec<_>>().concat();
        observe all: String = format!("{:?} {:?} {:?} {:?} {n_acts}", &text, &lists, &w, &log);
    }
}

#[test]
fn rollback_puts_elements_of_every_type_back() {
    let mut sim = RolledBack::default().start(1).unwrap();
    sim.run_until(1.5).unwrap();
    assert_eq!(sim.state().text.join(" "), "0a 1bce 2");
    assert_eq!(sim.observe().unwrap().links[0], (0, 0, vec![0, 0, 9]));
    let error = fails(&mut sim, 1.5);
    assert_index(&error, "text", 3, 3);
    assert_eq!((error.event_index(), error.time()), (&[1][..], 2.0));
}

/// Other errors name the member too.
macro_rules! fails_by_itself {
    ($($test:ident { $($items:tt)* } $clock:literal $index:expr, $kind:pat, $text:literal;)*) => { $(
        #[test]
        fn $test() {
            simulation! {
                model Failing {
                    param n: usize = 3;
                    index site = 0..n;
                    index row = 0..2;
                    relation near(k in site) -> site = [(k + 1) % n];
                    state u[k in site]: u8 = 100 * k as u8;
                    state s[i in row][k in site]: i16 = 0;
                    state x[k in site]: f64 = 1.0;
                    state on: bool = false;
                    clock act[k in row] if k == 1: at(2.0) => { on = true; x[0] = 5.0; u[0] = 1; }
                    $($items)*
                    observe all: String = format!("{:?} {:?} {:?} {on}", &u, &s, &x);
                }
            }
            let mut sim = Failing::default().start(1).unwrap();
            let error = fails(&mut sim, 1.5);
            assert!(matches!(error.kind(), $kind), "{error}");
            let index: &[usize] = &$index;
            assert_eq!((error.clock(), error.clock_index()), (Some($clock), index), "{error}");
            assert_eq!((error.event(), error.event_index(), error.time()), (Some("act"), &[1][..], 2.0), "{error}");
            assert_eq!(error.to_string(), $text);
        }
    )* };
}

fails_by_itself! {
    a_rate_of_a_member {
        clock ring[k in site] if on: rate(1.0 - k as f64) => {}
    } "ring" [2], ErrorKind::Rate { value: -1.0 },
    "`ring[2]` at t = 2, after `act[1]` rang: the rate is -1; a rate must be finite and not negative";

    a_time_of_a_pair {
        clock ring[(i, j) in near] if on: at(i as f64) => {}
    } "ring" [0, 1], ErrorKind::RingTime { value: 0.0 },
    "`ring[0][1]` at t = 2, after `act[1]` rang: `at` gave 0; a ring time must not lie in the past (use `never` to switch a clock off)";

    a_delay_of_a_product {
        clock ring[i in row][k in site] if on && i + k == 3: after(x[k] - 3.0) => {}
    } "ring" [1, 2], ErrorKind::Delay { value: -2.0 },
    "`ring[1][2]` at t = 2, after `act[1]` rang: `after` gave -2; a delay must not be negative";

    an_overflow_of_an_element_in_a_rate {
        clock ring[k in site]: rate(if on { (u[k] + 100) as f64 } else { 0.0 }) => {}
    } "ring" [2], ErrorKind::Overflow { .. },
    "`ring[2]` at t = 2, after `act[1]` rang: `200 + 100` does not fit in u8";
}

simulation! {
    model Overflowing {
        param n: usize = 3;
        param step: u8;
        index site = 0..n;
        index row = 0..2;
        relation near(k in site) -> site = [(k + 1) % n];
        state u[k in site]: u8 = 100 * k as u8;
        state s[i in row][k in site]: i8 = 100;
        state w[(i, j) in near]: u16 = 65_000;
        state count: u32 = 0;
        clock act[k in site]: at(1.0 + k as f64) => {
            count += 1;
            s[0][k] -= 1;
            u[k] += step;
            w[(k, (k + 1) % n)] += 1;
            for j in near(k) { s[1][j] += 20; w[(k, j)] += 536; }
        }
        reaction hop[k in site]: u[k] -> 60 u[(k + 1) % n] @ after(10.0);
        observe all: String = format!("{:?} {:?} {:?} {count}", &u, &s, &w);
    }
}

#[test]
fn elements_of_families_never_wrap() {
    let mut sim = Overflowing { n: 3, step: 56 }.start(1).unwrap();
    let error = fails(&mut sim, 0.5);
    assert_eq!(error.to_string(), "`act[0]` at t = 1: `65001 + 536` does not fit in u16");
    let mut sim = Overflowing { n: 2, step: 200 }.start(1).unwrap();
    sim.update(|state| state.w.fill(0)).unwrap();
    sim.update(|state| state.s.fill(0)).unwrap();
    let error = fails(&mut sim, 1.5);
    assert_eq!(error.to_string(), "`act[1]` at t = 2: `100 + 200` does not fit in u8");
    assert_eq!((error.event(), error.event_index()), (Some("act"), &[1][..]));
    sim.update(|state| state.u[1] = 0).unwrap();
    sim.run_until(2.0).unwrap();
    // A reaction takes from the first before it gives to the second.
    let error = fails(&mut sim, 10.5);
    assert_eq!(error.to_string(), "`hop[0]` at t = 11: `200 + 60` does not fit in u8");
}

simulation! {
    /// Every member writes much and fails once; what was marked, noted and drawn must not matter afterwards.
    model Mended {
        param n: usize = 6;
        param fails: bool;
        index site = 0..n;
        relation near(k in site) -> site = [(k + 1) % n, (k + 2) % n];
        state relation link(k in site) -> site = near(k);
        state u[k in site]: u64 = k as u64;
        state home[k in site]: usize = k;
        state x[(i, j) in link]: u64 = 1;
        state broken: bool = fails;
        clock act[k in site]: at(1.0 + k as f64) => {
            u[k] += 1;
            u[home[k]] += 1;
            for j in near(k) { home[j] = (home[j] + 1) % n; u[j] += 2; }
            if let Some(j) = link(k).next() { link.remove(k, j); }
            link.insert(k, k);
            x[(k, k)] += 5;
            if broken { u[n + k] = 1; }
        }
        clock read[k in site] if u[home[k]] % 3 != 0: after(0.3 + 0.01 * k as f64) => { u[k] += 1; }
        clock pairs[(i, j) in link] if u[home[j]] % 2 == 0: after(0.7) => { x[(i, j)] += 1; }
        clock rated[(i, j) in link]: rate(0.1 * u[home[i]] as f64) => { u[i] = 0; }
        let row[i in site] = link(i).map(|j| (j, x[(i, j)])).collect::<Vec<_>>();
        observe all: String = format!("{:?} {:?} {:?}", &u, &home, site.map(|i| row[i].clone()).collect::<Vec<_>>());
    }
}

#[test]
fn after_an_error_a_simulation_goes_on_as_if_there_had_been_none() {
    let trace = |fails: bool| {
        let mut sim = Mended { n: 6, fails }.start(7).unwrap();
        let mut trace = Vec::new();
        let mut errors = 0;
        while sim.now() < 9.0 {
            match sim.step() {
                Ok(Some(fired)) => {
                    if let MendedEvent::Act(_) = fired.event {
                        // Both are refreshed as a whole, and break again.
                        sim.update(|state| state.broken = fails).unwrap();
                    }
                    trace.push((fired.time, fired.event, sim.observe().unwrap().all));
                }
                Ok(None) => break,
                Err(error) => {
                    assert!(matches!(error.kind(), ErrorKind::Index { name: "u", .. }), "{error}");
                    errors += 1;
                    sim.update(|state| state.broken = false).unwrap();
                }
            }
        }
        assert_eq!(errors, if fails { 6 } else { 0 });
        trace
    };
    assert_eq!(trace(true), trace(false));
}

// A stale clock cannot be written.

/// Something with parts of many types.
#[derive(Clone, Debug, Default)]
struct Slot {
    pair: (u64, [u64; 2]),
    array: [u64; 3],
    list: Vec<u64>,
    inner: (u8, Vec<u64>),
    option: Option<u64>,
    text: String,
}

impl Slot {
    fn sum(&self) -> u64 {
        let lists = self.list.len() + self.inner.1.len() + self.text.len();
        self.pair.0 + self.pair.1[1] + self.array[2] + lists as u64 + self.option.unwrap_or(0)
    }
}

fn raise<T: Raised>(value: &mut T) {
    value.raise();
}

trait Raised {
    fn raise(&mut self);
}

impl Raised for u64 {
    fn raise(&mut self) {
        *self += 1;
    }
}

impl Raised for Slot {
    fn raise(&mut self) {
        self.list.push(1);
    }
}

fn set(n: &mut u64) {
    *n = 1;
}

fn second(all: &mut [u64]) -> &mut u64 {
    &mut all[1]
}

/// Ways to write elements, in an action of a single clock or of member 1 of a family. Probes, which read in every way,
/// must notice at t = 1 what has been written.
macro_rules! writes {
    ($module:ident: $ty:ty = $initial:expr, |$value:ident| $read:expr; $($way:ident [$($k:ident)?] { $($body:tt)* })*) => {
        mod $module {
            use super::*;

            simulation! {
                pub(super) model Writing {
                    param way: &'static str;
                    param n: usize = 4;
                    param order: Vec<usize> = vec![2, 3, 0, 1];
                    index site = 0..n;
                    relation near(k in site) -> site = [(k + 1) % n, (k + 2) % n], inverse back;
                    state relation link(k in site) -> site = near(k);
                    state u[k in site]: $ty = $initial;
                    state home[k in site]: usize = (k + 3) % n;
                    state pick: usize = 1;
                    state by_index[k in site]: bool = false;
                    state by_shift[k in site]: bool = false;
                    state by_row[k in site]: bool = false;
                    state by_inverse[k in site]: bool = false;
                    state by_change[k in site]: bool = false;
                    state by_home[k in site]: bool = false;
                    state by_order[k in site]: bool = false;
                    state by_loop[k in site]: bool = false;
                    state by_pair[(i, j) in near]: bool = false;
                    state by_rate[k in site]: bool = false;
                    state by_whole: bool = false;
                    state by_number: bool = false;
                    let value[k in site]: u64 = { let $value = &u[k]; $read };
                    action put(k in site) { raise(&mut u[k]); }
                    $(clock $way $([$k in site])? if $($k == 1 &&)? way == stringify!($way): at(1.0) => { $($body)* })*
                    clock index[k in site] if value[k] > 0 && !by_index[k]: after(0.0) => { by_index[k] = true; }
                    clock shift[k in site] if value[(k - 1) % n] > 0 && !by_shift[k]: after(0.0) => { by_shift[k] = true; }
                    clock rows[k in site] if near(k).any(|j| value[j] > 0) && !by_row[k]: after(0.0) => { by_row[k] = true; }
                    clock inverses[k in site] if back(k).any(|j| value[j] > 0) && !by_inverse[k]: after(0.0) => {
                        by_inverse[k] = true;
                    }
                    clock changes[k in site] if link(k).any(|j| value[j] > 0) && !by_change[k]: after(0.0) => {
                        by_change[k] = true;
                    }
                    clock homes[k in site] if value[home[k]] > 0 && !by_home[k]: after(0.0) => { by_home[k] = true; }
                    clock orders[k in site] if value[order[k]] > 0 && !by_order[k]: after(0.0) => { by_order[k] = true; }
                    clock loops[k in site] if {
                        let mut sum = 0;
                        for j in site { if j > k { sum += value[j]; } }
                        sum > 0 && !by_loop[k]
                    }: after(0.0) => { by_loop[k] = true; }
                    clock pairs[(i, j) in near] if value[j] > 0 && !by_pair[(i, j)]: after(0.0) => { by_pair[(i, j)] = true; }
                    clock rates[k in site]: rate(if by_rate[k] { 0.0 } else { 1e12 * value[k] as f64 }) => { by_rate[k] = true; }
                    clock whole if u.iter().any(|$value| $read > 0) && !by_whole: after(0.0) => { by_whole = true; }
                    clock number if value[1] > 0 && !by_number: after(0.0) => { by_number = true; }
                    observe value[k in site]: bool = value[k] > 0;
                    observe seen: Vec<Vec<bool>> = vec![
                        by_index.to_vec(), by_shift.to_vec(), by_row.to_vec(), by_inverse.to_vec(), by_change.to_vec(),
                        by_home.to_vec(), by_order.to_vec(), by_loop.to_vec(), by_pair.to_vec(), by_rate.to_vec(),
                        vec![by_whole], vec![by_number],
                    ];
                }
            }

            fn notices(way: &'static str) {
                let mut sim = Writing { way, n: 4, order: vec![2, 3, 0, 1] }.start(1).unwrap();
                sim.run_until(1.5).unwrap();
                let observed = sim.observe().unwrap();
                let v = observed.value;
                let home = |k: usize| sim.state().home[k];
                let map = |f: &dyn Fn(usize) -> bool| (0..4).map(f).collect::<Vec<bool>>();
                assert!(v[1], "{v:?}");
                assert_eq!(observed.seen, [
                    v.clone(),
                    map(&|k| v[(k + 3) % 4]),
                    map(&|k| v[(k + 1) % 4] || v[(k + 2) % 4]),
                    map(&|k| v[(k + 3) % 4] || v[(k + 2) % 4]),
                    map(&|k| v[(k + 1) % 4] || v[(k + 2) % 4]),
                    map(&|k| v[home(k)]),
                    map(&|k| v[(k + 2) % 4]),
                    map(&|k| v[k + 1..].contains(&true)),
                    (0..4).flat_map(|k| [v[(k + 1) % 4], v[(k + 2) % 4]]).collect(),
                    v.clone(),
                    vec![true],
                    vec![true],
                ]);
            }

            $(
                #[test]
                fn $way() {
                    notices(stringify!($way));
                }
            )*
        }
    };
}

writes! {
    numbers: u64 = 0, |v| *v;
    an_assignment [] { u[1] = 1; }
    an_assignment_at_the_index [k] { u[k] += 1; }
    an_assignment_beside_the_index [k] { u[k + 1] += 1; u[k - 1] = 0; u[(k + 4) % n] = 7; }
    an_assignment_at_a_local_index [k] { let j = (k + 3) % n; let l = (j + 1) % n; u[l] = 1; }
    an_assignment_at_a_changing_index [] { let mut j = 0; while u[j] == 0 { j += 1; u[j] = 1; if j == 2 { break; } } }
    an_assignment_at_a_state [] { u[pick] = 1; pick = 3; u[pick] = 1; }
    an_assignment_at_a_home [] { home[2] = 0; u[home[2] + 1] = 1; u[home[0]] = 1; }
    an_assignment_in_a_loop [] { for j in site { if j % 2 == 1 { u[j] = 1; } } }
    an_assignment_in_a_row [k] { for j in near(k - 1) { u[j] = 1; } }
    an_assignment_in_an_inverse_row [k] { for j in back((k + 1) % n) { u[j] = 1; } }
    an_assignment_in_a_closure [] { (1..3).for_each(|j| u[j] = 1); }
    an_assignment_in_a_closure_over_a_row [k] { near(0).for_each(|j| u[j] += k as u64); }
    an_assignment_in_a_closure_at_the_index [k] { Some(3).into_iter().for_each(|x| u[k] = x); }
    an_assignment_in_a_closure_that_is_called_later [k] { let mut add = |j: usize| u[j] += 1; add(k); add(3); }
    a_mutable_reference [k] { let r = &mut u[k]; *r = 1; }
    a_mutable_reference_as_an_argument [] { set(&mut u[pick]); }
    a_mutable_reference_to_all [] { *second(&mut u) = 1; }
    a_replacement [k] { let old = std::mem::replace(&mut u[k], 1); u[0] = old; }
    a_swap_with_a_local [k] { let mut one = 1; std::mem::swap(&mut u[k], &mut one); }
    a_swap_of_elements [] { u[3] = 1; u.swap(1, 3); }
    a_destructuring_assignment [k] { let _a; (_a, u[k]) = (2, 1); [u[2], u[pick]] = [1, 1]; }
    a_part_of_the_family [] { u[1..3].fill(1); }
    an_iteration_over_all [] { for one in &mut u { *one += 1; } }
    an_iteration_over_all_by_a_method [] { for (j, one) in u.iter_mut().enumerate() { *one = j as u64; } }
    all_and_one [k] { u[k] = 0; u.fill(0); u[0] = 0; u.reverse(); u[k] = 1; }
    one_and_all [k] { u[k] = 1; u.rotate_left(1); u.rotate_right(1); }
    a_method_of_a_slice [] { u[3] = 1; u.rotate_right(2); }
    an_element_found_by_a_method [] {
        if let Some(one) = u.get_mut(1) { *one = 1; }
        if let Some(one) = u.last_mut() { *one = 1; }
    }
    the_parts_of_all [] { let (left, right) = u.split_at_mut(2); left[1] = 1; right[0] = 1; }
    an_action [k] { put(k); put((k + 1) % n); }
    an_action_at_a_state [] { put(pick); put(home[3]); }
    an_action_in_a_loop [k] { for j in link(k) { put(j); } put(k); }
    an_action_in_a_closure [] { (1..3).for_each(|j| put(j)); }
    an_early_return [k] { u[k] = 1; if now > 0.0 { return; } u[k] = 0; }
    a_match [k] { match u[k] { 0 => u[k] = 1, _ => {} } }
    a_labelled_loop [] { 'outer: for i in 0..3 { for j in 0..3 { if i + j > 1 { break 'outer; } u[i + j] = 1; } } }
}

writes! {
    slots: Slot = Slot::default(), |v| v.sum();
    a_field [k] { u[k].pair.0 = 1; }
    a_part_of_a_field [k] { u[k].pair.1[1] += 1; u[pick + 1].pair.1[pick] += 1; }
    a_pattern [k] { if let (0, [_, last]) = &mut u[k].pair { *last = 1; } }
    a_ref_mut_pattern [k] { let (ref mut one, _) = u[k].pair; *one = 1; }
    an_array_as_an_element [k] { u[k].array[2] = 1; u[pick].array[pick] = 3; u[pick + 1].array[2] = 1; }
    a_method_of_an_element [k] { u[k].list.push(1); u[pick + 1].list.extend([1, 2]); }
    a_method_of_a_fields [k] { u[k].inner.1.push(1); }
    an_option [k] { u[k].option.replace(1); *u[pick + 1].option.get_or_insert(0) += 1; }
    a_text [k] { u[k].text += "a"; let other = u[k].text.clone(); u[3].text += &other; }
    a_standard_macro [k] { use std::fmt::Write as _; write!(u[k].text, "{}", 1)?; }
    a_taken_element [k] { u[3].list.push(1); u[k].list = std::mem::take(&mut u[3].list); }
}
