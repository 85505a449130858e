//! Four piecewise deterministic samplers on a normal law, whose moments are known.
//!
//! The law is that of twenty variables in a row, each of which depends on its neighbours: an autoregression, with
//! covariances ρ^|i − j|. Its precision matrix is sparse, so a turn of the Zig-Zag process or of the factorised
//! Boomerang makes three clocks known anew, while a bounce of the other two is one of all coordinates.
//!
//! The picture shows the paths that the samplers take through a plane, and below those of their sticky versions,
//! which stay on the axes for a while.
//!
//! `cargo run --release --example samplers`

use std::time::Instant;

use clockrace::record::Path;
use clockrace::{Model, Simulation};
use clockrace_examples::samplers::{
    Boomerang, BouncyParticle, FactorisedBoomerang, Gaussian, GaussianZigZag, Normal, Referenced as _, StickyBoomerang,
    StickyBouncyParticle, StickyFactorisedBoomerang, StickyZigZag, ZigZag,
};
use clockrace_examples::{COMPARED, Failure, Panel, Shown, compared, output_folder, save_panels};

/// The correlation of neighbours.
const RHO: f64 = 0.5;
/// Coordinates.
const D: usize = 20;
/// Time before anything is measured.
const WARM_UP: f64 = 100.0;
/// Batches whose means give the errors.
const BATCHES: usize = 40;

/// Of the paths in the picture.
const SEED: u64 = 5;

/// The law of `d` variables in a row with correlations ρ^|i − j|.
fn autoregression(d: usize, rho: f64) -> Gaussian {
    let scale = 1.0 / (1.0 - rho * rho);
    let row = |i: usize| {
        let inner = i > 0 && i + 1 < d;
        let near = [i.checked_sub(1), (i + 1 < d).then_some(i + 1)].into_iter().flatten();
        let itself = (i, if inner { scale * (1.0 + rho * rho) } else { scale });
        [itself].into_iter().chain(near.map(|j| (j, -rho * scale))).collect()
    };
    Gaussian::new(vec![1.0; d], (0..d).map(row).collect())
}

/// Runs a sampler, and prints what it finds beside what is exact.
fn study<M>(name: &str, mut sim: Simulation<M>, length: f64, events: fn(&M::Tallies) -> u64) -> Result<(), Failure>
where
    M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone,
{
    let begun = Instant::now();
    sim.warm_up(WARM_UP)?;
    let mut path = Path::of(["x"]).since(WARM_UP);
    sim.run_with(&mut path, WARM_UP + length)?;
    let (seconds, events) = (begun.elapsed().as_secs_f64(), events(sim.tallies()));

    println!("{name}, a time of {length}: {events} events in {seconds:.2} s");
    let missing = "no such coordinate";
    let mean = path.batch_means("x[10]", BATCHES).ok_or(missing)?;
    println!("  {:<24}{}", "mean of x₁₀", compared(1.0, &mean, 4));
    for (name, other, exact) in [("variance of x₁₀", "x[10]", 1.0), ("covariance with x₁₁", "x[11]", RHO)] {
        let product = path.functional(["x[10]", other], |x| (x[0] - 1.0) * (x[1] - 1.0)).ok_or(missing)?;
        println!("  {name:<24}{}", compared(exact, &product.batch_means(BATCHES).ok_or(missing)?, 4));
    }
    let size = path.effective_sample_size("x[10]", BATCHES).ok_or(missing)?;
    println!("  worth {size:.0} independent draws of x₁₀, {:.0} a second", size / seconds);
    Ok(())
}

/// The way of a sampler through the plane.
fn panel<M>(caption: &str, mut sim: Simulation<M>, contours: &[Vec<(f64, f64)>]) -> Result<Panel, Failure>
where
    M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone,
{
    let mut path = Path::of(["x"]);
    sim.run_with(&mut path, 40.0)?;
    let path = path.on_grid(0.02)?.rows().map(|(_, row)| (row[0], row[1])).collect();
    Ok(Panel { caption: caption.to_owned(), shown: Shown::Plane { reach: 3.4, contours: contours.to_vec(), path } })
}

