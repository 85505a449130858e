//! A gas station whose tank runs low, and what becomes of lorries if cars may overtake them.
//!
//! When the tank is low a truck is called; until it comes, the tank may run short. Then those at the pumps
//! wait: either in line, so that a lorry gets its fuel before the cars that came after it, or each for their
//! own amount, so that cars take the last litres and the lorry waits for the truck. Either way everybody gets
//! their fuel in the end, so what is sold, and by Little's law how many are being served, is known exactly.
//!
//! `cargo run --release --example gas_station`

use clockrace::record::{BatchMeans, Grid, Sample};
use clockrace::resource::{Container, Resource, Tally};
use clockrace::simulation;
use clockrace_examples::{COMPARED, Failure, compared};

simulation! {
    /// Time is in minutes, fuel in litres.
    model Station {
        /// Whether those who wait for fuel wait in line.
        param in_line: bool;
        param pumps: usize;
        param tank: f64;
        /// The level at which a truck is called.
        param low: f64;
        /// Minutes until the truck has come and filled the tank.
        param delivery: f64;
        /// Vehicles that come in a minute.
        param arrivals: f64;
        /// Litres that a pump gives in a minute.
        param flow_rate: f64;
        /// Minutes to pay.
        param paying: f64;

        state pump: Resource = Resource::new(pumps);
        state fuel: Container = Container::new(tank, tank)?;
        /// When the latest of those asked for fuel who got it.
        state latest: f64 = 0.0;
        tally car_waits: Tally = Tally::new();
        tally lorry_waits: Tally = Tally::new();
        tally overtaken: u64 = 0;

        line at_the_pumps;

        init { truck.start(); }

        clock arrival: rate(arrivals) => {
            // One in ten is a lorry.
            let lorry = rng.random_bool(0.1);
            vehicle.start(lorry, if lorry { rng.random_range(200.0..400.0) } else { rng.random_range(10.0..50.0) });
        }
        activity vehicle(lorry: bool, need: f64) {
            let came = pump.ask(now)?;
            wait_for(pump.is_free());
            pump.seize(came, now)?;

            let asked = fuel.takers.ask(now)?;
            if in_line {
                wait_for(fuel.has(need), line = at_the_pumps);
            } else {
                wait_for(fuel.has(need));
            }
            fuel.takers.serve(asked, now)?;
            fuel.take(need, now)?;
            if lorry {
                lorry_waits.record(now - asked)?;
            } else {
                car_waits.record(now - asked)?;
            }
            if asked < latest {
                overtaken += 1;
            }
            latest = latest.max(asked);

            wait(need / flow_rate + paying);
            pump.release(now)?;
        }
        activity truck() {
            loop {
                wait_for(fuel.level() < low);
                wait(delivery);
                fuel.put(fuel.room(), now)?;
            }
        }

        observe sold = fuel.total_taken();
        observe served = pump.busy() - fuel.takers.len();
        invariant balance: (tank + fuel.total_put() - fuel.total_taken() - fuel.level()).abs() < 1e-6 * tank;
    }
}

/// Minutes in a batch.
const BATCH: f64 = 10_000.0;
const BATCHES: usize = 40;
/// Mean litres that a vehicle needs.
const NEED: f64 = 0.1 * 300.0 + 0.9 * 30.0;

fn study(name: &str, station: Station) -> Result<(), Failure> {
    let (arrivals, service) = (station.arrivals, NEED / station.flow_rate + station.paying);
    let end = BATCH * (BATCHES + 1) as f64;
    let mut served = BatchMeans::between(BATCH, end, BATCHES)?;
    let mut sold = Grid::every(BATCH)?;
    let mut sim = station.start(1)?;
    sim.check_invariants(true);
    sim.warm_up(BATCH)?;
    sim.run_with(&mut (&mut served, &mut sold), end)?;

    let missing = "no such output";
    let served = served.sample("served").ok_or(missing)?;
    let sold: Sample = sold.values("sold").ok_or(missing)?.windows(2).map(|ends| (ends[1] - ends[0]) / BATCH).collect();
    println!("\n{name:<26}{COMPARED}");
    println!("{:<26}{}", "  litres sold in a minute", compared(arrivals * NEED, &sold, 3));
    println!("{:<26}{}", "  vehicles being served", compared(arrivals * service, &served, 3));
    let tallies = sim.tallies();
    for (name, waits) in [("cars", &tallies.car_waits), ("lorries", &tallies.lorry_waits)] {
        println!("  {name:<7} wait {:>6.3} minutes for fuel, at most {:>7.3}", waits.mean(), waits.max());
    }
    println!("  {} vehicles were overtaken", tallies.overtaken);
    Ok(())
}

fn main() -> Result<(), Failure> {
    println!("{BATCHES} batches of {BATCH} minutes, after as long a warm-up");
    for (name, in_line) in [("In line", true), ("As it comes", false)] {
        study(
            name,
            Station {
                in_line,
                pumps: 8,
                tank: 5_000.0,
                low: 1_500.0,
                delivery: 30.0,
                arrivals: 1.0,
                flow_rate: 40.0,
                paying: 2.0,
            },
        )?;
    }
    Ok(())
}
