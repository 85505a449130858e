//! The models are worth comparing: most of them do a lot, and every construct is among them.

use std::collections::BTreeSet;

use super::description::{Over, Size, Timing};
use super::generated::{MODELS, STEPPED};
use super::{DESCRIPTIONS, reference};

#[test]
fn most_models_do_a_lot() {
    let busy = (0..MODELS).filter(|&number| reference(number, 1).0.len() > 20).count();
    assert!(busy * 4 > MODELS * 3, "only {busy} of {MODELS} models have more than 20 events");
    let indices = (0..MODELS).map(|number| {
        let (events, _) = reference(number, 1);
        events.into_iter().map(|event| (event.clock, event.index)).collect::<BTreeSet<_>>().len()
    });
    let members: usize = indices.sum();
    assert!(members > 9 * MODELS, "only {members} members of clocks have rung");
}

#[test]
fn every_size_is_among_them() {
    let sets = || DESCRIPTIONS.iter().flat_map(|model| &model.sets);
    for size in 1..=6 {
        assert!(sets().any(|set| set.size == size), "no set has size {size}");
    }
    for written in [Size::Literal, Size::Param, Size::Generic] {
        for small in [true, false] {
            assert!(sets().any(|set| set.written == written && (set.size <= 2) == small), "no set is {written:?}");
        }
    }
    assert!(DESCRIPTIONS.iter().any(|model| model.sets.len() == 1));
    assert!(
        DESCRIPTIONS.iter().any(|model| model.next_reaction) && DESCRIPTIONS.iter().any(|model| !model.next_reaction)
    );
    assert!(DESCRIPTIONS.iter().any(|model| model.rollback) && DESCRIPTIONS.iter().any(|model| model.touchy));
    assert!(STEPPED.len() > 5, "{STEPPED:?}");
}

#[test]
fn every_kind_of_row_is_among_them() {
    let relations = || DESCRIPTIONS.iter().flat_map(|model| &model.relations);
    let rows = || relations().flat_map(|relation| relation.members.iter().enumerate());
    assert!(rows().any(|(_, members)| members.is_empty()));
    assert!(rows().any(|(row, members)| members.iter().any(|&(member, _)| member == row)));
    assert!(relations().any(|relation| {
        let twice = |members: &Vec<(usize, i64)>| {
            members.iter().map(|&(member, _)| member).collect::<BTreeSet<_>>().len() < members.len()
        };
        !relation.changing && relation.members.iter().any(twice)
    }));
    assert!(relations().any(|relation| relation.rows.len() == 2) && relations().any(|relation| relation.ring));
    assert!(relations().any(|relation| relation.changing && relation.valued));
    assert!(relations().any(|relation| relation.changing && relation.inverse));
}

/// Of the clocks, by what they are over.
#[test]
fn every_timing_is_among_them() {
    let overs: [fn(&Over, bool) -> bool; 5] = [
        |over, _| *over == Over::Sets(Vec::new()),
        |over, _| matches!(over, Over::Sets(sets) if sets.len() == 1),
        |over, _| matches!(over, Over::Sets(sets) if sets.len() == 2),
        |over, changing| matches!(over, Over::Pairs(_)) && !changing,
        |_, changing| changing,
    ];
    let timings: [fn(&Timing) -> bool; 10] = [
        |timing| matches!(timing, Timing::Rate(..)),
        |timing| matches!(timing, Timing::Reaction { .. }),
        |timing| matches!(timing, Timing::Due(_)),
        |timing| matches!(timing, Timing::AtFromNow(_)),
        |timing| matches!(timing, Timing::AtOnce(_)),
        |timing| matches!(timing, Timing::After { redraw: false, resume: false, speed: None, .. }),
        |timing| matches!(timing, Timing::After { redraw: true, .. }),
        |timing| matches!(timing, Timing::After { resume: true, .. }),
        |timing| matches!(timing, Timing::After { speed: Some(_), .. }),
        |timing| matches!(timing, Timing::Every { .. }),
    ];
    let mut missing = Vec::new();
    for (t, timing) in timings.iter().enumerate() {
        for (o, over) in overs.iter().enumerate() {
            let found = DESCRIPTIONS.iter().any(|model| {
                let clocks = model.clocks.iter();
                clocks.filter(|c| timing(&c.timing)).any(|clock| over(&clock.over, model.comes_and_goes(&clock.over)))
            });
            if !found {
                missing.push((t, o));
            }
        }
    }
    // The rarest ones need not be with everything.
    assert!(missing.len() < 12, "no clock has these: {missing:?}");
    for (t, timing) in timings.iter().enumerate() {
        assert!(DESCRIPTIONS.iter().any(|model| model.clocks.iter().any(|clock| timing(&clock.timing))), "timing {t}");
    }
}

