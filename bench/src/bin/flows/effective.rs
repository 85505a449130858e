//! Effective samples a second of the Zig-Zag process, beside its events a second.
//!
//! Every run starts in the law that it samples, so there is no burn-in to leave out, and it knows that the means are
//! 0. The time average of a coordinate over a batch of length L then has the square error m², and a coordinate with
//! the variance σ² is worth σ²/m² independent draws a batch. Mean squares are taken over batches and coordinates
//! before they are divided: the ratios of single coordinates would need many batches each, for which an image of any
//! size has no time.

use std::f64::consts::PI;
use std::fmt::Write as _;
use std::hint::black_box;

use clockrace::record::PathMoments;
use clockrace::{Model, SimError, Simulation, on_event};
use clockrace_bench::median;
use clockrace_examples::samplers::GaussianZigZag;
use cpu_time::ThreadTime;
use rand::{Rng, RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::models::Grid;

/// Length of a batch. On the images, whose longest waves forget slowly, one without end would say a fifth less.
const BATCH: f64 = 40.0;
/// The correlation of neighbours in a row.
const RHO: f64 = 0.5;
/// Pixels that are followed, in each direction.
const FOLLOWED: usize = 20;
/// How far the mean square may be from what is exact, as a part of it: more than four standard errors.
const TOLERANCE: f64 = 0.1;
/// How far the events for a pixel and a unit of time may be from those of a smaller image, as a part of them. Pixels at
/// the edges turn less often, which is a tenth of this.
const RATE_TOLERANCE: f64 = 0.01;

const SOUND: &str = "the model is sound";

/// A law to be sampled.
#[derive(Clone, Copy)]
enum Law {
    /// Variables in a row with variance 1 and covariances ρ^|i − j|.
    Row(usize),
    /// An image of n × n pixels.
    Image(usize),
}

struct Subject {
    title: &'static str,
    law: Law,
    /// Batches in a run.
    batches: u32,
    /// A larger image, and the time of a run of it. It is timed, but even a batch would take minutes. A unit of time is
    /// worth what it is worth to the pixels of the smaller one, most of which are as far from any edge as matters.
    larger: Option<(usize, f64)>,
}

const SUBJECTS: &[Subject] = &[
    Subject { title: "2 variables, correlation 0.5", law: Law::Row(2), batches: 500_000, larger: None },
    Subject { title: "50 variables in a row, correlation 0.5", law: Law::Row(50), batches: 20_000, larger: None },
    Subject { title: "100 × 100 pixels", law: Law::Image(100), batches: 50, larger: None },
    Subject { title: "300 × 300 pixels", law: Law::Image(300), batches: 5, larger: None },
    Subject { title: "1,000 × 1,000 pixels", law: Law::Image(300), batches: 3, larger: Some((1_000, 5.0)) },
];

/// What a run has shown.
struct Outcome {
    /// Mean over coordinates and batches of the square of a batch mean. NaN without a complete batch.
    batch_square: f64,
    /// Mean over coordinates of the mean square over time.
    mean_square: f64,
    /// What that is in the law.
    exact: f64,
    speed: Speed,
}

#[derive(Clone, Copy)]
struct Speed {
    time: f64,
    events: u64,
    seconds: f64,
}

/// Runs `rounds` times each of the subjects whose title contains `only`, and gives the result as a Markdown table.
///
/// # Errors
/// If a run does not sample its law, as far as the mean square and the number of events tell.
pub fn table(only: &str, rounds: u64) -> Result<String, String> {
    let mut text = String::from("| Zig-Zag on | time | events a run | million events/s | effective samples/s | ");
    text.push_str("in a time of 1,000 | mean square | exact |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
    for subject in SUBJECTS.iter().filter(|subject| subject.title.contains(only)) {
        let (mut outcomes, mut speeds) = (Vec::new(), Vec::new());
        for seed in 1..=rounds {
            let outcome = subject.law.run(BATCH * f64::from(subject.batches), black_box(seed)).expect(SOUND);
            speeds.push(subject.larger_speed(&outcome.speed, seed)?.unwrap_or(outcome.speed));
            outcomes.push(outcome);
        }
        let mean = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).sum::<f64>() / rounds as f64;
        let middle = |of: fn(&Speed) -> f64| median(speeds.iter().map(of).collect());
        let (mean_square, exact) = (mean(|outcome| outcome.mean_square), outcomes[0].exact);
        let worth = mean_square / mean(|outcome| outcome.batch_square) / BATCH;
        let per_second = worth * middle(|speed| speed.time / speed.seconds);
        writeln!(
            text,
            "| {} | {} | {:.0} | {:.2} | {per_second:.*} | {:.0} | {mean_square:.4} | {exact:.4} |",
            subject.title,
            speeds[0].time,
            middle(|speed| speed.events as f64),
            middle(|speed| speed.events as f64 / speed.seconds) / 1e6,
            if per_second < 100.0 { 2 } else { 0 },
            worth * 1e3,
        )
        .expect("a string takes all");
        if (mean_square / exact - 1.0).abs() > TOLERANCE {
            return Err(format!("{text}\n{}: the mean square should be {exact:.4}", subject.title));
        }
    }
    Ok(text)
}

impl Subject {
    /// The speed of the larger image, if there is one, checked against that of the smaller one.
    fn larger_speed(&self, smaller: &Speed, seed: u64) -> Result<Option<Speed>, String> {
        let Some((n, time)) = self.larger else { return Ok(None) };
        let larger = Law::Image(n).run(time, black_box(seed)).expect(SOUND).speed;
        let rate = |speed: &Speed, law: Law| speed.events as f64 / (speed.time * law.dimension() as f64);
        let (ours, its) = (rate(&larger, Law::Image(n)), rate(smaller, self.law));
        if (ours / its - 1.0).abs() > RATE_TOLERANCE {
            return Err(format!("{}: {ours} events for a pixel and a unit of time, but {its} before", self.title));
        }
        Ok(Some(larger))
    }
}

impl Law {
    fn dimension(self) -> usize {
        match self {
            Law::Row(d) => d,
            Law::Image(n) => n * n,
        }
    }

    fn run(self, time: f64, seed: u64) -> Result<Outcome, SimError> {
        // Not the seed of the run, whose draws must not be those of its start.
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed);
        match self {
            Law::Row(d) => {
                let x = row(d, &mut rng);
                let v = (0..d).map(|_| if rng.random() { 1.0 } else { -1.0 }).collect();
                let model = GaussianZigZag { mean: vec![0.0; d], precision: row_precision(d), x, v };
                follow(model.start(seed)?, vec!["x".into()], time, 1.0)
            }
            Law::Image(n) => {
                let mut simulation = Grid { n, tether: crate::TETHER }.start(seed)?;
                simulation.update(|state| state.x = image(n, &mut rng).into())?;
                let places: Vec<usize> = (0..FOLLOWED).map(|i| (2 * i + 1) * n / (2 * FOLLOWED)).collect();
                let names = places.iter().flat_map(|row| places.iter().map(move |column| row * n + column));
                follow(simulation, names.map(|k| format!("x[{k}]")).collect(), time, image_variance(n, &places))
            }
        }
    }
}

