//! Writes the random models that the reference engine is compared with.

#![allow(
    clippy::collapsible_if,
    clippy::manual_is_multiple_of,
    clippy::type_complexity,
    unreachable_pub,
    reason = "test code"
)]

use std::fmt::Write as _;
use std::path::Path;

mod chance;
#[path = "reference/description.rs"]
mod description;

mod families {
    pub(crate) mod description;
    pub(crate) mod random;
}

mod moving {
    pub(crate) mod description;
    pub(crate) mod random;
}

mod activities {
    pub(crate) mod description;
    pub(crate) mod random;
    pub(crate) mod written;
}

const MODELS: usize = 48;

/// Models with families and relations.
const FAMILIES: usize = 40;

/// Models with flows.
const FLOWS: usize = 40;

/// Models with dynamic events and activities.
const ACTIVITIES: usize = 24;

fn main() {
    println!("cargo::rerun-if-changed=reference/description.rs");
    println!("cargo::rerun-if-changed=families/description.rs");
    println!("cargo::rerun-if-changed=families/random.rs");
    println!("cargo::rerun-if-changed=moving/description.rs");
    println!("cargo::rerun-if-changed=moving/random.rs");
    println!("cargo::rerun-if-changed=activities/description.rs");
    println!("cargo::rerun-if-changed=activities/random.rs");
    println!("cargo::rerun-if-changed=activities/written.rs");
    println!("cargo::rerun-if-changed=chance.rs");
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
    std::fs::write(Path::new(&folder).join("families.rs"), families()).expect("the folder is there");
    std::fs::write(Path::new(&folder).join("flows.rs"), flows()).expect("the folder is there");
    std::fs::write(Path::new(&folder).join("activities.rs"), activities()).expect("the folder is there");
}

fn activities() -> String {
    let mut out = format!("pub const MODELS: usize = {ACTIVITIES};\n\n");
    let (mut runs, mut steps) = (String::new(), String::new());
    let mut stepped = Vec::new();
    for (number, model) in activities::random::models(ACTIVITIES).iter().enumerate() {
        let name = format!("M{number}");
        out.push_str(&model.block(&name));
        out.push_str(&model.shower(&name));
        let arguments = format!("{name}, show_{name}, outputs_{name}, seed");
        let _ = writeln!(runs, "        {number} => observe_run!({arguments}, cuts),");
        // Not all of them: each engine is compiled once more for it.
        if number % 3 == 1 {
            let refresh = model.can_be_refreshed();
            let _ = writeln!(steps, "        {number} => observe_steps!({arguments}, {refresh}),");
            stepped.push(number);
        }
    }
    let result = "(Vec<Event>, Result<Outcome, SimError>)";
    let _ = write!(
        out,
        "\npub const STEPPED: &[usize] = &{stepped:?};\n\n\
         pub fn run_generated(number: usize, seed: u64, cuts: &[f64]) -> {result} {{\n    \
         match number {{\n{runs}        _ => unreachable!(),\n    }}\n}}\n\n\
         pub fn step_generated(number: usize, seed: u64) -> {result} {{\n    \
         match number {{\n{steps}        _ => unreachable!(),\n    }}\n}}\n"
    );
    out
}

fn flows() -> String {
    let mut out = format!("pub(crate) const MODELS: usize = {FLOWS};\n\n");
    let (mut runs, mut updates, mut looks) = (String::new(), String::new(), String::new());
    let (mut updated, mut looked) = (Vec::new(), Vec::new());
    for (number, model) in moving::random::models(FLOWS).iter().enumerate() {
        let name = format!("M{number}");
        out.push_str(&model.block(&name));
        out.push_str(&model.shower(&name));
        let arguments = format!("{name}, show_{name}, outputs_{name}, seed");
        let _ = writeln!(runs, "        {number} => observe_run!({arguments}, cuts),");
        // Not all of them: each engine is compiled once more for it.
        if number % 5 == 2 {
            let _ = writeln!(looks, "        {number} => observe_looks!({arguments}),");
            looked.push(number);
        }
        if model.can_be_refreshed() {
            let _ = writeln!(updates, "        {number} => observe_updates!({arguments}),");
            updated.push(number);
        }
    }
    let result = "(Vec<Event>, Result<Outcome, SimError>)";
    let _ = write!(
        out,
        "\npub(crate) const UPDATED: &[usize] = &{updated:?};\n\
         pub(crate) const LOOKED: &[usize] = &{looked:?};\n\n\
         pub(crate) fn run_generated(number: usize, seed: u64, cuts: &[f64]) -> {result} {{\n    \
         match number {{\n{runs}        _ => unreachable!(),\n    }}\n}}\n\n\
         pub(crate) fn look_generated(number: usize, seed: u64) -> {result} {{\n    \
         match number {{\n{looks}        _ => unreachable!(),\n    }}\n}}\n\n\
         pub(crate) fn update_generated(number: usize, seed: u64) -> {result} {{\n    \
         match number {{\n{updates}        _ => unreachable!(),\n    }}\n}}\n"
    );
    out
}

fn families() -> String {
    let mut out = format!("pub(crate) const MODELS: usize = {FAMILIES};\n\n");
    let (mut runs, mut steps) = (String::new(), String::new());
    let mut stepped = Vec::new();
    for (number, model) in families::random::models(FAMILIES).iter().enumerate() {
        let name = format!("F{number}");
        out.push_str(&model.block(&name));
        out.push_str(&model.shower(&name));
        let arguments = format!("{}, {}, show_{name}, seed", model.path(&name), model.instance(&name));
        let _ = writeln!(runs, "        {number} => observe_run!({arguments}, cuts),");
        // Not all of them: each engine is compiled once more for it.
        if model.can_be_refreshed() && number % 3 == 1 {
            let _ = writeln!(steps, "        {number} => observe_steps!({arguments}),");
            stepped.push(number);
        }
    }
    let result = "(Vec<Event>, Result<Outcome, SimError>)";
    let _ = write!(
        out,
        "\npub(crate) const STEPPED: &[usize] = &{stepped:?};\n\n\
         pub(crate) fn run_generated(number: usize, seed: u64, cuts: &[f64]) -> {result} {{\n    \
         match number {{\n{runs}        _ => unreachable!(),\n    }}\n}}\n\n\
         pub(crate) fn step_generated(number: usize, seed: u64) -> {result} {{\n    \
         match number {{\n{steps}        _ => unreachable!(),\n    }}\n}}\n"
    );
    out
}
