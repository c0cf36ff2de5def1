"""Whatever is asked: an answer, or a ValueError or TypeError that says why. Never a crash."""

import math
import os

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import switchlab as sl

ANYTHING = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 20),
    st.floats(),
    st.floats(0, 1),
    st.text(max_size=12),
    st.binary(max_size=4),
    st.lists(st.integers(0, 5), max_size=3),
    st.lists(st.floats(), max_size=3),
    st.lists(st.text(max_size=3), max_size=3),
    st.dictionaries(st.text(max_size=3), st.floats(), max_size=2),
    st.just(object()),
)
SPECS = st.one_of(
    st.sampled_from(["oq", "islip", "islip(iterations=2)", "pim", "fifo", "benes", "psm", "cioq(speedup=3)", "banyan", "mix"]),
    st.text(max_size=12),
    st.builds(
        "{}({}={})".format,
        st.sampled_from(["oq", "islip", "knockout", "serena", "psm"]),
        st.text(max_size=6),
        st.one_of(st.integers(), st.floats(), st.text(max_size=5)),
    ),
    ANYTHING,
)
KEYS = st.dictionaries(
    st.sampled_from(
        "traffic load arrivals vary warmup seed until percentiles oq_lag occupancy per overload threads".split()
    ),
    st.one_of(ANYTHING, SPECS),
    max_size=4,
)
LENIENT = settings(deadline=None, suppress_health_check=list(HealthCheck), derandomize=True, database=None)


# All tests together.
EXAMPLES = int(os.environ.get("SWITCHLAB_EXAMPLES", "10000"))


def share(percent):
    """A share of the examples, the same ones each time."""
    return settings(LENIENT, max_examples=max(1, EXAMPLES * percent // 100))


def answers(call):
    """Calls. The error is one that says something."""
    try:
        return call()
    except (ValueError, TypeError) as error:
        assert str(error)
        return None


def bounded(keys):
    """Without what would take long, or read and write files."""
    warmup, vary = keys.get("warmup"), keys.get("vary")
    if isinstance(warmup, (int, float)) and not isinstance(warmup, bool) and math.isfinite(warmup) and 200 < warmup < 2**32:
        keys["warmup"] = 100
    if isinstance(keys.get("until"), float):
        keys["until"] = -1.0
    if isinstance(keys.get("threads"), (int, float)):
        keys["threads"] = 1 if keys["threads"] else 0
    if isinstance(vary, dict):
        keys["vary"] = dict(list(vary.items())[:1])
    return keys


@share(40)
@given(st.lists(SPECS, max_size=2), st.one_of(st.integers(-1, 20), ANYTHING), KEYS)
def test_run(switches, ports, keys):
    if isinstance(ports, int) and ports > 64:
        ports = 4097
    result = answers(lambda: sl.run(*switches, ports=ports, slots=20, replications=2, progress=False, **bounded(keys)))
    if result is not None:
        for report in result:
            assert report.cells.arrived == report.cells.departed + report.cells.dropped + report.cells.queued


@share(25)
@given(
    SPECS,
    st.integers(0, 6),
    st.integers(0, 6),
    st.sampled_from([np.uint16, np.int64, np.float64, np.int8, np.bool_, np.uint32, object]),
    st.data(),
)
def test_simulate(switch, slots, ports, kind, data):
    values = data.draw(st.lists(st.sampled_from([0, 1, 2, 3, sl.NONE, 7, -1]), min_size=slots * ports, max_size=slots * ports))
    array = np.array(values, dtype=np.int64).reshape(slots, ports).astype(kind)
    departures = answers(lambda: sl.simulate(switch, array))
    if departures is not None:
        assert departures.input.shape == (slots, ports)
        assert (departures.input != sl.NONE).sum() <= (array.astype(np.int64) != sl.NONE).sum()


@share(15)
@given(st.lists(st.one_of(st.integers(), st.integers(-1, 5)), min_size=4, max_size=4), st.integers(0, 5))
def test_matchings(outputs, when):
    decide.outputs, decide.when = outputs, when
    cells = sl.arrivals(ports=4, load=0.9, slots=6)
    departures = answers(lambda: sl.simulate(ANY, cells))
    pairs = [output for output in outputs if output != -1]
    is_matching = len(set(pairs)) == len(pairs) and all(0 <= output < 4 for output in pairs)
    assert (departures is not None) == is_matching


def decide(slot, matching):
    if slot == decide.when:
        for i, output in enumerate(decide.outputs):
            matching[i] = output


ANY = sl.scheduler(name="hostile")(decide)


@share(10)
@given(st.dictionaries(st.sampled_from("title switches ports traffic loads slots vary quick figure claim seed".split()), ANYTHING, max_size=5))
def test_experiments(parts):
    answers(lambda: sl.sweep({"title": "x", "switches": ["oq"], "ports": 2, "loads": 0.5, "replications": 1, **parts, "slots": 20}))


@share(10)
@given(ANYTHING, ANYTHING, SPECS)
def test_everything_else(first, second, name):
    answers(lambda: sl.explain(name) if not isinstance(name, str) or "/" not in name else None)
    answers(lambda: sl.span(first, second, 0.5) if not isinstance(second, float) or abs(second) < 1e3 else None)
    answers(lambda: sl.matrix(first))
    answers(lambda: sl.trace(first) if first is not None else None)
    answers(lambda: sl.match((first, second)) if isinstance(first, list) else None)
    answers(lambda: sl.load_matrix(name, ports=4, load=second))
    answers(lambda: sl.scheduler(first))
    answers(lambda: sl.Simulation(name, ports=4).step(first) if not isinstance(first, (int, bool)) else None)
