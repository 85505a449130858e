//! Every construct of the language as a user would write it, and what it means.

#![allow(missing_docs)]

mod arithmetic;
mod bodies;
mod configured;
mod families;
mod generics;
mod graph;
mod outputs;
mod relations;
mod renamed;
mod surroundings;
mod timing;

use clockrace::{Model, Simulation};

/// Times and clocks of all events up to `until`.
fn trace<M: Model>(sim: &mut Simulation<M>, until: f64) -> Vec<(f64, &'static str)> {
    let mut trace = Vec::new();
    sim.run_each(until, |view, event| trace.push((view.now(), M::event_name(event)))).unwrap();
    trace
}

/// The times up to `until` at which `clock` rings.
fn rings<M: Model>(sim: &mut Simulation<M>, clock: &str, until: f64) -> Vec<f64> {
    trace(sim, until).into_iter().filter(|(_, name)| *name == clock).map(|(time, _)| time).collect()
}
