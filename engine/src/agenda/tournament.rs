//! Which slot is first: a tournament over all of them.
//!
//! Its nodes hold the time of their winner together with its slot, so that a change replays one path without lookups.
//! These are left to slots whose times are equal.

use crate::moment::Moment;

/// Slots in the order of moment, then of rank, then of a number.
///
/// The root is node 1, the children of node `i` are nodes `2 i` and `2 i + 1`, and the second half of the nodes are the
/// slots.
#[derive(Clone)]
pub(super) struct Tournament<R> {
    nodes: Vec<Pair>,
    places: Vec<Place<R>>,
}

/// What decides between equal times.
#[derive(Clone, Copy)]
struct Place<R> {
    /// What rounding took from the time.
    low: f64,
    rank: R,
    order: u64,
}

impl<R: Copy + Ord> Tournament<R> {
    /// Without slots.
    pub(super) fn new() -> Self {
        Tournament { nodes: vec![Pair::never(0); 2], places: Vec::new() }
    }

    /// The first slot, and when it comes. There may be none that ever does.
    #[inline(always)]
    pub(super) fn first(&self) -> (Moment, u32) {
        self.moment_of(self.nodes[1])
    }

    /// The first slot but this one.
    pub(super) fn first_but(&self, slot: u32) -> (Moment, u32) {
        let mut first = Pair::never(slot);
        let mut node = self.leaf(slot);
        while node > 1 {
            first = earlier(first, self.nodes[node ^ 1], &self.places);
            node /= 2;
        }
        self.moment_of(first)
    }

    #[inline(always)]
    fn moment_of(&self, pair: Pair) -> (Moment, u32) {
        let moment = match self.places.get(pair.slot as usize) {
            Some(place) if pair.time < NEVER => Moment { time: f64::from_bits(pair.time), low: place.low },
            _ => Moment::NEVER,
        };
        (moment, pair.slot as u32)
    }

    /// When a slot comes.
    #[inline]
    pub(super) fn moment(&self, slot: u32) -> Moment {
        self.moment_of(self.nodes[self.leaf(slot)]).0
    }

    #[inline]
    pub(super) fn rank(&self, slot: u32) -> R {
        self.places[slot as usize].rank
    }

    #[inline]
    pub(super) fn order(&self, slot: u32) -> u64 {
        self.places[slot as usize].order
    }

    #[inline(always)]
    fn leaf(&self, slot: u32) -> usize {
        self.nodes.len() / 2 + slot as usize
    }

    /// Adds the slot that follows on the last one.
    #[cold]
    #[inline(never)]
    pub(super) fn push(&mut self, at: Moment, rank: R, order: u64) {
        let slot = self.places.len() as u32;
        self.places.push(Place { low: at.low, rank, order });
        if self.leaf(slot) == self.nodes.len() {
            self.double();
        }
        self.replay::<false>(Pair::new(at.time, slot));
    }

    fn double(&mut self) {
        let slots = self.nodes.len() / 2;
        let mut nodes = vec![Pair::never(0); 2 * slots];
        nodes.extend(&self.nodes[slots..]);
        nodes.extend((slots..2 * slots).map(|slot| Pair::never(slot as u32)));
        for node in (1..2 * slots).rev() {
            nodes[node] = earlier(nodes[2 * node], nodes[2 * node + 1], &self.places);
        }
        self.nodes = nodes;
    }

    /// Changes when a slot comes.
    #[inline]
    pub(super) fn set(&mut self, slot: u32, at: Moment, rank: R, order: u64) {
        self.places[slot as usize] = Place { low: at.low, rank, order };
        self.replay::<false>(Pair::new(at.time, slot));
    }

    /// The same for a slot that was the first one: whatever it comes to, most of its path changes.
    #[inline]
    pub(super) fn set_first(&mut self, slot: u32, at: Moment, rank: R, order: u64) {
        self.places[slot as usize] = Place { low: at.low, rank, order };
        self.replay::<true>(Pair::new(at.time, slot));
    }

    /// A slot comes no more.
    #[inline]
    pub(super) fn clear(&mut self, slot: u32) {
        self.replay::<false>(Pair::never(slot));
    }

    /// Changes a leaf and the nodes above; if not `WHOLE`, only as far as that makes a difference.
    #[inline(always)]
    fn replay<const WHOLE: bool>(&mut self, mut pair: Pair) {
        let slot = pair.slot;
        let mut node = self.leaf(slot as u32);
        self.nodes[node] = pair;
        while node > 1 {
            pair = earlier(pair, self.nodes[node ^ 1], &self.places);
            node /= 2;
            // Where another slot wins as before, nothing changes further up. This one may have changed in rank only.
            if !WHOLE && self.nodes[node] == pair && pair.slot != slot {
                return;
            }
            self.nodes[node] = pair;
        }
    }
}

/// A time, in bits, and its slot.
///
/// Times are not negative, so their bits are in order. Those that never come are all different: only real times can be
/// equal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Pair {
    time: u64,
    slot: u64,
}

const NEVER: u64 = f64::INFINITY.to_bits();

impl Pair {
    #[inline(always)]
    fn new(time: f64, slot: u32) -> Self {
        debug_assert!(time >= 0.0, "times are not negative");
        // Zero may come with a sign.
        let time = time.abs().to_bits();
        if time == NEVER { Pair::never(slot) } else { Pair { time, slot: u64::from(slot) } }
    }

    #[inline(always)]
    fn never(slot: u32) -> Self {
        let slot = u64::from(slot);
        Pair { time: NEVER | slot, slot }
    }
}

/// The earlier of two.
#[inline(always)]
fn earlier<R: Copy + Ord>(one: Pair, two: Pair, places: &[Place<R>]) -> Pair {
    // All ones or none, and the choice is made by bits: which one it is cannot be guessed, and of a comparison the compiler
    // may make a branch.
    let is_one = if one.time == two.time {
        earlier_of_equals(&places[one.slot as usize], &places[two.slot as usize])
    } else {
        sign(one.time.wrapping_sub(two.time))
    };
    let choose = |one: u64, two: u64| two ^ ((one ^ two) & is_one);
    Pair { time: choose(one.time, two.time), slot: choose(one.slot, two.slot) }
}

/// Between equal times.
#[cold]
#[inline(never)]
fn earlier_of_equals<R: Ord>(one: &Place<R>, two: &Place<R>) -> u64 {
    if one.low != two.low {
        return if one.low < two.low { u64::MAX } else { 0 };
    }
    // Another choice without a branch: the rank gives −1, 0 or 1, and the order −1 or 0.
    let by_rank = one.rank.cmp(&two.rank) as i64;
    sign((by_rank as u64).wrapping_add(sign(one.order.wrapping_sub(two.order))))
}

/// All ones if a difference is negative. Differences of numbers below 2⁶³ are.
#[inline(always)]
fn sign(difference: u64) -> u64 {
    (difference as i64 >> 63) as u64
}
