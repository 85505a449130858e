//! Decides `#[cfg(…)]` on items before anything else looks at them.
//!
//! A procedural macro cannot ask which configuration is on. The compiler can: for every distinct
//! predicate a pair of `macro_rules!` is emitted, of which it keeps one; they call each other in
//! turn, collecting the answers, and the last calls `simulation!` again, with the answers in front.

use proc_macro2::{Delimiter, Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, format_ident, quote};

/// What [`decide`] found.
pub(crate) enum Decision {
    /// A block without `cfg` attributes on items.
    Ready(TokenStream),
    /// Code that asks the compiler and comes back.
    Ask(TokenStream),
}

const ANSWERS: &str = "__cr_cfg_answers";

/// Strips the items that are configured out.
pub(crate) fn decide(input: TokenStream) -> Decision {
    let tokens: Vec<TokenTree> = input.into_iter().collect();
    if let [TokenTree::Ident(marker), TokenTree::Group(answers), rest @ ..] = tokens.as_slice() {
        if marker == ANSWERS {
            let answers: Vec<bool> = answers.stream().into_iter().map(|t| t.to_string() == "true").collect();
            let mut block: Vec<TokenTree> = rest.to_vec();
            let predicates = predicates(&block);
            let tokens = if strip(&mut block, &predicates, &answers) { block } else { Vec::new() };
            return Decision::Ready(tokens.into_iter().collect());
        }
    }
    let predicates = predicates(&tokens);
    if predicates.is_empty() {
        return Decision::Ready(tokens.into_iter().collect());
    }
    Decision::Ask(ask(&tokens, &predicates))
}

/// The distinct predicates, in order.
fn predicates(block: &[TokenTree]) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for attributes in std::iter::once(model_predicates(block)).chain(item_predicates(block)) {
        for predicate in attributes {
            if !found.contains(&predicate) {
                found.push(predicate);
            }
        }
    }
    found
}

fn ask(block: &[TokenTree], predicates: &[String]) -> TokenStream {
    let krate = crate_path(block);
    let names: Vec<Ident> = (0..predicates.len()).map(|i| format_ident!("__cr_cfg_{i}")).collect();
    let mut out = TokenStream::new();
    for (i, predicate) in predicates.iter().enumerate() {
        let name = &names[i];
        let predicate: TokenStream = predicate.parse().unwrap_or_default();
        let next = match names.get(i + 1) {
            Some(next) => quote!(#next!),
            None => quote!(#krate::simulation!),
        };
        let marker = (i + 1 == names.len()).then(|| Ident::new(ANSWERS, Span::call_site()));
        for (condition, answer) in [(quote!(#predicate), true), (quote!(not(#predicate)), false)] {
            out.extend(quote! {
                #[cfg(#condition)]
                #[allow(unused_macros)]
                macro_rules! #name {
                    ({ $($answer:tt)* } $($block:tt)*) => {
                        #next { #marker { $($answer)* #answer } $($block)* }
                    };
                }
            });
        }
    }
    let first = &names[0];
    let block: TokenStream = block.iter().cloned().collect();
    out.extend(quote!(#first! { {} #block }));
    out
}

/// `::clockrace`, or what `crate = PATH;` says.
fn crate_path(block: &[TokenTree]) -> TokenStream {
    if let [TokenTree::Ident(word), TokenTree::Punct(eq), rest @ ..] = block {
        if word == "crate" && eq.as_char() == '=' {
            return rest.iter().take_while(|t| t.to_string() != ";").cloned().collect();
        }
    }
    quote!(::clockrace)
}

/// The `cfg` predicates of the model itself.
fn model_predicates(block: &[TokenTree]) -> Vec<String> {
    (0..block.len()).filter_map(|at| attribute(block, at)).filter_map(|(predicate, _)| predicate).collect()
}

/// The `cfg` predicates of every item of the model that has some.
fn item_predicates(block: &[TokenTree]) -> Vec<Vec<String>> {
    let Some(TokenTree::Group(body)) = block.iter().rfind(|t| is_brace(t)) else { return Vec::new() };
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let mut items = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut found = Vec::new();
        while let Some((predicate, after)) = attribute(&tokens, at) {
            found.extend(predicate);
            at = after;
        }
        if !found.is_empty() {
            items.push(found);
        }
        at = item_end(&tokens, at);
    }
    items
}

/// The attribute at `at`: its predicate if it is a `cfg`, and where it ends.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(Option<String>, usize)> {
    match (tokens.get(at), tokens.get(at + 1)) {
        (Some(TokenTree::Punct(hash)), Some(TokenTree::Group(group)))
            if hash.as_char() == '#' && group.delimiter() == Delimiter::Bracket =>
        {
            let inner: Vec<TokenTree> = group.stream().into_iter().collect();
            let predicate = match inner.as_slice() {
                [TokenTree::Ident(name), TokenTree::Group(predicate)] if name == "cfg" => {
                    Some(predicate.stream().to_string())
                }
                _ => None,
            };
            Some((predicate, at + 2))
        }
        _ => None,
    }
}

/// Behind the `;` or the braces that end the item at `at`.
fn item_end(tokens: &[TokenTree], mut at: usize) -> usize {
    let punct = |at: usize, c: char| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == c);
    let mut ends_with_braces = match tokens.get(at) {
        Some(TokenTree::Ident(word)) => ["init", "action", "activity"].iter().any(|item| word == item),
        _ => false,
    };
    while let Some(token) = tokens.get(at) {
        // `=> { … }` ends with the braces, `=> anything else` with a semicolon.
        ends_with_braces |= punct(at, '=') && punct(at + 1, '>') && tokens.get(at + 2).is_some_and(is_brace);
        at += 1;
        match token {
            TokenTree::Punct(p) if p.as_char() == ';' => return at,
            // A clock's action may be followed by a semicolon.
            _ if ends_with_braces && is_brace(token) => return at + usize::from(punct(at, ';')),
            _ => {}
        }
    }
    at
}

fn is_brace(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

/// Removes items whose predicates do not all hold, and the `cfg` attributes of the others; `false` if the
/// model itself is configured out.
fn strip(block: &mut Vec<TokenTree>, predicates: &[String], answers: &[bool]) -> bool {
    let holds = |predicate: &String| {
        predicates.iter().position(|p| p == predicate).and_then(|i| answers.get(i)).copied().unwrap_or(true)
    };
    let mut at = 0;
    while at < block.len() {
        match attribute(block, at) {
            Some((Some(predicate), _)) if !holds(&predicate) => return false,
            Some((Some(_), after)) => drop(block.drain(at..after)),
            Some((None, after)) => at = after,
            None => at += 1,
        }
    }
    let Some(TokenTree::Group(body)) = block.iter_mut().rfind(|t| is_brace(t)) else { return true };
    let tokens: Vec<TokenTree> = body.stream().into_iter().collect();
    let mut kept = TokenStream::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut keep = true;
        let mut attributes = TokenStream::new();
        while let Some((predicate, after)) = attribute(&tokens, at) {
            match predicate {
                Some(predicate) => keep &= holds(&predicate),
                None => tokens[at..after].iter().for_each(|t| t.to_tokens(&mut attributes)),
            }
            at = after;
        }
        let end = item_end(&tokens, at);
        if keep {
            kept.extend(attributes);
            kept.extend(tokens[at..end].iter().cloned());
        }
        at = end.max(at + 1);
    }
    let mut group = Group::new(Delimiter::Brace, kept);
    group.set_span(body.span());
    *body = group;
    true
}
