//! Expressions of flowing state as polynomials in time.

use std::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

/// c₀ + c₁s + c₂s² at `s` from now.
///
/// Products and powers beyond degree 2 do not occur: the degree of an expression is known before
/// it is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Poly {
    /// The coefficients.
    pub c: [f64; 3],
    /// A bound of the magnitude of what was added up for c₀: its rounding error is in proportion to
    /// it.
    pub size: f64,
}

impl Poly {
    /// The same at all times.
    #[inline(always)]
    #[must_use]
    pub fn constant(value: f64) -> Self {
        Poly::new([value, 0.0, 0.0])
    }

    /// The polynomial with these coefficients.
    #[inline(always)]
    #[must_use]
    pub fn new(c: [f64; 3]) -> Self {
        Poly { c, size: c[0].abs() }
    }

    /// The time itself, `now` now.
    #[inline(always)]
    #[must_use]
    pub fn time(now: f64) -> Self {
        Poly::new([now, 1.0, 0.0])
    }

    /// An elapsed time that is `d` now.
    #[inline(always)]
    #[must_use]
    pub fn elapsed(d: f64) -> Self {
        Poly::new([d, 1.0, 0.0])
    }

    /// The value at `s`.
    #[inline(always)]
    #[must_use]
    pub fn value_at(self, s: f64) -> f64 {
        self.c[0] + s * (self.c[1] + s * self.c[2])
    }

    /// The power `n`; one beyond the square, or a negative one, of a constant only.
    #[inline(always)]
    #[must_use]
    pub fn powi(self, n: i32) -> Self {
        match n {
            0 => Poly::constant(1.0),
            1 => self,
            2 => self * self,
            _ => {
                debug_assert!(self.degree() == 0, "power {n} of degree {}", self.degree());
                let value = self.c[0].powi(n);
                // The relative error of a power is that of its base, `n` times.
                let condition = (self.size / self.c[0]).abs() * f64::from(n).abs();
                let size = if condition > 1.0 { value.abs() * condition } else { value.abs() };
                Poly { c: [value, 0.0, 0.0], size }
            }
        }
    }

    /// The place of the last coefficient that is not 0.
    #[inline(always)]
    fn degree(self) -> usize {
        if self.c[2] != 0.0 { 2 } else { usize::from(self.c[1] != 0.0) }
    }
}

/// What can stand for a polynomial in time.
pub trait IntoPoly {
    /// The polynomial.
    fn poly(self) -> Poly;
}

impl IntoPoly for f64 {
    #[inline(always)]
    fn poly(self) -> Poly {
        Poly::constant(self)
    }
}

impl IntoPoly for &f64 {
    #[inline(always)]
    fn poly(self) -> Poly {
        Poly::constant(*self)
    }
}

impl IntoPoly for Poly {
    #[inline(always)]
    fn poly(self) -> Poly {
        self
    }
}

impl IntoPoly for &Poly {
    #[inline(always)]
    fn poly(self) -> Poly {
        *self
    }
}

impl Neg for Poly {
    type Output = Poly;

    #[inline(always)]
    fn neg(self) -> Poly {
        let [c0, c1, c2] = self.c;
        Poly { c: [-c0, -c1, -c2], size: self.size }
    }
}

impl Neg for &Poly {
    type Output = Poly;

    #[inline(always)]
    fn neg(self) -> Poly {
        -*self
    }
}

impl Add for Poly {
    type Output = Poly;

    #[inline(always)]
    fn add(self, other: Poly) -> Poly {
        let (x, y) = (self.c, other.c);
        Poly { c: [x[0] + y[0], x[1] + y[1], x[2] + y[2]], size: self.size + other.size }
    }
}

impl Sub for Poly {
    type Output = Poly;

    #[inline(always)]
    fn sub(self, other: Poly) -> Poly {
        let (x, y) = (self.c, other.c);
        Poly { c: [x[0] - y[0], x[1] - y[1], x[2] - y[2]], size: self.size + other.size }
    }
}

