//! The coordinates of a path, by name.

use std::collections::BTreeMap;

use crate::element;
use crate::error::{ErrorKind, SimError};
use crate::model::Model;
use crate::record::path::follower::Kind;
use crate::view::View;

/// The state variables that a path follows, one number each, in the order in which they were named.
#[derive(Clone, Debug, Default)]
pub(super) struct Coordinates {
    families: Vec<Family>,
    /// Which of them a track of the model is.
    of_track: Vec<Option<usize>>,
    /// Which member of which of them a coordinate is.
    list: Vec<(u32, u32)>,
}

/// A single variable, or a family of which some members are followed.
#[derive(Clone, Debug)]
struct Family {
    name: &'static str,
    track: usize,
    kind: Kind,
    /// Empty if it is no family.
    sizes: Vec<usize>,
    place: Place,
}

/// Which coordinates the members are.
#[derive(Clone, Debug)]
enum Place {
    /// All of them, one after the other from here on.
    From(usize),
    Each(BTreeMap<usize, usize>),
}

impl Family {
    fn len(&self) -> usize {
        self.sizes.iter().product()
    }

    fn coordinate(&self, member: usize) -> Option<usize> {
        match &self.place {
            Place::From(first) => (member < self.len()).then(|| first + member),
            Place::Each(coordinates) => coordinates.get(&member).copied(),
        }
    }

    fn name(&self, mut member: usize) -> String {
        let mut indices = vec![0; self.sizes.len()];
        for (index, size) in indices.iter_mut().zip(&self.sizes).rev() {
            *index = member % size;
            member /= size;
        }
        element::name(self.name, &indices)
    }
}

impl Coordinates {
    /// The coordinates that `asked` names in the model of `view`.
    ///
    /// # Errors
    /// If the model has no such state variable, if it is not a number, or if it has no such member.
    pub(super) fn of<M: Model>(view: View<'_, M>, asked: &[String]) -> Result<Self, SimError> {
        let mut coordinates = Coordinates { of_track: vec![None; M::TRACKS.len()], ..Self::default() };
        for asked in asked {
            let refuse = |reason| {
                let known = M::TRACKS.iter().filter(|track| track.numeric).map(|track| track.name).collect();
                SimError::new(ErrorKind::Coordinate { name: asked.clone(), reason, known }, view.now())
            };
            let (name, indices) = parse(asked).ok_or_else(|| refuse(UNKNOWN))?;
            let track = M::TRACKS.iter().position(|track| track.name == name).ok_or_else(|| refuse(UNKNOWN))?;
            if !M::TRACKS[track].numeric {
                return Err(refuse("it is not a number"));
            }
            let family = coordinates.family(view, track);
            let members = members(&coordinates.families[family].sizes, &indices).ok_or_else(|| refuse(OUTSIDE))?;
            coordinates.add(family, members);
        }
        Ok(coordinates)
    }

    fn family<M: Model>(&mut self, view: View<'_, M>, track: usize) -> usize {
        if let Some(family) = self.of_track[track] {
            return family;
        }
        let kind = Kind::of(&M::TRACKS[track]);
        let (name, sizes) = (M::TRACKS[track].name, M::track_sizes(view, track));
        self.families.push(Family { name, track, kind, sizes, place: Place::Each(BTreeMap::new()) });
        self.of_track[track] = Some(self.families.len() - 1);
        self.families.len() - 1
    }

