//! The loop of a run that gets input while it goes on.

use std::cell::OnceCell;
use std::sync::Arc;
use std::time::Instant;

use super::inject::Mailbox;
use super::pace::Pace;
use super::shared::{ALONE, CALLS, MAIL, SPEED, STOP, SUBSCRIPTIONS, Shared};
use super::source::{Feeds, Source, broken};
use super::watch::Audience;
use super::{Idle, Late};
use crate::error::SimError;
use crate::model::{Active, Model, Receives};
use crate::moment::Moment;
use crate::observer::Observer;
use crate::simulation::{End, Failure, InstantTold, Outcome, Simulation};
use crate::view::View;

/// Where the input of a run comes from, and who sees it.
pub(super) trait Driver<M: Model> {
    /// Before the next event is selected. `true`: the run is to end.
    fn attend<O: Observer<M>>(&mut self, engine: &mut Active<'_, M>, observer: &mut O) -> Result<bool, Failure>;
    /// When the next item of a source is to be scheduled.
    fn input(&self) -> f64;
    /// Schedules it.
    fn deliver(&mut self, engine: &mut Active<'_, M>) -> Result<(), Failure>;
    /// Whether this time has come. If not, it waits; then it is to be selected anew.
    fn has_come(&mut self, time: f64) -> bool;
    /// Nothing is left before `until`, or nothing at all. `false`: it is to be selected anew.
    fn is_over(&mut self, idle: bool, until: f64) -> bool;
    /// An event has happened, or was only a proposal. Observers are told of it after this.
    fn happened<O: Observer<M>>(&mut self, engine: &mut Active<'_, M>, event: Option<M::Event>);
}

/// The loop. `None`: it was stopped from outside.
#[inline(always)]
pub(super) fn drive<M: Model, O: Observer<M>, D: Driver<M>>(
    engine: &mut Active<'_, M>,
    observer: &mut O,
    driver: &mut D,
    until: f64,
) -> Result<Option<Outcome>, Failure> {
    let (end, mut told) = (End::at::<M>(until), InstantTold::default());
    engine.progress.failure = None;
    loop {
        if driver.attend(engine, observer)? {
            told.end(engine, observer)?;
            return Ok(None);
        }
        if !M::STOPS.is_empty() {
            if let Some(stop) = engine.progress.stopped {
                told.end(engine, observer)?;
                return Ok(Some(Outcome::Stopped(M::STOPS[stop])));
            }
        }
        let next = M::next(engine.clocks);
        let input = driver.input();
        let time = next.at.time.min(input);
        let idle = time == f64::INFINITY;
        if O::ACTIVE && time > engine.progress.now {
            // Before it waits, perhaps.
            told.end(engine, observer)?;
        }
        if idle || (end.is_before(next.at) && end.is_before(Moment::at(input))) {
            if !driver.is_over(idle, until) {
                continue;
            }
            told.end(engine, observer)?;
            if until < f64::INFINITY {
                pause_at(engine, observer, end.pause)?;
            }
            return Ok(Some(if idle { Outcome::Exhausted } else { Outcome::Reached }));
        }
        if !driver.has_come(time) {
            continue;
        }
        if input <= next.at.time {
            driver.deliver(engine)?;
            continue;
        }
        if O::ACTIVE {
            told.before(engine, observer, next.at)?;
        }
        let event = engine.happen(next).map_err(Failure::Event)?;
        driver.happened::<O>(engine, event);
        if O::ACTIVE {
            if let Some(event) = event {
                told.event(engine, observer, event)?;
            }
        }
    }
}

/// Moves the time to `until`, where nothing happens.
fn pause_at<M: Model, O: Observer<M>>(
    engine: &mut Active<'_, M>,
    observer: &mut O,
    until: Moment,
) -> Result<(), Failure> {
    if O::ACTIVE && until.time > engine.progress.now {
        observer.advance(View::new(engine), until.time).map_err(Failure::Observer)?;
    }
    engine.progress.pause_at(until);
    Ok(())
}

/// The ways into a live run and out of it. They are closed when it is dropped, in a panic too, so that nobody waits for a
/// run that is over.
pub(super) struct Doors<M: Model> {
    pub(super) shared: Arc<Shared>,
    /// There is one as soon as there is an injector.
    pub(super) mail: OnceCell<Box<dyn Mailbox<M>>>,
    pub(super) audience: Audience<M>,
}

impl<M: Model> Drop for Doors<M> {
    fn drop(&mut self) {
        if let Some(mail) = self.mail.get_mut() {
            mail.close();
            mail.finish();
        }
        self.audience.close();
    }
}

/// A live run.
pub(super) struct Driven<M: Model> {
    pub(super) doors: Doors<M>,
    pub(super) feeds: Feeds<M>,
    pub(super) late: Late,
    pub(super) idle: Idle,
    pub(super) pace: Pace,
    /// Nothing is accepted any more: what is left is the end.
    closing: bool,
}

impl<M: Model> Driven<M> {
    pub(super) fn new(doors: Doors<M>, feeds: Feeds<M>, late: Late, idle: Idle) -> Self {
        let pace = Pace::new(doors.shared.speed(), doors.shared.time_so_far(), Instant::now(), M::TICKS);
        Driven { doors, feeds, late, idle, pace, closing: false }
    }

    /// Runs, and at the end schedules what has been accepted.
    pub(super) fn run<O: Observer<M>>(
        &mut self,
        engine: &mut Active<'_, M>,
        observer: &mut O,
        until: f64,
    ) -> Result<Option<Outcome>, Failure> {
        self.doors.shared.begin();
        self.doors.audience.admit();
        self.look(engine)?;
        let outcome = drive(engine, observer, self, until)?;
        self.close();
        self.empty(engine, observer)?;
        self.doors.shared.show(engine.progress.now);
        Ok(outcome)
    }

    /// From now on nothing is accepted.
    fn close(&mut self) {
        self.closing = true;
        if let Some(mail) = self.doors.mail.get() {
            mail.close();
        }
    }

    /// Goes where the time has been shown to be already, and schedules what has been sent.
    fn empty<O: Observer<M>>(&mut self, engine: &mut Active<'_, M>, observer: &mut O) -> Result<(), Failure> {
        let shown = self.doors.shared.time_so_far();
        if shown > engine.progress.now {
            pause_at(engine, observer, End::at::<M>(shown).pause)?;
        }
        if let Some(mail) = self.doors.mail.get_mut() {
            mail.deliver(engine, self.late).map_err(Failure::Observer)?;
            // What comes from outside is no event that makes others without end.
            engine.progress.instant = 0;
        }
        Ok(())
    }

    /// Looks at what sources give next.
    fn look(&mut self, engine: &Active<'_, M>) -> Result<(), Failure> {
        self.feeds.look().map_err(|error| Failure::Observer(broken(error, engine.progress.now)))
    }

    /// Does what it is called for. `true`: the run is to end.
    #[cold]
    #[inline(never)]
    fn answer<O: Observer<M>>(&mut self, engine: &mut Active<'_, M>, observer: &mut O) -> Result<bool, Failure> {
        let shared = &self.doors.shared;
        let calls = shared.answer();
        if calls & STOP != 0 {
            return Ok(true);
        }
        if calls & SPEED != 0 {
            self.pace = Pace::new(shared.speed(), shared.time_so_far(), Instant::now(), M::TICKS);
        }
        if calls & SUBSCRIPTIONS != 0 {
            self.doors.audience.admit();
            // A failure that nobody saw is not one of the next event.
            engine.progress.failure = None;
        }
        if calls & MAIL != 0 {
            self.empty(engine, observer)?;
        }
        Ok(false)
    }

    /// Waits for the wall clock.
    #[cold]
    #[inline(never)]
    fn is_due(&mut self, time: f64) -> bool {
        let due = self.pace.wall(time);
        if due.is_some_and(|due| Instant::now() >= due) {
            return true;
        }
        let shared = &self.doors.shared;
        shared.wait(CALLS, due, Some(self.pace.before(time, shared.time_so_far())));
        false
    }
}

impl<M: Model> Driver<M> for Driven<M> {
    #[inline(always)]
    fn attend<O: Observer<M>>(&mut self, engine: &mut Active<'_, M>, observer: &mut O) -> Result<bool, Failure> {
        if self.doors.shared.called() { self.answer(engine, observer) } else { Ok(false) }
    }

    #[inline(always)]
    fn input(&self) -> f64 {
        self.feeds.time()
    }

    #[cold]
    fn deliver(&mut self, engine: &mut Active<'_, M>) -> Result<(), Failure> {
        self.feeds.deliver(engine, self.late, &self.doors.shared).map_err(Failure::Observer)?;
        engine.progress.instant = 0;
        self.look(engine)
    }

    #[inline(always)]
    fn has_come(&mut self, time: f64) -> bool {
        !self.pace.is_paced() || self.is_due(time)
    }

    #[cold]
    fn is_over(&mut self, idle: bool, until: f64) -> bool {
        if self.closing {
            return true;
        }
        let shared = &self.doors.shared;
        shared.forget(ALONE);
        let done = idle && (self.idle == Idle::Return || shared.alone());
        if !done && self.pace.is_paced() {
            let end = self.pace.wall(until);
            if end.is_none_or(|end| Instant::now() < end) {
                let signals = if idle { CALLS | ALONE } else { CALLS };
                shared.wait(signals, end, Some(self.pace.until(until, shared.time_so_far())));
                return false;
            }
        } else if !done && idle {
            shared.wait(CALLS | ALONE, None, None);
            return false;
        }
        // Whatever is sent is seen before the end, or not accepted.
        self.close();
        !self.doors.shared.called()
    }

    #[inline(always)]
    fn happened<O: Observer<M>>(&mut self, engine: &mut Active<'_, M>, event: Option<M::Event>) {
        self.doors.shared.show(engine.progress.now);
        if !self.doors.audience.is_empty() {
            if let Some(event) = event {
                let failure = engine.progress.failure.take();
                self.doors.audience.see(View::new(engine), event, failure.as_ref());
                if O::ACTIVE {
                    engine.progress.failure = failure;
                }
            }
        }
    }
}

/// A run with one source.
struct Fed<'a, I: Iterator> {
    source: &'a mut Source<I>,
    time: f64,
}

impl<T, I: Iterator<Item = (f64, T)>> Fed<'_, I> {
    /// Looks at what the source gives next.
    fn look(&mut self, now: f64) -> Result<(), Failure> {
        let next = self.source.next_time().map_err(|error| Failure::Observer(broken(error, now)))?;
        self.time = next.unwrap_or(f64::INFINITY);
        Ok(())
    }
}

impl<M: Receives, I: Iterator<Item = (f64, M::Message)>> Driver<M> for Fed<'_, I> {
    #[inline(always)]
    fn attend<O: Observer<M>>(&mut self, _: &mut Active<'_, M>, _: &mut O) -> Result<bool, Failure> {
        Ok(false)
    }

