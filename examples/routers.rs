//! Packets through a network of routers whose buffers are finite.
//!
//! Each link of a router has a buffer of its own, from which packets are sent one after the other, and one that
//! finds it full is dropped. Lengths are exponential, and a packet gets a new one at each router: the independence
//! assumption of Kleinrock, Communication Nets (1964). One link alone is then an M/M/1/K queue, whose blocking
//! probability is known exactly. The network has the links of the NSFNET of 1991, about as long as they were.
//!
//! `cargo run --release --example routers`

use std::collections::VecDeque;

use clockrace::rand_distr::Exp;
use clockrace::record::Sample;
use clockrace::resource::Tally;
use clockrace::{Ensemble, simulation};
use clockrace_examples::{COMPARED, Failure, compared};

/// Links of each router: where to, and for how many milliseconds a packet is under way.
type Links = Vec<Vec<(usize, f64)>>;
/// For each router, and each that a packet goes to, the next one on its way.
type NextHop = Vec<Vec<usize>>;

/// A packet under way.
#[derive(Clone, Copy, Debug)]
struct Packet {
    to: usize,
    sent: f64,
}

simulation! {
    /// Time is in milliseconds.
    model Network {
        param links: Links;
        param next_hop: NextHop;
        /// Packets that come to each router from outside in a millisecond.
        param offered: Vec<f64>;
        /// Packets that a link sends in a millisecond.
        param service: f64;
        /// Packets at a link, the one that is being sent included.
        param capacity: usize;

        index router = 0..links.len();
        relation link(i in router) -> (router, f64) = links[i].iter().copied();
        state buffer[(i, j) in link]: VecDeque<Packet> = VecDeque::new();
        state inside: u64 = 0;
        state came: u64 = 0;
        state delivered: u64 = 0;
        state dropped[i in router]: u64 = 0;
        tally delay: Tally = Tally::new();

        clock packet[i in router]: rate(offered[i]) => {
            let other = rng.random_range(1..links.len());
            came += 1;
            inside += 1;
            arrive[i].after(0.0, Packet { to: (i + other) % links.len(), sent: now });
        }
        event arrive[i in router](packet: Packet) => {
            if packet.to == i {
                inside -= 1;
                delivered += 1;
                delay.record(now - packet.sent)?;
                return;
            }
            let j = next_hop[i][packet.to];
            if buffer[(i, j)].len() == capacity {
                inside -= 1;
                dropped[i] += 1;
                return;
            }
            buffer[(i, j)].push_back(packet);
        }
        clock send[(i, j) in link] if !buffer[(i, j)].is_empty(): after(rng.sample(Exp::new(service)?)) => {
            if let Some(packet) = buffer[(i, j)].pop_front() {
                arrive[j].after(link.value(i, j).unwrap_or_default(), packet);
            }
        }

        let lost = dropped.iter().sum::<u64>();
        invariant conserved: came == delivered + lost + inside;
        invariant under_way: inside as usize == arrive.len() + buffer.iter().map(VecDeque::len).sum::<usize>();

        observe came = came;
        observe delivered = delivered;
        observe lost = lost;
        observe inside = inside;
        observe delay = delay.mean();
    }
}

/// The links, with their lengths in kilometres.
#[rustfmt::skip]
const LINKS: [(usize, usize, f64); 21] = [
    (0, 1, 1_050.0), (0, 2, 1_500.0), (0, 7, 2_400.0), (1, 2, 600.0), (1, 3, 750.0), (2, 5, 1_800.0), (3, 4, 600.0),
    (3, 10, 1_950.0), (4, 5, 1_200.0), (4, 6, 600.0), (5, 9, 1_050.0), (5, 13, 1_800.0), (6, 7, 750.0), (7, 8, 750.0),
    (8, 9, 750.0), (8, 11, 300.0), (8, 12, 300.0), (10, 11, 600.0), (10, 12, 750.0), (11, 13, 300.0), (12, 13, 150.0),
];
/// Kilometres in a millisecond, in glass.
const SPEED: f64 = 200.0;

