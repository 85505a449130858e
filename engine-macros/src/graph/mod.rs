//! Accesses → who reads and writes what, and whom each clock refreshes.
//!
//! Knows no tokens; prints itself.

mod routes;

use std::collections::BTreeSet;
use std::fmt;

use syn::ext::IdentExt as _;

pub(crate) use routes::{Element, Member, Origin, Route, Source, Step, Value};
use routes::{Naming, Target};

use crate::resolve::{Access, Coming, Family, PlaceKind, Resolved, Timing};

/// The dependency graph. Places, clocks and conditions are named by their number in order of
/// declaration; conditions are `stop`s and `invariant`s, then outputs.
#[derive(Debug)]
pub(crate) struct Graph {
    pub model_places: Vec<Place>,
    pub clocks: Vec<Clock>,
    pub conditions: Vec<Condition>,
    pub init: Option<Vec<usize>>,
}

/// A param, state or tally.
#[derive(Debug)]
pub(crate) struct Place {
    pub name: String,
    pub kind: &'static str,
    pub ty: String,
    /// What it is a family over, as it is written.
    pub over: String,
    /// If it moves between events, the places that its flow uses.
    pub flow: Option<Vec<usize>>,
}

/// A clock or reaction.
#[derive(Debug)]
pub(crate) struct Clock {
    pub name: String,
    /// What it is a family over, as it is written.
    pub over: String,
    pub timing: &'static str,
    /// Whether it belongs to what is scheduled, and is no clock.
    pub scheduled: bool,
    /// Whether it can take part in the race of exponential clocks: its hazard, or the bound of it, is constant.
    pub exponential: bool,
    /// What its hazard reads and the bound of it does not: the bound must hold for all values.
    pub unbounded: Vec<usize>,
    pub priority: Vec<i64>,
    /// What guard and timing read.
    pub reads: Vec<usize>,
    /// States whose change refreshes it.
    pub watches: Vec<usize>,
    pub action_reads: Vec<usize>,
    pub writes: Vec<usize>,
    /// Clocks to refresh after it has rung, in order of declaration.
    pub refreshes: Vec<usize>,
    /// For each of them, which of its members.
    pub dependents: Vec<Dependent>,
    /// `stop`s and `invariant`s to look at after it has rung.
    pub checks: Vec<usize>,
}

/// What of a clock is refreshed.
#[derive(Debug)]
pub(crate) struct Dependent {
    pub clock: usize,
    /// Whether it is the clock that has rung, which is refreshed whatever it reads.
    pub itself: bool,
    /// Whether something was written that the clock reads.
    pub watched: bool,
    /// Whether it is every member.
    pub every: bool,
    /// How the members are found that read what was written. A single clock without routes reads it in any case.
    pub routes: Vec<Route>,
    /// The same member as the one that has rung, if it is the same clock.
    pub own: Route,
    /// The members as text.
    pub text: String,
}

/// A `stop`, `invariant` or output.
#[derive(Debug)]
pub(crate) struct Condition {
    pub name: String,
    pub kind: &'static str,
    pub reads: Vec<usize>,
}

/// The places that something reads, through constants too.
fn reads(resolved: &Resolved, accesses: &[&Access]) -> Vec<usize> {
    let mut places = BTreeSet::new();
    let shown = |place: &usize| !matches!(resolved.places[*place].kind, PlaceKind::Since);
    for access in accesses {
        places.extend(access.places());
        let mut constants: Vec<usize> = access.constants.iter().copied().collect();
        while let Some(number) = constants.pop() {
            let access = &resolved.constants[number].value.access;
            places.extend(access.places());
            constants.extend(access.constants.iter().filter(|&&inner| inner < number));
        }
    }
    places.into_iter().filter(shown).collect()
}

/// The places that something writes.
fn writes(resolved: &Resolved, access: &Access) -> Vec<usize> {
    access.written().filter(|&place| !matches!(resolved.places[place].kind, PlaceKind::Since)).collect()
}

