//! An infection among people of whom each can catch it from some others, drawn at random, and gets
//! well at rate 1.

use std::any::Any;
use std::hint::black_box;
use std::sync::{Arc, OnceLock};

use clockrace_bench::Run;
use clockrace_bench::draws::{below, exponential, generator, uniform};

use super::groups::Groups;
use crate::{NEIGHBOURS, PEOPLE};

/// Rate at which one who is ill infects one who has them as a neighbour.
const INFECT: f64 = 0.5;

/// From whom each can catch it.
type Near = Vec<[u32; NEIGHBOURS]>;

/// Draws from whom each of `n` people can catch it.
fn neighbours(n: usize) -> Near {
    let mut rng = generator(1);
    (0..n).map(|_| std::array::from_fn(|_| below(&mut rng, n as u64) as u32)).collect()
}

/// Neighbours of those who take part in the contest.
pub fn known() -> Arc<Near> {
    static KNOWN: OnceLock<Arc<Near>> = OnceLock::new();
    Arc::clone(KNOWN.get_or_init(|| Arc::new(neighbours(PEOPLE))))
}

/// Neighbours of the million of the set-up.
pub fn many() -> Arc<Near> {
    static MANY: OnceLock<Arc<Near>> = OnceLock::new();
    Arc::clone(MANY.get_or_init(|| Arc::new(neighbours(1_000_000))))
}

/// Draws the neighbours for the set-up, which is not part of it.
pub fn prepare() {
    many();
}

/// All that a run needs, for the people of `prepare`.
pub fn set_up(n: usize) -> Box<dyn Any> {
    let near = many();
    assert_eq!(near.len(), n, "as prepared");
    Box::new(Spread::new(&near))
}

/// The inverse of a relation, in compressed rows.
struct Inverse {
    starts: Vec<u32>,
    entries: Vec<u32>,
}

impl Inverse {
    fn of(rows: &[[u32; NEIGHBOURS]]) -> Self {
        let n = rows.len();
        // Each row's end, then moved to its start as it is filled from behind.
        let mut starts = vec![0_u32; n + 1];
        for &other in rows.as_flattened() {
            starts[other as usize] += 1;
        }
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut entries = vec![0; end as usize];
        for (k, row) in rows.iter().enumerate().rev() {
            for &other in row {
                let place = &mut starts[other as usize];
                *place -= 1;
                entries[*place as usize] = k as u32;
            }
        }
        Inverse { starts, entries }
    }

    #[inline]
    fn row(&self, k: usize) -> &[u32] {
        &self.entries[self.starts[k] as usize..self.starts[k + 1] as usize]
    }
}

/// People, clocks and what they depend on.
struct Spread {
    ill: Vec<bool>,
    near: Near,
    inverse: Inverse,
    groups: Groups<8>,
    infect: f64,
}

impl Spread {
    /// One in a hundred is ill.
    fn new(near: &[[u32; NEIGHBOURS]]) -> Self {
        let infect = black_box(INFECT);
        let ill: Vec<bool> = (0..near.len()).map(|k| k % 100 == 0).collect();
        let inverse = Inverse::of(near);
        let groups = Groups::new(-3, (0..near.len()).map(|k| rate(k, &ill, near, infect)));
        Spread { ill, near: near.to_vec(), inverse, groups, infect }
    }
}

/// Rate at which `k` changes to well or ill.
#[inline]
fn rate(k: usize, ill: &[bool], near: &[[u32; NEIGHBOURS]], infect: f64) -> f64 {
    if ill[k] { 1.0 } else { infect * near[k].iter().filter(|&&other| ill[other as usize]).count() as f64 }
}

/// Groups by power of two; a rate that depends on who changes is worked out afresh.
pub fn groups(end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let Spread { mut ill, near, inverse, mut groups, infect } = Spread::new(&known());
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = uniform(&mut rng);
        t += wait / groups.bound();
        if t > end || groups.bound() == 0.0 {
            break;
        }
        let Some(k) = groups.propose(choice) else { continue };
        ill[k] = !ill[k];
        groups.set(k, rate(k, &ill, &near, infect));
        for &other in inverse.row(k) {
            let other = other as usize;
            groups.set(other, rate(other, &ill, &near, infect));
        }
        events += 1;
    }
    Run::counted(events, ill.iter().filter(|&&ill| ill).count() as f64)
}

/// The same, with the number of neighbours who are ill kept for each.
pub fn counting_groups(end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let Spread { mut ill, near, inverse, mut groups, infect } = Spread::new(&known());
    let count = |row: &[u32; NEIGHBOURS]| row.iter().filter(|&&other| ill[other as usize]).count() as i32;
    let mut counts: Vec<i32> = near.iter().map(count).collect();
    let (mut t, mut events) = (0.0, 0);
    loop {
        let wait = exponential(&mut rng);
        let choice = uniform(&mut rng);
        t += wait / groups.bound();
        if t > end || groups.bound() == 0.0 {
            break;
        }
        let Some(k) = groups.propose(choice) else { continue };
        ill[k] = !ill[k];
        let one = if ill[k] { 1 } else { -1 };
        groups.set(k, if ill[k] { 1.0 } else { infect * f64::from(counts[k]) });
        for &other in inverse.row(k) {
            let other = other as usize;
            counts[other] += one;
            if !ill[other] {
                groups.set(other, infect * f64::from(counts[other]));
            }
        }
        events += 1;
    }
    Run::counted(events, ill.iter().filter(|&&ill| ill).count() as f64)
}
