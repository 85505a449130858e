//! Resources on random histories against a naive recomputation from what happened, and in models against formulas.

use super::*;
use crate::rng::{Rng, stream, uniform};
use crate::simulation;

/// One step of a history: some time goes by, then something is done.
#[derive(Clone, Copy, Debug)]
struct Step {
    wait: f64,
    action: usize,
    /// What or whom it is done to.
    pick: usize,
}

fn below(n: usize, rng: &mut Rng) -> usize {
    (uniform(rng) * n as f64) as usize
}

/// Random histories of all lengths; often several things happen in one instant.
fn each_history(check: impl Fn(&[Step])) {
    for seed in 0..400 {
        let rng = &mut stream(seed, 0);
        let length = below(80, rng);
        let wait = |rng: &mut Rng| if uniform(rng) < 0.3 { 0.0 } else { 3.0 * uniform(rng) };
        let step = |_| Step { wait: wait(rng), action: below(1000, rng), pick: below(1000, rng) };
        check(&(0..length).map(step).collect::<Vec<Step>>());
    }
}

/// All values that something ever had, each with the time from which it had it.
struct Past(Vec<(f64, f64)>);

impl Past {
    fn new(value: f64) -> Self {
        Past(vec![(0.0, value)])
    }

    fn note(&mut self, now: f64, value: f64) {
        self.0.push((now, value));
    }

    /// The statistics must be those from `from` to `now`, in two passes over all that lasted.
    fn agrees(&self, found: &TimeWeighted, from: f64, now: f64) {
        let ends = self.0.iter().skip(1).map(|&(time, _)| time).chain([f64::INFINITY]);
        let pieces = self.0.iter().zip(ends).map(|(&(start, value), end)| (value, end.min(now) - start.max(from)));
        let mut pieces: Vec<(f64, f64)> = pieces.filter(|&(_, time)| time > 0.0).collect();
        let last = self.0[self.0.len() - 1].1;
        if pieces.is_empty() {
            pieces.push((last, 1.0));
        }
        let time: f64 = pieces.iter().map(|&(_, time)| time).sum();
        let mean = pieces.iter().map(|&(value, time)| value * time).sum::<f64>() / time;
        let squares: f64 = pieces.iter().map(|&(value, time)| (value - mean) * (value - mean) * time).sum();
        close(found.mean(now), mean);
        close(found.variance(now), squares / time);
        let values = pieces.iter().map(|&(value, _)| value);
        assert_eq!(found.min(now), values.clone().fold(f64::INFINITY, f64::min));
        assert_eq!(found.max(now), values.fold(f64::NEG_INFINITY, f64::max));
        assert_eq!(found.value(), last);
    }
}

fn close(found: f64, exact: f64) {
    assert!((found - exact).abs() <= 1e-11 * exact.abs().max(1.0), "{found} is not {exact}");
}

/// The tally must be that of these values.
fn tallied(found: &Tally, values: &[f64]) {
    assert_eq!(found.count(), values.len() as u64);
    if values.is_empty() {
        assert!(found.mean().is_nan() && found.min().is_nan() && found.max().is_nan());
        return;
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    close(found.mean(), mean);
    if values.len() > 1 {
        close(found.variance(), values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0));
    } else {
        assert!(found.variance().is_nan());
    }
    assert_eq!(found.min(), values.iter().copied().fold(f64::INFINITY, f64::min));
    assert_eq!(found.max(), values.iter().copied().fold(f64::NEG_INFINITY, f64::max));
}

/// A queue, naively: who waits, by a key and the time at which they asked.
struct Line {
    waiting: Vec<(usize, f64)>,
    past: Past,
    asked: u64,
    waits: Vec<f64>,
    reneging: Vec<f64>,
}

impl Line {
    fn new() -> Self {
        Line { waiting: Vec::new(), past: Past::new(0.0), asked: 0, waits: Vec::new(), reneging: Vec::new() }
    }

    fn ask(&mut self, key: usize, now: f64) {
        self.asked += 1;
        self.waiting.push((key, now));
        self.past.note(now, self.waiting.len() as f64);
    }