/// Links of each router, and the next router on the shortest way from each to each (Floyd and Warshall).
fn routes(routers: usize, lengths: &[(usize, usize, f64)]) -> (Links, NextHop) {
    let mut links = vec![Vec::new(); routers];
    let mut distance = vec![vec![f64::INFINITY; routers]; routers];
    let mut next: Vec<Vec<usize>> = (0..routers).map(|i| vec![i; routers]).collect();
    for &(a, b, length) in lengths {
        for (i, j) in [(a, b), (b, a)] {
            links[i].push((j, length / SPEED));
            distance[i][j] = length;
            next[i][j] = j;
        }
    }
    for k in 0..routers {
        for i in 0..routers {
            for j in (0..routers).filter(|&j| j != i) {
                let by_way = distance[i][k] + distance[k][j];
                if by_way < distance[i][j] {
                    distance[i][j] = by_way;
                    next[i][j] = next[i][k];
                }
            }
        }
    }
    (links, next)
}

/// Milliseconds before anything is measured.
const WARM_UP: f64 = 100.0;
/// Milliseconds that each replicate of one link is measured for, and of the network.
const ONE_LINK: f64 = 100_000.0;
const NETWORK: f64 = 500.0;
const REPLICATES: usize = 20;

/// What came, was delivered and dropped in a replicate, what is inside at its beginning and end, and the mean delay.
struct Run {
    came: f64,
    delivered: f64,
    lost: f64,
    inside: [f64; 2],
    delay: f64,
}

fn measure(network: &Network, time: f64) -> Result<Vec<Run>, Failure> {
    Ok(Ensemble::new(network).replicates(REPLICATES).seed(1).map(|mut sim| {
        sim.warm_up(WARM_UP)?;
        let before = sim.observe()?;
        sim.run_until(WARM_UP + time)?;
        let after = sim.observe()?;
        Ok(Run {
            came: after.came - before.came,
            delivered: after.delivered - before.delivered,
            lost: after.lost - before.lost,
            inside: [before.inside, after.inside],
            delay: after.delay,
        })
    })?)
}

fn main() -> Result<(), Failure> {
    println!("{REPLICATES} replicates\n");
    println!("{:<28}{COMPARED}", "One link, M/M/1/K: blocked");
    let (links, next_hop) = routes(2, &[(0, 1, 0.0)]);
    for (load, capacity) in [(0.5, 2), (0.8, 5), (0.95, 10), (1.2, 10)] {
        let (service, offered) = (1.0, vec![load, 0.0]);
        let network = Network { links: links.clone(), next_hop: next_hop.clone(), offered, service, capacity };
        let found: Sample = measure(&network, ONE_LINK)?.iter().map(|run| run.lost / run.came).collect();
        let power = load.powi(i32::try_from(capacity)?);
        let exact = (1.0 - load) * power / (1.0 - load * power);
        println!("  load {load:<4}, room for {capacity:<6}{}", compared(exact, &found, 4));
    }

    println!("\nNSFNET: 14 routers, 42 links of 10 packets/ms, room for 20 packets at each");
    println!("  offered/ms  delivered/ms   dropped   delay, ms   under way   came = delivered + dropped + change");
    let (links, next_hop) = routes(14, &LINKS);
    for load in [1.0, 2.0, 3.0, 4.0, 6.0] {
        let (links, next_hop) = (links.clone(), next_hop.clone());
        let network = Network { links, next_hop, offered: vec![load; 14], service: 10.0, capacity: 20 };
        let runs = measure(&network, NETWORK)?;
        let sum = |value: fn(&Run) -> f64| runs.iter().map(value).sum::<f64>();
        let all = NETWORK * REPLICATES as f64;
        let (came, delivered, lost) = (sum(|run| run.came), sum(|run| run.delivered), sum(|run| run.lost));
        let change = sum(|run| run.inside[1]) - sum(|run| run.inside[0]);
        println!(
            "  {:>10.2}  {:>12.2}  {:>6.3} %  {:>10.2}  {:>10.1}   {came} = {delivered} + {lost} + {change}",
            came / all,
            delivered / all,
            100.0 * lost / came,
            sum(|run| run.delay) / REPLICATES as f64,
            sum(|run| run.inside[1]) / REPLICATES as f64,
        );
        if came != delivered + lost + change {
            return Err("packets came from nowhere, or went there".into());
        }
    }
    Ok(())
}
