//! Loops written by hand over any network of reactions of at most two molecules.

use clockrace_bench::Run;
use clockrace_bench::draws::{exponential, generator, uniform};
use clockrace_examples::bionetgen::Network;

use crate::groups::{Groups, Proposal};
use crate::input;

/// How far an amount may go from the middle of its box.
const SLACK: f64 = 0.1;
/// Up to here a box begins at 0.
const FEW: f64 = 4.0;

/// A network in the form that the loops want.
pub struct Tables {
    /// Amounts at the start, and one more that is always 1, to be the partner of those who have none.
    amounts: Vec<f64>,
    reactions: Vec<Reaction>,
    /// What each reaction changes: species, and by how much.
    changes: Rows<(u32, f64)>,
    /// Where each species reacts.
    uses: Rows<Use>,
    /// The smallest rate that there can be.
    least: f64,
}

/// Propensity: `rate` · amount of `one` · amount of `other`, less one if both are the same.
struct Reaction {
    rate: f64,
    one: u32,
    other: u32,
}

/// A reaction, as one of its reactants sees it.
struct Use {
    rate: f64,
    reaction: u32,
    other: u32,
}

/// Rows of different lengths, one after the other.
struct Rows<T> {
    starts: Vec<u32>,
    entries: Vec<T>,
}

impl<T> Rows<T> {
    fn new(rows: impl IntoIterator<Item = Vec<T>>) -> Self {
        let (mut starts, mut entries) = (vec![0], Vec::new());
        for row in rows {
            entries.extend(row);
            starts.push(u32::try_from(entries.len()).expect("fewer than 2^32 entries"));
        }
        Rows { starts, entries }
    }

