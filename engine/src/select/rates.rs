//! Rates in a tree of sums.
//!
//! A tree over `n` rates is an array of `2 · n.next_power_of_two()` numbers: the root at 1, the
//! children of node `i` at `2 i` and `2 i + 1`, the rates as the leaves of the last level. An inner
//! node is the sum of its children, added afresh whenever one changes; so sums never drift.

/// Sets leaf number `leaf` and adds up the nodes above it.
#[inline]
pub fn set(tree: &mut [f64], leaf: usize, rate: f64) {
    let mut node = tree.len() / 2 + leaf;
    if tree[node] == rate {
        return;
    }
    tree[node] = rate;
    let mut sum = rate;
    while node > 1 {
        // What is beside it under the same node.
        sum += tree[node ^ 1];
        node /= 2;
        tree[node] = sum;
    }
}

/// The leaf at which the running sum of the rates passes `choice` times the total, and how far into
/// its rate that is.
///
/// `choice` is in [0, 1) and the total positive. A subtree whose rates are all zero is never
/// entered, whatever rounding says.
#[inline]
#[must_use]
pub fn pick(tree: &[f64], choice: f64) -> (usize, f64) {
    descend(tree, choice * tree[1])
}

/// The leaf at which the running sum of the rates passes `x`, and how far into its rate that is.
///
/// The total is positive; an `x` that rounding brought up to it or above stops at a positive rate
/// too.
#[inline]
#[must_use]
pub fn descend(tree: &[f64], x: f64) -> (usize, f64) {
    let mut rest = x;
    let mut node = 1;
    // These are branches on purpose: a guess lets the next level begin before this one is decided.
    while let Some(pair) = tree.get(2 * node..2 * node + 2) {
        if rest >= pair[0] && pair[1] > 0.0 {
            rest -= pair[0];
            node = 2 * node + 1;
        } else {
            node *= 2;
        }
    }
    (node - tree.len() / 2, rest)
}

/// The rates of a small family, looked through one by one.
#[derive(Clone, Debug)]
pub struct Few<const N: usize>([f64; N]);

impl<const N: usize> Few<N> {
    /// All rates 0.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "only generated code makes one")]
    pub fn new() -> Self {
        Few([0.0; N])
    }

    /// Changes a rate.
    #[inline(always)]
    pub fn set(&mut self, member: usize, rate: f64) {
        self.0[member] = rate;
    }

    /// The sum of the rates.
    #[inline(always)]
    #[must_use]
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The member at which the running sum of the rates passes `x`; never one of rate 0.
    #[inline(always)]
    #[must_use]
    pub fn pick(&self, x: f64, _rng: &mut crate::rng::Rng) -> usize {
        let mut sum = 0.0;
        let mut last = 0;
        for (member, &rate) in self.0.iter().enumerate() {
            if rate > 0.0 {
                last = member;
                sum += rate;
                if x < sum {
                    break;
                }
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(rates: &[f64]) -> Vec<f64> {
        let mut tree = vec![0.0; 2 * rates.len().next_power_of_two()];
        for (i, &rate) in rates.iter().enumerate() {
            set(&mut tree, i, rate);
        }
        tree
    }

    #[test]
    fn picks_in_proportion() {
        let tree = tree(&[1.0, 0.0, 2.0, 0.0, 5.0]);
        let mut counts = [0; 5];
        for i in 0..8000 {
            counts[pick(&tree, (f64::from(i) + 0.5) / 8000.0).0] += 1;
        }
        assert_eq!(counts, [1000, 0, 2000, 0, 5000]);
    }

    #[test]
    fn never_picks_a_clock_that_cannot_ring() {
        let largest = 1.0 - f64::EPSILON / 2.0;
        for rates in [&[1.0, 1e-17, 0.0][..], &[1e-300, 0.0, 1.0, 0.0], &[0.0, 0.1, 0.0, 0.7, 0.2, 0.0]] {
            let tree = tree(rates);
            for choice in [0.0, 0.5, largest] {
                assert!(rates[pick(&tree, choice).0] > 0.0, "{rates:?} at {choice}");
            }
        }
    }

    #[test]
    fn a_few_are_picked_in_proportion() {
        let mut rng = crate::rng::stream(1, 0);
        let mut few = Few::<5>::new();
        for (member, rate) in [1.0, 0.0, 2.0, 0.0, 5.0].into_iter().enumerate() {
            few.set(member, rate);
        }
        let mut counts = [0; 5];
        for i in 0..8000 {
            counts[few.pick((f64::from(i) + 0.5) / 8000.0 * few.total(), &mut rng)] += 1;
        }
        assert_eq!(counts, [1000, 0, 2000, 0, 5000]);
        assert_eq!(few.pick(9.0, &mut rng), 4);
    }

    #[test]
    fn sums_do_not_drift() {
        let mut tree = tree(&[1e16, 1.0]);
        set(&mut tree, 0, 0.0);
        assert_eq!(tree[1], 1.0);
    }
}
