//! Events, activities and waits, as an editor sees them: values with methods, and blocks with values.

use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens as _, format_ident, quote};
use syn::ext::IdentExt;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Stmt, parse_quote};

use super::super::types;
use crate::resolve::variant;
use crate::syntax::{Argument, ArgumentKind, Axis, DEFER, Item, Model, Over, tag};

/// The type that stands for an event, an activity or a line.
fn type_name(model: &Model, ident: &Ident) -> Ident {
    format_ident!("__CrEditor{}{}", model.name(), variant(ident))
}

/// The types of all of them.
pub(super) fn structs(model: &Model) -> TokenStream {
    model.items.iter().map(|item| one(model, item)).collect()
}

fn one(model: &Model, item: &Item) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let (ident, methods) = match item {
        Item::Event(event) => {
            let args: Vec<TokenStream> = event
                .args
                .iter()
                .map(|arg| {
                    let (ident, ty) = (&arg.ident, arg.ty());
                    quote!(#ident: #ty)
                })
                .collect();
            let types: Vec<_> = event.args.iter().map(crate::syntax::Argument::ty).collect();
            let payload = if let [only] = &types[..] { quote!(#only) } else { quote!((#(#types),*)) };
            let (tag, time) = (tag(&model.ident, &event.ident), time(model));
            let methods = quote! {
                fn at(&self, time: #time, #(#args),*) -> #krate::Key<#tag> { #private::Key::stale() }
                fn after(&self, delay: #time, #(#args),*) -> #krate::Key<#tag> { #private::Key::stale() }
                fn cancel(&self, key: #krate::Key<#tag>) -> #private::core::option::Option<#payload> { #private::core::option::Option::None }
                fn reschedule(&self, key: #krate::Key<#tag>, time: #time) -> #private::core::primitive::bool { true }
                fn when(&self, key: #krate::Key<#tag>) -> #private::core::option::Option<#time> { #private::core::option::Option::None }
                fn clear(&self) {}
                fn len(&self) -> usize { 0 }
                fn is_empty(&self) -> #private::core::primitive::bool { true }
            };
            (&event.ident, methods)
        }
        Item::Activity(activity) => {
            let args: Vec<TokenStream> = activity
                .args
                .iter()
                .map(|arg| {
                    let (ident, ty) = (&arg.ident, arg.ty());
                    quote!(#ident: #ty)
                })
                .collect();
            let (tag, joined) = (tag(&model.ident, &activity.ident), activity.joined());
            let methods = quote! {
                fn start(&self, #(#args),*) -> #krate::Key<#tag> { #private::Key::stale() }
                fn run(&self, #(#args),*) -> #private::core::option::Option<#joined> { #private::core::option::Option::None }
                fn join(&self, key: #krate::Key<#tag>) -> #private::core::option::Option<#joined> { #private::core::option::Option::None }
                fn abort(&self, key: #krate::Key<#tag>) -> #private::core::primitive::bool { true }
                fn alive(&self, key: #krate::Key<#tag>) -> #private::core::primitive::bool { true }
                fn iter(&self) -> Self { *self }
                fn len(&self) -> usize { 0 }
                fn is_empty(&self) -> #private::core::primitive::bool { true }
            };
            (&activity.ident, methods)
        }
        Item::Line(line) => {
            let methods = quote! {
                fn len(&self) -> usize { 0 }
                fn is_empty(&self) -> #private::core::primitive::bool { true }
            };
            (&line.ident, methods)
        }
        _ => return TokenStream::new(),
    };
    let name = type_name(model, ident);
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let (generics, marker) = (&model.generics, types::marker(model));
    let members = matches!(item, Item::Activity(_)).then(|| {
        let key = key(model, ident);
        quote! {
            #[allow(warnings)]
            impl #impl_generics #private::core::clone::Clone for #name #type_generics #where_clause {
                fn clone(&self) -> Self { *self }
            }
            impl #impl_generics #private::core::marker::Copy for #name #type_generics #where_clause {}
            #[allow(warnings)]
            impl #impl_generics #private::core::iter::Iterator for #name #type_generics #where_clause {
                type Item = #key;
                fn next(&mut self) -> #private::core::option::Option<#key> { #private::core::option::Option::None }
            }
        }
    });
    quote! {
        #[allow(warnings)]
        struct #name #generics #where_clause { #marker }
        #members
        #[allow(warnings)]
        impl #impl_generics #name #type_generics #where_clause { #methods }
    }
}

fn time(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let ty = if model.options.ticks { quote!(u64) } else { quote!(f64) };
    quote!(#krate::__private::core::primitive::#ty)
}

/// Them as variables.
pub(super) fn locals(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let (type_generics, marker) = (model.generics.split_for_impl().1, types::marker_value(model));
    model
        .items
        .iter()
        .map(|item| {
            let (ident, over) = match item {
                Item::Event(event) => (&event.ident, event.over.clone()),
                Item::Activity(activity) => (&activity.ident, Over::default()),
                Item::Line(line) => (&line.ident, Over::default()),
                _ => return TokenStream::new(),
            };
            let name = type_name(model, ident);
            let turbofish = type_generics.as_turbofish();
            // Of a family the whole is seen as its members.
            let value = over
                .axes
                .iter()
                .fold(quote!(#name #turbofish { #marker }), |inner, _| quote!(#krate::__private::std::vec![#inner]));
            quote!(let #ident = #value;)
        })
        .collect()
}

/// The type of keys of an activity.
fn key(model: &Model, activity: &Ident) -> TokenStream {
    let (krate, tag) = (&model.krate, tag(&model.ident, activity));
    quote!(#krate::Key<#tag>)
}

/// The names that stand for an index, with their types.
pub(super) fn binders<'o>(model: &'o Model, over: &'o Over) -> impl Iterator<Item = (&'o Ident, TokenStream)> {
    let number = quote!(usize);
    over.axes.iter().flat_map(move |axis| match axis {
        Axis::Member { binder, set } => vec![(binder, member(model, set))],
        Axis::Pair { binders, .. } => binders.iter().map(|binder| (binder, number.clone())).collect(),
    })
}

/// The type of an argument.
pub(super) fn argument(model: &Model, arg: &Argument) -> TokenStream {
    match &arg.kind {
        ArgumentKind::Member(set) => member(model, set),
        ArgumentKind::Value(ty) => quote!(#ty),
    }
}

/// The type of a member of a set.
fn member(model: &Model, set: &Ident) -> TokenStream {
    let krate = &model.krate;
    if model.activity(set).is_some() { key(model, set) } else { quote!(#krate::__private::core::primitive::usize) }
}

/// The key of the own instance.
pub(super) fn me(model: &Model, activity: &Ident) -> TokenStream {
    let (krate, tag) = (&model.krate, tag(&model.ident, activity));
    quote!(let me: #krate::Key<#tag> = #krate::__private::Key::stale();)
}

/// `return` of a function whose `?` makes it give a `Result`.
pub(super) struct Returns<'a>(pub &'a Model);

impl VisitMut for Returns<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        if matches!(expr, Expr::Closure(_) | Expr::Async(_)) {
            return;
        }
        visit_mut::visit_expr_mut(self, expr);
        if let Expr::Return(leaving) = expr {
            let krate = &self.0.krate;
            let value = leaving.expr.take().map_or_else(|| parse_quote!(()), |value| *value);
            leaving.expr = Some(parse_quote!(#krate::__private::core::result::Result::Ok(#value)));
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}

/// Waits and options as blocks that have their value, `defer` as the block that it is.
pub(super) struct Shown<'a> {
    pub model: &'a Model,
}

impl VisitMut for Shown<'_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(mac) = stmt {
            if mac.mac.path.is_ident(DEFER) {
                if let Ok(stmts) = mac.mac.parse_body_with(syn::Block::parse_within) {
                    *stmt = parse_quote!({ #(#stmts)* });
                }
            }
        }
        visit_mut::visit_stmt_mut(self, stmt);
    }

    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        visit_mut::visit_expr_mut(self, expr);
        let (krate, time) = (&self.model.krate, time(self.model));
        let truth = quote!(#krate::__private::core::primitive::bool);
        match expr {
            Expr::MethodCall(call) => {
                let priority = match call.args.last() {
                    Some(Expr::Assign(assign)) if assign.left.to_token_stream().to_string() == "priority" => {
                        assign.right.clone()
                    }
                    _ => return,
                };
                call.args.pop();
                *expr = parse_quote!({ let _ = #priority; #call });
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return };
                let Some(ident) = path.path.get_ident().map(IdentExt::unraw) else { return };
                let waits = ["wait", "wait_until", "wait_for"].iter().any(|name| ident == name);
                if !waits {
                    return;
                }
                let (mut patient, mut interrupted, mut parts) = (false, false, Vec::new());
                for arg in &call.args {
                    let Expr::Assign(option) = arg else {
                        let ty = if ident == "wait_for" { truth.clone() } else { time.clone() };
                        parts.push(quote!(let _: #ty = #arg;));
                        continue;
                    };
                    let (word, value) = (option.left.to_token_stream().to_string(), &option.right);
                    patient |= word == "timeout";
                    interrupted |= word == "unless";
                    parts.push(match word.as_str() {
                        "unless" => quote!(let _: #truth = #value;),
                        "timeout" => quote!(let _: #time = #value;),
                        "line" => quote!(let _ = &#value;),
                        _ => quote!(let _ = #value;),
                    });
                }
                let value = match (ident == "wait_for", patient, interrupted) {
                    (false, _, true) => quote!(<#time as #krate::__private::core::default::Default>::default()),
                    (_, true, _) | (true, _, true) => quote!(true),
                    _ => quote!(()),
                };
                *expr = parse_quote!({ #(#parts)* #value });
            }
            _ => {}
        }
    }
}
