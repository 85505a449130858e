//! What generated code does with families: finds elements, and keeps note of what was read and
//! written.
//!
//! Numbers of members are `u32` inside; a family has at most 2³² − 1 of them.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::error::{ErrorKind, Fault};

/// The error of an index that is not below `size`.
#[cold]
#[must_use]
pub fn outside(name: &'static str, index: usize, size: usize) -> ErrorKind {
    // An index below 0 has wrapped around.
    ErrorKind::Index { name, index: index as i64, size }
}

#[cold]
fn fault(name: &'static str, index: usize, size: usize) -> Fault {
    Fault::new(outside(name, index, size))
}

/// The element `index` of a family called `name`.
///
/// # Errors
/// If there is no such element.
#[inline(always)]
pub fn at<'a, T>(slice: &'a [T], index: usize, name: &'static str) -> Result<&'a T, Fault> {
    match slice.get(index) {
        Some(element) => Ok(element),
        None => Err(fault(name, index, slice.len())),
    }
}

/// The number of an element of a family called `name` over a product of sets; the last index runs
/// fastest.
///
/// # Errors
/// If an index is not below its size.
#[inline(always)]
pub fn linear<const D: usize>(indices: [usize; D], sizes: [usize; D], name: &'static str) -> Result<usize, Fault> {
    let mut number = 0;
    for axis in 0..D {
        if indices[axis] >= sizes[axis] {
            return Err(fault(name, indices[axis], sizes[axis]));
        }
        number = number * sizes[axis] + indices[axis];
    }
    Ok(number)
}

/// Which members of a family wait for a refresh in this event, each once.
#[derive(Clone, Debug)]
pub struct Marks {
    /// The epoch in which each member was marked last.
    stamps: Vec<u32>,
    /// Never 0.
    epoch: u32,
    list: Vec<u32>,
    /// Whether what is listed has been stamped: a short list is looked through instead.
    stamped: bool,
}

/// Up to this many listed members nobody looks at stamps, which lie far apart in memory.
const SHORT: usize = 16;

impl Marks {
    /// No member of `members` is marked.
    #[must_use]
    pub fn new(members: usize) -> Self {
        Marks { stamps: vec![0; members], epoch: 1, list: Vec::with_capacity(members), stamped: false }
    }

    /// A new event: forgets all.
    #[inline]
    pub fn begin(&mut self) {
        self.list.clear();
        self.stamped = false;
        match self.epoch.checked_add(1) {
            Some(epoch) => self.epoch = epoch,
            None => self.wrap(),
        }
    }

    #[cold]
    fn wrap(&mut self) {
        self.stamps.fill(0);
        self.epoch = 1;
    }

    /// Whether this is the first time for `member` since the event began. Does not list it.
    #[inline]
    pub fn first(&mut self, member: usize) -> bool {
        let stamp = &mut self.stamps[member];
        std::mem::replace(stamp, self.epoch) != self.epoch
    }

    /// Lists `member`, unless it is there. In one event a clock's members are listed, or asked for by
    /// [`first`](Marks::first), and not both.
    #[inline]
    pub fn mark(&mut self, member: usize) {
        let listed = member as u32;
        if self.list.len() < SHORT {
            if !self.list.contains(&listed) {
                self.list.push(listed);
            }
            return;
        }
        if !self.stamped {
            self.stamp();
        }
        if self.first(member) {
            self.list.push(listed);
        }
    }

    /// The list has become long.
    #[cold]
    fn stamp(&mut self) {
        for &member in &self.list {
            self.stamps[member as usize] = self.epoch;
        }
        self.stamped = true;
    }

    /// Puts the list into ascending order.
    #[inline]
    pub fn sort(&mut self) {
        self.list.sort_unstable();
    }

    /// The `i`-th member of the list.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize) -> Option<usize> {
        self.list.get(i).map(|&member| member as usize)
    }

    /// How many members are listed.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether no member is listed.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The family has `members` members now, or had more before.
    pub fn grow(&mut self, members: usize) {
        if members > self.stamps.len() {
            self.stamps.resize(members, 0);
            self.list.reserve(members - self.list.len());
        }
    }
}

/// Notes elements of a family while an expression is evaluated, through a shared reference.
#[derive(Clone, Debug, Default)]
pub struct Trace(RefCell<Vec<u32>>);

