//! What generated code refers to. Not part of the public interface.

#![allow(missing_docs)]

pub use {core, std};

pub use crate::agenda;
pub use crate::arith;
pub use crate::element;
pub use crate::error::{ErrorKind, Fault, SimError};
pub use crate::family;
pub use crate::flow;
pub use crate::graph;
pub use crate::model::{Active, Engine, Model, Next, Progress, Receives, Scheduled, Ticks, Track};
pub use crate::moment::Moment;
pub use crate::relation::{ChangingRelation, Relation, Row};
pub use crate::rng::{Rng, exponential, stream};
pub use crate::schedule::{self, Key};
pub use crate::select::{Race, family_rates, family_times, rates, times};
pub use crate::shown::Shown;
pub use crate::simulation::Simulation;
pub use crate::table::Table;
pub use crate::ticks;
pub use crate::timing;
pub use crate::view::View;
pub use rand::RngExt;
pub use rand::seq::{IndexedMutRandom, IndexedRandom, IteratorRandom, SliceRandom};
pub use rand_distr::Distribution;

use std::any::Any;
use std::marker::PhantomData;
use std::ops::{Deref, RangeBounds};
use std::sync::{Arc, OnceLock};

/// Gives its tokens back. Configured out, it keeps the compiler from parsing them.
#[doc(hidden)]
#[macro_export]
macro_rules! __editor {
    ($($tokens:tt)*) => { $($tokens)* };
}

/// What an editor sees of a family over the pairs of a relation.
#[derive(Debug)]
pub struct EditorPairs<T>(pub T);

macro_rules! editor_pairs {
    ($($index:ty)*) => { $(
        impl<T> std::ops::Index<$index> for EditorPairs<T> {
            type Output = T;
            fn index(&self, _pair: $index) -> &T {
                &self.0
            }
        }
        impl<T> std::ops::IndexMut<$index> for EditorPairs<T> {
            fn index_mut(&mut self, _pair: $index) -> &mut T {
                &mut self.0
            }
        }
    )* };
}

impl<T> Deref for EditorPairs<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        std::slice::from_ref(&self.0)
    }
}

editor_pairs!((usize, usize)(usize, usize, usize));

/// What an editor sees as an index: a number, or a key.
pub trait EditorMember {
    /// Some value.
    fn any() -> Self;
}

impl EditorMember for usize {
    fn any() -> Self {
        0
    }
}

impl<T> EditorMember for crate::Key<T> {
    fn any() -> Self {
        crate::Key::stale()
    }
}

/// What an editor sees of a family over the instances of an activity, whose indices are keys.
#[derive(Debug)]
pub struct EditorInstances<T>(pub T);

impl<T, K> std::ops::Index<K> for EditorInstances<T> {
    type Output = T;
    fn index(&self, _key: K) -> &T {
        &self.0
    }
}

impl<T, K> std::ops::IndexMut<K> for EditorInstances<T> {
    fn index_mut(&mut self, _key: K) -> &mut T {
        &mut self.0
    }
}

/// What an editor sees of the methods of a relation, which is a closure there: by how many indices a row has, and whether
/// pairs have values.
macro_rules! editor_relations {
    ($($name:ident $valued:ident $($row:ident)*;)*) => { $(
        pub trait $name {
            fn contains(&self, $($row: usize,)* _member: usize) -> bool {
                false
            }
            fn remove(&self, $($row: usize,)* _member: usize) -> bool {
                false
            }
            fn insert(&self, $($row: usize,)* _member: usize) -> bool {
                false
            }
            fn degree(&self, $($row: usize,)*) -> usize {
                0
            }
            fn len(&self) -> usize {
                0
            }
        }

        impl<F: Fn($(editor_relations!(@ $row)),*) -> std::vec::IntoIter<usize>> $name for F {}

        pub trait $valued<V> {
            fn contains(&self, $($row: usize,)* _member: usize) -> bool {
                false
            }
            fn remove(&self, $($row: usize,)* _member: usize) -> bool {
                false
            }
            fn insert(&self, $($row: usize,)* _member: usize, _value: V) -> bool {
                false
            }
            fn value(&self, $($row: usize,)* _member: usize) -> Option<V> {
                None
            }
            fn degree(&self, $($row: usize,)*) -> usize {
                0
            }
            fn len(&self) -> usize {
                0
            }
        }

        impl<V, F: Fn($(editor_relations!(@ $row)),*) -> std::vec::IntoIter<(usize, V)>> $valued<V> for F {}
    )* };
    (@ $row:ident) => { usize };
}

editor_relations!(EditorRows EditorValuedRows _i; EditorRows2 EditorValuedRows2 _i _j;);

