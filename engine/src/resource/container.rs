//! A container of a quantity.

use super::sum::Sum;
use super::{Queue, ResourceError, TimeWeighted};

/// A quantity such as a volume or an amount of money, with a level between 0 and a capacity, which may be infinite.
///
/// An activity waits for [`has`](Container::has) to take and for [`has_room`](Container::has_room) to put. Those who
/// want little can then overtake one who wants much for as long as there is little; where that should not be, all who
/// take wait in one `line`, of which only the head is tested, and all who put in another. Of the two queues only the
/// lengths and times are known here, and only if the model tells them.
///
/// # Rounding
///
/// The level is kept with twice the digits of one number. Within a few units in the last place of the capacity it
/// counts as full, and within a few of the highest level since it was last empty, as empty: ten times 0.1 fills a
/// container of 1, and empties it. What is full has no room for anything then, and what is empty has nothing.
///
/// ```
/// # use clockrace::resource::Container;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut tank = Container::new(100.0, 20.0)?;
/// let asked = tank.takers.ask(0.0)?;
/// assert!(!tank.has(50.0)); // what who takes waits for, in a line
/// tank.put(80.0, 3.0)?;
/// assert!(!tank.has_room(1.0)); // what who puts waits for
/// tank.takers.serve(asked, 3.0)?;
/// tank.take(50.0, 3.0)?;
/// assert_eq!(tank.level(), 50.0);
/// assert_eq!(tank.mean_level(5.0), (20.0 * 3.0 + 50.0 * 2.0) / 5.0);
/// assert_eq!((tank.min_level(5.0), tank.max_level(5.0), tank.takers.max_wait()), (20.0, 50.0, 3.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Container {
    capacity: f64,
    amount: Sum,
    /// The highest level since it was empty.
    peak: f64,
    level: TimeWeighted,
    put: Sum,
    taken: Sum,
    /// Those who wait to take.
    pub takers: Queue,
    /// Those who wait to put.
    pub putters: Queue,
}

impl Container {
    /// A container with this level from time 0 on.
    ///
    /// # Errors
    /// [`ResourceError::Level`] if the level is negative, infinite or above the capacity, or one of them NaN.
    pub fn new(capacity: f64, level: f64) -> Result<Self, ResourceError> {
        if !(level >= 0.0 && level <= capacity && level <= f64::MAX) {
            return Err(ResourceError::Level { level, capacity });
        }
        Ok(Container {
            capacity,
            amount: Sum::of(level),
            peak: level,
            level: TimeWeighted::new(level),
            put: Sum::default(),
            taken: Sum::default(),
            takers: Queue::new(),
            putters: Queue::new(),
        })
    }

