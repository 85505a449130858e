//! Outputs at given times.

use std::io::{self, Write};

use super::outputs::Followed;
use super::{BACKWARDS, bad_time};
use crate::error::{ErrorKind, SimError};
use crate::model::Model;
use crate::observer::Observer;
use crate::view::View;

/// Keeps the outputs of a model at given times: a row for each time, a column for each output.
///
/// The value at a time is the one after all events at or before it. The end of a run belongs to
/// the run: after `run_with(&mut grid, t)` a row for `t` is there if the grid has that time.
///
/// When a `stop` ends a run early, later times have no row until [`fill`](Grid::fill) says that
/// the last state holds on.
#[derive(Clone, Debug)]
pub struct Grid {
    schedule: Schedule,
    /// The time of the next row; infinity when there is none.
    next: f64,
    /// The time up to which the run has been seen; infinitely early before the first look.
    seen: f64,
    outputs: Followed,
    times: Vec<f64>,
    /// Row by row.
    values: Vec<f64>,
}

#[derive(Clone, Debug)]
enum Schedule {
    /// The next row is at `k · step`, the one after it at `(k + 1) · step`. A float, because it
    /// is multiplied with one; whole numbers are exact in it up to [`FINEST`].
    Every {
        step: f64,
        k: f64,
    },
    At {
        times: Vec<f64>,
        row: usize,
    },
}

/// 2⁵³: above it, adding one to a float does nothing.
const FINEST: f64 = 9_007_199_254_740_992.0;

impl Grid {
    /// A row at every multiple of `step`, from the first one that is not before the start of the
    /// run. Times are `k * step`, so they don't drift.
    ///
    /// # Errors
    /// [`ErrorKind::Period`] if `step` is not positive and finite.
    pub fn every(step: f64) -> Result<Self, SimError> {
        if !(step > 0.0 && step <= f64::MAX) {
            return Err(SimError::new(ErrorKind::Period { part: "period", value: step }, 0.0));
        }
        Ok(Self::new(Schedule::Every { step, k: 0.0 }))
    }

    /// A row at each of `times`, which must ascend. A time that is given several times has one row.
    ///
    /// # Errors
    /// [`ErrorKind::Time`] if a time is not finite, or less than the one before it. A time before
    /// the start of the run is an error of the run.
    pub fn at(times: impl IntoIterator<Item = f64>) -> Result<Self, SimError> {
        Ok(Self::new(Schedule::At { times: ascending(times)?, row: 0 }))
    }

    fn new(schedule: Schedule) -> Self {
        Grid {
            schedule,
            next: f64::INFINITY,
            seen: f64::NEG_INFINITY,
            outputs: Followed::default(),
            times: Vec::new(),
            values: Vec::new(),
        }
    }

    /// A grid that has all its rows.
    pub(super) fn complete(names: Vec<String>, times: Vec<f64>, values: Vec<f64>) -> Self {
        let grid = Self::new(Schedule::At { times: Vec::new(), row: 0 });
        // It follows no simulation.
        Grid { seen: f64::INFINITY, outputs: Followed::named(names), times, values, ..grid }
    }

    /// Names of the outputs, in the order of the columns. Empty before the first run.
    #[must_use]
    pub fn outputs(&self) -> &[String] {
        self.outputs.names()
    }

    /// The times that have a row so far.
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// How many rows there are so far.
    #[must_use]
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there is no row yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// The outputs at `times()[row]`.
    #[must_use]
    pub fn row(&self, row: usize) -> Option<&[f64]> {
        let width = self.outputs().len();
        (row < self.len()).then(|| &self.values[row * width..(row + 1) * width])
    }

    /// Every row: its time and its outputs.
    pub fn rows(&self) -> impl Iterator<Item = (f64, &[f64])> {
        self.times.iter().copied().zip((0..).map_while(|row| self.row(row)))
    }

    /// The column of the output `name`: one value for each of [`times`](Grid::times). `None` if
    /// there is no such output.
    #[must_use]
    pub fn values(&self, name: &str) -> Option<Vec<f64>> {
        let column = self.outputs.index(name)?;
        Some(self.rows().map(|(_, row)| row[column]).collect())
    }

    /// The members of the family `name` at `times()[row]`; see [families](crate::record#families).
    /// `None` if there is no such family or row.
    #[must_use]
    pub fn members(&self, name: &str, row: usize) -> Option<&[f64]> {
        Some(&self.row(row)?[self.outputs.members(name)?])
    }

