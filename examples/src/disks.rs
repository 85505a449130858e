//! Hard disks: molecular dynamics from collision to collision.

mod picture;
mod vector;

use std::f64::consts::PI;

use clockrace::rand::{Rng, RngExt};
use clockrace::rand_distr::StandardNormal;
use clockrace::simulation;

pub use picture::save_disks;
pub use vector::Vector;

simulation! {
    /// Hard disks of mass 1 and diameter 1 in a square box. They fly straight on and collide elastically. The box is
    /// periodic: what leaves it on one side comes in on the other. Places are not folded back into the box.
    ///
    /// The box is divided into cells. Whom a disk may meet next is in the same cell or in one around it, and only
    /// such pairs have clocks.
    pub model Disks {
        /// Number of disks.
        param n: usize;
        /// Side of the box, in diameters.
        param side: f64;
        /// Cells along a side, each at least a diameter wide.
        param cells: usize in 5..;

        let width = side / cells as f64;

        index disk = 0..n;
        index cell = 0..cells * cells;
        /// The cell and the eight around it.
        relation around(c in cell) -> cell = (0..9).map(move |k| {
            let (row, column) = (c / cells + k / 3, c % cells + k % 3);
            (row + cells - 1) % cells * cells + (column + cells - 1) % cells
        });
        state relation inside(c in cell) -> disk = [0; 0];
        /// Pairs i < j whose cells touch.
        state relation near(i in disk) -> disk = [0; 0];

        state r[i in disk]: Vector;
        state v[i in disk]: Vector;
        /// The cell, by row and column, of the box repeated without end.
        state home[i in disk]: [i64; 2] = [(r[i].x / width).floor() as i64, (r[i].y / width).floor() as i64];
        tally collisions: u64 = 0;
        /// Sum of r·Δv over the collisions.
        tally virial: f64 = 0.0;

        flow r[i in disk] = r[i] + v[i] * dt;

        init {
            for i in disk {
                let c = number(home[i], cells);
                for d in around(c) {
                    for j in inside(d) { near.insert(i.min(j), i.max(j)); }
                }
                inside.insert(c, i);
            }
        }

        clock collide[(i, j) in near]: at(now + meeting(nearest(r[j] - r[i], side), v[j] - v[i])) => {
            // Equal masses exchange the part of their velocities along the line between them.
            let apart = nearest(r[j] - r[i], side);
            let kick = apart * (apart.dot(v[j] - v[i]) / apart.dot(apart));
            v[i] += kick;
            v[j] -= kick;
            collisions += 1;
            virial -= apart.dot(kick);
        }

        let next[i in disk] = exit(r[i], v[i], home[i], width);
        clock leave[i in disk]: at(now + next[i].0) => {
            let from = number(home[i], cells);
            home[i] = next[i].1;
            let to = number(home[i], cells);
            inside.remove(from, i);
            for c in around(from).filter(|&c| !around.contains(to, c)) {
                for j in inside(c) { near.remove(i.min(j), i.max(j)); }
            }
            for c in around(to).filter(|&c| !around.contains(from, c)) {
                for j in inside(c) { near.insert(i.min(j), i.max(j)); }
            }
            inside.insert(to, i);
        }

        observe energy = v.iter().map(|one| 0.5 * one.dot(*one)).sum::<f64>();
        observe momentum: Vector = v.iter().copied().sum();
    }
}

impl Disks {
    /// `rows` × `rows` disks that cover the part `packing` of the box, in a square lattice, with random velocities
    /// whose sum is 0. Their energy is ½ for each of the 2 (n − 1) degrees of freedom, so that kT = 1. The lattice
    /// melts within a few collisions of each disk.
    ///
    /// # Panics
    /// If the disks would overlap, or if there are too few of them for cells.
    pub fn fluid<R: Rng>(rows: u32, packing: f64, rng: &mut R) -> Self {
        let spacing = (PI / (4.0 * packing)).sqrt();
        assert!(spacing > 1.0, "the disks do not fit");
        let n = (rows * rows) as usize;
        let side = f64::from(rows) * spacing;
        // Cells that are hardly wider than a disk are left often, but wider ones have many more pairs.
        let cells = side as usize;
        assert!(cells >= 5, "the box is too small for cells");
        let place = |i: u32| (f64::from(i) + 0.5) * spacing;
        let r = (0..rows).flat_map(|i| (0..rows).map(move |j| Vector { x: place(i), y: place(j) })).collect();
        let mut v: Vec<Vector> =
            (0..n).map(|_| Vector { x: rng.sample(StandardNormal), y: rng.sample(StandardNormal) }).collect();
        let mean = v.iter().copied().sum::<Vector>() * (1.0 / n as f64);
        let squares: f64 = v.iter().map(|&v| (v - mean).dot(v - mean)).sum();
        let scale = (2.0 * (n - 1) as f64 / squares).sqrt();
        v.iter_mut().for_each(|v| *v = (*v - mean) * scale);
        Disks { n, side, cells, r, v }
    }
}

