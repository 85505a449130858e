//! The queue into a run: what is refused, what waits, what spills.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clockrace::live::{End, Full, Idle, InjectError, Late, Live};
use clockrace::{ErrorKind, View};

use crate::desk::DeskMessage::{Arrive, Leave};
use crate::desk::{Desk, desk, who};

#[test]
fn times_that_are_not_finite_are_refused_where_they_are_sent() {
    let live = Live::new(desk());
    let injector = live.injector();
    for at in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let error = injector.send(at, Arrive(7)).unwrap_err();
        assert!(matches!(error, InjectError::Time { what: "time", value, .. } if value.to_bits() == at.to_bits()));
        assert_eq!(error.into_message(), Arrive(7));
    }
    for delay in [-1.0, f64::NAN, f64::INFINITY, f64::MAX] {
        let error = injector.send_after(delay, Leave(7)).unwrap_err();
        assert!(matches!(error, InjectError::Time { what: "delay", .. }), "{error}");
    }
    assert_eq!(
        injector.send_after(-1.0, Arrive(7)).unwrap_err().to_string(),
        "a message is given the delay -1; it must be finite and not negative"
    );
    assert_eq!(
        injector.send(f64::NAN, Arrive(7)).unwrap_err().to_string(),
        "a message is given the time NaN; it must be finite"
    );
    assert!(injector.is_empty());
    let ended = live.run();
    assert_eq!((ended.outcome.unwrap(), ended.counts.injected), (End::Exhausted, 0));
}

#[test]
fn delays_count_from_the_time_at_which_the_run_sees_them() {
    let mut sim = desk();
    sim.run_until(3.0).unwrap();
    let live = Live::new(sim);
    let injector = live.injector();
    injector.send_after(2.0, Arrive(1)).unwrap();
    injector.send_now(Arrive(2)).unwrap();
    injector.try_send_now(Arrive(3)).unwrap();
    injector.send_after(0.0, Arrive(4)).unwrap();
    let (sim, _) = live.run().into_result().unwrap();
    assert_eq!(sim.state().came, [(3.0, 2), (3.0, 3), (3.0, 4), (5.0, 1)]);
}

#[test]
fn a_time_that_is_late_by_rounding_is_now() {
    let mut sim = desk();
    sim.run_until(0.3).unwrap();
    let live = Live::new(sim);
    // 0.1 + 0.2 is a little more than 0.3, and 0.1 * 3.0 too; this is a little less.
    live.injector().send(0.3 - f64::EPSILON / 4.0, Arrive(1)).unwrap();
    let ended = live.run();
    assert_eq!(ended.simulation.state().came, [(0.3, 1)]);
    assert_eq!((ended.counts.late_refused, ended.counts.late_moved), (0, 0));
}

#[test]
fn a_full_queue_gives_the_message_back() {
    let live = Live::new(desk()).capacity(2).full(Full::Refuse);
    let injector = live.injector();
    injector.send(1.0, Arrive(1)).unwrap();
    injector.send(2.0, Arrive(2)).unwrap();
    let error = injector.send(3.0, Arrive(3)).unwrap_err();
    assert_eq!(error, InjectError::Full { capacity: 2, message: Arrive(3) });
    assert_eq!(error.to_string(), "the queue is full: 2 messages wait in it");
    assert_eq!(injector.len(), 2);
    // Who does not want to wait gets the same.
    let waiting = injector.clone().full(Full::Wait);
    assert_eq!(waiting.try_send(3.0, Arrive(3)).unwrap_err().into_message(), Arrive(3));
    assert_eq!(waiting.try_send_now(Arrive(3)).unwrap_err().into_message(), Arrive(3));
    let (sim, _) = live.run().into_result().unwrap();
    assert_eq!(who(&sim.state().came), [1, 2]);
}

#[test]
fn a_queue_holds_at_least_one() {
    let live = Live::new(desk()).capacity(0).full(Full::Refuse);
    let injector = live.injector();
    injector.send(1.0, Arrive(1)).unwrap();
    assert!(injector.send(1.0, Arrive(1)).is_err());
}

#[test]
fn what_spills_keeps_its_place() {
    let live = Live::new(desk()).capacity(2).full(Full::Spill);
    let injector = live.injector();
    (0..10).for_each(|k| injector.send(1.0, Arrive(k)).unwrap());
    injector.try_send(1.0, Arrive(10)).unwrap();
    let ended = live.run();
    assert_eq!(who(&ended.simulation.state().came), (0..11).collect::<Vec<_>>());
    assert_eq!((ended.counts.spilled, ended.counts.injected), (9, 11));
}

#[test]
fn who_waits_for_room_is_let_go_when_the_run_is_over() {
    // The run never sees the second message: it is stopped before it begins, by the third thread.
    let live = Live::new(desk()).capacity(1);
    let injector = live.injector();
    injector.send(1.0, Arrive(1)).unwrap();
    let (sent, waits) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            let injector = injector.clone();
            sent.send(()).unwrap();
            let error = injector.send(2.0, Arrive(2)).unwrap_err();
            assert_eq!(error, InjectError::Over { message: Arrive(2) });
        });
        waits.recv().unwrap();
        thread::sleep(Duration::from_millis(20));
        drop(live);
    });
    assert_eq!(injector.send(2.0, Arrive(2)), Err(InjectError::Over { message: Arrive(2) }));
    assert_eq!(injector.send_now(Arrive(2)).unwrap_err().to_string(), "the run is over");
    assert_eq!(injector.counts().undelivered, 1);
}

