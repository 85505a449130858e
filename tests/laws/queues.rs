//! Queues against their formulas. Replicates start empty, warm up, and are then observed; every
//! limit comes from the spread of the replicates.

use std::collections::VecDeque;

use clockrace::{Model, simulation};
use clockrace_tests::{Average, Service, assert_mean, chi_square, replicates};

const SEEDS: [u64; 3] = [1, 2, 3];
const REPLICATES: u64 = 400;

/// Time averages of `outputs` functions of the state, one row for each replicate.
fn averages<M: Model + Clone>(
    model: &M,
    (warm_up, end): (f64, f64),
    outputs: usize,
    of: impl Fn(&M::State, &mut [f64]),
) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for seed in SEEDS {
        for mut sim in replicates(model, seed, REPLICATES) {
            sim.run_until(warm_up).unwrap();
            let mut average = Average::new(outputs, &of);
            sim.run_with(&mut average, end).unwrap();
            rows.push(average.means());
        }
    }
    rows
}

fn column(rows: &[Vec<f64>], i: usize) -> Vec<f64> {
    rows.iter().map(|row| row[i]).collect()
}

simulation! {
    model Mmc {
        param lambda: f64;
        param mu: f64 = 1.0;
        param servers: u64 = 1;
        state n: u64 = 0;
        clock arrival: rate(lambda) => { n += 1; }
        clock service: rate(mu * n.min(servers) as f64) => { n -= 1; }
    }
}

/// Mean numbers in the system and in line, and the chances of 0 … 5 in the system.
fn mmc_averages(model: &Mmc) -> Vec<Vec<f64>> {
    let servers = model.servers;
    averages(model, (1000.0, 5000.0), 8, move |state, out| {
        out[0] = state.n as f64;
        out[1] = state.n.saturating_sub(servers) as f64;
        for (k, p) in (0..).zip(&mut out[2..]) {
            *p = f64::from(u8::from(state.n == k));
        }
    })
}

#[test]
fn mm1_has_a_geometric_number_in_the_system() {
    for rho in [0.3, 0.6, 0.8] {
        let rows = mmc_averages(&Mmc { lambda: rho, mu: 1.0, servers: 1 });
        assert_mean(format!("L at ρ = {rho}"), &column(&rows, 0), rho / (1.0 - rho));
        assert_mean(format!("Lq at ρ = {rho}"), &column(&rows, 1), rho * rho / (1.0 - rho));
        for k in 0..6 {
            let exact = (1.0 - rho) * rho.powi(k);
            assert_mean(format!("P({k}) at ρ = {rho}"), &column(&rows, 2 + k as usize), exact);
        }
    }
}

/// Probability that an arrival waits.
fn erlang_c(servers: u32, load: f64) -> f64 {
    let mut term = 1.0;
    let mut sum = 0.0;
    for k in 0..servers {
        sum += term;
        term *= load / f64::from(k + 1);
    }
    let queue = term / (1.0 - load / f64::from(servers));
    queue / (sum + queue)
}

#[test]
fn erlang_c_is_that_of_tables() {
    assert!((erlang_c(1, 0.7) - 0.7).abs() < 1e-12);
    assert!((erlang_c(2, 1.0) - 1.0 / 3.0).abs() < 1e-12);
    assert!((erlang_c(5, 4.0) - 0.554_113).abs() < 1e-6);
}

#[test]
fn mmc_waits_by_erlang_c() {
    for (servers, load) in [(2, 1.4), (5, 3.5), (8, 6.0)] {
        let rows = mmc_averages(&Mmc { lambda: load, mu: 1.0, servers: u64::from(servers) });
        let line = erlang_c(servers, load) * load / (f64::from(servers) - load);
        assert_mean(format!("Lq of {servers} servers"), &column(&rows, 1), line);
        assert_mean(format!("L of {servers} servers"), &column(&rows, 0), line + load);
    }
}

simulation! {
    /// Poisson arrivals, one server, first come first served.
    model Mg1 {
        param lambda: f64;
        param service: Service;
        /// Arrival times; the first is in service.
        state line: VecDeque<f64> = VecDeque::new();
        tally served: u64 = 0;
        tally sojourn: f64 = 0.0;
        clock arrival: rate(lambda) => { line.push_back(now); }
        clock departure if !line.is_empty(): after(rng.sample(service)) => {
            if let Some(arrived) = line.pop_front() {
                served += 1;
                sojourn += now - arrived;
            }
        }
    }
}