    fn leave(&mut self, place: usize, served: bool, now: f64) {
        let (_, asked) = self.waiting.remove(place);
        if served { &mut self.waits } else { &mut self.reneging }.push(now - asked);
        self.past.note(now, self.waiting.len() as f64);
    }

    fn reset(&mut self) {
        self.asked = 0;
        self.waits.clear();
        self.reneging.clear();
    }

    fn agrees(&self, found: &Queue, from: f64, now: f64) {
        assert_eq!((found.len(), found.is_empty()), (self.waiting.len(), self.waiting.is_empty()));
        assert_eq!(
            (found.asked(), found.served(), found.reneged()),
            (self.asked, self.waits.len() as u64, self.reneging.len() as u64)
        );
        self.past.agrees(found.lengths(), from, now);
        assert_eq!(found.mean_length(now), found.lengths().mean(now));
        assert_eq!(found.max_length(now), found.lengths().max(now));
        tallied(found.waits(), &self.waits);
        tallied(found.reneging(), &self.reneging);
    }
}

/// Runs a history: `act` is given the time, the step, and the time of the last reset, which it may set.
fn run(history: &[Step], mut act: impl FnMut(f64, Step, &mut f64)) {
    let (mut now, mut from) = (0.0, 0.0);
    for &step in history {
        now += step.wait;
        act(now, step, &mut from);
    }
}

/// What is refused changes nothing.
fn refused<T: Clone + PartialEq + std::fmt::Debug, O: PartialEq + std::fmt::Debug>(
    value: &mut T,
    error: ResourceError,
    act: impl FnOnce(&mut T) -> Result<O, ResourceError>,
) {
    let before = value.clone();
    assert_eq!(act(value), Err(error));
    assert_eq!(*value, before);
}

#[test]
fn values_that_change_by_steps() {
    each_history(|history| {
        let (mut found, mut past) = (TimeWeighted::new(2.0), Past::new(2.0));
        run(history, |now, step, from| {
            let value = step.pick as f64 / 100.0 - 4.0;
            match step.action % 7 {
                0 => {
                    found.reset(now).unwrap();
                    *from = now;
                }
                1..=3 => {
                    found.set(value, now).unwrap();
                    past.note(now, value);
                }
                4 => {
                    found.add(value, now).unwrap();
                    past.note(now, found.value());
                }
                5 => refused(&mut found, ResourceError::Value { value: f64::INFINITY }, |v| v.set(f64::INFINITY, now)),
                _ => past.agrees(&found, *from, now + value.abs()),
            }
            past.agrees(&found, *from, now);
        });
    });
}

#[test]
fn counted_resources() {
    each_history(|history| {
        let capacity = history.len() % 4;
        let mut found = Resource::new(capacity);
        let (mut line, mut busy, mut past) = (Line::new(), 0, Past::new(0.0));
        run(history, |now, step, from| {
            let place = step.pick % line.waiting.len().max(1);
            let asked = line.waiting.get(place).map(|&(_, asked)| asked);
            match (step.action % 10, asked) {
                (0, _) => {
                    found.reset(now).unwrap();
                    line.reset();
                    *from = now;
                }
                (1..=4, _) => {
                    assert_eq!(found.ask(now), Ok(now));
                    line.ask(0, now);
                }
                (5, Some(asked)) => {
                    found.renege(asked, now).unwrap();
                    line.leave(place, false, now);
                }
                (5, None) => refused(&mut found, ResourceError::NotAsked, |r| r.renege(now, now)),
                (6 | 7, _) if busy == capacity => {
                    refused(&mut found, ResourceError::NotFree { capacity }, |r| r.seize(now, now));
                }
                (6 | 7, Some(asked)) => {
                    found.seize(asked, now).unwrap();
                    line.leave(place, true, now);
                    busy += 1;
                    past.note(now, busy as f64);
                }
                (6 | 7, None) => refused(&mut found, ResourceError::NotAsked, |r| r.seize(now, now)),
                _ if busy == 0 => refused(&mut found, ResourceError::NotSeized, |r| r.release(now)),
                _ => {
                    found.release(now).unwrap();
                    busy -= 1;
                    past.note(now, busy as f64);
                }
            }
            let until = now + step.wait;
            past.agrees(found.usage(), *from, until);
            line.agrees(found.queue(), *from, until);
            assert_eq!((found.busy(), found.free(), found.is_free()), (busy, capacity - busy, busy < capacity));
            assert_eq!(found.seized(), line.waits.len() as u64);
            if capacity > 0 {
                close(found.utilisation(until), found.usage().mean(until) / capacity as f64);
            }
        });
    });
}

