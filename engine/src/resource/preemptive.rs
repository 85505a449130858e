//! A counted resource whose units can be lost to the more urgent.

use std::collections::VecDeque;

use super::{Queue, ResourceError, TimeWeighted};

/// Equal units whose holders have a priority, the lower the more urgent, and can lose their unit to one who is more
/// urgent.
///
/// A holder is known by its key `K`, that of an activity (`me`), and holds one unit at a time. It seizes, works as long
/// as it has not [`lost`](Preemptive::lost) the unit, and releases in either case. Whether it seizes again, with what
/// was left of its work or all of it, is its own affair.
///
/// Who asks before it waits is counted in the queue until it seizes or reneges; it may do without.
///
/// ```
/// # use clockrace::resource::Preemptive;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut cpu = Preemptive::new(1);
/// cpu.ask("batch", 0.0)?;
/// assert!(cpu.admits(5)); // what an activity waits for
/// cpu.seize("batch", 5, 0.0)?;
/// assert!(!cpu.admits(5) && cpu.admits(1));
/// assert_eq!(cpu.seize("alarm", 1, 2.0)?, Some("batch"));
/// assert!(cpu.lost("batch")); // what interrupts its work
/// cpu.release("batch", 2.0)?;
/// cpu.ask("batch", 2.0)?;
/// cpu.release("alarm", 3.0)?;
/// cpu.seize("batch", 5, 3.0)?;
/// cpu.release("batch", 8.0)?;
/// assert_eq!((cpu.utilisation(10.0), cpu.seized(), cpu.preempted()), (0.8, 3, 1));
/// assert_eq!((cpu.queue().mean_length(10.0), cpu.queue().max_wait()), (0.1, 1.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Preemptive<K> {
    capacity: usize,
    /// By priority, at one priority in the order in which they seized: the last is the first to lose.
    holders: Vec<(i64, K)>,
    /// Who lost a unit and has not released it.
    lost: Vec<K>,
    /// In the order in which they asked, and when they did.
    waiting: VecDeque<(K, f64)>,
    busy: TimeWeighted,
    queue: Queue,
    seized: u64,
    preempted: u64,
}

