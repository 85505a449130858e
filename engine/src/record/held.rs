//! Intervals over which the outputs stay as they are, or go on as they do.

use super::outputs::Followed;
use super::quadrature::FIVE;
use super::{BACKWARDS, bad_time};
use crate::error::SimError;
use crate::model::Model;
use crate::view::View;

/// Puts neighbouring intervals in which nothing changes together before anyone adds them up, so that
/// a cut in a run leaves no trace in the rounding.
#[derive(Clone, Debug, Default)]
pub(super) struct Held {
    pub(super) outputs: Followed,
    since: f64,
    until: f64,
    /// The outputs, all the time; at the end, if they move.
    values: Vec<f64>,
    fresh: Vec<f64>,
    /// If they move.
    moving: Option<Moving>,
}

/// Outputs that move on from when something was written last.
#[derive(Clone, Debug)]
struct Moving {
    changed: f64,
    parts: Vec<Part>,
    /// Part by part, at each of its [`places`] all outputs.
    samples: Vec<f64>,
}

/// A part of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    /// What it is a part for.
    pub(super) number: usize,
    pub(super) since: f64,
    pub(super) until: f64,
}

impl Part {
    pub(super) fn time(&self) -> f64 {
        self.until - self.since
    }
}

/// The outputs in a part.
#[derive(Clone, Copy, Debug)]
pub(super) enum Values<'a> {
    /// They stay.
    Held(&'a [f64]),
    /// At each of the part's [`places`], all of them.
    Moving(&'a [f64]),
}

/// An output in a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Summary {
    pub(super) mean: f64,
    pub(super) variance: f64,
    pub(super) min: f64,
    pub(super) max: f64,
}

/// Where outputs that move are taken: at the nodes of a part, then at both ends.
const PLACES: usize = 7;

fn places(part: Part) -> [f64; PLACES] {
    let [a, b, c, d, e] = FIVE.times(part.since, part.until);
    [a, b, c, d, e, part.since, part.until]
}

impl Values<'_> {
    /// Each output in turn.
    #[inline]
    pub(super) fn each(self, mut each: impl FnMut(usize, Summary)) {
        match self {
            Values::Held(values) => (0..values.len()).for_each(|output| each(output, self.of(output))),
            Values::Moving(samples) => (0..samples.len() / PLACES).for_each(|output| each(output, self.of(output))),
        }
    }

    /// An output.
    #[inline]
    pub(super) fn of(self, output: usize) -> Summary {
        match self {
            Values::Held(values) => {
                let value = values[output];
                Summary { mean: value, variance: 0.0, min: value, max: value }
            }
            Values::Moving(samples) => {
                let samples = samples.iter().skip(output).step_by(samples.len() / PLACES).copied();
                let mean = FIVE.mean(samples.clone());
                Summary {
                    mean,
                    variance: FIVE.mean(samples.clone().map(|value| (value - mean) * (value - mean))),
                    min: samples.clone().fold(f64::INFINITY, f64::min),
                    max: samples.fold(f64::NEG_INFINITY, f64::max),
                }
            }
        }
    }
}

