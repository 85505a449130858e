//! Syntax tree → names bound to items, and for every expression what it reads and writes.
//!
//! Extraction and rewriting are one pass: what the rewritten code can reach is what was recorded.

mod access;
mod activity;
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
use syn::ext::IdentExt as _;
use syn::{Attribute, Expr, Type};

pub(crate) use access::{Access, Element, Need};
pub(crate) use activity::{Activity, Course, OWN, Part, Piece, Point, PointKind, Role, Watch, frame, variant_of};
pub(crate) use body::{
    Items, binder, constant_handle, function, handle, here, log_handle, pair_handle, size_handle, trace_handle,
};
pub(crate) use body::{priority_of, time_type};
pub(crate) use family::{Family, Relation, Set};
pub(crate) use flow::Flow;
pub(crate) use forms::{Atom, Base, Form, Sum};
pub(crate) use names::{Place, PlaceKind, variant};
pub(crate) use types::{is_float, is_number, is_plain, text as type_text};

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
    /// The model's name, and the path of the runtime crate as text.
    pub model: Ident,
    pub krate: String,
    pub activities: Vec<Activity>,
    /// The lines: their names, and what stands for those who wait in them.
    pub lines: Vec<(Ident, usize)>,
    /// The greatest number of parts of a priority.
    pub parts: usize,
    /// How many things are declared that can happen.
    pub declarations: u32,
}

/// What the members of a clock come and go with.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Coming {
    /// The pairs of relation number so.
    Pairs(usize),
    /// The instances of activity number so.
    Instances(usize),
}

impl Resolved {
    /// Whether something is scheduled while the model runs.
    pub(crate) fn schedules(&self) -> bool {
        self.places.iter().any(|place| matches!(place.kind, PlaceKind::Scheduled))
    }

    /// What the members of a clock come and go with, if they do.
    pub(crate) fn coming(&self, clock: &Clock) -> Option<Coming> {
        if !clock.is_clock() {
            return None;
        }
        if let Some(relation) = clock.family.pairs {
            return self.relations[relation].place.map(|_| Coming::Pairs(relation));
        }
        clock.family.sets().find_map(|set| self.sets[set].activity).map(Coming::Instances)
    }

    /// What is scheduled of an item that stands in a place: its keyword.
    pub(crate) fn scheduled_kind(&self, place: &Place) -> &'static str {
        if self.lines.iter().any(|(ident, _)| *ident == place.ident) {
            "line"
        } else if self.activities.iter().any(|activity| activity.ident == place.ident) {
            "activity"
        } else {
            "event"
        }
    }

    /// A type as it was written, with `Key<NAME>` in place of what it stands for.
    pub(crate) fn without_tags(&self, text: String) -> String {
        let events = self.events().map(|clock| &clock.ident);
        let items = events.chain(self.activities.iter().map(|activity| &activity.ident));
        items.fold(text, |text, ident| {
            let tag = crate::syntax::tag(&self.model, ident).to_string();
            let (path, name) = (format!("{}::Key<{tag}>", self.krate), ident.unraw());
            text.replace(&path, &format!("Key<{name}>")).replace(&tag, &name.to_string())
        })
    }

    /// The events.
    pub(crate) fn events(&self) -> impl Iterator<Item = &Clock> {
        self.clocks.iter().filter(|clock| matches!(clock.timing, Timing::Event { .. }))
    }

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
    /// A name of its own: of a part of an activity not that of the item.
    pub ident: Ident,
    /// What it is called in reports.
    pub title: String,
    pub family: Family,
    pub structure: Structure,
    pub guard: Option<Body>,
    pub timing: Timing,
    pub priority: Vec<i64>,
    pub action: Body,
    /// Its number among what is declared that can happen.
    pub declaration: u32,
    /// Whether it happens at most once at an instant.
    pub once: bool,
    /// What of an event its body takes besides its indices: names, and types.
    pub args: Vec<(TokenStream, Type)>,
}

impl Clock {
    /// The indices that say which of a family has rung.
    pub(crate) fn indices(&self) -> &[(Ident, usize)] {
        match self.timing {
            Timing::Event { indices } => &self.family.binders[..indices],
            Timing::Step { .. } => &[],
            _ => &self.family.binders,
        }
    }

    /// Whether it waits by itself, and is not scheduled by bodies.
    pub(crate) fn is_clock(&self) -> bool {
        !matches!(self.timing, Timing::Event { .. } | Timing::Step { .. } | Timing::Watch(_))
    }

