//! Faults of other discrete-event engines, each as a test that is named after it: ties, ends of
//! runs, times in the past, endless instants.

use clockrace::rand_distr::Exp;
use clockrace::{ErrorKind, Model, Outcome, Simulation, simulation};
use clockrace_tests::{assert_mean, replicates};

/// Times and clocks of all events up to `until`.
fn trace<M: Model>(sim: &mut Simulation<M>, until: f64) -> Vec<(f64, &'static str)> {
    let mut trace = Vec::new();
    sim.run_each(until, |view, event| trace.push((view.now(), M::event_name(event)))).unwrap();
    trace
}

/// The clocks of all events up to `until`.
fn names<M: Model>(sim: &mut Simulation<M>, until: f64) -> Vec<&'static str> {
    trace(sim, until).into_iter().map(|(_, name)| name).collect()
}

simulation! {
    model Ties {
        state log: Vec<u8> = Vec::new();
        clock zero: at(5.0) => { log.push(0); }
        clock one: after(5.0) => { log.push(1); }
        clock two: every(5.0) => { log.push(2); }
        clock three: at(5.0) => { log.push(3); }
        clock four: after(2.5 + 2.5) => { log.push(4); }
        clock five: every(2.5, from = 5.0) => { log.push(5); }
        clock six: at(5.0) => { log.push(6); }
        clock seven: at(5.0) => { log.push(7); }
    }
}

#[test]
fn simultaneous_events_keep_their_order() {
    let mut sim = Ties::default().start(1).unwrap();
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().log, [0, 1, 2, 3, 4, 5, 6, 7]);
}

simulation! {
    /// `Ties` with clocks that do nothing in between.
    model TiesAndNothing {
        state log: Vec<u8> = Vec::new();
        state spins: u64 = 0;
        clock nothing: at(5.0) => {}
        clock zero: at(5.0) => { log.push(0); }
        clock one: after(5.0) => { log.push(1); }
        clock nothing_again: every(1.0) => {}
        clock two: every(5.0) => { log.push(2); }
        clock three: at(5.0) => { log.push(3); }
        clock spin: after(0.5, redraw) => { spins += 1; }
        clock four: after(2.5 + 2.5) => { log.push(4); }
        clock five: every(2.5, from = 5.0) => { log.push(5); }
        clock six: at(5.0) => { log.push(6); }
        clock nothing_at_last: after(5.0), priority = 0 => {}
        clock seven: at(5.0) => { log.push(7); }
    }
}

#[test]
fn an_event_that_does_nothing_does_not_reorder_ties() {
    let mut sim = TiesAndNothing::default().start(1).unwrap();
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().log, [0, 1, 2, 3, 4, 5, 6, 7]);
}

simulation! {
    model Ranks {
        state n: u64 = 0;
        clock e: at(1.0), priority = (5, 1, 0) => { n += 1; }
        clock d: at(1.0), priority = (5, 0, 1) => { n += 1; }
        clock c: at(1.0), priority = (5, 0, 0) => { n += 1; }
        clock g: at(1.0), priority = (6, 0, 0) => { n += 1; }
        clock f: at(1.0), priority = (5, 1, 0) => { n += 1; }
        clock b: at(1.0), priority = (-1, 9, 9) => { n += 1; }
        clock a: at(1.0), priority = (-1, -9, 9) => { n += 1; }
        clock early: at(0.5), priority = (9, 9, 9) => { n += 1; }
    }
}

#[test]
fn ranks_compare_lexicographically_and_equal_ones_by_declaration() {
    let mut sim = Ranks::default().start(1).unwrap();
    let trace = trace(&mut sim, 1.0);
    let order: Vec<&str> = trace.iter().map(|(_, name)| *name).collect();
    assert_eq!(order, ["early", "a", "b", "c", "d", "e", "f", "g"]);
    assert!(trace[1..].iter().all(|(time, _)| *time == 1.0), "ranks do not make instants of their own");
}

simulation! {
    model Unranked {
        state n: u64 = 0;
        clock last: at(1.0), priority = 1 => { n += 1; }
        clock middle: at(1.0) => { n += 1; }
        clock zero: at(1.0), priority = 0 => { n += 1; }
        clock first: at(1.0), priority = -1 => { n += 1; }
    }
}

#[test]
fn a_missing_rank_is_zero() {
    let mut sim = Unranked::default().start(1).unwrap();
    assert_eq!(names(&mut sim, 1.0), ["first", "middle", "zero", "last"]);
}

