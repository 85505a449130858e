//! Accesses → who reads and writes what, and whom each clock refreshes.
//!
//! Knows no tokens; prints itself.

use std::collections::BTreeSet;
use std::fmt;

use syn::ext::IdentExt as _;

use crate::resolve::{Access, PlaceKind, Resolved, Timing};

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
}

/// A clock or reaction.
#[derive(Debug)]
pub(crate) struct Clock {
    pub name: String,
    pub timing: &'static str,
    pub exponential: bool,
    pub priority: Vec<i64>,
    /// What guard and timing read.
    pub reads: Vec<usize>,
    /// States whose change refreshes it.
    pub watches: Vec<usize>,
    pub action_reads: Vec<usize>,
    pub writes: Vec<usize>,
    /// Clocks to refresh after it has rung, in order of declaration.
    pub refreshes: Vec<usize>,
    /// `stop`s and `invariant`s to look at after it has rung.
    pub checks: Vec<usize>,
}

/// A `stop`, `invariant` or output.
#[derive(Debug)]
pub(crate) struct Condition {
    pub name: String,
    pub kind: &'static str,
    pub reads: Vec<usize>,
}

/// Derives the graph.
pub(crate) fn derive(resolved: &Resolved) -> Graph {
    let reads = |accesses: &[&Access]| -> Vec<usize> {
        let mut places = BTreeSet::new();
        for access in accesses {
            places.extend(access.places());
            let mut constants: Vec<usize> = access.constants.iter().copied().collect();
            while let Some(number) = constants.pop() {
                let access = &resolved.constants[number].value.access;
                places.extend(access.places());
                constants.extend(access.constants.iter().filter(|&&inner| inner < number));
            }
        }
        places.into_iter().collect()
    };
    let is_state = |&place: &usize| resolved.places[place].is_state();
    let mut clocks: Vec<Clock> = resolved
        .clocks
        .iter()
        .map(|clock| {
            let guard = clock.guard.iter().map(|body| &body.access);
            let timing = clock.timing.bodies().into_iter().map(|body| &body.access);
            let watched = clock.timing.watched().into_iter().map(|body| &body.access);
            let watches: Vec<&Access> = guard.clone().chain(watched).collect();
            Clock {
                name: clock.ident.unraw().to_string(),
                timing: clock.timing.keyword(),
                exponential: matches!(clock.timing, Timing::Rate(_)),
                priority: clock.priority.clone(),
                reads: reads(&guard.chain(timing).collect::<Vec<_>>()),
                watches: reads(&watches).into_iter().filter(is_state).collect(),
                action_reads: reads(&[&clock.action.access]),
                writes: clock.action.access.written().collect(),
                refreshes: Vec::new(),
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
        // A clock that rang for a time it was given has used it up and waits for a change.
        let itself = clocks[i].timing != "at";
        clocks[i].refreshes =
            (0..clocks.len()).filter(|&j| touched(&clocks[j].watches) || (j == i && itself)).collect();
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
            .map(|place| Place {
                name: place.name(),
                kind: match place.kind {
                    PlaceKind::Param { .. } => "param",
                    PlaceKind::State { input: true } => "input",
                    PlaceKind::State { input: false } => "state",
                    PlaceKind::Tally => "tally",
                },
                ty: crate::resolve::type_text(&place.ty),
            })
            .collect(),
        clocks,
        conditions,
        init: resolved.init.as_ref().map(|body| body.access.written().collect()),
    }
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

    /// Names of clocks.
    pub(crate) fn clock_names(&self, clocks: &[usize]) -> String {
        list(clocks.iter().map(|&clock| self.clocks[clock].name.as_str()))
    }
}

fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "–".to_owned() } else { names.join(" ") }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in &self.model_places {
            writeln!(f, "{} {}: {}", place.kind, place.name, place.ty)?;
        }
        if let Some(writes) = &self.init {
            writeln!(f, "init writes {}", self.place_names(writes))?;
        }
        for clock in &self.clocks {
            writeln!(f, "clock {}: {}", clock.name, clock.timing)?;
            writeln!(f, "  reads     {}", self.place_names(&clock.reads))?;
            writeln!(f, "  watches   {}", self.place_names(&clock.watches))?;
            writeln!(f, "  writes    {}", self.place_names(&clock.writes))?;
            writeln!(f, "  refreshes {}", self.clock_names(&clock.refreshes))?;
            let checks = clock.checks.iter().map(|&check| self.conditions[check].name.as_str());
            writeln!(f, "  checks    {}", list(checks))?;
        }
        for condition in &self.conditions {
            writeln!(f, "{} {}: reads {}", condition.kind, condition.name, self.place_names(&condition.reads))?;
        }
        Ok(())
    }
}
