//! Elements of families, rows of relations, and the indices that they are reached by.
//!
//! An index is taken apart into a base, a constant sum and possibly a `%` by the size of its set; it is
//! evaluated as integers in that form, so that `(k - 1) % n` wraps around.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens as _, format_ident, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::VisitMut as _;
use syn::{BinOp, Expr, Lit, Pat, UnOp, parse_quote, parse_quote_spanned};

use super::flows::Written;
use super::{Rewriter, function, handle, here, log_handle, pair_handle, single, size_handle, trace_handle};
use crate::resolve::access::Element;
use crate::resolve::forms::{Atom, Base, Form, Sum};
use crate::resolve::names::{Meaning, Place, PlaceKind};

/// An index that has been looked at.
#[derive(Debug)]
pub(super) struct Index {
    /// Its value, a `usize`.
    code: TokenStream,
    form: Form,
    span: Span,
}

/// An expression as a base and a sum of constants.
#[derive(Default)]
struct Linear {
    base: Option<Expr>,
    sum: Sum,
    /// What the sum is made of, for evaluation: expressions and how often each counts.
    parts: Vec<(Expr, i64)>,
    wrap: Option<usize>,
    /// Whether a cast says that it is to be taken as a number.
    cast: bool,
}

/// What an iterator gives.
#[derive(Clone, Debug)]
struct Item {
    form: Form,
    set: Option<usize>,
    /// Whether it comes in front of a value.
    entry: bool,
}

