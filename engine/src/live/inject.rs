//! Events from other threads.

use std::any::Any;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::Late;
use super::shared::{Counts, MAIL, Shared, count, lock};
use super::sink::{Overflow, Sink, Subscription};
use crate::error::SimError;
use crate::model::{Active, Model, Receives};
use crate::timing::rounding;

/// What [`Injector::send`] does when the queue is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Full {
    /// It waits until there is room. In the thread of the run, where an observer would wait for itself, the message spills.
    #[default]
    Wait,
    /// It gives the message back with an error.
    Refuse,
    /// The message goes beyond the capacity, however many there are, and is counted.
    Spill,
}

/// Why a message was not sent. The message is in it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum InjectError<T> {
    /// The time is NaN or infinite, or a delay is negative.
    #[error("a message is given the {what} {value}; it must be finite{}", if *.what == "delay" { " and not negative" } else { "" })]
    Time {
        /// `time` or `delay`.
        what: &'static str,
        /// The time or delay.
        value: f64,
        /// The message.
        message: T,
    },
    /// The queue is full.
    #[error("the queue is full: {capacity} messages wait in it")]
    Full {
        /// How many messages it holds.
        capacity: usize,
        /// The message.
        message: T,
    },
    /// The time has passed, and late messages are refused.
    #[error("the time {at} has passed: it is {now}")]
    Late {
        /// The time that was asked for.
        at: f64,
        /// The simulated time.
        now: f64,
        /// The message.
        message: T,
    },
    /// The run is over.
    #[error("the run is over")]
    Over {
        /// The message.
        message: T,
    },
}

impl<T> InjectError<T> {
    /// The message.
    pub fn into_message(self) -> T {
        match self {
            InjectError::Time { message, .. }
            | InjectError::Full { message, .. }
            | InjectError::Late { message, .. }
            | InjectError::Over { message } => message,
        }
    }
}

/// A message that was accepted and came too late; from [`Injector::refusals`].
#[derive(Clone, Debug, PartialEq)]
pub struct Refused<T> {
    /// The time that was asked for.
    pub at: f64,
    /// The time it was when the run saw it.
    pub now: f64,
    /// The message.
    pub message: T,
}

/// Sends events into a live run, from any thread; see [`Live::injector`](super::Live::injector).
///
/// Messages go into a bounded queue, which the run empties before it selects its next event. Those of one time happen in the order
/// in which they were sent, as far as the ordering rule leaves it open: after priority, declaration and index. When
/// the run is over, nothing is accepted, and who waits for room gets an error.
///
/// A message whose `send` succeeded is not lost: it is scheduled, or counted as too late, or – if the run fails – as undelivered
/// ([`Counts`]). What was scheduled and has not happened at the end is pending in the simulation.
pub struct Injector<T> {
    inbox: Arc<Inbox<T>>,
    full: Full,
}

impl<T> Clone for Injector<T> {
    fn clone(&self) -> Self {
        self.inbox.shared.injector_made();
        Injector { inbox: Arc::clone(&self.inbox), full: self.full }
    }
}

impl<T> Drop for Injector<T> {
    fn drop(&mut self) {
        self.inbox.shared.injector_gone();
    }
}

impl<T> std::fmt::Debug for Injector<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Injector").field("full", &self.full).field("waiting", &self.len()).finish_non_exhaustive()
    }
}

impl<T> Injector<T> {
    pub(super) fn of(inbox: Arc<Inbox<T>>, full: Full) -> Self {
        inbox.shared.injector_made();
        Injector { inbox, full }
    }

    /// What this injector does when the queue is full, instead of what the run was told.
    #[must_use]
    pub fn full(mut self, full: Full) -> Self {
        self.full = full;
        self
    }

    /// Sends an event that is to happen at time `at`.
    ///
    /// # Errors
    /// If `at` is NaN or infinite, or the run is over; if the queue is full and [`Full::Refuse`] was chosen; and if `at` has passed already
    /// and late messages are refused. Whether a message is in time is only known when the run sees
    /// it: one that turns out to be late after it was accepted is counted, and given to
    /// [`refusals`](Injector::refusals).
    pub fn send(&self, at: f64, message: T) -> Result<(), InjectError<T>> {
        self.send_at(at, message, self.full)
    }

