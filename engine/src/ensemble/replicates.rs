//! What an ensemble found.

use std::io::{self, Write};

use crate::record::Sample;
use crate::simulation::Outcome;

/// The outputs of every replicate of an [`Ensemble`](crate::Ensemble) at every time.
///
/// Outputs are named, times are given by their index in [`times`](Replicates::times), replicates
/// by their number. Whoever asks for an output, a time or a replicate that is not there gets
/// `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Replicates {
    outputs: &'static [&'static str],
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
    pub(super) fn new(outputs: &'static [&'static str], times: Vec<f64>, values: Vec<f64>, ends: Vec<End>) -> Self {
        Replicates { outputs, times, values, ends }
    }

    /// Names of the outputs, in order of declaration.
    #[must_use]
    pub fn outputs(&self) -> &'static [&'static str] {
        self.outputs
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
        let at = self.offset(name, time)?;
        Some(self.values.chunks_exact(self.width()).map(|replicate| replicate[at]).collect())
    }

    /// The output `name` of one replicate at every time.
    #[must_use]
    pub fn trajectory(&self, name: &str, replicate: usize) -> Option<Vec<f64>> {
        let at = self.offset(name, 0)?;
        let replicate = self.values.chunks_exact(self.width()).nth(replicate)?;
        Some(replicate.chunks_exact(self.outputs.len()).map(|row| row[at]).collect())
    }

    /// The output `name` at one time, over all replicates, with its statistics.
    #[must_use]
    pub fn sample(&self, name: &str, time: usize) -> Option<Sample> {
        self.values(name, time).map(Sample::new)
    }

    /// The mean of the output `name` over the replicates at one time.
    #[must_use]
    pub fn mean(&self, name: &str, time: usize) -> Option<f64> {
        self.sample(name, time).map(|sample| sample.mean())
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
            for name in self.outputs {
                let Some(sample) = self.sample(name, k) else { continue };
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
        for name in self.outputs {
            write!(out, ",{name}")?;
        }
        writeln!(out)?;
        for (replicate, values) in self.values.chunks_exact(self.width()).enumerate() {
            for (time, row) in self.times.iter().zip(values.chunks_exact(self.outputs.len())) {
                write!(out, "{replicate},{time}")?;
                for value in row {
                    write!(out, ",{value}")?;
                }
                writeln!(out)?;
            }
        }
        out.flush()
    }

    /// Numbers in a replicate.
    fn width(&self) -> usize {
        self.times.len() * self.outputs.len()
    }

    /// Where an output at one time stands within a replicate.
    fn offset(&self, name: &str, time: usize) -> Option<usize> {
        let output = self.outputs.iter().position(|&known| known == name)?;
        (time < self.times.len()).then_some(time * self.outputs.len() + output)
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
