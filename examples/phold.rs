//! PHOLD, the benchmark of discrete-event engines.
//!
//! A fixed number of events hop from place to place: each, when it happens, schedules one at a place that is
//! drawn at random, after a least delay (the lookahead that parallel engines live on) and an exponential time.
//! Fujimoto, Proceedings of the SCS Multiconference on Distributed Simulation (1990) 23. Nothing is computed,
//! so what is measured is the engine: a draw, the schedule and the dispatch.
//!
//! What should come out is known. The hops of each event are a renewal process, and the places that are visited
//! are independent and uniform.
//!
//! `cargo run --release --example phold`

use std::time::Instant;

use clockrace::rand_distr::Exp;
use clockrace::record::{Grid, Sample};
use clockrace::simulation;
use clockrace_examples::{COMPARED, Failure, compared};

simulation! {
    model Phold {
        param places: usize;
        /// Events at each place in the beginning.
        param population: usize;
        param lookahead: f64;
        /// Mean of what comes on top of it.
        param delay: f64;

        index place = 0..places;
        state visits[k in place]: u64 = 0;
        state hops: u64 = 0;

        event hop[k in place]() => {
            visits[k] += 1;
            hops += 1;
            let next = rng.random_range(0..places);
            hop[next].after(lookahead + rng.sample(Exp::new(1.0 / delay)?));
        }
        init {
            for k in place {
                for _ in 0..population {
                    hop[k].after(lookahead + rng.sample(Exp::new(1.0 / delay)?));
                }
            }
        }

        observe hops = hops;
        invariant closed: hop.len() == places * population;
    }
}

/// Parts of a run that are counted on their own.
const BATCHES: usize = 40;

fn main() -> Result<(), Failure> {
    let events = 4_000_000.0;
    let (places, lookahead, delay) = (1_024, 0.1, 0.9);
    println!("PHOLD with {places} places, a lookahead of {lookahead} and a mean delay of {delay} beyond it\n");
    println!("{:>8}  {:>10}  {COMPARED}   {:>10}", "pending", "events/s", "visits, χ²");
    for (seed, population) in (1..).zip([1, 16, 128]) {
        let pending = (places * population) as f64;
        let mean = lookahead + delay;
        let end = events * mean / pending;
        let batch = end / BATCHES as f64;
        let mut sim = Phold { places, population, lookahead, delay }.start(seed)?;
        let mut counts = Grid::every(batch)?;

        let begin = Instant::now();
        sim.run_with(&mut counts, end)?;
        let seconds = begin.elapsed().as_secs_f64();

        // Hops of an event in a unit of time. The first batches have not forgotten the beginning yet.
        let values = counts.values("hops").ok_or("no such output")?;
        let found: Sample = values[4..].windows(2).map(|ends| (ends[1] - ends[0]) / batch / pending).collect();
        let state = sim.state();
        let expected = state.hops as f64 / places as f64;
        let chi: f64 = state.visits.iter().map(|&visits| (visits as f64 - expected).powi(2) / expected).sum();
        println!(
            "{pending:>8}  {:>10.3e}  {}   {:>10.1}",
            state.hops as f64 / seconds,
            compared(1.0 / mean, &found, 5),
            chi
        );
    }
    // 1,023 degrees of freedom: mean 1,023, standard deviation √2,046.
    println!("\nThe visits are uniform: χ² is within 1023 ± 136, three standard deviations");
    Ok(())
}
