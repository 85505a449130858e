//! Generics, derives, attributes and visibility.

use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Mul};

use clockrace::{Ensemble, Model, simulation};

trait Target {
    type Scalar: Copy + Add<Output = Self::Scalar> + Mul<Output = Self::Scalar> + AddAssign;
    const NAME: &'static str;
    fn gradient(x: f64) -> f64;
    fn unit() -> Self::Scalar;
}

#[derive(Clone, Debug)]
struct Parabola;

impl Target for Parabola {
    type Scalar = f32;
    const NAME: &'static str = "parabola";
    fn gradient(x: f64) -> f64 {
        x
    }
    fn unit() -> f32 {
        1.5
    }
}

/// A target that is neither `Clone` nor `Debug`.
struct Steep;

impl Target for Steep {
    type Scalar = i16;
    const NAME: &'static str = "steep";
    fn gradient(x: f64) -> f64 {
        -2.0 * x
    }
    fn unit() -> i16 {
        3
    }
}

simulation! {
    model Descent<T: Target, const D: usize = 2>
    where
        T::Scalar: std::fmt::Debug,
    {
        param target: PhantomData<T> = PhantomData;
        param step: f64 = 0.5;
        state x: [f64; D] = [1.0; D];
        state sum: T::Scalar = T::unit();
        state name: &'static str = "";
        let slope = T::gradient(x[D - 1]);
        clock descend: every(1.0) => {
            for v in &mut x {
                *v -= step * T::gradient(*v);
            }
            name = T::NAME;
        }
        clock add: every(2.0) => {
            sum += T::unit() * sum;
            sum = sum + sum;
        }
        observe slope = slope;
        observe dimensions = D;
    }
}

#[test]
fn a_model_is_generic_over_a_trait_and_a_number() {
    let mut sim = Descent::<Parabola, 3>::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().x, sim.state().sum, sim.state().name), ([0.25; 3], 7.5, "parabola"));
    let outputs = sim.observe().unwrap();
    assert_eq!((outputs.slope, outputs.dimensions), (0.25, 3.0));

    let model: Descent<Steep> = Descent { target: PhantomData, step: 1.0 };
    let mut sim = model.start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().x, sim.state().sum, sim.state().name), ([9.0; 2], 24, "steep"));
}

simulation! {
    model Replay<'a, T: 'a + Copy> {
        param script: &'a [(f64, T)];
        param first: &'a str = "first";
        state next: usize = 0;
        state seen: Vec<T> = Vec::with_capacity(script.len());
        state word: &'a str = first;
        let due = script.get(next).map_or(never, |entry| entry.0);
        clock replay: at(due) => {
            seen.push(script[next].1);
            next += 1;
            word = &first[..1];
        }
    }
}

#[test]
fn a_model_borrows_its_params() {
    let script = vec![(0.5, 'a'), (2.0, 'b'), (2.5, 'c'), (9.0, 'd')];
    let word = String::from("word");
    let mut sim = Replay { script: &script, first: &word }.start(1).unwrap();
    assert_eq!(sim.state().word, "word");
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().seen, ['a', 'b', 'c']);
    assert_eq!((sim.state().word, sim.next_time()), ("w", 9.0));
}

/// Can be compared, and nothing else.
#[derive(PartialEq)]
struct Token(u8);

simulation! {
    #[derive(PartialEq)]
    model Unique {
        param token: Token;
        state held: Option<Token> = None;
        state spare: Option<Token> = Some(Token(7));
        clock swap: every(1.0) => { std::mem::swap(&mut held, &mut spare); }
        observe ours = held.as_ref() == Some(&token);
    }
}

#[test]
fn own_derives_replace_clone_and_debug() {
    assert!(Unique { token: Token(7) } != Unique { token: Token(8) });
    let mut sim = Unique { token: Token(7) }.start(1).unwrap();
    assert!(*sim.state() == UniqueState { held: None, spare: Some(Token(7)) });
    sim.run_until(1.0).unwrap();
    assert!(*sim.state() == UniqueState { held: Some(Token(7)), spare: None });
    assert!(sim.observe().unwrap() == UniqueObserved { ours: 1.0 });
    sim.run_until(2.0).unwrap();
    assert!(sim.state().held.is_none());
}

simulation! {
    #[derive(Default, Debug)]
    #[derive(Clone, PartialEq)]
    model Plain {
        param k: f64 = 2.0;
        state n: u64;
        clock tick: every(k) => { n += 1; }
    }
}

#[test]
fn a_derived_default_is_the_users() {
    assert_eq!(Plain::default(), Plain { k: 0.0, n: 0 });
    assert!(Plain::default().start(1).is_err());
    assert_eq!(PlainState::default(), PlainState { n: 0 });
}

simulation! {
    model Defaults {
        param base: u64 = 3;
        param squared: u64 = base * base;
        param names: Vec<&'static str> = vec!["a"; base as usize];
        state n: u64 = squared + base;
        clock tick: every(1.0) => { n += names.len() as u64; }
    }
}

#[test]
fn the_default_model_has_the_default_params_which_may_use_earlier_ones() {
    let model = Defaults::default();
    assert_eq!((model.base, model.squared, model.names.len()), (3, 9, 3));
    let mut sim = Defaults { base: 1, ..model }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().n, 13);
}

mod inner {
    clockrace::simulation! {
        pub(crate) model Shown {
            /// How often.
            param period: f64 = 1.0;
            state start: u64;
            #[allow(clippy::vec_box)]
            state boxes: Vec<Box<u64>> = vec![Box::new(start)];
            tally ticks: u64 = 0;
            clock tick: every(period) => { ticks += 1; }
            observe boxes: usize = boxes.len();
        }
    }
    clockrace::simulation! {
        model Hidden {
            state n: u64 = 1;
            clock tick: every(1.0) => { n *= 2; }
        }
    }
    pub(crate) fn hidden() -> u64 {
        let mut sim = Hidden::default().start(1).unwrap();
        sim.run_until(4.0).unwrap();
        let HiddenState { n } = *sim.state();
        n
    }
}

#[test]
fn what_is_generated_is_as_visible_as_the_model() {
    let mut sim = inner::Shown { period: 0.5, start: 3 }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    let state: &inner::ShownState = sim.state();
    assert_eq!((state.start, *state.boxes[0]), (3, 3));
    let tallies: &inner::ShownTallies = sim.tallies();
    assert_eq!(tallies.ticks, 2);
    assert_eq!(sim.observe().unwrap().boxes, 1);
    assert_eq!(inner::Shown::event_name(inner::ShownEvent::Tick), "tick");
    assert_eq!(inner::hidden(), 16);
}

fn final_level<M>(model: &M) -> f64
where
    M: Model + Clone + Sync,
{
    let levels = Ensemble::new(model).replicates(2).seed(1).map(|mut sim| {
        sim.run_until(3.0)?;
        Ok(sim.view().output("level")?.unwrap_or(f64::NAN))
    });
    levels.unwrap().iter().sum()
}

#[test]
fn a_model_defined_in_a_function_is_a_model_to_generic_code() {
    simulation! {
        model Local<const STEP: u32> {
            state level: u32 = 0;
            clock up: every(1.0) => { level += STEP; }
            observe level = level;
        }
    }
    assert_eq!(final_level(&Local::<5>::default()), 30.0);
}
