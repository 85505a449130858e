//! The names of a model and what they stand for.

use std::collections::BTreeSet;

use indexmap::IndexMap;
use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::visit::Visit;
use syn::{Expr, Type};

use super::body::{Items, time_type};
use super::family::{Family, Relation, Set};
use super::flow::Flow;
use super::{Access, Body, Constant, ResolvedAction};
use crate::errors::Errors;
use crate::syntax::{Action, Activity, Derived, Event, Item, Model, Over};

/// A param, state or tally.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub ident: Ident,
    pub ty: Type,
    pub kind: PlaceKind,
    /// Its initial value: of a param, the default.
    pub initial: Option<Body>,
    /// What it is a family over.
    pub family: Family,
    /// The changing relation that it is.
    pub relation: Option<usize>,
    /// The length of the array that it is kept in; a family without one is a slice.
    pub array: Option<Expr>,
    /// Whether its elements come and go with the pairs of a changing relation: it is a vector.
    pub grows: bool,
    /// The flow by which it moves between events, and which of its variables it is.
    pub flow: Option<(usize, usize)>,
}

impl Place {
    /// Its name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Whether it is a field of the generated model struct.
    pub(crate) fn is_given(&self) -> bool {
        matches!(self.kind, PlaceKind::Param { .. } | PlaceKind::State { input: true })
    }

    /// Whether it is a state variable.
    pub(crate) fn is_state(&self) -> bool {
        matches!(self.kind, PlaceKind::State { .. })
    }

    /// Whether clocks and conditions can depend on it: it changes during a run.
    pub(crate) fn changes(&self) -> bool {
        matches!(self.kind, PlaceKind::State { .. } | PlaceKind::Scheduled)
    }
}

/// What kind of place it is.
#[derive(Clone, Debug)]
pub(crate) enum PlaceKind {
    Param {
        /// The range and how it was written.
        range: Option<Box<(Body, String)>>,
    },
    State {
        input: bool,
    },
    Tally,
    /// The times from which variables flow; no name stands for it.
    Since,
    /// What is pending of an event, or lives of an activity; the schedule holds it.
    Scheduled,
}

/// What a name stands for in an expression.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    Place(usize),
    Let(usize),
    Action(usize),
    Set(usize),
    Relation { relation: usize, inverse: bool },
    Event(usize),
    Activity(usize),
    Line(usize),
}

/// An activity.
#[derive(Debug)]
pub(super) struct ActivityName<'a> {
    pub activity: &'a Activity,
    /// The index sets of its arguments.
    pub sets: Vec<Option<usize>>,
    /// What stands for its instances.
    pub place: usize,
    /// Its number among what is declared.
    pub declaration: u32,
    /// What starts an instance, once it has been resolved.
    pub starter: Option<Body>,
    /// What gives the elements of families over its instances their values, for instance `__crt_pair`.
    pub initial: TokenStream,
}

/// A line in which is waited.
#[derive(Debug)]
pub(super) struct LineName {
    pub ident: Ident,
    /// What stands for those who wait in it.
    pub place: usize,
}

/// An event.
#[derive(Debug)]
pub(super) struct EventName<'a> {
    pub event: &'a Event,
    pub family: Family,
    /// The index sets of its arguments.
    pub sets: Vec<Option<usize>>,
    /// What stands for its pending events.
    pub place: usize,
    /// Its number among what is declared.
    pub declaration: u32,
}

/// A `let`, and its number among the constants if it is one.
#[derive(Debug)]
pub(super) struct LetName<'a> {
    pub definition: &'a Derived,
    pub family: Family,
    pub constant: Option<usize>,
}

/// An action; `access` and `body` are there once it has been resolved.
#[derive(Debug)]
pub(super) struct ActionName<'a> {
    pub action: &'a Action,
    /// The index sets of its arguments.
    pub sets: Vec<Option<usize>>,
    pub access: Option<Access>,
    pub body: Option<Body>,
}

