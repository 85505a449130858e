//! The hold model: n events are pending, and each, when it happens, schedules itself anew.
//!
//! By the agenda of the engine, and by hand with the heap of the standard library.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hint::black_box;

use clap::Parser;
use clockrace::agenda::Agenda;
use clockrace::moment::Moment;
use clockrace_bench::draws::{Generator, below, exponential, generator};
use clockrace_bench::{Contender, Contest, Run};

/// Events of a run.
const EVENTS: u64 = 2_000_000;

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

fn agenda(n: u32, seed: u64, wait: impl Fn(&mut Generator) -> f64, rank: impl Fn(Event) -> Rank) -> Run {
    let mut rng = generator(seed);
    let mut agenda = Agenda::new();
    let mut tally = Tally::default();
    for who in 0..n {
        let event = Event::new(who);
        agenda.schedule(Moment::at(wait(&mut rng)), rank(event), event);
    }
    let mut now = Moment::at(0.0);
    for _ in 0..EVENTS {
        // The engine compares the next event with the clocks.
        let next = agenda.next();
        if !next.before(Moment::NEVER) {
            break;
        }
        now = next;
        let Some((_, event)) = agenda.take_first() else { break };
        let event = event.happen(&mut tally);
        agenda.schedule(now.after(wait(&mut rng)), rank(event), event);
        agenda.settle();
    }
    black_box(&tally);
    Run::counted(EVENTS, now.time)
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

fn heap(n: u32, seed: u64, wait: impl Fn(&mut Generator) -> f64) -> Run {
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
    let mut now = 0.0;
    for _ in 0..EVENTS {
        let Some(first) = heap.pop() else { break };
        now = first.time;
        let event = first.event.happen(&mut tally);
        heap.push(pending(now + wait(&mut rng), event));
    }
    black_box(&tally);
    Run::counted(EVENTS, now)
}

macro_rules! hold {
    ($title:literal, $n:literal, $wait:ident) => {
        Contest {
            title: $title,
            last: "time in the end",
            contenders: &[
                Contender::new("std heap and enum", |seed| heap($n, seed, $wait)),
                Contender::new("agenda", |seed| agenda($n, seed, $wait, argument)),
                Contender::new("agenda, as a family", |seed| agenda($n, seed, $wait, family)),
            ],
            baselines: &["std heap and enum"],
            runs: 1,
        }
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
