//! Flows: variables that move between events.
//!
//! A flowing variable is kept as it was when it was written last, next to the time of that. To read it is to follow
//! the flow from there to now; before it, or anything that its flow uses, is written, it is brought up to now. For the
//! analysis the second is a write of the variable: whoever reads it depends on all that its flow uses.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use syn::Expr;
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;

use super::body::Mode;
use super::degree::Degrees;
use super::names::{Meaning, Names, Place, PlaceKind};
use super::{Access, Body, Family, Resolver};
use crate::errors::Errors;
use crate::syntax::{self, Item, Model};

/// How variables move together.
#[derive(Clone, Debug)]
pub(crate) struct Flow {
    /// Its first variable, after which its functions are called.
    pub ident: Ident,
    /// The variables.
    pub targets: Vec<usize>,
    pub family: Family,
    /// The hidden place with the time from which each element flows.
    pub since: usize,
    /// Their values after `dt`, once it has been resolved.
    pub body: Option<Body>,
    /// The same of each variable that is a polynomial of degree two at most, over polynomials.
    pub courses: Vec<Option<Body>>,
    /// Degrees of the variables as polynomials of `dt`, if they are.
    pub degrees: Vec<Option<u8>>,
    /// States of which the flow of an element uses the element at the same indices.
    pub own: BTreeSet<usize>,
    /// States that it uses otherwise: to write one changes the flow of every element.
    pub others: BTreeSet<usize>,
    /// What it takes to read a variable.
    pub read: Access,
    /// What it takes to bring the variables up to now.
    pub anchor: Access,
}

impl Flow {
    /// Whether a write of `place` changes it.
    pub(super) fn uses(&self, place: usize) -> bool {
        self.targets.contains(&place) || self.own.contains(&place) || self.others.contains(&place)
    }
}

impl<'a> Names<'a> {
    /// Which variables flow; behind all other places, those with the times from which they do.
    pub(super) fn flows(&mut self, model: &'a Model, errors: &mut Errors) {
        for item in &model.items {
            if let Item::Flow(flow) = item {
                if self.ticks {
                    errors.on(&flow.expr, "a flow needs time in `f64`; with `time u64;` nothing moves between events");
                }
                self.flow(model, flow, errors);
            }
        }
        for flow in 0..self.flows.len() {
            let ident = Ident::new(&format!("__since_{}", self.flows[flow].ident.unraw()), Span::call_site());
            self.flows[flow].since = self.places.len();
            let family = self.flows[flow].family.clone();
            self.places.push(Place {
                ident,
                ty: syn::parse_quote!(__cr::core::primitive::f64),
                kind: PlaceKind::Since,
                initial: None,
                family,
                relation: None,
                array: None,
                grows: false,
                flow: None,
            });
        }
    }

    fn flow(&mut self, model: &Model, written: &'a syntax::Flow, errors: &mut Errors) {
        let family = self.family(&written.over, errors);
        if let Some(relation) = written.over.pairs().filter(|relation| model.changes(relation)) {
            let message = "pairs of a relation that changes come and go, and nothing flows over them; \
                           keep the variables over an index set";
            errors.at(relation.span(), message);
        }
        let number = self.flows.len();
        let mut targets = Vec::new();
        for ident in &written.targets {
            let place = match self.meaning(ident) {
                Some(Meaning::Place(place))
                    if self.places[place].is_state() && self.places[place].relation.is_none() =>
                {
                    place
                }
                Some(Meaning::Place(place)) if !self.places[place].is_state() => {
                    errors.at(ident.span(), format!("only a state flows; declare `{ident}` as a `state`"));
                    continue;
                }
                _ => {
                    errors.at(
                        ident.span(),
                        format!("`{ident}` is no state of this model; its states are {}", self.state_names()),
                    );
                    continue;
                }
            };
            let sets = |family: &Family| (family.sets().collect::<Vec<_>>(), family.pairs);
            if sets(&family) != sets(&self.places[place].family) {
                let declared = &self.places[place].family;
                let names: Vec<String> = declared.binders.iter().map(|(binder, _)| binder.to_string()).collect();
                let over = match declared.pairs {
                    Some(relation) => format!("[({}) in {}]", names.join(", "), self.relations[relation].ident),
                    None => {
                        let axis = |(name, set): (&String, usize)| format!("[{name} in {}]", self.sets[set].ident);
                        names.iter().zip(declared.sets()).map(axis).collect()
                    }
                };
                let message = format!("a flow is over what its variable is over: `flow {ident}{over} = …`");
                errors.at(ident.span(), message);
                continue;
            }
            if self.places[place].flow.is_some() {
                errors.at(ident.span(), format!("`{ident}` flows already; a variable has one flow"));
                continue;
            }
            self.places[place].flow = Some((number, targets.len()));
            targets.push(place);
        }
        let Some(&first) = targets.first() else { return };
        let degrees = vec![None; targets.len()];
        self.flows.push(Flow {
            ident: self.places[first].ident.clone(),
            courses: degrees.iter().map(|_| None).collect(),
            degrees,
            targets,
            family,
            since: 0,
            body: None,
            own: BTreeSet::new(),
            others: BTreeSet::new(),
            read: Access::default(),
            anchor: Access::default(),
        });
        self.written_flows.push(written);
    }
}

