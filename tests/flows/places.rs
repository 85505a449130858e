//! Whatever way a variable is written, what flows by it is brought up to now first.

use clockrace::{ErrorKind, simulation};

simulation! {
    /// Elements that move with their own speed, in a wind that all share.
    #[derive(Clone, Debug, PartialEq)]
    model Points {
        param n: usize = 4;
        index point = 0..n;
        state x[k in point]: f64 = k as f64;
        state v[k in point]: f64 = 1.0;
        state wind: f64 = 0.0;
        state pick: usize = 1;
        flow x[k in point] = x[k] + (v[k] + wind) * dt;
        action turn(k in point) { v[k] = -v[k]; }
        // By an index known at run time only, by a called action, in a closure, as a whole, and the wind.
        clock picked: at(1.0) => { v[pick] = 5.0; pick += 1; }
        clock called: at(2.0) => { turn(0); turn(pick); }
        clock closure: at(3.0) => { [3, 3].into_iter().for_each(|k| v[k] += 1.0); }
        clock whole: at(4.0) => { v.iter_mut().for_each(|one| *one = 0.0); }
        clock blow: at(5.0) => { wind = 2.0; }
        clock moves: at(6.0) => { x[2] = 100.0; x[n - 1] += 1.0; }
        clock swap: at(7.0) => { let two = [x[0], x[1]]; x[0] = two[1]; x[1] = two[0]; }
        observe first = x[0];
        observe all[k in point] = x[k];
    }
}

/// The path of each element, by hand.
const PATHS: [(f64, [f64; 4]); 9] = [
    (0.5, [0.5, 1.5, 2.5, 3.5]),
    (1.0, [1.0, 2.0, 3.0, 4.0]),
    (2.0, [2.0, 7.0, 4.0, 5.0]),
    (3.0, [1.0, 12.0, 3.0, 6.0]),
    (4.0, [0.0, 17.0, 2.0, 9.0]),
    (5.0, [0.0, 17.0, 2.0, 9.0]),
    (6.0, [2.0, 19.0, 100.0, 12.0]),
    (7.0, [21.0, 4.0, 102.0, 14.0]),
    (8.0, [23.0, 6.0, 104.0, 16.0]),
];

#[test]
fn every_way_to_write_anchors_what_flows() {
    let mut sim = Points::default().start(0).unwrap();
    for (time, path) in PATHS {
        sim.run_until(time).unwrap();
        assert_eq!(*sim.state().x, path, "at {time}");
        assert_eq!(sim.observe().unwrap().all, path, "at {time}");
        assert_eq!(sim.observe().unwrap().first, path[0]);
    }
}

#[test]
fn a_change_from_outside_starts_from_now() {
    let mut sim = Points::default().start(0).unwrap();
    sim.run_until(0.5).unwrap();
    sim.update(|state| {
        assert_eq!(state.x[0], 0.5);
        state.v[0] = -1.0;
        state.x[1] = 0.0;
    })
    .unwrap();
    sim.run_until(0.75).unwrap();
    assert_eq!(*sim.state().x, [0.25, 0.25, 2.75, 3.75]);
}

simulation! {
    /// Oscillators: two variables of a point in one flow, over a product of sets, in a type of the user.
    model Oscillators {
        param rows: usize = 2;
        index row = 0..rows;
        index column = 0..3;
        state x[i in row][j in column]: f64 = (3 * i + j) as f64;
        state p[i in row][j in column]: [f64; 1] = [0.5];
        let omega = 2.0;
        flow (x[i][j], p[i][j]) [i in row][j in column] = turn(x[i][j], p[i][j], omega * dt);
        clock kick[i in row][j in column]: every((1 + i + j) as f64) => { p[i][j][0] = -p[i][j][0]; }
        clock far[i in row][j in column] if j == 2: crosses(x[i][j] - 1.0, up, step = 0.1) => { ups += 1; }
        state ups: u64 = 0;
        observe energy[i in row][j in column] = x[i][j] * x[i][j] + p[i][j][0] * p[i][j][0];
    }
}

