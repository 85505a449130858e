//! From what was written to the members of a clock that read it: index forms are inverted.
//!
//! A clock reads `x[f(k)]` and an action has written `x[e]`; wanted are all `k` with `f(k) = e`. Shifts are
//! undone, relations are walked backwards, and an index that no form determines runs over its whole set.

use crate::resolve::{Atom, Base, Form, Sum};

/// A number in terms of what is known when dependents are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Value {
    pub base: Source,
    pub by: Sum,
    /// The set around whose size it wraps.
    pub wrap: Option<usize>,
    /// The set that the base is a member of.
    pub set: Option<usize>,
}

/// Where a number comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Fixed,
    /// An index of the clock that has rung.
    Own(usize),
    /// An index of an element that was written at run time.
    Written(usize),
    /// A variable of an earlier step.
    Variable(usize),
    Value(Box<Value>),
}

/// A step on the way to the members. Each may fail for some values or hold for several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Only if the number is in the set.
    Within { value: Value, set: usize },
    /// Only if two numbers are equal.
    Equal(Value, Value),
    /// For each row of a relation that holds a member; the row's indices become variables.
    Sources { relation: usize, member: Value, variables: Vec<usize> },
    /// For each member of a row.
    Members { relation: usize, row: Vec<Value>, variable: usize },
    /// For each member of a set.
    All { set: usize, variable: usize },
    /// For each pair in a row of a relation.
    PairsOfRow { relation: usize, row: Vec<Value>, variable: usize },
    /// For each pair with a member.
    PairsOfMember { relation: usize, member: Value, variables: Vec<usize> },
    /// For each pair.
    Pairs { relation: usize, variables: Vec<usize> },
    /// For each clock that has read an element, as it noted itself.
    Readers { place: usize, element: Element },
}

/// An element of a family by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// The one with these indices.
    At(Vec<Value>),
    /// The one that was written at run time.
    Written,
}

/// Which member of the clock it is in the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Member {
    /// The one with these indices.
    At(Vec<Value>),
    /// The pair of the innermost step over pairs, with its indices.
    Pair(Vec<Value>),
    /// The same pair as the clock that has rung.
    OwnPair,
    /// The pair whose element was written at run time, or what has come or gone.
    WrittenPair,
    /// The number of the innermost step over readers.
    Reader,
}

/// Where a route starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// What the clock that has rung says by its own indices.
    Own,
    /// Each element of a family that was written at run time.
    Written(usize),
    /// Each pair of a changing relation, or instance of an activity, that has come or gone.
    Changed(usize),
}

/// How members of a clock are found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub origin: Origin,
    pub steps: Vec<Step>,
    pub member: Member,
}

/// The clock whose members are looked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub sets: &'a [usize],
    pub pairs: Option<usize>,
}

/// What of relations is needed here: the sets of their rows, and of their members.
pub(crate) trait Relations {
    fn rows(&self, relation: usize) -> &[usize];
    fn target(&self, relation: usize) -> usize;
}

impl Value {
    /// A source alone.
    pub(crate) fn plain(base: Source, set: Option<usize>) -> Self {
        Value { base, by: Sum::default(), wrap: None, set }
    }

    /// A direct form of the clock that has rung, whose indices are from `sets`.
    pub(crate) fn of(form: &Form, sets: &[usize]) -> Self {
        let base = match &form.base {
            Base::Binder(number) => Value::plain(Source::Own(*number), sets.get(*number).copied()),
            Base::Form(inner) => Value::of(inner, sets),
            _ => Value::plain(Source::Fixed, None),
        };
        base.plus(&form.by, 1, form.wrap)
    }

