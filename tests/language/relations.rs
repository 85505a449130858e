//! Relations between index sets: rows, inverses, families over pairs, and relations that change.

use std::collections::BTreeSet;

use clockrace::{ChangingRelation, Model, Simulation, simulation};

use crate::families::{assert_evaluations, assert_nothing_is_stale, counted, evaluations, events, who_refreshes_whom};

simulation! {
    model Rows {
        param near: Vec<Vec<usize>>;
        param weighted: Vec<Vec<(usize, f64)>>;
        index site = 0..near.len();
        index other = 0..3;
        relation listed(k in site) -> site = near[k].iter(), inverse listing;
        relation copied(k in site) -> site = near[k].iter().copied().filter(|&j| j != k);
        relation ring(k in site) -> site = [(k + 1) % near.len(), (k + near.len() - 1) % near.len()];
        relation line(k in site) -> site = (k + 1 < near.len()).then_some(k + 1);
        relation across(k in site) -> other = (0..3).filter(move |l| (k + l) % 2 == 0), inverse back;
        relation matrix(k in site) -> (site, f64) = weighted[k].iter().copied(), inverse column;
        relation labelled(k in other) -> (other, char) = [(k, 'a'), ((k + 1) % 3, 'b')];
        relation corner(k in site, l in other) -> site = [k].into_iter().filter(move |_| l != 1), inverse corners;
        relation two(k in site, l in other) -> (other, usize) = [(l, 10 * k + l)], inverse twos;
        relation narrow(k in other) -> other = [2, 0, 1].into_iter().skip(k);
        relation nobody(k in site) -> other = None::<usize>;

        observe listed[k in site]: Vec<usize> = listed(k).collect();
        observe listing[k in site]: Vec<usize> = listing(k).collect();
        observe copied[k in site]: Vec<usize> = copied(k).collect();
        observe ring[k in site]: Vec<usize> = ring(k).collect();
        observe line[k in site]: Option<usize> = line(k).next();
        observe across[k in site]: Vec<usize> = across(k).collect();
        observe back[l in other]: Vec<usize> = back(l).rev().collect();
        observe matrix[k in site]: Vec<(usize, f64)> = matrix(k).collect();
        observe column[k in site]: Vec<(usize, f64)> = column(k).collect();
        observe sums[k in site] = matrix(k).map(|(j, a)| a * j as f64).sum::<f64>();
        observe labelled[k in other]: String = labelled(k).map(|(_, label)| label).collect();
        observe corner[k in site][l in other]: Vec<usize> = corner(k, l).collect();
        observe corners[k in site]: Vec<(usize, usize)> = corners(k).collect();
        observe two[k in site][l in other]: Vec<(usize, usize)> = two(k, l).collect();
        observe twos[l in other]: Vec<((usize, usize), usize)> = twos(l).collect();
        observe narrow[l in other]: Vec<usize> = narrow(l).collect();
        observe nobody[k in site] = nobody(k).len();

        observe degrees[k in site]: usize = listed.degree(k) + 10 * listed(k).len() + 100 * corner.degree(k, 1);
        observe contains[k in site]: (bool, bool) = (listed.contains(k, 0), corner.contains(k, 2, (k + 1) % site.len()));
        observe lens: (usize, usize, usize, bool) = (listed.len(), corner.len(), nobody.len(), nobody.is_empty());
        observe values[k in site]: Option<f64> = matrix.value(k, 1);
    }
}

#[test]
fn a_relation_gives_the_members_of_a_row_and_of_its_inverse() {
    let near = vec![vec![1, 2], vec![], vec![2, 0, 2]];
    let weighted = vec![vec![(1, 0.5), (2, 1.5)], vec![(0, 2.5)], vec![]];
    let observed = Rows { near, weighted }.start(1).unwrap().observe().unwrap();
    assert_eq!(observed.listed, [vec![1, 2], vec![], vec![2, 0, 2]]);
    assert_eq!(observed.listing, [vec![2], vec![0], vec![0, 2, 2]]);
    assert_eq!(observed.copied, [vec![1, 2], vec![], vec![0]]);
    assert_eq!(observed.ring, [[1, 2], [2, 0], [0, 1]]);
    assert_eq!(observed.line, [Some(1), Some(2), None]);
    assert_eq!(observed.across, [vec![0, 2], vec![1], vec![0, 2]]);
    assert_eq!(observed.back, [vec![2, 0], vec![1], vec![2, 0]]);
    assert_eq!(observed.matrix, [vec![(1, 0.5), (2, 1.5)], vec![(0, 2.5)], vec![]]);
    assert_eq!(observed.column, [vec![(1, 2.5)], vec![(0, 0.5)], vec![(0, 1.5)]]);
    assert_eq!((observed.sums, observed.labelled), (vec![3.5, 0.0, 0.0], vec!["ab".to_owned(); 3]));
    assert_eq!(observed.corner, [vec![0], vec![], vec![0], vec![1], vec![], vec![1], vec![2], vec![], vec![2]]);
    assert_eq!(observed.corners, [[(0, 0), (0, 2)], [(1, 0), (1, 2)], [(2, 0), (2, 2)]]);
    assert_eq!(observed.two[5], [(2, 12)]);
    assert_eq!(observed.twos[1], [((0, 1), 1), ((1, 1), 11), ((2, 1), 21)]);
    assert_eq!((observed.narrow, observed.nobody), (vec![vec![2, 0, 1], vec![0, 1], vec![1]], vec![0.0; 3]));
    assert_eq!(observed.degrees, [22, 0, 33]);
    assert_eq!(observed.contains, [(false, false), (false, false), (true, false)]);
    assert_eq!(observed.lens, (5, 6, 0, true));
    assert_eq!(observed.values, [Some(0.5), None, None]);
}

