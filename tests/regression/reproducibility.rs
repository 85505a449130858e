//! The same inputs and seed give the same events, bit for bit, however the run is cut and whatever
//! observes it.

use clockrace::rand_distr::{Exp1, Weibull};
use clockrace::record::{EventLog, Grid, TimeAverage};
use clockrace::{Fired, Model, Outcome, Simulation, simulation};
use proptest::prelude::*;

/// Every kind of clock, each changing what the others read, under both selection methods.
macro_rules! everything {
    ($name:ident, $method:ident) => {
        simulation! {
            #[select($method)]
            model $name {
                param lambda: f64 = 2.0;
                state line: u64 = 0;
                state working: bool = true;
                state done: u64 = 0;
                state shift: f64 = 10.0;
                state picks: u64 = 0;
                tally seen: u64 = 0;
                let load = line as f64 / 10.0;
                clock arrive: rate(lambda) => { line += 1; seen += 1; }
                reaction renege: line -> @ 0.1;
                clock serve if working && line > 0: after(rng.sample(Weibull::new(0.4, 1.5)?)) => { line -= 1; done += 1; }
                clock serve_too if working && line > 2: after(rng.sample::<f64, _>(Exp1), speed(1.0 + load)) => { line -= 1; done += 1; }
                clock check if line > 1: after(rng.random::<f64>(), redraw) => { picks += rng.random_range(0..3_u64); }
                clock wear if working: after(3.0 + rng.random::<f64>(), resume) => { working = false; }
                clock repair if !working: rate(1.0 + load) => { working = true; }
                clock change: at(shift), priority = -1 => { shift += 0.1 * (10 + picks % 7) as f64; line += 2; }
                clock sweep: every(2.5, from = 1.0) => { line /= 2; }
                clock inspect: every(0.1), priority = 1 => { if line > 8 { line -= 1; } }
                observe number = line as f64;
                observe idle = !working;
            }
        }
    };
}

everything!(Direct, direct);
everything!(Next, next_reaction);

const END: f64 = 20.0;

/// A path: the bits of every time, and the events.
type Path<M> = Vec<(u64, <M as Model>::Event)>;

fn push<M: Model>(path: &mut Path<M>, fired: Fired<M::Event>) {
    path.push((fired.time.to_bits(), fired.event));
}

fn run_on<M: Model>(sim: &mut Simulation<M>, until: f64, path: &mut Path<M>) {
    sim.run_each(until, |view, event| path.push((view.now().to_bits(), event))).unwrap();
}

fn whole<M: Model>(model: M, seed: u64) -> Path<M> {
    let mut path = Vec::new();
    run_on(&mut model.start_stream(seed, 0).unwrap(), END, &mut path);
    path
}

/// A way to go on with a run.
#[derive(Clone, Debug)]
enum Piece {
    /// Run to this time, or stay if it has passed.
    To(f64),
    /// Run for this long.
    For(f64),
    /// Up to the next event, exactly.
    ToNext,
    /// Not quite to the next event.
    BeforeNext,
    /// Single steps.
    Steps(usize),
    /// Take some from the iterator and drop it.
    Take(usize),
    /// Go on with a clone.
    Fork,
    /// Look at everything.
    Look,
    /// Run to this time under observers that read the state in between.
    Observed(f64),
    /// Set the tallies back.
    ResetTallies,
}

fn pieces() -> impl Strategy<Value = Vec<Piece>> {
    let piece = prop_oneof![
        (0.0..END).prop_map(Piece::To),
        (0.0..0.3).prop_map(Piece::For),
        Just(Piece::ToNext),
        Just(Piece::BeforeNext),
        (0_usize..5).prop_map(Piece::Steps),
        (0_usize..5).prop_map(Piece::Take),
        Just(Piece::Fork),
        Just(Piece::Look),
        (0.0..END).prop_map(Piece::Observed),
        Just(Piece::ResetTallies),
    ];
    prop::collection::vec(piece, 0..40)
}

