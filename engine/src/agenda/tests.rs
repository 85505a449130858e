use super::*;
use crate::rng::{Rng, stream, uniform};

/// Kind and priority.
type Rank = (i8, u8);

fn below(rng: &mut Rng, bound: usize) -> usize {
    (uniform(rng) * bound as f64) as usize
}

fn at(time: f64) -> Moment {
    Moment::at(time)
}

/// Payloads in the order in which they come.
fn drain<R: Copy + Ord, P>(agenda: &mut Agenda<R, P>) -> Vec<P> {
    std::iter::from_fn(|| agenda.take_first().map(|(_, payload)| payload)).collect()
}

/// What an agenda should do, in a list that is searched.
#[derive(Clone, Default)]
struct Naive {
    list: Vec<Listed>,
    order: u64,
}

#[derive(Clone, Copy, Debug)]
struct Listed {
    handle: Handle,
    at: Moment,
    rank: Rank,
    order: u64,
    born: u64,
    payload: u64,
}

impl Listed {
    fn precedes(&self, other: &Listed) -> bool {
        let places = (self.rank, self.order) < (other.rank, other.order);
        self.at.before(other.at) || (!other.at.before(self.at) && places)
    }

    fn seen(&self) -> (Handle, Moment, Rank, u64) {
        (self.handle, self.at, self.rank, self.payload)
    }
}

impl Naive {
    fn first(&self) -> Option<Listed> {
        let come = self.list.iter().filter(|listed| listed.at != Moment::NEVER);
        come.copied().reduce(|one, two| if two.precedes(&one) { two } else { one })
    }

    fn get(&mut self, handle: Handle) -> Option<&mut Listed> {
        self.list.iter_mut().find(|listed| listed.handle == handle)
    }

    fn remove(&mut self, handle: Handle) -> Option<Listed> {
        let at = self.list.iter().position(|listed| listed.handle == handle)?;
        Some(self.list.swap_remove(at))
    }
}

/// An agenda and what it should be.
struct Pair {
    agenda: Agenda<Rank, u64>,
    naive: Naive,
    /// All handles that there ever were.
    handles: Vec<Handle>,
}

/// Few different moments, so that ties are common, and one that never comes.
fn some_moment(rng: &mut Rng) -> Moment {
    let (time, low) = (below(rng, 5), [0.0, 0.0, 1e-17, -1e-17][below(rng, 4)]);
    if time == 0 { Moment::NEVER } else { Moment { time: time as f64, low } }
}

impl Pair {
    fn schedule(&mut self, rng: &mut Rng) {
        let at = some_moment(rng);
        let rank = (below(rng, 2) as i8 - 1, below(rng, 2) as u8);
        let order = self.naive.order;
        let handle = self.agenda.schedule(at, rank, order);
        assert!(!self.handles.contains(&handle), "a handle comes twice");
        self.handles.push(handle);
        self.naive.list.push(Listed { handle, at, rank, order, born: order, payload: order });
        self.naive.order += 1;
    }

    fn some_handle(&self, rng: &mut Rng) -> Option<Handle> {
        (!self.handles.is_empty()).then(|| self.handles[below(rng, self.handles.len())])
    }

    fn cancel(&mut self, rng: &mut Rng) {
        if let Some(handle) = self.some_handle(rng) {
            assert_eq!(self.agenda.cancel(handle), self.naive.remove(handle).map(|listed| listed.payload));
        }
    }

    fn reschedule(&mut self, rng: &mut Rng) {
        let Some(handle) = self.some_handle(rng) else { return };
        let at = some_moment(rng);
        let order = self.naive.order;
        let listed = self.naive.get(handle);
        assert_eq!(self.agenda.reschedule(handle, at), listed.is_some());
        if let Some(listed) = listed {
            (listed.at, listed.order) = (at, order);
            self.naive.order += 1;
        }
    }

    fn take(&mut self) -> Option<(Taken<Rank>, Listed)> {
        let expected = self.naive.first();
        let Some((taken, payload)) = self.agenda.take_first() else {
            assert!(expected.is_none());
            return None;
        };
        let found = (taken.handle, taken.moment, taken.rank, payload);
        assert_eq!(Some(found), expected.map(|listed| listed.seen()));
        let listed = self.naive.remove(taken.handle)?;
        assert_eq!(taken.order, listed.order);
        Some((taken, listed))
    }

