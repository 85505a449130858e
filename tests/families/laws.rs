//! Every way of selecting a member of a family gives the same law.

use clockrace::Model as _;

/// Mean and variance of the mean.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean, variance / n)
}

/// No two means differ by more than 4.5 standard errors.
fn agree(what: &str, samples: &[(&str, Vec<f64>)]) {
    for (i, (one, left)) in samples.iter().enumerate() {
        let (left, left_error) = moments(left);
        assert!(left_error > 0.0, "{what} by {one} varies");
        for (other, right) in &samples[..i] {
            let (right, right_error) = moments(right);
            let bound = 4.5 * (left_error + right_error).sqrt();
            assert!((left - right).abs() < bound, "{what}: {left} by {one}, {right} by {other}, bound {bound}");
        }
    }
}

/// One sample for each module that holds the model.
macro_rules! samples {
    ($count:expr, $until:expr, $value:expr; $($module:ident)*) => {
        [$((
            stringify!($module),
            (0..$count)
                .map(|stream| {
                    let mut sim = $module::Law::default().start_stream(17, stream).expect("the model starts");
                    sim.run_until($until).expect("the run goes on");
                    let value: fn(&$module::LawState) -> f64 = $value;
                    value(&sim.state())
                })
                .collect::<Vec<f64>>(),
        )),*]
    };
}

/// An infection on a ring with long-range contacts: few members change at a time.
macro_rules! infection {
    ($module:ident, $model:meta, $clock:meta) => {
        mod $module {
            clockrace::simulation! {
                #[$model]
                pub model Law {
                    param n: usize = 150;
                    index site = 0..n;
                    relation near(k in site) -> site = [(k + 1) % n, (k + n - 1) % n, (k * 7 + 3) % n];
                    state ill[k in site]: bool = k % 15 == 0;
                    #[$clock]
                    clock infect[k in site] if !ill[k]:
                        rate(0.3 * near(k).filter(|&j| ill[j]).count() as f64) => { ill[k] = true; }
                    #[$clock]
                    clock recover[k in site] if ill[k]: rate(0.4) => { ill[k] = false; }
                }
            }
        }
    };
}

infection!(infection_by_tree, select(direct), select(tree));
infection!(infection_by_composition, select(direct), select(composition_rejection));
infection!(infection_by_pair_tree, select(next_reaction), select(pair_tree));
infection!(infection_by_blocks, select(next_reaction), select(blocks));

#[test]
fn infections_are_the_same_by_every_method() {
    let samples = samples!(600, 3.0, |state| state.ill.iter().filter(|&&ill| ill).count() as f64;
        infection_by_tree infection_by_composition infection_by_pair_tree infection_by_blocks);
    agree("ill", &samples);
}

/// Rates over six powers of ten.
macro_rules! decay {
    ($module:ident, $model:meta, $clock:meta) => {
        mod $module {
            clockrace::simulation! {
                #[$model]
                pub model Law {
                    index kind = 0..40;
                    state left[k in kind]: u32 = 30;
                    #[$clock]
                    clock decay[k in kind]: rate(10.0 * 0.7_f64.powi(k as i32) * f64::from(left[k])) => { left[k] -= 1; }
                }
            }
        }
    };
}

decay!(decay_by_tree, select(direct), select(tree));
decay!(decay_by_composition, select(direct), select(composition_rejection));
decay!(decay_by_pair_tree, select(next_reaction), select(pair_tree));
decay!(decay_by_blocks, select(next_reaction), select(blocks));

#[test]
fn rates_of_all_sizes_are_the_same_by_every_method() {
    let weighted: fn(&[u32]) -> f64 =
        |left| left.iter().enumerate().map(|(k, &n)| f64::from(n) * (1.0 + k as f64)).sum();
    let until = 0.8;
    let samples = samples!(600, until, |state| {
            state.left.iter().enumerate().map(|(k, &n)| f64::from(n) * (1.0 + k as f64)).sum()
        };
        decay_by_tree decay_by_composition decay_by_pair_tree decay_by_blocks);
    agree("left", &samples);
    // Here the mean is known.
    let exact: f64 = (0..40).map(|k| 30.0 * (1.0 + f64::from(k)) * (-10.0 * 0.7_f64.powi(k) * until).exp()).sum();
    assert!(weighted(&[30; 40]) > exact);
    for (method, sample) in &samples {
        let (mean, error) = moments(sample);
        assert!((mean - exact).abs() < 4.5 * error.sqrt(), "{mean} by {method}, not {exact}");
    }
}

/// Contacts that come and go.
macro_rules! contacts {
    ($module:ident, $model:meta, $clock:meta) => {
        mod $module {
            clockrace::simulation! {
                #[$model]
                pub model Law {
                    param n: usize = 30;
                    index person = 0..n;
                    state relation contact(i in person) -> person = [(i + 1) % n], inverse of;
                    state mood[i in person]: i64 = (i % 3) as i64;
                    #[$clock]
                    clock meet[i in person]: rate(2.0 / (1.0 + contact.degree(i) as f64)) => {
                        let j = rng.random_range(0..n);
                        if contact.insert(i, j) { mood[j] += 1; }
                    }
                    #[$clock]
                    clock part[(i, j) in contact]: rate(0.2 + 0.1 * mood[j] as f64) => {
                        contact.remove(i, j);
                        mood[i] = 0;
                    }
                    #[$clock]
                    clock settle[(i, j) in contact] if mood[i] > 1: rate(0.5 * of(i).count() as f64) => { mood[i] -= 1; }
                }
            }
        }
    };
}

contacts!(contacts_by_tree, select(direct), select(tree));
contacts!(contacts_by_composition, select(direct), select(composition_rejection));
contacts!(contacts_by_pair_tree, select(next_reaction), select(pair_tree));
contacts!(contacts_by_blocks, select(next_reaction), select(blocks));

#[test]
fn pairs_that_come_and_go_are_the_same_by_every_method() {
    let samples = samples!(600, 4.0, |state| state.contact.len() as f64;
        contacts_by_tree contacts_by_composition contacts_by_pair_tree contacts_by_blocks);
    agree("contacts", &samples);
    let samples = samples!(600, 4.0, |state| state.mood.iter().sum::<i64>() as f64;
        contacts_by_tree contacts_by_composition contacts_by_pair_tree contacts_by_blocks);
    agree("mood", &samples);
}
