//! The Ising model of a magnet, below and above its critical temperature.
//!
//! 512 × 512 spins on a torus point up or down and prefer to agree with their four neighbours. Each
//! flips at the rate 1/(1 + exp(ΔE/T)), where ΔE is the energy that this takes: heat-bath, or
//! Glauber, dynamics, as kinetic Monte Carlo without a rejection. The unit of energy is the coupling
//! of two neighbours, temperatures T are in the same unit (J = k = 1). Every spin has a clock of its
//! own; after a flip, five of the 262,144 are refreshed.
//!
//! Exact for the infinite lattice are the energy, Onsager, Phys. Rev. 65 (1944) 117, and the
//! magnetisation, Yang, Phys. Rev. 85 (1952) 808. This lattice is so much wider than the distance over
//! which spins are correlated that the difference cannot be seen.
//!
//! `cargo run --release --example ising [FOLDER [SIDE]]`

use std::f64::consts::{FRAC_PI_2, PI};
use std::time::Instant;

use clockrace::record::BatchMeans;
use clockrace::simulation;
use clockrace_examples::{COMPARED, Failure, Lattice, argument, compared, output_folder, save_lattices};

/// Time before anything is measured: by then the lattice has forgotten that all spins pointed up.
const WARM_UP: f64 = 60.0;
/// Length of a batch, several times as long as what spins remember.
const BATCH: f64 = 20.0;

simulation! {
    /// In a unit of time, a spin whose neighbours do not care flips with rate 1/2.
    model Ising {
        param temperature: f64 in 0.0..;
        /// Rows and columns.
        param side: usize;

        index row = 0..side;
        index column = 0..side;

        state spin[i in row][j in column]: i8 = 1;
        /// Sums over all spins, and over all pairs of neighbours.
        state total: i64 = (side * side) as i64;
        state energy: i64 = -2 * total;
        tally flips: u64 = 0;

        let field[i in row][j in column] =
            spin[(i - 1) % side][j] + spin[(i + 1) % side][j] + spin[i][(j - 1) % side] + spin[i][(j + 1) % side];
        /// What it takes to flip a spin.
        let barrier[i in row][j in column] = 2 * i64::from(spin[i][j] * field[i][j]);

        clock flip[i in row][j in column]: rate(1.0 / (1.0 + (barrier[i][j] as f64 / temperature).exp())) => {
            energy += barrier[i][j];
            spin[i][j] = -spin[i][j];
            total += 2 * i64::from(spin[i][j]);
            flips += 1;
        }

        let sites = (side * side) as f64;
        observe magnetisation = total as f64 / sites;
        observe energy = energy as f64 / sites;
    }
}

/// Magnetisation of a spin.
fn exact_magnetisation(temperature: f64) -> f64 {
    let order = 1.0 - (2.0 / temperature).sinh().powi(-4);
    order.max(0.0).powf(0.125)
}

/// Energy of a spin.
fn exact_energy(temperature: f64) -> f64 {
    let (sinh, cosh, tanh) = ((2.0 / temperature).sinh(), (2.0 / temperature).cosh(), (2.0 / temperature).tanh());
    // The complete elliptic integral of the first kind, by arithmetic and geometric means.
    let modulus = 2.0 * sinh / (cosh * cosh);
    let (mut a, mut b) = (1.0, (1.0 - modulus * modulus).sqrt());
    for _ in 0..50 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    -(1.0 + 2.0 / PI * (2.0 * tanh * tanh - 1.0) * FRAC_PI_2 / a) / tanh
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let side = argument(2, 512)?;
    println!("Ising model on {side} × {side} sites; the critical temperature is 2.2692\n");
    println!("{:<26}{COMPARED}", "mean of a spin");

    let mut lattices = Vec::new();
    for (temperature, batches) in [(2.0, 20), (3.0, 6)] {
        let begun = Instant::now();
        let mut sim = Ising { temperature, side }.start(2)?;
        sim.run_until(WARM_UP)?;
        let end = WARM_UP + batches as f64 * BATCH;
        let mut means = BatchMeans::between(WARM_UP, end, batches)?;
        sim.run_with(&mut means, end)?;
        let (seconds, flips) = (begun.elapsed().as_secs_f64(), sim.tallies().flips as f64);

        for (name, exact) in
            [("magnetisation", exact_magnetisation(temperature)), ("energy", exact_energy(temperature))]
        {
            let found = means.sample(name).ok_or("no such output")?;
            println!("T = {temperature:.1}  {name:<17}{}", compared(exact, &found, 5));
        }
        println!(
            "         {:.1} million flips in {seconds:.1} s, {:.2} million a second",
            1e-6 * flips,
            1e-6 * flips / seconds
        );
        lattices.push(Lattice {
            caption: format!("T = {temperature:.1}"),
            cells: sim.state().spin.iter().map(|&spin| spin > 0).collect(),
        });
    }

    let picture = folder.join("ising.svg");
    save_lattices(&picture, "Spins below and above the critical temperature, 2.269", ["up", "down"], &lattices)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
