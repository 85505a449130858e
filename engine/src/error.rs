//! Errors of a run: typed, and naming clock, time and value.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

/// What went wrong while a simulation was started or run.
///
/// After an error the simulation is still readable, at the last completed event. Running it
/// again gives the same error, until [`Simulation::update`](crate::Simulation::update) has
/// mended the state.
///
/// `Debug` shows the same text as `Display`, so that `fn main() -> Result<(), SimError>` is readable.
#[derive(Clone)]
pub struct SimError(Box<Report>);

#[derive(Clone)]
struct Report {
    kind: ErrorKind,
    clock: Option<Source>,
    event: Option<Source>,
    time: f64,
}

/// An item of a model, and its index if it is one of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Source {
    name: &'static str,
    index: Vec<usize>,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}", self.name)?;
        for index in &self.index {
            write!(f, "[{index}]")?;
        }
        f.write_str("`")
    }
}

/// The kinds of [`SimError`].
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A `param … in RANGE` was given a value outside its range, or NaN.
    #[error("param `{name}` is {value}, {expected}")]
    Param {
        /// Name of the param.
        name: &'static str,
        /// The value that was given.
        value: String,
        /// What was expected instead.
        expected: &'static str,
    },
    /// A rate was negative, NaN or infinite.
    #[error("the rate is {value}; a rate must be finite and not negative")]
    Rate {
        /// The rate.
        value: f64,
    },
    /// The rates of a model add up to more than a floating-point number holds.
    #[error("the rates of the model add up to {value}")]
    TotalRate {
        /// The sum.
        value: f64,
    },
    /// An `at` named a time that has passed, or NaN.
    #[error("`at` gave {value}; a ring time must not lie in the past (use `never` to switch a clock off)")]
    RingTime {
        /// The time that `at` gave.
        value: f64,
    },
    /// The delay of an `after` was negative or NaN.
    #[error("`after` gave {value}; a delay must not be negative")]
    Delay {
        /// The delay.
        value: f64,
    },
    /// The `speed` of an `after` was negative, NaN or infinite.
    #[error("`speed` gave {value}; a speed must be finite and not negative")]
    Speed {
        /// The speed.
        value: f64,
    },
    /// The period of an `every` was not positive and finite, or its phase was not finite.
    #[error("`every` has the {part} {value}; a period must be positive and finite, a phase finite")]
    Period {
        /// `period` or `phase`.
        part: &'static str,
        /// Its value.
        value: f64,
    },
    /// A part of a hazard, or of the bound of one, is not usable.
    #[error("the hazard's {part} is {value}; {}", expected(.part))]
    Hazard {
        /// `a`, `b`, `c`, `bound` or `until`.
        part: &'static str,
        /// Its value.
        value: f64,
    },
    /// A hazard was above its bound, so that thinning would miss events.
    #[error("the hazard is {rate} and its bound {bound}; give a higher bound (or `adapt`, which raises it and counts)")]
    Bound {
        /// The hazard.
        rate: f64,
        /// The bound at that moment.
        bound: f64,
    },
    /// The function of a `crosses` is not a number.
    #[error("`crosses` looks at {value}, which is not a number")]
    Crossing {
        /// The value.
        value: f64,
    },
    /// The `step` of a `crosses` was not positive and finite.
    #[error("`crosses` has the step {value}; a step must be positive and finite")]
    Step {
        /// The step.
        value: f64,
    },
    /// An integer would have left its type's range.
    #[error("`{left} {operator} {right}` does not fit in {type_name}")]
    Overflow {
        /// `+`, `-` or `*`.
        operator: char,
        /// Left operand.
        left: String,
        /// Right operand.
        right: String,
        /// The integer type.
        type_name: &'static str,
    },
    /// An index of a family, or a member that a relation was given, is outside its set.
    #[error("index {index} is outside `{name}`, whose indices are 0..{size}")]
    Index {
        /// Name of the family or relation.
        name: &'static str,
        /// The index.
        index: i64,
        /// Size of the set.
        size: usize,
    },
    /// A pair that a relation does not hold.
    #[error("`{name}` has no element for the pair ({row}, {member}): its relation does not hold it")]
    Pair {
        /// Name of the family.
        name: &'static str,
        /// The row of the pair; its number, if a row has several indices.
        row: usize,
        /// The member.
        member: usize,
    },
    /// A family was given with the wrong length.
    #[error("`{name}` was given {length} elements, and its set has {size}")]
    Length {
        /// Name of the family.
        name: &'static str,
        /// How many elements it was given.
        length: usize,
        /// How many it should have.
        size: usize,
    },
    /// An index set, or a product of some, has too many members.
    #[error("`{name}` would have {} members; there can be at most 4294967294", product(.sizes))]
    Size {
        /// Name of the set or family.
        name: &'static str,
        /// Sizes of the sets.
        sizes: Vec<usize>,
    },
    /// An event was scheduled, or a wait should end, at a time that has passed, or at NaN or infinity.
    #[error("{what} is given the time {value}; it must be finite and not lie in the past")]
    Schedule {
        /// What should happen then: the event, with its index, or the kind of wait.
        what: String,
        /// The time.
        value: f64,
    },
    /// A delay until an event, or of a wait, was negative or NaN; or infinite, of an event.
    #[error("{what} is given the delay {value}; it must be a number and not negative")]
    Wait {
        /// What should happen after it: the event, with its index, or the kind of wait.
        what: String,
        /// The delay.
        value: f64,
    },
    /// In a model with `time u64`, a time that no tick stands for.
    #[error("{what} is given the delay {delay} at tick {now}; the last tick is 18446744073709551615")]
    Ticks {
        /// What should happen then: the event, with its index, or the kind of wait.
        what: String,
        /// The tick at which it was given.
        now: u64,
        /// The delay.
        delay: u64,
    },
    /// A key was used whose instance has ended.
    #[error("{key} is the key of an instance of `{activity}` that has ended")]
    Stale {
        /// The activity.
        activity: &'static str,
        /// The key.
        key: String,
    },
    /// More events at one instant than the Zeno budget allows.
    #[error("more than {limit} events at this instant (`set_zeno_limit` changes the budget)")]
    Zeno {
        /// The budget that was used up.
        limit: u64,
    },
    /// An `invariant` does not hold.
    #[error("invariant `{name}` does not hold")]
    Invariant {
        /// Name of the invariant.
        name: &'static str,
    },
    /// A `?` in the block met an error.
    #[error("{0}")]
    User(Arc<dyn Error + Send + Sync>),
    /// A run was asked to end before the current time, or at NaN.
    #[error("the run cannot end at {until}; the time is already {now}")]
    EndTime {
        /// The end that was asked for.
        until: f64,
        /// The current time.
        now: f64,
    },
    /// A start time, or a time at which a recorder should record, is not usable.
    #[error("time {value} {reason}")]
    Time {
        /// The time.
        value: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A path was asked for a coordinate that it cannot have.
    #[error("there is no path of `{name}`: {reason}; there can be paths of {}", listed(.known))]
    Coordinate {
        /// The coordinate.
        name: String,
        /// Why not.
        reason: &'static str,
        /// The coordinates and families of coordinates that can be had.
        known: Vec<&'static str>,
    },
}

