//! The models are worth comparing: most of them do a lot, much of it at the same instants, and every construct is among
//! them.

use std::collections::BTreeMap;

use super::description::{Gives, Kind, Outcome, Statement, Timing, Wait};
use super::run::{Event, MODELS, STEPPED};
use super::{DESCRIPTIONS, reference};

fn runs() -> Vec<Vec<Event>> {
    (0..MODELS).map(|number| reference(number, 1).0).collect()
}

#[test]
fn most_models_do_a_lot() {
    let busy = runs().iter().filter(|events| events.len() > 50).count();
    assert!(busy * 5 > MODELS * 4, "only {busy} of {MODELS} models have more than 50 events");
    let kinds = |events: &Vec<Event>| {
        let starts = |kind: char| events.iter().any(|event| event.name.starts_with(kind));
        starts('a') && starts('c') && starts('e')
    };
    let full = runs().iter().filter(|events| kinds(events)).count();
    assert!(full * 5 > MODELS * 4, "only {full} of {MODELS} models have clocks, events and activities that happen");
}

#[test]
fn much_happens_at_the_same_instants() {
    let (mut all, mut together) = (0, 0);
    for events in runs() {
        let mut instants: BTreeMap<u64, usize> = BTreeMap::new();
        for event in &events {
            *instants.entry(event.time.to_bits()).or_default() += 1;
        }
        all += events.len();
        together += instants.values().filter(|&&count| count > 2).sum::<usize>();
    }
    assert!(together * 2 > all, "{together} of {all} events meet more than one other");
}

/// All statements, those in blocks included.
fn walk<'a>(body: &'a [Statement], see: &mut dyn FnMut(&'a Statement)) {
    for statement in body {
        see(statement);
        match statement {
            Statement::Each(_, body)
            | Statement::Count(_, _, body)
            | Statement::Loop(body)
            | Statement::While(_, body)
            | Statement::Block(body)
            | Statement::Defer(body)
            | Statement::WhileWait { body, .. } => walk(body, see),
            Statement::If(_, yes, no) | Statement::IfWait { yes, no, .. } => {
                walk(yes, see);
                walk(no, see);
            }
            Statement::Match(_, arms) => arms.iter().for_each(|arm| walk(arm, see)),
            Statement::Labelled(_, inner) => walk(std::slice::from_ref(&**inner), see),
            _ => {}
        }
    }
}

fn statements() -> Vec<&'static Statement> {
    let mut all = Vec::new();
    for model in DESCRIPTIONS.iter() {
        let bodies = model
            .clocks
            .iter()
            .map(|clock| &clock.body)
            .chain(model.events.iter().map(|event| &event.body))
            .chain(model.activities.iter().map(|activity| &activity.body));
        bodies.for_each(|body| walk(body, &mut |statement| all.push(statement)));
    }
    all
}

/// How often something is there that can be one of several.
#[track_caller]
fn among<T>(what: &str, all: &[T], options: &[(&str, &dyn Fn(&T) -> bool)]) {
    for (name, is) in options {
        assert!(all.iter().any(is), "no {what} is {name}");
    }
}

#[test]
fn every_statement_is_among_them() {
    among(
        "statement",
        &statements(),
        &[
            ("at", &|one| matches!(one, Statement::Schedule { at: true, .. })),
            ("after", &|one| matches!(one, Statement::Schedule { at: false, .. })),
            ("of a family", &|one| matches!(one, Statement::Schedule { index: Some(_), .. })),
            ("with a priority", &|one| matches!(one, Statement::Schedule { priority: Some(_), .. })),
            ("cancel", &|one| matches!(one, Statement::Cancel { .. })),
            ("reschedule", &|one| matches!(one, Statement::Reschedule { .. })),
            ("when", &|one| matches!(one, Statement::When { .. })),
            ("clear", &|one| matches!(one, Statement::Clear(_, None))),
            ("clear of a member", &|one| matches!(one, Statement::Clear(_, Some(_)))),
            ("start", &|one| matches!(one, Statement::Start { .. })),
            ("abort", &|one| matches!(one, Statement::Abort { .. })),
            ("abort of oneself", &|one| matches!(one, Statement::AbortMe)),
            ("me", &|one| matches!(one, Statement::KeepMe)),
            ("defer", &|one| matches!(one, Statement::Defer(_))),
            ("return", &|one| matches!(one, Statement::Return(_))),
            ("fail", &|one| matches!(one, Statement::Fail(_))),
            ("break", &|one| matches!(one, Statement::Break(None))),
            ("break of a label", &|one| matches!(one, Statement::Break(Some(_)))),
            ("continue", &|one| matches!(one, Statement::Continue(None))),
            ("continue of a label", &|one| matches!(one, Statement::Continue(Some(_)))),
            ("match", &|one| matches!(one, Statement::Match(..))),
            ("an assigned wait", &|one| matches!(one, Statement::Again(..))),
            ("a wait as a condition", &|one| matches!(one, Statement::IfWait { .. })),
            ("a wait of a loop", &|one| matches!(one, Statement::WhileWait { .. })),
            ("a state of another instance", &|one| matches!(one, Statement::Other(..))),
            ("tally", &|one| matches!(one, Statement::Tally(_))),
        ],
    );
}

