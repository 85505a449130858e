//! A model that runs.

use crate::error::{ErrorKind, SimError};
use crate::model::{Active, Engine, Model, Receives, Scheduled, Ticks};
use crate::moment::Moment;
use crate::observer::Observer;
use crate::view::View;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The end time was reached; more can happen after it.
    Reached,
    /// The `stop` of this name holds.
    Stopped(&'static str),
    /// Nothing is left that could ever happen. The time is the end that was asked for, or that of
    /// the last event if the run had no end.
    Exhausted,
}

/// An event that has happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fired<E> {
    /// When.
    pub time: f64,
    /// What.
    pub event: E,
}

/// What has happened at one instant; see [`Simulation::step_instant`].
#[derive(Clone, Debug, PartialEq)]
pub struct Instant<E> {
    /// When.
    pub time: f64,
    /// What, in order: at least one.
    pub events: Vec<E>,
}

/// A running simulation of `M`, made by the model's `start`.
///
/// A clone is a branch: it goes on from here with the same random numbers, until the two are
/// treated differently.
///
/// The same inputs and seed give the same events, bit for bit, however the run is cut into
/// [`run_until`](Simulation::run_until) calls and whatever observes it.
///
/// A panic inside a block – of an `assert!`, say – takes the simulation with it; what is an error
/// of the run leaves it readable.
pub struct Simulation<M: Model> {
    /// Missing only while a run has it.
    engine: Option<Engine<M>>,
    failure: Option<SimError>,
}

impl<M: Model + Clone> Clone for Simulation<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    fn clone(&self) -> Self {
        Simulation { engine: self.engine.clone(), failure: self.failure.clone() }
    }
}

impl<M: Model> std::fmt::Debug for Simulation<M>
where
    M::State: std::fmt::Debug,
{
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("model", &M::NAME)
            .field("now", &self.now())
            .field("state", &*self.state())
            .finish_non_exhaustive()
    }
}

impl<M: Model> Simulation<M> {
    #[doc(hidden)]
    #[must_use]
    pub fn from_engine(engine: Engine<M>) -> Self {
        Simulation { engine: Some(engine), failure: None }
    }

    fn engine(&self) -> &Engine<M> {
        self.engine.as_ref().expect(LOST)
    }

    fn engine_mut(&mut self) -> &mut Engine<M> {
        self.engine.as_mut().expect(LOST)
    }

    /// The simulated time: that of the last event, or the end of the last run.
    #[must_use]
    pub fn now(&self) -> f64 {
        self.engine().progress.now
    }

