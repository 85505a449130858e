//! One expression or body: its places are found, and rewritten to the handles through which the
//! generated function reaches them.
//!
//! A place `s` becomes `(*__cr_s)`, where `__cr_s` is `&mut` if the body writes `s` and a read-only
//! handle otherwise. Integer arithmetic becomes checked. `return` and `?` become failures or ends of
//! the generated function.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, BinOp, Block, Expr, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::names::{Meaning, Names, PlaceKind, RESERVED};
use super::{Access, Body, methods, types};
use crate::errors::Errors;
use crate::syntax::Argument;

/// What code may do where it stands.
#[derive(Clone, Debug)]
pub(super) struct Mode {
    /// For messages: "a rate".
    what: &'static str,
    writes: bool,
    rng: bool,
    now: bool,
    tallies: bool,
    /// In initial values, the places that have a value already.
    allowed: Option<BTreeSet<usize>>,
}

impl Mode {
    const PURE: Mode = Mode { what: "", writes: false, rng: false, now: true, tallies: false, allowed: None };

    pub(super) fn action() -> Self {
        Mode { what: "an action", writes: true, rng: true, ..Mode::PURE }
    }

    pub(super) fn definition() -> Self {
        Mode { what: "a definition", ..Mode::PURE }
    }

    pub(super) fn guard() -> Self {
        Mode { what: "a guard", now: false, ..Mode::PURE }
    }

    pub(super) fn rate() -> Self {
        Mode { what: "a rate", now: false, ..Mode::PURE }
    }

    pub(super) fn stop() -> Self {
        Mode { what: "a stop condition", now: false, ..Mode::PURE }
    }

    pub(super) fn speed() -> Self {
        Mode { what: "a speed", now: false, ..Mode::PURE }
    }

    pub(super) fn period() -> Self {
        Mode { what: "a period", now: false, ..Mode::PURE }
    }

    pub(super) fn at() -> Self {
        Mode { what: "a ring time", ..Mode::PURE }
    }

    pub(super) fn delay() -> Self {
        Mode { what: "a delay", rng: true, ..Mode::PURE }
    }

    pub(super) fn observe() -> Self {
        Mode { what: "an output", tallies: true, ..Mode::PURE }
    }

    pub(super) fn invariant() -> Self {
        Mode { what: "an invariant", ..Mode::PURE }
    }

    /// An initial value, which may use the places in `allowed`.
    pub(super) fn initial(allowed: BTreeSet<usize>) -> Self {
        Mode { what: "an initial value", allowed: Some(allowed), ..Mode::PURE }
    }

    /// The same with random numbers.
    pub(super) fn drawn(self) -> Self {
        Mode { rng: true, ..self }
    }
}

/// The name under which generated code holds `ident`.
pub(crate) fn handle(ident: &Ident) -> Ident {
    format_ident!("__cr_{}", ident.unraw(), span = here(ident.span()))
}

/// The name under which generated code holds constant `ident`.
pub(crate) fn constant_handle(ident: &Ident) -> Ident {
    format_ident!("__crc_{}", ident.unraw(), span = here(ident.span()))
}

/// The function of action `ident`.
pub(crate) fn action_function(ident: &Ident) -> Ident {
    format_ident!("__cr_action_{}", ident.unraw(), span = here(ident.span()))
}

/// The user's position with the macro's hygiene: one body's tokens may come from several macros.
pub(crate) fn here(span: Span) -> Span {
    span.resolved_at(Span::call_site())
}

