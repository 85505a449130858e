//! Blocks that are fine and were once refused.

#![allow(clippy::neg_cmp_op_on_partial_ord, clippy::nonminimal_bool, reason = "written so on purpose")]

use std::collections::BTreeMap;

use clockrace::simulation;

const LIMIT: u64 = 3;

simulation! {
    model Patterns {
        state queue: Vec<u64> = Vec::new();
        state slot: Option<u64> = None;
        state n: u64 = 0;
        let head = if queue.is_empty() { None } else { slot };
        let over = n > LIMIT;
        clock variant: every(1.0) => { match head { None => n += 1, Some(k) => n += k } }
        clock constant: every(1.0) => { match n { LIMIT => n += 10, _ if over => {} _ => n += 1 } }
    }
}

#[test]
fn a_constant_in_a_pattern_hides_nothing() {
    let mut sim = Patterns::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().n, 13);
}

simulation! {
    model Asserts {
        state pairs: Vec<(u8, u64)> = vec![(1, 2)];
        state n: u64 = 0;
        clock act: at(1.0) => {
            assert!(pairs.iter().copied().collect::<BTreeMap<u8, u64>>().len() == 1);
            assert!(n == 0,);
            n += 1;
        }
    }
}

#[test]
fn an_assertion_keeps_its_commas() {
    let mut sim = Asserts::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().n, 1);
}

simulation! {
    model Captured {
        param r#in: u64 = 3;
        state r#type: u64 = 0;
        state text: String = String::new();
        clock act: at(1.0) => { text = format!("{type} {in:>2} {0}", r#type + 1); }
    }
}

#[test]
fn a_raw_identifier_is_captured_without_its_prefix() {
    let mut sim = Captured::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().text, "0  3 1");
}

struct Add(u64);

impl Add {
    fn to(&self, n: &mut u64) {
        *n += self.0;
    }
}

simulation! {
    model Leftmost {
        state n: u64 = 0;
        state a: u64 = 1;
        state b: u64 = 2;
        clock act: at(1.0) => {
            #[cfg(any())]
            "abc".chars().for_each(|_| n += 1);
            #[cfg(any())]
            [a, b] = [b, a];
            #[cfg(any())]
            [1, 2].iter().for_each(|k| n += k);
            #[cfg(any())]
            Add { 0: n }.to(&mut a);
            #[cfg(all())]
            [a, b] = [b, a];
            n += 1;
        }
    }
}

#[test]
fn a_statement_is_configured_whatever_it_begins_with() {
    Add(1).to(&mut 1);
    let mut sim = Leftmost::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().n, sim.state().a, sim.state().b), (1, 2, 1));
}

simulation! {
    model Branches {
        state n: u64 = 0;
        #[cfg(any())]
        clock off: at(1.0) => if n > 0 { n -= 1 } else { n += 1 };
        #[cfg(all())]
        clock on: at(1.0) => if n > 0 { n -= 1 } else { n += 5 };
    }
}

#[test]
fn a_configured_clock_acts_by_an_expression_with_braces() {
    let mut sim = Branches::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().n, 5);
}

macro_rules! operand {
    ($x:ident, $sum:expr, $truth:expr) => {
        simulation! {
            model Operand {
                state $x: f64 = 4.0;
                state cast: u64 = 0;
                state root: f64 = 0.0;
                state truth: bool = true;
                clock act: at(1.0) => {
                    cast = $sum as u64;
                    root = $sum.sqrt();
                    truth = !$truth;
                }
            }
        }
    };
}

operand!(x, x + 5.0, x > 3.0);

#[test]
fn an_expression_from_a_macro_stays_one_operand() {
    let mut sim = Operand::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().cast, sim.state().root, sim.state().truth), (9, 3.0, false));
}

macro_rules! numbers {
    ($n:ident, $rate:expr, $delay:literal) => {
        simulation! {
            model Numbers {
                state $n: u64 = 0;
                clock by_rate: rate($rate) => { $n += 0; }
                clock by_delay: after($delay), priority = $delay => { $n += 1; }
                reaction by_constant: $n -> 2 $n @ $rate;
            }
        }
    };
}

numbers!(x, 0, 3);

#[test]
fn a_whole_number_from_a_macro_is_a_time() {
    let mut sim = Numbers::default().start(1).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().x, 1);
}

simulation! {
    model Text {
        state text: String = String::from("a");
        state other: String = String::from("b");
        clock act: at(1.0) => {
            text += &other;
            text = text.clone() + &other;
            let mut local = String::new();
            local += &text;
            other = local;
        }
    }
}

