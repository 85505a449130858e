//! Arithmetic in bodies: integers are checked, everything else does what it always does.
//!
//! Which of the two it is, the compiler finds by method lookup: `(&operands(&l, &r)).__cr_add(l, r)`
//! takes the method for [`Checked`] types if its bound holds, and the one an automatic reference
//! further away otherwise.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::ops::{Add, AddAssign, Mul, MulAssign, Sub, SubAssign};

use crate::error::{ErrorKind, Fault};

/// The types of two operands.
#[derive(Debug)]
pub struct Operands<L, R>(PhantomData<fn() -> (L, R)>);

/// The types of `l` and `r`.
#[inline(always)]
pub fn operands<L, R>(_l: &L, _r: &R) -> Operands<L, R> {
    Operands(PhantomData)
}

/// The types of `*l` and `r`.
#[inline(always)]
pub fn operands_mut<L, R>(_l: &&mut L, _r: &R) -> Operands<L, R> {
    Operands(PhantomData)
}

/// The first overflow inside a closure, where an early return would leave the wrong function.
/// The closure goes on with the saturated value; the body fails when it ends.
#[derive(Debug, Default)]
pub struct Flag(RefCell<Option<Fault>>);

impl Flag {
    /// No overflow yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Notes a failure.
    #[cold]
    pub fn raise(&self, fault: Fault) {
        self.0.borrow_mut().get_or_insert(fault);
    }

    /// Fails if anything was noted.
    ///
    /// # Errors
    /// The first failure.
    #[inline]
    pub fn check(&self) -> Result<(), Fault> {
        match self.0.borrow_mut().take() {
            Some(fault) => Err(fault),
            None => Ok(()),
        }
    }
}

/// Integers, by value and by reference.
pub trait Checked<R> {
    /// The integer type.
    type Int: Copy;
    /// `self + r`, or the error and the saturated sum.
    fn sum(self, r: R) -> Result<Self::Int, (Fault, Self::Int)>;
    /// `self - r`, or the error and the saturated difference.
    fn difference(self, r: R) -> Result<Self::Int, (Fault, Self::Int)>;
    /// `self * r`, or the error and the saturated product.
    fn product(self, r: R) -> Result<Self::Int, (Fault, Self::Int)>;
}

#[cold]
fn overflow<T: ToString>(operator: char, left: T, right: T) -> Fault {
    Fault::new(ErrorKind::Overflow {
        operator,
        left: left.to_string(),
        right: right.to_string(),
        type_name: std::any::type_name::<T>(),
    })
}

macro_rules! checked {
    ($($int:ty)*) => { $(
        checked!(@ $int, $int, $int);
        checked!(@ $int, &$int, $int);
        checked!(@ &$int, $int, $int);
        checked!(@ref $int);
    )* };
    (@ref $int:ty) => {
        impl Checked<&$int> for &$int {
            type Int = $int;
            #[inline(always)]
            fn sum(self, r: &$int) -> Result<$int, (Fault, $int)> {
                (*self).sum(*r)
            }
            #[inline(always)]
            fn difference(self, r: &$int) -> Result<$int, (Fault, $int)> {
                (*self).difference(*r)
            }
            #[inline(always)]
            fn product(self, r: &$int) -> Result<$int, (Fault, $int)> {
                (*self).product(*r)
            }
        }
    };
    (@ $left:ty, $right:ty, $int:ty) => {
        impl Checked<$right> for $left {
            type Int = $int;
            #[inline(always)]
            fn sum(self, r: $right) -> Result<$int, (Fault, $int)> {
                let (l, r): ($int, $int) = (self.to_owned(), r.to_owned());
                l.checked_add(r).ok_or_else(|| (overflow('+', l, r), l.saturating_add(r)))
            }
            #[inline(always)]
            fn difference(self, r: $right) -> Result<$int, (Fault, $int)> {
                let (l, r): ($int, $int) = (self.to_owned(), r.to_owned());
                l.checked_sub(r).ok_or_else(|| (overflow('-', l, r), l.saturating_sub(r)))
            }
            #[inline(always)]
            fn product(self, r: $right) -> Result<$int, (Fault, $int)> {
                let (l, r): ($int, $int) = (self.to_owned(), r.to_owned());
                l.checked_mul(r).ok_or_else(|| (overflow('*', l, r), l.saturating_mul(r)))
            }
        }
    };
}

checked!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);