pub(super) struct Rewriter<'a> {
    names: &'a Names<'a>,
    mode: Mode,
    errors: &'a mut Errors,
    access: Access,
    /// How deep in closures, where `return` and `?` have another meaning.
    closures: usize,
    /// Whether the innermost closure moves what it uses.
    moves: Vec<Span>,
    /// How many model names have been met.
    met: usize,
    /// Names bound in the body.
    bound: BTreeMap<String, Span>,
    /// Names that used definitions take from outside the block, with the definition.
    free: Vec<(String, String)>,
    /// Definitions being inlined; what is wrong inside is reported at the definition.
    inlining: Vec<usize>,
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(names: &'a Names<'a>, mode: Mode, errors: &'a mut Errors) -> Self {
        Rewriter {
            names,
            mode,
            errors,
            access: Access::default(),
            closures: 0,
            moves: Vec::new(),
            met: 0,
            bound: BTreeMap::new(),
            free: Vec::new(),
            inlining: Vec::new(),
        }
    }

    /// An expression with a value.
    pub(super) fn value(mut self, expr: &Expr) -> Body {
        let mut expr = expr.clone();
        self.visit_expr_mut(&mut expr);
        self.finish(expr.into_token_stream())
    }

    /// The body of an action.
    pub(super) fn body(mut self, block: &Block, args: &[Argument]) -> Body {
        for arg in args {
            self.bind(&arg.ident);
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

    fn private(&self) -> TokenStream {
        self.names.private.clone()
    }

    /// Reports what is wrong with the code itself, not with where it is used.
    fn wrong(&mut self, span: Span, message: impl std::fmt::Display) {
        if self.inlining.is_empty() {
            self.errors.at(span, message);
        }
    }

    fn bind(&mut self, ident: &Ident) {
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

    /// What a name stands for, read or written; `None` if it is none of the model's.
    fn name(&mut self, ident: &Ident, write: bool) -> Option<Expr> {
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

    fn place(&mut self, ident: &Ident, place: usize, write: bool) -> Expr {
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
        let handle = handle_at(ident);
        parse_quote_spanned!(here(span)=> (*#handle))
    }

    fn now(&mut self, span: Span, write: bool) -> Expr {
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

    fn rng(&mut self, span: Span) -> Expr {
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

    fn definition(&mut self, ident: &Ident, index: usize) -> Expr {
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
                    let handle = Ident::new(&constant_handle(ident).to_string(), here(ident.span()));
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
    fn free_names(&mut self, definition: &Ident, expr: &Expr) {
        let mut names = PathNames::default();
        names.visit_expr(expr);
        let outside = names.used.difference(&names.bound);
        let inside = |name: &&String| self.names.is_declared(name) || RESERVED.iter().any(|(word, _)| word == name);
        for name in outside.filter(|name| !inside(name)) {
            self.free.push((name.clone(), definition.unraw().to_string()));
        }
    }

    /// An expression that is assigned to, mutably borrowed, or changed by a method.
    fn write(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) => {
                if let Some(replacement) = single(path).cloned().and_then(|ident| self.name(&ident, true)) {
                    *expr = replacement;
                }
            }
            Expr::Field(field) => self.write(&mut field.base),
            Expr::Index(index) => {
                self.write(&mut index.expr);
                self.visit_expr_mut(&mut index.index);
            }
            Expr::Paren(inner) => self.write(&mut inner.expr),
            Expr::Group(inner) => self.write(&mut inner.expr),
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)) => self.write(&mut unary.expr),
            Expr::Tuple(tuple) => tuple.elems.iter_mut().for_each(|e| self.write(e)),
            Expr::Array(array) => array.elems.iter_mut().for_each(|e| self.write(e)),
            Expr::Struct(fields) => {
                for field in &mut fields.fields {
                    field.colon_token.get_or_insert_default();
                    self.write(&mut field.expr);
                }
            }
            Expr::Call(call) => call.args.iter_mut().for_each(|e| self.write(e)),
            other => self.visit_expr_mut(other),
        }
    }

    /// Whether what is assigned to is (part of) a tally.
    fn is_tally(&self, expr: &Expr) -> bool {
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
    fn right_side(&mut self, expr: &mut Expr, tally: bool) {
        let before = self.mode.tallies;
        self.mode.tallies |= tally;
        self.visit_expr_mut(expr);
        self.mode.tallies = before;
    }

    /// An argument: a bare `rng` is passed on.
    fn argument(&mut self, expr: &mut Expr) {
        if let Expr::Path(path) = &*expr {
            if let Some(ident) = single(path).filter(|ident| *ident == "rng").cloned() {
                let rng = self.rng(ident.span());
                *expr = parse_quote!(&mut #rng);
                return;
            }
        }
        self.visit_expr_mut(expr);
    }

    fn compound(&mut self, expr: &mut Expr) {
        let Expr::Binary(binary) = expr else { return };
        let method = match &binary.op {
            BinOp::AddAssign(_) => Some("cr_add_assign"),
            BinOp::SubAssign(_) => Some("cr_sub_assign"),
            BinOp::MulAssign(_) => Some("cr_mul_assign"),
            _ => None,
        };
        let float = types::is_float_expr(&binary.left, self.names) || types::is_float_expr(&binary.right, self.names);
        let tally = self.is_tally(&binary.left);
        self.write(&mut binary.left);
        self.right_side(&mut binary.right, tally);
        if let Some(method) = method.filter(|_| !float) {
            let (left, right) = (&binary.left, &binary.right);
            *expr = self.checked(&quote!(&mut #left), &quote!(#right), method, right.span(), "operands_mut", true);
        }
    }

    fn arithmetic(&mut self, expr: &mut Expr) {
        let Expr::Binary(binary) = &*expr else { return };
        let method = match &binary.op {
            BinOp::Add(_) => Some("cr_add"),
            BinOp::Sub(_) => Some("cr_sub"),
            BinOp::Mul(_) => Some("cr_mul"),
            _ => None,
        };
        let float = types::is_float_expr(expr, self.names);
        let met = self.met;
        visit_mut::visit_expr_mut(self, expr);
        let Expr::Binary(binary) = &*expr else { return };
        if let Some(method) = method.filter(|_| !float && self.met > met) {
            let (left, right) = (&binary.left, &binary.right);
            *expr = self.checked(&quote!(#left), &quote!(#right), method, right.span(), "operands", false);
        }
    }

    /// `left method right` through the checked-arithmetic lookup. The right side comes first in
    /// an assignment, as it does in Rust's own for numbers.
    fn checked(
        &mut self,
        left: &TokenStream,
        right: &TokenStream,
        method: &str,
        span: Span,
        operands: &str,
        assign: bool,
    ) -> Expr {
        let private = self.private();
        let span = here(span);
        let operands = Ident::new(operands, span);
        let (l, r) = (Ident::new("__crt_l", span), Ident::new("__crt_r", span));
        let call = if self.closures > 0 {
            self.access.flag = true;
            let method = format_ident!("{method}_flagged", span = span);
            let flag = Ident::new("__crt_flag", span);
            quote_spanned!(span=> (&#private::arith::#operands(&#l, &#r)).#method(#l, #r, #flag))
        } else {
            let method = Ident::new(method, span);
            quote_spanned!(span=> (&#private::arith::#operands(&#l, &#r)).#method(#l, #r)?)
        };
        if assign {
            parse_quote_spanned!(span=> (match #right { #r => match #left { #l => #call } }))
        } else {
            parse_quote_spanned!(span=> (match (#left, #right) { (#l, #r) => #call }))
        }
    }

    fn action_call(&mut self, expr: &mut Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let Expr::Path(path) = &*call.func else { return false };
        let Some(ident) = single(path).cloned() else { return false };
        let Some(Meaning::Action(index)) = self.names.meaning(&ident) else { return false };
        let target = &self.names.actions[index];
        let expected = target.action.args.len();
        if call.args.len() != expected {
            let plural = if expected == 1 { "" } else { "s" };
            let names: Vec<String> = target.action.args.iter().map(|arg| format!("`{}`", arg.ident)).collect();
            let message = format!(
                "action `{ident}` takes {expected} argument{plural}{}{}, and gets {}",
                if names.is_empty() { "" } else { ": " },
                names.join(", "),
                call.args.len(),
            );
            self.wrong(call.span(), message);
        }
        if !self.mode.writes {
            let what = self.mode.what;
            self.wrong(ident.span(), format!("{what} cannot call the action `{ident}`; only actions do"));
        }
        call.args.iter_mut().for_each(|arg| self.argument(arg));
        let private = self.private();
        let span = here(ident.span());
        let mut places = Vec::new();
        if let Some(access) = &target.access {
            for (place, write) in access.modes() {
                let handle = Ident::new(&handle(&self.names.places[place].ident).to_string(), span);
                places.push(if write { quote!(&mut *#handle) } else { quote!(#private::Read::new(&*#handle)) });
            }
            for &number in &access.constants {
                let handle = Ident::new(&constant_handle(&self.names.constants[number].ident).to_string(), span);
                let typed = self.names.constants[number].ty.is_some();
                places.push(if typed { quote!(#private::Read::new(&*#handle)) } else { quote!(#handle) });
            }
            if access.now.is_some() {
                places.push(Ident::new("__cr_now", span).into_token_stream());
            }
            if access.rng.is_some() {
                let rng = Ident::new("__cr_rng", span);
                places.push(quote!(&mut *#rng));
            }
            self.access.merge(access);
        }
        let function = Ident::new(&action_function(&ident).to_string(), span);
        let arguments = &call.args;
        let temporaries: Vec<Ident> = (0..arguments.len()).map(|i| Ident::new(&format!("__crt_{i}"), span)).collect();
        let outcome = quote_spanned!(span=> Self::#function(#(#places,)* #(#temporaries,)*));
        let outcome = if self.closures > 0 {
            self.access.flag = true;
            let flag = Ident::new("__crt_flag", span);
            quote_spanned!(span=> #outcome.unwrap_or_else(|__crt_fault| #flag.raise(__crt_fault)))
        } else {
            quote_spanned!(span=> #outcome?)
        };
        *expr = if temporaries.is_empty() {
            parse_quote!((#outcome))
        } else {
            let arguments = arguments.iter();
            parse_quote!((match (#(#arguments,)*) { (#(#temporaries,)*) => #outcome }))
        };
        true
    }

    fn closure(&mut self, closure: &mut syn::ExprClosure) {
        self.closures += 1;
        if let Some(moves) = &closure.capture {
            self.moves.push(moves.span());
        }
        visit_mut::visit_expr_closure_mut(self, closure);
        if closure.capture.is_some() {
            self.moves.pop();
        }
        self.closures -= 1;
    }

    /// `match` and friends: a `ref mut` binding writes what is matched.
    fn scrutinee<'p>(&mut self, expr: &mut Expr, mut patterns: impl Iterator<Item = &'p Pat>) {
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

    pub(super) fn is_model_name(&self, ident: &Ident) -> bool {
        self.names.meaning(ident).is_some() || ["now", "rng", "never"].iter().any(|word| ident == word)
    }

    /// The replacement of `ident` where only tokens are known; counts as a write where that is
    /// possible.
    pub(super) fn token(&mut self, ident: &Ident) -> Option<TokenStream> {
        let write = self.mode.writes
            && matches!(self.names.meaning(ident), Some(Meaning::Place(place))
                if !matches!(self.names.places[place].kind, PlaceKind::Param { .. }));
        self.name(ident, write).map(quote::ToTokens::into_token_stream)
    }

    pub(super) fn report(&mut self, span: Span, message: &str) {
        self.wrong(span, message);
    }

    pub(super) fn write_expr(&mut self, expr: &mut Expr) {
        self.write(expr);
    }
}

fn handle_at(ident: &Ident) -> Ident {
    Ident::new(&handle(ident).to_string(), here(ident.span()))
}

/// The identifier of a path that is nothing else.
fn single(path: &syn::ExprPath) -> Option<&Ident> {
    if path.qself.is_some() { None } else { path.path.get_ident() }
}

impl VisitMut for Rewriter<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        match expr {
            Expr::Path(path) => {
                if let Some(replacement) = single(path).cloned().and_then(|ident| self.name(&ident, false)) {
                    *expr = replacement;
                }
            }
            Expr::Assign(assign) => {
                let tally = self.is_tally(&assign.left);
                self.write(&mut assign.left);
                self.right_side(&mut assign.right, tally);
            }
            Expr::Binary(binary) if is_compound(&binary.op) => self.compound(expr),
            Expr::Binary(_) => self.arithmetic(expr),
            Expr::Reference(reference) if reference.mutability.is_some() => self.write(&mut reference.expr),
            Expr::RawAddr(raw) if matches!(raw.mutability, syn::PointerMutability::Mut(_)) => self.write(&mut raw.expr),
            Expr::MethodCall(call) => {
                if !self.mode.writes
                    || methods::only_reads(&call.method.to_string())
                    || self.reads_by_type(&call.receiver)
                {
                    self.visit_expr_mut(&mut call.receiver);
                } else {
                    self.write(&mut call.receiver);
                }
                call.args.iter_mut().for_each(|arg| self.argument(arg));
            }
            Expr::Call(_) => {
                if !self.action_call(expr) {
                    if let Expr::Call(call) = expr {
                        self.visit_expr_mut(&mut call.func);
                        call.args.iter_mut().for_each(|arg| self.argument(arg));
                    }
                }
            }
            Expr::Closure(closure) => self.closure(closure),
            Expr::Async(_) => {
                self.closures += 1;
                visit_mut::visit_expr_mut(self, expr);
                self.closures -= 1;
            }
            Expr::Return(ret) if self.closures == 0 => {
                if let Some(value) = &mut ret.expr {
                    self.visit_expr_mut(value);
                }
                let private = self.private();
                let value = ret.expr.as_ref().map_or(quote!(()), |value| quote!(#value));
                let span = here(ret.return_token.span);
                *expr = parse_quote_spanned!(span=> return #private::core::result::Result::Ok(#value));
            }
            Expr::Match(matching) => {
                let patterns: Vec<Pat> = matching.arms.iter().map(|arm| arm.pat.clone()).collect();
                self.scrutinee(&mut matching.expr, patterns.iter());
                matching.arms.iter_mut().for_each(|arm| self.visit_arm_mut(arm));
            }
            Expr::Let(binding) => {
                let pat = binding.pat.clone();
                self.scrutinee(&mut binding.expr, std::iter::once(&*pat));
                self.visit_pat_mut(&mut binding.pat);
            }
            Expr::Struct(fields) => {
                for field in &mut fields.fields {
                    // `S { s }` is `S { s: s }`.
                    field.colon_token.get_or_insert_default();
                    self.visit_expr_mut(&mut field.expr);
                }
                if let Some(rest) = &mut fields.rest {
                    self.visit_expr_mut(rest);
                }
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        if let Some(init) = &mut local.init {
            let pat = local.pat.clone();
            self.scrutinee(&mut init.expr, std::iter::once(&pat));
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        }
        self.visit_pat_mut(&mut local.pat);
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let Stmt::Expr(expr, semi) = stmt else {
            visit_mut::visit_stmt_mut(self, stmt);
            return;
        };
        // An attribute of a statement is parsed as one of its leftmost expression, which may be
        // rewritten into something else.
        let attrs = take_attrs(expr);
        self.visit_expr_mut(expr);
        if !attrs.is_empty() {
            *stmt = Stmt::Expr(parse_quote!(#(#attrs)* { #expr #semi }), None);
        }
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        // `None` or `MAX` without anything else is a constant or a variant, unless it is the model's.
        self.bind(&pat.ident);
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        super::macros::rewrite(self, mac);
    }

    /// Items inside a body see nothing of the model.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        if let syn::Item::Macro(item) = item {
            self.visit_macro_mut(&mut item.mac);
        }
    }

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
}

impl Rewriter<'_> {
    /// Whether a method call cannot write because of the declared type: numbers have no methods
    /// that change them.
    fn reads_by_type(&self, receiver: &Expr) -> bool {
        match receiver {
            Expr::Path(path) => match single(path).and_then(|ident| self.names.meaning(ident)) {
                Some(Meaning::Place(place)) => {
                    let place = &self.names.places[place];
                    types::is_number(&place.ty) || matches!(place.kind, PlaceKind::Param { .. })
                }
                Some(Meaning::Let(_)) => true,
                _ => false,
            },
            Expr::Paren(inner) => self.reads_by_type(&inner.expr),
            _ => false,
        }
    }
}

fn is_compound(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}

/// Takes the attributes that syn hung on a statement's expression or on its leftmost part.
fn take_attrs(expr: &mut Expr) -> Vec<Attribute> {
    let (attrs, left) = match expr {
        Expr::Assign(e) => (&mut e.attrs, Some(&mut e.left)),
        Expr::Binary(e) => (&mut e.attrs, Some(&mut e.left)),
        Expr::MethodCall(e) => (&mut e.attrs, Some(&mut e.receiver)),
        Expr::Field(e) => (&mut e.attrs, Some(&mut e.base)),
        Expr::Index(e) => (&mut e.attrs, Some(&mut e.expr)),
        Expr::Call(e) => (&mut e.attrs, Some(&mut e.func)),
        Expr::Try(e) => (&mut e.attrs, Some(&mut e.expr)),
        Expr::Cast(e) => (&mut e.attrs, Some(&mut e.expr)),
        Expr::Path(e) => (&mut e.attrs, None),
        Expr::Unary(e) => (&mut e.attrs, None),
        Expr::Paren(e) => (&mut e.attrs, None),
        Expr::Macro(e) => (&mut e.attrs, None),
        Expr::Return(e) => (&mut e.attrs, None),
        Expr::Break(e) => (&mut e.attrs, None),
        Expr::Continue(e) => (&mut e.attrs, None),
        Expr::Tuple(e) => (&mut e.attrs, None),
        _ => return Vec::new(),
    };
    let mut taken = std::mem::take(attrs);
    if let Some(left) = left {
        taken.extend(take_attrs(left));
    }
    taken
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

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.bound.insert(pat.ident.unraw().to_string());
        syn::visit::visit_pat_ident(self, pat);
    }
}
