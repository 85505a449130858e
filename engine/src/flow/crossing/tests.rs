use super::*;
use crate::rng::{stream, uniform};

const NEVER: Moment = Moment::NEVER;

fn at(time: f64) -> Moment {
    Moment::at(time)
}

fn poly(c0: f64, c1: f64, c2: f64) -> Poly {
    Poly::new([c0, c1, c2])
}

/// How a function is looked at: as a polynomial, or by evaluation in windows.
#[derive(Clone, Copy, Debug)]
enum How {
    Poly,
    Windows(f64),
}

const BOTH: [How; 4] = [How::Poly, How::Windows(0.1), How::Windows(0.77), How::Windows(12.0)];

/// A particle under constant acceleration, as a flow of position and velocity.
#[derive(Clone, Copy, Debug)]
struct Particle {
    x: f64,
    v: f64,
    g: f64,
    since: Moment,
}

impl Particle {
    fn x(&self, now: Moment) -> f64 {
        let dt = now.since(self.since);
        self.x + self.v * dt + 0.5 * self.g * dt * dt
    }

    fn v(&self, now: Moment) -> f64 {
        self.v + self.g * now.since(self.since)
    }

    fn anchor(&mut self, now: Moment) {
        (self.x, self.v, self.since) = (self.x(now), self.v(now), now);
    }

    fn poly(&self, now: Moment) -> Poly {
        let dt = Poly::elapsed(now.since(self.since));
        self.x + self.v * dt + 0.5 * self.g * dt * dt
    }

    /// The next ring of a clock that waits for sign · (x − wall) to fall.
    fn refresh(&self, clock: &mut Crossing, how: How, sign: f64, wall: f64, now: Moment) -> Moment {
        match how {
            How::Poly => clock.refresh_poly(sign * (self.poly(now) - wall), now).unwrap(),
            How::Windows(step) => {
                let mut f = |t: f64| Ok(sign * (self.x(at(t)) - wall));
                clock.refresh(&mut f, step, now).unwrap()
            }
        }
    }

    /// The same, going on where it is silent.
    fn next(&self, clock: &mut Crossing, how: How, sign: f64, wall: f64, now: Moment, limit: f64) -> Moment {
        let mut ring = self.refresh(clock, how, sign, wall, now);
        while clock.silent() {
            if ring.time > limit {
                return NEVER;
            }
            ring = self.refresh(clock, how, sign, wall, ring);
        }
        ring
    }
}

/// All rings of a clock whose action changes nothing, up to `end`.
fn rings(f: &mut dyn FnMut(f64) -> f64, step: f64, end: f64) -> Vec<f64> {
    let mut clock = Crossing::OFF;
    let mut found = Vec::new();
    let mut now = at(0.0);
    loop {
        let next = clock.refresh(&mut |t| Ok(f(t)), step, now).unwrap();
        assert!(!next.before(now));
        if next.time > end {
            return found;
        }
        now = next;
        if !clock.silent() {
            clock.rang(f(now.time), now.time);
            found.push(now.time);
        }
    }
}

#[test]
fn a_ball_bounces_at_exact_times() {
    for how in BOTH {
        for (start, wall) in [(0.0, 0.0), (0.3, 7.7), (1e6, -1e3)] {
            let (v, g) = (3.0, -9.81);
            let period = 2.0 * v / -g;
            let mut ball = Particle { x: wall, v, g, since: at(start) };
            let mut clock = Crossing::OFF;
            let mut now = at(start);
            for bounce in 1..=3000_i32 {
                let ring = ball.next(&mut clock, how, 1.0, wall, now, f64::MAX);
                let k = f64::from(bounce);
                let expected = start + period * k;
                // Each ring is off by what times and positions are rounded by. A ring at a rounded time changes
                // the energy, and with it all later periods.
                let each = 4.0 * f64::EPSILON * (ring.time + wall.abs() / v);
                let error = if let How::Poly = how { k * each } else { k * k * each };
                assert!((ring.time - expected).abs() < error, "{how:?} {start} {bounce}: {} {expected}", ring.time);
                now = ring;
                ball.anchor(now);
                clock.rang(ball.x - wall, now.time);
                ball.v = -ball.v;
            }
        }
    }
}

