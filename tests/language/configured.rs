//! `cfg` on items and inside bodies.

use clockrace::simulation;

use crate::trace;

simulation! {
    model Off {
        #[cfg(any())]
        param k: f64;
        #[cfg(not(any()))]
        param k: f64 = 1.0;
        #[cfg(any())]
        state n: u64;
        #[cfg(all())]
        state n: u64 = 0;
        #[cfg(any())]
        state missing: NoSuchType = no_such_function();
        #[cfg(any())]
        let step = 100;
        #[cfg(not(any()))]
        let step: u64 = 1;
        #[cfg(any())]
        tally seen: String = String::new();
        #[cfg(not(any()))]
        tally seen: u64 = 0;
        #[cfg(any())]
        init { n += 50; }
        #[cfg(all())]
        init { n += 5; }
        #[cfg(any())]
        action add(l: u64) { n -= l; }
        #[cfg(all())]
        action add(l: u64) { n += l; }
        #[cfg(any())]
        clock tick: every(0.1) => { missing.call(); }
        #[cfg(all(all(), not(any())))]
        clock tick: every(k) => add(step);
        #[cfg(any(any(), any()))]
        clock never_there: every(0.25) => { n = 0; };
        #[cfg(all())]
        clock also: at(1.5) => { seen += 1; };
        #[cfg(any())]
        reaction fall: n -> @ 1e9;
        #[cfg(all())]
        reaction rise: -> n @ after(10.0);
        #[cfg(any())]
        observe level: String = missing;
        #[cfg(all())]
        observe level = n;
        #[cfg(any())]
        stop early if n > 6;
        #[cfg(all())]
        stop late if n > 8;
        #[cfg(any())]
        invariant wrong: n < 6;
        #[cfg(all())]
        invariant right: n < 60;
        // Several: all of them must hold.
        #[cfg(all())]
        #[cfg(any())]
        clock both: every(0.1) => { n += 100; }
        #[cfg(all())]
        /// A doc comment in between.
        #[allow(unused)]
        #[cfg(not(any()))]
        clock both_on: at(1.75) => {}
        #[cfg_attr(any(), no_such_attribute)]
        #[cfg_attr(all(), allow(dead_code))]
        state quiet: u64 = 0;
    }
}

#[test]
fn items_are_there_if_their_configuration_holds() {
    let mut sim = Off::default().start(1).unwrap();
    sim.check_invariants(true);
    assert_eq!(sim.state().n, 5);
    let expected = [(1.0, "tick"), (1.5, "also"), (1.75, "both_on"), (2.0, "tick"), (3.0, "tick"), (4.0, "tick")];
    assert_eq!(trace(&mut sim, 20.0), expected);
    assert_eq!((sim.state().n, sim.tallies().seen, sim.observe().unwrap().level), (9, 1, 9.0));
    let names: Vec<&str> = Off::graph().clocks.iter().map(|clock| clock.name).collect();
    assert_eq!(names, ["tick", "also", "rise", "both_on"]);
}

simulation! {
    model Statements {
        state n: u64 = 100;
        state m: u64 = 0;
        clock first: at(1.0) => {
            #[cfg(any())]
            n -= 5;
            #[cfg(all())]
            n -= 1;
            #[cfg(any())]
            let k = no_such_function();
            #[cfg(not(any()))]
            let k = 10;
            #[cfg(any())]
            no_such_function(&mut n);
            #[cfg(any())]
            (n, m) = (m, n);
            #[cfg(any())]
            for _ in 0..3 { n -= 1; }
            #[cfg(any())]
            { n = 0; m = 0; }
            #[cfg(any())]
            println!("{n} {no_such_variable}");
            #[cfg(any())]
            return;
            #[cfg(any())]
            if n > 0 { return; }
            n -= k;
        }
        clock second: at(2.0) => {
            m = match n {
                #[cfg(any())]
                89 => 1,
                #[cfg(all())]
                89 => 2,
                #[cfg(any())]
                Missing => 3,
                _ => 4,
            };
            #[cfg(all())]
            { m += 10 }
        }
        clock third: at(3.0) => {
            #[cfg(any())]
            n.no_such_method();
            #[allow(unused_parens)]
            let pair = (Pair { #[cfg(all())] left: m, #[cfg(any())] middle: 3, right: (n) });
            #[cfg(all())]
            fn add(pair: Pair) -> u64 { pair.left + pair.right }
            #[cfg(any())]
            fn add(_: Pair) -> u64 { 0 }
            m = add(pair);
            #[cfg(all())]
            m += 1;
        }
    }
}

struct Pair {
    left: u64,
    right: u64,
}

#[test]
fn statements_arms_and_fields_are_there_if_their_configuration_holds() {
    let mut sim = Statements::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().n, sim.state().m), (89, 0));
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().n, sim.state().m), (89, 12));
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().m, 102);
}

/// Two blocks with the same predicates in one function, whose answers must not mix.
#[test]
fn configured_blocks_in_one_function_do_not_meet() {
    simulation! {
        model First {
            state n: u64 = 0;
            #[cfg(all())]
            clock up: every(1.0) => { n += 1; }
            #[cfg(any())]
            clock down: every(1.0) => { n -= 1; }
        }
    }
    simulation! {
        model Second {
            state n: u64 = 10;
            #[cfg(any())]
            clock up: every(1.0) => { n += 1; }
            #[cfg(all())]
            clock down: every(1.0) => { n -= 1; }
        }
    }
    let (mut first, mut second) = (First::default().start(1).unwrap(), Second::default().start(1).unwrap());
    assert_eq!(trace(&mut first, 1.0), [(1.0, "up")]);
    assert_eq!(trace(&mut second, 1.0), [(1.0, "down")]);
}

macro_rules! configured_by {
    ($($model:ident $predicate:meta)*) => { $(
        simulation! {
            model $model {
                state n: u64 = 0;
                #[cfg($predicate)]
                clock tens: every(1.0) => { n += 10; }
                #[cfg(not($predicate))]
                clock ones: every(1.0) => { n += 1; }
            }
        }
    )* };
}

configured_by! {
    Tens all()
    Ones any()
    WithTests test
}

#[test]
fn a_predicate_may_come_from_a_macro() {
    let tens = Tens::default().start(1).and_then(|mut sim| sim.run_until(1.0).map(|_| sim.state().n));
    let ones = Ones::default().start(1).and_then(|mut sim| sim.run_until(1.0).map(|_| sim.state().n));
    let tests = WithTests::default().start(1).and_then(|mut sim| sim.run_until(1.0).map(|_| sim.state().n));
    assert_eq!((tens.unwrap(), ones.unwrap(), tests.unwrap()), (10, 1, 10));
}
