//! What rust-analyzer sees: the user's code as it was written, in functions over plain variables.
//!
//! Completion, hover and go-to-definition work on the tokens that stand in the expansion as the user
//! typed them; in the rewritten bodies they do not. So under `cfg(rust_analyzer)` the engine is left
//! out, and these functions stand in its place. The compiler never parses them: they are the
//! arguments of a macro that is configured out.

use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::{Block, Expr, Type};

mod scheduled;

use super::fallback;
use crate::syntax::{Axis, Hazard, Item, Law, Model, Over, Term, Timing};

/// The item that stands first in the expansion.
pub(super) fn editor(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let name = &model.ident;
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let (functions, structs) = (functions(model), scheduled::structs(model));
    let stub = fallback::stub_impls(model, &TokenStream::new());
    quote! {
        #[allow(unexpected_cfgs)]
        const _: () = {
            #[cfg(rust_analyzer)]
            #krate::__editor! {
                #[allow(unused_imports)]
                use #krate::__private::{
                    Distribution as _, EditorRows as _, EditorRows2 as _, EditorValuedRows as _, EditorValuedRows2 as _, IndexedMutRandom as _, IndexedRandom as _, IteratorRandom as _, RngExt as _,
                    SliceRandom as _,
                };
                #structs
                #[allow(warnings)]
                impl #impl_generics #name #type_generics #where_clause {
                    #functions
                }
                #stub
            }
        };
    }
}