macro_rules! operators {
    ($($checked:ident $plain:ident $op:ident $method:ident $flagged:ident $fallible:ident
       $checked_assign:ident $plain_assign:ident $assign:ident $assign_method:ident $assign_flagged:ident
       $std:ident $std_assign:ident $text:literal;)*) => { $(
        #[doc = concat!("`", $text, "` of integers.")]
        pub trait $checked<L: Checked<R>, R> {
            /// Fails if the result does not fit.
            #[inline(always)]
            fn $method(&self, l: L, r: R) -> Result<L::Int, Fault> {
                l.$fallible(r).map_err(|(fault, _)| fault)
            }
            /// Raises the flag if the result does not fit.
            #[inline(always)]
            fn $flagged(&self, l: L, r: R, flag: &Flag) -> L::Int {
                l.$fallible(r).unwrap_or_else(|(fault, saturated)| { flag.raise(fault); saturated })
            }
        }
        impl<L: Checked<R>, R> $checked<L, R> for Operands<L, R> {}

        #[doc = concat!("`", $text, "` of anything else.")]
        ///
        /// The bound stands on the methods, so that a type error reads as it always does.
        pub trait $plain<L, R> {
            /// Never fails.
            #[inline(always)]
            fn $method(&self, l: L, r: R) -> Result<L::Output, Fault>
            where
                L: $std<R>,
            {
                Ok($std::$op(l, r))
            }
            /// Never raises the flag.
            #[inline(always)]
            fn $flagged(&self, l: L, r: R, _flag: &Flag) -> L::Output
            where
                L: $std<R>,
            {
                $std::$op(l, r)
            }
        }
        impl<L, R> $plain<L, R> for &Operands<L, R> {}

        #[doc = concat!("`", $text, "=` of integers.")]
        pub trait $checked_assign<L: Checked<R, Int = L> + Copy, R> {
            /// Fails if the result does not fit; the left side stays.
            #[inline(always)]
            fn $assign_method(&self, l: &mut L, r: R) -> Result<(), Fault> {
                *l = (*l).$fallible(r).map_err(|(fault, _)| fault)?;
                Ok(())
            }
            /// Raises the flag if the result does not fit.
            #[inline(always)]
            fn $assign_flagged(&self, l: &mut L, r: R, flag: &Flag) {
                *l = (*l).$fallible(r).unwrap_or_else(|(fault, saturated)| { flag.raise(fault); saturated });
            }
        }
        impl<L: Checked<R, Int = L> + Copy, R> $checked_assign<L, R> for Operands<L, R> {}

        #[doc = concat!("`", $text, "=` of anything else.")]
        pub trait $plain_assign<L, R> {
            /// Never fails.
            #[inline(always)]
            fn $assign_method(&self, l: &mut L, r: R) -> Result<(), Fault>
            where
                L: $std_assign<R>,
            {
                $std_assign::$assign(l, r);
                Ok(())
            }
            /// Never raises the flag.
            #[inline(always)]
            fn $assign_flagged(&self, l: &mut L, r: R, _flag: &Flag)
            where
                L: $std_assign<R>,
            {
                $std_assign::$assign(l, r);
            }
        }
        impl<L, R> $plain_assign<L, R> for &Operands<L, R> {}
    )* };
}

operators! {
    CheckedAdd PlainAdd add __cr_add __cr_add_flagged sum
        CheckedAddAssign PlainAddAssign add_assign __cr_add_assign __cr_add_assign_flagged
        Add AddAssign "+";
    CheckedSub PlainSub sub __cr_sub __cr_sub_flagged difference
        CheckedSubAssign PlainSubAssign sub_assign __cr_sub_assign __cr_sub_assign_flagged
        Sub SubAssign "-";
    CheckedMul PlainMul mul __cr_mul __cr_mul_flagged product
        CheckedMulAssign PlainMulAssign mul_assign __cr_mul_assign __cr_mul_assign_flagged
        Mul MulAssign "*";
}

/// `text + &other`, where the reference would become a `&str` by itself.
#[allow(clippy::ptr_arg, reason = "it is what was written")]
pub trait TextAdd<'a> {
    /// Never fails.
    #[inline]
    fn __cr_add(&self, l: String, r: &'a String) -> Result<String, Fault> {
        Ok(l + r)
    }
    /// Never raises the flag.
    #[inline]
    fn __cr_add_flagged(&self, l: String, r: &'a String, _flag: &Flag) -> String {
        l + r
    }
    /// Never fails.
    #[inline]
    fn __cr_add_assign(&self, l: &mut String, r: &'a String) -> Result<(), Fault> {
        *l += r;
        Ok(())
    }
    /// Never raises the flag.
    #[inline]
    fn __cr_add_assign_flagged(&self, l: &mut String, r: &'a String, _flag: &Flag) {
        *l += r;
    }
}

impl<'a> TextAdd<'a> for Operands<String, &'a String> {}

#[cfg(test)]
#[allow(clippy::needless_borrow, reason = "the reference is what the lookup is about")]
mod tests {
    use super::*;

    #[test]
    fn integers_are_checked_and_the_rest_is_not() {
        assert_eq!((&operands(&2_u8, &3)).__cr_add(2_u8, 3).unwrap(), 5);
        assert_eq!((&operands(&1, &3_u64)).__cr_add(1, 3_u64).unwrap(), 4);
        assert!((&operands(&2_u8, &3)).__cr_sub(2_u8, 3).is_err());
        assert!((&operands(&200_u8, &&3_u8)).__cr_mul(200_u8, &3_u8).is_err());
        assert_eq!((&operands(&2.0, &3.0_f64)).__cr_mul(2.0, 3.0_f64).unwrap(), 6.0);
        let text = String::from("a");
        assert_eq!((&operands(&text, &"b")).__cr_add(text.clone(), "b").unwrap(), "ab");
        let wrapping = std::num::Wrapping(250_u8);
        let ten = std::num::Wrapping(10);
        assert_eq!((&operands(&wrapping, &ten)).__cr_add(wrapping, ten).unwrap().0, 4);
    }

    #[test]
    fn assignment_leaves_the_left_side_when_it_fails() {
        let mut n = 1_u32;
        let l = &mut n;
        assert!((&operands_mut(&l, &2)).__cr_sub_assign(l, 2).is_err());
        assert_eq!(n, 1);
        let flag = Flag::new();
        let l = &mut n;
        (&operands_mut(&l, &2)).__cr_sub_assign_flagged(l, 2, &flag);
        assert_eq!(n, 0);
        assert!(flag.check().is_err());
        assert!(flag.check().is_ok());
    }
}
