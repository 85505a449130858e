//! Subscriptions: bounded, each with its own end.

use std::panic;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clockrace::View;
use clockrace::live::{End, Idle, Live, NoNews, Overflow};

use crate::desk::DeskMessage::{Arrive, Leave};
use crate::desk::{Desk, DeskEvent, desk};

/// A live run in which `n` arrive, at 0, 1, ….
fn arriving(n: u64) -> Live<Desk> {
    let live = Live::new(desk()).capacity(1_000_000);
    let injector = live.injector();
    (0..n).for_each(|k| injector.send(k as f64, Arrive(k)).unwrap());
    live
}

#[test]
fn a_reader_that_is_waited_for_loses_nothing() {
    let live = arriving(2000);
    let seen = live.watcher().capacity(2).overflow(Overflow::Wait).subscribe(|view, _| Some(view.now()));
    let run = thread::spawn(move || live.run());
    let read: Vec<f64> = seen.iter().collect();
    assert_eq!(read, (0..2000).map(f64::from).collect::<Vec<_>>());
    assert_eq!((seen.lost(), seen.try_recv()), (0, Err(NoNews::Over)));
    assert_eq!(run.join().unwrap().counts.lost, 0);
}

#[test]
fn a_stop_frees_a_run_that_waits_for_a_reader() {
    let live = arriving(100);
    let (stop, time) = (live.stopper(), live.time());
    let seen = live.watcher().capacity(10).overflow(Overflow::Wait).all();
    let run = thread::spawn(move || live.run());
    while seen.len() < 10 || time.now() < 10.0 {
        thread::yield_now();
    }
    let asked = Instant::now();
    stop.stop();
    let ended = run.join().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1));
    assert_eq!((ended.outcome.unwrap(), ended.simulation.now()), (End::Interrupted, 10.0));
    // What happened is all there.
    assert_eq!(seen.iter().map(|fired| fired.time).collect::<Vec<_>>(), (0..=10).map(f64::from).collect::<Vec<_>>());
}

#[test]
fn dropping_a_subscription_frees_a_run_that_waits_for_it() {
    let live = arriving(100);
    let seen = live.watcher().capacity(10).overflow(Overflow::Wait).all();
    let run = thread::spawn(move || live.run());
    while seen.len() < 10 {
        thread::yield_now();
    }
    thread::sleep(Duration::from_millis(10));
    drop(seen);
    let ended = run.join().unwrap();
    assert_eq!((ended.outcome.unwrap(), ended.simulation.state().came.len()), (End::Exhausted, 100));
}

#[test]
fn subscriptions_overflow_each_on_its_own() {
    let live = arriving(20);
    let watch = live.watcher();
    let wide = watch.all();
    let narrow = watch.clone().capacity(1).all();
    let least = watch.capacity(0).overflow(Overflow::DropNewest).all();
    let ended = live.run();
    assert_eq!((wide.len(), wide.lost()), (20, 0));
    assert_eq!((narrow.len(), narrow.lost()), (1, 19));
    assert_eq!((least.len(), least.lost()), (1, 19));
    assert_eq!(ended.counts.lost, 38);
    assert_eq!((narrow.recv().unwrap().time, least.recv().unwrap().time), (19.0, 0.0));
}

#[test]
fn a_panic_in_a_closure_ends_its_subscription_and_nothing_else() {
    let live = arriving(10);
    let watch = live.watcher();
    let broken = watch.subscribe(|view, _| {
        assert!(view.now() < 4.0, "on purpose");
        Some(view.now())
    });
    let sound = watch.all();
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let ended = live.run();
    panic::set_hook(quiet);
    assert_eq!(ended.outcome.unwrap(), End::Exhausted);
    assert_eq!((ended.simulation.state().came.len(), ended.counts.panicked), (10, 1));
    assert_eq!(broken.iter().collect::<Vec<_>>(), [0.0, 1.0, 2.0, 3.0]);
    assert_eq!(broken.try_recv(), Err(NoNews::Panicked));
    assert_eq!(sound.iter().count(), 10);
}

#[test]
fn what_comes_can_be_waited_for_or_not() {
    let live = arriving(3);
    let injector = live.injector();
    let seen = live.watcher().subscribe(|view, event| (event == DeskEvent::Arrive).then(|| view.now()));
    assert_eq!(seen.try_recv(), Err(NoNews::Empty));
    assert_eq!(seen.recv_timeout(Duration::from_millis(1)), Err(NoNews::Empty));
    assert_eq!(NoNews::Empty.to_string(), "nothing has come yet");
    let run = thread::spawn(move || live.idle(Idle::Wait).run());
    assert_eq!(seen.recv_timeout(Duration::from_secs(60)), Ok(0.0));
    assert_eq!((seen.recv(), seen.recv()), (Some(1.0), Some(2.0)));
    injector.send_after(1.0, Leave(1)).unwrap();
    assert_eq!(seen.recv_timeout(Duration::from_millis(1)), Err(NoNews::Empty));
    injector.send_after(1.0, Arrive(1)).unwrap();
    drop(injector);
    assert!(seen.recv_timeout(Duration::MAX).is_ok());
    assert_eq!(seen.recv_timeout(Duration::MAX), Err(NoNews::Over));
    assert_eq!((seen.recv(), seen.is_empty()), (None, true));
    run.join().unwrap().outcome.unwrap();
}