/// What a part of a hazard should be.
fn expected(part: &str) -> &'static str {
    match part {
        "a" | "b" => "it must be finite",
        "until" => "it must be positive",
        _ => "it must be finite and not negative",
    }
}

/// Names as text.
fn listed(names: &[&str]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}

/// A product as text.
fn product(sizes: &[usize]) -> String {
    sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" × ")
}

impl SimError {
    /// An error of this kind at `time`.
    #[must_use]
    pub fn new(kind: ErrorKind, time: f64) -> Self {
        SimError(Box::new(Report { kind, clock: None, event: None, time }))
    }

    /// An error of your own at `time`: of an observer, or of a closure that an ensemble calls.
    #[must_use]
    pub fn user(error: impl Into<Box<dyn Error + Send + Sync>>, time: f64) -> Self {
        SimError::new(ErrorKind::User(error.into().into()), time)
    }

    /// What kind of error it is, with its values.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The clock, or other item of the model, whose expression or action failed.
    #[must_use]
    pub fn clock(&self) -> Option<&'static str> {
        self.0.clock.as_ref().map(|clock| clock.name)
    }

    /// Its index, or indices, if it is one of a family; empty otherwise.
    #[must_use]
    pub fn clock_index(&self) -> &[usize] {
        self.0.clock.as_ref().map_or(&[], |clock| &clock.index)
    }

    /// The clock that rang when it happened; `None` at the start and in `update`.
    #[must_use]
    pub fn event(&self) -> Option<&'static str> {
        self.0.event.as_ref().map(|event| event.name)
    }

    /// Its index, or indices, if it is one of a family; empty otherwise.
    #[must_use]
    pub fn event_index(&self) -> &[usize] {
        self.0.event.as_ref().map_or(&[], |event| &event.index)
    }

    /// The simulated time at which it happened.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.0.time
    }

    #[doc(hidden)]
    #[must_use]
    pub fn of(mut self, name: &'static str, index: &[usize]) -> Self {
        self.0.clock.get_or_insert_with(|| Source { name, index: index.to_vec() });
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn during(mut self, name: &'static str, index: &[usize]) -> Self {
        self.0.event.get_or_insert_with(|| Source { name, index: index.to_vec() });
        self
    }
}

impl fmt::Debug for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for SimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kind, clock, event, time } = &*self.0;
        if let Some(clock) = clock {
            write!(f, "{clock} ")?;
        }
        write!(f, "at t = {time}")?;
        if let Some(event) = event.as_ref().filter(|event| Some(*event) != clock.as_ref()) {
            write!(f, ", after {event} rang")?;
        }
        write!(f, ": {kind}")
    }
}

impl Error for SimError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.0.kind {
            ErrorKind::User(source) => Some(&**source),
            _ => None,
        }
    }
}

/// What a generated function fails with: an [`ErrorKind`] that does not know yet where it
/// happened. Deliberately not an `Error` itself, so that `?` can turn every error into it.
#[doc(hidden)]
#[derive(Debug)]
pub struct Fault(Box<ErrorKind>);

impl Fault {
    /// This kind of error.
    #[cold]
    pub fn new(kind: ErrorKind) -> Self {
        Fault(Box::new(kind))
    }

    /// The error of `clock` at `time`, a single one or the one of this index.
    #[cold]
    pub fn at(self, time: f64, clock: &'static str, index: &[usize]) -> SimError {
        SimError::new(*self.0, time).of(clock, index)
    }
}

impl<E: Error + Send + Sync + 'static> From<E> for Fault {
    #[cold]
    fn from(error: E) -> Self {
        Fault::new(ErrorKind::User(Arc::new(error)))
    }
}
