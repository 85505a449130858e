//! The compiler behind `clockrace::simulation!`.
//!
//! A pipeline of stages, each of which hands a value to the next:
//! [`cfg`] decides `#[cfg]` attributes, [`syntax`] parses, [`resolve`] binds names and extracts what
//! every expression reads and writes, [`graph`] derives who refreshes whom, [`plan`] lays out the
//! engine, [`emit`] writes it.

mod cfg;
mod compile;
mod emit;
mod errors;
mod expand;
mod graph;
mod plan;
mod resolve;
mod syntax;
#[cfg(test)]
mod tests;

/// Compiles a model into a static simulation engine. The language is described in the README and
/// in the documentation of the `clockrace` crate, which re-exports this macro.
#[proc_macro]
pub fn simulation(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    compile::simulation(input.into()).into()
}