#[test]
fn a_string_is_added_to_a_string() {
    let mut sim = Text::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().text.as_str(), sim.state().other.as_str()), ("abb", "abb"));
}

simulation! {
    model Chained {
        state n: u64 = 0;
        let step = 3;
        let twice = step * 2;
        let large = 5_000_000_000;
        clock tick: every(1.0) => { n += twice; }
        stop over if n > large;
    }
}

#[test]
fn a_definition_of_bare_integers_uses_another() {
    let mut sim = Chained::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().n, 12);
}

simulation! {
    model Borrowing {
        param label: String = String::from("abc");
        param weights: Vec<f64> = vec![1.0, 2.0];
        state n: usize = 0;
        state sum: f64 = 0.0;
        let head = &weights[..1];
        let text = label.as_str();
        let written: &str = label.as_str();
        clock act: at(1.0) => { n += head.len() + text.len() + written.len(); sum += head[0]; }
    }
}

#[test]
fn a_definition_borrows_from_params() {
    let mut sim = Borrowing::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().n, sim.state().sum), (7, 1.0));
}

/// Neither `Clone` nor `Debug`.
#[derive(PartialEq)]
struct Table(u64);

simulation! {
    #[derive(PartialEq)]
    model Tabled {
        param k: u64 = 2;
        state n: u64 = 0;
        let table: Table = Table(k);
        clock tick: every(1.0) => { n += table.0; }
    }
}

#[test]
fn a_definition_need_not_be_cloned() {
    let mut sim = Tabled::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().n, 4);
}

macro_rules! run {
    ($($code:tt)*) => { $($code)* };
}

simulation! {
    model Foreign {
        state n: u64 = 0;
        action add(k: u64) { n += k; }
        clock labelled: at(1.0) => { run! { 'n: loop { n += 1; if n > 2 { break 'n; } } } }
        clock called: at(2.0) => { run! { add(2); add(n); } }
    }
}

#[test]
fn a_foreign_macro_may_hold_labels_and_calls_of_actions() {
    let mut sim = Foreign::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().n, 10);
}

simulation! {
    model Moved {
        state n: u64 = 2;
        state list: Vec<u64> = vec![1, 2];
        clock act: at(1.0) => {
            let add = move |x: u64| x + n + list.len() as u64;
            n = add(3);
            let mut draw = move || rng.random::<f64>() < 2.0;
            if draw() {
                list.push(n);
            }
        }
    }
}

#[test]
fn a_closure_that_moves_reads_what_is_written_later() {
    let mut sim = Moved::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().n, sim.state().list.as_slice()), (7, &[1, 2, 7][..]));
}

mod blanket {
    #![allow(dead_code)]

    /// Methods for everything, under names like those that generated code uses on values of the model's types.
    pub(super) trait Ext {
        fn cr_add(&self) -> u8 {
            1
        }
        fn cr_add_assign(&self) {}
        fn cr_save(&self) {}
        fn choose(&self) {}
        fn at_least(&self) {}
    }
    impl<T: ?Sized> Ext for T {}
}

mod extended {
    #[allow(unused_imports)]
    use super::blanket::*;

    clockrace::simulation! {
        pub(super) model Extended {
            param k: f64 = 2.0;
            param list: Vec<u64> = vec![2];
            state n: u64 = 0;
            state m: u64 = 8;
            let length = list.len();
            clock add: every(1.0) => { n += 1; n = n + length as u64; (0..2).for_each(|_| n += 1); }
            clock race: rate(k * 0.0) => { n += 1; }
            clock resumed: after(1.0, resume) => {}
            clock redrawn if n > 2: after(0.5, redraw) => {}
            clock at_two: at(2.0) => { m += 1; }
            reaction pair: 2 n -> m @ 0.0;
            reaction one: m -> @ after(10.0);
            stop full if n > 7;
        }
    }
}

#[test]
fn methods_for_everything_do_not_disturb_the_engine() {
    let mut sim = extended::Extended::default().start(1).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!((sim.state().n, sim.state().m), (8, 8));
}

mod linted {
    #![deny(warnings)]

    clockrace::simulation! {
        pub(super) model Linted {
            #[deprecated]
            param old: f64 = 1.0;
            #[deprecated]
            state n: u64 = 0;
            #[expect(unused_variables, reason = "shows that a lint level reaches the body")]
            clock unused if n < 5: every(old) => { let k = 3; n += 1; }
            #[deprecated]
            clock dated: every(2.0) => act();
            #[deprecated]
            action act() { n += 10; }
            #[deprecated]
            observe level = n;
        }
    }
}

#[test]
fn lint_levels_and_deprecation_are_the_users() {
    let mut sim = linted::Linted::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.next_time(), 4.0);
}
