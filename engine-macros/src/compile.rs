//! The stages, one after the other.

use proc_macro2::TokenStream;

use crate::errors::Errors;
use crate::{cfg, emit, expand, graph, plan, resolve, syntax};

/// Expands a `simulation!` block.
pub(crate) fn simulation(input: TokenStream) -> TokenStream {
    let asked = !input.is_empty();
    let input = match cfg::decide(input) {
        cfg::Decision::Ready(tokens) => tokens,
        cfg::Decision::Ask(tokens) => return tokens,
    };
    let mut errors = Errors::default();
    if input.is_empty() && asked {
        // The whole model is configured out.
        return input;
    }
    let Some(model) = syntax::parse(input, &mut errors) else {
        return errors.into_tokens();
    };
    if errors.any() {
        return emit::fallback(&model, errors);
    }
    let resolved = resolve::resolve(&model, &mut errors);
    if errors.any() {
        return emit::fallback(&model, errors);
    }
    let graph = graph::derive(&resolved);
    let plan = plan::lay_out(&graph, model.options.select, model.options.ticks);
    let tokens = emit::emit(&model, &resolved, &graph, &plan);
    expand::write_if_asked(&model.name(), &tokens);
    tokens
}
