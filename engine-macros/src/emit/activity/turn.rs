//! What happens when an instance goes on: a piece of its body, what follows from it, and its next wait.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::course::{ready, run, run_deferred};
use super::{Of, event, is_kept, pattern, wait};
use crate::emit::happen::{clear_logs, consequences, undo};
use crate::emit::{Cx, types};
use crate::resolve::{Clock, Course, PointKind, Role, Timing, binder, function, variant_of};

/// The parts of an activity that happen, with their numbers among the clocks.
fn steps<'a>(cx: &'a Cx<'_>, of: &Of<'_>) -> Vec<(usize, &'a Clock, usize)> {
    let mine = |clock: &Clock| match clock.timing {
        Timing::Step { activity, piece } if activity == of.number as usize => Some(piece),
        _ => None,
    };
    cx.resolved
        .clocks
        .iter()
        .enumerate()
        .filter_map(|(number, clock)| mine(clock).map(|piece| (number, clock, piece)))
        .collect()
}

/// All functions of one activity.
pub(super) fn functions(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let steps = steps(cx, of);
    let fire: TokenStream = steps.iter().map(|&(number, clock, piece)| fire(cx, of, number, clock, piece)).collect();
    let (wake, abort, end) = (wake(cx, of, &steps), abort(cx, of, &steps), wait::end(cx, of));
    quote!(#fire #wake #abort #end)
}

/// The line of the wait in front of a piece.
fn line_before(of: &Of<'_>, piece: usize) -> Option<usize> {
    match of.activity.pieces[piece].role {
        Role::After(point) | Role::Abort(point) => of.activity.points[point].line,
        _ => None,
    }
}

/// One piece, and all it jumps to, as an event.
fn fire(cx: &Cx<'_>, of: &Of<'_>, number: usize, clock: &Clock, piece: usize) -> TokenStream {
    let engine = cx.engine();
    let [_, event_type, ..] = types::names(cx.model);
    let outcome = cx.result(&quote!(__cr::core::option::Option<#event_type>), "SimError");
    let nothing = cx.result(&quote!(()), "SimError");
    let [fire, happen, follow] = ["fire", "happen", "follow"].map(|part| function(part, &clock.ident));
    let clear = clear_logs(cx, &clock.action.access);
    let (save, restore) = undo(cx, number);
    let (all, name, parts, time) = (of.all(), &of.name, cx.resolved.parts, cx.time_type());
    let (frame_type, generics) = (&of.frame, &of.generics);
    let members: Vec<Ident> = of.activity.members.binders.iter().map(|(ident, _)| binder(ident)).collect();
    let role = of.activity.pieces[piece].role;
    // Where an instance stands that is aborted: in front of the piece behind its wait, or at the start.
    let stands = match role {
        Role::Abort(point) => of.activity.points[point].resumes,
        _ => piece,
    };
    let at = pattern(cx, of, stands);
    let decode = (!members.is_empty()).then(|| {
        quote! {
            #[allow(unused_variables)]
            let (#(#members,)*) = match &__crt_frame {
                #at => (#(*#members,)*),
                #[allow(unreachable_patterns)]
                _ => __cr::core::unreachable!("the instance stands elsewhere"),
            };
        }
    });
    let left = left(of, piece);
    let (course, aborts) = (&of.activity.pieces[piece].course, matches!(role, Role::Abort(_)));
    let (run, ready) = if aborts {
        let ready = quote!(__cr::schedule::Ready::End(__cr::core::option::Option::None));
        (run_deferred(cx, of, piece, stands), ready)
    } else {
        (run(cx, of, piece), ready(cx, of, course))
    };
    // How many live and stand in line is known before anything that reads it is refreshed.
    let before = line_before(of, piece);
    // Whoever goes on has left his line.
    let leaves = before.map(|line| quote!(__crt_e.clocks.schedule.in_line[#line] -= 1;));
    let stays = before.map(|line| quote!(__crt_e.clocks.schedule.in_line[#line] += 1;));
    let (count, uncount) = (count(cx, of, course, aborts, true), count(cx, of, course, aborts, false));
    let rest = consequences(cx, number, &cx.plan.steps[number]);
    let (leave, begin) = (wait::leave(cx, of, role), wait::begin(cx, of, &course.waits));
    let (end, event) = (of.function("end"), event(cx, of));
    let (joined, key) = (&of.activity.joined, of.key());
    let inline = cx.inline();
    quote! {
        #[allow(unused_variables)]
        fn #fire(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_held: __cr::core::primitive::bool,
        ) -> #outcome {
            #(#clear)*
            let __crt_begun = __crt_e.clocks.schedule.begin(__crt_e.progress.moment());
            let __cr::core::option::Option::Some(__crt_frame) = __cr::core::clone::Clone::clone(&#all.get(__crt_slot).frame) else {
                return __cr::core::result::Result::Ok(__cr::core::option::Option::None);
            };
            let __crt_got = __cr::schedule::Got { held: __crt_held, left: #left };
            #decode
            #save
            let __crt_life =
                __cr::core::mem::replace(&mut #all.get_mut(__crt_slot).life, __cr::schedule::Life::Running);
            #leaves
            match Self::#happen(__crt_e, __crt_slot, #(#members,)* __crt_frame, __crt_got) {
                __cr::core::result::Result::Ok(()) => {
                    __cr::core::result::Result::Ok(__cr::core::option::Option::Some(#event))
                }
                __cr::core::result::Result::Err(__crt_error) => {
                    #stays
                    #restore
                    Self::__cr_withdraw(__crt_e, &__crt_begun);
                    // It stands where it stood.
                    #all.get_mut(__crt_slot).life = __crt_life;
                    __cr::core::result::Result::Err(__crt_error.during(#name, &[__crt_slot as usize]))
                }
            }
        }

        #inline
        #[allow(unused_variables)]
        fn #happen(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            #(#members: usize,)*
            __crt_frame: #frame_type #generics,
            __crt_got: __cr::schedule::Got<#time>,
        ) -> #nothing {
            let __crt_me: #key = #all.key(__crt_slot);
            #run
            let __crt_ready: __cr::schedule::Ready<#frame_type #generics, #joined, #parts> = #ready;
            #count
            if let __cr::core::result::Result::Err(__crt_error) = Self::#follow(__crt_e, #(#members),*) {
                #uncount
                return __cr::core::result::Result::Err(__crt_error);
            }
            #leave
            match __crt_ready {
                __cr::schedule::Ready::Wait(__crt_wait) => { #begin }
                __cr::schedule::Ready::End(__crt_result) => Self::#end(__crt_e, __crt_slot, __crt_result),
            }
            __cr::core::result::Result::Ok(())
        }

        #inline
        #[allow(unused_variables)]
        fn #follow(__crt_e: &mut #engine, #(#members: usize,)*) -> #nothing {
            #rest
            __cr::core::result::Result::Ok(())
        }
    }
}

/// How many live and stand in line changes by what `__crt_ready` says, or does so after all not.
fn count(cx: &Cx<'_>, of: &Of<'_>, course: &Course, aborts: bool, forth: bool) -> TokenStream {
    let (all, frame, followed) = (of.all(), &of.frame, cx.is_followed(of.number as usize));
    let more = if forth { quote!(+=) } else { quote!(-=) };
    let joined = course.waits.iter().filter_map(|&point| {
        let point = &of.activity.points[point];
        let (line, kept) = (point.line?, variant_of(point.resumes));
        Some(quote!(#frame::#kept { .. } => __crt_e.clocks.schedule.in_line[#line] #more 1,))
    });
    let joined: Vec<TokenStream> = joined.collect();
    let joins = (!joined.is_empty()).then(|| {
        quote! {
            if let __cr::schedule::Ready::Wait(__crt_wait) = &__crt_ready {
                match &__crt_wait.frame { #(#joined)* _ => {} }
            }
        }
    });
    let lives = !forth;
    let note = (forth && followed).then(|| quote!(#all.note_change(__crt_slot);));
    let ends = (course.ends || aborts).then(|| {
        quote! {
            if let __cr::schedule::Ready::End(_) = &__crt_ready {
                #all.count(__crt_slot, #lives);
                #note
            }
        }
    });
    quote!(#ends #joins)
}

/// What was left of the wait in front of a piece.
fn left(of: &Of<'_>, piece: usize) -> TokenStream {
    let all = of.all();
    let zero = quote!(__cr::core::default::Default::default());
    let Role::After(point) = of.activity.pieces[piece].role else { return zero };
    let point = &of.activity.points[point];
    if point.unless.is_none() || matches!(point.kind, PointKind::For | PointKind::Join { .. }) {
        return zero;
    }
    if point.speed.is_some() {
        return quote! {
            if __crt_held { 0.0 } else { #all.get(__crt_slot).work.left(__crt_e.progress.moment()) }
        };
    }
    quote! {
        match #all.get(__crt_slot).timer.and_then(|__crt_timer| __crt_e.clocks.schedule.timer_at(__crt_timer)) {
            __cr::core::option::Option::Some(__crt_at) if !__crt_held => {
                __cr::schedule::Time::between(__crt_e.progress.moment(), __crt_at)
            }
            _ => #zero,
        }
    }
}

/// The instance in a slot goes on, from wherever it stands.
fn wake(cx: &Cx<'_>, of: &Of<'_>, steps: &[(usize, &Clock, usize)]) -> TokenStream {
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let outcome = cx.result(&quote!(__cr::core::option::Option<#event>), "SimError");
    let (all, wake, turn, abort) = (of.all(), of.function("wake"), of.function("turn"), of.function("abort"));
    let (frame, parts, field, number) = (&of.frame, cx.resolved.parts, &of.field, of.number);
    let arms =
        steps.iter().filter(|(_, _, piece)| is_kept(of.activity.pieces[*piece].role)).map(|(_, clock, piece)| {
            let (kept, fire) = (variant_of(*piece), function("fire", &clock.ident));
            quote! {
                __cr::core::option::Option::Some(#frame::#kept { .. }) => {
                    Self::#fire(__crt_e, __crt_slot, __crt_held)
                }
            }
        });
    let arms: Vec<TokenStream> = arms.collect();
    quote! {
        #[inline]
        fn #wake(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_held: __cr::core::primitive::bool,
        ) -> #outcome {
            match &#all.get(__crt_slot).frame {
                #(#arms)*
                _ => __cr::core::result::Result::Ok(__cr::core::option::Option::None),
            }
        }

        #[inline]
        fn #turn(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_order: __cr::schedule::Order<#parts>,
        ) -> #outcome {
            let __crt_aborted = #all.take_turn(__crt_slot, &__crt_order);
            let __crt_outcome =
                if __crt_aborted { Self::#abort(__crt_e, __crt_slot) } else { Self::#wake(__crt_e, __crt_slot, true) };
            if __crt_outcome.is_err() {
                let __crt_schedule = &mut __crt_e.clocks.schedule;
                __crt_schedule.activities.#field.put_turn_back(
                    #number, __crt_slot, __crt_order, __crt_aborted, &mut __crt_schedule.turns,
                );
            }
            __crt_outcome
        }
    }
}

/// The instance in a slot is aborted, wherever it stands.
fn abort(cx: &Cx<'_>, of: &Of<'_>, steps: &[(usize, &Clock, usize)]) -> TokenStream {
    let engine = cx.engine();
    let [_, event, ..] = types::names(cx.model);
    let outcome = cx.result(&quote!(__cr::core::option::Option<#event>), "SimError");
    let (all, abort, frame) = (of.all(), of.function("abort"), &of.frame);
    let arms = steps.iter().filter_map(|(_, clock, piece)| {
        let stands = match of.activity.pieces[*piece].role {
            Role::Abort(point) => of.activity.points[point].resumes,
            _ => return None,
        };
        let (kept, fire) = (variant_of(stands), function("fire", &clock.ident));
        Some(quote! {
            __cr::core::option::Option::Some(#frame::#kept { .. }) => {
                Self::#fire(__crt_e, __crt_slot, false)
            }
        })
    });
    let arms: Vec<TokenStream> = arms.collect();
    quote! {
        fn #abort(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
        ) -> #outcome {
            match &#all.get(__crt_slot).frame {
                #(#arms)*
                _ => __cr::core::result::Result::Ok(__cr::core::option::Option::None),
            }
        }
    }
}
