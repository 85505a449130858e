//! Activities: waits of every kind, order within an instant, lines, joins, failures.

use std::cell::Cell;

use clockrace::{ErrorKind, Outcome, simulation};

simulation! {
    /// One server, with customers of two classes.
    model Server {
        param patience: f64 = f64::MAX;
        state free: u32 = 1;
        state log: Vec<(f64, u32, &'static str)> = Vec::new();
        activity customer(id: u32, class: i64, service: f64), priority = class {
            if !wait_for(free > 0, timeout = patience) {
                log.push((now, id, "leaves"));
                return;
            }
            free -= 1;
            defer { free += 1; log.push((now, id, "done")); }
            log.push((now, id, "served"));
            wait(service);
        }
        clock closes: at(50.0) => { free = 0; }
    }
}

fn served(sim: &clockrace::Simulation<Server>) -> Vec<(f64, u32)> {
    sim.state().log.iter().filter(|(.., what)| *what == "served").map(|&(time, id, _)| (time, id)).collect()
}

simulation! {
    /// The same with arrivals from a list.
    model Arrivals {
        param list: Vec<(f64, u32, i64, f64)>;
        param patience: f64 = f64::MAX;
        state free: u32 = 1;
        state log: Vec<(f64, u32, &'static str)> = Vec::new();
        event arrives(id: u32, class: i64, service: f64) => { customer.start(id, class, service); }
        activity customer(id: u32, class: i64, service: f64), priority = class {
            if !wait_for(free > 0, timeout = patience) {
                log.push((now, id, "leaves"));
                return;
            }
            free -= 1;
            defer { free += 1; }
            log.push((now, id, "served"));
            wait(service);
            log.push((now, id, "done"));
        }
        init { for &(at, id, class, service) in &list { arrives.at(at, id, class, service); } }
        observe inside = customer.len();
    }
}

#[test]
fn first_come_first_served_by_priority() {
    let list = vec![(0.0, 1, 0, 10.0), (1.0, 2, 1, 1.0), (2.0, 3, 0, 1.0), (3.0, 4, 1, 1.0), (4.0, 5, -1, 1.0)];
    let mut sim = Arrivals { list, patience: f64::MAX }.start(1).unwrap();
    assert_eq!(sim.run_until(100.0).unwrap(), Outcome::Exhausted);
    let served: Vec<(f64, u32)> =
        sim.state().log.iter().filter(|(.., what)| *what == "served").map(|&(time, id, _)| (time, id)).collect();
    assert_eq!(served, [(0.0, 1), (10.0, 5), (11.0, 3), (12.0, 2), (13.0, 4)]);
}

#[test]
fn whoever_comes_as_the_server_gets_free_does_not_barge_in() {
    // Customer 3 comes at the very moment at which the server gets free, and its event is earlier.
    let list = vec![(0.0, 1, 0, 5.0), (1.0, 2, 0, 5.0), (5.0, 3, 0, 5.0)];
    let mut sim = Arrivals { list, patience: f64::MAX }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    let served: Vec<u32> =
        sim.state().log.iter().filter(|(.., what)| *what == "served").map(|&(_, id, _)| id).collect();
    assert_eq!(served, [1, 2, 3]);
}

#[test]
fn the_impatient_leave_and_are_not_woken_later() {
    let list = vec![(0.0, 1, 0, 10.0), (1.0, 2, 0, 1.0), (2.0, 3, 0, 1.0), (8.0, 4, 0, 1.0)];
    let mut sim = Arrivals { list, patience: 4.0 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    let log: Vec<(f64, u32, &str)> = sim.state().log.clone();
    assert_eq!(
        log,
        [
            (0.0, 1, "served"),
            (5.0, 2, "leaves"),
            (6.0, 3, "leaves"),
            (10.0, 1, "done"),
            (10.0, 4, "served"),
            (11.0, 4, "done"),
        ]
    );
    assert_eq!(sim.observe().unwrap().inside, 0.0);
}

#[test]
fn a_wait_that_holds_at_its_very_end_has_held_or_not_by_the_order_of_events() {
    // The patience of 2 ends at 10, when 1 is done: the end of a wait that began earlier comes first.
    let list = vec![(0.0, 1, 0, 10.0), (6.0, 2, 0, 1.0)];
    let mut sim = Arrivals { list, patience: 4.0 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert!(sim.state().log.contains(&(10.0, 2, "served")), "{:?}", sim.state().log);
}

#[test]
fn an_activity_is_started_by_nobody_in_a_model_without_starts() {
    let mut sim = Server { patience: 1.0 }.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(served(&sim), []);
}

thread_local! {
    static TESTS: Cell<u64> = const { Cell::new(0) };
}

/// Counts how often it is asked.
fn counted(holds: bool) -> bool {
    TESTS.with(|tests| tests.set(tests.get() + 1));
    holds
}

simulation! {
    /// Many who wait for one condition.
    model Many {
        param n: u32 = 10_000;
        state gate: u32 = 0;
        state writes: u32 = 0;
        state gone: u32 = 0;
        activity waits() { wait_for(counted(gate > 0)); gate -= 1; gone += 1; }
        clock writes_in_vain: every(1.0) => { gate = 0; writes += 1; }
        clock opens: at(1000.5) => { gate = 3; }
        init { for _ in 0..n { waits.start(); } }
    }
}

#[test]
fn with_ten_thousand_waiters_on_one_condition_a_write_costs_one_test() {
    let mut sim = Many { n: 10_000 }.start(1).unwrap();
    sim.run_until(0.5).unwrap();
    TESTS.with(|tests| tests.set(0));
    sim.run_until(1000.0).unwrap();
    assert_eq!(sim.state().writes, 1000);
    assert_eq!(TESTS.with(Cell::get), 1000);
    sim.run_until(1000.75).unwrap();
    // Three go, one after the other, and the fourth waits on.
    assert_eq!((sim.state().gone, sim.state().gate), (3, 0));
    assert!(TESTS.with(Cell::get) <= 1000 + 5);
}

simulation! {
    /// Who waits for one of many elements is asked only when that one is written.
    model Elements {
        index place = 0..100;
        state free[u in place]: u32 = 0;
        state order: Vec<(f64, usize)> = Vec::new();
        activity waits(u in place) { wait_for(counted(free[u] > 0)); free[u] -= 1; order.push((now, u)); }
        activity chosen(seed: usize) {
            let u: usize = seed % 100;
            wait_for(counted(free[u] > 0));
            free[u] -= 1;
            order.push((now, u));
        }
        event give(u in place) => { free[u] += 1; }
        init { for u in place { waits.start(u); } for u in 0..100 { chosen.start(u); } }
    }
}

#[test]
fn conditions_are_registered_by_element() {
    let mut sim = Elements {}.start(1).unwrap();
    sim.run_until(0.0).unwrap();
    TESTS.with(|tests| tests.set(0));
    for u in [7, 7, 93] {
        sim.schedule(1.0, ElementsMessage::Give(u)).unwrap();
    }
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().order, [(1.0, 7), (1.0, 7), (1.0, 93)]);
    assert!(TESTS.with(Cell::get) <= 12, "{}", TESTS.with(Cell::get));
}

simulation! {
    /// A tank without barging, by a line.
    model Tank {
        state tank: f64 = 0.0;
        state order: Vec<(f64, u32)> = Vec::new();
        activity takes(id: u32, need: f64) { wait_for(tank >= need, line = queue); tank -= need; order.push((now, id)); }
        activity impatient(id: u32, need: f64) {
            if wait_for(tank >= need, line = queue, timeout = 5.0) { tank -= need; order.push((now, id)); }
        }
        line queue;
        event fill(by: f64) => { tank += by; }
        observe waiting = queue.len();
        stop crowded if queue.len() > 5;
        init { impatient.start(0, 100.0); takes.start(1, 10.0); takes.start(2, 1.0); takes.start(3, 4.0); }
    }
}

#[test]
fn in_a_line_the_small_do_not_overtake_the_large() {
    let mut sim = Tank {}.start(1).unwrap();
    sim.schedule(1.0, TankMessage::Fill(9.0)).unwrap();
    sim.run_until(4.0).unwrap();
    assert_eq!(sim.observe().unwrap().waiting, 4.0);
    assert_eq!(sim.state().order, []);
    // The first gives up; now the next is asked for 10.
    sim.run_until(6.0).unwrap();
    assert_eq!(sim.observe().unwrap().waiting, 3.0);
    sim.schedule(7.0, TankMessage::Fill(2.0)).unwrap();
    sim.schedule(8.0, TankMessage::Fill(10.0)).unwrap();
    sim.run_until(9.0).unwrap();
    assert_eq!(sim.state().order, [(7.0, 1), (7.0, 2), (8.0, 3)]);
    assert_eq!(sim.observe().unwrap().waiting, 0.0);
}

simulation! {
    /// Preemptive resume by speed, and by interruption.
    model Preempted {
        state urgent: bool = false;
        state done: Vec<(f64, &'static str)> = Vec::new();
        activity by_speed() { wait(10.0, speed = if urgent { 0.0 } else { 1.0 }); done.push((now, "speed")); }
        activity by_interruption() {
            let mut left: f64 = 10.0;
            while left > 0.0 {
                wait_for(!urgent);
                left = wait(left, unless = urgent);
            }
            done.push((now, "interruption"));
        }
        activity half() { wait(10.0, speed = if urgent { 0.5 } else { 1.0 }); done.push((now, "half")); }
        clock begins: at(3.0) => { urgent = true; }
        clock ends: at(7.0) => { urgent = false; }
        init { by_speed.start(); by_interruption.start(); half.start(); }
    }
}

#[test]
fn what_is_preempted_resumes() {
    let mut sim = Preempted {}.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(sim.state().done, [(12.0, "half"), (14.0, "speed"), (14.0, "interruption")]);
}

simulation! {
    /// Joins.
    model Laboratory {
        param crash: bool = false;
        state log: Vec<(f64, String)> = Vec::new();
        state lab_key: Option<Key<lab>> = None;
        state cleaned: u32 = 0;
        activity lab(x: u32) -> u32 {
            defer { cleaned += 1; }
            wait(f64::from(x));
            x * 10
        }
        activity patient() {
            let a = lab.start(3);
            let b = lab.start(1);
            // The second has ended long before it is joined.
            let first = lab.join(a);
            let second = lab.join(b);
            let third = lab.run(2);
            log.push((now, format!("{first:?} {second:?} {third:?}")));
            let c = lab.start(50);
            lab_key = Some(c);
            let aborted = lab.join(c);
            log.push((now, format!("{aborted:?}")));
        }
        activity parent() { let _ = lab.run(1000); }
        event abort() => { if let Some(key) = lab_key { assert!(lab.alive(key)); assert!(lab.abort(key)); } }
        event abort_parent(key: Key<parent>) => { parent.abort(key); }
        init { patient.start(); abort.at(20.0); let p = parent.start(); abort_parent.at(30.0, p); }
        observe labs = lab.len();
    }
}

#[test]
fn joins_give_what_was_given_and_none_if_it_was_aborted() {
    let mut sim = Laboratory { crash: false }.start(1).unwrap();
    sim.run_until(25.0).unwrap();
    assert_eq!(sim.state().log, [(5.0, "Some(30) Some(10) Some(20)".to_owned()), (20.0, "None".to_owned())]);
    assert_eq!((sim.observe().unwrap().labs, sim.state().cleaned), (1.0, 4));
    // A child of `run` is aborted with its parent.
    sim.run_until(30.0).unwrap();
    assert_eq!((sim.observe().unwrap().labs, sim.state().cleaned), (0.0, 5));
    assert_eq!(sim.run_until(40.0).unwrap(), Outcome::Exhausted);
}

simulation! {
    /// Deferred code runs at the end of its block, by every way out.
    model Deferred {
        state log: Vec<&'static str> = Vec::new();
        state way: u32;
        state stop_it: bool = false;
        activity works() {
            defer { log.push("outer"); }
            for round in 0..3u32 {
                defer { log.push("round"); }
                {
                    defer { log.push("inner"); }
                    wait(1.0);
                    if way == 1 { continue; }
                    if way == 2 { break; }
                    if way == 3 { return; }
                }
                log.push("behind");
                if round == 1 { break; }
            }
            log.push("end");
        }
        event abort(key: Key<works>) => { works.abort(key); }
        init {
            let key = works.start();
            if way == 4 { abort.at(0.5, key); }
            if way == 5 { works.abort(key); }
        }
    }
}

#[test]
fn deferred_code_runs_by_every_way_out() {
    let run = |way| {
        let mut sim = Deferred { way }.start(1).unwrap();
        sim.run_until(10.0).unwrap();
        sim.state().log.join(" ")
    };
    assert_eq!(run(0), "inner behind round inner behind round end outer");
    assert_eq!(run(1), "inner round inner round inner round end outer");
    assert_eq!(run(2), "inner round end outer");
    assert_eq!(run(3), "inner round outer");
    assert_eq!(run(4), "inner round outer");
    // It has begun first, since it was started first.
    assert_eq!(run(5), "inner round outer");
}

simulation! {
    /// Instances as an index set.
    model Emergency {
        state acuity[p in patient]: u8 = 3;
        state called[p in patient]: bool = false;
        state log: Vec<(f64, u8)> = Vec::new();
        state worst: Option<Key<patient>> = None;
        let urgency[p in patient] = 10.0 - acuity[p] as f64;
        activity patient(a: u8) {
            acuity[me] = a;
            wait_for(called[me]);
            acuity[me] -= 1;
            log.push((now, acuity[me]));
            wait(1.0);
            worst = Some(me);
        }
        event call(key: Key<patient>) => { called[key] = true; }
        init {
            let first = patient.start(4);
            let second = patient.start(2);
            call.at(5.0, second);
            call.at(7.0, first);
            call.at(20.0, first);
        }
        observe all[p in patient]: u8 = acuity[p];
        observe urgent[p in patient]: f64 = urgency[p];
    }
}

#[test]
fn instances_are_an_index_set() {
    let mut sim = Emergency {}.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.observe().unwrap().all, [4, 2]);
    assert_eq!(sim.observe().unwrap().urgent, [6.0, 8.0]);
    sim.run_until(5.5).unwrap();
    assert_eq!(sim.observe().unwrap().all, [4, 1]);
    sim.run_until(6.5).unwrap();
    assert_eq!(sim.observe().unwrap().all, [4]);
    sim.run_until(10.0).unwrap();
    assert_eq!(sim.state().log, [(5.0, 1), (7.0, 3)]);
    assert_eq!(sim.observe().unwrap().all, Vec::<u8>::new());
    let error = sim.run_until(30.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Stale { activity: "patient", .. }), "{error}");
}

simulation! {
    /// Starts and wakes take effect after the running body, before anything else of the instant.
    model Turns {
        state log: Vec<&'static str> = Vec::new();
        state go: bool = false;
        activity waits() { wait_for(go); log.push("woken"); }
        activity starts() { log.push("started"); }
        event first() => { starts.start(); go = true; log.push("first"); }
        event second() => { log.push("second"); }
        event before(), priority = -1 => { log.push("before"); }
        event opens() => { first.at(2.0); second.at(2.0); before.at(2.0); }
        init { waits.start(); opens.at(1.0); }
    }
}

#[test]
fn turns_come_before_whatever_else_happens_at_the_instant() {
    let mut sim = Turns {}.start(1).unwrap();
    sim.run_until(3.0).unwrap();
    // Who has waited for longer goes first.
    assert_eq!(sim.state().log, ["before", "first", "woken", "started", "second"]);
}

simulation! {
    /// A failing body in an activity that is no `Result` stops the run, and all is as it was.
    model Broken {
        param limit: u32;
        state n: u32 = 0;
        state small: u8 = 250;
        activity counts() { loop { wait(1.0); n += 1; other.start(); small += 1; } }
        activity other() { wait(0.5); }
        init { counts.start(); }
        observe alive = counts.len() + other.len();
        invariant below: n <= limit;
    }
}

#[test]
fn an_instance_that_fails_stands_where_it_stood() {
    let mut sim = Broken { limit: 100 }.start(1).unwrap();
    let error = sim.run_until(20.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Overflow { .. }), "{error}");
    assert_eq!((error.clock(), error.clock_index(), error.time()), (Some("counts"), &[0][..], 6.0));
    assert_eq!((sim.state().n, sim.state().small, sim.next_time()), (5, 255, 6.0));
    assert_eq!(sim.observe().unwrap().alive, 1.0);
    sim.update(|state| state.small = 0).unwrap();
    sim.run_until(7.0).unwrap();
    assert_eq!((sim.state().n, sim.observe().unwrap().alive), (7, 2.0));
    // A check after the body.
    let mut sim = Broken { limit: 2 }.start(1).unwrap();
    sim.check_invariants(true);
    let error = sim.run_until(20.0).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Invariant { name: "below" }), "{error}");
    assert_eq!((sim.state().n, sim.state().small, sim.observe().unwrap().alive), (2, 252, 1.0));
    sim.check_invariants(false);
    sim.update(|_| ()).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!((sim.state().n, sim.observe().unwrap().alive), (3, 2.0));
}

