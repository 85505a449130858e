//! A store of items.

use std::collections::{VecDeque, vec_deque};

use super::{Queue, ResourceError, TimeWeighted};

/// Items that are put and taken, first in, first out, with or without a bound on how many there are.
///
/// An activity waits for `!is_empty()` to take and for `!is_full()` to put; or, with [`iter`](Store::iter), for an item
/// of a certain kind to [take that](Store::take_where). Of the two queues only the lengths and times are known here,
/// and only if the model tells them.
///
/// ```
/// # use clockrace::resource::Store;
/// # fn main() -> Result<(), clockrace::resource::ResourceError> {
/// let mut parts = Store::bounded(3);
/// parts.put("bolt", 1.0)?;
/// parts.put("nut", 2.0)?;
/// parts.put("gear", 2.0)?;
/// assert!(parts.is_full()); // who puts waits for the contrary
/// assert_eq!(parts.take_where(|part| part.starts_with('g'), 4.0)?, "gear");
/// assert_eq!(parts.take(5.0)?, "bolt");
/// let asked = parts.takers.ask(5.0)?;
/// assert!(!parts.is_empty()); // what who takes waits for
/// parts.takers.serve(asked, 5.0)?;
/// assert_eq!(parts.take(5.0)?, "nut");
/// assert_eq!(parts.mean_length(10.0), (1.0 + 2.0 * 3.0 + 2.0) / 10.0);
/// assert_eq!((parts.max_length(10.0), parts.taken()), (3.0, 3));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Store<T> {
    items: VecDeque<T>,
    capacity: Option<usize>,
    length: TimeWeighted,
    puts: u64,
    taken: u64,
    /// Those who wait to take.
    pub takers: Queue,
    /// Those who wait to put.
    pub putters: Queue,
}

impl<T> Store<T> {
    /// An empty store that is never full, from time 0 on. One that begins with items is collected from an iterator.
    #[must_use]
    pub fn new() -> Self {
        [].into_iter().collect()
    }

    /// An empty store that is full with `capacity` items, from time 0 on.
    #[must_use]
    pub fn bounded(capacity: usize) -> Self {
        Store { capacity: Some(capacity), ..Store::new() }
    }

    /// The store from `time` on: for runs that do not begin at time 0.
    #[must_use]
    pub fn since(self, time: f64) -> Self {
        Store {
            length: self.length.since(time),
            takers: self.takers.since(time),
            putters: self.putters.since(time),
            ..self
        }
    }

    /// An item is in the store from `now` on, behind the others.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::Full`] if the store is full.
    /// The item is lost then.
    pub fn put(&mut self, item: T, now: f64) -> Result<(), ResourceError> {
        let now = self.length.check(now)?;
        if let Some(capacity) = self.capacity.filter(|_| self.is_full()) {
            return Err(ResourceError::Full { capacity });
        }
        self.items.push_back(item);
        self.puts += 1;
        self.length.step(self.items.len() as f64, now);
        Ok(())
    }

    /// Takes the item that has been in the store for longest.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NoItem`] if the store is
    /// empty.
    pub fn take(&mut self, now: f64) -> Result<T, ResourceError> {
        self.take_where(|_| true, now)
    }

    /// Takes the item that has been in the store for longest of those that `fits` is true for.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier, [`ResourceError::NoItem`] if there is no such
    /// item.
    pub fn take_where(&mut self, fits: impl FnMut(&T) -> bool, now: f64) -> Result<T, ResourceError> {
        let now = self.length.check(now)?;
        let place = self.items.iter().position(fits).ok_or(ResourceError::NoItem)?;
        let item = self.items.remove(place).ok_or(ResourceError::NoItem)?;
        self.taken += 1;
        self.length.step(self.items.len() as f64, now);
        Ok(item)
    }

    /// Forgets the statistics before `now`, those of the queues too, but no item and nobody who waits: the end of a
    /// warm-up.
    ///
    /// # Errors
    /// [`ResourceError::Time`] if `now` is before a time given earlier.
    pub fn reset(&mut self, now: f64) -> Result<(), ResourceError> {
        let now = self.putters.check(self.takers.check(self.length.check(now)?)?)?;
        self.length.reset(now)?;
        self.takers.reset(now)?;
        self.putters.reset(now)?;
        (self.puts, self.taken) = (0, 0);
        Ok(())
    }

    /// How many items there can be; `None` if there is no bound.
    #[must_use]
    pub fn capacity(&self) -> Option<usize> {
        self.capacity
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no items.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether there can be no more items.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.capacity.is_some_and(|capacity| self.items.len() >= capacity)
    }

    /// The item that is taken next.
    #[must_use]
    pub fn front(&self) -> Option<&T> {
        self.items.front()
    }