simulation! {
    model Pairs {
        param near: Vec<Vec<(usize, u64)>>;
        index site = 0..near.len();
        index side = 0..2;
        relation link(i in site) -> (site, u64) = near[i].iter().copied(), inverse linked;
        relation face(i in site, s in side) -> site = (s == 1).then_some(i);
        state x[i in site]: u64 = 1;
        state w[(i, j) in link]: u64 = 10 * i as u64 + j as u64;
        state given[(i, s, j) in face]: i32;
        tally seen[(i, j) in link]: u64 = 1;
        let both[(i, j) in link] = w[(i, j)] + x[i] + x[j];
        let weight[(i, j) in link]: u64 = link.value(i, j).unwrap_or(0) * 2;
        let out[i in site] = link(i).map(|(j, a)| a * w[(i, j)]).sum::<u64>();
        let into[i in site] = linked(i).map(|(j, a)| a * w[(j, i)]).sum::<u64>();

        clock once[(i, j) in link] if i != j: at(1.0) => {
            w[(i, j)] += 100;
            seen[(i, j)] += 1;
            x[j] += weight[(i, j)];
        }
        clock back[(i, j) in link] if link.contains(j, i): at(2.0) => { w[(j, i)] += 1000; }
        clock faces[(i, s, j) in face]: at(3.0) => { given[(i, s, j)] += 1; given[(j, 1, i)] *= 2; x[i] += s as u64; }
        reaction pass[(i, j) in link]: x[i] -> x[j] + w[(i, j)] @ after(100.0);

        observe w[(i, j) in link]: (usize, usize, u64) = (i, j, w[(i, j)]);
        observe both[(i, j) in link]: u64 = both[(i, j)];
        observe out[i in site]: u64 = out[i];
        observe into[i in site]: u64 = into[i];
        observe numbers[(i, j) in link] = i + j;
    }
}

fn pairs() -> Simulation<Pairs> {
    let near = vec![vec![(1, 1), (2, 2)], vec![(1, 3)], vec![(0, 4)]];
    Pairs { near, given: vec![1, 2, 3] }.start(1).unwrap()
}

#[test]
fn everything_may_be_over_the_pairs_of_a_relation() {
    let mut sim = pairs();
    sim.run_until(1.0).unwrap();
    // The pairs come by row, and within a row as they were given.
    assert_eq!((&*sim.state().w, &*sim.state().x), (&[101, 102, 11, 120][..], &[9, 3, 5][..]));
    assert_eq!(*sim.tallies().seen, [2, 2, 1, 2]);
    let observed = sim.observe().unwrap();
    assert_eq!(observed.w, [(0, 1, 101), (0, 2, 102), (1, 1, 11), (2, 0, 120)]);
    assert_eq!(observed.both, [101 + 9 + 3, 102 + 9 + 5, 11 + 3 + 3, 120 + 5 + 9]);
    assert_eq!((observed.out, observed.into), (vec![101 + 204, 33, 480], vec![480, 101 + 33, 204]));
    sim.run_until(2.0).unwrap();
    assert_eq!(*sim.state().w, [101, 1102, 1011, 1120]);
    sim.run_until(3.0).unwrap();
    assert_eq!((&*sim.state().given, &*sim.state().x), (&[4, 6, 8][..], &[10, 4, 6][..]));
    let fired = events(&mut sim, 100.0);
    let indices: Vec<_> = fired.iter().map(|(_, name, index)| (*name, index[0], index[1])).collect();
    assert_eq!(indices, [("pass", 0, 1), ("pass", 0, 2), ("pass", 1, 1), ("pass", 2, 0)]);
    assert_eq!((&*sim.state().w, &*sim.state().x), (&[102, 1103, 1012, 1121][..], &[9, 5, 6][..]));
    let view = sim.view();
    assert_eq!(view.output_names()[..4], ["both[0][1]", "both[0][2]", "both[1][1]", "both[2][0]"]);
    assert_eq!((view.output_count(), view.output("numbers[0][2]").unwrap()), (4 + 3 + 3 + 4, Some(2.0)));
}

#[test]
fn events_of_pairs_carry_the_indices() {
    let mut sim = pairs();
    let fired: Vec<PairsEvent> = sim.events().take(8).map(|fired| fired.unwrap().event).collect();
    use PairsEvent::{Back, Faces, Once};
    let expected =
        [Once(0, 1), Once(0, 2), Once(2, 0), Back(0, 2), Back(1, 1), Back(2, 0), Faces(0, 1, 0), Faces(1, 1, 1)];
    assert_eq!(fired, expected);
    assert_eq!((Pairs::event_name(fired[6]), Pairs::event_index(fired[7])), ("faces", vec![1, 1, 1]));
}

simulation! {
    model Double<const N: usize> {
        index site = 0..N;
        relation near(k in site) -> site = [(k + 1) % N, (k + N - 1) % N], inverse back;
        state x[k in site]: u64 = 0;
        state w[(i, j) in near]: u64 = 0;
        clock act[(i, j) in near]: at(1.0) => { x[j] += 1; w[(i, j)] += 1; }
        clock seen[(i, j) in near] if w[(i, j)] > 0: at(2.0) => { x[i] += 100; }
        clock heard[k in site]: rate(counted(0.0 * near(k).map(|j| x[j]).sum::<u64>() as f64)) => {}
        observe degree[k in site] = near.degree(k) * 10 + back(k).len();
    }
}

#[test]
fn a_member_may_stand_in_a_row_twice() {
    // Both neighbours on a ring of two are the same.
    let mut sim = Double::<2>::default().start(1).unwrap();
    assert_eq!(sim.observe().unwrap().degree, [22.0; 2]);
    evaluations();
    assert_eq!(events(&mut sim, 1.0).len(), 4);
    assert_eq!((sim.state().x, &*sim.state().w), ([2, 2], &[1; 4][..]));
    // An event writes one of the two, which the other one reads twice.
    assert_eq!(evaluations(), 4);
    sim.run_until(2.0).unwrap();
    assert_eq!(sim.state().x, [202, 202]);
    let mut sim = Double::<1>::default().start(1).unwrap();
    sim.run_until(2.0).unwrap();
    assert_eq!((sim.state().x, &*sim.state().w), ([202], &[1, 1][..]));
}

