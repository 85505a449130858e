//! Paths of models with flows.

use super::*;
use crate::error::ErrorKind;
use crate::record::testing::{Sites, Steps};
use crate::simulation::Simulation;
use crate::{Observer, View, simulation};

simulation! {
    /// Up and down between 0 and 1, each for one unit of time.
    #[derive(Clone, Debug)]
    model Triangle {
        state x: f64 = 0.0;
        state v: f64 = 1.0;
        state turns: u64 = 0;
        state mode: Option<bool> = None;
        flow x = x + v * dt;
        clock turn: every(1.0) => { v = -v; turns += 1; mode = Some(v > 0.0); }
    }
}

simulation! {
    /// A ball that falls from 1 with acceleration 2 and bounces.
    #[derive(Clone, Debug)]
    model Ball {
        param g: f64 = 2.0;
        state h: f64 = 1.0;
        state w: f64 = 0.0;
        flow (h, w) = (h + w * dt - 0.5 * g * dt * dt, w - g * dt);
        clock bounce: every(2.0, from = 1.0) => { w = -w; }
    }
}

simulation! {
    /// Shots of 1 at integer times, which decay.
    #[derive(Clone, Debug)]
    model Decay {
        param k: f64 = 0.7;
        state x: f64 = 0.0;
        state k_now: f64 = 0.0;
        state shots: u64 = 0;
        flow x = x * (-k_now * dt).exp();
        clock shot: every(1.0) => { x += 1.0; shots += 1; }
        // What the flow reads changes too.
        clock faster: every(4.0, from = 0.5) => { k_now = k; }
        clock slower: every(4.0, from = 2.5) => { k_now = 0.0; }
    }
}

simulation! {
    /// Oscillators that are kicked at random.
    #[derive(Clone, Debug)]
    model Boomerang {
        param size: usize = 3;
        index axis = 0..size;
        state x[i in axis]: f64 = 1.0 + i as f64;
        state v[i in axis]: f64 = 0.0;
        flow (x[i], v[i]) [i in axis] = (x[i] * dt.cos() + v[i] * dt.sin(), v[i] * dt.cos() - x[i] * dt.sin());
        clock kick[i in axis]: rate(0.8) => { v[i] = rng.random_range(-1.0..1.0); }
        observe x[i in axis] = x[i];
        observe v[i in axis] = v[i];
    }
}

simulation! {
    /// Zig-Zag for a standard normal distribution that sticks to 0, by thinning.
    #[derive(Clone, Debug)]
    model Zigs {
        param size: usize = 4;
        param stick: f64 = 0.0;
        index axis = 0..size;
        state x[i in axis]: f64 = 0.5 - 0.3 * i as f64;
        state v[i in axis]: f64 = if i % 2 == 0 { 1.0 } else { -1.0 };
        state stuck[i in axis]: bool = false;
        state kept[i in axis]: f64 = 0.0;
        flow x[i in axis] = x[i] + v[i] * dt;
        clock flip[i in axis] if !stuck[i]: hazard(|_s| (x[i] * v[i]).max(0.0), bound = affine(x[i] * v[i] + 0.5, 1.0)) => {
            v[i] = -v[i];
        }
        clock freeze[i in axis] if stick > 0.0 && !stuck[i]:
            at(if x[i] * v[i] < 0.0 { now - x[i] / v[i] } else { never }) => {
            x[i] = 0.0;
            kept[i] = v[i];
            v[i] = 0.0;
            stuck[i] = true;
        }
        clock thaw[i in axis] if stuck[i]: rate(stick) => { v[i] = kept[i]; stuck[i] = false; }
        observe x[i in axis] = x[i];
        observe v[i in axis] = v[i];
        observe product = x[0] * x[1];
        observe late = now;
    }
}

#[derive(Debug, thiserror::Error)]
#[error("empty")]
struct Empty;

fn drained(level: f64, time: f64) -> Result<f64, Empty> {
    if time <= 1.0 { Ok(level - time.sin()) } else { Err(Empty) }
}

simulation! {
    /// Its flow fails after one unit of time.
    #[derive(Clone, Debug)]
    model Drain {
        state level: f64 = 1.0;
        state n: u64 = 0;
        flow level = drained(level, dt)?;
        clock count: at(if n == 0 { 2.0 } else { never }) => { n += 1; }
    }
}

fn close(a: f64, b: f64, tolerance: f64) {
    assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} is not {b}");
}

fn run<M: Model + Clone>(mut sim: Simulation<M>, path: Path<M>, until: f64) -> Path<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    let mut path = path;
    sim.run_with(&mut path, until).unwrap();
    path
}

/// Sums over a run, interval by interval, of values that a function takes from a view: what the
/// recorders should find. Simpson's rule in `parts` parts of each interval.
struct Reference<F> {
    take: F,
    since: f64,
    parts: u32,
    time: f64,
    sums: Vec<f64>,
    products: Vec<Vec<f64>>,
}

