//! How generated code reaches elements of families, and pairs and rows of relations.
//!
//! What fails gives a [`Fault`]; in a closure, where an early return would leave the wrong function, the
//! version with a [`Flag`] goes on with something harmless and the body fails when it ends.

use crate::arith::Flag;
use crate::error::{ErrorKind, Fault};
use crate::family::Log;
use crate::relation::ChangingRelation;

pub use crate::family::{at, linear};

/// An index must be a `usize`; this is where a wrong type is told.
#[inline(always)]
#[must_use]
pub fn index(index: usize) -> usize {
    index
}

#[cold]
fn fault(name: &'static str, index: usize, size: usize) -> Fault {
    Fault::new(crate::family::outside(name, index, size))
}

#[cold]
fn nothing_there(name: &'static str) -> ! {
    panic!("`{name}` has no members, and one of them is used in a closure")
}

/// The element, or the first one.
#[inline(always)]
pub fn at_or<'a, T>(slice: &'a [T], index: usize, name: &'static str, flag: &Flag) -> &'a T {
    at(slice, index, name).unwrap_or_else(|fault| {
        flag.raise(fault);
        slice.first().unwrap_or_else(|| nothing_there(name))
    })
}

/// The index, if there is such an element.
///
/// # Errors
/// If there is none.
#[inline(always)]
pub fn check<T>(slice: &[T], index: usize, name: &'static str) -> Result<usize, Fault> {
    member(index, slice.len(), name)
}

/// The index, or 0.
#[inline(always)]
pub fn check_or<T>(slice: &[T], index: usize, name: &'static str, flag: &Flag) -> usize {
    if slice.is_empty() {
        nothing_there(name);
    }
    member_or(index, slice.len(), name, flag)
}

/// The index, if it is one of a set of this size.
///
/// # Errors
/// If it is not.
#[inline(always)]
pub fn member(index: usize, size: usize, name: &'static str) -> Result<usize, Fault> {
    if index < size { Ok(index) } else { Err(fault(name, index, size)) }
}

/// The index, or 0.
#[inline(always)]
pub fn member_or(index: usize, size: usize, name: &'static str, flag: &Flag) -> usize {
    member(index, size, name).unwrap_or_else(|fault| {
        flag.raise(fault);
        0
    })
}

/// An index around a set of this size. What is below 0 has wrapped around `usize` before.
#[inline(always)]
#[must_use]
pub fn wrap(index: usize, size: usize) -> usize {
    if index < size {
        index
    } else if index.wrapping_sub(size) < size {
        index - size
    } else if index.wrapping_add(size) < size {
        index.wrapping_add(size)
    } else {
        far(index, size)
    }
}

/// The same when a division is needed. Around an empty set every index is outside.
#[cold]
fn far(index: usize, size: usize) -> usize {
    if size == 0 { index } else { (index as isize as i128).rem_euclid(size as i128) as usize }
}

/// The number of an element of a product of sets, or 0.
#[inline(always)]
pub fn linear_or<const D: usize>(indices: [usize; D], sizes: [usize; D], name: &'static str, flag: &Flag) -> usize {
    linear(indices, sizes, name).unwrap_or_else(|fault| {
        flag.raise(fault);
        0
    })
}

/// The number of an element of a product of sets; `None` if there is none.
#[inline(always)]
#[must_use]
pub fn linear_of<const D: usize>(indices: [usize; D], sizes: [usize; D]) -> Option<usize> {
    let mut number = 0;
    for axis in 0..D {
        if indices[axis] >= sizes[axis] {
            return None;
        }
        number = number * sizes[axis] + indices[axis];
    }
    Some(number)
}

/// The indices of an element of a product of sets.
#[inline(always)]
#[must_use]
pub fn indices<const D: usize>(mut number: usize, sizes: [usize; D]) -> [usize; D] {
    let mut indices = [0; D];
    for axis in (1..D).rev() {
        // Numbers of members are below 2³², and a division of those is much cheaper.
        let (whole, size) = (number as u32, sizes[axis] as u32);
        indices[axis] = (whole % size) as usize;
        number = (whole / size) as usize;
    }
    if D > 0 {
        indices[0] = number;
    }
    indices
}

/// The number of members of a product of sets.
///
/// # Errors
/// If it is 2³² − 1 or more.
pub fn size(sizes: &[usize], name: &'static str) -> Result<usize, Fault> {
    let size = sizes.iter().try_fold(1_usize, |product, &size| product.checked_mul(size));
    match size {
        Some(size) if size < u32::MAX as usize => Ok(size),
        _ => Err(Fault::new(ErrorKind::Size { name, sizes: sizes.to_vec() })),
    }
}

/// A pair that was looked for.
///
/// # Errors
/// If it was not found.
#[inline(always)]
pub fn pair(found: Option<usize>, row: usize, member: usize, name: &'static str) -> Result<usize, Fault> {
    found.ok_or_else(|| no_pair(row, member, name))
}

/// A pair that was looked for, or the first one.
#[inline(always)]
pub fn pair_or(found: Option<usize>, row: usize, member: usize, name: &'static str, flag: &Flag) -> usize {
    pair(found, row, member, name).unwrap_or_else(|fault| {
        flag.raise(fault);
        0
    })
}

#[cold]
fn no_pair(row: usize, member: usize, name: &'static str) -> Fault {
    Fault::new(ErrorKind::Pair { name, row, member })
}

