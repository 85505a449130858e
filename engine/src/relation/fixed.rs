//! A relation that is fixed when a run starts: compressed rows, and the inverse.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::{Entries, LIMIT, Members, Pairs, Row, Sources};

/// Up to this many members a row is scanned for one; above, the inverse is searched.
const SCAN: usize = 16;

/// The inverse is sorted in blocks of 2 to the power of this many members.
const BLOCK: u32 = 13;

/// For each row a list of members of a target set, with a value of type `V` for each pair.
///
/// This is what `relation NAME(i in SET) -> SET2 = …;` declares: the rows are the members of `SET`,
/// the targets those of `SET2`, each numbered from 0. Members stand in the order in which they were
/// given. A row may hold one member several times (both neighbours of a site on a ring of two are
/// the same site): each time is a pair of its own.
///
/// A row or member outside its set holds nothing: it has no members, no sources and no values.
#[derive(Clone)]
pub struct Relation<V = ()> {
    targets: usize,
    /// The pairs of row `r` are `starts[r]..starts[r + 1]`.
    starts: Arc<[u32]>,
    /// The member of each pair.
    members: Arc<[u32]>,
    /// The row of each pair.
    rows: Box<[u32]>,
    /// The value of each pair.
    values: Box<[V]>,
    inverse: Inverse,
}

/// The pairs once more, in order of member and then of number.
#[derive(Clone)]
struct Inverse {
    /// Those of member `m` are at `starts[m]..starts[m + 1]`.
    starts: Arc<[u32]>,
    pairs: Box<[u32]>,
    /// The row of each of `pairs`.
    rows: Arc<[u32]>,
}

impl<V: Copy> Relation<V> {
    /// A relation of `rows` rows into a set of `targets` members; `each` pushes the members of a
    /// row, and is called for the rows in turn.
    ///
    /// # Errors
    /// What `each` fails with.
    #[doc(hidden)]
    pub fn build<E>(
        rows: usize,
        targets: usize,
        mut each: impl FnMut(usize, &mut Row<'_, V>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut starts = Vec::with_capacity(rows + 1);
        starts.push(0);
        let mut members = Vec::new();
        let mut values = Vec::new();
        for row in 0..rows {
            let limit = if row < LIMIT { LIMIT } else { 0 };
            let first = members.len();
            each(row, &mut Row { members: &mut members, values: &mut values, first, targets, limit })?;
            starts.push(members.len() as u32);
        }

        let mut of_pairs = vec![0; members.len()].into_boxed_slice();
        for (row, ends) in (0u32..).zip(starts.windows(2)) {
            of_pairs[ends[0] as usize..ends[1] as usize].fill(row);
        }
        let (starts, members): (Arc<[u32]>, Arc<[u32]>) = (starts.into(), members.into());
        let mut inverse = Inverse::new(targets, &members, &of_pairs);
        if inverse.starts == starts && inverse.rows == members {
            // A symmetric relation is its own inverse: half the memory, and half as much of it in the caches.
            (inverse.starts, inverse.rows) = (Arc::clone(&starts), Arc::clone(&members));
        }
        Ok(Relation { targets, starts, members, rows: of_pairs, values: values.into_boxed_slice(), inverse })
    }

    /// For each row its members, the numbers of its pairs, and the values of these.
    pub(super) fn by_row(&self) -> impl Iterator<Item = (&[u32], Range<u32>, &[V])> {
        self.starts.windows(2).map(|ends| {
            let pairs = ends[0] as usize..ends[1] as usize;
            (&self.members[pairs.clone()], ends[0]..ends[1], &self.values[pairs])
        })
    }

    /// For each member its rows, ascending, and the numbers of its pairs.
    pub(super) fn by_member(&self) -> impl Iterator<Item = (&[u32], &[u32])> {
        self.inverse.starts.windows(2).map(|ends| {
            let range = ends[0] as usize..ends[1] as usize;
            (&self.inverse.rows[range.clone()], &self.inverse.pairs[range])
        })
    }

    /// How many pairs there are.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether there are no pairs.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// How many rows there are, empty ones included.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    /// How many members the target set has.
    #[inline]
    #[must_use]
    pub fn targets(&self) -> usize {
        self.targets
    }

    /// How many members `row` holds.
    #[inline]
    #[must_use]
    pub fn degree(&self, row: usize) -> usize {
        range(&self.starts, row).len()
    }

    /// The members that `row` holds, in the order in which they were given.
    #[inline]
    pub fn members(&self, row: usize) -> Members<'_> {
        Members::new(&self.members[range(&self.starts, row)])
    }

