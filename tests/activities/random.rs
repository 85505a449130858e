//! Random descriptions: always the same ones, so that the build script and the test mean the same models.

use proptest::test_runner::TestRunner;

use crate::chance::{Chooses, runner};

use super::written;

use super::description::{
    Activity, Argument, Clock, Event, FAMILIES, Gives, Index, Int, Item, Kind, Length, MODULUS, Model, Outcome,
    Parameter, Priority, Relation, SCALARS, Statement, Target, Test, Timing, Wait,
};

/// At most so many of a kind live, or are pending, where a body adds one.
const CROWD: i64 = 5;

/// Descriptions: one that is written by hand, and random ones, the simple ones first.
pub(crate) fn models(count: usize) -> Vec<Model> {
    (0..count).map(|number| if number == 0 { written::model() } else { Maker::new(number).model() }).collect()
}

/// What can be named at some place in a body.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// The activity whose body it is.
    activity: Option<usize>,
    /// Whether there can be waits and `defer`s here.
    waits: bool,
    members: Vec<usize>,
    numbers: Vec<usize>,
    /// Those that can be written.
    written: Vec<usize>,
    flags: Vec<usize>,
    lefts: Vec<usize>,
    given: Vec<(usize, bool)>,
    /// Whether it is the body of a loop.
    looped: bool,
    /// The loops around with a label.
    labels: Vec<usize>,
    deep: usize,
    /// Whether it is read where only states are known.
    pure: bool,
}

struct Maker {
    runner: TestRunner,
    number: usize,
    model: Model,
    /// The next variable of the body at work.
    fresh: usize,
    /// The next wait of the activity at work.
    site: usize,
}

impl Chooses for Maker {
    fn runner(&mut self) -> &mut TestRunner {
        &mut self.runner
    }
}

impl Maker {
    fn new(number: usize) -> Self {
        let model = Model {
            next_reaction: false,
            ticks: false,
            tuples: false,
            size: 2,
            scalars: Vec::new(),
            families: Vec::new(),
            due: 0,
            lines: 0,
            clocks: Vec::new(),
            events: Vec::new(),
            activities: Vec::new(),
            order: Vec::new(),
            init: Vec::new(),
            stop: None,
        };
        Maker { runner: runner(61, number), number, model, fresh: 0, site: 0 }
    }

    fn name(&mut self) -> usize {
        self.fresh += 1;
        self.fresh - 1
    }

    fn model(mut self) -> Model {
        self.model.next_reaction = self.chance(1, 3);
        self.model.tuples = self.chance(1, 3);
        self.model.ticks = self.number % 6 == 5;
        if self.model.ticks {
            self.model.next_reaction = false;
        }
        self.model.size = self.pick(2..5_usize);
        let size = self.model.size;
        self.model.scalars = (0..SCALARS).map(|_| self.pick(0..MODULUS)).collect();
        self.model.families = (0..FAMILIES).map(|_| (0..size).map(|_| self.pick(0..MODULUS)).collect()).collect();
        self.model.due = self.pick(1..9_i64);
        self.model.lines = if self.number < 4 { 0 } else { self.pick(0..3_usize) };
        // What there is has to be known before the bodies are made.
        let (events, activities) = (self.pick(1..4_usize), self.pick(1..4_usize));
        for _ in 0..events {
            let event = self.event_head();
            self.model.events.push(event);
        }
        for _ in 0..activities {
            let activity = self.activity_head();
            self.model.activities.push(activity);
        }
        for e in 0..events {
            let body = self.event_body(e);
            self.model.events[e].body = body;
        }
        for a in 0..activities {
            let body = self.activity_body(a);
            self.model.activities[a].body = body;
        }
        let clocks = self.pick(2..5_usize);
        for c in 0..clocks {
            let clock = self.clock(c);
            self.model.clocks.push(clock);
        }
        let mut order: Vec<Item> = (0..clocks).map(Item::Clock).collect();
        order.extend((0..events).map(Item::Event));
        order.extend((0..activities).map(Item::Activity));
        for at in (1..order.len()).rev() {
            let other = self.pick(0..=at);
            order.swap(at, other);
        }
        self.model.order = order;
        let mut init = Vec::new();
        self.fresh = 0;
        let scope = Scope::default();
        for e in 0..events {
            for _ in 0..self.pick(1..3) {
                let schedule = self.schedule(&scope, Some(e));
                init.push(schedule);
            }
        }
        for a in 0..activities {
            for _ in 0..self.pick(1..4) {
                let start = self.start(&scope, Some(a));
                init.push(start);
            }
        }
        self.model.init = init;
        if !self.model.ticks && self.chance(1, 6) {
            let equal = |left, right| Box::new(Test::Plain(left, Relation::Equal, right));
            let rare = Test::And(
                equal(Int::Scalar(1), Int::Scalar(2)),
                equal(Int::Element(0, Index::Constant(0)), Int::Constant(5)),
            );
            self.model.stop = Some(Test::And(equal(Int::Scalar(0), Int::Constant(3)), Box::new(rare)));
        }
        self.model
    }