impl<F> Reference<F> {
    fn new(since: f64, parts: u32, take: F) -> Self {
        Reference { take, since, parts, time: 0.0, sums: Vec::new(), products: Vec::new() }
    }

    fn mean(&self, i: usize) -> f64 {
        self.sums[i] / self.time
    }

    fn covariance(&self, i: usize, j: usize) -> f64 {
        self.products[i][j] / self.time - self.mean(i) * self.mean(j)
    }
}

impl<M: Model, F: Fn(&M::State) -> Vec<f64>> Observer<M> for Reference<F> {
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        let from = view.now().max(self.since);
        if until <= from {
            return Ok(());
        }
        self.time += until - from;
        let width = (until - from) / f64::from(2 * self.parts);
        for k in 0..=2 * self.parts {
            let factor = if k == 0 || k == 2 * self.parts { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
            let values = (self.take)(&view.at(from + f64::from(k) * width).state());
            self.sums.resize(values.len(), 0.0);
            self.products.resize(values.len(), vec![0.0; values.len()]);
            for (i, value) in values.iter().enumerate() {
                self.sums[i] += factor * width / 3.0 * value;
                for (j, other) in values.iter().enumerate() {
                    self.products[i][j] += factor * width / 3.0 * value * other;
                }
            }
        }
        Ok(())
    }
}

#[test]
fn linear_pieces_are_exact() {
    let path = run(Triangle {}.start(0).unwrap(), Path::of(["x", "v", "turns"]), 10.0);
    assert_eq!(path.names(), ["x", "v", "turns"]);
    assert_eq!(path.range(), Some((0.0, 10.0)));
    close(path.mean("x").unwrap(), 0.5, 1e-15);
    close(path.variance("x").unwrap(), 1.0 / 12.0, 1e-15);
    close(path.second_moment("x").unwrap(), 1.0 / 3.0, 1e-15);
    close(path.mean("v").unwrap(), 0.0, 1e-15);
    close(path.variance("v").unwrap(), 1.0, 1e-15);
    close(path.covariance("x", "v").unwrap(), 0.0, 1e-15);
    assert_eq!(path.mean("turns"), Some(4.5));
    close(path.variance("turns").unwrap(), 99.0 / 12.0, 1e-15);
    // Up and down are as likely early as late.
    let matrix = path.covariances().unwrap();
    for (i, one) in path.names().iter().enumerate() {
        for (j, other) in path.names().iter().enumerate() {
            assert_eq!(matrix[i][j], path.covariance(one, other).unwrap(), "{one} {other}");
        }
    }
    assert_eq!(matrix[1][2], path.covariance("v", "turns").unwrap());
    close(matrix[1][2], -0.5, 1e-14);
    assert_eq!(path.skeleton("x").unwrap().len(), 10);
    let piece = Piece { start: 3.0, end: 4.0, value: 1.0, slope: -1.0, curvature: 0.0 };
    assert_eq!(path.skeleton("x").unwrap()[3], piece);
}

#[test]
fn quadratic_pieces_are_exact() {
    let path = run(Ball::default().start(0).unwrap(), Path::of(["h", "w"]), 24.0);
    close(path.mean("h").unwrap(), 2.0 / 3.0, 1e-14);
    close(path.variance("h").unwrap(), 4.0 / 45.0, 1e-14);
    close(path.variance("w").unwrap(), 4.0 / 3.0, 1e-14);
    close(path.covariance("h", "w").unwrap(), 0.0, 1e-14);
    // Energy is conserved, of degree 2 · 2.
    let energy = path.functional(["h", "w"], |at| 2.0 * at[0] + 0.5 * at[1] * at[1]).unwrap();
    close(energy.mean(), 2.0, 1e-14);
    close(energy.variance(), 0.0, 1e-14);
    close(energy.integral(), 48.0, 1e-13);
    // The mean of (1 − s²)⁷ is 2048/6435.
    close(path.functional(["h"], |at| at[0].powi(7)).unwrap().mean(), 2048.0 / 6435.0, 1e-14);
    let first = path.skeleton("h").unwrap()[0];
    assert_eq!(first, Piece { start: 0.0, end: 1.0, value: 1.0, slope: 0.0, curvature: -2.0 });
    close(path.value("h", 2.5).unwrap(), 0.75, 1e-14);
}

