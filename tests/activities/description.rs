//! Random models with dynamic events and activities as data: printed as `simulation!` blocks for the compiler, and
//! walked by the reference engine. The two must not share anything but this description.

// The build script uses the printing, the test the rest.
#![allow(dead_code)]

use std::fmt::Write as _;

/// Integer states are kept in 0..MODULUS.
pub(crate) const MODULUS: i64 = 7;

/// Locals that are written again are kept in 0..LOCALS.
pub(crate) const LOCALS: i64 = 50;

/// What the state of an instance is at first.
pub(crate) const OWN: i64 = 3;

/// Scalar states `s0`, `s1`, `s2`.
pub(crate) const SCALARS: usize = 3;

/// Families `x0`, `x1` over `sa`.
pub(crate) const FAMILIES: usize = 2;

#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// `v0`
    Variable(usize),
    /// `(v0 + 1) % n`
    Next(usize),
    Constant(usize),
    /// `(…).rem_euclid(n) as usize`
    Value(Box<Int>),
}

/// A priority: an integer, or a pair.
#[derive(Clone, Debug)]
pub(crate) struct Priority {
    pub first: Int,
    pub second: Option<Int>,
}

#[derive(Clone, Debug)]
pub(crate) enum Int {
    Constant(i64),
    Scalar(usize),
    Element(usize, Index),
    /// `l0`
    Local(usize),
    /// `v0 as i64`
    Member(usize),
    /// `b0 as i64`
    Flag(usize),
    /// `(f0 * 4.0) as i64`
    Quarters(usize),
    /// `o0.unwrap_or(-1)`, or without a result `o0.is_some() as i64`
    Given(usize, bool),
    /// `(now * 4.0) as i64`, in bodies.
    Now,
    EventLen(usize, Option<Index>),
    ActivityLen(usize),
    LineLen(usize),
    /// `a0.alive(k0) as i64`
    Alive(usize),
    /// `p0[me]`, the state of the instance itself.
    Own(usize),
    /// `if a0.alive(k0) { p0[k0] } else { -1 }`
    Other(usize),
    Add(Box<Int>, Box<Int>),
    Sub(Box<Int>, Box<Int>),
    Mul(Box<Int>, Box<Int>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Less,
    Equal,
    Greater,
}

#[derive(Clone, Debug)]
pub(crate) enum Test {
    /// `(…).rem_euclid(7) < …`
    Compare(Int, Relation, Int),
    /// As it is, without a remainder.
    Plain(Int, Relation, Int),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
    Not(Box<Test>),
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    Scalar(usize),
    Element(usize, Index),
    /// `p0[me]`
    Own(usize),
}

/// A time that passes.
#[derive(Clone, Debug)]
pub(crate) enum Length {
    /// `0.25 * (… + (…).rem_euclid(…)) as f64`
    Quarters { least: i64, of: Int, among: i64 },
    /// The same times an exponential number.
    Drawn { of: Int, among: i64 },
    /// `f0`
    Left(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Number(Int),
    Index(Index),
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Delay(Length),
    /// `wait_until(now + …)`
    Until(Length),
    For(Test),
    /// `a0.join(k0)`
    Join(usize),
    /// `a0.run(…)`
    Run(usize, Vec<Argument>),
}

#[derive(Clone, Debug)]
pub(crate) struct Wait {
    pub kind: Kind,
    /// Its number among the waits of the activity, in the order of the text.
    pub site: usize,
    pub timeout: Option<Length>,
    pub unless: Option<Test>,
    /// `0.5 * (…).rem_euclid(3) as f64`
    pub speed: Option<Int>,
    pub line: Option<usize>,
    pub priority: Option<Priority>,
}

/// What a wait gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gives {
    Nothing,
    Held,
    Left,
    Result,
}

impl Wait {
    pub(crate) fn gives(&self) -> Gives {
        match self.kind {
            Kind::Join(_) | Kind::Run(..) => Gives::Result,
            Kind::Delay(_) | Kind::Until(_) if self.unless.is_some() => Gives::Left,
            _ if self.timeout.is_some() || self.unless.is_some() => Gives::Held,
            _ => Gives::Nothing,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// `s0 = (…).rem_euclid(7);`
    Assign(Target, Int),
    /// `s0 += …; s0 = s0.rem_euclid(7);`
    Increase(Target, Int),
    /// `due = now + …;`
    Due(Int),
    /// `s0 = rng.random_range(0..7);`
    Draw(Target),
    /// `let mut l0: i64 = (…).rem_euclid(50);`
    Let(usize, Int),
    /// `l0 = (…).rem_euclid(50);`
    Set(usize, Int),
    /// `let v0: usize = …;`
    Fix(usize, Index),
    /// `if a0.alive(k0) { p0[k0] = (…).rem_euclid(7); }`
    Other(usize, Int),
    /// `t0 += …;`
    Tally(Int),
    Schedule {
        event: usize,
        index: Option<Index>,
        at: bool,
        delay: Length,
        arguments: Vec<Argument>,
        priority: Option<Priority>,
        keep: bool,
    },
    /// `if let Some(payload) = e0.cancel(h0) { s0 = … }`, where the first argument is a number.
    Cancel {
        event: usize,
        into: usize,
    },
    /// `if e0.reschedule(h0, now + …) { s0 = … }`
    Reschedule {
        event: usize,
        delay: Length,
        into: usize,
    },
    /// `if let Some(when) = e0.when(h0) { s0 = … }`
    When {
        event: usize,
        into: usize,
    },
    Clear(usize, Option<Index>),
    Start {
        activity: usize,
        arguments: Vec<Argument>,
        keep: bool,
    },
    /// `if a0.abort(k0) { s0 = … }`
    Abort {
        activity: usize,
        into: Option<usize>,
    },
    /// `a0.abort(me);`
    AbortMe,
    /// `k0 = me;`
    KeepMe,
    /// `for v0 in sa { … }`
    Each(usize, Vec<Statement>),
    /// `for l0 in 0..3_i64 { … }`
    Count(usize, i64, Vec<Statement>),
    /// `loop { … }`, in which something always takes time or ends it.
    Loop(Vec<Statement>),
    /// `while … { … }`, the same.
    While(Test, Vec<Statement>),
    If(Test, Vec<Statement>, Vec<Statement>),
    /// `match (…).rem_euclid(3) { 0 => …, 1 => …, _ => … }`
    Match(Int, Vec<Vec<Statement>>),
    Block(Vec<Statement>),
    Defer(Vec<Statement>),
    /// Of the innermost loop, or of one with a label.
    Break(Option<usize>),
    Continue(Option<usize>),
    /// `'z0: loop { … }`
    Labelled(usize, Box<Statement>),
    Return(Int),
    /// `if … { Err("…".to_owned())?; }`
    Fail(Test),
    /// As a statement, or `let … = …;`
    Wait(Wait, Option<usize>),
    /// `f0 = …;`
    Again(Wait, usize),
    /// `if … { … } else { … }`
    IfWait {
        wait: Wait,
        not: bool,
        yes: Vec<Statement>,
        no: Vec<Statement>,
    },
    /// `while … { … }`
    WhileWait {
        wait: Wait,
        not: bool,
        body: Vec<Statement>,
    },
}

/// An argument of an event or an activity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// `l0: i64`
    Number(usize),
    /// `v0 in sa`
    Member(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// Whether it is a family, with the variable of its index.
    pub over: Option<usize>,
    pub parameters: Vec<Parameter>,
    pub priority: Vec<i64>,
    pub once: bool,
    pub body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Nothing,
    Number,
    Fallible,
}

#[derive(Clone, Debug)]
pub(crate) struct Activity {
    pub parameters: Vec<Parameter>,
    pub outcome: Outcome,
    pub priority: Option<Priority>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) enum Timing {
    /// `rate(0.25 * (…).rem_euclid(5) as f64)`
    Rate(Int),
    /// `at(due)`
    Due,
    After {
        delay: Length,
        resume: bool,
        speed: Option<Int>,
    },
    /// `every(0.25 * (1 + (…).rem_euclid(6)) as f64)`
    Every {
        period: Int,
        from: Option<i64>,
    },
}

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    /// Whether it is a family, with the variable of its index.
    pub over: Option<usize>,
    pub guard: Option<Test>,
    pub timing: Timing,
    pub priority: Vec<i64>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Clock(usize),
    Event(usize),
    Activity(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub next_reaction: bool,
    /// Whether time is counted in ticks.
    pub ticks: bool,
    /// Whether priorities are tuples.
    pub tuples: bool,
    pub size: usize,
    pub scalars: Vec<i64>,
    pub families: Vec<Vec<i64>>,
    pub due: i64,
    pub lines: usize,
    pub clocks: Vec<Clock>,
    pub events: Vec<Event>,
    pub activities: Vec<Activity>,
    /// The order of declaration.
    pub order: Vec<Item>,
    pub init: Vec<Statement>,
    pub stop: Option<Test>,
}

impl Model {
    /// The number of an item in the order of declaration.
    pub(crate) fn declaration(&self, item: Item) -> usize {
        self.order.iter().position(|&other| other == item).expect("every item is declared")
    }

    /// Whether somebody waits for the end of an activity.
    pub(crate) fn is_joined(&self, activity: usize) -> bool {
        self.activities.iter().any(|other| joins(&other.body, activity))
    }

    /// Whether every clock can be refreshed without being changed.
    pub(crate) fn can_be_refreshed(&self) -> bool {
        !self.clocks.iter().any(|clock| matches!(clock.timing, Timing::Due))
    }
}

fn joins(body: &[Statement], activity: usize) -> bool {
    let is = |wait: &Wait| matches!(&wait.kind, Kind::Join(of) | Kind::Run(of, _) if *of == activity);
    body.iter().any(|statement| match statement {
        Statement::Each(_, body)
        | Statement::Count(_, _, body)
        | Statement::Loop(body)
        | Statement::While(_, body)
        | Statement::Block(body) => joins(body, activity),
        Statement::Labelled(_, inner) => joins(std::slice::from_ref(&**inner), activity),
        Statement::If(_, yes, no) => joins(yes, activity) || joins(no, activity),
        Statement::Match(_, arms) => arms.iter().any(|arm| joins(arm, activity)),
        Statement::Wait(wait, _) | Statement::Again(wait, _) => is(wait),
        Statement::IfWait { wait, yes, no, .. } => is(wait) || joins(yes, activity) || joins(no, activity),
        Statement::WhileWait { wait, body, .. } => is(wait) || joins(body, activity),
        _ => false,
    })
}

// Printing.

impl Model {
    /// A function that shows the state, and one that shows the outputs, as the reference does.
    pub(crate) fn shower(&self, name: &str) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "fn show_{name}(state: &{name}State) -> Vec<i64> {{");
        let _ = writeln!(out, "    let mut all: Vec<i64> = vec![state.s0, state.s1, state.s2];");
        for x in 0..FAMILIES {
            let _ = writeln!(out, "    all.extend(state.x{x}.iter());");
        }
        let due = if self.ticks { "state.due" } else { "state.due.to_bits()" };
        let _ = writeln!(out, "    all.push({due} as i64);\n    all\n}}");
        let outputs: Vec<String> = (0..self.outputs().len()).map(|o| format!("outputs.u{o} as i64")).collect();
        let _ = writeln!(
            out,
            "fn outputs_{name}(outputs: &{name}Observed) -> Vec<i64> {{\n    vec![{}]\n}}",
            outputs.join(", ")
        );
        out
    }

