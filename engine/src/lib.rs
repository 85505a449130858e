//! Event-driven simulations as a [`simulation!`] block: state, clocks that may ring, actions, flows.
//!
//! The macro works out at compile time which clock depends on what, and generates a static engine
//! with precomputed invalidation lists: no dynamic calls and no allocation in the loop. Because a
//! state variable can only be reached by its name in the block, a clock that should have been
//! refreshed and was not cannot be written.
//!
//! ```
//! use clockrace::simulation;
//!
//! simulation! {
//!     /// Susceptible-infected-recovered epidemic in a closed population.
//!     pub model Sir {
//!         param beta: f64 = 0.3;
//!         param gamma: f64 = 0.1;
//!
//!         state s: u64;
//!         state i: u64;
//!         state r: u64 = 0;
//!
//!         let n = (s + i + r) as f64;
//!
//!         clock infection: rate(beta * s as f64 * i as f64 / n) => { s -= 1; i += 1; }
//!         clock recovery:  rate(gamma * i as f64)               => { i -= 1; r += 1; }
//!
//!         observe prevalence = i as f64 / n;
//!         invariant closed: s + i + r > 0;
//!         stop extinct if i == 0;
//!     }
//! }
//!
//! # fn main() -> Result<(), clockrace::SimError> {
//! let mut sim = Sir { beta: 0.4, gamma: 0.1, s: 990, i: 10 }.start(42)?;
//! sim.run_until(100.0)?;
//! println!("t = {}, infected = {}", sim.now(), sim.state().i);
//! # assert_eq!(sim.state().s + sim.state().i + sim.state().r, 1000);
//! # Ok(())
//! # }
//! ```
//!
//! - [`simulation!`] describes the language.
//! - [`Simulation`] runs a model; [`Outcome`] says how a run ended, [`SimError`] what went wrong.
//! - [`Observer`]s see a run as it happens; [`record`] has some: logs, values on a grid, averages, paths.
//! - `Ensemble` (feature `ensemble`) runs replicates on all cores.
//! - `live` (feature `live`): other threads send events to a run, watch it and stop it.
//! - [`Graph`] is what depends on what, as text, DOT or Mermaid.
//!
//! # Reproducibility
//!
//! The same inputs and seed give the same events, bit for bit, however a run is cut into pieces and
//! whatever observes it. The generator is [xoshiro256++](Rng), one stream for each replicate.
//!
//! # Features
//!
//! - `ensemble`: replicates on all cores, by `rayon`.
//! - `live`: runs that other threads send events to, watch, pace and stop.
//! - `progress`: a progress bar for them, by `indicatif`.
//! - `plot`: pictures of paths, as SVG, by `plotters`.

extern crate self as clockrace;

/// The examples of the README are compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

#[doc(hidden)]
pub mod agenda;
#[doc(hidden)]
pub mod arith;
#[doc(hidden)]
pub mod element;
#[cfg(feature = "ensemble")]
mod ensemble;
mod error;
#[doc(hidden)]
pub mod family;
#[doc(hidden)]
pub mod flow;
pub mod graph;
#[cfg(feature = "live")]
pub mod live;
mod model;
#[doc(hidden)]
pub mod moment;
mod observer;
pub mod record;
mod relation;
pub mod resource;
mod rng;
#[doc(hidden)]
pub mod schedule;
#[doc(hidden)]
pub mod select;
mod shown;
mod simulation;
mod table;
#[doc(hidden)]
pub mod ticks;
#[doc(hidden)]
pub mod timing;
mod view;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use clockrace_macros::simulation;
#[cfg(feature = "ensemble")]
pub use ensemble::{Ensemble, EnsembleError, Replicates};
pub use error::{ErrorKind, SimError};
pub use graph::Graph;
pub use model::{Model, Receives, Scheduled, Ticks};
pub use observer::{Observer, OnEvent, on_event};
pub use rand;
pub use rand_distr;
pub use relation::{ChangingRelation, Entries, Members, Relation, Sources};
#[doc(hidden)]
pub use relation::{OutOfSet, Pairs, Row};
pub use rng::Rng;
pub use schedule::Key;
pub use shown::Shown;
pub use simulation::{Events, Fired, Instant, Outcome, Simulation};
pub use table::Table;
pub use view::View;
