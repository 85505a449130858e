//! Relations against naive lists of pairs.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::convert::Infallible;

use super::*;
use crate::rng::{Rng, stream, uniform};

fn below(n: usize, rng: &mut Rng) -> usize {
    (uniform(rng) * n as f64) as usize
}

/// A pair of the naive relation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair {
    row: usize,
    member: usize,
    value: u64,
    number: usize,
}

/// What all relations must say about `$model`, which is in order of rows and within a row in the
/// order of its members. Sets are looked at to beyond their ends.
macro_rules! agrees {
    ($relation:expr, $rows:expr, $targets:expr, $model:expr) => {{
        let (relation, model): (_, &[Pair]) = (&$relation, &$model);
        assert_eq!(relation.len(), model.len());
        assert_eq!(relation.is_empty(), model.is_empty());
        assert_eq!((relation.rows(), relation.targets()), ($rows, $targets));
        for row in 0..$rows + 2 {
            let of_row: Vec<Pair> = model.iter().copied().filter(|pair| pair.row == row).collect();
            let members: Vec<usize> = of_row.iter().map(|pair| pair.member).collect();
            let entries: Vec<(usize, u64)> = of_row.iter().map(|pair| (pair.member, pair.value)).collect();
            assert_eq!(relation.degree(row), of_row.len());
            assert_eq!(relation.members(row).len(), of_row.len());
            assert_eq!(relation.entries(row).len(), of_row.len());
            assert_eq!(relation.members(row).collect::<Vec<_>>(), members);
            assert_eq!(relation.entries(row).collect::<Vec<_>>(), entries);
            assert_eq!(
                relation.members(row).rev().collect::<Vec<_>>(),
                members.iter().copied().rev().collect::<Vec<_>>()
            );
            assert_eq!(
                relation.entries(row).rev().collect::<Vec<_>>(),
                entries.iter().copied().rev().collect::<Vec<_>>()
            );
            assert_eq!(relation.members(row).nth(1), members.get(1).copied());
            assert_eq!(relation.entries(row).nth(1), entries.get(1).copied());
            assert_eq!(relation.members(row).sum::<usize>(), members.iter().sum());
            assert_eq!(
                relation.entries(row).fold(0, |sum, (_, value)| sum + value),
                entries.iter().map(|&(_, value)| value).sum()
            );
            let numbers: Vec<usize> = of_row.iter().map(|pair| pair.number).collect();
            assert_eq!(relation.pairs_of_row(row).collect::<Vec<_>>(), numbers);
            for member in (0..$targets + 2).chain([usize::MAX]) {
                let first = of_row.iter().find(|pair| pair.member == member);
                assert_eq!(relation.contains(row, member), first.is_some());
                assert_eq!(relation.value(row, member), first.map(|pair| pair.value));
                assert_eq!(relation.find(row, member), first.map(|pair| pair.number));
            }
        }
        for member in 0..$targets + 2 {
            let of_member = model.iter().filter(|pair| pair.member == member);
            let (rows, numbers): (Vec<_>, Vec<_>) = of_member.map(|pair| (pair.row, pair.number)).unzip();
            assert_eq!(relation.sources(member).len(), rows.len());
            assert_eq!(relation.sources(member).collect::<Vec<_>>(), rows);
            assert_eq!(relation.pairs_of_member(member).collect::<Vec<_>>(), numbers);
        }
        for pair in model {
            assert_eq!(relation.row_of(pair.number), pair.row);
            assert_eq!(relation.member_of(pair.number), pair.member);
            assert_eq!(relation.value_of(pair.number), pair.value);
        }
        for index in [usize::MAX, u32::MAX as usize, u32::MAX as usize + 1] {
            assert_eq!(relation.members(index).next(), None);
            assert_eq!(relation.entries(index).next(), None);
            assert_eq!(relation.sources(index).next(), None);
            assert_eq!(relation.value(index, 0), None);
        }
    }};
}

/// Lists with empty rows and members that come twice; some rows hold most of the set.
fn lists(rows: usize, targets: usize, rng: &mut Rng) -> Vec<Vec<(usize, u64)>> {
    (0..rows)
        .map(|_| {
            let degree = if uniform(rng) < 0.1 { 3 * targets } else { below(5, rng) };
            let degree = if targets == 0 { 0 } else { degree };
            (0..degree).map(|_| (below(targets, rng), below(1000, rng) as u64)).collect()
        })
        .collect()
}

fn fixed(targets: usize, lists: &[Vec<(usize, u64)>]) -> Result<Relation<u64>, OutOfSet> {
    Relation::build(lists.len(), targets, |row, out| {
        lists[row].iter().try_for_each(|&(member, value)| out.push(member, value))
    })
}

fn changing(targets: usize, lists: &[Vec<(usize, u64)>]) -> Result<ChangingRelation<u64>, OutOfSet> {
    ChangingRelation::build(lists.len(), targets, |row, out| {
        lists[row].iter().try_for_each(|&(member, value)| out.push(member, value))
    })
}

