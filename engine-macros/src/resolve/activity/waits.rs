//! Waits: what they look like, and what they wait for.

use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::spanned::Spanned as _;
use syn::visit::Visit;
use syn::{Expr, Macro, Stmt};

use crate::errors::Errors;
use crate::resolve::names::{Meaning, Names};
use crate::syntax::DEFER;

/// A wait as it is written.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub kind: Kind,
    pub span: Span,
    pub timeout: Option<Expr>,
    /// The condition that interrupts it.
    pub unless: Option<Expr>,
    pub speed: Option<Expr>,
    pub priority: Option<Expr>,
    /// The line in which it is waited.
    pub line: Option<Ident>,
}

/// What is waited for.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    /// `wait(d)`.
    Delay(Expr),
    /// `wait_until(t)`.
    Until(Expr),
    /// `wait_for(cond)`.
    For(Expr),
    /// `NAME.join(key)`, by the number of the activity.
    Join(usize, Expr),
    /// `NAME.run(args)`.
    Run(usize, syn::ExprMethodCall),
}

/// The name of the function if `expr` is a wait that is called like one.
fn called(expr: &Expr) -> Option<&syn::ExprCall> {
    let Expr::Call(call) = expr else { return None };
    let Expr::Path(path) = &*call.func else { return None };
    let ident = path.path.get_ident()?;
    ["wait", "wait_until", "wait_for"].iter().any(|name| ident == name).then_some(call)
}

/// The activity that `expr` joins or runs.
fn joined(names: &Names<'_>, expr: &Expr) -> Option<usize> {
    let Expr::MethodCall(call) = expr else { return None };
    let Expr::Path(path) = &*call.receiver else { return None };
    if call.method != "join" && call.method != "run" {
        return None;
    }
    match names.meaning(path.path.get_ident()?)? {
        Meaning::Activity(number) => Some(number),
        _ => None,
    }
}

/// Whether `expr` itself is a wait.
pub(super) fn is_wait(names: &Names<'_>, expr: &Expr) -> bool {
    match expr {
        Expr::Paren(inner) => is_wait(names, &inner.expr),
        Expr::Group(inner) => is_wait(names, &inner.expr),
        other => called(other).is_some() || joined(names, other).is_some(),
    }
}

/// The wait that `expr` is, with what is wrong about it reported.
pub(super) fn wait(names: &Names<'_>, expr: &Expr, errors: &mut Errors) -> Option<Wait> {
    match expr {
        Expr::Paren(inner) => return wait(names, &inner.expr, errors),
        Expr::Group(inner) => return wait(names, &inner.expr, errors),
        _ => {}
    }
    let span = expr.span();
    let bare = |kind| Wait { kind, span, timeout: None, unless: None, speed: None, priority: None, line: None };
    if let Some(activity) = joined(names, expr) {
        let Expr::MethodCall(call) = expr else { return None };
        if call.method == "run" {
            return Some(bare(Kind::Run(activity, call.clone())));
        }
        let key = call.args.first().cloned();
        if call.args.len() != 1 {
            errors.at(call.method.span(), format!("this takes `join(key)`, and gets {} arguments", call.args.len()));
        }
        return Some(bare(Kind::Join(activity, key?)));
    }
    let call = called(expr)?;
    let name = call.func.to_token_stream().to_string();
    let mut found = Wait { kind: Kind::Until(expr.clone()), ..bare(Kind::Until(expr.clone())) };
    let mut first = None;
    for (at, arg) in call.args.iter().enumerate() {
        let Expr::Assign(option) = arg else {
            if at == 0 {
                first = Some(arg.clone());
            } else {
                errors.on(arg, format!("`{name}` takes one argument and options: {}", options(&name)));
            }
            continue;
        };
        let word = option.left.to_token_stream().to_string();
        let value = (*option.right).clone();
        let slot = match (name.as_str(), word.as_str()) {
            (_, "timeout") => &mut found.timeout,
            (_, "unless") => &mut found.unless,
            ("wait", "speed") => &mut found.speed,
            ("wait_for", "priority") => &mut found.priority,
            ("wait_for", "line") => {
                match value.to_token_stream().into_iter().next() {
                    Some(proc_macro2::TokenTree::Ident(line)) => found.line = Some(line),
                    _ => errors.on(&value, "`line = NAME` names a `line NAME;` of the model"),
                }
                continue;
            }
            (_, other) => {
                errors.on(&option.left, format!("`{name}` has no option `{other}`; it has {}", options(&name)));
                continue;
            }
        };
        if slot.replace(value).is_some() {
            errors.on(&option.left, format!("`{word}` is said twice; remove one of the two"));
        }
    }
    let Some(first) = first else {
        let what = match name.as_str() {
            "wait" => "how long: `wait(d)`",
            "wait_until" => "until when: `wait_until(t)`",
            _ => "for what: `wait_for(condition)`",
        };
        errors.at(span, format!("say {what}"));
        return None;
    };
    found.kind = match name.as_str() {
        "wait" => Kind::Delay(first),
        "wait_until" => Kind::Until(first),
        _ => Kind::For(first),
    };
    Some(found)
}

fn options(wait: &str) -> &'static str {
    match wait {
        "wait" => "`timeout = d`, `unless = CONDITION` and `speed = EXPR`",
        "wait_until" => "`timeout = d` and `unless = CONDITION`",
        _ => "`timeout = d`, `unless = CONDITION`, `line = NAME` and `priority = p`",
    }
}

/// Looks for waits and `defer`s in code, but not in closures or items.
struct Finder<'a, 'n> {
    names: &'a Names<'n>,
    found: Option<Span>,
    /// Waits in closures, where there can be none.
    misplaced: Vec<Span>,
    closures: usize,
}

impl Visit<'_> for Finder<'_, '_> {
    fn visit_expr(&mut self, expr: &Expr) {
        if called(expr).is_some() || joined(self.names, expr).is_some() {
            if self.closures > 0 {
                self.misplaced.push(expr.span());
            } else {
                self.found.get_or_insert_with(|| expr.span());
            }
        }
        let deeper = usize::from(matches!(expr, Expr::Closure(_) | Expr::Async(_)));
        self.closures += deeper;
        syn::visit::visit_expr(self, expr);
        self.closures -= deeper;
    }

    fn visit_macro(&mut self, mac: &Macro) {
        if mac.path.is_ident(DEFER) {
            self.found.get_or_insert_with(|| mac.path.span());
        }
    }

    fn visit_item(&mut self, _: &syn::Item) {}
}

/// Where the first wait or `defer` in a statement is.
pub(super) fn in_stmt(names: &Names<'_>, stmt: &Stmt) -> Option<Span> {
    let mut finder = Finder { names, found: None, misplaced: Vec::new(), closures: 0 };
    finder.visit_stmt(stmt);
    finder.found
}

/// Where the first wait or `defer` in an expression is.
pub(super) fn in_expr(names: &Names<'_>, expr: &Expr) -> Option<Span> {
    let mut finder = Finder { names, found: None, misplaced: Vec::new(), closures: 0 };
    finder.visit_expr(expr);
    finder.found
}

/// Waits in closures.
pub(super) fn in_closures(names: &Names<'_>, block: &syn::Block) -> Vec<Span> {
    let mut finder = Finder { names, found: None, misplaced: Vec::new(), closures: 0 };
    finder.visit_block(block);
    finder.misplaced
}
