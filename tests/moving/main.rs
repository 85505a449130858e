//! Random models with flows: the generated engine and the reference engine take the same path, bit for bit where
//! the reference brings to now what the language says, and up to rounding where it moves everything.

#![allow(
    clippy::collapsible_if,
    clippy::manual_is_multiple_of,
    clippy::type_complexity,
    unreachable_pub,
    reason = "test code"
)]

#[path = "../chance.rs"]
mod chance;
mod description;
mod engine;
mod mathematics;
mod random;
mod rich;

use std::sync::LazyLock;

use clockrace::{ErrorKind, Outcome, SimError};
use proptest::prelude::*;

use engine::{End, Engine, Event, Way};
use generated::{LOOKED, MODELS, UPDATED, look_generated, run_generated, update_generated};

/// How far runs go.
const UNTIL: f64 = 25.0;

/// Notes an event as the reference does.
macro_rules! event {
    ($model:ty, $show:ident, $outputs:ident, $time:expr, $event:expr, $view:expr) => {
        Event {
            time: $time,
            clock: <$model>::event_name($event)[1..].parse().expect("clocks are named c0, c1, …"),
            index: <$model>::event_index($event),
            state: $show(&$view.state()),
            outputs: $outputs(&$view.observe().expect("outputs do not fail")),
        }
    };
}

/// Runs a generated model, cut at `cuts` and looked at there, and notes what the reference notes.
macro_rules! observe_run {
    ($model:ident, $show:ident, $outputs:ident, $seed:expr, $cuts:expr) => {{
        let mut events = Vec::new();
        let mut outcome = Ok(Outcome::Reached);
        match $model::default().start($seed) {
            Ok(mut sim) => {
                sim.set_zeno_limit(engine::ZENO);
                for end in $cuts.iter().copied().chain([UNTIL]) {
                    outcome = sim.run_each(end, |view, event| {
                        events.push(event!($model, $show, $outputs, view.now(), event, view));
                    });
                    if outcome.is_err() {
                        break;
                    }
                    let _ = ($show(&sim.state()), $outputs(&sim.observe().expect("outputs do not fail")));
                }
            }
            Err(error) => outcome = Err(error),
        }
        (events, outcome)
    }};
}

/// The same in one piece, with a grid that looks between events.
macro_rules! observe_looks {
    ($model:ident, $show:ident, $outputs:ident, $seed:expr) => {{
        let mut events = Vec::new();
        let outcome = $model::default().start($seed).and_then(|mut sim| {
            sim.set_zeno_limit(engine::ZENO);
            let note = on_event(|view: View<'_, $model>, event| {
                events.push(event!($model, $show, $outputs, view.now(), event, view));
            });
            sim.run_with(&mut (note, Grid::every(0.375)?), UNTIL)
        });
        (events, outcome)
    }};
}

/// The same by single events, after each of which everything flowing is brought up to now, and every clock
/// refreshed.
macro_rules! observe_updates {
    ($model:ident, $show:ident, $outputs:ident, $seed:expr) => {{
        let mut events = Vec::new();
        let mut step = || {
            let mut sim = $model::default().start($seed)?;
            sim.set_zeno_limit(engine::ZENO);
            while sim.next_time() <= UNTIL {
                let Some(fired) = sim.step()? else { break };
                events.push(event!($model, $show, $outputs, fired.time, fired.event, sim));
                sim.update(|_| ())?;
            }
            Ok(Outcome::Reached)
        };
        let outcome = step();
        (events, outcome)
    }};
}

/// The `simulation!` blocks, their number `MODELS`, and the functions that run them.
#[allow(clippy::all, clippy::pedantic, warnings, reason = "random code is no pretty code")]
mod generated {
    use super::{Event, Outcome, SimError, UNTIL, engine};
    use clockrace::rand_distr::Exp1;
    use clockrace::record::Grid;
    use clockrace::{Model as _, View, on_event, simulation};

    include!(concat!(env!("OUT_DIR"), "/flows.rs"));
}

static DESCRIPTIONS: LazyLock<Vec<description::Model>> = LazyLock::new(|| random::models(MODELS));

/// The end of a generated run in the reference's words.
fn end(outcome: Result<Outcome, SimError>) -> End {
    match outcome {
        Ok(_) => End::Quiet,
        Err(error) => match error.kind() {
            ErrorKind::Zeno { .. } => End::Failed("zeno".to_owned()),
            _ => panic!("unexpected: {error}"),
        },
    }
}

