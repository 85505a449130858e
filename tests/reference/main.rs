//! Random models: the generated engine and the reference engine take the same path, bit for bit.

mod description;
mod engine;

use std::sync::LazyLock;

use clockrace::{ErrorKind, Outcome, SimError};
use proptest::prelude::*;

use engine::{End, Engine, Event};
use generated::{MODELS, run_generated};

/// Runs a generated model, cut at `cuts`, and notes what the reference notes.
macro_rules! observe_run {
    ($model:ident, $seed:expr, $until:expr, $cuts:expr) => {{
        let mut events = Vec::new();
        let mut outcome = Ok(Outcome::Reached);
        match $model::default().start($seed) {
            Ok(mut sim) => {
                sim.set_zeno_limit(40);
                for end in $cuts.iter().copied().chain([$until]) {
                    outcome = sim.run_each(end, |view, event| {
                        let state = view.state();
                        events.push(Event {
                            time: view.now(),
                            clock: $model::event_name(event)[1..].parse().expect("clocks are named c0, c1, …"),
                            variables: vec![state.x0, state.x1, state.x2, state.x3, state.x4],
                            list: state.list.clone(),
                        });
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
/// The `simulation!` blocks, their number `MODELS`, and `run_generated`.
#[allow(clippy::all, reason = "random code is no pretty code")]
mod generated {
    use super::{Event, Outcome, SimError};
    use clockrace::rand_distr::Exp1;
    use clockrace::{Model as _, simulation};

    include!(concat!(env!("OUT_DIR"), "/models.rs"));
}

static DESCRIPTIONS: LazyLock<Vec<description::Model>> = LazyLock::new(|| description::models(MODELS));

/// The end of a generated run in the reference's words.
fn end(outcome: Result<Outcome, SimError>) -> End {
    match outcome {
        Ok(Outcome::Stopped(_)) => End::Stopped,
        Ok(_) => End::Quiet,
        Err(error) => match error.kind() {
            ErrorKind::RingTime { .. } => End::Failed("past"),
            ErrorKind::Zeno { .. } => End::Failed("zeno"),
            other => panic!("unexpected: {other}"),
        },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    fn generated_and_reference_take_the_same_path(
        number in 0..MODELS,
        seed in any::<u64>(),
        mut cuts in prop::collection::vec(0.0..30.0_f64, 0..4),
    ) {
        cuts.sort_by(f64::total_cmp);
        let model = &DESCRIPTIONS[number];
        let mut expected = Vec::new();
        let rng = clockrace::__private::stream(seed, 0);
        let reference = Engine::new(model, rng).run(30.0, &mut expected);
        let (events, outcome) = run_generated(number, seed, 30.0, &cuts);
        for (i, (one, other)) in events.iter().zip(&expected).enumerate() {
            prop_assert_eq!(one, other, "event {} of\n{}", i, model.block("M"));
        }
        prop_assert_eq!(events.len(), expected.len(), "{}", model.block("M"));
        prop_assert_eq!(end(outcome), reference, "{}", model.block("M"));
    }
}

/// The models are worth comparing: most of them do a lot, and every construct is among them.
#[test]
fn the_random_models_are_rich() {
    let busy = DESCRIPTIONS
        .iter()
        .filter(|model| {
            let mut events = Vec::new();
            Engine::new(model, clockrace::__private::stream(1, 0)).run(30.0, &mut events);
            events.len() > 20
        })
        .count();
    assert!(busy * 2 > MODELS, "only {busy} of {MODELS} models have more than 20 events");
    let blocks: String = DESCRIPTIONS.iter().map(|model| model.block("M")).collect();
    for construct in [
        "rate(", "at(", "every(", "from =", "redraw", "resume", "speed(", "rng.", "stop ", "list.pop", "swap(", "a1();",
    ] {
        assert!(blocks.contains(construct), "no model has {construct}");
    }
}