#[test]
fn preemptive_resources() {
    each_history(|history| {
        let capacity = history.len() % 4;
        let mut found = Preemptive::new(capacity);
        let (mut line, mut past) = (Line::new(), Past::new(0.0));
        // In the order in which they seized.
        let mut holders: Vec<(usize, i64)> = Vec::new();
        let mut lost: Vec<usize> = Vec::new();
        let (mut seized, mut preempted) = (0, 0);
        run(history, |now, step, from| {
            let (key, priority) = (step.pick % 9, (step.pick / 9 % 4) as i64 - 1);
            let waits = line.waiting.iter().position(|&(waiting, _)| waiting == key);
            let holds = holders.iter().position(|&(holder, _)| holder == key);
            let greatest = holders.iter().map(|&(_, priority)| priority).max();
            let admits = holders.len() < capacity || greatest.is_some_and(|greatest| greatest > priority);
            assert_eq!(found.admits(priority), admits);
            match step.action % 10 {
                0 => {
                    found.reset(now).unwrap();
                    line.reset();
                    (seized, preempted, *from) = (0, 0, now);
                }
                1 | 2 if waits.is_none() => {
                    found.ask(key, now).unwrap();
                    line.ask(key, now);
                }
                1..=3 => match waits {
                    Some(place) => {
                        found.renege(key, now).unwrap();
                        line.leave(place, false, now);
                    }
                    None => refused(&mut found, ResourceError::NotAsked, |r| r.renege(key, now)),
                },
                4..=7 if holds.is_some() => {
                    refused(&mut found, ResourceError::AlreadySeized, |r| r.seize(key, priority, now));
                }
                4..=7 if !admits => {
                    refused(&mut found, ResourceError::NotFree { capacity }, |r| r.seize(key, priority, now));
                }
                4..=7 => {
                    let loser = (holders.len() == capacity).then(|| {
                        let place = holders.iter().rposition(|&(_, priority)| Some(priority) == greatest).unwrap();
                        holders.remove(place).0
                    });
                    assert_eq!(found.seize(key, priority, now), Ok(loser));
                    lost.retain(|&other| other != key);
                    lost.extend(loser);
                    holders.push((key, priority));
                    seized += 1;
                    preempted += u64::from(loser.is_some());
                    if let Some(place) = waits {
                        line.leave(place, true, now);
                    }
                    past.note(now, holders.len() as f64);
                }
                _ if holds.is_none() && !lost.contains(&key) => {
                    refused(&mut found, ResourceError::NotSeized, |r| r.release(key, now));
                }
                _ => {
                    found.release(key, now).unwrap();
                    holders.retain(|&(holder, _)| holder != key);
                    lost.retain(|&other| other != key);
                    past.note(now, holders.len() as f64);
                }
            }
            let until = now + step.wait;
            past.agrees(found.usage(), *from, until);
            line.agrees(found.queue(), *from, until);
            for key in 0..9 {
                assert_eq!(found.holds(key), holders.iter().any(|&(holder, _)| holder == key));
                assert_eq!(found.lost(key), lost.contains(&key));
            }
            // The sort is stable.
            let mut sorted = holders.clone();
            sorted.sort_by_key(|&(_, priority)| priority);
            assert_eq!(found.holders().collect::<Vec<_>>(), sorted);
            assert_eq!((found.busy(), found.seized(), found.preempted()), (holders.len(), seized, preempted));
        });
    });
}

