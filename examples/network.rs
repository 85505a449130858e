//! A reaction network read from a file, in BioNetGen's `.net` form.
//!
//! The model holds any network of mass action, whatever its size: a family of clocks for the
//! reactions, and relations that say which species each takes and changes. What must be refreshed
//! after a reaction follows from the relations, and tens of thousands of reactions start in
//! milliseconds.
//!
//! `cargo run --release --example network [FOLDER [FILE END]]` runs the network in `FILE` until the
//! time `END`, in the unit of the file; without a file, a gene that its own dimers repress, for five
//! hours.

use std::path::Path;
use std::time::Instant;

use clockrace::record::Grid;
use clockrace::simulation;
use clockrace_examples::bionetgen::{Group, Network};
use clockrace_examples::{Failure, Figure, argument, output_folder};

simulation! {
    /// Molecules react by mass action. Time is in the units of the network.
    model MassAction {
        param network: Network;

        index species = 0..network.species.len();
        index reaction = 0..network.reactions.len();
        index group = 0..network.groups.len();
        /// What a reaction takes, molecule by molecule, and how many of the same it has taken before.
        relation reactant(r in reaction) -> (species, i64) = numbered(&network.reactions[r].reactants);
        relation change(r in reaction) -> (species, i64) = network.net_change(&network.reactions[r]);
        relation term(g in group) -> (species, f64) = network.groups[g].terms.iter().copied();

        state amount[s in species]: i64 = network.species[s].initial as i64;
        tally events: u64 = 0;

        // The rate is for ordered choices: two of one species are n (n − 1).
        let choices[r in reaction] = reactant(r).map(|(s, before)| (amount[s] - before) as f64).product::<f64>();
        // In large networks a reaction changes hundreds of rates, which costs least in a tree of sums.
        #[select(tree)]
        clock fire[r in reaction]: rate(network.reactions[r].rate * choices[r]) => {
            events += 1;
            for (s, by) in change(r) {
                amount[s] += by;
            }
        }

        observe observable[g in group] = term(g).map(|(s, weight)| weight * amount[s] as f64).sum::<f64>();
    }
}

/// Each molecule, and how many of the same species come before it.
fn numbered(molecules: &[usize]) -> impl Iterator<Item = (usize, i64)> {
    let before = |i: usize| molecules[..i].iter().filter(|&&other| other == molecules[i]).count() as i64;
    molecules.iter().enumerate().map(move |(i, &species)| (species, before(i)))
}

/// For a network without observables: the species of which there are most at the start.
fn most_abundant(network: &Network) -> Vec<Group> {
    let mut species: Vec<usize> = (0..network.species.len()).collect();
    species.sort_by_key(|&s| std::cmp::Reverse(network.species[s].initial));
    let group = |s: usize| Group { name: network.species[s].name.clone(), terms: vec![(s, 1.0)] };
    species.into_iter().take(CURVES).map(group).collect()
}

/// A gene that its own dimers repress, in seconds.
const EXAMPLE: &str = include_str!("data/dimerisation.net");
/// Points in time at which the picture shows the observables.
const POINTS: u32 = 300;
/// Observables in the picture.
const CURVES: usize = 5;

/// Since then.
fn milliseconds(begun: Instant) -> f64 {
    1e3 * begun.elapsed().as_secs_f64()
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let file: String = argument(2, String::new())?;
    let end: f64 = argument(3, 5.0 * 3600.0)?;

    let begun = Instant::now();
    let mut network = if file.is_empty() { EXAMPLE.parse()? } else { Network::load(&file)? };
    if network.groups.is_empty() {
        network.groups = most_abundant(&network);
    }
    let observables: Vec<String> = network.groups.iter().map(|group| group.name.clone()).collect();
    let name = Path::new(&file).file_stem().map_or("dimerisation".into(), |name| name.to_string_lossy());
    println!("{name}: {} species, {} reactions", network.species.len(), network.reactions.len());
    println!("read in   {:>9.2} ms", milliseconds(begun));

    let begun = Instant::now();
    let mut sim = MassAction { network }.start(1)?;
    println!("set up in {:>9.2} ms", milliseconds(begun));

    let mut grid = Grid::at((0..=POINTS).map(|point| end * f64::from(point) / f64::from(POINTS)))?;
    let begun = Instant::now();
    sim.run_with(&mut grid, end)?;
    let time = milliseconds(begun);
    let events = sim.tallies().events;
    let speed = 1e-3 * events as f64 / time;
    println!("run in    {time:>9.2} ms: {events} events until time {end}, {speed:.3} million a second");

    println!("\n{:<24} {:>10} {:>10}", "observable", "start", "end");
    let unit = if file.is_empty() { "time, s" } else { "time, in the unit of the file" };
    let mut figure = Figure::new(&name, unit, "molecules");
    for (g, observable) in observables.iter().enumerate() {
        let values = grid.values(&format!("observable[{g}]")).ok_or("no such output")?;
        println!("{observable:<24} {:>10} {:>10}", values[0], values[values.len() - 1]);
        if g < CURVES {
            figure = figure.colour(g).line(observable, grid.times().iter().copied().zip(values));
        }
    }
    let picture = folder.join("network.svg");
    figure.save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