#[test]
fn decay_is_sampled_to_the_last_digits() {
    let mut sim = Decay::default().start(0).unwrap();
    let mut path = Path::of(["x", "k_now"]);
    sim.run_with(&mut path, 12.3).unwrap();
    // Event by event: the value, and the integrals of it and of its square.
    let (mut x, mut k, mut area, mut square, mut now) = (0.0_f64, 0.0, 0.0, 0.0, 0.0);
    let mut events: Vec<f64> = (1..=12).map(f64::from).chain((0..12).map(|k| 0.5 + 2.0 * f64::from(k))).collect();
    events.push(12.3);
    events.sort_by(f64::total_cmp);
    for time in events.into_iter().filter(|time| *time <= 12.3) {
        let dt = time - now;
        let f: f64 = x * f64::exp(-k * dt);
        area += if k == 0.0 { x * dt } else { (x - f) / k };
        square += if k == 0.0 { x * x * dt } else { (x * x - f * f) / (2.0 * k) };
        (x, now) = (f, time);
        if time.fract() == 0.0 {
            x += 1.0;
        } else if time < 12.3 {
            k = if (time - 0.5) % 4.0 == 0.0 { 0.7 } else { 0.0 };
        }
    }
    close(path.mean("x").unwrap(), area / 12.3, 1e-12);
    close(path.second_moment("x").unwrap(), square / 12.3, 1e-12);
    close(path.value("x", 12.3).unwrap(), x, 1e-14);
    close(path.value("x", 12.3).unwrap(), sim.state().x, 1e-15);
    // Times before the first shot, and while nothing decays.
    assert_eq!(path.value("x", 0.7), Some(0.0));
    assert!(path.occupation("x", 0.0).unwrap() > 0.99 / 12.3);
    assert!(path.skeleton("x").unwrap().iter().all(|piece| piece.slope.is_nan()));
    // Each event that touches x or what it flows by, and none else, begins a piece.
    assert_eq!(path.skeleton("x").unwrap().len(), 1 + 12 + 6);
    assert_eq!(path.skeleton("k_now").unwrap().len(), 1 + 6);
}

#[test]
fn oscillators_with_random_kicks() {
    for seed in 0..3 {
        let mut path = Path::of(["x", "v"]).since(1.5);
        let mut moments = PathMoments::of(["v", "x[1]", "x"]).since(1.5);
        let mut reference = Reference::new(1.5, 400, |state: &BoomerangState| [&state.x[..], &state.v].concat());
        let mut sim = Boomerang::default().start(seed).unwrap();
        sim.run_with(&mut (&mut path, &mut moments, &mut reference), 30.0).unwrap();
        assert_eq!(moments.names(), ["v[0]", "v[1]", "v[2]", "x[1]", "x[0]", "x[2]"]);
        let names = path.names();
        let matrix = path.covariances().unwrap();
        for (i, name) in names.iter().enumerate() {
            close(path.mean(name).unwrap(), reference.mean(i), 1e-10);
            close(path.mean(name).unwrap(), moments.mean(name).unwrap(), 1e-13);
            close(path.variance(name).unwrap(), moments.variance(name).unwrap(), 1e-13);
            for (j, other) in names.iter().enumerate() {
                close(path.covariance(name, other).unwrap(), reference.covariance(i, j), 1e-10);
                close(matrix[i][j], reference.covariance(i, j), 1e-10);
            }
        }
        // x² + v² stays between kicks.
        let radius = path.functional(["x[0]", "v[0]"], |at| at[0].hypot(at[1])).unwrap();
        let pieces = path.skeleton("v[0]").unwrap();
        let at_start = |piece: &Piece| {
            let start = piece.start;
            path.value("x[0]", start).unwrap().hypot(path.value("v[0]", start).unwrap()) * (piece.end - start)
        };
        close(radius.integral(), pieces.iter().map(at_start).sum(), 1e-11);
        assert_eq!(moments.means_of("x").unwrap(), ["x[0]", "x[1]", "x[2]"].map(|x| moments.mean(x).unwrap()));
    }
}

#[test]
fn many_zigs_under_thinning() {
    for (seed, stick) in [(1, 0.0), (2, 0.0), (3, 1.0), (4, 2.0)] {
        let mut path = Path::of(["x", "v", "kept[2]"]).since(2.0);
        let mut moments = PathMoments::of(["x", "v"]).since(2.0).occupation_of(0.0);
        let take = |state: &ZigsState| [&state.x[..], &state.v, &state.kept[2..3]].concat();
        let mut reference = Reference::new(2.0, 1, take);
        let mut sim = Zigs { stick, ..Zigs::default() }.start(seed).unwrap();
        sim.run_with(&mut (&mut path, &mut moments, &mut reference), 60.0).unwrap();
        for (i, name) in path.names().iter().enumerate() {
            close(path.mean(name).unwrap(), reference.mean(i), 1e-12);
            for (j, other) in path.names().iter().enumerate() {
                close(path.covariance(name, other).unwrap(), reference.covariance(i, j), 1e-12);
            }
        }
        for name in moments.names() {
            close(moments.mean(&name).unwrap(), path.mean(&name).unwrap(), 1e-13);
            close(moments.second_moment(&name).unwrap(), path.second_moment(&name).unwrap(), 1e-13);
        }
        let stuck = path.occupations_of("x", 0.0).unwrap();
        assert_eq!(stuck.iter().all(|&fraction| fraction == 0.0), stick == 0.0);
        for (one, other) in stuck.iter().zip(moments.occupations_of("x").unwrap()) {
            close(*one, other, 1e-13);
        }
        let at_rest = path.occupations_of("v", 0.0).unwrap();
        stuck.iter().zip(at_rest).for_each(|(one, other)| close(*one, other, 1e-13));
        // Any functional of degree 3 is exact.
        let cubic = path.average_of(|at| at[0] * at[1] * at[2] + at[4] * at[0]).unwrap();
        let mut direct = Reference::new(2.0, 1, |state: &ZigsState| {
            vec![state.x[0] * state.x[1] * state.x[2] + state.v[0] * state.x[0]]
        });
        Zigs { stick, ..Zigs::default() }.start(seed).unwrap().run_with(&mut direct, 60.0).unwrap();
        close(cubic, direct.mean(0), 1e-12);
        close(path.integral_of(|at| at[8]).unwrap() / 58.0, path.mean("kept[2]").unwrap(), 1e-13);
    }
}