#[test]
fn a_ball_that_loses_speed_never_falls_through() {
    for how in BOTH {
        for (start, wall) in [(0.0, 0.0), (1.0, 0.1), (1e3, 1e3)] {
            let mut ball = Particle { x: wall, v: 2.0, g: -9.81, since: at(start) };
            let mut clock = Crossing::OFF;
            let mut now = at(start);
            // Down to arcs that are lower than rounding.
            for bounce in 0..250 {
                let ring = ball.next(&mut clock, how, 1.0, wall, now, start + 100.0);
                // Windows cannot see arcs that are shorter than the spacing of times, or lower than rounding.
                let (long, high) = (2.0 * ball.v / 9.81, ball.v * ball.v / (2.0 * 9.81));
                let seen = long > 1e-13 * (1.0 + start) && high > 100.0 * f64::EPSILON * wall.abs();
                if !seen && matches!(how, How::Windows(_)) {
                    assert!(bounce > 80);
                    break;
                }
                assert!(ring != NEVER && !ring.before(now), "{how:?} {start} {wall} bounce {bounce} {ball:?}");
                now = ring;
                ball.anchor(now);
                clock.rang(ball.x - wall, now.time);
                ball.v = ball.v.abs() * 0.9;
                assert!((ball.x - wall).abs() < 1e-10, "{how:?} {start} {wall} {bounce} {ball:?}");
            }
        }
    }
}

#[test]
fn a_particle_between_walls_alternates_however_late_it_is() {
    for how in BOTH {
        for start in [0.0, 0.1, 1e3, 1e6, 1e9] {
            for (low, high) in [(0.0, 1.0), (-0.1, 0.2), (1e3, 1e3 + 0.7)] {
                let v = 1.3;
                let mut particle = Particle { x: low + 0.4 * (high - low), v, g: 0.0, since: at(start) };
                let mut clocks = [Crossing::OFF, Crossing::OFF];
                let mut now = at(start);
                let mut last = f64::NAN;
                for bounce in 0..2000 {
                    // Both read x and v, and are refreshed whichever rings.
                    let down = particle.next(&mut clocks[0], how, 1.0, low, now, now.time + 3.0);
                    let up = particle.next(&mut clocks[1], how, -1.0, high, now, now.time + 3.0);
                    let (ring, which) = if down.before(up) { (down, 0) } else { (up, 1) };
                    assert_eq!(which, 1 - bounce % 2, "{how:?} {start} {low} {bounce} {particle:?}");
                    let error = 16.0 * f64::EPSILON * (ring.time + low.abs());
                    let error = error + if start >= 1e9 { 0.0 } else { 1e-14 };
                    if bounce > 0 {
                        assert!(
                            (ring.since(at(last)) - (high - low) / v).abs() < error + 1e-14,
                            "{how:?} {start} {bounce}"
                        );
                    }
                    (now, last) = (ring, ring.time);
                    particle.anchor(now);
                    let e = if which == 0 { particle.x - low } else { high - particle.x };
                    clocks[usize::from(which == 1)].rang(e, now.time);
                    particle.v = -particle.v;
                }
            }
        }
    }
}