/// A place that a body only reads: it can be looked at and nothing else.
#[derive(Debug)]
pub struct Read<'a, T: ?Sized>(&'a T);

impl<'a, T: ?Sized> Read<'a, T> {
    #[inline(always)]
    pub fn new(place: &'a T) -> Self {
        Read(place)
    }
}

impl<T: ?Sized> Clone for Read<'_, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Read<'_, T> {}

impl<T: ?Sized> Deref for Read<'_, T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        self.0
    }
}

/// A `let` over params whose type is written: evaluated once, and shared between clones.
pub struct Fixed<T>(Arc<T>);

impl<T> Fixed<T> {
    pub fn new(value: T) -> Self {
        Fixed(Arc::new(value))
    }
}

impl<T> Clone for Fixed<T> {
    fn clone(&self) -> Self {
        Fixed(Arc::clone(&self.0))
    }
}

impl<T> std::fmt::Debug for Fixed<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Fixed").finish_non_exhaustive()
    }
}

impl<T> Deref for Fixed<T> {
    type Target = T;

    #[inline(always)]
    fn deref(&self) -> &T {
        &self.0
    }
}

/// A `let` over params whose type is not written: evaluated once, under the type of the closure
/// that evaluates it.
#[derive(Clone, Debug, Default)]
pub struct Constant(OnceLock<Arc<dyn Any + Send + Sync>>);

impl Constant {
    pub fn new() -> Self {
        Self::default()
    }

    /// The value; evaluated if it has not been.
    ///
    /// # Errors
    /// What `evaluate` fails with.
    pub fn get<T: Send + Sync + 'static>(&self, evaluate: impl FnOnce() -> Result<T, Fault>) -> Result<&T, Fault> {
        let value = match self.0.get() {
            Some(value) => value,
            None => {
                let value = Arc::new(evaluate()?);
                self.0.get_or_init(|| value)
            }
        };
        // One constant has one expression and so one type.
        Ok(value.downcast_ref().expect("one expression has one type"))
    }
}

/// Keeps the value of a place that an action writes, to put it back if the action fails.
#[derive(Debug)]
pub struct Keep<T>(PhantomData<fn() -> T>);

pub fn keep<T>(_place: &T) -> Keep<T> {
    Keep(PhantomData)
}

/// For types that are `Copy`.
pub trait KeepCopy<T: Copy> {
    #[inline(always)]
    fn __cr_save(&self, place: &T) -> T {
        *place
    }
    #[inline(always)]
    fn __cr_restore(&self, place: &mut T, saved: T) {
        *place = saved;
    }
}

impl<T: Copy> KeepCopy<T> for Keep<T> {}

/// For all others.
pub trait KeepNothing<T> {
    #[inline(always)]
    fn __cr_save(&self, _place: &T) -> Kept {
        Kept
    }
    #[inline(always)]
    fn __cr_restore(&self, _place: &mut T, _saved: Kept) {}
}

/// Keeps one element of a family that an action writes.
#[derive(Debug)]
pub struct KeepAt<T>(PhantomData<fn() -> T>);

pub fn keep_at<T>(_family: &[T]) -> KeepAt<T> {
    KeepAt(PhantomData)
}

/// For types that are `Copy`.
pub trait KeepCopyAt<T: Copy> {
    #[inline(always)]
    fn __cr_save(&self, family: &[T], at: Option<usize>) -> Option<T> {
        at.and_then(|at| family.get(at).copied())
    }
    #[inline(always)]
    fn __cr_restore(&self, family: &mut [T], at: Option<usize>, saved: Option<T>) {
        if let (Some(at), Some(saved)) = (at, saved) {
            family[at] = saved;
        }
    }
}

impl<T: Copy> KeepCopyAt<T> for KeepAt<T> {}

/// For all others.
pub trait KeepNothingAt<T> {
    #[inline(always)]
    fn __cr_save(&self, _family: &[T], _at: Option<usize>) -> Kept {
        Kept
    }
    #[inline(always)]
    fn __cr_restore(&self, _family: &mut [T], _at: Option<usize>, _saved: Kept) {}
}

impl<T> KeepNothingAt<T> for &KeepAt<T> {}

/// Keeps a clone of one element.
#[inline]
pub fn clone_at<T: Clone>(family: &[T], at: Option<usize>) -> Option<T> {
    at.and_then(|at| family.get(at).cloned())
}

/// Puts it back.
#[inline]
pub fn restore_at<T>(family: &mut [T], at: Option<usize>, saved: Option<T>) {
    if let (Some(at), Some(saved)) = (at, saved) {
        family[at] = saved;
    }
}

