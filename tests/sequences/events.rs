//! Dynamic events: scheduled, moved, cancelled, in one total order with everything else.

use clockrace::{ErrorKind, Outcome, simulation};

simulation! {
    /// Notes what happens, in order.
    model Noted {
        index place = 0..4;
        state log: Vec<(f64, String)> = Vec::new();
        state key: Option<Key<plain>> = None;
        event plain(text: &'static str) => { log.push((now, text.to_owned())); }
        event here[k in place](n: u32) => { log.push((now, format!("here {k} {n}"))); }
        event member(k in place, n: u32), priority = 5 => { log.push((now, format!("member {k} {n}"))); }
        event sample(), once => { log.push((now, "sample".to_owned())); }
        clock first: at(1.0), priority = -1 => { log.push((now, "first".to_owned())); }
        clock second: at(1.0), priority = 5 => { log.push((now, "second".to_owned())); }
        clock script: at(0.5) => { plain.after(0.5, "by a clock"); }
        observe pending = plain.len();
        observe all = here.len();
        observe third = here[3].len();
    }
}

fn texts(sim: &clockrace::Simulation<Noted>) -> Vec<String> {
    sim.state().log.iter().map(|(time, text)| format!("{time} {text}")).collect()
}

#[test]
fn everything_at_one_moment_is_in_the_documented_order() {
    let mut sim = Noted {}.start(1).unwrap();
    // Priority, then declaration, then index, then first scheduled first.
    sim.schedule(1.0, NotedMessage::Member(2, 1)).unwrap();
    sim.schedule(1.0, NotedMessage::Here(3, 7)).unwrap();
    sim.schedule(1.0, NotedMessage::Here(0, 1)).unwrap();
    sim.schedule(1.0, NotedMessage::Here(3, 6)).unwrap();
    sim.schedule(1.0, NotedMessage::Plain("a")).unwrap();
    sim.schedule(1.0, NotedMessage::Plain("b")).unwrap();
    assert_eq!(sim.observe().unwrap().third, 2.0);
    assert_eq!(sim.run_until(1.0).unwrap(), Outcome::Exhausted);
    assert_eq!(
        texts(&sim),
        ["1 first", "1 a", "1 b", "1 by a clock", "1 here 0 1", "1 here 3 7", "1 here 3 6", "1 member 2 1", "1 second",]
    );
}

#[test]
fn a_sample_that_is_asked_for_three_times_at_one_instant_is_taken_once() {
    let mut sim = Noted {}.start(1).unwrap();
    for _ in 0..3 {
        sim.schedule(2.0, NotedMessage::Sample).unwrap();
    }
    sim.schedule(3.0, NotedMessage::Sample).unwrap();
    sim.run_until(2.0).unwrap();
    // It has been taken at this instant.
    sim.schedule(2.0, NotedMessage::Sample).unwrap();
    sim.run_until(5.0).unwrap();
    let taken: Vec<f64> = sim.state().log.iter().filter(|(_, text)| text == "sample").map(|(time, _)| *time).collect();
    assert_eq!(taken, [2.0, 3.0]);
}

simulation! {
    /// A sampler that others ask for, several at one instant.
    model Asked {
        state asked: Option<f64> = None;
        state taken: Vec<f64> = Vec::new();
        clock sampler: at(asked.unwrap_or(never)), once => { taken.push(now); asked = None; }
        event ask() => { asked = Some(now); }
        init { for _ in 0..3 { ask.at(1.0); } ask.at(2.0); }
    }
}

#[test]
fn a_clock_that_is_asked_several_times_at_an_instant_rings_once() {
    let mut sim = Asked {}.start(1).unwrap();
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().taken, [1.0, 2.0]);
}

#[test]
fn what_is_scheduled_from_outside_is_checked_there() {
    let mut sim = Noted {}.start(1).unwrap();
    sim.run_until(4.0).unwrap();
    for bad in [3.9, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = sim.schedule(bad, NotedMessage::Here(2, 0)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Schedule { what, .. } if what == "`here[2]`"), "{error}");
        assert_eq!((error.clock(), error.clock_index(), error.time()), (Some("here"), &[2][..], 4.0));
    }
    let error = sim.schedule(5.0, NotedMessage::Here(4, 0)).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Index { index: 4, size: 4, .. }), "{error}");
    let kept = sim.schedule(5.0, NotedMessage::Here(1, 9)).unwrap();
    assert_eq!(sim.observe().unwrap().all, 1.0);
    assert!(matches!(sim.cancel(kept).unwrap(), Some(NotedMessage::Here(1, 9))));
    assert!(sim.cancel(kept).unwrap().is_none());
    assert_eq!(sim.run_until(9.0).unwrap(), Outcome::Exhausted);
}

