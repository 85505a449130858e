//! The example programs run, and print and write what they promise.

use std::env::{consts::EXE_SUFFIX, current_exe};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for the files of `example`, empty.
fn folder(example: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(example);
    let _ = fs::remove_dir_all(&folder);
    folder
}

/// What `example` prints. Cargo builds the examples before the tests, beside their folder.
fn printed(example: &str, folder: &Path) -> String {
    let test = current_exe().unwrap();
    let target = test.parent().and_then(Path::parent).unwrap();
    let program = target.join("examples").join(format!("{example}{EXE_SUFFIX}"));
    assert!(program.exists(), "the examples are built by `cargo test -p clockrace-examples` without `--test`");
    let output = Command::new(program).arg(folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8(output.stdout).unwrap()
}

/// The numbers of a line, in order.
fn numbers(line: &str) -> Vec<f64> {
    line.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .filter_map(|word| word.trim_matches('.').parse().ok())
        .collect()
}

fn line<'a>(text: &'a str, start: &str) -> &'a str {
    text.lines().find(|line| line.trim_start().starts_with(start)).unwrap_or_else(|| panic!("no `{start}` in\n{text}"))
}

#[test]
fn influenza_prints_a_table_and_writes_its_files() {
    let folder = folder("influenza");
    let text = printed("influenza", &folder);
    // Day, observed, mean and range.
    assert_eq!(numbers(line(&text, "6 "))[..2], [6.0, 298.0]);
    for day in 1..=14 {
        let row = numbers(line(&text, &format!("{day} ")));
        assert_eq!(row.len(), 5, "{row:?}");
        assert!(row[3] <= row[2] && row[2] <= row[4], "{row:?}");
    }
    let major = numbers(line(&text, "A major outbreak"));
    assert!((major[1] - major[2]).abs() < 3.0, "{major:?}");

    let csv = fs::read_to_string(folder.join("influenza.csv")).unwrap();
    assert!(csv.lines().count() > 14 * 4 - 4 && csv.contains("infected") && csv.contains("attack_rate"), "{csv}");
    let svg = fs::read_to_string(folder.join("influenza.svg")).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    assert!(svg.contains("Influenza in an English boarding school"));
}

#[test]
fn queues_agree_with_their_formulas() {
    let text = printed("queue", &folder("queue"));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("M/")).collect();
    assert_eq!(rows.len(), 8, "{text}");
    // Eight intervals at 95 %.
    assert!(rows.iter().filter(|row| row.ends_with("outside")).count() <= 2, "{text}");
    let exact = numbers(line(&text, "M/M/1").trim_start_matches("M/M/1"));
    assert_eq!(exact[0], 4.0, "{text}");
}

#[test]
fn planned_maintenance_is_traced_and_measured() {
    let text = printed("repair", &folder("repair"));
    assert_eq!(numbers(line(&text, "48.00"))[0], 48.0);
    let trace: Vec<f64> =
        text.lines().skip(3).take_while(|line| !line.is_empty()).map(|line| numbers(line)[0]).collect();
    assert!(trace.len() > 10 && trace.is_sorted() && *trace.last().unwrap() <= 500.0, "{text}");
    let exact = numbers(line(&text, "exact, press A"))[0];
    let repair_only = text.split("Repair only").nth(1).unwrap();
    let found = numbers(line(repair_only, "press A runs"));
    assert!((found[0] - exact).abs() < 0.005 && found[1] <= found[2], "{found:?} {exact}");
    let planned = text.split("Planned maintenance").nth(1).unwrap();
    let counts = numbers(line(planned, "press A runs"));
    assert_eq!(counts.len(), 3);
    // Every second inspection meets a service.
    let tallies = planned.lines().find(|line| line.contains("inspections found")).unwrap();
    assert!(numbers(tallies)[1] > 0.4 * numbers(tallies)[2], "{tallies}");
}
