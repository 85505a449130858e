//! Ring times: the earliest, and the lowest slot among equals.
//!
//! Times are never negative and never NaN; a clock that is off has +∞. Up to some sixteen clocks a
//! straight scan wins, above that a pair tree: a flat tournament whose nodes hold the winner's time
//! together with its slot, so that a change replays one path without lookups.

use crate::moment::Moment;

/// A scan over ring times. `FINE` says whether they are moments; if not, what rounding took from
/// them is 0.
#[derive(Clone, Debug)]
pub struct Scan<const FINE: bool, const N: usize> {
    times: [f64; N],
    // Apart from the times, which are what is looked at.
    lows: [f64; N],
}

impl<const FINE: bool, const N: usize> Scan<FINE, N> {
    /// All clocks off.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    pub fn new() -> Self {
        Scan { times: [f64::INFINITY; N], lows: [0.0; N] }
    }

    /// The earliest moment and its slot; the lowest slot wins ties.
    #[inline(always)]
    #[must_use]
    pub fn earliest(&self) -> (Moment, usize) {
        let mut time = self.times[0];
        let mut best = 0;
        for slot in 1..N {
            // That two come at one time is rare, and a branch that is never taken.
            let equal = FINE && self.times[slot] == time;
            if self.times[slot] < time || (equal && self.lows[slot] < self.lows[best]) {
                (time, best) = (self.times[slot], slot);
            }
        }
        (Moment { time, low: if FINE { self.lows[best] } else { 0.0 } }, best)
    }

    /// When `slot` rings.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Moment {
        Moment { time: self.times[slot], low: self.lows[slot] }
    }

    /// Changes when `slot` rings.
    #[inline(always)]
    pub fn set(&mut self, slot: usize, at: Moment) {
        self.times[slot] = at.time;
        if FINE {
            self.lows[slot] = at.low;
        }
    }
}

/// A tournament over ring times.
#[derive(Clone, Debug)]
pub struct PairTree<const FINE: bool> {
    clocks: usize,
    tournament: Tournament<FINE>,
}

impl<const FINE: bool> PairTree<FINE> {
    /// `clocks` clocks, all of them off.
    #[must_use]
    pub fn new(clocks: usize) -> Self {
        PairTree { clocks, tournament: Tournament::new(clocks, 1) }
    }

    /// How many clocks there are.
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "only generated code asks")]
    pub fn len(&self) -> usize {
        self.clocks
    }

    /// The earliest moment and its slot; the lowest slot wins ties.
    #[inline]
    #[must_use]
    pub fn earliest(&self) -> (Moment, usize) {
        self.tournament.earliest()
    }

    /// When `slot` rings.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: usize) -> Moment {
        Moment { time: time(self.tournament.nodes[self.tournament.first + slot]), low: self.tournament.low(slot) }
    }

    /// Changes when `slot` rings, and replays its path.
    #[inline]
    pub fn set(&mut self, slot: usize, at: Moment) {
        let tournament = &mut self.tournament;
        let leaf = tournament.first + slot;
        let pair = pair(at.time, slot);
        let moved = tournament.nodes[leaf] != pair;
        if FINE && tournament.lows[slot] != at.low {
            tournament.lows[slot] = at.low;
            if !moved {
                tournament.replay_low(leaf, pair);
            }
        }
        if moved {
            tournament.replay(leaf, pair);
        }
    }

    /// Adds clocks that are off until there are `clocks`.
    pub fn grow(&mut self, clocks: usize) {
        if clocks > self.clocks {
            self.tournament.grow(clocks, 1);
            self.clocks = clocks;
        }
    }
}

/// A time as an integer that is ordered like it, and behind it, in the low 32 bits, a slot.
///
/// Times are not negative, so their bits are in order. Those of clocks that are off are all
/// different: only real times can be equal.
pub(super) type Pair = u128;

const NEVER: u64 = f64::INFINITY.to_bits();

#[inline(always)]
pub(super) fn pair(time: f64, slot: usize) -> Pair {
    debug_assert!(time >= 0.0);
    // Zero may come with a sign.
    let bits = time.abs().to_bits();
    let bits = if bits == NEVER { NEVER | slot as u64 } else { bits };
    Pair::from(bits) << 64 | slot as Pair
}

#[inline(always)]
pub(super) fn time(pair: Pair) -> f64 {
    f64::from_bits(((pair >> 64) as u64).min(NEVER))
}

#[inline(always)]
pub(super) fn slot(pair: Pair) -> usize {
    pair as u32 as usize
}

/// A flat tree in which each node is the earliest of its four children.
///
/// The root is node 3, the children of node `i` are the four from `4 i − 8` on, and the last nodes
/// are the leaves. With pairs as integers, the earlier of two is their minimum, without a branch, and
/// the lower slot wins ties.
#[derive(Clone, Debug)]
pub(super) struct Tournament<const FINE: bool> {
    pub(super) nodes: Vec<Pair>,
    /// The first leaf.
    pub(super) first: usize,
    /// With FINE, what rounding took from each slot's time.
    pub(super) lows: Vec<f64>,
}

const ROOT: usize = 3;

impl<const FINE: bool> Tournament<FINE> {
    /// For so many slots, of which `stride` each share a leaf; all are off.
    pub(super) fn new(slots: usize, stride: usize) -> Self {
        assert!(u32::try_from(slots).is_ok(), "there are fewer than 2^32 clocks");
        let mut new = Tournament { nodes: Vec::new(), first: 0, lows: Vec::new() };
        new.plant(slots.div_ceil(stride), stride);
        if FINE {
            // Even if there are none, one is the earliest.
            new.lows.resize(slots.max(1), 0.0);
        }
        new.replay_all();
        new
    }

