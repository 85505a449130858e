//! The walk over an expression.

use quote::quote;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Expr, Pat, Stmt, parse_quote, parse_quote_spanned};

use super::arithmetic::is_compound;
use super::{Rewriter, here, single};
use crate::resolve::{macros, methods};

impl VisitMut for Rewriter<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        show_group(expr);
        if self.relation_method(expr)
            || self.relation_call(expr)
            || self.family_size(expr)
            || self.event_call(expr)
            || self.activity_call(expr)
        {
            return;
        }
        match expr {
            Expr::Path(path) => {
                if let Some(replacement) = single(path).cloned().and_then(|ident| self.name(&ident, false)) {
                    *expr = replacement;
                }
            }
            Expr::Assign(assign) => {
                let tally = self.is_tally(&assign.left);
                self.assigned(&mut assign.left);
                self.right_side(&mut assign.right, tally);
            }
            Expr::Binary(binary) if is_compound(&binary.op) => self.compound(expr),
            Expr::Binary(_) => self.arithmetic(expr),
            Expr::Reference(reference) if reference.mutability.is_some() => self.write(&mut reference.expr),
            Expr::RawAddr(raw) if matches!(raw.mutability, syn::PointerMutability::Mut(_)) => self.write(&mut raw.expr),
            Expr::Index(_) => match self.element(expr, false) {
                Some(element) => *expr = element,
                None => visit_mut::visit_expr_mut(self, expr),
            },
            Expr::MethodCall(call) => {
                let given = self.closure_items(call);
                let name = call.method.to_string();
                let changes = methods::changes(&name);
                if changes && !self.mode.writes {
                    self.no_change_by_method(&call.receiver, &call.method);
                }
                let reads = methods::only_reads(&name) || (!changes && self.reads_by_type(&call.receiver));
                if reads || !self.mode.writes {
                    self.visit_expr_mut(&mut call.receiver);
                } else {
                    self.write(&mut call.receiver);
                }
                self.arguments(&mut call.args, given.as_ref());
            }
            Expr::Call(_) => {
                if !self.action_call(expr) {
                    if let Expr::Call(call) = expr {
                        self.visit_expr_mut(&mut call.func);
                        call.args.iter_mut().for_each(|arg| self.argument(arg));
                    }
                }
            }
            Expr::Closure(closure) => {
                self.closure(closure, None);
                if closure.capture.is_some() {
                    *expr = self.borrowed_by_move(expr);
                }
            }
            Expr::Async(_) => {
                self.closures += 1;
                visit_mut::visit_expr_mut(self, expr);
                self.closures -= 1;
            }
            Expr::Return(ret) if self.closures == 0 => {
                if self.defines() {
                    self.wrong(ret.return_token.span, "a definition cannot `return`: it would leave whatever uses it");
                }
                if let Some(value) = &mut ret.expr {
                    self.visit_expr_mut(value);
                }
                let private = self.private();
                let value = ret.expr.as_ref().map_or(quote!(()), |value| quote!(#value));
                let span = here(ret.return_token.span);
                *expr = parse_quote_spanned!(span=> return #private::core::result::Result::Ok(#value));
            }
            Expr::ForLoop(looping) => self.for_loop(looping),
            Expr::If(choice) => {
                let mark = self.locals.mark();
                self.visit_expr_mut(&mut choice.cond);
                self.visit_block_mut(&mut choice.then_branch);
                self.locals.end(mark);
                if let Some((_, other)) = &mut choice.else_branch {
                    self.visit_expr_mut(other);
                }
            }
            Expr::While(looping) => {
                let mark = self.locals.mark();
                self.visit_expr_mut(&mut looping.cond);
                self.visit_block_mut(&mut looping.body);
                self.locals.end(mark);
            }
            Expr::Match(matching) => {
                let patterns: Vec<Pat> = matching.arms.iter().map(|arm| arm.pat.clone()).collect();
                self.scrutinee(&mut matching.expr, patterns.iter());
                matching.arms.iter_mut().for_each(|arm| self.visit_arm_mut(arm));
            }
            Expr::Let(binding) => {
                let pat = binding.pat.clone();
                self.scrutinee(&mut binding.expr, std::iter::once(&*pat));
                self.visit_pat_mut(&mut binding.pat);
            }
            Expr::Struct(fields) => {
                for field in &mut fields.fields {
                    self.visit_expr_mut(&mut field.expr);
                    // `S { s }` is `S { s: s }`.
                    if !matches!(field.expr, Expr::Path(_)) {
                        field.colon_token.get_or_insert_default();
                    }
                }
                if let Some(rest) = &mut fields.rest {
                    self.visit_expr_mut(rest);
                }
            }
            _ => visit_mut::visit_expr_mut(self, expr),
        }
    }

    fn visit_block_mut(&mut self, block: &mut syn::Block) {
        let mark = self.locals.mark();
        visit_mut::visit_block_mut(self, block);
        self.locals.end(mark);
    }

    fn visit_arm_mut(&mut self, arm: &mut syn::Arm) {
        let mark = self.locals.mark();
        visit_mut::visit_arm_mut(self, arm);
        self.locals.end(mark);
    }

    fn visit_local_mut(&mut self, local: &mut syn::Local) {
        let index = match (&local.pat, &local.init) {
            (Pat::Ident(pat), Some(init)) if pat.mutability.is_none() && pat.subpat.is_none() => {
                Some((pat.ident.clone(), self.form_of(&init.expr)))
            }
            _ => None,
        };
        if let Some(init) = &mut local.init {
            let pat = local.pat.clone();
            self.scrutinee(&mut init.expr, std::iter::once(&pat));
            if let Some((_, diverge)) = &mut init.diverge {
                self.visit_expr_mut(diverge);
            }
        }
        self.visit_pat_mut(&mut local.pat);
        if let Some((ident, (form, set))) = index {
            self.locals.know(&ident, form, set);
        }
    }

    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        let Stmt::Expr(expr, semi) = stmt else {
            visit_mut::visit_stmt_mut(self, stmt);
            return;
        };
        // An attribute of a statement is parsed as one of its leftmost expression, which may be
        // rewritten into something else.
        let attrs = take_attrs(expr);
        self.visit_expr_mut(expr);
        if !attrs.is_empty() {
            *stmt = Stmt::Expr(parse_quote!(#(#attrs)* { #expr #semi }), None);
        }
    }

    fn visit_pat_ident_mut(&mut self, pat: &mut syn::PatIdent) {
        // `None` or `MAX` without anything else is a constant or a variant, unless it is the model's.
        let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
        if plain && pat.ident.to_string().starts_with(char::is_uppercase) {
            self.hides_item(&pat.ident);
        } else {
            self.bind(&pat.ident);
        }
        visit_mut::visit_pat_ident_mut(self, pat);
    }

    fn visit_macro_mut(&mut self, mac: &mut syn::Macro) {
        macros::rewrite(self, mac);
    }

    /// Items inside a body see nothing of the model, but hide names from it.
    fn visit_item_mut(&mut self, item: &mut syn::Item) {
        ShowGroups.visit_item_mut(item);
        match item {
            syn::Item::Macro(item) => self.visit_macro_mut(&mut item.mac),
            syn::Item::Const(item) => self.bind(&item.ident),
            syn::Item::Static(item) => self.bind(&item.ident),
            syn::Item::Fn(item) => self.bind(&item.sig.ident),
            syn::Item::Struct(item) => self.bind(&item.ident),
            syn::Item::Enum(item) => self.bind(&item.ident),
            syn::Item::Use(item) => self.bind_uses(&item.tree),
            _ => {}
        }
    }

    fn visit_type_mut(&mut self, _: &mut syn::Type) {}
}

/// What a user's macro passes as `$e:expr` stands in invisible delimiters, which do not survive in what a
/// procedural macro gives back.
fn show_group(expr: &mut Expr) {
    if let Expr::Group(group) = expr {
        let inner = &group.expr;
        *expr = parse_quote!((#inner));
    }
}

/// The same in code that is not walked.
struct ShowGroups;

impl VisitMut for ShowGroups {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        show_group(expr);
        visit_mut::visit_expr_mut(self, expr);
    }
}

/// Takes the attributes that syn hung on a statement's expression or on its leftmost part.
fn take_attrs(expr: &mut Expr) -> Vec<Attribute> {
    macro_rules! attrs {
        ($($variant:ident)*; $($left:ident . $field:ident)*) => {
            match expr {
                $(Expr::$variant(e) => (&mut e.attrs, None),)*
                $(Expr::$left(e) => (&mut e.attrs, Some(&mut e.$field)),)*
                Expr::Range(e) => (&mut e.attrs, e.start.as_mut()),
                // Statements that are blocks keep theirs.
                _ => return Vec::new(),
            }
        };
    }
    let (attrs, left) = attrs!(
        Array Break Closure Continue Lit Macro Paren Path RawAddr Reference Repeat Return Struct Tuple Unary;
        Assign.left Await.base Binary.left Call.func Cast.expr Field.base Index.expr MethodCall.receiver Try.expr
    );
    let mut taken = std::mem::take(attrs);
    if let Some(left) = left {
        taken.extend(take_attrs(left));
    }
    taken
}