fn in_pieces<M: Model + Clone>(model: M, seed: u64, pieces: &[Piece]) -> Path<M>
where
    Simulation<M>: Clone,
{
    let mut sim = model.start_stream(seed, 0).unwrap();
    let mut path = Vec::new();
    for piece in pieces {
        let now = sim.now();
        match *piece {
            Piece::To(t) => run_on(&mut sim, t.max(now), &mut path),
            Piece::For(span) => run_on(&mut sim, (now + span).min(END), &mut path),
            Piece::ToNext if sim.next_time() <= END => {
                let next = sim.next_time();
                run_on(&mut sim, next, &mut path);
            }
            Piece::BeforeNext if sim.next_time() <= END => {
                let before = sim.next_time().next_down().max(now);
                run_on(&mut sim, before, &mut path);
            }
            Piece::Steps(n) => {
                for _ in 0..n {
                    if sim.next_time() <= END {
                        push::<M>(&mut path, sim.step().unwrap().unwrap());
                    }
                }
            }
            Piece::Take(n) => {
                for _ in 0..n {
                    if sim.next_time() <= END {
                        push::<M>(&mut path, sim.events().next().unwrap().unwrap());
                    }
                }
            }
            Piece::Fork => {
                let mut other = sim.clone();
                std::mem::swap(&mut other, &mut sim);
                other.run_until(END).unwrap();
            }
            Piece::Look => {
                sim.observe().map(drop).unwrap();
                sim.view().outputs(&mut [0.0; 2]).unwrap();
            }
            Piece::Observed(t) => {
                let until = t.max(now);
                let mut log = EventLog::new();
                let mut average = TimeAverage::new();
                let mut grid = Grid::every(0.37).unwrap();
                let each =
                    clockrace::on_event(|view: clockrace::View<'_, M>, event| path.push((view.now().to_bits(), event)));
                sim.run_with(&mut (&mut log, &mut average, &mut grid, each), until).unwrap();
            }
            Piece::ResetTallies => sim.reset_tallies().unwrap(),
            Piece::ToNext | Piece::BeforeNext => {}
        }
    }
    run_on(&mut sim, END, &mut path);
    path
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, ..ProptestConfig::default() })]

    #[test]
    fn a_run_in_pieces_is_the_run_direct(seed: u64, pieces in pieces()) {
        prop_assert_eq!(in_pieces(Direct::default(), seed, &pieces), whole(Direct::default(), seed));
    }

    #[test]
    fn a_run_in_pieces_is_the_run_next_reaction(seed: u64, pieces in pieces()) {
        prop_assert_eq!(in_pieces(Next::default(), seed, &pieces), whole(Next::default(), seed));
    }
}

/// All kinds of clocks ring, or the tests above say little.
#[test]
fn every_clock_of_the_model_rings() {
    fn check<M: Model>(model: M) {
        let path = whole(model, 1);
        for clock in M::graph().clocks {
            assert!(path.iter().any(|(_, event)| M::event_name(*event) == clock.name), "{}", clock.name);
        }
    }
    check(Direct::default());
    check(Next::default());
}

#[test]
fn events_are_those_of_run_each() {
    fn check<M: Model>(model: M, again: M) {
        let mut path = Vec::new();
        let mut sim = model.start_stream(7, 0).unwrap();
        for fired in sim.events().take_while(|fired| fired.as_ref().unwrap().time <= END) {
            push::<M>(&mut path, fired.unwrap());
        }
        assert_eq!(path, whole(again, 7));
    }
    check(Direct::default(), Direct::default());
    check(Next::default(), Next::default());
}

#[test]
fn clones_continue_identically_and_independently() {
    let mut sim = Direct::default().start(8).unwrap();
    sim.run_until(5.0).unwrap();
    let mut clone = sim.clone();
    let (mut one, mut two) = (Vec::new(), Vec::new());
    run_on(&mut sim, END, &mut one);
    assert_eq!(clone.now(), 5.0);
    run_on(&mut clone, END, &mut two);
    assert_eq!(one, two);
    assert_eq!(sim.state().done, clone.state().done);
    // A change of one does not reach the other.
    clone.update(|state| state.line = 0).unwrap();
    sim.update(|state| state.line += 1).unwrap();
    assert_ne!(sim.state().line, clone.state().line);
}

#[test]
fn seeds_and_streams_give_different_paths() {
    let path = |seed, stream| {
        let mut path = Vec::new();
        run_on(&mut Direct::default().start_stream(seed, stream).unwrap(), END, &mut path);
        path
    };
    let paths = [path(1, 0), path(1, 1), path(2, 0), path(2, 1), path(0, 1), path(0, 2)];
    for (i, one) in paths.iter().enumerate() {
        assert!(paths[i + 1..].iter().all(|other| other != one));
    }
    assert_eq!(path(1, 0), whole(Direct::default(), 1));
}

simulation! {
    /// Its start is drawn.
    model Drawn {
        state n: u64 = 0;
        state offset: f64 = 0.0;
        init {
            n = rng.random_range(10..1000);
            offset = rng.random();
        }
        clock tick: every(1.0, from = offset) => { n += 1; }
        reaction loss: n -> @ 0.1;
    }
}

#[test]
fn a_drawn_start_is_repeated_by_its_seed() {
    let start = |seed| {
        let sim = Drawn::default().start(seed).unwrap();
        (sim.state().n, sim.state().offset.to_bits(), sim.next_time().to_bits())
    };
    assert_eq!(start(1), start(1));
    assert_ne!(start(1), start(2));
}

#[test]
fn the_outcome_of_a_run_does_not_depend_on_cuts() {
    let mut sim = Drawn::default().start(3).unwrap();
    for k in 0..=100 {
        assert_eq!(sim.run_until(f64::from(k) * 0.1).unwrap(), Outcome::Reached);
    }
    let mut other = Drawn::default().start(3).unwrap();
    other.run_until(10.0).unwrap();
    assert_eq!((sim.state().n, sim.next_time().to_bits()), (other.state().n, other.next_time().to_bits()));
}
