//! What an observer sees.

use crate::error::SimError;
use crate::model::{Engine, Model};

/// A read-only look at a running simulation, at one moment.
pub struct View<'a, M: Model> {
    engine: &'a Engine<M>,
    now: f64,
}

impl<M: Model> Clone for View<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for View<'_, M> {}

impl<'a, M: Model> View<'a, M> {
    pub(crate) fn new(engine: &'a Engine<M>) -> Self {
        View { engine, now: engine.now }
    }

    /// The same simulation at `time`, before its next event: what reads `now` sees `time`.
    ///
    /// It is for [`Observer::advance`](crate::Observer::advance), where `time` is from
    /// `view.now()` to `until`; an earlier time is taken as `view.now()`.
    #[must_use]
    pub fn at(self, time: f64) -> Self {
        View { engine: self.engine, now: time.max(self.now) }
    }

    /// The simulated time.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &'a M::State {
        &self.engine.state
    }

    /// The params.
    #[must_use]
    pub fn params(&self) -> &'a M {
        &self.engine.model
    }

    /// The tallies.
    #[must_use]
    pub fn tallies(&self) -> &'a M::Tallies {
        &self.engine.tallies
    }

    /// The outputs (`observe`).
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    pub fn observe(&self) -> Result<M::Observed, SimError> {
        M::observe(self.engine, self.now)
    }

    /// The numeric outputs in the order of [`Model::OUTPUTS`].
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    ///
    /// # Panics
    /// If `into` is shorter than [`Model::OUTPUTS`].
    pub fn outputs(&self, into: &mut [f64]) -> Result<(), SimError> {
        M::outputs(self.engine, self.now, into)
    }

    /// The numeric output `name`; `None` if the model has none of that name.
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    pub fn output(&self, name: &str) -> Result<Option<f64>, SimError> {
        let Some(position) = M::OUTPUTS.iter().position(|output| *output == name) else { return Ok(None) };
        let mut values = vec![0.0; M::OUTPUTS.len()];
        self.outputs(&mut values)?;
        Ok(Some(values[position]))
    }
}
