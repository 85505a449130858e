//! Queues by activities and events against their formulas. Replicates start empty, warm up, and are then
//! observed; every limit comes from the spread of the replicates.

use clockrace::rand_distr::Exp;
use clockrace::resource::{Preemptive, Resource};
use clockrace::{Model, Simulation, simulation};
use clockrace_tests::{Average, Chain, Service, assert_mean, chi_square, chi_square_two, kolmogorov_two, replicates};

const SEEDS: [u64; 3] = [1, 2, 3];
/// Of each seed.
const REPLICATES: u64 = 100;
const WARM_UP: f64 = 500.0;
const END: f64 = 2500.0;

/// A row of numbers for each replicate: time averages of `outputs` functions of the state, and what `last` says in the
/// end.
fn rows<M: Model + Clone, const N: usize>(
    model: &M,
    outputs: usize,
    of: impl Fn(&M::State, &mut [f64]),
    last: impl Fn(&Simulation<M>) -> [f64; N],
) -> Vec<Vec<f64>> {
    let mut rows = Vec::new();
    for seed in SEEDS {
        for mut sim in replicates(model, seed, REPLICATES) {
            sim.warm_up(WARM_UP).unwrap();
            let mut average = Average::new(outputs, &of);
            sim.run_with(&mut average, END).unwrap();
            let mut row = average.means();
            row.extend(last(&sim));
            rows.push(row);
        }
    }
    rows
}

fn column(rows: &[Vec<f64>], i: usize) -> Vec<f64> {
    rows.iter().map(|row| row[i]).collect()
}

/// The number of those for whom something happened less its share of all, which in the steady state has the mean zero
/// for a window of any length.
fn excess(some: u64, share: f64, all: u64) -> f64 {
    some as f64 - share * all as f64
}

simulation! {
    /// A call centre whose callers hang up after an exponential time.
    model ErlangA {
        param lambda: f64;
        param mu: f64 = 1.0;
        /// One over the mean patience.
        param theta: f64;
        param servers: usize;
        state free: usize = servers;
        state n: usize = 0;
        tally came: u64 = 0;
        tally delayed: u64 = 0;
        tally abandoned: u64 = 0;
        clock arrival: rate(lambda) => { caller.start(); }
        activity caller() {
            came += 1;
            n += 1;
            defer { n -= 1; }
            if free == 0 { delayed += 1; }
            if !wait_for(free > 0, timeout = rng.sample(Exp::new(theta)?)) {
                abandoned += 1;
                return;
            }
            free -= 1;
            wait(rng.sample(Exp::new(mu)?));
            free += 1;
        }
    }
}

impl ErlangA {
    /// Probabilities of waiting and of abandonment, and the mean number that waits.
    ///
    /// The number in the system is a birth-death process, which leaves n at the rate μ min(n, c) + θ (n − c)⁺: Palm,
    /// Ericsson Technics 11 (1957); Garnett, Mandelbaum and Reiman, Manufacturing & Service Operations Management 4
    /// (2002) 208.
    fn law(&self) -> [f64; 3] {
        let (mut weight, mut sum, mut delayed, mut line) = (1.0, 0.0, 0.0, 0.0);
        for n in 0..1000 {
            sum += weight;
            let excess = n as f64 - self.servers as f64;
            if excess >= 0.0 {
                delayed += weight;
                line += weight * excess;
            }
            let next = (n + 1) as f64;
            let busy = next.min(self.servers as f64);
            weight *= self.lambda / (self.mu * busy + self.theta * (next - busy));
        }
        [delayed / sum, self.theta * line / (self.lambda * sum), line / sum]
    }
}

#[test]
fn erlang_a_is_that_of_poisson_and_of_erlang() {
    // If patience has the law of services, nobody notices who serves: the number is Poisson.
    let [delayed, _, line] = ErlangA { lambda: 2.0, mu: 1.0, theta: 1.0, servers: 3 }.law();
    let below = (-2.0_f64).exp() * (1.0 + 2.0 + 2.0);
    assert!((delayed - (1.0 - below)).abs() < 1e-12);
    // E (n − 3)⁺ of a Poisson law of mean 2.
    let exact = 2.0 - 3.0 + (-2.0_f64).exp() * (3.0 + 2.0 * 2.0 + 2.0);
    assert!((line - exact).abs() < 1e-12);
    // Without abandonment it is Erlang's C.
    let [delayed, abandoned, _] = ErlangA { lambda: 4.0, mu: 1.0, theta: 0.0, servers: 5 }.law();
    assert!((delayed - 0.554_113).abs() < 1e-6 && abandoned == 0.0);
}