/// The pairs of a changing relation: by row and member, the value and the number.
type Set = BTreeMap<(usize, usize), (u64, usize)>;

fn pairs(set: &Set) -> Vec<Pair> {
    set.iter().map(|(&(row, member), &(value, number))| Pair { row, member, value, number }).collect()
}

#[test]
fn a_fixed_relation_is_a_list_of_pairs() {
    let mut rng = stream(1, 0);
    for (rows, targets) in [(0, 0), (0, 3), (3, 0), (1, 1), (5, 7), (40, 3), (3, 40), (30, 30)] {
        let lists = lists(rows, targets, &mut rng);
        let pairs = lists.iter().enumerate().flat_map(|(row, list)| list.iter().map(move |&entry| (row, entry)));
        let model: Vec<Pair> =
            pairs.enumerate().map(|(number, (row, (member, value)))| Pair { row, member, value, number }).collect();
        agrees!(fixed(targets, &lists).unwrap(), rows, targets, model);
    }
}

#[test]
fn many_members_are_sorted_in_blocks() {
    let mut rng = stream(2, 0);
    for targets in [8191, 8192, 8193, 40_000] {
        let lists: Vec<Vec<(usize, u64)>> =
            (0..20_000).map(|_| (0..3).map(|_| (below(targets, &mut rng), 0)).collect()).collect();
        let relation = fixed(targets, &lists).unwrap();
        let mut sources = vec![Vec::new(); targets];
        for (number, (row, &(member, _))) in
            lists.iter().enumerate().flat_map(|(row, list)| list.iter().map(move |entry| (row, entry))).enumerate()
        {
            sources[member].push((row, number));
        }
        for (member, sources) in sources.iter().enumerate() {
            assert!(relation.sources(member).zip(relation.pairs_of_member(member)).eq(sources.iter().copied()));
        }
    }
}

#[test]
fn a_member_that_comes_twice_is_two_pairs() {
    // Both neighbours on a ring of two.
    let ring: Relation =
        Relation::build(2, 2, |row, out| [1, 1].iter().try_for_each(|step| out.push((row + step) % 2, ()))).unwrap();
    assert_eq!(ring.len(), 4);
    assert_eq!(ring.degree(0), 2);
    assert!(ring.members(0).eq([1, 1]));
    assert!(ring.sources(0).eq([1, 1]));
    assert!(ring.pairs_of_member(0).eq([2, 3]));
    assert_eq!(ring.find(1, 0), Some(2));
    assert_eq!(format!("{ring:?}"), "{0: [1, 1], 1: [0, 0]}");
}

#[test]
fn what_is_outside_its_set_is_an_error() {
    let lists = [vec![(1, 0)], vec![(0, 0), (2, 0)]];
    let error = OutOfSet::Member { index: 2, size: 2 };
    assert_eq!(fixed(2, &lists).unwrap_err(), error);
    assert_eq!(changing(2, &lists).unwrap_err(), error);
    let text = |error: OutOfSet| error.of("near").at(0.0, "start", &[]).to_string();
    assert_eq!(text(error), "`start` at t = 0: index 2 is outside `near`, whose indices are 0..2");
    assert!(text(OutOfSet::TooMany).ends_with("relation `near` has more than 4294967295 pairs, rows or members"));

    let mut changing = changing(3, &lists).unwrap();
    assert_eq!(changing.check(1, 2), Ok(()));
    assert_eq!(changing.check(0, 2), Ok(()));
    assert_eq!(changing.check(2, 0), Err(OutOfSet::Member { index: 2, size: 2 }));
    assert_eq!(changing.check(0, 3), Err(OutOfSet::Member { index: 3, size: 3 }));
    for (row, member) in [(2, 0), (0, 3), (usize::MAX, usize::MAX)] {
        assert_eq!(changing.insert(row, member, 1), None);
        assert_eq!(changing.remove(row, member), None);
    }
    assert_eq!(changing.len(), 3);
}

#[test]
fn numbers_run_out_before_they_are_reused() {
    let (mut members, mut values) = (vec![0; 3], vec![(); 3]);
    let mut row = Row { members: &mut members, values: &mut values, first: 3, targets: usize::MAX, limit: 4 };
    assert_eq!(row.push(u32::MAX as usize, ()), Err(OutOfSet::TooMany));
    assert_eq!(row.push(u32::MAX as usize - 1, ()), Ok(()));
    assert_eq!(row.push(0, ()), Err(OutOfSet::TooMany));
}

#[test]
fn the_error_of_a_row_is_the_error_of_the_relation() {
    let build = |row: usize, _: &mut Row<'_, ()>| if row == 3 { Err("row 3") } else { Ok(()) };
    assert_eq!(Relation::build(3, 3, build).unwrap().len(), 0);
    assert_eq!(Relation::build(5, 3, build).unwrap_err(), "row 3");
    assert_eq!(ChangingRelation::build(5, 3, build).unwrap_err(), "row 3");
}