#[derive(Debug)]
struct Lost;

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("lost")
    }
}

impl std::error::Error for Lost {}

simulation! {
    /// A failure that stops the run.
    model Strict {
        state n: u32 = 0;
        #[on_error(stop)]
        activity fails(at: f64) -> Result<u32, Lost> {
            wait(at);
            if at > 1.0 { return Err(Lost); }
            Ok(1)
        }
        activity asks() { let x = fails.run(0.5); n = x.unwrap_or(99); let y = fails.run(2.0); n = y.unwrap_or(77); }
        init { asks.start(); }
    }
}

#[test]
fn on_error_stop_stops_the_run() {
    let mut sim = Strict {}.start(1).unwrap();
    let error = sim.run_until(20.0).unwrap_err();
    assert!(error.to_string().contains("lost"), "{error}");
    assert_eq!((sim.state().n, error.time()), (1, 2.5));
}

#[test]
fn cutting_stepping_and_cloning_change_nothing() {
    let list: Vec<(f64, u32, i64, f64)> =
        (0..50).map(|k| (f64::from(k % 7), k, i64::from(k % 3), f64::from(k % 4) / 2.0)).collect();
    let whole = {
        let mut sim = Arrivals { list: list.clone(), patience: 6.0 }.start(5).unwrap();
        sim.run_until(60.0).unwrap();
        sim.state().log.clone()
    };
    let mut cut = Arrivals { list: list.clone(), patience: 6.0 }.start(5).unwrap();
    for k in 0..=120 {
        cut.run_until(f64::from(k) / 2.0).unwrap();
        if k % 10 == 0 {
            cut.update(|_| ()).unwrap();
            let clone = cut.clone();
            drop(std::mem::replace(&mut cut, clone));
        }
    }
    assert_eq!(cut.state().log, whole);
    let mut stepped = Arrivals { list, patience: 6.0 }.start(5).unwrap();
    while stepped.step().unwrap().is_some() {}
    assert_eq!(stepped.state().log, whole);
}

