//! Draws the models: always the same ones.

#![allow(dead_code)]

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::chance::{self, Chooses};

use super::description::{
    Bound, Clock, Extra, Flow, Index, Kind, Let, MODULUS, Model, Name, Over, Range, Real, SINGLES, Statement, Target,
    Test, Timing,
};

/// Models `0..count`.
pub(crate) fn models(count: usize) -> Vec<Model> {
    (0..count).map(model).collect()
}

fn model(number: usize) -> Model {
    let runner = chance::runner(13, number);
    let mut maker = Maker { runner, model: empty() };
    maker.model.next_reaction = number % 2 == 1;
    maker.model.steady = number % 6 == 5;
    maker.model.tight = number % 8 == 3;
    maker.sets(number);
    maker.flows(number);
    maker.lets();
    maker.actions();
    let clocks = maker.pick(3..5_usize);
    for clock in 0..clocks {
        let clock = maker.clock(clock, number);
        maker.model.clocks.push(clock);
    }
    maker.observes();
    maker.model
}

fn empty() -> Model {
    Model {
        next_reaction: false,
        steady: false,
        tight: false,
        sizes: [2, 2],
        param: false,
        near: Vec::new(),
        link: Vec::new(),
        tie: None,
        singles: Vec::new(),
        counts: Vec::new(),
        home: Vec::new(),
        pick: 0,
        due: Vec::new(),
        flows: Vec::new(),
        lets: Vec::new(),
        actions: Vec::new(),
        clocks: Vec::new(),
        observes: Vec::new(),
    }
}

#[derive(Clone, Debug, Default)]
struct Scope {
    /// The sets of the variables in sight.
    variables: Vec<usize>,
    /// Two variables that are a pair of `link`.
    pair: Option<(usize, usize)>,
    /// Whether flowing variables may be read.
    flowing: bool,
    /// Whether there is an argument `w`.
    argument: bool,
    /// How many definitions there are.
    lets: usize,
    /// Whether it is inside a loop, or in an action.
    inner: bool,
}

impl Scope {
    fn of(over: Over, lets: usize) -> Self {
        let pair = (over == Over::Pairs).then_some((0, 1));
        Scope { variables: over.sets().to_vec(), pair, flowing: true, lets, ..Scope::default() }
    }

    fn with(&self, set: usize) -> (usize, Scope) {
        let mut scope = Scope { inner: true, ..self.clone() };
        scope.variables.push(set);
        (self.variables.len(), scope)
    }
}

fn times(factor: f64, real: Real) -> Real {
    Real::Mul(Box::new(Real::Constant(factor)), Box::new(real))
}

fn add(a: Real, b: Real) -> Real {
    Real::Add(Box::new(a), Box::new(b))
}

fn sub(a: Real, b: Real) -> Real {
    Real::Sub(Box::new(a), Box::new(b))
}

fn mul(a: Real, b: Real) -> Real {
    Real::Mul(Box::new(a), Box::new(b))
}

fn constant(value: f64) -> Real {
    Real::Constant(value)
}

struct Maker {
    runner: TestRunner,
    model: Model,
}

impl Chooses for Maker {
    fn runner(&mut self) -> &mut TestRunner {
        &mut self.runner
    }
}

impl Maker {
    /// A number with few digits that no other one is likely to be equal to.
    fn number(&mut self, low: f64, high: f64) -> f64 {
        let value: f64 = self.pick(low..high);
        (value * 1000.0).round() / 1000.0 + 0.000_37
    }

    // What there is.

