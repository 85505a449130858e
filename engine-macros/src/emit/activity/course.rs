//! What an instance does when it goes on: a piece runs, and those it jumps to, until it waits or ends.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Of, call_piece, pattern, piece_function, variable};
use crate::emit::{Cx, Site};
use crate::resolve::{Course, Piece, PointKind, Role, binder, variant_of};

/// How many pieces are looked through where they may run; more have a function.
const LOOKED_THROUGH: usize = 4;

/// A piece runs, and all that it jumps to: this gives `__crt_step`.
pub(super) fn run(cx: &Cx<'_>, of: &Of<'_>, piece: usize) -> TokenStream {
    let (name, course) = (&of.name, &of.activity.pieces[piece].course);
    let again = quote! {
        // Going round and round without waiting is a kind of Zeno's.
        __crt_e.progress.again().map_err(|__crt_error| __crt_error.of(#name, &[__crt_slot as usize]))?;
    };
    let elsewhere = quote! {
        #[allow(unreachable_patterns)]
        _ => __cr::core::unreachable!("the instance stands elsewhere"),
    };
    if course.pieces.len() > LOOKED_THROUGH {
        let (first, go) = (call_piece(cx, of, piece), of.function("go"));
        return quote! {
            let __crt_step = match __crt_frame { #first #elsewhere };
            let __crt_step = match __crt_step {
                __cr::schedule::Step::Goto(__crt_frame) => {
                    #again
                    Self::#go(__crt_e, __crt_slot, __crt_me, __crt_frame)?
                }
                __crt_step => __crt_step,
            };
        };
    }
    let arms = course.pieces.iter().map(|&piece| call_piece(cx, of, piece));
    if course.pieces.len() == 1 {
        return quote!(let __crt_step = match __crt_frame { #(#arms)* #elsewhere };);
    }
    quote! {
        let mut __crt_frame = __crt_frame;
        let __crt_step = loop {
            let __crt_step = match __crt_frame { #(#arms)* #elsewhere };
            match __crt_step {
                __cr::schedule::Step::Goto(__crt_next) => __crt_frame = __crt_next,
                __crt_step => break __crt_step,
            }
            #again
        };
    }
}

/// What is deferred runs as an instance is aborted that stands in front of piece `stands`.
pub(super) fn run_deferred(cx: &Cx<'_>, of: &Of<'_>, piece: usize, stands: usize) -> TokenStream {
    let (at, name) = (pattern(cx, of, stands), &of.name);
    let members = of.activity.members.binders.iter().map(|(ident, _)| binder(ident));
    let body = &of.activity.pieces[piece];
    let takes = body.takes.iter().map(|(ident, _)| {
        let position = of.activity.pieces[stands].takes.iter().position(|(other, _)| other == ident);
        variable(position.unwrap_or_default())
    });
    let arguments = cx.arguments(&body.body.access, Site::Engine);
    let function = piece_function(of, piece);
    quote! {
        match __crt_frame {
            #at => {
                if let __cr::core::result::Result::Err(__crt_fault) =
                    Self::#function(#(#members,)* #(#arguments,)* __crt_me, #(#takes,)*)
                {
                    return __cr::core::result::Result::Err(
                        __crt_fault.at(__crt_e.progress.now, #name, &[__crt_slot as usize]),
                    );
                }
            }
            #[allow(unreachable_patterns)]
            _ => {}
        }
    }
}

/// Goes from piece to piece until the instance waits or ends, where many may follow.
pub(super) fn go(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let many = |piece: &Piece| piece.course.pieces.len() > LOOKED_THROUGH;
    if !of.activity.pieces.iter().any(many) {
        return TokenStream::new();
    }
    let (engine, key, frame, generics) = (cx.engine(), of.key(), &of.frame, &of.generics);
    let (step, name) = (of.step(cx), &of.name);
    let outcome = cx.result(&step, "SimError");
    let inner = of.activity.pieces.iter().enumerate().filter(|(_, piece)| piece.role == Role::Inner);
    let arms = inner.map(|(number, _)| call_piece(cx, of, number));
    let go = of.function("go");
    quote! {
        #[allow(unused_variables, unreachable_patterns)]
        fn #go(
            __crt_e: &mut #engine,
            __crt_slot: __cr::core::primitive::u32,
            __crt_me: #key,
            __crt_frame: #frame #generics,
        ) -> #outcome {
            let mut __crt_frame = __crt_frame;
            loop {
                let __crt_step = match __crt_frame {
                    #(#arms)*
                    _ => __cr::core::unreachable!("there are no other pieces"),
                };
                match __crt_step {
                    __cr::schedule::Step::Goto(__crt_next) => __crt_frame = __crt_next,
                    __crt_step => return __cr::core::result::Result::Ok(__crt_step),
                }
                __crt_e.progress.again().map_err(|__crt_error| __crt_error.of(#name, &[__crt_slot as usize]))?;
            }
        }
    }
}

/// What an instance does next, from `__crt_step`, with everything evaluated that could fail.
pub(super) fn ready(cx: &Cx<'_>, of: &Of<'_>, course: &Course) -> TokenStream {
    let (frame, name) = (&of.frame, &of.name);
    let fail = |outcome: TokenStream| {
        quote! {
            match #outcome {
                __cr::core::result::Result::Ok(__crt_value) => __crt_value,
                __cr::core::result::Result::Err(__crt_fault) => {
                    return __cr::core::result::Result::Err(
                        __crt_fault.at(__crt_now.time, #name, &[__crt_slot as usize]),
                    );
                }
            }
        }
    };
    let none = quote!(__cr::core::option::Option::None);
    let points = || course.waits.iter().map(|&point| &of.activity.points[point]);
    let arms = points().filter_map(|point| {
        let kept = variant_of(point.resumes);
        let at = match (&point.kind, point.speed) {
            (PointKind::Delay, Some(speed)) => {
                let rate = cx.speed_of(speed, &quote!(&__crt_wait.frame));
                let length = fail(quote!(__cr::schedule::Time::wait(__crt_wait.length, || "`wait`".into(), __crt_now)));
                quote!({
                    let _ = #length;
                    let __crt_speed = #rate;
                    __crt_work.left = __crt_wait.length.max(0.0);
                    __crt_work.since = __crt_now;
                    __cr::core::option::Option::Some(__crt_work.run(__crt_speed, __crt_now))
                })
            }
            (PointKind::Delay, None) => {
                let at = fail(quote!(__cr::schedule::Time::wait(__crt_wait.length, || "`wait`".into(), __crt_now)));
                quote!(__cr::core::option::Option::Some(#at))
            }
            (PointKind::Until, _) => {
                let at =
                    fail(quote!(__cr::schedule::Time::until(__crt_wait.length, || "`wait_until`".into(), __crt_now)));
                quote!(__cr::core::option::Option::Some(#at))
            }
            _ => return None,
        };
        Some(quote!(#frame::#kept { .. } => #at,))
    });
    let arms: Vec<TokenStream> = arms.collect();
    let at = if arms.is_empty() {
        none.clone()
    } else {
        quote! {
            match &__crt_wait.frame {
                #(#arms)*
                #[allow(unreachable_patterns)]
                _ => #none,
            }
        }
    };
    let deadline = if points().any(|point| point.patient) {
        let timeout = fail(quote!(__cr::schedule::Time::wait(__crt_timeout, || "`timeout`".into(), __crt_now)));
        quote! {
            match __crt_wait.timeout {
                __cr::core::option::Option::Some(__crt_timeout) => __cr::core::option::Option::Some(#timeout),
                __cr::core::option::Option::None => #none,
            }
        }
    } else {
        none.clone()
    };
    let ended = if of.activity.fallible {
        let stops = of.activity.stops;
        quote! {
            match __crt_value {
                __cr::core::result::Result::Ok(__crt_value) => __cr::core::option::Option::Some(__crt_value),
                __cr::core::result::Result::Err(__crt_error) => {
                    let __crt_error = __cr::schedule::failure(__crt_error)
                        .at(__crt_now.time, #name, &[__crt_slot as usize])
                        .during(#name, &[__crt_slot as usize]);
                    if #stops {
                        return __cr::core::result::Result::Err(__crt_error);
                    }
                    __crt_e.progress.fails(__crt_error);
                    #none
                }
            }
        }
    } else {
        quote!(__cr::core::option::Option::Some(__crt_value))
    };
    let wait = (!course.waits.is_empty()).then(|| {
        quote! {
            __cr::schedule::Step::Wait(__crt_wait) => {
                #[allow(unused_mut)]
                let mut __crt_work = __cr::schedule::Work::NONE;
                let __crt_at = #at;
                let __crt_deadline = #deadline;
                __cr::schedule::Ready::Wait(__cr::schedule::Waits {
                    frame: __crt_wait.frame,
                    at: __crt_at,
                    deadline: __crt_deadline,
                    priority: __crt_wait.priority,
                    work: __crt_work,
                })
            }
        }
    });
    let end =
        course.ends.then(|| quote!(__cr::schedule::Step::End(__crt_value) => __cr::schedule::Ready::End(#ended),));
    quote!({
        let __crt_now = __crt_e.progress.moment();
        match __crt_step {
            #wait
            #end
            #[allow(unreachable_patterns)]
            _ => __cr::core::unreachable!("an instance goes on until it waits or ends"),
        }
    })
}
