//! Many replicates over all cores.

mod error;
mod progress;
mod replicates;
mod rows;

pub use error::EnsembleError;
pub use replicates::Replicates;

use std::collections::TryReserveError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::error::{ErrorKind, SimError};
use crate::model::Model;
use crate::record::{Outputs, ascending};
use crate::simulation::Simulation;
use progress::Progress;
use replicates::End;
use rows::{Rows, multiples};

/// Many independent runs of one model, over all cores.
///
/// Replicate number `r` runs on stream `r` of the seed
/// ([`start_from`](Model::start_from)), so results are the same bit for bit, whatever the
/// number of threads, and the first replicates of a larger ensemble are those of a smaller one.
///
/// ```
/// use clockrace::{Ensemble, simulation};
///
/// simulation! {
///     model Decay {
///         state n: u64 = 100;
///         clock decay: rate(n as f64) => { n -= 1; }
///         observe n = n;
///     }
/// }
///
/// # fn main() -> Result<(), clockrace::EnsembleError> {
/// let model = Decay {};
/// let runs = Ensemble::new(&model).replicates(2000).seed(1).every(0.5, 2.0).run()?;
/// for (k, time) in runs.times().iter().enumerate() {
///     let n = runs.sample("n", k).unwrap();
///     println!("{time}: {} ± {}, median {}", n.mean(), n.standard_error(), n.quantile(0.5));
/// #     assert!((n.mean() - 100.0 * (-time).exp()).abs() <= 5.0 * n.standard_error());
/// }
/// # assert_eq!(runs.times(), [0.0, 0.5, 1.0, 1.5, 2.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
#[must_use = "an ensemble does nothing until it is run"]
pub struct Ensemble<'a, M> {
    model: &'a M,
    replicates: usize,
    seed: u64,
    start: f64,
    schedule: Schedule,
    threads: Option<usize>,
    progress: bool,
}

#[derive(Clone, Debug)]
enum Schedule {
    At(Vec<f64>),
    Every { step: f64, until: f64 },
}

impl<'a, M: Model + Clone + Sync> Ensemble<'a, M> {
    /// An ensemble of `model`, at first with 1000 replicates, seed 0, start at time 0, all cores, and
    /// no times to record at.
    pub fn new(model: &'a M) -> Self {
        Ensemble {
            model,
            replicates: 1000,
            seed: 0,
            start: 0.0,
            schedule: Schedule::At(Vec::new()),
            threads: None,
            progress: false,
        }
    }

    /// How many replicates to run.
    pub fn replicates(mut self, replicates: usize) -> Self {
        self.replicates = replicates;
        self
    }

    /// The seed of the ensemble.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The time at which replicates start.
    pub fn start_at(mut self, time: f64) -> Self {
        self.start = time;
        self
    }

    /// Record at these times, which must ascend; replicates run to the last one. A time given
    /// several times counts once.
    pub fn at(mut self, times: impl IntoIterator<Item = f64>) -> Self {
        self.schedule = Schedule::At(times.into_iter().collect());
        self
    }

    /// Record at the multiples of `step` from the start to `until`, `until` included
    /// if it is a multiple within rounding. Replicates run to the last of these times.
    pub fn every(mut self, step: f64, until: f64) -> Self {
        self.schedule = Schedule::Every { step, until };
        self
    }

    /// How many threads to run on. Without it: as many as there are cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Whether to show a progress bar, on standard error and only if that is a terminal.
    #[cfg(feature = "progress")]
    pub fn progress(mut self, show: bool) -> Self {
        self.progress = show;
        self
    }

    /// Runs every replicate and keeps its outputs, [families](crate::record#families) included, at
    /// the times of [`at`](Ensemble::at) or [`every`](Ensemble::every).
    ///
    /// A replicate that ends early, by a `stop`, keeps its last state for all later times.
    ///
    /// # Errors
    /// If a replicate fails, or what was asked for makes no sense. With several failing
    /// replicates, the one with the lowest number is reported, whatever the number of threads.
    pub fn run(&self) -> Result<Replicates, EnsembleError> {
        if self.replicates == 0 {
            return Err(EnsembleError::NoReplicates);
        }
        let times = self.times()?;
        let Some(&last) = times.last() else { return Err(EnsembleError::NoTimes) };
        let outputs = self.outputs()?;

        let width = times.len().saturating_mul(outputs.names().len());
        let too_large = || EnsembleError::TooLarge { replicates: self.replicates, numbers: width };
        let size = self.replicates.checked_mul(width).ok_or_else(too_large)?;
        let mut values: Vec<f64> = Vec::new();
        values.try_reserve_exact(size).map_err(|_: TryReserveError| too_large())?;
        values.resize(size, f64::NAN);

        let start = |replicate| self.start_with(replicate, &outputs);
        let ends = self.each(values.par_chunks_exact_mut(width), start, |values, mut sim| {
            let mut rows = Rows::new(&times, values);
            let outcome = sim.run_with(&mut rows, last)?;
            let time = sim.now();
            rows.hold(sim.view())?;
            Ok(End { outcome, time })
        })?;
        Ok(Replicates::new(outputs, times, values, ends))
    }

    /// The outputs of every replicate. How many members a family has, only a simulation knows.
    fn outputs(&self) -> Result<Outputs, EnsembleError> {
        let none = EnsembleError::NoOutputs { model: M::NAME };
        if M::OUTPUTS.is_empty() {
            return Err(none);
        }
        let first = self.start(0).map_err(|error| EnsembleError::Replicate { replicate: 0, error })?;
        let outputs = Outputs::of(first.view());
        if outputs.names().is_empty() { Err(none) } else { Ok(outputs) }
    }

