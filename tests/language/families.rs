//! Families: states, definitions, clocks, … over index sets and their products.

use std::cell::Cell;
use std::fmt::Debug;
use std::ops::AddAssign;

use clockrace::{ErrorKind, Model, Outcome, SimError, Simulation, Table, simulation};

/// Times, names and indices of all events up to `until`.
pub(crate) fn events<M: Model>(sim: &mut Simulation<M>, until: f64) -> Vec<(f64, &'static str, Vec<usize>)> {
    let mut events = Vec::new();
    sim.run_each(until, |view, event| events.push((view.now(), M::event_name(event), M::event_index(event)))).unwrap();
    events
}

/// Which members are refreshed after `clock` has rung, as the graph says.
pub(crate) fn refreshed<M: Model>(clock: &str) -> Vec<&'static str> {
    M::graph().clock(clock).unwrap().members.to_vec()
}

thread_local! {
    static EVALUATED: Cell<usize> = const { Cell::new(0) };
}

/// Counts how often it is evaluated.
pub(crate) fn counted<T>(value: T) -> T {
    EVALUATED.with(|count| count.set(count.get() + 1));
    value
}

/// How often since it was asked last.
pub(crate) fn evaluations() -> usize {
    EVALUATED.with(|count| count.replace(0))
}

// Sets and how families are kept.

const OUTSIDE: usize = 3;

simulation! {
    model Kept<const N: usize> {
        param n: usize;
        param weights: Vec<f64> = vec![0.5; 4];
        index few = 0..3;
        index most = 0..64;
        index many = 0..65;
        index generic = 0..N;
        index constant = 0..OUTSIDE;
        index given = 0..n;
        index listed = 0..weights.len();
        index computed = 0..2 * n + N.max(1);

        state a[k in few]: u64 = 10 * k as u64;
        state b[k in most]: u8 = k as u8;
        state c[k in many]: u8 = k as u8;
        state d[k in generic]: f64 = k as f64;
        state e[k in constant]: usize = k;
        state f[k in given]: String = format!("{k}");
        state g[k in listed]: f64 = weights[k];
        state h[k in computed]: Option<usize> = Some(k);
        tally i[k in few]: u64 = k as u64;
        tally j[k in given]: u64 = 7;

        clock tick[k in few]: every(1.0) => { a[k] += 1; i[k] += 1; }
    }
}

#[test]
fn a_family_is_an_array_or_a_slice() {
    let mut sim = Kept::<2> { n: 3, weights: vec![1.0, 2.0] }.start(1).unwrap();
    sim.run_until(2.0).unwrap();
    let KeptState { a, b, c, d, e, f, g, h, .. } = sim.state();
    let (a, b, d): (&[u64; 3], &[u8; 64], &[f64; 2]) = (a, b, d);
    let (c, e): (Box<[u8]>, Box<[usize]>) = (c.clone(), e.clone());
    let (f, g): (Box<[String]>, Box<[f64]>) = (f.clone(), g.clone());
    assert_eq!((a, b[63], d), (&[2, 12, 22], 63, &[0.0, 1.0]));
    assert_eq!((c.len(), &e[..], f.join(" "), &g[..]), (65, &[0, 1, 2][..], "0 1 2".to_owned(), &[1.0, 2.0][..]));
    assert_eq!((h.len(), h[7]), (8, Some(7)));
    let KeptTallies { i, j, .. } = sim.tallies();
    let (i, j): (&[u64; 3], Box<[u64]>) = (i, j.clone());
    assert_eq!((i, &j[..]), (&[2, 3, 4], &[7, 7, 7][..]));
    sim.reset_tallies().unwrap();
    assert_eq!(sim.tallies().i, [0, 1, 2]);
}

simulation! {
    model Given<const N: usize> {
        param n: usize;
        index fixed = 0..2;
        index generic = 0..N;
        index site = 0..n;
        index row = 0..2;
        state a[k in fixed]: u8;
        state b[k in generic]: f64;
        state c[k in site]: u64;
        state d[i in row][j in site]: &'static str;
        clock add[k in site]: every(1.0) => { c[k] += a[0] as u64; }
    }
}

fn given(c: Vec<u64>, d: Vec<&'static str>) -> Given<1> {
    Given { n: 3, a: [5, 6], b: [0.5], c, d }
}

#[test]
fn a_family_without_a_value_is_given_at_the_start() {
    let mut sim = given(vec![1, 2, 3], vec!["a", "b", "c", "d", "e", "f"]).start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().a, sim.state().b, &sim.state().c[..]), ([5, 6], [0.5], &[6, 7, 8][..]));
    // Row by row.
    assert_eq!((sim.state().d[[0, 2]], sim.state().d[[1, 0]]), ("c", "d"));
    // What was given is still there.
    assert_eq!(sim.params().c, [1, 2, 3]);
}

#[track_caller]
fn assert_length(error: &SimError, family: &str, given: usize, expected: usize) {
    let ErrorKind::Length { name, length, size } = error.kind() else { panic!("{error}") };
    assert_eq!((*name, *length, *size), (family, given, expected));
    assert_eq!((error.clock(), error.event(), error.time()), (Some(family), None, 0.0));
    let text = error.to_string();
    assert!([family, &given.to_string(), &expected.to_string()].iter().all(|part| text.contains(part)), "{text}");
}

#[test]
fn a_wrong_length_is_an_error_of_the_start() {
    let six = || vec![""; 6];
    assert_length(&given(vec![1; 2], six()).start(1).unwrap_err(), "c", 2, 3);
    assert_length(&given(vec![1; 4], six()).start(1).unwrap_err(), "c", 4, 3);
    assert_length(&given(Vec::new(), six()).start(1).unwrap_err(), "c", 0, 3);
    assert_length(&given(vec![1; 3], vec![""; 5]).start(1).unwrap_err(), "d", 5, 6);
    assert_length(&given(vec![1; 3], vec![""; 3]).start(1).unwrap_err(), "d", 3, 6);
}

simulation! {
    model Large {
        param n: usize;
        param m: usize;
        index a = 0..n;
        index b = 0..m;
        state s[i in a][j in b]: u8 = 0;
        clock c[i in a][j in b]: rate(0.0) => { s[i][j] = 0; }
    }
}

#[test]
fn a_set_or_product_that_is_too_large_is_an_error_of_the_start() {
    for (n, m, name, sizes) in [
        (usize::MAX, 1, "a", vec![usize::MAX]),
        (1, 1 << 32, "b", vec![1 << 32]),
        (1 << 20, 1 << 20, "s", vec![1 << 20, 1 << 20]),
    ] {
        let error = Large { n, m }.start(1).unwrap_err();
        let ErrorKind::Size { name: of, sizes: found } = error.kind() else { panic!("{error}") };
        assert_eq!((*of, found, error.clock()), (name, &sizes, Some(name)));
    }
    assert_eq!(Large { n: 0, m: 1 << 31 }.start(1).unwrap().state().s.sizes(), [0, 1 << 31]);
}

simulation! {
    model Sizes<const N: usize> {
        param n: usize = 3;
        index suffixed = 0..3usize;
        index next = 0..N + 1;
        index sum = 0..n + 1;
        index defined = 0..half;
        index both = 0..half + n;
        let half = 2 * n;
        state a[k in suffixed]: usize = k;
        state b[k in next]: usize = k;
        state c[k in sum]: usize = k;
        state d[k in defined]: usize = k;
        state e[k in both]: usize = k;
        clock in_b[k in next]: rate(b[(k + 1) % (N + 1)] as f64) => { b[k] = 0; }
        clock in_c[k in sum]: rate(c[(k + 1) % (n + 1)] as f64) => { c[k] = 0; }
        clock in_d[k in defined]: rate(d[(k + 1) % half] as f64) => { d[k] = 0; }
        clock in_e[k in both]: rate(e[(k + 1) % (half + n)] as f64) => { e[k] = 0; }
    }
}

#[test]
fn a_size_is_an_expression_of_params_and_constants() {
    let sim = Sizes::<2>::default().start(1).unwrap();
    let SizesState { a, b, c, d, e } = sim.state();
    assert_eq!([a.len(), b.len(), c.len(), d.len(), e.len()], [3, 3, 4, 6, 9]);
    // Around the same expression an index wraps.
    assert_eq!(refreshed::<Sizes<2>>("in_b"), ["in_b[k] in_b[(k - 1) % next]"]);
    assert_eq!(refreshed::<Sizes<2>>("in_c"), ["in_c[k] in_c[(k - 1) % sum]"]);
    assert_eq!(refreshed::<Sizes<2>>("in_d"), ["in_d[k] in_d[(k - 1) % defined]"]);
    assert_eq!(refreshed::<Sizes<2>>("in_e"), ["in_e[k] in_e[(k - 1) % both]"]);
}

// Products.