/// The paths of all samplers, on two variables with correlation 0.7.
fn panels() -> Result<Vec<Panel>, Failure> {
    let rho: f64 = 0.7;
    let scale = 1.0 / (1.0 - rho * rho);
    let target =
        Gaussian::new(vec![0.0; 2], vec![vec![(0, scale), (1, -rho * scale)], vec![(1, scale), (0, -rho * scale)]]);
    // The curves within which half and 95 % of the law lie.
    let contours: Vec<Vec<(f64, f64)>> = [0.5_f64, 0.05]
        .map(|outside| {
            let radius = (-2.0 * outside.ln()).sqrt();
            let place = |angle: f64| {
                let (sin, cos) = angle.sin_cos();
                (radius * cos, radius * (rho * cos + (1.0 - rho * rho).sqrt() * sin))
            };
            (0..120).map(|k| place(f64::from(k) * std::f64::consts::TAU / 120.0)).collect()
        })
        .into();
    let (x, v, kappa) = (vec![0.3, -1.2], vec![1.0, -1.0], vec![1.0, 1.0]);
    let difference = rho * scale;
    let reference = target.reference();
    let plain = [
        panel("Zig-Zag", ZigZag { target: target.clone(), x: x.clone(), v: v.clone() }.start(SEED)?, &contours)?,
        panel(
            "factorised Boomerang",
            FactorisedBoomerang { target: target.clone(), refreshment: 0.3, rho: 0.0, x: x.clone() }.start(SEED)?,
            &contours,
        )?,
        panel(
            "Boomerang",
            Boomerang { target: target.clone(), reference, difference, refreshment: 0.3, rho: 0.0, x: x.clone() }
                .start(SEED)?,
            &contours,
        )?,
        panel(
            "Bouncy Particle",
            BouncyParticle {
                target: target.clone(),
                velocities: Normal::standard(2),
                refreshment: 0.3,
                rho: 0.0,
                x: x.clone(),
            }
            .start(SEED)?,
            &contours,
        )?,
    ];
    let sticky = [
        panel(
            "sticky Zig-Zag",
            StickyZigZag { target: target.clone(), kappa: kappa.clone(), x: x.clone(), v }.start(SEED)?,
            &contours,
        )?,
        panel(
            "sticky factorised Boomerang",
            StickyFactorisedBoomerang { target: target.clone(), kappa: kappa.clone(), refreshment: 0.3, x: x.clone() }
                .start(SEED)?,
            &contours,
        )?,
        panel(
            "sticky Boomerang",
            StickyBoomerang { target: target.clone(), kappa: kappa.clone(), refreshment: 0.3, x: x.clone() }
                .start(SEED)?,
            &contours,
        )?,
        panel(
            "sticky Bouncy Particle",
            StickyBouncyParticle { target, kappa, refreshment: 0.3, x }.start(SEED)?,
            &contours,
        )?,
    ];
    Ok(plain.into_iter().chain(sticky).collect())
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    println!("{D} variables with covariances {RHO}^|i − j|");
    println!("{:<26}{COMPARED}", "");
    let target = autoregression(D, RHO);
    let (x, v) = (vec![0.0; D], vec![1.0; D]);
    let precision = target.rows().to_vec();
    let zigzag = GaussianZigZag { mean: target.mean().to_vec(), precision, x: x.clone(), v };
    study("Zig-Zag", zigzag.start(1)?, 20_000.0, |tallies| tallies.turns)?;
    let factorised =
        FactorisedBoomerang { target: target.clone(), refreshment: 0.5 * D as f64, rho: 0.0, x: x.clone() };
    study("Factorised Boomerang", factorised.start(1)?, 20_000.0, |tallies| tallies.turns)?;
    // Of the part of the precision that is not on its diagonal, the spectral norm is at most that of a row.
    let difference = 2.0 * RHO / (1.0 - RHO * RHO);
    let reference = target.reference();
    let boomerang =
        Boomerang { target: target.clone(), reference, difference, refreshment: 1.0, rho: 0.0, x: x.clone() };
    study("Boomerang", boomerang.start(1)?, 20_000.0, |tallies| tallies.bounces)?;
    let velocities = Normal::standard(D);
    let bouncy = BouncyParticle { target, velocities, refreshment: 1.0, rho: 0.0, x };
    study("Bouncy Particle", bouncy.start(1)?, 20_000.0, |tallies| tallies.bounces)?;

    let picture = folder.join("samplers.svg");
    save_panels(&picture, "Piecewise deterministic samplers of a normal law", 4, 280, &panels()?)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