    fn parameters(&mut self) -> Vec<Parameter> {
        self.fresh = 0;
        let mut all = Vec::new();
        for _ in 0..self.pick(0..3) {
            let fresh = self.name();
            all.push(if self.chance(2, 3) { Parameter::Number(fresh) } else { Parameter::Member(fresh) });
        }
        all
    }

    fn fixed(&mut self) -> Vec<i64> {
        match self.pick(0..8) {
            0..=3 => Vec::new(),
            6 | 7 if self.model.tuples => vec![self.pick(0..2_i64), self.pick(-1..2_i64)],
            _ => vec![self.pick(-1..3_i64)],
        }
    }

    fn event_head(&mut self) -> Event {
        let parameters = self.parameters();
        let over = self.chance(1, 3).then(|| self.name());
        Event { over, parameters, priority: self.fixed(), once: self.chance(1, 5), body: Vec::new() }
    }

    fn activity_head(&mut self) -> Activity {
        let parameters = self.parameters();
        let numbers: Vec<usize> = parameters
            .iter()
            .filter_map(|parameter| match parameter {
                Parameter::Number(l) => Some(*l),
                Parameter::Member(_) => None,
            })
            .collect();
        let priority = match self.pick(0..4) {
            0 => Some(Priority { first: Int::Constant(self.pick(-1..3_i64)), second: None }),
            1 | 2 if !numbers.is_empty() => {
                let first = Int::Local(numbers[0]);
                let second = (self.model.tuples && self.chance(1, 2)).then(|| Int::Constant(self.pick(0..2_i64)));
                Some(Priority { first, second })
            }
            _ => None,
        };
        let outcome = self.choose(&[(3, Outcome::Nothing), (2, Outcome::Number), (2, Outcome::Fallible)]);
        Activity { parameters, outcome, priority, body: Vec::new() }
    }

    fn scope_of(&mut self, parameters: &[Parameter], over: Option<usize>) -> Scope {
        let mut scope = Scope::default();
        self.fresh = 0;
        for parameter in parameters {
            match *parameter {
                Parameter::Number(l) => scope.numbers.push(l),
                Parameter::Member(v) => scope.members.push(v),
            }
            self.fresh += 1;
        }
        if let Some(v) = over {
            scope.members.push(v);
            self.fresh = self.fresh.max(v + 1);
        }
        scope
    }

    fn event_body(&mut self, e: usize) -> Vec<Statement> {
        let (parameters, over) = (self.model.events[e].parameters.clone(), self.model.events[e].over);
        let scope = self.scope_of(&parameters, over);
        let count = self.pick(2..5_usize);
        let mut body = self.body(&scope, count);
        // It goes on.
        let again = self.schedule(&scope, Some(e));
        body.push(self.if_few(Int::EventLen(e, None), again));
        body
    }

