//! What the model says about itself: graph, table in the docs, outputs.

use proc_macro2::TokenStream;
use quote::quote;

use super::family::Whose;
use super::types;
use super::{Cx, Site};
use crate::graph::Graph;
use crate::resolve::function;

/// Above this many clocks a table in the docs would help nobody.
const TABLE: usize = 100;

/// The table of clocks in the model's docs.
pub(super) fn table(graph: &Graph) -> String {
    if graph.clocks.is_empty() {
        return String::new();
    }
    if graph.clocks.len() > TABLE {
        return format!("\n\nThe model has {} clocks; see `graph()`.", graph.clocks.len());
    }
    let mut out =
        String::from("\n\n# Clocks\n\n| clock | rings by | reads | writes | refreshes |\n|---|---|---|---|---|\n");
    for (number, clock) in graph.clocks.iter().enumerate() {
        out.push_str(&format!(
            "| `{}{}` | {} | {} | {} | {} |\n",
            clock.name,
            clock.over,
            clock.timing,
            graph.place_names(&clock.reads),
            graph.place_names(&clock.writes),
            graph.refreshed(number),
        ));
    }
    out
}

/// `Model::graph`.
pub(super) fn graph(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let name = cx.model.name();
    let numbers = |list: &[usize]| {
        let list = list.iter().map(|&number| u32::try_from(number).unwrap_or(u32::MAX));
        quote!(&[#(#list),*])
    };
    let places = cx.graph.model_places.iter().map(|place| {
        let (kind, name, over, ty) = (place.kind, &place.name, &place.over, &place.ty);
        let flow = match &place.flow {
            Some(uses) => {
                let uses = numbers(uses);
                quote!(#private::core::option::Option::Some(#uses))
            }
            None => quote!(#private::core::option::Option::None),
        };
        quote!(#private::graph::Place::from_parts(#kind, #name, #over, #ty, #flow))
    });
    let clocks = cx.graph.clocks.iter().map(|clock| {
        let (name, over, timing, priority) = (&clock.name, &clock.over, clock.timing, &clock.priority);
        let members = clock.dependents.iter().map(|dependent| &dependent.text);
        let lists = [
            &clock.reads,
            &clock.watches,
            &clock.unbounded,
            &clock.action_reads,
            &clock.writes,
            &clock.refreshes,
            &clock.checks,
        ]
        .map(|list| numbers(list));
        quote!(#private::graph::Clock::from_parts(
            #name, #over, #timing, &[#(#priority),*], #(#lists,)* &[#(#members),*]
        ))
    });
    let conditions = cx.graph.conditions.iter().map(|condition| {
        let (kind, name, reads) = (condition.kind, &condition.name, numbers(&condition.reads));
        quote!(#private::graph::Condition::from_parts(#kind, #name, #reads))
    });
    let init = match &cx.graph.init {
        Some(writes) => {
            let writes = numbers(writes);
            quote!(#private::core::option::Option::Some(#writes))
        }
        None => quote!(#private::core::option::Option::None),
    };
    quote! {
        fn graph() -> #private::graph::Graph {
            const PLACES: &[#private::graph::Place] = &[#(#places),*];
            const CLOCKS: &[#private::graph::Clock] = &[#(#clocks),*];
            const CONDITIONS: &[#private::graph::Condition] = &[#(#conditions),*];
            #private::graph::Graph::from_parts(#name, PLACES, CLOCKS, CONDITIONS, #init)
        }
    }
}

/// `Model::observe` and `Model::outputs`.
pub(super) fn observe(cx: &Cx<'_>) -> TokenStream {
    let private = &cx.private;
    let view = quote!(#private::View<'_, Self>);
    let [.., observed] = types::names(cx.model);
    let marker = types::marker_value(cx.model);
    let all = cx.result(&quote!(Self::Observed), "SimError");
    let nothing = cx.result(&quote!(()), "SimError");
    let call = |output: &crate::resolve::Output| {
        let (name, family) = (function("observe", &output.ident), &output.family);
        let call = cx.call_on_view(&name, family, &output.body.access, &Whose::of(&output.ident, family));
        if family.is_single() {
            return call;
        }
        let (members, decode) = (cx.members(Site::View, family), cx.decode(Site::View, family));
        quote!({
            let mut __crt_all = #private::std::vec::Vec::new();
            for __crt_m in #members {
                #decode
                __crt_all.push(#call);
            }
            __crt_all
        })
    };
    let fields = cx.resolved.observes.iter().map(|output| {
        let (ident, value) = (&output.ident, call(output));
        quote!(#ident: #value,)
    });
    let numeric: Vec<_> = cx.resolved.observes.iter().filter(|output| output.numeric).collect();
    let families = numeric.iter().any(|output| !output.family.is_single());
    let numbers = numeric.iter().enumerate().map(|(i, output)| {
        let (name, family) = (function("observe", &output.ident), &output.family);
        let value = cx.call_on_view(&name, family, &output.body.access, &Whose::of(&output.ident, family));
        if !families {
            return quote!(__crt_into[#i] = #private::Number::number(#value););
        }
        let put = quote! {
            __crt_into[__crt_next] = #private::Number::number(#value);
            __crt_next += 1;
        };
        let (members, decode) = (cx.members(Site::View, family), cx.decode(Site::View, family));
        if family.is_single() { put } else { quote!(for __crt_m in #members { #decode #put }) }
    });
    let next = families.then(|| quote!(let mut __crt_next = 0;));
    let single = numeric.iter().filter(|output| output.family.is_single()).count();
    let counts = numeric.iter().filter(|output| !output.family.is_single()).map(|output| {
        let count = cx.count(Site::View, &output.family);
        quote!(+ #count)
    });
    let names = numeric.iter().map(|output| {
        let (name, family) = (types::text(&output.ident), &output.family);
        if family.is_single() {
            return quote!(__crt_names.push(#private::std::string::String::from(#name)););
        }
        let (members, decode) = (cx.members(Site::View, family), cx.decode(Site::View, family));
        let index = Whose::of(&output.ident, family).index;
        quote! {
            for __crt_m in #members {
                #decode
                __crt_names.push(#private::element::name(#name, #index));
            }
        }
    });
    quote! {
        fn observe(__crt_e: #view) -> #all {
            #private::core::result::Result::Ok(#observed { #(#fields)* #marker })
        }

        #[inline]
        fn outputs(
            __crt_e: #view,
            __crt_into: &mut [#private::core::primitive::f64],
        ) -> #nothing {
            #next
            #(#numbers)*
            #private::core::result::Result::Ok(())
        }

        #[inline]
        #[allow(unused_variables)]
        fn output_count(__crt_e: #view) -> #private::core::primitive::usize {
            #single #(#counts)*
        }

        #[allow(unused_variables)]
        fn output_names(__crt_e: #view) -> #private::std::vec::Vec<#private::std::string::String> {
            let mut __crt_names = #private::std::vec::Vec::new();
            #(#names)*
            __crt_names
        }
    }
}
