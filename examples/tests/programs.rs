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

#[test]
fn an_emergency_department_sees_the_gravest_first() {
    let text = printed("emergency", &folder("emergency"), &[]);
    let rows: Vec<Vec<f64>> = (1..=5).map(|acuity| numbers(line(&text, &format!("{acuity}  ")))).collect();
    for pair in rows.windows(2) {
        // Acuity, treated a day, wait and stay with their intervals, and how many left unseen.
        assert!(pair[0].len() == 9 && pair[1].len() == 9, "{text}");
        assert!(pair[0][2] < pair[1][2] && pair[0][5] < pair[1][5] && pair[0][8] <= pair[1][8], "{text}");
    }
    // Only those with little leave.
    assert!(rows[2][8] == 0.0 && rows[3][8] > 0.5, "{text}");
    let little = numbers(line(&text, "patients inside"));
    assert!((little[0] - little[1]).abs() < 0.05, "{text}");
    let doctors = numbers(line(&text, "doctors busy"));
    // 24 minutes for each of those who are treated.
    let treated: f64 = rows.iter().map(|row| row[1]).sum();
    assert!((doctors[0] - 100.0 * treated * 24.0 / (3.0 * 1440.0)).abs() < 0.5, "{text}");
}

#[test]
fn packets_are_blocked_by_the_formula_and_none_is_lost_track_of() {
    let text = printed("routers", &folder("routers"), &[]);
    assert_eq!(comparisons(&text, 1).len(), 4, "{text}");
    let rows: Vec<Vec<f64>> = text.lines().skip_while(|line| !line.contains("NSFNET")).skip(2).map(numbers).collect();
    assert_eq!(rows.len(), 5, "{text}");
    // With the load, the share of dropped packets and the delay grow.
    assert!(rows.is_sorted_by(|low, high| low[2] <= high[2] && low[3] < high[3]), "{text}");
    assert!(rows[0][2] == 0.0 && rows[4][2] > 1.0, "{text}");
    for row in text.lines().filter(|line| line.contains(" = ")).skip(1) {
        let counts: Vec<f64> =
            row.rsplit("   ").next().unwrap().split(['=', '+']).map(|count| count.trim().parse().unwrap()).collect();
        assert_eq!(counts[0], counts[1] + counts[2] + counts[3], "{row}");
    }
}

#[test]
fn broken_machines_hold_their_jobs_for_longer_by_the_formula() {
    let text = printed("job_shop", &folder("job_shop"), &[]);
    let rows: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("machine ")).collect();
    assert_eq!(rows.len(), 6, "{text}");
    let mut outside = 0;
    for row in rows {
        // Machine, exact, mean, interval, share of time.
        let row = numbers(row);
        outside += usize::from(!(row[3]..=row[4]).contains(&row[1]));
        assert!(row[5] > 0.2 && row[5] < 0.8, "{text}");
    }
    assert!(outside <= 1, "{text}");
    for rule in ["first come", "shortest step", "most work left"] {
        let row = numbers(line(&text, rule));
        // No schedule is shorter than 55 hours, and breakdowns make it longer.
        assert!(row[0] >= 55.0 && row[2] > row[0] && row[5] > row[1], "{text}");
        assert!((row[8] - 197.0 / 20.0).abs() < 0.2, "{text}");
    }
}

#[test]
fn phold_hops_at_its_rate_to_uniform_places() {
    let text = printed("phold", &folder("phold"), &[]);
    let rows = comparisons(&text, 1);
    assert_eq!(rows.len(), 3, "{text}");
    for (row, pending) in rows.iter().zip([1_024.0, 16_384.0, 131_072.0]) {
        // Pending, events a second (a power of ten apart), exact, mean, interval, and χ² of the visits.
        let row = numbers(row);
        assert!(row[0] == pending && (row[4] - row[3]).abs() < 0.005, "{text}");
        assert!((row[7] - 1_023.0).abs() < 3.0 * (2.0_f64 * 1_023.0).sqrt(), "{text}");
    }
}