/// Derives the graph.
pub(crate) fn derive(resolved: &Resolved) -> Graph {
    let reads = |accesses: &[&Access]| reads(resolved, accesses);
    let is_state = |&place: &usize| resolved.places[place].changes();
    let mut clocks: Vec<Clock> = resolved
        .clocks
        .iter()
        .map(|clock| {
            let guard = clock.guard.iter().map(|body| &body.access);
            let timing = clock.timing.bodies().into_iter().map(|body| &body.access);
            let watched = clock.timing.watched().into_iter().map(|body| &body.access);
            let watches: Vec<&Access> = guard.clone().chain(watched).collect();
            Clock {
                name: clock.title.clone(),
                over: over_text(resolved, &clock.family),
                scheduled: !clock.is_clock(),
                timing: clock.timing.keyword(),
                exponential: match &clock.timing {
                    Timing::Rate(_) => true,
                    Timing::Thinning(thinning) => thinning.races(),
                    _ => false,
                },
                unbounded: match &clock.timing {
                    Timing::Thinning(thinning) => {
                        let bounded = reads(&watches);
                        let read = reads(&[&thinning.rate.access]);
                        read.into_iter().filter(|place| is_state(place) && !bounded.contains(place)).collect()
                    }
                    _ => Vec::new(),
                },
                priority: clock.priority.clone(),
                reads: reads(&guard.chain(timing).collect::<Vec<_>>()),
                watches: reads(&watches).into_iter().filter(is_state).collect(),
                action_reads: reads(&[&clock.action.access]),
                writes: writes(resolved, &clock.action.access),
                refreshes: Vec::new(),
                dependents: Vec::new(),
                checks: Vec::new(),
            }
        })
        .collect();
    let mut conditions: Vec<Condition> = resolved
        .conditions
        .iter()
        .map(|condition| Condition {
            name: condition.ident.unraw().to_string(),
            kind: condition.kind(),
            reads: reads(&[&condition.body.access]),
        })
        .collect();
    for i in 0..clocks.len() {
        let written: BTreeSet<usize> = clocks[i].writes.iter().copied().collect();
        let touched = |places: &[usize]| places.iter().any(|place| written.contains(place));
        clocks[i].dependents = (0..clocks.len()).filter_map(|j| dependent(resolved, i, j)).collect();
        clocks[i].refreshes = clocks[i].dependents.iter().map(|dependent| dependent.clock).collect();
        clocks[i].checks =
            (0..conditions.len()).filter(|&c| touched(&conditions[c].reads) || reads_now(resolved, c)).collect();
    }
    conditions.extend(resolved.observes.iter().map(|output| Condition {
        name: output.ident.unraw().to_string(),
        kind: "observe",
        reads: reads(&[&output.body.access]),
    }));
    Graph {
        model_places: resolved
            .places
            .iter()
            // Hidden ones stand behind all others.
            .filter(|place| !matches!(place.kind, PlaceKind::Since))
            .map(|place| Place {
                name: place.name(),
                kind: match place.kind {
                    PlaceKind::Param { .. } => "param",
                    PlaceKind::State { input: true } => "input",
                    PlaceKind::State { input: false } => "state",
                    PlaceKind::Scheduled => resolved.scheduled_kind(place),
                    PlaceKind::Tally | PlaceKind::Since => "tally",
                },
                ty: match place.relation {
                    Some(relation) => relation_text(resolved, relation),
                    None => resolved.without_tags(crate::resolve::type_text(&place.ty)),
                },
                over: over_text(resolved, &place.family),
                flow: place.flow.map(|(flow, _)| reads(&[&resolved.flows[flow].read])),
            })
            .collect(),
        clocks,
        conditions,
        init: resolved.init.as_ref().map(|body| writes(resolved, &body.access)),
    }
}

impl routes::Relations for Resolved {
    fn rows(&self, relation: usize) -> &[usize] {
        &self.relations[relation].rows
    }

    fn target(&self, relation: usize) -> usize {
        self.relations[relation].target
    }
}

