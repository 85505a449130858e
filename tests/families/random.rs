//! Draws the models: always the same ones.

#![allow(dead_code)]

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::chance::{self, Chooses};

use super::description::{
    Action, Argument, Clock, Family, Index, Initial, Int, Let, MODULUS, Model, Over, Parameter, Range, Relation,
    SCALARS, Set, Size, Statement, Style, Target, Test, Timing,
};

/// Models `0..count`.
pub(crate) fn models(count: usize) -> Vec<Model> {
    (0..count).map(model).collect()
}

fn model(number: usize) -> Model {
    let runner = chance::runner(11, number);
    let touchy = number % 5 == 4;
    let mut maker = Maker { runner, model: empty(), touchy, steady: false };
    maker.sets(number);
    maker.relations(number);
    maker.states();
    maker.lets();
    maker.actions();
    maker.init();
    // Above 16, the clocks are no longer one function, and their times no scan. What is one function
    // takes long to compile.
    let large = number == 7 || number == 14;
    let clocks = if large { 17 } else { maker.pick(2..5_usize) };
    for _ in 0..clocks {
        let clock = maker.clock(number % 2 == 1, large);
        maker.model.clocks.push(clock);
    }
    maker.stop();
    maker.model.next_reaction = number % 2 == 1;
    maker.model.rollback = number % 8 == 5;
    maker.model.touchy = touchy;
    maker.model
}

fn empty() -> Model {
    Model {
        next_reaction: false,
        rollback: false,
        sets: Vec::new(),
        relations: Vec::new(),
        scalars: Vec::new(),
        families: Vec::new(),
        home: Vec::new(),
        pick: 0,
        due: Vec::new(),
        lets: Vec::new(),
        actions: Vec::new(),
        init: Vec::new(),
        clocks: Vec::new(),
        stop: None,
        touchy: false,
    }
}

/// A variable in sight.
#[derive(Clone, Copy, Debug)]
struct Variable {
    /// The set that it is a member of; without, it is a number.
    set: Option<usize>,
    /// Whether it comes with a value.
    weighted: bool,
}

#[derive(Clone, Debug, Default)]
struct Scope {
    variables: Vec<Variable>,
    /// The relation whose pair the first variables are.
    pairs: Option<usize>,
    /// Shifts that something says to be inside.
    inside: Vec<(usize, i64)>,
    /// Whether it is an action.
    acts: bool,
    /// How many definitions there are.
    lets: usize,
    /// The row that the innermost variable is from.
    row: Option<(usize, Vec<Index>)>,
}

impl Scope {
    fn with(&self, variable: Variable) -> (usize, Scope) {
        let mut scope = Scope { row: None, ..self.clone() };
        scope.variables.push(variable);
        (self.variables.len(), scope)
    }
}

struct Maker {
    runner: TestRunner,
    model: Model,
    /// Whether the model asks when something is written.
    touchy: bool,
    /// Whether what is read must not depend on what was read before.
    steady: bool,
}

impl Chooses for Maker {
    fn runner(&mut self) -> &mut TestRunner {
        &mut self.runner
    }
}

impl Maker {
    // What there is.

    fn sets(&mut self, number: usize) {
        let count = if number % 4 == 0 { 1 } else { 2 };
        for set in 0..count {
            let size = self.choose(&[(1, 1), (2, 2), (2, 3), (1, 4), (1, 5), (1, 6)]);
            let written = match (number + set * (number / 3 % 2)) % 3 {
                0 => Size::Literal,
                1 => Size::Param,
                _ => Size::Generic,
            };
            self.model.sets.push(Set { size, written });
        }
    }

    fn last_set(&self) -> usize {
        self.model.sets.len() - 1
    }

    fn row(&mut self, target: usize) -> Vec<(usize, i64)> {
        let size = self.model.size(target);
        // Some rows are empty, and some hold a member twice.
        let row = prop::collection::vec((0..size, 1..4_i64), 0..4);
        self.pick(row)
    }

    fn relations(&mut self, number: usize) {
        let last = self.last_set();
        let any = self.pick(0..=last);
        let mut shapes = vec![(vec![0], 0, false, false), (vec![0], last, true, false)];
        if last > 0 {
            shapes.push((vec![0, last], any, false, false));
        }
        if number % 3 != 0 {
            shapes.push((vec![0], any, number % 4 == 2, true));
        }
        for (rows, target, valued, changing) in shapes {
            let count: usize = rows.iter().map(|&set| self.model.size(set)).product();
            let ring = !valued && !changing && rows == [0] && target == 0 && self.chance(1, 4);
            let n = self.model.size(target);
            let members = (0..count)
                .map(|row| if ring { vec![((row + 1) % n, 0), ((row + n - 1) % n, 0)] } else { self.row(target) })
                .collect();
            // The inverse of a relation that changes and has values is not among them.
            let inverse = rows.len() == 1 && (!valued || !changing);
            self.model.relations.push(Relation { rows, target, members, valued, inverse, changing, ring });
        }
    }

