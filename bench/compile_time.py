#!/usr/bin/env python3
"""How long a `simulation!` block takes to compile, by the number of clocks it declares.

Writes programs with one model each, builds them with cargo after everything they depend on has
been built, and prints a Markdown table: wall time, CPU time, and the memory of the largest process
(rustc). Python's standard library and a Unix are all it needs.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

BENCH = Path(__file__).resolve().parent
BUILDS = {"check": ["check"], "debug": ["build"], "release": ["build", "--release"]}


def reactions(n):
    """A ring of species, each turning into the next."""
    states = "".join(f"        state a{k}: u64 = 10;\n" for k in range(n))
    clocks = "".join(f"        reaction move{k}: a{k} -> a{(k + 1) % n} @ hop;\n" for k in range(n))
    return clockrace_program("        param hop: f64 = 1.0;\n" + states + clocks, "a0")


def clocks(n):
    """A ring of stations: by turns a rate, a guarded rate, a guarded draw, a guarded delay."""
    items = "        param mu: f64 = 1.0;\n        param delay: f64 = 0.5;\n"
    items += "".join(f"        state q{k}: u64 = 2;\n" for k in range(n))
    for k in range(n):
        head = [
            f"clock serve{k}: rate(mu * q{k} as f64)",
            f"clock serve{k} if q{k} > 0: rate(mu)",
            f"clock serve{k} if q{k} > 0: after(rng.sample(Exp::new(mu).unwrap()))",
            f"clock serve{k} if q{k} > 0 && mu > 0.0: after(delay)",
        ][k % 4]
        items += f"        {head} => {{ q{k} -= 1; q{(k + 1) % n} += 1; }}\n"
    return clockrace_program(items, "q0", "use clockrace::rand_distr::Exp;\n")


def clockrace_program(items, output, uses=""):
    return f"""\
{uses}
clockrace::simulation! {{
    model Ring {{
{items}    }}
}}

fn main() {{
    let mut simulation = Ring::default().start(1).unwrap();
    simulation.run_until(10.0).unwrap();
    println!("{{}}", simulation.state().{output});
}}
"""


def rebop(n):
    """The ring of species by rebop's macro."""
    species = ", ".join(f"a{k}" for k in range(n))
    lines = "".join(f"    move{k}: a{k} => a{(k + 1) % n} @ hop\n" for k in range(n))
    start = "".join(f"    ring.a{k} = 10;\n" for k in range(n))
    return f"""\
#![recursion_limit = "{20 * n + 1000}"]

rebop::define_system! {{
    hop;
    Ring {{ {species} }}
{lines}}}

fn main() {{
    let mut ring = Ring::with_parameters(1.0);
    ring.seed(1);
{start}    ring.advance_until(10.0);
    println!("{{}}", ring.a0);
}}
"""


class Package:
    """A package that depends on one crate, whose only source is written anew for each model."""

    def __init__(self, name, dependency, work):
        self.name = f"compile-{name}"
        self.folder = work / name
        self.env = dict(os.environ, CARGO_TARGET_DIR=str(work / "target"), CARGO_TERM_COLOR="never")
        (self.folder / "src").mkdir(parents=True, exist_ok=True)
        (self.folder / "Cargo.toml").write_text(
            f'[workspace]\n\n[package]\nname = "{self.name}"\nedition = "2024"\n\n[dependencies]\n{dependency}\n'
        )
        shutil.copy(BENCH / "Cargo.lock", self.folder / "Cargo.lock")

    def cargo(self, arguments, timeout=None):
        """Runs cargo; gives wall seconds, CPU seconds and peak megabytes, or None after `timeout`."""
        with open(self.folder / "log", "w+") as log:
            start = time.monotonic()
            process = subprocess.Popen(
                ["cargo", *arguments], cwd=self.folder, env=self.env, stdout=log, stderr=log, start_new_session=True
            )
            while True:
                pid, status, usage = os.wait4(process.pid, os.WNOHANG)
                wall = time.monotonic() - start
                if pid:
                    break
                if timeout and wall > timeout:
                    os.killpg(process.pid, signal.SIGKILL)
                    os.wait4(process.pid, 0)
                    process.returncode = -signal.SIGKILL
                    return None
                time.sleep(0.002)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                log.seek(0)
                sys.exit(f"cargo {' '.join(arguments)} failed in {self.folder}\n{log.read()[-5000:]}")
        # Of cargo and all that it has waited for. Linux counts in KiB, macOS in bytes.
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
        return wall, usage.ru_utime + usage.ru_stime, peak

    def write(self, source):
        (self.folder / "src" / "main.rs").write_text(source)

    def clean(self, build):
        self.cargo(["clean", "--package", self.name, *(["--release"] if build == "release" else [])])

    def run(self, build):
        program = Path(self.env["CARGO_TARGET_DIR"]) / build / self.name
        subprocess.run([program], check=True, stdout=subprocess.DEVNULL)


def measure(package, source, options):
    """The cells of a row: for each build the fastest of the rounds."""
    cells = []
    for build in options.builds:
        best = None
        for _ in range(options.rounds):
            package.clean(build)
            package.write(source)
            figures = package.cargo(BUILDS[build], options.timeout)
            if figures is None:
                break
            best = figures if best is None else tuple(map(min, best, figures))
            if figures[0] > 20:
                break
        if best is None:
            cells += [f"> {options.timeout:g}", "", ""]
            continue
        if build != "check":
            package.run(build)
        cells += [f"{best[0]:.2f}", f"{best[1]:.2f}", f"{best[2]:.0f}"]
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[16, 64, 256, 1000], help="numbers of declared clocks")
    parser.add_argument("--models", nargs="+", choices=["reactions", "clocks"], default=["reactions", "clocks"])
    parser.add_argument("--builds", nargs="+", choices=list(BUILDS), default=list(BUILDS))
    parser.add_argument("--rounds", type=int, default=3, help="builds of each; the fastest counts")
    parser.add_argument("--timeout", type=float, default=900, help="seconds after which a build is given up")
    parser.add_argument("--peer", choices=["rebop"], help="also the ring of species by this crate's macro")
    parser.add_argument("--peer-sizes", type=int, nargs="+", default=[16, 64, 200, 400])
    options = parser.parse_args()

    work = Path(os.environ.get("CARGO_TARGET_DIR", BENCH / "target")).resolve() / "compile-time"
    own = Package("clockrace", f'clockrace = {{ path = "{os.path.relpath(BENCH.parent / "engine", work / "clockrace")}" }}', work)
    plans = [(own, "empty program", None, 0)]
    plans += [(own, model, {"reactions": reactions, "clocks": clocks}[model], n) for model in options.models for n in options.sizes]
    packages = [own]
    if options.peer:
        peer = Package("rebop", 'rebop = "0.10"', work)
        packages.append(peer)
        plans += [(peer, "rebop", rebop, n) for n in options.peer_sizes]

    for package in packages:
        package.write("fn main() {}\n")
        for build in options.builds:
            package.cargo(BUILDS[build])

    print("| | clocks |" + "".join(f" {build}, s | CPU s | MB |" for build in options.builds))
    print("|---|---:|" + "---:|---:|---:|" * len(options.builds), flush=True)
    for package, name, program, n in plans:
        cells = measure(package, program(n) if program else "fn main() {}\n", options)
        print(f"| {name} | {n} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