    /// Whether something has to be done when what it reads is written.
    pub(crate) fn is_refreshed(&self) -> bool {
        !matches!(self.timing, Timing::Event { .. } | Timing::Step { .. })
    }

    /// Whether it can happen.
    pub(crate) fn happens(&self) -> bool {
        !matches!(self.timing, Timing::Watch(_))
    }

    /// What of an activity is looked at while instances wait.
    pub(crate) fn watch(&self) -> Option<&Watch> {
        match &self.timing {
            Timing::Watch(watch) => Some(watch),
            _ => None,
        }
    }
}

/// When a clock rings.
#[derive(Debug)]
pub(crate) enum Timing {
    Rate(Body),
    At(Body),
    After {
        delay: Body,
        redraw: bool,
        resume: bool,
        speed: Option<Body>,
    },
    Every {
        period: Body,
        from: Option<Body>,
    },
    Hazard(Affine),
    Thinning(Box<Thinning>),
    Crosses {
        of: Body,
        course: bool,
        up: bool,
        step: Option<Body>,
    },
    /// It is an event that bodies schedule. The first `indices` of its indices say which of a family it is, the others
    /// are arguments.
    Event {
        indices: usize,
    },
    /// An instance of an activity goes on with a piece of its body.
    Step {
        activity: usize,
        piece: usize,
    },
    /// Something that instances wait for, or at which they work.
    Watch(Box<Watch>),
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
            Timing::Event { .. } => "event",
            Timing::Step { .. } => "turn",
            Timing::Watch(watch) => match (watch.part, watch.line.is_some(), watch.shared()) {
                (Part::Speed, ..) => "speed",
                (_, true, _) => "line",
                (_, _, true) => "condition",
                (..) => "scan",
            },
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
            Timing::Event { .. } | Timing::Step { .. } => Vec::new(),
            Timing::Watch(watch) => vec![&watch.body],
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
    resolver.starters();
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
            if self.names.sets[set].activity.is_some() {
                continue;
            }
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
                if model.comes_and_goes(&state.over) {
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
        let mut activities = Vec::new();
        let mut init = None;
        // Without every clock nobody knows what is written.
        let mut complete = true;
        let mut declaration = 0;
        for item in &model.items {
            match item {
                Item::Clock(clock) => clocks.push(self.clock(clock, declaration)),
                Item::Reaction(reaction) => match lower::reaction(reaction, &self.names, self.errors) {
                    Some(clock) => clocks.push(self.clock(&clock, declaration)),
                    None => complete = false,
                },
                Item::Event(event) => clocks.push(self.event(event)),
                Item::Activity(activity) => {
                    let same = |known: &names::ActivityName<'_>| known.activity.ident == activity.ident;
                    if let Some(number) = self.names.activities.iter().position(same) {
                        let errors = self.errors.count();
                        activities.push(self.activity(number, &mut clocks));
                        complete &= self.errors.count() == errors;
                    }
                }
                Item::Observe(observe) => {
                    let family = self.names.family(&observe.over, self.errors);
                    observes.push(Output {
                        ident: observe.ident.clone(),
                        ty: observe.ty.clone(),
                        // How many pairs there are may change.
                        numeric: family.pairs.is_none_or(|pairs| self.names.relations[pairs].place.is_none())
                            && family.sets().all(|set| self.names.sets[set].activity.is_none())
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
                Item::Let(_) | Item::Action(_) | Item::Index(_) | Item::Relation(_) => {}
                Item::Flow(_) | Item::Line(_) | Item::Time(_) => {}
            }
            declaration += u32::from(item.happens());
        }
        self.priorities(model);
        if complete {
            self.conditions_that_can_change(&clocks, &conditions);
            self.waits_that_can_end(&clocks);
        }
        // What an instance gives is kept if somebody may ask for it later.
        let joined = activities.iter().flat_map(|activity: &Activity| &activity.points);
        let joined: Vec<usize> = joined
            .filter_map(|point| match point.kind {
                PointKind::Join { of, .. } => Some(of),
                _ => None,
            })
            .collect();
        for of in joined {
            activities[of].kept = true;
        }
        let lines = self.names.lines.iter().map(|line| (line.ident.clone(), line.place)).collect();
        let starters = activities.iter().map(|activity: &Activity| activity.starter.access.parts).max();
        let actions = self.names.take_actions();
        let Names { places, constants, sets, relations, flows, .. } = self.names;
        let bodies = clocks.iter().map(|clock: &Clock| &clock.action).chain(&init);
        let within = bodies.map(|body| body.access.parts);
        let parts = clocks.iter().map(|clock| clock.priority.len()).chain(within).chain(starters).max().unwrap_or(0);
        Resolved {
            places,
            constants,
            clocks,
            actions,
            init,
            observes,
            conditions,
            sets,
            relations,
            flows,
            model: model.ident.clone(),
            krate: {
                let krate = &model.krate;
                quote::quote!(#krate).to_string().replace(' ', "")
            },
            activities,
            lines,
            parts,
            declarations: declaration,
        }
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

    fn event(&mut self, event: &crate::syntax::Event) -> Clock {
        let known = self.names.events.iter().find(|known| known.event.ident == event.ident);
        let (mut family, sets, place, declaration) = match known {
            Some(known) => (known.family.clone(), known.sets.clone(), known.place, known.declaration),
            None => (Family::default(), vec![None; event.args.len()], 0, 0),
        };
        let indices = family.binders.len();
        // Members of sets are indices to the body, all others variables.
        let mut args = Vec::new();
        for (arg, set) in event.args.iter().zip(&sets) {
            match set {
                Some(set) => family.binders.push((arg.ident.clone(), *set)),
                None => args.push(arg),
            }
        }
        let mut action =
            Rewriter::new(&self.names, Mode::action(), self.errors).of(&family).handler(&event.action, &args);
        // One less is pending.
        if known.is_some() {
            action.access.touch_scheduled(place, true);
        }
        Clock {
            attrs: event.attrs.clone(),
            ident: event.ident.clone(),
            title: event.ident.unraw().to_string(),
            structure: Structure::BySize,
            guard: None,
            timing: Timing::Event { indices },
            priority: event.priority.parts.clone(),
            action,
            declaration,
            once: event.once,
            args: args
                .into_iter()
                .map(|arg| {
                    let (mutability, ident) = (&arg.mutability, &arg.ident);
                    (quote::quote!(#mutability #ident), arg.ty())
                })
                .collect(),
            family,
        }
    }

    fn clock(&mut self, clock: &crate::syntax::Clock, declaration: u32) -> Clock {
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
        self.fits_time(clock);
        let ticks = self.names.ticks;
        let mut value = |expr: &Expr, mode: Mode| {
            let expr = if ticks { expr.clone() } else { types::float(expr) };
            self.value_of(&family, &expr, mode)
        };
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
            title: clock.ident.unraw().to_string(),
            guard,
            timing,
            priority: clock.priority.parts.clone(),
            action: self.block_of(&family, &clock.action),
            declaration,
            once: clock.once,
            args: Vec::new(),
            family,
            structure: clock.structure,
        }
    }

    /// In ticks there are fewer timings.
    fn fits_time(&mut self, clock: &crate::syntax::Clock) {
        use crate::syntax::Timing as Written;
        if !self.names.ticks {
            return;
        }
        let what = match &clock.timing {
            Written::Rate(_) => "a rate",
            Written::Hazard(_) => "a hazard",
            Written::Crosses { .. } => "a crossing",
            Written::After { options, .. } if options.speed.is_some() => "a speed",
            Written::After { options, .. } if options.resume => "what is left of a delay",
            Written::At(_) | Written::After { .. } | Written::Every { .. } => return,
        };
        self.errors.at(
            clock.ident.span(),
            format!("{what} needs time in `f64`; with `time u64;` clocks ring by `at`, `after` and `every`"),
        );
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

    /// Somebody who waits for what no action writes waits for ever.
    fn waits_that_can_end(&mut self, clocks: &[Clock]) {
        for watch in clocks.iter().filter_map(Clock::watch) {
            let written = |place| clocks.iter().any(|clock| clock.action.access.writes(place));
            let reads = &watch.body.access;
            let changes: Vec<usize> = reads.places().filter(|&place| self.names.places[place].changes()).collect();
            // What events, instances and lines there are changes by itself.
            let scheduled = |&place: &usize| matches!(self.names.places[place].kind, PlaceKind::Scheduled);
            if changes.iter().any(|&place| written(place)) || changes.iter().any(scheduled) || changes.is_empty() {
                continue;
            }
            let names: Vec<String> =
                changes.iter().map(|&place| format!("`{}`", self.names.places[place].ident)).collect();
            self.errors.at(
                watch.span,
                format!("nothing could ever change what is waited for: no action writes {}", names.join(" or ")),
            );
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
            Item::Event(event) => event.priority.written,
            Item::Activity(activity) => match &activity.priority {
                Some(Expr::Tuple(tuple)) => Some((tuple.paren_token.span.join(), true)),
                Some(Expr::Lit(literal)) => Some((literal.lit.span(), false)),
                _ => None,
            },
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
