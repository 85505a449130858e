//! Simulated time by the wall clock.

use std::thread;
use std::time::{Duration, Instant};

use clockrace::live::{End, Idle, Late, Live, NoNews, SpeedError};
use clockrace::{ErrorKind, Simulation, View, simulation};

use crate::desk::DeskMessage::Arrive;
use crate::desk::{desk, who};

/// So late may the system wake a thread on a busy machine.
const SLACK: Duration = Duration::from_secs(10);

simulation! {
    /// Ticks each 0.1.
    model Ticks {
        state n: u64 = 0;
        clock tick: every(0.1) => { n += 1; }
    }
}

fn ticks() -> Simulation<Ticks> {
    Ticks {}.start(1).unwrap()
}

#[test]
fn events_wait_for_the_wall_clock() {
    let live = Live::new(ticks()).speed(10.0);
    let times = live.watcher().subscribe(|_, _| Some(Instant::now()));
    let start = Instant::now();
    let (sim, end) = live.run_until(2.0).into_result().unwrap();
    let took = start.elapsed();
    assert_eq!((end, sim.state().n, sim.now()), (End::Reached, 20, 2.0));
    assert!(took >= Duration::from_millis(200) && took < SLACK, "{took:?}");
    // None is early, the last as little as the first: waits do not add up.
    for (k, time) in times.iter().enumerate() {
        assert!(time - start >= Duration::from_millis(10) * (k as u32 + 1), "event {k}");
    }
}

#[test]
fn the_end_of_a_paced_run_is_waited_for() {
    let live = Live::new(desk()).speed(100.0).idle(Idle::Wait);
    let injector = live.injector();
    let start = Instant::now();
    let (sim, end) = live.run_until(5.0).into_result().unwrap();
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!((end, sim.now()), (End::Exhausted, 5.0));
    drop(injector);
    // Whoever does not wait for input has nothing to wait for.
    let start = Instant::now();
    let (sim, end) = Live::new(desk()).speed(1e-3).run_until(5.0).into_result().unwrap();
    assert!(start.elapsed() < SLACK);
    assert_eq!((end, sim.now()), (End::Exhausted, 5.0));
}

#[test]
fn an_earlier_event_is_taken_at_once_while_a_later_one_is_waited_for() {
    let live = Live::new(desk()).speed(1.0);
    let (injector, stop, clock) = (live.injector(), live.stopper(), live.time());
    let seen = live.watcher().subscribe(|view, _| view.state().came.last().copied());
    injector.send(3600.0, Arrive(1)).unwrap();
    let run = thread::spawn(move || live.run());
    while clock.now() < 0.02 {
        thread::yield_now();
    }
    let sent = Instant::now();
    injector.send_now(Arrive(2)).unwrap();
    let (time, who) = seen.recv().unwrap();
    assert!(sent.elapsed() < SLACK);
    assert!(who == 2 && (0.02..3600.0).contains(&time), "{time}");
    stop.stop();
    let ended = run.join().unwrap();
    assert!(sent.elapsed() < SLACK);
    assert_eq!((ended.outcome.unwrap(), ended.simulation.next_time()), (End::Interrupted, 3600.0));
    assert!(ended.simulation.now() >= time && ended.simulation.now() < 3600.0);
}

#[test]
fn paced_time_goes_on_between_events_but_not_beyond_the_next() {
    let live = Live::new(desk()).speed(100.0).late(Late::Refuse).idle(Idle::Wait);
    let (injector, time) = (live.injector(), live.time());
    let refusals = injector.refusals(8);
    let seen = live.watcher().subscribe(|view, _| Some(view.now()));
    let reader = thread::spawn({
        let time = time.clone();
        move || {
            let mut read = vec![0.0];
            while time.now() < 20.0 {
                read.push(time.now());
            }
            read
        }
    });
    injector.send(10.0, Arrive(1)).unwrap();
    injector.send(20.0, Arrive(2)).unwrap();
    let run = thread::spawn(move || live.run_until(20.0));
    while time.now() < 5.0 {
        thread::yield_now();
    }
    // It is later than 4, though no event has happened yet.
    assert!(seen.is_empty());
    injector.send(4.0, Arrive(3)).unwrap();
    let refused = refusals.recv().unwrap();
    assert!(refused.at == 4.0 && refused.now >= 5.0 && refused.now < 10.0, "{refused:?}");
    let ended = run.join().unwrap();
    drop(injector);
    assert_eq!(seen.iter().collect::<Vec<_>>(), [10.0, 20.0]);
    assert_eq!(ended.simulation.now(), 20.0);
    let read = reader.join().unwrap();
    assert!(read.windows(2).all(|pair| pair[0] <= pair[1]));
    // It moves on while nothing happens.
    assert!(read.iter().any(|&time| 1.0 < time && time < 9.0));
    assert_eq!(time.now(), 20.0);
}

#[test]
fn what_is_moved_to_now_happens_at_the_paced_time() {
    let live = Live::new(desk()).speed(100.0).late(Late::MoveToNow).idle(Idle::Wait);
    let (injector, time) = (live.injector(), live.time());
    let run = thread::spawn(move || live.run());
    while time.now() < 3.0 {
        thread::yield_now();
    }
    injector.send(1.0, Arrive(1)).unwrap();
    drop(injector);
    let ended = run.join().unwrap();
    let (came, _) = ended.simulation.state().came[0];
    assert!(came >= 3.0, "{came}");
    assert_eq!(ended.counts.late_moved, 1);
}