    /// What is observed.
    pub(crate) fn outputs(&self) -> Vec<Int> {
        let mut all = Vec::new();
        for (e, event) in self.events.iter().enumerate() {
            all.push(Int::EventLen(e, None));
            if event.over.is_some() {
                all.push(Int::EventLen(e, Some(Index::Constant(0))));
            }
        }
        for a in 0..self.activities.len() {
            all.push(Int::ActivityLen(a));
            all.push(Int::Alive(a));
        }
        all.extend((0..self.lines).map(Int::LineLen));
        all
    }

    /// The `simulation!` block of model `name`.
    pub(crate) fn block(&self, name: &str) -> String {
        let mut out = String::from("simulation! {\n");
        if self.next_reaction {
            out.push_str("    #[select(next_reaction)]\n");
        }
        let _ = writeln!(out, "    pub model {name} {{");
        if self.ticks {
            out.push_str("        time u64;\n");
        }
        let _ = writeln!(out, "        index sa = 0..{};", self.size);
        for (s, initial) in self.scalars.iter().enumerate() {
            let _ = writeln!(out, "        state s{s}: i64 = {initial};");
        }
        for (x, initial) in self.families.iter().enumerate() {
            let _ = writeln!(out, "        state x{x}[v0 in sa]: i64 = {initial:?}[v0];");
        }
        let _ = writeln!(out, "        state due: {} = {};", self.time(), self.units(&self.due.to_string()));
        for e in 0..self.events.len() {
            let _ = writeln!(out, "        state h{e}: Key<e{e}> = ::clockrace::Key::stale();");
        }
        for a in 0..self.activities.len() {
            let _ = writeln!(out, "        state k{a}: Key<a{a}> = ::clockrace::Key::stale();");
        }
        for a in 0..self.activities.len() {
            let _ = writeln!(out, "        state p{a}[p in a{a}]: i64 = {OWN};");
        }
        let _ = writeln!(out, "        tally t0: i64 = 0;");
        for l in 0..self.lines {
            let _ = writeln!(out, "        line q{l};");
        }
        for item in &self.order {
            match *item {
                Item::Clock(c) => self.clock(&mut out, c),
                Item::Event(e) => self.event(&mut out, e),
                Item::Activity(a) => self.activity(&mut out, a),
            }
        }
        let _ = writeln!(out, "        init {{\n{}        }}", self.body(&self.init, None, 3));
        for (o, output) in self.outputs().iter().enumerate() {
            let _ = writeln!(out, "        observe u{o} = {} as f64;", self.int(output));
        }
        let _ = writeln!(out, "        invariant small: s0 >= 0 && s0 < {MODULUS};");
        if let Some(stop) = &self.stop {
            let _ = writeln!(out, "        stop enough if {};", self.test(stop));
        }
        out.push_str("    }\n}\n");
        out
    }