impl Rewriter<'_> {
    /// The size of a set.
    pub(super) fn size(&mut self, set: usize, span: Span) -> Ident {
        self.access.sets.insert(set);
        let mut size = size_handle(&self.names.sets[set].ident);
        size.set_span(here(span));
        size
    }

    /// Looks at an index of something over `axis` that is called `whose`.
    pub(super) fn index(&mut self, expr: &Expr, axis: Option<usize>, whose: &Ident) -> Index {
        if let Some(relation) = self.called_relation(expr) {
            let of = expr.to_token_stream();
            self.wrong(
                expr.span(),
                format!("a row of `{relation}` holds several members: `{of}.map(|j| {whose}[j])`, or `for j in {of} {{ … }}`"),
            );
        }
        if let Some(activity) = axis.and_then(|axis| self.names.sets[axis].activity) {
            if self.is_neighbour(expr, axis) {
                let message = "an instance has no neighbours: take a key, or a member as it is";
                self.wrong(expr.span(), message.to_owned());
                return Index { code: quote!(0usize), form: Form::unknown(), span: expr.span() };
            }
            if let Some(index) = self.instance(expr, activity) {
                return index;
            }
        }
        let linear = self.linear(expr, axis);
        let (form, set) = self.form_of_linear(&linear);
        if let (Some(set), Some(axis)) = (set, axis) {
            if set != axis {
                let (set, axis) = (&self.names.sets[set].ident, &self.names.sets[axis].ident);
                self.wrong(
                    expr.span(),
                    format!(
                        "this is an index of `{set}`, and `{whose}` takes one of `{axis}`; if the number is meant, \
                         write it with `as usize`"
                    ),
                );
            }
        }
        Index { code: self.code_of_linear(linear), form, span: expr.span() }
    }

    /// The number of an instance that is known to be a member of the set of all.
    fn instance_number(&mut self, expr: &Expr) -> Option<TokenStream> {
        let Expr::Path(path) = expr else {
            let set = self.base_form(expr).1?;
            self.names.sets[set].activity?;
            let mut key = expr.clone();
            self.visit_expr_mut(&mut key);
            return Some(quote!((#key).index()));
        };
        let local = self.locals.find(single(path)?)?;
        self.names.sets[local.set?].activity?;
        match local.rename.clone() {
            Some(renamed) => {
                self.met += 1;
                Some(quote!(#renamed))
            }
            None => Some(quote!(#path.index())),
        }
    }

    /// Whether `expr` is a sum or rest of a member of this set.
    fn is_neighbour(&self, expr: &Expr, set: Option<usize>) -> bool {
        match expr {
            Expr::Paren(inner) => self.is_neighbour(&inner.expr, set),
            Expr::Binary(binary) => [&binary.left, &binary.right]
                .into_iter()
                .any(|side| self.base_form(side).1 == set || self.is_neighbour(side, set)),
            _ => false,
        }
    }

    /// The index of an instance of an activity, from its key; `None` if `expr` is an index already.
    fn instance(&mut self, expr: &Expr, activity: usize) -> Option<Index> {
        let own = matches!(expr, Expr::Path(path) if single(path).is_some_and(|ident| ident == "me"));
        if self.base_form(expr).0 != Form::unknown() {
            return None;
        }
        let span = here(expr.span());
        let names = self.names;
        let known = &names.activities[activity];
        let key = self.key(expr, &known.activity.ident);
        // The own instance is there.
        if own && self.activity == Some(activity) {
            return Some(Index { code: quote_spanned!(span=> #key.index()), form: Form::unknown(), span: expr.span() });
        }
        let name = known.activity.ident.to_string();
        let field = format_ident!("of_{}", syn::ext::IdentExt::unraw(&known.activity.ident), span = span);
        let schedule = self.scheduled(known.place, false, expr.span());
        let code = self.fails_or(
            quote_spanned!(span=> #schedule.activities.#field.index(#key, #name)),
            |flag| {
                quote_spanned!(span=>
                    match #schedule.activities.#field.index(#key, #name) {
                        __cr::core::result::Result::Ok(__crt_index) => __crt_index,
                        __cr::core::result::Result::Err(__crt_fault) => {
                            #flag.raise(__crt_fault);
                            0usize
                        }
                    }
                )
            },
            span,
        );
        Some(Index { code, form: Form::unknown(), span: expr.span() })
    }

    /// The relation that `expr` is a row of.
    fn called_relation<'e>(&self, expr: &'e Expr) -> Option<&'e Ident> {
        let Expr::Call(call) = expr else { return None };
        let Expr::Path(path) = &*call.func else { return None };
        let ident = single(path).filter(|ident| self.locals.find(ident).is_none())?;
        matches!(self.names.meaning(ident)?, Meaning::Relation { .. }).then_some(ident)
    }

    /// The value of an index.
    fn code_of_linear(&mut self, linear: Linear) -> TokenStream {
        let private = self.private();
        let Linear { base, sum, parts, wrap, .. } = linear;
        let span = base.as_ref().map_or_else(Span::call_site, syn::spanned::Spanned::span);
        let base = base.map(|mut base| {
            let inner = self.linear(&base, None);
            if inner.wrap.is_some() {
                return self.code_of_linear(inner);
            }
            if let Some(member) = self.instance_number(&base) {
                return member;
            }
            self.visit_expr_mut(&mut base);
            quote!(#base)
        });
        let plain = sum.literal == 0 && parts.is_empty();
        let mut code = match base {
            Some(base) => quote_spanned!(here(span)=> #private::element::index(#base)),
            None => quote!(0usize),
        };
        if plain && wrap.is_none() {
            return code;
        }
        if sum.literal != 0 {
            let by = proc_macro2::Literal::isize_suffixed(isize::try_from(sum.literal).unwrap_or(isize::MAX));
            code = quote!(#code.wrapping_add_signed(#by));
        }
        for (mut part, factor) in parts {
            self.visit_expr_mut(&mut part);
            let part = quote_spanned!(here(part.span())=> #private::element::index(#part));
            code = match factor {
                1 => quote!(#code.wrapping_add(#part)),
                -1 => quote!(#code.wrapping_sub(#part)),
                _ => {
                    let factor = proc_macro2::Literal::isize_suffixed(isize::try_from(factor).unwrap_or(isize::MAX));
                    quote!(#code.wrapping_add_signed((#part as isize).wrapping_mul(#factor)))
                }
            };
        }
        match wrap {
            Some(set) => {
                let size = self.size(set, span);
                quote!(#private::element::wrap(#code, #size))
            }
            None => code,
        }
    }

    /// Takes an index apart.
    fn linear(&self, expr: &Expr, axis: Option<usize>) -> Linear {
        let atom = |expr: &Expr, atom: Atom| Linear {
            sum: Sum::of_atom(expr.to_token_stream().to_string(), atom, 1),
            parts: vec![(expr.clone(), 1)],
            ..Linear::default()
        };
        let opaque = || Linear { base: Some(expr.clone()), ..Linear::default() };
        match expr {
            Expr::Paren(inner) => self.linear(&inner.expr, axis),
            Expr::Group(inner) => self.linear(&inner.expr, axis),
            Expr::Cast(cast) if cast.ty.to_token_stream().to_string() == "usize" => {
                let inner = self.linear(&cast.expr, axis);
                let is_index = inner.base.as_ref().is_some_and(|base| self.base_form(base).0 != Form::unknown());
                if is_index { Linear { cast: true, ..inner } } else { opaque() }
            }
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(int) => match int.base10_parse() {
                    Ok(value) => Linear { sum: Sum::of(value), ..Linear::default() },
                    Err(_) => opaque(),
                },
                _ => opaque(),
            },
            Expr::Path(path) => match single(path) {
                Some(ident) if self.locals.find(ident).is_some() => opaque(),
                Some(ident) => match self.names.meaning(ident) {
                    Some(Meaning::Place(place)) if matches!(self.names.places[place].kind, PlaceKind::Param { .. }) => {
                        match axis.filter(|&axis| self.names.is_size(expr, axis)) {
                            Some(set) => atom(expr, Atom::Size(set)),
                            None => atom(expr, Atom::Param(place)),
                        }
                    }
                    Some(_) => match axis.filter(|&axis| self.names.is_size(expr, axis)) {
                        Some(set) => atom(expr, Atom::Size(set)),
                        None => opaque(),
                    },
                    None if ["now", "rng", "never"].iter().any(|word| ident == word) => opaque(),
                    None => atom(expr, Atom::Outside(quote!(#ident))),
                },
                None => atom(expr, Atom::Outside(quote!(#path))),
            },
            Expr::MethodCall(call) if call.method == "len" => match axis.filter(|&axis| self.names.is_size(expr, axis))
            {
                Some(set) => atom(expr, Atom::Size(set)),
                None => opaque(),
            },
            Expr::Binary(binary) if matches!(binary.op, BinOp::Add(_) | BinOp::Sub(_)) => {
                let factor = if matches!(binary.op, BinOp::Add(_)) { 1 } else { -1 };
                let nested = |side: &Expr| {
                    let linear = self.linear(side, axis);
                    // What wraps is the base of what is added to it.
                    if linear.wrap.is_some() {
                        Linear { base: Some(side.clone()), ..Linear::default() }
                    } else {
                        linear
                    }
                };
                let (left, right) = (nested(&binary.left), nested(&binary.right));
                let base = match (left.base, right.base, factor) {
                    (Some(base), None, _) | (None, Some(base), 1) => Some(base),
                    (None, None, _) => None,
                    _ => return opaque(),
                };
                let mut parts = left.parts;
                parts.extend(right.parts.into_iter().map(|(part, count)| (part, factor * count)));
                Linear {
                    base,
                    sum: left.sum.plus(&right.sum, factor),
                    parts,
                    wrap: None,
                    cast: left.cast || right.cast,
                }
            }
            // A multiple of something constant.
            Expr::Binary(binary) if matches!(binary.op, BinOp::Mul(_)) => {
                let (left, right) = (self.linear(&binary.left, axis), self.linear(&binary.right, axis));
                let number =
                    |linear: &Linear| linear.base.is_none() && linear.parts.is_empty() && linear.wrap.is_none();
                let (times, of) = match (number(&left), number(&right)) {
                    (true, _) => (left.sum.literal, right),
                    (_, true) => (right.sum.literal, left),
                    _ => return opaque(),
                };
                if of.base.is_some() || of.wrap.is_some() {
                    return opaque();
                }
                let parts = of.parts.into_iter().map(|(part, count)| (part, times * count)).collect();
                Linear { sum: Sum::default().plus(&of.sum, times), parts, ..Linear::default() }
            }
            Expr::Binary(binary) if matches!(binary.op, BinOp::Rem(_)) => {
                let inner = self.linear(&binary.left, axis);
                let set = axis.or_else(|| inner.base.as_ref().and_then(|base| self.base_form(base).1));
                let set = set.filter(|&set| self.names.is_size(&binary.right, set));
                match set {
                    Some(set) => {
                        // With the set known, what adds its size adds nothing.
                        let inner = self.linear(&binary.left, Some(set));
                        if inner.wrap.is_some() {
                            return Linear { base: Some((*binary.left).clone()), wrap: Some(set), ..Linear::default() };
                        }
                        let Linear { base, sum, parts, cast, .. } = inner;
                        let parts = parts.into_iter().filter(|(part, _)| !self.names.is_size(part, set)).collect();
                        Linear { base, sum, parts, wrap: Some(set), cast }
                    }
                    None => opaque(),
                }
            }
            _ => opaque(),
        }
    }

    fn form_of_linear(&self, linear: &Linear) -> (Form, Option<usize>) {
        let (base, set) = match &linear.base {
            Some(base) => self.base_form(base),
            None => (Form::plain(Base::Fixed), None),
        };
        // What is larger than the set goes around it more than once; that has no inverse.
        if linear.base.is_some() && linear.wrap.is_some() && linear.wrap != set {
            return (Form::unknown(), if linear.cast { linear.wrap } else { set.or(linear.wrap) });
        }
        let set = if linear.cast { None } else { set };
        (base.shifted(&linear.sum, linear.wrap), set.or(linear.wrap.filter(|_| !linear.cast)))
    }

    /// What the base of an index stands for, and the set that it is a member of.
    fn base_form(&self, expr: &Expr) -> (Form, Option<usize>) {
        match expr {
            Expr::Paren(inner) => self.base_form(&inner.expr),
            Expr::Group(inner) => self.base_form(&inner.expr),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => self.base_form(&unary.expr),
            Expr::Path(path) => match single(path).and_then(|ident| self.locals.find(ident)) {
                Some(local) => (local.form.clone(), local.set),
                None => (Form::unknown(), None),
            },
            Expr::Binary(_) => {
                let linear = self.linear(expr, None);
                if linear.wrap.is_some() { self.form_of_linear(&linear) } else { (Form::unknown(), None) }
            }
            _ => (Form::unknown(), None),
        }
    }

    /// What a local variable that is `init` stands for.
    pub(super) fn form_of(&self, init: &Expr) -> (Form, Option<usize>) {
        let linear = self.linear(init, None);
        match linear.base {
            // A constant alone need not be an index.
            None => (Form::unknown(), None),
            Some(_) => self.form_of_linear(&linear),
        }
    }

    /// An element of a family, or a use of a family of definitions; `None` if `expr` is neither.
    pub(super) fn element(&mut self, expr: &Expr, write: bool) -> Option<Expr> {
        let (ident, brackets) = chain(expr)?;
        if self.locals.find(ident).is_some() {
            return None;
        }
        let names = self.names;
        let (family, place) = match names.meaning(ident)? {
            Meaning::Place(place) => (&names.places[place].family, Some(place)),
            Meaning::Let(index) => (&names.lets[index].family, None),
            Meaning::Relation { .. } if brackets.len() == 1 => {
                self.wrong(ident.span(), format!("`{ident}` is a relation; its members are `{ident}(…)`"));
                return Some(parse_quote!(loop {}));
            }
            _ => return None,
        };
        if family.is_single() || brackets.len() > family.brackets() {
            return None;
        }
        // A part of a family is taken from the slice of all elements.
        if place.is_some() && matches!(brackets[..], [Expr::Range(_)]) && family.pairs.is_none() {
            if family.binders.len() == 1 {
                return None;
            }
            self.wrong(expr.span(), format!("`{ident}` is a table; a part of it as a slice is `(&{ident})[…]`"));
        }
        let ident = ident.clone();
        let given: Vec<&Expr> = match (family.pairs, brackets.as_slice()) {
            (Some(_), [Expr::Tuple(tuple)]) => tuple.elems.iter().collect(),
            (Some(_), _) => Vec::new(),
            (None, brackets) => brackets.to_vec(),
        };
        if given.len() != family.binders.len() {
            let names: Vec<String> = family.binders.iter().map(|(binder, _)| binder.to_string()).collect();
            let form = match family.pairs {
                Some(_) => format!("{ident}[({})]", names.join(", ")),
                None => format!("{ident}[{}]", names.join("][")),
            };
            let row = match (family.pairs, family.binders.last()) {
                (None, Some((last, set))) if given.len() + 1 == names.len() => {
                    let (set, all) = (&self.names.sets[*set].ident, &form);
                    format!("; the members of a row are `{set}.map(|{last}| {all})`")
                }
                _ => String::new(),
            };
            self.wrong(expr.span(), format!("`{ident}` is used as `{form}`{row}"));
            return Some(parse_quote!(loop {}));
        }
        let sets: Vec<usize> = family.sets().collect();
        let indices: Vec<Index> =
            given.into_iter().zip(sets).map(|(index, set)| self.index(index, Some(set), &ident)).collect();
        match place {
            Some(place) => Some(self.place_element(&ident, place, indices, write, expr.span())),
            None => {
                let Some(Meaning::Let(index)) = names.meaning(&ident) else { return None };
                if write {
                    self.wrong(ident.span(), format!("`{ident}` is a definition; write the states it is made of"));
                }
                Some(self.definition(&ident, index, indices))
            }
        }
    }

    fn place_element(&mut self, ident: &Ident, place: usize, indices: Vec<Index>, write: bool, span: Span) -> Expr {
        self.may_touch(ident, place, write);
        self.access.touch(place, write);
        let private = self.private();
        let names = self.names;
        let forms: Vec<Form> = indices.iter().map(|index| index.form.clone()).collect();
        let name = ident.to_string();
        let span = here(span);
        let mut handle = handle(ident);
        handle.set_span(here(ident.span()));
        let linear = self.linear_index(ident, &names.places[place].family, indices);
        let known = forms.iter().all(Form::is_known);
        if !write {
            let mut at = quote_spanned!(span=> #linear);
            let follows = self.follows(ident, place);
            self.used_by_flow(ident, place, &forms, span);
            if self.mode.traced {
                if known {
                    self.access.touch_element(Element { place, forms, write, inverse: false });
                } else if self.mode.widens {
                    self.access.whole.insert((place, false));
                } else {
                    self.access.traced.insert(place);
                    let trace = trace_handle(ident);
                    at = quote_spanned!(span=> { let __crt_at = #at; #trace.note(__crt_at); __crt_at });
                }
            }
            if follows {
                return self.flowing(ident, place, Some(&at), span);
            }
            let read = self.fails_or(
                quote_spanned!(span=> #private::element::at(&*#handle, #at, #name)),
                |flag| quote_spanned!(span=> #private::element::at_or(&*#handle, #at, #name, #flag)),
                span,
            );
            return parse_quote_spanned!(span=> (*#read));
        }
        // In a closure an index outside its set is told afterwards, and something has been written until then.
        let direct = self.closures == 0 && forms.iter().all(Form::is_direct);
        let anchors = self.anchors(place, &Written::Element { forms: &forms, direct }, span);
        let note = if direct {
            self.access.touch_element(Element { place, forms, write, inverse: false });
            quote!()
        } else {
            self.access.logged.insert(place);
            self.note(place, &quote!(__crt_at), span)
        };
        let found = self.fails_or(
            quote_spanned!(span=> #private::element::check(&*#handle, __crt_at, #name)),
            |flag| quote_spanned!(span=> #private::element::check_or(&*#handle, __crt_at, #name, #flag)),
            span,
        );
        parse_quote_spanned!(span=> (*{
            let __crt_at = #linear;
            let __crt_at = #found;
            #note
            #anchors
            &mut #handle[__crt_at]
        }))
    }

    /// Notes that an element is about to be written, and what it was.
    pub(super) fn note(&self, place: usize, at: &TokenStream, span: Span) -> TokenStream {
        let private = self.private();
        let place = &self.names.places[place];
        let (handle, log) = (handle(&place.ident), log_handle(&place.ident));
        if self.names.rollback || place.flow.is_some() {
            quote_spanned!(span=> #private::family::note_clone(&mut *#log, #at, &*#handle);)
        } else {
            quote_spanned!(span=> (&#private::family::noted(&*#handle)).__cr_note(&mut *#log, #at, &*#handle);)
        }
    }

    /// An element of a family of definitions that has been evaluated at the start.
    pub(super) fn constant_element(&mut self, ident: &Ident, number: usize, indices: Vec<Index>) -> Expr {
        let private = self.private();
        self.access.constant = true;
        self.access.constants.insert(number);
        let (handle, name, span) = (super::constant_handle(ident), ident.to_string(), here(ident.span()));
        let names = self.names;
        let at = self.linear_index(ident, &names.constants[number].family, indices);
        let read = self.fails_or(
            quote_spanned!(span=> #private::element::at(&#handle[..], #at, #name)),
            |flag| quote_spanned!(span=> #private::element::at_or(&#handle[..], #at, #name, #flag)),
            span,
        );
        parse_quote_spanned!(span=> (*#read))
    }

    /// The number of an element, from its indices.
    fn linear_index(&mut self, ident: &Ident, family: &crate::resolve::Family, indices: Vec<Index>) -> TokenStream {
        let names = self.names;
        let Some(relation) = family.pairs else {
            let sets: Vec<usize> = family.sets().collect();
            return self.row(ident, &sets, indices);
        };
        let own = self.pairs == Some(relation)
            && indices.iter().enumerate().all(|(i, index)| index.form == Form::plain(Base::Binder(i)));
        if own {
            self.access.pair = true;
            return pair_handle().into_token_stream();
        }
        let private = self.private();
        let found = &names.relations[relation];
        let mut indices = indices;
        let Some(member) = indices.pop() else { return TokenStream::new() };
        let row = self.row(&found.ident, &found.rows, indices);
        let handle = self.relation_handle(relation);
        let (name, member) = (ident.to_string(), member.code);
        self.fails_or(
            quote!(#private::element::pair(#handle.find(#row, #member), #row, #member, #name)),
            |flag| quote!(#private::element::pair_or(#handle.find(#row, #member), #row, #member, #name, #flag)),
            Span::call_site(),
        )
    }

    /// The number of a member of a product of sets.
    fn row(&mut self, ident: &Ident, sets: &[usize], indices: Vec<Index>) -> TokenStream {
        let private = self.private();
        if let ([_], [_]) = (sets, indices.as_slice()) {
            return indices.into_iter().map(|index| index.code).collect();
        }
        let sizes: Vec<Ident> = sets.iter().zip(&indices).map(|(&set, index)| self.size(set, index.span)).collect();
        let (name, codes) = (ident.to_string(), indices.iter().map(|index| &index.code).collect::<Vec<_>>());
        self.fails_or(
            quote!(#private::element::linear([#(#codes),*], [#(#sizes),*], #name)),
            |flag| quote!(#private::element::linear_or([#(#codes),*], [#(#sizes),*], #name, #flag)),
            Span::call_site(),
        )
    }

    /// The value of a result, or an end of the function; in a closure, what the flagged version gives.
    pub(super) fn fails_or(
        &mut self,
        result: TokenStream,
        flagged: impl FnOnce(&Ident) -> TokenStream,
        span: Span,
    ) -> TokenStream {
        let private = self.private();
        if self.closures > 0 {
            self.access.flag = true;
            return flagged(&Ident::new("__crt_flag", span));
        }
        quote_spanned! {span=>
            match #result {
                #private::core::result::Result::Ok(__crt_value) => __crt_value,
                #private::core::result::Result::Err(__crt_fault) => {
                    return #private::core::result::Result::Err(__crt_fault)
                }
            }
        }
    }

    /// An index of a definition as a variable, which the definition sees.
    pub(super) fn definition_index(&mut self, whose: &Ident, ident: &Ident, set: usize, index: Index) -> TokenStream {
        self.uses += 1;
        let variable = format_ident!("__crb_{}_{}", ident, self.uses);
        let form = index.form.clone();
        let value = self.member(index, set, whose);
        self.locals.index(ident, variable.clone(), form, Some(set));
        quote!(let #variable: usize = #value;)
    }

    /// An index as a member of a set.
    pub(super) fn member(&mut self, index: Index, set: usize, whose: &Ident) -> Expr {
        let private = self.private();
        let (name, code, span) = (whose.to_string(), index.code, here(index.span));
        if self.names.sets[set].activity.is_some() {
            // A key has been looked at, and how many there are may have changed in this body.
            return parse_quote_spanned!(span=> #code);
        }
        let size = self.size(set, span);
        let checked = self.fails_or(
            quote_spanned!(span=> #private::element::member(#code, #size, #name)),
            |flag| quote_spanned!(span=> #private::element::member_or(#code, #size, #name, #flag)),
            span,
        );
        syn::parse2(checked).unwrap_or_else(|_| parse_quote!(loop {}))
    }

    /// The number of the element at `forms`, where index number i has the value `__crt_i`: an `Option`.
    pub(super) fn number_of(&mut self, place: &Place, forms: &[Form], span: Span) -> Option<TokenStream> {
        let private = self.private();
        let sets: Vec<usize> = place.family.sets().collect();
        let values: Vec<TokenStream> =
            forms.iter().map(|form| self.value_of(form, span)).collect::<Option<Vec<_>>>()?;
        let Some(relation) = place.family.pairs else {
            if let ([set], [value]) = (&sets[..], &values[..]) {
                if self.names.sets[*set].activity.is_some() {
                    return Some(quote!(#private::core::option::Option::Some(#value)));
                }
            }
            let sizes: Vec<Ident> = sets.iter().map(|&set| self.size(set, span)).collect();
            return Some(quote!(#private::element::linear_of([#(#values),*], [#(#sizes),*])));
        };
        let handle = self.relation_handle(relation);
        let (member, row) = values.split_last()?;
        let sizes: Vec<Ident> = sets[..row.len()].iter().map(|&set| self.size(set, span)).collect();
        Some(quote!(
            #private::element::linear_of([#(#row),*], [#(#sizes),*]).and_then(|__crt_row| #handle.find(__crt_row, #member))
        ))
    }

    /// The value of a direct form over `__crt_0`, `__crt_1`, ….
    fn value_of(&mut self, form: &Form, span: Span) -> Option<TokenStream> {
        let private = self.private();
        let mut code = match &form.base {
            Base::Fixed => quote!(0usize),
            Base::Binder(number) => {
                let value = Ident::new(&format!("__crt_{number}"), span);
                quote!(#value)
            }
            Base::Form(inner) => self.value_of(inner, span)?,
            _ => return None,
        };
        let literal = proc_macro2::Literal::isize_suffixed(isize::try_from(form.by.literal).unwrap_or(isize::MAX));
        code = quote!(#code.wrapping_add_signed(#literal));
        for (atom, count) in form.by.terms.values() {
            let value = match atom {
                Atom::Param(place) => {
                    self.access.touch(*place, false);
                    let handle = handle(&self.names.places[*place].ident);
                    quote!(*#handle)
                }
                Atom::Size(set) => self.size(*set, span).into_token_stream(),
                Atom::Outside(path) => path.clone(),
            };
            let count = proc_macro2::Literal::isize_suffixed(isize::try_from(*count).unwrap_or(isize::MAX));
            code = quote!(#code.wrapping_add_signed((#private::element::index(#value) as isize).wrapping_mul(#count)));
        }
        if let Some(set) = form.wrap {
            let size = self.size(set, span);
            code = quote!(#private::element::wrap(#code, #size));
        }
        Some(code)
    }

    fn relation_handle(&mut self, relation: usize) -> Ident {
        match self.names.relations[relation].place {
            Some(place) => self.access.touch(place, false),
            None => {
                self.access.relations.insert(relation);
            }
        }
        handle(&self.names.relations[relation].ident)
    }

    /// A relation as a whole.
    pub(super) fn whole_relation(&mut self, ident: &Ident, relation: usize, inverse: bool, write: bool) -> Expr {
        self.met += 1;
        let changes = self.names.relations[relation].place.is_some();
        if inverse {
            self.wrong(ident.span(), format!("`{ident}` is the inverse of a relation; its members are `{ident}(…)`"));
        } else if write && changes {
            self.wrong(ident.span(), format!("`{ident}` changes by `{ident}.insert(…)` and `{ident}.remove(…)` only"));
        } else if write {
            let what = "does not change; declare it as a `state relation` to insert and remove pairs";
            self.wrong(ident.span(), format!("`{ident}` {what}"));
        }
        if let Some(place) = self.names.relations[relation].place {
            self.may_touch(ident, place, false);
            self.access.whole.insert((place, false));
        }
        let handle = self.relation_handle(relation);
        parse_quote_spanned!(here(ident.span())=> (*#handle))
    }

    /// A row of a relation, `near(k)`, or of its inverse.
    pub(super) fn relation_call(&mut self, expr: &mut Expr) -> bool {
        let Expr::Call(call) = &*expr else { return false };
        let Expr::Path(path) = &*call.func else { return false };
        let Some(ident) = single(path).filter(|ident| self.locals.find(ident).is_none()).cloned() else { return false };
        let Some(Meaning::Relation { relation, inverse }) = self.names.meaning(&ident) else { return false };
        self.met += 1;
        let names = self.names;
        let found = &names.relations[relation];
        let sets = if inverse { vec![found.target] } else { found.rows.clone() };
        if call.args.len() != sets.len() {
            let given = call.args.len();
            let of: Vec<String> = sets.iter().map(|&set| format!("`{}`", names.sets[set].ident)).collect();
            let message = format!("`{ident}` takes an index of {}, and gets {given}", of.join(" and one of "));
            self.wrong(expr.span(), message);
            return true;
        }
        let args: Vec<Expr> = call.args.iter().cloned().collect();
        let span = here(expr.span());
        let indices: Vec<Index> =
            args.iter().zip(&sets).map(|(arg, &set)| self.index(arg, Some(set), &ident)).collect();
        let forms: Vec<Form> = indices.iter().map(|index| index.form.clone()).collect();
        if let Some(place) = found.place {
            self.may_touch(&ident, place, false);
            self.reads_rows(place, forms, inverse);
        }
        let handle = self.relation_handle(relation);
        let private = self.private();
        let name = ident.to_string();
        let row = self.row(&ident, &sets, indices);
        let count = format_ident!("{}", if inverse { "targets" } else { "rows" });
        let row = self.fails_or(
            quote_spanned!(span=> #private::element::member(#row, #handle.#count(), #name)),
            |flag| quote_spanned!(span=> #private::element::member_or(#row, #handle.#count(), #name, #flag)),
            span,
        );
        let valued = found.value.is_some();
        *expr = match (inverse, found.rows.as_slice()) {
            (false, _) if valued => parse_quote_spanned!(span=> #handle.entries(#row)),
            (false, _) => parse_quote_spanned!(span=> #handle.members(#row)),
            (true, [_]) if valued => parse_quote_spanned!(span=> #handle.source_entries(#row)),
            (true, [_]) => parse_quote_spanned!(span=> #handle.sources(#row)),
            (true, rows) => {
                let sizes: Vec<Ident> = rows.iter().map(|&set| self.size(set, span)).collect();
                let indices = quote!({
                    let [#(#sizes),*] = #private::element::indices(__crt_row, [#(#sizes),*]);
                    (#(#sizes),*)
                });
                if valued {
                    parse_quote_spanned!(span=> #handle.source_entries(#row).map(
                        move |(__crt_row, __crt_value)| (#indices, __crt_value)
                    ))
                } else {
                    parse_quote_spanned!(span=> #handle.sources(#row).map(move |__crt_row| #indices))
                }
            }
        };
        true
    }

    /// Rows of a changing relation are read.
    fn reads_rows(&mut self, place: usize, forms: Vec<Form>, inverse: bool) {
        if !self.mode.traced {
            return;
        }
        if forms.iter().all(Form::is_known) {
            self.access.touch_element(Element { place, forms, write: false, inverse });
        } else {
            self.access.whole.insert((place, false));
        }
    }

    /// A method of a relation that takes indices: `contains`, `insert`, `remove`.
    pub(super) fn relation_method(&mut self, expr: &mut Expr) -> bool {
        let Expr::MethodCall(call) = &*expr else { return false };
        let Expr::Path(path) = &*call.receiver else { return false };
        let Some(ident) = single(path).filter(|ident| self.locals.find(ident).is_none()).cloned() else { return false };
        let Some(Meaning::Relation { relation, inverse: false }) = self.names.meaning(&ident) else { return false };
        let method = call.method.clone();
        let changes = method == "insert" || method == "remove";
        if !changes && method != "contains" && method != "value" && method != "degree" {
            return false;
        }
        self.met += 1;
        let names = self.names;
        let found = &names.relations[relation];
        let mut sets = found.rows.clone();
        if method != "degree" {
            sets.push(found.target);
        }
        let valued = found.value.is_some();
        let count = sets.len() + usize::from(valued && method == "insert");
        if call.args.len() != count {
            let and = if count > sets.len() { " and a value" } else { "" };
            let message = format!("`{ident}.{method}` takes {} indices{and}, and gets {}", sets.len(), call.args.len());
            self.wrong(call.span(), message);
            return true;
        }
        let span = here(expr.span());
        let args: Vec<Expr> = call.args.iter().cloned().collect();
        let mut indices: Vec<Index> =
            args.iter().zip(&sets).map(|(arg, &set)| self.index(arg, Some(set), &ident)).collect();
        let member = (method != "degree").then(|| indices.pop()).flatten();
        let forms = indices.iter().map(|index| index.form.clone()).collect();
        let row = self.row(&ident, &found.rows, indices);
        let member: Vec<TokenStream> = member.into_iter().map(|member| member.code).collect();
        if !changes {
            if let Some(place) = found.place {
                self.may_touch(&ident, place, false);
                self.reads_rows(place, forms, false);
            }
            let handle = self.relation_handle(relation);
            let private = self.private();
            let name = ident.to_string();
            let mut inside = |index: &TokenStream, count: &str| {
                let count = format_ident!("{count}");
                self.fails_or(
                    quote_spanned!(span=> #private::element::member(#index, #handle.#count(), #name)),
                    |flag| quote_spanned!(span=> #private::element::member_or(#index, #handle.#count(), #name, #flag)),
                    span,
                )
            };
            let row = inside(&row, "rows");
            let member: Vec<TokenStream> = member.iter().map(|member| inside(member, "targets")).collect();
            *expr = parse_quote_spanned!(span=> #handle.#method(#row #(, #member)*));
            return true;
        }
        let Some(place) = found.place else {
            self.wrong(
                method.span(),
                format!("`{ident}` does not change; declare it as a `state relation` to insert and remove pairs"),
            );
            return true;
        };
        self.may_touch(&ident, place, true);
        let anchors = self.anchors(place, &Written::Whole, span);
        self.access.touch(place, true);
        self.access.logged.insert(place);
        let value = (method == "insert").then(|| match args.get(sets.len()) {
            Some(value) => {
                let mut value = value.clone();
                self.argument(&mut value);
                quote!(, #value)
            }
            None => quote!(, ()),
        });
        let private = self.private();
        let (handle, log, name) = (handle(&ident), log_handle(&ident), ident.to_string());
        let change = quote_spanned!(span=>
            #private::element::#method(&mut *#handle, __crt_row, __crt_member #value, &mut *#log, #name)
        );
        let changed = self.fails_or(
            change.clone(),
            |flag| {
                quote_spanned!(span=>
                    #change.unwrap_or_else(|__crt_fault| {
                        #flag.raise(__crt_fault);
                        #private::core::option::Option::None
                    })
                )
            },
            span,
        );
        let began = if method == "insert" { self.pairs_begin(relation, span) } else { TokenStream::new() };
        *expr = parse_quote_spanned!(span=> {
            let __crt_row = #row;
            let __crt_member = #(#member)*;
            #anchors
            let __crt_changed = #changed;
            #began
            #private::element::changed(__crt_changed)
        });
        true
    }

    /// States over the pairs of a changing relation get the value for a new pair.
    fn pairs_begin(&mut self, relation: usize, span: Span) -> TokenStream {
        let names = self.names;
        let private = self.private();
        let mut begins = Vec::new();
        for (number, place) in names.places.iter().enumerate() {
            if place.family.pairs != Some(relation) || !place.is_state() {
                continue;
            }
            let Some(initial) = &place.initial else { continue };
            self.access.merge(&initial.access);
            self.access.touch(number, true);
            self.access.logged.insert(number);
            let needs = self.passed_on(&initial.access, span);
            let handle = handle(&place.ident);
            let function = Ident::new(&function("initial", &place.ident).to_string(), span);
            let rows = &names.relations[relation].rows;
            let variables: Vec<Ident> = (0..rows.len()).map(|i| format_ident!("__crt_r{i}")).collect();
            let sizes: Vec<Ident> = rows.iter().map(|&set| self.size(set, span)).collect();
            let note = self.note(number, &quote!(__crt_pair), span);
            let value = self.fails_or(
                quote!(Self::#function(#(#variables,)* __crt_member, #(#needs),*)),
                |flag| quote!(match Self::#function(#(#variables,)* __crt_member, #(#needs),*) {
                    #private::core::result::Result::Ok(__crt_value) => #private::core::option::Option::Some(__crt_value),
                    #private::core::result::Result::Err(__crt_fault) => {
                        #flag.raise(__crt_fault);
                        #private::core::option::Option::None
                    }
                }),
                span,
            );
            let value = if self.closures > 0 { value } else { quote!(#private::core::option::Option::Some(#value)) };
            begins.push(quote! {
                let [#(#variables),*] = #private::element::indices(__crt_row, [#(#sizes),*]);
                if let #private::core::option::Option::Some(__crt_value) = #value {
                    #note
                    #private::element::put(&mut *#handle, __crt_pair, __crt_value);
                }
            });
        }
        if begins.is_empty() {
            return TokenStream::new();
        }
        quote!(if let #private::core::option::Option::Some(__crt_pair) = __crt_changed { #(#begins)* })
    }

    /// `u.len()` of a family over one set, which depends on no element.
    pub(super) fn family_size(&mut self, expr: &mut Expr) -> bool {
        let Expr::MethodCall(call) = &*expr else { return false };
        let Expr::Path(path) = &*call.receiver else { return false };
        if call.method != "len" || !call.args.is_empty() {
            return false;
        }
        let Some(ident) = single(path).filter(|ident| self.locals.find(ident).is_none()) else { return false };
        let Some(Meaning::Place(place)) = self.names.meaning(ident) else { return false };
        let family = &self.names.places[place].family;
        let [(_, set)] = family.binders[..] else { return false };
        if self.names.sets[set].activity.is_some() {
            let (at, set) = (call.method.span(), &self.names.sets[set].ident);
            self.wrong(at, format!("how many there are is `{set}.len()`"));
            return true;
        }
        let size = self.size(set, ident.span());
        *expr = parse_quote!(#size);
        true
    }

    /// What an iterator gives, where that is an index.
    fn item(&mut self, expr: &Expr) -> Option<Item> {
        match expr {
            Expr::Paren(inner) => self.item(&inner.expr),
            Expr::Group(inner) => self.item(&inner.expr),
            Expr::Path(path) => {
                let ident = single(path).filter(|ident| self.locals.find(ident).is_none())?;
                match self.names.meaning(ident)? {
                    Meaning::Set(set) => Some(Item { form: Form::plain(Base::Every), set: Some(set), entry: false }),
                    Meaning::Activity(activity) => {
                        let set = self.names.sets.iter().position(|set| set.activity == Some(activity));
                        Some(Item { form: Form::plain(Base::Every), set, entry: false })
                    }
                    _ => None,
                }
            }
            Expr::Call(call) => {
                let Expr::Path(path) = &*call.func else { return None };
                let ident = single(path).filter(|ident| self.locals.find(ident).is_none())?;
                let Meaning::Relation { relation, inverse } = self.names.meaning(ident)? else { return None };
                let found = &self.names.relations[relation];
                let sets = if inverse { vec![found.target] } else { found.rows.clone() };
                if inverse && found.rows.len() > 1 {
                    return None;
                }
                let forms: Vec<Form> = call
                    .args
                    .iter()
                    .zip(&sets)
                    .map(|(arg, &set)| self.form_of_linear(&self.linear(arg, Some(set))).0)
                    .collect();
                let base = Base::Member { relation, inverse, args: forms };
                let set = if inverse { found.rows[0] } else { found.target };
                let form = Form::plain(base);
                let form = if form.is_known() { form } else { Form::unknown() };
                Some(Item { form, set: Some(set), entry: found.value.is_some() })
            }
            Expr::MethodCall(call) => {
                let method = call.method.to_string();
                match method.as_str() {
                    "filter" | "inspect" | "skip" | "take" | "rev" | "step_by" | "skip_while" | "take_while"
                    | "copied" | "cloned" | "iter" | "into_iter" | "by_ref" | "peekable" | "clone" => {
                        self.item(&call.receiver)
                    }
                    "flat_map" => {
                        let item = self.item(&call.receiver);
                        let [Expr::Closure(closure)] = call.args.iter().collect::<Vec<_>>()[..] else { return None };
                        let mark = self.locals.mark();
                        closure.inputs.iter().flat_map(pattern_idents).for_each(|ident| self.locals.hide(&ident));
                        if let (Some(item), Some(pat)) = (item, closure.inputs.first()) {
                            self.know_item(pat, &item);
                        }
                        let inner = self.item(&closure.body);
                        self.locals.end(mark);
                        inner
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Names in a pattern, which has been visited, stand for what an iterator gives.
    fn know_item(&mut self, pat: &Pat, item: &Item) {
        match pat {
            Pat::Type(typed) => self.know_item(&typed.pat, item),
            Pat::Paren(inner) => self.know_item(&inner.pat, item),
            Pat::Reference(inner) => self.know_item(&inner.pat, item),
            Pat::Tuple(tuple) if item.entry => {
                if let Some(first) = tuple.elems.first() {
                    self.know_item(first, &Item { entry: false, ..item.clone() });
                }
            }
            Pat::Ident(ident) if !item.entry && ident.mutability.is_none() && ident.subpat.is_none() => {
                self.locals.know(&ident.ident, item.form.clone(), item.set);
            }
            _ => {}
        }
    }

    /// `for pat in iterator { … }`.
    pub(super) fn for_loop(&mut self, looping: &mut syn::ExprForLoop) {
        let item = self.item(&looping.expr);
        match self.instances(&looping.expr) {
            Some(instances) => *looping.expr = instances,
            None => self.visit_expr_mut(&mut looping.expr),
        }
        let mark = self.locals.mark();
        self.visit_pat_mut(&mut looping.pat);
        if let Some(item) = item {
            self.know_item(&looping.pat, &item);
        }
        self.visit_block_mut(&mut looping.body);
        self.locals.end(mark);
    }

    /// What the closures among the arguments of a method are called with, if that is an index.
    pub(super) fn closure_items(&mut self, call: &syn::ExprMethodCall) -> Option<Given> {
        let method = call.method.to_string();
        let position = match method.as_str() {
            "fold" | "try_fold" => 1,
            "map" | "filter" | "any" | "all" | "for_each" | "find" | "position" | "flat_map" | "filter_map"
            | "inspect" | "skip_while" | "take_while" | "map_while" | "max_by_key" | "min_by_key" | "partition"
            | "find_map" | "try_for_each" => 0,
            _ => return None,
        };
        self.item(&call.receiver).map(|item| Given { item, position })
    }

    /// Parameters of a closure, which have been visited.
    pub(super) fn know_parameters(&mut self, closure: &syn::ExprClosure, given: &Given) {
        if let Some(pat) = closure.inputs.iter().nth(given.position) {
            self.know_item(pat, &given.item);
        }
    }
}

/// What a closure is called with.
#[derive(Clone, Debug)]
pub(super) struct Given {
    item: Item,
    /// The parameter that it is.
    position: usize,
}

impl Index {
    /// What the index is.
    pub(super) fn form(&self) -> &Form {
        &self.form
    }
}

/// The name that is indexed, and its brackets from left to right.
fn chain(expr: &Expr) -> Option<(&Ident, Vec<&Expr>)> {
    let mut brackets = Vec::new();
    let mut base = expr;
    loop {
        match base {
            Expr::Index(index) => {
                brackets.push(&*index.index);
                base = &index.expr;
            }
            Expr::Paren(inner) => base = &inner.expr,
            Expr::Group(inner) => base = &inner.expr,
            Expr::Path(path) if !brackets.is_empty() => {
                brackets.reverse();
                return single(path).map(|ident| (ident, brackets));
            }
            _ => return None,
        }
    }
}

/// The variables of a pattern.
fn pattern_idents(pat: &Pat) -> Vec<Ident> {
    #[derive(Default)]
    struct Found(Vec<Ident>);
    impl syn::visit::Visit<'_> for Found {
        fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
            self.0.push(pat.ident.clone());
            syn::visit::visit_pat_ident(self, pat);
        }
    }
    let mut found = Found::default();
    syn::visit::Visit::visit_pat(&mut found, pat);
    found.0
}
