//! Every stage's value for a dozen small models.

use quote::quote;

use crate::errors::Errors;
use crate::{compile, emit, expand, graph, plan, resolve, syntax};

/// Graph, plan and expansion.
macro_rules! stages {
    ($name:ident: $($block:tt)*) => {
        #[test]
        fn $name() {
            let tokens = quote!($($block)*);
            let mut errors = Errors::default();
            let model = syntax::parse(tokens, &mut errors).expect("a model");
            let resolved = resolve::resolve(&model, &mut errors);
            assert_eq!(errors.messages(), Vec::<String>::new());
            let graph = graph::derive(&resolved);
            let plan = plan::lay_out(&graph, model.options.select, model.options.ticks);
            insta::assert_snapshot!(concat!(stringify!($name), "_graph"), graph);
            insta::assert_snapshot!(concat!(stringify!($name), "_plan"), plan);
            let expansion = expand::format(&emit::emit(&model, &resolved, &graph, &plan));
            insta::assert_snapshot!(concat!(stringify!($name), "_expansion"), engine_part(&expansion));
        }
    };
}

/// What of an expansion differs from model to model: without the types, which the first model
/// shows, and the list of lints.
fn engine_part(expansion: &str) -> &str {
    expansion.find("const _: () = {").map_or(expansion, |at| &expansion[at..])
}

fn messages(tokens: proc_macro2::TokenStream) -> Vec<String> {
    let mut errors = Errors::default();
    if let Some(model) = syntax::parse(tokens, &mut errors) {
        if !errors.any() {
            resolve::resolve(&model, &mut errors);
        }
    }
    errors.messages()
}

#[test]
fn types() {
    let tokens = quote! {
        /// Two kinds.
        #[derive(Clone)]
        pub(crate) model Kinds<T: Copy> where T: Default {
            /// How fast.
            param k: f64 = 1.0 in 0.0..;
            state given: T;
            #[serde(skip)]
            state a: u64 = 0;
            tally seen: u64 = 0;
            /// Goes.
            clock goes_on: rate(k) => { a += 1; }
            observe level = a;
            observe all: Vec<u64> = vec![a];
        }
    };
    let expansion = expand::format(&compile::simulation(tokens));
    let end = expansion.find("const _: () = {").expect("the engine follows the types");
    insta::assert_snapshot!(&expansion[..end]);
}

stages!(happening: model Happening {
    param n: usize = 3;
    index place = 0..n;
    state log: Vec<(f64, usize)> = Vec::new();
    state key: Option<Key<leave>> = None;
    event arrive[k in place](job: u32), priority = 1 => {
        log.push((now, k));
        key = Some(leave.after(1.5, k, job));
    }
    event leave(k in place, job: u32), once => { let _ = (k, job); arrive[k].at(now + 1.0, job, priority = (0, 2)); }
    clock cancels: rate(0.1 * leave.len() as f64) => { if let Some(old) = key { leave.cancel(old); } }
    init { for k in place { arrive[k].at(0.5, 1); } }
});

stages!(serving: model Serving {
    param mu: f64 = 1.0;
    index class = 0..2;
    state free: u32 = 1;
    state urgent: bool = false;
    state seen[k in class]: u32 = 0;
    state acuity[p in customer]: u8 = 3;
    tally left: u32 = 0;
    line queue;
    activity customer(c in class, need: f64), priority = c {
        let arrived = now;
        if !wait_for(free > 0, timeout = 5.0) { left += 1; return; }
        free -= 1;
        defer { free += 1; }
        acuity[me] += 1;
        let mut rest: f64 = need;
        while rest > 0.0 { rest = wait(rest, unless = urgent); }
        wait(1.0, speed = if urgent { 0.0 } else { mu });
        wait_for(seen[c] > 0, line = queue);
        seen[c] -= 1;
        let _ = arrived;
    }
    activity twice() -> u32 {
        for _ in 0..2 { wait(1.0); }
        let key = other.start();
        let given = other.join(key);
        given.unwrap_or(0)
    }
    activity other() -> u32 { wait_until(10.0); 3 }
    clock arrives: rate(1.0) => { customer.start(0, 1.0); urgent = !urgent; }
    observe waiting = queue.len() + customer.len();
    init { twice.start(); }
});

