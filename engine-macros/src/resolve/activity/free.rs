//! Which names code takes from around it.

use std::collections::BTreeSet;

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::visit::Visit;
use syn::{Expr, Pat};

/// The names that code uses and does not bind itself. A macro uses every name that stands in it, texts included.
#[derive(Default)]
pub(super) struct Free {
    pub used: BTreeSet<String>,
    bound: Vec<String>,
}

impl Free {
    /// Of statements, one after the other.
    pub(super) fn of_stmts(stmts: &[syn::Stmt]) -> BTreeSet<String> {
        let mut free = Free::default();
        stmts.iter().for_each(|stmt| free.visit_stmt(stmt));
        free.used
    }

    /// Of an expression.
    pub(super) fn of_expr(expr: &Expr) -> BTreeSet<String> {
        let mut free = Free::default();
        free.visit_expr(expr);
        free.used
    }

    fn name(&mut self, ident: &Ident) {
        let name = ident.unraw().to_string();
        if !self.bound.contains(&name) {
            self.used.insert(name);
        }
    }

    fn tokens(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => self.name(&ident),
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Literal(literal) => {
                    // `{name}` and `{name:?}` in a text.
                    let text = literal.to_string();
                    for part in text.split('{').skip(1) {
                        let name: String = part.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                        if let Ok(ident) = syn::parse_str::<Ident>(&name) {
                            self.name(&ident);
                        }
                    }
                }
                TokenTree::Punct(_) => {}
            }
        }
    }

    fn scope(&mut self, visit: impl FnOnce(&mut Self)) {
        let bound = self.bound.len();
        visit(self);
        self.bound.truncate(bound);
    }
}

impl Visit<'_> for Free {
    fn visit_expr_path(&mut self, path: &syn::ExprPath) {
        if path.qself.is_none() {
            if let Some(ident) = path.path.get_ident() {
                self.name(ident);
            }
        }
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.tokens(mac.tokens.clone());
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        self.bound.push(pat.ident.unraw().to_string());
        syn::visit::visit_pat_ident(self, pat);
    }

    fn visit_local(&mut self, local: &syn::Local) {
        if let Some(init) = &local.init {
            self.visit_expr(&init.expr);
            if let Some((_, diverge)) = &init.diverge {
                self.visit_expr(diverge);
            }
        }
        self.visit_pat(&local.pat);
    }

    fn visit_block(&mut self, block: &syn::Block) {
        self.scope(|free| syn::visit::visit_block(free, block));
    }

    fn visit_arm(&mut self, arm: &syn::Arm) {
        self.scope(|free| syn::visit::visit_arm(free, arm));
    }

    fn visit_expr_closure(&mut self, closure: &syn::ExprClosure) {
        self.scope(|free| syn::visit::visit_expr_closure(free, closure));
    }

    fn visit_expr_for_loop(&mut self, looping: &syn::ExprForLoop) {
        self.visit_expr(&looping.expr);
        self.scope(|free| {
            free.visit_pat(&looping.pat);
            free.visit_block(&looping.body);
        });
    }

    fn visit_expr_if(&mut self, choice: &syn::ExprIf) {
        self.scope(|free| {
            free.visit_expr(&choice.cond);
            free.visit_block(&choice.then_branch);
        });
        if let Some((_, other)) = &choice.else_branch {
            self.visit_expr(other);
        }
    }

    fn visit_expr_while(&mut self, looping: &syn::ExprWhile) {
        self.scope(|free| syn::visit::visit_expr_while(free, looping));
    }

    fn visit_expr_let(&mut self, binding: &syn::ExprLet) {
        self.visit_expr(&binding.expr);
        self.visit_pat(&binding.pat);
    }

    fn visit_field_value(&mut self, field: &syn::FieldValue) {
        // `S { s }` uses `s`.
        self.visit_expr(&field.expr);
    }
}

/// The variables of a pattern, and whether each is mutable.
pub(super) fn variables(pat: &Pat) -> Vec<(Ident, bool)> {
    #[derive(Default)]
    struct Found(Vec<(Ident, bool)>);
    impl Visit<'_> for Found {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            // An upper-case name is a constant or a variant.
            if !pat.ident.to_string().starts_with(char::is_uppercase) {
                self.0.push((pat.ident.clone(), pat.mutability.is_some()));
            }
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut found = Found::default();
    found.visit_pat(pat);
    found.0
}
