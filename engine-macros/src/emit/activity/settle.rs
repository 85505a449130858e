//! Who goes on at an instant: conditions are looked at, and turns are taken.

use proc_macro2::TokenStream;
use quote::quote;

use crate::emit::Cx;
use crate::resolve::{Clock, Part, function};

/// Looks who goes on at this instant.
pub(super) fn settle(cx: &Cx<'_>) -> TokenStream {
    if cx.resolved.activities.is_empty() {
        return TokenStream::new();
    }
    let engine = cx.engine();
    let nothing = cx.result(&quote!(()), "SimError");
    let instances = cx.activities().map(|of| {
        let (number, field) = (of.number, &of.field);
        quote!(#number => __crt_e.clocks.schedule.activities.#field.has_turn(__crt_slot, &__crt_order),)
    });
    let tests = |line: bool| -> Vec<TokenStream> {
        cx.resolved
            .clocks
            .iter()
            .enumerate()
            .filter(|(_, clock)| {
                clock.watch().is_some_and(|watch| watch.part != Part::Speed && watch.line.is_some() == line)
            })
            .map(|(number, clock)| {
                let (holds, site) = (function("holds", &clock.ident), u32::try_from(number).unwrap_or(u32::MAX));
                if line {
                    return quote!(#site => Self::#holds(__crt_e, __crt_head.slot)?,);
                }
                let (field, shared) = (cx.site(number), clock.watch().is_some_and(crate::resolve::Watch::shared));
                quote! {
                    #site => {
                        let __crt_group = __crt_e.clocks.#field.group(__crt_member as usize);
                        let __crt_head = __crt_group.head().filter(|_| __crt_group.is_queued(&__crt_order));
                        match __crt_head {
                            __cr::core::option::Option::Some(__crt_head)
                                if !__crt_group.holds(__crt_number) && !Self::#holds(__crt_e, __crt_head.slot)? =>
                            {
                                __crt_e.clocks.schedule.turns.drop_candidate();
                                let __crt_group = __crt_e.clocks.#field.group(__crt_member as usize);
                                __crt_group.unqueued();
                                __crt_group.in_vain(#shared, &mut __crt_e.clocks.schedule.turns, __crt_turn);
                                continue;
                            }
                            __crt_head => __crt_head.is_some(),
                        }
                    }
                }
            })
            .collect()
    };
    let (groups, lines) = (tests(false), tests(true));
    let lines = if lines.is_empty() {
        quote!(__cr::schedule::Turn::Line { .. } => false,)
    } else {
        quote! {
            __cr::schedule::Turn::Line { line: __crt_line } => {
                let __crt_group = &__crt_e.clocks.schedule.lines[__crt_line as usize];
                match __crt_group.head().filter(|_| __crt_group.is_queued(&__crt_order)) {
                    __cr::core::option::Option::Some(__crt_head) => {
                        let __crt_holds = __crt_group.holds(__crt_number)
                            || match __crt_head.site { #(#lines)* _ => false };
                        if !__crt_holds {
                            let __crt_schedule = &mut __crt_e.clocks.schedule;
                            __crt_schedule.turns.drop_candidate();
                            let __crt_group = &mut __crt_schedule.lines[__crt_line as usize];
                            __crt_group.unqueued();
                            __crt_group.in_vain(true, &mut __crt_schedule.turns, __crt_turn);
                            continue;
                        }
                        true
                    }
                    __cr::core::option::Option::None => false,
                }
            }
        }
    };
    quote! {
        #[inline]
        fn __cr_settle(__crt_e: &mut #engine) -> #nothing {
            let __crt_number = __crt_e.clocks.schedule.turns.unsettle();
            while let __cr::core::option::Option::Some((__crt_order, __crt_turn)) =
                __crt_e.clocks.schedule.turns.candidate()
            {
                #[allow(unused_variables)]
                let __crt_holds = match __crt_turn {
                    __cr::schedule::Turn::Instance { activity: __crt_activity, slot: __crt_slot } => {
                        match __crt_activity { #(#instances)* _ => false }
                    }
                    __cr::schedule::Turn::Group { site: __crt_site, member: __crt_member } => {
                        match __crt_site { #(#groups)* _ => false }
                    }
                    #lines
                };
                if __crt_holds {
                    __crt_e.clocks.schedule.turns.confirm();
                    __crt_e.clocks.schedule.now = __crt_e.progress.moment();
                    break;
                }
                __crt_e.clocks.schedule.turns.drop_candidate();
            }
            __crt_e.clocks.schedule.settle();
            __cr::core::result::Result::Ok(())
        }

        // After a failure, of which there is enough to tell.
        #[cold]
        fn __cr_settle_anew(__crt_e: &mut #engine) {
            // What was found in it is void.
            __crt_e.clocks.schedule.turns.unsettle();
            let _ = Self::__cr_settle(__crt_e);
        }
    }
}

/// Somebody's turn is taken: an arm for each kind.
pub(in crate::emit) fn take(cx: &Cx<'_>) -> TokenStream {
    let instances = cx.activities().map(|of| {
        let (number, turn) = (of.number, of.function("turn"));
        quote!(#number => Self::#turn(__crt_e, __crt_slot, __crt_order),)
    });
    let watches: Vec<(usize, &Clock)> = cx
        .resolved
        .clocks
        .iter()
        .enumerate()
        .filter(|(_, clock)| clock.watch().is_some_and(|watch| watch.part != Part::Speed))
        .collect();
    let woken = |clock: &Clock| {
        let watch = clock.watch()?;
        let of = cx.activity(watch.activity);
        let (wake, held) = (of.function("wake"), watch.part == Part::Condition);
        Some(quote!(Self::#wake(__crt_e, __crt_head.slot, #held)))
    };
    let groups = watches.iter().filter(|(_, clock)| clock.watch().is_some_and(|watch| watch.line.is_none())).map(
        |(number, clock)| {
            let (site, field, wake) = (u32::try_from(*number).unwrap_or(u32::MAX), cx.site(*number), woken(clock));
            quote! {
                #site => {
                    let __crt_group = __crt_e.clocks.#field.group(__crt_member as usize);
                    __crt_group.unqueued();
                    let __crt_head = __crt_group.head();
                    let __crt_outcome = match __crt_head {
                        __cr::core::option::Option::Some(__crt_head) => #wake,
                        __cr::core::option::Option::None => __cr::core::result::Result::Ok(__cr::core::option::Option::None),
                    };
                    if __crt_outcome.is_err() {
                        __crt_e.clocks.#field.group(__crt_member as usize)
                            .touch(&mut __crt_e.clocks.schedule.turns, __crt_turn);
                    }
                    __crt_outcome
                }
            }
        },
    );
    let groups: Vec<TokenStream> = groups.collect();
    let lines = watches.iter().filter(|(_, clock)| clock.watch().is_some_and(|watch| watch.line.is_some())).map(
        |(number, clock)| {
            let (site, wake) = (u32::try_from(*number).unwrap_or(u32::MAX), woken(clock));
            quote!(#site => #wake,)
        },
    );
    let lines: Vec<TokenStream> = lines.collect();
    let none = quote!(__cr::core::result::Result::Ok(__cr::core::option::Option::None));
    quote! {
        match __crt_turn {
            __cr::schedule::Turn::Instance { activity: __crt_activity, slot: __crt_slot } => match __crt_activity {
                #(#instances)*
                _ => #none,
            },
            __cr::schedule::Turn::Group { site: __crt_site, member: __crt_member } => match __crt_site {
                #(#groups)*
                _ => #none,
            },
            __cr::schedule::Turn::Line { line: __crt_line } => {
                let __crt_group = &mut __crt_e.clocks.schedule.lines[__crt_line as usize];
                __crt_group.unqueued();
                let __crt_outcome = match __crt_group.head() {
                    __cr::core::option::Option::Some(__crt_head) => match __crt_head.site {
                        #(#lines)*
                        _ => #none,
                    },
                    __cr::core::option::Option::None => #none,
                };
                if __crt_outcome.is_err() {
                    let __crt_schedule = &mut __crt_e.clocks.schedule;
                    __crt_schedule.lines[__crt_line as usize].touch(&mut __crt_schedule.turns, __crt_turn);
                }
                __crt_outcome
            }
        }
    }
}
