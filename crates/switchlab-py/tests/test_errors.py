"""Errors are ValueError, with the program's own text."""

import logging

import numpy as np
import pytest

import switchlab as sl

WRONG = [
    ("islp --ports 4 --load 0.5", ["islp"], {"ports": 4, "load": 0.5}),
    ("islip:iterations=0 --ports 4 --load 0.5", ["islip(iterations=0)"], {"ports": 4, "load": 0.5}),
    ("islip:iteration=2 --ports 4 --load 0.5", ["islip(iteration=2)"], {"ports": 4, "load": 0.5}),
    ("oq --ports 5000 --load 0.5", ["oq"], {"ports": 5000, "load": 0.5}),
    ("oq --ports 4 --load 0.5 --traffic nothing", ["oq"], {"ports": 4, "load": 0.5, "traffic": "nothing"}),
    ("oq --ports 4 --load 0.5 --replications 0", ["oq"], {"ports": 4, "load": 0.5, "replications": 0}),
    ("oq --traffic trace(file=missing.csv)", ["oq"], {"traffic": "trace(file=missing.csv)"}),
    ("oq --ports 4 --load 0.2,0.5 --oq-lag", ["oq"], {"ports": 4, "load": [0.2, 0.5], "oq_lag": True}),
    ("benes --ports 6 --load 0.5", ["benes"], {"ports": 6, "load": 0.5}),
]


@pytest.mark.parametrize(("line", "switches", "keys"), WRONG, ids=[line for line, _, _ in WRONG])
def test_the_text_is_the_programs(program, line, switches, keys):
    done = program("run", *line.split())
    assert done.returncode == 2
    with pytest.raises(ValueError) as raised:
        sl.run(*switches, **keys)
    # The program does not know the schedulers that these tests define.
    said = done.stderr.decode().removeprefix("error: ").strip()
    assert str(raised.value).startswith(said.split(" There are: ")[0]), (said, str(raised.value))


def test_what_is_missing_is_named_as_python_names_it():
    with pytest.raises(ValueError, match=r"give ports=N"):
        sl.run("oq", load=0.5)
    with pytest.raises(ValueError, match=r"give load=X"):
        sl.run("oq", ports=4)
    with pytest.raises(ValueError, match="at least one switch"):
        sl.run(ports=4, load=0.5)


@pytest.mark.parametrize("value", [-1, 2**64, 10**30])
def test_numbers_out_of_range(value):
    with pytest.raises(ValueError, match="slots must be a whole number"):
        sl.run("oq", ports=4, load=0.5, slots=value)


@pytest.mark.parametrize("value", ["many", None, 0.5, [], object()])
def test_what_is_no_number(value):
    with pytest.raises((TypeError, ValueError)):
        sl.run("oq", ports=4, load=0.5, seed=value)


def test_numbers_of_numpy_are_numbers():
    asked = {"ports": np.int64(4), "load": np.float32(0.5), "slots": np.uint16(500), "seed": np.int8(3), "replications": 2}
    assert sl.run("oq", **asked).to_json() == sl.run("oq", ports=4, load=0.5, slots=5e2, seed=3, replications=2).to_json()


@pytest.mark.parametrize("load", [float("nan"), float("inf"), 1.5, -0.1])
def test_loads_out_of_range(load):
    with pytest.raises(ValueError):
        sl.run("oq", ports=4, load=load)


def test_warnings_go_to_the_logger(caplog, capfd):
    with caplog.at_level(logging.INFO, logger="switchlab"):
        sl.run("islip", "islip", ports=8, load=0.9, slots=50, warmup="auto", replications=2)
    assert any("islip is named more than once" in record.message for record in caplog.records)
    assert any(record.levelno == logging.WARNING for record in caplog.records)
    out, err = capfd.readouterr()
    assert (out, err) == ("", "")
