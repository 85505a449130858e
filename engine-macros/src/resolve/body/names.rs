//! What a name in an expression becomes.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::visit::Visit;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, parse_quote, parse_quote_spanned};

use super::flows::Written;
use super::indices::Index;
use super::mode::Mode;
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
        if let Some(local) = self.locals.find(ident) {
            let (renamed, set) = (local.rename.clone()?, local.set);
            self.met += 1;
            if write {
                self.wrong(
                    span,
                    format!("`{ident}` is an index and stays what it is; copy it into a variable of its own"),
                );
            }
            return Some(match set.and_then(|set| self.names.sets[set].activity) {
                Some(activity) => self.member_key(activity, &renamed, span),
                None => parse_quote_spanned!(here(span)=> #renamed),
            });
        }
        match ident.to_string().as_str() {
            "now" => return Some(self.now(span, write)),
            "rng" => return Some(self.rng(span)),
            "never" => {
                let private = self.private();
                if self.names.ticks {
                    return Some(parse_quote_spanned!(here(span)=> #private::core::primitive::u64::MAX));
                }
                return Some(parse_quote_spanned!(here(span)=> #private::core::primitive::f64::INFINITY));
            }
            "dt" if self.mode.flow.is_some() && self.inlining.is_empty() => {
                self.met += 1;
                return Some(parse_quote_spanned!(here(span)=> __crt_dt));
            }
            "me" if self.activity.is_some() => {
                self.met += 1;
                if write {
                    self.wrong(span, "`me` is the own key and stays what it is");
                }
                return Some(parse_quote_spanned!(here(span)=> __crt_me));
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
                if !self.names.lets[index].family.is_single() {
                    self.wrong(span, format!("`{ident}` is a family of definitions; write its index: `{ident}[…]`"));
                    return None;
                }
                Some(self.definition(ident, index, Vec::new()))
            }
            Meaning::Set(set) => {
                if write {
                    self.wrong(span, format!("`{ident}` is an index set and stays what it is"));
                }
                let size = self.size(set, span);
                Some(parse_quote_spanned!(here(span)=> (0..#size)))
            }
            Meaning::Relation { relation, inverse } => Some(self.whole_relation(ident, relation, inverse, write)),
            Meaning::Action(_) => {
                self.wrong(span, format!("`{ident}` is an action; call it as `{ident}(…);`"));
                None
            }
            Meaning::Activity(_) => {
                self.wrong(span, format!("`{ident}` is an activity; start an instance: `{ident}.start(…)`"));
                None
            }
            Meaning::Line(_) => {
                self.wrong(span, format!("`{ident}` is a line; `{ident}.len()` is how many wait in it"));
                None
            }
            Meaning::Event(_) => {
                self.wrong(span, format!("`{ident}` is an event; schedule it: `{ident}.after(DELAY, …)`"));
                None
            }
        }
    }

    pub(super) fn place(&mut self, ident: &Ident, place: usize, write: bool) -> Expr {
        self.may_touch(ident, place, write);
        let span = ident.span();
        self.access.touch(place, write);
        let names = self.names;
        if names.places[place].grows {
            let of = names.places[place].family.sets().find_map(|set| names.sets[set].activity);
            let through = of.map_or(String::new(), |activity| {
                let activity = &names.activities[activity].activity.ident;
                format!(", or go through them: `{activity}.iter().map(|k| {ident}[k])`")
            });
            self.wrong(
                span,
                format!(
                    "the elements of `{ident}` come and go, and some of those that are kept are of none; take one at a time: \
                     `{ident}[…]`{through}"
                ),
            );
        }
        let handle = handle(ident);
        let single = names.places[place].family.is_single();
        if !single {
            self.access.whole.insert((place, write));
        }
        if !write && self.follows(ident, place) {
            return if single { self.flowing(ident, place, None, here(span)) } else { self.all_flowing(ident, place) };
        }
        if !write && !single && self.mode.flow.is_some_and(|flow| names.flows[flow].targets.contains(&place)) {
            self.wrong(
                span,
                format!("each element of `{ident}` flows on its own; a flow can use those at its own indices only"),
            );
        }
        let written = if single { Written::Single } else { Written::Whole };
        let anchors = if write { self.anchors(place, &written, span) } else { TokenStream::new() };
        if !anchors.is_empty() {
            parse_quote_spanned!(here(span)=> (*{ #anchors &mut *#handle }))
        } else if single || write {
            parse_quote_spanned!(here(span)=> (*#handle))
        } else {
            // What is only read cannot be changed, whoever else writes elements.
            parse_quote_spanned!(here(span)=> (*&*#handle))
        }
    }

    /// Reports what is wrong with reading or writing a place here.
    pub(super) fn may_touch(&mut self, ident: &Ident, place: usize, write: bool) {
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
            let why = match self.mode.once {
                true => format!("{what} is evaluated once, at the start, and can use params only"),
                false => format!(
                    "`{ident}` has no value here yet: an initial value may use params and what is declared before it"
                ),
            };
            self.errors.at(span, why);
        }
        if write {
            if let Some(&at) = self.moves.last() {
                self.wrong(at, format!("a `move` closure would write to a copy of `{ident}`; remove `move`"));
            }
        }
    }

    pub(super) fn now(&mut self, span: Span, write: bool) -> Expr {
        if write {
            self.wrong(span, "`now` cannot be written: time moves by itself");
        }
        if self.mode.flow.is_some() {
            self.wrong(
                span,
                "a flow cannot read `now`: it is a function of `dt` and of the values at the last event; keep the time of \
                 that as a state",
            );
        } else if self.mode.once {
            let what = self.mode.what;
            self.errors.at(span, format!("{what} cannot read `now`: it is evaluated once, at the start"));
        } else if !self.mode.now {
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
        if self.mode.courses {
            let private = self.private();
            return parse_quote!(#private::flow::Poly::time(#now));
        }
        parse_quote!(#now)
    }

    pub(super) fn rng(&mut self, span: Span) -> Expr {
        if self.mode.once {
            let what = self.mode.what;
            self.errors.at(
                span,
                format!("{what} cannot use `rng`; give what was drawn as a param, or draw in a `state relation`"),
            );
        } else if !self.mode.rng {
            let what = self.mode.what;
            let message = if what == Mode::intensity(false).what {
                "a hazard that draws random numbers says so: `|s, rng| E`".to_owned()
            } else {
                format!("{what} cannot use `rng`: it may be evaluated at any time; draw in an action or in `after(…)`")
            };
            self.errors.at(span, message);
        }
        self.access.rng = Some(span);
        let rng = Ident::new("__cr_rng", here(span));
        parse_quote_spanned!(here(span)=> (*#rng))
    }

    /// A use of a definition, at `indices` if it is a family.
    pub(super) fn definition(&mut self, ident: &Ident, index: usize, indices: Vec<Index>) -> Expr {
        self.met += 1;
        let definition = &self.names.lets[index];
        if self.inlining.contains(&index) {
            return parse_quote!(loop {});
        }
        let constant = definition.constant.filter(|_| self.mode.allowed.is_none());
        if let Some(number) = constant.filter(|_| !definition.family.is_single()) {
            return self.constant_element(ident, number, indices);
        }
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
        self.free_names(&definition.definition.ident, &definition.family.binders, &expr);
        let family = &definition.family;
        let frame = self.locals.enter();
        let arguments: Vec<TokenStream> = family
            .binders
            .iter()
            .zip(indices)
            .map(|((binder, set), index)| self.definition_index(ident, binder, *set, index))
            .collect();
        let pairs = self.pairs.take();
        self.inlining.push(index);
        let now_before = self.access.now.take();
        let allowed_now = std::mem::replace(&mut self.mode.now, true);
        let allowed_flows = std::mem::replace(&mut self.mode.flowing, true);
        let flowed_before = self.flowed.take();
        self.visit_expr_mut(&mut expr);
        (self.mode.now, self.mode.flowing) = (allowed_now, allowed_flows);
        let what = self.mode.what;
        match &self.flowed {
            Some(flowed) if !allowed_flows => self.errors.at(
                ident.span(),
                format!(
                    "`{ident}` reads `{flowed}`, which flows, and {what} cannot: it is looked at only when something it \
                     reads is written; use `hazard(…)`, `at(…)` or `crosses(…)`"
                ),
            ),
            None if self.access.now.is_some() && !allowed_now => self.errors.at(
                ident.span(),
                format!("`{ident}` reads `now`, which {what} cannot: it is looked at only when a state is written"),
            ),
            _ => {}
        }
        self.flowed = flowed_before.or(self.flowed.take());
        self.access.now = self.access.now.or(now_before);
        self.inlining.pop();
        self.pairs = pairs;
        self.locals.leave(frame);
        let expr = if arguments.is_empty() { expr } else { parse_quote!({ #(#arguments)* (#expr) }) };
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
    pub(super) fn free_names(&mut self, definition: &Ident, binders: &[(Ident, usize)], expr: &Expr) {
        let mut names = PathNames::default();
        names.bound.extend(binders.iter().map(|(binder, _)| binder.unraw().to_string()));
        names.visit_expr(expr);
        let outside = names.used.difference(&names.bound);
        let inside = |name: &&String| self.names.is_declared(name) || RESERVED.iter().any(|(word, _)| word == name);
        for name in outside.filter(|name| !inside(name)) {
            self.free.push((name.clone(), definition.unraw().to_string()));
        }
    }

    pub(super) fn bind(&mut self, ident: &Ident) {
        self.may_be_called(ident);
        if self.inlining.is_empty() {
            self.bound.entry(ident.unraw().to_string()).or_insert_with(|| ident.span());
        }
        self.locals.hide(ident);
    }

    /// Reports a name that a variable or index cannot have.
    pub(in crate::resolve) fn may_be_called(&mut self, ident: &Ident) {
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
