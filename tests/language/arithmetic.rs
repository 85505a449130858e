//! Arithmetic of every type: integers are checked, and everything else does what it always does.

#![allow(clippy::assign_op_pattern, reason = "written so on purpose")]

use std::num::{Saturating, Wrapping};
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};
use std::time::Duration;

use clockrace::{ErrorKind, simulation};

macro_rules! widths {
    ($($int:ident)*) => { $(
        mod $int {
            use clockrace::{ErrorKind, simulation};

            simulation! {
                pub(super) model Width {
                    param one: $int = 1;
                    state n: $int = 5;
                    state list: Vec<$int> = vec![1, 2, 3];
                    state max: $int = $int::MAX;
                    state min: $int = $int::MIN;
                    let doubled = 2 * n;
                    let next = n + 1;
                    clock sum: at(1.0) => {
                        n = n + one * 2 - 1;
                        n += 1;
                        n -= one;
                        n *= 3;
                        n = 1 + n;
                        n = &n + 1;
                        n = &n + &one;
                        n = n + &one;
                        n += &one;
                    }
                    clock through_references: at(2.0) => {
                        n = list.iter().map(|k| k * n).max().unwrap_or(0);
                        n = list.iter().fold(n, |sum, k| sum - k);
                        for k in &list { n += k; }
                        for k in list.iter_mut() { *k += n; }
                    }
                    clock defined: at(3.0) => { n = doubled - next; }
                    clock defined_too: at(4.0) => { n = next * 2; }
                    clock assigned: at(5.0) => { n /= 3; n %= 7; n <<= 2; n >>= 1; n |= 8; n &= 12; n ^= 1; }
                    clock above: at(6.0) => { max += one; }
                    observe doubled = doubled;
                    observe list: Vec<$int> = list.clone();
                }
            }
            simulation! {
                model Below {
                    state n: $int = $int::MIN;
                    clock below: at(1.0) => { n = n - 1; }
                    clock far_above: at(2.0) => { n = $int::MAX - n * 0 + 1; }
                }
            }

            #[test]
            fn is_checked() {
                let mut sim = Width::default().start(1).unwrap();
                let mut until = |time: f64| { sim.run_until(time).unwrap(); sim.state().n };
                // ((5 + 2 - 1) + 1 - 1) · 3 + 5
                assert_eq!(until(1.0), 23);
                // 69 - 6 + 6
                assert_eq!(until(2.0), 69);
                // 138 - 70, which is 68, then 69 · 2
                assert_eq!(until(3.0), 68);
                assert_eq!(until(3.5), 68);
                sim.update(|state| state.n = 34).unwrap();
                sim.run_until(4.0).unwrap();
                assert_eq!(sim.state().n, 70);
                assert_eq!(sim.observe().map(|outputs| outputs.list).unwrap_or_default(), [70, 71, 72]);
                // 23, 2, 8, 4, 12, 12, 13
                sim.run_until(5.0).unwrap();
                assert_eq!(sim.state().n, 13);
                let error = sim.run_until(6.0).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Overflow { operator: '+', type_name: stringify!($int), .. }));
                assert_eq!((sim.state().max, sim.state().min), ($int::MAX, $int::MIN));

                let mut below = Below::default().start(1).unwrap();
                let error = below.run_until(1.0).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Overflow { operator: '-', .. }), "{error}");
                below.update(|state| state.n = 1).unwrap();
                below.run_until(1.0).unwrap();
                let error = below.run_until(2.0).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::Overflow { operator: '+', .. }), "{error}");
            }
        }
    )* };
}

widths!(u8 u16 u32 u64 u128 usize i16 i32 i64 i128 isize);

/// A vector of the plane.
#[derive(Clone, Copy, Debug, PartialEq)]
struct V(f64, f64);

impl Add for V {
    type Output = V;
    fn add(self, other: V) -> V {
        V(self.0 + other.0, self.1 + other.1)
    }
}

impl<'a> Sub<&'a V> for &V {
    type Output = V;
    fn sub(self, other: &'a V) -> V {
        V(self.0 - other.0, self.1 - other.1)
    }
}

impl Mul<V> for f64 {
    type Output = V;
    fn mul(self, v: V) -> V {
        V(self * v.0, self * v.1)
    }
}

impl AddAssign for V {
    fn add_assign(&mut self, other: V) {
        *self = *self + other;
    }
}

impl SubAssign<f64> for V {
    fn sub_assign(&mut self, k: f64) {
        self.0 -= k;
        self.1 -= k;
    }
}

impl Neg for V {
    type Output = V;
    fn neg(self) -> V {
        V(-self.0, -self.1)
    }
}

