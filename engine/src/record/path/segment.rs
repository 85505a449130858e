//! Pieces of a path, and what is made of flows that are no polynomials.

use crate::record::quadrature::{TWELVE, interpolate};

/// A coordinate from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    pub(super) start: f64,
    pub(super) end: f64,
    pub(super) shape: Shape,
}

/// How a coordinate goes from the start of a segment on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shape {
    /// c₀ + c₁ s + c₂ s², s after the start.
    Polynomial([f64; 3]),
    /// The values at the nodes of [`TWELVE`].
    Sampled([f64; 12]),
}

/// What two coordinates do in an interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Joint {
    pub(super) means: [f64; 2],
    /// The mean product of the distances from these means.
    pub(super) covariance: f64,
}

impl Segment {
    /// c₀ + c₁ s + c₂ s², s after the start.
    pub(super) fn polynomial(start: f64, end: f64, course: [f64; 3]) -> Self {
        Segment { start, end, shape: Shape::Polynomial(course) }
    }

    /// The value at a time in it.
    #[inline]
    pub(super) fn value(&self, time: f64) -> f64 {
        match &self.shape {
            Shape::Polynomial([value, slope, bend]) => {
                let s = time - self.start;
                value + s * (slope + s * bend)
            }
            Shape::Sampled(values) => {
                let (before, after) = (time - self.start, self.end - time);
                interpolate(values, (before - after) / (self.end - self.start))
            }
        }
    }

    /// The value that stays in all of it, if one does.
    pub(super) fn constant(&self) -> Option<f64> {
        match &self.shape {
            Shape::Polynomial([value, slope, bend]) => (*slope == 0.0 && *bend == 0.0).then_some(*value),
            Shape::Sampled(values) => values.iter().all(|value| *value == values[0]).then_some(values[0]),
        }
    }

    /// The same without what comes before `start`; of a polynomial.
    pub(super) fn later(self, start: f64) -> Self {
        match self.shape {
            Shape::Polynomial(course) if start != self.start => {
                Segment::polynomial(start, self.end, self.course_at(start, course))
            }
            _ => self,
        }
    }

    /// Value, slope and half of the curvature at a time; of a polynomial.
    fn course_at(&self, time: f64, [value, slope, bend]: [f64; 3]) -> [f64; 3] {
        let s = time - self.start;
        [value + s * (slope + s * bend), slope + 2.0 * s * bend, bend]
    }

    /// The values at the nodes of the interval from `from` to `until`.
    fn values(&self, from: f64, until: f64) -> [f64; 12] {
        match self.shape {
            Shape::Sampled(values) if from == self.start && until == self.end => values,
            _ => TWELVE.times(from, until).map(|time| self.value(time)),
        }
    }

    /// The mean from `from` to `until`, and the mean square distance from it.
    #[inline]
    pub(super) fn mean_and_variance(&self, from: f64, until: f64) -> (f64, f64) {
        match self.shape {
            Shape::Polynomial(course) => {
                // About the middle, odd terms cancel by themselves.
                let [value, slope, bend] = self.course_at(middle(from, until), course);
                let square = 0.25 * (until - from) * (until - from);
                let curved = bend * square;
                (value + curved / 3.0, square * slope * slope / 3.0 + curved * curved * (4.0 / 45.0))
            }
            Shape::Sampled(_) => {
                let values = self.values(from, until);
                let mean = TWELVE.mean(values);
                (mean, TWELVE.mean(values.map(|value| (value - mean) * (value - mean))))
            }
        }
    }

    /// This and another coordinate from `from` to `until`.
    pub(super) fn joint(&self, other: &Segment, from: f64, until: f64) -> Joint {
        if let (Shape::Polynomial(course), Shape::Polynomial(others)) = (self.shape, other.shape) {
            let at = middle(from, until);
            let ([value, slope, bend], [others, tilt, curl]) =
                (self.course_at(at, course), other.course_at(at, others));
            let square = 0.25 * (until - from) * (until - from);
            return Joint {
                means: [value + bend * square / 3.0, others + curl * square / 3.0],
                covariance: square * slope * tilt / 3.0 + (bend * square) * (curl * square) * (4.0 / 45.0),
            };
        }
        let (values, others) = (self.values(from, until), other.values(from, until));
        let means = [TWELVE.mean(values), TWELVE.mean(others)];
        let products = values.iter().zip(others).map(|(value, other)| (value - means[0]) * (other - means[1]));
        Joint { means, covariance: TWELVE.mean(products) }
    }
}

fn middle(from: f64, until: f64) -> f64 {
    from + 0.5 * (until - from)
}

