//! Statistics of those who wait.

use super::{ResourceError, Tally, TimeWeighted};
use crate::timing::rounding;

/// The bookkeeping of a queue: how many wait, and for how long they did.
///
/// It knows numbers, not who waits: any condition may be what they wait for. An activity asks, waits, and then
/// is served or reneges. Each of the resources has one or two; by itself it is for waiting of any other kind.
///
/// Waiting times count when they end, whole, even if they began before a [`reset`](Queue::reset).
///
/// ```
/// # use clockrace::resource::Queue;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut queue = Queue::new();
/// let (first, second) = (queue.ask(1.0)?, queue.ask(2.0)?);
/// assert_eq!(queue.len(), 2);
/// queue.serve(first, 4.0)?;
/// queue.renege(second, 6.0)?;
/// assert_eq!(queue.mean_length(8.0), (1.0 + 2.0 * 2.0 + 2.0) / 8.0);
/// assert_eq!((queue.mean_wait(), queue.reneging().mean()), (3.0, 4.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    length: TimeWeighted,
    asked: u64,
    served: Tally,
    reneged: Tally,
}

impl Queue {
    /// An empty queue, from time 0 on.
    #[must_use]
    pub fn new() -> Self {
        Queue { length: TimeWeighted::new(0.0), asked: 0, served: Tally::new(), reneged: Tally::new() }
    }

    /// The queue from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Queue { length: self.length.since(time), ..self }
    }

    /// Somebody joins the queue. Gives the time, which they keep until they leave.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn ask(&mut self, now: f64) -> Result<f64, ResourceError> {
        let now = self.check(now)?;
        self.asked += 1;
        self.length.step(self.length.value() + 1.0, now);
        Ok(now)
    }

    /// One who asked at `asked` has what they waited for: their waiting time is recorded.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NotAsked`] if nobody waits,
    /// [`ResourceError::Asked`] if `asked` is after `now` or not finite.
    pub fn serve(&mut self, asked: f64, now: f64) -> Result<(), ResourceError> {
        let (wait, now) = self.leaves(asked, now)?;
        self.served.take(wait);
        self.leave(now);
        Ok(())
    }

    /// One who asked at `asked` gives up.
    ///
    /// # Errors
    /// As [`serve`](Queue::serve).
    pub fn renege(&mut self, asked: f64, now: f64) -> Result<(), ResourceError> {
        let (wait, now) = self.leaves(asked, now)?;
        self.reneged.take(wait);
        self.leave(now);
        Ok(())
    }

    /// Forgets the statistics before `now`, not who waits: the end of a warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        self.length.reset(now)?;
        self.asked = 0;
        self.served.reset();
        self.reneged.reset();
        Ok(())
    }

    /// How many wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.length.value() as usize
    }

    /// Whether nobody waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length.value() == 0.0
    }

    /// The mean over time of how many wait, until `now`. NaN if `now` is before a time given earlier.
    #[must_use]
    pub fn mean_length(&self, now: f64) -> f64 {
        self.length.mean(now)
    }

    /// The most who waited until `now`, all at one time and for longer than an instant. NaN if `now` is before a time
    /// given earlier.
    #[must_use]
    pub fn max_length(&self, now: f64) -> f64 {
        self.length.max(now)
    }

    /// The number of those who wait, over time.
    #[must_use]
    pub fn lengths(&self) -> &TimeWeighted {
        &self.length
    }

    /// The mean waiting time of those who were served. NaN if nobody was.
    #[must_use]
    pub fn mean_wait(&self) -> f64 {
        self.served.mean()
    }

    /// The longest waiting time of those who were served. NaN if nobody was.
    #[must_use]
    pub fn max_wait(&self) -> f64 {
        self.served.max()
    }

    /// The waiting times of those who were served.
    #[must_use]
    pub fn waits(&self) -> &Tally {
        &self.served
    }

    /// The times that those waited who reneged.
    #[must_use]
    pub fn reneging(&self) -> &Tally {
        &self.reneged
    }

    /// How many asked.
    #[must_use]
    pub fn asked(&self) -> u64 {
        self.asked
    }

    /// How many were served.
    #[must_use]
    pub fn served(&self) -> u64 {
        self.served.count()
    }

    /// How many reneged.
    #[must_use]
    pub fn reneged(&self) -> u64 {
        self.reneged.count()
    }

    /// The time, if it is one that can follow.
    #[inline]
    pub(super) fn check(&self, now: f64) -> Result<f64, ResourceError> {
        self.length.check(now)
    }

    /// How long one waited who can leave, and the time.
    #[inline]
    pub(super) fn leaves(&self, asked: f64, now: f64) -> Result<(f64, f64), ResourceError> {
        let now = self.check(now)?;
        if self.is_empty() {
            Err(ResourceError::NotAsked)
        } else if asked >= f64::MIN && asked <= now + rounding(now) {
            Ok(((now - asked).max(0.0), now))
        } else {
            Err(ResourceError::Asked { asked, now })
        }
    }

    #[inline]
    fn leave(&mut self, now: f64) {
        self.length.step(self.length.value() - 1.0, now);
    }
}

impl Default for Queue {
    fn default() -> Self {
        Queue::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_waits_no_time_is_not_in_the_length() {
        let mut queue = Queue::new();
        let asked = queue.ask(1.0).unwrap();
        queue.serve(asked, 1.0).unwrap();
        assert_eq!((queue.mean_length(2.0), queue.max_length(2.0)), (0.0, 0.0));
        assert_eq!((queue.served(), queue.mean_wait()), (1, 0.0));
    }

    #[test]
    fn a_reset_never_makes_the_length_negative() {
        let mut queue = Queue::new();
        let asked = [queue.ask(1.0).unwrap(), queue.ask(2.0).unwrap()];
        queue.reset(3.0).unwrap();
        assert_eq!((queue.len(), queue.asked(), queue.mean_length(3.0)), (2, 0, 2.0));
        queue.serve(asked[0], 4.0).unwrap();
        queue.renege(asked[1], 5.0).unwrap();
        assert_eq!((queue.len(), queue.served(), queue.reneged()), (0, 1, 1));
        assert_eq!((queue.mean_length(7.0), queue.max_length(7.0)), (0.75, 2.0));
        assert_eq!((queue.mean_wait(), queue.reneging().max()), (3.0, 3.0));
        assert_eq!(queue.serve(1.0, 7.0), Err(ResourceError::NotAsked));
    }

    #[test]
    fn nobody_asks_in_the_future() {
        let mut queue = Queue::new().since(-5.0);
        queue.ask(-5.0).unwrap();
        queue.ask(2.0).unwrap();
        let before = queue.clone();
        for asked in [2.1, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(matches!(queue.serve(asked, 2.0), Err(ResourceError::Asked { now: 2.0, .. })));
            assert!(matches!(queue.renege(asked, 2.0), Err(ResourceError::Asked { now: 2.0, .. })));
        }
        assert!(matches!(queue.ask(1.0), Err(ResourceError::Time { now: 1.0, last: 2.0 })));
        assert!(matches!(queue.reset(1.0), Err(ResourceError::Time { .. })));
        assert_eq!(queue, before);
        queue.serve(2.0 + 1e-15, 2.0).unwrap();
        assert_eq!((queue.mean_wait(), queue.len()), (0.0, 1));
    }
}
