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

/// What `example` prints, given a folder and more arguments. Cargo builds the examples before the
/// tests, beside their folder.
fn printed(example: &str, folder: &Path, more: &[&str]) -> String {
    let test = current_exe().unwrap();
    let target = test.parent().and_then(Path::parent).unwrap();
    let program = target.join("examples").join(format!("{example}{EXE_SUFFIX}"));
    assert!(program.exists(), "the examples are built by `cargo test -p clockrace-examples` without `--test`");
    let output = Command::new(program).arg(folder).args(more).output().unwrap();
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

/// The picture in a file.
fn picture(path: &Path) -> String {
    let svg = fs::read_to_string(path).unwrap();
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"), "{}", path.display());
    svg
}

/// The rows of a text that compare what is exact with a 95 % confidence interval; at most `outside` of
/// them may miss it.
fn comparisons(text: &str, outside: usize) -> Vec<&str> {
    let rows: Vec<&str> = text.lines().filter(|line| line.contains(']')).collect();
    assert!(rows.iter().filter(|row| row.ends_with("outside")).count() <= outside, "{text}");
    rows
}

#[test]
fn influenza_prints_a_table_and_writes_its_files() {
    let folder = folder("influenza");
    let text = printed("influenza", &folder, &[]);
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
    assert!(picture(&folder.join("influenza.svg")).contains("Influenza in an English boarding school"));
}

#[test]
fn queues_agree_with_their_formulas() {
    let text = printed("queue", &folder("queue"), &[]);
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("M/")).collect();
    assert_eq!(rows.len(), 8, "{text}");
    // Eight intervals at 95 %.
    assert!(rows.iter().filter(|row| row.ends_with("outside")).count() <= 2, "{text}");
    let exact = numbers(line(&text, "M/M/1").trim_start_matches("M/M/1"));
    assert_eq!(exact[0], 4.0, "{text}");
}

#[test]
fn planned_maintenance_is_traced_and_measured() {
    let text = printed("repair", &folder("repair"), &[]);
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

#[test]
fn epidemics_on_networks_have_the_size_of_percolation() {
    let folder = folder("contact");
    let text = printed("contact", &folder, &["20000"]);
    assert_eq!(comparisons(&text, 1).len(), 2, "{text}");
    let [by_contact, by_person] = ["a clock for each contact", "a clock for each person"].map(|name| {
        let row = numbers(line(&text, name));
        // Exact, simulated, and the interval.
        assert!(row.len() == 4 && (row[0] - row[1]).abs() < 2.0, "{row:?}");
        row[0]
    });
    assert_eq!(by_contact, by_person);
    assert!(picture(&folder.join("contact.svg")).contains("exact in the limit of many people"));
}

#[test]
fn spins_are_magnetised_below_the_critical_temperature() {
    let folder = folder("ising");
    let text = printed("ising", &folder, &["64"]);
    let rows = comparisons(&text, 1);
    assert_eq!(rows.len(), 4, "{text}");
    assert_eq!(numbers(rows[0])[1], 0.91132);
    assert!(text.contains("million flips in"), "{text}");
    let svg = picture(&folder.join("ising.svg"));
    assert!(svg.contains("T = 2.0") && svg.contains("T = 3.0"));
}

#[test]
fn closed_networks_agree_with_their_constants() {
    let folder = folder("closed_network");
    let text = printed("closed_network", &folder, &[]);
    let rows = comparisons(&text, 2);
    assert_eq!(rows.len(), 13, "{text}");
    // All users are somewhere.
    let users: f64 = rows[..6].iter().map(|row| numbers(row)[0]).sum();
    assert!((users - 30.0).abs() < 0.01, "{text}");
    assert!(picture(&folder.join("closed_network.svg")).contains("archive"));
}

#[test]
fn diffusing_molecules_are_multinomial() {
    let folder = folder("diffusion");
    let text = printed("diffusion", &folder, &["60"]);
    let counts = numbers(line(&text, "Of all"));
    assert!(counts[0] > 150.0 && counts[1] > 0.85 * counts[0], "{text}");
    assert!(picture(&folder.join("diffusion.svg")).contains("after 100 s"));
}

#[test]
fn a_network_runs_from_a_file() {
    let folder = folder("network");
    fs::create_dir_all(&folder).unwrap();
    let file = folder.join("decay.net");
    // Pairs of A go at the rate A (A - 1)/2, which leaves the last one.
    let network = "begin parameters\n 1 k 1\nend parameters\nbegin species\n 1 A() 101\n 2 B() 0\nend species\n\
        begin reactions\n 1 1,1 2 0.5*k\nend reactions\nbegin groups\n 1 Pairs 2\n 2 All 1,2*2\nend groups\n";
    fs::write(&file, network).unwrap();
    let text = printed("network", &folder, &[file.to_str().unwrap(), "1000"]);
    assert_eq!(numbers(line(&text, "decay")), [2.0, 1.0], "{text}");
    assert!(line(&text, "run in").contains(": 50 events"), "{text}");
    assert_eq!(numbers(line(&text, "Pairs")), [0.0, 50.0], "{text}");
    assert_eq!(numbers(line(&text, "All")), [101.0, 101.0], "{text}");
    assert!(picture(&folder.join("network.svg")).contains("decay"));

    let text = printed("network", &folder, &["", "600"]);
    assert_eq!(numbers(line(&text, "dimerisation")), [6.0, 9.0], "{text}");
}
