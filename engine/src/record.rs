//! Recorders: observers that keep what a run shows.
//!
//! | recorder | keeps |
//! |---|---|
//! | [`EventLog`] | what happened and when |
//! | [`Grid`] | the outputs at given times |
//! | [`TimeAverage`] | mean, variance and range of the outputs over time |
//! | [`BatchMeans`] | time averages of the outputs over batches of equal length, for standard errors |
//! | [`Path`] | the path of state variables between and at events, with exact averages and covariances over it |
//! | [`PathMoments`] | means and variances of state variables over time, exactly, without the path |
//!
//! Outputs are the numeric `observe`s of a model, in their own units, [families](#families) of them
//! included; times are in the unit of the model's clock. A recorder looks and never touches: a run
//! is the same event for event, whatever records it. Recorders also don't care how a run is cut: two
//! runs, to 50 and then to 100, leave the same numbers behind as one run to 100, bit for bit.
//!
//! A recorder follows one simulation. It may be given to several [`run_with`] calls one after the
//! other, and cloned together with the simulation to follow two branches.
//!
//! ```
//! use clockrace::record::{Grid, TimeAverage};
//! use clockrace::simulation;
//!
//! simulation! {
//!     /// Births at a constant rate, deaths in proportion.
//!     model Immigration {
//!         state n: u64 = 0;
//!         clock birth: rate(5.0)      => { n += 1; }
//!         clock death: rate(n as f64) => { n -= 1; }
//!         observe n = n;
//!     }
//! }
//!
//! # fn main() -> Result<(), clockrace::SimError> {
//! let mut sim = Immigration {}.start(1)?;
//! let mut grid = Grid::every(10.0)?;
//! let mut average = TimeAverage::since(100.0);
//! sim.run_with(&mut (&mut grid, &mut average), 10_000.0)?;
//! assert_eq!(grid.times()[..3], [0.0, 10.0, 20.0]);
//! assert!((average.mean("n").unwrap() - 5.0).abs() < 0.2);
//! # Ok(())
//! # }
//! ```
//!
//! # Families
//!
//! A family of outputs, `observe profile[k in site] = n[k];`, is one number for each member, and its
//! index is part of the name: `profile[3]`, over a product of sets `s[1][2]`. So it is in what is
//! written as CSV and wherever a method takes the name of an output.
//!
//! Other methods take the name of a family and give a value for each of its members, in their order:
//! [`Grid::members`], [`TimeAverage::means_of`], [`BatchMeans::samples_of`] and their like. `s[1]`
//! stands for the members of `s` whose first index is 1.
//!
//! ```
//! # use clockrace::record::{Grid, TimeAverage};
//! # use clockrace::simulation;
//! simulation! {
//!     /// Particles that hop to the right, on a ring.
//!     model Ring {
//!         param size: usize;
//!         index site = 0..size;
//!         state n[k in site]: u64 = if k == 0 { 10 } else { 0 };
//!         clock hop[k in site]: rate(n[k] as f64) => { n[k] -= 1; n[(k + 1) % size] += 1; }
//!         observe profile[k in site] = n[k];
//!     }
//! }
//!
//! # fn main() -> Result<(), clockrace::SimError> {
//! let mut grid = Grid::every(100.0)?;
//! let mut average = TimeAverage::since(100.0);
//! Ring { size: 4 }.start(1)?.run_with(&mut (&mut grid, &mut average), 1000.0)?;
//! assert_eq!(grid.outputs(), ["profile[0]", "profile[1]", "profile[2]", "profile[3]"]);
//! assert_eq!(grid.members("profile", 0), Some(&[10.0, 0.0, 0.0, 0.0][..]));
//! assert_eq!(grid.values("profile[0]").unwrap()[0], 10.0);
//! let profile = average.means_of("profile").unwrap();
//! assert!(profile.iter().all(|mean| (mean - 2.5).abs() < 0.5));
//! # Ok(())
//! # }
//! ```
//!
//! Averages take all outputs anew at every event; a [`Grid`] takes them only at its times, which
//! matters if there are thousands.
//!
//! # Moving outputs
//!
//! An output that reads `now` or a variable that flows changes between events. If a model has one,
//! [`TimeAverage`] and [`BatchMeans`] integrate all outputs by Gauss-Legendre quadrature with five
//! points in each interval between two events: means are exact, up to rounding, for polynomials of time of
//! degree 9, variances for those of degree 4. Least and greatest values are those at the points and at both ends,
//! so that a peak in between is cut off a little. Outputs are then taken seven times for each event.
//! [`Path`] follows state variables themselves, and only those that an event moves.
//!
//! ```
//! # use clockrace::record::TimeAverage;
//! # use clockrace::simulation;
//! simulation! {
//!     /// A tank that fills and is emptied.
//!     model Tank {
//!         state level: f64 = 0.0;
//!         flow level = level + 2.0 * dt;
//!         clock empty: every(5.0) => { level = 0.0; }
//!         observe level = level;
//!         observe square = level * level;
//!     }
//! }
//!
//! # fn main() -> Result<(), clockrace::SimError> {
//! let mut average = TimeAverage::new();
//! Tank {}.start(1)?.run_with(&mut average, 50.0)?;
//! assert!((average.mean("level").unwrap() - 5.0).abs() < 1e-12);
//! assert!((average.mean("square").unwrap() - 100.0 / 3.0).abs() < 1e-12);
//! assert_eq!(average.max("level"), Some(10.0));
//! # Ok(())
//! # }
//! ```
//!
//! [`run_with`]: crate::Simulation::run_with

mod average;
mod batches;
mod events;
mod grid;
mod held;
mod outputs;
mod path;
mod quadrature;
mod sample;
mod student;
#[cfg(test)]
pub(crate) mod testing;

pub use average::TimeAverage;
pub use batches::BatchMeans;
pub use events::EventLog;
pub use grid::Grid;
pub use path::{Functional, Path, PathMoments, Piece};
pub use sample::Sample;

#[cfg(feature = "ensemble")]
pub(crate) use {grid::ascending, outputs::Outputs};

use crate::error::{ErrorKind, SimError};

/// An unusable time.
#[cold]
fn bad_time(value: f64, reason: &'static str, now: f64) -> SimError {
    SimError::new(ErrorKind::Time { value, reason }, now)
}

/// What is said when a recorder that has seen one run to its end is given another.
const BACKWARDS: &str = "lies before what this recorder has seen; use a new one for each simulation";