    /// The container from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Container {
            level: self.level.since(time),
            takers: self.takers.since(time),
            putters: self.putters.since(time),
            ..self
        }
    }

    /// Adds to what there is.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NoRoom`] if there is no
    /// [room](Container::has_room) for it, [`ResourceError::Amount`] if it is negative, infinite or NaN.
    pub fn put(&mut self, amount: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.level.check(now)?;
        let after = self.amount.plus(finite(amount)?);
        if !self.has_room(amount) || after.get() > f64::MAX {
            return Err(ResourceError::NoRoom { amount, room: self.room() });
        }
        self.put += amount;
        self.amount = if after.to(self.capacity) <= few(self.capacity) { Sum::of(self.capacity) } else { after };
        self.peak = self.peak.max(self.level());
        self.level.step(self.level(), now);
        Ok(())
    }

    /// Takes from what there is.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::Short`] if it does not
    /// [have](Container::has) it, [`ResourceError::Amount`] if it is negative, infinite or NaN.
    pub fn take(&mut self, amount: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.level.check(now)?;
        let after = self.amount.plus(-finite(amount)?);
        if !self.has(amount) {
            return Err(ResourceError::Short { amount, level: self.level() });
        }
        self.taken += amount;
        // Only on the way down: else the first drops from a full container would be there again.
        self.amount = if after.get() <= few(self.peak) { Sum::default() } else { after };
        self.peak = if self.is_empty() { 0.0 } else { self.peak };
        self.level.step(self.level(), now);
        Ok(())
    }

    /// Forgets the statistics before `now`, those of the queues too, but not the level and nobody who waits: the end of
    /// a warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.putters.check(self.takers.check(self.level.check(now)?)?)?;
        self.level.reset(now)?;
        self.takers.reset(now)?;
        self.putters.reset(now)?;
        (self.put, self.taken) = (Sum::default(), Sum::default());
        Ok(())
    }

    /// How much there can be.
    #[must_use]
    pub fn capacity(&self) -> f64 {
        self.capacity
    }

    /// How much there is.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.amount.get()
    }

    /// How much can be put.
    #[must_use]
    pub fn room(&self) -> f64 {
        self.amount.to(self.capacity)
    }

    /// Whether there is nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.level() == 0.0
    }

    /// Whether there can be no more.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.level() == self.capacity
    }

    /// Whether so much can be taken. True for NaN too, which [`take`](Container::take) refuses: nobody waits for it
    /// for ever.
    #[must_use]
    pub fn has(&self, amount: f64) -> bool {
        let missing = self.amount.to(amount);
        missing.is_nan() || missing <= few(self.peak)
    }

    /// Whether so much can be put. True for NaN too, which [`put`](Container::put) refuses: nobody waits for it for
    /// ever.
    #[must_use]
    pub fn has_room(&self, amount: f64) -> bool {
        let room = self.room();
        let beyond = amount - room;
        beyond.is_nan() || beyond <= if room > 0.0 { few(self.capacity) } else { 0.0 }
    }

    /// The mean level over time until `now`. NaN if `now` is before a time given earlier.
    #[must_use]
    pub fn mean_level(&self, now: f64) -> f64 {
        self.level.mean(now)
    }

    /// The lowest level until `now` that lasted longer than an instant. NaN if `now` is before a time given earlier.
    #[must_use]
    pub fn min_level(&self, now: f64) -> f64 {
        self.level.min(now)
    }

    /// The highest level until `now` that lasted longer than an instant. NaN if `now` is before a time given earlier.
    #[must_use]
    pub fn max_level(&self, now: f64) -> f64 {
        self.level.max(now)
    }

    /// The level, over time.
    #[must_use]
    pub fn levels(&self) -> &TimeWeighted {
        &self.level
    }

    /// How much was put, all in all.
    #[must_use]
    pub fn total_put(&self) -> f64 {
        self.put.get()
    }

    /// How much was taken, all in all.
    #[must_use]
    pub fn total_taken(&self) -> f64 {
        self.taken.get()
    }
}

/// A few units in the last place. Nothing for what is infinite.
fn few(scale: f64) -> f64 {
    if scale <= f64::MAX { 8.0 * f64::EPSILON * scale } else { 0.0 }
}

