//! Hazards that are affine in time where they are positive, inverted exactly.

use std::f64::consts::SQRT_2;

use crate::error::{ErrorKind, Fault};

/// The hazard c + (a + b·s)⁺ at `s` from now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    a: f64,
    b: f64,
    c: f64,
}

/// Where squares of numbers neither overflow nor lose digits.
const SAFE: std::ops::RangeInclusive<f64> = 1e-280..=1e280;

impl Affine {
    /// c + (a + b·s)⁺.
    ///
    /// # Errors
    /// If `a` or `b` is not finite, or `c` negative or not finite.
    #[inline]
    pub fn new(a: f64, b: f64, c: f64) -> Result<Self, Fault> {
        if !a.is_finite() {
            Err(unusable("a", a))
        } else if !b.is_finite() {
            Err(unusable("b", b))
        } else if !(0.0..=f64::MAX).contains(&c) {
            Err(unusable("c", c))
        } else {
            Ok(Affine { a, b, c })
        }
    }

    /// The same hazard at all times.
    ///
    /// # Errors
    /// If it is negative or not finite.
    #[inline]
    pub fn constant(bound: f64) -> Result<Self, Fault> {
        if (0.0..=f64::MAX).contains(&bound) {
            Ok(Affine { a: 0.0, b: 0.0, c: bound })
        } else {
            Err(unusable("bound", bound))
        }
    }

    /// No hazard at all.
    pub(super) const ZERO: Affine = Affine { a: 0.0, b: 0.0, c: 0.0 };

    /// Whether it is 0 for ever.
    #[inline(always)]
    pub(super) fn is_zero(self) -> bool {
        self.c == 0.0 && self.a <= 0.0 && self.b <= 0.0
    }

    /// How fast it changes at most.
    #[inline(always)]
    pub(super) fn slope(self) -> f64 {
        self.b.abs()
    }

    /// The hazard at `s`.
    #[inline(always)]
    #[must_use]
    pub fn at(self, s: f64) -> f64 {
        self.c + (self.a + self.b * s).max(0.0)
    }

    /// The same hazard, seen from `s` on.
    #[inline(always)]
    #[must_use]
    pub fn later(self, s: f64) -> Self {
        Affine { a: finite(self.a + self.b * s), ..self }
    }

    /// The hazard times `factor`, which is not negative.
    #[inline(always)]
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Affine { a: finite(self.a * factor), b: finite(self.b * factor), c: finite(self.c * factor) }
    }

    /// The magnitude of what is added up for the hazard at `s`: rounding errors are in proportion to it.
    #[inline(always)]
    #[must_use]
    pub fn size_at(self, s: f64) -> f64 {
        self.a.abs() + (self.b * s).abs() + self.c
    }

    /// When the hazard adds up to `e`: the smallest t with ∫₀ᵗ hazard = `e`, and never (infinity) if
    /// there is none. For `e` = 0 it is the limit from above: where the hazard begins.
    ///
    /// With an exponential `e` it is the first time of a Poisson process. The usual formula
    /// (√((a + c)² + 2be) − a − c)/b cancels for small b; this is 2e/(a + c + √((a + c)² + 2be)).
    #[must_use]
    pub fn arrival(self, e: f64) -> f64 {
        let Affine { mut a, mut b, mut c } = self;
        let mut e = e;
        if e == f64::INFINITY {
            return e;
        }
        if a.abs().max(b.abs()).max(c).max(e) > 1e307 {
            // Time does not depend on the unit of hazards.
            (a, b, c, e) = (a * 0.0625, b * 0.0625, c * 0.0625, e * 0.0625);
        }
        if b > 0.0 {
            if a >= 0.0 {
                return rising(a + c, b, e);
            }
            let begin = -a / b;
            if c == 0.0 {
                return begin + rising(0.0, b, e);
            }
            let rest = e - c * begin;
            if rest > 0.0 { begin + rising(c, b, rest) } else { e / c }
        } else if a > 0.0 && b < 0.0 {
            let end = a / -b;
            let rest = e - end * (c + 0.5 * a);
            if rest <= 0.0 {
                falling(a + c, -b, e, c)
            } else if c > 0.0 {
                end + rest / c
            } else {
                f64::INFINITY
            }
        } else {
            let rate = a.max(0.0) + c;
            if rate > 0.0 { e / rate } else { f64::INFINITY }
        }
    }
}

