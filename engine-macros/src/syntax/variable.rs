//! `param`, `state` and `tally`.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, Token, Type};

use super::{Over, name, no_family, value};
use crate::errors::Errors;

/// `param NAME: TYPE [= EXPR] [in RANGE];`
#[derive(Debug)]
pub(crate) struct Param {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub ty: Type,
    pub default: Option<Expr>,
    pub range: Option<Expr>,
}

impl Param {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        no_family(input, "param", "hold several values in a `Vec`, `param p: Vec<f64>;`, and write `p[k]`")?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        let default = value(input, errors)?;
        let range = if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        input.parse::<Token![;]>()?;
        Ok(Param { attrs, ident, ty, default, range })
    }
}

/// `state NAME [[k in SET]]: TYPE [= EXPR];`
#[derive(Debug)]
pub(crate) struct State {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub ty: Type,
    /// Without it the state is an input.
    pub initial: Option<Expr>,
}

impl State {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        let over = Over::parse(input)?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        let initial = value(input, errors)?;
        input.parse::<Token![;]>()?;
        Ok(State { attrs, ident, over, ty, initial })
    }
}

/// `tally NAME [[k in SET]]: TYPE = EXPR;`
#[derive(Debug)]
pub(crate) struct Tally {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub ty: Type,
    pub initial: Expr,
}

impl Tally {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        let over = Over::parse(input)?;
        input.parse::<Token![:]>()?;
        let ty = input.parse()?;
        let Some(initial) = value(input, errors)? else {
            return Err(input.error("a tally has an initial value, which warm-up resets it to: `= EXPR`"));
        };
        input.parse::<Token![;]>()?;
        Ok(Tally { attrs, ident, over, ty, initial })
    }
}