/// The vector between two disks, to the nearest image of the second one in the periodic box.
#[inline]
fn nearest(apart: Vector, side: f64) -> Vector {
    let fold = |x: f64| x - side * (x / side).round();
    Vector { x: fold(apart.x), y: fold(apart.y) }
}

/// How long two disks fly until they touch, if nothing comes between; infinite if they never do.
#[inline]
fn meeting(apart: Vector, speed: Vector) -> f64 {
    // |apart + t speed|² = 1, the earlier root.
    let (a, b, c) = (speed.dot(speed), apart.dot(speed), apart.dot(apart) - 1.0);
    let discriminant = b * b - a * c;
    if b >= 0.0 || discriminant < 0.0 {
        return f64::INFINITY;
    }
    // Disks that touch may overlap by rounding.
    (c / (discriminant.sqrt() - b)).max(0.0)
}

/// How long a disk stays in its cell, and which cell it goes to.
#[inline]
fn exit(r: Vector, v: Vector, home: [i64; 2], width: f64) -> (f64, [i64; 2]) {
    let along = |x: f64, v: f64, at: i64| {
        let border = if v > 0.0 { at + 1 } else { at } as f64 * width;
        if v == 0.0 { f64::INFINITY } else { ((border - x) / v).max(0.0) }
    };
    let times = [along(r.x, v.x, home[0]), along(r.y, v.y, home[1])];
    let step = |v: f64| if v > 0.0 { 1 } else { -1 };
    if times[0] <= times[1] {
        (times[0], [home[0] + step(v.x), home[1]])
    } else {
        (times[1], [home[0], home[1] + step(v.y)])
    }
}

/// The number of a cell.
#[inline]
fn number([row, column]: [i64; 2], cells: usize) -> usize {
    let side = cells as i64;
    (row.rem_euclid(side) * side + column.rem_euclid(side)) as usize
}

/// The compressibility factor Z = PA/NkT of a fluid of hard disks without end, by its virial series up to the tenth
/// coefficient, with the rest as a geometric series: below a packing of 0.4 it is good to four digits. Coefficients of
/// Clisby and McCoy, J. Stat. Phys. 122 (2006) 15.
#[must_use]
pub fn compressibility(packing: f64) -> f64 {
    const VIRIAL: [f64; 10] =
        [1.0, 1.0, 0.782_004, 0.532_231_8, 0.333_556_04, 0.198_842_5, 0.114_872_8, 0.064_993, 0.036_219_3, 0.019_953_7];
    let known: f64 = VIRIAL.iter().rev().fold(0.0, |sum, b| sum * 2.0 * packing + b);
    let ratio = 2.0 * packing * VIRIAL[9] / VIRIAL[8];
    known + VIRIAL[9] * (2.0 * packing).powi(9) * ratio / (1.0 - ratio)
}

/// The same for `n` disks in a periodic box, up to terms of order 1/n²: Z + (η/2n) d ln χ/dη, where χ = dη/d(ηZ) says
/// how much the number of disks in a part of a fluid without end fluctuates, relative to an ideal gas. It follows from
/// the grand canonical ensemble, in which the pressure does not depend on n, by the method of steepest descent.
#[must_use]
pub fn compressibility_of(n: usize, packing: f64) -> f64 {
    let h = 1e-3;
    let pressure = |eta: f64| eta * compressibility(eta);
    let slope = |eta: f64| (pressure(eta + h) - pressure(eta - h)) / (2.0 * h);
    let derivative = -(slope(packing + h).ln() - slope(packing - h).ln()) / (2.0 * h);
    compressibility(packing) + packing * derivative / (2.0 * n as f64)
}