    fn activity_body(&mut self, a: usize) -> Vec<Statement> {
        let parameters = self.model.activities[a].parameters.clone();
        let mut scope = self.scope_of(&parameters, None);
        (scope.activity, scope.waits) = (Some(a), true);
        self.site = 0;
        let count = self.pick(4..8_usize);
        self.body(&scope, count)
    }

    fn clock(&mut self, c: usize) -> Clock {
        self.fresh = 0;
        let over = (c > 0 && self.chance(1, 4)).then(|| self.name());
        let scope = Scope { members: over.into_iter().collect(), ..Scope::default() };
        let pure = Scope { pure: true, ..scope.clone() };
        let due = over.is_none() && !self.model.clocks.iter().any(|clock| matches!(clock.timing, Timing::Due));
        let timing = match self.pick(0..7) {
            // The first one always writes.
            _ if c == 0 => Timing::Every { period: Int::Constant(self.pick(1..4_i64)), from: None },
            0 | 1 if !self.model.ticks => Timing::Rate(self.int(&pure, 1)),
            2 if due => Timing::Due,
            2..=4 => {
                let of = self.int(&pure, 1);
                let delay = if self.chance(1, 3) {
                    Length::Drawn { of, among: 6 }
                } else {
                    Length::Quarters { least: 1, of, among: 6 }
                };
                let resume = !self.model.ticks && self.chance(1, 3);
                let speed = (!self.model.ticks && self.chance(1, 3)).then(|| self.int(&pure, 1));
                Timing::After { delay, resume, speed }
            }
            _ => {
                let period = self.int(&pure, 1);
                let from = self.chance(1, 3).then(|| self.pick(0..5_i64));
                Timing::Every { period, from }
            }
        };
        let guard = (c > 0 && !matches!(timing, Timing::Due) && self.chance(1, 3)).then(|| self.test(&pure, 1));
        let mut body = Vec::new();
        if c == 0 {
            for s in 0..SCALARS {
                let e = Int::Add(Box::new(Int::Constant(self.pick(0..3_i64))), Box::new(self.int(&scope, 1)));
                body.push(Statement::Increase(Target::Scalar(s), e));
            }
            for x in 0..FAMILIES {
                let v = self.name();
                let e = Int::Add(Box::new(Int::Member(v)), Box::new(Int::Constant(1)));
                let target = Target::Element(x, Index::Variable(v));
                body.push(Statement::Each(v, vec![Statement::Increase(target, e)]));
            }
        }
        if matches!(timing, Timing::Due) {
            body.push(Statement::Due(self.int(&scope, 1)));
        }
        let count = self.pick(2..5_usize);
        body.extend(self.body(&scope, count));
        // Something always comes.
        let start = self.start(&scope, None);
        let Statement::Start { activity, .. } = start else { unreachable!("it is a start") };
        body.push(self.if_few(Int::ActivityLen(activity), start));
        let mut priority = self.fixed();
        if c == 0 && self.model.tuples {
            priority.resize(2, 0);
        }
        Clock { over, guard, timing, priority, body }
    }

    fn if_few(&mut self, count: Int, statement: Statement) -> Statement {
        Statement::If(Test::Plain(count, Relation::Less, Int::Constant(CROWD)), vec![statement], Vec::new())
    }

    // Expressions.

    fn index(&mut self, scope: &Scope) -> Index {
        let members = scope.members.clone();
        match self.pick(0..6) {
            0..=2 if !members.is_empty() => Index::Variable(self.one_of(&members)),
            3 if !members.is_empty() => Index::Next(self.one_of(&members)),
            4 if scope.deep < 2 => {
                Index::Value(Box::new(self.int(&Scope { deep: scope.deep + 1, ..scope.clone() }, 0)))
            }
            _ => Index::Constant(self.pick(0..self.model.size)),
        }
    }

    fn one_of<T: Clone>(&mut self, all: &[T]) -> T {
        let at = self.pick(0..all.len());
        all[at].clone()
    }

