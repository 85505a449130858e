//! How a simulation begins: checks, constants, initial values, `init`.

use proc_macro2::TokenStream;
use quote::quote;

use super::Cx;
use super::bodies::{function, init_function};
use super::refresh::memory;
use super::types::{self, text};
use crate::plan::Seat;
use crate::resolve::{PlaceKind, Timing, constant_handle};

/// What the clocks remember, and the constants.
pub(super) fn clocks_struct(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let name = cx.clocks_type();
    let (generics, where_clause) = (&cx.model.generics, &cx.model.generics.where_clause);
    let mut fields = TokenStream::new();
    if !cx.plan.leaves.is_empty() {
        let len = cx.plan.tree_len();
        let array = quote!([#private::core::primitive::f64; #len]);
        let rates = if cx.plan.unrolled { array } else { quote!(#private::std::boxed::Box<#array>) };
        fields.extend(quote!(race: #private::Race, rates: #rates,));
    }
    if !cx.plan.slots.is_empty() {
        let slots = cx.plan.slots.len();
        let fine = cx.plan.fine;
        let times = if cx.plan.scanned { quote!(Scan<#fine, #slots>) } else { quote!(PairTree<#fine>) };
        fields.extend(quote!(times: #private::times::#times,));
    }
    for &clock in &cx.plan.slots {
        let clock = &cx.resolved.clocks[clock];
        let (memory, (ty, _)) = (memory(clock), timing_type(&clock.timing));
        fields.extend(quote!(#memory: #private::timing::#ty,));
    }
    for constant in &cx.resolved.constants {
        let handle = constant_handle(&constant.ident);
        let ty = match &constant.ty {
            Some(ty) if crate::resolve::is_number(ty) => quote!(#ty),
            Some(ty) => quote!(#private::Fixed<#ty>),
            None => quote!(#private::Constant),
        };
        fields.extend(quote!(#handle: #ty,));
    }
    let marker = types::marker(cx.model);
    quote! {
        #[derive(#private::core::clone::Clone, #private::core::fmt::Debug)]
        #[allow(unreachable_pub)]
        #[doc(hidden)]
        pub struct #name #generics #where_clause {
            #fields
            #marker
        }
    }
}

/// The type of what a timed clock remembers, and its first value.
fn timing_type(timing: &Timing) -> (TokenStream, TokenStream) {
    match timing {
        Timing::Rate(_) => (quote!(Exponential), quote!(OFF)),
        Timing::At(_) => (quote!(At), quote!(NEW)),
        Timing::After { resume: false, speed: None, .. } => (quote!(Delay), quote!(OFF)),
        Timing::After { .. } => (quote!(Work), quote!(OFF)),
        Timing::Every { .. } => (quote!(Every), quote!(NEW)),
    }
}

/// `Model::start_from`.
pub(super) fn start_from(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let [state, ..] = types::names(cx.model);
    let clocks_type = cx.clocks_type();
    let marker = types::marker_value(cx.model);
    let result = cx.result(&quote!(#private::Simulation<Self>), "SimError");
    let ranges = ranges(cx);
    let constants = constants(cx);
    let constant_fields = cx.resolved.constants.iter().map(|constant| constant_handle(&constant.ident));
    let (state_values, state_fields) = states(cx);
    let mut clocks = TokenStream::new();
    if !cx.plan.leaves.is_empty() {
        let len = cx.plan.tree_len();
        let array = quote!([0.0; #len]);
        let rates = if cx.plan.unrolled { array } else { quote!(#private::std::boxed::Box::new(#array)) };
        clocks.extend(quote!(race: #private::Race::IDLE, rates: #rates,));
    }
    if !cx.plan.slots.is_empty() {
        let slots = cx.plan.slots.len();
        let times = if cx.plan.scanned { quote!(Scan::new()) } else { quote!(PairTree::new(#slots)) };
        clocks.extend(quote!(times: #private::times::#times,));
    }
    for (number, clock) in cx.resolved.clocks.iter().enumerate() {
        if matches!(cx.plan.seats[number], Seat::Slot(_)) {
            let memory = memory(clock);
            let (ty, first) = timing_type(&clock.timing);
            clocks.extend(quote!(#memory: #private::timing::#ty::#first,));
        }
    }
    let init = cx.resolved.init.as_ref().map(|init| {
        let call = cx.call(&init_function(), &init.access, "init");
        quote!(#call;)
    });
    quote! {
        fn start_from(
            self,
            __crt_seed: #private::core::primitive::u64,
            __crt_stream: #private::core::primitive::u64,
            __crt_start: #private::core::primitive::f64,
        ) -> #result {
            let __crt_model = self;
            #ranges
            let mut __crt_rng = #private::stream(__crt_seed, __crt_stream);
            #constants
            #state_values
            let __crt_state = #state { #state_fields #marker };
            let __crt_clocks = #clocks_type { #clocks #(#constant_fields,)* #marker };
            let __crt_checked = #private::core::cfg!(debug_assertions);
            let mut __crt_engine = #private::Engine::new(__crt_model, __crt_state, __crt_clocks, __crt_rng, __crt_start, __crt_checked)?;
            let __crt_e = &mut __crt_engine.active();
            #init
            <Self as #private::Model>::refresh_all(__crt_e)?;
            #private::core::result::Result::Ok(#private::Simulation::from_engine(__crt_engine))
        }
    }
}

/// Calls an initial-value function before there is an engine.
fn initial(cx: &Cx<'_>, part: &str, ident: &syn::Ident, access: &crate::resolve::Access) -> TokenStream {
    let arguments = cx.arguments(
        access,
        |place| {
            let place = &cx.resolved.places[place];
            let ident = &place.ident;
            if place.is_state() {
                let local = quote::format_ident!("__crt_state_{}", place.name());
                quote!(#local)
            } else {
                quote!(__crt_model.#ident)
            }
        },
        |handle| quote!(#handle),
        &quote!(__crt_start),
        &quote!(__crt_rng),
    );
    let (name, whose) = (function(part, ident), text(ident));
    quote!(Self::#name(#(#arguments),*).map_err(|__crt_fault| __crt_fault.at(__crt_start, #whose))?)
}

fn constants(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    cx.resolved
        .constants
        .iter()
        .map(|constant| {
            let handle = constant_handle(&constant.ident);
            let body = &constant.value;
            match &constant.ty {
                Some(ty) => {
                    let value = initial(cx, "constant", &constant.ident, &body.access);
                    if crate::resolve::is_number(ty) {
                        quote!(let #handle = #value;)
                    } else {
                        quote!(let #handle = #private::Fixed::new(#value);)
                    }
                }
                None => {
                    let (tokens, whose) = (&body.tokens, text(&constant.ident));
                    let value = quote! {
                        #handle.get(|| #private::core::result::Result::Ok(#tokens))?;
                        #private::core::result::Result::Ok(())
                    };
                    let evaluate = before_the_engine(cx, &body.access, &value, &whose);
                    quote!(let #handle = #private::Constant::new(); #evaluate)
                }
            }
        })
        .collect()
}

/// Evaluates `value` over places that have a value before there is an engine.
fn before_the_engine(cx: &Cx<'_>, access: &crate::resolve::Access, value: &TokenStream, whose: &str) -> TokenStream {
    let private = &cx.private;
    let handles = access.places().map(|place| crate::resolve::handle(&cx.resolved.places[place].ident));
    let constants = access.constants.iter().filter_map(|&number| {
        let constant = &cx.resolved.constants[number];
        let handle = constant_handle(&constant.ident);
        constant.ty.as_ref().map(|_| quote!(let #handle = #private::Read::new(&#handle);))
    });
    let values = access.places().map(|place| {
        let ident = &cx.resolved.places[place].ident;
        quote!(#private::Read::new(&__crt_model.#ident))
    });
    quote! {
        (|| -> #private::core::result::Result<(), #private::Fault> {
            #(let #handles = #values;)*
            #(#constants)*
            #value
        })().map_err(|__crt_fault| __crt_fault.at(__crt_start, #whose))?;
    }
}

/// Local variables with the initial values, and the fields they go to.
fn states(cx: &Cx<'_>) -> (TokenStream, TokenStream) {
    let private = &cx.private;
    let mut values = TokenStream::new();
    let mut fields = TokenStream::new();
    for place in cx.resolved.places.iter().filter(|place| place.is_state()) {
        let ident = &place.ident;
        let local = quote::format_ident!("__crt_state_{}", place.name());
        let value = match &place.initial {
            Some(body) => initial(cx, "initial", ident, &body.access),
            None => quote!(#private::core::clone::Clone::clone(&__crt_model.#ident)),
        };
        values.extend(quote!(let #local = #value;));
        fields.extend(quote!(#ident: #local,));
    }
    (values, fields)
}

/// Checks of params against their ranges, and of floats against NaN.
fn ranges(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let mut out = TokenStream::new();
    for place in &cx.resolved.places {
        let PlaceKind::Param { range } = &place.kind else { continue };
        let (ident, name) = (&place.ident, place.name());
        match range {
            Some((body, written)) => {
                let expected = format!("expected within {written}");
                let tokens = &body.tokens;
                let check = quote! {
                    let __crt_range = #tokens;
                    #private::check_param(#name, &__crt_model.#ident, &__crt_range, #expected)
                };
                out.extend(before_the_engine(cx, &body.access, &check, &name));
            }
            None if crate::resolve::is_float(&place.ty) => out.extend(quote! {
                #private::check_number(#name, __crt_model.#ident.is_nan()).map_err(|__crt_fault| __crt_fault.at(__crt_start, #name))?;
            }),
            None => {}
        }
    }
    out
}

/// `Model::initial_tallies`.
pub(super) fn initial_tallies(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let [_, _, tallies, _] = types::names(cx.model);
    let result = cx.result(&quote!(Self::Tallies), "SimError");
    let marker = types::marker_value(cx.model);
    let fields = cx.resolved.places.iter().filter(|place| matches!(place.kind, PlaceKind::Tally)).map(|place| {
        let ident = &place.ident;
        let value = place.initial.as_ref().map(|body| initial(cx, "initial", ident, &body.access));
        quote!(#ident: #value,)
    });
    quote! {
        fn initial_tallies(__crt_model: &Self, __crt_start: #private::core::primitive::f64) -> #result {
            #private::core::result::Result::Ok(#tallies { #(#fields)* #marker })
        }
    }
}

/// `Default`, if every param has one and no state is an input.
pub(super) fn default_impl(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let derived = cx.model.options.derives.iter().any(|attr| quote!(#attr).to_string().contains("Default"));
    let given: Vec<_> = cx.resolved.places.iter().filter(|place| place.is_given()).collect();
    if derived || given.iter().any(|place| place.initial.is_none()) {
        return TokenStream::new();
    }
    let name = &cx.model.ident;
    let (impl_generics, type_generics, where_clause) = cx.model.generics.split_for_impl();
    let fields = given.iter().map(|place| &place.ident);
    let values = given.iter().map(|place| {
        let (ident, body) = (&place.ident, place.initial.as_ref());
        let local = quote::format_ident!("__crt_param_{}", place.name());
        let arguments = body.map(|body| {
            cx.arguments(
                &body.access,
                |other| {
                    let local = quote::format_ident!("__crt_param_{}", cx.resolved.places[other].name());
                    quote!(#local)
                },
                |handle| quote!(#handle),
                &quote!(0.0),
                &quote!(__crt_rng),
            )
        });
        let arguments = arguments.into_iter().flatten();
        let function = function("initial", ident);
        let message = format!("the default of `{}` failed", place.name());
        quote!(let #local = #private::core::result::Result::expect(Self::#function(#(#arguments),*), #message);)
    });
    let locals = given.iter().map(|place| quote::format_ident!("__crt_param_{}", place.name()));
    quote! {
        #[cfg(not(rust_analyzer))]
        impl #impl_generics #private::core::default::Default for #name #type_generics #where_clause {
            fn default() -> Self {
                #(#values)*
                #name { #(#fields: #locals,)* }
            }
        }
    }
}
