//! Which variables belong into a regression? A spike-and-slab posterior, by four sticky samplers.
//!
//! Of ten covariates, three have an effect on the outcome of sixty observations. Each coefficient is 0 with prior
//! probability 1 − w, and otherwise normal with variance τ². A sticky sampler moves through the coefficients of all models
//! at once: one that reaches 0 stays there for a while. With ten covariates there are 1024 models, so the posterior is
//! known exactly, by going through all.
//!
//! `cargo run --release --example spike_and_slab`

use clockrace::rand::{RngExt as _, SeedableRng as _};
use clockrace::rand_distr::StandardNormal;
use clockrace::record::{Path, Sample};
use clockrace::{Model, Rng, Simulation};
use clockrace_examples::samplers::{
    Gaussian, Normal, StickyBoomerang, StickyBouncyParticle, StickyFactorisedBoomerang, StickyZigZag, dot,
};
use clockrace_examples::{COMPARED, Failure, Figure, compared, output_folder};

/// The true coefficients.
const EFFECTS: [f64; 10] = [0.6, 0.0, -0.5, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0, 0.0];
/// Prior probability that a coefficient is not 0.
const W: f64 = 0.3;
/// Prior standard deviation of one that is not.
const TAU: f64 = 1.0;
const OBSERVATIONS: usize = 60;
const WARM_UP: f64 = 500.0;
const BATCHES: usize = 40;

/// The posterior if all coefficients were included; the noise has variance 1.
fn posterior(seed: u64) -> Gaussian {
    let d = EFFECTS.len();
    let mut rng = Rng::seed_from_u64(seed);
    let mut columns = vec![Vec::new(); d];
    let mut outcome = Vec::new();
    for _ in 0..OBSERVATIONS {
        // A common part makes the covariates depend on each other.
        let common: f64 = rng.sample(StandardNormal);
        let z: Vec<f64> = EFFECTS.iter().map(|_| 0.7 * rng.sample::<f64, _>(StandardNormal) + 0.7 * common).collect();
        outcome.push(dot(&z, &EFFECTS) + rng.sample::<f64, _>(StandardNormal));
        columns.iter_mut().zip(&z).for_each(|(column, &z)| column.push(z));
    }
    let prior = |i: usize, j: usize| if i == j { TAU.powi(-2) } else { 0.0 };
    let precision: Vec<Vec<f64>> =
        (0..d).map(|i| (0..d).map(|j| dot(&columns[i], &columns[j]) + prior(i, j)).collect()).collect();
    let law = Normal::new(vec![0.0; d], &precision);
    let linear = columns.iter().map(|column| dot(column, &outcome)).collect();
    Gaussian::dense(law.solve_upper(law.solve_lower(linear)), &precision)
}

/// The probabilities that the coefficients are not 0, by batch means.
fn inclusion<M>(mut sim: Simulation<M>, length: f64) -> Result<Vec<Sample>, Failure>
where
    M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone,
{
    let mut path = Path::of(["stuck"]).since(WARM_UP);
    sim.run_with(&mut path, WARM_UP + length)?;
    let included = |i: usize| {
        let stuck = path.batch_means(&format!("stuck[{i}]"), BATCHES).ok_or("no such coefficient")?;
        Ok(stuck.values().iter().map(|stuck| 1.0 - stuck).collect())
    };
    (0..EFFECTS.len()).map(included).collect()
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let d = EFFECTS.len();
    let target = posterior(6);
    let kappa = vec![W / (1.0 - W) / (TAU * std::f64::consts::TAU.sqrt()); d];
    let exact = target.spiked(&kappa).inclusion;
    let x = target.mean().to_vec();
    let (zigzag, bouncy) = (
        StickyZigZag { target: target.clone(), kappa: kappa.clone(), x: x.clone(), v: vec![1.0; d] },
        StickyBouncyParticle { target: target.clone(), kappa: kappa.clone(), refreshment: 1.0, x: x.clone() },
    );
    let (factorised, boomerang) = (
        StickyFactorisedBoomerang { target: target.clone(), kappa: kappa.clone(), refreshment: 5.0, x: x.clone() },
        StickyBoomerang { target, kappa, refreshment: 1.0, x },
    );
    // The velocities of the Boomerangs are as small as the coefficients' standard deviations, so they take longer.
    let samplers = [
        ("Zig-Zag", inclusion(zigzag.start(1)?, 20_000.0)?),
        ("Bouncy Particle", inclusion(bouncy.start(1)?, 20_000.0)?),
        ("factorised Boomerang", inclusion(factorised.start(1)?, 100_000.0)?),
        ("Boomerang", inclusion(boomerang.start(1)?, 100_000.0)?),
    ];

    println!("Posterior probability that a coefficient is not 0; prior {W}");
    let mut figure = Figure::new("Which of ten coefficients are not 0?", "true coefficient", "posterior probability")
        .categories(EFFECTS.map(|effect| effect.to_string()).iter().map(String::as_str))
        .columns("exact, by going through 1024 models", (0..).map(f64::from).zip(exact.iter().copied()));
    for (number, (name, found)) in samplers.iter().enumerate() {
        println!("\n{:<22}{COMPARED}", format!("sticky {name}"));
        for ((effect, exact), found) in EFFECTS.iter().zip(&exact).zip(found) {
            println!("  true: {effect:<14}{}", compared(*exact, found, 4));
        }
        let shift = 0.14 * (number as f64 - 1.5);
        let intervals = found.iter().enumerate().map(|(place, sample)| {
            let (low, high) = sample.confidence_interval(0.95);
            (place as f64 + shift, low, high)
        });
        figure = figure.colour(number + 1).intervals(&format!("sticky {name}, 95 %"), intervals);
    }
    let picture = folder.join("spike_and_slab.svg");
    figure.save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
