//! What an observer sees.

use crate::error::SimError;
use crate::model::{Active, Engine, Model, Ticks};
use crate::moment::Moment;

/// A read-only look at a running simulation, at one moment.
pub struct View<'a, M: Model> {
    #[doc(hidden)]
    pub model: &'a M,
    #[doc(hidden)]
    pub state: &'a M::State,
    #[doc(hidden)]
    pub tallies: &'a M::Tallies,
    #[doc(hidden)]
    pub clocks: &'a M::Clocks,
    #[doc(hidden)]
    pub now: f64,
    /// What rounding took from it.
    #[doc(hidden)]
    pub low: f64,
    /// When something was written last.
    #[doc(hidden)]
    pub changed: f64,
}

impl<M: Model> Clone for View<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: Model> Copy for View<'_, M> {}

impl<'a, M: Model> View<'a, M> {
    #[inline(always)]
    pub(crate) fn new(engine: &'a Active<'_, M>) -> Self {
        View {
            model: engine.model,
            state: engine.state,
            tallies: engine.tallies,
            clocks: engine.clocks,
            now: engine.progress.now,
            low: engine.progress.low,
            changed: engine.progress.changed,
        }
    }

    pub(crate) fn of(engine: &'a Engine<M>) -> Self {
        View {
            model: &engine.model,
            state: &engine.state,
            tallies: &engine.tallies,
            clocks: &engine.clocks,
            now: engine.progress.now,
            low: engine.progress.low,
            changed: engine.progress.changed,
        }
    }

    /// The same simulation at `time`, before its next event: what reads `now` sees `time`, and flowing variables
    /// are what they are then.
    ///
    /// It is for [`Observer::advance`](crate::Observer::advance), where `time` is from
    /// `view.now()` to `until`; an earlier time is taken as `view.now()`.
    #[must_use]
    pub fn at(self, time: f64) -> Self {
        View { now: time.max(self.now), low: if time > self.now { 0.0 } else { self.low }, ..self }
    }

    /// The same at any time since something was written.
    pub(crate) fn at_time(self, time: f64) -> Self {
        View { now: time, low: 0.0, ..self }
    }

    /// The simulated time.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.now
    }

    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn moment(&self) -> Moment {
        Moment { time: self.now, low: self.low }
    }

    /// The tick, exactly.
    #[must_use]
    pub fn tick(&self) -> u64
    where
        M: Ticks,
    {
        self.moment().ticks()
    }

    /// The state; see [`Simulation::state`](crate::Simulation::state).
    ///
    /// # Panics
    /// If a flow fails by `?` or overflow.
    #[must_use]
    pub fn state(&self) -> M::Shown<'a> {
        M::shown(*self).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The params.
    #[must_use]
    pub fn params(&self) -> &'a M {
        self.model
    }

    /// The tallies.
    #[must_use]
    pub fn tallies(&self) -> &'a M::Tallies {
        self.tallies
    }

    /// The outputs (`observe`).
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    pub fn observe(&self) -> Result<M::Observed, SimError> {
        M::observe(*self)
    }

    /// The numeric outputs, in the order of [`output_names`](View::output_names).
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    ///
    /// # Panics
    /// If `into` is shorter than [`output_count`](View::output_count).
    pub fn outputs(&self, into: &mut [f64]) -> Result<(), SimError> {
        M::outputs(*self, into)
    }

    /// How many numeric outputs there are: a family has one for each of its members. It does not
    /// change in a run.
    #[inline]
    #[must_use]
    pub fn output_count(&self) -> usize {
        M::output_count(*self)
    }

    /// Names of the numeric outputs, in the order of [`Model::OUTPUTS`]; those of a family's
    /// members with their indices: `profile[3]`, `s[1][2]`.
    #[must_use]
    pub fn output_names(&self) -> Vec<String> {
        M::output_names(*self)
    }

    /// The numeric output `name`, of a family with its indices (`profile[3]`); `None` if the model
    /// has none of that name.
    ///
    /// It evaluates all outputs to give one. [`observe`](View::observe) has them as fields.
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    pub fn output(&self, name: &str) -> Result<Option<f64>, SimError> {
        let Some(position) = self.output_names().iter().position(|output| output == name) else { return Ok(None) };
        let mut values = vec![0.0; self.output_count()];
        self.outputs(&mut values)?;
        Ok(Some(values[position]))
    }
}