/// Everything that a path says, bit by bit.
fn print<M: Model>(path: &Path<M>) -> Vec<u8> {
    let mut text = Vec::new();
    path.write_csv(&mut text).unwrap();
    path.on_grid(0.37).unwrap().write_csv(&mut text).unwrap();
    for name in path.names() {
        let batches = path.batch_means(&name, 7);
        let ess = path.effective_sample_size(&name, 7);
        text.extend(format!("{:?} {:?} {batches:?} {ess:?}", path.mean(&name), path.variance(&name)).bytes());
    }
    text.extend(format!("{:?} {:?}", path.covariances(), path.average_of(|at| at[0].sin())).bytes());
    text
}

fn print_moments<M: Model>(moments: &PathMoments<M>) -> String {
    let of = |name: String| {
        let error = moments.standard_error(&name);
        format!("{:?} {:?} {error:?} {:?}", moments.mean(&name), moments.variance(&name), moments.occupation(&name))
    };
    moments.names().into_iter().map(of).collect()
}

fn cut_at<M: Model + Clone>(start: impl Fn() -> Simulation<M>, names: &[&str], cuts: &[f64])
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    for since in [0.0, 3.21] {
        let recorders = || {
            let moments = PathMoments::of(names.iter().copied()).since(since).batches_of(1.7).unwrap();
            (Path::of(names.iter().copied()).since(since), moments.occupation_of(0.0))
        };
        let mut whole = recorders();
        start().run_with(&mut whole, 20.0).unwrap();
        let mut cut = recorders();
        let mut sim = start();
        for &until in cuts {
            sim.run_with(&mut cut, until).unwrap();
            // Reading leaves no trace either.
            let _ = (print(&cut.0), print_moments(&cut.1), sim.state());
        }
        sim.run_with(&mut cut, 20.0).unwrap();
        assert!(print(&whole.0) == print(&cut.0));
        assert_eq!(print_moments(&whole.1), print_moments(&cut.1));
    }
}

#[test]
fn cutting_a_run_changes_no_bit() {
    let fine: Vec<f64> = (0..200).map(|k| 0.1 * f64::from(k)).collect();
    for cuts in [&[0.0, 1.0, 1.0, 2.5, 7.0, 7.77][..], &[0.5, 3.21], &fine] {
        cut_at(|| Triangle {}.start(1).unwrap(), &["x", "v"], cuts);
        cut_at(|| Ball::default().start(1).unwrap(), &["h", "w"], cuts);
        cut_at(|| Decay::default().start(1).unwrap(), &["x", "shots"], cuts);
        cut_at(|| Boomerang::default().start(1).unwrap(), &["x", "v[1]"], cuts);
        cut_at(|| Zigs { stick: 1.0, ..Zigs::default() }.start(1).unwrap(), &["x", "v"], cuts);
        cut_at(|| Sites::of(3, 2), &["u", "sum"], cuts);
    }
}

#[test]
fn the_run_does_not_change() {
    for stick in [0.0, 1.0] {
        let start = || Zigs { stick, ..Zigs::default() }.start(3).unwrap();
        let (mut plain, mut seen) = (start(), start());
        plain.run_until(30.0).unwrap();
        seen.run_with(&mut (Path::of(["x", "v"]), PathMoments::of(["x"]), crate::record::TimeAverage::new()), 30.0)
            .unwrap();
        assert_eq!((&plain.state().x, plain.next_time()), (&seen.state().x, seen.next_time()));
    }
}

#[test]
fn a_clone_follows_a_branch() {
    let mut sim = Boomerang::default().start(5).unwrap();
    let mut path = Path::of(["x"]);
    sim.run_with(&mut path, 10.0).unwrap();
    let (mut branch, mut copy) = (sim.clone(), path.clone());
    sim.run_with(&mut path, 20.0).unwrap();
    assert!(print(&copy) != print(&path));
    branch.run_with(&mut copy, 20.0).unwrap();
    assert!(print(&copy) == print(&path));
}

