//! What is checked while a model runs: the right typed error, with clock, time and value, and a
//! simulation that is still readable at its last completed event.

use std::error::Error;
use std::num::{TryFromIntError, Wrapping};
use std::sync::atomic::{AtomicU64, Ordering};

use clockrace::rand_distr::{Exp, ExpError};
use clockrace::{ErrorKind, Model, Outcome, SimError, Simulation, simulation};

/// The simulation fails in `clock` after `event` at `time`, and again however it is asked.
fn fails<M: Model>(sim: &mut Simulation<M>, clock: &str, event: &str, time: f64) -> SimError {
    let error = sim.run_until(1e3).unwrap_err();
    assert_eq!((error.clock(), error.event(), error.time()), (Some(clock), Some(event), time), "{error}");
    let text = error.to_string();
    assert!(text.contains(clock) && text.contains(event) && text.contains(&time.to_string()), "{text}");
    let now = sim.now();
    assert!(now < time, "the time is that of the event before");
    assert_eq!(sim.run_until(1e3).unwrap_err().to_string(), text);
    assert_eq!(sim.step().unwrap_err().to_string(), text);
    let mut events = sim.events();
    assert_eq!(events.next().unwrap().unwrap_err().to_string(), text);
    assert!(events.next().is_none());
    assert_eq!(sim.now(), now);
    error
}

#[track_caller]
fn assert_overflow(error: &SimError, operator: char, left: &str, right: &str, type_name: &str) {
    let ErrorKind::Overflow { operator: o, left: l, right: r, type_name: t } = error.kind() else { panic!("{error}") };
    assert_eq!((*o, l.as_str(), r.as_str(), *t), (operator, left, right, type_name));
}

simulation! {
    model Rates {
        state value: f64;
        state level: f64 = 0.0;
        state steps: u64 = 0;
        clock step: every(1.0) => { steps += 1; }
        clock switch: at(2.5) => { steps += 100; level = value; }
        clock ring: rate(level) => {}
    }
}

#[test]
fn a_rate_that_is_negative_nan_or_infinite_is_an_error() {
    for value in [-1.0, -1e-300, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let mut sim = Rates { value }.start(1).unwrap();
        let error = fails(&mut sim, "ring", "switch", 2.5);
        let ErrorKind::Rate { value: found } = error.kind() else { panic!("{error}") };
        assert_eq!(found.to_bits(), value.to_bits());
        assert!(error.to_string().contains(&value.to_string()), "{error}");
        // The event whose consequences failed is not there.
        assert_eq!((sim.now(), sim.state().steps, sim.state().level), (2.0, 2, 0.0));
        assert!(error.source().is_none());
    }
}

#[test]
fn a_clone_of_a_failed_simulation_has_failed_too() {
    let mut sim = Rates { value: -1.0 }.start(1).unwrap();
    let error = sim.run_until(10.0).unwrap_err();
    assert_eq!(sim.clone().run_until(10.0).unwrap_err().to_string(), error.to_string());
}

#[test]
fn update_mends_a_failed_simulation() {
    let mut sim = Rates { value: -1.0 }.start(1).unwrap();
    let error = sim.run_until(10.0).unwrap_err();
    // A mending that does not help fails at once and stays.
    let again = sim.update(|state| state.level = f64::NAN).unwrap_err();
    assert!(matches!(again.kind(), ErrorKind::Rate { .. }), "{again}");
    assert_eq!((again.clock(), again.event(), again.time()), (Some("ring"), None, 2.0));
    assert_ne!(sim.step().unwrap_err().to_string(), error.to_string());
    sim.update(|state| state.level = 5.0).unwrap();
    assert!(sim.step().unwrap().unwrap().time > 2.0);
}

simulation! {
    /// At t = 2 clocks of each kind ring, in an order that `first` decides, and `ring` fails.
    model Mended {
        param first: u8;
        state value: f64 = -1.0;
        state level: f64 = 0.0;
        state switched: Vec<f64> = Vec::new();
        action switch() {
            level = value;
            switched.push(now);
        }
        clock by_at if first == 0: at(2.0) => switch();
        clock by_after if first == 1: after(2.0) => switch();
        clock by_every if first == 2: every(2.0) => switch();
        clock ring: rate(level) => {}
    }
}