simulation! {
    /// Relations, definitions and states at the start, each of those before.
    model AtTheStart {
        param n: usize = 4;
        param w: Vec<f64> = vec![1.0, 2.0, 3.0, 4.0];
        index site = 0..n;
        relation near(k in site) -> site = k + 1..n;
        relation far(k in site) -> site = near(k).flat_map(|j| near(j)).filter(|&j| heavy[j] > 3.0);
        let heavy[k in site]: f64 = w[k] * 1.5;
        let degree[k in site]: usize = near.degree(k);
        let total = near.len();
        let pairs: usize = near.len() + far.len();
        let sums[k in site]: f64 = near(k).map(|j| heavy[j]).sum();
        state degrees[k in site]: usize = degree[k] + near(k).count();
        state first: usize = near(0).next().unwrap_or(9) + total + pairs;
        tally seen[k in site]: usize = near.degree(k) + degree[k] + total;
        clock tick: every(1.0) => { first += total; seen[0] += 1; }
        stop all if degrees.iter().all(|&d| d > 100) && first > 3;
        invariant some: site.all(|k| degrees[k] < 10) && near(0).all(|j| degrees[j] < 10);
        observe x[k in site] = now + degree[k] as f64 + sums[k];
    }
}

#[test]
fn relations_are_there_before_what_is_made_of_them() {
    let mut sim = AtTheStart::default().start(1).unwrap();
    assert_eq!((&*sim.state().degrees, sim.state().first), (&[6, 4, 2, 0][..], 1 + 6 + 6 + 4));
    assert_eq!(*sim.tallies().seen, [12, 10, 8, 6]);
    sim.check_invariants(true);
    sim.run_until(1.0).unwrap();
    assert_eq!((sim.observe().unwrap().x[0], sim.tallies().seen[0]), (1.0 + 3.0 + 13.5, 13));
    sim.reset_tallies().unwrap();
    assert_eq!(*sim.tallies().seen, [12, 10, 8, 6]);
}

// Changing relations.

simulation! {
    model Changing {
        param n: usize = 4;
        index site = 0..n;
        state start: u64 = 2;
        state relation link(i in site) -> site = (i < 2).then_some(i + 1), inverse linked;
        state w[(i, j) in link]: u64 = start + 10 * i as u64 + j as u64;
        state name[(i, j) in link]: String = format!("{i}{j}");
        state log: Vec<bool> = Vec::new();
        state rung: Vec<(usize, usize)> = Vec::new();
        state fast: bool = false;
        let degree[i in site] = link.degree(i) + linked(i).len();
        let row[i in site] = link(i).map(|j| format!("{}:{} ", name[(i, j)], w[(i, j)])).collect::<String>();

        clock ring[(i, j) in link]: after(2.0) => { rung.push((i, j)); w[(i, j)] += 1000; }
        clock busy[i in site] if degree[i] > 1: every(1.0, from = 0.5) => { rung.push((i, 100)); }
        clock pair[(i, j) in link] if link.contains(j, i): after(0.25) => { rung.push((j, i)); }
        clock change: at(1.0) => {
            log.push(link.insert(0, 3));
            log.push(link.insert(0, 3));
            log.push(link.insert(0, 1));
            log.push(link.remove(1, 2));
            log.push(link.remove(1, 2));
            start = 5;
            log.push(link.insert(3, 0));
        }
        clock clear: at(6.0) => {
            for i in site {
                let all: Vec<usize> = link(i).collect();
                for j in all { link.remove(i, j); }
            }
        }
        observe pairs[(i, j) in link]: (usize, usize, u64) = (i, j, w[(i, j)]);
        observe names: String = site.map(|i| row[i].clone()).collect();
        observe rows[i in site]: (Vec<usize>, Vec<usize>) = (link(i).collect(), linked(i).collect());
        observe len = link.len();
    }
}

#[test]
fn pairs_come_and_go() {
    let mut sim = Changing::default().start(1).unwrap();
    let relation: &ChangingRelation = &sim.state().link;
    assert_eq!((relation.len(), relation.contains(0, 1), relation.contains(0, 3)), (2, true, false));
    assert_eq!(sim.observe().unwrap().names, "01:3 12:14 ");
    sim.run_until(1.0).unwrap();
    assert_eq!(sim.state().log, [true, false, false, true, false, true]);
    let observed = sim.observe().unwrap();
    // A new pair gets the value that the state has then.
    assert_eq!((observed.names.as_str(), observed.len), ("01:3 03:5 30:35 ", 3.0));
    assert_eq!(observed.rows[0], (vec![1, 3], vec![3]));
    assert_eq!(observed.rows[2], (vec![], vec![]));
    let mut pairs = observed.pairs;
    pairs.sort_unstable();
    assert_eq!(pairs, [(0, 1, 3), (0, 3, 5), (3, 0, 35)]);
}

#[test]
fn clocks_come_and_go_with_pairs() {
    let mut sim = Changing::default().start(1).unwrap();
    let fired = events(&mut sim, 5.5);
    let rings: Vec<(f64, usize, usize)> = fired
        .iter()
        .filter(|(_, name, _)| *name == "ring")
        .map(|(time, _, index)| (*time, index[0], index[1]))
        .collect();
    // 1-2 was gone before its time. Those of one instant come by number; 3-0 got the one of 1-2, below that of 0-3.
    assert_eq!(rings, [(2.0, 0, 1), (3.0, 3, 0), (3.0, 0, 3), (4.0, 0, 1), (5.0, 3, 0), (5.0, 0, 3)]);
    let pairs: Vec<f64> =
        fired.iter().filter(|(_, name, index)| *name == "pair" && index[0] == 0).map(|(time, ..)| *time).collect();
    assert_eq!(pairs[..3], [1.25, 1.5, 1.75]);
    let busy: Vec<(f64, usize)> =
        fired.iter().filter(|(_, name, _)| *name == "busy").map(|(time, _, index)| (*time, index[0])).collect();
    assert_eq!(busy[..4], [(0.5, 1), (1.5, 0), (1.5, 3), (2.5, 0)]);
    sim.run_until(6.0).unwrap();
    assert_eq!((sim.state().link.len(), sim.observe().unwrap().pairs), (0, vec![]));
    assert_eq!(sim.next_time(), f64::INFINITY);
}

