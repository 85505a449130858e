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
