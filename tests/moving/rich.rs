//! The models are worth comparing: most of them do a lot, and every construct is among them.

use std::collections::BTreeSet;

use super::description::{Bound, Clock, Extra, Kind, Over, Real, Timing};
use super::engine::{End, Way};
use super::generated::{LOOKED, MODELS, UPDATED};
use super::{DESCRIPTIONS, reference};

#[test]
fn most_models_do_a_lot() {
    let runs: Vec<_> = (0..MODELS).map(|number| reference(number, 1, Way::Anchored)).collect();
    let busy = runs.iter().filter(|(events, _)| events.len() > 20).count();
    assert!(busy * 10 > MODELS * 7, "only {busy} of {MODELS} models have more than 20 events");
    let members = runs
        .iter()
        .map(|(events, _)| events.iter().map(|event| (event.clock, &event.index)).collect::<BTreeSet<_>>().len());
    let members: usize = members.sum();
    assert!(members > 7 * MODELS, "only {members} members of clocks have rung");
    assert!(runs.iter().all(|(_, end)| *end == End::Quiet));
    assert!(LOOKED.len() > 5 && UPDATED.len() > 3, "{LOOKED:?} {UPDATED:?}");
    assert!(DESCRIPTIONS.iter().any(|model| model.tight) && DESCRIPTIONS.iter().any(|model| model.tie.is_some()));
}

#[test]
fn every_flow_is_among_them() {
    let kinds: [fn(Kind) -> bool; 5] = [
        |kind| kind == Kind::Linear,
        |kind| matches!(kind, Kind::Quadratic(_)),
        |kind| matches!(kind, Kind::Exponential(_)),
        |kind| matches!(kind, Kind::Oscillator(_, true)),
        |kind| matches!(kind, Kind::Oscillator(_, false)),
    ];
    let flows = || DESCRIPTIONS.iter().flat_map(|model| &model.flows);
    for (number, kind) in kinds.iter().enumerate() {
        for single in [true, false] {
            let is = |over: Over| (over == Over::Single) == single;
            assert!(flows().any(|flow| kind(flow.kind) && is(flow.over)), "no flow of kind {number}, {single}");
        }
    }
    for over in [Over::Single, Over::A, Over::B, Over::AB, Over::Pairs] {
        for tuple in [true, false] {
            assert!(
                flows().any(|flow| flow.over == over && flow.is_tuple() == tuple),
                "no flow over {over:?}, {tuple}"
            );
        }
    }
    for extra in [Extra::None, Extra::Wind, Extra::Next, Extra::Near] {
        assert!(flows().any(|flow| flow.extra == extra), "no flow with {extra:?}");
    }
    assert!(flows().any(|flow| flow.extra == Extra::Wind && flow.is_tuple()));
    assert!(flows().any(|flow| flow.extra == Extra::Wind && flow.over == Over::Single));
}

/// Of the clocks, those that ring in a run, too.
#[test]
fn every_timing_is_among_them() {
    let timings: [fn(&Timing) -> bool; 22] = [
        |timing| matches!(timing, Timing::Rate(_)),
        |timing| matches!(timing, Timing::At(Real::Wall { .. })),
        |timing| matches!(timing, Timing::At(real) if !matches!(real, Real::Wall { .. })),
        |timing| matches!(timing, Timing::Due(_)),
        |timing| matches!(timing, Timing::After { redraw: true, .. }),
        |timing| matches!(timing, Timing::After { resume: true, .. }),
        |timing| matches!(timing, Timing::After { speed: Some(_), .. }),
        |timing| matches!(timing, Timing::After { redraw: false, resume: false, speed: None, .. }),
        |timing| matches!(timing, Timing::Every(_)),
        |timing| matches!(timing, Timing::Affine(_, _, None)),
        |timing| matches!(timing, Timing::Affine(_, _, Some(_))),
        |timing| {
            matches!(timing, Timing::Thinned { bound: Bound::Number(_), until: None, adapt: false, random: false, .. })
        },
        |timing| matches!(timing, Timing::Thinned { bound: Bound::Number(_), until: Some(_), .. }),
        |timing| matches!(timing, Timing::Thinned { bound: Bound::Affine(..), until: None, .. }),
        |timing| matches!(timing, Timing::Thinned { bound: Bound::Affine(..), until: Some(_), .. }),
        |timing| matches!(timing, Timing::Thinned { adapt: true, .. }),
        |timing| matches!(timing, Timing::Thinned { random: true, .. }),
        |timing| matches!(timing, Timing::Crosses { up: true, step: None, .. }),
        |timing| matches!(timing, Timing::Crosses { up: false, step: None, .. }),
        |timing| matches!(timing, Timing::Crosses { up: true, step: Some(_), .. }),
        |timing| matches!(timing, Timing::Crosses { up: false, step: Some(_), .. }),
        |timing| matches!(timing, Timing::Crosses { .. }),
    ];
    let mut rung: BTreeSet<(usize, usize)> = BTreeSet::new();
    for number in 0..MODELS {
        for seed in 0..5 {
            rung.extend(reference(number, seed, Way::Anchored).0.iter().map(|event| (number, event.clock)));
        }
    }
    let clocks: Vec<&Clock> = rung.iter().map(|&(number, clock)| &DESCRIPTIONS[number].clocks[clock]).collect();
    for (number, timing) in timings.iter().enumerate() {
        assert!(clocks.iter().any(|clock| timing(&clock.timing)), "no clock of timing {number} has rung");
        assert!(
            clocks.iter().any(|clock| timing(&clock.timing) && clock.over != Over::Single),
            "no clock of timing {number} in a family has rung"
        );
    }
    let kinds: [fn(&Timing) -> bool; 4] = [
        |timing| matches!(timing, Timing::At(Real::Wall { .. })),
        |timing| matches!(timing, Timing::Affine(..)),
        |timing| matches!(timing, Timing::Thinned { .. }),
        |timing| matches!(timing, Timing::Crosses { .. }),
    ];
    for (number, kind) in kinds.iter().enumerate() {
        let of = || clocks.iter().filter(|clock| kind(&clock.timing));
        assert!(of().any(|clock| clock.guard.is_some()) || number == 0, "no guard with kind {number}");
        for over in [Over::Single, Over::A, Over::B, Over::AB, Over::Pairs] {
            let rare = number == 0 || over == Over::AB || over == Over::Single;
            assert!(of().any(|clock| clock.over == over) || rare, "nothing over {over:?} of kind {number}");
        }
    }
    // Solved exactly and looked for.
    let crossings = || {
        rung.iter().filter_map(|&(number, clock)| match &DESCRIPTIONS[number].clocks[clock].timing {
            Timing::Crosses { of, .. } => Some(DESCRIPTIONS[number].degree(of).filter(|&degree| degree <= 2)),
            _ => None,
        })
    };
    for degree in [None, Some(1), Some(2)] {
        assert!(crossings().any(|of| of == degree), "no crossing of degree {degree:?} has rung");
    }
    for next_reaction in [true, false] {
        let races = |timing: &Timing| matches!(timing, Timing::Thinned { .. }) && timing.can_race();
        let models = || DESCRIPTIONS.iter().filter(|model| model.next_reaction == next_reaction);
        assert!(models().any(|model| model.clocks.iter().any(|clock| races(&clock.timing))));
    }
}