/// What of clock `j` is refreshed after clock `i` has rung; `None` if nothing is.
fn dependent(resolved: &Resolved, i: usize, j: usize) -> Option<Dependent> {
    let (rang, clock) = (&resolved.clocks[i], &resolved.clocks[j]);
    let writes = &rang.action.access;
    let own_sets: Vec<usize> = rang.family.sets().collect();
    let sets: Vec<usize> = clock.family.sets().collect();
    let target = Target { sets: &sets, pairs: clock.family.pairs };
    // What a place's elements are written at; with each, where the numbers come from.
    let written = |place: usize| -> Vec<(Origin, Vec<Value>, bool)> {
        let family = &resolved.places[place].family;
        let mut written: Vec<_> = writes
            .elements
            .iter()
            .filter(|element| element.write && element.place == place)
            .map(|element| {
                let values = element.forms.iter().map(|form| Value::of(form, &own_sets)).collect();
                let same = rang.family.pairs.is_some()
                    && rang.family.pairs == family.pairs
                    && routes::are_indices(&element.forms);
                (Origin::Own, values, same)
            })
            .collect();
        if writes.logged.contains(&place) {
            let axes: Vec<usize> = match resolved.places[place].relation {
                Some(relation) => {
                    let relation = &resolved.relations[relation];
                    relation.rows.iter().copied().chain([relation.target]).collect()
                }
                None => family.sets().collect(),
            };
            let value = |(axis, set): (usize, usize)| Value::plain(Source::Written(axis), Some(set));
            let values = axes.into_iter().enumerate().map(value).collect();
            let changed = resolved.places[place].relation.is_some();
            let origin = if changed { Origin::Changed(place) } else { Origin::Written(place) };
            written.push((origin, values, family.pairs.is_some()));
        }
        written
    };
    let mut all = false;
    let mut routes: Vec<Route> = Vec::new();
    let mut add = |route: Route| {
        if !routes.contains(&route) {
            routes.push(route);
        }
    };
    let bodies: Vec<&Access> = clock.guard.iter().chain(clock.timing.watched()).map(|body| &body.access).collect();
    for access in &bodies {
        for place in reads(resolved, &[access]).into_iter().filter(|&place| writes.writes(place)) {
            let place_of = &resolved.places[place];
            if !place_of.changes() {
                continue;
            }
            let single = place_of.family.is_single() && place_of.relation.is_none();
            let whole = |access: &Access| access.whole.iter().any(|&(whole, _)| whole == place);
            let written_whole = writes.whole.contains(&(place, true));
            all |= single || whole(access) || written_whole;
            for element in access.elements.iter().filter(|element| element.place == place && !element.write) {
                for (origin, values, same_pair) in written(place) {
                    let same =
                        same_pair && clock.family.pairs == place_of.family.pairs && routes::are_indices(&element.forms);
                    // Of a change of a relation, its rows are what is read, or its members.
                    let values = match (place_of.relation, element.inverse) {
                        (Some(_), true) => &values[values.len() - 1..],
                        (Some(_), false) => &values[..values.len() - 1],
                        (None, _) => &values[..],
                    };
                    add(if same {
                        Route::same_pair(origin)
                    } else {
                        Route::invert(origin, &element.forms, values, target, resolved)
                    });
                }
            }
            if access.traced.contains(&place) {
                for (origin, values, _) in written(place) {
                    let element = if origin == Origin::Own { Element::At(values) } else { Element::Written };
                    add(Route::readers(origin, place, element));
                }
            }
        }
    }
    // Clocks over the pairs of a changing relation come and go with them, and those over instances of an activity.
    match resolved.coming(clock) {
        Some(Coming::Pairs(relation)) => {
            let place = resolved.relations[relation].place;
            if let Some(place) = place.filter(|place| writes.logged.contains(place)) {
                add(Route::come_or_gone(place));
            }
        }
        Some(Coming::Instances(activity)) => {
            let place = resolved.activities[activity].place;
            if writes.writes(place) {
                add(Route::come_or_gone(place));
            }
        }
        None => {}
    }
    let found = routes.clone();
    routes.retain(|route| !is_noted_with_another(resolved, route, &found));
    let every = Route::all(Origin::Own, target, resolved);
    all |= routes.contains(&every);
    // A clock that rang for a time it was given has used it up and waits for a change.
    let itself = i == j && clock.is_clock() && clock.timing.keyword() != "at";
    let watched = all || !routes.is_empty();
    if !watched && !itself {
        return None;
    }
    if all {
        // That members come and go is for every case.
        routes.retain(|route| route.is_come_or_gone());
        if !sets.is_empty() {
            routes.push(every);
        }
    }
    let every = all && !sets.is_empty() && routes.len() == 1;
    let text = text(resolved, i, j, &routes, itself && !all);
    Some(Dependent { clock: j, itself: itself && !all, watched, every, routes, own: Route::itself(target), text })
}

/// Whether `route` starts from elements written at run-time indices that are noted as written of a flowing variable as
/// well, from which one of `routes` leads to the same members: what a flow uses is never written without its variables, nor
/// one of these without the others.
fn is_noted_with_another(resolved: &Resolved, route: &Route, routes: &[Route]) -> bool {
    let Origin::Written(place) = route.origin else { return false };
    let flows = resolved.flows.iter().filter(|flow| flow.own.contains(&place) || flow.targets.contains(&place));
    let mut others = flows.flat_map(|flow| {
        let own = flow.own.contains(&place);
        flow.targets.iter().filter(move |&&target| own || target < place)
    });
    others.any(|&other| routes.contains(&Route { origin: Origin::Written(other), ..route.clone() }))
}

