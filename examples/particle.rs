//! A particle in a box that is pushed at random times.
//!
//! It flies straight on. At random times an impulse from outside gives it another direction, and when it
//! hits a wall it is reflected. When that will be can only be said under the condition that no impulse
//! comes first: each impulse makes the hitting times of the walls invalid, and each reflection those of
//! its own axis. Nowhere does it say so; it is read off the expressions.
//!
//! In the long run the particle is everywhere equally often, in every direction. So it hits each piece of
//! wall of length dl at the rate dl·v/(π A), with the speed v and the area A.
//!
//! `cargo run --release --example particle`

use std::f64::consts::{PI, TAU};

use clockrace::record::{Path, Sample};
use clockrace::simulation;
use clockrace_examples::{COMPARED, Failure, Panel, Shown, compared, output_folder, save_panels};

/// Length of a batch, a hundred times as long as the particle remembers.
const BATCH: f64 = 1_000.0;
const BATCHES: usize = 40;

simulation! {
    /// The box is the square from −1 to 1, and the speed is 1.
    model Particle {
        /// Impulses in a unit of time.
        param impulses: f64 = 0.5;

        index axis = 0..2;

        state x[k in axis]: f64 = 0.0;
        state v[k in axis]: f64 = if k == 0 { 0.8 } else { 0.6 };
        tally hits: u64 = 0;

        flow x[k in axis] = x[k] + v[k] * dt;

        clock impulse: rate(impulses) => {
            let angle = rng.random_range(0.0..TAU);
            v[0] = angle.cos();
            v[1] = angle.sin();
        }
        clock upper[k in axis]: crosses(x[k] - 1.0, up) => reflect(k);
        clock lower[k in axis]: crosses(x[k] + 1.0, down) => reflect(k);

        action reflect(k in axis) {
            v[k] = -v[k];
            hits += 1;
        }
    }
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let mut sim = Particle::default().start(4)?;
    let mut path = Path::of(["x"]);
    let mut hits = Vec::new();
    for batch in 1..=BATCHES {
        sim.reset_tallies()?;
        sim.run_with(&mut path, batch as f64 * BATCH)?;
        hits.push(sim.tallies().hits as f64 / BATCH);
    }

    let missing = "no such coordinate";
    let mean = |f: fn(&[f64]) -> f64| path.functional(["x[0]", "x[1]"], f)?.batch_means(BATCHES);
    println!("{:<28}{COMPARED}", "a particle in a box");
    for (name, exact, found) in [
        ("mean of x", 0.0, mean(|x| x[0])),
        ("mean of y", 0.0, mean(|x| x[1])),
        ("mean of x²", 1.0 / 3.0, mean(|x| x[0] * x[0])),
        ("mean of x²y²", 1.0 / 9.0, mean(|x| (x[0] * x[1]).powi(2))),
        ("hits of a wall", 8.0 / (4.0 * PI), Some(Sample::new(hits))),
    ] {
        println!("{name:<28}{}", compared(exact, &found.ok_or(missing)?, 4));
    }

    let mut turns = Vec::new();
    for axis in ["x[0]", "x[1]"] {
        turns.extend(path.skeleton(axis).ok_or(missing)?.iter().map(|piece| piece.start));
    }
    turns.sort_by(f64::total_cmp);
    let mut panels = Vec::new();
    for until in [10.0, 50.0, 250.0] {
        let mut times = turns.clone();
        times.retain(|&time| time < until);
        times.push(until);
        let [x, y] = ["x[0]", "x[1]"].map(|axis| path.values(axis, &times));
        let places = x.ok_or(missing)?.into_iter().zip(y.ok_or(missing)?).collect();
        panels.push(Panel {
            caption: format!("until t = {until}"),
            shown: Shown::Plane { reach: 1.0, contours: Vec::new(), path: places },
        });
    }
    let picture = folder.join("particle.svg");
    save_panels(&picture, "A particle in a box", 3, 300, &panels)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
