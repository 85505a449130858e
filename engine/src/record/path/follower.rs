//! Following coordinates through a run.

use crate::error::{ErrorKind, SimError};
use crate::model::{Model, Track};
use crate::record::path::coordinates::Coordinates;
use crate::record::path::segment::{Segment, sample};
use crate::record::{BACKWARDS, bad_time};
use crate::view::View;

/// How a coordinate goes on between events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// It stays.
    Held,
    /// As a polynomial of degree two at most.
    Polynomial,
    /// In any other way.
    Sampled,
}

impl Kind {
    pub(super) fn of(track: &Track) -> Self {
        match (track.flows, track.polynomial) {
            (false, _) => Kind::Held,
            (true, true) => Kind::Polynomial,
            (true, false) => Kind::Sampled,
        }
    }
}

/// Who wants to know the pieces of a path.
pub(super) trait Sink {
    /// The coordinates are known; observation begins at `from`.
    fn begin(&mut self, coordinates: &Coordinates, from: f64);

    /// What a coordinate did from the end of its last segment on; `first` if this is where it changed.
    fn add(&mut self, coordinate: usize, segment: Segment, first: bool);
}

/// Follows chosen coordinates: looks at those that an event moves and at no others.
///
/// The last piece of each is open: only what moves it closes it, and a cut leaves no trace.
pub(super) struct Follower<M: Model> {
    asked: Vec<String>,
    /// The end of the warm-up.
    since: f64,
    /// None before the first look.
    coordinates: Option<Coordinates>,
    open: Vec<Open>,
    /// What is observed.
    from: f64,
    until: f64,
    /// Whether the run has been cut, so that the state may have been changed from outside.
    cut: bool,
    /// The simulation as it was when the open pieces began, if some of them must be sampled.
    shadow: Option<Box<Shadow<M>>>,
}

/// A piece without its end.
#[derive(Clone, Copy, Debug)]
struct Open {
    start: f64,
    /// Unless it is to be sampled.
    course: [f64; 3],
}

struct Shadow<M: Model> {
    model: M,
    state: M::State,
    tallies: M::Tallies,
    clocks: M::Clocks,
}

impl<M: Model + Clone> Clone for Shadow<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    fn clone(&self) -> Self {
        Shadow {
            model: self.model.clone(),
            state: self.state.clone(),
            tallies: self.tallies.clone(),
            clocks: self.clocks.clone(),
        }
    }
}

impl<M: Model> Shadow<M> {
    fn view(&self, now: f64) -> View<'_, M> {
        let Shadow { model, state, tallies, clocks } = self;
        View { model, state, tallies, clocks, now, low: 0.0, changed: now }
    }
}

impl<M: Model + Clone> Clone for Follower<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    fn clone(&self) -> Self {
        Follower {
            asked: self.asked.clone(),
            coordinates: self.coordinates.clone(),
            open: self.open.clone(),
            shadow: self.shadow.clone(),
            ..*self
        }
    }
}

impl<M: Model> Follower<M> {
    pub(super) fn new(asked: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Follower {
            asked: asked.into_iter().map(Into::into).collect(),
            since: f64::NEG_INFINITY,
            coordinates: None,
            open: Vec::new(),
            from: 0.0,
            until: 0.0,
            cut: false,
            shadow: None,
        }
    }

    pub(super) fn since(self, time: f64) -> Self {
        Follower { since: time, ..self }
    }

    /// Forgets what was seen.
    pub(super) fn reset(&mut self) {
        self.coordinates = None;
        self.open.clear();
        self.shadow = None;
        self.cut = false;
    }

