//! Refreshing: a clock's guard and timing are evaluated again and its ring time follows.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::bodies::affine_parts;
use super::family::{Whose, field, readers_field};
use super::{Cx, Site, or_fail, routes};
use crate::plan::{How, Refresh, Seat};
use crate::resolve::{Affine, Clock, Family, Timing, function};

/// One function for each clock; in a large model also one that chooses among them.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    let engine = cx.engine();
    let result = cx.result(&quote!(()), "SimError");
    let private = &cx.private;
    let inline = cx.inline();
    let mut out = TokenStream::new();
    for (number, clock) in cx.resolved.clocks.iter().enumerate().filter(|(_, clock)| clock.is_refreshed()) {
        let (name, family) = (function("refresh", &clock.ident), &clock.family);
        let content = refresh(cx, number, clock, false);
        let (parameters, used) = (cx.member_parameters(family), cx.member_used(family));
        if matches!(&clock.timing, Timing::Thinning(thinning) if thinning.until.is_some()) {
            let (name, content) = (function("renew", &clock.ident), refresh(cx, number, clock, true));
            out.extend(quote! {
                fn #name(__crt_e: &mut #engine, #parameters) -> #result {
                    #used
                    #content
                    #private::core::result::Result::Ok(())
                }
            });
        }
        out.extend(quote! {
            #inline
            fn #name(__crt_e: &mut #engine, #parameters) -> #result {
                #used
                #content
                #private::core::result::Result::Ok(())
            }
        });
        if !family.is_single() {
            let by_number = function("refreshnumber", &clock.ident);
            let (decode, arguments) = (cx.decode(Site::Engine, family), cx.member_arguments(family));
            let coming = cx.resolved.coming(clock);
            let gone = coming.map(|coming| {
                let (is_there, disarm) = (cx.is_there(coming), function("disarm", &clock.ident));
                quote! {
                    if !#is_there {
                        Self::#disarm(__crt_e, __crt_m);
                        return #private::core::result::Result::Ok(());
                    }
                }
            });
            out.extend(quote! {
                #inline
                fn #by_number(__crt_e: &mut #engine, __crt_m: usize) -> #result {
                    #gone
                    #decode
                    Self::#name(__crt_e #arguments)
                }
            });
            if coming.is_some() {
                out.extend(come_and_go(cx, number, clock));
            }
        }
    }
    if !cx.plan.unrolled {
        let single =
            cx.resolved.clocks.iter().enumerate().filter(|(_, clock)| clock.family.is_single() && clock.is_refreshed());
        let arms = single.map(|(number, clock)| {
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

/// Members that come and go: more of them, and one that is gone.
fn come_and_go(cx: &Cx<'_>, number: usize, clock: &Clock) -> TokenStream {
    let engine = cx.engine();
    let (grow, disarm) = (function("grow", &clock.ident), function("disarm", &clock.ident));
    let slots = cx.count(Site::Engine, &clock.family);
    let marks = cx.plan.marked.contains(&number).then(|| {
        let marks = field("marks", &clock.ident);
        quote!(__crt_e.clocks.#marks.grow(__crt_slots);)
    });
    let readers =
        cx.traced(clock).into_iter().map(|place| readers_field(&clock.ident, &cx.resolved.places[place].ident));
    let readers: Vec<_> = readers.collect();
    let once = clock.once.then(|| {
        let once = field("once", &clock.ident);
        quote!(__crt_e.clocks.#once.resize(__crt_slots, __cr::Moment::NEVER);)
    });
    let (structure, more, off) = match cx.plan.seats[number] {
        Seat::Leaf(_) => {
            let rates = field("rates", &clock.ident);
            let more = cx.remembers(number).then(|| {
                let (memory, (ty, first)) = (memory_field(clock), timing_type(cx.model.options.ticks, &clock.timing));
                quote!(__crt_e.clocks.#memory.resize(__crt_slots, #ty::#first);)
            });
            (rates.clone(), quote!(#more), quote!(__crt_e.clocks.#rates.set(__crt_m, 0.0);))
        }
        Seat::Slot(_) => {
            let (times, memory) = (field("times", &clock.ident), memory_field(clock));
            let (ty, first) = timing_type(cx.model.options.ticks, &clock.timing);
            let new = quote!(#ty::#first);
            (
                times.clone(),
                quote!(__crt_e.clocks.#memory.resize(__crt_slots, #new);),
                quote! {
                    __crt_e.clocks.#memory[__crt_m] = #new;
                    __crt_e.clocks.#times.set(__crt_m, __cr::Moment::NEVER);
                },
            )
        }
        Seat::Schedule => return TokenStream::new(),
    };
    quote! {
        fn #grow(__crt_e: &mut #engine) {
            let __crt_slots = #slots;
            if __crt_slots > __crt_e.clocks.#structure.len() {
                __crt_e.clocks.#structure.grow(__crt_slots);
                #more
                #once
                #marks
                #(__crt_e.clocks.#readers.grow_clocks(__crt_slots);)*
            }
        }

        fn #disarm(__crt_e: &mut #engine, __crt_m: usize) {
            if __crt_m < __crt_e.clocks.#structure.len() {
                #off
            }
        }
    }
}

fn refresh(cx: &Cx<'_>, number: usize, clock: &Clock, renew: bool) -> TokenStream {
    if clock.watch().is_some() {
        let refresh = function("refreshgroup", &clock.ident);
        let member = if clock.family.is_single() { quote!(0) } else { quote!(__crt_m) };
        return quote!(Self::#refresh(__crt_e, #member)?;);
    }
    let traced = cx.traced(clock);
    let before = traced.iter().map(|&place| {
        let (trace, readers) = trace(cx, clock, place);
        let grow = cx.resolved.places[place].grows.then(|| {
            let elements = cx.place(Site::Engine, place);
            quote!(__crt_e.clocks.#readers.grow_elements(#elements.len());)
        });
        quote!(#grow let #trace = __crt_e.clocks.#readers.trace();)
    });
    let member = if clock.family.is_single() { quote!(0) } else { quote!(__crt_m) };
    let after = traced.iter().map(|&place| {
        let (trace, readers) = trace(cx, clock, place);
        quote!(__crt_e.clocks.#readers.record(#member, &#trace);)
    });
    let content = evaluate(cx, number, clock, renew);
    quote!(#(#before)* #content #(#after)*)
}

/// The variable that notes what a clock reads of a place at run-time indices, and the field that keeps it.
pub(super) fn trace(cx: &Cx<'_>, clock: &Clock, place: usize) -> (Ident, Ident) {
    let place = &cx.resolved.places[place];
    (format_ident!("__crt_trace_{}", place.name()), readers_field(&clock.ident, &place.ident))
}

/// With `renew`, a bound that has ended is evaluated again.
fn evaluate(cx: &Cx<'_>, number: usize, clock: &Clock, renew: bool) -> TokenStream {
    let private = &cx.private;
    let family = &clock.family;
    let whose = Whose::of(&clock.ident, family);
    let call =
        |part: &str, body: &crate::resolve::Body| cx.call(&function(part, &clock.ident), family, &body.access, &whose);
    let when_enabled = |enabled: TokenStream, disabled: TokenStream| match &clock.guard {
        Some(guard) => {
            let guard = call("guard", guard);
            quote!(if #guard { #enabled } else { #disabled })
        }
        None => enabled,
    };
    let fail = |outcome: TokenStream| or_fail(&outcome, &whose);
    let memory = memory(clock);
    let affine = |affine: &Affine| {
        let values: Vec<TokenStream> = affine_parts(affine).into_iter().map(|(name, part)| call(name, part)).collect();
        match (affine, values.as_slice()) {
            (Affine::Constant(_), bound) => fail(quote!(#private::flow::Affine::constant(#(#bound)*))),
            (Affine::Parts(_), [a, b]) => fail(quote!(#private::flow::Affine::new(#a, #b, 0.0))),
            (Affine::Parts(_), values) => fail(quote!(#private::flow::Affine::new(#(#values),*))),
            (Affine::Pair(pair), _) => {
                let (pair, made) =
                    (call("pair", pair), fail(quote!(#private::flow::Affine::new(__crt_a, __crt_b, 0.0))));
                quote!({ let (__crt_a, __crt_b) = #pair; #made })
            }
        }
    };
    let leaf_rate = match (&clock.timing, cx.plan.seats[number]) {
        (Timing::Rate(rate), Seat::Leaf(leaf)) => {
            let rate = call("rate", rate);
            let checked = fail(quote!(#private::timing::rate(#rate)));
            Some((leaf, when_enabled(checked, quote!(0.0))))
        }
        (Timing::Thinning(thinning), Seat::Leaf(leaf)) => {
            let bound = affine(&thinning.bound);
            let held = quote!({ let __crt_bound = #bound; __crt_e.clocks.#memory.hold(__crt_bound, __crt_e.progress.moment()) });
            Some((leaf, when_enabled(held, quote!({ __crt_e.clocks.#memory.disable(); 0.0 }))))
        }
        _ => None,
    };
    if let Some((leaf, rate)) = leaf_rate {
        if !family.is_single() {
            let rates = field("rates", &clock.ident);
            return quote!(let __crt_rate = #rate; __crt_e.clocks.#rates.set(__crt_m, __crt_rate););
        }
        return if cx.plan.unrolled {
            let node = cx.plan.node(leaf);
            quote!(__crt_e.clocks.rates[#node] = #rate;)
        } else {
            quote!({ let __crt_rate = #rate; #private::rates::set(&mut __crt_e.clocks.rates[..], #leaf, __crt_rate); })
        };
    }
    let Seat::Slot(slot) = cx.plan.seats[number] else { return TokenStream::new() };
    let now = quote!(__crt_e.progress.moment());
    let (old, set_to) = times(clock, slot);
    let set = |at: TokenStream| quote!(let __crt_at = #at; #set_to);
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
        Timing::Hazard(hazard) => {
            let hazard = affine(hazard);
            let at = set(quote!(__crt_e.clocks.#memory.refresh(__crt_hazard, #now, &mut *__crt_e.rng)));
            when_enabled(quote!(let __crt_hazard = #hazard; #at), off)
        }
        Timing::Thinning(thinning) => {
            let bound = affine(&thinning.bound);
            let until = thinning.until.as_ref().map_or(quote!(#private::core::option::Option::None), |until| {
                let until = call("until", until);
                quote!(#private::core::option::Option::Some(#until))
            });
            let look = if renew { quote!(renew) } else { quote!(refresh) };
            let looks = thinning.looks();
            let at = set(fail(
                quote!(__crt_e.clocks.#memory.#look(__crt_bound, __crt_until, #looks, #now, &mut *__crt_e.rng)),
            ));
            when_enabled(
                quote!(let __crt_bound = #bound; let __crt_until = #until; #at),
                quote!(__crt_e.clocks.#memory.disable(); #off),
            )
        }
        Timing::Crosses { of, course: true, up, .. } => {
            let of = call("crosses", of);
            let of = if *up { quote!(-#of) } else { of };
            let at = set(fail(quote!(__crt_e.clocks.#memory.refresh_poly(__crt_path, #now))));
            when_enabled(quote!(let __crt_path = #of; #at), quote!(__crt_e.clocks.#memory.disarm(); #off))
        }
        Timing::Event { .. } | Timing::Step { .. } | Timing::Watch(_) => TokenStream::new(),
        Timing::Crosses { of, step, up, .. } => {
            let step = step.as_ref().map(|step| call("step", step));
            let arguments = cx.arguments_at(&of.access, Site::Engine, &quote!(__crt_time));
            let value = cx.called_with(&function("crosses", &clock.ident), family, &arguments);
            let sign = up.then(|| quote!(.map(|__crt_value| -__crt_value)));
            let at = set(fail(quote!(__crt_memory.refresh(
                &mut |__crt_time: f64| #value #sign,
                __crt_step,
                #now,
            ))));
            when_enabled(
                quote! {
                    let __crt_step = #step;
                    let mut __crt_memory = #private::core::clone::Clone::clone(&__crt_e.clocks.#memory);
                    #at
                    __crt_e.clocks.#memory = __crt_memory;
                },
                quote!(__crt_e.clocks.#memory.disarm(); #off),
            )
        }
    }
}

/// When a timed clock rings, and how that is set to `__crt_at`.
pub(super) fn times(clock: &Clock, slot: usize) -> (TokenStream, TokenStream) {
    if clock.family.is_single() {
        return (quote!(__crt_e.clocks.times.get(#slot)), quote!(__crt_e.clocks.times.set(#slot, __crt_at);));
    }
    let times = field("times", &clock.ident);
    (quote!(__crt_e.clocks.#times.get(__crt_m)), quote!(__crt_e.clocks.#times.set(__crt_m, __crt_at);))
}

/// The field in which a timed clock remembers things.
pub(super) fn memory_field(clock: &Clock) -> proc_macro2::Ident {
    field("timing", &clock.ident)
}

/// Where it does, of a family for member `__crt_m`.
pub(super) fn memory(clock: &Clock) -> TokenStream {
    let field = memory_field(clock);
    if clock.family.is_single() { quote!(#field) } else { quote!(#field[__crt_m]) }
}

/// The type of what a timed clock remembers, and its first value.
pub(super) fn timing_type(ticks: bool, timing: &Timing) -> (TokenStream, TokenStream) {
    if ticks {
        let (ty, first) = match timing {
            Timing::At(_) => (quote!(At), quote!(NEW)),
            Timing::Every { .. } => (quote!(Every), quote!(NEW)),
            _ => (quote!(Delay), quote!(OFF)),
        };
        return (quote!(__cr::ticks::#ty), first);
    }
    let (ty, first) = match timing {
        Timing::Rate(_) => (quote!(timing::Exponential), quote!(OFF)),
        Timing::At(_) => (quote!(timing::At), quote!(NEW)),
        Timing::After { resume: false, speed: None, .. } => (quote!(timing::Delay), quote!(OFF)),
        Timing::After { .. } => (quote!(timing::Work), quote!(OFF)),
        Timing::Every { .. } => (quote!(timing::Every), quote!(NEW)),
        Timing::Hazard(_) => (quote!(flow::Arrival), quote!(OFF)),
        Timing::Thinning(_) => (quote!(flow::Thinning), quote!(OFF)),
        Timing::Crosses { .. } => (quote!(flow::Crossing), quote!(OFF)),
        Timing::Event { .. } | Timing::Step { .. } | Timing::Watch(_) => (quote!(core::primitive::u8), quote!(MIN)),
    };
    (quote!(__cr::#ty), first)
}

/// Refreshes what depends on what clock `rang` has written, and adds up the rates above.
pub(super) fn list(cx: &Cx<'_>, rang: Option<usize>, refreshes: &[Refresh], sums: &[usize]) -> TokenStream {
    let private = &cx.private;
    let mut out = TokenStream::new();
    let mut rest = refreshes;
    while let Some(first) = rest.first() {
        // Many single clocks one after the other are a table.
        let single = rest.iter().take_while(|refresh| matches!(refresh.how, How::Always)).count();
        if cx.plan.unrolled || single <= 8 {
            out.extend(routes::refresh(cx, rang, first));
            rest = &rest[1..];
        } else {
            let clocks = rest[..single].iter().map(|refresh| u32::try_from(refresh.clock).unwrap_or(u32::MAX));
            out.extend(quote! {{
                const REFRESH: &[#private::core::primitive::u32] = &[#(#clocks),*];
                for &__crt_clock in REFRESH {
                    Self::__cr_refresh(__crt_e, __crt_clock)?;
                }
            }});
            rest = &rest[single..];
        }
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
    let all: Vec<Refresh> = (0..cx.resolved.clocks.len())
        .filter(|&clock| cx.resolved.clocks[clock].is_refreshed())
        .map(|clock| {
            let single = cx.resolved.clocks[clock].family.is_single();
            Refresh { clock, how: if single { How::Always } else { How::Every } }
        })
        .collect();
    let grow: TokenStream = cx
        .resolved
        .clocks
        .iter()
        .filter(|clock| cx.resolved.coming(clock).is_some())
        .map(|clock| {
            let grow = function("grow", &clock.ident);
            quote!(Self::#grow(__crt_e);)
        })
        .collect();
    let refresh = list(cx, None, &all, &cx.plan.all_sums());
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
    let settle = (!cx.resolved.activities.is_empty()).then(|| quote!(Self::__cr_settle(__crt_e)?;));
    quote! {
        fn refresh_all(__crt_e: &mut #engine) -> #result {
            #before
            #grow
            #refresh
            #redraw
            __crt_e.progress.stopped = #private::core::option::Option::None;
            #checks
            #settle
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
        let whose = Whose::single(&condition.ident);
        let name = function(condition.kind(), &condition.ident);
        let holds = cx.call(&name, &Family::default(), &condition.body.access, &whose);
        let whose = whose.name;
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
                    return #private::core::result::Result::Err(#private::SimError::new(__crt_kind, __crt_e.progress.now).of(#whose, &[]));
                }
            });
        }
    }
    let invariants = (!invariants.is_empty()).then(|| quote!(if __crt_e.progress.check_invariants { #invariants }));
    quote!(#invariants #stops)
}