    /// The type of times.
    fn time(&self) -> &'static str {
        if self.ticks { "u64" } else { "f64" }
    }

    /// So many quarters, or ticks.
    fn units(&self, count: &str) -> String {
        if self.ticks { format!("({count}) as u64") } else { format!("0.25 * ({count}) as f64") }
    }

    /// How many quarters or ticks a time has.
    fn count(&self, time: &str) -> String {
        if self.ticks { format!("({time} as i64)") } else { format!("(({time} * 4.0) as i64)") }
    }

    fn over(over: Option<usize>) -> String {
        over.map_or_else(String::new, |v| format!("[v{v} in sa]"))
    }

    fn clock(&self, out: &mut String, c: usize) {
        let clock = &self.clocks[c];
        let guard = clock.guard.as_ref().map_or_else(String::new, |guard| format!(" if {}", self.test(guard)));
        let timing = match &clock.timing {
            Timing::Rate(e) => format!("rate(0.25 * ({}).rem_euclid(5) as f64)", self.int(e)),
            Timing::Due => "at(due)".to_owned(),
            Timing::After { delay, resume, speed } => {
                let resume = if *resume { ", resume" } else { "" };
                let speed = speed.as_ref().map_or_else(String::new, |speed| format!(", speed({})", self.speed(speed)));
                format!("after({}{resume}{speed})", self.length(delay))
            }
            Timing::Every { period, from } => {
                let from = from.map_or_else(String::new, |from| format!(", from = {}", self.units(&from.to_string())));
                format!("every({}{from})", self.units(&format!("1 + ({}).rem_euclid(6)", self.int(period))))
            }
        };
        let _ = writeln!(
            out,
            "        clock c{c}{}{guard}: {timing}{} => {{\n{}        }}",
            Self::over(clock.over),
            self.fixed(&clock.priority),
            self.body(&clock.body, None, 3)
        );
    }