/// An action at t = 1, and how a clock over pairs with a delay of 2 from t = 0, or from when its pair came, rings then.
macro_rules! changes {
    ($($test:ident: { $($body:tt)* } => $rings:expr;)*) => { $(
        #[test]
        fn $test() {
            simulation! {
                model Action {
                    index site = 0..3;
                    state relation link(i in site) -> site = (i == 0).then_some(1);
                    state w[(i, j) in link]: u64 = 5;
                    state u[k in site]: u64 = 1;
                    clock act: at(1.0) => { $($body)* }
                    clock timed[(i, j) in link]: after(2.0) => {}
                    clock resumed[(i, j) in link] if u[i] > 0: after(2.0, resume) => {}
                    clock ringing[(i, j) in link]: at(1.5) => {}
                    clock rated[(i, j) in link]: rate(u[i] as f64 * 1e9) => { u[i] = 0; w[(i, j)] += 1; }
                    clock own[(i, j) in link] if w[(i, j)] == 5: after(2.5) => {}
                    init { u[0] = 0; }
                    let row[i in site] = link(i).map(|j| (i, j, w[(i, j)])).collect::<Vec<_>>();
                    observe w: Vec<(usize, usize, u64)> = site.map(|i| row[i].clone()).collect::<Vec<_>>().concat();
                }
            }
            let mut sim = Action::default().start(1).unwrap();
            let mut fired: Vec<(u64, &str, usize, usize)> = events(&mut sim, 3.6)
                .into_iter()
                .filter(|(_, name, _)| *name != "act")
                .map(|(time, name, index)| ((10.0 * time).round() as u64, name, index[0], index[1]))
                .collect();
            fired.sort_unstable();
            let expected: (&[(u64, &str, usize, usize)], &[(usize, usize, u64)]) = $rings;
            assert_eq!((&fired[..], &sim.observe().unwrap().w[..]), expected);
        }
    )* };
}

changes! {
    a_pair_that_stays_goes_on: {} => (
        &[(15, "ringing", 0, 1), (20, "timed", 0, 1), (25, "own", 0, 1)],
        &[(0, 1, 5)],
    );
    a_pair_that_is_gone_does_not_ring: { link.remove(0, 1); u[0] = 1; } => (&[], &[]);
    a_new_pair_begins_when_it_comes: { link.insert(1, 2); } => (
        &[(10, "rated", 1, 2), (15, "ringing", 0, 1), (15, "ringing", 1, 2), (20, "timed", 0, 1), (25, "own", 0, 1),
          (30, "timed", 1, 2)],
        &[(0, 1, 5), (1, 2, 6)],
    );
    a_pair_that_takes_the_place_of_another_begins_anew: { link.remove(0, 1); link.insert(1, 2); u[1] = 0; } => (
        &[(15, "ringing", 1, 2), (30, "timed", 1, 2), (35, "own", 1, 2)],
        &[(1, 2, 5)],
    );
    a_pair_that_goes_and_comes_again_begins_anew: { w[(0, 1)] = 7; link.remove(0, 1); link.insert(0, 1); } => (
        &[(15, "ringing", 0, 1), (30, "timed", 0, 1), (35, "own", 0, 1)],
        &[(0, 1, 5)],
    );
    a_pair_that_comes_and_goes_is_not_there: { link.insert(1, 2); w[(1, 2)] = 9; u[1] = 2; link.remove(1, 2); } => (
        &[(15, "ringing", 0, 1), (20, "timed", 0, 1), (25, "own", 0, 1)],
        &[(0, 1, 5)],
    );
    a_pair_that_comes_goes_and_comes_has_a_rate: { link.insert(1, 2); link.remove(1, 2); link.insert(1, 2); } => (
        &[(10, "rated", 1, 2), (15, "ringing", 0, 1), (15, "ringing", 1, 2), (20, "timed", 0, 1), (25, "own", 0, 1),
          (30, "timed", 1, 2)],
        &[(0, 1, 5), (1, 2, 6)],
    );
    a_pair_in_the_place_of_another_whose_rate_is_written_has_a_rate: { link.remove(0, 1); link.insert(2, 0); u[2] = 1; } => (
        &[(10, "rated", 2, 0), (15, "ringing", 2, 0), (30, "timed", 2, 0)],
        &[(2, 0, 6)],
    );
    a_pair_of_the_same_row_in_the_place_of_another_has_a_rate: { link.remove(0, 1); link.insert(0, 2); u[0] += 1; } => (
        &[(10, "rated", 0, 2), (15, "ringing", 0, 2), (30, "timed", 0, 2)],
        &[(0, 2, 6)],
    );
    what_a_new_pair_is_given_at_once_counts: { link.insert(1, 2); u[1] = 0; w[(1, 2)] = 5; w[(0, 1)] += 1; } => (
        &[(15, "ringing", 0, 1), (15, "ringing", 1, 2), (20, "timed", 0, 1), (30, "timed", 1, 2), (35, "own", 1, 2)],
        &[(0, 1, 6), (1, 2, 5)],
    );
    pairs_may_change_in_closures: {
        (0..3).for_each(|k| { link.insert(k, k); u[k] = 0; });
        (0..2).for_each(|k| { link.remove(k, k); });
    } => (
        &[(15, "ringing", 0, 1), (15, "ringing", 2, 2), (20, "timed", 0, 1), (25, "own", 0, 1), (30, "timed", 2, 2),
          (35, "own", 2, 2)],
        &[(0, 1, 5), (2, 2, 5)],
    );
}

simulation! {
    /// What new pairs begin with.
    model Begun {
        param n: usize = 4;
        index site = 0..n;
        relation near(i in site) -> site = [(i + 1) % n];
        state count: u64 = 10;
        state relation link(i in site) -> site = (i == 0).then_some(1);
        state since[(i, j) in link]: f64 = now;
        state number[(i, j) in link]: u64 = count + i as u64;
        state more[(i, j) in link]: u64 = 2 * (count + i as u64) + link.degree(i) as u64;
        state drawn[(i, j) in link]: f64 = rng.random();
        state first[(i, j) in near]: u64 = 3 * i as u64;
        state second[(i, j) in near]: u64 = first[(i, j)] + first[(j, (j + 1) % n)];
        state unit[k in site]: () = ();
        tally most[k in site]: u64 = 0;
        tally hits[k in site]: u64 = 0;
        action connect(i in site, j in site, by: u64) {
            if link.insert(i, j) {
                count += by;
                number[(i, j)] += 100;
                most[i] = most[i].max(count);
                hits[j] = most[i] + hits[j];
            }
        }
        action both(i in site) { connect(i, (i + 1) % n, 1); connect((i + 2) % n, i, 1); }
        clock pairs: at(1.0) => both(1);
        clock one[i in site] if i == 3: at(2.0) => { connect(i, i, 5); unit[i] = (); }
        clock age[(i, j) in link]: at(since[(i, j)] + 10.0) => { link.remove(i, j); }
        let row[i in site] = link(i).map(|j| (j, since[(i, j)], number[(i, j)], more[(i, j)])).collect::<Vec<_>>();
        observe rows[i in site]: Vec<(usize, f64, u64, u64)> = row[i].clone();
        observe drawn[(i, j) in link]: f64 = drawn[(i, j)];
        observe second: Vec<u64> = second.to_vec();
        observe most[k in site] = most[k];
        observe hits = hits.iter().sum::<u64>();
    }
}