#[test]
fn stores() {
    each_history(|history| {
        let capacity = (history.len() % 3 > 0).then_some(history.len() % 5);
        let mut found = capacity.map_or_else(Store::new, Store::bounded);
        let (mut items, mut past, mut takers, mut putters) = (Vec::new(), Past::new(0.0), Line::new(), Line::new());
        let (mut puts, mut taken) = (0, 0);
        run(history, |now, step, from| {
            let place = step.pick % 4;
            match step.action % 12 {
                0 => {
                    found.reset(now).unwrap();
                    takers.reset();
                    putters.reset();
                    (puts, taken, *from) = (0, 0, now);
                }
                1..=5 if Some(items.len()) == capacity => {
                    let capacity = items.len();
                    refused(&mut found, ResourceError::Full { capacity }, |s| s.put(step.pick, now));
                }
                1..=5 => {
                    found.put(step.pick, now).unwrap();
                    items.push(step.pick);
                    puts += 1;
                    past.note(now, items.len() as f64);
                }
                6 | 7 => {
                    let fits = |item: &usize| step.action % 12 == 6 || item % 4 == place;
                    match items.iter().position(fits) {
                        Some(place) => {
                            let item = items.remove(place);
                            assert_eq!(found.take_where(fits, now), Ok(item));
                            taken += 1;
                            past.note(now, items.len() as f64);
                        }
                        None => refused(&mut found, ResourceError::NoItem, |s| s.take_where(fits, now)),
                    }
                }
                8 if items.is_empty() => refused(&mut found, ResourceError::NoItem, |s| s.take(now)),
                8 => {
                    assert_eq!(found.take(now), Ok(items.remove(0)));
                    taken += 1;
                    past.note(now, items.len() as f64);
                }
                action => {
                    let (line, queue) = match step.pick % 2 {
                        0 => (&mut takers, &mut found.takers),
                        _ => (&mut putters, &mut found.putters),
                    };
                    match line.waiting.get(place).copied() {
                        Some((_, asked)) if action != 9 => {
                            if action == 10 { queue.serve(asked, now) } else { queue.renege(asked, now) }.unwrap();
                            line.leave(place, action == 10, now);
                        }
                        _ => {
                            assert_eq!(queue.ask(now), Ok(now));
                            line.ask(0, now);
                        }
                    }
                }
            }
            let until = now + step.wait;
            past.agrees(found.lengths(), *from, until);
            takers.agrees(&found.takers, *from, until);
            putters.agrees(&found.putters, *from, until);
            assert!(found.iter().eq(&items) && found.front() == items.first());
            assert_eq!((found.len(), found.is_empty()), (items.len(), items.is_empty()));
            assert_eq!((found.is_full(), found.capacity()), (Some(items.len()) == capacity, capacity));
            assert_eq!((found.puts(), found.taken()), (puts, taken));
            assert_eq!(found.mean_length(until), found.lengths().mean(until));
            assert_eq!(found.max_length(until), found.lengths().max(until));
        });
    });
}

#[test]
fn containers() {
    each_history(|history| {
        let capacity = if history.len() % 3 == 0 { f64::INFINITY } else { 16.0 };
        let mut found = Container::new(capacity, 4.0).unwrap();
        let (mut level, mut past, mut put, mut taken) = (4.0, Past::new(4.0), 0.0, 0.0);
        run(history, |now, step, from| {
            // In eighths, so that all sums are exact.
            let amount = (step.pick % 64) as f64 / 8.0;
            assert_eq!((found.has(amount), found.has_room(amount)), (amount <= level, level + amount <= capacity));
            match step.action % 6 {
                0 => {
                    found.reset(now).unwrap();
                    (put, taken, *from) = (0.0, 0.0, now);
                }
                1..=3 if level + amount > capacity => {
                    let room = capacity - level;
                    refused(&mut found, ResourceError::NoRoom { amount, room }, |c| c.put(amount, now));
                }
                1..=3 => {
                    found.put(amount, now).unwrap();
                    level += amount;
                    put += amount;
                    past.note(now, level);
                }
                _ if amount > level => {
                    refused(&mut found, ResourceError::Short { amount, level }, |c| c.take(amount, now));
                }
                _ => {
                    found.take(amount, now).unwrap();
                    level -= amount;
                    taken += amount;
                    past.note(now, level);
                }
            }
            let until = now + step.wait;
            past.agrees(found.levels(), *from, until);
            assert_eq!((found.level(), found.room()), (level, capacity - level));
            assert_eq!((found.is_empty(), found.is_full()), (level == 0.0, level == capacity));
            assert_eq!((found.total_put(), found.total_taken()), (put, taken));
            assert_eq!(found.mean_level(until), found.levels().mean(until));
            assert_eq!(
                (found.min_level(until), found.max_level(until)),
                (found.levels().min(until), found.levels().max(until))
            );
        });
    });
}

