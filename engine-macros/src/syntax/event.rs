//! `event NAME [[k in SET]] (args) [, priority = p] [, once] => ACTION`.

use proc_macro2::Ident;
use syn::parse::ParseStream;
use syn::{Attribute, Block, Token};

use super::clock::{action, order};
use super::definition::{Argument, arguments};
use super::{Over, Priority, name};
use crate::errors::Errors;

/// Events that bodies schedule.
#[derive(Debug)]
pub(crate) struct Event {
    pub attrs: Vec<Attribute>,
    pub ident: Ident,
    pub over: Over,
    pub args: Vec<Argument>,
    pub priority: Priority,
    /// Whether it happens at most once at an instant.
    pub once: bool,
    pub action: Block,
}

impl Event {
    pub(super) fn parse(attrs: Vec<Attribute>, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Self> {
        let ident = name(input)?;
        let over = Over::parse(input)?;
        if over.pairs().is_some() {
            errors.at(ident.span(), "events are over index sets; take the two ends of a pair as arguments");
        }
        if !input.peek(syn::token::Paren) {
            return Err(input.error("an event is `NAME(args) => ACTION`, with `[k in SET]` behind its name; without arguments it is `NAME()`"));
        }
        let args = arguments(input)?;
        let (priority, once) = order(input, "an event has `priority = p` and `once`")?;
        if !input.peek(Token![=>]) {
            return Err(input.error(
                "an event is `NAME(args) => ACTION`: it has no guard, gives nothing back, and its body stands behind `=>`",
            ));
        }
        input.parse::<Token![=>]>()?;
        Ok(Event { attrs, ident, over, args, priority, once, action: action(input, errors)? })
    }
}