impl Held {
    /// The outputs are those of `view` until `until`. `add` is given the parts of the interval before, once something
    /// has changed; `parts` says what an interval is made of.
    #[inline]
    pub(super) fn advance<M: Model, P: Iterator<Item = Part>>(
        &mut self,
        view: View<'_, M>,
        until: f64,
        parts: impl Fn(f64, f64) -> P,
        add: impl FnMut(Part, Values<'_>),
    ) -> Result<(), SimError> {
        let now = view.now();
        let count = self.outputs.follow(view)?;
        if now < self.until {
            return Err(bad_time(now, BACKWARDS, now));
        }
        self.fresh.resize(count, f64::NAN);
        let goes_on = now == self.until && self.since < now;
        if M::OUTPUTS_MOVE {
            return self.advance_moving(view, until, goes_on, parts, add);
        }
        view.outputs(&mut self.fresh)?;
        if goes_on && self.fresh == self.values {
            self.until = until;
            return Ok(());
        }
        self.pending(parts, add);
        std::mem::swap(&mut self.values, &mut self.fresh);
        (self.since, self.until) = (now, until);
        Ok(())
    }

    /// The same for outputs that move: as long as nothing is written, the interval is taken anew from its beginning.
    fn advance_moving<M: Model, P: Iterator<Item = Part>>(
        &mut self,
        view: View<'_, M>,
        until: f64,
        goes_on: bool,
        parts: impl Fn(f64, f64) -> P,
        add: impl FnMut(Part, Values<'_>),
    ) -> Result<(), SimError> {
        let known = self.moving.as_ref().is_some_and(|moving| moving.changed == view.changed);
        let mut goes_on = goes_on && known;
        if goes_on {
            // Tallies may have been set back.
            view.outputs(&mut self.fresh)?;
            goes_on = self.fresh.iter().zip(&self.values).all(|(a, b)| a.to_bits() == b.to_bits());
        }
        if !goes_on {
            self.pending(&parts, add);
            (self.since, self.until) = (view.now(), view.now());
            self.moving = Some(Moving { changed: view.changed, parts: Vec::new(), samples: Vec::new() });
        }
        let Some(Moving { parts: known, samples, .. }) = &mut self.moving else { return Ok(()) };
        let count = self.fresh.len();
        let outputs = |time, into: &mut [f64]| view.at_time(time).outputs(into);
        for (number, part) in parts(self.since, until).enumerate() {
            if known.get(number) == Some(&part) {
                continue;
            }
            known.truncate(number);
            samples.truncate(number * PLACES * count);
            for time in places(part) {
                outputs(time, &mut self.fresh)?;
                samples.extend(&self.fresh);
            }
            known.push(part);
        }
        self.values.resize(count, f64::NAN);
        match known.last() {
            Some(part) if part.until == until => self.values.copy_from_slice(&samples[samples.len() - count..]),
            _ => outputs(until, &mut self.values)?,
        }
        self.until = until;
        Ok(())
    }

    /// Gives the parts of the interval that has not been added yet.
    #[inline]
    pub(super) fn pending<P: Iterator<Item = Part>>(
        &self,
        parts: impl Fn(f64, f64) -> P,
        mut add: impl FnMut(Part, Values<'_>),
    ) {
        if self.since >= self.until {
            return;
        }
        match &self.moving {
            None => parts(self.since, self.until).for_each(|part| add(part, Values::Held(&self.values))),
            Some(Moving { parts, samples, .. }) if !self.values.is_empty() => {
                let samples = samples.chunks_exact(PLACES * self.values.len());
                parts.iter().zip(samples).for_each(|(part, samples)| add(*part, Values::Moving(samples)));
            }
            Some(_) => {}
        }
    }

    /// The time up to which the run was seen.
    pub(super) fn until(&self) -> f64 {
        self.until
    }

    /// Forgets what was seen.
    pub(super) fn reset(&mut self) {
        self.outputs.part();
        (self.since, self.until) = (0.0, 0.0);
        self.moving = None;
    }
}

/// A mean over time.
///
/// Only distances from the first value are added up: without rounding if the value never changes,
/// and with less of it than the values themselves otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub(super) time: f64,
    origin: f64,
    area: f64,
}

impl Mean {
    /// The quantity was `value` for `time`.
    #[inline]
    pub(super) fn add(&mut self, value: f64, time: f64) {
        if self.time == 0.0 && value.is_finite() {
            self.origin = value;
        }
        self.time += time;
        self.area += (value - self.origin) * time;
    }

    /// NaN if no time has been added.
    #[inline]
    pub(super) fn get(&self) -> f64 {
        self.origin + self.area / self.time
    }
}

#[cfg(test)]
mod tests {
    use crate::record::{BatchMeans, Grid, Path, TimeAverage};
    use crate::{Simulation, simulation};

    simulation! {
        /// A ball, a tank that leaks, and events at random, proposed much more often than they happen.
        #[derive(Clone, Debug)]
        model Mixed {
            param size: usize = 3;
            index part = 0..size;
            state h: f64 = 1.0;
            state w: f64 = 0.0;
            state level: f64 = 3.0;
            state x[k in part]: f64 = k as f64;
            state v[k in part]: f64 = 1.0;
            state n: u64 = 0;
            tally seen: u64 = 0;
            flow (h, w) = (h + w * dt - dt * dt, w - 2.0 * dt);
            flow level = level * (-0.4 * dt).exp();
            flow x[k in part] = x[k] + v[k] * dt;
            clock bounce: every(2.0, from = 1.0) => { w = -w; seen += 1; }
            clock fill: hazard(|_s| 0.5, bound = 4.0) => { level += 1.0; n += 1; }
            clock turn[k in part]: rate(0.7) => { v[k] = -v[k]; }
            observe height = h;
            observe quartic = h.powi(4);
            observe time = now;
            observe age = 2.0 * (now - n as f64);
            observe level = level;
            observe n = n;
            observe seen = seen;
            observe x[k in part] = x[k];
        }
    }

    fn start(seed: u64) -> Simulation<Mixed> {
        Mixed::default().start(seed).unwrap()
    }

    fn close(a: Option<f64>, b: f64, tolerance: f64) {
        let a = a.unwrap();
        assert!((a - b).abs() <= tolerance * b.abs().max(1.0), "{a} is not {b}");
    }

    #[test]
    fn polynomials_are_integrated_exactly() {
        let mut average = TimeAverage::new();
        start(1).run_with(&mut average, 24.0).unwrap();
        close(average.mean("height"), 2.0 / 3.0, 1e-13);
        close(average.variance("height"), 4.0 / 45.0, 1e-13);
        // The mean of (1 − s²)⁴ is 128/315.
        close(average.mean("quartic"), 128.0 / 315.0, 1e-13);
        close(average.mean("time"), 12.0, 1e-13);
        close(average.variance("time"), 576.0 / 12.0, 1e-13);
        assert_eq!((average.min("time"), average.max("time")), (Some(0.0), Some(24.0)));
        assert!(average.max("height").unwrap() <= 1.0 + 1e-12 && average.min("height").unwrap() >= -1e-12);
        assert_eq!(average.time(), 24.0);
    }

    #[test]
    fn averages_are_those_of_the_path() {
        for (seed, since) in [(1, 0.0), (2, 3.3), (3, 7.0)] {
            let mut average = TimeAverage::since(since);
            let mut path = Path::of(["h", "level", "x", "n"]).since(since);
            start(seed).run_with(&mut (&mut average, &mut path), 30.0).unwrap();
            for (output, coordinate) in [("height", "h"), ("level", "level"), ("n", "n"), ("x[1]", "x[1]")] {
                close(average.mean(output), path.mean(coordinate).unwrap(), 1e-9);
                close(average.variance(output), path.variance(coordinate).unwrap(), 1e-8);
            }
            assert_eq!(average.means_of("x").unwrap().len(), 3);
            close(average.mean("time"), 0.5 * (since + 30.0), 1e-13);
            close(average.mean("age"), since + 30.0 - 2.0 * path.mean("n").unwrap(), 1e-12);
        }
    }

    #[test]
    fn batches_are_those_of_the_path() {
        let mut batches = BatchMeans::between(2.0, 26.0, 12).unwrap();
        let mut many = BatchMeans::between(2.0, 26.0, 600).unwrap();
        let mut path = Path::of(["h", "level", "n"]).since(2.0);
        start(4).run_with(&mut (&mut batches, &mut many, &mut path), 26.0).unwrap();
        for (output, coordinate, tolerance) in [("height", "h", 1e-13), ("level", "level", 1e-9), ("n", "n", 1e-13)] {
            for (batches, count) in [(&batches, 12), (&many, 600)] {
                let (sample, exact) = (batches.sample(output).unwrap(), path.batch_means(coordinate, count).unwrap());
                assert_eq!(sample.len(), count);
                let pairs = sample.values().iter().zip(exact.values());
                pairs.for_each(|(a, b)| close(Some(*a), *b, tolerance));
            }
        }
        let times = batches.sample("time").unwrap();
        for (k, mean) in times.values().iter().enumerate() {
            close(Some(*mean), 3.0 + 2.0 * k as f64, 1e-14);
        }
    }

    /// Everything known, bit by bit.
    fn print(average: &TimeAverage, batches: &BatchMeans) -> String {
        let of = |name: &String| {
            let range = (average.min(name), average.max(name));
            format!("{name} {:?} {:?} {range:?} {:?}", average.mean(name), average.variance(name), batches.sample(name))
        };
        average.outputs().iter().map(of).collect()
    }

    #[test]
    fn cutting_a_run_changes_no_bit() {
        let fine: Vec<f64> = (0..300).map(|k| 0.1 * f64::from(k)).collect();
        for cuts in [&[0.0, 1.0, 1.0, 2.5, 2.5, 7.0, 7.77][..], &fine] {
            let recorders = || (TimeAverage::since(2.5), BatchMeans::between(1.0, 28.0, 9).unwrap());
            let (mut whole, mut cut) = (recorders(), recorders());
            start(5).run_with(&mut whole, 30.0).unwrap();
            let mut sim = start(5);
            for &until in cuts {
                sim.run_with(&mut cut, until).unwrap();
                let _ = print(&cut.0, &cut.1);
            }
            sim.run_with(&mut cut, 30.0).unwrap();
            assert_eq!(print(&whole.0, &whole.1), print(&cut.0, &cut.1));
        }
    }

    #[test]
    fn what_is_changed_at_a_cut_counts_from_there() {
        for at in [3.0, 3.5] {
            let mut sim = start(6);
            let mut average = TimeAverage::new();
            let mut path = Path::of(["level", "h"]);
            sim.run_with(&mut (&mut average, &mut path), at).unwrap();
            sim.update(|state| (state.level, state.h) = (40.0, 9.0)).unwrap();
            sim.run_with(&mut (&mut average, &mut path), 5.0).unwrap();
            close(average.mean("level"), path.mean("level").unwrap(), 1e-9);
            close(average.mean("height"), path.mean("h").unwrap(), 1e-13);
            assert_eq!(average.max("level"), Some(40.0));
        }
    }

    #[test]
    fn tallies_set_back_at_a_cut_count_from_there() {
        let mut sim = start(7);
        let mut average = TimeAverage::new();
        sim.run_with(&mut average, 2.5).unwrap();
        sim.reset_tallies().unwrap();
        sim.run_with(&mut average, 4.0).unwrap();
        // 0 for 1, 1 for 1.5, 0 for 0.5, 1 for 1.
        close(average.mean("seen"), 2.5 / 4.0, 1e-14);
    }

    #[test]
    fn only_time_observed_counts() {
        let mut sim = start(8);
        let mut average = TimeAverage::new();
        sim.run_with(&mut average, 2.25).unwrap();
        sim.run_until(4.25).unwrap();
        sim.run_with(&mut average, 5.0).unwrap();
        assert_eq!(average.time(), 3.0);
        close(average.mean("time"), (2.25 * 1.125 + 0.75 * 4.625) / 3.0, 1e-14);
        average.reset();
        assert_eq!(average.mean("time"), None);
        sim.run_with(&mut average, 6.0).unwrap();
        close(average.mean("time"), 5.5, 1e-14);
        assert!(start(8).run_with(&mut average, 1.0).is_err());
    }

    #[test]
    fn a_grid_has_the_values_of_its_times() {
        let mut grid = Grid::every(0.25).unwrap();
        let mut path = Path::of(["h", "level", "x[2]"]);
        start(9).run_with(&mut (&mut grid, &mut path), 8.0).unwrap();
        for (output, coordinate) in [("height", "h"), ("level", "level"), ("x[2]", "x[2]")] {
            let exact = path.values(coordinate, grid.times()).unwrap();
            grid.values(output).unwrap().iter().zip(exact).for_each(|(a, b)| close(Some(*a), b, 1e-12));
        }
    }
}
