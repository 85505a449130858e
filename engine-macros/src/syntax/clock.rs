//! `clock NAME [[k in SET]] [if GUARD]: TIMING [, priority = p] => ACTION`.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Block, Expr, LitInt, Stmt, Token, parenthesized, token};

use super::{Over, Structure, body, comma_or_end, expr, expr_by, name};
use crate::errors::Errors;

/// Something that will happen.
#[derive(Debug)]
pub(crate) struct Clock {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub structure: Structure,
    pub guard: Option<Expr>,
    pub timing: Timing,
    pub priority: Priority,
    pub action: Block,
}

/// When a clock rings.
#[derive(Clone, Debug)]
pub(crate) enum Timing {
    Rate(Expr),
    At(Expr),
    After { delay: Expr, options: AfterOptions },
    Every { period: Expr, from: Option<Expr> },
}

/// The options of `after`.
#[derive(Clone, Debug, Default)]
pub(crate) struct AfterOptions {
    pub redraw: bool,
    pub resume: bool,
    pub speed: Option<Expr>,
}

/// Order among events at one instant.
#[derive(Clone, Debug, Default)]
pub(crate) struct Priority {
    pub parts: Vec<i64>,
    /// Where it stands and whether it is a tuple.
    pub written: Option<(Span, bool)>,
}

impl Clock {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        let over = Over::parse(input)?;
        let (attrs, structure) = Structure::of(attrs, &over, errors);
        let guard = guard(input, errors)?;
        if !input.peek(Token![:]) {
            return Err(
                input.error("a clock is `NAME: TIMING => ACTION`, with `[k in SET]` or `if GUARD` behind its name")
            );
        }
        input.parse::<Token![:]>()?;
        let timing = Timing::parse(input, errors)?;
        let priority = Priority::parse(input)?;
        input.parse::<Token![=>]>()?;
        let action = if input.peek(token::Brace) {
            let block = body(input, errors)?;
            input.parse::<Option<Token![;]>>()?;
            block
        } else {
            let expr: Expr = input.parse()?;
            let semi = input.parse()?;
            Block { brace_token: token::Brace::default(), stmts: vec![Stmt::Expr(expr, Some(semi))] }
        };
        Ok(Clock { attrs, ident, over, structure, guard, timing, priority, action })
    }
}

/// `[if GUARD]`, up to the colon.
pub(super) fn guard(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Expr>> {
    if !input.peek(Token![if]) {
        return Ok(None);
    }
    input.parse::<Token![if]>()?;
    let colon = |input: ParseStream<'_>| input.peek(Token![:]) && !input.peek(Token![::]);
    Ok(Some(expr_by(input, errors, colon, Expr::parse_without_eager_brace)))
}

impl Timing {
    fn parse(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let kind = input.call(Ident::parse_any)?;
        let known = ["rate", "at", "after", "every"];
        if known.iter().any(|name| kind == name) && !input.peek(token::Paren) {
            return Err(input.error(format!("`{kind}` takes its expression in parentheses: `{kind}(…)`")));
        }
        if !known.iter().any(|name| kind == name) {
            return Err(syn::Error::new(
                kind.span(),
                format!(
                    "a clock rings by `rate(hazard)`, `at(time)`, `after(delay)` or `every(period)`, not by `{kind}`"
                ),
            ));
        }
        let content;
        parenthesized!(content in input);
        if content.is_empty() {
            return Err(syn::Error::new(kind.span(), format!("`{kind}` needs an expression in its parentheses")));
        }
        Timing::arguments(&kind, &content, errors)
    }

    /// What stands in the parentheses of timing `kind`.
    pub(super) fn arguments(kind: &Ident, content: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let first = expr(content, errors, |content| content.peek(Token![,]));
        let mut options = AfterOptions::default();
        let mut from = None;
        while comma_or_end(content)? {
            let option = content.call(Ident::parse_any)?;
            match (kind.to_string().as_str(), option.to_string().as_str()) {
                ("after", "redraw") => options.redraw = true,
                ("after", "resume") => options.resume = true,
                ("after", "speed") => {
                    let speed;
                    parenthesized!(speed in content);
                    options.speed = Some(expr(&speed, errors, |_| false));
                }
                ("every", "from") => {
                    content.parse::<Token![=]>()?;
                    from = Some(expr(content, errors, |content| content.peek(Token![,])));
                }
                (_, "priority") => {
                    return Err(syn::Error::new(
                        option.span(),
                        "`priority = …` stands behind the timing's parentheses",
                    ));
                }
                (kind, other) => {
                    let accepted = match kind {
                        "after" => "`redraw`, `resume` and `speed(E)`",
                        "every" => "`from = T`",
                        _ => "none",
                    };
                    return Err(syn::Error::new(
                        option.span(),
                        format!("`{kind}` has no option `{other}`; it has {accepted}"),
                    ));
                }
            }
        }
        if options.redraw && options.resume {
            return Err(syn::Error::new(
                kind.span(),
                "`redraw` draws a new delay on every change and `resume` keeps the old one; choose one of them",
            ));
        }
        Ok(match kind.to_string().as_str() {
            "rate" => Timing::Rate(first),
            "at" => Timing::At(first),
            "after" => Timing::After { delay: first, options },
            _ => Timing::Every { period: first, from },
        })
    }
}

impl Priority {
    /// `[, priority = p]`.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if !input.peek(Token![,]) {
            return Ok(Priority::default());
        }
        input.parse::<Token![,]>()?;
        if input.peek(Token![=>]) {
            return Ok(Priority::default());
        }
        let option = input.call(Ident::parse_any)?;
        if option != "priority" {
            return Err(syn::Error::new(
                option.span(),
                format!("unknown option `{option}`; behind a timing there is only `priority = p`"),
            ));
        }
        input.parse::<Token![=]>()?;
        let span = input.span();
        let (parts, tuple) = if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            let mut parts = Vec::new();
            while !content.is_empty() {
                parts.push(integer(&content)?);
                if !content.is_empty() {
                    content.parse::<Token![,]>()?;
                }
            }
            (parts, true)
        } else {
            (vec![integer(input)?], false)
        };
        input.parse::<Option<Token![,]>>()?;
        Ok(Priority { parts, written: Some((span, tuple)) })
    }
}

fn integer(input: ParseStream<'_>) -> syn::Result<i64> {
    let minus: Option<Token![-]> = input.parse()?;
    let literal: LitInt = input
        .parse()
        .map_err(|error| syn::Error::new(error.span(), "a priority is an integer or a tuple of integers"))?;
    let value: i64 = literal.base10_parse()?;
    Ok(if minus.is_some() { -value } else { value })
}
