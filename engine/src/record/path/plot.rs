//! Plots of paths.

use std::path::Path as File;
use std::sync::Arc;

use plotters::prelude::*;

use crate::error::{ErrorKind, SimError};
use crate::model::Model;
use crate::record::path::Path;
use crate::record::path::course::{Course, sweep};
use crate::record::path::segment::{Segment, Shape};

impl<M: Model> Path<M> {
    /// Draws the coordinate `name` over time into an SVG file.
    ///
    /// Of a long path each column of pixels shows the least and the greatest value in it.
    ///
    /// # Errors
    /// [`ErrorKind::Coordinate`] if there is no such coordinate or no time has been observed, [`ErrorKind::User`] with what
    /// writing fails with.
    pub fn plot(&self, name: &str, file: impl AsRef<File>) -> Result<(), SimError> {
        let (courses, range) = self.plotted(&[name])?;
        let mut points = Thinned::new(range);
        sweep(&courses, range.0, range.1, |segments, start, end| {
            along(segments, start, end, |time| points.push((time, segments[0].value(time))));
        });
        self.drawn(draw(file.as_ref(), (WIDTH, 1200), ["time", name], &points.finish()))
    }

    /// Draws the coordinate `y` over the coordinate `x`, as a trajectory in their plane, into an SVG file.
    ///
    /// # Errors
    /// As [`plot`](Path::plot).
    pub fn plot_plane(&self, x: &str, y: &str, file: impl AsRef<File>) -> Result<(), SimError> {
        let (courses, (from, until)) = self.plotted(&[x, y])?;
        let mut points = Vec::new();
        sweep(&courses, from, until, |segments, start, end| {
            along(segments, start, end, |time| points.push((segments[0].value(time), segments[1].value(time))));
        });
        self.drawn(draw(file.as_ref(), (WIDTH, WIDTH), [x, y], &apart(points)))
    }

    fn plotted(&self, names: &[&str]) -> Result<(Vec<Course<'_>>, (f64, f64)), SimError> {
        let of = |name: &&str| {
            let refuse = |reason| {
                let known = self.follower.families();
                SimError::new(ErrorKind::Coordinate { name: (*name).to_owned(), reason, known }, self.follower.until())
            };
            let coordinate = self.follower.index(name).ok_or_else(|| refuse("it is not followed"))?;
            self.course(coordinate).ok_or_else(|| refuse("no time has been observed"))
        };
        let courses = names.iter().map(of).collect::<Result<_, _>>()?;
        Ok((courses, self.range().unwrap_or_default()))
    }

    fn drawn(&self, outcome: Result<(), DrawingAreaErrorKind<std::io::Error>>) -> Result<(), SimError> {
        outcome.map_err(|error| SimError::new(ErrorKind::User(Arc::new(error)), self.follower.until()))
    }
}

type Point = (f64, f64);

/// Points are put on whole pixels, so there should be many.
const WIDTH: u32 = 2000;

/// Visits times of an interval that are close enough for lines between them.
fn along(segments: &[Segment], start: f64, end: f64, mut visit: impl FnMut(f64)) {
    let straight =
        segments.iter().all(|segment| matches!(segment.shape, Shape::Polynomial([_, _, bend]) if bend == 0.0));
    let steps = if straight { 1 } else { 48 };
    (0..=steps).for_each(|k| visit(start + (end - start) * f64::from(k) / f64::from(steps)));
}

/// A curve over time, of which each column keeps the first and the last, the least and the greatest value.
struct Thinned {
    from: f64,
    /// Columns in a unit of time.
    scale: f64,
    column: f64,
    /// Of this column.
    points: [Point; 4],
    kept: Vec<Point>,
}

impl Thinned {
    fn new((from, until): (f64, f64)) -> Self {
        let scale = f64::from(WIDTH) / (until - from);
        Thinned { from, scale, column: f64::NEG_INFINITY, points: [(f64::NAN, f64::NAN); 4], kept: Vec::new() }
    }