/// Runs `simulation`, whose coordinates `names` have the mean variance `exact`. A time that is more than a batch must be
/// a whole number of them.
fn follow<M>(mut simulation: Simulation<M>, names: Vec<String>, time: f64, exact: f64) -> Result<Outcome, SimError>
where
    M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone,
{
    let mut moments = PathMoments::of(names).batches_of(BATCH)?;
    let mut events = 0;
    let start = ThreadTime::now();
    simulation.run_with(&mut (&mut moments, on_event(|_, _| events += 1)), time)?;
    let speed = Speed { time, events, seconds: start.elapsed().as_secs_f64() };

    let names = moments.names();
    let mean = |of: &dyn Fn(&str) -> Option<f64>| {
        let values = names.iter().map(|name| of(name).expect("it is followed"));
        values.sum::<f64>() / names.len() as f64
    };
    // The variance of the batch means over one less than their number is the squared standard error.
    let others = moments.batches() as f64 - 1.0;
    let batch_square = mean(&|name| Some(moments.mean(name)?.powi(2) + others * moments.standard_error(name)?.powi(2)));
    let mean_square = mean(&|name| moments.second_moment(name));
    Ok(Outcome { batch_square, mean_square, exact, speed })
}

/// Normal variables in a row with variance 1, each correlated with the one before it.
fn row(d: usize, rng: &mut impl Rng) -> Vec<f64> {
    let mut before = rng.sample(StandardNormal);
    let next = |_| {
        let this = before;
        before = RHO * this + (1.0 - RHO * RHO).sqrt() * rng.sample::<f64, _>(StandardNormal);
        this
    };
    (0..d).map(next).collect()
}