    /// The members that `row` holds and the values of the pairs, in the order in which they were
    /// given.
    #[inline]
    pub fn entries(&self, row: usize) -> Entries<'_, V> {
        let pairs = range(&self.starts, row);
        Entries::new(&self.members[pairs.clone()], &self.values[pairs])
    }

    /// Whether `row` holds `member`.
    #[inline]
    #[must_use]
    pub fn contains(&self, row: usize, member: usize) -> bool {
        self.find(row, member).is_some()
    }

    /// The value of the pair of `row` and `member`: of the first one, if there are several.
    #[inline]
    #[must_use]
    pub fn value(&self, row: usize, member: usize) -> Option<V> {
        self.find(row, member).map(|pair| self.values[pair])
    }

    /// The rows that hold `member`, ascending; a row that holds it several times comes as often.
    #[inline]
    pub fn sources(&self, member: usize) -> Sources<'_> {
        Sources::new(&self.inverse.rows[range(&self.inverse.starts, member)])
    }

    /// The rows that hold `member` and the values of the pairs, in the order of [`sources`](Self::sources).
    #[inline]
    pub fn source_entries(&self, member: usize) -> impl Iterator<Item = (usize, V)> + Clone + '_ {
        self.sources(member).zip(self.pairs_of_member(member).map(|pair| self.values[pair]))
    }

    /// How many pairs hold `member`.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn in_degree(&self, member: usize) -> usize {
        range(&self.inverse.starts, member).len()
    }

    /// Member number `i` of a row that has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn member_at(&self, row: usize, i: usize) -> usize {
        self.members[self.pair_at(row, i)] as usize
    }

    /// Pair number `i` of a row that has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn pair_at(&self, row: usize, i: usize) -> usize {
        self.starts[row] as usize + i
    }

    /// Row number `i` of those that hold `member`, which has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn source_at(&self, member: usize, i: usize) -> usize {
        self.inverse.rows[self.inverse.starts[member] as usize + i] as usize
    }

    /// Pair number `i` of those that hold `member`, which has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn source_pair_at(&self, member: usize, i: usize) -> usize {
        self.inverse.pairs[self.inverse.starts[member] as usize + i] as usize
    }

    /// How many numbers of pairs there are.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn slots(&self) -> usize {
        self.members.len()
    }

    /// The numbers of the pairs of `row`, in the order of its members.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn pairs_of_row(&self, row: usize) -> Range<usize> {
        range(&self.starts, row)
    }

    /// The numbers of the pairs of `member`, ascending: in the order of its sources.
    #[doc(hidden)]
    #[inline]
    pub fn pairs_of_member(&self, member: usize) -> Pairs<'_> {
        Pairs::new(&self.inverse.pairs[range(&self.inverse.starts, member)])
    }

    /// The row of a pair, by the pair's number. Panics unless that is below [`len`](Self::len).
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn row_of(&self, pair: usize) -> usize {
        self.rows[pair] as usize
    }

    /// The member of a pair, by the pair's number. Panics unless that is below [`len`](Self::len).
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn member_of(&self, pair: usize) -> usize {
        self.members[pair] as usize
    }

    /// The value of a pair, by the pair's number. Panics unless that is below [`len`](Self::len).
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn value_of(&self, pair: usize) -> V {
        self.values[pair]
    }

    /// The number of the pair of `row` and `member`: the first one, if there are several.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn find(&self, row: usize, member: usize) -> Option<usize> {
        let pairs = range(&self.starts, row);
        if pairs.len() <= SCAN {
            let at = self.members[pairs.clone()].iter().position(|&other| other as usize == member)?;
            Some(pairs.start + at)
        } else {
            let of_member = range(&self.inverse.starts, member);
            let sources = &self.inverse.rows[of_member.clone()];
            let at = sources.partition_point(|&source| (source as usize) < row);
            let found = sources.get(at).is_some_and(|&source| source as usize == row);
            found.then(|| self.inverse.pairs[of_member.start + at] as usize)
        }
    }
}

impl Inverse {
    /// By counting, first into blocks of members and then within each, so that what is written to at
    /// one time stays in the cache.
    fn new(targets: usize, members: &[u32], rows: &[u32]) -> Self {
        // Where each block ends; every item that is put in moves that down, at last to the start.
        let mut blocks = vec![0; (targets >> BLOCK) + 1];
        for &member in members {
            blocks[(member >> BLOCK) as usize] += 1;
        }
        ends(&mut blocks, 0);
        let mut items = vec![[0; 3]; members.len()];
        for (pair, (&member, &row)) in members.iter().zip(rows).enumerate().rev() {
            let place = &mut blocks[(member >> BLOCK) as usize];
            *place -= 1;
            items[*place as usize] = [member, pair as u32, row];
        }

        let mut starts = vec![0; targets + 1].into_boxed_slice();
        let mut pairs = vec![0; members.len()].into_boxed_slice();
        let mut rows = vec![0; members.len()].into_boxed_slice();
        for (block, starts) in starts.chunks_mut(1 << BLOCK).enumerate() {
            let first = blocks[block];
            let last = blocks.get(block + 1).map_or(items.len(), |&next| next as usize);
            let items = &items[first as usize..last];
            for &[member, ..] in items {
                starts[member as usize % (1 << BLOCK)] += 1;
            }
            ends(starts, first);
            for &[member, pair, row] in items.iter().rev() {
                let place = &mut starts[member as usize % (1 << BLOCK)];
                *place -= 1;
                pairs[*place as usize] = pair;
                rows[*place as usize] = row;
            }
        }
        Inverse { starts: starts.into(), pairs, rows: rows.into() }
    }
}

/// Turns how many there are of each into where each ends, if the first begins at `start`.
fn ends(counts: &mut [u32], start: u32) {
    let mut end = start;
    for count in counts {
        end += *count;
        *count = end;
    }
}

/// Where the pairs of `index` stand; nowhere, if it is outside its set.
#[inline(always)]
fn range(starts: &[u32], index: usize) -> Range<usize> {
    match starts.get(index..).unwrap_or_default() {
        &[start, end, ..] => start as usize..end as usize,
        _ => 0..0,
    }
}

impl<V: Copy + fmt::Debug> fmt::Debug for Relation<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for row in 0..self.rows() {
            // Without values, just the members.
            match size_of::<V>() {
                0 => map.entry(&row, &self.members(row).0.as_slice()),
                _ => map.entry(&row, &self.entries(row)),
            };
        }
        map.finish()
    }
}
