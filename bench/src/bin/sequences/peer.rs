//! M/M/1 by odem-rs, with the same generator and draws as the loops written by hand.
//!
//! Once as its own example has it: a process that is the server and takes customers from a queue. And once with an agent
//! for each customer, who seizes a facility.

use std::cell::{Cell, RefCell};
use std::hint::black_box;
use std::pin::pin;
use std::task::Waker;

use clockrace_bench::Run;
use clockrace_bench::draws::{Generator, exponential, generator};
use odem_rs::core::ops::waker;
use odem_rs::prelude::*;

use crate::{END, LAMBDA, MU};

/// What all processes share.
#[derive(Config)]
struct Queue {
    between: f64,
    lasting: f64,
    rng: RefCell<Generator>,
    desk: Facility,
    /// Customers who are there.
    n: Cell<u64>,
    events: Cell<u64>,
    /// Wakes the server that has nobody to serve.
    idle: Cell<Option<Waker>>,
}

impl Queue {
    fn new(seed: u64) -> Self {
        let (lambda, mu) = black_box((LAMBDA, MU));
        Queue {
            between: 1.0 / lambda,
            lasting: 1.0 / mu,
            rng: RefCell::new(generator(seed)),
            desk: Facility::new(),
            n: Cell::new(0),
            events: Cell::new(0),
            idle: Cell::new(None),
        }
    }

    fn draw(&self, mean: f64) -> f64 {
        exponential(&mut self.rng.borrow_mut()) * mean
    }

    fn came(&self) {
        self.n.set(self.n.get() + 1);
        self.events.set(self.events.get() + 1);
    }

    fn left(&self) {
        self.n.set(self.n.get() - 1);
        self.events.set(self.events.get() + 1);
    }

    fn run(&self) -> Run {
        Run::counted(self.events.get(), self.n.get() as f64)
    }
}

async fn serve(sim: &Sim<Queue>) {
    let queue = sim.global();
    loop {
        while queue.n.get() > 0 {
            sim.advance(queue.draw(queue.lasting)).await;
            queue.left();
        }
        queue.idle.set(Some(waker().await));
        sleep().await;
    }
}

pub fn server(seed: u64) -> Run {
    let simulator = Simulator::new(Queue::new(seed));
    let run = simulator.run(async |sim| {
        let queue = sim.global();
        let server = pin!(Job::new(serve(sim)));
        sim.activate(server);
        let source = pin!(Job::new(async {
            loop {
                sim.advance(queue.draw(queue.between)).await;
                queue.came();
                if let Some(idle) = queue.idle.take() {
                    idle.wake();
                }
            }
        }));
        sim.activate(source);
        sim.advance(END).await;
        // A waker must not outlive its process.
        drop(queue.idle.take());
        queue.run()
    });
    run.expect("the end is scheduled")
}

struct Customer;

impl Behavior<Queue> for Customer {
    type Output = ();

    async fn actions(&self, sim: &Sim<Queue>) {
        let queue = sim.global();
        let desk = queue.desk.seize().await;
        sim.advance(queue.draw(queue.lasting)).await;
        desk.release();
        queue.left();
    }
}

pub fn customers(seed: u64) -> Run {
    let simulator = Simulator::new(Queue::new(seed));
    let run = simulator.run(async |sim| {
        let queue = sim.global();
        let source = pin!(Job::new(async {
            loop {
                sim.advance(queue.draw(queue.between)).await;
                queue.came();
                sim.spawn(Customer);
            }
        }));
        sim.activate(source);
        sim.advance(END).await;
        queue.run()
    });
    run.expect("the end is scheduled")
}
