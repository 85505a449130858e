//! A relation whose pairs come and go during a run.

use std::fmt;

use super::{Entries, LIMIT, Members, OutOfSet, Pairs, Relation, Row, Sources};

/// A set of pairs of a row and a member of a target set, with a value of type `V` for each pair;
/// pairs come and go during a run.
///
/// This is what `state relation NAME(i in SET) -> SET2 = …;` declares: the rows are the members of
/// `SET`, the targets those of `SET2`, each numbered from 0. A row holds a member once or not at
/// all. Members and sources are always in ascending order, whatever the history.
///
/// A row or member outside its set holds nothing: it has no members, no sources and no values.
#[derive(Clone)]
pub struct ChangingRelation<V = ()> {
    /// For each row its members.
    rows: Box<[Links]>,
    /// For each row the values of its pairs, in the order of its members.
    values: Box<[Vec<V>]>,
    /// For each member its rows.
    members: Box<[Links]>,
    /// The row and member of each pair, by its number; [`DEAD`] where there is none.
    pairs: Vec<(u32, u32)>,
    /// The numbers that are free; the last one is taken next.
    free: Vec<u32>,
}

/// What stands for the row of a pair that is not there.
const DEAD: u32 = u32::MAX;

/// What a row or member is linked to: first the other ends, ascending, and after all of them the
/// number of the pair with each.
#[derive(Clone)]
struct Links(Vec<u32>);

impl Links {
    fn new(ends: &[u32], pairs: impl Iterator<Item = u32>) -> Self {
        let mut links = Vec::with_capacity(2 * ends.len());
        links.extend_from_slice(ends);
        links.extend(pairs);
        Links(links)
    }

    #[inline(always)]
    fn ends(&self) -> &[u32] {
        &self.0[..self.0.len() / 2]
    }

    #[inline(always)]
    fn pairs(&self) -> &[u32] {
        &self.0[self.0.len() / 2..]
    }

    /// Where `end` is, or belongs.
    #[inline]
    fn find(&self, end: u32) -> Result<usize, usize> {
        self.ends().binary_search(&end)
    }

    fn insert(&mut self, at: usize, end: u32, pair: u32) {
        let pairs = self.0.len() / 2;
        self.0.insert(pairs + at, pair);
        self.0.insert(at, end);
    }

    /// Takes the link at `at` out, and gives the number of its pair.
    fn remove(&mut self, at: usize) -> u32 {
        let pair = self.0.remove(self.0.len() / 2 + at);
        self.0.remove(at);
        pair
    }
}

/// Links of a row or member outside its set.
const NOTHING: &Links = &Links(Vec::new());

impl<V: Copy> ChangingRelation<V> {
    /// A relation of `rows` rows into a set of `targets` members; `each` pushes the members of a
    /// row, and is called for the rows in turn. Of equal pairs the first counts. Pairs are numbered
    /// in order of row and then of member.
    ///
    /// # Errors
    /// What `each` fails with.
    #[doc(hidden)]
    pub fn build<E>(
        rows: usize,
        targets: usize,
        mut each: impl FnMut(usize, &mut Row<'_, V>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut sorted = Vec::new();
        let start = Relation::build(rows, targets, |row, out| {
            each(row, out)?;
            out.settle(&mut sorted);
            Ok(())
        })?;
        Ok(ChangingRelation {
            rows: start.by_row().map(|(members, pairs, _)| Links::new(members, pairs)).collect(),
            values: start.by_row().map(|(_, _, values)| values.to_vec()).collect(),
            members: start.by_member().map(|(rows, pairs)| Links::new(rows, pairs.iter().copied())).collect(),
            pairs: (0u32..)
                .zip(start.by_row())
                .flat_map(|(row, (members, ..))| members.iter().map(move |&member| (row, member)))
                .collect(),
            free: Vec::new(),
        })
    }

    /// How many pairs there are now.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.pairs.len() - self.free.len()
    }

    /// Whether there are no pairs now.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many rows there are, empty ones included.
    #[inline]
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// How many members the target set has.
    #[inline]
    #[must_use]
    pub fn targets(&self) -> usize {
        self.members.len()
    }

    /// How many members `row` holds.
    #[inline]
    #[must_use]
    pub fn degree(&self, row: usize) -> usize {
        self.row(row).ends().len()
    }