    #[inline]
    fn row(&self, row: usize) -> &[T] {
        &self.entries[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

impl Tables {
    /// # Errors
    /// If a reaction takes more than two molecules.
    pub fn new(network: &Network) -> Result<Self, String> {
        let none = network.species.len() as u32;
        let mut reactions = Vec::with_capacity(network.reactions.len());
        let mut uses: Vec<Vec<Use>> = network.species.iter().map(|_| Vec::new()).collect();
        for (i, reaction) in network.reactions.iter().enumerate() {
            let (one, other) = match *reaction.reactants {
                [] => (none, none),
                [one] => (one as u32, none),
                [one, other] => (one as u32, other as u32),
                _ => {
                    return Err(format!("reaction {} takes more than two molecules, which no loop here can do", i + 1));
                }
            };
            let rate = reaction.rate;
            for (species, other) in [(one, other), (other, one)] {
                if species != none && !network.species[species as usize].fixed {
                    uses[species as usize].push(Use { rate, reaction: i as u32, other });
                }
                if one == other {
                    break;
                }
            }
            reactions.push(Reaction { rate, one, other });
        }
        let changes = network.reactions.iter().map(|reaction| {
            let change = network.net_change(reaction);
            change.into_iter().map(|(species, by)| (species as u32, by as f64)).collect()
        });
        let amounts = network.initial().into_iter().map(|amount| amount as f64).chain([1.0]).collect();
        let rates = reactions.iter().map(|reaction| reaction.rate).filter(|&rate| rate > 0.0);
        let least = rates.fold(f64::MAX, f64::min);
        let changes = Rows::new(changes);
        Ok(Tables { amounts, reactions, changes, uses: Rows::new(uses), least })
    }

    #[inline]
    fn propensity(&self, reaction: usize, amounts: &[f64]) -> f64 {
        let Reaction { rate, one, other } = self.reactions[reaction];
        rate * amounts[one as usize] * partner(one, other, amounts)
    }
}

/// The amount of `other` that there is for one of `one`.
#[inline]
fn partner(one: u32, other: u32, amounts: &[f64]) -> f64 {
    // Without a reactant both are the species of which there is always 1.
    let same = one == other && one as usize + 1 < amounts.len();
    amounts[other as usize] - f64::from(u8::from(same))
}

fn last(amounts: &[f64]) -> f64 {
    let species = &amounts[..amounts.len() - 1];
    species.iter().map(|amount| amount * amount).sum::<f64>() / species.len() as f64
}

/// After each event the rates of all who depend on what it changed are worked out again.
pub fn exact(seed: u64) -> Run {
    let (tables, end) = (&input().tables, input().end);
    let mut rng = generator(seed);
    let mut amounts = tables.amounts.clone();
    let mut groups = Groups::new(tables.reactions.len(), tables.least);
    let mut rates: Vec<f64> =
        (0..tables.reactions.len()).map(|reaction| tables.propensity(reaction, &amounts)).collect();
    for (reaction, &rate) in rates.iter().enumerate() {
        groups.set(reaction, rate);
    }
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = uniform(&mut rng);
        t += wait / groups.bound();
        if t > end || groups.bound() <= 0.0 {
            break;
        }
        let Some(Proposal { clock, below }) = groups.propose(choice) else { continue };
        if below >= rates[clock] {
            continue;
        }
        let changes = tables.changes.row(clock);
        for &(species, by) in changes {
            amounts[species as usize] += by;
        }
        for &(species, _) in changes {
            let amount = amounts[species as usize];
            // Who has two reactants that changed comes twice, which is cheaper than to look for it.
            for &Use { rate, reaction, other } in tables.uses.row(species as usize) {
                let rate = rate * amount * partner(species, other, &amounts);
                rates[reaction as usize] = rate;
                groups.set(reaction as usize, rate);
            }
        }
        events += 1;
    }
    Run::counted(events, last(&amounts))
}

/// Rates are bounded while the amounts of their reactants stay in boxes; the rate itself is only
/// worked out when its reaction is proposed (Thanh, Priami and Zunino, J. Chem. Phys. 141, 134116,
/// 2014).
pub fn bounds(seed: u64) -> Run {
    let (tables, end) = (&input().tables, input().end);
    let mut rng = generator(seed);
    let mut amounts = tables.amounts.clone();
    let mut boxes = Boxes::around_all(&amounts);
    let mut groups = Groups::new(tables.reactions.len(), tables.least);
    for reaction in 0..tables.reactions.len() {
        groups.set(reaction, tables.propensity(reaction, &boxes.highs));
    }
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = uniform(&mut rng);
        t += wait / groups.bound();
        if t > end || groups.bound() <= 0.0 {
            break;
        }
        let Some(Proposal { clock, below }) = groups.propose(choice) else { continue };
        if below >= tables.propensity(clock, &amounts) {
            continue;
        }
        for &(species, by) in tables.changes.row(clock) {
            let amount = amounts[species as usize] + by;
            amounts[species as usize] = amount;
            if amount < boxes.lows[species as usize] || amount > boxes.highs[species as usize] {
                boxes.around(species as usize, amount);
                let high = boxes.highs[species as usize];
                for &Use { rate, reaction, other } in tables.uses.row(species as usize) {
                    groups.set(reaction as usize, rate * high * partner(species, other, &boxes.highs));
                }
            }
        }
        events += 1;
    }
    Run::counted(events, last(&amounts))
}

/// Between which amounts each species stays for a while.
struct Boxes {
    lows: Vec<f64>,
    highs: Vec<f64>,
}

impl Boxes {
    fn around_all(amounts: &[f64]) -> Self {
        let mut boxes = Boxes { lows: amounts.to_vec(), highs: amounts.to_vec() };
        let (_, species) = amounts.split_last().expect("one more than species");
        for (species, &amount) in species.iter().enumerate() {
            boxes.around(species, amount);
        }
        boxes
    }

    #[inline]
    fn around(&mut self, species: usize, amount: f64) {
        let slack = (amount * SLACK).floor();
        self.lows[species] = if amount < FEW { 0.0 } else { amount - slack };
        self.highs[species] = amount + slack;
    }
}