    /// `self + factor * by`, wrapped around a set or not.
    fn plus(self, by: &Sum, factor: i64, wrap: Option<usize>) -> Self {
        if by.is_zero() && (wrap.is_none() || wrap == self.wrap) {
            return self;
        }
        // What is in a set already need not be wrapped around it.
        if self.wrap.is_none() || self.wrap == wrap {
            let sum = self.by.clone().plus(by, factor);
            if sum.is_zero() && self.set.is_some() && (wrap.is_none() || wrap == self.set) {
                return Value { by: sum, wrap: None, ..self };
            }
            return Value { by: sum, wrap, ..self };
        }
        let set = self.certain();
        Value { base: Source::Value(Box::new(self)), by: Sum::default().plus(by, factor), wrap, set }
    }

    /// The set that the number is in for certain.
    fn certain(&self) -> Option<usize> {
        if self.wrap.is_some() { self.wrap } else { self.set.filter(|_| self.by.is_zero()) }
    }
}

impl Step {
    /// Whether it may hold several times.
    pub(crate) fn is_loop(&self) -> bool {
        !matches!(self, Step::Within { .. } | Step::Equal(..))
    }
}

impl Route {
    /// Whether it leads to one member at most, without a loop.
    pub(crate) fn is_direct(&self) -> bool {
        self.origin == Origin::Own && !self.steps.iter().any(Step::is_loop)
    }

    /// The clock that has rung itself.
    pub(crate) fn itself(target: Target<'_>) -> Self {
        let own = |(number, &set): (usize, &usize)| Value::plain(Source::Own(number), Some(set));
        let member = match target.pairs {
            Some(_) => Member::OwnPair,
            None => Member::At(target.sets.iter().enumerate().map(own).collect()),
        };
        Route { origin: Origin::Own, steps: Vec::new(), member }
    }

    /// Every member.
    pub(crate) fn all(origin: Origin, target: Target<'_>, relations: &dyn Relations) -> Self {
        Solver::new(target, relations).finish(origin)
    }

    /// A member that has come or gone.
    pub(crate) fn come_or_gone(place: usize) -> Self {
        Route { origin: Origin::Changed(place), steps: Vec::new(), member: Member::WrittenPair }
    }

    /// Whether it leads to a member that has come or gone.
    pub(crate) fn is_come_or_gone(&self) -> bool {
        matches!(self.origin, Origin::Changed(_)) && self.member == Member::WrittenPair
    }

    /// The readers of an element, as they have noted it.
    pub(crate) fn readers(origin: Origin, place: usize, element: Element) -> Self {
        Route { origin, steps: vec![Step::Readers { place, element }], member: Member::Reader }
    }

    /// The members that read, by `forms`, the element at `values`.
    pub(crate) fn invert(
        origin: Origin,
        forms: &[Form],
        values: &[Value],
        target: Target<'_>,
        relations: &dyn Relations,
    ) -> Self {
        let mut solver = Solver::new(target, relations);
        for (form, value) in forms.iter().zip(values) {
            solver.solve(form, value.clone());
        }
        solver.finish(origin)
    }

    /// The same for an element that belongs to a pair of the relation over whose pairs the clock is.
    pub(crate) fn same_pair(origin: Origin) -> Self {
        let member = if origin == Origin::Own { Member::OwnPair } else { Member::WrittenPair };
        Route { origin, steps: Vec::new(), member }
    }
}

/// Whether forms are the item's indices themselves.
pub(crate) fn are_indices(forms: &[Form]) -> bool {
    forms.iter().enumerate().all(|(number, form)| *form == Form::plain(Base::Binder(number)))
}

struct Solver<'a> {
    target: Target<'a>,
    relations: &'a dyn Relations,
    steps: Vec<Step>,
    bound: Vec<Option<Value>>,
    variables: usize,
}

impl<'a> Solver<'a> {
    fn new(target: Target<'a>, relations: &'a dyn Relations) -> Self {
        Solver { target, relations, steps: Vec::new(), bound: vec![None; target.sets.len()], variables: 0 }
    }

    fn variable(&mut self) -> usize {
        self.variables += 1;
        self.variables - 1
    }

