"""Schedulers of the user."""

import numpy as np
import pytest

import switchlab as sl

numba = pytest.importorskip("numba")


def tdm(slot, matching):
    ports = len(matching)
    for i in range(ports):
        matching[i] = (i + slot) % ports


def islip1(requests, matching, state):
    """iSLIP with one iteration: state holds grant pointers, then accept pointers."""
    ports = len(matching)
    granted = np.full(ports, -1)
    for j in range(ports):
        for k in range(ports):
            i = (state[j] + k) % ports
            if requests[i, j]:
                granted[j] = i
                break
    for i in range(ports):
        for k in range(ports):
            j = (state[ports + i] + k) % ports
            if granted[j] == i:
                matching[i] = j
                state[j] = (i + 1) % ports
                state[ports + i] = (j + 1) % ports
                break


def longest(lengths, matching):
    """iLQF with one iteration: the longest queue is granted and accepted, ties to the lowest port."""
    ports = len(matching)
    granted = np.full(ports, -1)
    for j in range(ports):
        most = 0
        for i in range(ports):
            if lengths[i, j] > most:
                most = lengths[i, j]
                granted[j] = i
    for i in range(ports):
        most = 0
        for j in range(ports):
            if granted[j] == i and lengths[i, j] > most:
                most = lengths[i, j]
                matching[i] = j


TWINS = [(tdm, "tdm", 0), (islip1, "islip", lambda ports: 2 * ports), (longest, "ilqf", 0)]


@pytest.mark.parametrize("compiled", [False, True], ids=["python", "numba"])
@pytest.mark.parametrize(("function", "built_in", "state"), TWINS, ids=[name for _, name, _ in TWINS])
@pytest.mark.parametrize("traffic", ["uniform", "diagonal"])
def test_own_ones_are_the_built_in_ones(function, built_in, state, compiled, traffic):
    own = sl.scheduler(name=f"{built_in}-{traffic}-{compiled}".lower(), state=state, compile=compiled)(function)
    assert own.compiled is compiled
    for ports, slots in ((1, 50), (5, 800), (16, 1500), (66, 60)):
        cells = sl.arrivals(traffic, ports=ports, load=0.95, slots=slots, seed=ports)
        mine, theirs = sl.simulate(own, cells), sl.simulate(built_in, cells)
        assert np.array_equal(mine.input, theirs.input) and np.array_equal(mine.born, theirs.born)


def test_it_takes_part_beside_built_in_ones():
    own = sl.scheduler(name="paired-islip", state=lambda ports: 2 * ports, compile=True)(islip1)
    result = sl.run("islip", own, ports=8, load=0.8, slots=3000, replications=4)
    assert result[0].delay == result[1].delay and result[1].versus_first.mean == 0
    assert sl.audit("islip", own, ports=8, load=0.8, slots=200).passed
    found = sl.limit("tdm", sl.scheduler(name="limited-tdm", compile=True)(tdm), ports=4, precision=0.1, slots=4000, replications=2)
    assert found[0]["stable"]["load"] == found[1]["stable"]["load"]


def test_sweeps_keep_results_of_own_ones(tmp_path):
    own = sl.scheduler(name="swept", compile=True)(tdm)
    grid = {"title": "x", "switches": ["tdm", own], "ports": 4, "loads": [0.3, 0.6], "slots": 500}
    first, second = sl.sweep(grid, out=tmp_path / "o"), sl.sweep(grid, out=tmp_path / "o")
    assert (first.ran, second.ran) == (40, 0) and first.to_json() == second.to_json()
    delays = first.columns()["delay"]
    assert delays[0] == delays[1] and delays[2] == delays[3]


def test_decorators_name_it_by_the_function():
    @sl.scheduler
    def mine(matching):
        """Does nothing."""

    @sl.scheduler
    def mine_too(matching): ...

    def again():
        @sl.scheduler
        def mine(matching): ...

        return mine

    assert (mine.spec, mine_too.spec, again().spec) == ("mine", "mine_too", "mine-2")
    assert "mine" in [entry.name for entry in sl.list_switches()]
    assert "Does nothing." in sl.explain("mine")
    assert sl.run(mine, ports=4, load=0.1, slots=50, replications=2)[0].cells.departed == 0
    assert sl.scheduler(lambda matching: None).spec.startswith("scheduler")


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, r"slot 3: output 0 is matched to two inputs, 0 and 1"),
        (4, r"slot 3: input 0 is matched to output 4; an output is from 0 to 3, and -1 is none"),
        (-2, r"slot 3: input 0 is matched to output -2"),
        (2**40, r"slot 3: input 0 is matched to output 1099511627776"),
    ],
)
def test_what_is_no_matching_is_an_error(value, text, compiled):
    def wrong(slot, matching):
        if slot == 3:
            for i in range(len(matching)):
                matching[i] = value

    own = sl.scheduler(name=f"wrong-{compiled}-{abs(value)}-{value < 0}".lower(), compile=compiled)(wrong)
    cells = np.zeros((10, 4), np.uint16)
    for call in (
        lambda: sl.simulate(own, cells),
        lambda: sl.run("oq", own, ports=4, load=0.5, slots=100),
        lambda: sl.sweep({"title": "x", "switches": [own], "ports": 4, "loads": 0.5, "slots": 100}),
        lambda: sl.limit(own, ports=4, slots=2000),
    ):
        with pytest.raises(ValueError, match=text):
            call()


