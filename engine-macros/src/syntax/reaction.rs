//! `reaction NAME [[k in SET]] [if GUARD]: s + i -> 2 i @ k [, priority = p];`

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, LitInt, Token, bracketed, parenthesized, token};

use super::clock::{Priority, Timing, guard};
use super::{Over, Structure, name};
use crate::errors::Errors;

/// A change of integer states.
#[derive(Debug)]
pub(crate) struct Reaction {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub structure: Structure,
    pub guard: Option<Expr>,
    pub left: Vec<Term>,
    pub right: Vec<Term>,
    pub law: Law,
    pub priority: Priority,
}

/// `2 i`, or `a[k + 1]`.
#[derive(Debug)]
pub(crate) struct Term {
    pub count: u32,
    pub species: Ident,
    pub indices: Vec<Expr>,
}

impl Term {
    /// The species as an expression.
    pub(crate) fn place(&self) -> Expr {
        let (species, indices) = (&self.species, &self.indices);
        syn::parse_quote!(#species #([#indices])*)
    }

    /// Whether both are written as the same species.
    pub(crate) fn is_same(&self, other: &Term) -> bool {
        self.species == other.species && self.indices == other.indices
    }
}

/// What stands behind `@`.
#[derive(Debug)]
pub(crate) enum Law {
    /// A rate constant: mass action.
    MassAction(Expr),
    /// `rate(EXPR)` or `after(EXPR)`.
    Timing(Box<Timing>),
}

impl Reaction {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        let over = Over::parse(input)?;
        let (attrs, structure) = Structure::of(attrs, &over, errors);
        let guard = guard(input, errors)?;
        input.parse::<Token![:]>()?;
        let left = terms(input)?;
        if !input.peek(Token![->]) {
            return Err(input.error("a reaction is `reactants -> products @ constant`; `->` or `+` was expected here"));
        }
        input.parse::<Token![->]>()?;
        let right = terms(input)?;
        if !input.peek(Token![@]) {
            return Err(input.error(
                "a reaction needs its constant: `@ k`, `@ rate(EXPR)` or `@ after(EXPR)` (or `+` and a further product)",
            ));
        }
        input.parse::<Token![@]>()?;
        let law = law(input, errors)?;
        let priority = Priority::parse(input)?;
        if input.peek(Token![=>]) {
            return Err(input.error("a reaction has no body; write a clock with a rate to do more"));
        }
        input.parse::<Token![;]>()?;
        Ok(Reaction { attrs, ident, over, structure, guard, left, right, law, priority })
    }
}

fn terms(input: ParseStream<'_>) -> syn::Result<Vec<Term>> {
    let mut terms: Vec<Term> = Vec::new();
    while input.peek(LitInt) || input.peek(Ident::peek_any) {
        let count = if input.peek(LitInt) { input.parse::<LitInt>()?.base10_parse()? } else { 1 };
        if count == 0 && !input.peek(Ident::peek_any) {
            break;
        }
        if input.peek(Token![*]) {
            return Err(input.error("a number of molecules stands in front of its species without `*`: `2 a`"));
        }
        let species: Ident = input.parse()?;
        let mut indices = Vec::new();
        while input.peek(token::Bracket) {
            let content;
            bracketed!(content in input);
            indices.push(content.parse()?);
            if !content.is_empty() {
                return Err(content.error("one index in each pair of brackets"));
            }
        }
        let term = Term { count, species, indices };
        match terms.iter_mut().find(|other| other.is_same(&term)) {
            Some(other) => other.count += count,
            None => terms.push(term),
        }
        if input.peek(Token![+]) {
            input.parse::<Token![+]>()?;
        } else {
            break;
        }
    }
    terms.retain(|term| term.count > 0);
    Ok(terms)
}

fn law(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Law> {
    let ahead = input.fork();
    if let Ok(kind) = ahead.call(Ident::parse_any) {
        if ["rate", "after", "at", "every"].iter().any(|name| kind == name) && ahead.peek(token::Paren) {
            if kind != "rate" && kind != "after" {
                return Err(syn::Error::new(
                    kind.span(),
                    "a reaction takes a constant, `rate(EXPR)` or `after(EXPR)`; write a clock for other timings",
                ));
            }
            input.call(Ident::parse_any)?;
            let content;
            parenthesized!(content in input);
            return Timing::arguments(&kind, &content, errors).map(|timing| Law::Timing(Box::new(timing)));
        }
    }
    input.parse().map(Law::MassAction)
}
