//! What the example programs share: where their files go, and how they draw.

use std::error::Error;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use plotters::prelude::*;

/// Any error, for programs that only print it.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The folder for the files of an example: the first argument of the program, or
/// `target/clockrace-examples`. It is made if it is not there.
///
/// # Errors
/// If it cannot be made.
pub fn output_folder() -> io::Result<PathBuf> {
    let folder = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/clockrace-examples"), PathBuf::from);
    fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// A chart over one horizontal axis: bands, lines and points, drawn in the order in which they
/// were added.
#[derive(Clone, Debug)]
pub struct Figure {
    title: String,
    x_label: String,
    y_label: String,
    layers: Vec<Layer>,
}

#[derive(Clone, Debug)]
struct Layer {
    label: String,
    shape: Shape,
}

#[derive(Clone, Debug)]
enum Shape {
    Band(Vec<(f64, f64, f64)>),
    Line(Vec<(f64, f64)>),
    Points(Vec<(f64, f64)>),
}

/// Width and height of a picture.
const SIZE: (u32, u32) = (860, 520);
/// Coordinates are whole numbers to plotters; on a larger canvas, shown smaller, curves are smooth.
const SCALE: u32 = 8;
const FONT: &str = "Helvetica, Arial, sans-serif";
const BAND: RGBColor = RGBColor(174, 199, 232);
const LINE: RGBColor = RGBColor(31, 90, 160);
const POINT: RGBColor = RGBColor(200, 60, 30);
const INK: RGBColor = RGBColor(40, 40, 40);
const GRID: RGBColor = RGBColor(228, 228, 228);

impl Figure {
    /// An empty chart.
    #[must_use]
    pub fn new(title: &str, x_label: &str, y_label: &str) -> Self {
        Figure { title: title.to_owned(), x_label: x_label.to_owned(), y_label: y_label.to_owned(), layers: Vec::new() }
    }

    /// Adds the area between two curves, given as (x, lower, upper).
    #[must_use]
    pub fn band(self, label: &str, points: impl IntoIterator<Item = (f64, f64, f64)>) -> Self {
        self.layer(label, Shape::Band(points.into_iter().collect()))
    }

    /// Adds a curve.
    #[must_use]
    pub fn line(self, label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.layer(label, Shape::Line(points.into_iter().collect()))
    }

    /// Adds single points.
    #[must_use]
    pub fn points(self, label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.layer(label, Shape::Points(points.into_iter().collect()))
    }

    fn layer(mut self, label: &str, shape: Shape) -> Self {
        self.layers.push(Layer { label: label.to_owned(), shape });
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
        let root = SVGBackend::with_string(svg, (px(SIZE.0), px(SIZE.1))).into_drawing_area();
        root.fill(&WHITE).map_err(plain)?;
        let (head, body) = root.split_vertically(px(48));
        head.margin(px(16), 0, 0, 0).titled(&self.title, font(24)).map_err(plain)?;
        let mut chart = ChartBuilder::on(&body)
            .margin(px(12))
            .margin_right(px(24))
            .x_label_area_size(px(46))
            .y_label_area_size(px(60))
            .build_cartesian_2d(x, y)
            .map_err(plain)?;
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
            .x_labels(14)
            .y_labels(8)
            .x_label_formatter(&|value| format!("{value}"))
            .y_label_formatter(&|value| format!("{value}"))
            .draw()
            .map_err(plain)?;
        let (long, high) = (px(24) as i32, px(6) as i32);
        for Layer { label, shape } in &self.layers {
            let series = match shape {
                Shape::Band(points) => {
                    let upper = points.iter().map(|&(x, _, high)| (x, high));
                    let lower = points.iter().rev().map(|&(x, low, _)| (x, low));
                    let outline: Vec<_> = upper.chain(lower).collect();
                    chart.draw_series([Polygon::new(outline, BAND.filled())]).map_err(plain)?.legend(move |(x, y)| {
                        Rectangle::new([(x, y - high), (x + long, y + high)], BAND.filled()).into_dyn()
                    })
                }
                Shape::Line(points) => {
                    let style = LINE.stroke_width(px(2));
                    chart
                        .draw_series(LineSeries::new(points.iter().copied(), style))
                        .map_err(plain)?
                        .legend(move |(x, y)| PathElement::new([(x, y), (x + long, y)], style).into_dyn())
                }
                Shape::Points(points) => {
                    let style = POINT.filled();
                    chart
                        .draw_series(points.iter().map(|&point| Circle::new(point, px(5), style)))
                        .map_err(plain)?
                        .legend(move |(x, y)| Circle::new((x + long / 2, y), px(5), style).into_dyn())
                }
            };
            series.label(label);
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

    /// What the axes must show: all of x, and y from 0 on with some room above.
    fn ranges(&self) -> Option<(Range<f64>, Range<f64>)> {
        let mut x = (f64::INFINITY, f64::NEG_INFINITY);
        let mut top = 0.0_f64;
        let mut see = |at: f64, value: f64| {
            x = (x.0.min(at), x.1.max(at));
            top = top.max(value);
        };
        for layer in &self.layers {
            match &layer.shape {
                Shape::Band(points) => points.iter().for_each(|&(at, _, high)| see(at, high)),
                Shape::Line(points) | Shape::Points(points) => points.iter().for_each(|&(at, value)| see(at, value)),
            }
        }
        (x.0 < x.1 && top > 0.0).then_some((x.0..x.1, 0.0..1.06 * top))
    }
}

/// Units of the canvas.
const fn px(pixels: u32) -> u32 {
    pixels * SCALE
}

/// Text of this size.
fn font(pixels: u32) -> TextStyle<'static> {
    TextStyle::from((FONT, px(pixels)).into_font()).color(&INK)
}

/// Keeps what plotters has to say and drops its borrowed type.
fn plain(error: impl std::fmt::Display) -> Failure {
    error.to_string().into()
}
