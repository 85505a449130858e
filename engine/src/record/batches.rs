//! Batch means.

use super::held::{Held, Mean, Part};
use super::{Sample, bad_time};
use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::view::View;

/// The method of batch means: the time average of each output over consecutive batches of equal
/// length.
///
/// The values of a path depend on each other, so its time average has no standard error of its
/// own. Means over batches that are long compared with the memory of the process are nearly
/// independent, and their [`Sample`] has one. 20 to 50 batches are usual. A run that ends early
/// leaves the batches that it has not completed out.
///
/// Outputs that change between events are integrated: see
/// [moving outputs](crate::record#moving-outputs).
///
/// ```
/// # use clockrace::{simulation, record::BatchMeans};
/// # simulation! {
/// #     model Immigration {
/// #         state n: u64 = 0;
/// #         clock birth: rate(5.0)      => { n += 1; }
/// #         clock death: rate(n as f64) => { n -= 1; }
/// #         observe n = n;
/// #     }
/// # }
/// # fn main() -> Result<(), clockrace::SimError> {
/// let mut batches = BatchMeans::between(10.0, 4010.0, 40)?;
/// Immigration {}.start(1)?.run_with(&mut batches, 4010.0)?;
/// let n = batches.sample("n").unwrap();
/// println!("{} ± {}", n.mean(), n.standard_error());
/// # assert!((n.mean() - 5.0).abs() < 4.0 * n.standard_error());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct BatchMeans {
    held: Held,
    batches: Vec<Batch>,
    /// Batch by batch: the mean of each output over the time observed in it.
    means: Vec<Mean>,
}

#[derive(Clone, Copy, Debug)]
struct Batch {
    start: f64,
    end: f64,
}

impl BatchMeans {
    /// The time from `from` to `until` in `batches` batches of equal length. What lies before
    /// `from` is the warm-up.
    ///
    /// # Errors
    /// [`ErrorKind::Time`](crate::ErrorKind::Time) if a time is not finite, if `from` is not before
    /// `until`, or if there are no batches, or too many to be told apart.
    pub fn between(from: f64, until: f64, batches: usize) -> Result<Self, SimError> {
        if !from.is_finite() {
            return Err(bad_time(from, "cannot start a batch; it must be finite", 0.0));
        }
        if !(until > from && (until - from).is_finite()) {
            return Err(bad_time(until, "cannot end batches; it must be finite and after their start", from));
        }
        if batches == 0 {
            return Err(bad_time(until, "ends no batch; there must be at least one", from));
        }
        let boundary = |k: usize| {
            if k == batches { until } else { from + (until - from) * (k as f64 / batches as f64) }
        };
        let batches: Vec<Batch> = (0..batches).map(|k| Batch { start: boundary(k), end: boundary(k + 1) }).collect();
        if batches.iter().any(|batch| batch.end <= batch.start) {
            return Err(bad_time(until, "ends too many batches for their times to differ", from));
        }
        Ok(BatchMeans { held: Held::default(), batches, means: Vec::new() })
    }

    /// Names of the outputs, in order of declaration. Empty before the first run.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        self.held.outputs.names()
    }

    /// The means of the output `name` over the completed batches. `None` if there is no such
    /// output.
    ///
    /// A batch is completed when all of it was observed.
    #[must_use]
    pub fn sample(&self, name: &str) -> Option<Sample> {
        Some(self.completed(self.held.outputs.index(name)?))
    }

    /// The [`sample`](BatchMeans::sample)s of the members of the family `name`; see
    /// [families](crate::record#families). `None` if there is no such family.
    #[must_use]
    pub fn samples_of(&self, name: &str) -> Option<Vec<Sample>> {
        Some(self.held.outputs.members(name)?.map(|output| self.completed(output)).collect())
    }

    fn completed(&self, output: usize) -> Sample {
        let mut means: Vec<Mean> = self.means.iter().skip(output).step_by(self.outputs().len()).copied().collect();
        self.held.pending(touched(&self.batches), |part, values| {
            means[part.number].add(values.of(output).mean, part.time());
        });
        let completed = self.batches.iter().zip(means).filter(|(batch, mean)| {
            let length = batch.end - batch.start;
            // Sums of many short times are rounded.
            batch.end <= self.held.until() && length - mean.time <= 1e-9 * length
        });
        completed.map(|(_, mean)| mean.get()).collect()
    }
}

