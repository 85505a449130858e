//! How an instance leaves a wait, begins the next, and ends.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Of, pattern};
use crate::emit::Cx;
use crate::resolve::{PointKind, variant_of};

/// An instance leaves its wait: it is neither woken by it any more, nor asked.
pub(super) fn leave(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let (engine, all, frame) = (cx.engine(), of.all(), &of.frame);
    let arms = of.activity.points.iter().filter_map(|point| {
        let pattern = pattern(cx, of, point.resumes);
        let mut out = TokenStream::new();
        if let Some(line) = point.line {
            let number = u32::try_from(line).unwrap_or(u32::MAX);
            out.extend(quote!({
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                let __crt_turn = __cr::schedule::Turn::Line { line: #number };
                __crt_schedule.lines[#line].leave(&__crt_order, true, &mut __crt_schedule.turns, __crt_turn);
            }));
        }
        for watch in [point.condition.filter(|_| point.line.is_none()), point.unless].into_iter().flatten() {
            let (site, turn) = (cx.site(watch), cx.turn_of(watch));
            let member = cx.member_of(watch, of, point.resumes);
            out.extend(quote!({
                let __crt_member: usize = #member;
                __crt_e.clocks.#site.group(__crt_member).leave(
                    &__crt_order, false, &mut __crt_e.clocks.schedule.turns, #turn,
                );
            }));
        }
        if let Some(watch) = point.speed {
            let site = cx.site(watch);
            let member = cx.member_of(watch, of, point.resumes);
            out.extend(quote!({
                let __crt_member: usize = #member;
                __crt_e.clocks.#site.group(__crt_member).go(__crt_slot);
            }));
        }
        (!out.is_empty()).then(|| quote!(#pattern => { #out }))
    });
    let arms: Vec<TokenStream> = arms.collect();
    let look = (!arms.is_empty()).then(|| {
        quote! {
            #[allow(unused_variables, unreachable_patterns)]
            match &__crt_frame {
                #(#arms)*
                _ => {}
            }
        }
    });
    let leave = of.function("leave");
    let generics = &of.generics;
    quote! {
        #[inline]
        #[allow(unused_variables)]
        fn #leave(__crt_e: &mut #engine, __crt_slot: __cr::core::primitive::u32) {
            let __crt_instance = #all.get_mut(__crt_slot);
            let __crt_order = __crt_instance.order;
            let (__crt_timer, __crt_deadline) = (__crt_instance.timer.take(), __crt_instance.deadline.take());
            let __crt_frame: __cr::core::option::Option<#frame #generics> = __crt_instance.frame.take();
            if let __cr::core::option::Option::Some(__crt_timer) = __crt_timer {
                __crt_e.clocks.schedule.stop_timer(__crt_timer);
            }
            if let __cr::core::option::Option::Some(__crt_timer) = __crt_deadline {
                __crt_e.clocks.schedule.stop_timer(__crt_timer);
            }
            if let __cr::core::option::Option::Some(__crt_frame) = __crt_frame {
                #look
            }
        }
    }
}

/// An instance begins a wait, after it has left the one before.
pub(super) fn begin(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let (engine, all, frame, generics) = (cx.engine(), of.all(), &of.frame, &of.generics);
    let call_of = &of.field;
    let (parts, declaration, activity) = (cx.resolved.parts, of.activity.declaration, of.number);
    let arms = of.activity.points.iter().filter_map(|point| {
        let pattern = pattern(cx, of, point.resumes);
        let mut out = TokenStream::new();
        let site_number = |watch: usize| u32::try_from(watch).unwrap_or(u32::MAX);
        if let (Some(line), Some(watch)) = (point.line, point.condition) {
            let (number, site) = (u32::try_from(line).unwrap_or(u32::MAX), site_number(watch));
            out.extend(quote!({
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                let __crt_turn = __cr::schedule::Turn::Line { line: #number };
                let __crt_waiter = __cr::schedule::Waiter { order: __crt_order, slot: __crt_slot, site: #site };
                __crt_schedule.lines[#line].join(__crt_waiter, true, &mut __crt_schedule.turns, __crt_turn);
            }));
        }
        for watch in [point.condition.filter(|_| point.line.is_none()), point.unless].into_iter().flatten() {
            let (site, turn, number) = (cx.site(watch), cx.turn_of(watch), site_number(watch));
            let member = cx.member_of(watch, of, point.resumes);
            let shared = cx.resolved.clocks[watch].watch().is_some_and(crate::resolve::Watch::shared);
            out.extend(quote!({
                let __crt_member: usize = #member;
                let __crt_waiter = __cr::schedule::Waiter { order: __crt_order, slot: __crt_slot, site: #number };
                __crt_e.clocks.#site.group(__crt_member).join(
                    __crt_waiter, #shared, &mut __crt_e.clocks.schedule.turns, #turn,
                );
            }));
        }
        if let Some(watch) = point.speed {
            let (site, number) = (cx.site(watch), site_number(watch));
            let member = cx.member_of(watch, of, point.resumes);
            out.extend(quote!({
                let __crt_member: usize = #member;
                let __crt_waiter = __cr::schedule::Waiter { order: __crt_order, slot: __crt_slot, site: #number };
                __crt_e.clocks.#site.group(__crt_member).stand(__crt_waiter);
            }));
        }
        if let PointKind::Join { of: child, .. } = point.kind {
            let child = cx.activity(child);
            let (field, kept) = (&child.field, variant_of(point.resumes));
            out.extend(quote!({
                let __crt_child = *__crt_child;
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                let __crt_own = __crt_schedule.activities.#call_of.handle(__crt_slot);
                let __crt_result = if let __cr::core::option::Option::Some(__crt_joined) =
                    __crt_schedule.activities.#field.find(__crt_child)
                {
                    __crt_joined.joiners.push((#activity, __crt_own));
                    __cr::core::option::Option::None
                } else {
                    // It has ended already: what it gave may have been kept.
                    __cr::core::option::Option::Some(
                        __crt_schedule.activities.#field.collect(__crt_child).flatten(),
                    )
                };
                if let __cr::core::option::Option::Some(__crt_result) = __crt_result {
                    if let __cr::core::option::Option::Some(#frame::#kept { __crt_given, .. }) =
                        &mut __crt_schedule.activities.#call_of.get_mut(__crt_slot).frame
                    {
                        *__crt_given = __cr::core::option::Option::Some(__crt_result);
                    }
                    __crt_schedule.activities.#call_of.wake(#activity, __crt_slot, &mut __crt_schedule.turns);
                }
            }));
        }
        (!out.is_empty()).then(|| quote!(#pattern => { #out }))
    });
    let arms: Vec<TokenStream> = arms.collect();
    let look = (!arms.is_empty()).then(|| {
        quote! {
            #[allow(unused_variables, unreachable_patterns)]
            match &__crt_frame {
                #(#arms)*
                _ => {}
            }
        }
    });
    let (begin, leave) = (of.function("begin"), of.function("leave"));
    quote! {
        #[inline]
        #[allow(unused_variables)]
        fn #begin(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_wait: __cr::schedule::Waits<#frame #generics, #parts>,
        ) {
            Self::#leave(__crt_e, __crt_slot);
            let __crt_schedule = &mut __crt_e.clocks.schedule;
            let __crt_priority =
                __crt_wait.priority.unwrap_or(__crt_schedule.activities.#call_of.get(__crt_slot).priority);
            let __crt_order = __crt_schedule.turns.order(__crt_priority);
            let mut __crt_set = |__crt_at: __cr::core::option::Option<__cr::Moment>, __crt_held: bool| {
                let __crt_at = __crt_at.filter(|__crt_at| __crt_at.time < __cr::core::primitive::f64::INFINITY)?;
                let __crt_timer = __cr::schedule::Timer { slot: __crt_slot, held: __crt_held };
                __cr::core::option::Option::Some(
                    __crt_schedule.set_timer(__crt_at, __crt_priority, #declaration, __crt_timer),
                )
            };
            let __crt_timer = __crt_set(__crt_wait.at, true);
            let __crt_deadline = __crt_set(__crt_wait.deadline, false);
            let __crt_instance = #all.get_mut(__crt_slot);
            __crt_instance.life = __cr::schedule::Life::Waiting;
            __crt_instance.order = __crt_order;
            __crt_instance.timer = __crt_timer;
            __crt_instance.deadline = __crt_deadline;
            __crt_instance.work = __crt_wait.work;
            let __crt_frame = __cr::core::clone::Clone::clone(&__crt_wait.frame);
            __crt_instance.frame = __cr::core::option::Option::Some(__crt_wait.frame);
            #look
        }
    }
}

/// An instance has ended.
pub(super) fn end(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let (engine, all, joined) = (cx.engine(), of.all(), &of.activity.joined);
    let kept = of.activity.kept;
    // Who waits for it, where.
    let arms: Vec<TokenStream> = cx
        .activities()
        .filter_map(|other| {
            let waits: Vec<TokenStream> = other
                .activity
                .points
                .iter()
                .filter(
                    |point| matches!(point.kind, PointKind::Join { of: joined, .. } if joined == of.number as usize),
                )
                .map(|point| {
                    let (frame, kept) = (&other.frame, variant_of(point.resumes));
                    quote! {
                        __cr::core::option::Option::Some(#frame::#kept { __crt_given, .. }) => {
                            *__crt_given =
                                __cr::core::option::Option::Some(__cr::core::clone::Clone::clone(&__crt_result));
                        }
                    }
                })
                .collect();
            if waits.is_empty() {
                return None;
            }
            let (number, field) = (other.number, &other.field);
            Some(quote! {
                #number => {
                    if let __cr::core::option::Option::Some(__crt_instance) =
                        __crt_schedule.activities.#field.find(__crt_joiner)
                    {
                        #[allow(unreachable_patterns)]
                        match &mut __crt_instance.frame { #(#waits)* _ => {} }
                        __crt_schedule.activities.#field.wake(#number, __crt_joiner.slot(), &mut __crt_schedule.turns);
                    }
                }
            })
        })
        .collect();
    // Children of a `run` end with their parent.
    let aborts = of.activity.points.iter().filter_map(|point| {
        let PointKind::Join { of: child, child: true } = point.kind else { return None };
        let child = cx.activity(child);
        let (frame, kept, field, number) = (&of.frame, variant_of(point.resumes), &child.field, child.number);
        Some(quote! {
            __cr::core::option::Option::Some(#frame::#kept { __crt_child, .. }) => {
                let __crt_child = *__crt_child;
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                __crt_schedule.activities.#field.abort(#number, __crt_child, &mut __crt_schedule.turns);
            }
        })
    });
    let aborts: Vec<TokenStream> = aborts.collect();
    let aborts = (!aborts.is_empty()).then(|| {
        quote! {
            #[allow(unreachable_patterns)]
            match &#all.get(__crt_slot).frame { #(#aborts)* _ => {} }
        }
    });
    let releases = cx.activities().filter(|other| other.activity.kept).map(|other| {
        let (number, field) = (other.number, &other.field);
        quote!(#number => { __crt_schedule.activities.#field.collect(__crt_child); })
    });
    let releases: Vec<TokenStream> = releases.collect();
    let releases = (!releases.is_empty()).then(|| {
        quote! {
            for (__crt_kind, __crt_child) in __cr::core::mem::take(&mut #all.get_mut(__crt_slot).children) {
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                match __crt_kind { #(#releases)* _ => {} }
            }
        }
    });
    let orphan = kept.then(|| {
        let arms = cx.activities().map(|other| {
            let (number, field) = (other.number, &other.field);
            quote!(#number => __crt_e.clocks.schedule.activities.#field.lives(__crt_parent),)
        });
        quote! {
            && match #all.get(__crt_slot).parent {
                __cr::core::option::Option::Some((__crt_kind, __crt_parent)) => match __crt_kind {
                    #(#arms)*
                    _ => false,
                },
                __cr::core::option::Option::None => true,
            }
        }
    });
    let tell = if arms.is_empty() {
        quote!(let _ = __crt_joiners;)
    } else {
        quote! {
            for (__crt_kind, __crt_joiner) in __crt_joiners {
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                match __crt_kind { #(#arms)* _ => {} }
            }
        }
    };
    let (end, leave) = (of.function("end"), of.function("leave"));
    quote! {
        #[allow(unused_variables, clippy::unit_arg)]
        fn #end(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_result: __cr::core::option::Option<#joined>,
        ) {
            #aborts
            Self::#leave(__crt_e, __crt_slot);
            #releases
            let __crt_kept = #kept #orphan;
            let __crt_joiners = #all.end(__crt_slot, __cr::core::clone::Clone::clone(&__crt_result), __crt_kept);
            #tell
        }
    }
}
