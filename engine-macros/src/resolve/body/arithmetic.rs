//! Checked arithmetic.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut;
use syn::{BinOp, Expr, parse_quote_spanned};

use super::{Rewriter, here};
use crate::resolve::types;

impl Rewriter<'_> {
    pub(super) fn compound(&mut self, expr: &mut Expr) {
        let Expr::Binary(binary) = expr else { return };
        let method = match &binary.op {
            BinOp::AddAssign(_) => Some("__cr_add_assign"),
            BinOp::SubAssign(_) => Some("__cr_sub_assign"),
            BinOp::MulAssign(_) => Some("__cr_mul_assign"),
            _ => None,
        };
        let plain =
            types::is_no_integer_expr(&binary.left, self.names) || types::is_no_integer_expr(&binary.right, self.names);
        let tally = self.is_tally(&binary.left);
        self.write(&mut binary.left);
        self.right_side(&mut binary.right, tally);
        if let Some(method) = method.filter(|_| !plain) {
            let (left, right) = (&binary.left, &binary.right);
            *expr = self.checked(&quote!(&mut #left), &quote!(#right), method, right.span(), "operands_mut", true);
        }
    }

    pub(super) fn arithmetic(&mut self, expr: &mut Expr) {
        let Expr::Binary(binary) = &*expr else { return };
        let method = match &binary.op {
            BinOp::Add(_) => Some("__cr_add"),
            BinOp::Sub(_) => Some("__cr_sub"),
            BinOp::Mul(_) => Some("__cr_mul"),
            _ => None,
        };
        // Of bare literals the compiler takes care.
        let plain = types::is_no_integer_expr(expr, self.names) || types::is_open_integer(expr, self.names);
        let met = self.met;
        visit_mut::visit_expr_mut(self, expr);
        let Expr::Binary(binary) = &*expr else { return };
        if let Some(method) = method.filter(|_| !plain && self.met > met) {
            let (left, right) = (&binary.left, &binary.right);
            *expr = self.checked(&quote!(#left), &quote!(#right), method, right.span(), "operands", false);
        }
    }

    /// `left method right` through the checked-arithmetic lookup. The right side comes first in
    /// an assignment, as it does in Rust's own for numbers.
    pub(super) fn checked(
        &mut self,
        left: &TokenStream,
        right: &TokenStream,
        method: &str,
        span: Span,
        operands: &str,
        assign: bool,
    ) -> Expr {
        let private = self.private();
        let span = here(span);
        let operands = Ident::new(operands, span);
        let (l, r) = (Ident::new("__crt_l", span), Ident::new("__crt_r", span));
        let call = if self.closures > 0 {
            self.access.flag = true;
            let method = format_ident!("{method}_flagged", span = span);
            let flag = Ident::new("__crt_flag", span);
            quote_spanned!(span=> (&#private::arith::#operands(&#l, &#r)).#method(#l, #r, #flag))
        } else {
            let method = Ident::new(method, span);
            // Not by `?`, which would be what a type error speaks of.
            quote_spanned! {span=>
                match (&#private::arith::#operands(&#l, &#r)).#method(#l, #r) {
                    #private::core::result::Result::Err(__crt_fault) => {
                        return #private::core::result::Result::Err(__crt_fault)
                    }
                    #private::core::result::Result::Ok(__crt_value) => __crt_value,
                }
            }
        };
        if assign {
            parse_quote_spanned!(span=> (match #right { #r => match #left { #l => #call } }))
        } else {
            parse_quote_spanned!(span=> (match (#left, #right) { (#l, #r) => #call }))
        }
    }
}

/// Whether an operator assigns.
pub(super) fn is_compound(op: &BinOp) -> bool {
    matches!(
        op,
        BinOp::AddAssign(_)
            | BinOp::SubAssign(_)
            | BinOp::MulAssign(_)
            | BinOp::DivAssign(_)
            | BinOp::RemAssign(_)
            | BinOp::BitXorAssign(_)
            | BinOp::BitAndAssign(_)
            | BinOp::BitOrAssign(_)
            | BinOp::ShlAssign(_)
            | BinOp::ShrAssign(_)
    )
}
