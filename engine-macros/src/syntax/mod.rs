//! Tokens → syntax tree. One file for each kind of item; recovers at the next item after an error.

mod activity;
mod clock;
mod definition;
mod event;
mod family;
mod flow;
mod keys;
mod reaction;
mod variable;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Attribute, Expr, Generics, Path, Stmt, Token, Visibility, braced, token};

pub(crate) use activity::{Activity, DEFER, Line};
pub(crate) use clock::{Affine, Clock, Hazard, Priority, Thinned, Timing};
pub(crate) use definition::{Action, Argument, ArgumentKind, Condition, Derived, Init, Observe};
pub(crate) use event::Event;
pub(crate) use family::{Axis, Index, Over, Relation, Structure};
pub(crate) use flow::Flow;
pub(crate) use keys::tag;
pub(crate) use reaction::{Law, Reaction, Term};
pub(crate) use variable::{Param, State, Tally};

use crate::errors::Errors;

/// A parsed block.
#[derive(Debug)]
pub(crate) struct Model {
    /// Path of the runtime crate.
    pub krate: Path,
    /// Attributes for the generated structs, docs included.
    pub attrs: Vec<Attribute>,
    pub options: Options,
    pub vis: Visibility,
    pub ident: Ident,
    pub generics: Generics,
    pub items: Vec<Item>,
}

impl Model {
    /// The model's name without `r#`.
    pub(crate) fn name(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Whether this is a relation that changes.
    pub(crate) fn changes(&self, relation: &Ident) -> bool {
        self.items.iter().any(|item| matches!(item, Item::Relation(r) if r.changing && r.ident == *relation))
    }

    /// The number of the activity of this name, among activities.
    pub(crate) fn activity(&self, ident: &Ident) -> Option<usize> {
        let activities = self.items.iter().filter_map(|item| match item {
            Item::Activity(activity) => Some(&activity.ident),
            _ => None,
        });
        activities.into_iter().position(|activity| activity == ident)
    }

    /// Whether members of a family come and go: pairs of a relation that changes, or instances of an activity.
    pub(crate) fn comes_and_goes(&self, over: &Over) -> bool {
        over.pairs().is_some_and(|relation| self.changes(relation))
            || over.sets().any(|set| self.activity(set).is_some())
    }

    /// How many members a family has, if its type can say so: of one set whose size is a small literal or
    /// one of the model's const generics.
    pub(crate) fn array_len(&self, over: &Over) -> Option<Expr> {
        let [Axis::Member { set, .. }] = over.axes.as_slice() else { return None };
        let end = self.items.iter().find_map(|item| match item {
            Item::Index(index) if index.ident == *set => Some(&index.end),
            _ => None,
        })?;
        let generic = |ident: &Ident| self.generics.const_params().any(|param| param.ident == *ident);
        let fits = match end {
            Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Int(int) => int.base10_parse::<usize>().is_ok_and(|size| size <= ARRAY),
                _ => false,
            },
            Expr::Path(path) => path.path.get_ident().is_some_and(generic),
            _ => false,
        };
        fits.then(|| end.clone())
    }
}

/// Up to this many members a family whose size is a literal is an array.
const ARRAY: usize = 64;

/// What attributes on the model say to the macro itself.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub select: Select,
    pub rollback: bool,
    /// Whether time is counted in whole ticks.
    pub ticks: bool,
    /// The model's own `#[derive(…)]`s.
    pub derives: Vec<Attribute>,
}

/// How exponential clocks are selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Select {
    #[default]
    Direct,
    NextReaction,
}

/// One item of a block.
#[derive(Debug)]
pub(crate) enum Item {
    Param(Param),
    Index(Index),
    Relation(Relation),
    State(State),
    Tally(Tally),
    Let(Derived),
    Flow(Flow),
    Clock(Clock),
    Reaction(Reaction),
    Action(Action),
    Event(Event),
    Activity(Activity),
    Line(Line),
    /// `time u64;`, and where it stands.
    Time(Span),
    Init(Init),
    Observe(Observe),
    Stop(Condition),
    Invariant(Condition),
}

impl Item {
    /// Whether it is something that can happen.
    pub(crate) fn happens(&self) -> bool {
        matches!(self, Item::Clock(_) | Item::Reaction(_) | Item::Event(_) | Item::Activity(_))
    }
}

const KEYWORDS: &[&str] = &[
    "param",
    "index",
    "relation",
    "state",
    "let",
    "flow",
    "clock",
    "reaction",
    "action",
    "event",
    "activity",
    "line",
    "time",
    "init",
    "tally",
    "observe",
    "stop",
    "invariant",
];

/// Parses a block. `None` if not even the model's head can be read.
pub(crate) fn parse(input: TokenStream, errors: &mut Errors) -> Option<Model> {
    let parser = |input: ParseStream<'_>| head(input, errors);
    match parser.parse2(input) {
        Ok(model) => Some(model),
        Err(error) => {
            errors.push(error);
            None
        }
    }
}