#[test]
fn another_reflection_at_the_same_point_is_no_crossing() {
    // Two clocks of the same wall, of which the first reflects; the second was due at the same time.
    for how in BOTH {
        for (start, wall) in [(0.0, 0.0), (0.3, 0.7), (1e3, -5e5), (1e9, 0.1)] {
            for speed in [1.3, 0.1, 77.0] {
                let mut particle = Particle { x: wall + speed, v: -speed * 0.9, g: 0.0, since: at(start) };
                let mut clocks = [Crossing::OFF, Crossing::OFF];
                let mut other = Crossing::OFF;
                let mut now = at(start);
                for _ in 0..50 {
                    let [first, second] = [0, 1].map(|k| particle.next(&mut clocks[k], how, 1.0, wall, now, f64::MAX));
                    assert_eq!(first, second);
                    now = first;
                    particle.anchor(now);
                    clocks[0].rang(particle.x - wall, now.time);
                    particle.v = -particle.v;
                    for clock in [0, 1] {
                        let ring = particle.next(&mut clocks[clock], how, 1.0, wall, now, now.time + 10.0);
                        assert_eq!(ring, NEVER, "{how:?} {start} {wall} {speed} {clock} {particle:?}");
                    }
                    // One that is armed here is no different.
                    other.disarm();
                    assert_eq!(particle.next(&mut other, how, 1.0, wall, now, now.time + 10.0), NEVER);
                    // Back again.
                    now = now.after(0.5);
                    particle.anchor(now);
                    particle.v = -particle.v;
                }
            }
        }
    }
}

#[test]
fn a_particle_that_passes_rings_once_in_each_direction() {
    for how in BOTH {
        for start in [0.0, 1.0, 1e6] {
            // Up through 0 at 0.2 and down at 1.8.
            let (v, g) = (2.0, -2.0);
            let particle = Particle { x: -0.36, v, g, since: at(start) };
            for (sign, root) in [(1.0, 1.8), (-1.0, 0.2)] {
                let mut clock = Crossing::OFF;
                let ring = particle.next(&mut clock, how, sign, 0.0, at(start), start + 50.0);
                assert!((ring.time - start - root).abs() < 1e-13 + 4.0 * f64::EPSILON * start, "{how:?} {ring:?}");
                // An event on the way changes nothing.
                let mut on_the_way = Crossing::OFF;
                particle.refresh(&mut on_the_way, how, sign, 0.0, at(start));
                let again = particle.next(&mut on_the_way, how, sign, 0.0, at(start + 0.1), start + 50.0);
                assert!((again.time - ring.time).abs() < 1e-13 + 4.0 * f64::EPSILON * start);
                clock.rang(sign * particle.x(ring), ring.time);
                let mut rung = clock.clone();
                particle.refresh(&mut rung, how, sign, 0.0, ring);
                let next = particle.next(&mut clock, how, sign, 0.0, ring, start + 50.0);
                assert_eq!(next, NEVER, "{how:?} {start} {sign}");
                // Nor does one just after.
                let just_after = ring.after(1e-9);
                assert_eq!(particle.next(&mut rung, how, sign, 0.0, just_after, start + 50.0), NEVER);
            }
        }
    }
}

#[test]
fn being_carried_across_rings_at_once_and_once() {
    for how in BOTH {
        let mut particle = Particle { x: 1.0, v: 0.5, g: 0.0, since: at(0.0) };
        let mut clock = Crossing::OFF;
        let now = at(2.0);
        assert_eq!(particle.next(&mut clock, how, 1.0, 0.0, at(0.0), 2.0), NEVER);
        particle.anchor(now);
        particle.x = -3.0;
        assert_eq!(particle.refresh(&mut clock, how, 1.0, 0.0, now), now);
        assert!(!clock.silent());
        // Another event of this instant comes first, and leaves it there.
        assert_eq!(particle.refresh(&mut clock, how, 1.0, 0.0, now), now);
        assert!(!clock.silent());
        // One that takes it back.
        let back = Particle { x: 1.0, ..particle };
        assert_ne!(back.refresh(&mut clock, how, 1.0, 0.0, now), now);
        assert_eq!(particle.refresh(&mut clock, how, 1.0, 0.0, now), now);
        clock.rang(particle.x, now.time);
        // It rises through 0 at 8, and is carried back after that, but not before.
        let mut early = clock.clone();
        assert_eq!(particle.next(&mut clock, how, 1.0, 0.0, now, 8.1), NEVER);
        assert_eq!(particle.next(&mut early, how, 1.0, 0.0, now, 7.9), NEVER);
        let below = |time: f64| Particle { x: -1.0, v: 0.0, since: at(time), ..particle };
        assert_ne!(below(7.9).refresh(&mut early, how, 1.0, 0.0, at(7.9)), at(7.9));
        assert_eq!(below(8.1).refresh(&mut clock, how, 1.0, 0.0, at(8.1)), at(8.1));
    }
}

