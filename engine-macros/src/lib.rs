//! The compiler behind `clockrace::simulation!`.
//!
//! A pipeline of stages, each of which hands a value to the next:
//! `cfg` decides `#[cfg]` attributes, `syntax` parses, `resolve` binds names and extracts what
//! every expression reads and writes, `graph` derives who refreshes whom, `plan` lays out the
//! engine, `emit` writes it.

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

#[doc = include_str!("../LANGUAGE.md")]
#[proc_macro]
pub fn simulation(input: proc_macro::TokenStream) -> proc_macro::TokenStream {
    compile::simulation(input.into()).into()
}