    fn sets(&mut self, number: usize) {
        let a = self.pick(2..5_usize);
        let b = self.pick(2..4_usize);
        self.model.sizes = [a, b];
        self.model.param = number % 2 == 0;
        // Some rows are empty, and some hold a member twice.
        for _ in 0..a {
            let near = self.pick(prop::collection::vec(0..a, 0..4));
            self.model.near.push(near);
            let mut link = self.pick(prop::collection::vec(0..b, 0..3));
            link.dedup();
            self.model.link.push(link);
        }
        if self.model.link.iter().all(Vec::is_empty) {
            self.model.link[0].push(1);
        }
        if number % 3 == 0 {
            let mut rows: Vec<Vec<usize>> = self.pick(prop::collection::vec(prop::collection::vec(0..a, 0..3), a));
            rows.iter_mut().for_each(|row| {
                row.sort_unstable();
                row.dedup();
            });
            self.model.tie = Some(rows);
        }
        for _ in 0..SINGLES {
            let single = self.number(-0.5, 0.5);
            self.model.singles.push(single);
        }
        self.model.counts = self.pick(prop::collection::vec(0..MODULUS, a));
        self.model.home = self.pick(prop::collection::vec(0..a, a));
        self.model.pick = self.pick(0..a);
        self.model.due = (0..a).map(|_| self.number(0.25, 2.5)).collect();
    }

    fn flows(&mut self, number: usize) {
        let overs = [Over::A, Over::Single, Over::A, Over::Pairs, Over::B, Over::AB];
        let count = 2 + usize::from(number % 3 == 1);
        for flow in 0..count {
            let over = if flow == 0 {
                overs[number % 6]
            } else {
                self.choose(&[(3, Over::A), (1, Over::B), (1, Over::Single)])
            };
            let rate = self.number(0.3, 1.2);
            let block = self.chance(1, 2);
            let kinds = [
                (4, Kind::Linear),
                (2, Kind::Quadratic(rate)),
                (2, Kind::Exponential(rate)),
                (2, Kind::Oscillator(rate + 0.5, block)),
            ];
            let kind = if flow == 0 { kinds[number / 6 % 4].1 } else { self.choose(&kinds) };
            let lone = !matches!(kind, Kind::Quadratic(_) | Kind::Oscillator(..));
            let mut extras = vec![(6, Extra::None)];
            if !matches!(kind, Kind::Oscillator(..)) {
                extras.push((3, Extra::Wind));
            }
            if lone && matches!(over, Over::A | Over::AB) {
                extras.push((3, Extra::Next));
            }
            if lone && over == Over::A {
                extras.push((2, Extra::Near));
            }
            let extra = self.choose(&extras);
            let (x, v) = (self.number(-1.0, 1.0), self.number(-1.0, 1.0));
            let drawn = self.chance(1, 2);
            self.model.flows.push(Flow { over, kind, extra, x, v, drawn });
        }
    }

    fn lets(&mut self) {
        let scope = Scope::of(Over::A, 0);
        let value = self.polynomial(&scope, 1);
        self.model.lets.push(Let { over: Over::A, value, typed: false });
        let scope = Scope::of(Over::Single, 1);
        let value = self.real(&scope, 1);
        self.model.lets.push(Let { over: Over::Single, value, typed: true });
        let scope = Scope::of(Over::A, 2);
        let value = self.sum(&scope);
        let typed = self.chance(1, 2);
        self.model.lets.push(Let { over: Over::A, value, typed });
    }

    fn actions(&mut self) {
        for (set, argument) in [(0, false), (1, true)] {
            let scope =
                Scope { variables: vec![set], flowing: true, argument, lets: 3, inner: true, ..Scope::default() };
            let body = self.body(&scope, 2);
            self.model.actions.push(body);
        }
    }

    fn observes(&mut self) {
        let over = self.choose(&[(2, Over::A), (1, Over::B), (1, Over::Pairs)]);
        let value = self.real(&Scope::of(over, 3), 1);
        self.model.observes.push((over, value));
        let value = self.real(&Scope::of(Over::Single, 3), 1);
        self.model.observes.push((Over::Single, value));
    }

    // Expressions.

    fn variable(&mut self, scope: &Scope, set: usize) -> Option<usize> {
        let all: Vec<usize> = (0..scope.variables.len()).filter(|&k| scope.variables[k] == set).collect();
        if all.is_empty() { None } else { Some(self.pick(prop::sample::select(all))) }
    }