    /// At least so many leaves; all are off, and the nodes above are not yet right.
    fn plant(&mut self, leaves: usize, stride: usize) {
        let inner = leaves.saturating_sub(1).div_ceil(3);
        self.first = ROOT + inner;
        self.nodes = vec![pair(f64::INFINITY, 0); 4 * inner + 4];
        for (leaf, node) in self.nodes[self.first..].iter_mut().enumerate() {
            *node = pair(f64::INFINITY, leaf * stride);
        }
    }

    /// The earliest moment and its slot.
    #[inline(always)]
    pub(super) fn earliest(&self) -> (Moment, usize) {
        let root = self.nodes[ROOT];
        (Moment { time: time(root), low: self.low(slot(root)) }, slot(root))
    }

    #[inline(always)]
    pub(super) fn low(&self, slot: usize) -> f64 {
        if FINE { self.lows[slot] } else { 0.0 }
    }

    /// The earlier one.
    #[inline(always)]
    pub(super) fn min(&self, one: Pair, two: Pair) -> Pair {
        if FINE && (one >> 64) as u64 == (two >> 64) as u64 {
            return self.finer(one, two);
        }
        one.min(two)
    }

    /// The earlier of two at the same time.
    #[cold]
    #[inline(never)]
    fn finer(&self, one: Pair, two: Pair) -> Pair {
        let (low_one, low_two) = (self.lows[slot(one)], self.lows[slot(two)]);
        if low_one == low_two {
            one.min(two)
        } else if low_one < low_two {
            one
        } else {
            two
        }
    }

    /// Changes the pair of a leaf, and those above as far as that makes a difference.
    #[inline(always)]
    pub(super) fn replay(&mut self, leaf: usize, mut pair: Pair) {
        let mut i = leaf;
        self.nodes[i] = pair;
        while i > ROOT {
            let beside = self.nodes[i ^ 1];
            let others = self.min(self.nodes[i ^ 2], self.nodes[i ^ 3]);
            pair = self.min(pair, self.min(beside, others));
            i = i / 4 + 2;
            if self.nodes[i] == pair {
                return;
            }
            self.nodes[i] = pair;
        }
    }

    /// The same if what rounding took from a leaf's time has changed and nothing else: that makes a
    /// difference further up too.
    #[cold]
    #[inline(never)]
    pub(super) fn replay_low(&mut self, leaf: usize, pair: Pair) {
        let mut i = leaf;
        self.nodes[i] = pair;
        while i > ROOT {
            i = i / 4 + 2;
            self.nodes[i] = self.best_below(i);
        }
    }

    fn best_below(&self, i: usize) -> Pair {
        let [a, b, c, d] = [0, 1, 2, 3].map(|child| self.nodes[4 * i - 8 + child]);
        self.min(self.min(a, b), self.min(c, d))
    }

    fn replay_all(&mut self) {
        for i in (ROOT..self.first).rev() {
            self.nodes[i] = self.best_below(i);
        }
    }

    /// Makes room for `slots`.
    #[cold]
    #[inline(never)]
    pub(super) fn grow(&mut self, slots: usize, stride: usize) {
        assert!(u32::try_from(slots).is_ok(), "there are fewer than 2^32 clocks");
        if FINE {
            self.lows.resize(slots, 0.0);
        }
        let leaves = self.nodes.len() - self.first;
        if slots.div_ceil(stride) > leaves {
            let old = self.nodes.split_off(self.first);
            self.plant(slots.div_ceil(stride).max(leaves + leaves / 2), stride);
            self.nodes[self.first..][..leaves].copy_from_slice(&old);
            self.replay_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{stream, uniform};

    #[test]
    fn pair_tree_is_a_scan_that_remembers() {
        for clocks in [1, 2, 3, 7, 16, 65] {
            let mut rng = stream(1, clocks as u64);
            let mut times = vec![f64::INFINITY; clocks];
            let mut tree = PairTree::<false>::new(clocks);
            for _ in 0..2000 {
                let slot = (uniform(&mut rng) * clocks as f64) as usize;
                // Few distinct values, so that ties are common.
                let time = (uniform(&mut rng) * 4.0).floor();
                times[slot] = if time == 3.0 { f64::INFINITY } else { time };
                tree.set(slot, Moment::at(times[slot]));
                let best = times.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(tree.earliest().0.time, best);
                assert_eq!(tree.earliest().1, times.iter().position(|&t| t == best).unwrap_or(0));
                assert_eq!(tree.get(slot).time, times[slot]);
            }
        }
    }

    fn scan<const FINE: bool, const N: usize>(moments: [Moment; N]) -> Scan<FINE, N> {
        let mut scan = Scan::new();
        for (slot, &at) in moments.iter().enumerate() {
            scan.set(slot, at);
        }
        scan
    }

    #[test]
    fn scan_takes_the_lowest_slot_of_equals() {
        assert_eq!(scan::<false, 3>([3.0, 1.0, 1.0].map(Moment::at)).earliest(), (Moment::at(1.0), 1));
        assert_eq!(scan::<true, 3>([3.0, 1.0, 1.0].map(Moment::at)).earliest(), (Moment::at(1.0), 1));
        assert_eq!(Scan::<true, 3>::new().earliest().0, Moment::NEVER);
    }

    #[test]
    fn what_rounding_took_decides_between_equal_times() {
        let (early, late) = (Moment { time: 1.0, low: -1e-17 }, Moment { time: 1.0, low: 1e-17 });
        assert_eq!(scan::<true, 2>([late, early]).earliest(), (early, 1));
        let mut tree = PairTree::<true>::new(2);
        tree.set(0, late);
        tree.set(1, early);
        assert_eq!(tree.earliest(), (early, 1));
    }
}
