//! Sequences in time: M/M/1 by activities, by events and by clocks, beside loops written by hand and a peer; and what a
//! write costs that many wait for.

mod by_hand;
mod models;
mod peer;
mod waiters;

use clap::Parser;
use clockrace_bench::{Contender, Contest};

/// Arrivals in a unit of time.
const LAMBDA: f64 = 0.9;
/// Services in a unit of time.
const MU: f64 = 1.0;
/// End of an M/M/1 run: about 540,000 arrivals and services.
const END: f64 = 300_000.0;

const CONTESTS: &[Contest] = &[
    Contest {
        title: "M/M/1",
        last: "customers in the end",
        contenders: &[
            Contender::new("std heap and enum", by_hand::mm1),
            Contender::new("clocks, `rate`", models::Rates::counted),
            Contender::new("clocks, `after`", models::Times::counted),
            Contender::new("events", models::Events::counted),
            Contender::new("activities, a server", models::Server::counted),
            Contender::new("activities, customers", models::Customers::counted),
            Contender::new("activities, customers in line", models::Line::counted),
            Contender::new("odem-rs, a server", peer::server),
            Contender::new("odem-rs, customers", peer::customers),
        ],
        baselines: &["std heap and enum", "odem-rs, a server", "odem-rs, customers"],
        runs: 2,
    },
    waiters::VAIN,
    waiters::WAKING,
    waiters::SCAN,
];

/// Events a second of sequences in time.
#[derive(Parser)]
struct Options {
    /// A few rounds only: a look, not a measurement.
    #[arg(long)]
    quick: bool,
    /// How many rounds.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Only the tables whose title contains this.
    #[arg(long, default_value = "")]
    only: String,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    let rounds = if options.quick { 8 } else { options.rounds };
    for contest in CONTESTS.iter().filter(|contest| contest.title.contains(&options.only)) {
        println!("{}", contest.hold(rounds)?);
    }
    Ok(())
}
