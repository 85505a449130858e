//! Graph → the layout of the engine: which clock stands where, and what happens after each.
//!
//! Knows no tokens; prints itself.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::fmt;

use crate::graph::{Dependent, Graph, Member, Origin, Route, Source, Step as RouteStep, Value};
use crate::syntax::Select;

/// Up to this many clocks the engine is straight-line code; above, tables and loops.
const UNROLLED: usize = 64;

/// Up to this many clocks everything is one function, whose variables the compiler can keep in
/// registers; above, a function for each clock. With 24 clocks in one function a build takes 8 s, with 64 minutes.
const INLINED: usize = 16;

/// Up to this many timed clocks a scan finds the earliest; above, a pair tree.
const SCANNED: usize = 16;

/// The engine's layout.
#[derive(Debug)]
pub(crate) struct Plan {
    pub seats: Vec<Seat>,
    /// Clocks by leaf of the tree of rates.
    pub leaves: Vec<usize>,
    /// Clocks by slot of the ring times: by priority, then by declaration, so that the lowest slot
    /// wins ties.
    pub slots: Vec<usize>,
    /// Clocks whose members are marked before they are refreshed.
    pub marked: Vec<usize>,
    /// The order among events at one instant, for every clock.
    pub ranks: Vec<usize>,
    pub steps: Vec<Step>,
    pub unrolled: bool,
    pub inlined: bool,
    pub scanned: bool,
    /// Whether ring times need more digits: some clock waits for a time from now on.
    pub fine: bool,
}

/// Where a clock waits for its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// In the race of exponential clocks.
    Leaf(usize),
    /// Among the ring times.
    Slot(usize),
    /// It is scheduled by bodies.
    Schedule,
}

/// What happens after a clock's action.
#[derive(Debug)]
pub(crate) struct Step {
    /// Clocks to refresh, each once, in order of declaration.
    pub refresh: Vec<Refresh>,
    /// Inner nodes of the tree of rates to add up again, children first.
    pub sums: Vec<usize>,
    pub redraw: Redraw,
    /// Conditions to look at.
    pub checks: Vec<usize>,
}

/// A clock to refresh.
#[derive(Debug)]
pub(crate) struct Refresh {
    pub clock: usize,
    pub how: How,
}

/// Which of its members.
#[derive(Debug)]
pub(crate) enum How {
    /// It is a single clock.
    Always,
    /// It is a single clock, if one of the routes holds.
    If(Vec<Route>),
    /// All.
    Every,
    /// Those that the routes lead to, at once; no two routes meet while the sets are larger than this.
    Each(Vec<Route>, Vec<(usize, u64)>),
    /// The few that the routes lead to, each once.
    Distinct(Vec<Route>),
    /// Those that the routes lead to, at once, the first time they are met.
    Once(Vec<Route>),
    /// The few that the routes lead to, in order.
    Sorted(Vec<Route>),
    /// Those that the routes lead to, in order, after all have been found.
    Marked(Vec<Route>),
}

impl How {
    /// The routes to the members.
    pub(crate) fn routes(&self) -> &[Route] {
        match self {
            How::Always | How::Every => &[],
            How::If(routes)
            | How::Each(routes, _)
            | How::Distinct(routes)
            | How::Once(routes)
            | How::Sorted(routes)
            | How::Marked(routes) => routes,
        }
    }
}

/// Whether the race's pending time is drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Redraw {
    /// No rate can have changed.
    Never,
    /// If the total has changed; if not, the pending time has the right law still.
    IfChanged,
    /// It has been used up.
    Always,
}

impl Plan {
    /// Nodes in the tree of rates, the unused node 0 included.
    pub(crate) fn tree_len(&self) -> usize {
        2 * self.leaves.len().next_power_of_two()
    }

    /// The node of a leaf.
    pub(crate) fn node(&self, leaf: usize) -> usize {
        self.tree_len() / 2 + leaf
    }

    /// Whether anything stands below `node`.
    pub(crate) fn in_use(&self, node: usize) -> bool {
        let mut first = node;
        while first < self.tree_len() / 2 {
            first *= 2;
        }
        first - self.tree_len() / 2 < self.leaves.len()
    }

    /// Inner nodes above `leaves`, children first.
    fn above(&self, leaves: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut nodes = BTreeSet::new();
        for leaf in leaves {
            let mut node = self.node(leaf) / 2;
            while node >= 1 {
                nodes.insert(node);
                node /= 2;
            }
        }
        nodes.into_iter().rev().collect()
    }

