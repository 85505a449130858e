//! A bank with three counters, customers of two classes, and some who give up.
//!
//! Business customers go before private ones, though nobody is sent away from a counter for them. Who has
//! waited for too long leaves. Two cases are known exactly:
//!
//! - If all are patient, each class waits as Cobham says: Operations Research 2 (1954) 70, with Erlang's
//!   probability of delay.
//! - If patience is exponential, the number of customers is that of Erlang A, whoever goes first: Palm,
//!   Ericsson Technics 11 (1957), with the law of a birth-death process.
//!
//! `cargo run --release --example bank`

use clockrace::rand_distr::Exp;
use clockrace::record::Sample;
use clockrace::resource::{Resource, Tally};
use clockrace::{Ensemble, simulation};
use clockrace_examples::{COMPARED, Failure, compared};

simulation! {
    /// Time is in minutes. Class 0 goes first.
    model Bank {
        param counters: usize;
        /// Customers of each class that come in a minute.
        param arrivals: [f64; 2];
        /// Mean minutes at a counter.
        param service: f64;
        /// Mean minutes until one gives up; infinite if nobody does.
        param patience: f64;

        index class = 0..arrivals.len();
        state desk: Resource = Resource::new(counters);
        tally waits[k in class]: Tally = Tally::new();
        tally reneged[k in class]: u64 = 0;

        clock arrival[k in class]: rate(arrivals[k]) => { customer.start(k); }

        activity customer(k in class), priority = k {
            let asked = desk.ask(now)?;
            if !wait_for(desk.is_free(), timeout = rng.sample(Exp::new(1.0 / patience)?)) {
                desk.renege(asked, now)?;
                reneged[k] += 1;
                return;
            }
            desk.seize(asked, now)?;
            waits[k].record(now - asked)?;
            wait(rng.sample(Exp::new(1.0 / service)?));
            desk.release(now)?;
        }

        // What the desk knows begins anew with the tallies.
        clock measured: at(WARM_UP) => { desk.reset(now)?; }

        observe wait[k in class] = waits[k].mean();
        observe reneged[k in class] = reneged[k] as f64 / (reneged[k] + waits[k].count()) as f64;
        observe waiting = desk.queue().mean_length(now);
        observe utilisation = desk.utilisation(now);
    }
}

/// Minutes before anything is measured.
const WARM_UP: f64 = 1_000.0;
/// Minutes at the end of a replicate.
const END: f64 = 21_000.0;
const REPLICATES: usize = 40;

/// The outputs of each replicate: mean wait and fraction reneged by class, number waiting, utilisation.
fn measure(bank: &Bank) -> Result<[Sample; 6], Failure> {
    let runs = Ensemble::new(bank).replicates(REPLICATES).seed(1).map(|mut sim| {
        sim.warm_up(WARM_UP)?;
        sim.run_until(END)?;
        let mut values = [f64::NAN; 6];
        sim.view().outputs(&mut values)?;
        Ok(values)
    })?;
    Ok(std::array::from_fn(|output| runs.iter().map(|values| values[output]).collect()))
}

/// The probabilities of 0, 1, 2, … customers in the system: a birth-death process.
fn erlang_a(bank: &Bank) -> Vec<f64> {
    let arrivals: f64 = bank.arrivals.iter().sum();
    let leaving =
        |n: usize| n.min(bank.counters) as f64 / bank.service + n.saturating_sub(bank.counters) as f64 / bank.patience;
    let mut weights = vec![1.0];
    // More than 2,000 are there never.
    for n in 1..2_000 {
        weights.push(weights[n - 1] * arrivals / leaving(n));
    }
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

fn main() -> Result<(), Failure> {
    println!("{REPLICATES} replicates, each over {} minutes after a warm-up of {WARM_UP}\n", END - WARM_UP);
    let mut bank = Bank { counters: 3, arrivals: [0.15, 0.39], service: 5.0, patience: f64::INFINITY };
    let counters = bank.counters as f64;
    let arrivals: f64 = bank.arrivals.iter().sum();
    let load = arrivals * bank.service / counters;

    let [business, private, .., waiting, utilisation] = measure(&bank)?;
    let delayed: f64 = erlang_a(&bank)[bank.counters..].iter().sum();
    let first = 1.0 - bank.arrivals[0] * bank.service / counters;
    let wait = delayed * bank.service / counters / first;
    println!("{:<28}{COMPARED}", "All are patient");
    println!("{:<28}{}", "  wait, business", compared(wait, &business, 3));
    println!("{:<28}{}", "  wait, private", compared(wait / (1.0 - load), &private, 3));
    println!("{:<28}{}", "  customers waiting", compared(delayed * load / (1.0 - load), &waiting, 3));
    println!("{:<28}{}", "  utilisation", compared(load, &utilisation, 4));

    bank.patience = 10.0;
    let [business, private, gone_business, gone_private, waiting, utilisation] = measure(&bank)?;
    let mean = |value: &dyn Fn(usize) -> usize| {
        erlang_a(&bank).iter().enumerate().map(|(n, chance)| value(n) as f64 * chance).sum::<f64>()
    };
    println!("\n{:<28}{COMPARED}", "Patience of 10 minutes");
    println!("{:<28}{}", "  customers waiting", compared(mean(&|n| n.saturating_sub(bank.counters)), &waiting, 3));
    println!("{:<28}{}", "  utilisation", compared(mean(&|n| n.min(bank.counters)) / counters, &utilisation, 4));
    for (class, wait, gone) in [("business", business, gone_business), ("private", private, gone_private)] {
        println!("  {class:<8} who are served waited {:>6.3}; {:.4} reneged", wait.mean(), gone.mean());
    }
    Ok(())
}