#[test]
fn a_new_pair_begins_with_the_values_of_its_states() {
    let mut sim = Begun::default().start_at(7, 0.5).unwrap();
    assert_eq!(sim.observe().unwrap().rows, [vec![(1, 0.5, 10, 21)], vec![], vec![], vec![]]);
    assert_eq!(sim.observe().unwrap().second, [3, 9, 15, 9]);
    sim.run_until(2.0).unwrap();
    let observed = sim.observe().unwrap();
    let three = vec![(1, 1.0, 114, 29), (3, 2.0, 115, 32)];
    assert_eq!(observed.rows, [vec![(1, 0.5, 10, 21)], vec![(2, 1.0, 111, 23)], vec![], three]);
    assert_eq!(observed.drawn.iter().map(|x| x.to_bits()).collect::<BTreeSet<_>>().len(), 4);
    assert_eq!((observed.most, observed.hits), (vec![0.0, 11.0, 0.0, 17.0], 11.0 + 12.0 + 17.0));
    sim.run_until(10.7).unwrap();
    assert_eq!(sim.state().link.len(), 3);
    sim.run_until(20.0).unwrap();
    assert_eq!((sim.state().link.len(), sim.next_time()), (0, f64::INFINITY));
}

simulation! {
    /// A changing relation whose pairs have values, and one from two indices.
    model Values {
        param cost: Vec<f64> = vec![1.0, 2.0, 4.0];
        index site = 0..cost.len();
        index layer = 0..2;
        state relation road(i in site) -> (site, f64) = [((i + 1) % site.len(), cost[i])], inverse roads;
        state relation at(i in site, l in layer) -> site = (l == 0).then_some(i);
        state log: Vec<f64> = Vec::new();
        state x[i in site]: f64 = 1.0;
        let total[i in site] = road(i).map(|(j, c)| c * x[j]).sum::<f64>();
        let length[(i, j) in road]: f64 = road.value(i, j).unwrap_or(-1.0);
        clock go[(i, j) in road]: after(length[(i, j)]) => { log.push(length[(i, j)]); }
        clock step[(i, l, j) in at]: after(10.0 * (1 + l) as f64) => {
            at.remove(i, l, j);
            at.insert(i, 1, (j + 1) % cost.len());
        }
        clock change: at(0.5) => {
            road.remove(0, 1);
            let (new, again) = (road.insert(0, 2, 8.0), road.insert(1, 2, 9.0));
            if new && !again { road.insert(2, 2, 0.25); }
        }
        observe totals[i in site]: f64 = total[i];
        observe into[j in site]: Vec<(usize, f64)> = roads(j).collect();
        observe at[i in site][l in layer]: Vec<usize> = at(i, l).collect();
    }
}

#[test]
fn pairs_of_a_changing_relation_have_values() {
    let mut sim = Values::default().start(1).unwrap();
    let road: &ChangingRelation<f64> = &sim.state().road;
    assert_eq!(road.value(2, 0), Some(4.0));
    sim.run_until(0.5).unwrap();
    let observed = sim.observe().unwrap();
    assert_eq!(observed.totals, [8.0, 2.0, 4.25]);
    assert_eq!(observed.into, [vec![(2, 4.0)], vec![], vec![(0, 8.0), (1, 2.0), (2, 0.25)]]);
    sim.run_until(4.0).unwrap();
    // 2-2 every 0.25, 1-2 at 2 and 4, 2-0 at 4.
    assert_eq!(sim.state().log.iter().filter(|value| **value == 0.25).count(), 14);
    let others: Vec<f64> = sim.state().log.iter().copied().filter(|value| *value != 0.25).collect();
    assert_eq!(others, [2.0, 2.0, 4.0]);
    sim.run_until(35.0).unwrap();
    let at = sim.observe().unwrap().at;
    assert_eq!(at, [vec![], vec![2], vec![], vec![0], vec![], vec![1]]);
}

simulation! {
    /// People meet and part; an infection goes along.
    model Meetings {
        param people: usize = 12;
        index person = 0..people;
        state relation meets(i in person) -> person = rng.random_bool(0.5).then_some((i + 1) % people), inverse met;
        state ill[i in person]: bool = i == 0;
        state since[(i, j) in meets]: f64 = 0.0;
        state changed: Vec<(bool, usize, usize)> = Vec::new();
        let exposed[i in person] = meets(i).chain(met(i)).any(|j| ill[j]);
        clock meet: rate(6.0) => {
            changed.clear();
            for _ in 0..2 {
                let (i, j) = (rng.random_range(person), rng.random_range(person));
                if meets.insert(i, j) { changed.push((true, i, j)); }
            }
        }
        clock part[(i, j) in meets]: rate(counted(0.3)) => {
            changed.clear();
            changed.push((false, i, j));
            meets.remove(i, j);
        }
        clock infect[(i, j) in meets] if ill[i] && !ill[j]: rate(counted(0.4)) => { ill[j] = true; }
        clock catches[i in person] if !ill[i]: rate(if counted(exposed[i]) { 0.1 } else { 0.0 }) => { ill[i] = true; }
        clock recover[i in person] if ill[i]: after(1.0) => { ill[i] = false; }
        clock again if !ill[3]: after(2.0) => { ill[3] = true; }
        clock stays[(i, j) in meets]: at(since[(i, j)] + 1e6) => {}
    }
}

