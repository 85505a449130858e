//! Faults of other simulators of jump processes, each as a test that is named after it.

use std::sync::Arc;

use clockrace::record::Grid;
use clockrace::{Ensemble, ErrorKind, Model, Outcome, SimError, Simulation, simulation};
use clockrace_tests::{Chain, assert_mean, replicates};

simulation! {
    /// Genetic oscillator of Vilar, Kueh, Barkai and Leibler (2002).
    model Vilar {
        state da: u64 = 1;
        state dr: u64 = 1;
        state dap: u64 = 0;
        state drp: u64 = 0;
        state ma: u64 = 0;
        state mr: u64 = 0;
        state a: u64 = 0;
        state r: u64 = 0;
        state c: u64 = 0;
        reaction transcribe_a: da -> da + ma @ 50.0;
        reaction transcribe_ap: dap -> dap + ma @ 500.0;
        reaction transcribe_r: dr -> dr + mr @ 0.01;
        reaction transcribe_rp: drp -> drp + mr @ 50.0;
        reaction translate_a: ma -> ma + a @ 50.0;
        reaction translate_r: mr -> mr + r @ 5.0;
        reaction bind: a + r -> c @ 2.0;
        reaction activate_a: da + a -> dap @ 1.0;
        reaction release_a: dap -> a + da @ 50.0;
        reaction activate_r: a + dr -> drp @ 1.0;
        reaction release_r: drp -> a + dr @ 100.0;
        reaction lose_ma: ma -> @ 10.0;
        reaction lose_mr: mr -> @ 0.5;
        reaction lose_a: a -> @ 1.0;
        reaction lose_r: r -> @ 0.2;
        reaction lose_ca: c -> r @ 1.0;
    }
}

#[test]
fn a_dependency_list_misses_no_edge() {
    let graph = Vilar::graph();
    for clock in graph.clocks {
        // A reaction changes another one's rate if it changes the number of one of its reactants.
        let needed = graph.clocks.iter().filter(|other| other.reads.iter().any(|place| clock.writes.contains(place)));
        for other in needed {
            assert!(graph.refreshes(clock).any(|name| name == other.name), "{} refreshes {}", clock.name, other.name);
        }
    }
    let refreshed = |name| graph.refreshes(graph.clock(name).unwrap()).collect::<Vec<_>>();
    assert_eq!(refreshed("bind"), ["bind", "activate_a", "activate_r", "lose_a", "lose_r", "lose_ca"]);
    assert_eq!(refreshed("lose_ca"), ["bind", "lose_r", "lose_ca"]);
}

/// A network that lost two edges was 2.8 % off.
#[test]
fn an_oscillator_has_as_many_events_as_it_should() {
    let events: Vec<f64> = replicates(&Vilar::default(), 1, 120)
        .map(|mut sim| {
            let mut events = 0.0;
            sim.run_each(200.0, |_, _| events += 1.0).unwrap();
            events
        })
        .collect();
    let own = clockrace_tests::Moments::of(&events);
    // Long runs of other simulators: 556,623 ± 283.
    let error = own.error().hypot(283.0);
    assert!((own.mean - 556_623.0).abs() < clockrace_tests::LIMIT * error, "{} ± {error}", own.mean);
}

simulation! {
    model Catalysed {
        state x: u64 = 100;
        state catalyst: u64 = 1;
        reaction decay: x -> @ rate(0.1 * catalyst as f64 * x as f64);
        clock add: at(1.0) => { catalyst = 10; }
        clock remove: at(2.0) => { catalyst = 0; }
    }
}

#[test]
fn a_custom_propensity_that_reads_a_non_reactant_is_refreshed() {
    let (mut early, mut late) = (Vec::new(), Vec::new());
    for mut sim in replicates(&Catalysed::default(), 2, 2000) {
        sim.run_until(1.0).unwrap();
        early.push(sim.state().x as f64);
        sim.run_until(10.0).unwrap();
        late.push(sim.state().x as f64);
    }
    assert_mean("before", &early, 100.0 * (-0.1_f64).exp());
    assert_mean("after", &late, 100.0 * (-1.1_f64).exp());
}

simulation! {
    model Doubling {
        param k: f64;
        state x: u64 = 1;
        reaction double: x -> 2 x @ rate(k / x as f64);
    }
}