    /// The members that `row` holds, ascending.
    #[inline]
    pub fn members(&self, row: usize) -> Members<'_> {
        Members::new(self.row(row).ends())
    }

    /// The members that `row` holds and the values of the pairs, in ascending order of the members.
    #[inline]
    pub fn entries(&self, row: usize) -> Entries<'_, V> {
        Entries::new(self.row(row).ends(), self.values.get(row).map_or(&[], Vec::as_slice))
    }

    /// Whether `row` holds `member`.
    #[inline]
    #[must_use]
    pub fn contains(&self, row: usize, member: usize) -> bool {
        self.place(row, member).is_some()
    }

    /// The value of the pair of `row` and `member`, if there is one.
    #[inline]
    #[must_use]
    pub fn value(&self, row: usize, member: usize) -> Option<V> {
        self.place(row, member).map(|at| self.values[row][at])
    }

    /// The rows that hold `member`, ascending.
    #[inline]
    pub fn sources(&self, member: usize) -> Sources<'_> {
        Sources::new(self.member(member).ends())
    }

    /// Adds a pair and gives its number; `None` if there was one, whose value stays. A pair outside
    /// the sets is not added: see [`check`](Self::check).
    ///
    /// The number is the one that was freed last, or a new one. So whoever undoes a list of changes
    /// from the last to the first gives every pair its old number back.
    #[doc(hidden)]
    pub fn insert(&mut self, row: usize, member: usize, value: V) -> Option<usize> {
        self.check(row, member).ok()?;
        let at = self.rows[row].find(member as u32).err()?;
        let ends = (row as u32, member as u32);
        let pair = match self.free.pop() {
            Some(pair) => {
                self.pairs[pair as usize] = ends;
                pair
            }
            None => {
                self.pairs.push(ends);
                (self.pairs.len() - 1) as u32
            }
        };
        self.rows[row].insert(at, ends.1, pair);
        self.values[row].insert(at, value);
        let links = &mut self.members[member];
        if let Err(at) = links.find(ends.0) {
            links.insert(at, ends.0, pair);
        }
        Some(pair as usize)
    }

    /// Takes a pair out and gives the number it had; `None` if there was none.
    #[doc(hidden)]
    pub fn remove(&mut self, row: usize, member: usize) -> Option<usize> {
        let at = self.place(row, member)?;
        let pair = self.rows[row].remove(at);
        self.values[row].remove(at);
        let links = &mut self.members[member];
        if let Ok(at) = links.find(row as u32) {
            links.remove(at);
        }
        self.pairs[pair as usize].0 = DEAD;
        self.free.push(pair);
        Some(pair as usize)
    }

    /// Whether the pair of `row` and `member` can be in the relation.
    ///
    /// # Errors
    /// If one of them is outside its set, or the pair is new and there are no numbers left.
    #[doc(hidden)]
    #[inline]
    pub fn check(&self, row: usize, member: usize) -> Result<(), OutOfSet> {
        if row >= self.rows() {
            return Err(OutOfSet::Member { index: row, size: self.rows() });
        }
        if member >= self.targets() {
            return Err(OutOfSet::Member { index: member, size: self.targets() });
        }
        let full = self.free.is_empty() && self.pairs.len() >= LIMIT;
        if (full && !self.contains(row, member)) || row >= LIMIT || member >= LIMIT {
            return Err(OutOfSet::TooMany);
        }
        Ok(())
    }

    /// The numbers of the pairs that there are, in order of row and then of member.
    #[doc(hidden)]
    pub fn pairs(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.rows.iter().flat_map(|row| Pairs::new(row.pairs()))
    }

    /// How many numbers have ever been given to pairs: all numbers are below.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn slots(&self) -> usize {
        self.pairs.len()
    }

    /// Whether a pair of this number is there.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn live(&self, pair: usize) -> bool {
        self.pairs.get(pair).is_some_and(|&(row, _)| row != DEAD)
    }

    /// The rows that hold `member` and the values of the pairs, in the order of [`sources`](Self::sources).
    #[inline]
    pub fn source_entries(&self, member: usize) -> impl Iterator<Item = (usize, V)> + Clone + '_ {
        self.sources(member).filter_map(move |row| Some((row, self.value(row, member)?)))
    }

    /// How many pairs hold `member`.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn in_degree(&self, member: usize) -> usize {
        self.member(member).ends().len()
    }

    /// Member number `i` of a row that has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn member_at(&self, row: usize, i: usize) -> usize {
        self.row(row).ends()[i] as usize
    }

    /// Pair number `i` of a row that has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn pair_at(&self, row: usize, i: usize) -> usize {
        self.row(row).pairs()[i] as usize
    }

    /// Row number `i` of those that hold `member`, which has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn source_at(&self, member: usize, i: usize) -> usize {
        self.member(member).ends()[i] as usize
    }

    /// Pair number `i` of those that hold `member`, which has one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn source_pair_at(&self, member: usize, i: usize) -> usize {
        self.member(member).pairs()[i] as usize
    }

    /// The numbers of the pairs of `row`, in the order of its members.
    #[doc(hidden)]
    #[inline]
    pub fn pairs_of_row(&self, row: usize) -> Pairs<'_> {
        Pairs::new(self.row(row).pairs())
    }

    /// The numbers of the pairs of `member`, in the order of its sources.
    #[doc(hidden)]
    #[inline]
    pub fn pairs_of_member(&self, member: usize) -> Pairs<'_> {
        Pairs::new(self.member(member).pairs())
    }

    /// The row of a pair that is there, by the pair's number.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn row_of(&self, pair: usize) -> usize {
        self.pairs[pair].0 as usize
    }

    /// The member of a pair that is there, by the pair's number.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn member_of(&self, pair: usize) -> usize {
        self.pairs[pair].1 as usize
    }

    /// The value of a pair, by the pair's number. Panics if the pair is not there.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn value_of(&self, pair: usize) -> V {
        let (row, member) = self.pairs[pair];
        self.value(row as usize, member as usize).expect("the pair is there")
    }

    /// The number of the pair of `row` and `member`, if there is one.
    #[doc(hidden)]
    #[inline]
    #[must_use]
    pub fn find(&self, row: usize, member: usize) -> Option<usize> {
        self.place(row, member).map(|at| self.rows[row].pairs()[at] as usize)
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &Links {
        self.rows.get(row).unwrap_or(NOTHING)
    }

    #[inline(always)]
    fn member(&self, member: usize) -> &Links {
        self.members.get(member).unwrap_or(NOTHING)
    }

    /// Where `member` stands in `row`.
    #[inline]
    fn place(&self, row: usize, member: usize) -> Option<usize> {
        self.row(row).find(u32::try_from(member).ok()?).ok()
    }
}

impl<V: Copy + fmt::Debug> fmt::Debug for ChangingRelation<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = f.debug_map();
        for row in 0..self.rows() {
            // Without values, just the members.
            match size_of::<V>() {
                0 => map.entry(&row, &self.row(row).ends()),
                _ => map.entry(&row, &self.entries(row)),
            };
        }
        map.finish()
    }
}