    fn states(&mut self) {
        for _ in 0..SCALARS {
            let initial = self.pick(0..MODULUS);
            self.model.scalars.push(initial);
        }
        let last = self.last_set();
        let fixed: Vec<usize> =
            (0..self.model.relations.len()).filter(|&r| !self.model.relations[r].changing).collect();
        let two = fixed.iter().copied().find(|&r| self.model.relations[r].rows.len() == 2);
        let relation = match two.filter(|_| self.chance(1, 3)) {
            Some(relation) => relation,
            None => self.pick(prop::sample::select(fixed)),
        };
        let mut overs =
            vec![Over::Sets(vec![0]), Over::Sets(vec![last]), Over::Sets(vec![0, last]), Over::Pairs(relation)];
        if let Some(changing) = self.changing().filter(|_| self.chance(2, 3)) {
            overs.push(Over::Pairs(changing));
        }
        for over in overs {
            let count: usize = match &over {
                Over::Sets(sets) => sets.iter().map(|&set| self.model.size(set)).product(),
                Over::Pairs(relation) => self.model.relations[*relation].members.iter().map(Vec::len).sum(),
            };
            let values: Vec<i64> = self.pick(prop::collection::vec(0..MODULUS, count));
            let initial = match self.pick(0..6) {
                1..=3 if self.model.comes_and_goes(&over) => Initial::Reads,
                0 => Initial::Drawn,
                1 => Initial::Given(values),
                2 => Initial::Formula,
                _ => Initial::Table(values),
            };
            self.model.families.push(Family { over, initial });
        }
        let n = self.model.size(0);
        self.model.home = self.pick(prop::collection::vec(0..n, n));
        self.model.pick = self.pick(0..n);
        self.model.due = self.pick(prop::collection::vec(0..8_i64, n));
    }

    fn lets(&mut self) {
        let last = self.last_set();
        self.steady = self.touchy;
        for over in [vec![0], vec![last], vec![0, last], Vec::new()] {
            let scope = self.scope_of(&Over::Sets(over.clone()));
            let scope = Scope { lets: self.model.lets.len(), ..scope };
            let value = self.int(&scope, 1);
            // A single one may stand in a closure, where it needs a type.
            let typed = self.chance(1, 2) || over.is_empty();
            self.model.lets.push(Let { over, value, typed });
        }
        self.steady = false;
    }

    fn actions(&mut self) {
        let last = self.last_set();
        let shapes = [
            vec![Parameter::Member(0)],
            vec![Parameter::Member(last), Parameter::Number],
            vec![Parameter::Member(0), Parameter::Member(last)],
        ];
        for parameters in shapes {
            let variables = parameters
                .iter()
                .map(|parameter| match parameter {
                    Parameter::Member(set) => Variable { set: Some(*set), weighted: false },
                    Parameter::Number => Variable { set: None, weighted: true },
                })
                .collect();
            let scope = self.action(Scope { variables, ..Scope::default() });
            let body = self.body(&scope, 1, 1);
            self.model.actions.push(Action { parameters, body });
        }
    }

    fn init(&mut self) {
        if self.chance(1, 4) {
            let scope = self.action(Scope::default());
            self.model.init = self.body(&scope, 1, 1);
        }
    }

    fn stop(&mut self) {
        if self.chance(1, 4) {
            let written: Vec<usize> = self.model.written().into_iter().filter(|&x| x < 3).collect();
            if !written.is_empty() {
                let family = self.pick(prop::sample::select(written));
                let (left, right) = (Int::Whole(family), Int::Constant(1));
                // Not at once.
                if let Initial::Given(values) | Initial::Table(values) = &mut self.model.families[family].initial {
                    values[0] = values[0].max(3);
                }
                self.model.stop = Some(Test::Compare { left, less: true, right });
            }
        }
    }

    fn changing(&self) -> Option<usize> {
        self.model.relations.iter().position(|relation| relation.changing)
    }

    /// A family that can be looked at as a whole.
    fn whole(&mut self) -> usize {
        let model = &self.model;
        let lasting = |&x: &usize| !model.comes_and_goes(&model.families[x].over);
        let all: Vec<usize> = (0..model.families.len()).filter(lasting).collect();
        self.pick(prop::sample::select(all))
    }

