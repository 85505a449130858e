//! Ring times: the earliest, and the lowest slot among equals.
//!
//! Times are never NaN; a clock that is off has +∞. Up to some sixteen clocks a straight scan
//! wins, above that a pair tree: a flat tournament whose nodes hold the winner's time together with
//! its slot, so that a change replays one path without lookups.

use std::cmp::Ordering;

/// A scan over ring times.
#[derive(Clone, Debug)]
pub struct Scan<const N: usize>([f64; N]);

impl<const N: usize> Default for Scan<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Scan<N> {
    /// All clocks off.
    #[must_use]
    pub fn new() -> Self {
        Scan([f64::INFINITY; N])
    }

    /// The earliest time and its slot; the lowest slot wins ties.
    #[inline(always)]
    #[must_use]
    pub fn earliest(&self) -> (f64, usize) {
        let mut best = (self.0[0], 0);
        for (slot, &time) in self.0.iter().enumerate().skip(1) {
            if time < best.0 {
                best = (time, slot);
            }
        }
        best
    }

    /// The ring time of `slot`.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, slot: usize) -> f64 {
        self.0[slot]
    }

    /// Changes the ring time of `slot`.
    #[inline(always)]
    pub fn set(&mut self, slot: usize, time: f64) {
        self.0[slot] = time;
    }
}

/// A tournament over ring times.
#[derive(Clone, Debug)]
pub struct PairTree {
    /// Node `i` beats its children `2 i` and `2 i + 1`; the last half are the clocks.
    nodes: Box<[Pair]>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    /// Bits of a time that is not negative: they order as the times do.
    time: u64,
    slot: u32,
}

impl PairTree {
    /// `clocks` clocks, all of them off.
    #[must_use]
    pub fn new(clocks: usize) -> Self {
        let leaves = clocks.next_power_of_two().max(1);
        let mut nodes = vec![Pair { time: f64::INFINITY.to_bits(), slot: 0 }; 2 * leaves].into_boxed_slice();
        for (slot, node) in (0u32..).zip(&mut nodes[leaves..]) {
            node.slot = slot;
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i];
        }
        PairTree { nodes }
    }

    /// The earliest time and its slot; the lowest slot wins ties.
    #[inline]
    #[must_use]
    pub fn earliest(&self) -> (f64, usize) {
        let Pair { time, slot } = self.nodes[1];
        (f64::from_bits(time), slot as usize)
    }

    /// The ring time of `slot`.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: usize) -> f64 {
        f64::from_bits(self.nodes[self.nodes.len() / 2 + slot].time)
    }

    /// Changes the ring time of `slot` and replays its path.
    #[inline]
    pub fn set(&mut self, slot: usize, time: f64) {
        // `+ 0.0` turns −0.0 into 0.0, whose bits order rightly.
        let time = (time + 0.0).to_bits();
        let mut i = self.nodes.len() / 2 + slot;
        if self.nodes[i].time == time {
            return;
        }
        self.nodes[i].time = time;
        while i > 1 {
            i /= 2;
            let (left, right) = (self.nodes[2 * i], self.nodes[2 * i + 1]);
            self.nodes[i] = if right.time.cmp(&left.time) == Ordering::Less { right } else { left };
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
            let mut tree = PairTree::new(clocks);
            for _ in 0..2000 {
                let slot = (uniform(&mut rng) * clocks as f64) as usize;
                // Few distinct values, so that ties are common.
                let time = (uniform(&mut rng) * 4.0).floor();
                times[slot] = if time == 3.0 { f64::INFINITY } else { time };
                tree.set(slot, times[slot]);
                let best = times.iter().copied().fold(f64::INFINITY, f64::min);
                assert_eq!(tree.earliest().0, best);
                assert_eq!(tree.earliest().1, times.iter().position(|&t| t == best).unwrap_or(0));
                assert_eq!(tree.get(slot), times[slot]);
            }
        }
    }

    #[test]
    fn scan_takes_the_lowest_slot_of_equals() {
        assert_eq!(Scan([3.0, 1.0, 1.0]).earliest(), (1.0, 1));
        assert_eq!(Scan::<3>::new().earliest().0, f64::INFINITY);
    }

    #[test]
    fn negative_zero_is_zero() {
        let mut tree = PairTree::new(2);
        tree.set(0, 1.0);
        tree.set(1, -0.0);
        assert_eq!(tree.earliest(), (0.0, 1));
    }
}