/// Owns something, and so cannot be copied.
#[derive(Clone, Debug, PartialEq)]
struct Words(Vec<&'static str>);

impl AddAssign<&'static str> for Words {
    fn add_assign(&mut self, word: &'static str) {
        self.0.push(word);
    }
}

impl Add<&'static str> for &Words {
    type Output = Words;
    fn add(self, word: &'static str) -> Words {
        let mut words = self.clone();
        words += word;
        words
    }
}

simulation! {
    model Others {
        param step: f32 = 0.5;
        state x: f32 = 1.0;
        state v: V = V(1.0, 2.0);
        state w: Wrapping<u8> = Wrapping(250);
        state s: Saturating<i8> = Saturating(100);
        state waited: Duration = Duration::from_secs(1);
        state text: String = String::from("a");
        state words: Words = Words(vec![]);
        state c: char = 'a';
        state n: u8 = 250;
        clock act: at(1.0) => {
            x = 2.0 * x + 1.0;
            x += step;
            x -= 1.0;
            x *= x;
            v += V(0.0, 1.0);
            v = 2.0 * v + -v;
            v -= 1.0;
            v = &v - &V(1.0, 0.0);
            w += 10;
            w = w + Wrapping(1);
            w *= 2;
            s += Saturating(100);
            waited += Duration::from_millis(500);
            waited = waited * 2 - Duration::from_secs(1);
            text += "b";
            text += text.clone().as_str();
            text = text.clone() + "c";
            words += "one";
            words = &words + "two";
            c = (c as u8 + 1) as char;
        }
        clock on_purpose: at(2.0) => {
            n = n.wrapping_add(10);
            n = n.saturating_sub(10);
            n = n.checked_sub(1).unwrap_or(7);
            n = (n as u32 * 1000 + 3) as u8;
        }
    }
}

#[test]
fn what_is_no_integer_keeps_its_operators() {
    let mut sim = Others::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    let state = sim.state();
    assert_eq!((state.x, state.v), (6.25, V(-1.0, 2.0)));
    assert_eq!((state.w.0, state.s.0), (10, 127));
    assert_eq!(state.waited, Duration::from_secs(2));
    assert_eq!((state.text.as_str(), &state.words.0[..], state.c), ("ababc", &["one", "two"][..], 'b'));
}

#[test]
fn what_wraps_on_purpose_wraps() {
    let mut sim = Others::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    // 4, 0, 7, 7003
    assert_eq!(sim.state().n, 91);
}

simulation! {
    model Inferred {
        param small: u8 = 3;
        state n: u64 = 10;
        state i: i64 = -5;
        state out: Vec<i64> = Vec::new();
        let cube = (n + 1).pow(3);
        let free = 20 - n;
        let share = n as f64 / free as f64;
        clock literals: at(1.0) => {
            let mut t = 0;
            t += n;
            let twice = 2 * n;
            let odd = 2 * small + 1u8;
            out.push(-1 * i + 2 * i);
            out.push(t as i64 - 1);
            out.push((twice + 1).pow(2) as i64);
            out.push(i64::from(odd) + i);
            out.push((n - u64::from(small)) as i64 * -1);
            out.push(cube as i64);
        }
        clock shared: at(2.0) => {
            n = free + free - 1;
            n += cube.min(free) * 1;
        }
        clock ranges: at(3.0) => {
            out = (0..n + 1).rev().step_by(20).map(|k| k as i64 + i).collect();
            let at = out.len() - 1;
            out[at] += out[0] - 1;
        }
        clock scaled: rate(1e-9 * free as f64 * (n + 1) as f64) => {}
        observe share = share;
        observe ratio: (f64, u64) = (free as f64 / 2.0, free + 1);
    }
}

#[test]
fn types_are_inferred_through_checked_arithmetic() {
    let mut sim = Inferred::default().start(1).unwrap();
    assert_eq!(sim.observe().map(|o| (o.share, o.ratio)).unwrap(), (1.0, (5.0, 11)));
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().out, [-5, 9, 441, 2, -7, 1331]);
    sim.run_until(2.0).unwrap();
    // 19, then `free` is 1
    assert_eq!(sim.state().n, 20);
    sim.run_until(3.0).unwrap();
    assert_eq!(sim.state().out, [15, 9]);
}

#[test]
fn a_definition_that_overflows_is_an_error_wherever_it_is_used() {
    let mut sim = Inferred::default().start(1).unwrap();
    let error = sim.update(|state| state.n = 21).unwrap_err();
    assert_eq!(error.clock(), Some("scaled"));
    assert!(matches!(error.kind(), ErrorKind::Overflow { operator: '-', left, .. } if left == "20"), "{error}");
}
