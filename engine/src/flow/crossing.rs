//! What a clock remembers that waits for a function of flowing state to cross zero.

use super::poly::Poly;
use super::quadratic::Quadratic;
use super::root::{Point, Search};
use crate::error::{ErrorKind, Fault};
use crate::moment::Moment;

/// `crosses(E, down)`; for `up` the function is −E, so that here it always crosses from positive to
/// negative.
///
/// Where the function is zero, up to rounding, it has the sign it leaves to. A particle that leaves a
/// wall therefore neither hits it again nor falls through.
#[derive(Clone, Debug)]
pub struct Crossing {
    armed: bool,
    /// The time from which on the function is positive: −∞ if it was when it was looked at last, or
    /// until the clock has rung; ∞ if it never is.
    positive_from: f64,
    /// When the clock rang last.
    rang_at: f64,
    /// How far from zero the function was then, by rounding.
    residual: f64,
    /// Whether the clock rings because the function was carried across zero.
    jumps: bool,
    /// Whether the search goes on at the time that was given.
    wakes: bool,
    /// Whether the function rises after a ring and is back in no time: then nothing can have moved until the next.
    returns: bool,
}

/// Where a function that was looked at leaves to.
enum Leaves {
    /// It is not zero.
    NotZero,
    /// It is zero, and here it is not any more.
    To(Point),
    /// It stays zero.
    Never,
}

impl Crossing {
    /// Not armed, and has not rung.
    pub const OFF: Crossing = Crossing {
        armed: false,
        positive_from: f64::INFINITY,
        rang_at: f64::NAN,
        residual: 0.0,
        jumps: false,
        wakes: false,
        returns: false,
    };

    /// The clock rings at `now`, where the function is evaluated as `value`. From here on it counts as
    /// negative, unless it leaves upwards.
    #[inline]
    pub fn rang(&mut self, value: f64, now: f64) {
        self.positive_from = f64::INFINITY;
        self.rang_at = now;
        self.residual = if self.jumps || value.is_nan() { 0.0 } else { value.abs() };
        self.jumps = false;
        self.wakes = false;
    }

    /// The clock is disabled.
    #[inline]
    pub fn disarm(&mut self) {
        self.armed = false;
        self.positive_from = f64::INFINITY;
        self.jumps = false;
        self.wakes = false;
    }

    /// Whether the time that was given last is no ring: there [`Crossing::refresh`] goes on with the
    /// search.
    #[inline]
    #[must_use]
    pub fn silent(&self) -> bool {
        self.wakes
    }

    /// Arms the clock. Gives whether the function was positive just before `now`.
    #[inline]
    fn arm(&mut self, now: Moment) -> bool {
        let positive = self.armed && now.time > self.positive_from;
        self.armed = true;
        self.positive_from = f64::INFINITY;
        self.jumps = false;
        self.wakes = false;
        positive
    }

    /// The function is negative at `now` and was positive before.
    #[inline]
    fn at_once(&mut self, now: Moment) -> Moment {
        // It counts as positive until the clock has rung, as others may come first at this instant.
        self.positive_from = f64::NEG_INFINITY;
        self.jumps = true;
        now
    }

    /// How far from zero the function may be at `now` because the clock has just rung.
    #[inline]
    fn left_over(&self, now: Moment) -> f64 {
        if self.rang_at == now.time { 2.0 * self.residual } else { 0.0 }
    }

    /// When the clock rings if the function is `poly`, counted from `now`.
    ///
    /// # Errors
    /// If the function is NaN.
    #[inline]
    pub fn refresh_poly(&mut self, poly: Poly, now: Moment) -> Result<Moment, Fault> {
        let was_positive = self.arm(now);
        let [c0, c1, c2] = poly.c;
        let value = poly.value_at(0.0);
        if value.is_nan() {
            return Err(Fault::new(ErrorKind::Crossing { value }));
        }
        // What was added up for c₀ is rounded, and so was the time at which it was added up.
        let rounding = f64::EPSILON * (8.0 * poly.size.min(f64::MAX) + 4.0 * (now.time * c1).abs());
        let tolerance = rounding.max(self.left_over(now));
        // Of an endless series of shorter and shorter bounces the last ones take no time that a number could tell from
        // none. The flow does not turn the velocity round in no time, so from here on up and down mean nothing, and
        // what bounces would fall through; it is left to the Zeno budget.
        let stuck = self.returns && self.rang_at == now.time && c0.abs() <= tolerance;
        if stuck {
            self.positive_from = f64::NEG_INFINITY;
            return Ok(now);
        }
        self.returns = false;
        let quadratic = Quadratic { c0, b: 0.5 * c1, c2, size: poly.size };
        if c0.abs() > tolerance || c0.is_infinite() {
            if c0 > 0.0 {
                self.positive_from = f64::NEG_INFINITY;
                return Ok(now.after(quadratic.first_fall()));
            }
            if was_positive {
                return Ok(self.at_once(now));
            }
            let (rise, fall) = quadratic.rise_and_fall();
            self.positive_from = now.time + rise;
            return Ok(now.after(fall));
        }
        // A function that falls by less than rounding before it rises does not leave downwards.
        let rises = c1 > 0.0 || (c2 > 0.0 && c1 * c1 <= 4.0 * c2 * tolerance);
        if rises {
            self.positive_from = f64::NEG_INFINITY;
            let fall = if c2 < 0.0 { now.after(quadratic.far()) } else { Moment::NEVER };
            self.returns = self.rang_at == now.time && fall.time == now.time;
            Ok(fall)
        } else if c1 == 0.0 && c2 == 0.0 {
            Ok(Moment::NEVER)
        } else if !was_positive {
            if c2 > 0.0 {
                self.positive_from = now.time + quadratic.far();
            }
            Ok(Moment::NEVER)
        } else if c0 > 0.0 {
            self.positive_from = f64::NEG_INFINITY;
            Ok(now.after(quadratic.first_fall()))
        } else {
            Ok(self.at_once(now))
        }
    }

