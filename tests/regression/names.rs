//! Names of the surrounding module do not disturb a model, nor does where it stands.

use clockrace::Outcome;

mod names {
    #![allow(non_upper_case_globals, dead_code, non_camel_case_types)]

    // Like items of the model, of every kind.
    pub(crate) const s: u64 = 77;
    pub(crate) static i: &str = "no number";
    pub(crate) struct r;
    pub(crate) const fn gamma() {}
    pub(crate) const infection: u8 = 0;
    pub(crate) const infected: u8 = 0;
    pub(crate) const extinct: u8 = 0;
    // Like what a block provides.
    pub(crate) const now: f64 = -1.0;
    pub(crate) const rng: u8 = 0;
    // Like what generated code would plausibly call its own.
    pub(crate) const e: u8 = 0;
    pub(crate) const x: u8 = 0;
    pub(crate) const engine: u8 = 0;
    pub(crate) const model: u8 = 0;
    pub(crate) const state: u8 = 0;
    pub(crate) const clocks: u8 = 0;
    pub(crate) const time: u8 = 0;
    pub(crate) const low: u8 = 0;
    pub(crate) const next: u8 = 0;
    pub(crate) const slot: u8 = 0;
    pub(crate) const event: u8 = 0;
    pub(crate) const before: u8 = 0;
    pub(crate) const rate: u8 = 0;
    pub(crate) const total: u8 = 0;
    pub(crate) const value: u8 = 0;
    pub(crate) const seed: u8 = 0;
    pub(crate) const stream: u8 = 0;
    pub(crate) const start: u8 = 0;
    pub(crate) const into: u8 = 0;
    pub(crate) const fault: u8 = 0;
    pub(crate) const error: u8 = 0;
    // Like the prelude and the crates that generated code needs.
    pub(crate) enum Result {}
    pub(crate) enum Option {}
    pub(crate) struct Some;
    pub(crate) struct None;
    pub(crate) struct Ok;
    pub(crate) struct Err;
    pub(crate) mod clockrace {}
    pub(crate) mod core {}
    pub(crate) mod std {}

    ::clockrace::simulation! {
        pub(crate) model Named {
            param gamma: f64 = 1.0;
            state s: u64 = 3;
            state i: u64 = 1;
            state r: u64 = 0;
            clock infection: rate((s * i) as f64) => { s -= 1; i += 1; }
            clock recovery: rate(gamma * i as f64) => { i -= 1; r += 1; }
            reaction import: r -> i @ 0.5;
            state pulse: f64 = 0.0;
            clock pulsate: after(rng.random::<f64>()) => { pulse = now; }
            observe infected = i;
            stop extinct if i == 0;
        }
    }
}

#[test]
fn a_constant_named_like_a_species_does_not_disturb_the_model() {
    let mut sim = names::Named::default().start(20).unwrap();
    assert_eq!((sim.state().s, sim.state().i, sim.state().r), (3, 1, 0));
    assert_eq!(sim.run_until(1e6).unwrap(), Outcome::Stopped("extinct"));
    assert_eq!((sim.state().s + sim.state().r, sim.observe().unwrap().infected), (4, 0.0));
    assert!(sim.state().pulse <= sim.now());
}

#[test]
fn a_model_stands_in_a_function_with_names_of_its_own() {
    #![allow(non_upper_case_globals)]
    const n: u8 = 3;
    fn twice(k: u8) -> u8 {
        2 * k
    }
    type Count = u32;
    clockrace::simulation! {
        model Local {
            state count: Count = 0;
            clock tick: every(1.0) => { count += twice(n) as Count; }
        }
    }
    let mut sim = Local::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().count, 12);
}

#[test]
fn two_models_of_one_module_do_not_collide() {
    clockrace::simulation! {
        model First {
            state n: u64 = 1;
            clock tick: every(1.0) => { n += 1; }
            observe number = n;
        }
    }
    clockrace::simulation! {
        model Second {
            state n: u64 = 2;
            clock tick: every(1.0) => { n *= 2; }
            observe number = n;
        }
    }
    let (mut first, mut second) = (First::default().start(1).unwrap(), Second::default().start(1).unwrap());
    first.run_until(3.0).unwrap();
    second.run_until(3.0).unwrap();
    assert_eq!((first.state().n, second.state().n), (4, 16));
}

clockrace::simulation! {
    /// Names that begin like the functions which a family and a flow need more of than a single clock and variable do.
    model Beginnings {
        index k_of_three = 0..3;
        state x[k in k_of_three]: f64 = k as f64;
        state all_x: f64 = 1.0;
        state n: u64 = 0;
        flow x[k in k_of_three] = x[k] + dt;
        flow all_x = all_x - dt;
        clock tick[k in k_of_three]: crosses(x[k] - 3.0, up) => { x[k] = 0.0; n += 1; }
        clock at_tick: crosses(all_x, down) => { all_x = 5.0; x.iter_mut().for_each(|one| *one = 0.0); }
    }
}

#[test]
fn names_that_begin_like_parts_of_generated_functions_do_not_meet() {
    let mut sim = Beginnings {}.start(0).unwrap();
    sim.run_until(3.5).unwrap();
    // At 1, where the last of them has just reached 3, all begin again.
    assert_eq!((sim.state().n, sim.state().x, sim.state().all_x), (1, [2.5; 3], 2.5));
}
