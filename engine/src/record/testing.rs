//! A small model for the tests of recorders and ensembles.

use crate::error::{ErrorKind, SimError};
use crate::graph::Graph;
use crate::model::{Engine, Model, Next};
use crate::rng::{exponential, stream};
use crate::simulation::Simulation;

/// `n` goes up by one at given times, or after exponential times of mean one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps {
    pub(crate) times: Option<Vec<f64>>,
    pub(crate) start: f64,
    /// Stops when `n` is this.
    pub(crate) stop: Option<u64>,
    /// Fails when `n` would become this.
    pub(crate) fail: Option<u64>,
}

impl Steps {
    pub(crate) fn at<const N: usize>(times: [f64; N]) -> Self {
        Steps { times: Some(times.to_vec()), ..Steps::default() }
    }

    pub(crate) fn start(self) -> Simulation<Self> {
        let start = self.start;
        self.start_from(0, 0, start).unwrap()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step;

impl Model for Steps {
    type State = u64;
    type Tallies = ();
    type Observed = ();
    type Event = Step;
    /// When the next step happens.
    type Clocks = f64;

    const NAME: &'static str = "Steps";
    const OUTPUTS: &'static [&'static str] = &["n", "double"];
    const STOPS: &'static [&'static str] = &["enough"];

    fn graph() -> Graph {
        Graph::from_parts("Steps", &[], &[], &[], None)
    }

    fn event_name(_event: Step) -> &'static str {
        "step"
    }

    fn start_from(self, seed: u64, replicate: u64, start: f64) -> Result<Simulation<Self>, SimError> {
        let mut engine = Engine::new(self, 0, f64::INFINITY, stream(seed, replicate), start, true)?;
        Self::refresh_all(&mut engine)?;
        Ok(Simulation::from_engine(engine))
    }

    fn initial_tallies(_model: &Self, _now: f64) -> Result<(), SimError> {
        Ok(())
    }

    fn refresh_all(engine: &mut Engine<Self>) -> Result<(), SimError> {
        engine.clocks = match &engine.model.times {
            Some(times) => times.get(engine.state as usize).copied().unwrap_or(f64::INFINITY),
            None => engine.now + exponential(&mut engine.rng),
        };
        engine.stopped = (engine.model.stop == Some(engine.state)).then_some(0);
        Ok(())
    }

    fn next(engine: &Engine<Self>) -> Next {
        Next { time: engine.clocks, slot: 0 }
    }

    fn fire(engine: &mut Engine<Self>, next: Next) -> Result<Step, SimError> {
        if engine.model.fail == Some(engine.state + 1) {
            return Err(SimError::new(ErrorKind::Rate { value: -1.0 }, next.time).of("step"));
        }
        engine.enter(next.time, 0.0)?;
        engine.state += 1;
        Self::refresh_all(engine)?;
        Ok(Step)
    }

    fn observe(_engine: &Engine<Self>, _now: f64) -> Result<(), SimError> {
        Ok(())
    }

    fn outputs(engine: &Engine<Self>, _now: f64, into: &mut [f64]) -> Result<(), SimError> {
        into[0] = engine.state as f64;
        into[1] = 2.0 * engine.state as f64;
        Ok(())
    }
}