    fn solve(&mut self, form: &Form, value: Value) {
        let back = |value: Value| value.plus(&form.by, -1, form.wrap);
        match &form.base {
            Base::Every | Base::Unknown => {}
            Base::Fixed => {
                let fixed = Value { by: form.by.clone(), wrap: form.wrap, ..Value::plain(Source::Fixed, None) };
                self.steps.push(Step::Equal(value, fixed));
            }
            Base::Binder(number) => self.bind(*number, back(value)),
            Base::Form(inner) => self.solve(inner, back(value)),
            Base::Member { relation, inverse: false, args } => {
                let sets = self.relations.rows(*relation).to_vec();
                let variables: Vec<usize> = sets.iter().map(|_| self.variable()).collect();
                self.steps.push(Step::Sources {
                    relation: *relation,
                    member: back(value),
                    variables: variables.clone(),
                });
                for ((arg, variable), set) in args.iter().zip(variables).zip(sets) {
                    self.solve(arg, Value::plain(Source::Variable(variable), Some(set)));
                }
            }
            Base::Member { relation, inverse: true, args } => {
                let variable = self.variable();
                let row = vec![back(value)];
                self.steps.push(Step::Members { relation: *relation, row, variable });
                let set = self.relations.target(*relation);
                if let Some(arg) = args.first() {
                    self.solve(arg, Value::plain(Source::Variable(variable), Some(set)));
                }
            }
        }
    }

    /// Index `number` of the clock is `value`.
    fn bind(&mut self, number: usize, value: Value) {
        match &self.bound[number] {
            Some(known) if *known == value => {}
            Some(known) => {
                let known = known.clone();
                self.steps.push(Step::Equal(value, known));
            }
            None => {
                let set = self.target.sets[number];
                if value.certain() != Some(set) {
                    self.steps.push(Step::Within { value: value.clone(), set });
                }
                self.bound[number] = Some(value);
            }
        }
    }

    fn finish(mut self, origin: Origin) -> Route {
        let Some(relation) = self.target.pairs else {
            for number in 0..self.bound.len() {
                if self.bound[number].is_none() {
                    let (set, variable) = (self.target.sets[number], self.variable());
                    self.steps.push(Step::All { set, variable });
                    self.bound[number] = Some(Value::plain(Source::Variable(variable), Some(set)));
                }
            }
            let member = Member::At(self.bound.into_iter().flatten().collect());
            return Route { origin, steps: self.steps, member };
        };
        let last = self.bound.len() - 1;
        let row: Option<Vec<Value>> = self.bound[..last].iter().cloned().collect();
        match (row, self.bound[last].clone()) {
            (Some(row), _) => {
                let variable = self.variable();
                self.steps.push(Step::PairsOfRow { relation, row, variable });
                self.bind(last, Value::plain(Source::Variable(variable), Some(self.target.sets[last])));
            }
            (None, member) => {
                let variables: Vec<usize> = (0..=last).map(|_| self.variable()).collect();
                match member {
                    Some(member) => {
                        let variables = variables[..last].to_vec();
                        self.steps.push(Step::PairsOfMember { relation, member, variables });
                    }
                    None => {
                        self.steps.push(Step::Pairs { relation, variables: variables.clone() });
                        let value = Value::plain(Source::Variable(variables[last]), Some(self.target.sets[last]));
                        self.bind(last, value);
                    }
                }
                for (number, variable) in variables[..last].iter().enumerate() {
                    let set = Some(self.target.sets[number]);
                    self.bind(number, Value::plain(Source::Variable(*variable), set));
                }
            }
        }
        let member = Member::Pair(self.bound.into_iter().flatten().collect());
        Route { origin, steps: self.steps, member }
    }
}

/// Names, for printing routes.
pub(crate) struct Naming<'a> {
    /// Indices of the clock that has rung.
    pub own: &'a [String],
    pub sets: &'a [String],
    pub relations: &'a [String],
    pub place: &'a dyn Fn(usize) -> String,
}

