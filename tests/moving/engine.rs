//! The reference engine for flows: slow, and with nothing to forget.
//!
//! It comes in two ways. *Moving*, it takes everything that flows to the time of every event, evaluates
//! every crossing and every wall again after it, and has formulas of its own for hazards and crossings:
//! positions then differ from those of the engine by rounding, and so does all that follows from them.
//! *Anchored*, it brings to now what is written and nothing else, as the language says, and takes hazards
//! and crossings from the engine's own parts: then it must agree bit for bit.
//!
//! Where a refresh is seen – a hazard or a `redraw` takes new random numbers, the `s` of a hazard begins
//! anew – it compares the elements that the member has read with those that the event has written: all
//! that its body names by indices known before it, and what it has in fact written at others. What flows
//! by what is written counts as written.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use clockrace::__private::family_rates::{Method, Rates};
use clockrace::__private::flow::{Affine, Arrival, Crossing, IntoPoly as _, Poly, Thinning};
use clockrace::__private::{Moment, exponential, timing};
use clockrace::rand::RngExt as _;
use clockrace::{Rng, rand_distr::Exp1};

use super::description::{
    Bound, Clock, Extra, Index, Kind, MODULUS, Model, Name, Over, Range, Real, Statement, Target, Test, Timing,
};
use super::mathematics::{Cross, Thin};

/// What a run shows: for each event its time, its clock with its indices, and the state after it with
/// every flowing variable at its value of then, and the outputs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub time: f64,
    pub clock: usize,
    pub index: Vec<usize>,
    pub state: Vec<f64>,
    pub outputs: Vec<f64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Quiet,
    /// Two things come too close to say which is first, or a function only touches zero.
    Close,
    Failed(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Moving,
    Anchored,
}

/// What can be read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Var {
    Flow(Name),
    Single(usize),
    Count,
    Home,
    Pick,
    Due,
    /// Rows of the relation that changes: of all its rows first, then of all its members.
    Tie,
}

type Place = (Var, usize);

/// Which variables code reads or writes on any branch, and which of them as a whole.
#[derive(Clone, Debug, Default)]
struct Touch {
    vars: BTreeSet<Var>,
    whole: BTreeSet<Var>,
}

/// What a clock remembers, by its timing.
#[derive(Clone, Debug)]
enum Kept {
    Rate(timing::Exponential),
    At(timing::At),
    Delay(timing::Delay),
    Work(timing::Work),
    Every(timing::Every),
    Arrival,
    Thinning(Thinning),
    Crossing(Crossing),
    Thin(Thin),
    Cross(Cross),
}

#[derive(Clone, Debug)]
struct Memory {
    at: Moment,
    rate: f64,
    kept: Kept,
    /// An `at` that has rung and not been touched since.
    used: bool,
    /// What guard and timing have read at their last evaluation.
    reads: BTreeSet<Place>,
}

/// The elements of a flow, and the times they were brought to.
#[derive(Clone, Debug)]
struct Elements {
    x: Vec<f64>,
    v: Vec<f64>,
    since: Vec<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    clock: usize,
    number: usize,
}

/// Indices by number of their variable; of an action an argument, of a hazard the time that has gone.
#[derive(Clone, Debug, Default)]
struct Scope {
    indices: Vec<usize>,
    argument: f64,
    elapsed: f64,
}

impl Scope {
    fn bind(&mut self, variable: usize, index: usize) {
        if self.indices.len() <= variable {
            self.indices.resize(variable + 1, 0);
        }
        self.indices[variable] = index;
    }
}

/// Indices that are known before the event.
type Known = Vec<Option<usize>>;

/// A number or a polynomial of time.
#[derive(Clone, Copy, Debug)]
enum Num {
    F(f64),
    P(Poly),
}

macro_rules! num {
    ($name:ident, $operator:tt) => {
        fn $name(self, other: Num) -> Num {
            match (self, other) {
                (Num::F(a), Num::F(b)) => Num::F(a $operator b),
                (Num::F(a), Num::P(b)) => Num::P(a $operator b),
                (Num::P(a), Num::F(b)) => Num::P(a $operator b),
                (Num::P(a), Num::P(b)) => Num::P(a $operator b),
            }
        }
    };
}

impl Num {
    num!(add, +);
    num!(sub, -);
    num!(mul, *);

    fn poly(self) -> Poly {
        match self {
            Num::F(a) => a.poly(),
            Num::P(a) => a.poly(),
        }
    }
}

/// Events closer than this are not told apart where arithmetic differs.
pub(crate) const CLOSE: f64 = 1e-7;

/// More events at one instant are an error.
pub(crate) const ZENO: u64 = 60;

pub(crate) struct Engine<'a> {
    model: &'a Model,
    way: Way,
    flows: Vec<Elements>,
    singles: Vec<f64>,
    counts: Vec<i64>,
    home: Vec<usize>,
    pick: usize,
    due: Vec<f64>,
    tie: Vec<BTreeSet<usize>>,
    memory: Vec<Vec<Memory>>,
    rng: RefCell<Rng>,
    now: Moment,
    /// The time that flows are followed to.
    looked: Cell<f64>,
    race: (Moment, f64),
    total: f64,
    instant: u64,
    noting: Cell<bool>,
    reads: RefCell<BTreeSet<Place>>,
    written: BTreeSet<Place>,
    /// By clock.
    watched: Vec<Touch>,
    writes: Vec<Touch>,
    /// A function came close to zero without crossing it.
    grazed: Cell<bool>,
}

type Result<T> = std::result::Result<T, String>;

fn told<T>(outcome: std::result::Result<T, clockrace::__private::Fault>) -> Result<T> {
    outcome.map_err(|_| "fault".to_owned())
}

impl<'a> Engine<'a> {
    pub(crate) fn new(model: &'a Model, way: Way, rng: Rng) -> Self {
        let mut engine = Engine {
            model,
            way,
            flows: Vec::new(),
            singles: model.singles.clone(),
            counts: model.counts.clone(),
            home: model.home.clone(),
            pick: model.pick,
            due: model.due.clone(),
            tie: model.tie.iter().flatten().map(|row| row.iter().copied().collect()).collect(),
            memory: Vec::new(),
            rng: RefCell::new(rng),
            now: Moment::at(0.0),
            looked: Cell::new(0.0),
            race: (Moment::NEVER, 0.0),
            total: 0.0,
            instant: 0,
            noting: Cell::new(false),
            reads: RefCell::new(BTreeSet::new()),
            written: BTreeSet::new(),
            watched: Vec::new(),
            writes: Vec::new(),
            grazed: Cell::new(false),
        };
        for clock in &model.clocks {
            engine.watched.push(engine.watched_by(clock));
            let mut writes = Touch::default();
            engine.written_by(&clock.body, &mut writes);
            engine.writes.push(writes);
        }
        engine
    }