#[test]
fn the_impatient_wait_and_leave_by_erlang_a() {
    for (servers, lambda, theta) in [(1, 0.5, 0.5), (1, 1.6, 0.5), (5, 3.0, 0.2), (5, 6.0, 0.5), (5, 6.0, 2.0)] {
        let model = ErlangA { lambda, mu: 1.0, theta, servers };
        let [delayed, abandoned, line] = model.law();
        let rows = rows(
            &model,
            1,
            |state, out| out[0] = state.n.saturating_sub(servers) as f64,
            |sim| {
                let tallies = sim.tallies();
                [excess(tallies.delayed, delayed, tallies.came), excess(tallies.abandoned, abandoned, tallies.came)]
            },
        );
        let what = format!("{servers} servers, λ = {lambda}, θ = {theta}");
        assert_mean(format!("number waiting, {what}"), &column(&rows, 0), line);
        assert_mean(format!("delayed, {what}"), &column(&rows, 1), 0.0);
        assert_mean(format!("abandoned, {what}"), &column(&rows, 2), 0.0);
    }
}

simulation! {
    /// Poisson arrivals, first come first served, by a resource with statistics of its own.
    model Station {
        param lambda: f64;
        param service: Service;
        param servers: usize;
        state desk: Resource = Resource::new(servers);
        tally came: u64 = 0;
        tally delayed: u64 = 0;
        tally served: u64 = 0;
        tally waited: f64 = 0.0;
        tally sojourn: f64 = 0.0;
        clock arrival: rate(lambda) => { customer.start(); }
        activity customer() {
            let asked: f64 = desk.ask(now)?;
            came += 1;
            if !desk.is_free() { delayed += 1; }
            wait_for(desk.is_free());
            desk.seize(asked, now)?;
            served += 1;
            waited += now - asked;
            wait(rng.sample(service));
            desk.release(now)?;
            sojourn += now - asked;
        }
        clock measured: at(WARM_UP) => { desk.reset(now)?; }
        observe inside = customer.len();
    }
}

/// For each replicate: mean numbers in line and at work as the resource counts them, the number inside as the
/// activity counts its instances, and how far the delayed and the waits exceed what was expected.
fn station(model: &Station, delay: f64, wait: f64) -> Vec<Vec<f64>> {
    rows(
        model,
        1,
        |state, out| out[0] = (state.desk.queue().len() + state.desk.busy()) as f64,
        |sim| {
            let (state, tallies) = (sim.state(), sim.tallies());
            assert_eq!(sim.observe().unwrap().inside, (state.desk.queue().len() + state.desk.busy()) as f64);
            let (line, busy) = (state.desk.queue().mean_length(END), state.desk.usage().mean(END));
            [line, busy, excess(tallies.delayed, delay, tallies.came), tallies.waited - wait * tallies.served as f64]
        },
    )
}

fn assert_station(what: &str, model: &Station, delay: f64, wait: f64) {
    let rows = station(model, delay, wait);
    let line = model.lambda * wait;
    assert_mean(format!("number inside, {what}"), &column(&rows, 0), line + model.lambda);
    assert_mean(format!("number in line, {what}"), &column(&rows, 1), line);
    assert_mean(format!("servers at work, {what}"), &column(&rows, 2), model.lambda);
    assert_mean(format!("delayed, {what}"), &column(&rows, 3), 0.0);
    assert_mean(format!("waits, {what}"), &column(&rows, 4), 0.0);
}

/// Probability that an arrival waits, for services of mean 1.
fn erlang_c(servers: u32, load: f64) -> f64 {
    // By Erlang's B, the recursion of which is B(c) = a B(c − 1) / (c + a B(c − 1)).
    let blocked = (1..=servers).fold(1.0, |b, c| load * b / (f64::from(c) + load * b));
    let idle = 1.0 - load / f64::from(servers);
    blocked / (idle + (1.0 - idle) * blocked)
}