    fn scope_of(&self, over: &Over) -> Scope {
        let variables =
            self.model.axes(over).into_iter().map(|set| Variable { set: Some(set), weighted: false }).collect();
        let pairs = match over {
            Over::Pairs(relation) => Some(*relation),
            Over::Sets(_) => None,
        };
        Scope { variables, pairs, lets: self.model.lets.len(), ..Scope::default() }
    }

    fn action(&self, scope: Scope) -> Scope {
        Scope { acts: true, lets: self.model.lets.len(), ..scope }
    }

    // Indices.

    fn members(&self, scope: &Scope, set: usize) -> Vec<usize> {
        (0..scope.variables.len()).filter(|&v| scope.variables[v].set == Some(set)).collect()
    }

    /// An index in `set`; `plain` if it stands where an index is a number like any other.
    fn index(&mut self, scope: &Scope, set: usize, plain: bool) -> Index {
        let own = self.members(scope, set);
        let others: Vec<usize> =
            (0..scope.variables.len()).filter(|&v| scope.variables[v].set.is_some_and(|of| of != set)).collect();
        let can = |yes: bool, weight: u32| if yes { weight } else { 0 };
        let inside: Vec<(usize, i64)> = scope.inside.iter().copied().filter(|(v, _)| own.contains(v)).collect();
        let some = !own.is_empty();
        let options = [
            (can(some, 8), 0),
            (can(some, 5), 1),
            (can(!plain && !inside.is_empty(), 8), 2),
            (can(some, 1), 3),
            (can(!plain && !others.is_empty(), 2), 4),
            (can(!plain, 1), 5),
            (can(set == 0, 2), 6),
            (can(set == 0, 1), 7),
            (can(!plain, 1), 8),
            (can(scope.acts, 1), 9),
            (can(!plain, 1), 10),
            (can(plain, 1), 11),
        ];
        match self.choose(&options) {
            0 => Index::Variable(self.pick(prop::sample::select(own))),
            1 => {
                let v = self.pick(prop::sample::select(own));
                let mut index = self.around(Index::Variable(v), set, plain);
                if self.chance(1, 5) {
                    index = self.around(index, set, plain);
                }
                index
            }
            2 => {
                let (v, by) = self.pick(prop::sample::select(inside));
                let style = self.choose(&[(2, Style::Plain), (1, Style::Param), (1, Style::Outside)]);
                Index::Shift(v, by, style)
            }
            3 => Index::Twice(self.pick(prop::sample::select(own))),
            4 => Index::Cast(self.pick(prop::sample::select(others))),
            5 => Index::Constant(self.pick(0..self.model.size(set))),
            6 => {
                let inner = if self.chance(1, 8) { Index::Pick } else { self.simple(scope, 0) };
                let home = Index::Home(Box::new(inner));
                if self.chance(1, 4) { self.around(home, set, true) } else { home }
            }
            7 => Index::Pick,
            8 => {
                let e = self.leaf(scope, 0);
                Index::Value(Box::new(e))
            }
            9 | 11 if scope.acts => Index::Random,
            10 => Index::Last,
            _ => self.simple(scope, set),
        }
    }

    /// A variable or a constant.
    fn simple(&mut self, scope: &Scope, set: usize) -> Index {
        let own = self.members(scope, set);
        if own.is_empty() {
            Index::Constant(self.pick(0..self.model.size(set)))
        } else {
            Index::Variable(self.pick(prop::sample::select(own)))
        }
    }

    fn around(&mut self, inner: Index, set: usize, plain: bool) -> Index {
        let by = self.choose(&[(4, 1), (4, -1), (1, 2), (1, -2)]);
        let style = self.choose(&[
            (4, Style::Plain),
            (2, Style::Below),
            (2, Style::Len),
            (1, Style::Param),
            (1, Style::Outside),
        ]);
        let style = if plain && style == Style::Below { Style::Plain } else { style };
        // Around 1, `v0 + 1 - 2` would be below 0.
        let low = by < -1 && self.model.size(set) < 2 && style != Style::Below;
        let by = if low { -1 } else { by };
        Index::Around(Box::new(inner), by, style)
    }

    fn indices(&mut self, scope: &Scope, sets: &[usize]) -> Vec<Index> {
        sets.iter().map(|&set| self.index(scope, set, false)).collect()
    }

