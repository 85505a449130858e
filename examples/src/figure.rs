//! Charts.

use std::fs;
use std::ops::{Add, Range, Sub};
use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Failure;

/// A chart over one horizontal axis: bands, columns, lines and points, drawn in the order in which
/// they were added. What has no label is not in the legend.
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    x_label: String,
    y_label: String,
    categories: Vec<String>,
    colour: Option<RGBColor>,
    layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    label: String,
    shape: Shape,
    colour: RGBAColor,
}

#[derive(Clone, Debug)]
enum Shape {
    Band(Vec<(f64, f64, f64)>),
    Columns(Vec<(f64, f64)>),
    Line(Vec<(f64, f64)>),
    Lines(Vec<Vec<(f64, f64)>>),
    Points(Vec<(f64, f64)>),
    Intervals(Vec<(f64, f64, f64)>),
}

/// Width and height of a picture.
const SIZE: (u32, u32) = (860, 520);
/// Coordinates are whole numbers to plotters; on a larger canvas, shown smaller, curves are smooth.
const SCALE: u32 = 8;
const FONT: &str = "Helvetica, Arial, sans-serif";
pub(crate) const BAND: RGBColor = RGBColor(174, 199, 232);
pub(crate) const LINE: RGBColor = RGBColor(31, 90, 160);
const POINT: RGBColor = RGBColor(200, 60, 30);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// Half the width of a column.
const COLUMN: f64 = 0.3;
/// Colours of layers, by number: dark, blue, orange, green, purple.
const COLOURS: [RGBColor; 5] = [INK, LINE, RGBColor(214, 110, 10), RGBColor(30, 130, 80), RGBColor(130, 70, 160)];