/// The batches that an interval touches, and where.
fn touched<'a>(batches: &'a [Batch]) -> impl Fn(f64, f64) -> Touched<'a> {
    move |since, until| {
        // Most intervals lie in one batch, or outside of all.
        let outside = batches.last().is_none_or(|last| since >= last.end);
        let first = if outside { batches.len() } else { batches.partition_point(|batch| batch.end <= since) };
        Touched { batches, next: first, since, until }
    }
}

struct Touched<'a> {
    batches: &'a [Batch],
    next: usize,
    since: f64,
    until: f64,
}

impl Iterator for Touched<'_> {
    type Item = Part;

    #[inline]
    fn next(&mut self) -> Option<Part> {
        let batch = self.batches.get(self.next).filter(|batch| batch.start < self.until)?;
        let part = Part { number: self.next, since: self.since.max(batch.start), until: self.until.min(batch.end) };
        self.next += 1;
        Some(part)
    }
}

impl<M: Model> Observer<M> for BatchMeans {
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        let BatchMeans { held, batches, means } = self;
        held.advance(view, until, touched(batches), |part, values| {
            values.each(|output, summary| {
                let width = means.len() / batches.len();
                means[part.number * width + output].add(summary.mean, part.time());
            });
        })?;
        if means.is_empty() {
            *means = vec![Mean::default(); batches.len() * held.outputs.names().len()];
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::{Sites, Steps};

    fn means(batches: &BatchMeans) -> Vec<f64> {
        batches.sample("n").unwrap().values().to_vec()
    }

    #[test]
    fn each_batch_has_its_mean() {
        let mut batches = BatchMeans::between(1.0, 7.0, 3).unwrap();
        Steps::at([0.5, 2.0, 5.5, 5.5]).run().run_with(&mut batches, 10.0).unwrap();
        assert_eq!(means(&batches), [1.5, 2.0, 3.5]);
        assert_eq!(batches.sample("double").unwrap().mean(), 14.0 / 3.0);
        assert!(batches.sample("other").is_none());
    }

    #[test]
    fn batches_not_completed_are_left_out() {
        let mut sim = Steps::at([1.0]).run();
        let mut batches = BatchMeans::between(0.0, 4.0, 4).unwrap();
        assert!(batches.sample("n").is_none());
        sim.run_with(&mut batches, 0.0).unwrap();
        sim.run_with(&mut batches, 2.5).unwrap();
        assert_eq!(means(&batches), [0.0, 1.0]);
        sim.run_until(3.0).unwrap();
        sim.run_with(&mut batches, 9.0).unwrap();
        assert_eq!(means(&batches), [0.0, 1.0, 1.0]);
    }

    #[test]
    fn cutting_a_run_changes_no_bit() {
        let mut whole = BatchMeans::between(2.0, 40.0, 7).unwrap();
        Steps::default().run().run_with(&mut whole, 40.0).unwrap();
        let mut cut = BatchMeans::between(2.0, 40.0, 7).unwrap();
        let mut sim = Steps::default().run();
        for k in 0..=4000 {
            sim.run_with(&mut cut, 0.01 * f64::from(k)).unwrap();
        }
        assert_eq!(means(&whole), means(&cut));
        assert_eq!(means(&whole).len(), 7);
    }

    #[test]
    fn unusable_batches_are_refused() {
        for (from, until, n) in [
            (0.0, 1.0, 0),
            (1.0, 1.0, 2),
            (2.0, 1.0, 2),
            (f64::NAN, 1.0, 2),
            (0.0, f64::INFINITY, 2),
            (1.0, 1.0 + f64::EPSILON, 2),
        ] {
            assert!(BatchMeans::between(from, until, n).is_err(), "{from} {until} {n}");
        }
    }

    #[test]
    fn a_family_has_the_batches_of_its_members() {
        let mut batches = BatchMeans::between(0.0, 4.0, 2).unwrap();
        assert!(batches.samples_of("profile").is_none());
        Sites::of(3, 2).run_with(&mut batches, 5.0).unwrap();
        let samples = batches.samples_of("profile").unwrap();
        let values: Vec<&[f64]> = samples.iter().map(Sample::values).collect();
        assert_eq!(values, [[0.5, 2.5], [0.0, 1.0], [0.0, 0.5]]);
        assert_eq!(batches.sample("profile[2]").as_ref(), samples.last());
        assert_eq!(batches.sample("s[0][1]").unwrap().len(), 2);
        assert!(batches.sample("profile").is_none() && batches.samples_of("other").is_none());
    }
}