    fn int(&mut self, scope: &Scope, deep: usize) -> Int {
        if deep > 0 && self.chance(1, 2) {
            let (a, b) = (Box::new(self.int(scope, deep - 1)), Box::new(self.int(scope, deep - 1)));
            return match self.pick(0..5) {
                0..=2 => Int::Add(a, b),
                3 => Int::Sub(a, b),
                _ => Int::Mul(a, b),
            };
        }
        let (events, activities, lines) = (self.model.events.len(), self.model.activities.len(), self.model.lines);
        match self.pick(0..25) {
            0..=4 => Int::Scalar(self.pick(0..SCALARS)),
            5..=7 => {
                let x = self.pick(0..FAMILIES);
                Int::Element(x, self.index(scope))
            }
            8..=10 if !scope.numbers.is_empty() => Int::Local(self.one_of(&scope.numbers)),
            11 | 12 if !scope.members.is_empty() => Int::Member(self.one_of(&scope.members)),
            13 if !scope.flags.is_empty() => Int::Flag(self.one_of(&scope.flags)),
            14 | 15 if !scope.lefts.is_empty() => Int::Quarters(self.one_of(&scope.lefts)),
            16 if !scope.given.is_empty() => {
                let (o, number) = self.one_of(&scope.given);
                Int::Given(o, number)
            }
            17 if !scope.pure => Int::Now,
            18 if events > 0 => {
                let event = self.pick(0..events);
                let index = (self.model.events[event].over.is_some() && self.chance(1, 2)).then(|| self.index(scope));
                Int::EventLen(event, index)
            }
            19 if activities > 0 => Int::ActivityLen(self.pick(0..activities)),
            20 if lines > 0 => Int::LineLen(self.pick(0..lines)),
            21 if activities > 0 => Int::Alive(self.pick(0..activities)),
            22 | 23 if scope.activity.is_some() => Int::Own(scope.activity.unwrap_or_default()),
            24 if activities > 0 => Int::Other(self.pick(0..activities)),
            _ => Int::Constant(self.pick(0..4_i64)),
        }
    }

    /// A condition that at least reads a state.
    fn test(&mut self, scope: &Scope, deep: usize) -> Test {
        if deep > 0 && self.chance(1, 4) {
            let (a, b) = (Box::new(self.test(scope, deep - 1)), Box::new(self.test(scope, deep - 1)));
            return match self.pick(0..3) {
                0 => Test::And(a, b),
                1 => Test::Or(a, b),
                _ => Test::Not(a),
            };
        }
        let state = if self.chance(2, 3) {
            Int::Scalar(self.pick(0..SCALARS))
        } else {
            let x = self.pick(0..FAMILIES);
            Int::Element(x, self.index(scope))
        };
        let left = if self.chance(1, 2) { state } else { Int::Add(Box::new(state), Box::new(self.int(scope, 0))) };
        let relation = self.choose(&[(2, Relation::Less), (1, Relation::Equal), (2, Relation::Greater)]);
        let right = if self.chance(2, 3) { Int::Constant(self.pick(1..6_i64)) } else { self.int(scope, 0) };
        Test::Compare(left, relation, right)
    }

    fn length(&mut self, scope: &Scope, least: i64) -> Length {
        if least == 0 && !scope.lefts.is_empty() && self.chance(1, 3) {
            return Length::Left(self.one_of(&scope.lefts));
        }
        let of = self.int(scope, 1);
        if self.chance(1, 6) { Length::Drawn { of, among: 5 } } else { Length::Quarters { least, of, among: 6 } }
    }

    fn target(&mut self, scope: &Scope) -> Target {
        if let Some(a) = scope.activity.filter(|_| self.chance(1, 5)) {
            Target::Own(a)
        } else if self.chance(1, 2) {
            Target::Scalar(self.pick(0..SCALARS))
        } else {
            let x = self.pick(0..FAMILIES);
            Target::Element(x, self.index(scope))
        }
    }

