//! Random models with families and relations as data: printed as `simulation!` blocks for the
//! compiler, and walked by the reference engine. The two must not share anything but this
//! description.

// The build script uses the printing, the test the rest.
#![allow(dead_code)]

use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Integer states are kept in 0..MODULUS.
pub(crate) const MODULUS: i64 = 7;

/// Scalar states `s0`, `s1`.
pub(crate) const SCALARS: usize = 2;

/// Where the size of a set stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    Literal,
    Param,
    Generic,
}

/// `index sa = 0..…;`, `index sb = 0..…;`
#[derive(Clone, Debug)]
pub(crate) struct Set {
    pub size: usize,
    pub written: Size,
}

/// `relation r0(v0 in sa) -> sb = …, inverse b0;`
#[derive(Clone, Debug)]
pub(crate) struct Relation {
    pub rows: Vec<usize>,
    pub target: usize,
    /// For each row its members, with a value.
    pub members: Vec<Vec<(usize, i64)>>,
    pub valued: bool,
    pub inverse: bool,
    /// `state relation`
    pub changing: bool,
    /// Both neighbours on a ring, by a formula.
    pub ring: bool,
}

/// What an item is a family over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Over {
    /// A product of sets; of none: a single item.
    Sets(Vec<usize>),
    Pairs(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Initial {
    Table(Vec<i64>),
    /// `((v0 + 2 * v1 + 1) % 7) as i64`
    Formula,
    /// `rng.random_range(0..7)`
    Drawn,
    /// An input.
    Given(Vec<i64>),
    /// `(s0 + x0[v0]).rem_euclid(7)`
    Reads,
}

/// `state x0[v0 in sa]: i64 = …;`
#[derive(Clone, Debug)]
pub(crate) struct Family {
    pub over: Over,
    pub initial: Initial,
}

/// How the amount of a shift, or the size around which it wraps, is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// `(v0 + 1) % 5`, `(v0 + 5 - 1) % 5`
    Plain,
    /// `(v0 - 1) % 5`: in an index only.
    Below,
    /// `(v0 + 1) % sa.len()`
    Len,
    /// `(v0 + q1) % 5` with a param.
    Param,
    /// `(v0 + ONE) % 5` with a constant from outside.
    Outside,
}

#[derive(Clone, Debug)]
pub(crate) enum Index {
    /// `v0`
    Variable(usize),
    /// `v0 + 1` or `v0 - 1`, where something says that it is inside.
    Shift(usize, i64, Style),
    /// `(… + 1) % n`
    Around(Box<Index>, i64, Style),
    /// `(v0 * 2) % n`
    Twice(usize),
    /// `(v0 as usize) % n`, of a variable of any set.
    Cast(usize),
    Constant(usize),
    /// `n - 1`
    Last,
    /// `home[…]`, in set 0.
    Home(Box<Index>),
    /// `pick`, in set 0.
    Pick,
    /// `(…).rem_euclid(n) as usize`
    Value(Box<Int>),
    /// `rng.random_range(0..n)`
    Random,
}

/// What is gone over; a variable stands for each member.
#[derive(Clone, Debug)]
pub(crate) enum Range {
    /// `r0(…)`
    Row { relation: usize, arguments: Vec<Index> },
    /// `b0(…)`
    Inverse { relation: usize, member: Index },
    /// `sa`
    Set(usize),
    /// `0..n`
    Numbers(usize),
    /// `….flat_map(|v1| …)`, or two loops.
    Rows { outer: Box<Range>, variable: usize, inner: Box<Range> },
    /// `….filter(|&v1| …)`
    Filter { range: Box<Range>, variable: usize, test: Box<Test> },
}

impl Range {
    /// Whether an argument reads a state.
    fn reads(&self) -> bool {
        match self {
            Range::Row { arguments, .. } => arguments.iter().any(Index::reads),
            Range::Inverse { member, .. } => member.reads(),
            Range::Set(_) | Range::Numbers(_) => false,
            Range::Rows { .. } | Range::Filter { .. } => true,
        }
    }
}

impl Index {
    /// Whether it is known before an event, from the indices of the item alone.
    pub(crate) fn is_direct(&self) -> bool {
        match self {
            Index::Variable(_) | Index::Shift(..) | Index::Constant(_) | Index::Last => true,
            Index::Around(inner, ..) => inner.is_direct(),
            _ => false,
        }
    }