simulation! {
    /// Aborts somebody whose condition has come true.
    model Doomed {
        state s: u32 = 0;
        state victim: Key<a> = Key::stale();
        activity a() { wait_for(s == 1); wait_for(s == 2); s = 99; }
        init { victim = a.start(); }
        clock aborts: at(1.0) => { s = 1; a.abort(victim); }
        observe alive = a.len();
    }
}

/// It used to be woken by its own abort.
#[test]
fn an_abort_is_not_lost_if_the_instance_goes_on_before_its_turn() {
    let mut sim = Doomed {}.start(1).unwrap();
    let mut log = Vec::new();
    sim.run_each(5.0, |view, event| log.push((view.now(), event))).unwrap();
    let a = DoomedEvent::A(0);
    assert_eq!(log, [(0.0, a), (1.0, DoomedEvent::Aborts), (1.0, a), (1.0, a)]);
    assert_eq!((sim.state().s, sim.observe().unwrap().alive), (1, 0.0));
}

simulation! {
    /// Looks whether somebody lives.
    model Lives {
        state n: u32 = 0;
        state whom: Key<a> = Key::stale();
        activity a() { wait(1.0); }
        init { whom = a.start(); }
        clock c if !a.alive(whom): every(0.5) => { n += 1; }
    }
}

