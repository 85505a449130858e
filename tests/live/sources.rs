//! Producers: iterators of events.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use clockrace::live::{End, Full, Late, Live, Source, SourceError};
use clockrace::{ErrorKind, Outcome, SimError, View};

use crate::desk::DeskMessage::{Arrive, Leave};
use crate::desk::{Desk, DeskMessage, desk, when, who};

/// The error of a source behind one of a run.
fn source_error(error: &SimError) -> SourceError {
    let ErrorKind::User(error) = error.kind() else { panic!("{error}") };
    *error.downcast_ref().expect("it is one of a source")
}

/// An arrival at each of these times.
fn arrivals(times: &[f64]) -> Vec<(f64, DeskMessage)> {
    times.iter().zip(0..).map(|(&time, k)| (time, Arrive(k))).collect()
}

#[test]
fn an_iterator_is_a_source() {
    let (sim, end) = Live::new(desk()).source((0..100).map(|k| (k as f64, Arrive(k)))).run().into_result().unwrap();
    assert_eq!(end, End::Exhausted);
    assert_eq!(sim.state().came, (0..100).map(|k| (k as f64, k)).collect::<Vec<_>>());
}

#[test]
fn no_more_than_the_next_item_is_taken() {
    // An endless one, of which each item is asked for when that before it has been scheduled.
    let taken = Arc::new(AtomicU64::new(0));
    let counter = Arc::clone(&taken);
    let endless = (0..).map(move |k| {
        counter.fetch_add(1, Ordering::Relaxed);
        (k as f64, Arrive(k))
    });
    let mut ahead = Vec::new();
    let mut observer = clockrace::on_event(|view: View<'_, Desk>, _| {
        ahead.push(taken.load(Ordering::Relaxed) - view.state().came.len() as u64);
    });
    let ended = Live::new(desk()).source(endless).run_with(&mut observer, 50.0);
    assert_eq!(ended.outcome.unwrap(), End::Reached);
    assert_eq!((ended.simulation.state().came.len(), ended.counts.from_sources), (51, 51));
    assert_eq!(ahead, [1; 51]);
}

#[test]
fn times_of_a_source_must_not_decrease() {
    let ended = Live::new(desk()).source(arrivals(&[1.0, 3.0, 2.0, 4.0])).run();
    let error = ended.outcome.unwrap_err();
    assert_eq!(source_error(&error), SourceError::Decreasing { previous: 3.0, next: 2.0 });
    assert_eq!(error.to_string(), "at t = 1: a source gives time 2 after 3; its times must not decrease");
    // The simulation can be read, and can go on with what was scheduled.
    let mut sim = ended.simulation;
    assert_eq!((when(&sim.state().came), sim.now()), (vec![1.0], 1.0));
    sim.run_until(10.0).unwrap();
    assert_eq!(when(&sim.state().came), [1.0, 3.0]);
}

#[test]
fn times_of_a_source_must_be_finite() {
    for time in [f64::NAN, f64::INFINITY] {
        let ended = Live::new(desk()).source(arrivals(&[1.0, time])).run();
        let SourceError::Time { previous, next } = source_error(&ended.outcome.unwrap_err()) else { panic!() };
        assert_eq!((previous, next.to_bits()), (1.0, time.to_bits()));
    }
    let mut first = Source::new(arrivals(&[f64::NEG_INFINITY]));
    assert!(matches!(first.next_time(), Err(SourceError::Time { .. })));
}

#[test]
fn items_of_one_time_come_in_their_order_and_sources_in_theirs() {
    let a = [(1.0, Arrive(0)), (2.0, Arrive(1)), (2.0, Arrive(2)), (3.0, Arrive(3))];
    let b = [(0.5, Arrive(10)), (2.0, Arrive(11)), (4.0, Arrive(12))];
    let c = [(2.0, Leave(20))];
    let (sim, _) = Live::new(desk()).source(a).source(b).source(c).run().into_result().unwrap();
    assert_eq!(who(&sim.state().came), [10, 0, 1, 2, 11, 3, 12]);
    assert_eq!(sim.state().left, [(2.0, 20)]);
}

