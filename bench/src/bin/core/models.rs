//! The models as `simulation!` blocks.

use std::hint::black_box;

use clockrace::rand_distr::Exp;
use clockrace::simulation;
use clockrace_bench::Run;

use crate::{MM1_END, SIR_END, VILAR_END};

/// One model under two names, one for each method that selects among exponential clocks.
macro_rules! by_both_methods {
    ($direct:ident, $next:ident { $($items:tt)* }) => {
        simulation! { #[select(direct)] pub model $direct { $($items)* } }
        simulation! { #[select(next_reaction)] pub model $next { $($items)* } }
    };
}

/// What is timed. The observer of `counted` counts and does nothing else.
macro_rules! runs {
    ($($model:ident until $end:ident gives $last:ident;)*) => { $(
        impl $model {
            pub fn counted(seed: u64) -> Run {
                let mut simulation = black_box($model::default()).start(seed).expect("the model is sound");
                let mut events = 0;
                simulation.run_each($end, |_, _| events += 1).expect("the model is sound");
                Run::counted(events, simulation.state().$last as f64)
            }

            #[allow(dead_code, reason = "of each model one will do")]
            pub fn uncounted(seed: u64) -> Run {
                let mut simulation = black_box($model::default()).start(seed).expect("the model is sound");
                simulation.run_until($end).expect("the model is sound");
                Run::uncounted(simulation.state().$last as f64)
            }
        }
    )* };
}

runs! {
    SirReactions until SIR_END gives r;
    SirReactionsNext until SIR_END gives r;
    SirClocks until SIR_END gives r;
    SirClocksNext until SIR_END gives r;
    Vilar until VILAR_END gives r;
    VilarNext until VILAR_END gives r;
    Mm1Rates until MM1_END gives n;
    Mm1RatesNext until MM1_END gives n;
    Mm1After until MM1_END gives n;
}

by_both_methods!(SirReactions, SirReactionsNext {
    param k_inf: f64 = 3e-6;
    param k_rec: f64 = 0.1;

    state s: u64 = 99_900;
    state i: u64 = 100;
    state r: u64 = 0;

    reaction infection: s + i -> 2 i @ k_inf;
    reaction recovery: i -> r @ k_rec;
});

by_both_methods!(SirClocks, SirClocksNext {
    param k_inf: f64 = 3e-6;
    param k_rec: f64 = 0.1;

    state s: u64 = 99_900;
    state i: u64 = 100;
    state r: u64 = 0;

    clock infection: rate(k_inf * s as f64 * i as f64) => { s -= 1; i += 1; }
    clock recovery: rate(k_rec * i as f64) => { i -= 1; r += 1; }
});

by_both_methods!(Vilar, VilarNext {
    param alpha_a: f64 = 50.0;
    param alpha_a2: f64 = 500.0;
    param alpha_r: f64 = 0.01;
    param alpha_r2: f64 = 50.0;
    param beta_a: f64 = 50.0;
    param beta_r: f64 = 5.0;
    param delta_ma: f64 = 10.0;
    param delta_mr: f64 = 0.5;
    param delta_a: f64 = 1.0;
    param delta_r: f64 = 0.2;
    param gamma_a: f64 = 1.0;
    param gamma_r: f64 = 1.0;
    param gamma_c: f64 = 2.0;
    param theta_a: f64 = 50.0;
    param theta_r: f64 = 100.0;

    state da: u64 = 1;
    state dr: u64 = 1;
    state da2: u64 = 0;
    state dr2: u64 = 0;
    state ma: u64 = 0;
    state mr: u64 = 0;
    state a: u64 = 0;
    state r: u64 = 0;
    state c: u64 = 0;

    reaction bind_a: da + a -> da2 @ gamma_a;
    reaction bind_r: dr + a -> dr2 @ gamma_r;
    reaction free_a: da2 -> da + a @ theta_a;
    reaction free_r: dr2 -> dr + a @ theta_r;
    reaction write_a: da -> da + ma @ alpha_a;
    reaction write_r: dr -> dr + mr @ alpha_r;
    reaction write_a2: da2 -> da2 + ma @ alpha_a2;
    reaction write_r2: dr2 -> dr2 + mr @ alpha_r2;
    reaction make_a: ma -> ma + a @ beta_a;
    reaction make_r: mr -> mr + r @ beta_r;
    reaction join: a + r -> c @ gamma_c;
    reaction part: c -> r @ delta_a;
    reaction lose_ma: ma -> @ delta_ma;
    reaction lose_mr: mr -> @ delta_mr;
    reaction lose_a: a -> @ delta_a;
    reaction lose_r: r -> @ delta_r;
});

by_both_methods!(Mm1Rates, Mm1RatesNext {
    param lambda: f64 = 0.9;
    param mu: f64 = 1.0;

    state n: u64 = 0;

    clock arrival: rate(lambda) => { n += 1; }
    clock service if n > 0: rate(mu) => { n -= 1; }
});

simulation! {
    pub model Mm1After {
        param lambda: f64 = 0.9;
        param mu: f64 = 1.0;

        state n: u64 = 0;

        clock arrival: after(rng.sample(Exp::new(lambda).unwrap())) => { n += 1; }
        clock service if n > 0: after(rng.sample(Exp::new(mu).unwrap())) => { n -= 1; }
    }
}
