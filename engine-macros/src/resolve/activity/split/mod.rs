//! The body of an activity → pieces without waits.
//!
//! A piece begins at the start, behind a wait, at the head of a loop, or where ways through a branch meet again, as far as
//! there are waits inside; every way through it ends with a jump to another piece, with a wait or with the end. Code
//! without waits stays as it is.

mod leaves;
mod takes;

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span};
use quote::{format_ident, quote};
use syn::ext::IdentExt as _;
use syn::visit_mut::VisitMut as _;
use syn::{Block, Expr, ExprIf, Lifetime, Pat, Stmt, Type, parse_quote};

use leaves::Leaves;

use super::free::{Free, variables};
use super::types::{Guess, parts};
use super::waits::{self, Kind, Wait};
use crate::errors::Errors;
use crate::resolve::names::{Meaning, Names};
use crate::syntax::{Activity, DEFER};

/// A local variable. Two of one name are two.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub number: usize,
    pub ident: Ident,
    pub ty: Option<Type>,
    pub mutable: bool,
}

/// A piece of the body.
#[derive(Debug)]
pub(super) struct Piece {
    /// What can be seen where it begins.
    visible: Vec<Variable>,
    pub stmts: Vec<Stmt>,
    /// Where it goes on to, and what can be seen there.
    exits: Vec<(usize, Vec<Variable>)>,
    /// Names used besides those in its statements.
    uses: BTreeSet<String>,
    /// The wait behind which it begins.
    pub after: Option<usize>,
    /// What it takes, once that is known.
    pub takes: Vec<Variable>,
    /// Whether some way through it ends the instance.
    pub ends: bool,
    /// Waits at which some way through it ends.
    pub waits: Vec<usize>,
}

impl Piece {
    /// The pieces that it jumps to.
    pub(super) fn jumps<'p>(&'p self, points: &'p [Point]) -> impl Iterator<Item = usize> + 'p {
        let waited = |target: usize| points.iter().any(|point| point.resumes == target || point.aborts == target);
        self.exits.iter().map(|(target, _)| *target).filter(move |&target| !waited(target))
    }
}

/// A wait in the body.
#[derive(Debug)]
pub(super) struct Point {
    pub wait: Wait,
    /// The piece behind it.
    pub resumes: usize,
    /// The piece that runs what is deferred if the instance is aborted.
    pub aborts: usize,
}

/// Where statements go on to.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// A piece.
    Piece(usize),
    /// The end of the instance; the last expression is what it gives.
    End,
}

struct Loop {
    label: Option<Lifetime>,
    /// Where `continue` goes; nowhere from a block.
    head: Option<usize>,
    exit: usize,
    /// How much was deferred around it.
    deferred: usize,
}

/// The macros as which jumps stand until it is known what they take with them.
pub(super) const GOTO: &str = "__crt_goto";
pub(super) const WAIT: &str = "__crt_wait";

pub(super) struct Splitter<'a, 'n> {
    names: &'a Names<'n>,
    errors: &'a mut Errors,
    activity: &'a Activity,
    pub pieces: Vec<Piece>,
    pub points: Vec<Point>,
    seen: Vec<Variable>,
    deferred: Vec<Block>,
    loops: Vec<Loop>,
    /// The piece whose statements are being made.
    current: usize,
    variables: usize,
}

impl<'a, 'n> Splitter<'a, 'n> {
    pub(super) fn new(names: &'a Names<'n>, activity: &'a Activity, errors: &'a mut Errors) -> Self {
        Splitter {
            names,
            errors,
            activity,
            pieces: Vec::new(),
            points: Vec::new(),
            seen: Vec::new(),
            deferred: Vec::new(),
            loops: Vec::new(),
            current: 0,
            variables: 0,
        }
    }

