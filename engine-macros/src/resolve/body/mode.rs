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
    /// Whether it is evaluated once, from params.
    pub(super) once: bool,
    /// Whether what is read decides when the code is looked at again.
    pub(super) traced: bool,
    /// Whether it may read flowing variables.
    pub(super) flowing: bool,
    /// The flow that it is.
    pub(super) flow: Option<usize>,
    /// Whether what moves is a polynomial of time, not a number.
    pub(super) courses: bool,
    /// Whether elements at indices that are known at run time only count as their whole family.
    pub(super) widens: bool,
    /// In initial values, the places that have a value already.
    pub(super) allowed: Option<BTreeSet<usize>>,
}

impl Mode {
    const PURE: Mode = Mode {
        what: "",
        defines: false,
        writes: false,
        rng: false,
        now: true,
        tallies: false,
        once: false,
        traced: false,
        flowing: true,
        flow: None,
        courses: false,
        widens: false,
        allowed: None,
    };

    pub(in crate::resolve) fn action() -> Self {
        Mode { what: "an action", writes: true, rng: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn definition() -> Self {
        Mode { what: "a definition", defines: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn guard() -> Self {
        Mode { what: "a guard", now: false, flowing: false, traced: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn rate() -> Self {
        Mode { what: "a rate", now: false, flowing: false, traced: true, ..Mode::PURE }
    }

    pub(in crate::resolve) fn stop() -> Self {
        Mode { what: "a stop condition", now: false, flowing: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn speed() -> Self {
        Mode { what: "a speed", now: false, flowing: false, traced: true, ..Mode::PURE }
    }

    /// What an activity waits for, or runs at.
    pub(in crate::resolve) fn condition(what: &'static str) -> Self {
        Mode { what, now: false, flowing: false, traced: true, widens: true, ..Mode::PURE }
    }

    /// The priority of an activity.
    pub(in crate::resolve) fn priority() -> Self {
        Mode { what: "a priority", flowing: false, ..Mode::PURE }
    }

    pub(in crate::resolve) fn period() -> Self {
        Mode { what: "a period", now: false, flowing: false, traced: true, ..Mode::PURE }
    }

    /// What decides a hazard or its bound.
    pub(in crate::resolve) fn bound() -> Self {
        Mode { what: "a hazard", traced: true, ..Mode::PURE }
    }

    /// A hazard that is looked at in each proposal.
    pub(in crate::resolve) fn intensity(random: bool) -> Self {
        Mode { what: "a hazard under a bound", rng: random, ..Mode::PURE }
    }

    /// A function whose crossings are looked for.
    pub(in crate::resolve) fn crossing() -> Self {
        Mode { what: "a function that crosses zero", traced: true, ..Mode::PURE }
    }

    /// The expression of flow number `flow`.
    pub(in crate::resolve) fn flow(flow: usize) -> Self {
        Mode { what: "a flow", flow: Some(flow), ..Mode::PURE }
    }

    /// The same with polynomials of time for what moves.
    pub(in crate::resolve) fn courses(self) -> Self {
        Mode { courses: true, ..self }
    }

    pub(in crate::resolve) fn at() -> Self {
        Mode { what: "a ring time", traced: true, ..Mode::PURE }
    }

    /// A delay, which is drawn again when what it reads changes or is not.
    pub(in crate::resolve) fn delay(redraw: bool) -> Self {
        Mode { what: "a delay", rng: true, traced: redraw, ..Mode::PURE }
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

    /// The size of an index set.
    pub(in crate::resolve) fn size(allowed: BTreeSet<usize>) -> Self {
        Mode { what: "the size of an index set", now: false, once: true, allowed: Some(allowed), ..Mode::PURE }
    }

    /// The members of a row of a relation that does not change.
    pub(in crate::resolve) fn relation(allowed: BTreeSet<usize>) -> Self {
        Mode { what: "a relation that does not change", now: false, once: true, allowed: Some(allowed), ..Mode::PURE }
    }

    /// The same with random numbers.
    pub(in crate::resolve) fn drawn(self) -> Self {
        Mode { rng: true, ..self }
    }
}
