//! Refreshing: a clock's guard and timing are evaluated again and its ring time follows.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::bodies::function;
use super::types::text;
use super::{Cx, or_fail};
use crate::plan::Seat;
use crate::resolve::{Clock, Timing};

/// One function for each clock; in a large model also one that chooses among them.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    let engine = cx.engine();
    let result = cx.result(&quote!(()), "SimError");
    let private = &cx.private;
    let inline = cx.inline();
    let mut out = TokenStream::new();
    for (number, clock) in cx.resolved.clocks.iter().enumerate() {
        let name = function("refresh", &clock.ident);
        let content = refresh(cx, number, clock);
        out.extend(quote! {
            #inline
            fn #name(__crt_e: &mut #engine) -> #result {
                #content
                #private::core::result::Result::Ok(())
            }
        });
    }
    if !cx.plan.unrolled {
        let arms = cx.resolved.clocks.iter().enumerate().map(|(number, clock)| {
            let name = function("refresh", &clock.ident);
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            quote!(#number => Self::#name(__crt_e))
        });
        out.extend(quote! {
            fn __cr_refresh(__crt_e: &mut #engine, __crt_clock: #private::core::primitive::u32) -> #result {
                match __crt_clock { #(#arms,)* _ => #private::core::result::Result::Ok(()) }
            }
        });
    }
    out
}

fn refresh(cx: &Cx<'_>, number: usize, clock: &Clock) -> TokenStream {
    let private = &cx.private;
    let whose = text(&clock.ident);
    let call = |part: &str, body: &crate::resolve::Body| cx.call(&function(part, &clock.ident), &body.access, &whose);
    let when_enabled = |enabled: TokenStream, disabled: TokenStream| match &clock.guard {
        Some(guard) => {
            let guard = call("guard", guard);
            quote!(if #guard { #enabled } else { #disabled })
        }
        None => enabled,
    };
    let fail = |outcome: TokenStream| or_fail(&outcome, &whose);
    let memory = memory(clock);
    if let (Timing::Rate(rate), Seat::Leaf(leaf)) = (&clock.timing, cx.plan.seats[number]) {
        let rate = call("rate", rate);
        let checked = fail(quote!(#private::timing::rate(#rate)));
        let rate = when_enabled(checked, quote!(0.0));
        return if cx.plan.unrolled {
            let node = cx.plan.node(leaf);
            quote!(__crt_e.clocks.rates[#node] = #rate;)
        } else {
            quote!({ let __crt_rate = #rate; #private::rates::set(&mut __crt_e.clocks.rates[..], #leaf, __crt_rate); })
        };
    }
    let Seat::Slot(slot) = cx.plan.seats[number] else { return TokenStream::new() };
    let now = quote!(__crt_e.progress.moment());
    let old = quote!(__crt_e.clocks.times.get(#slot));
    let set = |at: TokenStream| quote!(let __crt_at = #at; __crt_e.clocks.times.set(#slot, __crt_at););
    let off = set(quote!(#private::Moment::NEVER));
    match &clock.timing {
        Timing::Rate(rate) => {
            let rate = call("rate", rate);
            let checked = fail(quote!(#private::timing::rate(#rate)));
            let rate = when_enabled(checked, quote!(0.0));
            let at = set(quote!(__crt_e.clocks.#memory.refresh(#old, __crt_rate, #now, &mut *__crt_e.rng)));
            quote!(let __crt_rate = #rate; #at)
        }
        Timing::At(at) => {
            let at_once = at.access.now.is_some();
            let value = call("at", at);
            let at = set(fail(quote!(__crt_e.clocks.#memory.refresh(__crt_value, #at_once, #now))));
            when_enabled(quote!(let __crt_value = #value; #at), off)
        }
        Timing::After { delay, redraw, resume: false, speed: None } => {
            let drawn = call("delay", delay);
            let at = set(fail(quote!(__crt_e.clocks.#memory.take(__crt_drawn, #now))));
            let draw = quote!(let __crt_drawn = #drawn; #at);
            let draw = if *redraw { draw } else { quote!(if !__crt_e.clocks.#memory.armed() { #draw }) };
            when_enabled(draw, quote!(if __crt_e.clocks.#memory.armed() { __crt_e.clocks.#memory.forget(); #off }))
        }
        Timing::After { delay, redraw, resume, speed } => {
            let drawn = call("delay", delay);
            let take = fail(quote!(__crt_e.clocks.#memory.take(__crt_drawn, #now)));
            let draw = quote!(let __crt_drawn = #drawn; #take;);
            let draw = if *redraw { draw } else { quote!(if !__crt_e.clocks.#memory.armed() { #draw }) };
            let speed = speed.as_ref().map_or(quote!(1.0), |speed| call("speed", speed));
            let at = set(fail(quote!(__crt_e.clocks.#memory.run(#old, __crt_speed, #now))));
            when_enabled(
                quote!(#draw let __crt_speed = #speed; #at),
                quote!(__crt_e.clocks.#memory.disable(#now, #resume); #off),
            )
        }
        Timing::Every { period, from } => {
            let period = call("period", period);
            let from = from.as_ref().map_or(quote!(#private::core::option::Option::None), |from| {
                let from = call("from", from);
                quote!(#private::core::option::Option::Some(#from))
            });
            let at = set(fail(quote! {
                __crt_e.clocks.#memory.refresh(__crt_period, __crt_from, __crt_e.progress.start, #now)
            }));
            when_enabled(quote!(let __crt_period = #period; let __crt_from = #from; #at), off)
        }
    }
}

/// The field in which a timed clock remembers things.
pub(super) fn memory(clock: &Clock) -> proc_macro2::Ident {
    format_ident!("timing_{}", text(&clock.ident))
}

/// Refreshes `clocks` and adds up the rates above them.
pub(super) fn list(cx: &Cx<'_>, clocks: &[usize], sums: &[usize]) -> TokenStream {
    let private = &cx.private;
    let mut out = TokenStream::new();
    if cx.plan.unrolled || clocks.len() <= 8 {
        for &clock in clocks {
            let name = function("refresh", &cx.resolved.clocks[clock].ident);
            out.extend(quote!(Self::#name(__crt_e)?;));
        }
    } else {
        let clocks = clocks.iter().map(|&clock| u32::try_from(clock).unwrap_or(u32::MAX));
        out.extend(quote! {
            const REFRESH: &[#private::core::primitive::u32] = &[#(#clocks),*];
            for &__crt_clock in REFRESH {
                Self::__cr_refresh(__crt_e, __crt_clock)?;
            }
        });
    }
    if cx.plan.unrolled {
        for &node in sums {
            let (left, right) = (2 * node, 2 * node + 1);
            out.extend(if cx.plan.in_use(right) {
                quote!(__crt_e.clocks.rates[#node] = __crt_e.clocks.rates[#left] + __crt_e.clocks.rates[#right];)
            } else {
                quote!(__crt_e.clocks.rates[#node] = __crt_e.clocks.rates[#left];)
            });
        }
    }
    out
}

/// Draws the race's time again.
pub(super) fn draw() -> TokenStream {
    quote! {
        let __crt_total = __crt_e.clocks.rates[1];
        __crt_e.clocks.race.draw(__crt_total, __crt_e.progress.moment(), &mut *__crt_e.rng)?;
    }
}

/// `Model::refresh_all`.
pub(super) fn all(cx: &Cx<'_>) -> TokenStream {
    let engine = cx.engine();
    let result = cx.result(&quote!(()), "SimError");
    let private = &cx.private;
    let clocks: Vec<usize> = (0..cx.resolved.clocks.len()).collect();
    let refresh = list(cx, &clocks, &cx.plan.all_sums());
    let draw = draw();
    let (before, redraw) = if cx.plan.leaves.is_empty() {
        (quote!(), quote!())
    } else {
        (
            quote!(let __crt_before = __crt_e.clocks.rates[1];),
            quote!(if __crt_e.clocks.rates[1] != __crt_before { #draw }),
        )
    };
    let conditions: Vec<usize> = (0..cx.resolved.conditions.len()).collect();
    let checks = checks(cx, &conditions);
    quote! {
        fn refresh_all(__crt_e: &mut #engine) -> #result {
            #before
            #refresh
            #redraw
            __crt_e.progress.stopped = #private::core::option::Option::None;
            #checks
            #private::core::result::Result::Ok(())
        }
    }
}

/// Looks at conditions: invariants first, then whether a stop holds.
pub(super) fn checks(cx: &Cx<'_>, conditions: &[usize]) -> TokenStream {
    let private = &cx.private;
    let mut invariants = TokenStream::new();
    let mut stops = TokenStream::new();
    for &number in conditions {
        let condition = &cx.resolved.conditions[number];
        let whose = text(&condition.ident);
        let holds = cx.call(&function(condition.kind(), &condition.ident), &condition.body.access, &whose);
        if condition.stop {
            let position = cx.resolved.conditions[..number].iter().filter(|c| c.stop).count();
            stops.extend(quote! {
                if __crt_e.progress.stopped.is_none() && #holds {
                    __crt_e.progress.stopped = #private::core::option::Option::Some(#position);
                }
            });
        } else {
            invariants.extend(quote! {
                if !#holds {
                    let __crt_kind = #private::ErrorKind::Invariant { name: #whose };
                    return #private::core::result::Result::Err(#private::SimError::new(__crt_kind, __crt_e.progress.now).of(#whose));
                }
            });
        }
    }
    let invariants = (!invariants.is_empty()).then(|| quote!(if __crt_e.progress.check_invariants { #invariants }));
    quote!(#invariants #stops)
}
