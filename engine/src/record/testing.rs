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

simulation! {
    /// Site `k` of a row goes up by one at every multiple of `k + 1`.
    #[derive(Clone, Debug)]
    pub(crate) model Sites {
        param sites: usize;
        param rows: usize = 2;
        index site = 0..sites;
        index row = 0..rows;
        index column = 0..6 / rows.max(1);
        state u[k in site]: u64 = 0;
        state sum: u64 = 0;
        clock rise[k in site]: every((k + 1) as f64, from = (k + 1) as f64) => { u[k] += 1; sum += 1; }
        observe sum = sum;
        observe profile[k in site] = u[k];
        observe last = u.last().copied().unwrap_or(0);
        observe s[i in row][j in column] = 100 * sum + 10 * i as u64 + j as u64;
    }
}

impl Sites {
    /// With `s` over as many rows and columns as make six.
    pub(crate) fn of(sites: usize, rows: usize) -> Simulation<Self> {
        Sites { sites, rows }.start(0).unwrap()
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
