//! The sequence of events.

use std::collections::{VecDeque, vec_deque};
use std::io::{self, Write};

use crate::element;
use crate::error::SimError;
use crate::model::Model;
use crate::observer::Observer;
use crate::simulation::Fired;
use crate::view::View;

/// Keeps what happened and when: all events, or only the last ones.
///
/// `E` is the event type of the model, and is inferred from the simulation that the log is given
/// to.
#[derive(Clone, Debug)]
pub struct EventLog<E> {
    kept: VecDeque<Fired<E>>,
    limit: usize,
    seen: u64,
    /// What an event is called.
    name: Option<fn(E) -> String>,
}

impl<E> EventLog<E> {
    /// Keeps every event.
    #[must_use]
    pub fn new() -> Self {
        Self::last(usize::MAX)
    }

    /// Keeps the last `n` events and forgets earlier ones.
    #[must_use]
    pub fn last(n: usize) -> Self {
        EventLog { kept: VecDeque::new(), limit: n, seen: 0, name: None }
    }

    /// The events that are kept, in the order in which they happened.
    pub fn iter(&self) -> vec_deque::Iter<'_, Fired<E>> {
        self.kept.iter()
    }

    /// How many events are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kept.len()
    }

    /// Whether no event is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// How many events have happened under this log, forgotten ones included.
    #[must_use]
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// Forgets every event; [`seen`](EventLog::seen) goes on counting.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

impl<E: Copy> EventLog<E> {
    /// Writes the kept events as CSV: the header `time,event`, then a row for each event with the
    /// name of its clock, one of a family with its index: `hop[3]`. Times are written so that reading them gives the same number.
    ///
    /// # Errors
    /// What writing to `out` fails with.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "time,event")?;
        if let Some(name) = self.name {
            for fired in &self.kept {
                writeln!(out, "{},{}", fired.time, name(fired.event))?;
            }
        }
        out.flush()
    }
}

impl<E> Default for EventLog<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a, E> IntoIterator for &'a EventLog<E> {
    type Item = &'a Fired<E>;
    type IntoIter = vec_deque::Iter<'a, Fired<E>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<M: Model> Observer<M> for EventLog<M::Event> {
    fn event(&mut self, view: View<'_, M>, event: M::Event) -> Result<(), SimError> {
        self.seen += 1;
        self.name = Some(name::<M>);
        if self.limit == 0 {
            return Ok(());
        }
        if self.kept.len() == self.limit {
            self.kept.pop_front();
        }
        self.kept.push_back(Fired { time: view.now(), event });
        Ok(())
    }
}

fn name<M: Model>(event: M::Event) -> String {
    element::name(M::event_name(event), &M::event_index(event))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::{Sites, Steps};

    #[test]
    fn events_in_order_with_their_times() {
        let mut log = EventLog::new();
        Steps::at([1.0, 2.5, 2.5]).run().run_with(&mut log, 2.5).unwrap();
        assert_eq!(log.iter().map(|fired| fired.time).collect::<Vec<_>>(), [1.0, 2.5, 2.5]);
        let mut csv = Vec::new();
        log.write_csv(&mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "time,event\n1,given\n2.5,given\n2.5,given\n");
    }

    #[test]
    fn only_the_last_events() {
        for (n, times) in [(0, &[][..]), (1, &[4.0]), (3, &[2.0, 3.0, 4.0]), (9, &[1.0, 2.0, 3.0, 4.0])] {
            let mut log = EventLog::last(n);
            Steps::at([1.0, 2.0, 3.0, 4.0]).run().run_with(&mut log, 9.0).unwrap();
            assert_eq!(log.iter().map(|fired| fired.time).collect::<Vec<_>>(), times);
            assert_eq!(log.seen(), 4);
        }
    }

    #[test]
    fn a_log_that_saw_nothing_writes_its_header() {
        let mut log = EventLog::new();
        Steps::at([]).run().run_with(&mut log, 2.5).unwrap();
        let mut csv = Vec::new();
        log.write_csv(&mut csv).unwrap();
        assert_eq!(csv, b"time,event\n");
    }

    #[test]
    fn events_of_families_have_their_index() {
        let mut log = EventLog::new();
        Sites::of(3, 2).run_with(&mut log, 2.0).unwrap();
        let mut csv = Vec::new();
        log.write_csv(&mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "time,event\n1,rise[0]\n2,rise[0]\n2,rise[1]\n");
    }
}
