//! Calls of actions, and arguments of any call.

use proc_macro2::Ident;
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, parse_quote};

use super::{Rewriter, action_function, constant_handle, handle, here, single};
use crate::resolve::names::Meaning;

impl Rewriter<'_> {
    /// An argument: a bare `rng` is passed on.
    pub(super) fn argument(&mut self, expr: &mut Expr) {
        if let Expr::Path(path) = &*expr {
            if let Some(ident) = single(path).filter(|ident| *ident == "rng").cloned() {
                let rng = self.rng(ident.span());
                *expr = parse_quote!(&mut #rng);
                return;
            }
        }
        self.visit_expr_mut(expr);
    }

    pub(super) fn action_call(&mut self, expr: &mut Expr) -> bool {
        let Expr::Call(call) = expr else { return false };
        let Expr::Path(path) = &*call.func else { return false };
        let Some(ident) = single(path).cloned() else { return false };
        let Some(Meaning::Action(index)) = self.names.meaning(&ident) else { return false };
        let target = &self.names.actions[index];
        let expected = target.action.args.len();
        if call.args.len() != expected {
            let plural = if expected == 1 { "" } else { "s" };
            let names: Vec<String> = target.action.args.iter().map(|arg| format!("`{}`", arg.ident)).collect();
            let message = format!(
                "action `{ident}` takes {expected} argument{plural}{}{}, and gets {}",
                if names.is_empty() { "" } else { ": " },
                names.join(", "),
                call.args.len(),
            );
            self.wrong(call.span(), message);
        }
        if !self.mode.writes {
            let what = self.mode.what;
            self.wrong(ident.span(), format!("{what} cannot call the action `{ident}`; only actions do"));
        }
        call.args.iter_mut().for_each(|arg| self.argument(arg));
        let private = self.private();
        let span = here(ident.span());
        let mut places = Vec::new();
        if let Some(access) = &target.access {
            for (place, write) in access.modes() {
                let handle = Ident::new(&handle(&self.names.places[place].ident).to_string(), span);
                places.push(if write { quote!(&mut *#handle) } else { quote!(#private::Read::new(&*#handle)) });
            }
            for &number in &access.constants {
                let handle = Ident::new(&constant_handle(&self.names.constants[number].ident).to_string(), span);
                let typed = self.names.constants[number].ty.is_some();
                places.push(if typed { quote!(#private::Read::new(&*#handle)) } else { quote!(#handle) });
            }
            if access.now.is_some() {
                places.push(Ident::new("__cr_now", span).into_token_stream());
            }
            if access.rng.is_some() {
                let rng = Ident::new("__cr_rng", span);
                places.push(quote!(&mut *#rng));
            }
            self.access.merge(access);
        }
        let function = Ident::new(&action_function(&ident).to_string(), span);
        let arguments = &call.args;
        let temporaries: Vec<Ident> = (0..arguments.len()).map(|i| Ident::new(&format!("__crt_{i}"), span)).collect();
        let outcome = quote_spanned!(span=> Self::#function(#(#places,)* #(#temporaries,)*));
        let outcome = if self.closures > 0 {
            self.access.flag = true;
            let flag = Ident::new("__crt_flag", span);
            quote_spanned!(span=> #outcome.unwrap_or_else(|__crt_fault| #flag.raise(__crt_fault)))
        } else {
            quote_spanned!(span=> #outcome?)
        };
        *expr = if temporaries.is_empty() {
            parse_quote!((#outcome))
        } else {
            let arguments = arguments.iter();
            parse_quote!((match (#(#arguments,)*) { (#(#temporaries,)*) => #outcome }))
        };
        true
    }
}