    /// Names of the single variables and families that are followed.
    #[cfg(feature = "plot")]
    pub(super) fn families(&self) -> Vec<&'static str> {
        self.coordinates.as_ref().map_or(Vec::new(), |known| known.families().collect())
    }

    /// Names of all coordinates; none before the first look.
    pub(super) fn names(&self) -> Vec<String> {
        let known = self.coordinates.as_ref();
        known.map_or(Vec::new(), |known| (0..known.len()).map(|coordinate| known.name(coordinate)).collect())
    }

    /// Which coordinate has this name.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        self.coordinates.as_ref()?.index(name)
    }

    /// Which coordinates are members of the family of this name.
    pub(super) fn members(&self, name: &str) -> Option<Vec<usize>> {
        self.coordinates.as_ref()?.members(name)
    }

    /// From when to when the coordinates have been observed; `None` before the end of the warm-up.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        (self.coordinates.is_some() && self.from <= self.until).then_some((self.from, self.until))
    }

    /// The time up to which the run was seen.
    pub(super) fn until(&self) -> f64 {
        self.until
    }

    /// What a coordinate has done since it moved last, up to now. NaN if its flow fails.
    pub(super) fn tail(&self, coordinate: usize) -> Vec<Segment> {
        let mut tail = Vec::new();
        let close = Close { coordinates: self.coordinates.as_ref(), shadow: self.shadow.as_deref(), from: self.from };
        if close.close(coordinate, self.open[coordinate], self.until, |segment| tail.push(segment)).is_err() {
            let start = self.open[coordinate].start.max(self.from);
            tail = vec![Segment::polynomial(start, self.until, [f64::NAN, 0.0, 0.0])];
        }
        tail
    }

    /// The value of a coordinate at the end of what was observed. NaN if its flow fails.
    pub(super) fn last(&self, coordinate: usize) -> f64 {
        let Open { start, course } = self.open[coordinate];
        let close = Close { coordinates: self.coordinates.as_ref(), shadow: self.shadow.as_deref(), from: self.from };
        match close.sampled(coordinate) {
            None => Segment::polynomial(start, self.until, course).value(self.until),
            Some(sampled) => sampled(self.until).unwrap_or(f64::NAN),
        }
    }
}

/// Closes open pieces.
struct Close<'a, M: Model> {
    coordinates: Option<&'a Coordinates>,
    shadow: Option<&'a Shadow<M>>,
    from: f64,
}

impl<'a, M: Model> Close<'a, M> {
    /// A coordinate as a function of time, if it must be sampled.
    fn sampled(&self, coordinate: usize) -> Option<impl Fn(f64) -> Result<f64, SimError> + use<'a, M>> {
        let shadow = self.shadow?;
        let (track, member, kind) = self.coordinates?.get(coordinate);
        (kind == Kind::Sampled).then_some(move |time| M::track_at(shadow.view(time), track, member))
    }

    /// The piece ends at `end`; what lies in the warm-up is left out.
    fn close(&self, coordinate: usize, open: Open, end: f64, mut add: impl FnMut(Segment)) -> Result<(), SimError> {
        let start = open.start.max(self.from);
        if start >= end {
            return Ok(());
        }
        if let Some(sampled) = self.sampled(coordinate) {
            return sample(start, end, sampled, add);
        }
        let segment = Segment::polynomial(open.start, end, open.course);
        add(segment.later(start));
        Ok(())
    }
}

