//! A machine shop: ten machines that break, one repairman, and a job of his that can wait.
//!
//! A machine that breaks stops in the middle of a part and goes on with it when it is repaired. For a repair
//! the repairman leaves his other job at once, and later goes on where he stopped. So nothing keeps him from
//! repairs, and as lifetimes and repairs are exponential, the number of broken machines is known exactly: it
//! is that of machine interference, Palm, Industritidningen Norden 75 (1947). What time is left goes into the
//! other job.
//!
//! `cargo run --release --example machine_shop`

use clockrace::rand_distr::{Exp, Normal};
use clockrace::record::{BatchMeans, Grid, Sample};
use clockrace::resource::Preemptive;
use clockrace::simulation;
use clockrace_examples::{COMPARED, Failure, compared};

/// What the repairman is at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Repair(usize),
    Other,
}

simulation! {
    /// Time is in minutes.
    model Shop {
        param machines: usize;
        /// Mean minutes of work until a machine breaks.
        param life: f64;
        /// Mean minutes of a repair.
        param repair_time: f64;
        /// Mean minutes for a part, which vary by a fifth.
        param part: f64;
        /// Minutes that the other job takes.
        param other_job: f64;

        index machine = 0..machines;
        state works[m in machine]: bool = true;
        state repairman: Preemptive<Task> = Preemptive::new(1);
        state parts: u64 = 0;
        state repairs: u64 = 0;
        state other_jobs: u64 = 0;

        init {
            for m in machine {
                work.start(m);
            }
            other.start();
        }

        activity work(m in machine) {
            loop {
                wait(rng.sample(Normal::new(part, part / 5.0)?).max(0.0), speed = f64::from(works[m]));
                parts += 1;
            }
        }
        clock failure[m in machine] if works[m]: rate(1.0 / life) => {
            works[m] = false;
            repair.start(m);
        }
        activity repair(m in machine), priority = 1 {
            wait_for(repairman.admits(1));
            repairman.seize(Task::Repair(m), 1, now)?;
            wait(rng.sample(Exp::new(1.0 / repair_time)?));
            repairman.release(Task::Repair(m), now)?;
            works[m] = true;
            repairs += 1;
        }
        activity other(), priority = 2 {
            loop {
                let mut left = other_job;
                while left > 0.0 {
                    wait_for(repairman.admits(2));
                    repairman.seize(Task::Other, 2, now)?;
                    left = wait(left, unless = repairman.lost(Task::Other));
                    repairman.release(Task::Other, now)?;
                }
                other_jobs += 1;
            }
        }

        observe parts = parts;
        observe repairs = repairs;
        observe other_jobs = other_jobs;
        observe repairing = repairman.holders().any(|(task, _)| task != Task::Other);
    }
}

const HOUR: f64 = 60.0;
/// Hours in a batch.
const BATCH: f64 = 500.0;
const BATCHES: usize = 40;

/// The mean number of machines that work, and the share of time in which none is broken.
fn interference(shop: &Shop) -> (f64, f64) {
    // The weights of 0, 1, … broken machines.
    let mut weights = vec![1.0];
    for broken in 0..shop.machines {
        weights.push(weights[broken] * (shop.machines - broken) as f64 * shop.repair_time / shop.life);
    }
    let total: f64 = weights.iter().sum();
    let working = weights.iter().enumerate().map(|(broken, weight)| (shop.machines - broken) as f64 * weight);
    (working.sum::<f64>() / total, 1.0 / total)
}

fn main() -> Result<(), Failure> {
    let shop = Shop { machines: 10, life: 300.0, repair_time: 20.0, part: 10.0, other_job: 30.0 };
    let (working, idle) = interference(&shop);
    let exact = [
        ("parts", working * HOUR / shop.part),
        ("repairs", working * HOUR / shop.life),
        ("other_jobs", idle * HOUR / shop.other_job),
    ];

    let end = BATCH * HOUR * (BATCHES + 1) as f64;
    let mut counts = Grid::every(BATCH * HOUR)?;
    let mut shares = BatchMeans::between(BATCH * HOUR, end, BATCHES)?;
    let mut sim = shop.start(1)?;
    sim.run_with(&mut (&mut counts, &mut shares), end)?;

    println!("{BATCHES} batches of {BATCH} hours, after as long a warm-up\n");
    println!("{:<24}{COMPARED}", "done in an hour");
    let missing = "no such output";
    for (name, exact) in exact {
        let values = counts.values(name).ok_or(missing)?;
        let found: Sample = values[1..].windows(2).map(|ends| (ends[1] - ends[0]) / BATCH).collect();
        println!("  {:<22}{}", name.replace('_', " "), compared(exact, &found, 3));
    }
    let repairing = shares.sample("repairing").ok_or(missing)?;
    println!("{:<24}{}", "repairman at repairs", compared(1.0 - idle, &repairing, 4));
    let state = sim.state();
    println!(
        "\nHe left the other job {} times and finished it {} times",
        state.repairman.preempted(),
        state.other_jobs
    );
    Ok(())
}