    /// An element of a family of integers.
    fn element(&mut self, scope: &Scope) -> (usize, Vec<Index>) {
        let over_pairs = (3..self.model.families.len()).collect::<Vec<_>>();
        for family in over_pairs {
            let over = self.model.families[family].over.clone();
            if scope.pairs.map(Over::Pairs).as_ref() == Some(&over) && self.chance(1, 3) {
                return (family, (0..self.model.axes(&over).len()).map(Index::Variable).collect());
            }
            if let Some((relation, arguments)) = scope.row.clone() {
                if !self.touchy && over == Over::Pairs(relation) && self.chance(1, 2) {
                    let last = scope.variables.len() - 1;
                    return (family, arguments.into_iter().chain([Index::Variable(last)]).collect());
                }
            }
        }
        let family = self.pick(0..3_usize);
        let sets = self.model.axes(&self.model.families[family].over);
        (family, self.indices(scope, &sets))
    }

    // Expressions.

    fn relation(&mut self, scope: &Scope, wanted: impl Fn(&Relation) -> bool) -> Option<usize> {
        let _ = scope;
        let all: Vec<usize> = (0..self.model.relations.len()).filter(|&r| wanted(&self.model.relations[r])).collect();
        if all.is_empty() { None } else { Some(self.pick(prop::sample::select(all))) }
    }

    /// What is gone over, and the variable for its members.
    fn range(&mut self, scope: &Scope, depth: u32) -> (Range, Variable) {
        let kind = self.choose(&[
            (6, 0),
            (3, 1),
            (1, 2),
            (1, 3),
            (if depth > 0 { 2 } else { 0 }, 4),
            (if depth > 0 && !self.steady { 1 } else { 0 }, 5),
        ]);
        match kind {
            1 => {
                if let Some(relation) = self.relation(scope, |relation| relation.inverse) {
                    let of = self.model.relations[relation].clone();
                    let member = self.row_index(scope, of.target);
                    let variable = Variable { set: Some(of.rows[0]), weighted: of.valued };
                    return (Range::Inverse { relation, member }, variable);
                }
                self.range(scope, 0)
            }
            2 | 3 => {
                let set = self.pick(0..=self.last_set());
                let variable = Variable { set: Some(set), weighted: false };
                (if kind == 2 { Range::Set(set) } else { Range::Numbers(set) }, variable)
            }
            4 => {
                let (outer, of_outer) = self.range(scope, 0);
                let (variable, inner_scope) = scope.with(of_outer);
                let (inner, of_inner) = self.range(&inner_scope, 0);
                // The variable of the inner one is the next but one.
                (Range::Rows { outer: Box::new(outer), variable, inner: Box::new(inner) }, of_inner)
            }
            5 => {
                let (range, of) = self.range(scope, 0);
                let (variable, inner) = scope.with(of);
                let test = self.compare(&inner, 0);
                (Range::Filter { range: Box::new(range), variable, test: Box::new(test) }, of)
            }
            _ => {
                let relation = self.relation(scope, |_| true).unwrap_or(0);
                let of = self.model.relations[relation].clone();
                let arguments = of.rows.iter().map(|&set| self.row_index(scope, set)).collect();
                (Range::Row { relation, arguments }, Variable { set: Some(of.target), weighted: of.valued })
            }
        }
    }

    /// An index for a row; where what is read must be plain to see, a plain one.
    fn row_index(&mut self, scope: &Scope, set: usize) -> Index {
        if self.steady {
            let index = self.simple(scope, set);
            return if self.chance(1, 3) { self.around(index, set, false) } else { index };
        }
        self.index(scope, set, false)
    }

    /// A range, its variable, and the scope inside.
    fn ranged(&mut self, scope: &Scope, depth: u32) -> (Range, usize, Scope) {
        let (range, of) = self.range(scope, depth);
        // Rows of rows use a variable of their own before this one.
        let mut outer = scope.clone();
        if let Range::Rows { .. } | Range::Filter { .. } = range {
            outer.variables.push(Variable { set: None, weighted: false });
        }
        let (variable, mut inner) = outer.with(of);
        if let Range::Row { relation, arguments } = &range {
            let plain = |index: &Index| match index {
                Index::Variable(_) => true,
                Index::Around(inner, ..) => matches!(**inner, Index::Variable(_)),
                _ => false,
            };
            if arguments.iter().all(plain) {
                inner.row = Some((*relation, arguments.clone()));
            }
        }
        (range, variable, inner)
    }

