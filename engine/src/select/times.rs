//! Ring times: the earliest, and the lowest slot among equals.
//!
//! Times are never NaN; a clock that is off has +∞. Up to some sixteen clocks a straight scan
//! wins, above that a pair tree: a flat tournament whose nodes hold the winner's time together with
//! its slot, so that a change replays one path without lookups.

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
    /// Node `i` beats its children `2 i` and `2 i + 1`; the last half are the clocks.
    nodes: Box<[Pair]>,
    /// What rounding took from each clock's time.
    lows: Box<[f64]>,
}

#[derive(Clone, Copy, Debug)]
struct Pair {
    time: f64,
    slot: u32,
}

impl<const FINE: bool> PairTree<FINE> {
    /// `clocks` clocks, all of them off.
    #[must_use]
    pub fn new(clocks: usize) -> Self {
        let leaves = clocks.next_power_of_two().max(1);
        let mut nodes = vec![Pair { time: f64::INFINITY, slot: 0 }; 2 * leaves].into_boxed_slice();
        for (slot, node) in (0u32..).zip(&mut nodes[leaves..]) {
            node.slot = slot;
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i];
        }
        PairTree { nodes, lows: vec![0.0; leaves].into_boxed_slice() }
    }

    /// The earliest moment and its slot; the lowest slot wins ties.
    #[inline]
    #[must_use]
    pub fn earliest(&self) -> (Moment, usize) {
        let Pair { time, slot } = self.nodes[1];
        (Moment { time, low: self.lows[slot as usize] }, slot as usize)
    }

    /// When `slot` rings.
    #[inline]
    #[must_use]
    pub fn get(&self, slot: usize) -> Moment {
        Moment { time: self.nodes[self.nodes.len() / 2 + slot].time, low: self.lows[slot] }
    }

    /// Changes when `slot` rings, and replays its path.
    #[inline]
    pub fn set(&mut self, slot: usize, at: Moment) {
        if self.get(slot) == at {
            return;
        }
        let mut i = self.nodes.len() / 2 + slot;
        self.nodes[i].time = at.time;
        if FINE {
            self.lows[slot] = at.low;
        }
        while i > 1 {
            i /= 2;
            let (left, right) = (self.nodes[2 * i], self.nodes[2 * i + 1]);
            let equal = FINE && left.time == right.time && left.time < f64::INFINITY;
            let goes_right = if equal {
                self.lows[right.slot as usize] < self.lows[left.slot as usize]
            } else {
                right.time < left.time
            };
            self.nodes[i] = if goes_right { right } else { left };
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