impl Trace {
    /// Nothing noted.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes an element; twice in a row counts as once.
    #[inline]
    pub fn note(&self, element: usize) {
        let noted = &mut *self.0.borrow_mut();
        let element = element as u32;
        if noted.last() != Some(&element) {
            noted.push(element);
        }
    }

    /// Whether nothing is noted.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.borrow().is_empty()
    }

    /// Forgets all.
    #[inline]
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }
}

/// What clocks read at indices known only at run time: for each clock of one family the elements of
/// one state family that it read at its last evaluation, and the inverse.
#[derive(Clone, Debug)]
pub struct Readers {
    /// For each clock what it read, in the order in which it did, each element once.
    clocks: Vec<Vec<Read>>,
    elements: Vec<Element>,
    epoch: u32,
    /// What a clock reads, while it is recorded.
    next: Vec<Read>,
    /// A buffer for a [`Trace`].
    spare: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Read {
    element: u32,
    /// Where the clock stands among the element's readers.
    place: u32,
}

#[derive(Clone, Debug, Default)]
struct Element {
    readers: Vec<u32>,
    /// For each reader, which of its reads this is.
    reads: Vec<u32>,
    /// The epoch in which it was noted last, and as which read.
    stamp: (u32, u32),
}

/// The place of a reader that has none yet.
const NOWHERE: u32 = u32::MAX;

impl Readers {
    /// `clocks` clocks that have read none of `elements` elements.
    #[must_use]
    pub fn new(clocks: usize, elements: usize) -> Self {
        Readers {
            clocks: vec![Vec::new(); clocks],
            elements: vec![Element::default(); elements],
            epoch: 0,
            next: Vec::new(),
            spare: Vec::new(),
        }
    }

    /// A trace for one evaluation. [`record`](Self::record) takes its memory back.
    #[inline]
    #[must_use]
    pub fn trace(&mut self) -> Trace {
        self.spare.clear();
        Trace(RefCell::new(std::mem::take(&mut self.spare)))
    }

    /// Replaces what `clock` read by the elements noted in `trace`, and clears the trace. Elements
    /// outside the family are passed over: to read one is an error.
    #[inline]
    pub fn record(&mut self, clock: usize, trace: &Trace) {
        let noted = &mut *trace.0.borrow_mut();
        let old = &self.clocks[clock];
        let same = old.len() == noted.len() && old.iter().zip(&*noted).all(|(read, &element)| read.element == element);
        if !same {
            self.replace(clock, noted);
        }
        noted.clear();
        if self.spare.capacity() == 0 {
            self.spare = std::mem::take(noted);
        }
    }

    /// Takes back a trace of which nothing is to be recorded.
    #[inline]
    pub fn give_back(&mut self, trace: Trace) {
        self.spare = trace.0.into_inner();
    }

    fn replace(&mut self, clock: usize, noted: &[u32]) {
        self.epoch = self.epoch.checked_add(1).unwrap_or_else(|| {
            for element in &mut self.elements {
                element.stamp = (0, 0);
            }
            1
        });
        self.next.clear();
        for &number in noted {
            let Some(element) = self.elements.get_mut(number as usize) else { continue };
            if element.stamp.0 != self.epoch {
                element.stamp = (self.epoch, self.next.len() as u32);
                self.next.push(Read { element: number, place: NOWHERE });
            }
        }
        for i in 0..self.clocks[clock].len() {
            let Read { element: number, place } = self.clocks[clock][i];
            let element = &mut self.elements[number as usize];
            if element.stamp.0 == self.epoch {
                self.next[element.stamp.1 as usize].place = place;
                element.reads[place as usize] = element.stamp.1;
            } else {
                element.readers.swap_remove(place as usize);
                element.reads.swap_remove(place as usize);
                if let Some(&moved) = element.readers.get(place as usize) {
                    let read = element.reads[place as usize];
                    self.clocks[moved as usize][read as usize].place = place;
                }
            }
        }
        for (i, read) in self.next.iter_mut().enumerate() {
            if read.place == NOWHERE {
                let element = &mut self.elements[read.element as usize];
                read.place = element.readers.len() as u32;
                element.readers.push(clock as u32);
                element.reads.push(i as u32);
            }
        }
        std::mem::swap(&mut self.clocks[clock], &mut self.next);
    }

