//! State that moves between events: particles, balls, disks and neurons against what is exact.

use std::collections::VecDeque;
use std::f64::consts::{PI, TAU};

use clockrace::rand::{RngExt, SeedableRng};
use clockrace::rand_distr::Exp;
use clockrace::record::{EventLog, Path, Sample};
use clockrace::{ErrorKind, Outcome, Rng, Simulation, simulation};
use clockrace_examples::disks::{Disks, DisksEvent, Vector, compressibility_of};
use clockrace_tests::{LIMIT, assert_mean, kolmogorov_two, replicates};

const SEEDS: [u64; 3] = [1, 2, 3];

simulation! {
    /// A particle in the square from −1 to 1, anywhere and in any direction at the start, and impulses at random times.
    model Particle {
        param impulses: f64 = 0.5;
        index axis = 0..2;
        state angle: f64 = rng.random_range(0.0..TAU);
        state x[k in axis]: f64 = rng.random_range(-1.0..1.0);
        state v[k in axis]: f64 = if k == 0 { angle.cos() } else { angle.sin() };
        state hits: u64 = 0;
        flow x[k in axis] = x[k] + v[k] * dt;
        clock impulse: rate(impulses) => {
            angle = rng.random_range(0.0..TAU);
            v[0] = angle.cos();
            v[1] = angle.sin();
        }
        clock upper[k in axis]: crosses(x[k] - 1.0, up) => reflect(k);
        clock lower[k in axis]: crosses(x[k] + 1.0, down) => reflect(k);
        action reflect(k in axis) { v[k] = -v[k]; hits += 1; }
        // Times are rounded, to 4·10⁻¹² at 20,000.
        invariant inside: x.iter().all(|at| at.abs() < 1.0 + 1e-11);
    }
}

simulation! {
    /// The same, with the time of the next wall worked out.
    model Timed {
        param impulses: f64 = 0.5;
        index axis = 0..2;
        state angle: f64 = rng.random_range(0.0..TAU);
        state x[k in axis]: f64 = rng.random_range(-1.0..1.0);
        state v[k in axis]: f64 = if k == 0 { angle.cos() } else { angle.sin() };
        state hits: u64 = 0;
        flow x[k in axis] = x[k] + v[k] * dt;
        clock impulse: rate(impulses) => {
            angle = rng.random_range(0.0..TAU);
            v[0] = angle.cos();
            v[1] = angle.sin();
        }
        clock wall[k in axis]: at(now + (v[k].signum() - x[k]) / v[k]) => { v[k] = -v[k]; hits += 1; }
    }
}

#[test]
fn a_particle_is_everywhere_equally_often() {
    let span = 100.0;
    for seed in SEEDS {
        let mut rows = Vec::new();
        for mut sim in replicates(&Particle::default(), seed, 400) {
            let mut path = Path::of(["x"]);
            sim.run_with(&mut path, span).unwrap();
            let mean = |f: fn(&[f64]) -> f64| path.functional(["x[0]", "x[1]"], f).unwrap().mean();
            rows.push([
                mean(|x| x[0]),
                mean(|x| x[1]),
                mean(|x| x[0] * x[0]),
                mean(|x| x[1] * x[1]),
                mean(|x| x[0] * x[1]),
                mean(|x| (x[0] * x[1]).powi(2)),
                sim.state().hits as f64 / span,
            ]);
        }
        // The wall is 8 long, the area is 4, and the mean speed towards a wall is 1/π.
        let exact = [0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0 / 9.0, 2.0 / PI];
        for (number, exact) in exact.into_iter().enumerate() {
            let sample: Vec<f64> = rows.iter().map(|row| row[number]).collect();
            assert_mean(format!("quantity {number}, seed {seed}"), &sample, exact);
        }
    }
}

#[test]
fn a_crossing_is_where_the_wall_is() {
    let mut crossing = Particle::default().start(5).unwrap();
    let mut timed = Timed::default().start(5).unwrap();
    for k in 1..=1000 {
        crossing.run_until(f64::from(k)).unwrap();
        timed.run_until(f64::from(k)).unwrap();
        let (one, other) = (crossing.state(), timed.state());
        assert_eq!(one.hits, other.hits, "until {k}");
        for axis in 0..2 {
            assert!((one.x[axis] - other.x[axis]).abs() < 1e-9, "at {k}: {one:?} {other:?}");
        }
    }
    assert!(timed.state().hits > 500);
}

