//! What a piece of code touches.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::Span;

use super::forms::Form;

/// Places read and written, and the other things that code may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// By place: whether it is written. An ordered map, so that output is repeatable.
    places: BTreeMap<usize, bool>,
    /// Elements of families that are touched, each once.
    pub elements: Vec<Element>,
    /// Families that are touched as a whole, and whether they are written.
    pub whole: BTreeSet<(usize, bool)>,
    /// Families of which elements are read whose index is known at run time only; each read is noted.
    pub traced: BTreeSet<usize>,
    /// Families of which elements are written whose index is known at run time only; each write is noted.
    pub logged: BTreeSet<usize>,
    /// Index sets used.
    pub sets: BTreeSet<usize>,
    /// Relations used that do not change.
    pub relations: BTreeSet<usize>,
    /// Whether the number of the pair is used that the item's indices stand for.
    pub pair: bool,
    /// Constants used, by their number among the constants.
    pub constants: BTreeSet<usize>,
    /// Whether a constant is read, which stands for params.
    pub constant: bool,
    pub now: Option<Span>,
    pub rng: Option<Span>,
    /// Whether a closure may raise the flag.
    pub flag: bool,
    /// Whether what is scheduled is looked at, and whether it is changed.
    pub schedule: Option<bool>,
    /// The greatest number of parts of a priority in it.
    pub parts: usize,
}

/// An element of a family: of a state one for each axis, of a changing relation its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub place: usize,
    pub forms: Vec<Form>,
    pub write: bool,
    /// Of a changing relation: whether it is a row of the inverse.
    pub inverse: bool,
}

/// What a function over some access takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Need {
    Place { place: usize, write: bool },
    Constant(usize),
    Set(usize),
    Relation(usize),
    Pair,
    Trace(usize),
    Log(usize),
    Schedule { write: bool },
    Now,
    Rng,
}

impl Access {
    /// Notes a read or write.
    pub(super) fn touch(&mut self, place: usize, write: bool) {
        *self.places.entry(place).or_default() |= write;
    }

    /// Notes that what is scheduled of an item is looked at or changed; `place` stands for it.
    pub(super) fn touch_scheduled(&mut self, place: usize, write: bool) {
        self.touch(place, write);
        *self.schedule.get_or_insert(false) |= write;
    }

    /// Notes an element of a family.
    pub(super) fn touch_element(&mut self, element: Element) {
        if !self.elements.contains(&element) {
            self.elements.push(element);
        }
    }

    /// Everything `other` touches, too. What its elements are is for the caller to say.
    pub(super) fn merge(&mut self, other: &Access) {
        for (&place, &write) in &other.places {
            self.touch(place, write);
        }
        self.whole.extend(&other.whole);
        self.traced.extend(&other.traced);
        self.logged.extend(&other.logged);
        self.sets.extend(&other.sets);
        self.relations.extend(&other.relations);
        self.constants.extend(&other.constants);
        self.constant |= other.constant;
        self.parts = self.parts.max(other.parts);
        if let Some(write) = other.schedule {
            *self.schedule.get_or_insert(false) |= write;
        }
        self.now = self.now.or(other.now);
        self.rng = self.rng.or(other.rng);
    }

    /// Places touched, in order of declaration.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.places.keys().copied()
    }

    /// Places touched and whether each is written.
    pub(crate) fn modes(&self) -> impl Iterator<Item = (usize, bool)> + '_ {
        self.places.iter().map(|(&place, &write)| (place, write))
    }

    /// Places written.
    pub(crate) fn written(&self) -> impl Iterator<Item = usize> + '_ {
        self.modes().filter(|&(_, write)| write).map(|(place, _)| place)
    }

    /// Whether `place` is written.
    pub(crate) fn writes(&self, place: usize) -> bool {
        self.places.get(&place).copied().unwrap_or(false)
    }

    /// What a function over this takes, in order.
    pub(crate) fn needs(&self) -> Vec<Need> {
        let mut needs: Vec<Need> = self.modes().map(|(place, write)| Need::Place { place, write }).collect();
        needs.extend(self.constants.iter().map(|&number| Need::Constant(number)));
        needs.extend(self.sets.iter().map(|&set| Need::Set(set)));
        needs.extend(self.relations.iter().map(|&relation| Need::Relation(relation)));
        needs.extend(self.pair.then_some(Need::Pair));
        needs.extend(self.traced.iter().map(|&place| Need::Trace(place)));
        needs.extend(self.logged.iter().map(|&place| Need::Log(place)));
        needs.extend(self.schedule.map(|write| Need::Schedule { write }));
        needs.extend(self.now.map(|_| Need::Now));
        needs.extend(self.rng.map(|_| Need::Rng));
        needs
    }
}