impl<K: Copy + Eq> Preemptive<K> {
    /// So many units, all of them free, from time 0 on.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Preemptive {
            capacity,
            holders: Vec::new(),
            lost: Vec::new(),
            waiting: VecDeque::new(),
            busy: TimeWeighted::new(0.0),
            queue: Queue::new(),
            seized: 0,
            preempted: 0,
        }
    }

    /// The resource from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Preemptive { busy: self.busy.since(time), queue: self.queue.since(time), ..self }
    }

    /// `key` joins the queue.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn ask(&mut self, key: K, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        let asked = self.queue.ask(now)?;
        self.waiting.push_back((key, asked));
        Ok(())
    }

    /// `key` leaves the queue without a unit. It is looked for from the front of the queue, as by
    /// [`seize`](Preemptive::seize).
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NotAsked`] if `key` is not in
    /// the queue.
    pub fn renege(&mut self, key: K, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        let place = self.place(key).ok_or(ResourceError::NotAsked)?;
        let (_, asked) = self.waiting.remove(place).ok_or(ResourceError::NotAsked)?;
        self.queue.renege(asked, now)
    }

    /// `key` holds a unit with this priority from `now` on: a free one or else that of the holder with the greatest
    /// priority number, the latest among equals, whose key is given. If `key` is in the queue, it leaves it.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::AlreadySeized`] if `key` holds
    /// a unit, [`ResourceError::NotFree`] if the resource does not [admit](Preemptive::admits) this priority.
    pub fn seize(&mut self, key: K, priority: i64, now: f64) -> Result<Option<K>, ResourceError> {
        let now = self.check(now)?;
        if self.holds(key) {
            return Err(ResourceError::AlreadySeized);
        }
        if !self.admits(priority) {
            return Err(ResourceError::NotFree { capacity: self.capacity });
        }
        if let Some((_, asked)) = self.place(key).and_then(|place| self.waiting.remove(place)) {
            self.queue.serve(asked, now)?;
        }
        let loser = if self.is_free() { None } else { self.holders.pop().map(|(_, loser)| loser) };
        self.forget(key);
        if let Some(loser) = loser {
            self.lost.push(loser);
            self.preempted += 1;
        }
        let place = self.holders.partition_point(|&(other, _)| other <= priority);
        self.holders.insert(place, (priority, key));
        self.seized += 1;
        self.busy.step(self.holders.len() as f64, now);
        Ok(loser)
    }

    /// The unit of `key` is free. If it was lost meanwhile, only that is forgotten.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NotSeized`] if `key` neither
    /// holds a unit nor has lost one.
    pub fn release(&mut self, key: K, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        if let Some(place) = self.holders.iter().position(|&(_, holder)| holder == key) {
            self.holders.remove(place);
        } else if !self.forget(key) {
            return Err(ResourceError::NotSeized);
        }
        self.busy.step(self.holders.len() as f64, now);
        Ok(())
    }

    /// Forgets the statistics before `now`, not who waits, holds a unit or has lost it: the end of a warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.busy.reset(now)?;
        self.queue.reset(now)?;
        (self.seized, self.preempted) = (0, 0);
        Ok(())
    }

    /// How many units there are.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many units are held.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.holders.len()
    }

    /// How many units are free.
    #[must_use]
    pub fn free(&self) -> usize {
        self.capacity - self.holders.len()
    }

    /// Whether a unit is free.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.holders.len() < self.capacity
    }

    /// Whether one with this priority can have a unit: one is free, or one is held with a greater priority number.
    #[must_use]
    pub fn admits(&self, priority: i64) -> bool {
        self.is_free() || self.holders.last().is_some_and(|&(other, _)| other > priority)
    }

    /// Whether `key` holds a unit.
    #[must_use]
    pub fn holds(&self, key: K) -> bool {
        self.holders.iter().any(|&(_, holder)| holder == key)
    }

    /// Whether `key` has lost the unit that it seized, and has not released it.
    #[must_use]
    pub fn lost(&self, key: K) -> bool {
        self.lost.contains(&key)
    }

    /// Who holds a unit and with which priority, the most urgent first.
    pub fn holders(&self) -> impl Iterator<Item = (K, i64)> + '_ {
        self.holders.iter().map(|&(priority, key)| (key, priority))
    }

    /// The mean over time of the fraction of units that are held, until `now`. NaN if there are no units, or if `now`
    /// is before a time given earlier.
    #[must_use]
    pub fn utilisation(&self, now: f64) -> f64 {
        self.busy.mean(now) / self.capacity as f64
    }

    /// How many units are held, over time.
    #[must_use]
    pub fn usage(&self) -> &TimeWeighted {
        &self.busy
    }

    /// How many units were seized, again after a loss included.
    #[must_use]
    pub fn seized(&self) -> u64 {
        self.seized
    }

    /// How many units were lost.
    #[must_use]
    pub fn preempted(&self) -> u64 {
        self.preempted
    }

    /// Those who asked and wait.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Where `key` is in the queue.
    fn place(&self, key: K) -> Option<usize> {
        self.waiting.iter().position(|&(waiting, _)| waiting == key)
    }

    /// Forgets that `key` has lost a unit. Gives whether it had.
    fn forget(&mut self, key: K) -> bool {
        let place = self.lost.iter().position(|&lost| lost == key);
        place.map(|place| self.lost.swap_remove(place)).is_some()
    }

    /// The time, if it is one that can follow.
    fn check(&self, now: f64) -> Result<f64, ResourceError> {
        self.queue.check(self.busy.check(now)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_greatest_number_loses_and_the_latest_among_equals() {
        let mut cpu = Preemptive::new(4);
        for (key, priority) in [('a', 3), ('b', 7), ('c', 7), ('d', 1)] {
            assert_eq!(cpu.seize(key, priority, 0.0), Ok(None));
        }
        assert_eq!(cpu.holders().collect::<Vec<_>>(), [('d', 1), ('a', 3), ('b', 7), ('c', 7)]);
        assert_eq!(cpu.seize('e', 2, 1.0), Ok(Some('c')));
        assert_eq!(cpu.seize('f', 2, 1.0), Ok(Some('b')));
        assert_eq!(cpu.seize('g', 2, 1.0), Ok(Some('a')));
        assert!(!cpu.admits(2) && cpu.admits(1));
        assert_eq!(cpu.seize('h', 2, 1.0), Err(ResourceError::NotFree { capacity: 4 }));
        assert_eq!(cpu.seize('h', 1, 1.0), Ok(Some('g')));
        assert!(['a', 'b', 'c', 'g'].iter().all(|&key| cpu.lost(key) && !cpu.holds(key)));
        assert!(['d', 'e', 'f', 'h'].iter().all(|&key| !cpu.lost(key) && cpu.holds(key)));
        assert_eq!((cpu.busy(), cpu.seized(), cpu.preempted(), cpu.utilisation(2.0)), (4, 8, 4, 1.0));
    }

    #[test]
    fn a_loss_is_known_until_it_is_released() {
        let mut cpu = Preemptive::new(1);
        cpu.seize(1, 5, 0.0).unwrap();
        cpu.seize(2, 4, 1.0).unwrap();
        cpu.release(1, 1.0).unwrap();
        assert!(!cpu.lost(1) && cpu.holds(2));
        assert_eq!(cpu.release(1, 1.0), Err(ResourceError::NotSeized));
        // Who seizes again without a release starts anew too.
        cpu.seize(3, 3, 1.0).unwrap();
        cpu.release(3, 2.0).unwrap();
        cpu.seize(2, 4, 2.0).unwrap();
        assert!(cpu.holds(2) && !cpu.lost(2));
        cpu.release(2, 3.0).unwrap();
        assert_eq!((cpu.free(), cpu.utilisation(4.0)), (1, 0.75));
    }

    #[test]
    fn the_queue_knows_its_keys() {
        let mut cpu = Preemptive::new(1);
        for (key, at) in [('a', 0.0), ('b', 1.0), ('c', 2.0)] {
            cpu.ask(key, at).unwrap();
        }
        cpu.seize('c', 0, 4.0).unwrap();
        cpu.renege('a', 5.0).unwrap();
        assert_eq!(cpu.renege('a', 5.0), Err(ResourceError::NotAsked));
        assert_eq!((cpu.queue().len(), cpu.queue().mean_wait(), cpu.queue().reneging().mean()), (1, 2.0, 5.0));
        // Without having asked there is no waiting time.
        cpu.seize('d', -1, 5.0).unwrap();
        assert_eq!((cpu.queue().len(), cpu.queue().served(), cpu.seized()), (1, 1, 2));
        cpu.release('d', 7.0).unwrap();
        cpu.seize('b', 0, 7.0).unwrap();
        assert_eq!((cpu.queue().len(), cpu.queue().mean_wait(), cpu.queue().max_wait()), (0, 4.0, 6.0));
        assert_eq!(cpu.queue().mean_length(10.0), (1.0 + 2.0 + 2.0 * 3.0 + 2.0 + 2.0) / 10.0);
    }

    #[test]
    fn misuse_is_an_error_and_changes_nothing() {
        let mut cpu = Preemptive::new(2);
        cpu.ask(1, 1.0).unwrap();
        cpu.seize(1, 0, 1.0).unwrap();
        cpu.ask(1, 2.0).unwrap();
        let before = cpu.clone();
        assert_eq!(cpu.seize(1, -9, 2.0), Err(ResourceError::AlreadySeized));
        assert_eq!(cpu.release(7, 2.0), Err(ResourceError::NotSeized));
        assert_eq!(cpu.renege(7, 2.0), Err(ResourceError::NotAsked));
        let past = ResourceError::Time { now: 1.0, last: 2.0 };
        assert_eq!(cpu.seize(2, 0, 1.0), Err(past));
        assert_eq!(cpu.release(1, 1.0), Err(past));
        assert_eq!(cpu.ask(2, 1.0), Err(past));
        assert_eq!(cpu.renege(1, 1.0), Err(past));
        assert_eq!(cpu.reset(1.0), Err(past));
        assert_eq!(cpu, before);
        let mut none = Preemptive::new(0);
        assert_eq!(none.seize(1, i64::MIN, 0.0), Err(ResourceError::NotFree { capacity: 0 }));
    }

    #[test]
    fn a_reset_in_the_middle_keeps_holders_and_losses() {
        let mut cpu = Preemptive::new(1);
        cpu.seize('a', 5, 0.0).unwrap();
        cpu.seize('b', 1, 1.0).unwrap();
        cpu.ask('c', 2.0).unwrap();
        cpu.reset(4.0).unwrap();
        assert!(cpu.holds('b') && cpu.lost('a') && cpu.queue().len() == 1);
        assert_eq!((cpu.seized(), cpu.preempted(), cpu.utilisation(4.0)), (0, 0, 1.0));
        cpu.release('b', 5.0).unwrap();
        cpu.release('a', 6.0).unwrap();
        cpu.seize('c', 1, 6.0).unwrap();
        assert_eq!((cpu.utilisation(8.0), cpu.queue().mean_length(8.0), cpu.queue().mean_wait()), (0.75, 0.5, 4.0));
    }
}