    /// What happens in a handler.
    fn handle(&mut self, rng: &mut Rng) {
        for _ in 0..below(rng, 4) {
            match below(rng, 6) {
                0..=2 => self.schedule(rng),
                3 => self.cancel(rng),
                4 => self.reschedule(rng),
                _ => self.agenda.settle(),
            }
            self.check();
        }
    }

    /// A handler that fails.
    fn fail(&mut self, rng: &mut Rng) {
        let (mark, order) = (self.agenda.mark(), self.naive.order);
        let Some((taken, listed)) = self.take() else { return };
        self.check();
        self.handle(rng);
        self.agenda.withdraw_since(mark);
        self.naive.list.retain(|listed| listed.born < order);
        self.check();
        self.agenda.put_back(taken, listed.payload);
        self.naive.list.push(listed);
    }

    fn check(&mut self) {
        let (agenda, naive) = (&mut self.agenda, &mut self.naive);
        assert_eq!(agenda.len(), naive.list.len());
        assert_eq!(agenda.is_empty(), naive.list.is_empty());
        let first = naive.first();
        assert_eq!(agenda.next(), first.map_or(Moment::NEVER, |listed| listed.at));
        let found = agenda.first().map(|(handle, at, rank, &payload)| (handle, at, rank, payload));
        assert_eq!(found, first.map(|listed| listed.seen()));
        naive.list.sort_unstable_by_key(|listed| listed.handle.slot());
        let all: Vec<_> = agenda.iter().map(|(handle, at, rank, &payload)| (handle, at, rank, payload)).collect();
        assert_eq!(all, naive.list.iter().map(Listed::seen).collect::<Vec<_>>());
        for &handle in &self.handles {
            let listed = naive.get(handle).copied();
            let found = agenda.get(handle).map(|(at, rank, &payload)| (handle, at, rank, payload));
            assert_eq!(found, listed.map(|listed| listed.seen()));
            assert_eq!(agenda.get_mut(handle).copied(), listed.map(|listed| listed.payload));
        }
    }
}

#[test]
fn it_follows_a_list_that_is_searched() {
    for seed in 0..1500 {
        let mut rng = stream(seed, 0);
        let mut pair = Pair { agenda: Agenda::new(), naive: Naive::default(), handles: Vec::new() };
        // Short runs stay among few slots, where special cases are; longer ones let the tournament grow.
        let steps = if seed % 10 == 0 { 120 } else { 20 };
        for _ in 0..steps {
            match below(&mut rng, 12) {
                0..=3 => pair.schedule(&mut rng),
                4 => pair.cancel(&mut rng),
                5 => pair.reschedule(&mut rng),
                6..=8 => {
                    if pair.take().is_some() {
                        pair.check();
                        pair.handle(&mut rng);
                    }
                }
                9 | 10 => pair.fail(&mut rng),
                _ => {
                    let chosen = |rank: Rank, payload: u64| rank.0 == 0 && payload % 2 == 0;
                    let mut removed = Vec::new();
                    pair.agenda.remove_where(|rank, &payload| chosen(rank, payload), |payload| removed.push(payload));
                    pair.naive.list.sort_unstable_by_key(|listed| listed.handle.slot());
                    let (gone, left) = pair.naive.list.iter().partition(|listed| chosen(listed.rank, listed.payload));
                    pair.naive.list = left;
                    let gone: Vec<Listed> = gone;
                    assert_eq!(removed, gone.iter().map(|listed| listed.payload).collect::<Vec<_>>());
                }
            }
            pair.check();
        }
        while pair.take().is_some() {}
        pair.check();
    }
}

#[test]
fn many_come_in_order() {
    let mut rng = stream(1, 0);
    for times in [10.0, 1e9] {
        let mut agenda = Agenda::new();
        let mut expected = Vec::new();
        for payload in 0..3000_u64 {
            let (time, rank) = ((uniform(&mut rng) * times).floor(), below(&mut rng, 3));
            agenda.schedule(at(time), rank, payload);
            expected.push((time as u64, rank, payload));
        }
        expected.sort_unstable();
        assert_eq!(drain(&mut agenda), expected.iter().map(|&(_, _, payload)| payload).collect::<Vec<_>>());
    }
}

