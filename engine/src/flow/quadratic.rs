//! Roots of quadratics.

/// c₀ + 2bs + c₂s², with roots in forms that do not cancel.
#[derive(Clone, Copy)]
pub(super) struct Quadratic {
    pub(super) c0: f64,
    pub(super) b: f64,
    pub(super) c2: f64,
    /// What c₀ was added up from.
    pub(super) size: f64,
}

impl Quadratic {
    /// b² − c₀c₂ = `unit`² · d as (d, `unit`), which neither overflows nor underflows.
    #[inline]
    fn discriminant(&self) -> (f64, f64) {
        let Quadratic { c0, b, c2, .. } = *self;
        let square = b * b - c0 * c2;
        // What has underflowed does not matter beside something this large.
        if (1e-280..=1e280).contains(&(b * b + (c0 * c2).abs())) {
            return (square, 1.0);
        }
        let product = c0.abs().sqrt() * c2.abs().sqrt();
        let unit = b.abs().max(product);
        if unit == 0.0 {
            return (0.0, 1.0);
        }
        let (b, product) = (b / unit, product / unit);
        (if (c0 > 0.0) == (c2 > 0.0) { b * b - product * product } else { b * b + product * product }, unit)
    }

    /// Square root of the discriminant; `None` if the extremum is zero up to rounding, or there is no
    /// root.
    #[inline]
    fn separate(&self) -> Option<f64> {
        let (square, unit) = self.discriminant();
        let b = self.b / unit;
        let size = (self.c2.abs() / unit) * (self.size / unit);
        (square > 4.0 * f64::EPSILON * (b * b + size)).then(|| unit * square.sqrt())
    }

    /// Square root of the discriminant where it is positive but for rounding.
    #[inline]
    fn spread(&self) -> f64 {
        let (square, unit) = self.discriminant();
        unit * square.max(0.0).sqrt()
    }

    /// When it falls to zero first, from c₀ > 0.
    #[inline]
    pub(super) fn first_fall(&self) -> f64 {
        let Quadratic { c0, b, c2, .. } = *self;
        if c0.is_infinite() {
            f64::INFINITY
        } else if c2 > 0.0 {
            match self.separate() {
                Some(spread) if b < 0.0 => c0 / (spread - b),
                _ => f64::INFINITY,
            }
        } else if b < 0.0 {
            c0 / (self.spread() - b)
        } else if c2 < 0.0 {
            (b + self.spread()) / -c2
        } else {
            f64::INFINITY
        }
    }

    /// When it rises to zero first, from c₀ < 0, and when it falls to zero after that.
    #[inline]
    pub(super) fn rise_and_fall(&self) -> (f64, f64) {
        const NEVER: f64 = f64::INFINITY;
        let Quadratic { c0, b, c2, .. } = *self;
        if c0.is_infinite() {
            (NEVER, NEVER)
        } else if c2 < 0.0 {
            match self.separate() {
                Some(spread) if b > 0.0 => (-c0 / (b + spread), (b + spread) / -c2),
                _ => (NEVER, NEVER),
            }
        } else if b > 0.0 {
            (-c0 / (b + self.spread()), NEVER)
        } else if c2 > 0.0 {
            ((self.spread() - b) / c2, NEVER)
        } else {
            (NEVER, NEVER)
        }
    }

