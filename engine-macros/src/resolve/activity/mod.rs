//! Activities → pieces of code without waits, and what is waited for between them.

mod free;
mod jumps;
mod split;
mod types;
mod waits;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::visit_mut::VisitMut;
use syn::{Block, Expr, Type, parse_quote};

use self::jumps::Jumps;
use self::split::Splitter;
use self::waits::Kind;
use super::body::{Mode, Rewriter, named};
use super::family::Family;
use super::names::{Meaning, Names};
use super::{Access, Body, Clock, Resolver, Timing};
use crate::syntax::{self, Structure, tag};

/// An activity, taken apart.
#[derive(Debug)]
pub(crate) struct Activity {
    pub ident: Ident,
    /// The place that stands for those that live.
    pub place: usize,
    pub declaration: u32,
    /// All arguments as they are declared: names, types, and whether they are members of a set.
    pub args: Vec<(Ident, Type, bool)>,
    /// Those that are members of sets: indices to every piece.
    pub members: Family,
    /// What an instance gives, as it is written.
    pub gives: Type,
    /// What those who join it get.
    pub joined: Type,
    pub fallible: bool,
    /// Whether a failure stops the run.
    pub stops: bool,
    /// Whether what an instance gave is kept for those who join it later.
    pub kept: bool,
    pub pieces: Vec<Piece>,
    pub points: Vec<Point>,
    pub starter: Body,
    /// What gives the elements of families over its instances, for instance `__crt_pair`.
    pub initial: TokenStream,
}

/// A piece of code without waits.
#[derive(Debug)]
pub(crate) struct Piece {
    /// What it takes besides members of sets.
    pub takes: Vec<(Ident, Type)>,
    /// Those of them that it may change.
    pub mutable: Vec<bool>,
    /// The type of what the wait in front of it gives.
    pub got: Option<Type>,
    pub body: Body,
    pub role: Role,
    /// What may follow it; of an inner piece nothing is said.
    pub course: Course,
}

/// What may follow a piece at once.
#[derive(Debug, Default)]
pub(crate) struct Course {
    /// The pieces that may run, itself included.
    pub pieces: BTreeSet<usize>,
    /// Where the instance may wait next.
    pub waits: BTreeSet<usize>,
    /// Whether it may end.
    pub ends: bool,
}

/// How a piece comes to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Start,
    /// Behind a wait.
    After(usize),
    /// It runs what is deferred when an instance is aborted in a wait.
    Abort(usize),
    /// Other pieces jump to it.
    Inner,
}

/// A wait.
#[derive(Debug)]
pub(crate) struct Point {
    pub kind: PointKind,
    /// The piece behind it.
    pub resumes: usize,
    /// What is watched: numbers of clocks.
    pub condition: Option<usize>,
    pub unless: Option<usize>,
    pub speed: Option<usize>,
    pub line: Option<usize>,
    /// Whether it is waited for a limited time only.
    pub patient: bool,
}

/// What is waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PointKind {
    Delay,
    Until,
    For,
    /// The end of an instance of activity number `of`, which is aborted with its parent if `child`.
    Join {
        of: usize,
        child: bool,
    },
}

/// What is looked at while instances wait.
#[derive(Debug)]
pub(crate) struct Watch {
    pub activity: usize,
    /// The piece behind the wait.
    pub piece: usize,
    pub part: Part,
    pub body: Body,
    /// Variables that it uses besides its indices.
    pub others: Vec<(Ident, Type)>,
    /// The line in which is waited.
    pub line: Option<usize>,
    /// Where it is written.
    pub span: Span,
}

/// Which part of a wait it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Condition,
    Unless,
    Speed,
}

impl Watch {
    /// Whether one look is enough for all who wait.
    pub(crate) fn shared(&self) -> bool {
        self.others.is_empty()
    }
}

/// The type in which it is kept where an instance is.
pub(crate) fn frame(model: &Ident, activity: &Ident) -> Ident {
    format_ident!("__Cr{}{}Frame", model.unraw(), super::variant(activity))
}

/// The variant for a piece.
pub(crate) fn variant_of(piece: usize) -> Ident {
    format_ident!("P{piece}")
}

