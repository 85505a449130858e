//! Random models with flows as data: printed as `simulation!` blocks for the compiler, and walked by
//! the reference engine. The two must not share anything but this description.

// The build script uses the printing, the test the rest.
#![allow(dead_code)]

use std::fmt::Write as _;

/// Integer states are kept in 0..MODULUS.
pub(crate) const MODULUS: i64 = 5;

/// Single states `s0`, `s1` that do not flow.
pub(crate) const SINGLES: usize = 2;

/// What an item is a family over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    Single,
    A,
    B,
    /// The product of both sets.
    AB,
    /// The pairs of `link`.
    Pairs,
}

impl Over {
    /// The sets of its indices.
    pub(crate) fn sets(self) -> &'static [usize] {
        match self {
            Over::Single => &[],
            Over::A => &[0],
            Over::B => &[1],
            Over::AB | Over::Pairs => &[0, 1],
        }
    }
}

/// How variables move. A flow has a variable `x0` and a companion `v0`, which flows too or is a state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// `x = x + v·dt`
    Linear,
    /// `(x, v) = (x + v·dt − g/2·dt², v − g·dt)`
    Quadratic(f64),
    /// `x = v + (x − v)·exp(−k·dt)`
    Exponential(f64),
    /// `(x, v)` turn round with this frequency; with `true` as one block.
    Oscillator(f64, bool),
}

/// What a flow uses besides its own element, so that all its elements are brought up to now together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extra {
    None,
    /// A wind, the state `s0`, that carries every element.
    Wind,
    /// The companion of the next element.
    Next,
    /// The companions of the neighbours.
    Near,
}

#[derive(Clone, Debug)]
pub(crate) struct Flow {
    pub over: Over,
    pub kind: Kind,
    pub extra: Extra,
    /// The first values are these plus a multiple of the indices, or drawn.
    pub x: f64,
    pub v: f64,
    pub drawn: bool,
}

impl Flow {
    /// Whether the companion flows.
    pub(crate) fn is_tuple(&self) -> bool {
        matches!(self.kind, Kind::Quadratic(_) | Kind::Oscillator(..))
    }

