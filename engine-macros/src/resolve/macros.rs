//! Macros inside bodies.
//!
//! The standard library's are understood: their arguments are expressions. Of any other only the
//! tokens are known: a place among them is replaced wherever it could be an expression, and counts
//! as written.

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::{ToTokens as _, quote};
use syn::parse::{ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::visit_mut::VisitMut as _;
use syn::{Expr, Lit, LitStr, Macro, Pat, Token, parse_quote};

use super::body::Rewriter;

pub(super) fn rewrite(rewriter: &mut Rewriter<'_>, mac: &mut Macro) {
    let name = mac.path.segments.last().map(|segment| segment.ident.to_string()).unwrap_or_default();
    let done = match name.as_str() {
        "format" | "print" | "println" | "eprint" | "eprintln" | "panic" | "format_args" | "todo" | "unimplemented"
        | "unreachable" => format_like(rewriter, mac, 0),
        "write" | "writeln" => format_like(rewriter, mac, 1),
        "assert" | "debug_assert" => assertion(rewriter, mac),
        "assert_eq" | "assert_ne" | "debug_assert_eq" | "debug_assert_ne" => format_like(rewriter, mac, 2),
        "dbg" => format_like(rewriter, mac, usize::MAX),
        "vec" => vector(rewriter, mac),
        "matches" => matches(rewriter, mac),
        "concat" | "stringify" | "line" | "file" | "column" | "module_path" | "cfg" | "env" | "option_env"
        | "include" | "include_str" | "include_bytes" | "compile_error" => true,
        _ => false,
    };
    if !done {
        foreign(rewriter, mac);
    }
}

type Args = Punctuated<Expr, Token![,]>;

fn args(mac: &Macro) -> Option<Args> {
    mac.parse_body_with(Args::parse_terminated).ok()
}

/// Expressions, of which number `format` may be a format string with names captured inline.
fn format_like(rewriter: &mut Rewriter<'_>, mac: &mut Macro, format: usize) -> bool {
    let Some(mut args) = args(mac) else { return false };
    let captured = args.iter().nth(format).map(|arg| captures(rewriter, arg, &args)).unwrap_or_default();
    let writes_first = format == 1;
    for (i, arg) in args.iter_mut().enumerate() {
        match arg {
            // `name = value`
            Expr::Assign(named) => rewriter.visit_expr_mut(&mut named.right),
            _ if i == 0 && writes_first => rewriter.write(arg),
            _ => rewriter.visit_expr_mut(arg),
        }
    }
    add_captures(rewriter, &mut args, captured);
    mac.tokens = args.into_token_stream();
    true
}

/// `assert!`, whose message would show the rewritten condition.
fn assertion(rewriter: &mut Rewriter<'_>, mac: &mut Macro) -> bool {
    let Some(args) = args(mac) else { return false };
    if args.len() != 1 {
        return format_like(rewriter, mac, 1);
    }
    let Some(mut condition) = args.into_iter().next() else { return false };
    let message = format!("assertion failed: {}", condition.to_token_stream());
    rewriter.visit_expr_mut(&mut condition);
    mac.tokens = quote!(#condition, "{}", #message);
    true
}

/// Model names in the braces of a format string, that are not given as arguments.
fn captures(rewriter: &Rewriter<'_>, format: &Expr, args: &Args) -> Vec<Ident> {
    let Expr::Lit(literal) = format else { return Vec::new() };
    let Lit::Str(string) = &literal.lit else { return Vec::new() };
    let given = |name: &Ident| {
        args.iter().any(|arg| {
            matches!(arg, Expr::Assign(named) if matches!(&*named.left, Expr::Path(path) if path.path.is_ident(name)))
        })
    };
    inline_names(string).into_iter().filter(|name| rewriter.is_model_name(name) && !given(name)).collect()
}

fn add_captures(rewriter: &mut Rewriter<'_>, args: &mut Args, captured: Vec<Ident>) {
    for name in captured {
        let mut value: Expr = parse_quote!(#name);
        rewriter.visit_expr_mut(&mut value);
        args.push(parse_quote!(#name = #value));
    }
}

/// `{name}`, `{name:…}`, and `name$` inside the braces.
fn inline_names(string: &LitStr) -> Vec<Ident> {
    let text = string.value();
    let mut names: Vec<Ident> = Vec::new();
    let mut add = |name: &str| {
        let keyword = || syn::parse_str::<Ident>(&format!("r#{name}"));
        if let Ok(mut ident) = syn::parse_str::<Ident>(name).or_else(|_| keyword()) {
            ident.set_span(string.span());
            if !names.contains(&ident) {
                names.push(ident);
            }
        }
    };
    let mut rest = text.as_str();
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let (argument, spec) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        add(argument.trim());
        for part in spec.split('$').rev().skip(1) {
            let start = part.rfind(|c: char| !(c.is_alphanumeric() || c == '_')).map_or(0, |i| i + 1);
            add(part[start..].trim_start_matches(|c: char| c.is_ascii_digit()));
        }
        rest = &rest[close + 1..];
    }
    names
}

/// `vec![a, b]` and `vec![a; n]`.
fn vector(rewriter: &mut Rewriter<'_>, mac: &mut Macro) -> bool {
    let repeat = |input: ParseStream<'_>| {
        let value: Expr = input.parse()?;
        let semi: Token![;] = input.parse()?;
        Ok((value, semi, input.parse::<Expr>()?))
    };
    if let Ok((mut value, semi, mut length)) = mac.parse_body_with(repeat) {
        rewriter.visit_expr_mut(&mut value);
        rewriter.visit_expr_mut(&mut length);
        mac.tokens = quote!(#value #semi #length);
        return true;
    }
    format_like(rewriter, mac, usize::MAX)
}

/// `matches!(value, pattern if guard)`.
fn matches(rewriter: &mut Rewriter<'_>, mac: &mut Macro) -> bool {
    let parser = |input: ParseStream<'_>| {
        let value: Expr = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse::<Expr>()?)
        } else {
            None
        };
        input.parse::<Option<Token![,]>>()?;
        Ok((value, pat, guard))
    };
    let Ok((mut value, mut pat, mut guard)) = mac.parse_body_with(parser) else { return false };
    rewriter.visit_expr_mut(&mut value);
    rewriter.in_scope(|rewriter| {
        rewriter.visit_pat_mut(&mut pat);
        if let Some(guard) = &mut guard {
            rewriter.visit_expr_mut(guard);
        }
    });
    let guard = guard.map(|guard| quote!(if #guard));
    mac.tokens = quote!(#value, #pat #guard);
    true
}

fn foreign(rewriter: &mut Rewriter<'_>, mac: &mut Macro) {
    let mut captured = Vec::new();
    if let Ok(args) = Args::parse_terminated.parse2(mac.tokens.clone()) {
        for arg in &args {
            captured.extend(captures(rewriter, arg, &args));
        }
    } else {
        hidden_captures(rewriter, &mac.tokens);
    }
    mac.tokens = replace(rewriter, mac.tokens.clone());
    for name in captured {
        if let Some(value) = rewriter.token(&name) {
            let comma = if ends_with_comma(&mac.tokens) { quote!() } else { quote!(,) };
            mac.tokens.extend(quote!(#comma #name = #value));
        }
    }
}

fn ends_with_comma(tokens: &TokenStream) -> bool {
    matches!(tokens.clone().into_iter().last(), Some(TokenTree::Punct(p)) if p.as_char() == ',')
}

/// A string in tokens that are no list of expressions may capture a name that cannot be given.
fn hidden_captures(rewriter: &mut Rewriter<'_>, tokens: &TokenStream) {
    for token in tokens.clone() {
        match token {
            TokenTree::Group(group) => hidden_captures(rewriter, &group.stream()),
            TokenTree::Literal(literal) => {
                let Ok(string) = syn::parse2::<LitStr>(literal.to_token_stream()) else { continue };
                if let Some(name) = inline_names(&string).iter().find(|name| rewriter.is_model_name(name)) {
                    rewriter.wrong(
                        literal.span(),
                        format!(
                            "this string captures `{name}` inside a macro that cannot be read; pass it as an argument"
                        ),
                    );
                }
            }
            _ => {}
        }
    }
}

/// Replaces model names that could be expressions.
fn replace(rewriter: &mut Rewriter<'_>, tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let punct = |i: Option<usize>| match i.and_then(|i| tokens.get(i)) {
        Some(TokenTree::Punct(p)) => Some(p.as_char()),
        _ => None,
    };
    let mut out = TokenStream::new();
    let mut i = 0;
    while let Some(token) = tokens.get(i) {
        match token {
            TokenTree::Ident(ident) => {
                let before = punct(i.checked_sub(1));
                let after = punct(Some(i + 1));
                let range = before == Some('.') && punct(i.checked_sub(2)) == Some('.');
                let member = matches!(before, Some(':' | '$' | '\'')) || (before == Some('.') && !range);
                let label = after == Some(':');
                if let (false, Some(TokenTree::Group(group))) = (member || label, tokens.get(i + 1)) {
                    if let Some(call) = rewriter.action_in_tokens(ident, group) {
                        out.extend(call);
                        i += 2;
                        continue;
                    }
                }
                match (!member && !label).then(|| rewriter.token(ident)).flatten() {
                    Some(replacement) => out.extend(replacement),
                    None => out.extend([token.clone()]),
                }
            }
            TokenTree::Group(group) => {
                let content = replace(rewriter, group.stream());
                // Invisible delimiters do not survive in what a procedural macro gives back.
                let delimiter = match group.delimiter() {
                    Delimiter::None if group.stream().into_iter().count() > 1 => Delimiter::Parenthesis,
                    other => other,
                };
                let mut inner = Group::new(delimiter, content);
                inner.set_span(group.span());
                out.extend([TokenTree::Group(inner)]);
            }
            other => out.extend([other.clone()]),
        }
        i += 1;
    }
    out
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    #[test]
    fn names_in_format_strings() {
        let string = LitStr::new("{s} {{no}} {} {0} {i:>width$.prec$} {r:?} {x:3$}", Span::call_site());
        let names: Vec<String> = inline_names(&string).iter().map(ToString::to_string).collect();
        assert_eq!(names, ["s", "i", "prec", "width", "r", "x"]);
    }
}