#[test]
fn a_changing_relation_starts_as_a_set() {
    let mut rng = stream(3, 0);
    for (rows, targets) in [(0, 0), (3, 0), (1, 1), (5, 7), (40, 3), (30, 30)] {
        let lists = lists(rows, targets, &mut rng);
        let mut set = Set::new();
        for (row, list) in lists.iter().enumerate() {
            for &(member, value) in list {
                set.entry((row, member)).or_insert((value, 0));
            }
        }
        for (i, (_, number)) in set.values_mut().enumerate() {
            *number = i;
        }
        let relation = changing(targets, &lists).unwrap();
        assert_eq!(relation.slots(), set.len());
        agrees!(relation, rows, targets, pairs(&set));
    }
}

#[test]
fn pairs_come_and_go() {
    let mut rng = stream(4, 0);
    let (rows, targets) = (6, 9);
    let mut relation = changing(targets, &vec![Vec::new(); rows]).unwrap();
    let (mut set, mut free, mut slots) = (Set::new(), Vec::new(), 0);
    for step in 0..3000 {
        let (row, member) = (below(rows, &mut rng), below(targets, &mut rng));
        // Mostly full for a while, and then mostly empty.
        let often = if step % 1000 < 500 { 0.8 } else { 0.2 };
        if uniform(&mut rng) < often {
            let number = relation.insert(row, member, step);
            if let Entry::Vacant(entry) = set.entry((row, member)) {
                let next = free.pop().unwrap_or_else(|| {
                    slots += 1;
                    slots - 1
                });
                assert_eq!(number, Some(next));
                entry.insert((step, next));
            } else {
                assert_eq!(number, None);
            }
        } else {
            let gone = set.remove(&(row, member)).map(|(_, number)| number);
            assert_eq!(relation.remove(row, member), gone);
            free.extend(gone);
        }
        assert_eq!(relation.slots(), slots);
        let numbers: Vec<usize> = set.values().map(|&(_, number)| number).collect();
        assert!(relation.pairs().eq(numbers.iter().copied()));
        assert!((0..slots + 2).all(|number| relation.live(number) == numbers.contains(&number)));
        if step % 50 == 0 {
            agrees!(relation, rows, targets, pairs(&set));
        }
    }
}

/// A change that was made to a relation.
enum Change {
    Came(usize, usize),
    Went(usize, usize, u64),
}

#[test]
fn undoing_from_the_last_change_to_the_first_brings_the_numbers_back() {
    let mut rng = stream(5, 0);
    let (rows, targets) = (5, 6);
    let mut relation = changing(targets, &lists(rows, targets, &mut rng)).unwrap();
    let snapshot = |relation: &ChangingRelation<u64>| -> Vec<Pair> {
        let pair = |number| Pair {
            row: relation.row_of(number),
            member: relation.member_of(number),
            value: relation.value_of(number),
            number,
        };
        relation.pairs().map(pair).collect()
    };
    for _ in 0..200 {
        let before = snapshot(&relation);
        let steps: Vec<(usize, usize, bool)> = (0..below(40, &mut rng))
            .map(|_| (below(rows, &mut rng), below(targets, &mut rng), uniform(&mut rng) < 0.5))
            .collect();
        let apply = |relation: &mut ChangingRelation<u64>| {
            let mut numbers = Vec::new();
            let mut log = Vec::new();
            for &(row, member, insert) in &steps {
                let number = if insert {
                    let number = relation.insert(row, member, 7);
                    log.extend(number.map(|_| Change::Came(row, member)));
                    number
                } else {
                    log.extend(relation.value(row, member).map(|value| Change::Went(row, member, value)));
                    relation.remove(row, member)
                };
                numbers.push(number);
            }
            (numbers, log)
        };
        let (numbers, log) = apply(&mut relation);
        for change in log.into_iter().rev() {
            let number = match change {
                Change::Came(row, member) => relation.remove(row, member),
                Change::Went(row, member, value) => relation.insert(row, member, value),
            };
            assert!(number.is_some());
        }
        assert_eq!(snapshot(&relation), before);
        agrees!(relation, rows, targets, before);
        // As if the changes had never been made: the next ones get the same numbers.
        assert_eq!(apply(&mut relation).0, numbers);
    }
}

#[test]
fn order_does_not_depend_on_history() {
    let nothing = |_: usize, _: &mut Row<'_, ()>| Ok::<(), Infallible>(());
    let Ok(mut up) = ChangingRelation::build(4, 4, nothing);
    let Ok(mut down) = ChangingRelation::build(4, 4, nothing);
    for i in 0..16 {
        up.insert(i / 4, i % 4, ());
        down.insert((15 - i) / 4, (15 - i) % 4, ());
    }
    up.remove(2, 2);
    up.insert(2, 2, ());
    assert_eq!(format!("{up:?}"), format!("{down:?}"));
    assert_eq!(format!("{:?}", up.sources(2)), "Sources([0, 1, 2, 3])");
    assert_eq!(format!("{:?}", up.entries(0)), "Entries([(0, ()), (1, ()), (2, ()), (3, ())])");
}
