//! How an instance leaves a wait, begins the next, and ends.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;

use super::{Of, pattern};
use crate::emit::Cx;
use crate::resolve::{PointKind, Role, variant_of};

/// An instance leaves the wait it stood in: it is neither woken by it any more, nor asked.
pub(super) fn leave(cx: &Cx<'_>, of: &Of<'_>, role: Role) -> TokenStream {
    let (point, aborted) = match role {
        Role::After(point) => (&of.activity.points[point], false),
        Role::Abort(point) => (&of.activity.points[point], true),
        Role::Start | Role::Inner => return TokenStream::new(),
    };
    let all = of.all();
    let mut out = TokenStream::new();
    if let Some(line) = point.line {
        let number = u32::try_from(line).unwrap_or(u32::MAX);
        out.extend(quote! {
            let __crt_order = #all.get(__crt_slot).order;
            let __crt_schedule = &mut __crt_e.clocks.schedule;
            let __crt_turn = __cr::schedule::Turn::Line { line: #number };
            __crt_schedule.lines[#line].leave(&__crt_order, true, &mut __crt_schedule.turns, __crt_turn);
        });
    }
    for watch in [point.condition.filter(|_| point.line.is_none()), point.unless].into_iter().flatten() {
        let (site, turn) = (cx.site(watch), cx.turn_of(watch));
        let member = cx.member_left(watch, of, point.resumes);
        out.extend(quote! {
            let __crt_member: usize = #member;
            let __crt_order = #all.get(__crt_slot).order;
            __crt_e.clocks.#site.group(__crt_member).leave(
                &__crt_order, false, &mut __crt_e.clocks.schedule.turns, #turn,
            );
        });
    }
    if let Some(watch) = point.speed {
        let (site, member) = (cx.site(watch), cx.member_left(watch, of, point.resumes));
        out.extend(quote! {
            let __crt_member: usize = #member;
            __crt_e.clocks.#site.group(__crt_member).go(__crt_slot);
        });
    }
    // The end of the wait itself, unless that is how it has ended; and that of its patience.
    let timed = matches!(point.kind, PointKind::Delay | PointKind::Until);
    let timer = match (timed, aborted) {
        (true, true) => Some(quote!(true)),
        (true, false) if point.patient || point.unless.is_some() => Some(quote!(!__crt_got.held)),
        _ => None,
    };
    let timer = timer.map(|stopped| (quote!(timer), stopped));
    let deadline = point.patient.then(|| (quote!(deadline), quote!(true)));
    for (which, stopped) in timer.into_iter().chain(deadline) {
        out.extend(quote! {
            if let (true, __cr::core::option::Option::Some(__crt_timer)) = (#stopped, #all.get(__crt_slot).#which) {
                __crt_e.clocks.schedule.stop_timer(__crt_timer);
            }
        });
    }
    quote!({ #out })
}

/// An instance begins one of some waits, after it has left the one before.
pub(super) fn begin(cx: &Cx<'_>, of: &Of<'_>, waits: &BTreeSet<usize>) -> TokenStream {
    let points = || waits.iter().map(|&point| &of.activity.points[point]);
    if waits.is_empty() {
        return quote!(let _ = __crt_wait;);
    }
    let (all, declaration) = (of.all(), of.activity.declaration);
    let all_of = &of.field;
    let (stand, join) = (stand(cx, of, waits), join(cx, of, waits));
    let set = |at: TokenStream, held: bool| {
        quote! {
            match #at {
                __cr::core::option::Option::Some(__crt_at)
                    if __crt_at.time < __cr::core::primitive::f64::INFINITY =>
                {
                    let __crt_timer = __cr::schedule::Timer { slot: __crt_slot, held: #held };
                    __cr::core::option::Option::Some(
                        __crt_schedule.set_timer(__crt_at, __crt_priority, #declaration, __crt_timer),
                    )
                }
                _ => __cr::core::option::Option::None,
            }
        }
    };
    let (timer, deadline) = (set(quote!(__crt_wait.at), true), set(quote!(__crt_wait.deadline), false));
    let work = points().any(|point| point.speed.is_some()).then(|| quote!(__crt_instance.work = __crt_wait.work;));
    quote! {
        let __crt_schedule = &mut __crt_e.clocks.schedule;
        let __crt_priority =
            __crt_wait.priority.unwrap_or(__crt_schedule.activities.#all_of.get(__crt_slot).priority);
        let __crt_order = __crt_schedule.turns.order(__crt_priority);
        let __crt_timer = #timer;
        let __crt_deadline = #deadline;
        #stand
        let __crt_instance = #all.get_mut(__crt_slot);
        __crt_instance.life = __cr::schedule::Life::Waiting;
        __crt_instance.order = __crt_order;
        __crt_instance.timer = __crt_timer;
        __crt_instance.deadline = __crt_deadline;
        #work
        __crt_instance.frame = __cr::core::option::Option::Some(__crt_wait.frame);
        #join
    }
}

/// It stands where it will be asked.
fn stand(cx: &Cx<'_>, of: &Of<'_>, waits: &BTreeSet<usize>) -> Option<TokenStream> {
    let site_number = |watch: usize| u32::try_from(watch).unwrap_or(u32::MAX);
    let arms = waits.iter().filter_map(|&point| {
        let point = &of.activity.points[point];
        let pattern = pattern(cx, of, point.resumes);
        let mut out = TokenStream::new();
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
        (!out.is_empty()).then(|| quote!(#pattern => { #out }))
    });
    let arms: Vec<TokenStream> = arms.collect();
    (!arms.is_empty()).then(|| {
        quote! {
            #[allow(unused_variables, unreachable_patterns)]
            match &__crt_wait.frame {
                #(#arms)*
                _ => {}
            }
        }
    })
}

/// It waits for the end of another instance, which may have ended already.
fn join(cx: &Cx<'_>, of: &Of<'_>, waits: &BTreeSet<usize>) -> Option<TokenStream> {
    let (all, own, activity, frame) = (of.all(), &of.field, of.number, &of.frame);
    let arms = waits.iter().filter_map(|&point| {
        let point = &of.activity.points[point];
        let PointKind::Join { of: child, .. } = point.kind else { return None };
        let field = cx.activity(child).field;
        let kept = variant_of(point.resumes);
        Some(quote! {
            __cr::core::option::Option::Some(#frame::#kept { __crt_child, .. }) => {
                let __crt_child = *__crt_child;
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                let __crt_own = __crt_schedule.activities.#own.handle(__crt_slot);
                if let __cr::core::option::Option::Some(__crt_joined) =
                    __crt_schedule.activities.#field.find(__crt_child)
                {
                    __crt_joined.joiners.push((#activity, __crt_own));
                } else {
                    // It has ended already: what it gave may have been kept.
                    let __crt_result = __crt_schedule.activities.#field.collect(__crt_child).flatten();
                    if let __cr::core::option::Option::Some(#frame::#kept { __crt_given, .. }) =
                        &mut __crt_schedule.activities.#own.get_mut(__crt_slot).frame
                    {
                        *__crt_given = __cr::core::option::Option::Some(__crt_result);
                    }
                    __crt_schedule.activities.#own.wake(#activity, __crt_slot, &mut __crt_schedule.turns);
                }
            }
        })
    });
    let arms: Vec<TokenStream> = arms.collect();
    (!arms.is_empty()).then(|| {
        quote! {
            #[allow(unreachable_patterns)]
            match &#all.get(__crt_slot).frame {
                #(#arms)*
                _ => {}
            }
        }
    })
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
    let end = of.function("end");
    quote! {
        #[allow(unused_variables, clippy::unit_arg)]
        fn #end(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_result: __cr::core::option::Option<#joined>,
        ) {
            #aborts
            #releases
            let __crt_kept = #kept #orphan;
            let __crt_joiners = #all.end(__crt_slot, __cr::core::clone::Clone::clone(&__crt_result), __crt_kept);
            #tell
        }
    }
}
