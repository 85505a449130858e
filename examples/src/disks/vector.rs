use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

/// A vector in the plane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vector {
    /// To the right.
    pub x: f64,
    /// Upwards.
    pub y: f64,
}

impl Vector {
    /// The scalar product.
    #[inline]
    #[must_use]
    pub fn dot(self, other: Vector) -> f64 {
        self.x * other.x + self.y * other.y
    }
}

impl Add for Vector {
    type Output = Vector;
    #[inline]
    fn add(self, other: Vector) -> Vector {
        Vector { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Vector {
    type Output = Vector;
    #[inline]
    fn sub(self, other: Vector) -> Vector {
        Vector { x: self.x - other.x, y: self.y - other.y }
    }
}

impl Mul<f64> for Vector {
    type Output = Vector;
    #[inline]
    fn mul(self, factor: f64) -> Vector {
        Vector { x: self.x * factor, y: self.y * factor }
    }
}

impl AddAssign for Vector {
    #[inline]
    fn add_assign(&mut self, other: Vector) {
        *self = *self + other;
    }
}

impl SubAssign for Vector {
    #[inline]
    fn sub_assign(&mut self, other: Vector) {
        *self = *self - other;
    }
}

impl Sum for Vector {
    fn sum<I: Iterator<Item = Vector>>(vectors: I) -> Vector {
        vectors.fold(Vector::default(), Add::add)
    }
}
