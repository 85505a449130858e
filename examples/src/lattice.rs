//! Pictures of lattices.

use std::path::Path;
use std::{fs, io};

use plotters::style::RGBColor;

use crate::figure::{BAND, LINE, titled};

/// A square of cells in two states.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// What stands over it.
    pub caption: String,
    /// Row by row, whether each cell is in the first state.
    pub cells: Vec<bool>,
}

/// Draws lattices of the same size side by side into an SVG file; `states` names the two states.
///
/// # Errors
/// If the file cannot be written.
pub fn save_lattices(path: &Path, title: &str, states: [&str; 2], lattices: &[Lattice]) -> io::Result<()> {
    const SHOWN: usize = 512;
    const GAP: usize = 24;
    const HEAD: usize = 84;
    let (width, height) = (lattices.len() * (SHOWN + GAP) + GAP, HEAD + SHOWN + 44);
    let colours = [LINE, BAND].map(|RGBColor(red, green, blue)| format!("rgb({red},{green},{blue})"));
    let mut svg = titled([width, height], title, 24);
    for (number, Lattice { caption, cells }) in lattices.iter().enumerate() {
        let left = GAP + number * (SHOWN + GAP);
        let side = cells.len().isqrt();
        let scale = SHOWN as f64 / side as f64;
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"18\" text-anchor=\"middle\">{caption}</text>\
             <g transform=\"translate({left} {HEAD}) scale({scale})\" shape-rendering=\"crispEdges\">\
             <rect width=\"{side}\" height=\"{side}\" fill=\"{}\"/><path fill=\"{}\" d=\"",
            left + SHOWN / 2,
            HEAD - 14,
            colours[1],
            colours[0],
        );
        // Neighbours of the same state in a row are one rectangle.
        for (y, row) in cells.chunks_exact(side).enumerate() {
            let mut x = 0;
            for run in row.chunk_by(|a, b| a == b) {
                if run[0] {
                    svg += &format!("M{x} {y}h{}v1h-{}z", run.len(), run.len());
                }
                x += run.len();
            }
        }
        svg += "\"/></g>";
    }
    let middle = HEAD + SHOWN + 24;
    for (x, (state, colour)) in [GAP, GAP + 160].into_iter().zip(states.into_iter().zip(colours)) {
        svg += &format!(
            "<rect x=\"{x}\" y=\"{}\" width=\"16\" height=\"16\" fill=\"{colour}\"/>\
             <text x=\"{}\" y=\"{}\" font-size=\"17\">{state}</text>",
            middle - 8,
            x + 24,
            middle + 6,
        );
    }
    svg += "</svg>\n";
    fs::write(path, svg)
}