    /// Gives every replicate, just started, to `work`, over all cores, and collects the results in
    /// the order of the replicates. For whatever [`run`](Ensemble::run) does not record: warm-ups,
    /// time averages, tallies, times until something happens.
    ///
    /// ```
    /// # use clockrace::{Ensemble, simulation, record::Sample};
    /// # simulation! {
    /// #     model Decay {
    /// #         state n: u64 = 100;
    /// #         clock decay: rate(n as f64) => { n -= 1; }
    /// #     }
    /// # }
    /// # fn main() -> Result<(), clockrace::EnsembleError> {
    /// # let model = Decay {};
    /// let lifetimes: Sample = Ensemble::new(&model)
    ///     .replicates(1000)
    ///     .map(|mut sim| {
    ///         sim.run_until(f64::INFINITY)?;
    ///         Ok(sim.now())
    ///     })?
    ///     .into_iter()
    ///     .collect();
    /// # // The harmonic number H(100).
    /// # assert!((lifetimes.mean() - 5.187377).abs() < 5.0 * lifetimes.standard_error());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run`](Ensemble::run); times and outputs are not needed.
    pub fn map<T: Send>(
        &self,
        work: impl Fn(Simulation<M>) -> Result<T, SimError> + Sync,
    ) -> Result<Vec<T>, EnsembleError> {
        if self.replicates == 0 {
            return Err(EnsembleError::NoReplicates);
        }
        self.each((0..self.replicates).into_par_iter(), |replicate| self.start(replicate), |_, sim| work(sim))
    }

    /// Starts a replicate for each of `items` and lets `work` have both.
    fn each<I, T>(
        &self,
        items: I,
        start: impl Fn(usize) -> Result<Simulation<M>, SimError> + Sync,
        work: impl Fn(I::Item, Simulation<M>) -> Result<T, SimError> + Sync,
    ) -> Result<Vec<T>, EnsembleError>
    where
        I: IndexedParallelIterator,
        T: Send,
    {
        let progress = Progress::new(self.progress, self.replicates);
        let failed = Failed::default();
        let run = || -> Vec<Option<T>> {
            items
                .enumerate()
                .map(|(replicate, item)| {
                    if failed.before(replicate) {
                        return None;
                    }
                    let result = start(replicate).and_then(|sim| work(item, sim));
                    progress.one_more();
                    result.map_err(|error| failed.note(replicate, error)).ok()
                })
                .collect()
        };
        let results = match self.threads {
            None => run(),
            Some(threads) => pool(threads)?.install(run),
        };
        progress.end();
        match failed.lowest() {
            Some((replicate, error)) => Err(EnsembleError::Replicate { replicate, error }),
            None => Ok(results.into_iter().flatten().collect()),
        }
    }

    fn start(&self, replicate: usize) -> Result<Simulation<M>, SimError> {
        self.model.clone().start_from(self.seed, replicate as u64, self.start)
    }

    /// Starts a replicate that must have these outputs.
    // Not inlined: a simulation that is shown to nobody is kept in registers while it runs.
    #[inline(never)]
    fn start_with(&self, replicate: usize, outputs: &Outputs) -> Result<Simulation<M>, SimError> {
        let sim = self.start(replicate)?;
        if outputs.are_of(sim.view()) {
            Ok(sim)
        } else {
            Err(SimError::new(ErrorKind::User(Arc::new(OtherMembers)), sim.now()))
        }
    }

    /// The times to record at.
    fn times(&self) -> Result<Vec<f64>, EnsembleError> {
        match self.schedule {
            Schedule::At(ref times) => {
                let times = ascending(times.iter().copied()).map_err(EnsembleError::Times)?;
                match times.first() {
                    Some(&value) if value < self.start => {
                        let reason = "lies before the start";
                        let error = SimError::new(ErrorKind::Time { value, reason }, self.start);
                        Err(EnsembleError::Times(error))
                    }
                    _ => Ok(times),
                }
            }
            Schedule::Every { step, until } => {
                let usable = step > 0.0 && [step, until, self.start].iter().all(|number| number.is_finite());
                let times = if usable { multiples(step, self.start, until) } else { None };
                times.ok_or(EnsembleError::Every { step, start: self.start, until })
            }
        }
    }
}

/// Sizes follow from params, which all replicates share – unless a model makes them of something else.
#[derive(Debug, thiserror::Error)]
#[error("its families of outputs have other members than those of replicate 0, though the params are the same")]
struct OtherMembers;

fn pool(threads: usize) -> Result<rayon::ThreadPool, EnsembleError> {
    if threads == 0 {
        return Err(EnsembleError::Threads { threads, reason: "at least one is needed".to_owned() });
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| EnsembleError::Threads { threads, reason: error.to_string() })
}

/// The failing replicate with the lowest number. Replicates above one that is known to have failed
/// need not be run, those below must be: that makes it the same in every run.
struct Failed {
    lowest: AtomicUsize,
    error: Mutex<Option<(usize, SimError)>>,
}

impl Default for Failed {
    fn default() -> Self {
        Failed { lowest: AtomicUsize::new(usize::MAX), error: Mutex::new(None) }
    }
}

impl Failed {
    /// Whether a replicate before this one has failed.
    fn before(&self, replicate: usize) -> bool {
        self.lowest.load(Ordering::Relaxed) < replicate
    }

    #[cold]
    fn note(&self, replicate: usize, error: SimError) {
        self.lowest.fetch_min(replicate, Ordering::Relaxed);
        let mut lowest = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if lowest.as_ref().is_none_or(|(known, _)| replicate < *known) {
            *lowest = Some((replicate, error));
        }
    }

    fn lowest(self) -> Option<(usize, SimError)> {
        self.error.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

#[cfg(test)]
mod tests;