    fn leaf(&mut self, scope: &Scope, depth: u32) -> Int {
        let numbers: Vec<usize> = (0..scope.variables.len()).filter(|&v| scope.variables[v].set.is_some()).collect();
        let weighted: Vec<usize> = (0..scope.variables.len()).filter(|&v| scope.variables[v].weighted).collect();
        let can = |yes: bool, weight: u32| if yes { weight } else { 0 };
        let deep = depth > 0;
        let edge = scope.variables.iter().any(|v| v.set.is_some());
        let options = [
            (2, 0),
            (2, 1),
            (can(deep, 10), 2),
            (can(scope.lets > 0 && deep && (self.touchy || !self.steady), 3), 3),
            (can(!numbers.is_empty(), 1), 4),
            (can(!weighted.is_empty(), 4), 5),
            (can(deep, 1), 6),
            (can(edge, 2), 7),
            (can(deep, 6), 8),
            (can(deep && !self.steady, 2), 9),
            (can(!self.steady, 1), 10),
            (can(deep, 1), 11),
            (can(deep, 1), 12),
            (can(deep && !self.steady, 1), 13),
            (can(deep, 2), 14),
            (can(deep, 2), 15),
        ];
        match self.choose(&options) {
            0 => Int::Constant(self.pick(0..4_i64)),
            1 => Int::Scalar(self.pick(0..SCALARS)),
            2 => {
                let (family, indices) = self.element(scope);
                Int::Element(family, indices)
            }
            3 => {
                let d = self.pick(0..scope.lets);
                let over = self.model.lets[d].over.clone();
                Int::Let(d, self.indices(scope, &over))
            }
            4 => Int::Number(self.pick(prop::sample::select(numbers))),
            5 => Int::Weight(self.pick(prop::sample::select(weighted))),
            6 => Int::Home(self.simple(scope, 0)),
            7 => {
                let variable = self.pick(prop::sample::select(numbers));
                let set = scope.variables[variable].set.unwrap_or(0);
                let family = self.family_over(set);
                let by = self.choose(&[(2, 1), (2, -1), (1, 2), (1, -2)]);
                Int::Edge { family, variable, set, by, other: self.pick(0..3_i64) }
            }
            8 => {
                let (range, variable, inner) = self.ranged(scope, depth);
                let term = Box::new(self.term(&inner, depth - 1));
                match self.pick(0..3) {
                    0 => Int::Fold { range, variable, term },
                    1 => Int::Loop { range, variable, term },
                    _ => Int::Sum { range, variable, term },
                }
            }
            9 => {
                let (range, variable, inner) = self.ranged(scope, 0);
                let test = Box::new(self.compare(&inner, 0));
                Int::Count { range, variable, test }
            }
            10 => Int::Whole(self.whole()),
            11 => {
                let relation = self.relation(scope, |_| true).unwrap_or(0);
                let sets = self.model.relations[relation].rows.clone();
                Int::Degree(relation, sets.iter().map(|&set| self.row_index(scope, set)).collect())
            }
            12 => {
                let relation = self.relation(scope, |_| true).unwrap_or(0);
                let sets = self.model.axes(&Over::Pairs(relation));
                Int::Contains(relation, sets.iter().map(|&set| self.row_index(scope, set)).collect())
            }
            13 => {
                let relation = self.relation(scope, |_| true).unwrap_or(0);
                Int::Pairs(relation)
            }
            14 => {
                let relation = scope.pairs.filter(|&r| self.model.relations[r].valued);
                match relation.or_else(|| self.relation(scope, |relation| relation.valued)) {
                    Some(relation) => {
                        let sets = self.model.axes(&Over::Pairs(relation));
                        Int::Value(relation, sets.iter().map(|&set| self.simple(scope, set)).collect())
                    }
                    None => Int::Constant(1),
                }
            }
            _ => {
                let set = self.pick(0..=self.last_set());
                let index = self.bound_index(scope, set);
                let (variable, inner) = scope.with(Variable { set: Some(set), weighted: false });
                Int::With { variable, set, index, inner: Box::new(self.term(&inner, depth - 1)) }
            }
        }
    }

    /// What a local variable may be bound to.
    fn bound_index(&mut self, scope: &Scope, set: usize) -> Index {
        let own = self.members(scope, set);
        if own.is_empty() {
            return if scope.acts { Index::Random } else { Index::Value(Box::new(Int::Scalar(0))) };
        }
        let v = Index::Variable(self.pick(prop::sample::select(own)));
        match self.choose(&[(4, 0), (1, 1), (if set == 0 { 2 } else { 0 }, 2), (if scope.acts { 2 } else { 0 }, 3)]) {
            0 => self.around(v, set, true),
            1 => v,
            2 => Index::Home(Box::new(v)),
            _ => Index::Random,
        }
    }

