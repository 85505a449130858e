//! Families: their members, and how those are reached.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::types::text;
use super::{Cx, Site};
use crate::plan::Seat;
use crate::resolve::{Clock, Coming, Family, binder, constant_handle, handle, size_handle};

/// Up to this many members, if the number is written in the block, a family is looked through one by one.
const FEW: usize = 16;

/// The name of a member of the clocks' struct that belongs to a family of clocks.
pub(super) fn field(part: &str, ident: &Ident) -> Ident {
    format_ident!("{part}_{}", text(ident))
}

/// The field with what the members of a clock read of a place at run-time indices.
pub(super) fn readers_field(clock: &Ident, place: &Ident) -> Ident {
    format_ident!("readers_{}_of_{}", text(place), text(clock))
}

/// A named item for error messages, with its index.
pub(super) struct Whose {
    pub name: String,
    pub index: TokenStream,
}

impl Whose {
    /// A single item.
    pub(super) fn single(ident: &Ident) -> Self {
        Whose { name: text(ident), index: quote!(&[]) }
    }

    /// The member of a family whose indices are variables.
    pub(super) fn of(ident: &Ident, family: &Family) -> Self {
        let binders = family.binders.iter().map(|(ident, _)| binder(ident));
        Whose { name: text(ident), index: quote!(&[#(#binders),*]) }
    }
}

impl Cx<'_> {
    /// The size of a set.
    pub(super) fn size(&self, site: Site, set: usize) -> TokenStream {
        if let Some(activity) = self.resolved.sets[set].activity {
            let field = self.activity(activity).field;
            return match site {
                Site::Engine | Site::View => quote!(__crt_e.clocks.schedule.activities.#field.slots()),
                Site::Start | Site::Default | Site::Tallies => quote!(0usize),
            };
        }
        let size = size_handle(&self.resolved.sets[set].ident);
        match site {
            Site::Engine | Site::View => quote!(__crt_e.clocks.#size),
            Site::Start | Site::Default => quote!(#size),
            Site::Tallies => quote!(__crt_clocks.#size),
        }
    }

    /// A relation.
    pub(super) fn relation(&self, site: Site, relation: usize) -> TokenStream {
        let relation = &self.resolved.relations[relation];
        if let Some(place) = relation.place {
            return self.place(site, place);
        }
        let handle = handle(&relation.ident);
        match site {
            Site::Engine | Site::View => quote!(__crt_e.clocks.#handle),
            Site::Start | Site::Default => quote!(#handle),
            Site::Tallies => quote!(__crt_clocks.#handle),
        }
    }

    /// Where a place is.
    pub(super) fn place(&self, site: Site, number: usize) -> TokenStream {
        use crate::resolve::PlaceKind;
        let place = &self.resolved.places[number];
        let ident = &place.ident;
        match (site, &place.kind) {
            (Site::Engine | Site::View, PlaceKind::Param { .. }) => quote!(__crt_e.model.#ident),
            (Site::Engine | Site::View, PlaceKind::State { .. }) => quote!(__crt_e.state.#ident),
            (Site::Engine | Site::View, PlaceKind::Tally) => quote!(__crt_e.tallies.#ident),
            (Site::Engine | Site::View, PlaceKind::Since) => quote!(__crt_e.clocks.#ident),
            (Site::Engine | Site::View, PlaceKind::Scheduled) => quote!(__crt_e.clocks.schedule),
            (Site::Start, PlaceKind::State { .. }) => {
                let local = format_ident!("__crt_state_{}", place.name());
                quote!(#local)
            }
            (Site::Default, _) => {
                let local = format_ident!("__crt_param_{}", place.name());
                quote!(#local)
            }
            (Site::Start | Site::Tallies, _) => quote!(__crt_model.#ident),
        }
    }

    /// Where a constant is.
    pub(super) fn constant(&self, site: Site, number: usize) -> TokenStream {
        let handle = constant_handle(&self.resolved.constants[number].ident);
        match site {
            Site::Engine | Site::View => quote!(__crt_e.clocks.#handle),
            Site::Tallies => quote!(__crt_clocks.#handle),
            Site::Start | Site::Default => quote!(#handle),
        }
    }

    /// The elements of a family as a slice.
    pub(super) fn slice(&self, site: Site, place: usize) -> TokenStream {
        let (at, ty) = (self.place(site, place), &self.resolved.places[place].ty);
        quote!(__cr::element::all::<#ty, _>(&#at))
    }

    /// The same, to be written.
    pub(super) fn slice_mut(&self, site: Site, place: usize) -> TokenStream {
        let (at, ty) = (self.place(site, place), &self.resolved.places[place].ty);
        quote!(__cr::element::all_mut::<#ty, _>(&mut #at))
    }

    /// How many members a family has, or could have without growing.
    pub(super) fn count(&self, site: Site, family: &Family) -> TokenStream {
        if let Some(relation) = family.pairs {
            let relation = self.relation(site, relation);
            return quote!(#relation.slots());
        }
        let sizes = family.sets().map(|set| self.size(site, set));
        quote!(1usize #(* #sizes)*)
    }

    /// The numbers of the members that are there.
    pub(super) fn members(&self, site: Site, family: &Family) -> TokenStream {
        if let Some(activity) = family.sets().find_map(|set| self.resolved.sets[set].activity) {
            let field = self.activity(activity).field;
            return quote!(__crt_e.clocks.schedule.activities.#field.alive());
        }
        match self.changing(family) {
            Some(relation) => {
                let relation = self.relation(site, relation);
                quote!(#relation.pairs())
            }
            None => {
                let count = self.count(site, family);
                quote!(0..#count)
            }
        }
    }

    /// Variables for the indices of member `__crt_m`.
    pub(super) fn decode(&self, site: Site, family: &Family) -> TokenStream {
        let binders: Vec<Ident> = family.binders.iter().map(|(ident, _)| binder(ident)).collect();
        let sets: Vec<usize> = family.sets().collect();
        match (family.pairs, binders.as_slice()) {
            (_, []) => TokenStream::new(),
            (None, [only]) => quote!(let #only: usize = __crt_m;),
            (None, binders) => {
                let sizes = sets.iter().map(|&set| self.size(site, set));
                quote!(let [#(#binders),*] = __cr::element::indices(__crt_m, [#(#sizes),*]);)
            }
            (Some(relation), [row @ .., member]) => {
                let row = self.decode_row(site, relation, &quote!(__crt_row), row);
                let relation = self.relation(site, relation);
                quote! {
                    let __crt_row = #relation.row_of(__crt_m);
                    #row
                    let #member: usize = #relation.member_of(__crt_m);
                }
            }
        }
    }

    /// Variables for the indices of a row.
    pub(super) fn decode_row(
        &self,
        site: Site,
        relation: usize,
        row: &TokenStream,
        variables: &[Ident],
    ) -> TokenStream {
        match variables {
            [only] => quote!(let #only: usize = #row;),
            several => {
                let sizes = self.resolved.relations[relation].rows.iter().map(|&set| self.size(site, set));
                quote!(let [#(#several),*] = __cr::element::indices(#row, [#(#sizes),*]);)
            }
        }
    }

    /// Parameters for a member and its indices; none for a single item.
    pub(super) fn member_parameters(&self, family: &Family) -> TokenStream {
        if family.is_single() {
            return TokenStream::new();
        }
        let binders = family.binders.iter().map(|(ident, _)| binder(ident));
        quote!(__crt_m: usize, #(#binders: usize,)*)
    }

    /// Arguments for them.
    pub(super) fn member_arguments(&self, family: &Family) -> TokenStream {
        if family.is_single() {
            return TokenStream::new();
        }
        let binders = family.binders.iter().map(|(ident, _)| binder(ident));
        quote!(, __crt_m, #(#binders),*)
    }

    /// Uses parameters that a body may leave alone.
    pub(super) fn member_used(&self, family: &Family) -> TokenStream {
        if family.is_single() {
            return TokenStream::new();
        }
        let binders = family.binders.iter().map(|(ident, _)| binder(ident));
        quote!(let _ = (__crt_m, #(#binders),*);)
    }

    /// Whether member `__crt_m` of a clock is there.
    pub(super) fn is_there(&self, coming: Coming) -> TokenStream {
        match coming {
            Coming::Pairs(relation) => {
                let relation = self.relation(Site::Engine, relation);
                quote!(#relation.live(__crt_m))
            }
            Coming::Instances(activity) => {
                let all = self.activity(activity).all();
                quote!(#all.is_alive(__crt_m))
            }
        }
    }

    /// Whether there are clocks over the instances of an activity, who are told who comes and goes.
    pub(super) fn is_followed(&self, activity: usize) -> bool {
        let follows =
            |clock: &Clock| matches!(self.resolved.coming(clock), Some(Coming::Instances(other)) if other == activity);
        self.resolved.clocks.iter().any(follows)
    }

    /// The relation whose pairs a family is over, if they come and go.
    pub(super) fn changing(&self, family: &Family) -> Option<usize> {
        family.pairs.filter(|&relation| self.resolved.relations[relation].place.is_some())
    }

    /// The selection structure of a family tells the one above about itself.
    pub(super) fn tell(&self, number: usize) -> TokenStream {
        let clock = &self.resolved.clocks[number];
        if clock.family.is_single() {
            return TokenStream::new();
        }
        match self.plan.seats[number] {
            Seat::Leaf(leaf) => {
                let rates = field("rates", &clock.ident);
                if self.plan.unrolled {
                    let node = self.plan.node(leaf);
                    quote!(__crt_e.clocks.rates[#node] = __crt_e.clocks.#rates.total();)
                } else {
                    quote!({
                        let __crt_total = __crt_e.clocks.#rates.total();
                        __cr::rates::set(&mut __crt_e.clocks.rates[..], #leaf, __crt_total);
                    })
                }
            }
            Seat::Slot(slot) => {
                let times = field("times", &clock.ident);
                quote!({
                    let (__crt_at, _) = __crt_e.clocks.#times.earliest();
                    __crt_e.clocks.times.set(#slot, __crt_at);
                })
            }
            Seat::Schedule => TokenStream::new(),
        }
    }

    /// The number of members of a family, if it is written in its sets.
    fn literal_count(&self, family: &Family) -> Option<usize> {
        if family.pairs.is_some() {
            return None;
        }
        family.sets().try_fold(1_usize, |product, set| match &self.resolved.sets[set].written {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) => {
                product.checked_mul(int.base10_parse::<usize>().ok()?)
            }
            _ => None,
        })
    }

    /// The type of a family's selection structure, and what it is made from.
    pub(super) fn structure(&self, number: usize) -> (TokenStream, TokenStream) {
        use crate::syntax::Structure;
        let members = field("members", &self.resolved.clocks[number].ident);
        let clock = &self.resolved.clocks[number];
        let fine = self.plan.fine;
        let few = self
            .literal_count(&clock.family)
            .filter(|count| clock.structure == Structure::BySize && (1..=FEW).contains(count));
        match self.plan.seats[number] {
            Seat::Leaf(_) if few.is_some() => (quote!(__cr::rates::Few<#few>), quote!()),
            Seat::Slot(_) if few.is_some() => (quote!(__cr::times::Scan<#fine, #few>), quote!()),
            Seat::Leaf(_) => {
                let method = match clock.structure {
                    Structure::Tree => quote!(Tree),
                    Structure::Composition => quote!(Composition),
                    _ => quote!(BySize),
                };
                (quote!(__cr::family_rates::Rates), quote!(#members, __cr::family_rates::Method::#method))
            }
            Seat::Slot(_) => {
                let method = match clock.structure {
                    Structure::PairTree => quote!(PairTree),
                    Structure::Blocks => quote!(Blocks),
                    _ => quote!(BySize),
                };
                (quote!(__cr::family_times::Times<#fine>), quote!(#members, __cr::family_times::Method::#method))
            }
            Seat::Schedule => (TokenStream::new(), TokenStream::new()),
        }
    }

    /// Places whose elements a clock reads at run-time indices, and notes.
    pub(super) fn traced(&self, clock: &Clock) -> Vec<usize> {
        let bodies = clock.guard.iter().chain(clock.timing.watched());
        let mut traced: Vec<usize> = bodies.flat_map(|body| body.access.traced.iter().copied()).collect();
        traced.sort_unstable();
        traced.dedup();
        traced
    }

    /// Places whose elements some action writes at run-time indices.
    pub(super) fn logged(&self) -> Vec<usize> {
        let resolved = self.resolved;
        let clocks = resolved.clocks.iter().map(|clock| &clock.action);
        let actions = resolved.actions.iter().map(|action| &action.body);
        let mut logged: Vec<usize> =
            clocks.chain(actions).chain(&resolved.init).flat_map(|body| body.access.logged.iter().copied()).collect();
        logged.sort_unstable();
        logged.dedup();
        logged
    }

    /// What a log of a place saves.
    pub(super) fn log_type(&self, place: usize) -> TokenStream {
        let place = &self.resolved.places[place];
        let ty = &place.ty;
        match place.relation {
            Some(relation) => match &self.resolved.relations[relation].value {
                Some(value) => quote!(__cr::element::Change<#value>),
                None => quote!(__cr::element::Change<()>),
            },
            None => quote!(#ty),
        }
    }
}