    fn start(&mut self) {
        let model = self.model;
        for flow in &model.flows {
            let count = self.count(flow.over);
            let initial = |base: f64, number: usize| {
                if flow.drawn {
                    return self.rng.borrow_mut().random_range(-1.25..1.25);
                }
                match self.decode(flow.over, number).as_slice() {
                    [] => base,
                    [only] => base + 0.375 * *only as f64,
                    [first, second, ..] => base + 0.375 * *first as f64 - 0.25 * *second as f64,
                }
            };
            let x = (0..count).map(|number| initial(flow.x, number)).collect();
            let v = (0..count).map(|number| initial(flow.v, number)).collect();
            self.flows.push(Elements { x, v, since: vec![0.0; count] });
        }
        let fresh = |clock: &Clock| {
            let kept = match (&clock.timing, self.way) {
                (Timing::Rate(_), _) => Kept::Rate(timing::Exponential::OFF),
                (Timing::At(_) | Timing::Due(_), _) => Kept::At(timing::At::NEW),
                (Timing::After { resume: false, speed: None, .. }, _) => Kept::Delay(timing::Delay::OFF),
                (Timing::After { .. }, _) => Kept::Work(timing::Work::OFF),
                (Timing::Every(_), _) => Kept::Every(timing::Every::NEW),
                (Timing::Affine(..), _) => Kept::Arrival,
                (Timing::Thinned { .. }, Way::Moving) => Kept::Thin(Thin::OFF),
                (Timing::Thinned { .. }, Way::Anchored) => Kept::Thinning(Thinning::OFF),
                (Timing::Crosses { .. }, Way::Moving) => Kept::Cross(Cross::OFF),
                (Timing::Crosses { .. }, Way::Anchored) => Kept::Crossing(Crossing::OFF),
            };
            Memory { at: Moment::NEVER, rate: 0.0, kept, used: false, reads: BTreeSet::new() }
        };
        self.memory = model.clocks.iter().map(|clock| vec![fresh(clock); self.count(clock.over)]).collect();
    }

    /// Runs to `until`, and shows `events` of it at most.
    pub(crate) fn run(&mut self, until: f64, most: usize, events: &mut Vec<Event>) -> End {
        self.start();
        let mut outcome = self.refresh(None, None);
        while outcome.is_ok() && events.len() < most {
            match self.step(until, events) {
                Ok(true) => {}
                Ok(false) if self.grazed.get() => return End::Close,
                Ok(false) => return End::Quiet,
                Err(failure) => outcome = Err(failure),
            }
        }
        match outcome {
            Ok(()) => End::Quiet,
            Err(failure) if failure == "close" => End::Close,
            Err(failure) => End::Failed(failure),
        }
    }

    /// Whether there was another event before `until`.
    fn step(&mut self, until: f64, events: &mut Vec<Event>) -> Result<bool> {
        let model = self.model;
        let Some((at, clock, member)) = self.next()? else { return Ok(false) };
        if at.time > until || self.grazed.get() {
            return Ok(false);
        }
        if self.way == Way::Moving && at.time > self.now.time && at.time - self.now.time < CLOSE {
            return Err("close".to_owned());
        }
        if at.time > self.now.time {
            self.instant = 1;
        } else if self.instant < ZENO {
            self.instant += 1;
        } else {
            return Err("zeno".to_owned());
        }
        self.now = at;
        self.looked.set(at.time);
        if self.way == Way::Moving {
            (0..model.flows.len()).for_each(|flow| self.anchor_all(flow));
        }
        // The race draws before its event, and a family of rates picks before it, too.
        let ahead = self.races(&model.clocks[clock]).then(|| self.draw());
        let rang = Member { clock, number: member.unwrap_or_else(|x| self.pick_member(clock, x)) };
        let index = self.decode(model.clocks[clock].over, rang.number);
        if !self.proposes(rang)? {
            if let Some((wait, choice)) = ahead {
                self.take(wait, choice);
            }
            return Ok(true);
        }
        self.written.clear();
        let known: Known = index.iter().map(|&index| Some(index)).collect();
        self.name(&model.clocks[clock].body, &known);
        self.execute(&model.clocks[clock].body, &mut Scope { indices: index.clone(), ..Scope::default() });
        self.use_up(rang);
        self.refresh(Some(rang), ahead)?;
        events.push(Event { time: at.time, clock, index, state: self.show(), outputs: self.outputs() });
        Ok(true)
    }

    fn show(&self) -> Vec<f64> {
        let mut all = Vec::new();
        for flow in 0..self.flows.len() {
            for name in [Name::X(flow), Name::V(flow)] {
                all.extend((0..self.flows[flow].x.len()).map(|number| self.value(name, number)));
            }
        }
        all.extend([self.singles[0], self.singles[1], self.pick as f64]);
        all.extend(self.counts.iter().map(|&count| count as f64));
        all.extend(self.home.iter().map(|&at| at as f64));
        all.extend(&self.due);
        for row in &self.tie {
            all.push(-1.0);
            all.extend(row.iter().map(|&member| member as f64));
        }
        all
    }

    fn outputs(&self) -> Vec<f64> {
        let mut all = Vec::new();
        for (over, real) in &self.model.observes {
            for number in 0..self.count(*over) {
                let mut scope = Scope { indices: self.decode(*over, number), ..Scope::default() };
                all.push(self.real(real, &mut scope));
            }
        }
        all
    }

    // Members.

    fn count(&self, over: Over) -> usize {
        let [a, b] = self.model.sizes;
        match over {
            Over::Single => 1,
            Over::A => a,
            Over::B => b,
            Over::AB => a * b,
            Over::Pairs => self.model.link.iter().map(Vec::len).sum(),
        }
    }

    fn decode(&self, over: Over, number: usize) -> Vec<usize> {
        match over {
            Over::Single => Vec::new(),
            Over::A | Over::B => vec![number],
            Over::AB => vec![number / self.model.sizes[1], number % self.model.sizes[1]],
            Over::Pairs => {
                let rows = self.model.link.iter().enumerate();
                rows.flat_map(|(row, members)| members.iter().map(move |&member| vec![row, member]))
                    .nth(number)
                    .expect("the pair is there")
            }
        }
    }

    fn encode(&self, over: Over, indices: &[usize]) -> usize {
        for (&index, &set) in indices.iter().zip(over.sets()) {
            assert!(index < self.model.sizes[set], "models have no index outside its set");
        }
        match over {
            Over::Single => 0,
            Over::A | Over::B => indices[0],
            Over::AB => indices[0] * self.model.sizes[1] + indices[1],
            Over::Pairs => {
                let before: usize = self.model.link[..indices[0]].iter().map(Vec::len).sum();
                let among = self.model.link[indices[0]].iter().position(|&member| member == indices[1]);
                before + among.expect("models use pairs that are there")
            }
        }
    }

    // Flows.

    /// How fast an element moves, as far as its flow says so.
    fn speed(&self, flow: usize, number: usize) -> f64 {
        let v = &self.flows[flow].v;
        let of = &self.model.flows[flow];
        match of.extra {
            Extra::None => v[number],
            Extra::Wind => v[number] + self.singles[0],
            Extra::Next => {
                let mut indices = self.decode(of.over, number);
                indices[0] = (indices[0] + 1) % self.model.sizes[0];
                v[number] + 0.5 * v[self.encode(of.over, &indices)]
            }
            Extra::Near => v[number] + 0.25 * self.model.near[number].iter().map(|&j| v[j]).sum::<f64>(),
        }
    }