#[test]
fn a_state_changed_at_a_cut_goes_on_from_there() {
    // On an event, between events, and twice in a row.
    for at in [2.0, 2.25] {
        let mut sim = Triangle {}.start(0).unwrap();
        let mut path = Path::of(["x", "v", "turns"]);
        sim.run_with(&mut path, at).unwrap();
        let before = path.value("x", at).unwrap();
        close(before, if at == 2.0 { 0.0 } else { 0.25 }, 1e-15);
        sim.update(|state| state.x = 77.0).unwrap();
        sim.run_with(&mut path, at).unwrap();
        sim.update(|state| (state.x, state.turns) = (7.0, 70)).unwrap();
        sim.run_with(&mut path, 3.0).unwrap();
        let rest = 3.0 - at;
        let area = 1.0 + 0.5 * (at - 2.0) * (at - 2.0) + rest * (7.0 + 0.5 * rest);
        close(path.mean("x").unwrap() * 3.0, area, 1e-14);
        close(path.mean("turns").unwrap() * 3.0, 1.0 + 2.0 * (at - 2.0) + 70.0 * rest, 1e-14);
        assert_eq!(path.value("x", at), Some(7.0));
        close(path.value("x", 2.5).unwrap(), 7.0 + 2.5 - at, 1e-15);
        assert_eq!(path.value("turns", 2.9), Some(70.0));
        assert_eq!(path.value("turns", 1.5), Some(1.0));
    }
    // What others flow by is changed.
    let mut sim = Decay { k: 0.0 }.start(0).unwrap();
    let mut path = Path::of(["x"]);
    sim.run_with(&mut path, 1.25).unwrap();
    sim.update(|state| state.k_now = 2.0).unwrap();
    sim.run_with(&mut path, 1.75).unwrap();
    close(path.mean("x").unwrap() * 1.75, 0.25 + 0.5 * (1.0 - f64::exp(-1.0)), 1e-12);
    close(path.value("x", 1.5).unwrap(), f64::exp(-0.5), 1e-12);
}

#[test]
fn the_warm_up_is_left_out() {
    for since in [0.5, 2.0, 2.75] {
        let path = run(Triangle {}.start(0).unwrap(), Path::of(["x", "v"]).since(since), 4.0);
        assert_eq!(path.range(), Some((since, 4.0)));
        let area = |t: f64| {
            t.floor() * 0.5 + if t % 2.0 < 1.0 { 0.5 * t.fract().powi(2) } else { t.fract() - 0.5 * t.fract().powi(2) }
        };
        close(path.mean("x").unwrap(), (area(4.0) - area(since)) / (4.0 - since), 1e-15);
        assert_eq!(path.skeleton("x").unwrap()[0].start, since);
        assert_eq!(path.value("x", since - 0.1), None);
        close(
            path.value("x", since).unwrap(),
            if since == 2.0 {
                0.0
            } else if since == 0.5 {
                0.5
            } else {
                0.75
            },
            1e-15,
        );
        let decay = run(Decay::default().start(0).unwrap(), Path::of(["x"]).since(since), 9.0);
        let mut reference = Reference::new(since, 200, |state: &DecayState| vec![state.x]);
        Decay::default().start(0).unwrap().run_with(&mut reference, 9.0).unwrap();
        close(decay.mean("x").unwrap(), reference.mean(0), 1e-11);
    }
    let path = run(Triangle {}.start(0).unwrap(), Path::of(["x"]).since(5.0), 4.0);
    assert_eq!((path.range(), path.mean("x"), path.value("x", 4.0)), (None, None, None));
    assert_eq!(path.skeleton("x"), Some(Vec::new()));
    assert_eq!(path.names(), ["x"]);
}

#[test]
fn values_are_those_after_all_events_of_a_time() {
    let path = run(Steps::at([1.0, 2.0, 2.0]).run(), Path::of(["n"]), 3.0);
    assert_eq!(path.values("n", &[0.0, 0.5, 1.0, 1.5, 2.0, 3.0]).unwrap(), [0.0, 0.0, 1.0, 1.0, 3.0, 3.0]);
    let mut grid = Grid::every(0.5).unwrap();
    Steps::at([1.0, 2.0, 2.0]).run().run_with(&mut grid, 3.0).unwrap();
    let mine = path.on_grid(0.5).unwrap();
    assert_eq!((mine.times(), mine.values("n")), (grid.times(), grid.values("n")));
    // The end belongs to the path, its events included.
    let path = run(Steps::at([1.0, 2.0, 2.0]).run(), Path::of(["n"]), 2.0);
    assert_eq!(path.values("n", &[1.9, 2.0]).unwrap(), [1.0, 3.0]);
    assert_eq!(path.skeleton("n").unwrap().len(), 2);
    // Events at the start belong to the start.
    let path = run(Steps::at([0.0, 0.0]).run(), Path::of(["n"]), 1.0);
    assert_eq!((path.value("n", 0.0), path.mean("n")), (Some(2.0), Some(2.0)));
}