#[test]
fn an_event_that_failed_happens_once_the_state_is_mended() {
    for first in 0..3 {
        let mut sim = Mended { first }.start(1).unwrap();
        assert_eq!(sim.run_until(10.0).unwrap_err().time(), 2.0);
        sim.update(|state| {
            state.value = 1e-9;
            state.switched.clear();
        })
        .unwrap();
        assert_eq!(sim.next_time(), 2.0, "{first}");
        sim.run_until(3.0).unwrap();
        assert_eq!((sim.state().level, &sim.state().switched[..]), (1e-9, &[2.0][..]), "{first}");
    }
}

simulation! {
    #[select(next_reaction)]
    model RatesAtStart {
        param k: f64;
        state n: u64 = 0;
        clock fine: rate(1.0) => { n += 1; }
        clock ring: rate(k) => { n += 1; }
    }
}

#[test]
fn a_rate_that_is_wrong_at_the_start_is_an_error_of_start() {
    let error = RatesAtStart { k: -2.0 }.start(1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Rate { value: -2.0 }), "{error}");
    assert_eq!((error.clock(), error.event(), error.time()), (Some("ring"), None, 0.0));
}

simulation! {
    model Totals {
        state huge: f64 = 0.0;
        clock switch: at(2.0) => { huge = 1e308; }
        clock a: rate(huge) => {}
        clock b: rate(huge) => {}
        clock c: rate(huge) => {}
    }
}

#[test]
fn rates_whose_sum_is_infinite_are_an_error() {
    let mut sim = Totals::default().start(1).unwrap();
    let error = sim.run_until(10.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TotalRate { value: f64::INFINITY }), "{error}");
    assert_eq!((error.event(), error.time(), sim.state().huge), (Some("switch"), 2.0, 0.0));
}

simulation! {
    model Times {
        state value: f64;
        state due: f64 = 10.0;
        clock switch: at(2.0) => { due = value; }
        clock ring: at(due) => {}
    }
}

#[test]
fn a_ring_time_in_the_past_or_nan_is_an_error() {
    for value in [1.0, -5.0, f64::NAN, f64::NEG_INFINITY] {
        let mut sim = Times { value }.start(1).unwrap();
        let error = fails(&mut sim, "ring", "switch", 2.0);
        assert!(matches!(error.kind(), ErrorKind::RingTime { value: v } if v.to_bits() == value.to_bits()), "{error}");
        assert_eq!((sim.now(), sim.state().due), (0.0, 10.0));
    }
}

simulation! {
    model Delays {
        state delay: f64;
        state pace: f64;
        state on: bool = false;
        clock switch: at(2.0) => { on = true; }
        clock ring if on: after(delay, speed(pace)) => { on = false; }
    }
}

#[test]
fn a_delay_that_is_negative_or_nan_is_an_error() {
    for delay in [-1.0, f64::NAN, f64::NEG_INFINITY] {
        let mut sim = Delays { delay, pace: 1.0 }.start(1).unwrap();
        let error = fails(&mut sim, "ring", "switch", 2.0);
        assert!(matches!(error.kind(), ErrorKind::Delay { value } if value.to_bits() == delay.to_bits()), "{error}");
        assert!(!sim.state().on);
    }
}

#[test]
fn a_speed_that_is_negative_nan_or_infinite_is_an_error() {
    for pace in [-1.0, f64::NAN, f64::INFINITY] {
        let mut sim = Delays { delay: 1.0, pace }.start(1).unwrap();
        let error = fails(&mut sim, "ring", "switch", 2.0);
        assert!(matches!(error.kind(), ErrorKind::Speed { value } if value.to_bits() == pace.to_bits()), "{error}");
    }
    let mut sim = Delays { delay: 1.0, pace: 0.0 }.start(1).unwrap();
    assert_eq!(sim.run_until(1e6).unwrap(), Outcome::Exhausted);
}

simulation! {
    model Periods {
        state value: f64;
        state phase: f64;
        state period: f64 = 1.5;
        clock switch: at(2.0) => { period = value; }
        clock ring: every(period, from = phase) => {}
    }
}