#[test]
fn whoever_sends_until_the_run_is_over_loses_nothing() {
    for full in [Full::Wait, Full::Spill] {
        let live = Live::new(desk()).capacity(4).full(full).late(Late::MoveToNow).idle(Idle::Wait);
        let (stop, time) = (live.stopper(), live.time());
        let producers: Vec<_> = (0..2)
            .map(|_| {
                let injector = live.injector();
                thread::spawn(move || {
                    let mut sent = 0;
                    while sent < 20_000 && injector.send(0.1 * sent as f64, Arrive(sent)).is_ok() {
                        sent += 1;
                    }
                    sent
                })
            })
            .collect();
        let run = thread::spawn(move || live.run());
        while time.now() < 20.0 {
            thread::yield_now();
        }
        stop.stop();
        let ended = run.join().unwrap();
        let sent: u64 = producers.into_iter().map(|producer| producer.join().unwrap()).sum();
        assert!(matches!(ended.outcome, Ok(End::Interrupted | End::Exhausted)));
        assert_eq!(ended.counts.injected, sent);
        let mut sim = ended.simulation;
        sim.run_until(1e9).unwrap();
        assert_eq!(sim.state().came.len() as u64, sent);
    }
}

#[test]
fn a_run_that_waits_for_input_ends_when_nothing_can_come_any_more() {
    // There never was an injector.
    assert_eq!(Live::new(desk()).idle(Idle::Wait).run().outcome.unwrap(), End::Exhausted);
    // There was one.
    let live = Live::new(desk()).idle(Idle::Wait);
    live.injector().send(1.0, Arrive(1)).unwrap();
    let injector = live.injector();
    let last = thread::spawn(move || {
        thread::sleep(Duration::from_millis(20));
        injector.send(2.0, Arrive(2)).unwrap();
    });
    let (sim, end) = live.run().into_result().unwrap();
    last.join().unwrap();
    assert_eq!((end, who(&sim.state().came)), (End::Exhausted, vec![1, 2]));
}

#[test]
fn a_run_that_does_not_wait_returns_at_once() {
    let live = Live::new(desk());
    let injector = live.injector();
    injector.send(1.0, Arrive(1)).unwrap();
    let (sim, end) = live.run_until(10.0).into_result().unwrap();
    assert_eq!((end, sim.now()), (End::Exhausted, 10.0));
    assert!(injector.send(11.0, Arrive(1)).is_err());
}

#[test]
fn what_is_meant_for_after_the_end_is_pending_then() {
    let live = Live::new(desk());
    let injector = live.injector();
    injector.send(20.0, Arrive(2)).unwrap();
    injector.send(10.0, Arrive(1)).unwrap();
    let (mut sim, end) = live.run_until(10.0).into_result().unwrap();
    assert_eq!((end, sim.now(), sim.next_time()), (End::Reached, 10.0, 20.0));
    assert_eq!(who(&sim.state().came), [1]);
    sim.run_until(20.0).unwrap();
    assert_eq!(who(&sim.state().came), [1, 2]);
}

#[test]
fn the_budget_of_an_instant_begins_anew_with_each_message() {
    let mut sim = desk();
    sim.set_zeno_limit(100);
    let live = Live::new(sim).idle(Idle::Wait);
    let injector = live.injector();
    let seen = live.watcher().subscribe(|view, _| Some(view.state().came.len()));
    let sender = thread::spawn(move || {
        for k in 0..1000 {
            injector.send_now(Arrive(k)).unwrap();
            seen.recv().unwrap();
        }
    });
    let (sim, _) = live.run().into_result().unwrap();
    sender.join().unwrap();
    assert_eq!((sim.state().came.len(), sim.now()), (1000, 0.0));
    // Between two looks at the queue it holds.
    let mut sim = desk();
    sim.set_zeno_limit(100);
    let live = Live::new(sim);
    let injector = live.injector();
    (0..101).for_each(|k| injector.send(1.0, Arrive(k)).unwrap());
    assert!(matches!(live.run().outcome.unwrap_err().kind(), ErrorKind::Zeno { limit: 100 }));
}

#[test]
fn an_observer_does_not_wait_for_itself() {
    let live = Live::new(desk()).capacity(1).full(Full::Wait);
    let injector = live.injector();
    injector.send(1.0, Arrive(0)).unwrap();
    let replies = injector.clone();
    let mut observer = clockrace::on_event(|view: View<'_, Desk>, _| {
        if view.now() < 3.0 {
            (1..=3).for_each(|k| replies.send(view.now() + 1.0, Arrive(k)).unwrap());
        }
    });
    let ended = live.run_with(&mut observer, 10.0);
    assert_eq!(ended.outcome.unwrap(), End::Exhausted);
    assert_eq!(ended.simulation.state().came.len(), 1 + 3 + 9);
    assert_eq!((ended.counts.spilled, ended.counts.injected), (8, 13));
}
