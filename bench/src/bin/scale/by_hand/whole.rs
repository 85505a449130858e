//! Rates that are whole numbers: the groups and the tree of sums in integers.

/// Groups by power of two, as in `groups`, of amounts below 2^N.
pub struct Groups<const N: usize> {
    clocks: Vec<Clock>,
    members: [Vec<u32>; N],
    /// Bounds of the members of all groups up to this one.
    upto: [u64; N],
}

#[derive(Clone, Copy, Default)]
struct Clock {
    amount: u32,
    /// Where it is among the members of its group.
    place: u32,
}

impl<const N: usize> Groups<N> {
    /// `n` clocks with this amount.
    pub fn new(n: usize, amount: u32) -> Self {
        let members = std::array::from_fn(|_| Vec::new());
        let mut groups = Groups { clocks: vec![Clock { amount, place: 0 }; n], members, upto: [0; N] };
        for clock in 0..n {
            groups.enter(clock);
        }
        groups.add_up();
        groups
    }

    /// Hazard of the next proposal.
    #[inline]
    pub fn bound(&self) -> u64 {
        self.upto[N - 1]
    }

    pub fn amounts(&self) -> impl ExactSizeIterator<Item = f64> {
        self.clocks.iter().map(|clock| f64::from(clock.amount))
    }

    /// A proposal, by a draw below the bound; `None` if it is rejected.
    #[inline]
    pub fn propose(&self, choice: u64) -> Option<usize> {
        // Most of the sum is in the upper groups.
        let mut group = N - 1;
        while group > 0 && choice < self.upto[group - 1] {
            group -= 1;
        }
        let before = if group > 0 { self.upto[group - 1] } else { 0 };
        let at = choice - before;
        let clock = self.members[group][(at >> (group + 1)) as usize] as usize;
        let rest = at & ((2 << group) - 1);
        (rest < u64::from(self.clocks[clock].amount)).then_some(clock)
    }

    /// One less here, one more there.
    #[inline]
    pub fn hop(&mut self, from: usize, to: usize) {
        self.set(from, self.clocks[from].amount - 1);
        self.set(to, self.clocks[to].amount + 1);
    }

    #[inline]
    fn set(&mut self, clock: usize, amount: u32) {
        let before = std::mem::replace(&mut self.clocks[clock].amount, amount);
        if before.leading_zeros() != amount.leading_zeros() {
            self.regroup(clock, before);
        }
    }

    #[inline(never)]
    fn regroup(&mut self, clock: usize, before: u32) {
        if before > 0 {
            let place = self.clocks[clock].place as usize;
            let members = &mut self.members[before.ilog2() as usize];
            members.swap_remove(place);
            if let Some(&moved) = members.get(place) {
                self.clocks[moved as usize].place = place as u32;
            }
        }
        self.enter(clock);
        self.add_up();
    }

    #[inline]
    fn enter(&mut self, clock: usize) {
        let amount = self.clocks[clock].amount;
        if amount > 0 {
            let members = &mut self.members[amount.ilog2() as usize];
            self.clocks[clock].place = members.len() as u32;
            members.push(clock as u32);
        }
    }

    fn add_up(&mut self) {
        let mut sum = 0;
        for (group, (members, upto)) in self.members.iter().zip(&mut self.upto).enumerate() {
            sum += (members.len() as u64) << (group + 1);
            *upto = sum;
        }
    }
}

/// Children of a node.
const WIDTH: usize = 16;

/// The sums of the first 1, 2, … children. Whole numbers do not drift, so differences are added.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Node([u32; WIDTH]);

/// A tree of sums of amounts; the first level is the one over the clocks.
pub struct Sums {
    levels: Vec<Vec<Node>>,
    total: u32,
}

impl Sums {
    /// `n` clocks with this amount.
    pub fn new(n: usize, amount: u32) -> Self {
        let mut levels = Vec::new();
        let mut sums = vec![amount; n];
        while levels.is_empty() || sums.len() > 1 {
            let mut nodes = vec![Node([0; WIDTH]); sums.len().div_ceil(WIDTH)];
            for (node, children) in nodes.iter_mut().zip(sums.chunks(WIDTH)) {
                let mut sum = 0;
                for (i, upto) in node.0.iter_mut().enumerate() {
                    sum += children.get(i).copied().unwrap_or(0);
                    *upto = sum;
                }
            }
            sums = nodes.iter().map(|node| node.0[WIDTH - 1]).collect();
            levels.push(nodes);
        }
        Sums { levels, total: sums[0] }
    }

    #[inline]
    pub fn total(&self) -> u32 {
        self.total
    }

    pub fn amounts(&self, n: usize) -> impl ExactSizeIterator<Item = f64> {
        (0..n).map(|clock| {
            let node = &self.levels[0][clock / WIDTH].0;
            let before = if clock % WIDTH == 0 { 0 } else { node[clock % WIDTH - 1] };
            f64::from(node[clock % WIDTH] - before)
        })
    }

    /// The clock at which the running sum passes `choice`, which is below the total.
    #[inline]
    pub fn pick(&self, mut choice: u32) -> usize {
        let mut at = 0;
        for level in self.levels.iter().rev() {
            let upto = &level[at].0;
            let child = upto.iter().map(|&upto| u32::from(choice >= upto)).sum::<u32>() as usize % WIDTH;
            choice -= if child > 0 { upto[child - 1] } else { 0 };
            at = WIDTH * at + child;
        }
        at
    }

    /// One less here, one more there.
    #[inline]
    pub fn hop(&mut self, mut from: usize, mut to: usize) {
        for level in &mut self.levels {
            let (left, right) = ((from % WIDTH) as u32, (to % WIDTH) as u32);
            (from, to) = (from / WIDTH, to / WIDTH);
            for (child, upto) in (0..).zip(&mut level[from].0) {
                *upto -= u32::from(child >= left);
            }
            for (child, upto) in (0..).zip(&mut level[to].0) {
                *upto += u32::from(child >= right);
            }
            if from == to {
                break;
            }
        }
    }
}
