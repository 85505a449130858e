//! Index sets, relations between them, and what items say to be families over them.

use proc_macro2::Ident;
use syn::ext::IdentExt as _;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, RangeLimits, Token, Type, bracketed, parenthesized, token};

use super::{expr, name, no_family, value};
use crate::errors::Errors;

/// What an item is a family over; nothing for a single one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Over {
    pub axes: Vec<Axis>,
}

/// `[k in SET]`, or `[(i, j) in RELATION]`.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    Member { binder: Ident, set: Ident },
    Pair { binders: Vec<Ident>, relation: Ident },
}

impl Over {
    /// Whether the item is a single one.
    pub(crate) fn is_single(&self) -> bool {
        self.axes.is_empty()
    }

    /// The names that stand for an index.
    pub(crate) fn binders(&self) -> impl Iterator<Item = &Ident> {
        self.axes.iter().flat_map(|axis| match axis {
            Axis::Member { binder, .. } => std::slice::from_ref(binder),
            Axis::Pair { binders, .. } => binders,
        })
    }

    /// The index sets that it is over.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &Ident> {
        self.axes.iter().filter_map(|axis| match axis {
            Axis::Member { set, .. } => Some(set),
            Axis::Pair { .. } => None,
        })
    }

    /// The relation whose pairs it is over.
    pub(crate) fn pairs(&self) -> Option<&Ident> {
        self.axes.iter().find_map(|axis| match axis {
            Axis::Pair { relation, .. } => Some(relation),
            Axis::Member { .. } => None,
        })
    }

    /// Any number of `[k in SET]`.
    pub(super) fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut axes = Vec::new();
        while input.peek(token::Bracket) {
            let content;
            bracketed!(content in input);
            axes.push(Axis::parse(&content)?);
            if !content.is_empty() {
                return Err(content.error("one index set in each pair of brackets: `[i in A][j in B]`"));
            }
        }
        Ok(Over { axes })
    }
}

impl Axis {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            let binders = Punctuated::<Ident, Token![,]>::parse_terminated(&content)?;
            input.parse::<Token![in]>()?;
            return Ok(Axis::Pair { binders: binders.into_iter().collect(), relation: name(input)? });
        }
        if !(input.peek(Ident::peek_any) && input.peek2(Token![in])) {
            return Err(input.error("an index is declared as `[k in SET]` or `[(i, j) in RELATION]`"));
        }
        let binder = name(input)?;
        input.parse::<Token![in]>()?;
        if !input.peek(Ident::peek_any) {
            return Err(input.error("an index set has a name: declare `index NAME = 0..SIZE;` and write that here"));
        }
        Ok(Axis::Member { binder, set: name(input)? })
    }
}

/// `index NAME = 0..EXPR;`
#[derive(Debug)]
pub(crate) struct Index {
    pub ident: Ident,
    pub end: Expr,
}

impl Index {
    pub(super) fn parse(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        no_family(input, "index set", "declare one for each axis")?;
        let Some(range) = value(input, errors)? else {
            return Err(input.error("an index set is `index NAME = 0..SIZE;`"));
        };
        input.parse::<Token![;]>()?;
        let end = match range {
            Expr::Range(range)
                if matches!(range.limits, RangeLimits::HalfOpen(_)) && is_zero(range.start.as_deref()) =>
            {
                range.end.map(|end| *end)
            }
            // Reported already.
            verbatim @ Expr::Verbatim(_) => Some(verbatim),
            other => {
                return Err(syn::Error::new_spanned(other, "an index set is the integers below a size: `0..SIZE`"));
            }
        };
        let Some(end) = end else {
            return Err(syn::Error::new(ident.span(), "an index set has a size: `0..SIZE`"));
        };
        Ok(Index { ident, end })
    }
}

fn is_zero(expr: Option<&Expr>) -> bool {
    matches!(expr, Some(Expr::Lit(literal)) if matches!(&literal.lit, syn::Lit::Int(int) if int.base10_digits() == "0"))
}

const RELATION: &str = "a relation is `relation NAME(i in SET) -> SET2 = EXPR;`";

/// `relation NAME(i in SET) -> SET2 = EXPR [, inverse OTHER];`, or without EXPR a `state relation` that begins empty.
#[derive(Debug)]
pub(crate) struct Relation {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub changing: bool,
    pub binders: Vec<(Ident, Ident)>,
    pub target: Ident,
    pub value: Option<Type>,
    pub expr: Expr,
    pub inverse: Option<Ident>,
}

