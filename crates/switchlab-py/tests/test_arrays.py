"""Arrays in and out."""

import csv

import numpy as np
import pytest

import switchlab as sl

SWITCHES = ["oq", "islip(iterations=4)", "pim", "serena", "fifo", "tdm", "cioq", "benes", "psm", "oq(capacity=1)"]


@pytest.fixture(scope="module")
def cells():
    return sl.arrivals("uniform", ports=16, load=0.8, slots=3000, seed=5)


@pytest.mark.parametrize("switch", SWITCHES)
def test_departures_are_those_that_run_writes(tmp_path, cells, switch):
    file = tmp_path / "d.csv"
    sl.run(switch, ports=16, load=0.8, slots=2400, warmup=600, replications=1, seed=5, departures=file)
    departures = sl.simulate(switch, cells, seed=5)
    slots, outputs = np.nonzero(departures.input != sl.NONE)
    own = zip(
        slots.tolist(),
        outputs.tolist(),
        departures.input[slots, outputs].tolist(),
        departures.born[slots, outputs].tolist(),
        strict=True,
    )
    with file.open() as lines:
        written = [tuple(map(int, line)) for line in list(csv.reader(lines))[1:]]
    assert list(own) == written and len(written) > 1000


@pytest.mark.parametrize("switch", SWITCHES)
def test_blocks_do_not_show(cells, switch):
    whole = sl.simulate(switch, cells)
    for pieces in (1, 2, 13):
        blocks = list(sl.simulate(switch, np.array_split(cells, pieces)))
        assert np.array_equal(np.concatenate([block.input for block in blocks]), whole.input)
        assert np.array_equal(np.concatenate([block.born for block in blocks]), whole.born)
        assert [block.first for block in blocks][-1] == len(cells) - len(blocks[-1].input)


def test_types_and_shapes(cells):
    departures = sl.simulate("islip", cells)
    assert departures.born.dtype == np.uint32 and departures.input.dtype == np.uint16
    assert departures.born.shape == departures.input.shape == cells.shape
    assert departures.born.flags.c_contiguous and departures.born.flags.writeable


def test_other_types_and_layouts_are_the_same_cells(cells):
    whole = sl.simulate("islip", cells)
    for other in (cells.astype(np.int64), np.asfortranarray(cells), cells.astype(np.uint32)[::1]):
        assert np.array_equal(sl.simulate("islip", other).born, whole.born)
    every_other = cells[:, ::2].copy()
    every_other[every_other >= 8] = sl.NONE
    assert np.array_equal(sl.simulate("oq", every_other).born.shape, (3000, 8))


def test_delays_are_those_of_run(cells):
    report = sl.run("oq", ports=16, load=0.8, slots=3000, warmup=0, replications=1, seed=5)[0]
    delays = sl.simulate("oq", cells, seed=5).delays
    assert len(delays) == report.cells.departed and delays.mean() == pytest.approx(report.delay.mean, rel=1e-12)
    pytest.importorskip("pandas")
    frame = sl.simulate("oq", cells, seed=5).to_pandas()
    assert ((frame["slot"] - frame["birth"]).to_numpy() == delays).all()


def test_arrivals_are_not_changed_and_may_be_read_only(cells):
    frozen = cells.copy()
    frozen.flags.writeable = False
    sl.simulate("islip", frozen)
    assert np.array_equal(frozen, cells)


@pytest.mark.parametrize(
    ("array", "text"),
    [
        (np.zeros(4, np.uint16), "two dimensions"),
        (np.zeros((2, 2, 2), np.uint16), "two dimensions"),
        (np.zeros((2, 4)), "whole numbers"),
        (np.full((2, 4), -1), "outputs"),
        (np.full((2, 4), 70000), "outputs"),
        (np.full((2, 4), 4, np.uint16), "slot 0: the cell at input 0 is for output 4; outputs are from 0 to 3"),
        (np.zeros((2, 0), np.uint16), "0 ports"),
        (np.zeros((2, 5000), np.uint16), "5000 ports"),
    ],
)
def test_arrivals_that_cannot_be(array, text):
    with pytest.raises(ValueError, match=text):
        sl.simulate("oq", array)


def test_no_slots_are_no_departures():
    assert sl.simulate("oq", np.zeros((0, 4), np.uint16)).born.shape == (0, 4)
    assert list(sl.simulate("oq", [])) == []
    with pytest.raises(TypeError, match="an array or an iterable"):
        sl.simulate("oq", 7)


def test_a_switch_that_stops_says_when():
    full = sl.arrivals("uniform", ports=4, load=1, slots=500)
    with pytest.raises(ValueError, match=r"psm.* stopped: slot \d+: "):
        sl.simulate("psm(memories=4)", full)


def test_matrices_round_trip():
    rates = sl.load_matrix("log-diagonal", ports=6, load=1)
    own = sl.matrix(rates)
    assert np.array_equal(sl.load_matrix(own), rates)
    assert np.allclose(sl.load_matrix("diagonal", ports=4, load=0.6).sum(axis=1), 0.6)
    result = sl.run("oq", "islip", traffic=own, load=0.5, slots=500, replications=2)
    assert result[0].ports == 6 and result[0].get("scale") == 0.5
    assert str(own) == own.spec and own.file.exists()


@pytest.mark.parametrize("rates", [[[1, 2]], [1.0], [[float("nan")]], [[2.0]], [[-1.0]], []])
def test_matrices_that_cannot_be(rates):
    with pytest.raises(ValueError):
        sl.run("oq", traffic=sl.matrix(rates), slots=10)


def test_traces_round_trip(cells):
    own = sl.trace(cells)
    assert np.array_equal(sl.arrivals(own, slots=3000, ports=16), cells)
    result = sl.run("islip", traffic=own)
    assert result[0].cells.arrived == int((cells != sl.NONE).sum())
    assert result[0].arrivals == "trace"


def test_traces_from_frames(tmp_path):
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")

    columns = {"slot": [0, 2, 1], "input": [0, 0, 1], "output": [1, 0, 1], "class": [0, 1, 0], "note": ["a", "b", "c"]}
    texts = set()
    for kind in (dict, pandas.DataFrame, polars.DataFrame, pyarrow.table):
        file = tmp_path / f"{kind.__name__}.csv"
        own = sl.trace(kind(columns), file=file)
        assert own.file == file
        texts.add(file.read_text())
    assert texts == {"slot,input,output,class\n0,0,1,0\n1,1,1,0\n2,0,0,1\n"}
    for wrong in ({"slot": [0]}, {"slot": [0], "input": [0], "output": [0.5]}, {"slot": [0], "input": [0, 1], "output": [0]}):
        with pytest.raises(ValueError):
            sl.trace(wrong)


def test_arrivals_of_replications_differ_and_repeat():
    asked = {"ports": 4, "load": 0.5, "slots": 200}
    first = sl.arrivals(**asked)
    assert np.array_equal(first, sl.arrivals(**asked))
    assert not np.array_equal(first, sl.arrivals(**asked, replication=1))
    assert not np.array_equal(first, sl.arrivals(**asked, seed=2))
    with pytest.raises(ValueError, match="slots must be at most"):
        sl.arrivals(ports=4, load=0.5, slots=2**40)


def test_ranges():
    assert sl.span(0.1, 0.9, 0.1)[2] == 0.3
    with pytest.raises(ValueError, match="either step or times"):
        sl.span(1, 2)
    with pytest.raises(ValueError, match="empty"):
        sl.span(2, 1, 0.5)
