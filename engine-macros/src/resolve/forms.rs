//! Index forms: an index as a function of the indices of the item it stands in.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;

/// `base + by`, wrapped around the size of a set or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub base: Base,
    pub by: Sum,
    /// The set around whose size it wraps.
    pub wrap: Option<usize>,
}

/// What an index starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Base {
    /// Nothing: the index is what params and literals say.
    Fixed,
    /// Number of an index of the item.
    Binder(usize),
    /// Any member in a row of a relation, or with `inverse` any row that holds a member.
    Member { relation: usize, inverse: bool, args: Vec<Form> },
    /// Another form that wraps.
    Form(Box<Form>),
    /// Every member of a set, one after the other.
    Every,
    /// Known at run time only.
    Unknown,
}

/// A literal and multiples of things that are constant during a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sum {
    pub literal: i64,
    pub terms: BTreeMap<String, (Atom, i64)>,
}

/// Something constant that the literal part of a sum does not know.
#[derive(Clone, Debug)]
pub(crate) enum Atom {
    Param(usize),
    Size(usize),
    /// A constant from outside the block.
    Outside(TokenStream),
}

impl PartialEq for Atom {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Atom::Param(a), Atom::Param(b)) | (Atom::Size(a), Atom::Size(b)) => a == b,
            (Atom::Outside(a), Atom::Outside(b)) => a.to_string() == b.to_string(),
            _ => false,
        }
    }
}

impl Eq for Atom {}

impl Sum {
    /// A number.
    pub(crate) fn of(literal: i64) -> Self {
        Sum { literal, terms: BTreeMap::new() }
    }

    /// `factor` times something.
    pub(crate) fn of_atom(name: String, atom: Atom, factor: i64) -> Self {
        Sum { literal: 0, terms: [(name, (atom, factor))].into() }
    }

    /// `self + factor * other`.
    pub(crate) fn plus(mut self, other: &Sum, factor: i64) -> Self {
        self.literal = self.literal.saturating_add(factor.saturating_mul(other.literal));
        for (name, (atom, count)) in &other.terms {
            self.terms.entry(name.clone()).or_insert((atom.clone(), 0)).1 += factor * count;
        }
        self.terms.retain(|_, (_, count)| *count != 0);
        self
    }

    /// Without multiples of the size of `set`, which wrapping around it makes nothing of.
    fn around(mut self, set: usize) -> Self {
        self.terms.retain(|_, (atom, _)| !matches!(atom, Atom::Size(size) if *size == set));
        self
    }

    /// Whether it is 0.
    pub(crate) fn is_zero(&self) -> bool {
        self.literal == 0 && self.terms.is_empty()
    }
}

impl Form {
    /// The base itself.
    pub(crate) fn plain(base: Base) -> Self {
        Form { base, by: Sum::default(), wrap: None }
    }

    /// Known at run time only.
    pub(crate) fn unknown() -> Self {
        Form::plain(Base::Unknown)
    }

    /// `self + by`, wrapped around `wrap` or not.
    pub(crate) fn shifted(self, by: &Sum, wrap: Option<usize>) -> Self {
        if by.is_zero() && (wrap.is_none() || wrap == self.wrap) {
            return self;
        }
        match self {
            Form { base: Base::Unknown | Base::Every, .. } => Form::unknown(),
            Form { base, by: own, wrap: inner } if inner.is_none() || inner == wrap => {
                let by = own.plus(by, 1);
                Form { base, by: if let Some(set) = wrap { by.around(set) } else { by }, wrap }
            }
            inner => Form { base: Base::Form(Box::new(inner)), by: by.clone(), wrap },
        }
    }

    /// Whether one number follows from the item's indices, without looking at anything that changes.
    pub(crate) fn is_direct(&self) -> bool {
        match &self.base {
            Base::Fixed | Base::Binder(_) => true,
            Base::Form(inner) => inner.is_direct(),
            Base::Member { .. } | Base::Every | Base::Unknown => false,
        }
    }

    /// Whether its inverse is known at compile time.
    pub(crate) fn is_known(&self) -> bool {
        match &self.base {
            Base::Unknown => false,
            Base::Form(inner) => inner.is_known(),
            Base::Member { args, .. } => args.iter().all(Form::is_known),
            Base::Fixed | Base::Binder(_) | Base::Every => true,
        }
    }

    /// The form when the item's indices are themselves `args`.
    pub(crate) fn with(&self, args: &[Form]) -> Form {
        let base = match &self.base {
            Base::Binder(number) => args.get(*number).cloned().unwrap_or_else(Form::unknown),
            Base::Form(inner) => inner.with(args),
            Base::Member { relation, inverse, args: inner } => Form::plain(Base::Member {
                relation: *relation,
                inverse: *inverse,
                args: inner.iter().map(|form| form.with(args)).collect(),
            }),
            other => Form::plain(other.clone()),
        };
        base.shifted(&self.by, self.wrap)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binder(by: i64, wrap: Option<usize>) -> Form {
        Form::plain(Base::Binder(0)).shifted(&Sum::of(by), wrap)
    }

    #[test]
    fn shifts_add_up() {
        assert_eq!(binder(2, None).shifted(&Sum::of(-2), None), binder(0, None));
        assert_eq!(binder(2, Some(0)).shifted(&Sum::of(1), Some(0)), binder(3, Some(0)));
        assert!(matches!(binder(2, Some(0)).shifted(&Sum::of(1), None).base, Base::Form(_)));
    }

    #[test]
    fn the_size_of_a_set_is_nothing_around_it() {
        let by = Sum::of(-1).plus(&Sum::of_atom("n".to_owned(), Atom::Size(0), 1), 1);
        assert_eq!(Form::plain(Base::Binder(0)).shifted(&by, Some(0)), binder(-1, Some(0)));
    }

    #[test]
    fn arguments_take_the_place_of_indices() {
        assert_eq!(binder(1, None).with(&[binder(-1, None)]), binder(0, None));
        assert_eq!(binder(1, None).with(&[Form::unknown()]), Form::unknown());
    }
}