    /// The clocks that read `element` at their last evaluation, in no particular order.
    #[inline]
    #[must_use]
    pub fn readers(&self, element: usize) -> &[u32] {
        self.elements.get(element).map_or(&[], |element| &element.readers)
    }

    /// There are `clocks` clocks now, or were more before.
    pub fn grow_clocks(&mut self, clocks: usize) {
        if clocks > self.clocks.len() {
            self.clocks.resize(clocks, Vec::new());
        }
    }

    /// There are `elements` elements now, or were more before.
    pub fn grow_elements(&mut self, elements: usize) {
        if elements > self.elements.len() {
            self.elements.resize(elements, Element::default());
        }
    }
}

/// Elements of a family that an action has written at indices known only at run time, with their
/// old values.
#[derive(Clone, Debug)]
pub struct Log<T> {
    indices: Vec<u32>,
    /// The old value for each of `indices`, or none at all.
    saved: Vec<T>,
}

impl<T> Log<T> {
    /// Nothing noted.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    pub fn new() -> Self {
        Log { indices: Vec::new(), saved: Vec::new() }
    }

    /// Forgets all.
    #[inline]
    pub fn clear(&mut self) {
        self.indices.clear();
        self.saved.clear();
    }

    /// Notes an index, and no value.
    #[inline]
    pub fn note(&mut self, index: usize) {
        self.indices.push(index as u32);
    }

    /// Notes an index and the value that the element had.
    #[inline]
    pub fn save(&mut self, index: usize, old: T) {
        self.indices.push(index as u32);
        self.saved.push(old);
    }

    /// Puts the saved values back into a family, from the last to the first, if each index has one.
    /// The indices stay noted.
    pub fn restore(&mut self, into: &mut [T]) {
        if self.saved.len() == self.indices.len() {
            for (&index, old) in self.indices.iter().zip(self.saved.drain(..)).rev() {
                if let Some(element) = into.get_mut(index as usize) {
                    *element = old;
                }
            }
        }
    }

    /// How many times elements were noted.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.indices.len()
    }

    /// Whether nothing is noted.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The `i`-th index that was noted.
    #[inline]
    #[must_use]
    pub fn get(&self, i: usize) -> Option<usize> {
        self.indices.get(i).map(|&index| index as usize)
    }

    /// The indices, in the order in which they were noted; one may come several times.
    #[inline]
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The values that were saved.
    #[inline]
    #[must_use]
    pub fn values(&self) -> &[T] {
        &self.saved
    }
}

/// Notes the elements of a family that an action writes, to put them back if the action fails.
#[derive(Debug)]
pub struct Noted<T>(PhantomData<fn() -> T>);

/// The [`Noted`] of a family.
#[inline(always)]
#[must_use]
pub fn noted<T>(_family: &[T]) -> Noted<T> {
    Noted(PhantomData)
}

/// For types that are `Copy`.
pub trait NoteCopy<T: Copy> {
    /// Notes an element before it is written, with its value. One that does not exist is passed over.
    #[inline(always)]
    fn __cr_note(&self, log: &mut Log<T>, index: usize, slice: &[T]) {
        if let Some(&old) = slice.get(index) {
            log.save(index, old);
        }
    }

    /// Puts the values back.
    #[inline(always)]
    fn __cr_undo(&self, log: &mut Log<T>, slice: &mut [T]) {
        log.restore(slice);
    }
}

impl<T: Copy> NoteCopy<T> for Noted<T> {}

/// For all others.
pub trait NoteNothing<T> {
    /// Notes an element before it is written. One that does not exist is passed over.
    #[inline(always)]
    fn __cr_note(&self, log: &mut Log<T>, index: usize, slice: &[T]) {
        if index < slice.len() {
            log.note(index);
        }
    }

    /// Does nothing.
    #[inline(always)]
    fn __cr_undo(&self, _log: &mut Log<T>, _slice: &mut [T]) {}
}

impl<T> NoteNothing<T> for &Noted<T> {}

/// Notes an element before it is written, with a clone of its value. One that does not exist is
/// passed over.
#[inline]
pub fn note_clone<T: Clone>(log: &mut Log<T>, index: usize, slice: &[T]) {
    if let Some(old) = slice.get(index) {
        log.save(index, old.clone());
    }
}

/// Puts the values that [`note_clone`] kept back.
#[inline]
pub fn undo_clone<T: Clone>(log: &mut Log<T>, slice: &mut [T]) {
    log.restore(slice);
}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the reference is what the lookup is about")]
mod tests {
    use super::*;
    use crate::rng::{Rng, stream, uniform};
    use std::collections::BTreeSet;

