//! Relations between index sets: for each row the members of a target set that it is related to.
//!
//! A [`Relation`] is fixed when a run starts; in a [`ChangingRelation`] pairs come and go. Both are
//! stored with their inverse, so that what depends on a member is found as fast as what a row holds.

mod changing;
mod fixed;
#[cfg(test)]
mod tests;

pub use changing::ChangingRelation;
pub use fixed::Relation;

use std::error::Error;
use std::fmt;
use std::iter::{FusedIterator, Zip};
use std::slice;
use std::sync::Arc;

use crate::error::{ErrorKind, Fault};

/// How many pairs a relation may have; rows and members are below this too.
const LIMIT: usize = u32::MAX as usize;

macro_rules! numbers {
    ($($(#[$meta:meta])* $name:ident)*) => { $(
        $(#[$meta])*
        #[derive(Clone)]
        #[must_use = "iterators are lazy"]
        pub struct $name<'a>(slice::Iter<'a, u32>);

        impl<'a> $name<'a> {
            #[inline(always)]
            fn new(numbers: &'a [u32]) -> Self {
                $name(numbers.iter())
            }
        }

        impl Iterator for $name<'_> {
            type Item = usize;

            #[inline(always)]
            fn next(&mut self) -> Option<usize> {
                self.0.next().map(|&number| number as usize)
            }

            #[inline(always)]
            fn size_hint(&self) -> (usize, Option<usize>) {
                self.0.size_hint()
            }

            #[inline(always)]
            fn nth(&mut self, n: usize) -> Option<usize> {
                self.0.nth(n).map(|&number| number as usize)
            }

            #[inline(always)]
            fn fold<B, F: FnMut(B, usize) -> B>(self, first: B, mut f: F) -> B {
                self.0.fold(first, |folded, &number| f(folded, number as usize))
            }
        }

        impl DoubleEndedIterator for $name<'_> {
            #[inline(always)]
            fn next_back(&mut self) -> Option<usize> {
                self.0.next_back().map(|&number| number as usize)
            }
        }

        impl ExactSizeIterator for $name<'_> {}

        impl FusedIterator for $name<'_> {}

        impl fmt::Debug for $name<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($name)).field(&self.0.as_slice()).finish()
            }
        }
    )* };
}

numbers! {
    /// The members of the target set that one row of a relation holds.
    ///
    /// Made by [`Relation::members`] and [`ChangingRelation::members`].
    Members
    /// The rows of a relation that hold one member, ascending: the inverse of the relation.
    ///
    /// Made by [`Relation::sources`] and [`ChangingRelation::sources`].
    Sources
    /// Numbers of pairs.
    #[doc(hidden)]
    Pairs
}

/// The members that one row of a relation holds, each with the value of its pair.
///
/// Made by [`Relation::entries`] and [`ChangingRelation::entries`].
#[derive(Clone)]
#[must_use = "iterators are lazy"]
pub struct Entries<'a, V>(Zip<slice::Iter<'a, u32>, slice::Iter<'a, V>>);

impl<'a, V> Entries<'a, V> {
    #[inline(always)]
    fn new(members: &'a [u32], values: &'a [V]) -> Self {
        Entries(members.iter().zip(values))
    }
}

impl<V: Copy> Iterator for Entries<'_, V> {
    type Item = (usize, V);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, V)> {
        self.0.next().map(|(&member, &value)| (member as usize, value))
    }

    #[inline(always)]
    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }

    #[inline(always)]
    fn nth(&mut self, n: usize) -> Option<(usize, V)> {
        self.0.nth(n).map(|(&member, &value)| (member as usize, value))
    }

    #[inline(always)]
    fn fold<B, F: FnMut(B, (usize, V)) -> B>(self, first: B, mut f: F) -> B {
        self.0.fold(first, |folded, (&member, &value)| f(folded, (member as usize, value)))
    }
}

impl<V: Copy> DoubleEndedIterator for Entries<'_, V> {
    #[inline(always)]
    fn next_back(&mut self) -> Option<(usize, V)> {
        self.0.next_back().map(|(&member, &value)| (member as usize, value))
    }
}

impl<V: Copy> ExactSizeIterator for Entries<'_, V> {}

impl<V: Copy> FusedIterator for Entries<'_, V> {}

impl<V: fmt::Debug> fmt::Debug for Entries<'_, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Entries(")?;
        f.debug_list().entries(self.0.clone()).finish()?;
        f.write_str(")")
    }
}

/// A row while a relation is built.
#[doc(hidden)]
#[derive(Debug)]
pub struct Row<'a, V> {
    members: &'a mut Vec<u32>,
    values: &'a mut Vec<V>,
    /// Where this row begins.
    first: usize,
    targets: usize,
    /// How long `members` may become.
    limit: usize,
}

impl<V> Row<'_, V> {
    /// Adds a member of the target set, with the value of the pair.
    ///
    /// # Errors
    /// If `target` is not in the target set, or the relation would have more pairs than have
    /// numbers (2³² − 1).
    #[inline(always)]
    pub fn push(&mut self, target: usize, value: V) -> Result<(), OutOfSet> {
        if target >= self.targets {
            return Err(OutOfSet::Member { index: target, size: self.targets });
        }
        if target >= LIMIT || self.members.len() >= self.limit {
            return Err(OutOfSet::TooMany);
        }
        self.members.push(target as u32);
        self.values.push(value);
        Ok(())
    }

    /// Puts the members into ascending order; of equal ones the first stays.
    fn settle(&mut self, sorted: &mut Vec<(u32, V)>) {
        if self.members[self.first..].is_sorted_by(|a, b| a < b) {
            return;
        }
        sorted.clear();
        sorted.extend(self.members.drain(self.first..).zip(self.values.drain(self.first..)));
        sorted.sort_by_key(|&(member, _)| member);
        sorted.dedup_by_key(|&mut (member, _)| member);
        for (member, value) in sorted.drain(..) {
            self.members.push(member);
            self.values.push(value);
        }
    }
}

/// Why a pair cannot be in a relation. It does not know the name of the relation.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutOfSet {
    /// A row or a member is outside its set.
    Member {
        /// The row or member.
        index: usize,
        /// Size of its set.
        size: usize,
    },
    /// There are no numbers left for pairs, rows or members.
    TooMany,
}

impl OutOfSet {
    /// The fault of the set or relation called `name`.
    #[cold]
    #[must_use]
    pub fn of(self, name: &'static str) -> Fault {
        Fault::new(match self {
            OutOfSet::Member { index, size } => crate::family::outside(name, index, size),
            OutOfSet::TooMany => ErrorKind::User(Arc::new(TooMany(name))),
        })
    }
}

#[derive(Debug)]
struct TooMany(&'static str);

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "relation `{}` has more than {LIMIT} pairs, rows or members", self.0)
    }
}

impl Error for TooMany {}
