//! Rates of the members of one family of clocks.
//!
//! Small families stand in a [tree of sums](super::rates), large ones in a structure of constant
//! cost: composition and rejection.

use rand::Rng as _;

use super::rates as tree;
use crate::rng::{Rng, uniform};

/// From this many members on, composition and rejection are usually faster than the tree.
const LARGE: usize = 64;

/// Which structure the rates of a family stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The faster one for the number of members there are at the start.
    BySize,
    /// A tree of sums: log n steps for a change and for a choice.
    Tree,
    /// Composition and rejection: the same cost for any number of members.
    Composition,
}

/// The rates of a family, and a choice among its members in proportion to them.
#[derive(Clone, Debug)]
pub struct Rates {
    structure: Structure,
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each family, and a box would cost a lookup")]
enum Structure {
    Tree(Tree),
    Composition(Composition),
}

impl Rates {
    /// `members` members, all of rate 0.
    #[must_use]
    pub fn new(members: usize, method: Method) -> Self {
        let composed = match method {
            Method::BySize => members >= LARGE,
            Method::Tree => false,
            Method::Composition => true,
        };
        let structure = if composed {
            Structure::Composition(Composition::new(members))
        } else {
            Structure::Tree(Tree::new(members))
        };
        Rates { structure }
    }

    /// How many members there are.
    #[inline]
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "only generated code asks")]
    pub fn len(&self) -> usize {
        match &self.structure {
            Structure::Tree(tree) => tree.len,
            Structure::Composition(composition) => composition.rates.len(),
        }
    }

    /// The rate of `member`.
    #[inline]
    #[must_use]
    pub fn get(&self, member: usize) -> f64 {
        match &self.structure {
            Structure::Tree(tree) => tree.get(member),
            Structure::Composition(composition) => composition.rates[member],
        }
    }

    /// Changes the rate of `member`. It must be finite and not negative.
    #[inline]
    pub fn set(&mut self, member: usize, rate: f64) {
        match &mut self.structure {
            Structure::Tree(tree) => tree.set(member, rate),
            Structure::Composition(composition) => composition.set(member, rate),
        }
    }

    /// The sum of all rates.
    #[inline]
    #[must_use]
    pub fn total(&self) -> f64 {
        match &self.structure {
            Structure::Tree(tree) => tree.nodes[1],
            Structure::Composition(composition) => composition.sums.total(),
        }
    }

    /// A member in proportion to its rate: by `x`, uniform on [0, total), or by draws of its own.
    ///
    /// The total must be positive. A member of rate 0 is never picked, whatever rounding says; if it
    /// says that `x` is the total or above, one of the last members is.
    #[inline]
    #[must_use]
    pub fn pick(&self, x: f64, rng: &mut Rng) -> usize {
        match &self.structure {
            Structure::Tree(tree) => tree.pick(x),
            Structure::Composition(composition) => composition.pick(rng),
        }
    }

    /// Adds members of rate 0 until there are `members`.
    pub fn grow(&mut self, members: usize) {
        match &mut self.structure {
            Structure::Tree(tree) => tree.grow(members),
            Structure::Composition(composition) => composition.grow(members),
        }
    }
}

#[derive(Clone, Debug)]
struct Tree {
    nodes: Vec<f64>,
    len: usize,
}

impl Tree {
    fn new(members: usize) -> Self {
        Tree { nodes: vec![0.0; 2 * members.next_power_of_two()], len: members }
    }

    #[inline]
    fn get(&self, member: usize) -> f64 {
        self.nodes[self.nodes.len() / 2 + member]
    }

    #[inline]
    fn set(&mut self, member: usize, rate: f64) {
        tree::set(&mut self.nodes, member, rate);
    }

    #[inline]
    fn pick(&self, x: f64) -> usize {
        tree::descend(&self.nodes, x).0
    }

    fn grow(&mut self, members: usize) {
        if members <= self.len {
            return;
        }
        let leaves = self.nodes.len() / 2;
        if members > leaves {
            let more = members.next_power_of_two();
            let mut nodes = vec![0.0; 2 * more];
            nodes[more..more + self.len].copy_from_slice(&self.nodes[leaves..leaves + self.len]);
            for node in (1..more).rev() {
                nodes[node] = nodes[2 * node] + nodes[2 * node + 1];
            }
            self.nodes = nodes;
        }
        self.len = members;
    }
}

