//! Piecewise deterministic samplers against the laws that they sample. Paths are integrated exactly; every limit comes
//! from the spread of batches, several times as long as what the sampler remembers, over several seeds.

use std::f64::consts::{PI, TAU};

use clockrace::rand::{RngExt as _, SeedableRng as _};
use clockrace::rand_distr::StandardNormal;
use clockrace::record::Path;
use clockrace::{Model, Rng, Simulation, simulation};
use clockrace_examples::samplers::{
    Boomerang, BouncyParticle, FactorisedBoomerang, Gaussian, GaussianZigZag, Logistic, Normal, Referenced as _,
    StickyBoomerang, StickyBouncyParticle, StickyFactorisedBoomerang, StickyField, StickyZigZag, SubsampledZigZag,
    Target, Wall, WallKind, WalledZigZag, ZigZag,
};
use clockrace_tests::assert_mean;

const SEEDS: [u64; 3] = [1, 2, 3];
/// Batches of each run.
const BATCHES: usize = 50;
/// Time before anything is measured.
const WARM_UP: f64 = 50.0;

/// The path of `x` after the warm-up, for a time `length`.
fn path<M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone>(mut sim: Simulation<M>, length: f64) -> Path<M> {
    let mut path = Path::of(["x"]).since(WARM_UP);
    sim.run_with(&mut path, WARM_UP + length).unwrap();
    path
}

type Function = Box<dyn Fn(&[f64]) -> f64>;

/// A function of some coordinates and its mean.
struct Expected {
    name: String,
    of: Vec<usize>,
    function: Function,
    exact: f64,
}

fn expect(name: impl Into<String>, of: &[usize], function: impl Fn(&[f64]) -> f64 + 'static, exact: f64) -> Expected {
    Expected { name: name.into(), of: of.to_vec(), function: Box::new(function), exact }
}

/// xᵢ, xᵢ² and whether xᵢ is not 0.
fn expect_of(i: usize, mean: f64, second: f64, inclusion: Option<f64>) -> Vec<Expected> {
    let mut expected = vec![
        expect(format!("E x{i}"), &[i], |x| x[0], mean),
        expect(format!("E x{i}²"), &[i], |x| x[0] * x[0], second),
    ];
    let included = |x: &[f64]| f64::from(u8::from(x[0] != 0.0));
    expected.extend(inclusion.map(|exact| expect(format!("P(x{i} ≠ 0)"), &[i], included, exact)));
    expected
}

/// Functions of the coordinates have the means that they should.
fn assert_means<M: Model<State: Clone, Clocks: Clone, Tallies: Clone> + Clone>(
    what: &str,
    start: impl Fn(u64) -> Simulation<M>,
    length: f64,
    expected: &[Expected],
) {
    let paths = SEEDS.map(|seed| path(start(seed), length));
    for Expected { name, of, function, exact } in expected {
        let batches = paths.iter().flat_map(|path| {
            let functional = path.functional(of.iter().map(|i| format!("x[{i}]")), function).unwrap();
            functional.batch_means(BATCHES).unwrap().values().to_vec()
        });
        assert_mean(format!("{what}: {name}"), &batches.collect::<Vec<f64>>(), *exact);
    }
}

/// Means and covariances of a normal law.
fn moments(law: &Normal) -> Vec<Expected> {
    central(law.mean(), &law.covariance())
}

/// Means and covariances.
fn central(means: &[f64], covariances: &[Vec<f64>]) -> Vec<Expected> {
    let mut expected = Vec::new();
    for (i, row) in covariances.iter().enumerate() {
        let mean = means[i];
        expected.push(expect(format!("E x{i}"), &[i], |x| x[0], mean));
        for (j, &covariance) in row.iter().enumerate().take(i + 1) {
            let other = means[j];
            let product = move |x: &[f64]| (x[0] - mean) * (x[1] - other);
            expected.push(expect(format!("Cov(x{i}, x{j})"), &[i, j], product, covariance));
        }
    }
    expected
}

