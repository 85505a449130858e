//! Rates in groups by power of two: composition and rejection, after Slepoy, Thompson and Plimpton
//! (J. Chem. Phys. 128, 205101, 2008).
//!
//! Every member of a group counts with the upper end of the group, and a proposal is accepted with
//! the ratio of its rate to that. The bounds of proposals are whole multiples of powers of two:
//! there is no sum of rates to keep, and so none that drifts. At least every second proposal is
//! accepted, and the cost of an event does not depend on the number of clocks.

/// Clocks whose rates are 0 or in [2^`lowest`, 2^(`lowest` + N)).
pub struct Groups<const N: usize> {
    rates: Vec<f64>,
    /// Where a clock is among the members of its group.
    places: Vec<u32>,
    members: [Vec<u32>; N],
    /// Bounds of the members of all groups up to this one.
    upto: [f64; N],
    /// Exponent of the first group, as in the bits of an `f64`.
    lowest: u64,
}

impl<const N: usize> Groups<N> {
    /// Clocks with these rates.
    pub fn new(lowest: i32, rates: impl ExactSizeIterator<Item = f64>) -> Self {
        let lowest = u64::try_from(1023 + lowest).expect("a normal number");
        let members = std::array::from_fn(|_| Vec::new());
        let n = rates.len();
        let mut groups = Groups { rates: vec![0.0; n], places: vec![0; n], members, upto: [0.0; N], lowest };
        for (clock, rate) in rates.enumerate() {
            groups.rates[clock] = rate;
            groups.enter(clock);
        }
        groups.add_up();
        groups
    }

    /// Hazard of the next proposal.
    #[inline]
    pub fn bound(&self) -> f64 {
        self.upto[N - 1]
    }

    /// A proposal, by a uniform draw from [0, 1); `None` if it is rejected.
    #[inline]
    pub fn propose(&self, choice: f64) -> Option<usize> {
        let choice = choice * self.bound();
        // Most of the sum is in the upper groups.
        let mut group = N - 1;
        while group > 0 && choice < self.upto[group - 1] {
            group -= 1;
        }
        let before = if group > 0 { self.upto[group - 1] } else { 0.0 };
        let exponent = self.lowest + group as u64 + 1;
        let top = f64::from_bits(exponent << 52);
        let inverse = f64::from_bits((2046 - exponent) << 52);
        let at = (choice - before) * inverse;
        let place = at as u32;
        // Rounding can only lead past the last member of the last group.
        let clock = *self.members[group].get(place as usize)? as usize;
        ((at - f64::from(place)) * top < self.rates[clock]).then_some(clock)
    }

    #[inline]
    pub fn set(&mut self, clock: usize, rate: f64) {
        let before = std::mem::replace(&mut self.rates[clock], rate);
        if (before.to_bits() ^ rate.to_bits()) >> 52 != 0 {
            self.regroup(clock, before);
        }
    }

    #[inline(never)]
    fn regroup(&mut self, clock: usize, before: f64) {
        if before > 0.0 {
            let place = self.places[clock] as usize;
            let members = &mut self.members[(before.to_bits() >> 52).wrapping_sub(self.lowest) as usize];
            members.swap_remove(place);
            if let Some(&moved) = members.get(place) {
                self.places[moved as usize] = place as u32;
            }
        }
        self.enter(clock);
        self.add_up();
    }

    #[inline]
    fn enter(&mut self, clock: usize) {
        if self.rates[clock] > 0.0 {
            let members = &mut self.members[(self.rates[clock].to_bits() >> 52).wrapping_sub(self.lowest) as usize];
            self.places[clock] = members.len() as u32;
            members.push(clock as u32);
        }
    }

    fn add_up(&mut self) {
        let mut sum = 0.0;
        for (group, (members, upto)) in self.members.iter().zip(&mut self.upto).enumerate() {
            sum += members.len() as f64 * f64::from_bits((self.lowest + group as u64 + 1) << 52);
            *upto = sum;
        }
    }
}