    /// Gives every time up to and including `until` that has no row yet a row with the state of
    /// `view`: for a run that a `stop` has ended, where the last state stays.
    ///
    /// # Errors
    /// [`ErrorKind::Time`] if `until` is not finite, or as in a run.
    pub fn fill<M: Model>(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        if !until.is_finite() {
            return Err(bad_time(until, "cannot end a grid; it must be finite", view.now()));
        }
        self.look(view)?;
        while self.next <= until {
            self.push(view)?;
        }
        self.seen = self.seen.max(until);
        Ok(())
    }

    /// Writes the rows as CSV: a header with `time` and the names of the outputs, then a row for
    /// each time. Numbers are written so that reading them gives the same number.
    ///
    /// # Errors
    /// What writing to `out` fails with.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        write!(out, "time")?;
        for name in self.outputs() {
            write!(out, ",{name}")?;
        }
        writeln!(out)?;
        for (time, row) in self.rows() {
            write!(out, "{time}")?;
            for value in row {
                write!(out, ",{value}")?;
            }
            writeln!(out)?;
        }
        out.flush()
    }

    /// Takes note of `view`, which shows the state from `view.now()` on.
    fn look<M: Model>(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        let width = self.outputs.follow(view)?;
        let now = view.now();
        let first = self.seen == f64::NEG_INFINITY;
        if first {
            self.next = self.schedule.begin(now)?;
        }
        if now < self.seen {
            return Err(bad_time(now, BACKWARDS, now));
        }
        if self.next < now {
            let reason = if first {
                "is in the grid and lies before the start of the run"
            } else {
                "is in the grid and passed while the grid was not observing"
            };
            return Err(bad_time(self.next, reason, now));
        }
        self.seen = now;
        if self.times.last() == Some(&now) {
            // The run was cut here, and the state may have been changed from outside since.
            let start = self.values.len() - width;
            view.outputs(&mut self.values[start..])?;
        }
        Ok(())
    }

    /// The row of `next`.
    fn push<M: Model>(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        let start = self.values.len();
        self.values.resize(start + self.outputs().len(), f64::NAN);
        if let Err(error) = view.at(self.next).outputs(&mut self.values[start..]) {
            self.values.truncate(start);
            return Err(error);
        }
        self.times.push(self.next);
        self.next = self.schedule.step();
        Ok(())
    }
}

impl Schedule {
    /// The first time in the schedule for a run that begins at `now`.
    fn begin(&mut self, now: f64) -> Result<f64, SimError> {
        match self {
            Schedule::Every { step, k } => {
                *k = (now / *step).ceil();
                // The quotient is rounded: what counts is the product.
                if (*k - 1.0) * *step >= now {
                    *k -= 1.0;
                }
                if *k * *step < now {
                    *k += 1.0;
                }
                if *k >= FINEST {
                    return Err(bad_time(now, "is too late for multiples of so short a step", now));
                }
                Ok(*k * *step)
            }
            Schedule::At { times, row } => Ok(times.get(*row).copied().unwrap_or(f64::INFINITY)),
        }
    }

    /// The time after the current one.
    fn step(&mut self) -> f64 {
        match self {
            Schedule::Every { step, k } => {
                *k += 1.0;
                *k * *step
            }
            Schedule::At { times, row } => {
                *row += 1;
                times.get(*row).copied().unwrap_or(f64::INFINITY)
            }
        }
    }
}

/// `times` without repetitions.
///
/// # Errors
/// If one is not finite, or less than the one before it.
pub(crate) fn ascending(times: impl IntoIterator<Item = f64>) -> Result<Vec<f64>, SimError> {
    let mut kept = Vec::new();
    let mut last = f64::NEG_INFINITY;
    for time in times {
        if !time.is_finite() {
            return Err(bad_time(time, "cannot be in a grid; it must be finite", 0.0));
        }
        if time < last {
            return Err(bad_time(time, "stands after a later time in a grid; times must ascend", 0.0));
        }
        if time > last {
            kept.push(time);
        }
        last = time;
    }
    Ok(kept)
}

/// The multiples of `step` from `from` to `until`.
///
/// # Errors
/// If `step` is not positive and finite, or so short that the multiples cannot be told apart.
pub(super) fn multiples(step: f64, from: f64, until: f64) -> Result<Vec<f64>, SimError> {
    let Grid { mut schedule, .. } = Grid::every(step)?;
    let mut times = Vec::new();
    let mut time = schedule.begin(from)?;
    while time <= until {
        times.push(time);
        time = schedule.step();
    }
    Ok(times)
}

impl<M: Model> Observer<M> for Grid {
    fn advance(&mut self, view: View<'_, M>, until: f64) -> Result<(), SimError> {
        self.look(view)?;
        while self.next < until {
            self.push(view)?;
        }
        self.seen = until;
        Ok(())
    }