    /// Every inner node, children first.
    pub(crate) fn all_sums(&self) -> Vec<usize> {
        self.above(0..self.leaves.len())
    }
}

/// Lays the engine out.
pub(crate) fn lay_out(graph: &Graph, select: Select, ticks: bool) -> Plan {
    let count = graph.clocks.len();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| compare(&graph.clocks[a].priority, &graph.clocks[b].priority));
    let mut ranks = vec![0; count];
    for (rank, &clock) in order.iter().enumerate() {
        ranks[clock] = rank;
    }
    let races = |clock: usize| graph.clocks[clock].exponential && select == Select::Direct;
    let leaves: Vec<usize> = (0..count).filter(|&clock| races(clock)).collect();
    let scheduled = |clock: usize| graph.clocks[clock].scheduled;
    let slots: Vec<usize> = order.into_iter().filter(|&clock| !races(clock) && !scheduled(clock)).collect();
    let mut seats = vec![Seat::Schedule; count];
    for (leaf, &clock) in leaves.iter().enumerate() {
        seats[clock] = Seat::Leaf(leaf);
    }
    for (slot, &clock) in slots.iter().enumerate() {
        seats[clock] = Seat::Slot(slot);
    }
    // What rounding took from the time is kept by whatever rings now, and by whatever waits from now on.
    let mixed = ticks || !leaves.is_empty() || (0..count).any(scheduled);
    let fine = slots.iter().any(|&clock| mixed || matches!(graph.clocks[clock].timing, "rate" | "after"));
    let scanned = slots.len() <= SCANNED;
    let unrolled = count <= UNROLLED;
    let inlined = count <= INLINED;
    let mut plan =
        Plan { seats, leaves, slots, marked: Vec::new(), ranks, steps: Vec::new(), unrolled, inlined, scanned, fine };
    plan.steps = (0..count).map(|clock| step(graph, &plan, clock)).collect();
    let marks = |clock: usize| {
        let uses = |refresh: &Refresh| refresh.clock == clock && matches!(refresh.how, How::Once(_) | How::Marked(_));
        plan.steps.iter().any(|step| step.refresh.iter().any(uses))
    };
    plan.marked = (0..count).filter(|&clock| marks(clock)).collect();
    plan
}

fn step(graph: &Graph, plan: &Plan, clock: usize) -> Step {
    let rang = plan.seats[clock];
    let refresh: Vec<Refresh> = graph.clocks[clock]
        .dependents
        .iter()
        // A rate in the race stays what it is when its clock rings; a hazard under a bound starts anew.
        .filter(|dependent| dependent.watched || renews(graph, plan, dependent.clock))
        .map(|dependent| Refresh { clock: dependent.clock, how: how(graph, plan, dependent) })
        .collect();
    let changed: Vec<usize> = refresh
        .iter()
        .filter_map(|refresh| match plan.seats[refresh.clock] {
            Seat::Leaf(leaf) => Some(leaf),
            Seat::Slot(_) | Seat::Schedule => None,
        })
        .collect();
    let redraw = match rang {
        Seat::Leaf(_) => Redraw::Always,
        Seat::Slot(_) | Seat::Schedule if changed.is_empty() => Redraw::Never,
        Seat::Slot(_) | Seat::Schedule => Redraw::IfChanged,
    };
    Step { refresh, sums: plan.above(changed.into_iter()), redraw, checks: graph.clocks[clock].checks.clone() }
}

/// Whether a clock is refreshed after it has rung, whatever it reads.
fn renews(graph: &Graph, plan: &Plan, clock: usize) -> bool {
    matches!(plan.seats[clock], Seat::Slot(_)) || graph.clocks[clock].timing == "hazard"
}