/// Composition and rejection (Slepoy, Thompson and Plimpton, 2008), in two parts.
///
/// Up to a common bound, rates are found by rejection alone: a member is drawn uniformly and
/// accepted with the probability rate over bound. What a rate has above the bound stands in
/// [levels](Levels). Where that would reject too often, since most members have far smaller rates
/// or none at all, the bound is 0 and all rates stand in the levels.
#[derive(Clone, Debug)]
struct Composition {
    rates: Vec<f64>,
    sums: Sums,
    bound: f64,
    /// Bits of the largest rate up to which a change is one of the sums and of nothing else.
    small: u64,
    /// Changes until the next [look](Self::look).
    patience: u64,
    /// Looks until the next [review](Self::review).
    looks: u32,
    /// As many were to be made after the last one.
    last_looks: u32,
    /// With more members than this, a look is due too.
    most: usize,
    /// What is drawn from if there is a bound: a slot for each member, and some for the levels.
    slots: u64,
    /// How often one of those for the levels really is.
    share: f64,
    levels: Levels,
    /// For each member that stands in a level, where in its list.
    places: Vec<u32>,
}

// Costs are measured ones, in units of a draw of a member and the comparison with its rate.

/// What an event may cost when a bound is taken. Without a bound, it is about that.
const COST: f64 = 7.0;
/// What it may cost later on, before another bound is looked for.
const WORST_COST: f64 = 10.0;
/// What a choice in the levels costs beside a bound.
const LEVEL_COST: f64 = 12.0;
/// What changes cost if all rates are above the bound.
const ABOVE_COST: f64 = 8.0;
/// The least mean of min(rate, bound) over the bound, when a bound is taken and later on.
const FULL: f64 = 1.0 / 8.0;
const LEAST_FULL: f64 = 1.0 / 16.0;
/// Slots for the levels at the most.
const MANY_SLOTS: f64 = 4_294_967_296.0;

impl Composition {
    fn new(members: usize) -> Self {
        assert!(u32::try_from(members).is_ok(), "a family has fewer than 2^32 members");
        let mut new = Composition {
            rates: vec![0.0; members],
            sums: Sums::new(),
            bound: 0.0,
            small: 0,
            patience: 0,
            looks: 1,
            last_looks: 1,
            most: 0,
            slots: 0,
            share: 0.0,
            levels: Levels::new(),
            places: vec![0; members],
        };
        new.wait(0.0);
        new
    }

    #[inline]
    fn set(&mut self, member: usize, rate: f64) {
        let old = self.rates[member];
        if old == rate {
            return;
        }
        self.rates[member] = rate;
        let (before, after) = (old.to_bits(), rate.to_bits());
        if before.max(after) <= self.small && self.sums.holds(before, after) {
            self.sums.change(before, after);
            self.tick();
        } else {
            self.set_above(member, old, rate);
        }
    }

    #[inline]
    fn tick(&mut self) {
        self.patience -= 1;
        if self.patience == 0 {
            self.look();
        }
    }

    /// A change that may be one of the levels too.
    #[inline(never)]
    fn set_above(&mut self, member: usize, old: f64, rate: f64) {
        let (before, after) = (old.to_bits(), rate.to_bits());
        if before.max(after) <= self.sums.top && self.sums.holds(before, after) {
            self.sums.change(before, after);
        } else {
            self.set_outside(member, before, rate);
        }
        let from = level_or_none(old - self.bound);
        let to = level_or_none(rate - self.bound);
        if from != to {
            if from > 0 {
                self.levels.remove(from, member, &mut self.places);
            }
            if to > 0 {
                self.levels.insert(to, member, &mut self.places);
            }
            if self.bound > 0.0 {
                self.weigh();
            }
        }
        self.tick();
    }

    #[cold]
    #[inline(never)]
    fn set_outside(&mut self, member: usize, before: u64, rate: f64) {
        // A zero may come with a sign.
        let rate = rate + 0.0;
        self.rates[member] = rate;
        self.sums.change_any(before, rate.to_bits());
        self.small = self.bound.to_bits().min(self.sums.top);
    }

    /// The slots for the levels, after a change of what they weigh.
    #[inline]
    fn weigh(&mut self) {
        let weight = self.levels.bound() / self.bound;
        if weight < MANY_SLOTS {
            let slots = if weight > 0.0 { weight as i64 + 1 } else { 0 };
            self.slots = self.rates.len() as u64 + slots as u64;
            self.share = weight / slots.max(1) as f64;
        } else {
            self.rebuild(0.0, self.bound.to_bits());
        }
    }

