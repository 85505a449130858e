//! Events a second of a reaction network from a file in BioNetGen's `.net` form.

mod by_hand;
mod groups;

use std::path::PathBuf;
use std::sync::OnceLock;

use by_hand::Tables;
use clap::Parser;
use clockrace_bench::{Contender, Contest};
use clockrace_examples::bionetgen::Network;

/// What is simulated, known once the arguments are.
struct Input {
    tables: Tables,
    end: f64,
}

static INPUT: OnceLock<Input> = OnceLock::new();

/// What is simulated.
fn input() -> &'static Input {
    INPUT.get().expect("read before anyone runs")
}

const CONTENDERS: &[Contender] =
    &[Contender::new("groups, exact", by_hand::exact), Contender::new("groups, bounds", by_hand::bounds)];

/// Events a second of a reaction network, by loops written by hand.
#[derive(Parser)]
struct Options {
    /// A network in BioNetGen's `.net` form.
    file: PathBuf,
    /// When a run ends.
    end: f64,
    /// How many rounds.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    let network = Network::load(&options.file).map_err(|error| error.to_string())?;
    let tables = Tables::new(&network)?;
    let name = options.file.file_name().unwrap_or(options.file.as_os_str()).display();
    let title = format!(
        "{name} until {}: {} species, {} reactions",
        options.end,
        network.species.len(),
        network.reactions.len()
    );
    INPUT.get_or_init(|| Input { tables, end: options.end });
    let contest = Contest {
        title: title.leak(),
        last: "mean square",
        contenders: CONTENDERS,
        baselines: &["groups, exact", "groups, bounds"],
        runs: 1,
    };
    println!("{}", contest.hold(options.rounds)?);
    Ok(())
}
