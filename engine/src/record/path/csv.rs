//! Paths as CSV.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::io::{self, Write};

use crate::model::Model;
use crate::record::path::{Path, Piece, pieces};

impl<M: Model> Path<M> {
    /// Writes the skeleton as CSV: the header `time,coordinate,value,slope,curvature`, then in the order of time a row
    /// for each piece, with the coordinate's value and derivatives where it begins, and at last a row for each coordinate
    /// with its value at the end. What a row does not have is left empty: the derivatives at the end and those of flows
    /// that are no polynomials of degree two at most. Numbers are written so that reading them gives the same number.
    ///
    /// [`on_grid`](Path::on_grid) gives values at equal distances, which can be written too.
    ///
    /// # Errors
    /// What writing to `out` fails with.
    pub fn write_csv(&self, mut out: impl Write) -> io::Result<()> {
        writeln!(out, "time,coordinate,value,slope,curvature")?;
        let names = self.names();
        let courses = self.courses(0..names.len()).unwrap_or_default();
        let mut rest: Vec<_> = courses.iter().map(pieces).collect();
        let mut next: BinaryHeap<Next> = BinaryHeap::with_capacity(rest.len());
        next.extend(rest.iter_mut().enumerate().filter_map(|(coordinate, pieces)| Next::of(coordinate, pieces)));
        while let Some(Next { coordinate, piece: Piece { start, value, slope, curvature, .. } }) = next.pop() {
            write!(out, "{start},{},{value},", names[coordinate])?;
            if slope.is_nan() {
                writeln!(out, ",")?;
            } else {
                writeln!(out, "{slope},{curvature}")?;
            }
            next.extend(Next::of(coordinate, &mut rest[coordinate]));
        }
        if let Some((_, until)) = self.range() {
            for (coordinate, name) in names.iter().enumerate() {
                writeln!(out, "{until},{name},{},,", self.follower.last(coordinate))?;
            }
        }
        out.flush()
    }
}

/// The next piece of a coordinate. The earliest is the greatest, as the heap wants it.
struct Next {
    coordinate: usize,
    piece: Piece,
}

impl Next {
    fn of(coordinate: usize, pieces: &mut impl Iterator<Item = Piece>) -> Option<Self> {
        pieces.next().map(|piece| Next { coordinate, piece })
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> Ordering {
        let times = other.piece.start.total_cmp(&self.piece.start);
        times.then_with(|| other.coordinate.cmp(&self.coordinate))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}
