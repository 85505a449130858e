//! Random models with dynamic events and activities: the generated engine and the reference engine take the same path,
//! bit for bit.

#![allow(
    clippy::collapsible_if,
    clippy::manual_is_multiple_of,
    clippy::type_complexity,
    unreachable_pub,
    reason = "test code"
)]

#[path = "../chance.rs"]
mod chance;
mod costs;
mod description;
mod engine;
mod random;
mod rich;
mod run;
mod written;

use std::sync::LazyLock;

use clockrace::{ErrorKind, Outcome, SimError};
use proptest::prelude::*;

use engine::{End, Engine};
use run::{Event, MODELS, STEPPED, UNTIL, run_generated, step_generated};

static DESCRIPTIONS: LazyLock<Vec<description::Model>> = LazyLock::new(|| random::models(MODELS));

/// The end of a generated run in the reference's words.
fn end(outcome: &Result<Outcome, SimError>) -> End {
    match outcome {
        Ok(Outcome::Stopped(_)) => End::Stopped,
        Ok(_) => End::Quiet,
        Err(error) => match error.kind() {
            ErrorKind::RingTime { .. } => End::Failed("past"),
            ErrorKind::Zeno { .. } => End::Cut,
            _ => panic!("unexpected: {error}"),
        },
    }
}

fn reference(number: usize, seed: u64) -> (Vec<Event>, End) {
    let mut events = Vec::new();
    let end = Engine::new(&DESCRIPTIONS[number], clockrace::__private::stream(seed, 0)).run(UNTIL, &mut events);
    (events, end)
}

/// Whether both have taken the same path, as far as it was followed; otherwise where they part.
fn compare(found: &[Event], outcome: &Result<Outcome, SimError>, expected: &[Event], how: End) -> Result<(), usize> {
    let same = found.iter().zip(expected).take_while(|(one, other)| one == other).count();
    let whole = match how {
        End::Cut => same == expected.len(),
        _ => same == expected.len() && same == found.len() && end(outcome) == how,
    };
    if whole { Ok(()) } else { Err(same) }
}

fn block(number: usize) -> String {
    DESCRIPTIONS[number].block("M")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_and_reference_take_the_same_path(
        number in 0..MODELS,
        seed in any::<u64>(),
        mut cuts in prop::collection::vec((0.0..UNTIL, any::<bool>()), 0..4),
    ) {
        cuts.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        // At instants, too, at which much happens.
        let mut cuts: Vec<f64> =
            cuts.into_iter().map(|(at, round)| if round { (at * 4.0).round() / 4.0 } else { at }).collect();
        cuts.sort_by(f64::total_cmp);
        let (expected, how) = reference(number, seed);
        let (found, outcome) = run_generated(number, seed, &cuts);
        if let Err(at) = compare(&found, &outcome, &expected, how) {
            prop_assert_eq!(found.get(at), expected.get(at), "event {} of\n{}", at, block(number));
            prop_assert!(false, "{:?} and {:?} of\n{}", outcome, how, block(number));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// What has not been refreshed had nothing to be refreshed for, and nobody who was not asked would have gone on.
    #[test]
    fn refreshing_everything_changes_nothing(number in prop::sample::select(STEPPED), seed in any::<u64>()) {
        let (expected, how) = reference(number, seed);
        let (found, outcome) = step_generated(number, seed);
        if let Err(at) = compare(&found, &outcome, &expected, if how == End::Quiet { End::Quiet } else { End::Cut }) {
            prop_assert_eq!(found.get(at), expected.get(at), "event {} of\n{}", at, block(number));
            prop_assert!(false, "{:?} and {:?} of\n{}", outcome, how, block(number));
        }
    }
}

/// For whoever looks for faults: what differs, by model.
#[test]
#[ignore = "shows what the other tests find, model by model"]
fn report() {
    let only: Option<usize> = std::env::var("MODEL").ok().map(|text| text.parse().expect("a number"));
    for number in (0..MODELS).filter(|&number| only.is_none_or(|only| only == number)) {
        let (mut count, mut wrong, mut longest, mut ends) = (0, 0, 0, std::collections::BTreeMap::new());
        // The shortest run that differs.
        let mut worst: Option<(usize, u64)> = None;
        for seed in 0..60 {
            let (expected, how) = reference(number, seed);
            let found = std::panic::catch_unwind(|| {
                let (found, outcome) = run_generated(number, seed, &[]);
                compare(&found, &outcome, &expected, how)
            });
            *ends.entry(format!("{how:?}")).or_insert(0) += 1;
            count += expected.len();
            longest = longest.max(expected.len());
            if let Err(at) = found.unwrap_or(Err(0)) {
                wrong += 1;
                if worst.is_none_or(|(least, _)| at < least) {
                    worst = Some((at, seed));
                }
            }
        }
        if let Some((at, seed)) = worst {
            let (expected, how) = reference(number, seed);
            println!("model {number} seed {seed} event {at}");
            for event in expected.iter().take(at).skip(if only.is_some() { 0 } else { at.saturating_sub(4) }) {
                println!("  {event:?}");
            }
            println!("  expected {:?} of {} {how:?}", expected.get(at), expected.len());
            if only.is_some() {
                println!("{}", block(number));
            }
            let (found, outcome) = run_generated(number, seed, &[]);
            println!("  found    {:?} of {} {outcome:?}", found.get(at), found.len());
        }
        println!("model {number}: {wrong} wrong, {} events, at most {longest}, {ends:?}", count / 60);
    }
}
