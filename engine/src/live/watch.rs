//! Observers that come and go while a run goes on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use super::shared::{SUBSCRIPTIONS, Shared, count, lock};
use super::sink::{Gone, Overflow, Sink, Subscription};
use crate::error::SimError;
use crate::model::Model;
use crate::simulation::Fired;
use crate::view::View;

/// Subscribes to a live run, from any thread, before and while it goes on; see [`Live::watcher`](super::Live::watcher).
///
/// A subscription takes effect before the next event. It has a bounded queue of its own, from which its thread reads; what
/// happens when nobody does, [`overflow`](Watcher::overflow) says.
///
/// If a closure panics, its subscription ends, which its reader and [`Counts`](super::Counts) are told, and the run goes on.
pub struct Watcher<M: Model> {
    shared: Arc<Shared>,
    registry: Arc<Registry<M>>,
    capacity: usize,
    overflow: Overflow,
}

impl<M: Model> Clone for Watcher<M> {
    fn clone(&self) -> Self {
        Watcher { shared: Arc::clone(&self.shared), registry: Arc::clone(&self.registry), ..*self }
    }
}

impl<M: Model> std::fmt::Debug for Watcher<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Watcher")
            .field("model", &M::NAME)
            .field("capacity", &self.capacity)
            .field("overflow", &self.overflow)
            .finish()
    }
}

impl<M: Model> Watcher<M> {
    pub(super) fn new(shared: Arc<Shared>, registry: Arc<Registry<M>>) -> Self {
        Watcher { shared, registry, capacity: 1024, overflow: Overflow::default() }
    }

    /// How many items wait at most to be read, of each subscription from now on; 1024 unless changed, and at least 1.
    #[must_use]
    pub fn capacity(mut self, items: usize) -> Self {
        self.capacity = items;
        self
    }

    /// What happens when that many wait: the oldest is dropped unless this says something else.
    #[must_use]
    pub fn overflow(mut self, overflow: Overflow) -> Self {
        self.overflow = overflow;
        self
    }

    /// Subscribes to every event.
    pub fn all(&self) -> Subscription<Fired<M::Event>> {
        self.events(|_| true)
    }

    /// Subscribes to the events that `of_interest` chooses, such as
    /// `|event| matches!(event, BankEvent::Arrival)`.
    pub fn events(
        &self,
        mut of_interest: impl FnMut(M::Event) -> bool + Send + 'static,
    ) -> Subscription<Fired<M::Event>> {
        self.subscribe(move |view, event| of_interest(event).then(|| Fired { time: view.now(), event }))
    }

    /// Subscribes to what `look` gives: it sees every event, and the simulation after it, in the thread of the run.
    pub fn subscribe<T: Send + 'static>(
        &self,
        look: impl FnMut(View<'_, M>, M::Event) -> Option<T> + Send + 'static,
    ) -> Subscription<T> {
        self.add(|sink| Box::new(Seen { look, sink }))
    }

    /// Subscribes to instances of activities that give a `Result` and have failed, of which
    /// [`all`](Watcher::all) sees only that they went on.
    pub fn failures(&self) -> Subscription<Failed<M::Event>> {
        self.add(|sink| Box::new(Failing { sink }))
    }

    fn add<T>(&self, subscriber: impl FnOnce(Arc<Sink<T>>) -> Box<dyn Subscriber<M>>) -> Subscription<T> {
        let sink = Sink::new(Arc::clone(&self.shared), self.capacity, self.overflow);
        if self.registry.add(subscriber(Arc::clone(&sink))) {
            self.shared.call(SUBSCRIPTIONS);
        } else {
            sink.close(false);
        }
        Subscription::of(sink)
    }
}

/// An instance of an activity that has failed; see [`Watcher::failures`].
#[derive(Clone, Debug)]
pub struct Failed<E> {
    /// When.
    pub time: f64,
    /// The event in which it did.
    pub event: E,
    /// What it failed with.
    pub error: SimError,
}

