//! Who goes on at this instant: instances of activities that start, are aborted, or wait for a condition that holds.
//!
//! They take turns, by priority and then by when their wait began; each turn is an event of its own. A condition is
//! looked at when something it reads has been written, and only while somebody waits for it: whoever waits first is
//! asked, and if the condition is the same for all it stands for all.

use std::collections::VecDeque;

/// The order among turns of one instant, and among those who wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Order<const W: usize> {
    /// Lower first, part by part.
    pub priority: [i64; W],
    /// When the wait began, as a number that never repeats.
    pub began: u64,
}

/// Somebody's turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// An instance starts, goes on or is aborted, as it says itself.
    Instance {
        /// The activity, by number.
        activity: u32,
        /// The instance.
        slot: u32,
    },
    /// Whoever stands first in a line, if its condition holds: that he is interrupted comes behind.
    Line {
        /// The line, by number.
        line: u32,
    },
    /// Whoever waits first for a condition, if it holds.
    Group {
        /// The place in the text where it is waited, by number.
        site: u32,
        /// The member of the site, if its condition has indices.
        member: u32,
    },
}

/// Turns to be taken at this instant.
#[derive(Clone, Debug)]
pub struct Turns<const W: usize> {
    /// In order. Most come at one of the ends: those who begin to wait, and those who have waited longest.
    queue: VecDeque<(Order<W>, Turn)>,
    /// Whether the first has been looked at, and will be taken.
    ready: bool,
    began: u64,
    /// How often it was asked who goes on.
    asked: u64,
}

impl<const W: usize> Default for Turns<W> {
    fn default() -> Self {
        Turns { queue: VecDeque::new(), ready: false, began: 0, asked: 0 }
    }
}

impl<const W: usize> Turns<W> {
    /// The order of a wait that begins now.
    #[inline]
    pub fn order(&mut self, priority: [i64; W]) -> Order<W> {
        self.began += 1;
        Order { priority, began: self.began }
    }

    /// Somebody may have a turn.
    #[inline]
    pub fn push(&mut self, order: Order<W>, turn: Turn) {
        // What was first may not be so any more.
        self.ready = false;
        if self.queue.back().is_none_or(|(last, _)| *last < order) {
            self.queue.push_back((order, turn));
        } else if self.queue.front().is_some_and(|(first, _)| order < *first) {
            self.queue.push_front((order, turn));
        } else {
            // Who may go on and be interrupted has two turns of one order.
            let place = self.queue.partition_point(|other| *other < (order, turn));
            self.queue.insert(place, (order, turn));
        }
    }

    /// The first turn, if it has not been found to be one.
    #[inline]
    #[must_use]
    pub fn candidate(&self) -> Option<(Order<W>, Turn)> {
        if self.ready { None } else { self.queue.front().copied() }
    }

    /// Something has happened: the first may be none any more. Gives the number under which conditions were tested in it.
    #[inline]
    pub fn unsettle(&mut self) -> u64 {
        self.ready = false;
        self.asked += 1;
        self.asked
    }

    /// How many waits have begun.
    #[inline]
    #[must_use]
    pub fn began(&self) -> u64 {
        self.began
    }

    /// The candidate is one.
    #[inline]
    pub fn confirm(&mut self) {
        self.ready = true;
    }

    /// The candidate is none.
    #[inline]
    pub fn drop_candidate(&mut self) {
        self.queue.pop_front();
    }

    /// The priority of the turn that is next.
    #[inline]
    #[must_use]
    pub fn ready(&self) -> Option<&[i64; W]> {
        if !self.ready {
            return None;
        }
        self.queue.front().map(|(order, _)| &order.priority)
    }

    /// The turn that is next, without taking it.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<Turn> {
        self.queue.front().map(|(_, turn)| *turn)
    }

    /// Takes it.
    #[inline]
    pub fn take(&mut self) -> Option<(Order<W>, Turn)> {
        self.ready = false;
        self.queue.pop_front()
    }
}

/// Those who wait for one condition, or in one line.
#[derive(Clone, Debug)]
pub struct Group<const W: usize> {
    waiters: VecDeque<Waiter<W>>,
    /// How many of the first are known to be in vain.
    tested: usize,
    /// The number under which the condition was found to hold for whoever waits longest.
    holds: u64,
    /// The turn that stands in the queue for it.
    queued: Option<Order<W>>,
}

/// An instance that waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiter<const W: usize> {
    /// Its place in the order.
    pub order: Order<W>,
    /// The instance.
    pub slot: u32,
    /// Where it waits: in a line that differs.
    pub site: u32,
}

impl<const W: usize> Default for Group<W> {
    fn default() -> Self {
        Group { waiters: VecDeque::new(), tested: 0, holds: 0, queued: None }
    }
}