    fn finish(&mut self, view: View<'_, M>) -> Result<(), SimError> {
        self.look(view)?;
        while self.next <= view.now() {
            self.push(view)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::testing::{Sites, Steps};

    fn rows(grid: &Grid) -> Vec<(f64, f64)> {
        grid.rows().map(|(time, row)| (time, row[0])).collect()
    }

    #[test]
    fn the_value_at_a_time_is_the_one_after_its_events() {
        let mut grid = Grid::at([0.0, 1.0, 1.5, 2.0, 3.0]).unwrap();
        Steps::at([1.0, 2.0, 2.0]).run().run_with(&mut grid, 3.0).unwrap();
        assert_eq!(rows(&grid), [(0.0, 0.0), (1.0, 1.0), (1.5, 1.0), (2.0, 3.0), (3.0, 3.0)]);
        assert_eq!(grid.outputs(), ["n", "double"]);
        assert_eq!(grid.values("double").unwrap(), [0.0, 2.0, 2.0, 6.0, 6.0]);
        assert_eq!(grid.values("other"), None);
        assert_eq!(grid.row(3), Some(&[3.0, 6.0][..]));
        assert_eq!(grid.row(5), None);
    }

    #[test]
    fn an_event_at_the_start_belongs_to_the_start() {
        let mut grid = Grid::every(1.0).unwrap();
        Steps::at([0.0, 0.0]).run().run_with(&mut grid, 1.0).unwrap();
        assert_eq!(rows(&grid), [(0.0, 2.0), (1.0, 2.0)]);
    }

    #[test]
    fn the_end_of_a_run_has_its_row_and_shows_nothing_of_what_follows() {
        let mut sim = Steps::at([1.0, 2.0, 4.0]).run();
        let mut grid = Grid::every(1.0).unwrap();
        sim.run_with(&mut grid, 2.0).unwrap();
        assert_eq!(rows(&grid), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
        sim.run_with(&mut grid, 2.0).unwrap();
        assert_eq!(grid.len(), 3);
        sim.run_with(&mut grid, 4.0).unwrap();
        assert_eq!(rows(&grid)[3..], [(3.0, 2.0), (4.0, 3.0)]);
    }

    #[test]
    fn cutting_a_run_gives_the_same_rows() {
        let steps = Steps::default();
        let mut whole = Grid::every(0.1).unwrap();
        steps.clone().run().run_with(&mut whole, 30.0).unwrap();
        let mut cut = Grid::every(0.1).unwrap();
        let mut sim = steps.run();
        for until in [0.0, 0.05, 0.1, 0.3, 7.0, 7.0, 7.77, 30.0] {
            sim.run_with(&mut cut, until).unwrap();
        }
        assert_eq!(rows(&whole), rows(&cut));
        for (k, time) in whole.times().iter().enumerate() {
            assert_eq!(*time, k as f64 * 0.1);
        }
    }

    #[test]
    fn the_path_does_not_change() {
        let mut plain = Steps::default().run();
        let mut seen = Steps::default().run();
        plain.run_until(50.0).unwrap();
        seen.run_with(&mut Grid::every(0.25).unwrap(), 50.0).unwrap();
        assert_eq!((plain.state(), plain.next_time()), (seen.state(), seen.next_time()));
    }

    #[test]
    fn multiples_begin_at_the_start_of_the_run() {
        let product = 3.0 * 0.1;
        assert!(product > 0.3);
        for (start, first) in [(0.0, 0.0), (0.3, product), (product, product), (0.31, 0.4), (7.0, 7.0)] {
            let mut grid = Grid::every(0.1).unwrap();
            Steps { begin: start, ..Steps::at([]) }.run().run_with(&mut grid, start + 1.0).unwrap();
            assert_eq!(grid.times()[0], first);
        }
    }

    #[test]
    fn a_run_that_stops_ends_the_grid_until_it_is_filled() {
        let mut sim = Steps { last: Some(2), ..Steps::at([1.0, 2.0, 3.0]) }.run();
        let mut grid = Grid::every(1.0).unwrap();
        sim.run_with(&mut grid, 5.0).unwrap();
        assert_eq!(rows(&grid), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
        assert!(grid.fill(sim.view(), f64::INFINITY).is_err());
        grid.fill(sim.view(), 4.0).unwrap();
        assert_eq!(rows(&grid)[3..], [(3.0, 2.0), (4.0, 2.0)]);
    }

    #[test]
    fn a_run_without_end_has_rows_up_to_its_last_event() {
        let mut grid = Grid::every(1.0).unwrap();
        Steps::at([1.0, 2.0]).run().run_with(&mut grid, f64::INFINITY).unwrap();
        assert_eq!(rows(&grid), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
    }

    #[test]
    fn a_state_changed_from_outside_at_a_cut_is_seen_there() {
        let mut sim = Steps::at([1.0, 2.0]).run();
        let mut grid = Grid::every(1.0).unwrap();
        sim.run_with(&mut grid, 1.0).unwrap();
        sim.update(|state| state.n = 7).unwrap();
        sim.run_with(&mut grid, 2.0).unwrap();
        assert_eq!(rows(&grid), [(0.0, 0.0), (1.0, 7.0), (2.0, 7.0)]);
    }

    #[test]
    fn unusable_times_are_refused() {
        for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(Grid::every(step).unwrap_err().kind(), ErrorKind::Period { .. }));
        }
        for times in [vec![1.0, 0.5], vec![f64::NAN], vec![0.0, f64::INFINITY]] {
            assert!(matches!(Grid::at(times).unwrap_err().kind(), ErrorKind::Time { .. }));
        }
        assert!(Grid::at([]).is_ok());
        let mut grid = Grid::at([0.5]).unwrap();
        let late = Steps { begin: 1.0, ..Steps::at([]) };
        let error = late.run().run_with(&mut grid, 2.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Time { value: 0.5, .. }), "{error}");
        let mut grid = Grid::every(1e-300).unwrap();
        let late = Steps { begin: 1.0, ..Steps::at([]) };
        assert!(late.run().run_with(&mut grid, 2.0).is_err());
    }

    #[test]
    fn a_time_asked_for_several_times_has_one_row() {
        let mut grid = Grid::at([1.0, 1.0, 1.0]).unwrap();
        Steps::at([]).run().run_with(&mut grid, 2.0).unwrap();
        assert_eq!(rows(&grid), [(1.0, 0.0)]);
    }

    #[test]
    fn a_time_that_nobody_saw_is_an_error_and_not_a_guess() {
        let mut sim = Steps::at([1.0]).run();
        let mut grid = Grid::every(1.0).unwrap();
        sim.run_with(&mut grid, 0.5).unwrap();
        sim.run_until(1.5).unwrap();
        let error = sim.run_with(&mut grid, 3.0).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Time { value: 1.0, .. }), "{error}");
    }