#[test]
fn leaving_a_wall_is_not_hitting_it() {
    for seed in SEEDS {
        let mut sim = Particle::default().start(seed).unwrap();
        sim.check_invariants(true);
        let mut log = EventLog::new();
        sim.run_with(&mut log, 20_000.0).unwrap();
        // Between two hits of one wall there is an impulse, or a hit of the wall across.
        let mut last: [Option<ParticleEvent>; 2] = [None, None];
        let mut hits = 0;
        for fired in log.iter() {
            match fired.event {
                ParticleEvent::Impulse => last = [None, None],
                hit @ (ParticleEvent::Upper(k) | ParticleEvent::Lower(k)) => {
                    assert_ne!(last[k], Some(hit), "at {}", fired.time);
                    last[k] = Some(hit);
                    hits += 1;
                }
            }
        }
        assert!(hits > 10_000);
    }
}

/// Gravity.
const G: f64 = 9.81;

simulation! {
    /// A ball that is dropped, and rests when it would leave the floor slower than `threshold`.
    model Ball {
        param restitution: f64;
        param threshold: f64 = 0.05;
        state y: f64 = 1.0;
        state v: f64 = 0.0;
        state resting: bool = false;
        state bounces: u64 = 0;
        let gravity = if resting { 0.0 } else { G };
        flow (y, v) = (y + v * dt - 0.5 * gravity * dt * dt, v - gravity * dt);
        clock bounce if !resting: crosses(y, down) => {
            bounces += 1;
            v = -restitution * v;
            if v.abs() < threshold {
                resting = true;
                (y, v) = (0.0, 0.0);
            }
        }
    }
}

#[test]
fn a_ball_rests_when_the_geometric_series_says() {
    let (fall, speed) = ((2.0 / G).sqrt(), (2.0 * G).sqrt());
    for e in [0.05, 0.3, 0.5, 0.77, 0.9, 0.99] {
        let mut sim = Ball { restitution: e, threshold: 0.05 }.start(0).unwrap();
        let rested = sim.events().last().unwrap().unwrap().time;
        let (mut bounces, mut time, mut rebound) = (1, fall, e * speed);
        while rebound >= 0.05 {
            time += 2.0 * rebound / G;
            rebound *= e;
            bounces += 1;
        }
        let state = sim.state();
        assert_eq!((state.bounces, state.y, state.v, state.resting), (bounces, 0.0, 0.0, true), "{e}");
        assert!((rested - time).abs() < 1e-10 * time, "{e}: {rested} and not {time}");
    }
}

#[test]
fn a_ball_that_never_rests_ends_in_the_zeno_budget() {
    for e in [0.3_f64, 0.5, 0.77, 0.9] {
        let mut sim = Ball { restitution: e, threshold: 0.0 }.start(0).unwrap();
        sim.set_zeno_limit(10_000);
        let error = sim.run_until(1000.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Zeno { limit: 10_000 }), "{error}");
        let end = (2.0 / G).sqrt() * (1.0 + e) / (1.0 - e);
        assert!((error.time() - end).abs() < 1e-7 * end, "{e}: {} and not {end}", error.time());
        // It can be read at the last event, and run on once it is mended.
        assert!(sim.state().y.abs() < 1e-9 && sim.now() <= error.time());
        sim.update(|state| (state.y, state.v, state.resting) = (0.0, 0.0, true)).unwrap();
        assert_eq!(sim.run_until(1000.0).unwrap(), Outcome::Exhausted);
    }
}

simulation! {
    /// A room with a heater.
    model Thermostat {
        param low: f64 = 19.0;
        param high: f64 = 21.0;
        param tau: f64 = 3.0;
        state t: f64 = 20.0;
        state heating: bool = true;
        let end = if heating { 30.0 } else { 5.0 };
        flow t = end + (t - end) * (-dt / tau).exp();
        clock on  if !heating: crosses(t - low, down, step = tau) => { heating = true; }
        clock off if heating:  crosses(t - high, up, step = tau)  => { heating = false; }
    }
}

