//! An emergency department, whose patients carry their acuity from unit to unit.
//!
//! Triage gives each patient an acuity, from 1 (to be seen at once) to 5, as the Emergency Severity Index has it. It
//! says who gets the next bed and whom a doctor sees first; for the gravest a doctor leaves whomever he is with, and
//! later goes on where he stopped. Who waits may get worse, and then waits among the more urgent; who has
//! little may leave unseen. Laboratory and imaging work in parallel, each an activity of its own that looks up how
//! urgent its patient is. Who is admitted keeps the bed until one on a ward is free ("boarding").
//!
//! `cargo run --release --example emergency`

use clockrace::rand_distr::weighted::WeightedIndex;
use clockrace::rand_distr::{Exp, Gamma, GammaError};
use clockrace::record::{Sample, TimeAverage};
use clockrace::resource::{Preemptive, Resource, Tally};
use clockrace::{Ensemble, simulation};
use clockrace_examples::Failure;

/// Devices for tests.
const LABORATORY: usize = 0;
const IMAGING: usize = 1;
/// Shares of the acuities 1 to 5.
const SHARES: [f64; 5] = [0.02, 0.18, 0.45, 0.25, 0.10];
/// The probabilities that a patient of each acuity is admitted.
const ADMITTED: [f64; 5] = [0.8, 0.4, 0.15, 0.02, 0.0];

simulation! {
    /// Time is in minutes.
    model Emergency {
        /// Patients that come in an hour.
        param arrivals: f64;
        param beds: usize;
        param doctors: usize;
        /// Beds on the wards for patients from here.
        param ward_beds: usize;

        index level = 0..5;
        index device = 0..2;
        index unit = 0..4;
        state acuity[p in patient]: u8 = 5;
        /// Whether he waits for a bed.
        state in_line[p in patient]: bool = false;
        /// When a doctor came first.
        state seen[p in patient]: f64 = never;
        state nurse: Resource = Resource::new(1);
        state bed: Resource = Resource::new(beds);
        state doctor: Preemptive<Key<care>> = Preemptive::new(doctors);
        state machine[d in device]: Resource = Resource::new([2, 1][d]);
        state ward: Resource = Resource::new(ward_beds);

        tally waited[k in level]: Tally = Tally::new();
        tally stayed[k in level]: Tally = Tally::new();
        tally unseen[k in level]: u64 = 0;
        tally boarded: Tally = Tally::new();
        /// The stays of all, whether they were seen or not.
        tally stays: Tally = Tally::new();

        clock arrival: rate(arrivals / 60.0) => { patient.start(); }
        clock worsens[p in patient] if in_line[p] && acuity[p] > 2: rate(1.0 / 400.0) => { acuity[p] -= 1; }

        activity patient() {
            let came = now;
            defer { stays.record(now - came)?; }
            let asked = nurse.ask(now)?;
            wait_for(nurse.is_free());
            nurse.seize(asked, now)?;
            wait(rng.sample(minutes(5.0)?));
            nurse.release(now)?;
            let first: u8 = 1 + rng.sample(WeightedIndex::new(SHARES)?) as u8;
            acuity[me] = first;

            let asked = bed.ask(now)?;
            let patience: f64 = if first > 3 { rng.sample(Exp::new(1.0 / 180.0)?) } else { never };
            let gives_up: f64 = now + patience;
            let mut rank: u8 = first;
            in_line[me] = true;
            // Who gets worse waits anew, further in front; who has not and gets no bed gives up.
            while !wait_for(bed.is_free(), priority = rank, unless = acuity[me] < rank, timeout = gives_up - now) {
                if acuity[me] == rank {
                    bed.renege(asked, now)?;
                    unseen[usize::from(first) - 1] += 1;
                    return;
                }
                rank = acuity[me];
            }
            in_line[me] = false;
            bed.seize(asked, now)?;

            care.run(me, rng.sample(minutes(16.0)?));
            waited[usize::from(first) - 1].record(seen[me] - came)?;
            let blood = test.start(me, LABORATORY);
            if rng.random_bool(0.4) {
                test.run(me, IMAGING);
            }
            test.join(blood);
            care.run(me, rng.sample(minutes(8.0)?));

            if rng.random_bool(ADMITTED[usize::from(first) - 1]) {
                let asked = ward.ask(now)?;
                wait_for(ward.is_free(), priority = acuity[me]);
                ward.seize(asked, now)?;
                boarded.record(now - asked)?;
                inpatient.start();
            }
            bed.release(now)?;
            stayed[usize::from(first) - 1].record(now - came)?;
        }

        /// A doctor is with the patient; only the gravest take one from others.
        activity care(p: Key<patient>, work: f64) {
            let rank: i64 = if acuity[p] == 1 { 1 } else { 2 };
            let mut left: f64 = work;
            while left > 0.0 {
                wait_for(doctor.admits(rank), priority = acuity[p]);
                doctor.seize(me, rank, now)?;
                seen[p] = seen[p].min(now);
                left = wait(left, unless = doctor.lost(me));
                doctor.release(me, now)?;
            }
        }
        activity test(p: Key<patient>, d in device) {
            let asked = machine[d].ask(now)?;
            wait_for(machine[d].is_free(), priority = acuity[p]);
            machine[d].seize(asked, now)?;
            wait(rng.sample(minutes([15.0, 20.0][d])?));
            machine[d].release(now)?;
        }
        activity inpatient() {
            wait(rng.sample(Exp::new(1.0 / (2.0 * DAY))?));
            ward.release(now)?;
        }

        // What the resources know begins anew with the tallies.
        clock measured: at(WARM_UP) => {
            bed.reset(now)?;
            doctor.reset(now)?;
            for d in device {
                machine[d].reset(now)?;
            }
            ward.reset(now)?;
        }

        observe inside = patient.len();
        observe stays = stays.mean();
        observe gone = stays.count();
        observe waited[k in level] = waited[k].mean();
        observe stayed[k in level] = stayed[k].mean();
        observe treated[k in level] = stayed[k].count();
        observe unseen[k in level] = unseen[k];
        observe boarded = boarded.mean();
        observe busy[u in unit] =
            [&bed, &machine[LABORATORY], &machine[IMAGING], &ward].map(|resource| resource.utilisation(now))[u];
        observe doctors = doctor.utilisation(now);
        observe interrupted = doctor.preempted();
    }
}

