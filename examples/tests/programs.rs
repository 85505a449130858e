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

#[test]
fn samplers_agree_with_the_moments_of_a_normal_law() {
    let folder = folder("samplers");
    let text = printed("samplers", &folder, &[]);
    let rows = comparisons(&text, 2);
    assert_eq!(rows.len(), 12, "{text}");
    for row in rows {
        // Exact and simulated.
        let found = numbers(row);
        assert!((found[0] - found[1]).abs() < 0.2, "{row}");
    }
    assert_eq!(text.matches("independent draws").count(), 4, "{text}");
    let svg = picture(&folder.join("samplers.svg"));
    assert_eq!(svg.matches("<polyline").count(), 8);
    assert!(svg.contains("sticky Bouncy Particle"));
}

#[test]
fn coefficients_are_included_as_all_models_say() {
    let folder = folder("spike_and_slab");
    let text = printed("spike_and_slab", &folder, &[]);
    assert_eq!(comparisons(&text, 6).len(), 40, "{text}");
    assert!(picture(&folder.join("spike_and_slab.svg")).contains("going through 1024 models"));
}

#[test]
fn subsampling_gives_the_posterior_of_a_logistic_regression() {
    let folder = folder("logistic");
    let text = printed("logistic", &folder, &["1000"]);
    let rows = text.lines().filter(|line| line.contains(']'));
    let rows: Vec<Vec<f64>> = rows.map(numbers).collect();
    assert_eq!(rows.len(), 6, "{text}");
    for row in rows {
        // Exact, mean, interval and draws a second: within three of its half widths.
        assert!((row[0] - row[1]).abs() < 1.5 * (row[3] - row[2]), "{text}");
        assert!(row.last().unwrap() > &0.0);
    }
    assert!(picture(&folder.join("logistic.svg")).contains("one at a time"));
}

#[test]
fn a_particle_between_walls_has_its_density() {
    let folder = folder("walls");
    let text = printed("walls", &folder, &[]);
    assert_eq!(comparisons(&text, 1).len(), 2, "{text}");
    let row = numbers(line(&text, "time at the sticky wall"));
    assert!(row[0] == 0.1014 && (row[1] - row[0]).abs() < 0.01, "{row:?}");
    assert!(picture(&folder.join("walls.svg")).contains("between walls"));
}

#[test]
fn an_image_is_cleaned() {
    let folder = folder("image");
    let text = printed("image", &folder, &["40", "60"]);
    let errors = numbers(line(&text, "root mean square error"));
    assert!(errors[1] < 0.6 * errors[0], "{text}");
    assert!(numbers(line(&text, "pixels whether"))[1] > 75.0, "{text}");
    assert!(picture(&folder.join("image.svg")).contains("posterior mean"));
}

#[test]
fn a_particle_is_everywhere_equally_often() {
    let folder = folder("particle");
    let text = printed("particle", &folder, &[]);
    assert_eq!(comparisons(&text, 1).len(), 5, "{text}");
    let exact = numbers(line(&text, "hits of a wall"))[0];
    assert!((exact - std::f64::consts::FRAC_2_PI).abs() < 1e-4, "{text}");
    assert!(picture(&folder.join("particle.svg")).contains("until t = 250"));
}

#[test]
fn balls_rest_when_and_where_the_series_says() {
    let folder = folder("ball");
    let text = printed("ball", &folder, &[]);
    for e in ["0.6", "0.75", "0.9"] {
        let row = numbers(line(&text, e));
        // Bounces, time and place, exact and found, and when all bounces would be over.
        assert_eq!(row.len(), 8, "{text}");
        assert!((row[1], row[3], row[5]) == (row[2], row[4], row[6]) && row[3] < row[7], "{text}");
    }
    let zeno = line(&text, "`bounce");
    let end = numbers(line(&text, "0.6"))[7];
    assert!(zeno.contains("more than 1000000 events at this instant"), "{zeno}");
    assert!(numbers(zeno).iter().any(|time| (time - end).abs() < 1e-6), "{zeno}");
    assert!(picture(&folder.join("ball.svg")).contains("keeps 0.9 of its speed"));
}

#[test]
fn a_thermostat_has_the_cycle_of_its_exponentials() {
    let folder = folder("thermostat");
    let text = printed("thermostat", &folder, &[]);
    let rows: Vec<Vec<f64>> = text.lines().skip(2).take(5).map(numbers).collect();
    for row in &rows {
        assert_eq!(row.len(), 7, "{text}");
        assert!(row[1..].chunks(2).all(|pair| (pair[0] - pair[1]).abs() < 1.5e-9), "{text}");
    }
    assert!(rows.is_sorted_by(|narrow, wide| narrow[1] < wide[1]), "{text}");
    assert!(picture(&folder.join("thermostat.svg")).contains("band of 6 °C"));
}

#[test]
fn disks_collide_as_often_as_enskog_says() {
    let folder = folder("disks");
    let text = printed("disks", &folder, &["100000"]);
    assert_eq!(comparisons(&text, 1).len(), 3, "{text}");
    let energies = numbers(line(&text, "energy"));
    assert!(energies[0] == 1023.0 && (energies[1] - 1023.0).abs() < 1e-10, "{text}");
    assert!(text.contains("million collisions in"), "{text}");
    assert!(picture(&folder.join("disks.svg")).contains("collisions of each disk"));
    assert!(picture(&folder.join("disks_speeds.svg")).contains("Maxwell"));
}

#[test]
fn neurons_fire_by_their_formula_and_irregularly_together() {
    let folder = folder("neurons");
    let text = printed("neurons", &folder, &[]);
    let rows: Vec<Vec<f64>> = text.lines().skip(2).take(11).map(numbers).collect();
    for row in &rows {
        assert!(row.len() == 3 && (row[1] - row[2]).abs() < 1.5e-9, "{text}");
    }
    assert!(rows[0][1] == 0.0 && rows[10][1] > 100.0, "{text}");
    let together = numbers(line(&text, "spikes of a neuron"));
    let alone = numbers(line(&text, "exact, alone"));
    assert!(together.iter().zip(&alone).all(|(together, alone)| together < alone), "{text}");
    let variation = numbers(line(&text, "variation"));
    assert!(variation.iter().rev().take(2).all(|one| (0.7..1.2).contains(one)), "{text}");
    assert!(picture(&folder.join("neurons.svg")).contains("inhibitory"));
    assert!(picture(&folder.join("neurons_alone.svg")).contains("drive, mV"));
}
