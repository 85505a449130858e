//! An outbreak of influenza in a boarding school, observed and simulated.
//!
//! In January 1978 influenza went through an English boarding school of 763 boys. The British
//! Medical Journal printed how many were confined to bed on each of 14 days (4 March 1978, p. 587).
//! Here the outbreak is simulated 10,000 times as a stochastic epidemic, on all cores, and what
//! was observed is compared with what the model holds likely.
//!
//! `cargo run --release --example influenza [FOLDER]`

use std::fs::File;
use std::io::BufWriter;

use clockrace::{Ensemble, simulation};
use clockrace_examples::{Failure, Figure, output_folder};

/// Boys confined to bed on days 1 to 14.
const IN_BED: [f64; 14] = [3.0, 8.0, 26.0, 76.0, 225.0, 298.0, 258.0, 233.0, 189.0, 128.0, 68.0, 29.0, 14.0, 4.0];

/// An outbreak in which at least this share of the boys fall ill is called a major one.
const MAJOR: f64 = 0.1;

simulation! {
    /// Susceptible-infected-recovered epidemic among boys who all meet each other. Time is the day of the outbreak.
    model Influenza {
        /// Contacts a day at which an ill boy would infect another one.
        param beta: f64 = 1.66 in 0.0..;
        /// One over the mean number of days for which a boy is ill.
        param gamma: f64 = 0.45 in 0.0..;

        /// Boys who have not had it yet.
        state susceptible: u64;
        /// Boys who are ill.
        state infected: u64;
        /// Boys who have had it.
        state recovered: u64 = 0;

        let boys = (susceptible + infected + recovered) as f64;

        clock infection: rate(beta * susceptible as f64 * infected as f64 / boys) => {
            susceptible -= 1;
            infected += 1;
        }
        clock recovery: rate(gamma * infected as f64) => {
            infected -= 1;
            recovered += 1;
        }

        observe infected = infected;
        /// Share of the boys who have fallen ill so far.
        observe attack_rate = (infected + recovered) as f64 / boys;
        stop over if infected == 0;
    }
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let model = Influenza { beta: 1.66, gamma: 0.45, susceptible: 760, infected: 3 };

    // Time is the day; a step of a quarter makes a smooth picture.
    let last = IN_BED.len() as f64;
    let runs =
        Ensemble::new(&model).replicates(10_000).seed(1978).start_at(1.0).every(0.25, last).progress(true).run()?;

    println!("Influenza in a boarding school, 1978: boys in bed, observed and in {} runs\n", runs.len());
    println!("day  observed    mean   5 %  95 %");
    let mut inside = 0;
    let mut band = Vec::new();
    let mut mean = Vec::new();
    for (k, &day) in runs.times().iter().enumerate() {
        let ill = runs.sample("infected", k).ok_or("no such output")?;
        let (low, high) = (ill.quantile(0.05), ill.quantile(0.95));
        band.push((day, low, high));
        mean.push((day, ill.mean()));
        if day.fract() == 0.0 {
            let observed = IN_BED[day as usize - 1];
            let within = (low..=high).contains(&observed);
            inside += usize::from(within);
            let mark = if within { "" } else { "  outside" };
            println!("{day:>3}  {observed:>8}  {:>6.1}  {low:>4.0}  {high:>4.0}{mark}", ill.mean());
        }
    }
    println!("\n{inside} of {} days lie within the 5–95 % range.", IN_BED.len());
    println!(
        "At the end the beds empty faster than in the model, whose illness lasts an exponential time, often very long."
    );

    let attack_rates = runs.values("attack_rate", runs.times().len() - 1).unwrap_or_default();
    let major = attack_rates.iter().filter(|&&share| share >= MAJOR).count() as f64 / runs.len() as f64;
    // Each of the first cases fails to start an outbreak with probability gamma / beta.
    let expected = 1.0 - (model.gamma / model.beta).powi(model.infected as i32);
    println!(
        "A major outbreak ({:.0} % of the boys or more) in {:.1} % of the runs; theory for large schools: {:.1} %.",
        100.0 * MAJOR,
        100.0 * major,
        100.0 * expected,
    );

    let csv = folder.join("influenza.csv");
    runs.write_csv(BufWriter::new(File::create(&csv)?), &[0.05, 0.5, 0.95])?;
    let picture = folder.join("influenza.svg");
    Figure::new("Influenza in an English boarding school, 1978", "day", "boys confined to bed")
        .band("5–95 % of 10,000 runs", band)
        .line("mean of the runs", mean)
        .points("observed (BMJ, 4 March 1978)", (1_i32..).map(f64::from).zip(IN_BED))
        .save(&picture)?;
    println!("\nWritten: {} and {}", csv.display(), picture.display());
    Ok(())
}