#[test]
fn a_thermostat_has_the_cycle_of_its_exponentials() {
    for (low, high) in [(19.99, 20.01), (19.0, 21.0), (10.0, 29.0)] {
        let mut sim = Thermostat { low, high, tau: 3.0 }.start(0).unwrap();
        sim.step().unwrap();
        for cycle in 0..200 {
            let off = sim.now();
            sim.step().unwrap();
            let on = sim.now();
            sim.step().unwrap();
            let exact = [3.0 * ((high - 5.0) / (low - 5.0)).ln(), 3.0 * ((30.0 - low) / (30.0 - high)).ln()];
            for (found, exact) in [on - off, sim.now() - on].into_iter().zip(exact) {
                // A root is as exact as the temperature is where it is looked for.
                assert!((found - exact).abs() < 1e-11 * off.max(1.0), "cycle {cycle}: {found} and not {exact}");
            }
        }
    }
}

simulation! {
    /// A leaky integrate-and-fire neuron with random inputs.
    model Neuron {
        param drive: f64 = 0.0;
        /// Inputs in a unit of time, and what they do.
        param excitation: (f64, f64);
        param inhibition: (f64, f64) = (0.0, 0.0);
        state u: f64 = 0.0;
        state inputs: u64 = 0;
        state at_once: u64 = 0;
        state last: f64 = 0.0;
        state input: f64 = -1.0;
        tally intervals: Vec<f64> = Vec::new();
        flow u = drive + (u - drive) * (-dt).exp();
        clock excite: rate(excitation.0) => { u += excitation.1; input = now; inputs += 1; }
        clock inhibit: rate(inhibition.0) => { u -= inhibition.1; }
        clock spike: crosses(u - 1.0, up, step = 0.5) => {
            intervals.push(now - last);
            if input == now { at_once += 1; }
            u = 0.0;
            last = now;
        }
    }
}

/// A time between two spikes, by hand.
fn interval(neuron: &Neuron, rng: &mut Rng) -> f64 {
    let ((fast, up), (slow, down)) = (neuron.excitation, neuron.inhibition);
    let (mut u, mut time) = (0.0, 0.0);
    loop {
        let wait = rng.sample(Exp::new(fast + slow).unwrap());
        let alone = if neuron.drive > 1.0 { ((neuron.drive - u) / (neuron.drive - 1.0)).ln() } else { f64::INFINITY };
        if alone < wait {
            return time + alone;
        }
        time += wait;
        u = neuron.drive + (u - neuron.drive) * (-wait).exp();
        u += if rng.random_bool(fast / (fast + slow)) { up } else { -down };
        if u >= 1.0 {
            return time;
        }
    }
}

#[test]
fn a_jump_over_the_threshold_fires_at_once() {
    // Each input is enough.
    for seed in SEEDS {
        let neuron = Neuron { drive: 0.0, excitation: (2.0, 1.5), inhibition: (0.0, 0.0) };
        let mut sim = neuron.start(seed).unwrap();
        sim.run_until(5000.0).unwrap();
        let state = sim.state();
        assert!(state.inputs > 9000);
        assert_eq!(state.at_once, state.inputs);
        assert_eq!(sim.tallies().intervals.len() as u64, state.inputs);
    }
    // Two or more are needed, and the drive does the rest, or inhibition prevents it.
    for (number, (drive, excitation, inhibition)) in
        [(0.0, (3.0, 0.6), (0.0, 0.0)), (0.5, (3.0, 0.3), (1.0, 0.2)), (1.5, (0.5, 0.25), (2.0, 0.5))]
            .into_iter()
            .enumerate()
    {
        let neuron = Neuron { drive, excitation, inhibition };
        let mut rng = Rng::seed_from_u64(7);
        // Many fire when no input came, after the same time but for rounding.
        let rounded = |interval: f64| (1e9 * interval).round();
        let mut by_hand: Vec<f64> = (0..20_000).map(|_| rounded(interval(&neuron, &mut rng))).collect();
        for seed in SEEDS {
            let mut sim = neuron.clone().start(seed).unwrap();
            while sim.tallies().intervals.len() < 20_000 {
                sim.run_until(sim.now() + 1000.0).unwrap();
            }
            let state = sim.state();
            let spikes = sim.tallies().intervals.len() as u64;
            assert!(state.at_once > spikes / 10, "{number}: {} of {spikes}", state.at_once);
            // Below the threshold only jumps get over it.
            assert!(drive > 1.0 || state.at_once == spikes, "{number}: {} of {spikes}", state.at_once);
            let mut simulated: Vec<f64> = sim.tallies().intervals.iter().copied().map(rounded).collect();
            kolmogorov_two(format!("neuron {number}, seed {seed}"), &mut simulated, &mut by_hand);
        }
    }
}