#[test]
fn a_period_that_is_not_positive_and_finite_is_an_error() {
    for value in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let mut sim = Periods { value, phase: 1.0 }.start(1).unwrap();
        let error = fails(&mut sim, "ring", "switch", 2.0);
        let ErrorKind::Period { part, value: found } = error.kind() else { panic!("{error}") };
        assert_eq!((*part, found.to_bits()), ("period", value.to_bits()));
        assert_eq!((sim.now(), sim.state().period), (1.0, 1.5));
    }
}

#[test]
fn a_phase_that_is_not_finite_is_an_error() {
    for phase in [f64::NAN, f64::INFINITY] {
        let error = Periods { value: 1.0, phase }.start(1).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Period { part: "phase", .. }), "{error}");
        assert_eq!(error.clock(), Some("ring"));
    }
}

/// One model for each place where an integer can overflow: `act` does it at t = 2, after a count.
macro_rules! overflows {
    ($($test:ident { $($item:tt)* } $what:literal: $left:literal $op:literal $right:literal in $ty:literal;)*) => { $(
        #[test]
        fn $test() {
            simulation! {
                model Overflowing {
                    state acts: u64 = 0;
                    clock count: every(0.75) => { acts += 1; }
                    $($item)*
                }
            }
            let mut sim = Overflowing::default().start(1).unwrap();
            sim.check_invariants(true);
            let first = sim.state().n;
            let error = fails(&mut sim, $what, "act", 2.0);
            assert_overflow(&error, $op, $left, $right, $ty);
            assert_eq!((sim.now(), sim.state().acts, sim.state().n), (1.5, 2, first));
        }
    )* };
}