impl<const W: usize> Group<W> {
    /// How many wait.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.waiters.len()
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// Those who wait, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Waiter<W>> {
        self.waiters.iter()
    }

    /// Whoever waits longest.
    #[inline]
    #[must_use]
    pub fn first(&self) -> Option<Waiter<W>> {
        self.waiters.front().copied()
    }

    /// Whoever is to be asked next.
    #[inline]
    #[must_use]
    pub fn head(&self) -> Option<Waiter<W>> {
        self.waiters.get(self.tested).copied()
    }

    fn position(&self, order: &Order<W>) -> Result<usize, usize> {
        self.waiters.binary_search_by(|waiter| waiter.order.cmp(order))
    }

    /// Somebody begins to wait. What is known to be in vain for whoever comes before is so for him too, if `shared`.
    #[inline]
    pub fn join(&mut self, waiter: Waiter<W>, shared: bool, turns: &mut Turns<W>, turn: Turn) {
        let place = match self.waiters.back() {
            Some(last) if last.order > waiter.order => {
                let place = self.position(&waiter.order).unwrap_or_else(|place| place);
                self.waiters.insert(place, waiter);
                place
            }
            _ => {
                self.waiters.push_back(waiter);
                self.waiters.len() - 1
            }
        };
        if shared && self.tested > 0 && place > 0 {
            // Others have been found to wait in vain, for the same condition.
            self.tested += 1;
            return;
        }
        if place == 0 {
            self.holds = 0;
        }
        self.tested = self.tested.min(place);
        self.queue(turns, turn);
    }

    /// Somebody waits no longer. In a line whoever stood behind the first may be asked now.
    #[inline]
    pub fn leave(&mut self, order: &Order<W>, line: bool, turns: &mut Turns<W>, turn: Turn) {
        let place = if self.waiters.front().is_some_and(|first| first.order == *order) {
            self.waiters.pop_front();
            0
        } else {
            let Ok(place) = self.position(order) else { return };
            self.waiters.remove(place);
            place
        };
        if line && place == 0 {
            (self.tested, self.holds) = (0, 0);
        } else if place < self.tested {
            self.tested -= 1;
        }
        self.queue(turns, turn);
    }

    /// Somebody who works here, and waits for nothing, comes.
    pub fn stand(&mut self, waiter: Waiter<W>) {
        self.waiters.push_back(waiter);
    }

    /// He goes.
    pub fn go(&mut self, slot: u32) {
        self.waiters.retain(|waiter| waiter.slot != slot);
    }

    /// Number `at` of those who are here.
    #[must_use]
    pub fn at(&self, at: usize) -> Option<Waiter<W>> {
        self.waiters.get(at).copied()
    }

    /// What the condition reads has been written, and it holds for all or, in a line, for the first; or for none.
    #[inline]
    pub fn tested(&mut self, holds: bool, turns: &mut Turns<W>, turn: Turn) {
        (self.tested, self.holds) = if holds { (0, turns.asked + 1) } else { (self.waiters.len(), 0) };
        self.queue(turns, turn);
    }

    /// Whether the condition has been found to hold in the event of this number.
    #[inline]
    #[must_use]
    pub fn holds(&self, number: u64) -> bool {
        self.holds == number
    }

    /// What the condition reads has been written.
    #[inline]
    pub fn touch(&mut self, turns: &mut Turns<W>, turn: Turn) {
        if !self.waiters.is_empty() {
            self.tested = 0;
            self.queue(turns, turn);
        }
    }

    /// The condition does not hold for whoever was asked: for all then, or for him alone.
    #[inline]
    pub fn in_vain(&mut self, all: bool, turns: &mut Turns<W>, turn: Turn) {
        self.tested = if all { self.waiters.len() } else { self.tested + 1 };
        self.queue(turns, turn);
    }

    /// Whether a turn from the queue still stands for this group; if not, it is stale.
    #[inline]
    #[must_use]
    pub fn is_queued(&self, order: &Order<W>) -> bool {
        self.queued.as_ref() == Some(order)
    }

    /// The turn in the queue has been taken out.
    #[inline]
    pub fn unqueued(&mut self) {
        self.queued = None;
    }

    /// Sees to it that whoever is to be asked next stands in the queue.
    #[inline]
    fn queue(&mut self, turns: &mut Turns<W>, turn: Turn) {
        let head = self.head().map(|head| head.order);
        if head != self.queued {
            self.queued = head;
            if let Some(order) = head {
                turns.push(order, turn);
            }
        }
    }
}

/// Those who wait at one place in the text, by the indices of its condition.
#[derive(Clone, Debug)]
pub struct Site<const W: usize> {
    groups: Vec<Group<W>>,
}

impl<const W: usize> Default for Site<W> {
    fn default() -> Self {
        Site { groups: Vec::new() }
    }
}

impl<const W: usize> Site<W> {
    /// The group of a member, if anybody has waited for it.
    #[inline]
    pub fn get(&mut self, member: usize) -> Option<&mut Group<W>> {
        self.groups.get_mut(member)
    }

    /// How many members have a group.
    #[must_use]
    pub fn members(&self) -> usize {
        self.groups.len()
    }

    /// The group of a member.
    #[inline]
    pub fn group(&mut self, member: usize) -> &mut Group<W> {
        if member >= self.groups.len() {
            self.groups.resize_with(member + 1, Group::default);
        }
        &mut self.groups[member]
    }
}