#[test]
fn several_servers_delay_by_erlang_c() {
    assert!((erlang_c(5, 4.0) - 0.554_113).abs() < 1e-6);
    for (servers, lambda) in [(1, 0.7), (2, 1.4), (5, 3.5)] {
        let delay = erlang_c(servers, lambda);
        let model = Station { lambda, service: Service::Exponential, servers: servers as usize };
        assert_station(&format!("{servers} servers"), &model, delay, delay / (f64::from(servers) - lambda));
    }
}

#[test]
fn one_server_delays_by_pollaczek_and_khinchine() {
    for service in Service::ALL {
        for lambda in [0.5, 0.7] {
            // For services of mean 1.
            let wait = lambda * service.second_moment() / (2.0 * (1.0 - lambda));
            let model = Station { lambda, service, servers: 1 };
            assert_station(&format!("{service:?} at ρ = {lambda}"), &model, lambda, wait);
        }
    }
}

/// Rounds up to a multiple of 2⁻²⁰, of which sums and differences are exact.
fn dyadic(time: f64, rounded: bool) -> f64 {
    if rounded { (time * 1_048_576.0).ceil() / 1_048_576.0 } else { time }
}

simulation! {
    /// Two classes at one server, the first of which stops the work for the second: by the speed of the work.
    model BySpeed {
        param lambda: [f64; 2];
        param mean: [f64; 2];
        param service: [Service; 2];
        param rounded: bool = false;
        index class = 0..2;
        state n[k in class]: u64 = 0;
        state busy[k in class]: bool = false;
        state log: Vec<(usize, f64, f64)> = Vec::new();
        tally left[k in class]: u64 = 0;
        tally sojourn[k in class]: f64 = 0.0;
        event arrive[k in class]() => {
            job.start(k, dyadic(mean[k] * rng.sample(service[k]), rounded));
            arrive[k].after(dyadic(rng.sample(Exp::new(lambda[k])?), rounded));
        }
        activity job(k in class, work: f64) {
            let came = now;
            n[k] += 1;
            wait_for(!busy[k]);
            busy[k] = true;
            wait(work, speed = if k == 0 || n[0] == 0 { 1.0 } else { 0.0 });
            busy[k] = false;
            n[k] -= 1;
            left[k] += 1;
            sojourn[k] += now - came;
            if now < LOGGED { log.push((k, came, now)); }
        }
        init { for k in class { arrive[k].after(dyadic(rng.sample(Exp::new(lambda[k])?), rounded)); } }
    }
}

simulation! {
    /// The same by a resource that can be lost.
    model ByInterrupts {
        param lambda: [f64; 2];
        param mean: [f64; 2];
        param service: [Service; 2];
        param rounded: bool = false;
        index class = 0..2;
        state n[k in class]: u64 = 0;
        state came: i64 = 0;
        state server: Preemptive<Key<job>> = Preemptive::new(1);
        state log: Vec<(usize, f64, f64)> = Vec::new();
        tally left[k in class]: u64 = 0;
        tally sojourn[k in class]: f64 = 0.0;
        event arrive[k in class]() => {
            came += 1;
            job.start(k, came, dyadic(mean[k] * rng.sample(service[k]), rounded));
            arrive[k].after(dyadic(rng.sample(Exp::new(lambda[k])?), rounded));
        }
        // Who has been interrupted goes on before those of its class that came later.
        activity job(k in class, number: i64, work: f64), priority = (k as i64, number) {
            let came_at = now;
            n[k] += 1;
            let rank: i64 = k as i64;
            let mut rest: f64 = work;
            while rest > 0.0 {
                wait_for(server.admits(rank));
                server.seize(me, rank, now)?;
                rest = wait(rest, unless = server.lost(me));
                server.release(me, now)?;
            }
            n[k] -= 1;
            left[k] += 1;
            sojourn[k] += now - came_at;
            if now < LOGGED { log.push((k, came_at, now)); }
        }
        init { for k in class { arrive[k].after(dyadic(rng.sample(Exp::new(lambda[k])?), rounded)); } }
    }
}

/// Until when departures are noted.
const LOGGED: f64 = 1000.0;

