//! Rates in a tree of sums with eight children a node, a cache line each. Sums are added up afresh
//! where something below changed, so they never drift.

/// Children of a node.
const WIDTH: usize = 8;

#[derive(Clone, Copy)]
#[repr(align(64))]
struct Node([f64; WIDTH]);

impl Node {
    #[inline]
    fn sum(&self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }

    /// The child at which the running sum passes `choice`, and what is left of it there.
    #[inline]
    fn pick(&self, mut choice: f64) -> (usize, f64) {
        let [a, b, c, d, e, f, ..] = self.0;
        let right = choice >= (a + b) + (c + d);
        choice -= if right { (a + b) + (c + d) } else { 0.0 };
        let pair = if right { e + f } else { a + b };
        let later = choice >= pair;
        choice -= if later { pair } else { 0.0 };
        let child = 4 * usize::from(right) + 2 * usize::from(later);
        let second = choice >= self.0[child];
        choice -= if second { self.0[child] } else { 0.0 };
        (child + usize::from(second), choice)
    }
}

/// A tree of sums; the first level is the one over the clocks.
pub struct Sums {
    levels: Vec<Vec<Node>>,
}

impl Sums {
    pub fn new(rates: impl Iterator<Item = f64>) -> Self {
        let mut levels = Vec::new();
        let mut sums: Vec<f64> = rates.collect();
        while levels.is_empty() || sums.len() > 1 {
            let mut nodes = vec![Node([0.0; WIDTH]); sums.len().div_ceil(WIDTH)];
            for (i, sum) in sums.into_iter().enumerate() {
                nodes[i / WIDTH].0[i % WIDTH] = sum;
            }
            sums = nodes.iter().map(Node::sum).collect();
            levels.push(nodes);
        }
        Sums { levels }
    }

    #[inline]
    pub fn total(&self) -> f64 {
        self.levels[self.levels.len() - 1][0].sum()
    }

    #[inline]
    pub fn rate(&self, clock: usize) -> f64 {
        self.levels[0][clock / WIDTH].0[clock % WIDTH]
    }

    /// The clock at which the running sum of the rates passes `choice`. Rounding may make it one
    /// whose rate is 0: then it is to be drawn again.
    #[inline]
    pub fn pick(&self, mut choice: f64) -> usize {
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let (child, rest) = level[at].pick(choice);
            choice = rest;
            at = WIDTH * at + child;
        }
        at
    }

    /// Changes a rate; `add_up` is to follow.
    #[inline]
    pub fn put(&mut self, clock: usize, rate: f64) {
        self.levels[0][clock / WIDTH].0[clock % WIDTH] = rate;
    }

    /// Adds up what is above these two clocks, as far up as sums change.
    #[inline]
    pub fn add_up(&mut self, one: usize, other: usize) {
        let (mut one, mut other) = (one / WIDTH, other / WIDTH);
        for level in 1..self.levels.len() {
            let (lower, upper) = self.levels.split_at_mut(level);
            let (lower, upper) = (&lower[level - 1], &mut upper[0]);
            let mut changed = false;
            let mut add_up = |node: usize| {
                let sum = lower[node].sum();
                let place = &mut upper[node / WIDTH].0[node % WIDTH];
                changed |= *place != sum;
                *place = sum;
            };
            add_up(one);
            if other != one {
                add_up(other);
            }
            if !changed {
                break;
            }
            (one, other) = (one / WIDTH, other / WIDTH);
        }
    }
}