/// When the hazard `p` + `b`·s, `p` ≥ 0 and `b` > 0, adds up to `e`.
#[inline]
fn rising(p: f64, b: f64, e: f64) -> f64 {
    let square = p * p + 2.0 * b * e;
    if SAFE.contains(&square) {
        2.0 * e / (p + square.sqrt())
    } else if e > 0.0 {
        // The root of the product is taken apart, so that it neither overflows nor underflows.
        let denominator = p + p.hypot(SQRT_2 * b.sqrt() * e.sqrt());
        if denominator > 0.0 { 2.0 * e / denominator } else { SQRT_2 * e.sqrt() / b.sqrt() }
    } else {
        0.0
    }
}

/// When the hazard `p` − `b`·s, `p` and `b` > 0, adds up to `e`; it does so before it is down at `least`.
#[inline]
fn falling(p: f64, b: f64, e: f64, least: f64) -> f64 {
    let square = p * p - 2.0 * b * e;
    let last = if SAFE.contains(&square) {
        square.sqrt()
    } else {
        let fallen = SQRT_2 * b.sqrt() * e.sqrt();
        (p - fallen).max(0.0).sqrt() * (p + fallen).sqrt()
    };
    2.0 * e / (p + last.max(least))
}

/// A number that is finite, if `value` is not NaN.
#[inline(always)]
fn finite(value: f64) -> f64 {
    value.clamp(-f64::MAX, f64::MAX)
}