/// The clock used to be refreshed while the instance was still there.
#[test]
fn who_asks_whether_an_instance_lives_is_told_when_it_ends() {
    let mut sim = Lives {}.start(1).unwrap();
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().n, 5);
}

simulation! {
    /// One server by line, with a length that those behind see.
    model Lined {
        state s: u32 = 0;
        state seen: Vec<usize> = Vec::new();
        state held: Vec<bool> = Vec::new();
        line q;
        activity a() { wait_for(s > 0, line = q); seen.push(q.len()); s -= 1; }
        activity both() { let held_now: bool = wait_for(s == 7, unless = s > 6, line = other); held.push(held_now); }
        line other;
        clock gives: at(1.0) => { s = 2; }
        clock more: at(2.0) => { s = 7; }
        init { a.start(); a.start(); both.start(); }
    }
}

/// Whoever goes on used to see himself in the line; and `unless` used to win in a line.
#[test]
fn whoever_goes_on_has_left_the_line_and_has_held() {
    let mut sim = Lined {}.start(1).unwrap();
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().seen, [1, 0]);
    assert_eq!(sim.state().held, [true]);
}

type Route = Vec<(usize, f64)>;

simulation! {
    /// Types that are plain to see.
    model Plain {
        state visits: Vec<(f64, usize)> = Vec::new();
        state lost: Option<Key<doctor>> = None;
        activity work(route: Route) { for (machine, hours) in route { let m: usize = machine; wait(hours); visits.push((now, m)); } }
        activity typed(route: Vec<(usize, f64)>) { for (m, hours) in route { wait(hours); visits.push((now, m)); } }
        event worsens(k: usize) => { visits.push((now, k)); }
        activity doctor() {
            let worse = worsens.after(50.0, 7);
            let mine = me;
            let left = wait(10.0, unless = lost == Some(me));
            visits.push((left, usize::from(mine == me)));
            let _ = worsens.cancel(worse);
        }
        clock takes: at(4.0) => { lost = visits.first().map(|_| Key::stale()); }
        init { work.start(vec![(1, 1.0)]); typed.start(vec![(2, 1.5), (3, 1.0)]); doctor.start(); }
    }
}