/// The precision SSᵀ in eight dimensions, with S = 1.3 I plus half a sparse matrix of normal numbers.
fn eight() -> Gaussian {
    let mut rng = Rng::seed_from_u64(5);
    let mut s = vec![vec![0.0; 8]; 8];
    for (i, row) in s.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            let normal: f64 = rng.sample(StandardNormal);
            let there = rng.random_bool(0.1);
            *entry = if there { 0.5 * normal } else { 0.0 } + if i == j { 1.3 } else { 0.0 };
        }
    }
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let precision: Vec<Vec<f64>> = s.iter().map(|a| s.iter().map(|b| product(a, b)).collect()).collect();
    Gaussian::dense((0..8).map(|i| 0.25 * f64::from(i) - 0.7).collect(), &precision)
}

/// The same law, by what is not zero.
fn sparse(law: &Gaussian) -> Gaussian {
    let rows = law.rows().iter().map(|row| row.iter().copied().filter(|&(_, value)| value != 0.0).collect());
    Gaussian::new(law.mean().to_vec(), rows.collect())
}

/// Velocities of different speeds and directions.
fn velocities(d: usize) -> Vec<f64> {
    [1.0, -1.0, 0.8, -1.3, 1.0, 0.9, -1.1, 1.2].into_iter().cycle().take(d).collect()
}

fn zigzag<T: Target>(target: &T) -> ZigZag<T> {
    let d = target.dimension();
    ZigZag { target: target.clone(), x: vec![0.0; d], v: velocities(d) }
}

fn gaussian_zigzag(law: &Gaussian) -> GaussianZigZag {
    let (mean, precision) = (law.mean().to_vec(), law.rows().to_vec());
    GaussianZigZag { mean, precision, x: vec![0.0; 8], v: velocities(8) }
}

fn factorised(law: &Gaussian) -> FactorisedBoomerang<Gaussian> {
    FactorisedBoomerang { target: law.clone(), refreshment: 2.4, rho: 0.3, x: vec![0.0; law.dimension()] }
}

/// The Boomerang whose reference has the diagonal of the precision.
fn boomerang(law: &Gaussian) -> Boomerang<Gaussian> {
    let rest = law.rows().iter().enumerate().flat_map(|(i, row)| row.iter().filter(move |entry| entry.0 != i));
    // The Frobenius norm, which is above the spectral one.
    let difference = rest.map(|entry| entry.1 * entry.1).sum::<f64>().sqrt();
    let (target, x) = (law.clone(), vec![0.0; law.dimension()]);
    Boomerang { target, reference: law.reference(), difference, refreshment: 0.3, rho: 0.2, x }
}

fn bouncy(law: &Gaussian, velocities: Normal) -> BouncyParticle<Gaussian> {
    BouncyParticle { target: law.clone(), velocities, refreshment: 1.0, rho: 0.0, x: vec![0.0; law.dimension()] }
}

#[test]
fn zig_zag_processes_have_the_moments_of_their_law() {
    let law = eight();
    let normal = law.normal();
    let sparse = sparse(&law);
    assert!(sparse.rows().iter().map(Vec::len).sum::<usize>() < 40);
    assert_means("dense", |seed| zigzag(&law).start(seed).unwrap(), 5_000.0, &moments(&normal));
    assert_means("sparse", |seed| zigzag(&sparse).start(seed).unwrap(), 5_000.0, &moments(&normal));
    assert_means("dense, exact", |seed| gaussian_zigzag(&law).start(seed).unwrap(), 5_000.0, &moments(&normal));
    assert_means("sparse, exact", |seed| gaussian_zigzag(&sparse).start(seed).unwrap(), 5_000.0, &moments(&normal));
}

#[test]
fn factorised_boomerangs_have_the_moments_of_their_law() {
    let law = eight();
    let normal = law.normal();
    assert_means("dense", |seed| factorised(&law).start(seed).unwrap(), 3_000.0, &moments(&normal));
    assert_means("sparse", |seed| factorised(&sparse(&law)).start(seed).unwrap(), 3_000.0, &moments(&normal));
}

