//! What a block with errors becomes: the same types, methods that exist, and the errors behind
//! them, so that the rest of the user's crate keeps compiling.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::types;
use crate::errors::Errors;
use crate::resolve::variant;
use crate::syntax::{Item, Model};

/// What rust-analyzer sees first, types, stubs and errors, in this order: with the errors in front,
/// completion in the block would be lost.
pub(crate) fn fallback(model: &Model, errors: Errors) -> TokenStream {
    let errors = errors.into_tokens();
    if duplicates(model) {
        // The types themselves would not compile; one mistake gives one message.
        return errors;
    }
    let editor = super::editor::editor(model);
    let types = types::types(model, None);
    let public = types::public_methods(model);
    let stubs = stub_impls(model, &quote!(#[cfg(not(rust_analyzer))]));
    quote! {
        #editor
        #types
        #public
        #[allow(unexpected_cfgs)]
        const _: () = {
            #stubs
        };
        #errors
    }
}

/// `Model` and `Default` without anything inside, each configured as `cfg` says.
pub(super) fn stub_impls(model: &Model, cfg: &TokenStream) -> TokenStream {
    let krate = &model.krate;
    let private = quote!(#krate::__private);
    let name = &model.ident;
    let text = model.name();
    let [state, event, tallies, observed] = types::names(model);
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let stub = quote!({ #private::std::panic!("the model has compile errors") });
    let sim_error = quote!(#private::SimError);
    let result = quote!(#private::core::result::Result);
    let default = default_stub(model, &stub).map(|default| quote!(#cfg #default));
    let events = model.items.iter().any(|item| matches!(item, Item::Event(_)));
    let message = types::message(model);
    let ticks = model
        .options
        .ticks
        .then(|| quote!(#cfg impl #impl_generics #private::Ticks for #name #type_generics #where_clause {}));
    let receives = events.then(|| {
        quote! {
            #cfg
            #[allow(unused_variables)]
            impl #impl_generics #private::Receives for #name #type_generics #where_clause {
                type Message = #message #type_generics;
                fn deliver(
                    __crt_engine: &mut #private::Active<'_, Self>,
                    __crt_at: #private::core::primitive::f64,
                    __crt_message: Self::Message,
                ) -> #result<#private::Scheduled, #sim_error> #stub
                fn take_out(
                    __crt_engine: &mut #private::Active<'_, Self>,
                    __crt_scheduled: #private::Scheduled,
                ) -> #result<#private::core::option::Option<Self::Message>, #sim_error> #stub
            }
        }
    });
    let receives = quote!(#receives #ticks);
    quote! {
            #cfg
        #[allow(unused_variables)]
            impl #impl_generics #private::Model for #name #type_generics #where_clause {
                type State = #state #type_generics;
                type Tallies = #tallies #type_generics;
                type Observed = #observed #type_generics;
                type Event = #event;
                type Clocks = ();

                const NAME: &'static #private::core::primitive::str = #text;
                const OUTPUTS: &'static [&'static #private::core::primitive::str] = &[];
                const STOPS: &'static [&'static #private::core::primitive::str] = &[];
                const TICKS: #private::core::primitive::bool = false;
                type Shown<'__cr_a> = &'__cr_a #state #type_generics where Self: '__cr_a;
                const TRACKS: &'static [#private::Track] = &[];
                const OUTPUTS_MOVE: #private::core::primitive::bool = false;

                fn graph() -> #private::graph::Graph #stub
                fn event_name(__crt_event: #event) -> &'static #private::core::primitive::str #stub
                fn event_index(
                    __crt_event: #event,
                ) -> #private::std::vec::Vec<#private::core::primitive::usize> #stub
                fn start_from(
                    self,
                    __crt_seed: #private::core::primitive::u64,
                    __crt_stream: #private::core::primitive::u64,
                    __crt_start: #private::core::primitive::f64,
                ) -> #result<#private::Simulation<Self>, #sim_error> #stub
                fn initial_tallies(
                    __crt_model: &Self,
                    __crt_clocks: &Self::Clocks,
                    __crt_now: #private::core::primitive::f64,
                ) -> #result<Self::Tallies, #sim_error> #stub
                fn refresh_all(__crt_engine: &mut #private::Active<'_, Self>) -> #result<(), #sim_error> #stub
                fn next(__crt_clocks: &Self::Clocks) -> #private::Next #stub
                fn name_at(
                    __crt_clocks: &Self::Clocks,
                    __crt_next: #private::Next,
                ) -> (
                    &'static #private::core::primitive::str,
                    #private::std::vec::Vec<#private::core::primitive::usize>,
                ) #stub
                fn fire(
                    __crt_engine: &mut #private::Active<'_, Self>,
                    __crt_next: #private::Next,
                ) -> #result<#private::core::option::Option<#event>, #sim_error> #stub
                fn shown<'__cr_a>(__crt_view: #private::View<'__cr_a, Self>) -> #result<Self::Shown<'__cr_a>, #sim_error> #stub
                fn anchor(__crt_engine: &mut #private::Active<'_, Self>) -> #result<(), #sim_error> #stub
                fn broken_bounds(
                    __crt_clocks: &Self::Clocks,
                ) -> #private::std::vec::Vec<(&'static #private::core::primitive::str, #private::core::primitive::u64)> #stub
                fn track_sizes(
                    __crt_view: #private::View<'_, Self>,
                    __crt_track: usize,
                ) -> #private::std::vec::Vec<#private::core::primitive::usize> #stub
                fn track_at(
                    __crt_view: #private::View<'_, Self>,
                    __crt_track: usize,
                    __crt_member: usize,
                ) -> #result<#private::core::primitive::f64, #sim_error> #stub
                fn track_course(
                    __crt_view: #private::View<'_, Self>,
                    __crt_track: usize,
                    __crt_member: usize,
                ) -> #result<[#private::core::primitive::f64; 3], #sim_error> #stub
                fn track_since(
                    __crt_view: #private::View<'_, Self>,
                    __crt_track: usize,
                    __crt_member: usize,
                ) -> #private::core::primitive::f64 #stub
                fn moved(
                    __crt_view: #private::View<'_, Self>,
                    __crt_event: #event,
                    __crt_each: &mut dyn #private::core::ops::FnMut(usize, usize),
                ) #stub
                fn copy_track(
                    __crt_view: #private::View<'_, Self>,
                    __crt_track: usize,
                    __crt_member: usize,
                    __crt_state: &mut Self::State,
                    __crt_clocks: &mut Self::Clocks,
                ) #stub
                fn observe(
                    __crt_view: #private::View<'_, Self>,
                    ) -> #result<Self::Observed, #sim_error> #stub
                fn outputs(
                    __crt_view: #private::View<'_, Self>,
                    __crt_into: &mut [#private::core::primitive::f64],
                ) -> #result<(), #sim_error> #stub
                fn output_count(__crt_view: #private::View<'_, Self>) -> #private::core::primitive::usize #stub
                fn output_names(
                    __crt_view: #private::View<'_, Self>,
                ) -> #private::std::vec::Vec<#private::std::string::String> #stub
            }
            #receives
            #default
    }
}

/// `Default` where the model has one.
fn default_stub(model: &Model, stub: &TokenStream) -> Option<TokenStream> {
    let krate = &model.krate;
    let all = model.items.iter().all(|item| match item {
        Item::Param(param) => param.default.is_some(),
        Item::State(state) => state.initial.is_some(),
        _ => true,
    });
    let derived = model.options.derives.iter().any(|attr| quote!(#attr).to_string().contains("Default"));
    let name = &model.ident;
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    (all && !derived).then(|| {
        quote! {
            impl #impl_generics #krate::__private::core::default::Default for #name #type_generics #where_clause {
                fn default() -> Self #stub
            }
        }
    })
}

/// Whether two fields or variants have one name.
fn duplicates(model: &Model) -> bool {
    let mut seen: Vec<String> = Vec::new();
    model.items.iter().any(|item| {
        let name = match item {
            Item::Param(p) => format!("value {}", types::text(&p.ident)),
            Item::State(s) => format!("value {}", types::text(&s.ident)),
            Item::Tally(t) => format!("value {}", types::text(&t.ident)),
            Item::Clock(c) => format!("event {}", variant(&c.ident)),
            Item::Reaction(r) => format!("event {}", variant(&r.ident)),
            Item::Event(e) => format!("event {}", variant(&e.ident)),
            Item::Activity(a) => format!("event {}", variant(&a.ident)),
            Item::Observe(o) => format_ident!("output_{}", types::text(&o.ident)).to_string(),
            _ => return false,
        };
        let duplicate = seen.contains(&name);
        seen.push(name);
        duplicate
    })
}
