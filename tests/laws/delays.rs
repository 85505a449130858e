//! Delays that are interrupted, kept, drawn again and run down at a speed, where the exact law is
//! known.

use clockrace::rand_distr::{Exp, Exp1};
use clockrace::{Model, simulation};
use clockrace_tests::{Service, assert_mean, chi_square, replicates};

const FAIL: f64 = 0.8;
const REPAIR: f64 = 0.5;

/// One job on a machine that fails at a rate while it works; `$option` is that of the delay.
macro_rules! interrupted {
    ($name:ident $(, $option:ident)?) => {
        simulation! {
            model $name {
                param service: Service;
                state up: bool = true;
                state ended: Option<f64> = None;
                clock fail if up: rate(FAIL) => { up = false; }
                clock repair if !up: after(REPAIR) => { up = true; }
                clock finish if up: after(rng.sample(service) $(, $option)?) => { ended = Some(now); }
                stop finished if ended.is_some();
            }
        }
    };
}

interrupted!(Repeated);
interrupted!(Resumed, resume);

/// When the job is done, in many replicates.
fn ends<M: Model + Clone>(model: &M, ended: fn(&M::State) -> Option<f64>) -> Vec<f64> {
    replicates(model, 1, 20_000)
        .map(|mut sim| {
            sim.run_until(f64::INFINITY).unwrap();
            ended(&sim.state()).unwrap()
        })
        .collect()
}

#[test]
fn an_interrupted_delay_is_forgotten_and_drawn_anew() {
    for service in Service::ALL {
        // Each trial succeeds if no failure comes before its end.
        let exact = (1.0 / FAIL + REPAIR) * (1.0 / service.laplace(FAIL) - 1.0);
        assert_mean(format!("{service:?}"), &ends(&Repeated { service }, |s| s.ended), exact);
    }
}

#[test]
fn a_resumed_delay_keeps_what_is_left() {
    for service in Service::ALL {
        let ends = ends(&Resumed { service }, |s| s.ended);
        assert_mean(format!("{service:?}"), &ends, 1.0 + FAIL * REPAIR);
        // Given the service s, failures are Poisson with the mean FAIL · s.
        let squares: Vec<f64> = ends.iter().map(|end| end * end).collect();
        let exact = (1.0 + FAIL * REPAIR).powi(2) * service.second_moment() + FAIL * REPAIR * REPAIR;
        assert_mean(format!("square with {service:?}"), &squares, exact);
    }
}

/// Immigration at the rate 3 and death at the rate 0.5 of each, where `$($death)*` is the clock of
/// the next death.
macro_rules! immigration_death {
    ($name:ident $($death:tt)*) => {
        simulation! {
            model $name {
                state x: u64 = 0;
                clock immigration: rate(3.0) => { x += 1; }
                clock death $($death)* => { x -= 1; }
            }
        }
    };
}

immigration_death!(Redrawn if x > 0: after(rng.sample(Exp::new(0.5 * x as f64)?), redraw));
immigration_death!(AtSpeed: after(rng.sample::<f64, _>(Exp1), speed(0.5 * x as f64)));
immigration_death!(AtSpeedResumed if x > 0: after(rng.sample::<f64, _>(Exp1), resume, speed(0.5 * x as f64)));
immigration_death!(AtSpeedForgotten if x > 0: after(rng.sample::<f64, _>(Exp1), speed(0.5 * x as f64)));

fn check<M: Model + Clone>(model: &M, x: fn(&M::State) -> u64) {
    for t in [0.5, 2.0, 8.0_f64] {
        let draws: Vec<usize> = replicates(model, 2, 20_000)
            .map(|mut sim| {
                sim.run_until(t).unwrap();
                x(&sim.state()) as usize
            })
            .collect();
        let mean = 3.0 / 0.5 * (1.0 - (-0.5 * t).exp());
        let mut poisson = vec![(-mean).exp()];
        for n in 1..60 {
            poisson.push(poisson[n - 1] * mean / n as f64);
        }
        chi_square(format!("{} at {t}", M::NAME), &draws, &poisson);
    }
}

#[test]
fn an_exponential_delay_drawn_again_on_every_change_is_a_hazard() {
    check(&Redrawn::default(), |s| s.x);
}

/// Work that is exponential with mean 1 and done at speed h ends at the hazard h.
#[test]
fn exponential_work_at_a_speed_is_a_hazard() {
    check(&AtSpeed::default(), |s| s.x);
    check(&AtSpeedResumed::default(), |s| s.x);
    check(&AtSpeedForgotten::default(), |s| s.x);
}

simulation! {
    /// Work of 6 at speeds that change at known times.
    model Paced {
        state pace: f64 = 1.0;
        state on: bool = true;
        state done: Vec<f64> = Vec::new();
        clock slower: at(2.0) => { pace = 0.5; }
        clock stop: at(4.0) => { pace = 0.0; }
        clock faster: at(6.0) => { pace = 2.0; }
        clock pause: at(6.5) => { on = false; }
        clock go_on: at(10.0) => { on = true; pace = 1.0; }
        clock work if on: after(6.0, resume, speed(pace)) => { done.push(now); }
    }
}

#[test]
fn work_runs_down_at_its_speed_and_not_while_it_is_paused() {
    let mut sim = Paced::default().start(1).unwrap();
    sim.run_until(20.0).unwrap();
    // 2 until 2, 1 until 4, nothing until 6, 1 until 6.5: 2 are left at 10. Then 6 more.
    assert_eq!(sim.state().done, [12.0, 18.0]);
}
