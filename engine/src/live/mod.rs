//! Runs that other threads take part in: they send events, watch, read the time, change the pace and stop.
//!
//! A [`Live`] takes a simulation and hands out what other threads need, each of which can be cloned and sent anywhere:
//!
//! - an [`Injector`] sends events, through a bounded queue that is emptied before each event is selected;
//! - a [`Watcher`] subscribes to what happens, while the run goes on;
//! - a [`TimeReader`] reads the simulated time, without a lock unless a paced run waits just then;
//! - a [`Pacer`] changes how fast it passes by the wall clock;
//! - a [`Stopper`] ends the run.
//!
//! [`Live::source`] adds iterators of events, which
//! [`Simulation::run_with_source`](crate::Simulation::run_with_source) takes without any thread.
//!
//! ```
//! use std::thread;
//! use std::time::Duration;
//!
//! use clockrace::live::{End, Idle, Live};
//! use clockrace::simulation;
//!
//! simulation! {
//!     /// A counter; who comes, others say.
//!     pub model Bank {
//!         state waiting: u64 = 0;
//!         state served: u64 = 0;
//!         event arrive(people: u64) => { waiting += people; }
//!         clock serve if waiting > 0: after(0.5) => {
//!             waiting -= 1;
//!             served += 1;
//!         }
//!     }
//! }
//!
//! # fn main() -> Result<(), clockrace::SimError> {
//! // 1,000 simulated units in a second; it ends when nobody can come any more.
//! let live = Live::new(Bank {}.start(1)?).speed(1_000.0).idle(Idle::Wait);
//! let door = live.injector();
//! let served = live.watcher().subscribe(|view, event| {
//!     matches!(event, BankEvent::Serve).then(|| (view.now(), view.state().served))
//! });
//!
//! let visitors = thread::spawn(move || {
//!     for people in 1..=3 {
//!         thread::sleep(Duration::from_millis(5));
//!         door.send_now(BankMessage::Arrive(people)).expect("the bank is open");
//!     }
//! });
//! let board = thread::spawn(move || {
//!     for (time, number) in served {
//!         println!("{time:.2}: number {number} has been served");
//!     }
//! });
//!
//! let (sim, end) = live.run().into_result()?;
//! # visitors.join().unwrap();
//! # board.join().unwrap();
//! assert_eq!((end, sim.state().served), (End::Exhausted, 6));
//! # Ok(())
//! # }
//! ```
//!
//! # Now
//!
//! As fast as possible, the time stands at the last event, whatever the wall clock says. With a finite speed it goes on between
//! events, for [`TimeReader`] and for what is sent: a message for a time before that is late. It never goes beyond
//! the next event, or the end of the run, and a message that is to happen before the next event is taken at once.
//!
//! # What is the same in each run
//!
//! A run that gets the same events at the same times is the same, bit for bit, as one without threads: pace, readers
//! and subscriptions change nothing. What threads send, and in which order it comes together, is up to them.
//!
//! # Who waits for whom
//!
//! With [`Full::Wait`] a sender waits for the run, and with [`Overflow::Wait`] the run waits for a reader. A thread that reads
//! and sends should not do both, or it may wait for the run while the run waits for it, until somebody stops it.
//! When the run is over, and also if it ends in a panic, nobody waits any more: senders get an error, and readers what is left, and then
//! the end.
//!
//! The budget of [`set_zeno_limit`](crate::Simulation::set_zeno_limit), which says how many events may happen at one instant, begins anew
//! whenever something is scheduled from outside.

mod drive;
mod inject;
mod pace;
mod shared;
mod sink;
mod source;
mod watch;

use std::cell::OnceCell;
use std::sync::Arc;

use crate::error::{ErrorKind, SimError};
use crate::model::{Model, Receives};
use crate::observer::Observer;
use crate::simulation::{Outcome, Simulation};
use drive::{Doors, Driven};
use inject::Mail;
pub use inject::{Full, InjectError, Injector, Refused};
pub use pace::{Pacer, SpeedError};
pub use shared::Counts;
use shared::{STOP, Shared};
pub use sink::{Items, NoNews, Overflow, Subscription};
use source::Feeds;
pub use source::{Source, SourceError};
use watch::Audience;
pub use watch::{Failed, Watcher};