/// A name for a piece, or for what is watched at it.
fn piece_ident(activity: &Ident, piece: usize, suffix: &str) -> Ident {
    format_ident!("__cr_{}_{piece}{suffix}", activity.unraw(), span = activity.span())
}

impl Resolver<'_, '_> {
    /// What starts an instance of each activity, which bodies call.
    pub(super) fn starters(&mut self) {
        for number in 0..self.names.activities.len() {
            let known = &self.names.activities[number];
            let (activity, sets, place) = (known.activity, known.sets.clone(), known.place);
            let members = members(activity, &sets);
            let values: Vec<&Ident> = values(activity).map(|arg| &arg.ident).collect();
            // There is no instance yet, and no key.
            let rewriter =
                Rewriter::new(&self.names, Mode::priority(), self.errors).of(&members).within(None, values.into_iter());
            let mut body = match &activity.priority {
                Some(priority) => rewriter.value(priority),
                None => rewriter.value(&parse_quote!(())),
            };
            if let Some(Expr::Tuple(tuple)) = &activity.priority {
                body.access.parts = body.access.parts.max(tuple.elems.len());
            } else if activity.priority.is_some() {
                body.access.parts = body.access.parts.max(1);
            }
            body.access.touch_scheduled(place, true);
            let mut rewriter = Rewriter::new(&self.names, Mode::action(), self.errors);
            let initial = rewriter.instance_begins(number, &mut body.access);
            self.names.activities[number].starter = Some(body);
            self.names.activities[number].initial = initial;
        }
    }

