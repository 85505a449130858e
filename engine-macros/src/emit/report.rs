//! What the model says about itself: graph, table in the docs, outputs.

use proc_macro2::TokenStream;
use quote::quote;

use super::Cx;
use super::bodies::function;
use super::types::{self, text};
use crate::graph::Graph;

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
    for clock in &graph.clocks {
        out.push_str(&format!(
            "| `{}` | {} | {} | {} | {} |\n",
            clock.name,
            clock.timing,
            graph.place_names(&clock.reads),
            graph.place_names(&clock.writes),
            graph.clock_names(&clock.refreshes),
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
        let (kind, name, ty) = (place.kind, &place.name, &place.ty);
        quote!(#private::graph::Place::from_parts(#kind, #name, #ty))
    });
    let clocks = cx.graph.clocks.iter().map(|clock| {
        let (name, timing, priority) = (&clock.name, clock.timing, &clock.priority);
        let lists = [&clock.reads, &clock.watches, &clock.action_reads, &clock.writes, &clock.refreshes, &clock.checks]
            .map(|list| numbers(list));
        quote!(#private::graph::Clock::from_parts(#name, #timing, &[#(#priority),*], #(#lists),*))
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
        cx.call_on_view(&function("observe", &output.ident), &output.body.access, &text(&output.ident))
    };
    let fields = cx.resolved.observes.iter().map(|output| {
        let (ident, value) = (&output.ident, call(output));
        quote!(#ident: #value,)
    });
    let numbers = cx.resolved.observes.iter().filter(|output| output.numeric).enumerate().map(|(i, output)| {
        let value = call(output);
        quote!(__crt_into[#i] = #private::Number::number(#value);)
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
            #(#numbers)*
            #private::core::result::Result::Ok(())
        }
    }
}
