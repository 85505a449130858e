//! `activity NAME(args) [-> TYPE] [, priority = EXPR] { … }` and `line NAME;`.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Block, Expr, Stmt, Token, Type, braced};

use super::definition::{Argument, arguments};
use super::{expr_by, name, no_family};
use crate::errors::Errors;

/// A sequence in time, of which many instances may live at once.
#[derive(Debug)]
pub(crate) struct Activity {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub args: Vec<Argument>,
    /// What an instance gives in the end, as it is written.
    pub result: Option<Type>,
    pub priority: Option<Expr>,
    /// Whether a failure of an instance stops the run.
    pub stops: bool,
    /// The body; `defer { … }` in it stands as a macro.
    pub body: Block,
}

/// A queue of those who wait.
#[derive(Debug)]
pub(crate) struct Line {
    pub ident: Ident,
}

/// The macro as which `defer { … }` is parsed.
pub(crate) const DEFER: &str = "__cr_defer";

impl Activity {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        no_family(input, "activity", "it takes its index as an argument, `activity NAME(k in SET) { … }`")?;
        if !input.peek(syn::token::Paren) {
            return Err(input.error("an activity is `NAME(args) { … }`; without arguments it is `NAME() { … }`"));
        }
        let args = arguments(input)?;
        let result = match input.parse::<Option<Token![->]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        let mut priority = None;
        if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            let option = input.call(Ident::parse_any)?;
            if option != "priority" {
                return Err(syn::Error::new(
                    option.span(),
                    format!("unknown option `{option}`; an activity has `priority = p`"),
                ));
            }
            input.parse::<Token![=]>()?;
            let brace = |input: ParseStream<'_>| input.peek(syn::token::Brace);
            priority = Some(expr_by(input, errors, brace, Expr::parse_without_eager_brace));
        }
        if !input.peek(syn::token::Brace) {
            return Err(input
                .error("an activity is `NAME(args) [-> TYPE] [, priority = EXPR] { … }`: its body stands in braces"));
        }
        let (attrs, stops) = on_error(attrs, errors);
        let stops_at = stops;
        let stops = stops_at.is_some();
        let body = body(input, errors)?;
        input.parse::<Option<Token![;]>>()?;
        let activity = Activity { attrs, ident, args, result, priority, stops, body };
        if let Some(span) = stops_at.filter(|_| activity.fallible().is_none()) {
            let ident = &activity.ident;
            errors.at(
                span,
                format!("`{ident}` cannot fail; give it a result: `activity {ident}(…) -> Result<(), ERROR>`"),
            );
        }
        Ok(activity)
    }

    /// What an instance gives in the end.
    pub(crate) fn gives(&self) -> Type {
        self.result.clone().unwrap_or_else(|| syn::parse_quote!(()))
    }

    /// If it can fail, what it gives when it does not.
    pub(crate) fn fallible(&self) -> Option<Type> {
        let Some(Type::Path(path)) = &self.result else { return None };
        let last = path.path.segments.last().filter(|last| last.ident == "Result")?;
        let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
        arguments.args.iter().find_map(|argument| match argument {
            syn::GenericArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        })
    }

    /// What those who join an instance get of it.
    pub(crate) fn joined(&self) -> Type {
        self.fallible().unwrap_or_else(|| self.gives())
    }
}

impl Line {
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let ident = name(input)?;
        input.parse::<Token![;]>()?;
        Ok(Line { ident })
    }
}

/// `#[on_error(stop)]`.
fn on_error(attrs: Vec<Attribute>, errors: &mut Errors) -> (Vec<Attribute>, Option<Span>) {
    let mut stops = None;
    let mut rest = Vec::new();
    for attr in attrs {
        if !attr.path().is_ident("on_error") {
            rest.push(attr);
            continue;
        }
        match errors.take(attr.parse_args_with(Ident::parse_any)) {
            Some(what) if what == "stop" && stops.is_some() => {
                errors.at(what.span(), "this is said twice; remove one of the two")
            }
            Some(what) if what == "stop" => stops = Some(what.span()),
            Some(what) => errors.at(what.span(), "an activity has `#[on_error(stop)]`: its failure stops the run"),
            None => {}
        }
    }
    (rest, stops)
}

/// As the body of an action, with `defer { … }` as a macro: Rust takes it for a struct.
fn body(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Block> {
    let content;
    let brace_token = braced!(content in input);
    let tokens = deferred(content.parse()?);
    let stmts = errors
        .take(Block::parse_within.parse2(tokens.clone()))
        .unwrap_or_else(|| vec![Stmt::Expr(Expr::Verbatim(tokens), None)]);
    Ok(Block { brace_token, stmts })
}

fn deferred(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut out = TokenStream::new();
    for (at, token) in tokens.iter().enumerate() {
        let braces = |at: usize| matches!(tokens.get(at), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace);
        match token {
            TokenTree::Ident(word) if word == "defer" && braces(at + 1) => {
                let span: Span = word.span();
                let mac = Ident::new(DEFER, span);
                out.extend(quote::quote_spanned!(span=> #mac!));
            }
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), deferred(group.stream()));
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other.clone()]),
        }
    }
    out
}
