//! Time in whole ticks.

use clockrace::{ErrorKind, simulation};

simulation! {
    /// Everything that ticks can do.
    model Counting {
        time u64;
        param far: u64 = 0;
        state log: Vec<(u64, &'static str)> = Vec::new();
        state n: u64 = 0;
        event ring(k: u64) => {
            log.push((now, "ring"));
            if k > 0 { ring.after(1, k - 1); }
        }
        clock tick: every(10, from = far + 3) => { n += 1; log.push((now, "tick")); }
        clock chosen: at(if n == 2 { now + 5 } else { never }) => { log.push((now, "chosen")); }
        activity seq() {
            wait(3);
            let left = wait(100, unless = n > 1);
            log.push((left, "left"));
            wait_until(now + 2);
            log.push((now, "until"));
        }
        init { ring.at(far + 1, 2); if far == 0 { seq.start(); } }
        observe t: u64 = now;
        stop enough if n == 4;
    }
}

#[test]
fn ticks_are_counted_exactly_at_any_scale() {
    for far in [0, (1_u64 << 53) - 1, (1 << 60) + 5, u64::MAX - 100] {
        let mut sim = Counting { far }.start(1).unwrap();
        sim.run_until_tick(far.saturating_add(60)).unwrap();
        let log: Vec<_> =
            sim.state().log.iter().filter(|(_, what)| *what != "left" && *what != "until").copied().collect();
        let expected: Vec<(u64, &str)> = [
            (1, "ring"),
            (2, "ring"),
            (3, "ring"),
            (3, "tick"),
            (13, "tick"),
            (18, "chosen"),
            (23, "tick"),
            (33, "tick"),
        ]
        .map(|(after, what)| (far + after, what))
        .to_vec();
        assert_eq!(log, expected);
        assert_eq!((sim.tick(), sim.observe().unwrap().t), (far + 33, far + 33));
    }
}

#[test]
fn activities_wait_in_ticks() {
    let mut sim = Counting { far: 0 }.start(1).unwrap();
    sim.run_until(17.5).unwrap();
    // Between two ticks it is the first.
    assert_eq!((sim.tick(), sim.now()), (17, 17.0));
    let log = &sim.state().log;
    assert!(log.contains(&(103 - 13, "left")) && log.contains(&(15, "until")), "{log:?}");
}

#[test]
fn what_comes_from_outside_comes_at_the_next_tick() {
    let mut sim = Counting { far: 0 }.start(1).unwrap();
    sim.schedule(7.5, CountingMessage::Ring(1)).unwrap();
    sim.run_until(9.0).unwrap();
    assert!(sim.state().log.contains(&(8, "ring")) && sim.state().log.contains(&(9, "ring")));
    assert!(sim.schedule(8.0, CountingMessage::Ring(1)).is_err());
    assert!(sim.schedule(f64::NAN, CountingMessage::Ring(1)).is_err());
}

simulation! {
    /// Runs out of ticks.
    model Overflowing {
        time u64;
        event ring() => { ring.after(10); }
        init { ring.at(18_446_744_073_709_551_610); }
    }
}

#[test]
fn a_tick_that_does_not_exist_is_a_typed_error() {
    let mut sim = Overflowing {}.start(1).unwrap();
    let error = sim.run_until_tick(u64::MAX).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::Ticks { what, now: 18_446_744_073_709_551_610, delay: 10 } if what == "`ring`"),
        "{error}"
    );
}