    /// Takes the body apart. Its first piece is number 0.
    pub(super) fn split(&mut self, args: &[(Ident, Type, bool)]) {
        for span in waits::in_closures(self.names, &self.activity.body) {
            self.errors.at(span, "there can be no wait in a closure: it may be called anywhere");
        }
        for (ident, ty, mutable) in args {
            self.see(ident, Some(ty.clone()), *mutable);
        }
        let body = self.activity.body.stmts.clone();
        self.piece(|splitter| splitter.block(&body, Next::End));
        self.unreached();
        self.takes();
        self.hidden();
    }

    fn see(&mut self, ident: &Ident, ty: Option<Type>, mutable: bool) {
        self.variables += 1;
        self.seen.push(Variable { number: self.variables, ident: ident.clone(), ty, mutable });
    }

    /// A new piece whose statements are not known yet.
    fn reserve(&mut self) -> usize {
        let visible = in_sight(&self.seen);
        self.pieces.push(Piece {
            visible,
            stmts: Vec::new(),
            exits: Vec::new(),
            uses: BTreeSet::new(),
            after: None,
            takes: Vec::new(),
            ends: false,
            waits: Vec::new(),
        });
        self.pieces.len() - 1
    }

    /// A new piece.
    fn piece(&mut self, make: impl FnOnce(&mut Self) -> Vec<Stmt>) -> usize {
        let piece = self.reserve();
        self.make(piece, make);
        piece
    }

    /// The statements of a piece.
    fn make(&mut self, piece: usize, make: impl FnOnce(&mut Self) -> Vec<Stmt>) {
        let (seen, deferred) = (self.seen.len(), self.deferred.clone());
        let before = std::mem::replace(&mut self.current, piece);
        let stmts = make(self);
        self.pieces[piece].stmts = stmts;
        self.current = before;
        self.seen.truncate(seen);
        self.deferred = deferred;
    }

    /// A block, which goes on to `next`.
    fn block(&mut self, stmts: &[Stmt], next: Next) -> Vec<Stmt> {
        let (seen, deferred) = (self.seen.len(), self.deferred.len());
        let out = self.rest(stmts, next, deferred);
        self.seen.truncate(seen);
        self.deferred.truncate(deferred);
        out
    }

    /// The rest of a block at whose beginning so much was deferred.
    fn rest(&mut self, stmts: &[Stmt], next: Next, deferred: usize) -> Vec<Stmt> {
        let mut out = Vec::new();
        for (at, stmt) in stmts.iter().enumerate() {
            if let Stmt::Macro(mac) = stmt {
                if mac.mac.path.is_ident(DEFER) {
                    self.defer(mac);
                    continue;
                }
            }
            let rest = &stmts[at + 1..];
            if waits::in_stmt(self.names, stmt).is_some() {
                out.extend(self.divided(stmt, rest, next, deferred));
                return out;
            }
            match stmt {
                // What an instance gives.
                Stmt::Expr(expr, None) if rest.is_empty() && matches!(next, Next::End) => {
                    let expr = self.plain_expr(expr);
                    out.extend(self.end(Some(expr)));
                    return out;
                }
                Stmt::Expr(expr, None) if rest.is_empty() => {
                    let expr = self.plain_expr(expr);
                    out.push(Stmt::Expr(expr, Some(Default::default())));
                }
                _ => {
                    let stmt = self.plain(stmt);
                    self.see_locals(&stmt);
                    out.push(stmt);
                }
            }
        }
        // A block that has been left already needs no end, which might be of another type.
        if !stmts.last().is_some_and(leaves) {
            out.extend(self.leave(next, deferred));
        }
        out
    }

    /// The end of a block.
    fn leave(&mut self, next: Next, deferred: usize) -> Vec<Stmt> {
        match next {
            Next::End => self.end(None),
            Next::Piece(piece) => {
                let mut out = self.run_deferred(deferred);
                out.push(self.goto(piece));
                out
            }
        }
    }

