//! What a write costs that others wait for.

use std::hint::black_box;

use clockrace::simulation;
use clockrace_bench::{Contender, Contest, Run};

/// Writes of a run.
const WRITES: u32 = 1_000_000;
/// The same where each costs much.
const FEW_WRITES: u32 = 2_000;

/// A clock that writes, once in a unit of time, and those who wait. The written value is one that the compiler cannot
/// know.
macro_rules! models {
    ($($(#[$doc:meta])* $model:ident: $write:expr; { $($items:tt)* })*) => { $(
        simulation! {
            $(#[$doc])*
            pub model $model {
                param n: u32;
                state level: u32 = 0;
                state woken: u32 = 0;
                tally writes: u64 = 0;
                clock write: every(1.0) => { writes += 1; level = $write; }
                $($items)*
            }
        }

        impl $model {
            fn run(n: u32, writes: u32, seed: u64) -> Run {
                let mut sim = black_box($model { n }).start(seed).expect("the model is sound");
                sim.run_until(f64::from(writes)).expect("the model is sound");
                Run::counted(sim.tallies().writes, f64::from(sim.state().woken))
            }
        }
    )* };
}

models! {
    /// Nobody ever waits.
    Nobody: black_box(0); {}

    /// A clock has the condition for its guard.
    Guard: black_box(0); {
        clock woke if level > 0: rate(1.0) => { woken += 1; }
    }

    /// All wait for one condition that never holds.
    Shared: black_box(0); {
        activity waiter() { wait_for(level > 0); woken += 1; }
        init { for _ in 0..n { waiter.start(); } }
    }

    /// The same in a line.
    InLine: black_box(0); {
        line queue;
        activity waiter() { wait_for(level > 0, line = queue); woken += 1; }
        init { for _ in 0..n { waiter.start(); } }
    }

    /// Each waits for a level of its own, which is never reached.
    OfItsOwn: black_box(0); {
        activity waiter(least: u32) { wait_for(level > least); woken += 1; }
        init { for k in 0..n { waiter.start(k); } }
    }

    /// Each write wakes the one who has waited longest, who then waits again.
    Woken: black_box(1); {
        activity waiter() { loop { wait_for(level > 0); level -= 1; woken += 1; } }
        init { for _ in 0..n { waiter.start(); } }
    }

    /// The same in a line.
    WokenInLine: black_box(1); {
        line queue;
        activity waiter() { loop { wait_for(level > 0, line = queue); level -= 1; woken += 1; } }
        init { for _ in 0..n { waiter.start(); } }
    }
}

const LAST: &str = "turns";

pub const VAIN: Contest = Contest {
    title: "A write that wakes nobody",
    last: LAST,
    contenders: &[
        Contender::new("nothing reads it", |seed| Nobody::run(0, WRITES, seed)),
        Contender::new("a guard reads it", |seed| Guard::run(0, WRITES, seed)),
        Contender::new("1 waits", |seed| Shared::run(1, WRITES, seed)),
        Contender::new("10,000 wait", |seed| Shared::run(10_000, WRITES, seed)),
        Contender::new("10,000 wait in line", |seed| InLine::run(10_000, WRITES, seed)),
    ],
    baselines: &["nothing reads it", "a guard reads it"],
    runs: 2,
};

pub const WAKING: Contest = Contest {
    title: "A write that wakes one, who waits again",
    last: LAST,
    contenders: &[
        Contender::new("1 waits", |seed| Woken::run(1, WRITES, seed)),
        Contender::new("10,000 wait", |seed| Woken::run(10_000, WRITES, seed)),
        Contender::new("10,000 wait in line", |seed| WokenInLine::run(10_000, WRITES, seed)),
    ],
    baselines: &["1 waits"],
    runs: 1,
};

pub const SCAN: Contest = Contest {
    title: "A write that wakes nobody of those who wait for levels of their own",
    last: LAST,
    contenders: &[
        Contender::new("100 wait", |seed| OfItsOwn::run(100, FEW_WRITES, seed)),
        Contender::new("10,000 wait", |seed| OfItsOwn::run(10_000, FEW_WRITES, seed)),
    ],
    baselines: &[],
    runs: 1,
};