#[test]
fn boomerangs_have_the_moments_of_their_law() {
    let law = eight();
    let normal = law.normal();
    assert_means("independent reference", |seed| boomerang(&law).start(seed).unwrap(), 5_000.0, &moments(&normal));
    // The law itself as reference: no bounce at all, all that changes the circle is refreshment.
    let same = Boomerang { reference: normal.clone(), difference: 1e-9, ..boomerang(&law) };
    assert_means("own reference", |seed| same.clone().start(seed).unwrap(), 3_000.0, &moments(&normal));
    let mut sim = same.start(1).unwrap();
    sim.run_until(1000.0).unwrap();
    assert_eq!(sim.tallies().bounces, 0);
    // A reference with correlations that are not those of the law.
    let precision: Vec<Vec<f64>> = (0..8).map(|i| (0..8).map(|j| if i == j { 2.0 } else { 0.3 }).collect()).collect();
    let difference: f64 = law
        .rows()
        .iter()
        .zip(&precision)
        .flat_map(|(row, other)| row.iter().zip(other))
        .map(|(a, b)| (a.1 - b).powi(2))
        .sum();
    let other = Boomerang {
        reference: Normal::new(law.mean().to_vec(), &precision),
        difference: difference.sqrt(),
        ..boomerang(&law)
    };
    assert_means("other reference", |seed| other.clone().start(seed).unwrap(), 3_000.0, &moments(&normal));
}

#[test]
fn bouncy_particles_have_the_moments_of_their_law() {
    let law = eight();
    let normal = law.normal();
    let standard = Normal::standard(8);
    assert_means("unit masses", |seed| bouncy(&law, standard.clone()).start(seed).unwrap(), 3_000.0, &moments(&normal));
    assert_means("own masses", |seed| bouncy(&law, normal.clone()).start(seed).unwrap(), 3_000.0, &moments(&normal));
    let partial = BouncyParticle { rho: 0.7, refreshment: 2.0, ..bouncy(&law, standard) };
    assert_means("partial refreshment", |seed| partial.clone().start(seed).unwrap(), 3_000.0, &moments(&normal));
}

#[test]
fn the_tolerances_of_another_implementation_are_met() {
    // Mean absolute errors of means and covariances, for the lengths of runs that it has.
    let errors = |path: &Path<_>, normal: &Normal| -> (f64, f64) {
        let difference = |found: &[f64], exact: &[f64]| {
            found.iter().zip(exact).map(|(a, b)| (a - b).abs()).sum::<f64>() / exact.len() as f64
        };
        let mean = difference(&path.means_of("x").unwrap(), normal.mean());
        (mean, difference(&path.covariances().unwrap().concat(), &normal.covariance().concat()))
    };
    let law = eight();
    let normal = law.normal();
    for seed in SEEDS {
        for target in [&law, &sparse(&law)] {
            let (mean, covariance) = errors(&path(zigzag(target).start(seed).unwrap(), 1000.0), &normal);
            assert!(mean < 2.0 / 1000_f64.sqrt() && covariance < 2.5 / 1000_f64.sqrt(), "{mean} {covariance}");
        }
    }
}

#[test]
fn a_sticky_coordinate_is_included_as_the_formula_says() {
    // Mean 0.9, variance 0.5, κ = 1.5.
    let target = Gaussian::new(vec![0.9], vec![vec![(0, 2.0)]]);
    let slab = (TAU * 0.5).sqrt();
    let w = slab / (slab + (-0.81_f64).exp() / 1.5);
    let expected = expect_of(0, 0.9 * w, 1.31 * w, Some(w));
    for speed in [1.0, 0.8, -2.5] {
        let model = StickyZigZag { target: target.clone(), kappa: vec![1.5], x: vec![0.4], v: vec![speed] };
        assert_means(&format!("speed {speed}"), |seed| model.clone().start(seed).unwrap(), 10_000.0, &expected);
        for seed in SEEDS {
            let path = path(model.clone().start(seed).unwrap(), 2000.0);
            let inclusion = 1.0 - path.occupation("x[0]", 0.0).unwrap();
            assert!((inclusion - w).abs() < 2.5 / 2000_f64.sqrt(), "{inclusion} instead of {w}");
            assert!((path.mean("x[0]").unwrap() - 0.9 * w).abs() < 5.0 / 2000_f64.sqrt());
            assert!((path.second_moment("x[0]").unwrap() - 1.31 * w).abs() < 5.0 / 2000_f64.sqrt());
        }
    }
}

