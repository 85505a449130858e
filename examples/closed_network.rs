//! A closed network of queues against Buzen's exact solution.
//!
//! 30 users of a computer think, and then have a task done that goes from station to station, to
//! processors, disks and a network, as chance has it, until the user thinks again. Nobody comes or
//! leaves: that is what "closed" means. All times are exponential, so the numbers at the stations have a
//! law of product form, and Buzen's convolution gives its constants: Communications of the ACM 16
//! (1973) 527. A station with several servers serves `min(servers, length)` users at once; thinking is
//! a station with a server for everyone.
//!
//! `cargo run --release --example closed_network [FOLDER]`

use clockrace::record::{BatchMeans, Grid, Sample};
use clockrace::simulation;
use clockrace_examples::{COMPARED, Failure, Figure, compared, output_folder};

/// Users.
const USERS: usize = 30;
/// Seconds in a batch.
const BATCH: f64 = 500.0;
const BATCHES: usize = 20;

/// A place where something takes time.
#[derive(Clone, Debug)]
struct Station {
    name: &'static str,
    servers: usize,
    /// Mean seconds of a service.
    service: f64,
    /// Where one goes from here, and with what probability.
    next: &'static [(usize, f64)],
}

const STATIONS: [Station; 6] = [
    Station { name: "thinking", servers: USERS, service: 8.0, next: &[(1, 1.0)] },
    Station { name: "processors", servers: 2, service: 0.1, next: &[(0, 0.2), (2, 0.4), (3, 0.2), (4, 0.2)] },
    Station { name: "fast disk", servers: 1, service: 0.11, next: &[(1, 1.0)] },
    Station { name: "slow disk", servers: 1, service: 0.18, next: &[(1, 1.0)] },
    Station { name: "network", servers: 4, service: 0.4, next: &[(1, 0.7), (5, 0.3)] },
    Station { name: "archive", servers: 1, service: 0.9, next: &[(4, 0.5), (1, 0.5)] },
];

simulation! {
    /// Time is in seconds.
    model Network {
        param stations: Vec<Station>;
        param users: usize;

        index station = 0..stations.len();
        relation route(i in station) -> (station, f64) = stations[i].next.iter().copied();

        /// Users at each station, those who are served included.
        state length[i in station]: usize = if i == 0 { users } else { 0 };
        /// Tasks that are done: their users think about the next one.
        tally done: u64 = 0;

        let busy[i in station] = length[i].min(stations[i].servers);

        // Each way out of a station has a clock of its own: a service that ends with a choice is a
        // race between what it may end with.
        clock step[(i, j) in route]:
            rate(busy[i] as f64 / stations[i].service * route.value(i, j).unwrap_or_default()) =>
        {
            length[i] -= 1;
            length[j] += 1;
            if j == 0 {
                done += 1;
            }
        }

        observe length[i in station] = length[i];
        observe working[i in station] = busy[i] as f64 / stations[i].servers as f64;
        observe done = done;
        invariant closed: length.iter().sum::<usize>() == users;
    }
}

/// How often users come to each station, relative to each other: the visits v with v = v · route.
fn visits() -> [f64; STATIONS.len()] {
    let mut visits = [1.0; STATIONS.len()];
    for _ in 0..10_000 {
        // Half a step at a time, or what goes round in circles would never settle.
        let mut next = visits.map(|visits| visits / 2.0);
        for (station, visits) in STATIONS.iter().zip(visits) {
            station.next.iter().for_each(|&(to, chance)| next[to] += chance * visits / 2.0);
        }
        visits = next;
    }
    visits
}

/// What is known exactly.
struct Exact {
    /// Mean number of users at each station.
    length: Vec<f64>,
    /// Mean share of the servers of each station that work.
    working: Vec<f64>,
    /// Tasks done in a second.
    done: f64,
}

/// Buzen's convolution.
fn exact() -> Exact {
    let visits = visits();
    // The weight of n users at a station: a product, over its users, of visits and times.
    let weight = |i: usize| {
        let mut weights = vec![1.0];
        for n in 1..=USERS {
            let factor = visits[i] * STATIONS[i].service / n.min(STATIONS[i].servers) as f64;
            weights.push(weights[n - 1] * factor);
        }
        weights
    };
    let mut exact = Exact { length: Vec::new(), working: Vec::new(), done: 0.0 };
    for (i, station) in STATIONS.iter().enumerate() {
        // The weights of n users at all other stations together.
        let mut others = vec![1.0];
        others.resize(USERS + 1, 0.0);
        for other in (0..STATIONS.len()).filter(|&other| other != i).map(weight) {
            others = (0..=USERS).map(|n| (0..=n).map(|k| other[k] * others[n - k]).sum()).collect();
        }
        let chances: Vec<f64> = weight(i).iter().zip(others.iter().rev()).map(|(here, there)| here * there).collect();
        let mean = |value: &dyn Fn(usize) -> usize| {
            let values = chances.iter().enumerate().map(|(n, chance)| value(n) as f64 * chance);
            values.sum::<f64>() / chances.iter().sum::<f64>()
        };
        let busy = mean(&|n| n.min(station.servers));
        exact.length.push(mean(&|n| n));
        exact.working.push(busy / station.servers as f64);
        if i == 0 {
            // Every task begins with the end of a thought.
            exact.done = busy / station.service;
        }
    }
    exact
}

fn main() -> Result<(), Failure> {
    let folder = output_folder()?;
    // The first batch is the warm-up.
    let end = BATCH * (BATCHES + 1) as f64;
    let mut means = BatchMeans::between(BATCH, end, BATCHES)?;
    let mut counts = Grid::every(BATCH)?;
    let mut sim = Network { stations: STATIONS.to_vec(), users: USERS }.start(1)?;
    sim.run_with(&mut (&mut means, &mut counts), end)?;

    let exact = exact();
    println!("{USERS} users; {BATCHES} batches of {BATCH} s, after as long a warm-up\n");
    let missing = "no such output";
    let length = means.samples_of("length").ok_or(missing)?;
    let working = means.samples_of("working").ok_or(missing)?;
    for (name, exact, found) in
        [("users at a station", &exact.length, &length), ("share of servers busy", &exact.working, &working)]
    {
        println!("{name:<23}{COMPARED}");
        for ((station, &exact), found) in STATIONS.iter().zip(exact).zip(found) {
            println!("  {:<21}{}", station.name, compared(exact, found, 3));
        }
    }
    let done = counts.values("done").ok_or(missing)?;
    let done: Sample = done[1..].windows(2).map(|ends| (ends[1] - ends[0]) / BATCH).collect();
    println!("{:<23}{}", "tasks done a second", compared(exact.done, &done, 3));

    let picture = folder.join("closed_network.svg");
    // Without the first station, where nobody waits.
    let places = || (0..).map(f64::from);
    let intervals = length[1..].iter().map(|found| found.confidence_interval(0.95));
    Figure::new(&format!("{USERS} users in a closed network of queues"), "station", "users at the station, mean")
        .categories(STATIONS[1..].iter().map(|station| station.name))
        .columns("exact (Buzen)", places().zip(exact.length[1..].iter().copied()))
        .intervals(
            &format!("simulated, 95 % confidence from {BATCHES} batches"),
            places().zip(intervals).map(|(place, (low, high))| (place, low, high)),
        )
        .save(&picture)?;
    println!("\nWritten: {}", picture.display());
    Ok(())
}