    /// Degrees of variable and companion as polynomials of time.
    fn degrees(&self) -> [Option<u32>; 2] {
        match self.kind {
            Kind::Linear => [Some(1), Some(0)],
            Kind::Quadratic(_) => [Some(2), Some(1)],
            Kind::Exponential(_) => [None, Some(0)],
            Kind::Oscillator(..) => [None, None],
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Index {
    /// `k0`
    Variable(usize),
    /// `k0 + 1` or `k0 - 1`, where something says that it is inside.
    Shift(usize, i64),
    /// `(k0 + 1) % na`
    Around(usize, i64),
    Constant(usize),
    /// `na - 1`
    Last,
    /// `home[…]`, in set 0.
    Home(Box<Index>),
    /// `pick`, in set 0.
    Pick,
    /// `rng.random_range(0..na)`
    Random,
}

impl Index {
    /// Whether it is known before an event, from the indices of the item alone.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self, Index::Variable(_) | Index::Shift(..) | Index::Around(..) | Index::Constant(_) | Index::Last)
    }
}

/// What is gone over; a variable stands for each member.
#[derive(Clone, Debug)]
pub(crate) enum Range {
    /// `near(…)`, from set 0 to itself
    Near(Index),
    /// `fans(…)`, its inverse
    Fans(Index),
    /// `link(…)`, from set 0 to set 1
    Link(Index),
    /// `tie(…)`, which changes, from set 0 to itself
    Tie(Index),
    /// `sa`
    Set(usize),
}

impl Range {
    /// The set of its members.
    pub(crate) fn set(&self) -> usize {
        match self {
            Range::Link(_) => 1,
            Range::Set(set) => *set,
            _ => 0,
        }
    }
}

/// A variable of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Name {
    X(usize),
    V(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Real {
    Constant(f64),
    /// `x0[…]`, `v1[…][…]`, `x2[(…, …)]`
    Element(Name, Vec<Index>),
    Single(usize),
    /// `m[…] as f64`
    Count(Index),
    Now,
    /// The `e` of a hazard.
    Elapsed,
    /// The argument `w` of an action.
    Argument,
    /// `k0 as f64`
    Number(usize),
    /// `d0[…]`
    Let(usize, Vec<Index>),
    /// `….map(|k1| …).sum::<f64>()`
    Sum {
        range: Range,
        variable: usize,
        term: Box<Real>,
    },
    /// `if k0 + 1 < na { x0[k0 + 1] } else { 0.5 }`
    Edge {
        name: Name,
        variable: usize,
        by: i64,
        other: f64,
    },
    /// `x0.iter().sum::<f64>()`
    Whole(Name),
    Neg(Box<Real>),
    Add(Box<Real>, Box<Real>),
    Sub(Box<Real>, Box<Real>),
    Mul(Box<Real>, Box<Real>),
    Square(Box<Real>),
    Sin(Box<Real>),
    Abs(Box<Real>),
    /// Between minus this and this.
    Clamp(Box<Real>, f64),
    /// At least this.
    AtLeast(Box<Real>, f64),
    /// When a linear flow gets to one of two walls, given its place and its speed.
    Wall {
        place: Box<Real>,
        speed: Box<Real>,
        walls: (f64, f64),
    },
    /// `0.5 + rng.random::<f64>()`
    Random,
    /// `rng.sample::<f64, _>(Exp1)`
    Exponential,
}

#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// `m[…] < 3`
    Count(Index, i64),
    /// `… > 0.25`
    Above(Real, f64),
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    Element(Name, Vec<Index>),
    Single(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Assign(Target, Real),
    /// `x0[…] += …;`
    Increase(Target, Real),
    /// `v0[…] = -v0[…];`
    Flip(Target),
    /// Turns the speed of a linear flow round in its wind.
    Reflect(Target, bool),
    /// `v0[…] = rng.random_range(-1.5..1.5);`
    Draw(Target),
    /// `m[…] = (m[…] + 1).rem_euclid(5);`
    Count(Index, i64),
    Home(Index, Index),
    Pick(Index),
    /// `due[…] = now + …;`
    Due(Index, Real),
    /// `for k1 in … { … }`, or `….for_each(|k1| { … })`
    For {
        range: Range,
        variable: usize,
        closure: bool,
        body: Vec<Statement>,
    },
    /// `for one in x0.iter_mut() { *one *= 0.75; }`, or `x0.iter_mut().for_each(|one| *one *= 0.75)`
    Every(Name, f64, bool),
    /// `x0.fill(…)`
    Fill(Name, Real),
    /// `x0.swap(…, …)`, in a family over one set
    Swap(Name, Index, Index),
    /// `std::mem::swap(&mut x0[…], &mut v1[…])`
    Exchange(Target, Target),
    If(Test, Vec<Statement>, Vec<Statement>),
    /// `a0(…);`, or `a1(…, …)` with a number
    Call(usize, Index, Option<Real>),
    /// `tie.insert(…, …);` or `remove`
    Tie(bool, Index, Index),
}

#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub over: Over,
    pub value: Real,
    pub typed: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Bound {
    Number(Real),
    Affine(Real, Real),
}

#[derive(Clone, Debug)]
pub(crate) enum Timing {
    Rate(Real),
    At(Real),
    /// `at(due[…])`
    Due(Index),
    After {
        delay: Real,
        redraw: bool,
        resume: bool,
        speed: Option<Real>,
    },
    /// `every(0.5 * (1 + m[…]) as f64)`
    Every(Index),
    Affine(Real, Real, Option<Real>),
    Thinned {
        rate: Real,
        random: bool,
        bound: Bound,
        until: Option<Real>,
        adapt: bool,
    },
    Crosses {
        of: Real,
        up: bool,
        step: Option<f64>,
    },
}

impl Timing {
    /// Whether a refresh takes random numbers, or is seen in another way.
    pub(crate) fn minds(&self) -> bool {
        match self {
            Timing::At(e) => !matches!(e, Real::Wall { .. }),
            timing => {
                matches!(timing, Timing::Affine(..) | Timing::Thinned { .. } | Timing::After { redraw: true, .. })
            }
        }
    }

    /// Whether it takes part in the race of exponential clocks.
    pub(crate) fn can_race(&self) -> bool {
        matches!(self, Timing::Rate(_) | Timing::Thinned { bound: Bound::Number(_), until: None, .. })
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub over: Over,
    pub guard: Option<Test>,
    pub timing: Timing,
    pub priority: i64,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub next_reaction: bool,
    /// No clock minds being refreshed.
    pub steady: bool,
    /// Some bound is met exactly, which only the same arithmetic decides in the same way.
    pub tight: bool,
    pub sizes: [usize; 2],
    /// Whether the size of the first set is a param.
    pub param: bool,
    pub near: Vec<Vec<usize>>,
    pub link: Vec<Vec<usize>>,
    /// The rows of the relation that changes, if there is one.
    pub tie: Option<Vec<Vec<usize>>>,
    pub singles: Vec<f64>,
    pub counts: Vec<i64>,
    pub home: Vec<usize>,
    pub pick: usize,
    pub due: Vec<f64>,
    pub flows: Vec<Flow>,
    pub lets: Vec<Let>,
    /// `a0(k0 in sa)` and `a1(k0 in sb, w: f64)`.
    pub actions: Vec<Vec<Statement>>,
    pub clocks: Vec<Clock>,
    pub observes: Vec<(Over, Real)>,
}

impl Model {
    /// Whether a variable flows.
    pub(crate) fn flowing(&self, name: Name) -> bool {
        match name {
            Name::X(_) => true,
            Name::V(flow) => self.flows[flow].is_tuple(),
        }
    }

    pub(crate) fn over_of(&self, name: Name) -> Over {
        let (Name::X(flow) | Name::V(flow)) = name;
        self.flows[flow].over
    }

    /// Whether an expression changes between events.
    pub(crate) fn moves(&self, real: &Real) -> bool {
        match real {
            Real::Now | Real::Elapsed | Real::Wall { .. } => true,
            Real::Element(name, _) | Real::Whole(name) | Real::Edge { name, .. } => self.flowing(*name),
            Real::Let(number, _) => self.moves(&self.lets[*number].value),
            Real::Sum { term, .. } => self.moves(term),
            Real::Neg(a) | Real::Square(a) | Real::Sin(a) | Real::Abs(a) | Real::Clamp(a, _) | Real::AtLeast(a, _) => {
                self.moves(a)
            }
            Real::Add(a, b) | Real::Sub(a, b) | Real::Mul(a, b) => self.moves(a) || self.moves(b),
            Real::Constant(_)
            | Real::Single(_)
            | Real::Count(_)
            | Real::Argument
            | Real::Random
            | Real::Number(_)
            | Real::Exponential => false,
        }
    }

    /// The degree as a polynomial of time, as the language says.
    pub(crate) fn degree(&self, real: &Real) -> Option<u32> {
        if !self.moves(real) {
            return Some(0);
        }
        match real {
            Real::Now => Some(1),
            Real::Element(Name::X(flow), _) => self.flows[*flow].degrees()[0],
            Real::Element(Name::V(flow), _) => self.flows[*flow].degrees()[1],
            Real::Let(number, _) if !self.lets[*number].typed => self.degree(&self.lets[*number].value),
            Real::Neg(a) => self.degree(a),
            Real::Add(a, b) | Real::Sub(a, b) => Some(self.degree(a)?.max(self.degree(b)?)),
            Real::Mul(a, b) => Some(self.degree(a)? + self.degree(b)?),
            Real::Square(a) => Some(2 * self.degree(a)?),
            _ => None,
        }
    }

    /// Whether a crossing is solved exactly.
    pub(crate) fn is_course(&self, real: &Real) -> bool {
        self.degree(real).is_some_and(|degree| degree <= 2)
    }

    /// Whether every clock can be refreshed at any time, and takes the same path up to rounding.
    pub(crate) fn can_be_refreshed(&self) -> bool {
        !self.clocks.iter().any(|clock| clock.timing.minds())
    }
}

// Printing.

const SETS: [&str; 2] = ["sa", "sb"];

impl Model {
    fn size(&self, set: usize) -> String {
        if set == 0 && self.param { "na".to_owned() } else { self.sizes[set].to_string() }
    }

    fn over(over: Over) -> String {
        match over {
            Over::Pairs => "[(k0, k1) in link]".to_owned(),
            _ => over.sets().iter().enumerate().map(|(k, &set)| format!("[k{k} in {}]", SETS[set])).collect(),
        }
    }

    /// `[k0][k1]`, `[(k0, k1)]`.
    fn bracket(over: Over, indices: &[String]) -> String {
        match over {
            Over::Pairs => format!("[({})]", indices.join(", ")),
            _ => indices.iter().map(|index| format!("[{index}]")).collect(),
        }
    }

    fn name(name: Name) -> String {
        match name {
            Name::X(flow) => format!("x{flow}"),
            Name::V(flow) => format!("v{flow}"),
        }
    }

    /// A function that shows the state as the reference does.
    pub(crate) fn shower(&self, name: &str) -> String {
        let mut out =
            format!("fn show_{name}(state: &{name}State) -> Vec<f64> {{\n    let mut all: Vec<f64> = Vec::new();\n");
        for (f, flow) in self.flows.iter().enumerate() {
            for variable in ["x", "v"] {
                let _ = match flow.over {
                    Over::Single => writeln!(out, "    all.push(state.{variable}{f});"),
                    _ => writeln!(out, "    all.extend(state.{variable}{f}.iter());"),
                };
            }
        }
        out.push_str("    all.extend([state.s0, state.s1, state.pick as f64]);\n");
        out.push_str("    all.extend(state.m.iter().map(|&count| count as f64));\n");
        out.push_str("    all.extend(state.home.iter().map(|&at| at as f64));\n    all.extend(state.due.iter());\n");
        if self.tie.is_some() {
            out.push_str("    for row in 0..state.tie.rows() {\n        all.push(-1.0);\n");
            out.push_str("        all.extend(state.tie.members(row).map(|member| member as f64));\n    }\n");
        }
        out.push_str("    all\n}\n");
        let _ = writeln!(
            out,
            "fn outputs_{name}(observed: &{name}Observed) -> Vec<f64> {{\n    let mut all: Vec<f64> = Vec::new();"
        );
        for (o, (over, _)) in self.observes.iter().enumerate() {
            let _ = match over {
                Over::Single => writeln!(out, "    all.push(observed.o{o});"),
                _ => writeln!(out, "    all.extend(observed.o{o}.iter());"),
            };
        }
        out.push_str("    all\n}\n");
        out
    }

    /// The `simulation!` block of model `name`.
    pub(crate) fn block(&self, name: &str) -> String {
        let mut out = String::from("simulation! {\n");
        if self.next_reaction {
            out.push_str("    #[select(next_reaction)]\n");
        }
        let _ = writeln!(out, "    pub model {name} {{");
        if self.param {
            let _ = writeln!(out, "        param na: usize = {};", self.sizes[0]);
        }
        for (set, name) in SETS.iter().enumerate() {
            let _ = writeln!(out, "        index {name} = 0..{};", self.size(set));
        }
        let rows = |rows: &[Vec<usize>]| {
            let rows: Vec<String> = rows.iter().map(|row| format!("vec!{row:?}")).collect();
            format!("{{ let rows: Vec<Vec<usize>> = vec![{}]; rows[k0].clone() }}", rows.join(", "))
        };
        let _ = writeln!(out, "        relation near(k0 in sa) -> sa = {}, inverse fans;", rows(&self.near));
        let _ = writeln!(out, "        relation link(k0 in sa) -> sb = {};", rows(&self.link));
        if let Some(tie) = &self.tie {
            let _ = writeln!(out, "        state relation tie(k0 in sa) -> sa = {};", rows(tie));
        }
        for (s, initial) in self.singles.iter().enumerate() {
            let _ = writeln!(out, "        state s{s}: f64 = {initial:?};");
        }
        let _ = writeln!(out, "        state m[k0 in sa]: i64 = {:?}[k0];", self.counts);
        let _ = writeln!(out, "        state home[k0 in sa]: usize = {:?}[k0];", self.home);
        let _ = writeln!(out, "        state pick: usize = {};", self.pick);
        let _ = writeln!(out, "        state due[k0 in sa]: f64 = {:?}[k0];", self.due);
        for (f, flow) in self.flows.iter().enumerate() {
            self.flow(&mut out, f, flow);
        }
        for (d, definition) in self.lets.iter().enumerate() {
            let ty = if definition.typed { ": f64" } else { "" };
            let _ = writeln!(
                out,
                "        let d{d}{}{ty} = {};",
                Self::over(definition.over),
                self.real(&definition.value)
            );
        }
        let parameters = ["k0 in sa", "k0 in sb, w: f64"];
        for (a, (action, parameters)) in self.actions.iter().zip(parameters).enumerate() {
            let _ = writeln!(out, "        action a{a}({parameters}) {{ {} }}", self.body(action));
        }
        for (c, clock) in self.clocks.iter().enumerate() {
            let _ = write!(out, "        clock c{c}{}", Self::over(clock.over));
            if let Some(guard) = &clock.guard {
                let _ = write!(out, " if {}", self.test(guard));
            }
            let _ = write!(out, ": {}, priority = {}", self.timing(&clock.timing), clock.priority);
            let _ = match clock.body.as_slice() {
                [call @ Statement::Call(..)] => writeln!(out, " => {}", self.statement(call)),
                body => writeln!(out, " => {{ {} }}", self.body(body)),
            };
        }
        for (o, (over, real)) in self.observes.iter().enumerate() {
            let _ = writeln!(out, "        observe o{o}{}: f64 = {};", Self::over(*over), self.real(real));
        }
        match self.flows[0].over {
            Over::Single => out.push_str("        invariant finite: x0.is_finite() && now >= 0.0;\n"),
            _ => out.push_str("        invariant finite: x0.iter().all(|x| x.is_finite()) && now >= 0.0;\n"),
        }
        out.push_str("    }\n}\n");
        out
    }

    fn flow(&self, out: &mut String, f: usize, flow: &Flow) {
        let over = Self::over(flow.over);
        let indices: Vec<String> = (0..flow.over.sets().len()).map(|k| format!("k{k}")).collect();
        let at = Self::bracket(flow.over, &indices);
        let (x, v) = (format!("x{f}{at}"), format!("v{f}{at}"));
        for (variable, initial) in [("x", flow.x), ("v", flow.v)] {
            let value = match (flow.drawn, indices.as_slice()) {
                (true, _) => "rng.random_range(-1.25..1.25)".to_owned(),
                (false, []) => format!("{initial:?}"),
                (false, [only]) => format!("{initial:?} + 0.375 * {only} as f64"),
                (false, [first, second, ..]) => {
                    format!("{initial:?} + 0.375 * {first} as f64 - 0.25 * {second} as f64")
                }
            };
            let _ = writeln!(out, "        state {variable}{f}{over}: f64 = {value};");
        }
        let speed = match flow.extra {
            Extra::None => v.clone(),
            Extra::Wind => format!("({v} + s0)"),
            Extra::Next => {
                let n = self.size(0);
                let next = match flow.over {
                    Over::A => format!("v{f}[(k0 + 1) % {n}]"),
                    _ => format!("v{f}[(k0 + 1) % {n}][k1]"),
                };
                format!("({v} + 0.5 * {next})")
            }
            Extra::Near => format!("({v} + 0.25 * near(k0).map(|j| v{f}[j]).sum::<f64>())"),
        };
        let _ = match flow.kind {
            Kind::Linear => writeln!(out, "        flow x{f}{over} = {x} + {speed} * dt;"),
            Kind::Quadratic(g) => writeln!(
                out,
                "        flow ({x}, {v}) {over} = ({x} + {speed} * dt - 0.5 * {g:?} * dt * dt, {v} - {g:?} * dt);"
            ),
            Kind::Exponential(k) => {
                writeln!(out, "        flow x{f}{over} = {speed} + ({x} - {speed}) * (-{k:?} * dt).exp();")
            }
            Kind::Oscillator(w, true) => writeln!(
                out,
                "        flow ({x}, {v}) {over} = {{ let (s, c) = ({w:?} * dt).sin_cos(); (c * {x} + s * {v}, c * {v} - s * {x}) }};"
            ),
            Kind::Oscillator(w, false) => writeln!(
                out,
                "        flow ({x}, {v}) {over} = (({w:?} * dt).cos() * {x} + ({w:?} * dt).sin() * {v}, \
                 ({w:?} * dt).cos() * {v} - ({w:?} * dt).sin() * {x});"
            ),
        };
    }

    fn index(&self, index: &Index, set: usize) -> String {
        let n = self.size(set);
        match index {
            Index::Variable(k) => format!("k{k}"),
            Index::Shift(k, by) => format!("k{k} {} {}", if *by < 0 { "-" } else { "+" }, by.abs()),
            Index::Around(k, by) if *by < 0 => format!("(k{k} + {n} - {}) % {n}", -by),
            Index::Around(k, by) => format!("(k{k} + {by}) % {n}"),
            Index::Constant(at) => at.to_string(),
            Index::Last => format!("{n} - 1"),
            Index::Home(inner) => format!("home[{}]", self.index(inner, 0)),
            Index::Pick => "pick".to_owned(),
            Index::Random => format!("rng.random_range(0..{n})"),
        }
    }

    fn element(&self, name: Name, indices: &[Index]) -> String {
        let over = self.over_of(name);
        let indices: Vec<String> =
            indices.iter().zip(over.sets()).map(|(index, &set)| self.index(index, set)).collect();
        format!("{}{}", Self::name(name), Self::bracket(over, &indices))
    }

    fn range(&self, range: &Range) -> String {
        match range {
            Range::Near(at) => format!("near({})", self.index(at, 0)),
            Range::Fans(at) => format!("fans({})", self.index(at, 0)),
            Range::Link(at) => format!("link({})", self.index(at, 0)),
            Range::Tie(at) => format!("tie({})", self.index(at, 0)),
            Range::Set(set) => SETS[*set].to_owned(),
        }
    }

    fn inside(&self, variable: usize, by: i64) -> String {
        if by > 0 { format!("k{variable} + {by} < {}", self.size(0)) } else { format!("k{variable} > {}", -by - 1) }
    }

    pub(crate) fn real(&self, real: &Real) -> String {
        let of = |real: &Real| self.real(real);
        match real {
            Real::Constant(value) if *value < 0.0 => format!("(-{:?}_f64)", -value),
            Real::Constant(value) => format!("{value:?}_f64"),
            Real::Element(name, indices) => self.element(*name, indices),
            Real::Single(s) => format!("s{s}"),
            Real::Count(at) => format!("(m[{}] as f64)", self.index(at, 0)),
            Real::Now => "now".to_owned(),
            Real::Elapsed => "e".to_owned(),
            Real::Argument => "w".to_owned(),
            Real::Number(k) => format!("(k{k} as f64)"),
            Real::Let(d, indices) => {
                let over = self.lets[*d].over;
                let indices: Vec<String> =
                    indices.iter().zip(over.sets()).map(|(index, &set)| self.index(index, set)).collect();
                format!("d{d}{}", Self::bracket(over, &indices))
            }
            Real::Sum { range, variable, term } => {
                format!("{}.map(|k{variable}| {}).sum::<f64>()", self.range(range), of(term))
            }
            Real::Edge { name, variable, by, other } => {
                let element = self.element(*name, &[Index::Shift(*variable, *by)]);
                format!("(if {} {{ {element} }} else {{ {other:?} }})", self.inside(*variable, *by))
            }
            Real::Whole(name) => format!("{}.iter().sum::<f64>()", Self::name(*name)),
            Real::Neg(a) => format!("(-{})", of(a)),
            Real::Add(a, b) => format!("({} + {})", of(a), of(b)),
            Real::Sub(a, b) => format!("({} - {})", of(a), of(b)),
            Real::Mul(a, b) => format!("({} * {})", of(a), of(b)),
            Real::Square(a) => format!("({}).powi(2)", of(a)),
            Real::Sin(a) => format!("({}).sin()", of(a)),
            Real::Abs(a) => format!("({}).abs()", of(a)),
            Real::Clamp(a, most) => format!("({}).clamp(-{most:?}, {most:?})", of(a)),
            Real::AtLeast(a, least) => format!("({}).max({least:?})", of(a)),
            Real::Wall { place, speed, walls: (low, high) } => {
                let (x, v) = (of(place), of(speed));
                format!(
                    "if {v} > 0.0 {{ now + (({high:?} - {x}) / {v}).max(0.0) }} else if {v} < 0.0 \
                     {{ now + (({low:?} - {x}) / {v}).max(0.0) }} else {{ never }}"
                )
            }
            Real::Random => "(0.5 + rng.random::<f64>())".to_owned(),
            Real::Exponential => "rng.sample::<f64, _>(Exp1)".to_owned(),
        }
    }

    fn test(&self, test: &Test) -> String {
        match test {
            Test::Count(at, less) => format!("m[{}] < {less}", self.index(at, 0)),
            Test::Above(real, level) => format!("{} > {level:?}", self.real(real)),
        }
    }

    fn timing(&self, timing: &Timing) -> String {
        let of = |real: &Real| self.real(real);
        match timing {
            Timing::Rate(e) => format!("rate({})", of(e)),
            Timing::At(e) => format!("at({})", of(e)),
            Timing::Due(at) => format!("at(due[{}])", self.index(at, 0)),
            Timing::After { delay, redraw, resume, speed } => {
                let mut out = format!("after({}", of(delay));
                if *redraw {
                    out.push_str(", redraw");
                }
                if *resume {
                    out.push_str(", resume");
                }
                if let Some(speed) = speed {
                    let _ = write!(out, ", speed({})", of(speed));
                }
                out.push(')');
                out
            }
            Timing::Every(at) => format!("every(0.4375 * (1 + m[{}]) as f64)", self.index(at, 0)),
            Timing::Affine(a, b, None) => format!("hazard(affine({}, {}))", of(a), of(b)),
            Timing::Affine(a, b, Some(c)) => format!("hazard(affine({}, {}, {}))", of(a), of(b), of(c)),
            Timing::Thinned { rate, random, bound, until, adapt } => {
                let rate = of(rate);
                let elapsed = if rate.contains("+ e)") { "e" } else { "_" };
                let generator = if *random { ", rng" } else { "" };
                let mut out = format!("hazard(|{elapsed}{generator}| {rate}, bound = ");
                let _ = match bound {
                    Bound::Number(number) => write!(out, "{}", of(number)),
                    Bound::Affine(a, b) => write!(out, "affine({}, {})", of(a), of(b)),
                };
                if let Some(until) = until {
                    let _ = write!(out, ", until = {}", of(until));
                }
                if *adapt {
                    out.push_str(", adapt");
                }
                out.push(')');
                out
            }
            Timing::Crosses { of: real, up, step } => {
                let step = step.map_or(String::new(), |step| format!(", step = {step:?}"));
                format!("crosses({}, {}{step})", of(real), if *up { "up" } else { "down" })
            }
        }
    }

    fn body(&self, body: &[Statement]) -> String {
        body.iter().map(|statement| self.statement(statement)).collect::<Vec<_>>().join(" ")
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Element(name, indices) => self.element(*name, indices),
            Target::Single(s) => format!("s{s}"),
        }
    }

    fn statement(&self, statement: &Statement) -> String {
        match statement {
            Statement::Assign(target, e) => format!("{} = {};", self.target(target), self.real(e)),
            Statement::Increase(target, e) => format!("{} += {};", self.target(target), self.real(e)),
            Statement::Flip(target) => format!("{0} = -{0};", self.target(target)),
            Statement::Reflect(target, false) => format!("{0} = -{0};", self.target(target)),
            Statement::Reflect(target, true) => format!("{0} = -{0} - 2.0 * s0;", self.target(target)),
            Statement::Draw(target) => format!("{} = rng.random_range(-1.5..1.5);", self.target(target)),
            Statement::Count(at, by) => {
                let at = self.index(at, 0);
                format!("m[{at}] = (m[{at}] + {by}).rem_euclid({MODULUS});")
            }
            Statement::Home(at, to) => format!("home[{}] = {};", self.index(at, 0), self.index(to, 0)),
            Statement::Pick(to) => format!("pick = {};", self.index(to, 0)),
            Statement::Due(at, e) => format!("due[{}] = now + {};", self.index(at, 0), self.real(e)),
            Statement::For { range, variable, closure, body } => {
                // What is gone over cannot be changed meanwhile.
                let kept = if matches!(range, Range::Tie(_)) { ".collect::<Vec<_>>().into_iter()" } else { "" };
                let (range, body) = (self.range(range), self.body(body));
                if *closure {
                    format!("{range}{kept}.for_each(|k{variable}| {{ {body} }});")
                } else {
                    format!("for k{variable} in {range}{kept} {{ {body} }}")
                }
            }
            Statement::Every(name, by, true) => {
                format!("{}.iter_mut().for_each(|one| *one *= {by:?});", Self::name(*name))
            }
            Statement::Every(name, by, false) => {
                format!("for one in {}.iter_mut() {{ *one *= {by:?}; }}", Self::name(*name))
            }
            Statement::Fill(name, e) => format!("let level = {}; {}.fill(level);", self.real(e), Self::name(*name)),
            Statement::Swap(name, a, b) => {
                let set = self.over_of(*name).sets()[0];
                format!("{}.swap({}, {});", Self::name(*name), self.index(a, set), self.index(b, set))
            }
            Statement::Exchange(a, b) => {
                format!("std::mem::swap(&mut {}, &mut {});", self.target(a), self.target(b))
            }
            Statement::If(test, yes, no) => {
                format!("if {} {{ {} }} else {{ {} }}", self.test(test), self.body(yes), self.body(no))
            }
            Statement::Call(0, at, _) => format!("a0({});", self.index(at, 0)),
            Statement::Call(action, at, e) => {
                let number = e.as_ref().map_or_else(String::new, |e| format!(", {}", self.real(e)));
                format!("a{action}({}{number});", self.index(at, 1))
            }
            Statement::Tie(insert, row, member) => {
                let method = if *insert { "insert" } else { "remove" };
                format!("tie.{method}({}, {});", self.index(row, 0), self.index(member, 0))
            }
        }
    }
}
