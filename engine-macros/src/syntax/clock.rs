//! `clock NAME [[k in SET]] [if GUARD]: TIMING [, priority = p] => ACTION`.

use proc_macro2::{Ident, Span};
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::{Attribute, Block, Expr, LitInt, Pat, Stmt, Token, parenthesized, token};

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
    /// Whether it rings at most once at an instant.
    pub once: bool,
    pub action: Block,
}

/// When a clock rings.
#[derive(Clone, Debug)]
pub(crate) enum Timing {
    Rate(Expr),
    At(Expr),
    After { delay: Expr, options: AfterOptions },
    Every { period: Expr, from: Option<Expr> },
    Hazard(Hazard),
    Crosses { of: Expr, up: bool, step: Option<Expr> },
}

/// A hazard that changes between events.
#[derive(Clone, Debug)]
pub(crate) enum Hazard {
    Affine(Affine),
    Thinned(Box<Thinned>),
}

/// A function of the time from now on.
#[derive(Clone, Debug)]
pub(crate) enum Affine {
    /// A number.
    Constant(Expr),
    /// `affine(a, b)` or `affine(a, b, c)`.
    Parts(Vec<Expr>),
    /// `affine(E)`, where E gives a and b.
    Pair(Expr),
}

impl Affine {
    /// Its expressions.
    pub(crate) fn exprs(&self) -> &[Expr] {
        match self {
            Affine::Constant(expr) | Affine::Pair(expr) => std::slice::from_ref(expr),
            Affine::Parts(parts) => parts,
        }
    }
}

/// `|s| E` or `|s, rng| E`, by thinning.
#[derive(Clone, Debug)]
pub(crate) struct Thinned {
    /// The name of the time since the last refresh.
    pub elapsed: Option<Ident>,
    /// Whether E is random.
    pub random: bool,
    pub rate: Expr,
    pub bound: Affine,
    pub until: Option<Expr>,
    pub adapt: bool,
}

impl Timing {
    /// Whether this one of its expressions gives two numbers.
    pub(crate) fn is_pair(&self, expr: &Expr) -> bool {
        let pair = match self {
            Timing::Hazard(Hazard::Affine(Affine::Pair(pair))) => Some(pair),
            Timing::Hazard(Hazard::Thinned(thinned)) => match &thinned.bound {
                Affine::Pair(pair) => Some(pair),
                _ => None,
            },
            _ => None,
        };
        pair.is_some_and(|pair| std::ptr::eq(pair, expr))
    }

    /// Its expressions.
    pub(crate) fn exprs(&self) -> Vec<&Expr> {
        match self {
            Timing::Rate(expr) | Timing::At(expr) => vec![expr],
            Timing::After { delay, options } => std::iter::once(delay).chain(&options.speed).collect(),
            Timing::Every { period, from } => std::iter::once(period).chain(from).collect(),
            Timing::Hazard(Hazard::Affine(affine)) => affine.exprs().iter().collect(),
            Timing::Hazard(Hazard::Thinned(thinned)) => {
                std::iter::once(&thinned.rate).chain(thinned.bound.exprs()).chain(&thinned.until).collect()
            }
            Timing::Crosses { of, step, .. } => std::iter::once(of).chain(step).collect(),
        }
    }
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
        let (priority, once) = order(input, "behind a timing there is `priority = p`, and behind `at(…)` also `once`")?;
        if once && !matches!(timing, Timing::At(_)) {
            errors.at(ident.span(), "only a clock by `at` could ring twice at an instant; remove `once`");
        }
        input.parse::<Token![=>]>()?;
        let action = action(input, errors)?;
        Ok(Clock { attrs, ident, over, structure, guard, timing, priority, once, action })
    }
}

