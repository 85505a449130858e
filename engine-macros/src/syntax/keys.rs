//! `Key<NAME>`: the type of the keys of an event or activity.
//!
//! It may stand wherever a type may, in code too, so it is put in place among the tokens, before anything is parsed.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::{format_ident, quote};
use syn::Path;
use syn::ext::IdentExt as _;

use crate::resolve::variant;

/// The hidden type that tells keys of one item from those of others.
pub(crate) fn tag(model: &Ident, item: &Ident) -> Ident {
    format_ident!("__Cr{}{}Tag", model.unraw(), variant(item), span = item.span())
}

/// The items of a model, with every `Key<NAME>` of one of its events and activities made the type that it stands for;
/// `None` if it has neither.
pub(super) fn put_in(items: TokenStream, model: &Ident, krate: &Path) -> Option<TokenStream> {
    let tokens: Vec<TokenTree> = items.clone().into_iter().collect();
    let named: Vec<Ident> = tokens
        .windows(2)
        .filter_map(|pair| match pair {
            [TokenTree::Ident(word), TokenTree::Ident(name)] if word == "event" || word == "activity" => {
                Some(name.clone())
            }
            _ => None,
        })
        .collect();
    (!named.is_empty()).then(|| Keys { named, model, krate }.replace(items))
}

struct Keys<'a> {
    named: Vec<Ident>,
    model: &'a Ident,
    krate: &'a Path,
}

impl Keys<'_> {
    fn replace(&self, tokens: TokenStream) -> TokenStream {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let punct = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
        let mut out = TokenStream::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            match token {
                // `Key::stale()`.
                TokenTree::Ident(word)
                    if word == "Key"
                        && !(at > 0 && punct(at - 1, ':'))
                        && punct(at + 2, ':')
                        && matches!(tokens.get(at + 3), Some(TokenTree::Ident(method)) if method == "stale") =>
                {
                    let krate = self.krate;
                    out.extend(quote!(#krate::#word));
                }
                TokenTree::Ident(word) if word == "Key" && punct(at + 1, '<') && punct(at + 3, '>') => {
                    if let Some(TokenTree::Ident(name)) = tokens.get(at + 2) {
                        if let Some(known) = self.named.iter().find(|known| *known == name) {
                            let mut tag = tag(self.model, known);
                            tag.set_span(name.span());
                            let krate = self.krate;
                            // In `clockrace::Key<NAME>` the path is there already.
                            let path =
                                (!(at > 1 && punct(at - 1, ':') && punct(at - 2, ':'))).then(|| quote!(#krate::));
                            out.extend(quote!(#path #word<#tag>));
                            at += 4;
                            continue;
                        }
                    }
                    out.extend([token.clone()]);
                }
                TokenTree::Group(group) => {
                    let mut inner = Group::new(group.delimiter(), self.replace(group.stream()));
                    inner.set_span(group.span());
                    out.extend([TokenTree::Group(inner)]);
                }
                other => out.extend([other.clone()]),
            }
            at += 1;
        }
        out
    }
}
