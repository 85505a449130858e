//! Clocks over the instances of an activity: they come and go with them.

use clockrace::rand_distr::Exp;
use clockrace::{ErrorKind, Model, Simulation, simulation};

simulation! {
    /// Who is there for a while, and beats.
    model Beating {
        state log: Vec<(f64, usize)> = Vec::new();
        activity guest(stay: f64) { wait(stay); }
        clock comes: at(1.25) => { guest.start(1.5); }
        clock again: at(4.0) => { guest.start(2.5); guest.start(1.5); }
        clock beat[g in guest]: after(1.0) => { log.push((now, g.index())); }
        init { guest.start(3.5); }
    }
}

#[test]
fn clocks_come_and_go_with_instances() {
    let mut sim = Beating {}.start(1).unwrap();
    sim.run_until(10.0).unwrap();
    // The first has number 0 and beats at 1, 2, 3; the second 1; the numbers are used again after they have gone.
    let first = [(1.0, 0), (2.0, 0), (2.25, 1), (3.0, 0)];
    let later = &sim.state().log[4..];
    assert_eq!(sim.state().log[..4], first);
    assert_eq!(later.iter().map(|&(time, _)| time).collect::<Vec<_>>(), [5.0, 5.0, 6.0]);
    assert_eq!(later[0].1 + later[1].1, 1, "{later:?}");
    assert_eq!(sim.next_time(), f64::INFINITY);
}

simulation! {
    /// Every kind of clock over patients, whose states are written from everywhere.
    model Ward {
        param lambda: f64 = 1.5;
        state hazard[p in patient]: f64 = 0.2;
        state due[p in patient]: f64 = now + 3.0;
        state visits[p in patient]: u32 = 0;
        state pressure: f64 = 1.0;
        state log: Vec<(f64, u8, usize)> = Vec::new();
        state last: Key<patient> = Key::stale();
        activity patient(strength: f64) {
            defer { log.push((now, 9, me.index())); }
            hazard[me] = 0.1 * strength;
            wait(strength);
            // Whoever stays gets worse.
            hazard[me] *= 4.0;
            wait_for(visits[me] > 2, timeout = 3.0);
            log.push((now, 0, me.index()));
        }
        activity visitor(whom: Key<patient>) {
            wait(0.5);
            if patient.alive(whom) { visits[whom] += 1; }
        }
        event calls(whom: Key<patient>) => {
            if patient.alive(whom) { visits[whom] += 1; pressure += 0.1; }
        }
        clock arrival: rate(lambda) => { last = patient.start(rng.sample(Exp::new(0.5)?)); treat(last); greet(last); }
        let risk[p in patient]: f64 = hazard[p] * pressure;
        action treat(p in patient) { hazard[p] *= 0.9; }
        action greet(whom: Key<patient>) { due[whom] += 0.5; welcome(whom); }
        action welcome(p in patient) { let whom: Key<patient> = p; due[whom] += 0.25; }
        clock improves[p in patient]: rate(risk[p]) => { treat(p); log.push((now, 1, p.index())); }
        clock leaves[p in patient] if visits[p] > 0: rate(0.3) => { log.push((now, 2, p.index())); patient.abort(p); }
        clock round[p in patient]: every(1.0) => { visits[p] += 1; log.push((now, 3, p.index())); }
        clock ends[p in patient]: at(due[p]) => {
            log.push((now, 4, p.index()));
            calls.after(0.5, p);
            visitor.start(p);
        }
        clock rests[p in patient] if patient.alive(p) && visits[p] < 2: after(rng.sample(Exp::new(1.0)?)) => {
            log.push((now, 5, p.index()));
            pressure *= 0.99;
        }
        clock kills: every(2.5) => { patient.abort(last); }
        let burden = patient.iter().map(|p| hazard[p]).sum::<f64>();
        clock eased: rate(0.2 * burden) => {
            for p in patient {
                if visits[p] == 0 { hazard[p] *= 0.95; }
                if hazard[p] < 0.02 { patient.abort(p); }
            }
            log.push((now, 6, patient.filter(|&p| visits[p] > 1).count()));
        }
        clock crowded if patient.iter().any(|p| visits[p] > 4): rate(0.5) => {
            // Found ones are keys, too.
            if let Some(p) = patient.iter().max_by_key(|&p| visits[p]) { visits[p] = 1; log.push((now, 7, p.index())); }
            if let Some(p) = patient.iter().find(|&p| visits[p] > 4) { visits[p] = 0; patient.abort(p); }
            for (place, p) in patient.iter().enumerate() { if place > 3 { hazard[p] += 0.01; } }
            let worst: Vec<Key<patient>> = patient.iter().filter(|&p| risk[p] > 2.0).collect();
            for p in worst { calls.after(1.0, p); }
        }
        observe there = patient.len() as f64;
        observe burden_now = burden;
        observe who[p in patient] = p.index() as f64;
    }
}