#[test]
fn rows_at_times_are_those_of_a_grid() {
    let mut path = Path::of(["x", "v"]);
    let mut grid = Grid::every(0.3).unwrap();
    let mut sim = Boomerang::default().start(9).unwrap();
    sim.run_with(&mut (&mut path, &mut grid), 12.0).unwrap();
    let mine = path.on_grid(0.3).unwrap();
    assert_eq!((mine.times(), mine.outputs()), (grid.times(), grid.outputs()));
    for ((_, a), (_, b)) in mine.rows().zip(grid.rows()) {
        a.iter().zip(b).for_each(|(a, b)| close(*a, *b, 1e-11));
    }
    assert_eq!(mine.members("v", 3), mine.row(3).map(|row| &row[3..]));
    let two = path.at_times([0.3, 11.0]).unwrap();
    assert_eq!(two.row(0), mine.row(1));
    assert_eq!(two.values("x[1]").unwrap(), path.values("x[1]", &[0.3, 11.0]).unwrap());
    for times in [vec![-0.1], vec![1.0, 12.1], vec![f64::NAN], vec![2.0, 1.0]] {
        assert!(matches!(path.at_times(times).unwrap_err().kind(), ErrorKind::Time { .. }));
    }
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(path.on_grid(step).unwrap_err().kind(), ErrorKind::Period { .. }));
    }
    // Such a grid follows no simulation.
    let mut complete = two;
    assert!(sim.run_with(&mut complete, 13.0).is_err());
}

#[test]
fn batches_of_a_path() {
    let path = run(Triangle {}.start(0).unwrap(), Path::of(["x", "turns"]), 10.0);
    assert_eq!(path.batch_means("turns", 5).unwrap().values(), [0.5, 2.5, 4.5, 6.5, 8.5]);
    let quarters = path.batch_means("x", 20).unwrap();
    for (k, mean) in quarters.values().iter().enumerate() {
        close(*mean, if k % 4 == 0 || k % 4 == 3 { 0.25 } else { 0.75 }, 1e-14);
    }
    let turns = path.batch_means("turns", 5).unwrap();
    let error = turns.standard_error();
    close(path.effective_sample_size("turns", 5).unwrap(), path.variance("turns").unwrap() / (error * error), 1e-14);
    let double = path.functional(["turns", "x"], |at| 2.0 * at[0]).unwrap();
    assert_eq!(double.batch_means(5).unwrap().values(), turns.values().iter().map(|v| 2.0 * v).collect::<Vec<_>>());
    close(double.effective_sample_size(5).unwrap(), path.effective_sample_size("turns", 5).unwrap(), 1e-12);
    assert!(path.batch_means("x", 0).is_none() && double.batch_means(0).is_none());
    assert!(path.batch_means("y", 3).is_none());
    // The sums of the other recorder, with batches as long as these.
    let mut moments = PathMoments::of(["turns"]).batches_of(2.0).unwrap();
    Triangle {}.start(0).unwrap().run_with(&mut moments, 11.5).unwrap();
    assert_eq!(moments.batches(), 5);
    close(moments.standard_error("turns").unwrap(), error, 1e-15);
    for length in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(PathMoments::<Triangle>::of(["x"]).batches_of(length).is_err());
    }
}

/// The standard error is right: distances from the truth, in standard errors, have a variance of about one, and
/// the effective sample size is known.
#[test]
fn standard_errors_tell_how_far_means_are_off() {
    let (mut squares, mut size) = (0.0, 0.0);
    let (runs, time) = (60, 2000.0);
    for seed in 0..runs {
        let mut path = Path::of(["x[0]"]).since(10.0);
        let mut moments = PathMoments::of(["x[0]"]).since(10.0).batches_of(time / 40.0).unwrap();
        let mut sim = Zigs { size: 2, ..Zigs::default() }.start(seed).unwrap();
        sim.run_with(&mut (&mut path, &mut moments), 10.0 + time).unwrap();
        let error = path.batch_means("x[0]", 40).unwrap().standard_error();
        close(moments.standard_error("x[0]").unwrap(), error, 1e-9);
        let effective = path.effective_sample_size("x[0]", 40).unwrap();
        close(moments.effective_sample_size("x[0]").unwrap(), effective, 1e-6);
        squares += (path.mean("x[0]").unwrap() / error).powi(2) / runs as f64;
        size += effective / runs as f64;
    }
    // Student's t with 39 degrees of freedom has the variance 39/37, and its square one of about 2.4.
    assert!((squares - 39.0 / 37.0).abs() < 4.0 * (2.4 / runs as f64).sqrt(), "{squares}");
    // −Lφ = x has the solution φ(x, v) = x|x|/2 + v, so that the asymptotic variance of the mean of x is
    // E|x|³ = 2 √(2/π). One over the square of the standard error is 39/37 of what it should be on average, with a
    // standard deviation of about a quarter.
    let truth = time / (2.0 * (2.0 / std::f64::consts::PI).sqrt()) * 39.0 / 37.0;
    assert!((size / truth - 1.0).abs() < 4.0 * 0.25 / (runs as f64).sqrt(), "{size} {truth}");
}