/// All names that expressions can use.
#[derive(Debug)]
pub(super) struct Names<'a> {
    /// Whether `let`s use each other in a circle, so that nobody may follow them.
    pub circular: bool,
    /// The hidden module of the runtime, as generated code names it.
    pub private: TokenStream,
    /// Whether the model puts back whatever a failing body has written.
    pub rollback: bool,
    pub sets: Vec<Set>,
    pub relations: Vec<Relation>,
    pub places: Vec<Place>,
    pub lets: Vec<LetName<'a>>,
    pub actions: Vec<ActionName<'a>>,
    pub events: Vec<EventName<'a>>,
    pub activities: Vec<ActivityName<'a>>,
    pub lines: Vec<LineName>,
    /// The model's own name.
    pub model: &'a Ident,
    /// Whether time is counted in whole ticks.
    pub ticks: bool,
    pub constants: Vec<Constant>,
    pub flows: Vec<Flow>,
    /// The same as they are written.
    pub written_flows: Vec<&'a crate::syntax::Flow>,
    meanings: IndexMap<String, (Meaning, Span)>,
}

/// Words with a meaning of their own.
pub(super) const RESERVED: &[(&str, &str)] = &[
    ("now", "the current time"),
    ("rng", "the random generator"),
    ("never", "the time that never comes"),
    ("dt", "the elapsed time of a flow"),
    ("me", "an activity's own key"),
];

impl<'a> Names<'a> {
    pub(super) fn collect(model: &'a Model, errors: &mut Errors) -> Self {
        let mut names = Names {
            circular: false,
            private: quote::quote!(__cr),
            rollback: model.options.rollback,
            sets: Vec::new(),
            relations: Vec::new(),
            places: Vec::new(),
            lets: Vec::new(),
            actions: Vec::new(),
            events: Vec::new(),
            activities: Vec::new(),
            lines: Vec::new(),
            model: &model.ident,
            ticks: model.options.ticks,
            constants: Vec::new(),
            flows: Vec::new(),
            written_flows: Vec::new(),
            meanings: IndexMap::new(),
        };
        let mut events = IndexMap::new();
        let mut declaration = 0;
        let mut outputs = IndexMap::new();
        let mut stops = IndexMap::new();
        let mut invariants = IndexMap::new();
        names.families(model, errors);
        for item in &model.items {
            match item {
                Item::Index(_) => {}
                Item::Relation(relation) => names.changing(model, relation),
                Item::Param(p) => {
                    let over = Over::default();
                    names.place(model, &p.ident, &p.ty, &over, PlaceKind::Param { range: None }, errors);
                }
                Item::State(s) => {
                    let kind = PlaceKind::State { input: s.initial.is_none() };
                    names.place(model, &s.ident, &s.ty, &s.over, kind, errors);
                }
                Item::Tally(t) => names.place(model, &t.ident, &t.ty, &t.over, PlaceKind::Tally, errors),
                Item::Let(definition) => {
                    names.declare(&definition.ident, Meaning::Let(names.lets.len()), errors);
                    let family = names.family(&definition.over, errors);
                    names.lets.push(LetName { definition, family, constant: None });
                }
                Item::Action(action) => {
                    names.declare(&action.ident, Meaning::Action(names.actions.len()), errors);
                    let sets = names.argument_sets(&action.args, false, errors);
                    names.actions.push(ActionName { action, sets, access: None, body: None });
                }
                Item::Event(event) => {
                    unique(&mut events, &event.ident, variant(&event.ident).to_string(), errors);
                    names.event(event, declaration, errors);
                }
                Item::Activity(activity) => {
                    unique(&mut events, &activity.ident, variant(&activity.ident).to_string(), errors);
                    names.activity(activity, declaration, errors);
                }
                Item::Line(line) => {
                    names.declare(&line.ident, Meaning::Line(names.lines.len()), errors);
                    let place = names.scheduled(&line.ident);
                    names.lines.push(LineName { ident: line.ident.clone(), place });
                }
                Item::Clock(clock) => unique(&mut events, &clock.ident, variant(&clock.ident).to_string(), errors),
                Item::Reaction(r) => unique(&mut events, &r.ident, variant(&r.ident).to_string(), errors),
                Item::Observe(o) => unique(&mut outputs, &o.ident, o.ident.unraw().to_string(), errors),
                Item::Stop(s) => unique(&mut stops, &s.ident, s.ident.unraw().to_string(), errors),
                Item::Invariant(i) => unique(&mut invariants, &i.ident, i.ident.unraw().to_string(), errors),
                Item::Init(_) | Item::Flow(_) | Item::Time(_) => {}
            }
            declaration += u32::from(item.happens());
        }
        names.flows(model, errors);
        names
    }

