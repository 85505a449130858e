//! Blocks that once meant something else than what was written.

use std::cell::Cell;

use clockrace::simulation;

/// Expressions from outside, each of several tokens, in places where an operator binds tighter.
macro_rules! grouped {
    ($x:ident, $y:ident, $sum:expr, $product:expr, $whole:expr) => {
        simulation! {
            model Grouped {
                param whole: u64 = 12 / $whole;
                state $x: f64 = 4.0;
                state $y: f64 = 8.0;
                state halved: f64 = 0.0;
                state divided: f64 = 0.0;
                state negated: f64 = 0.0;
                state rest: u64 = 0;
                state in_a_macro: f64 = 0.0;
                state in_an_item: u64 = 0;
                state local: f64 = 0.0;
                let half = $sum / 2.0;
                clock act: at(1.0) => {
                    halved = $sum / 2.0;
                    divided = 24.0 / $product;
                    negated = -$sum;
                    rest = 12 % $whole;
                    in_a_macro = vec![$sum / 2.0][0];
                    const ITEM: u64 = 12 / $whole;
                    in_an_item = ITEM;
                    local = foreign_half!($sum / 2.0);
                }
                clock due: at($sum / 6.0) => {}
                observe half = half;
            }
        }
    };
}

macro_rules! foreign_half {
    ($($value:tt)*) => { $($value)* };
}

grouped!(x, y, x + y, x * 2.0, 2 + 1);

#[test]
fn an_expression_from_a_macro_stays_one_operand() {
    let mut sim = Grouped::default().start(1).unwrap();
    assert_eq!((sim.params().whole, sim.observe().unwrap().half, sim.next_time()), (4, 6.0, 1.0));
    sim.run_until(1.0).unwrap();
    let state = sim.state();
    assert_eq!((state.halved, state.divided, state.negated), (6.0, 3.0, -12.0));
    assert_eq!((state.rest, state.in_an_item), (0, 4));
    assert_eq!((state.in_a_macro, state.local), (6.0, 6.0));
    sim.run_until(2.0).unwrap();
}

simulation! {
    model BareLiterals {
        param fast: bool = true;
        state n: u64 = 0;
        state m: u8 = 0;
        let step = 1;
        let speed = if fast { 2 } else { 1 };
        clock tick: every(1.0) => { n += step; n += speed; }
        clock tock: every(1.0) => { m += step; m += speed; }
    }
}

#[test]
fn a_bare_integer_takes_its_type_from_each_use() {
    let mut sim = BareLiterals::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().n, sim.state().m), (6, 6));
}

simulation! {
    /// A script of times, some of them equal.
    model Script {
        param times: Vec<f64> = vec![0.5, 2.0, 2.0, 2.0, 9.0];
        state next: usize = 0;
        state played: Vec<f64> = Vec::new();
        clock play: at(times[next]) => { played.push(now); next += 1; }
    }
}

#[test]
fn equal_times_of_a_script_ring_one_after_the_other() {
    let mut sim = Script::default().start(1).unwrap();
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().played, [0.5, 2.0, 2.0, 2.0]);
}

thread_local! {
    static EVALUATED: Cell<u32> = const { Cell::new(0) };
}

fn counted(k: f64) -> f64 {
    EVALUATED.with(|count| count.set(count.get() + 1));
    k
}

simulation! {
    model Once {
        param k: f64 = 2.0;
        state n: u64 = 0;
        let untyped = counted(k) * 2.0;
        let typed: f64 = counted(k);
        clock tick: every(untyped / typed) => { n += untyped as u64; }
    }
}

#[test]
fn definitions_by_params_alone_are_evaluated_once() {
    let mut sim = Once::default().start(1).unwrap();
    sim.run_until(10.0).unwrap();
    assert_eq!((sim.state().n, EVALUATED.with(Cell::get)), (20, 2));
}
