//! What bodies do with events: they are scheduled, moved and cancelled.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, Type, parse_quote, parse_quote_spanned};

use super::{Rewriter, here};
use crate::resolve::names::{EventName, Meaning, variant};
use crate::resolve::types;
use crate::syntax::tag;

/// What can be asked of an event, and what can be done with it.
const METHODS: &str =
    "`at(t, …)`, `after(d, …)`, `cancel(key)`, `reschedule(key, t)`, `when(key)`, `len()` and `clear()`";

impl Rewriter<'_> {
    /// `NAME.at(…)` and its like, where NAME is an event.
    pub(super) fn event_call(&mut self, expr: &mut Expr) -> bool {
        let Expr::MethodCall(call) = &*expr else { return false };
        let Some((ident, indices)) = named(&call.receiver) else { return false };
        if self.locals.find(ident).is_some() {
            return false;
        }
        let Some(Meaning::Event(number)) = self.names.meaning(ident) else { return false };
        let (ident, call) = (ident.clone(), call.clone());
        let names = self.names;
        let event = &names.events[number];
        self.met += 1;
        if !indices.is_empty() && ["cancel", "reschedule", "when"].iter().any(|name| call.method == name) {
            let method = &call.method;
            self.wrong(ident.span(), format!("a key knows its member: write `{ident}.{method}(…)`"));
        }
        let indices = self.event_indices(&ident, event, &indices);
        *expr = match call.method.to_string().as_str() {
            "at" | "after" => self.schedule(&ident, event, &call, indices),
            "cancel" => self.cancel(&ident, event, &call),
            "reschedule" => self.reschedule(&ident, event, &call),
            "when" => self.pending_at(event, &call),
            "len" | "clear" | "is_empty" => self.pending(&ident, event, &call, indices),
            other => {
                self.wrong(call.method.span(), format!("an event has no `{other}`; it has {METHODS}"));
                parse_quote!(loop {})
            }
        };
        true
    }

    /// The indices of a member, checked; none if there are no brackets.
    fn event_indices(&mut self, ident: &Ident, event: &EventName<'_>, given: &[&Expr]) -> Vec<Expr> {
        let binders = &event.family.binders;
        if !given.is_empty() && given.len() != binders.len() {
            let form: String = binders.iter().map(|(binder, _)| format!("[{binder}]")).collect();
            let what = if binders.is_empty() { "no family".to_owned() } else { format!("a family over `{form}`") };
            self.wrong(ident.span(), format!("`{ident}` is {what}; write `{ident}{form}`"));
            return Vec::new();
        }
        given
            .iter()
            .zip(binders)
            .map(|(index, (_, set))| {
                let index = self.index(index, Some(*set), ident);
                self.member(index, *set, ident)
            })
            .collect()
    }

    /// The number of a member, from variables for its indices.
    fn member_number(&mut self, event: &EventName<'_>, variables: &[Ident], span: Span) -> TokenStream {
        let mut number = quote!(0usize);
        for (i, (variable, (_, set))) in variables.iter().zip(&event.family.binders).enumerate() {
            number = if i == 0 {
                quote!(#variable)
            } else {
                let size = self.size(*set, span);
                quote!(#number * #size + #variable)
            };
        }
        number
    }

    /// Reports scheduling where nothing may be changed.
    fn may_schedule(&mut self, ident: &Ident) {
        if !self.mode.writes {
            let what = self.mode.what;
            self.wrong(ident.span(), format!("{what} cannot schedule or cancel `{ident}`; only actions do"));
        }
    }

    /// The schedule, as a body reaches it.
    pub(super) fn scheduled(&mut self, place: usize, write: bool, span: Span) -> TokenStream {
        if self.mode.allowed.is_some() {
            let (what, ident) = (self.mode.what, &self.names.places[place].ident);
            self.errors.at(
                span,
                format!("{what} cannot ask what there is of `{ident}`: it uses params and what is declared before it"),
            );
        }
        self.access.touch_scheduled(place, write);
        let schedule = Ident::new("__cr_schedule", here(span));
        quote_spanned!(here(span)=> (*#schedule))
    }

    /// What is done if `outcome` fails.
    pub(super) fn or_raise(&mut self, outcome: &TokenStream, instead: &TokenStream, span: Span) -> TokenStream {
        let span = here(span);
        if self.closures == 0 {
            return quote_spanned!(span=> #outcome?);
        }
        self.access.flag = true;
        let flag = Ident::new("__crt_flag", span);
        quote_spanned!(span=> match #outcome {
            __cr::core::result::Result::Ok(__crt_value) => __crt_value,
            __cr::core::result::Result::Err(__crt_fault) => {
                #flag.raise(__crt_fault);
                #instead
            }
        })
    }

    /// A time or a delay of the model.
    pub(super) fn time(&mut self, expr: &Expr) -> TokenStream {
        let ty = self.names.time(expr.span());
        let mut expr = if self.names.ticks { expr.clone() } else { types::float(expr) };
        self.argument(&mut expr);
        let span = here(expr.span());
        quote_spanned!(span=> { let __crt_time: #ty = #expr; __crt_time })
    }

    fn schedule(
        &mut self,
        ident: &Ident,
        event: &EventName<'_>,
        call: &syn::ExprMethodCall,
        indices: Vec<Expr>,
    ) -> Expr {
        self.may_schedule(ident);
        let span = here(ident.span());
        let (given, priority) = options(call);
        // Too many have been reported.
        if indices.is_empty() && !event.family.is_single() && !matches!(&*call.receiver, Expr::Index(_)) {
            let form: String = event.family.binders.iter().map(|(binder, _)| format!("[{binder}]")).collect();
            self.wrong(
                ident.span(),
                format!("`{ident}` is a family of events; say which: `{ident}{form}.{}(…)`", call.method),
            );
        }
        let args = &event.event.args;
        if given.len() != args.len() + 1 {
            let names: String = args.iter().map(|arg| format!(", {}", arg.ident)).collect();
            let first = if call.method == "at" { "time" } else { "delay" };
            let method = &call.method;
            self.wrong(
                call.method.span(),
                format!("`{ident}.{method}` takes `({first}{names})`, and gets {}", count(given.len())),
            );
            return parse_quote!(loop {});
        }
        let time = self.time(given[0]);
        let values: Vec<Expr> = given[1..]
            .iter()
            .zip(&event.sets)
            .map(|(arg, set)| match set {
                Some(set) => {
                    let index = self.index(arg, Some(*set), ident);
                    self.member(index, *set, ident)
                }
                None => {
                    let mut arg = (*arg).clone();
                    self.argument(&mut arg);
                    arg
                }
            })
            .collect();
        let priority = match priority {
            Some(priority) => {
                let mut priority = priority.clone();
                self.visit_expr_mut(&mut priority);
                let parts = if let Expr::Tuple(tuple) = &priority { tuple.elems.len() } else { 1 };
                self.access.parts = self.access.parts.max(parts);
                let span = here(priority.span());
                quote_spanned!(span=> __cr::schedule::priority(#priority))
            }
            None => priority_of(&event.event.priority.parts),
        };
        let variables: Vec<Ident> = (0..indices.len()).map(|i| format_ident!("__crt_index_{i}", span = span)).collect();
        let number = self.member_number(event, &variables, span);
        let (declaration, once) = (event.declaration, event.event.once);
        let message = self.names.message(span);
        let (variant, tag) = (variant(ident), tag(self.names.model, ident));
        let text = ident.to_string();
        let what = quote_spanned!(span=> || __cr::element::quoted(#text, &[#(#variables),*]));
        let method = Ident::new(&call.method.to_string(), here(call.method.span()));
        let moment = quote_spanned!(span=> __cr::schedule::Time::#method(__crt_time, #what, __crt_now));
        let moment = self.or_raise(&moment, &quote!(__cr::Moment::NEVER), span);
        let schedule = self.scheduled(event.place, true, span);
        // What an argument is may be said by the event only.
        let constructor = if values.is_empty() && indices.is_empty() {
            quote_spanned!(span=> #message::#variant)
        } else {
            quote_spanned!(span=> #message::#variant(#(#variables,)* #(#values,)*))
        };
        parse_quote_spanned!(span=> {
            #(let #variables: usize = #indices;)*
            let __crt_time = #time;
            let __crt_message = #constructor;
            let __crt_what = __cr::schedule::What {
                rank: __cr::schedule::Rank::new(#priority, #declaration, #number),
                once: #once,
            };
            let __crt_now = #schedule.now;
            let __crt_at = #moment;
            __cr::Key::<#tag>::new(#schedule.schedule(__crt_at, __crt_what, __crt_message))
        })
    }

    /// A key as an argument.
    pub(super) fn key(&mut self, expr: &Expr, ident: &Ident) -> TokenStream {
        let mut expr = expr.clone();
        self.argument(&mut expr);
        let (tag, span) = (tag(self.names.model, ident), here(expr.span()));
        quote_spanned!(span=> { let __crt_key: __cr::Key<#tag> = #expr; __crt_key })
    }

    /// The arguments of a method that takes `expected`.
    pub(super) fn exactly<'e>(&mut self, call: &'e syn::ExprMethodCall, expected: &[&str]) -> Option<Vec<&'e Expr>> {
        let given: Vec<&Expr> = call.args.iter().collect();
        if given.len() != expected.len() {
            let (method, all) = (&call.method, expected.join(", "));
            self.wrong(method.span(), format!("this takes `{method}({all})`, and gets {}", count(given.len())));
            return None;
        }
        Some(given)
    }

    fn cancel(&mut self, ident: &Ident, event: &EventName<'_>, call: &syn::ExprMethodCall) -> Expr {
        self.may_schedule(ident);
        let Some(given) = self.exactly(call, &["key"]) else { return parse_quote!(loop {}) };
        let key = self.key(given[0], &event.event.ident);
        let span = here(ident.span());
        let schedule = self.scheduled(event.place, true, span);
        let (message, variant, declaration) = (self.names.message(span), variant(ident), event.declaration);
        let indices: Vec<Ident> =
            (0..event.family.binders.len()).map(|i| format_ident!("__crt_index_{i}", span = span)).collect();
        let values: Vec<Ident> =
            (0..event.event.args.len()).map(|i| format_ident!("__crt_value_{i}", span = span)).collect();
        let pattern = if indices.is_empty() && values.is_empty() {
            quote!(#message::#variant)
        } else {
            quote!(#message::#variant(#(#indices,)* #(#values,)*))
        };
        let all: Vec<&Ident> = values.iter().collect();
        let payload = match all.as_slice() {
            [only] => quote!(#only),
            all => quote!((#(#all),*)),
        };
        parse_quote_spanned!(span=> {
            let __crt_key = #key;
            #[allow(unreachable_patterns, unused_variables)]
            match #schedule.cancel(#declaration, __crt_key.handle()) {
                __cr::core::option::Option::Some(#pattern) => __cr::core::option::Option::Some(#payload),
                _ => __cr::core::option::Option::None,
            }
        })
    }

    fn reschedule(&mut self, ident: &Ident, event: &EventName<'_>, call: &syn::ExprMethodCall) -> Expr {
        self.may_schedule(ident);
        let Some(given) = self.exactly(call, &["key", "time"]) else { return parse_quote!(loop {}) };
        let key = self.key(given[0], &event.event.ident);
        let time = self.time(given[1]);
        let (span, text, declaration) = (here(ident.span()), ident.to_string(), event.declaration);
        let schedule = self.scheduled(event.place, true, span);
        let moment = quote_spanned!(span=>
            __cr::schedule::Time::at(__crt_time, || __cr::element::quoted(#text, &[]), __crt_now)
        );
        let moment = self.or_raise(&moment, &quote!(__cr::Moment::NEVER), span);
        parse_quote_spanned!(span=> {
            let __crt_key = #key;
            let __crt_time = #time;
            let __crt_now = #schedule.now;
            let __crt_at = #moment;
            #schedule.reschedule(#declaration, __crt_key.handle(), __crt_at)
        })
    }

    fn pending_at(&mut self, event: &EventName<'_>, call: &syn::ExprMethodCall) -> Expr {
        let Some(given) = self.exactly(call, &["key"]) else { return parse_quote!(loop {}) };
        let key = self.key(given[0], &event.event.ident);
        let (span, declaration) = (here(call.method.span()), event.declaration);
        let schedule = self.scheduled(event.place, false, call.method.span());
        let ty = self.names.time(span);
        parse_quote_spanned!(span=> {
            let __crt_key = #key;
            #schedule.pending_at(#declaration, __crt_key.handle()).map(<#ty as __cr::schedule::Time>::of)
        })
    }

    fn pending(
        &mut self,
        ident: &Ident,
        event: &EventName<'_>,
        call: &syn::ExprMethodCall,
        indices: Vec<Expr>,
    ) -> Expr {
        let method = call.method.to_string();
        let clears = method == "clear";
        if clears {
            self.may_schedule(ident);
        }
        if self.exactly(call, &[]).is_none() {
            return parse_quote!(loop {});
        }
        let (span, declaration) = (here(call.method.span()), event.declaration);
        let schedule = self.scheduled(event.place, clears, call.method.span());
        let variables: Vec<Ident> = (0..indices.len()).map(|i| format_ident!("__crt_index_{i}", span = span)).collect();
        let number = self.member_number(event, &variables, span);
        let one = !variables.is_empty();
        let code = match (method.as_str(), one) {
            ("clear", false) => quote!(#schedule.clear(#declaration, __cr::core::option::Option::None)),
            ("clear", true) => {
                quote!(#schedule.clear(#declaration, __cr::core::option::Option::Some((#number) as u32)))
            }
            ("len", false) => quote!(#schedule.len(#declaration)),
            ("len", true) => quote!(#schedule.len_of(#declaration, #number)),
            (_, false) => quote!((#schedule.len(#declaration) == 0)),
            (_, true) => quote!((#schedule.len_of(#declaration, #number) == 0)),
        };
        parse_quote_spanned!(span=> { #(let #variables: usize = #indices;)* #code })
    }
}

/// A number of arguments as text.
pub(super) fn count(arguments: usize) -> String {
    if arguments == 1 { "1 argument".to_owned() } else { format!("{arguments} arguments") }
}

/// A priority that is written.
pub(crate) fn priority_of(parts: &[i64]) -> TokenStream {
    quote!(__cr::schedule::priority((#(#parts,)*)))
}

/// The arguments of a call and `priority = p` behind them.
fn options(call: &syn::ExprMethodCall) -> (Vec<&Expr>, Option<&Expr>) {
    let mut given: Vec<&Expr> = call.args.iter().collect();
    if let Some(Expr::Assign(assign)) = given.last() {
        if assign.left.to_token_stream().to_string() == "priority" {
            let priority = &*assign.right;
            given.pop();
            return (given, Some(priority));
        }
    }
    (given, None)
}

/// A name, possibly with indices behind it.
pub(in crate::resolve) fn named(expr: &Expr) -> Option<(&Ident, Vec<&Expr>)> {
    match expr {
        Expr::Path(path) => super::single(path).map(|ident| (ident, Vec::new())),
        Expr::Index(index) => {
            let (ident, mut indices) = named(&index.expr)?;
            indices.push(&*index.index);
            Some((ident, indices))
        }
        Expr::Paren(inner) => named(&inner.expr),
        Expr::Group(inner) => named(&inner.expr),
        _ => None,
    }
}

/// The type of times, at `span`.
pub(crate) fn time_type(ticks: bool, span: Span) -> Type {
    if ticks {
        syn::parse_quote_spanned!(here(span)=> __cr::core::primitive::u64)
    } else {
        syn::parse_quote_spanned!(here(span)=> __cr::core::primitive::f64)
    }
}