    /// Variable and companion a time `dt` after they were brought up.
    fn follow(&self, flow: usize, number: usize, dt: f64) -> (f64, f64) {
        let (x, v) = (self.flows[flow].x[number], self.flows[flow].v[number]);
        let speed = self.speed(flow, number);
        match self.model.flows[flow].kind {
            Kind::Linear => (x + speed * dt, v),
            Kind::Quadratic(g) => (x + speed * dt - 0.5 * g * dt * dt, v - g * dt),
            Kind::Exponential(k) => (speed + (x - speed) * (-k * dt).exp(), v),
            Kind::Oscillator(w, true) => {
                let (s, c) = (w * dt).sin_cos();
                (c * x + s * v, c * v - s * x)
            }
            Kind::Oscillator(w, false) => {
                ((w * dt).cos() * x + (w * dt).sin() * v, (w * dt).cos() * v - (w * dt).sin() * x)
            }
        }
    }

    /// The value of a variable at the time that is looked at.
    fn value(&self, name: Name, number: usize) -> f64 {
        let (Name::X(flow) | Name::V(flow)) = name;
        let dt = self.looked.get() - self.flows[flow].since[number];
        match name {
            Name::X(flow) if dt == 0.0 => self.flows[flow].x[number],
            Name::V(flow) if dt == 0.0 || !self.model.flowing(name) => self.flows[flow].v[number],
            Name::X(_) => self.follow(flow, number, dt).0,
            Name::V(_) => self.follow(flow, number, dt).1,
        }
    }

    /// A variable as a polynomial of the time from now.
    fn course(&self, name: Name, number: usize) -> Num {
        let (Name::X(flow) | Name::V(flow)) = name;
        let (x, v) = (self.flows[flow].x[number], self.flows[flow].v[number]);
        if !self.model.flowing(name) {
            return Num::F(v);
        }
        let dt = Poly::elapsed(self.now.time - self.flows[flow].since[number]);
        let speed = self.speed(flow, number);
        Num::P(match (self.model.flows[flow].kind, name) {
            (Kind::Linear, _) => x + speed * dt,
            (Kind::Quadratic(g), Name::X(_)) => x + speed * dt - 0.5 * g * dt * dt,
            (Kind::Quadratic(g), Name::V(_)) => v - g * dt,
            _ => unreachable!("it is no polynomial"),
        })
    }

    fn anchor(&mut self, flow: usize, number: usize) {
        let dt = self.now.time - self.flows[flow].since[number];
        if dt != 0.0 {
            let (x, v) = self.follow(flow, number, dt);
            let elements = &mut self.flows[flow];
            (elements.x[number], elements.v[number], elements.since[number]) = (x, v, self.now.time);
        }
    }

    fn anchor_all(&mut self, flow: usize) {
        (0..self.flows[flow].x.len()).for_each(|number| self.anchor(flow, number));
    }

    /// Whether all elements of a flow change course when one companion is written.
    fn shares(&self, flow: usize) -> bool {
        matches!(self.model.flows[flow].extra, Extra::Next | Extra::Near)
    }

    /// The variables that a flow moves.
    fn moved(&self, flow: usize) -> Vec<Var> {
        let names = [Name::X(flow), Name::V(flow)];
        names.into_iter().filter(|&name| self.model.flowing(name)).map(Var::Flow).collect()
    }

    // Selection.

    fn races(&self, clock: &Clock) -> bool {
        !self.model.next_reaction && clock.timing.can_race()
    }

    fn rates(&self, clock: usize) -> Rates {
        let memory = &self.memory[clock];
        let mut rates = Rates::new(memory.len(), Method::Tree);
        for (number, memory) in memory.iter().enumerate() {
            rates.set(number, memory.rate);
        }
        rates
    }

    /// The rate of a single clock, or the total of a family.
    fn total_of(&self, clock: usize) -> f64 {
        let single = self.model.clocks[clock].over == Over::Single;
        if single { self.memory[clock][0].rate } else { self.rates(clock).total() }
    }

    fn pick_member(&self, clock: usize, x: f64) -> usize {
        if self.model.clocks[clock].over == Over::Single {
            return 0;
        }
        self.rates(clock).pick(x, &mut self.rng.borrow_mut())
    }

    fn racing(&self) -> Vec<usize> {
        (0..self.model.clocks.len()).filter(|&c| self.races(&self.model.clocks[c])).collect()
    }

    /// What comes first: its time, the clock, and its member; of the race what is left of the number that
    /// picks it.
    fn next(&self) -> Result<Option<(Moment, usize, std::result::Result<usize, f64>)>> {
        let mut all = Vec::new();
        let fine = self.fine();
        let mut offer = |at: Moment, clock: usize, member: std::result::Result<usize, f64>| {
            if at.time < f64::INFINITY {
                let low = if fine { at.low } else { 0.0 };
                all.push(((at.time, low, self.model.clocks[clock].priority, clock, member.unwrap_or(0)), member));
            }
        };
        for (clock, members) in self.memory.iter().enumerate() {
            if !self.races(&self.model.clocks[clock]) {
                for (number, memory) in members.iter().enumerate() {
                    offer(memory.at, clock, Ok(number));
                }
            }
        }
        if self.race.0.time < f64::INFINITY {
            let racing = self.racing();
            let rates: Vec<f64> = racing.iter().map(|&c| self.total_of(c)).collect();
            let size = rates.len().next_power_of_two();
            let mut x = self.race.1 * sum(&rates, size);
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
            offer(self.race.0, racing[at], Err(x));
        }
        all.sort_by(|(a, _), (b, _)| a.partial_cmp(b).expect("times are numbers"));
        let Some(&((time, low, _, clock, _), member)) = all.first() else { return Ok(None) };
        if self.way == Way::Moving {
            self.far_apart(&all)?;
        }
        Ok(Some((Moment { time, low }, clock, member)))
    }

    /// Whether times have more digits than one number holds. Those of hazards do not need them.
    fn fine(&self) -> bool {
        let clocks = || self.model.clocks.iter();
        let waits = |clock: &Clock| matches!(clock.timing, Timing::Rate(_) | Timing::After { .. });
        clocks().any(|clock| self.races(clock) || waits(clock))
    }

    /// Whether it can be said what is first, if arithmetic differs.
    fn far_apart(&self, all: &[((f64, f64, i64, usize, usize), std::result::Result<usize, f64>)]) -> Result<()> {
        // Looking again, at the end of a window, changes nothing.
        let counts = |clock: usize, member: &std::result::Result<usize, f64>| match member {
            Ok(number) => !matches!(&self.memory[clock][*number].kept, Kept::Cross(cross) if cross.wakes),
            Err(_) => true,
        };
        let mut times =
            all.iter().filter(|((_, _, _, clock, _), member)| counts(*clock, member)).map(|(key, member)| {
                let exact = match (&self.model.clocks[key.3].timing, member) {
                    (Timing::Thinned { .. }, Ok(number)) => {
                        matches!(&self.memory[key.3][*number].kept, Kept::Thin(thin) if thin.expires)
                    }
                    (Timing::After { speed, .. }, Ok(_)) => speed.is_none(),
                    (timing, Ok(_)) => matches!(timing, Timing::Rate(_) | Timing::Due(_) | Timing::Every(_)),
                    (_, Err(_)) => false,
                };
                (key.0, exact, key.3)
            });
        let (Some(first), Some(second)) = (times.next(), times.next()) else { return Ok(()) };
        // What happens at once, or at times that owe nothing to flows, is the same in any arithmetic, and
        // members of a clock that watch the same cross at the same time.
        let watch = first.2 == second.2 && matches!(self.model.clocks[first.2].timing, Timing::Crosses { .. });
        let alike = watch || (first.1 && second.1);
        let (first, second) = (first.0, second.0);
        let same = first == second && (first == self.now.time || alike);
        if second - first > CLOSE || same { Ok(()) } else { Err("close".to_owned()) }
    }

