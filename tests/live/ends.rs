//! How live runs end, and what happens to those who wait.

use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clockrace::live::{End, Idle, InjectError, Live, Source};
use clockrace::record::EventLog;
use clockrace::{ErrorKind, Observer, SimError, View, simulation};

use crate::desk::DeskMessage::{Arrive, Leave};
use crate::desk::{Desk, DeskEvent, desk};

simulation! {
    /// Counts, stops at 5, and cannot count beyond 8.
    model Counts {
        param most: u8 = 8;
        param enough: u8 = 5;
        state n: u8 = 0;
        clock tick: every(1.0) => {
            if n == most { Err(std::fmt::Error)?; }
            n += 1;
        }
        stop enough if n >= enough;
    }
}

#[test]
fn a_live_run_ends_as_any_run_does() {
    let counts = |enough| Live::new(Counts { most: 8, enough }.start(1).unwrap());
    let (sim, end) = counts(5).run().into_result().unwrap();
    assert_eq!((end, sim.state().n, sim.now()), (End::Stopped("enough"), 5, 5.0));
    let (sim, end) = counts(200).run_until(3.5).into_result().unwrap();
    assert_eq!((end, sim.state().n, sim.now()), (End::Reached, 3, 3.5));
    // An event at the end happens.
    let (sim, _) = counts(200).run_until(3.0).into_result().unwrap();
    assert_eq!((sim.state().n, sim.now()), (3, 3.0));
}

#[test]
fn an_error_ends_the_run_and_leaves_the_simulation_readable() {
    let live = Live::new(Counts { most: 8, enough: 200 }.start(1).unwrap());
    let (seen, time) = (live.watcher().subscribe(|view, _| Some(view.state().n)), live.time());
    let ended = live.run();
    let error = ended.outcome.as_ref().unwrap_err();
    assert_eq!((error.clock(), error.time()), (Some("tick"), 9.0));
    assert!(format!("{ended:?}").contains("tick"));
    assert_eq!((ended.simulation.state().n, ended.simulation.now(), time.now()), (8, 8.0, 8.0));
    assert_eq!(seen.iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7, 8]);
    // It has failed, as any other would have, until it is mended.
    let mut sim = ended.simulation;
    assert!(sim.run_until(20.0).is_err());
    sim.update(|state| state.n = 0).unwrap();
    sim.run_until(12.0).unwrap();
    assert_eq!(sim.state().n, 4);
}

#[test]
fn a_run_cannot_end_before_it_begins() {
    let mut sim = desk();
    sim.run_until(5.0).unwrap();
    let live = Live::new(sim);
    let injector = live.injector();
    injector.send(6.0, Arrive(1)).unwrap();
    let ended = live.run_until(4.0);
    assert!(matches!(ended.outcome.unwrap_err().kind(), ErrorKind::EndTime { .. }));
    assert_eq!((ended.counts.undelivered, ended.simulation.now()), (1, 5.0));
    assert!(Live::new(desk()).run_until(f64::NAN).outcome.is_err());
}

#[test]
fn messages_that_a_failed_run_has_not_scheduled_are_counted() {
    /// Fails at the second event, after two more messages have been sent.
    struct Fails(clockrace::live::Injector<crate::desk::DeskMessage>);
    impl Observer<Desk> for Fails {
        fn event(&mut self, view: View<'_, Desk>, _: DeskEvent) -> Result<(), SimError> {
            if view.now() == 2.0 {
                self.0.send(7.0, Arrive(7)).unwrap();
                self.0.send(8.0, Arrive(8)).unwrap();
                return Err(SimError::new(ErrorKind::Param { name: "x", value: "1".into(), expected: "none" }, 2.0));
            }
            Ok(())
        }
    }
    let live = Live::new(desk());
    let injector = live.injector();
    injector.send(1.0, Arrive(1)).unwrap();
    injector.send(2.0, Arrive(2)).unwrap();
    let ended = live.run_with(&mut Fails(injector), 10.0);
    assert!(ended.outcome.is_err());
    assert_eq!((ended.counts.injected, ended.counts.undelivered), (2, 2));
}

#[test]
fn recorders_work_on_live_runs() {
    let live = Live::new(Counts { most: 8, enough: 200 }.start(1).unwrap());
    let mut log = EventLog::new();
    live.run_with(&mut log, 5.0).outcome.unwrap();
    let mut expected = EventLog::new();
    Counts { most: 8, enough: 200 }.start(1).unwrap().run_with(&mut expected, 5.0).unwrap();
    assert_eq!(log.iter().collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());
}

