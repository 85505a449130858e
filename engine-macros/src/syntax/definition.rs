//! `let`, `action`, `init`, `observe`, `stop` and `invariant`.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Block, Expr, Token, Type, parenthesized};

use super::{Over, body, expr, name, no_family, value};
use crate::errors::Errors;

/// `let NAME [[k in SET]] [: TYPE] = EXPR;`
#[derive(Debug)]
pub(crate) struct Derived {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub ty: Option<Type>,
    pub expr: Expr,
}

impl Derived {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        let over = Over::parse(input)?;
        let ty = optional_type(input)?;
        let Some(expr) = value(input, errors)? else {
            return Err(input.error("expected `= EXPR`"));
        };
        input.parse::<Token![;]>()?;
        Ok(Derived { attrs, ident, over, ty, expr })
    }
}

/// `action NAME(args) { … }`
#[derive(Debug)]
pub(crate) struct Action {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub args: Vec<Argument>,
    pub body: Block,
}

/// `name: TYPE`, possibly `mut`, or `name in SET`.
#[derive(Debug)]
pub(crate) struct Argument {
    pub mutability: Option<Token![mut]>,
    pub ident: Ident,
    pub kind: ArgumentKind,
}

/// What an argument may be.
#[derive(Debug)]
pub(crate) enum ArgumentKind {
    Value(Box<Type>),
    /// A member of the index set of this name.
    Member(Ident),
}

impl Argument {
    /// The type of its values.
    pub(crate) fn ty(&self) -> Type {
        match &self.kind {
            ArgumentKind::Value(ty) => (**ty).clone(),
            ArgumentKind::Member(_) => syn::parse_quote!(usize),
        }
    }
}

impl Action {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        no_family(input, "action", "it takes its index as an argument, `action NAME(k in SET) { … }`")?;
        let args = arguments(input)?;
        if input.peek(Token![->]) {
            return Err(input.error("an action gives nothing back; write a state or a tally"));
        }
        let body = body(input, errors)?;
        Ok(Action { attrs, ident, args, body })
    }
}

/// `(args)`.
pub(super) fn arguments(input: ParseStream<'_>) -> syn::Result<Vec<Argument>> {
    let content;
    parenthesized!(content in input);
    let args = Punctuated::<Argument, Token![,]>::parse_terminated_with(&content, |input| {
        let mutability = input.parse()?;
        let ident = input.parse()?;
        let kind = if input.peek(Token![in]) {
            input.parse::<Token![in]>()?;
            ArgumentKind::Member(name(input)?)
        } else {
            input.parse::<Token![:]>()?;
            ArgumentKind::Value(Box::new(input.parse()?))
        };
        Ok(Argument { mutability, ident, kind })
    })?;
    Ok(args.into_iter().collect())
}

/// `init { … }`
#[derive(Debug)]
pub(crate) struct Init {
    pub span: Span,
    pub body: Block,
}

impl Init {
    pub(super) fn parse(span: Span, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        no_family(input, "init", "write `for k in SET { … }` in it")?;
        Ok(Init { span, body: body(input, errors)? })
    }
}

/// `observe NAME [[k in SET]] [: TYPE] = EXPR;`
#[derive(Debug)]
pub(crate) struct Observe {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub ty: Option<Type>,
    pub expr: Expr,
}

impl Observe {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        // `observe jobs;` shows what is called so.
        if input.peek(Ident::peek_any) && input.peek2(Token![;]) {
            let ident = name(input)?;
            input.parse::<Token![;]>()?;
            let expr = syn::parse_quote!(#ident);
            return Ok(Observe { attrs, ident, over: Over::default(), ty: None, expr });
        }
        let Derived { attrs, ident, over, ty, expr } = Derived::parse(attrs, input, errors)?;
        Ok(Observe { attrs, ident, over, ty, expr })
    }
}

/// `stop NAME if EXPR;` or `invariant NAME: EXPR;`
#[derive(Debug)]
pub(crate) struct Condition {
    pub ident: Ident,
    pub expr: Expr,
}

impl Condition {
    pub(super) fn parse_stop(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        no_family(input, "stop", "it looks at all members, as in `if SET.all(|k| …)`")?;
        if !input.peek(Token![if]) {
            return Err(input.error("a stop is `stop NAME if CONDITION;`"));
        }
        input.parse::<Token![if]>()?;
        Condition::rest(ident, input, errors)
    }

    pub(super) fn parse_invariant(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        no_family(input, "invariant", "it looks at all members, as in `SET.all(|k| …)`")?;
        input.parse::<Token![:]>()?;
        Condition::rest(ident, input, errors)
    }

    fn rest(ident: Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let expr = expr(input, errors, |input| input.peek(Token![;]));
        input.parse::<Token![;]>()?;
        Ok(Condition { ident, expr })
    }
}

fn optional_type(input: ParseStream<'_>) -> syn::Result<Option<Type>> {
    if input.peek(Token![:]) {
        input.parse::<Token![:]>()?;
        return input.parse().map(Some);
    }
    Ok(None)
}