/// Texts of which each is in some model: one of several where a construct has several forms.
const CONSTRUCTS: &[&[&str]] = &[
    // what is read
    &["x0[k0]", "x1[k0]"],
    &["[(k0 + 1) % na]"],
    &["[(k0 + na - 1) % na]"],
    &["if k0 + 1 < "],
    &["if k0 > 0"],
    &["x0[home[k0]]", "x1[home[k0]]"],
    &["x0[pick]", "x1[pick]"],
    &["[na - 1]"],
    &["x0[(k0, k1)]"],
    &["x0[k0][k1]"],
    &["x0.iter().sum", "x1.iter().sum"],
    &["v0.iter().sum", "v1.iter().sum"],
    &["near(k0).map(|k1| x0[k1])", "near(k0).map(|k1| x1[k1])", "near(k0).map(|k1| x2[k1])"],
    &["fans(k0).map("],
    &["link(k0).map("],
    &["tie(k0).map("],
    &["near(home[k0])", "fans(home[k0])"],
    &["sa.map(", "sb.map("],
    &["d0[k0]"],
    &["d1"],
    &["d2[k0]"],
    &["d0[home["],
    &[".powi(2)"],
    &["+ e)"],
    // what is written
    &["=> { v0[k0] = ", "=> { v1[k0] = "],
    &["x0[k0] = ", "x1[k0] = "],
    &["v0[k0] = -v0[k0]", "v1[k0] = -v1[k0]"],
    &["v0[home[k0]] ", "v1[home[k0]] ", "x0[home[k0]] ", "x1[home[k0]] "],
    &["[rng.random_range(0..na)] = "],
    &["= rng.random_range(-1.5..1.5);"],
    &["x0[k0] += ", "x1[k0] += ", "x2[k0] += ", "x0 += ", "x1 += ", "x2 += ", "x0[k1] += ", "x1[k1] += "],
    &["v0[k0] += ", "v1[k0] += ", "v2[k0] += "],
    &["for k1 in near("],
    &["for k1 in fans(", "for k2 in fans(", "fans(k0).for_each("],
    &["for k1 in tie("],
    &["near(k0).for_each(", "near(home[k0]).for_each("],
    &[".for_each(|k1| { v", ".for_each(|k1| { x"],
    &["iter_mut() {"],
    &["iter_mut().for_each("],
    &[".fill("],
    &[".swap("],
    &["std::mem::swap(&mut x", "std::mem::swap(&mut v"],
    &["s0 = "],
    &["home[k0] = ", "home[(k0"],
    &["pick = "],
    &["=> a0("],
    &["=> a1("],
    &["a0(home[", "a1(rng."],
    &["tie.insert("],
    &["tie.remove("],
    &["} else {"],
    // clocks
    &["if m[k0] < "],
    &["if v0", "if v1", "if s0", "if s1"],
    &["priority = -1"],
    &["rng.sample"],
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
