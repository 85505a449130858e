//! A crate that knows the engine under another name only. That it compiles, under strict lints,
//! is most of the test.

use clockrace_renamed::{Configured, Model, Outcome, Queue};

#[test]
fn a_model_finds_the_engine_under_another_name() {
    let mut sim = Queue { arrivals: 1.0, service: 0.25, waiting: 2 }.start(1).unwrap();
    let mut trace = Vec::new();
    let outcome = sim.run_each(1.25, |view, event| trace.push((view.now(), Queue::event_name(event)))).unwrap();
    assert_eq!(outcome, Outcome::Reached);
    assert_eq!(trace, [(0.25, "departure"), (0.5, "departure"), (1.0, "arrival"), (1.25, "departure")]);
    assert_eq!(sim.observe().unwrap().gone, 3);
}

#[test]
fn a_configured_model_finds_the_engine_under_another_name() {
    let mut sim = Configured { step: 'x' }.start(1).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!((sim.state().n, sim.state().last), (3, Some('x')));
    assert_eq!(Configured::<char>::graph().clocks.len(), 1);
}