def test_an_audit_of_a_scheduler_that_fails_says_so():
    @sl.scheduler(name="audited-wrong")
    def wrong(slot, matching):
        if slot == 3:
            matching[:] = 1

    with pytest.raises(ValueError, match="slot 3: output 1 is matched to two inputs"):
        sl.audit("oq", wrong, ports=4, load=0.5, slots=100)


def test_an_exception_is_the_cause():
    @sl.scheduler(name="raises")
    def raises(slot, matching):
        if slot == 7:
            raise KeyError("lost")

    with pytest.raises(ValueError, match="raises stopped: slot 7: the scheduler raised KeyError: 'lost'") as raised:
        sl.run(raises, ports=4, load=0.5, slots=100)
    assert isinstance(raised.value.__cause__, KeyError)


def test_what_it_writes_elsewhere_harms_nothing():
    @sl.scheduler(name="scribbles")
    def scribbles(lengths, requests, slot, matching):
        lengths[:] = 7
        requests[:] = True
        ports = len(matching)
        matching[:] = (np.arange(ports) + slot) % ports

    cells = sl.arrivals("uniform", ports=6, load=0.8, slots=500)
    assert np.array_equal(sl.simulate(scribbles, cells).born, sl.simulate("tdm", cells).born)


def test_arrays_that_change_their_shape_are_an_error():
    @sl.scheduler(name="reshapes")
    def reshapes(matching):
        matching.resize(2, refcheck=False)

    with pytest.raises(ValueError, match="changed its shape"):
        sl.run(reshapes, ports=4, load=0.5, slots=100)


def test_ages_and_requests_are_those_of_the_queues():
    seen = []

    @sl.scheduler(name="looks")
    def looks(slot, lengths, ages, requests, matching):
        seen.append((slot, lengths.copy(), ages.copy(), requests.copy()))
        if slot == 3:
            matching[0] = 1

    cells = np.full((6, 2), sl.NONE, np.uint16)
    cells[0, 0] = cells[2, 0] = 1
    sl.simulate(looks, cells)
    assert [int(lengths[0, 1]) for _, lengths, _, _ in seen] == [1, 1, 2, 2, 1, 1]
    assert [int(ages[0, 1]) for _, _, ages, _ in seen] == [0, 1, 2, 3, 2, 3]
    assert all((requests == (lengths > 0)).all() for _, lengths, _, requests in seen)
    assert all(ages[1].sum() == 0 for _, _, ages, _ in seen)


def test_seeds_differ_by_replication_and_state_is_of_a_run():
    seeds = []

    @sl.scheduler(name="seeded", state=1)
    def seeded(seed, state, slot, matching):
        assert state[0] == slot
        state[0] += 1
        if slot == 0:
            seeds.append(seed)

    sl.run(seeded, ports=2, load=0.5, slots=20, replications=5)
    assert len(set(seeds)) == 5


def test_random_schedulers_repeat():
    @sl.scheduler(name="draws", state=1, compile=True)
    def draws(seed, slot, state, matching):
        if slot == 0:
            state[0] = seed
        state[0] = state[0] * 6364136223846793005 + 1442695040888963407
        shift = (state[0] >> 33) % len(matching)
        for i in range(len(matching)):
            matching[i] = (i + shift) % len(matching)

    asked = {"ports": 4, "load": 0.5, "slots": 2000, "replications": 4}
    assert sl.run(draws, threads=1, **asked).to_json() == sl.run(draws, threads=4, **asked).to_json()


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: sl.scheduler(lambda lengths: None), ValueError, "matching"),
        (lambda: sl.scheduler(lambda matching, voqs: None), ValueError, "no parameter 'voqs'"),
        (lambda: sl.scheduler(3), TypeError, "a function"),
        (lambda: sl.scheduler(name="islip")(tdm), ValueError, "already"),
        (lambda: sl.scheduler(name="two words")(tdm), ValueError, "name"),
        (lambda: sl.scheduler(state="many")(tdm), TypeError, "state"),
        (lambda: sl.run(sl.scheduler(name="negative", state=-1)(tdm), ports=4, load=0.5), ValueError, "state"),
        (lambda: sl.run(sl.scheduler(name="huge", state=10**9)(tdm), ports=4, load=0.5), ValueError, "state has at most"),
        (lambda: sl.run(sl.scheduler(name="no", state=lambda n: 1 / 0)(tdm), ports=4, load=0.5), ValueError, "division"),
    ],
)
def test_what_is_no_scheduler(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_forks_of_own_schedulers():
    own = sl.scheduler(name="forked-islip", state=lambda ports: 2 * ports)(islip1)
    simulation = sl.Simulation(own, ports=4, traffic="uniform", load=0.9)
    simulation.step(60)
    assert np.array_equal(simulation.fork().step(40).born, simulation.step(40).born)