/// What happens to messages, and items of sources, whose time has passed when the run sees them.
///
/// Now is the simulated time, which with a finite speed goes on between events.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Late {
    /// They are refused, and counted. See [`Injector::send`] for how their sender learns of it.
    #[default]
    Refuse,
    /// They happen now, and are counted.
    MoveToNow,
}

/// What a run does when nothing is left that could happen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Idle {
    /// It ends.
    #[default]
    Return,
    /// It waits for input, until it is stopped, the last [`Injector`] has been dropped, or at a finite speed the end of the run has
    /// come.
    Wait,
}

/// How a live run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end time was reached; more can happen after it.
    Reached,
    /// The `stop` of this name holds.
    Stopped(&'static str),
    /// Nothing is left that could ever happen. The time is the end that was asked for, or that of
    /// the last event if the run had no end.
    Exhausted,
    /// A [`Stopper`] has ended it.
    Interrupted,
}

/// A live run that is over.
pub struct Ended<M: Model> {
    /// The simulation, which can be read in any case, and go on.
    pub simulation: Simulation<M>,
    /// How the run ended, or what went wrong.
    pub outcome: Result<End, SimError>,
    /// What it has counted.
    pub counts: Counts,
}

impl<M: Model> Ended<M> {
    /// The simulation and how the run ended, or only what went wrong.
    ///
    /// # Errors
    /// If the run has failed.
    pub fn into_result(self) -> Result<(Simulation<M>, End), SimError> {
        self.outcome.map(|end| (self.simulation, end))
    }
}

impl<M: Model> std::fmt::Debug for Ended<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ended")
            .field("model", &M::NAME)
            .field("now", &self.simulation.now())
            .field("outcome", &self.outcome)
            .field("counts", &self.counts)
            .finish()
    }
}

/// A simulation that is about to run while other threads send it events, watch it and stop it; see the [module](self).
#[must_use = "a live run does nothing until it is run"]
pub struct Live<M: Model> {
    simulation: Simulation<M>,
    doors: Doors<M>,
    feeds: Feeds<M>,
    full: Full,
    late: Late,
    idle: Idle,
}

impl<M: Model> std::fmt::Debug for Live<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Live")
            .field("model", &M::NAME)
            .field("now", &self.simulation.now())
            .field("capacity", &self.doors.shared.capacity())
            .field("full", &self.full)
            .field("late", &self.late)
            .field("idle", &self.idle)
            .field("speed", &self.doors.shared.speed())
            .finish_non_exhaustive()
    }
}

impl<M: Model> Live<M> {
    /// A live run of `simulation`, at first as fast as possible, with a queue for 1024 messages, and with what is the
    /// default of [`Full`], [`Late`] and [`Idle`].
    pub fn new(simulation: Simulation<M>) -> Self {
        let shared = Arc::new(Shared::new(simulation.now()));
        let audience = Audience::new(Arc::clone(&shared));
        let doors = Doors { shared, mail: OnceCell::new(), audience };
        let (full, late, idle) = (Full::default(), Late::default(), Idle::default());
        Live { simulation, doors, feeds: Feeds::new(), full, late, idle }
    }

    /// How many messages wait at most to be seen by the run, at least 1.
    pub fn capacity(self, messages: usize) -> Self {
        self.doors.shared.set_capacity(messages);
        self
    }

    /// What [injectors](Live::injector) made from now on do when the queue is full: [`Full::Wait`] unless changed.
    pub fn full(mut self, full: Full) -> Self {
        self.full = full;
        self
    }

    /// What happens to messages whose time has passed: [`Late::Refuse`] unless changed.
    pub fn late(mut self, late: Late) -> Self {
        self.late = late;
        self.doors.shared.refuse_late(late == Late::Refuse);
        self
    }

    /// What happens when nothing is left that could happen: [`Idle::Return`] unless changed.
    pub fn idle(mut self, idle: Idle) -> Self {
        self.idle = idle;
        self
    }

    /// How many simulated units pass in a second of the wall clock: 0 is a pause, infinite, as it is at first, as fast as
    /// possible.
    ///
    /// Each event waits for the moment that its time is, counted from the beginning of the run, so that nothing drifts. A run that
    /// was held up makes it up as fast as it can. A speed that is negative or NaN is an error of the run.
    pub fn speed(self, units: f64) -> Self {
        self.doors.shared.set_speed(units);
        self
    }

