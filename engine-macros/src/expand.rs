//! `CLOCKRACE_EXPAND=Name` writes the expansion of model `Name`, formatted.

use std::path::PathBuf;

use proc_macro2::TokenStream;

/// Writes `target/clockrace/Name.rs` if the environment asks for it. A failure is no reason to stop
/// a build: it is told on standard error.
pub(crate) fn write_if_asked(name: &str, tokens: &TokenStream) {
    match std::env::var("CLOCKRACE_EXPAND") {
        Ok(asked) if asked.split(',').any(|model| model == name) => {}
        _ => return,
    }
    let folder = target().join("clockrace");
    let file = folder.join(format!("{name}.rs"));
    let written = std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(&file, format(tokens)));
    match written {
        Ok(()) => eprintln!("expansion of `{name}` written to {}", file.display()),
        Err(error) => eprintln!("expansion of `{name}` could not be written to {}: {error}", file.display()),
    }
}

/// The expansion as a formatted file; as plain tokens if it does not parse.
pub(crate) fn format(tokens: &TokenStream) -> String {
    match syn::parse2(tokens.clone()) {
        Ok(file) => prettyplease::unparse(&file),
        Err(_) => tokens.to_string(),
    }
}

/// The target folder of the crate being compiled.
fn target() -> PathBuf {
    if let Some(target) = std::env::var_os("CARGO_TARGET_DIR") {
        return target.into();
    }
    let manifest = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let root = manifest.ancestors().find(|folder| folder.join("Cargo.lock").exists()).unwrap_or(&manifest);
    root.join("target")
}