    /// A standard exponential and a uniform number.
    fn draw(&self) -> (f64, f64) {
        let rng = &mut *self.rng.borrow_mut();
        let wait = exponential(rng);
        (wait, uniform(rng))
    }

    fn take(&mut self, wait: f64, choice: f64) {
        let at = if self.total > 0.0 { self.now.after(wait / self.total) } else { Moment::NEVER };
        self.race = (at, choice);
    }

    // Events.

    /// Whether a clock that has come up has an event.
    fn proposes(&mut self, rang: Member) -> Result<bool> {
        let model = self.model;
        let clock = &model.clocks[rang.clock];
        let now = self.now;
        let mut scope = self.scope(rang);
        match &clock.timing {
            Timing::Thinned { rate, adapt, .. } => {
                let (expired, elapsed) = match &self.memory[rang.clock][rang.number].kept {
                    Kept::Thinning(thinning) => (thinning.expired(), thinning.elapsed(now)),
                    Kept::Thin(thin) => (thin.expires, thin.elapsed(now)),
                    _ => unreachable!(),
                };
                if expired {
                    self.evaluate(rang, true)?;
                    return Ok(false);
                }
                scope.elapsed = elapsed;
                let rate = self.real(rate, &mut scope);
                let races = self.races(clock);
                let rng = &mut *self.rng.borrow_mut();
                let memory = &mut self.memory[rang.clock][rang.number];
                let (accepted, next) = match &mut memory.kept {
                    Kept::Thinning(thinning) => {
                        let accepted = told(thinning.accept(rate, *adapt, now, rng))?;
                        (accepted, (!accepted && !races).then(|| thinning.propose(false, now, rng)))
                    }
                    Kept::Thin(thin) => {
                        let accepted = thin.accept(rate, *adapt, now, rng)?;
                        (accepted, (!accepted && !races).then(|| thin.propose(now, rng)))
                    }
                    _ => unreachable!(),
                };
                memory.at = next.unwrap_or(memory.at);
                Ok(accepted)
            }
            Timing::Crosses { of, up, .. } => {
                let silent = match &self.memory[rang.clock][rang.number].kept {
                    Kept::Crossing(crossing) => crossing.silent(),
                    Kept::Cross(cross) => cross.wakes,
                    _ => unreachable!(),
                };
                if silent {
                    self.evaluate(rang, false)?;
                    return Ok(false);
                }
                let value =
                    if model.is_course(of) { self.num(of, &mut scope).poly().c[0] } else { self.real(of, &mut scope) };
                match &mut self.memory[rang.clock][rang.number].kept {
                    Kept::Crossing(crossing) => crossing.rang(if *up { -value } else { value }, now.time),
                    Kept::Cross(cross) => cross.rang(now),
                    _ => unreachable!(),
                }
                Ok(true)
            }
            _ => Ok(true),
        }
    }

    fn use_up(&mut self, rang: Member) {
        if self.races(&self.model.clocks[rang.clock]) {
            return;
        }
        let now = self.now;
        let memory = &mut self.memory[rang.clock][rang.number];
        memory.at = match &mut memory.kept {
            Kept::Every(every) => {
                every.rang(now.time);
                memory.at
            }
            kept => {
                match kept {
                    Kept::Rate(rate) => rate.rang(),
                    Kept::At(at) => at.rang(),
                    Kept::Delay(delay) => delay.forget(),
                    Kept::Work(work) => work.forget(),
                    _ => {}
                }
                Moment::NEVER
            }
        };
        memory.used = true;
    }

    // Refreshing.

    fn refresh(&mut self, rang: Option<Member>, ahead: Option<(f64, f64)>) -> Result<()> {
        let model = self.model;
        for (number, clock) in model.clocks.iter().enumerate() {
            for member in 0..self.memory[number].len() {
                let member = Member { clock: number, number: member };
                let itself = rang == Some(member) && !matches!(clock.timing, Timing::At(_) | Timing::Due(_));
                let touched = itself || self.touched(rang, member);
                let again = match &clock.timing {
                    Timing::Rate(_) | Timing::Every(_) | Timing::After { redraw: false, .. } => true,
                    Timing::At(Real::Wall { .. }) => {
                        self.way == Way::Moving && !self.memory[member.clock][member.number].used
                    }
                    Timing::Crosses { .. } => self.way == Way::Moving,
                    _ => false,
                };
                if touched || again {
                    self.evaluate(member, false)?;
                }
            }
        }
        let rates: Vec<f64> = self.racing().into_iter().map(|c| self.total_of(c)).collect();
        let total = if rates.is_empty() { 0.0 } else { sum(&rates, rates.len().next_power_of_two()) };
        if ahead.is_some() || total != self.total {
            self.total = total;
            let (wait, choice) = ahead.unwrap_or_else(|| self.draw());
            self.take(wait, choice);
        }
        Ok(())
    }

    /// Whether something was written that guard and timing of a member read.
    fn touched(&self, rang: Option<Member>, member: Member) -> bool {
        let Some(rang) = rang else { return true };
        let (reads, writes) = (&self.watched[member.clock], &self.writes[rang.clock]);
        let whole = |var: &Var| self.is_single(*var) || reads.whole.contains(var) || writes.whole.contains(var);
        reads.vars.intersection(&writes.vars).any(whole)
            || !self.memory[member.clock][member.number].reads.is_disjoint(&self.written)
    }

    fn is_single(&self, var: Var) -> bool {
        match var {
            Var::Single(_) | Var::Pick => true,
            Var::Flow(name) => self.model.over_of(name) == Over::Single,
            _ => false,
        }
    }

    fn scope(&self, member: Member) -> Scope {
        let over = self.model.clocks[member.clock].over;
        Scope { indices: self.decode(over, member.number), ..Scope::default() }
    }

    /// Guard and timing again; with `renew` a bound that has ended.
    fn evaluate(&mut self, member: Member, renew: bool) -> Result<()> {
        self.noting.set(true);
        self.reads.borrow_mut().clear();
        let mut memory = self.memory[member.clock][member.number].clone();
        self.evaluate_in(&mut memory, member, renew)?;
        memory.reads = std::mem::take(&mut *self.reads.borrow_mut());
        memory.used = false;
        self.memory[member.clock][member.number] = memory;
        self.noting.set(false);
        Ok(())
    }

