//! State that moves between events.

use clockrace::{ErrorKind, simulation};

simulation! {
    /// A particle between two walls that at random times gets another velocity.
    #[derive(Clone, Debug, PartialEq)]
    model Particle {
        param kicks: f64 = 0.5;
        state x: f64 = 0.25;
        state v: f64 = 1.0;
        state hits: u64 = 0;
        flow x = x + v * dt;
        clock kick: rate(kicks) => { v = rng.random_range(-2.0..2.0); }
        clock wall: at(if v > 0.0 { now + (1.0 - x) / v } else if v < 0.0 { now - x / v } else { never }) => {
            v = -v;
            hits += 1;
        }
        invariant inside: (-1e-9..=1.0 + 1e-9).contains(&x);
        observe x = x;
    }
}

#[test]
fn a_particle_flies_from_wall_to_wall() {
    let mut sim = Particle { kicks: 0.0 }.start(1).unwrap();
    sim.run_until(0.5).unwrap();
    assert_eq!(sim.state().x, 0.75);
    assert_eq!(sim.observe().unwrap().x, 0.75);
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().x, sim.state().v, sim.state().hits), (0.75, -1.0, 1));
    sim.run_until(100.0).unwrap();
    assert_eq!(sim.state().hits, 100);
    let mut sim = Particle { kicks: 0.5 }.start(1).unwrap();
    sim.check_invariants(true);
    sim.run_until(10_000.0).unwrap();
    assert!(sim.state().hits > 5_000);
}

#[test]
fn looking_and_cutting_leave_no_trace() {
    let mut whole = Particle { kicks: 0.5 }.start(7).unwrap();
    let mut cut = whole.clone();
    whole.run_until(1000.0).unwrap();
    for k in 0..=3000 {
        let _ = (cut.state().x, cut.observe().unwrap());
        cut.run_until(f64::from(k) / 3.0).unwrap();
    }
    assert_eq!(whole.state(), cut.state());
    assert_eq!(whole.next_time(), cut.next_time());
}

simulation! {
    /// A ball under gravity that loses speed when it bounces.
    model Ball {
        param restitution: f64 = 1.0;
        state x: f64 = 5.0;
        state v: f64 = 0.0;
        state bounces: u64 = 0;
        let g = 9.81;
        flow (x, v) = (x + v * dt - 0.5 * g * dt * dt, v - g * dt);
        clock bounce: crosses(x, down) => { v = -restitution * v; bounces += 1; }
        observe energy = 0.5 * v * v + g * x;
    }
}

#[test]
fn a_ball_bounces_at_the_exact_times() {
    let fall = (2.0 * 5.0 / 9.81_f64).sqrt();
    let mut sim = Ball { restitution: 1.0 }.start(0).unwrap();
    for k in 0..10_000 {
        let fired = sim.step().unwrap().unwrap();
        let expected = fall * f64::from(2 * k + 1);
        assert!((fired.time - expected).abs() < 1e-10 * expected, "bounce {k} at {} and not {expected}", fired.time);
    }
    let energy = sim.observe().unwrap().energy;
    assert!((energy - 9.81 * 5.0).abs() < 1e-9, "{energy}");
}

#[test]
fn a_ball_that_loses_speed_ends_in_the_zeno_budget() {
    let mut sim = Ball { restitution: 0.5 }.start(0).unwrap();
    sim.set_zeno_limit(1000);
    let error = sim.run_until(100.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Zeno { limit: 1000 }), "{error}");
    let fall = (2.0 * 5.0 / 9.81_f64).sqrt();
    assert!((error.time() - 3.0 * fall).abs() < 1e-6, "{error}");
}

simulation! {
    /// A Zig-Zag process on a chain of normal variables.
    #[derive(Clone, Debug, PartialEq)]
    model Chain {
        param d: usize;
        param coupling: f64 = 0.4;
        index coordinate = 0..d;
        relation near(i in coordinate) -> coordinate = [i.wrapping_sub(1), i + 1].into_iter().filter(move |&j| j < d);
        state x[i in coordinate]: f64 = rng.random_range(-1.0..1.0);
        state v[i in coordinate]: f64 = 1.0;
        flow x[i in coordinate] = x[i] + v[i] * dt;
        let slope[i in coordinate] = x[i] - coupling * near(i).map(|j| x[j]).sum::<f64>();
        let curve[i in coordinate] = v[i] - coupling * near(i).map(|j| v[j]).sum::<f64>();
        let pull[i in coordinate] = (v[i] * slope[i], v[i] * curve[i]);
        clock flip[i in coordinate]: hazard(affine(pull[i])) => { v[i] = -v[i]; }
        observe x[i in coordinate] = x[i];
        observe sum = x.iter().sum::<f64>();
    }
}

