//! The path of state variables, piece by piece.

mod coordinates;
mod course;
mod csv;
mod follower;
mod functional;
mod moments;
#[cfg(feature = "plot")]
mod plot;
mod segment;
mod sums;
#[cfg(test)]
mod tests;

pub use functional::Functional;
pub use moments::PathMoments;

use coordinates::Coordinates;
use course::{Course, Line, sweep};
use follower::{Follower, Sink};
use segment::{Segment, Shape};
use sums::{Moments, Products};

use super::grid::{Grid, ascending, multiples};
use super::{Sample, bad_time};
use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::view::View;

/// Keeps the whole path of chosen state variables, and computes means, covariances and the like over it,
/// in continuous time.
///
/// A *coordinate* is a variable or one member of a family: `x`, `x[3]`, `s[1][2]`. Of each the *skeleton* is
/// kept: a piece for every time at which the variable was written, or began to flow differently. In between it
/// is what its flow makes of it, so nothing is lost: the path is known at every time. An event costs as much
/// as it moves coordinates, however many others are followed.
///
/// Where a coordinate stays, or flows as a polynomial of time of degree two at most, all is exact up to rounding.
/// Another flow is sampled once its piece is over, at so many times that the polynomials through the samples agree with
/// it to 10⁻¹² of its size, and integrated by Gauss-Legendre quadrature. If the flow fails, the run ends with its error; as
/// long as it is not known where the piece ends, the values of the coordinate and all that is made of them are NaN.
///
/// ```
/// # use clockrace::{simulation, record::Path};
/// simulation! {
///     /// The Zig-Zag process with a standard normal target.
///     model ZigZag {
///         state x: f64 = 0.0;
///         state v: f64 = 1.0;
///         flow x = x + v * dt;
///         clock flip: hazard(affine(x * v, 1.0)) => { v = -v; }
///     }
/// }
/// # fn main() -> Result<(), clockrace::SimError> {
/// let mut path = Path::of(["x", "v"]).since(10.0);
/// ZigZag {}.start(1)?.run_with(&mut path, 20_010.0)?;
/// let error = path.batch_means("x", 50).unwrap().standard_error();
/// assert!(path.mean("x").unwrap().abs() < 4.0 * error);
/// assert!((path.variance("x").unwrap() - 1.0).abs() < 0.1);
/// let tail = path.functional(["x"], |x| x[0].powi(4)).unwrap();
/// assert!((tail.mean() - 3.0).abs() < 0.5);
/// # Ok(())
/// # }
/// ```
///
/// What a simulation is cut into leaves no trace, but a path has no gaps: to run a simulation on without its recorder
/// and then with it is an error. A simulation whose state is changed by [`update`](crate::Simulation::update) between two
/// runs goes on in new pieces; one that has failed and was mended needs a new path.
///
/// `M` is inferred from the simulation that the path is given to, which must be one that can be cloned.
/// [`PathMoments`] keeps sums and no skeleton.
pub struct Path<M: Model> {
    follower: Follower<M>,
    kept: Kept,
}

/// The closed pieces.
#[derive(Clone, Debug, Default)]
struct Kept {
    lines: Vec<Line>,
}

impl Sink for Kept {
    fn begin(&mut self, coordinates: &Coordinates, _from: f64) {
        self.lines = (0..coordinates.len()).map(|coordinate| Line::new(coordinates.get(coordinate).2)).collect();
    }

    fn add(&mut self, coordinate: usize, segment: Segment, first: bool) {
        self.lines[coordinate].push(segment, first);
    }
}

/// A piece of a path: how a coordinate goes on from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// When it begins.
    pub start: f64,
    /// When the coordinate changes again, or the observation ends.
    pub end: f64,
    /// The value at the start.
    pub value: f64,
    /// The first derivative at the start; NaN if the coordinate does not flow as a polynomial of degree two at most.
    pub slope: f64,
    /// The second derivative, all the time; NaN as `slope`.
    pub curvature: f64,
}

impl<M: Model> Path<M> {
    /// The path of these state variables: `x` is a single variable or all members of a family, `x[3]` one member,
    /// and `s[1]` all those whose first index is 1.
    ///
    /// A name that the model does not have, or that is no number, is an error of the run
    /// ([`ErrorKind::Coordinate`](crate::ErrorKind::Coordinate)). State over the pairs of a changing relation comes and
    /// goes, and has no path.
    #[must_use]
    pub fn of(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Path { follower: Follower::new(names), kept: Kept::default() }
    }

