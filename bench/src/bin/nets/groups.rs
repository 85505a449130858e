//! Clocks in groups by power of two, for rates of any size: composition and rejection, after
//! Slepoy, Thompson and Plimpton (J. Chem. Phys. 128, 205101, 2008).
//!
//! Every member of a group counts with the upper end of the group, and whoever proposes is to be
//! accepted with the ratio of its rate to that.

/// Groups: enough for rates between the least and 2^96 times as much.
const GROUPS: usize = 96;
/// No group.
const NONE: u8 = u8::MAX;

/// Clocks that are in a group or in none.
pub struct Groups {
    clocks: Vec<Clock>,
    members: Vec<Vec<u32>>,
    /// A bit for each group that has members.
    filled: u128,
    /// Bounds of all members, in units of the upper end of the first group: a whole number, which
    /// does not drift.
    bound: u128,
    /// Exponent of the first group, as in the bits of an `f64`.
    lowest: u64,
}

#[derive(Clone, Copy)]
struct Clock {
    /// Where it is among the members of its group.
    place: u32,
    group: u8,
}

/// Who may ring next.
pub struct Proposal {
    pub clock: usize,
    /// It does if its rate is larger than this.
    pub below: f64,
}

impl Groups {
    /// `n` clocks in no group, for bounds that are 0 or from `least` on.
    pub fn new(n: usize, least: f64) -> Self {
        Groups {
            clocks: vec![Clock { place: 0, group: NONE }; n],
            members: vec![Vec::new(); GROUPS],
            filled: 0,
            bound: 0,
            lowest: least.to_bits() >> 52,
        }
    }

    /// The upper end of a group.
    #[inline]
    fn top(&self, group: usize) -> f64 {
        f64::from_bits((self.lowest + group as u64 + 1) << 52)
    }

    /// Hazard of the next proposal.
    #[inline]
    pub fn bound(&self) -> f64 {
        self.bound as f64 * self.top(0)
    }

    /// A proposal, by a uniform draw from [0, 1).
    #[inline]
    pub fn propose(&self, choice: f64) -> Option<Proposal> {
        let mut choice = choice * self.bound();
        let mut left = self.filled;
        // Most of the sum is in the upper groups.
        while left != 0 {
            let group = 127 - left.leading_zeros() as usize;
            let (members, top) = (&self.members[group], self.top(group));
            let sum = members.len() as f64 * top;
            if choice < sum {
                let at = choice / top;
                let place = at as u32;
                let clock = *members.get(place as usize)? as usize;
                return Some(Proposal { clock, below: (at - f64::from(place)) * top });
            }
            choice -= sum;
            left ^= 1 << group;
        }
        None
    }

    /// Puts a clock where its rate may be up to this much.
    #[inline]
    pub fn set(&mut self, clock: usize, bound: f64) {
        // No group if the bound is 0, or −0.
        let group = (bound.to_bits() >> 52).wrapping_sub(self.lowest).min(u64::from(NONE)) as u8;
        if group != self.clocks[clock].group {
            self.regroup(clock, group);
        }
    }

    #[inline(never)]
    fn regroup(&mut self, clock: usize, group: u8) {
        let Clock { place, group: before } = self.clocks[clock];
        if before != NONE {
            let members = &mut self.members[usize::from(before)];
            members.swap_remove(place as usize);
            if let Some(&moved) = members.get(place as usize) {
                self.clocks[moved as usize].place = place;
            }
            self.filled &= !(u128::from(members.is_empty()) << before);
            self.bound -= 1 << before;
        }
        let mut place = 0;
        if group != NONE {
            let members = &mut self.members[usize::from(group)];
            place = members.len() as u32;
            members.push(clock as u32);
            self.filled |= 1 << group;
            self.bound += 1 << group;
        }
        self.clocks[clock] = Clock { place, group };
    }
}
