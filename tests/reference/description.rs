//! Random models as data: printed as `simulation!` blocks for the compiler, and walked by the
//! reference engine. The two must not share anything but this description.

// The build script uses the printing, the test the rest.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::fmt::{self, Display, Write as _};

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Integer states `x0`, `x1`, … kept in 0..MODULUS.
pub(crate) const VARIABLES: usize = 5;
pub(crate) const MODULUS: i64 = 7;

#[derive(Clone, Debug)]
pub(crate) enum Int {
    Constant(i64),
    Variable(usize),
    /// `let d = …`
    Derived(usize),
    /// `list.len() as i64`
    Length,
    /// Sum of the list.
    Total,
    Add(Box<Int>, Box<Int>),
    Sub(Box<Int>, Box<Int>),
    Mul(Box<Int>, Box<Int>),
}

#[derive(Clone, Debug)]
pub(crate) struct Test {
    pub left: Int,
    pub less: bool,
    pub right: Int,
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Assign(usize, Int),
    /// `x += …; x = x.rem_euclid(…)`
    Increase(usize, Int),
    Push(Int),
    Pop,
    /// Through `&mut` and a helper function.
    Swap(usize, usize),
    If(Test, Vec<Statement>, Vec<Statement>),
    Call(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Timing {
    /// `rate(0.5 · (E mod 5))`
    Rate(Int),
    /// `at(0.5 · (E mod 40))`: soon in the past.
    At(Int),
    /// `at(now + 0.25 · (E mod 6))`
    AtFromNow(Int),
    /// `at(if C { now } else { never })`
    AtOnce(Test),
    After {
        delay: Int,
        random: bool,
        redraw: bool,
        resume: bool,
        speed: Option<Int>,
    },
    Every {
        period: Int,
        from: Option<i64>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub guard: Option<Test>,
    pub timing: Timing,
    pub priority: i64,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub next_reaction: bool,
    pub initial: Vec<i64>,
    pub lets: Vec<Int>,
    pub actions: Vec<Vec<Statement>>,
    pub clocks: Vec<Clock>,
    pub stop: Option<Test>,
}

/// Models `0..count`, always the same ones. Each runs under both ways of selecting rates.
pub(crate) fn models(count: usize) -> Vec<Model> {
    let mut models = Vec::new();
    for number in 0..count {
        let mut seed = [7; 32];
        seed[..8].copy_from_slice(&(number as u64).to_le_bytes());
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        // Every eighth is large: tables and a pair tree instead of straight-line code.
        let clocks = if number % 8 == 7 { 66..80 } else { 1..9_usize };
        let tree = model(clocks, number % 2 == 1).new_tree(&mut runner).expect("the strategy rejects nothing");
        models.push(tree.current());
    }
    models
}

fn int() -> impl Strategy<Value = Int> {
    let leaf = prop_oneof![
        (0..4_i64).prop_map(Int::Constant),
        (0..VARIABLES).prop_map(Int::Variable),
        (0..VARIABLES).prop_map(Int::Variable),
        (0..2_usize).prop_map(Int::Derived),
        Just(Int::Length),
        Just(Int::Total),
    ];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let pair = || (inner.clone().prop_map(Box::new), inner.clone().prop_map(Box::new));
        prop_oneof![
            pair().prop_map(|(a, b)| Int::Add(a, b)),
            pair().prop_map(|(a, b)| Int::Sub(a, b)),
            pair().prop_map(|(a, b)| Int::Mul(a, b)),
        ]
    })
}

/// For `let`s, which cannot use themselves.
fn plain_int() -> impl Strategy<Value = Int> {
    let leaf =
        || prop_oneof![(0..4_i64).prop_map(Int::Constant), (0..VARIABLES).prop_map(Int::Variable), Just(Int::Length)];
    (leaf(), leaf()).prop_map(|(a, b)| Int::Add(Box::new(a), Box::new(b)))
}

fn test() -> impl Strategy<Value = Test> {
    (int(), any::<bool>(), int()).prop_map(|(left, less, right)| Test { left, less, right })
}

fn statements(calls: bool) -> impl Strategy<Value = Vec<Statement>> {
    let simple = move || {
        let x = 0..VARIABLES;
        prop_oneof![
            (x.clone(), int()).prop_map(|(x, e)| Statement::Assign(x, e)),
            (x.clone(), int()).prop_map(|(x, e)| Statement::Increase(x, e)),
            int().prop_map(Statement::Push),
            Just(Statement::Pop),
            (x.clone(), 1..VARIABLES).prop_map(|(x, d)| Statement::Swap(x, (x + d) % VARIABLES)),
            if calls { (0..2_usize).prop_map(Statement::Call).boxed() } else { Just(Statement::Pop).boxed() },
        ]
    };
    let few = move || prop::collection::vec(simple(), 0..3);
    let one = prop_oneof![
        4 => simple(),
        1 => (test(), few(), few()).prop_map(|(c, a, b)| Statement::If(c, a, b)),
    ];
    prop::collection::vec(one, 0..3)
}

fn timing() -> impl Strategy<Value = Timing> {
    prop_oneof![
        4 => int().prop_map(Timing::Rate),
        1 => int().prop_map(Timing::At),
        1 => int().prop_map(Timing::AtFromNow),
        1 => test().prop_map(Timing::AtOnce),
        4 => (int(), any::<bool>(), 0..4_u8, prop::option::of(int())).prop_map(|(delay, random, carry, speed)| {
            Timing::After { delay, random, redraw: carry == 1, resume: carry == 2, speed }
        }),
        2 => (int(), prop::option::of(0..6_i64)).prop_map(|(period, from)| Timing::Every { period, from }),
    ]
}

fn clock() -> impl Strategy<Value = Clock> {
    (prop::option::of(test()), timing(), -1..2_i64, statements(true)).prop_map(|(guard, timing, priority, body)| {
        // A guard that reads nothing is an error of its own.
        let guard = guard.filter(|guard| !guard.reads_directly().is_empty());
        Clock { guard, timing, priority, body }
    })
}

fn model(clocks: std::ops::Range<usize>, next_reaction: bool) -> impl Strategy<Value = Model> {
    (
        prop::collection::vec(0..MODULUS, VARIABLES),
        prop::collection::vec(plain_int(), 2),
        prop::collection::vec(statements(false), 2),
        prop::collection::vec(clock(), clocks),
        prop::option::weighted(0.2, test()),
    )
        .prop_map(move |(initial, lets, actions, clocks, stop)| {
            let mut model = Model { next_reaction, initial, lets, actions, clocks, stop: None };
            // So is a stop that no action could change.
            let written: BTreeSet<Place> = (0..model.clocks.len()).flat_map(|c| model.writes(c)).collect();
            model.stop = stop.filter(|stop| model.closure(stop.reads_directly()).iter().any(|p| written.contains(p)));
            model
        })
}

/// What can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Place {
    Variable(usize),
    List,
    /// Stands for what the `let` reads.
    Derived(usize),
}