    /// The path from `time` on: what comes before is the warm-up.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Path { follower: self.follower.since(time), ..self }
    }

    /// Forgets everything observed so far: the path begins anew where the next run begins.
    pub fn reset(&mut self) {
        self.follower.reset();
        self.kept.lines.clear();
    }

    /// Names of the coordinates, in the order in which they were asked for, members of a family one by one. Empty
    /// before the first run.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.follower.names()
    }

    /// From when to when the path is known, the warm-up left out. `None` if nothing has been observed.
    #[must_use]
    pub fn range(&self) -> Option<(f64, f64)> {
        self.follower.range()
    }

    /// The pieces of the coordinate `name`, in order. `None` if there is no such coordinate.
    #[must_use]
    pub fn skeleton(&self, name: &str) -> Option<Vec<Piece>> {
        let coordinate = self.follower.index(name)?;
        Some(self.course(coordinate).map_or(Vec::new(), |course| pieces(&course).collect()))
    }

    /// The mean over time of the coordinate `name`, in its unit. `None` if there is no such coordinate or no time
    /// has been observed.
    #[must_use]
    pub fn mean(&self, name: &str) -> Option<f64> {
        self.moments(self.follower.index(name)?).map(|moments| moments.mean)
    }

    /// The means of the members of the family `name` that are followed; of `s[1]`, those whose first index is 1.
    /// `None` as for [`mean`](Path::mean).
    #[must_use]
    pub fn means_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |moments| moments.mean)
    }

    /// The mean square over time of the coordinate `name`, in its unit squared. `None` as for [`mean`](Path::mean).
    #[must_use]
    pub fn second_moment(&self, name: &str) -> Option<f64> {
        self.moments(self.follower.index(name)?).map(|moments| moments.second_moment())
    }

    /// The variance over time of the coordinate `name`: the mean square distance from its mean, in its unit
    /// squared. `None` as for [`mean`](Path::mean).
    #[must_use]
    pub fn variance(&self, name: &str) -> Option<f64> {
        self.moments(self.follower.index(name)?).map(|moments| moments.variance())
    }

    /// The variances of the members of the family `name`, as [`means_of`](Path::means_of).
    #[must_use]
    pub fn variances_of(&self, name: &str) -> Option<Vec<f64>> {
        self.all_of(name, |moments| moments.variance())
    }

    /// The covariance over time of two coordinates: the mean product of the distances from their means. `None` as
    /// for [`mean`](Path::mean).
    #[must_use]
    pub fn covariance(&self, one: &str, other: &str) -> Option<f64> {
        let courses = [self.course(self.follower.index(one)?)?, self.course(self.follower.index(other)?)?];
        self.range().map(|range| covariance(&courses, range))
    }

    /// The covariances of all coordinates, in the order of [`names`](Path::names): a symmetric matrix, row by row,
    /// with the variances on its diagonal. `None` if no time has been observed.
    #[must_use]
    pub fn covariances(&self) -> Option<Vec<Vec<f64>>> {
        let range = self.range()?;
        let courses = self.courses(0..self.kept.lines.len())?;
        let mut matrix = vec![vec![0.0; courses.len()]; courses.len()];
        for (i, one) in courses.iter().enumerate() {
            for (j, other) in courses.iter().enumerate().take(i) {
                let covariance = covariance(&[one.clone(), other.clone()], range);
                (matrix[i][j], matrix[j][i]) = (covariance, covariance);
            }
            matrix[i][i] = moments(one, range).variance();
        }
        Some(matrix)
    }

    /// A function of the coordinates `names`, families with all their members, which the function is given as one slice in
    /// that order. `None` if one of them is not followed or no time has been observed.
    ///
    /// See [`Functional`] for how exact it is.
    #[must_use]
    pub fn functional<F: Fn(&[f64]) -> f64>(
        &self,
        names: impl IntoIterator<Item = impl AsRef<str>>,
        function: F,
    ) -> Option<Functional<'_, F>> {
        let mut coordinates = Vec::new();
        for name in names {
            coordinates.extend(self.follower.members(name.as_ref())?);
        }
        Some(Functional::new(self.courses(coordinates)?, function, self.range()?))
    }

    /// The mean over time of a function of all coordinates, which it is given in the order of
    /// [`names`](Path::names): [`functional`](Path::functional) has more. `None` if no time has been observed.
    #[must_use]
    pub fn average_of(&self, function: impl Fn(&[f64]) -> f64) -> Option<f64> {
        self.whole(function).map(|functional| functional.mean())
    }

    /// The integral over time of a function of all coordinates; see [`average_of`](Path::average_of).
    #[must_use]
    pub fn integral_of(&self, function: impl Fn(&[f64]) -> f64) -> Option<f64> {
        self.whole(function).map(|functional| functional.integral())
    }

    /// The fraction of time in which the coordinate `name` stays at exactly `value`, as one does that sticks there.
    /// `None` as for [`mean`](Path::mean).
    #[must_use]
    pub fn occupation(&self, name: &str, value: f64) -> Option<f64> {
        self.occupied(self.follower.index(name)?, value)
    }

    /// [`occupation`](Path::occupation) of each member of the family `name`, as [`means_of`](Path::means_of).
    #[must_use]
    pub fn occupations_of(&self, name: &str, value: f64) -> Option<Vec<f64>> {
        let members = self.follower.members(name)?;
        members.into_iter().map(|coordinate| self.occupied(coordinate, value)).collect()
    }

    /// The value of the coordinate `name` at a time: after all events at or before it. `None` if there is no such
    /// coordinate, or if the time is outside the [`range`](Path::range).
    #[must_use]
    pub fn value(&self, name: &str, time: f64) -> Option<f64> {
        self.values(name, &[time]).map(|values| values[0])
    }

    /// The [`value`](Path::value)s at several times. `None` if one of them is outside the [`range`](Path::range).
    #[must_use]
    pub fn values(&self, name: &str, times: &[f64]) -> Option<Vec<f64>> {
        let coordinate = self.follower.index(name)?;
        let (from, until) = self.range()?;
        let outside = |time: &f64| !(from..=until).contains(time);
        (!times.iter().any(outside)).then(|| self.column(coordinate, times, until))
    }

    /// The values of all coordinates at the multiples of `step` in the [`range`](Path::range), as if a [`Grid`] had kept
    /// them: it has a row for each time and can be written as CSV.
    ///
    /// # Errors
    /// [`ErrorKind::Period`](crate::ErrorKind::Period) if `step` is not positive and finite.
    pub fn on_grid(&self, step: f64) -> Result<Grid, SimError> {
        let (from, until) = self.range().unwrap_or((0.0, f64::NEG_INFINITY));
        Ok(self.grid(multiples(step, from, until)?))
    }

    /// The values of all coordinates at these times, which must ascend; see [`on_grid`](Path::on_grid).
    ///
    /// # Errors
    /// [`ErrorKind::Time`](crate::ErrorKind::Time) if a time is not finite, less than the one before it, or outside the
    /// [`range`](Path::range).
    pub fn at_times(&self, times: impl IntoIterator<Item = f64>) -> Result<Grid, SimError> {
        let times = ascending(times)?;
        let (from, until) = self.range().unwrap_or((f64::NAN, f64::NAN));
        match times.iter().find(|time| !(from..=until).contains(*time)) {
            Some(&time) => Err(bad_time(time, "is outside of what this path has observed", self.follower.until())),
            None => Ok(self.grid(times)),
        }
    }

    /// The means of the coordinate `name` over consecutive batches of equal length that make up the
    /// [`range`](Path::range). `None` as for [`mean`](Path::mean), and if there are no batches, or too many to be told
    /// apart.
    ///
    /// Means over batches that are long compared with the memory of the process are nearly independent; the
    /// [standard error](Sample::standard_error) of their mean is that of the mean over all the time. 20 to 50 batches
    /// are usual.
    #[must_use]
    pub fn batch_means(&self, name: &str, batches: usize) -> Option<Sample> {
        let course = self.course(self.follower.index(name)?)?;
        Some(windows(self.range()?, batches)?.map(|window| moments(&course, window).mean).collect())
    }

    /// The effective sample size of the coordinate `name`: how many independent values would have a mean as accurate as
    /// that of the path. It is the variance over the square of the standard error, which is that of
    /// [`batch_means`](Path::batch_means) (Bierkens, Fearnhead and Roberts, 2019, supplement). `None` as for
    /// [`batch_means`](Path::batch_means), NaN if the coordinate never changes.
    #[must_use]
    pub fn effective_sample_size(&self, name: &str, batches: usize) -> Option<f64> {
        let error = self.batch_means(name, batches)?.standard_error();
        Some(self.variance(name)? / (error * error))
    }

    /// `None` if no time has been observed.
    fn course(&self, coordinate: usize) -> Option<Course<'_>> {
        let (from, until) = self.range()?;
        (from < until).then(|| Course::new(&self.kept.lines[coordinate], self.follower.tail(coordinate), until))
    }

    fn courses(&self, coordinates: impl IntoIterator<Item = usize>) -> Option<Vec<Course<'_>>> {
        self.range().filter(|(from, until)| from < until)?;
        coordinates.into_iter().map(|coordinate| self.course(coordinate)).collect()
    }

    fn whole<F: Fn(&[f64]) -> f64>(&self, function: F) -> Option<Functional<'_, F>> {
        Some(Functional::new(self.courses(0..self.kept.lines.len())?, function, self.range()?))
    }

    fn moments(&self, coordinate: usize) -> Option<Moments> {
        Some(moments(&self.course(coordinate)?, self.range()?))
    }

    fn all_of(&self, name: &str, statistic: fn(&Moments) -> f64) -> Option<Vec<f64>> {
        let members = self.follower.members(name)?;
        members.into_iter().map(|coordinate| self.moments(coordinate).as_ref().map(statistic)).collect()
    }

    fn occupied(&self, coordinate: usize, value: f64) -> Option<f64> {
        let ((from, until), course) = (self.range()?, self.course(coordinate)?);
        let there = course.segments().filter(|segment| segment.constant() == Some(value));
        Some(there.map(|segment| segment.end - segment.start).sum::<f64>() / (until - from))
    }

    /// The values of a coordinate at times in the range.
    fn column(&self, coordinate: usize, times: &[f64], until: f64) -> Vec<f64> {
        let course = self.course(coordinate);
        let value = |&time: &f64| match &course {
            // What happened at the very end is not in a piece yet.
            Some(course) if time < until => course.segment(course.find(time)).value(time),
            _ => self.follower.last(coordinate),
        };
        times.iter().map(value).collect()
    }

    fn grid(&self, times: Vec<f64>) -> Grid {
        let width = self.kept.lines.len();
        let mut values = vec![f64::NAN; width * times.len()];
        for coordinate in 0..width {
            let column = self.column(coordinate, &times, self.follower.until());
            values.iter_mut().skip(coordinate).step_by(width).zip(column).for_each(|(place, value)| *place = value);
        }
        Grid::complete(self.names(), times, values)
    }
}

