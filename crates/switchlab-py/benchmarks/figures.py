#!/usr/bin/env python3
"""Measures what the package promises: speed beside the program's, own schedulers, memory.

    python crates/switchlab-py/benchmarks/figures.py [PROGRAM]

PROGRAM is the command line to compare with; by default the one in the package, which is of the same
build. Times are CPU times, of user and system together, so that other work on the machine shows
little; what is compared is measured in turns, and the shortest time of each is taken. The exit code
is 1 if a promise is not kept.
"""

import os
import resource
import subprocess
import sys

import numpy as np

import switchlab as sl

TURNS = 7
PROGRAM = sys.argv[1:2] or [sys.executable, "-m", "switchlab"]
kept = []


def promise(what, measured, bound, is_kept):
    kept.append(is_kept)
    print(f"{what}: {measured} ({bound}: {'kept' if is_kept else 'NOT KEPT'})")


def cpu():
    """CPU seconds of this process, and of those that it has waited for."""
    times = os.times()
    return times.user + times.system, times.children_user + times.children_system


def in_turns(*calls):
    """The shortest CPU time of each."""
    best = [float("inf")] * len(calls)
    for _ in range(TURNS):
        for at, call in enumerate(calls):
            before = sum(cpu())
            call()
            best[at] = min(best[at], sum(cpu()) - before)
    return best


def speed():
    """simulate against the program: islip with 4 iterations, N = 16, 10^5 slots."""
    slots, more = 100_000, 40
    cells = sl.arrivals("uniform", ports=16, load=0.8, slots=slots)

    def command(count):
        line = f"run islip:iterations=4 --ports 16 --load 0.8 --slots {count} --warmup 0 --replications 1 --threads 1 --quiet"
        subprocess.run([*PROGRAM, *line.split()], check=True, capture_output=True)

    # os.times has a resolution of 10 ms: ten calls. Of the program the difference of two lengths,
    # which leaves out its start.
    def ours():
        for _ in range(10):
            sl.simulate("islip(iterations=4)", cells)

    arrays, long, short = in_turns(ours, lambda: command((more + 1) * slots), lambda: command(slots))
    own, theirs = 10 * slots / arrays, more * slots / (long - short)
    print(f"simulate: {own:,.0f} slots/s; the program: {theirs:,.0f} slots/s")
    promise("numpy in and out, against the program", f"{own / theirs:.2f} of its speed", "at least 0.5", own >= theirs / 2)


def schedulers():
    """A scheduler of numba and one of plain Python, each in a run with a built-in one, N = 16."""

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
    for own, slots, least in ((compiled, 200_000, 50_000), (plain, 5_000, 0)):
        together, alone = in_turns(
            lambda own=own, slots=slots: sl.run("ilqf", own, slots=slots, **asked),
            lambda slots=slots: sl.run("ilqf", slots=slots, **asked),
        )
        rate = slots / together
        print(f"{own.spec}: {slots / (together - alone):,.0f} slots/s; both in one run: {rate:,.0f} slots/s")
        if least:
            promise("a scheduler of numba and ilqf in one run", f"{rate:,.0f} slots/s", f"at least {least:,}", rate >= least)


def memory():
    """10^6 slots at N = 64 in blocks of 10^4: the peak of the process."""
    source = sl.Simulation("tdm", ports=64, traffic="uniform", load=0.8, keep=False)

    def blocks():
        for _ in range(100):
            source.step(10_000)
            yield source.arrived

    departed = 0
    for block in sl.simulate("islip", blocks()):
        departed += int(np.count_nonzero(block.input != sl.NONE))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    what = f"10^6 slots at N = 64 in blocks, {departed:,} departures"
    promise(what, f"peak {peak:.0f} MB", "below 500 MB", peak < 500)


if __name__ == "__main__":
    # First, before anything else has raised the peak.
    memory()
    speed()
    schedulers()
    sys.exit(0 if all(kept) else 1)
