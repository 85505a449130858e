//! What is scheduled while a model runs: dynamic events, and instances of activities.

mod instances;
mod key;
mod rank;
mod time;
mod turns;

use std::collections::BTreeMap;

pub use instances::{Got, Instance, Instances, Life, Ready, Step, Wait, Waits, Work};
pub use key::Key;
pub use rank::{Parts, Rank, priority};
pub use time::Time;
pub use turns::{Group, Order, Site, Turn, Turns, Waiter};

use crate::agenda::{Agenda, Handle, Mark, Taken};
use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;

/// What is scheduled. `E` holds dynamic events with their payload, `A` the instances of each activity, and `W` is the
/// greatest number of parts of a priority.
#[derive(Clone, Debug)]
pub struct Schedule<E, A, const W: usize> {
    /// The current moment, as bodies see it.
    pub now: Moment,
    agenda: Agenda<Rank<W>, Pending<E>>,
    /// How many are pending, by declaration.
    counts: Vec<Count>,
    /// What happens at most once at an instant, by declaration and member.
    once: BTreeMap<(u32, u32), Once>,
    /// Who goes on at this instant.
    pub turns: Turns<W>,
    /// Those who stand in a line, by its number.
    pub lines: Vec<Group<W>>,
    /// How many they are, as bodies see it.
    pub in_line: Vec<usize>,
    /// The instances.
    pub activities: A,
}

/// Something pending.
#[derive(Clone, Debug)]
pub enum Pending<E> {
    /// A dynamic event.
    Event(E),
    /// The time of a wait is up.
    Timer(Timer),
}

/// The end of a wait.
#[derive(Clone, Copy, Debug)]
pub struct Timer {
    /// The instance that waits.
    pub slot: u32,
    /// Whether it is what the instance waits for; otherwise it is the end of its patience.
    pub held: bool,
}

#[derive(Clone, Debug, Default)]
struct Count {
    total: usize,
    members: Vec<u32>,
}

/// When an event has happened last, and the moments at which it will.
#[derive(Clone, Debug, Default)]
struct Once {
    last: Option<Moment>,
    pending: Vec<(Moment, Handle)>,
}

/// A pending event that is wanted: which, and with what priority.
#[derive(Clone, Copy, Debug)]
pub struct What<const W: usize> {
    /// Its rank.
    pub rank: Rank<W>,
    /// Whether it happens at most once at an instant.
    pub once: bool,
}

/// What a failing event gives back.
#[derive(Clone, Debug)]
pub struct Begun {
    mark: Mark,
    /// How many waits had begun.
    pub waits: u64,
}

impl<E, A, const W: usize> Schedule<E, A, W> {
    /// Nothing scheduled, in a model with so many items and lines.
    #[must_use]
    pub fn new(items: usize, lines: usize, activities: A, now: Moment) -> Self {
        Schedule {
            now,
            agenda: Agenda::new(),
            counts: vec![Count::default(); items],
            once: BTreeMap::new(),
            turns: Turns::default(),
            lines: vec![Group::default(); lines],
            in_line: vec![0; lines],
            activities,
        }
    }

    /// When the next event is pending.
    #[inline(always)]
    #[must_use]
    pub fn next(&self) -> Moment {
        if self.turns.ready().is_some() { self.now } else { self.agenda.next() }
    }

    /// Whether a turn comes before every pending event.
    #[inline]
    #[must_use]
    pub fn is_turn(&self) -> bool {
        let Some(priority) = self.turns.ready() else { return false };
        let now = self.now;
        if now.before(self.agenda.next()) {
            return true;
        }
        match self.agenda.first() {
            Some((_, at, rank, _)) if !now.before(at) => *priority <= rank.priority,
            _ => true,
        }
    }

    /// Whether what is next here comes before another event of the same moment.
    #[inline]
    #[must_use]
    pub fn precedes(&self, priority: [i64; W], declaration: u32) -> bool {
        if self.is_turn() {
            return self.turns.ready().is_some_and(|ready| *ready <= priority);
        }
        self.agenda.first().is_some_and(|(_, _, rank, _)| (rank.priority, rank.declaration) < (priority, declaration))
    }

    /// The declaration and the member of the first pending event.
    #[must_use]
    pub fn first(&self) -> Option<(u32, u32, &Pending<E>)> {
        self.agenda.first().map(|(_, _, rank, pending)| (rank.declaration, rank.member, pending))
    }

