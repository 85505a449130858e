//! How a simulation begins: checks, constants, initial values, `init`.

use proc_macro2::TokenStream;
use quote::quote;

use super::bodies::init_function;
use super::family::{Whose, field, readers_field};
use super::refresh::{memory_field, timing_type};
use super::types::{self, text};
use super::{Cx, Site, flow};
use crate::plan::Seat;
use crate::resolve::{Family, PlaceKind, binder, constant_handle, function, handle, size_handle};

/// What the clocks remember, and the constants.
pub(super) fn clocks_struct(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let name = cx.clocks_type();
    let (generics, where_clause) = (&cx.model.generics, &cx.model.generics.where_clause);
    let mut fields = TokenStream::new();
    if !cx.plan.leaves.is_empty() {
        let len = cx.plan.tree_len();
        let array = quote!([#private::core::primitive::f64; #len]);
        let rates = if cx.plan.unrolled { array } else { quote!(#private::std::boxed::Box<#array>) };
        fields.extend(quote!(race: #private::Race, rates: #rates,));
    }
    if !cx.plan.slots.is_empty() {
        let slots = cx.plan.slots.len();
        let fine = cx.plan.fine;
        let times = if cx.plan.scanned { quote!(Scan<#fine, #slots>) } else { quote!(PairTree<#fine>) };
        fields.extend(quote!(times: #private::times::#times,));
    }
    if cx.resolved.schedules() {
        let schedule = cx.schedule_type();
        fields.extend(quote!(schedule: #schedule,));
    }
    for (part, _) in parts(cx) {
        fields.extend(part);
    }
    for constant in &cx.resolved.constants {
        let handle = constant_handle(&constant.ident);
        let ty = match &constant.ty {
            Some(ty) if !constant.family.is_single() => quote!(#private::Fixed<#private::std::vec::Vec<#ty>>),
            Some(ty) if crate::resolve::is_number(ty) => quote!(#ty),
            Some(ty) => quote!(#private::Fixed<#ty>),
            None => quote!(#private::Constant),
        };
        fields.extend(quote!(#handle: #ty,));
    }
    let marker = types::marker(cx.model);
    quote! {
        #[derive(#private::core::clone::Clone, #private::core::fmt::Debug)]
        #[allow(unreachable_pub)]
        #[doc(hidden)]
        pub struct #name #generics #where_clause {
            #fields
            #marker
        }
    }
}

/// The fields of the clocks' struct that families, relations and timings need, with types and with first values.
fn parts(cx: &Cx<'_>) -> Vec<(TokenStream, TokenStream)> {
    let private = &cx.private;
    let resolved = cx.resolved;
    // First, for what follows moves the relations.
    let mut parts = flow::parts(cx);
    for set in resolved.sets.iter().filter(|set| set.activity.is_none()) {
        let size = size_handle(&set.ident);
        parts.push((quote!(#size: usize,), quote!(#size,)));
    }
    for (number, relation) in resolved.relations.iter().enumerate() {
        if relation.place.is_none() {
            let (name, ty) = (handle(&relation.ident), cx.relation_type(number));
            parts.push((quote!(#name: #private::Fixed<#ty>,), quote!(#name,)));
        }
    }
    for (number, clock) in resolved.clocks.iter().enumerate().filter(|(_, clock)| clock.is_clock()) {
        let count = (!clock.family.is_single()).then(|| {
            let members = field("members", &clock.ident);
            quote!(#members)
        });
        if count.is_some() {
            let (structure, arguments) = cx.structure(number);
            let part = if matches!(cx.plan.seats[number], Seat::Leaf(_)) { "rates" } else { "times" };
            let name = field(part, &clock.ident);
            // A type with its arguments is no path of a call.
            parts.push((quote!(#name: #structure,), quote!(#name: <#structure>::new(#arguments),)));
        }
        if cx.remembers(number) {
            let (memory, (ty, first)) = (memory_field(clock), timing_type(cx.model.options.ticks, &clock.timing));
            parts.push(match &count {
                Some(count) => (
                    quote!(#memory: #private::std::vec::Vec<#ty>,),
                    quote!(#memory: #private::std::vec![#ty::#first; #count],),
                ),
                None => (quote!(#memory: #ty,), quote!(#memory: #ty::#first,)),
            });
        }
        if clock.once {
            let once = field("once", &clock.ident);
            parts.push(match &count {
                Some(count) => (
                    quote!(#once: #private::std::vec::Vec<#private::Moment>,),
                    quote!(#once: #private::std::vec![#private::Moment::NEVER; #count],),
                ),
                None => (quote!(#once: #private::Moment,), quote!(#once: #private::Moment::NEVER,)),
            });
        }
        if let Some(count) = count.as_ref().filter(|_| cx.plan.marked.contains(&number)) {
            let marks = field("marks", &clock.ident);
            parts.push((
                quote!(#marks: #private::family::Marks,),
                quote!(#marks: #private::family::Marks::new(#count),),
            ));
        }
        for place in cx.traced(clock) {
            let place = &resolved.places[place];
            let (readers, elements) = (readers_field(&clock.ident, &place.ident), cx.count(Site::Start, &place.family));
            let clocks = count.clone().unwrap_or_else(|| quote!(1));
            parts.push((
                quote!(#readers: #private::family::Readers,),
                quote!(#readers: #private::family::Readers::new(#clocks, #elements),),
            ));
        }
    }
    for (number, clock) in resolved.clocks.iter().enumerate() {
        if clock.watch().is_some_and(|watch| watch.line.is_none()) {
            let (site, width) = (cx.site(number), resolved.parts);
            parts.push((
                quote!(#site: #private::schedule::Site<#width>,),
                quote!(#site: #private::core::default::Default::default(),),
            ));
        }
    }
    for place in cx.logged() {
        let (log, ty) = (field("log", &resolved.places[place].ident), cx.log_type(place));
        parts.push((quote!(#log: #private::family::Log<#ty>,), quote!(#log: #private::family::Log::new(),)));
    }
    parts
}

/// The sizes of sets, and the relations that do not change.
fn sets_and_relations(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let resolved = cx.resolved;
    let mut out = TokenStream::new();
    let single = Family::default();
    for set in &resolved.sets {
        let Some(body) = &set.size else { continue };
        let (size, name) = (size_handle(&set.ident), text(&set.ident));
        let value = initial(cx, "size", &set.ident, &single, &body.access, Site::Start);
        out.extend(quote! {
            let #size: usize = #value;
            #private::element::size(&[#size], #name).map_err(|__crt_fault| __crt_fault.at(__crt_start, #name, &[]))?;
        });
    }
    for (number, relation) in resolved.relations.iter().enumerate() {
        if relation.place.is_none() {
            let (name, value) = (handle(&relation.ident), relation_value(cx, number));
            out.extend(quote!(let #name = #private::Fixed::new(#value);));
        }
    }
    out
}

/// A relation, made row by row.
fn relation_value(cx: &Cx<'_>, number: usize) -> TokenStream {
    let private = &cx.private;
    let relation = &cx.resolved.relations[number];
    let Some(body) = &relation.members else { return TokenStream::new() };
    let (function, name) = (function("members", &relation.ident), text(&relation.ident));
    let arguments = cx.arguments(&body.access, Site::Start);
    let family =
        Family { binders: relation.binders.iter().cloned().zip(relation.rows.iter().copied()).collect(), pairs: None };
    let (rows, targets) = (sizes_of(cx, &family, &name), cx.size(Site::Start, relation.target));
    let binders: Vec<_> = relation.binders.iter().map(binder).collect();
    let decode = cx.decode(Site::Start, &family);
    let ty = if relation.place.is_some() { quote!(ChangingRelation) } else { quote!(Relation) };
    quote! {
        #private::#ty::build(#rows, #targets, |__crt_m, __crt_into| {
            #decode
            Self::#function(#(#binders,)* #(#arguments,)* __crt_into)
                .map_err(|__crt_fault| __crt_fault.at(__crt_start, #name, &[#(#binders),*]))
        })?
    }
}

/// The number of members of a family, checked.
fn sizes_of(cx: &Cx<'_>, family: &Family, name: &str) -> TokenStream {
    if family.pairs.is_some() {
        return cx.count(Site::Start, family);
    }
    let private = &cx.private;
    let sizes = family.sets().map(|set| cx.size(Site::Start, set));
    quote! {
        #private::element::size(&[#(#sizes),*], #name).map_err(|__crt_fault| __crt_fault.at(__crt_start, #name, &[]))?
    }
}

/// Local variables with the number of members of each family of clocks.
fn members(cx: &Cx<'_>) -> TokenStream {
    let families = cx.resolved.clocks.iter().filter(|clock| !clock.family.is_single() && clock.is_clock());
    families
        .map(|clock| {
            let (members, count) = (field("members", &clock.ident), sizes_of(cx, &clock.family, &text(&clock.ident)));
            quote!(let #members: usize = #count;)
        })
        .collect()
}

/// `Model::start_from`.
pub(super) fn start_from(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let [state, ..] = types::names(cx.model);
    let clocks_type = cx.clocks_type();
    let marker = types::marker_value(cx.model);
    let result = cx.result(&quote!(#private::Simulation<Self>), "SimError");
    let ranges = ranges(cx);
    let constants = constants(cx);
    let constant_fields = cx.resolved.constants.iter().map(|constant| constant_handle(&constant.ident));
    let (state_values, state_fields) = states(cx);
    let mut clocks = TokenStream::new();
    if !cx.plan.leaves.is_empty() {
        let len = cx.plan.tree_len();
        let array = quote!([0.0; #len]);
        let rates = if cx.plan.unrolled { array } else { quote!(#private::std::boxed::Box::new(#array)) };
        clocks.extend(quote!(race: #private::Race::IDLE, rates: #rates,));
    }
    if !cx.plan.slots.is_empty() {
        let slots = cx.plan.slots.len();
        let times = if cx.plan.scanned { quote!(Scan::new()) } else { quote!(PairTree::new(#slots)) };
        clocks.extend(quote!(times: #private::times::#times,));
    }
    if cx.resolved.schedules() {
        let schedule = cx.schedule_new();
        clocks.extend(quote!(schedule: #schedule,));
    }
    for (_, part) in parts(cx) {
        clocks.extend(part);
    }
    let (sets, members) = (sets_and_relations(cx), members(cx));
    let init = cx.resolved.init.as_ref().map(|init| {
        let whose = Whose { name: "init".to_owned(), index: quote!(&[]) };
        let call = cx.call(&init_function(), &Family::default(), &init.access, &whose);
        quote!(#call;)
    });
    quote! {
        fn start_from(
            self,
            __crt_seed: #private::core::primitive::u64,
            __crt_stream: #private::core::primitive::u64,
            __crt_start: #private::core::primitive::f64,
        ) -> #result {
            let __crt_model = self;
            #ranges
            let mut __crt_rng = #private::stream(__crt_seed, __crt_stream);
            #sets
            #constants
            #state_values
            #members
            let __crt_state = #state { #state_fields #marker };
            let __crt_clocks = #clocks_type { #clocks #(#constant_fields,)* #marker };
            let __crt_checked = #private::core::cfg!(debug_assertions);
            let mut __crt_engine = #private::Engine::new(__crt_model, __crt_state, __crt_clocks, __crt_rng, __crt_start, __crt_checked)?;
            let __crt_e = &mut __crt_engine.active();
            #init
            <Self as #private::Model>::refresh_all(__crt_e)?;
            #private::core::result::Result::Ok(#private::Simulation::from_engine(__crt_engine))
        }
    }
}

/// Calls an initial-value function of a member before there is an engine.
fn initial(
    cx: &Cx<'_>,
    part: &str,
    ident: &syn::Ident,
    family: &Family,
    access: &crate::resolve::Access,
    site: Site,
) -> TokenStream {
    let call = cx.called(&function(part, ident), family, access, site);
    let Whose { name, index } = Whose::of(ident, family);
    quote!(#call.map_err(|__crt_fault| __crt_fault.at(__crt_start, #name, #index))?)
}

/// The elements of a family, each made by `value`, in a vector.
fn elements(cx: &Cx<'_>, family: &Family, count: &TokenStream, value: &TokenStream, site: Site) -> TokenStream {
    let decode = cx.decode(site, family);
    quote!({
        let __crt_count: usize = #count;
        let mut __crt_all = __cr::std::vec::Vec::with_capacity(__crt_count);
        for __crt_m in 0..__crt_count {
            #decode
            __crt_all.push(#value);
        }
        __crt_all
    })
}

/// A family in the type that it is kept in, from a vector.
fn kept(cx: &Cx<'_>, place: &crate::resolve::Place, all: &TokenStream, site: Site) -> TokenStream {
    if place.array.is_some() {
        return quote!(__cr::element::array(#all));
    }
    if place.grows {
        return all.clone();
    }
    if place.family.pairs.is_some() || place.family.binders.len() == 1 {
        return quote!(#all.into_boxed_slice());
    }
    let sizes = place.family.sets().map(|set| cx.size(site, set));
    quote!(__cr::Table::new(#all, [#(#sizes),*]))
}

fn constants(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    cx.resolved
        .constants
        .iter()
        .map(|constant| {
            let handle = constant_handle(&constant.ident);
            let body = &constant.value;
            match &constant.ty {
                Some(ty) => {
                    let family = &constant.family;
                    let value = initial(cx, "constant", &constant.ident, family, &body.access, Site::Start);
                    if !family.is_single() {
                        let count = sizes_of(cx, family, &text(&constant.ident));
                        let all = elements(cx, family, &count, &value, Site::Start);
                        quote!(let #handle = #private::Fixed::new(#all);)
                    } else if crate::resolve::is_number(ty) {
                        quote!(let #handle = #value;)
                    } else {
                        quote!(let #handle = #private::Fixed::new(#value);)
                    }
                }
                None => {
                    let (tokens, whose) = (&body.tokens, text(&constant.ident));
                    let value = quote! {
                        #handle.get(|| #private::core::result::Result::Ok(#tokens))?;
                        #private::core::result::Result::Ok(())
                    };
                    let evaluate = before_the_engine(cx, &body.access, &value, &whose);
                    quote!(let #handle = #private::Constant::new(); #evaluate)
                }
            }
        })
        .collect()
}

/// Evaluates `value` over places that have a value before there is an engine.
fn before_the_engine(cx: &Cx<'_>, access: &crate::resolve::Access, value: &TokenStream, whose: &str) -> TokenStream {
    let private = &cx.private;
    let handles = access.places().map(|place| crate::resolve::handle(&cx.resolved.places[place].ident));
    let constants = access.constants.iter().filter_map(|&number| {
        let constant = &cx.resolved.constants[number];
        let handle = constant_handle(&constant.ident);
        constant.ty.as_ref().map(|_| quote!(let #handle = #private::Read::new(&#handle);))
    });
    let values = access.places().map(|place| {
        let ident = &cx.resolved.places[place].ident;
        quote!(#private::Read::new(&__crt_model.#ident))
    });
    quote! {
        (|| -> #private::core::result::Result<(), #private::Fault> {
            #(let #handles = #values;)*
            #(#constants)*
            #value
        })().map_err(|__crt_fault| __crt_fault.at(__crt_start, #whose, &[]))?;
    }
}

/// Local variables with the initial values, and the fields they go to.
fn states(cx: &Cx<'_>) -> (TokenStream, TokenStream) {
    let private = &cx.private;
    let mut values = TokenStream::new();
    let mut fields = TokenStream::new();
    for place in cx.resolved.places.iter().filter(|place| place.is_state()) {
        let ident = &place.ident;
        let local = quote::format_ident!("__crt_state_{}", place.name());
        let (family, name) = (&place.family, place.name());
        let value = match (&place.initial, place.relation) {
            (_, Some(relation)) => relation_value(cx, relation),
            (Some(body), _) if family.is_single() => initial(cx, "initial", ident, family, &body.access, Site::Start),
            (Some(body), _) => {
                let value = initial(cx, "initial", ident, family, &body.access, Site::Start);
                kept(cx, place, &elements(cx, family, &sizes_of(cx, family, &name), &value, Site::Start), Site::Start)
            }
            (None, _) if family.is_single() || place.array.is_some() => {
                quote!(#private::core::clone::Clone::clone(&__crt_model.#ident))
            }
            (None, _) => {
                let count = sizes_of(cx, family, &name);
                let all = quote!({
                    #private::element::check_length(#name, __crt_model.#ident.len(), #count)
                        .map_err(|__crt_fault| __crt_fault.at(__crt_start, #name, &[]))?;
                    #private::core::clone::Clone::clone(&__crt_model.#ident)
                });
                kept(cx, place, &all, Site::Start)
            }
        };
        values.extend(quote!(let #local = #value;));
        fields.extend(quote!(#ident: #local,));
    }
    (values, fields)
}

/// Checks of params against their ranges, and of floats against NaN.
fn ranges(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let mut out = TokenStream::new();
    for place in &cx.resolved.places {
        let PlaceKind::Param { range } = &place.kind else { continue };
        let (ident, name) = (&place.ident, place.name());
        match range.as_deref() {
            Some((body, written)) => {
                let expected = format!("expected within {written}");
                let tokens = &body.tokens;
                let check = quote! {
                    let __crt_range = #tokens;
                    #private::check_param(#name, &__crt_model.#ident, &__crt_range, #expected)
                };
                out.extend(before_the_engine(cx, &body.access, &check, &name));
            }
            None if crate::resolve::is_float(&place.ty) => out.extend(quote! {
                #private::check_number(#name, __crt_model.#ident.is_nan()).map_err(|__crt_fault| __crt_fault.at(__crt_start, #name, &[]))?;
            }),
            None => {}
        }
    }
    out
}

/// `Model::initial_tallies`.
pub(super) fn initial_tallies(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let [_, _, tallies, _] = types::names(cx.model);
    let result = cx.result(&quote!(Self::Tallies), "SimError");
    let marker = types::marker_value(cx.model);
    let fields = cx.resolved.places.iter().filter(|place| matches!(place.kind, PlaceKind::Tally)).map(|place| {
        let ident = &place.ident;
        let family = &place.family;
        let value = place.initial.as_ref().map(|body| {
            let value = initial(cx, "initial", ident, family, &body.access, Site::Tallies);
            if family.is_single() {
                return value;
            }
            let count = cx.count(Site::Tallies, family);
            kept(cx, place, &elements(cx, family, &count, &value, Site::Tallies), Site::Tallies)
        });
        quote!(#ident: #value,)
    });
    quote! {
        #[allow(unused_variables)]
        fn initial_tallies(
            __crt_model: &Self,
            __crt_clocks: &Self::Clocks,
            __crt_start: #private::core::primitive::f64,
        ) -> #result {
            #private::core::result::Result::Ok(#tallies { #(#fields)* #marker })
        }
    }
}

/// `Default`, if every param has one and no state is an input.
pub(super) fn default_impl(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let derived = cx.model.options.derives.iter().any(|attr| quote!(#attr).to_string().contains("Default"));
    let given: Vec<_> = cx.resolved.places.iter().filter(|place| place.is_given()).collect();
    if derived || given.iter().any(|place| place.initial.is_none()) {
        return TokenStream::new();
    }
    let name = &cx.model.ident;
    let (impl_generics, type_generics, where_clause) = cx.model.generics.split_for_impl();
    let fields = given.iter().map(|place| &place.ident);
    let values = given.iter().map(|place| {
        let (ident, body) = (&place.ident, place.initial.as_ref());
        let local = quote::format_ident!("__crt_param_{}", place.name());
        let arguments = body.map(|body| cx.arguments(&body.access, Site::Default));
        let arguments = arguments.into_iter().flatten();
        let function = function("initial", ident);
        let message = format!("the default of `{}` failed", place.name());
        quote!(let #local = #private::core::result::Result::expect(Self::#function(#(#arguments),*), #message);)
    });
    let locals = given.iter().map(|place| quote::format_ident!("__crt_param_{}", place.name()));
    quote! {
        #[cfg(not(rust_analyzer))]
        impl #impl_generics #private::core::default::Default for #name #type_generics #where_clause {
            fn default() -> Self {
                #(#values)*
                #name { #(#fields: #locals,)* }
            }
        }
    }
}