    /// When the clock rings if the function is `f` of the time. If it does not in the next `step`, gives
    /// the end of that window, and is [silent](Crossing::silent).
    ///
    /// The window is looked at in sixteen places, and at the extrema that these show. Changes that are closer
    /// together, and arcs that are shorter than the spacing of times or lower than rounding, can be missed.
    ///
    /// # Errors
    /// If `step` is not positive and finite, the function is NaN, or fails.
    pub fn refresh<F>(&mut self, f: &mut F, step: f64, now: Moment) -> Result<Moment, Fault>
    where
        F: FnMut(f64) -> Result<f64, Fault> + ?Sized,
    {
        if !(step > 0.0 && step <= f64::MAX) {
            return Err(Fault::new(ErrorKind::Step { value: step }));
        }
        let was_positive = self.arm(now);
        // A window has some times in it.
        let end = (now.time + step.max(64.0 * ulp(now.time))).min(f64::MAX);
        let mut search = Search { f, sign: 1.0 };
        let mut from = search.look(now.time)?;
        let value = from.v;
        match leaves(&mut search, from, end, self.left_over(now))? {
            Leaves::NotZero => {}
            Leaves::To(point) => from = point,
            Leaves::Never => {
                self.wakes = true;
                return Ok(not_before(now, end));
            }
        }
        if from.v < 0.0 && !was_positive {
            search.sign = -1.0;
            let Some(rise) = search.first_change(Point { v: -from.v, ..from }, end)? else {
                self.wakes = true;
                return Ok(not_before(now, end));
            };
            search.sign = 1.0;
            self.positive_from = rise.time();
            from = Point { v: -rise.after.v, ..rise.after };
        } else {
            if from.v < 0.0 {
                if value <= 0.0 {
                    return Ok(self.at_once(now));
                }
                // Zero up to rounding, and about to fall: the root is still ahead.
                from = Point { t: now.time, v: value };
            }
            self.positive_from = f64::NEG_INFINITY;
        }
        match search.first_change(from, end)? {
            Some(fall) => {
                self.jumps = fall.jump;
                Ok(not_before(now, fall.time()))
            }
            None => {
                self.wakes = true;
                Ok(not_before(now, end))
            }
        }
    }
}

/// `time`, but not before `now`.
#[inline]
fn not_before(now: Moment, time: f64) -> Moment {
    if time > now.time { Moment::at(time) } else { now }
}

/// The unit in the last place of `time`, about.
#[inline]
fn ulp(time: f64) -> f64 {
    f64::EPSILON * time.abs()
}

/// Whether the function is zero `here`, up to rounding and `left_over`, and where to it leaves before
/// `end`.
fn leaves<F>(search: &mut Search<'_, F>, here: Point, end: f64, left_over: f64) -> Result<Leaves, Fault>
where
    F: FnMut(f64) -> Result<f64, Fault> + ?Sized,
{
    let window = end - here.t;
    let mut size = 0.0_f64;
    for t in [here.t + 0.0625 * window, here.t + 0.125 * window] {
        let value = search.look(t)?.v.abs();
        if value <= f64::MAX {
            size = size.max(value);
        }
    }
    if here.v.abs() > left_over.max(1e-4 * size) {
        return Ok(Leaves::NotZero);
    }
    let noise = search.noise(here, window / 2048.0)?;
    // The time at which the function is zero was rounded, too.
    let mut wait = (4.0 * ulp(here.t)).max(window * 1e-15);
    let late = (search.look(here.t + wait)?.v - here.v).abs();
    let tolerance = (noise + late).max(left_over);
    if here.v.abs() > tolerance {
        return Ok(Leaves::NotZero);
    }
    while wait < window {
        let point = search.look(here.t + wait)?;
        if point.v.abs() > 2.0 * tolerance {
            return Ok(Leaves::To(point));
        }
        wait *= 4.0;
    }
    let last = search.look(end)?;
    Ok(if last.v.abs() > 2.0 * tolerance { Leaves::To(last) } else { Leaves::Never })
}

#[cfg(test)]
mod tests;
