//! The generator and the draws of the loops written by hand.

use rand::{Rng, RngExt, SeedableRng};
use rand_distr::Exp1;
use rand_xoshiro::Xoshiro256PlusPlus;

/// The generator that the engine has.
pub type Generator = Xoshiro256PlusPlus;

/// A generator under a seed.
#[must_use]
pub fn generator(seed: u64) -> Generator {
    Generator::seed_from_u64(seed)
}

/// A standard exponential draw.
#[inline]
pub fn exponential(rng: &mut Generator) -> f64 {
    rng.sample(Exp1)
}

/// A draw from [0, 1).
#[inline]
pub fn uniform(rng: &mut Generator) -> f64 {
    rng.random()
}

/// A whole number below `bound`, which is small enough for its bias to be nothing.
#[inline]
pub fn below(rng: &mut Generator, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}