simulation! {
    model Product {
        param columns: usize;
        index row = 0..2;
        index column = 0..columns;
        index layer = 0..2;
        state s[i in row][j in column]: i32 = (10 * i + j) as i32;
        state t[i in row][j in column][l in layer]: usize = 100 * i + 10 * j + l;
        state square[i in row][j in row]: usize;
        tally seen[i in row][j in column]: u32 = 0;
        let next[i in row][j in column] = s[i][(j + 1) % columns];
        clock shift[i in row][j in column]: every(1.0) => {
            s[i][j] = next[i][j];
            seen[i][j] += 1;
        }
        clock swap: at(0.5) => { t[1][0][1] = square[1][0]; square.swap(0, 3); }
        observe s[i in row][j in column] = s[i][j];
        observe total = s.iter().sum::<i32>();
    }
}

#[test]
fn a_product_is_a_table_whose_last_index_runs_fastest() {
    let mut sim = Product { columns: 3, square: vec![1, 2, 3, 4] }.start(1).unwrap();
    let s: &Table<i32, 2> = &sim.state().s;
    assert_eq!((s.sizes(), &**s, s[[1, 2]]), ([2, 3], &[0, 1, 2, 10, 11, 12][..], 12));
    let t: &Table<usize, 3> = &sim.state().t;
    assert_eq!((t.sizes(), t[[1, 2, 0]], t.last()), ([2, 3, 2], 120, Some(&121)));
    sim.run_until(1.0).unwrap();
    // One member after the other, by index: the last column gets the new first one.
    assert_eq!(*sim.state().s, [1, 2, 1, 11, 12, 11]);
    assert_eq!(*sim.tallies().seen, [1; 6]);
    assert_eq!((sim.state().t[[1, 0, 1]], &*sim.state().square), (3, &[4, 2, 3, 1][..]));
    let observed = sim.observe().unwrap();
    assert_eq!((observed.s, observed.total), (vec![1.0, 2.0, 1.0, 11.0, 12.0, 11.0], 38.0));
    let view = sim.view();
    assert_eq!(
        (view.output_count(), view.output("s[1][2]").unwrap(), view.output("s[2][0]").unwrap()),
        (7, Some(11.0), None)
    );
    assert_eq!(view.output_names(), ["s[0][0]", "s[0][1]", "s[0][2]", "s[1][0]", "s[1][1]", "s[1][2]", "total"]);
}

#[test]
fn events_of_a_product_carry_their_indices() {
    let mut sim = Product { columns: 2, square: vec![0; 4] }.start(1).unwrap();
    let fired: Vec<ProductEvent> = sim.events().take(5).map(|fired| fired.unwrap().event).collect();
    use ProductEvent::{Shift, Swap};
    assert_eq!(fired, [Swap, Shift(0, 0), Shift(0, 1), Shift(1, 0), Shift(1, 1)]);
    assert_eq!((Product::event_index(Swap), Product::event_index(Shift(1, 0))), (vec![], vec![1, 0]));
    assert_eq!(Product::event_name(Shift(1, 0)), "shift");
}

// Definitions and outputs.

fn sized(n: usize) -> usize {
    counted(n)
}

simulation! {
    model Defined {
        param n: usize = 4;
        param w: Vec<f64> = vec![1.0, 2.0, 3.0, 4.0];
        index site = 0..n;
        index other = 0..2;
        state u[k in site]: i64 = (k * k) as i64;
        state seen[k in site]: f64 = 0.0;

        let right[k in site] = u[(k + 1) % n];
        let left[k in site]: i64 = u[(k - 1) % n];
        let curvature[k in site] = left[k] + right[k] - 2 * u[k];
        let far[j in site] = curvature[(j + 2) % n] - curvature[j];
        let typed[k in site]: f64 = counted(w[k]) * scale;
        let untyped[k in site] = w[k] * scale;
        let name[k in site]: String = format!("site {k}");
        let crossed[k in site][l in other] = u[k] * (l as i64 + 1);
        let fixed[k in site][l in other]: usize = sized(10 * k + l);
        let at_other[k in site] = typed[n - 1 - k];
        let scale: f64 = 2.0 * n as f64;
        let total = u.iter().sum::<i64>();
        let local[k in site] = { let k = k + 1; let j = k % n; u[j] };

        clock look[k in site]: at(1.0) => {
            seen[k] = (far[k] + crossed[k][1] + total) as f64 + typed[k] + untyped[k] + fixed[k][0] as f64;
        }
        clock change: at(2.0) => { u[0] = 100; }

        observe right[k in site] = right[k];
        observe left[k in site]: i64 = left[k];
        observe curvature[k in site] = curvature[k];
        observe far[k in site]: i64 = far[k];
        observe weights[k in site] = typed[k] + untyped[k];
        observe name[k in site]: String = name[k].clone();
        observe flags[k in site] = u[k] > 3;
        observe crossed[k in site][l in other]: i64 = crossed[k][l];
        observe fixed[l in other][k in site]: usize = fixed[k][l];
        observe at_other[k in site] = at_other[k];
        observe local[k in site]: i64 = local[k];
    }
}

#[test]
fn definitions_and_outputs_are_families() {
    evaluations();
    let mut sim = Defined::default().start(1).unwrap();
    // Of params only and with a type: once for each element.
    assert_eq!(evaluations(), 4 + 8);
    let observed = sim.observe().unwrap();
    assert_eq!(observed.right, [1.0, 4.0, 9.0, 0.0]);
    assert_eq!((observed.left, observed.local), (vec![9, 0, 1, 4], vec![1, 4, 9, 0]));
    assert_eq!(observed.curvature, [10.0, 2.0, 2.0, -14.0]);
    assert_eq!(observed.far, [-8, -16, 8, 16]);
    assert_eq!((observed.weights, observed.at_other), (vec![16.0, 32.0, 48.0, 64.0], vec![32.0, 24.0, 16.0, 8.0]));
    assert_eq!(
        (observed.name.join(","), observed.flags),
        ("site 0,site 1,site 2,site 3".to_owned(), vec![0.0, 0.0, 1.0, 1.0])
    );
    assert_eq!(observed.crossed, [0, 0, 1, 2, 4, 8, 9, 18]);
    assert_eq!(observed.fixed, [0, 10, 20, 30, 1, 11, 21, 31]);
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().seen[..], [22.0, 42.0, 98.0, 142.0]);
    sim.run_until(2.0).unwrap();
    let observed = sim.observe().unwrap();
    assert_eq!((observed.left, observed.far[0]), (vec![9, 100, 1, 4], 2 - (1 + 9 - 200)));
    assert_eq!(evaluations(), 0);
}

// Reactions.

simulation! {
    model Reacting {
        param n: usize;
        param start: Vec<u32>;
        index site = 0..n;
        state a[k in site]: u32 = start[k];
        state b[k in site]: u8 = 0;
        state pool: u64 = 0;
        reaction hop[k in site] if k + 1 < n: a[k] -> a[k + 1] @ after(1.0);
        reaction pair[k in site]: 2 a[k] -> b[k] + pool @ after(10.0);
        reaction last: a[n - 1] -> @ after(100.0);
    }
}

#[test]
fn a_reaction_of_a_family_moves_counts() {
    let mut sim = Reacting { n: 4, start: vec![1, 0, 5, 0] }.start(1).unwrap();
    // Members by index at each instant, and a hop needs a molecule when it rings.
    sim.run_until(1.0).unwrap();
    assert_eq!(*sim.state().a, [0, 1, 4, 1]);
    sim.run_until(5.0).unwrap();
    assert_eq!(*sim.state().a, [0, 0, 1, 5]);
    let mut sim = Reacting { n: 3, start: vec![0, 0, 3] }.start(1).unwrap();
    let fired = events(&mut sim, 200.0);
    assert_eq!(fired, [(10.0, "pair", vec![2]), (100.0, "last", vec![])]);
    assert_eq!((&*sim.state().a, &*sim.state().b, sim.state().pool), (&[0, 0, 0][..], &[0, 0, 1][..], 1));
}

simulation! {
    model MassAction {
        param start: Vec<u64>;
        param law: f64 = 0.0;
        index site = 0..start.len();
        state a[k in site]: u64 = start[k];
        state b[i in site][j in site]: i32 = 0;
        reaction pair[k in site]: 2 a[k] -> a[k] @ 1.0;
        reaction exact[k in site]: a[k] -> a[k] + b[k][(k + 1) % start.len()] @ rate(if k == 1 { law } else { 0.0 });
        reaction made[i in site][j in site] if i == 1 && j == 0: -> b[i][j] @ law;
    }
}

#[test]
fn the_law_of_a_reaction_is_that_of_its_member() {
    let mut sim = MassAction { start: vec![1, 4, 0], law: 0.0 }.start(1).unwrap();
    let fired = events(&mut sim, 1e9);
    assert!(fired.iter().all(|(_, name, index)| (*name, &index[..]) == ("pair", &[1])), "{fired:?}");
    assert_eq!((fired.len(), &*sim.state().a), (3, &[1, 1, 0][..]));
    let mut sim = MassAction { start: vec![1, 1, 1], law: 1.0 }.start(1).unwrap();
    sim.run_until(1000.0).unwrap();
    assert!(sim.state().b.iter().enumerate().all(|(m, &n)| (n > 500) == [3, 5].contains(&m)), "{:?}", sim.state().b);
}