/// Mean times in the system with preemption and resumption: Bertsekas and Gallager, Data Networks (1992), § 3.5.3.
fn preemptive_resume(lambda: [f64; 2], mean: [f64; 2], service: [Service; 2]) -> [f64; 2] {
    let load: [f64; 2] = std::array::from_fn(|k| lambda[k] * mean[k]);
    let residual: [f64; 2] = std::array::from_fn(|k| lambda[k] * mean[k] * mean[k] * service[k].second_moment() / 2.0);
    let first = 1.0 - load[0];
    let both = first - load[1];
    [mean[0] + residual[0] / first, mean[1] / first + (residual[0] + residual[1]) / (first * both)]
}

#[test]
fn the_more_urgent_stop_others_and_these_resume() {
    assert_eq!(preemptive_resume([0.0, 0.5], [1.0, 1.0], [Service::Exponential; 2])[1], 2.0);
    let (lambda, mean) = ([0.3, 0.3], [1.0, 1.2]);
    for service in [
        [Service::Exponential, Service::Exponential],
        [Service::Fixed, Service::Uniform],
        [Service::Hyperexponential, Service::Fixed],
    ] {
        let exact = preemptive_resume(lambda, mean, service);
        // Both models have the same names.
        macro_rules! check {
            ($model:ident) => {
                let rows = rows(
                    &$model { lambda, mean, service, rounded: false },
                    2,
                    |state, out| {
                        for k in 0..2 {
                            out[k] = state.n[k] as f64;
                        }
                    },
                    |sim| {
                        let tallies = sim.tallies();
                        [0, 1].map(|k| tallies.sojourn[k] - exact[k] * tallies.left[k] as f64)
                    },
                );
                for k in 0..2 {
                    let what = format!("{} of class {k}, {service:?}", stringify!($model));
                    assert_mean(format!("number {what}"), &column(&rows, k), lambda[k] * exact[k]);
                    assert_mean(format!("time {what}"), &column(&rows, 2 + k), 0.0);
                }
            };
        }
        check!(BySpeed);
        check!(ByInterrupts);
    }
}

#[test]
fn interrupts_and_speeds_are_the_same_work() {
    let (lambda, mean) = ([0.3, 0.3], [1.0, 1.2]);
    for service in [[Service::Exponential, Service::Uniform], [Service::Hyperexponential, Service::Erlang3]] {
        for seed in SEEDS {
            for rounded in [true, false] {
                let mut by_speed = BySpeed { lambda, mean, service, rounded }.start(seed).unwrap();
                let mut by_interrupts = ByInterrupts { lambda, mean, service, rounded }.start(seed).unwrap();
                by_speed.run_until(LOGGED).unwrap();
                by_interrupts.run_until(LOGGED).unwrap();
                assert!(by_interrupts.state().server.preempted() > 50);
                let (left, right) = (&by_speed.state().log, &by_interrupts.state().log);
                assert!(left.len() > 400);
                if rounded {
                    // Times are exact, so that the two ways of counting what is left cannot differ.
                    assert_eq!(left, right);
                } else {
                    assert_eq!(left.len(), right.len());
                    for (left, right) in left.iter().zip(right) {
                        assert_eq!((left.0, left.1), (right.0, right.1));
                        assert!((left.2 - right.2).abs() < 1e-10, "{left:?} and {right:?}");
                    }
                }
            }
        }
    }
}

simulation! {
    /// One server and room for a few, by clocks.
    model ByClocks {
        param lambda: f64;
        param mu: f64 = 1.0;
        param room: usize;
        state n: usize = 0;
        /// When somebody was turned away for the first time.
        state full: f64 = never;
        tally came: u64 = 0;
        tally blocked: u64 = 0;
        clock arrival: rate(lambda) => {
            came += 1;
            if n < room { n += 1; } else { blocked += 1; full = full.min(now); }
        }
        clock service if n > 0: rate(mu) => { n -= 1; }
    }
}

simulation! {
    /// The same by events.
    model ByEvents {
        param lambda: f64;
        param mu: f64 = 1.0;
        param room: usize;
        state n: usize = 0;
        state full: f64 = never;
        tally came: u64 = 0;
        tally blocked: u64 = 0;
        event arrival() => {
            came += 1;
            if n < room {
                n += 1;
                if n == 1 { service.after(rng.sample(Exp::new(mu)?)); }
            } else {
                blocked += 1;
                full = full.min(now);
            }
            arrival.after(rng.sample(Exp::new(lambda)?));
        }
        event service() => {
            n -= 1;
            if n > 0 { service.after(rng.sample(Exp::new(mu)?)); }
        }
        init { arrival.after(rng.sample(Exp::new(lambda)?)); }
    }
}