    fn arguments(&mut self, scope: &Scope, parameters: &[Parameter]) -> Vec<Argument> {
        parameters
            .iter()
            .map(|parameter| match parameter {
                Parameter::Number(_) => {
                    // Numbers that are handed on stay small.
                    let e = if self.chance(1, 2) { self.int(scope, 0) } else { Int::Constant(self.pick(0..5_i64)) };
                    Argument::Number(match e {
                        Int::Local(_) | Int::Now => Int::Scalar(0),
                        other => other,
                    })
                }
                Parameter::Member(_) => Argument::Index(self.index(scope)),
            })
            .collect()
    }

    fn schedule(&mut self, scope: &Scope, event: Option<usize>) -> Statement {
        let event = event.unwrap_or_else(|| self.pick(0..self.model.events.len()));
        let index = self.model.events[event].over.is_some().then(|| self.index(scope));
        let parameters = self.model.events[event].parameters.clone();
        let arguments = self.arguments(scope, &parameters);
        // Events that come at once for ever are not worth comparing.
        let least = i64::from(scope.activity.is_none() || self.chance(3, 4));
        let delay = self.length(scope, least);
        let priority = self.chance(1, 5).then(|| self.priority(scope));
        Statement::Schedule { event, index, at: self.chance(1, 3), delay, arguments, priority, keep: self.chance(1, 2) }
    }

    fn priority(&mut self, scope: &Scope) -> Priority {
        let first = if self.chance(1, 2) { Int::Constant(self.pick(-1..3_i64)) } else { self.int(scope, 0) };
        let second = (self.model.tuples && self.chance(1, 2)).then(|| self.int(scope, 0));
        Priority { first, second }
    }

    fn start(&mut self, scope: &Scope, activity: Option<usize>) -> Statement {
        let activity = activity.unwrap_or_else(|| self.pick(0..self.model.activities.len()));
        let parameters = self.model.activities[activity].parameters.clone();
        let arguments = self.arguments(scope, &parameters);
        Statement::Start { activity, arguments, keep: self.chance(2, 3) }
    }

    // Bodies.

    fn body(&mut self, scope: &Scope, count: usize) -> Vec<Statement> {
        let mut scope = Scope { deep: scope.deep + 1, ..scope.clone() };
        let mut all = Vec::new();
        for _ in 0..count {
            let more = if scope.waits && self.chance(2, 5) {
                self.waiting(&mut scope)
            } else {
                self.statement(&mut scope).into_iter().collect()
            };
            all.extend(more);
        }
        all
    }

    /// A body that does not wait.
    fn quick(&mut self, scope: &Scope, count: usize) -> Vec<Statement> {
        self.body(&Scope { waits: false, looped: false, labels: Vec::new(), ..scope.clone() }, count)
    }

