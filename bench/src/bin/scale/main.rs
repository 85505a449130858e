//! Events a second of models with many clocks of a kind, and what they cost to set up.
//!
//! As loops written by hand, and by a peer.

mod by_hand;
mod models;
mod peer;
mod set_up;

use by_hand::{diffusion, queues, ring, spread};
use clap::Parser;
use clockrace_bench::{Contender, Contest};
use set_up::Subject;

/// Molecules of each species in the beginning.
const AMOUNT: u32 = 10;
/// Sites of the row.
const SITES: usize = 256;
/// Rate at which a molecule hops to a neighbouring site.
const HOP: f64 = 65_536.0;
/// Customers at each station of the ring of queues in the beginning.
const CUSTOMERS: u32 = 2;
/// People among whom an infection spreads.
const PEOPLE: usize = 100_000;
/// From how many others each of them can catch it.
const NEIGHBOURS: usize = 8;

/// The contenders in a ring of species, and what the others are compared with.
macro_rules! ring {
    ($title:literal, $n:literal, $end:literal) => {
        Contest {
            title: $title,
            last: "mean square",
            contenders: &[
                Contender::new("groups", |seed| ring::groups($n, $end, seed)),
                Contender::new("groups of whole numbers", |seed| ring::whole_groups($n, $end, seed)),
                Contender::new("sums", |seed| ring::sums($n, $end, seed)),
                Contender::new("sums of whole numbers", |seed| ring::whole_sums($n, $end, seed)),
                Contender::new("family, direct", |seed| models::Ring::counted($n, $end, seed)),
                Contender::new("family, next reaction", |seed| models::RingNext::counted($n, $end, seed)),
            ],
            baselines: &["groups", "groups of whole numbers"],
            runs: 1,
        }
    };
}

macro_rules! queues {
    ($title:literal, $n:literal, $end:literal) => {
        Contest {
            title: $title,
            last: "idle in the end",
            contenders: &[
                Contender::new("pairs", |seed| queues::pairs($n, $end, seed)),
                Contender::new("blocks", |seed| queues::blocks($n, $end, seed)),
                Contender::new("std heap and enum", |seed| queues::heap($n, $end, seed)),
                Contender::new("family", |seed| models::Queues::counted($n, $end, seed)),
            ],
            baselines: &["pairs", "blocks"],
            runs: 1,
        }
    };
}

macro_rules! ring_beside_rebop {
    ($title:literal, $n:literal, $end:literal) => {
        Contest {
            title: $title,
            last: "mean square",
            contenders: &[
                Contender::new("groups", |seed| ring::groups($n, $end, seed)),
                Contender::with_twin(
                    "rebop at run time",
                    |seed| peer::ring($n, $end, seed),
                    |seed| peer::ring_counted($n, $end, seed),
                ),
            ],
            baselines: &["rebop at run time"],
            runs: 1,
        }
    };
}

const CONTESTS: &[Contest] = &[
    ring!("Ring of 1,000", 1_000, 200.0),
    ring!("Ring of 10,000", 10_000, 20.0),
    ring!("Ring of 100,000", 100_000, 4.0),
    ring!("Ring of 1,000,000", 1_000_000, 1.0),
    Contest {
        title: "Diffusion over 256 sites",
        last: "mean square",
        contenders: &[
            Contender::new("groups", |seed| diffusion::groups(0.01, seed)),
            Contender::new("groups of whole numbers", |seed| diffusion::whole_groups(0.01, seed)),
            Contender::new("sums", |seed| diffusion::sums(0.01, seed)),
            Contender::new("families, direct", |seed| models::Diffusion::counted(0.01, seed)),
            Contender::new("families, next reaction", |seed| models::DiffusionNext::counted(0.01, seed)),
        ],
        baselines: &["groups", "groups of whole numbers"],
        runs: 1,
    },
    Contest {
        title: "Spread among 100,000 with 8 neighbours",
        last: "ill in the end",
        contenders: &[
            Contender::new("groups", |seed| spread::groups(20.0, seed)),
            Contender::new("groups, neighbours counted", |seed| spread::counting_groups(20.0, seed)),
            Contender::new("family", |seed| models::Spread::counted(20.0, seed)),
        ],
        baselines: &["groups", "groups, neighbours counted"],
        runs: 1,
    },
    queues!("Queues in a ring of 100", 100, 15_000.0),
    queues!("Queues in a ring of 1,000", 1_000, 1_500.0),
    queues!("Queues in a ring of 100,000", 100_000, 30.0),
    ring_beside_rebop!("Ring of 1,000, beside rebop", 1_000, 20.0),
    ring_beside_rebop!("Ring of 10,000, beside rebop", 10_000, 1.0),
    Contest {
        title: "Diffusion over 256 sites, beside rebop",
        last: "mean square",
        contenders: &[
            Contender::new("groups", |seed| diffusion::groups(0.001, seed)),
            Contender::with_twin(
                "rebop at run time",
                |seed| peer::diffusion(0.001, seed),
                |seed| peer::diffusion_counted(0.001, seed),
            ),
        ],
        baselines: &["rebop at run time"],
        runs: 1,
    },
];

const SUBJECTS: &[Subject] = &[
    Subject { name: "ring, groups", clocks: 1_000, prepare: || {}, build: ring::set_up },
    Subject { name: "ring, groups", clocks: 10_000, prepare: || {}, build: ring::set_up },
    Subject { name: "ring, groups", clocks: 100_000, prepare: || {}, build: ring::set_up },
    Subject { name: "ring, groups", clocks: 1_000_000, prepare: || {}, build: ring::set_up },
    Subject { name: "spread, groups", clocks: 1_000_000, prepare: spread::prepare, build: spread::set_up },
    Subject { name: "ring, family", clocks: 1_000, prepare: || {}, build: models::set_up_ring },
    Subject { name: "ring, family", clocks: 1_000_000, prepare: || {}, build: models::set_up_ring },
    Subject { name: "spread, family", clocks: 1_000_000, prepare: spread::prepare, build: models::set_up_spread },
];

/// Events a second of models with many clocks of a kind, beside loops written by hand and a peer.
#[derive(Parser)]
struct Options {
    /// A few rounds only: a look, not a measurement.
    #[arg(long)]
    quick: bool,
    /// How many rounds.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    rounds: u64,
    /// Only the tables whose title contains this; with `--set-up`, only the rows.
    #[arg(long, default_value = "")]
    only: String,
    /// Time and memory of setting models up, instead of events a second.
    #[arg(long)]
    set_up: bool,
    /// What a process of its own does for a row of `--set-up`.
    #[arg(long, hide = true, requires = "clocks")]
    measure: Option<String>,
    #[arg(long, hide = true)]
    clocks: Option<usize>,
}

fn main() -> Result<(), String> {
    let options = Options::parse();
    if let (Some(name), Some(clocks)) = (&options.measure, options.clocks) {
        return set_up::measure(SUBJECTS, name, clocks);
    }
    if options.set_up {
        println!("{}", set_up::table(SUBJECTS, &options.only)?);
        return Ok(());
    }
    let rounds = if options.quick { 4 } else { options.rounds };
    for contest in CONTESTS.iter().filter(|contest| contest.title.contains(&options.only)) {
        println!("{}", contest.hold(rounds)?);
    }
    Ok(())
}