    fn below(n: usize, rng: &mut Rng) -> usize {
        (uniform(rng) * n as f64) as usize
    }

    #[test]
    fn elements_are_found_or_named() {
        let family = [10, 11, 12];
        let text = |fault: Fault| fault.at(1.5, "spread", &[4, 0]).to_string();
        assert_eq!(at(&family, 2, "u").unwrap(), &12);
        assert_eq!(
            text(at(&family, 3, "u").unwrap_err()),
            "`spread[4][0]` at t = 1.5: index 3 is outside `u`, whose indices are 0..3"
        );
        let below = 0_usize.wrapping_sub(1);
        assert!(text(at(&family, below, "u").unwrap_err()).contains("index -1 is outside"));
        assert!(text(at::<u8>(&[], 0, "u").unwrap_err()).ends_with("0..0"));
    }

    #[test]
    fn products_are_numbered_row_by_row() {
        let numbers = (0..2).flat_map(|i| (0..3).map(move |j| linear([i, j], [2, 3], "u").unwrap()));
        assert!(numbers.eq(0..6));
        let numbers = (0..24).map(|n| linear([n / 12, n / 4 % 3, n % 4], [2, 3, 4], "u").unwrap());
        assert!(numbers.eq(0..24));
        assert_eq!(linear([], [], "u").unwrap(), 0);
        // Each axis by itself: 1 · 3 + 3 would be an element.
        let text = |result: Result<usize, Fault>| result.unwrap_err().at(0.0, "c", &[]).to_string();
        assert!(text(linear([0, 3], [3, 3], "u")).ends_with("index 3 is outside `u`, whose indices are 0..3"));
        assert!(text(linear([2, 0], [2, 3], "u")).ends_with("index 2 is outside `u`, whose indices are 0..2"));
        assert!(linear([usize::MAX, usize::MAX], [2, 2], "u").is_err());
    }

    #[test]
    fn marks_list_each_member_once() {
        let mut marks = Marks::new(5);
        assert!(marks.is_empty());
        for member in [3, 1, 3, 4, 1] {
            marks.mark(member);
        }
        assert_eq!((marks.get(0), marks.get(2), marks.get(3)), (Some(3), Some(4), None));
        marks.sort();
        assert_eq!((0..marks.len()).map_while(|i| marks.get(i)).collect::<Vec<_>>(), [1, 3, 4]);
        marks.begin();
        assert_eq!(marks.len(), 0);
        assert!(marks.first(0) && !marks.first(0) && marks.first(1));
        marks.grow(7);
        marks.grow(2);
        assert!(!marks.first(0) && marks.first(6) && !marks.first(6));
    }

    #[test]
    fn a_list_that_becomes_long_has_each_member_once() {
        for many in [SHORT - 1, SHORT, SHORT + 1, 3 * SHORT] {
            let mut marks = Marks::new(many);
            for _ in 0..2 {
                marks.begin();
                (0..2 * many).for_each(|k| marks.mark((7 * k) % many));
                marks.sort();
                let listed: Vec<usize> = (0..marks.len()).map_while(|i| marks.get(i)).collect();
                assert!(listed.windows(2).all(|two| two[0] < two[1]), "{listed:?}");
                assert_eq!(listed.len(), (0..many).filter(|k| listed.contains(k)).count());
                assert_eq!(listed.len(), if many % 7 == 0 { many / 7 } else { many });
            }
        }
    }

    #[test]
    fn marks_survive_the_end_of_the_epochs() {
        let mut marks = Marks::new(3);
        marks.mark(0);
        marks.epoch = u32::MAX - 2;
        for _ in 0..6 {
            marks.begin();
            assert!(marks.first(1) && marks.first(2));
            assert!(!marks.first(1));
        }
        assert!(marks.epoch < 10);
        // Marked in an epoch of the same number, one turn ago.
        let mut marks = Marks::new(2);
        marks.begin();
        marks.mark(0);
        let epoch = marks.epoch;
        marks.epoch = u32::MAX;
        marks.begin();
        while marks.epoch < epoch {
            marks.begin();
        }
        assert!(marks.first(0) && marks.first(1));
    }

