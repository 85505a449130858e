//! What happens when a clock rings: selection, action, refreshes, checks.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::family::{Whose, field};
use super::refresh::{checks, draw, list, memory, times, trace};
use super::types::{self, text};
use super::{Cx, Site, or_fail, routes};
use crate::plan::{Redraw, Seat};
use crate::resolve::{Access, Form, PlaceKind, Timing, binder, function, variant};

/// Two functions for each clock: `fire`, which keeps what it needs to go back to, and `happen`.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    (0..cx.resolved.clocks.len())
        .map(|clock| match cx.resolved.clocks[clock].timing {
            Timing::Event { .. } => fire_event(cx, clock),
            // They have functions of their own.
            Timing::Step { .. } | Timing::Watch(_) => TokenStream::new(),
            _ => fire_one(cx, clock),
        })
        .collect()
}

/// A scheduled event, which has been taken out of the schedule, happens.
fn fire_event(cx: &Cx<'_>, number: usize) -> TokenStream {
    let private = &cx.private;
    let clock = &cx.resolved.clocks[number];
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let outcome = cx.result(&quote!(#private::core::option::Option<#event>), "SimError");
    let nothing = cx.result(&quote!(()), "SimError");
    let (fire, happen, act) =
        (function("fire", &clock.ident), function("happen", &clock.ident), function("act", &clock.ident));
    let (variant, whose) = (variant(&clock.ident), Whose::of(&clock.ident, &clock.family));
    let (save, restore) = undo(cx, number);
    let clear = clear_logs(cx, &clock.action.access);
    let (message, binders, values) = super::schedule::message(cx, clock);
    let types: Vec<_> = clock.args.iter().map(|(_, ty)| ty).collect();
    let parameters = quote!(#(#binders: usize,)*);
    // What would be dear to copy is lost with its event.
    let kept = cx.model.options.rollback || types.iter().all(|ty| crate::resolve::is_plain(ty));
    let (keep, put_back) = if kept {
        (
            quote!(let __crt_kept = { #(let #values = #private::core::clone::Clone::clone(&#values);)* #message };),
            quote!(__crt_e.clocks.schedule.put_back(__crt_taken, __crt_kept);),
        )
    } else {
        (quote!(let _ = __crt_taken;), TokenStream::new())
    };
    let indices = clock.indices().iter().map(|(ident, _)| binder(ident));
    let rang =
        if clock.indices().is_empty() { quote!(#event::#variant) } else { quote!(#event::#variant(#(#indices),*)) };
    let mut arguments = cx.arguments(&clock.action.access, Site::Engine);
    arguments.extend(values.iter().map(|value| quote!(#value)));
    let act = or_fail(&cx.called_with(&act, &clock.family, &arguments), &whose);
    let step = &cx.plan.steps[number];
    let rest = consequences(cx, number, step);
    let (inline, parts) = (cx.inline(), cx.resolved.parts);
    let Whose { name, index } = &whose;
    quote! {
        #inline
        #[allow(unused_variables)]
        fn #fire(
            __crt_e: &mut #engine,
            #parameters
            __crt_taken: #private::agenda::Taken<#private::schedule::Rank<#parts>>,
            #(#values: #types,)*
        ) -> #outcome {
            #(#clear)*
            let __crt_begun = __crt_e.clocks.schedule.begin(__crt_e.progress.moment());
            #keep
            #save
            match Self::#happen(__crt_e, #(#binders,)* #(#values,)*) {
                #private::core::result::Result::Ok(()) => {
                    #private::core::result::Result::Ok(#private::core::option::Option::Some(#rang))
                }
                #private::core::result::Result::Err(__crt_error) => {
                    #restore
                    Self::__cr_withdraw(__crt_e, &__crt_begun);
                    #put_back
                    #private::core::result::Result::Err(__crt_error.during(#name, #index))
                }
            }
        }

        #inline
        #[allow(unused_variables)]
        fn #happen(__crt_e: &mut #engine, #parameters #(#values: #types,)*) -> #nothing {
            #act;
            #rest
            #private::core::result::Result::Ok(())
        }
    }
}

/// What has been noted of the last event is forgotten.
pub(super) fn clear_logs(cx: &Cx<'_>, access: &Access) -> Vec<TokenStream> {
    let logs = access.logged.iter().map(|&place| {
        let log = field("log", &cx.resolved.places[place].ident);
        quote!(__crt_e.clocks.#log.clear();)
    });
    let followed = cx.activities().filter(|of| access.writes(of.activity.place) && cx.is_followed(of.number as usize));
    let instances = followed.map(|of| {
        let all = of.all();
        quote!(#all.forget_changes();)
    });
    logs.chain(instances).collect()
}

fn fire_one(cx: &Cx<'_>, number: usize) -> TokenStream {
    let private = &cx.private;
    let clock = &cx.resolved.clocks[number];
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let event_type = quote!(#private::core::option::Option<#event>);
    let outcome = cx.result(&event_type, "SimError");
    let nothing = cx.result(&quote!(()), "SimError");
    let (fire, happen) = (function("fire", &clock.ident), function("happen", &clock.ident));
    let (variant, whose) = (variant(&clock.ident), text(&clock.ident));
    let inline = if cx.plan.inlined { cx.inline() } else { quote!(#[inline(never)]) };
    let inner = cx.inline();
    let (family, access) = (&clock.family, &clock.action.access);
    let (save, restore) = undo(cx, number);
    // The timing of a clock whose event fails is put back, so that it rings once all is mended.
    let timing = match cx.plan.seats[number] {
        Seat::Slot(slot) => {
            let memory = memory(clock);
            let ((_, set), tell) = (times(clock, slot), cx.tell(number));
            Some((
                quote!(let __crt_timing = #private::core::clone::Clone::clone(&__crt_e.clocks.#memory);),
                quote! {
                    __crt_e.clocks.#memory = __crt_timing;
                    let __crt_at = __crt_e.progress.moment();
                    #set
                    #tell
                },
            ))
        }
        Seat::Leaf(_) | Seat::Schedule => None,
    };
    let (keep_timing, restore_timing) = timing.unzip();
    // A second ring at an instant is passed over, and used up.
    let (again, noted) = if clock.once {
        let once = field("once", &clock.ident);
        let once = if family.is_single() { quote!(#once) } else { quote!(#once[__crt_m]) };
        let (rang, tell) = (rang(cx, number), cx.tell(number));
        (
            quote! {
                if __crt_e.clocks.#once.time == __crt_e.progress.now {
                    #rang
                    #tell
                    return #private::core::result::Result::Ok(#private::core::option::Option::None);
                }
            },
            quote!(__crt_e.clocks.#once = __crt_e.progress.moment();),
        )
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    let content = happen_one(cx, number);
    let (proposes, proposal) = proposal(cx, number, &restore_timing);
    let clear = clear_logs(cx, access);
    let (begin, withdraw) = if access.schedule == Some(true) {
        (
            quote!(let __crt_begun = __crt_e.clocks.schedule.begin(__crt_e.progress.moment());),
            quote!(Self::__cr_withdraw(__crt_e, &__crt_begun);),
        )
    } else {
        (TokenStream::new(), TokenStream::new())
    };
    let index = Whose::of(&clock.ident, family).index;
    let binders: Vec<Ident> = family.binders.iter().map(|(ident, _)| binder(ident)).collect();
    let rang = if binders.is_empty() { quote!(#event::#variant) } else { quote!(#event::#variant(#(#binders),*)) };
    let member = (!family.is_single()).then(|| quote!(__crt_m: usize));
    let (decode, arguments) = (cx.decode(Site::Engine, family), cx.member_arguments(family));
    let (parameters, used) = (cx.member_parameters(family), cx.member_used(family));
    quote! {
        #inline
        fn #fire(__crt_e: &mut #engine, #member) -> #outcome {
            #decode
            #again
            #(#clear)*
            #keep_timing
            #proposes
            #begin
            #save
            match Self::#happen(__crt_e #arguments) {
                #private::core::result::Result::Ok(()) => {
                    #noted
                    #private::core::result::Result::Ok(#private::core::option::Option::Some(#rang))
                }
                #private::core::result::Result::Err(__crt_error) => {
                    #restore
                    #withdraw
                    #restore_timing
                    #private::core::result::Result::Err(__crt_error.during(#whose, #index))
                }
            }
        }

        #proposal

        #inner
        fn #happen(__crt_e: &mut #engine, #parameters) -> #nothing {
            #used
            #content
            #private::core::result::Result::Ok(())
        }
    }
}

/// A clock that has come up may only have proposed an event, or look again at how things stand: a call that ends
/// `fire` then, and the function that decides.
fn proposal(cx: &Cx<'_>, number: usize, restore_timing: &Option<TokenStream>) -> (TokenStream, TokenStream) {
    let private = &cx.private;
    let clock = &cx.resolved.clocks[number];
    let family = &clock.family;
    let (whose, memory) = (Whose::of(&clock.ident, family), memory(clock));
    let [propose, renew, refresh] = ["propose", "renew", "refresh"].map(|part| function(part, &clock.ident));
    let arguments = cx.member_arguments(family);
    let now = quote!(__crt_e.progress.moment());
    let again = |look: &Ident| {
        let tell = cx.tell(number);
        quote!(Self::#look(__crt_e #arguments)?; #tell return #private::core::result::Result::Ok(false);)
    };
    let content = match &clock.timing {
        Timing::Thinning(thinning) => {
            let looks = thinning.looks();
            let ended = thinning.until.as_ref().map(|_| {
                let again = again(&renew);
                quote!(if __crt_e.clocks.#memory.expired() { #again })
            });
            let rejected = match cx.plan.seats[number] {
                Seat::Slot(slot) => {
                    let ((_, set), tell) = (times(clock, slot), cx.tell(number));
                    quote! {
                        if !__crt_accepted {
                            let __crt_at = __crt_e.clocks.#memory.propose(#looks, #now, &mut *__crt_e.rng);
                            #set
                            #tell
                        }
                    }
                }
                Seat::Leaf(_) | Seat::Schedule => TokenStream::new(),
            };
            let hazard = function("hazard", &clock.ident);
            let rate = cx.call_with(&hazard, family, &thinning.rate.access, &whose, &quote!(__crt_s));
            let adapt = thinning.adapt;
            let accepted =
                or_fail(&quote!(__crt_e.clocks.#memory.accept(__crt_rate, #adapt, #now, &mut *__crt_e.rng)), &whose);
            let look = match cx.plan.seats[number] {
                Seat::Slot(slot) if looks => {
                    let ((_, set), tell) = (times(clock, slot), cx.tell(number));
                    let at = or_fail(&quote!(__crt_e.clocks.#memory.look(__crt_rate, #adapt, #now)), &whose);
                    quote! {
                        if __crt_e.clocks.#memory.looks() {
                            let __crt_at = #at;
                            #set
                            #tell
                            return #private::core::result::Result::Ok(false);
                        }
                    }
                }
                _ => TokenStream::new(),
            };
            quote! {
                #ended
                let __crt_s = __crt_e.clocks.#memory.elapsed(#now);
                let __crt_rate = #rate;
                #look
                let __crt_accepted = #accepted;
                #rejected
                #private::core::result::Result::Ok(__crt_accepted)
            }
        }
        Timing::Crosses { of, course, up, .. } => {
            let again = (!course).then(|| {
                let again = again(&refresh);
                quote!(if __crt_e.clocks.#memory.silent() { #again })
            });
            let value = cx.call(&function("crosses", &clock.ident), family, &of.access, &whose);
            // Which elements it reads has been noted when it was refreshed.
            let traces: Vec<(Ident, Ident)> = of.access.traced.iter().map(|&place| trace(cx, clock, place)).collect();
            let begin = traces.iter().map(|(trace, readers)| quote!(let #trace = __crt_e.clocks.#readers.trace();));
            let end = traces.iter().map(|(trace, readers)| quote!(__crt_e.clocks.#readers.give_back(#trace);));
            let (begin, end): (TokenStream, TokenStream) = (begin.collect(), end.collect());
            let value = if *course { quote!((#value).c[0]) } else { value };
            let value = if *up { quote!(-#value) } else { value };
            quote! {
                #again
                #begin
                let __crt_value = #value;
                #end
                __crt_e.clocks.#memory.rang(__crt_value, __crt_e.progress.now);
                #private::core::result::Result::Ok(true)
            }
        }
        _ => return (TokenStream::new(), TokenStream::new()),
    };
    let (engine, result) = (cx.engine(), cx.result(&quote!(#private::core::primitive::bool), "SimError"));
    let (parameters, used, inline) = (cx.member_parameters(family), cx.member_used(family), cx.inline());
    let Whose { name, index } = &whose;
    let call = quote! {
        match Self::#propose(__crt_e #arguments) {
            #private::core::result::Result::Ok(true) => {}
            #private::core::result::Result::Ok(false) => {
                return #private::core::result::Result::Ok(#private::core::option::Option::None);
            }
            #private::core::result::Result::Err(__crt_error) => {
                #restore_timing
                return #private::core::result::Result::Err(__crt_error.during(#name, #index));
            }
        }
    };
    let function = quote! {
        #inline
        fn #propose(__crt_e: &mut #engine, #parameters) -> #result {
            #used
            #content
        }
    };
    (call, function)
}

/// What an action writes is kept before it, and put back if the event fails.
pub(super) fn undo(cx: &Cx<'_>, number: usize) -> (TokenStream, TokenStream) {
    let private = &cx.private;
    // Of what flows, value and time go back together, whatever type it is.
    let rolls_back = |place: usize| cx.model.options.rollback || cx.resolved.places[place].flow.is_some();
    let access = &cx.resolved.clocks[number].action.access;
    let mut save = TokenStream::new();
    let mut restore = TokenStream::new();
    // What was written at run-time indices has been noted with its old value.
    for &place in &access.logged {
        let log = field("log", &cx.resolved.places[place].ident);
        if cx.resolved.places[place].relation.is_some() {
            let relation = cx.place(Site::Engine, place);
            restore.extend(quote!(#private::element::take_back(&mut #relation, &__crt_e.clocks.#log);));
            continue;
        }
        let slice = cx.slice_mut(Site::Engine, place);
        restore.extend(if rolls_back(place) {
            quote!(#private::family::undo_clone(&mut __crt_e.clocks.#log, #slice);)
        } else {
            quote!({
                let __crt_all = #slice;
                (&#private::family::noted(&*__crt_all)).__cr_undo(&mut __crt_e.clocks.#log, __crt_all);
            })
        });
        if cx.resolved.places[place].grows {
            let (all, length) = (cx.place(Site::Engine, place), format_ident!("__crt_length_{place}"));
            save.extend(quote!(let #length = #all.len();));
            restore.extend(quote!(#all.truncate(#length);));
        }
    }
    for (i, element) in access.elements.iter().filter(|element| element.write).enumerate() {
        let (at, saved) = (format_ident!("__crt_at_{i}"), format_ident!("__crt_saved_at_{i}"));
        let element_at = routes::own_element(cx, number, element);
        let (slice, slice_mut) = (cx.slice(Site::Engine, element.place), cx.slice_mut(Site::Engine, element.place));
        save.extend(quote!(let #at = #element_at;));
        if rolls_back(element.place) {
            save.extend(quote!(let #saved = #private::clone_at(#slice, #at);));
            restore.extend(quote!(#private::restore_at(#slice_mut, #at, #saved);));
        } else {
            save.extend(quote!(let #saved = (&#private::keep_at(#slice)).__cr_save(#slice, #at);));
            restore.extend(quote!((&#private::keep_at(#slice)).__cr_restore(#slice_mut, #at, #saved);));
        }
    }
    for place in access.written() {
        let of = &cx.resolved.places[place];
        // What was scheduled is withdrawn by itself.
        if of.relation.is_some() || matches!(of.kind, PlaceKind::Scheduled) {
            continue;
        }
        let saved = format_ident!("__crt_saved_{}", of.name());
        if !of.family.is_single() {
            if access.whole.contains(&(place, true)) {
                let (slice, slice_mut) = (cx.slice(Site::Engine, place), cx.slice_mut(Site::Engine, place));
                if rolls_back(place) {
                    save.extend(quote!(let #saved = #slice.to_vec();));
                    restore.extend(quote!(#slice_mut.clone_from_slice(&#saved);));
                } else {
                    save.extend(quote!(let #saved = (&#private::keep_at(#slice)).__cr_save_all(#slice);));
                    restore.extend(quote!((&#private::keep_at(#slice)).__cr_restore_all(#slice_mut, #saved);));
                }
            }
            continue;
        }
        let at = cx.place(Site::Engine, place);
        if rolls_back(place) {
            save.extend(quote!(let #saved = #private::core::clone::Clone::clone(&#at);));
            restore.extend(quote!(#at = #saved;));
        } else {
            save.extend(quote!(let #saved = (&#private::keep(&#at)).__cr_save(&#at);));
            restore.extend(quote!((&#private::keep(&#at)).__cr_restore(&mut #at, #saved);));
        }
    }
    (save, restore)
}

fn happen_one(cx: &Cx<'_>, number: usize) -> TokenStream {
    let clock = &cx.resolved.clocks[number];
    let step = &cx.plan.steps[number];
    let whose = Whose::of(&clock.ident, &clock.family);
    let act = cx.call(&function("act", &clock.ident), &clock.family, &clock.action.access, &whose);
    let rang = rang(cx, number);
    // The structure of a family has seen its member ring.
    let told = step.refresh.iter().any(|refresh| refresh.clock == number);
    let tell = (!told && matches!(cx.plan.seats[number], Seat::Slot(_))).then(|| cx.tell(number));
    let consequences = consequences(cx, number, step);
    let (look, renew) = renewal(cx, number);
    quote!(#look #act; #rang #renew #consequences #tell)
}

/// What follows from what clock `number` has written: refreshes, and checks.
pub(super) fn consequences(cx: &Cx<'_>, number: usize, step: &crate::plan::Step) -> TokenStream {
    let refresh = list(cx, Some(number), &step.refresh, &step.sums);
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
    quote!(#before #refresh #redraw #checks)
}

/// An `at` rings again for an equal time if its own action has changed what the time is read from. For single
/// numbers that is seen by comparing, for elements of families by their indices; anything else that is written
/// counts as changed.
fn renewal(cx: &Cx<'_>, number: usize) -> (TokenStream, TokenStream) {
    let clock = &cx.resolved.clocks[number];
    let (Timing::At(at), Seat::Slot(_)) = (&clock.timing, cx.plan.seats[number]) else {
        return (TokenStream::new(), TokenStream::new());
    };
    let mut look = TokenStream::new();
    let mut changed: Vec<TokenStream> = Vec::new();
    for place in at.access.places().filter(|&place| clock.action.access.writes(place)) {
        let of = &cx.resolved.places[place];
        if matches!(of.kind, PlaceKind::Since) {
            continue;
        }
        if matches!(of.kind, PlaceKind::Scheduled) {
            changed.push(quote!(true));
            continue;
        }
        if !of.family.is_single() {
            let (before, after) = elements_renewed(cx, number, &at.access, place);
            look.extend(before);
            changed.extend(after);
        } else if crate::resolve::is_number(&of.ty) {
            let (old, now) = (format_ident!("__crt_old_{}", of.name()), cx.place(Site::Engine, place));
            look.extend(quote!(let #old = #now;));
            changed.push(quote!(#now != #old));
        } else {
            changed.push(quote!(true));
        }
    }
    if changed.is_empty() {
        return (TokenStream::new(), TokenStream::new());
    }
    let memory = memory(clock);
    (look, quote!(if #(#changed)||* { __crt_e.clocks.#memory.renew(); }))
}

/// Whether an action changes an element of a family that the time of its own clock is read from: what is kept
/// before it, and conditions after it.
fn elements_renewed(cx: &Cx<'_>, number: usize, reads: &Access, place: usize) -> (TokenStream, Vec<TokenStream>) {
    let of = &cx.resolved.places[place];
    let read: Vec<_> = reads.elements.iter().filter(|element| element.place == place).collect();
    let whole = reads.whole.iter().any(|&(whole, _)| whole == place);
    let known = read.iter().all(|element| element.forms.iter().all(Form::is_direct));
    if whole || reads.traced.contains(&place) || !known || !crate::resolve::is_number(&of.ty) {
        return (TokenStream::new(), vec![quote!(true)]);
    }
    let slice = cx.slice(Site::Engine, place);
    let mut look = TokenStream::new();
    let mut changed = Vec::new();
    for (i, element) in read.into_iter().enumerate() {
        let at = routes::own_element(cx, number, element);
        let old = format_ident!("__crt_old_{}_{i}", of.name());
        let value = quote!(#at.and_then(|__crt_at| #slice.get(__crt_at).copied()));
        look.extend(quote!(let #old = #value;));
        changed.push(quote!(#value != #old));
    }
    (look, changed)
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
    let (_, set) = times(clock, slot);
    let off = quote!(let __crt_at = #private::Moment::NEVER; #set);
    // Its next time comes from a refresh in any case. Where that waits for little, taking the old one out first, which
    // waits for nothing, hides more than it costs; where many members are refreshed it does not.
    let waits = matches!(clock.timing, Timing::Hazard(_) | Timing::Thinning(_));
    let off = if waits { TokenStream::new() } else { off };
    match &clock.timing {
        Timing::Rate(_) | Timing::At(_) => quote!(__crt_e.clocks.#memory.rang(); #off),
        Timing::After { .. } => quote!(__crt_e.clocks.#memory.forget(); #off),
        Timing::Every { .. } => quote!(__crt_e.clocks.#memory.rang(__crt_e.progress.now);),
        // A crossing has been told of it before its action.
        Timing::Hazard(_) | Timing::Thinning(_) | Timing::Crosses { .. } => off,
        Timing::Event { .. } | Timing::Step { .. } | Timing::Watch(_) => TokenStream::new(),
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
    let content = if cx.resolved.schedules() { earlier_of_both(cx, &content) } else { content };
    quote! {
        #[inline(always)]
        fn next(__crt_clocks: &Self::Clocks) -> #private::Next {
            #content
        }
    }
}

/// What is scheduled, or the clock that `content` finds, whichever comes first.
fn earlier_of_both(cx: &Cx<'_>, content: &TokenStream) -> TokenStream {
    let private = &cx.private;
    let scheduled = quote!(#private::Next { at: __crt_scheduled, slot: #private::Next::SCHEDULE });
    if cx.plan.leaves.is_empty() && cx.plan.slots.is_empty() {
        return quote!(let __crt_scheduled = __crt_clocks.schedule.next(); #scheduled);
    }
    let standing = choose(
        cx,
        &|number| {
            let clock = &cx.resolved.clocks[number];
            let (priority, declaration) = (crate::resolve::priority_of(&clock.priority), clock.declaration);
            quote!((#priority, #declaration))
        },
        &|race| race,
        None,
    );
    quote! {
        let __crt_next = { #content };
        let __crt_scheduled = __crt_clocks.schedule.next();
        let __crt_first = __crt_scheduled.before(__crt_next.at)
            || (__crt_scheduled == __crt_next.at && __crt_scheduled.time < #private::core::primitive::f64::INFINITY && {
                #[allow(unused_variables)]
                let (__crt_priority, __crt_declaration) = #standing;
                __crt_clocks.schedule.precedes(__crt_priority, __crt_declaration)
            });
        if __crt_first { #scheduled } else { __crt_next }
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
        quote!([#(#leaves),*][#private::rates::pick(&__crt_clocks.rates[..], __crt_clocks.race.choice).0])
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
    let outcome = cx.result(&quote!(#private::core::option::Option<#event>), "SimError");
    let content = choose(
        cx,
        &|number| {
            let clock = &cx.resolved.clocks[number];
            let name = function("fire", &clock.ident);
            if clock.family.is_single() {
                return quote!(Self::#name(__crt_e));
            }
            let member = match cx.plan.seats[number] {
                Seat::Leaf(_) => {
                    let rates = field("rates", &clock.ident);
                    quote!(__crt_clocks.#rates.pick(__crt_x, &mut *__crt_e.rng))
                }
                Seat::Slot(_) | Seat::Schedule => {
                    let times = field("times", &clock.ident);
                    quote!(__crt_e.clocks.#times.earliest().1)
                }
            };
            quote!({ let __crt_m = #member; Self::#name(__crt_e, __crt_m) })
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
        Some(&quote!(Self::__cr_happen_scheduled(__crt_e))),
    );
    let content = if cx.resolved.activities.is_empty() {
        content
    } else {
        quote! {
            let __crt_outcome = { #content };
            if __crt_outcome.is_ok() {
                Self::__cr_settle(__crt_e)?;
            } else {
                Self::__cr_settle_anew(__crt_e);
            }
            __crt_outcome
        }
    };
    quote! {
        #[inline(always)]
        fn fire(__crt_e: &mut #engine, __crt_next: #private::Next) -> #outcome {
            #content
        }
    }
}

/// `Model::name_at`: the clock that is next, and its index if that is known.
pub(super) fn name_at(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let content = choose(
        cx,
        &|number| {
            let clock = &cx.resolved.clocks[number];
            let name = text(&clock.ident);
            match cx.plan.seats[number] {
                // Which member it is the race has not said yet; a relation that changes is not at hand.
                Seat::Slot(_) if !clock.family.is_single() && cx.changing(&clock.family).is_none() => {
                    let times = field("times", &clock.ident);
                    let (decode, index) =
                        (cx.decode(Site::Tallies, &clock.family), Whose::of(&clock.ident, &clock.family).index);
                    quote!({ let __crt_m = __crt_clocks.#times.earliest().1; #decode (#name, (#index).to_vec()) })
                }
                _ => quote!((#name, #private::std::vec::Vec::new())),
            }
        },
        &|race| race,
        Some(&quote!(Self::__cr_name_scheduled(__crt_clocks))),
    );
    quote! {
        #[allow(unused_variables)]
        fn name_at(
            __crt_clocks: &Self::Clocks,
            __crt_next: #private::Next,
        ) -> (&'static #private::core::primitive::str, #private::std::vec::Vec<#private::core::primitive::usize>) {
            #content
        }
    }
}

/// `each` for the clock that is next; `race` may put something around those of the race. `scheduled` is for what is
/// scheduled, if that may be next.
fn choose(
    cx: &Cx<'_>,
    each: &dyn Fn(usize) -> TokenStream,
    race: &dyn Fn(TokenStream) -> TokenStream,
    scheduled: Option<&TokenStream>,
) -> TokenStream {
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
            quote!({
                let (__crt_leaf, __crt_x) = #private::rates::pick(&__crt_clocks.rates[..], __crt_clocks.race.choice);
                match __crt_leaf { #arms }
            })
        })
    });
    let timed = (!cx.plan.slots.is_empty()).then(|| {
        let arms = arms(&cx.plan.slots);
        quote!(match __crt_next.slot { #arms })
    });
    let clocks = match (in_race, timed) {
        (Some(race), Some(timed)) => Some(quote!(if __crt_next.slot == #private::Next::RACE { #race } else { #timed })),
        (only, None) | (None, only) => only,
    };
    match (clocks, scheduled.filter(|_| cx.resolved.schedules())) {
        (Some(clocks), Some(scheduled)) => {
            quote!(if __crt_next.slot == #private::Next::SCHEDULE { #scheduled } else { #clocks })
        }
        (Some(clocks), None) => clocks,
        (None, Some(scheduled)) => scheduled.clone(),
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
    let family =
        |leaf: usize| cx.plan.leaves.get(leaf).is_some_and(|&clock| !cx.resolved.clocks[clock].family.is_single());
    // A family takes what is left for its own selection.
    let rest =
        (right < leaves || family(right - leaves)).then(|| quote!(let __crt_x = __crt_x - __crt_clocks.rates[#left];));
    quote! {
        if __crt_x < __crt_clocks.rates[#left] || __crt_clocks.rates[#right] <= 0.0 {
            #go_left
        } else {
            #rest
            #go_right
        }
    }
}
