//! Misuse of a resource, as errors.

/// What was done to a resource that cannot be done. Nothing has changed then.
///
/// In a body, `?` ends the run with the error, which then names the clock or activity.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// A time lies before one that was given earlier, or is not finite.
    #[error("the time {now} was given after {last}; times must be finite and not decrease")]
    Time {
        /// The time.
        now: f64,
        /// The latest time before it.
        last: f64,
    },
    /// Somebody cannot have asked when they say: the time lies ahead or is not finite.
    #[error("nobody can have asked at {asked} when it is {now}; give what `ask` gave")]
    Asked {
        /// When they say they asked.
        asked: f64,
        /// The time.
        now: f64,
    },
    /// Somebody leaves a queue in which nobody is, or has a key that is not in it.
    #[error("who leaves the queue is not in it; `ask` comes first, and once for each who leaves")]
    NotAsked,
    /// A unit is seized, and none can be had.
    #[error("none of the {capacity} units can be had; wait for `is_free` or `admits` first")]
    NotFree {
        /// How many units there are.
        capacity: usize,
    },
    /// A unit is released that is not held.
    #[error("what is released is not held; `seize` comes first, and once for each `release`")]
    NotSeized,
    /// A key that holds a unit seizes another one.
    #[error("this key holds a unit already; it can hold one at a time")]
    AlreadySeized,
    /// An item is put into a store that is full.
    #[error("the store is full with {capacity} items; wait for `!is_full()` first")]
    Full {
        /// How many items it can hold.
        capacity: usize,
    },
    /// An item is taken from a store that has none such.
    #[error("the store has no such item; wait until it has")]
    NoItem,
    /// Less is in a container than is taken.
    #[error("{amount} cannot be taken, the level is {level}; wait for `has` first")]
    Short {
        /// What should be taken.
        amount: f64,
        /// What there is.
        level: f64,
    },
    /// More is put into a container than it has room for.
    #[error("there is no room for {amount}, only for {room}; wait for `has_room` first")]
    NoRoom {
        /// What should be put.
        amount: f64,
        /// What there is room for.
        room: f64,
    },
    /// An amount is negative, infinite or NaN.
    #[error("the amount is {amount}; an amount must be finite and not negative")]
    Amount {
        /// The amount.
        amount: f64,
    },
    /// A container has a level outside of its bounds, or none that are bounds.
    #[error("a container cannot have the level {level} and the capacity {capacity}")]
    Level {
        /// The level.
        level: f64,
        /// The capacity.
        capacity: f64,
    },
    /// Somebody passes a gate that is closed.
    #[error("the gate is closed; wait for `is_open` first")]
    Closed,
    /// A value of which there should be statistics is infinite or NaN.
    #[error("there are no statistics of {value}; a value must be finite")]
    Value {
        /// The value.
        value: f64,
    },
}
