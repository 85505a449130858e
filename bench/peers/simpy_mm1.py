#!/usr/bin/env python3
"""Events a second of SimPy's M/M/1.

Needs the package `simpy` (`pip install simpy`, in a virtual environment). The model is that of the
benchmark `sequences`: customers come at rate 0.9, wait for the one server and are served at rate 1.
Counted are arrivals and services, whatever else SimPy's queue of events holds. Once with a process
for each customer, who requests a `Resource`, and once with a process that is the server and waits
for an event when there is nobody, which is the least that SimPy has to do.

Measured is the CPU time of the thread in `Environment.run`. Draws are those of `random.expovariate`.
"""

import argparse
import platform
import random
import statistics
import time

import simpy

LAMBDA = 0.9
MU = 1.0


class Queue:
    """What the processes share."""

    def __init__(self, seed):
        self.env = simpy.Environment()
        self.draw = random.Random(seed).expovariate
        self.inside = 0
        self.events = 0


def customers(seed):
    """A process for each customer."""
    queue = Queue(seed)
    env, draw = queue.env, queue.draw
    desk = simpy.Resource(env)

    def customer():
        with desk.request() as request:
            yield request
            yield env.timeout(draw(MU))
        queue.inside -= 1
        queue.events += 1

    def source():
        while True:
            yield env.timeout(draw(LAMBDA))
            queue.inside += 1
            queue.events += 1
            env.process(customer())

    env.process(source())
    return queue


def server(seed):
    """A process that is the server."""
    queue = Queue(seed)
    env, draw = queue.env, queue.draw
    idle = None

    def serve():
        nonlocal idle
        while True:
            if queue.inside == 0:
                idle = env.event()
                yield idle
            yield env.timeout(draw(MU))
            queue.inside -= 1
            queue.events += 1

    def source():
        nonlocal idle
        while True:
            yield env.timeout(draw(LAMBDA))
            queue.inside += 1
            queue.events += 1
            if idle is not None:
                idle.succeed()
                idle = None

    env.process(serve())
    env.process(source())
    return queue


def measure(model, end, runs):
    """Events a second, events and customers in the end of each run, after one that warms up."""
    speeds, events, inside = [], [], []
    for seed in range(runs + 1):
        queue = model(seed)
        start = time.thread_time()
        queue.env.run(until=end)
        taken = time.thread_time() - start
        if seed > 0:
            speeds.append(queue.events / taken)
            events.append(queue.events)
            inside.append(queue.inside)
    return speeds, events, inside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=7, help="measured runs of each, with different seeds")
    parser.add_argument("--end", type=float, default=300_000.0, help="when a run ends: 1.8 events in a unit of time")
    options = parser.parse_args()

    print(f"SimPy {simpy.__version__}, Python {platform.python_version()}, {options.runs} runs\n")
    print("| M/M/1 | million events/s, best | median | µs an event | events a run | customers in the end |")
    print("|---|---:|---:|---:|---:|---:|", flush=True)
    for name, model in [("customers", customers), ("a server", server)]:
        speeds, events, inside = measure(model, options.end, options.runs)
        median = statistics.median(speeds)
        cells = [
            name,
            f"{max(speeds) / 1e6:.3f}",
            f"{median / 1e6:.3f}",
            f"{1e6 / median:.2f}",
            f"{statistics.mean(events):.0f}",
            f"{statistics.mean(inside):.2f}",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
