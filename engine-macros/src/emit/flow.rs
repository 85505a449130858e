//! Flows: functions that follow them, and what of them is seen from outside.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Type, parse_quote};

use super::bodies::frame;
use super::family::{Whose, field};
use super::{Cx, Site, or_return, routes, types};
use crate::resolve::{Access, Flow, Place, binder, function, handle, here, pair_handle, variant};

/// The functions of all flows.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    cx.resolved.flows.iter().map(|flow| of(cx, flow)).collect()
}

fn of(cx: &Cx<'_>, flow: &Flow) -> TokenStream {
    let Some(body) = &flow.body else { return TokenStream::new() };
    let (resolved, inline) = (cx.resolved, cx.inline());
    let single = flow.family.is_single();
    let targets: Vec<&Place> = flow.targets.iter().map(|&place| &resolved.places[place]).collect();
    let since = handle(&resolved.places[flow.since].ident);
    let flows = function("flow", &flow.ident);
    // Values of all variables after a time.
    let ty: Type = match targets.as_slice() {
        [only] => only.ty.clone(),
        several => {
            let types = several.iter().map(|place| &place.ty);
            parse_quote!((#(#types),*))
        }
    };
    let value = |tokens: &TokenStream, ty: &Type| quote!(let __crt_value: #ty = #tokens;);
    let end = quote!(__cr::core::result::Result::Ok(__crt_value));
    let float: Type = parse_quote!(__cr::core::primitive::f64);
    let time = vec![quote!(__crt_dt: #float)];
    let content = value(&body.tokens, &ty);
    let mut out = frame(cx, &flows, &flow.family, body, time, &quote!(#ty), &content, &end);
    let index = (!single).then(|| quote!(__crt_at: usize,));
    let at = (!single).then(|| quote!(__crt_at,));
    let of_index = (!single).then(|| quote!([__crt_at]));
    let decode = (!single).then(|| {
        let decode = cx.decode(Site::Start, &flow.family);
        quote!(let __crt_m = __crt_at; #decode)
    });
    let binders: Vec<Ident> = flow.family.binders.iter().map(|(ident, _)| binder(ident)).collect();
    let passed_on = |access: &Access| resolved.items().passed_on(access, Span::call_site());
    let follow = |function: &Ident, access: &Access, time: TokenStream| {
        let arguments = passed_on(access);
        // The element is the pair.
        let pair = access.pair.then(|| {
            let pair = pair_handle();
            quote!(let #pair = __crt_at;)
        });
        quote!({ #decode #pair Self::#function(#(#binders,)* #(#arguments,)* #time)? })
    };
    let read = cx.parameters(&flow.read);
    let arguments = passed_on(&flow.read);
    for (number, place) in targets.iter().enumerate() {
        let (handle, ty, name) = (handle(&place.ident), &place.ty, place.name());
        let component = (targets.len() > 1).then(|| {
            let number = syn::Index::from(number);
            quote!(.#number)
        });
        let flowing = function("flowing", &place.ident);
        let result = cx.result(&quote!(#ty), "Fault");
        let since_at = if single { quote!(*#since) } else { quote!(*__cr::element::at(&*#since, __crt_at, #name)?) };
        let followed = follow(&flows, &body.access, quote!(__crt_dt));
        out.extend(quote! {
            #inline
            fn #flowing(#index #(#read),*) -> #result {
                let __crt_dt = __cr_now - #since_at;
                if __crt_dt == 0.0 {
                    return __cr::core::result::Result::Ok(__cr::core::clone::Clone::clone(&(*#handle)#of_index));
                }
                __cr::core::result::Result::Ok(#followed #component)
            }
        });
        if !single {
            let (all, result) = (function("all", &place.ident), cx.result(&quote!(__cr::std::vec::Vec<#ty>), "Fault"));
            out.extend(quote! {
                fn #all(#(#read),*) -> #result {
                    (0..#since.len()).map(|__crt_at| Self::#flowing(__crt_at, #(#arguments),*)).collect()
                }
            });
        }
        if let Some(course) = &flow.courses[number] {
            let (path, course_of) = (function("path", &place.ident), function("course", &place.ident));
            let poly: Type = parse_quote!(__cr::flow::Poly);
            let tokens = &course.tokens;
            let content = value(&quote!(__cr::flow::IntoPoly::poly(#tokens)), &poly);
            let time = vec![quote!(__crt_dt: #poly)];
            out.extend(frame(cx, &path, &flow.family, course, time, &quote!(#poly), &content, &end));
            let followed = follow(&path, &course.access, quote!(__cr::flow::Poly::elapsed(__cr_now - #since_at)));
            let result = cx.result(&quote!(#poly), "Fault");
            out.extend(quote! {
                #inline
                fn #course_of(#index #(#read),*) -> #result {
                    __cr::core::result::Result::Ok(#followed)
                }
            });
        }
    }
    // Up to now.
    let (anchor, anchor_all) = (function("anchor", &flow.ident), function("anchorall", &flow.ident));
    let (parameters, nothing) = (cx.parameters(&flow.anchor), cx.result(&quote!(()), "Fault"));
    let name = targets.first().map(|place| place.name());
    let (check, since_at) = if single {
        (quote!(), quote!(*#since))
    } else {
        (quote!(let __crt_at = __cr::element::check(&*#since, __crt_at, #name)?;), quote!(#since[__crt_at]))
    };
    let followed = follow(&flows, &body.access, quote!(__crt_dt));
    let values: Vec<Ident> = (0..targets.len()).map(|number| format_ident!("__crt_value_{number}")).collect();
    let places = targets.iter().map(|place| {
        let handle = handle(&place.ident);
        if single { quote!(*#handle) } else { quote!(#handle[__crt_at]) }
    });
    out.extend(quote! {
        #inline
        fn #anchor(#index #(#parameters),*) -> #nothing {
            #check
            let __crt_dt = __cr_now - #since_at;
            if __crt_dt != 0.0 {
                let (#(#values),*) = #followed;
                #(#places = #values;)*
                #since_at = __cr_now;
            }
            __cr::core::result::Result::Ok(())
        }
    });
    if !single {
        let arguments = passed_on(&flow.anchor);
        out.extend(quote! {
            fn #anchor_all(#(#parameters),*) -> #nothing {
                for __crt_at in 0..#since.len() {
                    Self::#anchor(#at #(#arguments),*)?;
                }
                __cr::core::result::Result::Ok(())
            }
        });
    }
    out
}

/// Fields of the clocks' struct with the times from which variables flow, and their first values.
pub(super) fn parts(cx: &Cx<'_>) -> Vec<(TokenStream, TokenStream)> {
    cx.resolved
        .flows
        .iter()
        .map(|flow| {
            let since = &cx.resolved.places[flow.since].ident;
            if flow.family.is_single() {
                return (quote!(#since: __cr::core::primitive::f64,), quote!(#since: __crt_start,));
            }
            let count = cx.count(Site::Start, &flow.family);
            (
                quote!(#since: __cr::std::vec::Vec<__cr::core::primitive::f64>,),
                quote!(#since: __cr::std::vec![__crt_start; #count],),
            )
        })
        .collect()
}

/// The constants and types of `Model` that flows decide.
pub(super) fn associated(cx: &Cx<'_>) -> TokenStream {
    let moves = cx.resolved.observes.iter().any(|output| output.numeric && output.body.access.now.is_some());
    let (_, type_generics, _) = cx.model.generics.split_for_impl();
    let [state, ..] = types::names(cx.model);
    let shown = if cx.resolved.flows.is_empty() {
        quote!(&'__cr_a #state #type_generics)
    } else {
        quote!(__cr::Shown<#state #type_generics>)
    };
    let tracks = tracks(cx).into_iter().map(|number| {
        let place = &cx.resolved.places[number];
        let (name, numeric) = (place.name(), is_numeric(place));
        let flows = place.flow.is_some();
        let polynomial =
            numeric && place.flow.is_none_or(|(flow, target)| cx.resolved.flows[flow].courses[target].is_some());
        quote!(__cr::Track { name: #name, numeric: #numeric, flows: #flows, polynomial: #polynomial })
    });
    quote! {
        type Shown<'__cr_a> = #shown where Self: '__cr_a;
        const TRACKS: &'static [__cr::Track] = &[#(#tracks),*];
        const OUTPUTS_MOVE: __cr::core::primitive::bool = #moves;
    }
}

/// States. A path can follow those that are numbers and have as many members all the time.
fn tracks(cx: &Cx<'_>) -> Vec<usize> {
    cx.resolved.places.iter().enumerate().filter(|(_, place)| place.is_state()).map(|(number, _)| number).collect()
}

/// Whether a state is one number, or as many all the time.
fn is_numeric(place: &Place) -> bool {
    crate::resolve::is_number(&place.ty) && !place.grows
}

/// The functions of `Model` that look at flows from outside.
pub(super) fn model_functions(cx: &Cx<'_>) -> TokenStream {
    let (shown, anchor, followed, moved, copied) = (shown(cx), anchor(cx), followed(cx), moved(cx), copied(cx));
    let clocks = cx.resolved.clocks.iter().filter(|clock| matches!(clock.timing, crate::resolve::Timing::Thinning(_)));
    let broken = clocks.map(|clock| {
        let (name, memory) = (types::text(&clock.ident), super::refresh::memory_field(clock));
        if clock.family.is_single() {
            quote!((#name, __crt_clocks.#memory.broken()))
        } else {
            quote!((#name, __crt_clocks.#memory.iter().map(|__crt_one| __crt_one.broken()).sum()))
        }
    });
    quote! {
        #shown
        #anchor
        #followed
        #moved
        #copied

        #[allow(unused_variables)]
        fn broken_bounds(
            __crt_clocks: &Self::Clocks,
        ) -> __cr::std::vec::Vec<(&'static __cr::core::primitive::str, __cr::core::primitive::u64)> {
            __cr::std::vec![#(#broken),*]
        }
    }
}

/// The value of a flowing variable on a view, of member `__crt_at`.
fn on_view(cx: &Cx<'_>, part: &str, flow: &Flow, place: &Place) -> TokenStream {
    let arguments = cx.arguments(&flow.read, Site::View);
    let function = function(part, &place.ident);
    let (name, single) = (place.name(), flow.family.is_single());
    let (at, index) = if single { (quote!(), quote!(&[])) } else { (quote!(__crt_at,), quote!(&[__crt_at])) };
    or_return(&quote!(Self::#function(#at #(#arguments),*)), &quote!(__crt_e.now), &Whose { name, index })
}

fn shown(cx: &Cx<'_>) -> TokenStream {
    let result = cx.result(&quote!(Self::Shown<'__cr_a>), "SimError");
    let content = if cx.resolved.flows.is_empty() {
        quote!(__cr::core::result::Result::Ok(__crt_e.state))
    } else {
        let values: TokenStream = cx
            .resolved
            .flows
            .iter()
            .flat_map(|flow| flow.targets.iter().map(move |&place| (flow, &cx.resolved.places[place])))
            .map(|(flow, place)| {
                let (ident, ty, value) = (&place.ident, &place.ty, on_view(cx, "flowing", flow, place));
                if flow.family.is_single() {
                    return quote!(__crt_state.#ident = #value;);
                }
                quote!({
                    let __crt_all = __cr::element::all_mut::<#ty, _>(&mut __crt_state.#ident);
                    for __crt_at in 0..__crt_all.len() {
                        __crt_all[__crt_at] = #value;
                    }
                })
            })
            .collect();
        let [state, ..] = types::names(cx.model);
        let marker = types::marker_value(cx.model);
        // Field by field: a derived `Clone` would ask it of every type the model is generic over.
        let fields = cx.resolved.places.iter().filter(|place| place.is_state()).map(|place| {
            let ident = &place.ident;
            quote_spanned!(here(place.ty.span())=> #ident: __cr::core::clone::Clone::clone(&__crt_e.state.#ident),)
        });
        quote! {
            let mut __crt_state = #state { #(#fields)* #marker };
            #values
            __cr::core::result::Result::Ok(__cr::Shown::new(__crt_state))
        }
    };
    quote! {
        fn shown<'__cr_a>(__crt_e: __cr::View<'__cr_a, Self>) -> #result {
            #content
        }
    }
}

fn anchor(cx: &Cx<'_>) -> TokenStream {
    let (engine, result) = (cx.engine(), cx.result(&quote!(()), "SimError"));
    let calls = cx.resolved.flows.iter().map(|flow| {
        let part = if flow.family.is_single() { "anchor" } else { "anchorall" };
        let (function, arguments) = (function(part, &flow.ident), cx.arguments(&flow.anchor, Site::Engine));
        let outcome = quote!(Self::#function(#(#arguments),*));
        let call = or_return(&outcome, &quote!(__crt_e.progress.now), &Whose::single(&flow.ident));
        quote!(#call;)
    });
    quote! {
        #[allow(unused_variables)]
        fn anchor(__crt_e: &mut #engine) -> #result {
            #(#calls)*
            __cr::core::result::Result::Ok(())
        }
    }
}

/// `Model::track_sizes`, `track_at`, `track_course` and `track_since`.
fn followed(cx: &Cx<'_>) -> TokenStream {
    let tracks = tracks(cx);
    let places = || tracks.iter().map(|&number| (number, &cx.resolved.places[number])).enumerate();
    let sizes = places().map(|(track, (_, place))| {
        let sizes = match place.family.pairs {
            Some(_) => vec![cx.count(Site::View, &place.family)],
            None => place.family.sets().map(|set| cx.size(Site::View, set)).collect(),
        };
        quote!(#track => __cr::std::vec![#(#sizes),*],)
    });
    let raw = |number: usize, place: &Place| {
        if place.family.is_single() {
            cx.place(Site::View, number)
        } else {
            let slice = cx.slice(Site::View, number);
            quote!(#slice[__crt_at])
        }
    };
    let numeric = || places().filter(|(_, (_, place))| is_numeric(place));
    let values = numeric().map(|(track, (number, place))| {
        let value = match place.flow {
            Some((flow, _)) => on_view(cx, "flowing", &cx.resolved.flows[flow], place),
            None => raw(number, place),
        };
        quote!(#track => __cr::Number::number(#value),)
    });
    let courses = numeric().filter_map(|(track, (number, place))| {
        let value = match place.flow {
            Some((flow, target)) => {
                let flow = &cx.resolved.flows[flow];
                flow.courses[target].as_ref()?;
                let course = on_view(cx, "course", flow, place);
                quote!((#course).c)
            }
            None => {
                let raw = raw(number, place);
                quote!([__cr::Number::number(#raw), 0.0, 0.0])
            }
        };
        Some(quote!(#track => #value,))
    });
    let since = places().filter_map(|(track, (_, place))| {
        let flow = &cx.resolved.flows[place.flow?.0];
        let at = cx.place(Site::View, flow.since);
        Some(if flow.family.is_single() { quote!(#track => #at,) } else { quote!(#track => #at[__crt_at],) })
    });
    let (number, course) = (
        cx.result(&quote!(__cr::core::primitive::f64), "SimError"),
        cx.result(&quote!([__cr::core::primitive::f64; 3]), "SimError"),
    );
    quote! {
        #[allow(unused_variables)]
        fn track_sizes(
            __crt_e: __cr::View<'_, Self>,
            __crt_track: __cr::core::primitive::usize,
        ) -> __cr::std::vec::Vec<__cr::core::primitive::usize> {
            match __crt_track { #(#sizes)* _ => __cr::std::vec::Vec::new() }
        }

        #[allow(unused_variables)]
        fn track_at(__crt_e: __cr::View<'_, Self>, __crt_track: __cr::core::primitive::usize, __crt_at: __cr::core::primitive::usize) -> #number {
            __cr::core::result::Result::Ok(match __crt_track { #(#values)* _ => __cr::core::primitive::f64::NAN })
        }

        #[allow(unused_variables)]
        fn track_course(__crt_e: __cr::View<'_, Self>, __crt_track: __cr::core::primitive::usize, __crt_at: __cr::core::primitive::usize) -> #course {
            __cr::core::result::Result::Ok(match __crt_track { #(#courses)* _ => [__cr::core::primitive::f64::NAN; 3] })
        }

        #[allow(unused_variables)]
        fn track_since(__crt_e: __cr::View<'_, Self>, __crt_track: __cr::core::primitive::usize, __crt_at: __cr::core::primitive::usize) -> __cr::core::primitive::f64 {
            match __crt_track { #(#since)* _ => __cr::core::primitive::f64::NAN }
        }
    }
}

/// `Model::moved`.
fn moved(cx: &Cx<'_>) -> TokenStream {
    let [_, event, ..] = types::names(cx.model);
    let tracks = tracks(cx);
    let steps = |clock: &crate::resolve::Clock| matches!(clock.timing, crate::resolve::Timing::Step { .. });
    let arms = cx.resolved.clocks.iter().enumerate().filter(|(_, clock)| clock.happens() && !steps(clock)).map(|(number, clock)| {
        let access = &clock.action.access;
        // The arguments of an event are not to be had any more.
        let told = clock.indices().len() == clock.family.binders.len();
        let moved: TokenStream = tracks
            .iter()
            .enumerate()
            .filter(|(_, place)| access.writes(**place))
            .map(|(track, &place)| {
                let of = &cx.resolved.places[place];
                // What comes and goes moves as a whole.
                if of.family.is_single() || of.grows {
                    return quote!(__crt_each(#track, 0););
                }
                if access.whole.contains(&(place, true)) || !told {
                    let count = cx.count(Site::View, &of.family);
                    return quote!(for __crt_at in 0..#count { __crt_each(#track, __crt_at); });
                }
                let elements = access.elements.iter().filter(|element| element.write && element.place == place);
                let known: TokenStream = elements
                    .map(|element| {
                        let at = routes::own_element(cx, number, element);
                        quote!(if let __cr::core::option::Option::Some(__crt_at) = #at { __crt_each(#track, __crt_at); })
                    })
                    .collect();
                let logged = access.logged.contains(&place).then(|| {
                    let log = field("log", &of.ident);
                    quote! {
                        for __crt_i in 0..__crt_e.clocks.#log.len() {
                            if let __cr::core::option::Option::Some(__crt_at) = __crt_e.clocks.#log.get(__crt_i) {
                                __crt_each(#track, __crt_at);
                            }
                        }
                    }
                });
                quote!(#known #logged)
            })
            .collect();
        let variant = variant(&clock.ident);
        let binders: Vec<Ident> = clock.indices().iter().map(|(ident, _)| binder(ident)).collect();
        let indices = (!binders.is_empty()).then(|| quote!((#(#binders),*)));
        let pair = clock.family.pairs.is_some().then(|| {
            let pair = routes::own_pair(cx, number);
            quote!(let __cr::core::option::Option::Some(__crt_m) = #pair else { return };)
        });
        quote!(#event::#variant #indices => { #pair #moved })
    });
    // Which piece of a body has run is not to be had any more.
    let activities = cx.activities().map(|of| {
        let written = |place: &&usize| {
            let mine = |clock: &&crate::resolve::Clock| matches!(clock.timing, crate::resolve::Timing::Step { activity, .. } if activity == of.number as usize);
            cx.resolved.clocks.iter().filter(mine).any(|clock| clock.action.access.writes(**place))
        };
        let moved = tracks.iter().enumerate().filter(|(_, place)| written(place)).map(|(track, &place)| {
            let of = &cx.resolved.places[place];
            if of.family.is_single() || of.grows {
                return quote!(__crt_each(#track, 0););
            }
            let count = cx.count(Site::View, &of.family);
            quote!(for __crt_at in 0..#count { __crt_each(#track, __crt_at); })
        });
        let variant = variant(&of.activity.ident);
        quote!(#event::#variant(_) => { #(#moved)* })
    });
    quote! {
        #[allow(unused_variables)]
        fn moved(
            __crt_e: __cr::View<'_, Self>,
            __crt_event: #event,
            __crt_each: &mut dyn __cr::core::ops::FnMut(__cr::core::primitive::usize, __cr::core::primitive::usize),
        ) {
            match __crt_event { #(#arms)* #(#activities)* }
        }
    }
}

/// `Model::copy_track`, where a path may need it.
fn copied(cx: &Cx<'_>) -> TokenStream {
    let needed = cx.resolved.flows.iter().any(|flow| flow.courses.iter().any(Option::is_none));
    let tracks = if needed { tracks(cx) } else { Vec::new() };
    let arms = tracks.iter().enumerate().map(|(track, &number)| {
        let place = &cx.resolved.places[number];
        let (ident, ty) = (&place.ident, &place.ty);
        let since = place.flow.map(|(flow, _)| {
            let since = &cx.resolved.places[cx.resolved.flows[flow].since].ident;
            if place.family.is_single() {
                quote!(__crt_clocks.#since = __crt_e.clocks.#since;)
            } else {
                quote!(__crt_clocks.#since[__crt_at] = __crt_e.clocks.#since[__crt_at];)
            }
        });
        let copy = if place.family.is_single() || place.grows {
            quote!(__crt_state.#ident = __cr::core::clone::Clone::clone(&__crt_e.state.#ident);)
        } else {
            quote! {
                __cr::element::all_mut::<#ty, _>(&mut __crt_state.#ident)[__crt_at] =
                    __cr::core::clone::Clone::clone(&__cr::element::all::<#ty, _>(&__crt_e.state.#ident)[__crt_at]);
            }
        };
        quote!(#track => { #copy #since })
    });
    quote! {
        #[allow(unused_variables)]
        fn copy_track(
            __crt_e: __cr::View<'_, Self>,
            __crt_track: __cr::core::primitive::usize,
            __crt_at: __cr::core::primitive::usize,
            __crt_state: &mut Self::State,
            __crt_clocks: &mut Self::Clocks,
        ) {
            match __crt_track { #(#arms)* _ => {} }
        }
    }
}