simulation! {
    model ByRank {
        state waiting: u64 = 0;
        state served: Vec<&'static str> = Vec::new();
        clock arrive: every(1.0) => { waiting += 1; }
        clock late if waiting > 0: at(now), priority = 2 => { served.push("late"); waiting -= 1; }
        clock early if waiting > 1: after(0.0), priority = 1 => { served.push("early"); waiting -= 1; }
        clock arrive_too: every(1.0) => { waiting += 1; }
    }
}

/// Clocks that an event of the instant has just enabled take their place by rank as well.
#[test]
fn an_event_of_this_instant_is_ordered_among_those_that_were_there() {
    let mut sim = ByRank::default().start(1).unwrap();
    assert_eq!(names(&mut sim, 1.0), ["arrive", "arrive_too", "early", "late"]);
    assert_eq!(sim.state().served, ["early", "late"]);
}

/// A model with a clock for each name, all at t = 1.
macro_rules! crowd {
    ($($name:ident $rank:literal,)*) => {
        simulation! {
            model Crowd {
                state n: u64 = 0;
                $(clock $name: at(1.0), priority = $rank => { n += 1; })*
            }
        }
    };
}

#[rustfmt::skip]
crowd! {
    a 0, m 1, n 1, b 0, o 1, c 0, d 0, p 1, e 0, q 1, f 0, g 0, r 1, h 0, i 0, j 0, s 1, k 0, l 0, t 1,
}

#[test]
fn a_crowd_of_clocks_keeps_its_order_too() {
    let mut sim = Crowd::default().start(1).unwrap();
    let order = names(&mut sim, 1.0);
    assert_eq!(order.concat(), "abcdefghijklmnopqrst");
}

simulation! {
    model Shuffled {
        clock t7: at(7.0) => {}
        clock t3: at(3.0) => {}
        clock t9: at(9.0) => {}
        clock t1: at(1.0) => {}
        clock t8: at(8.0) => {}
        clock t2: at(2.0) => {}
        clock t0: at(0.0) => {}
        clock t6: at(6.0) => {}
        clock t4: at(4.0) => {}
        clock t5: at(5.0) => {}
    }
}

#[test]
fn events_come_in_order_of_time_whatever_the_order_of_declaration() {
    let mut sim = Shuffled::default().start(1).unwrap();
    assert_eq!(names(&mut sim, 9.0), ["t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9"]);
}

simulation! {
    model Delayed {
        state delay: f64;
        state n: u64 = 0;
        clock begin: at(1.0) => { n = 1; }
        clock delayed if n > 0: after(delay) => { n += 1; }
    }
}

#[test]
fn a_negative_or_nan_delay_is_an_error_when_it_is_set() {
    for delay in [-1.0, -1e-9, f64::NAN, f64::NEG_INFINITY] {
        let mut sim = Delayed { delay }.start(1).unwrap();
        let error = sim.run_until(10.0).unwrap_err();
        let ErrorKind::Delay { value } = error.kind() else { panic!("{error}") };
        assert_eq!(value.to_bits(), delay.to_bits());
        assert_eq!((error.clock(), error.event(), error.time()), (Some("delayed"), Some("begin"), 1.0));
        assert_eq!((sim.now(), sim.state().n), (0.0, 0));
    }
}

#[test]
fn a_delay_without_end_is_never() {
    let mut sim = Delayed { delay: f64::INFINITY }.start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.state().n, 1);
}

simulation! {
    model Appointment {
        state first: f64;
        state time: f64 = 5.0;
        state n: u64 = 0;
        clock change: at(5.0), priority = -1 => { time = first; }
        clock ring: at(time) => { n += 1; }
        clock touch: at(6.0) => { time *= 1.0; }
    }
}

#[test]
fn a_past_or_nan_time_is_an_error_when_it_is_set() {
    for first in [4.0, 5.0 - 1e-9, -1.0, f64::NAN, f64::NEG_INFINITY] {
        let mut sim = Appointment { first }.start(1).unwrap();
        let error = sim.run_until(10.0).unwrap_err();
        let ErrorKind::RingTime { value } = error.kind() else { panic!("{error}") };
        assert_eq!(value.to_bits(), first.to_bits());
        assert_eq!((error.clock(), error.event(), error.time()), (Some("ring"), Some("change"), 5.0));
        assert_eq!((sim.now(), sim.state().time, sim.state().n), (0.0, 5.0, 0));
    }
}