    fn evaluate_in(&self, memory: &mut Memory, member: Member, renew: bool) -> Result<()> {
        let model = self.model;
        let clock = &model.clocks[member.clock];
        let (mut scope, now) = (self.scope(member), self.now);
        let scope = &mut scope;
        let enabled = clock.guard.as_ref().is_none_or(|guard| self.test(guard, scope));
        let races = self.races(clock);
        if !enabled {
            memory.rate = 0.0;
            if let Kept::Rate(rate) = &mut memory.kept {
                memory.at = rate.refresh(memory.at, 0.0, now, &mut self.rng.borrow_mut());
                return Ok(());
            }
            let resume = matches!(clock.timing, Timing::After { resume: true, .. });
            match &mut memory.kept {
                Kept::Delay(delay) => delay.forget(),
                Kept::Work(work) => work.disable(now, resume),
                Kept::Thinning(thinning) => thinning.disable(),
                Kept::Crossing(crossing) => crossing.disarm(),
                Kept::Thin(thin) => thin.disable(),
                Kept::Cross(cross) => cross.disarm(),
                _ => {}
            }
            memory.at = Moment::NEVER;
            return Ok(());
        }
        match (&clock.timing, &mut memory.kept) {
            (Timing::Rate(e), Kept::Rate(rate)) => {
                let value = told(timing::rate(self.real(e, scope)))?;
                memory.rate = value;
                if !races {
                    memory.at = rate.refresh(memory.at, value, now, &mut self.rng.borrow_mut());
                }
            }
            (Timing::At(e), Kept::At(at)) => {
                let value = self.real(e, scope);
                memory.at = told(at.refresh(value, true, now))?;
            }
            (Timing::Due(index), Kept::At(at)) => {
                let index = self.index(index, 0, scope);
                self.note(Var::Due, index);
                memory.at = told(at.refresh(self.due[index], false, now))?;
            }
            (Timing::After { delay, redraw, .. }, Kept::Delay(armed)) => {
                if *redraw || !armed.armed() {
                    let drawn = self.real(delay, scope);
                    memory.at = told(armed.take(drawn, now))?;
                }
            }
            (Timing::After { delay, redraw, speed, .. }, Kept::Work(work)) => {
                if *redraw || !work.armed() {
                    let drawn = self.real(delay, scope);
                    told(work.take(drawn, now))?;
                }
                let speed = speed.as_ref().map_or(1.0, |speed| self.real(speed, scope));
                memory.at = told(work.run(memory.at, speed, now))?;
            }
            (Timing::Every(index), Kept::Every(every)) => {
                let index = self.index(index, 0, scope);
                self.note(Var::Count, index);
                let period = 0.4375 * (1 + self.counts[index]) as f64;
                memory.at = told(every.refresh(period, None, 0.0, now))?;
            }
            (Timing::Affine(a, b, c), Kept::Arrival) => {
                let (a, b) = (self.real(a, scope), self.real(b, scope));
                let c = c.as_ref().map_or(0.0, |c| self.real(c, scope));
                let rng = &mut *self.rng.borrow_mut();
                memory.at = match self.way {
                    Way::Anchored => Arrival.refresh(told(Affine::new(a, b, c))?, now, rng),
                    Way::Moving => super::mathematics::arrival_from(now, (a, b, c), rng),
                };
            }
            (Timing::Thinned { bound, until, .. }, kept) => {
                let parts = match bound {
                    Bound::Number(number) => (0.0, 0.0, self.real(number, scope)),
                    Bound::Affine(a, b) => (self.real(a, scope), self.real(b, scope), 0.0),
                };
                let until = until.as_ref().map(|until| self.real(until, scope));
                let rng = &mut *self.rng.borrow_mut();
                match kept {
                    Kept::Thinning(thinning) => {
                        let bound = match bound {
                            Bound::Number(_) => told(Affine::constant(parts.2))?,
                            Bound::Affine(..) => told(Affine::new(parts.0, parts.1, 0.0))?,
                        };
                        if races {
                            memory.rate = thinning.hold(bound, now);
                        } else if renew {
                            memory.at = told(thinning.renew(bound, until, false, now, rng))?;
                        } else {
                            memory.at = told(thinning.refresh(bound, until, false, now, rng))?;
                        }
                    }
                    Kept::Thin(thin) => {
                        thin.start(parts, until, now, renew);
                        if races {
                            memory.rate = thin.rate();
                        } else {
                            memory.at = thin.propose(now, rng);
                        }
                    }
                    _ => unreachable!(),
                }
            }
            (Timing::Crosses { of, up, .. }, Kept::Crossing(crossing)) if model.is_course(of) => {
                let path = self.num(of, scope).poly();
                memory.at = told(crossing.refresh_poly(if *up { -path } else { path }, now))?;
            }
            (Timing::Crosses { of, up, step }, Kept::Crossing(crossing)) => {
                let mut function = |time: f64| {
                    let value = self.real_at(time, of, scope);
                    Ok(if *up { -value } else { value })
                };
                memory.at = told(crossing.refresh(&mut function, step.expect("it has one"), now))?;
            }
            (Timing::Crosses { of, up, step }, Kept::Cross(cross)) => {
                let mut function = |time: f64| {
                    let value = self.real_at(time, of, scope);
                    if *up { -value } else { value }
                };
                let degree = model.degree(of).filter(|&degree| degree <= 2);
                memory.at = cross.refresh(&mut function, degree, step.unwrap_or(f64::INFINITY), now);
                if cross.grazes {
                    self.grazed.set(true);
                }
            }
            _ => unreachable!("clocks remember what their timing needs"),
        }
        Ok(())
    }

    // What code may touch.

    fn watched_by(&self, clock: &Clock) -> Touch {
        let mut touch = Touch::default();
        if let Some(guard) = &clock.guard {
            self.test_reads(guard, &mut touch);
        }
        let reals: Vec<&Real> = match &clock.timing {
            Timing::Rate(e) | Timing::At(e) => vec![e],
            Timing::Due(index) => {
                self.index_reads(index, &mut touch);
                touch.vars.insert(Var::Due);
                vec![]
            }
            Timing::After { delay, redraw, speed, .. } => redraw.then_some(delay).into_iter().chain(speed).collect(),
            Timing::Every(index) => {
                self.index_reads(index, &mut touch);
                touch.vars.insert(Var::Count);
                vec![]
            }
            Timing::Affine(a, b, c) => [a, b].into_iter().chain(c).collect(),
            Timing::Thinned { bound: Bound::Number(number), until, .. } => [number].into_iter().chain(until).collect(),
            Timing::Thinned { bound: Bound::Affine(a, b), until, .. } => [a, b].into_iter().chain(until).collect(),
            Timing::Crosses { of, .. } => vec![of],
        };
        reals.into_iter().for_each(|real| self.reads(real, &mut touch));
        touch
    }

    fn test_reads(&self, test: &Test, into: &mut Touch) {
        match test {
            Test::Count(index, _) => {
                self.index_reads(index, into);
                into.vars.insert(Var::Count);
            }
            Test::Above(real, _) => self.reads(real, into),
        }
    }