/// `[, priority = p] [, once]`, in any order, up to `=>`.
pub(super) fn order(input: ParseStream<'_>, accepted: &str) -> syn::Result<(Priority, bool)> {
    let (mut priority, mut once) = (Priority::default(), false);
    while input.peek(Token![,]) {
        input.parse::<Token![,]>()?;
        if input.peek(Token![=>]) {
            break;
        }
        let option = input.call(Ident::parse_any)?;
        if (option == "once" && once) || (option == "priority" && priority.written.is_some()) {
            return Err(syn::Error::new(option.span(), format!("`{option}` is said twice; remove one of the two")));
        }
        match option.to_string().as_str() {
            "priority" => {
                input.parse::<Token![=]>()?;
                priority = Priority::value(input)?;
            }
            "once" => once = true,
            other => return Err(syn::Error::new(option.span(), format!("unknown option `{other}`; {accepted}"))),
        }
    }
    Ok((priority, once))
}

/// What stands behind `=>`: a block, or a call that ends with a semicolon.
pub(super) fn action(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Block> {
    if input.peek(token::Brace) {
        let block = body(input, errors)?;
        input.parse::<Option<Token![;]>>()?;
        return Ok(block);
    }
    let expr: Expr = input.parse()?;
    let semi = input.parse()?;
    Ok(Block { brace_token: token::Brace::default(), stmts: vec![Stmt::Expr(expr, Some(semi))] })
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
        let known = ["rate", "at", "after", "every", "hazard", "crosses"];
        if known.iter().any(|name| kind == name) && !input.peek(token::Paren) {
            return Err(input.error(format!("`{kind}` takes its expression in parentheses: `{kind}(…)`")));
        }
        if !known.iter().any(|name| kind == name) {
            return Err(syn::Error::new(
                kind.span(),
                format!(
                    "a clock rings by `rate(hazard)`, `at(time)`, `after(delay)`, `every(period)`, `hazard(…)` or \
                     `crosses(function, up)`, not by `{kind}`"
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
        let (mut bound, mut until, mut adapt) = (None, None, false);
        let (mut up, mut step) = (None, None);
        let option_value = |errors: &mut Errors| {
            content.parse::<Token![=]>()?;
            Ok::<Expr, syn::Error>(expr(content, errors, |content| content.peek(Token![,])))
        };
        let mut seen: Vec<String> = Vec::new();
        while comma_or_end(content)? {
            let Ok(option) = content.call(Ident::parse_any) else {
                let accepted = options_of(&kind.to_string());
                return Err(content.error(format!("expected an option of `{kind}`; it has {accepted}")));
            };
            if seen.contains(&option.to_string()) {
                return Err(syn::Error::new(option.span(), format!("`{option}` is said twice; remove one of the two")));
            }
            seen.push(option.to_string());
            match (kind.to_string().as_str(), option.to_string().as_str()) {
                ("after", "redraw") => options.redraw = true,
                ("after", "resume") => options.resume = true,
                ("after", "speed") => {
                    let speed;
                    parenthesized!(speed in content);
                    options.speed = Some(expr(&speed, errors, |_| false));
                }
                ("every", "from") => from = Some(option_value(errors)?),
                ("hazard", "bound") => bound = Some(option_value(errors)?),
                ("hazard", "until") => until = Some(option_value(errors)?),
                ("hazard", "adapt") => adapt = true,
                ("crosses", "up") => up = Some(true),
                ("crosses", "down") => up = Some(false),
                ("crosses", "step") => step = Some(option_value(errors)?),
                (_, "priority") => {
                    return Err(syn::Error::new(
                        option.span(),
                        "`priority = …` stands behind the timing's parentheses",
                    ));
                }
                (kind, other) => {
                    let accepted = options_of(kind);
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
            "hazard" => Timing::Hazard(Hazard::of(kind, first, bound, until, adapt)?),
            "crosses" => match up {
                Some(up) => Timing::Crosses { of: first, up, step },
                None => {
                    return Err(syn::Error::new(
                        kind.span(),
                        "`crosses` says in which direction: `crosses(E, up)` or `crosses(E, down)`",
                    ));
                }
            },
            _ => Timing::Every { period: first, from },
        })
    }
}

/// What stands behind the first expression of a timing.
fn options_of(kind: &str) -> &'static str {
    match kind {
        "after" => "`redraw`, `resume` and `speed(E)`",
        "every" => "`from = T`",
        "hazard" => "`bound = B`, `until = H` and `adapt`; an affine hazard is `hazard(affine(a, b))`",
        "crosses" => "`up` or `down`, and `step = H`; a level is taken off the function: `crosses(x - LEVEL, up)`",
        _ => "none",
    }
}

impl Hazard {
    fn of(kind: &Ident, first: Expr, bound: Option<Expr>, until: Option<Expr>, adapt: bool) -> syn::Result<Self> {
        if let Some(affine) = affine(&first)? {
            if bound.is_some() || until.is_some() || adapt {
                return Err(syn::Error::new(
                    kind.span(),
                    "an affine hazard is exact and needs no bound; remove the options",
                ));
            }
            return Ok(Hazard::Affine(affine));
        }
        let Expr::Closure(closure) = &first else {
            return Err(syn::Error::new_spanned(
                first,
                "a hazard is `affine(a, b)`, `affine(a, b, c)` or a closure `|s| E` with `bound = B`; one that is constant \
                 between events is `rate(E)`",
            ));
        };
        let mut inputs = closure.inputs.iter();
        let elapsed = match inputs.next().map(unascribed) {
            Some(Pat::Ident(pat)) if pat.by_ref.is_none() && pat.mutability.is_none() => Some(pat.ident.clone()),
            Some(Pat::Wild(_)) => None,
            _ => {
                return Err(syn::Error::new_spanned(
                    closure,
                    "the closure of a hazard takes the time since the last refresh: `|s| E`",
                ));
            }
        };
        let random = match inputs.next().map(unascribed) {
            None => false,
            Some(Pat::Ident(pat)) if pat.ident == "rng" => true,
            Some(other) => {
                return Err(syn::Error::new_spanned(
                    other,
                    "the second argument of a hazard is the random generator, `rng`, for an unbiased random E",
                ));
            }
        };
        if let Some(third) = inputs.next() {
            return Err(syn::Error::new_spanned(third, "the closure of a hazard is `|s| E` or `|s, rng| E`"));
        }
        let Some(bound) = bound else {
            return Err(syn::Error::new_spanned(
                &first,
                "a hazard by thinning needs a bound: `bound = B`, where B is a number or `affine(a, b)`",
            ));
        };
        let bound = affine(&bound)?.unwrap_or(Affine::Constant(bound));
        let rate = (*closure.body).clone();
        Ok(Hazard::Thinned(Box::new(Thinned { elapsed, random, rate, bound, until, adapt })))
    }
}

/// The pattern of a closure's argument without its type.
fn unascribed(pat: &Pat) -> &Pat {
    match pat {
        Pat::Type(typed) => unascribed(&typed.pat),
        Pat::Paren(inner) => unascribed(&inner.pat),
        other => other,
    }
}

/// What `affine(…)` says.
fn affine(expr: &Expr) -> syn::Result<Option<Affine>> {
    let Expr::Call(call) = expr else { return Ok(None) };
    let Expr::Path(path) = &*call.func else { return Ok(None) };
    if !path.path.is_ident("affine") {
        return Ok(None);
    }
    let args: Vec<Expr> = call.args.iter().cloned().collect();
    match args.len() {
        1 => Ok(args.into_iter().next().map(Affine::Pair)),
        2 | 3 => Ok(Some(Affine::Parts(args))),
        _ => Err(syn::Error::new_spanned(
            call,
            "`affine(a, b)` is the hazard (a + b s)⁺ after a time s, `affine(a, b, c)` is c + (a + b s)⁺, and `affine(E)` \
             takes a and b as a pair",
        )),
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
        let priority = Priority::value(input)?;
        input.parse::<Option<Token![,]>>()?;
        Ok(priority)
    }

    /// An integer, or a tuple of integers.
    pub(super) fn value(input: ParseStream<'_>) -> syn::Result<Self> {
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