    /// The instance ends and gives `value`.
    fn end(&mut self, value: Option<Expr>) -> Vec<Stmt> {
        self.pieces[self.current].ends = true;
        let ty = self.activity.gives();
        // Whoever forgets the value is told so at the end of the body.
        let close = crate::resolve::here(self.activity.body.brace_token.span.close());
        let value = value.unwrap_or_else(|| syn::parse_quote_spanned!(close=> ()));
        let mut out: Vec<Stmt> = vec![parse_quote!(let __crt_value: #ty = #value;)];
        out.extend(self.run_deferred(0));
        out.push(parse_quote!(return __cr::schedule::Step::End(__crt_value);));
        out
    }

    /// What has been deferred since there was so much of it, the last first.
    fn run_deferred(&self, since: usize) -> Vec<Stmt> {
        self.deferred[since..].iter().rev().map(|block| parse_quote!(#block)).collect()
    }

    fn defer(&mut self, mac: &syn::StmtMacro) {
        let block: Block = match mac.mac.parse_body_with(Block::parse_within) {
            Ok(stmts) => Block { brace_token: Default::default(), stmts },
            Err(error) => {
                self.errors.push(error);
                return;
            }
        };
        for stmt in &block.stmts {
            if let Some(span) = waits::in_stmt(self.names, stmt) {
                self.errors.at(
                    span,
                    "what is deferred runs at once when its block ends; there can be no wait and no `defer` in it",
                );
            }
        }
        let mut leaves = Leaves { splitter: self, loops: Vec::new(), closures: 0, deferred: true };
        let mut block = block;
        leaves.visit_block_mut(&mut block);
        self.deferred.push(block);
    }

    /// A jump.
    fn goto(&mut self, piece: usize) -> Stmt {
        let seen = in_sight(&self.seen);
        self.pieces[self.current].exits.push((piece, seen));
        let goto = Ident::new(GOTO, Span::call_site());
        parse_quote!(#goto!(#piece);)
    }

    /// A statement whose ways meet again behind it, at the rest of the block. With `gives`, its last expression may be
    /// what an instance gives.
    fn meeting(
        &mut self,
        (rest, next, deferred): (&[Stmt], Next, usize),
        gives: bool,
        statement: impl FnOnce(&mut Self, Next) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let nothing = rest.is_empty() && self.deferred.len() == deferred;
        match next {
            Next::Piece(_) if nothing => statement(self, next),
            Next::End if nothing && gives => statement(self, next),
            _ => {
                let behind = self.reserve();
                let out = statement(self, Next::Piece(behind));
                // After what stands before it, so that pieces are numbered as they are written.
                self.make(behind, |splitter| splitter.rest(rest, next, deferred));
                out
            }
        }
    }

    /// A statement with a wait inside, and what follows it.
    fn divided(&mut self, stmt: &Stmt, rest: &[Stmt], next: Next, deferred: usize) -> Vec<Stmt> {
        match stmt {
            Stmt::Local(local) => {
                let wait = local.init.as_ref().filter(|init| init.diverge.is_none()).map(|init| &*init.expr);
                let Some(expr) = wait.filter(|expr| waits::is_wait(self.names, expr)) else {
                    return self.elsewhere(stmt);
                };
                let Some(wait) = waits::wait(self.names, expr, self.errors) else { return Vec::new() };
                let gives = self.gives(&wait);
                let (pat, ty) = match &local.pat {
                    Pat::Type(typed) => ((*typed.pat).clone(), Some((*typed.ty).clone())),
                    pat => (pat.clone(), Some(gives)),
                };
                let given = given(&wait);
                self.wait(wait, move |splitter| {
                    splitter.see_all(&pat, ty.as_ref());
                    let ty = ty.iter();
                    let mut out: Vec<Stmt> = vec![parse_quote!(let #pat #(: #ty)* = #given;)];
                    out.extend(splitter.rest(rest, next, deferred));
                    out
                })
            }
            Stmt::Expr(expr, semicolon) => {
                // The last expression of a body may be what an instance gives.
                let last = semicolon.is_none() && rest.is_empty();
                self.divided_expr(expr, rest, next, deferred, last)
            }
            _ => self.elsewhere(stmt),
        }
    }

    fn elsewhere(&mut self, at: &impl quote::ToTokens) -> Vec<Stmt> {
        self.errors.on(
            at,
            "a wait stands as a statement, as `let x = WAIT;`, as `x = WAIT;`, or as the whole condition (or its negation) of `if` or \
             `while`; take it out of this",
        );
        Vec::new()
    }

    fn divided_expr(&mut self, expr: &Expr, rest: &[Stmt], next: Next, deferred: usize, last: bool) -> Vec<Stmt> {
        if waits::is_wait(self.names, expr) {
            let Some(wait) = waits::wait(self.names, expr, self.errors) else { return Vec::new() };
            let given = last && matches!(next, Next::End) && self.activity.result.is_some();
            return self.wait(wait, |splitter| {
                if given { splitter.end(Some(parse_quote!(__crt_got))) } else { splitter.rest(rest, next, deferred) }
            });
        }
        let behind = (rest, next, deferred);
        match expr {
            Expr::Paren(inner) => self.divided_expr(&inner.expr, rest, next, deferred, last),
            Expr::Group(inner) => self.divided_expr(&inner.expr, rest, next, deferred, last),
            Expr::Block(block) => {
                let label = block.label.as_ref().map(|label| label.name.clone());
                self.meeting(behind, last && label.is_none(), |splitter, after| {
                    let (Some(label), Next::Piece(exit)) = (label, after) else {
                        return splitter.block(&block.block.stmts, after);
                    };
                    let deferred = splitter.deferred.len();
                    splitter.loops.push(Loop { label: Some(label), head: None, exit, deferred });
                    let out = splitter.block(&block.block.stmts, after);
                    splitter.loops.pop();
                    out
                })
            }
            Expr::Assign(assign) if waits::is_wait(self.names, &assign.right) => {
                let Some(wait) = waits::wait(self.names, &assign.right, self.errors) else { return Vec::new() };
                let (left, given) = (self.plain_expr(&assign.left), given(&wait));
                self.wait(wait, |splitter| {
                    let mut out: Vec<Stmt> = vec![parse_quote!(#left = #given;)];
                    out.extend(splitter.rest(rest, next, deferred));
                    out
                })
            }
            Expr::If(choice) => self.meeting(behind, last, |splitter, after| splitter.choice(choice, after)),
            Expr::Match(matching) => {
                if waits::in_expr(self.names, &matching.expr).is_some() {
                    return self.elsewhere(&matching.expr);
                }
                self.meeting(behind, last, |splitter, after| splitter.arms(matching, after))
            }
            Expr::Loop(looping) => self.meeting(behind, false, |splitter, after| {
                splitter.repeat(looping.label.as_ref(), after, |splitter, head, _| {
                    splitter.block(&looping.body.stmts, Next::Piece(head))
                })
            }),
            Expr::While(looping) => self.meeting(behind, false, |splitter, after| {
                splitter.repeat(looping.label.as_ref(), after, |splitter, head, exit| {
                    splitter.on_condition(
                        &looping.cond,
                        |splitter| splitter.block(&looping.body.stmts, Next::Piece(head)),
                        |splitter| vec![splitter.goto(exit)],
                    )
                })
            }),
            Expr::ForLoop(looping) => self.for_loop(looping, behind),
            other => self.elsewhere(other),
        }
    }

    /// `match` with a wait in an arm.
    fn arms(&mut self, matching: &syn::ExprMatch, after: Next) -> Vec<Stmt> {
        let mut matching = matching.clone();
        matching.expr = Box::new(self.plain_expr(&matching.expr));
        for arm in &mut matching.arms {
            let seen = self.seen.len();
            variables(&arm.pat).iter().for_each(|(ident, mutable)| self.see(ident, None, *mutable));
            let body = match &*arm.body {
                Expr::Block(block) if block.label.is_none() => block.block.stmts.clone(),
                other => vec![Stmt::Expr(other.clone(), None)],
            };
            let body = self.block(&body, after);
            arm.body = parse_quote!({ #(#body)* });
            arm.comma = None;
            self.seen.truncate(seen);
        }
        vec![Stmt::Expr(Expr::Match(matching), None)]
    }

    /// `if` with a wait in it.
    fn choice(&mut self, choice: &ExprIf, after: Next) -> Vec<Stmt> {
        let ExprIf { cond, then_branch, else_branch, .. } = choice;
        let otherwise: Vec<Stmt> = match else_branch {
            None => Vec::new(),
            Some((_, other)) => match &**other {
                Expr::Block(block) => block.block.stmts.clone(),
                other => vec![Stmt::Expr(other.clone(), None)],
            },
        };
        self.on_condition(
            cond,
            |splitter| splitter.block(&then_branch.stmts, after),
            |splitter| splitter.block(&otherwise, after),
        )
    }

    fn on_condition(
        &mut self,
        cond: &Expr,
        then: impl FnOnce(&mut Self) -> Vec<Stmt>,
        otherwise: impl FnOnce(&mut Self) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let (asked, negated) = match unwrapped(cond) {
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Not(_)) => (unwrapped(&unary.expr), true),
            other => (other, false),
        };
        if waits::is_wait(self.names, asked) {
            let Some(wait) = waits::wait(self.names, asked, self.errors) else { return Vec::new() };
            self.is_condition(&wait);
            let given = given(&wait);
            return self.wait(wait, |splitter| {
                let (then, otherwise) = (then(splitter), otherwise(splitter));
                let not = negated.then(|| quote!(!));
                vec![parse_quote!(if #not #given { #(#then)* } else { #(#otherwise)* })]
            });
        }
        if waits::in_expr(self.names, cond).is_some() {
            return self.elsewhere(cond);
        }
        let cond = self.plain_expr(cond);
        let seen = self.seen.len();
        bindings(&cond).iter().for_each(|(ident, mutable)| self.see(ident, None, *mutable));
        let then = then(self);
        self.seen.truncate(seen);
        let otherwise = otherwise(self);
        vec![parse_quote!(if #cond { #(#then)* } else { #(#otherwise)* })]
    }

    /// Reports a wait that says nothing about whether it has held.
    fn is_condition(&mut self, wait: &Wait) {
        let limited = wait.timeout.is_some() || wait.unless.is_some();
        let message = match &wait.kind {
            Kind::Join(..) | Kind::Run(..) => {
                "this gives an `Option` of what the instance gives: write `let x = WAIT;` first"
            }
            Kind::For(_) if !limited => {
                "without `timeout` or `unless` this always holds when it goes on; let it stand as a statement"
            }
            Kind::Delay(_) | Kind::Until(_) if wait.unless.is_some() => {
                "with `unless` this gives the time that was left: write `let left = WAIT;` first"
            }
            Kind::Delay(_) | Kind::Until(_) if !limited => {
                "without `timeout` this always goes through; let it stand as a statement"
            }
            _ => return,
        };
        self.errors.at(wait.span, message);
    }

    /// A loop, left to `after`; its body is told where it begins and where it is left to.
    fn repeat(
        &mut self,
        label: Option<&syn::Label>,
        after: Next,
        body: impl FnOnce(&mut Self, usize, usize) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let Next::Piece(exit) = after else { return Vec::new() };
        let head = self.reserve();
        let label = label.map(|label| label.name.clone());
        self.loops.push(Loop { label, head: Some(head), exit, deferred: self.deferred.len() });
        self.make(head, |splitter| body(splitter, head, exit));
        self.loops.pop();
        vec![self.goto(head)]
    }

    /// `for` over a range, an index set, instances or a vector whose type is known: what is left of it is a variable.
    fn for_loop(&mut self, looping: &syn::ExprForLoop, behind: (&[Stmt], Next, usize)) -> Vec<Stmt> {
        if waits::in_expr(self.names, &looping.expr).is_some() {
            return self.elsewhere(&looping.expr);
        }
        let ty = Guess { names: self.names, activity: &self.activity.ident, seen: &self.seen }.iterator(&looping.expr);
        let Some((iterator, item)) = ty else {
            self.errors.on(
                &looping.expr,
                "a `for` with a wait inside keeps what is left of this from one wait to the next, and its type is not plain \
                 to see: put the members into a `let items: Vec<TYPE> = …;` before it (ranges, index sets and activities are plain)",
            );
            return Vec::new();
        };
        self.meeting(behind, false, |splitter, after| {
            let seen = splitter.seen.len();
            let left = format_ident!("__crt_left_{}", splitter.variables + 1);
            splitter.see(&left, Some(iterator.clone()), true);
            let (pat, mut expr) = (&looping.pat, splitter.plain_expr(&looping.expr));
            if iterator_of_instances(splitter.names, &looping.expr) {
                expr = parse_quote!(#expr.into_iter());
            }
            let mut out: Vec<Stmt> =
                vec![parse_quote!(let mut #left: #iterator = __cr::core::iter::IntoIterator::into_iter(#expr);)];
            out.extend(splitter.repeat(looping.label.as_ref(), after, |splitter, head, exit| {
                let bound = splitter.seen.len();
                splitter.see_all(pat, item.as_ref());
                let body = splitter.block(&looping.body.stmts, Next::Piece(head));
                splitter.seen.truncate(bound);
                let leave = splitter.goto(exit);
                vec![parse_quote! {
                    match __cr::core::iter::Iterator::next(&mut #left) {
                        __cr::core::option::Option::Some(#pat) => { #(#body)* }
                        __cr::core::option::Option::None => { #leave }
                    }
                }]
            }));
            splitter.seen.truncate(seen);
            out
        })
    }

    /// A wait, and the piece behind it.
    fn wait(&mut self, wait: Wait, behind: impl FnOnce(&mut Self) -> Vec<Stmt>) -> Vec<Stmt> {
        let point = self.points.len();
        let wait = self.plain_wait(wait);
        // So that the order of points is that of the text.
        self.points.push(Point { wait: wait.clone(), resumes: 0, aborts: 0 });
        let resumes = self.piece(behind);
        let aborts = self.piece(|splitter| splitter.run_deferred(0));
        self.pieces[resumes].after = Some(point);
        for asked in [&wait.unless, &wait.speed].into_iter().flatten() {
            self.pieces[resumes].uses.extend(Free::of_expr(asked));
        }
        if let Kind::For(cond) = &wait.kind {
            self.pieces[resumes].uses.extend(Free::of_expr(cond));
        }
        // What is deferred needs its variables while the instance waits.
        let kept = self.pieces[resumes].visible.clone();
        self.pieces[resumes].exits.push((aborts, kept));
        let seen = in_sight(&self.seen);
        self.pieces[self.current].exits.push((resumes, seen));
        self.pieces[self.current].waits.push(point);
        (self.points[point].resumes, self.points[point].aborts) = (resumes, aborts);
        let mac = Ident::new(WAIT, Span::call_site());
        vec![parse_quote!(#mac!(#point);)]
    }

    /// The type of what a wait gives.
    fn gives(&self, wait: &Wait) -> Type {
        match &wait.kind {
            Kind::Join(activity, _) | Kind::Run(activity, _) => {
                let ty = self.names.activities[*activity].activity.joined();
                parse_quote!(__cr::core::option::Option<#ty>)
            }
            Kind::Delay(_) | Kind::Until(_) if wait.unless.is_some() => self.names.time(Span::call_site()),
            _ if wait.timeout.is_some() || wait.unless.is_some() => parse_quote!(bool),
            _ => parse_quote!(()),
        }
    }

    /// What a wait is called with, which may leave the body.
    fn plain_wait(&mut self, mut wait: Wait) -> Wait {
        if let Some(speed) = wait.speed.take_if(|_| self.names.ticks) {
            self.errors
                .on(speed, "a speed needs time in `f64`; with `time u64;` a wait takes as many ticks as it says");
        }
        for expr in [&mut wait.timeout, &mut wait.priority].into_iter().flatten() {
            *expr = self.plain_expr(expr);
        }
        if let Kind::Delay(expr) | Kind::Until(expr) | Kind::Join(_, expr) = &mut wait.kind {
            *expr = self.plain_expr(expr);
        }
        let inside = match &wait.kind {
            Kind::Delay(expr) | Kind::Until(expr) | Kind::For(expr) | Kind::Join(_, expr) => vec![expr],
            Kind::Run(_, call) => call.args.iter().collect(),
        };
        let inside: Vec<&Expr> = inside
            .into_iter()
            .chain([&wait.timeout, &wait.unless, &wait.speed, &wait.priority].into_iter().flatten())
            .collect();
        for expr in inside {
            if let Some(span) = waits::in_expr(self.names, expr) {
                self.errors.at(span, "there is a wait inside a wait; take it out, `let x = WAIT;`");
            }
        }
        wait
    }

    /// Code without waits.
    fn plain(&mut self, stmt: &Stmt) -> Stmt {
        let mut stmt = stmt.clone();
        Leaves { splitter: self, loops: Vec::new(), closures: 0, deferred: false }.visit_stmt_mut(&mut stmt);
        stmt
    }

    fn plain_expr(&mut self, expr: &Expr) -> Expr {
        let mut expr = expr.clone();
        Leaves { splitter: self, loops: Vec::new(), closures: 0, deferred: false }.visit_expr_mut(&mut expr);
        expr
    }

    /// Variables that a statement declares.
    fn see_locals(&mut self, stmt: &Stmt) {
        let Stmt::Local(local) = stmt else { return };
        let (pat, mut ty) = match &local.pat {
            Pat::Type(typed) => (&*typed.pat, Some((*typed.ty).clone())),
            pat => (pat, None),
        };
        let init = local.init.as_ref().filter(|init| init.diverge.is_none());
        if let (None, Some(init)) = (&ty, init) {
            ty = Guess { names: self.names, activity: &self.activity.ident, seen: &self.seen }.of(&init.expr);
        }
        self.see_all(pat, ty.as_ref());
    }

    /// The variables of a pattern for something of type `ty`.
    fn see_all(&mut self, pat: &Pat, ty: Option<&Type>) {
        for (ident, ty, mutable) in parts(pat, ty) {
            self.see(&ident, ty, mutable);
        }
    }
}

/// The variables in sight: of one name the last.
fn in_sight(seen: &[Variable]) -> Vec<Variable> {
    let mut out: Vec<Variable> = Vec::new();
    for variable in seen {
        out.retain(|other| other.ident.unraw() != variable.ident.unraw());
        out.push(variable.clone());
    }
    out
}

/// What a wait has given, at the tokens of the wait.
fn given(wait: &Wait) -> Ident {
    Ident::new("__crt_got", crate::resolve::here(wait.span))
}

/// Whether a statement without waits never comes to its end, as far as that is plain to see.
fn leaves(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Expr(Expr::Return(_) | Expr::Break(_) | Expr::Continue(_), _) => true,
        Stmt::Macro(mac) => {
            ["panic", "unreachable", "todo", "unimplemented"].iter().any(|name| mac.mac.path.is_ident(name))
        }
        _ => false,
    }
}

fn unwrapped(expr: &Expr) -> &Expr {
    match expr {
        Expr::Paren(inner) => unwrapped(&inner.expr),
        Expr::Group(inner) => unwrapped(&inner.expr),
        other => other,
    }
}

/// What `if let` binds.
fn bindings(cond: &Expr) -> Vec<(Ident, bool)> {
    match cond {
        Expr::Let(binding) => variables(&binding.pat),
        Expr::Binary(binary) => bindings(&binary.left).into_iter().chain(bindings(&binary.right)).collect(),
        Expr::Paren(inner) => bindings(&inner.expr),
        _ => Vec::new(),
    }
}

/// Whether `expr` stands for all instances of an activity.
fn iterator_of_instances(names: &Names<'_>, expr: &Expr) -> bool {
    let Expr::Path(path) = expr else { return false };
    path.path.get_ident().is_some_and(|ident| matches!(names.meaning(ident), Some(Meaning::Activity(_))))
}
