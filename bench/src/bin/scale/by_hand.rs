//! Loops written by hand over many clocks of one kind, with the generator and the draws of the
//! engine's peers.
//!
//! Each comes over rates that are any numbers, the structure that an engine has to have, and where
//! it makes a difference over whole numbers, what one writes who knows that these rates are amounts.

mod groups;
mod sums;
mod whole;

pub mod diffusion;
pub mod queues;
pub mod ring;
pub mod spread;

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;

fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// A standard exponential draw.
#[inline]
fn exponential(rng: &mut Xoshiro256PlusPlus) -> f64 {
    rng.sample(Exp1)
}

/// A draw from [0, 1).
#[inline]
fn uniform(rng: &mut Xoshiro256PlusPlus) -> f64 {
    rng.random()
}

/// A whole number below `bound`, which is small enough for its bias to be nothing.
#[inline]
fn below(rng: &mut Xoshiro256PlusPlus, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// The mean of the squares, by which contenders are checked against each other.
pub fn mean_square(amounts: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = amounts.len() as f64;
    amounts.map(|amount| amount * amount).sum::<f64>() / n
}
