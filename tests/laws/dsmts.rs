//! The Discrete Stochastic Model Test Suite: means and standard deviations in time of birth-death,
//! immigration-death, dimerisation and batch immigration, with timed events.
//!
//! Over n replicates Z = √n (x̄ − μ)/σ should lie in (−3, 3) and Y = √(n/2) (s²/σ² − 1) in (−5, 5).
//! Points of one case are strongly correlated in time (a near-critical population forgets in about
//! 1/|λ − μ| = 100), so that one excursion carries several points outside. Hence the limits: of
//! the 50 points of a species at most 3 may lie outside, and none beyond |Z| = 5 or |Y| = 8.

use std::collections::HashMap;

use clockrace::{Model, simulation};
use clockrace_tests::{Moments, replicates};

const REPLICATES: u64 = 10_000;
const OUTSIDE: usize = 3;
const FAR_Z: f64 = 5.0;
const FAR_Y: f64 = 8.0;

/// A species' name and its amount in a state.
type Species<M> = (&'static str, fn(&<M as Model>::State) -> f64);

/// How the spread of a sample variance is known.
#[derive(Clone, Copy)]
enum Tails {
    /// As for a normal law.
    Normal,
    /// From the kurtosis of the sample.
    Heavy,
}

fn check<M: Model + Clone>(case: u32, model: &M, species: &[Species<M>]) {
    check_with(Tails::Normal, case, model, species);
}

fn check_with<M: Model + Clone>(tails: Tails, case: u32, model: &M, species: &[Species<M>]) {
    let mut samples = vec![Vec::new(); species.len() * 51];
    for mut sim in replicates(model, u64::from(case), REPLICATES) {
        for t in 0..=50_u8 {
            sim.run_until(f64::from(t)).unwrap();
            for (i, (_, amount)) in species.iter().enumerate() {
                samples[i * 51 + usize::from(t)].push(amount(&sim.state()));
            }
        }
    }
    let expected = expected(case);
    assert_eq!(expected.len(), species.len(), "all species of case {case} are looked at");
    for ((name, _), samples) in species.iter().zip(samples.chunks(51)) {
        compare(tails, &format!("case {case}, {name}"), samples, &expected[*name]);
    }
}

fn compare(tails: Tails, what: &str, samples: &[Vec<f64>], expected: &[(f64, f64)]) {
    assert_eq!(expected.len(), 51);
    let (mut outside_z, mut outside_y) = (Vec::new(), Vec::new());
    for (t, (sample, &(mean, sd))) in samples.iter().zip(expected).enumerate() {
        if sd == 0.0 {
            assert!(sample.iter().all(|&x| x == mean), "{what}: at t = {t} it is always {mean}");
            continue;
        }
        let moments = Moments::of(sample);
        let z = (moments.mean - mean) / (sd / moments.n.sqrt());
        let spread = match tails {
            Tails::Normal => 2.0,
            Tails::Heavy => moments.kurtosis - 1.0,
        };
        let y = (moments.variance / (sd * sd) - 1.0) / (spread / moments.n).sqrt();
        assert!(z.abs() < FAR_Z && y.abs() < FAR_Y, "{what}: far outside at t = {t}, Z = {z}, Y = {y}");
        if z.abs() >= 3.0 {
            outside_z.push((t, z));
        }
        if y.abs() >= 5.0 {
            outside_y.push((t, y));
        }
    }
    assert!(outside_z.len() <= OUTSIDE, "{what}: Z outside at {outside_z:?}");
    assert!(outside_y.len() <= OUTSIDE, "{what}: Y outside at {outside_y:?}");
}

/// Mean and standard deviation at t = 0 … 50 of each species of a case.
fn expected(case: u32) -> HashMap<&'static str, Vec<(f64, f64)>> {
    let mut series: HashMap<_, Vec<_>> = HashMap::new();
    for line in include_str!("dsmts.csv").lines().filter(|line| !line.starts_with('#')).skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [cases, species, time, mean, sd] = fields[..] else { panic!("five columns in {line}") };
        if cases.split(' ').any(|c| c.parse() == Ok(case)) {
            let series = series.entry(species).or_default();
            assert_eq!(time.parse(), Ok(series.len()), "times in order");
            series.push((mean.parse().unwrap(), sd.parse().unwrap()));
        }
    }
    series
}