#[test]
fn a_species_in_a_rate_is_not_frozen_at_its_value_on_entry() {
    let (k, t) = (0.6, 100.0);
    let last: Vec<f64> = replicates(&Doubling { k }, 3, 5000)
        .map(|mut sim| {
            sim.run_until(t).unwrap();
            sim.state().x as f64
        })
        .collect();
    let chain = Chain::new(60, (1..59).map(|x| (x, x + 1, k / x as f64)));
    let law = chain.after(t, &chain.at(1));
    let exact: f64 = law.iter().enumerate().map(|(x, p)| x as f64 * p).sum();
    assert!((exact - 11.0).abs() < 0.5);
    assert_mean("X", &last, exact);
}

simulation! {
    model Decay {
        param k: f64 = 1.0;
        state x: u64 = 50;
        reaction decay: x -> @ k;
    }
}

#[test]
fn a_callback_that_changes_the_state_leaves_no_stale_rate() {
    let mut sim = Decay::default().start(4).unwrap();
    sim.update(|state| state.x = 0).unwrap();
    assert_eq!(sim.next_time(), f64::INFINITY);
    assert_eq!(sim.run_until(1.0).unwrap(), Outcome::Exhausted);
    sim.update(|state| state.x = 1000).unwrap();
    assert!(sim.next_time() < 1.1);

    let last: Vec<f64> = replicates(&Decay::default(), 4, 2000)
        .map(|mut sim| {
            sim.run_until(0.5).unwrap();
            sim.update(|state| state.x += 50).unwrap();
            sim.run_until(1.0).unwrap();
            sim.state().x as f64
        })
        .collect();
    assert_mean("X", &last, 50.0 * (-1.0_f64).exp() + 50.0 * (-0.5_f64).exp());
}

simulation! {
    model Pairs {
        state x: u64 = 5;
        reaction pair: 2 x -> @ 1.0;
    }
}

simulation! {
    #[select(next_reaction)]
    model FloatingPairs {
        state x: f64 = 5.0;
        clock pair: rate(0.5 * x * (x - 1.0)) => { x -= 2.0; }
        clock last if x == 1.0: at(100.0) => { x = 0.0; }
        clock tick: every(50.0) => {}
    }
}

#[test]
fn x_times_x_minus_one_does_not_stall_at_one_or_zero() {
    let mut sim = Pairs::default().start(5).unwrap();
    assert_eq!(sim.run_until(1e6).unwrap(), Outcome::Exhausted);
    assert_eq!((sim.state().x, sim.now()), (1, 1e6));
    sim.update(|state| state.x = 0).unwrap();
    assert_eq!(sim.run_until(2e6).unwrap(), Outcome::Exhausted);

    // 0 · (0 − 1) is −0.
    let mut sim = FloatingPairs::default().start(5).unwrap();
    assert_eq!(sim.run_until(175.0).unwrap(), Outcome::Reached);
    assert_eq!((sim.state().x, sim.next_time()), (0.0, 200.0));
}

simulation! {
    #[select(direct)]
    model Stiff {
        state fast: bool = true;
        state n: u64 = 0;
        clock flood if fast: rate(1e16) => { fast = false; }
        clock trickle: rate(1.0) => { n += 1; }
        clock other: rate(1e-3) => {}
        clock refill: every(1.0) => { fast = true; }
    }
}

#[test]
fn a_total_of_rates_does_not_keep_the_rounding_of_a_large_one() {
    let count: Vec<f64> = replicates(&Stiff::default(), 6, 2000)
        .map(|mut sim| {
            let mut before = 0.0;
            sim.run_each(50.5, |view, _| {
                assert!(view.now() >= before, "time runs forward");
                before = view.now();
            })
            .unwrap();
            sim.state().n as f64
        })
        .collect();
    assert_mean("events of the slow clock", &count, 50.5);
}

simulation! {
    model Amount {
        state x: f64 = 0.3;
        clock draw: every(1.0) => { x -= 0.1; }
        clock decay: rate(1e-9 * x) => { x = 0.0; }
    }
}

#[test]
fn an_amount_that_rounding_made_negative_does_not_freeze_the_run() {
    let mut sim = Amount::default().start(7).unwrap();
    let error = sim.run_until(1000.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Rate { value } if *value < 0.0), "{error}");
    assert_eq!((error.clock(), error.event()), (Some("decay"), Some("draw")));
    assert_eq!((error.time(), sim.now(), sim.state().x), (3.0, 2.0, 0.3 - 0.1 - 0.1));
}

#[test]
fn all_rates_zero_does_not_crash() {
    let mut sim = Decay { k: 0.0 }.start(8).unwrap();
    assert_eq!(sim.step().unwrap(), None);
    assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Exhausted);
    assert_eq!((sim.now(), sim.next_time()), (10.0, f64::INFINITY));
}