    fn index_reads(&self, index: &Index, into: &mut Touch) {
        match index {
            Index::Home(inner) => {
                into.vars.insert(Var::Home);
                self.index_reads(inner, into);
            }
            Index::Pick => {
                into.vars.insert(Var::Pick);
            }
            _ => {}
        }
    }

    fn name_reads(&self, name: Name, into: &mut Touch) {
        into.vars.insert(Var::Flow(name));
        let (Name::X(flow) | Name::V(flow)) = name;
        if !self.model.flowing(name) {
            return;
        }
        into.vars.extend([Var::Flow(Name::X(flow)), Var::Flow(Name::V(flow))]);
        match self.model.flows[flow].extra {
            Extra::None => {}
            Extra::Wind => {
                into.vars.insert(Var::Single(0));
            }
            Extra::Next | Extra::Near => {
                into.whole.insert(Var::Flow(Name::V(flow)));
            }
        }
    }

    fn reads(&self, real: &Real, into: &mut Touch) {
        match real {
            Real::Element(name, indices) => {
                self.name_reads(*name, into);
                indices.iter().for_each(|index| self.index_reads(index, into));
            }
            Real::Single(s) => {
                into.vars.insert(Var::Single(*s));
            }
            Real::Count(index) => {
                self.index_reads(index, into);
                into.vars.insert(Var::Count);
            }
            Real::Let(number, indices) => {
                indices.iter().for_each(|index| self.index_reads(index, into));
                self.reads(&self.model.lets[*number].value, into);
            }
            Real::Sum { range, term, .. } => {
                match range {
                    Range::Near(index) | Range::Fans(index) | Range::Link(index) => self.index_reads(index, into),
                    Range::Tie(index) => {
                        self.index_reads(index, into);
                        into.vars.insert(Var::Tie);
                    }
                    Range::Set(_) => {}
                }
                self.reads(term, into);
            }
            Real::Edge { name, .. } => self.name_reads(*name, into),
            Real::Whole(name) => {
                self.name_reads(*name, into);
                into.whole.insert(Var::Flow(*name));
            }
            Real::Neg(a) | Real::Square(a) | Real::Sin(a) | Real::Abs(a) | Real::Clamp(a, _) | Real::AtLeast(a, _) => {
                self.reads(a, into);
            }
            Real::Add(a, b) | Real::Sub(a, b) | Real::Mul(a, b) => {
                self.reads(a, into);
                self.reads(b, into);
            }
            Real::Wall { place, speed, .. } => {
                self.reads(place, into);
                self.reads(speed, into);
            }
            Real::Constant(_)
            | Real::Now
            | Real::Elapsed
            | Real::Argument
            | Real::Number(_)
            | Real::Random
            | Real::Exponential => {}
        }
    }

    /// What a write of a variable changes besides: what flows by it. With it, whether all elements do.
    fn changes(&self, var: Var) -> Vec<(usize, bool)> {
        match var {
            Var::Flow(Name::X(flow)) => vec![(flow, false)],
            Var::Flow(name @ Name::V(flow)) => vec![(flow, !self.model.flowing(name) && self.shares(flow))],
            Var::Single(0) => {
                let flows = self.model.flows.iter().enumerate();
                flows.filter(|(_, flow)| flow.extra == Extra::Wind).map(|(flow, _)| (flow, true)).collect()
            }
            _ => Vec::new(),
        }
    }

    fn writes_var(&self, var: Var, whole: bool, into: &mut Touch) {
        into.vars.insert(var);
        if whole {
            into.whole.insert(var);
        }
        for (flow, every) in self.changes(var) {
            into.vars.extend(self.moved(flow));
            if whole || every {
                into.whole.extend(self.moved(flow));
            }
        }
    }

    fn written_by(&self, body: &[Statement], into: &mut Touch) {
        for statement in body {
            let mut target = |target: &Target| match target {
                Target::Element(name, _) => self.writes_var(Var::Flow(*name), false, into),
                Target::Single(s) => self.writes_var(Var::Single(*s), false, into),
            };
            match statement {
                Statement::Assign(to, _)
                | Statement::Increase(to, _)
                | Statement::Flip(to)
                | Statement::Reflect(to, _)
                | Statement::Draw(to) => target(to),
                Statement::Exchange(a, b) => {
                    target(a);
                    target(b);
                }
                Statement::Count(..) => self.writes_var(Var::Count, false, into),
                Statement::Home(..) => self.writes_var(Var::Home, false, into),
                Statement::Pick(_) => self.writes_var(Var::Pick, false, into),
                Statement::Due(..) => self.writes_var(Var::Due, false, into),
                Statement::Tie(..) => self.writes_var(Var::Tie, false, into),
                Statement::Every(name, ..) | Statement::Fill(name, _) | Statement::Swap(name, ..) => {
                    self.writes_var(Var::Flow(*name), true, into);
                }
                Statement::For { body, .. } => self.written_by(body, into),
                Statement::If(_, yes, no) => {
                    self.written_by(yes, into);
                    self.written_by(no, into);
                }
                Statement::Call(action, ..) => self.written_by(&self.model.actions[*action], into),
            }
        }
    }

    // Expressions.

    fn note(&self, var: Var, number: usize) {
        if self.noting.get() {
            self.reads.borrow_mut().insert((var, number));
        }
    }

    /// What a term reads at indices that do not depend on a variable counts as read even if there is no term.
    fn note_fixed(&self, term: &Real, variable: usize, scope: &mut Scope) {
        let fixed = |index: &Index| {
            index.is_direct() && !matches!(index, Index::Variable(k) | Index::Around(k, _) if *k == variable)
        };
        let home = |index: &Index, scope: &mut Scope| match index {
            Index::Home(inner) if fixed(inner) => {
                let at = self.index(inner, 0, scope);
                self.note(Var::Home, at);
            }
            _ => {}
        };
        match term {
            Real::Element(name, indices) => {
                if indices.iter().all(fixed) {
                    let number = self.element(*name, indices, scope);
                    self.note(Var::Flow(*name), number);
                }
                indices.iter().for_each(|index| home(index, scope));
            }
            Real::Count(index) => {
                if fixed(index) {
                    let at = self.index(index, 0, scope);
                    self.note(Var::Count, at);
                }
                home(index, scope);
            }
            Real::Add(a, b) | Real::Sub(a, b) | Real::Mul(a, b) => {
                self.note_fixed(a, variable, scope);
                self.note_fixed(b, variable, scope);
            }
            _ => {}
        }
    }

    fn index(&self, index: &Index, set: usize, scope: &mut Scope) -> usize {
        let n = self.model.sizes[set];
        match index {
            Index::Variable(k) => scope.indices[*k],
            Index::Shift(k, by) => (scope.indices[*k] as i64 + by) as usize,
            Index::Around(k, by) => (scope.indices[*k] as i64 + by).rem_euclid(n as i64) as usize,
            Index::Constant(at) => *at,
            Index::Last => n - 1,
            Index::Home(inner) => {
                let at = self.index(inner, 0, scope);
                self.note(Var::Home, at);
                self.home[at]
            }
            Index::Pick => self.pick,
            Index::Random => self.rng.borrow_mut().random_range(0..n),
        }
    }