/// Mean time in the system after Pollaczek and Khinchine, for services of mean 1.
fn pollaczek_khinchine(lambda: f64, service: Service) -> f64 {
    1.0 + lambda * service.second_moment() / (2.0 * (1.0 - lambda))
}

#[test]
fn mg1_waits_by_pollaczek_and_khinchine() {
    for service in Service::ALL {
        for lambda in [0.5, 0.7] {
            let exact = pollaczek_khinchine(lambda, service);
            let (mut excess, mut number) = (Vec::new(), Vec::new());
            for seed in SEEDS {
                for mut sim in replicates(&Mg1 { lambda, service }, seed, REPLICATES) {
                    sim.warm_up(1000.0).unwrap();
                    let mut average =
                        Average::new(1, |state: &Mg1State, out: &mut [f64]| out[0] = state.line.len() as f64);
                    sim.run_with(&mut average, 5000.0).unwrap();
                    number.push(average.means()[0]);
                    let tallies = sim.tallies();
                    // In the steady state this has the mean zero for a window of any length.
                    excess.push(tallies.sojourn - exact * tallies.served as f64);
                }
            }
            assert_mean(format!("time in the system, {service:?} at ρ = {lambda}"), &excess, 0.0);
            assert_mean(format!("number in the system, {service:?} at ρ = {lambda}"), &number, lambda * exact);
        }
    }
}

#[test]
fn a_fixed_service_waits_half_as_long_as_an_exponential_one() {
    let mut waits = [Vec::new(), Vec::new()];
    for (waits, service) in waits.iter_mut().zip([Service::Fixed, Service::Exponential]) {
        for mut sim in replicates(&Mg1 { lambda: 0.8, service }, 4, 2 * REPLICATES) {
            sim.warm_up(1000.0).unwrap();
            sim.run_until(5000.0).unwrap();
            let tallies = sim.tallies();
            waits.push((tallies.sojourn - tallies.served as f64) / (0.8 * 4000.0));
        }
    }
    let [fixed, exponential] = waits;
    let difference: Vec<f64> = fixed.iter().zip(&exponential).map(|(f, e)| f - e / 2.0).collect();
    assert_mean("wait with fixed service less half of that with exponential service", &difference, 0.0);
    assert_mean("wait with fixed service", &fixed, pollaczek_khinchine(0.8, Service::Fixed) - 1.0);
}

#[test]
fn littles_law_holds_on_every_path() {
    for service in Service::ALL {
        for mut sim in replicates(&Mg1 { lambda: 0.7, service }, 5, 20) {
            let mut number = Average::new(1, |state: &Mg1State, out: &mut [f64]| out[0] = state.line.len() as f64);
            sim.run_with(&mut number, 500.0).unwrap();
            // Until nobody is there: then each customer has been seen from start to end.
            while !sim.state().line.is_empty() {
                let next = sim.next_time();
                sim.run_with(&mut number, next).unwrap();
            }
            let (area, sojourn) = (number.areas()[0], sim.tallies().sojourn);
            assert!((area - sojourn).abs() < 1e-9 * area, "{service:?}: {area} and {sojourn}");
        }
    }
}

simulation! {
    /// Three jobs that think and then share one processor.
    model SharedProcessor {
        param think: (f64, f64, f64);
        param work: (f64, f64, f64);
        param service: Service;
        state a: bool = false;
        state b: bool = false;
        state c: bool = false;
        let share = 1.0 / (a as u8 + b as u8 + c as u8) as f64;
        clock submit_a if !a: rate(1.0 / think.0) => { a = true; }
        clock submit_b if !b: rate(1.0 / think.1) => { b = true; }
        clock submit_c if !c: rate(1.0 / think.2) => { c = true; }
        clock finish_a if a: after(work.0 * rng.sample(service), speed(share)) => { a = false; }
        clock finish_b if b: after(work.1 * rng.sample(service), speed(share)) => { b = false; }
        clock finish_c if c: after(work.2 * rng.sample(service), speed(share)) => { c = false; }
    }
}

