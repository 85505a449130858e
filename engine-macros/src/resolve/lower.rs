//! Reactions are clocks.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Block, Expr, Stmt, parse_quote};

use super::body::here;
use super::names::{Meaning, Names};
use super::types;
use crate::errors::Errors;
use crate::syntax::{Clock, Law, Reaction, Term, Timing};

/// The clock of a reaction. Without its reactants it cannot fire, whatever its rate.
pub(super) fn reaction(reaction: &Reaction, names: &Names<'_>, errors: &mut Errors) -> Option<Clock> {
    let terms = || reaction.left.iter().chain(&reaction.right);
    if terms().filter(|term| !is_species(term, names, errors)).count() > 0 {
        return None;
    }
    let (timing, guarded) = match &reaction.law {
        Law::MassAction(constant) => {
            let constant = types::float(constant);
            let factors = reaction.left.iter().map(|term| {
                let (place, count) = (term.place(), term.count);
                quote_spanned!(here(term.species.span())=> * __cr::Count::choose(#place, #count))
            });
            (Timing::Rate(parse(quote_spanned!(constant.span()=> (#constant) #(#factors)*))), false)
        }
        Law::Timing(timing) => ((**timing).clone(), true),
    };
    let enough = reaction.left.iter().filter(|_| guarded).map(|term| {
        let (place, count) = (term.place(), term.count);
        quote_spanned!(here(term.species.span())=> __cr::Count::at_least(#place, #count))
    });
    let conditions: Vec<TokenStream> = reaction.guard.iter().map(|guard| quote!((#guard))).chain(enough).collect();
    let guard = (!conditions.is_empty()).then(|| parse(quote!(#(#conditions)&&*)));
    let stmts = changes(reaction).map(|tokens| parse_quote!(#tokens)).collect::<Vec<Stmt>>();
    Some(Clock {
        attrs: reaction.attrs.clone(),
        ident: reaction.ident.clone(),
        over: reaction.over.clone(),
        structure: reaction.structure,
        guard,
        timing,
        once: false,
        priority: reaction.priority.clone(),
        action: Block { brace_token: syn::token::Brace::default(), stmts },
    })
}

fn parse(tokens: TokenStream) -> Expr {
    syn::parse2(tokens.clone()).unwrap_or(Expr::Verbatim(tokens))
}

/// The net change of each species, reactants first.
fn changes(reaction: &Reaction) -> impl Iterator<Item = TokenStream> + '_ {
    let count_in = |terms: &[Term], term: &Term| {
        terms.iter().find(|other| other.is_same(term)).map_or(0, |other| i64::from(other.count))
    };
    let only_right = reaction.right.iter().filter(move |term| count_in(&reaction.left, term) == 0);
    reaction.left.iter().chain(only_right).filter_map(move |term| {
        let species = term.place();
        let net = count_in(&reaction.right, term) - count_in(&reaction.left, term);
        let mut size = proc_macro2::Literal::i64_unsuffixed(net.abs());
        size.set_span(term.species.span());
        match net {
            0 => None,
            1.. => Some(quote_spanned!(term.species.span()=> #species += #size;)),
            _ => Some(quote_spanned!(term.species.span()=> #species -= #size;)),
        }
    })
}

/// Whether a term counts an integer state; reports it if not.
fn is_species(term: &Term, names: &Names<'_>, errors: &mut Errors) -> bool {
    let ident = &term.species;
    let place = match names.meaning(ident) {
        Some(Meaning::Place(place)) if names.places[place].is_state() => &names.places[place],
        _ => {
            errors.at(
                ident.span(),
                format!("`{ident}` is no state of this model; its states are {}", names.state_names()),
            );
            return false;
        }
    };
    let integer = !types::is_no_integer(&place.ty);
    if !integer {
        let ty = types::text(&place.ty);
        errors.at(
            ident.span(),
            format!("a reaction changes `{ident}` by whole numbers, but its type is `{ty}`; use an integer type"),
        );
    }
    integer
}
