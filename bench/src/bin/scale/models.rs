//! The models as `simulation!` blocks.

use std::any::Any;
use std::hint::black_box;
use std::sync::Arc;

use clockrace::rand_distr::Exp1;
use clockrace::simulation;
use clockrace_bench::{Run, mean_square};

use crate::by_hand::spread;
use crate::{CUSTOMERS, SITES};

/// What is timed. The observer of `counted` counts and does nothing else.
macro_rules! runs {
    ($($model:ident($($argument:ident: $type:ty),*) = $value:expr, gives $last:expr;)*) => { $(
        impl $model {
            pub fn counted($($argument: $type,)* end: f64, seed: u64) -> Run {
                let mut simulation = black_box($value).start(seed).expect("the model is sound");
                let mut events = 0;
                simulation.run_each(end, |_, _| events += 1).expect("the model is sound");
                Run::counted(events, $last(simulation.state()))
            }

            #[allow(dead_code, reason = "of each model one will do")]
            pub fn uncounted($($argument: $type,)* end: f64, seed: u64) -> Run {
                let mut simulation = black_box($value).start(seed).expect("the model is sound");
                simulation.run_until(end).expect("the model is sound");
                Run::uncounted($last(simulation.state()))
            }
        }
    )* };
}

runs! {
    Ring(n: usize) = Ring { n }, gives |state: &RingState| squares(&state.a);
    RingNext(n: usize) = RingNext { n }, gives |state: &RingNextState| squares(&state.a);
    Diffusion() = Diffusion::default(), gives |state: &DiffusionState| squares(&state.a);
    DiffusionNext() = DiffusionNext::default(), gives |state: &DiffusionNextState| squares(&state.a);
    Queues(n: usize) = Queues { n }, gives |state: &QueuesState| idle(&state.q);
    Spread() = Spread { from: spread::known(), ..Spread::default() }, gives |state: &SpreadState| ill(&state.ill);
}

fn squares(amounts: &[u64]) -> f64 {
    mean_square(amounts.iter().map(|&amount| amount as f64))
}

fn idle(queues: &[u32]) -> f64 {
    queues.iter().filter(|&&queue| queue == 0).count() as f64
}

fn ill(people: &[bool]) -> f64 {
    people.iter().filter(|&&ill| ill).count() as f64
}

/// A ring of this size, set up.
pub fn set_up_ring(n: usize) -> Box<dyn Any> {
    Box::new(Ring { n }.start(1).expect("the model is sound"))
}

/// As many people as were prepared for, set up.
pub fn set_up_spread(_: usize) -> Box<dyn Any> {
    Box::new(Spread { from: spread::many(), ..Spread::default() }.start(1).expect("the model is sound"))
}

/// One model under two names, one for each method that selects among exponential clocks.
macro_rules! by_both_methods {
    ($direct:ident, $next:ident { $($items:tt)* }) => {
        simulation! { #[select(direct)] pub model $direct { $($items)* } }
        simulation! { #[select(next_reaction)] pub model $next { $($items)* } }
    };
}

by_both_methods!(Ring, RingNext {
    param n: usize;

    index site = 0..n;

    state a[k in site]: u64 = 10;

    reaction hop[k in site]: a[k] -> a[(k + 1) % n] @ 1.0;
});

by_both_methods!(Diffusion, DiffusionNext {
    param n: usize = SITES;
    param d: f64 = 65_536.0;

    index site = 0..n;

    state a[k in site]: u64 = 10;

    reaction right[k in site] if k + 1 < n: a[k] -> a[k + 1] @ d;
    reaction left[k in site] if k > 0: a[k] -> a[k - 1] @ d;
});

simulation! {
    pub model Queues {
        param n: usize;

        index site = 0..n;

        state q[k in site]: u32 = CUSTOMERS;

        clock serve[k in site] if q[k] > 0: after(rng.sample(Exp1)) => {
            q[k] -= 1;
            q[(k + 1) % n] += 1;
        }
    }
}

simulation! {
    pub model Spread {
        param from: Arc<Vec<[u32; 8]>> = Arc::default();
        param infect: f64 = 0.5;

        index person = 0..from.len();

        relation near(k in person) -> person = from[k].iter().map(|&other| other as usize);

        state ill[k in person]: bool = k % 100 == 0;

        clock change[k in person]: rate(if ill[k] {
            1.0
        } else {
            infect * near(k).filter(|&other| ill[other]).count() as f64
        }) => {
            ill[k] = !ill[k];
        }
    }
}
