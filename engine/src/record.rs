//! Recorders: observers that keep what a run shows.
//!
//! | recorder | keeps |
//! |---|---|
//! | [`EventLog`] | what happened and when |
//! | [`Grid`] | the outputs at given times |
//! | [`TimeAverage`] | mean, variance and range of the outputs over time |
//! | [`BatchMeans`] | time averages of the outputs over batches of equal length, for standard errors |
//!
//! Outputs are the numeric `observe`s of a model, in their own units; times are in the unit of the
//! model's clock. A recorder looks and never touches: a run is the same event for event, whatever
//! records it. Recorders also don't care how a run is cut: two runs, to 50 and then to 100, leave
//! the same numbers behind as one run to 100, bit for bit.
//!
//! A recorder follows one simulation. It may be given to several [`run_with`] calls one after the
//! other, and cloned together with the simulation to follow two branches.
//!
//! Averages over time take an output as constant between two events, with the value after the
//! first of them. One that reads `now` is right in a [`Grid`], and as it was at the last event, or
//! at the last cut, in an average.
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
//! [`run_with`]: crate::Simulation::run_with

mod average;
mod batches;
mod events;
mod grid;
mod held;
mod sample;
mod student;
#[cfg(test)]
pub(crate) mod testing;

pub use average::TimeAverage;
pub use batches::BatchMeans;
pub use events::EventLog;
pub use grid::Grid;
pub use sample::Sample;

#[cfg(feature = "ensemble")]
pub(crate) use grid::ascending;

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use crate::error::{ErrorKind, SimError};
use crate::model::Model;

/// The outputs of the model that a recorder follows; unknown until it has seen one.
#[derive(Clone, Copy, Debug, Default)]
struct Outputs(Option<&'static [&'static str]>);

impl Outputs {
    /// Takes the outputs of `M`, or checks that they are the ones already taken.
    fn follow<M: Model>(&mut self, now: f64) -> Result<(), SimError> {
        match self.0 {
            None => self.0 = Some(M::OUTPUTS),
            // The address is nearly always enough, and this is asked at every event.
            Some(known) if std::ptr::eq(known, M::OUTPUTS) || known == M::OUTPUTS => {}
            Some(_) => return Err(SimError::new(ErrorKind::User(Arc::new(OtherModel)), now)),
        }
        Ok(())
    }

    fn names(self) -> &'static [&'static str] {
        self.0.unwrap_or_default()
    }

    fn index(self, name: &str) -> Option<usize> {
        self.names().iter().position(|&known| known == name)
    }
}

#[derive(Debug)]
struct OtherModel;

impl fmt::Display for OtherModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this recorder follows a model with other outputs; use a new one for each simulation")
    }
}

impl Error for OtherModel {}

/// An unusable time.
#[cold]
fn bad_time(value: f64, reason: &'static str, now: f64) -> SimError {
    SimError::new(ErrorKind::Time { value, reason }, now)
}

/// What is said when a recorder that has seen one run to its end is given another.
const BACKWARDS: &str = "lies before what this recorder has seen; use a new one for each simulation";