#[test]
fn after_a_jump_the_distance_is_no_rounding() {
    for how in BOTH {
        let mut particle = Particle { x: 1.0, v: 0.0, g: 0.0, since: at(0.0) };
        let mut clock = Crossing::OFF;
        particle.next(&mut clock, how, 1.0, 0.0, at(0.0), 1.0);
        particle.x = -5.0;
        assert_eq!(particle.refresh(&mut clock, how, 1.0, 0.0, at(0.0)), at(0.0));
        clock.rang(-5.0, 0.0);
        (particle.x, particle.v) = (3.0, -2.0);
        let ring = particle.next(&mut clock, how, 1.0, 0.0, at(0.0), 50.0);
        assert!((ring.time - 1.5).abs() < 1e-15, "{how:?} {ring:?}");
    }
}

#[test]
fn zero_when_armed_takes_the_sign_it_leaves_to() {
    for how in BOTH {
        let ring = |v: f64, g: f64| {
            let particle = Particle { x: 0.0, v, g, since: at(0.0) };
            let mut clock = Crossing::OFF;
            let ring = particle.next(&mut clock, how, 1.0, 0.0, at(0.0), 50.0);
            // Whether it counts as positive or negative after that, too.
            let below = Particle { x: -1.0, v: 0.0, g: 0.0, since: at(0.5) };
            (ring, below.refresh(&mut clock, how, 1.0, 0.0, at(0.5)) == at(0.5))
        };
        assert_eq!(ring(1.0, 0.0), (NEVER, true));
        assert_eq!(ring(-1.0, 0.0), (NEVER, false));
        assert_eq!(ring(0.0, 1.0), (NEVER, true));
        assert_eq!(ring(0.0, -1.0), (NEVER, false));
        assert_eq!(ring(0.0, 0.0), (NEVER, false));
        assert_eq!(ring(-1.0, 8.0), (NEVER, true));
        let (time, positive) = ring(1.0, -1.0);
        assert!((time.time - 2.0).abs() < 1e-14 && positive);
    }
}

#[test]
fn a_particle_released_at_a_wall_with_rounding_leaves_it() {
    for how in BOTH {
        for start in [0.3, 1e3, 1e6] {
            for rounding in [-1.0, 1.0, 0.0] {
                let x = rounding * start * 1e-16;
                for (v, rings) in [(0.8, false), (-0.8, false)] {
                    let particle = Particle { x, v, g: 0.0, since: at(start) };
                    let mut clock = Crossing::OFF;
                    let ring = particle.next(&mut clock, how, 1.0, 0.0, at(start), start + 20.0);
                    assert_eq!(ring != NEVER, rings, "{how:?} {start} {x} {v}");
                }
            }
        }
    }
}

#[test]
fn a_disarmed_clock_does_not_ring_for_what_happened_meanwhile() {
    for how in BOTH {
        let mut particle = Particle { x: 1.0, v: -1.0, g: 0.0, since: at(0.0) };
        let mut clock = Crossing::OFF;
        particle.refresh(&mut clock, how, 1.0, 0.0, at(0.0));
        clock.disarm();
        assert!(!clock.silent());
        assert_eq!(particle.next(&mut clock, how, 1.0, 0.0, at(2.0), 50.0), NEVER);
        particle = Particle { x: -1.0, v: 1.0, g: -1.0, since: at(2.0) };
        assert_eq!(particle.next(&mut clock, how, 1.0, 0.0, at(2.0), 50.0), NEVER);
    }
}

