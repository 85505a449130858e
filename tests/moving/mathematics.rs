//! Hazards and crossings once more, by plain means: the integral of a hazard is inverted by bisection,
//! a polynomial is made out from its values, and other functions are looked at in small steps.

use clockrace::__private::{Moment, exponential};
use clockrace::Rng;

use super::engine::uniform;

/// c + (a + b·s)⁺
type Parts = (f64, f64, f64);

fn hazard((a, b, c): Parts, s: f64) -> f64 {
    c + (a + b * s).max(0.0)
}

fn integral((a, b, c): Parts, t: f64) -> f64 {
    let end = a + b * t;
    let above = if a >= 0.0 && end >= 0.0 {
        a * t + 0.5 * b * t * t
    } else if a >= 0.0 {
        0.5 * a * a / -b
    } else if end > 0.0 {
        0.5 * b * (t + a / b).powi(2)
    } else {
        0.0
    };
    c * t + above
}

/// When a hazard adds up to `e`.
fn arrival(parts: Parts, e: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while integral(parts, high) < e {
        (low, high) = (high, 2.0 * high);
        if high > 1e9 {
            return f64::INFINITY;
        }
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if integral(parts, middle) < e { low = middle } else { high = middle }
    }
    high
}

/// The first time of a Poisson process from `now` on; without a hazard nothing is drawn.
pub(super) fn arrival_from(now: Moment, parts: Parts, rng: &mut Rng) -> Moment {
    let (a, b, c) = parts;
    if c == 0.0 && a <= 0.0 && b <= 0.0 { Moment::NEVER } else { now.after(arrival(parts, exponential(rng))) }
}

/// Thinning.
#[derive(Clone, Debug)]
pub(super) struct Thin {
    since: Moment,
    from: Moment,
    parts: Parts,
    ends: Moment,
    factor: f64,
    /// Whether it waits for the end of its bound.
    pub(super) expires: bool,
}

impl Thin {
    pub(super) const OFF: Thin = Thin {
        since: Moment::NEVER,
        from: Moment::NEVER,
        parts: (0.0, 0.0, 0.0),
        ends: Moment::NEVER,
        factor: 1.0,
        expires: false,
    };

    pub(super) fn disable(&mut self) {
        self.expires = false;
    }

    /// A bound begins, after a change or, with `renew`, at the end of another.
    pub(super) fn start(&mut self, (a, b, c): Parts, until: Option<f64>, now: Moment, renew: bool) {
        if !renew {
            self.since = now;
        }
        self.from = now;
        self.parts = (a * self.factor, b * self.factor, c * self.factor);
        self.ends = until.map_or(Moment::NEVER, |until| now.after(until));
        self.expires = false;
    }

    pub(super) fn rate(&self) -> f64 {
        hazard(self.parts, 0.0)
    }

    pub(super) fn elapsed(&self, now: Moment) -> f64 {
        now.since(self.since).max(0.0)
    }

    pub(super) fn propose(&mut self, now: Moment, rng: &mut Rng) -> Moment {
        let (a, b, c) = self.parts;
        let next = arrival_from(now, (a + b * now.since(self.from), b, c), rng);
        self.expires = self.ends.before(next);
        if self.expires { self.ends } else { next }
    }

    pub(super) fn accept(&mut self, rate: f64, adapt: bool, now: Moment, rng: &mut Rng) -> Result<bool, String> {
        let bound = hazard(self.parts, now.since(self.from));
        if rate <= bound {
            return Ok(uniform(rng) * bound < rate);
        }
        if !adapt {
            return Err("bound".to_owned());
        }
        // As the engine raises it: a quarter more than it would have had to be.
        let growth = 1.25 * rate / bound;
        let (a, b, c) = self.parts;
        self.parts = (a * growth, b * growth, c * growth);
        self.factor *= growth;
        Ok(true)
    }
}

/// Waiting for a function to fall through zero.
#[derive(Clone, Debug)]
pub(super) struct Cross {
    armed: bool,
    /// From when on the function is positive.
    positive_from: f64,
    rang_at: f64,
    /// Whether it only looks again at the time that it gave.
    pub(super) wakes: bool,
    /// Whether the function was close to zero and did not cross it.
    pub(super) grazes: bool,
}

/// Below this a function counts as zero, and what comes after decides.
const ZERO: f64 = 1e-9;

/// Intervals of a window.
const INTERVALS: usize = 64;

impl Cross {
    pub(super) const OFF: Cross =
        Cross { armed: false, positive_from: f64::INFINITY, rang_at: f64::NAN, wakes: false, grazes: false };

    pub(super) fn rang(&mut self, now: Moment) {
        (self.positive_from, self.rang_at, self.wakes) = (f64::INFINITY, now.time, false);
    }