    fn push(&mut self, point: Point) {
        if !point.1.is_finite() {
            return;
        }
        let column = ((point.0 - self.from) * self.scale).floor();
        if column != self.column {
            self.keep();
            (self.column, self.points) = (column, [point; 4]);
        }
        let [_, least, greatest, last] = &mut self.points;
        *last = point;
        if point.1 < least.1 {
            *least = point;
        }
        if point.1 > greatest.1 {
            *greatest = point;
        }
    }

    fn keep(&mut self) {
        let mut points = self.points;
        // At one instant the order stays what it was.
        points[1..3].sort_by(|a, b| a.0.total_cmp(&b.0));
        for point in points {
            if point.0.is_finite() && self.kept.last() != Some(&point) {
                self.kept.push(point);
            }
        }
    }

    fn finish(mut self) -> Vec<Point> {
        self.keep();
        self.kept
    }
}

/// A trajectory without the points that nobody could tell from the ones before.
fn apart(points: Vec<Point>) -> Vec<Point> {
    let finite = |point: &Point| point.0.is_finite() && point.1.is_finite();
    let points: Vec<Point> = points.into_iter().filter(finite).collect();
    let least = [span(points.iter().map(|point| point.0)), span(points.iter().map(|point| point.1))];
    let [x, y] = least.map(|(low, high)| (high - low) / f64::from(2 * WIDTH));
    let mut kept: Vec<Point> = Vec::new();
    let end = points.last().copied();
    for point in points {
        if kept.last().is_none_or(|last| (point.0 - last.0).abs() >= x || (point.1 - last.1).abs() >= y) {
            kept.push(point);
        }
    }
    kept.extend(end);
    kept
}

/// The range that shows all values.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(v), high.max(v)));
    let margin = 0.04 * (high - low);
    if margin > 0.0 {
        (low - margin, high + margin)
    } else if low.is_finite() {
        let margin = 0.5_f64.max(0.1 * low.abs());
        (low - margin, low + margin)
    } else {
        (0.0, 1.0)
    }
}

fn draw(
    file: &File,
    size: (u32, u32),
    [x, y]: [&str; 2],
    points: &[Point],
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let (across, up) = (span(points.iter().map(|point| point.0)), span(points.iter().map(|point| point.1)));
    let area = SVGBackend::new(file, size).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(32)
        .x_label_area_size(100)
        .y_label_area_size(140)
        .build_cartesian_2d(across.0..across.1, up.0..up.1)?;
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .label_style(("sans-serif", 30))
        .x_desc(x)
        .y_desc(y)
        .draw()?;
    chart.draw_series(LineSeries::new(points.iter().copied(), RGBColor(32, 92, 160).stroke_width(2)))?;
    area.present()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_column_keeps_its_range() {
        let wave = |k: i32| (f64::from(k) / 1e5, f64::from(k).sin() * if k == 52_345 { 3.0 } else { 1.0 });
        let mut points = Thinned::new((0.0, 1.0));
        (0..=100_000).for_each(|k| points.push(wave(k)));
        let kept = points.finish();
        assert!(kept.len() <= 4 * (WIDTH as usize + 1));
        assert!(kept.windows(2).all(|two| two[0].0 <= two[1].0));
        assert_eq!((kept[0], kept[kept.len() - 1]), (wave(0), wave(100_000)));
        assert_eq!(span(kept.iter().map(|point| point.1)), span((0..=100_000).map(|k| wave(k).1)));
    }

    #[test]
    fn a_trajectory_keeps_its_ends() {
        let circle = |k: i32| (f64::from(k) * 1e-4).sin_cos();
        let kept = apart((0..100_000).map(circle).collect());
        assert!(kept.len() < 60_000);
        assert_eq!((kept[0], kept[kept.len() - 1]), (circle(0), circle(99_999)));
        assert_eq!(apart(vec![(1.0, f64::NAN), (1.0, 2.0)]), [(1.0, 2.0), (1.0, 2.0)]);
    }

    #[test]
    fn ranges_are_never_empty() {
        assert_eq!(span([2.0, 2.0].into_iter()), (1.5, 2.5));
        assert_eq!(span(std::iter::empty()), (0.0, 1.0));
        let (low, high) = span([0.0, 100.0].into_iter());
        assert_eq!((low, high), (-4.0, 104.0));
    }
}