    /// Members that are there already stay what they are.
    fn add(&mut self, family: usize, members: std::ops::Range<usize>) {
        let first = self.list.len();
        let of = &mut self.families[family];
        let all = members.len() == of.len();
        match &mut of.place {
            Place::From(_) => {}
            Place::Each(coordinates) if coordinates.is_empty() && all => {
                self.list.extend(members.map(|member| (family as u32, member as u32)));
                of.place = Place::From(first);
            }
            Place::Each(coordinates) => {
                for member in members {
                    coordinates.entry(member).or_insert_with(|| {
                        self.list.push((family as u32, member as u32));
                        self.list.len() - 1
                    });
                }
            }
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The coordinate that a member of a track is.
    #[inline]
    pub(super) fn find(&self, track: usize, member: usize) -> Option<usize> {
        self.families[self.of_track[track]?].coordinate(member)
    }

    /// Track, member and kind of a coordinate.
    #[inline]
    pub(super) fn get(&self, coordinate: usize) -> (usize, usize, Kind) {
        let (family, member) = self.list[coordinate];
        let family = &self.families[family as usize];
        (family.track, member as usize, family.kind)
    }

    /// The name of a coordinate.
    pub(super) fn name(&self, coordinate: usize) -> String {
        let (family, member) = self.list[coordinate];
        self.families[family as usize].name(member as usize)
    }

    /// What of the model is followed, at least in part.
    #[cfg(feature = "plot")]
    pub(super) fn families(&self) -> impl Iterator<Item = &'static str> {
        self.families.iter().map(|family| family.name)
    }

    /// Which coordinate has this name.
    pub(super) fn index(&self, name: &str) -> Option<usize> {
        let (family, indices) = self.parse(name)?;
        let members = members(&family.sizes, &indices)?;
        // A family with a single member needs no index.
        if members.len() == 1 { family.coordinate(members.start) } else { None }
    }

    /// Which coordinates are members of the family of this name; of `s[1]`, those whose first index is 1.
    pub(super) fn members(&self, name: &str) -> Option<Vec<usize>> {
        let (family, indices) = self.parse(name)?;
        let members = members(&family.sizes, &indices)?;
        let whole = indices.is_empty();
        let coordinates: Vec<usize> = members.filter_map(|member| family.coordinate(member)).collect();
        (whole || !coordinates.is_empty()).then_some(coordinates)
    }

    /// Whether the model of `view` has all of them.
    pub(super) fn are_in<M: Model>(&self, view: View<'_, M>) -> bool {
        self.families.iter().all(|family| M::track_sizes(view, family.track) == family.sizes)
    }

    fn parse(&self, name: &str) -> Option<(&Family, Vec<usize>)> {
        let (name, indices) = parse(name)?;
        Some((self.families.iter().find(|family| family.name == name)?, indices))
    }
}

const UNKNOWN: &str = "the model has no such state variable";
const OUTSIDE: &str = "it has no such member";

/// `s[1][2]` in parts.
fn parse(name: &str) -> Option<(&str, Vec<usize>)> {
    let Some(bracket) = name.find('[') else { return Some((name, Vec::new())) };
    let (name, rest) = name.split_at(bracket);
    let rest = rest.strip_prefix('[')?.strip_suffix(']')?;
    let indices: Option<Vec<usize>> = rest
        .split("][")
        .map(|index| {
            // One way to write a name is enough.
            let number: usize = index.parse().ok()?;
            (number.to_string() == index).then_some(number)
        })
        .collect();
    Some((name, indices?))
}

/// The members of a family of these sizes whose first indices these are.
fn members(sizes: &[usize], indices: &[usize]) -> Option<std::ops::Range<usize>> {
    if indices.len() > sizes.len() || indices.iter().zip(sizes).any(|(index, size)| index >= size) {
        return None;
    }
    let number = indices.iter().zip(sizes).fold(0, |number, (index, size)| number * size + index);
    let each: usize = sizes[indices.len()..].iter().product();
    Some(number * each..(number + 1) * each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_parts() {
        assert_eq!(parse("x"), Some(("x", vec![])));
        assert_eq!(parse("s[1][20]"), Some(("s", vec![1, 20])));
        for other in ["s[", "s[]", "s[1", "s[1]]", "s[1][", "s[01]", "s[ 1]", "s[-1]", "s[+1]", "s[1]x"] {
            assert_eq!(parse(other), None, "{other}");
        }
    }

    #[test]
    fn members_by_their_first_indices() {
        let sizes = [2, 3, 4];
        assert_eq!(members(&sizes, &[]), Some(0..24));
        assert_eq!(members(&sizes, &[1]), Some(12..24));
        assert_eq!(members(&sizes, &[1, 2]), Some(20..24));
        assert_eq!(members(&sizes, &[1, 2, 3]), Some(23..24));
        assert_eq!(members(&[], &[]), Some(0..1));
        assert_eq!(members(&[0], &[]), Some(0..0));
        for outside in [&[2][..], &[0, 3], &[0, 0, 4], &[0, 0, 0, 0]] {
            assert_eq!(members(&sizes, outside), None);
        }
    }

    #[test]
    fn members_have_their_names() {
        let place = Place::From(5);
        let family = Family { name: "s", track: 0, kind: Kind::Held, sizes: vec![2, 3], place };
        assert_eq!((family.name(0), family.name(5)), ("s[0][0]".to_owned(), "s[1][2]".to_owned()));
        assert_eq!((family.coordinate(5), family.coordinate(6)), (Some(10), None));
    }
}
