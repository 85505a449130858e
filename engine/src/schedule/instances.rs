//! Instances of an activity.

use super::Key;
use super::turns::{Order, Turn, Turns};
use crate::agenda::Handle;
use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;

/// What an instance does after a piece of its body: `F` says where it is and holds its variables, `T` is what it gives
/// in the end, and `N` are times of the model.
#[derive(Clone, Debug)]
pub enum Step<F, T, N, const W: usize> {
    /// It goes on at once.
    Goto(F),
    /// It waits.
    Wait(Wait<F, N, W>),
    /// It has ended.
    End(T),
}

/// A wait, as the body of an activity asks for it.
#[derive(Clone, Debug)]
pub struct Wait<F, N, const W: usize> {
    /// Where the instance goes on.
    pub frame: F,
    /// How long or until when, if it is such a wait.
    pub length: N,
    /// How long at most.
    pub timeout: Option<N>,
    /// A priority of its own.
    pub priority: Option<[i64; W]>,
}

/// What an instance does next, after all that could fail.
#[derive(Clone, Debug)]
pub enum Ready<F, T, const W: usize> {
    /// It waits.
    Wait(Waits<F, W>),
    /// It has ended; `None` if it was aborted or has failed.
    End(Option<T>),
}

/// A wait that begins.
#[derive(Clone, Debug)]
pub struct Waits<F, const W: usize> {
    /// Where the instance goes on.
    pub frame: F,
    /// When what it waits for comes, if that is known.
    pub at: Option<Moment>,
    /// When its patience ends.
    pub deadline: Option<Moment>,
    /// A priority of its own.
    pub priority: Option<[i64; W]>,
    /// The work to be done, if the wait is some.
    pub work: Work,
}

/// How a wait has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Got<N> {
    /// Whether what was waited for has come.
    pub held: bool,
    /// What was left of the wait.
    pub left: N,
}

/// Where an instance is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// The slot is free.
    Free,
    /// It has been started and has not begun.
    New,
    /// It waits.
    Waiting,
    /// What it waited for has come, and it is to go on.
    Woken,
    /// It runs.
    Running,
    /// It has come to its end, and what follows from that is being worked out.
    Over,
    /// It has ended, and what it gave is kept for whoever joins it.
    Ended,
}

/// Instances: `F` is where one is in its body, with its variables, and `T` what it gives in the end.
#[derive(Clone, Debug)]
pub struct Instances<F, T, const W: usize> {
    slots: Vec<Instance<F, T, W>>,
    free: Vec<u32>,
    len: usize,
    /// Slots of those who have come or gone in an event, where clocks are told.
    changes: Vec<u32>,
}

/// An instance.
#[derive(Clone, Debug)]
pub struct Instance<F, T, const W: usize> {
    generation: u32,
    /// Where it is in its life.
    pub life: Life,
    /// Where it is in its body; none while it runs.
    pub frame: Option<F>,
    /// The order of its wait.
    pub order: Order<W>,
    /// Its priority, if a wait has none of its own.
    pub priority: [i64; W],
    /// The turn that stands in the queue for it to begin or to go on.
    pub turn: Option<Order<W>>,
    /// The turn at which it is to be aborted.
    pub doom: Option<Order<W>>,
    /// The end of the wait, if that is known.
    pub timer: Option<Handle>,
    /// The end of its patience.
    pub deadline: Option<Handle>,
    /// Work that is done at some speed.
    pub work: Work,
    /// Those who wait for its end: activity, and instance.
    pub joiners: Vec<(u32, Handle)>,
    /// Those it has started whose results are kept for it.
    pub children: Vec<(u32, Handle)>,
    /// Who has started it: activity and instance, if it was one.
    pub parent: Option<(u32, Handle)>,
    /// What it gave; none if it was aborted or failed.
    pub result: Option<T>,
}

impl<F, T, const W: usize> Instance<F, T, W> {
    /// Whether it has not ended.
    #[inline]
    fn lives(&self) -> bool {
        !matches!(self.life, Life::Free | Life::Over | Life::Ended)
    }
}

/// What is left of a wait that runs down at some speed.
#[derive(Clone, Copy, Debug)]
pub struct Work {
    /// What is left at `since`.
    pub left: f64,
    /// When that was.
    pub since: Moment,
    /// At which speed it runs down since then.
    pub speed: f64,
}

impl Work {
    /// Nothing to do.
    pub const NONE: Work = Work { left: 0.0, since: Moment { time: 0.0, low: 0.0 }, speed: 0.0 };

    /// What is left at `now`.
    #[must_use]
    pub fn left(&self, now: Moment) -> f64 {
        // At speed 0 nothing is done, however long it takes.
        if self.speed > 0.0 { (self.left - self.speed * now.since(self.since)).max(0.0) } else { self.left }
    }

