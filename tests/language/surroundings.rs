//! Where a block stands: in functions, in macros, among names that could be mistaken for others.

mod clashes {
    #![allow(dead_code, non_snake_case, non_camel_case_types)]

    use std::fmt;

    pub(super) type Result<T> = std::result::Result<T, fmt::Error>;
    pub(super) struct Vec;
    pub(super) struct Box;
    pub(super) enum Option {
        Some,
        None,
    }
    pub(super) fn Some(k: u64) -> u64 {
        k + 1
    }
    pub(super) fn Ok(k: u64) -> u64 {
        k + 2
    }
    pub(super) struct Err;
    #[derive(std::clone::Clone, std::fmt::Debug)]
    pub(super) struct String(pub(super) u64);
    pub(super) trait Clone {}
    pub(super) trait Copy {}
    pub(super) trait Debug {}
    pub(super) trait Default {}
    pub(super) trait Iterator {}
    pub(super) trait Into {}
    // Like the engine's.
    pub(super) struct Simulation;
    pub(super) struct Model;
    pub(super) struct SimError;
    pub(super) struct Rng;
    pub(super) struct Read;
    pub(super) struct Moment;
    pub(super) struct Fault;
    pub(super) struct Checked;
    pub(super) struct Operands;
    #[derive(std::clone::Clone, std::fmt::Debug)]
    pub(super) struct Flag(pub(super) u64);
    #[derive(std::clone::Clone, std::fmt::Debug)]
    pub(super) struct Count(pub(super) u64);
    pub(super) struct Number(pub(super) u64);
    pub(super) struct State;
    pub(super) struct Event;
    pub(super) fn operands() {}
    pub(super) fn keep() {}
    pub(super) type f64 = u8;
    pub(super) type u64 = std::primitive::u64;
    pub(super) type bool = u16;
    pub(super) type usize = i8;

    /// With methods like those of the arithmetic and of reactions, for everything.
    pub(super) trait Ext {
        fn add(&self) {}
        fn sub(&self) {}
        fn mul(&self) {}
        fn add_assign(&self) {}
        fn sum(&self) {}
        fn difference(&self) {}
        fn product(&self) {}
        fn choose(&self) {}
        fn at_least(&self) {}
        fn number(&self) {}
        fn to_owned(&self) {}
        fn clone(&self) {}
        fn fmt(&self) {}
    }
    impl<T: ?Sized> Ext for T {}
}

mod shadowed {
    use super::clashes::*;

    #[allow(unused_macros)]
    macro_rules! println {
        ($n:expr) => {
            2 + $n - 1
        };
    }
    #[allow(unused_macros)]
    macro_rules! vec {
        ($($n:expr),*) => { [$($n),*] };
    }
    macro_rules! assert_eq {
        ($left:expr, $right:expr) => {
            if $left != $right {
                core::panic!("not equal")
            }
        };
    }
    macro_rules! panic {
        () => {
            3
        };
    }
    macro_rules! option_env {
        () => {
            4
        };
    }

    clockrace::simulation! {
        pub(super) model Shadowed {
            param k: u64 = 2;
            param range: u64 = 2 in 1..5;
            state n: u64 = 1;
            state text: String = String(3);
            state flag: Flag = Flag(0);
            state count: Count = Count(0);
            state listed: u64 = 0;
            let number = Number(n);
            let doubled = k * 2;
            clock act: every(1.0) => {
                n = n + Some(k) * Ok(n) - 1;
                text.0 += n;
                flag = Flag(number.0);
                count.0 += doubled;
                (0..2).for_each(|_| listed += 1);
                listed += vec![k, n][0];
                assert_eq!(listed, 4);
                n = println!(n);
            }
            clock idle: rate(0.0) => { n += 1; }
            clock wait: after(100.0, resume) => {}
            reaction pair: 2 n -> listed @ 0.0;
            observe level = n;
            observe typed: u64 = n;
            invariant fine: n < 1000;
            stop full if n > 500;
        }
    }

    pub(super) fn own_macros() -> f64 {
        panic!() + option_env!()
    }
}

#[test]
fn names_like_those_of_the_prelude_and_the_engine_are_the_users() {
    let mut sim = shadowed::Shadowed { k: 2, range: 3 }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    let state = sim.state();
    // 1 + (2 + 1) · (1 + 2) − 1, and one more at the end.
    assert_eq!((state.n, state.text.0, state.flag.0, state.count.0, state.listed), (10, 12, 9, 4, 4));
    assert_eq!(sim.observe().unwrap().level, 10.0);
    assert!(shadowed::Shadowed { k: 2, range: 9 }.start(1).is_err());
    assert_eq!(shadowed::own_macros(), 7);
}

mod prelude {
    #![allow(non_upper_case_globals)]
    pub(super) const n: u64 = 1000;
    pub(super) const step: u64 = 2000;
    pub(super) const up: u64 = 3000;
    pub(super) fn twice(k: u64) -> u64 {
        2 * k
    }
}

