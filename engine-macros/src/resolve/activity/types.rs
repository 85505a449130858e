//! The types of local variables, where they are plain to see.

use proc_macro2::Ident;
use syn::{Expr, Lit, Pat, Type, parse_quote};

use super::split::Variable;
use crate::resolve::names::{Meaning, Names};
use crate::resolve::types;
use crate::syntax::tag;

/// What is known where a type is guessed.
pub(super) struct Guess<'a, 'n> {
    pub names: &'a Names<'n>,
    /// The activity whose code it is.
    pub activity: &'a Ident,
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
                // What it is, is said by its use.
                Lit::Int(int) if int.suffix().is_empty() => None,
                Lit::Char(_) => Some(parse_quote!(char)),
                _ => self.plain(expr),
            },
            Expr::Path(path) => {
                let ident = path.path.get_ident()?;
                if let Some(local) = self.local(ident) {
                    return local.ty.clone();
                }
                if ident == "me" {
                    return Some(self.key(self.activity));
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
                    match path.path.get_ident().and_then(|ident| self.names.meaning(ident)) {
                        Some(Meaning::Activity(number)) if call.method == "start" => {
                            return Some(self.key(&self.names.activities[number].activity.ident));
                        }
                        Some(Meaning::Event(number)) if call.method == "at" || call.method == "after" => {
                            return Some(self.key(&self.names.events[number].event.ident));
                        }
                        _ => {}
                    }
                }
                if let Expr::Index(_) = &*call.receiver {
                    let named = crate::resolve::body::named(&call.receiver).map(|(ident, _)| self.names.meaning(ident));
                    if let Some(Some(Meaning::Event(number))) = named {
                        if call.method == "at" || call.method == "after" {
                            return Some(self.key(&self.names.events[number].event.ident));
                        }
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

    /// The type of keys of an event or activity.
    fn key(&self, ident: &Ident) -> Type {
        let tag = tag(self.names.model, ident);
        parse_quote!(__cr::Key<#tag>)
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
                    match self.names.meaning(ident) {
                        Some(Meaning::Set(_)) => {
                            return Some((parse_quote!(__cr::core::ops::Range<usize>), Some(parse_quote!(usize))));
                        }
                        Some(Meaning::Activity(_)) => {
                            let key = self.key(ident);
                            return Some((parse_quote!(__cr::std::vec::IntoIter<#key>), Some(key)));
                        }
                        _ => {}
                    }
                }
                Some(members(&self.of(expr)?))
            }
            other => Some(members(&self.of(other)?)),
        }
    }
}

/// What is left of something that can be gone over, and its members.
fn members(ty: &Type) -> (Type, Option<Type>) {
    let written = match ty {
        Type::Array(array) => Some((*array.elem).clone()),
        Type::Path(path) => path.path.segments.last().and_then(|last| {
            let known = ["Vec", "VecDeque", "Option", "BTreeSet"].iter().any(|name| last.ident == name);
            let syn::PathArguments::AngleBracketed(arguments) = &last.arguments else { return None };
            arguments.args.iter().filter(|_| known).find_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(ty.clone()),
                _ => None,
            })
        }),
        _ => None,
    };
    let item = written.unwrap_or_else(|| parse_quote!(<#ty as __cr::core::iter::IntoIterator>::Item));
    (parse_quote!(<#ty as __cr::core::iter::IntoIterator>::IntoIter), Some(item))
}

/// The types of the variables of a pattern for something of type `ty`.
pub(super) fn parts(pat: &Pat, ty: Option<&Type>) -> Vec<(Ident, Option<Type>, bool)> {
    match (pat, ty) {
        (Pat::Type(typed), _) => parts(&typed.pat, Some(&typed.ty)),
        (Pat::Paren(inner), ty) => parts(&inner.pat, ty),
        (Pat::Ident(variable), ty) if variable.subpat.is_none() && variable.by_ref.is_none() => {
            let variable = super::free::variables(&Pat::Ident(variable.clone()));
            variable.into_iter().map(|(ident, mutable)| (ident, ty.cloned(), mutable)).collect()
        }
        (Pat::Tuple(pats), Some(Type::Tuple(types))) if pats.elems.len() == types.elems.len() => {
            pats.elems.iter().zip(&types.elems).flat_map(|(pat, ty)| parts(pat, Some(ty))).collect()
        }
        (pat, _) => super::free::variables(pat).into_iter().map(|(ident, mutable)| (ident, None, mutable)).collect(),
    }
}