#[test]
fn the_speed_can_be_changed_while_it_runs() {
    let live = Live::new(ticks()).speed(0.0);
    let (pacer, time, stop) = (live.pacer(), live.time(), live.stopper());
    let run = thread::spawn(move || live.run());
    thread::sleep(Duration::from_millis(20));
    assert_eq!((time.now(), pacer.speed()), (0.0, 0.0));
    pacer.set(50.0).unwrap();
    while time.now() < 1.0 {
        thread::yield_now();
    }
    pacer.pause();
    let changed = Instant::now();
    thread::sleep(Duration::from_millis(20));
    // It has stood still since it has seen the change; there is no saying when that was, but some time it was.
    let mut paused = time.now();
    loop {
        thread::sleep(Duration::from_millis(5));
        let now = time.now();
        if now == paused {
            break;
        }
        paused = now;
        assert!(changed.elapsed() < SLACK);
    }
    // The pause is not made up for.
    thread::sleep(Duration::from_millis(100));
    let resumed = Instant::now();
    pacer.set(1.0).unwrap();
    while time.now() == paused {
        thread::yield_now();
    }
    let now = time.now();
    assert!(now <= paused + resumed.elapsed().as_secs_f64() + 1e-9, "{now} after {paused}");
    // As fast as possible.
    pacer.set(f64::INFINITY).unwrap();
    while time.now() < 10_000.0 {
        thread::yield_now();
    }
    stop.stop();
    let ended = run.join().unwrap();
    assert_eq!(ended.outcome.unwrap(), End::Interrupted);
    assert_eq!(ended.simulation.state().n, (ended.simulation.now() / 0.1).round() as u64);
}

#[test]
fn in_a_pause_what_is_injected_for_now_happens() {
    let live = Live::new(desk()).speed(0.0).idle(Idle::Wait);
    let (injector, stop) = (live.injector(), live.stopper());
    let seen = live.watcher().subscribe(|view, _| view.state().came.last().copied());
    let run = thread::spawn(move || live.run());
    injector.send(1.0, Arrive(1)).unwrap();
    injector.send_now(Arrive(2)).unwrap();
    assert_eq!(seen.recv(), Some((0.0, 2)));
    injector.send_now(Arrive(3)).unwrap();
    assert_eq!(seen.recv(), Some((0.0, 3)));
    // The last injector is gone, but what is pending is not: a pause goes on.
    drop(injector);
    assert_eq!(seen.recv_timeout(Duration::from_millis(20)), Err(NoNews::Empty));
    stop.stop();
    let ended = run.join().unwrap();
    assert_eq!((ended.outcome.unwrap(), ended.simulation.now()), (End::Interrupted, 0.0));
    assert_eq!(ended.simulation.next_time(), 1.0);
}

#[test]
fn a_run_that_was_held_up_makes_it_up() {
    let take = || {
        let mut first = true;
        let mut observer = clockrace::on_event(|_: View<'_, Ticks>, _| {
            if std::mem::take(&mut first) {
                thread::sleep(Duration::from_millis(150));
            }
        });
        let start = Instant::now();
        let ended = Live::new(ticks()).speed(10.0).run_with(&mut observer, 2.0);
        assert_eq!((ended.outcome.unwrap(), ended.simulation.state().n), (End::Reached, 20));
        start.elapsed()
    };
    // All of it within the time of two units, and not 150 ms later; a busy machine may need more than one attempt.
    let took: Vec<Duration> = (0..20).map(|_| take()).take_while(|took| *took >= Duration::from_millis(340)).collect();
    assert!(took.len() < 20, "{took:?}");
}

#[test]
fn pacing_changes_nothing_but_the_pace() {
    simulation! {
        model Walk {
            state x: i64 = 0;
            clock up: rate(3.0) => { x += 1; }
            clock down: rate(2.0) => { x -= 1; }
        }
    }
    let mut plain = Walk {}.start(7).unwrap();
    plain.run_until(20.0).unwrap();
    let (paced, _) = Live::new(Walk {}.start(7).unwrap()).speed(400.0).run_until(20.0).into_result().unwrap();
    assert_eq!((plain.state().x, plain.next_time()), (paced.state().x, paced.next_time()));
}

#[test]
fn a_speed_that_is_no_speed_is_an_error() {
    for speed in [-1.0, f64::NAN] {
        let ended = Live::new(desk()).speed(speed).run();
        let error = ended.outcome.unwrap_err();
        let ErrorKind::User(error) = error.kind() else { panic!("{error}") };
        assert!(error.downcast_ref::<SpeedError>().unwrap().speed.to_bits() == speed.to_bits());
    }
    let live = Live::new(desk());
    let pacer = live.pacer();
    assert_eq!(pacer.set(-2.0), Err(SpeedError { speed: -2.0 }));
    assert!(pacer.set(f64::NAN).is_err());
    assert_eq!(pacer.speed(), f64::INFINITY);
    assert_eq!(
        SpeedError { speed: -2.0 }.to_string(),
        "a run cannot have the speed -2; it must be a number and not negative (infinite: as fast as possible)"
    );
    let injector = live.injector();
    injector.send(1.0, Arrive(1)).unwrap();
    let (sim, _) = live.run().into_result().unwrap();
    assert_eq!(who(&sim.state().came), [1]);
}

#[test]
fn an_idle_run_is_stopped_promptly() {
    for speed in [f64::INFINITY, 1.0, 0.0] {
        let live = Live::new(desk()).speed(speed).idle(Idle::Wait);
        let (stop, injector) = (live.stopper(), live.injector());
        let run = thread::spawn(move || live.run());
        thread::sleep(Duration::from_millis(10));
        assert!(!run.is_finished());
        let asked = Instant::now();
        stop.stop();
        assert_eq!(run.join().unwrap().outcome.unwrap(), End::Interrupted);
        assert!(asked.elapsed() < SLACK);
        drop(injector);
    }
}
