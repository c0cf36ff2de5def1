"""Experiments: grids of points with figures and claims, kept in a store."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any, Protocol, SupportsIndex

import numpy as np

from . import _switchlab
from ._arguments import Path, Switch, TrafficLike, path, spec, specs, whole_or_none
from ._progress import tell, watching
from ._results import Comparison

class Experiment:
    """An experiment that is built step by step, as its TOML file would say it.

    >>> import switchlab as sl
    >>> experiment = sl.Experiment("Two switches", ["oq", "tdm"], ports=4, loads=[0.2, 0.6], slots=1_000)
    >>> experiment = experiment.figure("delay", title="Mean delay", x="load", y="delay")
    >>> print(experiment.to_toml().splitlines()[0])
    title = "Two switches"
    >>> sl.sweep(experiment).to_pandas()["switch"].tolist()
    ['oq', 'tdm', 'oq', 'tdm']
    """

    def __init__(
        self,
        title: str,
        switches: Switch | Iterable[Switch],
        *,
        traffic: TrafficLike | Iterable[TrafficLike] | None = None,
        **grid: object,
    ) -> None:
        self._parts: dict[str, Any] = {"title": title, "switches": specs(switches, "a switch")}
        if traffic is not None:
            self._parts["traffic"] = specs(traffic, "traffic")
        self._parts.update(grid)

    def _with(self, key: str, entry: Mapping[str, Any]) -> Experiment:
        other = object.__new__(Experiment)
        other._parts = {**self._parts, key: [*self._parts.get(key, []), dict(entry)]}
        return other

    def figure(self, id: str, **keys: object) -> Experiment:
        """The same with a figure: ``x``, ``y``, ``title`` and so on."""
        return self._with("figure", {"id": id, **keys})

    def claim(self, id: str, **keys: object) -> Experiment:
        """The same with a claim, its keys as in a TOML file."""
        return self._with("claim", {"id": id, **keys})

    def quick(self, **keys: object) -> Experiment:
        """The same with other values for quick runs."""
        other = object.__new__(Experiment)
        other._parts = {**self._parts, "quick": dict(keys)}
        return other

    def to_dict(self) -> dict[str, Any]:
        """Its parts."""
        return dict(self._parts)

    def to_toml(self) -> str:
        """The same as the text of a file."""
        return _toml(self._parts)


def _key(name: object) -> str:
    text = spec(name, "a key")
    plain = text.isascii() and text.replace("-", "").replace("_", "").isalnum()
    return text if plain else json.dumps(text)


def _value(value: object) -> str:
    """A value of TOML, in a line."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"an experiment has finite numbers, not {value}")
        return repr(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_key(name)} = {_value(inner)}" for name, inner in value.items()) + " }"
    if isinstance(value, str) or isinstance(getattr(value, "spec", None), str):
        # Strings of JSON are strings of TOML, but for the delete character.
        return json.dumps(spec(value, "a value"), ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Iterable):
        return "[" + ", ".join(_value(inner) for inner in value) + "]"
    raise TypeError(f"an experiment holds texts, numbers, lists and dictionaries, not {type(value).__name__}")


def _toml(parts: Mapping[str, Any]) -> str:
    """A dictionary as TOML: plain values first, then tables, then lists of tables."""

    def is_table(value: object) -> bool:
        return isinstance(value, Mapping)

    def is_list_of_tables(value: object) -> bool:
        return isinstance(value, (list, tuple)) and bool(value) and all(map(is_table, value))

    deep = ("quick",)
    lines = []
    for name, value in parts.items():
        if value is not None and name not in deep and not is_list_of_tables(value):
            lines.append(f"{_key(name)} = {_value(value)}")
    for name, value in parts.items():
        if name in deep and is_table(value):
            lines += ["", f"[{_key(name)}]", *(f"{_key(key)} = {_value(inner)}" for key, inner in value.items())]
    for name, value in parts.items():
        if is_list_of_tables(value):
            for table in value:
                lines += ["", f"[[{_key(name)}]]", *(f"{_key(key)} = {_value(inner)}" for key, inner in table.items())]
    return "\n".join(lines) + "\n"