impl Figure {
    /// An empty chart.
    #[must_use]
    pub fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        Figure {
            title: title.to_owned(),
            x_label: x_label.to_owned(),
            y_label: y_label.to_owned(),
            categories: Vec::new(),
            colour: None,
            layers: Vec::new(),
        }
    }

    /// Names the places 0, 1, … on the horizontal axis, instead of numbers.
    #[must_use]
    pub fn categories<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.categories = names.into_iter().map(str::to_owned).collect();
        self
    }

    /// The colour of the layers that are added from here on, by number: dark, blue, orange, green,
    /// purple, and again. Without it each kind of layer has its own.
    #[must_use]
    pub fn colour(mut self, number: usize) -> Self {
        self.colour = Some(COLOURS[number % COLOURS.len()]);
        self
    }

    /// Adds the area between two curves, given as (x, lower, upper).
    #[must_use]
    pub fn band(self, label: &str, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        self.layer(label, BAND, Shape::Band(points.into_iter().collect()))
    }

    /// Adds columns from 0 up to the points.
    #[must_use]
    pub fn columns(self, label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.layer(label, BAND, Shape::Columns(points.into_iter().collect()))
    }

    /// Adds a curve.
    #[must_use]
    pub fn line(self, label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.layer(label, LINE, Shape::Line(points.into_iter().collect()))
    }

    /// Adds thin curves of one kind.
    #[must_use]
    pub fn lines(self, label: &str, curves: impl IntoIterator<Item = Vec<(f64, f64)>>) -> Self {
        self.layer(label, LINE, Shape::Lines(curves.into_iter().collect()))
    }

    /// Adds single points.
    #[must_use]
    pub fn points(self, label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.layer(label, POINT, Shape::Points(points.into_iter().collect()))
    }

    /// Adds intervals, given as (x, lower, upper).
    #[must_use]
    pub fn intervals(self, label: &str, intervals: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        self.layer(label, POINT, Shape::Intervals(intervals.into_iter().collect()))
    }

    fn layer(mut self, label: &str, colour: RGBColor, shape: Shape) -> Self {
        let area = matches!(shape, Shape::Band(_) | Shape::Columns(_));
        let colour = match self.colour {
            None => colour.to_rgba(),
            Some(colour) => colour.mix(if area { 0.28 } else { 1.0 }),
        };
        self.layers.push(Layer { label: label.to_owned(), shape, colour });
        self
    }

    /// Draws it into an SVG file.
    ///
    /// # Errors
    /// If there is nothing to draw, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        self.draw(path).map_err(|error| format!("cannot draw {}: {error}", path.display()).into())
    }

    fn draw(&self, path: &Path) -> Result<(), Failure> {
        let mut svg = String::new();
        self.draw_large(&mut svg)?;
        let canvas = format!("width=\"{}\" height=\"{}\"", px(SIZE.0), px(SIZE.1));
        let shown = format!("width=\"{}\" height=\"{}\"", SIZE.0, SIZE.1);
        fs::write(path, svg.replacen(&canvas, &shown, 1))?;
        Ok(())
    }

    fn draw_large(&self, svg: &mut String) -> Result<(), Failure> {
        let (x, y) = self.ranges().ok_or("there is nothing to draw")?;
        // Room for the numbers and the label beside them.
        let widest = 32 + 8 * format!("{:.0}", y.end).len() as u32;
        let cap = 0.008 * (x.end - x.start);
        let root = SVGBackend::with_string(svg, (px(SIZE.0), px(SIZE.1))).into_drawing_area();
        root.fill(&WHITE).map_err(plain)?;
        let (head, body) = root.split_vertically(px(48));
        head.margin(px(16), 0, 0, 0).titled(&self.title, font(24)).map_err(plain)?;
        let mut chart = ChartBuilder::on(&body)
            .margin(px(12))
            .margin_right(px(24))
            .x_label_area_size(px(46))
            .y_label_area_size(px(widest.max(60)))
            .build_cartesian_2d(x, y)
            .map_err(plain)?;
        let named = !self.categories.is_empty();
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(GRID.stroke_width(px(1)))
            .axis_style(INK.stroke_width(px(1)))
            .set_all_tick_mark_size(px(5))
            .label_style(font(15))
            .axis_desc_style(font(18))
            .x_desc(&self.x_label)
            .y_desc(&self.y_label)
            .x_labels(if named { 0 } else { 14 })
            .y_labels(8)
            .x_label_formatter(&short)
            .y_label_formatter(&short)
            .draw()
            .map_err(plain)?;
        let below = font(15).pos(Pos::new(HPos::Center, VPos::Top));
        chart
            .draw_series(self.categories.iter().enumerate().map(|(place, name)| {
                EmptyElement::at((place as f64, 0.0)) + Text::new(name.clone(), (0, px(9) as i32), &below)
            }))
            .map_err(plain)?;
        for layer @ Layer { label, shape, colour } in &self.layers {
            let (area, thick, thin) = layer.styles();
            let series = match shape {
                Shape::Band(points) => {
                    let upper = points.iter().map(|&(x, _, high)| (x, high));
                    let lower = points.iter().rev().map(|&(x, low, _)| (x, low));
                    let outline: Vec<_> = upper.chain(lower).collect();
                    chart.draw_series([Polygon::new(outline, area)])
                }
                Shape::Columns(points) => {
                    let column = |&(x, y): &(f64, f64)| Rectangle::new([(x - COLUMN, 0.0), (x + COLUMN, y)], area);
                    chart.draw_series(points.iter().map(column))
                }
                Shape::Line(points) => chart.draw_series(LineSeries::new(points.iter().copied(), thick)),
                Shape::Lines(curves) => {
                    chart.draw_series(curves.iter().map(|points| PathElement::new(points.clone(), thin)))
                }
                Shape::Points(points) => {
                    chart.draw_series(points.iter().map(|&point| Circle::new(point, px(5), colour.filled())))
                }
                Shape::Intervals(intervals) => {
                    let bar = |&(x, low, high): &(f64, f64, f64)| PathElement::new(capped(x, cap, low, high), thick);
                    chart.draw_series(intervals.iter().map(bar))
                }
            };
            let series = series.map_err(plain)?;
            if !label.is_empty() {
                series.label(label).legend(|at| layer.key(at));
            }
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .margin(px(12))
            .legend_area_size(px(36))
            .label_font(font(17))
            .background_style(WHITE)
            // Always one unit of the canvas thin.
            .border_style(BLACK)
            .draw()
            .map_err(plain)?;
        root.present().map_err(plain)?;
        Ok(())
    }

    /// What the axes must show: all of x, and y from 0 on with some room above, for the legend too.
    fn ranges(&self) -> Option<(Range<f64>, Range<f64>)> {
        let points = || self.layers.iter().flat_map(|layer| layer.shape.tops());
        let mut left = points().map(|(x, _)| x).fold(f64::INFINITY, f64::min);
        let mut right = points().map(|(x, _)| x).fold(f64::NEG_INFINITY, f64::max);
        if !self.categories.is_empty() {
            (left, right) = (-0.5, self.categories.len() as f64 - 0.5);
        }
        let labels = || self.layers.iter().map(|layer| layer.label.chars().count()).filter(|&length| length > 0);
        // About how much of the chart the legend takes.
        let wide = (80.0 + 8.5 * labels().max().unwrap_or(0) as f64) / 770.0;
        let high = (30.0 + 21.0 * labels().count() as f64) / 400.0;
        let under = right - wide * (right - left);
        let top = points().map(|(x, y)| if x < under { 1.06 * y } else { y / (1.0 - high) }).fold(0.0, f64::max);
        (left < right && top > 0.0).then_some((left..right, 0.0..top))
    }
}

