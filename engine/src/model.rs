//! The link between generated code and the engine.

use crate::error::{ErrorKind, SimError};
use crate::graph::Graph;
use crate::moment::Moment;
use crate::rng::Rng;
use crate::simulation::Simulation;
use crate::view::View;

/// A model, as `simulation!` implements it.
///
/// Everything generic is written over this trait and compiled for each model, so that the loop
/// has no dynamic calls. It is not meant to be implemented by hand: its hidden part may change.
pub trait Model: Sized {
    /// The state variables (`state`).
    type State;
    /// The tallies (`tally`).
    type Tallies;
    /// The outputs (`observe`).
    type Observed;
    /// What can happen: one variant for each clock and reaction.
    type Event: Copy + std::fmt::Debug + Eq + std::hash::Hash + Send + Sync + 'static;
    #[doc(hidden)]
    type Clocks;
    /// The state as it is seen from outside: a reference, or what flowing variables are by now.
    #[doc(hidden)]
    type Shown<'a>: std::ops::Deref<Target = Self::State>
    where
        Self: 'a;

    /// Name of the model.
    const NAME: &'static str;
    /// Names of the numeric outputs, in order of declaration; of a family once.
    const OUTPUTS: &'static [&'static str];
    /// Names of the `stop` conditions, in order of declaration.
    const STOPS: &'static [&'static str];
    /// The state variables that a path can follow, in order of declaration.
    #[doc(hidden)]
    const TRACKS: &'static [Track];
    /// Whether time is counted in whole ticks.
    #[doc(hidden)]
    const TICKS: bool;
    /// Whether some numeric output changes between events: it reads `now` or a flowing variable.
    #[doc(hidden)]
    const OUTPUTS_MOVE: bool;

    /// What depends on what.
    #[must_use]
    fn graph() -> Graph;

    /// Name of the clock behind an event, as declared.
    #[must_use]
    fn event_name(event: Self::Event) -> &'static str;

    /// Index of the clock behind an event, or its indices; empty if it is a single clock.
    #[must_use]
    fn event_index(event: Self::Event) -> Vec<usize>;

    /// Starts replicate number `stream` under `seed` at time `start`.
    ///
    /// # Errors
    /// A param outside its range, or anything that goes wrong in an initial value, in `init`, or
    /// in the first evaluation of a clock; a negative or infinite `start`.
    fn start_from(self, seed: u64, stream: u64, start: f64) -> Result<Simulation<Self>, SimError>;

    /// Starts replicate number `stream` under `seed` at time 0.
    ///
    /// # Errors
    /// As [`start_from`](Model::start_from).
    fn start_stream(self, seed: u64, stream: u64) -> Result<Simulation<Self>, SimError> {
        self.start_from(seed, stream, 0.0)
    }

    #[doc(hidden)]
    fn initial_tallies(model: &Self, clocks: &Self::Clocks, now: f64) -> Result<Self::Tallies, SimError>;
    #[doc(hidden)]
    fn refresh_all(engine: &mut Active<'_, Self>) -> Result<(), SimError>;
    #[doc(hidden)]
    fn next(clocks: &Self::Clocks) -> Next;
    #[doc(hidden)]
    fn name_at(clocks: &Self::Clocks, next: Next) -> (&'static str, Vec<usize>);
    /// The next event happens. `None`: it was only a proposal, or a look at how things stand.
    #[doc(hidden)]
    fn fire(engine: &mut Active<'_, Self>, next: Next) -> Result<Option<Self::Event>, SimError>;
    /// The state with every flowing variable at its value of now.
    #[doc(hidden)]
    fn shown<'a>(view: View<'a, Self>) -> Result<Self::Shown<'a>, SimError>;
    /// Every flowing variable takes its value of now, and flows on from there.
    #[doc(hidden)]
    fn anchor(engine: &mut Active<'_, Self>) -> Result<(), SimError>;
    /// How often each clock by thinning has met a rate above its bound, by name.
    #[doc(hidden)]
    fn broken_bounds(clocks: &Self::Clocks) -> Vec<(&'static str, u64)>;
    /// The sizes of the index sets that a track is a family over, or the number of its pairs; none if it is no family.
    #[doc(hidden)]
    fn track_sizes(view: View<'_, Self>, track: usize) -> Vec<usize>;
    /// The value of a member of a track at `view.now()`, if the track is a number.
    #[doc(hidden)]
    fn track_at(view: View<'_, Self>, track: usize, member: usize) -> Result<f64, SimError>;
    /// Value, slope and half of the curvature at `view.now()`, if the track flows as a polynomial of
    /// degree two at most.
    #[doc(hidden)]
    fn track_course(view: View<'_, Self>, track: usize, member: usize) -> Result<[f64; 3], SimError>;
    /// The time from which a member of a flowing track flows; NaN if it does not flow.
    #[doc(hidden)]
    fn track_since(view: View<'_, Self>, track: usize, member: usize) -> f64;
    /// The members of tracks that `event`, which has just happened, may have written, flowing variables
    /// that now flow differently included.
    #[doc(hidden)]
    fn moved(view: View<'_, Self>, event: Self::Event, each: &mut dyn FnMut(usize, usize));
    /// Copies a member of a track, and where it flows from.
    #[doc(hidden)]
    fn copy_track(
        view: View<'_, Self>,
        track: usize,
        member: usize,
        state: &mut Self::State,
        clocks: &mut Self::Clocks,
    );
    #[doc(hidden)]
    fn observe(view: View<'_, Self>) -> Result<Self::Observed, SimError>;
    #[doc(hidden)]
    fn outputs(view: View<'_, Self>, into: &mut [f64]) -> Result<(), SimError>;
    #[doc(hidden)]
    fn output_count(view: View<'_, Self>) -> usize;
    #[doc(hidden)]
    fn output_names(view: View<'_, Self>) -> Vec<String>;
}

/// A model with dynamic events (`event`), which can also be scheduled from outside.
pub trait Receives: Model {
    /// An event and its payload: one variant for each `event`, which holds its indices and arguments.
    type Message: Clone + std::fmt::Debug;

    /// Schedules an event.
    #[doc(hidden)]
    fn deliver(engine: &mut Active<'_, Self>, at: f64, message: Self::Message) -> Result<Scheduled, SimError>;
    /// Takes a pending event out.
    #[doc(hidden)]
    fn take_out(engine: &mut Active<'_, Self>, scheduled: Scheduled) -> Result<Option<Self::Message>, SimError>;
}

/// A model whose time is counted in whole ticks (`time u64;`).
///
/// What is seen of it as a floating-point number – the time of recorders, observers and errors – is exact up to 2⁵³; the
/// model itself counts on exactly.
pub trait Ticks: Model {}

/// A dynamic event that was scheduled from outside; see [`Simulation::schedule`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scheduled(#[doc(hidden)] pub crate::agenda::Handle);

/// A state variable that a path can follow.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Track {
    /// Its name.
    pub name: &'static str,
    /// Whether it is a number, or a family of numbers.
    pub numeric: bool,
    /// Whether it flows between events.
    pub flows: bool,
    /// Whether it is, between events, a polynomial of time of degree two at most: a constant too.
    pub polynomial: bool,
}

/// The next event, before it happens.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Next {
    /// When.
    pub at: Moment,
    /// The timed clock's slot, or [`Next::RACE`].
    pub slot: usize,
}

impl Next {
    /// The exponential clocks' race comes first.
    pub const RACE: usize = usize::MAX;
    /// Something that is scheduled comes first: a dynamic event, or an instance of an activity.
    pub const SCHEDULE: usize = usize::MAX - 1;
}

/// Everything that a run has and changes.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Engine<M: Model> {
    pub model: M,
    pub state: M::State,
    pub tallies: M::Tallies,
    pub clocks: M::Clocks,
    pub rng: Rng,
    pub progress: Progress,
}

/// An engine at work: its parts, each on its own, so that the compiler can keep in registers
/// those whose address nobody takes.
#[doc(hidden)]
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Active<'a, M: Model> {
    pub model: &'a M,
    pub state: &'a mut M::State,
    pub tallies: &'a mut M::Tallies,
    pub clocks: &'a mut M::Clocks,
    pub rng: &'a mut Rng,
    pub progress: &'a mut Progress,
}

/// How far a run is.
#[doc(hidden)]
#[derive(Clone, Debug)]
#[allow(missing_docs)]
pub struct Progress {
    pub now: f64,
    /// What rounding took from `now`.
    pub low: f64,
    pub start: f64,
    /// When something was written last: by an event, at the start or from outside.
    pub changed: f64,
    /// Events at this instant so far.
    pub instant: u64,
    pub zeno_limit: u64,
    pub check_invariants: bool,
    pub stopped: Option<usize>,
    /// How many instances of activities have failed.
    pub failures: u64,
    /// The last failure, until observers have been told.
    pub failure: Option<SimError>,
}

impl<M: Model> Engine<M> {
    /// An engine at time `start` in which no clock is armed.
    ///
    /// # Errors
    /// If `start` is negative or not finite.
    pub fn new(
        model: M,
        state: M::State,
        clocks: M::Clocks,
        rng: Rng,
        start: f64,
        check_invariants: bool,
    ) -> Result<Self, SimError> {
        if !(0.0..=f64::MAX).contains(&start) {
            let reason = "cannot be a start; it must be finite and not negative";
            return Err(SimError::new(ErrorKind::Time { value: start, reason }, start));
        }
        let tallies = M::initial_tallies(&model, &clocks, start)?;
        let progress = Progress {
            now: start,
            low: 0.0,
            start,
            changed: start,
            instant: 0,
            zeno_limit: 1_000_000,
            check_invariants,
            stopped: None,
            failures: 0,
            failure: None,
        };
        Ok(Engine { model, state, tallies, clocks, rng, progress })
    }

    /// The engine at work.
    pub fn active(&mut self) -> Active<'_, M> {
        Active {
            model: &self.model,
            state: &mut self.state,
            tallies: &mut self.tallies,
            clocks: &mut self.clocks,
            rng: &mut self.rng,
            progress: &mut self.progress,
        }
    }
}

impl<M: Model> Active<'_, M> {
    /// The next event happens, or leaves the time where it was. `None`: it was only a proposal, or a look at how
    /// things stand, which leaves everything else as it is.
    ///
    /// # Errors
    /// Whatever goes wrong in it, and a Zeno budget that is used up.
    #[inline(always)]
    pub(crate) fn happen(&mut self, next: Next) -> Result<Option<M::Event>, SimError> {
        let before = self.progress.moment();
        if !self.progress.enter(next.at) {
            let (name, index) = M::name_at(self.clocks, next);
            return Err(zeno(self.progress.zeno_limit, next.at.time).of(name, &index).during(name, &index));
        }
        let outcome = M::fire(self, next);
        match &outcome {
            Ok(Some(_)) => self.progress.changed = self.progress.now,
            Ok(None) => {}
            Err(_) => self.progress.go_to(before),
        }
        outcome
    }
}

impl Progress {
    /// The current moment.
    #[inline(always)]
    #[must_use]
    pub fn moment(&self) -> Moment {
        Moment { time: self.now, low: self.low }
    }

    /// Moves the time to an event and counts it against the Zeno budget; `false` if that is used up.
    #[inline(always)]
    fn enter(&mut self, at: Moment) -> bool {
        if at.time > self.now {
            self.instant = 1;
        } else if self.instant < self.zeno_limit {
            self.instant += 1;
        } else {
            return false;
        }
        self.go_to(at);
        true
    }

    /// An activity goes on without waiting, which counts against the Zeno budget.
    ///
    /// # Errors
    /// If that is used up.
    #[inline]
    pub fn again(&mut self) -> Result<(), SimError> {
        if self.instant < self.zeno_limit {
            self.instant += 1;
            return Ok(());
        }
        Err(zeno(self.zeno_limit, self.now))
    }

    /// An instance of an activity has failed.
    pub fn fails(&mut self, error: SimError) {
        self.failures += 1;
        self.failure = Some(error);
    }

    /// Goes to another moment.
    #[inline(always)]
    fn go_to(&mut self, to: Moment) {
        self.now = to.time;
        self.low = to.low;
    }

    /// Moves the time to the end of a run, where nothing happens.
    #[inline]
    pub(crate) fn pause_at(&mut self, until: Moment) {
        if self.moment().before(until) {
            self.go_to(until);
            self.instant = 0;
        }
    }
}

#[cold]
fn zeno(limit: u64, time: f64) -> SimError {
    SimError::new(ErrorKind::Zeno { limit }, time)
}