    /// A statement that does not wait itself.
    fn statement(&mut self, scope: &mut Scope) -> Option<Statement> {
        let more = if scope.deep < 4 { 33 } else { 21 };
        Some(match self.pick(0..more) {
            0..=2 => {
                let target = self.target(scope);
                Statement::Assign(target, self.int(scope, 2))
            }
            3..=5 => {
                let target = self.target(scope);
                Statement::Increase(target, self.int(scope, 2))
            }
            6 => Statement::Draw(self.target(scope)),
            7 => Statement::Tally(self.int(scope, 1)),
            8 => {
                let l = self.name();
                let value = self.int(scope, 1);
                scope.numbers.push(l);
                scope.written.push(l);
                Statement::Let(l, value)
            }
            9 if !scope.written.is_empty() => {
                let l = self.one_of(&scope.written);
                Statement::Set(l, self.int(scope, 1))
            }
            10 => {
                let event = self.pick(0..self.model.events.len());
                let schedule = self.schedule(scope, Some(event));
                self.if_few(Int::EventLen(event, None), schedule)
            }
            11 => {
                let start = self.start(scope, None);
                let Statement::Start { activity, .. } = start else { unreachable!("it is a start") };
                self.if_few(Int::ActivityLen(activity), start)
            }
            12 => Statement::Cancel { event: self.pick(0..self.model.events.len()), into: self.pick(0..SCALARS) },
            13 => {
                let event = self.pick(0..self.model.events.len());
                Statement::Reschedule { event, delay: self.length(scope, 1), into: self.pick(0..SCALARS) }
            }
            14 => Statement::When { event: self.pick(0..self.model.events.len()), into: self.pick(0..SCALARS) },
            15 | 16 => {
                let activity = self.pick(0..self.model.activities.len());
                Statement::Abort { activity, into: self.chance(1, 2).then(|| self.pick(0..SCALARS)) }
            }
            17 if self.chance(1, 2) => {
                let event = self.pick(0..self.model.events.len());
                let family = self.model.events[event].over.is_some();
                let index = (family && self.chance(1, 2)).then(|| self.index(scope));
                Statement::Clear(event, index)
            }
            18 if scope.activity.is_some() => {
                if self.chance(2, 3) {
                    Statement::KeepMe
                } else {
                    Statement::AbortMe
                }
            }
            19 => {
                let v = self.name();
                let index = self.index(scope);
                scope.members.push(v);
                Statement::Fix(v, index)
            }
            20 => Statement::Other(self.pick(0..self.model.activities.len()), self.int(scope, 1)),
            21..=24 => {
                let test = self.test(scope, 1);
                let yes = self.body(scope, 2);
                let no = if self.chance(1, 2) { self.body(scope, 1) } else { Vec::new() };
                Statement::If(test, yes, no)
            }
            25 => {
                let v = self.name();
                let mut inner = scope.clone();
                inner.members.push(v);
                inner.looped = true;
                let count = self.pick(1..3_usize);
                let label = self.label(&mut inner);
                let body = self.body(&inner, count);
                Self::labelled(label, Statement::Each(v, body))
            }
            26 => {
                let l = self.name();
                let mut inner = scope.clone();
                inner.numbers.push(l);
                inner.looped = true;
                let (times, count) = (self.pick(1..4_i64), self.pick(1..3_usize));
                let label = self.label(&mut inner);
                let body = self.body(&inner, count);
                Self::labelled(label, Statement::Count(l, times, body))
            }
            27 => {
                let e = self.int(scope, 1);
                let arms = self.pick(2..4);
                Statement::Match(e, (0..arms).map(|_| self.body(scope, 1)).collect())
            }
            28 => Statement::Block(self.body(scope, 2)),
            29 | 30 if scope.waits => Statement::Defer(self.quick(scope, 1)),
            31 if scope.looped => {
                let test = self.test(scope, 0);
                let labels = scope.labels.clone();
                let label = (!labels.is_empty() && self.chance(1, 2)).then(|| self.one_of(&labels));
                let leave = if self.chance(1, 2) { Statement::Break(label) } else { Statement::Continue(label) };
                Statement::If(test, vec![leave], Vec::new())
            }
            32 if scope.activity.is_some_and(|_| scope.waits) => {
                let a = scope.activity.unwrap_or_default();
                let test = self.test(scope, 0);
                if self.model.activities[a].outcome == Outcome::Fallible && self.chance(1, 2) {
                    Statement::Fail(test)
                } else {
                    Statement::If(test, vec![Statement::Return(self.int(scope, 1))], Vec::new())
                }
            }
            _ => return None,
        })
    }

    /// Every now and then a loop has a label.
    fn label(&mut self, inner: &mut Scope) -> Option<usize> {
        let label = self.chance(1, 3).then(|| self.name());
        inner.labels.extend(label);
        label
    }

    fn labelled(label: Option<usize>, looped: Statement) -> Statement {
        match label {
            Some(z) => Statement::Labelled(z, Box::new(looped)),
            None => looped,
        }
    }