    /// Whether it reads a state.
    fn reads(&self) -> bool {
        match self {
            Index::Around(inner, ..) => inner.reads(),
            Index::Home(_) | Index::Pick | Index::Value(_) => true,
            _ => false,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Int {
    Constant(i64),
    Scalar(usize),
    /// `x0[…]`, `x1[…][…]`, `x2[(…, …)]`
    Element(usize, Vec<Index>),
    /// `d0[…]`
    Let(usize, Vec<Index>),
    /// `v0 as i64`
    Number(usize),
    /// The value of the pair that variable `v1` came with, or an argument that is a number: `w1`.
    Weight(usize),
    /// `home[…] as i64`
    Home(Index),
    /// `if v0 + 1 < n { x0[v0 + 1] } else { 2 }`
    Edge {
        family: usize,
        variable: usize,
        set: usize,
        by: i64,
        other: i64,
    },
    /// A sum: `….map(|v1| …).sum::<i64>()`
    Sum {
        range: Range,
        variable: usize,
        term: Box<Int>,
    },
    /// The same by `fold`.
    Fold {
        range: Range,
        variable: usize,
        term: Box<Int>,
    },
    /// The same by a `for` loop.
    Loop {
        range: Range,
        variable: usize,
        term: Box<Int>,
    },
    /// `….filter(|&v1| …).count() as i64`
    Count {
        range: Range,
        variable: usize,
        test: Box<Test>,
    },
    /// `x0.iter().sum::<i64>()`
    Whole(usize),
    /// `r0.degree(…) as i64`
    Degree(usize, Vec<Index>),
    /// `r0.contains(…, …) as i64`
    Contains(usize, Vec<Index>),
    /// `r0.value(…, …).unwrap_or(0)`
    Value(usize, Vec<Index>),
    /// `r0.len() as i64`
    Pairs(usize),
    /// `{ let v1 = …; … }`
    With {
        variable: usize,
        set: usize,
        index: Index,
        inner: Box<Int>,
    },
    Add(Box<Int>, Box<Int>),
    Sub(Box<Int>, Box<Int>),
    Mul(Box<Int>, Box<Int>),
}

#[derive(Clone, Debug)]
pub(crate) enum Test {
    Compare {
        left: Int,
        less: bool,
        right: Int,
    },
    /// `v0 + 1 < n`, or `v0 > 0`: a shift is inside.
    Inside {
        variable: usize,
        set: usize,
        by: i64,
    },
    /// `….any(|v1| …)` or `….all(|v1| …)`
    Any {
        range: Range,
        variable: usize,
        all: bool,
        test: Box<Test>,
    },
    And(Box<Test>, Box<Test>),
}

#[derive(Clone, Debug)]
pub(crate) enum Target {
    Scalar(usize),
    Element(usize, Vec<Index>),
}

#[derive(Clone, Debug)]
pub(crate) enum Argument {
    Index(Index),
    Number(Int),
}

#[derive(Clone, Debug)]
pub(crate) enum Statement {
    Assign(Target, Int),
    /// `x += …; x = x.rem_euclid(…);`
    Increase(Target, Int),
    /// `home[…] = (…).rem_euclid(n) as usize;`
    Home(Index, Int),
    /// `home[…] = …;`
    Move(Index, Index),
    /// `pick = …`
    Pick(Int),
    /// `due[…] = now + …;`
    Due(Index, Int),
    For {
        range: Range,
        variable: usize,
        body: Vec<Statement>,
    },
    /// `….for_each(|v1| { … })`
    Each {
        range: Range,
        variable: usize,
        body: Vec<Statement>,
    },
    /// `{ let v1 = …; … }`
    With {
        variable: usize,
        set: usize,
        index: Index,
        body: Vec<Statement>,
    },
    If(Test, Vec<Statement>, Vec<Statement>),
    Call(usize, Vec<Argument>),
    /// `if r0.insert(…, …) { … }`, or without a body a statement; with a value if pairs have some
    Insert(usize, Vec<Index>, Option<Int>, Vec<Statement>),
    Remove(usize, Vec<Index>, Vec<Statement>),
    /// `x0.swap(…, …)`, in a family over one set
    Swap(usize, Index, Index),
    /// `for value in x0.iter_mut() { … }` or `x0.iter_mut().for_each(|value| …)`
    Every(usize, i64, bool),
    /// `x0.fill(…)`
    Fill(usize, Int),
    /// `x0.rotate_left(1)`
    Rotate(usize),
    /// `std::mem::swap(&mut x0[…], &mut x1[…])`
    Exchange(Target, Target),
}

/// An argument of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// `v0 in sa`
    Member(usize),
    /// `w0: i64`
    Number,
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub parameters: Vec<Parameter>,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Let {
    pub over: Vec<usize>,
    pub value: Int,
    pub typed: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Timing {
    /// `rate(0.25 · (E mod 5))`, and something more if it never stops
    Rate(Int, bool),
    /// `at(due[…])`
    Due(Index),
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
        /// A multiple of the first index, or a number.
        from: Option<(bool, i64)>,
    },
    /// Mass action: `reaction c0[…]: 2 x0[…] -> x1[…] @ 0.25;`
    Reaction {
        count: u32,
        left: (usize, Vec<Index>),
        right: (usize, Vec<Index>),
    },
}

impl Timing {
    /// Whether the time is exponential.
    pub(crate) fn is_rate(&self) -> bool {
        matches!(self, Timing::Rate(..) | Timing::Reaction { .. })
    }

    pub(crate) fn is_at(&self) -> bool {
        matches!(self, Timing::Due(_) | Timing::AtFromNow(_) | Timing::AtOnce(_))
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Clock {
    pub over: Over,
    pub select: Option<&'static str>,
    pub guard: Option<Test>,
    pub timing: Timing,
    pub priority: i64,
    pub body: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(crate) struct Model {
    pub next_reaction: bool,
    pub rollback: bool,
    pub sets: Vec<Set>,
    pub relations: Vec<Relation>,
    pub scalars: Vec<i64>,
    pub families: Vec<Family>,
    pub home: Vec<usize>,
    pub pick: usize,
    pub due: Vec<i64>,
    pub lets: Vec<Let>,
    pub actions: Vec<Action>,
    pub init: Vec<Statement>,
    pub clocks: Vec<Clock>,
    pub stop: Option<Test>,
    /// Whether some clock looks at when something it reads is written.
    pub touchy: bool,
}

impl Model {
    /// The sets of a family's indices.
    pub(crate) fn axes(&self, over: &Over) -> Vec<usize> {
        match over {
            Over::Sets(sets) => sets.clone(),
            Over::Pairs(relation) => {
                let relation = &self.relations[*relation];
                relation.rows.iter().copied().chain([relation.target]).collect()
            }
        }
    }

    /// Whether members come and go with the pairs of a relation.
    pub(crate) fn comes_and_goes(&self, over: &Over) -> bool {
        matches!(over, Over::Pairs(relation) if self.relations[*relation].changing)
    }

    pub(crate) fn size(&self, set: usize) -> usize {
        self.sets[set].size
    }

    /// Whether an action can change what is gone over while it is.
    fn changes(&self, range: &Range) -> bool {
        match range {
            Range::Row { relation, .. } | Range::Inverse { relation, .. } => self.relations[*relation].changing,
            Range::Set(_) | Range::Numbers(_) => false,
            Range::Rows { outer, inner, .. } => self.changes(outer) || self.changes(inner) || inner.reads(),
            Range::Filter { .. } => true,
        }
    }

    /// Whether members come with a value.
    pub(crate) fn valued(&self, range: &Range) -> bool {
        match range {
            Range::Row { relation, .. } | Range::Inverse { relation, .. } => self.relations[*relation].valued,
            Range::Set(_) | Range::Numbers(_) => false,
            Range::Rows { inner, .. } => self.valued(inner),
            Range::Filter { range, .. } => self.valued(range),
        }
    }

    /// Whether it takes the same path if every clock is refreshed after every event: no clock asks when
    /// something is written.
    pub(crate) fn can_be_refreshed(&self) -> bool {
        !self.touchy && !self.clocks.iter().any(|clock| clock.timing.is_at())
    }

    /// Families that clocks write, on any branch.
    pub(crate) fn written(&self) -> BTreeSet<usize> {
        self.clocks.iter().flat_map(|clock| self.written_by(clock)).collect()
    }

    /// Families that a clock writes.
    pub(crate) fn written_by(&self, clock: &Clock) -> BTreeSet<usize> {
        let mut written = BTreeSet::new();
        self.families_written(&clock.body, &mut written);
        if let Timing::Reaction { left, right, .. } = &clock.timing {
            if format!("{left:?}") != format!("{right:?}") {
                written.extend([left.0, right.0]);
            }
        }
        written
    }

    /// Whether there is such a statement, on any branch.
    pub(crate) fn has(&self, body: &[Statement], is: &dyn Fn(&Statement) -> bool) -> bool {
        body.iter().any(|statement| {
            is(statement)
                || match statement {
                    Statement::For { body, .. } | Statement::Each { body, .. } | Statement::With { body, .. } => {
                        self.has(body, is)
                    }
                    Statement::If(_, yes, no) => self.has(yes, is) || self.has(no, is),
                    Statement::Insert(_, _, _, body) | Statement::Remove(_, _, body) => self.has(body, is),
                    Statement::Call(action, _) => self.has(&self.actions[*action].body, is),
                    _ => false,
                }
        })
    }

    fn families_written(&self, body: &[Statement], into: &mut BTreeSet<usize>) {
        for statement in body {
            match statement {
                Statement::Assign(target, _) | Statement::Increase(target, _) | Statement::Exchange(target, _) => {
                    if let Target::Element(family, _) = target {
                        into.insert(*family);
                    }
                }
                Statement::For { body, .. } | Statement::Each { body, .. } | Statement::With { body, .. } => {
                    self.families_written(body, into);
                }
                Statement::If(_, yes, no) => {
                    self.families_written(yes, into);
                    self.families_written(no, into);
                }
                Statement::Insert(_, _, _, body) | Statement::Remove(_, _, body) => self.families_written(body, into),
                Statement::Call(action, _) => self.families_written(&self.actions[*action].body, into),
                Statement::Swap(family, ..)
                | Statement::Every(family, ..)
                | Statement::Fill(family, _)
                | Statement::Rotate(family) => {
                    into.insert(*family);
                }
                Statement::Home(..) | Statement::Move(..) | Statement::Pick(_) | Statement::Due(..) => {}
            }
        }
    }
}

// Printing.

const SETS: [&str; 2] = ["sa", "sb"];
const PARAMS: [&str; 2] = ["na", "nb"];
const GENERICS: [&str; 2] = ["A", "B"];

impl Model {
    fn written_size(&self, set: usize) -> String {
        match self.sets[set].written {
            Size::Literal => self.sets[set].size.to_string(),
            Size::Param => PARAMS[set].to_owned(),
            Size::Generic => GENERICS[set].to_owned(),
        }
    }

    fn around(&self, set: usize, style: Style) -> String {
        if style == Style::Len { format!("{}.len()", SETS[set]) } else { self.written_size(set) }
    }

    fn over(&self, over: &Over) -> String {
        match over {
            Over::Sets(sets) => {
                sets.iter().enumerate().map(|(v, &set)| format!("[v{v} in {}]", SETS[set])).collect::<String>()
            }
            Over::Pairs(relation) => {
                let names: Vec<String> = (0..self.axes(over).len()).map(|v| format!("v{v}")).collect();
                format!("[({}) in r{relation}]", names.join(", "))
            }
        }
    }

    fn generics(&self) -> Vec<usize> {
        (0..self.sets.len()).filter(|&set| self.sets[set].written == Size::Generic).collect()
    }

    /// `M0::<5, 3>`.
    pub(crate) fn path(&self, name: &str) -> String {
        let sizes: Vec<String> = self.generics().iter().map(|&set| self.size(set).to_string()).collect();
        if sizes.is_empty() { name.to_owned() } else { format!("{name}::<{}>", sizes.join(", ")) }
    }

    /// An expression for the model with its params and inputs.
    pub(crate) fn instance(&self, name: &str) -> String {
        let path = self.path(name);
        let given = |family: &Family| matches!(family.initial, Initial::Given(_));
        if !self.families.iter().any(given) {
            return format!("{path}::default()");
        }
        let mut fields = String::from("q1: 1, q2: 2, ");
        for (set, of) in self.sets.iter().enumerate() {
            if of.written == Size::Param {
                let _ = write!(fields, "{}: {}, ", PARAMS[set], of.size);
            }
        }
        for (x, family) in self.families.iter().enumerate() {
            if let Initial::Given(values) = &family.initial {
                let array = match family.over.clone() {
                    Over::Sets(sets) => sets.len() == 1 && self.sets[sets[0]].written != Size::Param,
                    Over::Pairs(_) => false,
                };
                let vec = if array { "" } else { "vec!" };
                let _ = write!(fields, "x{x}: {vec}{values:?}, ");
            }
        }
        format!("{path} {{ {fields} }}")
    }

    /// A function that shows the state as the reference does.
    pub(crate) fn shower(&self, name: &str) -> String {
        let mut out = String::new();
        let state = self.path(&format!("{name}State"));
        let _ = writeln!(out, "fn show_{name}(state: &{state}) -> Vec<i64> {{");
        let _ = writeln!(out, "    let mut all: Vec<i64> = vec![state.s0, state.s1, state.pick as i64];");
        for (x, family) in self.families.iter().enumerate() {
            if !self.comes_and_goes(&family.over) {
                let _ = writeln!(out, "    all.extend(state.x{x}.iter());");
            }
        }
        let _ = writeln!(out, "    all.extend(state.home.iter().map(|&at| at as i64));");
        let _ = writeln!(out, "    all.extend(state.due.iter().map(|at| at.to_bits() as i64));");
        for (r, relation) in self.relations.iter().enumerate().filter(|(_, relation)| relation.changing) {
            let _ = writeln!(out, "    for row in 0..state.r{r}.rows() {{\n        all.push(-1);");
            let _ =
                writeln!(out, "        for member in state.r{r}.members(row) {{\n            all.push(member as i64);");
            if relation.valued {
                let _ = writeln!(out, "            all.extend(state.r{r}.value(row, member));");
            }
            for (x, _) in self.families.iter().enumerate().filter(|(_, family)| family.over == Over::Pairs(r)) {
                let _ = writeln!(out, "            all.push(state.x{x}[state.r{r}.find(row, member).unwrap()]);");
            }
            out.push_str("        }\n    }\n");
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
        if self.rollback {
            out.push_str("    #[rollback]\n");
        }
        let generics: Vec<String> =
            self.generics().iter().map(|&set| format!("const {}: usize", GENERICS[set])).collect();
        let generics = if generics.is_empty() { String::new() } else { format!("<{}>", generics.join(", ")) };
        let _ = writeln!(out, "    pub model {name}{generics} {{");
        let _ = writeln!(out, "        param q1: usize = 1;\n        param q2: usize = 2;");
        for (set, of) in self.sets.iter().enumerate() {
            if of.written == Size::Param {
                let _ = writeln!(out, "        param {}: usize = {};", PARAMS[set], of.size);
            }
            let _ = writeln!(out, "        index {} = 0..{};", SETS[set], self.written_size(set));
        }
        for (r, relation) in self.relations.iter().enumerate() {
            let _ = writeln!(out, "        {}", self.relation(r, relation));
        }
        for (s, initial) in self.scalars.iter().enumerate() {
            let _ = writeln!(out, "        state s{s}: i64 = {initial};");
        }
        for (x, family) in self.families.iter().enumerate() {
            let binders = self.axes(&family.over).len();
            let initial = match (&family.initial, &family.over) {
                (Initial::Given(_), _) => String::new(),
                (Initial::Drawn, _) => format!(" = rng.random_range(0..{MODULUS})"),
                (Initial::Reads, _) => format!(" = (s0 + x0[v0]).rem_euclid({MODULUS})"),
                (Initial::Table(values), Over::Sets(sets)) if sets.len() == 1 => format!(" = {values:?}[v0]"),
                _ => {
                    let sum: Vec<String> = (0..binders).map(|v| format!("{} * v{v}", v + 1)).collect();
                    format!(" = (({} + 1) % {MODULUS}) as i64", sum.join(" + "))
                }
            };
            let _ = writeln!(out, "        state x{x}{}: i64{initial};", self.over(&family.over));
        }
        let _ = writeln!(out, "        state home[v0 in sa]: usize = {:?}[v0];", self.home);
        let _ = writeln!(out, "        state pick: usize = {};", self.pick);
        let _ = writeln!(out, "        state due[v0 in sa]: f64 = 0.5 * {:?}[v0] as f64;", self.due);
        for (d, definition) in self.lets.iter().enumerate() {
            let ty = if definition.typed { ": i64" } else { "" };
            let over = self.over(&Over::Sets(definition.over.clone()));
            let _ = writeln!(out, "        let d{d}{over}{ty} = {};", self.int(&definition.value));
        }
        for (a, action) in self.actions.iter().enumerate() {
            let parameters: Vec<String> = action
                .parameters
                .iter()
                .enumerate()
                .map(|(v, parameter)| match parameter {
                    Parameter::Member(set) => format!("v{v} in {}", SETS[*set]),
                    Parameter::Number => format!("w{v}: i64"),
                })
                .collect();
            let _ = writeln!(out, "        action a{a}({}) {{ {} }}", parameters.join(", "), self.body(&action.body));
        }
        if !self.init.is_empty() {
            let _ = writeln!(out, "        init {{ {} }}", self.body(&self.init));
        }
        for (c, clock) in self.clocks.iter().enumerate() {
            if let Some(select) = clock.select {
                let _ = writeln!(out, "        #[select({select})]");
            }
            let keyword = if matches!(clock.timing, Timing::Reaction { .. }) { "reaction" } else { "clock" };
            let _ = write!(out, "        {keyword} c{c}{}", self.over(&clock.over));
            if let Some(guard) = &clock.guard {
                let _ = write!(out, " if {}", self.test(guard));
            }
            let _ = write!(out, ": {}, priority = {}", self.timing(&clock.timing), clock.priority);
            let _ = match (&clock.timing, clock.body.as_slice()) {
                (Timing::Reaction { .. }, _) => writeln!(out, ";"),
                (_, [call @ Statement::Call(..)]) => writeln!(out, " => {}", self.statement(call)),
                (_, body) => writeln!(out, " => {{ {} }}", self.body(body)),
            };
        }
        if let Some(stop) = &self.stop {
            let _ = writeln!(out, "        stop done if {};", self.test(stop));
        }
        out.push_str("    }\n}\n");
        out
    }

    fn relation(&self, r: usize, relation: &Relation) -> String {
        let binders: Vec<String> =
            relation.rows.iter().enumerate().map(|(v, &set)| format!("v{v} in {}", SETS[set])).collect();
        let keyword = if relation.changing { "state relation" } else { "relation" };
        let target = SETS[relation.target];
        let target = if relation.valued { format!("({target}, i64)") } else { target.to_owned() };
        let value = if relation.ring {
            let n = self.written_size(relation.target);
            format!("[(v0 + 1) % {n}, (v0 + {n} - 1) % {n}]")
        } else {
            let rows: Vec<String> = relation
                .members
                .iter()
                .map(|row| {
                    let members: Vec<String> = row
                        .iter()
                        .map(
                            |(member, value)| {
                                if relation.valued { format!("({member}, {value})") } else { member.to_string() }
                            },
                        )
                        .collect();
                    format!("vec![{}]", members.join(", "))
                })
                .collect();
            let ty = if relation.valued { "(usize, i64)" } else { "usize" };
            let row = match relation.rows.as_slice() {
                [_] => "v0".to_owned(),
                sets => format!("v0 * {} + v1", self.written_size(sets[1])),
            };
            format!("{{ let rows: Vec<Vec<{ty}>> = vec![{}]; rows[{row}].clone() }}", rows.join(", "))
        };
        let inverse = if relation.inverse { format!(", inverse b{r}") } else { String::new() };
        format!("{keyword} r{r}({}) -> {target} = {value}{inverse};", binders.join(", "))
    }

    fn amount(by: i64, style: Style) -> String {
        match (style, by.unsigned_abs()) {
            (Style::Param, by @ 1..=2) => format!("q{by}"),
            (Style::Outside, 1) => "ONE".to_owned(),
            (Style::Outside, 2) => "super::TWO".to_owned(),
            (_, by) => by.to_string(),
        }
    }

    /// An index in `set`.
    fn index(&self, index: &Index, set: usize) -> String {
        let n = self.written_size(set);
        match index {
            Index::Variable(v) => format!("v{v}"),
            Index::Shift(v, by, style) => {
                format!("v{v} {} {}", if *by < 0 { "-" } else { "+" }, Self::amount(*by, *style))
            }
            Index::Around(inner, by, style) => {
                let (inner, amount, n) = (self.index(inner, set), Self::amount(*by, *style), self.around(set, *style));
                match (*by < 0, style) {
                    (false, _) => format!("({inner} + {amount}) % {n}"),
                    (true, Style::Below) => format!("({inner} - {amount}) % {n}"),
                    (true, _) => format!("({inner} + {n} - {amount}) % {n}"),
                }
            }
            Index::Twice(v) => format!("(v{v} * 2) % {n}"),
            Index::Cast(v) => format!("(v{v} as usize) % {n}"),
            Index::Constant(at) => at.to_string(),
            Index::Last => format!("{n} - 1"),
            Index::Home(inner) => format!("home[{}]", self.index(inner, 0)),
            Index::Pick => "pick".to_owned(),
            Index::Value(value) => format!("({}).rem_euclid({n} as i64) as usize", self.int(value)),
            Index::Random => format!("rng.random_range(0..{n})"),
        }
    }

    fn indices(&self, indices: &[Index], sets: &[usize]) -> Vec<String> {
        indices.iter().zip(sets).map(|(index, &set)| self.index(index, set)).collect()
    }

    fn element(&self, family: usize, indices: &[Index]) -> String {
        let over = &self.families[family].over;
        let indices = self.indices(indices, &self.axes(over));
        match over {
            Over::Sets(_) => {
                format!("x{family}{}", indices.iter().map(|index| format!("[{index}]")).collect::<String>())
            }
            Over::Pairs(_) => format!("x{family}[({})]", indices.join(", ")),
        }
    }

    fn pair(&self, relation: usize, indices: &[Index]) -> String {
        self.indices(indices, &self.axes(&Over::Pairs(relation))).join(", ")
    }

    fn pattern(&self, range: &Range, variable: usize) -> String {
        if self.valued(range) { format!("(v{variable}, w{variable})") } else { format!("v{variable}") }
    }

    fn range(&self, range: &Range) -> String {
        match range {
            Range::Row { relation, arguments } => {
                let sets = &self.relations[*relation].rows;
                format!("r{relation}({})", self.indices(arguments, sets).join(", "))
            }
            Range::Inverse { relation, member } => {
                format!("b{relation}({})", self.index(member, self.relations[*relation].target))
            }
            Range::Set(set) => SETS[*set].to_owned(),
            Range::Numbers(set) => format!("(0..{})", self.written_size(*set)),
            Range::Rows { outer, variable, inner } => {
                let pattern = self.pattern(outer, *variable);
                format!("{}.flat_map(|{pattern}| {})", self.range(outer), self.range(inner))
            }
            Range::Filter { range, variable, test } => {
                let pattern = self.pattern(range, *variable);
                format!("{}.filter(|&{pattern}| {})", self.range(range), self.test(test))
            }
        }
    }

    /// `for` over a range, with `inner` as its body.
    fn looped(&self, range: &Range, variable: usize, inner: &str, acts: bool) -> String {
        match range {
            Range::Rows { outer, variable: of_outer, inner: range } => {
                let inner = self.looped(range, variable, inner, acts);
                self.looped(outer, *of_outer, &inner, acts)
            }
            _ => {
                let pattern = self.pattern(range, variable);
                // What is gone over cannot be changed meanwhile.
                let kept = if acts && self.changes(range) { ".collect::<Vec<_>>()" } else { "" };
                format!("for {pattern} in {}{kept} {{ {inner} }}", self.range(range))
            }
        }
    }

    fn int(&self, e: &Int) -> String {
        match e {
            Int::Constant(value) => format!("{value}_i64"),
            Int::Scalar(s) => format!("s{s}"),
            Int::Element(family, indices) => self.element(*family, indices),
            Int::Let(d, indices) => {
                let indices = self.indices(indices, &self.lets[*d].over);
                format!("d{d}{}", indices.iter().map(|index| format!("[{index}]")).collect::<String>())
            }
            Int::Number(v) => format!("(v{v} as i64)"),
            Int::Weight(v) => format!("w{v}"),
            Int::Home(index) => format!("(home[{}] as i64)", self.index(index, 0)),
            Int::Edge { family, variable, set, by, other } => {
                let inside = self.test(&Test::Inside { variable: *variable, set: *set, by: *by });
                let element = self.element(*family, &[Index::Shift(*variable, *by, Style::Plain)]);
                format!("(if {inside} {{ {element} }} else {{ {other} }})")
            }
            Int::Sum { range, variable, term } => {
                let pattern = self.pattern(range, *variable);
                format!("{}.map(|{pattern}| {}).sum::<i64>()", self.range(range), self.int(term))
            }
            Int::Fold { range, variable, term } => {
                let pattern = self.pattern(range, *variable);
                format!("{}.fold(0_i64, |sum, {pattern}| sum + {})", self.range(range), self.int(term))
            }
            Int::Loop { range, variable, term } => {
                let inner = format!("total{variable} += {};", self.int(term));
                let looped = self.looped(range, *variable, &inner, false);
                format!("{{ let mut total{variable} = 0_i64; {looped} total{variable} }}")
            }
            Int::Count { range, variable, test } => {
                let pattern = self.pattern(range, *variable);
                format!("({}.filter(|&{pattern}| {}).count() as i64)", self.range(range), self.test(test))
            }
            Int::Whole(family) => format!("x{family}.iter().sum::<i64>()"),
            Int::Degree(relation, indices) => {
                format!("(r{relation}.degree({}) as i64)", self.pair(*relation, indices))
            }
            Int::Contains(relation, indices) => {
                format!("(r{relation}.contains({}) as i64)", self.pair(*relation, indices))
            }
            Int::Value(relation, indices) => {
                format!("r{relation}.value({}).unwrap_or(0)", self.pair(*relation, indices))
            }
            Int::Pairs(relation) => format!("(r{relation}.len() as i64)"),
            Int::With { variable, set, index, inner } => {
                format!("{{ let v{variable} = {}; {} }}", self.index(index, *set), self.int(inner))
            }
            Int::Add(a, b) => format!("({} + {})", self.int(a), self.int(b)),
            Int::Sub(a, b) => format!("({} - {})", self.int(a), self.int(b)),
            Int::Mul(a, b) => format!("({} * {})", self.int(a), self.int(b)),
        }
    }

    pub(crate) fn test(&self, test: &Test) -> String {
        match test {
            Test::Compare { left, less, right } => {
                format!("({} {} {})", self.int(left), if *less { "<" } else { "==" }, self.int(right))
            }
            Test::Inside { variable, set, by } if *by >= 0 => {
                format!("v{variable} + {by} < {}", self.written_size(*set))
            }
            Test::Inside { variable, by, .. } => format!("v{variable} > {}", -by - 1),
            Test::Any { range, variable, all, test } => {
                let (method, pattern) = (if *all { "all" } else { "any" }, self.pattern(range, *variable));
                format!("{}.{method}(|{pattern}| {})", self.range(range), self.test(test))
            }
            Test::And(a, b) => format!("{} && {}", self.test(a), self.test(b)),
        }
    }

    fn timing(&self, timing: &Timing) -> String {
        let mut out = String::new();
        match timing {
            Timing::Rate(e, false) => return format!("rate(0.25 * ({}).rem_euclid(5) as f64)", self.int(e)),
            Timing::Rate(e, true) => return format!("rate(0.5 + 0.25 * ({}).rem_euclid(5) as f64)", self.int(e)),
            Timing::Due(index) => return format!("at(due[{}])", self.index(index, 0)),
            Timing::AtFromNow(e) => return format!("at(now + 0.25 * ({}).rem_euclid(6) as f64)", self.int(e)),
            Timing::AtOnce(test) => return format!("at(if {} {{ now }} else {{ never }})", self.test(test)),
            Timing::After { delay, random, redraw, resume, speed } => {
                let _ = write!(out, "after(0.25 * (1 + ({}).rem_euclid(6)) as f64", self.int(delay));
                if *random {
                    out.push_str(" * rng.sample::<f64, _>(Exp1)");
                }
                if *redraw {
                    out.push_str(", redraw");
                }
                if *resume {
                    out.push_str(", resume");
                }
                if let Some(speed) = speed {
                    let _ = write!(out, ", speed(0.5 * ({}).rem_euclid(4) as f64)", self.int(speed));
                }
                out.push(')');
            }
            Timing::Every { period, from } => {
                let _ = write!(out, "every(0.25 * (1 + ({}).rem_euclid(6)) as f64", self.int(period));
                match from {
                    Some((true, by)) => {
                        let _ = write!(out, ", from = 0.125 * ({by} * v0) as f64");
                    }
                    Some((false, at)) => {
                        let _ = write!(out, ", from = 0.125 * {at} as f64");
                    }
                    None => {}
                }
                out.push(')');
            }
            Timing::Reaction { count, left, right } => {
                let count = if *count == 1 { String::new() } else { format!("{count} ") };
                let (left, right) = (self.element(left.0, &left.1), self.element(right.0, &right.1));
                return format!("{count}{left} -> {right} @ 0.25");
            }
        }
        out
    }

    fn body(&self, body: &[Statement]) -> String {
        body.iter().map(|statement| self.statement(statement)).collect::<Vec<_>>().join(" ")
    }

    fn target(&self, target: &Target) -> String {
        match target {
            Target::Scalar(s) => format!("s{s}"),
            Target::Element(family, indices) => self.element(*family, indices),
        }
    }

    fn statement(&self, statement: &Statement) -> String {
        match statement {
            Statement::Assign(target, e) => {
                format!("{} = ({}).rem_euclid({MODULUS});", self.target(target), self.int(e))
            }
            Statement::Increase(target, e) => {
                let target = self.target(target);
                format!("{target} += {}; {target} = {target}.rem_euclid({MODULUS});", self.int(e))
            }
            Statement::Home(at, e) => format!(
                "home[{}] = ({}).rem_euclid({} as i64) as usize;",
                self.index(at, 0),
                self.int(e),
                self.written_size(0)
            ),
            Statement::Move(at, to) => format!("home[{}] = {};", self.index(at, 0), self.index(to, 0)),
            Statement::Pick(e) => {
                format!("pick = ({}).rem_euclid({} as i64) as usize;", self.int(e), self.written_size(0))
            }
            Statement::Due(at, e) => {
                format!("due[{}] = now + 0.25 * ({}).rem_euclid(6) as f64;", self.index(at, 0), self.int(e))
            }
            Statement::For { range, variable, body } => self.looped(range, *variable, &self.body(body), true),
            Statement::Each { range, variable, body } => {
                let kept = if self.changes(range) { ".collect::<Vec<_>>().into_iter()" } else { "" };
                let pattern = self.pattern(range, *variable);
                format!("{}{kept}.for_each(|{pattern}| {{ {} }});", self.range(range), self.body(body))
            }
            Statement::With { variable, set, index, body } => {
                format!("{{ let v{variable} = {}; {} }}", self.index(index, *set), self.body(body))
            }
            Statement::If(test, yes, no) => {
                format!("if {} {{ {} }} else {{ {} }}", self.test(test), self.body(yes), self.body(no))
            }
            Statement::Call(action, arguments) => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .zip(&self.actions[*action].parameters)
                    .map(|(argument, parameter)| match (argument, parameter) {
                        (Argument::Index(index), Parameter::Member(set)) => self.index(index, *set),
                        (Argument::Number(e), _) => self.int(e),
                        (Argument::Index(_), Parameter::Number) => unreachable!("arguments are as declared"),
                    })
                    .collect();
                format!("a{action}({});", arguments.join(", "))
            }
            Statement::Insert(relation, pair, _, body) | Statement::Remove(relation, pair, body) => {
                let (method, value) = match statement {
                    Statement::Insert(_, _, Some(value), _) => ("insert", format!(", {}", self.int(value))),
                    Statement::Insert(..) => ("insert", String::new()),
                    _ => ("remove", String::new()),
                };
                let call = format!("r{relation}.{method}({}{value})", self.pair(*relation, pair));
                if body.is_empty() { format!("{call};") } else { format!("if {call} {{ {} }}", self.body(body)) }
            }
            Statement::Swap(family, a, b) => {
                let set = self.axes(&self.families[*family].over)[0];
                format!("x{family}.swap({}, {});", self.index(a, set), self.index(b, set))
            }
            Statement::Every(family, by, true) => {
                format!("for value in x{family}.iter_mut() {{ *value = (*value + {by}).rem_euclid({MODULUS}); }}")
            }
            Statement::Every(family, by, false) => {
                format!("x{family}.iter_mut().for_each(|value| *value = (*value + {by}).rem_euclid({MODULUS}));")
            }
            Statement::Fill(family, e) => format!("x{family}.fill(({}).rem_euclid({MODULUS}));", self.int(e)),
            Statement::Rotate(family) => format!("x{family}.rotate_left(1);"),
            Statement::Exchange(a, b) => {
                format!("std::mem::swap(&mut {}, &mut {});", self.target(a), self.target(b))
            }
        }
    }
}