#[test]
fn the_end_time_is_kept_once_everything_is_extinct() {
    let mut sim = Decay::default().start(9).unwrap();
    assert_eq!(sim.run_until(1e5).unwrap(), Outcome::Exhausted);
    assert_eq!((sim.state().x, sim.now()), (0, 1e5));
    assert_eq!(sim.run_until(2e5).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.now(), 2e5);
}

simulation! {
    model ConstantDecay {
        state x: u64 = 5;
        state y: i64 = 5;
        reaction decay_x: x -> @ rate(1.0);
        reaction decay_y: 2 y -> @ rate(1.0);
        state z: u8 = 3;
        reaction decay_z: z -> @ after(1.5);
    }
}

simulation! {
    model ConstantDecayByHand {
        state x: u32 = 5;
        clock decay: rate(1.0) => { x -= 1; }
    }
}

#[test]
fn decay_at_a_constant_rate_does_not_go_below_zero() {
    let mut sim = ConstantDecay::default().start(10).unwrap();
    assert_eq!(sim.run_until(1e3).unwrap(), Outcome::Exhausted);
    assert_eq!((sim.state().x, sim.state().y, sim.state().z), (0, 1, 0));

    let mut sim = ConstantDecayByHand::default().start(10).unwrap();
    let error = sim.run_until(1e3).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Overflow { operator: '-', type_name: "u32", .. }), "{error}");
    assert_eq!((error.clock(), sim.state().x), (Some("decay"), 0));
}

simulation! {
    /// A clock steps the rate of creation up, as a stand-in for a rate t.
    model Ramp {
        state level: u64 = 0;
        state x: u64 = 0;
        clock creation: rate(0.01 * level as f64) => { x += 1; }
        clock rise: every(0.01, from = 0.005) => { level += 1; }
    }
}

#[test]
fn creation_at_a_rate_that_grows_in_time_is_neither_nothing_nor_late() {
    let last: Vec<f64> = replicates(&Ramp::default(), 11, 2000)
        .map(|mut sim| {
            assert_eq!(sim.run_until(10.0).unwrap(), Outcome::Reached);
            sim.state().x as f64
        })
        .collect();
    assert_mean("X", &last, 50.0);
}

#[test]
fn output_times_do_not_change_the_path() {
    let run = |outputs: &[f64]| {
        let mut sim = Catalysed::default().start(12).unwrap();
        let mut path = Vec::new();
        for &t in outputs {
            sim.run_each(t, |view, event| path.push((view.now().to_bits(), event))).unwrap();
        }
        path
    };
    let path = run(&[10.0]);
    assert!(path.len() > 20);
    assert_eq!(run(&[1.0, 1.5, 2.0, 10.0]), path);
    assert_eq!(run(&(0..=1000).map(|k| f64::from(k) * 0.01).collect::<Vec<_>>()), path);
}

simulation! {
    model Counter {
        state n: u64 = 0;
        clock tick: every(1.0) => { n += 1; }
        observe count = n as f64;
    }
}

#[test]
fn the_last_output_time_is_kept_and_shows_the_state_at_that_time() {
    let times = [0.0, 0.5, 1.0, 2.75, 3.0_f64.next_down(), 3.0];
    let mut grid = Grid::at(times).unwrap();
    Counter::default().start(13).unwrap().run_with(&mut grid, 3.0).unwrap();
    assert_eq!(grid.times(), times);
    assert_eq!(grid.values("count").unwrap(), [0.0, 0.0, 1.0, 2.0, 2.0, 3.0]);
}

macro_rules! fast_late {
    ($name:ident, $method:ident) => {
        simulation! {
            #[select($method)]
            model $name {
                state rate_now: f64 = 0.0;
                state n: u64 = 0;
                state m: u64 = 0;
                clock start: at(2e6) => { rate_now = 1e11; }
                clock count: rate(rate_now) => { n += 1; }
                clock count_too: rate(0.5 * rate_now) => { m += 1; }
            }
        }
    };
}

fast_late!(FastLateDirect, direct);
fast_late!(FastLateNext, next_reaction);

