//! The agenda: pending dynamic events.
//!
//! Entries stand in slots that are used again, and over the slots stands a tournament. So a handle is a slot and the
//! generation of its entry: there is nothing else to keep up to date, and a stale handle does no harm.

mod tournament;

#[cfg(test)]
mod tests;

use std::fmt;

use crate::moment::Moment;
use tournament::Tournament;

/// Pending events. They come by moment, then by rank `R`, then in the order in which they were scheduled.
///
/// Moments are not NaN and not negative. What is scheduled for [`Moment::NEVER`] is pending, and does not come.
#[derive(Clone)]
pub struct Agenda<R, P> {
    tournament: Tournament<R>,
    entries: Vec<Entry<P>>,
    free: Vec<u32>,
    /// The slot of the entry that was taken, which is still in the tournament: what is scheduled next replaces it there, and
    /// one path is replayed instead of two.
    open: Option<u32>,
    /// Slots that are neither used nor free.
    retired: usize,
    /// The order of what is scheduled next.
    order: u64,
}

/// A pending event: stale as soon as it is no longer pending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    slot: u32,
    generation: u32,
}

impl Handle {
    /// The handle of this slot and generation.
    #[must_use]
    pub fn new(slot: u32, generation: u32) -> Self {
        Handle { slot, generation }
    }

    /// Where the entry stands. Slots are few: they are used again.
    #[must_use]
    pub fn slot(self) -> u32 {
        self.slot
    }

    /// Which of the entries of this slot it is.
    #[must_use]
    pub fn generation(self) -> u32 {
        self.generation
    }
}

#[derive(Clone)]
struct Entry<P> {
    /// Its place in the order of scheduling; rescheduling does not change this one.
    born: u64,
    generation: u32,
    /// The last one that was given away. It is a later one after an entry was put back.
    last_generation: u32,
    /// `None`: the slot is free, or open.
    payload: Option<P>,
}

/// An entry that was taken: what it needs to be put back.
#[derive(Debug)]
pub struct Taken<R> {
    /// The handle it had.
    pub handle: Handle,
    /// When it came.
    pub moment: Moment,
    /// Its rank.
    pub rank: R,
    /// Its place among what came at this moment with this rank.
    pub order: u64,
    born: u64,
}

/// A point in the order of scheduling.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    order: u64,
}

impl<R: Copy + Ord, P> Default for Agenda<R, P> {
    fn default() -> Self {
        Agenda::new()
    }
}

impl<R: Copy + Ord, P> Agenda<R, P> {
    /// Nothing is pending.
    #[must_use]
    pub fn new() -> Self {
        let (entries, free) = (Vec::new(), Vec::new());
        Agenda { tournament: Tournament::new(), entries, free, open: None, retired: 0, order: 0 }
    }

