//! What each piece takes with it from those before.

use std::collections::{BTreeMap, BTreeSet};

use quote::ToTokens as _;
use syn::ext::IdentExt as _;
use syn::{Expr, parse_quote};

use super::super::free::Free;
use super::super::waits::Kind;
use super::{Splitter, Variable};

impl Splitter<'_, '_> {
    /// What stands behind an endless loop is never come to, and need not be of the type that an instance gives.
    pub(super) fn unreached(&mut self) {
        loop {
            let reached: BTreeSet<usize> =
                self.pieces.iter().flat_map(|piece| piece.exits.iter().map(|(target, _)| *target)).chain([0]).collect();
            let mut changed = false;
            for (at, piece) in self.pieces.iter_mut().enumerate() {
                if !reached.contains(&at) && !piece.exits.is_empty() | piece.ends {
                    piece.exits.clear();
                    piece.waits.clear();
                    piece.uses.clear();
                    piece.ends = false;
                    changed = true;
                }
                if !reached.contains(&at) {
                    piece.stmts = vec![parse_quote!(__cr::core::unreachable!("the loop before this has no end");)];
                }
            }
            if !changed {
                break;
            }
        }
    }

    /// What each piece takes with it: what it uses, and what the pieces behind it take that it does not bind itself.
    pub(super) fn takes(&mut self) {
        let used: Vec<BTreeSet<String>> = self
            .pieces
            .iter()
            .map(|piece| {
                let mut used = Free::of_stmts(&piece.stmts);
                used.extend(piece.uses.iter().cloned());
                used
            })
            .collect();
        // The arguments of waits stand in no statement yet.
        let used: Vec<BTreeSet<String>> = used
            .into_iter()
            .zip(&self.pieces)
            .map(|(mut used, piece)| {
                for &point in &piece.waits {
                    let wait = &self.points[point].wait;
                    let exprs: Vec<&Expr> = match &wait.kind {
                        Kind::Delay(expr) | Kind::Until(expr) | Kind::Join(_, expr) => vec![expr],
                        Kind::Run(_, call) => call.args.iter().collect(),
                        Kind::For(_) => Vec::new(),
                    };
                    for expr in exprs.into_iter().chain(&wait.timeout).chain(&wait.priority) {
                        used.extend(Free::of_expr(expr));
                    }
                }
                used
            })
            .collect();
        let mut taken: Vec<BTreeMap<usize, Variable>> = self
            .pieces
            .iter()
            .zip(&used)
            .map(|(piece, used)| {
                let needed = piece.visible.iter().filter(|variable| used.contains(&variable.ident.unraw().to_string()));
                needed.map(|variable| (variable.number, variable.clone())).collect()
            })
            .collect();
        loop {
            let mut changed = false;
            for at in 0..self.pieces.len() {
                let behind: Vec<Variable> =
                    self.pieces[at].exits.iter().flat_map(|(target, _)| taken[*target].values().cloned()).collect();
                for variable in behind {
                    let visible = self.pieces[at].visible.iter().any(|seen| seen.number == variable.number);
                    if visible && !taken[at].contains_key(&variable.number) {
                        taken[at].insert(variable.number, variable);
                        changed = true;
                    }
                }
            }
            if !changed {
                break;
            }
        }
        let mut reported: BTreeSet<usize> = BTreeSet::new();
        for (at, taken) in taken.into_iter().enumerate() {
            let takes: Vec<Variable> = taken.into_values().collect();
            for (i, variable) in takes.iter().enumerate() {
                if let Some(other) = takes[..i].iter().find(|other| other.ident == variable.ident) {
                    if reported.insert(variable.number) {
                        let name = &variable.ident;
                        self.errors.at(
                            name.span(),
                            format!("two variables called `{name}` are needed behind a wait; rename one of them"),
                        );
                        self.errors.at(other.ident.span(), "the other is here");
                    }
                }
            }
            for variable in &takes {
                self.has_type(variable, &mut reported);
            }
            self.pieces[at].takes = takes;
        }
    }

    /// What is kept from one wait to the next has a type that can be named.
    fn has_type(&mut self, variable: &Variable, reported: &mut BTreeSet<usize>) {
        let name = &variable.ident;
        let Some(ty) = &variable.ty else {
            if reported.insert(variable.number) {
                self.errors.at(
                    name.span(),
                    format!("`{name}` is used behind a wait and its type is not plain to see; write it: `let {name}: TYPE = …;`"),
                );
            }
            return;
        };
        let text = ty.to_token_stream().to_string();
        if text.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "_")
            && reported.insert(variable.number)
        {
            self.errors.at(
                name.span(),
                format!("`{name}` is used behind a wait and its type is not plain to see; write it in full"),
            );
        }
        let borrowed = text.split('&').skip(1).any(|part| !part.trim_start().starts_with("'static"));
        if borrowed && reported.insert(variable.number) {
            self.errors.at(
                name.span(),
                format!("`{name}` would be borrowed across a wait, and what it refers to may change; copy the value"),
            );
        }
    }

    /// A jump takes variables with it by name, which must not mean another one there.
    pub(super) fn hidden(&mut self) {
        for piece in &self.pieces {
            for (target, seen) in &piece.exits {
                let hidden = self.pieces[*target].takes.iter().find_map(|variable| {
                    let other = seen.iter().find(|other| other.ident == variable.ident)?;
                    (other.number != variable.number).then_some((&variable.ident, &other.ident))
                });
                if let Some((outer, inner)) = hidden {
                    self.errors.at(
                        inner.span(),
                        format!("this hides the `{outer}` that is needed behind a wait; rename one of them"),
                    );
                    self.errors.at(outer.span(), "the other is here");
                }
            }
        }
    }
}