#[test]
fn types_of_members_keys_and_patterns_are_plain_to_see() {
    let mut sim = Plain {}.start(1).unwrap();
    sim.run_until(100.0).unwrap();
    assert_eq!(sim.state().visits, [(1.0, 1), (1.5, 2), (2.5, 3), (0.0, 1)]);
}

simulation! {
    /// The only priority is one of a wait.
    model WaitPriority {
        state free: u32 = 0;
        state order: Vec<i64> = Vec::new();
        activity asks(rank: i64) { wait_for(free > 0, priority = (0, rank)); free -= 1; order.push(rank); }
        clock gives: at(1.0) => { free = 3; }
        init { asks.start(3); asks.start(1); asks.start(2); }
    }
}

#[test]
fn a_wait_may_have_a_priority_of_its_own() {
    let mut sim = WaitPriority {}.start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().order, [1, 2, 3]);
}

simulation! {
    /// Waits for what depends on the own state and on an index, while others come.
    model Mixed {
        index sa = 0..2;
        state x[k in sa]: i64 = 0;
        state seen: Vec<(i64, usize)> = Vec::new();
        state p[i in a]: i64 = 3;
        activity a(least: i64) { p[me] = least; for v in sa { wait_for(x[v] > p[me]); seen.push((least, v)); } }
        init { a.start(1); a.start(0); }
        clock b: at(1.0) => { x[0] = 3; }
        clock c: at(2.0) => { a.start(2); a.start(2); a.start(3); }
        clock d: at(3.0) => { x[0] = 4; }
    }
}

