//! Bodies are ordinary Rust.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use clockrace::{ErrorKind, simulation};

/// A model for each body, which runs at t = 1 on the state that is written; then what the state
/// looks like. A probe that reads `$probe` must see it change in the same instant.
macro_rules! bodies {
    ($($test:ident { $($item:tt)* } { $($body:tt)* } $probe:ident $name:ident => $check:expr;)*) => { $(
        #[test]
        fn $test() {
            simulation! {
                model Body {
                    $($item)*
                    state before: bool = true;
                    state probed: bool = false;
                    let changed = format!("{:?}", $probe);
                    let initial = changed.len() > 10_000;
                    clock body: at(1.0) => { before = false; $($body)* }
                    // Enabled by any refresh after the body has run.
                    clock probe if !initial && !before && !probed: after(0.0) => { probed = true; }
                }
            }
            let mut sim = Body::default().start(1).unwrap();
            sim.run_until(1.0).unwrap();
            let $name = sim.state();
            assert!($name.probed);
            $check
        }
    )* };
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    Idle,
    Busy { since: f64, jobs: u64 },
    Done(u64),
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Job {
    id: u64,
    size: u64,
    name: String,
}

const LIMIT: u64 = 5;

fn parsed(text: &str) -> Result<u64, std::num::ParseIntError> {
    text.parse()
}

bodies! {
    closures_borrow_and_change {
        state n: u64 = 1;
        state list: Vec<u64> = vec![3, 1, 2];
    } {
        let read = |k: u64| k + n;
        let sum = read(1) + read(2);
        let mut add = |k| { n += k; n };
        add(sum);
        let after = add(1);
        let mut nested = || { let mut inner = |k: u64| list.push(k + after); inner(0); inner(1) };
        nested();
        list.sort_by_key(|k| std::cmp::Reverse(*k));
        list.retain(|&k| k != 2 && n > 0);
    } list s => assert_eq!((s.n, &s.list[..]), (7, &[8, 7, 3, 1][..]));

    closures_return_for_themselves {
        state n: u64 = 0;
        state calls: u64 = 0;
    } {
        let sign = |k: u64| { if k > 2 { return 1; } let half = || { return k / 2; }; half() };
        for k in 0..5 { n += sign(k); calls += 1; }
        let tried = || -> Result<u64, std::num::ParseIntError> { let k = parsed("x")?; Ok(k) };
        if tried().is_err() { n += 100; return; }
        n = 0;
    } n s => assert_eq!((s.n, s.calls), (103, 5));

    a_match_has_guards_and_alternatives {
        state n: u64 = 0;
        state phase: Phase = Phase::Busy { since: 0.5, jobs: 3 };
    } {
        n += match &phase {
            Phase::Idle => 1,
            Phase::Busy { jobs, .. } if *jobs > LIMIT => 2,
            Phase::Busy { since, jobs } if *since < now => *jobs,
            Phase::Busy { .. } | Phase::Done(_) => 4,
        };
        match n { LIMIT => {} 0..=2 => n = 50, k @ (3 | 4) => n = k * 10, _ => unreachable!() }
        if matches!(phase, Phase::Busy { .. } if n > 3) { n += 1; }
        if !matches!(phase, Phase::Idle | Phase::Done(0..)) { phase = Phase::Done(n); }
    } phase s => assert_eq!((s.n, &s.phase), (31, &Phase::Done(31)));

    a_match_changes_what_it_matches {
        state phase: Phase = Phase::Busy { since: 0.5, jobs: 3 };
        state pair: (Option<u64>, [u64; 2]) = (Some(1), [2, 3]);
    } {
        if let Phase::Busy { ref mut jobs, .. } = phase { *jobs += 1; }
        match phase { Phase::Busy { since: ref mut start, .. } => *start = now, Phase::Done(ref mut k) => *k = 0, _ => {} }
        let old = std::mem::replace(&mut phase, Phase::Idle);
        if phase == Phase::Idle { phase = old; }
        match &mut pair { (Some(k), [first, ..]) => std::mem::swap(k, first), (None, rest) => rest[0] = 7 }
        let (_, [_, ref mut last]) = pair;
        *last *= 2;
    } pair s => assert_eq!((&s.phase, s.pair), (&Phase::Busy { since: 1.0, jobs: 4 }, (Some(2), [1, 6])));

    conditions_bind {
        state queue: VecDeque<u64> = VecDeque::from([1, 2, 3]);
        state n: u64 = 0;
    } {
        let Some(first) = queue.pop_front() else { return };
        if let Some(second) = queue.front() { n = first + *second; } else { n = 99; }
        while let Some(k) = queue.pop_back() { n += 10 * k; }
        let Some(_) = queue.front() else { n += 1000; return; };
        n = 0;
    } queue s => assert_eq!((s.n, s.queue.len()), (1053, 0));

    loops_have_labels_and_values {
        state n: u64 = 0;
        state found: (u64, u64) = (0, 0);
    } {
        found = 'outer: loop {
            for k in 1.. {
                for l in 1..k {
                    if k == 7 { continue; }
                    if k * l == 24 { break 'outer (k, l); }
                    n += 1;
                }
            }
        };
        let block = 'block: { if n > 3 { break 'block 5; } 6 };
        n += block;
        'outer: while n < 1000 { loop { n += 100; if n > 300 { break 'outer; } n += 0; if n % 2 == 0 { continue 'outer; } } }
    } found s => assert_eq!((s.n, s.found), (318, (6, 4)));

    structs_are_built_and_taken_apart {
        state id: u64 = 4;
        state size: u64 = 2;
        state job: Job = Job::default();
        state other: Job = Job { id, ..Job::default() };
    } {
        let name = String::from("j");
        job = Job { id, size: size + 1, name };
        other = Job { size, ..other.clone() };
        Job { id, size: job.size, .. } = Job { id: 9, size: 8, name: String::new() };
        (id, size) = (size, id);
        [_, id] = [0, id + 1];
    } job s => {
        assert_eq!(s.job, Job { id: 4, size: 8, name: "j".to_owned() });
        assert_eq!((s.other.size, s.other.id, s.id, s.size), (2, 4, 3, 9));
    };

    places_are_swapped_by_destructuring {
        state a: u64 = 1;
        state b: u64 = 2;
        state list: [u64; 3] = [3, 4, 5];
    } {
        (a, b) = (b, a);
        (list[0], list[2]) = (list[2], list[0]);
        (a, _, (b, list[1])) = (a * 10, 0, (b * 10, a));
    } list s => assert_eq!((s.a, s.b, s.list), (20, 10, [5, 2, 3]));

    arrays_are_nested_and_sliced {
        state grid: [[u64; 3]; 2] = [[0; 3]; 2];
        state list: Vec<u64> = (0..6).collect();
        state i: usize = 1;
        state j: usize = 2;
        let here = i + j;
    } {
        grid[i][j] += 1;
        grid[i - 1][j - i] = grid[i][j] * 3;
        grid[0].swap(0, 1);
        list[i..j].fill(9);
        list[here..].reverse();
        let slice = &list[..=j];
        let [first, .., last] = slice else { return };
        grid[1][0] = first + last;
        let (left, right) = list.split_at_mut(here);
        left[0] = right[0];
        i = list.iter().position(|&k| k == 9).unwrap_or(i);
        j = (j + list.len() - 1) % 4;
    } grid s => {
        assert_eq!(s.grid, [[3, 0, 0], [2, 0, 1]]);
        assert_eq!((&s.list[..], s.i, s.j), (&[5, 9, 2, 5, 4, 3][..], 1, 3));
    };

    values_are_taken_and_replaced {
        state queue: VecDeque<u64> = VecDeque::from([1, 2]);
        state slot: Option<String> = Some("x".to_owned());
        state map: BTreeMap<&'static str, Vec<u64>> = BTreeMap::new();
        state n: u64 = 0;
    } {
        let all = std::mem::take(&mut queue);
        n = all.iter().sum();
        queue.extend(all.into_iter().map(|k| k * n).filter(|k| *k > 3));
        let old = slot.take().unwrap_or_default() + "y";
        slot.get_or_insert_with(String::new).push_str(&old);
        map.entry("a").or_default().extend([n, n + 1]);
        map.entry("b").and_modify(|v| v.clear()).or_insert_with(|| vec![n; 2]);
        if let Some(v) = map.get_mut("a") { v[0] += 1; }
        n = map.values().flatten().map(|k| k + n).max().unwrap_or(0);
    } map s => {
        assert_eq!((s.n, s.slot.as_deref(), s.queue.len()), (7, Some("xy"), 1));
        assert_eq!((&s.map["a"], &s.map["b"]), (&vec![4, 4], &vec![3, 3]));
    };

    macros_of_the_standard_library_see_places {
        param unit: &'static str = "m";
        state s: u64 = 7;
        state text: String = String::new();
        state list: Vec<u64> = Vec::new();
        state x: f64 = 1.25;
        let twice = 2 * s;
    } {
        let w = 4;
        text = format!("{s} {s:?} {s:>w$} {0} {x:.1} {twice}{{s}} {k:04}{unit}", s + 1, k = s);
        write!(text, "|{s}|{}", s).unwrap();
        write!(&mut text, "{:?}", [s; 2])?;
        writeln!(text, "{x:>width$.precision$}", width = 6, precision = 1)?;
        list = vec![s; 3];
        list.extend(vec![s, s + 1,]);
        println!("{s} {text}");
        eprintln!("{}", list.len());
        assert!(s > 0);
        assert!(s > 0, "s is {s}");
        assert_eq!(s, 7, "{s} and {}", twice);
        assert_ne!(s, twice);
        debug_assert!(list.iter().any(|&k| k == s));
        if s == 0 { unreachable!("{s}") }
    } text state => {
        assert_eq!(state.text, "7 7    7 8 1.2 14{s} 0007m|7|7[7, 7]   1.2\n");
        assert_eq!(state.list, [7, 7, 7, 7, 8]);
    };

    items_stand_in_bodies {
        state n: u64 = 1;
    } {
        const STEP: u64 = 3;
        static BASE: u64 = 10;
        fn twice(k: u64) -> u64 { 2 * k }
        struct Wrapped { inner: u64 }
        impl Wrapped { fn get(&self) -> u64 { self.inner + STEP } }
        use std::cmp::max as larger;
        macro_rules! add { ($k:expr) => { n += $k; }; }
        n = twice(n) + Wrapped { inner: n }.get() + BASE;
        add!(larger(n, 5));
    } n s => assert_eq!(s.n, 32);

    locals_hide_each_other {
        state n: u64 = 2;
    } {
        let k = n;
        let k = k * 10;
        { let k = k + 1; n += k; }
        let k = |l: u64| l + k;
        n = k(n);
    } n s => assert_eq!(s.n, 43);

    paths_are_not_places {
        state n: u64 = 1;
        state max: u64 = 3;
        state job: u64 = 0;
    } {
        n = u64::MAX.min(n) + self::helpers::n + helpers::max(max, n);
        job = Job { id: n, ..Default::default() }.id;
        max = Job::default().size.max(max);
    } job s => assert_eq!((s.n, s.job, s.max), (44, 44, 3));

    raw_identifiers_are_names {
        param r#in: u64 = 2;
        state r#type: u64 = 1;
        let r#fn = r#type + r#in;
    } {
        let r#match = r#fn;
        r#type += r#match;
    } r#type s => assert_eq!(s.r#type, 4);

    trailing_commas_and_blocks_are_fine {
        state n: u64 = 0;
        state list: Vec<u64> = Vec::new();
    } {
        let _ = { n += 1; n };
        if { n += 1; n > 1 } { list.push({ n += 1; n },); }
        list.extend_from_slice(&[n, 0,],);
        { { n += 1 } }
        } list s => assert_eq!((s.n, &s.list[..]), (4, &[3, 3, 0][..]));
}