#[test]
fn an_empty_agenda_has_no_first() {
    let mut agenda: Agenda<u8, ()> = Agenda::default();
    assert!(agenda.is_empty());
    assert_eq!(agenda.next(), Moment::NEVER);
    assert!(agenda.first().is_none());
    assert!(agenda.take_first().is_none());
    assert_eq!(agenda.cancel(Handle::new(0, 0)), None);
    assert!(!agenda.reschedule(Handle::new(3, 1), at(1.0)));
    assert!(agenda.get(Handle::new(0, 0)).is_none());
    assert!(agenda.get_mut(Handle::new(0, 0)).is_none());
    assert_eq!(agenda.iter().count(), 0);
}

#[test]
fn the_last_and_the_only_entry_can_be_cancelled() {
    let mut agenda = Agenda::new();
    let only = agenda.schedule(at(1.0), 0, 'a');
    assert_eq!(agenda.cancel(only), Some('a'));
    assert_eq!(agenda.cancel(only), None);
    assert_eq!(agenda.next(), Moment::NEVER);
    let first = agenda.schedule(at(1.0), 0, 'b');
    let last = agenda.schedule(at(2.0), 0, 'c');
    assert_eq!(agenda.cancel(last), Some('c'));
    assert_eq!(agenda.next(), at(1.0));
    assert_eq!(agenda.cancel(first), Some('b'));
    assert_eq!(agenda.next(), Moment::NEVER);
    assert!(agenda.is_empty());
}

#[test]
fn a_handle_is_stale_from_the_moment_its_entry_is_taken() {
    let mut agenda = Agenda::new();
    let handle = agenda.schedule(at(1.0), 0, 'a');
    let (taken, payload) = agenda.take_first().unwrap();
    assert_eq!((taken.handle, payload), (handle, 'a'));
    assert_eq!(agenda.cancel(handle), None);
    assert!(!agenda.reschedule(handle, at(2.0)));
    assert!(agenda.get(handle).is_none());
    // The slot is used again.
    let next = agenda.schedule(at(2.0), 0, 'b');
    assert_eq!(next, Handle::new(handle.slot(), handle.generation() + 1));
    assert_eq!(agenda.cancel(handle), None);
    assert_eq!(agenda.get(next), Some((at(2.0), 0, &'b')));
}

#[test]
fn next_is_right_between_taking_and_scheduling() {
    let mut agenda = Agenda::new();
    for time in [3.0, 1.0, 2.0, 5.0, 4.0] {
        agenda.schedule(Moment { time, low: 1e-17 }, 0, time);
    }
    agenda.take_first();
    assert_eq!(agenda.next(), Moment { time: 2.0, low: 1e-17 });
    assert_eq!(agenda.first().map(|(_, _, _, &payload)| payload), Some(2.0));
    agenda.settle();
    assert_eq!(agenda.next(), Moment { time: 2.0, low: 1e-17 });
    for _ in 0..4 {
        agenda.take_first();
    }
    assert_eq!(agenda.next(), Moment::NEVER);
    agenda.settle();
    assert_eq!(agenda.next(), Moment::NEVER);
}

#[test]
fn what_is_scheduled_anew_for_its_own_moment_takes_its_place_by_rank() {
    let mut agenda = Agenda::new();
    for (rank, payload) in [(2, 'b'), (1, 'a'), (2, 'c'), (3, 'd')] {
        agenda.schedule(at(1.0), rank, payload);
    }
    let (taken, payload) = agenda.take_first().unwrap();
    assert_eq!((taken.rank, payload), (1, 'a'));
    agenda.schedule(at(1.0), 2, 'A');
    assert_eq!(drain(&mut agenda), ['b', 'c', 'A', 'd']);
}

#[test]
fn rescheduling_to_the_same_moment_goes_behind() {
    let mut agenda = Agenda::new();
    let handles: Vec<Handle> = (0..5).map(|payload| agenda.schedule(at(1.0), 0, payload)).collect();
    assert!(agenda.reschedule(handles[0], at(1.0)));
    assert!(agenda.reschedule(handles[3], at(1.0)));
    assert_eq!(drain(&mut agenda), [1, 2, 4, 0, 3]);
}