const DAY: f64 = 24.0 * 60.0;
/// Minutes before anything is measured.
const WARM_UP: f64 = 20.0 * DAY;
/// Minutes at the end of a replicate.
const END: f64 = 120.0 * DAY;
const REPLICATES: usize = 12;

/// The law of how long something takes, with this mean.
fn minutes(mean: f64) -> Result<Gamma<f64>, GammaError> {
    Gamma::new(3.0, mean / 3.0)
}

fn main() -> Result<(), Failure> {
    let model = Emergency { arrivals: 6.0, beds: 13, doctors: 3, ward_beds: 60 };
    let runs = Ensemble::new(&model).replicates(REPLICATES).seed(1).map(|mut sim| {
        sim.warm_up(WARM_UP)?;
        let mut average = TimeAverage::new();
        sim.run_with(&mut average, END)?;
        Ok((average.mean("inside").unwrap_or(f64::NAN), sim.observe()?))
    })?;
    let days = (END - WARM_UP) / DAY;
    let mean = |value: &dyn Fn(&EmergencyObserved) -> f64| runs.iter().map(|(_, run)| value(run)).collect::<Sample>();

    println!("{REPLICATES} replicates of {days} days; minutes, with 95 % confidence\n");
    println!("acuity   treated a day   until seen by a doctor     length of stay            left unseen");
    for k in 0..SHARES.len() {
        let treated = mean(&|run| run.treated[k]).mean();
        let unseen = mean(&|run| run.unseen[k]).mean();
        println!(
            "{:>6}   {:>13.1}   {:<24}   {:<24}   {:>8.2} %",
            k + 1,
            treated / days,
            interval(&mean(&|run| run.waited[k])),
            interval(&mean(&|run| run.stayed[k])),
            100.0 * unseen / (treated + unseen),
        );
    }
    println!("\ndoctors busy for {:.1} % of the time", 100.0 * mean(&|run| run.doctors).mean());
    for (u, name) in ["beds", "laboratory", "imaging", "wards"].iter().enumerate() {
        println!("{name} busy for {:.1} % of the time", 100.0 * mean(&|run| run.busy[u]).mean());
    }
    println!("boarding for a ward takes {}", interval(&mean(&|run| run.boarded)));
    println!("doctors are called away {:.2} times a day", mean(&|run| run.interrupted).mean() / days);
    let inside: Sample = runs.iter().map(|(inside, _)| *inside).collect();
    let little = mean(&|run| run.gone * run.stays / (END - WARM_UP));
    println!("patients inside: {:.2}; by Little's law, rate × stay: {:.2}", inside.mean(), little.mean());
    Ok(())
}

fn interval(sample: &Sample) -> String {
    let (low, high) = sample.confidence_interval(0.95);
    format!("{:>6.1} [{low:.1}, {high:.1}]", sample.mean())
}