mod helpers {
    #![allow(non_upper_case_globals)]
    pub(super) const n: u64 = 40;
    pub(super) fn max(a: u64, b: u64) -> u64 {
        a.max(b)
    }
}

macro_rules! bump {
    ($place:expr, by $k:expr) => {
        $place += $k
    };
    ($($place:expr),* $(,)?) => { $( bump!($place, by 1); )* };
}

macro_rules! run {
    ($($code:tt)*) => { $($code)* };
}

simulation! {
    model Foreign {
        state n: u64 = 0;
        state m: u64 = 0;
        state list: Vec<u64> = vec![0];
        state noticed: Vec<(f64, u64)> = Vec::new();
        let sum = n + m;
        clock one: at(1.0) => { bump!(n); }
        clock two: at(2.0) => { bump!(n, m, list[0],); }
        clock three: at(3.0) => { bump!(n, by m + 10); }
        clock four: at(4.0) => { run! { if sum > 3 { for k in 0..2 { m += k; } list.push(m); } } }
        clock five: at(5.0) => { println!("{}", { bump!(m); m }); let _ = vec![{ bump!(n); 1 }]; }
        clock notice: after(0.25 + sum as f64, redraw) => { noticed.push((now, sum)); }
    }
}

#[test]
fn a_foreign_macro_refreshes_what_reads_what_it_may_have_written() {
    let mut sim = Foreign::default().start(1).unwrap();
    sim.run_until(40.0).unwrap();
    let state = sim.state();
    assert_eq!((state.n, state.m, &state.list[..]), (14, 3, &[1, 2][..]));
    // Drawn anew at 1 (due at 2.25), 2 (due at 5.25), 3 (due at 17.25), 4 (due at 19.25) and 5.
    assert_eq!(state.noticed, [(0.25, 0), (0.5, 0), (0.75, 0), (22.25, 17), (39.5, 17)]);
}