    fn index(&mut self, scope: &Scope, set: usize, random: bool) -> Index {
        let n = self.model.sizes[set];
        let at = self.pick(0..n);
        let mut options = vec![(1, Index::Constant(at)), (1, Index::Last)];
        if let Some(k) = self.variable(scope, set) {
            options.extend([(10, Index::Variable(k)), (2, Index::Around(k, 1)), (2, Index::Around(k, -1))]);
            if set == 0 {
                options.push((2, Index::Home(Box::new(Index::Variable(k)))));
            }
        }
        if set == 0 {
            options.push((1, Index::Pick));
        }
        if random {
            options.push((2, Index::Random));
        }
        self.choose(&options)
    }

    /// Indices into a family, if there are any here.
    fn indices(&mut self, scope: &Scope, over: Over, random: bool) -> Option<Vec<Index>> {
        match (over, scope.pair) {
            (Over::Pairs, Some((row, member))) => Some(vec![Index::Variable(row), Index::Variable(member)]),
            (Over::Pairs, None) => None,
            _ => Some(over.sets().iter().map(|&set| self.index(scope, set, random)).collect()),
        }
    }

    /// A variable of a flow.
    fn element(&mut self, scope: &Scope) -> Option<Real> {
        let name = self.name();
        if self.model.flowing(name) && !scope.flowing {
            return None;
        }
        let indices = self.indices(scope, self.model.over_of(name), false)?;
        Some(Real::Element(name, indices))
    }

    fn name(&mut self) -> Name {
        let flow = self.pick(0..self.model.flows.len());
        if self.chance(2, 3) { Name::X(flow) } else { Name::V(flow) }
    }

    fn leaf(&mut self, scope: &Scope) -> Real {
        for _ in 0..3 {
            if let Some(element) = self.element(scope) {
                return element;
            }
        }
        let value = self.number(-1.0, 1.0);
        let single = self.pick(0..SINGLES);
        let count = self.index(scope, 0, false);
        let mut options = vec![(1, constant(value)), (2, Real::Single(single)), (2, times(0.25, Real::Count(count)))];
        if scope.argument {
            options.push((2, Real::Argument));
        }
        self.choose(&options)
    }

    fn sum(&mut self, scope: &Scope) -> Real {
        let at = self.index(scope, 0, false);
        let mut ranges =
            vec![(3, Range::Near(at.clone())), (2, Range::Fans(at.clone())), (1, Range::Set(0)), (1, Range::Set(1))];
        ranges.push((1, Range::Link(at.clone())));
        if self.model.tie.is_some() && !scope.inner {
            ranges.push((4, Range::Tie(at)));
        }
        let range = self.choose(&ranges);
        let (variable, mut inner) = scope.with(range.set());
        if let Range::Link(Index::Variable(row)) = range {
            inner.pair = Some((row, variable));
        }
        let mut term = self.leaf(&inner);
        if range.set() == 0 && self.chance(1, 2) {
            // What the members of the row have.
            let flow = self.pick(0..self.model.flows.len());
            if self.model.flows[flow].over == Over::A && scope.flowing {
                term = Real::Element(Name::X(flow), vec![Index::Variable(variable)]);
            }
        }
        let factor = self.number(-0.5, 0.5);
        let term = if self.chance(1, 2) { term } else { times(factor, term) };
        Real::Sum { range, variable, term: Box::new(term) }
    }

    /// Any expression. Factors are below one, so that small differences stay small.
    fn real(&mut self, scope: &Scope, depth: u32) -> Real {
        let leaf = self.leaf(scope);
        let factor = self.number(-0.75, 0.75);
        let kind = self.pick(0..12);
        match kind {
            0..=2 if depth > 0 => {
                let other = self.real(scope, depth - 1);
                if self.chance(1, 2) { add(leaf, times(factor, other)) } else { sub(times(factor, leaf), other) }
            }
            3 | 4 if scope.flowing => times(0.5, self.sum(scope)),
            5 if scope.flowing => {
                let name = self.name();
                match (self.model.over_of(name), self.variable(scope, 0)) {
                    (Over::A, Some(variable)) => {
                        let by = if self.chance(1, 2) { 1 } else { -1 };
                        Real::Edge { name, variable, by, other: factor }
                    }
                    (Over::Single, _) => leaf,
                    _ => times(0.25, Real::Whole(name)),
                }
            }
            6 | 7 if scope.flowing && scope.lets > 0 => {
                let number = self.pick(0..scope.lets);
                let over = self.model.lets[number].over;
                let indices = self.indices(scope, over, false).expect("definitions are over sets");
                Real::Let(number, indices)
            }
            8 => Real::Sin(Box::new(times(2.0, leaf))),
            9 => Real::Clamp(Box::new(leaf), 0.75),
            _ => leaf,
        }
    }

