//! Flowing variables: reading one follows its flow, writing one, or what its flow uses, brings it up to now before.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Expr, parse_quote, parse_quote_spanned};

use super::{Rewriter, function, handle, here};
use crate::resolve::access::Element;
use crate::resolve::forms::{Base, Form};

/// What is about to be written.
pub(super) enum Written<'f> {
    Single,
    /// The element number `__crt_at`, which the item's indices decide or not.
    Element {
        forms: &'f [Form],
        direct: bool,
    },
    Whole,
}

impl Rewriter<'_> {
    /// Whether `place` is read here by following its flow.
    pub(super) fn follows(&mut self, ident: &Ident, place: usize) -> bool {
        let Some((flow, _)) = self.names.places[place].flow else { return false };
        let span = ident.span();
        // At the start nothing has flowed yet; a flow starts from what its own variables were.
        if self.mode.allowed.is_some() || self.mode.flow == Some(flow) {
            return false;
        }
        if self.mode.flow.is_some() {
            self.wrong(
                span,
                format!(
                    "`{ident}` flows on its own; a flow may use another flowing variable only if both stand in one tuple: \
                     `flow ({ident}, …) = (…)`"
                ),
            );
            return false;
        }
        if !self.mode.flowing {
            let what = self.mode.what;
            self.wrong(
                span,
                format!(
                    "{what} cannot read `{ident}`, which flows: it is looked at only when something it reads is written; \
                     what depends on a flowing variable is `hazard(…)` (`hazard(affine(E, 0.0))` if it stands still \
                     meanwhile), `at(…)` or `crosses(…)`"
                ),
            );
        }
        self.flowed.get_or_insert_with(|| ident.clone());
        true
    }

    /// What is wrong with an element that a flow uses, and whether it is one at the flow's own indices.
    pub(super) fn used_by_flow(&mut self, ident: &Ident, place: usize, forms: &[Form], span: Span) {
        let Some(flow) = self.mode.flow else { return };
        let names = self.names;
        let own = forms.iter().enumerate().all(|(i, form)| *form == Form::plain(Base::Binder(i)));
        let (of, flow) = (&names.places[place], &names.flows[flow]);
        let alike = of.family.pairs == flow.family.pairs && of.family.sets().eq(flow.family.sets());
        if own && alike {
            self.access.touch_element(Element { place, forms: forms.to_vec(), write: false, inverse: false });
            return;
        }
        if flow.targets.contains(&place) {
            self.wrong(
                span,
                format!("each element of `{ident}` flows on its own; a flow can use those at its own indices only"),
            );
        }
        self.access.whole.insert((place, false));
    }

    /// The value of a flowing variable now: the element number `at`, or a single one.
    pub(super) fn flowing(&mut self, ident: &Ident, place: usize, at: Option<&TokenStream>, span: Span) -> Expr {
        let names = self.names;
        let Some((flow, target)) = names.places[place].flow else { return parse_quote!(loop {}) };
        let flow = &names.flows[flow];
        self.access.merge(&flow.read);
        self.access.now = self.access.now.or(Some(ident.span()));
        let needs = self.passed_on(&flow.read, span);
        let part = if self.mode.courses && flow.degrees[target].is_some() { "course" } else { "flowing" };
        let function = Ident::new(&function(part, &names.places[place].ident).to_string(), span);
        let (handle, name) = (handle(ident), ident.unraw().to_string());
        let index = at.map(|_| quote!(__crt_at,));
        let call = quote_spanned!(span=> Self::#function(#index #(#needs),*));
        let private = self.private();
        let value = self.fails_or(
            call.clone(),
            |flag| {
                let raw = match at {
                    Some(_) => quote!(#private::element::at_or(&*#handle, __crt_at, #name, #flag)),
                    None => quote!(&*#handle),
                };
                quote_spanned!(span=>
                    #call.unwrap_or_else(|__crt_fault| {
                        #flag.raise(__crt_fault);
                        #private::core::clone::Clone::clone(#raw)
                    })
                )
            },
            span,
        );
        match at {
            Some(at) => parse_quote_spanned!(span=> ({ let __crt_at = #at; #value })),
            None => parse_quote_spanned!(span=> (#value)),
        }
    }

    /// All elements of a flowing family, as they are now: a slice.
    pub(super) fn all_flowing(&mut self, ident: &Ident, place: usize) -> Expr {
        let names = self.names;
        let span = here(ident.span());
        let Some((flow, _)) = names.places[place].flow else { return parse_quote!(loop {}) };
        let flow = &names.flows[flow];
        self.access.merge(&flow.read);
        self.access.now = self.access.now.or(Some(ident.span()));
        let needs = self.passed_on(&flow.read, span);
        let function = Ident::new(&function("all", &names.places[place].ident).to_string(), span);
        let handle = handle(ident);
        let call = quote_spanned!(span=> Self::#function(#(#needs),*));
        let value = self.fails_or(
            call.clone(),
            |flag| {
                quote_spanned!(span=>
                    #call.unwrap_or_else(|__crt_fault| {
                        #flag.raise(__crt_fault);
                        #handle.to_vec()
                    })
                )
            },
            span,
        );
        parse_quote_spanned!(span=> (*(#value)))
    }

    /// Brings up to now what flows by what is about to be written.
    pub(super) fn anchors(&mut self, place: usize, written: &Written<'_>, span: Span) -> TokenStream {
        let names = self.names;
        let span = here(span);
        let mut notes = TokenStream::new();
        let mut calls = TokenStream::new();
        for flow in names.flows.iter().filter(|flow| flow.uses(place)) {
            self.access.merge(&flow.anchor);
            let every = flow.others.contains(&place) && !flow.targets.contains(&place);
            let moved = || flow.targets.iter().copied().chain([flow.since]);
            let part = match written {
                Written::Element { forms, direct: true } if !every => {
                    for place in moved() {
                        let forms = forms.to_vec();
                        self.access.touch_element(Element { place, forms, write: true, inverse: false });
                    }
                    "anchor"
                }
                Written::Element { direct: false, .. } if !every => {
                    for other in moved().filter(|&other| other != place) {
                        self.access.logged.insert(other);
                        notes.extend(self.note(other, &quote!(__crt_at), span));
                    }
                    "anchor"
                }
                _ if flow.family.is_single() => "anchor",
                _ => {
                    self.access.whole.extend(moved().map(|place| (place, true)));
                    "anchorall"
                }
            };
            let index = (part == "anchor" && !flow.family.is_single()).then(|| quote!(__crt_at,));
            let needs = self.passed_on(&flow.anchor, span);
            let function = Ident::new(&function(part, &flow.ident).to_string(), span);
            let call = quote_spanned!(span=> Self::#function(#index #(#needs),*));
            let private = self.private();
            let call = self.fails_or(
                call.clone(),
                |flag| {
                    quote_spanned!(span=>
                        if let #private::core::result::Result::Err(__crt_fault) = #call { #flag.raise(__crt_fault) }
                    )
                },
                span,
            );
            calls.extend(quote!(#call;));
        }
        quote!(#notes #calls)
    }
}