    #[test]
    fn readers_are_the_inverse_of_what_was_read() {
        let mut rng = stream(1, 0);
        for (clocks, elements, longest) in [(1, 1, 3), (10, 4, 6), (30, 100, 3), (5, 20, 40)] {
            let mut readers = Readers::new(clocks, elements);
            let mut naive = vec![BTreeSet::new(); clocks];
            let kept = Trace::new();
            // Some way into it, the epochs end.
            readers.epoch = u32::MAX - 300;
            for step in 0..2000 {
                let clock = below(clocks, &mut rng);
                let own = readers.trace();
                let trace = if step % 2 == 0 { &kept } else { &own };
                assert!(trace.is_empty());
                if uniform(&mut rng) < 0.2 {
                    // The same once more.
                    naive[clock].iter().for_each(|&element| trace.note(element));
                } else {
                    naive[clock].clear();
                    for _ in 0..below(longest + 1, &mut rng) {
                        let element = below(elements, &mut rng);
                        trace.note(element);
                        naive[clock].insert(element);
                    }
                }
                readers.record(clock, trace);
                assert!(trace.is_empty());
                for element in 0..elements {
                    let mut found = readers.readers(element).to_vec();
                    found.sort_unstable();
                    let expected = (0..clocks).filter(|&clock| naive[clock].contains(&element));
                    assert!(expected.eq(found.iter().map(|&clock| clock as usize)), "{element} after {step}");
                }
            }
            assert!(readers.epoch < u32::MAX - 300);
        }
    }

    #[test]
    fn readers_grow_and_pass_over_what_is_not_there() {
        let mut readers = Readers::new(1, 1);
        let trace = readers.trace();
        for element in [5, 0, 1] {
            trace.note(element);
        }
        readers.record(0, &trace);
        assert_eq!(readers.readers(0), [0]);
        assert!(readers.readers(1).is_empty());
        readers.grow_clocks(3);
        readers.grow_elements(2);
        trace.note(1);
        readers.record(2, &trace);
        assert_eq!((readers.readers(0), readers.readers(1)), (&[0][..], &[2][..]));
        readers.record(2, &trace);
        assert!(readers.readers(1).is_empty());
    }

    #[test]
    fn a_trace_is_made_of_the_memory_of_the_last() {
        let mut readers = Readers::new(1, 10);
        for _ in 0..3 {
            let trace = readers.trace();
            (0..10).for_each(|element| trace.note(element));
            readers.record(0, &trace);
            assert!(readers.spare.capacity() >= 10);
        }
        let kept = Trace::new();
        for _ in 0..3 {
            (0..10).for_each(|element| kept.note(element));
            readers.record(0, &kept);
        }
        assert!(kept.0.borrow().capacity() >= 10 && readers.spare.capacity() >= 10);
    }

    #[test]
    fn what_was_written_is_put_back() {
        let mut family = [1, 2, 3];
        let mut log = Log::new();
        for (index, value) in [(0, 10), (2, 30), (0, 100)] {
            (&noted(&family)).__cr_note(&mut log, index, &family);
            family[index] = value;
        }
        (&noted(&family)).__cr_note(&mut log, 3, &family);
        assert_eq!(log.indices(), [0, 2, 0]);
        (&noted(&family)).__cr_undo(&mut log, &mut family);
        assert_eq!(family, [1, 2, 3]);
        assert_eq!((log.len(), log.get(1), log.get(3)), (3, Some(2), None));
        family[0] = 5;
        (&noted(&family)).__cr_undo(&mut log, &mut family);
        assert_eq!(family[0], 5);
        log.clear();
        assert!(log.is_empty());
    }

    #[test]
    fn other_types_are_only_noted_or_cloned() {
        let mut family = vec![String::from("a"), String::from("b")];
        let mut log = Log::new();
        (&noted(&family)).__cr_note(&mut log, 1, &family);
        (&noted(&family)).__cr_note(&mut log, 2, &family);
        family[1].push('x');
        (&noted(&family)).__cr_undo(&mut log, &mut family);
        assert_eq!((log.indices(), family[1].as_str()), (&[1][..], "bx"));

        log.clear();
        for text in ["c", "d"] {
            note_clone(&mut log, 1, &family);
            family[1] = text.to_owned();
        }
        note_clone(&mut log, 2, &family);
        undo_clone(&mut log, &mut family);
        assert_eq!((log.indices(), family[1].as_str()), (&[1, 1][..], "bx"));
    }
}
