//! The reference engine for families: slow, and with nothing to forget. After every event it
//! evaluates every member of every clock again, in order of declaration and then of index.
//!
//! Where the language says that something happens on a change of what is read – a new draw under
//! `redraw`, an `at` that reads `now` – it compares the elements that the member has read with those
//! that the event has written: all that its body names by indices known before it, and what it has
//! in fact written at others.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use clockrace::__private::exponential;
use clockrace::__private::family_rates::{Method, Rates};
use clockrace::rand::RngExt as _;
use clockrace::{Rng, rand_distr::Exp1};

use crate::description::{
    Action, Argument, Clock, Family, Index, Initial, Int, MODULUS, Model, Over, Parameter, Range, Statement, Target,
    Test, Timing,
};

/// What a run shows: for each event its time, its clock with its indices, and the state after it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub time: f64,
    pub clock: usize,
    pub index: Vec<usize>,
    pub state: Vec<i64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Quiet,
    Stopped,
    Failed(&'static str),
}

pub(crate) const ZENO: u32 = 40;

/// An element of the state, or a row of a changing relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Scalar(usize),
    Element(usize, usize),
    Home(usize),
    Pick,
    Due(usize),
    Row(usize, usize),
    Column(usize, usize),
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
    since: (f64, f64),
    speed: f64,
    running: bool,
    base: f64,
    ticks: f64,
    period: f64,
    /// What guard and timing have read at their last evaluation.
    reads: BTreeSet<Place>,
    /// Whether an `at` has forgotten what it rang for, and not been touched since.
    renewed: bool,
    /// Whether it has been evaluated.
    seen: bool,
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
    reads: BTreeSet::new(),
    renewed: false,
    seen: false,
};

/// The pairs of a relation by number; the members of a row as the language gives them.
#[derive(Clone, Debug)]
struct Pairs {
    changing: bool,
    /// The row, the member and the value of each; `None` if it has gone.
    pairs: Vec<Option<(usize, usize, i64)>>,
    free: Vec<usize>,
}

impl Pairs {
    fn row(&self, row: usize) -> Vec<(usize, i64)> {
        let mut members: Vec<(usize, i64)> =
            self.pairs.iter().flatten().filter(|pair| pair.0 == row).map(|pair| (pair.1, pair.2)).collect();
        if self.changing {
            members.sort_unstable();
        }
        members
    }

    fn sources(&self, member: usize) -> Vec<(usize, i64)> {
        let mut rows: Vec<(usize, i64)> =
            self.pairs.iter().flatten().filter(|pair| pair.1 == member).map(|pair| (pair.0, pair.2)).collect();
        rows.sort_by_key(|&(row, _)| row);
        rows
    }

    fn find(&self, row: usize, member: usize) -> Option<usize> {
        self.pairs.iter().position(|pair| pair.is_some_and(|pair| (pair.0, pair.1) == (row, member)))
    }
}

/// Variables: an index and a number each.
type Variables = Vec<(usize, i64)>;

/// The same where only some indices are known before the event.
type Known = Vec<Option<usize>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Member {
    clock: usize,
    number: usize,
}

