//! An epidemic on a network of contacts, against what is exact for large networks.
//!
//! 100,000 people are linked at random (the configuration model), each to 8 others on average: some
//! to 2, some to many. Who falls ill is infectious for a constant time, and infects each contact at a
//! constant rate. So every link transmits with the same probability T = 1 − exp(−rate · time),
//! independently of the others, and those who ever fall ill are those whom bond percolation connects
//! to the first cases: Newman, Phys. Rev. E 66 (2002) 016128. (Where infectious periods vary, the links
//! of a person are not independent: Kenah & Robins, Phys. Rev. E 76 (2007) 036113.) How many are ill at
//! each time follows from edge-based compartments: Miller, Slim & Volz, J. R. Soc. Interface 9 (2012)
//! 890. Both are exact in the limit of many people.
//!
//! The model is written twice, and both are the same process.
//!
//! - `ByContact` has a clock for each pair of contacts, in either direction. Its events say who
//!   infected whom, pairs may have rates of their own, and a refresh compares two states, however many
//!   contacts a person has. But there are 800,000 clocks.
//! - `ByPerson` has a clock for each person, whose rate counts the infectious contacts: an eighth of
//!   the clocks, but every refresh goes through a person's contacts. That is as fast here; with
//!   hundreds of contacts for each person it would not be.
//!
//! `cargo run --release --example contact [FOLDER [PEOPLE]]`

use std::time::Instant;

use clockrace::rand::seq::SliceRandom;
use clockrace::rand::{RngExt, SeedableRng};
use clockrace::rand_distr::Geometric;
use clockrace::record::{Grid, Sample};
use clockrace::{Model, Rng, SimError, simulation};
use clockrace_examples::{COMPARED, Failure, Figure, argument, compared, output_folder};

/// Infections a day along a link.
const RATE: f64 = 0.04;
/// Days for which a person is infectious.
const PERIOD: f64 = 5.0;
/// Share of the people who fall ill on day 0.
const FIRST: f64 = 0.0004;
/// Days that are drawn; by then nearly all is over.
const DAYS: usize = 60;
/// Networks; each has one run of either model.
const NETWORKS: u64 = 10;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Health {
    Susceptible,
    Infectious,
    Recovered,
}
use Health::{Infectious, Recovered, Susceptible};

simulation! {
    /// One clock for each pair of contacts. Time is in days.
    model ByContact {
        /// The contacts of each person.
        param network: Vec<Vec<usize>>;
        /// Persons who fall ill at the start.
        param first: usize;

        index person = 0..network.len();
        relation contact(i in person) -> person = network[i].iter();

        state health[i in person]: Health = if i < first { Infectious } else { Susceptible };
        state infectious: usize = first;
        state cases: usize = first;

        clock infection[(i, j) in contact] if health[i] == Infectious && health[j] == Susceptible: rate(RATE) => {
            health[j] = Infectious;
            infectious += 1;
            cases += 1;
        }
        clock recovery[i in person] if health[i] == Infectious: after(PERIOD) => {
            health[i] = Recovered;
            infectious -= 1;
        }

        observe infectious = infectious;
        observe cases = cases;
    }
}

simulation! {
    /// One clock for each person. Time is in days.
    model ByPerson {
        /// The contacts of each person.
        param network: Vec<Vec<usize>>;
        /// Persons who fall ill at the start.
        param first: usize;

        index person = 0..network.len();
        relation contact(i in person) -> person = network[i].iter();

        state health[i in person]: Health = if i < first { Infectious } else { Susceptible };
        state infectious: usize = first;
        state cases: usize = first;

        clock infection[i in person] if health[i] == Susceptible:
            rate(RATE * contact(i).filter(|&j| health[j] == Infectious).count() as f64) =>
        {
            health[i] = Infectious;
            infectious += 1;
            cases += 1;
        }
        clock recovery[i in person] if health[i] == Infectious: after(PERIOD) => {
            health[i] = Recovered;
            infectious -= 1;
        }

        observe infectious = infectious;
        observe cases = cases;
    }
}

/// The contacts of each of `people`: ends of links, 2 and a geometric number for each person, are
/// joined in random order. The few links of a person with themself, and second
/// ones of a pair, are left out.
fn network(people: usize, seed: u64) -> Result<Vec<Vec<usize>>, Failure> {
    let mut rng = Rng::seed_from_u64(seed);
    let more = Geometric::new(1.0 / 7.0)?;
    let mut ends = Vec::new();
    for person in 0..people {
        let degree = 2 + rng.sample(more) as usize;
        ends.extend(std::iter::repeat_n(person, degree));
    }
    ends.shuffle(&mut rng);
    let mut contacts = vec![Vec::new(); people];
    for link in ends.chunks_exact(2) {
        let (i, j) = (link[0], link[1]);
        if i != j && !contacts[i].contains(&j) {
            contacts[i].push(j);
            contacts[j].push(i);
        }
    }
    Ok(contacts)
}

/// What is measured in a run.
struct Run {
    /// Share of the people who ever were ill, in per cent.
    size: f64,
    /// Days and shares of the people who are infectious then, in per cent.
    course: Vec<(f64, f64)>,
    events: f64,
    set_up: f64,
    seconds: f64,
}