    fn place(&mut self, model: &Model, ident: &Ident, ty: &Type, over: &Over, kind: PlaceKind, errors: &mut Errors) {
        self.declare(ident, Meaning::Place(self.places.len()), errors);
        let family = self.family(over, errors);
        let array = model.array_len(over);
        let (ident, ty) = (ident.clone(), ty.clone());
        let grows = model.comes_and_goes(over);
        let told = matches!(kind, PlaceKind::Tally) && over.pairs().is_none();
        if grows && !told && !matches!(kind, PlaceKind::State { input: false }) {
            let what =
                "has elements that come and go; it is a state with an initial value, which each gets when it comes";
            errors.at(ident.span(), format!("`{ident}` {what}"));
        }
        self.places.push(Place { ident, ty, kind, initial: None, family, relation: None, array, grows, flow: None });
    }

    fn event(&mut self, event: &'a Event, declaration: u32, errors: &mut Errors) {
        self.declare(&event.ident, Meaning::Event(self.events.len()), errors);
        let family = self.family(&event.over, errors);
        let sets = self.argument_sets(&event.args, true, errors);
        let place = self.scheduled(&event.ident);
        self.events.push(EventName { event, family, sets, place, declaration });
    }

    fn activity(&mut self, activity: &'a Activity, declaration: u32, errors: &mut Errors) {
        self.declare(&activity.ident, Meaning::Activity(self.activities.len()), errors);
        let sets = self.argument_sets(&activity.args, true, errors);
        let place = self.scheduled(&activity.ident);
        self.activities.push(ActivityName {
            activity,
            sets,
            place,
            declaration,
            starter: None,
            initial: TokenStream::new(),
        });
    }

    /// The type of times.
    pub(super) fn time(&self, span: Span) -> Type {
        time_type(self.ticks, span)
    }

    /// The type of events with their payload.
    pub(super) fn message(&self, span: Span) -> Ident {
        quote::format_ident!("{}Message", self.model.unraw(), span = super::here(span))
    }

    /// What stands for whatever is scheduled of an item.
    fn scheduled(&mut self, ident: &Ident) -> usize {
        self.places.push(Place {
            ident: ident.clone(),
            ty: syn::parse_quote!(usize),
            kind: PlaceKind::Scheduled,
            initial: None,
            family: Family::default(),
            relation: None,
            array: None,
            grows: false,
            flow: None,
        });
        self.places.len() - 1
    }

    pub(super) fn declare(&mut self, ident: &Ident, meaning: Meaning, errors: &mut Errors) {
        let name = ident.unraw().to_string();
        if let Some((_, means)) = RESERVED.iter().find(|(word, _)| *word == name) {
            errors.at(ident.span(), format!("`{name}` is {means} in every block; choose another name"));
        }
        let called = matches!(meaning, Meaning::Action(_) | Meaning::Event(_) | Meaning::Activity(_));
        if called && ["wait", "wait_for", "wait_until", "defer"].contains(&name.as_str()) {
            errors.at(ident.span(), format!("`{name}` has a meaning of its own in activities; choose another name"));
        }
        if name.starts_with("__cr_") {
            errors.at(ident.span(), "names that start with `__cr_` are generated; choose another name");
        }
        if let Some((_, first)) = self.meanings.get(&name) {
            errors.at(ident.span(), format!("`{name}` is declared twice; rename one of the two"));
            errors.at(*first, format!("`{name}` is declared here first"));
            return;
        }
        self.meanings.insert(name, (meaning, ident.span()));
    }

