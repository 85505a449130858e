//! What happens when a clock rings: selection, action, refreshes, checks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Cx;
use super::bodies::function;
use super::refresh::{checks, draw, list, memory};
use super::types::{self, text};
use crate::plan::{Redraw, Seat};
use crate::resolve::{Timing, variant};

/// Two functions for each clock: `fire`, which keeps what it needs to go back to, and `happen`.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    (0..cx.resolved.clocks.len()).map(|clock| fire_one(cx, clock)).collect()
}

fn fire_one(cx: &Cx<'_>, number: usize) -> TokenStream {
    let private = &cx.private;
    let clock = &cx.resolved.clocks[number];
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let event_type = quote!(#event);
    let outcome = cx.result(&event_type, "SimError");
    let nothing = cx.result(&quote!(()), "SimError");
    let (fire, happen) = (function("fire", &clock.ident), function("happen", &clock.ident));
    let (variant, whose) = (variant(&clock.ident), text(&clock.ident));
    let inline = if cx.plan.inlined { cx.inline() } else { quote!(#[inline(never)]) };
    let inner = cx.inline();
    let rollback = cx.model.options.rollback;
    let written: Vec<(Ident, TokenStream)> = clock
        .action
        .access
        .written()
        .map(|place| (format_ident!("__crt_saved_{}", cx.resolved.places[place].name()), cx.in_engine(place)))
        .collect();
    let save = written.iter().map(|(saved, place)| {
        if rollback {
            quote!(let #saved = #private::core::clone::Clone::clone(&#place);)
        } else {
            quote!(let #saved = (&#private::keep(&#place)).__cr_save(&#place);)
        }
    });
    let restore = written.iter().map(|(saved, place)| {
        if rollback {
            quote!(#place = #saved;)
        } else {
            quote!((&#private::keep(&#place)).__cr_restore(&mut #place, #saved);)
        }
    });
    // The timing of a clock whose event fails is put back, so that it rings once all is mended.
    let timing = match cx.plan.seats[number] {
        Seat::Slot(slot) => {
            let memory = memory(clock);
            Some((
                quote!(let __crt_timing = #private::core::clone::Clone::clone(&__crt_e.clocks.#memory);),
                quote! {
                    __crt_e.clocks.#memory = __crt_timing;
                    let __crt_at = __crt_e.progress.moment();
                    __crt_e.clocks.times.set(#slot, __crt_at);
                },
            ))
        }
        Seat::Leaf(_) => None,
    };
    let (keep_timing, restore_timing) = timing.unzip();
    let content = happen_one(cx, number);
    quote! {
        #inline
        fn #fire(__crt_e: &mut #engine) -> #outcome {
            #(#save)*
            #keep_timing
            match Self::#happen(__crt_e) {
                #private::core::result::Result::Ok(()) => #private::core::result::Result::Ok(#event::#variant),
                #private::core::result::Result::Err(__crt_error) => {
                    #(#restore)*
                    #restore_timing
                    #private::core::result::Result::Err(__crt_error.during(#whose))
                }
            }
        }

        #inner
        fn #happen(__crt_e: &mut #engine) -> #nothing {
            #content
            #private::core::result::Result::Ok(())
        }
    }
}

fn happen_one(cx: &Cx<'_>, number: usize) -> TokenStream {
    let clock = &cx.resolved.clocks[number];
    let step = &cx.plan.steps[number];
    let act = cx.call(&function("act", &clock.ident), &clock.action.access, &text(&clock.ident));
    let rang = rang(cx, number);
    let refresh = list(cx, &step.refresh, &step.sums);
    let (before, redraw) = match step.redraw {
        Redraw::Never => (quote!(), quote!()),
        Redraw::Always => (quote!(), draw_ahead_can_be_taken()),
        Redraw::IfChanged => {
            let draw = draw();
            (
                quote!(let __crt_before = __crt_e.clocks.rates[1];),
                quote!(if __crt_e.clocks.rates[1] != __crt_before { #draw }),
            )
        }
    };
    let checks = checks(cx, &step.checks);
    let (look, renew) = renewal(cx, number);
    quote!(#look #act; #rang #renew #before #refresh #redraw #checks)
}

/// An `at` rings again for an equal time if its own action has changed what the time is read from. For
/// numbers that is seen by comparing; anything else that is written counts as changed.
fn renewal(cx: &Cx<'_>, number: usize) -> (TokenStream, TokenStream) {
    let clock = &cx.resolved.clocks[number];
    let (Timing::At(at), Seat::Slot(_)) = (&clock.timing, cx.plan.seats[number]) else {
        return (TokenStream::new(), TokenStream::new());
    };
    let written: Vec<usize> = at.access.places().filter(|&place| clock.action.access.writes(place)).collect();
    if written.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let memory = memory(clock);
    let renew = quote!(__crt_e.clocks.#memory.renew(););
    if written.iter().any(|&place| !crate::resolve::is_number(&cx.resolved.places[place].ty)) {
        return (TokenStream::new(), renew);
    }
    let old = |place: usize| format_ident!("__crt_old_{}", cx.resolved.places[place].name());
    let look = written.iter().map(|&place| {
        let (old, place) = (old(place), cx.in_engine(place));
        quote!(let #old = #place;)
    });
    let changed = written.iter().map(|&place| {
        let (old, place) = (old(place), cx.in_engine(place));
        quote!(#place != #old)
    });
    (quote!(#(#look)*), quote!(if #(#changed)||* { #renew }))
}

/// The numbers for the race's next time are drawn before the event, and taken after it; here, where
/// the event could still be undone, it is seen to that they can.
fn draw_ahead_can_be_taken() -> TokenStream {
    quote!(__cr::Race::check(__crt_e.clocks.rates[1], __crt_e.progress.now)?;)
}

/// A timed clock that rings uses its time up.
fn rang(cx: &Cx<'_>, number: usize) -> TokenStream {
    let private = &cx.private;
    let clock = &cx.resolved.clocks[number];
    let Seat::Slot(slot) = cx.plan.seats[number] else { return TokenStream::new() };
    let memory = memory(clock);
    let off = quote!(__crt_e.clocks.times.set(#slot, #private::Moment::NEVER););
    match &clock.timing {
        Timing::Rate(_) | Timing::At(_) => quote!(__crt_e.clocks.#memory.rang(); #off),
        Timing::After { .. } => quote!(__crt_e.clocks.#memory.forget(); #off),
        Timing::Every { .. } => quote!(__crt_e.clocks.#memory.rang(__crt_e.progress.now);),
    }
}

/// `Model::next`.
pub(super) fn next(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let race = quote!(#private::Next { at: __crt_clocks.race.at, slot: #private::Next::RACE });
    let timed = quote!(#private::Next { at: __crt_at, slot: __crt_slot });
    let earliest = quote!(let (__crt_at, __crt_slot) = __crt_clocks.times.earliest(););
    let content = match (cx.plan.leaves.is_empty(), cx.plan.slots.is_empty()) {
        (true, true) => quote!(#private::Next { at: #private::Moment::NEVER, slot: 0 }),
        (false, true) => race,
        (true, false) => quote!(#earliest #timed),
        (false, false) => {
            let tie = tie(cx);
            quote! {
                #earliest
                let __crt_race = __crt_clocks.race.at;
                if __crt_race.before(__crt_at) || (__crt_race == __crt_at && #tie) {
                    #race
                } else {
                    #timed
                }
            }
        }
    };
    quote! {
        #[inline(always)]
        fn next(__crt_clocks: &Self::Clocks) -> #private::Next {
            #content
        }
    }
}

/// Whether the race goes first when it meets a timed clock at one instant.
fn tie(cx: &Cx<'_>) -> TokenStream {
    let rank = |clock: usize| u32::try_from(cx.plan.ranks[clock]).unwrap_or(u32::MAX);
    let slots = cx.plan.slots.iter().map(|&clock| rank(clock));
    let leaf = if cx.plan.unrolled {
        let tree = select(cx, 1, &|leaf| {
            let rank = rank(cx.plan.leaves[leaf]);
            quote!(#rank)
        });
        quote!({ let __crt_x = __crt_clocks.race.choice * __crt_clocks.rates[1]; #tree })
    } else {
        let private = &cx.private;
        let leaves = cx.plan.leaves.iter().map(|&clock| rank(clock));
        quote!([#(#leaves),*][#private::rates::pick(&__crt_clocks.rates[..], __crt_clocks.race.choice)])
    };
    quote!(__crt_race.time < __cr::core::primitive::f64::INFINITY && #leaf < [#(#slots),*][__crt_slot])
}

/// `Model::fire`.
///
/// The random numbers of the race do not depend on what happens, so they are drawn before the
/// branches: a processor that goes the wrong way has them still.
pub(super) fn fire(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let outcome = cx.result(&quote!(#event), "SimError");
    let content = choose(
        cx,
        &|clock| {
            let name = function("fire", &cx.resolved.clocks[clock].ident);
            quote!(Self::#name(__crt_e))
        },
        &|race| {
            quote! {
                let __crt_ahead = #private::Race::ahead(&mut *__crt_e.rng);
                let __crt_clocks = &*__crt_e.clocks;
                let __crt_outcome = #race;
                if __crt_outcome.is_ok() {
                    let __crt_now = __crt_e.progress.moment();
                    __crt_e.clocks.race.take(__crt_ahead, __crt_e.clocks.rates[1], __crt_now);
                }
                __crt_outcome
            }
        },
    );
    quote! {
        #[inline(always)]
        fn fire(__crt_e: &mut #engine, __crt_next: #private::Next) -> #outcome {
            #content
        }
    }
}

/// `Model::event_at`.
pub(super) fn event_at(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let [_, event, ..] = types::names(cx.model);
    let content = choose(
        cx,
        &|clock| {
            let variant = variant(&cx.resolved.clocks[clock].ident);
            quote!(#event::#variant)
        },
        &|race| race,
    );
    quote! {
        #[inline(always)]
        fn event_at(__crt_clocks: &Self::Clocks, __crt_next: #private::Next) -> #event {
            #content
        }
    }
}

/// `each` for the clock that is next; `race` may put something around those of the race.
fn choose(cx: &Cx<'_>, each: &dyn Fn(usize) -> TokenStream, race: &dyn Fn(TokenStream) -> TokenStream) -> TokenStream {
    let private = &cx.private;
    let arms = |clocks: &[usize]| -> TokenStream {
        let last = clocks.len() - 1;
        clocks
            .iter()
            .enumerate()
            .map(|(i, &clock)| {
                let each = each(clock);
                if i == last { quote!(_ => #each,) } else { quote!(#i => #each,) }
            })
            .collect()
    };
    let in_race = (!cx.plan.leaves.is_empty()).then(|| {
        race(if cx.plan.unrolled {
            let tree = select(cx, 1, &|leaf| each(cx.plan.leaves[leaf]));
            quote!({
                let __crt_x = __crt_clocks.race.choice * __crt_clocks.rates[1];
                #tree
            })
        } else {
            let arms = arms(&cx.plan.leaves);
            quote!(match #private::rates::pick(&__crt_clocks.rates[..], __crt_clocks.race.choice) { #arms })
        })
    });
    let timed = (!cx.plan.slots.is_empty()).then(|| {
        let arms = arms(&cx.plan.slots);
        quote!(match __crt_next.slot { #arms })
    });
    match (in_race, timed) {
        (Some(race), Some(timed)) => quote!(if __crt_next.slot == #private::Next::RACE { #race } else { #timed }),
        (Some(only), None) | (None, Some(only)) => only,
        (None, None) => quote!(#private::std::unreachable!("a model without clocks has no events")),
    }
}

/// A balanced tree of branches over the tree of rates, `leaf` at its ends: the branches are the
/// dispatch. A subtree whose rates are all zero is never entered, whatever rounding says.
fn select(cx: &Cx<'_>, node: usize, leaf: &dyn Fn(usize) -> TokenStream) -> TokenStream {
    let leaves = cx.plan.tree_len() / 2;
    if node >= leaves {
        return leaf(node - leaves);
    }
    let (left, right) = (2 * node, 2 * node + 1);
    let go_left = select(cx, left, leaf);
    if !cx.plan.in_use(right) {
        return go_left;
    }
    let go_right = select(cx, right, leaf);
    let rest = (right < leaves).then(|| quote!(let __crt_x = __crt_x - __crt_clocks.rates[#left];));
    quote! {
        if __crt_x < __crt_clocks.rates[#left] || __crt_clocks.rates[#right] <= 0.0 {
            #go_left
        } else {
            #rest
            #go_right
        }
    }
}