#[test]
fn containers_of_any_amounts_stay_within_their_bounds() {
    each_history(|history| {
        let capacity = 1.0 + history.len() as f64 / 7.0;
        let mut found = Container::new(capacity, 0.0).unwrap();
        // What was put and not taken, exactly: amounts are tenths, kept as integers.
        let (mut tenths, whole) = (0, (capacity * 10.0).floor() as usize);
        run(history, |now, step, _| {
            let count = step.pick % 30;
            let amount = 0.1 * count as f64;
            if step.action % 2 == 0 {
                assert_eq!(found.has_room(amount), tenths + count <= whole, "{capacity} {tenths} {count}");
                if found.has_room(amount) {
                    found.put(amount, now).unwrap();
                    tenths += count;
                }
            } else {
                assert_eq!(found.has(amount), count <= tenths);
                if found.has(amount) {
                    found.take(amount, now).unwrap();
                    tenths -= count;
                }
            }
            close(found.level(), 0.1 * tenths as f64);
            assert!((0.0..=capacity).contains(&found.level()) && found.room() >= 0.0);
            assert_eq!(found.is_empty(), tenths == 0);
        });
    });
}

#[test]
fn gates() {
    each_history(|history| {
        let mut open = history.len() % 2 == 0;
        let mut found = if open { Gate::opened() } else { Gate::closed() };
        let (mut line, mut past, mut openings) = (Line::new(), Past::new(f64::from(u8::from(open))), 0);
        run(history, |now, step, from| {
            let place = step.pick % line.waiting.len().max(1);
            let asked = line.waiting.get(place).map(|&(_, asked)| asked);
            match (step.action % 9, asked) {
                (0, _) => {
                    found.reset(now).unwrap();
                    line.reset();
                    (openings, *from) = (0, now);
                }
                (1 | 2, _) => {
                    found.open(now).unwrap();
                    openings += u64::from(!open);
                    open = true;
                    past.note(now, 1.0);
                }
                (3, _) => {
                    found.close(now).unwrap();
                    open = false;
                    past.note(now, 0.0);
                }
                (4 | 5, _) => {
                    assert_eq!(found.ask(now), Ok(now));
                    line.ask(0, now);
                }
                (6 | 7, _) if !open => refused(&mut found, ResourceError::Closed, |g| g.pass(now, now)),
                (6 | 7, Some(asked)) => {
                    found.pass(asked, now).unwrap();
                    line.leave(place, true, now);
                }
                (_, Some(asked)) => {
                    found.renege(asked, now).unwrap();
                    line.leave(place, false, now);
                }
                _ => refused(&mut found, ResourceError::NotAsked, |g| g.renege(now, now)),
            }
            let until = now + step.wait;
            line.agrees(found.queue(), *from, until);
            past.agrees(found.usage(), *from, until);
            assert_eq!((found.is_open(), found.openings()), (open, openings));
        });
    });
}

