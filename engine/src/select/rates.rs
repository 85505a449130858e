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
    while node > 1 {
        node /= 2;
        tree[node] = tree[2 * node] + tree[2 * node + 1];
    }
}

/// The leaf at which the running sum of the rates passes `choice` times the total.
///
/// `choice` is in [0, 1) and the total positive. A subtree whose rates are all zero is never
/// entered, whatever rounding says.
#[inline]
#[must_use]
pub fn pick(tree: &[f64], choice: f64) -> usize {
    let leaves = tree.len() / 2;
    let mut rest = choice * tree[1];
    let mut node = 1;
    while node < leaves {
        let left = tree[2 * node];
        let right = rest >= left && tree[2 * node + 1] > 0.0;
        rest -= if right { left } else { 0.0 };
        node = 2 * node + usize::from(right);
    }
    node - leaves
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
            counts[pick(&tree, (f64::from(i) + 0.5) / 8000.0)] += 1;
        }
        assert_eq!(counts, [1000, 0, 2000, 0, 5000]);
    }

    #[test]
    fn never_picks_a_clock_that_cannot_ring() {
        let largest = 1.0 - f64::EPSILON / 2.0;
        for rates in [&[1.0, 1e-17, 0.0][..], &[1e-300, 0.0, 1.0, 0.0], &[0.0, 0.1, 0.0, 0.7, 0.2, 0.0]] {
            let tree = tree(rates);
            for choice in [0.0, 0.5, largest] {
                assert!(rates[pick(&tree, choice)] > 0.0, "{rates:?} at {choice}");
            }
        }
    }

    #[test]
    fn sums_do_not_drift() {
        let mut tree = tree(&[1e16, 1.0]);
        set(&mut tree, 0, 0.0);
        assert_eq!(tree[1], 1.0);
    }
}
