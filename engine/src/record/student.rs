//! Quantiles of Student's t, for confidence intervals.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI, FRAC_PI_2, PI};

/// The t for which a Student variable with `freedom` degrees of freedom lies in (−t, t) with
/// probability `level`, for `level` in (0, 1) and `freedom` > 0.
///
/// Good to some ten digits.
pub(super) fn two_sided(level: f64, freedom: usize) -> f64 {
    if freedom <= 200 {
        let angle = solve(FRAC_PI_2, |angle| within(angle, freedom) < level);
        angle.tan() * (freedom as f64).sqrt()
    } else {
        let z = solve(40.0, |z| erf(z * FRAC_1_SQRT_2) < level);
        expand(z, freedom as f64)
    }
}

/// The root of a function that rises from 0, by bisection.
fn solve(mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    let mut low = 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if !(middle > low && middle < high) {
            return middle;
        }
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
}

/// The probability of (−t, t) for t = √freedom · tan `angle`: finite sums (Abramowitz and Stegun,
/// 26.7.3 and 26.7.4).
fn within(angle: f64, freedom: usize) -> f64 {
    let (sin, cos) = angle.sin_cos();
    let odd = freedom % 2 == 1;
    let mut term = if odd { cos } else { 1.0 };
    let mut sum = 0.0;
    let mut k = if odd { 1 } else { 0 };
    while k + 2 <= freedom {
        sum += term;
        term *= cos * cos * (k + 1) as f64 / (k + 2) as f64;
        k += 2;
    }
    if odd { FRAC_2_PI * (angle + sin * sum) } else { sin * sum }
}

/// The error function for x ≥ 0; all terms of the series are positive (7.1.6).
fn erf(x: f64) -> f64 {
    let mut term = x;
    let mut sum = 0.0;
    let mut k = 1.0;
    while term > 1e-17 * sum {
        sum += term;
        k += 2.0;
        term *= 2.0 * x * x / k;
    }
    (2.0 / PI.sqrt() * (-x * x).exp() * sum).min(1.0)
}

/// Student's quantile from the normal one, for many degrees of freedom (26.7.5).
fn expand(z: f64, freedom: f64) -> f64 {
    let s = z * z;
    let terms = [
        (s + 1.0) / 4.0,
        ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0,
    ];
    z * (1.0 + terms.iter().rev().fold(0.0, |sum, term| (sum + term) / freedom))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_quantiles() {
        for (level, freedom, t) in [
            (0.95, 1, 12.706_204_736_174_7),
            (0.95, 2, 4.302_652_729_911_28),
            (0.95, 7, 2.364_624_251_592_78),
            (0.99, 30, 2.749_995_653_567_2),
            (0.95, 200, 1.971_896_223_633_25),
        ] {
            assert!((two_sided(level, freedom) / t - 1.0).abs() < 1e-10, "{level} {freedom}");
        }
        assert!((two_sided(0.95, usize::MAX) - 1.959_963_984_540_054).abs() < 1e-12);
        assert!((two_sided(0.999, usize::MAX) - 3.290_526_731_491_9).abs() < 1e-11);
    }

    #[test]
    fn both_ways_agree_where_they_meet() {
        for level in [0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 0.999_999] {
            let z = solve(40.0, |z| erf(z * FRAC_1_SQRT_2) < level);
            let exact = two_sided(level, 200);
            assert!((expand(z, 200.0) / exact - 1.0).abs() < 1e-8, "{level}");
        }
    }
}