fn turn(x: f64, p: [f64; 1], angle: f64) -> (f64, [f64; 1]) {
    let (sin, cos) = angle.sin_cos();
    (x * cos + p[0] * sin, [p[0] * cos - x * sin])
}

#[test]
fn a_tuple_flows_as_one() {
    let mut sim = Oscillators::default().start(0).unwrap();
    sim.run_until(0.75).unwrap();
    let (x, p) = turn(4.0, [0.5], 1.5);
    assert_eq!((sim.state().x[[1, 1]], sim.state().p[[1, 1]]), (x, p));
    sim.run_until(1000.0).unwrap();
    for (number, energy) in sim.observe().unwrap().energy.into_iter().enumerate() {
        let expected = (number * number) as f64 + 0.25;
        assert!((energy - expected).abs() < 1e-9, "{number}: {energy}");
    }
    // Those of amplitude above 1 go up through it once a period of π, unless a kick turns them round.
    assert!(sim.state().ups > 400);
}

simulation! {
    /// Values on the edges of a graph, which leak.
    model Edges {
        param n: usize = 5;
        index node = 0..n;
        relation next(i in node) -> node = std::iter::once((i + 1) % n);
        state level[(i, j) in next]: f64 = i as f64;
        state leak[(i, j) in next]: f64 = 1.0;
        flow level[(i, j) in next] = level[(i, j)] - leak[(i, j)] * dt;
        clock empty[(i, j) in next]: crosses(level[(i, j)], down) => { level[(i, j)] = 2.0; leak[(i, j)] *= 2.0; }
        observe levels[(i, j) in next] = level[(i, j)];
    }
}

#[test]
fn pairs_flow_too() {
    let mut sim = Edges::default().start(0).unwrap();
    sim.run_until(2.25).unwrap();
    // The first is empty from the start and leaves downwards: it never crosses.
    assert_eq!(sim.observe().unwrap().levels, [-2.25, 1.0, 1.5, 0.75, 1.75]);
}

#[derive(Debug)]
struct No;

impl std::fmt::Display for No {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no")
    }
}

impl std::error::Error for No {}

simulation! {
    /// What an event does that fails is taken back, and the flow goes on as before.
    #[derive(Clone, Debug, PartialEq)]
    model Fails {
        state x: f64 = 0.0;
        state v: f64 = 1.0;
        state trace: Vec<f64> = vec![0.0];
        state fails: bool = true;
        flow x = x + v * dt;
        flow trace = trace.iter().map(|at| at + dt).collect::<Vec<f64>>();
        clock bad: at(1.0) => {
            v = 7.0;
            trace[0] = 100.0;
            if fails { Err(No)?; }
        }
    }
}

#[test]
fn a_failed_event_leaves_the_flow_as_it_was() {
    let mut sim = Fails {}.start(0).unwrap();
    let error = sim.run_until(2.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::User(_)), "{error}");
    assert_eq!(sim.now(), 0.0);
    assert_eq!((sim.state().x, sim.state().v, sim.state().trace.clone()), (0.0, 1.0, vec![0.0]));
    sim.update(|state| state.fails = false).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().x, sim.state().trace.clone()), (8.0, vec![101.0]));
}

simulation! {
    /// A flow in a family of known size, generic over what moves.
    model Generic<T: Copy + std::fmt::Debug + std::ops::Add<f64, Output = T>, const N: usize> {
        param start: T;
        index point = 0..N;
        state x[k in point]: T = start;
        flow x[k in point] = x[k] + dt;
        clock tick[k in point]: after(1.0 + k as f64) => { let old = x[k]; x[k] = old + 10.0; }
    }
}

#[test]
fn flows_are_generic() {
    let mut sim = Generic::<f64, 3> { start: 0.5 }.start(0).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().x, [33.5, 13.5, 13.5]);
}

simulation! {
    /// Crossings are seen by a clock when another one carries the variable across, when it leaves a wall, and when it
    /// is switched on.
    #[derive(Clone, Debug, PartialEq)]
    model Crossings {
        param jump: f64 = 0.0;
        param back: bool = false;
        state x: f64 = 1.0;
        state v: f64 = -1.0;
        state downs: u64 = 0;
        state ups: u64 = 0;
        flow x = x + v * dt;
        clock down: crosses(x, down) => { downs += 1; if back { v = -v; } }
        clock up: crosses(x, up) => { ups += 1; }
        clock jumps if jump != 0.0: at(0.5) => { x += jump; }
        clock returns if !back: every(3.0) => { v = -v; }
    }
}

