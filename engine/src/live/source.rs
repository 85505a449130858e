//! Events from iterators.

use std::sync::Arc;

use super::Late;
use super::shared::{Shared, count};
use crate::error::{ErrorKind, SimError};
use crate::model::{Active, Model, Receives};

/// A producer of events: an iterator of times and messages, from which no more than the next item is ever taken.
///
/// The times must not decrease. Items of one time are taken in their order. An item is scheduled when no other event
/// comes before its time, after all that was scheduled for this time until then; from there on the ordering
/// rule holds: priority, declaration, index, first scheduled first.
///
/// ```
/// # use clockrace::live::Source;
/// let mut source = Source::new([(1.0, "a"), (2.0, "b"), (2.0, "c")]);
/// assert_eq!(source.next_time()?, Some(1.0));
/// # Ok::<(), clockrace::live::SourceError>(())
/// ```
///
/// [`Simulation::run_with_source`](crate::Simulation::run_with_source) and
/// [`Live::source`](super::Live::source) take events from it.
#[derive(Clone, Debug)]
pub struct Source<I: Iterator> {
    items: I,
    /// The next item, if it has been taken.
    next: Option<I::Item>,
    /// Whether the end has been seen: not every iterator goes on giving `None`.
    ended: bool,
    /// The time of the last item.
    last: f64,
}

/// What is wrong with the next item of a [`Source`]. In a run it is the source of an
/// [`ErrorKind::User`]. The item is skipped: a run that is started again goes on behind it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// Its time lies before that of the item before.
    #[error("a source gives time {next} after {previous}; its times must not decrease")]
    Decreasing {
        /// The time of the item before.
        previous: f64,
        /// The time of the item.
        next: f64,
    },
    /// Its time is NaN or infinite.
    #[error("a source gives the time {next} after {previous}; times must be finite")]
    Time {
        /// The time of the item before; −∞ if there is none.
        previous: f64,
        /// The time of the item.
        next: f64,
    },
}

impl<T, I: Iterator<Item = (f64, T)>> Source<I> {
    /// A source of these items. None is taken yet.
    pub fn new(items: impl IntoIterator<Item = (f64, T), IntoIter = I>) -> Self {
        Source { items: items.into_iter(), next: None, ended: false, last: f64::NEG_INFINITY }
    }

    /// The time of the next item, which is taken from the iterator and kept; `None` if there is none.
    ///
    /// # Errors
    /// If the time is not finite, or lies before that of the item before.
    pub fn next_time(&mut self) -> Result<Option<f64>, SourceError> {
        if self.next.is_none() && !self.ended {
            match self.items.next() {
                None => self.ended = true,
                Some(item) => {
                    let (previous, next) = (self.last, item.0);
                    if !next.is_finite() {
                        return Err(SourceError::Time { previous, next });
                    }
                    if next < previous {
                        return Err(SourceError::Decreasing { previous, next });
                    }
                    self.last = next;
                    self.next = Some(item);
                }
            }
        }
        Ok(self.next.as_ref().map(|(time, _)| *time))
    }

    /// The next item, if its time is known.
    pub(super) fn take(&mut self) -> Option<(f64, T)> {
        self.next.take()
    }
}

/// An error of a source as one of a run.
pub(super) fn broken(error: SourceError, now: f64) -> SimError {
    SimError::new(ErrorKind::User(Arc::new(error)), now)
}

/// A source, as the loop has it.
pub(super) trait Feed<M: Model>: Send {
    /// When the next item is to be scheduled; infinity if there is none.
    fn next_time(&mut self) -> Result<f64, SourceError>;
    /// Schedules the next item.
    fn deliver(&mut self, engine: &mut Active<'_, M>, late: Late, shared: &Shared) -> Result<(), SimError>;
}

impl<M, I> Feed<M> for Source<I>
where
    M: Receives,
    I: Iterator<Item = (f64, M::Message)> + Send,
    M::Message: Send,
{
    fn next_time(&mut self) -> Result<f64, SourceError> {
        Ok(Source::next_time(self)?.unwrap_or(f64::INFINITY))
    }

    fn deliver(&mut self, engine: &mut Active<'_, M>, late: Late, shared: &Shared) -> Result<(), SimError> {
        let Some((at, message)) = self.take() else { return Ok(()) };
        let now = engine.progress.now;
        if at < now {
            if late == Late::Refuse {
                count(&shared.tally.late_refused, 1);
                return Ok(());
            }
            count(&shared.tally.late_moved, 1);
        }
        M::deliver(engine, at.max(now), message)?;
        count(&shared.tally.from_sources, 1);
        Ok(())
    }
}

/// The sources of a run.
pub(super) struct Feeds<M: Model> {
    feeds: Vec<Box<dyn Feed<M>>>,
    /// Which gives the next item, and when; of equal ones the first.
    next: (f64, usize),
}

impl<M: Model> Feeds<M> {
    pub(super) fn new() -> Self {
        Feeds { feeds: Vec::new(), next: (f64::INFINITY, 0) }
    }

    pub(super) fn add(&mut self, feed: Box<dyn Feed<M>>) {
        self.feeds.push(feed);
    }

    /// When the next item is to be scheduled, as it was found last.
    #[inline(always)]
    pub(super) fn time(&self) -> f64 {
        self.next.0
    }

    /// Looks at the next items.
    pub(super) fn look(&mut self) -> Result<(), SourceError> {
        self.next = (f64::INFINITY, 0);
        for (number, feed) in self.feeds.iter_mut().enumerate() {
            let time = feed.next_time()?;
            if time < self.next.0 {
                self.next = (time, number);
            }
        }
        Ok(())
    }

    /// Schedules the next item.
    pub(super) fn deliver(&mut self, engine: &mut Active<'_, M>, late: Late, shared: &Shared) -> Result<(), SimError> {
        match self.feeds.get_mut(self.next.1) {
            Some(feed) => feed.deliver(engine, late, shared),
            None => Ok(()),
        }
    }
}
