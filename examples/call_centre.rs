//! A day in a call centre: two languages, agents who speak one or both, and calls that come by the hour.
//!
//! Callers who are not answered hang up. Here their patience has the same exponential law as a talk, so every
//! call leaves at the same rate whether it waits or not, and the number of calls in the system is that of a
//! queue with a server for everyone: its mean m follows m' = calls a minute − m / talk, for any number of agents
//! and any rule of who answers whom; Eick, Massey and Whitt, Operations Research 41 (1993) 731.
//!
//! `cargo run --release --example call_centre`

use clockrace::rand_distr::Exp;
use clockrace::{Ensemble, simulation};
use clockrace_examples::{COMPARED, Failure, compared};

const HOURS: usize = 10;
/// Calls in an hour, in English and in French, from 8 o'clock on.
const CALLS: [[f64; 2]; HOURS] = [
    [60.0, 20.0],
    [120.0, 40.0],
    [200.0, 60.0],
    [220.0, 80.0],
    [160.0, 110.0],
    [140.0, 120.0],
    [190.0, 80.0],
    [180.0, 60.0],
    [100.0, 40.0],
    [50.0, 20.0],
];

simulation! {
    /// Time is in minutes.
    model CallCentre {
        param calls: [[f64; 2]; HOURS];
        /// Agents who speak one of the languages.
        param one: [usize; 2];
        /// Agents who speak both.
        param both: usize;
        /// Mean minutes of a talk.
        param talk: f64;
        /// Mean minutes until a caller hangs up.
        param patience: f64;

        index language = 0..2;
        state hour: usize = 0;
        state free[k in language]: usize = one[k];
        state free_both: usize = both;
        tally offered[k in language]: u64 = 0;
        tally in_time[k in language]: u64 = 0;
        tally abandoned[k in language]: u64 = 0;

        clock next_hour if hour + 1 < HOURS: every(60.0) => { hour += 1; }
        clock arrival[k in language]: rate(calls[hour][k] / 60.0) => { call.start(k); }

        activity call(k in language) {
            let came = now;
            offered[k] += 1;
            if !wait_for(free[k] > 0 || free_both > 0, timeout = rng.sample(Exp::new(1.0 / patience)?)) {
                abandoned[k] += 1;
                return;
            }
            if now - came <= 20.0 / 60.0 {
                in_time[k] += 1;
            }
            // Who speaks both is kept for those who need it.
            if free[k] > 0 {
                free[k] -= 1;
                wait(rng.sample(Exp::new(1.0 / talk)?));
                free[k] += 1;
            } else {
                free_both -= 1;
                wait(rng.sample(Exp::new(1.0 / talk)?));
                free_both += 1;
            }
        }

        observe calls = call.len();
        observe offered[k in language] = offered[k];
        observe in_time[k in language] = in_time[k];
        observe abandoned[k in language] = abandoned[k];
    }
}

fn main() -> Result<(), Failure> {
    let days = 2_000;
    let centre = CallCentre { calls: CALLS, one: [9, 3], both: 4, talk: 3.0, patience: 3.0 };
    let talk = centre.talk;
    let runs = Ensemble::new(&centre).every(60.0, 60.0 * HOURS as f64).replicates(days).seed(1).run()?;

    println!("{days} days; answered within 20 s, and abandoned, of all calls of the hour\n");
    println!("          English           French      calls in the system at the end of the hour");
    println!(" hour   in time   gone   in time   gone  {COMPARED}");
    let missing = "no such output";
    let mut mean = 0.0;
    for (hour, calls) in CALLS.iter().enumerate() {
        let gained = |name: &str| -> Result<Vec<f64>, Failure> {
            let [from, until] = [hour, hour + 1].map(|time| runs.means_of(name, time));
            Ok(from.ok_or(missing)?.iter().zip(until.ok_or(missing)?).map(|(from, until)| until - from).collect())
        };
        let (offered, in_time, gone) = (gained("offered")?, gained("in_time")?, gained("abandoned")?);
        let in_an_hour = calls.iter().sum::<f64>() / 60.0 * talk;
        mean = in_an_hour + (mean - in_an_hour) * (-60.0 / talk).exp();
        let found = runs.sample("calls", hour + 1).ok_or(missing)?;
        print!("{:>5}", 8 + hour);
        for k in 0..2 {
            print!("  {:>6.1} % {:>5.1} %", 100.0 * in_time[k] / offered[k], 100.0 * gone[k] / offered[k]);
        }
        println!("  {}", compared(mean, &found, 3));
    }
    Ok(())
}