    fn wait(&mut self, scope: &Scope, long: bool) -> Wait {
        let site = self.site;
        self.site += 1;
        let least = i64::from(long || self.chance(4, 5));
        let kind = match self.pick(0..10) {
            _ if long => Kind::Delay(self.length(scope, least)),
            0..=2 => Kind::Delay(self.length(scope, least)),
            3 => Kind::Until(self.length(scope, least)),
            4 if scope.deep < 3 => Kind::Join(self.pick(0..self.model.activities.len())),
            5 if scope.activity.is_some_and(|a| a + 1 < self.model.activities.len()) => {
                // No activity runs itself, not through others either.
                let a = self.pick(scope.activity.unwrap_or_default() + 1..self.model.activities.len());
                let parameters = self.model.activities[a].parameters.clone();
                let arguments = self.arguments(scope, &parameters);
                Kind::Run(a, arguments)
            }
            _ => {
                let pure = Scope { pure: true, ..scope.clone() };
                Kind::For(self.test(&pure, 1))
            }
        };
        let mut wait = Wait { kind, site, timeout: None, unless: None, speed: None, line: None, priority: None };
        if matches!(wait.kind, Kind::Join(_) | Kind::Run(..)) {
            return wait;
        }
        let pure = Scope { pure: true, ..scope.clone() };
        if self.chance(2, 5) && !long {
            wait.timeout = Some(self.length(scope, 1));
        }
        if self.chance(1, 4) && !long {
            wait.unless = Some(self.test(&pure, 1));
        }
        if matches!(wait.kind, Kind::Delay(_)) && !self.model.ticks && self.chance(1, 4) && !long {
            let state = Box::new(Int::Scalar(self.pick(0..SCALARS)));
            wait.speed = Some(Int::Add(state, Box::new(self.int(&pure, 0))));
        }
        if matches!(wait.kind, Kind::For(_)) {
            if self.model.lines > 0 && self.chance(1, 2) {
                wait.line = Some(self.pick(0..self.model.lines));
            }
            if self.chance(1, 5) {
                wait.priority = Some(self.priority(scope));
            }
        }
        wait
    }

    fn waiting(&mut self, scope: &mut Scope) -> Vec<Statement> {
        if scope.deep < 3 && self.chance(1, 6) {
            // A loop that takes time.
            let mut inner = scope.clone();
            inner.looped = true;
            let label = self.label(&mut inner);
            let mut body = vec![Statement::Wait(self.wait(&inner, true), None)];
            let count = self.pick(1..3_usize);
            body.extend(self.body(&inner, count));
            if self.chance(1, 2) {
                let test = self.test(&Scope { looped: true, ..scope.clone() }, 0);
                body.push(Statement::If(test, vec![Statement::Break(None)], Vec::new()));
                return vec![Self::labelled(label, Statement::Loop(body))];
            }
            return vec![Self::labelled(label, Statement::While(self.test(scope, 1), body))];
        }
        let wait = self.wait(scope, false);
        let gives = wait.gives();
        if gives == Gives::Held && scope.deep < 4 {
            match self.pick(0..4) {
                0 | 1 => {
                    let (yes, no) = (self.body(scope, 1), self.body(scope, 1));
                    let no = if self.chance(1, 2) { no } else { Vec::new() };
                    return vec![Statement::IfWait { wait, not: self.chance(1, 2), yes, no }];
                }
                2 => {
                    let mut inner = scope.clone();
                    inner.looped = true;
                    let label = self.label(&mut inner);
                    let mut body = vec![Statement::Wait(self.wait(&inner, true), None)];
                    body.extend(self.body(&inner, 1));
                    let looped = Statement::WhileWait { wait, not: self.chance(1, 2), body };
                    return vec![Self::labelled(label, looped)];
                }
                _ => {}
            }
        }
        if gives == Gives::Nothing || self.chance(1, 4) {
            return vec![Statement::Wait(wait, None)];
        }
        if gives == Gives::Left && !scope.lefts.is_empty() && self.chance(1, 3) {
            let to = self.one_of(&scope.lefts);
            return vec![Statement::Again(wait, to)];
        }
        let to = self.name();
        match gives {
            Gives::Held => scope.flags.push(to),
            Gives::Left => scope.lefts.push(to),
            _ => {
                if let Kind::Join(a) | Kind::Run(a, _) = &wait.kind {
                    scope.given.push((to, self.model.activities[*a].outcome != Outcome::Nothing));
                }
            }
        }
        vec![Statement::Wait(wait, Some(to))]
    }
}