/// Keeps a whole family that an action may write.
pub trait KeepCopyAll<T: Copy> {
    #[inline(always)]
    fn __cr_save_all(&self, family: &[T]) -> Vec<T> {
        family.to_vec()
    }
    #[inline(always)]
    fn __cr_restore_all(&self, family: &mut [T], saved: Vec<T>) {
        family.copy_from_slice(&saved);
    }
}

impl<T: Copy> KeepCopyAll<T> for KeepAt<T> {}

/// For types that are not `Copy`.
pub trait KeepNothingAll<T> {
    #[inline(always)]
    fn __cr_save_all(&self, _family: &[T]) -> Kept {
        Kept
    }
    #[inline(always)]
    fn __cr_restore_all(&self, _family: &mut [T], _saved: Kept) {}
}

impl<T> KeepNothingAll<T> for &KeepAt<T> {}

/// What is kept of a type that is not `Copy`: nothing.
#[derive(Debug)]
pub struct Kept;

impl<T> KeepNothing<T> for &Keep<T> {}

/// Checks a param against its range.
///
/// # Errors
/// If `value` is not in `range`; NaN never is.
pub fn check_param<T: PartialOrd + std::fmt::Debug>(
    name: &'static str,
    value: &T,
    range: &impl RangeBounds<T>,
    expected: &'static str,
) -> Result<(), Fault> {
    if range.contains(value) {
        Ok(())
    } else {
        let value = format!("{value:?}");
        Err(Fault::new(ErrorKind::Param { name, value, expected }))
    }
}

/// Checks a param that has no range: it must be a number at all.
///
/// # Errors
/// If it is NaN.
pub fn check_number(name: &'static str, is_nan: bool) -> Result<(), Fault> {
    if is_nan {
        Err(Fault::new(ErrorKind::Param { name, value: "NaN".to_owned(), expected: "expected a number" }))
    } else {
        Ok(())
    }
}

/// What an output without a written type may be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number",
    label = "an output without a type is a number",
    note = "write its type: `observe NAME: TYPE = …;`"
)]
pub trait Number {
    fn number(self) -> f64;
}

/// What a reaction may count.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an integer type",
    label = "a reaction changes this state by whole numbers"
)]
pub trait Count: Copy {
    /// `self` choose `n`, as a floating-point number; zero below `n`.
    fn choose(self, n: u32) -> f64;
    /// Whether there are at least `n`.
    fn at_least(self, n: u32) -> bool;
}

macro_rules! numbers {
    ($($int:ty)*) => { $(
        impl Number for $int {
            #[inline(always)]
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)]
            fn number(self) -> f64 {
                self as f64
            }
        }
        impl Count for $int {
            #[inline(always)]
            #[allow(clippy::cast_precision_loss, clippy::cast_lossless)]
            fn choose(self, n: u32) -> f64 {
                if !self.at_least(n) {
                    return 0.0;
                }
                let count = self as f64;
                let mut product = count;
                let mut below = 1.0;
                while below < f64::from(n) {
                    product *= (count - below) / (below + 1.0);
                    below += 1.0;
                }
                product
            }
            #[inline(always)]
            #[allow(unused_comparisons, clippy::cast_lossless)]
            fn at_least(self, n: u32) -> bool {
                self >= 0 && self as u128 >= n as u128
            }
        }
    )* };
}

numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

impl Number for f64 {
    #[inline(always)]
    fn number(self) -> f64 {
        self
    }
}

impl Number for f32 {
    #[inline(always)]
    fn number(self) -> f64 {
        f64::from(self)
    }
}

impl Number for bool {
    #[inline(always)]
    fn number(self) -> f64 {
        f64::from(u8::from(self))
    }
}

impl<T: Number + Copy> Number for &T {
    #[inline(always)]
    fn number(self) -> f64 {
        (*self).number()
    }
}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the reference is what the lookup is about")]
mod tests {
    use super::*;

    #[test]
    fn combinations() {
        assert_eq!(0_u64.choose(2), 0.0);
        assert!(0_u64.choose(2).is_sign_positive());
        assert_eq!(1_u64.choose(2), 0.0);
        assert_eq!((-3_i64).choose(1), 0.0);
        assert_eq!(5_u8.choose(2), 10.0);
        assert_eq!(6_i32.choose(3), 20.0);
    }

    #[test]
    fn copies_are_kept_and_nothing_else() {
        let mut n = 3;
        let saved = (&keep(&n)).__cr_save(&n);
        n = 4;
        (&keep(&n)).__cr_restore(&mut n, saved);
        assert_eq!(n, 3);
        let text = String::from("a");
        let Kept = (&keep(&text)).__cr_save(&text);
    }
}
