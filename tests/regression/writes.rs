//! A stale clock cannot be written: in whatever way an action writes a place, the clocks that read
//! it are refreshed.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use clockrace::simulation;

#[derive(Clone, Debug, Default)]
struct Counter {
    n: u64,
    list: Vec<u64>,
}

impl Counter {
    fn bump(&mut self) {
        self.n += 1;
    }
}

fn set(n: &mut u64) {
    *n = 1;
}

/// A model for each way to write. At t = 1 the body runs; three probes, which read what it writes
/// in their guard, their time and their rate, then ring at once or nearly so.
macro_rules! writes {
    ($($test:ident: $state:ident: $ty:ty = $initial:expr, $read:expr, { $($body:tt)* })*) => { $(
        #[test]
        fn $test() {
            simulation! {
                #[select(next_reaction)]
                model Writing {
                    state $state: $ty = $initial;
                    state guarded: f64 = 0.0;
                    state timed: f64 = 0.0;
                    state rated: f64 = 0.0;
                    clock write: at(1.0) => { $($body)* }
                    clock guard if $read > 0 && guarded == 0.0: after(0.0) => { guarded = now; }
                    clock time: at(if $read > 0 { 1.0 } else { f64::INFINITY }) => { timed = now; }
                    clock rate if rated == 0.0: rate(1e9 * ($read) as f64) => { rated = now; }
                }
            }
            let mut sim = Writing::default().start(1).unwrap();
            sim.run_until(2.0).unwrap();
            let state = sim.state();
            assert_eq!((state.guarded, state.timed), (1.0, 1.0));
            assert!((state.rated - 1.0).abs() < 1e-6);
        }
    )* };
}

writes! {
    an_assignment: n: u64 = 0, n, { n = 1; }
    an_assigning_operator: n: u64 = 0, n, { n += 1; }
    an_assignment_in_a_branch: n: u64 = 0, n, { if now > 0.0 { match n { 0 => n = 1, _ => {} } } }
    an_assignment_in_a_loop: n: u64 = 0, n, { for k in 0..3 { n = k; } while n < 5 { n += 1; } }
    an_assignment_before_a_return: n: u64 = 0, n, { n = 1; if now > 0.0 { return; } n = 0; }
    an_assignment_in_a_closure: n: u64 = 0, n, { (0..3).for_each(|k| n += k); }
    an_assignment_in_a_closure_that_is_called_later: n: u64 = 0, n, { let mut add = |k| n += k; add(1); add(2); }
    an_assignment_in_a_block_value: n: u64 = 0, n, { let _k = { n = 1; 5 }; }
    a_destructuring_assignment: n: u64 = 0, n, { let _k; (_k, n) = (2, 1); }
    a_nested_destructuring_assignment: t: (u64, [u64; 2]) = (0, [0, 0]), t.1[1], { [t.1[0], t.1[1]] = [1, 2]; }
    a_mutable_reference: n: u64 = 0, n, { let r = &mut n; *r = 1; }
    a_mutable_reference_as_an_argument: n: u64 = 0, n, { set(&mut n); }
    a_swap: n: u64 = 0, n, { let mut k = 1; std::mem::swap(&mut n, &mut k); }
    a_replacement: n: u64 = 0, n, { let _old = std::mem::replace(&mut n, 1); }
    a_mutable_pattern: o: Option<u64> = Some(0), o.unwrap_or(0), { if let Some(k) = &mut o { *k = 1; } }
    a_ref_mut_pattern: o: Option<u64> = Some(0), o.unwrap_or(0), { if let Some(ref mut k) = o { *k = 1; } }
    a_match_on_a_mutable_reference: o: Option<u64> = Some(0), o.unwrap_or(0), { match &mut o { Some(k) => *k += 1, None => {} } }
    a_field: t: (u64, [u64; 3]) = (0, [0; 3]), t.0, { t.0 = 1; }
    an_element: t: (u64, [u64; 3]) = (0, [0; 3]), t.1[2], { t.1[2] += 1; }
    an_element_at_a_computed_index: v: Vec<u64> = vec![0; 3], v[2], { let k = v.len() - 1; v[k] = 1; }
    a_field_of_a_struct: c: Counter = Counter::default(), c.n, { c.n += 1; }
    a_method_of_a_struct: c: Counter = Counter::default(), c.n, { c.bump(); }
    a_method_of_a_field: c: Counter = Counter::default(), c.list.len(), { c.list.push(1); }
    a_method_of_a_list: v: Vec<u64> = Vec::new(), v.len(), { v.push(1); }
    a_method_of_a_queue: q: VecDeque<u64> = VecDeque::new(), q.len(), { q.push_back(7); }
    a_method_that_replaces: o: Option<u64> = None, o.unwrap_or(0), { o.replace(1); }
    a_method_that_gives_a_reference: o: Option<u64> = None, o.unwrap_or(0), { *o.get_or_insert(0) += 1; }
    a_mutable_iterator: v: Vec<u64> = vec![0; 3], v[1], { for k in v.iter_mut() { *k += 1; } }
    a_mutable_iteration: v: Vec<u64> = vec![0; 3], v[1], { for k in &mut v { *k += 1; } }
    an_entry_of_a_map: m: BTreeMap<u8, u64> = BTreeMap::new(), m.len(), { *m.entry(3).or_default() += 1; }
    an_entry_found: m: BTreeMap<u8, u64> = [(3, 0)].into(), m[&3], { if let Some(k) = m.get_mut(&3) { *k = 1; } }
    a_standard_macro: s: String = String::new(), s.len(), { write!(s, "{}", 1)?; }
    a_statement_under_an_attribute: n: u64 = 0, n, { #[allow(unused_parens)] { n = (1); } }
    a_let_else: o: Option<u64> = Some(0), o.unwrap_or(0), { let Some(k) = &mut o else { return }; *k = 1; }
    a_labelled_block: n: u64 = 0, n, { 'outer: for k in 0..3 { for l in 0..3 { n += 1; if k + l > 2 { break 'outer; } } } }
}

simulation! {
    model ThroughActions {
        state n: u64 = 0;
        state noticed: u64 = 0;
        action outer(k: u64) { inner(k, k); }
        action inner(k: u64, l: u64) { n += k * l; }
        let squared = n * n;
        let shifted = squared + 1;
        clock write: at(1.0) => outer(2);
        clock probe if shifted > 16: after(0.5) => { noticed += 1; }
        stop at_last if noticed == 3;
    }
}

#[test]
fn writes_of_shared_actions_reach_readers_through_definitions() {
    let mut sim = ThroughActions::default().start(1).unwrap();
    sim.run_until(10.0).unwrap();
    assert_eq!((sim.state().noticed, sim.now()), (3, 2.5));
}

simulation! {
    model Unwritten {
        state n: u64 = 0;
        state m: u64 = 1;
        state draws: u64 = 0;
        clock tick: every(1.0) => { m += n; }
        #[cfg(any())]
        clock never_compiled: every(0.5) => { n += 1; }
        clock watch: after(rng.random::<f64>() + n as f64, redraw) => { draws += 1; }
        clock touch: every(10.0) => {
            #[cfg(any())]
            n -= 5;
            m = n;
        }
    }
}

#[test]
fn what_is_configured_out_neither_happens_nor_counts_as_a_write() {
    let mut sim = Unwritten::default().start(1).unwrap();
    sim.run_until(20.0).unwrap();
    assert_eq!(sim.state().n, 0);
    assert!(sim.state().draws > 20);
}