impl Relation {
    /// The type in which it is kept if it changes.
    pub(crate) fn changing_type(&self, krate: &syn::Path) -> Type {
        match &self.value {
            Some(ty) => syn::parse_quote!(#krate::ChangingRelation<#ty>),
            None => syn::parse_quote!(#krate::ChangingRelation),
        }
    }

    pub(super) fn parse(
        attrs: Vec<Attribute>,
        changing: bool,
        input: ParseStream<'_>,
        errors: &mut Errors,
    ) -> syn::Result<Self> {
        let ident = name(input)?;
        if !input.peek(token::Paren) {
            return Err(input.error(RELATION));
        }
        let content;
        parenthesized!(content in input);
        let binders = Punctuated::<(Ident, Ident), Token![,]>::parse_terminated_with(&content, |input| {
            let binder = name(input)?;
            if !input.peek(Token![in]) {
                return Err(input.error(RELATION));
            }
            input.parse::<Token![in]>()?;
            Ok((binder, name(input)?))
        })?;
        if binders.is_empty() {
            return Err(syn::Error::new(
                ident.span(),
                "a relation starts from an index: `relation NAME(i in SET) -> …`",
            ));
        }
        if !input.peek(Token![->]) {
            return Err(input.error(RELATION));
        }
        input.parse::<Token![->]>()?;
        if !input.peek(token::Paren) && !input.peek(Ident::peek_any) {
            return Err(input.error(RELATION));
        }
        let (target, value) = if input.peek(token::Paren) {
            let content;
            parenthesized!(content in input);
            let target = name(&content)?;
            content.parse::<Token![,]>()?;
            let ty: Type = content.parse()?;
            content.parse::<Option<Token![,]>>()?;
            (target, Some(ty))
        } else {
            (name(input)?, None)
        };
        let expr = if input.peek(Token![=]) {
            input.parse::<Token![=]>()?;
            expr(input, errors, |input| input.peek(Token![;]) || input.peek(Token![,]))
        } else if changing {
            // It begins without any pair.
            match &value {
                Some(ty) => syn::parse_quote!({ let __crt_none: [(usize, #ty); 0] = []; __crt_none }),
                None => syn::parse_quote!({
                    let __crt_none: [usize; 0] = [];
                    __crt_none
                }),
            }
        } else {
            return Err(input.error("a relation gives, for each index, an iterator of members: `= EXPR`"));
        };
        let inverse = if input.peek(Token![,]) {
            input.parse::<Token![,]>()?;
            let word = input.call(Ident::parse_any)?;
            if word != "inverse" {
                return Err(syn::Error::new(word.span(), "behind a relation there is only `, inverse NAME`"));
            }
            Some(name(input)?)
        } else {
            None
        };
        input.parse::<Token![;]>()?;
        let binders = binders.into_iter().collect();
        Ok(Relation { attrs, ident, changing, binders, target, value, expr, inverse })
    }
}

/// In which structure a family of clocks is selected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Structure {
    /// Whichever is the faster for its size.
    #[default]
    BySize,
    /// Rates: a tree of sums.
    Tree,
    /// Rates: composition-rejection.
    Composition,
    /// Times: a pair tree.
    PairTree,
    /// Times: blocks under a pair tree.
    Blocks,
}

impl Structure {
    /// Takes `#[select(…)]` from the attributes of a family of clocks.
    pub(super) fn of(attrs: Vec<Attribute>, over: &Over, errors: &mut Errors) -> (Vec<Attribute>, Self) {
        let mut structure = Structure::BySize;
        let mut rest = Vec::new();
        for attr in attrs {
            if !attr.path().is_ident("select") {
                rest.push(attr);
                continue;
            }
            if over.is_single() {
                errors.on(&attr, "a single clock has no selection structure of its own; remove this");
            }
            if structure != Structure::BySize {
                errors.on(&attr, "a clock is selected by one structure; remove one of the two");
            }
            let Some(word) = errors.take(attr.parse_args_with(Ident::parse_any)) else { continue };
            structure = match word.to_string().as_str() {
                "tree" => Structure::Tree,
                "composition_rejection" => Structure::Composition,
                "pair_tree" => Structure::PairTree,
                "blocks" => Structure::Blocks,
                other => {
                    errors.at(
                        word.span(),
                        format!(
                            "unknown selection structure `{other}`; rates have `tree` and `composition_rejection`, \
                             times `pair_tree` and `blocks`"
                        ),
                    );
                    Structure::BySize
                }
            };
        }
        (rest, structure)
    }
}
