"""Slot by slot."""

import numpy as np
import pytest

import switchlab as sl

SWITCHES = ["islip(iterations=4)", "pim", "serena", "oq", "benes", "mix(variant=gossip)"]


def test_queues_are_what_came_less_what_left():
    simulation = sl.Simulation("islip", ports=4, traffic="diagonal", load=0.9)
    lengths = np.zeros((4, 4), np.int64)
    for slot in range(300):
        departures = simulation.step()
        for input_, output in enumerate(simulation.arrived[0]):
            if output != sl.NONE:
                lengths[input_, output] += 1
        for output, input_ in enumerate(departures.input[0]):
            if input_ != sl.NONE:
                lengths[input_, output] -= 1
                assert simulation.matching[input_] == output
        assert np.array_equal(simulation.voqs, lengths)
        assert simulation.slot == slot + 1
    census = simulation.census
    assert census["arrived"] == census["departed"] + census["queued"] and census["queued"] == lengths.sum()


def test_its_own_traffic_is_that_of_run():
    simulation = sl.Simulation("pim", ports=8, traffic="uniform", load=0.7, seed=3, replication=2)
    departures = simulation.step(500)
    cells = sl.arrivals("uniform", ports=8, load=0.7, slots=500, seed=3, replication=2)
    assert np.array_equal(simulation.arrived, cells)
    assert np.array_equal(departures.born, sl.simulate("pim", cells, seed=3, replication=2).born)


@pytest.mark.parametrize("switch", SWITCHES)
def test_forks_go_on_alike_and_apart(switch):
    simulation = sl.Simulation(switch, ports=16, traffic="uniform", load=0.9)
    simulation.step(137)
    fork = simulation.fork()
    assert fork.slot == 137 and fork.census == simulation.census
    ahead = fork.step(100)
    assert np.array_equal(ahead.born, simulation.step(100).born)
    silent = np.full((5, 16), sl.NONE, np.uint16)
    other = simulation.fork()
    other.step(silent)
    simulation.step(5)
    assert other.census["arrived"] < simulation.census["arrived"]
    # The sources kept pace.
    other.step(3), simulation.step(3)
    assert np.array_equal(other.arrived, simulation.arrived)


def test_a_slot_of_arrivals_by_hand():
    simulation = sl.Simulation("oq", ports=3)
    first = simulation.step([1, 1, sl.NONE])
    assert first.input.tolist() == [[sl.NONE, 0, sl.NONE]]
    assert simulation.queues.outputs.tolist() == [0, 1, 0]
    assert simulation.step([sl.NONE] * 3).born.tolist() == [[0, 0, 0]]
    assert simulation.census == {"arrived": 2, "departed": 2, "dropped": 0, "queued": 0}


def test_state_of_the_scheduler_is_shown():
    simulation = sl.Simulation("islip", ports=4, traffic="uniform", load=1)
    simulation.step(10)
    assert simulation.state and all(len(values) == 4 for values in simulation.state.values())


def test_an_inspection_is_of_its_slot():
    simulation = sl.Simulation("islip", ports=4, traffic="uniform", load=0.9)
    simulation.step(50)
    before = simulation.inspect()
    lengths = before.queues.voqs.copy()
    simulation.step(50)
    assert before.slot == 50 and np.array_equal(before.queues.voqs, lengths)
    assert simulation.inspect().slot == 100 and before.matching.shape == (4,) and before.state
    fifo = sl.Simulation("fifo", ports=4, traffic="uniform", load=0.9).inspect()
    assert fifo.queues.voqs is None and fifo.queues.inputs.tolist() == [0] * 4


def test_what_there_is_not_is_said():
    simulation = sl.Simulation("oq", ports=4)
    for look in (lambda: simulation.voqs, lambda: simulation.matching):
        with pytest.raises(ValueError):
            look()
    with pytest.raises(ValueError, match="no traffic of its own"):
        simulation.step(5)
    with pytest.raises(ValueError, match="columns"):
        simulation.step(np.zeros((2, 3), np.uint16))
    with pytest.raises(ValueError, match="keep=True"):
        sl.Simulation("oq", ports=4, keep=False).fork()
    simulation.step([sl.NONE] * 4)
    with pytest.raises(ValueError, match="whole number from 0"):
        simulation.step(2**32)
    ahead = sl.Simulation("oq", ports=4, traffic="uniform", load=0.5)
    ahead.step(1)
    with pytest.raises(ValueError, match="fewer than"):
        ahead.step(2**32 - 1)


def test_a_wrong_slot_leaves_the_simulation_as_it_was():
    simulation = sl.Simulation("islip", ports=4)
    simulation.step([0, 1, 2, 3])
    with pytest.raises(ValueError, match="slot 1: the cell at input 2"):
        simulation.step([0, 1, 9, 3])
    assert simulation.slot == 1 and simulation.census["arrived"] == 4
    simulation.step([1, 1, 1, 1])
    assert simulation.census["arrived"] == 8


def test_repr_names_it():
    assert repr(sl.Simulation("islip", ports=4)) == "<Simulation of islip(iterations=1), 4 ports, slot 0>"