    fn indices(&self, over: Over, indices: &[Index], scope: &mut Scope) -> Vec<usize> {
        indices.iter().zip(over.sets()).map(|(index, &set)| self.index(index, set, scope)).collect()
    }

    /// The number of an element.
    fn element(&self, name: Name, indices: &[Index], scope: &mut Scope) -> usize {
        let over = self.model.over_of(name);
        let at = self.indices(over, indices, scope);
        self.encode(over, &at)
    }

    fn range(&self, range: &Range, scope: &mut Scope) -> Vec<usize> {
        match range {
            Range::Near(at) => self.model.near[self.index(at, 0, scope)].clone(),
            Range::Fans(at) => {
                let at = self.index(at, 0, scope);
                let rows = self.model.near.iter().enumerate();
                rows.flat_map(|(row, members)| members.iter().filter(move |&&member| member == at).map(move |_| row))
                    .collect()
            }
            Range::Link(at) => self.model.link[self.index(at, 0, scope)].clone(),
            Range::Tie(at) => {
                let at = self.index(at, 0, scope);
                self.note(Var::Tie, at);
                self.tie[at].iter().copied().collect()
            }
            Range::Set(set) => (0..self.model.sizes[*set]).collect(),
        }
    }

    /// An expression at another time than now.
    fn real_at(&self, time: f64, real: &Real, scope: &mut Scope) -> f64 {
        self.looked.set(time);
        let value = self.real(real, scope);
        self.looked.set(self.now.time);
        value
    }

    fn real(&self, real: &Real, scope: &mut Scope) -> f64 {
        match real {
            Real::Constant(value) => *value,
            Real::Element(name, indices) => {
                let number = self.element(*name, indices, scope);
                self.note(Var::Flow(*name), number);
                self.value(*name, number)
            }
            Real::Single(s) => self.singles[*s],
            Real::Count(at) => {
                let at = self.index(at, 0, scope);
                self.note(Var::Count, at);
                self.counts[at] as f64
            }
            Real::Now => self.looked.get(),
            Real::Elapsed => scope.elapsed,
            Real::Argument => scope.argument,
            Real::Number(k) => scope.indices[*k] as f64,
            Real::Let(d, indices) => {
                let definition = &self.model.lets[*d];
                let indices = self.indices(definition.over, indices, scope);
                self.real(&definition.value, &mut Scope { indices, ..Scope::default() })
            }
            Real::Sum { range, variable, term } => {
                let all = self.range(range, scope);
                if self.noting.get() {
                    self.note_fixed(term, *variable, scope);
                }
                let terms = all.into_iter().map(|member| {
                    scope.bind(*variable, member);
                    self.real(term, scope)
                });
                terms.sum::<f64>()
            }
            Real::Edge { name, variable, by, other } => {
                let at = scope.indices[*variable] as i64 + by;
                if (0..self.model.sizes[0] as i64).contains(&at) {
                    self.note(Var::Flow(*name), at as usize);
                    self.value(*name, at as usize)
                } else {
                    *other
                }
            }
            Real::Whole(name) => {
                let count = self.count(self.model.over_of(*name));
                (0..count).map(|number| self.value(*name, number)).sum::<f64>()
            }
            Real::Neg(a) => -self.real(a, scope),
            Real::Add(a, b) => self.real(a, scope) + self.real(b, scope),
            Real::Sub(a, b) => self.real(a, scope) - self.real(b, scope),
            Real::Mul(a, b) => self.real(a, scope) * self.real(b, scope),
            Real::Square(a) => self.real(a, scope).powi(2),
            Real::Sin(a) => self.real(a, scope).sin(),
            Real::Abs(a) => self.real(a, scope).abs(),
            Real::Clamp(a, most) => self.real(a, scope).clamp(-most, *most),
            Real::AtLeast(a, least) => self.real(a, scope).max(*least),
            Real::Wall { place, speed, walls: (low, high) } => {
                let (x, v, now) = (self.real(place, scope), self.real(speed, scope), self.looked.get());
                if v > 0.0 {
                    now + ((high - x) / v).max(0.0)
                } else if v < 0.0 {
                    now + ((low - x) / v).max(0.0)
                } else {
                    f64::INFINITY
                }
            }
            Real::Random => 0.5 + self.rng.borrow_mut().random::<f64>(),
            Real::Exponential => self.rng.borrow_mut().sample::<f64, _>(Exp1),
        }
    }

    /// An expression as a polynomial of the time from now.
    fn num(&self, real: &Real, scope: &mut Scope) -> Num {
        if !self.model.moves(real) {
            return Num::F(self.real(real, scope));
        }
        match real {
            Real::Now => Num::P(Poly::time(self.now.time)),
            Real::Element(name, indices) => {
                let number = self.element(*name, indices, scope);
                self.note(Var::Flow(*name), number);
                self.course(*name, number)
            }
            Real::Let(d, indices) => {
                let definition = &self.model.lets[*d];
                let indices = self.indices(definition.over, indices, scope);
                self.num(&definition.value, &mut Scope { indices, ..Scope::default() })
            }
            Real::Neg(a) => match self.num(a, scope) {
                Num::F(a) => Num::F(-a),
                Num::P(a) => Num::P(-a),
            },
            Real::Add(a, b) => self.num(a, scope).add(self.num(b, scope)),
            Real::Sub(a, b) => self.num(a, scope).sub(self.num(b, scope)),
            Real::Mul(a, b) => self.num(a, scope).mul(self.num(b, scope)),
            Real::Square(a) => match self.num(a, scope) {
                Num::F(a) => Num::F(a.powi(2)),
                Num::P(a) => Num::P(a.powi(2)),
            },
            _ => unreachable!("it is no polynomial"),
        }
    }

    fn test(&self, test: &Test, scope: &mut Scope) -> bool {
        match test {
            Test::Count(at, less) => {
                let at = self.index(at, 0, scope);
                self.note(Var::Count, at);
                self.counts[at] < *less
            }
            Test::Above(real, level) => self.real(real, scope) > *level,
        }
    }

    // Actions.

    /// Notes that an element is written, or with it all; what flows by it is brought up to now.
    fn write(&mut self, var: Var, number: usize) {
        self.written.insert((var, number));
        for (flow, every) in self.changes(var) {
            if every {
                self.anchor_all(flow);
            } else {
                self.anchor(flow, number);
                self.written.extend(self.moved(flow).into_iter().map(|moved| (moved, number)));
            }
        }
    }

    fn write_all(&mut self, name: Name) {
        for number in 0..self.count(self.model.over_of(name)) {
            self.write(Var::Flow(name), number);
        }
    }

    /// A number that is about to be written.
    fn at(&mut self, target: &Target, scope: &mut Scope) -> &mut f64 {
        match target {
            Target::Single(s) => {
                self.write(Var::Single(*s), 0);
                &mut self.singles[*s]
            }
            Target::Element(name, indices) => {
                let number = self.element(*name, indices, scope);
                self.write(Var::Flow(*name), number);
                self.stored(*name, number)
            }
        }
    }

    fn stored(&mut self, name: Name, number: usize) -> &mut f64 {
        match name {
            Name::X(flow) => &mut self.flows[flow].x[number],
            Name::V(flow) => &mut self.flows[flow].v[number],
        }
    }

