//! Routines, callbacks and families whose events come from outside.

use clockrace::live::{End, Idle, Live};
use clockrace::{ErrorKind, simulation};

simulation! {
    /// A routine that is stopped from outside, and callbacks that can be.
    model Routine {
        param interval: f64 = 5.0;
        state running: bool = true;
        state fired: Vec<f64> = Vec::new();
        state called: Vec<f64> = Vec::new();
        state pending: Option<Key<callback>> = None;
        clock routine if running: every(interval) => { fired.push(now); }
        event end() => { running = false; }
        event callback() => {
            called.push(now);
            pending = None;
        }
        event call_back(delay: f64) => { pending = Some(callback.after(delay)); }
        event forget() => {
            if let Some(key) = pending.take() {
                callback.cancel(key);
            }
        }
    }
}

#[test]
fn a_routine_with_interval_5_fires_at_5_to_25_and_never_after_it_was_stopped() {
    let live = Live::new(Routine::default().start(1).unwrap());
    live.injector().send(27.0, RoutineMessage::End).unwrap();
    let (mut sim, end) = live.run_until(100.0).into_result().unwrap();
    assert_eq!((end, sim.now()), (End::Exhausted, 100.0));
    assert_eq!(sim.state().fired, [5.0, 10.0, 15.0, 20.0, 25.0]);
    sim.run_until(1000.0).unwrap();
    assert_eq!(sim.state().fired.len(), 5);
}

#[test]
fn a_routine_can_be_stopped_by_who_watches_it() {
    let live = Live::new(Routine::default().start(1).unwrap());
    let (injector, watch) = (live.injector(), live.watcher());
    // The closure looks in the thread of the run, so that the message is there before the next event.
    let seen = watch.subscribe(move |view, event| {
        if event == RoutineEvent::Routine && view.now() == 25.0 {
            injector.send_now(RoutineMessage::End).unwrap();
        }
        Some(view.now())
    });
    let (sim, end) = live.idle(Idle::Return).run_until(1000.0).into_result().unwrap();
    assert_eq!((end, sim.state().fired.len()), (End::Exhausted, 5));
    assert_eq!(seen.iter().collect::<Vec<_>>(), [5.0, 10.0, 15.0, 20.0, 25.0, 25.0]);
}

#[test]
fn a_callback_fires_once_or_not_at_all_if_it_was_stopped() {
    use RoutineMessage::{CallBack, End as Stop, Forget};
    let run = |messages: &[(f64, RoutineMessage)]| {
        let live = Live::new(Routine::default().start(1).unwrap());
        let injector = live.injector();
        for (at, message) in messages {
            injector.send(*at, message.clone()).unwrap();
        }
        let (sim, _) = live.run().into_result().unwrap();
        sim.state().called.clone()
    };
    assert_eq!(run(&[(0.0, Stop), (1.0, CallBack(2.0))]), [3.0]);
    assert_eq!(run(&[(0.0, Stop), (1.0, CallBack(2.0)), (4.0, Forget)]), [3.0]);
    assert!(run(&[(0.0, Stop), (1.0, CallBack(2.0)), (2.0, Forget)]).is_empty());
    assert!(run(&[(0.0, Stop), (1.0, CallBack(2.0)), (2.0, Forget), (2.5, Forget)]).is_empty());
    assert_eq!(run(&[(0.0, Stop), (1.0, CallBack(2.0)), (2.0, Forget), (2.5, CallBack(1.0))]), [3.5]);
}

simulation! {
    /// Counters at which people queue; at one instant those who are served leave before others come.
    model Hall {
        param counters: usize = 3;
        index counter = 0..counters;
        state waiting[k in counter]: u32 = 0;
        state log: Vec<(f64, usize, &'static str)> = Vec::new();
        event join[k in counter](), priority = 1 => {
            waiting[k] += 1;
            log.push((now, k, "join"));
        }
        event served[k in counter]() => {
            waiting[k] -= 1;
            log.push((now, k, "served"));
        }
        stop crowded if join.len() > 5;
    }
}

#[test]
fn messages_take_part_in_the_order_of_events() {
    use HallMessage::{Join, Served};
    let live = Live::new(Hall::default().start(1).unwrap());
    let injector = live.injector();
    for message in [Join(2), Served(1), Join(0), Served(0)] {
        injector.send(1.0, message).unwrap();
    }
    for k in 0..2 {
        injector.send(0.5, Join(k)).unwrap();
    }
    let (sim, _) = live.run().into_result().unwrap();
    let at_one = [(1.0, 0, "served"), (1.0, 1, "served"), (1.0, 0, "join"), (1.0, 2, "join")];
    assert_eq!(sim.state().log[2..], at_one);
}

#[test]
fn a_message_for_a_member_that_does_not_exist_ends_the_run_which_can_go_on() {
    let live = Live::new(Hall::default().start(1).unwrap());
    let injector = live.injector();
    injector.send(1.0, HallMessage::Join(0)).unwrap();
    injector.send(1.0, HallMessage::Join(3)).unwrap();
    injector.send(1.0, HallMessage::Join(1)).unwrap();
    let ended = live.run();
    let error = ended.outcome.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Index { index: 3, size: 3, .. }), "{error}");
    assert_eq!((ended.counts.injected, ended.counts.undelivered), (1, 2));
    let mut sim = ended.simulation;
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().waiting.to_vec(), [1, 0, 0]);
}

#[test]
fn a_stop_that_counts_what_is_pending_sees_what_is_injected() {
    let live = Live::new(Hall::default().start(1).unwrap());
    let injector = live.injector();
    (0..6).for_each(|k| injector.send(1.0, HallMessage::Join(k % 3)).unwrap());
    let (sim, end) = live.run().into_result().unwrap();
    assert_eq!((end, sim.now()), (End::Stopped("crowded"), 0.0));
}
