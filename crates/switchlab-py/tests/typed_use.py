"""What users write, for type checkers: mypy --strict and pyright read it, and it runs as a test."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from typing_extensions import assert_type

import switchlab as sl


def use() -> None:
    """Every function once, with the types that users see."""

    @sl.scheduler(state=1)
    def mine(lengths: NDArray[np.uint32], matching: NDArray[np.int64], state: NDArray[np.int64]) -> None:
        matching[int(lengths[:, 0].argmax())] = 0
        state[0] += 1

    @sl.scheduler
    def other(matching: NDArray[np.int64]) -> None: ...

    assert_type(mine, sl.Scheduler)
    result = sl.run("oq", mine, other, ports=4, load=0.1, slots=100, replications=2, progress=False)
    assert_type(result, sl.Comparison)
    report = result[0]
    assert_type(report, sl.Report)
    assert_type(result[1:], list[sl.Report])
    assert_type(report.delay.mean, float | None)
    assert_type(report.delay.percentiles[0].ci95, tuple[int, int] | None)
    assert_type(report.counters, dict[str, float])
    assert_type(result.plot(title="A picture"), sl.Picture)

    cells = sl.arrivals(ports=4, load=0.5, slots=20)
    assert_type(cells, NDArray[np.uint16])
    assert_type(sl.load_matrix("diagonal", ports=4, load=0.5), NDArray[np.float64])
    departures = sl.simulate("islip", cells)
    assert_type(departures, sl.Departures)
    assert_type(departures.born, NDArray[np.uint32])
    assert_type(sl.simulate("islip", iter([cells])), Iterator[sl.Departures])
    simulation = sl.Simulation("islip", ports=4, traffic=sl.matrix(np.full((4, 4), 0.1)))
    assert_type(simulation.step(), sl.Departures)
    assert_type(simulation.step([0, 1, 2, sl.NONE]), sl.Departures)
    assert_type(simulation.inspect(), sl.Inspection)
    assert_type(simulation.voqs, NDArray[np.uint32])
    assert_type(simulation.fork(), sl.Simulation)

    experiment = sl.Experiment("x", ["oq", mine], ports=4, loads=[0.3], slots=100, replications=2)
    assert_type(sl.sweep(experiment), sl.Sweep)
    assert_type(sl.audit("tdm", ports=4, load=0.5, slots=50).passed, bool)
    assert_type(sl.limit("tdm", ports=2, precision=0.4, slots=500, replications=2), sl.Limits)
    assert_type(sl.match(([[1]], [[1]])).pairs, list[tuple[int, int]])
    assert_type([entry.name for entry in sl.list_switches()], list[str])
    assert_type(sl.span(0.1, 0.3, 0.1), list[float])