mod globbed {
    use super::prelude::*;

    clockrace::simulation! {
        pub(super) model Globbed {
            param step: u64 = 1;
            state n: u64 = twice(3);
            // What is no item of the model, or written as a path, is the module's.
            clock up: every(1.0) => { n += step; }
            clock far: at(1.5) => { n += super::prelude::n + self::step + up; }
            observe n = n;
        }
    }
}

#[test]
fn a_glob_import_disturbs_nothing() {
    let mut sim = globbed::Globbed::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().n, 7);
    sim.run_until(1.5).unwrap();
    assert_eq!(sim.state().n, 6007);
}

#[test]
fn a_block_in_a_function_sees_the_functions_items() {
    const START: u64 = 4;
    #[derive(Clone, Debug, PartialEq)]
    enum Light {
        Red,
        Green,
    }
    use Light::{Green, Red};
    impl Light {
        fn flipped(&self) -> Self {
            if *self == Red { Green } else { Red }
        }
    }
    clockrace::simulation! {
        model Crossing {
            state light: Light = Red;
            state greens: u64 = START;
            clock flip: every(1.0) => {
                light = light.flipped();
                if light == Green {
                    greens += 1;
                }
            }
            stop done if light == Green && greens >= START + 2;
        }
    }
    let mut sim = Crossing::default().start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!((sim.now(), sim.state().greens), (3.0, 6));
    assert_eq!(sim.state().light, Green);
}

/// A block whose names come from outside, `own` and `twice` from the macro, and locals from both.
macro_rules! from_a_macro {
    ($model:ident, $n:ident: $ty:ty = $initial:expr, $clock:ident every $period:literal => $body:block, $add:expr) => {
        clockrace::simulation! {
            /// By a macro.
            model $model {
                param period: f64 = $period;
                state $n: $ty = $initial;
                state own: $ty = 1;
                let twice = 2 * $n;
                clock $clock: every(period) => $body
                clock add: at(1.5) => {
                    let tmp = 100;
                    let sum = $add + tmp;
                    $n += sum + own;
                }
                clock double: at(2.5) => {
                    $n = twice;
                    own += [$n].len() as $ty;
                }
                observe $n: $ty = $n;
                stop large if $n > 1000;
            }
        }
    };
}

fn tmp() -> u32 {
    7
}

from_a_macro!(ByMacro, total: u32 = 1 + 2, tick every 1.0 => { let tmp = 10; total += tmp; }, tmp());

#[test]
fn a_macro_writes_a_block_with_names_of_its_callers_and_of_its_own() {
    let mut sim = ByMacro::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().total, 13);
    // `tmp()` is the function, although the macro has a local of that name.
    sim.run_until(1.5).unwrap();
    assert_eq!(sim.state().total, 13 + 107 + 1);
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.observe().unwrap().total, 131);
    sim.run_until(2.5).unwrap();
    assert_eq!((sim.state().total, sim.state().own), (262, 2));
    assert_eq!(ByMacro::graph().clock("tick").unwrap().timing, "every");
}

#[test]
fn a_macro_writes_two_blocks_into_one_function() {
    from_a_macro!(A, a: u64 = 1, up every 0.5 => { a += 1; }, 0);
    from_a_macro!(B, b: i16 = 0, down every 0.5 => { b -= 1; }, 0);
    let (mut a, mut b) = (A::default().start(1).unwrap(), B::default().start(1).unwrap());
    a.run_until(1.0).unwrap();
    b.run_until(1.0).unwrap();
    assert_eq!((a.state().a, b.state().b), (3, -2));
}

/// Items, names and numbers in repetitions.
macro_rules! chain {
    ($model:ident: $($from:ident -> $to:ident in $delay:literal),* ; $last:ident) => {
        clockrace::simulation! {
            model $model {
                $( state $from: u64 = 0; )*
                state $last: u64 = 0;
                init { first_of!($($from),*) += 2; }
                $( reaction $from: $from -> $to @ after($delay); )*
                observe all = 0 $(+ $from)* + $last;
                stop arrived if $last == 2;
            }
        }
    };
}

macro_rules! first_of {
    ($first:expr $(, $rest:expr)*) => {
        $first
    };
}

chain!(Chain: a -> b in 1.0, b -> c in 0.25, c -> d in 2.0; d);

#[test]
fn a_macro_repeats_items() {
    let mut sim = Chain::default().start(1).unwrap();
    let arrived: Vec<(f64, &str)> = crate::trace(&mut sim, 100.0);
    // Two of `a`: at 1 and 2. `c` holds the first from 1.25 on.
    let expected = [(1.0, "a"), (1.25, "b"), (2.0, "a"), (2.25, "b"), (3.25, "c"), (5.25, "c")];
    assert_eq!(arrived, expected);
    assert_eq!(sim.observe().unwrap().all, 2.0);
}
