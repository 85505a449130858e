//! The user's expressions and bodies as functions over the places they mention.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Type, parse_quote_spanned};

use super::Cx;
use super::types::text;
use crate::resolve::{Body, Timing, action_function, here};

/// The name of the function for `part` of item `ident`.
pub(super) fn function(part: &str, ident: &Ident) -> Ident {
    format_ident!("__cr_{part}_{}", text(ident), span = here(ident.span()))
}

/// The name of the function for `init`.
pub(super) fn init_function() -> Ident {
    Ident::new("__cr_init", proc_macro2::Span::call_site())
}

/// All of them.
pub(super) fn bodies(cx: &Cx<'_>) -> TokenStream {
    // At the expression's tokens, so that a type error blames nothing else.
    let float = |body: &Body| -> Type { parse_quote_spanned!(here(body.tokens.span())=> __cr::core::primitive::f64) };
    let truth = |body: &Body| -> Type { parse_quote_spanned!(here(body.tokens.span())=> __cr::core::primitive::bool) };
    let mut out = TokenStream::new();
    for action in &cx.resolved.actions {
        let args = action.args.iter().map(|(name, ty)| quote!(#name: #ty));
        let attrs = &action.attrs;
        out.extend(quote!(#(#attrs)*));
        out.extend(unit(cx, &action_function(&action.ident), &action.body, args.collect()));
    }
    for clock in &cx.resolved.clocks {
        let ident = &clock.ident;
        // A lint level on a clock is meant for its expressions.
        let lints: TokenStream = clock.attrs.iter().filter_map(lint_level).collect();
        if let Some(guard) = &clock.guard {
            out.extend(lints.clone());
            out.extend(value(cx, &function("guard", ident), guard, &truth(guard)));
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
        };
        for (part, body) in parts {
            out.extend(lints.clone());
            out.extend(value(cx, &function(part, ident), body, &float(body)));
        }
        out.extend(lints);
        out.extend(unit(cx, &function("act", ident), &clock.action, Vec::new()));
    }
    if let Some(init) = &cx.resolved.init {
        out.extend(unit(cx, &init_function(), init, Vec::new()));
    }
    for condition in &cx.resolved.conditions {
        out.extend(value(cx, &function(condition.kind(), &condition.ident), &condition.body, &truth(&condition.body)));
    }
    for output in &cx.resolved.observes {
        let name = function("observe", &output.ident);
        out.extend(match &output.ty {
            Some(ty) => value(cx, &name, &output.body, ty),
            None => {
                let tokens = &output.body.tokens;
                let body = Body {
                    tokens: quote_spanned!(here(tokens.span())=> __cr::Number::number(#tokens)),
                    access: output.body.access.clone(),
                };
                value(cx, &name, &body, &float(&body))
            }
        });
    }
    for place in &cx.resolved.places {
        if let Some(initial) = &place.initial {
            out.extend(value(cx, &function("initial", &place.ident), initial, &place.ty));
        }
    }
    for constant in &cx.resolved.constants {
        if let Some(ty) = &constant.ty {
            out.extend(value(cx, &function("constant", &constant.ident), &constant.value, ty));
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

/// A function that gives a value.
fn value(cx: &Cx<'_>, name: &Ident, body: &Body, ty: &Type) -> TokenStream {
    let tokens = &body.tokens;
    let private = &cx.private;
    let content = quote! {
        let __crt_value: #ty = #tokens;
    };
    frame(cx, name, body, Vec::new(), &quote!(#ty), &content, &quote!(#private::core::result::Result::Ok(__crt_value)))
}

/// A function that only acts.
fn unit(cx: &Cx<'_>, name: &Ident, body: &Body, args: Vec<TokenStream>) -> TokenStream {
    let private = &cx.private;
    frame(
        cx,
        name,
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

fn frame(
    cx: &Cx<'_>,
    name: &Ident,
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
    quote! {
        #inline
        fn #name(#(#parameters,)* #(#args,)*) -> #result {
            #content
        }
    }
}