    /// The root that is not about 0, if c₀ is zero up to rounding, and b and c₂ differ in sign.
    #[inline]
    pub(super) fn far(&self) -> f64 {
        let (square, unit) = self.discriminant();
        // With no root at all c₀ is more than the arc that it is rounded by.
        let spread = if square > 0.0 { unit * square.sqrt() } else { self.b.abs() };
        (self.b.abs() + spread) / self.c2.abs()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: f64 = f64::INFINITY;

    fn quadratic(c0: f64, c1: f64, c2: f64) -> Quadratic {
        Quadratic { c0, b: 0.5 * c1, c2, size: c0.abs() }
    }

    #[test]
    fn first_falls_are_exact() {
        assert_eq!(quadratic(6.0, -5.0, 1.0).first_fall(), 2.0);
        assert_eq!(quadratic(6.0, 5.0, 1.0).first_fall(), NEVER);
        assert_eq!(quadratic(6.0, 1.0, -1.0).first_fall(), 3.0);
        assert_eq!(quadratic(6.0, -1.0, -1.0).first_fall(), 2.0);
        assert_eq!(quadratic(4.0, 0.0, -1.0).first_fall(), 2.0);
        assert_eq!(quadratic(4.0, -2.0, 0.0).first_fall(), 2.0);
        assert_eq!(quadratic(4.0, 2.0, 0.0).first_fall(), NEVER);
        assert_eq!(quadratic(4.0, 0.0, 0.0).first_fall(), NEVER);
        assert_eq!(quadratic(4.0, 0.0, 3.0).first_fall(), NEVER);
        assert_eq!(quadratic(NEVER, -1.0, -1.0).first_fall(), NEVER);
    }

    #[test]
    fn rises_and_falls_are_exact() {
        assert_eq!(quadratic(-6.0, 5.0, -1.0).rise_and_fall(), (2.0, 3.0));
        assert_eq!(quadratic(-6.0, -5.0, -1.0).rise_and_fall(), (NEVER, NEVER));
        assert_eq!(quadratic(-6.0, 1.0, 1.0).rise_and_fall(), (2.0, NEVER));
        assert_eq!(quadratic(-6.0, -1.0, 1.0).rise_and_fall(), (3.0, NEVER));
        assert_eq!(quadratic(-6.0, 2.0, 0.0).rise_and_fall(), (3.0, NEVER));
        assert_eq!(quadratic(-6.0, -2.0, 0.0).rise_and_fall(), (NEVER, NEVER));
        assert_eq!(quadratic(-NEVER, 1.0, 0.0).rise_and_fall(), (NEVER, NEVER));
    }

    #[test]
    fn touching_is_no_crossing() {
        for t in [1.0, 0.1, 3.7, 1e5, 1e-7] {
            // (s − t)², computed.
            assert_eq!(quadratic(t * t, -2.0 * t, 1.0).first_fall(), NEVER);
            assert_eq!(quadratic(-t * t, 2.0 * t, -1.0).rise_and_fall(), (NEVER, NEVER));
        }
        // A dip that is clearly there.
        assert!((quadratic(1.0 - 1e-12, -2.0, 1.0).first_fall() - (1.0 - 1e-6)).abs() < 1e-9);
    }

    #[test]
    fn small_roots_do_not_cancel() {
        // Roots 1e-12 and 1e12.
        let fall = quadratic(1.0, -1e12, 1.0).first_fall();
        assert!((fall / 1e-12 - 1.0).abs() < 1e-15);
        let (rise, fall) = quadratic(-1.0, 1e12, -1.0).rise_and_fall();
        assert!((rise / 1e-12 - 1.0).abs() < 1e-15 && (fall / 1e12 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn units_do_not_matter() {
        for unit in [-300, -200, 0, 200, 300] {
            for time in [-100, 0, 100] {
                let (u, t) = (10f64.powi(unit), 10f64.powi(time));
                let (c0, c1, c2) = (6.0 * u, 5.0 * (u / t), u / t / t);
                if [c0, c1, c2].iter().any(|c| !(1e-300..1e305).contains(c)) {
                    continue;
                }
                let near =
                    |found: f64, root: f64| assert!((found / t / root - 1.0).abs() < 1e-14, "{unit} {time}: {found}");
                near(quadratic(c0, -c1, c2).first_fall(), 2.0);
                near(quadratic(c0, -c1 / 5.0, -c2).first_fall(), 2.0);
                let (rise, fall) = quadratic(-c0, c1, -c2).rise_and_fall();
                near(rise, 2.0);
                near(fall, 3.0);
                near(quadratic(0.0, c1, -c2).far(), 5.0);
            }
        }
    }

    #[test]
    fn the_far_root_stays_where_rounding_leaves_no_root() {
        assert_eq!(quadratic(0.0, 3.0, -1.0).far(), 3.0);
        assert_eq!(quadratic(0.0, -3.0, 1.0).far(), 3.0);
        assert_eq!(quadratic(-1e-17, 1e-9, -1.0).far(), 1e-9);
    }
}