#[test]
fn all_items_of_a_time_are_there_before_any_event_of_it() {
    // By the rule of the order arrivals come before departures, whichever comes first in the source.
    let items = [(1.0, Leave(0)), (1.0, Arrive(1)), (1.0, Leave(2)), (1.0, Arrive(3))];
    let live = Live::new(desk()).source(items);
    let all = live.watcher().all();
    live.run().outcome.unwrap();
    let names: Vec<String> = all.iter().map(|fired| format!("{:?}", fired.event)).collect();
    assert_eq!(names, ["Arrive", "Arrive", "Leave", "Leave"]);
}

#[test]
fn items_that_are_late_are_treated_as_messages_are() {
    let late = || {
        let mut sim = desk();
        sim.run_until(2.5).unwrap();
        Live::new(sim).source(arrivals(&[1.0, 2.0, 3.0]))
    };
    let ended = late().run();
    assert_eq!(ended.simulation.state().came, [(3.0, 2)]);
    assert_eq!((ended.counts.late_refused, ended.counts.from_sources), (2, 1));
    let ended = late().late(Late::MoveToNow).run();
    assert_eq!(ended.simulation.state().came, [(2.5, 0), (2.5, 1), (3.0, 2)]);
    assert_eq!((ended.counts.late_moved, ended.counts.from_sources), (2, 3));
}

#[test]
fn sources_and_injectors_go_together() {
    let live = Live::new(desk()).source((0..1000).map(|k| (k as f64, Arrive(k)))).full(Full::Wait).capacity(4);
    let injector = live.injector();
    let run = thread::spawn(move || live.late(Late::MoveToNow).run());
    let sent = (0..1000).take_while(|&k| injector.send(k as f64, Leave(k)).is_ok()).count();
    let ended = run.join().unwrap();
    assert_eq!(ended.outcome.unwrap(), End::Exhausted);
    assert_eq!(who(&ended.simulation.state().came), (0..1000).collect::<Vec<_>>());
    assert_eq!((ended.simulation.state().left.len(), ended.counts.injected), (sent, sent as u64));
}

#[test]
fn a_simulation_can_run_with_a_source_and_without_threads() {
    let mut source = Source::new((0..).map(|k| (0.5 * k as f64, Arrive(k))));
    let mut sim = desk();
    assert_eq!(sim.run_with_source(&mut source, &mut (), 2.0).unwrap(), Outcome::Reached);
    assert_eq!((sim.now(), who(&sim.state().came)), (2.0, vec![0, 1, 2, 3, 4]));
    assert_eq!(source.next_time(), Ok(Some(2.5)));
    // It goes on where it was.
    let mut seen = 0;
    let mut observer = clockrace::on_event(|_: View<'_, Desk>, _| seen += 1);
    assert_eq!(sim.run_with_source(&mut source, &mut observer, 10.0).unwrap(), Outcome::Reached);
    assert_eq!((seen, sim.state().came.len()), (16, 21));
    let mut last = Source::new([(11.0, Leave(0))]);
    assert_eq!(sim.run_with_source(&mut last, &mut (), f64::INFINITY).unwrap(), Outcome::Exhausted);
    assert_eq!((sim.now(), last.next_time()), (11.0, Ok(None)));
}

#[test]
fn a_source_without_threads_reports_the_same_faults() {
    let mut sim = desk();
    let mut source = Source::new(arrivals(&[1.0, 3.0, 2.0, 4.0]));
    let error = sim.run_with_source(&mut source, &mut (), 10.0).unwrap_err();
    assert_eq!(source_error(&error), SourceError::Decreasing { previous: 3.0, next: 2.0 });
    // The item is skipped, and the run goes on behind it.
    assert_eq!(sim.run_with_source(&mut source, &mut (), 10.0).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.state().came, [(1.0, 0), (3.0, 1), (4.0, 3)]);
    assert!(sim.run_with_source(&mut source, &mut (), 9.0).is_err(), "the end lies in the past");
}

#[test]
fn cutting_a_run_with_a_source_leaves_it_the_same() {
    let times: Vec<f64> = (0..200).map(|k| (f64::from(k) * 0.37).floor()).collect();
    let run = |cuts: &[f64]| {
        let mut source = Source::new(arrivals(&times));
        let mut sim = desk();
        for &cut in cuts {
            sim.run_with_source(&mut source, &mut (), cut).unwrap();
        }
        sim.state().came.clone()
    };
    let whole = run(&[100.0]);
    assert_eq!(whole.len(), 200);
    assert_eq!(run(&[0.0, 0.5, 1.0, 1.0, 7.0, 33.3, 100.0]), whole);
}
