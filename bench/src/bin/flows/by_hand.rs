//! Loops written by hand, with the generator and the draws of the engine's peers.

use clockrace_bench::draws::{exponential, generator, uniform};
use clockrace_bench::pairs::{Blocks, Pairs};
use clockrace_bench::{Run, mean_square};
use rand::RngExt;

/// The pixels next to pixel `k` of an image of n × n.
pub fn neighbours(k: usize, n: usize) -> impl Iterator<Item = usize> {
    let (row, column) = (k / n, k % n);
    let up = (row > 0).then(|| k - n);
    let left = (column > 0).then(|| k - 1);
    let right = (column + 1 < n).then_some(k + 1);
    let down = (row + 1 < n).then_some(k + n);
    up.into_iter().chain(left).chain(right).chain(down)
}

/// The time of the first event of a Poisson process with hazard (a + b t)⁺.
#[inline]
fn arrival(a: f64, b: f64, e: f64) -> f64 {
    if b > 0.0 {
        if a > 0.0 { 2.0 * e / (a + (a * a + 2.0 * b * e).sqrt()) } else { (2.0 * e / b).sqrt() - a / b }
    } else if a <= 0.0 {
        f64::INFINITY
    } else if b == 0.0 {
        e / a
    } else {
        let square = a * a + 2.0 * b * e;
        if square >= 0.0 { 2.0 * e / (a + square.sqrt()) } else { f64::INFINITY }
    }
}

/// Positions that are moved when they are needed.
struct Pixels {
    n: usize,
    /// Position, velocity, and when it was there.
    at: Vec<(f64, f64, f64)>,
}

impl Pixels {
    #[inline]
    fn x(&self, k: usize, now: f64) -> f64 {
        let (x, v, since) = self.at[k];
        x + v * (now - since)
    }

    /// When pixel `k` flips.
    #[inline]
    fn flip(&self, k: usize, now: f64, e: f64) -> f64 {
        let n = self.n;
        let (mut a, mut b, mut degree) = (0.0, 0.0, 0.0);
        let (row, column) = (k / n, k % n);
        let mut near = |j: usize| {
            a -= self.x(j, now);
            b -= self.at[j].1;
            degree += 1.0;
        };
        if row > 0 {
            near(k - n);
        }
        if column > 0 {
            near(k - 1);
        }
        if column + 1 < n {
            near(k + 1);
        }
        if row + 1 < n {
            near(k + n);
        }
        let v = self.at[k].1;
        let weight = crate::TETHER + degree;
        now + arrival(v * (a + weight * self.x(k, now)), v * (b + weight * v), e)
    }
}

/// The Zig-Zag process on an image: blocks of times under a tournament.
pub fn grid(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let at = (0..n * n).map(|_| (0.0, if rng.random() { 1.0 } else { -1.0 }, 0.0)).collect();
    let mut pixels = Pixels { n, at };
    let first: Vec<f64> = (0..n * n).map(|k| pixels.flip(k, 0.0, exponential(&mut rng))).collect();
    let mut times = Blocks::new(first.into_iter());
    let mut events = 0;
    loop {
        let (now, k) = times.first();
        if now > end {
            break;
        }
        let x = pixels.x(k, now);
        let v = pixels.at[k].1;
        pixels.at[k] = (x, -v, now);
        times.set(k, pixels.flip(k, now, exponential(&mut rng)));
        let (row, column) = (k / n, k % n);
        let mut again = |j: usize| times.set(j, pixels.flip(j, now, exponential(&mut rng)));
        if row > 0 {
            again(k - n);
        }
        if column > 0 {
            again(k - 1);
        }
        if column + 1 < n {
            again(k + 1);
        }
        if row + 1 < n {
            again(k + n);
        }
        events += 1;
    }
    Run::counted(events, mean_square((0..n * n).map(|k| pixels.x(k, end))))
}

/// Particles between two walls.
pub fn walls(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let mut at: Vec<(f64, f64, f64)> = (0..n).map(|_| (uniform(&mut rng), rng.random_range(-1.0..1.0), 0.0)).collect();
    let hit = |(x, v, since): (f64, f64, f64)| since + if v > 0.0 { (1.0 - x) / v } else { x / -v };
    let mut times = Pairs::new(at.iter().map(|&particle| hit(particle)).collect::<Vec<_>>().into_iter());
    let mut events = 0;
    loop {
        let (now, k) = times.first();
        if now > end {
            break;
        }
        let (x, v, since) = at[k];
        at[k] = (x + v * (now - since), -v, now);
        times.set(k, hit(at[k]));
        events += 1;
    }
    Run::counted(events, mean_square(at.iter().map(|(x, v, since)| x + v * (end - since))))
}
