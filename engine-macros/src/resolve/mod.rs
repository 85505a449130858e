//! Syntax tree → names bound to items, and for every expression what it reads and writes.
//!
//! Extraction and rewriting are one pass: what the rewritten code can reach is what was recorded.

mod access;
mod body;
mod degree;
mod family;
mod flow;
mod forms;
mod lower;
mod macros;
mod methods;
mod names;
mod types;

use proc_macro2::{Ident, TokenStream};
use syn::{Attribute, Expr, Type};

pub(crate) use access::{Access, Element, Need};
pub(crate) use body::{
    Items, binder, constant_handle, function, handle, here, log_handle, pair_handle, size_handle, trace_handle,
};
pub(crate) use family::{Family, Relation, Set};
pub(crate) use flow::Flow;
pub(crate) use forms::{Atom, Base, Form, Sum};
pub(crate) use names::{Place, PlaceKind, variant};
pub(crate) use types::{is_float, is_number, text as type_text};

use crate::errors::Errors;
use crate::syntax::{Action, Item, Model, Select, Structure, Thinned};
use body::{Mode, Rewriter};
use degree::Degrees;
use names::Names;

/// A model whose names are bound.
#[derive(Debug)]
pub(crate) struct Resolved {
    /// Params, states and tallies, in order of declaration.
    pub places: Vec<Place>,
    /// `let`s over params only, in an order in which each may use the ones before.
    pub constants: Vec<Constant>,
    pub clocks: Vec<Clock>,
    pub actions: Vec<ResolvedAction>,
    pub init: Option<Body>,
    pub observes: Vec<Output>,
    pub conditions: Vec<Condition>,
    pub sets: Vec<Set>,
    pub relations: Vec<Relation>,
    pub flows: Vec<Flow>,
}

impl Resolved {
    /// What generated functions take handles of.
    pub(crate) fn items(&self) -> Items<'_> {
        Items { places: &self.places, constants: &self.constants, sets: &self.sets, relations: &self.relations }
    }
}

/// Rewritten code and what it touches.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    pub tokens: TokenStream,
    pub access: Access,
}

/// A `let` that is evaluated once.
#[derive(Debug)]
pub(crate) struct Constant {
    pub ident: Ident,
    pub family: Family,
    /// `None`: a cell that takes its type from the expression.
    pub ty: Option<Type>,
    pub value: Body,
}

/// A clock, or a reaction turned into one.
#[derive(Debug)]
pub(crate) struct Clock {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub family: Family,
    pub structure: Structure,
    pub guard: Option<Body>,
    pub timing: Timing,
    pub priority: Vec<i64>,
    pub action: Body,
}

/// When a clock rings.
#[derive(Debug)]
pub(crate) enum Timing {
    Rate(Body),
    At(Body),
    After { delay: Body, redraw: bool, resume: bool, speed: Option<Body> },
    Every { period: Body, from: Option<Body> },
    Hazard(Affine),
    Thinning(Box<Thinning>),
    Crosses { of: Body, course: bool, up: bool, step: Option<Body> },
}

/// The hazard c + (a + b s)⁺ after a time s.
#[derive(Debug)]
pub(crate) enum Affine {
    /// c alone.
    Constant(Body),
    /// Two parts, or three.
    Parts(Vec<Body>),
    /// Something that gives a and b.
    Pair(Body),
}

impl Affine {
    /// Its expressions.
    pub(crate) fn bodies(&self) -> &[Body] {
        match self {
            Affine::Constant(body) | Affine::Pair(body) => std::slice::from_ref(body),
            Affine::Parts(parts) => parts,
        }
    }
}

/// A hazard under a bound.
#[derive(Debug)]
pub(crate) struct Thinning {
    pub rate: Body,
    pub bound: Affine,
    pub until: Option<Body>,
    pub adapt: bool,
}

impl Thinning {
    /// Whether the hazard can be looked at without a proposal: to draw for it would change what is drawn later.
    pub(crate) fn looks(&self) -> bool {
        self.rate.access.rng.is_none()
    }