stages!(counting: model Counting {
    time u64;
    state n: u64 = 0;
    event ring(k: u64) => { n += 1; ring.after(k, now); }
    clock tick: every(10) => { n += 1; }
    clock chosen: at(if n == 3 { now + 5 } else { never }) => { ring.at(now, 1); }
    clock late: after(7, redraw) => { n += 1; }
});

stages!(sir: model Sir {
    param beta: f64 = 0.3;
    param gamma: f64 = 0.1;
    state s: u64;
    state i: u64;
    state r: u64 = 0;
    let n = (s + i + r) as f64;
    clock infection: rate(beta * s as f64 * i as f64 / n) => { s -= 1; i += 1; }
    clock recovery: rate(gamma * i as f64) => { i -= 1; r += 1; }
    observe prevalence = i as f64 / n;
    invariant closed: s + i + r > 0;
    stop extinct if i == 0;
});

stages!(reactions: model Dimers {
    param k: f64 = 1.0;
    state a: u64 = 10;
    state b: u32 = 0;
    reaction bind: 2 a -> b @ k;
    reaction part: b -> 2 a @ 2;
    reaction grow: a -> a + b @ rate(k * b as f64);
    reaction made: -> a @ after(3.0);
});

stages!(delays: model Delays {
    state on: bool = true;
    state load: u32 = 1;
    clock plain: after(1.0) => { on = !on; }
    clock redrawn if on: after(load as f64, redraw) => { load += 1; }
    clock resumed if on: after(2.0, resume) => {}
    clock shared if on: after(3.0, speed(1.0 / load as f64)) => { load = 1; }
});

stages!(times: model Times {
    param period: f64 = 1.0;
    state next: f64 = 0.5;
    state n: u32 = 0;
    clock given if n < 5: at(next) => { next = now + 1.0; }
    clock soon: at(if n == 3 { now } else { never }) => { n += 1; }
    clock tick: every(period, from = 0.25), priority = (-1, 2) => { n += 1; }
    clock tock: every(2.0 * next), priority = (1,) => {}
});

stages!(next_reaction: #[select(next_reaction)] model Next {
    state a: u64 = 3;
    clock up: rate(1.0) => { a += 1; }
    clock down if a > 0: rate(a as f64) => { a -= 1; }
});

stages!(a_single_clock: model Single {
    state n: u64 = 0;
    clock only: rate(1.0) => n += 1;
});

stages!(mixed_race: model Mixed {
    state n: u64 = 0;
    clock leaves: rate(n as f64) => { n -= 1; }
    clock comes: rate(2.0) => { n += 1; }
    clock more: rate(0.5) => { n += 2; }
    clock resets: every(10.0), priority = -1 => { n = 0; }
});

stages!(bodies: model Bodies {
    param mu: f64;
    state queue: VecDeque<f64> = VecDeque::new();
    state phase: Phase = Phase::Idle;
    state served: u32 = 0;
    tally waits: Vec<f64> = Vec::new();
    action serve(by: u32) {
        if queue.is_empty() { return; }
        served += by;
        phase = Phase::Busy { since: now };
    }
    clock arrive: rate(1.0) => { queue.push_back(now); serve(1 + served); }
    clock done if matches!(phase, Phase::Busy { .. }): after(rng.sample(Exp::new(mu)?)) => {
        let Some(came) = queue.pop_front() else { return };
        waits.push(now - came);
        #[cfg(any())]
        served -= 5;
        let total: u32 = (0..3).map(|k| k * served).sum();
        assert!(total > 0);
        println!("{served} {total}");
        queue.iter_mut().for_each(|t| *t += 1.0);
        match &mut phase { Phase::Busy { since } => *since = 0.0, Phase::Idle => serve(2) }
    }
    init { queue.push_back(rng.random()); }
});