    /// Goes on at `speed` from `now`, and says when it will be done.
    pub fn run(&mut self, speed: f64, now: Moment) -> Moment {
        *self = Work { left: self.left(now), since: now, speed };
        if self.left <= 0.0 {
            now
        } else if speed > 0.0 {
            now.after(self.left / speed)
        } else {
            Moment::NEVER
        }
    }
}

impl<F, T, const W: usize> Default for Instances<F, T, W> {
    fn default() -> Self {
        Instances { slots: Vec::new(), free: Vec::new(), len: 0, changes: Vec::new() }
    }
}

impl<F, T, const W: usize> Instances<F, T, W> {
    /// How many live.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none lives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many slots there are.
    #[inline]
    #[must_use]
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// A new instance, which begins when it is its turn. `activity` is its number.
    #[inline]
    pub fn start(
        &mut self,
        activity: u32,
        frame: F,
        priority: [i64; W],
        parent: Option<(u32, Handle)>,
        turns: &mut Turns<W>,
    ) -> Handle {
        let order = turns.order(priority);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Instance {
                generation: 0,
                life: Life::Free,
                frame: None,
                order,
                priority,
                turn: None,
                doom: None,
                timer: None,
                deadline: None,
                work: Work::NONE,
                joiners: Vec::new(),
                children: Vec::new(),
                parent: None,
                result: None,
            });
            #[allow(clippy::cast_possible_truncation, reason = "there is no memory for so many")]
            let slot = (self.slots.len() - 1) as u32;
            slot
        });
        self.len += 1;
        let instance = &mut self.slots[slot as usize];
        instance.life = Life::New;
        instance.frame = Some(frame);
        instance.order = order;
        instance.priority = priority;
        instance.turn = Some(order);
        instance.parent = parent;
        turns.push(order, Turn::Instance { activity, slot });
        Handle::new(slot, instance.generation)
    }

    /// An instance, whatever its life.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: u32) -> &Instance<F, T, W> {
        &self.slots[slot as usize]
    }

    /// The same, to be changed.
    #[inline]
    pub fn get_mut(&mut self, slot: u32) -> &mut Instance<F, T, W> {
        &mut self.slots[slot as usize]
    }

    /// The handle of the instance in a slot.
    #[inline]
    #[must_use]
    pub fn handle(&self, slot: u32) -> Handle {
        Handle::new(slot, self.slots[slot as usize].generation)
    }

    /// The instance of this handle, unless it has ended.
    #[inline]
    pub fn find(&mut self, handle: Handle) -> Option<&mut Instance<F, T, W>> {
        let instance = self.slots.get_mut(handle.slot() as usize)?;
        let lives = instance.generation == handle.generation() && instance.lives();
        lives.then_some(instance)
    }

    /// Whether the instance of this handle has not ended.
    #[inline]
    #[must_use]
    pub fn lives(&self, handle: Handle) -> bool {
        self.slots
            .get(handle.slot() as usize)
            .is_some_and(|instance| instance.generation == handle.generation() && instance.lives())
    }

    /// Whether this is the key of the instance in its slot, one that has ended and is kept included.
    #[inline]
    #[must_use]
    pub fn is_there(&self, handle: Handle) -> bool {
        self.slots
            .get(handle.slot() as usize)
            .is_some_and(|instance| instance.generation == handle.generation() && instance.life != Life::Free)
    }

    /// The index of the instance of a key.
    ///
    /// # Errors
    /// If it has ended.
    #[inline]
    pub fn index<K>(&self, key: Key<K>, activity: &'static str) -> Result<usize, Fault> {
        if self.lives(key.handle()) {
            return Ok(key.index());
        }
        Err(Fault::new(ErrorKind::Stale { activity, key: format!("{key:?}") }))
    }

    /// Whether the instance in a slot lives.
    #[inline]
    #[must_use]
    pub fn is_alive(&self, slot: usize) -> bool {
        self.slots.get(slot).is_some_and(Instance::lives)
    }

    /// The slots of those who have come or gone in this event.
    #[inline]
    #[must_use]
    pub fn changes(&self) -> &[u32] {
        &self.changes
    }

    /// The instance in a slot has come or gone.
    #[inline]
    pub fn note_change(&mut self, slot: u32) {
        self.changes.push(slot);
    }

    /// An event begins, in which some may come and go.
    #[inline]
    pub fn forget_changes(&mut self) {
        self.changes.clear();
    }

    /// The slots of those that live.
    pub fn alive(&self) -> impl Iterator<Item = usize> + '_ {
        let lives = |instance: &Instance<F, T, W>| instance.lives();
        (0..self.slots.len()).filter(move |&slot| lives(&self.slots[slot]))
    }

    /// The keys of those that live.
    pub fn alive_keys<K>(&self) -> impl DoubleEndedIterator<Item = Key<K>> + '_ {
        let lives = |instance: &Instance<F, T, W>| instance.lives();
        #[allow(clippy::cast_possible_truncation, reason = "there is no memory for so many")]
        (0..self.slots.len()).filter(move |&slot| lives(&self.slots[slot])).map(|slot| self.key(slot as u32))
    }

    /// An instance is to be aborted when it is its turn; `false` if it has ended, or is to be already.
    pub fn abort(&mut self, activity: u32, handle: Handle, turns: &mut Turns<W>) -> bool {
        let Some(instance) = self.find(handle).filter(|instance| instance.doom.is_none()) else { return false };
        let order = turns.order(instance.priority);
        instance.doom = Some(order);
        turns.push(order, Turn::Instance { activity, slot: handle.slot() });
        true
    }

    /// An instance has ended, and does not count any more. What it gave is kept if `keep`; otherwise its slot is free.
    /// Gives those who have waited for its end.
    pub fn end(&mut self, slot: u32, result: Option<T>, keep: bool) -> Vec<(u32, Handle)> {
        let instance = &mut self.slots[slot as usize];
        let joiners = std::mem::take(&mut instance.joiners);
        instance.frame = None;
        (instance.turn, instance.doom, instance.timer, instance.deadline) = (None, None, None, None);
        if keep && joiners.is_empty() {
            instance.life = Life::Ended;
            instance.result = result;
        } else {
            self.release(slot);
        }
        joiners
    }

    /// Forgets an instance that has ended.
    pub fn release(&mut self, slot: u32) {
        let instance = &mut self.slots[slot as usize];
        instance.life = Life::Free;
        instance.generation = instance.generation.wrapping_add(1);
        instance.parent = None;
        instance.result = None;
        self.free.push(slot);
    }

    /// Takes what an instance gave that has ended and is kept; `None` if there is none of this handle.
    pub fn collect(&mut self, handle: Handle) -> Option<Option<T>> {
        let instance = self.slots.get_mut(handle.slot() as usize)?;
        if instance.generation != handle.generation() || instance.life != Life::Ended {
            return None;
        }
        let result = instance.result.take();
        self.release(handle.slot());
        Some(result)
    }

    /// Wakes an instance that waits: it goes on when it is its turn.
    pub fn wake(&mut self, activity: u32, slot: u32, turns: &mut Turns<W>) {
        let instance = &mut self.slots[slot as usize];
        if instance.life != Life::Waiting {
            return;
        }
        instance.life = Life::Woken;
        instance.turn = Some(instance.order);
        turns.push(instance.order, Turn::Instance { activity, slot });
    }

    /// Whether a turn in the queue still stands for the instance in a slot.
    #[inline]
    #[must_use]
    pub fn has_turn(&self, slot: u32, order: &Order<W>) -> bool {
        self.slots
            .get(slot as usize)
            .is_some_and(|instance| instance.turn.as_ref() == Some(order) || instance.doom.as_ref() == Some(order))
    }

    /// The instance in a slot has its turn. Gives whether that is to be aborted.
    #[inline]
    pub fn take_turn(&mut self, slot: u32, order: &Order<W>) -> bool {
        let instance = &mut self.slots[slot as usize];
        let aborted = instance.doom.as_ref() == Some(order);
        if aborted {
            instance.doom = None;
        } else {
            instance.turn = None;
        }
        aborted
    }

    /// It has failed at its turn, and will have it again.
    #[cold]
    pub fn put_turn_back(&mut self, activity: u32, slot: u32, order: Order<W>, aborted: bool, turns: &mut Turns<W>) {
        let instance = &mut self.slots[slot as usize];
        if aborted {
            instance.doom = Some(order);
        } else {
            instance.turn = Some(order);
        }
        turns.push(order, Turn::Instance { activity, slot });
    }

    /// An event has failed that began when `began` waits had begun: what it has started is gone, and what it has aborted
    /// lives on.
    #[cold]
    pub fn withdraw(&mut self, began: u64) {
        for slot in 0..self.slots.len() {
            #[allow(clippy::cast_possible_truncation, reason = "there is no memory for so many")]
            let number = slot as u32;
            let instance = &mut self.slots[slot];
            instance.doom = instance.doom.filter(|doom| doom.began <= began);
            if instance.life == Life::New && instance.order.began > began {
                self.len -= 1;
                instance.frame = None;
                instance.turn = None;
                self.release(number);
            }
        }
    }

    /// An instance does not count among those that live any more, or does so again after all.
    pub fn count(&mut self, slot: u32, lives: bool) {
        let life = &mut self.slots[slot as usize].life;
        if lives {
            self.len += 1;
            *life = Life::Running;
        } else {
            self.len -= 1;
            *life = Life::Over;
        }
    }

    /// The key of the instance in a slot.
    #[must_use]
    pub fn key<K>(&self, slot: u32) -> Key<K> {
        Key::new(self.handle(slot))
    }
}