    /// Whether the bound is a number that joins the rates.
    pub(crate) fn races(&self) -> bool {
        matches!(self.bound, Affine::Constant(_)) && self.until.is_none()
    }
}

impl Timing {
    /// Its keyword.
    pub(crate) fn keyword(&self) -> &'static str {
        match self {
            Timing::Rate(_) => "rate",
            Timing::At(_) => "at",
            Timing::After { .. } => "after",
            Timing::Every { .. } => "every",
            Timing::Hazard(_) | Timing::Thinning(_) => "hazard",
            Timing::Crosses { .. } => "crosses",
        }
    }

    /// What gives two parts of a hazard, or of its bound, at once.
    pub(crate) fn pair(&self) -> Option<&Body> {
        match self {
            Timing::Hazard(Affine::Pair(pair)) => Some(pair),
            Timing::Thinning(thinning) => match &thinning.bound {
                Affine::Pair(pair) => Some(pair),
                _ => None,
            },
            _ => None,
        }
    }

    /// All its expressions.
    pub(crate) fn bodies(&self) -> Vec<&Body> {
        match self {
            Timing::Rate(body) | Timing::At(body) => vec![body],
            Timing::After { delay, speed, .. } => std::iter::once(delay).chain(speed).collect(),
            Timing::Every { period, from } => std::iter::once(period).chain(from).collect(),
            Timing::Hazard(affine) => affine.bodies().iter().collect(),
            Timing::Thinning(thinning) => std::iter::once(&thinning.rate).chain(self.watched()).collect(),
            Timing::Crosses { of, step, .. } => std::iter::once(of).chain(step).collect(),
        }
    }

    /// Those whose change refreshes the clock: a delay is kept unless it says `redraw`, and a hazard under a bound is
    /// looked at when an event is proposed.
    pub(crate) fn watched(&self) -> Vec<&Body> {
        match self {
            Timing::After { redraw: false, speed, .. } => speed.iter().collect(),
            Timing::Thinning(thinning) => thinning.bound.bodies().iter().chain(&thinning.until).collect(),
            other => other.bodies(),
        }
    }
}

/// An action, ready to be called.
#[derive(Debug)]
pub(crate) struct ResolvedAction {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub args: Vec<(TokenStream, Type)>,
    pub body: Body,
}

/// A named output.
#[derive(Debug)]
pub(crate) struct Output {
    pub ident: Ident,
    pub family: Family,
    pub ty: Option<Type>,
    /// Whether recorders can take it as a number.
    pub numeric: bool,
    pub body: Body,
}

/// A `stop` or an `invariant`.
#[derive(Debug)]
pub(crate) struct Condition {
    pub ident: Ident,
    pub stop: bool,
    pub body: Body,
}

impl Condition {
    /// Its keyword.
    pub(crate) fn kind(&self) -> &'static str {
        if self.stop { "stop" } else { "invariant" }
    }
}

/// Binds the names of a model.
pub(crate) fn resolve(model: &Model, errors: &mut Errors) -> Resolved {
    let names = Names::collect(model, errors);
    let mut resolver = Resolver { names, select: model.options.select, errors };
    types::check(model, resolver.errors);
    resolver.sizes();
    resolver.constants();
    resolver.flows();
    resolver.relations(model);
    resolver.pair_states(model);
    resolver.actions();
    resolver.model(model)
}

struct Resolver<'a, 'e> {
    names: Names<'a>,
    select: Select,
    errors: &'e mut Errors,
}