#[test]
fn every_wait_is_among_them() {
    let waits: Vec<&Wait> = statements()
        .into_iter()
        .filter_map(|statement| match statement {
            Statement::Wait(wait, _)
            | Statement::Again(wait, _)
            | Statement::IfWait { wait, .. }
            | Statement::WhileWait { wait, .. } => Some(wait),
            _ => None,
        })
        .collect();
    let condition = |wait: &Wait| matches!(wait.kind, Kind::For(_));
    let until = |wait: &Wait| matches!(wait.kind, Kind::Until(_));
    let delay = |wait: &Wait| matches!(wait.kind, Kind::Delay(_));
    among(
        "wait",
        &waits,
        &[
            ("plain", &|one| delay(one) && one.gives() == Gives::Nothing),
            ("with a timeout", &|one| delay(one) && one.timeout.is_some()),
            ("with unless", &|one| delay(one) && one.unless.is_some()),
            ("with a speed", &|one| one.speed.is_some()),
            ("with speed and unless", &|one| one.speed.is_some() && one.unless.is_some()),
            ("with speed and timeout", &|one| one.speed.is_some() && one.timeout.is_some()),
            ("until", &|one| until(one) && one.gives() == Gives::Nothing),
            ("until, with unless", &|one| until(one) && one.unless.is_some()),
            ("until, with a timeout", &|one| until(one) && one.timeout.is_some()),
            ("for", &|one| condition(one) && one.gives() == Gives::Nothing),
            ("for, with a timeout", &|one| condition(one) && one.timeout.is_some()),
            ("for, with unless", &|one| condition(one) && one.unless.is_some()),
            ("in a line", &|one| one.line.is_some()),
            ("in a line, with unless", &|one| one.line.is_some() && one.unless.is_some()),
            ("in a line, with a priority", &|one| one.line.is_some() && one.priority.is_some()),
            ("join", &|one| matches!(one.kind, Kind::Join(_))),
            ("run", &|one| matches!(one.kind, Kind::Run(..))),
        ],
    );
}

#[test]
fn every_item_is_among_them() {
    among(
        "model",
        &DESCRIPTIONS,
        &[
            ("by next reaction", &|one| one.next_reaction),
            ("by a race", &|one| !one.next_reaction),
            ("in ticks", &|one| one.ticks),
            ("with tuples", &|one| one.tuples),
            ("with two lines", &|one| one.lines == 2),
            ("stopped", &|one| one.stop.is_some()),
        ],
    );
    let events: Vec<_> = DESCRIPTIONS.iter().flat_map(|model| &model.events).collect();
    among(
        "event",
        &events,
        &[
            ("a family", &|one| one.over.is_some()),
            ("once", &|one| one.once),
            ("with a priority", &|one| !one.priority.is_empty()),
        ],
    );
    let activities: Vec<_> = DESCRIPTIONS.iter().flat_map(|model| &model.activities).collect();
    among(
        "activity",
        &activities,
        &[
            ("without a result", &|one| one.outcome == Outcome::Nothing),
            ("with a result", &|one| one.outcome == Outcome::Number),
            ("one that can fail", &|one| one.outcome == Outcome::Fallible),
            ("with a priority", &|one| one.priority.is_some()),
        ],
    );
    let clocks: Vec<_> = DESCRIPTIONS.iter().flat_map(|model| &model.clocks).collect();
    among(
        "clock",
        &clocks,
        &[
            ("rate", &|one| matches!(one.timing, Timing::Rate(_))),
            ("a family of rates", &|one| one.over.is_some() && matches!(one.timing, Timing::Rate(_))),
            ("at", &|one| matches!(one.timing, Timing::Due)),
            ("after", &|one| matches!(one.timing, Timing::After { .. })),
            ("after, with resume", &|one| matches!(one.timing, Timing::After { resume: true, .. })),
            ("after, with a speed", &|one| matches!(one.timing, Timing::After { speed: Some(_), .. })),
            ("every", &|one| matches!(one.timing, Timing::Every { .. })),
            ("guarded", &|one| one.guard.is_some()),
        ],
    );
    assert!(STEPPED.len() > 4, "{STEPPED:?}");
}
