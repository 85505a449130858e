//! One expression or body: its places are found, and rewritten to the handles through which the
//! generated function reaches them.
//!
//! A place `s` becomes `(*__cr_s)`, where `__cr_s` is `&mut` if the body writes `s` and a read-only
//! handle otherwise. Integer arithmetic becomes checked. `return` and `?` become failures or ends of
//! the generated function.
mod activities;
mod arithmetic;
mod calls;
mod events;
mod flows;
mod indices;
mod locals;
mod mode;
mod names;
mod walk;
mod writes;

use std::collections::BTreeMap;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::visit_mut::VisitMut as _;
use syn::{Block, Expr};

pub(crate) use calls::Items;
pub(super) use events::named;
pub(crate) use events::{priority_of, time_type};
pub(super) use mode::Mode;

use locals::Locals;

use super::family::Family;
use super::forms::{Base, Form};
use super::names::{Meaning, Names, PlaceKind, idents};
use super::{Access, Body};
use crate::errors::Errors;
use crate::syntax::Argument;

/// The name under which generated code holds `ident`.
pub(crate) fn handle(ident: &Ident) -> Ident {
    format_ident!("__cr_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds constant `ident`.
pub(crate) fn constant_handle(ident: &Ident) -> Ident {
    format_ident!("__crc_{}", ident.unraw(), span = here(ident.span()))
}

/// The name of the function for `part` of item `ident`. A part is one word: `a_b` of `x` would be `a` of `b_x`.
pub(crate) fn function(part: &str, ident: &Ident) -> Ident {
    format_ident!("__cr_{part}_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds an index called `ident`.
pub(crate) fn binder(ident: &Ident) -> Ident {
    format_ident!("__crb_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds the size of set `ident`.
pub(crate) fn size_handle(ident: &Ident) -> Ident {
    format_ident!("__crn_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds what is read of family `ident` at run-time indices.
pub(crate) fn trace_handle(ident: &Ident) -> Ident {
    format_ident!("__crr_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds what is written of family `ident` at run-time indices.
pub(crate) fn log_handle(ident: &Ident) -> Ident {
    format_ident!("__crw_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds the number of the pair that the indices stand for.
pub(crate) fn pair_handle() -> Ident {
    Ident::new("__crp_pair", Span::call_site())
}

/// The name of an action's argument in generated code: what is an index there has another name.
pub(crate) fn argument(arg: &Argument) -> Ident {
    if arg.mutability.is_none() { binder(&arg.ident) } else { arg.ident.clone() }
}

/// The user's position with the macro's hygiene: one body's tokens may come from several macros.
pub(crate) fn here(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

pub(super) struct Rewriter<'a> {
    names: &'a Names<'a>,
    mode: Mode,
    /// The activity whose code it is.
    activity: Option<usize>,
    /// Local variables in sight.
    locals: Locals,
    /// The relation whose pair the item's indices stand for.
    pairs: Option<usize>,
    errors: &'a mut Errors,
    access: Access,
    /// How deep in closures, where `return` and `?` have another meaning.
    closures: usize,
    /// Whether the innermost closure moves what it uses.
    moves: Vec<Span>,
    /// How many model names have been met.
    met: usize,
    /// How many indices of definitions have got a variable.
    uses: usize,
    /// Names bound in the body.
    bound: BTreeMap<String, Span>,
    /// Names that used definitions take from outside the block, with the definition.
    free: Vec<(String, String)>,
    /// The first flowing variable that was read.
    flowed: Option<Ident>,
    /// Definitions being inlined; what is wrong inside is reported at the definition.
    inlining: Vec<usize>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(names: &'a Names<'a>, mode: Mode, errors: &'a mut Errors) -> Self {
        Rewriter {
            names,
            mode,
            activity: None,
            locals: Locals::default(),
            pairs: None,
            errors,
            access: Access::default(),
            closures: 0,
            moves: Vec::new(),
            met: 0,
            uses: 0,
            bound: BTreeMap::new(),
            free: Vec::new(),
            flowed: None,
            inlining: Vec::new(),
        }
    }

    /// The same for code of an item that is a family.
    pub(super) fn of(mut self, family: &Family) -> Self {
        for (number, (ident, set)) in family.binders.iter().enumerate() {
            self.may_be_called(ident);
            self.locals.index(ident, binder(ident), Form::plain(Base::Binder(number)), Some(*set));
        }
        self.pairs = family.pairs;
        self
    }

    /// The same with a number called `ident`, which generated code calls `rename`.
    pub(super) fn with(mut self, ident: Option<&Ident>, rename: &str) -> Self {
        if let Some(ident) = ident {
            self.may_be_called(ident);
            let rename = Ident::new(rename, here(ident.span()));
            self.locals.index(ident, rename, Form::unknown(), None);
        }
        self
    }

    /// An expression with a value.
    pub(super) fn value(mut self, expr: &Expr) -> Body {
        let mut expr = expr.clone();
        self.visit_expr_mut(&mut expr);
        self.finish(expr.into_token_stream())
    }

    /// The same for code of an activity, over these variables.
    pub(super) fn within<'i>(mut self, activity: Option<usize>, variables: impl Iterator<Item = &'i Ident>) -> Self {
        self.activity = activity;
        variables.for_each(|ident| self.locals.hide(ident));
        self
    }

    /// A piece of an activity.
    pub(super) fn piece(mut self, block: Block) -> Body {
        let mut block = block;
        self.visit_block_mut(&mut block);
        self.finish(block.into_token_stream())
    }

    /// The body of an event, whose arguments are variables of it.
    pub(super) fn handler(mut self, block: &Block, args: &[&Argument]) -> Body {
        for arg in args {
            self.bind(&arg.ident);
        }
        let mut block = block.clone();
        self.visit_block_mut(&mut block);
        self.finish(block.into_token_stream())
    }

    /// The body of an action.
    pub(super) fn body(mut self, block: &Block, args: &[Argument], sets: &[Option<usize>]) -> Body {
        for (number, (arg, set)) in args.iter().zip(sets).enumerate() {
            if arg.mutability.is_some() {
                self.bind(&arg.ident);
            } else {
                self.may_be_called(&arg.ident);
                // An argument of another type is no index.
                let is_index = arg.ty().to_token_stream().to_string() == "usize";
                let form = if is_index { Form::plain(Base::Binder(number)) } else { Form::unknown() };
                self.locals.index(&arg.ident, binder(&arg.ident), form, *set);
            }
        }
        let mut block = block.clone();
        self.visit_block_mut(&mut block);
        self.finish(block.into_token_stream())
    }

    fn finish(mut self, tokens: TokenStream) -> Body {
        for (name, definition) in std::mem::take(&mut self.free) {
            if let Some(&span) = self.bound.get(&name) {
                self.errors.at(
                    span,
                    format!("this hides the `{name}` that `let {definition}` uses; rename this local variable"),
                );
            }
        }
        Body { tokens, access: self.access }
    }

    /// Variables that `visit` binds end with it.
    pub(in crate::resolve) fn in_scope(&mut self, visit: impl FnOnce(&mut Self)) {
        let mark = self.locals.mark();
        visit(self);
        self.locals.end(mark);
    }

    fn private(&self) -> TokenStream {
        self.names.private.clone()
    }

    /// Reports what is wrong with the code itself, not with where it is used.
    pub(in crate::resolve) fn wrong(&mut self, span: Span, message: impl std::fmt::Display) {
        if self.inlining.is_empty() {
            self.errors.at(span, message);
        }
    }

    fn closure(&mut self, closure: &mut syn::ExprClosure, given: Option<&indices::Given>) {
        self.closures += 1;
        let mark = self.locals.mark();
        if let Some(moves) = &closure.capture {
            self.moves.push(moves.span());
        }
        closure.inputs.iter_mut().for_each(|pat| self.visit_pat_mut(pat));
        if let Some(given) = given {
            self.know_parameters(closure, given);
        }
        self.visit_expr_mut(&mut closure.body);
        self.locals.end(mark);
        if closure.capture.is_some() {
            self.moves.pop();
        }
        self.closures -= 1;
    }

    /// A `move` closure takes what it reads by a borrow of its own, not the handle itself.
    fn borrowed_by_move(&self, closure: &Expr) -> Expr {
        let found: BTreeMap<String, Ident> =
            idents(closure.to_token_stream()).into_iter().map(|ident| (ident.to_string(), ident)).collect();
        let places = self.names.places.iter().map(|place| handle(&place.ident).to_string());
        let borrows = places.filter_map(|name| found.get(&name)).map(|handle| quote::quote!(let #handle = &*#handle;));
        let rng = found.get("__cr_rng").map(|rng| quote::quote!(let #rng = &mut *#rng;));
        let borrows: TokenStream = borrows.chain(rng).collect();
        if borrows.is_empty() { closure.clone() } else { syn::parse_quote!({ #borrows #closure }) }
    }

    pub(super) fn is_model_name(&self, ident: &Ident) -> bool {
        match self.locals.find(ident) {
            Some(local) => local.rename.is_some(),
            None => {
                self.names.meaning(ident).is_some()
                    || ["now", "rng", "never"].iter().any(|word| ident == word)
                    || (ident == "me" && self.activity.is_some())
            }
        }
    }

    /// The replacement of `ident` where only tokens are known; counts as a write where that is
    /// possible.
    pub(super) fn token(&mut self, ident: &Ident) -> Option<TokenStream> {
        let write = self.mode.writes
            && matches!(self.names.meaning(ident), Some(Meaning::Place(place))
                if !matches!(self.names.places[place].kind, PlaceKind::Param { .. }));
        self.name(ident, write).map(quote::ToTokens::into_token_stream)
    }

    /// A call of an action where only tokens are known.
    pub(super) fn action_in_tokens(&mut self, ident: &Ident, args: &proc_macro2::Group) -> Option<TokenStream> {
        let is_action = matches!(self.names.meaning(ident), Some(Meaning::Action(_)));
        if !is_action || args.delimiter() != proc_macro2::Delimiter::Parenthesis {
            return None;
        }
        let mut call: Expr = syn::parse2(quote::quote!(#ident #args)).ok()?;
        self.visit_expr_mut(&mut call);
        Some(call.into_token_stream())
    }
}

/// The identifier of a path that is nothing else.
fn single(path: &syn::ExprPath) -> Option<&Ident> {
    if path.qself.is_some() { None } else { path.path.get_ident() }
}
