//! Events a second of small models: SIR, the Vilar oscillator, M/M/1.
//!
//! As `simulation!` blocks, as loops written by hand, and by a peer's macro.

mod by_hand;
mod models;
mod peer;

use clap::Parser;
use clockrace_bench::{Contender, Contest};

/// End of an SIR run, well past extinction.
const SIR_END: f64 = 1000.0;
/// End of a Vilar run: about 557,000 events.
const VILAR_END: f64 = 200.0;
/// End of an M/M/1 run: about 540,000 arrivals and services.
const MM1_END: f64 = 300_000.0;

const CONTESTS: &[Contest] = &[
    Contest {
        title: "SIR",
        last: "recovered in the end",
        contenders: &[
            Contender::new("plain loop", by_hand::sir::plain),
            Contender::new("good loop", by_hand::sir::good),
            Contender::with_twin("rebop", peer::sir, peer::sir_counted),
            Contender::new("reactions, direct", models::SirReactions::counted),
            Contender::with_twin(
                "the same, nobody observes",
                models::SirReactions::uncounted,
                models::SirReactions::counted,
            ),
            Contender::new("reactions, next reaction", models::SirReactionsNext::counted),
            Contender::new("clocks, direct", models::SirClocks::counted),
            Contender::new("clocks, next reaction", models::SirClocksNext::counted),
        ],
        baselines: &["plain loop", "good loop", "rebop"],
        runs: 10,
    },
    Contest {
        title: "Vilar oscillator",
        last: "repressor in the end",
        contenders: &[
            Contender::new("plain loop", by_hand::vilar::plain),
            Contender::new("good loop", by_hand::vilar::good),
            Contender::with_twin("rebop", peer::vilar, peer::vilar_counted),
            Contender::new("reactions, direct", models::Vilar::counted),
            Contender::with_twin("the same, nobody observes", models::Vilar::uncounted, models::Vilar::counted),
            Contender::new("reactions, next reaction", models::VilarNext::counted),
        ],
        baselines: &["plain loop", "good loop", "rebop"],
        runs: 2,
    },
    Contest {
        title: "M/M/1",
        last: "customers in the end",
        contenders: &[
            Contender::new("loop over rates", by_hand::mm1::rates),
            Contender::new("loop over times", by_hand::mm1::times),
            Contender::new("std heap and enum", by_hand::mm1::heap),
            Contender::new("`rate`, direct", models::Mm1Rates::counted),
            Contender::with_twin("the same, nobody observes", models::Mm1Rates::uncounted, models::Mm1Rates::counted),
            Contender::new("`rate`, next reaction", models::Mm1RatesNext::counted),
            Contender::new("`after`", models::Mm1After::counted),
            Contender::with_twin("the same, nobody observes", models::Mm1After::uncounted, models::Mm1After::counted),
        ],
        baselines: &["loop over rates", "loop over times", "std heap and enum"],
        runs: 2,
    },
];

/// Events a second of small models, beside loops written by hand and a peer.
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
