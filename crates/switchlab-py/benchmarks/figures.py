#!/usr/bin/env python3
"""Measures what the package promises: speed beside the program's, and memory.

    python crates/switchlab-py/benchmarks/figures.py [PROGRAM]

PROGRAM is the command line to compare with, of the same build; by default the one in the package.
Ratios within one call are what counts: each pair is measured in turns, and the best of each is
taken.
"""

import resource
import subprocess
import sys
import time

import numpy as np

import switchlab as sl

TURNS = 5


def best(call):
    """The shortest time of some."""
    times = []
    for _ in range(TURNS):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    return min(times)


def speed(program):
    """simulate against the program, islip with 4 iterations, N = 16, 10^5 slots."""
    slots = 100_000
    cells = sl.arrivals("uniform", ports=16, load=0.8, slots=slots)

    def command(count):
        line = f"run islip:iterations=4 --ports 16 --load 0.8 --slots {count} --warmup 0 --replications 1 --threads 1 --quiet"
        subprocess.run([*program, *line.split()], check=True, capture_output=True)

    ours = best(lambda: sl.simulate("islip(iterations=4)", cells))
    # The difference of two lengths: without the start of the process.
    theirs = best(lambda: command(5 * slots)) - best(lambda: command(slots))
    print(f"simulate: {slots / ours:,.0f} slots/s; the program: {4 * slots / theirs:,.0f} slots/s; ratio {theirs / 4 / ours:.2f}")


def schedulers():
    """A scheduler of numba and one of plain Python in a run with the built-in one, N = 16."""

    def longest(lengths, matching):
        ports = len(matching)
        for j in range(ports):
            most = 0
            best = -1
            for i in range(ports):
                if matching[i] < 0 and lengths[i, j] > most:
                    most = lengths[i, j]
                    best = i
            if best >= 0:
                matching[best] = j

    compiled = sl.scheduler(name="longest-numba", compile=True)(longest)
    plain = sl.scheduler(name="longest-python")(longest)
    asked = {"ports": 16, "load": 0.8, "warmup": 0, "replications": 1, "threads": 1, "progress": False}
    for own, slots in ((compiled, 200_000), (plain, 2_000)):
        alone = best(lambda: sl.run("ilqf", slots=slots, **asked))
        both = best(lambda: sl.run("ilqf", own, slots=slots, **asked))
        print(f"{own.spec}: {slots / (both - alone):,.0f} slots/s; ilqf: {slots / alone:,.0f} slots/s; both in one run: {slots / both:,.0f} slots/s")


def memory():
    """10^6 slots at N = 64 in blocks of 10^4: the peak of the process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    source = sl.Simulation("tdm", ports=64, traffic="uniform", load=0.8, keep=False)

    def blocks():
        for _ in range(100):
            source.step(10_000)
            yield source.arrived

    begun, departed = time.perf_counter(), 0
    for block in sl.simulate("islip", blocks()):
        departed += int(np.count_nonzero(block.input != sl.NONE))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"10^6 slots at N = 64 in blocks: {departed:,} departures, {time.perf_counter() - begun:.1f} s, peak {peak / 1024:.0f} MB (before: {before / 1024:.0f} MB)")


if __name__ == "__main__":
    memory()
    speed(sys.argv[1:2] or [sys.executable, "-m", "switchlab"])
    schedulers()
