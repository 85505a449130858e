//! Interleaved measurement of contenders that simulate the same model.
//!
//! A machine that is shared or changes its clock makes two separate timings incomparable. Here
//! every round runs each contender once, in an order that rotates, on the CPU time of the thread;
//! what is compared are the ratios within a round, and what is reported is their median.
//!
//! Where the state of a run happens to lie shifts its speed by some percent, at times by more. So
//! each round also starts at another offset of the stack.

pub mod draws;
pub mod pairs;

use std::fmt::Write as _;
use std::hint::black_box;

use cpu_time::ThreadTime;

/// What a run has done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// How many events happened; `None` if the contender cannot tell.
    pub events: Option<u64>,
    /// A number from the final state, by which contenders are checked against each other.
    pub last: f64,
}

impl Run {
    /// A run whose events were counted.
    #[must_use]
    pub fn counted(events: u64, last: f64) -> Self {
        Run { events: Some(events), last }
    }

    /// A run whose events were not counted.
    #[must_use]
    pub fn uncounted(last: f64) -> Self {
        Run { events: None, last }
    }
}

/// One way to simulate a model.
#[derive(Clone, Copy)]
pub struct Contender {
    /// Name in the table.
    pub name: &'static str,
    /// Simulates under a seed: what is timed.
    pub run: fn(u64) -> Run,
    /// The same events under the same seed, counted: for a `run` that does not count. It is not
    /// timed, and must end in the same state.
    pub count: Option<fn(u64) -> Run>,
}

impl Contender {
    /// A contender that counts its events.
    #[must_use]
    pub const fn new(name: &'static str, run: fn(u64) -> Run) -> Self {
        Contender { name, run, count: None }
    }

    /// A contender that does not, with a twin that does.
    #[must_use]
    pub const fn with_twin(name: &'static str, run: fn(u64) -> Run, count: fn(u64) -> Run) -> Self {
        Contender { name, run, count: Some(count) }
    }
}

/// Contenders that simulate one model.
#[derive(Clone, Copy)]
pub struct Contest<'a> {
    /// Title of the table.
    pub title: &'static str,
    /// What `Run::last` is.
    pub last: &'static str,
    /// Who takes part.
    pub contenders: &'a [Contender],
    /// Names of the contenders that the others are compared with.
    pub baselines: &'a [&'static str],
    /// Runs of each contender in a round.
    pub runs: u64,
}

/// What was measured of one contender.
struct Score {
    /// Events a second, one number a round.
    speeds: Vec<f64>,
    events: Sample,
    last: Sample,
}

impl Contest<'_> {
    /// Runs `rounds` rounds and gives the result as a Markdown table.
    ///
    /// # Errors
    /// If two contenders do not simulate the same thing, as far as their means tell.
    ///
    /// # Panics
    /// If a baseline is no contender, or a twin ends in another state.
    pub fn hold(&self, rounds: u64) -> Result<String, String> {
        let n = self.contenders.len();
        let mut scores: Vec<Score> = self.contenders.iter().map(|_| Score::new()).collect();
        for contender in self.contenders {
            (contender.run)(black_box(0));
        }
        for round in 0..rounds {
            for k in 0..n {
                let k = (k + usize::try_from(round).expect("few rounds")) % n;
                let first_seed = round * self.runs + 1;
                shifted(round, &mut || self.contenders[k].play(first_seed, self.runs, &mut scores[k]));
            }
        }
        let table = self.table(&scores);
        match self.disagreements(&scores) {
            none if none.is_empty() => Ok(table),
            some => Err(format!("{table}\n{some}")),
        }
    }

    fn baseline(&self, name: &str) -> usize {
        let found = self.contenders.iter().position(|c| c.name == name);
        found.unwrap_or_else(|| panic!("{}: no contender is called {name}", self.title))
    }

    fn table(&self, scores: &[Score]) -> String {
        let baselines: Vec<usize> = self.baselines.iter().map(|name| self.baseline(name)).collect();
        let mut text = format!("### {}\n\n| | million events/s | ns an event |", self.title);
        for &b in &baselines {
            write!(text, " × {} |", self.contenders[b].name).expect("a string takes all");
        }
        writeln!(text, " events a run | {} |", self.last).expect("a string takes all");
        writeln!(text, "|---|{}", "---:|".repeat(4 + baselines.len())).expect("a string takes all");
        for (contender, score) in self.contenders.iter().zip(scores) {
            let speed = median(score.speeds.clone());
            write!(text, "| {} | {:.1} | {:.2} |", contender.name, speed / 1e6, 1e9 / speed)
                .expect("a string takes all");
            for &b in &baselines {
                let ratios = score.speeds.iter().zip(&scores[b].speeds).map(|(mine, its)| mine / its);
                write!(text, " {:.2} |", median(ratios.collect())).expect("a string takes all");
            }
            writeln!(text, " {} | {} |", score.events, score.last).expect("a string takes all");
        }
        text
    }

    /// Contenders whose mean differs from that of the first by more than 5 standard errors.
    fn disagreements(&self, scores: &[Score]) -> String {
        let mut text = String::new();
        for (contender, score) in self.contenders.iter().zip(scores) {
            for (what, mine, its) in
                [("events a run", &score.events, &scores[0].events), (self.last, &score.last, &scores[0].last)]
            {
                if mine.differs(its, 5.0) {
                    writeln!(text, "{}: {what} {mine}, but {its} by {}", contender.name, self.contenders[0].name)
                        .expect("a string takes all");
                }
            }
        }
        text
    }
}

