//! What a name in an expression becomes.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::visit::Visit;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, parse_quote, parse_quote_spanned};

use super::{Rewriter, constant_handle, handle, here, single};
use crate::resolve::names::{Meaning, PlaceKind, RESERVED, idents};

impl Rewriter<'_> {
    /// Whether this is code of a definition.
    pub(super) fn defines(&self) -> bool {
        !self.inlining.is_empty() || self.mode.defines
    }

    /// An upper-case name in a pattern is a constant or a variant, unless the model has one of its name.
    pub(super) fn hides_item(&mut self, ident: &Ident) {
        if self.names.is_declared(&ident.unraw().to_string()) {
            self.bind(ident);
        }
    }

    /// Names that a `use` inside a body brings in.
    pub(super) fn bind_uses(&mut self, tree: &syn::UseTree) {
        match tree {
            syn::UseTree::Path(path) => self.bind_uses(&path.tree),
            syn::UseTree::Name(name) => self.bind(&name.ident),
            syn::UseTree::Rename(rename) => self.bind(&rename.rename),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.bind_uses(tree)),
            syn::UseTree::Glob(_) => {}
        }
    }

    /// What a name stands for, read or written; `None` if it is none of the model's.
    pub(super) fn name(&mut self, ident: &Ident, write: bool) -> Option<Expr> {
        let span = ident.span();
        match ident.to_string().as_str() {
            "now" => return Some(self.now(span, write)),
            "rng" => return Some(self.rng(span)),
            "never" => {
                let private = self.private();
                return Some(parse_quote_spanned!(here(span)=> #private::core::primitive::f64::INFINITY));
            }
            word @ ("dt" | "me") if self.names.meaning(ident).is_none() && !self.bound.contains_key(word) => {
                let what = if word == "dt" { "flows" } else { "activities" };
                self.wrong(span, format!("`{word}` has a meaning in {what} only"));
                return None;
            }
            _ => {}
        }
        match self.names.meaning(ident)? {
            Meaning::Place(place) => Some(self.place(ident, place, write)),
            Meaning::Let(index) => {
                if write {
                    self.wrong(span, format!("`{ident}` is a definition; write the states it is made of"));
                }
                Some(self.definition(ident, index))
            }
            Meaning::Action(_) => {
                self.wrong(span, format!("`{ident}` is an action; call it as `{ident}(…);`"));
                None
            }
        }
    }

    pub(super) fn place(&mut self, ident: &Ident, place: usize, write: bool) -> Expr {
        self.met += 1;
        let span = ident.span();
        let what = self.mode.what;
        match self.names.places[place].kind {
            PlaceKind::Param { .. } if write => self.wrong(
                span,
                format!("`{ident}` is a param, constant during a run; declare it as a `state` if it changes"),
            ),
            PlaceKind::Tally if !self.mode.writes && !self.mode.tallies => {
                self.errors.at(span, format!("`{ident}` is a tally: only `observe` reads it, and this is {what}"));
            }
            PlaceKind::Tally if self.mode.writes && !write && !self.mode.tallies => self.errors.at(
                span,
                format!("`{ident}` is a tally: actions write it and only `observe` reads it; declare it as a `state`"),
            ),
            _ if write && !self.mode.writes => {
                self.wrong(span, format!("{what} cannot write `{ident}`; only actions write"));
            }
            _ => {}
        }
        if self.mode.allowed.as_ref().is_some_and(|allowed| !allowed.contains(&place)) {
            self.errors.at(
                span,
                format!(
                    "`{ident}` has no value here yet: an initial value may use params and what is declared before it"
                ),
            );
        }
        if write {
            if let Some(&at) = self.moves.last() {
                self.wrong(at, format!("a `move` closure would write to a copy of `{ident}`; remove `move`"));
            }
        }
        self.access.touch(place, write);
        let handle = handle(ident);
        parse_quote_spanned!(here(span)=> (*#handle))
    }

    pub(super) fn now(&mut self, span: Span, write: bool) -> Expr {
        if write {
            self.wrong(span, "`now` cannot be written: time moves by itself");
        }
        if !self.mode.now {
            let what = self.mode.what;
            self.errors.at(
                span,
                format!(
                    "{what} cannot read `now`: it is looked at only when something it reads is written; \
                     for a time that is known use `at(…)` or `every(…)`"
                ),
            );
        }
        self.access.now = Some(span);
        let now = Ident::new("__cr_now", here(span));
        parse_quote!(#now)
    }

    pub(super) fn rng(&mut self, span: Span) -> Expr {
        if !self.mode.rng {
            let what = self.mode.what;
            self.errors.at(
                span,
                format!("{what} cannot use `rng`: it may be evaluated at any time; draw in an action or in `after(…)`"),
            );
        }
        self.access.rng = Some(span);
        let rng = Ident::new("__cr_rng", here(span));
        parse_quote_spanned!(here(span)=> (*#rng))
    }

    pub(super) fn definition(&mut self, ident: &Ident, index: usize) -> Expr {
        self.met += 1;
        let definition = &self.names.lets[index];
        if self.inlining.contains(&index) {
            return parse_quote!(loop {});
        }
        let constant = definition.constant.filter(|_| self.mode.allowed.is_none());
        let cell = match constant {
            Some(number) => {
                self.access.constant = true;
                let typed = self.names.constants[number].ty.is_some();
                if typed || self.closures == 0 {
                    self.access.constants.insert(number);
                    let handle = constant_handle(ident);
                    if typed {
                        return parse_quote_spanned!(here(ident.span())=> (*#handle));
                    }
                    Some(handle)
                } else {
                    None
                }
            }
            None => None,
        };
        let mut expr = definition.definition.expr.clone();
        self.free_names(&definition.definition.ident, &expr);
        self.inlining.push(index);
        let now_before = self.access.now.take();
        let allowed_now = std::mem::replace(&mut self.mode.now, true);
        self.visit_expr_mut(&mut expr);
        self.mode.now = allowed_now;
        if self.access.now.is_some() && !allowed_now {
            let what = self.mode.what;
            self.errors.at(
                ident.span(),
                format!("`{ident}` reads `now`, which {what} cannot: it is looked at only when a state is written"),
            );
        }
        self.access.now = self.access.now.or(now_before);
        self.inlining.pop();
        let ascribed = match &definition.definition.ty {
            Some(ty) => quote!({ let __crt_value: #ty = #expr; __crt_value }),
            None => quote!(#expr),
        };
        match cell {
            Some(handle) => {
                let private = self.private();
                parse_quote!((*#handle.get(|| #private::core::result::Result::Ok(#ascribed))?))
            }
            None => parse_quote!((#ascribed)),
        }
    }

    /// Notes what `let definition` takes from outside the block.
    pub(super) fn free_names(&mut self, definition: &Ident, expr: &Expr) {
        let mut names = PathNames::default();
        names.visit_expr(expr);
        let outside = names.used.difference(&names.bound);
        let inside = |name: &&String| self.names.is_declared(name) || RESERVED.iter().any(|(word, _)| word == name);
        for name in outside.filter(|name| !inside(name)) {
            self.free.push((name.clone(), definition.unraw().to_string()));
        }
    }

    pub(super) fn bind(&mut self, ident: &Ident) {
        let name = ident.unraw().to_string();
        if let Some((_, means)) = RESERVED.iter().find(|(word, _)| *word == name) {
            self.wrong(ident.span(), format!("`{name}` is {means} in every block; choose another name"));
        } else if let Some(declared) = self.names.declared_at(ident) {
            self.wrong(
                ident.span(),
                format!("`{name}` is an item of the model; choose another name for this variable"),
            );
            self.wrong(declared, format!("`{name}` is declared here"));
        }
        if self.inlining.is_empty() {
            self.bound.entry(name).or_insert_with(|| ident.span());
        }
    }
}

/// Names that an expression uses as paths, and those it binds itself.
#[derive(Default)]
struct PathNames {
    used: BTreeSet<String>,
    bound: BTreeSet<String>,
}

impl Visit<'_> for PathNames {
    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        self.used.extend(single(path).map(|ident| ident.unraw().to_string()));
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.used.extend(mac.path.get_ident().map(|ident| ident.unraw().to_string()));
        self.used.extend(idents(mac.tokens.clone()).iter().map(|ident| ident.unraw().to_string()));
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.bound.insert(pat.ident.unraw().to_string());
        syn::visit::visit_pat_ident(self, pat);
    }
}