    #[test]
    fn a_second_simulation_is_refused() {
        let mut grid = Grid::every(1.0).unwrap();
        Steps::at([]).run().run_with(&mut grid, 2.0).unwrap();
        assert!(Steps::at([]).run().run_with(&mut grid, 2.0).is_err());
    }

    #[test]
    fn csv() {
        let mut grid = Grid::every(0.5).unwrap();
        Steps::at([0.5]).run().run_with(&mut grid, 1.0).unwrap();
        let mut csv = Vec::new();
        grid.write_csv(&mut csv).unwrap();
        assert_eq!(String::from_utf8(csv).unwrap(), "time,n,double\n0,0,0\n0.5,1,2\n1,1,2\n");
    }

    #[test]
    fn families_have_a_column_for_each_member() {
        let mut grid = Grid::every(2.0).unwrap();
        let mut sim = Sites::of(3, 1);
        sim.run_with(&mut grid, 3.0).unwrap();
        grid.fill(sim.view(), 4.0).unwrap();
        assert_eq!(grid.values("profile[1]").unwrap(), [0.0, 1.0, 1.0]);
        assert_eq!(grid.members("profile", 1), Some(&[2.0, 1.0, 0.0][..]));
        assert_eq!(grid.members("sum", 2), Some(&[5.0][..]));
        assert_eq!(grid.members("s[0]", 0).unwrap(), [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!((grid.members("profile", 3), grid.members("other", 0)), (None, None));
        let mut csv = Vec::new();
        grid.write_csv(&mut csv).unwrap();
        let csv = String::from_utf8(csv).unwrap();
        let names = "sum,profile[0],profile[1],profile[2],last,s[0][0],s[0][1],s[0][2],s[0][3],s[0][4],s[0][5]";
        assert_eq!(csv.lines().next().unwrap(), format!("time,{names}"));
        assert_eq!(csv.lines().nth(2).unwrap(), "2,3,2,1,0,0,300,301,302,303,304,305");
    }

    #[test]
    fn a_state_changed_at_a_cut_is_seen_in_every_column() {
        let mut sim = Sites::of(3, 2);
        let mut grid = Grid::every(1.0).unwrap();
        sim.run_with(&mut grid, 1.0).unwrap();
        sim.update(|state| state.u[2] = 7).unwrap();
        sim.run_with(&mut grid, 2.0).unwrap();
        assert_eq!(grid.members("profile", 1).unwrap(), [1.0, 0.0, 7.0]);
        assert_eq!(grid.members("profile", 2).unwrap(), [2.0, 1.0, 7.0]);
        assert_eq!(grid.row(1).unwrap()[4..6], [7.0, 100.0]);
    }
}
