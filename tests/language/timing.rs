//! Times of events, worked out by hand.

use clockrace::{Outcome, simulation};

use crate::{rings, trace};

simulation! {
    model Works {
        state on: bool = true;
        state pace: f64 = 1.0;
        clock plain if on: after(4.0) => {}
        clock resumed if on: after(4.0, resume) => {}
        clock paced: after(4.0, speed(pace)) => {}
        clock both if on: after(4.0, resume, speed(pace)) => {}
        clock off: at(1.0) => { on = false; }
        clock half: at(2.0) => { pace = 0.5; }
        clock back: at(2.5) => { on = true; }
        clock fast: at(5.0) => { pace = 4.0; }
        clock stand: at(6.0) => { pace = 0.0; }
    }
}

#[test]
fn a_delay_is_forgotten_kept_or_run_down_while_things_change() {
    // Forgotten at 1, drawn anew at 2.5 and at 6.5.
    assert_eq!(rings(&mut Works::default().start(1).unwrap(), "plain", 11.0), [6.5, 10.5]);
    // 3 of 4 are left at 1.
    assert_eq!(rings(&mut Works::default().start(1).unwrap(), "resumed", 10.0), [5.5, 9.5]);
    // 2 are left at 2, 0.5 at 5; then one in each unit of time, until nothing goes on.
    assert_eq!(rings(&mut Works::default().start(1).unwrap(), "paced", 100.0), [5.125]);
    // 3 are left at 1, 1.75 at 5.
    assert_eq!(rings(&mut Works::default().start(1).unwrap(), "both", 100.0), [5.4375]);
}

simulation! {
    model Draws {
        state d: f64 = 3.0;
        state other: u64 = 0;
        clock kept: after(d) => {}
        clock redrawn: after(d, redraw) => {}
        clock set: at(1.0) => { d = 1.5; }
        clock touch: every(0.75) => { other += 1; }
    }
}

#[test]
fn a_delay_is_kept_unless_it_is_to_be_redrawn() {
    assert_eq!(rings(&mut Draws::default().start(1).unwrap(), "kept", 7.0), [3.0, 4.5, 6.0]);
    assert_eq!(rings(&mut Draws::default().start(1).unwrap(), "redrawn", 6.0), [2.5, 4.0, 5.5]);
}

simulation! {
    model Ticks {
        state period: f64 = 2.0;
        state phase: f64 = 0.5;
        clock tick: every(period) => {}
        clock phased: every(period, from = phase) => {}
        clock later: every(1.0, from = 5.5) => {}
        clock slower: at(5.0) => { period = 3.0; }
        clock moved: at(9.0) => { phase = 10.25; }
    }
}

#[test]
fn ticks_follow_their_period_and_phase() {
    // The last tick was at 4.
    assert_eq!(rings(&mut Ticks::default().start(1).unwrap(), "tick", 14.0), [2.0, 4.0, 7.0, 10.0, 13.0]);
    assert_eq!(rings(&mut Ticks::default().start(1).unwrap(), "phased", 14.0), [0.5, 2.5, 4.5, 7.5, 10.25, 13.25]);
    assert_eq!(rings(&mut Ticks::default().start(1).unwrap(), "later", 7.9), [5.5, 6.5, 7.5]);
}

simulation! {
    model Late {
        param begin: f64 = 10.0;
        state began: f64 = -1.0;
        state due: f64 = begin + 0.5;
        init { began = now; }
        clock tick: every(2.0) => {}
        clock phased: every(2.0, from = 1.0) => {}
        clock delay: after(3.0) => {}
        clock once: at(due) => {}
        clock at_once: at(began) => {}
    }
}

#[test]
fn a_late_start_moves_what_counts_from_the_start() {
    let mut sim = Late::default().start_at(1, 10.0).unwrap();
    assert_eq!((sim.now(), sim.state().began), (10.0, 10.0));
    let expected = [
        (10.0, "at_once"),
        (10.5, "once"),
        (11.0, "phased"),
        (12.0, "tick"),
        (13.0, "phased"),
        (13.0, "delay"),
        (14.0, "tick"),
    ];
    assert_eq!(trace(&mut sim, 14.0), expected);
    assert!(Late { begin: 9.0 }.start_at(1, 10.0).is_err());
}

simulation! {
    model Chain {
        state stage: u8 = 0;
        state order: Vec<&'static str> = Vec::new();
        let going = stage > 0;
        clock third if stage == 2: after(0.0) => { order.push("third"); stage = 3; }
        clock second if stage == 1: at(now) => { order.push("second"); stage = 2; }
        clock first: at(1.0) => { order.push("first"); stage = 1; }
        clock between if going: after(0.0), priority = 1 => { order.push("between"); stage = 0; }
        clock later: at(1.0), priority = 2 => { order.push("later"); }
        clock sooner: at(1.0), priority = -2 => { order.push("sooner"); }
    }
}

