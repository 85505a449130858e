//! What bodies do with activities and lines: instances are started, aborted and asked for.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::{Expr, parse_quote, parse_quote_spanned};

use super::events::{count, named};
use super::{Rewriter, function, here};
use crate::resolve::names::Meaning;
use crate::syntax::tag;

/// What can be asked of an activity, and what can be done with it.
const METHODS: &str = "`start(…)`, `abort(key)`, `alive(key)`, `len()` and `iter()`; in an activity also `join(key)` \
     and `run(…)`, which wait";

/// What can be done with all instances one after the other.
const ITERATES: [&str; 27] = [
    "iter",
    "into_iter",
    "map",
    "filter",
    "filter_map",
    "flat_map",
    "any",
    "all",
    "count",
    "fold",
    "try_fold",
    "for_each",
    "find",
    "find_map",
    "position",
    "max_by_key",
    "min_by_key",
    "max_by",
    "min_by",
    "partition",
    "inspect",
    "enumerate",
    "zip",
    "take",
    "skip",
    "collect",
    "last",
];

impl Rewriter<'_> {
    /// `NAME.start(…)` and its like, where NAME is an activity or a line.
    pub(super) fn activity_call(&mut self, expr: &mut Expr) -> bool {
        let Expr::MethodCall(call) = &*expr else { return self.misplaced_wait(expr) };
        let Some((ident, indices)) = named(&call.receiver) else { return false };
        if self.locals.find(ident).is_some() || !indices.is_empty() {
            return false;
        }
        let (ident, call) = (ident.clone(), call.clone());
        match self.names.meaning(&ident) {
            Some(Meaning::Activity(_)) if ITERATES.iter().any(|method| call.method == method) => {
                let given = self.closure_items(&call);
                let Some(instances) = self.instances(&call.receiver) else { return false };
                if call.method == "iter" || call.method == "into_iter" {
                    *expr = instances;
                } else if let Expr::MethodCall(call) = expr {
                    *call.receiver = instances;
                    self.arguments(&mut call.args, given.as_ref());
                }
                true
            }
            Some(Meaning::Activity(number)) => {
                self.met += 1;
                *expr = self.of_activity(&ident, number, &call);
                true
            }
            Some(Meaning::Line(number)) => {
                self.met += 1;
                *expr = self.of_line(&ident, number, &call);
                true
            }
            _ => false,
        }
    }

    /// The keys of all instances, one after the other; `None` if `expr` is no activity.
    pub(super) fn instances(&mut self, expr: &Expr) -> Option<Expr> {
        let Expr::Path(path) = expr else { return None };
        let ident = super::single(path).filter(|ident| self.locals.find(ident).is_none())?;
        let Some(Meaning::Activity(number)) = self.names.meaning(ident) else { return None };
        self.met += 1;
        let (names, span) = (self.names, here(ident.span()));
        let field = quote::format_ident!("of_{}", syn::ext::IdentExt::unraw(ident), span = span);
        let schedule = self.scheduled(names.activities[number].place, false, ident.span());
        let tag = tag(names.model, ident);
        let alive = quote_spanned!(span=> #schedule.activities.#field.alive_keys::<#tag>());
        Some(if self.mode.writes {
            // What is done with them may start and abort some.
            parse_quote_spanned!(span=> #alive.collect::<__cr::std::vec::Vec<__cr::Key<#tag>>>().into_iter())
        } else {
            parse_quote_spanned!(span=> #alive)
        })
    }

    /// Waits have been taken out of the bodies of activities; those that are left stand elsewhere.
    fn misplaced_wait(&mut self, expr: &Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let Expr::Path(path) = &*call.func else { return false };
        let Some(ident) = super::single(path) else { return false };
        let is_wait = ["wait", "wait_for", "wait_until"].iter().any(|name| ident == name);
        if !is_wait {
            return false;
        }
        if self.activity.is_some() && self.errors.has_at(ident.span()) {
            // Why has been said.
        } else if self.activity.is_some() {
            self.wrong(
                ident.span(),
                "there can be no wait here: it stands as a statement of the activity, or as `let x = WAIT;`",
            );
        } else {
            let what = self.mode.what;
            self.wrong(ident.span(), format!("{what} cannot wait; only activities do: `activity NAME(…) {{ … }}`"));
        }
        true
    }

    fn of_activity(&mut self, ident: &Ident, number: usize, call: &syn::ExprMethodCall) -> Expr {
        let names = self.names;
        let activity = &names.activities[number];
        let span = here(call.method.span());
        let method = call.method.to_string();
        let field = quote::format_ident!("of_{}", syn::ext::IdentExt::unraw(ident), span = span);
        match method.as_str() {
            "start" => self.start(ident, number, &call.args.iter().cloned().collect::<Vec<_>>(), call.method.span()),
            "abort" => {
                self.may_change(ident);
                let Some(given) = self.exactly(call, &["key"]) else { return parse_quote!(loop {}) };
                let key = self.key(given[0], &activity.activity.ident);
                let schedule = self.scheduled(activity.place, true, call.method.span());
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                parse_quote_spanned!(span=> {
                    let __crt_key = #key;
                    let __crt_schedule = &mut #schedule;
                    __crt_schedule.activities.#field.abort(#number, __crt_key.handle(), &mut __crt_schedule.turns)
                })
            }
            "alive" => {
                let Some(given) = self.exactly(call, &["key"]) else { return parse_quote!(loop {}) };
                let key = self.key(given[0], &activity.activity.ident);
                let schedule = self.scheduled(activity.place, false, call.method.span());
                parse_quote_spanned!(span=> {
                    let __crt_key = #key;
                    #schedule.activities.#field.lives(__crt_key.handle())
                })
            }
            "len" | "is_empty" => {
                if self.exactly(call, &[]).is_none() {
                    return parse_quote!(loop {});
                }
                let schedule = self.scheduled(activity.place, false, call.method.span());
                let method = Ident::new(&method, span);
                parse_quote_spanned!(span=> #schedule.activities.#field.#method())
            }
            "join" | "run" => {
                let why = if self.activity.is_some() {
                    "stands as a statement, as `let x = WAIT;`, or as the whole condition of `if` or `while`".to_owned()
                } else {
                    "waits, and only activities do".to_owned()
                };
                self.wrong(call.method.span(), format!("`{ident}.{method}` {why}"));
                parse_quote!(loop {})
            }
            other => {
                self.wrong(call.method.span(), format!("an activity has no `{other}`; it has {METHODS}"));
                parse_quote!(loop {})
            }
        }
    }

    /// A member of the set of all instances that generated code calls `renamed`, as a key.
    pub(super) fn member_key(&mut self, activity: usize, renamed: &Ident, at: Span) -> Expr {
        let activity = &self.names.activities[activity];
        let (ident, span) = (&activity.activity.ident, here(renamed.span()));
        let field = quote::format_ident!("of_{}", syn::ext::IdentExt::unraw(ident), span = span);
        let (tag, schedule) = (tag(self.names.model, ident), self.scheduled(activity.place, false, at));
        parse_quote_spanned!(span=> (#schedule.activities.#field.key::<#tag>(#renamed as u32)))
    }

    /// Reports starting or aborting where nothing may be changed.
    fn may_change(&mut self, ident: &Ident) {
        if !self.mode.writes {
            let what = self.mode.what;
            self.wrong(ident.span(), format!("{what} cannot start or abort `{ident}`; only actions do"));
        }
    }

    /// An instance is started; the code gives its key.
    pub(in crate::resolve) fn start(&mut self, ident: &Ident, number: usize, args: &[Expr], at: Span) -> Expr {
        self.may_change(ident);
        let names = self.names;
        let activity = &names.activities[number];
        let expected = &activity.activity.args;
        if args.len() != expected.len() {
            let all: Vec<String> = expected.iter().map(|arg| arg.ident.to_string()).collect();
            self.wrong(at, format!("`{ident}` takes `({})`, and gets {}", all.join(", "), count(args.len())));
            return parse_quote!(loop {});
        }
        let span = here(ident.span());
        let values: Vec<Expr> = args
            .iter()
            .zip(&activity.sets)
            .map(|(arg, set)| match set {
                Some(set) => {
                    let index = self.index(arg, Some(*set), ident);
                    self.member(index, *set, ident)
                }
                None => {
                    let mut arg = arg.clone();
                    self.argument(&mut arg);
                    arg
                }
            })
            .collect();
        let mut places = Vec::new();
        if let Some(starter) = &activity.starter {
            self.access.merge(&starter.access);
            for element in &starter.access.elements {
                self.access.touch_element(element.clone());
            }
            places = self.passed_on(&starter.access, span);
        }
        let parent = match self.activity {
            Some(own) => {
                let own = u32::try_from(own).unwrap_or(u32::MAX);
                quote!(__cr::core::option::Option::Some((#own, __crt_me.handle())))
            }
            None => quote!(__cr::core::option::Option::None),
        };
        let temporaries: Vec<Ident> = (0..values.len()).map(|i| Ident::new(&format!("__crt_{i}"), span)).collect();
        let start = Ident::new(&function("start", &activity.activity.ident).to_string(), span);
        let outcome = quote_spanned!(span=> Self::#start(#(#places,)* #(#temporaries,)* #parent));
        let outcome = self.or_raise(&outcome, &quote!(__cr::Key::stale()), span);
        parse_quote_spanned!(span=> (match (#(#values,)*) { (#(#temporaries,)*) => { #outcome } }))
    }

    /// States over the instances of activity `number` get their value for a new one, `__crt_pair`.
    pub(in crate::resolve) fn instance_begins(
        &mut self,
        number: usize,
        access: &mut crate::resolve::Access,
    ) -> TokenStream {
        let names = self.names;
        let mut begins = TokenStream::new();
        for (at, place) in names.places.iter().enumerate() {
            let over = place.family.sets().any(|set| names.sets[set].activity == Some(number));
            let Some(initial) = place.initial.as_ref().filter(|_| over && place.is_state()) else { continue };
            access.merge(&initial.access);
            access.touch(at, true);
            access.logged.insert(at);
            let span = here(place.ident.span());
            let needs = self.passed_on(&initial.access, span);
            let (handle, function) = (super::handle(&place.ident), function("initial", &place.ident));
            let note = self.note(at, &quote!(__crt_pair), span);
            begins.extend(quote! {
                let __crt_value = Self::#function(__crt_pair, #(#needs),*)?;
                #note
                __cr::element::put(&mut *#handle, __crt_pair, __crt_value);
            });
        }
        begins
    }

    fn of_line(&mut self, ident: &Ident, number: usize, call: &syn::ExprMethodCall) -> Expr {
        let method = call.method.to_string();
        if (method != "len" && method != "is_empty") || !call.args.is_empty() {
            self.wrong(call.method.span(), format!("a line has `{ident}.len()` and `{ident}.is_empty()` only"));
            return parse_quote!(loop {});
        }
        let place = self.names.lines[number].place;
        let schedule = self.scheduled(place, false, call.method.span());
        if method == "len" {
            parse_quote!(#schedule.in_line[#number])
        } else {
            parse_quote!((#schedule.in_line[#number] == 0))
        }
    }
}