impl Route {
    /// The members as text, such as `[k + 1]` or `[near⁻¹(k)]`.
    pub(crate) fn text(&self, naming: &Naming<'_>) -> String {
        let written = match self.origin {
            Origin::Own => String::new(),
            Origin::Written(place) | Origin::Changed(place) => format!("?{}", (naming.place)(place)),
        };
        let mut variables: std::collections::BTreeMap<usize, String> = std::collections::BTreeMap::new();
        let mut pair = String::new();
        for step in &self.steps {
            let value = |value: &Value| value.text(naming, &written, &variables);
            match step {
                Step::Within { .. } | Step::Equal(..) => {}
                Step::Sources { relation, member, variables: new }
                | Step::PairsOfMember { relation, member, variables: new } => {
                    let text = format!("{}⁻¹({})", naming.relations[*relation], value(member));
                    for (part, &variable) in new.iter().enumerate() {
                        let text = if new.len() > 1 { format!("{text}.{part}") } else { text.clone() };
                        variables.insert(variable, text);
                    }
                }
                Step::Members { relation, row, variable } | Step::PairsOfRow { relation, row, variable } => {
                    let row: Vec<String> = row.iter().map(value).collect();
                    variables.insert(*variable, format!("{}({})", naming.relations[*relation], row.join(", ")));
                }
                Step::All { variable, .. } => {
                    variables.insert(*variable, "*".to_owned());
                }
                Step::Pairs { variables: new, .. } => {
                    for &variable in new {
                        variables.insert(variable, "*".to_owned());
                    }
                }
                Step::Readers { place, .. } => pair = format!("tracked {}", (naming.place)(*place)),
            }
        }
        let value = |value: &Value| value.text(naming, &written, &variables);
        match &self.member {
            Member::At(values) => values.iter().map(|v| format!("[{}]", value(v))).collect(),
            Member::Pair(values) => format!("[({})]", values.iter().map(value).collect::<Vec<_>>().join(", ")),
            Member::OwnPair => format!("[({})]", naming.own.join(", ")),
            Member::WrittenPair => format!("[{written}]"),
            Member::Reader => format!("[{pair}]"),
        }
    }
}

impl Value {
    fn text(
        &self,
        naming: &Naming<'_>,
        written: &str,
        variables: &std::collections::BTreeMap<usize, String>,
    ) -> String {
        let mut text = match &self.base {
            Source::Fixed => String::new(),
            Source::Own(number) => naming.own[*number].clone(),
            Source::Written(_) => written.to_owned(),
            Source::Variable(variable) => variables.get(variable).cloned().unwrap_or_default(),
            Source::Value(inner) => inner.text(naming, written, variables),
        };
        let mut add = |count: i64, what: &str| {
            let sign = if count < 0 { '-' } else { '+' };
            let amount = match (count.unsigned_abs(), what) {
                (amount, "") => amount.to_string(),
                (1, what) => what.to_owned(),
                (amount, what) => format!("{amount} {what}"),
            };
            match (text.is_empty(), sign) {
                (true, '+') => text = amount,
                (true, _) => text = format!("-{amount}"),
                (false, sign) => text = format!("{text} {sign} {amount}"),
            }
        };
        for (atom, count) in self.by.terms.values() {
            match atom {
                Atom::Param(place) => add(*count, &(naming.place)(*place)),
                Atom::Size(set) => add(*count, &format!("{}.len()", naming.sets[*set])),
                Atom::Outside(path) => add(*count, &path.to_string()),
            }
        }
        if self.by.literal != 0 || self.base == Source::Fixed && self.by.terms.is_empty() {
            add(self.by.literal, "");
        }
        match self.wrap {
            Some(set) if text.contains(' ') => format!("({text}) % {}", naming.sets[set]),
            Some(set) => format!("{text} % {}", naming.sets[set]),
            None => text,
        }
    }
}