#[test]
fn processor_sharing_depends_on_the_mean_work_alone() {
    let (think, work) = ([1.0, 2.0, 0.7], [0.5, 1.0, 0.3]);
    // Product form: π(A) ∝ |A|! Π_{j ∈ A} work(j) Π_{j ∉ A} think(j).
    let weight = |jobs: usize| -> f64 {
        let factors = (0..3).map(|j| if jobs >> j & 1 == 1 { work[j] } else { think[j] });
        factors.product::<f64>() * [1.0, 1.0, 2.0, 6.0][jobs.count_ones() as usize]
    };
    let total: f64 = (0..8).map(weight).sum();
    for service in Service::ALL {
        let model = SharedProcessor { think: think.into(), work: work.into(), service };
        let rows = averages(&model, (50.0, 1050.0), 8, |state, out| {
            out[usize::from(state.a) + 2 * usize::from(state.b) + 4 * usize::from(state.c)] = 1.0;
        });
        for jobs in 0..8 {
            let what = format!("{service:?}: jobs {jobs:03b} at the processor");
            assert_mean(what, &column(&rows, jobs), weight(jobs) / total);
        }
    }
}

simulation! {
    /// Two stations; after the second a customer goes back to the first with chance `again`.
    model Jackson {
        param lambda: f64;
        param mu: (f64, f64);
        param again: f64 in 0.0..1.0;
        state first: u64 = 0;
        state second: u64 = 0;
        clock arrival: rate(lambda) => { first += 1; }
        reaction serve: first -> second @ rate(mu.0);
        clock leave if second > 0: rate(mu.1) => {
            second -= 1;
            if rng.random_bool(again) {
                first += 1;
            }
        }
    }
}

#[test]
fn an_open_network_has_the_product_form() {
    let rows = averages(&Jackson { lambda: 0.5, mu: (1.25, 1.6), again: 0.2 }, (1000.0, 5000.0), 5, |state, out| {
        let (n, m) = (state.first as f64, state.second as f64);
        out.copy_from_slice(&[
            n,
            m,
            n * m,
            f64::from(u8::from(n == 0.0 && m == 0.0)),
            f64::from(u8::from(n == 1.0 && m == 2.0)),
        ]);
    });
    // Each station sees 0.5 / 0.8 arrivals per unit of time.
    let (r, s) = (0.625 / 1.25, 0.625 / 1.6);
    let (n, m) = (r / (1.0 - r), s / (1.0 - s));
    let empty = (1.0 - r) * (1.0 - s);
    for (i, (what, exact)) in
        [("first", n), ("second", m), ("product", n * m), ("empty", empty), ("1, 2", empty * r * s * s)]
            .into_iter()
            .enumerate()
    {
        assert_mean(what, &column(&rows, i), exact);
    }
}

simulation! {
    /// Six customers go round three stations; the last has two servers.
    model Ring {
        state a: u64 = 6;
        state b: u64 = 0;
        state c: u64 = 0;
        reaction ab: a -> b @ rate(1.0);
        reaction bc: b -> c @ rate(1.5);
        reaction ca: c -> a @ rate(0.6 * c.min(2) as f64);
        invariant closed: a + b + c == 6;
    }
}

#[test]
fn a_closed_network_has_the_product_form() {
    // Unnormalised, for n customers at a station of rate μ and c servers: Π 1/(μ min(k, c)).
    let station =
        |mu: f64, servers: u32, n: u32| (1..=n).map(|k| 1.0 / (mu * f64::from(k.min(servers)))).product::<f64>();
    let mut weights = Vec::new();
    for a in 0..=6 {
        for b in 0..=6 - a {
            weights.push(station(1.0, 1, a) * station(1.5, 1, b) * station(0.6, 2, 6 - a - b));
        }
    }
    let total: f64 = weights.iter().sum();
    let law: Vec<f64> = weights.iter().map(|w| w / total).collect();
    let index = |a: u64, b: u64| ((0..a).map(|a| 7 - a).sum::<u64>() + b) as usize;
    let draws: Vec<usize> = replicates(&Ring::default(), 6, 20_000)
        .map(|mut sim| {
            sim.run_until(100.0).unwrap();
            index(sim.state().a, sim.state().b)
        })
        .collect();
    chi_square("customers at the three stations", &draws, &law);
}
