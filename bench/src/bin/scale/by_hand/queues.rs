//! A closed ring of queues: who is served goes on to the next station.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use clockrace_bench::Run;
use clockrace_bench::draws::{exponential, generator};

use crate::CUSTOMERS;
use clockrace_bench::pairs::{Blocks, Pairs};

macro_rules! under {
    ($name:ident, $structure:ident, $doc:literal) => {
        #[doc = $doc]
        pub fn $name(n: usize, end: f64, seed: u64) -> Run {
            let mut rng = generator(seed);
            let mut queues = vec![CUSTOMERS; n];
            let mut times = $structure::new((0..n).map(|_| exponential(&mut rng)));
            let mut events = 0;
            loop {
                // Drawn ahead, and so not in the way when a branch was guessed wrong.
                let wait = exponential(&mut rng);
                let (now, station) = times.first();
                if now > end {
                    break;
                }
                queues[station] -= 1;
                times.set(station, if queues[station] > 0 { now + wait } else { f64::INFINITY });
                let next = if station + 1 == n { 0 } else { station + 1 };
                queues[next] += 1;
                if queues[next] == 1 {
                    times.set(next, now + exponential(&mut rng));
                }
                events += 1;
            }
            Run::counted(events, idle(&queues))
        }
    };
}

under!(pairs, Pairs, "A tournament over ring times.");
under!(blocks, Blocks, "Blocks of ring times under a tournament.");

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Served { station: u32 },
}

/// The heap of the standard library, of times and events.
pub fn heap(n: usize, end: f64, seed: u64) -> Run {
    let mut rng = generator(seed);
    let mut queues = vec![CUSTOMERS; n];
    // Times are not negative: their bits are in the order of the times.
    let pending = |time: f64, station: usize| Reverse((time.to_bits(), Event::Served { station: station as u32 }));
    let mut heap: BinaryHeap<_> = (0..n).map(|station| pending(exponential(&mut rng), station)).collect();
    let mut events = 0;
    while let Some(Reverse((bits, event))) = heap.pop() {
        let now = f64::from_bits(bits);
        if now > end {
            break;
        }
        match event {
            Event::Served { station } => {
                let station = station as usize;
                queues[station] -= 1;
                if queues[station] > 0 {
                    heap.push(pending(now + exponential(&mut rng), station));
                }
                let next = if station + 1 == n { 0 } else { station + 1 };
                queues[next] += 1;
                if queues[next] == 1 {
                    heap.push(pending(now + exponential(&mut rng), next));
                }
            }
        }
        events += 1;
    }
    Run::counted(events, idle(&queues))
}

fn idle(queues: &[u32]) -> f64 {
    queues.iter().filter(|&&queue| queue == 0).count() as f64
}