type Log = Vec<(f64, u8, usize)>;

fn ward(seed: u64) -> Simulation<Ward> {
    Ward::default().start(seed).unwrap()
}

/// What happens if `after` looks at the simulation after each event.
fn looked_at(seed: u64, mut after: impl FnMut(&mut Simulation<Ward>)) -> Log {
    let mut sim = ward(seed);
    while sim.next_time() <= 60.0 {
        sim.step().unwrap();
        after(&mut sim);
    }
    sim.state().log.clone()
}

/// Nothing stale is left: it is the same if everything is evaluated after each event.
#[test]
fn members_are_refreshed_by_all_that_they_read() {
    let mut kinds = std::collections::BTreeSet::new();
    for seed in 0..40 {
        let whole = {
            let mut sim = ward(seed);
            sim.run_until(60.0).unwrap();
            sim.state().log.clone()
        };
        assert!(whole.len() > 100, "{whole:?}");
        kinds.extend(whole.iter().map(|&(_, kind, _)| kind));
        assert_eq!(looked_at(seed, |sim| sim.update(|_| ()).unwrap()), whole, "seed {seed}");
        let clones = looked_at(seed, |sim| {
            let clone = sim.clone();
            drop(std::mem::replace(sim, clone));
        });
        assert_eq!(clones, whole, "seed {seed}");
        let mut cut = ward(seed);
        for k in 1..=240 {
            cut.run_until(f64::from(k) / 4.0).unwrap();
        }
        assert_eq!(cut.state().log, whole, "seed {seed}");
    }
    assert_eq!(kinds.len(), 9);
}

/// Nobody who has gone is heard of, and nobody is before he has come.
#[test]
fn only_those_who_live_have_clocks() {
    let mut sim = ward(7);
    let mut alive = std::collections::BTreeSet::new();
    let mut known = 0;
    while sim.next_time() <= 200.0 {
        let fired = sim.step().unwrap();
        let log = sim.state().log[known..].to_vec();
        known = sim.state().log.len();
        for (_, kind, who) in log.into_iter().filter(|&(_, kind, _)| kind != 6) {
            // The deferred entry of whoever goes; everything else is of somebody who is there.
            let there = if kind == 9 { alive.remove(&who) } else { alive.contains(&who) };
            assert!(there, "{kind} of {who} after {fired:?}");
        }
        alive.extend(sim.observe().unwrap().who.iter().map(|&who| who as usize));
        assert_eq!(sim.observe().unwrap().there, alive.len() as f64);
    }
    assert!(known > 500);
}

simulation! {
    /// One in three starts fails.
    model Failing {
        state small: u8 = 0;
        state beats: u32 = 0;
        activity one() { wait(f64::INFINITY); }
        clock comes: every(1.0) => { one.start(); small += 100; }
        clock beat[o in one]: after(0.75) => { beats += 1; }
        observe there = one.len() as f64;
    }
}

#[test]
fn who_was_started_by_a_failing_event_has_no_clock() {
    let mut sim = Failing {}.start(1).unwrap();
    let error = sim.run_until(3.2).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Overflow { .. }), "{error}");
    // Beats at 1.75, 2.5 and 2.75.
    assert_eq!((sim.observe().unwrap().there, sim.state().beats, sim.next_time()), (2.0, 3, 3.0));
    sim.update(|state| state.small = 0).unwrap();
    sim.run_until(3.9).unwrap();
    // At 3.25, 3.5 and 3.75: the third came at 3.
    assert_eq!((sim.observe().unwrap().there, sim.state().beats), (3.0, 6));
}

