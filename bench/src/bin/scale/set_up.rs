//! What a model costs before its first event: time and memory.
//!
//! Each is built in a process of its own, so that no memory that was freed before is used again;
//! memory is what the process has resident after that more than before. Small ones are built many
//! times over, to some million clocks in all.

use std::any::Any;
use std::fs;
use std::io;
use std::process::Command;

use cpu_time::ThreadTime;

/// Something to build.
pub struct Subject {
    /// Its row in the table.
    pub name: &'static str,
    /// How many clocks it has.
    pub clocks: usize,
    /// Makes what it is built from, which is not measured.
    pub prepare: fn(),
    /// Builds it, with this many clocks.
    pub build: fn(usize) -> Box<dyn Any>,
}

/// Clocks in all that a measurement builds.
const CLOCKS: usize = 1_000_000;
/// Measurements of each, of which the fastest counts.
const ROUNDS: usize = 5;

/// Time and memory of all subjects, as a Markdown table.
///
/// # Errors
/// If a measurement fails.
pub fn table(subjects: &[Subject], only: &str) -> Result<String, String> {
    let mut text = String::from(
        "### Set-up\n\n| | clocks | ms | ns a clock | bytes a clock | at the most |\n|---|---:|---:|---:|---:|---:|\n",
    );
    for subject in subjects.iter().filter(|subject| subject.name.contains(only)) {
        let rounds = (0..ROUNDS).map(|_| in_a_process(subject)).collect::<Result<Vec<_>, _>>()?;
        let best = |field: usize| rounds.iter().map(|round| round[field]).fold(f64::INFINITY, f64::min);
        let clocks = subject.clocks as f64;
        let nanoseconds = best(0);
        text += &format!(
            "| {} | {} | {:.2} | {:.1} | {:.1} | {:.1} |\n",
            subject.name,
            subject.clocks,
            nanoseconds * clocks / 1e6,
            nanoseconds,
            best(1),
            best(2),
        );
    }
    Ok(text)
}

/// Nanoseconds, bytes, and bytes at the most, for each clock.
fn in_a_process(subject: &Subject) -> Result<[f64; 3], String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.args(["--measure", subject.name, "--clocks", &subject.clocks.to_string()]);
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().map_err(|_| format!("{}: {}", subject.name, String::from_utf8_lossy(&output.stderr)))
}

/// Measures the subject of this name and prints the numbers: what the process of a measurement does.
///
/// # Errors
/// If there is none, or the system does not tell the memory of a process.
pub fn measure(subjects: &[Subject], name: &str, clocks: usize) -> Result<(), String> {
    let subject = subjects.iter().find(|subject| subject.name == name && subject.clocks == clocks);
    let subject = subject.ok_or_else(|| format!("{name} with {clocks} clocks is not to be built"))?;
    (subject.prepare)();
    let copies = CLOCKS.div_ceil(clocks);
    let mut built = Vec::with_capacity(copies);
    let before = memory()?;
    let start = ThreadTime::now();
    for _ in 0..copies {
        built.push((subject.build)(clocks));
    }
    let time = start.elapsed().as_nanos() as f64;
    let after = memory()?;
    let each = (copies * clocks) as f64;
    // The highest mark may be from before.
    let most = if after[1] > before[1] { after[1] - before[0] } else { after[0] - before[0] };
    println!("{} {} {}", time / each, (after[0] - before[0]) / each, most / each);
    drop(built);
    Ok(())
}

/// Bytes that this process has resident, and had at the most; not a number where the system does
/// not tell.
fn memory() -> Result<[f64; 2], String> {
    let text = match fs::read_to_string("/proc/self/status") {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok([f64::NAN; 2]),
        text => text.map_err(|error| error.to_string())?,
    };
    let kilobytes = |field: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(field));
        line.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse::<f64>().ok())
    };
    match (kilobytes("VmRSS:"), kilobytes("VmHWM:")) {
        (Some(now), Some(most)) => Ok([1024.0 * now, 1024.0 * most]),
        _ => Err("no memory in /proc/self/status".to_owned()),
    }
}
