//! Index sets, relations, and what items are families over.

use proc_macro2::Ident;
use quote::quote;
use syn::{Expr, Type};

use super::Body;
use super::names::{Meaning, Names, Place, PlaceKind};
use crate::errors::Errors;
use crate::syntax::{self, Argument, ArgumentKind, Axis, Item, Model, Over};

/// The integers below a size.
#[derive(Debug)]
pub(crate) struct Set {
    pub ident: Ident,
    /// The size as it is written.
    pub written: Expr,
    /// The size, once it has been resolved.
    pub size: Option<Body>,
    /// The activity whose instances are its members, if it is one.
    pub activity: Option<usize>,
}

/// For each row some members of a set.
#[derive(Debug)]
pub(crate) struct Relation {
    pub ident: Ident,
    pub binders: Vec<Ident>,
    /// The sets whose product are the rows.
    pub rows: Vec<usize>,
    pub target: usize,
    pub value: Option<Type>,
    /// The place in which it is kept if it changes.
    pub place: Option<usize>,
    /// What gives the members of a row, once it has been resolved.
    pub members: Option<Body>,
}

/// What an item is a family over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Family {
    /// The names of its indices and the sets they are from; empty for a single item.
    pub binders: Vec<(Ident, usize)>,
    /// The relation whose pairs it is over; otherwise it is over the product of the sets.
    pub pairs: Option<usize>,
}

impl Family {
    /// Whether there is one item only.
    pub(crate) fn is_single(&self) -> bool {
        self.binders.is_empty()
    }

    /// The sets of its indices.
    pub(crate) fn sets(&self) -> impl Iterator<Item = usize> + '_ {
        self.binders.iter().map(|(_, set)| *set)
    }

    /// Pairs of brackets behind a name of such a family.
    pub(super) fn brackets(&self) -> usize {
        if self.pairs.is_some() { 1 } else { self.binders.len() }
    }
}

