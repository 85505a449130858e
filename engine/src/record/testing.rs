//! A small model for the tests of recorders and ensembles.

use crate::simulation;
use crate::{Model as _, Simulation};

#[derive(Debug, thiserror::Error)]
#[error("too many steps")]
struct TooMany;

simulation! {
    /// `n` goes up by one at given times, or after exponential times of mean one.
    #[derive(Clone, Debug, PartialEq)]
    pub(crate) model Steps {
        param times: Option<Vec<f64>> = None;
        param begin: f64 = 0.0;
        /// Stops when `n` is this.
        param last: Option<u64> = None;
        /// Fails when `n` would become this.
        param fail: Option<u64> = None;
        state n: u64 = 0;
        // Reading `now`, it rings twice for a time that is given twice.
        clock given if times.is_some():
            at(now.max(times.as_ref().and_then(|list| list.get(n as usize)).copied().unwrap_or(never))) => step();
        clock random if times.is_none(): rate(1.0) => step();
        action step() {
            if fail == Some(n + 1) {
                Err(TooMany)?;
            }
            n += 1;
        }
        stop enough if last == Some(n);
        observe n = n;
        observe double = 2 * n;
    }
}

impl Steps {
    pub(crate) fn at<const N: usize>(times: [f64; N]) -> Self {
        Steps { times: Some(times.to_vec()), ..Steps::default() }
    }

    pub(crate) fn run(self) -> Simulation<Self> {
        let begin = self.begin;
        self.start_from(0, 0, begin).unwrap()
    }
}