simulation! {
    model Circle<const N: usize> {
        index site = 0..N;
        state a[k in site]: u8;
        reaction hop[k in site]: a[k] -> a[(k + 1) % N] @ after(1.0);
        reaction back[k in site]: a[(k + 1) % N] -> a[k] @ after(1.5);
    }
}

#[test]
fn a_reaction_with_itself_on_a_set_of_one_changes_nothing() {
    let mut sim = Circle { a: [255] }.start(1).unwrap();
    assert_eq!(events(&mut sim, 3.0).len(), 3 + 2);
    assert_eq!(sim.state().a, [255]);
    assert_eq!(Circle { a: [0] }.start(1).unwrap().run_until(9.0).unwrap(), Outcome::Exhausted);
    let mut sim = Circle { a: [1, 0, 0] }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().a, [0, 1, 0]);
}

// Actions.

simulation! {
    model Acting {
        param n: usize = 3;
        index site = 0..n;
        index side = 0..2;
        state u[k in site]: u64 = 0;
        state s[k in site][l in side]: u64 = 0;
        state pick: usize = 2;
        state total: u64 = 0;
        tally seen[k in site]: u64 = 0;

        action add(k in site, by: u64) { u[k] += by; seen[k] += by; total += by; }
        action both(mut by: u64, k in site) { by *= 10; add(k, by); add((k + 1) % n, by + 1); }
        action put(by: u64, k in site, l in side) { s[k][l] += by; }
        action by_number(j: usize) { u[j] += 1; u[(j + 1) % n] += 1; put(1, j, 0); }
        action all() { for k in site { add(k, 1000); } }

        clock a[k in site] if k == 1: at(1.0) => add(k, 1);
        clock b[k in site] if k == 1: at(2.0) => both(5, (k - 1) % n);
        clock c: at(3.0) => { add(pick, 7); put(3, pick, 1); put(4, 0, pick - 1); }
        clock d: at(4.0) => { by_number(n - 1); by_number(pick - 1); }
        clock e: at(5.0) => all();
        clock f: at(6.0) => { (0..n).filter(|k| k % 2 == 0).for_each(|k| add(k, 1)); }
        clock g[k in site]: at(7.0) => { let j = (k + 1) % n; add(j, k as u64); }
        // What an action has written, and how often at all.
        clock noticed[k in site] if u[k] > 0: after(0.25, redraw) => { s[k][1] += 100; }
        clock seldom[l in side] if s[1][l] > 0: after(0.5) => { s[1][l] = 0; }
    }
}

#[test]
fn actions_take_indices() {
    let mut sim = Acting::default().start(1).unwrap();
    let mut after = |until: f64| {
        sim.run_until(until).unwrap();
        let state = sim.state();
        (state.u.to_vec(), state.s.iter().map(|n| n % 100).collect::<Vec<_>>(), state.total)
    };
    assert_eq!(after(1.0), (vec![0, 1, 0], vec![0; 6], 1));
    assert_eq!(after(2.0), (vec![50, 52, 0], vec![0; 6], 102));
    assert_eq!(after(3.0), (vec![50, 52, 7], vec![0, 4, 0, 0, 0, 3], 109));
    assert_eq!(after(4.0), (vec![51, 53, 9], vec![0, 4, 1, 0, 1, 3], 109));
    assert_eq!(after(5.0), (vec![1051, 1053, 1009], vec![0, 4, 0, 0, 1, 3], 3109));
    assert_eq!(after(6.0).0, [1052, 1053, 1010]);
    assert_eq!(after(7.0).0, [1054, 1053, 1011]);
    assert_eq!(*sim.tallies().seen, [1053, 1052, 1009]);
}

#[test]
fn what_an_action_writes_is_noticed() {
    let mut sim = Acting::default().start(1).unwrap();
    let fired = events(&mut sim, 5.0);
    let noticed: Vec<(f64, usize)> =
        fired.iter().filter(|(_, name, _)| *name == "noticed").map(|(time, _, index)| (*time, index[0])).collect();
    // A member that is enabled is drawn again by itself, and by what is written.
    let quarter = |from: f64, until: f64, k: usize| {
        (1..).map(move |i| (from + 0.25 * i as f64, k)).take_while(move |(t, _)| *t <= until)
    };
    let mut expected: Vec<(f64, usize)> =
        quarter(1.0, 5.0, 1).chain(quarter(2.0, 5.0, 0)).chain(quarter(3.0, 5.0, 2)).collect();
    expected.retain(|(time, k)| match *k {
        // At the instant of a write, the write comes first.
        0 => ![4.0, 5.0].contains(time),
        1 => ![2.0, 4.0, 5.0].contains(time),
        _ => ![4.0, 5.0].contains(time),
    });
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    assert_eq!(noticed, expected);
    assert_eq!(fired.iter().find(|(_, name, _)| *name == "seldom").unwrap(), &(1.75, "seldom", vec![1]));
}

simulation! {
    model Numbers {
        index site = 0..4;
        state u[k in site]: u64 = 0;
        action add(x: u32, y: i64) {
            u[x as usize] += 1;
            u[y as usize + 1] += 10;
            let z = x;
            u[z as usize] += 100;
        }
        clock act[k in site] if k < 2: at(1.0) => { add(k as u32, k as i64); }
    }
}

#[test]
fn an_argument_that_is_a_number_becomes_an_index_by_a_cast() {
    let mut sim = Numbers::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().u, [101, 111, 10, 0]);
}

// Order.

simulation! {
    model Ordered {
        param n: usize;
        index site = 0..n;
        index small = 0..3;
        state log: Vec<(u8, usize)> = Vec::new();
        clock a: every(1.0) => { log.push((0, 0)); }
        clock b[k in site]: every(1.0) => { log.push((1, k)); }
        clock c: every(1.0) => { log.push((2, 0)); }
        #[select(pair_tree)]
        clock d[k in site]: every(1.0), priority = -1 => { log.push((3, k)); }
        #[select(blocks)]
        clock e[k in site][l in small]: after(1.0) => { log.push((4, 3 * k + l)); }
        clock f[k in small]: at(if k == 1 { 3.0 } else { 1.0 }) => { log.push((5, k)); }
        clock g: after(1.0), priority = -2 => { log.push((6, 0)); }
    }
}

#[test]
fn at_one_instant_members_come_by_index_between_the_other_clocks() {
    for n in [0, 1, 2, 5, 40, 300] {
        let mut sim = Ordered { n }.start(1).unwrap();
        sim.run_until(1.0).unwrap();
        let mut expected = vec![(6, 0)];
        expected.extend((0..n).map(|k| (3, k)));
        expected.push((0, 0));
        expected.extend((0..n).map(|k| (1, k)));
        expected.push((2, 0));
        expected.extend((0..3 * n).map(|k| (4, k)));
        expected.extend([(5, 0), (5, 2)]);
        assert_eq!(sim.state().log, expected);
    }
}

simulation! {
    model Cascade {
        param n: usize;
        index site = 0..n;
        state due[k in site]: f64 = if k == n / 2 { 1.0 } else { never };
        state log: Vec<usize> = Vec::new();
        clock ring[k in site]: at(due[k]) => {
            log.push(k);
            due[(k + 1) % n] = now;
            if k > 0 { due[k - 1] = now; }
        }
        clock also: at(1.0) => { log.push(100); }
    }
}

#[test]
fn what_becomes_due_at_this_instant_takes_its_turn_by_index() {
    let mut sim = Cascade { n: 5 }.start(1).unwrap();
    assert_eq!(sim.run_until(2.0).unwrap(), Outcome::Exhausted);
    // 2 makes 1 and 3 due, 1 makes 0 due, 3 makes 4 due; whose time has come once keeps it, and it is used up.
    assert_eq!(sim.state().log, [2, 1, 0, 3, 4, 100]);
}

simulation! {
    model Scripts {
        param times: Vec<Vec<f64>>;
        index site = 0..times.len();
        state next[k in site]: usize = 0;
        state log: Vec<usize> = Vec::new();
        let time[k in site]: f64 = times[k].get(next[k]).copied().unwrap_or(never);
        clock play[k in site]: at(time[k]) => { log.push(k); next[k] += 1; }
    }
}

#[test]
fn equal_times_of_a_member_ring_one_after_the_other() {
    let mut sim = Scripts { times: vec![vec![1.0, 1.0, 2.0], vec![1.0], vec![1.0, 1.0]] }.start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().log, [0, 0, 1, 2, 2, 0]);
    assert_eq!(sim.run_until(9.0).unwrap(), Outcome::Exhausted);
}

simulation! {
    model SameTime {
        index site = 0..3;
        state due[k in site]: f64 = 3.0;
        state log: Vec<usize> = Vec::new();
        clock same[k in site]: at(due[k]) => { log.push(k); due[k] = now; due[0] = now; }
    }
}