/// Four dependent coordinates, some of which are rather 0 than not, and κ.
fn four() -> (Gaussian, Vec<f64>) {
    let precision = [[2.0, 0.6, 0.0, -0.4], [0.6, 1.5, 0.5, 0.0], [0.0, 0.5, 1.0, 0.3], [-0.4, 0.0, 0.3, 2.5]];
    let law = Gaussian::dense(vec![0.8, -0.5, 0.2, 1.0], &precision.map(|row| row.to_vec()));
    (sparse(&law), vec![1.0, 0.5, 2.0, 0.8])
}

/// Probabilities of inclusion and moments of a law with atoms at 0.
fn spiked(law: &Gaussian, kappa: &[f64]) -> Vec<Expected> {
    let exact = law.spiked(kappa);
    (0..kappa.len()).flat_map(|i| expect_of(i, exact.mean[i], exact.second[i], Some(exact.inclusion[i]))).collect()
}

#[test]
fn sticky_zig_zag_processes_have_the_law_with_atoms() {
    let (target, kappa) = four();
    let model = StickyZigZag { target: target.clone(), kappa: kappa.clone(), x: vec![0.1; 4], v: velocities(4) };
    assert_means("own thaw clocks", |seed| model.clone().start(seed).unwrap(), 5_000.0, &spiked(&target, &kappa));
    let linear = target.rows().iter().map(|row| row.iter().map(|&(j, g)| g * target.mean()[j]).sum()).collect();
    let shared = StickyField { linear, precision: target.rows().to_vec(), kappa: 0.7, x: vec![0.1; 4] };
    assert_means("one thaw clock", |seed| shared.clone().start(seed).unwrap(), 5_000.0, &spiked(&target, &[0.7; 4]));
}

#[test]
fn sticky_bouncy_particles_have_the_law_with_atoms() {
    let (target, kappa) = four();
    let model =
        StickyBouncyParticle { target: target.clone(), kappa: kappa.clone(), refreshment: 1.0, x: vec![0.1; 4] };
    assert_means("sticky BPS", |seed| model.clone().start(seed).unwrap(), 5_000.0, &spiked(&target, &kappa));
}

#[test]
fn sticky_boomerangs_have_the_law_with_atoms() {
    let (target, kappa) = four();
    let expected = spiked(&target, &kappa);
    let model =
        StickyFactorisedBoomerang { target: target.clone(), kappa: kappa.clone(), refreshment: 2.0, x: vec![0.1; 4] };
    assert_means("factorised", |seed| model.clone().start(seed).unwrap(), 5_000.0, &expected);
    let model = StickyBoomerang { target, kappa, refreshment: 1.0, x: vec![0.1; 4] };
    assert_means("joint", |seed| model.clone().start(seed).unwrap(), 5_000.0, &expected);
}