#[test]
fn a_changing_relation_and_its_clocks_agree() {
    let mut sim = Meetings::default().start(3).unwrap();
    let n = sim.params().people;
    let pairs = |relation: &ChangingRelation| -> BTreeSet<(usize, usize)> {
        (0..n).flat_map(|i| relation.members(i).map(move |j| (i, j))).collect()
    };
    let mut known = pairs(&sim.state().meets);
    assert_eq!(evaluations(), known.len() + known.iter().filter(|&&(i, j)| i == 0 && j != 0).count() + n - 1);
    for _ in 0..3000 {
        let before = sim.state().ill.clone();
        let event = sim.step().unwrap().unwrap().event;
        let state = sim.state();
        match event {
            MeetingsEvent::Meet => {
                for &(new, i, j) in &state.changed {
                    assert!(new && known.insert((i, j)));
                }
            }
            MeetingsEvent::Part(i, j) => assert!(known.remove(&(i, j))),
            MeetingsEvent::Infect(i, j) => assert!(known.contains(&(i, j)) && before[i] && !before[j] && state.ill[j]),
            MeetingsEvent::Catches(i) => assert!(!before[i] && state.ill[i]),
            _ => {}
        }
        assert_eq!(pairs(&state.meets), known);
        assert_nothing_is_stale(&sim);
    }
    assert!(known.len() > 5);
}

// Who is refreshed.

simulation! {
    /// A clock for each way to write, and one for each way to read.
    model Forms {
        param near: Vec<Vec<usize>>;
        index site = 0..near.len();
        index hub = 0..2;
        relation link(i in site) -> site = near[i].iter(), inverse linked;
        relation face(i in site, h in hub) -> site = (h == 0).then_some(i), inverse faces;
        relation cost(i in site) -> (hub, f64) = [(i % 2, 1.0)];
        state relation friend(i in site) -> site = (i < 1).then_some(i + 1), inverse friends;
        state u[i in site]: f64 = 0.0;
        state v[h in hub]: f64 = 0.0;
        state w[(i, j) in link]: f64 = 0.0;
        state x[(i, j) in friend]: f64 = 0.0;
        state s[i in site][h in hub]: f64 = 0.0;
        state pick: usize = 0;
        let around[i in site] = link(i).map(|j| u[j]).sum::<f64>();
        let along[(i, j) in link] = w[(i, j)] + u[j];

        clock w_site[i in site]: at(1.0) => { u[i] = 1.0; }
        clock w_pair[(i, j) in link]: at(1.0) => { w[(i, j)] = 1.0; u[j] = 1.0; }
        clock w_other[(i, j) in link]: at(1.0) => { w[(j, i)] = 1.0; }
        clock w_row[i in site]: at(1.0) => { for j in link(i) { w[(i, j)] = 1.0; } }
        clock w_any: at(1.0) => { u[pick] = 1.0; }
        clock w_hub[h in hub]: at(1.0) => { v[h] = 1.0; s[1][h] = 1.0; }
        clock w_friend[(i, j) in friend]: at(1.0) => { u[i] = 1.0; x[(i, j)] = 1.0; }
        clock w_meet[i in site]: at(1.0) => { friend.insert(i, pick); }

        clock row[i in site]: rate(link(i).map(|j| u[j]).sum::<f64>()) => {}
        clock filtered[i in site]: rate(link(i).filter(|&j| j != i && u[j] > 0.0).count() as f64) => {}
        clock back[i in site]: rate(linked(i).map(|j| u[j]).sum::<f64>()) => {}
        clock second[i in site]: rate({ let mut sum = 0.0; for j in link(i) { for l in link(j) { sum += u[l]; } } sum }) => {}
        clock flat[i in site]: rate(link(i).flat_map(|j| linked(j)).map(|l| u[l]).sum::<f64>()) => {}
        clock shifted[i in site]: rate(link((i + 1) % site.len()).map(|j| u[(j + 1) % site.len()]).sum::<f64>()) => {}
        clock corner[i in site][h in hub]: rate(face(i, h).map(|j| u[j] + s[j][h]).sum::<f64>()) => {}
        clock corners[i in site]: rate(faces(i).map(|(j, h)| s[j][h]).sum::<f64>()) => {}
        clock priced[i in site]: rate(cost(i).map(|(h, c)| c * v[h]).sum::<f64>()) => {}
        clock named[i in site]: rate(around[i]) => {}
        clock of[(i, j) in link]: rate(u[i]) => {}
        clock to[(i, j) in link]: rate(u[j]) => {}
        clock own[(i, j) in link]: rate(w[(i, j)]) => {}
        clock turned[(i, j) in link] if link.contains(j, i): rate(w[(j, i)]) => {}
        clock both[(i, j) in link]: rate(along[(i, j)]) => {}
        clock sum[i in site]: rate(link(i).map(|j| w[(i, j)]).sum::<f64>()) => {}
        clock far[(i, j) in link]: rate(link(j).map(|l| u[l]).sum::<f64>()) => {}
        clock single: rate(link(0).map(|j| u[j]).sum::<f64>()) => {}
        clock looked[i in site]: rate(link(i).max().map_or(0.0, |j| u[j])) => {}
        clock known[i in site]: rate(friend(i).map(|j| u[j]).sum::<f64>()) => {}
        clock knows[i in site]: rate(friends(i).map(|j| x[(j, i)]).sum::<f64>()) => {}
        clock met[(i, j) in friend]: rate(x[(i, j)] + u[i]) => {}
        clock mutual[(i, j) in friend] if friend.contains(j, i): rate(1.0) => {}
        clock count: rate(friend.len() as f64) => {}
        clock popular[i in site]: rate(friend.degree(i) as f64) => {}
        clock static_size[i in site]: rate((link.len() + link.degree(i)) as f64) => {}
    }
}