overflows! {
    a_sum_does_not_wrap {
        state n: u8 = 250;
        clock act: at(2.0) => { acts += 1; n += 6; }
    } "act": "250" '+' "6" in "u8";

    a_difference_does_not_wrap {
        state n: u64 = 2;
        clock act: at(2.0) => { acts += 1; n -= 3; }
    } "act": "2" '-' "3" in "u64";

    a_product_does_not_wrap {
        state n: i32 = 1 << 30;
        clock act: at(2.0) => { acts += 1; n *= 2; }
    } "act": "1073741824" '*' "2" in "i32";

    a_signed_difference_does_not_wrap {
        state n: i8 = -100;
        clock act: at(2.0) => { acts += 1; n = n - 29; }
    } "act": "-100" '-' "29" in "i8";

    an_overflow_in_an_expression_is_found {
        state n: usize = 3;
        state m: usize = 4;
        clock act: at(2.0) => { acts += 1; n += (n - m) * 2; }
    } "act": "3" '-' "4" in "usize";

    an_overflow_of_a_local_is_found {
        state n: u16 = 65_000;
        clock act: at(2.0) => { let mut k = n; acts += 1; k += 536; n = k; }
    } "act": "65000" '+' "536" in "u16";

    an_overflow_in_a_branch_is_found {
        state n: u32 = 0;
        clock act: at(2.0) => { acts += 1; match n { 0 => { for _ in 0..3 { n -= 1; } } _ => n += 1 } }
    } "act": "0" '-' "1" in "u32";

    an_overflow_in_a_closure_is_found {
        state n: u8 = 5;
        clock act: at(2.0) => { acts += 1; n = (0..8_u8).map(|k| n - k).max().unwrap_or(0); }
    } "act": "5" '-' "6" in "u8";

    an_overflow_of_an_assignment_in_a_closure_is_found {
        state n: u8 = 250;
        clock act: at(2.0) => { acts += 1; (0..8).for_each(|_| n += 1); }
    } "act": "255" '+' "1" in "u8";

    an_overflow_in_a_rate_is_found {
        state n: u64 = 5;
        clock act: at(2.0) => { acts += 1; n = 11; }
        clock ring: rate((10 - n) as f64 * 1e-9) => {}
    } "ring": "10" '-' "11" in "u64";

    an_overflow_in_a_definition_is_found {
        param capacity: u64 = 10;
        state n: u64 = 5;
        let free = capacity - n;
        clock act: at(2.0) => { acts += 1; n = 11; }
        clock ring: rate(free as f64 * 1e-9) => {}
    } "ring": "10" '-' "11" in "u64";

    an_overflow_in_a_guard_is_found {
        state n: u8 = 5;
        clock act: at(2.0) => { acts += 1; n = 200; }
        clock ring if n + 60 > 250: after(1e9) => {}
    } "ring": "200" '+' "60" in "u8";

    an_overflow_in_a_time_is_found {
        state n: u32 = 5;
        clock act: at(2.0) => { acts += 1; n = 1 << 31; }
        clock ring: at((n * 1000) as f64) => {}
    } "ring": "2147483648" '*' "1000" in "u32";

    an_overflow_in_a_stop_is_found {
        state n: u8 = 5;
        clock act: at(2.0) => { acts += 1; n = 200; }
        stop full if n * 2 == 100;
    } "full": "200" '*' "2" in "u8";

    an_overflow_in_an_invariant_is_found {
        state n: u8 = 5;
        clock act: at(2.0) => { acts += 1; n = 200; }
        invariant small: n * 2 != 100;
    } "small": "200" '*' "2" in "u8";

    an_overflow_in_a_shared_action_is_found {
        state n: u8 = 250;
        action add(k: u8) { n += k; }
        clock act: at(2.0) => { acts += 1; add(3); add(3); }
    } "act": "253" '+' "3" in "u8";

    an_overflow_of_an_element_is_found {
        state n: [u8; 3] = [1, 0, 1];
        clock act: at(2.0) => { acts += 1; n[0] -= 1; n[1] -= 1; }
    } "act": "0" '-' "1" in "u8";

    an_overflow_of_a_field_is_found {
        state n: (u8, u16) = (1, 65_535);
        clock act: at(2.0) => { acts += 1; n.0 = 3; n.1 += 1; }
    } "act": "65535" '+' "1" in "u16";

    an_overflow_through_a_reference_is_found {
        state n: Option<u8> = Some(0);
        clock act: at(2.0) => { acts += 1; if let Some(k) = &mut n { *k -= 1; } }
    } "act": "0" '-' "1" in "u8";

    an_overflow_in_a_closure_is_found_although_the_action_returns_early {
        state n: u8 = 250;
        clock act: at(2.0) => { acts += 1; (0..8).for_each(|_| n += 1); if n > 3 { return; } n = 0; }
    } "act": "255" '+' "1" in "u8";

    an_overflow_in_a_closure_of_a_rate_is_found {
        state n: u64 = 5;
        clock act: at(2.0) => { acts += 1; n = 1; }
        clock ring: rate((0..4_u64).map(|k| n - k).sum::<u64>() as f64 * 1e-9) => {}
    } "ring": "1" '-' "2" in "u64";

    an_overflow_in_a_standard_macro_is_found {
        state n: u8 = 2;
        clock act: at(2.0) => { acts += 1; n = vec![n - 3][0]; }
    } "act": "2" '-' "3" in "u8";

    an_overflow_in_a_condition_is_found {
        state n: u8 = 2;
        clock act: at(2.0) => { acts += 1; if n > 1 && n - 3 > 0 { n = 0; } }
    } "act": "2" '-' "3" in "u8";

    an_overflow_in_an_argument_is_found {
        state n: u8 = 2;
        action set(k: u8) { n = k; }
        clock act: at(2.0) => { acts += 1; set(n * 200); }
    } "act": "2" '*' "200" in "u8";

    an_overflow_of_a_reaction_is_found {
        state n: u8 = 254;
        reaction act: -> 2 n @ after(2.0);
    } "act": "254" '+' "2" in "u8";

    an_overflow_of_a_tally_is_found {
        state n: u8 = 0;
        tally seen: u8 = 255;
        clock act: at(2.0) => { acts += 1; n += 1; seen += 1; }
    } "act": "255" '+' "1" in "u8";
}

simulation! {
    model OverflowAtStart {
        param small: u8;
        state n: u8 = small * 2;
        state m: u8 = 0;
        init { m = small + 100; }
        observe next: u8 = m + 50;
    }
}

