//! Sums over a path, without the path.

use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::record::bad_time;
use crate::record::path::coordinates::Coordinates;
use crate::record::path::follower::{Follower, Sink};
use crate::record::path::segment::Segment;
use crate::record::path::sums::Moments;
use crate::view::View;

/// Means, variances and batch means of state variables over time, as exact as those of a
/// [`Path`](crate::record::Path), without keeping the path: for very many coordinates, or very long runs.
///
/// Of each coordinate it keeps its open piece and sums. An event costs as much as it moves coordinates.
///
/// ```
/// # use clockrace::{simulation, record::PathMoments};
/// # simulation! {
/// #     model ZigZag {
/// #         index axis = 0..4;
/// #         state x[k in axis]: f64 = 0.0;
/// #         state v[k in axis]: f64 = 1.0;
/// #         flow x[k in axis] = x[k] + v[k] * dt;
/// #         clock flip[k in axis]: hazard(affine(x[k] * v[k], 1.0)) => { v[k] = -v[k]; }
/// #     }
/// # }
/// # fn main() -> Result<(), clockrace::SimError> {
/// let mut moments = PathMoments::of(["x"]).since(10.0).batches_of(100.0)?;
/// ZigZag {}.start(1)?.run_with(&mut moments, 5010.0)?;
/// for k in 0..4 {
///     let name = format!("x[{k}]");
///     let error = moments.standard_error(&name).unwrap();
///     assert!(moments.mean(&name).unwrap().abs() < 5.0 * error);
/// }
/// assert!(moments.variances_of("x").unwrap().iter().all(|variance| (variance - 1.0).abs() < 0.2));
/// # Ok(())
/// # }
/// ```
pub struct PathMoments<M: Model> {
    follower: Follower<M>,
    sums: Sums,
}

#[derive(Clone, Debug, Default)]
struct Sums {
    moments: Vec<Moments>,
    batches: Option<Batches>,
    occupation: Option<Occupation>,
}

/// Batches of equal length from the beginning of observation on.
#[derive(Clone, Debug)]
struct Batches {
    length: f64,
    from: f64,
    /// Of each coordinate: the batch that is not complete, and the means of those that are, each for a time of 1.
    of: Vec<(Moments, Moments)>,
}

/// How long each coordinate has stayed at `value`.
#[derive(Clone, Debug)]
struct Occupation {
    value: f64,
    times: Vec<f64>,
}

impl Sink for Sums {
    fn begin(&mut self, coordinates: &Coordinates, from: f64) {
        let count = coordinates.len();
        self.moments = vec![Moments::default(); count];
        if let Some(batches) = &mut self.batches {
            batches.from = from;
            batches.of = vec![Default::default(); count];
        }
        if let Some(occupation) = &mut self.occupation {
            occupation.times = vec![0.0; count];
        }
    }

    fn add(&mut self, coordinate: usize, segment: Segment, _first: bool) {
        self.moments[coordinate].add_segment(&segment, segment.start, segment.end);
        if let Some(batches) = &mut self.batches {
            let Batches { length, from, of } = batches;
            let (open, complete) = &mut of[coordinate];
            add_to_batches(*length, *from, open, complete, &segment);
        }
        if let Some(occupation) = &mut self.occupation {
            if segment.constant() == Some(occupation.value) {
                occupation.times[coordinate] += segment.end - segment.start;
            }
        }
    }
}

fn add_to_batches(length: f64, from: f64, open: &mut Moments, complete: &mut Moments, segment: &Segment) {
    let mut start = segment.start;
    while start < segment.end {
        // By multiplication, so that ends don't drift.
        let end = from + length * (complete.time + 1.0);
        if segment.end < end {
            open.add_segment(segment, start, segment.end);
            break;
        }
        if start < end {
            open.add_segment(segment, start, end);
        } else if open.time == 0.0 {
            // So late that no time lies in the batch.
            open.mean = segment.value(start);
        }
        complete.add(1.0, open.mean, 0.0);
        *open = Moments::default();
        start = start.max(end);
    }
}

