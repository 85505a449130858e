//! Random models with families and relations: the generated engine and the reference engine take
//! the same path, bit for bit.

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
mod laws;
mod random;
mod rich;

use std::sync::LazyLock;

use clockrace::{ErrorKind, Outcome, SimError};
use proptest::prelude::*;

use engine::{End, Engine, Event};
use generated::{MODELS, STEPPED, run_generated, step_generated};

/// How far runs go.
const UNTIL: f64 = 8.0;

/// Notes an event as the reference does.
macro_rules! event {
    ($model:ty, $show:ident, $time:expr, $event:expr, $state:expr) => {
        Event {
            time: $time,
            clock: <$model>::event_name($event)[1..].parse().expect("clocks are named c0, c1, …"),
            index: <$model>::event_index($event),
            state: $show($state),
        }
    };
}

/// Runs a generated model, cut at `cuts`, and notes what the reference notes.
macro_rules! observe_run {
    ($model:ty, $instance:expr, $show:ident, $seed:expr, $cuts:expr) => {{
        let mut events = Vec::new();
        let mut outcome = Ok(Outcome::Reached);
        match $instance.start($seed) {
            Ok(mut sim) => {
                sim.set_zeno_limit(u64::from(engine::ZENO));
                for end in $cuts.iter().copied().chain([UNTIL]) {
                    outcome = sim.run_each(end, |view, event| {
                        events.push(event!($model, $show, view.now(), event, view.state()));
                    });
                    if outcome.is_err() {
                        break;
                    }
                }
            }
            Err(error) => outcome = Err(error),
        }
        (events, outcome)
    }};
}

/// The same by single events, after each of which every clock is refreshed.
macro_rules! observe_steps {
    ($model:ty, $instance:expr, $show:ident, $seed:expr) => {{
        let mut events = Vec::new();
        let mut step = || {
            let mut sim = $instance.start($seed)?;
            sim.set_zeno_limit(u64::from(engine::ZENO));
            while sim.next_time() <= UNTIL {
                let Some(fired) = sim.step()? else { break };
                events.push(event!($model, $show, fired.time, fired.event, sim.state()));
                sim.update(|_| ())?;
            }
            Ok(Outcome::Reached)
        };
        let outcome = step();
        (events, outcome)
    }};
}

/// What models take from around the block.
const TWO: usize = 2;

/// The `simulation!` blocks, their number `MODELS`, and `run_generated`.
#[allow(clippy::all, clippy::pedantic, warnings, reason = "random code is no pretty code")]
mod generated {
    use super::{Event, Outcome, SimError, UNTIL, engine};
    use clockrace::rand_distr::Exp1;
    use clockrace::{Model as _, simulation};

    const ONE: usize = 1;

    include!(concat!(env!("OUT_DIR"), "/families.rs"));
}

static DESCRIPTIONS: LazyLock<Vec<description::Model>> = LazyLock::new(|| random::models(MODELS));

/// The end of a generated run in the reference's words.
fn end(outcome: Result<Outcome, SimError>) -> End {
    match outcome {
        Ok(Outcome::Stopped(_)) => End::Stopped,
        Ok(_) => End::Quiet,
        Err(error) => match error.kind() {
            ErrorKind::RingTime { .. } => End::Failed("past"),
            ErrorKind::Zeno { .. } => End::Failed("zeno"),
            _ => panic!("unexpected: {error}"),
        },
    }
}

fn reference(number: usize, seed: u64) -> (Vec<Event>, End) {
    let mut events = Vec::new();
    let end = Engine::new(&DESCRIPTIONS[number], clockrace::__private::stream(seed, 0)).run(UNTIL, &mut events);
    (events, end)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_and_reference_take_the_same_path(
        number in 0..MODELS,
        seed in any::<u64>(),
        mut cuts in prop::collection::vec(0.0..UNTIL, 0..4),
    ) {
        cuts.sort_by(f64::total_cmp);
        let (expected, how) = reference(number, seed);
        let (events, outcome) = run_generated(number, seed, &cuts);
        let block = || DESCRIPTIONS[number].block("M");
        for (i, (one, other)) in events.iter().zip(&expected).enumerate() {
            prop_assert_eq!(one, other, "event {} of\n{}", i, block());
        }
        prop_assert_eq!(end(outcome), how, "{}", block());
        prop_assert_eq!(events.len(), expected.len(), "{}", block());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// What has not been refreshed had nothing to be refreshed for.
    #[test]
    fn refreshing_everything_changes_nothing(number in prop::sample::select(STEPPED), seed in any::<u64>()) {
        let (expected, how) = run_generated(number, seed, &[]);
        let (events, outcome) = step_generated(number, seed);
        let block = || DESCRIPTIONS[number].block("M");
        for (i, (one, other)) in events.iter().zip(&expected).enumerate() {
            prop_assert_eq!(one, other, "event {} of\n{}", i, block());
        }
        prop_assert_eq!(events.len(), expected.len(), "{}", block());
        let failed = |outcome: Result<Outcome, SimError>| matches!(end(outcome), End::Failed(_));
        prop_assert_eq!(failed(outcome), failed(how), "{}", block());
    }
}

/// For whoever looks for faults: what differs, by model.
#[test]
#[ignore = "shows what the other tests find, model by model"]
fn report() {
    let only: Option<usize> = std::env::var("MODEL").ok().map(|text| text.parse().expect("a number"));
    for number in (0..MODELS).filter(|&number| only.is_none_or(|only| only == number)) {
        let (mut count, mut wrong, mut longest, mut ends) = (0, 0, 0, std::collections::BTreeMap::new());
        let mut shown = false;
        for seed in 0..100 {
            let (expected, how) = reference(number, seed);
            let found = std::panic::catch_unwind(|| {
                let (events, outcome) = run_generated(number, seed, &[]);
                (events, end(outcome))
            });
            *ends.entry(format!("{how:?}")).or_insert(0) += 1;
            count += expected.len();
            longest = longest.max(expected.len());
            let found = found.unwrap_or_else(|_| (Vec::new(), End::Failed("panic")));
            if found != (expected.clone(), how.clone()) {
                wrong += 1;
                if !shown {
                    shown = true;
                    let at = found.0.iter().zip(&expected).take_while(|(one, other)| one == other).count();
                    println!(
                        "model {number} seed {seed} event {at}, before {:?}",
                        at.checked_sub(1).map(|at| &expected[at])
                    );
                    if only.is_some() {
                        for event in expected.iter().take(at + 1) {
                            println!("  {} c{}{:?} {:?}", event.time, event.clock, event.index, event.state);
                        }
                    }
                    println!("  found    {:?} of {} {:?}", found.0.get(at), found.0.len(), found.1);
                    println!("  expected {:?} of {} {how:?}", expected.get(at), expected.len());
                    if only.is_some() {
                        println!("{}", DESCRIPTIONS[number].block("M"));
                    }
                }
            }
        }
        println!("model {number}: {wrong} wrong, {} events, at most {longest}, {ends:?}", count / 100);
    }
}
