//! Ring times of the members of one family of clocks.
//!
//! Small families stand in a [pair tree](super::times), large ones in blocks: the times of a block are
//! scanned, and a pair tree over the blocks' earliest times is touched only when one of these changes.

use super::times::{Pair, PairTree, Tournament, pair, slot};
use crate::moment::Moment;

/// From this many members on, blocks are usually faster than a tree of all of them.
const LARGE: usize = 512;

/// Members in a block: some rows of as many as are compared at once.
const BLOCK: usize = ROWS * LANES;
const ROWS: usize = 2;
const LANES: usize = 8;

/// Which structure the ring times of a family stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The faster one for the number of members there are at the start.
    BySize,
    /// A tournament over all members.
    PairTree,
    /// Blocks under a tournament.
    Blocks,
}

/// The ring times of a family, and the earliest of them; the lowest member wins ties.
#[derive(Clone, Debug)]
pub struct Times<const FINE: bool> {
    members: usize,
    structure: Structure<FINE>,
}

#[derive(Clone, Debug)]
enum Structure<const FINE: bool> {
    Tree(PairTree<FINE>),
    Blocks(Blocks<FINE>),
}

impl<const FINE: bool> Times<FINE> {
    /// `members` members, all of them off.
    #[must_use]
    pub fn new(members: usize, method: Method) -> Self {
        let blocks = match method {
            Method::BySize => members >= LARGE,
            Method::PairTree => false,
            Method::Blocks => true,
        };
        let structure =
            if blocks { Structure::Blocks(Blocks::new(members)) } else { Structure::Tree(PairTree::new(members)) };
        Times { members, structure }
    }

    /// How many members there are.
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "only generated code asks")]
    pub fn len(&self) -> usize {
        self.members
    }

    /// When `member` rings.
    #[inline]
    #[must_use]
    pub fn get(&self, member: usize) -> Moment {
        match &self.structure {
            Structure::Tree(tree) => tree.get(member),
            Structure::Blocks(blocks) => blocks.get(member),
        }
    }

    /// Changes when `member` rings.
    #[inline]
    pub fn set(&mut self, member: usize, at: Moment) {
        match &mut self.structure {
            Structure::Tree(tree) => tree.set(member, at),
            Structure::Blocks(blocks) => blocks.set(member, at),
        }
    }

    /// The earliest moment and its member.
    #[inline]
    #[must_use]
    pub fn earliest(&self) -> (Moment, usize) {
        match &self.structure {
            Structure::Tree(tree) => tree.earliest(),
            Structure::Blocks(blocks) => blocks.earliest(),
        }
    }

    /// Makes room for `members` members; new ones are off.
    pub fn grow(&mut self, members: usize) {
        if members <= self.members {
            return;
        }
        self.members = members;
        match &mut self.structure {
            Structure::Tree(tree) => tree.grow(members),
            Structure::Blocks(blocks) => blocks.grow(members),
        }
    }
}

/// Times in blocks under a tournament of the earliest of each block. What fills the last block is off
/// for ever.
#[derive(Clone, Debug)]
struct Blocks<const FINE: bool> {
    /// In each lane of a block stand members that follow on each other.
    times: Vec<Block>,
    tree: Tournament<FINE>,
}

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Block([[f64; LANES]; ROWS]);

impl<const FINE: bool> Blocks<FINE> {
    fn new(members: usize) -> Self {
        let mut new = Blocks { times: Vec::new(), tree: Tournament::new(members, BLOCK) };
        new.fill(members);
        new
    }

    fn fill(&mut self, members: usize) {
        self.times.resize(members.div_ceil(BLOCK), Block([[f64::INFINITY; LANES]; ROWS]));
    }

    fn grow(&mut self, members: usize) {
        self.fill(members);
        self.tree.grow(members, BLOCK);
    }

    #[inline]
    fn get(&self, member: usize) -> Moment {
        let time = self.times[member / BLOCK].0[member % ROWS][member % BLOCK / ROWS];
        Moment { time, low: self.tree.low(member) }
    }

    #[inline]
    fn set(&mut self, member: usize, at: Moment) {
        let tree = &mut self.tree;
        let block = &mut self.times[member / BLOCK].0;
        let time = &mut block[member % ROWS][member % BLOCK / ROWS];
        if FINE {
            if *time == at.time && tree.lows[member] == at.low {
                return;
            }
            tree.lows[member] = at.low;
        } else if *time == at.time {
            return;
        }
        *time = at.time;
        let leaf = tree.first + member / BLOCK;
        let before = tree.nodes[leaf];
        let mut now = pair(at.time, member);
        if slot(before) != member {
            if tree.min(before, now) == before {
                return;
            }
        } else if now >= before {
            now = earliest_of(tree, block, member / BLOCK * BLOCK);
            if FINE && now == before {
                tree.replay_low(leaf, now);
                return;
            }
        }
        tree.replay(leaf, now);
    }

    #[inline]
    fn earliest(&self) -> (Moment, usize) {
        self.tree.earliest()
    }
}