impl Shape {
    /// The upper ends of what is drawn.
    fn tops(&self) -> Vec<(f64, f64)> {
        match self {
            Shape::Band(points) | Shape::Intervals(points) => points.iter().map(|&(x, _, high)| (x, high)).collect(),
            // A column is wide.
            Shape::Columns(points) => points.iter().flat_map(|&(x, y)| [(x - COLUMN, y), (x + COLUMN, y)]).collect(),
            Shape::Line(points) | Shape::Points(points) => points.clone(),
            Shape::Lines(curves) => curves.concat(),
        }
    }
}

impl Layer {
    /// Of areas, lines and thin lines.
    fn styles(&self) -> (ShapeStyle, ShapeStyle, ShapeStyle) {
        let colour = self.colour;
        (colour.filled(), colour.stroke_width(px(2)), colour.mix(0.5).stroke_width(px(1)))
    }

    /// The sign of the layer in the legend.
    fn key<B: DrawingBackend>(&self, (x, y): (i32, i32)) -> DynElement<'static, B, (i32, i32)> {
        let (area, thick, thin) = self.styles();
        let (long, high) = (px(24) as i32, px(6) as i32);
        match self.shape {
            Shape::Band(_) | Shape::Columns(_) => {
                Rectangle::new([(x, y - high), (x + long, y + high)], area).into_dyn()
            }
            Shape::Line(_) => PathElement::new([(x, y), (x + long, y)], thick).into_dyn(),
            Shape::Lines(_) => PathElement::new([(x, y), (x + long, y)], thin).into_dyn(),
            Shape::Points(_) => Circle::new((x + long / 2, y), px(5), area).into_dyn(),
            Shape::Intervals(_) => {
                PathElement::new(capped(x + long / 2, long / 5, y - high, y + high), thick).into_dyn()
            }
        }
    }
}

/// One stroke that is a line from `low` to `high` with a cap at either end.
fn capped<T: Copy + Add<Output = T> + Sub<Output = T>>(at: T, cap: T, low: T, high: T) -> [(T, T); 6] {
    let (left, right) = (at - cap, at + cap);
    [(left, low), (right, low), (at, low), (at, high), (left, high), (right, high)]
}

/// Units of the canvas.
/// The beginning of an SVG file that is not drawn by plotters: white, with a title of this size at its top.
pub(crate) fn titled([width, height]: [usize; 2], title: &str, size: u32) -> String {
    format!(
        "<svg width=\"{width}\" height=\"{height}\" xmlns=\"http://www.w3.org/2000/svg\" font-family=\"{FONT}\" \
         fill=\"#282828\"><rect width=\"100%\" height=\"100%\" fill=\"white\"/>\
         <text x=\"{}\" y=\"36\" font-size=\"{size}\" text-anchor=\"middle\">{title}</text>",
        width / 2
    )
}

const fn px(pixels: u32) -> u32 {
    pixels * SCALE
}

/// A number without the last digits, which rounding has got wrong.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "plotters wants it so")]
fn short(value: &f64) -> String {
    let rounded = format!("{value:.9e}").parse::<f64>();
    rounded.as_ref().unwrap_or(value).to_string()
}

/// Text of this size.
fn font(pixels: u32) -> TextStyle<'static> {
    TextStyle::from((FONT, px(pixels)).into_font()).color(&INK)
}

/// Keeps what plotters has to say and drops its borrowed type.
fn plain(error: impl std::fmt::Display) -> Failure {
    error.to_string().into()
}