    /// A polynomial of time, if its variables are.
    fn polynomial(&mut self, scope: &Scope, depth: u32) -> Real {
        let mut leaf = self.leaf(scope);
        if self.chance(1, 4) && scope.lets > 0 {
            let indices = self.indices(scope, Over::A, false).expect("it is over a set");
            leaf = Real::Let(0, indices);
        }
        let level = self.number(-0.75, 0.75);
        let kind = self.pick(0..7);
        let other = if depth > 0 { self.polynomial(scope, depth - 1) } else { constant(level) };
        match kind {
            0 | 1 => sub(leaf, constant(level)),
            2 => add(leaf, times(level, other)),
            3 => sub(times(level, leaf), other),
            4 if depth > 0 => sub(Real::Square(Box::new(leaf)), constant(level.abs())),
            5 => Real::Neg(Box::new(leaf)),
            _ => leaf,
        }
    }

    fn guard(&mut self, scope: &Scope) -> Option<Test> {
        if self.chance(3, 5) {
            return None;
        }
        let at = self.index(scope, 0, false);
        if self.chance(2, 3) {
            let less = self.pick(2..5_i64);
            return Some(Test::Count(at, less));
        }
        let scope = Scope { flowing: false, lets: 0, ..scope.clone() };
        let level = self.number(-0.75, 0.25);
        match self.leaf(&scope) {
            Real::Constant(_) => None,
            real => Some(Test::Above(real, level)),
        }
    }

    // Clocks.

    fn clock(&mut self, which: usize, number: usize) -> Clock {
        let over = self.choose(&[(2, Over::Single), (7, Over::A), (2, Over::B), (1, Over::AB), (2, Over::Pairs)]);
        let scope = Scope::of(over, 3);
        let guard = self.guard(&scope).filter(|_| which != 1);
        let priority = self.pick(-1..2_i64);
        // Each timing comes first in some models, and the second keeps things going.
        let kind = match (self.model.steady, which) {
            (_, 1) => self.choose(&[(2, 0), (3, 4)]),
            (true, _) => self.choose(&[(1, 0), (3, 1), (1, 4), (1, 5), (5, 8)]),
            (false, 0) => [1, 2, 3, 4, 6, 7, 8][number % 7],
            (false, _) => self.choose(&[(1, 1), (1, 3), (1, 5), (3, 6), (5, 7), (5, 8)]),
        };
        let mut body = self.body(&scope, 2);
        let mut over = over;
        let timing = match kind {
            0 => self.rate(&scope),
            1 => match self.wall(over, &scope) {
                Some((timing, reflect)) => {
                    let kept = body.into_iter().filter(|statement| matches!(statement, Statement::Count(..))).collect();
                    body = kept;
                    body.insert(0, reflect);
                    timing
                }
                None => self.crossing(&scope),
            },
            2 => {
                let real = self.real(&scope, 1);
                let base = self.apart(&scope, 0.4);
                Timing::At(add(Real::Now, add(base, Real::Abs(Box::new(Real::Clamp(Box::new(real), 2.0))))))
            }
            3 => {
                over = Over::A;
                let scope = Scope::of(over, 3);
                let real = self.real(&scope, 1);
                body = self.body(&scope, 1);
                body.push(Statement::Due(Index::Variable(0), add(constant(0.3), Real::Abs(Box::new(real)))));
                return Clock { over, guard: None, timing: Timing::Due(Index::Variable(0)), priority, body };
            }
            4 => self.after(&scope),
            5 => Timing::Every(self.index(&scope, 0, false)),
            6 => {
                let (a, b) = (self.real(&scope, 1), self.real(&scope, 1));
                let c = self.chance(1, 2).then(|| constant(0.125));
                Timing::Affine(Real::Clamp(Box::new(a), 1.5), times(0.5, Real::Clamp(Box::new(b), 1.0)), c)
            }
            7 => self.thinned(&scope),
            _ => self.crossing(&scope),
        };
        // What is called alone stands behind the arrow.
        if let Some(call) = body.iter().find(|statement| matches!(statement, Statement::Call(..))).cloned() {
            if self.chance(1, 2) && kind != 1 {
                body = vec![call];
            }
        }
        Clock { over, guard, timing, priority, body }
    }