simulation! {
    model BirthDeath {
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        reaction birth: x -> 2 x @ lambda;
        reaction death: x -> @ mu;
    }
}

#[test]
fn case_01_birth_and_death() {
    check(1, &BirthDeath::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    model BirthDeathClocks {
        state x: u64 = 100;
        let lambda = 0.1;
        let mu = 0.11;
        clock birth: rate(lambda * x as f64) => { x += 1; }
        clock death: rate(mu * x as f64) => { x -= 1; }
    }
}

#[test]
fn case_02_rates_with_constants_of_their_own() {
    check(2, &BirthDeathClocks::default(), &[("X", |s| s.x as f64)]);
}

/// At the end nearly all replicates are extinct and a few are large.
#[test]
fn case_03_fast_birth_and_death() {
    check_with(Tails::Heavy, 3, &BirthDeath { lambda: 1.0, mu: 1.1 }, &[("X", |s| s.x as f64)]);
}

simulation! {
    model BirthDeathFrom {
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64;
        reaction birth: x -> 2 x @ lambda;
        reaction death: x -> @ mu;
    }
}

#[test]
fn case_04_few_individuals() {
    check(4, &BirthDeathFrom { lambda: 0.1, mu: 0.11, x: 10 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_05_many_individuals() {
    check(5, &BirthDeathFrom { lambda: 0.1, mu: 0.11, x: 10_000 }, &[("X", |s| s.x as f64)]);
}

simulation! {
    model BirthDeathSink {
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        state sink: u64 = 0;
        reaction birth: x -> 2 x @ lambda;
        reaction death: x -> sink @ mu;
    }
}

#[test]
fn case_07_the_dead_are_counted() {
    check(7, &BirthDeathSink::default(), &[("X", |s| s.x as f64), ("Sink", |s| s.sink as f64)]);
}

simulation! {
    /// Rates by amount; the volume cancels.
    model BirthDeathAmount {
        param volume: f64;
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        let concentration = x as f64 / volume;
        let amount = concentration * volume;
        clock birth: rate(lambda * amount) => { x += 1; }
        clock death: rate(mu * amount) => { x -= 1; }
    }
}

#[test]
fn case_08_amount_in_a_volume_of_1() {
    check(8, &BirthDeathAmount { volume: 1.0, lambda: 0.1, mu: 0.11 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_09_amount_in_a_volume_of_2() {
    check(9, &BirthDeathAmount { volume: 2.0, lambda: 0.1, mu: 0.11 }, &[("X", |s| s.x as f64)]);
}

simulation! {
    /// Rates by concentration.
    model BirthDeathConcentration {
        param volume: f64;
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        let concentration = x as f64 / volume;
        reaction birth: x -> 2 x @ rate(lambda * concentration);
        reaction death: x -> @ rate(mu * concentration);
    }
}

#[test]
fn case_10_concentration_in_a_volume_of_1() {
    check(10, &BirthDeathConcentration { volume: 1.0, lambda: 0.1, mu: 0.11 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_11_concentration_in_a_volume_of_2() {
    check(11, &BirthDeathConcentration { volume: 2.0, lambda: 0.1, mu: 0.11 }, &[("X", |s| s.x as f64)]);
}

simulation! {
    model BirthDeathHalved {
        param lambda: f64 = 0.2;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        reaction birth: x -> 2 x @ rate(lambda * x as f64 * 0.5);
        reaction death: x -> @ mu;
    }
}

#[test]
fn case_13_half_of_twice_the_rate() {
    check(13, &BirthDeathHalved::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    model BirthDeathDivided {
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        reaction birth: x -> 2 x @ rate(lambda * x as f64 / 2.0 / 0.5);
        reaction death: x -> @ mu;
    }
}

#[test]
fn case_14_divisions_from_left_to_right() {
    check(14, &BirthDeathDivided::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    model BirthDeathParenthesised {
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        clock birth: rate(lambda * (x as f64 / 2.0) / 0.5) => { x += 1; }
        clock death: rate(mu * x as f64) => { x -= 1; }
    }
}

#[test]
fn case_15_a_division_in_parentheses() {
    check(15, &BirthDeathParenthesised::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    /// Rates in proportion to the volume.
    model BirthDeathVolume {
        param volume: f64;
        param lambda: f64 = 0.1;
        param mu: f64 = 0.11;
        state x: u64 = 100;
        reaction birth: x -> 2 x @ volume * lambda;
        reaction death: x -> @ volume * mu;
    }
}

#[test]
fn case_17_rates_times_a_volume_of_1() {
    check(17, &BirthDeathVolume { volume: 1.0, lambda: 0.1, mu: 0.11 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_18_rates_times_a_volume_of_one_half() {
    check(18, &BirthDeathVolume { volume: 0.5, lambda: 0.1, mu: 0.11 }, &[("X", |s| s.x as f64)]);
}

simulation! {
    model ImmigrationDeath {
        param alpha: f64;
        param mu: f64 = 0.1;
        state x: u64 = 0;
        reaction immigration: -> x @ alpha;
        reaction death: x -> @ mu;
    }
}

#[test]
fn case_20_immigration_and_death() {
    check(20, &ImmigrationDeath { alpha: 1.0, mu: 0.1 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_21_faster_immigration() {
    check(21, &ImmigrationDeath { alpha: 10.0, mu: 0.1 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_22_immigration_at_a_rate_of_its_own() {
    check(22, &ImmigrationDeath { alpha: 5.0, mu: 0.1 }, &[("X", |s| s.x as f64)]);
}

#[test]
fn case_23_a_thousand_immigrants_per_unit_of_time() {
    check(23, &ImmigrationDeath { alpha: 1000.0, mu: 0.1 }, &[("X", |s| s.x as f64)]);
}

simulation! {
    /// The source is never used up.
    model ImmigrationDeathSink {
        param alpha: f64 = 10.0;
        param mu: f64 = 0.1;
        state source: u64 = 0;
        state x: u64 = 0;
        state sink: u64 = 0;
        clock immigration: rate(alpha) => { x += 1; }
        reaction death: x -> sink @ mu;
    }
}

#[test]
fn case_25_a_constant_source_and_a_sink() {
    check(
        25,
        &ImmigrationDeathSink::default(),
        &[("X", |s| s.x as f64), ("Source", |s| s.source as f64), ("Sink", |s| s.sink as f64)],
    );
}

simulation! {
    /// Neither the source nor the sink changes.
    model ImmigrationDeathBoundaries {
        param alpha: f64 = 10.0;
        param mu: f64 = 0.1;
        state source: u64 = 0;
        state x: u64 = 0;
        state sink: u64 = 0;
        clock immigration: rate(alpha) => { x += 1; }
        clock death: rate(mu * x as f64) => { x -= 1; }
    }
}

#[test]
fn case_26_a_constant_source_and_a_constant_sink() {
    check(
        26,
        &ImmigrationDeathBoundaries::default(),
        &[("X", |s| s.x as f64), ("Source", |s| s.source as f64), ("Sink", |s| s.sink as f64)],
    );
}

simulation! {
    model ImmigrationDeathLocal {
        state x: u64 = 0;
        clock immigration: rate({ const K: f64 = 1.0; K }) => { x += 1; }
        clock death: rate({ const K: f64 = 0.1; K * x as f64 }) => { x -= 1; }
    }
}

#[test]
fn case_27_two_local_constants_of_one_name() {
    check(27, &ImmigrationDeathLocal::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    model ImmigrationDeathReset {
        param alpha: f64 = 1.0;
        param mu: f64 = 0.1;
        state x: u64 = 0;
        reaction immigration: -> x @ alpha;
        reaction death: x -> @ mu;
        clock reset: at(22.5) => { x = 20; }
    }
}

#[test]
fn case_29_a_timed_reset() {
    check(29, &ImmigrationDeathReset::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    model Dimerisation {
        param k1: f64;
        param k2: f64;
        state p: u64;
        state p2: u64 = 0;
        reaction dimerisation: 2 p -> p2 @ k1;
        reaction dissociation: p2 -> 2 p @ k2;
    }
}

#[test]
fn case_30_dimerisation() {
    let model = Dimerisation { k1: 0.001, k2: 0.01, p: 100 };
    check(30, &model, &[("P", |s| s.p as f64), ("P2", |s| s.p2 as f64)]);
}

#[test]
fn case_31_dimerisation_of_many() {
    let model = Dimerisation { k1: 0.0002, k2: 0.004, p: 1000 };
    check(31, &model, &[("P", |s| s.p as f64), ("P2", |s| s.p2 as f64)]);
}

simulation! {
    model DimerisationReset {
        param k1: f64 = 0.001;
        param k2: f64 = 0.01;
        state p: u64 = 100;
        state p2: u64 = 0;
        clock dimerisation: rate(k1 * p as f64 * (p as f64 - 1.0) / 2.0) => { p -= 2; p2 += 1; }
        clock dissociation: rate(k2 * p2 as f64) => { p += 2; p2 -= 1; }
        clock reset: at(25.0) => { p = 100; p2 = 0; }
    }
}

#[test]
fn case_32_a_timed_reset_of_two_species() {
    check(32, &DimerisationReset::default(), &[("P", |s| s.p as f64), ("P2", |s| s.p2 as f64)]);
}

simulation! {
    /// In integers that may be negative.
    model DimersOnly {
        param k1: f64 = 0.001;
        param k2: f64 = 0.01;
        state p2: i64 = 0;
        reaction dimerisation: -> p2 @ rate(0.5 * k1 * ((100 - 2 * p2) * (99 - 2 * p2)) as f64);
        reaction dissociation: p2 -> @ k2;
    }
}

#[test]
fn case_34_monomers_by_conservation() {
    check(34, &DimersOnly::default(), &[("P2", |s| s.p2 as f64)]);
}

simulation! {
    /// In floating-point numbers, where the last monomers give 0 · (−1).
    model DimersOnlyFloating {
        param k1: f64 = 0.001;
        param k2: f64 = 0.01;
        state p2: u64 = 0;
        let p = 100.0 - 2.0 * p2 as f64;
        clock dimerisation: rate(k1 * p * (p - 1.0) / 2.0) => { p2 += 1; }
        clock dissociation: rate(k2 * p2 as f64) => { p2 -= 1; }
    }
}

#[test]
fn case_35_monomers_by_conservation_written_otherwise() {
    check(35, &DimersOnlyFloating::default(), &[("P2", |s| s.p2 as f64)]);
}

simulation! {
    model ImmigrationByFive {
        param alpha: f64 = 1.0;
        param mu: f64 = 0.2;
        state x: u64 = 0;
        reaction immigration: -> 5 x @ alpha;
        reaction death: x -> @ mu;
    }
}

#[test]
fn case_37_immigration_by_five() {
    check(37, &ImmigrationByFive::default(), &[("X", |s| s.x as f64)]);
}

simulation! {
    model BatchImmigration {
        param alpha: f64 = 1.0;
        param mu: f64 = 0.4;
        param batch: u64 = 10;
        state x: u64 = 0;
        clock immigration: rate(alpha) => { x += batch; }
        clock death: rate(mu * x as f64) => { x -= 1; }
    }
}

#[test]
fn case_38_immigration_by_ten() {
    check(38, &BatchImmigration::default(), &[("X", |s| s.x as f64)]);
}
