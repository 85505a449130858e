//! What other event engines have got wrong (public reports), each as a test.

use clockrace::resource::Resource;
use clockrace::{ErrorKind, Outcome, simulation};

simulation! {
    /// Eight events at one moment, and possibly one that does nothing.
    model Simultaneous {
        param no_op: bool = false;
        state order: Vec<u32> = Vec::new();
        event e(k: u32) => { order.push(k); }
        event nothing() => {}
        init {
            if no_op { nothing.at(1.0); }
            for k in 0..8 { e.at(1.0, k); if no_op { nothing.at(1.0); } }
        }
    }
}

#[test]
fn simultaneous_events_run_first_in_first_out() {
    let mut sim = Simultaneous { no_op: false }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().order, [0, 1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn an_event_that_does_nothing_does_not_reorder_ties() {
    let mut sim = Simultaneous { no_op: true }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().order, [0, 1, 2, 3, 4, 5, 6, 7]);
}

simulation! {
    /// Schedules after a delay that it is given.
    model Delayed {
        param delay: f64;
        state rang: u32 = 0;
        event go() => { rang += 1; }
        activity waits() { wait(delay); rang += 10; }
        clock start: at(1e6) => { go.after(delay); waits.start(); }
    }
}

#[test]
fn a_negative_or_nan_delay_is_refused_where_it_is_given() {
    for delay in [-1.0, -1e-8] {
        let error = Delayed { delay }.start(1).unwrap().run_until(2e6).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Wait { what, .. } if what == "`go`"), "{error}");
        assert_eq!((error.clock(), error.time()), (Some("start"), 1e6));
    }
}

simulation! {
    /// Waits for a time that a function gives.
    model Odd {
        activity waits() { wait(odd()); }
        init { waits.start(); }
    }
}

fn odd() -> f64 {
    f64::NAN
}

#[test]
fn a_nan_wait_names_the_instance() {
    let error = Odd {}.start(1).unwrap().run_until(1.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Wait { what, value } if what == "`wait`" && value.is_nan()), "{error}");
    assert_eq!((error.clock(), error.clock_index(), error.event()), (Some("waits"), &[0][..], Some("waits")));
}

#[test]
fn a_delay_that_rounding_made_negative_is_none() {
    let mut sim = Delayed { delay: -1e-16 }.start(1).unwrap();
    sim.run_until(1e6).unwrap();
    assert_eq!(sim.state().rang, 11);
}

simulation! {
    /// An event at 25 and one at 1000.
    model Ends {
        state rang: Vec<f64> = Vec::new();
        event e() => { rang.push(now); }
        init { e.at(25.0); e.at(1000.0); e.at(1000.0 + 1e-9); }
    }
}

#[test]
fn a_run_to_its_end_executes_what_falls_on_it_and_nothing_beyond() {
    let mut sim = Ends {}.start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Reached);
    assert_eq!((sim.now(), sim.state().rang.len()), (10.0, 0));
    sim.run_until(1000.0).unwrap();
    assert_eq!(sim.state().rang, [25.0, 1000.0]);
    // The second run to the same time fires nothing again.
    sim.run_until(1000.0).unwrap();
    assert_eq!((sim.now(), sim.state().rang.len()), (1000.0, 2));
}

simulation! {
    /// Ten waits of a tenth.
    model Tenths {
        state ends: Vec<f64> = Vec::new();
        activity counts() { for _ in 0..10 { wait(0.1); } ends.push(now); }
        event e(k: u32) => { if k == 10 { ends.push(now); } else { e.after(0.1, k + 1); } }
        init { counts.start(); e.at(0.0, 0); }
    }
}

#[test]
fn ten_tenths_are_one() {
    let mut sim = Tenths {}.start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().ends, [1.0, 1.0]);
}

simulation! {
    /// A server whose service takes no time.
    model Instantly {
        param rounds: u32;
        state served: u32 = 0;
        activity server() { loop { if served == rounds { break; } wait(0.0); served += 1; } }
        init { server.start(); }
    }
}

#[test]
fn a_service_time_of_zero_ends_or_is_told() {
    let mut sim = Instantly { rounds: 1000 }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().served, 1000);
    let mut sim = Instantly { rounds: u32::MAX }.start(1).unwrap();
    sim.set_zeno_limit(5_000);
    let error = sim.run_until(1.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Zeno { limit: 5_000 }), "{error}");
    assert_eq!(error.clock(), Some("server"));
}

simulation! {
    /// A machine whose end of work survives its breakdown in other engines, and inflates the throughput.
    model Breaks {
        state done: u64 = 0;
        state key: Option<Key<finished>> = None;
        event finished() => { done += 1; key = Some(finished.after(10.0)); }
        clock breaks: every(3.0) => {
            if let Some(old) = key { let _ = finished.cancel(old); }
            key = Some(finished.after(10.0));
        }
        observe pending = finished.len();
        init { key = Some(finished.after(10.0)); }
    }
}

#[test]
fn stale_events_do_not_survive_and_cancelled_ones_do_not_pile_up() {
    let mut sim = Breaks {}.start(1).unwrap();
    sim.run_until(30_000.0).unwrap();
    assert_eq!(sim.state().done, 0);
    assert_eq!(sim.observe().unwrap().pending, 1.0);
}

simulation! {
    /// A queue of one server that is looked at after a warm-up.
    model Warm {
        param lambda: f64 = 0.9;
        state desk: Resource = Resource::new(1);
        activity customer() {
            let asked: f64 = desk.ask(now)?;
            wait_for(desk.is_free());
            desk.seize(asked, now)?;
            wait(1.0);
            desk.release(now)?;
        }
        clock arrives: rate(lambda) => { customer.start(); }
        clock warmed: at(100.0) => { desk.reset(now)?; }
        invariant queue: desk.queue().len() + desk.busy() <= customer.len();
    }
}

#[test]
fn a_warm_up_resets_accumulators_and_never_makes_a_queue_negative() {
    let mut sim = Warm { lambda: 0.9 }.start(3).unwrap();
    sim.check_invariants(true);
    sim.run_until(200.0).unwrap();
    let state = sim.state();
    assert!(state.desk.queue().lengths().mean(200.0) >= 0.0);
    let utilisation = state.desk.utilisation(200.0);
    assert!((0.5..=1.0).contains(&utilisation), "{utilisation}");
}

#[test]
fn a_seed_gives_the_same_run_every_time() {
    let run = || {
        let mut sim = Warm { lambda: 0.9 }.start(7).unwrap();
        let mut log = Vec::new();
        sim.run_each(300.0, |view, event| log.push((view.now(), event))).unwrap();
        log
    };
    assert_eq!(run(), run());
}

simulation! {
    /// A ball that is thrown again whenever it has landed.
    model Ball {
        state y: f64 = 0.0;
        state v: f64 = 1.0;
        state landed: u32 = 0;
        flow (y, v) = (y + v * dt - 0.5 * dt * dt, v - dt);
        activity throws() {
            loop {
                let before: u32 = landed;
                wait_for(landed > before);
                if landed == 50 { break; }
            }
        }
        clock lands: crosses(y, down) => { y = 0.0; v = 1.0; landed += 1; }
        init { throws.start(); }
        observe still_there = throws.len();
    }
}

#[test]
fn no_crossing_is_missed_while_activities_wait_for_it() {
    let mut sim = Ball {}.start(1).unwrap();
    sim.run_until(100.5).unwrap();
    assert_eq!((sim.state().landed, sim.observe().unwrap().still_there), (50, 0.0));
}