/// What can stand for a member in the expression of a relation.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a member of an index set",
    label = "a relation gives an iterator of `usize`, or of pairs of a `usize` and a value if it has values"
)]
pub trait Member<V> {
    /// The member, and the value of the pair.
    fn member(self) -> (usize, V);
}

impl Member<()> for usize {
    #[inline(always)]
    fn member(self) -> (usize, ()) {
        (self, ())
    }
}

impl Member<()> for &usize {
    #[inline(always)]
    fn member(self) -> (usize, ()) {
        (*self, ())
    }
}

impl<V> Member<V> for (usize, V) {
    #[inline(always)]
    fn member(self) -> (usize, V) {
        self
    }
}

impl<V: Copy> Member<V> for &(usize, V) {
    #[inline(always)]
    fn member(self) -> (usize, V) {
        *self
    }
}

/// A pair of a changing relation that has come or gone.
#[derive(Clone, Copy, Debug)]
pub struct Change<V> {
    /// Number of the pair.
    pub pair: usize,
    /// Its row.
    pub row: usize,
    /// Its member.
    pub member: usize,
    /// Whether it has come.
    pub inserted: bool,
    value: V,
}

/// Inserts a pair; its number if it is a new one.
///
/// # Errors
/// If an index is outside its set.
#[inline]
pub fn insert<V: Copy>(
    relation: &mut ChangingRelation<V>,
    row: usize,
    member: usize,
    value: V,
    log: &mut Log<Change<V>>,
    name: &'static str,
) -> Result<Option<usize>, Fault> {
    relation.check(row, member).map_err(|outside| outside.of(name))?;
    let pair = relation.insert(row, member, value);
    if let Some(pair) = pair {
        log.save(pair, Change { pair, row, member, inserted: true, value });
    }
    Ok(pair)
}

/// Removes a pair; its number if it was there.
///
/// # Errors
/// If an index is outside its set.
#[inline]
pub fn remove<V: Copy>(
    relation: &mut ChangingRelation<V>,
    row: usize,
    member: usize,
    log: &mut Log<Change<V>>,
    name: &'static str,
) -> Result<Option<usize>, Fault> {
    relation.check(row, member).map_err(|outside| outside.of(name))?;
    let value = relation.value(row, member);
    let pair = relation.remove(row, member);
    if let (Some(pair), Some(value)) = (pair, value) {
        log.save(pair, Change { pair, row, member, inserted: false, value });
    }
    Ok(pair)
}

/// Whether there was anything to change.
#[inline(always)]
#[allow(clippy::must_use_candidate, reason = "who removes a pair need not care")]
pub fn changed(pair: Option<usize>) -> bool {
    pair.is_some()
}

/// Takes changes back, the last one first.
pub fn take_back<V: Copy>(relation: &mut ChangingRelation<V>, log: &Log<Change<V>>) {
    for change in log.values().iter().rev() {
        if change.inserted {
            relation.remove(change.row, change.member);
        } else {
            relation.insert(change.row, change.member, change.value);
        }
    }
}

/// Sets the element of a pair that is new. Pairs get the number of one that is gone, or the next.
#[inline]
pub fn put<T>(elements: &mut Vec<T>, pair: usize, value: T) {
    if pair < elements.len() {
        elements[pair] = value;
    } else {
        elements.push(value);
    }
}

/// The name of one of a family: `u[3]`, `s[1][2]`.
#[must_use]
pub fn name(name: &str, index: &[usize]) -> String {
    let mut text = name.to_owned();
    for index in index {
        text.push_str(&format!("[{index}]"));
    }
    text
}

/// The same in quotes, for messages.
#[cold]
#[must_use]
pub fn quoted(of: &str, index: &[usize]) -> String {
    format!("`{}`", name(of, index))
}

/// Elements as a slice, however they are kept.
#[inline(always)]
pub fn all<T, S: AsRef<[T]> + ?Sized>(family: &S) -> &[T] {
    family.as_ref()
}

/// The same, to be written.
#[inline(always)]
pub fn all_mut<T, S: AsMut<[T]> + ?Sized>(family: &mut S) -> &mut [T] {
    family.as_mut()
}

/// Checks the length of a family that was given.
///
/// # Errors
/// If it is not the size of its set.
pub fn check_length(name: &'static str, length: usize, size: usize) -> Result<(), Fault> {
    if length == size { Ok(()) } else { Err(Fault::new(ErrorKind::Length { name, length, size })) }
}

/// Elements as an array.
///
/// # Panics
/// If there are not `N` of them.
pub fn array<T, const N: usize>(elements: Vec<T>) -> [T; N] {
    match elements.try_into() {
        Ok(array) => array,
        Err(_) => panic!("a family has as many elements as its set has members"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_wrap_around_in_both_directions() {
        assert_eq!(wrap(3, 5), 3);
        assert_eq!(wrap(5, 5), 0);
        assert_eq!(wrap(0_usize.wrapping_sub(1), 5), 4);
        assert_eq!(wrap(0_usize.wrapping_sub(11), 5), 4);
        assert_eq!(wrap(23, 5), 3);
        assert_eq!(wrap(0, 1), 0);
        assert_eq!(wrap(1, 1), 0);
    }

    #[test]
    fn numbers_and_indices_are_inverse() {
        let sizes = [3, 4, 5];
        for number in 0..60 {
            assert_eq!(linear_of(indices(number, sizes), sizes), Some(number));
        }
        assert_eq!(linear_of([0, 4, 0], sizes), None);
    }
}