#[test]
fn a_write_of_the_velocity_refreshes_who_reads_the_position() {
    let graph = Chain::graph();
    let flip = graph.clock("flip").unwrap();
    assert_eq!(flip.members, ["flip[i] flip[near⁻¹(i)]"], "{graph}");
    let mut sim = Chain { d: 5, coupling: 0.4 }.start(3).unwrap();
    sim.run_until(1000.0).unwrap();
    let all = sim.observe().unwrap();
    assert_eq!(all.x, sim.state().x.to_vec());
    assert!((all.sum - all.x.iter().sum::<f64>()).abs() < 1e-12);
}

simulation! {
    /// The heater of a room, which cools down towards the outside.
    model Thermostat {
        param low: f64 = 19.0;
        param high: f64 = 21.0;
        state heating: bool = false;
        state t: f64 = 20.0;
        state switches: u64 = 0;
        flow t = { let end = if heating { 30.0 } else { 10.0 }; end + (t - end) * (-0.1 * dt).exp() };
        clock on if !heating: crosses(t - low, down, step = 1.0) => { heating = true; switches += 1; }
        clock off if heating: crosses(t - high, up, step = 1.0) => { heating = false; switches += 1; }
        observe t = t;
    }
}

#[test]
fn a_thermostat_switches_at_its_thresholds() {
    let mut sim = Thermostat::default().start(0).unwrap();
    let first = sim.step().unwrap().unwrap();
    // 10 + 10 exp(−t/10) = 19.
    assert!((first.time - 10.0 * (10.0 / 9.0_f64).ln()).abs() < 1e-9, "{first:?}");
    let second = sim.step().unwrap().unwrap();
    // 30 − 11 exp(−t/10) = 21.
    assert!((second.time - first.time - 10.0 * (11.0 / 9.0_f64).ln()).abs() < 1e-9, "{second:?}");
    sim.run_until(1000.0).unwrap();
    assert!(sim.state().switches > 100);
    assert!((19.0 - 1e-9..=21.0 + 1e-9).contains(&sim.state().t));
}

simulation! {
    /// Arrivals whose rate goes up and down in the course of a day.
    model Day {
        state n: u64 = 0;
        clock arrival: hazard(|s| 10.0 * (1.0 + now.sin()) + 0.0 * s, bound = 20.0) => { n += 1; }
        observe n = n;
    }
}

simulation! {
    /// The same under a bound that is renewed.
    model Windows {
        state n: u64 = 0;
        clock arrival: hazard(|_| 10.0 * (1.0 + now.sin()), bound = 10.0 * (1.0 + now.sin()) + 5.0, until = 0.5) => { n += 1; }
    }
}

#[test]
fn thinning_gives_the_number_of_a_poisson_process() {
    // Its mean and variance are the integral of the rate.
    let until: f64 = 20.0;
    let mean = 10.0 * (until + 1.0 - until.cos());
    let runs = 400;
    let mut sums = [0.0; 2];
    for seed in 0..runs {
        let mut day = Day {}.start(seed).unwrap();
        day.run_until(until).unwrap();
        sums[0] += day.state().n as f64;
        let mut windows = Windows {}.start(seed).unwrap();
        windows.run_until(until).unwrap();
        sums[1] += windows.state().n as f64;
    }
    let se = (mean / runs as f64).sqrt();
    for sum in sums {
        let z = (sum / runs as f64 - mean) / se;
        assert!(z.abs() < 4.0, "{z} standard errors from {mean}");
    }
}

simulation! {
    /// A Zig-Zag process from its mode whose bound forgets that the hazard grows.
    model Forgets {
        param adapts: bool = false;
        state x: f64 = 0.0;
        state v: f64 = 1.0;
        flow x = x + v * dt;
        clock turn if !adapts: hazard(|_| (v * x).max(0.0), bound = affine((v * x).max(0.0), 0.0)) => { v = -v; }
        clock turns if adapts: hazard(|_| (v * x).max(0.0), bound = affine((v * x).max(0.0), 0.0), adapt) => { v = -v; }
    }
}

#[test]
fn a_bound_of_zero_is_found_to_be_broken() {
    for adapts in [false, true] {
        let error = Forgets { adapts }.start(1).unwrap().run_until(1000.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Bound { bound: 0.0, .. }), "{error}");
        assert!(error.time() < 1.0, "{error}");
    }
}
