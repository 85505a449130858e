#!/usr/bin/env python3
"""Events and effective samples a second of pdmp-jax's Zig-Zag sampler on normal laws.

Needs the package `pdmp-jax` (`pip install pdmp-jax`, in a virtual environment of Python 3.10 to
3.12). The laws are those of `flows --effective` that are no images: 2 and 50 variables in a row
with variance 1 and covariances 0.5^|i - j|. The sampler is given the gradient, which costs three
products a variable, and has its default settings: bounds by a grid of 10 points that are taken
coordinate by coordinate, and a horizon that adapts.

The sampler is compiled, and run once until its end: that takes about half a minute for each law,
and is the warm-up. The measured run goes on from there. An event is a turn of a coordinate;
proposals that were rejected are not counted. Measured are the CPU time of the process, whose
threads JAX may use at once, and wall time, while the sampler makes the skeleton of the path.
Integrating the path afterwards is left out.

Effective samples are counted as `flows --effective` does: the path, which is linear between its
events, is averaged over batches of length 40; the variance over the mean square of these averages
is how many independent draws a batch is worth. The means are known to be 0. All is in double
precision, as the time of an event in a long run needs it.
"""

import argparse
import os
import statistics
import sys
import time
from importlib.metadata import version
from pathlib import Path

# This file has the name of the package: without this, the import would find the file.
sys.path = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).resolve().parent]
# XLA would tell at length that it takes its time to compile.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from pdmp_jax import ZigZag  # noqa: E402

RHO = 0.5
BATCH = 40.0
# Variables, and events of a run.
LAWS = [(2, 400_000), (50, 200_000)]
# How far the mean square may be from 1: more than four standard errors.
TOLERANCE = 0.1


def gradient(d):
    """Of the potential of d variables in a row: the product with their precision matrix."""
    scale = 1.0 / (1.0 - RHO * RHO)
    diagonal = jnp.full(d, scale * (1.0 + RHO * RHO)).at[jnp.array([0, d - 1])].set(scale)

    def product(x):
        padded = jnp.pad(x, 1)
        return diagonal * x - RHO * scale * (padded[:-2] + padded[2:])

    covariance = RHO ** np.abs(np.subtract.outer(np.arange(d), np.arange(d)))
    x = np.linspace(-1.0, 2.0, d)
    assert np.allclose(product(jnp.asarray(x)), np.linalg.solve(covariance, x))
    return product


def moments(t, x, v):
    """Mean squares of the path of each coordinate, and means over its complete batches."""
    t = t - t[0]
    steps = np.diff(t)[:, None]
    # Exact for lines: the mean over a piece, and the mean square about it.
    middles = x[:-1] + 0.5 * steps * v[:-1]
    squares = (steps * (middles**2 + (steps * v[:-1]) ** 2 / 12.0)).sum(axis=0) / t[-1]
    integrals = np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(steps * middles, axis=0)])
    ends = BATCH * np.arange(int(t[-1] / BATCH) + 1)
    piece = np.searchsorted(t, ends, side="right") - 1
    rest = (ends - t[piece])[:, None]
    at_ends = integrals[piece] + rest * (x[piece] + 0.5 * rest * v[piece])
    return squares, np.diff(at_ends, axis=0) / BATCH


def measure(d, events, runs, grid):
    """For each run its time, wall and CPU seconds, and moments; and how many proposals an event took."""
    sampler = ZigZag(d, gradient(d), grid_size=grid)

    @jax.jit
    def run(x, v, seed):
        skeleton = sampler.sample_skeleton(events, x, v, seed, verbose=False)
        return {name: getattr(skeleton, name) for name in ("t", "x", "v", "rejected", "error_bound")}

    skeleton = jax.block_until_ready(run(jnp.zeros(d), jnp.ones(d), 0))
    results = []
    for seed in range(1, runs + 1):
        x, v = skeleton["x"][-1], skeleton["v"][-1]
        wall, cpu = time.perf_counter(), time.process_time()
        skeleton = jax.block_until_ready(run(x, v, seed))
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        t, x, v = (np.asarray(skeleton[name]) for name in "txv")
        # One turn an event, and no jump: else this would count something else.
        assert (np.count_nonzero(np.diff(v, axis=0), axis=1) == 1).all()
        assert np.allclose(x[:-1] + np.diff(t)[:, None] * v[:-1], x[1:], atol=1e-6)
        squares, batches = moments(t, x, v)
        results.append(
            {
                "time": t[-1],
                "wall": wall,
                "cpu": cpu,
                "square": squares.mean(),
                "batch square": (batches**2).mean(),
                "proposals": 1.0 + float(np.mean(skeleton["rejected"])),
                "broken": int(np.sum(skeleton["error_bound"])),
            }
        )
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="measured runs of each law, with different seeds")
    parser.add_argument("--quick", action="store_true", help="a single run: a look, not a measurement")
    parser.add_argument("--grid", type=int, default=10, help="points of the grid by which the sampler bounds hazards")
    options = parser.parse_args()
    runs = 1 if options.quick else options.runs

    print(f"pdmp-jax {version('pdmp-jax')}, jax {jax.__version__} on {jax.default_backend()}, {runs} runs\n")
    print(
        "| variables | events a run | time | CPU s | wall s | thousand events/s of CPU | of wall time "
        "| effective samples/s of CPU | of wall time | in a time of 1,000 | mean square | proposals an event | broken bounds |"
    )
    print("|---:" * 13 + "|", flush=True)
    for d, events in LAWS:
        results = measure(d, events, runs, options.grid)
        mean = {key: statistics.mean(result[key] for result in results) for key in results[0]}
        middle = {key: statistics.median(result[key] for result in results) for key in results[0]}
        worth = mean["square"] / mean["batch square"] / BATCH
        cells = [
            f"{d}",
            f"{events}",
            f"{middle['time']:.0f}",
            f"{middle['cpu']:.2f}",
            f"{middle['wall']:.2f}",
            f"{events / middle['cpu'] / 1e3:.1f}",
            f"{events / middle['wall'] / 1e3:.1f}",
            f"{worth * middle['time'] / middle['cpu']:.0f}",
            f"{worth * middle['time'] / middle['wall']:.0f}",
            f"{1e3 * worth:.0f}",
            f"{mean['square']:.4f}",
            f"{mean['proposals']:.3f}",
            f"{sum(result['broken'] for result in results)}",
        ]
        print("| " + " | ".join(cells) + " |", flush=True)
        if abs(mean["square"] - 1.0) > TOLERANCE:
            sys.exit("the mean square should be 1")


if __name__ == "__main__":
    main()