    /// Something in which the innermost variable is likely.
    fn term(&mut self, scope: &Scope, depth: u32) -> Int {
        let last = scope.variables.len() - 1;
        if scope.row.is_some() && self.chance(1, 3) {
            let (family, indices) = self.element(scope);
            return Int::Element(family, indices);
        }
        if let Some(set) = scope.variables[last].set.filter(|_| self.chance(2, 3)) {
            let family = self.family_over(set);
            let index = match self.pick(0..4) {
                0 => self.around(Index::Variable(last), set, false),
                _ => Index::Variable(last),
            };
            let element = Int::Element(family, vec![index]);
            if scope.variables[last].weighted {
                return Int::Mul(Box::new(Int::Weight(last)), Box::new(element));
            }
            return element;
        }
        self.leaf(scope, depth.max(1))
    }

    /// A family over one set.
    fn family_over(&mut self, set: usize) -> usize {
        let over = Over::Sets(vec![set]);
        let all: Vec<usize> = (0..self.model.families.len()).filter(|&x| self.model.families[x].over == over).collect();
        self.pick(prop::sample::select(all))
    }

    fn int(&mut self, scope: &Scope, depth: u32) -> Int {
        let first = self.leaf(scope, depth);
        match self.pick(0..6) {
            0 => Int::Add(Box::new(first), Box::new(self.leaf(scope, depth))),
            1 => Int::Sub(Box::new(first), Box::new(self.leaf(scope, depth))),
            2 => Int::Mul(Box::new(first), Box::new(self.leaf(scope, depth))),
            _ => first,
        }
    }

    fn compare(&mut self, scope: &Scope, depth: u32) -> Test {
        let left = if scope.variables.is_empty() { self.int(scope, depth) } else { self.term(scope, depth) };
        let right = if self.chance(2, 3) { Int::Constant(self.pick(1..5_i64)) } else { self.int(scope, depth) };
        Test::Compare { left, less: self.chance(3, 4), right }
    }

    fn test(&mut self, scope: &Scope, depth: u32) -> Test {
        if !self.steady && self.chance(1, 5) {
            let (range, variable, inner) = self.ranged(scope, 0);
            let test = Box::new(self.compare(&inner, 0));
            return Test::Any { range, variable, all: self.chance(1, 3), test };
        }
        let (left, less) = (self.int(scope, depth), self.chance(3, 4));
        // One that holds rather often.
        let right = if self.chance(1, 2) { Int::Constant(self.pick(2..6_i64)) } else { self.int(scope, depth) };
        Test::Compare { left, less, right }
    }

    // Actions.

    fn target(&mut self, scope: &Scope) -> Target {
        if self.chance(1, 6) {
            return Target::Scalar(self.pick(0..SCALARS));
        }
        let (family, indices) = self.element(scope);
        Target::Element(family, indices)
    }

    fn body(&mut self, scope: &Scope, depth: u32, least: usize) -> Vec<Statement> {
        let count = self.choose(&[(2, least), (1, 2)]);
        (0..count).map(|_| self.statement(scope, depth)).collect()
    }

