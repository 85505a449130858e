//! A fluid of hard disks, from collision to collision.
//!
//! 1,024 disks fly in a periodic box, of which they cover 30 %, and collide elastically. This is what
//! molecular dynamics began with: Alder and Wainwright, J. Chem. Phys. 31 (1959) 459. Every pair of disks
//! that are near each other has a clock for its collision; the pairs change as disks go from one cell of
//! a grid to the next. The model is `Disks` in `examples/src/disks.rs`.
//!
//! Energy and momentum are conserved, up to rounding. The pressure is known by the virial series; it says
//! how many disks are in contact and so, by the theory of Enskog, how often they collide. In the beginning
//! the disks stand in a lattice and all are equally fast; after a few collisions places and speeds are
//! random.
//!
//! `cargo run --release --example disks [FOLDER [COLLISIONS]]`

use std::f64::consts::{PI, TAU};
use std::time::Instant;

use clockrace::rand::{RngExt, SeedableRng};
use clockrace::record::Sample;
use clockrace_examples::disks::{Disks, Vector, compressibility_of, save_disks};
use clockrace_examples::{COMPARED, Failure, Figure, argument, compared, output_folder};

const ROWS: u32 = 32;
const PACKING: f64 = 0.3;
/// Time before anything is measured, about 50 collisions of each disk.
const WARM_UP: f64 = 20.0;
const BATCHES: usize = 40;
/// Looks at the speeds in a batch.
const LOOKS: u32 = 5;
/// Width of a column of the histogram of speeds.
const COLUMN: f64 = 0.2;

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let collisions = argument(2, 1e6)?;
    let mut rng = clockrace::Rng::seed_from_u64(1);
    let mut model = Disks::fluid(ROWS, PACKING, &mut rng);
    let (n, side) = (model.n as f64, model.side);
    // All as fast as each other, half of them in opposite directions.
    let speed = (2.0 * (n - 1.0) / n).sqrt();
    for pair in model.v.chunks_exact_mut(2) {
        let angle = rng.random_range(0.0..TAU);
        let v = Vector { x: speed * angle.cos(), y: speed * angle.sin() };
        pair.copy_from_slice(&[v, v * -1.0]);
    }

    // Of a disk in a unit of time: 2 √π n g, by Enskog, with the density n and the g of disks in contact.
    let exact_z = compressibility_of(model.n, PACKING);
    let exact_rate = 2.0 * PI.sqrt() * (n / (side * side)) * (exact_z - 1.0) / (2.0 * PACKING);

    let mut sim = model.start(1)?;
    let before = sim.observe()?;
    let (first_r, first_v) = (sim.state().r.to_vec(), sim.state().v.to_vec());
    sim.warm_up(WARM_UP)?;
    let (melted_r, melted_v) = (sim.state().r.to_vec(), sim.state().v.to_vec());

    let batch = collisions / (0.5 * n * exact_rate) / BATCHES as f64;
    let (mut rates, mut factors, mut shapes, mut columns) = (Vec::new(), Vec::new(), Vec::new(), vec![0.0; 20]);
    let (begun, mut events) = (Instant::now(), 0_u64);
    for k in 0..BATCHES {
        sim.reset_tallies()?;
        let mut shape = 0.0;
        for look in 1..=LOOKS {
            let until = WARM_UP + batch * (k as f64 + f64::from(look) / f64::from(LOOKS));
            sim.run_each(until, |_, _| events += 1)?;
            for v in &sim.state().v {
                let square = v.dot(*v);
                shape += square * square;
                if let Some(column) = columns.get_mut((square.sqrt() / COLUMN) as usize) {
                    *column += 1.0;
                }
            }
        }
        rates.push(2.0 * sim.tallies().collisions as f64 / (n * batch));
        factors.push(1.0 + sim.tallies().virial / (2.0 * n * batch));
        // The mean of v² is 2 (n − 1)/n.
        shapes.push(shape / (f64::from(LOOKS) * n) / speed.powi(4));
    }
    let seconds = begun.elapsed().as_secs_f64();
    let after = sim.observe()?;

    println!("{n} hard disks cover {:.0} % of a periodic box", 100.0 * PACKING);
    println!("{:<31}{COMPARED}", "in units of diameter, m and kT");
    let total = rates.iter().sum::<f64>() * batch * n / 2.0;
    for (name, exact, found) in [
        ("collisions of a disk", exact_rate, rates),
        ("compressibility factor PA/NkT", exact_z, factors),
        ("mean of v⁴ / (mean of v²)²", 2.0 * (n - 1.0) / n, shapes),
    ] {
        println!("{name:<31}{}", compared(exact, &Sample::new(found), 4));
    }
    // A collision changes the energy of a pair by rounding, by 16 ε of it at most, and a pair has about 3/n of all.
    let relative = (after.energy / before.energy - 1.0).abs();
    let bound = total * 16.0 * f64::EPSILON * 3.0 / n;
    println!("\nenergy {:.12}, in the end {:.12}", before.energy, after.energy);
    println!("changed by {relative:.1e} of it; if all rounding went one way, {bound:.0e}");
    let Vector { x, y } = after.momentum;
    println!("momentum ({x:.1e}, {y:.1e})");
    println!(
        "{:.2} million collisions in {seconds:.1} s, {:.2} million a second, and {:.2} million events",
        1e-6 * total,
        1e-6 * total / seconds,
        1e-6 * events as f64 / seconds
    );

    let boxes = folder.join("disks.svg");
    let caption = format!("after {:.0} collisions of each disk", WARM_UP * exact_rate);
    save_disks(
        &boxes,
        "Hard disks; the darker, the faster",
        side,
        &[("the start", &first_r, &first_v), (&caption, &melted_r, &melted_v)],
    )?;
    let speeds = folder.join("disks_speeds.svg");
    let looks = n * f64::from(LOOKS) * BATCHES as f64;
    let steps = columns.iter().enumerate().flat_map(|(k, count)| {
        let (low, density) = (k as f64 * COLUMN, count / (looks * COLUMN));
        [(low, 0.0, density), (low + COLUMN, 0.0, density)]
    });
    Figure::new("Speeds of hard disks that were all equally fast", "speed", "density")
        .band("simulated", steps)
        .line(
            "Maxwell's distribution in the plane",
            (0..=200).map(|k| f64::from(k) * 0.02).map(|v| (v, v * (-v * v / 2.0).exp())),
        )
        .save(&speeds)?;
    println!("\nWritten: {}\nWritten: {}", boxes.display(), speeds.display());
    Ok(())
}