fn head(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Model> {
    let mut krate: Path = syn::parse_quote!(::clockrace);
    if input.peek(Token![crate]) && input.peek2(Token![=]) {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        krate = input.call(Path::parse_mod_style)?;
        input.parse::<Token![;]>()?;
    }
    let attrs = input.call(Attribute::parse_outer)?;
    let (attrs, options) = options(attrs, errors);
    let vis = input.parse()?;
    let keyword: Ident = input.call(Ident::parse_any)?;
    if keyword != "model" {
        return Err(syn::Error::new(keyword.span(), "a block starts with `model NAME { … }`"));
    }
    let ident = name(input)?;
    let mut generics: Generics = input.parse()?;
    generics.where_clause = input.parse()?;
    let content;
    braced!(content in input);
    let items = match keys::put_in(content.fork().parse()?, &ident, &krate) {
        Some(tokens) => {
            content.parse::<TokenStream>()?;
            (|content: ParseStream<'_>| Ok(items(content, errors))).parse2(tokens)?
        }
        None => items(&content, errors),
    };
    if !input.is_empty() {
        errors.push(input.error("a block holds one model; write another `simulation!` block for the next"));
        input.parse::<TokenStream>()?;
    }
    let mut times = items.iter().filter_map(|item| match item {
        Item::Time(span) => Some(*span),
        _ => None,
    });
    let mut options = options;
    options.ticks = times.next().is_some();
    for second in times {
        errors.at(second, "what time is has been said already; remove this item");
    }
    Ok(Model { krate, attrs, options, vis, ident, generics, items })
}

fn options(attrs: Vec<Attribute>, errors: &mut Errors) -> (Vec<Attribute>, Options) {
    let mut options = Options::default();
    let mut rest = Vec::new();
    for attr in attrs {
        if attr.path().is_ident("select") {
            let method = attr.parse_args_with(Ident::parse_any);
            options.select = match errors.take(method) {
                Some(method) if method == "direct" => Select::Direct,
                Some(method) if method == "next_reaction" => Select::NextReaction,
                Some(other) => {
                    errors.at(
                        other.span(),
                        format!("unknown selection method `{other}`; it is `direct` or `next_reaction`"),
                    );
                    Select::Direct
                }
                None => Select::Direct,
            };
        } else if attr.path().is_ident("rollback") {
            options.rollback = true;
        } else if attr.path().is_ident("derive") {
            options.derives.push(attr);
        } else {
            rest.push(attr);
        }
    }
    (rest, options)
}

fn items(input: ParseStream<'_>, errors: &mut Errors) -> Vec<Item> {
    let mut items = Vec::new();
    while !input.is_empty() {
        let ahead = input.fork();
        match item(&ahead, errors) {
            Ok(item) => {
                use syn::parse::discouraged::Speculative as _;
                input.advance_to(&ahead);
                items.push(item);
            }
            Err(error) => {
                errors.push(error);
                skip_item(input);
            }
        }
    }
    items
}

fn item(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Item> {
    let attrs = input.call(Attribute::parse_outer)?;
    if input.peek(Token![pub]) {
        let vis: Visibility = input.parse()?;
        return Err(syn::Error::new_spanned(vis, "items of a model have no visibility of their own; remove this"));
    }
    if input.is_empty() {
        return Err(input.error("an attribute or doc comment belongs to an item, and none follows"));
    }
    let keyword = input.call(Ident::parse_any)?;
    Ok(match keyword.to_string().as_str() {
        "param" => Item::Param(Param::parse(attrs, input, errors)?),
        "index" => Item::Index(Index::parse(input, errors)?),
        "relation" => Item::Relation(Relation::parse(attrs, false, input, errors)?),
        "state" if is_word(input, "relation") && input.peek2(syn::Ident) => {
            input.call(Ident::parse_any)?;
            Item::Relation(Relation::parse(attrs, true, input, errors)?)
        }
        "state" => Item::State(State::parse(attrs, input, errors)?),
        "tally" => Item::Tally(Tally::parse(attrs, input, errors)?),
        "let" => Item::Let(Derived::parse(attrs, input, errors)?),
        "flow" => Item::Flow(Flow::parse(input, errors)?),
        "clock" => Item::Clock(Clock::parse(attrs, input, errors)?),
        "reaction" => Item::Reaction(Reaction::parse(attrs, input, errors)?),
        "action" => Item::Action(Action::parse(attrs, input, errors)?),
        "event" => Item::Event(Event::parse(attrs, input, errors)?),
        "activity" => Item::Activity(Activity::parse(attrs, input, errors)?),
        "line" => Item::Line(Line::parse(input)?),
        "time" => Item::Time(time(keyword.span(), input)?),
        "init" => Item::Init(Init::parse(keyword.span(), input, errors)?),
        "observe" => Item::Observe(Observe::parse(attrs, input, errors)?),
        "stop" => Item::Stop(Condition::parse_stop(input, errors)?),
        "invariant" => Item::Invariant(Condition::parse_invariant(input, errors)?),
        other => {
            let accepted = KEYWORDS.join("`, `");
            return Err(syn::Error::new(
                keyword.span(),
                format!("unknown item `{other}`; an item starts with one of `{accepted}`"),
            ));
        }
    })
}

/// `time u64;`.
fn time(span: Span, input: ParseStream<'_>) -> syn::Result<Span> {
    let ty: Ident = input.call(Ident::parse_any)?;
    if ty != "u64" && ty != "f64" {
        return Err(syn::Error::new(ty.span(), "time is `u64`, whole ticks, or `f64`, which need not be said"));
    }
    input.parse::<Token![;]>()?;
    if ty == "f64" {
        return Err(syn::Error::new(ty.span(), "time is `f64` by itself; remove this item"));
    }
    Ok(span)
}

/// Goes on behind the next `;` or `{ … }`, or in front of the next item.
fn skip_item(input: ParseStream<'_>) {
    let mut first = true;
    while !input.is_empty() {
        if !first && starts_item(input) {
            return;
        }
        first = false;
        match input.parse::<TokenTree>() {
            Ok(TokenTree::Punct(punct)) if punct.as_char() == ';' => return,
            Ok(TokenTree::Group(group)) if group.delimiter() == proc_macro2::Delimiter::Brace => {
                let _ = input.parse::<Option<Token![;]>>();
                return;
            }
            Ok(_) => {}
            Err(_) => return,
        }
    }
}

fn starts_item(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    let Ok(keyword) = ahead.call(Ident::parse_any) else { return false };
    KEYWORDS.iter().any(|known| keyword == known)
        && (ahead.peek(syn::Ident) || keyword == "init" || keyword == "flow" && ahead.peek(token::Paren))
}

/// Whether the next token is this word.
fn is_word(input: ParseStream<'_>, word: &str) -> bool {
    input.fork().call(Ident::parse_any).is_ok_and(|ident| ident == word)
}

/// The name of an item; raw identifiers are fine.
fn name(input: ParseStream<'_>) -> syn::Result<Ident> {
    input.parse::<Ident>()
}

/// Reports indices where there are none, and what to write `instead`.
fn no_family(input: ParseStream<'_>, item: &str, instead: &str) -> syn::Result<()> {
    if input.peek(token::Bracket) {
        return Err(input.error(format!("{} {item} is a single one: {instead}", article(item))));
    }
    Ok(())
}

fn article(noun: &str) -> &'static str {
    if noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" }
}

/// `{ … }`, parsed on its own so that a fault inside costs nothing but itself.
fn body(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<syn::Block> {
    let content;
    let brace_token = braced!(content in input);
    let tokens: TokenStream = content.parse()?;
    let stmts = errors
        .take(syn::Block::parse_within.parse2(tokens.clone()))
        .unwrap_or_else(|| vec![Stmt::Expr(Expr::Verbatim(tokens), None)]);
    Ok(syn::Block { brace_token, stmts })
}

/// `, option` things inside a timing's parentheses; a trailing comma is fine.
fn comma_or_end(input: ParseStream<'_>) -> syn::Result<bool> {
    if input.is_empty() {
        return Ok(false);
    }
    input.parse::<Token![,]>()?;
    Ok(!input.is_empty())
}

/// An expression given as `= EXPR`, in an item that ends with a semicolon.
fn value(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Expr>> {
    if input.peek(Token![=]) {
        input.parse::<Token![=]>()?;
        return Ok(Some(expr(input, errors, |input| input.peek(Token![;]))));
    }
    Ok(None)
}

/// An expression up to where `ends` says so. One that cannot be parsed – somebody may be in the middle of
/// typing it – is reported and kept as the tokens it is, for the editor.
fn expr(input: ParseStream<'_>, errors: &mut Errors, ends: impl Fn(ParseStream<'_>) -> bool) -> Expr {
    expr_by(input, errors, ends, Expr::parse)
}

fn expr_by(
    input: ParseStream<'_>,
    errors: &mut Errors,
    ends: impl Fn(ParseStream<'_>) -> bool,
    parse: impl Fn(ParseStream<'_>) -> syn::Result<Expr>,
) -> Expr {
    use syn::parse::discouraged::Speculative as _;
    let ahead = input.fork();
    match parse(&ahead) {
        Ok(expr) => {
            input.advance_to(&ahead);
            expr
        }
        Err(error) => {
            errors.push(error);
            let mut tokens = TokenStream::new();
            while !input.is_empty() && !ends(input) && (tokens.is_empty() || !starts_item(input)) {
                match input.parse::<TokenTree>() {
                    Ok(token) => tokens.extend([token]),
                    Err(_) => break,
                }
            }
            Expr::Verbatim(tokens)
        }
    }
}
