//! Live runs: what an event costs in one without traffic, and how many events a second come in from other threads.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

use clap::Parser;
use clockrace::live::{Idle, Late, Live, Overflow, Source};
use clockrace::rand_distr::Exp;
use clockrace::simulation;
use clockrace_bench::{Contender, Contest, Run, median};

/// End of an M/M/1 run: about 540,000 arrivals and services.
const END: f64 = 300_000.0;
/// Events that come in.
const EVENTS: u64 = 1_000_000;

simulation! {
    pub model Rates {
        param lambda: f64 = 0.9;
        param mu: f64 = 1.0;
        state n: u64 = 0;
        tally events: u64 = 0;
        clock arrival: rate(lambda) => { n += 1; events += 1; }
        clock service if n > 0: rate(mu) => { n -= 1; events += 1; }
    }
}

simulation! {
    pub model Times {
        param lambda: f64 = 0.9;
        param mu: f64 = 1.0;
        state n: u64 = 0;
        tally events: u64 = 0;
        clock arrival: after(rng.sample(Exp::new(lambda)?)) => { n += 1; events += 1; }
        clock service if n > 0: after(rng.sample(Exp::new(mu)?)) => { n -= 1; events += 1; }
    }
}

simulation! {
    /// What comes in is counted.
    pub model Counter {
        state count: u64 = 0;
        state sum: u64 = 0;
        event came(who: u64) => { count += 1; sum += who; }
    }
}

macro_rules! runs {
    ($($model:ident)*) => { $(
        impl $model {
            fn plain(seed: u64) -> Run {
                let mut sim = black_box($model::default()).start(seed).expect("the model is sound");
                sim.run_until(END).expect("the model is sound");
                Run::counted(sim.tallies().events, sim.state().n as f64)
            }

            fn live(seed: u64) -> Run {
                let sim = black_box($model::default()).start(seed).expect("the model is sound");
                let sim = Live::new(sim).run_until(END).simulation;
                Run::counted(sim.tallies().events, sim.state().n as f64)
            }

            fn watched(seed: u64) -> Run {
                let sim = black_box($model::default()).start(seed).expect("the model is sound");
                let live = Live::new(sim);
                let seen = live.watcher().overflow(Overflow::DropOldest).all();
                let sim = live.run_until(END).simulation;
                drop(seen);
                Run::counted(sim.tallies().events, sim.state().n as f64)
            }
        }
    )* };
}

runs!(Rates Times);

const CONTESTS: &[Contest] = &[
    Contest {
        title: "M/M/1 by `rate`",
        last: "customers in the end",
        contenders: &[
            Contender::new("run_until", Rates::plain),
            Contender::new("live", Rates::live),
            Contender::new("live, a subscription to all", Rates::watched),
        ],
        baselines: &["run_until"],
        runs: 2,
    },
    Contest {
        title: "M/M/1 by `after`",
        last: "customers in the end",
        contenders: &[
            Contender::new("run_until", Times::plain),
            Contender::new("live", Times::live),
            Contender::new("live, a subscription to all", Times::watched),
        ],
        baselines: &["run_until"],
        runs: 2,
    },
];

/// When event `k` happens.
fn time(k: u64) -> f64 {
    0.5 * k as f64
}

/// All events are scheduled one by one, each before it happens, without threads.
fn scheduled() -> u64 {
    let mut sim = Counter {}.start(1).expect("the model is sound");
    for k in 0..EVENTS {
        sim.schedule(time(k), CounterMessage::Came(k)).expect("the times are in order");
        sim.run_until(time(k)).expect("the model is sound");
    }
    sim.state().count
}

/// They come from an iterator, without threads.
fn sourced() -> u64 {
    let mut sim = Counter {}.start(1).expect("the model is sound");
    let mut source = Source::new((0..EVENTS).map(|k| (time(k), CounterMessage::Came(k))));
    sim.run_with_source(&mut source, &mut (), f64::INFINITY).expect("the times are in order");
    sim.state().count
}

/// They come from `producers` threads.
fn injected(producers: u64, late: Late) -> u64 {
    let live = Live::new(Counter {}.start(1).expect("the model is sound")).late(late).idle(Idle::Wait);
    thread::scope(|scope| {
        for _ in 0..producers {
            let injector = live.injector();
            scope.spawn(move || {
                for k in 0..EVENTS / producers {
                    // What the other thread has made late is refused, or moved.
                    _ = injector.send(time(k), CounterMessage::Came(k));
                }
            });
        }
        let ended = live.run();
        ended.outcome.expect("the model is sound");
        ended.counts.injected + ended.counts.late_refused
    })
}

/// A way in: its name, and how it is used.
type Way = (&'static str, fn() -> u64);

const WAYS: &[Way] = &[
    ("schedule, no threads", scheduled),
    ("source, no threads", sourced),
    ("1 thread, late ones moved", || injected(1, Late::MoveToNow)),
    ("2 threads, late ones moved", || injected(2, Late::MoveToNow)),
    ("1 thread, late ones refused", || injected(1, Late::Refuse)),
    ("2 threads, late ones refused", || injected(2, Late::Refuse)),
];

/// Live runs: the cost of an event, and events that come in.
#[derive(Parser)]
struct Options {
    /// A few rounds only: a look, not a measurement.
    #[arg(long)]
    quick: bool,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    let rounds = if options.quick { 8 } else { 40 };
    for contest in CONTESTS {
        println!("{}", contest.hold(rounds)?);
    }
    let mut speeds = vec![Vec::new(); WAYS.len()];
    for round in 0..rounds as usize {
        for way in 0..WAYS.len() {
            let way = (way + round) % WAYS.len();
            let start = Instant::now();
            let events = black_box(WAYS[way].1)();
            speeds[way].push(events as f64 / start.elapsed().as_secs_f64());
        }
    }
    // By the wall clock: other work on the machine counts.
    println!("### Events that come in\n\n| | million events/s |\n|---|---:|");
    for ((name, _), speeds) in WAYS.iter().zip(speeds) {
        println!("| {name} | {:.1} |", median(speeds) / 1e6);
    }
    Ok(())
}
