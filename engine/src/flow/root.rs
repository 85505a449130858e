//! First sign changes of functions that can only be evaluated.

use crate::error::{ErrorKind, Fault};

/// A time, and the value of the function there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub(super) t: f64,
    pub(super) v: f64,
}

/// A sign change from positive to negative.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The last point found where the function is not negative.
    before: Point,
    /// The first point found where it is negative.
    pub(super) after: Point,
    /// Whether the function jumps over 0, as far as can be seen.
    pub(super) jump: bool,
}

impl Change {
    /// When it happens.
    #[inline]
    pub(super) fn time(&self) -> f64 {
        if self.before.v == 0.0 { self.before.t } else { self.after.t }
    }
}

/// Two points with a change between them.
struct Found {
    left: Point,
    right: Point,
    /// A point before them, after which there may be others that are closer together than looks.
    origin: Point,
}

/// How many looks a window gets: extrema that are narrower can be missed.
const LOOKS: u32 = 16;

/// A function of time times a sign, so that the search need only know changes from positive to
/// negative. A value of 0 counts as positive until the function is negative: where it only touches 0,
/// nothing changes.
pub(super) struct Search<'f, F: ?Sized> {
    pub(super) f: &'f mut F,
    pub(super) sign: f64,
}

impl<F: FnMut(f64) -> Result<f64, Fault> + ?Sized> Search<'_, F> {
    /// The value at `t`.
    ///
    /// # Errors
    /// If it is NaN, or the function fails.
    pub(super) fn look(&mut self, t: f64) -> Result<Point, Fault> {
        let value = (self.f)(t)?;
        if value.is_nan() {
            return Err(Fault::new(ErrorKind::Crossing { value }));
        }
        Ok(Point { t, v: self.sign * value })
    }

    /// How far values about `here` may be off by rounding: this shows in third differences of close values,
    /// in which a smooth function is next to 0. How close is where values begin to differ, `farthest` at most.
    pub(super) fn noise(&mut self, here: Point, farthest: f64) -> Result<f64, Fault> {
        let mut distance = (16.0 * f64::EPSILON * here.t.abs()).max(1e-12 * farthest);
        loop {
            // So that the times are exact.
            let exact = (here.t + distance) - here.t;
            if exact > 0.0 && self.look(here.t + 7.0 * exact)?.v != here.v {
                distance = exact;
                break;
            }
            distance *= 8.0;
            if distance > farthest {
                return Ok(0.0);
            }
        }
        let mut values = [here.v; 8];
        for (k, value) in (0_u8..).zip(&mut values).skip(1) {
            *value = self.look(here.t + f64::from(k) * distance)?.v;
        }
        let thirds = values.windows(4).map(|v| (v[3] - v[0] + 3.0 * (v[1] - v[2])).abs());
        Ok(thirds.filter(|third| third.is_finite()).fold(0.0, f64::max))
    }

    /// The first change to negative between `from`, where the function is not negative, and `end`.
    pub(super) fn first_change(&mut self, from: Point, end: f64) -> Result<Option<Change>, Fault> {
        let Some(Found { origin, left, right }) = self.scan(from, end, LOOKS)? else { return Ok(None) };
        let change = self.narrow(left, right)?;
        // Three changes may be closer than two looks are.
        Ok(Some(match self.scan(origin, change.before.t, LOOKS / 2)? {
            Some(Found { left, right, .. }) => self.narrow(left, right)?,
            None => change,
        }))
    }

    /// Looks at `parts` intervals up to `end`, and at minima between; gives the first two neighbouring
    /// points of which the second is negative.
    fn scan(&mut self, from: Point, end: f64, parts: u32) -> Result<Option<Found>, Fault> {
        let width = (end - from.t) / f64::from(parts);
        let mut before = from;
        let mut here = from;
        for part in 1..=parts {
            let t = if part == parts { end } else { from.t + width * f64::from(part) };
            if t <= here.t {
                continue;
            }
            let next = self.look(t)?;
            if before.t < here.t {
                // What lies between looks is as far from them as their second difference, about.
                let bend = before.v - 2.0 * here.v + next.v;
                if here.v <= before.v && here.v <= next.v && here.v <= bend {
                    if let Some(found) = self.dip(before, here, next)? {
                        return Ok(Some(found));
                    }
                }
            } else if here.v <= next.v {
                // The function may fall first.
                if let Some(found) = self.dip_at(here.t + 1e-3 * width, here, next)? {
                    return Ok(Some(found));
                }
            }
            if next.v < 0.0 {
                return Ok(Some(Found { origin: before, left: here, right: next }));
            }
            (before, here) = (here, next);
        }
        if here.v <= before.v {
            // It may have risen last.
            return self.dip_at(here.t - 1e-3 * width, before, here);
        }
        Ok(None)
    }

    /// Searches for a dip between two points if the function is lower at `t` than at both.
    fn dip_at(&mut self, t: f64, left: Point, right: Point) -> Result<Option<Found>, Fault> {
        if !(left.t < t && t < right.t) {
            return Ok(None);
        }
        let middle = self.look(t)?;
        if middle.v < left.v && middle.v < right.v { self.dip(left, middle, right) } else { Ok(None) }
    }

    /// Follows a minimum down by parabolas, until it is negative or certain not to be. `middle` is not
    /// higher than the others. A dip that rounding could have made is none.
    fn dip(&mut self, mut left: Point, mut middle: Point, mut right: Point) -> Result<Option<Found>, Fault> {
        let (origin, width) = (left, right.t - left.t);
        let shallow = 1e-6 * left.v.abs().max(right.v.abs()).min(f64::MAX);
        for _ in 0..60 {
            if middle.v < 0.0 {
                let real = -middle.v > shallow || -middle.v > self.noise(middle, width / 256.0)?;
                return Ok(real.then_some(Found { origin, left, right: middle }));
            }
            // Vertex of the parabola through the three, from the middle.
            let (to_left, to_right) = (middle.t - left.t, right.t - middle.t);
            let (up_left, up_right) = ((left.v - middle.v) / to_left, (right.v - middle.v) / to_right);
            let curvature = (up_left + up_right) / (to_left + to_right);
            let slope = (up_right * to_left - up_left * to_right) / (to_left + to_right);
            let shift = -0.5 * slope / curvature;
            // Where the parabola rises by less than the minimum is high, no wiggle beside it goes down to 0.
            if middle.v > 0.0 && curvature * to_left.max(to_right).powi(2) < middle.v {
                return Ok(None);
            }
            let shortest = 1e-9 * (right.t - left.t) + 2.0 * f64::EPSILON * middle.t.abs();
            if to_left.max(to_right) <= 4.0 * shortest {
                return Ok(None);
            }
            // Into the larger part if the parabola says nothing new.
            let golden = if to_left > to_right { -0.382 * to_left } else { 0.382 * to_right };
            let inside = shift > -to_left + shortest && shift < to_right - shortest;
            let shift = if !inside {
                golden
            } else if shift.abs() < shortest {
                if to_left > to_right { -shortest } else { shortest }
            } else {
                shift
            };
            let t = middle.t + shift;
            if !(left.t < t && t < right.t) || t == middle.t {
                return Ok(None);
            }
            let next = self.look(t)?;
            if next.v <= middle.v {
                if t < middle.t {
                    right = middle
                } else {
                    left = middle
                }
                middle = next;
            } else if t < middle.t {
                left = next;
            } else {
                right = next;
            }
        }
        Ok(None)
    }

    /// Narrows a change between two points down to neighbouring times, about: interpolate, truncate and
    /// project (Oliveira and Takahashi, 2021), which never needs more looks than bisection, but one.
    fn narrow(&mut self, mut left: Point, mut right: Point) -> Result<Change, Fault> {
        let size = left.v.abs().max(right.v.abs());
        let width = right.t - left.t;
        let resolution = f64::EPSILON * left.t.abs().max(right.t.abs()).max(f64::MIN_POSITIVE);
        let scale = 0.2 / width;
        let halvings = (width / (2.0 * resolution)).log2().ceil().max(0.0);
        // How far from the middle a look may be, so that bisection is not slower by more than one.
        let mut reach = resolution * (halvings + 1.0).exp2();
        while right.t - left.t > 2.0 * resolution {
            let length = right.t - left.t;
            let middle = left.t + 0.5 * length;
            let secant = (left.t * -right.v + right.t * left.v) / (left.v - right.v);
            let t = if secant >= left.t && secant <= right.t {
                let side = (middle - secant).signum();
                let truncation = scale * length * length;
                let truncated = if truncation <= (middle - secant).abs() { secant + side * truncation } else { middle };
                let radius = (reach - 0.5 * length).max(0.0);
                if (truncated - middle).abs() <= radius { truncated } else { middle - side * radius }
            } else {
                middle
            };
            reach *= 0.5;
            let t = if left.t < t && t < right.t { t } else { middle };
            if !(left.t < t && t < right.t) {
                break;
            }
            let next = self.look(t)?;
            if next.v < 0.0 {
                right = next;
                continue;
            }
            left = next;
            if next.v == 0.0 && t + 2.0 * resolution < right.t {
                // Mostly it is the root itself.
                let beyond = self.look(t + 2.0 * resolution)?;
                if beyond.v < 0.0 {
                    right = beyond;
                    break;
                }
                left = beyond;
            }
        }
        Ok(Change { before: left, after: right, jump: right.v.abs() > 1e-6 * size })
    }
}
