//! Degrees of expressions as polynomials of time, as far as they can be seen.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens as _;
use syn::{BinOp, Expr, Lit, UnOp};

use super::names::{Meaning, Names, idents};

/// Looks at expressions of a flow, or of what reads flowing variables.
pub(super) struct Degrees<'a> {
    pub names: &'a Names<'a>,
    /// The flow whose expression it is: its variables are what they were when `dt` was 0.
    pub flow: Option<usize>,
}

/// Polynomials of a higher degree have no closed form here.
const HIGHEST: u8 = 2;

impl Degrees<'_> {
    /// The degree, if it is a polynomial of time of at most degree two and that can be seen.
    pub(super) fn of(&self, expr: &Expr) -> Option<u8> {
        self.degree(expr, 0).filter(|&degree| degree <= HIGHEST)
    }

    fn degree(&self, expr: &Expr, depth: usize) -> Option<u8> {
        let of = |expr: &Expr| self.degree(expr, depth);
        match expr {
            _ if !self.moves(expr.to_token_stream(), depth) => Some(0),
            Expr::Paren(inner) => of(&inner.expr),
            Expr::Group(inner) => of(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => of(&unary.expr),
            Expr::Binary(binary) => {
                let (left, right) = (of(&binary.left)?, of(&binary.right)?);
                match binary.op {
                    BinOp::Add(_) | BinOp::Sub(_) => Some(left.max(right)),
                    BinOp::Mul(_) => left.checked_add(right),
                    BinOp::Div(_) if right == 0 => Some(left),
                    _ => None,
                }
            }
            Expr::MethodCall(call) if call.method == "powi" => {
                let [Expr::Lit(power)] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
                let Lit::Int(power) = &power.lit else { return None };
                of(&call.receiver)?.checked_mul(power.base10_parse().ok()?)
            }
            Expr::Path(path) => self.name(path.path.get_ident()?, depth),
            Expr::Index(index) => {
                let mut base: &Expr = expr;
                while let Expr::Index(index) = base {
                    if self.moves(index.index.to_token_stream(), depth) {
                        return None;
                    }
                    base = &index.expr;
                }
                match base {
                    Expr::Path(path) => self.name(path.path.get_ident()?, depth),
                    _ => of(&index.expr),
                }
            }
            _ => None,
        }
    }

    fn name(&self, ident: &Ident, depth: usize) -> Option<u8> {
        if ident == "dt" || ident == "now" {
            return Some(1);
        }
        match self.names.meaning(ident)? {
            Meaning::Place(place) => {
                let (flow, target) = self.names.places[place].flow?;
                self.names.flows[flow].degrees[target]
            }
            Meaning::Let(number) if depth < self.names.lets.len() => {
                let definition = self.names.lets[number].definition;
                // What has a written type is of that type.
                if definition.ty.is_some() { None } else { self.degree(&definition.expr, depth + 1) }
            }
            _ => None,
        }
    }

    /// Whether anything among the tokens changes with time.
    fn moves(&self, tokens: TokenStream, depth: usize) -> bool {
        idents(tokens).iter().any(|ident| {
            if ident == "dt" || ident == "now" {
                return true;
            }
            match self.names.meaning(ident) {
                Some(Meaning::Place(place)) => {
                    self.names.places[place].flow.is_some_and(|(flow, _)| Some(flow) != self.flow)
                }
                Some(Meaning::Let(number)) => {
                    let definition = self.names.lets[number].definition;
                    depth >= self.names.lets.len() || self.moves(definition.expr.to_token_stream(), depth + 1)
                }
                _ => false,
            }
        })
    }
}