#[test]
fn touching_is_no_crossing() {
    for t in [1.0, 0.7, 3.3, 123.4] {
        for how in BOTH {
            let particle = Particle { x: 0.5 * t * t, v: -t, g: 1.0, since: at(0.0) };
            for sign in [1.0, -1.0] {
                let mut clock = Crossing::OFF;
                let ring = particle.next(&mut clock, how, sign, 0.0, at(0.0), 2.0 * t);
                assert_eq!(ring, NEVER, "{how:?} {t} {sign}");
            }
        }
    }
    // Others that touch, computed with rounding.
    assert_eq!(rings(&mut |t| 1.0 + (3.0 * t).cos(), 0.5, 20.0), []);
    assert_eq!(rings(&mut |t| (t - 1.3).powi(4), 0.5, 20.0), []);
    assert_eq!(rings(&mut |t| t.sin().abs(), 0.5, 20.0), []);
    assert_eq!(rings(&mut |t| -(t - 1.3).powi(2), 0.5, 20.0), []);
    assert_eq!(rings(&mut |_| 0.0, 0.5, 20.0), []);
}

#[test]
fn inflections_and_high_powers_cross() {
    for power in [1, 3, 5] {
        let found = rings(&mut |t| (1.3 - t).powi(power), 0.5, 20.0);
        assert!(found.len() == 1 && (found[0] - 1.3).abs() < 1e-9, "{power}: {found:?}");
        assert_eq!(rings(&mut |t| (t - 1.3).powi(power), 0.5, 20.0), []);
    }
}

#[test]
fn dips_between_looks_are_found() {
    // Two looks are 1/16 apart.
    for depth in [1e-2, 1e-4, 1e-6, 1e-9] {
        for place in [0.01, 0.1, 0.5, 0.53, 0.95, 0.999] {
            let down = rings(&mut |t| (t - place).powi(2) - depth * depth, 1.0, 3.0);
            assert!(down.len() == 1 || place <= depth, "{depth} {place}: {down:?}");
            assert!(down.iter().all(|t| (t - place + depth).abs() < 1e-3 * depth), "{depth} {place}: {down:?}");
            let up = rings(&mut |t| depth * depth - (t - place).powi(2), 1.0, 3.0);
            assert!(up.len() == 1 && (up[0] - place - depth).abs() < 1e-3 * depth, "{depth} {place}: {up:?}");
        }
    }
}

#[test]
fn a_root_at_the_edge_of_a_window_is_not_lost() {
    for windows in [1.0, 2.0, 3.0, 7.0, 10.0] {
        for root in [1.0, 0.3, 2.7, 1e-3, 777.7] {
            let step = root / windows;
            let found = rings(&mut |t| root - t, step, 3.0 * root);
            assert!(
                found.len() == 1 && (found[0] - root).abs() <= 2.0 * f64::EPSILON * root,
                "{windows} {root}: {found:?}"
            );
            let found = rings(&mut |t| (t - root) * (t - 2.0 * root), step, 5.0 * root);
            assert!(
                found.len() == 1 && (found[0] - root).abs() <= 4.0 * f64::EPSILON * root,
                "{windows} {root}: {found:?}"
            );
            let found = rings(&mut |t| -(t - root) * (t - 2.0 * root), step, 5.0 * root);
            assert!(
                found.len() == 1 && (found[0] / root - 2.0).abs() <= 8.0 * f64::EPSILON,
                "{windows} {root}: {found:?}"
            );
            // Every half turn.
            let turn = std::f64::consts::PI / root;
            let found = rings(&mut |t| (turn * t).sin(), step, 20.5 * root);
            assert_eq!(found.len(), 10, "{windows} {root}: {found:?}");
            for (k, t) in (0_u8..).zip(found) {
                assert!((t / root - f64::from(2 * k + 1)).abs() < 1e-14 * f64::from(2 * k + 1), "{windows} {root} {k}");
            }
        }
    }
}

#[test]
fn asymptotes_end() {
    for step in [0.01, 0.5, 30.0] {
        let mut clock = Crossing::OFF;
        let mut now = at(0.0);
        for window in 1..=2000 {
            now = clock.refresh(&mut |t| Ok((-t).exp()), step, now).unwrap();
            assert!(clock.silent());
            assert!((now.time / (step * f64::from(window)) - 1.0).abs() < 1e-12);
        }
    }
    assert_eq!(rings(&mut |t| 1.0 - (-t).exp(), 0.5, 100.0), []);
    assert_eq!(rings(&mut |t| (-t).exp() - 1.0, 0.5, 100.0), []);
}

