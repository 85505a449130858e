//! Statistics for the tests: moments with their errors, goodness of fit, and exact Markov chains.
//!
//! Seeds are fixed, so a test that passes keeps passing; the limits say how surprising a result
//! must be to count as a fault. Each is crossed by chance about once in 100,000 checks.

mod chain;
mod fit;
mod moments;
mod service;

pub use chain::Chain;
pub use fit::{chi_square, chi_square_two, kolmogorov, kolmogorov_two};
pub use moments::{Average, LIMIT, Moments, assert_mean};
pub use service::Service;

use clockrace::{Model, Simulation};

/// Replicates `0..n` of `model` under `seed`, each at its start.
///
/// # Panics
/// If the model does not start.
pub fn replicates<M: Model + Clone>(model: &M, seed: u64, n: u64) -> impl Iterator<Item = Simulation<M>> {
    (0..n).map(move |stream| model.clone().start_stream(seed, stream).unwrap())
}
