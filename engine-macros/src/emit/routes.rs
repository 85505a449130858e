//! Following routes from what was written to the members that are refreshed.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::family::{field, readers_field};
use super::{Cx, Site};
use crate::graph::{Element, Member, Origin, Route, Source, Step, Value};
use crate::plan::{How, Refresh, Seat};
use crate::resolve::{Atom, Coming, Family, Sum, binder, function};

/// Refreshes what of a clock depends on what clock `rang` has written. Without one, `how` has no routes.
pub(super) fn refresh(cx: &Cx<'_>, rang: Option<usize>, refresh: &Refresh) -> TokenStream {
    let clock = &cx.resolved.clocks[refresh.clock];
    let one = function("refresh", &clock.ident);
    let by_number = function("refreshnumber", &clock.ident);
    let marks = field("marks", &clock.ident);
    let follow = |hit: &dyn Fn(&Hit) -> TokenStream| {
        let follower = Follower { cx, rang: rang.unwrap_or_default(), target: refresh.clock };
        follower.all(refresh.how.routes(), hit)
    };
    let coming = cx.resolved.coming(clock);
    let at_once = |hit: &Hit| match &hit.indices {
        // A member that was there may be gone by now, which is looked at by its number.
        Some(indices) if coming.is_none() => {
            let number = &hit.number;
            quote!(Self::#one(__crt_e, #number, #(#indices),*)?;)
        }
        _ => {
            let number = &hit.number;
            quote!(Self::#by_number(__crt_e, #number)?;)
        }
    };
    // Members that have come need room, and pairs that have gone are off, before anything else is said about their numbers.
    let changed = refresh.how.routes().iter().find_map(|route| match route.origin {
        Origin::Changed(place) if route.is_come_or_gone() => Some(place),
        _ => None,
    });
    let come_and_go = changed.map(|place| {
        let log = field("log", &cx.resolved.places[place].ident);
        let (grow, disarm) = (function("grow", &clock.ident), function("disarm", &clock.ident));
        if matches!(coming, Some(Coming::Instances(_))) {
            // Whether they live is looked at for each.
            return quote!(Self::#grow(__crt_e););
        }
        quote! {
            Self::#grow(__crt_e);
            for __crt_i in 0..__crt_e.clocks.#log.len() {
                let __crt_change = __crt_e.clocks.#log.values()[__crt_i];
                if !__crt_change.inserted {
                    Self::#disarm(__crt_e, __crt_change.pair);
                }
            }
        }
    });
    // Numbers are gathered first, so that each is taken once.
    let few = |count: usize, order: &TokenStream| {
        let found = follow(&|hit| {
            let (number, route) = (&hit.number, hit.route);
            quote!(__crt_list[#route] = #number;)
        });
        quote!({
            let mut __crt_list = [usize::MAX; #count];
            #found
            #order
            for __crt_i in 0..#count {
                let __crt_m = __crt_list[__crt_i];
                if __crt_m != usize::MAX && !__crt_list[..__crt_i].contains(&__crt_m) {
                    Self::#by_number(__crt_e, __crt_m)?;
                }
            }
        })
    };
    let members = match &refresh.how {
        How::Always => quote!(Self::#one(__crt_e)?;),
        How::If(_) => {
            let found = follow(&|_| quote!(__crt_hit = true;));
            quote!({
                let mut __crt_hit = false;
                #found
                if __crt_hit { Self::#one(__crt_e)?; }
            })
        }
        How::Every if clock.watch().is_some() => {
            let everybody = function("everybody", &clock.ident);
            quote!(Self::#everybody(__crt_e)?;)
        }
        How::Every => {
            let count = cx.count(Site::Engine, &clock.family);
            quote!(for __crt_m in 0..#count { Self::#by_number(__crt_e, __crt_m)?; })
        }
        How::Each(_, larger) if larger.is_empty() => follow(&at_once),
        How::Each(routes, larger) => {
            let sizes = larger.iter().map(|&(set, _)| cx.size(Site::Engine, set));
            let spans = larger.iter().map(|&(_, span)| usize::try_from(span).unwrap_or(usize::MAX));
            let (apart, few) = (follow(&at_once), few(routes.len(), &TokenStream::new()));
            quote!(if #(#sizes > #spans)&&* { #apart } else { #few })
        }
        How::Distinct(routes) => few(routes.len(), &TokenStream::new()),
        How::Once(_) => {
            let found = follow(&|hit| {
                let (number, refresh) = (&hit.number, at_once(hit));
                quote!(if __crt_e.clocks.#marks.first(#number) { #refresh })
            });
            quote!(__crt_e.clocks.#marks.begin(); #found)
        }
        How::Sorted(routes) => few(routes.len(), &quote!(__crt_list.sort_unstable();)),
        How::Marked(_) => {
            let found = follow(&|hit| {
                let number = &hit.number;
                quote!(__crt_e.clocks.#marks.mark(#number);)
            });
            let draws = matches!(cx.plan.seats[refresh.clock], Seat::Slot(_));
            let sort = draws.then(|| quote!(__crt_e.clocks.#marks.sort();));
            quote! {
                __crt_e.clocks.#marks.begin();
                #found
                #sort
                let mut __crt_i = 0;
                while let __cr::core::option::Option::Some(__crt_m) = __crt_e.clocks.#marks.get(__crt_i) {
                    Self::#by_number(__crt_e, __crt_m)?;
                    __crt_i += 1;
                }
            }
        }
    };
    let tell = cx.tell(refresh.clock);
    quote!(#come_and_go #members #tell)
}

/// A member that a route leads to.
struct Hit {
    /// Number of the route.
    route: usize,
    /// Number of the member.
    number: TokenStream,
    /// Its indices, if they are known without looking.
    indices: Option<Vec<TokenStream>>,
}

/// Follows routes from a clock that has rung.
struct Follower<'a, 'c> {
    cx: &'a Cx<'c>,
    rang: usize,
    target: usize,
}

impl Follower<'_, '_> {
    fn all(&self, routes: &[Route], hit: &dyn Fn(&Hit) -> TokenStream) -> TokenStream {
        let mut origins: Vec<Origin> = Vec::new();
        for route in routes {
            if !origins.contains(&route.origin) {
                origins.push(route.origin);
            }
        }
        origins
            .into_iter()
            .map(|origin| {
                let found: TokenStream = routes
                    .iter()
                    .enumerate()
                    .filter(|(_, route)| route.origin == origin)
                    .map(|(number, route)| self.route(number, route, hit))
                    .collect();
                self.each_of(origin, &found)
            })
            .collect()
    }

    /// Does `inner` for each thing that was written.
    fn each_of(&self, origin: Origin, inner: &TokenStream) -> TokenStream {
        let cx = self.cx;
        match origin {
            Origin::Own => quote!(#inner),
            Origin::Written(place) => {
                let place = &cx.resolved.places[place];
                let log = field("log", &place.ident);
                let indices = self.written_indices(&place.family);
                let gone = cx.changing(&place.family).map(|relation| {
                    let relation = cx.relation(Site::Engine, relation);
                    quote!(if !#relation.live(__crt_w) { continue; })
                });
                quote! {
                    for __crt_i in 0..__crt_e.clocks.#log.len() {
                        let __cr::core::option::Option::Some(__crt_w) = __crt_e.clocks.#log.get(__crt_i) else { break };
                        #gone
                        #indices
                        #inner
                    }
                }
            }
            Origin::Changed(place) if cx.resolved.places[place].relation.is_none() => {
                let followed = cx.activities().find(|of| of.activity.place == place);
                let all = followed.map(|of| of.all());
                quote! {
                    for __crt_i in 0..#all.changes().len() {
                        let __crt_w = #all.changes()[__crt_i] as usize;
                        #inner
                    }
                }
            }
            Origin::Changed(place) => {
                let place = &cx.resolved.places[place];
                let log = field("log", &place.ident);
                let relation = place.relation.unwrap_or_default();
                let rows = cx.resolved.relations[relation].rows.len();
                let variables: Vec<Ident> = (0..rows).map(written).collect();
                let row = cx.decode_row(Site::Engine, relation, &quote!(__crt_change.row), &variables);
                let member = written(rows);
                quote! {
                    for __crt_i in 0..__crt_e.clocks.#log.len() {
                        let __crt_change = __crt_e.clocks.#log.values()[__crt_i];
                        #row
                        let #member = __crt_change.member;
                        #inner
                    }
                }
            }
        }
    }

    /// The indices of element `__crt_w`.
    fn written_indices(&self, family: &Family) -> TokenStream {
        let cx = self.cx;
        let count = family.binders.len();
        let variables: Vec<Ident> = (0..count).map(written).collect();
        match (family.pairs, variables.as_slice()) {
            (None, [only]) => quote!(let #only = __crt_w;),
            (None, several) => {
                let sizes = family.sets().map(|set| cx.size(Site::Engine, set));
                quote!(let [#(#several),*] = __cr::element::indices(__crt_w, [#(#sizes),*]);)
            }
            (Some(relation), [row @ .., member]) => {
                let row = cx.decode_row(Site::Engine, relation, &quote!(__crt_row), row);
                let relation = cx.relation(Site::Engine, relation);
                quote! {
                    let __crt_row = #relation.row_of(__crt_w);
                    #row
                    let #member = #relation.member_of(__crt_w);
                }
            }
            (Some(_), []) => TokenStream::new(),
        }
    }

    fn route(&self, number: usize, route: &Route, hit: &dyn Fn(&Hit) -> TokenStream) -> TokenStream {
        let found = self.member(number, route, hit);
        route.steps.iter().rev().fold(found, |inner, step| self.step(step, &inner))
    }

    fn member(&self, route: usize, the_route: &Route, hit: &dyn Fn(&Hit) -> TokenStream) -> TokenStream {
        let cx = self.cx;
        let clock = &cx.resolved.clocks[self.target];
        let rang = &cx.resolved.clocks[self.rang];
        let codes = |values: &[Value]| -> Vec<TokenStream> { values.iter().map(|value| self.value(value)).collect() };
        match &the_route.member {
            Member::At(values) => {
                let indices = codes(values);
                let sets: Vec<usize> = clock.family.sets().collect();
                let variables: Vec<Ident> = (0..indices.len()).map(|i| format_ident!("__crt_x{i}")).collect();
                let number = variables.iter().zip(&sets).fold(None, |number: Option<TokenStream>, (variable, &set)| {
                    let size = cx.size(Site::Engine, set);
                    Some(match number {
                        Some(number) => quote!((#number) * #size + #variable),
                        None => quote!(#variable),
                    })
                });
                let number = number.unwrap_or_else(|| quote!(0));
                let found = hit(&Hit {
                    route,
                    number,
                    indices: Some(variables.iter().map(|variable| quote!(#variable)).collect()),
                });
                quote!({ #(let #variables = #indices;)* #found })
            }
            Member::Pair(values) => {
                let indices = codes(values);
                let found = hit(&Hit { route, number: quote!(__crt_pair), indices: Some(indices) });
                quote!({ #found })
            }
            Member::OwnPair => {
                let indices = rang.family.binders.iter().map(|(ident, _)| binder(ident)).map(|b| quote!(#b)).collect();
                let found = hit(&Hit { route, number: quote!(__crt_m), indices: Some(indices) });
                quote!({ #found })
            }
            Member::WrittenPair => {
                let indices: Vec<TokenStream> =
                    (0..clock.family.binders.len()).map(written).map(|w| quote!(#w)).collect();
                if the_route.is_come_or_gone() && clock.family.pairs.is_none() {
                    let found = hit(&Hit { route, number: quote!(__crt_w), indices: None });
                    return quote!({ #found });
                }
                if !the_route.is_come_or_gone() {
                    let found = hit(&Hit { route, number: quote!(__crt_w), indices: Some(indices) });
                    return quote!({ #found });
                }
                let found = hit(&Hit { route, number: quote!(__crt_change.pair), indices: None });
                quote!(if __crt_change.inserted { #found })
            }
            Member::Reader => hit(&Hit { route, number: quote!(__crt_reader), indices: None }),
        }
    }

    fn step(&self, step: &Step, inner: &TokenStream) -> TokenStream {
        let cx = self.cx;
        match step {
            Step::Within { value, set } => {
                let (value, size) = (self.value(value), cx.size(Site::Engine, *set));
                quote!(if #value < #size { #inner })
            }
            Step::Equal(a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                quote!(if #a == #b { #inner })
            }
            Step::All { set, variable } => {
                let (variable, size) = (bound(*variable), cx.size(Site::Engine, *set));
                quote!(for #variable in 0..#size { #inner })
            }
            Step::Sources { relation, member, variables } => self.sources(*relation, member, variables, false, inner),
            Step::PairsOfMember { relation, member, variables } => {
                self.sources(*relation, member, variables, true, inner)
            }
            Step::Members { relation, row, variable } => self.members(*relation, row, *variable, false, inner),
            Step::PairsOfRow { relation, row, variable } => self.members(*relation, row, *variable, true, inner),
            Step::Pairs { relation, variables } => {
                let live = cx.resolved.relations[*relation].place.is_some();
                let variables: Vec<Ident> = variables.iter().map(|&variable| bound(variable)).collect();
                let Some((member, row)) = variables.split_last() else { return TokenStream::new() };
                let decode = cx.decode_row(Site::Engine, *relation, &quote!(__crt_row), row);
                let relation = cx.relation(Site::Engine, *relation);
                let live = if live { quote!(if #relation.live(__crt_pair)) } else { TokenStream::new() };
                quote! {
                    for __crt_pair in 0..#relation.slots() {
                        #live {
                            let __crt_row = #relation.row_of(__crt_pair);
                            #decode
                            let #member = #relation.member_of(__crt_pair);
                            #inner
                        }
                    }
                }
            }
            Step::Readers { place, element } => {
                let clock = &cx.resolved.clocks[self.target];
                let readers = readers_field(&clock.ident, &cx.resolved.places[*place].ident);
                let element = match element {
                    Element::Written => quote!(__cr::core::option::Option::Some(__crt_w)),
                    Element::At(values) => self.number(&cx.resolved.places[*place].family, values),
                };
                quote! {
                    if let __cr::core::option::Option::Some(__crt_of) = #element {
                        for __crt_j in 0..__crt_e.clocks.#readers.readers(__crt_of).len() {
                            let __crt_reader = __crt_e.clocks.#readers.readers(__crt_of)[__crt_j] as usize;
                            #inner
                        }
                    }
                }
            }
        }
    }

    fn sources(
        &self,
        relation: usize,
        member: &Value,
        variables: &[usize],
        pairs: bool,
        inner: &TokenStream,
    ) -> TokenStream {
        let variables: Vec<Ident> = variables.iter().map(|&variable| bound(variable)).collect();
        let row = self.cx.decode_row(Site::Engine, relation, &quote!(__crt_row), &variables);
        let relation = self.cx.relation(Site::Engine, relation);
        let member = self.value(member);
        let pair = pairs.then(|| quote!(let __crt_pair = #relation.source_pair_at(__crt_of, __crt_j);));
        quote!({
            let __crt_of = #member;
            for __crt_j in 0..#relation.in_degree(__crt_of) {
                let __crt_row = #relation.source_at(__crt_of, __crt_j);
                #pair
                #row
                #inner
            }
        })
    }

    fn members(
        &self,
        relation: usize,
        row: &[Value],
        variable: usize,
        pairs: bool,
        inner: &TokenStream,
    ) -> TokenStream {
        let sets = &self.cx.resolved.relations[relation].rows;
        let row = self.number_in(sets, row);
        let relation = self.cx.relation(Site::Engine, relation);
        let variable = bound(variable);
        let pair = pairs.then(|| quote!(let __crt_pair = #relation.pair_at(__crt_of, __crt_j);));
        quote! {
            if let __cr::core::option::Option::Some(__crt_of) = #row {
                for __crt_j in 0..#relation.degree(__crt_of) {
                    let #variable = #relation.member_at(__crt_of, __crt_j);
                    #pair
                    #inner
                }
            }
        }
    }

    /// The number of the element of a family at `values`, an `Option`.
    pub(super) fn number(&self, family: &Family, values: &[Value]) -> TokenStream {
        let Some(relation) = family.pairs else {
            let sets: Vec<usize> = family.sets().collect();
            return self.number_in(&sets, values);
        };
        let Some((member, row)) = values.split_last() else { return TokenStream::new() };
        let row = self.number_in(&self.cx.resolved.relations[relation].rows, row);
        let (member, relation) = (self.value(member), self.cx.relation(Site::Engine, relation));
        quote!(#row.and_then(|__crt_row| #relation.find(__crt_row, #member)))
    }

    fn number_in(&self, sets: &[usize], values: &[Value]) -> TokenStream {
        let sizes = sets.iter().map(|&set| self.cx.size(Site::Engine, set));
        let values = values.iter().map(|value| self.value(value));
        quote!(__cr::element::linear_of([#(#values),*], [#(#sizes),*]))
    }

    /// The number that a value stands for.
    pub(super) fn value(&self, value: &Value) -> TokenStream {
        let cx = self.cx;
        let base = match &value.base {
            Source::Fixed => quote!(0usize),
            Source::Own(number) => {
                let own = binder(&cx.resolved.clocks[self.rang].family.binders[*number].0);
                quote!(#own)
            }
            Source::Written(axis) => {
                let variable = written(*axis);
                quote!(#variable)
            }
            Source::Variable(variable) => {
                let variable = bound(*variable);
                quote!(#variable)
            }
            Source::Value(inner) => {
                let inner = self.value(inner);
                quote!(#inner)
            }
        };
        let sum = self.plus(base, &value.by);
        match value.wrap {
            Some(set) => {
                let size = cx.size(Site::Engine, set);
                quote!(__cr::element::wrap(#sum, #size))
            }
            None => sum,
        }
    }

    fn plus(&self, base: TokenStream, sum: &Sum) -> TokenStream {
        let mut code = base;
        if sum.literal != 0 {
            let literal = isize_literal(sum.literal);
            code = quote!(#code.wrapping_add_signed(#literal));
        }
        for (atom, count) in sum.terms.values() {
            let value = match atom {
                Atom::Param(place) => self.cx.place(Site::Engine, *place),
                Atom::Size(set) => self.cx.size(Site::Engine, *set),
                Atom::Outside(path) => path.clone(),
            };
            let count = isize_literal(*count);
            code = quote!(#code.wrapping_add_signed((__cr::element::index(#value) as isize).wrapping_mul(#count)));
        }
        code
    }
}

/// The number of an element that clock `rang` writes, an `Option`.
pub(super) fn own_element(cx: &Cx<'_>, rang: usize, element: &crate::resolve::Element) -> TokenStream {
    let clock = &cx.resolved.clocks[rang];
    let sets: Vec<usize> = clock.family.sets().collect();
    let family = &cx.resolved.places[element.place].family;
    let itself = family.pairs.is_some()
        && family.pairs == clock.family.pairs
        && element
            .forms
            .iter()
            .enumerate()
            .all(|(i, form)| *form == crate::resolve::Form::plain(crate::resolve::Base::Binder(i)));
    if itself {
        return quote!(__cr::core::option::Option::Some(__crt_m));
    }
    let values: Vec<Value> = element.forms.iter().map(|form| Value::of(form, &sets)).collect();
    Follower { cx, rang, target: rang }.number(family, &values)
}

/// The number of the pair that the indices of a clock over pairs stand for, an `Option`.
pub(super) fn own_pair(cx: &Cx<'_>, number: usize) -> TokenStream {
    let family = &cx.resolved.clocks[number].family;
    let sets: Vec<usize> = family.sets().collect();
    let form = |binder: usize| crate::resolve::Form::plain(crate::resolve::Base::Binder(binder));
    let values: Vec<Value> = (0..sets.len()).map(|binder| Value::of(&form(binder), &sets)).collect();
    Follower { cx, rang: number, target: number }.number(family, &values)
}

fn isize_literal(value: i64) -> proc_macro2::Literal {
    proc_macro2::Literal::isize_suffixed(isize::try_from(value).unwrap_or(isize::MAX))
}

/// A variable of a step.
fn bound(variable: usize) -> Ident {
    format_ident!("__crt_v{variable}")
}

/// An index of an element that was written at run time.
fn written(axis: usize) -> Ident {
    format_ident!("__crt_w{axis}")
}