    fn fixed(&self, priority: &[i64]) -> String {
        let parts: Vec<String> = priority.iter().map(ToString::to_string).collect();
        match parts.len() {
            0 => String::new(),
            _ => format!(", priority = {}", self.tuple(&parts)),
        }
    }

    /// The parts of a priority: missing ones are not written.
    fn tuple(&self, parts: &[String]) -> String {
        match parts {
            [one] if self.tuples => format!("({one},)"),
            [one] => one.clone(),
            _ => format!("({})", parts.join(", ")),
        }
    }

    fn parameters(parameters: &[Parameter]) -> String {
        let all: Vec<String> = parameters
            .iter()
            .map(|parameter| match parameter {
                Parameter::Number(l) => format!("l{l}: i64"),
                Parameter::Member(v) => format!("v{v} in sa"),
            })
            .collect();
        all.join(", ")
    }

    fn event(&self, out: &mut String, e: usize) {
        let event = &self.events[e];
        let once = if event.once { ", once" } else { "" };
        let _ = writeln!(
            out,
            "        event e{e}{}({}){}{once} => {{\n{}        }}",
            Self::over(event.over),
            Self::parameters(&event.parameters),
            self.fixed(&event.priority),
            self.body(&event.body, None, 3)
        );
    }

    fn activity(&self, out: &mut String, a: usize) {
        let activity = &self.activities[a];
        let gives = match activity.outcome {
            Outcome::Nothing => "",
            Outcome::Number => " -> i64",
            Outcome::Fallible => " -> Result<i64, String>",
        };
        let priority = self.priority(activity.priority.as_ref());
        let mut body = self.body(&activity.body, Some(a), 3);
        match activity.outcome {
            Outcome::Nothing => {}
            Outcome::Number => body.push_str("            0\n"),
            Outcome::Fallible => body.push_str("            Ok(0)\n"),
        }
        let _ = writeln!(
            out,
            "        activity a{a}({}){gives}{priority} {{\n{body}        }}",
            Self::parameters(&activity.parameters),
        );
    }