#[test]
fn a_ball_is_animated_and_kicked_by_a_script() {
    let text = printed("animation", &folder("animation"), &["--script"]);
    let bounces: Vec<Vec<f64>> = (1..=6).map(|bounce| numbers(line(&text, &format!("{bounce}  ")))).collect();
    assert!(bounces.iter().all(|row| row.len() == 3 && row[1] == row[2]), "{text}");
    for (time, kick) in ["3 s", "5 s", "5.25 s"].iter().zip(text.lines().filter(|line| line.starts_with("kicked"))) {
        assert!(kick.contains(time), "{text}");
    }
    assert_eq!(text.lines().filter(|line| line.starts_with('|') && line.contains('o')).count(), 2, "{text}");
    assert!(text.contains("480 frames in 8 s"), "{text}");
    // Nobody is at the keyboard: it ends at once.
    assert!(printed("animation", &folder("animation"), &[]).ends_with("\u{1b}[?25h"));
}

#[test]
fn customers_of_a_bank_wait_and_renege_as_erlang_and_cobham_say() {
    let text = printed("bank", &folder("bank"), &[]);
    assert_eq!(comparisons(&text, 1).len(), 6, "{text}");
    let [business, private] = ["business who", "private  who"].map(|class| numbers(line(&text, class)));
    // Wait and fraction reneged: who goes first has less of both.
    assert!(business[0] < private[0] && business[1] < private[1], "{text}");
}

#[test]
fn machines_are_repaired_before_anything_else() {
    let text = printed("machine_shop", &folder("machine_shop"), &[]);
    assert_eq!(comparisons(&text, 1).len(), 4, "{text}");
    assert!(numbers(line(&text, "He left"))[0] > 10_000.0, "{text}");
}

#[test]
fn nobody_is_overtaken_in_line_for_fuel() {
    let text = printed("gas_station", &folder("gas_station"), &[]);
    assert_eq!(comparisons(&text, 1).len(), 4, "{text}");
    let (in_line, as_it_comes) = text.split_once("As it comes").unwrap();
    let overtaken = |text: &str| numbers(text.lines().find(|line| line.ends_with("overtaken")).unwrap())[0];
    assert!(overtaken(in_line) == 0.0 && overtaken(as_it_comes) > 1_000.0, "{text}");
    let wait = |text: &str, who: &str| numbers(line(text, who))[0];
    assert!(wait(in_line, "cars") > wait(as_it_comes, "cars"), "{text}");
    assert!(wait(in_line, "lorries") < wait(as_it_comes, "lorries"), "{text}");
}

#[test]
fn a_film_that_is_sold_out_empties_its_part_of_the_queue() {
    let text = printed("cinema", &folder("cinema"), &[]);
    assert_eq!(comparisons(&text, 1).len(), 3, "{text}");
    for film in ["1  ", "2  ", "3  "] {
        // Film, when it is sold out, how many wait and how many leave.
        let row = numbers(line(&text, film));
        assert!(row.len() == 4 && row[3] <= row[2], "{text}");
    }
    let left = numbers(text.lines().last().unwrap());
    assert!(left[0] > 10_000.0 && left[1] == 0.0, "{text}");
}

#[test]
fn calls_are_as_many_as_with_an_agent_for_everyone() {
    let text = printed("call_centre", &folder("call_centre"), &[]);
    let rows = comparisons(&text, 2);
    assert_eq!(rows.len(), 10, "{text}");
    for row in rows {
        // Hour, shares in time and gone of both languages, exact, simulated, and the interval.
        let row = numbers(row);
        assert!(row.len() == 9 && row[1] > 50.0 && row[2] < 15.0 && (row[5] - row[6]).abs() < 0.5, "{row:?}");
    }
}

#[test]
fn the_little_prince_is_happy_after_he_has_watched() {
    let text = printed("little_prince", &folder("little_prince"), &[]);
    let evening = |time: &str| -> Vec<&str> {
        let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix(time)?.strip_prefix("  "));
        lines.map(|line| line.split("  ").next().unwrap()).collect()
    };
    let (sun, chair, watches) = ("the sun sets", "the prince moves his chair", "he watches the sunset");
    assert_eq!(evening("42"), [sun, chair, watches, "he feels happy", "the baobab has 3 leaves"], "{text}");
    assert_eq!(evening("84"), ["clouds come", sun, chair, "the baobab has 4 leaves"], "{text}");
    assert_eq!(evening("136"), ["he thinks of his rose"], "{text}");
}