impl<M: Model> PathMoments<M> {
    /// Moments of these state variables; see [`Path::of`](crate::record::Path::of).
    #[must_use]
    pub fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        PathMoments { follower: Follower::new(names), sums: Sums::default() }
    }

    /// From `time` on: what comes before is the warm-up.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        PathMoments { follower: self.follower.since(time), ..self }
    }

    /// Also takes means over consecutive batches of this length, for standard errors. A batch should be long compared
    /// with the memory of the process.
    ///
    /// # Errors
    /// [`ErrorKind::Time`](crate::ErrorKind::Time) if `length` is not positive and finite.
    pub fn batches_of(mut self, length: f64) -> Result<Self, SimError> {
        if !(length > 0.0 && length < f64::INFINITY) {
            return Err(bad_time(length, "is no length of a batch; it must be positive and finite", 0.0));
        }
        self.sums.batches = Some(Batches { length, from: 0.0, of: Vec::new() });
        Ok(self)
    }

    /// Also measures for how long each coordinate stays at exactly `value`, as one does that sticks there.
    #[must_use]
    pub fn occupation_of(mut self, value: f64) -> Self {
        self.sums.occupation = Some(Occupation { value, times: Vec::new() });
        self
    }

    /// Forgets everything observed so far: the sums begin anew where the next run begins.
    pub fn reset(&mut self) {
        self.follower.reset();
    }

    /// Names of the coordinates, in the order in which they were asked for, members of a family one by one. Empty
    /// before the first run.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.follower.names()
    }

    /// From when to when the coordinates have been observed, the warm-up left out. `None` if nothing has been.
    #[must_use]
    pub fn range(&self) -> Option<(f64, f64)> {
        self.follower.range()
    }

    /// The mean over time of the coordinate `name`, in its unit. `None` if there is no such coordinate or no time has
    /// been observed.
    #[must_use]
    pub fn mean(&self, name: &str) -> Option<f64> {
        self.moments(self.follower.index(name)?).map(|moments| moments.mean)
    }

    /// The means of the members of the family `name`; see [`Path::means_of`](crate::record::Path::means_of). `None` as
    /// for [`mean`](PathMoments::mean).
    #[must_use]
    pub fn means_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |coordinate| self.moments(coordinate).map(|moments| moments.mean))
    }

    /// The mean square over time of the coordinate `name`. `None` as for [`mean`](PathMoments::mean).
    #[must_use]
    pub fn second_moment(&self, name: &str) -> Option<f64> {
        self.moments(self.follower.index(name)?).map(|moments| moments.second_moment())
    }

    /// The variance over time of the coordinate `name`: the mean square distance from its mean. `None` as for
    /// [`mean`](PathMoments::mean).
    #[must_use]
    pub fn variance(&self, name: &str) -> Option<f64> {
        self.moments(self.follower.index(name)?).map(|moments| moments.variance())
    }

    /// The variances of the members of the family `name`. `None` as for [`mean`](PathMoments::mean).
    #[must_use]
    pub fn variances_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |coordinate| self.moments(coordinate).map(|moments| moments.variance()))
    }

    /// How many batches have been completed; 0 without [`batches_of`](PathMoments::batches_of).
    #[must_use]
    pub fn batches(&self) -> usize {
        self.completed(0).map_or(0, |completed| completed.time as usize)
    }

    /// The standard error of the mean of the coordinate `name`, from the means over completed batches. `None` as for
    /// [`mean`](PathMoments::mean) and without [`batches_of`](PathMoments::batches_of); NaN if there are fewer than two
    /// batches.
    #[must_use]
    pub fn standard_error(&self, name: &str) -> Option<f64> {
        self.error(self.follower.index(name)?)
    }

    /// The [`standard_error`](PathMoments::standard_error)s of the members of the family `name`.
    #[must_use]
    pub fn standard_errors_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |coordinate| self.error(coordinate))
    }

    /// The effective sample size of the coordinate `name`; see
    /// [`Path::effective_sample_size`](crate::record::Path::effective_sample_size). `None` and NaN as for
    /// [`standard_error`](PathMoments::standard_error).
    #[must_use]
    pub fn effective_sample_size(&self, name: &str) -> Option<f64> {
        let error = self.standard_error(name)?;
        Some(self.variance(name)? / (error * error))
    }

    /// The fraction of time in which the coordinate `name` stays at the value of
    /// [`occupation_of`](PathMoments::occupation_of). `None` as for [`mean`](PathMoments::mean), and if no value was given.
    #[must_use]
    pub fn occupation(&self, name: &str) -> Option<f64> {
        self.occupied(self.follower.index(name)?)
    }

    /// [`occupation`](PathMoments::occupation) of each member of the family `name`.
    #[must_use]
    pub fn occupations_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |coordinate| self.occupied(coordinate))
    }

    fn all_of(&self, name: &str, statistic: impl Fn(usize) -> Option<f64>) -> Option<Vec<f64>> {
        self.follower.members(name)?.into_iter().map(statistic).collect()
    }

    /// With the piece that is still open. `None` if no time has been observed.
    fn moments(&self, coordinate: usize) -> Option<Moments> {
        self.range().filter(|(from, until)| from < until)?;
        let mut moments = self.sums.moments[coordinate];
        for segment in self.follower.tail(coordinate) {
            moments.add_segment(&segment, segment.start, segment.end);
        }
        Some(moments)
    }

    /// The means of the completed batches.
    fn completed(&self, coordinate: usize) -> Option<Moments> {
        self.range()?;
        let Batches { length, from, of } = self.sums.batches.as_ref()?;
        let &(mut open, mut complete) = of.get(coordinate)?;
        for segment in self.follower.tail(coordinate) {
            add_to_batches(*length, *from, &mut open, &mut complete, &segment);
        }
        Some(complete)
    }

    fn error(&self, coordinate: usize) -> Option<f64> {
        let complete = self.completed(coordinate)?;
        let count = complete.time;
        Some((complete.squares / (count - 1.0) / count).sqrt())
    }

    fn occupied(&self, coordinate: usize) -> Option<f64> {
        let (from, until) = self.range().filter(|(from, until)| from < until)?;
        let Occupation { value, times } = self.sums.occupation.as_ref()?;
        let tail = self.follower.tail(coordinate);
        let there = tail.iter().filter(|segment| segment.constant() == Some(*value));
        let open: f64 = there.map(|segment| segment.end - segment.start).sum();
        Some((times[coordinate] + open) / (until - from))
    }
}

impl<M: Model + Clone> Clone for PathMoments<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    fn clone(&self) -> Self {
        PathMoments { follower: self.follower.clone(), sums: self.sums.clone() }
    }
}

impl<M: Model> std::fmt::Debug for PathMoments<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PathMoments").field("model", &M::NAME).field("range", &self.range()).finish_non_exhaustive()
    }
}

impl<M: Model + Clone> Observer<M> for PathMoments<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    #[inline]
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        self.follower.advance(view, until, &mut self.sums)
    }

    #[inline]
    fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
        self.follower.event(view, event, &mut self.sums)
    }

    fn finish(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        self.follower.finish(view, &mut self.sums)
    }
}