#[test]
fn rounding_into_the_past_is_now() {
    for first in [5.0_f64.next_down(), 5.0 - 2e-15] {
        let mut sim = Appointment { first }.start(1).unwrap();
        // When the time is written again, the clock has rung for it.
        assert_eq!(trace(&mut sim, 10.0), [(5.0, "change"), (5.0, "ring"), (6.0, "touch")]);
    }
}

simulation! {
    /// The delay is what is left of a sum of tenths that exceeds its target by rounding.
    model Remainder {
        state n: u64 = 0;
        clock begin: at(0.1 + 0.2) => { n = 1; }
        clock rest if n == 1: after(0.3 - now) => { n = 2; }
    }
}

#[test]
fn a_delay_that_rounding_made_negative_is_now() {
    let mut sim = Remainder::default().start(1).unwrap();
    assert_eq!(sim.run_until(1.0).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.state().n, 2);
}

simulation! {
    model Late {
        state n: u64 = 0;
        clock tick: every(25.0) => { n += 1; }
        clock tock: after(1000.0) => { n += 100; }
    }
}

#[test]
fn no_event_beyond_the_end_is_executed_and_time_is_the_end() {
    let mut sim = Late::default().start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Reached);
    assert_eq!((sim.now(), sim.state().n, sim.next_time()), (10.0, 0, 25.0));
    assert_eq!(sim.run_until(25.0_f64.next_down()).unwrap(), Outcome::Reached);
    assert_eq!(sim.state().n, 0);
    assert_eq!(sim.run_until(1000.0_f64.next_down()).unwrap(), Outcome::Reached);
    assert_eq!((sim.now(), sim.state().n), (1000.0_f64.next_down(), 39));
}

#[test]
fn events_at_the_end_are_executed_all_of_them() {
    let mut sim = Late::default().start(1).unwrap();
    assert_eq!(sim.run_until(1000.0).unwrap(), Outcome::Reached);
    assert_eq!((sim.now(), sim.state().n), (1000.0, 140));
}

#[test]
fn a_second_run_to_the_same_time_fires_nothing() {
    let mut sim = Late::default().start(1).unwrap();
    sim.run_until(25.0).unwrap();
    assert_eq!(names(&mut sim, 25.0), [""; 0]);
    assert_eq!((sim.now(), sim.state().n), (25.0, 1));
    let mut start = Late::default().start(1).unwrap();
    start.run_until(0.0).unwrap();
    start.run_until(0.0).unwrap();
    assert_eq!((start.now(), start.state().n), (0.0, 0));
}

simulation! {
    model Tenths {
        param end: f64 = 1.0;
        state n: u64 = 0;
        clock tick: every(0.1) => { n += 1; }
        clock end_of_work: at(end) => {}
    }
}

#[test]
fn ten_times_a_tenth_is_one() {
    let mut sim = Tenths { end: 1.0 }.start(1).unwrap();
    assert_eq!(*trace(&mut sim, 1.0).last().unwrap(), (1.0, "end_of_work"));
    assert_eq!(sim.state().n, 10);
    sim.run_until(100_000.0).unwrap();
    assert_eq!((sim.state().n, sim.now()), (1_000_000, 100_000.0));
}

#[test]
fn a_hundred_ticks_are_a_hundred_instants() {
    let mut sim = Tenths { end: 0.0 }.start(1).unwrap();
    let times: Vec<f64> = trace(&mut sim, 10.0).iter().filter(|(_, name)| *name == "tick").map(|(t, _)| *t).collect();
    let exact: Vec<f64> = (1..=100).map(|k| f64::from(k) * 0.1).collect();
    assert_eq!(times, exact);
}

simulation! {
    model NoTime {
        state served: u64 = 0;
        clock arrive: at(2.0) => { served = 1; }
        clock serve if served > 0: after(0.0) => { served += 1; }
    }
}

#[test]
fn a_service_that_takes_no_time_does_not_loop_for_ever() {
    let mut sim = NoTime::default().start(1).unwrap();
    sim.set_zeno_limit(1000);
    let error = sim.run_until(10.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Zeno { limit: 1000 }), "{error}");
    assert_eq!((error.time(), sim.now(), sim.state().served), (2.0, 2.0, 1000));
}

#[test]
fn the_budget_of_an_instant_is_a_million_events() {
    let mut sim = NoTime::default().start(1).unwrap();
    let error = sim.run_until(10.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Zeno { limit: 1_000_000 }), "{error}");
    assert_eq!(sim.state().served, 1_000_000);
}

