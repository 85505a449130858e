//! M/M/1 as `simulation!` blocks. Counted are arrivals and services, whatever else happens.

use std::hint::black_box;

use clockrace::rand_distr::Exp;
use clockrace::simulation;
use clockrace_bench::Run;

use crate::{END, LAMBDA, MU};

/// The models, each with its parameters, and what is timed.
macro_rules! models {
    ($($(#[$doc:meta])* $model:ident { $($items:tt)* })*) => { $(
        simulation! {
            $(#[$doc])*
            pub model $model {
                param lambda: f64 = LAMBDA;
                param mu: f64 = MU;
                /// Customers who are there.
                state n: u64 = 0;
                tally events: u64 = 0;
                $($items)*
            }
        }

        impl $model {
            pub fn counted(seed: u64) -> Run {
                let mut sim = black_box($model::default()).start(seed).expect("the model is sound");
                sim.run_until(END).expect("the model is sound");
                Run::counted(sim.tallies().events, sim.state().n as f64)
            }
        }
    )* };
}

models! {
    /// One race of two rates.
    Rates {
        clock arrival: rate(lambda) => { n += 1; events += 1; }
        clock service if n > 0: rate(mu) => { n -= 1; events += 1; }
    }

    /// Two ring times.
    Times {
        clock arrival: after(rng.sample(Exp::new(lambda)?)) => { n += 1; events += 1; }
        clock service if n > 0: after(rng.sample(Exp::new(mu)?)) => { n -= 1; events += 1; }
    }

    /// Two events: the textbook's program.
    Events {
        event arrival() => {
            if n == 0 {
                service.after(rng.sample(Exp::new(mu)?));
            }
            n += 1;
            events += 1;
            arrival.after(rng.sample(Exp::new(lambda)?));
        }
        event service() => {
            n -= 1;
            events += 1;
            if n > 0 {
                service.after(rng.sample(Exp::new(mu)?));
            }
        }
        init { arrival.after(rng.sample(Exp::new(lambda)?)); }
    }

    /// A source, and a server that waits for customers, who are only counted.
    Server {
        activity source() {
            loop {
                wait(rng.sample(Exp::new(lambda)?));
                n += 1;
                events += 1;
            }
        }
        activity server() {
            loop {
                wait_for(n > 0);
                wait(rng.sample(Exp::new(mu)?));
                n -= 1;
                events += 1;
            }
        }
        init { source.start(); server.start(); }
    }

    /// A source of customers, each of whom waits for the server.
    Customers {
        state free: u32 = 1;
        activity source() {
            loop {
                wait(rng.sample(Exp::new(lambda)?));
                n += 1;
                events += 1;
                customer.start();
            }
        }
        activity customer() {
            wait_for(free > 0);
            free -= 1;
            wait(rng.sample(Exp::new(mu)?));
            free += 1;
            n -= 1;
            events += 1;
        }
        init { source.start(); }
    }

    /// The same in a line that is declared.
    Line {
        state free: u32 = 1;
        line queue;
        activity source() {
            loop {
                wait(rng.sample(Exp::new(lambda)?));
                n += 1;
                events += 1;
                customer.start();
            }
        }
        activity customer() {
            wait_for(free > 0, line = queue);
            free -= 1;
            wait(rng.sample(Exp::new(mu)?));
            free += 1;
            n -= 1;
            events += 1;
        }
        init { source.start(); }
    }
}
