//! Sums that do not drift.

/// A sum with twice the digits of one number, as the unevaluated sum of two: Knuth's two-sum and
/// what it leaves over (*The Art of Computer Programming*, volume 2, 4.2.2).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Sum {
    /// The sum, rounded.
    high: f64,
    /// What rounding took from it.
    low: f64,
}

impl Sum {
    pub(super) fn of(value: f64) -> Self {
        Sum { high: value, low: 0.0 }
    }

    pub(super) fn get(self) -> f64 {
        self.high
    }

    /// With `term` added to it.
    #[inline]
    pub(super) fn plus(self, term: f64) -> Self {
        let sum = self.high + term;
        if !sum.is_finite() {
            return Sum::of(sum);
        }
        let added = sum - self.high;
        let low = self.low + ((self.high - (sum - added)) + (term - added));
        let high = sum + low;
        Sum { high, low: low - (high - sum) }
    }

    /// The distance from here to `value`.
    pub(super) fn to(self, value: f64) -> f64 {
        (value - self.high) - self.low
    }
}

impl std::ops::AddAssign<f64> for Sum {
    #[inline]
    fn add_assign(&mut self, term: f64) {
        *self = self.plus(term);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_are_not_lost() {
        let mut sum = Sum::of(1e16);
        (0..1000).for_each(|_| sum += 0.25);
        assert_eq!(sum.to(1e16), -250.0);
        sum += -1e16;
        assert_eq!(sum.get(), 250.0);
        let mut sum = Sum::default();
        (0..10).for_each(|_| sum += 0.1);
        assert_eq!(sum.get(), 1.0);
    }

    #[test]
    fn overflow_is_infinite() {
        assert_eq!(Sum::of(f64::MAX).plus(f64::MAX).plus(1.0).get(), f64::INFINITY);
    }
}