/// Groups of waiters used to be mixed up when instances came.
#[test]
fn conditions_over_the_own_state_stay_apart_when_instances_come() {
    let mut sim = Mixed {}.start(1).unwrap();
    sim.run_until(5.0).unwrap();
    assert_eq!(sim.state().seen, [(1, 0), (0, 0), (2, 0), (2, 0), (3, 0)]);
}

simulation! {
    /// A clock that reads the state of an instance.
    model ByKey {
        state n: u32 = 0;
        state whom: Key<a> = Key::stale();
        state p[i in a]: u32 = 0;
        activity a() { wait(100.0); }
        init { whom = a.start(); }
        clock c: at(if a.alive(whom) && p[whom] > 0 { 7.0 } else { never }) => { n += 1; }
        clock d: at(1.0) => { p[whom] = 5; }
    }
}

/// It used not to be refreshed.
#[test]
fn a_clock_that_reads_the_state_of_an_instance_is_refreshed() {
    let mut sim = ByKey {}.start(1).unwrap();
    sim.run_until(20.0).unwrap();
    assert_eq!(sim.state().n, 1);
}

simulation! {
    /// Fails whenever something is added to 255.
    model Turned {
        state small: u8 = 255;
        state open: bool = false;
        state log: Vec<(f64, u32)> = Vec::new();
        state victim: Key<defers> = Key::stale();
        line queue;
        activity starts() { small += 1; log.push((now, 1)); }
        activity waits() { wait_for(open); small += 1; log.push((now, 2)); }
        activity stands() { wait_for(open, line = queue); small += 1; log.push((now, 3)); }
        activity defers() { defer { small += 1; log.push((now, 4)); } wait(100.0); }
        init { waits.start(); stands.start(); victim = defers.start(); }
        clock starting: at(1.0) => { starts.start(); }
        clock opening: at(2.0) => { open = true; }
        clock aborting: at(3.0) => { defers.abort(victim); }
        observe alive = (starts.len() + waits.len() + stands.len() + defers.len()) as f64;
        observe standing = queue.len() as f64;
    }
}