#[test]
fn what_rounding_took_decides_before_the_rank() {
    let mut agenda = Agenda::new();
    agenda.schedule(Moment { time: 1.0, low: 1e-17 }, 0, 'c');
    agenda.schedule(Moment { time: 1.0, low: -1e-17 }, 9, 'a');
    agenda.schedule(Moment { time: 1.0, low: 0.0 }, 5, 'b');
    assert_eq!(agenda.next(), Moment { time: 1.0, low: -1e-17 });
    assert_eq!(drain(&mut agenda), ['a', 'b', 'c']);
}

#[test]
fn a_zero_with_a_sign_is_a_zero() {
    let mut agenda = Agenda::new();
    agenda.schedule(at(0.0), 0, 'a');
    agenda.schedule(at(-0.0), 0, 'b');
    agenda.schedule(at(0.0), 0, 'c');
    assert_eq!(drain(&mut agenda), ['a', 'b', 'c']);
}

#[test]
fn what_never_comes_is_pending() {
    let mut agenda = Agenda::new();
    let one = agenda.schedule(Moment::NEVER, 0, 'a');
    let other = agenda.schedule(Moment::NEVER, 0, 'b');
    assert_eq!(agenda.len(), 2);
    assert_eq!(agenda.next(), Moment::NEVER);
    assert!(agenda.first().is_none());
    assert!(agenda.take_first().is_none());
    assert_eq!(agenda.get(other), Some((Moment::NEVER, 0, &'b')));
    assert!(agenda.reschedule(other, at(1.0)));
    assert_eq!(drain(&mut agenda), ['b']);
    assert_eq!(agenda.cancel(one), Some('a'));
}

#[test]
fn payloads_can_be_changed() {
    let mut agenda = Agenda::new();
    let handle = agenda.schedule(at(1.0), 0, 1);
    *agenda.get_mut(handle).unwrap() += 1;
    assert_eq!(agenda.get(handle), Some((at(1.0), 0, &2)));
    assert_eq!(drain(&mut agenda), [2]);
}

#[test]
fn what_was_put_back_has_its_handle_and_its_place() {
    let mut agenda = Agenda::new();
    let handles: Vec<Handle> = (0..3).map(|payload| agenda.schedule(at(1.0), 0, payload)).collect();
    let mark = agenda.mark();
    let (taken, payload) = agenda.take_first().unwrap();
    // The first of these takes the slot.
    let withdrawn = [10, 11].map(|payload| agenda.schedule(at(0.5), 0, payload));
    assert_eq!(withdrawn[0].slot(), handles[0].slot());
    assert!(agenda.reschedule(handles[1], at(1.0)));
    agenda.withdraw_since(mark);
    agenda.put_back(taken, payload);
    assert_eq!(agenda.get(handles[0]), Some((at(1.0), 0, &0)));
    assert!(withdrawn.iter().all(|&handle| agenda.get(handle).is_none()));
    assert_eq!(drain(&mut agenda), [0, 2, 1]);
    // The handles of what was withdrawn are not given away again.
    let later: Vec<Handle> = (0..4).map(|payload| agenda.schedule(at(2.0), 0, payload)).collect();
    assert!(later.iter().all(|handle| !withdrawn.contains(handle) && !handles.contains(handle)));
}

#[test]
fn two_that_were_taken_can_be_put_back() {
    let mut agenda = Agenda::new();
    for payload in 0..4 {
        agenda.schedule(at(1.0), 0, payload);
    }
    let (first, one) = agenda.take_first().unwrap();
    let (second, two) = agenda.take_first().unwrap();
    agenda.put_back(first, one);
    assert_eq!(agenda.len(), 3);
    agenda.put_back(second, two);
    assert_eq!(drain(&mut agenda), [0, 1, 2, 3]);
}

#[test]
#[should_panic(expected = "what was scheduled since is withdrawn first")]
fn nothing_is_put_back_in_the_place_of_another() {
    let mut agenda = Agenda::new();
    agenda.schedule(at(1.0), 0, 'a');
    let (taken, payload) = agenda.take_first().unwrap();
    agenda.schedule(at(1.0), 0, 'b');
    agenda.put_back(taken, payload);
}

