//! Ring times: the earliest, and the lowest slot among equals.
//!
//! Times are never NaN; a clock that is off has +∞. Up to some sixteen clocks a straight scan
//! wins, above that a pair tree: a flat tournament whose nodes hold the winner's time together with
//! its slot, so that a change replays one path without lookups.

use crate::moment::{Key, Moment};

/// A scan over ring times.
#[derive(Clone, Debug)]
pub struct Scan<K, const N: usize>([K; N]);

impl<K: Key, const N: usize> Scan<K, N> {
    /// All clocks off.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    pub fn new() -> Self {
        Scan([K::NEVER; N])
    }

    /// The earliest moment and its slot; the lowest slot wins ties.
    #[inline(always)]
    #[must_use]
    pub fn earliest(&self) -> (Moment, usize) {
        K::earliest(&self.0)
    }

    /// When `slot` rings.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> Moment {
        self.0[slot].moment()
    }

    /// Changes when `slot` rings.
    #[inline(always)]
    pub fn set(&mut self, slot: usize, at: Moment) {
        self.0[slot] = K::of(at);
    }
}

/// A tournament over ring times.
#[derive(Clone, Debug)]
pub struct PairTree<K> {
    /// Node `i` beats its children `2 i` and `2 i + 1`; the last half are the clocks.
    nodes: Box<[Pair<K>]>,
}

#[derive(Clone, Copy, Debug)]
struct Pair<K> {
    key: K,
    slot: u32,
}

impl<K: Key> PairTree<K> {
    /// `clocks` clocks, all of them off.
    #[must_use]
    pub fn new(clocks: usize) -> Self {
        let leaves = clocks.next_power_of_two().max(1);
        let mut nodes = vec![Pair { key: K::NEVER, slot: 0 }; 2 * leaves].into_boxed_slice();
        for (slot, node) in (0u32..).zip(&mut nodes[leaves..]) {
            node.slot = slot;
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i];
        }
        PairTree { nodes }
    }

    /// The earliest moment and its slot; the lowest slot wins ties.
    #[inline]
    #[must_use]
    pub fn earliest(&self) -> (Moment, usize) {
        let Pair { key, slot } = self.nodes[1];
        (key.moment(), slot as usize)
    }

    /// When `slot` rings.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: usize) -> Moment {
        self.nodes[self.nodes.len() / 2 + slot].key.moment()
    }

    /// Changes when `slot` rings, and replays its path.
    #[inline]
    pub fn set(&mut self, slot: usize, at: Moment) {
        let mut i = self.nodes.len() / 2 + slot;
        if self.nodes[i].key.moment() == at {
            return;
        }
        self.nodes[i].key = K::of(at);
        while i > 1 {
            i /= 2;
            let (left, right) = (self.nodes[2 * i], self.nodes[2 * i + 1]);
            self.nodes[i] = if right.key.before(left.key) { right } else { left };
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
            let mut tree = PairTree::<f64>::new(clocks);
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

    #[test]
    fn scan_takes_the_lowest_slot_of_equals() {
        assert_eq!(Scan([3.0, 1.0, 1.0]).earliest(), (Moment::at(1.0), 1));
        assert_eq!(Scan::<f64, 3>::new().earliest().0, Moment::NEVER);
    }

    #[test]
    fn what_rounding_took_decides_between_equal_times() {
        let (early, late) = (Moment { time: 1.0, low: -1e-17 }, Moment { time: 1.0, low: 1e-17 });
        assert_eq!(Scan([late, early]).earliest(), (early, 1));
        let mut tree = PairTree::<Moment>::new(2);
        tree.set(0, late);
        tree.set(1, early);
        assert_eq!(tree.earliest(), (early, 1));
    }
}
