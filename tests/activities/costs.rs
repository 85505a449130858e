//! What waiting costs, counted in conditions that are looked at.

use std::cell::Cell;

use clockrace::simulation;

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// The condition itself, counted.
fn look(holds: bool) -> bool {
    LOOKS.set(LOOKS.get() + 1);
    holds
}

/// How many conditions are looked at meanwhile.
fn looks<R>(run: impl FnOnce() -> R) -> u64 {
    let before = LOOKS.get();
    run();
    LOOKS.get() - before
}

const CROWD: u64 = 10_000;

simulation! {
    /// A crowd waits; every second somebody writes what it waits for.
    model Crowd {
        param serve: i64 = 0;
        index door = 0..4;
        state free: i64 = 0;
        state open[k in door]: i64 = 0;
        state other: i64 = 0;
        state gone: Vec<u64> = Vec::new();
        line queue;

        activity plain(id: u64) {
            wait_for(look(free > 0));
            free -= 1;
            gone.push(id);
        }
        activity lined(id: u64) {
            wait_for(look(free > 0), line = queue);
            free -= 1;
            gone.push(id);
        }
        activity behind(k in door, id: u64) {
            wait_for(look(open[k] > 0));
            open[k] -= 1;
            gone.push(id);
        }
        activity choosy(id: u64, least: i64) {
            wait_for(look(free > least));
            free -= 1;
            gone.push(id);
        }

        event write() => { free = serve; }
        event elsewhere() => { other += 1; }
        event knock(k in door) => { open[k] = serve; }
        event begin(kind: u8, count: u64) => {
            for id in 0..count {
                match kind {
                    0 => { plain.start(id); }
                    1 => { lined.start(id); }
                    2 => { behind.start((id % 4) as usize, id); }
                    _ => { choosy.start(id, (id % 3) as i64); }
                }
            }
        }
    }
}

/// A crowd of some kind that waits, of which `serve` are let through by each write.
fn crowd(kind: u8, count: u64, serve: i64) -> clockrace::Simulation<Crowd> {
    let mut sim = Crowd { serve }.start(1).expect("it starts");
    sim.schedule(0.0, CrowdMessage::Begin(kind, count)).expect("it is now");
    sim.run_until(0.5).expect("they come");
    sim
}

fn at(sim: &mut clockrace::Simulation<Crowd>, time: f64, message: CrowdMessage) -> u64 {
    sim.schedule(time, message).expect("it is to come");
    looks(|| sim.run_until(time).expect("it runs"))
}

#[test]
fn a_write_costs_one_test_however_many_wait() {
    for kind in [0, 1] {
        for count in [1, 100, CROWD] {
            let mut sim = crowd(kind, count, 0);
            assert_eq!(at(&mut sim, 1.0, CrowdMessage::Write), 1, "{kind} {count}");
            assert_eq!(at(&mut sim, 2.0, CrowdMessage::Write), 1, "{kind} {count}");
            assert_eq!(at(&mut sim, 3.0, CrowdMessage::Elsewhere), 0, "{kind} {count}");
            assert!(sim.state().gone.is_empty());
        }
    }
}

#[test]
fn those_who_are_let_through_cost_one_each_and_whoever_is_not_one() {
    for kind in [0, 1] {
        let mut sim = crowd(kind, CROWD, 3);
        assert_eq!(at(&mut sim, 1.0, CrowdMessage::Write), 4, "{kind}");
        assert_eq!(sim.state().gone, [0, 1, 2]);
        assert_eq!(at(&mut sim, 2.0, CrowdMessage::Write), 4, "{kind}");
        assert_eq!(sim.state().gone, [0, 1, 2, 3, 4, 5]);
    }
}

#[test]
fn newcomers_behind_somebody_who_waits_in_vain_are_not_asked() {
    for kind in [0, 1] {
        let all = looks(|| crowd(kind, CROWD, 0));
        assert!(all <= 2, "{kind}: {all} tests for {CROWD} who come");
    }
}

#[test]
fn a_write_of_an_element_asks_whom_it_concerns() {
    let mut sim = crowd(2, CROWD, 2);
    assert_eq!(at(&mut sim, 1.0, CrowdMessage::Knock(3)), 3);
    assert_eq!(sim.state().gone, [3, 7]);
    assert_eq!(at(&mut sim, 2.0, CrowdMessage::Knock(0)), 3);
    assert_eq!(sim.state().gone, [3, 7, 0, 4]);
    assert_eq!(at(&mut sim, 3.0, CrowdMessage::Write), 0);
}

/// Conditions that differ cannot stand for each other: everybody is asked, once.
#[test]
fn conditions_with_a_local_are_asked_one_by_one() {
    let mut sim = crowd(3, 300, 1);
    // Of three each, one waits for more than 0, and it takes what the others see.
    let tests = at(&mut sim, 1.0, CrowdMessage::Write);
    assert_eq!(sim.state().gone, [0]);
    // One true, which writes; then all others.
    assert_eq!(tests, 1 + 299);
    let graph = Crowd::graph().to_string();
    assert!(graph.contains("scan"), "{graph}");
}
