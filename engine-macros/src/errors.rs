//! The error sink: everything that is wrong with a block is reported at once.

use proc_macro2::{Span, TokenStream};

/// Errors so far.
#[derive(Debug, Default)]
pub(crate) struct Errors {
    list: Vec<syn::Error>,
    seen: Vec<(String, String)>,
}

impl Errors {
    /// Reports `message` at `span`.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Reports `message` at the tokens of `node`.
    pub(crate) fn on(&mut self, node: impl quote::ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(node, message));
    }

    /// Takes an error over. One that was reported at the same tokens already is dropped: a `let`
    /// is looked at wherever it is used.
    pub(crate) fn push(&mut self, error: syn::Error) {
        for single in error {
            let key = (format!("{:?}", single.span()), single.to_string());
            if cfg!(test) || !self.seen.contains(&key) {
                self.seen.push(key);
                self.list.push(single);
            }
        }
    }

    /// Takes over the error of a result.
    pub(crate) fn take<T>(&mut self, result: syn::Result<T>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether anything was reported.
    pub(crate) fn any(&self) -> bool {
        !self.list.is_empty()
    }

    /// Whether something was reported at these tokens already.
    pub(crate) fn has_at(&self, span: Span) -> bool {
        let span = format!("{span:?}");
        self.seen.iter().any(|(at, _)| *at == span)
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.list.len()
    }

    /// The `compile_error!` calls.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.list.iter().map(syn::Error::to_compile_error).collect()
    }

    /// The messages.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.list.iter().map(ToString::to_string).collect()
    }
}