    fn priority(&self, priority: Option<&Priority>) -> String {
        let Some(Priority { first, second }) = priority else { return String::new() };
        let part = |of: &Int, among: i64| match of {
            Int::Constant(value) => value.to_string(),
            other => format!("({}).rem_euclid({among})", self.int(other)),
        };
        let mut parts = vec![part(first, 3)];
        parts.extend(second.as_ref().map(|second| part(second, 2)));
        format!(", priority = {}", self.tuple(&parts))
    }

    fn index(&self, index: &Index) -> String {
        let n = self.size;
        match index {
            Index::Variable(v) => format!("v{v}"),
            Index::Next(v) => format!("(v{v} + 1) % {n}"),
            Index::Constant(at) => at.to_string(),
            Index::Value(value) => format!("({}).rem_euclid({n}) as usize", self.int(value)),
        }
    }

    fn int(&self, e: &Int) -> String {
        match e {
            Int::Constant(value) => format!("{value}_i64"),
            Int::Scalar(s) => format!("s{s}"),
            Int::Element(x, index) => format!("x{x}[{}]", self.index(index)),
            Int::Local(l) => format!("l{l}"),
            Int::Member(v) => format!("(v{v} as i64)"),
            Int::Flag(b) => format!("(b{b} as i64)"),
            Int::Quarters(f) => self.count(&format!("f{f}")),
            Int::Given(o, true) => format!("o{o}.unwrap_or(-1)"),
            Int::Given(o, false) => format!("(o{o}.is_some() as i64)"),
            Int::Now => self.count("now"),
            Int::EventLen(e, None) => format!("(e{e}.len() as i64)"),
            Int::EventLen(e, Some(index)) => format!("(e{e}[{}].len() as i64)", self.index(index)),
            Int::ActivityLen(a) => format!("(a{a}.len() as i64)"),
            Int::LineLen(l) => format!("(q{l}.len() as i64)"),
            Int::Alive(a) => format!("(a{a}.alive(k{a}) as i64)"),
            Int::Own(a) => format!("p{a}[me]"),
            Int::Other(a) => format!("(if a{a}.alive(k{a}) {{ p{a}[k{a}] }} else {{ -1 }})"),
            Int::Add(a, b) => format!("({} + {})", self.int(a), self.int(b)),
            Int::Sub(a, b) => format!("({} - {})", self.int(a), self.int(b)),
            Int::Mul(a, b) => format!("({} * {})", self.int(a), self.int(b)),
        }
    }

