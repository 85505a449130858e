//! What an ensemble found.

use std::io::{self, Write};

use crate::record::{Outputs, Sample};
use crate::simulation::Outcome;

/// The outputs of every replicate of an [`Ensemble`](crate::Ensemble) at every time.
///
/// Outputs are named, those of [families](crate::record#families) with their indices; times are
/// given by their index in [`times`](Replicates::times), replicates by their number. Whoever asks
/// for an output, a time or a replicate that is not there gets `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicates {
    outputs: Outputs,
    times: Vec<f64>,
    /// Replicate by replicate, in it time by time, in it output by output.
    values: Vec<f64>,
    ends: Vec<End>,
}

/// How and when a replicate ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct End {
    pub(super) outcome: Outcome,
    pub(super) time: f64,
}

impl Replicates {
    pub(super) fn new(outputs: Outputs, times: Vec<f64>, values: Vec<f64>, ends: Vec<End>) -> Self {
        Replicates { outputs, times, values, ends }
    }

    /// Names of the outputs, in order of declaration.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        self.outputs.names()
    }

    /// The times, ascending.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many replicates there are; never 0.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "there is no empty ensemble")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The output `name` at one time in every replicate, by replicate number.
    #[must_use]
    pub fn values(&self, name: &str, time: usize) -> Option<Vec<f64>> {
        let output = self.outputs.index(name)?;
        (time < self.times.len()).then(|| self.column(output, time))
    }

    /// The output `name` of one replicate at every time.
    #[must_use]
    pub fn trajectory(&self, name: &str, replicate: usize) -> Option<Vec<f64>> {
        let output = self.outputs.index(name)?;
        let replicate = self.replicates().nth(replicate)?;
        Some(self.rows(replicate).map(|row| row[output]).collect())
    }

    /// The members of the family `name` in one replicate at one time; see
    /// [families](crate::record#families).
    #[must_use]
    pub fn members(&self, name: &str, replicate: usize, time: usize) -> Option<&[f64]> {
        let members = self.outputs.members(name)?;
        let replicate = self.replicates().nth(replicate)?;
        Some(&self.rows(replicate).nth(time)?[members])
    }

    /// The output `name` at one time, over all replicates, with its statistics.
    #[must_use]
    pub fn sample(&self, name: &str, time: usize) -> Option<Sample> {
        self.values(name, time).map(Sample::new)
    }

    /// The [`sample`](Replicates::sample)s of the members of the family `name` at one time; see
    /// [families](crate::record#families).
    #[must_use]
    pub fn samples_of(&self, name: &str, time: usize) -> Option<Vec<Sample>> {
        self.of_members(name, time, |sample| sample)
    }

    /// The mean of the output `name` over the replicates at one time.
    #[must_use]
    pub fn mean(&self, name: &str, time: usize) -> Option<f64> {
        self.sample(name, time).map(|sample| sample.mean())
    }

    /// The means of the members of the family `name` over the replicates at one time; see
    /// [families](crate::record#families).
    #[must_use]
    pub fn means_of(&self, name: &str, time: usize) -> Option<Vec<f64>> {
        self.of_members(name, time, |sample| sample.mean())
    }

    /// The unbiased variance of the output `name` over the replicates at one time.
    #[must_use]
    pub fn variance(&self, name: &str, time: usize) -> Option<f64> {
        self.sample(name, time).map(|sample| sample.variance())
    }

    /// The standard error of the [`mean`](Replicates::mean).
    #[must_use]
    pub fn standard_error(&self, name: &str, time: usize) -> Option<f64> {
        self.sample(name, time).map(|sample| sample.standard_error())
    }

    /// The confidence interval of the [`mean`](Replicates::mean), by Student's t; see
    /// [`Sample::confidence_interval`].
    #[must_use]
    pub fn confidence_interval(&self, name: &str, time: usize, level: f64) -> Option<(f64, f64)> {
        self.sample(name, time).map(|sample| sample.confidence_interval(level))
    }

    /// A quantile of the output `name` over the replicates at one time, of type 7; see
    /// [`Sample::quantile`].
    #[must_use]
    pub fn quantile(&self, name: &str, time: usize, level: f64) -> Option<f64> {
        self.sample(name, time).map(|sample| sample.quantile(level))
    }

    /// How a replicate ended.
    #[must_use]
    pub fn outcome(&self, replicate: usize) -> Option<Outcome> {
        self.ends.get(replicate).map(|end| end.outcome)
    }

    /// When a replicate ended: at the last of the times, or earlier by a `stop`.
    #[must_use]
    pub fn end_time(&self, replicate: usize) -> Option<f64> {
        self.ends.get(replicate).map(|end| end.time)
    }

    /// Writes a summary as CSV: a row for each time and output, with the columns `time`, `output`,
    /// `mean`, `sd` (standard deviation) and the quantiles at `levels`. The levels 0.05, 0.5 and
    /// 0.95 head their columns `q05`, `median` and `q95`.
    ///
    /// # Errors
    /// What writing to `out` fails with; [`io::ErrorKind::InvalidInput`] if a level is not in
    /// [0, 1].
    pub fn write_csv(&self, mut out: impl Write, levels: &[f64]) -> io::Result<()> {
        if let Some(level) = levels.iter().find(|level| !(0.0..=1.0).contains(*level)) {
            let message = format!("the quantile level {level} is not between 0 and 1");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        write!(out, "time,output,mean,sd")?;
        for &level in levels {
            write!(out, ",{}", heading(level))?;
        }
        writeln!(out)?;
        for (k, time) in self.times.iter().enumerate() {
            for (output, name) in self.outputs().iter().enumerate() {
                let sample = Sample::new(self.column(output, k));
                write!(out, "{time},{name},{},{}", sample.mean(), sample.standard_deviation())?;
                for quantile in sample.quantiles(levels) {
                    write!(out, ",{quantile}")?;
                }
                writeln!(out)?;
            }
        }
        out.flush()
    }

    /// Writes everything as CSV: a row for each replicate and time, with the columns `replicate`,
    /// `time` and one for each output.
    ///
    /// # Errors
    /// What writing to `out` fails with.
    pub fn write_values_csv(&self, mut out: impl Write) -> io::Result<()> {
        write!(out, "replicate,time")?;
        for name in self.outputs() {
            write!(out, ",{name}")?;
        }
        writeln!(out)?;
        for (replicate, values) in self.replicates().enumerate() {
            for (time, row) in self.times.iter().zip(self.rows(values)) {
                write!(out, "{replicate},{time}")?;
                for value in row {
                    write!(out, ",{value}")?;
                }
                writeln!(out)?;
            }
        }
        out.flush()
    }

    fn of_members<T>(&self, name: &str, time: usize, statistic: impl Fn(Sample) -> T) -> Option<Vec<T>> {
        let members = self.outputs.members(name)?;
        let of_one = |output| statistic(Sample::new(self.column(output, time)));
        (time < self.times.len()).then(|| members.map(of_one).collect())
    }

    /// The numbers of each replicate.
    fn replicates(&self) -> impl Iterator<Item = &[f64]> {
        self.values.chunks_exact(self.times.len() * self.outputs().len())
    }

    /// The outputs of a replicate at each time.
    fn rows<'a>(&self, replicate: &'a [f64]) -> impl Iterator<Item = &'a [f64]> + use<'a> {
        replicate.chunks_exact(self.outputs().len())
    }

    /// An output at one time in every replicate.
    fn column(&self, output: usize, time: usize) -> Vec<f64> {
        let at = time * self.outputs().len() + output;
        self.replicates().map(|replicate| replicate[at]).collect()
    }
}

/// `q05` for 0.05, `q2.5` for 0.025.
fn heading(level: f64) -> String {
    if level == 0.5 {
        return "median".to_owned();
    }
    // 100 · 0.57 is 56.99999999999999.
    let percent = (level * 1e11).round() / 1e9;
    if percent.fract() == 0.0 { format!("q{percent:02}") } else { format!("q{percent}") }
}

#[cfg(test)]
mod tests {
    use super::heading;

    #[test]
    fn headings() {
        let levels = [0.0, 0.025, 0.05, 0.29, 0.5, 0.57, 0.975, 1.0];
        let expected = ["q00", "q2.5", "q05", "q29", "median", "q57", "q97.5", "q100"];
        assert_eq!(levels.map(heading), expected);
    }
}