/// The earliest of a block; the lowest member wins ties.
#[inline]
fn earliest_of<const FINE: bool>(tree: &Tournament<FINE>, block: &[[f64; LANES]; ROWS], first: usize) -> Pair {
    let less = |one: f64, two: f64| if one < two { one } else { two };
    // Written such that the compiler makes one instruction of several lanes.
    let mut lanes = block[0];
    for row in &block[1..] {
        for lane in 0..LANES {
            lanes[lane] = less(row[lane], lanes[lane]);
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let earliest = less(less(less(a, e), less(b, f)), less(less(c, g), less(d, h)));
    let mut equal_lanes = 0_u32;
    for (lane, &time) in lanes.iter().enumerate() {
        equal_lanes |= if time == earliest { 1 << lane } else { 0 };
    }
    let lane = equal_lanes.trailing_zeros() as usize % LANES;
    let mut equal_rows = 0_u32;
    for (row, times) in block.iter().enumerate() {
        equal_rows |= if times[lane] == earliest { 1 << row } else { 0 };
    }
    let several = !equal_lanes.is_power_of_two() || !equal_rows.is_power_of_two();
    if FINE && several && earliest < f64::INFINITY {
        return finest_of(tree, block, first, earliest);
    }
    pair(earliest, first + lane * ROWS + equal_rows.trailing_zeros() as usize)
}

/// The earliest of a block where several come at one time.
#[cold]
#[inline(never)]
fn finest_of<const FINE: bool>(tree: &Tournament<FINE>, block: &[[f64; LANES]; ROWS], first: usize, time: f64) -> Pair {
    let members = (0..BLOCK).filter(|at| block[at % ROWS][at / ROWS] == time);
    members.map(|at| pair(time, first + at)).reduce(|one, two| tree.min(one, two)).unwrap_or(pair(time, first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{stream, uniform};

    /// The first of the earliest, by looking at all.
    fn naive(times: &[Moment]) -> (Moment, usize) {
        let mut best = (Moment::NEVER, 0);
        for (member, &at) in times.iter().enumerate() {
            if at.before(best.0) {
                best = (at, member);
            }
        }
        best
    }

    fn follows_the_naive_scan<const FINE: bool>(members: usize, method: Method) {
        let mut rng = stream(1, members as u64);
        let mut times = vec![Moment::NEVER; members];
        let mut structure = Times::<FINE>::new(members, method);
        for round in 0..4000 {
            if round == 2000 {
                times.resize(members + 70, Moment::NEVER);
                structure.grow(members + 70);
                structure.grow(members);
            }
            let member = (uniform(&mut rng) * times.len() as f64) as usize;
            // Few distinct values, so that ties are common.
            let time = (uniform(&mut rng) * 4.0).floor();
            let low = if FINE { (uniform(&mut rng) * 3.0).floor() * 1e-17 } else { 0.0 };
            let at = if time == 3.0 { Moment::NEVER } else { Moment { time, low } };
            times[member] = at;
            structure.set(member, at);
            let (expected, first) = naive(&times);
            assert_eq!(structure.earliest().0, expected);
            assert_eq!(structure.earliest().1, first);
            assert_eq!(structure.get(member), at);
            assert_eq!(structure.len(), times.len());
        }
    }

    #[test]
    fn the_lowest_member_of_the_earliest_is_first() {
        for members in [1, 2, 15, 16, 17, 33, 100, 500] {
            for method in [Method::PairTree, Method::Blocks] {
                follows_the_naive_scan::<false>(members, method);
                follows_the_naive_scan::<true>(members, method);
            }
        }
    }

    #[test]
    fn events_come_in_order() {
        let mut rng = stream(2, 0);
        for method in [Method::PairTree, Method::Blocks] {
            let members = 3000;
            let mut times = Times::<true>::new(members, method);
            for member in 0..members {
                times.set(member, Moment::at(0.0).after(uniform(&mut rng)));
            }
            let mut now = Moment::at(0.0);
            for _ in 0..200_000 {
                let (next, member) = times.earliest();
                assert!(!next.before(now));
                assert_eq!(times.get(member), next);
                now = next;
                times.set(member, now.after(uniform(&mut rng)));
                let other = (uniform(&mut rng) * members as f64) as usize;
                times.set(other, now.after(uniform(&mut rng)));
            }
        }
    }

    #[test]
    fn what_rounding_took_moves_a_member_to_the_front_and_back() {
        let moment = |low| Moment { time: 1.0, low };
        for method in [Method::PairTree, Method::Blocks] {
            let mut times = Times::<true>::new(1000, method);
            for member in 0..1000 {
                times.set(member, moment(1e-17));
            }
            assert_eq!(times.earliest(), (moment(1e-17), 0));
            for member in [999, 17, 500, 0] {
                times.set(member, moment(-1e-17));
                assert_eq!(times.earliest(), (moment(-1e-17), member));
                times.set(member, moment(2e-17));
                assert_eq!(times.earliest(), (moment(1e-17), usize::from(member == 0)));
                times.set(member, moment(1e-17));
                assert_eq!(times.earliest(), (moment(1e-17), 0));
            }
        }
    }

    #[test]
    fn families_grow_one_by_one() {
        for method in [Method::PairTree, Method::Blocks] {
            let mut times = Times::<false>::new(0, method);
            for member in 0..3000 {
                times.grow(member + 1);
                times.set(member, Moment::at(5000.0 - member as f64));
                assert_eq!(times.earliest(), (Moment::at(5000.0 - member as f64), member));
            }
            assert_eq!(times.len(), 3000);
        }
    }

    #[test]
    fn a_family_without_members_never_rings() {
        for method in [Method::BySize, Method::PairTree, Method::Blocks] {
            let mut times = Times::<true>::new(0, method);
            assert_eq!(times.earliest(), (Moment::NEVER, 0));
            times.grow(3);
            times.set(2, Moment::at(1.0));
            assert_eq!(times.earliest(), (Moment::at(1.0), 2));
        }
    }
}
