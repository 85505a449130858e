//! What the ancestors of this crate promise, and what they got wrong: ranks, sequences, samplers.

use std::fmt;

use clockrace::{ErrorKind, Outcome, simulation};

simulation! {
    /// Ranks.
    model Ranked {
        state order: Vec<&'static str> = Vec::new();
        event e(name: &'static str) => { order.push(name); }
        init {
            e.at(1.0, "5 1", priority = (5, 1));
            e.at(1.0, "5 0 1", priority = (5, 0, 1));
            e.at(1.0, "5", priority = 5);
            e.at(1.0, "5 again", priority = (5, 0, 0));
            e.at(1.0, "minus", priority = (-1, 9));
        }
    }
}

#[test]
fn ranks_compare_lexicographically_and_a_missing_one_is_zero() {
    let mut sim = Ranked {}.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    // Of equal rank first in, first out.
    assert_eq!(sim.state().order, ["minus", "5", "5 again", "5 0 1", "5 1"]);
}

simulation! {
    /// A hundred moments.
    model Hundred {
        state n: u32 = 0;
        event e() => { n += 1; }
        init { for k in 1..=100 { e.at(k as f64); } }
    }
}

/// How many instants there are until nothing is left.
fn instants<M: clockrace::Model>(sim: &mut clockrace::Simulation<M>) -> usize {
    let mut instants = 0;
    while sim.step_instant().unwrap().is_some() {
        instants += 1;
    }
    instants
}

#[test]
fn a_hundred_times_are_a_hundred_instants() {
    assert_eq!(instants(&mut Hundred {}.start(1).unwrap()), 100);
}

simulation! {
    /// Two ranks at one time.
    model Two {
        state n: u32 = 0;
        event e() => { n += 1; }
        init { e.at(1.0, priority = (0, 0)); e.at(1.0, priority = (1,)); }
    }
}

#[test]
fn two_ranks_of_one_time_are_one_instant() {
    let mut sim = Two {}.start(1).unwrap();
    let instant = sim.step_instant().unwrap().unwrap();
    assert_eq!((instant.time, instant.events.len()), (1.0, 2));
    assert!(sim.step_instant().unwrap().is_none());
}

simulation! {
    /// Sequences.
    model Sequences {
        param which: u32;
        state n: u32 = 0;
        state log: Vec<&'static str> = Vec::new();
        activity increments() { n += 1; wait(1.0); n += 1; wait(1.0); n += 1; }
        activity at_once() { while n < 10 { n += 1; } }
        activity with_waits() { while n < 10 { n += 1; wait(1.0); } }
        activity nested() {
            for _ in 0..2 {
                log.push("out");
                for _ in 0..2 { log.push("in"); wait(1.0); }
                log.push("out");
            }
        }
        init {
            match which {
                0 => { increments.start(); }
                1 => { at_once.start(); }
                2 => { with_waits.start(); }
                _ => { nested.start(); }
            }
        }
    }
}

#[test]
fn sequences_count_instants() {
    let run = |which| {
        let mut sim = Sequences { which }.start(1).unwrap();
        let instants = instants(&mut sim);
        (instants, sim.state().n)
    };
    assert_eq!(run(0), (3, 3));
    assert_eq!(run(1), (1, 10));
    assert_eq!(run(2), (11, 10));
}

#[test]
fn repetition_nests() {
    let mut sim = Sequences { which: 3 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(sim.state().log, ["out", "in", "in", "out", "out", "in", "in", "out"]);
}

/// Something that cannot be done.
#[derive(Debug)]
struct Blocked;

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the view is blocked")
    }
}

impl std::error::Error for Blocked {}

fn look(clear: bool) -> Result<(), Blocked> {
    if clear { Ok(()) } else { Err(Blocked) }
}

simulation! {
    /// A step that fails.
    model Failing {
        state log: Vec<&'static str> = Vec::new();
        state running: u32 = 0;
        activity prince(clear: bool) -> Result<(), Blocked> {
            running += 1;
            defer { running -= 1; }
            log.push("watches");
            wait(1.0);
            look(clear)?;
            log.push("is happy");
            Ok(())
        }
        activity baobab() { wait(2.0); log.push("grows"); }
        init { prince.start(false); baobab.start(); }
    }
}

#[derive(Default)]
struct Failures(Vec<(f64, FailingEvent, String)>);

impl clockrace::Observer<Failing> for Failures {
    fn failed(
        &mut self,
        view: clockrace::View<'_, Failing>,
        event: FailingEvent,
        error: &clockrace::SimError,
    ) -> Result<(), clockrace::SimError> {
        self.0.push((view.now(), event, error.to_string()));
        Ok(())
    }
}

#[test]
fn if_a_step_fails_the_rest_of_that_sequence_does_not_run_and_others_do() {
    let mut sim = Failing {}.start(1).unwrap();
    let mut failures = Failures::default();
    assert_eq!(sim.run_with(&mut failures, 10.0).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.state().log, ["watches", "grows"]);
    assert_eq!((sim.state().running, sim.failures()), (0, 1));
    let [(time, event, text)] = &failures.0[..] else { panic!("{:?}", failures.0) };
    assert_eq!((*time, *event), (1.0, FailingEvent::Prince(0)));
    assert!(text.contains("`prince[0]`") && text.contains("the view is blocked"), "{text}");
}