    /// The same, but it never waits: a full queue gives an error, unless it may spill.
    ///
    /// # Errors
    /// As [`send`](Injector::send).
    pub fn try_send(&self, at: f64, message: T) -> Result<(), InjectError<T>> {
        self.send_at(at, message, self.impatient())
    }

    /// Sends an event that is to happen at once, at the simulated time at which the run sees it.
    ///
    /// # Errors
    /// As [`send`](Injector::send).
    pub fn send_now(&self, message: T) -> Result<(), InjectError<T>> {
        self.inbox.push(When::In(0.0), message, self.full)
    }

    /// The same, but it never waits.
    ///
    /// # Errors
    /// As [`try_send`](Injector::try_send).
    pub fn try_send_now(&self, message: T) -> Result<(), InjectError<T>> {
        self.inbox.push(When::In(0.0), message, self.impatient())
    }

    /// Sends an event that is to happen `delay` after the simulated time at which the run sees it.
    ///
    /// # Errors
    /// As [`send`](Injector::send), and if `delay` is negative.
    pub fn send_after(&self, delay: f64, message: T) -> Result<(), InjectError<T>> {
        // So far ahead that the sum is no time.
        if !(0.0..=0.5 * f64::MAX).contains(&delay) {
            return Err(InjectError::Time { what: "delay", value: delay, message });
        }
        self.inbox.push(When::In(delay), message, self.full)
    }

    /// How many messages wait to be seen by the run.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.inbox.state).letters.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the run has counted until now.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.inbox.shared.tally.counts()
    }

    fn impatient(&self) -> Full {
        if self.full == Full::Wait { Full::Refuse } else { self.full }
    }

    fn send_at(&self, at: f64, message: T, full: Full) -> Result<(), InjectError<T>> {
        if !at.is_finite() {
            return Err(InjectError::Time { what: "time", value: at, message });
        }
        let inbox = &*self.inbox;
        if inbox.shared.refuses_late() {
            // Time does not go back: what is late now is late when it is seen.
            let now = inbox.shared.time_so_far();
            if is_late(at, now) {
                count(&inbox.shared.tally.late_refused, 1);
                return Err(InjectError::Late { at, now, message });
            }
        }
        inbox.push(When::At(at), message, full)
    }
}

impl<T: Clone + Send + 'static> Injector<T> {
    /// The messages that were accepted and turned out to come too late ([`Late::Refuse`]), from now on; the oldest are dropped if more
    /// than `capacity` wait to be read. Each of several subscriptions gets all.
    pub fn refusals(&self, capacity: usize) -> Subscription<Refused<T>> {
        let sink = Sink::new(Arc::clone(&self.inbox.shared), capacity, Overflow::DropOldest);
        let mut state = lock(&self.inbox.state);
        if state.open {
            state.refusals.push(Arc::clone(&sink));
        } else {
            sink.close(false);
        }
        drop(state);
        Subscription::of(sink)
    }
}

/// Whether a time has passed; within rounding it counts as now.
fn is_late(at: f64, now: f64) -> bool {
    at < now - rounding(now)
}

/// The queue of a run.
pub(super) struct Inbox<T> {
    shared: Arc<Shared>,
    state: Mutex<State<T>>,
    room: Condvar,
}

struct State<T> {
    letters: Vec<Letter<T>>,
    open: bool,
    /// How many wait for room.
    waiting: usize,
    refusals: Vec<Arc<Sink<Refused<T>>>>,
}

struct Letter<T> {
    when: When,
    message: T,
}

#[derive(Clone, Copy)]
enum When {
    At(f64),
    /// So long after it was seen.
    In(f64),
}

impl<T> Inbox<T> {
    fn new(shared: Arc<Shared>) -> Arc<Self> {
        let state = State { letters: Vec::new(), open: true, waiting: 0, refusals: Vec::new() };
        Arc::new(Inbox { shared, state: Mutex::new(state), room: Condvar::new() })
    }