    #[inline]
    fn pick(&self, rng: &mut Rng) -> usize {
        if self.bound == 0.0 {
            return self.pick_level(rng);
        }
        let step = self.bound * (1.0 / 9_223_372_036_854_775_808.0);
        loop {
            let product = u128::from(rng.next_u64()) * u128::from(self.slots);
            let slot = (product >> 64) as usize;
            if let Some(&rate) = self.rates.get(slot) {
                // 63 bits, since only signed integers are converted fast.
                if (product as u64 >> 1) as i64 as f64 * step < rate {
                    return slot;
                }
            } else if let Some(member) = self.pick_above(rng) {
                return member;
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn pick_above(&self, rng: &mut Rng) -> Option<usize> {
        if uniform(rng) < self.share { self.levels.pick(&self.rates, self.bound, rng) } else { None }
    }

    #[inline(never)]
    fn pick_level(&self, rng: &mut Rng) -> usize {
        loop {
            if let Some(member) = self.levels.pick(&self.rates, 0.0, rng) {
                return member;
            }
        }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, members: usize) {
        if members > self.rates.len() {
            assert!(u32::try_from(members).is_ok(), "a family has fewer than 2^32 members");
            self.rates.resize(members, 0.0);
            self.places.resize(members, 0);
            if self.bound > 0.0 {
                self.weigh();
            }
            if members > self.most {
                self.look();
            }
        }
    }

    /// Puts off the next look. If there is a bound, `full` is the sum of all min(rate, bound) over the
    /// bound; a change takes at most 1 from it, so that until then it is at least half of that, and a
    /// draw is not rejected for ever.
    fn wait(&mut self, full: f64) {
        let members = self.rates.len();
        self.patience = if self.bound > 0.0 { (full / 2.0) as u64 } else { members as u64 / 8 };
        self.patience = self.patience.max(if self.bound > 0.0 { 1 } else { 64 });
        self.most = members + members / 2;
    }

    /// Sees every now and then whether the bound still fits the rates.
    #[cold]
    #[inline(never)]
    fn look(&mut self) {
        self.looks = self.looks.saturating_sub(1);
        let mut fits = self.looks > 0;
        let mut full = 0.0;
        if self.bound > 0.0 {
            let members = self.rates.len() as f64;
            let total = self.sums.total();
            let (count, above) = self.levels.above(&self.rates, self.bound);
            // A difference may be nothing but rounding.
            full = ((total - above - 1e-12 * total) / self.bound).max(count);
            let cost = cost(members, self.bound, total, count, above);
            fits = fits && cost <= WORST_COST && full >= LEAST_FULL * members;
        }
        if fits {
            self.wait(full);
        } else {
            self.last_looks = (2 * self.last_looks).min(64);
            self.looks = self.last_looks;
            self.review();
        }
    }

    /// Looks at every rate, for the bound that fits best.
    fn review(&mut self) {
        let members = self.rates.len() as f64;
        let mut lowest = u64::MAX;
        let mut highest = 0;
        let mut total = 0.0;
        let (mut count, mut above) = (0.0, 0.0);
        for &rate in &self.rates {
            // Zero becomes the highest.
            lowest = lowest.min(rate.to_bits().wrapping_sub(1));
            highest = highest.max(rate.to_bits());
            total += rate;
            if rate > self.bound {
                count += 1.0;
                above += rate - self.bound;
            }
        }
        let current_full = if self.bound > 0.0 { (total - above) / self.bound } else { 0.0 };
        let current_cost = cost(members, self.bound, total, count, above);
        let (best_cost, best_bound, best_full) = self.best_bound(lowest, highest, total);
        let window = self.sums.below..=self.sums.top;
        let outside = highest > 0 && !window.contains(&highest);
        let stays = self.bound > 0.0
            && current_cost <= WORST_COST.min(best_cost / 0.9)
            && current_full >= LEAST_FULL * members
            && !outside;
        if stays {
            self.wait(current_full);
        } else if best_bound > 0.0 {
            self.rebuild(best_bound, highest);
            self.wait(best_full);
        } else {
            if self.bound > 0.0 || outside {
                self.rebuild(0.0, highest);
            }
            self.wait(0.0);
        }
    }

    /// A bound with its cost and sum of min(rate, bound) over the bound; 0 if none is worth it.
    fn best_bound(&self, lowest: u64, highest: u64, total: f64) -> (f64, f64, f64) {
        let mut best = (f64::INFINITY, 0.0, 0.0);
        if highest == 0 {
            return best;
        }
        let members = self.rates.len() as f64;
        let bottom = level_of(lowest + 1);
        // For each level: how many, their sum, the largest.
        let mut levels = vec![(0.0, 0.0, 0.0_f64); (level_of(highest) - bottom + 1) as usize];
        for &rate in self.rates.iter().filter(|&&rate| rate > 0.0) {
            let (count, sum, largest) = &mut levels[(level_of(rate.to_bits()) - bottom) as usize];
            *count += 1.0;
            *sum += rate;
            *largest = largest.max(rate);
        }
        let mut below: f64 = levels.iter().map(|&(_, sum, _)| sum).sum();
        let (mut count_above, mut sum_above) = (0.0, 0.0);
        for &(count, sum, bound) in levels.iter().rev() {
            if count > 0.0 {
                let cost = cost(members, bound, total, count_above, sum_above - count_above * bound);
                let full = below / bound + count_above;
                if cost < best.0.min(COST) && full >= FULL * members {
                    best = (cost, bound, full);
                }
            }
            below -= sum;
            count_above += count;
            sum_above += sum;
        }
        best
    }

    #[cold]
    #[inline(never)]
    fn rebuild(&mut self, bound: f64, center: u64) {
        self.bound = bound;
        self.sums = Sums::new();
        self.sums.center(center);
        self.levels = Levels::new();
        for member in 0..self.rates.len() {
            let rate = self.rates[member];
            self.sums.change_any(0, rate.to_bits());
            if rate > bound {
                self.levels.insert(level_or_none(rate - bound), member, &mut self.places);
            }
        }
        self.small = bound.to_bits().min(self.sums.top);
        if bound > 0.0 {
            self.weigh();
        }
    }
}

/// What an event costs with a bound, of which `count` rates are above, by `above` in all.
fn cost(members: f64, bound: f64, total: f64, count: f64, above: f64) -> f64 {
    (members * bound + LEVEL_COST * above) / total + ABOVE_COST * count / members
}

/// The level of 1.0.
const LEVEL_OF_ONE: i32 = 1022 + 64;

/// The level of the positive number with these bits: 2^(level − `LEVEL_OF_ONE`) is the least power of
/// two that is not below it. All levels are positive.
#[inline]
fn level_of(bits: u64) -> i32 {
    let exponent = ((bits - 1) >> 52) as i32;
    if exponent > 0 { exponent + 64 } else { low_level(bits - 1) }
}

/// The level of a number, or 0 if it is not positive.
#[inline]
fn level_or_none(rate: f64) -> i32 {
    if rate > 0.0 { level_of(rate.to_bits()) } else { 0 }
}

#[cold]
#[inline(never)]
fn low_level(bits: u64) -> i32 {
    76 - bits.leading_zeros() as i32
}

/// A positive number over the power of two of its level, such that 64 random bits are not above
/// with that probability.
#[inline]
fn threshold(rate: f64) -> u64 {
    let bits = rate.to_bits() - 1;
    if bits >> 52 > 0 { bits << 11 | 1 << 63 | 0x7ff } else { low_threshold(bits) }
}

#[cold]
#[inline(never)]
fn low_threshold(bits: u64) -> u64 {
    let shift = bits.leading_zeros();
    bits.checked_shl(shift).unwrap_or(0) | 1_u64.checked_shl(shift).unwrap_or(0).wrapping_sub(1)
}

/// 2^exponent for any exponent.
fn power(exponent: i32) -> f64 {
    if exponent >= 1024 {
        f64::INFINITY
    } else if exponent >= -1022 {
        f64::from_bits(((exponent + 1023) as u64) << 52)
    } else if exponent >= -1074 {
        f64::from_bits(1 << (exponent + 1074))
    } else {
        0.0
    }
}

/// Exact sums.
///
/// A rate is an integer times a power of two, so sums are kept as integers: one for the rates in a
/// window of 43 powers of two, where usually all of them are, and one for each 32 powers of two
/// outside.
#[derive(Clone, Debug)]
struct Sums {
    inside: i128,
    /// The lowest exponent in the window.
    base: u64,
    /// Bits of the number before the lowest and of the highest in the window.
    below: u64,
    top: u64,
    unit: f64,
    outside: Vec<(u64, i128)>,
    outside_total: f64,
}

const WINDOW: u64 = 43;
const BELOW: u64 = 28;
const DIGITS: u64 = (1 << 52) - 1;

impl Sums {
    fn new() -> Self {
        let mut new = Sums { inside: 0, base: 0, below: 0, top: 0, unit: 0.0, outside: Vec::new(), outside_total: 0.0 };
        new.center(1.0_f64.to_bits());
        new
    }

    /// Puts the window around a number with these bits.
    fn center(&mut self, bits: u64) {
        self.base = (bits >> 52).saturating_sub(BELOW).clamp(2, 2047 - WINDOW);
        self.below = (self.base << 52) - 1;
        self.top = ((self.base + WINDOW) << 52) - 1;
        self.unit = power(self.base as i32 - 1075);
    }

    /// Whether two numbers are zero or not below the window.
    #[inline]
    fn holds(&self, one: u64, two: u64) -> bool {
        one.wrapping_sub(1).min(two.wrapping_sub(1)) >= self.below
    }

    /// A number in the window, or zero.
    #[inline]
    fn fixed(&self, bits: u64) -> i128 {
        let digits = bits & DIGITS | u64::from(bits > 0) << 52;
        i128::from(digits) << ((bits >> 52).wrapping_sub(self.base) & 63)
    }

    #[inline]
    fn change(&mut self, before: u64, after: u64) {
        self.inside += self.fixed(after) - self.fixed(before);
    }

    fn change_any(&mut self, before: u64, after: u64) {
        if before > 0 {
            self.add_any(before, -1);
        }
        if after > 0 {
            if self.inside == 0 && self.outside.is_empty() && (after >> 52).wrapping_sub(self.base) >= WINDOW {
                self.center(after);
            }
            self.add_any(after, 1);
        }
    }

    fn add_any(&mut self, bits: u64, sign: i128) {
        if (bits >> 52).wrapping_sub(self.base) < WINDOW {
            self.inside += sign * self.fixed(bits);
            return;
        }
        let exponent = bits >> 52;
        let place = exponent.max(1) - 1;
        let digits = bits & DIGITS | u64::from(exponent > 0) << 52;
        let change = sign * (i128::from(digits) << (place & 31));
        match self.outside.binary_search_by_key(&(place >> 5), |&(part, _)| part) {
            Ok(at) => self.outside[at].1 += change,
            Err(at) => self.outside.insert(at, (place >> 5, change)),
        }
        self.outside.retain(|&(_, sum)| sum != 0);
        self.outside_total = self.outside.iter().map(|&(part, sum)| sum as f64 * power(32 * part as i32 - 1074)).sum();
    }

    #[inline]
    fn total(&self) -> f64 {
        let (high, low) = ((self.inside >> 64) as i64, self.inside as u64);
        (high as f64 * 18_446_744_073_709_551_616.0 + low as f64) * self.unit + self.outside_total
    }
}

/// Groups of members by the power of two above what they have.
///
/// The choice is by bounds: a level by its power of two times how many it has, and one of them
/// uniformly, who is accepted in proportion to what it has. All of that comes from one number of 64
/// bits. Levels too far below the highest share a weight.
#[derive(Clone, Debug)]
struct Levels {
    /// The number of the first level; they descend.
    top: i32,
    /// All levels from the highest to the lowest that ever had a member, and `STEPS` − 1 behind that
    /// never had one.
    levels: Vec<Level>,
    /// The level whose members weigh 2^31.
    reference: usize,
    /// The first level that has members, if any has.
    first: usize,
    /// All weights.
    weight: u64,
    /// The weight of all levels out of reach of the reference.
    deep: u64,
}

#[derive(Clone, Debug, Default)]
struct Level {
    members: Vec<u32>,
    weight: u64,
}

/// As many levels are looked at at once.
const STEPS: usize = 4;
/// As many levels have weights of their own.
const REACH: usize = 32;
/// If less than this is in reach of the reference, another level becomes it.
const LIGHT: u64 = 1 << 20;

impl Levels {
    fn new() -> Self {
        Levels { top: 0, levels: Vec::new(), reference: 0, first: 0, weight: 0, deep: 0 }
    }

    /// How many members there are in all levels, and the sum of what their rates have above a bound.
    fn above(&self, rates: &[f64], bound: f64) -> (f64, f64) {
        let members = self.levels.iter().flat_map(|level| &level.members);
        members.fold((0.0, 0.0), |(count, above), &member| (count + 1.0, above + rates[member as usize] - bound))
    }

    /// The sum of all bounds.
    fn bound(&self) -> f64 {
        let exponent = self.top - self.reference as i32 - LEVEL_OF_ONE - 31;
        // In two steps, since the unit alone may be too small for a number.
        self.weight as f64 * power(exponent.max(-1000)) * power(exponent.min(-1000) + 1000)
    }

    #[inline(always)]
    fn insert(&mut self, level: i32, member: usize, places: &mut [u32]) {
        let mut at = (self.top - level) as usize;
        if at >= self.levels.len().saturating_sub(STEPS - 1) {
            at = self.extend(level);
        }
        let level = &mut self.levels[at];
        let members = &mut level.members;
        places[member] = members.len() as u32;
        if members.len() == members.capacity() {
            lengthen(members);
        }
        members.push(member as u32);
        let below = at.wrapping_sub(self.reference);
        if below < REACH {
            let one = 1 << (31 - below);
            level.weight += one;
            self.weight += one;
            self.first = self.first.min(at);
        } else {
            self.insert_far(at);
        }
    }

    #[cold]
    #[inline(never)]
    fn insert_far(&mut self, at: usize) {
        if at < self.reference {
            self.refer(at);
        } else if self.weight - self.deep < LIGHT {
            self.find_first();
        } else {
            self.update_deep();
        }
    }

    #[inline(always)]
    fn remove(&mut self, level: i32, member: usize, places: &mut [u32]) {
        let at = (self.top - level) as usize;
        let level = &mut self.levels[at];
        let members = &mut level.members;
        let place = places[member];
        if let Some(last) = members.pop() {
            if let Some(hole) = members.get_mut(place as usize) {
                *hole = last;
                places[last as usize] = place;
            }
        }
        if members.len() < members.capacity() / 2 && members.capacity() > 64 {
            shorten(members);
        }
        let below = at.wrapping_sub(self.reference);
        if below < REACH {
            let one = 1 << (31 - below);
            level.weight -= one;
            self.weight -= one;
            if level.weight == 0 && at == self.first {
                self.find_first();
            }
        } else {
            self.update_deep();
        }
    }

    #[cold]
    #[inline(never)]
    fn find_first(&mut self) {
        let first = self.levels.iter().position(|level| !level.members.is_empty());
        self.first = first.unwrap_or(self.levels.len());
        if first.is_some() && self.weight - self.deep < LIGHT {
            self.refer(self.first);
        }
    }

    /// Weighs all levels against the first that has members.
    #[cold]
    #[inline(never)]
    fn refer(&mut self, first: usize) {
        self.first = first;
        self.reference = first;
        self.weight = 0;
        self.deep = 0;
        for (at, level) in self.levels.iter_mut().enumerate() {
            let below = at.wrapping_sub(first);
            level.weight = if below < REACH { (level.members.len() as u64) << (31 - below) } else { 0 };
            self.weight += level.weight;
        }
        self.update_deep();
    }

    #[cold]
    #[inline(never)]
    fn update_deep(&mut self) {
        self.weight -= self.deep;
        self.deep = self.deep_weights().map(|(_, weight)| weight).sum::<f64>().ceil() as u64;
        self.weight += self.deep;
    }

    /// The levels out of reach of the reference, by their members and weights.
    fn deep_weights(&self) -> impl Iterator<Item = (&[u32], f64)> {
        let levels = self.levels.iter().skip(self.reference + REACH);
        levels.zip(1..).map(|(level, below)| (&level.members[..], level.members.len() as f64 * power(-below)))
    }

    /// Makes room for a level.
    #[cold]
    #[inline(never)]
    fn extend(&mut self, level: i32) -> usize {
        if self.levels.is_empty() {
            self.top = level;
        }
        if level > self.top {
            let more = (level - self.top) as usize;
            self.levels.splice(0..0, (0..more).map(|_| Level::default()));
            self.top = level;
            self.reference += more;
            self.first += more;
        }
        let at = (self.top - level) as usize;
        if at + STEPS > self.levels.len() {
            self.levels.resize_with(at + STEPS, Level::default);
        }
        at
    }

    /// A member, or a rejection.
    #[inline(always)]
    fn pick(&self, rates: &[f64], bound: f64, rng: &mut Rng) -> Option<usize> {
        let product = u128::from(rng.next_u64()) * u128::from(self.weight);
        let mut rest = (product >> 64) as u64;
        let mut at = self.first;
        let (mut a, mut b, mut c);
        let levels = loop {
            let Some(levels) = self.levels.get(at..at + STEPS) else { return self.pick_deep(rates, bound, rng) };
            // All weights together are below 2^63, so a sign says which is larger.
            a = rest.wrapping_sub(levels[0].weight);
            b = a.wrapping_sub(levels[1].weight);
            c = b.wrapping_sub(levels[2].weight);
            let d = c.wrapping_sub(levels[3].weight);
            if d >> 63 == 1 {
                break levels;
            }
            rest = d;
            at += STEPS;
        };
        let step = 3 - ((a >> 63) + (b >> 63) + (c >> 63)) as usize;
        rest = rest.min(a).min(b).min(c);
        let shift = 31 - (at + step - self.reference);
        let parts = (u128::from(rest) << 64 | u128::from(product as u64)) >> (shift & 31);
        let member = levels[step & 3].members[(parts >> 64) as usize] as usize;
        if parts as u64 <= threshold(rates[member] - bound) { Some(member) } else { None }
    }

    #[cold]
    #[inline(never)]
    fn pick_deep(&self, rates: &[f64], bound: f64, rng: &mut Rng) -> Option<usize> {
        let mut rest = uniform(rng) * self.deep as f64;
        for (members, weight) in self.deep_weights() {
            if rest < weight {
                let product = u128::from(rng.next_u64()) * members.len() as u128;
                let member = members[(product >> 64) as usize] as usize;
                return if product as u64 <= threshold(rates[member] - bound) { Some(member) } else { None };
            }
            rest -= weight;
        }
        None
    }
}

#[cold]
#[inline(never)]
fn lengthen(list: &mut Vec<u32>) {
    list.reserve_exact(list.len() / 2 + 4);
}

#[cold]
#[inline(never)]
fn shorten(list: &mut Vec<u32>) {
    list.shrink_to(list.len() + list.len() / 4);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::stream;

    const BOTH: [Method; 2] = [Method::Tree, Method::Composition];

    fn below(n: usize, rng: &mut Rng) -> usize {
        (uniform(rng) * n as f64) as usize
    }

    /// Picks `picks` times and compares frequencies with the rates, with a bound of 4.5 standard errors.
    fn picks_in_proportion(rates: &Rates, picks: u64, rng: &mut Rng) {
        let total: f64 = (0..rates.len()).map(|member| rates.get(member)).sum();
        assert!((rates.total() - total).abs() <= 1e-12 * total, "{} and {total}", rates.total());
        let mut counts = vec![0_u64; rates.len()];
        for _ in 0..picks {
            let x = uniform(rng) * rates.total();
            counts[rates.pick(x, rng)] += 1;
        }
        for (member, &count) in counts.iter().enumerate() {
            let p = rates.get(member) / total;
            let error = (picks as f64 * p * (1.0 - p)).sqrt();
            let difference = count as f64 - picks as f64 * p;
            assert!(p > 0.0 || count == 0, "{member} has no rate");
            // With few expected picks the law is not normal; then one more or less is nothing.
            assert!(difference.abs() <= 4.5 * error + 2.0, "{member} of rate {p}: {count}, {difference} off");
        }
    }

    #[test]
    fn members_are_picked_in_proportion_to_their_rates() {
        let mut rng = stream(1, 0);
        for method in BOTH {
            for members in [1, 2, 5, 40, 300] {
                // Of one size, of many sizes, mostly none, and one that is larger than all others.
                for kind in 0..4 {
                    let mut rates = Rates::new(members, method);
                    for member in 0..members {
                        let u = uniform(&mut rng);
                        let rate = match kind {
                            0 => 1.0 + u,
                            1 => (20.0 * u - 10.0).exp(),
                            2 if member % 7 > 0 => 0.0,
                            2 => u,
                            _ if member == members / 2 => 1e6,
                            _ => u,
                        };
                        rates.set(member, rate);
                    }
                    picks_in_proportion(&rates, 60_000, &mut rng);
                }
            }
        }
    }

    #[test]
    fn they_are_after_many_changes_too() {
        let mut rng = stream(2, 0);
        for method in BOTH {
            let mut rates = Rates::new(50, method);
            for _ in 0..200_000 {
                let member = below(rates.len(), &mut rng);
                let rate = match below(4, &mut rng) {
                    0 => 0.0,
                    1 => below(20, &mut rng) as f64,
                    _ => (12.0 * uniform(&mut rng) - 6.0).exp(),
                };
                rates.set(member, rate);
            }
            picks_in_proportion(&rates, 60_000, &mut rng);
            rates.grow(120);
            rates.grow(60);
            assert_eq!(rates.len(), 120);
            for member in 40..120 {
                rates.set(member, 0.5);
            }
            picks_in_proportion(&rates, 60_000, &mut rng);
        }
    }

    #[test]
    fn sums_do_not_drift() {
        let mut rng = stream(3, 0);
        for method in BOTH {
            let mut rates = Rates::new(64, method);
            for _ in 0..1_000_000 {
                let rate = if below(3, &mut rng) == 0 { 0.0 } else { (60.0 * uniform(&mut rng) - 30.0).exp() };
                rates.set(below(64, &mut rng), rate);
            }
            for member in 0..64 {
                rates.set(member, 0.0);
            }
            assert_eq!(rates.total(), 0.0, "{method:?}");
            rates.set(7, 0.25);
            assert_eq!(rates.total(), 0.25, "{method:?}");
            assert_eq!(rates.pick(0.1, &mut rng), 7);
        }
    }

    #[test]
    fn the_largest_and_smallest_numbers_are_rates() {
        let mut rng = stream(4, 0);
        for method in BOTH {
            for rate in [5e-324, 1e-310, f64::MIN_POSITIVE, 1e-300, 1.0, 1e300, f64::MAX / 4.0] {
                let mut rates = Rates::new(40, method);
                rates.set(3, rate);
                assert_eq!(rates.total(), rate, "{method:?}");
                assert_eq!(rates.pick(0.0, &mut rng), 3);
                rates.set(17, rate);
                assert_eq!(rates.total(), 2.0 * rate, "{method:?}");
                let found = rates.pick(uniform(&mut rng) * rates.total(), &mut rng);
                assert!(found == 3 || found == 17);
                rates.set(3, 0.0);
                assert_eq!(rates.total(), rate, "{method:?}");
                assert_eq!(rates.pick(0.0, &mut rng), 17);
            }
            // Side by side the small ones are never met, and come back when the large one goes.
            let mut rates = Rates::new(40, method);
            rates.set(0, 1e-300);
            rates.set(1, 1e300);
            assert_eq!(rates.pick(rates.total() / 2.0, &mut rng), 1);
            rates.set(1, 0.0);
            assert_eq!(rates.total(), 1e-300, "{method:?}");
            assert_eq!(rates.pick(0.0, &mut rng), 0);
        }
    }

    #[test]
    fn rounding_never_picks_a_member_without_rate() {
        let mut rng = stream(5, 0);
        for method in BOTH {
            let mut rates = Rates::new(100, method);
            rates.set(11, 0.1);
            rates.set(12, 0.7);
            for x in [0.0, rates.total() * (1.0 - f64::EPSILON / 2.0), rates.total(), rates.total() * 1.5] {
                for _ in 0..100 {
                    assert!((11..=12).contains(&rates.pick(x, &mut rng)));
                }
            }
        }
    }

    #[test]
    fn a_family_without_members_has_no_rate() {
        for method in [Method::BySize, Method::Tree, Method::Composition] {
            let mut rates = Rates::new(0, method);
            assert_eq!((rates.len(), rates.total()), (0, 0.0));
            rates.grow(2);
            rates.set(1, 3.0);
            assert_eq!(rates.pick(1.0, &mut stream(6, 0)), 1);
        }
    }

    #[test]
    fn what_rates_do_all_at_once_is_followed() {
        // From equal rates to next to none, to one that is all, to many sizes, and so on.
        for members in [33, 200, 2000] {
            let mut rng = stream(7, members as u64);
            let mut rates = Rates::new(members, Method::Composition);
            for round in 0..12 {
                for member in 0..members {
                    let u = uniform(&mut rng);
                    let rate = match round % 6 {
                        0 => 1.3,
                        1 if member == 5 => 1e-200,
                        1 => 0.0,
                        2 if member == 7 => 1e250,
                        2 | 4 => 1.0 + u,
                        3 if member == 7 => 1e-250,
                        3 => (100.0 * u - 50.0).exp(),
                        _ => -0.0,
                    };
                    rates.set(member, rate);
                    if rates.total() > 0.0 {
                        let picked = rates.pick(0.0, &mut rng);
                        assert!(rates.get(picked) > 0.0);
                    }
                }
                if round % 6 < 5 {
                    picks_in_proportion(&rates, 30_000, &mut rng);
                }
            }
            assert_eq!(rates.total(), 0.0);
        }
    }

    #[test]
    fn many_small_ones_far_below_a_large_one_are_found() {
        // More than 32 levels below, and together a thousandth of all.
        let mut rng = stream(8, 0);
        let members = 1 << 20;
        let small = 1.0 / (1_u64 << 30) as f64;
        let mut rates = Rates::new(members, Method::Composition);
        for member in 1..members {
            rates.set(member, small);
        }
        rates.set(0, 0.999);
        for picks in [200_000, 2_000_000] {
            let p = small * (members - 1) as f64 / rates.total();
            let found = (0..picks).filter(|_| rates.pick(0.0, &mut rng) > 0).count() as f64;
            let expected = f64::from(picks) * p;
            assert!((found - expected).abs() < 5.0 * expected.sqrt(), "{found}, not {expected}");
            // Now out of reach of the level of the large one.
            rates.set(0, 15.0);
        }
    }

    #[test]
    fn levels_need_little_room_wherever_members_have_been() {
        let members = 5000;
        let mut rates = Rates::new(members, Method::Composition);
        for round in 0..40 {
            for member in 0..members {
                // Rates of so many sizes that there is no bound.
                rates.set(member, (f64::from(round) + (member % 60) as f64).exp2());
            }
        }
        let Structure::Composition(composition) = &rates.structure else { unreachable!() };
        assert_eq!(composition.bound, 0.0);
        let room: usize = composition.levels.levels.iter().map(|level| level.members.capacity()).sum();
        assert!(room < 2 * members + 64 * composition.levels.levels.len(), "{room}");
    }

    #[test]
    fn totals_depend_on_the_rates_alone() {
        let mut rng = stream(9, 0);
        let mut rates = Rates::new(300, Method::Composition);
        for _ in 0..100_000 {
            rates.set(below(300, &mut rng), (8.0 * uniform(&mut rng)).exp());
        }
        let mut again = Rates::new(300, Method::Composition);
        for member in (0..300).rev() {
            again.set(member, rates.get(member));
        }
        assert_eq!(rates.total().to_bits(), again.total().to_bits());
    }

    #[test]
    fn those_picked_get_other_rates_on_and_on() {
        for members in [1, 2, 8, 64, 1000] {
            for binades in [0.0, 1.0, 10.0, 100.0] {
                let mut rng = stream(11, members as u64);
                let mut rates = Rates::new(members, Method::Composition);
                rates.set(0, 1.0);
                for _ in 0..20_000 {
                    let picked = rates.pick(0.0, &mut rng);
                    assert!(rates.get(picked) > 0.0);
                    rates.set(below(members, &mut rng), 0.0);
                    rates.set(picked, (binades * uniform(&mut rng)).exp2());
                    rates.set(below(members, &mut rng), (binades * uniform(&mut rng)).exp2());
                }
                let total: f64 = (0..members).map(|member| rates.get(member)).sum();
                assert!((rates.total() - total).abs() <= 1e-12 * total);
            }
        }
    }

    #[test]
    fn families_grow_one_by_one() {
        let mut rng = stream(10, 0);
        for method in BOTH {
            let mut rates = Rates::new(0, method);
            for member in 0..3000 {
                rates.grow(member + 1);
                rates.set(member, 1.0 + (member % 3) as f64);
                let picked = rates.pick(uniform(&mut rng) * rates.total(), &mut rng);
                assert!(picked <= member);
            }
            picks_in_proportion(&rates, 300_000, &mut rng);
        }
    }
}