    /// An event is over: what comes next will be asked for. Whoever has a turn may put something in the place of what was
    /// taken, which is left open for him.
    #[inline(always)]
    pub fn settle(&mut self) {
        if self.turns.ready().is_none() {
            self.agenda.settle();
        }
    }

    /// An event begins at moment `now`.
    #[inline(always)]
    pub fn begin(&mut self, now: Moment) -> Begun {
        self.now = now;
        Begun { mark: self.agenda.mark(), waits: self.turns.began() }
    }

    /// It has failed: what it has scheduled is withdrawn.
    #[cold]
    pub fn withdraw(&mut self, begun: &Begun) {
        self.agenda.withdraw_since(begun.mark);
        self.counts.fill(Count::default());
        for (_, _, rank, pending) in self.agenda.iter() {
            if matches!(pending, Pending::Event(_)) {
                self.counts[rank.declaration as usize].add(rank.member);
            }
        }
        for once in self.once.values_mut() {
            once.pending.retain(|&(_, handle)| self.agenda.get(handle).is_some());
        }
    }

    /// Takes the first pending event.
    #[inline(always)]
    pub fn take(&mut self) -> Option<(Taken<Rank<W>>, Pending<E>)> {
        let (taken, pending) = self.agenda.take_first()?;
        if matches!(pending, Pending::Event(_)) {
            let rank = taken.rank;
            self.counts[rank.declaration as usize].subtract(rank.member);
            if let Some(once) = self.once.get_mut(&(rank.declaration, rank.member)) {
                once.last = Some(taken.moment);
                once.pending.retain(|&(_, handle)| handle != taken.handle);
            }
        }
        Some((taken, pending))
    }

    /// Puts back an event that was taken and has failed.
    #[cold]
    pub fn put_back(&mut self, taken: Taken<Rank<W>>, message: E) {
        let rank = taken.rank;
        self.counts[rank.declaration as usize].add(rank.member);
        if let Some(once) = self.once.get_mut(&(rank.declaration, rank.member)) {
            once.last = None;
            once.pending.push((taken.moment, taken.handle));
        }
        self.agenda.put_back(taken, Pending::Event(message));
    }

    /// Puts back the end of a wait.
    #[cold]
    pub fn put_timer_back(&mut self, taken: Taken<Rank<W>>, timer: Timer) {
        self.agenda.put_back(taken, Pending::Timer(timer));
    }

    /// Schedules an event.
    #[inline]
    pub fn schedule(&mut self, at: Moment, what: What<W>, message: E) -> Handle {
        let What { rank, once } = what;
        if once {
            return self.schedule_once(at, rank, message);
        }
        self.counts[rank.declaration as usize].add(rank.member);
        self.agenda.schedule(at, rank, Pending::Event(message))
    }

    fn schedule_once(&mut self, at: Moment, rank: Rank<W>, message: E) -> Handle {
        let once = self.once.entry((rank.declaration, rank.member)).or_default();
        if let Some(&(_, handle)) = once.pending.iter().find(|(pending, _)| pending.time == at.time) {
            return handle;
        }
        if once.last.is_some_and(|last| last.time == at.time) {
            return Handle::new(u32::MAX, u32::MAX);
        }
        self.counts[rank.declaration as usize].add(rank.member);
        let handle = self.agenda.schedule(at, rank, Pending::Event(message));
        once.pending.push((at, handle));
        handle
    }

    /// Takes an event of item `declaration` out; `None` if there is none under this handle.
    pub fn cancel(&mut self, declaration: u32, handle: Handle) -> Option<E> {
        let rank = self.agenda.get(handle).map(|(_, rank, _)| rank)?;
        if rank.declaration != declaration {
            return None;
        }
        self.take_out(handle)
    }

    /// Takes an event out, whatever it is.
    pub fn take_out(&mut self, handle: Handle) -> Option<E> {
        let rank = match self.agenda.get(handle)? {
            (_, rank, Pending::Event(_)) => rank,
            (_, _, Pending::Timer(_)) => return None,
        };
        let Pending::Event(message) = self.agenda.cancel(handle)? else { return None };
        self.counts[rank.declaration as usize].subtract(rank.member);
        forget(&mut self.once, &rank, handle);
        Some(message)
    }