    /// Changes the speed while the run goes on.
    #[must_use]
    pub fn pacer(&self) -> Pacer {
        Pacer { shared: Arc::clone(&self.doors.shared) }
    }

    /// Reads the time while the run goes on.
    #[must_use]
    pub fn time(&self) -> TimeReader {
        TimeReader { shared: Arc::clone(&self.doors.shared) }
    }

    /// Stops the run.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper { shared: Arc::clone(&self.doors.shared) }
    }

    /// Subscribes to events of the run.
    #[must_use]
    pub fn watcher(&self) -> Watcher<M> {
        Watcher::new(Arc::clone(&self.doors.shared), self.doors.audience.registry())
    }

    /// Runs until nothing is left that could happen, a `stop` holds, or it is stopped.
    pub fn run(self) -> Ended<M> {
        self.run_until(f64::INFINITY)
    }

    /// The same, but not beyond `until`. An event at this time happens.
    pub fn run_until(self, until: f64) -> Ended<M> {
        self.run_with(&mut (), until)
    }

    /// The same under an [`Observer`], which works in the thread of the run.
    pub fn run_with<O: Observer<M>>(self, observer: &mut O, until: f64) -> Ended<M> {
        let Live { mut simulation, doors, feeds, late, idle, .. } = self;
        let shared = Arc::clone(&doors.shared);
        let outcome = start(&mut simulation, Driven::new(doors, feeds, late, idle), observer, until);
        Ended { simulation, outcome, counts: shared.tally.counts() }
    }
}

/// Runs, and closes everything when it is over.
fn start<M: Model, O: Observer<M>>(
    simulation: &mut Simulation<M>,
    mut driven: Driven<M>,
    observer: &mut O,
    until: f64,
) -> Result<End, SimError> {
    simulation.may_run_until(until)?;
    pace::usable(driven.doors.shared.speed())
        .map_err(|error| SimError::new(ErrorKind::User(Arc::new(error)), simulation.now()))?;
    let outcome = simulation.drive(|engine| driven.run(engine, observer, until))?;
    if O::ACTIVE {
        observer.finish(simulation.view())?;
    }
    Ok(match outcome {
        Some(Outcome::Reached) => End::Reached,
        Some(Outcome::Stopped(name)) => End::Stopped(name),
        Some(Outcome::Exhausted) => End::Exhausted,
        None => End::Interrupted,
    })
}

impl<M: Receives> Live<M>
where
    M::Message: Send + 'static,
{
    /// Sends events into the run.
    #[must_use]
    pub fn injector(&self) -> Injector<M::Message> {
        let mail = self.doors.mail.get_or_init(|| Box::new(Mail::<M::Message>::new(Arc::clone(&self.doors.shared))));
        let mail = mail.any().downcast_ref::<Mail<M::Message>>().expect("it was made here");
        Injector::of(Arc::clone(&mail.inbox), self.full)
    }

    /// Adds a producer of events: an iterator of times and messages, taken as a [`Source`] does. There can be several; of
    /// items of one time those of the source that was added first come first. What it has not given when the run is over is
    /// dropped with it.
    ///
    /// A time that is not finite, or that decreases, ends the run with a [`SourceError`].
    pub fn source<I>(mut self, items: I) -> Self
    where
        I: IntoIterator<Item = (f64, M::Message)>,
        I::IntoIter: Send + 'static,
    {
        self.feeds.add(Box::new(Source::new(items)));
        self
    }
}

/// Reads the time of a live run, from any thread and at any moment; see [`Live::time`].
///
/// It never decreases. With a finite speed it goes on between events, but never beyond what may happen next.
#[derive(Clone)]
pub struct TimeReader {
    shared: Arc<Shared>,
}

impl TimeReader {
    /// The simulated time.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.shared.time()
    }
}

impl std::fmt::Debug for TimeReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TimeReader").field("now", &self.now()).finish()
    }
}

/// Stops a live run, from any thread; see [`Live::stopper`].
#[derive(Clone)]
pub struct Stopper {
    shared: Arc<Shared>,
}

impl Stopper {
    /// The run ends after the event that happens just now, also if it waits for something. It can be asked for any
    /// number of times, and before the run.
    pub fn stop(&self) {
        self.shared.call(STOP);
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.shared.stopped()
    }
}

impl std::fmt::Debug for Stopper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Stopper").field("stopped", &self.is_stopped()).finish()
    }
}