/// More events than this are not compared.
const MOST: usize = 400;

fn reference(number: usize, seed: u64, way: Way) -> (Vec<Event>, End) {
    let mut events = Vec::new();
    let rng = clockrace::__private::stream(seed, 0);
    let end = Engine::new(&DESCRIPTIONS[number], way, rng).run(UNTIL, MOST, &mut events);
    (events, end)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// What of two runs is different bit for bit.
fn different(one: &Event, other: &Event) -> bool {
    one.time.to_bits() != other.time.to_bits()
        || (one.clock, &one.index) != (other.clock, &other.index)
        || bits(&one.state) != bits(&other.state)
        || bits(&one.outputs) != bits(&other.outputs)
}

/// How far two numbers are apart, relative to what they are about.
fn distance(one: &[f64], other: &[f64]) -> f64 {
    assert_eq!(one.len(), other.len());
    one.iter().zip(other).map(|(a, b)| (a - b).abs() / (1.0 + a.abs().max(b.abs()))).fold(0.0, f64::max)
}

/// Two runs whose arithmetic differs may be this far apart.
///
/// An operation is wrong by 1e-16 of its result, and numbers here are between 0.01 and 100. What such an
/// error becomes is decided by the path: a time at which x reaches a level is wrong by the error of x over its
/// speed, one at which a hazard adds up to a number by that over the hazard; both are seldom below 0.01, and
/// an event that writes what it reads passes that on with a factor of at most one or two. A few hundred events,
/// of which each variable meets some dozen, leave a factor of 1e9 to be used up; what needs more is a run in
/// which two things come closer to one another than this, and there the comparison ends. Of 150 runs of each
/// model most stay within 1e-12, and the worst within 1e-8.
const TOLERANCE: f64 = engine::CLOSE;

/// How far two runs agree: the largest distance, and what is wrong at which event.
fn compare(one: &[Event], other: &[Event]) -> (f64, Option<usize>) {
    let mut largest = 0.0_f64;
    for (i, (a, b)) in one.iter().zip(other).enumerate() {
        if (a.clock, &a.index) != (b.clock, &b.index) {
            return (largest, Some(i));
        }
        let apart =
            distance(&[a.time], &[b.time]).max(distance(&a.state, &b.state)).max(distance(&a.outputs, &b.outputs));
        if apart > TOLERANCE {
            return (apart, Some(i));
        }
        largest = largest.max(apart);
    }
    (largest, None)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// However a run is cut and looked at, it is that of the reference, bit for bit.
    #[test]
    fn what_is_anchored_is_the_same_bit_for_bit(
        number in 0..MODELS,
        seed in any::<u64>(),
        mut cuts in prop::collection::vec(0.0..UNTIL, 0..4),
    ) {
        cuts.sort_by(f64::total_cmp);
        let (expected, how) = reference(number, seed, Way::Anchored);
        let (mut events, outcome) = run_generated(number, seed, &cuts);
        let all = events.len();
        events.truncate(MOST);
        let block = || DESCRIPTIONS[number].block("M");
        for (i, (one, other)) in events.iter().zip(&expected).enumerate() {
            prop_assert!(!different(one, other), "event {}: {:?} and not {:?} in\n{}", i, one, other, block());
        }
        prop_assert_eq!(events.len(), expected.len(), "{}", block());
        if all < MOST {
            prop_assert_eq!(end(outcome), how, "{}", block());
        }
    }
}

#[test]
fn what_moves_at_every_event_is_the_same_up_to_rounding() {
    let (mut compared, mut all) = (0, 0);
    for number in (0..MODELS).filter(|&number| !DESCRIPTIONS[number].tight) {
        for seed in 100..115 {
            let (expected, how) = reference(number, seed, Way::Moving);
            let (mut events, _) = run_generated(number, seed, &[]);
            events.truncate(MOST);
            let (apart, wrong) = compare(&events, &expected);
            let block = || DESCRIPTIONS[number].block("M");
            if let Some(i) = wrong {
                panic!(
                    "seed {seed}, event {i}, {apart} apart: {:?} and not {:?} in\n{}",
                    events[i],
                    expected[i],
                    block()
                );
            }
            assert!(how != End::Quiet || events.len() == expected.len(), "seed {seed} ends early in\n{}", block());
            compared += expected.len();
            all += events.len();
        }
    }
    assert!(compared * 10 > all * 8, "only {compared} of {all} events could be compared");
}

#[test]
fn a_grid_leaves_no_trace() {
    for &number in LOOKED {
        for seed in 0..15 {
            let (events, _) = run_generated(number, seed, &[]);
            let (looked, _) = look_generated(number, seed);
            assert_eq!(events.len(), looked.len());
            for (one, other) in events.iter().zip(&looked) {
                assert!(!different(one, other), "{one:?} and not {other:?} in\n{}", DESCRIPTIONS[number].block("M"));
            }
        }
    }
}

/// What is brought up to now goes on from there with other roundings.
#[test]
fn an_update_that_changes_nothing_changes_roundings_only() {
    let mut compared = 0;
    for &number in UPDATED {
        for seed in 0..15 {
            let (events, _) = run_generated(number, seed, &[]);
            let (mut updated, _) = update_generated(number, seed);
            // Up to where something comes too close.
            let (known, how) = reference(number, seed, Way::Moving);
            updated.truncate(known.len());
            assert!(how != End::Quiet || known.len() == MOST || updated.len() == events.len());
            let (apart, wrong) = compare(&events, &updated);
            let block = || DESCRIPTIONS[number].block("M");
            assert_eq!(wrong, None, "seed {seed}, {apart} apart in\n{}", block());
            compared += updated.len();
        }
    }
    assert!(compared > 1_000, "only {compared} events were compared");
}

/// For whoever looks for faults: what differs, by model.
#[test]
#[ignore = "shows what the other tests find, model by model"]
fn report() {
    let only: Option<usize> = std::env::var("MODEL").ok().map(|text| text.parse().expect("a number"));
    let seeds: u64 = std::env::var("SEEDS").map_or(20, |text| text.parse().expect("a number"));
    for number in (0..MODELS).filter(|&number| only.is_none_or(|only| only == number)) {
        let (mut wrong, mut count, mut close, mut compared, mut largest) = ([0; 2], 0, 0, 0, 0.0_f64);
        let mut ends = std::collections::BTreeMap::new();
        let mut shown = false;
        for seed in 0..seeds {
            let found = std::panic::catch_unwind(|| {
                let (events, outcome) = run_generated(number, seed, &[]);
                (events, end(outcome))
            });
            let (mut events, how) = found.unwrap_or_else(|_| (Vec::new(), End::Failed("panic".to_owned())));
            events.truncate(MOST);
            count += events.len();
            let (same, how_same) = reference(number, seed, Way::Anchored);
            *ends.entry(format!("{how:?} {how_same:?}")).or_insert(0) += 1;
            let at = events.iter().zip(&same).take_while(|(a, b)| !different(a, b)).count();
            let mut show = |what: &str, at: usize, other: &[Event]| {
                if std::mem::replace(&mut shown, true) {
                    return;
                }
                println!("{what}: model {number} seed {seed} event {at} of {} and {}", events.len(), other.len());
                for i in at.saturating_sub(if only.is_some() { 5 } else { 1 })..=at {
                    println!("  found    {:?}", events.get(i));
                    println!("  expected {:?}", other.get(i));
                }
                if only.is_some() {
                    println!("{}", DESCRIPTIONS[number].block("M"));
                }
            };
            if at < events.len().max(same.len()) || (events.len() < MOST && how != how_same) {
                wrong[0] += 1;
                show("anchored", at, &same);
            }
            let (moving, how_moving) = reference(number, seed, Way::Moving);
            let (apart, failed) = compare(&events, &moving);
            largest = largest.max(apart);
            compared += moving.len().min(events.len());
            close += usize::from(how_moving != End::Quiet);
            if DESCRIPTIONS[number].tight {
                continue;
            }
            if failed.is_some() || (how_moving == End::Quiet && moving.len() != events.len()) {
                wrong[1] += 1;
                show("moving", failed.unwrap_or(moving.len().min(events.len())), &moving);
            }
        }
        println!(
            "model {number}: {wrong:?} wrong, {} events, {} compared, {close} close, {largest:e} apart, {ends:?}",
            count / seeds as usize,
            compared / seeds as usize
        );
    }
}