impl<M: Model + Clone> Follower<M>
where
    M::State: Clone,
    M::Tallies: Clone,
    M::Clocks: Clone,
{
    /// Time is about to go from `view.now()` to `until`.
    #[inline]
    pub(super) fn advance(&mut self, view: View<'_, M>, until: f64, sink: &mut impl Sink) -> Result<(), SimError> {
        self.look(view, sink)?;
        self.until = until;
        Ok(())
    }

    /// An event has happened.
    pub(super) fn event(&mut self, view: View<'_, M>, event: M::Event, sink: &mut impl Sink) -> Result<(), SimError> {
        if self.look(view, sink)? {
            return Ok(());
        }
        let mut outcome = Ok(());
        M::moved(view, event, &mut |track, member| {
            if outcome.is_ok() {
                if let Some(coordinate) = self.coordinates.as_ref().and_then(|known| known.find(track, member)) {
                    outcome = self.renew(view, coordinate, sink);
                }
            }
        });
        outcome?;
        // Only now: what has moved may be what another coordinate flowed by.
        if let Some(shadow) = &mut self.shadow {
            M::moved(view, event, &mut |track, member| {
                M::copy_track(view, track, member, &mut shadow.state, &mut shadow.clocks);
            });
        }
        Ok(())
    }

    /// The run is cut.
    pub(super) fn finish(&mut self, view: View<'_, M>, sink: &mut impl Sink) -> Result<(), SimError> {
        self.look(view, sink)?;
        self.cut = true;
        Ok(())
    }

    /// Takes note of `view`; whether every coordinate has been looked at.
    #[inline]
    fn look(&mut self, view: View<'_, M>, sink: &mut impl Sink) -> Result<bool, SimError> {
        let now = view.now();
        if self.coordinates.is_none() {
            self.begin(view, sink)?;
            return Ok(true);
        }
        if now != self.until {
            let reason = if now < self.until { BACKWARDS } else { GAP };
            return Err(bad_time(now, reason, now));
        }
        if self.cut {
            return self.resume(view, sink);
        }
        Ok(false)
    }

    #[cold]
    fn begin(&mut self, view: View<'_, M>, sink: &mut impl Sink) -> Result<(), SimError> {
        let coordinates = Coordinates::of(view, &self.asked)?;
        let begin = |coordinate| begin(view, &coordinates, coordinate);
        let open: Result<_, _> = (0..coordinates.len()).map(begin).collect();
        self.open = open?;
        if (0..coordinates.len()).any(|coordinate| coordinates.get(coordinate).2 == Kind::Sampled) {
            self.shadow = Some(Box::new(Shadow {
                model: view.model.clone(),
                state: view.state.clone(),
                tallies: view.tallies.clone(),
                clocks: view.clocks.clone(),
            }));
        }
        (self.from, self.until) = (self.since.max(view.now()), view.now());
        sink.begin(&coordinates, self.from);
        self.coordinates = Some(coordinates);
        Ok(())
    }

    /// After a cut everything may have been changed from outside, at that moment.
    #[cold]
    fn resume(&mut self, view: View<'_, M>, sink: &mut impl Sink) -> Result<bool, SimError> {
        let coordinates = self.coordinates.as_ref().filter(|known| known.are_in(view));
        let count = coordinates.ok_or_else(|| other(view.now()))?.len();
        let changed = view.changed == view.now();
        if changed {
            for coordinate in 0..count {
                self.renew(view, coordinate, sink)?;
            }
            if let Some(shadow) = &mut self.shadow {
                shadow.state.clone_from(view.state);
                shadow.clocks.clone_from(view.clocks);
            }
        }
        self.cut = false;
        Ok(changed)
    }

    /// A coordinate may have changed now: if it has, its piece ends here and another one begins.
    #[inline]
    fn renew(&mut self, view: View<'_, M>, coordinate: usize, sink: &mut impl Sink) -> Result<(), SimError> {
        let Some(coordinates) = &self.coordinates else { return Ok(()) };
        let (track, member, kind) = coordinates.get(coordinate);
        let (now, open) = (view.now(), self.open[coordinate]);
        let next = match kind {
            Kind::Held => {
                let value = M::track_at(view, track, member)?;
                let [before, ..] = open.course;
                if value == before || value.is_nan() && before.is_nan() {
                    return Ok(());
                }
                Open { start: now, course: [value, 0.0, 0.0] }
            }
            _ if M::track_since(view, track, member) != now => return Ok(()),
            _ => begin(view, coordinates, coordinate)?,
        };
        if open.start < now {
            let shadow = self.shadow.as_deref();
            let close = Close { coordinates: Some(coordinates), shadow, from: self.from };
            let mut first = true;
            close.close(coordinate, open, now, |segment| {
                sink.add(coordinate, segment, first);
                first = false;
            })?;
        }
        self.open[coordinate] = next;
        Ok(())
    }
}

/// The piece of a coordinate that begins now.
fn begin<M: Model>(view: View<'_, M>, coordinates: &Coordinates, coordinate: usize) -> Result<Open, SimError> {
    let (track, member, kind) = coordinates.get(coordinate);
    let course = match kind {
        Kind::Held => [M::track_at(view, track, member)?, 0.0, 0.0],
        Kind::Polynomial => M::track_course(view, track, member)?,
        Kind::Sampled => [f64::NAN; 3],
    };
    Ok(Open { start: view.now(), course })
}

const GAP: &str = "comes after time that this path has not seen, and a path has no gaps";

#[cold]
fn other(now: f64) -> SimError {
    SimError::new(ErrorKind::User(std::sync::Arc::new(OtherCoordinates)), now)
}

#[derive(Debug, thiserror::Error)]
#[error("this path follows a simulation of another size; use a new one for each simulation")]
struct OtherCoordinates;