    /// The items, in the order in which they were put.
    pub fn iter(&self) -> vec_deque::Iter<'_, T> {
        self.items.iter()
    }

    /// The mean over time of how many items there are, until `now`. NaN if `now` is before a time given earlier.
    #[must_use]
    pub fn mean_length(&self, now: f64) -> f64 {
        self.length.mean(now)
    }

    /// The most items there were until `now`, all at one time and for longer than an instant. NaN if `now` is before a
    /// time given earlier.
    #[must_use]
    pub fn max_length(&self, now: f64) -> f64 {
        self.length.max(now)
    }

    /// The number of items, over time.
    #[must_use]
    pub fn lengths(&self) -> &TimeWeighted {
        &self.length
    }

    /// How many items were put.
    #[must_use]
    pub fn puts(&self) -> u64 {
        self.puts
    }

    /// How many items were taken.
    #[must_use]
    pub fn taken(&self) -> u64 {
        self.taken
    }
}

impl<T> Default for Store<T> {
    fn default() -> Self {
        Store::new()
    }
}

/// A store without a bound that has these items from time 0 on.
impl<T> FromIterator<T> for Store<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items: VecDeque<T> = items.into_iter().collect();
        let length = TimeWeighted::new(items.len() as f64);
        Store { items, capacity: None, length, puts: 0, taken: 0, takers: Queue::new(), putters: Queue::new() }
    }
}

impl<'a, T> IntoIterator for &'a Store<T> {
    type Item = &'a T;
    type IntoIter = vec_deque::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_leave_in_the_order_in_which_they_came() {
        let mut store: Store<u32> = (1..=5).collect();
        assert_eq!((store.take(1.0), store.take_where(|item| item % 2 == 1, 1.0)), (Ok(1), Ok(3)));
        store.put(3, 2.0).unwrap();
        assert_eq!(store.take_where(|&item| item > 9, 2.0), Err(ResourceError::NoItem));
        assert_eq!(store.iter().copied().collect::<Vec<_>>(), [2, 4, 5, 3]);
        assert_eq!((store.front(), store.into_iter().max()), (Some(&2), Some(&5)));
        // 5 for 1, 3 for 1, 4 for 2.
        assert_eq!((store.mean_length(4.0), store.puts(), store.taken()), (4.0, 1, 2));
        assert_eq!((store.max_length(4.0), store.lengths().min(4.0)), (5.0, 3.0));
    }

    #[test]
    fn misuse_is_an_error_and_changes_nothing() {
        let mut store = Store::bounded(1);
        assert_eq!(store.take(0.0), Err(ResourceError::NoItem));
        store.put('a', 2.0).unwrap();
        let before = store.clone();
        assert_eq!(store.put('b', 3.0), Err(ResourceError::Full { capacity: 1 }));
        let past = ResourceError::Time { now: 1.0, last: 2.0 };
        assert_eq!(store.put('b', 1.0), Err(past));
        assert_eq!(store.take(1.0), Err(past));
        assert_eq!(store.reset(1.0), Err(past));
        assert_eq!(store, before);
        assert!(Store::<char>::bounded(0).is_full() && !Store::<char>::default().is_full());
    }

    #[test]
    fn a_reset_in_the_middle_keeps_items_and_who_waits() {
        let mut store = Store::new();
        store.put('a', 1.0).unwrap();
        store.put('b', 2.0).unwrap();
        let (taker, putter) = (store.takers.ask(2.0).unwrap(), store.putters.ask(3.0).unwrap());
        // The latest time of all three counts, and nothing is reset by halves.
        let before = store.clone();
        assert_eq!(store.reset(2.5), Err(ResourceError::Time { now: 2.5, last: 3.0 }));
        assert_eq!(store, before);
        store.reset(4.0).unwrap();
        assert_eq!((store.len(), store.puts(), store.takers.len(), store.putters.len()), (2, 0, 1, 1));
        store.take(6.0).unwrap();
        store.takers.serve(taker, 6.0).unwrap();
        store.putters.renege(putter, 8.0).unwrap();
        assert_eq!((store.mean_length(8.0), store.taken()), (1.5, 1));
        assert_eq!((store.takers.mean_length(8.0), store.putters.mean_length(8.0)), (0.5, 1.0));
    }

    #[test]
    fn a_late_start_counts_from_there() {
        let mut store = Store::bounded(4).since(10.0);
        assert!(store.takers.ask(9.0).is_err() && store.putters.ask(9.0).is_err());
        store.put(1, 11.0).unwrap();
        assert_eq!((store.mean_length(12.0), store.capacity()), (0.5, Some(4)));
    }
}
