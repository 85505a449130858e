//! Plan → tokens, one file for each part of the output.

mod bodies;
mod editor;
mod fallback;
mod happen;
mod refresh;
mod report;
mod start;
mod types;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

pub(crate) use fallback::fallback;

use crate::graph::Graph;
use crate::plan::Plan;
use crate::resolve::{Access, PlaceKind, Resolved};
use crate::syntax::Model;

/// Everything that emission looks at.
struct Cx<'a> {
    model: &'a Model,
    resolved: &'a Resolved,
    graph: &'a Graph,
    plan: &'a Plan,
    /// The hidden module of the runtime, under its name in the generated block.
    private: TokenStream,
}

/// The whole expansion.
pub(crate) fn emit(model: &Model, resolved: &Resolved, graph: &Graph, plan: &Plan) -> TokenStream {
    let krate = &model.krate;
    let cx = Cx { model, resolved, graph, plan, private: quote!(__cr) };
    let editor = editor::editor(model);
    let types = types::types(model, Some(&report::table(graph)));
    let public = types::public_methods(model);
    let private = &cx.private;
    let name = &model.ident;
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let bodies = bodies::bodies(&cx);
    let refresh = refresh::functions(&cx);
    let happen = happen::functions(&cx);
    let clocks_struct = start::clocks_struct(&cx);
    let default_impl = start::default_impl(&cx);
    let model_impl = model_impl(&cx);
    let lints = lints();
    quote! {
        #editor
        #types
        #public
        #[allow(unexpected_cfgs)]
        #lints
        const _: () = {
            // Lets cargo build again when the expansion is asked for.
            const _: #private::core::option::Option<&#private::core::primitive::str> =
                #private::core::option_env!("CLOCKRACE_EXPAND");
            #[allow(unused_imports)]
            use #krate::__private as __cr;
            #[cfg(not(rust_analyzer))]
            #[allow(unused_imports)]
            use __cr::{
                Distribution as _, IndexedMutRandom as _, IndexedRandom as _, IteratorRandom as _, KeepCopy as _,
                KeepNothing as _, Model as _, RngExt as _, SliceRandom as _,
                arith::{
                    CheckedAdd as _, CheckedAddAssign as _, CheckedMul as _, CheckedMulAssign as _, CheckedSub as _,
                    CheckedSubAssign as _, PlainAdd as _, PlainAddAssign as _, PlainMul as _, PlainMulAssign as _,
                    PlainSub as _, PlainSubAssign as _, TextAdd as _,
                },
            };
            #[cfg(not(rust_analyzer))]
            #clocks_struct
            #[cfg(not(rust_analyzer))]
            impl #impl_generics #name #type_generics #where_clause {
                #bodies
                #refresh
                #happen
            }
            #default_impl
            #[cfg(not(rust_analyzer))]
            #model_impl
        };
    }
}

/// What generated code may do that a person's should not.
fn lints() -> TokenStream {
    quote! {
        #[allow(
            unused_parens, unused_braces, non_snake_case, deprecated, clippy::too_many_arguments, clippy::too_many_lines,
            clippy::needless_borrow, clippy::needless_borrows_for_generic_args, clippy::explicit_auto_deref,
            clippy::borrow_deref_ref, clippy::deref_addrof, clippy::redundant_closure_call, clippy::let_unit_value,
            clippy::unit_arg, clippy::double_parens, clippy::unnecessary_cast, clippy::match_single_binding,
            clippy::question_mark, clippy::useless_conversion, clippy::large_types_passed_by_value,
            clippy::needless_pass_by_value, clippy::unnecessary_wraps, clippy::inline_always, clippy::float_cmp,
            clippy::blocks_in_conditions, clippy::nonminimal_bool, clippy::items_after_statements,
            clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss,
            clippy::cast_possible_wrap, clippy::cast_lossless, clippy::needless_return, clippy::ptr_arg, clippy::semicolon_if_nothing_returned
        )]
    }
}

