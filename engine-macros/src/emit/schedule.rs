//! What is scheduled while a model runs: what happens to it, and how it is reached from outside.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Cx;
use super::types::{self, text};
use crate::resolve::{Clock, binder, function, priority_of, variant};

impl Cx<'_> {
    /// The type of the schedule.
    pub(super) fn schedule_type(&self) -> TokenStream {
        let parts = self.resolved.parts;
        let message = self.message_type();
        let activities = self.activities_type();
        quote!(__cr::schedule::Schedule<#message, #activities, #parts>)
    }

    /// The type of events with their payload; of none if there are no events.
    fn message_type(&self) -> TokenStream {
        if self.resolved.events().next().is_none() {
            return quote!(__cr::core::convert::Infallible);
        }
        let (message, generics) = (types::message(self.model), self.model.generics.split_for_impl().1);
        quote!(#message #generics)
    }

    /// A schedule without anything in it, at time `__crt_start`.
    pub(super) fn schedule_new(&self) -> TokenStream {
        let ty = self.schedule_type();
        let items = self.resolved.declarations as usize;
        let (lines, activities) = (self.resolved.lines.len(), super::activity::none_yet(self));
        quote!(<#ty>::new(#items, #lines, #activities, __cr::Moment::at(__crt_start)))
    }
}

/// A pattern for, or a value of, an event with its payload; variables for its indices, members of sets among the
/// arguments included, and for its other arguments.
pub(super) fn message(cx: &Cx<'_>, clock: &Clock) -> (TokenStream, Vec<Ident>, Vec<Ident>) {
    let (message, variant) = (types::message(cx.model), variant(&clock.ident));
    let indices: Vec<Ident> = clock.family.binders.iter().map(|(ident, _)| binder(ident)).collect();
    let values: Vec<Ident> = (0..clock.args.len()).map(|i| format_ident!("__crt_arg_{i}")).collect();
    // As they are declared: first the indices, then arguments of both kinds.
    let item = cx.model.items.iter().find_map(|item| match item {
        crate::syntax::Item::Event(event) if event.ident == clock.ident => Some(event),
        _ => None,
    });
    let mut rest = values.iter();
    let args = item.into_iter().flat_map(|event| &event.args).filter_map(|arg| match arg.kind {
        crate::syntax::ArgumentKind::Member(_) => Some(binder(&arg.ident)),
        crate::syntax::ArgumentKind::Value(_) => rest.next().cloned(),
    });
    let all: Vec<Ident> = clock.indices().iter().map(|(ident, _)| binder(ident)).chain(args).collect();
    let whole = if all.is_empty() { quote!(#message::#variant) } else { quote!(#message::#variant(#(#all),*)) };
    (whole, indices, values)
}

/// The number of a member of an event, from its indices.
fn member(cx: &Cx<'_>, clock: &Clock) -> TokenStream {
    let mut number = quote!(0usize);
    for (i, (ident, set)) in clock.indices().iter().enumerate() {
        let index = binder(ident);
        number = if i == 0 {
            quote!(#index)
        } else {
            let size = cx.size(super::Site::Engine, *set);
            quote!(#number * #size + #index)
        };
    }
    number
}

/// What is next in the schedule happens.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    if !cx.resolved.schedules() {
        return TokenStream::new();
    }
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let outcome = cx.result(&quote!(__cr::core::option::Option<#event>), "SimError");
    let events = cx.resolved.events().map(|clock| {
        let (pattern, indices, values) = message(cx, clock);
        let fire = function("fire", &clock.ident);
        quote! {
            __cr::schedule::Pending::Event(#pattern) => Self::#fire(__crt_e, #(#indices,)* __crt_taken, #(#values,)*),
        }
    });
    let names = cx.resolved.events().map(|clock| {
        let (pattern, ..) = message(cx, clock);
        let (name, indices) = (text(&clock.ident), clock.indices().iter().map(|(ident, _)| binder(ident)));
        quote!(__cr::schedule::Pending::Event(#pattern) => (#name, __cr::std::vec![#(*#indices),*]),)
    });
    let timer_names = cx.activities().map(|of| {
        let (declaration, name) = (of.activity.declaration, &of.name);
        quote!(#declaration => (#name, __cr::std::vec![__crt_timer.slot as usize]),)
    });
    let timer_names: Vec<TokenStream> = timer_names.collect();
    let timer_names = (!timer_names.is_empty()).then(|| {
        quote! {
            __cr::schedule::Pending::Timer(__crt_timer) => match __crt_declaration {
                #(#timer_names)*
                _ => ("", __cr::std::vec::Vec::new()),
            },
        }
    });
    let turn_names = (!cx.resolved.activities.is_empty()).then(|| super::activity::turn_names(cx));
    let clocks = cx.clocks_type();
    let generics = cx.model.generics.split_for_impl().1;
    let inline = cx.inline();
    let turns = (!cx.resolved.activities.is_empty()).then(|| {
        let take = super::activity::take(cx);
        quote! {
            if __crt_e.clocks.schedule.is_turn() {
                let __cr::core::option::Option::Some((__crt_order, __crt_turn)) = __crt_e.clocks.schedule.turns.take() else {
                    return __cr::core::result::Result::Ok(__cr::core::option::Option::None);
                };
                #[allow(unused_variables)]
                let __crt_outcome = #take;
                return __crt_outcome;
            }
        }
    });
    let timers = (!cx.resolved.activities.is_empty()).then(|| {
        let arms = cx.activities().map(|of| {
            let (declaration, wake) = (of.activity.declaration, function("wake", &of.activity.ident));
            quote!(#declaration => Self::#wake(__crt_e, __crt_timer.slot, __crt_timer.held),)
        });
        quote! {
            __cr::schedule::Pending::Timer(__crt_timer) => {
                let __crt_outcome = match __crt_taken.rank.declaration {
                    #(#arms)*
                    _ => __cr::core::result::Result::Ok(__cr::core::option::Option::None),
                };
                if __crt_outcome.is_err() {
                    __crt_e.clocks.schedule.put_timer_back(__crt_taken, __crt_timer);
                }
                __crt_outcome
            }
        }
    });
    // Where there are activities, that comes after it is known who goes on.
    let settle = cx.resolved.activities.is_empty().then(|| quote!(__crt_e.clocks.schedule.settle();));
    let withdraw = super::activity::withdraw(cx);
    quote! {
        #[cold]
        fn __cr_withdraw(__crt_e: &mut #engine, __crt_begun: &__cr::schedule::Begun) {
            __crt_e.clocks.schedule.withdraw(__crt_begun);
            #withdraw
        }

        #inline
        fn __cr_happen_scheduled(__crt_e: &mut #engine) -> #outcome {
            #turns
            let __cr::core::option::Option::Some((__crt_taken, __crt_pending)) = __crt_e.clocks.schedule.take() else {
                return __cr::core::result::Result::Ok(__cr::core::option::Option::None);
            };
            #[allow(unreachable_patterns)]
            let __crt_outcome = match __crt_pending {
                #(#events)*
                #timers
                _ => __cr::core::result::Result::Ok(__cr::core::option::Option::None),
            };
            #settle
            __crt_outcome
        }

        #[allow(unused_variables)]
        fn __cr_name_scheduled(
            __crt_clocks: &#clocks #generics,
        ) -> (&'static __cr::core::primitive::str, __cr::std::vec::Vec<__cr::core::primitive::usize>) {
            #turn_names
            let __cr::core::option::Option::Some((__crt_declaration, _, __crt_pending)) = __crt_clocks.schedule.first() else {
                return ("", __cr::std::vec::Vec::new());
            };
            #[allow(unreachable_patterns)]
            let __crt_named = match __crt_pending {
                #(#names)*
                #timer_names
                _ => ("", __cr::std::vec::Vec::new()),
            };
            __crt_named
        }
    }
}

/// `Receives`, for a model with events.
pub(super) fn receives(cx: &Cx<'_>) -> TokenStream {
    if cx.resolved.events().next().is_none() {
        return TokenStream::new();
    }
    let name = &cx.model.ident;
    let (impl_generics, type_generics, where_clause) = cx.model.generics.split_for_impl();
    let message_type = cx.message_type();
    let arms = cx.resolved.events().map(|clock| {
        let (pattern, indices, _) = message(cx, clock);
        let (declaration, once, priority) = (clock.declaration, clock.once, priority_of(&clock.priority));
        let whose = text(&clock.ident);
        let own: Vec<Ident> = clock.indices().iter().map(|(ident, _)| binder(ident)).collect();
        let checks = clock.family.binders.iter().map(|(ident, set)| {
            let (index, size) = (binder(ident), cx.size(super::Site::Engine, *set));
            quote! {
                __cr::element::member(#index, #size, #whose)
                    .map_err(|__crt_fault| __crt_fault.at(__crt_now.time, #whose, &[#(#own),*]))?;
            }
        });
        let number = member(cx, clock);
        quote! {
            #pattern => {
                #(let #indices = *#indices;)*
                #(#checks)*
                let __crt_rank = __cr::schedule::Rank::new(#priority, #declaration, #number);
                let __crt_what = __cr::schedule::What { rank: __crt_rank, once: #once };
                (__crt_what, #whose, __cr::std::vec![#(#own),*])
            }
        }
    });
    let watched = cx.resolved.places.iter().enumerate().any(|(place, of)| {
        let scheduled = matches!(of.kind, crate::resolve::PlaceKind::Scheduled);
        let watches = |clock: &crate::graph::Clock| clock.watches.contains(&place);
        let reads = |condition: &crate::graph::Condition| condition.reads.contains(&place);
        scheduled && (cx.graph.clocks.iter().any(watches) || cx.graph.conditions.iter().any(reads))
    });
    let time = cx.time_type();
    let refresh = watched.then(|| quote!(<Self as __cr::Model>::refresh_all(__crt_e)?;));
    // If what depends on it fails, it is as if nothing had been scheduled.
    let delivered = watched.then(|| {
        quote! {
            if let __cr::core::result::Result::Err(__crt_error) = <Self as __cr::Model>::refresh_all(__crt_e) {
                __crt_e.clocks.schedule.take_out(__crt_handle);
                <Self as __cr::Model>::refresh_all(__crt_e)?;
                return __cr::core::result::Result::Err(__crt_error);
            }
        }
    });
    quote! {
        #[cfg(not(rust_analyzer))]
        impl #impl_generics __cr::Receives for #name #type_generics #where_clause {
            type Message = #message_type;

            fn deliver(
                __crt_e: &mut __cr::Active<'_, Self>,
                __crt_at: __cr::core::primitive::f64,
                __crt_message: Self::Message,
            ) -> __cr::core::result::Result<__cr::Scheduled, __cr::SimError> {
                let __crt_now = __crt_e.progress.moment();
                #[allow(unreachable_patterns, unused_variables)]
                let (__crt_what, __crt_whose, __crt_index) = match &__crt_message {
                    #(#arms)*
                    _ => __cr::core::unreachable!("there are no other events"),
                };
                let __crt_at = __cr::schedule::check(__crt_at, || __cr::element::quoted(__crt_whose, &__crt_index))
                    .and_then(|()| __cr::schedule::Time::at(
                        <#time as __cr::schedule::Time>::given(__crt_at),
                        || __cr::element::quoted(__crt_whose, &__crt_index),
                        __crt_now,
                    )).map_err(|__crt_fault| __crt_fault.at(__crt_now.time, __crt_whose, &__crt_index))?;
                __crt_e.clocks.schedule.now = __crt_now;
                let __crt_handle = __crt_e.clocks.schedule.schedule(__crt_at, __crt_what, __crt_message);
                #delivered
                __cr::core::result::Result::Ok(__cr::Scheduled(__crt_handle))
            }

            fn take_out(
                __crt_e: &mut __cr::Active<'_, Self>,
                __crt_scheduled: __cr::Scheduled,
            ) -> __cr::core::result::Result<__cr::core::option::Option<Self::Message>, __cr::SimError> {
                let __crt_message = __crt_e.clocks.schedule.take_out(__crt_scheduled.0);
                #refresh
                __cr::core::result::Result::Ok(__crt_message)
            }
        }
    }
}