/// How the members of a clock are refreshed. Where random numbers are drawn, members take their turn by index.
fn how(graph: &Graph, plan: &Plan, dependent: &Dependent) -> How {
    let clock = &graph.clocks[dependent.clock];
    let mut routes = dependent.routes.clone();
    let slot = matches!(plan.seats[dependent.clock], Seat::Slot(_));
    let renews = renews(graph, plan, dependent.clock);
    if clock.over.is_empty() {
        let always = routes.is_empty() || (dependent.itself && renews);
        return if always { How::Always } else { How::If(routes) };
    }
    if dependent.every {
        return How::Every;
    }
    if dependent.itself && renews {
        routes.insert(0, dependent.own.clone());
        routes.dedup();
    }
    // To look twice does no harm.
    if graph.clocks[dependent.clock].scheduled {
        return How::Each(routes, Vec::new());
    }
    let draws = slot && matches!(clock.timing, "rate" | "after" | "hazard");
    let direct = routes.iter().all(Route::is_direct);
    let reads_notes = |route: &Route| route.member == Member::Reader;
    // A row may hold a member twice, and two things that were written may lead to one member.
    let no_two_alike = |route: &Route| {
        route.origin == Origin::Own
            && route.steps.iter().filter(|step| step.is_loop()).count() <= 1
            && !route.steps.iter().any(|step| matches!(step, RouteStep::Sources { .. } | RouteStep::Members { .. }))
    };
    match (draws, direct) {
        (true, true) if routes.len() > 1 => How::Sorted(routes),
        (false, true) | (true, true) => match apart(&routes) {
            Some(larger) => How::Each(routes, larger),
            None => How::Distinct(routes),
        },
        (true, false) => How::Marked(routes),
        (false, false) if routes.iter().any(reads_notes) => How::Marked(routes),
        (false, false) if routes.len() == 1 && no_two_alike(&routes[0]) => How::Each(routes, Vec::new()),
        (false, false) => How::Once(routes),
    }
}

/// Whether direct routes lead to different members: always, or while sets are larger than their span. `None` if
/// that cannot be said.
fn apart(routes: &[Route]) -> Option<Vec<(usize, u64)>> {
    if routes.len() < 2 {
        return Some(Vec::new());
    }
    let values = |route: &'_ Route| match &route.member {
        Member::At(values) => Some(values.clone()),
        _ => None,
    };
    let all: Vec<Vec<Value>> = routes.iter().map(values).collect::<Option<_>>()?;
    let mut larger: Vec<(usize, u64)> = Vec::new();
    for axis in 0..all[0].len() {
        let column: Vec<&Value> = all.iter().map(|values| &values[axis]).collect();
        let alike = |value: &&Value| {
            matches!(value.base, Source::Own(_)) && value.base == column[0].base && value.by.terms.is_empty()
        };
        if !column.iter().all(alike) {
            return None;
        }
        let offsets = || column.iter().map(|value| value.by.literal);
        let span = offsets().max()?.abs_diff(offsets().min()?);
        for set in column.iter().filter_map(|value| value.wrap) {
            if !larger.contains(&(set, span)) {
                larger.push((set, span));
            }
        }
    }
    Some(larger)
}

/// Lexicographic; a missing part counts as 0.
fn compare(a: &[i64], b: &[i64]) -> Ordering {
    (0..a.len().max(b.len()))
        .map(|i| a.get(i).unwrap_or(&0).cmp(b.get(i).unwrap_or(&0)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

impl fmt::Display for Refresh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match self.how {
            How::Always => "",
            How::If(_) => " if",
            How::Every => " every",
            How::Each(..) => " each",
            How::Distinct(_) => " distinct",
            How::Once(_) => " once",
            How::Sorted(_) => " sorted",
            How::Marked(_) => " marked",
        };
        write!(f, "{}{how}", self.clock)?;
        let routes = self.how.routes().len();
        if routes > 0 { write!(f, " of {routes}") } else { Ok(()) }
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let style = if self.unrolled { "straight-line code" } else { "tables" };
        let times = if self.scanned { "scan" } else { "pair tree" };
        let times = if self.fine { format!("{times} of moments") } else { times.to_owned() };
        writeln!(f, "{style}; race of {:?}; times of {:?} by {times}", self.leaves, self.slots)?;
        writeln!(f, "ranks {:?}", self.ranks)?;
        for (clock, step) in self.steps.iter().enumerate() {
            let refresh: Vec<String> = step.refresh.iter().map(ToString::to_string).collect();
            writeln!(
                f,
                "{clock} at {:?}: refresh [{}], sums {:?}, redraw {:?}, checks {:?}",
                self.seats[clock],
                refresh.join(", "),
                step.sums,
                step.redraw,
                step.checks
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_parts_of_a_priority_count_as_zero() {
        assert_eq!(compare(&[5], &[5, 0, 1]), Ordering::Less);
        assert_eq!(compare(&[5, 0, 1], &[5, 1]), Ordering::Less);
        assert_eq!(compare(&[], &[0]), Ordering::Equal);
        assert_eq!(compare(&[-1], &[]), Ordering::Less);
    }
}
