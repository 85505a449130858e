//! The reference engine for dynamic events and activities: slow, and with nothing to forget. After every event it
//! evaluates every clock again, asks everybody who waits, in order, takes every speed anew, and looks for the first of
//! all that is pending by the whole of its key.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use clockrace::__private::exponential;
use clockrace::__private::family_rates::{Method, Rates};
use clockrace::rand::RngExt as _;
use clockrace::{Rng, rand_distr::Exp1};

use crate::description::{
    Argument, Clock, Gives, Index, Int, Item, Kind, LOCALS, Length, MODULUS, Model, OWN, Outcome, Parameter, Priority,
    Relation, Statement, Target, Test, Timing, Wait,
};
use crate::run::{EVENTS, Event};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Quiet,
    Stopped,
    /// It was not followed further: too many events, or too many at one instant.
    Cut,
    Failed(&'static str),
}

/// So many at one instant.
pub(crate) const INSTANT: usize = 150;

type Moment = (f64, f64);

type Rank = [i64; 2];

/// By priority, then by when the wait began.
type Order = (Rank, u64);

#[derive(Clone, Copy, Debug)]
enum Value {
    Number(i64),
    Time(f64),
    Given(Option<i64>),
}

type Variables = BTreeMap<usize, Value>;

/// A body, step by step.
#[derive(Debug)]
enum Op<'a> {
    Do(&'a Statement),
    Jump(usize),
    Unless(&'a Test, usize),
    /// Jumps if the flag is not set, or is if it is negated.
    UnlessSet(usize, bool, usize),
    Switch(&'a Int, Vec<usize>),
    /// A block begins.
    Push,
    /// It ends.
    Pop,
    /// All blocks but so many end.
    Unwind(usize),
    Defer(&'a [Statement]),
    First(usize),
    /// The next turn of a loop: its counter, its variable, how many turns, where it ends.
    Next(usize, usize, i64, usize),
    Wait(&'a Wait, Option<usize>),
    Return(&'a Int),
    Fail(&'a Test),
}

/// Hidden variables stand behind all others.
const HIDDEN: usize = 1 << 20;

/// The variable `me`.
const ME: usize = HIDDEN - 1;

/// A loop: its label, how deep it is, where it goes on, and the jumps out of it.
struct Looped {
    label: Option<usize>,
    deep: usize,
    start: usize,
    breaks: Vec<usize>,
}

#[derive(Default)]
struct Compiler<'a> {
    code: Vec<Op<'a>>,
    deep: usize,
    hidden: usize,
    /// The loops around.
    loops: Vec<Looped>,
    /// The label of the next loop.
    label: Option<usize>,
}

impl<'a> Compiler<'a> {
    fn compile(body: &'a [Statement]) -> Rc<Vec<Op<'a>>> {
        let mut compiler = Compiler::default();
        compiler.block(body);
        Rc::new(compiler.code)
    }

    fn hidden(&mut self) -> usize {
        self.hidden += 1;
        HIDDEN + self.hidden
    }

    fn block(&mut self, body: &'a [Statement]) {
        self.code.push(Op::Push);
        self.deep += 1;
        for statement in body {
            self.statement(statement);
        }
        self.deep -= 1;
        self.code.push(Op::Pop);
    }

    /// A jump whose aim is known later.
    fn later(&mut self, op: Op<'a>) -> usize {
        self.code.push(op);
        self.code.len() - 1
    }

    fn aim(&mut self, at: usize) {
        let here = self.code.len();
        match &mut self.code[at] {
            Op::Jump(to) | Op::Unless(_, to) | Op::UnlessSet(_, _, to) | Op::Next(_, _, _, to) => *to = here,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    /// A loop from `start` on, which `leave` leaves in the ordinary way.
    fn looped(&mut self, start: usize, leave: Option<usize>, body: &'a [Statement]) {
        let label = self.label.take();
        self.loops.push(Looped { label, deep: self.deep, start, breaks: Vec::new() });
        self.block(body);
        self.code.push(Op::Jump(start));
        let looped = self.loops.pop().expect("it is a loop");
        for at in looped.breaks.into_iter().chain(leave) {
            self.aim(at);
        }
    }

    fn either(&mut self, otherwise: usize, yes: &'a [Statement], no: &'a [Statement]) {
        self.block(yes);
        let end = self.later(Op::Jump(0));
        self.aim(otherwise);
        self.block(no);
        self.aim(end);
    }

    fn statement(&mut self, statement: &'a Statement) {
        match statement {
            Statement::Each(variable, body) => self.times(*variable, -1, body),
            Statement::Count(variable, times, body) => self.times(*variable, *times, body),
            Statement::Loop(body) => self.looped(self.code.len(), None, body),
            Statement::While(test, body) => {
                let start = self.code.len();
                let leave = self.later(Op::Unless(test, 0));
                self.looped(start, Some(leave), body);
            }
            Statement::If(test, yes, no) => {
                let otherwise = self.later(Op::Unless(test, 0));
                self.either(otherwise, yes, no);
            }
            Statement::Match(e, arms) => {
                let at = self.later(Op::Switch(e, Vec::new()));
                let (mut starts, mut ends) = (Vec::new(), Vec::new());
                for arm in arms {
                    starts.push(self.code.len());
                    self.block(arm);
                    ends.push(self.later(Op::Jump(0)));
                }
                self.code[at] = Op::Switch(e, starts);
                ends.into_iter().for_each(|end| self.aim(end));
            }
            Statement::Block(body) => self.block(body),
            Statement::Defer(body) => self.code.push(Op::Defer(body)),
            Statement::Labelled(label, inner) => {
                self.label = Some(*label);
                self.statement(inner);
            }
            Statement::Break(label) => {
                let of = self.loop_of(*label);
                self.code.push(Op::Unwind(self.loops[of].deep));
                let at = self.later(Op::Jump(0));
                self.loops[of].breaks.push(at);
            }
            Statement::Continue(label) => {
                let Looped { deep, start, .. } = self.loops[self.loop_of(*label)];
                self.code.extend([Op::Unwind(deep), Op::Jump(start)]);
            }
            Statement::Return(e) => self.code.push(Op::Return(e)),
            Statement::Fail(test) => self.code.push(Op::Fail(test)),
            Statement::Wait(wait, to) => self.code.push(Op::Wait(wait, *to)),
            Statement::Again(wait, to) => self.code.push(Op::Wait(wait, Some(*to))),
            Statement::IfWait { wait, not, yes, no } => {
                let flag = self.hidden();
                self.code.push(Op::Wait(wait, Some(flag)));
                let otherwise = self.later(Op::UnlessSet(flag, *not, 0));
                self.either(otherwise, yes, no);
            }
            Statement::WhileWait { wait, not, body } => {
                let flag = self.hidden();
                let start = self.later(Op::Wait(wait, Some(flag)));
                let leave = self.later(Op::UnlessSet(flag, *not, 0));
                self.looped(start, Some(leave), body);
            }
            other => self.code.push(Op::Do(other)),
        }
    }

    /// The innermost loop, or that with a label.
    fn loop_of(&self, label: Option<usize>) -> usize {
        let is = |of: &Looped| label.is_none() || of.label == label;
        self.loops.iter().rposition(is).expect("it stands in such a loop")
    }

    fn times(&mut self, variable: usize, times: i64, body: &'a [Statement]) {
        let counter = self.hidden();
        self.code.push(Op::First(counter));
        let start = self.later(Op::Next(counter, variable, times, 0));
        self.looped(start, Some(start), body);
    }
}

impl Clone for Op<'_> {
    fn clone(&self) -> Self {
        unreachable!("code is shared")
    }
}

/// Where somebody is in a body.
#[derive(Clone, Debug)]
struct Place<'a> {
    code: Rc<Vec<Op<'a>>>,
    at: usize,
    variables: Variables,
    /// What is deferred, for each block that is open.
    blocks: Vec<Vec<&'a [Statement]>>,
}

/// How a piece of a body ends.
enum Piece<'a> {
    Wait(&'a Wait, Option<usize>),
    /// What it gives; `None` if it failed.
    End(Option<i64>),
}

#[derive(Clone, Debug)]
struct Waiting<'a> {
    wait: &'a Wait,
    to: Option<usize>,
    order: Order,
    /// What is left of work at some moment, and its speed from then on.
    work: Option<(f64, Moment, f64)>,
    /// Who is joined.
    joined: Option<u64>,
    given: Option<i64>,
}

#[derive(Clone, Debug)]
struct Instance<'a> {
    activity: usize,
    place: Place<'a>,
    /// Its own state.
    own: i64,
    priority: Rank,
    waiting: Option<Waiting<'a>>,
    alive: bool,
    parent: Option<u64>,
    joiners: Vec<u64>,
    /// What it gave, until it is taken.
    kept: Option<Option<i64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kindred {
    Start,
    Abort,
    Joined,
}

#[derive(Clone, Copy, Debug)]
struct Turn {
    order: Order,
    instance: u64,
    kind: Kindred,
}

#[derive(Clone, Debug)]
enum What {
    Event { event: usize, index: Option<usize>, arguments: Vec<i64> },
    Timer { instance: u64, held: bool },
}

#[derive(Clone, Debug)]
struct Pending {
    key: u64,
    at: Moment,
    priority: Rank,
    declaration: usize,
    member: usize,
    scheduled: u64,
    what: What,
}

#[derive(Clone, Debug)]
struct Memory {
    time: f64,
    low: f64,
    rate: f64,
    /// The value an `at` waits for.
    value: f64,
    /// The last value an `at` rang for, or the last tick of an `every`.
    rang: f64,
    left: f64,
    since: Moment,
    speed: f64,
    running: bool,
    base: f64,
    ticks: f64,
    period: f64,
}

const FRESH: Memory = Memory {
    time: f64::INFINITY,
    low: 0.0,
    rate: 0.0,
    value: f64::NAN,
    rang: f64::NAN,
    left: f64::NAN,
    since: (0.0, 0.0),
    speed: 1.0,
    running: false,
    base: 0.0,
    ticks: 0.0,
    period: f64::NAN,
};

/// What is next.
enum Next {
    Clock(usize, Result<usize, f64>),
    Pending(u64),
    Turn(Turn),
    /// Somebody's condition, or what interrupts him.
    Condition(u64, bool),
}

pub(crate) struct Engine<'a> {
    model: &'a Model,
    scalars: Vec<i64>,
    families: Vec<Vec<i64>>,
    due: f64,
    /// A quarter, or a tick.
    unit: f64,
    event_keys: Vec<Option<u64>>,
    activity_keys: Vec<Option<u64>>,
    tally: i64,
    pending: Vec<Pending>,
    instances: BTreeMap<u64, Instance<'a>>,
    turns: Vec<Turn>,
    /// When an event that happens once at an instant has happened last.
    last: BTreeMap<(usize, usize), f64>,
    /// Numbers for keys, and for whatever is ordered by when it came.
    count: u64,
    codes: Vec<Rc<Vec<Op<'a>>>>,
    /// The clocks in order of declaration.
    clocks: Vec<usize>,
    memory: Vec<Vec<Memory>>,
    rng: Rng,
    now: Moment,
    race: (f64, f64, f64),
    total: f64,
    instant: usize,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(model: &'a Model, rng: Rng) -> Self {
        let clocks: Vec<usize> = model
            .order
            .iter()
            .filter_map(|item| match item {
                Item::Clock(c) => Some(*c),
                _ => None,
            })
            .collect();
        let unit = if model.ticks { 1.0 } else { 0.25 };
        Engine {
            model,
            scalars: model.scalars.clone(),
            families: model.families.clone(),
            due: unit * model.due as f64,
            unit,
            event_keys: vec![None; model.events.len()],
            activity_keys: vec![None; model.activities.len()],
            tally: 0,
            pending: Vec::new(),
            instances: BTreeMap::new(),
            turns: Vec::new(),
            last: BTreeMap::new(),
            count: 0,
            codes: model.activities.iter().map(|activity| Compiler::compile(&activity.body)).collect(),
            clocks,
            memory: model
                .clocks
                .iter()
                .map(|clock| vec![FRESH; if clock.over.is_some() { model.size } else { 1 }])
                .collect(),
            rng,
            now: (0.0, 0.0),
            race: (f64::INFINITY, 0.0, 0.0),
            total: 0.0,
            instant: 0,
        }
    }

    /// Runs to `until`.
    pub(crate) fn run(&mut self, until: f64, events: &mut Vec<Event>) -> End {
        let model = self.model;
        self.simple(&model.init, &mut Variables::new(), None);
        if let Err(failure) = self.refresh(None) {
            return End::Failed(failure);
        }
        loop {
            if model.stop.as_ref().is_some_and(|stop| self.test(stop, &Variables::new())) {
                return End::Stopped;
            }
            let Some((moment, next)) = self.next() else { return End::Quiet };
            if moment.0 > until {
                return End::Quiet;
            }
            if moment.0 > self.now.0 {
                self.instant = 0;
            }
            self.instant += 1;
            if self.instant > INSTANT || events.len() >= EVENTS {
                return End::Cut;
            }
            self.now = moment;
            let (name, index) = match self.happen(next) {
                Ok(what) => what,
                Err(failure) => return End::Failed(failure),
            };
            let outputs = model.outputs().iter().map(|output| self.int(output, &Variables::new())).collect();
            events.push(Event { time: self.now.0, name, index, state: self.show(), outputs, tally: self.tally });
        }
    }

    fn show(&self) -> Vec<i64> {
        let mut all = self.scalars.clone();
        all.extend(self.families.iter().flatten());
        all.push(if self.model.ticks { self.due as i64 } else { self.due.to_bits() as i64 });
        all
    }

    fn number(&mut self) -> u64 {
        self.count += 1;
        self.count
    }

    // What is next.

    fn next(&self) -> Option<(Moment, Next)> {
        // By moment, then priority; turns come before all others of the same priority; then by declaration, index and
        // when it was scheduled.
        type Key = (f64, f64, Rank, bool, usize, usize, u64);
        let mut all: Vec<(Key, Next)> = Vec::new();
        for (clock, members) in self.memory.iter().enumerate() {
            let (declaration, priority) =
                (self.model.declaration(Item::Clock(clock)), rank(&self.model.clocks[clock].priority));
            if !self.races(&self.model.clocks[clock]) {
                for (number, memory) in members.iter().enumerate() {
                    if memory.time < f64::INFINITY {
                        let key = (memory.time, memory.low, priority, true, declaration, number, 0);
                        all.push((key, Next::Clock(clock, Ok(number))));
                    }
                }
            }
        }
        if self.race.0 < f64::INFINITY {
            let (clock, x) = self.racer();
            let (declaration, priority) =
                (self.model.declaration(Item::Clock(clock)), rank(&self.model.clocks[clock].priority));
            all.push(((self.race.0, self.race.1, priority, true, declaration, 0, 0), Next::Clock(clock, Err(x))));
        }
        for pending in &self.pending {
            let Pending { at, priority, declaration, member, scheduled, .. } = *pending;
            all.push(((at.0, at.1, priority, true, declaration, member, scheduled), Next::Pending(pending.key)));
        }
        if let Some((order, next)) = self.next_turn() {
            all.push(((self.now.0, self.now.1, order.0, false, 0, 0, 0), next));
        }
        let first = all.into_iter().min_by(|(one, _), (other, _)| one.partial_cmp(other).expect("times are numbers"));
        first.map(|(key, next)| ((key.0, key.1), next))
    }

    /// Whose turn it is at this instant: everybody is asked, in order.
    fn next_turn(&self) -> Option<(Order, Next)> {
        let mut asked: Vec<(Order, u8, Option<Turn>, u64)> = Vec::new();
        for turn in &self.turns {
            asked.push((turn.order, 0, Some(*turn), turn.instance));
        }
        for (&id, instance) in &self.instances {
            if let Some(waiting) = &instance.waiting {
                let heads = waiting.wait.line.is_none_or(|line| self.head(line) == Some(id));
                if matches!(waiting.wait.kind, Kind::For(_)) && heads {
                    asked.push((waiting.order, 1, None, id));
                }
                if waiting.wait.unless.is_some() {
                    asked.push((waiting.order, 2, None, id));
                }
            }
        }
        asked.sort_by_key(|&(order, kind, _, id)| (order, kind, id));
        for (order, kind, turn, id) in asked {
            if let Some(turn) = turn {
                return Some((order, Next::Turn(turn)));
            }
            let instance = &self.instances[&id];
            let wait = instance.waiting.as_ref().expect("it waits").wait;
            let condition = match &wait.kind {
                Kind::For(condition) if kind == 1 => condition,
                _ => wait.unless.as_ref().expect("there is such a condition"),
            };
            if self.test(condition, &instance.place.variables) {
                return Some((order, Next::Condition(id, kind == 1)));
            }
        }
        None
    }

    /// Who stands first in a line.
    fn head(&self, line: usize) -> Option<u64> {
        let standing = self.instances.iter().filter_map(|(&id, instance)| {
            let waiting = instance.waiting.as_ref()?;
            (waiting.wait.line == Some(line)).then_some((waiting.order, id))
        });
        standing.min().map(|(_, id)| id)
    }

    // What happens.

    fn happen(&mut self, next: Next) -> Result<(String, Vec<usize>), &'static str> {
        let model = self.model;
        match next {
            Next::Clock(number, member) => {
                let clock = &model.clocks[number];
                // The race draws before its event, and a family of rates picks before it, too.
                let ahead = self.races(clock).then(|| self.draw());
                let member = member.unwrap_or_else(|x| self.pick_member(number, x));
                let mut variables = Variables::new();
                if let Some(v) = clock.over {
                    variables.insert(v, Value::Number(member as i64));
                }
                self.simple(&clock.body, &mut variables, None);
                self.refresh(Some((number, member, ahead)))?;
                let index = clock.over.map(|_| member).into_iter().collect();
                Ok((format!("c{number}"), index))
            }
            Next::Pending(key) => {
                let at = self.pending.iter().position(|pending| pending.key == key).expect("it is pending");
                let pending = self.pending.remove(at);
                match pending.what {
                    What::Event { event, index, arguments } => {
                        let of = &model.events[event];
                        if of.once {
                            self.last.insert((event, pending.member), self.now.0);
                        }
                        let mut variables = bind(&of.parameters, &arguments);
                        if let (Some(v), Some(index)) = (of.over, index) {
                            variables.insert(v, Value::Number(index as i64));
                        }
                        self.simple(&of.body, &mut variables, None);
                        self.refresh(None)?;
                        Ok((format!("e{event}"), index.into_iter().collect()))
                    }
                    What::Timer { instance, held } => self.resume(instance, held),
                }
            }
            Next::Turn(turn) => {
                self.turns.retain(|other| (other.instance, other.kind) != (turn.instance, turn.kind));
                match turn.kind {
                    Kindred::Abort => {
                        let name = format!("a{}", self.instances[&turn.instance].activity);
                        let mut place = self.leave(turn.instance);
                        self.unwind(&mut place, 0, Some(turn.instance));
                        self.end(turn.instance, None);
                        self.refresh(None)?;
                        Ok((name, Vec::new()))
                    }
                    Kindred::Start => {
                        let place = self.instances[&turn.instance].place.clone();
                        self.go_on(turn.instance, place)
                    }
                    Kindred::Joined => self.resume(turn.instance, true),
                }
            }
            Next::Condition(instance, held) => self.resume(instance, held),
        }
    }

    /// Somebody's wait is over: where he stands.
    fn leave(&mut self, id: u64) -> Place<'a> {
        self.pending.retain(|pending| !matches!(pending.what, What::Timer { instance, .. } if instance == id));
        let instance = self.instances.get_mut(&id).expect("it lives");
        instance.place.clone()
    }

    fn resume(&mut self, id: u64, held: bool) -> Result<(String, Vec<usize>), &'static str> {
        let waiting = self.instances[&id].waiting.clone().expect("it waits");
        let left = if held {
            0.0
        } else if let Some(work) = waiting.work {
            left_of(work, self.now)
        } else {
            let timer = self
                .pending
                .iter()
                .find(|pending| matches!(pending.what, What::Timer { instance, held: true } if instance == id));
            timer.map_or(0.0, |timer| since(timer.at, self.now).max(0.0))
        };
        let mut place = self.leave(id);
        if let Some(to) = waiting.to {
            let value = match waiting.wait.gives() {
                Gives::Left => Value::Time(left),
                Gives::Result => Value::Given(waiting.given),
                Gives::Held | Gives::Nothing => Value::Number(i64::from(held)),
            };
            place.variables.insert(to, value);
        }
        self.instances.get_mut(&id).expect("it lives").waiting = None;
        self.go_on(id, place)
    }

    /// An instance goes on until it waits again or ends.
    fn go_on(&mut self, id: u64, mut place: Place<'a>) -> Result<(String, Vec<usize>), &'static str> {
        let model = self.model;
        let activity = self.instances[&id].activity;
        let (wait, to) = match self.execute(&mut place, Some(id)) {
            Piece::End(result) => {
                let unit = model.activities[activity].outcome == Outcome::Nothing;
                self.end(id, if unit { Some(0) } else { result });
                self.refresh(None)?;
                return Ok((format!("a{activity}"), Vec::new()));
            }
            Piece::Wait(wait, to) => (wait, to),
        };
        // What it waits for is evaluated once, while it still is its turn.
        let variables = place.variables.clone();
        let mut joined = None;
        let at = match &wait.kind {
            Kind::Delay(length) => {
                let length = self.length(length, &variables);
                if wait.speed.is_some() { Some(Err(length)) } else { Some(Ok(self.later(length))) }
            }
            Kind::Until(length) => {
                let time = self.now.0 + self.length(length, &variables);
                Some(Ok(self.at_time(time)))
            }
            Kind::For(_) => None,
            Kind::Join(a) => {
                joined = Some(self.activity_keys[*a]);
                None
            }
            Kind::Run(a, arguments) => {
                joined = Some(Some(self.start(*a, arguments, &variables, Some(id))));
                None
            }
        };
        let deadline = wait.timeout.as_ref().map(|timeout| {
            let timeout = self.length(timeout, &variables);
            self.later(timeout)
        });
        let own = self.instances[&id].priority;
        let priority = wait.priority.as_ref().map_or(own, |priority| self.priority(priority, &variables));
        let now = self.now;
        let (at, work) = match at {
            Some(Err(length)) => {
                let speed = self.speed(wait.speed.as_ref().expect("it has a speed"), &variables);
                let (work, at) = start_work(length, speed, now);
                (Some(at), Some(work))
            }
            Some(Ok(at)) => (Some(at), None),
            None => (None, None),
        };
        let order = (priority, self.number());
        let instance = self.instances.get_mut(&id).expect("it lives");
        instance.place = place;
        instance.waiting = Some(Waiting { wait, to, order, work, joined: joined.flatten(), given: None });
        // What follows from the event comes before what is to end the wait.
        self.refresh(None)?;
        for (at, held) in [(at, true), (deadline, false)] {
            if let Some(at) = at.filter(|at| at.0 < f64::INFINITY) {
                self.set_timer(id, at, held);
            }
        }
        if let Some(joined) = joined {
            self.join(id, joined);
        }
        Ok((format!("a{activity}"), Vec::new()))
    }

    fn set_timer(&mut self, id: u64, at: Moment, held: bool) {
        let (key, scheduled) = (self.number(), self.number());
        let instance = &self.instances[&id];
        let priority = instance.waiting.as_ref().expect("it waits").order.0;
        let declaration = self.model.declaration(Item::Activity(instance.activity));
        let what = What::Timer { instance: id, held };
        self.pending.push(Pending { key, at, priority, declaration, member: 0, scheduled, what });
    }

    fn join(&mut self, id: u64, joined: Option<u64>) {
        if joined.is_some_and(|joined| self.instances[&joined].alive) {
            let joined = self.instances.get_mut(&joined.expect("it is there")).expect("it lives");
            joined.joiners.push(id);
            return;
        }
        let kept = joined.and_then(|joined| self.instances.get_mut(&joined)?.kept.take()).flatten();
        self.give(id, kept);
    }

    /// Somebody gets the result he waits for.
    fn give(&mut self, id: u64, result: Option<i64>) {
        let Some(waiting) = self
            .instances
            .get_mut(&id)
            .filter(|instance| instance.alive)
            .and_then(|instance| instance.waiting.as_mut())
        else {
            return;
        };
        waiting.given = result;
        let order = waiting.order;
        self.turns.push(Turn { order, instance: id, kind: Kindred::Joined });
    }

    /// An instance has ended.
    fn end(&mut self, id: u64, result: Option<i64>) {
        let instance = self.instances.get_mut(&id).expect("it lives");
        let waiting = instance.waiting.take();
        instance.alive = false;
        let (activity, parent) = (instance.activity, instance.parent);
        let joiners = std::mem::take(&mut instance.joiners);
        if let Some(Waiting { wait: Wait { kind: Kind::Run(..), .. }, joined: Some(child), .. }) = waiting {
            self.abort(child);
        }
        self.turns.retain(|turn| turn.instance != id);
        // What its children gave is kept for it only.
        for child in self.instances.values_mut().filter(|child| child.parent == Some(id)) {
            child.kept = None;
        }
        let orphan = parent.is_some_and(|parent| !self.instances[&parent].alive);
        if joiners.is_empty() && !orphan && self.model.is_joined(activity) {
            self.instances.get_mut(&id).expect("it is there").kept = Some(result);
        }
        for joiner in joiners {
            self.give(joiner, result);
        }
    }

    fn start(&mut self, a: usize, arguments: &[Argument], variables: &Variables, parent: Option<u64>) -> u64 {
        let activity = &self.model.activities[a];
        let values = self.arguments(arguments, variables);
        let bound = bind(&activity.parameters, &values);
        let priority = activity.priority.as_ref().map_or([0, 0], |priority| self.priority(priority, &bound));
        let id = self.number();
        let mut variables = bound;
        variables.insert(ME, Value::Number(id as i64));
        let place = Place { code: self.codes[a].clone(), at: 0, variables, blocks: Vec::new() };
        let instance = Instance {
            activity: a,
            place,
            own: OWN,
            priority,
            waiting: None,
            alive: true,
            parent,
            joiners: Vec::new(),
            kept: None,
        };
        self.instances.insert(id, instance);
        self.turns.push(Turn { order: (priority, id), instance: id, kind: Kindred::Start });
        id
    }

    fn abort(&mut self, id: u64) -> bool {
        let Some(instance) = self.instances.get(&id).filter(|instance| instance.alive) else { return false };
        if self.turns.iter().any(|turn| turn.instance == id && turn.kind == Kindred::Abort) {
            return false;
        }
        let priority = instance.priority;
        let order = (priority, self.number());
        self.turns.push(Turn { order, instance: id, kind: Kindred::Abort });
        true
    }

    // Bodies.

    /// A body that does not wait.
    fn simple(&mut self, body: &'a [Statement], variables: &mut Variables, me: Option<u64>) {
        let code = Compiler::compile(body);
        let mut place = Place { code, at: 0, variables: std::mem::take(variables), blocks: Vec::new() };
        let Piece::End(_) = self.execute(&mut place, me) else { unreachable!("it does not wait") };
        *variables = place.variables;
    }

    /// Blocks end, down to `keep`.
    fn unwind(&mut self, place: &mut Place<'a>, keep: usize, me: Option<u64>) {
        while place.blocks.len() > keep {
            let mut deferred = place.blocks.pop().expect("there is one");
            while let Some(body) = deferred.pop() {
                self.simple(body, &mut place.variables, me);
            }
        }
    }

    fn execute(&mut self, place: &mut Place<'a>, me: Option<u64>) -> Piece<'a> {
        let code = place.code.clone();
        loop {
            let Some(op) = code.get(place.at) else { return Piece::End(Some(0)) };
            place.at += 1;
            match op {
                Op::Do(statement) => self.act(statement, &mut place.variables, me),
                Op::Jump(to) => place.at = *to,
                Op::Unless(test, to) => {
                    if !self.test(test, &place.variables) {
                        place.at = *to;
                    }
                }
                Op::UnlessSet(flag, not, to) => {
                    if (number(&place.variables, *flag) == 0) != *not {
                        place.at = *to;
                    }
                }
                Op::Switch(e, arms) => {
                    place.at = arms[self.int(e, &place.variables).rem_euclid(arms.len() as i64) as usize];
                }
                Op::Push => place.blocks.push(Vec::new()),
                Op::Pop => self.unwind(place, place.blocks.len() - 1, me),
                Op::Unwind(keep) => self.unwind(place, *keep, me),
                Op::Defer(body) => place.blocks.last_mut().expect("it stands in a block").push(body),
                Op::First(counter) => {
                    place.variables.insert(*counter, Value::Number(-1));
                }
                Op::Next(counter, variable, times, end) => {
                    let times = if *times < 0 { self.model.size as i64 } else { *times };
                    let next = number(&place.variables, *counter) + 1;
                    place.variables.insert(*counter, Value::Number(next));
                    place.variables.insert(*variable, Value::Number(next));
                    if next >= times {
                        place.at = *end;
                    }
                }
                Op::Wait(wait, to) => return Piece::Wait(wait, *to),
                Op::Return(e) => {
                    let value = self.int(e, &place.variables);
                    self.unwind(place, 0, me);
                    return Piece::End(Some(value));
                }
                Op::Fail(test) => {
                    if self.test(test, &place.variables) {
                        self.unwind(place, 0, me);
                        return Piece::End(None);
                    }
                }
            }
        }
    }

    fn act(&mut self, statement: &'a Statement, variables: &mut Variables, me: Option<u64>) {
        match statement {
            Statement::Assign(target, e) => {
                let value = self.int(e, variables).rem_euclid(MODULUS);
                *self.target(target, variables) = value;
            }
            Statement::Increase(target, e) => {
                let by = self.int(e, variables);
                let place = self.target(target, variables);
                *place = (*place + by).rem_euclid(MODULUS);
            }
            Statement::Due(e) => {
                self.due = self.now.0 + self.unit * (1 + self.int(e, variables).rem_euclid(5)) as f64;
            }
            Statement::Draw(target) => {
                let value = self.rng.random_range(0..MODULUS);
                *self.target(target, variables) = value;
            }
            Statement::Let(l, e) | Statement::Set(l, e) => {
                let value = self.int(e, variables).rem_euclid(LOCALS);
                variables.insert(*l, Value::Number(value));
            }
            Statement::Fix(v, index) => {
                let value = self.index(index, variables) as i64;
                variables.insert(*v, Value::Number(value));
            }
            Statement::Other(a, e) => {
                let value = self.int(e, variables).rem_euclid(MODULUS);
                if let Some(other) = self.activity_keys[*a].and_then(|id| self.instances.get_mut(&id)) {
                    other.own = if other.alive { value } else { other.own };
                }
            }
            Statement::Tally(e) => self.tally += self.int(e, variables).rem_euclid(LOCALS),
            Statement::Schedule { event, index, at, delay, arguments, priority, keep } => {
                let index = index.as_ref().map(|index| self.index(index, variables));
                let length = self.length(delay, variables);
                let moment = if *at { self.at_time(self.now.0 + length) } else { self.later(length) };
                let arguments = self.arguments(arguments, variables);
                let own = rank(&self.model.events[*event].priority);
                let priority = priority.as_ref().map_or(own, |priority| self.priority(priority, variables));
                let key = self.schedule(*event, index, moment, arguments, priority);
                if *keep {
                    self.event_keys[*event] = key;
                }
            }
            Statement::Cancel { event, into } => {
                if let Some(at) = self.pending_at(*event) {
                    let What::Event { arguments, .. } = self.pending.remove(at).what else { return };
                    self.scalars[*into] = arguments.first().map_or(1, |payload| payload + 1).rem_euclid(MODULUS);
                }
            }
            Statement::Reschedule { event, delay, into } => {
                let time = self.now.0 + self.length(delay, variables);
                let moment = self.at_time(time);
                if let Some(at) = self.pending_at(*event) {
                    self.pending[at].at = moment;
                    self.pending[at].scheduled = self.number();
                    self.scalars[*into] = (self.scalars[*into] + 1).rem_euclid(MODULUS);
                }
            }
            Statement::When { event, into } => {
                if let Some(at) = self.pending_at(*event) {
                    self.scalars[*into] =
                        (((self.pending[at].at.0 - self.now.0) / self.unit) as i64).rem_euclid(MODULUS);
                }
            }
            Statement::Clear(event, index) => {
                let member = index.as_ref().map(|index| self.index(index, variables));
                self.pending.retain(|pending| {
                    let What::Event { event: of, index, .. } = &pending.what else { return true };
                    of != event || member.is_some() && *index != member
                });
            }
            Statement::Start { activity, arguments, keep } => {
                let id = self.start(*activity, arguments, variables, me);
                if *keep {
                    self.activity_keys[*activity] = Some(id);
                }
            }
            Statement::Abort { activity, into } => {
                let aborted = self.activity_keys[*activity].is_some_and(|id| self.abort(id));
                if let Some(into) = into.filter(|_| aborted) {
                    self.scalars[into] = (self.scalars[into] + 2).rem_euclid(MODULUS);
                }
            }
            Statement::AbortMe => {
                self.abort(me.expect("it is an instance"));
            }
            Statement::KeepMe => {
                let id = me.expect("it is an instance");
                self.activity_keys[self.instances[&id].activity] = Some(id);
            }
            other => unreachable!("{other:?} is no simple statement"),
        }
    }

    fn pending_at(&self, event: usize) -> Option<usize> {
        let key = self.event_keys[event]?;
        self.pending.iter().position(|pending| pending.key == key)
    }

    fn schedule(
        &mut self,
        event: usize,
        index: Option<usize>,
        at: Moment,
        arguments: Vec<i64>,
        priority: Rank,
    ) -> Option<u64> {
        let member = index.unwrap_or(0);
        if self.model.events[event].once {
            let same = |pending: &&Pending| {
                matches!(pending.what, What::Event { event: of, .. } if of == event)
                    && pending.member == member
                    && pending.at.0 == at.0
            };
            if let Some(pending) = self.pending.iter().find(same) {
                return Some(pending.key);
            }
            if self.last.get(&(event, member)) == Some(&at.0) {
                return None;
            }
        }
        let (key, scheduled) = (self.number(), self.number());
        let declaration = self.model.declaration(Item::Event(event));
        let what = What::Event { event, index, arguments };
        self.pending.push(Pending { key, at, priority, declaration, member, scheduled, what });
        Some(key)
    }

    fn target(&mut self, target: &Target, variables: &Variables) -> &mut i64 {
        match target {
            Target::Scalar(s) => &mut self.scalars[*s],
            Target::Element(x, index) => {
                let at = self.index(index, variables);
                &mut self.families[*x][at]
            }
            Target::Own(_) => {
                let id = number(variables, ME) as u64;
                &mut self.instances.get_mut(&id).expect("it lives").own
            }
        }
    }

    // Expressions.

    fn arguments(&self, arguments: &[Argument], variables: &Variables) -> Vec<i64> {
        arguments
            .iter()
            .map(|argument| match argument {
                Argument::Number(e) => self.int(e, variables),
                Argument::Index(index) => self.index(index, variables) as i64,
            })
            .collect()
    }

    fn priority(&self, priority: &Priority, variables: &Variables) -> Rank {
        let part = |e: &Int, among: i64| match e {
            Int::Constant(value) => *value,
            other => self.int(other, variables).rem_euclid(among),
        };
        [part(&priority.first, 3), priority.second.as_ref().map_or(0, |second| part(second, 2))]
    }

    fn index(&self, index: &Index, variables: &Variables) -> usize {
        let n = self.model.size;
        match index {
            Index::Variable(v) => number(variables, *v) as usize,
            Index::Next(v) => (number(variables, *v) as usize + 1) % n,
            Index::Constant(at) => *at,
            Index::Value(e) => self.int(e, variables).rem_euclid(n as i64) as usize,
        }
    }

    fn int(&self, e: &Int, variables: &Variables) -> i64 {
        match e {
            Int::Constant(value) => *value,
            Int::Scalar(s) => self.scalars[*s],
            Int::Element(x, index) => self.families[*x][self.index(index, variables)],
            Int::Local(v) | Int::Member(v) | Int::Flag(v) => number(variables, *v),
            Int::Quarters(f) => match variables[f] {
                Value::Time(left) => (left / self.unit) as i64,
                _ => unreachable!("it is a time"),
            },
            Int::Given(o, with) => match variables[o] {
                Value::Given(given) if *with => given.unwrap_or(-1),
                Value::Given(given) => i64::from(given.is_some()),
                _ => unreachable!("it was given"),
            },
            Int::Now => (self.now.0 / self.unit) as i64,
            Int::EventLen(e, index) => {
                let member = index.as_ref().map(|index| self.index(index, variables));
                let counted = self.pending.iter().filter(|pending| {
                    let What::Event { event, index, .. } = &pending.what else { return false };
                    event == e && (member.is_none() || *index == member)
                });
                counted.count() as i64
            }
            Int::ActivityLen(a) => {
                self.instances.values().filter(|instance| instance.alive && instance.activity == *a).count() as i64
            }
            Int::LineLen(line) => {
                let stands = |instance: &&Instance<'_>| {
                    instance.waiting.as_ref().is_some_and(|waiting| waiting.wait.line == Some(*line))
                };
                self.instances.values().filter(stands).count() as i64
            }
            Int::Alive(a) => i64::from(self.activity_keys[*a].is_some_and(|id| self.instances[&id].alive)),
            Int::Own(_) => self.instances[&(number(variables, ME) as u64)].own,
            Int::Other(a) => {
                let other = self.activity_keys[*a].map(|id| &self.instances[&id]).filter(|other| other.alive);
                other.map_or(-1, |other| other.own)
            }
            Int::Add(a, b) => self.int(a, variables) + self.int(b, variables),
            Int::Sub(a, b) => self.int(a, variables) - self.int(b, variables),
            Int::Mul(a, b) => self.int(a, variables) * self.int(b, variables),
        }
    }

    fn test(&self, test: &Test, variables: &Variables) -> bool {
        let holds = |left: i64, relation: &Relation, right: i64| match relation {
            Relation::Less => left < right,
            Relation::Equal => left == right,
            Relation::Greater => left > right,
        };
        match test {
            Test::Compare(left, relation, right) => {
                holds(self.int(left, variables).rem_euclid(MODULUS), relation, self.int(right, variables))
            }
            Test::Plain(left, relation, right) => {
                holds(self.int(left, variables), relation, self.int(right, variables))
            }
            Test::And(a, b) => self.test(a, variables) && self.test(b, variables),
            Test::Or(a, b) => self.test(a, variables) || self.test(b, variables),
            Test::Not(a) => !self.test(a, variables),
        }
    }

    fn length(&mut self, length: &Length, variables: &Variables) -> f64 {
        match length {
            Length::Quarters { least, of, among } => {
                self.unit * (least + self.int(of, variables).rem_euclid(*among)) as f64
            }
            Length::Drawn { of, among } => {
                let least = self.unit * (1 + self.int(of, variables).rem_euclid(*among)) as f64;
                if self.model.ticks {
                    least + self.rng.random_range(0..3_u64) as f64
                } else {
                    least * self.rng.sample::<f64, _>(Exp1)
                }
            }
            Length::Left(f) => match variables[f] {
                Value::Time(left) => left,
                _ => unreachable!("it is a time"),
            },
        }
    }

    fn speed(&self, e: &Int, variables: &Variables) -> f64 {
        0.5 * self.int(e, variables).rem_euclid(3) as f64
    }

    // Times.

    /// `wait` from now, and what rounding takes from it.
    fn later(&self, wait: f64) -> Moment {
        later(self.now, wait)
    }

    fn at_time(&self, time: f64) -> Moment {
        if time > self.now.0 { (time, 0.0) } else { self.now }
    }

    // Clocks.

    fn races(&self, clock: &Clock) -> bool {
        !self.model.next_reaction && matches!(clock.timing, Timing::Rate(_))
    }

    fn racing(&self) -> Vec<usize> {
        self.clocks.iter().copied().filter(|&c| self.races(&self.model.clocks[c])).collect()
    }

    fn rates(&self, clock: usize) -> Rates {
        let memory = &self.memory[clock];
        let mut rates = Rates::new(memory.len(), Method::Tree);
        for (number, memory) in memory.iter().enumerate() {
            rates.set(number, memory.rate);
        }
        rates
    }

    fn total_of(&self, clock: usize) -> f64 {
        if self.model.clocks[clock].over.is_none() { self.memory[clock][0].rate } else { self.rates(clock).total() }
    }

    fn pick_member(&mut self, clock: usize, x: f64) -> usize {
        if self.model.clocks[clock].over.is_none() { 0 } else { self.rates(clock).pick(x, &mut self.rng) }
    }

    /// Who wins the race, and what is left of the number that picks it.
    fn racer(&self) -> (usize, f64) {
        let racing = self.racing();
        let rates: Vec<f64> = racing.iter().map(|&c| self.total_of(c)).collect();
        let size = rates.len().next_power_of_two();
        let mut x = self.race.2 * sum(&rates, size);
        let (mut at, mut width) = (0, size);
        while width > 1 {
            width /= 2;
            let left = sum(&rates[at.min(rates.len())..], width);
            let right = sum(&rates[(at + width).min(rates.len())..], width);
            if x >= left && right > 0.0 {
                x -= left;
                at += width;
            }
        }
        (racing[at], x)
    }

    /// A standard exponential and a uniform number.
    fn draw(&mut self) -> (f64, f64) {
        let wait = exponential(&mut self.rng);
        (wait, (self.rng.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// After an event: the clock that rang, its member, and what the race has drawn.
    fn refresh(&mut self, rang: Option<(usize, usize, Option<(f64, f64)>)>) -> Result<(), &'static str> {
        let model = self.model;
        if let Some((clock, member, _)) = rang {
            self.use_up(clock, member);
        }
        for clock in self.clocks.clone() {
            for member in 0..self.memory[clock].len() {
                self.evaluate(clock, member)?;
            }
        }
        let rates: Vec<f64> = self.racing().into_iter().map(|c| self.total_of(c)).collect();
        let total = if rates.is_empty() { 0.0 } else { sum(&rates, rates.len().next_power_of_two()) };
        let ahead = rang.and_then(|(_, _, ahead)| ahead);
        if ahead.is_some() || total != self.total {
            self.total = total;
            let (wait, choice) = ahead.unwrap_or_else(|| self.draw());
            let (time, low) = if total > 0.0 { self.later(wait / total) } else { (f64::INFINITY, 0.0) };
            self.race = (time, low, choice);
        }
        // Speeds, in the order of the text, then of the member, then of when the wait began.
        let mut working: Vec<(usize, usize, Vec<i64>, u64, u64)> = Vec::new();
        for (&id, instance) in &self.instances {
            if let Some(Waiting { wait: Wait { site, speed: Some(speed), .. }, order, .. }) = &instance.waiting {
                let declaration = model.declaration(Item::Activity(instance.activity));
                let mut indices = BTreeSet::new();
                indices_of(speed, &mut indices);
                let member = indices.into_iter().map(|v| number(&instance.place.variables, v)).collect();
                working.push((declaration, *site, member, order.1, id));
            }
        }
        working.sort_unstable();
        for (.., id) in working {
            let instance = &self.instances[&id];
            let waiting = instance.waiting.as_ref().expect("it waits");
            let (e, work) = (waiting.wait.speed.as_ref().expect("it works"), waiting.work.expect("it works"));
            let speed = self.speed(e, &instance.place.variables);
            if speed == work.2 {
                continue;
            }
            let (work, at) = start_work(left_of(work, self.now), speed, self.now);
            self.instances.get_mut(&id).and_then(|instance| instance.waiting.as_mut()).expect("it waits").work =
                Some(work);
            self.pending
                .retain(|pending| !matches!(pending.what, What::Timer { instance, held: true } if instance == id));
            if at.0 < f64::INFINITY {
                self.set_timer(id, at, true);
            }
        }
        Ok(())
    }

    fn use_up(&mut self, clock: usize, member: usize) {
        let now = self.now.0;
        let next_reaction = self.model.next_reaction;
        let memory = &mut self.memory[clock][member];
        match &self.model.clocks[clock].timing {
            Timing::Rate(_) => {
                if next_reaction {
                    (memory.rate, memory.time) = (0.0, f64::INFINITY);
                }
            }
            Timing::Every { .. } => {
                memory.rang = now;
                memory.ticks += 1.0;
            }
            Timing::After { .. } => (memory.left, memory.running) = (f64::NAN, false),
            Timing::Due => memory.rang = memory.time,
        }
    }

    fn evaluate(&mut self, number: usize, member: usize) -> Result<(), &'static str> {
        let model = self.model;
        let clock = &model.clocks[number];
        let mut variables = Variables::new();
        if let Some(v) = clock.over {
            variables.insert(v, Value::Number(member as i64));
        }
        let enabled = clock.guard.as_ref().is_none_or(|guard| self.test(guard, &variables));
        let now = self.now;
        match &clock.timing {
            Timing::Rate(e) => {
                let rate = if enabled { 0.25 * self.int(e, &variables).rem_euclid(5) as f64 } else { 0.0 };
                self.rate(number, member, rate);
            }
            Timing::Due => {
                let due = self.due;
                let memory = &mut self.memory[number][member];
                // It stays where it is while nothing is written.
                if due != memory.value {
                    memory.value = due;
                    memory.time = due;
                    memory.low = if due == now.0 { now.1 } else { 0.0 };
                }
                if due == memory.rang {
                    (memory.time, memory.low) = (f64::INFINITY, 0.0);
                }
                if memory.time < now.0 {
                    return Err("past");
                }
            }
            Timing::After { .. } => self.after(number, member, &clock.timing, enabled, &variables),
            Timing::Every { period, from } => {
                if enabled {
                    let period = self.unit * (1 + self.int(period, &variables).rem_euclid(6)) as f64;
                    self.every(number, member, period, from.map(|from| self.unit * from as f64));
                } else {
                    let memory = &mut self.memory[number][member];
                    (memory.time, memory.low) = (f64::INFINITY, 0.0);
                }
            }
        }
        Ok(())
    }

    fn rate(&mut self, clock: usize, member: usize, rate: f64) {
        let old = self.memory[clock][member].rate;
        if self.races(&self.model.clocks[clock]) || rate == old {
            self.memory[clock][member].rate = rate;
            return;
        }
        let memory = &self.memory[clock][member];
        let wait = if rate == 0.0 {
            f64::INFINITY
        } else if old > 0.0 {
            since((memory.time, memory.low), self.now) * (old / rate)
        } else {
            exponential(&mut self.rng) / rate
        };
        let (time, low) = self.later(wait);
        let memory = &mut self.memory[clock][member];
        (memory.rate, memory.time, memory.low) = (rate, time, low);
    }

    fn after(&mut self, clock: usize, member: usize, timing: &Timing, enabled: bool, variables: &Variables) {
        let Timing::After { delay, resume, speed } = timing else { return };
        let now = self.now;
        let left = |memory: &Memory| (memory.left - since(now, memory.since) * memory.speed).max(0.0);
        if !enabled {
            let memory = &mut self.memory[clock][member];
            (memory.time, memory.low) = (f64::INFINITY, 0.0);
            if *resume {
                if memory.running {
                    memory.left = left(memory);
                }
            } else {
                memory.left = f64::NAN;
            }
            memory.running = false;
            return;
        }
        if self.memory[clock][member].left.is_nan() {
            let length = self.length(delay, variables);
            let memory = &mut self.memory[clock][member];
            (memory.left, memory.running) = (length, false);
        }
        let speed = speed.as_ref().map_or(1.0, |speed| self.speed(speed, variables));
        let memory = &mut self.memory[clock][member];
        if memory.running {
            if speed == memory.speed {
                return;
            }
            memory.left = left(memory);
        }
        (memory.since, memory.speed, memory.running) = (now, speed, true);
        let wait = if speed > 0.0 { memory.left / speed } else { f64::INFINITY };
        let (time, low) = later(now, wait);
        (memory.time, memory.low) = (time, low);
    }

    fn every(&mut self, clock: usize, member: usize, period: f64, from: Option<f64>) {
        let (now, low) = self.now;
        let memory = &mut self.memory[clock][member];
        if memory.period.is_nan() {
            memory.base = from.unwrap_or(0.0);
            memory.ticks = if from.is_some() { 0.0 } else { 1.0 };
        } else if period != memory.period {
            if !memory.rang.is_nan() {
                (memory.base, memory.ticks) = (memory.rang, 1.0);
            }
            if memory.base + memory.ticks * period < now {
                (memory.base, memory.ticks) = (now, 0.0);
            }
        }
        memory.period = period;
        while memory.base + memory.ticks * period < now || memory.base + memory.ticks * period <= memory.rang {
            memory.ticks += 1.0;
        }
        memory.time = memory.base + memory.ticks * period;
        memory.low = if memory.time == now { low.max(0.0) } else { 0.0 };
    }
}

fn rank(priority: &[i64]) -> Rank {
    [priority.first().copied().unwrap_or(0), priority.get(1).copied().unwrap_or(0)]
}

/// The variables by which elements are read.
fn indices_of(e: &Int, into: &mut BTreeSet<usize>) {
    match e {
        Int::Element(_, Index::Variable(v) | Index::Next(v)) => {
            into.insert(*v);
        }
        Int::Element(_, Index::Value(e)) => indices_of(e, into),
        Int::Add(a, b) | Int::Sub(a, b) | Int::Mul(a, b) => {
            indices_of(a, into);
            indices_of(b, into);
        }
        _ => {}
    }
}

fn number(variables: &Variables, variable: usize) -> i64 {
    match variables[&variable] {
        Value::Number(value) => value,
        _ => unreachable!("it is a number"),
    }
}

fn bind(parameters: &[Parameter], values: &[i64]) -> Variables {
    let variables = parameters.iter().zip(values).map(|(parameter, value)| match parameter {
        Parameter::Number(v) | Parameter::Member(v) => (*v, Value::Number(*value)),
    });
    variables.collect()
}

fn later(now: Moment, wait: f64) -> Moment {
    let wait = now.1 + wait;
    let time = now.0 + wait;
    (time, if time < f64::INFINITY { wait - (time - now.0) } else { 0.0 })
}

fn since(later: Moment, earlier: Moment) -> f64 {
    (later.0 - earlier.0) + (later.1 - earlier.1)
}

/// What is left of work at `now`.
fn left_of((left, from, speed): (f64, Moment, f64), now: Moment) -> f64 {
    if speed > 0.0 { (left - speed * since(now, from)).max(0.0) } else { left }
}

/// Work that goes on at some speed, and when it will be done.
fn start_work(left: f64, speed: f64, now: Moment) -> ((f64, Moment, f64), Moment) {
    let at = if left <= 0.0 {
        now
    } else if speed > 0.0 {
        later(now, left / speed)
    } else {
        (f64::INFINITY, 0.0)
    };
    ((left, now, speed), at)
}

/// The sum of `width` leaves, the missing ones 0, added in pairs, pairs of pairs and so on.
fn sum(rates: &[f64], width: usize) -> f64 {
    if width == 1 {
        return rates.first().copied().unwrap_or(0.0);
    }
    let half = width / 2;
    sum(rates, half) + sum(&rates[half.min(rates.len())..], half)
}
