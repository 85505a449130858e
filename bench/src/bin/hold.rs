//! The hold model: n events are pending, and each, when it happens, schedules itself anew.
//!
//! By hand with the heap of the standard library, by the agenda of the engine, and as `simulation!` blocks.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hint::black_box;

use clap::Parser;
use clockrace::agenda::Agenda;
use clockrace::moment::Moment;
use clockrace::rand_distr::Exp1;
use clockrace::simulation;
use clockrace_bench::draws::{Generator, below, exponential, generator};
use clockrace_bench::{Contender, Contest, Run};

/// Events of a run in the mean, about.
const EVENTS: f64 = 2e6;

/// When a run ends: each of `n` happens once in `mean`.
fn end(n: u32, mean: f64) -> f64 {
    EVENTS * mean / f64::from(n)
}

/// What is pending. Whoever has happened as one is next the other.
#[derive(Clone, Copy)]
enum Event {
    Ping { who: u32 },
    Pong { who: u32 },
}

/// Something to do in an event.
#[derive(Default)]
struct Tally {
    pings: u64,
    pongs: u64,
}

impl Event {
    fn new(who: u32) -> Self {
        if who.is_multiple_of(2) { Event::Ping { who } } else { Event::Pong { who } }
    }

    /// The event happens. What it schedules.
    #[inline]
    fn happen(self, tally: &mut Tally) -> Event {
        match self {
            Event::Ping { who } => {
                tally.pings += u64::from(who);
                Event::Pong { who }
            }
            Event::Pong { who } => {
                tally.pongs += u64::from(who);
                Event::Ping { who }
            }
        }
    }
}

impl Tally {
    /// The run that this is of: checked is who has come, in the mean.
    fn run(self, events: u64) -> Run {
        Run::counted(events, (self.pings + self.pongs) as f64 / events as f64)
    }
}

/// The mean of `real`.
const REAL: f64 = 1.0;
/// The mean of `whole`.
const WHOLE: f64 = 5.5;

/// Exponential: no two events happen at one time.
#[inline]
fn real(rng: &mut Generator) -> f64 {
    exponential(rng)
}

/// One of the whole numbers up to 10: whatever is pending is so at ten times.
#[inline]
fn whole(rng: &mut Generator) -> f64 {
    (1 + below(rng, 10)) as f64
}

/// Priority, declaration and index.
type Rank = (i64, u32, u32);

/// As of one event whose argument says who it is.
#[inline]
fn argument(_: Event) -> Rank {
    (0, 0, 0)
}

/// As of a family of two events over everybody.
#[inline]
fn family(event: Event) -> Rank {
    match event {
        Event::Ping { who } => (0, 0, who),
        Event::Pong { who } => (0, 1, who),
    }
}

fn agenda(n: u32, end: f64, seed: u64, wait: impl Fn(&mut Generator) -> f64, rank: impl Fn(Event) -> Rank) -> Run {
    let mut rng = generator(seed);
    let mut agenda = Agenda::new();
    let mut tally = Tally::default();
    for who in 0..n {
        let event = Event::new(who);
        agenda.schedule(Moment::at(wait(&mut rng)), rank(event), event);
    }
    let mut events = 0;
    loop {
        // The engine compares the next event with the clocks.
        let next = agenda.next();
        if !next.before(Moment::NEVER) || next.time > end {
            break;
        }
        let Some((_, event)) = agenda.take_first() else { break };
        let event = event.happen(&mut tally);
        agenda.schedule(next.after(wait(&mut rng)), rank(event), event);
        agenda.settle();
        events += 1;
    }
    tally.run(events)
}

/// An entry of the heap. The earliest is the greatest, and of equal ones the one that was scheduled first.
struct Pending {
    time: f64,
    order: u64,
    event: Event,
}

impl Ord for Pending {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // Times are not negative: their bits are in the order of the times.
        (other.time.to_bits(), other.order).cmp(&(self.time.to_bits(), self.order))
    }
}