impl Int {
    fn collect(&self, into: &mut BTreeSet<Place>) {
        match self {
            Int::Constant(_) => {}
            Int::Variable(x) => {
                into.insert(Place::Variable(*x));
            }
            Int::Derived(d) => {
                into.insert(Place::Derived(*d));
            }
            Int::Length | Int::Total => {
                into.insert(Place::List);
            }
            Int::Add(a, b) | Int::Sub(a, b) | Int::Mul(a, b) => {
                a.collect(into);
                b.collect(into);
            }
        }
    }

    fn reads_directly(&self) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        self.collect(&mut places);
        places
    }
}

impl Test {
    fn reads_directly(&self) -> BTreeSet<Place> {
        &self.left.reads_directly() | &self.right.reads_directly()
    }
}

impl Timing {
    fn reads_directly(&self) -> BTreeSet<Place> {
        match self {
            Timing::Rate(e) | Timing::At(e) | Timing::AtFromNow(e) => e.reads_directly(),
            Timing::AtOnce(test) => test.reads_directly(),
            Timing::After { delay, speed, .. } => {
                let mut places = delay.reads_directly();
                speed.iter().for_each(|e| e.collect(&mut places));
                places
            }
            Timing::Every { period, .. } => period.reads_directly(),
        }
    }
}

impl Model {
    fn closure(&self, direct: BTreeSet<Place>) -> BTreeSet<Place> {
        direct
            .into_iter()
            .flat_map(|place| match place {
                Place::Derived(d) => self.lets[d].reads_directly(),
                other => BTreeSet::from([other]),
            })
            .collect()
    }

    /// What guard and timing of a clock read, on any branch.
    pub(crate) fn reads(&self, clock: usize) -> BTreeSet<Place> {
        let clock = &self.clocks[clock];
        let guard = clock.guard.as_ref().map(Test::reads_directly).unwrap_or_default();
        self.closure(&guard | &clock.timing.reads_directly())
    }

    /// What the time of an `at` is read from; `None` for other clocks.
    pub(crate) fn reads_of_time(&self, clock: usize) -> Option<BTreeSet<Place>> {
        match &self.clocks[clock].timing {
            timing @ (Timing::At(_) | Timing::AtFromNow(_) | Timing::AtOnce(_)) => {
                Some(self.closure(timing.reads_directly()))
            }
            _ => None,
        }
    }

