//! Event queue, producers and observers: what must hold, and what has gone wrong elsewhere.

use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use clockrace::live::{End, Full, Idle, InjectError, Late, Live, Overflow, Subscription, Watcher};
use clockrace::{Fired, Observer, SimError, View, simulation};

use crate::desk::{Desk, DeskEvent, DeskMessage, desk, when, who};

use DeskMessage::{Arrive, Leave};

/// The numbers below `n` in an order without pattern.
fn shuffled(n: u64) -> Vec<u64> {
    let mut numbers: Vec<u64> = (0..n).collect();
    numbers.sort_by_key(|k| k.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    numbers
}

#[test]
fn events_come_in_order_of_time_whatever_the_order_of_insertion() {
    let live = Live::new(desk());
    let injector = live.injector();
    for k in shuffled(500) {
        injector.send(k as f64, Arrive(k)).unwrap();
    }
    let (sim, end) = live.run().into_result().unwrap();
    assert_eq!(end, End::Exhausted);
    assert_eq!(who(&sim.state().came), (0..500).collect::<Vec<_>>());
    assert_eq!(sim.now(), 499.0);
}

#[test]
fn events_from_several_threads_come_in_order_of_time() {
    let live = Live::new(desk()).capacity(16).full(Full::Spill).idle(Idle::Wait);
    // The clock stands at 0 until everything is there: the first event is sent last.
    let gate = live.injector();
    let times = shuffled(400);
    thread::scope(|scope| {
        for part in times.chunks(100) {
            let injector = live.injector();
            scope.spawn(move || part.iter().for_each(|&k| injector.send(1.0 + k as f64, Arrive(k)).unwrap()));
        }
    });
    gate.send(0.0, Arrive(1000)).unwrap();
    drop(gate);
    let ended = live.run();
    assert_eq!(ended.outcome.unwrap(), End::Exhausted);
    let came = &ended.simulation.state().came;
    assert_eq!(who(&came[1..]), (0..400).collect::<Vec<_>>());
    assert!(came.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    assert_eq!(ended.counts.injected, 401);
    assert_eq!(ended.counts.spilled, 385);
}

#[test]
fn equal_times_are_first_in_first_out() {
    // Seen elsewhere: 0 7 6 5 4 3 2 1.
    let live = Live::new(desk());
    let injector = live.injector();
    for k in 0..8 {
        injector.send(1.0, Arrive(k)).unwrap();
    }
    let (sim, _) = live.run().into_result().unwrap();
    assert_eq!(who(&sim.state().came), [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn equal_times_are_first_in_first_out_for_each_producer_and_across_handles() {
    let live = Live::new(desk());
    let (a, b) = (live.injector(), live.injector());
    b.send(1.0, Arrive(0)).unwrap();
    a.send(1.0, Arrive(1)).unwrap();
    b.clone().send(1.0, Arrive(2)).unwrap();
    a.send(1.0, Arrive(3)).unwrap();
    let (sim, _) = live.run().into_result().unwrap();
    assert_eq!(who(&sim.state().came), [0, 1, 2, 3]);

    let live = Live::new(desk()).capacity(4).idle(Idle::Wait);
    thread::scope(|scope| {
        for producer in 0..3 {
            let injector = live.injector();
            scope.spawn(move || (0..500).for_each(|k| injector.send(1.0, Arrive(1000 * producer + k)).unwrap()));
        }
        let (sim, _) = live.run().into_result().unwrap();
        let came = who(&sim.state().came);
        assert_eq!(came.len(), 1500);
        for producer in 0..3 {
            let its: Vec<u64> = came.iter().copied().filter(|k| k / 1000 == producer).collect();
            assert_eq!(its, (0..500).map(|k| 1000 * producer + k).collect::<Vec<_>>());
        }
    });
}

#[test]
fn a_full_channel_never_loses_an_event() {
    for full in [Full::Wait, Full::Spill, Full::Refuse] {
        for capacity in [1, 3, 1000] {
            let live = Live::new(desk()).capacity(capacity).full(full).idle(Idle::Wait);
            thread::scope(|scope| {
                for producer in 0..2 {
                    let injector = live.injector();
                    scope.spawn(move || {
                        for k in 0..300 {
                            let mut message = Arrive(1000 * producer + k);
                            // Only a refusal needs another attempt, with the message that came back.
                            while let Err(error) = injector.send(1e9, message) {
                                assert!(matches!(error, InjectError::Full { .. }) && full == Full::Refuse);
                                message = error.into_message();
                                thread::yield_now();
                            }
                        }
                    });
                }
                let ended = live.run();
                assert_eq!(ended.outcome.unwrap(), End::Exhausted);
                let mut came = who(&ended.simulation.state().came);
                came.sort_unstable();
                assert_eq!(came, (0..300).chain(1000..1300).collect::<Vec<_>>(), "{full:?} {capacity}");
                assert_eq!((ended.counts.injected, ended.counts.undelivered), (600, 0));
                assert!(full == Full::Spill || ended.counts.spilled == 0);
            });
        }
    }
}

#[test]
fn an_event_earlier_than_the_current_time_is_refused_and_the_clock_does_not_run_backwards() {
    let mut sim = desk();
    sim.run_until(10.0).unwrap();
    let live = Live::new(sim);
    let injector = live.injector();
    let error = injector.send(9.0, Arrive(1)).unwrap_err();
    assert_eq!(error, InjectError::Late { at: 9.0, now: 10.0, message: Arrive(1) });
    assert_eq!(error.to_string(), "the time 9 has passed: it is 10");
    injector.send(10.0, Arrive(2)).unwrap();
    injector.send(11.0, Arrive(3)).unwrap();
    let ended = live.run();
    assert_eq!(ended.simulation.state().came, [(10.0, 2), (11.0, 3)]);
    assert_eq!((ended.counts.late_refused, ended.counts.injected), (1, 2));
}

/// Does something when the time is about to move on, which is after the next event was selected.
struct Before<F>(F);

impl<F: FnMut(f64, f64)> Observer<Desk> for Before<F> {
    fn advance(&mut self, view: View<'_, Desk>, until: f64) -> Result<(), SimError> {
        (self.0)(view.now(), until);
        Ok(())
    }
}

#[test]
fn an_event_that_turns_out_to_be_late_is_refused_and_its_sender_can_learn_of_it() {
    let live = Live::new(desk());
    let injector = live.injector();
    let refusals = injector.refusals(8);
    injector.send(5.0, Arrive(1)).unwrap();
    let late = injector.clone();
    let mut observer = Before(move |now, _| {
        if now == 0.0 {
            late.send(4.0, Arrive(2)).unwrap();
            late.send(6.0, Arrive(3)).unwrap();
        }
    });
    let ended = live.run_with(&mut observer, 100.0);
    assert_eq!(ended.simulation.state().came, [(5.0, 1), (6.0, 3)]);
    assert_eq!((ended.counts.late_refused, ended.counts.injected), (1, 2));
    assert_eq!(injector.counts(), ended.counts);
    let refused = refusals.recv().unwrap();
    assert_eq!((refused.at, refused.now, refused.message), (4.0, 5.0, Arrive(2)));
    assert_eq!(refusals.recv(), None);
}

#[test]
fn a_late_event_is_moved_to_now_if_that_was_chosen() {
    let live = Live::new(desk()).late(Late::MoveToNow);
    let injector = live.injector();
    let refusals = injector.refusals(8);
    injector.send(5.0, Arrive(1)).unwrap();
    let late = injector.clone();
    let mut observer = Before(move |now, _| {
        if now == 0.0 {
            late.send(4.0, Arrive(2)).unwrap();
            late.send(5.0, Arrive(3)).unwrap();
            late.send(3.0, Arrive(4)).unwrap();
        }
    });
    let ended = live.run_with(&mut observer, 100.0);
    assert_eq!(ended.simulation.state().came, [(5.0, 1), (5.0, 2), (5.0, 3), (5.0, 4)]);
    assert_eq!((ended.counts.late_moved, ended.counts.late_refused, ended.counts.injected), (2, 0, 4));
    assert_eq!(refusals.recv(), None);
}

/// A live run in which 0 … 9 arrive at 0 … 9, and leave at the same times.
fn coming_and_going() -> Live<Desk> {
    let live = Live::new(desk());
    let injector = live.injector();
    for k in 0..10 {
        injector.send(k as f64, Leave(k)).unwrap();
        injector.send(k as f64, Arrive(k)).unwrap();
    }
    live
}

#[test]
fn an_observer_of_a_receiver_sees_its_events_only_and_a_global_one_sees_all_in_order() {
    let live = coming_and_going();
    let watch = live.watcher();
    let all = watch.all();
    let arrivals = watch.events(|event| matches!(event, DeskEvent::Arrive));
    let departures = watch.events(|event| matches!(event, DeskEvent::Leave));
    let people = watch.subscribe(|view, event| match event {
        DeskEvent::Arrive => view.state().came.last().copied(),
        DeskEvent::Leave => None,
    });
    live.run().outcome.unwrap();
    let fired = |event| (0..10).map(move |k| Fired { time: f64::from(k), event });
    assert_eq!(arrivals.iter().collect::<Vec<_>>(), fired(DeskEvent::Arrive).collect::<Vec<_>>());
    assert_eq!(departures.iter().collect::<Vec<_>>(), fired(DeskEvent::Leave).collect::<Vec<_>>());
    let both = fired(DeskEvent::Arrive).zip(fired(DeskEvent::Leave)).flat_map(|(a, b)| [a, b]);
    assert_eq!(all.iter().collect::<Vec<_>>(), both.collect::<Vec<_>>());
    assert_eq!(people.into_iter().collect::<Vec<_>>(), (0..10).map(|k| (k as f64, k)).collect::<Vec<_>>());
}

#[test]
fn registration_takes_effect_before_the_next_event_and_so_does_its_end() {
    /// Subscribes after the event at 3, and ends it after the one at 6.
    struct Guest {
        watch: Watcher<Desk>,
        seen: Option<Subscription<Fired<DeskEvent>>>,
        read: Vec<f64>,
    }
    impl Observer<Desk> for Guest {
        fn event(&mut self, view: View<'_, Desk>, _: DeskEvent) -> Result<(), SimError> {
            if view.now() == 3.0 {
                self.seen = Some(self.watch.all());
            }
            if let Some(seen) = &self.seen {
                self.read.extend(seen.try_iter().map(|fired| fired.time));
            }
            if view.now() == 6.0 {
                self.seen = None;
            }
            Ok(())
        }
    }
    let live = Live::new(desk());
    let injector = live.injector();
    for k in 0..10 {
        injector.send(k as f64, Arrive(k)).unwrap();
    }
    let mut guest = Guest { watch: live.watcher(), seen: None, read: Vec::new() };
    live.run_with(&mut guest, 100.0).outcome.unwrap();
    assert_eq!(guest.read, [4.0, 5.0, 6.0]);
}

#[test]
fn the_closure_of_a_subscription_that_was_dropped_is_not_called_again() {
    let live = coming_and_going();
    let watch = live.watcher();
    let calls = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&calls);
    let mut seen = Some(watch.subscribe(move |view, _| {
        noted.lock().unwrap().push(view.now());
        None::<()>
    }));
    let mut observer = clockrace::on_event(|view: View<'_, Desk>, event| {
        if view.now() == 2.0 && event == DeskEvent::Leave {
            seen = None;
        }
    });
    live.run_with(&mut observer, 100.0).outcome.unwrap();
    assert_eq!(*calls.lock().unwrap(), [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
    // It is gone with all that it holds.
    assert_eq!(Arc::strong_count(&calls), 1);
}

#[test]
fn an_observer_that_is_not_read_does_not_stop_the_simulation() {
    for overflow in [Overflow::DropOldest, Overflow::DropNewest] {
        let live = coming_and_going();
        let unread = live.watcher().capacity(3).overflow(overflow).all();
        let ended = live.run();
        assert_eq!(ended.outcome.unwrap(), End::Exhausted);
        assert_eq!((unread.lost(), unread.len(), ended.counts.lost), (17, 3, 17));
        let kept: Vec<f64> = unread.try_iter().map(|fired| fired.time).collect();
        assert_eq!(kept, if overflow == Overflow::DropOldest { [8.0, 9.0, 9.0] } else { [0.0, 0.0, 1.0] });
    }
}

#[test]
fn n_events_and_one_extra_reply_are_n_plus_one_deliveries() {
    const N: u64 = 50;
    let live = Live::new(desk()).idle(Idle::Wait);
    let seen = live.watcher().subscribe(|view, _| view.state().came.last().copied());
    let (sender, replier) = (live.injector(), live.injector());
    thread::scope(|scope| {
        scope.spawn(move || (0..N).for_each(|k| sender.send(k as f64, Arrive(k)).unwrap()));
        scope.spawn(move || {
            let mut deliveries = Vec::new();
            while let Some((time, who)) = seen.recv() {
                deliveries.push(who);
                if who == 10 {
                    replier.send_after(0.5, Arrive(1000)).unwrap();
                    assert!(time >= 10.0);
                }
                if deliveries.len() as u64 == N + 1 {
                    break;
                }
            }
            // Its injector goes with it, and the run ends.
            drop(replier);
            assert_eq!(deliveries.iter().filter(|&&who| who == 1000).count(), 1);
        });
        let ended = live.run();
        assert_eq!(ended.outcome.unwrap(), End::Exhausted);
        assert_eq!(ended.simulation.state().came.len() as u64, N + 1);
        assert_eq!(ended.counts.injected, N + 1);
    });
}

#[test]
fn time_can_be_read_from_other_threads_at_any_moment_and_never_decreases() {
    let live = Live::new(desk()).capacity(8).idle(Idle::Wait).late(Late::MoveToNow);
    let time = live.time();
    let stop = live.stopper();
    assert_eq!(time.now(), 0.0);
    thread::scope(|scope| {
        for producer in 0..2 {
            let injector = live.injector();
            scope.spawn(move || {
                for k in 0..2000 {
                    injector.send(0.5 * k as f64, Arrive(10_000 * producer + k)).unwrap();
                }
            });
        }
        for _ in 0..2 {
            let (time, stop) = (time.clone(), stop.clone());
            scope.spawn(move || {
                let mut last = 0.0;
                while !stop.is_stopped() {
                    let now = time.now();
                    assert!(now >= last, "{now} after {last}");
                    last = now;
                }
            });
        }
        let ended = live.run();
        stop.stop();
        assert_eq!(ended.outcome.unwrap(), End::Exhausted);
        assert_eq!(ended.simulation.state().came.len(), 4000);
        assert!(ended.simulation.state().came.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert_eq!(time.now(), ended.simulation.now());
    });
}

#[test]
fn stopping_is_prompt_and_may_be_asked_for_twice() {
    simulation! {
        /// Goes on for ever.
        model Endless {
            state n: u64 = 0;
            clock tick: every(1.0) => { n += 1; }
        }
    }
    let live = Live::new(Endless {}.start(1).unwrap());
    let (stop, time) = (live.stopper(), live.time());
    let run = thread::spawn(move || live.run());
    while time.now() < 1000.0 {
        thread::yield_now();
    }
    let asked = Instant::now();
    stop.stop();
    stop.clone().stop();
    let ended = run.join().unwrap();
    assert!(asked.elapsed() < Duration::from_secs(1));
    stop.stop();
    assert_eq!(ended.outcome.unwrap(), End::Interrupted);
    let mut sim = ended.simulation;
    assert_eq!(sim.state().n as f64, sim.now());
    // It can go on.
    let now = sim.now();
    sim.run_until(now + 10.0).unwrap();
    assert_eq!(sim.state().n as f64, now + 10.0);
}

#[test]
fn a_stop_before_the_run_lets_nothing_happen() {
    let live = coming_and_going();
    live.stopper().stop();
    let ended = live.run();
    assert_eq!(ended.outcome.unwrap(), End::Interrupted);
    assert!(ended.simulation.state().came.is_empty());
    // What was accepted is not lost.
    assert_eq!((ended.counts.injected, ended.simulation.next_time()), (20, 0.0));
    let mut sim = ended.simulation;
    sim.run_until(100.0).unwrap();
    assert_eq!(when(&sim.state().left).len(), 10);
}
