//! What can be said of types from their tokens.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{BinOp, Expr, Lit, Type, UnOp, parse_quote};

use super::names::{Meaning, Names};
use crate::errors::Errors;
use crate::syntax::{Item, Model};

const INTEGERS: &[&str] = &["u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"];

/// Types through which state could change unseen.
const INTERIOR: &[&str] = &[
    "Cell",
    "RefCell",
    "OnceCell",
    "LazyCell",
    "UnsafeCell",
    "Mutex",
    "RwLock",
    "OnceLock",
    "LazyLock",
    "Rc",
    "AtomicBool",
    "AtomicI8",
    "AtomicI16",
    "AtomicI32",
    "AtomicI64",
    "AtomicIsize",
    "AtomicPtr",
    "AtomicU8",
    "AtomicU16",
    "AtomicU32",
    "AtomicU64",
    "AtomicUsize",
];

/// Rejects types with interior mutability where they can be seen.
pub(super) fn check(model: &Model, errors: &mut Errors) {
    for item in &model.items {
        let ty = match item {
            Item::Param(param) => &param.ty,
            Item::State(state) => &state.ty,
            Item::Tally(tally) => &tally.ty,
            _ => continue,
        };
        if let Some(found) = interior(quote::quote!(#ty)) {
            errors.at(
                found.span(),
                format!(
                    "`{found}` could change without any clock being refreshed; \
                     hold the plain value, a variable of the model can be written as it is"
                ),
            );
        }
    }
}

fn interior(tokens: TokenStream) -> Option<Ident> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Ident(ident) if INTERIOR.iter().any(|name| ident == name) => Some(ident),
        TokenTree::Group(group) => interior(group.stream()),
        _ => None,
    })
}

/// A type as one would write it.
pub(crate) fn text(ty: &Type) -> String {
    let text = quote::quote!(#ty).to_string();
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let tight = |c: char| "<>:&[]();".contains(c);
        let next_tight = chars.peek().is_some_and(|&c| tight(c) || c == ',');
        let after_tight = out.ends_with(|c| tight(c) && c != ';');
        if c == ' ' && (next_tight || after_tight) {
            continue;
        }
        out.push(c);
    }
    out
}

/// The type's name if it is a single plain one.
pub(super) fn primitive(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) if path.qself.is_none() => path.path.get_ident().map(ToString::to_string),
        Type::Paren(paren) => primitive(&paren.elem),
        Type::Group(group) => primitive(&group.elem),
        _ => None,
    }
}

/// Whether it is `f64` or `f32`.
pub(crate) fn is_float(ty: &Type) -> bool {
    matches!(primitive(ty).as_deref(), Some("f64" | "f32"))
}

/// Whether recorders take an output of this type.
pub(crate) fn is_number(ty: &Type) -> bool {
    is_float(ty) || primitive(ty).is_some_and(|name| name == "bool" || INTEGERS.contains(&name.as_str()))
}

/// Whether values of this type are plainly cheap to copy.
pub(crate) fn is_plain(ty: &Type) -> bool {
    match ty {
        Type::Paren(paren) => is_plain(&paren.elem),
        Type::Group(group) => is_plain(&group.elem),
        Type::Tuple(tuple) => tuple.elems.iter().all(is_plain),
        Type::Array(array) => is_plain(&array.elem),
        Type::Path(path) if path.path.segments.last().is_some_and(|last| last.ident == "Key") => true,
        other => is_number(other) || primitive(other).as_deref() == Some("char"),
    }
}

/// Whether the type is certainly not an integer.
pub(super) fn is_no_integer(ty: &Type) -> bool {
    match ty {
        Type::Path(_) => {
            primitive(ty).is_some_and(|name| ["f64", "f32", "bool", "char", "str", "String"].contains(&name.as_str()))
                || matches!(ty, Type::Path(path) if path.path.segments.iter().any(|s| !s.arguments.is_empty()))
        }
        Type::Paren(paren) => is_no_integer(&paren.elem),
        Type::Group(group) => is_no_integer(&group.elem),
        _ => true,
    }
}

