//! The earliest of many ring times.

use std::hint::select_unpredictable;

/// A time that is not negative, in bits, which are in the order of the times, and whose it is.
#[derive(Clone, Copy)]
struct Pair {
    time: u64,
    clock: u64,
}

impl Pair {
    #[inline]
    fn new(time: f64, clock: usize) -> Self {
        Pair { time: time.to_bits(), clock: clock as u64 }
    }

    /// The earlier of this and the other child, which is to the left if `left` is 1, and to the
    /// right if it is 0; among equals the one to the left.
    #[inline]
    fn earlier(self, other: Self, left: u64) -> Self {
        let it = other.time < self.time + left;
        Pair {
            time: select_unpredictable(it, other.time, self.time),
            clock: select_unpredictable(it, other.clock, self.clock),
        }
    }
}

/// A tournament over ring times. A node holds the earlier of its children, so that a change
/// replays its path without lookups.
pub struct Pairs {
    /// The root at 1, the children of node `i` at `2 i` and `2 i + 1`.
    nodes: Vec<Pair>,
}

impl Pairs {
    /// Clocks that ring at these times.
    pub fn new(times: impl ExactSizeIterator<Item = f64>) -> Self {
        let leaves = times.len().next_power_of_two();
        let mut nodes = vec![Pair::new(f64::INFINITY, leaves); 2 * leaves];
        for (clock, time) in times.enumerate() {
            nodes[leaves + clock] = Pair::new(time, clock);
        }
        for node in (1..leaves).rev() {
            nodes[node] = nodes[2 * node].earlier(nodes[2 * node + 1], 0);
        }
        Pairs { nodes }
    }

    /// The earliest time, and whose it is.
    #[inline]
    pub fn first(&self) -> (f64, usize) {
        (f64::from_bits(self.nodes[1].time), self.nodes[1].clock as usize)
    }

    #[inline]
    pub fn set(&mut self, clock: usize, time: f64) {
        self.set_leaf(clock, time, clock);
    }

    #[inline]
    fn set_leaf(&mut self, leaf: usize, time: f64, clock: usize) {
        let mut best = Pair::new(time, clock);
        let mut node = self.nodes.len() / 2 + leaf;
        self.nodes[node] = best;
        while node > 1 {
            best = best.earlier(self.nodes[node ^ 1], node as u64 & 1);
            node /= 2;
            self.nodes[node] = best;
        }
    }
}

/// Clocks of a block.
const BLOCK: usize = 8;

/// Blocks of ring times, a cache line each, under a tournament of their earliest.
pub struct Blocks {
    times: Vec<Block>,
    first: Pairs,
}

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Block([f64; BLOCK]);

impl Block {
    /// The earliest, and which of the block it is; the first one among equals.
    #[inline]
    fn first(&self) -> (f64, usize) {
        let earliest = self.0.iter().fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
        let equal = self.0.iter().enumerate().fold(0_u32, |bits, (i, &time)| bits | u32::from(time == earliest) << i);
        (earliest, equal.trailing_zeros() as usize % BLOCK)
    }
}

impl Blocks {
    /// Clocks that ring at these times.
    pub fn new(times: impl ExactSizeIterator<Item = f64>) -> Self {
        let mut blocks = vec![Block([f64::INFINITY; BLOCK]); times.len().div_ceil(BLOCK)];
        for (clock, time) in times.enumerate() {
            blocks[clock / BLOCK].0[clock % BLOCK] = time;
        }
        let mut first = Pairs::new(blocks.iter().map(|_| f64::INFINITY));
        for (i, block) in blocks.iter().enumerate() {
            let (time, which) = block.first();
            first.set_leaf(i, time, BLOCK * i + which);
        }
        Blocks { times: blocks, first }
    }

    /// The earliest time, and whose it is.
    #[inline]
    pub fn first(&self) -> (f64, usize) {
        self.first.first()
    }

    #[inline]
    pub fn set(&mut self, clock: usize, time: f64) {
        let block = clock / BLOCK;
        self.times[block].0[clock % BLOCK] = time;
        let (time, which) = self.times[block].first();
        self.first.set_leaf(block, time, BLOCK * block + which);
    }
}