#[test]
fn an_overflow_at_the_start_is_an_error_of_start() {
    let error = OverflowAtStart { small: 200 }.start(1).unwrap_err();
    assert_overflow(&error, '*', "200", "2", "u8");
    assert_eq!((error.clock(), error.event()), (Some("n"), None));
    let sim = OverflowAtStart { small: 127 }.start(1).unwrap();
    assert_eq!((sim.state().n, sim.state().m), (254, 227));
}

simulation! {
    model OverflowInInit {
        state n: u8 = 200;
        init { n += 100; }
    }
}

#[test]
fn an_overflow_in_init_is_an_error_of_start() {
    let error = OverflowInInit::default().start(1).unwrap_err();
    assert_overflow(&error, '+', "200", "100", "u8");
    assert_eq!((error.event(), error.time()), (None, 0.0));
}

#[test]
fn an_overflow_in_an_output_is_an_error_of_the_output_alone() {
    let mut sim = OverflowAtStart { small: 120 }.start(1).unwrap();
    let error = sim.observe().map(|observed| observed.next).unwrap_err();
    assert_overflow(&error, '+', "220", "50", "u8");
    assert_eq!(error.clock(), Some("next"));
    assert_eq!(sim.run_until(1.0).unwrap(), Outcome::Exhausted);
}

/// How often [`doubled`] was called.
static CALLS: AtomicU64 = AtomicU64::new(0);

fn doubled(k: u8) -> u8 {
    CALLS.fetch_add(1, Ordering::Relaxed);
    2 * k
}

simulation! {
    model Constants {
        param k: u8;
        state n: u64 = 0;
        let twice = doubled(k);
        let more = twice + 200;
        clock tick: every(1.0) => { n += more as u64; }
        clock drift: rate(twice as f64) => { n += 1; }
        observe offset = more as f64;
    }
}

#[test]
fn a_definition_by_params_alone_is_evaluated_once_at_the_start() {
    let mut sim = Constants { k: 3 }.start(1).unwrap();
    assert_eq!(CALLS.load(Ordering::Relaxed), 1);
    sim.run_until(100.0).unwrap();
    assert_eq!((sim.observe().unwrap().offset, CALLS.load(Ordering::Relaxed)), (206.0, 1));
    let error = Constants { k: 30 }.start(1).unwrap_err();
    assert_overflow(&error, '+', "60", "200", "u8");
    assert_eq!((error.event(), error.time()), (None, 0.0));
}

simulation! {
    model Unchecked {
        state x: f64 = 1.0;
        state w: Wrapping<u8> = Wrapping(250);
        state n: u8 = 250;
        clock act: every(1.0) => {
            x -= 10.0;
            w += Wrapping(10);
            n = n.wrapping_add(10);
        }
    }
}

#[test]
fn floats_and_what_wraps_on_purpose_are_left_alone() {
    let mut sim = Unchecked::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().x, sim.state().w, sim.state().n), (-19.0, Wrapping(14), 14));
}

simulation! {
    /// Fails at 3, when much has been written.
    model Torn {
        state copy: (u8, f64) = (1, 1.0);
        state text: String = String::from("a");
        state n: u8 = 0;
        tally seen: u64 = 0;
        clock act: every(1.0) => {
            copy.1 *= 2.0;
            seen += 1;
            text.push('b');
            n += 100;
        }
    }
}

#[test]
fn copies_are_put_back_after_an_error() {
    let mut sim = Torn::default().start(1).unwrap();
    let error = fails(&mut sim, "act", "act", 3.0);
    assert_overflow(&error, '+', "200", "100", "u8");
    assert_eq!((sim.state().copy, sim.state().n, sim.tallies().seen, sim.now()), ((1, 4.0), 200, 2, 2.0));
    // The mended simulation does what it failed to do.
    sim.update(|state| state.n = 0).unwrap();
    let fired = sim.step().unwrap().unwrap();
    assert_eq!((fired.time, sim.state().n, sim.state().copy.1), (3.0, 100, 8.0));
}

