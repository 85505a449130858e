//! What jumps and waits become in the code of a piece.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::spanned::Spanned as _;
use syn::visit_mut::VisitMut;
use syn::{Expr, Stmt, parse_quote};

use super::waits::Kind;
use super::{split, variant_of};
use crate::resolve::names::Names;
use crate::syntax::tag;

/// Jumps and waits become what they stand for: a piece returns where the instance goes on.
pub(super) struct Jumps<'a, 'n> {
    pub frame: &'a Ident,
    /// The fields of the variant for a piece.
    pub fill: &'a dyn Fn(usize) -> Vec<TokenStream>,
    pub points: &'a [split::Point],
    pub names: &'a Names<'n>,
}

impl VisitMut for Jumps<'_, '_> {
    fn visit_stmt_mut(&mut self, stmt: &mut Stmt) {
        if let Stmt::Macro(mac) = stmt {
            let number = || mac.mac.tokens.to_string().trim_end_matches("usize").trim().parse::<usize>().ok();
            let code = if mac.mac.path.is_ident(split::GOTO) {
                number().map(|piece| self.goto(piece))
            } else if mac.mac.path.is_ident(split::WAIT) {
                number().map(|point| self.wait(point))
            } else {
                None
            };
            if let Some(code) = code {
                *stmt = Stmt::Expr(parse_quote!({ #code }), Some(Default::default()));
                return;
            }
        }
        syn::visit_mut::visit_stmt_mut(self, stmt);
    }
}

impl Jumps<'_, '_> {
    fn goto(&self, piece: usize) -> TokenStream {
        let (frame, variant, fields) = (self.frame, variant_of(piece), (self.fill)(piece));
        quote!(return __cr::schedule::Step::Goto(#frame::#variant { #(#fields),* });)
    }

    fn wait(&self, number: usize) -> TokenStream {
        let point = &self.points[number];
        let (frame, variant, mut fields) = (self.frame, variant_of(point.resumes), (self.fill)(point.resumes));
        let wait = &point.wait;
        let ty = self.names.time(wait.span);
        let time = |expr: &Expr| {
            let expr = if self.names.ticks { expr.clone() } else { crate::resolve::types::float(expr) };
            let span = crate::resolve::here(expr.span());
            quote::quote_spanned!(span=> { let __crt_time: #ty = #expr; __crt_time })
        };
        let none = quote!(<#ty as __cr::core::default::Default>::default());
        let (before, length) = match &wait.kind {
            Kind::Delay(expr) | Kind::Until(expr) => (TokenStream::new(), time(expr)),
            Kind::For(_) => (TokenStream::new(), none),
            Kind::Join(activity, key) => {
                let tag = tag(self.names.model, &self.names.activities[*activity].activity.ident);
                (quote!(let __crt_child: __cr::Key<#tag> = #key;), none)
            }
            Kind::Run(activity, call) => {
                let ident = &self.names.activities[*activity].activity.ident;
                let (args, start) = (call.args.iter(), Ident::new("start", call.method.span()));
                (quote!(let __crt_child = #ident.#start(#(#args),*);), none)
            }
        };
        if matches!(wait.kind, Kind::Join(..) | Kind::Run(..)) {
            fields.push(quote!(__crt_child: __crt_child.handle()));
            fields.push(quote!(__crt_given: __cr::core::option::Option::None));
        }
        let timeout = match &wait.timeout {
            Some(timeout) => {
                let timeout = time(timeout);
                quote!(__cr::core::option::Option::Some(#timeout))
            }
            None => quote!(__cr::core::option::Option::None),
        };
        let priority = match &wait.priority {
            Some(priority) => quote!(__cr::core::option::Option::Some(__cr::schedule::priority(#priority))),
            None => quote!(__cr::core::option::Option::None),
        };
        quote! {
            #before
            let __crt_length = #length;
            let __crt_timeout: __cr::core::option::Option<#ty> = #timeout;
            let __crt_priority = #priority;
            return __cr::schedule::Step::Wait(__cr::schedule::Wait {
                frame: #frame::#variant { #(#fields),* },
                length: __crt_length,
                timeout: __crt_timeout,
                priority: __crt_priority,
            });
        }
    }
}
