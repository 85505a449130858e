//! What a model's clocks read, write and refresh, as derived at compile time.

use std::fmt::{self, Write as _};

/// The dependency graph of a model.
///
/// It prints as text; [`dot`](Graph::dot) and [`mermaid`](Graph::mermaid) draw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Graph {
    /// Name of the model.
    pub model: &'static str,
    /// Params, states and tallies, in order of declaration. Indices in the other fields point
    /// here.
    pub places: &'static [Place],
    /// Clocks and reactions, in order of declaration.
    pub clocks: &'static [Clock],
    /// `stop` conditions, invariants and outputs, in order of declaration.
    pub conditions: &'static [Condition],
    /// What `init` writes; `None` without `init`.
    pub init: Option<&'static [u32]>,
}

/// A param, state or tally.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Place {
    /// Its name.
    pub name: &'static str,
    /// `param`, `state`, `input` (a state given at the start) or `tally`.
    pub kind: &'static str,
    /// What it is a family over, as written: `[k in site]`; empty if it is a single one.
    pub over: &'static str,
    /// Its type, as written; of a changing relation the sets that it relates.
    pub type_name: &'static str,
    /// If it moves between events, the places that its flow uses, itself included; `None` otherwise.
    pub flow: Option<&'static [u32]>,
}

/// A clock or reaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Clock {
    /// Its name.
    pub name: &'static str,
    /// What it is a family over, as written: `[k in site]`; empty if it is a single one.
    pub over: &'static str,
    /// `rate`, `at`, `after`, `every`, `hazard` or `crosses`.
    pub timing: &'static str,
    /// Priority among events at one instant, lower first.
    pub priority: &'static [i64],
    /// Places that its guard and timing read.
    pub reads: &'static [u32],
    /// States whose change refreshes it: `reads` without params and without what a delay keeps.
    pub watches: &'static [u32],
    /// Of a hazard by thinning, the states that the hazard reads and its bound does not: for all their values the
    /// bound must hold.
    pub unbounded: &'static [u32],
    /// Places that its action reads.
    pub action_reads: &'static [u32],
    /// Places that its action writes.
    pub writes: &'static [u32],
    /// Clocks that are refreshed after it has rung, itself included.
    pub refreshes: &'static [u32],
    /// Conditions that are looked at after it has rung.
    pub checks: &'static [u32],
    /// For each of `refreshes`, which members are refreshed when member `k` rings, as text.
    ///
    /// `hop[k + 1]` is another index, `hop[*]` are all, `infect[near⁻¹(k)]` those whose row of `near` holds `k`,
    /// `visit[?load]` the element of `load` that was written at an index known at run time only,
    /// `visit[tracked load]` those that have read it at their last evaluation.
    pub members: &'static [&'static str],
}

/// A `stop`, an `invariant` or an `observe`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Condition {
    /// Its name.
    pub name: &'static str,
    /// `stop`, `invariant` or `observe`.
    pub kind: &'static str,
    /// Places that it reads.
    pub reads: &'static [u32],
}

#[doc(hidden)]
impl Graph {
    #[must_use]
    pub const fn from_parts(
        model: &'static str,
        places: &'static [Place],
        clocks: &'static [Clock],
        conditions: &'static [Condition],
        init: Option<&'static [u32]>,
    ) -> Self {
        Graph { model, places, clocks, conditions, init }
    }
}

#[doc(hidden)]
impl Place {
    #[must_use]
    pub const fn from_parts(
        kind: &'static str,
        name: &'static str,
        over: &'static str,
        type_name: &'static str,
        flow: Option<&'static [u32]>,
    ) -> Self {
        Place { name, kind, over, type_name, flow }
    }
}

#[doc(hidden)]
impl Clock {
    #[must_use]
    #[allow(clippy::too_many_arguments)]
    pub const fn from_parts(
        name: &'static str,
        over: &'static str,
        timing: &'static str,
        priority: &'static [i64],
        reads: &'static [u32],
        watches: &'static [u32],
        unbounded: &'static [u32],
        action_reads: &'static [u32],
        writes: &'static [u32],
        refreshes: &'static [u32],
        checks: &'static [u32],
        members: &'static [&'static str],
    ) -> Self {
        Clock {
            name,
            over,
            timing,
            priority,
            reads,
            watches,
            unbounded,
            action_reads,
            writes,
            refreshes,
            checks,
            members,
        }
    }
}