simulation! {
    /// Keys in states.
    model Keyed {
        param cancelled_at: f64 = 5.0;
        index place = 0..3;
        state log: Vec<(f64, u32)> = Vec::new();
        state key: Option<Key<job>> = None;
        state given_back: Option<(u32, String)> = None;
        state stale: bool = false;
        state at: Option<f64> = None;
        event job(n: u32, text: String) => { log.push((now, n)); let _ = text; }
        event near[k in place]() => { log.push((now, k as u32)); }
        clock cancels: at(cancelled_at) => {
            if let Some(old) = key {
                given_back = job.cancel(old);
                stale = job.cancel(old).is_none() && !job.reschedule(old, 100.0) && job.when(old).is_none();
            }
        }
        clock moves: at(2.0) => {
            if let Some(old) = key {
                at = job.when(old);
                assert!(job.reschedule(old, 6.0));
            }
        }
        clock clears: at(3.0) => { near[1].clear(); }
        init {
            key = Some(job.at(4.0, 1, "a".to_owned()));
            job.after(6.0, 2, "b".to_owned());
            for k in place { near[k].at(3.5); near[k].at(3.75); }
        }
        stop nothing_left if job.len() == 0;
    }
}

#[test]
fn keys_move_and_cancel_and_get_stale() {
    let mut sim = Keyed { cancelled_at: 5.0 }.start(1).unwrap();
    assert_eq!(sim.run_until(f64::INFINITY).unwrap(), Outcome::Stopped("nothing_left"));
    let state = sim.state();
    assert_eq!(state.at, Some(4.0));
    assert_eq!(state.given_back, Some((1, "a".to_owned())));
    assert!(state.stale);
    assert_eq!(state.log, [(3.5, 0), (3.5, 2), (3.75, 0), (3.75, 2), (6.0, 2)]);
}

#[test]
fn what_is_rescheduled_comes_behind_what_is_there() {
    let mut sim = Keyed { cancelled_at: f64::INFINITY }.start(1).unwrap();
    sim.run_until(f64::INFINITY).unwrap();
    assert_eq!(sim.state().log[4..], [(6.0, 2), (6.0, 1)]);
}

simulation! {
    /// Fails in the middle of a body that has scheduled something.
    model Failing {
        state fails: bool = true;
        state n: u32 = 0;
        event next(k: u32) => {
            n += 1;
            next.after(1.0, k + 1);
            other.after(2.0);
            if fails && k == 2 { next.at(now - 1.0, 0); }
        }
        event other() => {}
        observe waiting = next.len() + other.len();
        init { next.at(1.0, 0); }
    }
}

#[test]
fn an_event_that_fails_is_pending_still_and_has_scheduled_nothing() {
    let mut sim = Failing {}.start(1).unwrap();
    let error = sim.run_until(10.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Schedule { value: 2.0, .. }), "{error}");
    assert_eq!((error.event(), error.time()), (Some("next"), 3.0));
    assert_eq!((sim.now(), sim.state().n, sim.next_time()), (2.0, 2, 3.0));
    assert_eq!(sim.observe().unwrap().waiting, 3.0);
    sim.update(|state| state.fails = false).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().n, 3);
}

simulation! {
    /// Rates that depend on what is pending.
    model Crowd {
        state departures: u64 = 0;
        event leave() => {}
        clock hurry: rate(leave.len() as f64) => { departures += 1; }
        init { for k in 0..5 { leave.at(10.0 * (k + 1) as f64); } }
    }
}

#[test]
fn clocks_see_what_is_pending() {
    // 5 for 10, 4 for 10, …: 150 in all.
    let mut total = 0.0;
    for seed in 0..400 {
        let mut sim = Crowd {}.start(seed).unwrap();
        sim.run_until(100.0).unwrap();
        #[allow(clippy::cast_precision_loss)]
        let departures = sim.state().departures as f64;
        total += departures;
    }
    let mean: f64 = total / 400.0;
    assert!((mean - 150.0).abs() < 4.0 * (150.0_f64 / 400.0).sqrt(), "{mean}");
}

#[test]
fn the_graph_shows_events() {
    let graph = Keyed::graph().to_string();
    assert!(graph.contains("event job: usize"), "{graph}");
    assert!(graph.contains("state key: Option<Key<job>>"), "{graph}");
    assert!(graph.contains("stop nothing_left: reads job"), "{graph}");
}

simulation! {
    /// One payload type of the user's own, with a lifetime and a type of the model.
    model Generic<T: Clone + std::fmt::Debug + Send + 'static, const N: usize> {
        state seen: Vec<T> = Vec::new();
        state first: T;
        event give(what: T, times: [u8; N]) => { for _ in times { seen.push(what.clone()); } }
        init { give.at(1.0, first.clone(), [0; N]); }
    }
}

#[test]
fn payloads_are_of_any_type() {
    let mut sim = Generic::<String, 2> { first: "x".to_owned() }.start(1).unwrap();
    sim.schedule(2.0, GenericMessage::Give("y".to_owned(), [0; 2])).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().seen, ["x", "x", "y", "y"]);
}

simulation! {
    /// Whoever schedules too many is told so.
    model TooMany {
        state rang: u32 = 0;
        event e() => {}
        clock c: rate(if e.len() > 2 { -1.0 } else { 1.0 }) => { rang += 1; }
        observe pending = e.len();
    }
}

/// The event used to stay, and the clock to be stale.
#[test]
fn what_fails_from_outside_changes_nothing() {
    let mut sim = TooMany {}.start(1).unwrap();
    sim.schedule(1.0, TooManyMessage::E).unwrap();
    sim.schedule(1.0, TooManyMessage::E).unwrap();
    let error = sim.schedule(1.0, TooManyMessage::E).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Rate { .. }), "{error}");
    assert_eq!(sim.observe().unwrap().pending, 2.0);
    sim.run_until(4.0).unwrap();
}