simulation! {
    /// One server and preemption of the less urgent: customers of the first kind find those of the second kind absent.
    model Urgent {
        param lambda: f64 = 0.3;
        state cpu: Preemptive<u64> = Preemptive::new(1);
        state urgent: std::collections::VecDeque<u64> = Default::default();
        state others: std::collections::VecDeque<u64> = Default::default();
        state arrived: u64 = 0;
        clock first: rate(lambda) => {
            arrived += 1;
            cpu.ask(arrived, now)?;
            urgent.push_back(arrived);
        }
        clock second: rate(lambda) => {
            arrived += 1;
            cpu.ask(arrived, now)?;
            others.push_back(arrived);
        }
        clock begin_first if !urgent.is_empty() && cpu.admits(0): after(0.0) => {
            if let Some(key) = urgent.pop_front() {
                if let Some(loser) = cpu.seize(key, 0, now)? {
                    cpu.release(loser, now)?;
                    cpu.ask(loser, now)?;
                    others.push_front(loser);
                }
            }
        }
        clock begin_second if urgent.is_empty() && !others.is_empty() && cpu.admits(1): after(0.0) => {
            if let Some(key) = others.pop_front() {
                cpu.seize(key, 1, now)?;
            }
        }
        clock end: rate(cpu.busy() as f64) => {
            let holder = cpu.holders().next();
            if let Some((key, _)) = holder {
                cpu.release(key, now)?;
            }
        }
        clock warm: at(200.0) => { cpu.reset(now)?; }
    }
}

#[test]
fn preemption_does_not_change_how_many_there_are() {
    // Service is exponential at one rate, so together it is M/M/1 with ρ = 0.6, whoever is served.
    let until = 20_200.0;
    let runs: Vec<[f64; 2]> = (0..20)
        .map(|seed| {
            let mut sim = Urgent::default().start(seed).unwrap();
            sim.run_until(until).unwrap();
            let cpu = &sim.state().cpu;
            assert!(cpu.preempted() > 0 && cpu.queue().served() == cpu.seized());
            [cpu.utilisation(until), cpu.queue().mean_length(until)]
        })
        .collect();
    for (part, exact) in [(0, 0.6), (1, 0.9)] {
        let sample: crate::record::Sample = runs.iter().map(|run| run[part]).collect();
        let distance = (sample.mean() - exact) / sample.standard_error();
        assert!(distance.abs() < 4.0, "{} is {distance} standard errors from {exact}", sample.mean());
    }
}

simulation! {
    /// Every two units of time 30 are taken from a tank, as soon as they are there; a truck fills it every five.
    model Station {
        state tank: Container = Container::new(100.0, 50.0)?;
        state came: Store<f64> = Store::new();
        clock car: every(2.0) => { came.put(tank.takers.ask(now)?, now)?; }
        clock truck: every(5.0) => { tank.put(tank.room(), now)?; }
        clock fuel if !came.is_empty() && tank.has(30.0): after(0.0) => {
            let asked = came.take(now)?;
            tank.takers.serve(asked, now)?;
            tank.take(30.0, now)?;
        }
        observe level = tank.level();
        observe waiting = tank.takers.len();
        observe mean_level = tank.mean_level(now);
    }
}

#[test]
fn a_model_keeps_resources_in_its_state() {
    let mut sim = Station {}.start(1).unwrap();
    let mut average = crate::record::TimeAverage::new();
    sim.run_with(&mut average, 9.0).unwrap();
    let tank = &sim.state().tank;
    // 50 for 2, 20 for 3, 70 for 1, 40 for 2, 10 for 1; the second car waits for 1.
    let mean = (100.0 + 60.0 + 70.0 + 80.0 + 10.0) / 9.0;
    close(tank.mean_level(9.0), mean);
    assert_eq!((tank.takers.served(), tank.takers.mean_wait(), tank.takers.max_wait()), (4, 0.25, 1.0));
    assert_eq!((tank.min_level(9.0), tank.max_level(9.0), tank.level()), (10.0, 70.0, 10.0));
    assert_eq!((tank.total_put(), tank.total_taken()), (80.0, 120.0));
    // What a recorder says of the same outputs.
    close(average.mean("level").unwrap(), mean);
    close(average.mean("waiting").unwrap(), tank.takers.mean_length(9.0));
    assert_eq!(average.max("level"), Some(70.0));
    close(sim.observe().unwrap().mean_level, mean);
}