simulation! {
    /// A flow of some duration that is sampled at steps.
    model Sampled {
        param begins: f64;
        param lasts: f64;
        param step: f64;
        state x: f64 = 0.0;
        state speed: f64 = 0.0;
        state seen: Vec<(f64, f64)> = Vec::new();
        state ended: bool = false;
        flow x = x + speed * dt;
        activity flows() {
            wait_until(begins);
            speed = 1.0;
            wait(lasts);
            speed = 0.0;
            ended = true;
        }
        activity samples() {
            wait_until(begins);
            let end: f64 = begins + lasts;
            seen.push((now, x));
            while now < end {
                wait_until((now + step).min(end));
                seen.push((now, x));
            }
        }
        init { flows.start(); samples.start(); }
    }
}

#[test]
fn a_flow_of_duration_10_sampled_each_1_from_1_is_seen_11_times_last_at_11() {
    let mut sim = Sampled { begins: 1.0, lasts: 10.0, step: 1.0 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    let times: Vec<f64> = sim.state().seen.iter().map(|(time, _)| *time).collect();
    assert_eq!(times, (1..=11).map(f64::from).collect::<Vec<_>>());
    assert_eq!(sim.state().seen.last(), Some(&(11.0, 10.0)));
}

#[test]
fn a_step_of_3_over_a_duration_of_10_is_seen_at_0_3_6_9_10_and_never_beyond() {
    let mut sim = Sampled { begins: 0.0, lasts: 10.0, step: 3.0 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(sim.state().seen, [0.0, 3.0, 6.0, 9.0, 10.0].map(|t| (t, t)));
}

#[test]
fn a_flow_of_no_duration_divides_by_nothing() {
    let mut sim = Sampled { begins: 2.0, lasts: 0.0, step: 1.0 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(sim.state().seen, [(2.0, 0.0)]);
    assert!(sim.state().ended);
}

#[test]
fn a_flow_that_replaces_another_keeps_what_was_to_follow() {
    let mut sim = Sampled { begins: 0.0, lasts: 10.0, step: 1.0 }.start(1).unwrap();
    sim.run_until(4.0).unwrap();
    // Another flow from here on.
    sim.update(|state| state.speed = -2.0).unwrap();
    sim.run_until(100.0).unwrap();
    assert!(sim.state().ended);
    assert_eq!(sim.state().seen.last(), Some(&(10.0, -8.0)));
    assert_eq!((sim.state().speed, sim.state().x), (0.0, -8.0));
}

simulation! {
    /// Cancels the only event there is.
    model Last {
        state key: Option<Key<e>> = None;
        state n: u32 = 0;
        event e() => { n += 1; }
        clock cancels: at(1.0) => { if let Some(last) = key { e.cancel(last); } }
        clock again: at(2.0) => { e.after(1.0); }
        init { key = Some(e.at(5.0)); }
    }
}

#[test]
fn cancelling_the_last_event_leaves_the_queue_whole() {
    let mut sim = Last {}.start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.state().n, 1);
}

simulation! {
    /// Events that make events at the same instant, and a body that goes round without waiting.
    model Endless {
        param by_events: bool;
        state never_true: bool = false;
        event e() => { e.after(0.0); }
        activity round() { loop { if never_true { wait(1.0); } } }
        init { if by_events { e.at(1.0); } else { round.start(); } }
    }
}

#[test]
fn endless_events_at_one_instant_are_an_error() {
    for by_events in [true, false] {
        let mut sim = Endless { by_events }.start(1).unwrap();
        sim.set_zeno_limit(1000);
        let error = sim.run_until(2.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Zeno { limit: 1000 }), "{error}");
        assert_eq!(error.event(), Some(if by_events { "e" } else { "round" }));
    }
}

/// Tells instants.
#[derive(Default)]
struct Instants(Vec<String>);

impl clockrace::Observer<Two> for Instants {
    fn before_instant(&mut self, view: clockrace::View<'_, Two>, time: f64) -> Result<(), clockrace::SimError> {
        self.0.push(format!("before {time}: {}", view.state().n));
        Ok(())
    }

    fn event(&mut self, view: clockrace::View<'_, Two>, _: TwoEvent) -> Result<(), clockrace::SimError> {
        self.0.push(format!("event {}", view.state().n));
        Ok(())
    }

    fn after_instant(&mut self, view: clockrace::View<'_, Two>) -> Result<(), clockrace::SimError> {
        self.0.push(format!("after {}: {}", view.now(), view.state().n));
        Ok(())
    }
}

#[test]
fn observers_see_where_instants_begin_and_end() {
    let mut sim = Two {}.start(1).unwrap();
    sim.schedule(2.0, TwoMessage::E).unwrap();
    let mut told = Instants::default();
    sim.run_with(&mut told, 10.0).unwrap();
    assert_eq!(told.0, ["before 1: 0", "event 1", "event 2", "after 1: 2", "before 2: 2", "event 3", "after 2: 3"]);
}
