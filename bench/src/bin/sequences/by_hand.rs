//! M/M/1 as a loop over a heap, with the same generator and draws as the engine's.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::hint::black_box;

use clockrace_bench::Run;
use clockrace_bench::draws::{exponential, generator};

use crate::{END, LAMBDA, MU};

#[derive(Clone, Copy)]
enum Event {
    Arrival,
    Service,
}

/// An entry of the heap. The earliest is the greatest, and of equal ones the one that was scheduled first.
#[derive(Clone, Copy)]
struct Pending {
    time: f64,
    order: u64,
    event: Event,
}

impl Ord for Pending {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        // Times are not negative: their bits are in the order of the times.
        (other.time.to_bits(), other.order).cmp(&(self.time.to_bits(), self.order))
    }
}

impl PartialOrd for Pending {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Pending {}

pub fn mm1(seed: u64) -> Run {
    let mut rng = generator(seed);
    let (lambda, mu) = black_box((LAMBDA, MU));
    let (between, lasting) = (1.0 / lambda, 1.0 / mu);
    let (mut n, mut events, mut order) = (0_u64, 0, 0);
    let mut heap = BinaryHeap::new();
    let mut pending = |time, event| {
        order += 1;
        Pending { time, order, event }
    };
    heap.push(pending(exponential(&mut rng) * between, Event::Arrival));
    while let Some(Pending { time: now, event, .. }) = heap.pop() {
        if now > END {
            break;
        }
        match event {
            Event::Arrival => {
                if n == 0 {
                    heap.push(pending(now + exponential(&mut rng) * lasting, Event::Service));
                }
                n += 1;
                heap.push(pending(now + exponential(&mut rng) * between, Event::Arrival));
            }
            Event::Service => {
                n -= 1;
                if n > 0 {
                    heap.push(pending(now + exponential(&mut rng) * lasting, Event::Service));
                }
            }
        }
        events += 1;
    }
    Run::counted(events, n as f64)
}