    fn push(&self, when: When, message: T, full: Full) -> Result<(), InjectError<T>> {
        let mut state = lock(&self.state);
        let capacity = self.shared.capacity();
        while state.open && state.letters.len() >= capacity {
            match full {
                Full::Refuse => return Err(InjectError::Full { capacity, message }),
                Full::Wait if !self.shared.is_runner() => {
                    state.waiting += 1;
                    state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
                    state.waiting -= 1;
                }
                Full::Wait | Full::Spill => {
                    count(&self.shared.tally.spilled, 1);
                    break;
                }
            }
        }
        if !state.open {
            return Err(InjectError::Over { message });
        }
        // Who finds something in the queue need not signal: that was done under the same lock, and what is in it has not
        // been taken yet.
        let ring = state.letters.is_empty() && self.shared.signal(MAIL);
        state.letters.push(Letter { when, message });
        drop(state);
        if ring {
            self.shared.ring();
        }
        Ok(())
    }
}

/// The messages of a run, as the loop has them.
pub(super) trait Mailbox<M: Model>: Send {
    /// Schedules everything that was sent until now.
    fn deliver(&mut self, engine: &mut Active<'_, M>, late: Late) -> Result<(), SimError>;
    /// From now on nothing is accepted.
    fn close(&self);
    /// The run is over: what was sent and not scheduled is counted as undelivered.
    fn finish(&mut self);
    fn any(&self) -> &dyn Any;
}

pub(super) struct Mail<T> {
    pub(super) inbox: Arc<Inbox<T>>,
    /// Emptied; it takes turns with the one of the inbox.
    letters: Vec<Letter<T>>,
}

impl<T> Mail<T> {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Mail { inbox: Inbox::new(shared), letters: Vec::new() }
    }

    /// Takes everything out of the inbox.
    fn take(&mut self) {
        let capacity = self.inbox.shared.capacity();
        // What once held a spill need not hold so much for ever.
        self.letters.shrink_to(capacity.saturating_mul(2));
        let mut state = lock(&self.inbox.state);
        std::mem::swap(&mut state.letters, &mut self.letters);
        let wake = state.waiting > 0;
        drop(state);
        if wake {
            self.inbox.room.notify_all();
        }
    }
}

impl<M: Receives> Mailbox<M> for Mail<M::Message>
where
    M::Message: Send + 'static,
{
    fn deliver(&mut self, engine: &mut Active<'_, M>, late: Late) -> Result<(), SimError> {
        self.take();
        let tally = &self.inbox.shared.tally;
        let mut letters = self.letters.drain(..);
        let mut injected = 0;
        let mut outcome = Ok(());
        for Letter { when, message } in letters.by_ref() {
            let now = engine.progress.now;
            let at = match when {
                When::In(delay) => now + delay,
                When::At(at) if !is_late(at, now) => at.max(now),
                When::At(_) if late == Late::MoveToNow => {
                    count(&tally.late_moved, 1);
                    now
                }
                When::At(at) => {
                    count(&tally.late_refused, 1);
                    self.inbox.refuse(&Refused { at, now, message });
                    continue;
                }
            };
            outcome = M::deliver(engine, at, message).map(|_| ());
            if outcome.is_err() {
                break;
            }
            injected += 1;
        }
        count(&tally.injected, injected);
        count(&tally.undelivered, letters.len() as u64 + u64::from(outcome.is_err()));
        outcome
    }

    fn close(&self) {
        let mut state = lock(&self.inbox.state);
        state.open = false;
        drop(state);
        self.inbox.room.notify_all();
    }

    fn finish(&mut self) {
        self.take();
        count(&self.inbox.shared.tally.undelivered, self.letters.len() as u64);
        self.letters.clear();
        for refusals in lock(&self.inbox.state).refusals.drain(..) {
            refusals.close(false);
        }
    }

    fn any(&self) -> &dyn Any {
        self
    }
}

impl<T: Clone> Inbox<T> {
    /// Tells of a message that came too late.
    #[cold]
    fn refuse(&self, refused: &Refused<T>) {
        let mut refusals = std::mem::take(&mut lock(&self.state).refusals);
        refusals.retain(|sink| sink.push(refused.clone()).is_ok());
        let mut state = lock(&self.state);
        // Those that have come meanwhile stand behind.
        refusals.append(&mut state.refusals);
        state.refusals = refusals;
    }
}