#[test]
fn sticky_coordinates_are_where_they_should_be() {
    // Sticking to 0 with thaw rate κ and speed 1: the normal distribution of unit mass 1, an atom of mass
    // 1/(κ √(2π)).
    let kappa = 1.0;
    let atom = 1.0 / (kappa * (2.0 * std::f64::consts::PI).sqrt());
    let truth = atom / (1.0 + atom);
    for seed in 0..4 {
        let mut path = Path::of(["x"]).since(10.0);
        let mut sim = Zigs { size: 2, stick: kappa }.start(seed).unwrap();
        sim.run_with(&mut path, 4010.0).unwrap();
        for name in ["x[0]", "x[1]"] {
            let there = path.functional([name], |at| f64::from(u8::from(at[0] == 0.0))).unwrap();
            let error = there.batch_means(40).unwrap().standard_error();
            close(there.mean(), path.occupation(name, 0.0).unwrap(), 1e-12);
            assert!((there.mean() - truth).abs() < 4.5 * error, "{} {truth} {error}", there.mean());
        }
    }
}

#[test]
fn families_and_members_by_name() {
    let mut path = Path::of(["u[1]", "sum", "u"]);
    Sites::of(3, 2).run_with(&mut path, 4.0).unwrap();
    assert_eq!(path.names(), ["u[1]", "sum", "u[0]", "u[2]"]);
    assert_eq!(path.means_of("u").unwrap(), [1.5, 0.5, 0.25]);
    assert_eq!(path.variances_of("u").unwrap(), [1.25, 0.25, 0.1875]);
    assert_eq!(path.means_of("sum").unwrap(), [2.25]);
    assert_eq!(path.mean("u[2]"), Some(0.25));
    assert_eq!(path.functional(["u", "sum"], |at| at[0] - at[3] + 10.0 * at[1]).unwrap().mean(), 1.5 - 2.25 + 5.0);
    for other in ["", "u", "u[3]", "u[", "u[]", "u[01]", "u[+1]", "u[1][0]", "u]", "sum[0]", "other"] {
        assert_eq!(path.mean(other), None, "{other}");
    }
    assert_eq!((path.means_of("other"), path.means_of("u[3]")), (None, None));
    assert!(path.functional(["u", "other"], |_| 0.0).is_none());
    let mut again = Path::of(["u", "u[1]"]);
    Sites::of(3, 2).run_with(&mut again, 4.0).unwrap();
    assert_eq!(again.names(), ["u[0]", "u[1]", "u[2]"]);
    let mut one = Path::of(["u[2]", "u[2]"]);
    Sites::of(3, 2).run_with(&mut one, 4.0).unwrap();
    assert_eq!((one.names(), one.means_of("u")), (vec!["u[2]".to_owned()], Some(vec![0.25])));
    assert_eq!((one.mean("u[0]"), one.means_of("u[0]")), (None, None));
    let mut single = Path::of(["u"]);
    Sites::of(1, 2).run_with(&mut single, 4.0).unwrap();
    assert_eq!((single.mean("u"), single.mean("u[0]")), (Some(1.5), Some(1.5)));
    let mut none = Path::of(["u"]);
    Sites::of(0, 2).run_with(&mut none, 1.0).unwrap();
    assert_eq!((none.names().len(), none.means_of("u")), (0, Some(Vec::new())));
}

#[test]
fn unknown_names_are_refused() {
    for (name, reason) in [
        ("y", "no such state variable"),
        ("x[1]", "no such member"),
        ("x[", "no such state variable"),
        ("mode", "not a number"),
        ("turn", "no such state variable"),
    ] {
        let mut sim = Triangle {}.start(0).unwrap();
        let error = sim.run_with(&mut Path::of(["x", name]), 1.0).unwrap_err();
        let ErrorKind::Coordinate { name: asked, known, .. } = error.kind() else { panic!("{error}") };
        assert_eq!((asked.as_str(), &known[..]), (name, &["x", "v", "turns"][..]));
        let text = error.to_string();
        assert!(text.contains(&format!("`{name}`")) && text.contains(reason), "{text}");
        assert!(text.ends_with("there can be paths of `x`, `v`, `turns`"), "{text}");
        // The simulation is as it was.
        sim.run_with(&mut PathMoments::of(["x"]), 1.0).unwrap();
    }
    let error = Sites::of(3, 2).run_with(&mut PathMoments::of(["u[3]"]), 1.0).unwrap_err();
    assert!(error.to_string().contains("`u[3]`: it has no such member"), "{error}");
}

#[test]
fn a_path_has_no_gaps_and_one_simulation() {
    let reason = |error: &SimError| error.to_string();
    let mut sim = Triangle {}.start(0).unwrap();
    let mut path = Path::of(["x"]);
    sim.run_with(&mut path, 1.0).unwrap();
    sim.run_until(1.5).unwrap();
    let error = sim.run_with(&mut path, 2.0).unwrap_err();
    assert!(reason(&error).contains("no gaps"), "{error}");
    let error = Triangle {}.start(0).unwrap().run_with(&mut path, 0.5).unwrap_err();
    assert!(reason(&error).contains("use a new one"), "{error}");
    assert_eq!((path.range(), path.mean("x")), (Some((0.0, 1.0)), Some(0.5)));
    path.reset();
    assert_eq!((path.range(), path.mean("x"), path.names().len()), (None, None, 0));
    sim.run_with(&mut path, 4.0).unwrap();
    assert_eq!(path.range(), Some((1.5, 4.0)));
    close(path.mean("x").unwrap(), (0.125 + 0.5 + 0.5) / 2.5, 1e-14);
    // As late, and of another size.
    let mut path = Path::of(["u"]);
    Sites::of(3, 2).run_with(&mut path, 2.0).unwrap();
    let mut other = Sites::of(4, 2);
    other.run_until(2.0).unwrap();
    let error = other.run_with(&mut path, 3.0).unwrap_err();
    assert!(reason(&error).contains("another size"), "{error}");
}

