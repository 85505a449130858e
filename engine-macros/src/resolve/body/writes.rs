//! What is written: the base of an assignment, of `&mut`, of `ref mut`, and of a method call that is
//! not known to only read.

use syn::visit::Visit;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, Pat};

use super::{Rewriter, single};
use crate::resolve::names::{Meaning, PlaceKind};
use crate::resolve::types;

impl Rewriter<'_> {
    /// An expression that is assigned to, mutably borrowed, or changed by a method.
    pub(in crate::resolve) fn write(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) => {
                if let Some(replacement) = single(path).cloned().and_then(|ident| self.name(&ident, true)) {
                    *expr = replacement;
                }
            }
            Expr::Field(field) => self.write(&mut field.base),
            Expr::Index(_) => {
                if let Some(element) = self.element(expr, true) {
                    *expr = element;
                } else if let Expr::Index(index) = expr {
                    self.write(&mut index.expr);
                    self.visit_expr_mut(&mut index.index);
                }
            }
            Expr::Paren(inner) => self.write(&mut inner.expr),
            Expr::Group(inner) => self.write(&mut inner.expr),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => self.write(&mut unary.expr),
            other => self.visit_expr_mut(other),
        }
    }

    /// The left side of an assignment, which may take things apart: `(a, b) = (b, a)`.
    pub(super) fn assigned(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.assigned(e)),
            Expr::Array(array) => array.elems.iter_mut().for_each(|e| self.assigned(e)),
            Expr::Struct(fields) => {
                for field in &mut fields.fields {
                    field.colon_token.get_or_insert_default();
                    self.assigned(&mut field.expr);
                }
            }
            Expr::Call(call) => call.args.iter_mut().for_each(|e| self.assigned(e)),
            other => self.write(other),
        }
    }

    /// Whether what is assigned to is (part of) a tally.
    pub(super) fn is_tally(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Path(path) => match single(path).and_then(|ident| self.names.meaning(ident)) {
                Some(Meaning::Place(place)) => matches!(self.names.places[place].kind, PlaceKind::Tally),
                _ => false,
            },
            Expr::Field(field) => self.is_tally(&field.base),
            Expr::Index(index) => self.is_tally(&index.expr),
            Expr::Paren(inner) => self.is_tally(&inner.expr),
            Expr::Unary(unary) => self.is_tally(&unary.expr),
            _ => false,
        }
    }

    /// What is assigned. To a tally it may come from tallies: `most = most.max(n)`.
    pub(super) fn right_side(&mut self, expr: &mut Expr, tally: bool) {
        let before = self.mode.tallies;
        self.mode.tallies |= tally;
        self.visit_expr_mut(expr);
        self.mode.tallies = before;
    }

    /// In a pure place, a method that is known to change what it is called on.
    pub(super) fn no_change_by_method(&mut self, receiver: &Expr, method: &proc_macro2::Ident) {
        let base = match receiver {
            Expr::Path(path) => single(path),
            Expr::Field(field) => return self.no_change_by_method(&field.base, method),
            Expr::Index(index) => return self.no_change_by_method(&index.expr, method),
            Expr::Paren(inner) => return self.no_change_by_method(&inner.expr, method),
            _ => None,
        };
        if let Some(ident) = base.filter(|ident| matches!(self.names.meaning(ident), Some(Meaning::Place(_)))) {
            let what = self.mode.what;
            let message = format!("{what} cannot write `{ident}`, which `{method}` does; only actions write");
            self.wrong(ident.span(), message);
        }
    }

    /// `match` and friends: a `ref mut` binding writes what is matched.
    pub(super) fn scrutinee<'p>(&mut self, expr: &mut Expr, mut patterns: impl Iterator<Item = &'p Pat>) {
        struct RefMut(bool);
        impl Visit<'_> for RefMut {
            fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
                self.0 |= pat.by_ref.is_some() && pat.mutability.is_some();
                syn::visit::visit_pat_ident(self, pat);
            }
        }
        let writes = patterns.any(|pat| {
            let mut found = RefMut(false);
            found.visit_pat(pat);
            found.0
        });
        if writes { self.write(expr) } else { self.visit_expr_mut(expr) }
    }

    fn is_param(&self, expr: &Expr) -> bool {
        let Expr::Path(path) = expr else { return false };
        match single(path).and_then(|ident| self.names.meaning(ident)) {
            Some(Meaning::Place(place)) => matches!(self.names.places[place].kind, PlaceKind::Param { .. }),
            _ => false,
        }
    }

    /// Whether a method call cannot write because of the declared type: numbers have no methods
    /// that change them.
    pub(super) fn reads_by_type(&self, receiver: &Expr) -> bool {
        match receiver {
            Expr::Path(path) => match single(path).and_then(|ident| self.names.meaning(ident)) {
                Some(Meaning::Place(place)) => {
                    let place = &self.names.places[place];
                    let number = place.family.is_single() && types::is_number(&place.ty);
                    number || matches!(place.kind, PlaceKind::Param { .. })
                }
                Some(Meaning::Let(_) | Meaning::Set(_) | Meaning::Relation { .. }) => true,
                _ => false,
            },
            Expr::Paren(inner) => self.reads_by_type(&inner.expr),
            Expr::Index(index) => {
                let of_family =
                    |expr: &Expr| types::family_type(expr, self.names).is_some_and(|ty| types::is_number(&ty));
                of_family(receiver) || matches!(&*index.expr, Expr::Path(_)) && self.is_param(&index.expr)
            }
            _ => false,
        }
    }
}
