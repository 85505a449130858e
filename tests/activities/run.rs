//! The generated engines, and what is noted of their runs.

/// What a run shows: for each event its time, what it was, and the state and the outputs after it.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub time: f64,
    pub name: String,
    /// Of clocks and events; an instance has no number that means something.
    pub index: Vec<usize>,
    pub state: Vec<i64>,
    pub outputs: Vec<i64>,
    pub tally: i64,
}

/// So many events are followed.
pub const EVENTS: usize = 500;

/// How far runs go.
pub const UNTIL: f64 = 20.0;

/// More than the reference follows, at one instant, as its limit for waits that take no time is another.
pub const ZENO: u64 = 20_000;

/// Notes an event as the reference does.
macro_rules! event {
    ($model:ident, $show:ident, $outputs:ident, $time:expr, $event:expr, $view:expr) => {{
        let name = $model::event_name($event);
        Event {
            time: $time,
            name: name.to_owned(),
            index: if name.starts_with('a') { Vec::new() } else { $model::event_index($event) },
            state: $show(&$view.state()),
            outputs: $outputs(&$view.observe().expect("outputs do not fail")),
            tally: $view.tallies().t0,
        }
    }};
}

/// Runs a generated model, cut at `cuts`, and notes what the reference notes.
macro_rules! observe_run {
    ($model:ident, $show:ident, $outputs:ident, $seed:expr, $cuts:expr) => {{
        let mut events = Vec::new();
        let mut outcome = Ok(Outcome::Reached);
        match $model::default().start($seed) {
            Ok(mut sim) => {
                sim.set_zeno_limit(ZENO);
                for end in $cuts.iter().copied().chain([UNTIL]) {
                    outcome = sim.run_each(end, |view, event| {
                        events.push(event!($model, $show, $outputs, view.now(), event, view));
                    });
                    if outcome.is_err() || events.len() > EVENTS {
                        break;
                    }
                    let _ = ($show(&sim.state()), $outputs(&sim.observe().expect("outputs do not fail")));
                }
            }
            Err(error) => outcome = Err(error),
        }
        (events, outcome)
    }};
}

/// The same by single events, after each of which every clock is refreshed and everybody asked; every now and then a
/// copy goes on instead.
macro_rules! observe_steps {
    ($model:ident, $show:ident, $outputs:ident, $seed:expr, $refresh:expr) => {{
        let mut events = Vec::new();
        let mut step = || {
            let mut sim = $model::default().start($seed)?;
            sim.set_zeno_limit(ZENO);
            while sim.next_time() <= UNTIL && events.len() <= EVENTS {
                let Some(fired) = sim.step()? else { break };
                events.push(event!($model, $show, $outputs, fired.time, fired.event, sim));
                if $refresh {
                    sim.update(|_| ())?;
                }
                if events.len() % 7 == 3 {
                    let copy = sim.clone();
                    let _ = std::mem::replace(&mut sim, copy).run_until(UNTIL);
                }
            }
            Ok(Outcome::Reached)
        };
        let outcome = step();
        (events, outcome)
    }};
}

/// The `simulation!` blocks, their number `MODELS`, and what runs them.
#[allow(clippy::all, clippy::pedantic, warnings, reason = "random code is no pretty code")]
mod generated {
    use super::{EVENTS, Event, UNTIL, ZENO};
    use clockrace::rand_distr::Exp1;
    use clockrace::{Model as _, Outcome, SimError, simulation};

    include!(concat!(env!("OUT_DIR"), "/activities.rs"));
}

pub use generated::{MODELS, STEPPED, run_generated, step_generated};