stages!(definitions: model Definitions<const N: usize> {
    param a: f64 = 1.0;
    param b: f64 = 2.0 * a in a..=10.0;
    state n: u64 = 3;
    state m: u64 = n + N as u64;
    let ratio = a / b;
    let table = vec![ratio; N];
    let half: u64 = n / 2;
    let both = half + m;
    clock t: rate(ratio * both as f64 + table[0]) => { n = both; m -= 1; }
});

stages!(rollback: #[rollback] model Rollback {
    state list: Vec<u64> = Vec::new();
    clock t: rate(1.0) => { list.push(1); let first = list.get(7).ok_or(Missing)?; }
});

stages!(raw_identifiers: model r#Raw {
    state r#type: u64 = 0;
    clock r#loop: rate(r#type as f64,), => { r#type += 1; };
});

stages!(nothing_happens: model Nothing {
    param k: f64 = 1.0;
    state a: u64 = 0;
    observe b = a;
});

stages!(ring: model Ring {
    param n: usize;
    index site = 0..n;
    state u[k in site]: u64 = 1;
    clock hop[k in site]: rate(u[k] as f64) => { u[k] -= 1; u[(k + 1) % n] += 1; }
    observe u[k in site] = u[k];
});

stages!(diffusion: model Diffusion<const N: usize> {
    param d: f64 = 1.0;
    index site = 0..N;
    state u[k in site]: u64;
    let gradient[k in site] = u[k] as f64 - u[k + 1] as f64;
    clock right[k in site] if k + 1 < N: rate(d * gradient[k].max(0.0)) => { u[k] -= 1; u[k + 1] += 1; }
    reaction left[k in site] if k > 0: u[k] -> u[k - 1] @ d;
});

stages!(lattice: model Lattice {
    param rows: usize;
    param columns: usize;
    index row = 0..rows;
    index column = 0..columns;
    state s[i in row][j in column]: i8 = 1;
    tally flips[i in row]: u64 = 0;
    let down[i in row][j in column] = s[(i + 1) % rows][j];
    clock flip[i in row][j in column]: rate(f64::from(s[i][j] * (down[i][j] + s[i][(j - 1) % columns])).exp()) => {
        s[i][j] = -s[i][j];
        flips[i] += 1;
    }
});

stages!(pairs: model Pairs {
    param near: Vec<Vec<(usize, f64)>>;
    index person = 0..near.len();
    relation contact(i in person) -> (person, f64) = near[i].iter(), inverse contacts;
    state ill[i in person]: bool = i == 0;
    state met[(i, j) in contact]: u64 = 0;
    clock infect[(i, j) in contact] if ill[i] && !ill[j]: rate(contact.value(i, j).unwrap_or(1.0)) => {
        ill[j] = true;
        met[(i, j)] += 1;
    }
    clock catches[j in person] if !ill[j]: rate(contacts(j).filter(|&(i, _)| ill[i]).map(|(_, w)| w).sum()) => {
        ill[j] = true;
    }
});

stages!(changing: model Changing {
    param n: usize;
    index site = 0..n;
    state relation link(i in site) -> site = (i == 0).then_some(1);
    state since[(i, j) in link]: f64 = 0.0;
    clock join[i in site]: rate(1.0) => { let j = rng.random_range(site); link.insert(i, j); }
    clock part[(i, j) in link] if link.degree(i) > 1: after(since[(i, j)], redraw) => { link.remove(i, j); }
});

stages!(living: model Living {
    state hazard[p in patient]: f64 = 0.5;
    activity patient() { wait(10.0); hazard[me] = 1.0; wait(10.0); }
    clock comes: rate(1.0) => { patient.start(); }
    clock goes[p in patient]: rate(hazard[p]) => { patient.abort(p); }
});

stages!(tracked: model Tracked {
    param n: usize;
    index site = 0..n;
    index person = 0..4;
    state home[p in person]: usize = p;
    state load[k in site]: u32 = 0;
    clock visit[p in person]: rate(load[home[p]] as f64) => {
        load[home[p]] += 1;
        home[p] = rng.random_range(site);
    }
});