pub(crate) struct Engine<'a> {
    model: &'a Model,
    scalars: Vec<i64>,
    families: Vec<Vec<i64>>,
    home: Vec<usize>,
    pick: usize,
    due: Vec<f64>,
    pairs: Vec<Pairs>,
    memory: Vec<Vec<Memory>>,
    rng: RefCell<Rng>,
    now: f64,
    low: f64,
    race: (f64, f64, f64),
    total: f64,
    instant: u32,
    /// The pair that the indices of the item at work stand for.
    own: Cell<Option<(usize, usize)>>,
    noting: Cell<bool>,
    reads: RefCell<BTreeSet<Place>>,
    written: BTreeSet<Place>,
    /// Pairs of changing relations that have come or gone in this event.
    changed: Vec<(usize, usize)>,
    /// Whether the action of an `at` has changed what its time is read from.
    renewed: bool,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(model: &'a Model, rng: Rng) -> Self {
        let pairs = model
            .relations
            .iter()
            .map(|relation| {
                let mut pairs = Vec::new();
                for (row, members) in relation.members.iter().enumerate() {
                    let mut members = members.clone();
                    if relation.changing {
                        members.sort_by_key(|&(member, _)| member);
                        members.dedup_by_key(|&mut (member, _)| member);
                    }
                    pairs.extend(members.into_iter().map(|(member, value)| Some((row, member, value))));
                }
                Pairs { changing: relation.changing, pairs, free: Vec::new() }
            })
            .collect();
        Engine {
            model,
            scalars: model.scalars.clone(),
            families: Vec::new(),
            home: model.home.clone(),
            pick: model.pick,
            due: model.due.iter().map(|&due| 0.5 * due as f64).collect(),
            pairs,
            memory: Vec::new(),
            rng: RefCell::new(rng),
            now: 0.0,
            low: 0.0,
            race: (f64::INFINITY, 0.0, 0.0),
            total: 0.0,
            instant: 0,
            own: Cell::new(None),
            noting: Cell::new(false),
            reads: RefCell::new(BTreeSet::new()),
            written: BTreeSet::new(),
            changed: Vec::new(),
            renewed: false,
        }
    }

    fn start(&mut self) {
        let model = self.model;
        for (number, family) in model.families.iter().enumerate() {
            let elements = (0..self.count(&family.over)).map(|element| self.initial(number, element)).collect();
            self.families.push(elements);
        }
        self.execute(&model.init, &mut Vec::new());
        self.changed.clear();
        self.written.clear();
        self.memory = model.clocks.iter().map(|clock| vec![FRESH; self.count(&clock.over)]).collect();
    }

    /// The initial value of an element.
    fn initial(&self, family: usize, number: usize) -> i64 {
        let Family { over, initial } = &self.model.families[family];
        match initial {
            Initial::Given(values) => values[number],
            Initial::Table(values) if matches!(over, Over::Sets(sets) if sets.len() == 1) => values[number],
            Initial::Drawn => self.rng.borrow_mut().random_range(0..MODULUS),
            Initial::Reads => (self.scalars[0] + self.families[0][self.decode(over, number)[0]]).rem_euclid(MODULUS),
            Initial::Table(_) | Initial::Formula => {
                let indices = self.decode(over, number);
                let sum: usize = indices.iter().enumerate().map(|(i, index)| (i + 1) * index).sum();
                ((sum + 1) % MODULUS as usize) as i64
            }
        }
    }

    /// Runs to `until`.
    pub(crate) fn run(&mut self, until: f64, events: &mut Vec<Event>) -> End {
        self.start();
        if let Err(failure) = self.refresh(None, None) {
            return End::Failed(failure);
        }
        let model = self.model;
        loop {
            if model.stop.as_ref().is_some_and(|stop| self.test(stop, &mut Vec::new())) {
                return End::Stopped;
            }
            let Some((time, low, clock, member)) = self.next() else { return End::Quiet };
            if time > until {
                return End::Quiet;
            }
            if time > self.now {
                self.instant = 0;
            }
            if self.instant >= ZENO {
                return End::Failed("zeno");
            }
            self.instant += 1;
            (self.now, self.low) = (time, low);
            // The race draws before its event, and a family of rates picks before it, too.
            let ahead = self.races(&model.clocks[clock]).then(|| self.draw());
            let rang = Member { clock, number: member.unwrap_or_else(|x| self.pick_member(clock, x)) };
            let index = self.happen(rang);
            if let Err(failure) = self.refresh(Some(rang), ahead) {
                return End::Failed(failure);
            }
            events.push(Event { time, clock, index, state: self.show() });
        }
    }

    /// The action of a clock; its indices.
    fn happen(&mut self, rang: Member) -> Vec<usize> {
        let model = self.model;
        let clock = &model.clocks[rang.clock];
        let indices = self.decode(&clock.over, rang.number);
        let mut variables: Variables = indices.iter().map(|&index| (index, 0)).collect();
        self.written.clear();
        self.changed.clear();
        self.enter(&clock.over, rang.number);
        let known: Known = indices.iter().map(|&index| Some(index)).collect();
        self.name(&clock.body, &known);
        let before = self.watched(&clock.timing, &mut variables);
        match &clock.timing {
            Timing::Reaction { count, left, right } => {
                // What stands on both sides changes by the difference.
                let same = format!("{left:?}") == format!("{right:?}");
                let (less, more) = if same { (i64::from(*count) - 1, 0) } else { (i64::from(*count), 1) };
                for (place, by) in [(left, -less), (right, more)] {
                    if by != 0 {
                        let (family, number) = self.place(place, &mut variables);
                        self.families[family][number] += by;
                        self.written.insert(Place::Element(family, number));
                    }
                }
            }
            _ => self.execute(&clock.body, &mut variables),
        }
        self.own.set(None);
        let mut variables: Variables = indices.iter().map(|&index| (index, 0)).collect();
        self.renewed = self.watched(&clock.timing, &mut variables) != before || self.writes_what_is_tracked(clock);
        indices
    }

    /// The numbers that the time of an `at` is read from at indices that are known before the event.
    fn watched(&self, timing: &Timing, variables: &mut Variables) -> Vec<u64> {
        let mut values = Vec::new();
        if let Timing::Due(index) = timing {
            if index.is_direct() {
                values.push(self.due[self.index(index, 0, variables)].to_bits());
            }
            self.watched_by(index, variables, &mut values);
        }
        values
    }

    fn watched_by(&self, index: &Index, variables: &mut Variables, values: &mut Vec<u64>) {
        match index {
            Index::Around(inner, ..) => self.watched_by(inner, variables, values),
            Index::Home(inner) => {
                if inner.is_direct() {
                    values.push(self.home[self.index(inner, 0, variables)] as u64);
                }
                self.watched_by(inner, variables, values);
            }
            Index::Pick => values.push(self.pick as u64),
            Index::Value(e) if !matches!(**e, Int::Whole(_)) => values.push(self.int(e, variables) as u64),
            _ => {}
        }
    }

    /// Whether an action writes something that the time of its `at` is read from at other indices.
    fn writes_what_is_tracked(&self, clock: &Clock) -> bool {
        let Timing::Due(index) = &clock.timing else { return false };
        let mut places = Vec::new();
        if !index.is_direct() {
            places.push(Place::Due(0));
        }
        let mut index = index;
        loop {
            match index {
                Index::Around(inner, ..) => index = inner,
                Index::Home(inner) => {
                    if !inner.is_direct() {
                        places.push(Place::Home(0));
                    }
                    index = inner;
                }
                Index::Value(e) => {
                    if let Int::Whole(family) = **e {
                        places.push(Place::Element(family, 0));
                    }
                    break;
                }
                _ => break,
            }
        }
        let families = self.model.written_by(clock);
        places.into_iter().any(|place| match place {
            Place::Due(_) => self.model.has(&clock.body, &|statement| matches!(statement, Statement::Due(..))),
            Place::Home(_) => {
                let writes = |statement: &Statement| matches!(statement, Statement::Home(..) | Statement::Move(..));
                self.model.has(&clock.body, &writes)
            }
            Place::Element(family, _) => families.contains(&family),
            _ => false,
        })
    }

    fn show(&self) -> Vec<i64> {
        let mut all = self.scalars.clone();
        all.push(self.pick as i64);
        for (family, elements) in self.model.families.iter().zip(&self.families) {
            if !self.model.comes_and_goes(&family.over) {
                all.extend(elements);
            }
        }
        all.extend(self.home.iter().map(|&at| at as i64));
        all.extend(self.due.iter().map(|at| at.to_bits() as i64));
        for (r, relation) in self.model.relations.iter().enumerate().filter(|(_, relation)| relation.changing) {
            for row in 0..relation.members.len() {
                all.push(-1);
                for (member, value) in self.pairs[r].row(row) {
                    all.push(member as i64);
                    if relation.valued {
                        all.push(value);
                    }
                    for (family, elements) in self.model.families.iter().zip(&self.families) {
                        if family.over == Over::Pairs(r) {
                            all.push(elements[self.pairs[r].find(row, member).expect("the pair is there")]);
                        }
                    }
                }
            }
        }
        all
    }

    // Members.

    /// How many members a family has, or had at most.
    fn count(&self, over: &Over) -> usize {
        match over {
            Over::Sets(sets) => sets.iter().map(|&set| self.model.size(set)).product(),
            Over::Pairs(relation) => self.pairs[*relation].pairs.len(),
        }
    }

    fn live(&self, over: &Over, number: usize) -> bool {
        match over {
            Over::Sets(_) => true,
            Over::Pairs(relation) => self.pairs[*relation].pairs[number].is_some(),
        }
    }

    fn decode(&self, over: &Over, number: usize) -> Vec<usize> {
        match over {
            Over::Sets(sets) => self.decode_sets(sets, number),
            Over::Pairs(relation) => {
                let (row, member, _) = self.pairs[*relation].pairs[number].expect("the pair is there");
                let mut indices = self.decode_sets(&self.model.relations[*relation].rows, row);
                indices.push(member);
                indices
            }
        }
    }

    fn decode_sets(&self, sets: &[usize], mut number: usize) -> Vec<usize> {
        let mut indices: Vec<usize> = sets
            .iter()
            .rev()
            .map(|&set| {
                let index = number % self.model.size(set);
                number /= self.model.size(set);
                index
            })
            .collect();
        indices.reverse();
        indices
    }

    fn encode_sets(&self, sets: &[usize], indices: &[usize]) -> usize {
        sets.iter().zip(indices).fold(0, |number, (&set, &index)| {
            assert!(index < self.model.size(set), "models have no index outside its set");
            number * self.model.size(set) + index
        })
    }

    /// Expressions are those of member `number` of a family.
    fn enter(&self, over: &Over, number: usize) {
        self.own.set(match over {
            Over::Pairs(relation) => Some((*relation, number)),
            Over::Sets(_) => None,
        });
    }

    // Selection.

    fn races(&self, clock: &Clock) -> bool {
        !self.model.next_reaction && clock.timing.is_rate()
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
        if self.model.clocks[clock].over == Over::Sets(Vec::new()) {
            self.memory[clock][0].rate
        } else {
            self.rates(clock).total()
        }
    }

    fn pick_member(&self, clock: usize, x: f64) -> usize {
        if self.model.clocks[clock].over == Over::Sets(Vec::new()) {
            return 0;
        }
        self.rates(clock).pick(x, &mut self.rng.borrow_mut())
    }

    fn racing(&self) -> Vec<usize> {
        (0..self.model.clocks.len()).filter(|&c| self.races(&self.model.clocks[c])).collect()
    }

    /// Time, what rounding took from it, the clock, and its member; of the race what is left of the
    /// number that picks it.
    fn next(&self) -> Option<(f64, f64, usize, Result<usize, f64>)> {
        let mut first: Option<((f64, f64, i64, usize, usize), Result<usize, f64>)> = None;
        let mut offer = |time: f64, low: f64, clock: usize, member: Result<usize, f64>| {
            let key = (time, low, self.model.clocks[clock].priority, clock, member.unwrap_or(0));
            if time < f64::INFINITY && first.is_none_or(|(first, _)| key < first) {
                first = Some((key, member));
            }
        };
        for (clock, members) in self.memory.iter().enumerate() {
            if !self.races(&self.model.clocks[clock]) {
                for (number, memory) in members.iter().enumerate() {
                    offer(memory.time, memory.low, clock, Ok(number));
                }
            }
        }
        if self.race.0 < f64::INFINITY {
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
            offer(self.race.0, self.race.1, racing[at], Err(x));
        }
        first.map(|((time, low, _, clock, _), member)| (time, low, clock, member))
    }

    /// A standard exponential and a uniform number.
    fn draw(&mut self) -> (f64, f64) {
        let rng = self.rng.get_mut();
        let wait = exponential(rng);
        (wait, (rng.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    // Refreshing.

    fn refresh(&mut self, rang: Option<Member>, ahead: Option<(f64, f64)>) -> Result<(), &'static str> {
        let model = self.model;
        if let Some(rang) = rang {
            self.use_up(rang);
        }
        // Pairs that have gone, and those that have come in their place, remember nothing.
        for (relation, pair) in std::mem::take(&mut self.changed) {
            for (clock, members) in self.memory.iter_mut().enumerate() {
                if model.clocks[clock].over == Over::Pairs(relation) {
                    if pair >= members.len() {
                        members.resize(pair + 1, FRESH);
                    }
                    members[pair] = FRESH;
                }
            }
        }
        for (number, clock) in model.clocks.iter().enumerate() {
            for member in 0..self.memory[number].len() {
                if self.live(&clock.over, member) {
                    self.evaluate(Member { clock: number, number: member })?;
                }
            }
        }
        let rates: Vec<f64> = self.racing().into_iter().map(|c| self.total_of(c)).collect();
        let total = if rates.is_empty() { 0.0 } else { sum(&rates, rates.len().next_power_of_two()) };
        if ahead.is_some() || total != self.total {
            self.total = total;
            let (wait, choice) = ahead.unwrap_or_else(|| self.draw());
            let (time, low) = if total > 0.0 { self.later(wait / total) } else { (f64::INFINITY, 0.0) };
            self.race = (time, low, choice);
        }
        Ok(())
    }

    fn evaluate(&mut self, member: Member) -> Result<(), &'static str> {
        let model = self.model;
        let clock = &model.clocks[member.clock];
        let memory = &self.memory[member.clock][member.number];
        let touched = !memory.seen || !self.written.is_disjoint(&memory.reads);
        let mut variables: Variables =
            self.decode(&clock.over, member.number).into_iter().map(|index| (index, 0)).collect();
        let variables = &mut variables;
        self.enter(&clock.over, member.number);
        self.noting.set(model.touchy || clock.timing.is_at());
        self.reads.borrow_mut().clear();
        let enabled = clock.guard.as_ref().is_none_or(|guard| self.test(guard, variables));
        let guard_reads = std::mem::take(&mut *self.reads.borrow_mut());
        match &clock.timing {
            Timing::Rate(e, always) => {
                let base = if *always { 0.5 } else { 0.0 };
                let rate = if enabled { base + 0.25 * self.int(e, variables).rem_euclid(5) as f64 } else { 0.0 };
                self.rate(member, clock, rate);
            }
            Timing::Reaction { count, left, .. } => {
                let at = self.place(left, variables);
                let n = self.families[at.0][at.1] as f64;
                let choices = if *count == 1 { n } else { n * ((n - 1.0) / 2.0) };
                let choices = if n < f64::from(*count) { 0.0 } else { choices };
                self.rate(member, clock, if enabled { 0.25 * choices } else { 0.0 });
            }
            timing if timing.is_at() && !enabled => {
                let memory = &mut self.memory[member.clock][member.number];
                (memory.time, memory.low) = (f64::INFINITY, 0.0);
            }
            Timing::Due(index) => {
                let value = self.due[self.due_at(index, variables)];
                // What it rang for is used up, unless something is written.
                if touched || !self.memory[member.clock][member.number].renewed {
                    self.at(member, value, false)?;
                }
            }
            Timing::AtFromNow(e) => {
                let value = self.now + 0.25 * self.int(e, variables).rem_euclid(6) as f64;
                if touched {
                    self.at(member, value, true)?;
                }
            }
            Timing::AtOnce(test) => {
                let value = if self.test(test, variables) { self.now } else { f64::INFINITY };
                if touched {
                    self.at(member, value, true)?;
                }
            }
            Timing::After { redraw, .. } => self.after(member, &clock.timing, enabled, *redraw && touched, variables),
            Timing::Every { period, from } => {
                if enabled {
                    let period = 0.25 * (1 + self.int(period, variables).rem_euclid(6)) as f64;
                    let from = from
                        .map(|(by_index, by)| 0.125 * (if by_index { by * variables[0].0 as i64 } else { by }) as f64);
                    self.every(member, period, from);
                } else {
                    let memory = &mut self.memory[member.clock][member.number];
                    (memory.time, memory.low) = (f64::INFINITY, 0.0);
                }
            }
        }
        let mut reads = std::mem::take(&mut *self.reads.borrow_mut());
        let memory = &mut self.memory[member.clock][member.number];
        reads.extend(guard_reads);
        memory.reads = reads;
        memory.seen = true;
        self.noting.set(false);
        self.own.set(None);
        Ok(())
    }

    /// `wait` from now, and what rounding takes from it.
    fn later(&self, wait: f64) -> (f64, f64) {
        let wait = self.low + wait;
        let time = self.now + wait;
        (time, if time < f64::INFINITY { wait - (time - self.now) } else { 0.0 })
    }

    fn use_up(&mut self, rang: Member) {
        let now = self.now;
        let memory = &mut self.memory[rang.clock][rang.number];
        match &self.model.clocks[rang.clock].timing {
            timing if timing.is_rate() => {
                if self.model.next_reaction {
                    (memory.rate, memory.time) = (0.0, f64::INFINITY);
                }
            }
            Timing::Every { .. } => {
                memory.rang = now;
                memory.ticks += 1.0;
            }
            Timing::After { .. } => (memory.left, memory.running) = (f64::NAN, false),
            _ => {
                memory.renewed = self.renewed;
                let rang = if self.renewed { f64::NAN } else { memory.value };
                (memory.rang, memory.time, memory.low) = (rang, f64::INFINITY, 0.0);
            }
        }
    }

    fn rate(&mut self, member: Member, clock: &Clock, rate: f64) {
        let old = self.memory[member.clock][member.number].rate;
        if self.races(clock) || rate == old {
            self.memory[member.clock][member.number].rate = rate;
            return;
        }
        let memory = &self.memory[member.clock][member.number];
        let wait = if rate == 0.0 {
            f64::INFINITY
        } else if old > 0.0 {
            ((memory.time - self.now) + (memory.low - self.low)) * (old / rate)
        } else {
            exponential(self.rng.get_mut()) / rate
        };
        let (time, low) = self.later(wait);
        let memory = &mut self.memory[member.clock][member.number];
        (memory.rate, memory.time, memory.low) = (rate, time, low);
    }

    fn at(&mut self, member: Member, value: f64, reads_now: bool) -> Result<(), &'static str> {
        let (now, low) = (self.now, self.low);
        let memory = &mut self.memory[member.clock][member.number];
        memory.value = value;
        memory.renewed = false;
        let used = value == memory.rang && !(reads_now && value == now);
        memory.time = if used { f64::INFINITY } else { value };
        memory.low = if memory.time == now { low } else { 0.0 };
        if memory.time < now { Err("past") } else { Ok(()) }
    }

    fn after(&mut self, member: Member, timing: &Timing, enabled: bool, changed: bool, variables: &mut Variables) {
        let Timing::After { delay, random, resume, speed, .. } = timing else { return };
        let (now, low) = (self.now, self.low);
        let left = |memory: &Memory| {
            let passed = (now - memory.since.0) + (low - memory.since.1);
            (memory.left - passed * memory.speed).max(0.0)
        };
        if !enabled {
            let memory = &mut self.memory[member.clock][member.number];
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
        // Read at any rate, so that it is known what is read.
        let base = 0.25 * (1 + self.int(delay, variables).rem_euclid(6)) as f64;
        if self.memory[member.clock][member.number].left.is_nan() || changed {
            let factor: f64 = if *random { self.rng.get_mut().sample::<f64, _>(Exp1) } else { 1.0 };
            let memory = &mut self.memory[member.clock][member.number];
            (memory.left, memory.running) = (base * factor, false);
        }
        let speed = speed.as_ref().map_or(1.0, |speed| 0.5 * self.int(speed, variables).rem_euclid(4) as f64);
        let memory = &mut self.memory[member.clock][member.number];
        if memory.running {
            if speed == memory.speed {
                return;
            }
            memory.left = left(memory);
        }
        (memory.since, memory.speed, memory.running) = ((now, low), speed, true);
        let wait = if speed > 0.0 { memory.left / speed } else { f64::INFINITY };
        let (time, low) = self.later(wait);
        let memory = &mut self.memory[member.clock][member.number];
        (memory.time, memory.low) = (time, low);
    }

    fn every(&mut self, member: Member, period: f64, from: Option<f64>) {
        let (now, low) = (self.now, self.low);
        let memory = &mut self.memory[member.clock][member.number];
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

    // Expressions.

    fn note(&self, place: Place) {
        if self.noting.get() {
            self.reads.borrow_mut().insert(place);
        }
    }

    fn index(&self, index: &Index, set: usize, variables: &mut Variables) -> usize {
        let n = self.model.size(set);
        match index {
            Index::Variable(v) => variables[*v].0,
            Index::Shift(v, by, _) => (variables[*v].0 as i64 + by) as usize,
            Index::Around(inner, by, _) => {
                let inner = self.index(inner, set, variables);
                (inner as i64 + by).rem_euclid(n as i64) as usize
            }
            Index::Twice(v) => variables[*v].0 * 2 % n,
            Index::Cast(v) => variables[*v].0 % n,
            Index::Constant(at) => *at,
            Index::Last => n - 1,
            Index::Home(inner) => {
                let at = self.index(inner, 0, variables);
                self.note(Place::Home(at));
                self.home[at]
            }
            Index::Pick => {
                self.note(Place::Pick);
                self.pick
            }
            Index::Value(e) => self.int(e, variables).rem_euclid(n as i64) as usize,
            Index::Random => self.rng.borrow_mut().random_range(0..n),
        }
    }

    fn indices(&self, indices: &[Index], sets: &[usize], variables: &mut Variables) -> Vec<usize> {
        indices.iter().zip(sets).map(|(index, &set)| self.index(index, set, variables)).collect()
    }

    /// The number of an element of a family.
    fn element(&self, family: usize, indices: &[Index], variables: &mut Variables) -> usize {
        let over = &self.model.families[family].over;
        let sets = self.model.axes(over);
        let at = self.indices(indices, &sets, variables);
        match over {
            Over::Sets(sets) => self.encode_sets(sets, &at),
            Over::Pairs(relation) => {
                let plain = indices.iter().enumerate().all(|(i, index)| matches!(index, Index::Variable(v) if *v == i));
                match self.own.get() {
                    Some((own, number)) if own == *relation && plain => number,
                    _ => {
                        let (member, row) = at.split_last().expect("a pair has parts");
                        let row = self.encode_sets(&sets[..row.len()], row);
                        self.pairs[*relation].find(row, *member).expect("models use pairs that are there")
                    }
                }
            }
        }
    }

    fn place(&self, place: &(usize, Vec<Index>), variables: &mut Variables) -> (usize, usize) {
        let number = self.element(place.0, &place.1, variables);
        self.note(Place::Element(place.0, number));
        (place.0, number)
    }

    fn due_at(&self, index: &Index, variables: &mut Variables) -> usize {
        let at = self.index(index, 0, variables);
        self.note(Place::Due(at));
        at
    }

    fn row(&self, relation: usize, indices: &[Index], variables: &mut Variables) -> usize {
        let sets = &self.model.relations[relation].rows;
        let row = self.indices(&indices[..sets.len()], sets, variables);
        let row = self.encode_sets(sets, &row);
        if self.model.relations[relation].changing {
            self.note(Place::Row(relation, row));
        }
        row
    }

    /// What is gone over, with each of the variables that stand for it.
    fn range(&self, range: &Range, variables: &mut Variables) -> Vec<(usize, i64)> {
        match range {
            Range::Row { relation, arguments } => {
                let row = self.row(*relation, arguments, variables);
                self.pairs[*relation].row(row)
            }
            Range::Inverse { relation, member } => {
                let member = self.index(member, self.model.relations[*relation].target, variables);
                if self.model.relations[*relation].changing {
                    self.note(Place::Column(*relation, member));
                }
                self.pairs[*relation].sources(member)
            }
            Range::Set(set) | Range::Numbers(set) => (0..self.model.size(*set)).map(|at| (at, 0)).collect(),
            Range::Rows { outer, variable, inner } => {
                let mut all = Vec::new();
                for item in self.range(outer, variables) {
                    bind(variables, *variable, item);
                    all.extend(self.range(inner, variables));
                }
                all
            }
            Range::Filter { range, variable, test } => {
                let mut all = self.range(range, variables);
                all.retain(|&item| {
                    bind(variables, *variable, item);
                    self.test(test, variables)
                });
                all
            }
        }
    }

    fn int(&self, e: &Int, variables: &mut Variables) -> i64 {
        match e {
            Int::Constant(value) => *value,
            Int::Scalar(s) => {
                self.note(Place::Scalar(*s));
                self.scalars[*s]
            }
            Int::Element(family, indices) => {
                let number = self.element(*family, indices, variables);
                self.note(Place::Element(*family, number));
                self.families[*family][number]
            }
            Int::Let(d, indices) => {
                let definition = &self.model.lets[*d];
                let indices = self.indices(indices, &definition.over, variables);
                let own = self.own.take();
                let value = self.int(&definition.value, &mut indices.into_iter().map(|index| (index, 0)).collect());
                self.own.set(own);
                value
            }
            Int::Number(v) => variables[*v].0 as i64,
            Int::Weight(v) => variables[*v].1,
            Int::Home(index) => {
                let at = self.index(index, 0, variables);
                self.note(Place::Home(at));
                self.home[at] as i64
            }
            Int::Edge { family, variable, set, by, other } => {
                let at = variables[*variable].0 as i64 + by;
                if (0..self.model.size(*set) as i64).contains(&at) {
                    self.note(Place::Element(*family, at as usize));
                    self.families[*family][at as usize]
                } else {
                    *other
                }
            }
            Int::Sum { range, variable, term }
            | Int::Fold { range, variable, term }
            | Int::Loop { range, variable, term } => {
                let mut sum = 0;
                for item in self.range(range, variables) {
                    bind(variables, *variable, item);
                    sum += self.int(term, variables);
                }
                sum
            }
            Int::Count { range, variable, test } => {
                let mut count = 0;
                for item in self.range(range, variables) {
                    bind(variables, *variable, item);
                    count += i64::from(self.test(test, variables));
                }
                count
            }
            Int::Whole(family) => {
                (0..self.families[*family].len()).for_each(|number| self.note(Place::Element(*family, number)));
                self.families[*family].iter().sum()
            }
            Int::Degree(relation, indices) => {
                let row = self.row(*relation, indices, variables);
                self.pairs[*relation].row(row).len() as i64
            }
            Int::Contains(relation, indices) => {
                let row = self.row(*relation, indices, variables);
                let member = indices.last().expect("a pair has parts");
                let member = self.index(member, self.model.relations[*relation].target, variables);
                i64::from(self.pairs[*relation].find(row, member).is_some())
            }
            Int::Value(relation, indices) => {
                let row = self.row(*relation, indices, variables);
                let member = indices.last().expect("a pair has parts");
                let member = self.index(member, self.model.relations[*relation].target, variables);
                let pairs = &self.pairs[*relation];
                pairs.find(row, member).and_then(|pair| pairs.pairs[pair]).map_or(0, |(_, _, value)| value)
            }
            Int::Pairs(relation) => self.pairs[*relation].pairs.iter().flatten().count() as i64,
            Int::With { variable, set, index, inner } => {
                let at = self.index(index, *set, variables);
                bind(variables, *variable, (at, 0));
                self.int(inner, variables)
            }
            Int::Add(a, b) => self.int(a, variables) + self.int(b, variables),
            Int::Sub(a, b) => self.int(a, variables) - self.int(b, variables),
            Int::Mul(a, b) => self.int(a, variables) * self.int(b, variables),
        }
    }

    fn test(&self, test: &Test, variables: &mut Variables) -> bool {
        match test {
            Test::Compare { left, less, right } => {
                let (left, right) = (self.int(left, variables), self.int(right, variables));
                if *less { left < right } else { left == right }
            }
            Test::Inside { variable, set, by } => {
                let at = variables[*variable].0 as i64 + by;
                (0..self.model.size(*set) as i64).contains(&at)
            }
            Test::Any { range, variable, all, test } => {
                for item in self.range(range, variables) {
                    bind(variables, *variable, item);
                    if self.test(test, variables) != *all {
                        return !all;
                    }
                }
                *all
            }
            Test::And(a, b) => self.test(a, variables) && self.test(b, variables),
        }
    }

    // Actions.

    fn target(&self, target: &Target, variables: &mut Variables) -> Place {
        match target {
            Target::Scalar(s) => Place::Scalar(*s),
            Target::Element(family, indices) => Place::Element(*family, self.element(*family, indices, variables)),
        }
    }

    fn at_place(&mut self, place: Place) -> &mut i64 {
        self.written.insert(place);
        match place {
            Place::Scalar(s) => &mut self.scalars[s],
            Place::Element(family, number) => &mut self.families[family][number],
            _ => unreachable!("it is an integer"),
        }
    }

    fn all_written(&mut self, family: usize) {
        let count = self.families[family].len();
        self.written.extend((0..count).map(|number| Place::Element(family, number)));
    }

    fn execute(&mut self, statements: &[Statement], variables: &mut Variables) {
        let model = self.model;
        for statement in statements {
            match statement {
                Statement::Assign(target, e) => {
                    let value = self.int(e, variables).rem_euclid(MODULUS);
                    let place = self.target(target, variables);
                    *self.at_place(place) = value;
                }
                Statement::Increase(target, e) => {
                    let by = self.int(e, variables);
                    let place = self.target(target, variables);
                    let element = self.at_place(place);
                    *element = (*element + by).rem_euclid(MODULUS);
                }
                Statement::Home(at, e) => {
                    let value = self.int(e, variables).rem_euclid(model.size(0) as i64) as usize;
                    let at = self.index(at, 0, variables);
                    self.written.insert(Place::Home(at));
                    self.home[at] = value;
                }
                Statement::Move(at, to) => {
                    let value = self.index(to, 0, variables);
                    let at = self.index(at, 0, variables);
                    self.written.insert(Place::Home(at));
                    self.home[at] = value;
                }
                Statement::Pick(e) => {
                    self.written.insert(Place::Pick);
                    self.pick = self.int(e, variables).rem_euclid(model.size(0) as i64) as usize;
                }
                Statement::Due(at, e) => {
                    let value = self.now + 0.25 * self.int(e, variables).rem_euclid(6) as f64;
                    let at = self.index(at, 0, variables);
                    self.written.insert(Place::Due(at));
                    self.due[at] = value;
                }
                Statement::For { range, variable, body } => self.execute_for(range, *variable, body, variables),
                Statement::Each { range, variable, body } => {
                    for item in self.range(range, variables) {
                        bind(variables, *variable, item);
                        self.execute(body, variables);
                    }
                }
                Statement::With { variable, set, index, body } => {
                    let at = self.index(index, *set, variables);
                    bind(variables, *variable, (at, 0));
                    self.execute(body, variables);
                }
                Statement::If(test, yes, no) => {
                    let taken = if self.test(test, variables) { yes } else { no };
                    self.execute(taken, variables);
                }
                Statement::Call(action, arguments) => {
                    let action = &model.actions[*action];
                    let mut inner = self.arguments(action, arguments, variables);
                    let known: Known = inner.iter().map(|&(index, _)| Some(index)).collect();
                    self.name(&action.body, &known);
                    let own = self.own.take();
                    self.execute(&action.body, &mut inner);
                    self.own.set(own);
                }
                Statement::Insert(relation, pair, value, body) => {
                    if self.change(*relation, pair, Some(value.as_ref()), variables) {
                        self.execute(body, variables);
                    }
                }
                Statement::Remove(relation, pair, body) => {
                    if self.change(*relation, pair, None, variables) {
                        self.execute(body, variables);
                    }
                }
                Statement::Swap(family, a, b) => {
                    let set = model.axes(&model.families[*family].over)[0];
                    let (a, b) = (self.index(a, set, variables), self.index(b, set, variables));
                    self.families[*family].swap(a, b);
                    self.all_written(*family);
                }
                Statement::Every(family, by, _) => {
                    self.families[*family].iter_mut().for_each(|value| *value = (*value + by).rem_euclid(MODULUS));
                    self.all_written(*family);
                }
                Statement::Fill(family, e) => {
                    let value = self.int(e, variables).rem_euclid(MODULUS);
                    self.families[*family].fill(value);
                    self.all_written(*family);
                }
                Statement::Rotate(family) => {
                    self.families[*family].rotate_left(1);
                    self.all_written(*family);
                }
                Statement::Exchange(a, b) => {
                    let (a, b) = (self.target(a, variables), self.target(b, variables));
                    let (left, right) = (*self.at_place(a), *self.at_place(b));
                    *self.at_place(a) = right;
                    *self.at_place(b) = left;
                }
            }
        }
    }

    /// Two loops for rows of rows: what the inner one goes over is evaluated each time.
    fn execute_for(&mut self, range: &Range, variable: usize, body: &[Statement], variables: &mut Variables) {
        match range {
            Range::Rows { outer, variable: of_outer, inner } => {
                for item in self.range(outer, variables) {
                    bind(variables, *of_outer, item);
                    self.execute_for(inner, variable, body, variables);
                }
            }
            _ => {
                for item in self.range(range, variables) {
                    bind(variables, variable, item);
                    self.execute(body, variables);
                }
            }
        }
    }

    fn arguments(&self, action: &Action, arguments: &[Argument], variables: &mut Variables) -> Variables {
        arguments
            .iter()
            .zip(&action.parameters)
            .map(|(argument, parameter)| match (argument, parameter) {
                (Argument::Index(index), Parameter::Member(set)) => (self.index(index, *set, variables), 0),
                (Argument::Number(e), _) => (0, self.int(e, variables)),
                (Argument::Index(_), Parameter::Number) => unreachable!("arguments are as declared"),
            })
            .collect()
    }

    /// Inserts or removes a pair; whether there was anything to do.
    fn change(
        &mut self,
        relation: usize,
        pair: &[Index],
        insert: Option<Option<&Int>>,
        variables: &mut Variables,
    ) -> bool {
        let model = self.model;
        let at = self.indices(pair, &model.axes(&Over::Pairs(relation)), variables);
        let (member, row) = at.split_last().expect("a pair has parts");
        let row = self.encode_sets(&model.relations[relation].rows, row);
        let value = insert.flatten().map_or(0, |value| self.int(value, variables));
        let pairs = &mut self.pairs[relation];
        let number = match (pairs.find(row, *member), insert) {
            (None, Some(_)) => {
                let number = pairs.free.pop().unwrap_or(pairs.pairs.len());
                if number == pairs.pairs.len() {
                    pairs.pairs.push(None);
                }
                pairs.pairs[number] = Some((row, *member, value));
                number
            }
            (Some(number), None) => {
                pairs.pairs[number] = None;
                pairs.free.push(number);
                number
            }
            _ => return false,
        };
        self.changed.push((relation, number));
        self.written.extend([Place::Row(relation, row), Place::Column(relation, *member)]);
        if insert.is_some() {
            // What belongs to the pair begins with it.
            for family in 0..model.families.len() {
                if model.families[family].over == Over::Pairs(relation) {
                    let value = self.initial(family, number);
                    let count = self.families[family].len().max(number + 1);
                    self.families[family].resize(count, 0);
                    self.families[family][number] = value;
                    self.written.insert(Place::Element(family, number));
                }
            }
        }
        true
    }

    /// What statements name, on any branch, by indices that are known before the event.
    fn name(&mut self, statements: &[Statement], known: &Known) {
        let model = self.model;
        for statement in statements {
            match statement {
                Statement::Assign(target, _) | Statement::Increase(target, _) => self.name_target(target, known),
                Statement::Exchange(a, b) => {
                    self.name_target(a, known);
                    self.name_target(b, known);
                }
                Statement::Home(at, _) | Statement::Move(at, _) => {
                    if let Some(at) = self.known(at, 0, known).filter(|&at| at < model.size(0)) {
                        self.written.insert(Place::Home(at));
                    }
                }
                Statement::Due(at, _) => {
                    if let Some(at) = self.known(at, 0, known).filter(|&at| at < model.size(0)) {
                        self.written.insert(Place::Due(at));
                    }
                }
                Statement::Pick(_) => {
                    self.written.insert(Place::Pick);
                }
                Statement::For { variable, body, .. } | Statement::Each { variable, body, .. } => {
                    let mut known = known.clone();
                    known.resize(variable + 1, None);
                    known[*variable] = None;
                    self.name(body, &known);
                }
                Statement::With { variable, set, index, body } => {
                    let at = self.known(index, *set, known);
                    let mut known = known.clone();
                    known.resize(variable + 1, None);
                    known[*variable] = at;
                    self.name(body, &known);
                }
                Statement::If(_, yes, no) => {
                    self.name(yes, known);
                    self.name(no, known);
                }
                Statement::Insert(_, _, _, body) | Statement::Remove(_, _, body) => self.name(body, known),
                Statement::Call(action, arguments) => {
                    let action = &model.actions[*action];
                    let inner = arguments
                        .iter()
                        .zip(&action.parameters)
                        .map(|(argument, parameter)| match (argument, parameter) {
                            (Argument::Index(index), Parameter::Member(set)) => self.known(index, *set, known),
                            _ => None,
                        })
                        .collect();
                    self.name(&action.body, &inner);
                }
                Statement::Swap(family, ..)
                | Statement::Every(family, ..)
                | Statement::Fill(family, _)
                | Statement::Rotate(family) => self.all_written(*family),
            }
        }
    }

    fn name_target(&mut self, target: &Target, known: &Known) {
        let model = self.model;
        match target {
            Target::Scalar(s) => {
                self.written.insert(Place::Scalar(*s));
            }
            Target::Element(family, indices) => {
                let Over::Sets(sets) = &model.families[*family].over else { return };
                let at: Option<Vec<usize>> = indices
                    .iter()
                    .zip(sets)
                    .map(|(index, &set)| self.known(index, set, known).filter(|&at| at < model.size(set)))
                    .collect();
                if let Some(at) = at {
                    self.written.insert(Place::Element(*family, self.encode_sets(sets, &at)));
                }
            }
        }
    }

    /// An index, if it is known before the event.
    fn known(&self, index: &Index, set: usize, known: &Known) -> Option<usize> {
        let n = self.model.size(set);
        match index {
            Index::Variable(v) => known[*v],
            Index::Shift(v, by, _) => usize::try_from(known[*v]? as i64 + by).ok(),
            Index::Around(inner, by, _) => {
                Some((self.known(inner, set, known)? as i64 + by).rem_euclid(n as i64) as usize)
            }
            Index::Constant(at) => Some(*at),
            Index::Last => Some(n - 1),
            Index::Cast(_) | Index::Twice(_) | Index::Home(_) | Index::Pick | Index::Value(_) | Index::Random => None,
        }
    }
}

fn bind(variables: &mut Variables, variable: usize, item: (usize, i64)) {
    if variables.len() <= variable {
        variables.resize(variable + 1, (0, 0));
    }
    variables[variable] = item;
}

/// The sum of `width` leaves, the missing ones 0, added in pairs, pairs of pairs and so on.
fn sum(rates: &[f64], width: usize) -> f64 {
    if width == 1 {
        return rates.first().copied().unwrap_or(0.0);
    }
    let half = width / 2;
    sum(rates, half) + sum(&rates[half.min(rates.len())..], half)
}