#[derive(Debug)]
struct TooMany(u64);

impl std::fmt::Display for TooMany {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} are too many", self.0)
    }
}

impl std::error::Error for TooMany {}

fn at_most(n: u64, limit: u64) -> Result<u64, TooMany> {
    if n > limit { Err(TooMany(n)) } else { Ok(n) }
}

simulation! {
    model Failing {
        param limit: u64 = 3;
        param start: u64 = 0;
        state n: u64 = at_most(start, limit)?;
        init { at_most(start + 1, limit)?; }
        let checked = at_most(n, limit + 2)?;
        action add(k: u64) { n = at_most(n + k, limit)?; }
        clock tick: every(1.0) => add(1);
        clock watch if checked < 100: after(at_most(n, 100)? as f64 + 100.0) => {}
        observe half = at_most(n, 2)? as f64 / 2.0;
    }
}

#[test]
fn an_error_ends_the_run_and_names_the_clock() {
    let mut sim = Failing::default().start(1).unwrap();
    let error = sim.run_until(10.0).unwrap_err();
    assert_eq!((error.clock(), error.time()), (Some("tick"), 4.0));
    assert_eq!(error.to_string(), "`tick` at t = 4: 4 are too many");
    assert!(matches!(error.kind(), ErrorKind::User(source) if source.downcast_ref::<TooMany>().is_some()));
    assert_eq!((sim.state().n, sim.now()), (3, 3.0));
    // The output fails on its own, a definition where it is used.
    assert_eq!(sim.observe().unwrap_err().clock(), Some("half"));
    let error = sim.update(|state| state.n = 6).unwrap_err();
    assert_eq!((error.clock(), error.event()), (Some("watch"), None));

    assert_eq!(Failing { limit: 3, start: 4 }.start(1).unwrap_err().clock(), Some("n"));
    assert_eq!(Failing { limit: 3, start: 3 }.start(1).unwrap_err().clock(), Some("init"));
}

