//! Bounded queues from the loop to a reader.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::shared::{ROOM, STOP, SUBSCRIPTIONS, Shared, count, lock};

/// What happens to news for which a subscription has no room, as nobody reads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Overflow {
    /// The oldest that waits to be read is dropped, and counted.
    #[default]
    DropOldest,
    /// The newest is dropped, and counted.
    DropNewest,
    /// The run waits until there is room: nothing is lost. A stop, or dropping the subscription, ends the wait.
    Wait,
}

/// A bounded queue from the loop to a reader.
pub(super) struct Sink<T> {
    shared: Arc<Shared>,
    capacity: usize,
    overflow: Overflow,
    state: Mutex<State<T>>,
    filled: Condvar,
}

struct State<T> {
    queue: VecDeque<T>,
    lost: u64,
    /// Nothing more will be written.
    closed: bool,
    /// The closure that writes has panicked.
    panicked: bool,
    /// Nobody will read it.
    unread: bool,
    /// How many threads wait to read.
    readers: usize,
    /// The loop waits.
    writing: bool,
}

/// The reader of a sink is gone.
pub(super) struct Gone;

impl<T> Sink<T> {
    pub(super) fn new(shared: Arc<Shared>, capacity: usize, overflow: Overflow) -> Arc<Self> {
        let state = State {
            queue: VecDeque::new(),
            lost: 0,
            closed: false,
            panicked: false,
            unread: false,
            readers: 0,
            writing: false,
        };
        let capacity = capacity.max(1);
        Arc::new(Sink { shared, capacity, overflow, state: Mutex::new(state), filled: Condvar::new() })
    }

    /// Writes an item.
    pub(super) fn push(&self, item: T) -> Result<(), Gone> {
        let mut dropped = None;
        let mut state = lock(&self.state);
        while state.queue.len() >= self.capacity && !state.unread {
            match self.overflow {
                Overflow::DropOldest => dropped = state.queue.pop_front(),
                Overflow::DropNewest => {
                    state.lost += 1;
                    count(&self.shared.tally.lost, 1);
                    return Ok(());
                }
                // One more does not matter in the end.
                Overflow::Wait if self.shared.stopped() => break,
                Overflow::Wait => {
                    self.shared.forget(ROOM);
                    state.writing = true;
                    drop(state);
                    self.shared.wait(ROOM | STOP, None, None);
                    state = lock(&self.state);
                    state.writing = false;
                }
            }
        }
        if state.unread {
            return Err(Gone);
        }
        if dropped.is_some() {
            state.lost += 1;
            count(&self.shared.tally.lost, 1);
        }
        state.queue.push_back(item);
        let wake = state.readers > 0;
        drop(state);
        if wake {
            self.filled.notify_one();
        }
        // What was lost is dropped here, where a panic of its `drop` finds no lock.
        drop(dropped);
        Ok(())
    }

    /// Nothing more will be written.
    pub(super) fn close(&self, panicked: bool) {
        let mut state = lock(&self.state);
        state.closed = true;
        state.panicked |= panicked;
        drop(state);
        self.filled.notify_all();
    }

    /// Whether the reader is gone.
    pub(super) fn is_unread(&self) -> bool {
        lock(&self.state).unread
    }
}

/// What a reader gets while a run goes on; from [`Watcher`](super::Watcher) and
/// [`Injector::refusals`](super::Injector::refusals).
///
/// Its queue is bounded: if nobody reads it, the [`Overflow`] says what happens. Dropping it ends it.
#[must_use = "a subscription ends when it is dropped"]
pub struct Subscription<T> {
    sink: Arc<Sink<T>>,
}

/// Why there is nothing to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoNews {
    /// Nothing has come yet.
    #[error("nothing has come yet")]
    Empty,
    /// The run is over, and all has been read.
    #[error("the run is over, and all of this subscription has been read")]
    Over,
    /// The closure of the subscription has panicked, which ended it; what came before has been read.
    #[error("the closure of this subscription has panicked")]
    Panicked,
}

impl<T> Subscription<T> {
    pub(super) fn of(sink: Arc<Sink<T>>) -> Self {
        Subscription { sink }
    }

    /// The next item, which is waited for; `None` if nothing more can come, which
    /// [`try_recv`](Subscription::try_recv) gives the reason of.
    pub fn recv(&self) -> Option<T> {
        self.next(None).ok()
    }

    /// The next item, which is waited for as long.
    ///
    /// # Errors
    /// If nothing has come in this time, or nothing more can come.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<T, NoNews> {
        // A time that no clock shows is never over.
        self.next(Instant::now().checked_add(timeout))
    }

    /// The next item, if there is one.
    ///
    /// # Errors
    /// If nothing has come yet, or nothing more can come.
    pub fn try_recv(&self) -> Result<T, NoNews> {
        self.next(Some(Instant::now()))
    }

    /// The items until the run is over, each of which is waited for.
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.recv())
    }

    /// The items that have come until now.
    pub fn try_iter(&self) -> impl Iterator<Item = T> + '_ {
        std::iter::from_fn(|| self.try_recv().ok())
    }

    /// How many items wait to be read.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.sink.state).queue.len()
    }

    /// Whether none waits to be read.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many items were dropped because nobody had read them.
    #[must_use]
    pub fn lost(&self) -> u64 {
        lock(&self.sink.state).lost
    }

    /// The next item, until a moment.
    fn next(&self, deadline: Option<Instant>) -> Result<T, NoNews> {
        let sink = &*self.sink;
        let mut state = lock(&sink.state);
        loop {
            if let Some(item) = state.queue.pop_front() {
                let room = state.writing && state.queue.len() < sink.capacity;
                drop(state);
                if room {
                    sink.shared.call(ROOM);
                }
                return Ok(item);
            }
            if state.closed {
                return Err(if state.panicked { NoNews::Panicked } else { NoNews::Over });
            }
            let left = deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            if left.is_some_and(|left| left.is_zero()) {
                return Err(NoNews::Empty);
            }
            state.readers += 1;
            state = match left {
                None => sink.filled.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(left) => sink.filled.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0,
            };
            state.readers -= 1;
        }
    }
}

impl<T> IntoIterator for Subscription<T> {
    type Item = T;
    type IntoIter = Items<T>;

    fn into_iter(self) -> Items<T> {
        Items { subscription: self }
    }
}

/// The items of a subscription until the run is over.
pub struct Items<T> {
    subscription: Subscription<T>,
}

impl<T> Iterator for Items<T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        self.subscription.recv()
    }
}

impl<T> Drop for Subscription<T> {
    fn drop(&mut self) {
        let mut state = lock(&self.sink.state);
        state.unread = true;
        let unread = std::mem::take(&mut state.queue);
        drop(state);
        self.sink.shared.call(SUBSCRIPTIONS | ROOM);
        drop(unread);
    }
}

impl<T> std::fmt::Debug for Subscription<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subscription").field("waiting", &self.len()).field("lost", &self.lost()).finish()
    }
}
