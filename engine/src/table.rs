//! States over a product of index sets.

use std::ops::{Deref, DerefMut, Index, IndexMut, Range, RangeFrom, RangeFull, RangeTo};

/// A state over a product of `D` index sets, `state s[i in A][j in B]: T`.
///
/// `table[[i, j]]` is an element; as a slice it holds all of them, the last index running fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table<T, const D: usize> {
    elements: Box<[T]>,
    sizes: [usize; D],
}

impl<T, const D: usize> Table<T, D> {
    #[doc(hidden)]
    #[must_use]
    pub fn new(elements: Vec<T>, sizes: [usize; D]) -> Self {
        debug_assert_eq!(elements.len(), sizes.iter().product::<usize>());
        Table { elements: elements.into_boxed_slice(), sizes }
    }

    /// The sizes of the sets.
    #[must_use]
    pub fn sizes(&self) -> [usize; D] {
        self.sizes
    }

    fn number(&self, indices: [usize; D]) -> usize {
        match crate::element::linear_of(indices, self.sizes) {
            Some(number) => number,
            None => panic!("index {indices:?} is outside a table of {:?}", self.sizes),
        }
    }
}

impl<T, const D: usize> Index<[usize; D]> for Table<T, D> {
    type Output = T;

    fn index(&self, indices: [usize; D]) -> &T {
        &self.elements[self.number(indices)]
    }
}

impl<T, const D: usize> IndexMut<[usize; D]> for Table<T, D> {
    fn index_mut(&mut self, indices: [usize; D]) -> &mut T {
        let number = self.number(indices);
        &mut self.elements[number]
    }
}

macro_rules! slices {
    ($($index:ty => $output:ty),*) => { $(
        impl<T, const D: usize> Index<$index> for Table<T, D> {
            type Output = $output;

            fn index(&self, index: $index) -> &$output {
                &self.elements[index]
            }
        }

        impl<T, const D: usize> IndexMut<$index> for Table<T, D> {
            fn index_mut(&mut self, index: $index) -> &mut $output {
                &mut self.elements[index]
            }
        }
    )* };
}

slices!(usize => T, RangeFull => [T], Range<usize> => [T], RangeFrom<usize> => [T], RangeTo<usize> => [T]);

impl<T, const D: usize> Deref for Table<T, D> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T, const D: usize> DerefMut for Table<T, D> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

impl<T, const D: usize> AsRef<[T]> for Table<T, D> {
    fn as_ref(&self) -> &[T] {
        &self.elements
    }
}

impl<T, const D: usize> AsMut<[T]> for Table<T, D> {
    fn as_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_index_runs_fastest() {
        let mut table = Table::new((0..6).collect(), [2, 3]);
        assert_eq!(table[[1, 2]], 5);
        table[[0, 1]] = 7;
        assert_eq!(table[..], [0, 7, 2, 3, 4, 5]);
        assert_eq!((table[4], &table[4..]), (4, &[4, 5][..]));
    }
}