#[doc(hidden)]
impl Condition {
    #[must_use]
    pub const fn from_parts(kind: &'static str, name: &'static str, reads: &'static [u32]) -> Self {
        Condition { name, kind, reads }
    }
}

impl Graph {
    /// The clock of this name.
    #[must_use]
    pub fn clock(&self, name: &str) -> Option<&Clock> {
        self.clocks.iter().find(|clock| clock.name == name)
    }

    /// Names of the clocks that are refreshed after `clock` has rung.
    pub fn refreshes<'a>(&'a self, clock: &Clock) -> impl Iterator<Item = &'static str> + 'a {
        clock.refreshes.iter().map(|&i| self.clocks[i as usize].name)
    }

    fn names(&self, places: &[u32]) -> String {
        list(places.iter().map(|&i| self.places[i as usize].name))
    }

    /// The graph for Graphviz: places are boxes, clocks ellipses; an arrow from a place to a clock
    /// says that the clock is refreshed when the place is written, one from a clock to a place that
    /// the clock's action writes it.
    #[must_use]
    pub fn dot(&self) -> String {
        let mut out = format!("digraph {} {{\n  rankdir=LR;\n", self.model);
        for (i, place) in self.drawn() {
            let _ = writeln!(out, "  p{i} [shape=box, label=\"{}{}\"];", place.name, place.over);
        }
        for (i, clock) in self.clocks.iter().enumerate() {
            let _ = writeln!(out, "  c{i} [shape=ellipse, label=\"{}{}\\n{}\"];", clock.name, clock.over, clock.timing);
            for place in clock.watches {
                let _ = writeln!(out, "  p{place} -> c{i};");
            }
            for place in clock.writes {
                let _ = writeln!(out, "  c{i} -> p{place};");
            }
        }
        out.push_str("}\n");
        out
    }

    /// The graph for Mermaid, with the shapes and arrows of [`dot`](Graph::dot).
    #[must_use]
    pub fn mermaid(&self) -> String {
        let mut out = String::from("flowchart LR\n");
        for (i, place) in self.drawn() {
            let _ = writeln!(out, "  p{i}[\"{}{}\"]", place.name, place.over);
        }
        for (i, clock) in self.clocks.iter().enumerate() {
            let _ = writeln!(out, "  c{i}([\"{}{} · {}\"])", clock.name, clock.over, clock.timing);
            for place in clock.watches {
                let _ = writeln!(out, "  p{place} --> c{i}");
            }
            for place in clock.writes {
                let _ = writeln!(out, "  c{i} --> p{place}");
            }
        }
        out
    }

    /// Places that can change.
    fn drawn(&self) -> impl Iterator<Item = (usize, &Place)> {
        self.places.iter().enumerate().filter(|(_, place)| place.kind != "param")
    }
}

impl fmt::Display for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "model {}", self.model)?;
        for place in self.places {
            write!(f, "  {} {}{}: {}", place.kind, place.name, place.over, place.type_name)?;
            match place.flow {
                Some(uses) => writeln!(f, ", flows by {}", self.names(uses))?,
                None => writeln!(f)?,
            }
        }
        if let Some(writes) = self.init {
            writeln!(f, "  init writes {}", self.names(writes))?;
        }
        for clock in self.clocks {
            write!(f, "  clock {}{}: {}", clock.name, clock.over, clock.timing)?;
            if clock.priority.iter().any(|&part| part != 0) {
                let parts: Vec<String> = clock.priority.iter().map(i64::to_string).collect();
                write!(f, ", priority {}", parts.join("."))?;
            }
            writeln!(f)?;
            writeln!(f, "    reads     {}", self.names(clock.reads))?;
            if !clock.unbounded.is_empty() {
                writeln!(f, "    hazard reads, bound does not: {}", self.names(clock.unbounded))?;
            }
            writeln!(f, "    writes    {}", self.names(clock.writes))?;
            writeln!(f, "    refreshes {}", list(clock.members.iter().copied()))?;
            if !clock.checks.is_empty() {
                let checks = clock.checks.iter().map(|&i| self.conditions[i as usize].name);
                writeln!(f, "    checks    {}", list(checks))?;
            }
        }
        for condition in self.conditions {
            writeln!(f, "  {} {}: reads {}", condition.kind, condition.name, self.names(condition.reads))?;
        }
        Ok(())
    }
}

fn list(names: impl Iterator<Item = &'static str>) -> String {
    let names: Vec<&str> = names.collect();
    if names.is_empty() { "nothing".to_owned() } else { names.join(" ") }
}