    /// What generated functions take handles of.
    pub(super) fn items(&self) -> Items<'_> {
        Items { places: &self.places, constants: &self.constants, sets: &self.sets, relations: &self.relations }
    }

    /// What `ident` stands for.
    pub(super) fn meaning(&self, ident: &Ident) -> Option<Meaning> {
        self.meanings.get(&ident.unraw().to_string()).map(|(meaning, _)| *meaning)
    }

    /// Whether something of this name is declared.
    pub(super) fn is_declared(&self, name: &str) -> bool {
        self.meanings.contains_key(name)
    }

    /// Where `ident` is declared.
    pub(super) fn declared_at(&self, ident: &Ident) -> Option<Span> {
        self.meanings.get(&ident.unraw().to_string()).map(|(_, span)| *span)
    }

    /// The states, for messages.
    pub(super) fn state_names(&self) -> String {
        let names: Vec<String> =
            self.places.iter().filter(|place| place.is_state()).map(|place| format!("`{}`", place.ident)).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }

    /// Places declared before `ident`.
    pub(super) fn places_before(&self, ident: &Ident) -> BTreeSet<usize> {
        let position = self.places.iter().position(|place| place.ident == *ident).unwrap_or(0);
        let param = matches!(self.places.get(position).map(|p| &p.kind), Some(PlaceKind::Param { .. }));
        (0..self.places.len())
            .filter(|&i| match self.places[i].kind {
                PlaceKind::Param { .. } => !param || i < position,
                PlaceKind::State { .. } => !param && i < position,
                PlaceKind::Tally | PlaceKind::Since | PlaceKind::Scheduled => false,
            })
            .collect()
    }

    /// All params.
    pub(super) fn params(&self) -> BTreeSet<usize> {
        (0..self.places.len()).filter(|&i| matches!(self.places[i].kind, PlaceKind::Param { .. })).collect()
    }

    pub(super) fn set_initial(&mut self, ident: &Ident, body: Body) {
        if let Some(place) = self.places.iter_mut().find(|place| place.ident == *ident) {
            place.initial = Some(body);
        }
    }

    pub(super) fn set_range(&mut self, ident: &Ident, body: Body, written: &Expr) {
        if let Some(place) = self.places.iter_mut().find(|place| place.ident == *ident) {
            let written = quote::quote!(#written).to_string().replace(' ', "");
            place.kind = PlaceKind::Param { range: Some(Box::new((body, written))) };
        }
    }

    pub(super) fn add_constant(&mut self, index: usize, constant: Constant) {
        self.lets[index].constant = Some(self.constants.len());
        self.constants.push(constant);
    }

    pub(super) fn take_actions(&mut self) -> Vec<ResolvedAction> {
        let actions = std::mem::take(&mut self.actions);
        actions
            .into_iter()
            .filter_map(|ActionName { action, body, .. }| {
                let args = action
                    .args
                    .iter()
                    .map(|arg| {
                        let (mutability, ident) = (&arg.mutability, super::body::argument(arg));
                        (quote::quote!(#mutability #ident), arg.ty())
                    })
                    .collect();
                Some(ResolvedAction { attrs: action.attrs.clone(), ident: action.ident.clone(), args, body: body? })
            })
            .collect()
    }

    /// One error for each cycle among `let`s.
    pub(super) fn let_cycles(&self) -> Vec<syn::Error> {
        self.cycles(&self.let_edges(), |i| &self.lets[i].definition.ident, "a definition cannot use itself")
    }

    /// One error for each cycle among actions.
    pub(super) fn action_cycles(&self) -> Vec<syn::Error> {
        self.cycles(&self.action_edges(), |i| &self.actions[i].action.ident, "an action cannot call itself")
    }

    /// `let`s, each after those it uses.
    pub(super) fn lets_in_order(&self) -> Vec<usize> {
        in_order(&self.let_edges())
    }

    /// Actions, each after those it calls.
    pub(super) fn actions_in_order(&self) -> Vec<usize> {
        in_order(&self.action_edges())
    }

    fn let_edges(&self) -> Vec<Vec<usize>> {
        let pick = |meaning| if let Meaning::Let(i) = meaning { Some(i) } else { None };
        self.lets.iter().map(|l| self.mentions(|mentions| mentions.visit_expr(&l.definition.expr), pick)).collect()
    }

    fn action_edges(&self) -> Vec<Vec<usize>> {
        let pick = |meaning| if let Meaning::Action(i) = meaning { Some(i) } else { None };
        self.actions.iter().map(|a| self.mentions(|mentions| mentions.visit_block(&a.action.body), pick)).collect()
    }

    fn mentions(&self, visit: impl FnOnce(&mut Mentions), pick: impl Fn(Meaning) -> Option<usize>) -> Vec<usize> {
        let mut mentions = Mentions::default();
        visit(&mut mentions);
        let mut found: Vec<usize> = mentions.0.iter().filter_map(|ident| pick(self.meaning(ident)?)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn cycles<'s>(
        &'s self,
        edges: &[Vec<usize>],
        ident: impl Fn(usize) -> &'s Ident,
        message: &str,
    ) -> Vec<syn::Error> {
        let mut errors = Vec::new();
        let mut reported = BTreeSet::new();
        for start in 0..edges.len() {
            if reported.contains(&start) {
                continue;
            }
            if let Some(path) = path(edges, start, start) {
                let names: Vec<String> =
                    path.iter().chain([&start]).map(|&i| format!("`{}`", ident(i).unraw())).collect();
                let function =
                    if path.len() == 1 { "; if a function of this name is meant, rename one of the two" } else { "" };
                let message = format!("{message}: {}{function}", names.join(" → "));
                for &i in &path {
                    reported.insert(i);
                    errors.push(syn::Error::new(ident(i).span(), &message));
                }
            }
        }
        errors
    }
}

/// The event enum's variant for a clock.
pub(crate) fn variant(ident: &Ident) -> Ident {
    let mut camel = String::new();
    for part in ident.unraw().to_string().split('_') {
        let mut letters = part.chars();
        if let Some(first) = letters.next() {
            camel.extend(first.to_uppercase());
            camel.push_str(letters.as_str());
        }
    }
    match syn::parse_str::<Ident>(&camel) {
        Ok(_) => Ident::new(&camel, ident.span()),
        Err(_) => Ident::new(&format!("Clock{camel}"), ident.span()),
    }
}

fn unique(seen: &mut IndexMap<String, Span>, ident: &Ident, key: String, errors: &mut Errors) {
    if let Some(first) = seen.get(&key) {
        errors.at(
            ident.span(),
            format!("`{}` is declared twice{}; rename one of the two", ident.unraw(), as_key(ident, &key)),
        );
        errors.at(*first, "the first is here");
    } else {
        seen.insert(key, ident.span());
    }
}

/// ", as event `Key`" where the name is not the key itself.
fn as_key(ident: &Ident, key: &str) -> String {
    if *ident == key { String::new() } else { format!(", as event `{key}`") }
}

/// A shortest path from `from` back to `to` along `edges`.
fn path(edges: &[Vec<usize>], from: usize, to: usize) -> Option<Vec<usize>> {
    let mut paths = std::collections::VecDeque::from([vec![from]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = paths.pop_front() {
        let last = *path.last()?;
        for &next in &edges[last] {
            if next == to {
                return Some(path);
            }
            if seen.insert(next) {
                let mut longer = path.clone();
                longer.push(next);
                paths.push_back(longer);
            }
        }
    }
    None
}

/// A depth-first order, what is used before what uses it.
fn in_order(edges: &[Vec<usize>]) -> Vec<usize> {
    fn visit(node: usize, edges: &[Vec<usize>], seen: &mut [bool], order: &mut Vec<usize>) {
        if std::mem::replace(&mut seen[node], true) {
            return;
        }
        for &next in &edges[node] {
            visit(next, edges, seen, order);
        }
        order.push(node);
    }
    let mut order = Vec::new();
    let mut seen = vec![false; edges.len()];
    for node in 0..edges.len() {
        visit(node, edges, &mut seen, &mut order);
    }
    order
}

/// Identifiers that may stand for an item, macros included.
#[derive(Default)]
struct Mentions(Vec<Ident>);

impl Visit<'_> for Mentions {
    fn visit_path(&mut self, path: &syn::Path) {
        self.0.extend(path.get_ident().cloned());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.0.extend(idents(mac.tokens.clone()));
    }
}

/// Every identifier among tokens, groups included.
pub(super) fn idents(tokens: TokenStream) -> Vec<Ident> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Ident(ident) => vec![ident],
            TokenTree::Group(group) => idents(group.stream()),
            _ => Vec::new(),
        })
        .collect()
}
