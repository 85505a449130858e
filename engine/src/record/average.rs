//! Averages over time.

use super::held::{Held, Mean, Part, Summary};
use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::view::View;

/// The time-weighted mean and variance of each output, and its least and greatest value.
///
/// A value counts for as long as it lasts: the mean of a queue's length is the area under its
/// path divided by the time observed. Values that last no time at all, in between two events of
/// one instant, do not count, in the range either.
///
/// Outputs that change between events, because they read `now` or a variable that flows, are
/// integrated: see [moving outputs](crate::record#moving-outputs).
///
/// ```
/// # use clockrace::{simulation, record::TimeAverage};
/// simulation! {
///     /// On for one unit of time, off for three.
///     model Lamp {
///         state on: bool = true;
///         clock switch: after(if on { 1.0 } else { 3.0 }) => { on = !on; }
///         observe on = on;
///     }
/// }
/// # fn main() -> Result<(), clockrace::SimError> {
/// let mut average = TimeAverage::new();
/// Lamp {}.start(0)?.run_with(&mut average, 400.0)?;
/// assert_eq!(average.mean("on"), Some(0.25));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct TimeAverage {
    since: f64,
    held: Held,
    moments: Vec<Moments>,
}

impl TimeAverage {
    /// Averages over all the time observed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Averages over the time observed from `time` on: what came before is the warm-up.
    #[must_use]
    pub fn since(time: f64) -> Self {
        TimeAverage { since: time, ..Self::default() }
    }

    /// Forgets everything observed so far: the averages begin anew where the next run begins.
    pub fn reset(&mut self) {
        self.held.reset();
        self.moments.clear();
    }

    /// Names of the outputs, in order of declaration. Empty before the first run.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        self.held.outputs.names()
    }

    /// For how long the outputs have been observed, the warm-up left out.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.total(0).map_or(0.0, |moments| moments.mean.time)
    }

    /// The mean over time of the output `name`, in its unit. `None` if there is no such output or
    /// no time has been observed.
    #[must_use]
    pub fn mean(&self, name: &str) -> Option<f64> {
        self.of(name).map(|moments| moments.mean.get())
    }

    /// The means of the members of the family `name`; see [families](crate::record#families). `None`
    /// as for [`mean`](TimeAverage::mean).
    #[must_use]
    pub fn means_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |moments| moments.mean.get())
    }

    /// The variance over time of the output `name`: the mean square distance from its mean, in its
    /// unit squared. `None` as for [`mean`](TimeAverage::mean).
    #[must_use]
    pub fn variance(&self, name: &str) -> Option<f64> {
        self.of(name).map(Moments::variance)
    }

    /// The variances of the members of the family `name`; see [families](crate::record#families).
    /// `None` as for [`mean`](TimeAverage::mean).
    #[must_use]
    pub fn variances_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, Moments::variance)
    }

    /// The least value of the output `name`; of one that moves, where it was looked at. `None` as for
    /// [`mean`](TimeAverage::mean).
    #[must_use]
    pub fn min(&self, name: &str) -> Option<f64> {
        self.of(name).map(|moments| moments.min)
    }

    /// The greatest value of the output `name`; of one that moves, where it was looked at. `None` as
    /// for [`mean`](TimeAverage::mean).
    #[must_use]
    pub fn max(&self, name: &str) -> Option<f64> {
        self.of(name).map(|moments| moments.max)
    }

    fn of(&self, name: &str) -> Option<Moments> {
        self.observed(self.held.outputs.index(name)?)
    }

    fn all_of(&self, name: &str, statistic: fn(Moments) -> f64) -> Option<Vec<f64>> {
        self.held.outputs.members(name)?.map(|output| self.observed(output).map(statistic)).collect()
    }

    /// `None` if no time has been observed.
    fn observed(&self, output: usize) -> Option<Moments> {
        self.total(output).filter(|moments| moments.mean.time > 0.0)
    }

    /// With the interval that is still open.
    fn total(&self, output: usize) -> Option<Moments> {
        let mut moments = self.moments.get(output).copied()?;
        self.held.pending(after(self.since), |part, values| moments.add(part.time(), values.of(output)));
        Some(moments)
    }
}

/// What of an interval comes after `time`.
fn after(time: f64) -> impl Fn(f64, f64) -> std::option::IntoIter<Part> {
    move |since, until| {
        let part = Part { number: 0, since: since.max(time), until };
        (part.since < until).then_some(part).into_iter()
    }
}

impl<M: Model> Observer<M> for TimeAverage {
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        let TimeAverage { since, held, moments } = self;
        held.advance(view, until, after(*since), |part, values| {
            values.each(|output, summary| {
                if let Some(moments) = moments.get_mut(output) {
                    moments.add(part.time(), summary);
                }
            });
        })?;
        if moments.len() != held.outputs.names().len() {
            moments.resize(held.outputs.names().len(), Moments::none());
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug)]
struct Moments {
    mean: Mean,
    /// Squares of the distances from the mean, each times its time.
    squares: f64,
    min: f64,
    max: f64,
}

impl Moments {
    fn none() -> Self {
        Moments { mean: Mean::default(), squares: 0.0, min: f64::INFINITY, max: f64::NEG_INFINITY }
    }

    fn variance(self) -> f64 {
        self.squares / self.mean.time
    }