impl Resolver<'_, '_> {
    /// What flows do; everything that reads a flowing variable has to know.
    pub(super) fn flows(&mut self) {
        for number in 0..self.names.flows.len() {
            let written = self.names.written_flows[number];
            let family = self.names.flows[number].family.clone();
            let count = self.names.flows[number].targets.len();
            // What is wrong with a flow has its own message, whatever its variables are.
            if written.targets.len() != count {
                continue;
            }
            let body = self.value_of(&family, &written.expr, Mode::flow(number));
            self.used(number, &written.expr, &body.access);
            let flow = &self.names.flows[number];
            let mut read = body.access.clone();
            read.elements.clear();
            read.pair = false;
            if family.binders.len() > 1 && family.pairs.is_none() {
                read.sets.extend(family.sets());
            }
            if let Some(relation) = family.pairs {
                read.relations.insert(relation);
            }
            read.now = Some(written.expr.span());
            let mut anchor = read.clone();
            for &place in flow.targets.iter().chain([&flow.since]) {
                read.touch(place, false);
                anchor.touch(place, true);
            }
            let flow = &mut self.names.flows[number];
            (flow.read, flow.anchor) = (read, anchor);
            flow.body = Some(body);
            for target in 0..count {
                let Some(component) = written.component(target) else { continue };
                let degree = self.course(number, target, component);
                self.names.flows[number].degrees[target] = degree;
            }
        }
        // With all degrees known.
        for number in 0..self.names.flows.len() {
            let (written, family) = (self.names.written_flows[number], self.names.flows[number].family.clone());
            for target in 0..self.names.flows[number].targets.len() {
                let component = written.component(target);
                let component = component.filter(|_| self.names.flows[number].degrees[target].is_some());
                self.names.flows[number].courses[target] =
                    component.map(|component| self.value_of(&family, component, Mode::flow(number).courses()));
            }
        }
    }

    /// The degree of a variable as a polynomial of `dt`.
    fn course(&self, flow: usize, target: usize, component: &Expr) -> Option<u8> {
        let place = self.names.flows[flow].targets[target];
        let float = super::types::primitive(&self.names.places[place].ty).as_deref() == Some("f64");
        if float { Degrees { names: &self.names, flow: Some(flow) }.of(component) } else { None }
    }

    /// Which states a flow uses.
    fn used(&mut self, number: usize, expr: &Expr, access: &Access) {
        let states = || access.places().filter(|&place| self.names.places[place].is_state());
        let whole = |place: usize| access.whole.contains(&(place, false));
        let own: BTreeSet<usize> = access.elements.iter().map(|element| element.place).collect();
        let single = self.names.flows[number].family.is_single();
        let targets = &self.names.flows[number].targets;
        let others = states().filter(|&place| {
            let otherwise = whole(place) || !own.contains(&place);
            let both_single = single && self.names.places[place].family.is_single();
            otherwise && !both_single && !targets.contains(&place)
        });
        let others: BTreeSet<usize> = others.collect();
        let own = states().filter(|place| !others.contains(place) && !targets.contains(place)).collect();
        let mentions = super::names::idents(quote::quote!(#expr)).iter().any(|ident| ident == "dt");
        let flow = &mut self.names.flows[number];
        (flow.own, flow.others) = (own, others);
        if !mentions {
            self.errors.on(expr, "this flow does not move: it does not use `dt`, the time since the last event");
        }
    }
}