impl<'a> Resolver<'a, '_> {
    fn value(&mut self, expr: &Expr, mode: Mode) -> Body {
        self.value_of(&Family::default(), expr, mode)
    }

    fn value_of(&mut self, family: &Family, expr: &Expr, mode: Mode) -> Body {
        Rewriter::new(&self.names, mode, self.errors).of(family).value(expr)
    }

    fn block_of(&mut self, family: &Family, block: &syn::Block) -> Body {
        Rewriter::new(&self.names, Mode::action(), self.errors).of(family).body(block, &[], &[])
    }

    /// The sizes of index sets.
    fn sizes(&mut self) {
        for set in 0..self.names.sets.len() {
            let written = self.names.sets[set].written.clone();
            let size = self.value(&written, Mode::size(self.names.params()));
            self.names.sets[set].size = Some(size);
        }
    }

    /// What gives the members of each row.
    fn relations(&mut self, model: &Model) {
        for item in &model.items {
            let Item::Relation(written) = item else { continue };
            let Some(number) = self.names.relations.iter().position(|known| known.ident == written.ident) else {
                continue;
            };
            let relation = &self.names.relations[number];
            let binders = relation.binders.iter().cloned().zip(relation.rows.iter().copied()).collect();
            let family = Family { binders, pairs: None };
            let mode = if written.changing {
                Mode::initial(self.names.places_before(&written.ident)).drawn()
            } else {
                Mode::relation(self.names.params())
            };
            let members = self.value_of(&family, &written.expr, mode);
            self.names.relations[number].members = Some(members);
        }
    }

    /// What a new pair of a changing relation gets, which actions have to know.
    fn pair_states(&mut self, model: &Model) {
        for item in &model.items {
            if let Item::State(state) = item {
                if state.over.pairs().is_some_and(|relation| model.changes(relation)) {
                    self.initial(state);
                }
            }
        }
    }

    fn initial(&mut self, state: &crate::syntax::State) {
        let Some(initial) = &state.initial else { return };
        let allowed = self.names.places_before(&state.ident);
        let family = self.names.family(&state.over, &mut Errors::default());
        let body = self.value_of(&family, initial, Mode::initial(allowed).drawn());
        self.names.set_initial(&state.ident, body);
    }

    /// Checks every `let`, and finds those that params alone decide.
    fn constants(&mut self) {
        for cycle in self.names.let_cycles() {
            self.names.circular = true;
            self.errors.push(cycle);
        }
        if self.names.circular {
            return;
        }
        for index in self.names.lets_in_order() {
            let definition = self.names.lets[index].definition;
            let family = self.names.lets[index].family.clone();
            let body = self.value_of(&family, &definition.expr, Mode::definition());
            let access = &body.access;
            let params_only =
                access.places().all(|place| matches!(self.names.places[place].kind, PlaceKind::Param { .. }));
            if params_only && access.now.is_none() && access.rng.is_none() {
                if types::is_borrowed(definition.ty.as_ref(), &definition.expr) {
                    continue;
                }
                let ty = definition.ty.clone().or_else(|| types::plain(&definition.expr, &self.names));
                if ty.is_none() && types::is_open_integer(&definition.expr, &self.names) {
                    continue;
                }
                // Of a family without a type, elements are evaluated at each use.
                if ty.is_none() && !family.is_single() {
                    continue;
                }
                let constant = Constant { ident: definition.ident.clone(), family, ty, value: body };
                self.names.add_constant(index, constant);
            }
        }
    }

    /// Resolves actions, callees first, so that callers know what they touch.
    fn actions(&mut self) {
        let cycles = self.names.action_cycles();
        let circular = !cycles.is_empty();
        cycles.into_iter().for_each(|cycle| self.errors.push(cycle));
        if circular {
            return;
        }
        for index in self.names.actions_in_order() {
            let action: &'a Action = self.names.actions[index].action;
            let sets = self.names.actions[index].sets.clone();
            let body = Rewriter::new(&self.names, Mode::action(), self.errors).body(&action.body, &action.args, &sets);
            self.names.actions[index].access = Some(body.access.clone());
            self.names.actions[index].body = Some(body);
        }
    }

    fn model(mut self, model: &'a Model) -> Resolved {
        let mut clocks = Vec::new();
        let mut observes = Vec::new();
        let mut conditions = Vec::new();
        let mut init = None;
        // Without every clock nobody knows what is written.
        let mut complete = true;
        for item in &model.items {
            match item {
                Item::Clock(clock) => clocks.push(self.clock(clock)),
                Item::Reaction(reaction) => match lower::reaction(reaction, &self.names, self.errors) {
                    Some(clock) => clocks.push(self.clock(&clock)),
                    None => complete = false,
                },
                Item::Observe(observe) => {
                    let family = self.names.family(&observe.over, self.errors);
                    observes.push(Output {
                        ident: observe.ident.clone(),
                        ty: observe.ty.clone(),
                        // How many pairs there are may change.
                        numeric: family.pairs.is_none_or(|pairs| self.names.relations[pairs].place.is_none())
                            && observe.ty.as_ref().is_none_or(types::is_number),
                        body: self.value_of(&family, &observe.expr, Mode::observe()),
                        family,
                    });
                }
                Item::Stop(stop) => conditions.push(Condition {
                    ident: stop.ident.clone(),
                    stop: true,
                    body: self.value(&stop.expr, Mode::stop()),
                }),
                Item::Invariant(invariant) => conditions.push(Condition {
                    ident: invariant.ident.clone(),
                    stop: false,
                    body: self.value(&invariant.expr, Mode::invariant()),
                }),
                Item::Init(item) => {
                    if init.is_some() {
                        self.errors.at(item.span, "a model has one `init`; put everything into the first");
                    }
                    init = Some(self.block_of(&Family::default(), &item.body));
                }
                Item::State(state) => self.initial(state),
                Item::Tally(tally) => {
                    let family = self.names.family(&tally.over, &mut Errors::default());
                    let body = self.value_of(&family, &tally.initial, Mode::initial(self.names.params()));
                    self.names.set_initial(&tally.ident, body);
                }
                Item::Param(param) => self.param(param),
                Item::Let(_) | Item::Action(_) | Item::Index(_) | Item::Relation(_) | Item::Flow(_) => {}
            }
        }
        self.priorities(model);
        if complete {
            self.conditions_that_can_change(&clocks, &conditions);
        }
        let actions = self.names.take_actions();
        let Names { places, constants, sets, relations, flows, .. } = self.names;
        Resolved { places, constants, clocks, actions, init, observes, conditions, sets, relations, flows }
    }

    fn param(&mut self, param: &crate::syntax::Param) {
        let allowed = self.names.places_before(&param.ident);
        if let Some(default) = &param.default {
            let body = self.value(default, Mode::initial(allowed.clone()));
            self.names.set_initial(&param.ident, body);
        }
        if let Some(range) = &param.range {
            let range_of_type = if types::is_float(&param.ty) { types::float(range) } else { range.clone() };
            let body = self.value(&range_of_type, Mode::initial(allowed));
            self.names.set_range(&param.ident, body, range);
        }
    }

    fn clock(&mut self, clock: &crate::syntax::Clock) -> Clock {
        use crate::syntax::Timing as Written;
        let family = self.names.family(&clock.over, self.errors);
        let rates = matches!(clock.timing, Written::Rate(_)) && self.select == Select::Direct;
        let fits = match clock.structure {
            Structure::BySize => true,
            Structure::Tree | Structure::Composition => rates,
            Structure::PairTree | Structure::Blocks => !rates,
        };
        if !fits {
            let message = if rates {
                "rates of the direct method are selected by `tree` or `composition_rejection`"
            } else {
                "ring times are selected by `pair_tree` or `blocks`"
            };
            self.errors.at(clock.ident.span(), message);
        }
        let guard = clock.guard.as_ref().map(|guard| {
            let body = self.value_of(&family, guard, Mode::guard());
            let over = |ident: &Ident| family.binders.iter().any(|(binder, _)| binder == ident);
            let indexed = names::idents(quote::quote!(#guard)).iter().any(over);
            if body.access.places().next().is_none() && !body.access.constant && !indexed {
                self.errors.on(guard, "this guard never changes: it reads no state and no param");
            }
            body
        });
        let mut value = |expr: &Expr, mode: Mode| self.value_of(&family, &types::float(expr), mode);
        let timing = match &clock.timing {
            Written::Rate(rate) => Timing::Rate(value(rate, Mode::rate())),
            Written::At(time) => Timing::At(value(time, Mode::at())),
            Written::After { delay, options } => Timing::After {
                delay: value(delay, Mode::delay(options.redraw)),
                redraw: options.redraw,
                resume: options.resume,
                speed: options.speed.as_ref().map(|speed| value(speed, Mode::speed())),
            },
            Written::Every { period, from } => Timing::Every {
                period: value(period, Mode::period()),
                from: from.as_ref().map(|from| value(from, Mode::period())),
            },
            Written::Hazard(crate::syntax::Hazard::Affine(affine)) => Timing::Hazard(self.affine(&family, affine)),
            Written::Hazard(crate::syntax::Hazard::Thinned(thinned)) => {
                let Thinned { elapsed, random, rate, bound, until, adapt } = &**thinned;
                let until = until.as_ref().map(|until| value(until, Mode::bound()));
                let bound = self.affine(&family, bound);
                let rate = Rewriter::new(&self.names, Mode::intensity(*random), self.errors)
                    .of(&family)
                    .with(elapsed.as_ref(), "__crt_s")
                    .value(&types::float(rate));
                Timing::Thinning(Box::new(Thinning { rate, bound, until, adapt: *adapt }))
            }
            Written::Crosses { of, up, step } => {
                let course = Degrees { names: &self.names, flow: None }.of(of).is_some();
                if !course && step.is_none() {
                    self.errors.on(
                        of,
                        "when this crosses zero is looked for by stepping through time: say how far at once, `step = H`, \
                         not more than the shortest time between two crossings (polynomials of time up to degree two, made \
                         of `+ - *` and `/` by what does not move, are solved exactly and need none)",
                    );
                }
                let mode = if course { Mode::crossing().courses() } else { Mode::crossing() };
                let of = self.value_of(&family, of, mode);
                if of.access.now.is_none() {
                    self.errors.on(
                        &clock.ident,
                        "what this clock watches does not move between events: it reads no flowing variable",
                    );
                }
                let step = step
                    .as_ref()
                    .filter(|_| !course)
                    .map(|step| self.value_of(&family, &types::float(step), Mode::bound()));
                Timing::Crosses { of, course, up: *up, step }
            }
        };
        Clock {
            attrs: clock.attrs.clone(),
            ident: clock.ident.clone(),
            guard,
            timing,
            priority: clock.priority.parts.clone(),
            action: self.block_of(&family, &clock.action),
            family,
            structure: clock.structure,
        }
    }

    fn affine(&mut self, family: &Family, written: &crate::syntax::Affine) -> Affine {
        use crate::syntax::Affine as Written;
        let mut value = |expr: &Expr| self.value_of(family, expr, Mode::bound());
        match written {
            Written::Constant(bound) => Affine::Constant(value(&types::float(bound))),
            Written::Parts(parts) => Affine::Parts(parts.iter().map(|part| value(&types::float(part))).collect()),
            Written::Pair(pair) => Affine::Pair(value(pair)),
        }
    }

    /// A `stop` over places that no action writes could only hold from the start.
    fn conditions_that_can_change(&mut self, clocks: &[Clock], conditions: &[Condition]) {
        for condition in conditions.iter().filter(|condition| condition.stop) {
            let written = |place| clocks.iter().any(|clock| clock.action.access.writes(place));
            let reads = &condition.body.access;
            // That it cannot read a flowing variable has been said.
            if !reads.places().any(|place| written(place) || self.names.places[place].flow.is_some()) {
                let why = if reads.places().next().is_none() {
                    "it reads no state".to_owned()
                } else {
                    let names: Vec<String> =
                        reads.places().map(|place| format!("`{}`", self.names.places[place].ident)).collect();
                    format!("no action writes {}", names.join(" or "))
                };
                self.errors.on(&condition.ident, format!("nothing could ever change this condition: {why}"));
            }
        }
    }

    /// Integers and tuples do not compare.
    fn priorities(&mut self, model: &Model) {
        let written = model.items.iter().filter_map(|item| match item {
            Item::Clock(clock) => clock.priority.written,
            Item::Reaction(reaction) => reaction.priority.written,
            _ => None,
        });
        let (tuples, integers): (Vec<_>, Vec<_>) = written.partition(|(_, tuple)| *tuple);
        if !tuples.is_empty() {
            for (span, _) in integers {
                self.errors.at(
                    span,
                    "this priority is an integer and others of the model are tuples; write it as a tuple, `(p,)`",
                );
            }
        }
    }
}
