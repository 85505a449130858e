//! The generated types: params and inputs, state, tallies, outputs, events.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::{Attribute, GenericParam, Type};

use crate::resolve::variant;
use crate::syntax::{Item, Model, Over};

/// Names of the state, event, tally and output types.
pub(super) fn names(model: &Model) -> [Ident; 4] {
    let name = model.name();
    ["State", "Event", "Tallies", "Observed"].map(|suffix| format_ident!("{name}{suffix}", span = model.ident.span()))
}

/// An identifier as text, without `r#`.
pub(super) fn text(ident: &Ident) -> String {
    ident.unraw().to_string()
}

/// Attributes of an item; a doc comment of our own where the user wrote none.
fn attributes(attrs: &[Attribute], doc: &str) -> TokenStream {
    let doc = (!attrs.iter().any(|attr| attr.path().is_ident("doc"))).then(|| quote!(#[doc = #doc]));
    // What is expected in a body is not to be found here.
    let attrs = attrs.iter().filter(|attr| !attr.path().is_ident("expect"));
    quote!(#doc #(#attrs)*)
}

/// All types of the block; they depend on its tokens only, not on the analysis.
pub(super) fn types(model: &Model, table: Option<&str>) -> TokenStream {
    let krate = &model.krate;
    let (vis, name) = (&model.vis, &model.ident);
    let [state, event, tallies, observed] = names(model);
    let where_clause = &model.generics.where_clause;
    let generics = &model.generics;
    let own = &model.options.derives;
    let derives = if own.is_empty() {
        quote!(#[derive(#krate::__private::core::clone::Clone, #krate::__private::core::fmt::Debug)])
    } else {
        quote!(#(#own)*)
    };
    let marker = marker(model);
    let attrs = attributes(&model.attrs, &format!("The model `{name}`: its params and the states given at the start."));
    let table = table.map(|table| quote!(#[doc = #table]));

    let field = |attrs: &[Attribute], ident: &Ident, ty: &Type, doc: &str| {
        let attrs = attributes(attrs, &format!("{doc} `{}`.", text(ident)));
        // At the field, so that a type that lacks a trait is blamed alone.
        let vis = respanned(vis, ident.span());
        quote!(#attrs #vis #ident: #ty)
    };
    let given = model.items.iter().filter_map(|item| match item {
        Item::Param(p) => Some(field(&p.attrs, &p.ident, &p.ty, "Param")),
        Item::State(s) if s.initial.is_none() => {
            Some(field(&s.attrs, &s.ident, &given_type(model, &s.over, &s.ty), "The start of state"))
        }
        _ => None,
    });
    let states = model.items.iter().filter_map(|item| match item {
        Item::State(s) => Some(field(&s.attrs, &s.ident, &kept_type(model, &s.over, &s.ty), "State")),
        Item::Relation(r) if r.changing => Some(field(&r.attrs, &r.ident, &r.changing_type(krate), "Relation")),
        _ => None,
    });
    let tally_fields = model.items.iter().filter_map(|item| match item {
        Item::Tally(t) => Some(field(&t.attrs, &t.ident, &kept_type(model, &t.over, &t.ty), "Tally")),
        _ => None,
    });
    let number: Type = syn::parse_quote!(#krate::__private::core::primitive::f64);
    let outputs = model.items.iter().filter_map(|item| match item {
        Item::Observe(o) => {
            let ty = o.ty.as_ref().unwrap_or(&number);
            let all = syn::parse_quote!(#krate::__private::std::vec::Vec<#ty>);
            Some(field(&o.attrs, &o.ident, if o.over.is_single() { ty } else { &all }, "Output"))
        }
        _ => None,
    });
    let variants = model.items.iter().filter_map(|item| {
        let (attrs, ident, over, what) = match item {
            Item::Clock(clock) => (&clock.attrs, &clock.ident, &clock.over, "Clock"),
            Item::Reaction(reaction) => (&reaction.attrs, &reaction.ident, &reaction.over, "Reaction"),
            Item::Event(event) => (&event.attrs, &event.ident, &event.over, "Event"),
            Item::Activity(activity) => {
                let doc = format!("An instance of activity `{}` has gone on: its index.", text(&activity.ident));
                let (attrs, variant) = (attributes(&activity.attrs, &doc), variant(&activity.ident));
                return Some(quote!(#attrs #variant(#krate::__private::core::primitive::usize)));
            }
            _ => return None,
        };
        let past = if what == "Event" { "has happened" } else { "has rung" };
        let attrs = attributes(attrs, &format!("{what} `{}` {past}.", text(ident)));
        let variant = variant(ident);
        let indices = over.binders().map(|_| quote!(#krate::__private::core::primitive::usize));
        let indices = (!over.is_single()).then(|| quote!((#(#indices),*)));
        Some(quote!(#attrs #variant #indices))
    });
    let state_doc = format!("The state of [`{name}`].");
    let tallies_doc = format!("The tallies of [`{name}`].");
    let observed_doc = format!("The outputs of [`{name}`].");
    let event_doc = format!("What can happen in [`{name}`].");
    let (messages, tags) = (messages(model), tags(model));
    quote! {
        #messages
        #tags

        #attrs
        #table
        #derives
        #[allow(dead_code)]
        #vis struct #name #generics #where_clause {
            #(#given,)*
        }

        #[doc = #state_doc]
        #derives
        #[allow(dead_code)]
        #vis struct #state #generics #where_clause {
            #(#states,)*
            #marker
        }

        #[doc = #tallies_doc]
        #derives
        #[allow(dead_code)]
        #vis struct #tallies #generics #where_clause {
            #(#tally_fields,)*
            #marker
        }

        #[doc = #observed_doc]
        #derives
        #[allow(dead_code)]
        #vis struct #observed #generics #where_clause {
            #(#outputs,)*
            #marker
        }

        #[doc = #event_doc]
        #[derive(
            #krate::__private::core::clone::Clone, #krate::__private::core::marker::Copy,
            #krate::__private::core::fmt::Debug, #krate::__private::core::cmp::PartialEq,
            #krate::__private::core::cmp::Eq, #krate::__private::core::hash::Hash,
        )]
        #[allow(dead_code, deprecated, clippy::enum_variant_names)]
        #vis enum #event {
            #(#variants,)*
        }
    }
}

/// The name of the type of events with their payload.
pub(super) fn message(model: &Model) -> Ident {
    format_ident!("{}Message", model.name(), span = model.ident.span())
}

/// The type of events with their payload, if there are events.
fn messages(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let variants: Vec<TokenStream> = model
        .items
        .iter()
        .filter_map(|item| {
            let Item::Event(event) = item else { return None };
            let attrs = attributes(&event.attrs, &format!("Event `{}`, with its payload.", text(&event.ident)));
            let variant = variant(&event.ident);
            let indices = event.over.binders().map(|_| quote!(#krate::__private::core::primitive::usize));
            let args = event.args.iter().map(|arg| {
                let ty = arg.ty();
                quote!(#ty)
            });
            let all: Vec<TokenStream> = indices.chain(args).collect();
            let all = (!all.is_empty()).then(|| quote!((#(#all),*)));
            Some(quote!(#attrs #variant #all))
        })
        .collect();
    if variants.is_empty() {
        return TokenStream::new();
    }
    let (vis, name, message) = (&model.vis, &model.ident, message(model));
    let (generics, where_clause) = (&model.generics, &model.generics.where_clause);
    let doc = format!("An event of [`{name}`] with its payload, to be scheduled from outside.");
    let marker = marker_type(model)
        .map(|marker| quote!(#[doc(hidden)] __CrMarker(#marker, #krate::__private::core::convert::Infallible),));
    quote! {
        #[doc = #doc]
        #[derive(#krate::__private::core::clone::Clone, #krate::__private::core::fmt::Debug)]
        #[allow(dead_code, deprecated, clippy::enum_variant_names)]
        #vis enum #message #generics #where_clause {
            #(#variants,)*
            #marker
        }
    }
}

/// The types that tell keys apart, and names for the keys.
fn tags(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let vis = &model.vis;
    let keyed = model.items.iter().filter_map(|item| match item {
        Item::Event(event) => Some((&event.ident, "a pending event")),
        Item::Activity(activity) => Some((&activity.ident, "an instance of activity")),
        _ => None,
    });
    keyed
        .map(|(ident, what)| {
            let tag = crate::syntax::tag(&model.ident, ident);
            let key = format_ident!("{}{}Key", model.name(), variant(ident), span = ident.span());
            let doc = format!("The key of {what} `{}` of [`{}`].", text(ident), model.ident);
            quote! {
                #[doc(hidden)]
                #[allow(dead_code)]
                #vis enum #tag {}

                #[doc = #doc]
                #[allow(dead_code)]
                #vis type #key = #krate::Key<#tag>;
            }
        })
        .collect()
}

/// The type in which a state or tally is kept.
fn kept_type(model: &Model, over: &Over, ty: &Type) -> Type {
    let krate = &model.krate;
    let axes = over.axes.len();
    match (model.array_len(over), axes) {
        (_, 0) => ty.clone(),
        (Some(len), _) => syn::parse_quote!([#ty; #len]),
        (None, 1) if model.comes_and_goes(over) => {
            syn::parse_quote!(#krate::__private::std::vec::Vec<#ty>)
        }
        (None, 1) => syn::parse_quote!(#krate::__private::std::boxed::Box<[#ty]>),
        (None, axes) => syn::parse_quote!(#krate::Table<#ty, #axes>),
    }
}

/// The type in which a state is given at the start.
fn given_type(model: &Model, over: &Over, ty: &Type) -> Type {
    let krate = &model.krate;
    match model.array_len(over) {
        _ if over.is_single() => ty.clone(),
        Some(len) => syn::parse_quote!([#ty; #len]),
        None => syn::parse_quote!(#krate::__private::std::vec::Vec<#ty>),
    }
}

/// A field that uses the generics of a struct whose other fields may not.
pub(super) fn marker(model: &Model) -> TokenStream {
    match marker_type(model) {
        Some(ty) => quote!(#[doc(hidden)] pub __cr_marker: #ty,),
        None => TokenStream::new(),
    }
}

/// A type that uses the generics of the model, if it has some that a type could leave unused.
pub(super) fn marker_type(model: &Model) -> Option<TokenStream> {
    let krate = &model.krate;
    let uses: Vec<TokenStream> = model
        .generics
        .params
        .iter()
        .filter_map(|param| match param {
            GenericParam::Type(ty) => {
                let ident = &ty.ident;
                Some(quote!(#ident))
            }
            GenericParam::Lifetime(lifetime) => {
                let lifetime = &lifetime.lifetime;
                Some(quote!(&#lifetime ()))
            }
            _ => None,
        })
        .collect();
    (!uses.is_empty()).then(|| quote!(#krate::__private::core::marker::PhantomData<fn() -> (#(#uses,)*)>))
}

/// `__cr_marker: PhantomData,` where the struct has one.
pub(super) fn marker_value(model: &Model) -> TokenStream {
    let krate = &model.krate;
    if marker(model).is_empty() {
        TokenStream::new()
    } else {
        quote!(__cr_marker: #krate::__private::core::marker::PhantomData,)
    }
}

/// What users call on the model.
pub(super) fn public_methods(model: &Model) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let (vis, name) = (&model.vis, &model.ident);
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    quote! {
        #[allow(dead_code)]
        impl #impl_generics #name #type_generics #where_clause {
            /// Starts a simulation at time 0 with this seed.
            ///
            /// # Errors
            /// A param outside its range, or anything that goes wrong in an initial value, in
            /// `init`, or in the first evaluation of a clock.
            #vis fn start(
                self,
                __crt_seed: #private::core::primitive::u64,
            ) -> #private::core::result::Result<#private::Simulation<Self>, #private::SimError> {
                #private::Model::start_from(self, __crt_seed, 0, 0.0)
            }

            /// As `start`, at a time other than 0.
            ///
            /// # Errors
            /// As `start`; and if `time` is negative or not finite.
            #vis fn start_at(
                self,
                __crt_seed: #private::core::primitive::u64,
                __crt_time: #private::core::primitive::f64,
            ) -> #private::core::result::Result<#private::Simulation<Self>, #private::SimError> {
                #private::Model::start_from(self, __crt_seed, 0, __crt_time)
            }

            /// What depends on what, as derived at compile time.
            #[must_use]
            #vis fn graph() -> #private::graph::Graph {
                <Self as #private::Model>::graph()
            }
        }
    }
}

/// The tokens of `vis` at another place.
fn respanned(vis: &syn::Visibility, span: Span) -> TokenStream {
    quote!(#vis)
        .into_iter()
        .map(|mut token| {
            token.set_span(span);
            token
        })
        .collect()
}
