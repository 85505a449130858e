//! What can go wrong with an ensemble as a whole.

use crate::error::SimError;

/// Why an ensemble has no result.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EnsembleError {
    /// No replicates were asked for.
    #[error("an ensemble needs at least one replicate")]
    NoReplicates,
    /// There is no time at which to record: none was given, or none lies between the start and
    /// the end.
    #[error("an ensemble needs at least one time to record at; give some by `at` or `every`")]
    NoTimes,
    /// The model has no numeric outputs to record.
    #[error("the model `{model}` has no numeric outputs; give it some by `observe`")]
    NoOutputs {
        /// Name of the model.
        model: &'static str,
    },
    /// The times at which to record are not usable.
    #[error("the times to record at are not usable: {0}")]
    Times(#[source] SimError),
    /// What was given to `every` is not usable.
    #[error(
        "cannot record every {step} from {start} to {until}; \
         the step must be positive and not too small for such times, and all must be finite"
    )]
    Every {
        /// The step.
        step: f64,
        /// The start.
        start: f64,
        /// The end.
        until: f64,
    },
    /// The outputs of all replicates at all times do not fit in memory.
    #[error("{replicates} replicates, each with {numbers} numbers, do not fit in memory")]
    TooLarge {
        /// How many replicates were asked for.
        replicates: usize,
        /// Times × outputs.
        numbers: usize,
    },
    /// The threads could not be started, or none were asked for.
    #[error("cannot run on {threads} threads: {reason}")]
    Threads {
        /// How many threads were asked for.
        threads: usize,
        /// What went wrong.
        reason: String,
    },
    /// A replicate failed. When several would, it is the one with the lowest number.
    #[error("replicate {replicate} failed: {error}")]
    Replicate {
        /// Its number, from 0 on: `model.start_from(seed, replicate, start)` starts it again.
        replicate: usize,
        /// How it failed.
        #[source]
        error: SimError,
    },
}