    pub(super) fn disarm(&mut self) {
        (self.armed, self.positive_from, self.wakes) = (false, f64::INFINITY, false);
    }

    /// When `function` falls through zero. A polynomial of a known degree is solved; others are followed for a
    /// time `window`.
    pub(super) fn refresh(
        &mut self,
        function: &mut dyn FnMut(f64) -> f64,
        degree: Option<u32>,
        window: f64,
        now: Moment,
    ) -> Moment {
        let was_positive = self.armed && now.time > self.positive_from;
        (self.armed, self.positive_from, self.wakes) = (true, f64::INFINITY, false);
        let value = function(now.time);
        // A function that is zero has the sign it leaves to.
        let from = if value.abs() < ZERO { now.time + 1e-6 } else { now.time };
        let positive = function(from) > 0.0;
        // Just before or after another clock's event, and where it turns round as it is about to ring, rounding
        // says whether it rings, and when.
        let next_to = self.rang_at != now.time && (1e-13..ZERO).contains(&value.abs());
        let turned = positive && was_positive && from > now.time;
        self.grazes = next_to || turned || function(from).abs() < 1e-13;
        if !positive && was_positive {
            self.positive_from = f64::NEG_INFINITY;
            return now;
        }
        let (changes, end) = match degree {
            Some(degree) => (self.roots(function, degree, from), f64::INFINITY),
            None => (self.followed(function, from, from + window), from + window),
        };
        let mut changes = changes.into_iter();
        if positive {
            self.positive_from = f64::NEG_INFINITY;
        } else {
            self.positive_from = changes.next().unwrap_or(f64::INFINITY);
        }
        let fall = changes.next().unwrap_or(end);
        self.wakes = fall == end && end < f64::INFINITY;
        if fall < f64::INFINITY { Moment::at(fall) } else { Moment::NEVER }
    }

    /// When a polynomial of `degree` changes its sign after `from`: it is made out from three values.
    fn roots(&mut self, function: &mut dyn FnMut(f64) -> f64, degree: u32, from: f64) -> Vec<f64> {
        let (c, at_one) = (function(from), function(from + 1.0));
        let a = if degree < 2 { 0.0 } else { 0.5 * (function(from + 2.0) - 2.0 * at_one + c) };
        let b = at_one - c - a;
        let size = a.abs() + b.abs() + c.abs();
        let mut roots = if a.abs() < 1e-12 * size {
            if b.abs() < 1e-12 * size { vec![] } else { vec![-c / b] }
        } else {
            let square = b * b - 4.0 * a * c;
            if square.abs() < 1e-9 * (b * b + (a * c).abs()) {
                self.grazes = true;
            }
            if square <= 0.0 {
                vec![]
            } else {
                let q = -0.5 * (b + square.sqrt().copysign(b));
                vec![q / a, c / q]
            }
        };
        roots.retain(|&root| root > 0.0);
        roots.sort_by(f64::total_cmp);
        roots.into_iter().map(|root| from + root).collect()
    }

    /// When a function changes its sign between two times.
    fn followed(&mut self, function: &mut dyn FnMut(f64) -> f64, from: f64, to: f64) -> Vec<f64> {
        let time = |i: usize| from + (to - from) * i as f64 / INTERVALS as f64;
        let values: Vec<f64> = (0..=INTERVALS).map(|i| function(time(i))).collect();
        let mut changes = Vec::new();
        let mut bisect = |function: &mut dyn FnMut(f64) -> f64, mut low: f64, mut high: f64| {
            let positive = function(low) > 0.0;
            for _ in 0..60 {
                let middle = 0.5 * (low + high);
                if (function(middle) > 0.0) == positive { low = middle } else { high = middle }
            }
            changes.push(high);
        };
        for i in 0..INTERVALS {
            let (here, next) = (values[i], values[i + 1]);
            if (here > 0.0) != (next > 0.0) {
                bisect(function, time(i), time(i + 1));
            } else if i > 0
                && here.abs() <= values[i - 1].abs()
                && here.abs() <= next.abs()
                && (values[i - 1] > 0.0) == (here > 0.0)
            {
                // It turns round here: before zero, or after two more crossings.
                let sign = here.signum();
                let (mut low, mut high) = (time(i - 1), time(i + 1));
                for _ in 0..60 {
                    let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
                    if sign * function(a) < sign * function(b) { high = b } else { low = a }
                }
                let extremum = sign * function(0.5 * (low + high));
                if extremum.abs() < 1e-7 {
                    self.grazes = true;
                } else if extremum < 0.0 {
                    bisect(function, time(i - 1), 0.5 * (low + high));
                    bisect(function, 0.5 * (low + high), time(i + 1));
                }
            }
        }
        changes.sort_by(f64::total_cmp);
        changes
    }
}
