//! Ways out of code without waits.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Lifetime, parse_quote};

use super::{Loop, Splitter};

/// Leaves code without waits by `return`, `break`, `continue` and `?`: what is deferred runs first, and loops with waits
/// are left by jumps.
pub(super) struct Leaves<'s, 'a, 'n> {
    pub splitter: &'s mut Splitter<'a, 'n>,
    /// Loops of the code itself, which stay loops.
    pub loops: Vec<Option<Lifetime>>,
    pub closures: usize,
    /// Whether it is deferred code, which cannot leave.
    pub deferred: bool,
}

impl Leaves<'_, '_, '_> {
    /// The loop that is left, if it is none of the code itself.
    fn target(&self, label: Option<&Lifetime>, continues: bool) -> Option<usize> {
        match label {
            None if !self.loops.is_empty() => None,
            // Without a label a block is not left.
            None => self.splitter.loops.iter().rposition(|looping| looping.head.is_some()),
            Some(label) if self.loops.iter().flatten().any(|own| own.ident == label.ident) => None,
            Some(label) => self.splitter.loops.iter().rposition(|looping| {
                looping.label.as_ref().is_some_and(|own| own.ident == label.ident)
                    && (!continues || looping.head.is_some())
            }),
        }
    }

    fn jump(&mut self, looping: usize, continues: bool) -> Expr {
        let Loop { head, exit, deferred, .. } = &self.splitter.loops[looping];
        let (piece, deferred) = (head.filter(|_| continues).unwrap_or(*exit), *deferred);
        let mut out = self.splitter.run_deferred(deferred);
        out.push(self.splitter.goto(piece));
        parse_quote!({ #(#out)* })
    }
}

impl VisitMut for Leaves<'_, '_, '_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let inner = matches!(expr, Expr::Closure(_) | Expr::Async(_));
        self.closures += usize::from(inner);
        match expr {
            Expr::Loop(syn::ExprLoop { label, .. })
            | Expr::While(syn::ExprWhile { label, .. })
            | Expr::ForLoop(syn::ExprForLoop { label, .. }) => {
                self.loops.push(label.as_ref().map(|label| label.name.clone()));
                visit_mut::visit_expr_mut(self, expr);
                self.loops.pop();
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
        self.closures -= usize::from(inner);
        if self.closures > 0 {
            return;
        }
        match expr {
            Expr::Return(_) if self.deferred => {
                self.splitter.errors.on(&*expr, "what is deferred cannot leave the activity");
            }
            Expr::Return(leaving) => {
                let value = leaving.expr.take().map(|value| *value);
                let out = self.splitter.end(value);
                *expr = parse_quote!({ #(#out)* });
            }
            Expr::Break(syn::ExprBreak { label, .. })
                if self.deferred && self.target(label.as_ref(), false).is_some() =>
            {
                self.splitter.errors.on(&*expr, "what is deferred cannot leave the loop");
            }
            Expr::Continue(syn::ExprContinue { label, .. })
                if self.deferred && self.target(label.as_ref(), true).is_some() =>
            {
                self.splitter.errors.on(&*expr, "what is deferred cannot leave the loop");
            }
            Expr::Break(leaving) => {
                if let Some(looping) = self.target(leaving.label.as_ref(), false) {
                    if let Some(value) = &leaving.expr {
                        self.splitter
                            .errors
                            .on(value, "a loop with a wait in it gives no value; assign it to a variable");
                    }
                    *expr = self.jump(looping, false);
                }
            }
            Expr::Continue(leaving) => {
                if let Some(looping) = self.target(leaving.label.as_ref(), true) {
                    *expr = self.jump(looping, true);
                }
            }
            Expr::Try(asked) if self.splitter.activity.fallible().is_some() && !self.deferred => {
                let inner = &asked.expr;
                self.splitter.pieces[self.splitter.current].ends = true;
                let ty = self.splitter.activity.gives();
                let deferred = self.splitter.run_deferred(0);
                *expr = parse_quote! {
                    match #inner {
                        __cr::core::result::Result::Ok(__crt_value) => __crt_value,
                        __cr::core::result::Result::Err(__crt_error) => {
                            #(#deferred)*
                            let __crt_value: #ty =
                                __cr::core::result::Result::Err(__cr::core::convert::From::from(__crt_error));
                            return __cr::schedule::Step::End(__crt_value);
                        }
                    }
                };
            }
            _ => {}
        }
    }

    fn visit_item_mut(&mut self, _: &mut syn::Item) {}
}