    pub(crate) fn test(&self, test: &Test) -> String {
        let sign = |relation: &Relation| match relation {
            Relation::Less => "<",
            Relation::Equal => "==",
            Relation::Greater => ">",
        };
        match test {
            Test::Compare(left, relation, right) => {
                format!("(({}).rem_euclid({MODULUS}) {} {})", self.int(left), sign(relation), self.int(right))
            }
            Test::Plain(left, relation, right) => {
                format!("({} {} {})", self.int(left), sign(relation), self.int(right))
            }
            Test::And(a, b) => format!("({} && {})", self.test(a), self.test(b)),
            Test::Or(a, b) => format!("({} || {})", self.test(a), self.test(b)),
            Test::Not(a) => format!("!{}", self.test(a)),
        }
    }

    fn length(&self, length: &Length) -> String {
        match length {
            Length::Quarters { least, of, among } => {
                self.units(&format!("{least} + ({}).rem_euclid({among})", self.int(of)))
            }
            Length::Drawn { of, among } => {
                let least = self.units(&format!("1 + ({}).rem_euclid({among})", self.int(of)));
                if self.ticks {
                    format!("{least} + rng.random_range(0..3_u64)")
                } else {
                    format!("{least} * rng.sample::<f64, _>(Exp1)")
                }
            }
            Length::Left(f) => format!("f{f}"),
        }
    }