simulation! {
    /// The same by activities, one that brings the customers and the customers.
    model ByActivities {
        param lambda: f64;
        param mu: f64 = 1.0;
        param room: usize;
        state n: usize = 0;
        state busy: bool = false;
        state full: f64 = never;
        tally came: u64 = 0;
        tally blocked: u64 = 0;
        line queue;
        activity source() {
            loop {
                wait(rng.sample(Exp::new(lambda)?));
                customer.start();
            }
        }
        activity customer() {
            came += 1;
            if n == room {
                blocked += 1;
                full = full.min(now);
                return;
            }
            n += 1;
            defer { n -= 1; }
            wait_for(!busy, line = queue);
            busy = true;
            defer { busy = false; }
            wait(rng.sample(Exp::new(mu)?));
        }
        init { source.start(); }
        invariant all: queue.len() + busy as usize == n;
    }
}

/// The probabilities of 0, 1, … `room` customers: geometric, cut off.
fn finite_buffer(load: f64, room: usize) -> Vec<f64> {
    let weights: Vec<f64> = (0..=room).map(|n| load.powi(n as i32)).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

/// For each of the three models in turn.
macro_rules! each_way {
    ($check:ident) => {
        $check!(ByClocks);
        $check!(ByEvents);
        $check!(ByActivities);
    };
}

#[test]
fn a_finite_buffer_blocks_by_the_geometric_law() {
    for (lambda, room) in [(0.7, 4), (1.5, 3)] {
        let law = finite_buffer(lambda, room);
        let number: f64 = law.iter().enumerate().map(|(n, p)| n as f64 * p).sum();
        macro_rules! check {
            ($model:ident) => {
                let rows = rows(
                    &$model { lambda, mu: 1.0, room },
                    1,
                    |state, out| out[0] = state.n as f64,
                    |sim| [excess(sim.tallies().blocked, law[room], sim.tallies().came)],
                );
                let what = format!("{}, λ = {lambda}, room for {room}", stringify!($model));
                assert_mean(format!("number, {what}"), &column(&rows, 0), number);
                assert_mean(format!("blocked, {what}"), &column(&rows, 1), 0.0);
            };
        }
        each_way!(check);
    }
}

#[test]
fn clocks_events_and_activities_have_one_law() {
    let (lambda, room) = (1.2, 3);
    let births = (0..room).map(|n| (n, n + 1, lambda));
    let chain = Chain::new(room + 1, births.chain((1..=room).map(|n| (n, n - 1, 1.0))));
    // Early, so that the start counts, and soon after, so that both together are a law of paths.
    let early = chain.after(1.5, &chain.at(0));
    let joint: Vec<f64> = (0..=room)
        .flat_map(|n| chain.after(1.0, &chain.at(n)).into_iter().map(|p| early[n] * p).collect::<Vec<f64>>())
        .collect();
    let mut found: Vec<(Vec<usize>, Vec<f64>)> = Vec::new();
    macro_rules! check {
        ($model:ident) => {
            let (mut counts, mut full) = (Vec::new(), Vec::new());
            for seed in SEEDS {
                for mut sim in replicates(&$model { lambda, mu: 1.0, room }, seed, 10_000) {
                    sim.run_until(1.5).unwrap();
                    let first = sim.state().n;
                    sim.run_until(2.5).unwrap();
                    counts.push((room + 1) * first + sim.state().n);
                    sim.run_until(20.0).unwrap();
                    full.push(sim.state().full.min(20.0));
                }
            }
            chi_square(stringify!($model), &counts, &joint);
            found.push((counts, full));
        };
    }
    each_way!(check);
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        chi_square_two(format!("numbers, {i} and {j}"), &found[i].0, &found[j].0);
        kolmogorov_two(format!("first blocked, {i} and {j}"), &mut found[i].1.clone(), &mut found[j].1.clone());
    }
}

