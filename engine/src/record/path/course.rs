//! The whole path of a coordinate, and of several together.

use std::ops::Range;

use crate::record::path::follower::Kind;
use crate::record::path::segment::{Segment, Shape};

/// The closed pieces of a coordinate: where each begins, and how it goes on. It ends where the next
/// begins.
#[derive(Clone, Debug)]
pub(super) enum Line {
    Held { starts: Vec<f64>, values: Vec<f64> },
    Polynomial { starts: Vec<f64>, courses: Vec<[f64; 3]> },
    Sampled { starts: Vec<f64>, values: Vec<[f64; 12]>, pieces: Vec<usize> },
}

impl Line {
    pub(super) fn new(kind: Kind) -> Self {
        match kind {
            Kind::Held => Line::Held { starts: Vec::new(), values: Vec::new() },
            Kind::Polynomial => Line::Polynomial { starts: Vec::new(), courses: Vec::new() },
            Kind::Sampled => Line::Sampled { starts: Vec::new(), values: Vec::new(), pieces: Vec::new() },
        }
    }

    /// Goes on with a segment; `first` if a piece begins with it.
    pub(super) fn push(&mut self, segment: Segment, first: bool) {
        match (self, segment.shape) {
            (Line::Held { starts, values }, Shape::Polynomial([value, ..])) => {
                starts.push(segment.start);
                values.push(value);
            }
            (Line::Polynomial { starts, courses }, Shape::Polynomial(course)) => {
                starts.push(segment.start);
                courses.push(course);
            }
            (Line::Sampled { starts, values, pieces }, Shape::Sampled(nodes)) => {
                if first {
                    pieces.push(starts.len());
                }
                starts.push(segment.start);
                values.push(nodes);
            }
            _ => debug_assert!(false, "a coordinate goes on as it is known to"),
        }
    }

    fn starts(&self) -> &[f64] {
        let (Line::Held { starts, .. } | Line::Polynomial { starts, .. } | Line::Sampled { starts, .. }) = self;
        starts
    }
}

/// The whole path of a coordinate: segments from the beginning of observation to its end, one after the
/// other without a gap. There is at least one.
#[derive(Clone, Debug)]
pub(super) struct Course<'a> {
    line: &'a Line,
    /// The piece that is open; none if it begins just where the observation ends.
    tail: Vec<Segment>,
    /// Where the closed pieces end.
    closed: f64,
}

impl<'a> Course<'a> {
    /// The closed pieces and the one that is still open, up to the end of observation.
    pub(super) fn new(line: &'a Line, tail: Vec<Segment>, until: f64) -> Self {
        let closed = tail.first().map_or(until, |segment| segment.start);
        Course { line, tail, closed }
    }

    /// How many segments there are.
    pub(super) fn len(&self) -> usize {
        self.line.starts().len() + self.tail.len()
    }

    /// A segment by its number.
    #[inline]
    pub(super) fn segment(&self, number: usize) -> Segment {
        let starts = self.line.starts();
        let Some(&start) = starts.get(number) else { return self.tail[number - starts.len()] };
        let end = starts.get(number + 1).copied().unwrap_or(self.closed);
        let shape = match self.line {
            Line::Held { values, .. } => Shape::Polynomial([values[number], 0.0, 0.0]),
            Line::Polynomial { courses, .. } => Shape::Polynomial(courses[number]),
            Line::Sampled { values, .. } => Shape::Sampled(values[number]),
        };
        Segment { start, end, shape }
    }

    /// All segments.
    pub(super) fn segments(&self) -> impl Iterator<Item = Segment> {
        (0..self.len()).map(|number| self.segment(number))
    }

    /// Numbers of the segments that make up each piece.
    pub(super) fn pieces(&self) -> impl Iterator<Item = Range<usize>> {
        let closed = self.line.starts().len();
        let begins = move |piece: usize| match self.line {
            Line::Sampled { pieces, .. } => pieces.get(piece).copied().unwrap_or(closed),
            _ => piece.min(closed),
        };
        let closed_pieces = match self.line {
            Line::Sampled { pieces, .. } => pieces.len(),
            _ => closed,
        };
        let tail = (!self.tail.is_empty()).then(|| closed..self.len());
        (0..closed_pieces).map(move |piece| begins(piece)..begins(piece + 1)).chain(tail)
    }

    /// The number of the segment in which a time lies; at the end of one it is the next, if there is one.
    pub(super) fn find(&self, time: f64) -> usize {
        let starts = self.line.starts();
        let closed = starts.partition_point(|&start| start <= time);
        let open = self.tail.partition_point(|segment| segment.start <= time);
        (closed + open).saturating_sub(1)
    }
}