    /// A number that is another one for each member, so that not all ring at once.
    fn apart(&self, scope: &Scope, base: f64) -> Real {
        let numbers = (0..scope.variables.len()).map(|k| times([0.0137, 0.0311][k], Real::Number(k)));
        numbers.fold(constant(base), add)
    }

    fn rate(&mut self, scope: &Scope) -> Timing {
        let scope = Scope { flowing: false, lets: 0, ..scope.clone() };
        let e = self.real(&scope, 1);
        Timing::Rate(Real::AtLeast(Box::new(add(constant(0.2), times(0.3, e))), 0.0))
    }

    /// When a linear flow gets to a wall, and how it turns round there.
    fn wall(&mut self, over: Over, scope: &Scope) -> Option<(Timing, Statement)> {
        let flows = self.model.flows.iter().enumerate();
        let fits = |flow: &Flow| {
            flow.over == over && flow.kind == Kind::Linear && matches!(flow.extra, Extra::None | Extra::Wind)
        };
        let all: Vec<usize> = flows.filter(|(_, flow)| fits(flow)).map(|(number, _)| number).collect();
        if all.is_empty() {
            return None;
        }
        let flow = self.pick(prop::sample::select(all));
        let indices: Vec<Index> = (0..scope.variables.len()).map(Index::Variable).collect();
        let (x, v) = (Real::Element(Name::X(flow), indices.clone()), Real::Element(Name::V(flow), indices.clone()));
        let wind = self.model.flows[flow].extra == Extra::Wind;
        let speed = if wind { add(v, Real::Single(0)) } else { v };
        let walls = (self.number(-2.0, -1.0), self.number(1.0, 2.0));
        let timing = Timing::At(Real::Wall { place: Box::new(x), speed: Box::new(speed), walls });
        Some((timing, Statement::Reflect(Target::Element(Name::V(flow), indices), wind)))
    }

    fn after(&mut self, scope: &Scope) -> Timing {
        let base = self.number(0.4, 1.5);
        let real = self.real(scope, 1);
        let delay = self.choose(&[
            (1, self.apart(scope, base)),
            (2, mul(constant(base), Real::Exponential)),
            (2, add(self.apart(scope, 0.5 * base), Real::Abs(Box::new(Real::Clamp(Box::new(real), 2.0))))),
        ]);
        let carry = if self.model.steady { self.pick(1..3) } else { self.pick(0..3) };
        let plain = Scope { flowing: false, lets: 0, ..scope.clone() };
        let speed = self.leaf(&plain);
        let speed = self.chance(1, 3).then(|| add(constant(0.25), Real::Abs(Box::new(speed))));
        Timing::After { delay, redraw: carry == 0, resume: carry == 1, speed }
    }

