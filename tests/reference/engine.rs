//! The reference engine: slow, and with nothing to forget. After every event it evaluates every
//! clock again.
//!
//! Where the language says that something happens on a change of what is read – a new draw under
//! `redraw`, an `at` that reads `now` – it asks whether the event's body names such a place, as any
//! reader of the model would.

use clockrace::__private::exponential;
use clockrace::rand::RngExt as _;
use clockrace::{Rng, rand_distr::Exp1};

use crate::description::{Clock, Int, MODULUS, Model, Place, Statement, Test, Timing};

/// What a run shows: for each event its time, its clock and the state after it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event {
    pub time: f64,
    pub clock: usize,
    pub variables: Vec<i64>,
    pub list: Vec<i64>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum End {
    Quiet,
    Stopped,
    Failed(&'static str),
}

const ZENO: u32 = 40;

#[derive(Clone)]
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
}

pub(crate) struct Engine<'a> {
    model: &'a Model,
    variables: Vec<i64>,
    list: Vec<i64>,
    memory: Vec<Memory>,
    rng: Rng,
    now: f64,
    low: f64,
    race: (f64, f64, f64),
    total: f64,
    instant: u32,
    /// Whether the action of an `at` has changed what its time is read from.
    renewed: bool,
    ticket: std::cell::Cell<i64>,
}