#[test]
fn a_time_that_is_written_with_the_value_it_had_has_been_used_up() {
    let mut sim = SameTime::default().start(1).unwrap();
    sim.set_zeno_limit(100);
    assert_eq!(sim.run_until(9.0).unwrap(), Outcome::Exhausted);
    assert_eq!(sim.state().log, [0, 1, 2]);
}

#[test]
fn events_carry_their_index() {
    let mut sim = Cascade { n: 5 }.start(1).unwrap();
    let event = sim.step().unwrap().unwrap().event;
    assert_eq!(event, CascadeEvent::Ring(2));
    assert_eq!((Cascade::event_name(event), Cascade::event_index(event)), ("ring", vec![2]));
    assert_eq!(Cascade::event_index(CascadeEvent::Also), []);
}

// Bodies.

simulation! {
    model Bodies {
        param n: usize = 4;
        index site = 0..n;
        index row = 0..2;
        state u[k in site]: u64 = rng.random_range(0..10) + 10 * k as u64;
        state s[i in row][k in site]: i64 = (i * n + k) as i64;
        state list[k in site]: Vec<usize> = Vec::with_capacity(k);
        state pairs[k in site]: (u8, [f64; 2]) = (k as u8, [0.0, 1.0]);
        state out: Vec<u64> = Vec::new();
        tally hits[k in site]: u64 = 0;
        tally most: u64 = 0;

        init { for k in site { list[k].push(k); } u.sort_unstable_by(|a, b| b.cmp(a)); }

        clock ranges: at(1.0) => {
            out = vec![site.len() as u64, u.len() as u64, s.len() as u64, site.end as u64];
            for k in site.rev().step_by(2) { out.push(u[k] / 10); }
            out.extend(site.map(|k| u[k] / 10));
            out.push(row.flat_map(|i| site.map(move |k| (i, k))).map(|(i, k)| s[i][k] as u64).sum());
            for (k, v) in u.iter().enumerate() { out.push(v / 10 - (3 - k as u64)); }
        }
        clock draws: at(2.0) => {
            for _ in 0..100 {
                let k = rng.random_range(site);
                hits[k] += 1;
                most = most.max(hits[k]);
            }
        }
        clock elements[k in site]: at(3.0) => {
            let local = u[k];
            let reference = &mut u[k];
            *reference = 100 + local % 10;
            let [a, b] = [k, (k + 1) % n];
            list[k].push(10 + a);
            list[b].extend([100, 200]);
            pairs[k].1[1] += pairs[b].1[0] + k as f64;
            if let (0 | 1, [first, ..]) = &mut pairs[k] { *first = 7.0; }
            (s[0][k], s[1][k]) = (s[1][k], s[0][k]);
        }
        clock whole: at(4.0) => {
            u.iter_mut().for_each(|v| *v = 1);
            u[1..3].fill(2);
            u[..].rotate_left(1);
            u.rotate_right(1);
            u[1..3].sort_unstable_by(|a, b| b.cmp(a));
            list.swap(0, 3);
            s.fill(5);
            for one in &mut list { one.truncate(1); }
        }
        observe total = u.iter().sum::<u64>();
        observe middle = u[1..n - 1].iter().sum::<u64>();
    }
}

#[test]
fn bodies_use_elements_sets_and_whole_families() {
    let mut sim = Bodies::default().start(1).unwrap();
    // `init` has sorted them.
    assert!(sim.state().u.iter().enumerate().all(|(k, v)| v / 10 == 3 - k as u64));
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().out, [4, 4, 8, 4, 0, 2, 3, 2, 1, 0, 28, 0, 0, 0, 0]);
    sim.run_until(2.0).unwrap();
    let hits = &sim.tallies().hits;
    assert_eq!((hits.iter().sum::<u64>(), hits.iter().max()), (100, Some(&sim.tallies().most)));
    assert!(hits.iter().all(|&hits| hits > 5));
    sim.run_until(3.0).unwrap();
    assert!(sim.state().u.iter().all(|&v| (100..110).contains(&v)));
    assert_eq!(sim.state().list[0], [0, 10, 100, 200]);
    assert_eq!(sim.state().list[3], [3, 100, 200, 13]);
    assert_eq!(sim.state().pairs[1], (1, [7.0, 2.0]));
    assert_eq!(sim.state().pairs[3], (3, [0.0, 1.0 + 7.0 + 3.0]));
    assert_eq!(*sim.state().s, [4, 5, 6, 7, 0, 1, 2, 3]);
    sim.run_until(4.0).unwrap();
    assert_eq!((&*sim.state().u, &*sim.state().s), (&[1, 2, 2, 1][..], &[5; 8][..]));
    assert_eq!(sim.state().list.concat(), [3, 1, 2, 0]);
    let observed = sim.observe().unwrap();
    assert_eq!((observed.total, observed.middle), (6.0, 4.0));
}

simulation! {
    model Shadowing {
        index site = 0..4;
        state u[k in site]: u64 = k as u64;
        state seen[k in site]: u64 = 0;
        clock act[k in site] if { let k = (k + 1) % 4; u[k] < 100 }: at(1.0) => {
            seen[k] += 1;
            {
                let k = (k + 1) % 4;
                seen[k] += 10;
            }
            let j = k;
            let k = 3 - k;
            seen[k] += 100;
            (0..2).for_each(|k| seen[k] += 1000);
            for k in 2..4 { seen[k] += 10_000; }
            if let Some(k) = Some(j) { seen[k] += 100_000; }
            match 3 - j { k => seen[k] += 1_000_000 }
            let mut k = j;
            k += 1;
            seen[k % 4] += 10_000_000;
        }
        clock noticed[k in site] if seen[k] > 0: at(1.0) => { u[k] += 100; }
    }
}

#[test]
fn a_local_variable_hides_an_index() {
    let mut sim = Shadowing::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    let every = 1 + 10 + 100 + 100_000 + 1_000_000 + 10_000_000;
    assert_eq!(sim.state().seen, [every + 4000, every + 4000, every + 40_000, every + 40_000]);
    assert_eq!(sim.state().u, [100, 101, 102, 103]);
}

// Timings.

simulation! {
    model Timed {
        param period: Vec<f64> = vec![1.0, 1.5, 2.0];
        index site = 0..period.len();
        state on[k in site]: bool = k != 1;
        state load[k in site]: f64 = 1.0;
        state n[k in site]: u64 = 0;
        let half[k in site]: f64 = period[k] / 2.0;
        clock tick[k in site] if on[k]: every(period[k], from = half[k]) => { n[k] += 1; }
        clock once[k in site] if on[k]: after(10.0 + k as f64) => { n[k] += 100; }
        clock kept[k in site] if on[k]: after(3.0, resume) => { n[k] += 1000; }
        clock shared[k in site]: after(2.0, speed(1.0 / load[k])) => { n[k] += 10_000; }
        clock toggle: every(4.0) => { on[0] = !on[0]; on[1] = !on[1]; load[2] = 4.0; }
    }
}

#[test]
fn every_timing_has_families() {
    let mut sim = Timed::default().start(1).unwrap();
    let fired = events(&mut sim, 8.0);
    let of = |name: &str, k: usize| -> Vec<f64> {
        fired.iter().filter(|(_, of, index)| *of == name && index[..] == [k]).map(|(time, ..)| *time).collect()
    };
    // On until 4, on from 4 to 8, always on.
    assert_eq!(of("tick", 0), [0.5, 1.5, 2.5, 3.5]);
    assert_eq!(of("tick", 1), [5.25, 6.75]);
    assert_eq!(of("tick", 2), [1.0, 3.0, 5.0, 7.0]);
    assert_eq!((of("kept", 0), of("kept", 1), of("kept", 2)), (vec![3.0], vec![7.0], vec![3.0, 6.0]));
    assert_eq!((of("shared", 0), of("shared", 2)), (vec![2.0, 4.0, 6.0, 8.0], vec![2.0, 4.0]));
    assert_eq!(of("once", 2), []);
    let fired = events(&mut sim, 12.0);
    assert!(fired.contains(&(10.0, "kept", vec![0])) && fired.contains(&(12.0, "once", vec![2])), "{fired:?}");
    assert!(fired.contains(&(12.0, "shared", vec![2])));
}

simulation! {
    /// A token goes round, carried by whichever of four clocks comes first.
    model Token {
        param n: usize;
        index site = 0..n;
        state x[k in site]: u8 = u8::from(k == 0);
        action pass(k in site) { x[k] = 0; x[(k + 1) % n] = 1; }
        #[select(tree)]
        clock a[k in site]: rate(x[k] as f64) => pass(k);
        #[select(composition_rejection)]
        clock b[k in site]: rate(2.0 * x[k] as f64) => pass(k);
        #[select(pair_tree)]
        clock c[k in site] if x[k] == 1: after(rng.random::<f64>()) => pass(k);
        #[select(blocks)]
        clock d[k in site] if x[k] == 1: after(rng.random::<f64>()) => pass(k);
    }
}

