//! Selection structures: which clock rings next.
//!
//! Exponential clocks share one [`Race`] over a [tree of sums](rates) of their rates; timed clocks
//! stand in a [scan or a tournament](times) over their ring times. Generated code unrolls the
//! small ones and calls the functions here for the large ones, over the same arrays.

pub mod family_rates;
pub mod family_times;
pub mod race;
pub mod rates;
pub mod times;

pub use race::Race;
