//! Molecules hopping between sites in a row, whose ends reflect.

use std::hint::black_box;

use clockrace_bench::draws::{below, exponential, generator, uniform};
use clockrace_bench::{Run, mean_square};

use super::groups::Groups;
use super::sums::Sums;
use super::whole;
use crate::{AMOUNT, HOP, SITES};

/// Of every site a clock to the left and one to the right, in this order; at the ends one of them
/// never rings.
fn rates(amounts: &[u64], hop: f64) -> impl ExactSizeIterator<Item = f64> {
    let last = 2 * amounts.len() - 1;
    let rate = move |clock: usize| if clock == 0 || clock == last { 0.0 } else { hop * amounts[clock / 2] as f64 };
    (0..2 * amounts.len()).map(rate)
}

/// Where this clock leads from, and where to.
#[inline]
fn ends(clock: usize) -> (usize, usize) {
    let from = clock / 2;
    (from, if clock % 2 == 1 { from + 1 } else { from - 1 })
}

/// Groups by power of two.
pub fn groups(end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let (n, hop) = black_box((SITES, HOP));
    let mut amounts = vec![u64::from(AMOUNT); n];
    let mut groups = Groups::<8>::new(16, rates(&amounts, hop));
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = uniform(&mut rng);
        t += wait / groups.bound();
        if t > end {
            break;
        }
        let Some(clock) = groups.propose(choice) else { continue };
        let (from, to) = ends(clock);
        amounts[from] -= 1;
        amounts[to] += 1;
        for site in [from, to] {
            let rate = hop * amounts[site] as f64;
            if site > 0 {
                groups.set(2 * site, rate);
            }
            if site + 1 < n {
                groups.set(2 * site + 1, rate);
            }
        }
        events += 1;
    }
    Run::counted(events, mean_square(amounts.iter().map(|&amount| amount as f64)))
}

/// A tree of sums.
pub fn sums(end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let (n, hop) = black_box((SITES, HOP));
    let mut amounts = vec![u64::from(AMOUNT); n];
    let mut sums = Sums::new(rates(&amounts, hop));
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let mut choice = uniform(&mut rng);
        let total = sums.total();
        t += wait / total;
        if t > end {
            break;
        }
        let mut clock = sums.pick(choice * total);
        while sums.rate(clock) <= 0.0 {
            choice = uniform(&mut rng);
            clock = sums.pick(choice * total);
        }
        let (from, to) = ends(clock);
        amounts[from] -= 1;
        amounts[to] += 1;
        for site in [from, to] {
            let rate = hop * amounts[site] as f64;
            if site > 0 {
                sums.put(2 * site, rate);
            }
            if site + 1 < n {
                sums.put(2 * site + 1, rate);
            }
        }
        // Both clocks of a site are under one node.
        sums.add_up(2 * from, 2 * to);
        events += 1;
    }
    Run::counted(events, mean_square(amounts.iter().map(|&amount| amount as f64)))
}

/// One clock a site, with its amount for a rate; a bit that is left over says where to, and at the
/// ends the wall may reject it.
pub fn whole_groups(end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let (n, hop) = black_box((SITES, HOP));
    let mut groups = whole::Groups::<8>::new(n, AMOUNT);
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = below(&mut rng, 2 * groups.bound());
        t += wait / (2.0 * hop * groups.bound() as f64);
        if t > end {
            break;
        }
        let Some(from) = groups.propose(choice / 2) else { continue };
        let to = if choice % 2 == 1 { from + 1 } else { from.wrapping_sub(1) };
        if to >= n {
            continue;
        }
        groups.hop(from, to);
        events += 1;
    }
    Run::counted(events, mean_square(groups.amounts()))
}