#[test]
fn a_turn_that_fails_is_taken_again() {
    let mut sim = Turned {}.start(1).unwrap();
    // At each of these, whoever has a turn fails; then it is set to this.
    let failures = [(1.0, "starts", 0, 4.0, 1.0), (2.0, "waits", 254, 3.0, 1.0), (2.0, "stands", 0, 2.0, 1.0)];
    let failures = failures.into_iter().chain([(3.0, "defers", 7, 1.0, 0.0)]);
    let mut small = 255;
    for (time, whose, next, alive, standing) in failures {
        sim.update(|state| state.small = small).unwrap();
        let error = sim.run_until(10.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Overflow { .. }), "{error}");
        assert_eq!((error.clock(), error.time(), sim.next_time()), (Some(whose), time, time));
        let seen = sim.observe().unwrap();
        assert_eq!((seen.alive, seen.standing), (alive, standing), "{whose}");
        // A branch is no different.
        let clone = sim.clone();
        drop(std::mem::replace(&mut sim, clone));
        sim.update(|state| state.small = next).unwrap();
        sim.step().unwrap();
        small = 255;
    }
    sim.run_until(10.0).unwrap();
    assert_eq!(sim.state().log, [(1.0, 1), (2.0, 2), (2.0, 3), (3.0, 4)]);
    assert_eq!(sim.observe().unwrap().alive, 0.0);
}
