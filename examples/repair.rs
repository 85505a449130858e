//! Two machines, one repairman, and the question whether planned maintenance pays.
//!
//! Press A is the important one: when it fails, the repairman leaves whatever else he does, and
//! later goes on where he stopped. Both presses wear, so their lifetimes are Weibull distributed
//! with an increasing failure rate. Under planned maintenance, press A is serviced at fixed times,
//! which makes it as good as new; while it lasts, the press stands still and the repairman is busy.
//!
//! `cargo run --release --example repair`

use clockrace::rand_distr::{LogNormal, Weibull};
use clockrace::record::BatchMeans;
use clockrace::{Model, simulation};
use clockrace_examples::Failure;

simulation! {
    /// Time is in hours.
    model Workshop {
        /// Whether press A is serviced.
        param planned: bool;
        /// Hours from one service of press A to the next.
        param interval: f64 = 96.0;
        /// Scale of the lifetimes, in hours.
        param life: f64 = 200.0;
        /// Shape of the lifetimes: above 1, the failure rate grows with age.
        param wear: f64 = 3.0;
        /// Median hours that a repair takes.
        param repair: f64 = 16.0;

        state a_works: bool = true;
        state b_works: bool = true;
        state in_service: bool = false;
        tally failures: u64 = 0;
        tally inspections: u64 = 0;
        /// Inspections that found press A standing still.
        tally standing: u64 = 0;

        let a_runs = a_works && !in_service;

        // Each time its guard comes true, an `after` is drawn anew: a press that was repaired or
        // serviced starts a new life.
        clock a_fails if a_runs: after(rng.sample(Weibull::new(life, wear)?)) => {
            a_works = false;
            failures += 1;
        }
        clock b_fails if b_works: after(rng.sample(Weibull::new(life, wear)?)) => {
            b_works = false;
            failures += 1;
        }
        clock a_repaired if !a_works: after(rng.sample(LogNormal::new(repair.ln(), 0.5)?)) => { a_works = true; }
        // With `resume`, what is left of the work on B is kept while A needs the repairman.
        clock b_repaired if !b_works && a_runs: after(rng.sample(LogNormal::new(repair.ln(), 0.5)?), resume) => {
            b_works = true;
        }

        clock service if planned && a_works: every(interval), priority = 1 => { in_service = true; }
        clock serviced if in_service: after(3.0) => { in_service = false; }

        // Every second inspection falls at the time of a service. The service comes first then,
        // because of its lower priority, and the inspection finds the press standing still.
        clock inspection: every(48.0), priority = 2 => {
            inspections += 1;
            if !a_runs {
                standing += 1;
            }
        }

        observe a = a_runs;
        observe b = b_works;
        observe both = a_runs && b_works;
        observe repairman = !a_works || !b_works || in_service;
    }
}

/// Hours before anything is measured.
const WARM_UP: f64 = 10_000.0;
/// Hours at the end of the run.
const END: f64 = 2_010_000.0;

fn workshop(planned: bool) -> Workshop {
    Workshop { planned, interval: 96.0, life: 200.0, wear: 3.0, repair: 16.0 }
}

/// Prints the first events, with what the presses do after each.
fn trace(model: Workshop, until: f64) -> Result<(), Failure> {
    println!("The first {until} hours under planned maintenance\n");
    println!("    hour  event         A         B");
    model.start(4)?.run_each(until, |view, event| {
        let state = view.state();
        let a = match (state.a_works, state.in_service) {
            (_, true) => "service",
            (true, false) => "runs",
            (false, false) => "broken",
        };
        let b = if state.b_works { "runs" } else { "broken" };
        println!("{:>8.2}  {:<12}  {a:<8}  {b}", view.now(), Workshop::event_name(event));
    })?;
    Ok(())
}

/// Prints the share of time for which each output holds.
fn study(name: &str, model: Workshop) -> Result<(), Failure> {
    let mut sim = model.start(1)?;
    let mut shares = BatchMeans::between(WARM_UP, END, 40)?;
    sim.warm_up(WARM_UP)?;
    sim.run_with(&mut shares, END)?;

    println!("\n{name}");
    for (output, meaning) in
        [("a", "press A runs"), ("b", "press B works"), ("both", "both run"), ("repairman", "repairman busy")]
    {
        let share = shares.sample(output).ok_or("no such output")?;
        let (low, high) = share.confidence_interval(0.95);
        println!("  {meaning:<16} {:.4}   [{low:.4}, {high:.4}]", share.mean());
    }
    let tallies = sim.tallies();
    println!(
        "  {} failures; {} of {} inspections found press A standing still",
        tallies.failures, tallies.standing, tallies.inspections
    );
    Ok(())
}

fn main() -> Result<(), Failure> {
    trace(workshop(true), 500.0)?;

    println!("\nShare of {} hours, with 95 % confidence from batch means", END - WARM_UP);
    study("Repair only", workshop(false))?;
    // Nothing keeps the repairman from press A: its availability is mean life / (mean life + mean repair).
    let life = 200.0 * 0.892_979_511_569_249; // 200 Γ(1 + 1/3)
    let repair = 16.0 * (0.5_f64 * 0.5 / 2.0).exp();
    println!("  exact, press A   {:.4}", life / (life + repair));
    study("Planned maintenance of press A", workshop(true))
}