impl Names<'_> {
    /// Index sets and relations, which families declared before them may use.
    pub(super) fn families(&mut self, model: &Model, errors: &mut Errors) {
        for item in &model.items {
            if let Item::Index(index) = item {
                self.declare(&index.ident, Meaning::Set(self.sets.len()), errors);
                self.sets.push(Set {
                    ident: index.ident.clone(),
                    written: index.end.clone(),
                    size: None,
                    activity: None,
                });
            }
        }
        self.instances(model, errors);
        let over = |item: &Item| match item {
            Item::State(item) => !item.over.is_single(),
            Item::Tally(item) => !item.over.is_single(),
            Item::Let(item) => !item.over.is_single(),
            Item::Clock(item) => !item.over.is_single(),
            Item::Reaction(item) => !item.over.is_single(),
            Item::Observe(item) => !item.over.is_single(),
            Item::Action(item) => item.args.iter().any(|arg| matches!(arg.kind, ArgumentKind::Member(_))),
            Item::Event(item) => {
                !item.over.is_single() || item.args.iter().any(|arg| matches!(arg.kind, ArgumentKind::Member(_)))
            }
            Item::Activity(item) => item.args.iter().any(|arg| matches!(arg.kind, ArgumentKind::Member(_))),
            Item::Relation(_) => true,
            _ => false,
        };
        if self.sets.is_empty() && model.items.iter().any(over) {
            // What is over a set that is not there has been reported; it goes on over this one.
            let ident = Ident::new("none", model.ident.span());
            self.sets.push(Set { ident, written: syn::parse_quote!(0), size: None, activity: None });
        }
        for item in &model.items {
            if let Item::Relation(relation) = item {
                self.relation(relation, errors);
            }
        }
    }

    /// An activity over which there are families is an index set of its instances.
    fn instances(&mut self, model: &Model, errors: &mut Errors) {
        for item in &model.items {
            let (over, instead) = match item {
                Item::State(item) => (&item.over, None),
                Item::Observe(item) => (&item.over, None),
                Item::Let(item) => (&item.over, None),
                Item::Clock(item) => (&item.over, None),
                Item::Reaction(item) => (&item.over, None),
                Item::Tally(item) => {
                    (&item.over, Some("count in a state of each, and in its body add that to a tally"))
                }
                Item::Event(item) => (&item.over, Some("let the event take a key: `event NAME(who: Key<ACTIVITY>)`")),
                Item::Flow(item) => (&item.over, Some("keep its value and when it was written, as two states of each")),
                _ => continue,
            };
            for set in over.sets() {
                if model.activity(set).is_none() {
                    continue;
                }
                if let Some(instead) = instead {
                    errors.at(
                        set.span(),
                        format!(
                            "there are states, definitions, clocks, reactions and outputs over the instances of an activity, \
                             such as `{set}`, and nothing else; {instead}"
                        ),
                    );
                } else if over.axes.len() > 1 {
                    errors.at(set.span(), "a family over the instances of an activity is over nothing else");
                }
            }
        }
        for item in &model.items {
            if let Item::Activity(item) = item {
                // No expression is its size.
                let written = syn::parse_quote!(__crt_instances);
                let activity = model.activity(&item.ident);
                self.sets.push(Set { ident: item.ident.clone(), written, size: None, activity });
            }
        }
    }

    fn relation(&mut self, relation: &syntax::Relation, errors: &mut Errors) {
        let number = self.relations.len();
        self.declare(&relation.ident, Meaning::Relation { relation: number, inverse: false }, errors);
        if let Some(inverse) = &relation.inverse {
            self.declare(inverse, Meaning::Relation { relation: number, inverse: true }, errors);
        }
        for set in relation.binders.iter().map(|(_, set)| set).chain([&relation.target]) {
            if self.sets.iter().any(|known| known.activity.is_some() && known.ident == *set) {
                errors.at(
                    set.span(),
                    format!("there are no relations of instances such as those of `{set}`; keep keys in a state: `state near[p in {set}]: Vec<Key<{set}>> = Vec::new();`"),
                );
            }
        }
        let rows = relation.binders.iter().map(|(_, set)| self.set(set, errors).unwrap_or_default()).collect();
        let target = self.set(&relation.target, errors).unwrap_or_default();
        self.relations.push(Relation {
            ident: relation.ident.clone(),
            binders: relation.binders.iter().map(|(binder, _)| binder.clone()).collect(),
            rows,
            target,
            value: relation.value.clone(),
            place: None,
            members: None,
        });
    }

    /// A relation that changes is a state.
    pub(super) fn changing(&mut self, model: &Model, relation: &syntax::Relation) {
        let Some(Meaning::Relation { relation: number, .. }) = self.meaning(&relation.ident) else { return };
        if !relation.changing {
            return;
        }
        self.relations[number].place = Some(self.places.len());
        self.places.push(Place {
            ident: relation.ident.clone(),
            ty: relation.changing_type(&model.krate),
            kind: PlaceKind::State { input: false },
            initial: None,
            family: Family::default(),
            relation: Some(number),
            array: None,
            grows: false,
            flow: None,
        });
    }

    /// The index set called `ident`.
    fn set(&self, ident: &Ident, errors: &mut Errors) -> Option<usize> {
        if let Some(Meaning::Set(set)) = self.meaning(ident) {
            return Some(set);
        }
        if let Some(set) = self.sets.iter().position(|set| set.activity.is_some() && set.ident == *ident) {
            return Some(set);
        }
        let known: Vec<String> = self.sets.iter().map(|set| format!("`{}`", set.ident)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        errors.at(
            ident.span(),
            format!("`{ident}` is no index set of this model; its index sets are {known} (`index NAME = 0..SIZE;`)"),
        );
        None
    }

    /// What `over` says, as far as its names are known.
    pub(super) fn family(&self, over: &Over, errors: &mut Errors) -> Family {
        let mut family = Family::default();
        for axis in &over.axes {
            match axis {
                Axis::Member { binder, set } => {
                    family.binders.push((binder.clone(), self.set(set, errors).unwrap_or_default()));
                }
                Axis::Pair { binders, relation } => {
                    let Some(Meaning::Relation { relation: number, inverse: false }) = self.meaning(relation) else {
                        errors.at(relation.span(), self.no_relation(relation));
                        continue;
                    };
                    if over.axes.len() > 1 {
                        errors.at(relation.span(), "a family is over index sets, or over the pairs of one relation");
                    }
                    let found = &self.relations[number];
                    let sets: Vec<usize> = found.rows.iter().copied().chain([found.target]).collect();
                    if binders.len() != sets.len() {
                        errors.at(
                            relation.span(),
                            format!("a pair of `{relation}` has {} parts, and {} are named", sets.len(), binders.len()),
                        );
                    }
                    family.binders.extend(binders.iter().cloned().zip(sets));
                    family.pairs = Some(number);
                }
            }
        }
        for (i, (binder, _)) in family.binders.iter().enumerate() {
            if family.binders[..i].iter().any(|(other, _)| other == binder) {
                errors.at(binder.span(), format!("two indices are called `{binder}`; rename one of them"));
            }
        }
        family
    }

    fn no_relation(&self, ident: &Ident) -> String {
        if let Some(Meaning::Relation { relation, .. }) = self.meaning(ident) {
            let of = &self.relations[relation].ident;
            return format!("`{ident}` is the inverse of `{of}`; its pairs are those of `{of}` the other way round");
        }
        let known: Vec<String> = self.relations.iter().map(|relation| format!("`{}`", relation.ident)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        format!(
            "`{ident}` is no relation of this model; its relations are {known} (`relation NAME(i in SET) -> SET2 = EXPR;`)"
        )
    }

    /// The index sets of the arguments of an action, event or activity. If these are `kept`, instances are named by keys.
    pub(super) fn argument_sets(&self, args: &[Argument], kept: bool, errors: &mut Errors) -> Vec<Option<usize>> {
        args.iter()
            .map(|arg| match &arg.kind {
                ArgumentKind::Member(set) => {
                    let number = self.set(set, errors);
                    if kept && number.is_some_and(|number| self.sets[number].activity.is_some()) {
                        let ident = &arg.ident;
                        errors.at(
                            set.span(),
                            format!("an instance may have ended by then, and its number be that of another; take its key: `{ident}: Key<{set}>`"),
                        );
                    }
                    number
                }
                ArgumentKind::Value(_) => None,
            })
            .collect()
    }

    /// Whether `expr` is the size of `set`.
    pub(super) fn is_size(&self, expr: &Expr, set: usize) -> bool {
        let plain = |expr: &Expr| quote!(#expr).to_string();
        match expr {
            Expr::Paren(inner) => self.is_size(&inner.expr, set),
            Expr::Group(inner) => self.is_size(&inner.expr, set),
            Expr::MethodCall(call) if call.method == "len" && call.args.is_empty() => {
                matches!(&*call.receiver, Expr::Path(path)
                    if path.path.get_ident().and_then(|ident| self.meaning(ident)).is_some_and(
                        |meaning| matches!(meaning, Meaning::Set(other) if other == set)))
            }
            other => plain(other) == plain(&self.sets[set].written),
        }
    }
}