#[test]
fn a_flow_that_fails_has_no_values() {
    let mut path = Path::of(["level", "n"]);
    let mut moments = PathMoments::of(["level"]);
    let mut sim = Drain {}.start(0).unwrap();
    sim.run_with(&mut (&mut path, &mut moments), 1.0).unwrap();
    close(path.mean("level").unwrap(), 1.0 - (1.0 - f64::cos(1.0)), 1e-13);
    close(path.value("level", 1.0).unwrap(), 1.0 - f64::sin(1.0), 1e-15);
    sim.run_with(&mut (&mut path, &mut moments), 3.0).unwrap();
    assert!(path.mean("level").unwrap().is_nan() && moments.mean("level").unwrap().is_nan());
    assert!(path.value("level", 3.0).unwrap().is_nan());
    close(path.mean("n").unwrap(), 1.0 / 3.0, 1e-15);
    // Where the piece ends, so does the run.
    let error = sim.update(|state| state.level = 1.0).unwrap_err();
    assert!(error.to_string().contains("empty"), "{error}");
}

#[test]
fn nothing_observed_is_no_value() {
    let mut path = Path::of(["x", "v"]);
    assert_eq!((path.range(), path.mean("x"), path.value("x", 0.0)), (None, None, None));
    assert!(path.covariances().is_none() && path.average_of(|at| at[0]).is_none());
    assert!(path.on_grid(1.0).unwrap().is_empty());
    assert!(path.at_times([0.0]).is_err());
    Triangle {}.start(0).unwrap().run_with(&mut path, 0.0).unwrap();
    assert_eq!((path.range(), path.mean("x"), path.value("v", 0.0)), (Some((0.0, 0.0)), None, Some(1.0)));
    assert!(path.batch_means("x", 2).is_none() && path.occupation("x", 0.0).is_none());
    assert_eq!(path.on_grid(1.0).unwrap().row(0), Some(&[0.0, 1.0][..]));
}

#[test]
fn csv_has_the_skeleton_in_the_order_of_time() {
    let path = run(Triangle {}.start(0).unwrap(), Path::of(["x", "v"]), 1.5);
    let mut csv = Vec::new();
    path.write_csv(&mut csv).unwrap();
    let rows = [
        "time,coordinate,value,slope,curvature",
        "0,x,0,1,0",
        "0,v,1,0,0",
        "1,x,1,-1,0",
        "1,v,-1,0,0",
        "1.5,x,0.5,,",
        "1.5,v,-1,,",
        "",
    ];
    assert_eq!(String::from_utf8(csv).unwrap(), rows.join("\n"));
    let path = run(Decay::default().start(0).unwrap(), Path::of(["x", "shots"]).since(0.25), 1.0);
    let mut csv = Vec::new();
    path.write_csv(&mut csv).unwrap();
    let csv = String::from_utf8(csv).unwrap();
    let rows: Vec<&str> = csv.lines().skip(1).collect();
    assert_eq!(rows, ["0.25,x,0,,", "0.25,shots,0,0,0", "0.5,x,0,,", "1,x,1,,", "1,shots,1,,"]);
}

#[cfg(feature = "plot")]
#[test]
fn plots_are_svg() {
    let folder = std::env::temp_dir().join(format!("clockrace-plots-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = run(Ball::default().start(0).unwrap(), Path::of(["h", "w"]), 8.0);
    let file = folder.join("h.svg");
    path.plot("h", &file).unwrap();
    let svg = std::fs::read_to_string(&file).unwrap();
    assert!(svg.starts_with("<svg") && svg.contains("<polyline") && svg.contains(">\nh\n<") && svg.contains("time"));
    path.plot_plane("h", "w", &file).unwrap();
    let plane = std::fs::read_to_string(&file).unwrap();
    assert!(plane.contains("<polyline") && !plane.contains("time"));
    let error = path.plot("x", &file).unwrap_err();
    assert!(error.to_string().ends_with("it is not followed; there can be paths of `h`, `w`"), "{error}");
    let error = path.plot_plane("h", "w", folder.join("none").join("h.svg")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::User(_)), "{error}");
    let unseen = run(Ball::default().start(0).unwrap(), Path::of(["h", "w"]), 0.0);
    assert!(unseen.plot("h", &file).unwrap_err().to_string().contains("no time has been observed"));
    std::fs::remove_dir_all(&folder).unwrap();
}