    fn thinned(&mut self, scope: &Scope) -> Timing {
        let tight = self.model.tight;
        let reserve = if tight { 0.0 } else { 0.0625 };
        let linear: Vec<usize> = (0..self.model.flows.len())
            .filter(|&flow| {
                let flow = &self.model.flows[flow];
                flow.kind == Kind::Linear
                    && matches!(flow.extra, Extra::None | Extra::Wind)
                    && (flow.over != Over::Pairs || scope.pair.is_some())
            })
            .collect();
        let kind = self.pick(0..8);
        if kind < 4 && !linear.is_empty() {
            let flow = self.pick(prop::sample::select(linear));
            let indices = self.indices(scope, self.model.flows[flow].over, false).expect("it can be read here");
            let (x, v) = (Real::Element(Name::X(flow), indices.clone()), Real::Element(Name::V(flow), indices));
            let wind = self.model.flows[flow].extra == Extra::Wind;
            let speed = if wind { add(v, Real::Single(0)) } else { v };
            if kind < 2 {
                // At most what it is along a straight line.
                let rate = Real::AtLeast(Box::new(times(0.5, x.clone())), 0.0);
                let part = self.real(scope, 1);
                let part = add(constant(0.5), times(0.5, Real::Sin(Box::new(part))));
                let rate = if tight { rate } else { mul(rate, part) };
                let a = if tight { times(0.5, x) } else { add(times(0.5, x), constant(reserve)) };
                let until = self.chance(1, 2).then(|| constant(0.8125));
                return Timing::Thinned {
                    rate,
                    random: false,
                    bound: Bound::Affine(a, times(0.5, speed)),
                    until,
                    adapt: false,
                };
            }
            // At most as much more as a time of 0.75 makes of it.
            let rate = times(0.25, Real::Abs(Box::new(x.clone())));
            let most = add(Real::Abs(Box::new(x)), times(0.75, Real::Abs(Box::new(speed))));
            let bound = Bound::Number(add(times(0.25, most), constant(reserve)));
            return Timing::Thinned { rate, random: false, bound, until: Some(constant(0.75)), adapt: false };
        }
        let real = self.real(scope, 1);
        let base = self.number(0.2, 0.5);
        if kind == 4 {
            let rate = mul(constant(base), Real::Random);
            let bound = Bound::Number(constant(1.5 * base + reserve));
            return Timing::Thinned { rate, random: true, bound, until: None, adapt: false };
        }
        if tight && kind == 5 {
            let (rate, bound) = (constant(base), Bound::Number(constant(base)));
            return Timing::Thinned { rate, random: false, bound, until: None, adapt: false };
        }
        let phase = if self.chance(1, 2) { add(real, Real::Elapsed) } else { real };
        let rate = times(base, add(constant(1.0625), Real::Sin(Box::new(phase))));
        let adapt = self.chance(1, 4);
        let bound = Bound::Number(constant(base * if adapt { 1.5 } else { 2.125 }));
        let until = self.chance(1, 3).then(|| {
            let real = self.real(scope, 0);
            add(constant(0.5), times(0.25, Real::Abs(Box::new(Real::Sin(Box::new(real))))))
        });
        Timing::Thinned { rate, random: false, bound, until, adapt }
    }

    fn crossing(&mut self, scope: &Scope) -> Timing {
        let up = self.chance(1, 2);
        loop {
            let of = if self.chance(2, 3) {
                self.polynomial(scope, 1)
            } else {
                let level = self.number(-0.75, 0.75);
                sub(self.real(scope, 1), constant(level))
            };
            // A clamped function may be zero for a while.
            if !self.model.moves(&of) || clamps(&self.model, &of) {
                continue;
            }
            let course = self.model.is_course(&of);
            let step = (!course || self.chance(1, 6)).then(|| self.choose(&[(1, 0.5), (1, 1.0)]));
            return Timing::Crosses { of, up, step };
        }
    }

    // Actions.

    fn body(&mut self, scope: &Scope, depth: u32) -> Vec<Statement> {
        let count = self.choose(&[(5, 1), (3, 2)]);
        (0..count).map(|_| self.statement(scope, depth)).collect()
    }

    fn target(&mut self, scope: &Scope, random: bool) -> (Target, bool) {
        for _ in 0..4 {
            let flow = self.pick(0..self.model.flows.len());
            let x = self.chance(1, 3);
            let name = if x { Name::X(flow) } else { Name::V(flow) };
            if let Some(indices) = self.indices(scope, self.model.over_of(name), random) {
                return (Target::Element(name, indices), x);
            }
        }
        let single = self.pick(0..SINGLES);
        (Target::Single(single), false)
    }