impl Contender {
    fn play(&self, first_seed: u64, runs: u64, score: &mut Score) {
        let seeds = first_seed..first_seed + runs;
        let mut results = Vec::with_capacity(usize::try_from(runs).expect("few runs"));
        let start = ThreadTime::now();
        for seed in seeds.clone() {
            results.push(black_box((self.run)(black_box(seed))));
        }
        let seconds = start.elapsed().as_secs_f64();
        let mut total = 0;
        for (seed, result) in seeds.zip(results) {
            let counted = match self.count {
                None => result,
                Some(count) => count(seed),
            };
            assert_eq!(counted.last.to_bits(), result.last.to_bits(), "{}: the counting twin", self.name);
            let events = counted.events.expect("a contender or its twin counts");
            total += events;
            score.events.push(events as f64);
            score.last.push(result.last);
        }
        score.speeds.push(total as f64 / seconds);
    }
}

/// The mean of the squares, by which contenders are checked against each other.
pub fn mean_square(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n = values.len() as f64;
    values.map(|value| value * value).sum::<f64>() / n
}

/// Does `work` with the stack shifted by one of eight multiples of 16 bytes.
fn shifted(round: u64, work: &mut dyn FnMut()) {
    #[inline(never)]
    fn by<const BYTES: usize>(work: &mut dyn FnMut()) {
        let shift = black_box([0_u8; BYTES]);
        work();
        black_box(&shift);
    }
    match round % 8 {
        0 => by::<16>(work),
        1 => by::<32>(work),
        2 => by::<48>(work),
        3 => by::<64>(work),
        4 => by::<80>(work),
        5 => by::<96>(work),
        6 => by::<112>(work),
        _ => by::<128>(work),
    }
}

impl Score {
    fn new() -> Self {
        Score { speeds: Vec::new(), events: Sample::default(), last: Sample::default() }
    }
}

/// Mean and spread of numbers.
#[derive(Default)]
struct Sample {
    n: f64,
    mean: f64,
    squares: f64,
}

impl Sample {
    fn push(&mut self, x: f64) {
        self.n += 1.0;
        let off = x - self.mean;
        self.mean += off / self.n;
        self.squares += off * (x - self.mean);
    }

    /// Squared standard error of the mean.
    fn error2(&self) -> f64 {
        self.squares / (self.n - 1.0).max(1.0) / self.n
    }

    fn differs(&self, other: &Sample, errors: f64) -> bool {
        (self.mean - other.mean).abs() > errors * (self.error2() + other.error2()).sqrt()
    }
}

impl std::fmt::Display for Sample {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let error = self.error2().sqrt();
        let digits = if error >= 10.0 { 0 } else { 2 };
        write!(f, "{:.digits$} ± {:.digits$}", self.mean, error)
    }
}

/// The median: of an even number, the middle between the two in the middle.
///
/// # Panics
/// If there are none.
#[must_use]
pub fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    if numbers.len() % 2 == 1 { numbers[half] } else { f64::midpoint(numbers[half - 1], numbers[half]) }
}