simulation! {
    /// Neurons in a ring, each of which makes the next one fire after a delay.
    model Ring {
        param n: usize = 5;
        param delay: f64 = 5.0;
        param drive: f64 = 0.0;
        index neuron = 0..n;
        state u[k in neuron]: f64 = if k == 0 { 2.0 } else { 0.0 };
        state travelling[k in neuron]: VecDeque<f64> = VecDeque::new();
        let at[k in neuron] = if k == 0 { drive } else { 0.0 };
        flow u[k in neuron] = at[k] + (u[k] - at[k]) * (-dt).exp();
        clock spike[k in neuron]: at(if u[k] >= 1.0 { now } else if at[k] > 1.0 {
            now + ((at[k] - u[k]) / (at[k] - 1.0)).ln()
        } else {
            never
        }) => {
            u[k] = 0.0;
            travelling[k].push_back(now + delay);
        }
        clock arrive[k in neuron]: at(travelling[k].front().copied().unwrap_or(never)) => {
            travelling[k].pop_front();
            u[(k + 1) % n] += 2.0;
        }
    }
}

/// When the neurons of a ring fire.
fn spikes(sim: &mut Simulation<Ring>, until: f64) -> Vec<(usize, f64)> {
    let mut spikes = Vec::new();
    sim.run_each(until, |view, event| {
        if let RingEvent::Spike(k) = event {
            spikes.push((k, view.now()));
        }
    })
    .unwrap();
    spikes
}

#[test]
fn a_spike_goes_round_a_ring_of_delays() {
    let mut sim = Ring { n: 5, delay: 5.0, drive: 0.0 }.start(0).unwrap();
    let expected: Vec<_> = (0..=200).map(|m| (m % 5, 5.0 * m as f64)).collect();
    assert_eq!(spikes(&mut sim, 1000.0), expected);
}

#[test]
fn spikes_are_on_their_way_together_and_arrive_in_order() {
    // The first neuron fires every ln 2, more often than a spike takes to the second one, and to the last.
    let mut sim = Ring { n: 3, delay: 5.0, drive: 2.0 }.start(0).unwrap();
    let fired = spikes(&mut sim, 14.9);
    let period = 2.0_f64.ln();
    let first: Vec<f64> = fired.iter().filter(|(k, _)| *k == 0).map(|(_, time)| *time).collect();
    assert_eq!(first.len(), 1 + (14.9 / period) as usize);
    for (m, time) in first.iter().enumerate() {
        assert!((time - m as f64 * period).abs() < 1e-12, "{m}: {time}");
    }
    for k in [1, 2] {
        let other: Vec<f64> = fired.iter().filter(|(other, _)| *other == k).map(|(_, time)| *time).collect();
        let late = first.iter().map(|time| if k == 1 { time + 5.0 } else { time + 5.0 + 5.0 });
        assert_eq!(other, late.filter(|time| *time <= 14.9).collect::<Vec<_>>(), "neuron {k}");
    }
}

/// The largest overlap of two disks.
fn overlap(sim: &Simulation<Disks>) -> f64 {
    let (state, side) = (sim.state(), sim.params().side);
    let fold = |x: f64| x - side * (x / side).round();
    let mut deepest = f64::NEG_INFINITY;
    for (i, r) in state.r.iter().enumerate() {
        for s in &state.r[..i] {
            deepest = f64::max(deepest, 1.0 - fold(r.x - s.x).hypot(fold(r.y - s.y)));
        }
    }
    deepest
}