/// Texts of which each is in some model: one of several where a construct has several forms.
const CONSTRUCTS: &[&[&str]] = &[
    // indices
    &["x0[v0]"],
    &["x0[v0 + 1]", "x1[v0 + 1]", "[v0 + q1]", "[v0 + ONE]"],
    &["x0[v0 - 1]", "x1[v0 - 1]", "[v0 - q1]", "[v0 - ONE]"],
    &["if v0 + 1 < "],
    &["if v0 > 0", "if v0 > 1"],
    &["(v0 + 1) % sa.len()", "(v0 + 1) % sb.len()"],
    &["(v0 + na - 1) % na"],
    &["(v0 + A - 1) % A"],
    &["(v0 + q1) % "],
    &["(v0 + ONE) % "],
    &["(v0 - 1) % "],
    &["((v0 + 1) % "],
    &["(v0 * 2) % "],
    &["(v0 as usize) % "],
    &["[home[v0]]"],
    &["[home[pick]]"],
    &["[(home["],
    &["[pick]"],
    &["rem_euclid(na as i64) as usize]"],
    &["[na - 1]", "[A - 1]"],
    &["x1[0]", "x0[0]"],
    &["let v1 = (v0 + 1) % ", "let v2 = (v1 + 1) % "],
    &["let v1 = home[v0]"],
    // elements
    &["x3[(v0, v1)]"],
    &["x3[(v0, v1, v2)]"],
    &["x4[(v0, v1)]"],
    &["][(v1 + "],
    &["d0[(v0 + "],
    &["d2[v0]["],
    &["d1[home[", "d0[home["],
    // relations
    &["r0(v0).map("],
    &["for v1 in r0(v0)"],
    &["for (v1, w1) in r1(v0)"],
    &["(w1 * ", "(w2 * "],
    &["for v1 in b0(", "b0(v0)."],
    &["b1("],
    &["r3(v0)"],
    &["b3("],
    &[".flat_map(|v1| "],
    &["flat_map(|(v1, w1)| "],
    &[".filter(|&v"],
    &[".filter(|&(v"],
    &[".count() as i64"],
    &[".any(|"],
    &[".all(|"],
    &["r0(home["],
    &["r0.degree("],
    &["r3.degree("],
    &["r0.contains("],
    &["r3.contains("],
    &["r1.value("],
    &["r3.len()"],
    &["in sa {", "sa.map", "sa.fold"],
    &["in (0..", "(0..na)", "(0..A)"],
    &["iter().sum::<i64>()"],
    // actions
    &["x0[rng.random_range(", "x1[rng.random_range("],
    &["for_each(|v1| {", "for_each(|v2| {"],
    &["for_each(|(v"],
    &[".iter_mut() {"],
    &["iter_mut().for_each("],
    &[".swap("],
    &[".fill("],
    &[".rotate_left("],
    &["std::mem::swap("],
    &["=> a0(", "=> a1(", "=> a2("],
    &["a0((v0 + ", "a2((v0 + ", "a1((v0 + "],
    &["a0(rng.", "a1(rng.", "a2(rng."],
    &["a0(home[", "a2(home[", "a1(home["],
    &["if r3.insert(", "if r3.remove("],
    &["r3.insert(v0, v1", "r3.remove(v0, v1"],
    &["r3.insert("],
    &["r3.remove("],
    &[".collect::<Vec<_>>()"],
    &["pick = "],
    &["due[home["],
    &["home[home[", "home[(v0", "home[v0] = "],
    &["} else {"],
    &["init {"],
    // clocks
    &["#[select(tree)]"],
    &["#[select(pair_tree)]"],
    &["#[select(blocks)]"],
    &["in r3] if "],
    &["in r3]: rate("],
    &["in r3]: after("],
    &["in r0]"],
    &["in r2]"],
    &[", redraw"],
    &[", resume"],
    &["speed("],
    &["from = 0.125 * ("],
    &["rng.sample"],
    &["at(due[v0])"],
    &["priority = -1"],
    &["reaction "],
    &["stop done"],
    &["rng.random_range(0..7)"],
    &["(s0 + x0[v0]).rem_euclid(7);"],
];

#[test]
fn every_construct_is_among_them() {
    let blocks: Vec<String> = DESCRIPTIONS.iter().map(|model| model.block("M")).collect();
    let missing: Vec<_> = CONSTRUCTS
        .iter()
        .filter(|forms| !forms.iter().any(|form| blocks.iter().any(|block| block.contains(form))))
        .collect();
    assert!(missing.is_empty(), "no model has {missing:?}");
}