simulation! {
    #[rollback]
    model RolledBack {
        state copy: (u8, f64) = (1, 1.0);
        state text: String = String::from("a");
        state list: Vec<u64> = Vec::new();
        state n: u8 = 0;
        tally log: Vec<f64> = Vec::new();
        clock act: every(1.0) => {
            copy.1 *= 2.0;
            text.push('b');
            list.push(list.len() as u64);
            log.push(now);
            n += 100;
        }
        clock also if list.len() > 1: rate(1.0 - 2.0 * n as f64) => {}
    }
}

#[test]
fn rollback_puts_everything_back() {
    // After the second event the list is long enough for the rate, which is negative.
    let mut sim = RolledBack::default().start(1).unwrap();
    let error = fails(&mut sim, "also", "act", 2.0);
    assert!(matches!(error.kind(), ErrorKind::Rate { value: -399.0 }), "{error}");
    let state = sim.state();
    assert_eq!((state.copy.1, state.n, state.text.as_str(), &state.list[..]), (2.0, 100, "ab", &[0][..]));
    assert_eq!(sim.tallies().log, [1.0]);
}

simulation! {
    model Fallible {
        param mu: f64;
        state n: i64 = 0;
        state small: u8 = 0;
        clock act: every(1.0) => { n += 100; small = u8::try_from(n)?; }
        clock draw if n == 200: after(rng.sample(Exp::new(mu)?)) => {}
    }
}

#[test]
fn an_error_by_question_mark_in_an_action_is_carried() {
    let mut sim = Fallible { mu: 1.0 }.start(1).unwrap();
    let error = sim.run_until(2.0).and_then(|_| sim.run_until(100.0)).unwrap_err();
    assert_eq!((error.clock(), error.event(), error.time()), (Some("act"), Some("act"), 3.0));
    assert!(matches!(error.kind(), ErrorKind::User(_)), "{error}");
    assert!(error.source().unwrap().downcast_ref::<TryFromIntError>().is_some());
    assert_eq!((sim.state().n, sim.state().small), (200, 200));
}

#[test]
fn an_error_by_question_mark_in_a_timing_is_carried() {
    let mut sim = Fallible { mu: -1.0 }.start(1).unwrap();
    let error = fails(&mut sim, "draw", "act", 2.0);
    assert_eq!(error.source().unwrap().downcast_ref::<ExpError>(), Some(&ExpError::LambdaTooSmall));
    assert_eq!((sim.state().n, sim.state().small), (100, 100));
}

simulation! {
    model Kept {
        state n: u64 = 5;
        state other: u64 = 0;
        clock lose: every(1.0) => { n -= 1; }
        clock touch: every(0.25) => { other += 1; }
        invariant enough: n >= 3;
    }
}

#[test]
fn an_invariant_that_fails_is_an_error_that_names_the_event() {
    let mut sim = Kept::default().start(1).unwrap();
    sim.check_invariants(true);
    let error = sim.run_until(10.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Invariant { name: "enough" }), "{error}");
    assert_eq!((error.event(), error.time()), (Some("lose"), 3.0));
    assert!(error.to_string().contains("lose") && error.to_string().contains("enough"), "{error}");
    assert_eq!((sim.state().n, sim.now()), (3, 2.75));
}

#[test]
fn invariants_can_be_switched_off_and_are_on_in_debug_builds() {
    let mut sim = Kept::default().start(1).unwrap();
    assert_eq!(sim.run_until(3.0).is_err(), cfg!(debug_assertions));
    let mut sim = Kept::default().start(1).unwrap();
    sim.check_invariants(false);
    assert_eq!(sim.run_until(4.5).unwrap(), Outcome::Reached);
    assert_eq!(sim.state().n, 1);
}

#[test]
fn an_invariant_holds_after_update_too() {
    let mut sim = Kept::default().start(1).unwrap();
    sim.check_invariants(true);
    let error = sim.update(|state| state.n = 1).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Invariant { name: "enough" }), "{error}");
    assert_eq!((error.event(), sim.state().n), (None, 1));
    sim.update(|state| state.n = 10).unwrap();
    assert_eq!(sim.run_until(7.0).unwrap(), Outcome::Reached);
}