    fn statement(&mut self, scope: &Scope, depth: u32) -> Statement {
        let can = |yes: bool, weight: u32| if yes { weight } else { 0 };
        let deep = depth > 0;
        let calls = !self.model.actions.is_empty();
        let changing = self.changing();
        let options = [
            (6, 0),
            (6, 1),
            (2, 2),
            (1, 3),
            (1, 4),
            (2, 5),
            (can(deep, 3), 6),
            (can(deep, 2), 7),
            (can(deep, 2), 8),
            (can(deep, 2), 9),
            (can(calls, 6), 10),
            (can(changing.is_some(), 5), 11),
            (can(!self.touchy, 1), 12),
            (can(!self.touchy, 1), 13),
            (can(!self.touchy, 1), 14),
            (1, 15),
        ];
        match self.choose(&options) {
            0 => Statement::Assign(self.target(scope), self.int(scope, 1)),
            1 => {
                let target = self.target(scope);
                Statement::Increase(steady_target(target), self.int(scope, 1))
            }
            2 => Statement::Home(self.index(scope, 0, false), self.int(scope, 1)),
            3 => Statement::Move(self.index(scope, 0, false), self.index(scope, 0, true)),
            4 => Statement::Pick(self.int(scope, 1)),
            5 => Statement::Due(self.index(scope, 0, false), self.int(scope, 1)),
            kind @ 6..=7 => {
                let (range, variable, inner) = self.ranged(scope, depth);
                let body = self.loop_body(&inner, depth - 1);
                if kind == 6 {
                    Statement::For { range, variable, body }
                } else {
                    Statement::Each { range, variable, body }
                }
            }
            8 => {
                let set = self.pick(0..=self.last_set());
                let index = self.bound_index(scope, set);
                let (variable, inner) = scope.with(Variable { set: Some(set), weighted: false });
                Statement::With { variable, set, index, body: self.loop_body(&inner, depth - 1) }
            }
            9 => {
                let test = self.test(scope, 1);
                Statement::If(test, self.body(scope, depth - 1, 1), self.body(scope, depth - 1, 0))
            }
            10 => {
                let action = self.pick(0..self.model.actions.len());
                let parameters = self.model.actions[action].parameters.clone();
                let arguments = parameters
                    .into_iter()
                    .map(|parameter| match parameter {
                        Parameter::Member(set) => Argument::Index(self.index(scope, set, false)),
                        Parameter::Number => Argument::Number(self.int(scope, 1)),
                    })
                    .collect();
                Statement::Call(action, arguments)
            }
            11 => {
                let relation = changing.unwrap_or(0);
                let sets = self.model.axes(&Over::Pairs(relation));
                let pair = if scope.pairs == Some(relation) && self.chance(1, 2) {
                    (0..sets.len()).map(Index::Variable).collect()
                } else {
                    sets.iter().map(|&set| self.free_index(scope, set)).collect()
                };
                let body = if deep && self.chance(1, 4) { self.body(scope, 0, 1) } else { Vec::new() };
                if self.chance(2, 3) {
                    let value = self.model.relations[relation].valued.then(|| self.leaf(scope, 0));
                    Statement::Insert(relation, pair, value, body)
                } else {
                    Statement::Remove(relation, pair, body)
                }
            }
            12 => {
                let set = self.pick(0..=self.last_set());
                let family = self.family_over(set);
                Statement::Swap(family, self.free_index(scope, set), self.free_index(scope, set))
            }
            13 => Statement::Every(self.whole(), self.pick(1..4_i64), self.chance(1, 2)),
            14 => {
                let set = self.pick(0..=self.last_set());
                let family = self.family_over(set);
                if self.chance(1, 2) {
                    Statement::Rotate(family)
                } else {
                    Statement::Fill(family, Int::Scalar(self.pick(0..SCALARS)))
                }
            }
            _ => {
                let (family, indices) = self.element(scope);
                let other = Target::Scalar(self.pick(0..SCALARS));
                Statement::Exchange(Target::Element(family, indices), other)
            }
        }
    }

    /// An index that reads no integer, and is no shift.
    fn free_index(&mut self, scope: &Scope, set: usize) -> Index {
        self.index(scope, set, true)
    }

    /// A body in which the innermost variable is likely.
    fn loop_body(&mut self, scope: &Scope, depth: u32) -> Vec<Statement> {
        let last = scope.variables.len() - 1;
        let mut body = Vec::new();
        if scope.row.is_some() && self.chance(1, 4) {
            let (family, indices) = self.element(scope);
            let target = steady_target(Target::Element(family, indices));
            body.push(Statement::Increase(target, self.leaf(scope, 0)));
        } else if let Some(set) = scope.variables[last].set {
            let family = self.family_over(set);
            let target = Target::Element(family, vec![Index::Variable(last)]);
            body.push(Statement::Increase(target, self.leaf(scope, 0)));
        }
        if self.chance(1, 3) || body.is_empty() {
            body.push(self.statement(scope, depth));
        }
        body
    }

    // Clocks.