    fn statement(&mut self, scope: &Scope, depth: u32) -> Statement {
        let (target, _) = self.target(scope, false);
        let at = self.index(scope, 0, false);
        let real = self.real(scope, 1);
        let factor = self.number(0.3, 0.8);
        let level = Real::Clamp(Box::new(times(factor, real)), 1.5);
        match self.pick(0..26) {
            0..=2 => {
                let (target, _) = self.target(scope, true);
                Statement::Assign(target, level)
            }
            3..=4 => {
                let (target, x) = self.target(scope, false);
                Statement::Increase(target, if x { level } else { times(0.25, level) })
            }
            5..=6 => Statement::Flip(target),
            7..=8 => {
                let (target, _) = self.target(scope, true);
                Statement::Draw(target)
            }
            9 => {
                let single = self.pick(0..SINGLES);
                Statement::Assign(Target::Single(single), times(0.5, level))
            }
            10..=11 => {
                let by = self.pick(1..MODULUS);
                Statement::Count(at, by)
            }
            12 => {
                let to = self.index(scope, 0, true);
                Statement::Home(at, to)
            }
            13 => Statement::Pick(self.index(scope, 0, true)),
            14..=16 if depth > 0 => {
                let mut ranges = vec![
                    (3, Range::Near(at.clone())),
                    (1, Range::Fans(at.clone())),
                    (1, Range::Set(0)),
                    (1, Range::Set(1)),
                    (1, Range::Link(at.clone())),
                ];
                if self.model.tie.is_some() {
                    ranges.push((2, Range::Tie(at)));
                }
                let range = self.choose(&ranges);
                let (variable, mut inner) = scope.with(range.set());
                if let Range::Link(Index::Variable(row)) = range {
                    inner.pair = Some((row, variable));
                }
                let closure = self.chance(1, 2);
                let body = self.body(&inner, depth - 1);
                Statement::For { range, variable, closure, body }
            }
            17..=19 => {
                let name = self.name();
                let over = self.model.over_of(name);
                let set = over.sets().first().copied().unwrap_or(0);
                let (a, b) = (self.index(scope, set, false), self.index(scope, set, false));
                let closure = self.chance(1, 2);
                match (over, self.pick(0..3)) {
                    (Over::Single, _) => Statement::Flip(target),
                    (Over::A | Over::B, 0) => Statement::Swap(name, a, b),
                    (_, 1) => Statement::Fill(name, level),
                    _ => Statement::Every(name, -0.875, closure),
                }
            }
            20 => {
                let (other, _) = self.target(scope, false);
                match (&target, &other) {
                    (Target::Element(Name::X(a) | Name::V(a), _), Target::Element(Name::X(b) | Name::V(b), _))
                        if a != b =>
                    {
                        Statement::Exchange(target, other)
                    }
                    _ => Statement::Flip(target),
                }
            }
            21 if depth > 0 => {
                let less = self.pick(1..5_i64);
                let level = self.number(-0.5, 0.5);
                let test = match self.leaf(scope) {
                    real if self.chance(1, 2) && self.model.moves(&real) => Test::Above(real, level),
                    _ => Test::Count(at, less),
                };
                let (yes, no) = (self.body(scope, 0), self.body(scope, 0));
                Statement::If(test, yes, no)
            }
            22..=23 if self.model.actions.len() == 2 => {
                let action = self.pick(0..2_usize);
                let at = self.index(scope, action, true);
                Statement::Call(action, at, (action == 1).then_some(level))
            }
            24..=25 if self.model.tie.is_some() => {
                let member = self.index(scope, 0, false);
                let insert = self.chance(1, 2);
                Statement::Tie(insert, at, member)
            }
            _ => Statement::Assign(target, level),
        }
    }
}

/// Whether an expression, or a definition in it, clamps.
fn clamps(model: &Model, real: &Real) -> bool {
    match real {
        Real::Clamp(..) | Real::AtLeast(..) | Real::Abs(_) => true,
        Real::Neg(a) | Real::Square(a) | Real::Sin(a) => clamps(model, a),
        Real::Add(a, b) | Real::Sub(a, b) | Real::Mul(a, b) => clamps(model, a) || clamps(model, b),
        Real::Sum { term, .. } => clamps(model, term),
        Real::Let(number, _) => clamps(model, &model.lets[*number].value),
        _ => false,
    }
}