simulation! {
    model Ranged {
        param share: f64 = 0.5 in 0.0..=1.0;
        param open: f64 = 0.5 in 0.0..1.0;
        param rate_of: f64 = 1.0 in 0.0..;
        param servers: u32 = 1 in 1..=8;
        param shift: i64 = 0 in ..10;
        state n: u64 = 0;
        clock tick: rate(rate_of * share * open) => { n += servers as u64 + shift.unsigned_abs(); }
    }
}

#[test]
fn a_param_outside_its_range_or_nan_is_an_error_that_names_it() {
    let change = |name: &str, value: &str, change: fn(&mut Ranged)| {
        let mut model = Ranged::default();
        change(&mut model);
        let error = model.start(1).unwrap_err();
        let ErrorKind::Param { name: found, value: given, .. } = error.kind() else { panic!("{error}") };
        assert_eq!((*found, given.as_str()), (name, value));
        assert!(error.to_string().contains(name) && error.to_string().contains(value), "{error}");
        assert_eq!(error.event(), None);
    };
    change("share", "1.5", |m| m.share = 1.5);
    change("share", "NaN", |m| m.share = f64::NAN);
    change("share", "-0.1", |m| m.share = -0.1);
    change("open", "1.0", |m| m.open = 1.0);
    change("open", "NaN", |m| m.open = f64::NAN);
    change("rate_of", "NaN", |m| m.rate_of = f64::NAN);
    change("rate_of", "-1.0", |m| m.rate_of = -1.0);
    change("servers", "0", |m| m.servers = 0);
    change("servers", "9", |m| m.servers = 9);
    change("shift", "10", |m| m.shift = 10);
}

#[test]
fn a_param_at_the_end_of_its_range_is_fine() {
    let model = Ranged { share: 1.0, open: 0.0, rate_of: 0.0, servers: 8, shift: i64::MIN };
    assert!(model.start(1).is_ok());
}

simulation! {
    model Stopping {
        state n: u64 = 0;
        state other: u64 = 0;
        clock tick: every(1.0) => { n += 1; }
        clock tock: every(1.0) => { other += 1; }
        stop enough if n == 3;
        stop never_so if other > 1_000_000;
    }
}

#[test]
fn a_stop_ends_the_run_at_its_event() {
    let mut sim = Stopping::default().start(1).unwrap();
    assert_eq!(sim.run_until(2.5).unwrap(), Outcome::Reached);
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Stopped("enough"));
    assert_eq!((sim.now(), sim.state().n, sim.state().other), (3.0, 3, 2));
    // It stays so.
    assert_eq!(sim.run_until(20.0).unwrap(), Outcome::Stopped("enough"));
    assert_eq!((sim.step().unwrap(), sim.now(), sim.next_time()), (None, 3.0, f64::INFINITY));
    assert_eq!(sim.events().count(), 0);
    // Until the state is changed: then what was left of the instant goes on.
    sim.update(|state| state.n = 100).unwrap();
    assert_eq!(sim.run_until(3.0).unwrap(), Outcome::Reached);
    assert_eq!((sim.state().n, sim.state().other), (100, 3));
}

simulation! {
    model StoppedAtStart {
        state n: u64;
        init { n += 1; }
        clock tick: every(1.0) => { n += 1; }
        stop at_three if n == 3;
    }
}

#[test]
fn a_stop_that_holds_at_the_start_ends_the_run_there() {
    let mut sim = StoppedAtStart { n: 2 }.start(1).unwrap();
    assert_eq!((sim.step().unwrap(), sim.run_until(10.0).unwrap()), (None, Outcome::Stopped("at_three")));
    assert_eq!((sim.now(), sim.state().n), (0.0, 3));
    let mut sim = StoppedAtStart { n: 1 }.start(1).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Stopped("at_three"));
    assert_eq!(sim.now(), 1.0);
}

#[test]
fn a_stop_that_an_update_fulfils_ends_the_run_there() {
    let mut sim = Stopping::default().start(1).unwrap();
    sim.update(|state| state.n = 3).unwrap();
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Stopped("enough"));
    assert_eq!((sim.now(), sim.state().other), (0.0, 0));
}