simulation! {
    model Repeat {
        param wait: f64;
        state n: u64 = 0;
        clock again if n < 10: after(wait) => { n += 1; }
    }
}

#[test]
fn ten_repetitions_without_a_wait_are_one_instant_and_with_one_ten() {
    let mut sim = Repeat { wait: 0.0 }.start(1).unwrap();
    sim.set_zeno_limit(10);
    assert!(trace(&mut sim, 100.0).iter().all(|(time, _)| *time == 0.0));
    assert_eq!(sim.state().n, 10);
    let mut sim = Repeat { wait: 1.0 }.start(1).unwrap();
    sim.set_zeno_limit(1);
    let times: Vec<f64> = trace(&mut sim, 100.0).iter().map(|(time, _)| *time).collect();
    assert_eq!(times, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0]);
}

simulation! {
    model Breakdown {
        param up: f64;
        state working: bool = true;
        state done: u64 = 0;
        state kept: u64 = 0;
        clock turn: every(up) => { working = !working; }
        clock service if working: after(1.0) => { done += 1; }
        clock resumed if working: after(1.0, resume) => { kept += 1; }
    }
}

#[test]
fn a_service_that_was_cut_off_does_not_ring_later() {
    // Up and down by turns of 0.75: no service of 1 is ever completed unless it is resumed.
    let mut sim = Breakdown { up: 0.75 }.start(1).unwrap();
    sim.run_until(300.0).unwrap();
    assert_eq!((sim.state().done, sim.state().kept), (0, 150));
    // By turns of 1.5: one for each turn.
    let mut sim = Breakdown { up: 1.5 }.start(1).unwrap();
    sim.run_until(300.0).unwrap();
    assert_eq!((sim.state().done, sim.state().kept), (100, 150));
}

simulation! {
    model Impatient {
        state busy: bool = false;
        state since: f64 = 0.0;
        state served: u64 = 0;
        state left: u64 = 0;
        clock arrive if !busy: rate(1.0) => { busy = true; since = now; }
        clock serve if busy: after(rng.sample(Exp::new(2.0)?)) => { busy = false; served += 1; }
        clock renege if busy: at(since + 0.5) => { busy = false; left += 1; }
    }
}

#[test]
fn stale_events_do_not_inflate_the_throughput() {
    // A customer is served with the chance 1 − 1/e and stays (1 − 1/e)/2 on average.
    let chance = 1.0 - (-1.0_f64).exp();
    let cycle = 1.0 + chance / 2.0;
    let (mut served, mut left) = (Vec::new(), Vec::new());
    for mut sim in replicates(&Impatient::default(), 2, 400) {
        sim.run_until(50.0).unwrap();
        let before = (sim.state().served, sim.state().left);
        sim.run_until(550.0).unwrap();
        served.push((sim.state().served - before.0) as f64);
        left.push((sim.state().left - before.1) as f64);
    }
    assert_mean("served", &served, 500.0 * chance / cycle);
    assert_mean("left", &left, 500.0 * (1.0 - chance) / cycle);
}

simulation! {
    model LastOff {
        state armed: bool = true;
        state rang: u64 = 0;
        clock disarm: at(1.0) => { armed = false; }
        clock bomb if armed: after(5.0) => { rang += 1; }
        clock rearm: at(20.0) => { armed = true; }
    }
}

#[test]
fn switching_off_a_clock_leaves_a_working_queue() {
    let mut sim = LastOff::default().start(1).unwrap();
    assert_eq!(trace(&mut sim, 30.0), [(1.0, "disarm"), (20.0, "rearm"), (25.0, "bomb"), (30.0, "bomb")]);
    sim.update(|state| state.armed = false).unwrap();
    assert_eq!((sim.next_time(), sim.step().unwrap()), (f64::INFINITY, None));
    assert_eq!(sim.run_until(200.0).unwrap(), Outcome::Exhausted);
    sim.update(|state| state.armed = true).unwrap();
    assert_eq!(trace(&mut sim, 206.0), [(205.0, "bomb")]);
}

simulation! {
    model Routine {
        state on: bool = true;
        clock routine if on: every(5.0) => {}
        clock once if on: at(12.0) => {}
        clock never_rings if on: at(26.0) => {}
        clock stop_it: at(25.0), priority = 1 => { on = false; }
    }
}

