//! A logistic regression by the Zig-Zag process, with all observations and with one at a time.
//!
//! The gradient of the posterior is a sum over all observations. By subsampling, a proposal looks at one of them,
//! drawn at random, and the posterior is sampled exactly all the same. With estimates that are differences from the
//! gradient at the mode, the number of proposals does not grow with the number of observations (Bierkens, Fearnhead
//! and Roberts, Annals of Statistics 47 (2019) 1288): the cost of an independent draw stays as it is, while with all
//! observations it grows in proportion. Speeds are the standard deviations of the coefficients.
//!
//! `cargo run --release --example logistic [FOLDER [OBSERVATIONS]]`, up to so many observations

use std::time::Instant;

use clockrace::rand::{RngExt as _, SeedableRng as _};
use clockrace::rand_distr::StandardNormal;
use clockrace::record::Path;
use clockrace::{Model, Rng, Simulation};
use clockrace_examples::samplers::{Logistic, Referenced as _, SubsampledZigZag, Target as _, ZigZag};
use clockrace_examples::{COMPARED, Failure, Figure, argument, compared, output_folder};

const WARM_UP: f64 = 50.0;
const BATCHES: usize = 40;

/// Observations with an intercept and one covariate.
fn observations(n: usize) -> Logistic {
    let mut rng = Rng::seed_from_u64(n as u64);
    let rows: Vec<Vec<f64>> = (0..n).map(|_| vec![1.0, rng.sample(StandardNormal)]).collect();
    let outcomes = rows.iter().map(|z| rng.random_bool(1.0 / (1.0 + (1.0 - 2.0 * z[1]).exp()))).collect();
    Logistic::new(rows, outcomes, 3.0)
}

/// The posterior mean of the slope, by the trapezoidal rule on a grid: exact, as the density is smooth and vanishes at its
/// ends.
fn exact(target: &Logistic) -> f64 {
    let mode = target.mode();
    let at_mode = target.potential(mode);
    let place = |i: usize, k: u32| mode[i] + (f64::from(k) / 40.0 - 1.0) * 14.0 / target.precision(i).sqrt();
    let (mut total, mut sum) = (0.0, 0.0);
    for beta in (0..=80).flat_map(|k| (0..=80).map(move |l| [place(0, k), place(1, l)])) {
        let density = (at_mode - target.potential(&beta)).exp();
        total += density;
        sum += density * beta[1];
    }
    sum / total
}

/// Prints the posterior mean of the slope that a sampler finds, and gives independent draws a second.
fn study<M>(name: &str, mut sim: Simulation<M>, length: f64, exact: f64) -> Result<f64, Failure>
where
    M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone,
{
    let begun = Instant::now();
    let mut path = Path::of(["x"]).since(WARM_UP);
    sim.run_with(&mut path, WARM_UP + length)?;
    let seconds = begun.elapsed().as_secs_f64();
    let missing = "no such coefficient";
    let size = path.effective_sample_size("x[1]", BATCHES).ok_or(missing)?;
    let mean = path.batch_means("x[1]", BATCHES).ok_or(missing)?;
    println!("  {name:<22}{}{:>14.0}", compared(exact, &mean, 5), size / seconds);
    Ok(size / seconds)
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let most: usize = argument(2, 10_000)?;
    println!("{:<24}{COMPARED}   draws a second", "posterior mean of a slope");
    let (mut all, mut one) = (Vec::new(), Vec::new());
    for n in [100, 300, 1_000, 3_000, 10_000].into_iter().filter(|&n| n <= most) {
        println!("{n} observations");
        let target = observations(n);
        let slope = exact(&target);
        let x = target.mode().to_vec();
        let v: Vec<f64> = (0..target.dimension()).map(|i| target.precision(i).sqrt().recip()).collect();
        let decade = (n as f64).log10();
        let zigzag = ZigZag { target: target.clone(), x: x.clone(), v: v.clone() };
        let length = (2e7 / n as f64).min(10_000.0);
        all.push((decade, study("all observations", zigzag.start(1)?, length, slope)?.log10()));
        let subsampled = SubsampledZigZag { target, x, v };
        one.push((decade, study("one at a time", subsampled.start(1)?, 10_000.0, slope)?.log10()));
    }
    let picture = folder.join("logistic.svg");
    Figure::new(
        "A logistic regression by the Zig-Zag process",
        "log₁₀ observations",
        "log₁₀ independent draws a second",
    )
    .colour(2)
    .line("all observations", all.iter().copied())
    .points("", all)
    .colour(1)
    .line("one at a time", one.iter().copied())
    .points("", one)
    .save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