    /// Moves a pending event to another moment, where it comes behind what is scheduled already; `false` if there is
    /// none under this handle.
    pub fn reschedule(&mut self, declaration: u32, handle: Handle, at: Moment) -> bool {
        let Some((_, rank, _)) = self.agenda.get(handle) else { return false };
        if rank.declaration != declaration {
            return false;
        }
        if let Some(once) = self.once.get_mut(&(rank.declaration, rank.member)) {
            if let Some(pending) = once.pending.iter_mut().find(|(_, pending)| *pending == handle) {
                pending.0 = at;
            }
        }
        self.agenda.reschedule(handle, at)
    }

    /// When an event is pending; `None` if there is none under this handle.
    #[must_use]
    pub fn pending_at(&self, declaration: u32, handle: Handle) -> Option<Moment> {
        self.agenda.get(handle).filter(|(_, rank, _)| rank.declaration == declaration).map(|(at, _, _)| at)
    }

    /// How many events of an item are pending.
    #[inline]
    #[must_use]
    pub fn len(&self, declaration: u32) -> usize {
        self.counts[declaration as usize].total
    }

    /// How many of a member of it.
    #[inline]
    #[must_use]
    pub fn len_of(&self, declaration: u32, member: usize) -> usize {
        self.counts[declaration as usize].members.get(member).map_or(0, |&count| count as usize)
    }

    /// Takes all pending events of an item out, or of one member of it.
    pub fn clear(&mut self, declaration: u32, member: Option<u32>) {
        let chosen = |rank: Rank<W>, pending: &Pending<E>| {
            rank.declaration == declaration
                && member.is_none_or(|member| rank.member == member)
                && matches!(pending, Pending::Event(_))
        };
        let counts = &mut self.counts[declaration as usize];
        match member {
            None => *counts = Count::default(),
            Some(member) => counts.remove_all(member),
        }
        for ((of, at), once) in &mut self.once {
            if *of == declaration && member.is_none_or(|member| *at == member) {
                once.pending.clear();
            }
        }
        self.agenda.remove_where(chosen, drop);
    }

    /// The time of a wait of item `declaration` will be up.
    #[inline]
    pub fn set_timer(&mut self, at: Moment, priority: [i64; W], declaration: u32, timer: Timer) -> Handle {
        self.agenda.schedule(at, Rank { priority, declaration, member: 0 }, Pending::Timer(timer))
    }

    /// When the time of a wait is up.
    #[must_use]
    pub fn timer_at(&self, handle: Handle) -> Option<Moment> {
        self.agenda.get(handle).map(|(at, _, _)| at)
    }

    /// The end of a wait is put off to another moment.
    #[inline]
    pub fn move_timer(&mut self, handle: Handle, at: Moment) {
        self.agenda.reschedule(handle, at);
    }

    /// It will not.
    #[inline]
    pub fn stop_timer(&mut self, handle: Handle) {
        self.agenda.cancel(handle);
    }
}

/// Checks a time that is given from outside.
///
/// # Errors
/// If it is negative, NaN or infinite.
pub fn check(at: f64, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if (0.0..=f64::MAX).contains(&at) {
        Ok(())
    } else {
        Err(Fault::new(ErrorKind::Schedule { what: what(), value: at }))
    }
}

/// The failure of an instance.
#[cold]
pub fn failure<E: Into<Box<dyn std::error::Error + Send + Sync>>>(error: E) -> Fault {
    Fault::new(ErrorKind::User(error.into().into()))
}

fn forget<const W: usize>(once: &mut BTreeMap<(u32, u32), Once>, rank: &Rank<W>, handle: Handle) {
    if let Some(once) = once.get_mut(&(rank.declaration, rank.member)) {
        once.pending.retain(|&(_, pending)| pending != handle);
    }
}

impl Count {
    #[inline(always)]
    fn add(&mut self, member: u32) {
        self.total += 1;
        let member = member as usize;
        if member >= self.members.len() {
            self.members.resize(member + 1, 0);
        }
        self.members[member] += 1;
    }

    #[inline(always)]
    fn subtract(&mut self, member: u32) {
        self.total -= 1;
        self.members[member as usize] -= 1;
    }

    fn remove_all(&mut self, member: u32) {
        if let Some(count) = self.members.get_mut(member as usize) {
            self.total -= *count as usize;
            *count = 0;
        }
    }
}
