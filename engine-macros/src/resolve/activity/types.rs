//! The types of local variables, where they are plain to see.

use proc_macro2::Ident;
use syn::{Expr, Lit, Type, parse_quote};

use super::split::Variable;
use crate::resolve::names::{Meaning, Names};
use crate::resolve::types;
use crate::syntax::tag;

/// What is known where a type is guessed.
pub(super) struct Guess<'a, 'n> {
    pub names: &'a Names<'n>,
    pub seen: &'a [Variable],
}

impl Guess<'_, '_> {
    fn local(&self, ident: &Ident) -> Option<&Variable> {
        self.seen.iter().rev().find(|variable| variable.ident == *ident)
    }

    /// The type of a value.
    pub(super) fn of(&self, expr: &Expr) -> Option<Type> {
        match expr {
            Expr::Paren(inner) => self.of(&inner.expr),
            Expr::Group(inner) => self.of(&inner.expr),
            Expr::Lit(literal) => match &literal.lit {
                // As Rust takes it.
                Lit::Int(int) if int.suffix().is_empty() => Some(parse_quote!(i32)),
                Lit::Char(_) => Some(parse_quote!(char)),
                _ => self.plain(expr),
            },
            Expr::Path(path) => {
                let ident = path.path.get_ident()?;
                if let Some(local) = self.local(ident) {
                    return local.ty.clone();
                }
                if ident == "now" || ident == "never" {
                    return Some(self.names.time(ident.span()));
                }
                match self.names.meaning(ident)? {
                    Meaning::Place(place) if self.names.places[place].family.is_single() => {
                        Some(self.names.places[place].ty.clone())
                    }
                    _ => self.plain(expr),
                }
            }
            Expr::Index(_) => self.element(expr),
            Expr::Try(asked) => match &*asked.expr {
                // A resource gives the time at which it was asked.
                Expr::MethodCall(call) if call.method == "ask" && self.is_resource(&call.receiver) => {
                    Some(parse_quote!(f64))
                }
                _ => None,
            },
            Expr::MethodCall(call) => {
                if let Expr::Path(path) = &*call.receiver {
                    let started = match path.path.get_ident().and_then(|ident| self.names.meaning(ident)) {
                        Some(Meaning::Activity(number)) if call.method == "start" => {
                            Some(&self.names.activities[number].activity.ident)
                        }
                        _ => None,
                    };
                    if let Some(ident) = started {
                        let tag = tag(self.names.model, ident);
                        return Some(parse_quote!(__cr::Key<#tag>));
                    }
                }
                if call.method == "clone" {
                    return self.of(&call.receiver);
                }
                self.plain(expr)
            }
            _ => self.plain(expr),
        }
    }

    /// Whether it is one of the resources of the library, or a part of one.
    fn is_resource(&self, expr: &Expr) -> bool {
        let ty = match expr {
            Expr::Field(field) => return self.is_resource(&field.base),
            Expr::Index(_) => self.element(expr),
            other => self.of(other),
        };
        let Some(Type::Path(path)) = ty else { return false };
        let known = ["Resource", "Preemptive", "Store", "Container", "Gate", "Queue"];
        path.path.segments.last().is_some_and(|last| known.iter().any(|name| last.ident == name))
    }

    /// An element of a family.
    fn element(&self, expr: &Expr) -> Option<Type> {
        let (ident, indices) = crate::resolve::body::named(expr)?;
        if self.local(ident).is_some() {
            return None;
        }
        let Meaning::Place(place) = self.names.meaning(ident)? else { return None };
        let place = &self.names.places[place];
        (indices.len() == place.family.brackets()).then(|| place.ty.clone())
    }

    fn plain(&self, expr: &Expr) -> Option<Type> {
        types::plain_among(expr, self.names, &|ident| {
            if ident == "now" {
                return Some(self.names.time(ident.span()));
            }
            self.local(ident)?.ty.clone()
        })
    }

    /// What a `for` over `expr` keeps, and what it gives.
    pub(super) fn iterator(&self, expr: &Expr) -> Option<(Type, Option<Type>)> {
        match expr {
            Expr::Paren(inner) => self.iterator(&inner.expr),
            Expr::Group(inner) => self.iterator(&inner.expr),
            Expr::Range(range) => {
                let ends = [&range.start, &range.end];
                let typed = ends.iter().filter_map(|end| end.as_deref()).find_map(|end| match end {
                    Expr::Lit(literal) if matches!(&literal.lit, Lit::Int(int) if int.suffix().is_empty()) => None,
                    other => self.of(other),
                });
                let item = typed.unwrap_or_else(|| parse_quote!(i32));
                let kind = match (&range.end, range.limits) {
                    (None, _) => quote::quote!(RangeFrom),
                    (_, syn::RangeLimits::HalfOpen(_)) => quote::quote!(Range),
                    (_, syn::RangeLimits::Closed(_)) => quote::quote!(RangeInclusive),
                };
                Some((parse_quote!(__cr::core::ops::#kind<#item>), Some(item)))
            }
            Expr::Path(path) => {
                let ident = path.path.get_ident()?;
                if self.local(ident).is_none() {
                    if let Some(Meaning::Set(_)) = self.names.meaning(ident) {
                        return Some((parse_quote!(__cr::core::ops::Range<usize>), Some(parse_quote!(usize))));
                    }
                }
                vector(&self.of(expr)?)
            }
            other => vector(&self.of(other)?),
        }
    }
}

/// What is left of a vector, and its members.
fn vector(ty: &Type) -> Option<(Type, Option<Type>)> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Vec")?;
    let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
    let item = arguments.args.iter().find_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    })?;
    Some((parse_quote!(__cr::std::vec::IntoIter<#item>), Some(item)))
}