/// The error of a part of a hazard.
#[cold]
pub(super) fn unusable(part: &'static str, value: f64) -> Fault {
    Fault::new(ErrorKind::Hazard { part, value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{exponential, stream};

    fn affine(a: f64, b: f64, c: f64) -> Affine {
        Affine::new(a, b, c).unwrap()
    }

    fn part(result: Result<Affine, Fault>) -> &'static str {
        match result.unwrap_err().at(0.0, "clock", &[]).kind() {
            ErrorKind::Hazard { part, .. } => part,
            other => panic!("{other}"),
        }
    }

    /// A sum of two numbers, of which the second is what rounding took from the first: 106 bits.
    #[derive(Clone, Copy)]
    struct Double(f64, f64);

    impl Double {
        fn plus(self, other: Double) -> Double {
            let sum = self.0 + other.0;
            let part = sum - self.0;
            let error = (self.0 - (sum - part)) + (other.0 - part);
            Double::tidy(sum, error + self.1 + other.1)
        }

        fn times(self, other: f64) -> Double {
            let product = self.0 * other;
            Double::tidy(product, self.0.mul_add(other, -product) + self.1 * other)
        }

        fn tidy(high: f64, low: f64) -> Double {
            let sum = high + low;
            Double(sum, low - (sum - high))
        }

        fn square(self) -> Double {
            let product = self.0 * self.0;
            Double::tidy(product, self.0.mul_add(self.0, -product) + 2.0 * self.0 * self.1)
        }
    }

    /// Whether the hazard has added up to `e` at `t`.
    fn reached(Affine { a, b, c }: Affine, e: f64, t: f64) -> bool {
        let t = Double(t, 0.0);
        let value = Double(a, 0.0).plus(t.times(b));
        let rest = t.times(c).plus(Double(-e, 0.0));
        // Times 2|b|, if that is not 0, so that nothing is divided.
        let times = |x: Double| x.times(2.0 * b.abs());
        let sign = if b == 0.0 {
            t.times(a.max(0.0)).plus(rest)
        } else if a <= 0.0 && b < 0.0 {
            rest
        } else if a < 0.0 {
            if value.0 <= 0.0 { rest } else { value.square().plus(times(rest)) }
        } else if b > 0.0 || value.0 > 0.0 {
            t.times(a).plus(t.square().times(0.5 * b)).plus(rest)
        } else {
            Double(a, 0.0).square().plus(times(rest))
        };
        sign.0 >= 0.0
    }

    /// The first time at which it has, by bisection on the bits of times.
    fn exactly(hazard: Affine, e: f64) -> f64 {
        let (mut low, mut high) = (0, 1e90_f64.to_bits());
        if !reached(hazard, e, f64::from_bits(high)) {
            return f64::INFINITY;
        }
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if reached(hazard, e, f64::from_bits(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        f64::from_bits(high)
    }

    const SIZES: [f64; 11] = [0.0, 1e-40, 1.7e-18, 1e-14, 3e-9, 0.02, 1.0, 7.3, 1.9e5, 1e14, 1e40];
    const TOTALS: [f64; 9] = [1e-30, 3e-17, 1e-9, 0.01, 0.4, std::f64::consts::LN_2, 1.3, 35.0, 700.0];

    fn grid(mut check: impl FnMut(Affine, f64)) {
        for a in SIZES {
            for b in SIZES {
                for c in SIZES {
                    for e in TOTALS {
                        for (a, b) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
                            check(affine(a, b, c), e);
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn times_are_exact_to_a_few_units_and_their_condition() {
        let mut finite = 0;
        grid(|hazard, e| {
            let time = hazard.arrival(e);
            let exact = exactly(hazard, e);
            if exact == f64::INFINITY {
                // Where exactly the hazard ends, rounding decides.
                let enough = hazard.c == 0.0 && reached(hazard, e * (1.0 - 1e-15), 1e90);
                assert!(time == exact || time > 1e89 || enough, "{hazard:?} {e}: {time}");
                return;
            }
            finite += 1;
            if time == f64::INFINITY {
                assert!(hazard.c == 0.0 && !reached(hazard, e * (1.0 + 1e-15), 1e90), "{hazard:?} {e}");
                return;
            }
            // An error of `e` is divided by the hazard; where that vanishes, its square counts.
            let error = f64::EPSILON * e;
            let later = if hazard.b < 0.0 && hazard.c == 0.0 {
                let h = hazard.at(exact);
                2.0 * error / (h + (h * h - 2.0 * hazard.b.abs() * error).max(0.0).sqrt()).max(1e-300)
            } else {
                error / hazard.at(exact).max(1e-300)
            };
            let bound = 5.0 * (f64::EPSILON * exact + later);
            assert!((time - exact).abs() <= bound, "{hazard:?} {e}: {time:e}, exactly {exact:e}, bound {bound:e}");
        });
        assert!(finite > 20_000);
    }

    #[test]
    fn units_of_hazard_and_time_do_not_matter() {
        // Up to 2¹⁰²³ and down to the smallest numbers: exactly the same digits, but for the square roots.
        grid(|hazard, e| {
            let time = hazard.arrival(e);
            for (k, m) in [(400, 0), (-400, 0), (0, 850), (0, -800), (300, 300), (-250, 250)] {
                let (unit, per) = (2f64.powi(m), 2f64.powi(k));
                let scale = |x: f64, by: [f64; 3]| {
                    let scaled = by.iter().fold(x, |x, y| x * y);
                    (scaled.is_finite() && (scaled == 0.0) == (x == 0.0) && (x == 0.0 || scaled.abs() > 1e-290))
                        .then_some(scaled)
                };
                let (Some(a), Some(b), Some(c), Some(e), Some(expected)) = (
                    scale(hazard.a, [per, unit, 1.0]),
                    scale(hazard.b, [per, per, unit]),
                    scale(hazard.c, [per, unit, 1.0]),
                    scale(e, [unit, 1.0, 1.0]),
                    scale(time.min(1e307), [1.0 / per, 1.0, 1.0]),
                ) else {
                    continue;
                };
                if time == f64::INFINITY {
                    assert!(affine(a, b, c).arrival(e) > 1e300);
                    continue;
                }
                let scaled = affine(a, b, c).arrival(e);
                let h = hazard.at(time).max(1e-300);
                let bound = 8.0 * f64::EPSILON * (1.0 + (e / unit / h / time).min(1e14));
                assert!(
                    (scaled / expected - 1.0).abs() <= bound.max(1e-15),
                    "{hazard:?} {e} {k} {m}: {scaled:e} {expected:e}"
                );
            }
        });
    }

    #[test]
    fn extremes_give_no_nan_and_no_negative_time() {
        let sizes = [0.0, 5e-324, 1e-308, 1e-160, 1e-5, 1.0, 1e5, 1e160, 1e308, f64::MAX];
        for a in sizes {
            for b in sizes {
                for c in sizes {
                    for (a, b) in [(a, b), (-a, b), (a, -b), (-a, -b)] {
                        let hazard = affine(a, b, c);
                        let mut last = 0.0;
                        for e in [0.0, 5e-324, 1e-300, 1e-10, 1.0, 700.0, f64::INFINITY] {
                            let time = hazard.arrival(e);
                            assert!(time >= last * (1.0 - 1e-12), "{hazard:?} {e}: {time} before {last}");
                            last = time;
                        }
                        assert_eq!(last, f64::INFINITY);
                    }
                }
            }
        }
    }

    #[test]
    fn the_usual_formula_cancels_and_this_one_does_not() {
        let e = std::f64::consts::LN_2;
        for b in [1e-14, 1e-18, -1e-14, -1e-18] {
            let expected = e - 0.5 * b * e * e;
            let usual = ((1.0 + 2.0 * b * e).sqrt() - 1.0) / b;
            assert!((usual - expected).abs() > 1e-3);
            assert!((affine(1.0, b, 0.0).arrival(e) - expected).abs() < 3e-16);
        }
    }

    #[test]
    fn a_hazard_that_ends_may_be_survived() {
        // 1 − s adds up to ½.
        let hazard = affine(1.0, -1.0, 0.0);
        assert_eq!(hazard.arrival(0.5), 1.0);
        assert_eq!(hazard.arrival(0.500_000_1), f64::INFINITY);
        assert_eq!(affine(1.0, -1.0, 0.5).arrival(1.5), 2.0);
        assert_eq!(affine(-1.0, 1.0, 0.0).arrival(0.0), 1.0);
        assert_eq!(affine(-1.0, 0.0, 0.0).arrival(0.0), f64::INFINITY);
        assert!(affine(-1.0, 0.0, 0.0).is_zero() && !affine(1.0, -1.0, 0.0).is_zero());
    }

    #[test]
    fn seen_from_later_it_is_the_same() {
        let hazard = affine(-2.0, 3.0, 0.5);
        assert_eq!(hazard.at(0.5), 0.5);
        assert_eq!(hazard.at(1.0), 1.5);
        assert_eq!(hazard.later(0.75), affine(0.25, 3.0, 0.5));
        assert_eq!(hazard.scaled(2.0), affine(-4.0, 6.0, 1.0));
        assert_eq!(hazard.size_at(2.0), 8.5);
        assert!(affine(-1e300, 1e300, 0.0).scaled(1e300).at(0.5) == 0.0);
    }

    #[test]
    fn what_is_no_hazard_is_refused() {
        assert_eq!(part(Affine::new(f64::NAN, 0.0, 0.0)), "a");
        assert_eq!(part(Affine::new(0.0, f64::INFINITY, 0.0)), "b");
        assert_eq!(part(Affine::new(0.0, 0.0, -1.0)), "c");
        assert_eq!(part(Affine::new(0.0, 0.0, f64::NAN)), "c");
        assert_eq!(part(Affine::constant(-1e-300)), "bound");
        assert_eq!(part(Affine::constant(f64::INFINITY)), "bound");
        assert_eq!(Affine::constant(2.5).unwrap(), affine(0.0, 0.0, 2.5));
        assert!(Affine::constant(-0.0).unwrap().is_zero());
    }

    #[test]
    fn a_poisson_process_follows_its_law() {
        const DRAWS: usize = 20_000;
        for (a, b, c) in [(1.0, 0.5, 0.0), (-1.0, 2.0, 0.0), (2.0, -0.7, 0.3), (-1.0, 2.0, 0.4), (1.5, -1.0, 0.0)] {
            let hazard = affine(a, b, c);
            // What it has added up to at t, by the trapezia between the kinks.
            let total = |t: f64| {
                let kink = (-a / b).clamp(0.0, t);
                let trapezium = |from: f64, to: f64| 0.5 * (to - from) * (hazard.at(from) + hazard.at(to));
                trapezium(0.0, kink) + trapezium(kink, t)
            };
            for seed in 0..4 {
                let mut rng = stream(seed, 0);
                let times = (0..DRAWS).map(|_| hazard.arrival(exponential(&mut rng)));
                let mut survival: Vec<f64> =
                    times.map(|t| if t.is_finite() { (-total(t)).exp() } else { -1.0 }).collect();
                survival.sort_unstable_by(f64::total_cmp);
                let never = if b < 0.0 && c == 0.0 { (-total(-a / b)).exp() } else { 0.0 };
                let worst = survival.iter().enumerate().map(|(k, &value)| {
                    let share = (k + 1) as f64 / DRAWS as f64;
                    if value < 0.0 { (share - never).max(0.0) } else { (share - value).abs() }
                });
                // Dvoretzky, Kiefer and Wolfowitz, with the constant of Massart (1990): 1 in 10⁶.
                assert!(worst.fold(0.0, f64::max) < (0.5 * 2e6_f64.ln() / DRAWS as f64).sqrt() + 1.0 / DRAWS as f64);
            }
        }
    }
}
