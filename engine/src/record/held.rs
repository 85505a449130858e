//! Intervals over which the outputs stay as they are.

use super::outputs::Followed;
use super::{BACKWARDS, bad_time};
use crate::error::SimError;
use crate::model::Model;
use crate::view::View;

/// Puts neighbouring intervals with the same outputs together before anyone adds them up, so that
/// a cut in a run leaves no trace in the rounding.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) outputs: Followed,
    since: f64,
    until: f64,
    values: Vec<f64>,
    fresh: Vec<f64>,
}

/// The outputs were `values` from `since` to `until`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval<'a> {
    pub(super) since: f64,
    pub(super) until: f64,
    pub(super) values: &'a [f64],
}

impl Held {
    /// The outputs are those of `view` until `until`. `add` is given the interval before, once the
    /// outputs have changed.
    #[inline]
    pub(super) fn advance<M: Model>(
        &mut self,
        view: View<'_, M>,
        until: f64,
        add: impl FnOnce(Interval<'_>),
    ) -> Result<(), SimError> {
        let now = view.now();
        self.look(view)?;
        if now == self.until && self.since < now && self.fresh == self.values {
            self.until = until;
            return Ok(());
        }
        if let Some(interval) = self.pending() {
            add(interval);
        }
        std::mem::swap(&mut self.values, &mut self.fresh);
        (self.since, self.until) = (now, until);
        Ok(())
    }

    /// The outputs of `view`.
    pub(super) fn look<M: Model>(&mut self, view: View<'_, M>) -> Result<&[f64], SimError> {
        let now = view.now();
        let count = self.outputs.follow(view)?;
        if now < self.until {
            return Err(bad_time(now, BACKWARDS, now));
        }
        self.fresh.resize(count, f64::NAN);
        view.outputs(&mut self.fresh)?;
        Ok(&self.fresh)
    }

    /// The interval that has not been added yet.
    pub(super) fn pending(&self) -> Option<Interval<'_>> {
        (self.since < self.until).then_some(Interval { since: self.since, until: self.until, values: &self.values })
    }

    /// The time up to which the run was seen.
    pub(super) fn until(&self) -> f64 {
        self.until
    }

    /// Forgets what was seen.
    pub(super) fn reset(&mut self) {
        self.outputs.part();
        (self.since, self.until) = (0.0, 0.0);
    }
}

/// A mean over time.
///
/// Only distances from the first value are added up: without rounding if the value never changes,
/// and with less of it than the values themselves otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub(super) time: f64,
    origin: f64,
    area: f64,
}

impl Mean {
    /// The quantity was `value` for `time`.
    #[inline]
    pub(super) fn add(&mut self, value: f64, time: f64) {
        if self.time == 0.0 && value.is_finite() {
            self.origin = value;
        }
        self.time += time;
        self.area += (value - self.origin) * time;
    }

    /// NaN if no time has been added.
    #[inline]
    pub(super) fn get(&self) -> f64 {
        self.origin + self.area / self.time
    }
}