    #[inline]
    fn add(&mut self, time: f64, Summary { mean, variance, min, max }: Summary) {
        let before = if self.mean.time > 0.0 { self.mean.get() } else { mean };
        self.mean.add(mean, time);
        // West (1979): no difference of large sums.
        self.squares += time * variance;
        self.squares += time * (mean - before) * (mean - self.mean.get());
        self.min = self.min.min(min);
        self.max = self.max.max(max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::{Sites, Steps};

    #[test]
    fn values_count_for_as_long_as_they_last() {
        let mut average = TimeAverage::new();
        Steps::at([1.0, 3.0, 3.0]).run().run_with(&mut average, 4.0).unwrap();
        // 0 for 1, 1 for 2, 3 for 1; 2 for no time at all.
        assert_eq!(average.time(), 4.0);
        assert_eq!(average.mean("n"), Some(1.25));
        assert_eq!(average.mean("double"), Some(2.5));
        assert!((average.variance("n").unwrap() - (2.0 / 4.0 + 9.0 / 4.0 - 1.25 * 1.25)).abs() < 1e-15);
        assert_eq!((average.min("n"), average.max("n")), (Some(0.0), Some(3.0)));
        assert_eq!(average.mean("other"), None);
        assert_eq!(average.outputs(), ["n", "double"]);
    }

    #[test]
    fn the_warm_up_is_left_out() {
        for from in [3.5, 3.0, 0.5] {
            let mut average = TimeAverage::since(from);
            Steps::at([1.0, 3.0]).run().run_with(&mut average, 4.0).unwrap();
            let mean = if from == 0.5 { (2.0 + 2.0) / 3.5 } else { 2.0 };
            assert!((average.mean("n").unwrap() - mean).abs() < 1e-15);
            assert_eq!(average.time(), 4.0 - from);
        }
        let mut sim = Steps::at([1.0, 3.0]).run();
        let mut average = TimeAverage::new();
        sim.run_with(&mut average, 2.0).unwrap();
        average.reset();
        assert_eq!(average.mean("n"), None);
        sim.run_with(&mut average, 4.0).unwrap();
        assert_eq!((average.mean("n"), average.time()), (Some(1.5), 2.0));
    }

    #[test]
    fn cutting_a_run_changes_no_bit() {
        let mut whole = TimeAverage::since(2.5);
        Steps::default().run().run_with(&mut whole, 40.0).unwrap();
        let mut cut = TimeAverage::since(2.5);
        let mut sim = Steps::default().run();
        for k in 0..=4000 {
            sim.run_with(&mut cut, 0.01 * f64::from(k)).unwrap();
        }
        for name in whole.outputs() {
            assert_eq!(whole.mean(name), cut.mean(name));
            assert_eq!(whole.variance(name), cut.variance(name));
        }
    }

    #[test]
    fn a_value_that_stays_is_its_own_mean() {
        let mut sim = Steps::at([0.3, 0.7, 1.1, 9.9]).run();
        let mut average = TimeAverage::since(1.3);
        for until in [1.7, 2.3, 3.1, 7.7] {
            sim.run_with(&mut average, until).unwrap();
            average.reset();
            sim.run_with(&mut average, until + 0.1).unwrap();
            assert_eq!((average.mean("n"), average.variance("n")), (Some(3.0), Some(0.0)));
        }
    }

    #[test]
    fn nothing_observed_is_no_value() {
        let mut average = TimeAverage::new();
        assert_eq!((average.mean("n"), average.time()), (None, 0.0));
        Steps::at([]).run().run_with(&mut average, 0.0).unwrap();
        assert_eq!(average.mean("n"), None);
    }

    #[test]
    fn time_that_was_not_observed_does_not_count() {
        let mut sim = Steps::at([1.0]).run();
        let mut average = TimeAverage::new();
        sim.run_with(&mut average, 1.0).unwrap();
        sim.run_until(8.0).unwrap();
        sim.run_with(&mut average, 9.0).unwrap();
        assert_eq!((average.mean("n"), average.time()), (Some(0.5), 2.0));
    }

    #[test]
    fn a_family_has_the_averages_of_its_members() {
        let mut average = TimeAverage::new();
        assert_eq!(average.means_of("profile"), None);
        let mut sim = Sites::of(3, 2);
        sim.run_with(&mut average, 0.0).unwrap();
        assert_eq!((average.means_of("profile"), average.variances_of("profile")), (None, None));
        sim.run_with(&mut average, 4.0).unwrap();
        // 0, 1, 2, 3; 0 for 2, 1 for 2; 0 for 3, 1 for 1.
        assert_eq!(average.means_of("profile").unwrap(), [1.5, 0.5, 0.25]);
        assert_eq!(average.variances_of("profile").unwrap(), [1.25, 0.25, 0.1875]);
        for (k, mean) in average.means_of("profile").unwrap().into_iter().enumerate() {
            assert_eq!(average.mean(&format!("profile[{k}]")), Some(mean));
        }
        assert_eq!((average.min("profile[0]"), average.max("profile[0]")), (Some(0.0), Some(3.0)));
        assert_eq!(average.means_of("s[1]").unwrap().len(), 3);
        assert_eq!((average.mean("profile"), average.means_of("other")), (None, None));
    }
}
