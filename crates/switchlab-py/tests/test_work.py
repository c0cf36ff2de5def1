"""Ctrl-C, threads, progress, imports."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import switchlab as sl

PAPERS = Path(__file__).resolve().parents[3] / "papers"
LONG = {"ports": 64, "load": 0.5, "slots": 2**31, "replications": 2, "progress": False}


def interrupted(call):
    """Calls with a Ctrl-C half a second later; how long it took to stop."""
    # A process that a script has put into the background begins with Ctrl-C ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    begun = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            call()
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    return time.monotonic() - begun


@pytest.mark.parametrize(
    "call",
    [
        lambda: sl.run("islip", **LONG),
        lambda: sl.run("islip", ports=16, load=[0.4, 0.5], slots=2**31, progress=False),
        lambda: sl.limit("islip", ports=64, slots=2**31, replications=2, progress=False),
        lambda: sl.audit("islip", ports=64, load=0.5, slots=2**31, progress=False),
        lambda: sl.Simulation("islip", ports=4, traffic="uniform", load=0.5, keep=False).step(200_000_000),
    ],
    ids=["run", "grid", "limit", "audit", "simulation"],
)
def test_ctrl_c_ends_it_between_blocks(call):
    assert interrupted(call) < 20
    # And everything works afterwards.
    assert sl.run("oq", ports=4, load=0.5, slots=100, replications=2)[0].verdict


def test_what_a_sweep_has_stored_is_kept(tmp_path):
    grid = {"title": "x", "switches": ["oq"], "ports": [4, 64], "loads": 0.5, "slots": 2**30, "replications": 1}
    interrupted(lambda: sl.sweep(grid, out=tmp_path / "o", progress=False))
    short = {**grid, "slots": 100}
    assert sl.sweep(short, out=tmp_path / "o").ran == 2


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the papers are in the repository only")
def test_ctrl_c_ends_a_reproduction(tmp_path):
    assert interrupted(lambda: sl.reproduce("001", papers=PAPERS, out=tmp_path / "out", run="full", progress=False)) < 20


def test_ctrl_c_during_a_python_scheduler():
    @sl.scheduler(name="endless")
    def endless(matching):
        time.sleep(0.001)

    assert interrupted(lambda: sl.run(endless, ports=4, load=0.5, slots=10**8, progress=False)) < 20


def test_other_threads_run_meanwhile():
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    begun = time.monotonic()
    while time.monotonic() - begun < 0.5:
        sl.run("islip", ports=64, load=0.9, slots=3000, replications=2, progress=False)
    stop.set()
    thread.join()
    assert counted[0] > 20


def test_runs_in_many_threads_are_the_same():
    asked = {"ports": 8, "load": 0.7, "slots": 1000, "replications": 2, "progress": False}
    expected = sl.run("pim", "oq", **asked).to_json()
    found = []
    threads = [threading.Thread(target=lambda: found.append(sl.run("pim", "oq", **asked).to_json())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8


def test_one_simulation_in_many_threads():
    simulation = sl.Simulation("islip", ports=8, traffic="uniform", load=0.5)
    threads = [threading.Thread(target=lambda: simulation.step(100)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    whole = sl.Simulation("islip", ports=8, traffic="uniform", load=0.5)
    whole.step(800)
    assert simulation.slot == 800 and np.array_equal(simulation.voqs, whole.voqs)


def test_progress_is_shown_by_tqdm(monkeypatch, capsys):
    from switchlab import _progress

    monkeypatch.setattr(_progress, "QUIET", 0.0)
    sl.run("islip", ports=16, load=0.5, slots=200_000, replications=2, progress=True)
    assert "slots" in capsys.readouterr().err


def test_an_error_of_the_watch_ends_the_work():
    from switchlab import _switchlab
    from switchlab._arguments import arguments

    def watch(done, left):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        _switchlab.compare(arguments(["islip"], ports=64, load=0.5, slots=2**31), False, watch)


def test_nothing_heavy_is_imported():
    heavy = "pandas polars pyarrow numba tqdm matplotlib".split()
    code = f"import sys, switchlab; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60).stdout.strip() == b"[]"