    /// Takes an activity apart. What happens in it, and what is watched for it, is added to `clocks`.
    pub(super) fn activity(&mut self, number: usize, clocks: &mut Vec<Clock>) -> Activity {
        let known = &self.names.activities[number];
        let (activity, sets, place, declaration) = (known.activity, known.sets.clone(), known.place, known.declaration);
        let family = members(activity, &sets);
        let args: Vec<(Ident, Type, bool)> =
            values(activity).map(|arg| (arg.ident.clone(), arg.ty(), arg.mutability.is_some())).collect();
        for arg in values(activity) {
            Rewriter::new(&self.names, Mode::action(), self.errors).may_be_called(&arg.ident);
        }
        let mut splitter = Splitter::new(&self.names, activity, self.errors);
        splitter.split(&args);
        let (drafts, written) = (splitter.pieces, splitter.points);
        let frame = frame(&self.names.model.clone(), &activity.ident);
        let fill = |target: usize| -> Vec<TokenStream> {
            let takes = drafts[target].takes.iter().map(|variable| {
                let ident = &variable.ident;
                quote!(#ident: #ident)
            });
            let members = family.binders.iter().map(|(ident, _)| quote!(#ident: #ident));
            members.chain(takes).collect()
        };
        let mut pieces: Vec<Piece> = Vec::new();
        for (at, draft) in drafts.iter().enumerate() {
            let role = if let Some(point) = draft.after {
                Role::After(point)
            } else if let Some(point) = written.iter().position(|point| point.aborts == at) {
                Role::Abort(point)
            } else if at == 0 {
                Role::Start
            } else {
                Role::Inner
            };
            let mut block = Block { brace_token: Default::default(), stmts: draft.stmts.clone() };
            let mut jumps = Jumps { frame: &frame, fill: &fill, points: &written, names: &self.names };
            jumps.visit_block_mut(&mut block);
            let variables: Vec<&Ident> = draft.takes.iter().map(|variable| &variable.ident).collect();
            let mut body = Rewriter::new(&self.names, Mode::action(), self.errors)
                .of(&family)
                .within(Some(number), variables.into_iter())
                .piece(block);
            for priority in draft.waits.iter().filter_map(|&point| written[point].wait.priority.as_ref()) {
                let parts = if let Expr::Tuple(tuple) = priority { tuple.elems.len() } else { 1 };
                body.access.parts = body.access.parts.max(parts);
            }
            let got = match role {
                Role::After(point) => Some(gives(&self.names, &written[point].wait)),
                _ => None,
            };
            pieces.push(Piece {
                takes: draft
                    .takes
                    .iter()
                    .map(|v| (v.ident.clone(), v.ty.clone().unwrap_or(parse_quote!(()))))
                    .collect(),
                mutable: draft.takes.iter().map(|variable| variable.mutable).collect(),
                got,
                body,
                role,
                course: Course::default(),
            });
        }
        let mut points = Vec::new();
        for (at, point) in written.iter().enumerate() {
            let line = point.wait.line.as_ref().and_then(|line| self.line(line));
            let resumes = point.resumes;
            let takes = &drafts[resumes].takes;
            let mut watch = |resolver: &mut Self, part: Part, expr: &Expr, line: Option<usize>| {
                let watch = resolver.watch(number, &family, (at, resumes), part, expr, takes, line);
                clocks.push(watch);
                Some(clocks.len() - 1)
            };
            let condition = match &point.wait.kind {
                Kind::For(cond) => watch(self, Part::Condition, cond, line),
                _ => None,
            };
            let unless = point.wait.unless.as_ref().and_then(|cond| watch(self, Part::Unless, cond, None));
            let speed = point.wait.speed.as_ref().and_then(|speed| watch(self, Part::Speed, speed, None));
            points.push(Point {
                kind: match &point.wait.kind {
                    Kind::Delay(_) => PointKind::Delay,
                    Kind::Until(_) => PointKind::Until,
                    Kind::For(_) => PointKind::For,
                    Kind::Join(of, _) => PointKind::Join { of: *of, child: false },
                    Kind::Run(of, _) => PointKind::Join { of: *of, child: true },
                },
                resumes,
                condition,
                unless,
                speed,
                line,
                patient: point.wait.timeout.is_some(),
            });
        }
        for at in 0..pieces.len() {
            if pieces[at].role == Role::Inner {
                continue;
            }
            // Everything that runs at once.
            let course = course(&drafts, &written, at);
            let mut access = Access::default();
            for &piece in &course.pieces {
                let other = &pieces[piece].body.access;
                access.merge(other);
                access.flag |= other.flag;
                other.elements.iter().for_each(|element| access.touch_element(element.clone()));
            }
            let aborts = matches!(pieces[at].role, Role::Abort(_));
            if aborts || course.ends {
                access.touch(place, true);
            }
            // Lines that are left, and those that are joined.
            let left = match pieces[at].role {
                Role::After(point) | Role::Abort(point) => points[point].line,
                _ => None,
            };
            let joined = course.waits.iter().filter_map(|&point| points[point].line);
            for line in joined.chain(left) {
                access.touch(self.names.lines[line].place, true);
            }
            let what = match pieces[at].role {
                Role::Start => "start".to_owned(),
                Role::After(point) => format!("after wait {}", point + 1),
                Role::Abort(point) => format!("aborted in wait {}", point + 1),
                Role::Inner => continue,
            };
            pieces[at].course = course;
            clocks.push(Clock {
                attrs: Vec::new(),
                ident: piece_ident(&activity.ident, at, ""),
                title: format!("{}: {what}", activity.ident.unraw()),
                family: family.clone(),
                structure: Structure::BySize,
                guard: None,
                timing: Timing::Step { activity: number, piece: at },
                priority: Vec::new(),
                action: Body { tokens: TokenStream::new(), access },
                declaration,
                once: false,
                args: Vec::new(),
            });
        }
        let starter = self.names.activities[number].starter.clone();
        Activity {
            ident: activity.ident.clone(),
            place,
            declaration,
            args: activity
                .args
                .iter()
                .map(|arg| (arg.ident.clone(), arg.ty(), matches!(arg.kind, syntax::ArgumentKind::Member(_))))
                .collect(),
            members: family,
            gives: activity.gives(),
            joined: activity.joined(),
            fallible: activity.fallible().is_some(),
            stops: activity.stops,
            kept: false,
            pieces,
            points,
            initial: self.names.activities[number].initial.clone(),
            starter: starter.unwrap_or_else(|| Body { tokens: TokenStream::new(), access: Access::default() }),
        }
    }

    fn line(&mut self, ident: &Ident) -> Option<usize> {
        match self.names.meaning(ident) {
            Some(Meaning::Line(line)) => Some(line),
            _ => {
                self.errors.at(ident.span(), format!("`{ident}` is no line of the model; declare it: `line {ident};`"));
                None
            }
        }
    }

    /// What an instance waits for, or runs at, as something that is refreshed like a clock.
    #[allow(clippy::too_many_arguments, reason = "they are what a wait is made of")]
    fn watch(
        &mut self,
        activity: usize,
        members: &Family,
        (point, piece): (usize, usize),
        part: Part,
        expr: &Expr,
        takes: &[split::Variable],
        line: Option<usize>,
    ) -> Clock {
        let used = free::Free::of_expr(expr);
        let uses = |ident: &Ident| used.contains(&ident.unraw().to_string());
        // Its indices are those of the activity, and variables by which it takes elements of families.
        let mut family = Family::default();
        family.binders.extend(members.binders.iter().filter(|(ident, _)| uses(ident)).cloned());
        let mut others = Vec::new();
        for variable in takes.iter().filter(|variable| uses(&variable.ident)) {
            let ty = variable.ty.clone().unwrap_or(parse_quote!(()));
            let index = quote!(#ty).to_string() == "usize";
            match indexes(&self.names, expr, &variable.ident).filter(|_| index) {
                Some(set) => family.binders.push((variable.ident.clone(), set)),
                None => others.push((variable.ident.clone(), ty)),
            }
        }
        let own_set = indexes(&self.names, expr, &Ident::new("me", Span::call_site()));
        if used.contains("me") && own_set.is_some_and(|set| self.names.sets[set].activity == Some(activity)) {
            // Each waits for an element of its own. Of numbers of members the size of the first set is no part, and this one
            // grows.
            let own = own_set.map(|set| (Ident::new(OWN, Span::call_site()), set));
            family.binders.splice(0..0, own);
        }
        if used.contains("me") {
            let tag = tag(self.names.model, &self.names.activities[activity].activity.ident);
            others.push((Ident::new("me", Span::call_site()), parse_quote!(__cr::Key<#tag>)));
        }
        let (written, errors) = (expr, self.errors.count());
        let mut expr = expr.clone();
        if part == Part::Speed {
            expr = super::types::float(&expr);
        }
        Dereferenced(&others).visit_expr_mut(&mut expr);
        if family.binders.iter().any(|(ident, _)| ident == OWN) {
            OwnIndex.visit_expr_mut(&mut expr);
            // Is the key used otherwise, too?
            if !free::Free::of_expr(&expr).contains("me") {
                others.retain(|(ident, _)| ident != "me");
            }
        }
        let what = match part {
            Part::Condition => "`wait_for`",
            Part::Unless => "`unless`",
            Part::Speed => "a speed",
        };
        let body = Rewriter::new(&self.names, Mode::condition(what), self.errors)
            .of(&family)
            .within(Some(activity), others.iter().map(|(ident, _)| ident).filter(|ident| *ident != "me"))
            .value(&expr);
        let changes = |place: usize| self.names.places[place].changes();
        if !body.access.places().any(changes) && self.errors.count() == errors {
            self.errors.on(written, format!("nothing could ever change what {what} looks at: it reads no state"));
        }
        let known = &self.names.activities[activity];
        let (ident, suffix) = (
            &known.activity.ident,
            match part {
                Part::Condition => "_c",
                Part::Unless => "_u",
                Part::Speed => "_s",
            },
        );
        let word = match part {
            Part::Condition => "condition",
            Part::Unless => "unless",
            Part::Speed => "speed",
        };
        Clock {
            attrs: Vec::new(),
            ident: piece_ident(ident, piece, suffix),
            title: format!("{}: {word} of wait {}", ident.unraw(), point + 1),
            family,
            structure: Structure::BySize,
            guard: None,
            timing: Timing::Watch(Box::new(Watch { activity, piece, part, body, others, line, span: written.span() })),
            priority: Vec::new(),
            action: Body { tokens: TokenStream::new(), access: Access::default() },
            declaration: known.declaration,
            once: false,
            args: Vec::new(),
        }
    }
}

/// What may follow piece number `at` at once.
fn course(drafts: &[split::Piece], written: &[split::Point], at: usize) -> Course {
    let mut pieces = BTreeSet::from([at]);
    let mut open = vec![at];
    while let Some(piece) = open.pop() {
        open.extend(drafts[piece].jumps(written).filter(|&next| pieces.insert(next)));
    }
    let waits = pieces.iter().flat_map(|&piece| &drafts[piece].waits).copied().collect();
    let ends = pieces.iter().any(|&piece| drafts[piece].ends);
    Course { pieces, waits, ends }
}

/// The arguments that are members of sets.
fn members(activity: &syntax::Activity, sets: &[Option<usize>]) -> Family {
    let binders = activity.args.iter().zip(sets).filter_map(|(arg, set)| Some((arg.ident.clone(), (*set)?)));
    Family { binders: binders.collect(), pairs: None }
}

/// The other arguments.
fn values(activity: &syntax::Activity) -> impl Iterator<Item = &syntax::Argument> {
    activity.args.iter().filter(|arg| matches!(arg.kind, syntax::ArgumentKind::Value(_)))
}

/// The type of what a wait gives.
fn gives(names: &Names<'_>, wait: &waits::Wait) -> Type {
    match &wait.kind {
        Kind::Join(activity, _) | Kind::Run(activity, _) => {
            let ty = names.activities[*activity].activity.joined();
            parse_quote!(__cr::core::option::Option<#ty>)
        }
        Kind::Delay(_) | Kind::Until(_) if wait.unless.is_some() => names.time(wait.span),
        _ if wait.timeout.is_some() || wait.unless.is_some() => parse_quote!(bool),
        _ => parse_quote!(()),
    }
}

/// The set whose families `expr` takes elements of by `variable`.
fn indexes(names: &Names<'_>, expr: &Expr, variable: &Ident) -> Option<usize> {
    struct Found<'a, 'n> {
        names: &'a Names<'n>,
        variable: &'a Ident,
        set: Option<usize>,
    }
    impl Visit<'_> for Found<'_, '_> {
        fn visit_expr(&mut self, expr: &Expr) {
            let mentions = |expr: &Expr| free::Free::of_expr(expr).contains(&self.variable.unraw().to_string());
            let taken: Option<(&Ident, Vec<&Expr>)> = match expr {
                Expr::Index(_) => named(expr),
                Expr::Call(call) => match &*call.func {
                    Expr::Path(path) => path.path.get_ident().map(|ident| (ident, call.args.iter().collect())),
                    _ => None,
                },
                _ => None,
            };
            if let Some((ident, indices)) = taken {
                let sets: Vec<usize> = match self.names.meaning(ident) {
                    Some(Meaning::Place(place)) => self.names.places[place].family.sets().collect(),
                    Some(Meaning::Let(definition)) => self.names.lets[definition].family.sets().collect(),
                    Some(Meaning::Relation { relation, inverse: false }) => self.names.relations[relation].rows.clone(),
                    Some(Meaning::Relation { relation, inverse: true }) => {
                        vec![self.names.relations[relation].target]
                    }
                    _ => Vec::new(),
                };
                for (index, set) in indices.into_iter().zip(sets) {
                    if mentions(index) {
                        self.set.get_or_insert(set);
                    }
                }
            }
            syn::visit::visit_expr(self, expr);
        }
    }
    let mut found = Found { names, variable, set: None };
    found.visit_expr(expr);
    found.set
}

/// The index of the own instance in what it waits for.
pub(crate) const OWN: &str = "__crt_own";

/// `x[me]` is `x` at that index.
struct OwnIndex;

impl VisitMut for OwnIndex {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        syn::visit_mut::visit_expr_mut(self, expr);
        if let Expr::Index(index) = expr {
            if matches!(&*index.index, Expr::Path(path) if path.path.is_ident("me")) {
                let own = Ident::new(OWN, index.index.span());
                *index.index = parse_quote!(#own);
            }
        }
    }
}

/// Variables that a condition has references to.
struct Dereferenced<'a>(&'a [(Ident, Type)]);

impl VisitMut for Dereferenced<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        syn::visit_mut::visit_expr_mut(self, expr);
        if let Expr::Path(path) = expr {
            let known = |ident: &Ident| *ident != "me" && self.0.iter().any(|(other, _)| other == ident);
            if let Some(ident) = path.path.get_ident().filter(|ident| known(ident)).cloned() {
                *expr = syn::parse_quote_spanned!(super::here(ident.span())=> (*#ident));
            }
        }
    }
}