/// One function for each expression and body.
fn functions(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let time = if model.options.ticks { quote!(u64) } else { quote!(f64) };
    let float: Type = syn::parse_quote!(#private::core::primitive::#time);
    let truth: Type = syn::parse_quote!(#private::core::primitive::bool);
    let variables = variables(model);
    let locals = locals(model);
    let number = std::cell::Cell::new(0_u32);
    let name = || {
        number.set(number.get() + 1);
        format_ident!("__cr_editor_{}", number.get())
    };
    let function_plain = |args: &TokenStream, content: TokenStream| {
        let name = name();
        quote!(fn #name(#variables #args) { #locals #content })
    };
    let function = |args: &TokenStream, content: TokenStream| {
        let name: Ident = name();
        // A body with `?` fails, one without may `return`.
        let (result, end) = if asks(&content) {
            let result = quote!(#private::core::result::Result);
            (quote!(-> #result<(), #private::Fault>), quote!(#result::Ok(())))
        } else {
            (quote!(), quote!())
        };
        quote! {
            fn #name(#variables #args) #result {
                #locals
                #content
                #end
            }
        }
    };
    let value = |expr: &Expr, ty: Option<&Type>| match ty {
        Some(ty) => quote!(let _: #ty = #expr;),
        None => quote!(let _ = #expr;),
    };
    let none = quote!();
    let mut out = TokenStream::new();
    let body = |block: &Block| {
        let mut block = block.clone();
        syn::visit_mut::VisitMut::visit_block_mut(&mut scheduled::Shown { model }, &mut block);
        if asks(&quote!(#block)) {
            syn::visit_mut::VisitMut::visit_block_mut(&mut scheduled::Returns(model), &mut block);
        }
        quote!(#block)
    };
    let indices = |over: &Over| {
        let binders = scheduled::binders(model, over).map(|(binder, ty)| quote!(#binder: #ty,));
        quote!(#(#binders)*)
    };
    for item in &model.items {
        match item {
            Item::Index(index) => out.extend(function(&none, value(&index.end, None))),
            Item::Relation(relation) => {
                let binders =
                    relation.binders.iter().map(|(binder, _)| quote!(#binder: #private::core::primitive::usize,));
                out.extend(function(&quote!(#(#binders)*), value(&relation.expr, None)));
            }
            Item::Param(p) => {
                if let Some(expr) = &p.default {
                    out.extend(function(&none, value(expr, Some(&p.ty))));
                }
            }
            Item::State(s) => {
                if let Some(expr) = &s.initial {
                    out.extend(function(&indices(&s.over), value(expr, Some(&s.ty))));
                }
            }
            Item::Tally(t) => out.extend(function(&indices(&t.over), value(&t.initial, Some(&t.ty)))),
            Item::Observe(o) => out.extend(function(&indices(&o.over), value(&o.expr, o.ty.as_ref()))),
            Item::Stop(c) | Item::Invariant(c) => out.extend(function(&none, value(&c.expr, Some(&truth)))),
            Item::Init(init) => out.extend(function(&none, body(&init.body))),
            Item::Action(action) => {
                let args = action.args.iter().map(|arg| {
                    let (mutability, ident, ty) = (&arg.mutability, &arg.ident, scheduled::argument(model, arg));
                    quote!(#mutability #ident: #ty,)
                });
                out.extend(function(&quote!(#(#args)*), body(&action.body)));
            }
            Item::Event(event) => {
                let args = event.args.iter().map(|arg| {
                    let (mutability, ident, ty) = (&arg.mutability, &arg.ident, scheduled::argument(model, arg));
                    quote!(#mutability #ident: #ty,)
                });
                let indices = indices(&event.over);
                out.extend(function(&quote!(#indices #(#args)*), body(&event.action)));
            }
            Item::Clock(clock) => {
                let indices = indices(&clock.over);
                if let Some(expr) = &clock.guard {
                    out.extend(function(&indices, value(expr, Some(&truth))));
                }
                let elapsed = match &clock.timing {
                    Timing::Hazard(Hazard::Thinned(thinned)) => {
                        thinned.elapsed.as_ref().map(|elapsed| quote!(#elapsed: #float,))
                    }
                    _ => None,
                };
                for expr in clock.timing.exprs() {
                    let ty = if clock.timing.is_pair(expr) { None } else { Some(&float) };
                    out.extend(function(&quote!(#indices #elapsed), value(expr, ty)));
                }
                out.extend(function(&indices, body(&clock.action)));
            }
            Item::Reaction(reaction) => {
                let indices = indices(&reaction.over);
                let species = reaction.left.iter().chain(&reaction.right).map(Term::place);
                out.extend(function(&indices, quote!(#(let _ = #species;)*)));
                let law = match &reaction.law {
                    Law::MassAction(constant) => vec![constant],
                    Law::Timing(written) => written.exprs(),
                };
                for expr in reaction.guard.iter().chain(law) {
                    out.extend(function(&indices, value(expr, None)));
                }
            }
            Item::Flow(flow) => {
                let args = indices(&flow.over);
                out.extend(function(&quote!(#args dt: #float,), value(&flow.expr, None)));
            }
            // They stand in front of every function.
            Item::Let(_) | Item::Line(_) | Item::Time(_) => {}
            Item::Activity(activity) => {
                let args = activity.args.iter().map(|arg| {
                    let (mutability, ident, ty) = (&arg.mutability, &arg.ident, scheduled::argument(model, arg));
                    quote!(#mutability #ident: #ty,)
                });
                let (me, gives) = (scheduled::me(model, &activity.ident), activity.gives());
                let mut block = activity.body.clone();
                syn::visit_mut::VisitMut::visit_block_mut(&mut scheduled::Shown { model }, &mut block);
                // A `?` fails the run, or the instance.
                let content = if activity.fallible().is_none() && asks(&quote!(#block)) {
                    syn::visit_mut::VisitMut::visit_block_mut(&mut scheduled::Returns(model), &mut block);
                    let result = quote!(#private::core::result::Result);
                    quote! {
                        let _ = || -> #result<#gives, #private::Fault> {
                            let __cr_value: #gives = #block;
                            #result::Ok(__cr_value)
                        };
                    }
                } else {
                    quote!(let _ = || -> #gives { #block };)
                };
                let priority = activity.priority.as_ref().map(|priority| quote!(let _ = #priority;));
                out.extend(function_plain(&quote!(#(#args)*), quote!(#me #priority #content)));
            }
        }
    }
    out
}

/// Whether there is a `?`.
fn asks(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|token| match token {
        TokenTree::Punct(punct) => punct.as_char() == '?',
        TokenTree::Group(group) => asks(&group.stream()),
        _ => false,
    })
}

/// Every place as a parameter.
fn variables(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let places = model.items.iter().filter_map(|item| match item {
        Item::Param(p) => Some((&p.ident, p.ty.clone())),
        Item::State(s) if s.over.sets().any(|set| model.activity(set).is_some()) => {
            let ty = &s.ty;
            Some((&s.ident, syn::parse_quote!(#private::EditorInstances<#ty>)))
        }
        Item::State(s) => Some((&s.ident, nested(&private, &s.over, &s.ty))),
        Item::Tally(t) => Some((&t.ident, nested(&private, &t.over, &t.ty))),
        Item::Index(index) => Some((&index.ident, syn::parse_quote!(#private::core::ops::Range<usize>))),
        _ => None,
    });
    let places = places.map(|(ident, ty)| quote!(mut #ident: #ty,));
    let time = if model.options.ticks { quote!(u64) } else { quote!(f64) };
    quote! {
        #(#places)*
        now: #private::core::primitive::#time,
        never: #private::core::primitive::#time,
        rng: &mut #private::Rng,
    }
}

/// A family as something that takes its indices.
fn nested(private: &TokenStream, over: &Over, ty: &Type) -> Type {
    over.axes.iter().rev().fold(ty.clone(), |inner, axis| match axis {
        Axis::Member { .. } => syn::parse_quote!(#private::std::vec::Vec<#inner>),
        Axis::Pair { .. } => syn::parse_quote!(#private::EditorPairs<#inner>),
    })
}

/// Definitions as variables, actions and relations as closures.
fn locals(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let sets = model.items.iter().filter_map(|item| match item {
        Item::Relation(relation) => Some(relation),
        _ => None,
    });
    let relations = sets.map(|relation| {
        let member = match &relation.value {
            Some(ty) => quote!((usize, #ty)),
            None => quote!(usize),
        };
        let iterator = quote!(#private::std::vec::IntoIter<#member>);
        let (ident, rows) = (&relation.ident, relation.binders.iter().map(|_| quote!(_: usize)));
        let inverse = relation.inverse.iter().map(
            |inverse| quote!(let #inverse = |_: usize| -> #iterator { #private::std::vec::Vec::new().into_iter() };),
        );
        quote! {
            let #ident = |#(#rows),*| -> #iterator { #private::std::vec::Vec::new().into_iter() };
            #(#inverse)*
        }
    });
    let relations: TokenStream = relations.collect();
    let others: TokenStream = model
        .items
        .iter()
        .map(|item| match item {
            Item::Let(definition) => {
                let (ident, expr) = (&definition.ident, &definition.expr);
                let ty = definition.ty.as_ref().map(|ty| quote!(: #ty));
                if definition.over.is_single() {
                    return quote!(let #ident #ty = #expr;);
                }
                // For whatever indices, the value is of one type.
                let binders = scheduled::binders(model, &definition.over)
                    .map(|(binder, ty)| quote!(let #binder: #ty = #private::EditorMember::any();));
                let value = quote!({ #(#binders)* let __cr_value #ty = #expr; __cr_value });
                let nested = definition.over.axes.iter().fold(value, |inner, axis| match axis {
                    Axis::Member { set, .. } if model.activity(set).is_some() => {
                        quote!(#private::EditorInstances(#inner))
                    }
                    Axis::Member { .. } => quote!(#private::std::vec![#inner]),
                    Axis::Pair { .. } => quote!(#private::EditorPairs(#inner)),
                });
                quote!(let #ident = #nested;)
            }
            Item::Action(action) => {
                let ident = &action.ident;
                let args = action.args.iter().map(|arg| {
                    let (ident, ty) = (&arg.ident, scheduled::argument(model, arg));
                    quote!(#ident: #ty)
                });
                quote!(let #ident = |#(#args),*| {};)
            }
            _ => TokenStream::new(),
        })
        .collect();
    let scheduled = scheduled::locals(model);
    quote!(#scheduled #relations #others)
}