/// At 2·10⁶ floating-point numbers are 2.3·10⁻¹⁰ apart; the steps are 7·10⁻¹².
#[test]
fn time_advances_with_steps_below_its_spacing() {
    fn check<M: Model + Clone>(model: &M, of: fn(&M::State) -> (u64, u64)) {
        let (mut n, mut m) = (Vec::new(), Vec::new());
        let end = 2e6 + 3e-8;
        for mut sim in replicates(model, 14, 500) {
            sim.run_until(end).unwrap();
            let (count, other) = of(&sim.state());
            n.push(count as f64);
            m.push(other as f64);
        }
        // Events that round to the end time belong to the run.
        let spacing = 2e6_f64.next_up() - 2e6;
        let span = end - 2e6 + spacing / 2.0;
        assert_mean(format!("{} n", M::NAME), &n, 1e11 * span);
        assert_mean(format!("{} m", M::NAME), &m, 0.5e11 * span);
    }
    check(&FastLateDirect::default(), |s| (s.n, s.m));
    check(&FastLateNext::default(), |s| (s.n, s.m));
}

macro_rules! late_race {
    ($name:ident, $method:ident) => {
        simulation! {
            #[select($method)]
            model $name {
                state on: bool = false;
                state first: u64 = 0;
                state second: u64 = 0;
                clock start: at(2e6) => { on = true; }
                clock a if on: rate(1e11) => { on = false; first += 1; }
                clock b if on: rate(3e11) => { on = false; second += 1; }
            }
        }
    };
}

late_race!(LateRaceDirect, direct);
late_race!(LateRaceNext, next_reaction);

/// Both ring times round to the same number, but one of them is first.
#[test]
fn a_race_within_the_spacing_of_times_is_fair() {
    fn check<M: Model + Clone>(model: &M, first: fn(&M::State) -> u64) {
        let wins: Vec<f64> = replicates(model, 22, 10_000)
            .map(|mut sim| {
                sim.run_until(f64::INFINITY).unwrap();
                first(&sim.state()) as f64
            })
            .collect();
        assert_mean(format!("{}: wins of a", M::NAME), &wins, 0.25);
    }
    check(&LateRaceDirect::default(), |s| s.first);
    check(&LateRaceNext::default(), |s| s.first);
}

#[test]
fn replicates_of_an_ensemble_differ() {
    let mut paths: Vec<Vec<u64>> = replicates(&Decay::default(), 15, 200)
        .map(|mut sim| sim.events().map(|fired| fired.unwrap().time.to_bits()).collect())
        .collect();
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), 200);
}

#[test]
fn replicates_do_not_depend_on_how_many_threads_run_them() {
    let run = |threads| {
        let model = Decay::default();
        let ensemble = Ensemble::new(&model).replicates(64).seed(16).threads(threads);
        let next = |mut sim: Simulation<Decay>| {
            sim.run_until(1.0)?;
            Ok(sim.next_time().to_bits())
        };
        ensemble.map(next).unwrap()
    };
    let one = run(1);
    assert_eq!(run(2), one);
    assert_eq!(run(5), one);
    let alone: Vec<u64> = replicates(&Decay::default(), 16, 64)
        .map(|mut sim| {
            sim.run_until(1.0).unwrap();
            sim.next_time().to_bits()
        })
        .collect();
    assert_eq!(alone, one);
}

#[test]
fn a_seed_repeats_itself_and_another_one_does_not() {
    let path = |seed| -> Vec<u64> {
        Catalysed::default().start(seed).unwrap().events().map(|fired| fired.unwrap().time.to_bits()).collect()
    };
    assert_eq!(path(17), path(17));
    assert_ne!(path(17), path(18));
}

#[test]
fn a_param_that_is_not_a_number_does_not_mean_no_events() {
    let error = Decay { k: f64::NAN }.start(18).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Param { name: "k", .. }), "{error}");
}

#[test]
fn advancing_to_an_earlier_time_does_not_turn_the_clock_back() {
    let mut sim = Counter::default().start(19).unwrap();
    sim.run_until(5.0).unwrap();
    for earlier in [4.0, 5.0_f64.next_down(), -1.0, f64::NAN, f64::NEG_INFINITY] {
        let error = sim.run_until(earlier).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::EndTime { now: 5.0, .. }), "{error}");
        assert_eq!(sim.now(), 5.0);
    }
    // That was the caller's mistake; the simulation is as good as before.
    sim.run_until(6.0).unwrap();
    assert_eq!(sim.state().n, 6);
}

#[test]
fn errors_can_be_sent_shared_and_boxed() {
    fn ordinary<E: std::error::Error + Send + Sync + Clone + 'static>(
        error: E,
    ) -> Arc<dyn std::error::Error + Send + Sync> {
        Arc::new(error)
    }
    let error: SimError = Decay { k: -1.0 }.start(21).unwrap_err();
    assert!(ordinary(error).to_string().contains("decay"));
}