    fn execute(&mut self, body: &[Statement], scope: &mut Scope) {
        let model = self.model;
        for statement in body {
            match statement {
                Statement::Assign(target, e) => {
                    let value = self.real(e, scope);
                    *self.at(target, scope) = value;
                }
                Statement::Increase(target, e) => {
                    let by = self.real(e, scope);
                    *self.at(target, scope) += by;
                }
                Statement::Flip(target) | Statement::Reflect(target, false) => {
                    let place = self.at(target, scope);
                    *place = -*place;
                }
                Statement::Reflect(target, true) => {
                    let wind = self.singles[0];
                    let place = self.at(target, scope);
                    *place = -*place - 2.0 * wind;
                }
                Statement::Draw(target) => {
                    let value = self.rng.borrow_mut().random_range(-1.5..1.5);
                    *self.at(target, scope) = value;
                }
                Statement::Count(at, by) => {
                    let at = self.index(at, 0, scope);
                    self.write(Var::Count, at);
                    self.counts[at] = (self.counts[at] + by).rem_euclid(MODULUS);
                }
                Statement::Home(at, to) => {
                    let to = self.index(to, 0, scope);
                    let at = self.index(at, 0, scope);
                    self.write(Var::Home, at);
                    self.home[at] = to;
                }
                Statement::Pick(to) => {
                    self.pick = self.index(to, 0, scope);
                    self.write(Var::Pick, 0);
                }
                Statement::Due(at, e) => {
                    let due = self.now.time + self.real(e, scope);
                    let at = self.index(at, 0, scope);
                    self.write(Var::Due, at);
                    self.due[at] = due;
                }
                Statement::For { range, variable, body, .. } => {
                    for member in self.range(range, scope) {
                        scope.bind(*variable, member);
                        self.execute(body, scope);
                    }
                }
                Statement::Every(name, by, _) => {
                    self.write_all(*name);
                    for number in 0..self.count(model.over_of(*name)) {
                        *self.stored(*name, number) *= by;
                    }
                }
                Statement::Fill(name, e) => {
                    let level = self.real(e, scope);
                    self.write_all(*name);
                    for number in 0..self.count(model.over_of(*name)) {
                        *self.stored(*name, number) = level;
                    }
                }
                Statement::Swap(name, a, b) => {
                    let set = model.over_of(*name).sets()[0];
                    let (a, b) = (self.index(a, set, scope), self.index(b, set, scope));
                    self.write_all(*name);
                    let (left, right) = (*self.stored(*name, a), *self.stored(*name, b));
                    *self.stored(*name, a) = right;
                    *self.stored(*name, b) = left;
                }
                Statement::Exchange(a, b) => {
                    let (left, right) = (*self.at(a, scope), *self.at(b, scope));
                    *self.at(a, scope) = right;
                    *self.at(b, scope) = left;
                }
                Statement::If(test, yes, no) => {
                    let taken = if self.test(test, scope) { yes } else { no };
                    self.execute(taken, scope);
                }
                Statement::Call(action, at, e) => {
                    let at = self.index(at, *action, scope);
                    let argument = e.as_ref().map_or(0.0, |e| self.real(e, scope));
                    self.name(&model.actions[*action], &vec![Some(at)]);
                    let mut inner = Scope { indices: vec![at], argument, elapsed: 0.0 };
                    self.execute(&model.actions[*action], &mut inner);
                }
                Statement::Tie(insert, row, member) => {
                    let (row, member) = (self.index(row, 0, scope), self.index(member, 0, scope));
                    let changed = if *insert { self.tie[row].insert(member) } else { self.tie[row].remove(&member) };
                    if changed {
                        self.written.insert((Var::Tie, row));
                    }
                }
            }
        }
    }

    /// What statements name, on any branch, by indices that are known before the event.
    fn name(&mut self, body: &[Statement], known: &Known) {
        let model = self.model;
        for statement in body {
            let mut targets = Vec::new();
            match statement {
                Statement::Assign(to, _)
                | Statement::Increase(to, _)
                | Statement::Flip(to)
                | Statement::Reflect(to, _)
                | Statement::Draw(to) => targets.push(to),
                Statement::Exchange(a, b) => targets.extend([a, b]),
                Statement::Count(at, _) => self.name_one(Var::Count, at, known),
                Statement::Home(at, _) => self.name_one(Var::Home, at, known),
                Statement::Due(at, _) => self.name_one(Var::Due, at, known),
                Statement::For { closure: false, variable, body, .. } => {
                    let mut known = known.clone();
                    known.resize((variable + 1).max(known.len()), None);
                    known[*variable] = None;
                    self.name(body, &known);
                }
                Statement::If(_, yes, no) => {
                    self.name(yes, known);
                    self.name(no, known);
                }
                Statement::Call(action, at, _) => {
                    let at = self.known(at, *action, known);
                    self.name(&model.actions[*action], &vec![at]);
                }
                // In a closure nothing is named before it is written.
                Statement::For { .. }
                | Statement::Every(..)
                | Statement::Fill(..)
                | Statement::Swap(..)
                | Statement::Pick(_)
                | Statement::Tie(..) => {}
            }
            for target in targets {
                let Target::Element(name, indices) = target else { continue };
                let over = model.over_of(*name);
                let at: Option<Vec<usize>> =
                    indices.iter().zip(over.sets()).map(|(index, &set)| self.known(index, set, known)).collect();
                let Some(at) = at.filter(|at| over != Over::Pairs || model.link[at[0]].contains(&at[1])) else {
                    continue;
                };
                let (var, number) = (Var::Flow(*name), self.encode(over, &at));
                self.written.insert((var, number));
                for (flow, every) in self.changes(var) {
                    if !every {
                        self.written.extend(self.moved(flow).into_iter().map(|moved| (moved, number)));
                    }
                }
            }
        }
    }

    fn name_one(&mut self, var: Var, at: &Index, known: &Known) {
        if let Some(at) = self.known(at, 0, known) {
            self.written.insert((var, at));
        }
    }

    /// An index, if it is known before the event.
    fn known(&self, index: &Index, set: usize, known: &Known) -> Option<usize> {
        let n = self.model.sizes[set];
        match index {
            Index::Variable(k) => known[*k],
            Index::Shift(k, by) => usize::try_from(known[*k]? as i64 + by).ok().filter(|&at| at < n),
            Index::Around(k, by) => Some((known[*k]? as i64 + by).rem_euclid(n as i64) as usize),
            Index::Constant(at) => Some(*at),
            Index::Last => Some(n - 1),
            Index::Home(_) | Index::Pick | Index::Random => None,
        }
    }
}

pub(super) fn uniform(rng: &mut Rng) -> f64 {
    (rng.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64
}

/// The sum of `width` leaves, the missing ones 0, added in pairs, pairs of pairs and so on.
fn sum(rates: &[f64], width: usize) -> f64 {
    if width == 1 {
        return rates.first().copied().unwrap_or(0.0);
    }
    let half = width / 2;
    sum(rates, half) + sum(&rates[half.min(rates.len())..], half)
}