class Sweep(Comparison):
    """The results of an experiment, with its figures and claims."""

    def __init__(self, native: _switchlab.Results) -> None:
        super().__init__(native)
        self._results = native

    @property
    def experiment(self) -> dict[str, Any]:
        """The experiment, every default filled in."""
        found: dict[str, Any] = json.loads(self._results.experiment())
        return found

    @property
    def claims(self) -> dict[str, tuple[str, str]]:
        """By name: the ruling of a claim, and what was measured."""
        return {name: (ruling, measured) for name, ruling, measured in self._results.claims()[0]}

    @property
    def tally(self) -> str:
        """How many claims hold, do not hold and are undecided."""
        return self._results.claims()[1]

    @property
    def ran(self) -> int:
        """How many units were run by this call; the others were in the store."""
        return self._results.ran

    @property
    def files(self) -> list[FilePath]:
        """The files that were written."""
        return [FilePath(file) for file in self._results.files]

    def __str__(self) -> str:
        table = super().__str__()
        return f"{table}\n{self._results.claims_table()}" if self.claims else table

    def __repr__(self) -> str:
        return f"<Sweep of {self.experiment['id']}>\n{self}"


class Executor(Protocol):
    """Whatever submits calls: an executor of ``concurrent.futures``, a client of Dask."""

    def submit(self, fn: Any, /, *args: Any) -> Any: ...


PARTS = 64
"""At most as many parts are handed to an executor."""


def run_part(text: str | None, name: str, quick: bool, out: str, index: int, parts: int) -> int:
    """Runs a part of the units of an experiment into the store of a directory."""
    return _switchlab.part(text, name, quick, out, index, parts)


def _source(experiment: Experiment | Mapping[str, Any] | Path) -> tuple[str | None, str]:
    """The text and the name of an experiment; a file is read where it is used."""
    if isinstance(experiment, Experiment):
        return experiment.to_toml(), "experiment"
    if isinstance(experiment, Mapping):
        return _toml(experiment), "experiment"
    name = path(experiment, "the experiment")
    assert name is not None
    if "\n" in name or ("=" in name and not FilePath(name).exists()):
        return name, "experiment"
    return None, name


def sweep(
    experiment: Experiment | Mapping[str, Any] | Path,
    *,
    out: Path | None = None,
    quick: bool = False,
    threads: SupportsIndex | None = None,
    executor: Executor | None = None,
    progress: bool | None = None,
) -> Sweep:
    """Runs an experiment as far as its results are missing.

    ``experiment`` is a TOML file, its text, a dictionary of the same content, or ``sl.Experiment``.
    ``out`` is a directory that keeps every finished unit, the same as of ``sweep --out``:
    a call that was interrupted goes on where it stopped. Without it nothing is kept.

    ``executor`` has the units run elsewhere: by processes of ``concurrent.futures``, or by anything
    with a ``submit`` like theirs, on machines that share the directory ``out``. Schedulers of your
    own are known to threads of this process only.

    >>> import switchlab as sl
    >>> grid = {"title": "A grid", "switches": ["oq", "islip"], "ports": 4, "loads": [0.3, 0.6], "slots": 500}
    >>> sl.sweep(grid).tally
    'claims: 0 hold, 0 do not hold, 0 undecided'
    """
    text, name = _source(experiment)
    place = path(out, "out")
    if executor is not None:
        if place is None:
            raise ValueError("with an executor, give out=DIR: the store of that directory is the result")
        parts = max(1, min(PARTS, _switchlab.units(text, name, bool(quick))))
        begun = [executor.submit(run_part, text, name, bool(quick), place, index + 1, parts) for index in range(parts)]
        try:
            ran = sum(future.result() for future in begun)
        except BaseException:
            # Ctrl-C too: what has not begun is not to begin.
            for future in begun:
                future.cancel()
            raise
    else:
        ran = 0
    with watching(progress) as watch:
        native = _switchlab.sweep(text, name, bool(quick), place, whole_or_none(threads, "threads"), watch)
    tell(native.messages(), [f"{ran} units run by the executor"] if ran else [])
    return Sweep(native)


def read_sweep(dir: Path) -> Sweep:
    """The results that a directory of a sweep holds. Nothing is run."""
    name = path(dir, "the directory")
    assert name is not None
    native = _switchlab.results(name)
    tell(native.messages())
    return Sweep(native)