/// An amount that can be put or taken.
fn finite(amount: f64) -> Result<f64, ResourceError> {
    if (0.0..=f64::MAX).contains(&amount) { Ok(amount) } else { Err(ResourceError::Amount { amount }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_the_level() {
        let mut tank = Container::new(10.0, 4.0).unwrap();
        tank.take(3.0, 1.0).unwrap();
        tank.put(8.0, 3.0).unwrap();
        // For no time at all it is full.
        tank.put(1.0, 5.0).unwrap();
        assert!(tank.is_full());
        tank.take(8.0, 5.0).unwrap();
        assert_eq!((tank.level(), tank.room(), tank.total_put(), tank.total_taken()), (2.0, 8.0, 9.0, 11.0));
        assert_eq!(tank.mean_level(8.0), (4.0 + 2.0 + 18.0 + 6.0) / 8.0);
        assert_eq!((tank.min_level(8.0), tank.max_level(8.0)), (1.0, 9.0));
        assert_eq!(tank.levels().variance(8.0), (16.0 + 2.0 + 162.0 + 12.0) / 8.0 - 3.75 * 3.75);
    }

    #[test]
    fn misuse_is_an_error_and_changes_nothing() {
        for (capacity, level) in
            [(1.0, 2.0), (1.0, -1.0), (f64::NAN, 0.0), (1.0, f64::NAN), (f64::INFINITY, f64::INFINITY)]
        {
            assert!(matches!(Container::new(capacity, level), Err(ResourceError::Level { .. })));
        }
        let mut tank = Container::new(10.0, 4.0).unwrap();
        tank.put(1.0, 2.0).unwrap();
        let before = tank.clone();
        assert_eq!(tank.take(6.0, 3.0), Err(ResourceError::Short { amount: 6.0, level: 5.0 }));
        assert_eq!(tank.put(6.0, 3.0), Err(ResourceError::NoRoom { amount: 6.0, room: 5.0 }));
        for amount in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(tank.take(amount, 3.0), Err(ResourceError::Amount { .. })));
            assert!(matches!(tank.put(amount, 3.0), Err(ResourceError::Amount { .. })));
        }
        let past = Err(ResourceError::Time { now: 1.0, last: 2.0 });
        assert_eq!(tank.take(1.0, 1.0), past);
        assert_eq!(tank.put(1.0, 1.0), past);
        assert_eq!(tank.reset(1.0), past);
        assert_eq!(tank, before);
        // What is refused with an error is not waited for.
        assert!(tank.has(f64::NAN) && tank.has_room(f64::NAN) && tank.has(-1.0) && tank.has_room(-1.0));
        assert!(!tank.has(6.0) && !tank.has_room(6.0) && tank.has(5.0) && tank.has_room(5.0));
    }

    #[test]
    fn tenths_fill_and_empty_it() {
        for (capacity, amount, count) in [(1.0, 0.1, 10), (1000.0, 0.1, 10_000), (0.3, 0.1, 3), (1e9, 1e9 / 3.0, 3)] {
            let mut tank = Container::new(capacity, 0.0).unwrap();
            for _ in 0..3 {
                for _ in 0..count {
                    assert!(!tank.is_full() && tank.has_room(amount));
                    tank.put(amount, 1.0).unwrap();
                }
                assert!(tank.is_full() && !tank.has_room(1e-300) && tank.level() == capacity);
                for _ in 0..count {
                    assert!(!tank.is_empty() && tank.has(amount));
                    tank.take(amount, 1.0).unwrap();
                }
                assert!(tank.is_empty() && !tank.has(1e-300) && tank.level() == 0.0);
            }
        }
    }

    #[test]
    fn rounding_gives_and_takes_nothing_for_ever() {
        // Drops far below the last place of the level: none comes from nothing, and none is lost.
        let mut tank = Container::new(1e6, 1e6).unwrap();
        assert!(!tank.has_room(1e-12));
        (0..1_000_000).for_each(|_| tank.take(1e-12, 1.0).unwrap());
        assert!(!tank.is_full() && (tank.room() - 1e-6).abs() < 1e-18);
        let mut tank = Container::new(f64::INFINITY, 1e6).unwrap();
        tank.take(1e6, 1.0).unwrap();
        assert!(tank.is_empty() && !tank.has(1e-12));
        tank.put(1e-12, 1.0).unwrap();
        assert!(tank.has(1e-12) && !tank.has(2e-12) && tank.level() == 1e-12);
        tank.put(f64::MAX, 1.0).unwrap();
        assert!(tank.has_room(f64::MAX) && tank.put(f64::MAX, 1.0).is_err() && tank.level() == f64::MAX);
    }

    #[test]
    fn a_reset_in_the_middle_keeps_the_level_and_who_waits() {
        let mut tank = Container::new(10.0, 4.0).unwrap();
        let (taker, putter) = (tank.takers.ask(1.0).unwrap(), tank.putters.ask(3.0).unwrap());
        let before = tank.clone();
        assert_eq!(tank.reset(2.0), Err(ResourceError::Time { now: 2.0, last: 3.0 }));
        assert_eq!(tank, before);
        tank.put(5.0, 3.0).unwrap();
        tank.reset(4.0).unwrap();
        assert_eq!((tank.level(), tank.total_put(), tank.takers.len(), tank.putters.len()), (9.0, 0.0, 1, 1));
        assert_eq!((tank.mean_level(4.0), tank.min_level(4.0)), (9.0, 9.0));
        tank.takers.serve(taker, 6.0).unwrap();
        tank.take(8.0, 6.0).unwrap();
        tank.putters.serve(putter, 6.0).unwrap();
        assert_eq!((tank.mean_level(8.0), tank.takers.mean_length(8.0), tank.takers.mean_wait()), (5.0, 0.5, 5.0));
    }

    #[test]
    fn a_late_start_counts_from_there() {
        let mut tank = Container::new(10.0, 4.0).unwrap().since(10.0);
        assert!(tank.takers.ask(9.0).is_err() && tank.putters.ask(9.0).is_err());
        tank.put(2.0, 11.0).unwrap();
        assert_eq!((tank.mean_level(12.0), tank.capacity()), (5.0, 10.0));
    }
}
