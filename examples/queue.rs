//! Two queues with one server against their exact formulas.
//!
//! Customers arrive as a Poisson process. In the first queue (M/M/1) service times are
//! exponential, in the second (M/G/1) they are lognormal. How many customers are in the system and
//! how long they wait is known exactly; the simulation should agree with it within its confidence
//! intervals.
//!
//! `cargo run --release --example queue`

use std::collections::VecDeque;

use clockrace::rand_distr::LogNormal;
use clockrace::record::{Sample, TimeAverage};
use clockrace::{Ensemble, Model, SimError, simulation};
use clockrace_examples::Failure;

/// Time units before anything is measured: by then a queue has forgotten that it began empty.
const WARM_UP: f64 = 2_000.0;
/// Time units that each replicate is measured for.
const MEASURED: f64 = 20_000.0;
const REPLICATES: usize = 100;

simulation! {
    /// M/M/1: exponential service times, first come first served.
    model ExponentialQueue {
        /// Customers arriving in a unit of time.
        param arrivals: f64 in 0.0..;
        /// Customers that a busy server is done with in a unit of time.
        param service: f64 in 0.0..;

        /// When each of the waiting customers came, first come first.
        state waiting: VecDeque<f64> = VecDeque::new();
        state busy: bool = false;
        tally served: u64 = 0;
        tally waited: f64 = 0.0;

        clock arrival: rate(arrivals) => {
            if busy {
                waiting.push_back(now);
            } else {
                busy = true;
                served += 1;
            }
        }
        clock departure if busy: rate(service) => {
            match waiting.pop_front() {
                Some(came) => {
                    served += 1;
                    waited += now - came;
                }
                None => busy = false,
            }
        }

        observe in_system = waiting.len() + usize::from(busy);
        observe mean_wait = waited / served as f64;
    }
}

simulation! {
    /// M/G/1: lognormal service times with mean 1, first come first served.
    model LognormalQueue {
        /// Customers arriving in a unit of time.
        param arrivals: f64 in 0.0..;
        /// Standard deviation of a service time; its mean is 1.
        param spread: f64 in 0.0..;

        // The lognormal distribution with this mean and standard deviation.
        let log_variance = (1.0 + spread * spread).ln();

        state waiting: VecDeque<f64> = VecDeque::new();
        state busy: bool = false;
        tally served: u64 = 0;
        tally waited: f64 = 0.0;

        clock arrival: rate(arrivals) => {
            if busy {
                waiting.push_back(now);
            } else {
                busy = true;
                served += 1;
            }
        }
        clock departure if busy: after(rng.sample(LogNormal::new(-log_variance / 2.0, log_variance.sqrt())?)) => {
            match waiting.pop_front() {
                Some(came) => {
                    served += 1;
                    waited += now - came;
                }
                None => busy = false,
            }
        }

        observe in_system = waiting.len() + usize::from(busy);
        observe mean_wait = waited / served as f64;
    }
}

/// The mean number in the system and the mean wait of each replicate.
fn measure<M: Model + Clone + Sync>(model: &M) -> Result<(Sample, Sample), Failure> {
    let runs = Ensemble::new(model).replicates(REPLICATES).seed(1).map(|mut sim| {
        // Tallies begin anew after the warm-up, and the average begins there.
        sim.warm_up(WARM_UP)?;
        let mut average = TimeAverage::new();
        sim.run_with(&mut average, WARM_UP + MEASURED)?;
        Ok((average.mean("in_system").unwrap_or(f64::NAN), output(sim.view(), "mean_wait")?))
    })?;
    let (numbers, waits) = runs.into_iter().unzip();
    Ok((Sample::new(numbers), Sample::new(waits)))
}

fn output<M: Model>(view: clockrace::View<'_, M>, name: &str) -> Result<f64, SimError> {
    let mut values = vec![f64::NAN; M::OUTPUTS.len()];
    view.outputs(&mut values)?;
    Ok(M::OUTPUTS.iter().zip(values).find(|(known, _)| **known == name).map_or(f64::NAN, |(_, value)| value))
}

/// Mean wait by the formula of Pollaczek and Khinchine, for service times with mean 1.
fn exact_wait(arrivals: f64, spread: f64) -> f64 {
    arrivals * (1.0 + spread * spread) / (2.0 * (1.0 - arrivals))
}

fn report(name: &str, arrivals: f64, exact: f64, (number, wait): &(Sample, Sample)) {
    // Little's law: customers in the system = arrival rate × time in the system.
    for (quantity, exact, found) in [("in system", arrivals * (exact + 1.0), number), ("wait", exact, wait)] {
        let (low, high) = found.confidence_interval(0.95);
        let mark = if (low..=high).contains(&exact) { "" } else { "  outside" };
        println!("{name:<28} {quantity:<10} {exact:>8.4} {:>9.4}   [{low:.4}, {high:.4}]{mark}", found.mean());
    }
}

fn main() -> Result<(), Failure> {
    let arrivals = 0.8;
    println!("One server; {arrivals} customers arrive in a unit of time, a service takes 1 on average");
    println!("{REPLICATES} replicates, each over {MEASURED} units after a warm-up of {WARM_UP}\n");
    println!("{:<28} {:<10} {:>8} {:>9}   95 % confidence", "", "mean", "exact", "simulated");

    let found = measure(&ExponentialQueue { arrivals, service: 1.0 })?;
    report("M/M/1", arrivals, exact_wait(arrivals, 1.0), &found);
    for spread in [0.5, 1.0, 2.0] {
        let found = measure(&LognormalQueue { arrivals, spread })?;
        report(&format!("M/G/1, lognormal, sd {spread}"), arrivals, exact_wait(arrivals, spread), &found);
    }
    Ok(())
}
