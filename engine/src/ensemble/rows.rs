//! The times to record at, and recording at them.

use std::slice;

use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::view::View;

/// Records into the place that the replicate has in the whole.
pub(super) struct Rows<'a> {
    /// The time of the next row; infinity when there is none.
    next: f64,
    /// The times after it.
    times: slice::Iter<'a, f64>,
    /// Those that have not been written.
    rows: slice::ChunksExactMut<'a, f64>,
}

impl<'a> Rows<'a> {
    /// No rows yet; `values` has room for one at each of `times`. There is at least one time and one
    /// output.
    pub(super) fn new(times: &'a [f64], values: &'a mut [f64]) -> Self {
        let rows = values.chunks_exact_mut(values.len() / times.len());
        let mut times = times.iter();
        Rows { next: times.next().copied().unwrap_or(f64::INFINITY), times, rows }
    }

    /// The rows of all times before `until`.
    // Few events come here, and the loop around the others is better off without it.
    #[cold]
    #[inline(never)]
    fn before<M: Model>(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        while self.next < until {
            let Some(row) = self.rows.next() else { break };
            view.at(self.next).outputs(row)?;
            self.next = self.times.next().copied().unwrap_or(f64::INFINITY);
        }
        Ok(())
    }

    /// The rows of all times that are left.
    pub(super) fn hold<M: Model>(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        self.before(view, f64::INFINITY)
    }
}

impl<M: Model> Observer<M> for Rows<'_> {
    #[inline]
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        if self.next < until {
            self.before(view, until)?;
        }
        Ok(())
    }
}

/// The multiples of `step` from `start` to `until`. The last is `until` itself if it differs from
/// it by rounding only. `None` if there are too many.
pub(super) fn multiples(step: f64, start: f64, until: f64) -> Option<Vec<f64>> {
    let slack = 4.0 * f64::EPSILON * until.abs();
    let mut k = (start / step).ceil() - 1.0;
    let count = ((until - start) / step).max(0.0) + 3.0;
    if k + count + 1.0 >= MANY {
        return None;
    }
    let mut times = Vec::new();
    times.try_reserve_exact(count as usize).ok()?;
    while k * step <= until + slack {
        let time = k * step;
        if time >= start {
            times.push(if (time - until).abs() <= slack { until } else { time });
        }
        k += 1.0;
    }
    Some(times)
}

/// 2⁵³: below it, whole numbers are exact in a float.
const MANY: f64 = 9_007_199_254_740_992.0;