fn run<M: Model>(model: M, people: usize, seed: u64) -> Result<Run, SimError> {
    let begun = Instant::now();
    let mut sim = model.start_stream(seed, 0)?;
    let set_up = begun.elapsed().as_secs_f64();
    let mut grid = Grid::every(0.25)?;
    sim.run_with(&mut grid, DAYS as f64)?;
    sim.run_until(f64::INFINITY)?;
    let seconds = begun.elapsed().as_secs_f64() - set_up;

    let percent = 100.0 / people as f64;
    let infectious = grid.values("infectious").unwrap_or_default();
    let course = grid.times().iter().zip(infectious).map(|(&day, ill)| (day, percent * ill)).collect();
    let cases = sim.view().output("cases")?.unwrap_or_default();
    // All cases recover, and all but the first were infected.
    let events = 2.0 * cases - FIRST * people as f64;
    Ok(Run { size: percent * cases, course, events, set_up, seconds })
}

/// The probability that a link transmits.
fn transmissibility() -> f64 {
    1.0 - (-RATE * PERIOD).exp()
}

/// How many people have each number of contacts, as shares.
struct Degrees(Vec<f64>);

impl Degrees {
    fn of(networks: &[Vec<Vec<usize>>]) -> Self {
        let mut counts = Vec::new();
        for contacts in networks.iter().flatten() {
            counts.resize(counts.len().max(contacts.len() + 1), 0.0);
            counts[contacts.len()] += 1.0;
        }
        let people: f64 = counts.iter().sum();
        Degrees(counts.into_iter().map(|count| count / people).collect())
    }

    fn mean(&self) -> f64 {
        self.0.iter().zip(0..).map(|(share, k)| share * f64::from(k)).sum()
    }

    /// The chance that none of the contacts of a person does what each does with chance 1 − x.
    fn person(&self, x: f64) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, share| sum * x + share)
    }

    /// The same for the other contacts of a person who was reached by a link.
    fn reached(&self, x: f64) -> f64 {
        let links = |x: f64| (1..self.0.len()).rev().fold(0.0, |sum, k| sum * x + k as f64 * self.0[k]);
        links(x) / links(1.0)
    }

    /// Share of the people who ever fall ill, in per cent.
    fn final_size(&self) -> f64 {
        let transmits = transmissibility();
        // The chance that a link does not bring the illness.
        let mut spared = 0.5;
        for _ in 0..10_000 {
            spared = 1.0 - transmits + transmits * (1.0 - FIRST) * self.reached(spared);
        }
        100.0 * (1.0 - (1.0 - FIRST) * self.person(spared))
    }

    /// Days and shares of the people who are infectious then, in per cent.
    fn course(&self) -> Vec<(f64, f64)> {
        let steps = 200; // a day
        let period = (PERIOD * steps as f64) as usize;
        let dose = RATE / steps as f64;
        // The chances that a link has not brought the illness yet, that its other end is still
        // susceptible, and that it may bring it in this step.
        let (mut spared, mut safe, mut active) = (1.0, 1.0 - FIRST, FIRST);
        // Those who fall ill in each step, among other ends of links, and those who have not, among all.
        let mut falling = vec![FIRST];
        let mut well = vec![1.0 - FIRST];
        let mut course = vec![(0.0, 100.0 * FIRST)];
        for step in 1..=DAYS * steps {
            spared -= dose * active;
            let left = (1.0 - FIRST) * self.reached(spared);
            let recovering = if step < period { 0.0 } else { falling[step - period] * (-RATE * PERIOD).exp() };
            active += safe - left - dose * active - recovering;
            falling.push(safe - left);
            safe = left;
            well.push((1.0 - FIRST) * self.person(spared));
            let before = if step < period { 1.0 } else { well[step - period] };
            course.push((step as f64 / steps as f64, 100.0 * (before - well[step])));
        }
        course
    }
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let people: usize = argument(2, 100_000)?;
    let first = (FIRST * people as f64).round() as usize;
    let networks = (1..=NETWORKS).map(|seed| network(people, seed)).collect::<Result<Vec<_>, _>>()?;
    let degrees = Degrees::of(&networks);

    println!("{people} people, each linked to {:.2} others on average; {first} fall ill on day 0", degrees.mean());
    println!("A link transmits with probability 1 − exp(−{RATE} · {PERIOD}) = {:.4}", transmissibility());
    println!("{NETWORKS} networks, one run on each\n");

    let mut by_contact = Vec::new();
    let mut by_person = Vec::new();
    for (seed, network) in (1..).zip(networks) {
        by_contact.push(run(ByContact { network: network.clone(), first }, people, seed)?);
        by_person.push(run(ByPerson { network, first }, people, seed)?);
    }

    println!("{:<28}{COMPARED}", "people who ever were ill, %");
    for (name, runs) in [("a clock for each contact", &by_contact), ("a clock for each person", &by_person)] {
        let sample = |value: fn(&Run) -> f64| runs.iter().map(value).collect::<Sample>();
        println!("{name:<28}{}", compared(degrees.final_size(), &sample(|run| run.size), 2));
        let (events, seconds) = (sample(|run| run.events).mean(), sample(|run| run.seconds).mean());
        println!(
            "  a run: set up in {:.3} s, then {events:.0} events in {seconds:.3} s, {:.2} million a second",
            sample(|run| run.set_up).mean(),
            1e-6 * events / seconds,
        );
    }

    let picture = folder.join("contact.svg");
    Figure::new("Epidemics on random networks", "day", &format!("infectious, % of {people} people"))
        .colour(1)
        .lines(&format!("{NETWORKS} runs, a clock for each contact"), by_contact.into_iter().map(|run| run.course))
        .colour(3)
        .lines(&format!("{NETWORKS} runs, a clock for each person"), by_person.into_iter().map(|run| run.course))
        .colour(0)
        .line("exact in the limit of many people", degrees.course())
        .save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