#[test]
fn an_instant_goes_by_priority_and_by_what_it_enables() {
    let mut sim = Chain::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().order, ["sooner", "first", "second", "third", "between", "later"]);
    assert_eq!((sim.now(), sim.next_time()), (1.0, f64::INFINITY));
}

simulation! {
    model Stops {
        param limit: u64 = 2;
        state n: u64 = 0;
        state m: u64 = 0;
        clock last: every(1.0), priority = (1, -1) => { m += 1; }
        clock count: every(1.0), priority = (1, -2) => { n += 1; }
        stop counted if n >= limit;
        stop never_first if n >= limit && m < 100;
    }
}

#[test]
fn a_stop_ends_the_run_within_the_instant_and_the_first_that_holds_is_named() {
    let mut sim = Stops::default().start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Stopped("counted"));
    assert_eq!((sim.now(), sim.state().n, sim.state().m), (2.0, 2, 1));
    let mut sim = Stops { limit: 0 }.start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Stopped("counted"));
    assert_eq!((sim.now(), sim.state().n), (0.0, 0));
}

simulation! {
    model Planned {
        param jobs: Vec<f64> = vec![3.0, 1.0, 2.0];
        state due: Vec<f64> = Vec::new();
        state coin: bool = false;
        state done: u64 = 0;
        tally late: u64 = 0;
        tally longest: f64 = 0.5;
        let next = due.last().copied();
        init {
            if jobs.is_empty() {
                return;
            }
            due = jobs.clone();
            due.sort_by(|a, b| b.total_cmp(a));
            coin = rng.random_bool(1.0);
        }
        clock job: at(next.unwrap_or(never)) => {
            due.pop();
            done += 1;
            if now > 1.5 {
                late += 1;
            }
        }
        clock extra if coin && done == 2: at(2.0) => { due.push(2.75); due.sort_by(|a, b| b.total_cmp(a)); }
        observe late = late;
        observe longest: f64 = longest;
        observe big = u128::MAX;
        observe narrow = 0.5_f32;
        observe small = -3_i8;
        observe truth = coin;
        observe copy: Vec<f64> = due.clone();
        observe next: Option<f64> = next;
        observe time = now;
    }
}

#[test]
fn init_plans_what_the_clocks_do() {
    let mut sim = Planned::default().start(1).unwrap();
    assert_eq!(sim.observe().unwrap().copy, [3.0, 2.0, 1.0]);
    let expected = [(1.0, "job"), (2.0, "job"), (2.0, "extra"), (2.75, "job"), (3.0, "job")];
    assert_eq!(trace(&mut sim, 10.0), expected);
    let mut idle = Planned { jobs: vec![] }.start(1).unwrap();
    assert_eq!(idle.run_until(10.0).unwrap(), Outcome::Exhausted);
    assert!(!idle.state().coin);
}

#[test]
fn outputs_are_numbers_or_of_the_type_that_is_written() {
    let mut sim = Planned::default().start(1).unwrap();
    sim.run_until(2.5).unwrap();
    let outputs = sim.observe().unwrap();
    assert_eq!((outputs.late, outputs.longest, outputs.narrow, outputs.small), (1.0, 0.5, 0.5, -3.0));
    assert_eq!((outputs.big, outputs.truth, outputs.next), (u128::MAX as f64, 1.0, Some(2.75)));
    assert_eq!((outputs.copy, outputs.time), (vec![3.0, 2.75], 2.5));
    sim.reset_tallies().unwrap();
    let outputs = sim.observe().unwrap();
    assert_eq!((outputs.late, outputs.longest), (0.0, 0.5));
    assert_eq!(sim.state().done, 2);
    // What is no number has no place among the numeric outputs.
    let numeric = ["late", "longest", "big", "narrow", "small", "truth", "time"];
    assert_eq!(<Planned as clockrace::Model>::OUTPUTS, numeric);
}

simulation! {
    model Switch {
        param wanted: bool = true;
        state on: bool = true;
        state due: f64 = 4.0;
        state rung: Vec<f64> = Vec::new();
        clock alarm if on && wanted: at(due) => { rung.push(now); due = never; }
        clock reaction_time if !on: rate(0.0) => {}
        clock off: at(3.0) => { on = false; }
        clock back: at(3.5) => { on = true; }
        clock rearm: at(6.0) => { due = now + 0.25; }
    }
}

#[test]
fn a_guard_turns_a_clock_off_and_on() {
    assert_eq!(rings(&mut Switch::default().start(1).unwrap(), "alarm", 100.0), [4.0, 6.25]);
    assert_eq!(rings(&mut Switch { wanted: false }.start(1).unwrap(), "alarm", 100.0), [0.0; 0]);
}