/// An integer literal where a time or a rate is meant; also at the ends of a range of such.
pub(super) fn float(expr: &Expr) -> Expr {
    match expr {
        Expr::Lit(literal) => {
            if let Lit::Int(int) = &literal.lit {
                if int.suffix().is_empty() {
                    let float = syn::LitFloat::new(&format!("{}.0", int.base10_digits()), int.span());
                    return parse_quote!(#float);
                }
            }
            expr.clone()
        }
        Expr::Paren(inner) => float(&inner.expr),
        Expr::Group(inner) => float(&inner.expr),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            let mut unary = unary.clone();
            unary.expr = Box::new(float(&unary.expr));
            Expr::Unary(unary)
        }
        Expr::Range(range) => {
            let mut range = range.clone();
            for end in [&mut range.start, &mut range.end].into_iter().flatten() {
                **end = float(end);
            }
            Expr::Range(range)
        }
        other => other.clone(),
    }
}

/// Whether a constant's type depends on its use: untyped integers and what is made of them.
pub(super) fn is_open_integer(expr: &Expr, names: &Names<'_>) -> bool {
    let tail = |block: &syn::Block| match block.stmts.last() {
        Some(syn::Stmt::Expr(expr, None)) => is_open_integer(expr, names),
        _ => false,
    };
    match expr {
        Expr::Lit(_) => is_bare_integer(expr),
        Expr::Paren(inner) => is_open_integer(&inner.expr, names),
        Expr::Group(inner) => is_open_integer(&inner.expr, names),
        Expr::Unary(unary) => is_open_integer(&unary.expr, names),
        Expr::Binary(binary) => is_open_integer(&binary.left, names) && is_open_integer(&binary.right, names),
        Expr::Block(block) => tail(&block.block),
        Expr::If(choice) => {
            tail(&choice.then_branch)
                && choice.else_branch.as_ref().is_some_and(|(_, other)| is_open_integer(other, names))
        }
        Expr::Match(choice) => choice.arms.iter().all(|arm| is_open_integer(&arm.body, names)),
        Expr::Path(path) => match path.path.get_ident().and_then(|ident| names.meaning(ident)) {
            Some(Meaning::Let(index)) => {
                let definition = names.lets[index].definition;
                definition.ty.is_none() && !names.circular && is_open_integer(&definition.expr, names)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a constant borrows from a param, as far as that can be seen; then it cannot be kept.
pub(super) fn is_borrowed(ty: Option<&Type>, expr: &Expr) -> bool {
    match (ty, expr) {
        (Some(ty), _) => {
            let text = text(ty);
            text.contains('&') || text.contains("'_")
        }
        (None, Expr::Reference(_)) => true,
        (None, Expr::Paren(inner)) => is_borrowed(None, &inner.expr),
        (None, Expr::Group(inner)) => is_borrowed(None, &inner.expr),
        (None, Expr::MethodCall(call)) => {
            let name = call.method.to_string();
            [
                "as_", "iter", "first", "last", "get", "trim", "chars", "split", "windows", "chunks", "strip", "keys",
                "values",
            ]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        }
        _ => false,
    }
}

/// Whether an expression is plainly no integer, so that its arithmetic is left alone.
pub(super) fn is_no_integer_expr(expr: &Expr, names: &Names<'_>) -> bool {
    match expr {
        Expr::Lit(literal) => matches!(literal.lit, Lit::Float(_)),
        Expr::Cast(cast) => is_float(&cast.ty),
        Expr::Paren(inner) => is_no_integer_expr(&inner.expr, names),
        Expr::Group(inner) => is_no_integer_expr(&inner.expr, names),
        Expr::Unary(unary) => matches!(unary.op, UnOp::Neg(_)) && is_no_integer_expr(&unary.expr, names),
        Expr::Binary(binary) => {
            matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_))
                && (is_no_integer_expr(&binary.left, names) || is_no_integer_expr(&binary.right, names))
        }
        Expr::Path(path) => match path.path.get_ident() {
            Some(ident) if ident == "now" || ident == "never" || ident == "dt" => true,
            Some(ident) => match names.meaning(ident) {
                Some(Meaning::Place(place)) => is_no_integer(&names.places[place].ty),
                Some(Meaning::Let(_)) if names.circular => true,
                Some(Meaning::Let(index)) => {
                    let definition = names.lets[index].definition;
                    match &definition.ty {
                        Some(ty) => is_no_integer(ty),
                        None => is_no_integer_expr(&definition.expr, names),
                    }
                }
                _ => false,
            },
            None => false,
        },
        Expr::Index(_) => family_type(expr, names).is_some_and(|ty| is_no_integer(&ty)),
        _ => false,
    }
}

/// The type of an element of a family of states or tallies.
pub(super) fn family_type(expr: &Expr, names: &Names<'_>) -> Option<Type> {
    let mut base = expr;
    let mut brackets = 0;
    loop {
        match base {
            // A part of a family is a slice.
            Expr::Index(index) if matches!(*index.index, Expr::Range(_)) => return None,
            Expr::Index(index) => {
                brackets += 1;
                base = &index.expr;
            }
            Expr::Path(path) => {
                let Some(Meaning::Place(place)) = path.path.get_ident().and_then(|ident| names.meaning(ident)) else {
                    return None;
                };
                let place = &names.places[place];
                let element = !place.family.is_single() && brackets == place.family.brackets();
                return element.then(|| place.ty.clone());
            }
            _ => return None,
        }
    }
}

/// The type of a constant, where it is plain to see.
pub(super) fn plain(expr: &Expr, names: &Names<'_>) -> Option<Type> {
    plain_among(expr, names, &|_| None)
}

/// The same among local variables, whose types `local` knows.
pub(super) fn plain_among(expr: &Expr, names: &Names<'_>, local: &dyn Fn(&Ident) -> Option<Type>) -> Option<Type> {
    let plain = |expr: &Expr, names: &Names<'_>| plain_among(expr, names, local);
    match expr {
        Expr::Path(path) if path.path.get_ident().is_some_and(|ident| local(ident).is_some()) => {
            local(path.path.get_ident()?)
        }
        Expr::Lit(literal) => match &literal.lit {
            Lit::Float(float) if float.suffix().is_empty() => Some(parse_quote!(f64)),
            Lit::Float(float) => syn::parse_str(float.suffix()).ok(),
            Lit::Int(int) if !int.suffix().is_empty() => syn::parse_str(int.suffix()).ok(),
            Lit::Bool(_) => Some(parse_quote!(bool)),
            _ => None,
        },
        Expr::Cast(cast) => Some((*cast.ty).clone()),
        Expr::Paren(inner) => plain(&inner.expr, names),
        Expr::Group(inner) => plain(&inner.expr, names),
        Expr::Unary(unary) => {
            let ty = plain(&unary.expr, names)?;
            (primitive(&ty).is_some() && !matches!(unary.op, UnOp::Deref(_))).then_some(ty)
        }
        Expr::Path(path) => match names.meaning(path.path.get_ident()?)? {
            Meaning::Place(place) => {
                let ty = &names.places[place].ty;
                is_number(ty).then(|| ty.clone())
            }
            Meaning::Let(index) => names.constants.get(names.lets[index].constant?)?.ty.clone(),
            Meaning::Action(_) | Meaning::Set(_) | Meaning::Relation { .. } => None,
            Meaning::Event(_) | Meaning::Activity(_) | Meaning::Line(_) => None,
        },
        Expr::Binary(binary) => match binary.op {
            BinOp::Add(_) | BinOp::Sub(_) | BinOp::Mul(_) | BinOp::Div(_) | BinOp::Rem(_) => {
                let (left, right) = (plain(&binary.left, names), plain(&binary.right, names));
                // Of two operands of which one is an untyped integer literal, the other decides.
                let ty = match (left, right) {
                    (Some(left), Some(right)) => (primitive(&left)? == primitive(&right)?).then_some(left)?,
                    (Some(ty), None) if is_bare_integer(&binary.right) => ty,
                    (None, Some(ty)) if is_bare_integer(&binary.left) => ty,
                    _ => return None,
                };
                is_number(&ty).then_some(ty)
            }
            BinOp::And(_)
            | BinOp::Or(_)
            | BinOp::Eq(_)
            | BinOp::Ne(_)
            | BinOp::Lt(_)
            | BinOp::Le(_)
            | BinOp::Gt(_)
            | BinOp::Ge(_) => Some(parse_quote!(bool)),
            _ => None,
        },
        Expr::MethodCall(call) => {
            let ty = plain(&call.receiver, names)?;
            let keeps = [
                "abs", "ceil", "cos", "exp", "exp_m1", "floor", "ln", "ln_1p", "log10", "log2", "max", "min", "powf",
                "powi", "recip", "round", "signum", "sin", "sqrt", "tan", "tanh",
            ];
            (is_float(&ty) && keeps.iter().any(|name| call.method == name)).then_some(ty)
        }
        _ => None,
    }
}

fn is_bare_integer(expr: &Expr) -> bool {
    matches!(expr, Expr::Lit(literal) if matches!(&literal.lit, Lit::Int(int) if int.suffix().is_empty()))
}
