//! A counted resource.

use super::{Queue, ResourceError, TimeWeighted};

/// Equal units that are held for a while, such as servers or machines, and the queue for them.
///
/// Each unit is asked for, seized and released. Who of those who wait goes on first is not decided here: activities
/// that wait for [`is_free`](Resource::is_free) go on by their priority, then first come, first served. That there
/// are fewer units for a time is a condition too: [`busy`](Resource::busy) less than those on duty.
///
/// ```
/// # use clockrace::resource::Resource;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut desk = Resource::new(1);
/// let first = desk.ask(1.0)?;
/// assert!(desk.is_free()); // what an activity waits for
/// desk.seize(first, 1.0)?;
/// let second = desk.ask(2.0)?;
/// let third = desk.ask(3.0)?;
/// desk.renege(third, 4.0)?;
/// desk.release(5.0)?;
/// desk.seize(second, 5.0)?;
/// desk.release(9.0)?;
/// assert_eq!((desk.utilisation(10.0), desk.seized()), (0.8, 2));
/// assert_eq!((desk.queue().mean_length(10.0), desk.queue().mean_wait()), (0.4, 1.5));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    capacity: usize,
    busy: TimeWeighted,
    queue: Queue,
}

impl Resource {
    /// So many units, all of them free, from time 0 on.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Resource { capacity, busy: TimeWeighted::new(0.0), queue: Queue::new() }
    }

    /// The resource from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Resource { busy: self.busy.since(time), queue: self.queue.since(time), ..self }
    }

    /// Somebody joins the queue. Gives the time, which they keep until they seize a unit or renege.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn ask(&mut self, now: f64) -> Result<f64, ResourceError> {
        let now = self.check(now)?;
        self.queue.ask(now)
    }

    /// One who asked at `asked` leaves the queue without a unit.
    ///
    /// # Errors
    /// As [`seize`](Resource::seize), except for `NotFree`.
    pub fn renege(&mut self, asked: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.queue.renege(asked, now)
    }

    /// One who asked at `asked` leaves the queue and holds a unit from `now` on.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NotFree`] if no unit is free,
    /// [`ResourceError::NotAsked`] if nobody waits, [`ResourceError::Asked`] if `asked` is after `now` or not finite.
    pub fn seize(&mut self, asked: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        if !self.is_free() {
            return Err(ResourceError::NotFree { capacity: self.capacity });
        }
        self.queue.serve(asked, now)?;
        self.busy.step(self.busy.value() + 1.0, now);
        Ok(())
    }

    /// A unit that was held is free.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NotSeized`] if no unit is
    /// held.
    pub fn release(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        if self.busy() == 0 {
            return Err(ResourceError::NotSeized);
        }
        self.busy.step(self.busy.value() - 1.0, now);
        Ok(())
    }

    /// Forgets the statistics before `now`, not who waits or holds a unit: the end of a warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.busy.reset(now)?;
        self.queue.reset(now)
    }

    /// How many units there are.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// How many units are held.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.busy.value() as usize
    }

    /// How many units are free.
    #[must_use]
    pub fn free(&self) -> usize {
        self.capacity - self.busy()
    }

    /// Whether a unit is free.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.busy() < self.capacity
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

    /// How many units were seized.
    #[must_use]
    pub fn seized(&self) -> u64 {
        self.queue.served()
    }

    /// Those who wait.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
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
    fn misuse_is_an_error_and_changes_nothing() {
        let mut desk = Resource::new(1);
        assert_eq!(desk.release(0.0), Err(ResourceError::NotSeized));
        assert_eq!(desk.seize(0.0, 0.0), Err(ResourceError::NotAsked));
        assert_eq!(desk.renege(0.0, 0.0), Err(ResourceError::NotAsked));
        assert_eq!(desk, Resource::new(1));
        let (first, second) = (desk.ask(1.0).unwrap(), desk.ask(2.0).unwrap());
        desk.seize(first, 2.0).unwrap();
        let before = desk.clone();
        assert_eq!(desk.seize(second, 3.0), Err(ResourceError::NotFree { capacity: 1 }));
        assert_eq!(desk.renege(4.0, 3.0), Err(ResourceError::Asked { asked: 4.0, now: 3.0 }));
        let past = Err(ResourceError::Time { now: 1.5, last: 2.0 });
        assert_eq!(desk.release(1.5), past);
        assert_eq!(desk.renege(second, 1.5), past);
        assert_eq!(desk.reset(1.5), past);
        assert_eq!(desk.ask(1.5).map(|_| ()), past);
        assert_eq!(desk, before);
        let mut none = Resource::new(0);
        let asked = none.ask(0.0).unwrap();
        assert_eq!(none.seize(asked, 0.0), Err(ResourceError::NotFree { capacity: 0 }));
        assert!(!none.is_free() && none.utilisation(1.0).is_nan());
    }

    #[test]
    fn the_times_of_queue_and_units_are_one() {
        let mut desk = Resource::new(2);
        let asked = desk.ask(1.0).unwrap();
        desk.seize(asked, 1.0).unwrap();
        desk.ask(5.0).unwrap();
        assert_eq!(desk.release(4.0), Err(ResourceError::Time { now: 4.0, last: 5.0 }));
        desk.release(6.0).unwrap();
        assert_eq!(desk.ask(5.5), Err(ResourceError::Time { now: 5.5, last: 6.0 }));
    }

    #[test]
    fn a_reset_in_the_middle_keeps_who_waits_and_who_is_served() {
        let mut desk = Resource::new(2);
        let asked: Vec<f64> = [0.0, 1.0, 2.0, 3.0].iter().map(|&at| desk.ask(at).unwrap()).collect();
        desk.seize(asked[0], 4.0).unwrap();
        desk.seize(asked[1], 4.0).unwrap();
        desk.reset(6.0).unwrap();
        assert_eq!((desk.busy(), desk.free(), desk.queue().len(), desk.seized()), (2, 0, 2, 0));
        assert_eq!((desk.utilisation(6.0), desk.queue().mean_length(6.0)), (1.0, 2.0));
        desk.release(8.0).unwrap();
        desk.seize(asked[2], 8.0).unwrap();
        desk.release(9.0).unwrap();
        desk.release(9.0).unwrap();
        // Two are held for 3, none for 1; two wait for 2, one for 2.
        assert_eq!((desk.utilisation(10.0), desk.usage().mean(10.0), desk.usage().max(10.0)), (0.75, 1.5, 2.0));
        assert_eq!((desk.queue().mean_length(10.0), desk.queue().mean_wait(), desk.seized()), (1.5, 6.0, 1));
    }

    #[test]
    fn a_late_start_counts_from_there() {
        let mut desk = Resource::new(1).since(100.0);
        assert_eq!(desk.ask(99.0), Err(ResourceError::Time { now: 99.0, last: 100.0 }));
        let asked = desk.ask(101.0).unwrap();
        desk.seize(asked, 102.0).unwrap();
        assert_eq!((desk.utilisation(104.0), desk.queue().mean_length(104.0)), (0.5, 0.25));
    }
}