impl PartialOrd for Pending {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pending {}

fn heap(n: u32, end: f64, seed: u64, wait: impl Fn(&mut Generator) -> f64) -> Run {
    let mut rng = generator(seed);
    let mut heap = BinaryHeap::new();
    let mut tally = Tally::default();
    let mut order = 0;
    let mut pending = |time, event| {
        order += 1;
        Pending { time, order, event }
    };
    for who in 0..n {
        heap.push(pending(wait(&mut rng), Event::new(who)));
    }
    let mut events = 0;
    while let Some(Pending { time: now, event, .. }) = heap.pop() {
        if now > end {
            break;
        }
        let event = event.happen(&mut tally);
        heap.push(pending(now + wait(&mut rng), event));
        events += 1;
    }
    tally.run(events)
}

/// Three models under a law of the waiting times.
macro_rules! models {
    ($one:ident, $two:ident, $family:ident, $($wait:tt)*) => {
        simulation! {
            /// One event, whose argument says who it is.
            pub model $one {
                param n: u32;
                tally events: u64 = 0;
                tally sum: u64 = 0;
                event again(who: u32) => {
                    events += 1;
                    sum += u64::from(who);
                    again.after($($wait)*, who);
                }
                init { for who in 0..n { again.after($($wait)*, who); } }
            }
        }

        simulation! {
            /// The same with two events that take turns.
            pub model $two {
                param n: u32;
                tally events: u64 = 0;
                tally pings: u64 = 0;
                tally pongs: u64 = 0;
                event ping(who: u32) => {
                    events += 1;
                    pings += u64::from(who);
                    pong.after($($wait)*, who);
                }
                event pong(who: u32) => {
                    events += 1;
                    pongs += u64::from(who);
                    ping.after($($wait)*, who);
                }
                init {
                    for who in 0..n {
                        if who.is_multiple_of(2) {
                            ping.after($($wait)*, who);
                        } else {
                            pong.after($($wait)*, who);
                        }
                    }
                }
            }
        }

        simulation! {
            /// An event for everybody, with a count of his own.
            pub model $family {
                param n: u32;
                index who = 0..n as usize;
                tally events: u64 = 0;
                state count[k in who]: u64 = 0;
                event again[k in who]() => {
                    events += 1;
                    count[k] += 1;
                    again[k].after($($wait)*);
                }
                init { for k in who { again[k].after($($wait)*); } }
            }
        }

        runs! {
            $one: |sim| sim.tallies().sum;
            $two: |sim| sim.tallies().pings + sim.tallies().pongs;
            $family: |sim| (0..).zip(&sim.state().count).map(|(k, count)| k * count).sum::<u64>();
        }
    };
}

macro_rules! runs {
    ($($model:ident: |$sim:ident| $sum:expr;)*) => { $(
        impl $model {
            fn counted(n: u32, end: f64, seed: u64) -> Run {
                let mut $sim = black_box($model { n }).start(seed).expect("the model is sound");
                $sim.run_until(end).expect("the model is sound");
                let events = $sim.tallies().events;
                Run::counted(events, $sum as f64 / events as f64)
            }
        }
    )* };
}

models!(OneReal, TwoReal, FamilyReal, rng.sample(Exp1));
models!(OneWhole, TwoWhole, FamilyWhole, f64::from(1 + rng.random_range(0..10_u32)));

macro_rules! hold {
    ($title:literal, $n:literal, $wait:ident, $mean:ident, $one:ident, $two:ident, $family:ident) => {
        Contest {
            title: $title,
            last: "who came, in the mean",
            contenders: &[
                Contender::new("std heap and enum", |seed| heap($n, end($n, $mean), seed, $wait)),
                Contender::new("agenda", |seed| agenda($n, end($n, $mean), seed, $wait, argument)),
                Contender::new("agenda, as a family", |seed| agenda($n, end($n, $mean), seed, $wait, family)),
                Contender::new("model, one event", |seed| $one::counted($n, end($n, $mean), seed)),
                Contender::new("model, two events", |seed| $two::counted($n, end($n, $mean), seed)),
                Contender::new("model, a family", |seed| $family::counted($n, end($n, $mean), seed)),
            ],
            baselines: &["std heap and enum"],
            runs: 1,
        }
    };
    ($title:literal, $n:literal, real) => {
        hold!($title, $n, real, REAL, OneReal, TwoReal, FamilyReal)
    };
    ($title:literal, $n:literal, whole) => {
        hold!($title, $n, whole, WHOLE, OneWhole, TwoWhole, FamilyWhole)
    };
}

const CONTESTS: &[Contest] = &[
    hold!("Hold, 10 pending", 10, real),
    hold!("Hold, 1,000 pending", 1_000, real),
    hold!("Hold, 100,000 pending", 100_000, real),
    hold!("Hold, 1,000 pending at ten times", 1_000, whole),
    hold!("Hold, 100,000 pending at ten times", 100_000, whole),
];

/// Events a second of the hold model, beside a loop written by hand.
#[derive(Parser)]
struct Options {
    /// A few rounds only: a look, not a measurement.
    #[arg(long)]
    quick: bool,
    /// How many rounds.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Only the tables whose title contains this.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    let rounds = if options.quick { 4 } else { options.rounds };
    for contest in CONTESTS.iter().filter(|contest| contest.title.contains(&options.only)) {
        println!("{}", contest.hold(rounds)?);
    }
    Ok(())
}
