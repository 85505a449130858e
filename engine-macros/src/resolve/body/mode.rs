//! What code may do where it stands.

use std::collections::BTreeSet;

/// What code may do where it stands.
#[derive(Clone, Debug)]
pub(in crate::resolve) struct Mode {
    /// For messages: "a rate".
    pub(super) what: &'static str,
    /// Whether it is a `let`, which becomes part of whatever uses it.
    pub(super) defines: bool,
    pub(super) writes: bool,
    pub(super) rng: bool,
    pub(super) now: bool,
    pub(super) tallies: bool,
    /// In initial values, the places that have a value already.
    pub(super) allowed: Option<BTreeSet<usize>>,
}

impl Mode {
    const PURE: Mode =
        Mode { what: "", defines: false, writes: false, rng: false, now: true, tallies: false, allowed: None };

    pub(in crate::resolve) fn action() -> Self {
        Mode { what: "an action", writes: true, rng: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn definition() -> Self {
        Mode { what: "a definition", defines: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn guard() -> Self {
        Mode { what: "a guard", now: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn rate() -> Self {
        Mode { what: "a rate", now: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn stop() -> Self {
        Mode { what: "a stop condition", now: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn speed() -> Self {
        Mode { what: "a speed", now: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn period() -> Self {
        Mode { what: "a period", now: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn at() -> Self {
        Mode { what: "a ring time", ..Mode::PURE }
    }

    pub(in crate::resolve) fn delay() -> Self {
        Mode { what: "a delay", rng: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn observe() -> Self {
        Mode { what: "an output", tallies: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn invariant() -> Self {
        Mode { what: "an invariant", ..Mode::PURE }
    }

    /// An initial value, which may use the places in `allowed`.
    pub(in crate::resolve) fn initial(allowed: BTreeSet<usize>) -> Self {
        Mode { what: "an initial value", allowed: Some(allowed), ..Mode::PURE }
    }

    /// The same with random numbers.
    pub(in crate::resolve) fn drawn(self) -> Self {
        Mode { rng: true, ..self }
    }
}
