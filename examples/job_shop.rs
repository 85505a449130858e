//! A job shop whose machines break down.
//!
//! Each job goes from machine to machine on a route of its own. A machine that breaks stops its work, which goes on
//! where it was when the machine is repaired. The shop is the first of Fisher and Thompson, in Muth and Thompson
//! (eds.), Industrial Scheduling (1963), with 6 jobs on 6 machines, that no schedule gets done in less than 55 hours.
//! How long a job holds a machine on average is known exactly: hours of work × (1 + mean repair / mean life), as
//! machines break only while they work; Avi-Itzhak and Naor, Operations Research 11 (1963) 303.
//!
//! `cargo run --release --example job_shop`

use clockrace::rand_distr::Exp;
use clockrace::record::Sample;
use clockrace::resource::Preemptive;
use clockrace::{Ensemble, simulation};
use clockrace_examples::{COMPARED, Failure, compared};

/// Which of the jobs that wait for a machine comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    FirstCome,
    ShortestStep,
    MostWorkLeft,
}

/// What has a machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Task {
    Job(usize),
    Repair,
}

simulation! {
    /// Time is in hours.
    model Shop {
        /// Machine and hours of each step of each job.
        param routes: Vec<Vec<(usize, f64)>>;
        param machines: usize;
        param rule: Rule;
        /// Mean hours of work until a machine breaks; infinite if none does.
        param life: f64;
        /// Mean hours of a repair.
        param repair: f64;

        index job = 0..routes.len();
        index machine = 0..machines;
        state tool[m in machine]: Preemptive<Task> = Preemptive::new(1);
        /// Hours for which jobs have held a machine, its repairs included.
        state held[m in machine]: f64 = 0.0;
        state finished[j in job]: Option<f64> = None;
        state breakdowns: u64 = 0;

        init {
            for j in job {
                work.start(j, routes[j].clone());
            }
            for m in machine {
                breaks.start(m);
            }
        }

        activity work(j in job, route: Vec<(usize, f64)>) {
            let mut left: f64 = route.iter().map(|step| step.1).sum();
            for (m, hours) in route {
                let rank: i64 = match rule {
                    Rule::FirstCome => 0,
                    Rule::ShortestStep => hours as i64,
                    Rule::MostWorkLeft => -left as i64,
                };
                wait_for(tool[m].is_free(), priority = rank);
                tool[m].seize(Task::Job(j), 1, now)?;
                let began = now;
                let mut rest: f64 = hours;
                loop {
                    rest = wait(rest, unless = tool[m].lost(Task::Job(j)));
                    if rest == 0.0 {
                        break;
                    }
                    // Before all others it has the machine again.
                    wait_for(tool[m].is_free(), priority = i64::MIN);
                    tool[m].seize(Task::Job(j), 1, now)?;
                }
                tool[m].release(Task::Job(j), now)?;
                held[m] += now - began;
                left -= hours;
            }
            finished[j] = Some(now);
        }
        activity breaks(m in machine) {
            loop {
                // It wears while it works.
                wait(rng.sample(Exp::new(1.0 / life)?), speed = tool[m].busy() as f64);
                tool[m].seize(Task::Repair, 0, now)?;
                breakdowns += 1;
                wait(rng.sample(Exp::new(1.0 / repair)?));
                tool[m].release(Task::Repair, now)?;
            }
        }

        stop all_done if finished.iter().all(Option::is_some);
        observe held[m in machine] = held[m];
        observe used[m in machine] = tool[m].utilisation(now);
        observe flow = finished.iter().flatten().sum::<f64>() / routes.len() as f64;
        observe breakdowns = breakdowns;
    }
}

/// Machine and hours, step by step.
const ROUTES: [[(usize, f64); 6]; 6] = [
    [(2, 1.0), (0, 3.0), (1, 6.0), (3, 7.0), (5, 3.0), (4, 6.0)],
    [(1, 8.0), (2, 5.0), (4, 10.0), (5, 10.0), (0, 10.0), (3, 4.0)],
    [(2, 5.0), (3, 4.0), (5, 8.0), (0, 9.0), (1, 1.0), (4, 7.0)],
    [(1, 5.0), (0, 5.0), (2, 5.0), (3, 3.0), (4, 8.0), (5, 9.0)],
    [(2, 9.0), (1, 3.0), (4, 5.0), (5, 4.0), (0, 3.0), (3, 1.0)],
    [(1, 3.0), (3, 3.0), (5, 9.0), (0, 10.0), (4, 4.0), (2, 1.0)],
];
const MACHINES: usize = 6;
const REPLICATES: usize = 20_000;

fn main() -> Result<(), Failure> {
    let (life, repair) = (20.0, 4.0);
    let rules = [
        ("first come", Rule::FirstCome),
        ("shortest step", Rule::ShortestStep),
        ("most work left", Rule::MostWorkLeft),
    ];
    println!("6 jobs, 6 machines; an optimal schedule takes 55 hours\n");
    println!("                  Nothing breaks      Machines break after {life} hours of work, for {repair} hours");
    println!("                 makespan    flow     makespan                flow                    breakdowns");
    let mut last = Vec::new();
    for (name, rule) in rules {
        let mut shop =
            Shop { routes: ROUTES.map(Vec::from).into(), machines: MACHINES, rule, life: f64::INFINITY, repair };
        let mut sim = shop.clone().start(1)?;
        sim.run_until(f64::INFINITY)?;
        print!("{name:<15}  {:>8} {:>7.1}", sim.now(), sim.observe()?.flow);

        shop.life = life;
        last = Ensemble::new(&shop).replicates(REPLICATES).seed(1).map(|mut sim| {
            sim.run_until(f64::INFINITY)?;
            Ok((sim.now(), sim.observe()?))
        })?;
        let interval = |sample: Sample| {
            let (low, high) = sample.confidence_interval(0.95);
            format!("{:>6.1} [{low:.1}, {high:.1}]", sample.mean())
        };
        println!(
            "     {:<22}  {:<22}  {:>6.1}",
            interval(last.iter().map(|(end, _)| *end).collect()),
            interval(last.iter().map(|(_, shop)| shop.flow).collect()),
            last.iter().map(|(_, shop)| shop.breakdowns).sum::<f64>() / REPLICATES as f64,
        );
    }

    println!("\nHours for which jobs hold a machine{COMPARED}     used for");
    for machine in 0..MACHINES {
        let steps = ROUTES.iter().flatten().filter(|step| step.0 == machine);
        let exact = steps.map(|step| step.1).sum::<f64>() * (1.0 + repair / life);
        let found: Sample = last.iter().map(|(_, shop)| shop.held[machine]).collect();
        let used = last.iter().map(|(_, shop)| shop.used[machine]).sum::<f64>() / REPLICATES as f64;
        println!("  machine {:<25}{}   {used:.3} of the time", machine + 1, compared(exact, &found, 2));
    }
    Ok(())
}