    /// The state now.
    ///
    /// It is a reference to the state, or for a model with flows a copy in which every flowing variable has the
    /// value that it has now: it can be used like a reference, and the simulation is left as it is. To look at a few
    /// elements of large families, `observe` them: that evaluates no others.
    ///
    /// # Panics
    /// If a flow fails by `?` or overflow.
    #[must_use]
    pub fn state(&self) -> M::Shown<'_> {
        self.view().state()
    }

    /// The params, in the model as it was started.
    #[must_use]
    pub fn params(&self) -> &M {
        &self.engine().model
    }

    /// The tallies now.
    #[must_use]
    pub fn tallies(&self) -> &M::Tallies {
        &self.engine().tallies
    }

    /// The outputs (`observe`) now.
    ///
    /// # Errors
    /// If an expression overflows or fails by `?`.
    pub fn observe(&self) -> Result<M::Observed, SimError> {
        self.view().observe()
    }

    /// A view as observers get it.
    #[must_use]
    pub fn view(&self) -> View<'_, M> {
        View::of(self.engine())
    }

    /// When the next event happens, or is proposed by thinning; infinity if never.
    #[must_use]
    pub fn next_time(&self) -> f64 {
        let engine = self.engine();
        if engine.progress.stopped.is_some() { f64::INFINITY } else { M::next(&engine.clocks).at.time }
    }

    /// Changes the state from outside, then refreshes every clock.
    ///
    /// Before that, every flowing variable takes its value of now, and flows on from there.
    ///
    /// Clocks by `after` that stay enabled keep their ring time, as after an event. A failed
    /// simulation whose state is mended here can go on.
    ///
    /// # Errors
    /// If a clock, `stop` or `invariant` fails on the new state. The change stays.
    pub fn update<R>(&mut self, change: impl FnOnce(&mut M::State) -> R) -> Result<R, SimError> {
        let engine = self.engine_mut();
        M::anchor(&mut engine.active())?;
        let result = change(&mut engine.state);
        engine.progress.changed = engine.progress.now;
        self.failure = None;
        self.guarded(|engine| M::refresh_all(engine))?;
        Ok(result)
    }

    /// Sets every tally back to its initial value: the end of a warm-up. The state stays.
    ///
    /// # Errors
    /// If an initial value fails by `?` or overflow.
    pub fn reset_tallies(&mut self) -> Result<(), SimError> {
        let engine = self.engine_mut();
        engine.tallies = M::initial_tallies(&engine.model, &engine.clocks, engine.progress.now)?;
        engine.progress.changed = engine.progress.now;
        Ok(())
    }

    /// Runs to `until` and then resets the tallies.
    ///
    /// # Errors
    /// As [`run_until`](Simulation::run_until).
    pub fn warm_up(&mut self, until: f64) -> Result<Outcome, SimError> {
        let outcome = self.run_until(until)?;
        self.reset_tallies()?;
        Ok(outcome)
    }

    /// How often each clock by thinning with `adapt` has met a rate above its bound, which has then been raised, by the
    /// name of the clock. Events up to then came from too low a bound: more than a few, at the beginning, and the
    /// numbers are not to be trusted.
    #[must_use]
    pub fn broken_bounds(&self) -> Vec<(&'static str, u64)> {
        M::broken_bounds(&self.engine().clocks)
    }

    /// More than this many events at one instant are an error; 1,000,000 unless changed.
    pub fn set_zeno_limit(&mut self, events: u64) {
        self.engine_mut().progress.zeno_limit = events;
    }

    /// Whether invariants are checked. At first they are if the crate of the model is compiled
    /// with `debug_assertions`.
    pub fn check_invariants(&mut self, on: bool) {
        self.engine_mut().progress.check_invariants = on;
    }

    /// Executes the next event; `None` if there is none, or a `stop` holds.
    ///
    /// # Errors
    /// Any [`SimError`] of the event.
    pub fn step(&mut self) -> Result<Option<Fired<M::Event>>, SimError> {
        self.ready()?;
        loop {
            let engine = self.engine();
            let next = M::next(&engine.clocks);
            if engine.progress.stopped.is_some() || next.at.time == f64::INFINITY {
                return Ok(None);
            }
            if let Some(event) = self.guarded(|engine| engine.happen(next))? {
                return Ok(Some(Fired { time: self.now(), event }));
            }
        }
    }

    /// Executes everything that happens at the next instant, whatever its order there; `None` if nothing is left to
    /// happen, or a `stop` holds. A `stop` ends it in the middle of an instant.
    ///
    /// # Errors
    /// Any [`SimError`] of an event.
    pub fn step_instant(&mut self) -> Result<Option<Instant<M::Event>>, SimError> {
        let Some(Fired { time, event }) = self.step()? else { return Ok(None) };
        let mut events = vec![event];
        loop {
            let engine = self.engine();
            let (now, next) = (engine.progress.moment(), M::next(&engine.clocks));
            let over = next.at.time == f64::INFINITY || is_later::<M>(next.at, now);
            if engine.progress.stopped.is_some() || over {
                return Ok(Some(Instant { time, events }));
            }
            events.extend(self.guarded(|engine| engine.happen(next))?);
        }
    }

    /// How many instances of activities have failed (those that give a `Result`). An
    /// [`Observer`] is told of each.
    #[must_use]
    pub fn failures(&self) -> u64 {
        self.engine().progress.failures
    }

    /// The events from now on, until none is left or a `stop` holds. After an error it ends.
    pub fn events(&mut self) -> Events<'_, M> {
        Events { simulation: self, ended: false }
    }

    /// Executes every event up to and including time `until`, and none after it.
    ///
    /// # Errors
    /// Any [`SimError`] of an event; and [`ErrorKind::EndTime`] if `until` is before now or NaN.
    pub fn run_until(&mut self, until: f64) -> Result<Outcome, SimError> {
        self.run_with(&mut (), until)
    }

    /// Runs to `until` and calls `each` after every event.
    ///
    /// # Errors
    /// As [`run_until`](Simulation::run_until).
    pub fn run_each(&mut self, until: f64, each: impl FnMut(View<'_, M>, M::Event)) -> Result<Outcome, SimError> {
        self.run_with(&mut crate::observer::on_event(each), until)
    }

    /// Runs to `until` under an [`Observer`], or a tuple of them.
    ///
    /// # Errors
    /// As [`run_until`](Simulation::run_until), and what the observer returns.
    pub fn run_with<O: Observer<M>>(&mut self, observer: &mut O, until: f64) -> Result<Outcome, SimError> {
        self.may_run_until(until)?;
        let outcome = self.drive(|engine| run(engine, observer, End::at::<M>(until)))?;
        if O::ACTIVE {
            observer.finish(self.view())?;
        }
        Ok(outcome)
    }

    /// Schedules a dynamic event (`event`) from outside, as a body does by `NAME.at(at, …)`.
    ///
    /// # Errors
    /// If `at` is before now, NaN or infinite. Nothing has changed then.
    pub fn schedule(&mut self, at: f64, message: M::Message) -> Result<Scheduled, SimError>
    where
        M: Receives,
    {
        self.ready()?;
        M::deliver(&mut self.engine_mut().active(), at, message)
    }

    /// Takes back an event that was scheduled from outside; `None` if it has happened or has been cancelled.
    ///
    /// # Errors
    /// If what depends on the number of pending events fails: a clock, a `stop` or an `invariant`.
    pub fn cancel(&mut self, scheduled: Scheduled) -> Result<Option<M::Message>, SimError>
    where
        M: Receives,
    {
        self.ready()?;
        self.guarded(|engine| M::take_out(engine, scheduled))
    }

    /// The tick, exactly: [`now`](Simulation::now) has gaps beyond 2⁵³.
    #[must_use]
    pub fn tick(&self) -> u64
    where
        M: Ticks,
    {
        self.engine().progress.moment().ticks()
    }

    /// As [`run_until`](Simulation::run_until), to a tick.
    ///
    /// # Errors
    /// As there.
    pub fn run_until_tick(&mut self, until: u64) -> Result<Outcome, SimError>
    where
        M: Ticks,
    {
        #[allow(clippy::cast_precision_loss, reason = "it is for a message")]
        if until < self.tick() {
            let now = self.now();
            return Err(SimError::new(ErrorKind::EndTime { until: until as f64, now }, now));
        }
        self.ready()?;
        self.drive(|engine| run(engine, &mut (), End::tick(until)))
    }

    /// Checks that it has not failed, and that a run can end at `until`.
    pub(crate) fn may_run_until(&self, until: f64) -> Result<(), SimError> {
        self.ready()?;
        let now = self.now();
        if until < now || until.is_nan() {
            return Err(SimError::new(ErrorKind::EndTime { until, now }, now));
        }
        Ok(())
    }

    fn ready(&self) -> Result<(), SimError> {
        match &self.failure {
            Some(error) => Err(error.clone()),
            None => Ok(()),
        }
    }

    /// Does what a run consists of.
    #[inline(always)]
    pub(crate) fn drive<R>(
        &mut self,
        work: impl FnOnce(&mut Active<'_, M>) -> Result<R, Failure>,
    ) -> Result<R, SimError> {
        let engine = self.engine.take().expect(LOST);
        let Engine { model, mut state, mut tallies, mut clocks, mut rng, mut progress } = engine;
        let mut engine = Active {
            model: &model,
            state: &mut state,
            tallies: &mut tallies,
            clocks: &mut clocks,
            rng: &mut rng,
            progress: &mut progress,
        };
        let outcome = work(&mut engine);
        self.engine = Some(Engine { model, state, tallies, clocks, rng, progress });
        outcome.map_err(|failure| match failure {
            Failure::Event(error) => {
                self.failure = Some(error.clone());
                error
            }
            // What an observer fails with is no fault of the simulation, which can go on.
            Failure::Observer(error) => error,
        })
    }

    fn guarded<R>(&mut self, work: impl FnOnce(&mut Active<'_, M>) -> Result<R, SimError>) -> Result<R, SimError> {
        let result = work(&mut self.engine_mut().active());
        if let Err(error) = &result {
            self.failure = Some(error.clone());
        }
        result
    }
}

const LOST: &str = "the simulation was lost when its block panicked";

/// Who failed.
pub(crate) enum Failure {
    Event(SimError),
    Observer(SimError),
}

/// Where a run ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    /// The last moment at which something happens.
    last: Moment,
    /// The moment to which the time is moved when nothing is left to happen.
    pub(crate) pause: Moment,
}

impl End {
    /// With everything at `until`, and nothing after it. Between two ticks it ends at the first.
    pub(crate) fn at<M: Model>(until: f64) -> Self {
        if M::TICKS && until < f64::INFINITY {
            return End::tick(Moment::at(until).ticks());
        }
        End { last: Moment { time: until, low: f64::INFINITY }, pause: Moment::at(until) }
    }

    fn tick(tick: u64) -> Self {
        let moment = Moment::tick(tick);
        End { last: moment, pause: moment }
    }

    /// Whether what happens then lies beyond it.
    #[inline(always)]
    pub(crate) fn is_before(self, next: Moment) -> bool {
        self.last.before(next)
    }
}

/// The instant at which something happens, as observers are told of it.
#[derive(Debug, Default)]
pub(crate) struct InstantTold {
    begun: bool,
}

impl InstantTold {
    /// The next event is about to happen, and time to move to it.
    #[inline(always)]
    pub(crate) fn before<M: Model, O: Observer<M>>(
        &mut self,
        engine: &Active<'_, M>,
        observer: &mut O,
        next: Moment,
    ) -> Result<(), Failure> {
        let later = is_later::<M>(next, engine.progress.moment());
        if self.begun && !later {
            return Ok(());
        }
        self.end(engine, observer)?;
        if next.time > engine.progress.now {
            observer.advance(View::new(engine), next.time).map_err(Failure::Observer)?;
        }
        self.begun = true;
        observer.before_instant(View::new(engine), next.time).map_err(Failure::Observer)
    }

    /// `event` has happened.
    #[inline(always)]
    pub(crate) fn event<M: Model, O: Observer<M>>(
        &self,
        engine: &mut Active<'_, M>,
        observer: &mut O,
        event: M::Event,
    ) -> Result<(), Failure> {
        observer.event(View::new(engine), event).map_err(Failure::Observer)?;
        if let Some(error) = engine.progress.failure.take() {
            observer.failed(View::new(engine), event, &error).map_err(Failure::Observer)?;
        }
        Ok(())
    }

    /// Nothing more happens at this instant.
    #[inline(always)]
    pub(crate) fn end<M: Model, O: Observer<M>>(
        &mut self,
        engine: &Active<'_, M>,
        observer: &mut O,
    ) -> Result<(), Failure> {
        if std::mem::replace(&mut self.begun, false) {
            observer.after_instant(View::new(engine)).map_err(Failure::Observer)?;
        }
        Ok(())
    }
}

/// Whether a moment is another instant than the one before.
#[inline(always)]
fn is_later<M: Model>(next: Moment, now: Moment) -> bool {
    if M::TICKS { now.before(next) } else { next.time > now.time }
}

/// The loop.
#[inline(always)]
fn run<M: Model, O: Observer<M>>(engine: &mut Active<'_, M>, observer: &mut O, end: End) -> Result<Outcome, Failure> {
    let mut told = InstantTold::default();
    engine.progress.failure = None;
    loop {
        if !M::STOPS.is_empty() {
            if let Some(stop) = engine.progress.stopped {
                told.end(engine, observer)?;
                return Ok(Outcome::Stopped(M::STOPS[stop]));
            }
        }
        let next = M::next(engine.clocks);
        if end.is_before(next.at) || next.at.time == f64::INFINITY {
            told.end(engine, observer)?;
            if end.pause.time < f64::INFINITY {
                if O::ACTIVE && end.pause.time > engine.progress.now {
                    observer.advance(View::new(engine), end.pause.time).map_err(Failure::Observer)?;
                }
                engine.progress.pause_at(end.pause);
            }
            return Ok(if next.at.time == f64::INFINITY { Outcome::Exhausted } else { Outcome::Reached });
        }
        if O::ACTIVE {
            told.before(engine, observer, next.at)?;
        }
        let event = engine.happen(next).map_err(Failure::Event)?;
        if O::ACTIVE {
            if let Some(event) = event {
                told.event(engine, observer, event)?;
            }
        }
    }
}

/// Iterator over the events of a simulation; see [`Simulation::events`].
#[must_use = "the events happen as the iterator is read"]
pub struct Events<'a, M: Model> {
    simulation: &'a mut Simulation<M>,
    ended: bool,
}

impl<M: Model> Iterator for Events<'_, M> {
    type Item = Result<Fired<M::Event>, SimError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.simulation.step().transpose();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}
