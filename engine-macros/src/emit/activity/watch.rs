//! What instances wait for: conditions are looked at when what they read has been written, and speeds are taken anew.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Type;

use super::{Of, pattern, variable};
use crate::emit::bodies::value_with;
use crate::emit::family::field;
use crate::emit::{Cx, Site};
use crate::resolve::{Clock, OWN, Part, Watch, binder, function};

impl Cx<'_> {
    /// The field with those who wait.
    pub(in crate::emit) fn site(&self, watch: usize) -> Ident {
        field("site", &self.resolved.clocks[watch].ident)
    }

    /// The turn of a group of member `__crt_member`.
    pub(super) fn turn_of(&self, watch: usize) -> TokenStream {
        let site = u32::try_from(watch).unwrap_or(u32::MAX);
        quote!(__cr::schedule::Turn::Group { site: #site, member: __crt_member as u32 })
    }

    /// The number of the member for which an instance waits in front of a piece, from references to its variables.
    pub(super) fn member_of(&self, watch: usize, of: &Of<'_>, piece: usize) -> TokenStream {
        let mut number = quote!(0usize);
        for (i, (ident, set)) in self.resolved.clocks[watch].family.binders.iter().enumerate() {
            let index = if ident == OWN {
                quote!((__crt_slot as usize))
            } else {
                let index = index(of, piece, ident);
                quote!(*#index)
            };
            number = if i == 0 {
                index
            } else {
                let size = self.size(Site::Engine, *set);
                quote!(#number * #size + #index)
            };
        }
        number
    }

    /// The same, of the instance in its slot.
    pub(super) fn member_left(&self, watch: usize, of: &Of<'_>, piece: usize) -> TokenStream {
        let member = self.member_of(watch, of, piece);
        let binders = &self.resolved.clocks[watch].family.binders;
        if binders.iter().all(|(ident, _)| ident == OWN) {
            return member;
        }
        let (all, pattern) = (of.all(), pattern(self, of, piece));
        quote! {
            match &#all.get(__crt_slot).frame {
                __cr::core::option::Option::Some(#pattern) => #member,
                _ => __cr::core::unreachable!("the instance stands elsewhere"),
            }
        }
    }

    /// The speed of an instance that stands in front of a piece, from a reference to its frame.
    pub(super) fn speed_of(&self, watch: usize, frame: &TokenStream) -> TokenStream {
        let speed = function("speedof", &self.resolved.clocks[watch].ident);
        quote!(Self::#speed(__crt_e, __crt_slot, #frame)?)
    }
}

/// The variable in which `pattern` holds `ident`.
fn index(of: &Of<'_>, piece: usize, ident: &Ident) -> Ident {
    if of.activity.members.binders.iter().any(|(member, _)| member == ident) {
        return binder(ident);
    }
    let position = of.activity.pieces[piece].takes.iter().position(|(other, _)| other == ident);
    variable(position.unwrap_or_default())
}

/// All functions.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    cx.resolved
        .clocks
        .iter()
        .enumerate()
        .filter_map(|(number, clock)| Some(of_watch(cx, number, clock, clock.watch()?)))
        .collect()
}

fn of_watch(cx: &Cx<'_>, number: usize, clock: &Clock, watch: &Watch) -> TokenStream {
    let of = cx.activity(watch.activity);
    let (engine, all, name) = (cx.engine(), of.all(), &of.name);
    let args: Vec<TokenStream> = watch
        .others
        .iter()
        .map(|(ident, ty)| if ident == "me" { quote!(__crt_me: #ty) } else { quote!(#ident: &#ty) })
        .collect();
    let ty: Type = match watch.part {
        Part::Speed => syn::parse_quote!(__cr::core::primitive::f64),
        _ => syn::parse_quote!(__cr::core::primitive::bool),
    };
    let test = function("test", &clock.ident);
    let value = value_with(cx, &test, &clock.family, &watch.body, &ty, args);
    // Its arguments, from what is kept of the instance.
    let at = pattern(cx, &of, watch.piece);
    let indices = clock.family.binders.iter().map(|(ident, _)| {
        if ident == OWN {
            return quote!(__crt_slot as usize,);
        }
        let index = index(&of, watch.piece, ident);
        quote!(*#index,)
    });
    let indices: Vec<TokenStream> = indices.collect();
    let others: Vec<TokenStream> = watch
        .others
        .iter()
        .map(|(ident, _)| {
            if ident == "me" {
                quote!(#all.key(__crt_slot),)
            } else {
                let variable = index(&of, watch.piece, ident);
                quote!(#variable,)
            }
        })
        .collect();
    let arguments = cx.arguments(&watch.body.access, Site::Engine);
    let call = quote!(Self::#test(#(#indices)* #(#arguments,)* #(#others)*));
    let failed = quote! {
        __cr::core::result::Result::Err(__crt_fault.at(__crt_e.progress.now, #name, &[__crt_slot as usize]))
    };
    let looks = match watch.part {
        Part::Speed => {
            let (speed_of, frame, generics) = (function("speedof", &clock.ident), &of.frame, &of.generics);
            let outcome = cx.result(&quote!(__cr::core::primitive::f64), "SimError");
            quote! {
                #[allow(unused_variables)]
                fn #speed_of(
                    __crt_e: &#engine,
                    __crt_slot: __cr::core::primitive::u32,
                    __crt_frame: &#frame #generics,
                ) -> #outcome {
                    let __crt_speed = match __crt_frame {
                        #at => #call,
                        #[allow(unreachable_patterns)]
                        _ => __cr::core::result::Result::Ok(0.0),
                    };
                    match __crt_speed.and_then(__cr::timing::speed) {
                        __cr::core::result::Result::Ok(__crt_speed) => __cr::core::result::Result::Ok(__crt_speed),
                        __cr::core::result::Result::Err(__crt_fault) => #failed,
                    }
                }
            }
        }
        _ => {
            let holds = function("holds", &clock.ident);
            let outcome = cx.result(&quote!(__cr::core::primitive::bool), "SimError");
            quote! {
                #[allow(unused_variables)]
                fn #holds(__crt_e: &#engine, __crt_slot: __cr::core::primitive::u32) -> #outcome {
                    match &#all.get(__crt_slot).frame {
                        __cr::core::option::Option::Some(#at) => match #call {
                            __cr::core::result::Result::Ok(__crt_holds) => __cr::core::result::Result::Ok(__crt_holds),
                            __cr::core::result::Result::Err(__crt_fault) => #failed,
                        },
                        #[allow(unreachable_patterns)]
                        _ => __cr::core::result::Result::Ok(false),
                    }
                }
            }
        }
    };
    let everybody = everybody(cx, number, clock, watch);
    quote!(#value #looks #everybody)
}

/// What the watch reads has been written, for all members.
fn everybody(cx: &Cx<'_>, number: usize, clock: &Clock, watch: &Watch) -> TokenStream {
    let (engine, everybody, refresh) =
        (cx.engine(), function("everybody", &clock.ident), function("refreshgroup", &clock.ident));
    let result = cx.result(&quote!(()), "SimError");
    let all = if watch.line.is_some() {
        quote!(Self::#refresh(__crt_e, 0)?;)
    } else {
        let site = cx.site(number);
        quote! {
            for __crt_m in 0..__crt_e.clocks.#site.members() {
                Self::#refresh(__crt_e, __crt_m)?;
            }
        }
    };
    let content = touched(cx, number, clock, watch);
    quote! {
        fn #everybody(__crt_e: &mut #engine) -> #result {
            #all
            __cr::core::result::Result::Ok(())
        }

        #[allow(unused_variables)]
        fn #refresh(__crt_e: &mut #engine, __crt_m: __cr::core::primitive::usize) -> #result {
            #content
            __cr::core::result::Result::Ok(())
        }
    }
}

/// What the watch reads has been written, for member `__crt_m`.
fn touched(cx: &Cx<'_>, number: usize, clock: &Clock, watch: &Watch) -> TokenStream {
    let of = cx.activity(watch.activity);
    let (all, holds) = (of.all(), function("holds", &clock.ident));
    if let Some(line) = watch.line {
        let (turn, own) = (u32::try_from(line).unwrap_or(u32::MAX), u32::try_from(number).unwrap_or(u32::MAX));
        return quote! {
            match __crt_e.clocks.schedule.lines[#line].first() {
                // Behind whoever stands first nobody is asked; and once he goes on, which it may be that does this, whoever is
                // next will be.
                __cr::core::option::Option::Some(__crt_first)
                    if __crt_first.site == #own
                        && #all.get(__crt_first.slot).life == __cr::schedule::Life::Waiting =>
                {
                    let __crt_holds = Self::#holds(__crt_e, __crt_first.slot)?;
                    let __crt_schedule = &mut __crt_e.clocks.schedule;
                    let __crt_turn = __cr::schedule::Turn::Line { line: #turn };
                    __crt_schedule.lines[#line].tested(__crt_holds, &mut __crt_schedule.turns, __crt_turn);
                }
                _ => {}
            }
        };
    }
    let site = cx.site(number);
    if watch.part != Part::Speed && watch.shared() {
        let turn = cx.turn_of(number);
        return quote! {
            let __crt_member = __crt_m;
            // Whoever goes on, or ends, is about to leave: of the first two at most one.
            let __crt_first = match __crt_e.clocks.#site.get(__crt_m) {
                __cr::core::option::Option::Some(__crt_group) => match __crt_group.first() {
                    __cr::core::option::Option::Some(__crt_first)
                        if #all.get(__crt_first.slot).life == __cr::schedule::Life::Waiting =>
                    {
                        __cr::core::option::Option::Some(__crt_first)
                    }
                    _ => __crt_group.at(1),
                },
                __cr::core::option::Option::None => __cr::core::option::Option::None,
            };
            if let __cr::core::option::Option::Some(__crt_first) = __crt_first {
                let __crt_holds = Self::#holds(__crt_e, __crt_first.slot)?;
                __crt_e.clocks.#site.group(__crt_m).tested(__crt_holds, &mut __crt_e.clocks.schedule.turns, #turn);
            }
        };
    }
    if watch.part != Part::Speed {
        let turn = cx.turn_of(number);
        return quote! {
            let __crt_member = __crt_m;
            if let __cr::core::option::Option::Some(__crt_group) = __crt_e.clocks.#site.get(__crt_m) {
                __crt_group.touch(&mut __crt_e.clocks.schedule.turns, #turn);
            }
        };
    }
    let declaration = of.activity.declaration;
    let speed_of = function("speedof", &clock.ident);
    quote! {
        let mut __crt_i = 0;
        while let __cr::core::option::Option::Some(__crt_waiter) =
            __crt_e.clocks.#site.get(__crt_m).and_then(|__crt_group| __crt_group.at(__crt_i))
        {
            __crt_i += 1;
            let __crt_slot = __crt_waiter.slot;
            let __crt_speed = match #all.get(__crt_slot) {
                __cr::schedule::Instance {
                    frame: __cr::core::option::Option::Some(__crt_frame),
                    life: __cr::schedule::Life::Waiting,
                    ..
                } => Self::#speed_of(__crt_e, __crt_slot, __crt_frame)?,
                // Its wait is over, and it is about to leave.
                _ => continue,
            };
            let __crt_now = __crt_e.progress.moment();
            let __crt_instance = #all.get_mut(__crt_slot);
            if __crt_instance.work.speed == __crt_speed {
                continue;
            }
            let __crt_at = __crt_instance.work.run(__crt_speed, __crt_now);
            let (__crt_timer, __crt_priority) = (__crt_instance.timer.take(), __crt_instance.order.priority);
            if let __cr::core::option::Option::Some(__crt_timer) = __crt_timer {
                __crt_e.clocks.schedule.stop_timer(__crt_timer);
            }
            if __crt_at.time < __cr::core::primitive::f64::INFINITY {
                let __crt_timer = __cr::schedule::Timer { slot: __crt_slot, held: true };
                let __crt_timer = __crt_e.clocks.schedule.set_timer(__crt_at, __crt_priority, #declaration, __crt_timer);
                #all.get_mut(__crt_slot).timer = __cr::core::option::Option::Some(__crt_timer);
            }
        }
    }
}
