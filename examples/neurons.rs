//! Neurons that integrate, fire, and inhibit each other.
//!
//! The potential u of a leaky integrate-and-fire neuron goes exponentially towards the drive μ, with the
//! time constant τ. At the threshold θ it fires, is reset, and takes no input for a refractory
//! time. A spike reaches the neurons that it goes to after a delay, and moves their potentials up or down.
//!
//! Alone, a neuron fires regularly, every t_ref + τ ln((μ − u_reset)/(μ − θ)). In a network in which
//! excitation and inhibition nearly balance each other, it is the fluctuations that make neurons fire,
//! and they fire irregularly, nearly like a Poisson process, though nothing is random once the network is
//! built: van Vreeswijk and Sompolinsky, Science 274 (1996) 1724. The parameters are like those of Brunel,
//! J. Comput. Neurosci. 8 (2000) 183.
//!
//! `cargo run --release --example neurons`

use std::collections::VecDeque;
use std::time::Instant;

use clockrace::rand::seq::index::sample;
use clockrace::rand::{Rng, RngExt, SeedableRng};
use clockrace::record::Sample;
use clockrace::simulation;
use clockrace_examples::{Failure, Figure, output_folder};

simulation! {
    /// Potentials are in mV above rest, times in ms.
    model Network {
        /// For each neuron, whom its spikes go to.
        param synapses: Vec<Vec<usize>>;
        /// What a spike of it does to their potentials.
        param weight: Vec<f64>;
        /// How long a spike of it travels.
        param delay: Vec<f64>;
        /// Where its potential would end.
        param drive: Vec<f64>;
        param theta: f64 = 20.0;
        param reset: f64 = 10.0;
        param tau: f64 = 20.0;
        param refractory: f64 = 2.0;

        index neuron = 0..synapses.len();
        relation targets(k in neuron) -> neuron = synapses[k].iter();

        state u[k in neuron]: f64 = rng.random_range(0.0..theta);
        state resting[k in neuron]: bool = false;
        /// When its spikes that are on their way arrive.
        state travelling[k in neuron]: VecDeque<f64> = VecDeque::new();

        flow u[k in neuron] = if resting[k] { u[k] } else { drive[k] + (u[k] - drive[k]) * (-dt / tau).exp() };

        /// Until it fires, if nothing reaches it before.
        let wait[k in neuron] = if u[k] >= theta {
            0.0
        } else if drive[k] > theta {
            tau * ((drive[k] - u[k]) / (drive[k] - theta)).ln()
        } else {
            never
        };
        clock spike[k in neuron] if !resting[k]: at(now + wait[k]) => {
            u[k] = reset;
            resting[k] = true;
            travelling[k].push_back(now + delay[k]);
        }
        clock recover[k in neuron] if resting[k]: after(refractory) => { resting[k] = false; }
        clock arrive[k in neuron]: at(travelling[k].front().copied().unwrap_or(never)) => {
            travelling[k].pop_front();
            for j in targets(k) {
                if !resting[j] {
                    u[j] += weight[k];
                }
            }
        }
    }
}

const EXCITATORY: usize = 800;
const INHIBITORY: usize = 200;
/// How many excitatory neurons, and inhibitory ones, each neuron hears.
const INPUTS: (usize, usize) = (80, 20);
/// What an excitatory spike does, in mV; an inhibitory one does six times as much, downwards.
const WEIGHT: f64 = 0.6;
const DRIVE: f64 = 30.0;
/// Time in ms before anything is measured, and how long it is measured.
const WARM_UP: f64 = 200.0;
const MEASURED: f64 = 4_000.0;
/// What the picture shows: every so many neurons, for so many ms.
const SHOWN: (usize, f64) = (20, 400.0);

impl Network {
    /// Neurons with these drives that hear nothing.
    fn alone(drive: Vec<f64>) -> Self {
        let n = drive.len();
        Network {
            synapses: vec![Vec::new(); n],
            weight: vec![0.0; n],
            delay: vec![1.0; n],
            drive,
            theta: 20.0,
            reset: 10.0,
            tau: 20.0,
            refractory: 2.0,
        }
    }

    /// Excitatory and then inhibitory neurons, of which each hears as many of either kind, chosen at random.
    fn balanced<R: Rng>(rng: &mut R) -> Self {
        let n = EXCITATORY + INHIBITORY;
        let mut synapses = vec![Vec::new(); n];
        for k in 0..n {
            let excitatory = sample(rng, EXCITATORY, INPUTS.0).into_iter();
            let inhibitory = sample(rng, INHIBITORY, INPUTS.1).into_iter();
            for from in excitatory.chain(inhibitory.map(|i| EXCITATORY + i)) {
                synapses[from].push(k);
            }
        }
        let weight = (0..n).map(|k| if k < EXCITATORY { WEIGHT } else { -6.0 * WEIGHT }).collect();
        let delay = (0..n).map(|_| rng.random_range(1.0..2.0)).collect();
        Network { synapses, weight, delay, ..Network::alone(vec![DRIVE; n]) }
    }