/// ∫ f over an interval, after Simpson with 2000 pieces.
fn integral(from: f64, to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let h = (to - from) / 4000.0;
    let weight = |k: u32| if k == 0 || k == 4000 { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
    (0..=4000).map(|k| weight(k) * f(from + f64::from(k) * h)).sum::<f64>() * h / 3.0
}

#[test]
fn walls_reflect_hold_and_let_through() {
    let target = Gaussian::new(vec![0.3], vec![vec![(0, 1.0)]]);
    let density = |x: f64| (-0.5 * (x - 0.3) * (x - 0.3)).exp();
    let [reflecting, sticky, jump] =
        [WallKind::Reflecting, WallKind::Sticky { kappa: 1.2 }, WallKind::Jump { ratio: 0.4 }];
    for (name, low, middle) in [
        ("reflecting", reflecting, None),
        ("sticky", sticky, None),
        ("jump", reflecting, Some(jump)),
        ("all", sticky, Some(jump)),
    ] {
        let wall = |at, kind| Wall { at, kind };
        let mut walls = vec![wall(2.0, reflecting), wall(-1.0, low)];
        walls.extend(middle.map(|kind| wall(0.5, kind)));
        let above = if middle.is_some() { 0.4 } else { 1.0 };
        let atom = if low == sticky { density(-1.0) / (2.0 * 1.2) } else { 0.0 };
        let mean_of = |f: &dyn Fn(f64) -> f64| {
            let part = |f: &dyn Fn(f64) -> f64| {
                integral(-1.0, 0.5, |x| f(x) * density(x)) + above * integral(0.5, 2.0, |x| f(x) * density(x))
            };
            (part(f) + atom * f(-1.0)) / (part(&|_| 1.0) + atom)
        };
        let mut expected = expect_of(0, mean_of(&|x| x), mean_of(&|x| x * x), None);
        if atom > 0.0 {
            let at_wall = mean_of(&|x| f64::from(u8::from(x == -1.0)));
            expected.push(expect("P(x = −1)", &[0], |x| f64::from(u8::from(x[0] == -1.0)), at_wall));
        }
        for speed in [1.0, -0.7] {
            let walls = vec![walls.clone()];
            let model = WalledZigZag { target: target.clone(), walls, x: vec![0.0], v: vec![speed] };
            assert_means(name, |seed| model.clone().start(seed).unwrap(), 20_000.0, &expected);
            let path = path(model.start(1).unwrap(), 1000.0);
            let pieces = path.skeleton("x[0]").unwrap();
            assert!(pieces.iter().all(|piece| (-1.0 - 1e-12..=2.0 + 1e-12).contains(&piece.value)));
        }
    }
}

#[test]
fn a_wall_of_one_coordinate_acts_on_the_others() {
    // (x, y) with correlation −1/2 and y > 0: E y = √(2/π)·σ, E x = ρ E y, for σ = 1.
    let (a, b) = (4.0 / 3.0, 2.0 / 3.0);
    let target = Gaussian::dense(vec![0.0; 2], &[vec![a, b], vec![b, a]]);
    let walls = vec![vec![], vec![Wall { at: 0.0, kind: WallKind::Reflecting }]];
    let model = WalledZigZag { target, walls, x: vec![0.0, 1.0], v: vec![1.0, -1.5] };
    let mean = (2.0 / PI).sqrt();
    let mut expected = expect_of(0, -0.5 * mean, 1.0, None);
    expected.extend(expect_of(1, mean, 1.0, None));
    expected.push(expect("E xy", &[0, 1], |x| x[0] * x[1], -0.5));
    assert_means("half plane", |seed| model.clone().start(seed).unwrap(), 20_000.0, &expected);
}

/// Twenty-five observations of a logistic regression with an intercept.
fn logistic() -> Logistic {
    let mut rng = Rng::seed_from_u64(8);
    let rows: Vec<Vec<f64>> = (0..25).map(|_| vec![1.0, rng.sample(StandardNormal)]).collect();
    let outcomes = rows.iter().map(|z| rng.random_bool(1.0 / (1.0 + (0.5 - 1.2 * z[1]).exp()))).collect();
    Logistic::new(rows, outcomes, 2.0)
}

/// Means and covariances of its posterior, by integration over ten standard deviations about the mode.
fn posterior(target: &Logistic) -> Vec<Expected> {
    let mode = target.mode().to_vec();
    let at_mode = target.potential(&mode);
    let width: Vec<f64> = (0..2).map(|i| 12.0 / target.precision(i).sqrt()).collect();
    let steps = 400;
    let mut sums = [0.0; 6];
    // The trapezoidal rule converges faster than any power for a density that vanishes at the ends.
    for k in 0..=steps {
        for l in 0..=steps {
            let place = |i: usize, k: u32| mode[i] + width[i] * (2.0 * f64::from(k) / f64::from(steps) - 1.0);
            let x = [place(0, k), place(1, l)];
            let density = (at_mode - target.potential(&x)).exp();
            for (sum, value) in sums.iter_mut().zip([1.0, x[0], x[1], x[0] * x[0], x[0] * x[1], x[1] * x[1]]) {
                *sum += density * value;
            }
        }
    }
    let mean = |k: usize| sums[k] / sums[0];
    let (one, other) = (mean(1), mean(2));
    let covariance = mean(4) - one * other;
    central(&[one, other], &[vec![mean(3) - one * one, covariance], vec![covariance, mean(5) - other * other]])
}

#[test]
fn a_logistic_regression_has_its_posterior() {
    let target = logistic();
    let expected = posterior(&target);
    let (x, v) = (target.mode().to_vec(), vec![0.5, -0.6]);
    let model = ZigZag { target: target.clone(), x: x.clone(), v: v.clone() };
    assert_means("all observations", |seed| model.clone().start(seed).unwrap(), 20_000.0, &expected);
    let model = SubsampledZigZag { target: target.clone(), x: x.clone(), v };
    assert_means("one at a time", |seed| model.clone().start(seed).unwrap(), 20_000.0, &expected);
    let model = FactorisedBoomerang { target: target.clone(), refreshment: 0.6, rho: 0.0, x: x.clone() };
    assert_means("factorised Boomerang", |seed| model.clone().start(seed).unwrap(), 3_000.0, &expected);
    let velocities = target.reference();
    let model = BouncyParticle { target, velocities, refreshment: 0.5, rho: 0.0, x };
    assert_means("Bouncy Particle", |seed| model.clone().start(seed).unwrap(), 5_000.0, &expected);
}

// Faults of the package that these samplers come from, each as a test that is named after it.

simulation! {
    /// Rings with the hazard (a + b s)⁺, counted from the last one.
    model Arrivals {
        param a: f64 = 1.0;
        param b: f64 = 0.0;
        state last: f64 = 0.0;
        tally waits: Vec<f64> = Vec::new();
        clock ring: hazard(affine(a, b)) => {
            waits.push(now - last);
            last = now;
        }
    }
}

fn waits(a: f64, b: f64, until: f64) -> Vec<f64> {
    let mut sim = Arrivals { a, b }.start(11).unwrap();
    sim.run_until(until).unwrap();
    sim.tallies().waits.clone()
}

#[test]
fn times_of_a_hazard_that_hardly_grows_are_not_cancelled() {
    let constant = waits(1.0, 0.0, 1000.0);
    assert!(constant.len() > 800);
    for b in [1e-10, 1e-14, 1e-18, 1e-300, -1e-14, -1e-18] {
        let growing = waits(1.0, b, 1000.0);
        assert_eq!(growing.len(), constant.len(), "b = {b}");
        for (growing, constant) in growing.iter().zip(&constant) {
            assert!((growing - constant).abs() < 1e-8, "{growing} and not {constant} for b = {b}");
        }
    }
}

#[test]
fn no_draw_makes_a_time_zero_or_infinite() {
    for (a, b) in [(1.0, 0.0), (1.0, 1e-12), (0.0, 1.0), (-1.0, 2.0), (3.0, -1e-9)] {
        let waits = waits(a, b, 200_000.0);
        assert!(waits.len() > 100_000);
        assert!(waits.iter().all(|&wait| wait > 0.0 && wait < 60.0), "a = {a}, b = {b}");
    }
}

simulation! {
    /// The Zig-Zag process of a standard normal law, by thinning under a bound that is too high.
    model Thinned {
        param reserve: f64 = 0.0;
        state x: f64 = 0.0;
        state v: f64 = 1.0;
        tally turns: u64 = 0;
        flow x = x + v * dt;
        clock turn: hazard(|_| (v * x).max(0.0), bound = affine(v * x, 1.0, reserve)) => {
            v = -v;
            turns += 1;
        }
    }
}

#[test]
fn a_proposal_is_accepted_by_the_bound_that_proposed_it() {
    // In its law, a particle turns with the rate E(v x)⁺ = 1/√(2π), however high the bound is.
    for reserve in [0.0, 0.01, 1.0, 20.0] {
        let mut rates = Vec::new();
        for seed in SEEDS {
            let mut sim = Thinned { reserve }.start(seed).unwrap();
            sim.run_until(WARM_UP).unwrap();
            for batch in 1..=BATCHES {
                sim.reset_tallies().unwrap();
                sim.run_until(WARM_UP + 1000.0 * batch as f64).unwrap();
                rates.push(sim.tallies().turns as f64 / 1000.0);
            }
        }
        assert_mean(format!("turns, reserve {reserve}"), &rates, 1.0 / TAU.sqrt());
    }
}

#[test]
fn a_bound_that_is_exactly_met_is_not_exceeded() {
    let law = eight();
    for seed in 0..20 {
        let mut sim = zigzag(&law).start(seed).unwrap();
        sim.run_until(1000.0).unwrap();
        assert!(sim.tallies().turns > 1000);
        // Far from the origin of time, where times are rounded.
        let mut sim = zigzag(&law).start_at(seed, 1e9).unwrap();
        sim.run_until(1e9 + 100.0).unwrap();
        let mut sim = bouncy(&law, Normal::standard(8)).start(seed).unwrap();
        sim.run_until(1000.0).unwrap();
        assert!(sim.tallies().bounces > 1000);
    }
}

#[test]
fn thinning_under_an_exact_bound_turns_as_often_as_inversion() {
    // Each coordinate turns with the rate |vᵢ| E|∂φ/∂xᵢ|/2 = |vᵢ| √(Γᵢᵢ/2π).
    let law = eight();
    let v = velocities(8);
    let exact: f64 = v.iter().enumerate().map(|(i, v)| v.abs() * (law.precision(i) / TAU).sqrt()).sum();
    let mut rates = [Vec::new(), Vec::new()];
    for seed in SEEDS {
        let (mut thinned, mut inverted) =
            (zigzag(&law).start(seed).unwrap(), gaussian_zigzag(&law).start(seed).unwrap());
        thinned.run_until(WARM_UP).unwrap();
        inverted.run_until(WARM_UP).unwrap();
        for batch in 1..=BATCHES {
            thinned.reset_tallies().unwrap();
            inverted.reset_tallies().unwrap();
            let until = WARM_UP + 200.0 * batch as f64;
            thinned.run_until(until).unwrap();
            inverted.run_until(until).unwrap();
            rates[0].push(thinned.tallies().turns as f64 / 200.0);
            rates[1].push(inverted.tallies().turns as f64 / 200.0);
        }
    }
    assert_mean("turns by thinning", &rates[0], exact);
    assert_mean("turns by inversion", &rates[1], exact);
}

#[test]
fn the_speed_is_part_of_the_rate_of_thawing() {
    // Without it, at speed 0.8, the inclusion would be 0.882 instead of 0.857.
    let target = Gaussian::new(vec![0.9], vec![vec![(0, 2.0)]]);
    let model = StickyZigZag { target, kappa: vec![1.5], x: vec![0.4], v: vec![0.8] };
    let inclusion = |seed| 1.0 - path(model.clone().start(seed).unwrap(), 20_000.0).occupation("x[0]", 0.0).unwrap();
    for seed in SEEDS {
        assert!((inclusion(seed) - 0.857).abs() < 0.01, "{}", inclusion(seed));
    }
}

#[test]
fn a_turn_concerns_the_neighbours_only() {
    assert_eq!(ZigZag::<Gaussian>::graph().clock("turn").unwrap().members, ["turn[i] turn[near⁻¹(i)]"]);
    assert_eq!(GaussianZigZag::graph().clock("turn").unwrap().members, ["turn[i] turn[row⁻¹(i)]"]);
}
