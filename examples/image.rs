//! A noisy image, cleaned by a sticky Zig-Zag process with a coordinate for each pixel.
//!
//! Most pixels of the image are 0, and neighbours resemble each other: a Gaussian field under a spike-and-slab prior.
//! The precision matrix has five entries in a row, so an event concerns a pixel and its four neighbours, and costs the
//! same whether there are a thousand pixels or a million. All pixels that are stuck share one clock that thaws them.
//!
//! `cargo run --release --example image [FOLDER [SIDE [TIME]]]`

use std::time::Instant;

use clockrace::Rng;
use clockrace::rand::{RngExt as _, SeedableRng as _};
use clockrace::rand_distr::StandardNormal;
use clockrace::record::PathMoments;
use clockrace_examples::samplers::StickyField;
use clockrace_examples::{Failure, Panel, Shown, argument, output_folder, save_panels};

/// Standard deviation of the noise.
const NOISE: f64 = 0.4;
/// How strongly neighbours are tied to each other, and each pixel to 0.
const TIE: f64 = 4.0;
const PULL: f64 = 0.1;
/// The rate of thawing: prior odds of a pixel that is not 0 times its density at 0.
const KAPPA: f64 = 0.8;

/// Two discs and a ring.
fn truth(side: usize) -> Vec<f64> {
    let pixel = |y: usize, x: usize| {
        let [x, y] = [x, y].map(|k| (k as f64 + 0.5) / side as f64);
        let from = |a: f64, b: f64| (x - a).hypot(y - b);
        let ring = (from(0.62, 0.6) - 0.22).abs() < 0.045;
        if ring || from(0.62, 0.6) < 0.07 {
            1.0
        } else if from(0.25, 0.28) < 0.14 {
            0.6
        } else {
            0.0
        }
    };
    (0..side * side).map(|k| pixel(k / side, k % side)).collect()
}

/// The rows of the posterior's precision matrix.
fn precision(side: usize) -> Vec<Vec<(usize, f64)>> {
    let row = |k: usize| {
        let (y, x) = (k / side, k % side);
        let near = [
            (y > 0, k.wrapping_sub(side)),
            (x > 0, k.wrapping_sub(1)),
            (x + 1 < side, k + 1),
            (y + 1 < side, k + side),
        ];
        let near: Vec<usize> = near.into_iter().filter(|entry| entry.0).map(|entry| entry.1).collect();
        let itself = TIE * near.len() as f64 + PULL + NOISE.powi(-2);
        [(k, itself)].into_iter().chain(near.into_iter().map(|j| (j, -TIE))).collect()
    };
    (0..side * side).map(row).collect()
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let side: usize = argument(2, 100)?;
    let end: f64 = argument(3, 120.0)?;
    let warm_up = end / 6.0;
    let mut rng = Rng::seed_from_u64(1);
    let truth = truth(side);
    let noisy: Vec<f64> = truth.iter().map(|pixel| pixel + NOISE * rng.sample::<f64, _>(StandardNormal)).collect();
    let linear = noisy.iter().map(|pixel| pixel / (NOISE * NOISE)).collect();

    let begun = Instant::now();
    let mut sim = StickyField { linear, precision: precision(side), kappa: KAPPA, x: noisy.clone() }.start(1)?;
    println!("{side} × {side} pixels, set up in {:.2} s", begun.elapsed().as_secs_f64());
    let begun = Instant::now();
    sim.run_until(warm_up)?;
    let mut moments = PathMoments::of(["x"]).since(warm_up).occupation_of(0.0);
    sim.run_with(&mut moments, end)?;
    let (seconds, events) = (begun.elapsed().as_secs_f64(), sim.tallies().events as f64);
    println!("{:.2} million events in {seconds:.1} s, {:.0} thousand a second", 1e-6 * events, 1e-3 * events / seconds);

    let mean = moments.means_of("x").ok_or("nothing observed")?;
    let zero = moments.occupations_of("x").ok_or("nothing observed")?;
    let error = |image: &[f64]| {
        let squares = image.iter().zip(&truth).map(|(pixel, truth)| (pixel - truth).powi(2));
        (squares.sum::<f64>() / truth.len() as f64).sqrt()
    };
    println!("root mean square error: noisy {:.3}, cleaned {:.3}", error(&noisy), error(&mean));
    let included: Vec<f64> = zero.iter().map(|zero| 1.0 - zero).collect();
    let wrong = included.iter().zip(&truth).filter(|(included, truth)| (**included > 0.5) != (**truth > 0.0)).count();
    println!("pixels whether 0 or not: {:.1} % right", 100.0 - 100.0 * wrong as f64 / truth.len() as f64);

    let picture = folder.join("image.svg");
    let panel = |caption: &str, image: Vec<f64>| Panel { caption: caption.to_owned(), shown: Shown::Image(image) };
    let panels = [
        panel("truth", truth),
        panel("with noise", noisy),
        panel("posterior mean", mean),
        panel("probability of not being 0", included),
    ];
    save_panels(&picture, "An image cleaned by a sticky Zig-Zag process", 4, 280, &panels)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