#[test]
fn every_selection_structure_finds_the_member() {
    for n in [1, 2, 3, 17, 100, 1000] {
        let mut sim = Token { n }.start(n as u64).unwrap();
        let mut by = [0; 4];
        for i in 0..2500 {
            let (k, clock) = match sim.step().unwrap().unwrap().event {
                TokenEvent::A(k) => (k, 0),
                TokenEvent::B(k) => (k, 1),
                TokenEvent::C(k) => (k, 2),
                TokenEvent::D(k) => (k, 3),
            };
            by[clock] += 1;
            assert_eq!(k, i % n);
        }
        assert!(by.iter().all(|&count| count > 200), "{by:?}");
    }
}

// From outside.

simulation! {
    model Ring {
        param n: usize = 5;
        index site = 0..n;
        state u[k in site]: u64 = 3;
        state pick: usize = 0;
        clock hop[k in site]: rate(counted(u[k] as f64)) => { u[k] -= 1; u[(k + 1) % n] += 1; }
        clock due[k in site] if u[k] == 0: after(1.0) => { u[k] += 1; }
        clock shuffle: after(rng.random::<f64>()) => { pick = rng.random_range(site); u[pick] += 1; }
    }
}

#[test]
fn a_clone_goes_on_in_the_same_way() {
    let mut sim = Ring::default().start(1).unwrap();
    sim.run_until(5.0).unwrap();
    let mut other = sim.clone();
    let (left, right) = (events(&mut sim, 10.0), events(&mut other, 10.0));
    assert!(left.len() > 20 && left == right);
    assert_eq!(sim.state().u, other.state().u);
    let mut again = Ring::default().start(1).unwrap();
    again.run_until(3.3).unwrap();
    again.run_until(10.0).unwrap();
    assert_eq!(again.state().u, sim.state().u);
}

simulation! {
    model Updated {
        index site = 0..3;
        index row = 0..2;
        state u[k in site]: u64 = 0;
        state s[i in row][k in site]: f64 = never;
        clock on[k in site] if u[k] > 0: after(1.0) => { u[k] -= 1; }
        clock due[i in row][k in site]: at(s[i][k]) => {}
    }
}

#[test]
fn an_update_refreshes_every_member() {
    let mut sim = Updated::default().start(1).unwrap();
    assert_eq!(sim.next_time(), f64::INFINITY);
    sim.update(|state| state.u = [0, 2, 0]).unwrap();
    assert_eq!(events(&mut sim, 1.5), [(1.0, "on", vec![1])]);
    sim.update(|state| {
        state.u[0] = 1;
        state.s[[1, 2]] = 2.25;
        state.s[[0, 1]] = 9.0;
    })
    .unwrap();
    // What is enabled keeps its time.
    let expected = [(2.0, "on", vec![1]), (2.25, "due", vec![1, 2]), (2.5, "on", vec![0]), (9.0, "due", vec![0, 1])];
    assert_eq!(events(&mut sim, 10.0), expected);
    sim.update(|state| state.u = [1; 3]).unwrap();
    sim.update(|state| state.u = [0; 3]).unwrap();
    assert_eq!((sim.next_time(), events(&mut sim, 20.0)), (f64::INFINITY, vec![]));
}

#[test]
fn the_whole_model_is_one_value() {
    let model = Ring { n: 7 };
    let text = format!("{:?}", model.clone().start(1).unwrap().state());
    assert_eq!(text, "RingState { u: [3, 3, 3, 3, 3, 3, 3], pick: 0 }");
}

// Surroundings.

trait Step: Copy + Debug + AddAssign + PartialEq {
    const ONE: Self;
    fn rate(self) -> f64;
}

impl Step for f32 {
    const ONE: f32 = 1.0;
    fn rate(self) -> f64 {
        self.into()
    }
}

impl Step for u64 {
    const ONE: u64 = 1;
    fn rate(self) -> f64 {
        1.0 / self as f64
    }
}

simulation! {
    model Generic<'a, T: Step + 'a, const N: usize, const M: usize>
    where
        f64: From<f32>,
    {
        param start: &'a [T];
        index site = 0..N;
        index row = 0..M;
        index given = 0..start.len();
        state x[k in site]: T;
        state s[i in row][k in site]: T = T::ONE;
        state g[k in given]: T = start[k];
        let rate[k in site] = x[k].rate();
        clock add[k in site]: every(1.0) => { x[k] += T::ONE; s[0][(k + 1) % N] += T::ONE; }
        clock race[k in site]: rate(rate[k]) => { x[k] += T::ONE; }
        observe x[k in site]: T = x[k];
        observe sizes = N * 100 + M * 10 + start.len();
    }
}

#[test]
fn families_are_generic() {
    let start = [5, 6];
    let mut sim = Generic::<u64, 3, 2> { start: &start, x: [1 << 50, 1 << 51, 1 << 52] }.start(1).unwrap();
    sim.run_until(2.0).unwrap();
    let x: [u64; 3] = sim.state().x;
    assert_eq!((x[0] - 2, &*sim.state().s, &*sim.state().g), (1 << 50, &[3, 3, 3, 1, 1, 1][..], &[5, 6][..]));
    let observed = sim.observe().unwrap();
    assert_eq!((observed.x, observed.sizes), (x.to_vec(), 322.0));
    let mut sim = Generic::<f32, 1, 1> { start: &[], x: [0.0] }.start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.state().s[[0, 0]], sim.state().g.len()), (2.0, 0));
}

#[test]
fn a_family_may_be_defined_inside_a_function() {
    const SIZE: usize = 3;
    simulation! {
        model Local {
            index site = 0..SIZE;
            state u[k in site]: usize = k * SIZE;
            clock tick[k in site]: every(1.0) => { u[k] += SIZE; }
            observe last = u[SIZE - 1];
        }
    }
    let mut sim = Local::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!((&*sim.state().u, sim.observe().unwrap().last), (&[3, 6, 9][..], 9.0));
}

simulation! {
    #[derive(Clone, Debug, PartialEq)]
    model Derived<const N: usize> {
        param n: usize = 3;
        index site = 0..n;
        index generic = 0..N;
        state u[k in site]: u64 = 0;
        state s[k in site][l in generic]: u64 = 0;
        tally seen[k in site]: u64 = 0;
        clock tick[k in site]: every(1.0) => { u[k] += 1; s[k][0] += 1; seen[k] += 1; }
        observe u[k in site] = u[k];
    }
}

/// Can be compared, and nothing else.
#[derive(PartialEq)]
struct Only(u64);

simulation! {
    #[derive(PartialEq)]
    model Unique {
        index site = 0..3;
        index many = 0..100;
        relation near(k in site) -> site = [(k + 1) % 3];
        state u[k in site]: Only = Only(0);
        state v[k in many]: Option<Only> = None;
        state w[(i, j) in near]: Only = Only(0);
        clock act[(i, j) in near]: every(1.0) => {
            u[i].0 += 1;
            v.swap(0, 5);
            v[i as usize] = Some(std::mem::replace(&mut u[j], Only(7)));
            w[(i, j)].0 += 1;
        }
    }
}

#[test]
fn elements_need_no_more_than_the_model_derives() {
    let mut sim = Derived::<2>::default().start(1).unwrap();
    let (state, tallies) = (sim.state().clone(), sim.tallies().clone());
    sim.run_until(1.0).unwrap();
    assert!(*sim.state() != state && *sim.tallies() != tallies);
    assert_eq!(sim.observe().unwrap(), DerivedObserved { u: vec![1.0; 3] });
    let mut sim = Unique::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert!(sim.state().u == [Only(7), Only(8), Only(8)] && *sim.state().w == [Only(1), Only(1), Only(1)]);
}

mod linted {
    #![deny(warnings)]

    clockrace::simulation! {
        pub(super) model Linted<const N: usize> {
            param n: usize = 3;
            index site = 0..n;
            index generic = 0..N;
            index row = 0..2;
            relation near(k in site) -> site = [(k + 1) % n], inverse back;
            relation two(k in site, l in row) -> (site, f64) = [((k + l) % n, 1.0)], inverse from;
            state relation link(k in site) -> (site, f64) = [((k + 1) % n, 1.0)], inverse linked;
            state u[k in site]: u64 = 0;
            state s[k in site][l in generic]: u64 = 0;
            state x[(i, j) in link]: u64 = 0;
            state w[(i, j) in near]: u64 = 0;
            state home[k in site]: usize = k;
            tally seen[k in site]: u64 = 0;
            let far[k in site] = u[home[k]] + near(k).map(|j| u[j]).sum::<u64>();
            action put(k in site, unused in row) { u[k] += 1; }
            clock all[k in site]: rate(far[k] as f64 + 1.0) => {
                s[k][0] += 1;
                link.remove(k, (k + 1) % n);
                put(home[k], 1);
                seen[k] += 1;
            }
            clock pairs[(i, j) in link]: after(1.0 + x[(i, j)] as f64, redraw) => { x[(i, j)] += 1; }
            clock nothing[unused in site][l in generic]: every(1.0) => {}
            clock once[(i, j) in near] if w[(i, j)] > 0: at(3.0) => {}
            clock sums[k in site]: rate(from(k).map(|((i, l), c)| c * (i + l) as f64).sum::<f64>()) => {
                (0..2).for_each(|j| u[j] += 1);
            }
            reaction hop[k in site]: u[k] -> u[(k + 1) % n] @ 1.0;
            observe u[k in site] = u[k];
            observe x[(i, j) in link] = x[(i, j)];
            observe y[(i, j) in near]: u64 = w[(i, j)] + (back(i).len() + two(j, 0).len() + linked(i).count()) as u64;
        }
    }
}