#[test]
fn a_slot_whose_generations_are_used_up_is_left_alone() {
    let mut agenda = Agenda::new();
    let first = agenda.schedule(at(1.0), 0, 'a');
    agenda.take_first();
    agenda.entries[0].last_generation = u32::MAX - 1;
    let last = agenda.schedule(at(2.0), 0, 'b');
    assert_eq!(last, Handle::new(0, u32::MAX));
    let (taken, payload) = agenda.take_first().unwrap();
    // Open, and retired as soon as it is looked for a slot.
    let next = agenda.schedule(at(1.0), 0, 'c');
    assert_eq!(next, Handle::new(1, 0));
    assert_eq!((agenda.len(), agenda.next()), (1, at(1.0)));
    assert!([first, last].iter().all(|&stale| agenda.get(stale).is_none()));
    agenda.put_back(taken, payload);
    assert_eq!((agenda.len(), agenda.cancel(last)), (2, Some('b')));
    agenda.schedule(at(3.0), 0, 'd');
    assert_eq!((agenda.len(), agenda.retired), (2, 1));
    assert_eq!(agenda.iter().map(|(handle, ..)| handle.slot()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(drain(&mut agenda), ['c', 'd']);
}

#[test]
fn slots_are_as_many_as_were_ever_pending_at_once() {
    let mut agenda = Agenda::new();
    for count in 0..1_000_000 {
        let handle = agenda.schedule(at(f64::from(count)), 0, count);
        assert_eq!(agenda.cancel(handle), Some(count));
    }
    assert_eq!((agenda.entries.len(), agenda.free.len()), (1, 1));
    let handles: Vec<Handle> = (0..1000).map(|payload| agenda.schedule(at(1.0), 0, payload)).collect();
    for _ in 0..100_000 {
        let (taken, payload) = agenda.take_first().unwrap();
        agenda.schedule(taken.moment.after(1.0), 0, payload);
        let timeout = agenda.schedule(taken.moment.after(9.0), 0, payload);
        agenda.cancel(timeout);
    }
    assert_eq!((agenda.len(), agenda.entries.len()), (1000, 1001));
    assert!(handles.iter().all(|&handle| agenda.get(handle).is_none()));
}

#[test]
fn a_clone_goes_its_own_way() {
    let mut agenda = Agenda::new();
    let handles: Vec<Handle> = (0..4).map(|payload| agenda.schedule(at(1.0), 0, payload)).collect();
    agenda.take_first();
    let mut other = agenda.clone();
    assert_eq!(agenda.cancel(handles[1]), Some(1));
    agenda.schedule(at(0.5), 0, 9);
    assert_eq!(other.next(), at(1.0));
    assert_eq!(drain(&mut other), [1, 2, 3]);
    assert_eq!(drain(&mut agenda), [9, 2, 3]);
}

#[test]
fn payloads_are_dropped_once() {
    let counted = std::rc::Rc::new(());
    let mut agenda = Agenda::new();
    let mark = agenda.mark();
    for time in [1.0, 2.0, 3.0, 4.0] {
        agenda.schedule(at(time), 0, counted.clone());
    }
    drop(agenda.take_first());
    assert_eq!(std::rc::Rc::strong_count(&counted), 4);
    agenda.remove_where(|_, _| true, drop);
    assert_eq!(std::rc::Rc::strong_count(&counted), 1);
    agenda.schedule(at(1.0), 0, counted.clone());
    agenda.withdraw_since(mark);
    assert_eq!(std::rc::Rc::strong_count(&counted), 1);
    agenda.schedule(at(1.0), 0, counted.clone());
    drop(agenda);
    assert_eq!(std::rc::Rc::strong_count(&counted), 1);
}

#[test]
fn it_shows_what_is_pending() {
    let mut agenda = Agenda::new();
    agenda.schedule(at(1.0), 7, "a");
    let shown = "[(Handle { slot: 0, generation: 0 }, Moment { time: 1.0, low: 0.0 }, 7, \"a\")]";
    assert_eq!(format!("{agenda:?}"), shown);
}
