//! `flow NAME [[k in SET]] = EXPR;` and `flow (NAME, …) [[k in SET]] = (EXPR, …);`.

use proc_macro2::Ident;
use quote::ToTokens as _;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Expr, Token, parenthesized, token};

use super::{Axis, Over, name, value};
use crate::errors::Errors;

/// How variables move between events.
#[derive(Debug)]
pub(crate) struct Flow {
    /// The variables that move together.
    pub targets: Vec<Ident>,
    pub over: Over,
    /// Their values after `dt`: of several a tuple.
    pub expr: Expr,
}

impl Flow {
    pub(super) fn parse(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let (targets, over) = if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            let targets = Punctuated::<Expr, Token![,]>::parse_terminated(&content)?;
            let over = Over::parse(input)?;
            let targets = targets.iter().map(|target| target_of(target, &over)).collect::<syn::Result<Vec<Ident>>>()?;
            (targets, over)
        } else {
            (vec![name(input)?], Over::parse(input)?)
        };
        let Some(expr) = value(input, errors)? else {
            return Err(input.error("a flow is `flow NAME = EXPR;` or `flow NAME[k in SET] = EXPR;`"));
        };
        input.parse::<Token![;]>()?;
        Ok(Flow { targets, over, expr })
    }

    /// The expression of one of the variables, if it stands there on its own.
    pub(crate) fn component(&self, number: usize) -> Option<&Expr> {
        component(&self.expr, self.targets.len(), number)
    }
}

fn component(expr: &Expr, count: usize, number: usize) -> Option<&Expr> {
    match expr {
        _ if count == 1 => Some(expr),
        Expr::Tuple(tuple) if tuple.elems.len() == count => tuple.elems.iter().nth(number),
        Expr::Paren(inner) => component(&inner.expr, count, number),
        Expr::Group(inner) => component(&inner.expr, count, number),
        _ => None,
    }
}

/// The variable of `x`, or of `x[k]` where `k` is the flow's index.
fn target_of(target: &Expr, over: &Over) -> syn::Result<Ident> {
    let indices: String = over
        .axes
        .iter()
        .map(|axis| match axis {
            Axis::Member { binder, .. } => format!("[{binder}]"),
            Axis::Pair { binders, .. } => {
                let binders: Vec<String> = binders.iter().map(ToString::to_string).collect();
                format!("[({})]", binders.join(", "))
            }
        })
        .collect();
    let mut base = target;
    while let Expr::Index(index) = base {
        base = &index.expr;
    }
    let ident = match base {
        Expr::Path(path) => path.path.get_ident().cloned(),
        _ => None,
    };
    let expected = |ident: &Ident| format!("{ident}{indices}");
    match ident {
        Some(ident) if plain(&target.to_token_stream().to_string()) == plain(&expected(&ident)) => Ok(ident),
        Some(ident) => {
            Err(syn::Error::new_spanned(target, format!("a flow over these indices is that of `{}`", expected(&ident))))
        }
        None => Err(syn::Error::new_spanned(target, "a flow is that of a state: write its name here")),
    }
}

fn plain(text: &str) -> String {
    text.replace(' ', "")
}
