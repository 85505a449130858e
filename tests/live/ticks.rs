//! Models that count ticks.

use std::thread;
use std::time::Duration;

use clockrace::live::{Full, Idle, Live, Source};
use clockrace::simulation;

simulation! {
    /// Time in ticks.
    model Clockwork {
        time u64;
        state seen: Vec<(u64, u32)> = Vec::new();
        event ring(who: u32) => { seen.push((now, who)); }
        event twice(who: u32) => {
            ring.at(now, who);
            ring.after(2, who);
        }
    }
}

#[test]
fn models_that_count_ticks_run_live() {
    use ClockworkMessage::{Ring, Twice};
    let live = Live::new(Clockwork::default().start(1).unwrap());
    let injector = live.injector();
    injector.send(5.0, Ring(1)).unwrap();
    injector.send(3.0, Twice(2)).unwrap();
    injector.send_now(Ring(3)).unwrap();
    let (mut sim, _) = live.run().into_result().unwrap();
    assert_eq!(sim.state().seen, [(0, 3), (3, 2), (5, 1), (5, 2)]);
    let mut source = Source::new((6..9).map(|tick| (f64::from(tick), Twice(tick))));
    sim.run_with_source(&mut source, &mut (), 100.0).unwrap();
    assert_eq!(sim.state().seen[4..], [(6, 6), (7, 7), (8, 6), (8, 8), (9, 7), (10, 8)]);
}

#[test]
fn ticks_can_be_paced() {
    // What is sent in between happens at a tick.
    let live = Live::new(Clockwork::default().start(1).unwrap()).speed(1000.0).idle(Idle::Wait).full(Full::Wait);
    let (injector, time) = (live.injector(), live.time());
    let run = thread::spawn(move || live.run());
    let mut sent = 0;
    while time.now() < 100.0 {
        injector.send_now(ClockworkMessage::Twice(sent)).unwrap();
        sent += 1;
        // Who sends as fast as he can holds the time, as each message happens now.
        thread::sleep(Duration::from_micros(50));
    }
    drop(injector);
    let (sim, _) = run.join().unwrap().into_result().unwrap();
    let seen = &sim.state().seen;
    assert_eq!(seen.len(), 2 * sent as usize);
    assert!(seen.windows(2).all(|pair| pair[0].0 <= pair[1].0));
}
