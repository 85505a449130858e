//! Functions of several coordinates.

use crate::record::Sample;
use crate::record::path::course::{Course, sweep};
use crate::record::path::sums::Moments;
use crate::record::path::windows;
use crate::record::quadrature::EIGHT;

/// A function of some coordinates of a [`Path`](crate::record::Path), over all the time observed; made by
/// [`Path::functional`](crate::record::Path::functional).
///
/// It is integrated by Gauss-Legendre quadrature with 8 points in each interval in which no coordinate
/// changes. That is exact, up to rounding, where the function is a polynomial of time of degree 15 at most: any
/// function of coordinates that stay between events, a polynomial of degree 15 of those that move at constant
/// velocity, of degree 7 of those with constant acceleration. It is accurate for smooth functions; one that jumps
/// in between, such as an indicator of moving coordinates, is only seen at the points.
pub struct Functional<'a, F> {
    courses: Vec<Course<'a>>,
    function: F,
    range: (f64, f64),
}

impl<F> std::fmt::Debug for Functional<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Functional")
            .field("coordinates", &self.courses.len())
            .field("range", &self.range)
            .finish_non_exhaustive()
    }
}

impl<'a, F: Fn(&[f64]) -> f64> Functional<'a, F> {
    pub(super) fn new(courses: Vec<Course<'a>>, function: F, range: (f64, f64)) -> Self {
        Functional { courses, function, range }
    }

    /// The integral over time, in the unit of the function times that of time.
    #[must_use]
    pub fn integral(&self) -> f64 {
        let mut integral = 0.0;
        let (from, until) = self.range;
        self.each(from, until, |mean, _, time| integral += mean * time);
        integral
    }

    /// The mean over time.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.moments(self.range).mean
    }

    /// The variance over time: the mean square distance from the mean.
    ///
    /// The squares make it exact for half of the degrees.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.moments(self.range).variance()
    }

    /// The means over batches of equal length; see [`Path::batch_means`](crate::record::Path::batch_means).
    /// `None` if there are no batches, or too many to be told apart.
    #[must_use]
    pub fn batch_means(&self, batches: usize) -> Option<Sample> {
        Some(windows(self.range, batches)?.map(|window| self.moments(window).mean).collect())
    }

    /// The effective sample size by batch means; see
    /// [`Path::effective_sample_size`](crate::record::Path::effective_sample_size). `None` as for
    /// [`batch_means`](Functional::batch_means).
    #[must_use]
    pub fn effective_sample_size(&self, batches: usize) -> Option<f64> {
        let error = self.batch_means(batches)?.standard_error();
        Some(self.variance() / (error * error))
    }

    fn moments(&self, (from, until): (f64, f64)) -> Moments {
        let mut moments = Moments::default();
        self.each(from, until, |mean, variance, time| moments.add(time, mean, variance));
        moments
    }

    /// Mean, variance and length of each interval in which no coordinate changes.
    fn each(&self, from: f64, until: f64, mut each: impl FnMut(f64, f64, f64)) {
        let mut place = vec![0.0; self.courses.len()];
        sweep(&self.courses, from, until, |segments, start, end| {
            let values = EIGHT.times(start, end).map(|time| {
                place.iter_mut().zip(segments).for_each(|(value, segment)| *value = segment.value(time));
                (self.function)(&place)
            });
            let mean = EIGHT.mean(values);
            each(mean, EIGHT.mean(values.map(|value| (value - mean) * (value - mean))), end - start);
        });
    }
}
