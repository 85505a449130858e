//! Activities: their instances, the pieces of their bodies, and what drives them.

mod course;
mod settle;
mod turn;
mod wait;
mod watch;

pub(super) use settle::take;

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::bodies::frame as frame_of_function;
use super::family::field;
use super::types::text;
use super::{Cx, types};
use crate::resolve::{Activity, Body, Family, PointKind, Role, binder, frame, function, variant, variant_of};
use crate::syntax::tag;

/// Names of one activity in generated code.
pub(super) struct Of<'a> {
    pub activity: &'a Activity,
    pub number: u32,
    /// The type that says where an instance is.
    pub frame: Ident,
    pub generics: TokenStream,
    /// The field with its instances.
    pub field: Ident,
    pub tag: Ident,
    pub name: String,
}

impl Of<'_> {
    /// The type of a step.
    fn step(&self, cx: &Cx<'_>) -> TokenStream {
        let (frame, generics, gives, time, parts) =
            (&self.frame, &self.generics, &self.activity.gives, cx.time_type(), cx.resolved.parts);
        quote!(__cr::schedule::Step<#frame #generics, #gives, #time, #parts>)
    }

    /// The type of its instances.
    pub(super) fn instances(&self, cx: &Cx<'_>) -> TokenStream {
        let (frame, generics, joined, parts) = (&self.frame, &self.generics, &self.activity.joined, cx.resolved.parts);
        quote!(__cr::schedule::Instances<#frame #generics, #joined, #parts>)
    }

    /// Its instances, on the engine.
    pub(super) fn all(&self) -> TokenStream {
        let field = &self.field;
        quote!(__crt_e.clocks.schedule.activities.#field)
    }

    /// The name of a function of it.
    fn function(&self, part: &str) -> Ident {
        function(part, &self.activity.ident)
    }

    /// The type of keys.
    fn key(&self) -> TokenStream {
        let tag = &self.tag;
        quote!(__cr::Key<#tag>)
    }
}

impl Cx<'_> {
    /// The names of activity `number`.
    pub(super) fn activity(&self, number: usize) -> Of<'_> {
        let activity = &self.resolved.activities[number];
        let (model, generics) = (&self.model.ident, self.model.generics.split_for_impl().1);
        Of {
            activity,
            number: u32::try_from(number).unwrap_or(u32::MAX),
            frame: frame(model, &activity.ident),
            generics: quote!(#generics),
            field: field("of", &activity.ident),
            tag: tag(model, &activity.ident),
            name: text(&activity.ident),
        }
    }

    /// All activities.
    pub(super) fn activities(&self) -> impl Iterator<Item = Of<'_>> {
        (0..self.resolved.activities.len()).map(|number| self.activity(number))
    }

    /// The type of times.
    pub(super) fn time_type(&self) -> TokenStream {
        let ty = if self.model.options.ticks { quote!(u64) } else { quote!(f64) };
        quote!(__cr::core::primitive::#ty)
    }

    /// The type that holds all instances.
    pub(super) fn activities_type(&self) -> TokenStream {
        if self.resolved.activities.is_empty() {
            return quote!(());
        }
        let (name, generics) = (self.activities_name(), self.model.generics.split_for_impl().1);
        quote!(#name #generics)
    }

    fn activities_name(&self) -> Ident {
        format_ident!("__Cr{}Activities", self.model.name())
    }
}

/// The types that say where an instance is, and the one that holds all instances.
pub(super) fn structs(cx: &Cx<'_>) -> TokenStream {
    if cx.resolved.activities.is_empty() {
        return TokenStream::new();
    }
    let (generics, where_clause) = (&cx.model.generics, &cx.model.generics.where_clause);
    let marker = types::marker(cx.model);
    let marked = types::marker_type(cx.model)
        .map(|ty| quote!(__CrMarker { __crt_marker: #ty, __crt_never: __cr::core::convert::Infallible },));
    let frames = cx.activities().map(|of| {
        let frame = &of.frame;
        let variants =
            of.activity.pieces.iter().enumerate().filter(|(_, piece)| is_kept(piece.role)).map(|(number, _)| {
                let variant = variant_of(number);
                let fields = fields(cx, &of, number).into_iter().map(|(ident, ty)| quote!(#ident: #ty));
                quote!(#variant { #(#fields),* },)
            });
        quote! {
            #[derive(__cr::core::clone::Clone, __cr::core::fmt::Debug)]
            #[allow(dead_code, unreachable_pub)]
            #[doc(hidden)]
            pub enum #frame #generics #where_clause {
                #(#variants)*
                #marked
            }
        }
    });
    let name = cx.activities_name();
    let fields = cx.activities().map(|of| {
        let (field, ty) = (&of.field, of.instances(cx));
        quote!(#field: #ty,)
    });
    quote! {
        #(#frames)*

        #[derive(__cr::core::clone::Clone, __cr::core::fmt::Debug)]
        #[allow(unreachable_pub)]
        #[doc(hidden)]
        pub struct #name #generics #where_clause {
            #(#fields)*
            #marker
        }
    }
}

/// A value of the type that holds all instances.
pub(super) fn none_yet(cx: &Cx<'_>) -> TokenStream {
    if cx.resolved.activities.is_empty() {
        return quote!(());
    }
    let name = cx.activities_name();
    let fields = cx.activities().map(|of| {
        let field = of.field;
        quote!(#field: __cr::core::default::Default::default(),)
    });
    let marker = types::marker_value(cx.model);
    quote!(#name { #(#fields)* #marker })
}

/// Whether an instance can stand in front of a piece.
fn is_kept(role: Role) -> bool {
    !matches!(role, Role::Abort(_))
}

/// What is kept of an instance in front of a piece: names and types.
fn fields(cx: &Cx<'_>, of: &Of<'_>, number: usize) -> Vec<(Ident, TokenStream)> {
    let piece = &of.activity.pieces[number];
    let members = of.activity.members.binders.iter().map(|(ident, _)| (ident.clone(), quote!(usize)));
    let takes = piece.takes.iter().map(|(ident, ty)| (ident.clone(), quote!(#ty)));
    let mut fields: Vec<_> = members.chain(takes).collect();
    if let Role::After(point) = piece.role {
        if let PointKind::Join { of: joined, .. } = of.activity.points[point].kind {
            let ty = &cx.resolved.activities[joined].joined;
            fields.push((format_ident!("__crt_child"), quote!(__cr::agenda::Handle)));
            fields.push((
                format_ident!("__crt_given"),
                quote!(__cr::core::option::Option<__cr::core::option::Option<#ty>>),
            ));
        }
    }
    fields
}

/// Variables for members of sets, and for variable number `i` of a piece.
fn variable(i: usize) -> Ident {
    format_ident!("__crt_v_{i}")
}

/// A pattern for what is kept in front of a piece, with variables.
fn pattern(cx: &Cx<'_>, of: &Of<'_>, number: usize) -> TokenStream {
    let (frame, kept) = (&of.frame, variant_of(number));
    let members = of.activity.members.binders.len();
    let fields = fields(cx, of, number).into_iter().enumerate().map(|(i, (ident, _))| {
        let variable = match of.activity.members.binders.get(i) {
            Some((member, _)) => binder(member),
            None if ident == "__crt_child" || ident == "__crt_given" => ident.clone(),
            None => variable(i - members),
        };
        quote!(#ident: #variable)
    });
    quote!(#frame::#kept { #(#fields),* })
}

/// All functions of all activities.
pub(super) fn functions(cx: &Cx<'_>) -> TokenStream {
    let mut out: TokenStream = cx
        .activities()
        .map(|of| {
            let (start, pieces, go) = (start(cx, &of), pieces(cx, &of), course::go(cx, &of));
            let turns = turn::functions(cx, &of);
            quote!(#start #pieces #go #turns)
        })
        .collect();
    out.extend(watch::functions(cx));
    out.extend(settle::settle(cx));
    out
}

/// What starts an instance, for bodies.
fn start(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let args = of.activity.args.iter().map(|(ident, ty, member)| {
        let ident = if *member { binder(ident) } else { ident.clone() };
        quote!(#ident: #ty)
    });
    let mut args: Vec<TokenStream> = args.collect();
    args.push(quote!(__crt_parent: __cr::core::option::Option<(__cr::core::primitive::u32, __cr::agenda::Handle)>));
    let (frame, first, number, field, key) = (&of.frame, variant_of(0), of.number, &of.field, of.key());
    let fields = fields(cx, of, 0).into_iter().map(|(ident, _)| {
        let member = of.activity.members.binders.iter().any(|(member, _)| *member == ident);
        let value = if member { binder(&ident) } else { ident.clone() };
        quote!(#ident: #value)
    });
    let used = of.activity.args.iter().map(|(ident, _, member)| if *member { binder(ident) } else { ident.clone() });
    let (priority, initial) = (&of.activity.starter.tokens, &of.activity.initial);
    let number_of_child = of.number;
    let children = of.activity.kept.then(|| {
        let arms = cx.activities().map(|parent| {
            let (number, field) = (parent.number, &parent.field);
            quote! {
                #number => if let __cr::core::option::Option::Some(__crt_instance) =
                    __crt_schedule.activities.#field.find(__crt_parent)
                {
                    __crt_instance.children.push((#number_of_child, __crt_handle));
                },
            }
        });
        let arms: Vec<TokenStream> = arms.collect();
        quote! {
            if let __cr::core::option::Option::Some((__crt_kind, __crt_parent)) = __crt_parent {
                match __crt_kind { #(#arms)* _ => {} }
            }
        }
    });
    let note = cx
        .is_followed(of.number as usize)
        .then(|| quote!(__crt_schedule.activities.#field.note_change(__crt_handle.slot());));
    let content = quote! {
        let __crt_priority = __cr::schedule::priority(#priority);
        let _ = (#(&#used,)*);
        let __crt_schedule = &mut *__cr_schedule;
        let __crt_handle = __crt_schedule.activities.#field.start(
            #number,
            #frame::#first { #(#fields),* },
            __crt_priority,
            __crt_parent,
            &mut __crt_schedule.turns,
        );
        #note
        #children
        let __crt_pair = __crt_handle.slot() as usize;
        #initial
    };
    frame_of_function(
        cx,
        &of.function("start"),
        &Family::default(),
        &of.activity.starter,
        args,
        &key,
        &content,
        &quote!(__cr::core::result::Result::Ok(__cr::Key::new(__crt_handle))),
    )
}

/// The name of the function for a piece.
fn piece_function(of: &Of<'_>, number: usize) -> Ident {
    format_ident!("__cr_piece_{}_{number}", text(&of.activity.ident))
}

/// The pieces as functions: each of its own, so that a `break` in a user's macro meets no loop of ours.
fn pieces(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let mut out = TokenStream::new();
    for (number, piece) in of.activity.pieces.iter().enumerate() {
        let key = of.key();
        let mut args = vec![quote!(__crt_me: #key)];
        if let Some(got) = &piece.got {
            args.push(quote!(__crt_got: #got));
        }
        for ((ident, ty), mutable) in piece.takes.iter().zip(&piece.mutable) {
            let mutable = mutable.then(|| quote!(mut));
            args.push(quote!(#mutable #ident: #ty));
        }
        let aborts = matches!(piece.role, Role::Abort(_));
        let (ty, end) = if aborts {
            (quote!(()), quote!(__cr::core::result::Result::Ok(())))
        } else {
            (of.step(cx), quote!(__cr::core::unreachable!("every way through a body leads somewhere")))
        };
        let Body { tokens, access } = &piece.body;
        let body = Body { tokens: TokenStream::new(), access: access.clone() };
        out.extend(quote!(#[allow(unused_variables, unused_mut, unused_assignments, unreachable_code, clippy::diverging_sub_expression)]));
        out.extend(frame_of_function(
            cx,
            &piece_function(of, number),
            &of.activity.members,
            &body,
            args,
            &ty,
            tokens,
            &end,
        ));
    }
    out
}

/// An arm of a match on where an instance is, which runs the piece there and gives its step.
fn call_piece(cx: &Cx<'_>, of: &Of<'_>, number: usize) -> TokenStream {
    let (piece, name) = (&of.activity.pieces[number], &of.name);
    let pattern = pattern(cx, of, number);
    let takes = (0..piece.takes.len()).map(variable);
    let got = piece.got.as_ref().map(|_| match piece.role {
        Role::After(point) => got(&of.activity.points[point]),
        _ => quote!(()),
    });
    let got = got.into_iter();
    let members = of.activity.members.binders.iter().map(|(ident, _)| binder(ident));
    let arguments = cx.arguments(&piece.body.access, super::Site::Engine);
    let function = piece_function(of, number);
    quote! {
        #pattern => match Self::#function(#(#members,)* #(#arguments,)* __crt_me, #(#got,)* #(#takes,)*) {
            __cr::core::result::Result::Ok(__crt_step) => __crt_step,
            __cr::core::result::Result::Err(__crt_fault) => {
                return __cr::core::result::Result::Err(
                    __crt_fault.at(__crt_e.progress.now, #name, &[__crt_slot as usize]),
                );
            }
        },
    }
}

/// What a wait gives, from how it has ended.
fn got(point: &crate::resolve::Point) -> TokenStream {
    match point.kind {
        PointKind::Join { .. } => quote!(__crt_given.flatten()),
        PointKind::Delay | PointKind::Until if point.unless.is_some() => quote!(__crt_got.left),
        _ if point.patient || point.unless.is_some() => quote!(__crt_got.held),
        _ => quote!(()),
    }
}

/// The name and the number of whoever has a turn, for messages.
pub(super) fn turn_names(cx: &Cx<'_>) -> TokenStream {
    let instances = cx.activities().map(|of| {
        let (number, name) = (of.number, &of.name);
        quote!(#number => (#name, __cr::std::vec![__crt_slot as usize]),)
    });
    let sites = cx.resolved.clocks.iter().enumerate().filter_map(|(number, clock)| {
        let watch = clock.watch()?;
        let (site, of) = (u32::try_from(number).unwrap_or(u32::MAX), cx.activity(watch.activity));
        let name = of.name;
        Some(quote!(#site => (#name, __cr::std::vec::Vec::new()),))
    });
    let sites: Vec<TokenStream> = sites.collect();
    let nobody = quote!(("", __cr::std::vec::Vec::new()));
    quote! {
        if __crt_clocks.schedule.is_turn() {
            return match __crt_clocks.schedule.turns.peek() {
                __cr::core::option::Option::Some(__cr::schedule::Turn::Instance { activity: __crt_activity, slot: __crt_slot }) => {
                    match __crt_activity { #(#instances)* _ => #nobody }
                }
                __cr::core::option::Option::Some(__cr::schedule::Turn::Group { site: __crt_site, .. }) => {
                    match __crt_site { #(#sites)* _ => #nobody }
                }
                __cr::core::option::Option::Some(__cr::schedule::Turn::Line { line: __crt_line }) => {
                    let __crt_head = __crt_clocks.schedule.lines[__crt_line as usize].head();
                    match __crt_head.map_or(__cr::core::primitive::u32::MAX, |__crt_head| __crt_head.site) {
                        #(#sites)*
                        _ => #nobody,
                    }
                }
                __cr::core::option::Option::None => #nobody,
            };
        }
    }
}

/// Withdraws what a failed event has started.
pub(super) fn withdraw(cx: &Cx<'_>) -> TokenStream {
    cx.activities()
        .map(|of| {
            let field = &of.field;
            quote!(__crt_e.clocks.schedule.activities.#field.withdraw(__crt_begun.waits);)
        })
        .collect()
}

/// The event of an instance.
pub(super) fn event(cx: &Cx<'_>, of: &Of<'_>) -> TokenStream {
    let [_, event, ..] = types::names(cx.model);
    let variant = variant(&of.activity.ident);
    quote!(#event::#variant(__crt_slot as usize))
}
