//! The times to record at, and recording at them.

use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::view::View;

/// Records into the place that the replicate has in the whole.
pub(super) struct Rows<'a> {
    times: &'a [f64],
    /// How many rows there are already.
    next: usize,
    /// Row by row.
    values: &'a mut [f64],
}

impl<'a> Rows<'a> {
    /// No rows yet; `values` has room for one at each of `times`.
    pub(super) fn new(times: &'a [f64], values: &'a mut [f64]) -> Self {
        Rows { times, next: 0, values }
    }

    /// A row for the next time.
    fn push<M: Model>(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        let width = M::OUTPUTS.len();
        view.at(self.next_time()).outputs(&mut self.values[self.next * width..(self.next + 1) * width])?;
        self.next += 1;
        Ok(())
    }

    /// The rows of all times that are left.
    pub(super) fn hold<M: Model>(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        while self.next < self.times.len() {
            self.push(view)?;
        }
        Ok(())
    }

    /// The time of the next row.
    fn next_time(&self) -> f64 {
        self.times.get(self.next).copied().unwrap_or(f64::INFINITY)
    }
}

impl<M: Model> Observer<M> for Rows<'_> {
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        while self.next_time() < until {
            self.push(view)?;
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
