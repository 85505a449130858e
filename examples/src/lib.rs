//! What the example programs share: where their files go, and how they draw.

pub mod bionetgen;
pub mod disks;
mod figure;
mod lattice;
mod panels;
pub mod samplers;

use std::error::Error;
use std::path::PathBuf;
use std::str::FromStr;
use std::{env, fs, io};

use clockrace::record::Sample;

pub use figure::Figure;
pub use lattice::{Lattice, save_lattices};
pub use panels::{Panel, Shown, save_panels};

/// Any error, for programs that only print it.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The folder for the files of an example: the first argument of the program, or
/// `target/clockrace-examples`. It is made if it is not there.
///
/// # Errors
/// If it cannot be made.
pub fn output_folder() -> io::Result<PathBuf> {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/clockrace-examples"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Argument number `position` of the program, from 1, or `default` if there are not so many.
///
/// # Errors
/// If it is not what it should be.
pub fn argument<T: FromStr<Err: Error + Send + Sync + 'static>>(position: usize, default: T) -> Result<T, Failure> {
    env::args().nth(position).map_or(Ok(default), |text| {
        text.parse().map_err(|error| format!("argument {position}, `{text}`: {error}").into())
    })
}

/// The end of a row in a table: what is exact, and of what was found the mean, its 95 % confidence
/// interval, and `outside` if the interval misses what is exact.
#[must_use]
pub fn compared(exact: f64, found: &Sample, decimals: usize) -> String {
    let (low, high) = found.confidence_interval(0.95);
    let mark = if (low..=high).contains(&exact) { "" } else { "  outside" };
    format!("{exact:>9.decimals$} {:>9.decimals$}   [{low:.decimals$}, {high:.decimals$}]{mark}", found.mean())
}

/// The heading over rows that end as [`compared`] says.
pub const COMPARED: &str = "    exact simulated   95 % confidence";