const REFRESHED: &str = "\
w_site: row[link⁻¹(i)], filtered[link⁻¹(i)], back[link(i)], second[link⁻¹(link⁻¹(i))], flat[link⁻¹(link(i))], \
shifted[(link⁻¹((i - 1) % site) - 1) % site], corner[face⁻¹(i).0][face⁻¹(i).1], named[link⁻¹(i)], of[(i, \
link(i))], to[(link⁻¹(i), i)], both[(link⁻¹(i), i)], far[(link⁻¹(link⁻¹(i)), link⁻¹(i))], single, looked[tracked \
u], known[friend⁻¹(i)], met[(i, friend(i))]
w_pair: row[link⁻¹(j)], filtered[link⁻¹(j)], back[link(j)], second[link⁻¹(link⁻¹(j))], flat[link⁻¹(link(j))], \
shifted[(link⁻¹((j - 1) % site) - 1) % site], corner[face⁻¹(j).0][face⁻¹(j).1], named[link⁻¹(j)], of[(j, \
link(j))], to[(link⁻¹(j), j)], own[(i, j)], turned[(j, i)], both[(link⁻¹(j), j)] both[(i, j)], sum[i], \
far[(link⁻¹(link⁻¹(j)), link⁻¹(j))], single, looked[tracked u], known[friend⁻¹(j)], met[(j, friend(j))]
w_other: own[(j, i)], turned[(i, j)], both[(j, i)], sum[j]
w_row: own[?w], turned[(?w, ?w)], both[?w], sum[?w]
w_any: row[link⁻¹(?u)], filtered[link⁻¹(?u)], back[link(?u)], second[link⁻¹(link⁻¹(?u))], flat[link⁻¹(link(?u))], \
shifted[(link⁻¹((?u - 1) % site) - 1) % site], corner[face⁻¹(?u).0][face⁻¹(?u).1], named[link⁻¹(?u)], of[(?u, \
link(?u))], to[(link⁻¹(?u), ?u)], both[(link⁻¹(?u), ?u)], far[(link⁻¹(link⁻¹(?u)), link⁻¹(?u))], single, \
looked[tracked u], known[friend⁻¹(?u)], met[(?u, friend(?u))]
w_hub: corner[face⁻¹(1).0][face⁻¹(1).1], corners[tracked s], priced[cost⁻¹(h)]
w_friend: row[link⁻¹(i)], filtered[link⁻¹(i)], back[link(i)], second[link⁻¹(link⁻¹(i))], flat[link⁻¹(link(i))], \
shifted[(link⁻¹((i - 1) % site) - 1) % site], corner[face⁻¹(i).0][face⁻¹(i).1], named[link⁻¹(i)], of[(i, \
link(i))], to[(link⁻¹(i), i)], both[(link⁻¹(i), i)], far[(link⁻¹(link⁻¹(i)), link⁻¹(i))], single, looked[tracked \
u], known[friend⁻¹(i)], knows[friend(i)], met[(i, friend(i))] met[(i, j)]
w_meet: w_friend[?friend], known[?friend], knows[?friend] knows[friend(?x)], met[?x] met[?friend], \
mutual[(friend⁻¹(?friend), ?friend)] mutual[?friend], count, popular[?friend]
";

