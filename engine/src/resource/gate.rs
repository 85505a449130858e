//! A gate.

use super::{Queue, ResourceError, TimeWeighted};

/// Open or closed, and those who wait for it to open.
///
/// An activity asks, waits for [`is_open`](Gate::is_open), and passes. All who wait can pass as long as the gate is
/// open: each sees what the one before left, so one who closes it behind them keeps the others waiting.
///
/// ```
/// # use clockrace::resource::Gate;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut gate = Gate::closed();
/// let asked = gate.ask(1.0)?;
/// gate.open(4.0)?;
/// assert!(gate.is_open()); // what an activity waits for
/// gate.pass(asked, 4.0)?;
/// gate.close(6.0)?;
/// assert_eq!((gate.fraction_open(8.0), gate.openings()), (0.25, 1));
/// assert_eq!((gate.queue().mean_length(6.0), gate.queue().max_wait()), (0.5, 3.0));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Gate {
    /// 1 while it is open, else 0.
    open: TimeWeighted,
    openings: u64,
    queue: Queue,
}

impl Gate {
    /// A gate that is closed from time 0 on.
    #[must_use]
    pub fn closed() -> Self {
        Gate { open: TimeWeighted::new(0.0), openings: 0, queue: Queue::new() }
    }

    /// A gate that is open from time 0 on.
    #[must_use]
    pub fn opened() -> Self {
        Gate { open: TimeWeighted::new(1.0), ..Gate::closed() }
    }

    /// The gate from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Gate { open: self.open.since(time), queue: self.queue.since(time), ..self }
    }

    /// Opens the gate, if it is not open.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn open(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.openings += u64::from(!self.is_open());
        self.open.step(1.0, now);
        Ok(())
    }

    /// Closes the gate, if it is not closed.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn close(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.open.step(0.0, now);
        Ok(())
    }

    /// Somebody comes to the gate. Gives the time, which they keep until they pass or renege.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn ask(&mut self, now: f64) -> Result<f64, ResourceError> {
        let now = self.check(now)?;
        self.queue.ask(now)
    }

    /// One who came at `asked` passes.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::Closed`] if the gate is
    /// closed, [`ResourceError::NotAsked`] if nobody waits, [`ResourceError::Asked`] if `asked` is after `now` or not
    /// finite.
    pub fn pass(&mut self, asked: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        if !self.is_open() {
            return Err(ResourceError::Closed);
        }
        self.queue.serve(asked, now)
    }

    /// One who came at `asked` gives up.
    ///
    /// # Errors
    /// As [`pass`](Gate::pass), except for `Closed`.
    pub fn renege(&mut self, asked: f64, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.queue.renege(asked, now)
    }

    /// Forgets the statistics before `now`, not whether it is open or who waits: the end of a warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.check(now)?;
        self.open.reset(now)?;
        self.queue.reset(now)?;
        self.openings = 0;
        Ok(())
    }

    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.open.value() != 0.0
    }

    /// The fraction of time in which it was open, until `now`. NaN if `now` is before a time given earlier.
    #[must_use]
    pub fn fraction_open(&self, now: f64) -> f64 {
        self.open.mean(now)
    }

    /// 1 while it was open and 0 while it was closed, over time.
    #[must_use]
    pub fn usage(&self) -> &TimeWeighted {
        &self.open
    }

    /// How often it was opened.
    #[must_use]
    pub fn openings(&self) -> u64 {
        self.openings
    }

    /// Those who wait; those who passed are the ones served.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The time, if it is one that can follow.
    fn check(&self, now: f64) -> Result<f64, ResourceError> {
        self.queue.check(self.open.check(now)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_open_twice_is_to_open_once() {
        let mut gate = Gate::opened();
        gate.open(1.0).unwrap();
        gate.close(2.0).unwrap();
        gate.close(3.0).unwrap();
        gate.open(6.0).unwrap();
        gate.open(7.0).unwrap();
        assert_eq!((gate.fraction_open(8.0), gate.openings()), (0.5, 1));
    }

    #[test]
    fn misuse_is_an_error_and_changes_nothing() {
        let mut gate = Gate::closed();
        let asked = gate.ask(1.0).unwrap();
        gate.close(2.0).unwrap();
        let before = gate.clone();
        assert_eq!(gate.pass(asked, 2.0), Err(ResourceError::Closed));
        let past = Err(ResourceError::Time { now: 1.0, last: 2.0 });
        assert_eq!(gate.open(1.0), past);
        assert_eq!(gate.close(1.0), past);
        assert_eq!(gate.pass(1.0, 1.0), past);
        assert_eq!(gate.renege(1.0, 1.0), past);
        assert_eq!(gate.reset(1.0), past);
        assert_eq!(gate.ask(1.0).map(|_| ()), past);
        assert_eq!(gate, before);
        gate.open(3.0).unwrap();
        gate.pass(asked, 3.0).unwrap();
        assert_eq!(gate.pass(asked, 3.0), Err(ResourceError::NotAsked));
    }

    #[test]
    fn a_reset_in_the_middle_keeps_who_waits() {
        let mut gate = Gate::closed().since(2.0);
        let asked = [gate.ask(2.0).unwrap(), gate.ask(3.0).unwrap()];
        gate.open(3.0).unwrap();
        gate.pass(asked[0], 3.0).unwrap();
        gate.close(3.0).unwrap();
        gate.reset(4.0).unwrap();
        assert_eq!((gate.queue().len(), gate.openings(), gate.fraction_open(5.0)), (1, 0, 0.0));
        gate.renege(asked[1], 5.0).unwrap();
        gate.open(6.0).unwrap();
        assert_eq!((gate.fraction_open(8.0), gate.queue().mean_length(8.0)), (0.5, 0.25));
        assert_eq!((gate.queue().asked(), gate.queue().served(), gate.queue().reneged()), (0, 0, 1));
    }
}