impl Mul for Poly {
    type Output = Poly;

    #[inline(always)]
    fn mul(self, other: Poly) -> Poly {
        debug_assert!(
            self.degree() + other.degree() <= 2,
            "product of degrees {} and {}",
            self.degree(),
            other.degree()
        );
        let (x, y) = (self.c, other.c);
        let c = [x[0] * y[0], x[0] * y[1] + x[1] * y[0], x[0] * y[2] + x[1] * y[1] + x[2] * y[0]];
        Poly { c, size: self.size * other.size }
    }
}

impl Add<f64> for Poly {
    type Output = Poly;

    #[inline(always)]
    fn add(self, other: f64) -> Poly {
        let [c0, c1, c2] = self.c;
        Poly { c: [c0 + other, c1, c2], size: self.size + other.abs() }
    }
}

impl Sub<f64> for Poly {
    type Output = Poly;

    #[inline(always)]
    fn sub(self, other: f64) -> Poly {
        self + -other
    }
}

impl Mul<f64> for Poly {
    type Output = Poly;

    #[inline(always)]
    fn mul(self, other: f64) -> Poly {
        let [c0, c1, c2] = self.c;
        Poly { c: [c0 * other, c1 * other, c2 * other], size: self.size * other.abs() }
    }
}

impl Div<f64> for Poly {
    type Output = Poly;

    #[inline(always)]
    fn div(self, other: f64) -> Poly {
        let [c0, c1, c2] = self.c;
        Poly { c: [c0 / other, c1 / other, c2 / other], size: self.size / other.abs() }
    }
}

impl Add<Poly> for f64 {
    type Output = Poly;

    #[inline(always)]
    fn add(self, other: Poly) -> Poly {
        other + self
    }
}

impl Sub<Poly> for f64 {
    type Output = Poly;

    #[inline(always)]
    fn sub(self, other: Poly) -> Poly {
        -other + self
    }
}

impl Mul<Poly> for f64 {
    type Output = Poly;

    #[inline(always)]
    fn mul(self, other: Poly) -> Poly {
        other * self
    }
}

/// Operators on references, by those on values.
macro_rules! by_reference {
    ($($operator:ident::$name:ident: $left:ty, $right:ty;)*) => { $(
        impl $operator<&$right> for $left {
            type Output = Poly;

            #[inline(always)]
            fn $name(self, other: &$right) -> Poly {
                $operator::$name(self, *other)
            }
        }

        impl $operator<$right> for &$left {
            type Output = Poly;

            #[inline(always)]
            fn $name(self, other: $right) -> Poly {
                $operator::$name(*self, other)
            }
        }

        impl $operator<&$right> for &$left {
            type Output = Poly;

            #[inline(always)]
            fn $name(self, other: &$right) -> Poly {
                $operator::$name(*self, *other)
            }
        }
    )* };
}

by_reference! {
    Add::add: Poly, Poly;
    Sub::sub: Poly, Poly;
    Mul::mul: Poly, Poly;
    Add::add: Poly, f64;
    Sub::sub: Poly, f64;
    Mul::mul: Poly, f64;
    Div::div: Poly, f64;
    Add::add: f64, Poly;
    Sub::sub: f64, Poly;
    Mul::mul: f64, Poly;
}

/// Assigning operators, by the plain ones.
macro_rules! assigning {
    ($($operator:ident::$name:ident by $plain:ident::$method:ident: $($right:ty),*;)*) => { $( $(
        impl $operator<$right> for Poly {
            #[inline(always)]
            fn $name(&mut self, other: $right) {
                *self = $plain::$method(*self, other);
            }
        }
    )* )* };
}

