//! A state in which flowing variables are what they are now.

use std::fmt;
use std::ops::Deref;

/// The state of a model with flows at one moment: what [`Simulation::state`](crate::Simulation::state) and
/// [`View::state`](crate::View::state) give. It is used like a reference to the state.
#[derive(Clone, PartialEq)]
pub struct Shown<S>(S);

impl<S> Shown<S> {
    #[doc(hidden)]
    pub fn new(state: S) -> Self {
        Shown(state)
    }

    /// The state itself, to be kept.
    #[must_use]
    pub fn into_inner(self) -> S {
        self.0
    }
}

impl<S> Deref for Shown<S> {
    type Target = S;

    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S: fmt::Debug> fmt::Debug for Shown<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