    /// How many entries are pending.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len() - self.free.len() - self.retired - usize::from(self.open.is_some())
    }

    /// Whether nothing is pending.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// When the first entry comes; [`Moment::NEVER`] if there is none.
    #[inline(always)]
    #[must_use]
    pub fn next(&self) -> Moment {
        self.next_slot().0
    }

    /// The first entry. `None`: there is none that ever comes.
    #[must_use]
    pub fn first(&self) -> Option<(Handle, Moment, R, &P)> {
        let (at, slot) = self.next_slot();
        if at == Moment::NEVER { None } else { self.entry(slot) }
    }

    #[inline(always)]
    fn next_slot(&self) -> (Moment, u32) {
        match self.open {
            None => self.tournament.first(),
            Some(open) => self.next_slot_but(open),
        }
    }

    #[cold]
    #[inline(never)]
    fn next_slot_but(&self, open: u32) -> (Moment, u32) {
        self.tournament.first_but(open)
    }

    fn entry(&self, slot: u32) -> Option<(Handle, Moment, R, &P)> {
        let entry = self.entries.get(slot as usize)?;
        let payload = entry.payload.as_ref()?;
        let handle = Handle { slot, generation: entry.generation };
        Some((handle, self.tournament.moment(slot), self.tournament.rank(slot), payload))
    }

    /// For when the first entry has been taken and nothing been scheduled since: [`next`](Agenda::next) would look at a
    /// path of the tournament each time that it is asked. This does it once.
    #[inline]
    pub fn settle(&mut self) {
        if let Some(open) = self.open.take() {
            self.release(open);
        }
    }

    /// Frees a slot whose entry is gone.
    #[inline(never)]
    fn release(&mut self, slot: u32) {
        if self.entries[slot as usize].last_generation < u32::MAX {
            self.free.push(slot);
        } else {
            // No generation comes twice. A slot has had them all after four billion entries.
            self.retired += 1;
        }
        self.tournament.clear(slot);
    }

    /// Adds an entry.
    #[inline]
    pub fn schedule(&mut self, at: Moment, rank: R, payload: P) -> Handle {
        if let Some(slot) = self.open.take() {
            if self.entries[slot as usize].last_generation < u32::MAX {
                let (handle, order) = self.fill(slot, payload);
                self.tournament.set_first(slot, at, rank, order);
                return handle;
            }
            self.release(slot);
        }
        self.schedule_beside(at, rank, payload)
    }

    #[inline(never)]
    fn schedule_beside(&mut self, at: Moment, rank: R, payload: P) -> Handle {
        let Some(slot) = self.free.pop() else { return self.schedule_in_new_slot(at, rank, payload) };
        let (handle, order) = self.fill(slot, payload);
        self.tournament.set(slot, at, rank, order);
        handle
    }

    /// The next entry of a slot: its handle and order.
    #[inline(always)]
    fn fill(&mut self, slot: u32, payload: P) -> (Handle, u64) {
        let order = self.count();
        let entry = &mut self.entries[slot as usize];
        let generation = entry.last_generation + 1;
        *entry = Entry { born: order, generation, last_generation: generation, payload: Some(payload) };
        (Handle { slot, generation }, order)
    }

    #[inline(always)]
    fn count(&mut self) -> u64 {
        self.order += 1;
        self.order - 1
    }

    #[cold]
    #[inline(never)]
    fn schedule_in_new_slot(&mut self, at: Moment, rank: R, payload: P) -> Handle {
        let slot = u32::try_from(self.entries.len()).expect("there are fewer than 2^32 pending events");
        let order = self.count();
        self.entries.push(Entry { born: order, generation: 0, last_generation: 0, payload: Some(payload) });
        self.tournament.push(at, rank, order);
        Handle { slot, generation: 0 }
    }

    /// Removes the first entry; its handle is stale from now on. `None`: there is none that ever comes.
    // Inlined always: of `Taken`, most is often not asked for.
    #[inline(always)]
    pub fn take_first(&mut self) -> Option<(Taken<R>, P)> {
        self.settle();
        let (moment, slot) = self.tournament.first();
        if moment == Moment::NEVER {
            return None;
        }
        let Entry { born, generation, ref mut payload, .. } = self.entries[slot as usize];
        let payload = payload.take()?;
        self.open = Some(slot);
        let (rank, order) = (self.tournament.rank(slot), self.tournament.order(slot));
        Some((Taken { handle: Handle { slot, generation }, moment, rank, order, born }, payload))
    }

    /// Undoes [`take_first`](Agenda::take_first): the entry has its handle again, and its place among equals.
    ///
    /// # Panics
    /// If something that was scheduled since is pending in its slot.
    pub fn put_back(&mut self, taken: Taken<R>, payload: P) {
        let Taken { handle: Handle { slot, generation }, moment, rank, order, born } = taken;
        let entry = &mut self.entries[slot as usize];
        assert!(entry.payload.is_none(), "what was scheduled since is withdrawn first");
        *entry = Entry { born, generation, last_generation: entry.last_generation, payload: Some(payload) };
        if self.open == Some(slot) {
            self.open = None;
        } else if let Some(at) = self.free.iter().rposition(|&free| free == slot) {
            self.free.remove(at);
        } else {
            self.retired -= 1;
        }
        self.tournament.set(slot, moment, rank, order);
    }

    #[inline(always)]
    fn pending(&mut self, handle: Handle) -> Option<&mut Option<P>> {
        let entry = self.entries.get_mut(handle.slot as usize)?;
        (entry.generation == handle.generation && entry.payload.is_some()).then_some(&mut entry.payload)
    }

    /// Removes an entry. `None`: the handle is stale.
    #[inline]
    pub fn cancel(&mut self, handle: Handle) -> Option<P> {
        let payload = self.pending(handle)?.take();
        self.release(handle.slot);
        payload
    }

    /// Moves an entry to another moment, or to the one that it had. It counts as scheduled anew: it comes behind whatever
    /// has been scheduled for that moment with that rank. `false`: the handle is stale.
    #[inline]
    pub fn reschedule(&mut self, handle: Handle, at: Moment) -> bool {
        if self.pending(handle).is_none() {
            return false;
        }
        let rank = self.tournament.rank(handle.slot);
        self.tournament.set(handle.slot, at, rank, self.order);
        self.order += 1;
        true
    }

    /// An entry. `None`: the handle is stale.
    #[inline]
    #[must_use]
    pub fn get(&self, handle: Handle) -> Option<(Moment, R, &P)> {
        let (found, at, rank, payload) = self.entry(handle.slot)?;
        (found == handle).then_some((at, rank, payload))
    }

    /// The payload of an entry. `None`: the handle is stale.
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, handle: Handle) -> Option<&mut P> {
        self.pending(handle)?.as_mut()
    }

    /// Where the order of scheduling is by now.
    #[inline]
    #[must_use]
    pub fn mark(&self) -> Mark {
        Mark { order: self.order }
    }

    /// Removes what was scheduled since. What was there and has been rescheduled stays as it is.
    pub fn withdraw_since(&mut self, mark: Mark) {
        for slot in 0..self.entries.len() {
            if self.entries[slot].born >= mark.order {
                drop(self.remove(slot));
            }
        }
    }

    /// Removes the entries that are chosen, and hands out their payloads, in order of slots.
    pub fn remove_where(&mut self, mut chosen: impl FnMut(R, &P) -> bool, mut removed: impl FnMut(P)) {
        for slot in 0..self.entries.len() {
            let payload = self.entries[slot].payload.as_ref();
            if payload.is_some_and(|payload| chosen(self.tournament.rank(slot as u32), payload)) {
                if let Some(payload) = self.remove(slot) {
                    removed(payload);
                }
            }
        }
    }

    fn remove(&mut self, slot: usize) -> Option<P> {
        let payload = self.entries[slot].payload.take()?;
        self.release(slot as u32);
        Some(payload)
    }

    /// What is pending, in order of slots.
    pub fn iter(&self) -> impl Iterator<Item = (Handle, Moment, R, &P)> {
        (0..self.entries.len()).filter_map(|slot| self.entry(slot as u32))
    }
}

impl<R: Copy + Ord + fmt::Debug, P: fmt::Debug> fmt::Debug for Agenda<R, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