fn model_impl(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let model = cx.model;
    let name = &model.ident;
    let text = model.name();
    let [state, event, tallies, observed] = types::names(model);
    let clocks = cx.clocks_type();
    let (impl_generics, type_generics, where_clause) = model.generics.split_for_impl();
    let outputs = cx.resolved.observes.iter().filter(|o| o.numeric).map(|o| types::text(&o.ident));
    let stops = cx.resolved.conditions.iter().filter(|c| c.stop).map(|c| types::text(&c.ident));
    let event_names = cx.resolved.clocks.iter().map(|clock| {
        let (variant, text) = (crate::resolve::variant(&clock.ident), types::text(&clock.ident));
        quote!(#event::#variant => #text)
    });
    let event_names = if cx.resolved.clocks.is_empty() {
        quote!(match __crt_event {})
    } else {
        quote!(match __crt_event { #(#event_names,)* })
    };
    let graph = report::graph(cx);
    let start_from = start::start_from(cx);
    let tallies_fn = start::initial_tallies(cx);
    let refresh_all = refresh::all(cx);
    let next = happen::next(cx);
    let fire = happen::fire(cx);
    let event_at = happen::event_at(cx);
    let observe = report::observe(cx);
    quote! {
        impl #impl_generics #private::Model for #name #type_generics #where_clause {
            type State = #state #type_generics;
            type Tallies = #tallies #type_generics;
            type Observed = #observed #type_generics;
            type Event = #event;
            type Clocks = #clocks #type_generics;

            const NAME: &'static #private::core::primitive::str = #text;
            const OUTPUTS: &'static [&'static #private::core::primitive::str] = &[#(#outputs),*];
            const STOPS: &'static [&'static #private::core::primitive::str] = &[#(#stops),*];

            #graph

            fn event_name(__crt_event: #event) -> &'static #private::core::primitive::str {
                #event_names
            }

            #start_from
            #tallies_fn
            #refresh_all
            #next
            #event_at
            #fire
            #observe
        }
    }
}

impl Cx<'_> {
    fn clocks_type(&self) -> Ident {
        format_ident!("__Cr{}Clocks", self.model.name())
    }

    /// The type of the engine.
    fn engine(&self) -> TokenStream {
        let private = &self.private;
        quote!(#private::Active<'_, Self>)
    }

    /// `Result<value, error>`.
    fn result(&self, value: &TokenStream, error: &str) -> TokenStream {
        let private = &self.private;
        let error = Ident::new(error, Span::call_site());
        quote!(#private::core::result::Result<#value, #private::#error>)
    }

    /// Parameters of a function over what `access` touches.
    fn parameters(&self, access: &Access) -> Vec<TokenStream> {
        let private = &self.private;
        let mut parameters = Vec::new();
        for (place, write) in access.modes() {
            let place = &self.resolved.places[place];
            let (handle, ty) = (crate::resolve::handle(&place.ident), &place.ty);
            parameters.push(if write { quote!(#handle: &mut #ty) } else { quote!(#handle: #private::Read<'_, #ty>) });
        }
        for &number in &access.constants {
            let constant = &self.resolved.constants[number];
            let handle = crate::resolve::constant_handle(&constant.ident);
            parameters.push(match &constant.ty {
                Some(ty) => quote!(#handle: #private::Read<'_, #ty>),
                None => quote!(#handle: &#private::Constant),
            });
        }
        if access.now.is_some() {
            parameters.push(quote!(__cr_now: #private::core::primitive::f64));
        }
        if access.rng.is_some() {
            parameters.push(quote!(__cr_rng: &mut #private::Rng));
        }
        parameters
    }

    /// Arguments for those parameters. `at` says where a place is, `constant` where a constant.
    fn arguments(
        &self,
        access: &Access,
        at: impl Fn(usize) -> TokenStream,
        constant: impl Fn(&Ident) -> TokenStream,
        now: &TokenStream,
        rng: &TokenStream,
    ) -> Vec<TokenStream> {
        let private = &self.private;
        let mut arguments = Vec::new();
        for (place, write) in access.modes() {
            let at = at(place);
            arguments.push(if write { quote!(&mut #at) } else { quote!(#private::Read::new(&#at)) });
        }
        for &number in &access.constants {
            let value = &self.resolved.constants[number];
            let at = constant(&crate::resolve::constant_handle(&value.ident));
            arguments.push(if value.ty.is_some() { quote!(#private::Read::new(&#at)) } else { quote!(&#at) });
        }
        if access.now.is_some() {
            arguments.push(now.clone());
        }
        if access.rng.is_some() {
            arguments.push(quote!(&mut #rng));
        }
        arguments
    }

    /// Where a place is in engine `e`.
    fn in_engine(&self, place: usize) -> TokenStream {
        let place = &self.resolved.places[place];
        let ident = &place.ident;
        match place.kind {
            PlaceKind::Param { .. } => quote!(__crt_e.model.#ident),
            PlaceKind::State { .. } => quote!(__crt_e.state.#ident),
            PlaceKind::Tally => quote!(__crt_e.tallies.#ident),
        }
    }

    /// Calls `function` on engine `e`; a failure is one of item `whose`.
    fn call(&self, function: &Ident, access: &Access, whose: &str) -> TokenStream {
        let now = quote!(__crt_e.progress.now);
        let outcome = self.called(function, access, &now);
        or_fail(&outcome, whose)
    }

    /// The same on a view.
    fn call_on_view(&self, function: &Ident, access: &Access, whose: &str) -> TokenStream {
        let outcome = self.called(function, access, &quote!(__crt_e.now));
        or_return(&outcome, &quote!(__crt_e.now), whose)
    }

    fn called(&self, function: &Ident, access: &Access, now: &TokenStream) -> TokenStream {
        let arguments = self.arguments(
            access,
            |place| self.in_engine(place),
            |handle| quote!(__crt_e.clocks.#handle),
            now,
            &quote!(__crt_e.rng),
        );
        quote!(Self::#function(#(#arguments),*))
    }

    /// How much is inlined: everything in a small model, what the optimiser likes in a large one.
    fn inline(&self) -> TokenStream {
        let edges: usize = self.plan.steps.iter().map(|step| step.refresh.len()).sum();
        if self.plan.inlined && edges <= 128 { quote!(#[inline(always)]) } else { quote!(#[inline]) }
    }
}

/// The value of `outcome`; a failure is one of item `whose`.
fn or_fail(outcome: &TokenStream, whose: &str) -> TokenStream {
    or_return(outcome, &quote!(__crt_e.progress.now), whose)
}

/// The value of `outcome`, or return with its failure as one of item `whose` at time `now`. A
/// closure would do the same, and cost the compiler a fifth of its time.
fn or_return(outcome: &TokenStream, now: &TokenStream, whose: &str) -> TokenStream {
    quote! {
        match #outcome {
            __cr::core::result::Result::Ok(__crt_value) => __crt_value,
            __cr::core::result::Result::Err(__crt_fault) => {
                return __cr::core::result::Result::Err(__crt_fault.at(#now, #whose));
            }
        }
    }
}