    /// What a clock's body writes, on any branch.
    pub(crate) fn writes(&self, clock: usize) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        self.statement_writes(&self.clocks[clock].body, &mut places);
        places
    }

    fn statement_writes(&self, statements: &[Statement], into: &mut BTreeSet<Place>) {
        for statement in statements {
            match statement {
                Statement::Assign(x, _) | Statement::Increase(x, _) => {
                    into.insert(Place::Variable(*x));
                }
                Statement::Push(_) | Statement::Pop => {
                    into.insert(Place::List);
                }
                Statement::Swap(x, y) => into.extend([Place::Variable(*x), Place::Variable(*y)]),
                Statement::If(_, yes, no) => {
                    self.statement_writes(yes, into);
                    self.statement_writes(no, into);
                }
                Statement::Call(action) => self.statement_writes(&self.actions[*action], into),
            }
        }
    }

    /// The `simulation!` block of model `name`.
    pub(crate) fn block(&self, name: &str) -> String {
        let mut out = String::from("simulation! {\n");
        if self.next_reaction {
            out.push_str("    #[select(next_reaction)]\n");
        }
        let _ = writeln!(out, "    pub model {name} {{");
        for (x, initial) in self.initial.iter().enumerate() {
            let _ = writeln!(out, "        state x{x}: i64 = {initial};");
        }
        out.push_str("        state list: Vec<i64> = Vec::new();\n");
        for (d, definition) in self.lets.iter().enumerate() {
            let _ = writeln!(out, "        let d{d} = {definition};");
        }
        for (a, body) in self.actions.iter().enumerate() {
            let _ = writeln!(out, "        action a{a}() {{ {} }}", Body(body));
        }
        for (c, clock) in self.clocks.iter().enumerate() {
            let _ = write!(out, "        clock c{c}");
            if let Some(guard) = &clock.guard {
                let _ = write!(out, " if {guard}");
            }
            let _ = writeln!(out, ": {}, priority = {} => {{ {} }}", clock.timing, clock.priority, Body(&clock.body));
        }
        if let Some(stop) = &self.stop {
            let _ = writeln!(out, "        stop done if {stop};");
        }
        out.push_str("    }\n}\n");
        out
    }
}

impl Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Int::Constant(value) => write!(f, "{value}_i64"),
            Int::Variable(x) => write!(f, "x{x}"),
            Int::Derived(d) => write!(f, "d{d}"),
            Int::Length => write!(f, "(list.len() as i64)"),
            Int::Total => write!(f, "list.iter().sum::<i64>()"),
            Int::Add(a, b) => write!(f, "({a} + {b})"),
            Int::Sub(a, b) => write!(f, "({a} - {b})"),
            Int::Mul(a, b) => write!(f, "({a} * {b})"),
        }
    }
}

impl Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} {} {})", self.left, if self.less { "<" } else { "==" }, self.right)
    }
}

impl Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Timing::Rate(e) => write!(f, "rate(0.5 * ({e}).rem_euclid(5) as f64)"),
            Timing::At(e) => write!(f, "at(0.5 * ({e}).rem_euclid(40) as f64)"),
            Timing::AtFromNow(e) => write!(f, "at(now + 0.25 * ({e}).rem_euclid(6) as f64)"),
            Timing::AtOnce(test) => write!(f, "at(if {test} {{ now }} else {{ never }})"),
            Timing::After { delay, random, redraw, resume, speed } => {
                write!(f, "after(0.25 * (1 + ({delay}).rem_euclid(6)) as f64")?;
                if *random {
                    write!(f, " * rng.sample::<f64, _>(Exp1)")?;
                }
                if *redraw {
                    write!(f, ", redraw")?;
                }
                if *resume {
                    write!(f, ", resume")?;
                }
                if let Some(speed) = speed {
                    write!(f, ", speed(0.5 * ({speed}).rem_euclid(4) as f64)")?;
                }
                write!(f, ")")
            }
            Timing::Every { period, from } => {
                write!(f, "every(0.25 * (1 + ({period}).rem_euclid(6)) as f64")?;
                if let Some(from) = from {
                    write!(f, ", from = 0.5 * {from} as f64")?;
                }
                write!(f, ")")
            }
        }
    }
}

struct Body<'a>(&'a [Statement]);

impl Display for Body<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|statement| write!(f, "{statement} "))
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Assign(x, e) => write!(f, "x{x} = ({e}).rem_euclid({MODULUS});"),
            Statement::Increase(x, e) => write!(f, "x{x} += {e}; x{x} = x{x}.rem_euclid({MODULUS});"),
            Statement::Push(e) => {
                write!(f, "let item = ({e}).rem_euclid({MODULUS}); if list.len() < 6 {{ list.push(item); }}")
            }
            Statement::Pop => write!(f, "let _ = list.pop();"),
            Statement::Swap(x, y) => write!(f, "std::mem::swap(&mut x{x}, &mut x{y});"),
            Statement::If(test, yes, no) => write!(f, "if {test} {{ {} }} else {{ {} }}", Body(yes), Body(no)),
            Statement::Call(action) => write!(f, "a{action}();"),
        }
    }
}