stages!(called: model Called {
    param n: usize;
    index site = 0..n;
    state u[k in site]: u64 = 0;
    state pick: usize = 0;
    action give(k in site, by: u64) { u[k] += by; u[(k + 1) % n] += by; }
    clock here[k in site] if u[k] < 5: at(1.0) => { give((k - 1) % n, 2); give(pick, 3); }
});

stages!(timed_family: #[select(next_reaction)] model Timed {
    index site = 0..40;
    state on[k in site]: bool = true;
    #[select(blocks)]
    clock ring[k in site] if on[k]: after(rng.random::<f64>() + k as f64), priority = 1 => { on[k] = false; }
    clock raced[k in site]: rate(if on[k] { 1.0 } else { 2.0 }) => { on[k] = true; }
    clock tick[k in site]: every(1.0, from = k as f64) => {}
});

stages!(whole: model Whole {
    param n: usize;
    index site = 0..n;
    state u[k in site]: f64 = 1.0;
    let total = u.iter().sum::<f64>();
    clock one[k in site]: rate(u[k] / total) => { u[k] += 1.0; }
    clock all: every(1.0) => { u.iter_mut().for_each(|u_k| *u_k *= 0.5); }
});

stages!(literal: model Literal {
    index site = 0..3;
    state u[k in site]: u8 = k as u8;
    clock up[k in site]: rate(u[k] as f64) => { u[k] += 1; }
    clock down[k in site] if u[k] > 0: after(1.0) => { u[k] -= 1; }
});

stages!(zigzag: model ZigZag {
    param d: usize;
    index coordinate = 0..d;
    relation near(i in coordinate) -> coordinate = [i + 1].into_iter().filter(|&j| j < d);
    state x[i in coordinate]: f64 = 0.0;
    state v[i in coordinate]: f64 = 1.0;
    flow x[i in coordinate] = x[i] + v[i] * dt;
    let slope[i in coordinate] = x[i] - near(i).map(|j| x[j]).sum::<f64>();
    let curve[i in coordinate] = v[i] - near(i).map(|j| v[j]).sum::<f64>();
    clock flip[i in coordinate]: hazard(affine(v[i] * slope[i], v[i] * curve[i])) => { v[i] = -v[i]; }
    clock turn: every(1.0) => { let k = rng.random_range(0..d); v[k] = 1.0; }
    observe x[i in coordinate] = x[i];
});

stages!(thinned: model Thinned {
    state n: u64 = 0;
    state x: f64 = 0.0;
    state v: f64 = 1.0;
    flow (x, v) = (x * dt.cos() + v * dt.sin(), v * dt.cos() - x * dt.sin());
    clock constant: hazard(|s| (s + n as f64).sin().abs(), bound = 1.0) => { n += 1; }
    clock windows: hazard(|_| (v * x).max(0.0), bound = affine((v * x).max(0.0), 1.0), until = 0.5, adapt) => { v = -v; }
    clock random: hazard(|s, rng| rng.random_range(0.0..1.0) * s, bound = affine(0.0, 1.0, 0.5)) => { n += 1; }
});

stages!(crossed: model Crossed {
    param g: f64 = 9.81;
    index ball = 0..3;
    state x[k in ball]: f64 = 1.0;
    state v[k in ball]: f64 = 0.0;
    state phase: f64 = 0.0;
    flow (x[k], v[k]) [k in ball] = (x[k] + v[k] * dt - 0.5 * g * dt.powi(2), v[k] - g * dt);
    flow phase = phase + dt;
    clock bounce[k in ball]: crosses(x[k], down) => { v[k] = -v[k]; }
    clock beat: crosses(phase.sin() - 0.5, up, step = 0.5), priority = 1 => { phase = 0.0; }
    invariant above: x[0] > -1.0;
});