/// How far a value in between may be from the sampled function, relative to the size of the function.
const TOLERANCE: f64 = 1e-12;

/// Where in (−1, 1) the function is compared with what was made of it: at the ends, where a polynomial through
/// Gauss-Legendre nodes is worst, and at places that no period fits.
const CHECKS: [f64; 7] = [-1.0, 1.0, -0.853, -0.446, 0.037, 0.541, 0.937];

/// How often in all halving may fail to help.
const PATIENCE: usize = 4096;

/// How often one half may be halved again.
const DEPTH: u32 = 48;

/// Samples a function of time from `from` to `until`, in segments so short that the polynomials through
/// the samples agree with the function to 10⁻¹² of its size. `keep` is given them in their order.
///
/// At a jump or a kink segments get as short as 2⁻⁴⁸ of the whole.
///
/// # Errors
/// What the function fails with.
pub(super) fn sample<E>(
    from: f64,
    until: f64,
    mut function: impl FnMut(f64) -> Result<f64, E>,
    mut keep: impl FnMut(Segment),
) -> Result<(), E> {
    let mut size = 0.0_f64;
    let mut patience = PATIENCE;
    // What is left to do, the earliest last.
    let mut left = vec![(from, until, DEPTH, f64::INFINITY)];
    while let Some((start, end, depth, before)) = left.pop() {
        let times = TWELVE.times(start, end);
        let mut values = [0.0; 12];
        for (value, time) in values.iter_mut().zip(times) {
            *value = function(time)?;
            size = size.max(value.abs());
        }
        let segment = Segment { start, end, shape: Shape::Sampled(values) };
        let mut error = 0.0_f64;
        for check in CHECKS {
            let time = if check == 1.0 { end } else { start + 0.5 * (1.0 + check) * (end - start) };
            let value = function(time)?;
            size = size.max(value.abs());
            let difference = (segment.value(time) - value).abs();
            // A function that is not finite is not made so by shorter segments.
            error = error.max(if difference.is_nan() { 0.0 } else { difference });
        }
        // Times are rounded, and a steep function shows it.
        let steps = values.windows(2).zip(times.windows(2));
        let steepest = steps.map(|(v, t)| ((v[1] - v[0]) / (t[1] - t[0])).abs()).fold(0.0, f64::max);
        let rounding = 4.0 * f64::EPSILON * start.abs().max(end.abs()) * steepest;
        let half = middle(start, end);
        let helped = error < 0.9 * before;
        if error <= TOLERANCE * size + rounding || depth == 0 || patience == 0 || !(start < half && half < end) {
            keep(segment);
            continue;
        }
        if !helped {
            patience -= 1;
        }
        left.push((half, end, depth - 1, error));
        left.push((start, half, depth - 1, error));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn sampled(from: f64, until: f64, function: impl Fn(f64) -> f64) -> Vec<Segment> {
        let mut segments = Vec::new();
        let Ok(()) = sample::<Infallible>(from, until, |t| Ok(function(t)), |segment| segments.push(segment));
        assert_eq!((segments[0].start, segments[segments.len() - 1].end), (from, until));
        assert!(segments.windows(2).all(|two| two[0].end == two[1].start));
        segments
    }

    /// The greatest distance between a function and what was made of it, at many places.
    fn worst(segments: &[Segment], function: impl Fn(f64) -> f64) -> f64 {
        let distances = segments.iter().flat_map(|segment| {
            (0..=100).map(|k| {
                let time = segment.start + (segment.end - segment.start) * f64::from(k) / 100.0;
                (segment.value(time) - function(time)).abs()
            })
        });
        distances.fold(0.0, f64::max)
    }

    #[test]
    fn smooth_functions_to_the_last_digits() {
        type Function = fn(f64) -> f64;
        let functions: [(f64, f64, Function); 5] = [
            (0.0, 1.0, |t| (-t).exp()),
            (0.0, 60.0, |t| (-t).exp()),
            (2.0, 9.0, |t| 3.0 + 2.0 * t.sin()),
            (0.0, 3000.0, |t| (2.0 * t).cos()),
            (0.0, 1.0, |t| 1.0 / (1.0 + 25.0 * (t - 0.4) * (t - 0.4))),
        ];
        for (from, until, function) in functions {
            let segments = sampled(from, until, function);
            let size = (0..1000).map(|k| function(from + (until - from) * f64::from(k) / 1000.0).abs());
            let size = size.fold(0.0, f64::max);
            assert!(worst(&segments, function) < 4e-12 * size, "{from} {until}");
        }
    }

    #[test]
    fn few_segments_for_what_is_smooth() {
        assert_eq!(sampled(0.0, 1.0, |t| (-t).exp()).len(), 1);
        assert_eq!(sampled(0.0, 1.0, f64::sin).len(), 1);
        assert_eq!(sampled(5.0, 9.0, |t| t * t - 3.0).len(), 1);
        assert!(sampled(0.0, std::f64::consts::TAU, f64::sin).len() <= 8);
        // Late times are rounded; that must not look like a rough function.
        let late = sampled(1e9, 1e9 + 1.0, |t| (t - 1e9).sin());
        assert!(late.len() <= 2, "{}", late.len());
    }

    #[test]
    fn a_jump_and_a_kink_are_closed_in() {
        for (jump, function) in
            [(1.0, (|t| if t < 0.3 { 1.0 } else { 2.0 }) as fn(f64) -> f64), (0.0, |t| (t - 0.3).abs())]
        {
            let segments = sampled(0.0, 1.0, function);
            assert!(segments.len() < 200);
            let area: f64 = segments.iter().map(|s| s.mean_and_variance(s.start, s.end).0 * (s.end - s.start)).sum();
            let exact = if jump > 0.0 { 1.7 } else { 0.5 * (0.09 + 0.49) };
            assert!((area - exact).abs() < 1e-12, "{area}");
        }
    }

    #[test]
    fn noise_and_what_is_not_finite_come_to_an_end() {
        let noise = |t: f64| ((t.to_bits() >> 7) % 1000) as f64;
        assert!(sampled(0.0, 1.0, noise).len() < 20_000);
        assert_eq!(sampled(0.0, 1.0, |_| f64::NAN).len(), 1);
        assert_eq!(sampled(0.0, 1.0, |_| f64::INFINITY).len(), 1);
        assert!(sampled(-1.0, 1.0, |t| 1.0 / t).len() < 20_000);
    }

    #[test]
    fn errors_end_the_sampling() {
        let mut calls = 0;
        let failing = |_| {
            calls += 1;
            if calls < 15 { Ok(1.0) } else { Err("no") }
        };
        assert_eq!(sample(0.0, 1.0, failing, |_| {}), Err("no"));
    }

    #[test]
    fn moments_of_polynomials_are_exact() {
        // x = 1 − 2s + s², y = 3 + s from 2 on; over s in [1, 3].
        let x = Segment::polynomial(2.0, 7.0, [1.0, -2.0, 1.0]);
        let y = Segment::polynomial(2.0, 7.0, [3.0, 1.0, 0.0]);
        // With u = s − 1 in [0, 2]: x = u², y = 4 + u.
        let (mean, variance) = x.mean_and_variance(3.0, 5.0);
        assert!((mean - 4.0 / 3.0).abs() < 1e-15);
        assert!((variance - (16.0 / 5.0 - 16.0 / 9.0)).abs() < 1e-15);
        let joint = x.joint(&y, 3.0, 5.0);
        assert_eq!(joint.means[0], mean);
        assert_eq!(joint.means[1], 5.0);
        // Mean of u²(4 + u) is 16/3 + 2.
        assert!((joint.covariance - (16.0 / 3.0 + 2.0 - 20.0 / 3.0)).abs() < 1e-15);
        assert!((x.joint(&x, 3.0, 5.0).covariance - variance).abs() < 1e-15);
        assert_eq!(x.value(4.0), 1.0);
        assert_eq!((x.constant(), y.constant()), (None, None));
        assert_eq!(Segment::polynomial(0.0, 1.0, [0.3, 0.0, 0.0]).constant(), Some(0.3));
    }

    #[test]
    fn sampled_and_polynomial_segments_agree() {
        let course = [1.0, -2.0, 0.7];
        let exact = Segment::polynomial(2.0, 7.0, course);
        let sampled = sampled(2.0, 7.0, |t| exact.value(t))[0];
        let line = Segment::polynomial(1.0, 8.0, [0.5, 0.1, 0.0]);
        for (from, until) in [(2.0, 7.0), (2.5, 3.0)] {
            let ((m, v), (n, w)) = (exact.mean_and_variance(from, until), sampled.mean_and_variance(from, until));
            assert!((m - n).abs() < 1e-13 && (v - w).abs() < 1e-12);
            let (a, b) = (exact.joint(&line, from, until), sampled.joint(&line, from, until));
            assert!((a.covariance - b.covariance).abs() < 1e-13);
            assert!((a.means[1] - b.means[1]).abs() < 1e-15);
        }
        let still = Segment { start: 0.0, end: 1.0, shape: Shape::Sampled([0.1; 12]) };
        assert_eq!((still.constant(), still.mean_and_variance(0.2, 0.7)), (Some(0.1), (0.1, 0.0)));
    }
}
