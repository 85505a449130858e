//! Bouncing balls that come to rest.
//!
//! A ball that keeps the part e of its speed in each bounce bounces without end in a finite time: its flights are a
//! geometric series, of which a ball that falls for the time T takes T (1 + e)/(1 − e) in all. A simulation from
//! bounce to bounce never gets past that time. A real ball comes to rest, and so do these: one that
//! would leave the floor slower than a threshold stays there. Without the threshold the run ends in an error
//! that says so.
//!
//! `cargo run --release --example ball`

use clockrace::record::Path;
use clockrace::simulation;
use clockrace_examples::{Failure, Figure, output_folder};

/// Gravity, in m/s².
const G: f64 = 9.81;
/// All balls rest by then, in s.
const END: f64 = 10.0;

simulation! {
    /// Balls that are dropped and fly on sideways.
    model Balls {
        /// What part of its speed each ball keeps in a bounce.
        param restitution: Vec<f64> = vec![0.6, 0.75, 0.9];
        /// Speed in m/s below which a ball does not leave the floor.
        param threshold: f64 = 0.05 in 0.0..;
        /// Where they are dropped, in m above the floor.
        param height: f64 = 1.0;
        /// Speed sideways, in m/s.
        param sideways: f64 = 0.5;

        index ball = 0..restitution.len();

        state x[k in ball]: f64 = 0.0;
        state y[k in ball]: f64 = height;
        /// Speed upwards.
        state vy[k in ball]: f64 = 0.0;
        state resting[k in ball]: bool = false;
        state bounces[k in ball]: u64 = 0;

        let vx[k in ball] = if resting[k] { 0.0 } else { sideways };
        let gravity[k in ball] = if resting[k] { 0.0 } else { G };

        flow x[k in ball] = x[k] + vx[k] * dt;
        flow (y[k], vy[k]) [k in ball] = (y[k] + vy[k] * dt - 0.5 * gravity[k] * dt * dt, vy[k] - gravity[k] * dt);

        clock bounce[k in ball] if !resting[k]: crosses(y[k], down) => {
            bounces[k] += 1;
            vy[k] = -restitution[k] * vy[k];
            if vy[k].abs() < threshold {
                resting[k] = true;
                (y[k], vy[k]) = (0.0, 0.0);
            }
        }
    }
}

/// How often a ball bounces before it rests, and when that is: by the sum of the geometric series.
fn exact(model: &Balls, e: f64) -> (u64, f64) {
    let (fall, speed) = ((2.0 * model.height / G).sqrt(), (2.0 * model.height * G).sqrt());
    let mut bounces = 1;
    while speed * e.powi(bounces) >= model.threshold {
        bounces += 1;
    }
    (bounces as u64, fall * (1.0 + 2.0 * e * (1.0 - e.powi(bounces - 1)) / (1.0 - e)))
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let model = Balls::default();
    let mut sim = model.clone().start(0)?;
    let mut path = Path::of(["x", "y"]);
    sim.run_with(&mut path, END)?;
    let missing = "no such coordinate";

    println!("Balls dropped from {} m that move sideways with {} m/s\n", model.height, model.sideways);
    println!(
        "{:<13}{:^15}   {:^25}   {:^25}   {:>11}",
        "", "bounces", "time of rest, s", "place of rest, m", "all bounces"
    );
    println!(
        "{:<13}{:>6}{:>9}   {:>12}{:>13}   {:>12}{:>13}   {:>11}",
        "restitution", "exact", "found", "exact", "found", "exact", "found", "end at, s"
    );
    for (k, &e) in model.restitution.iter().enumerate() {
        let (bounces, rest) = exact(&model, e);
        let last = path.skeleton(&format!("x[{k}]")).and_then(|pieces| pieces.last().copied()).ok_or(missing)?;
        let all = (2.0 * model.height / G).sqrt() * (1.0 + e) / (1.0 - e);
        println!(
            "{e:<13}{bounces:>6}{:>9}   {rest:>12.9}{:>13.9}   {:>12.9}{:>13.9}   {all:>11.6}",
            sim.state().bounces[k],
            last.start,
            model.sideways * rest,
            last.value,
        );
    }

    let mut endless = Balls { threshold: 0.0, ..model.clone() }.start(0)?;
    if let Err(error) = endless.run_until(100.0) {
        println!("\nWithout the threshold:\n{error}");
    }

    let picture = folder.join("ball.svg");
    let mut figure = Figure::new("Balls that bounce and come to rest", "place, m", "height, m");
    let times: Vec<f64> = (0..=4_000).map(|k| f64::from(k) / 4_000.0 * END).collect();
    for (k, e) in model.restitution.iter().enumerate() {
        let [x, y] = ["x", "y"].map(|name| path.values(&format!("{name}[{k}]"), &times));
        let places = x.ok_or(missing)?.into_iter().zip(y.ok_or(missing)?);
        figure = figure.colour(k + 1).line(&format!("keeps {e} of its speed"), places);
    }
    figure.save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