    fn clock(&mut self, next_reaction: bool, large: bool) -> Clock {
        let last = self.last_set();
        let changing = self.changing();
        let any = self.pick(0..self.model.relations.len());
        let number = self.model.clocks.len();
        let weighted = [
            (5, Over::Sets(vec![0])),
            (2, Over::Sets(vec![last])),
            (2, Over::Sets(vec![0, last])),
            (2, Over::Pairs(any)),
            (if changing.is_some() { 3 } else { 0 }, Over::Pairs(changing.unwrap_or(0))),
            (if number == 0 { 0 } else { 2 }, Over::Sets(Vec::new())),
        ];
        // Large models have one after the other.
        let over = if large { weighted[number % 6].1.clone() } else { self.choose(&weighted) };
        let mut scope = self.scope_of(&over);
        // The first one keeps things going.
        let first = number == 0;
        let timing = match number {
            0 => Kind::Rate,
            _ if large => self.kinds()[number / 2 % 8].1,
            _ => {
                let kinds = self.kinds();
                self.choose(&kinds)
            }
        };
        let asks = matches!(timing, Kind::AtFromNow | Kind::AtOnce | Kind::Redraw);
        self.steady = asks || timing == Kind::Due;
        let mut guard = None;
        if let (Over::Sets(sets), true) = (&over, !first && self.chance(1, 4)) {
            if let Some(&set) = sets.first() {
                let by = self.choose(&[(2, 1), (2, -1), (1, 2), (1, -2)]);
                guard = Some(Test::Inside { variable: 0, set, by });
                scope.inside.push((0, by));
            }
        }
        if !first && self.chance(2, 5) {
            let test = self.test(&scope, 1);
            guard = Some(match guard {
                Some(inside) => Test::And(Box::new(inside), Box::new(test)),
                None => test,
            });
        }
        // A guard that reads nothing is an error of its own.
        let model = &self.model;
        let reads = |guard: &Test| {
            let text = model.test(guard);
            ["s0", "s1", "x0", "x1", "x2", "x3", "home", "pick", "v0"].iter().any(|name| text.contains(name))
        };
        let guard = guard.filter(|guard| reads(guard));
        let timing = match timing {
            Kind::Rate => Timing::Rate(self.int(&scope, 2), first),
            Kind::Reaction => {
                let (left, right) = (self.sure_element(&scope), self.sure_element(&scope));
                Timing::Reaction { count: self.pick(1..3_u32), left, right }
            }
            Kind::Due => Timing::Due(self.index(&scope, 0, false)),
            Kind::AtFromNow => Timing::AtFromNow(self.int(&scope, 1)),
            Kind::AtOnce => Timing::AtOnce(self.test(&scope, 1)),
            Kind::After | Kind::Redraw => {
                let (delay, random) = (self.int(&scope, 1), self.chance(2, 3));
                let resume = !asks && self.chance(1, 4);
                let speed = if self.chance(1, 3) { Some(self.int(&scope, 1)) } else { None };
                Timing::After { delay, random, redraw: asks, resume, speed }
            }
            Kind::Every => {
                let by_index = !scope.variables.is_empty() && self.chance(3, 4);
                let from = if by_index {
                    Some((true, self.pick(1..4_i64)))
                } else if self.chance(1, 2) {
                    Some((false, self.pick(0..20_i64)))
                } else {
                    None
                };
                Timing::Every { period: self.int(&scope, 1), from }
            }
        };
        self.steady = false;
        let select = match (&over, timing.is_rate() && !next_reaction) {
            (Over::Sets(sets), _) if sets.is_empty() => None,
            (_, true) => Some("tree"),
            (_, false) => self.choose(&[(1, None), (1, Some("pair_tree")), (1, Some("blocks"))]),
        };
        let acting = self.action(scope);
        let body = if matches!(timing, Timing::Reaction { .. }) { Vec::new() } else { self.body(&acting, 1, 1) };
        let priority = self.pick(-1..2_i64);
        Clock { over, select, guard, timing, priority, body }
    }

    /// An element at indices that read nothing, for a reaction.
    fn sure_element(&mut self, scope: &Scope) -> (usize, Vec<Index>) {
        let set = self.pick(0..=self.last_set());
        let family = self.family_over(set);
        let index = self.simple(scope, set);
        let index = if self.chance(1, 2) && matches!(index, Index::Variable(_)) {
            self.around(index, set, false)
        } else {
            index
        };
        (family, vec![index])
    }

    fn kinds(&self) -> [(u32, Kind); 8] {
        let asks = if self.touchy { 5 } else { 0 };
        let asking = |kind: Kind, other: Kind| if self.touchy { kind } else { other };
        [
            (10, Kind::Rate),
            (2, Kind::Reaction),
            (2, Kind::Due),
            (asks, asking(Kind::AtFromNow, Kind::Due)),
            (asks, asking(Kind::AtOnce, Kind::After)),
            (7, Kind::After),
            (asks, asking(Kind::Redraw, Kind::Rate)),
            (3, Kind::Every),
        ]
    }
}

/// A target that is evaluated several times.
fn steady_target(target: Target) -> Target {
    match target {
        Target::Element(family, indices) => {
            let stay =
                |index| if matches!(index, Index::Random | Index::Value(_)) { Index::Constant(0) } else { index };
            Target::Element(family, indices.into_iter().map(stay).collect())
        }
        scalar @ Target::Scalar(_) => scalar,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Rate,
    Reaction,
    Due,
    AtFromNow,
    AtOnce,
    After,
    Redraw,
    Every,
}
