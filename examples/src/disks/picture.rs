use std::path::Path;
use std::{fs, io};

use super::Vector;
use crate::figure::titled;

/// Draws periodic boxes of this side beside each other into an SVG file: what stands over each, and the places and
/// velocities of disks of diameter 1. The faster a disk is, the darker.
///
/// # Errors
/// If the file cannot be written.
pub fn save_disks(file: &Path, title: &str, side: f64, boxes: &[(&str, &[Vector], &[Vector])]) -> io::Result<()> {
    const SHOWN: usize = 480;
    const GAP: usize = 20;
    const HEAD: usize = 90;
    let (width, height) = (boxes.len() * (SHOWN + GAP) + GAP, HEAD + SHOWN + GAP);
    let mut svg = titled([width, height], title, 22);
    for (number, (caption, places, velocities)) in boxes.iter().enumerate() {
        let left = GAP + number * (SHOWN + GAP);
        svg += &format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"16\" text-anchor=\"middle\">{caption}</text>\
             <svg x=\"{left}\" y=\"{HEAD}\" width=\"{SHOWN}\" height=\"{SHOWN}\" viewBox=\"0 0 {side} {side}\">",
            left + SHOWN / 2,
            HEAD - 10,
        );
        for (place, velocity) in places.iter().zip(*velocities) {
            // The mean of the square of the speed is 2.
            let shade = 1.0 - (-0.5 * velocity.dot(*velocity)).exp();
            let [red, green, blue] = [(222.0, 31.0), (232.0, 90.0), (245.0, 160.0)]
                .map(|(light, dark): (f64, f64)| (light + shade * (dark - light)).round());
            let (x, y) = (place.x.rem_euclid(side), place.y.rem_euclid(side));
            // What sticks out on one side is seen on the other.
            for x in [x - side, x, x + side].into_iter().filter(|x| (-0.5..=side + 0.5).contains(x)) {
                for y in [y - side, y, y + side].into_iter().filter(|y| (-0.5..=side + 0.5).contains(y)) {
                    svg += &format!(
                        "<circle cx=\"{x:.3}\" cy=\"{:.3}\" r=\"0.5\" fill=\"rgb({red},{green},{blue})\"/>",
                        side - y
                    );
                }
            }
        }
        svg += &format!(
            "</svg><rect x=\"{left}\" y=\"{HEAD}\" width=\"{SHOWN}\" height=\"{SHOWN}\" fill=\"none\" stroke=\"#888\"/>"
        );
    }
    svg += "</svg>\n";
    fs::write(file, svg)
}