/// What an observer is told, in order, and when by the wall clock.
#[derive(Default)]
struct Told(Vec<(&'static str, f64, Option<Instant>)>);

impl Observer<Desk> for Told {
    fn advance(&mut self, view: View<'_, Desk>, _: f64) -> Result<(), SimError> {
        self.0.push(("advance", view.now(), None));
        Ok(())
    }

    fn before_instant(&mut self, _: View<'_, Desk>, next: f64) -> Result<(), SimError> {
        self.0.push(("before", next, None));
        Ok(())
    }

    fn event(&mut self, view: View<'_, Desk>, _: DeskEvent) -> Result<(), SimError> {
        self.0.push(("event", view.now(), None));
        Ok(())
    }

    fn after_instant(&mut self, view: View<'_, Desk>) -> Result<(), SimError> {
        self.0.push(("after", view.now(), Some(Instant::now())));
        Ok(())
    }
}

#[test]
fn observers_are_told_of_instants_as_in_any_run() {
    let messages = [(1.0, Arrive(1)), (1.0, Leave(1)), (2.0, Arrive(2)), (100.0, Arrive(3))];
    let mut sim = desk();
    for (at, message) in messages.clone() {
        sim.schedule(at, message).unwrap();
    }
    let (mut plain, mut live, mut sourced) = (Told::default(), Told::default(), Told::default());
    sim.clone().run_with(&mut plain, 50.0).unwrap();
    Live::new(sim).run_with(&mut live, 50.0).outcome.unwrap();
    desk().run_with_source(&mut Source::new(messages), &mut sourced, 50.0).unwrap();
    let told = |told: &Told| told.0.iter().map(|&(what, when, _)| (what, when)).collect::<Vec<_>>();
    assert_eq!(plain.0.len(), 10);
    assert_eq!((told(&live), told(&sourced)), (told(&plain), told(&plain)));
}

#[test]
fn an_instant_is_over_before_the_next_is_waited_for() {
    let live = Live::new(desk()).speed(100.0);
    live.injector().send(0.0, Arrive(1)).unwrap();
    live.injector().send(10.0, Arrive(2)).unwrap();
    let mut told = Told::default();
    let start = Instant::now();
    live.run_with(&mut told, 10.0).outcome.unwrap();
    let ends: Vec<_> = told.0.iter().filter_map(|&(_, when, told)| Some((when, told?))).collect();
    assert_eq!(ends.iter().map(|end| end.0).collect::<Vec<_>>(), [0.0, 10.0]);
    assert!(ends[1].1 - ends[0].1 >= Duration::from_millis(50), "{:?}", ends[0].1 - start);
}

#[test]
fn a_panic_in_a_model_frees_those_who_wait() {
    simulation! {
        model Broken {
            state n: u64 = 0;
            clock tick: every(1.0) => {
                n += 1;
                assert!(n < 3, "on purpose");
            }
        }
    }
    let live = Live::new(Broken {}.start(1).unwrap());
    let seen = live.watcher().all();
    let reader = thread::spawn(move || seen.iter().count());
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| live.run()));
    panic::set_hook(quiet);
    assert!(outcome.is_err());
    assert_eq!(reader.join().unwrap(), 2);
}

#[test]
fn a_panic_in_an_observer_frees_who_waits_for_room() {
    let live = Live::new(desk()).capacity(1).idle(Idle::Wait);
    let (injector, stop) = (live.injector(), live.stopper());
    let (happened, waits) = mpsc::channel();
    let sender = thread::spawn(move || {
        injector.send(1.0, Arrive(1)).unwrap();
        waits.recv().unwrap();
        // The run is in its observer: there is room for one.
        injector.send(2.0, Arrive(2)).unwrap();
        injector.send(3.0, Arrive(3))
    });
    let quiet = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let outcome = panic::catch_unwind(AssertUnwindSafe(|| {
        live.run_with(
            &mut clockrace::on_event(move |_: View<'_, Desk>, _| {
                happened.send(()).unwrap();
                thread::sleep(Duration::from_millis(20));
                panic!("on purpose");
            }),
            10.0,
        )
    }));
    panic::set_hook(quiet);
    assert!(outcome.is_err());
    assert_eq!(sender.join().unwrap(), Err(InjectError::Over { message: Arrive(3) }));
    stop.stop();
}

#[test]
fn a_live_run_and_its_handles_go_to_other_threads() {
    fn goes<T: Send>() {}
    fn is_shared<T: Send + Sync>() {}
    goes::<Live<Desk>>();
    goes::<clockrace::live::Ended<Desk>>();
    is_shared::<clockrace::live::Injector<crate::desk::DeskMessage>>();
    is_shared::<clockrace::live::Watcher<Desk>>();
    is_shared::<clockrace::live::Subscription<u64>>();
    is_shared::<clockrace::live::TimeReader>();
    is_shared::<clockrace::live::Stopper>();
    is_shared::<clockrace::live::Pacer>();
    let live = Live::new(desk());
    let shown = format!("{live:?} {:?} {:?} {:?}", live.time(), live.stopper(), live.pacer());
    assert!(shown.contains("capacity: 1024") && shown.contains("now: 0.0") && shown.contains("stopped: false"));
    let shown = format!("{:?} {:?} {:?}", live.injector(), live.watcher(), live.watcher().all());
    assert!(shown.contains("full: Wait") && shown.contains("DropOldest") && shown.contains("lost: 0"));
}