#[test]
fn functions_that_jump_ring_where_they_jump() {
    let mut f = |t: f64| if t < 1.7 { 1.0 } else { -1.0 };
    let found = rings(&mut f, 0.5, 10.0);
    assert!(found.len() == 1 && (found[0] - 1.7).abs() < 1e-15, "{found:?}");
    let mut f = |t: f64| if t < 1.7 { f64::INFINITY } else { f64::NEG_INFINITY };
    let found = rings(&mut f, 0.5, 10.0);
    assert!(found.len() == 1 && (found[0] - 1.7).abs() < 1e-15, "{found:?}");
}

#[test]
fn infinite_walls_are_never_reached() {
    for sign in [1.0, -1.0] {
        let mut clock = Crossing::OFF;
        assert_eq!(clock.refresh_poly(poly(sign * f64::INFINITY, -1.0, -1.0), at(0.0)).unwrap(), NEVER);
        // Carried across from +∞ only.
        let ring = clock.refresh_poly(poly(-1.0, 0.0, 0.0), at(1.0)).unwrap();
        assert_eq!(ring, if sign > 0.0 { at(1.0) } else { NEVER });
        assert_eq!(rings(&mut |_| sign * f64::INFINITY, 0.5, 3.0), []);
    }
}

#[test]
fn what_is_no_function_is_an_error() {
    let kind = |fault: Fault| fault.at(0.0, "clock", &[]).kind().clone();
    let mut clock = Crossing::OFF;
    for odd in
        [poly(f64::NAN, 0.0, 0.0), poly(1.0, f64::NAN, 0.0), poly(1.0, f64::INFINITY, 0.0), poly(1.0, 0.0, f64::NAN)]
    {
        let kind = kind(clock.refresh_poly(odd, at(0.0)).unwrap_err());
        assert!(matches!(kind, ErrorKind::Crossing { value } if value.is_nan()), "{kind}");
    }
    let odd = kind(clock.refresh(&mut |t| Ok((1.0 - t).sqrt() - 0.1), 2.0, at(0.9)).unwrap_err());
    assert!(matches!(odd, ErrorKind::Crossing { value } if value.is_nan()), "{odd}");
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        match kind(clock.refresh(&mut |_| Ok(1.0), step, at(0.0)).unwrap_err()) {
            ErrorKind::Step { value } => assert_eq!(value.to_bits(), step.to_bits()),
            other => panic!("{other}"),
        }
    }
    // Errors of the function itself are passed on.
    let failed = clock.refresh(&mut |_| Err(Fault::new(ErrorKind::Rate { value: -1.0 })), 1.0, at(0.0));
    assert!(matches!(kind(failed.unwrap_err()), ErrorKind::Rate { .. }));
}

#[test]
fn a_window_is_never_too_short_to_go_on() {
    let mut clock = Crossing::OFF;
    let mut now = at(1e9);
    for _ in 0..100 {
        let next = clock.refresh(&mut |_| Ok(1.0), 1e-30, now).unwrap();
        assert!(next.time > now.time && clock.silent());
        now = next;
    }
}

/// Falls of `f` in (0, `end`) by a dense scan and bisection; `None` where rounding or the scan could decide,
/// and where three changes are closer than `close`.
fn scanned(f: &mut dyn FnMut(f64) -> f64, end: f64, close: f64) -> Option<Vec<f64>> {
    const LOOKS: u32 = 100_000;
    let t = |k: u32| end * f64::from(k) / f64::from(LOOKS);
    let values: Vec<f64> = (0..=LOOKS).map(|k| f(t(k))).collect();
    let mut falls = Vec::new();
    let mut changes = Vec::new();
    for k in 1..LOOKS {
        let (before, here, after) = (values[k as usize - 1], values[k as usize], values[k as usize + 1]);
        if (here - before) * (after - here) <= 0.0 && here.abs() < 1e-6 {
            return None;
        }
        if (before > 0.0) != (here > 0.0) {
            changes.push(t(k));
        }
        if before > 0.0 && here <= 0.0 {
            let (mut low, mut high) = (t(k - 1), t(k));
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if f(middle) > 0.0 { low = middle } else { high = middle }
            }
            falls.push(high);
        }
    }
    changes.windows(3).all(|three| three[2] - three[0] > close).then_some(falls)
}