/// The members of clock `j` that are refreshed after clock `i`, as text.
fn text(resolved: &Resolved, i: usize, j: usize, routes: &[Route], itself: bool) -> String {
    let (rang, clock) = (&resolved.clocks[i], &resolved.clocks[j]);
    let name = clock.title.clone();
    if clock.family.is_single() {
        return name;
    }
    let own: Vec<String> = rang.family.binders.iter().map(|(binder, _)| binder.unraw().to_string()).collect();
    let sets: Vec<String> = resolved.sets.iter().map(|set| set.ident.unraw().to_string()).collect();
    let relations: Vec<String> = resolved.relations.iter().map(|relation| relation.ident.unraw().to_string()).collect();
    let naming =
        Naming { own: &own, sets: &sets, relations: &relations, place: &|place| resolved.places[place].name() };
    let sets: Vec<usize> = clock.family.sets().collect();
    let itself = itself.then(|| Route::itself(Target { sets: &sets, pairs: clock.family.pairs }));
    let mut texts: Vec<String> = Vec::new();
    for route in itself.iter().chain(routes) {
        let text = format!("{name}{}", route.text(&naming));
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts.join(" ")
}

/// What an item is a family over, as it is written.
fn over_text(resolved: &Resolved, family: &Family) -> String {
    let set = |set: usize| resolved.sets[set].ident.unraw().to_string();
    let names: Vec<String> = family.binders.iter().map(|(binder, _)| binder.unraw().to_string()).collect();
    match family.pairs {
        Some(relation) => format!("[({}) in {}]", names.join(", "), resolved.relations[relation].ident.unraw()),
        None => family.binders.iter().zip(names).map(|((_, of), name)| format!("[{name} in {}]", set(*of))).collect(),
    }
}

fn relation_text(resolved: &Resolved, relation: usize) -> String {
    let relation = &resolved.relations[relation];
    let set = |set: usize| resolved.sets[set].ident.unraw().to_string();
    let rows: Vec<String> = relation.rows.iter().map(|&row| set(row)).collect();
    format!("({}) -> {}", rows.join(", "), set(relation.target))
}

/// An invariant that reads the time is looked at after every event.
fn reads_now(resolved: &Resolved, condition: usize) -> bool {
    resolved.conditions[condition].body.access.now.is_some()
}

impl Graph {
    /// Names of places.
    pub(crate) fn place_names(&self, places: &[usize]) -> String {
        list(places.iter().map(|&place| self.model_places[place].name.as_str()))
    }

    /// What is refreshed after `clock` has rung.
    pub(crate) fn refreshed(&self, clock: usize) -> String {
        list(self.clocks[clock].dependents.iter().map(|dependent| dependent.text.as_str()))
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "–".to_owned() } else { names.join(" ") }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in &self.model_places {
            write!(f, "{} {}{}: {}", place.kind, place.name, place.over, place.ty)?;
            match &place.flow {
                Some(uses) => writeln!(f, ", flows by {}", self.place_names(uses))?,
                None => writeln!(f)?,
            }
        }
        if let Some(writes) = &self.init {
            writeln!(f, "init writes {}", self.place_names(writes))?;
        }
        for (number, clock) in self.clocks.iter().enumerate() {
            writeln!(f, "clock {}{}: {}", clock.name, clock.over, clock.timing)?;
            writeln!(f, "  reads     {}", self.place_names(&clock.reads))?;
            writeln!(f, "  watches   {}", self.place_names(&clock.watches))?;
            if !clock.unbounded.is_empty() {
                writeln!(f, "  bound without {}", self.place_names(&clock.unbounded))?;
            }
            writeln!(f, "  writes    {}", self.place_names(&clock.writes))?;
            writeln!(f, "  refreshes {}", self.refreshed(number))?;
            let checks = clock.checks.iter().map(|&check| self.conditions[check].name.as_str());
            writeln!(f, "  checks    {}", list(checks))?;
        }
        for condition in &self.conditions {
            writeln!(f, "{} {}: reads {}", condition.kind, condition.name, self.place_names(&condition.reads))?;
        }
        Ok(())
    }
}
