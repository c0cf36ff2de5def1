"""Experiments and their stores."""

import json
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest

import switchlab as sl

TOML = """title = "Two switches"
switches = ["oq", "islip"]
ports = 4
loads = [0.3, 0.6]
slots = 500
replications = 4

[quick]
slots = 100

[[figure]]
id = "delay"
title = "Mean delay"
x = "load"
y = "delay"

[[claim]]
id = "half"
text = "What comes leaves."
metric = "throughput"
where = { load = 0.3, switch = "oq" }
within = { value = 0.3, tolerance = 0.05 }

[[claim]]
id = "wrong"
text = "More leaves than comes."
metric = "throughput"
where = { load = 0.3, switch = "oq" }
within = { value = 0.9, tolerance = 0.05 }
"""

PARTS = {
    "title": "Two switches",
    "switches": ["oq", "islip"],
    "ports": 4,
    "loads": [0.3, 0.6],
    "slots": 500,
    "replications": 4,
    "quick": {"slots": 100},
    "figure": [{"id": "delay", "title": "Mean delay", "x": "load", "y": "delay"}],
}


def plain():
    return TOML.split("[[claim]]")[0]


def units(folder):
    return sorted((folder / "units.jsonl").read_text().splitlines())


def test_a_dictionary_a_text_a_file_and_a_builder_are_the_same(tmp_path):
    file = tmp_path / "experiment.toml"
    file.write_text(plain())
    built = sl.Experiment("Two switches", ["oq", "islip"], ports=4, loads=[0.3, 0.6], slots=500, replications=4)
    built = built.quick(slots=100).figure("delay", title="Mean delay", x="load", y="delay")
    results = [sl.sweep(source) for source in (PARTS, plain(), file, str(file), built, built.to_toml())]
    assert len({result.to_json() for result in results}) == 1
    assert len({json.dumps(result.experiment, sort_keys=True) for result in results}) == 1
    assert sl.sweep(PARTS, quick=True)[0].slots == 100


def test_the_store_is_the_programs(program, tmp_path):
    file = tmp_path / "experiment.toml"
    file.write_text(plain())
    assert program("sweep", str(file), "--out", str(tmp_path / "theirs")).returncode == 0
    result = sl.sweep(file, out=tmp_path / "mine")
    assert units(tmp_path / "mine") == units(tmp_path / "theirs")
    assert (tmp_path / "mine/results.csv").read_bytes() == (tmp_path / "theirs/results.csv").read_bytes()
    drawn = next(file for file in result.files if file.suffix == ".svg")
    assert drawn.read_bytes() == (tmp_path / "theirs" / drawn.relative_to(tmp_path / "mine")).read_bytes()
    assert result.plot(figure="delay").svg.encode() == drawn.read_bytes()
    # Each goes on where the other has stopped.
    assert sl.sweep(file, out=tmp_path / "theirs").ran == 0
    assert b"0 units run" in program("sweep", str(file), "--out", str(tmp_path / "mine")).stderr
    assert set(result.files) >= {tmp_path / "mine/results.csv", tmp_path / "mine/manifest.json"}


def test_it_goes_on_where_it_was(tmp_path):
    first = sl.sweep({**PARTS, "loads": [0.3]}, out=tmp_path / "o")
    second = sl.sweep(PARTS, out=tmp_path / "o")
    assert (first.ran, second.ran) == (8, 8)
    assert sl.read_sweep(tmp_path / "o").to_json() == second.to_json()
    assert sl.replay(tmp_path / "o").same


def test_run_with_lists_keeps_its_results_too(tmp_path):
    asked = {"ports": 4, "load": [0.3, 0.6], "slots": 500, "replications": 4, "out": tmp_path / "o"}
    first = sl.run("oq", **asked)
    before = units(tmp_path / "o")
    assert sl.run("oq", **asked).to_json() == first.to_json() and units(tmp_path / "o") == before


def test_executors_of_threads_and_of_processes(tmp_path):
    expected = sl.sweep(PARTS).to_json()
    with ThreadPoolExecutor(3) as pool:
        result = sl.sweep(PARTS, out=tmp_path / "threads", executor=pool)
    assert result.to_json() == expected and result.ran == 0
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        result = sl.sweep(PARTS, out=tmp_path / "processes", executor=pool)
    assert result.to_json() == expected and result.ran == 0
    assert units(tmp_path / "threads") == units(tmp_path / "processes")
    with pytest.raises(ValueError, match="out=DIR"):
        sl.sweep(PARTS, executor=pool)


def test_what_fails_elsewhere_ends_the_sweep(tmp_path):
    """And parts that have not begun do not begin."""

    class Broken:
        def __init__(self):
            self.futures = []

        def submit(self, function, *arguments):
            future = Future()
            if not self.futures:
                future.set_exception(OSError("the machine is gone"))
            self.futures.append(future)
            return future

    broken = Broken()
    with pytest.raises(OSError, match="gone"):
        sl.sweep(PARTS, out=tmp_path / "o", executor=broken)
    assert len(broken.futures) == 16 and all(future.cancelled() for future in broken.futures[1:])


def test_claims_are_judged():
    result = sl.sweep(TOML)
    assert result.claims["half"][0] == "holds" and result.claims["wrong"][0] == "does not hold"
    assert result.tally == "claims: 1 hold, 1 do not hold, 0 undecided"
    assert "half" in str(result)


def test_errors_name_line_and_column():
    with pytest.raises(ValueError, match=r"experiment:2:\d+: .*islp"):
        sl.sweep('title = "x"\nswitches = ["islp"]\nports = 4\nloads = 0.5\n')
    with pytest.raises(ValueError, match="did you mean"):
        sl.sweep({**PARTS, "slotz": 5})
    for wrong in ({"title": float("nan")}, {"title": "x", "loads": [float("inf")]}):
        with pytest.raises(ValueError):
            sl.sweep(wrong)
    with pytest.raises(TypeError):
        sl.sweep({"title": object()})
    with pytest.raises(ValueError, match="cannot read"):
        sl.sweep("missing.toml")


def test_numbers_of_numpy_and_own_traffic_stand_in_dictionaries(tmp_path):
    own = sl.matrix(np.full((4, 4), 0.25), file=tmp_path / "m.csv")
    parts = {"title": "x", "switches": ["oq"], "traffic": own, "loads": np.array([0.5]), "ports": np.int64(4), "slots": 100}
    assert sl.sweep(parts)[0].load == 0.5


def test_a_directory_that_is_none(tmp_path):
    for wrong in (tmp_path / "missing", tmp_path):
        with pytest.raises(ValueError, match="not a directory of a sweep"):
            sl.read_sweep(wrong)
    (tmp_path / "results.csv").write_text("mine")
    with pytest.raises(ValueError, match="would be replaced"):
        sl.sweep(PARTS, out=tmp_path)
    assert (tmp_path / "results.csv").read_text() == "mine"


def test_a_manifest_that_was_altered(tmp_path):
    sl.sweep({**PARTS, "loads": [0.3]}, out=tmp_path / "o")
    manifest = tmp_path / "o/manifest.json"
    manifest.write_text(manifest.read_text().replace('"seed": 1', '"seed": 2'))
    replayed = sl.replay(manifest)
    assert not replayed.same and "altered" in replayed.differences[0]
    with pytest.raises(ValueError, match="no manifest"):
        sl.replay(tmp_path)