#[test]
fn the_graph_says_which_members_of_relations_are_refreshed() {
    assert_eq!(who_refreshes_whom::<Forms>("w_"), REFRESHED);
    let text = Forms::graph().to_string();
    for line in [
        "  state friend: (site) -> site\n",
        "  state x[(i, j) in friend]: f64\n",
        "  clock w_pair[(i, j) in link]: at\n",
        "    refreshes own[?w] turned[(?w, ?w)] both[?w] sum[?w]\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
}

simulation! {
    /// Writes and reads along relations, each read counted.
    model Counted {
        param near: Vec<Vec<usize>>;
        index site = 0..near.len();
        relation link(i in site) -> site = near[i].iter(), inverse linked;
        state relation friend(i in site) -> site = near[i].iter().copied().filter(|&j| j > i);
        state u[i in site]: u64 = 1;
        state w[(i, j) in link]: u64 = 1;
        state last: (usize, usize) = (0, 0);
        clock pair[(i, j) in link]: rate(counted((u[i] + u[j] + w[(i, j)]) as f64)) => {
            u[j] += 1;
            w[(i, j)] += 1;
            last = (i, j);
        }
        clock row[i in site]: rate(counted(link(i).map(|j| u[j] + w[(i, j)]).sum::<u64>() as f64)) => {
            u[i] += 1;
            u[i] += 1;
        }
        clock second[i in site]: rate(counted(link(i).flat_map(|j| link(j)).map(|l| u[l]).sum::<u64>() as f64)) => {}
        clock friends[(i, j) in friend]: rate(counted(0.1 * (friend.degree(i) + friend.degree(j)) as f64)) => {
            friend.remove(i, j);
            last = (i, j);
        }
        clock meet: rate(10.0) => {
            last = (rng.random_range(site), rng.random_range(site));
            friend.insert(last.0, last.1);
        }
    }
}

#[test]
fn along_relations_each_dependent_is_refreshed_once() {
    for near in [
        vec![vec![0]],
        vec![vec![1, 1], vec![0, 0]],
        vec![vec![1, 2], vec![], vec![2, 0, 2], vec![0, 1, 2]],
        (0..12).map(|k| vec![(k + 1) % 12, (k + 11) % 12, (k * k) % 12]).collect(),
    ] {
        let n = near.len();
        let lists = near.clone();
        let pairs: Vec<(usize, usize)> =
            near.iter().enumerate().flat_map(|(i, row)| row.iter().map(move |&j| (i, j))).collect();
        let second = |l: usize| (0..n).filter(|&i| lists[i].iter().any(|&j| lists[j].contains(&l))).count();
        let rows = |l: usize| (0..n).filter(|&i| lists[i].contains(&l)).count();
        let touching = |l: usize| pairs.iter().filter(|&&(i, j)| i == l || j == l).count();
        let sim = Counted { near }.start(1).unwrap();
        assert_evaluations(sim, 300, |event, before, after| {
            let (i, j) = after.last;
            let changed = |ends: &[usize]| {
                let pairs = (0..n).flat_map(|i| after.friend.members(i).map(move |j| (i, j)));
                pairs.filter(|(i, j)| ends.contains(i) || ends.contains(j)).count()
            };
            match event {
                // The row of i, which reads w, is one of those that hold j.
                CountedEvent::Pair(..) => touching(j) + rows(j) + second(j),
                CountedEvent::Row(k) => touching(k) + rows(k) + second(k),
                CountedEvent::Second(_) => 0,
                CountedEvent::Friends(..) => changed(&[i]),
                CountedEvent::Meet if before.friend.contains(i, j) => 0,
                CountedEvent::Meet => changed(&[i]),
            }
        });
    }
}

// Indices known at run time only.

simulation! {
    /// Reads of every kind that is known at run time only, and an action that writes everything.
    model Chaos {
        param n: usize;
        param table: Vec<usize>;
        index site = 0..n;
        index row = 0..3;
        relation near(k in site) -> site = [(k + 1) % n, (k * k) % n], inverse back;
        relation two(i in row, k in site) -> site = (i != 1).then_some((i + k) % n), inverse from;
        state relation link(k in site) -> site = near(k), inverse linked;
        state relation cost(k in row) -> (site, f64) = [(k % n, 1.0)];
        state u[k in site]: u64 = k as u64;
        state v[k in site]: u64 = 1;
        state home[k in site]: usize = (2 * k) % n;
        state s[i in row][k in site]: u64 = (i * k) as u64;
        state at[k in site]: (usize, usize) = (k % 3, k);
        state w[(i, j) in near]: u64 = 1;
        state x[(i, j) in link]: u64 = 1;
        state pick: usize = 0;
        let far[k in site] = u[home[home[k]]] + v[table[k]];
        let found[k in site] = s[at[k].0][at[k].1];
        let linked_sum[k in site] = link(k).map(|j| u[j]).sum::<u64>();
        let around[i in row][k in site] = s[(i + 1) % 3][k] + s[i][(k - 1) % n];

        clock a[k in site] if u[home[k]] > 0 && v[home[k]] > 1: rate(u[v[home[k]] as usize % n] as f64) => { u[k] += 1; }
        clock b[k in site]: rate((far[k] + found[k]) as f64) => { v[home[k]] += 1; }
        clock c[k in site]: rate(linked_sum[home[k]] as f64 + link.degree(home[k]) as f64) => { home[k] = pick; }
        clock d[(i, j) in link] if x[(i, j)] > 0 && !link.contains(j, pick): rate((u[home[i]] + far[j]) as f64) => {
            x[(i, j)] = 0;
        }
        clock e[(i, j) in near]: rate((w[(i, j)] + near(j).map(|l| w[(j, l)] + v[l]).sum::<u64>()) as f64) => {
            w[(i, j)] += 1;
        }
        clock f[i in row][k in site]: rate((around[i][k] + two(i, k).map(|l| s[i][l] + u[l]).sum::<u64>()) as f64) => {
            s[i][k] += 1;
        }
        clock g[k in site]: rate(from(k).map(|(i, l)| s[i][l] + u[home[l]]).sum::<u64>() as f64) => {}
        clock h[k in site]: rate(linked(k).filter(|&j| v[j] > 1).map(|j| x[(j, k)]).sum::<u64>() as f64) => {}
        clock i[k in row]: rate(cost(k).map(|(j, c)| c * u[j] as f64).sum::<f64>() + cost.value(k, pick).unwrap_or(0.5)) => {}
        clock j: rate(if near(pick).any(|j| u[j] > 3) { 1.0 } else { 2.0 }) => {}
        clock k[k in site]: rate(link(k).flat_map(|j| link(j)).filter(|&l| l != k).map(|l| u[l]).sum::<u64>() as f64) => {}
        clock l[k in site]: rate(match home[k] { 0 => u[0], m if m < 2 => v[m], m => u[m - 1] + u[k] } as f64) => {}
        clock m[k in site]: rate(near(k).max_by_key(|&j| u[j]).map_or(0.0, |j| v[j] as f64)) => {}
        clock o[k in site]: rate(near(k).fold(0.0, |sum, j| sum + v[j] as f64 + u[(j + 1) % n] as f64)) => {}
        clock p[k in site]: rate({ let (mut sum, mut m) = (0, k); for _ in 0..3 { sum += u[m]; m = home[m]; } sum } as f64) => {}
        clock q[k in site]: rate(near(k).zip(back(k)).map(|(a, b)| u[a] + v[b]).sum::<u64>() as f64) => {}
        clock r[k in site]: rate(if matches!(v[home[k]], 0..2) && u[k] > 1 { 1.0 } else { 0.5 }) => {}
        clock t[k in site] if u[k] > v[home[k]]: after(3.0) => { u[k] = 0; }
        clock y[k in site] if link.contains(k, home[k]): every(100.0 + u[home[k]] as f64) => {}
        clock z[k in site]: after(1e3, speed(1.0 + far[k] as f64 + s[2][k] as f64)) => {}

        clock chaos: rate(100.0) => {
            let (k, l, i) = (rng.random_range(site), rng.random_range(site), rng.random_range(row));
            match rng.random_range(0..22) {
                0 => u[k] = rng.random_range(0..4),
                1 => v[k] = rng.random_range(0..4),
                2 => home[k] = l,
                3 => s[i][k] = rng.random_range(0..4),
                4 => at[k] = (i, l),
                5 => { let j = near(k).next().unwrap_or(0); w[(k, j)] = rng.random_range(0..4); }
                6 => { link.insert(k, l); }
                7 => { link.remove(k, l); }
                8 => if link.contains(k, l) { x[(k, l)] = 3; },
                9 => pick = k,
                10 => u.swap(k, l),
                11 => s.iter_mut().for_each(|one| *one = (*one + 1) % 5),
                12 => { cost.insert(i, k, 0.25); }
                13 => { cost.remove(i, k); }
                14 => { link.remove(k, l); link.insert(l, k); x[(l, k)] = 2; u[k] = 1; v[l] = 1; }
                15 => for j in near(k) { u[j] = 2; home[j] = k; },
                16 => {
                    (0..2).for_each(|_| { link.insert(l, k); u[l] = (u[l] + 1) % 4; });
                    link.remove(l, k);
                }
                17 => home.reverse(),
                18 => {
                    let all: Vec<usize> = link(k).collect();
                    for j in all { link.remove(k, j); }
                    link.insert(k, l);
                    link.insert(l, l);
                }
                19 => for j in link(k) { x[(k, j)] = (x[(k, j)] + 1) % 3; v[j] = 2; },
                20 => { u[home[home[k]]] = 0; home[home[k]] = l; u[home[home[k]]] = 3; }
                _ => for m in row { s[m][k] = 1; s[m][l] = 0; },
            }
        }
    }
}

#[test]
fn whatever_is_written_nothing_that_reads_it_is_stale() {
    for n in [1, 2, 3, 7, 20] {
        let table = (0..n).map(|k| (k * 7 + 3) % n).collect();
        let mut sim = Chaos { n, table }.start(n as u64).unwrap();
        for _ in 0..400 {
            assert_nothing_is_stale(&sim);
            sim.step().unwrap().unwrap();
        }
    }
}