    fn speed(&self, e: &Int) -> String {
        format!("0.5 * ({}).rem_euclid(3) as f64", self.int(e))
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Scalar(s) => format!("s{s}"),
            Target::Element(x, index) => format!("x{x}[{}]", self.index(index)),
            Target::Own(a) => format!("p{a}[me]"),
        }
    }

    fn arguments(&self, arguments: &[Argument]) -> String {
        let all: Vec<String> = arguments
            .iter()
            .map(|argument| match argument {
                Argument::Number(e) => self.int(e),
                Argument::Index(index) => self.index(index),
            })
            .collect();
        all.join(", ")
    }

    fn wait(&self, wait: &Wait) -> String {
        let (name, what) = match &wait.kind {
            Kind::Delay(length) => ("wait", self.length(length)),
            Kind::Until(length) => ("wait_until", format!("now + {}", self.length(length))),
            Kind::For(test) => ("wait_for", self.test(test)),
            Kind::Join(a) => return format!("a{a}.join(k{a})"),
            Kind::Run(a, arguments) => return format!("a{a}.run({})", self.arguments(arguments)),
        };
        let mut out = format!("{name}({what}");
        if let Some(speed) = &wait.speed {
            let _ = write!(out, ", speed = {}", self.speed(speed));
        }
        if let Some(timeout) = &wait.timeout {
            let _ = write!(out, ", timeout = {}", self.length(timeout));
        }
        if let Some(unless) = &wait.unless {
            let _ = write!(out, ", unless = {}", self.test(unless));
        }
        if let Some(line) = wait.line {
            let _ = write!(out, ", line = q{line}");
        }
        out.push_str(&self.priority(wait.priority.as_ref()));
        out.push(')');
        out
    }

    fn body(&self, body: &[Statement], of: Option<usize>, deep: usize) -> String {
        body.iter()
            .map(|statement| format!("{}{}\n", "    ".repeat(deep), self.statement(statement, of, deep)))
            .collect()
    }

    fn braces(&self, body: &[Statement], of: Option<usize>, deep: usize) -> String {
        format!("{{\n{}{}}}", self.body(body, of, deep + 1), "    ".repeat(deep))
    }

    fn statement(&self, statement: &Statement, of: Option<usize>, deep: usize) -> String {
        let braces = |body: &[Statement]| self.braces(body, of, deep);
        let set = |into: usize, what: &str| format!("s{into} = ({what}).rem_euclid({MODULUS});");
        match statement {
            Statement::Assign(target, e) => {
                format!("{} = ({}).rem_euclid({MODULUS});", self.target(target), self.int(e))
            }
            Statement::Increase(target, e) => {
                let target = self.target(target);
                format!("{target} += {}; {target} = {target}.rem_euclid({MODULUS});", self.int(e))
            }
            Statement::Due(e) => {
                format!("due = now + {};", self.units(&format!("1 + ({}).rem_euclid(5)", self.int(e))))
            }
            Statement::Draw(target) => format!("{} = rng.random_range(0..{MODULUS});", self.target(target)),
            Statement::Let(l, e) => format!("let mut l{l}: i64 = ({}).rem_euclid({LOCALS});", self.int(e)),
            Statement::Set(l, e) => format!("l{l} = ({}).rem_euclid({LOCALS});", self.int(e)),
            Statement::Tally(e) => format!("t0 += ({}).rem_euclid({LOCALS});", self.int(e)),
            Statement::Schedule { event, index, at, delay, arguments, priority, keep } => {
                let keep = if *keep { format!("h{event} = ") } else { String::new() };
                let index = index.as_ref().map_or_else(String::new, |index| format!("[{}]", self.index(index)));
                let (method, when) =
                    if *at { ("at", format!("now + {}", self.length(delay))) } else { ("after", self.length(delay)) };
                let mut all = vec![when];
                if !arguments.is_empty() {
                    all.push(self.arguments(arguments));
                }
                format!("{keep}e{event}{index}.{method}({}{});", all.join(", "), self.priority(priority.as_ref()))
            }
            Statement::Cancel { event, into } => {
                let pattern = match self.events[*event].parameters.len() {
                    0 => "_payload".to_owned(),
                    1 => "payload".to_owned(),
                    more => format!("(payload{})", ", _".repeat(more - 1)),
                };
                let value = match self.events[*event].parameters.first() {
                    Some(_) => "payload as i64 + 1",
                    None => "1_i64",
                };
                format!("if let Some({pattern}) = e{event}.cancel(h{event}) {{ {} }}", set(*into, value))
            }
            Statement::Reschedule { event, delay, into } => format!(
                "if e{event}.reschedule(h{event}, now + {}) {{ {} }}",
                self.length(delay),
                set(*into, &format!("s{into} + 1"))
            ),
            Statement::When { event, into } => format!(
                "if let Some(moment) = e{event}.when(h{event}) {{ {} }}",
                set(*into, &self.count("(moment - now)"))
            ),
            Statement::Clear(event, None) => format!("e{event}.clear();"),
            Statement::Clear(event, Some(index)) => format!("e{event}[{}].clear();", self.index(index)),
            Statement::Start { activity, arguments, keep } => {
                let keep = if *keep { format!("k{activity} = ") } else { String::new() };
                format!("{keep}a{activity}.start({});", self.arguments(arguments))
            }
            Statement::Abort { activity, into: None } => format!("a{activity}.abort(k{activity});"),
            Statement::Abort { activity, into: Some(into) } => {
                format!("if a{activity}.abort(k{activity}) {{ {} }}", set(*into, &format!("s{into} + 2")))
            }
            Statement::AbortMe => format!("a{0}.abort(me);", of.expect("it is an activity")),
            Statement::KeepMe => format!("k{} = me;", of.expect("it is an activity")),
            Statement::Each(v, body) => format!("for v{v} in sa {}", braces(body)),
            Statement::Count(l, times, body) => format!("for l{l} in 0..{times}_i64 {}", braces(body)),
            Statement::Loop(body) => format!("loop {}", braces(body)),
            Statement::While(test, body) => format!("while {} {}", self.test(test), braces(body)),
            Statement::If(test, yes, no) if no.is_empty() => format!("if {} {}", self.test(test), braces(yes)),
            Statement::If(test, yes, no) => format!("if {} {} else {}", self.test(test), braces(yes), braces(no)),
            Statement::Match(e, arms) => {
                let mut out = format!("match ({}).rem_euclid({}) {{\n", self.int(e), arms.len());
                let indent = "    ".repeat(deep + 1);
                for (at, arm) in arms.iter().enumerate() {
                    let pattern = if at + 1 == arms.len() { "_".to_owned() } else { at.to_string() };
                    let _ = writeln!(out, "{indent}{pattern} => {}", self.braces(arm, of, deep + 1));
                }
                out + &"    ".repeat(deep) + "}"
            }
            Statement::Block(body) => braces(body),
            Statement::Defer(body) => format!("defer {}", braces(body)),
            Statement::Break(label) => format!("break{};", label.map_or_else(String::new, |z| format!(" 'z{z}"))),
            Statement::Continue(label) => {
                format!("continue{};", label.map_or_else(String::new, |z| format!(" 'z{z}")))
            }
            Statement::Labelled(z, inner) => format!("'z{z}: {}", self.statement(inner, of, deep)),
            Statement::Fix(v, index) => format!("let v{v}: usize = {};", self.index(index)),
            Statement::Other(a, e) => {
                format!("if a{a}.alive(k{a}) {{ p{a}[k{a}] = ({}).rem_euclid({MODULUS}); }}", self.int(e))
            }
            Statement::Return(e) => match of.map(|a| self.activities[a].outcome) {
                None | Some(Outcome::Nothing) => "return;".to_owned(),
                Some(Outcome::Number) => format!("return {};", self.int(e)),
                Some(Outcome::Fallible) => format!("return Ok({});", self.int(e)),
            },
            Statement::Fail(test) => format!("if {} {{ Err(\"no\".to_owned())?; }}", self.test(test)),
            Statement::Again(wait, to) => format!("f{to} = {};", self.wait(wait)),
            Statement::Wait(wait, None) => format!("{};", self.wait(wait)),
            Statement::Wait(wait, Some(to)) => {
                let pattern = match (wait.gives(), &wait.kind) {
                    (Gives::Left, _) => format!("mut f{to}: {}", self.time()),
                    (Gives::Held, _) => format!("b{to}: bool"),
                    (Gives::Result, Kind::Join(a) | Kind::Run(a, _)) => {
                        let none = self.activities[*a].outcome == Outcome::Nothing;
                        format!("o{to}: Option<{}>", if none { "()" } else { "i64" })
                    }
                    _ => unreachable!("it gives nothing"),
                };
                format!("let {pattern} = {};", self.wait(wait))
            }
            Statement::IfWait { wait, not, yes, no } => {
                let not = if *not { "!" } else { "" };
                let or = if no.is_empty() { String::new() } else { format!(" else {}", braces(no)) };
                format!("if {not}{} {}{or}", self.wait(wait), braces(yes))
            }
            Statement::WhileWait { wait, not, body } => {
                format!("while {}{} {}", if *not { "!" } else { "" }, self.wait(wait), braces(body))
            }
        }
    }
}