#[test]
fn a_subscription_to_a_run_that_is_over_gives_nothing() {
    let live = arriving(3);
    let watch = live.watcher();
    live.run().outcome.unwrap();
    assert_eq!(watch.all().recv(), None);
    let live = arriving(3);
    let (watch, injector) = (live.watcher(), live.injector());
    let (before, refusals) = (watch.all(), injector.refusals(1));
    drop(live);
    assert_eq!(before.try_recv(), Err(NoNews::Over));
    assert_eq!((refusals.recv(), injector.refusals(1).recv()), (None, None));
}

#[test]
fn several_threads_can_share_a_subscription() {
    let live = arriving(500);
    let seen = live.watcher().capacity(4).overflow(Overflow::Wait).subscribe(|view, _| Some(view.now()));
    let (found, all) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..3 {
            let found = found.clone();
            let seen = &seen;
            scope.spawn(move || seen.iter().for_each(|time| found.send(time).unwrap()));
        }
        drop(found);
        live.run().outcome.unwrap();
    });
    let mut times: Vec<f64> = all.iter().collect();
    times.sort_by(f64::total_cmp);
    assert_eq!(times, (0..500).map(f64::from).collect::<Vec<_>>());
}

#[test]
fn a_subscription_sees_the_simulation_as_an_observer_does() {
    let live = arriving(5);
    let seen = live.watcher().subscribe(|view, _| Some(view.state().came.len()));
    let mut observed = Vec::new();
    let mut observer = clockrace::on_event(|view: View<'_, Desk>, _| observed.push(view.state().came.len()));
    live.run_with(&mut observer, f64::INFINITY).outcome.unwrap();
    assert_eq!(observed, [1, 2, 3, 4, 5]);
    assert_eq!(seen.iter().collect::<Vec<_>>(), observed);
}

#[test]
fn a_stop_frees_a_run_and_a_reader_that_wait_for_each_other() {
    let live = arriving(100).capacity(1);
    let stop = live.stopper();
    let injector = live.injector();
    let seen = live.watcher().capacity(1).overflow(Overflow::Wait).all();
    let replier = thread::spawn(move || {
        // Two replies to each event are too many for a queue of one, as the run waits for the next to be read.
        seen.iter().take_while(|_| (0..2).all(|_| injector.send_now(Leave(0)).is_ok())).count()
    });
    let run = thread::spawn(move || live.run());
    thread::sleep(Duration::from_millis(50));
    stop.stop();
    run.join().unwrap().outcome.unwrap();
    replier.join().unwrap();
}

clockrace::simulation! {
    /// Trips, of which long ones fail.
    model Trips {
        state back: u32 = 0;
        activity trip(length: f64) -> Result<(), Late> {
            wait(length);
            if length > 2.0 { return Err(Late); }
            back += 1;
            Ok(())
        }
        event nudge() => {}
        init { for k in 1..=4u8 { trip.start(f64::from(k) - 0.5); } }
    }
}

#[derive(Debug)]
struct Late;

impl std::fmt::Display for Late {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("too late")
    }
}

impl std::error::Error for Late {}

/// Failures that are seen: when, in which event, and with what.
fn failures(live: &Live<Trips>) -> clockrace::live::Subscription<clockrace::live::Failed<TripsEvent>> {
    live.watcher().failures()
}

fn times(failed: &[clockrace::live::Failed<TripsEvent>]) -> Vec<(f64, TripsEvent)> {
    assert!(failed.iter().all(|failed| failed.error.to_string().contains("too late")), "{failed:?}");
    failed.iter().map(|failed| (failed.time, failed.event)).collect()
}

#[test]
fn a_subscription_sees_instances_that_fail() {
    let expected = [(2.5, TripsEvent::Trip(2)), (3.5, TripsEvent::Trip(3))];
    let live = Live::new(Trips {}.start(1).unwrap());
    let (failed, all) = (failures(&live), live.watcher().all());
    let ended = live.run_until(10.0);
    assert_eq!((ended.simulation.state().back, ended.simulation.failures()), (2, 2));
    assert_eq!(times(&failed.iter().collect::<Vec<_>>()), expected);
    // What failed is an event as any other.
    assert_eq!(all.iter().count(), 8);
    // An observer sees them too.
    let live = Live::new(Trips {}.start(1).unwrap());
    let failed = failures(&live);
    let mut observed = Observed::default();
    live.run_with(&mut observed, 10.0).outcome.unwrap();
    assert_eq!(observed.failed, expected);
    assert_eq!(times(&failed.iter().collect::<Vec<_>>()), expected);
}

#[derive(Default)]
struct Observed {
    failed: Vec<(f64, TripsEvent)>,
}

impl clockrace::Observer<Trips> for Observed {
    fn failed(
        &mut self,
        view: View<'_, Trips>,
        event: TripsEvent,
        _: &clockrace::SimError,
    ) -> Result<(), clockrace::SimError> {
        self.failed.push((view.now(), event));
        Ok(())
    }
}

#[test]
fn a_subscription_sees_no_failure_from_before_it_came() {
    let live = Live::new(Trips {}.start(1).unwrap());
    let (watcher, (came, comes)) = (live.watcher(), mpsc::channel());
    // Between the two failures; nobody looks before.
    let nudges = [(2.9, TripsMessage::Nudge)].into_iter().chain(std::iter::from_fn(move || {
        came.send(watcher.failures()).unwrap();
        None
    }));
    live.source(nudges).run_until(10.0).outcome.unwrap();
    let failed = comes.recv().unwrap();
    assert_eq!(times(&failed.iter().collect::<Vec<_>>()), [(3.5, TripsEvent::Trip(3))]);
}