impl<'a> Engine<'a> {
    pub(crate) fn new(model: &'a Model, rng: Rng) -> Self {
        let fresh = Memory {
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
        Engine {
            model,
            variables: model.initial.clone(),
            list: Vec::new(),
            memory: vec![fresh; model.clocks.len()],
            rng,
            now: 0.0,
            low: 0.0,
            race: (f64::INFINITY, 0.0, 0.0),
            total: 0.0,
            instant: 0,
            renewed: false,
            ticket: std::cell::Cell::new(0),
        }
    }

    /// Runs to `until`.
    pub(crate) fn run(&mut self, until: f64, events: &mut Vec<Event>) -> End {
        if let Err(failure) = self.refresh(None, None) {
            return End::Failed(failure);
        }
        loop {
            if self.model.stop.as_ref().is_some_and(|stop| self.test(stop)) {
                return End::Stopped;
            }
            let (time, low, clock) = self.next();
            if time > until || time == f64::INFINITY {
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
            let model = self.model;
            // The race draws before its event.
            let ahead = self.races(&model.clocks[clock]).then(|| self.draw());
            let before = self.clone_of_what_is_read(clock);
            self.execute(&model.clocks[clock].body);
            self.renewed = before.is_some_and(|before| self.clone_of_what_is_read(clock) != Some(before));
            if let Err(failure) = self.refresh(Some(clock), ahead) {
                return End::Failed(failure);
            }
            events.push(Event { time, clock, variables: self.variables.clone(), list: self.list.clone() });
        }
    }

    fn races(&self, clock: &Clock) -> bool {
        !self.model.next_reaction && matches!(clock.timing, Timing::Rate(_))
    }

    /// Time, what rounding took from it, and the clock.
    fn next(&self) -> (f64, f64, usize) {
        let mut first: Option<(f64, f64, i64, usize)> = None;
        let mut offer = |time: f64, clock: usize, low: f64| {
            let key = (time, low, self.model.clocks[clock].priority, clock);
            if first.is_none_or(|first| key < first) {
                first = Some(key);
            }
        };
        let racing: Vec<usize> = (0..self.model.clocks.len()).filter(|&c| self.races(&self.model.clocks[c])).collect();
        for (clock, memory) in self.memory.iter().enumerate() {
            if !self.races(&self.model.clocks[clock]) {
                offer(memory.time, clock, memory.low);
            }
        }
        if self.race.0 < f64::INFINITY {
            let rates: Vec<f64> = racing.iter().map(|&c| self.memory[c].rate).collect();
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
            offer(self.race.0, racing[at], self.race.1);
        }
        first.map_or((f64::INFINITY, 0.0, 0), |(time, low, _, clock)| (time, low, clock))
    }

    /// A standard exponential and a uniform number.
    fn draw(&mut self) -> (f64, f64) {
        let wait = exponential(&mut self.rng);
        (wait, (self.rng.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn refresh(&mut self, rang: Option<usize>, ahead: Option<(f64, f64)>) -> Result<(), &'static str> {
        let model = self.model;
        for (number, clock) in model.clocks.iter().enumerate() {
            let itself = rang == Some(number);
            let touched = rang.is_none_or(|rang| !model.writes(rang).is_disjoint(&model.reads(number)));
            if itself {
                self.use_up(number, clock);
            }
            let enabled = clock.guard.as_ref().is_none_or(|guard| self.test(guard));
            match &clock.timing {
                Timing::Rate(e) => {
                    let rate = if enabled { 0.5 * self.int(e).rem_euclid(5) as f64 } else { 0.0 };
                    self.rate(number, clock, rate);
                }
                Timing::At(e) => {
                    let value = 0.5 * self.int(e).rem_euclid(40) as f64;
                    self.at(number, enabled, value, false)?;
                }
                Timing::AtFromNow(e) if touched => {
                    let value = self.now + 0.25 * self.int(e).rem_euclid(6) as f64;
                    self.at(number, enabled, value, true)?;
                }
                Timing::AtOnce(test) if touched => {
                    let value = if self.test(test) { self.now } else { f64::INFINITY };
                    self.at(number, enabled, value, true)?;
                }
                Timing::AtFromNow(_) | Timing::AtOnce(_) => {}
                Timing::After { .. } => self.after(number, &clock.timing, enabled, touched || itself),
                Timing::Every { period, from } => {
                    if enabled {
                        let period = 0.25 * (1 + self.int(period).rem_euclid(6)) as f64;
                        self.every(number, period, from.map(|from| 0.5 * from as f64));
                    } else {
                        (self.memory[number].time, self.memory[number].low) = (f64::INFINITY, 0.0);
                    }
                }
            }
        }
        let rates: Vec<f64> =
            (0..model.clocks.len()).filter(|&c| self.races(&model.clocks[c])).map(|c| self.memory[c].rate).collect();
        let total = sum(&rates, rates.len().next_power_of_two());
        if ahead.is_some() || total != self.total {
            self.total = total;
            let (wait, choice) = ahead.unwrap_or_else(|| self.draw());
            let (time, low) = if total > 0.0 { self.later(wait / total) } else { (f64::INFINITY, 0.0) };
            self.race = (time, low, choice);
        }
        Ok(())
    }

    /// What the time of an `at` is read from, of all that its own action writes; a list that is
    /// written never equals itself.
    fn clone_of_what_is_read(&self, clock: usize) -> Option<Vec<i64>> {
        let reads = self.model.reads_of_time(clock)?;
        let writes = self.model.writes(clock);
        let values = reads.intersection(&writes).map(|place| match place {
            Place::Variable(x) => Some(self.variables[*x]),
            _ => None,
        });
        let values: Vec<Option<i64>> = values.collect();
        if values.is_empty() {
            return None;
        }
        // A list: a number that is another one each time.
        Some(
            values
                .into_iter()
                .map(|value| value.unwrap_or_else(|| self.ticket.replace(self.ticket.get() + 1)))
                .collect(),
        )
    }

    /// `wait` from now, and what rounding takes from it.
    fn later(&self, wait: f64) -> (f64, f64) {
        let wait = self.low + wait;
        let time = self.now + wait;
        (time, if time < f64::INFINITY { wait - (time - self.now) } else { 0.0 })
    }

    fn use_up(&mut self, number: usize, clock: &Clock) {
        let now = self.now;
        let memory = &mut self.memory[number];
        match clock.timing {
            Timing::Rate(_) if !self.model.next_reaction => {}
            Timing::Rate(_) => (memory.rate, memory.time) = (0.0, f64::INFINITY),
            Timing::Every { .. } => {
                memory.rang = now;
                memory.ticks += 1.0;
            }
            Timing::After { .. } => (memory.left, memory.running) = (f64::NAN, false),
            _ => {
                let rang = if self.renewed { f64::NAN } else { memory.value };
                (memory.rang, memory.time, memory.low) = (rang, f64::INFINITY, 0.0);
            }
        }
    }

    fn rate(&mut self, number: usize, clock: &Clock, rate: f64) {
        let old = self.memory[number].rate;
        if self.races(clock) || rate == old {
            self.memory[number].rate = rate;
            return;
        }
        let memory = &self.memory[number];
        let wait = if rate == 0.0 {
            f64::INFINITY
        } else if old > 0.0 {
            ((memory.time - self.now) + (memory.low - self.low)) * (old / rate)
        } else {
            exponential(&mut self.rng) / rate
        };
        let (time, low) = self.later(wait);
        let memory = &mut self.memory[number];
        (memory.rate, memory.time, memory.low) = (rate, time, low);
    }

    fn at(&mut self, number: usize, enabled: bool, value: f64, reads_now: bool) -> Result<(), &'static str> {
        let (now, low) = (self.now, self.low);
        let memory = &mut self.memory[number];
        if enabled {
            memory.value = value;
        }
        let used = value == memory.rang && !(reads_now && value == now);
        memory.time = if !enabled || used { f64::INFINITY } else { value };
        memory.low = if memory.time == now { low } else { 0.0 };
        if memory.time < now { Err("past") } else { Ok(()) }
    }

    fn after(&mut self, number: usize, timing: &Timing, enabled: bool, changed: bool) {
        let Timing::After { delay, random, redraw, resume, speed } = timing else { return };
        let (now, low) = (self.now, self.low);
        let left = |memory: &Memory| {
            let passed = (now - memory.since.0) + (low - memory.since.1);
            (memory.left - passed * memory.speed).max(0.0)
        };
        if !enabled {
            let memory = &mut self.memory[number];
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
        if self.memory[number].left.is_nan() || (*redraw && changed) {
            let mut draw = 0.25 * (1 + self.int(delay).rem_euclid(6)) as f64;
            if *random {
                draw *= self.rng.sample::<f64, _>(Exp1);
            }
            let memory = &mut self.memory[number];
            (memory.left, memory.running) = (draw, false);
        }
        let speed = speed.as_ref().map_or(1.0, |speed| 0.5 * self.int(speed).rem_euclid(4) as f64);
        let memory = &mut self.memory[number];
        if memory.running {
            if speed == memory.speed {
                return;
            }
            memory.left = left(memory);
        }
        (memory.since, memory.speed, memory.running) = ((now, low), speed, true);
        let wait = if speed > 0.0 { memory.left / speed } else { f64::INFINITY };
        let (time, low) = self.later(wait);
        let memory = &mut self.memory[number];
        (memory.time, memory.low) = (time, low);
    }

    fn every(&mut self, number: usize, period: f64, from: Option<f64>) {
        let (now, low) = (self.now, self.low);
        let memory = &mut self.memory[number];
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

    fn int(&self, e: &Int) -> i64 {
        match e {
            Int::Constant(value) => *value,
            Int::Variable(x) => self.variables[*x],
            Int::Derived(d) => self.int(&self.model.lets[*d]),
            Int::Length => self.list.len() as i64,
            Int::Total => self.list.iter().sum(),
            Int::Add(a, b) => self.int(a) + self.int(b),
            Int::Sub(a, b) => self.int(a) - self.int(b),
            Int::Mul(a, b) => self.int(a) * self.int(b),
        }
    }

    fn test(&self, test: &Test) -> bool {
        let (left, right) = (self.int(&test.left), self.int(&test.right));
        if test.less { left < right } else { left == right }
    }

    fn execute(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Assign(x, e) => self.variables[*x] = self.int(e).rem_euclid(MODULUS),
                Statement::Increase(x, e) => {
                    self.variables[*x] = (self.variables[*x] + self.int(e)).rem_euclid(MODULUS);
                }
                Statement::Push(e) => {
                    let item = self.int(e).rem_euclid(MODULUS);
                    if self.list.len() < 6 {
                        self.list.push(item);
                    }
                }
                Statement::Pop => {
                    self.list.pop();
                }
                Statement::Swap(x, y) => self.variables.swap(*x, *y),
                Statement::If(test, yes, no) => self.execute(if self.test(test) { yes } else { no }),
                Statement::Call(action) => {
                    let model = self.model;
                    self.execute(&model.actions[*action]);
                }
            }
        }
    }
}

/// The sum of `width` leaves, the missing ones 0, added in pairs, pairs of pairs and so on.
fn sum(rates: &[f64], width: usize) -> f64 {
    if width == 1 {
        return rates.first().copied().unwrap_or(0.0);
    }
    let half = width / 2;
    sum(rates, half) + sum(&rates[half.min(rates.len())..], half)
}