#[test]
fn a_routine_does_not_fire_after_it_was_stopped() {
    let mut sim = Routine::default().start(1).unwrap();
    let fives = [5.0, 10.0].map(|t| (t, "routine"));
    let later = [(12.0, "once"), (15.0, "routine"), (20.0, "routine"), (25.0, "routine"), (25.0, "stop_it")];
    assert_eq!(trace(&mut sim, 1000.0), [&fives[..], &later].concat());
}

simulation! {
    model Pausing {
        state on: bool = true;
        clock tick if on: every(1.0, from = 0.25) => {}
        clock off: at(1.5) => { on = false; }
        clock back: at(4.5) => { on = true; }
        clock off_on_a_tick: at(5.25), priority = -1 => { on = false; }
        clock back_on_a_tick: at(7.25), priority = 1 => { on = true; }
    }
}

#[test]
fn ticks_that_pass_while_a_clock_is_off_are_skipped_and_its_phase_stays() {
    let mut sim = Pausing::default().start(1).unwrap();
    let ticks: Vec<f64> = trace(&mut sim, 9.0).iter().filter(|(_, name)| *name == "tick").map(|(t, _)| *t).collect();
    assert_eq!(ticks, [0.25, 1.25, 7.25, 8.25]);
}

simulation! {
    model Reminder {
        state due: f64 = 3.0;
        state reads: u64 = 0;
        state rang: u64 = 0;
        clock reminder: at(due + 0.0 * reads as f64) => { rang += 1; }
        clock touch: every(1.0) => { reads += 1; }
        clock again: at(7.0) => { due = 7.0; }
        clock back: at(8.0) => { due = 7.0; }
        clock off: at(9.0) => { due = f64::INFINITY; }
        clock onward: at(10.0) => { due = 12.0; }
    }
}

#[test]
fn an_at_that_has_rung_neither_rings_again_nor_lies_in_the_past() {
    let mut sim = Reminder::default().start(1).unwrap();
    let rung: Vec<f64> =
        trace(&mut sim, 30.0).iter().filter(|(_, name)| *name == "reminder").map(|(t, _)| *t).collect();
    assert_eq!(rung, [3.0, 7.0, 12.0]);
}

simulation! {
    model OwnAction {
        state next: f64 = 1.0;
        state rings: u64 = 0;
        clock doubling: at(next) => { next *= 2.0; rings += 1; }
        clock now_and_now if rings < 100: at(now + 0.0 * rings as f64) => { rings += 33; }
    }
}

#[test]
fn an_at_whose_action_writes_what_it_reads_is_evaluated_again() {
    let mut sim = OwnAction::default().start(1).unwrap();
    assert_eq!(trace(&mut sim, 0.0), [(0.0, "now_and_now"); 4]);
    assert_eq!(trace(&mut sim, 15.0), [1.0, 2.0, 4.0, 8.0].map(|t| (t, "doubling")));
}

simulation! {
    model Walk {
        state n: u64 = 10;
        tally arrivals: u64 = 0;
        clock arrive: rate(5.0) => { n += 1; arrivals += 1; }
        reaction leave: n -> @ 0.5;
        observe number: u64 = n;
        observe counted: u64 = arrivals;
    }
}

#[test]
fn warm_up_resets_the_tallies_and_not_the_state() {
    let mut plain = Walk::default().start(3).unwrap();
    plain.run_until(20.0).unwrap();
    let mut warm = Walk::default().start(3).unwrap();
    assert_eq!(warm.warm_up(20.0).unwrap(), Outcome::Reached);
    assert!(plain.tallies().arrivals > 50);
    assert_eq!((warm.tallies().arrivals, warm.state().n, warm.now()), (0, plain.state().n, 20.0));
    assert_eq!(warm.next_time().to_bits(), plain.next_time().to_bits());
    let before = plain.tallies().arrivals;
    plain.run_until(40.0).unwrap();
    warm.run_until(40.0).unwrap();
    assert_eq!((warm.tallies().arrivals, warm.state().n), (plain.tallies().arrivals - before, plain.state().n));
    let observed = warm.observe().unwrap();
    assert_eq!((observed.number, observed.counted), (warm.state().n, warm.tallies().arrivals));
}

#[test]
fn an_observer_sees_every_event_from_the_next_one_on_and_in_order() {
    let mut all = Late::default().start(1).unwrap();
    let whole = trace(&mut all, 2000.0);
    let mut sim = Late::default().start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(trace(&mut sim, 2000.0), whole[4..]);
    assert_eq!(whole.len(), 82);
    assert!(whole.is_sorted_by(|a, b| a.0 <= b.0));
}