#[test]
fn families_give_no_warnings() {
    let mut sim = linted::Linted::<2>::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.observe().unwrap().u.len(), 3);
}

/// What a block names means something else around it.
#[allow(dead_code, non_upper_case_globals, reason = "the names are those of the block")]
mod surrounded {
    const k: &str = "k";
    const i: fn() = j;
    static n: i8 = -1;
    const site: usize = 99;
    fn j() {}
    fn u(_: u8) {}
    fn near() -> ! {
        panic!("outside")
    }
    struct Row;
    fn row() {}
    enum Event {}
    mod len {}
    #[allow(unused_macros, reason = "as above")]
    macro_rules! hop {
        () => {
            compile_error!("outside")
        };
    }

    clockrace::simulation! {
        pub(super) model Named {
            param n: usize = 3;
            index site = 0..n;
            index row = 0..2;
            relation near(k in site) -> site = [(k + 1) % n];
            state u[k in site]: u64 = k as u64;
            state len[i in row][j in site]: u64 = (i + j) as u64;
            let sum[j in site] = near(j).map(|x| u[x]).sum::<u64>() + len[1][j];
            action add(k in site, i: u64) { u[k] += i; }
            clock hop[k in site]: at(1.0) => { add(k, sum[k]); }
            clock pairs[(k, j) in near]: at(2.0) => { len[0][k] += u[j]; }
            reaction move_on[i in site]: u[i] -> u[(i + 1) % n] @ after(10.0);
            observe sum[k in site]: u64 = sum[k];
        }
    }
}

#[test]
fn names_around_the_block_do_not_disturb_families() {
    let mut sim = surrounded::Named::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!(*sim.state().u, [1 + 1, 1 + 2 + 2, 2 + 2 + 3]);
    assert_eq!(*sim.state().len, [5, 8, 4, 1, 2, 3]);
}

simulation! {
    model r#Raw {
        param r#in: usize = 2;
        index r#type = 0..r#in;
        relation r#fn(r#loop in r#type) -> r#type = [(r#loop + 1) % r#in], inverse r#use;
        state r#let[r#mod in r#type]: usize = r#mod;
        state r#for[(r#if, r#else) in r#fn]: usize = 10 * r#if + r#else;
        let r#match[r#as in r#type] = r#let[(r#as + 1) % r#in];
        action r#enum(r#as in r#type) { r#let[r#as] += 1; }
        clock r#struct[r#as in r#type]: at(1.0) => { r#enum(r#as); }
        clock r#while[(r#if, r#else) in r#fn]: at(2.0) => { r#for[(r#if, r#else)] += r#match[r#if]; }
        reaction r#where[r#as in r#type]: r#let[r#as] -> r#let[(r#as + 1) % r#in] @ 0.0;
        observe r#pub[r#as in r#type] = r#use(r#as).next().unwrap_or(7) + r#let[r#as];
    }
}

