//! What a piece of code touches.

use std::collections::BTreeMap;

use proc_macro2::Span;

/// Places read and written, and the other things that code may use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Access {
    /// By place: whether it is written. An ordered map, so that output is repeatable.
    places: BTreeMap<usize, bool>,
    /// Constants used, by their number among the constants.
    pub constants: std::collections::BTreeSet<usize>,
    /// Whether a constant is read, which stands for params.
    pub constant: bool,
    pub now: Option<Span>,
    pub rng: Option<Span>,
    /// Whether a closure may raise the flag.
    pub flag: bool,
}

impl Access {
    /// Notes a read or write.
    pub(super) fn touch(&mut self, place: usize, write: bool) {
        *self.places.entry(place).or_default() |= write;
    }

    /// Everything `other` touches, too.
    pub(super) fn merge(&mut self, other: &Access) {
        for (&place, &write) in &other.places {
            self.touch(place, write);
        }
        self.constants.extend(&other.constants);
        self.constant |= other.constant;
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
}
