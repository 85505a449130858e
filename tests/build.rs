//! Writes the random models that the reference engine is compared with.

use std::fmt::Write as _;
use std::path::Path;

#[path = "reference/description.rs"]
mod description;

const MODELS: usize = 48;

fn main() {
    println!("cargo::rerun-if-changed=reference/description.rs");
    println!("cargo::rerun-if-changed=build.rs");
    let mut out = format!("pub(crate) const MODELS: usize = {MODELS};\n\n");
    let mut arms = String::new();
    for (number, model) in description::models(MODELS).iter().enumerate() {
        out.push_str(&model.block(&format!("M{number}")));
        let _ = writeln!(arms, "        {number} => observe_run!(M{number}, seed, until, cuts),");
    }
    let _ = write!(
        out,
        "\npub(crate) fn run_generated(number: usize, seed: u64, until: f64, cuts: &[f64]) -> (Vec<Event>, Result<Outcome, SimError>) {{\n    \
         match number {{\n{arms}        _ => unreachable!(),\n    }}\n}}\n"
    );
    let folder = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&folder).join("models.rs"), out).expect("the folder is there");
}
