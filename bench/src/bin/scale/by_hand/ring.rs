//! A ring of species of which each turns into the next.

use std::any::Any;
use std::hint::black_box;

use clockrace_bench::draws::{below, exponential, generator, uniform};
use clockrace_bench::{Run, mean_square};

use super::groups::Groups;
use super::sums::Sums;
use super::whole;
use crate::AMOUNT;

/// Amounts and clocks, in groups by power of two.
struct Ring {
    amounts: Vec<u64>,
    groups: Groups<8>,
}

impl Ring {
    fn new(n: usize, hop: f64) -> Self {
        let amounts = vec![u64::from(AMOUNT); n];
        let groups = Groups::new(0, amounts.iter().map(|&amount| hop * amount as f64));
        Ring { amounts, groups }
    }
}

/// All that a run of this size needs.
pub fn set_up(n: usize) -> Box<dyn Any> {
    Box::new(Ring::new(n, black_box(1.0)))
}

/// Groups by power of two.
pub fn groups(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let hop = black_box(1.0);
    let Ring { mut amounts, mut groups } = Ring::new(n, hop);
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = uniform(&mut rng);
        t += wait / groups.bound();
        if t > end {
            break;
        }
        let Some(from) = groups.propose(choice) else { continue };
        let to = if from + 1 == n { 0 } else { from + 1 };
        amounts[from] -= 1;
        amounts[to] += 1;
        groups.set(from, hop * amounts[from] as f64);
        groups.set(to, hop * amounts[to] as f64);
        events += 1;
    }
    Run::counted(events, mean_square(amounts.iter().map(|&amount| amount as f64)))
}

/// The same with amounts for rates.
pub fn whole_groups(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let mut groups = whole::Groups::<8>::new(n, AMOUNT);
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = below(&mut rng, groups.bound());
        t += wait / groups.bound() as f64;
        if t > end {
            break;
        }
        let Some(from) = groups.propose(choice) else { continue };
        groups.hop(from, if from + 1 == n { 0 } else { from + 1 });
        events += 1;
    }
    Run::counted(events, mean_square(groups.amounts()))
}

/// A tree of sums.
pub fn sums(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let hop = black_box(1.0);
    let mut amounts = vec![u64::from(AMOUNT); n];
    let mut sums = Sums::new(amounts.iter().map(|&amount| hop * amount as f64));
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let mut choice = uniform(&mut rng);
        let total = sums.total();
        t += wait / total;
        if t > end {
            break;
        }
        let mut from = sums.pick(choice * total);
        while sums.rate(from) <= 0.0 {
            choice = uniform(&mut rng);
            from = sums.pick(choice * total);
        }
        let to = if from + 1 == n { 0 } else { from + 1 };
        amounts[from] -= 1;
        amounts[to] += 1;
        sums.put(from, hop * amounts[from] as f64);
        sums.put(to, hop * amounts[to] as f64);
        sums.add_up(from, to);
        events += 1;
    }
    Run::counted(events, mean_square(amounts.iter().map(|&amount| amount as f64)))
}

/// The same with amounts for rates.
pub fn whole_sums(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let mut sums = whole::Sums::new(n, AMOUNT);
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = below(&mut rng, u64::from(sums.total()));
        t += wait / f64::from(sums.total());
        if t > end {
            break;
        }
        let from = sums.pick(choice as u32);
        sums.hop(from, if from + 1 == n { 0 } else { from + 1 });
        events += 1;
    }
    Run::counted(events, mean_square(sums.amounts(n)))
}
