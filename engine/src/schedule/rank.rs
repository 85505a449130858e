//! What comes first at one moment.

/// The order among what is to happen at one moment: priority, then declaration, then index.
///
/// `W` is the greatest number of parts that a priority of the model has; a missing part counts as 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank<const W: usize> {
    /// Lower first, part by part.
    pub priority: [i64; W],
    /// The number of the item, in order of declaration.
    pub declaration: u32,
    /// The number of the member, if it is a family.
    pub member: u32,
}

impl<const W: usize> Rank<W> {
    /// The rank of a member of item `declaration`.
    #[inline(always)]
    #[must_use]
    pub fn new(priority: [i64; W], declaration: u32, member: usize) -> Self {
        #[allow(clippy::cast_possible_truncation, reason = "sets have fewer members")]
        Rank { priority, declaration, member: member as u32 }
    }
}

/// A priority as its parts.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no priority",
    label = "a priority is an integer or a tuple of up to four integers"
)]
pub trait Parts: Copy {
    /// How many it has.
    const COUNT: usize;

    /// Writes them.
    fn write(self, into: &mut [i64]);
}

macro_rules! integers {
    ($($int:ty)*) => { $(
        impl Parts for $int {
            const COUNT: usize = 1;

            #[inline]
            #[allow(clippy::cast_possible_wrap, clippy::cast_lossless, clippy::cast_possible_truncation)]
            fn write(self, into: &mut [i64]) {
                into[0] = self as i64;
            }
        }
    )* };
}

integers!(i8 i16 i32 i64 isize u8 u16 u32);

macro_rules! large {
    ($($int:ty)*) => { $(
        /// What is too large is the last.
        impl Parts for $int {
            const COUNT: usize = 1;

            #[inline]
            fn write(self, into: &mut [i64]) {
                into[0] = i64::try_from(self).unwrap_or(i64::MAX);
            }
        }
    )* };
}

large!(u64 usize);

macro_rules! tuples {
    ($(($($part:ident $number:tt)*))*) => { $(
        impl<$($part: Parts),*> Parts for ($($part,)*) {
            const COUNT: usize = 0 $(+ $part::COUNT)*;

            #[inline]
            fn write(self, into: &mut [i64]) {
                $(self.$number.write(&mut into[$number..]);)*
            }
        }
    )* };
}

impl Parts for () {
    const COUNT: usize = 0;

    #[inline]
    fn write(self, _into: &mut [i64]) {}
}

tuples!((A 0) (A 0 B 1) (A 0 B 1 C 2) (A 0 B 1 C 2 D 3));

/// A priority that is known at run time, with 0 for the parts that it does not have.
#[inline]
pub fn priority<P: Parts, const W: usize>(parts: P) -> [i64; W] {
    const { assert!(P::COUNT <= W, "this priority has more parts than any that is written in the model") };
    let mut priority = [0; W];
    parts.write(&mut priority);
    priority
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_parts_count_as_zero() {
        let rank = |parts: [i64; 3]| Rank::new(parts, 0, 0);
        let [first, second, third] = [rank(priority(5)), rank(priority((5, 0, 1))), rank(priority((5, 1)))];
        assert!(first < second && second < third);
        assert_eq!(priority::<_, 2>((1_u8, -2_i32)), [1, -2]);
    }

    #[test]
    fn priority_then_declaration_then_member() {
        assert!(Rank::new([0], 9, 9) < Rank::new([1], 0, 0));
        assert!(Rank::new([0], 1, 9) < Rank::new([0], 2, 0));
        assert!(Rank::new([0], 1, 1) < Rank::new([0], 1, 2));
    }
}