#[test]
fn disks_in_a_row_hand_on_their_speed() {
    // At rest at x = 0.5, 2.5, …, and one that flies along them at speed 2, 1 from disk to disk. Where the row closes
    // each is 1 further on, so that from then on every fourth one flies 2.
    let r = (0..5).map(|i| Vector { x: 0.5 + 2.0 * f64::from(i), y: 5.0 }).collect();
    let mut v = vec![Vector::default(); 5];
    v[0].x = 2.0;
    let mut sim = Disks { n: 5, side: 10.0, cells: 10, r, v }.start(0).unwrap();
    let mut collisions = Vec::new();
    while collisions.len() < 12 {
        let fired = sim.step().unwrap().unwrap();
        if let DisksEvent::Collide(i, j) = fired.event {
            collisions.push((i, j, fired.time));
        }
    }
    for (m, (i, j, time)) in collisions.into_iter().enumerate() {
        let (from, to) = (m % 5, (m + 1) % 5);
        assert_eq!((i, j), (from.min(to), from.max(to)));
        assert!((time - 0.5 * (m + 1 + m / 4) as f64).abs() < 1e-12, "{m}: {time}");
    }
    assert_eq!(sim.observe().unwrap().energy, 2.0);
}

#[test]
fn disks_go_back_where_they_came_from() {
    let mut sim = Disks::fluid(12, 0.4, &mut Rng::seed_from_u64(3)).start(0).unwrap();
    let start: Vec<Vector> = sim.state().r.to_vec();
    sim.run_until(2.0).unwrap();
    let there = sim.tallies().collisions;
    assert!(there > 300, "{there}");
    sim.update(|state| state.v.iter_mut().for_each(|v| *v = *v * -1.0)).unwrap();
    sim.run_until(4.0).unwrap();
    assert_eq!(sim.tallies().collisions, 2 * there);
    for (before, after) in start.iter().zip(sim.state().r.iter()) {
        // Each collision multiplies an error by the distance to the next one, in radii.
        let gone = (*before - *after).dot(*before - *after).sqrt();
        assert!(gone < 1e-6, "{before:?} {after:?}");
    }
}

#[test]
fn disks_keep_their_energy_and_have_the_pressure_of_the_virial_series() {
    for (seed, rows, packing) in [(1, 24, 0.1), (2, 24, 0.25), (3, 20, 0.3)] {
        let model = Disks::fluid(rows, packing, &mut Rng::seed_from_u64(seed));
        let n = model.n as f64;
        let mut sim = model.clone().start(seed).unwrap();
        let before = sim.observe().unwrap();
        let z = compressibility_of(model.n, packing);
        let rate = 2.0 * PI.sqrt() * n / (model.side * model.side) * (z - 1.0) / (2.0 * packing);
        // Of 350,000 collisions in all, the first tenth is the warm-up.
        let (batches, span) = (200, 350_000.0 / (0.5 * n * rate) / 220.0);
        sim.warm_up(20.0 * span).unwrap();
        let (mut rates, mut pressures, mut total) = (Vec::new(), Vec::new(), 0);
        for batch in 1..=batches {
            sim.reset_tallies().unwrap();
            sim.run_until(span * f64::from(20 + batch)).unwrap();
            total += sim.tallies().collisions;
            rates.push(2.0 * sim.tallies().collisions as f64 / (n * span));
            pressures.push(1.0 + sim.tallies().virial / (2.0 * n * span));
            if batch % 20 == 0 {
                assert!(overlap(&sim) < 1e-12, "{}", overlap(&sim));
            }
        }
        assert!(total > 300_000, "{total}");
        // A collision changes the energy of a pair by 16 ε of it at most, now up, now down; a pair has 3/n of all.
        let after = sim.observe().unwrap();
        let drift = (after.energy / before.energy - 1.0).abs();
        let bound = 4.0 * 16.0 * f64::EPSILON * 3.0 / n * (total as f64).sqrt() + n * f64::EPSILON;
        assert!(drift < bound, "{drift} {bound}");
        let momentum = after.momentum - before.momentum;
        assert!(momentum.dot(momentum).sqrt() < bound * n, "{momentum:?}");
        // Twenty collisions of each disk: batches that are nearly independent.
        for (what, values, exact) in [("rate", rates, rate), ("Z", pressures, z)] {
            let wide: Sample = values.chunks(5).map(|few| few.iter().sum::<f64>() / few.len() as f64).collect();
            let error = wide.standard_error();
            // The series and the correction are good to four digits.
            let off = (wide.mean() - exact).abs() - 1e-4 * exact;
            assert!(off < LIMIT * error, "{what} at {packing}: {} ± {error} and not {exact}", wide.mean());
            assert!(error < 0.005 * exact, "{what} at {packing}: ± {error}");
        }
    }
}
