//! The user's expressions and bodies as functions over the places they mention.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Type, parse_quote, parse_quote_spanned};

use super::Cx;
use super::types::text;
use crate::resolve::{Affine, Body, Family, Timing, binder, function, here};

/// The name of the function for `init`.
pub(super) fn init_function() -> Ident {
    Ident::new("__cr_init", proc_macro2::Span::call_site())
}

/// All of them.
pub(super) fn bodies(cx: &Cx<'_>) -> TokenStream {
    // At the expression's tokens, so that a type error blames nothing else.
    let float = |body: &Body| -> Type { parse_quote_spanned!(here(body.tokens.span())=> __cr::core::primitive::f64) };
    let time = |body: &Body| {
        if cx.model.options.ticks { crate::resolve::time_type(true, body.tokens.span()) } else { float(body) }
    };
    let truth = |body: &Body| -> Type { parse_quote_spanned!(here(body.tokens.span())=> __cr::core::primitive::bool) };
    let mut out = TokenStream::new();
    for action in &cx.resolved.actions {
        let args = action.args.iter().map(|(name, ty)| quote!(#name: #ty));
        let attrs = &action.attrs;
        out.extend(quote!(#(#attrs)*));
        let single = Family::default();
        out.extend(unit(cx, &function("action", &action.ident), &single, &action.body, args.collect()));
    }
    let own = |clock: &&crate::resolve::Clock| !matches!(clock.timing, Timing::Step { .. } | Timing::Watch(_));
    for clock in cx.resolved.clocks.iter().filter(own) {
        let (ident, family) = (&clock.ident, &clock.family);
        // A lint level on a clock is meant for its expressions.
        let lints: TokenStream = clock.attrs.iter().filter_map(lint_level).collect();
        if let Some(guard) = &clock.guard {
            out.extend(lints.clone());
            out.extend(value(cx, &function("guard", ident), family, guard, &truth(guard)));
        }
        if let Timing::Thinning(thinning) = &clock.timing {
            out.extend(lints.clone());
            let (body, ty) = (&thinning.rate, float(&thinning.rate));
            out.extend(value_with(cx, &function("hazard", ident), family, body, &ty, vec![quote!(__crt_s: #ty)]));
        }
        if let Timing::Crosses { of, course: true, .. } = &clock.timing {
            out.extend(lints.clone());
            let (tokens, poly): (_, Type) = (&of.tokens, parse_quote!(__cr::flow::Poly));
            let tokens = quote!(__cr::flow::IntoPoly::poly(#tokens));
            let body = Body { tokens, access: of.access.clone() };
            out.extend(value(cx, &function("crosses", ident), family, &body, &poly));
        }
        if let Some(pair) = clock.timing.pair() {
            out.extend(lints.clone());
            let float = float(pair);
            let both = parse_quote_spanned!(here(pair.tokens.span())=> (#float, #float));
            out.extend(value(cx, &function("pair", ident), family, pair, &both));
        }
        let parts: Vec<(&str, &Body)> = match &clock.timing {
            Timing::Rate(rate) => vec![("rate", rate)],
            Timing::At(at) => vec![("at", at)],
            Timing::After { delay, speed, .. } => {
                std::iter::once(("delay", delay)).chain(speed.iter().map(|speed| ("speed", speed))).collect()
            }
            Timing::Every { period, from } => {
                std::iter::once(("period", period)).chain(from.iter().map(|from| ("from", from))).collect()
            }
            Timing::Hazard(hazard) => affine_parts(hazard),
            Timing::Thinning(thinning) => {
                let until = thinning.until.iter().map(|until| ("until", until));
                affine_parts(&thinning.bound).into_iter().chain(until).collect()
            }
            Timing::Crosses { course: true, .. } => Vec::new(),
            Timing::Crosses { of, step, .. } => {
                std::iter::once(("crosses", of)).chain(step.iter().map(|step| ("step", step))).collect()
            }
            Timing::Event { .. } | Timing::Step { .. } | Timing::Watch(_) => Vec::new(),
        };
        for (part, body) in parts {
            out.extend(lints.clone());
            out.extend(value(cx, &function(part, ident), family, body, &time(body)));
        }
        out.extend(lints);
        let args = clock.args.iter().map(|(name, ty)| quote!(#name: #ty)).collect();
        out.extend(unit(cx, &function("act", ident), family, &clock.action, args));
    }
    let single = &Family::default();
    if let Some(init) = &cx.resolved.init {
        out.extend(unit(cx, &init_function(), single, init, Vec::new()));
    }
    for condition in &cx.resolved.conditions {
        let (name, body) = (function(condition.kind(), &condition.ident), &condition.body);
        out.extend(value(cx, &name, single, body, &truth(body)));
    }
    for output in &cx.resolved.observes {
        let name = function("observe", &output.ident);
        out.extend(match &output.ty {
            Some(ty) => value(cx, &name, &output.family, &output.body, ty),
            None => {
                let tokens = &output.body.tokens;
                let body = Body {
                    tokens: quote_spanned!(here(tokens.span())=> __cr::Number::number(#tokens)),
                    access: output.body.access.clone(),
                };
                value(cx, &name, &output.family, &body, &float(&body))
            }
        });
    }
    for place in &cx.resolved.places {
        if let Some(initial) = &place.initial {
            out.extend(value(cx, &function("initial", &place.ident), &place.family, initial, &place.ty));
        }
    }
    let size: Type = parse_quote!(usize);
    for set in &cx.resolved.sets {
        if let Some(body) = &set.size {
            out.extend(value(cx, &function("size", &set.ident), single, body, &size));
        }
    }
    for relation in &cx.resolved.relations {
        out.extend(members(cx, relation));
    }
    for constant in &cx.resolved.constants {
        if let Some(ty) = &constant.ty {
            out.extend(value(cx, &function("constant", &constant.ident), &constant.family, &constant.value, ty));
        }
    }
    out
}

/// An attribute that sets a lint level; what is expected somewhere is allowed everywhere.
fn lint_level(attr: &syn::Attribute) -> Option<TokenStream> {
    if attr.path().is_ident("expect") {
        let list = attr.meta.require_list().ok()?;
        let lints = &list.tokens;
        return Some(quote!(#[allow(#lints)]));
    }
    let level = ["allow", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level));
    level.then(|| quote!(#attr))
}

/// The parts of an affine function that are numbers, with names for them.
pub(super) fn affine_parts(affine: &Affine) -> Vec<(&'static str, &Body)> {
    match affine {
        Affine::Constant(bound) => vec![("bound", bound)],
        Affine::Parts(parts) => ["a", "b", "c"].into_iter().zip(parts).collect(),
        Affine::Pair(_) => Vec::new(),
    }
}

/// A function that gives a value.
fn value(cx: &Cx<'_>, name: &Ident, family: &Family, body: &Body, ty: &Type) -> TokenStream {
    value_with(cx, name, family, body, ty, Vec::new())
}

/// The same with further parameters.
pub(super) fn value_with(
    cx: &Cx<'_>,
    name: &Ident,
    family: &Family,
    body: &Body,
    ty: &Type,
    args: Vec<TokenStream>,
) -> TokenStream {
    let tokens = &body.tokens;
    let private = &cx.private;
    let content = quote! {
        let __crt_value: #ty = #tokens;
    };
    let end = quote!(#private::core::result::Result::Ok(__crt_value));
    frame(cx, name, family, body, args, &quote!(#ty), &content, &end)
}

/// The function that gives the members of a row to whoever builds a relation.
fn members(cx: &Cx<'_>, relation: &crate::resolve::Relation) -> TokenStream {
    let Some(body) = &relation.members else { return TokenStream::new() };
    let binders = relation.binders.iter().cloned().zip(relation.rows.iter().copied()).collect();
    let family = Family { binders, pairs: None };
    let name = text(&cx.resolved.sets[relation.target].ident);
    let ty = relation.value.as_ref().map_or(quote!(()), |ty| quote!(#ty));
    let tokens = &body.tokens;
    let content = quote_spanned! {here(tokens.span())=>
        for __crt_member in __cr::core::iter::IntoIterator::into_iter(#tokens) {
            let (__crt_member, __crt_value) = __cr::element::Member::<#ty>::member(__crt_member);
            __crt_into.push(__crt_member, __crt_value).map_err(|__crt_outside| __crt_outside.of(#name))?;
        }
    };
    let end = quote!(__cr::core::result::Result::Ok(()));
    let into = vec![quote!(__crt_into: &mut __cr::Row<'_, #ty>)];
    frame(cx, &function("members", &relation.ident), &family, body, into, &quote!(()), &content, &end)
}

/// A function that only acts.
fn unit(cx: &Cx<'_>, name: &Ident, family: &Family, body: &Body, args: Vec<TokenStream>) -> TokenStream {
    let private = &cx.private;
    frame(
        cx,
        name,
        family,
        body,
        args,
        &quote!(()),
        &body.tokens,
        &quote! {
            #[allow(unreachable_code)]
            return #private::core::result::Result::Ok(());
        },
    )
}

#[allow(clippy::too_many_arguments, reason = "they are the parts of a function")]
pub(super) fn frame(
    cx: &Cx<'_>,
    name: &Ident,
    family: &Family,
    body: &Body,
    args: Vec<TokenStream>,
    ty: &TokenStream,
    content: &TokenStream,
    end: &TokenStream,
) -> TokenStream {
    let private = &cx.private;
    let inline = cx.inline();
    let parameters = cx.parameters(&body.access);
    let result = cx.result(ty, "Fault");
    // With a flag for closures, every way out passes by it.
    let content = if body.access.flag {
        quote! {
            let __crt_flag = &#private::arith::Flag::new();
            let __crt_outcome = (|| -> #result { #content #end })();
            #private::arith::Flag::check(__crt_flag)?;
            __crt_outcome
        }
    } else {
        quote!(#content #end)
    };
    let binders: Vec<Ident> = family.binders.iter().map(|(ident, _)| binder(ident)).collect();
    let used = (!binders.is_empty()).then(|| quote!(let _ = (#(#binders),*);));
    quote! {
        #inline
        fn #name(#(#binders: usize,)* #(#parameters,)* #(#args,)*) -> #result {
            #used
            #content
        }
    }
}
