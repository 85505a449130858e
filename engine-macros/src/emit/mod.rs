//! Plan → tokens, one file for each part of the output.

mod activity;
mod bodies;
mod editor;
mod fallback;
mod family;
mod flow;
mod happen;
mod refresh;
mod report;
mod routes;
mod schedule;
mod start;
mod types;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

pub(crate) use fallback::fallback;

use family::Whose;

use crate::graph::Graph;
use crate::plan::Plan;
use crate::resolve::{Access, Family, Need, Resolved};
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

/// Where generated code runs, which decides how things are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Site {
    /// On an engine at work, `__crt_e`.
    Engine,
    /// On a view, `__crt_e`.
    View,
    /// At the start, before there is an engine.
    Start,
    /// Where tallies get their first values.
    Tallies,
    /// Where params get their defaults.
    Default,
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
    let flows = flow::functions(&cx);
    let refresh = refresh::functions(&cx);
    let happen = happen::functions(&cx);
    let clocks_struct = start::clocks_struct(&cx);
    let default_impl = start::default_impl(&cx);
    let model_impl = model_impl(&cx);
    let receives = schedule::receives(&cx);
    let scheduled = schedule::functions(&cx);
    let (structs, activities) = (activity::structs(&cx), activity::functions(&cx));
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
                KeepCopyAll as _, KeepCopyAt as _, KeepNothing as _, KeepNothingAll as _, KeepNothingAt as _, Model as _, RngExt as _, SliceRandom as _,
                arith::{
                    CheckedAdd as _, CheckedAddAssign as _, CheckedMul as _, CheckedMulAssign as _, CheckedSub as _,
                    CheckedSubAssign as _, PlainAdd as _, PlainAddAssign as _, PlainMul as _, PlainMulAssign as _,
                    PlainSub as _, PlainSubAssign as _, TextAdd as _,
                },
                family::{NoteCopy as _, NoteNothing as _},
            };
            #structs
            #[cfg(not(rust_analyzer))]
            #clocks_struct
            #[cfg(not(rust_analyzer))]
            impl #impl_generics #name #type_generics #where_clause {
                #bodies
                #flows
                #refresh
                #happen
                #scheduled
                #activities
            }
            #default_impl
            #[cfg(not(rust_analyzer))]
            #model_impl
            #receives
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
            clippy::cast_possible_wrap, clippy::cast_lossless, clippy::needless_range_loop, clippy::identity_op,
            clippy::range_plus_one, clippy::no_effect, clippy::absurd_extreme_comparisons, clippy::single_element_loop, clippy::needless_return, clippy::ptr_arg, clippy::semicolon_if_nothing_returned
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
    let rings = || {
        let own = |clock: &&crate::resolve::Clock| {
            clock.happens() && !matches!(clock.timing, crate::resolve::Timing::Step { .. })
        };
        cx.resolved.clocks.iter().filter(own)
    };
    let activities = || cx.resolved.activities.iter().map(|activity| crate::resolve::variant(&activity.ident));
    let activity_names = cx.activities().map(|of| {
        let (variant, name) = (crate::resolve::variant(&of.activity.ident), &of.name);
        quote!(#event::#variant(_) => #name)
    });
    let activity_indices =
        activities().map(|variant| quote!(#event::#variant(__crt_0) => #private::std::vec![__crt_0],));
    let event_names = rings().map(|clock| {
        let (variant, text) = (crate::resolve::variant(&clock.ident), types::text(&clock.ident));
        let rest = (!clock.indices().is_empty()).then(|| quote!((..)));
        quote!(#event::#variant #rest => #text)
    });
    let event_indices = rings().filter(|clock| !clock.indices().is_empty()).map(|clock| {
        let variant = crate::resolve::variant(&clock.ident);
        let indices: Vec<Ident> = (0..clock.indices().len()).map(|i| format_ident!("__crt_{i}")).collect();
        quote!(#event::#variant(#(#indices),*) => #private::std::vec![#(#indices),*],)
    });
    let single = rings().any(|clock| clock.indices().is_empty());
    let single = single.then(|| quote!(_ => #private::std::vec::Vec::new(),));
    let (event_names, event_indices) = if cx.resolved.clocks.is_empty() {
        (quote!(match __crt_event {}), quote!(match __crt_event {}))
    } else {
        (
            quote!(match __crt_event { #(#event_names,)* #(#activity_names,)* }),
            quote!(match __crt_event { #(#event_indices)* #(#activity_indices)* #single }),
        )
    };
    let ticks = model.options.ticks;
    let counts = ticks.then(|| quote!(#[cfg(not(rust_analyzer))] impl #impl_generics #private::Ticks for #name #type_generics #where_clause {}));
    let graph = report::graph(cx);
    let start_from = start::start_from(cx);
    let tallies_fn = start::initial_tallies(cx);
    let refresh_all = refresh::all(cx);
    let next = happen::next(cx);
    let fire = happen::fire(cx);
    let name_at = happen::name_at(cx);
    let observe = report::observe(cx);
    let (associated, flows) = (flow::associated(cx), flow::model_functions(cx));
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
            const TICKS: #private::core::primitive::bool = #ticks;
            #associated

            #graph

            fn event_name(__crt_event: #event) -> &'static #private::core::primitive::str {
                #event_names
            }

            fn event_index(__crt_event: #event) -> #private::std::vec::Vec<#private::core::primitive::usize> {
                #event_indices
            }

            #start_from
            #tallies_fn
            #refresh_all
            #next
            #name_at
            #fire
            #observe
            #flows
        }

        #counts
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
        access
            .needs()
            .into_iter()
            .filter(|need| !self.is_in_schedule(need))
            .map(|need| match need {
                Need::Schedule { write } => {
                    let ty = self.schedule_type();
                    if write { quote!(__cr_schedule: &mut #ty) } else { quote!(__cr_schedule: #private::Read<'_, #ty>) }
                }
                Need::Place { place, write } => {
                    let place = &self.resolved.places[place];
                    let (handle, ty) = (crate::resolve::handle(&place.ident), &place.ty);
                    let ty = match (place.family.is_single(), place.grows) {
                        (true, _) => quote!(#ty),
                        (false, true) => quote!(#private::std::vec::Vec<#ty>),
                        (false, false) => quote!([#ty]),
                    };
                    if write { quote!(#handle: &mut #ty) } else { quote!(#handle: #private::Read<'_, #ty>) }
                }
                Need::Constant(number) => {
                    let constant = &self.resolved.constants[number];
                    let handle = crate::resolve::constant_handle(&constant.ident);
                    match &constant.ty {
                        Some(ty) if !constant.family.is_single() => quote!(#handle: #private::Read<'_, [#ty]>),
                        Some(ty) => quote!(#handle: #private::Read<'_, #ty>),
                        None => quote!(#handle: &#private::Constant),
                    }
                }
                Need::Set(set) => {
                    let size = crate::resolve::size_handle(&self.resolved.sets[set].ident);
                    quote!(#size: usize)
                }
                Need::Relation(relation) => {
                    let handle = crate::resolve::handle(&self.resolved.relations[relation].ident);
                    let ty = self.relation_type(relation);
                    quote!(#handle: #private::Read<'_, #ty>)
                }
                Need::Pair => {
                    let pair = crate::resolve::pair_handle();
                    quote!(#pair: usize)
                }
                Need::Trace(place) => {
                    let trace = crate::resolve::trace_handle(&self.resolved.places[place].ident);
                    quote!(#trace: &#private::family::Trace)
                }
                Need::Log(place) => {
                    let log = crate::resolve::log_handle(&self.resolved.places[place].ident);
                    let ty = self.log_type(place);
                    quote!(#log: &mut #private::family::Log<#ty>)
                }
                Need::Now => {
                    let time = self.time_type();
                    quote!(__cr_now: #time)
                }
                Need::Rng => quote!(__cr_rng: &mut #private::Rng),
            })
            .collect()
    }

    /// Arguments for those parameters.
    fn arguments(&self, access: &Access, site: Site) -> Vec<TokenStream> {
        let private = &self.private;
        let now = match (site, self.model.options.ticks) {
            (Site::Engine, false) => quote!(__crt_e.progress.now),
            (Site::Engine, true) => quote!(__crt_e.progress.moment().ticks()),
            (Site::View, false) => quote!(__crt_e.now),
            (Site::View, true) => quote!(__crt_e.moment().ticks()),
            (Site::Start | Site::Tallies, false) => quote!(__crt_start),
            (Site::Start | Site::Tallies, true) => quote!(#private::Moment::at(__crt_start).ticks()),
            (Site::Default, false) => quote!(0.0),
            (Site::Default, true) => quote!(0),
        };
        self.arguments_at(access, site, &now)
    }

    /// The same at another time.
    fn arguments_at(&self, access: &Access, site: Site, now: &TokenStream) -> Vec<TokenStream> {
        let private = &self.private;
        access
            .needs()
            .into_iter()
            .filter(|need| !self.is_in_schedule(need))
            .map(|need| match need {
                Need::Schedule { write: true } => quote!(&mut __crt_e.clocks.schedule),
                Need::Schedule { write: false } => quote!(#private::Read::new(&__crt_e.clocks.schedule)),
                Need::Place { place, write } => {
                    let at = self.place(site, place);
                    let of = &self.resolved.places[place];
                    match (of.family.is_single() || of.grows, write) {
                        (true, true) => quote!(&mut #at),
                        (true, false) => quote!(#private::Read::new(&#at)),
                        (false, true) => self.slice_mut(site, place),
                        (false, false) => {
                            let slice = self.slice(site, place);
                            quote!(#private::Read::new(#slice))
                        }
                    }
                }
                Need::Constant(number) => {
                    let at = self.constant(site, number);
                    if !self.resolved.constants[number].family.is_single() {
                        quote!(#private::Read::new(&#at[..]))
                    } else if self.resolved.constants[number].ty.is_some() {
                        quote!(#private::Read::new(&#at))
                    } else {
                        quote!(&#at)
                    }
                }
                Need::Set(set) => self.size(site, set),
                Need::Relation(relation) => {
                    let at = self.relation(site, relation);
                    quote!(#private::Read::new(&*#at))
                }
                Need::Pair => quote!(__crt_m),
                Need::Trace(place) => {
                    let trace = format_ident!("__crt_trace_{}", self.resolved.places[place].name());
                    quote!(&#trace)
                }
                Need::Log(place) => {
                    let log = family::field("log", &self.resolved.places[place].ident);
                    quote!(&mut __crt_e.clocks.#log)
                }
                Need::Now => now.clone(),
                Need::Rng => match site {
                    Site::Engine | Site::View => quote!(&mut *__crt_e.rng),
                    Site::Start | Site::Tallies | Site::Default => quote!(&mut __crt_rng),
                },
            })
            .collect()
    }

    /// Whether the schedule is what is needed, and not the place that stands for a part of it.
    fn is_in_schedule(&self, need: &Need) -> bool {
        let scheduled = |place: usize| matches!(self.resolved.places[place].kind, crate::resolve::PlaceKind::Scheduled);
        matches!(need, Need::Place { place, .. } if scheduled(*place))
    }

    /// The type of a relation that does not change.
    fn relation_type(&self, relation: usize) -> TokenStream {
        let private = &self.private;
        match &self.resolved.relations[relation].value {
            Some(ty) => quote!(#private::Relation<#ty>),
            None => quote!(#private::Relation),
        }
    }

    /// Calls `function` of a member of `family` on engine `e`; a failure is one of item `whose`.
    fn call(&self, function: &Ident, family: &Family, access: &Access, whose: &Whose) -> TokenStream {
        or_fail(&self.called(function, family, access, Site::Engine), whose)
    }

    /// The same on a view.
    fn call_on_view(&self, function: &Ident, family: &Family, access: &Access, whose: &Whose) -> TokenStream {
        or_return(&self.called(function, family, access, Site::View), &quote!(__crt_e.now), whose)
    }

    /// The same with a further argument.
    fn call_with(
        &self,
        function: &Ident,
        family: &Family,
        access: &Access,
        whose: &Whose,
        last: &TokenStream,
    ) -> TokenStream {
        let mut arguments = self.arguments(access, Site::Engine);
        arguments.push(last.clone());
        or_fail(&self.called_with(function, family, &arguments), whose)
    }

    /// Whether a clock remembers something from one refresh to the next.
    fn remembers(&self, clock: usize) -> bool {
        matches!(self.plan.seats[clock], crate::plan::Seat::Slot(_))
            || matches!(self.resolved.clocks[clock].timing, crate::resolve::Timing::Thinning(_))
    }

    fn called(&self, function: &Ident, family: &Family, access: &Access, site: Site) -> TokenStream {
        self.called_with(function, family, &self.arguments(access, site))
    }

    fn called_with(&self, function: &Ident, family: &Family, arguments: &[TokenStream]) -> TokenStream {
        let binders = family.binders.iter().map(|(ident, _)| crate::resolve::binder(ident));
        quote!(Self::#function(#(#binders,)* #(#arguments),*))
    }

    /// How much is inlined: everything in a small model, what the optimiser likes in a large one.
    fn inline(&self) -> TokenStream {
        let edges: usize = self.plan.steps.iter().map(|step| step.refresh.len()).sum();
        if self.plan.inlined && edges <= 128 { quote!(#[inline(always)]) } else { quote!(#[inline]) }
    }
}

/// The value of `outcome`; a failure is one of item `whose`.
fn or_fail(outcome: &TokenStream, whose: &Whose) -> TokenStream {
    or_return(outcome, &quote!(__crt_e.progress.now), whose)
}

/// The value of `outcome`, or return with its failure as one of item `whose` at time `now`. A
/// closure would do the same, and cost the compiler a fifth of its time.
fn or_return(outcome: &TokenStream, now: &TokenStream, whose: &Whose) -> TokenStream {
    let Whose { name, index } = whose;
    quote! {
        match #outcome {
            __cr::core::result::Result::Ok(__crt_value) => __crt_value,
            __cr::core::result::Result::Err(__crt_fault) => {
                return __cr::core::result::Result::Err(__crt_fault.at(#now, #name, #index));
            }
        }
    }
}
