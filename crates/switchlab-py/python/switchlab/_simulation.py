"""Switches that are fed with arrays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsFloat, SupportsIndex, cast, overload

import numpy as np

from . import _switchlab
from ._arguments import Switch, TrafficLike, real, spec, whole, whole_or_none
from ._traffic import NONE, _arrivals

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Departures(NamedTuple):
    """Departures of consecutive slots, as arrays of slots and outputs."""

    born: NDArray[np.uint32]
    """The slot in which the cell arrived; 0 where no cell leaves."""
    input: NDArray[np.uint16]
    """The input at which it arrived, or ``sl.NONE``."""
    first: int
    """The slot of the first row."""

    @property
    def delays(self) -> NDArray[np.int64]:
        """The delays of all cells that leave, by slot and output: departure slot less arrival slot."""
        slots, outputs = np.nonzero(self.input != NONE)
        delays: NDArray[np.int64] = slots + self.first - self.born[slots, outputs].astype(np.int64)
        return delays

    def to_pandas(self) -> Any:
        """A frame with a row for each cell: slot, output, input, birth."""
        import pandas

        slots, outputs = np.nonzero(self.input != NONE)
        columns = {
            "slot": slots + self.first,
            "output": outputs,
            "input": self.input[slots, outputs],
            "birth": self.born[slots, outputs],
        }
        return pandas.DataFrame(columns)


class Queues(NamedTuple):
    """Queue lengths; None for queues that the switch does not have."""

    voqs: NDArray[np.uint32] | None
    inputs: NDArray[np.uint32] | None
    outputs: NDArray[np.uint32] | None


class Inspection(NamedTuple):
    """The inside of a switch after a slot; None for what it does not have."""

    slot: int
    """How many slots were run."""
    queues: Queues
    """Queue lengths."""
    matching: NDArray[np.int64] | None
    """For each input its output in the last slot, or -1."""
    state: dict[str, NDArray[np.uint16]]
    """What the scheduler remembers, by name: a number for each port."""


class Simulation:
    """A switch, slot by slot: step, look inside, fork.

    With ``traffic`` it draws its own arrivals, the same as a replication of ``sl.run``; without, it
    is given them. ``keep`` keeps all arrivals, which ``fork`` needs: 2 bytes for each port and slot.

    >>> import switchlab as sl
    >>> simulation = sl.Simulation("islip", ports=4, traffic="uniform", load=0.9)
    >>> cells = simulation.step(100)
    >>> simulation.slot, simulation.voqs.shape
    (100, (4, 4))
    >>> other = simulation.fork()
    >>> bool((other.step(50).input == simulation.step(50).input).all())
    True
    """

    def __init__(
        self,
        switch: Switch,
        *,
        ports: SupportsIndex | None = None,
        traffic: TrafficLike | None = None,
        load: SupportsFloat | None = None,
        process: str = "bernoulli",
        seed: SupportsIndex = 1,
        replication: SupportsIndex = 0,
        keep: bool = True,
    ) -> None:
        self._native = _switchlab.Simulation(
            spec(switch, "a switch"),
            whole_or_none(ports, "ports"),
            whole(seed, "seed"),
            whole(replication, "replication", 2**32 - 1),
            None if traffic is None else spec(traffic, "traffic"),
            None if load is None else real(load, "load"),
            spec(process, "process"),
            bool(keep),
        )
        self.arrived: NDArray[np.uint16] | None = None
        """The arrivals of the last step."""

    @property
    def switch(self) -> str:
        """The canonical spec of the switch."""
        return self._native.switch

    @property
    def ports(self) -> int:
        """The number of ports."""
        return self._native.ports

    @property
    def slot(self) -> int:
        """The slots that were run; the number of the next one."""
        return self._native.slot

    def step(self, slots: SupportsIndex | NDArray[Any] | Iterable[int] = 1) -> Departures:
        """Runs slots: as many of its own traffic as a number says; or with the arrivals of an array,
        of one slot (for each input an output, or ``sl.NONE``) or of several."""
        first = self._native.slot
        if isinstance(slots, np.ndarray) and slots.ndim > 0:
            given = slots
        elif isinstance(slots, Iterable) and not isinstance(slots, np.ndarray):
            given = np.asarray(list(slots))
        else:
            given = None
        if given is None:
            arrived, born, input_ = self._native.advance(whole(cast(SupportsIndex, slots), "slots", 2**32 - 1))
        else:
            if given.size == 0 and given.ndim == 1:
                given = given.astype(np.uint16)
            arrived = _arrivals(given[None, :] if given.ndim == 1 else given)
            born, input_ = self._native.run(arrived)
        self.arrived = arrived
        return Departures(born, input_, first)

    def inspect(self) -> Inspection:
        """Queue lengths, the last matching and the state of the scheduler, as copies.

        >>> import switchlab as sl
        >>> simulation = sl.Simulation("islip", ports=2)
        >>> departures = simulation.step([1, 1])
        >>> simulation.inspect().matching.tolist(), simulation.inspect().queues.voqs.tolist()
        ([1, -1], [[0, 0], [0, 1]])
        """
        found = self._native.inspect()
        if found is None:
            raise ValueError(f"{self.switch} does not show its queues")
        queues = Queues(found.get("voqs"), found.get("inputs"), found.get("outputs"))
        return Inspection(self.slot, queues, found.get("matching"), found["state"])

    @property
    def queues(self) -> Queues:
        """Queue lengths after the last slot."""
        return self.inspect().queues

    @property
    def voqs(self) -> NDArray[np.uint32]:
        """The lengths of the virtual output queues, by input and output, after the last slot."""
        voqs = self.queues.voqs
        if voqs is None:
            raise ValueError(f"{self.switch} has no virtual output queues; queues shows those that it has")
        return voqs

    @property
    def matching(self) -> NDArray[np.int64]:
        """The matching of the last slot: for each input its output, or -1."""
        matching = self.inspect().matching
        if matching is None:
            raise ValueError(f"{self.switch} does not match inputs with outputs")
        return matching

    @property
    def state(self) -> dict[str, NDArray[np.uint16]]:
        """What the scheduler remembers, by name: a number for each port."""
        return self.inspect().state

    @property
    def census(self) -> dict[str, int]:
        """Cells so far: ``arrived = departed + dropped + queued``."""
        return dict(zip(("arrived", "departed", "dropped", "queued"), self._native.census, strict=True))

    def fork(self) -> Simulation:
        """Another simulation in the same state. It is run again from slot 0, so it takes as long."""
        other = object.__new__(Simulation)
        other._native = self._native.fork()
        other.arrived = self.arrived
        return other

    def __repr__(self) -> str:
        return f"<Simulation of {self.switch}, {self.ports} ports, slot {self.slot}>"


@overload
def simulate(  # type: ignore[overload-overlap]
    switch: Switch, arrivals: NDArray[Any], *, seed: SupportsIndex = 1, replication: SupportsIndex = 0
) -> Departures: ...
@overload
def simulate(
    switch: Switch,
    arrivals: Iterable[NDArray[Any]],
    *,
    seed: SupportsIndex = 1,
    replication: SupportsIndex = 0,
) -> Iterator[Departures]: ...
def simulate(
    switch: Switch,
    arrivals: NDArray[Any] | Iterable[NDArray[Any]],
    *,
    seed: SupportsIndex = 1,
    replication: SupportsIndex = 0,
) -> Departures | Iterator[Departures]:
    """The departures of a switch for arrivals of ``uint16[slots, ports]``.

    An array of that type is read where it is, and not copied. An iterable of arrays is a run in
    blocks: the result is an iterator, and no more than a block is in memory.

    >>> import numpy as np, switchlab as sl
    >>> cells = sl.arrivals("uniform", ports=4, load=0.5, slots=1_000)
    >>> whole = sl.simulate("islip", cells)
    >>> blocks = list(sl.simulate("islip", np.array_split(cells, 7)))
    >>> bool((np.concatenate([block.born for block in blocks]) == whole.born).all())
    True
    """
    name = spec(switch, "a switch")
    if isinstance(arrivals, np.ndarray):
        checked = _arrivals(arrivals)
        return Simulation(name, ports=checked.shape[1], seed=seed, replication=replication, keep=False).step(checked)
    if not isinstance(arrivals, Iterable):
        raise TypeError(f"arrivals are an array or an iterable of arrays, not {type(arrivals).__name__}")
    return _blocks(name, arrivals, seed, replication)


def _blocks(
    switch: str, blocks: Iterable[NDArray[Any]], seed: SupportsIndex, replication: SupportsIndex
) -> Iterator[Departures]:
    simulation: Simulation | None = None
    for block in blocks:
        checked = _arrivals(np.asarray(block))
        if simulation is None:
            ports = checked.shape[1]
            simulation = Simulation(switch, ports=ports, seed=seed, replication=replication, keep=False)
        yield simulation.step(checked)
