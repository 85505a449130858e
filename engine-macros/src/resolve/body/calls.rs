//! Calls of actions, and arguments of any call.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, parse_quote};

use super::{
    Rewriter, constant_handle, function, handle, here, log_handle, pair_handle, single, size_handle, trace_handle,
};
use crate::resolve::access::{Access, Element, Need};
use crate::resolve::forms::Form;
use crate::resolve::names::{Meaning, Place, PlaceKind};
use crate::resolve::{Constant, Relation, Set};

impl Rewriter<'_> {
    /// An argument: a bare `rng` is passed on.
    pub(super) fn argument(&mut self, expr: &mut Expr) {
        if let Expr::Path(path) = &*expr {
            if let Some(ident) = single(path).filter(|ident| *ident == "rng").cloned() {
                let rng = self.rng(ident.span());
                *expr = parse_quote!(&mut #rng);
                return;
            }
        }
        self.visit_expr_mut(expr);
    }

    /// The arguments of a method. If they are closures, these are called with what is given.
    pub(super) fn arguments<'e>(
        &mut self,
        args: impl IntoIterator<Item = &'e mut Expr>,
        given: Option<&super::indices::Given>,
    ) {
        for arg in args {
            match (arg, given) {
                (Expr::Closure(closure), Some(given)) if closure.capture.is_none() => {
                    self.closure(closure, Some(given))
                }
                (arg, _) => self.argument(arg),
            }
        }
    }

    pub(super) fn action_call(&mut self, expr: &mut Expr) -> bool {
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
        let target_sets = &target.sets;
        let mut forms = Vec::new();
        for (arg, set) in call.args.iter_mut().zip(target_sets) {
            forms.push(self.call_argument(arg, *set, &ident));
        }
        let span = here(ident.span());
        let mut places = Vec::new();
        let mut noted = Vec::new();
        if let Some(access) = &target.access {
            self.access.merge(access);
            for element in &access.elements {
                noted.extend(self.called_element(element, &forms, span));
            }
            places.extend(self.passed_on(access, span));
        }
        let function = Ident::new(&function("action", &ident).to_string(), span);
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
            parse_quote!((match (#(#arguments,)*) { (#(#temporaries,)*) => { #(#noted)* #outcome } }))
        };
        true
    }

    /// An argument of an action; gives what it is as an index.
    fn call_argument(&mut self, arg: &mut Expr, set: Option<usize>, action: &Ident) -> Form {
        match set {
            Some(set) => {
                let index = self.index(arg, Some(set), action);
                let form = index.form().clone();
                *arg = self.member(index, set, action);
                form
            }
            None => {
                let form = self.form_of(arg).0;
                self.argument(arg);
                form
            }
        }
    }

    /// An element that a called action writes. Where the arguments do not say which it is, the write is noted
    /// before the call.
    fn called_element(&mut self, element: &Element, forms: &[Form], span: Span) -> Option<TokenStream> {
        let own: Vec<Form> = element.forms.iter().map(|form| form.with(forms)).collect();
        if own.iter().all(Form::is_direct) {
            self.access.touch_element(Element { forms: own, ..element.clone() });
            return None;
        }
        let names = self.names;
        let place = &names.places[element.place];
        self.access.logged.insert(element.place);
        let private = self.private();
        let at = self.number_of(place, &element.forms, span)?;
        let note = self.note(element.place, &quote!(__crt_at), span);
        Some(quote_spanned!(span=> if let #private::core::option::Option::Some(__crt_at) = #at { #note }))
    }

    /// What a function over `access` takes, as this code passes it on.
    pub(super) fn passed_on(&self, access: &Access, span: Span) -> Vec<TokenStream> {
        self.names.items().passed_on(access, span)
    }
}

/// What generated functions take handles of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Items<'a> {
    pub places: &'a [Place],
    pub constants: &'a [Constant],
    pub sets: &'a [Set],
    pub relations: &'a [Relation],
}

impl Items<'_> {
    /// What a function over `access` takes, as a caller that has handles of the same names passes it on.
    pub(crate) fn passed_on(self, access: &Access, span: Span) -> Vec<TokenStream> {
        access.needs().into_iter().filter_map(|need| self.pass(need, span)).collect()
    }

    fn pass(self, need: Need, span: Span) -> Option<TokenStream> {
        let at = |ident: Ident| Ident::new(&ident.to_string(), span);
        Some(match need {
            // The schedule holds it.
            Need::Place { place, .. } if matches!(self.places[place].kind, PlaceKind::Scheduled) => return None,
            Need::Schedule { write } => {
                let schedule = Ident::new("__cr_schedule", span);
                if write {
                    quote_spanned!(span=> &mut *#schedule)
                } else {
                    quote_spanned!(span=> __cr::Read::new(&*#schedule))
                }
            }
            Need::Place { place, write } => {
                let handle = at(handle(&self.places[place].ident));
                if write {
                    quote_spanned!(span=> &mut *#handle)
                } else {
                    quote_spanned!(span=> __cr::Read::new(&*#handle))
                }
            }
            Need::Constant(number) => {
                let constant = &self.constants[number];
                let handle = at(constant_handle(&constant.ident));
                if constant.ty.is_some() { quote!(__cr::Read::new(&*#handle)) } else { quote!(#handle) }
            }
            Need::Set(set) => at(size_handle(&self.sets[set].ident)).into_token_stream(),
            Need::Relation(relation) => {
                let handle = at(handle(&self.relations[relation].ident));
                quote!(__cr::Read::new(&*#handle))
            }
            Need::Pair => pair_handle().into_token_stream(),
            Need::Trace(place) => at(trace_handle(&self.places[place].ident)).into_token_stream(),
            Need::Log(place) => {
                let log = at(log_handle(&self.places[place].ident));
                quote!(&mut *#log)
            }
            Need::Now => Ident::new("__cr_now", span).into_token_stream(),
            Need::Rng => {
                let rng = Ident::new("__cr_rng", span);
                quote!(&mut *#rng)
            }
        })
    }
}
