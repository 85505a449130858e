//! Events a second of models whose state moves between events, beside loops written by hand.

mod by_hand;
mod effective;
mod models;

use clap::Parser;
use clockrace_bench::{Contender, Contest};

/// Precision of a pixel by itself; each neighbour adds one.
const TETHER: f64 = 0.1;

macro_rules! grid {
    ($title:literal, $n:literal, $end:literal) => {
        Contest {
            title: $title,
            last: "mean square",
            contenders: &[
                Contender::new("by hand", |seed| by_hand::grid($n, $end, seed)),
                Contender::new("model", |seed| models::Grid::counted($n, $end, seed)),
            ],
            baselines: &["by hand"],
            runs: 1,
        }
    };
}

macro_rules! walls {
    ($title:literal, $n:literal, $end:literal) => {
        Contest {
            title: $title,
            last: "mean square",
            contenders: &[
                Contender::new("by hand", |seed| by_hand::walls($n, $end, seed)),
                Contender::new("model", |seed| models::Walls::counted($n, $end, seed)),
                Contender::new("model, crossings", |seed| models::Crossings::counted($n, $end, seed)),
            ],
            baselines: &["by hand"],
            runs: 1,
        }
    };
}

const CONTESTS: &[Contest] = &[
    grid!("Zig-Zag on 100 × 100 pixels", 100, 40.0),
    grid!("Zig-Zag on 300 × 300 pixels", 300, 20.0),
    grid!("Zig-Zag on 1,000 × 1,000 pixels", 1_000, 6.0),
    walls!("1,000 particles between walls", 1_000, 500.0),
];

/// Events a second of models whose state moves between events, beside loops written by hand.
#[derive(Parser)]
struct Options {
    /// A few rounds only: a look, not a measurement.
    #[arg(long)]
    quick: bool,
    /// How many rounds.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Only the tables whose title contains this.
    #[arg(long, default_value = "")]
    only: String,
    /// Effective samples a second of the Zig-Zag process on several laws, instead of events a second.
    #[arg(long)]
    effective: bool,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    if options.effective {
        let rounds = if options.quick { 1 } else { options.rounds };
        print!("{}", effective::table(&options.only, rounds)?);
        return Ok(());
    }
    let rounds = if options.quick { 4 } else { options.rounds };
    for contest in CONTESTS.iter().filter(|contest| contest.title.contains(&options.only)) {
        println!("{}", contest.hold(rounds)?);
    }
    Ok(())
}