#[test]
fn a_large_model_is_tables() {
    let clocks = (0..70).map(|i| {
        let name = quote::format_ident!("c{i}");
        quote!(clock #name: rate(n as f64) => { n += 1; })
    });
    let timed = (0..17).map(|i| {
        let name = quote::format_ident!("t{i}");
        quote!(clock #name: every(1.0) => {})
    });
    let tokens = quote!(model Large { state n: u64 = 0; #(#clocks)* #(#timed)* });
    let mut errors = Errors::default();
    let model = syntax::parse(tokens, &mut errors).expect("a model");
    let resolved = resolve::resolve(&model, &mut errors);
    let graph = graph::derive(&resolved);
    let plan = plan::lay_out(&graph, model.options.select, model.options.ticks);
    let summary: String = plan.to_string().lines().take(1).collect();
    insta::assert_snapshot!(summary);
    let expansion = expand::format(&emit::emit(&model, &resolved, &graph, &plan));
    let clock = expansion.find("fn __cr_fire_c3").expect("a function for the clock");
    insta::assert_snapshot!("a_large_model_fires", &expansion[clock..][..2200]);
}

/// While the user is typing, what is there already stays usable.
#[test]
fn an_incomplete_input_still_gives_its_types() {
    let tokens = quote! {
        pub model Typing {
            param k: f64 = 1.0;
            state a: u64 = 0;
            clock tick: rate(k) => { a. }
            clock tack: rate(
            ) => { }
            observe
        }
    };
    insta::assert_snapshot!(expand::format(&compile::simulation(tokens)));
}

#[test]
fn configured_items_are_asked_for_and_stripped() {
    let block = quote! {
        model Configured {
            #[cfg(feature = "x")]
            state a: u64 = 0;
            /// Stays.
            #[cfg(not(feature = "x"))]
            #[cfg(unix)]
            clock c: rate(1.0) => { };
            state b: u64 = 0;
            action d() { }
            #[cfg(unix)]
            clock e if 1 >= 2: rate(1.0) => d();
        }
    };
    insta::assert_snapshot!("configured_asks", expand::format(&compile::simulation(block.clone())));
    let answered = quote!(__cr_cfg_answers { false true true } #block);
    let crate::cfg::Decision::Ready(stripped) = crate::cfg::decide(answered) else { panic!("the answers are there") };
    insta::assert_snapshot!("configured_stripped", stripped);
}

#[test]
fn messages_come_all_at_once_and_in_order() {
    let messages = messages(quote! {
        model Wrong {
            param k: f64 = 1.0;
            state a: u64 = 0;
            let b = c + 1;
            let c = b;
            clock t: rate({ a += 1; now }) => { k = 2.0; let a = 3; nothing(); act(1); }
            action act() {}
            stop s if k > 1.0;
        }
    });
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn messages_about_families() {
    let messages = messages(quote! {
        model Wrong {
            index site = 0..m;
            index row = 0..2;
            relation near(i in site) -> sites = [i], inverse back;
            state relation link(i in row) -> row = [i];
            state m: usize = 3;
            state u[k in site]: u64 = 0;
            state s[i in row][i in site]: u64 = 0;
            state w[(i, j) in nowhere]: u64 = 0;
            let twice[k in site] = 2 * u[k];
            clock c[k in site] if link.insert(0, 1): rate((u[0][0] + s[k] + twice + near(k, k)) as f64) => {
                k = 3;
                near.insert(k, k);
                link.remove(k, 1);
                let site = 3;
                act(link);
            }
            action act(i in row) { s[0][i] = 1; back = 3; }
        }
    });
    insta::assert_snapshot!(messages.join("\n"));
}

#[test]
fn messages_about_the_syntax_of_families() {
    let messages = messages(quote! {
        model Wrong {
            index a = 1..3;
            index b = n;
            param p[k in a]: f64 = 1.0;
            state u[k]: u64 = 0;
            relation r -> a = 3;
            clock c[i in a, j in a]: rate(1.0) => {}
            #[select(tree)]
            clock d: rate(1.0) => {}
            #[select(other)]
            clock e[k in a]: rate(1.0) => {}
            reaction f[k in a]: u[k, k] -> @ 1.0;
        }
    });
    insta::assert_snapshot!(messages.join("\n"));
}
