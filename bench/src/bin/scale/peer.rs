//! The same networks by rebop's run-time interface, sparse.
//!
//! It does not count events. A twin with a species that every reaction makes one more of has the
//! same rates, takes the same random numbers, and so counts the events of the uncounted run.
//! A reaction is added with one number for each species, so that to build a network takes time in
//! proportion to reactions times species; that is done once, and each run begins with a copy.

use std::hint::black_box;
use std::sync::OnceLock;

use clockrace_bench::{Run, mean_square};
use rebop::gillespie::{Gillespie, Rate};

use crate::{AMOUNT, HOP, SITES};

/// A network, and its twin.
struct Network {
    plain: Gillespie,
    counting: Gillespie,
    species: usize,
}

impl Network {
    /// Reactions that turn one species into another: from, to, rate.
    fn new(species: usize, reactions: impl Iterator<Item = (usize, usize, f64)>) -> Self {
        let mut amounts = vec![AMOUNT as isize; species];
        let mut plain = Gillespie::new(&amounts, true);
        amounts.push(0);
        let mut counting = Gillespie::new(&amounts, true);
        let mut change = vec![0; species + 1];
        for (from, to, rate) in reactions {
            let rate = || Rate::lma_sparse(rate, [(from as u32, 1)]);
            (change[from], change[to]) = (-1, 1);
            change[species] = 0;
            plain.add_reaction(rate(), &change[..species]);
            change[species] = 1;
            counting.add_reaction(rate(), &change);
            (change[from], change[to]) = (0, 0);
        }
        Network { plain, counting, species }
    }

    fn run(&self, network: &Gillespie, end: f64, seed: u64) -> Gillespie {
        let mut network = network.clone();
        network.seed(seed);
        network.advance_until(end);
        network
    }

    fn last(&self, network: &Gillespie) -> f64 {
        mean_square((0..self.species).map(|k| network.get_species(k) as f64))
    }

    fn uncounted(&self, end: f64, seed: u64) -> Run {
        Run::uncounted(self.last(&self.run(&self.plain, end, seed)))
    }

    fn counted(&self, end: f64, seed: u64) -> Run {
        let network = self.run(&self.counting, end, seed);
        Run::counted(network.get_species(self.species) as u64, self.last(&network))
    }
}

fn ring_of(n: usize) -> &'static Network {
    static SMALL: OnceLock<Network> = OnceLock::new();
    static LARGE: OnceLock<Network> = OnceLock::new();
    let known = if n <= 1_000 { &SMALL } else { &LARGE };
    let network = known.get_or_init(|| Network::new(n, (0..n).map(|k| (k, (k + 1) % n, black_box(1.0)))));
    assert_eq!(network.species, n, "one small ring and one large one");
    network
}

pub fn ring(n: usize, end: f64, seed: u64) -> Run {
    ring_of(n).uncounted(end, seed)
}

pub fn ring_counted(n: usize, end: f64, seed: u64) -> Run {
    ring_of(n).counted(end, seed)
}

fn row() -> &'static Network {
    static KNOWN: OnceLock<Network> = OnceLock::new();
    KNOWN.get_or_init(|| {
        let hop = black_box(HOP);
        let right = (0..SITES - 1).map(|k| (k, k + 1, hop));
        let left = (1..SITES).map(|k| (k, k - 1, hop));
        Network::new(SITES, right.chain(left))
    })
}

pub fn diffusion(end: f64, seed: u64) -> Run {
    row().uncounted(end, seed)
}

pub fn diffusion_counted(end: f64, seed: u64) -> Run {
    row().counted(end, seed)
}
