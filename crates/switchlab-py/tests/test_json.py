"""Results are the same bytes as the program's."""

import json

import pytest

import switchlab as sl

# Arguments of the program, and the same for Python.
SETTINGS = [
    ("oq --ports 4 --load 0.5", ["oq"], {"ports": 4, "load": 0.5}),
    ("oq islip --ports 8 --load 0.7 --seed 7", ["oq", "islip"], {"ports": 8, "load": 0.7, "seed": 7}),
    ("islip:iterations=4 --ports 16 --load 0.9 --traffic diagonal", ["islip(iterations=4)"], {"ports": 16, "load": 0.9, "traffic": "diagonal"}),
    ("pim mwm --ports 5 --load 0.6", ["pim", "mwm"], {"ports": 5, "load": 0.6}),
    ("serena --ports 8 --load 0.8 --arrivals bursty(mean=5)", ["serena"], {"ports": 8, "load": 0.8, "arrivals": "bursty(mean=5)"}),
    ("tdm oq --ports 3 --load 0.4 --arrivals onoff", ["tdm", "oq"], {"ports": 3, "load": 0.4, "arrivals": "onoff"}),
    ("fifo --ports 6 --load 0.9", ["fifo"], {"ports": 6, "load": 0.9}),
    ("knockout:k=2 --ports 8 --load 0.9", ["knockout(k=2)"], {"ports": 8, "load": 0.9}),
    ("cioq oq --ports 4 --load 0.8 --oq-lag", ["cioq", "oq"], {"ports": 4, "load": 0.8, "oq_lag": True}),
    ("islip --ports 4 --load 0.8 --occupancy", ["islip"], {"ports": 4, "load": 0.8, "occupancy": True}),
    ("islip --ports 4 --load 0.8 --per-port", ["islip"], {"ports": 4, "load": 0.8, "per": "port"}),
    ("islip --ports 4 --load 0.8 --per-pair", ["islip"], {"ports": 4, "load": 0.8, "per": "pair"}),
    ("oq --ports 4 --load 0.8 --percentiles 95,99.5", ["oq"], {"ports": 4, "load": 0.8, "percentiles": [95, 99.5]}),
    ("oq --ports 4 --load 0.5 --until 5%", ["oq"], {"ports": 4, "load": 0.5, "until": 0.05}),
    ("oq islip --ports 4 --load 0.3,0.6", ["oq", "islip"], {"ports": 4, "load": [0.3, 0.6]}),
    ("oq --ports 4,8 --load 0.5 --traffic uniform,diagonal", ["oq"], {"ports": [4, 8], "load": 0.5, "traffic": ["uniform", "diagonal"]}),
    ("oq --ports 4 --load 1 --traffic unbalanced(w={w}) --vary w=0,0.5", ["oq"], {"ports": 4, "load": 1, "traffic": "unbalanced(w={w})", "vary": {"w": [0, 0.5]}}),
    ("benes --ports 16 --load 0.5", ["benes"], {"ports": 16, "load": 0.5}),
    ("oq --ports 8 --load 0.5 --traffic hotspot(count=1,rate=2)", ["oq"], {"ports": 8, "load": 0.5, "traffic": "hotspot(count=1,rate=2)"}),
    ("oq psm --ports 4 --load 0.7 --warmup auto", ["oq", "psm"], {"ports": 4, "load": 0.7, "warmup": "auto"}),
    ("ilqf uform ufpim --ports 70 --load 0.5", ["ilqf", "uform", "ufpim"], {"ports": 70, "load": 0.5}),
]


@pytest.mark.parametrize(("line", "switches", "keys"), SETTINGS, ids=[line for line, _, _ in SETTINGS])
def test_run_is_what_the_program_prints(program, line, switches, keys):
    done = program("run", *line.split(), "--slots", "3000", "--replications", "3", "--json")
    assert done.returncode == 0, done.stderr
    result = sl.run(*switches, slots=3000, replications=3, **keys)
    assert result.to_json().encode() == done.stdout
    assert result.to_dict() == json.loads(done.stdout)
    assert [report.to_dict() for report in result] == json.loads(done.stdout)


def test_a_single_long_run_is_what_the_program_prints(program):
    done = program("run", "islip", "--ports", "4", "--load", "0.8", "--slots", "20000", "--replications", "1", "--json")
    assert sl.run("islip", ports=4, load=0.8, slots=20_000, replications=1).to_json().encode() == done.stdout


def test_audit_is_what_the_program_prints(program):
    done = program("audit", "serena", "islip", "--ports", "8", "--load", "0.9", "--slots", "400", "--json")
    assert sl.audit("serena", "islip", ports=8, load=0.9, slots=400).to_json().encode() == done.stdout


def test_limit_is_what_the_program_prints(program):
    line = "fifo --ports 2,4 --precision 0.05 --slots 8000 --replications 3 --json"
    done = program("limit", *line.split())
    assert sl.limit("fifo", ports=[2, 4], precision=0.05, slots=8000, replications=3).to_json().encode() == done.stdout


def test_match_is_what_the_program_prints(program, tmp_path):
    file = tmp_path / "ranks.json"
    file.write_text('{"rows": {"ranks": [[1, 2], [1, 2]]}, "columns": {"ranks": [[2, 1], [1, 2]]}}')
    for algorithm in ("find-roots", "gale-shapley"):
        done = program("match", str(file), "--algorithm", algorithm, "--json")
        by_file = sl.match(file, algorithm=algorithm)
        by_lists = sl.match(([[1, 2], [1, 2]], [[2, 1], [1, 2]]), algorithm=algorithm)
        assert by_file.to_json().encode() == done.stdout == by_lists.to_json().encode()


def test_the_tables_are_what_the_program_prints(program):
    done = program("run", "oq", "islip", "--ports", "4", "--load", "0.5", "--slots", "2000", "--csv")
    result = sl.run("oq", "islip", ports=4, load=0.5, slots=2000)
    assert result.to_csv().encode() == done.stdout
    done = program("run", "oq", "islip", "--ports", "4", "--load", "0.5", "--slots", "2000")
    assert str(result).encode() == done.stdout


def test_pages_and_lists_are_what_the_program_prints(program):
    assert sl.explain("serena").encode() == program("explain", "serena").stdout
    listed = json.loads(program("list", "--json").stdout)
    own = {entry.name for entry in sl.list_switches()} - {one["name"] for one in listed}
    names = [entry.name for entry in sl.list_switches() if entry.name not in own]
    assert names == [one["name"] for one in listed if one["kind"] == "switch"]
    assert [entry.name for entry in sl.list_traffic()] == [one["name"] for one in listed if one["kind"] == "traffic"]


def test_a_picture_is_what_the_program_draws(program, tmp_path):
    file = tmp_path / "p.svg"
    line = "oq islip --ports 4 --load 0.5 --slots 2000 --plot"
    assert program("run", *line.split(), str(file)).returncode == 0
    assert sl.run("oq", "islip", ports=4, load=0.5, slots=2000).plot().svg.encode() == file.read_bytes()
    line = "oq islip --ports 4 --load 0.2,0.5 --slots 2000 --y throughput --title Own --plot"
    assert program("run", *line.split(), str(file)).returncode == 0
    result = sl.run("oq", "islip", ports=4, load=[0.2, 0.5], slots=2000)
    assert result.plot(y="throughput", title="Own").svg.encode() == file.read_bytes()