    #[inline(always)]
    fn input(&self) -> f64 {
        self.time
    }

    fn deliver(&mut self, engine: &mut Active<'_, M>) -> Result<(), Failure> {
        if let Some((at, message)) = self.source.take() {
            M::deliver(engine, at, message).map_err(Failure::Observer)?;
            engine.progress.instant = 0;
        }
        self.look(engine.progress.now)
    }

    #[inline(always)]
    fn has_come(&mut self, _: f64) -> bool {
        true
    }

    #[inline(always)]
    fn is_over(&mut self, _: bool, _: f64) -> bool {
        true
    }

    #[inline(always)]
    fn happened<O: Observer<M>>(&mut self, _: &mut Active<'_, M>, _: Option<M::Event>) {}
}

impl<M: Receives> Simulation<M> {
    /// Runs to `until`, with events from `source` and under an [`Observer`], which is `&mut ()` if nobody looks. What the
    /// source has for later it keeps.
    ///
    /// ```
    /// use clockrace::live::Source;
    /// use clockrace::simulation;
    ///
    /// simulation! {
    ///     model Tank {
    ///         state level: f64 = 10.0;
    ///         event draw(amount: f64) => { level -= amount; }
    ///         clock refill if level < 4.0: after(2.0) => { level += 8.0; }
    ///     }
    /// }
    ///
    /// # fn main() -> Result<(), clockrace::SimError> {
    /// let recorded = [(1.0, 3.5), (2.5, 4.0), (6.0, 1.0)];
    /// let mut source = Source::new(recorded.map(|(time, amount)| (time, TankMessage::Draw(amount))));
    /// let mut sim = Tank {}.start(1)?;
    /// sim.run_with_source(&mut source, &mut (), 5.0)?;
    /// assert_eq!((sim.state().level, source.next_time()), (10.5, Ok(Some(6.0))));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`run_with`](Simulation::run_with); if the source gives a time that is NaN, infinite or before that of the item before
    /// (a [`SourceError`](crate::live::SourceError)), or one that lies before now.
    pub fn run_with_source<O, I>(
        &mut self,
        source: &mut Source<I>,
        observer: &mut O,
        until: f64,
    ) -> Result<Outcome, SimError>
    where
        O: Observer<M>,
        I: Iterator<Item = (f64, M::Message)>,
    {
        self.may_run_until(until)?;
        let outcome = self.drive(|engine| {
            let mut fed = Fed { source, time: f64::INFINITY };
            fed.look(engine.progress.now)?;
            drive(engine, observer, &mut fed, until)
        })?;
        if O::ACTIVE {
            observer.finish(self.view())?;
        }
        Ok(outcome.expect("nobody can stop it from outside"))
    }
}