#[test]
fn raw_identifiers_name_sets_indices_and_relations() {
    let mut sim = Raw::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((&*sim.state().r#let, &*sim.state().r#for), (&[1, 2][..], &[1 + 2, 10 + 1][..]));
    assert_eq!(sim.observe().unwrap().r#pub, [2.0, 2.0]);
    assert_eq!(Raw::event_name(RawEvent::Struct(0)), "struct");
    assert_eq!(refreshed::<Raw>("where"), ["where[as] where[(as + 1) % type]"]);
}

simulation! {
    model Configured {
        /// A set.
        #[cfg(all())]
        index site = 0..3;
        #[cfg(any())]
        index site = 0..5;
        #[cfg(any())]
        relation near(k in site) -> site = [k];
        /// A ring.
        #[cfg(all())]
        relation near(k in site) -> site = [(k + 1) % 3];
        #[cfg(any())]
        state u[k in site]: u64 = 7;
        /// What there is.
        #[cfg(all())]
        state u[k in site]: u64 = near(k).map(|j| j as u64).sum();
        #[cfg(any())]
        state relation link(k in nowhere) -> site = [k];
        #[cfg(all())]
        clock tick[k in site]: every(1.0) => { u[k] += 1; #[cfg(any())] { u[7] = 1; } }
        #[cfg(any())]
        clock tick[k in site]: every(0.1) => {}
        #[cfg(any())]
        reaction tock[k in site]: u[k] -> u[k + 1] @ 1.0;
        #[cfg(all())]
        observe u[k in site] = u[k];
    }
}

#[test]
fn families_are_configured() {
    let mut sim = Configured::default().start(1).unwrap();
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.observe().unwrap().u, [2.0, 3.0, 1.0]);
}

/// A model whose sets, indices and relations come from a user's macro.
macro_rules! made {
    ($name:ident, $set:ident, $k:ident, $j:ident, $near:ident, $u:ident, $size:expr, $step:expr) => {
        simulation! {
            model $name {
                param n: usize = $size;
                index $set = 0..$size;
                relation $near($k in $set) -> $set = [($k + $step) % ($size)];
                state $u[$k in $set]: u64 = $k as u64;
                let next[$k in $set] = $u[($k + $step) % ($size)] + $u[($k + $step) % $set.len()];
                clock tick[$k in $set]: rate(next[$k] as f64 + $near($k).map(|$j| $u[$j]).sum::<u64>() as f64) => {
                    $u[$k] += 1;
                }
                clock other[$k in $set] if $u[($k + $step) % ($size)] > 0: after(0.1) => {
                    $u[($k + $step) % ($size)] -= 1;
                }
                clock pairs[($k, $j) in $near] if $u[$j] > 5: after(1.0) => { $u[$j] = 0; }
            }
        }
    };
}

made!(Made, set, k, j, near, u, 2 + 3, 1);

#[test]
fn families_may_come_from_a_macro() {
    let mut sim = Made::default().start(1).unwrap();
    assert_eq!(*sim.state().u, [0, 1, 2, 3, 4]);
    for _ in 0..300 {
        assert_nothing_is_stale(&sim);
        sim.step().unwrap();
    }
    assert_eq!(
        who_refreshes_whom::<Made>("tick"),
        "tick: tick[k] tick[(k - 1) % set] tick[near⁻¹(k)], other[(k - 1) % set], pairs[(near⁻¹(k), k)]\n"
    );
}

// Who is refreshed.

const AHEAD: usize = 2;

simulation! {
    /// A clock for each way to write, and one for each way to read.
    model Forms {
        param n: usize;
        param c: usize = 2;
        param order: Vec<usize>;
        index site = 0..n;
        index pair = 0..2;
        state u[k in site]: f64 = 1.0;
        state pick: usize = 0;
        state home[k in site]: usize = k;
        let next[k in site] = u[(k + 1) % n];
        let second[k in site] = next[(k + 1) % n];
        let chosen[k in site] = u[order[k]];

        clock w_plain[k in site]: at(1.0) => { u[k] = 1.0; }
        clock w_next[k in site]: at(1.0) => { u[k + 1] = 1.0; }
        clock w_both[k in site]: at(1.0) => { u[k] += 1.0; let j = (k + 1) % site.len(); u[j] -= 1.0; }
        clock w_fixed: at(1.0) => { u[3] = 1.0; }
        clock w_last: at(1.0) => { u[n - 1] = 1.0; }
        clock w_any: at(1.0) => { u[pick] = 1.0; }
        clock w_each: at(1.0) => { for k in site { u[k] = 1.0; } }
        clock w_all: at(1.0) => { u.fill(1.0); }
        clock w_home[k in site]: at(1.0) => { home[k] = 0; }

        clock plain[k in site]: rate(u[k]) => {}
        clock ahead[k in site]: rate(u[k + 1] + u[k + AHEAD]) => {}
        clock behind[k in site]: rate(u[k - 1] + u[k - c]) => {}
        clock around[k in site]: rate(u[(k + 1) % n] + u[(n + k - 1) % n] + u[(k + c) % n]) => {}
        clock other[k in site][l in pair]: rate(u[k] + u[l as usize]) => {}
        clock fixed[k in site]: rate(u[0]) => {}
        clock one: rate(u[0]) => {}
        clock defined[k in site]: rate(next[k] + second[k]) => {}
        clock tracked[k in site]: rate(u[home[k]]) => {}
        clock looked_up[k in site]: rate(u[order[k]]) => {}
        clock seen[k in site]: rate(chosen[k]) => {}
        clock every[k in site]: rate(u.iter().sum::<f64>()) => {}
        clock looped[k in site]: rate(site.map(|j| u[j]).sum::<f64>()) => {}
        clock sized[k in site]: rate(u.len() as f64) => {}
        clock kept[k in site]: after(u[k]) => {}
        clock drawn[k in site]: after(u[k], redraw) => {}
        clock guarded[k in site] if k + 1 < n && u[k + 1] > 0.0: after(1.0) => {}
    }
}

const REFRESHED: &str = "\
w_plain: plain[k], ahead[k - 1] ahead[k - AHEAD], behind[k + 1] behind[k + c], around[(k - 1) % site] \
around[(k + 1) % site] around[(k - c) % site], other[k][*] other[*][k], fixed[*], one, defined[(k - 1) % site] \
defined[(k - 2) % site], tracked[tracked u], looked_up[tracked u], seen[tracked u], every[*], looped[*], drawn[k], \
guarded[k - 1]
w_next: plain[k + 1], ahead[k] ahead[k - AHEAD + 1], behind[k + 2] behind[k + c + 1], around[k] around[(k + 2) % site] \
around[(k - c + 1) % site], other[k + 1][*] other[*][k + 1], fixed[*], one, defined[k] defined[(k - 1) % site], \
tracked[tracked u], looked_up[tracked u], seen[tracked u], every[*], looped[*], drawn[k + 1], guarded[k]
w_both: plain[k] plain[(k + 1) % site], ahead[k - 1] ahead[(k + 1) % site - 1] ahead[k - AHEAD] \
ahead[(k + 1) % site - AHEAD], behind[k + 1] behind[(k + 1) % site + 1] behind[k + c] behind[(k + 1) % site + c], \
around[(k - 1) % site] around[k] around[(k + 1) % site] around[(k + 2) % site] around[(k - c) % site] \
around[(k - c + 1) % site], other[k][*] other[(k + 1) % site][*] other[*][k] other[*][(k + 1) % site], fixed[*], one, \
defined[(k - 1) % site] defined[k] defined[(k - 2) % site], tracked[tracked u], looked_up[tracked u], seen[tracked u], \
every[*], looped[*], drawn[k] drawn[(k + 1) % site], guarded[k - 1] guarded[(k + 1) % site - 1]
w_fixed: plain[3], ahead[2] ahead[-AHEAD + 3], behind[4] behind[c + 3], around[2 % site] around[4 % site] \
around[(-c + 3) % site], other[3][*] other[*][3], fixed[*], one, defined[2 % site] defined[1 % site], \
tracked[tracked u], looked_up[tracked u], seen[tracked u], every[*], looped[*], drawn[3], guarded[2]
w_last: plain[site.len() - 1], ahead[site.len() - 2] ahead[-AHEAD + site.len() - 1], behind[site.len()] \
behind[c + site.len() - 1], around[(site.len() - 2) % site] around[site.len() % site] \
around[(-c + site.len() - 1) % site], other[site.len() - 1][*] other[*][site.len() - 1], fixed[*], one, \
defined[(site.len() - 2) % site] defined[(site.len() - 3) % site], tracked[tracked u], looked_up[tracked u], \
seen[tracked u], every[*], looped[*], drawn[site.len() - 1], guarded[site.len() - 2]
w_any: plain[?u], ahead[?u - 1] ahead[?u - AHEAD], behind[?u + 1] behind[?u + c], around[(?u - 1) % site] \
around[(?u + 1) % site] around[(?u - c) % site], other[?u][*] other[*][?u], fixed[*], one, defined[(?u - 1) % site] \
defined[(?u - 2) % site], tracked[tracked u], looked_up[tracked u], seen[tracked u], every[*], looped[*], drawn[?u], \
guarded[?u - 1]
w_each: plain[?u], ahead[?u - 1] ahead[?u - AHEAD], behind[?u + 1] behind[?u + c], around[(?u - 1) % site] \
around[(?u + 1) % site] around[(?u - c) % site], other[?u][*] other[*][?u], fixed[*], one, defined[(?u - 1) % site] \
defined[(?u - 2) % site], tracked[tracked u], looked_up[tracked u], seen[tracked u], every[*], looped[*], drawn[?u], \
guarded[?u - 1]
w_all: plain[*], ahead[*], behind[*], around[*], other[*][*], fixed[*], one, defined[*], tracked[*], looked_up[*], \
seen[*], every[*], looped[*], drawn[*], guarded[*]
w_home: tracked[k]
";

/// For each clock that starts with `prefix` whom it refreshes, clocks apart by commas.
pub(crate) fn who_refreshes_whom<M: Model>(prefix: &str) -> String {
    let clocks = M::graph().clocks.iter().filter(|clock| clock.name.starts_with(prefix));
    clocks.map(|clock| format!("{}: {}\n", clock.name, clock.members.join(", "))).collect()
}

#[test]
fn the_graph_says_which_members_are_refreshed() {
    assert_eq!(who_refreshes_whom::<Forms>("w_"), REFRESHED);
    let graph = Forms::graph();
    for clock in graph.clocks.iter().filter(|clock| !clock.name.starts_with("w_")) {
        let index = ["[k]", "[k][l]", ""].into_iter().find(|i| clock.members == [format!("{}{i}", clock.name)]);
        assert!(index.is_some(), "{} refreshes {:?}", clock.name, clock.members);
    }
}

#[test]
fn the_graph_says_what_is_a_family() {
    let text = Product::graph().to_string();
    for line in [
        "  state s[i in row][j in column]: i32\n",
        "  input square[i in row][j in row]: usize\n",
        "  tally seen[i in row][j in column]: u32\n",
        "  clock shift[i in row][j in column]: every\n",
        "    refreshes shift[i][j]\n",
        "  observe s: reads s\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

const DOT: &str = r#"digraph Product {
  rankdir=LR;
  p1 [shape=box, label="s[i in row][j in column]"];
  p2 [shape=box, label="t[i in row][j in column][l in layer]"];
  p3 [shape=box, label="square[i in row][j in row]"];
  p4 [shape=box, label="seen[i in row][j in column]"];
  c0 [shape=ellipse, label="shift[i in row][j in column]\nevery"];
  c0 -> p1;
  c0 -> p4;
  c1 [shape=ellipse, label="swap\nat"];
  c1 -> p2;
  c1 -> p3;
}
"#;

#[test]
fn the_graph_draws_a_family_as_one() {
    assert_eq!(Product::graph().dot(), DOT);
    let mermaid = Product::graph().mermaid();
    assert!(mermaid.contains("  c0([\"shift[i in row][j in column] · every\"])\n  c0 --> p1\n"), "{mermaid}");
}

simulation! {
    model Lattice {
        param rows: usize;
        param columns: usize;
        param picks: bool = true;
        index row = 0..rows;
        index column = 0..columns;
        state s[i in row][j in column]: i8 = 1;
        state picked: (usize, usize) = (0, 0);
        let up[i in row][j in column] = s[(i + 1) % rows][j];
        let field[i in row][j in column] =
            up[i][j] + s[(i - 1) % rows][j] + s[i][(j + 1) % columns] + s[i][(j - 1) % columns];
        clock flip[i in row][j in column]: rate(counted(if s[i][j] * field[i][j] > 9 { 0.0 } else { 1.0 })) => {
            s[i][j] = -s[i][j];
        }
        clock edge[j in column]: rate(0.0 * f64::from(counted(s[0][j])).abs()) => {}
        clock scan[i in row] if counted(s[i][0] == 9): after(1.0) => {}
        clock pick if picks: rate(1.0) => {
            picked = (rng.random_range(row), rng.random_range(column));
            s[picked.0][picked.1] = -s[picked.0][picked.1];
        }
    }
}

/// If every clock that has to be refreshed was, to refresh all of them changes nothing.
#[track_caller]
pub(crate) fn assert_nothing_is_stale<M: Model>(sim: &Simulation<M>)
where
    Simulation<M>: Clone,
{
    let (mut left, mut right) = (sim.clone(), sim.clone());
    left.update(|_| ()).unwrap();
    assert_eq!(left.next_time().to_bits(), right.next_time().to_bits());
    assert_eq!(left.step().unwrap(), right.step().unwrap());
}

/// Runs `events` events and compares how often something was evaluated with what `expected` says from the event, and
/// the states before and after it.
pub(crate) fn assert_evaluations<M: Model>(
    mut sim: Simulation<M>,
    events: usize,
    expected: impl Fn(M::Event, &M::State, &M::State) -> usize,
) where
    M::State: Clone,
    Simulation<M>: Clone,
{
    for _ in 0..events {
        assert_nothing_is_stale(&sim);
        evaluations();
        let before = sim.state().clone();
        let event = sim.step().unwrap().expect("an event").event;
        assert_eq!(evaluations(), expected(event, &before, &sim.state()), "{event:?}");
    }
}

fn distinct<T: Ord>(members: impl IntoIterator<Item = T>) -> usize {
    members.into_iter().collect::<std::collections::BTreeSet<T>>().len()
}

#[test]
fn on_a_ring_each_dependent_is_refreshed_once() {
    for n in [1, 2, 3, 5, 50] {
        evaluations();
        let sim = Ring { n }.start(n as u64).unwrap();
        assert_eq!(evaluations(), n);
        assert_evaluations(sim, 200, |event, _, after| match event {
            RingEvent::Hop(k) => distinct([k, (k + 1) % n]),
            RingEvent::Due(_) => 1,
            RingEvent::Shuffle => {
                assert!(after.pick < n);
                1
            }
        });
    }
}

#[test]
fn on_a_lattice_each_dependent_is_refreshed_once() {
    for (rows, columns) in [(1, 1), (1, 4), (2, 2), (3, 2), (4, 5), (20, 10)] {
        evaluations();
        let sim = Lattice { rows, columns, picks: true }.start(1).unwrap();
        assert_eq!(evaluations(), rows * columns + rows + columns);
        assert_evaluations(sim, 200, |event, _, after| {
            let (i, j) = if let LatticeEvent::Flip(i, j) = event { (i, j) } else { after.picked };
            let (up, down) = ((i + 1) % rows, (i + rows - 1) % rows);
            let (right, left) = ((j + 1) % columns, (j + columns - 1) % columns);
            distinct([(i, j), (up, j), (down, j), (i, right), (i, left)]) + usize::from(i == 0) + usize::from(j == 0)
        });
    }
}

simulation! {
    model Diffusion<const N: usize> {
        param a: f64 = 1.0;
        index site = 0..N;
        state u[k in site]: u64 = 5;
        let gradient[k in site] = u[k] as f64 - u[k + 1] as f64;
        clock right[k in site] if k + 1 < N: rate(counted(a * gradient[k].max(0.0) + u[k] as f64)) => {
            u[k] -= 1;
            u[k + 1] += 1;
        }
        clock left[k in site] if k > 0: rate(counted(u[k] as f64)) => { u[k] -= 1; u[k - 1] += 1; }
        clock source: rate(1.0) => { u[0] += 1; }
        clock sink if u[N - 1] > 0: after(counted(1.0)) => { u[N - 1] -= 1; }
        clock total[k in site] if k < 2: after(counted(u.iter().sum::<u64>() as f64), redraw) => {}
    }
}

#[test]
fn in_diffusion_each_dependent_is_refreshed_once() {
    const N: usize = 6;
    let sim = Diffusion::<N>::default().start(1).unwrap();
    assert_evaluations(sim, 500, |event, before, after| {
        let written: Vec<usize> = match event {
            DiffusionEvent::Right(k) => vec![k, k + 1],
            DiffusionEvent::Left(k) => vec![k - 1, k],
            DiffusionEvent::Source => vec![0],
            DiffusionEvent::Sink => vec![N - 1],
            DiffusionEvent::Total(_) => return 1,
        };
        let mut right: Vec<usize> = written.iter().flat_map(|&k| [Some(k), k.checked_sub(1)]).flatten().collect();
        right.retain(|&k| k + 1 < N);
        let left = written.iter().filter(|&&k| k > 0).count();
        // A delay that is kept is drawn when its clock is enabled, or has rung.
        let drawn = after.u[N - 1] > 0 && (event == DiffusionEvent::Sink || before.u[N - 1] == 0);
        distinct(right) + left + usize::from(drawn) + 2
    });
}

simulation! {
    model Visits {
        param n: usize;
        index site = 0..n;
        index person = 0..20;
        state home[p in person]: usize = p % n;
        state load[k in site]: u64 = 1;
        state old: usize = 0;
        clock visit[p in person]: rate(counted((load[home[p]] + load[home[p]]) as f64)) => {
            old = home[p];
            load[old] += 1;
            home[p] = rng.random_range(site);
            load[home[p]] += 1;
            load[home[p]] += 1;
        }
        clock crowd[k in site] if load[k] > 0: rate(counted((0..20).filter(|&p| home[p] == k).count() as f64)) => {
            load[0] += 1;
        }
        clock first: rate(counted(load[home[0]] as f64)) => {}
    }
}

#[test]
fn what_is_read_at_run_time_indices_is_refreshed_once() {
    for n in [1, 2, 7] {
        evaluations();
        let sim = Visits { n }.start(1).unwrap();
        assert_eq!(evaluations(), 20 + n + 1);
        assert_evaluations(sim, 300, |event, _, after| {
            let (mut written, mut itself) = (vec![0], None);
            if let VisitsEvent::Visit(p) = event {
                written = vec![after.old, after.home[p]];
                itself = Some(p);
            }
            let reads = |p: usize| written.contains(&after.home[p]) || itself == Some(p);
            match event {
                // A rate of which nothing was written stays what it is.
                VisitsEvent::First => 0,
                // Who looks at every person's home is refreshed when one of them moves.
                VisitsEvent::Visit(_) => (0..20).filter(|&p| reads(p)).count() + n + usize::from(reads(0)),
                VisitsEvent::Crowd(_) => (0..20).filter(|&p| reads(p)).count() + 1 + usize::from(reads(0)),
            }
        });
    }
}

simulation! {
    model Several {
        param n: usize;
        index site = 0..n;
        state u[k in site]: u64 = 1;
        state v[k in site]: u64 = 1;
        action both(k in site, by: u64) { u[k] += by; v[(k + 1) % n] += by; }
        clock sum[k in site] if counted(u[k] + v[k] > 0): rate(counted((u[k] + v[k] + u[(k + 1) % n]) as f64)) => {}
        clock shared[k in site]: after(1.0) => { both(k, 1); both((k - 1) % n, 1); }
        clock at_run_time: after(0.3) => {
            let k = rng.random_range(site);
            both(k, 1);
            both(k, 1);
            u[k] += 1;
        }
        clock same: after(0.7) => { for k in site { for _ in 0..3 { u[k] += 1; } } }
    }
}

#[test]
fn what_is_written_twice_is_refreshed_once() {
    let n = 10;
    let sim = Several { n }.start(1).unwrap();
    assert_evaluations(sim, 300, |event, before, after| match event {
        SeveralEvent::Sum(_) => 0,
        // It writes u[k], u[k - 1], v[k + 1] and v[k].
        SeveralEvent::Shared(_) => 2 * 4,
        SeveralEvent::AtRunTime => {
            let k = (0..n).find(|&k| before.u[k] != after.u[k]).unwrap();
            2 * distinct([k, (k + n - 1) % n, (k + 1) % n])
        }
        SeveralEvent::Same => 2 * n,
    });
}

/// A model whose single clocks are too many for straight-line code, beside families.
macro_rules! crowded {
    ($($name:ident $number:literal,)*) => {
        simulation! {
            model Crowded {
                index site = 0..68;
                state u[k in site]: u64 = (k % 3) as u64;
                state pick: usize = 0;
                $(clock $name: rate(counted(u[$number] as f64)) => { u[$number] -= 1; u[(7 * $number) % 68] += 1; })*
                clock hop[k in site] if u[k] > 1: after(1.0) => { u[k] -= 1; u[(k + 1) % 68] += 1; }
                clock race[k in site]: rate(counted(u[k] as f64)) => { pick = rng.random_range(site); u[pick] = 2; }
                clock total[k in site] if k == 0: every(if u.iter().sum::<u64>() > 10 { 1.0 } else { 0.5 }) => {}
            }
        }
    };
}

crowded! {
    c0 0, c1 1, c2 2, c3 3, c4 4, c5 5, c6 6, c7 7, c8 8, c9 9, c10 10, c11 11, c12 12, c13 13, c14 14, c15 15,
    c16 16, c17 17, c18 18, c19 19, c20 20, c21 21, c22 22, c23 23, c24 24, c25 25, c26 26, c27 27, c28 28, c29
    29, c30 30, c31 31, c32 32, c33 33, c34 34, c35 35, c36 36, c37 37, c38 38, c39 39, c40 40, c41 41, c42 42,
    c43 43, c44 44, c45 45, c46 46, c47 47, c48 48, c49 49, c50 50, c51 51, c52 52, c53 53, c54 54, c55 55, c56
    56, c57 57, c58 58, c59 59, c60 60, c61 61, c62 62, c63 63, c64 64, c65 65, c66 66, c67 67,
}

#[test]
fn families_stand_beside_many_single_clocks() {
    let mut sim = Crowded::default().start(1).unwrap();
    for _ in 0..300 {
        assert_nothing_is_stale(&sim);
        evaluations();
        sim.step().unwrap().unwrap();
        // An element has one single clock and one of the family, and an event writes two at most.
        assert!([0, 2, 4].contains(&evaluations()));
    }
}
