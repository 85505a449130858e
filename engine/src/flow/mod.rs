//! State that moves between events in closed form: hazards along it, and when it crosses a level.

pub mod affine;
pub mod arrival;
pub mod crossing;
pub mod poly;
mod quadratic;
mod root;
pub mod thinning;

pub use affine::Affine;
pub use arrival::Arrival;
pub use crossing::Crossing;
pub use poly::{IntoPoly, Poly};
pub use thinning::Thinning;