simulation! {
    model Returning {
        state n: u64 = 0;
        state log: Vec<u64> = Vec::new();
        action note(mut k: u64, twice: bool,) {
            if k == 0 { return; }
            if twice { k *= 2; }
            log.push(k);
            later(k);
        }
        action later(k: u64) { (0..k).for_each(|_| n += 1); }
        clock act: every(1.0) => {
            note(n, true);
            if now > 2.5 { return }
            (1..3).for_each(|k| note(k, false));
            n += { later(1); 0 };
        }
        clock rated: rate(if n > 100 { return 0.0 } else { 0.0 }) => {}
    }
}

#[test]
fn actions_are_called_from_anywhere_and_return_for_themselves() {
    let mut sim = Returning::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().n, &sim.state().log[..]), (4, &[1, 2][..]));
    sim.run_until(3.0).unwrap();
    assert_eq!((sim.state().n, &sim.state().log[..]), (48, &[1, 2, 8, 1, 2, 32][..]));
}

simulation! {
    model Random {
        state order: Vec<u64> = (0..5).collect();
        state picked: Vec<u64> = Vec::new();
        state sample: f64 = 0.0;
        init { order.shuffle(rng); }
        clock draw: after(rng.random_range(0.5..1.5)) => {
            let k: u64 = rng.random_range(0..10);
            picked.push(k % 5);
            picked.extend(order.choose(rng));
            let r = &mut rng;
            sample = clockrace::rand_distr::Exp1.sample(r);
            picked.extend((0..5).choose(&mut rng));
            sample += rng.sample::<f64, _>(clockrace::rand_distr::StandardUniform);
        }
        invariant fine: picked.iter().all(|&k| k < 5);
    }
}

#[test]
fn the_methods_of_rand_are_in_scope() {
    let mut sim = Random::default().start(1).unwrap();
    sim.check_invariants(true);
    sim.run_until(100.0).unwrap();
    let mut order = sim.state().order.clone();
    assert_ne!(order, [0, 1, 2, 3, 4]);
    order.sort_unstable();
    assert_eq!(order, [0, 1, 2, 3, 4]);
    assert!(sim.state().picked.len() > 150 && sim.state().sample > 0.0);
}