/// A subscription, as the loop has it.
pub(super) trait Subscriber<M: Model>: Send {
    /// An event has happened, in which an instance may have failed.
    fn see(&mut self, view: View<'_, M>, event: M::Event, failure: Option<&SimError>) -> Result<(), Gone>;
    /// Whether nobody reads it any more.
    fn is_unread(&self) -> bool;
    /// Nothing more will come.
    fn close(&self, panicked: bool);
}

struct Seen<F, T> {
    look: F,
    sink: Arc<Sink<T>>,
}

impl<M, F, T> Subscriber<M> for Seen<F, T>
where
    M: Model,
    F: FnMut(View<'_, M>, M::Event) -> Option<T> + Send,
    T: Send,
{
    fn see(&mut self, view: View<'_, M>, event: M::Event, _: Option<&SimError>) -> Result<(), Gone> {
        (self.look)(view, event).map_or(Ok(()), |item| self.sink.push(item))
    }

    fn is_unread(&self) -> bool {
        self.sink.is_unread()
    }

    fn close(&self, panicked: bool) {
        self.sink.close(panicked);
    }
}

struct Failing<E> {
    sink: Arc<Sink<Failed<E>>>,
}

impl<M: Model> Subscriber<M> for Failing<M::Event>
where
    M::Event: Send,
{
    fn see(&mut self, view: View<'_, M>, event: M::Event, failure: Option<&SimError>) -> Result<(), Gone> {
        match failure {
            Some(error) => self.sink.push(Failed { time: view.now(), event, error: error.clone() }),
            None => Ok(()),
        }
    }

    fn is_unread(&self) -> bool {
        self.sink.is_unread()
    }

    fn close(&self, panicked: bool) {
        self.sink.close(panicked);
    }
}

type Subscribers<M> = Vec<Box<dyn Subscriber<M>>>;

/// Subscriptions that the loop has not taken yet; none is taken any more once the run is over.
pub(super) struct Registry<M: Model> {
    new: Mutex<Option<Subscribers<M>>>,
}

impl<M: Model> Registry<M> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Registry { new: Mutex::new(Some(Vec::new())) })
    }

    /// Adds one; `false` if the run is over.
    fn add(&self, subscriber: Box<dyn Subscriber<M>>) -> bool {
        match &mut *lock(&self.new) {
            Some(new) => {
                new.push(subscriber);
                true
            }
            None => false,
        }
    }
}

/// The subscriptions of a run, as the loop has them.
pub(super) struct Audience<M: Model> {
    shared: Arc<Shared>,
    registry: Arc<Registry<M>>,
    subscribers: Subscribers<M>,
}

impl<M: Model> Audience<M> {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Audience { shared, registry: Registry::new(), subscribers: Vec::new() }
    }

    pub(super) fn registry(&self) -> Arc<Registry<M>> {
        Arc::clone(&self.registry)
    }

    /// Takes who has come, and lets go who is gone.
    pub(super) fn admit(&mut self) {
        if let Some(new) = &mut *lock(&self.registry.new) {
            self.subscribers.append(new);
        }
        self.subscribers.retain(|subscriber| !subscriber.is_unread());
    }

    /// Whether nobody looks.
    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.subscribers.is_empty()
    }

    /// An event has happened, in which an instance may have failed.
    #[inline(never)]
    pub(super) fn see(&mut self, view: View<'_, M>, event: M::Event, failure: Option<&SimError>) {
        let shared = &self.shared;
        self.subscribers.retain_mut(|subscriber| {
            // What the closure had in its hands when it panicked nobody uses again.
            match catch_unwind(AssertUnwindSafe(|| subscriber.see(view, event, failure))) {
                Ok(seen) => seen.is_ok(),
                Err(_) => {
                    count(&shared.tally.panicked, 1);
                    subscriber.close(true);
                    false
                }
            }
        });
    }

    /// The run is over.
    pub(super) fn close(&mut self) {
        let new = lock(&self.registry.new).take().unwrap_or_default();
        for subscriber in self.subscribers.drain(..).chain(new) {
            subscriber.close(false);
        }
    }
}
