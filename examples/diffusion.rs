//! Molecules that diffuse along a line, against the exact law of their numbers.
//!
//! 1,000 molecules start at one of 50 sites in a row and hop to either neighbour at the same rate; at
//! the ends they turn back. As they take no notice of each other, the numbers at the sites are
//! multinomial at any time: of N molecules, each at a site with probability p, there are N p on
//! average, with variance N p (1 − p). The probabilities are those of a random walk between
//! reflecting ends: its generator on n sites, with rate d either way, has the eigenvectors
//! cos(π m (k + ½)/n) and eigenvalues −2 d (1 − cos(π m/n)), m = 0 … n − 1.
//!
//! `cargo run --release --example diffusion [FOLDER [REPLICATES]]`

use std::f64::consts::PI;

use clockrace::record::Sample;
use clockrace::{Ensemble, simulation};
use clockrace_examples::{COMPARED, Failure, Figure, argument, compared, output_folder};

simulation! {
    /// Time is in seconds.
    #[derive(Clone, Debug)]
    model Diffusion {
        param sites: usize;
        /// Hops of a molecule in a second, each way.
        param hop: f64 in 0.0..;

        index site = 0..sites;
        state molecules[k in site]: u64;

        reaction right[k in site] if k + 1 < sites: molecules[k] -> molecules[k + 1] @ hop;
        reaction left[k in site]  if k > 0:         molecules[k] -> molecules[k - 1] @ hop;

        observe molecules[k in site] = molecules[k];
    }
}

const SITES: usize = 50;
const HOP: f64 = 1.0;
const MOLECULES: u64 = 1_000;
/// Where they start; the first site is 0.
const START: usize = 12;
/// Seconds at which they are counted.
const TIMES: [f64; 3] = [5.0, 25.0, 100.0];

/// The exact mean and variance of the number at each site at `time`.
fn exact(time: f64) -> Vec<(f64, f64)> {
    let n = SITES as f64;
    let wave = |m: f64, site: usize| (PI * m * (site as f64 + 0.5) / n).cos();
    let chance = |site| {
        let mode = |m: f64| {
            let decay = 2.0 * HOP * (1.0 - (PI * m / n).cos());
            2.0 * wave(m, START) * wave(m, site) * (-decay * time).exp()
        };
        (1.0 + (1..SITES).map(|m| mode(m as f64)).sum::<f64>()) / n
    };
    let molecules = MOLECULES as f64;
    (0..SITES).map(chance).map(|p| (molecules * p, molecules * p * (1.0 - p))).collect()
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let replicates = argument(2, 400)?;
    let mut molecules = vec![0; SITES];
    molecules[START] = MOLECULES;
    let model = Diffusion { sites: SITES, hop: HOP, molecules };
    let runs = Ensemble::new(&model).replicates(replicates).seed(2).at(TIMES).run()?;

    println!(
        "{MOLECULES} molecules, all at site {START} of 0 … {}; each hops at rate {HOP} a second either way",
        SITES - 1
    );
    println!("{replicates} replicates\n");
    println!("{:<27}{COMPARED}", "molecules at a site");
    let (mut intervals, mut hold) = (0, 0);
    for (t, time) in TIMES.into_iter().enumerate() {
        let samples = runs.samples_of("molecules", t).ok_or("no such output")?;
        for (site, ((mean, variance), numbers)) in exact(time).into_iter().zip(samples).enumerate() {
            // Where hardly any come, intervals by a normal law mean nothing.
            if mean < 1.0 {
                continue;
            }
            let squares: Sample = numbers.values().iter().map(|number| (number - mean).powi(2)).collect();
            for (name, exact, found) in [("mean", mean, numbers), ("variance", variance, squares)] {
                let (low, high) = found.confidence_interval(0.95);
                intervals += 1;
                hold += usize::from((low..=high).contains(&exact));
                if site % 12 == 0 {
                    println!("{time:>5} s  site {site:<3} {name:<9}{}", compared(exact, &found, 2));
                }
            }
        }
    }
    println!("\nOf all {intervals} such intervals, where a molecule or more is expected, {hold} hold what is exact");

    let picture = folder.join("diffusion.svg");
    let mut figure = Figure::new("Molecules diffusing from one site", "site", "molecules at the site");
    let sites = || (0..).map(f64::from);
    for (t, time) in TIMES.into_iter().enumerate() {
        let bands = exact(time).into_iter().map(|(mean, variance)| (mean, 2.0 * variance.sqrt()));
        let bands = sites().zip(bands).map(|(site, (mean, two))| (site, (mean - two).max(0.0), mean + two));
        figure = figure.colour(t + 1).band("", bands);
    }
    for (t, time) in TIMES.into_iter().enumerate() {
        let means = exact(time).into_iter().map(|(mean, _)| mean);
        let one = runs.members("molecules", 0, t).ok_or("no such output")?;
        figure = figure
            .colour(t + 1)
            .line(&format!("after {time} s: exact mean ± 2 s.d., and one run"), sites().zip(means))
            .points("", sites().zip(one.iter().copied()));
    }
    figure.save(&picture)?;
    println!("Written: {}", picture.display());
    Ok(())
}
