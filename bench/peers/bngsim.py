#!/usr/bin/env python3
"""Events a second of bngsim, the simulator of BioNetGen networks, by its exact stochastic method.

Needs the package `bngsim` (`pip install bngsim`, in a virtual environment). Without files it runs
the networks of the benchmark `scale`: rings of 1,000 and 10,000 species and diffusion over 256
sites. With files in `.net` form it runs those, each until the end time that follows it:

    python3 bngsim.py
    python3 bngsim.py multistate.net 1000 egfr_net.net 10

Measured is the CPU time of the thread in `Simulator.run`, with one output at the start and one at
the end. Reading the file is left out, and so is a first run, in which bngsim compiles the rates of
a small network where it finds a C compiler. What a run costs that ends before anything happens is
shown beside the whole, and left out of the speed. The number of events is bngsim's own count of
its steps.
"""

import argparse
import statistics
import sys
import tempfile
import time
import warnings
from pathlib import Path

# This file has the name of the package: without this, the import would find the file.
sys.path = [folder for folder in sys.path if Path(folder or ".").resolve() != Path(__file__).resolve().parent]
import bngsim  # noqa: E402


def net(amounts, reactions):
    """A network of first-order reactions, given as (from, to, rate)."""
    # bngsim takes no number as the rate of a reaction, only a parameter.
    names = {rate: f"k{i}" for i, rate in enumerate(sorted({rate for _, _, rate in reactions}), 1)}
    lines = ["begin parameters"]
    lines += [f"    {i} {name} {rate:g}" for i, (rate, name) in enumerate(names.items(), 1)]
    lines += ["end parameters", "begin species"]
    lines += [f"    {k} A{k}() {amount}" for k, amount in enumerate(amounts, 1)]
    lines += ["end species", "begin reactions"]
    lines += [f"    {i} {a + 1} {b + 1} {names[rate]}" for i, (a, b, rate) in enumerate(reactions, 1)]
    return "\n".join([*lines, "end reactions", "begin groups", "end groups", ""])


def ring(n):
    """Each species turns into the next one at rate 1."""
    return net([10] * n, [(k, (k + 1) % n, 1.0) for k in range(n)])


def diffusion(n):
    """Molecules hop between sites in a row at rate 65,536 to each side."""
    right = [(k, k + 1, 65536.0) for k in range(n - 1)]
    left = [(k, k - 1, 65536.0) for k in range(1, n)]
    return net([10] * n, right + left)


BUILT_IN = [
    ("ring of 1,000", lambda: ring(1_000), 200.0),
    ("ring of 10,000", lambda: ring(10_000), 20.0),
    ("diffusion over 256 sites", lambda: diffusion(256), 0.01),
]


def measure(path, end, runs):
    """CPU seconds of runs and of empty runs, events of runs, and how rates are computed."""
    model = bngsim.Model.from_net(str(path))
    simulator = bngsim.Simulator(model, method="ssa")

    def run(seed, end):
        # A run goes on from where the last one ended.
        model.reset()
        start = time.thread_time()
        result = simulator.run(t_span=(0.0, end), n_points=2, seed=seed)
        return time.thread_time() - start, result

    _, first = run(1, end)
    backend = (first.ssa_diagnostics or {}).get("propensity_backend", "")
    seconds, empty, events = [], [], []
    for seed in range(2, runs + 2):
        taken, result = run(seed, end)
        seconds.append(taken)
        events.append(result.solver_stats["n_steps"])
        taken, result = run(seed, 1e-9 * end)
        empty.append(taken)
    return seconds, empty, events, backend


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="FILE END", help="networks and their end times, by turns")
    parser.add_argument("--runs", type=int, default=7, help="measured runs of each, with different seeds")
    parser.add_argument("--only", default="", help="of the networks without a file, those whose name contains this")
    options = parser.parse_args()
    if len(options.files) % 2:
        parser.error("an end time has to follow each file")
    warnings.simplefilter("ignore")

    with tempfile.TemporaryDirectory() as folder:
        plans = []
        for i, (name, text, end) in enumerate(BUILT_IN if not options.files else []):
            if options.only in name:
                path = Path(folder) / f"{i}.net"
                path.write_text(text())
                plans.append((name, path, end))
        for file, end in zip(options.files[::2], options.files[1::2]):
            plans.append((Path(file).name, Path(file), float(end)))

        print(f"bngsim {bngsim.__version__}, {options.runs} runs\n")
        print("| | end | events a run | CPU s, best | median | of these empty | million events/s, best | median | ns an event | rates |")
        print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---|", flush=True)
        for name, path, end in plans:
            seconds, empty, events, backend = measure(path, end, options.runs)
            before = statistics.median(empty)
            speeds = [n / (s - before) / 1e6 for n, s in zip(events, seconds)]
            cells = [
                name,
                f"{end:g}",
                f"{statistics.mean(events):.0f}",
                f"{min(seconds):.4f}",
                f"{statistics.median(seconds):.4f}",
                f"{before:.4f}",
                f"{max(speeds):.2f}",
                f"{statistics.median(speeds):.2f}",
                f"{1e3 / statistics.median(speeds):.1f}",
                backend,
            ]
            print("| " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
