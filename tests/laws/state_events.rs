//! Events that the state triggers: a population that is cut back as soon as it reaches a
//! threshold, against the exact law of its Markov chain.

use clockrace::{Model, simulation};
use clockrace_tests::{Chain, Moments, assert_mean, chi_square, replicates};

const ALPHA: f64 = 2.0;
const MU: f64 = 0.1;
const THRESHOLD: usize = 15;
const LOW: usize = 4;
const REPLICATES: u64 = 20_000;

/// The chain below the threshold: who would reach it is at `LOW` at once.
fn chain() -> Chain {
    let births = (0..THRESHOLD).map(|n| (n, if n + 1 == THRESHOLD { LOW } else { n + 1 }, ALPHA));
    let deaths = (1..THRESHOLD).map(|n| (n, n - 1, MU * n as f64));
    Chain::new(THRESHOLD, births.chain(deaths))
}

fn moments(law: &[f64]) -> (f64, f64) {
    let mean: f64 = law.iter().enumerate().map(|(n, p)| n as f64 * p).sum();
    let square: f64 = law.iter().enumerate().map(|(n, p)| (n as f64).powi(2) * p).sum();
    (mean, square - mean * mean)
}

/// The population and the number of cuts at t = 0, 1, …, 50 are as the chain says.
fn check<M: Model + Clone>(what: &str, model: &M, population: fn(&M::State) -> u64, cuts: fn(&M::State) -> u64) {
    let mut populations = vec![Vec::new(); 51];
    let mut counts = vec![Vec::new(); 51];
    for mut sim in replicates(model, 17, REPLICATES) {
        for t in 0..=50_u8 {
            sim.run_until(f64::from(t)).unwrap();
            populations[usize::from(t)].push(population(&sim.state()) as usize);
            counts[usize::from(t)].push(cuts(&sim.state()) as f64);
        }
    }
    let chain = chain();
    let (mut law, mut expected_cuts) = (chain.at(0), 0.0);
    for t in 1..=50 {
        // Cuts come at the rate α P(one below the threshold), integrated by Simpson's rule.
        let steps = 20;
        let span = 1.0 / f64::from(steps);
        for _ in 0..steps {
            let middle = chain.after(span / 2.0, &law);
            let end = chain.after(span / 2.0, &middle);
            let below = |law: &[f64]| law[THRESHOLD - 1];
            expected_cuts += ALPHA * span / 6.0 * (below(&law) + 4.0 * below(&middle) + below(&end));
            law = end;
        }
        let (mean, variance) = moments(&law);
        let sample: Vec<f64> = populations[t].iter().map(|&n| n as f64).collect();
        assert_mean(format!("{what}: population at {t}"), &sample, mean);
        let Moments { n, variance: spread, kurtosis, .. } = Moments::of(&sample);
        let y = (spread / variance - 1.0) / ((kurtosis - 1.0) / n).sqrt();
        assert!(y.abs() < 5.0, "{what}: variance at {t} is {spread} instead of {variance} (Y = {y})");
        if t >= 10 {
            chi_square(format!("{what}: law of the population at {t}"), &populations[t], &law);
            assert_mean(format!("{what}: cuts until {t}"), &counts[t], expected_cuts);
        }
    }
}

simulation! {
    model CutAtOnce {
        state x: u64 = 0;
        state cuts: u64 = 0;
        reaction immigration: -> x @ ALPHA;
        reaction death: x -> @ MU;
        clock cut if x >= THRESHOLD as u64: at(now) => { x = LOW as u64; cuts += 1; }
    }
}

#[test]
fn a_cut_by_at_now() {
    check("at(now)", &CutAtOnce::default(), |s| s.x, |s| s.cuts);
}

simulation! {
    #[select(next_reaction)]
    model CutAfterNothing {
        state x: u64 = 0;
        state cuts: u64 = 0;
        clock immigration: rate(ALPHA) => { x += 1; }
        clock death: rate(MU * x as f64) => { x -= 1; }
        clock cut if x >= THRESHOLD as u64: after(0.0), priority = -1 => { x = LOW as u64; cuts += 1; }
    }
}

#[test]
fn a_cut_by_a_delay_of_zero() {
    check("after(0)", &CutAfterNothing::default(), |s| s.x, |s| s.cuts);
}

simulation! {
    /// The cut is part of the arrival.
    model CutInTheAction {
        state x: u64 = 0;
        state cuts: u64 = 0;
        action cut() {
            x = LOW as u64;
            cuts += 1;
        }
        clock immigration: rate(ALPHA) => {
            x += 1;
            if x >= THRESHOLD as u64 {
                cut();
            }
        }
        clock death: rate(MU * x as f64) => { x -= 1; }
    }
}

#[test]
fn a_cut_in_the_action_that_causes_it() {
    check("action", &CutInTheAction::default(), |s| s.x, |s| s.cuts);
}