assigning! {
    AddAssign::add_assign by Add::add: Poly, f64, &Poly, &f64;
    SubAssign::sub_assign by Sub::sub: Poly, f64, &Poly, &f64;
    MulAssign::mul_assign by Mul::mul: Poly, f64, &Poly, &f64;
    DivAssign::div_assign by Div::div: f64, &f64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::op_ref, reason = "operators on references are tested, too")]
    fn polynomials_are_what_their_values_are() {
        let (x, v) = (Poly::new([3.0, -2.0, 0.5]), Poly::new([-2.0, 1.0, 0.0]));
        let now = Poly::time(7.0);
        let dt = Poly::elapsed(0.5);
        for s in [0.0_f64, 0.25, 1.0, -3.0, 1e3] {
            let (xs, vs, ts) = (3.0 - 2.0 * s + 0.5 * s * s, -2.0 + s, 7.0 + s);
            let same = |poly: Poly, value: f64| {
                let error = 16.0 * f64::EPSILON * (1e3 + 1e2 * s.abs() + 10.0 * s * s);
                assert!((poly.value_at(s) - value).abs() <= error, "{poly:?} at {s}: {value}");
            };
            same(x, xs);
            same(-x, -xs);
            same(-&x, -xs);
            same(x + v, xs + vs);
            same(x - v, xs - vs);
            same(v * v, vs * vs);
            same(v.powi(2), vs * vs);
            same(v.powi(1), vs);
            same(x.powi(0), 1.0);
            same(now * dt, ts * (0.5 + s));
            same(x * 3.0 + 1.5, xs * 3.0 + 1.5);
            same(2.0 - x / 4.0, 2.0 - xs / 4.0);
            same(2.0 * x - 1.0, 2.0 * xs - 1.0);
            same(2.0 + x, 2.0 + xs);
            same(&x + &v - v + &x - 2.0 * &v, 2.0 * xs - 2.0 * vs);
            same(&x * &2.0 + &1.0, 2.0 * xs + 1.0);
            same(&3.0 * &x / &2.0, 1.5 * xs);
            let mut sum = x;
            sum += v;
            sum -= &dt;
            sum *= 2.0;
            sum += &1.0;
            sum /= 4.0;
            sum -= 0.5;
            same(sum, (2.0 * (xs + vs - 0.5 - s) + 1.0) / 4.0 - 0.5);
            let mut product = v;
            product *= dt;
            same(product, vs * (0.5 + s));
        }
    }

    #[test]
    fn powers_of_constants_have_no_degree() {
        assert_eq!(Poly::constant(2.0).powi(5).c, [32.0, 0.0, 0.0]);
        assert_eq!(Poly::constant(2.0).powi(-2).c, [0.25, 0.0, 0.0]);
        assert_eq!(Poly::constant(0.0).powi(3).c, [0.0; 3]);
        assert_eq!(2.0.poly().powi(0).c, [1.0, 0.0, 0.0]);
        assert_eq!((&3.0).poly().value_at(9.0), 3.0);
        assert_eq!((&Poly::time(1.0)).poly().value_at(9.0), 10.0);
    }

    #[test]
    fn the_size_bounds_what_cancelled() {
        let x = Poly::constant(1e6) + Poly::elapsed(0.1) * 0.3;
        assert!((x - 1e6).size >= 2e6);
        assert!(((x - 1e6) * 3.0).size >= 6e6);
        assert!(((x - 1e6) * (x - 1e6)).size >= 4e12);
        assert!(((x - 1e6) / 2.0).size >= 1e6);
        assert!((Poly::constant(1e6) + 1.0 - 1e6).powi(3).size >= 2e6);
        assert_eq!(Poly::constant(-3.0).size, 3.0);
        assert_eq!((-Poly::constant(3.0)).size, 3.0);
    }

    #[test]
    #[cfg(debug_assertions)]
    #[should_panic(expected = "product of degrees 2 and 1")]
    fn degrees_that_do_not_fit_are_noticed() {
        let _ = Poly::new([1.0, 1.0, 1.0]) * Poly::time(0.0);
    }
}