fn moments(course: &Course<'_>, (from, until): (f64, f64)) -> Moments {
    let mut moments = Moments::default();
    sweep(std::slice::from_ref(course), from, until, |segments, from, until| {
        moments.add_segment(&segments[0], from, until);
    });
    moments
}

fn covariance(courses: &[Course<'_>; 2], (from, until): (f64, f64)) -> f64 {
    let mut products = Products::default();
    sweep(courses, from, until, |segments, from, until| {
        let joint = segments[0].joint(&segments[1], from, until);
        products.add(until - from, joint.means, joint.covariance);
    });
    products.covariance()
}

/// The batches of equal length that a range is made of. `None` if there are none, or too many to be told apart.
fn windows((from, until): (f64, f64), batches: usize) -> Option<impl Iterator<Item = (f64, f64)>> {
    let boundary = move |k: usize| {
        if k == batches { until } else { from + (until - from) * (k as f64 / batches as f64) }
    };
    let windows = (0..batches).map(move |k| (boundary(k), boundary(k + 1)));
    (batches > 0 && windows.clone().all(|(start, end)| start < end)).then_some(windows)
}

/// A course as others see it.
fn pieces(course: &Course<'_>) -> impl Iterator<Item = Piece> {
    course.pieces().map(|segments| {
        let (first, last) = (course.segment(segments.start), course.segment(segments.end - 1));
        let (value, slope, curvature) = match first.shape {
            // No derivative is −0.
            Shape::Polynomial([value, slope, bend]) => (value, slope + 0.0, 2.0 * bend + 0.0),
            Shape::Sampled(_) => (first.value(first.start), f64::NAN, f64::NAN),
        };
        Piece { start: first.start, end: last.end, value, slope, curvature }
    })
}

impl<M: Model + Clone> Clone for Path<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    fn clone(&self) -> Self {
        Path { follower: self.follower.clone(), kept: self.kept.clone() }
    }
}

impl<M: Model> std::fmt::Debug for Path<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Path").field("model", &M::NAME).field("range", &self.range()).finish_non_exhaustive()
    }
}

impl<M: Model + Clone> Observer<M> for Path<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    #[inline]
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        self.follower.advance(view, until, &mut self.kept)
    }

    #[inline]
    fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
        self.follower.event(view, event, &mut self.kept)
    }

    fn finish(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        self.follower.finish(view, &mut self.kept)
    }
}
