//! Pictures of several squares: paths in a plane, and grey images.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use plotters::style::RGBColor;

use crate::figure::{BAND, LINE, titled};

/// A square in a picture.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What stands over it.
    pub caption: String,
    /// What is in it.
    pub shown: Shown,
}

/// What is in a [`Panel`].
#[derive(Clone, Debug)]
pub enum Shown {
    /// A path over closed curves, in the square from −`reach` to `reach`, with its axes.
    Plane {
        /// Half the side of the square.
        reach: f64,
        /// Closed curves, filled.
        contours: Vec<Vec<(f64, f64)>>,
        /// The path.
        path: Vec<(f64, f64)>,
    },
    /// A square image, row by row: 0 is white and 1 is black.
    Image(Vec<f64>),
}

/// Draws panels in rows of `columns`, each `side` wide, into an SVG file.
///
/// # Errors
/// If the file cannot be written.
pub fn save_panels(file: &Path, title: &str, columns: usize, side: usize, panels: &[Panel]) -> io::Result<()> {
    const GAP: usize = 20;
    const HEAD: usize = 56;
    const CAPTION: usize = 34;
    let rows = panels.len().div_ceil(columns);
    let (width, height) = (columns * (side + GAP) + GAP, HEAD + rows * (side + CAPTION) + GAP);
    let mut svg = titled([width, height], title, 22);
    for (number, Panel { caption, shown }) in panels.iter().enumerate() {
        let left = GAP + number % columns * (side + GAP);
        let top = HEAD + CAPTION + number / columns * (side + CAPTION);
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"16\" text-anchor=\"middle\">{caption}</text>\
             <svg x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\" ",
            left + side / 2,
            top - 10,
        );
        match shown {
            Shown::Plane { reach, contours, path } => plane(&mut svg, *reach, contours, path),
            Shown::Image(shades) => image(&mut svg, shades),
        }
        svg += &format!(
            "</svg><rect x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#bbb\"/>"
        );
    }
    svg += "</svg>\n";
    fs::write(file, svg)
}

fn plane(svg: &mut String, reach: f64, contours: &[Vec<(f64, f64)>], path: &[(f64, f64)]) {
    let scale = 1000.0 / reach;
    let line = |points: &[(f64, f64)]| {
        let mut places = String::new();
        for (x, y) in points {
            // Writing into a string does not fail.
            let _ = write!(places, "{:.0},{:.0} ", scale * x, -scale * y);
        }
        places
    };
    *svg += "viewBox=\"-1000 -1000 2000 2000\">";
    for contour in contours {
        *svg += &format!("<polygon points=\"{}\" fill=\"{}\" fill-opacity=\"0.4\"/>", line(contour), colour(BAND));
    }
    *svg += "<path d=\"M-1000 0H1000M0-1000V1000\" stroke=\"#999\" stroke-width=\"4\"/>";
    *svg += &format!(
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"7\" stroke-linejoin=\"round\"/>",
        line(path),
        colour(LINE)
    );
}

fn image(svg: &mut String, shades: &[f64]) {
    const LEVELS: f64 = 32.0;
    let side = shades.len().isqrt();
    *svg += &format!("viewBox=\"0 0 {side} {side}\" shape-rendering=\"crispEdges\">");
    let level = |shade: f64| (LEVELS * shade.clamp(0.0, 1.0)).round();
    for wanted in 1..=LEVELS as u32 {
        let mut cells = String::new();
        for (y, row) in shades.chunks_exact(side).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|a, b| level(*a) == level(*b)) {
                if level(run[0]) == f64::from(wanted) {
                    let _ = write!(cells, "M{x} {y}h{0}v1h-{0}z", run.len());
                }
                x += run.len();
            }
        }
        if !cells.is_empty() {
            let grey = (255.0 * (1.0 - f64::from(wanted) / LEVELS)).round();
            *svg += &format!("<path fill=\"rgb({grey},{grey},{grey})\" d=\"{cells}\"/>");
        }
    }
}

fn colour(RGBColor(red, green, blue): RGBColor) -> String {
    format!("rgb({red},{green},{blue})")
}