#[test]
fn a_crossing_by_the_flow_by_a_jump_and_none_at_a_wall() {
    let run = |jump, back, until| {
        let mut sim = Crossings { jump, back }.start(0).unwrap();
        sim.run_until(until).unwrap();
        (sim.state().downs, sim.state().ups)
    };
    // Down at 1, back at 3 from −2, up at 5, back at 6 from 1.
    assert_eq!(run(0.0, false, 2.9), (1, 0));
    assert_eq!(run(0.0, false, 5.5), (1, 1));
    assert_eq!(run(0.0, false, 7.5), (2, 1));
    // At 0.5 it is carried from 0.5 to −0.5, at once; it is not carried by a jump upwards.
    assert_eq!(run(-1.0, false, 0.5), (1, 0));
    assert_eq!(run(1.0, false, 1.5), (0, 0));
    // At the wall it turns round: neither clock sees it again.
    assert_eq!(run(0.0, true, 100.0), (1, 0));
}

simulation! {
    /// Elements that decay the faster the more neighbours they have, which come.
    #[derive(Clone, Debug)]
    model Decay {
        index node = 0..3;
        state relation near(i in node) -> node = std::iter::empty::<usize>();
        state x[i in node]: f64 = 1.0;
        flow x[i in node] = x[i] * (-dt * near(i).count() as f64).exp();
        clock joins: at(1.0) => { near.insert(0, 1); near.insert(0, 2); near.insert(1, 2); }
        observe x[i in node] = x[i];
    }
}

#[test]
fn a_flow_may_use_a_relation_that_changes() {
    let mut sim = Decay {}.start(0).unwrap();
    let mut average = clockrace::record::TimeAverage::new();
    let mut path = clockrace::record::Path::of(["x"]);
    sim.run_with(&mut (&mut average, &mut path), 3.0).unwrap();
    let state = sim.state();
    assert_eq!(state.x, [(-4.0_f64).exp(), (-2.0_f64).exp(), 1.0]);
    for (k, neighbours) in [2.0_f64, 1.0].into_iter().enumerate() {
        let mean = (1.0 + (1.0 - (-2.0 * neighbours).exp()) / neighbours) / 3.0;
        let name = format!("x[{k}]");
        // By five points, and by as many as it takes.
        assert!((average.mean(&name).unwrap() - mean).abs() < 1e-6, "{name}");
        assert!((path.mean(&name).unwrap() - mean).abs() < 1e-9, "{name}");
    }
}

simulation! {
    /// Crossings of an element that depends on state, exact and searched, and a relation that begins empty.
    model Picked {
        index point = 0..3;
        state relation link(i in point) -> point;
        state x[k in point]: f64 = 1.0 + k as f64;
        state pick: usize = 0;
        state seen: Vec<(usize, f64)> = Vec::new();
        flow x[k in point] = x[k] - dt;
        let watched = x[pick];
        clock exact: crosses(x[pick], down) => { link.insert(0, pick); seen.push((pick, now)); pick = 1; }
        clock searched if pick == 1: crosses(watched.powi(3), down, step = 0.1) => { seen.push((pick, now)); pick = 2; }
    }
}

#[test]
fn a_crossing_may_depend_on_which_element_it_is() {
    let mut sim = Picked {}.start(0).unwrap();
    sim.run_until(2.5).unwrap();
    let seen = sim.state().seen.clone();
    // At 1 the first is zero, and the clock looks at the second, which is zero at 2 for both clocks.
    assert_eq!(seen.len(), 3, "{seen:?}");
    for ((pick, time), (picked, at)) in seen.into_iter().zip([(0, 1.0), (1, 2.0), (1, 2.0)]) {
        assert_eq!(pick, picked);
        assert!((time - at).abs() < 1e-9);
    }
}