/// Gives the intervals between `from` and `until` in which no coordinate changes its segment, one after the
/// other: the segments of all coordinates, beginning and end.
pub(super) fn sweep(courses: &[Course<'_>], from: f64, until: f64, mut each: impl FnMut(&[Segment], f64, f64)) {
    let mut numbers: Vec<usize> = courses.iter().map(|course| course.find(from)).collect();
    let mut segments: Vec<Segment> = courses.iter().zip(&numbers).map(|(course, &n)| course.segment(n)).collect();
    let mut start = from;
    while start < until {
        let end = segments.iter().map(|segment| segment.end).fold(until, f64::min);
        if start < end {
            each(&segments, start, end);
        }
        for (number, (segment, course)) in numbers.iter_mut().zip(segments.iter_mut().zip(courses)) {
            if segment.end <= end && *number + 1 < course.len() {
                *number += 1;
                *segment = course.segment(*number);
            }
        }
        start = end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: Kind, segments: &[(Segment, bool)]) -> Line {
        let mut line = Line::new(kind);
        segments.iter().for_each(|&(segment, first)| line.push(segment, first));
        line
    }

    fn held(start: f64, end: f64, value: f64) -> Segment {
        Segment::polynomial(start, end, [value, 0.0, 0.0])
    }

    #[test]
    fn segments_are_found_by_time_and_by_number() {
        let pieces = [held(1.0, 2.0, 5.0), held(2.0, 4.0, 6.0)];
        let line = line(Kind::Held, &pieces.map(|piece| (piece, true)));
        let course = Course::new(&line, vec![held(4.0, 7.0, 8.0)], 7.0);
        assert_eq!(course.segments().collect::<Vec<_>>(), [pieces[0], pieces[1], held(4.0, 7.0, 8.0)]);
        assert_eq!([1.0, 1.9, 2.0, 3.0, 4.0, 6.5, 7.0].map(|time| course.find(time)), [0, 0, 1, 1, 2, 2, 2]);
        assert_eq!(course.pieces().collect::<Vec<_>>(), [0..1, 1..2, 2..3]);
        // Something happened just at the end.
        let course = Course::new(&line, Vec::new(), 4.0);
        assert_eq!(course.segments().collect::<Vec<_>>(), pieces);
        assert_eq!((course.find(4.0), course.pieces().count()), (1, 2));
    }

    #[test]
    fn a_piece_may_have_several_segments() {
        let sampled = |start, end| Segment { start, end, shape: Shape::Sampled([start; 12]) };
        let closed = [(sampled(0.0, 1.0), true), (sampled(1.0, 2.0), false), (sampled(2.0, 3.0), true)];
        let line = line(Kind::Sampled, &closed);
        let course = Course::new(&line, vec![sampled(3.0, 3.5), sampled(3.5, 4.0)], 4.0);
        assert_eq!(course.pieces().collect::<Vec<_>>(), [0..2, 2..3, 3..5]);
        assert_eq!(course.segment(1), sampled(1.0, 2.0));
        let none = Line::new(Kind::Sampled);
        let course = Course::new(&none, vec![sampled(3.0, 3.5)], 3.5);
        assert!(course.pieces().eq(std::iter::once(0..1)));
    }

    #[test]
    fn all_changes_cut_a_sweep() {
        let a = line(Kind::Held, &[(held(0.0, 2.0, 1.0), true)]);
        let b = line(Kind::Held, &[(held(0.0, 1.0, 10.0), true), (held(1.0, 2.0, 20.0), true)]);
        let courses =
            [Course::new(&a, vec![held(2.0, 4.0, 2.0)], 4.0), Course::new(&b, vec![held(2.0, 4.0, 30.0)], 4.0)];
        let intervals = |from, until| {
            let mut intervals = Vec::new();
            sweep(&courses, from, until, |segments, start, end| {
                intervals.push((start, end, segments[0].value(start), segments[1].value(start)));
            });
            intervals
        };
        assert_eq!(intervals(0.0, 4.0), [(0.0, 1.0, 1.0, 10.0), (1.0, 2.0, 1.0, 20.0), (2.0, 4.0, 2.0, 30.0)]);
        assert_eq!(intervals(1.5, 3.0), [(1.5, 2.0, 1.0, 20.0), (2.0, 3.0, 2.0, 30.0)]);
        assert_eq!(intervals(1.0, 1.0), []);
    }
}