/// The inverse of their covariance matrix: of each row what is not zero.
fn row_precision(d: usize) -> Vec<Vec<(usize, f64)>> {
    let scale = 1.0 / (1.0 - RHO * RHO);
    let row = |i: usize| {
        let near = [i.checked_sub(1), (i + 1 < d).then_some(i + 1)].into_iter().flatten();
        let inner = i > 0 && i + 1 < d;
        let itself = (i, if inner { scale * (1.0 + RHO * RHO) } else { scale });
        [itself].into_iter().chain(near.map(|j| (j, -RHO * scale))).collect()
    };
    (0..d).map(row).collect()
}

/// The precision matrix of an image has the waves cos(π a (r + ½)/n) cos(π b (c + ½)/n) as eigenvectors: this is the
/// factor of wave `a` at pixel `r`, such that the squares over all pixels add up to 1.
fn wave(n: usize, a: usize, r: usize) -> f64 {
    let scale: f64 = if a == 0 { 1.0 } else { 2.0 };
    (scale / n as f64).sqrt() * (PI * a as f64 * (r as f64 + 0.5) / n as f64).cos()
}

/// The eigenvalue of the waves `a` and `b`.
fn eigenvalue(n: usize, a: usize, b: usize) -> f64 {
    let along = |k: usize| 2.0 - 2.0 * (PI * k as f64 / n as f64).cos();
    crate::TETHER + along(a) + along(b)
}

/// An image drawn from its law.
fn image(n: usize, rng: &mut impl Rng) -> Vec<f64> {
    let waves: Vec<f64> = (0..n * n).map(|k| wave(n, k / n, k % n)).collect();
    // The amplitudes, then along one direction, then along the other.
    let mut x: Vec<f64> =
        (0..n * n).map(|k| rng.sample::<f64, _>(StandardNormal) / eigenvalue(n, k / n, k % n).sqrt()).collect();
    for _ in 0..2 {
        let mut turned = vec![0.0; n * n];
        for (row, amplitudes) in x.chunks_exact(n).enumerate() {
            let mut values = vec![0.0; n];
            for (&amplitude, wave) in amplitudes.iter().zip(waves.chunks_exact(n)) {
                values.iter_mut().zip(wave).for_each(|(value, wave)| *value += amplitude * wave);
            }
            values.into_iter().enumerate().for_each(|(column, value)| turned[column * n + row] = value);
        }
        x = turned;
    }
    x
}

/// The mean variance of the pixels whose row and column are among `places`.
fn image_variance(n: usize, places: &[usize]) -> f64 {
    let power = |a| places.iter().map(|&r| wave(n, a, r).powi(2)).sum::<f64>() / places.len() as f64;
    let powers: Vec<f64> = (0..n).map(power).collect();
    let of = |a: usize| (0..n).map(|b| powers[b] / eigenvalue(n, a, b)).sum::<f64>();
    (0..n).map(|a| powers[a] * of(a)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_hand::neighbours;

    #[test]
    fn waves_are_eigenvectors() {
        let n = 7;
        for (a, b) in [(0, 0), (0, 3), (2, 5), (6, 6)] {
            let at = |k: usize| wave(n, a, k / n) * wave(n, b, k % n);
            assert!(((0..n * n).map(|k| at(k).powi(2)).sum::<f64>() - 1.0).abs() < 1e-12);
            for k in 0..n * n {
                let near: Vec<f64> = neighbours(k, n).map(at).collect();
                let product = (crate::TETHER + near.len() as f64) * at(k) - near.iter().sum::<f64>();
                assert!((product - eigenvalue(n, a, b) * at(k)).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn images_have_their_variance() {
        let (n, images) = (6, 4_000);
        let places = [0, 4];
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let squares: Vec<f64> = (0..images)
            .map(|_| {
                let x = image(n, &mut rng);
                let all = places.iter().flat_map(|r| places.iter().map(move |c| r * n + c));
                all.map(|k| x[k] * x[k]).sum::<f64>() / 4.0
            })
            .collect();
        let mean = squares.iter().sum::<f64>() / images as f64;
        let variance = squares.iter().map(|square| (square - mean).powi(2)).sum::<f64>() / images as f64;
        assert!((mean - image_variance(n, &places)).abs() < 4.0 * (variance / images as f64).sqrt());
    }

    #[test]
    fn rows_are_inverted() {
        let d = 5;
        for (i, row) in row_precision(d).into_iter().enumerate() {
            for k in 0..d {
                let product: f64 = row.iter().map(|&(j, p)| p * RHO.powi(j.abs_diff(k) as i32)).sum();
                assert!((product - f64::from(u8::from(i == k))).abs() < 1e-12);
            }
        }
    }
}