simulation! {
    /// Patients arrive and each leaves by a clock of his own.
    model Hospital {
        param lambda: f64 = 5.0;
        param mu: f64 = 1.0;
        activity patient() { wait(f64::INFINITY); }
        clock arrival: rate(lambda) => { patient.start(); }
        clock leaves[p in patient]: rate(mu) => { patient.abort(p); }
        observe there = patient.len() as f64;
    }
}

/// M/M/∞ from empty: at time t the number is Poisson of mean λ/μ (1 − exp(−μt)).
#[test]
fn an_immigration_death_process_is_poisson() {
    for (seed, t) in [(1, 0.5), (2, 1.0), (3, 3.0)] {
        let runs = 4000;
        let (mut sum, mut squares) = (0.0, 0.0);
        for replicate in 0..runs {
            let mut sim = Hospital::default().start(seed * 1_000_000 + replicate).unwrap();
            sim.run_until(t).unwrap();
            let there = sim.observe().unwrap().there;
            sum += there;
            squares += there * there;
        }
        let n = runs as f64;
        let expected = 5.0 * (1.0 - (-t).exp());
        let (mean, variance) = (sum / n, (squares - sum * sum / n) / (n - 1.0));
        assert!((mean - expected).abs() < 4.0 * (expected / n).sqrt(), "t = {t}: {mean}, not {expected}");
        // The variance of a sample variance of Poisson numbers is (m + 2 m²)/n.
        let error = ((expected + 2.0 * expected * expected) / n).sqrt();
        assert!((variance - expected).abs() < 4.0 * error, "t = {t}: variance {variance}, not {expected}");
    }
}

#[test]
fn the_graph_shows_who_comes_and_goes() {
    let graph = Hospital::graph().to_string();
    assert!(graph.contains("leaves[?patient]"), "{graph}");
    assert_eq!(Hospital::NAME, "Hospital");
}

simulation! {
    /// A wait whose speed is not defined once it is over; the same of a condition.
    model Sharing {
        state load: u32 = 0;
        state all: Vec<f64> = vec![1.0];
        state log: Vec<f64> = Vec::new();
        activity job(work: f64) {
            load += 1;
            defer { load -= 1; log.push(now); }
            wait(work, speed = 1.0 / f64::from(load));
        }
        activity last() {
            defer { all.clear(); }
            wait_for(all[0] > 2.0, timeout = 20.0);
        }
        activity stopped() {
            defer { all.clear(); }
            wait(f64::INFINITY, speed = all[0]);
        }
        clock ends: at(30.0) => { all.push(0.5); stopped.start(); }
        clock aborts: at(31.0) => { for s in stopped { stopped.abort(s); } }
        init { job.start(1.0); job.start(2.0); last.start(); }
    }
}

/// It used to fail when the last had gone: the speed of its own wait was taken anew.
#[test]
fn a_wait_that_is_over_is_not_looked_at_any_more() {
    let mut sim = Sharing {}.start(1).unwrap();
    // Both at half speed until 2; then one has 1 left.
    sim.run_until(25.0).unwrap();
    assert_eq!(sim.state().log, [2.0, 3.0]);
    assert!(sim.state().all.is_empty());
    sim.run_until(40.0).unwrap();
    assert!(sim.state().all.is_empty());
}

simulation! {
    /// A nurse goes round, and a roll call between.
    model Rounds {
        state seen[p in patient]: f64 = never;
        state log: Vec<(f64, usize)> = Vec::new();
        activity patient(stay: f64) { wait(stay); }
        activity nurse() {
            loop {
                wait(1.0);
                for p in patient {
                    if !patient.alive(p) { continue; }
                    wait(0.25);
                    if patient.alive(p) { seen[p] = now; log.push((now, p.index())); }
                }
            }
        }
        clock comes: at(2.6) => { patient.start(10.0); }
        init {
            for stay in [1.3, 5.0, 5.0] { patient.start(stay); }
            nurse.start();
        }
    }
}

#[test]
fn a_loop_over_instances_may_wait() {
    let mut sim = Rounds {}.start(1).unwrap();
    sim.run_until(4.5).unwrap();
    // The first leaves at 1.3. The fourth has his number, 0, and comes in the second round.
    let rounds = [(1.25, 0), (1.5, 1), (1.75, 2), (3.0, 0), (3.25, 1), (3.5, 2)];
    assert_eq!(sim.state().log, rounds);
}