    /// How long a neuron with this drive takes from spike to spike if it hears nothing.
    fn period(&self, drive: f64) -> f64 {
        self.refractory + self.tau * ((drive - self.reset) / (drive - self.theta)).ln()
    }
}

/// When each neuron fires in `range`, in ms.
fn spikes(network: Network, (from, until): (f64, f64)) -> Result<Vec<Vec<f64>>, Failure> {
    let mut spikes = vec![Vec::new(); network.drive.len()];
    let mut sim = network.start(1)?;
    sim.run_until(from)?;
    sim.run_each(until, |view, event| {
        if let NetworkEvent::Spike(k) = event {
            spikes[k].push(view.now());
        }
    })?;
    Ok(spikes)
}

/// The times from spike to spike.
fn intervals(spikes: &[f64]) -> Sample {
    spikes.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

/// Adds a stroke for each spike of some of these neurons, in rows from `first` on.
fn ticks(mut figure: Figure, mut label: &str, kind: &[Vec<f64>], first: usize) -> Figure {
    for (row, spikes) in kind.iter().step_by(SHOWN.0).enumerate() {
        let y = (first + row) as f64;
        for time in spikes.iter().map(|time| time - WARM_UP).take_while(|&time| time < SHOWN.1) {
            figure = figure.line(label, [(time, y), (time, y + 0.8)]);
            // One stroke is enough in the legend.
            label = "";
        }
    }
    figure
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    let drives: Vec<f64> = (0..=20).map(|k| 16.0 + 2.0 * f64::from(k)).collect();
    let model = Network::alone(drives.clone());
    let found: Vec<f64> = spikes(model.clone(), (0.0, MEASURED))?
        .iter()
        .map(|spikes| if spikes.len() < 2 { 0.0 } else { 1e3 / intervals(spikes).mean() })
        .collect();
    let exact = |drive| if drive > model.theta { 1e3 / model.period(drive) } else { 0.0 };
    println!("A neuron alone, by its drive\n{:>9}{:>15}{:>15}", "mV", "exact, Hz", "simulated, Hz");
    for (&drive, found) in drives.iter().zip(&found).step_by(2) {
        println!("{drive:>9}{:>15.9}{found:>15.9}", exact(drive));
    }

    let network = Network::balanced(&mut clockrace::Rng::seed_from_u64(1));
    let begun = Instant::now();
    let all = spikes(network, (WARM_UP, WARM_UP + MEASURED))?;
    let seconds = begun.elapsed().as_secs_f64();
    println!(
        "\n{} neurons with a drive of {DRIVE} mV, each of which hears {} excitatory and {} inhibitory ones",
        all.len(),
        INPUTS.0,
        INPUTS.1
    );
    println!("{:<36}{:>10}{:>12}", "", "excitatory", "inhibitory");
    let kinds = [&all[..EXCITATORY], &all[EXCITATORY..]];
    let rate = |kind: &[Vec<f64>]| 1e3 * kind.concat().len() as f64 / (MEASURED * kind.len() as f64);
    // Where there are few intervals, their standard deviation means little.
    let variation = |kind: &[Vec<f64>]| {
        let intervals = kind.iter().filter(|spikes| spikes.len() > 20).map(|spikes| intervals(spikes));
        intervals.map(|intervals| intervals.standard_deviation() / intervals.mean()).collect::<Sample>().mean()
    };
    let [excitatory, inhibitory] = kinds.map(rate);
    println!("{:<36}{excitatory:>10.2}{inhibitory:>12.2}", "spikes of a neuron in a second");
    println!("{:<36}{:>10.2}{:>12.2}", "  exact, alone", exact(DRIVE), exact(DRIVE));
    let [excitatory, inhibitory] = kinds.map(variation);
    println!("{:<36}{excitatory:>10.3}{inhibitory:>12.3}", "variation of intervals (s.d./mean)");
    println!("  exact: alone 0, of a Poisson process 1");
    let count: usize = all.iter().map(Vec::len).sum();
    println!("{:.2} million spikes arrived in {seconds:.1} s", 1e-6 * (count * (INPUTS.0 + INPUTS.1)) as f64);

    let curve = folder.join("neurons_alone.svg");
    Figure::new("A neuron alone", "drive, mV", "spikes in a second")
        .line("exact", (0..=400).map(|k| 16.0 + 0.1 * f64::from(k)).map(|drive| (drive, exact(drive))))
        .points("simulated", drives.into_iter().zip(found))
        .save(&curve)?;
    let raster = folder.join("neurons.svg");
    let figure = Figure::new("Spikes in a balanced network", "time, ms", "neuron");
    let figure = ticks(figure.colour(1), "excitatory", kinds[0], 0);
    ticks(figure.colour(2), "inhibitory", kinds[1], EXCITATORY / SHOWN.0).save(&raster)?;
    println!("\nWritten: {}\nWritten: {}", raster.display(), curve.display());
    Ok(())
}