#[test]
fn random_functions_cross_where_a_dense_scan_says() {
    let mut rng = stream(11, 0);
    let mut compared = 0;
    let mut total = 0;
    for round in 0..1500 {
        let mut draw = |low: f64, high: f64| low + (high - low) * uniform(&mut rng);
        let (a, b, c, d) = (draw(-1.0, 1.0), draw(0.3, 12.0), draw(0.0, 6.3), draw(0.3, 5.0));
        let roots = [draw(-1.0, 5.0), draw(-1.0, 5.0), draw(-1.0, 5.0)];
        let close = roots.map(|root| roots[0] + 0.02 * root);
        let cubic = |roots: [f64; 3], t: f64| a * (t - roots[0]) * (t - roots[1]) * (t - roots[2]);
        let mut f: Box<dyn FnMut(f64) -> f64> = match round % 5 {
            0 => Box::new(move |t| cubic(roots, t)),
            1 => Box::new(move |t| cubic(close, t)),
            2 => Box::new(move |t| (b * t + c).sin() - a),
            3 => Box::new(move |t| (b * t + c).sin() + a * (d * t).cos()),
            _ => Box::new(move |t| (-0.2 * t).exp() * (d * t + c).cos() - 0.2 * a),
        };
        let step = draw(0.05, 1.0);
        let Some(expected) = scanned(&mut f, 5.0, step / 8.0) else { continue };
        let found = rings(&mut f, step, 5.0);
        compared += 1;
        total += found.len();
        assert_eq!(found.len(), expected.len(), "round {round}, step {step}: {found:?}, scanned {expected:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() < 1e-9, "round {round}, step {step}: {found} {expected}");
        }
    }
    assert!(compared > 1200 && total > 3000, "{compared} {total}");
}

#[test]
fn polynomials_and_windows_agree() {
    let mut rng = stream(12, 0);
    let mut rang = 0;
    for _ in 0..3000 {
        let mut draw = || 2.0 * uniform(&mut rng) - 1.0;
        let start = 10.0 * draw();
        let particle = Particle { x: draw(), v: 2.0 * draw(), g: 2.0 * draw(), since: at(start) };
        let wall = draw();
        let by = |how: How| {
            let mut clock = Crossing::OFF;
            let mut now = at(start);
            let mut found = Vec::new();
            loop {
                let ring = particle.next(&mut clock, how, 1.0, wall, now, start + 20.0);
                if ring.time > start + 20.0 {
                    return found;
                }
                now = ring;
                clock.rang(particle.x(now) - wall, now.time);
                found.push(now.time);
            }
        };
        let (exact, searched) = (by(How::Poly), by(How::Windows(1.0)));
        assert_eq!(exact.len(), searched.len(), "{particle:?} {wall}: {exact:?} {searched:?}");
        rang += exact.len();
        for (exact, searched) in exact.iter().zip(&searched) {
            assert!((exact - searched).abs() < 1e-11, "{particle:?} {wall}: {exact} {searched}");
        }
    }
    assert!(rang > 1000, "{rang}");
}

#[test]
fn few_looks_are_enough() {
    // A window without a root costs about its looks; narrowing one down is faster than bisection.
    let mut looks = 0;
    let mut f = |t: f64| {
        looks += 1;
        Ok((-0.3 * t).exp() - 0.5)
    };
    let mut clock = Crossing::OFF;
    let mut now = at(0.0);
    for _ in 0..2 {
        now = clock.refresh(&mut f, 1.0, now).unwrap();
        assert!(clock.silent());
    }
    now = clock.refresh(&mut f, 1.0, now).unwrap();
    assert!((now.time - 2.0_f64.ln() / 0.3).abs() < 1e-15 && !clock.silent());
    assert!(looks < 85, "{looks}");
}