simulation! {
    /// Machines that run for some time and are then repaired, by a few.
    model Repair {
        param machines: usize;
        param repairers: usize;
        param running: Service;
        param up: f64;
        state free: usize = repairers;
        state down: usize = 0;
        activity machine() {
            loop {
                wait(up * rng.sample(running));
                down += 1;
                wait_for(free > 0);
                free -= 1;
                wait(rng.sample(Service::Exponential));
                free += 1;
                down -= 1;
            }
        }
        init { for _ in 0..machines { machine.start(); } }
    }
}

#[test]
fn machines_are_down_by_the_product_form() {
    // Exponential repairs in order of arrival and running times of any law: Baskett, Chandy, Muntz and Palacios,
    // Journal of the ACM 22 (1975) 248, stations of type 1 and 3.
    let (machines, up) = (6_usize, 3.0);
    for (repairers, running) in
        [(1, Service::Exponential), (2, Service::Exponential), (2, Service::Uniform), (1, Service::Hyperexponential)]
    {
        let weights: Vec<f64> = (0..=machines)
            .map(|down| {
                let broken = (1..=down).map(|k| 1.0 / k.min(repairers) as f64).product::<f64>();
                let running = (1..=machines - down).map(|k| up / k as f64).product::<f64>();
                broken * running
            })
            .collect();
        let sum: f64 = weights.iter().sum();
        let rows = rows(
            &Repair { machines, repairers, running, up },
            machines + 1,
            |state, out| out[state.down] = 1.0,
            |_| [],
        );
        for (down, weight) in weights.iter().enumerate() {
            let what = format!("{down} of {machines} down, {repairers} repairers, {running:?}");
            assert_mean(what, &column(&rows, down), weight / sum);
        }
    }
}

simulation! {
    /// Users who think, share a processor, and may then need a disk.
    model Terminals {
        param users: usize;
        param think: Service;
        param work: Service;
        /// Mean times of thinking, of work and at the disk.
        param mean: [f64; 3];
        /// The probability of going to the disk, and then back to the processor.
        param again: f64;
        state at_work: usize = 0;
        state at_disk: usize = 0;
        state disk_busy: bool = false;
        let share = 1.0 / at_work.max(1) as f64;
        activity user() {
            loop {
                wait(mean[0] * rng.sample(think));
                compute.run();
                while rng.random_bool(again) {
                    at_disk += 1;
                    wait_for(!disk_busy);
                    disk_busy = true;
                    wait(mean[2] * rng.sample(Service::Exponential));
                    disk_busy = false;
                    at_disk -= 1;
                    compute.run();
                }
            }
        }
        activity compute() {
            at_work += 1;
            wait(mean[1] * rng.sample(work), speed = share);
            at_work -= 1;
        }
        init { for _ in 0..users { user.start(); } }
        invariant closed: at_work + at_disk <= users;
    }
}

#[test]
fn a_closed_network_with_a_shared_processor_has_the_product_form() {
    // Stations of type 3, 2 and 1 of Baskett and others; visits per round of thinking are 1, 1 / (1 − again),
    // again / (1 − again).
    let (users, mean, again) = (4_usize, [2.0, 0.4, 0.5], 0.5);
    let demand = [mean[0], mean[1] / (1.0 - again), mean[2] * again / (1.0 - again)];
    let mut weights = Vec::new();
    let mut places = Vec::new();
    for at_work in 0..=users {
        for at_disk in 0..=users - at_work {
            let thinking = (1..=users - at_work - at_disk).map(|k| demand[0] / k as f64).product::<f64>();
            weights.push(thinking * demand[1].powi(at_work as i32) * demand[2].powi(at_disk as i32));
            places.push((at_work, at_disk));
        }
    }
    let sum: f64 = weights.iter().sum();
    for (think, work) in [(Service::Exponential, Service::Exponential), (Service::Uniform, Service::Hyperexponential)] {
        let rows = rows(
            &Terminals { users, think, work, mean, again },
            places.len(),
            |state, out| {
                let here = (state.at_work, state.at_disk);
                out[places.iter().position(|&place| place == here).unwrap()] = 1.0;
            },
            |_| [],
        );
        for (i, (weight, place)) in weights.iter().zip(&places).enumerate() {
            assert_mean(format!("{place:?} at work and at the disk, {work:?}"), &column(&rows, i), weight / sum);
        }
    }
}
