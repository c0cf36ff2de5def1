"""Single commands: audits, limits, matchings, papers, manifests, pages."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, SupportsFloat, SupportsIndex, TypeAlias, overload

from . import _switchlab
from ._arguments import Path, Switch, TrafficLike, arguments, path, real, spec, whole_or_none
from ._frames import Tidy
from ._picture import Picture
from ._progress import tell, watching


class _Findings(Tidy, Sequence[Mapping[str, Any]]):
    """Findings, one for each switch: dictionaries with the keys of the program's JSON."""

    def __init__(self, found: tuple[str, tuple[str, str], str]) -> None:
        self._json, self._table, self._shown = found
        self._known: list[Mapping[str, Any]] = json.loads(self._json)

    def to_json(self) -> str:
        """What the program prints with ``--json``, to the byte."""
        return self._json

    def to_dict(self) -> list[dict[str, Any]]:
        """The findings as dictionaries."""
        found: list[dict[str, Any]] = json.loads(self._json)
        return found

    def _tidy(self) -> tuple[str, str]:
        return self._table

    @overload
    def __getitem__(self, index: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, index: slice) -> list[Mapping[str, Any]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, Any] | list[Mapping[str, Any]]:
        return self._known[index]

    def __len__(self) -> int:
        return len(self._known)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._known)

    def __str__(self) -> str:
        return self._shown

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self)} switches>\n{self}"


class Audits(_Findings):
    """What audits found."""

    @property
    def passed(self) -> bool:
        """Whether no rule was broken."""
        return all(not found["violations"] for found in self._known)


class Limits(_Findings):
    """The highest stable loads that were found."""


def audit(
    *switches: Switch,
    ports: SupportsIndex | None = None,
    traffic: TrafficLike | None = None,
    load: SupportsFloat | None = None,
    arrivals: str | None = None,
    slots: SupportsIndex = 10_000,
    warmup: SupportsIndex | None = None,
    seed: SupportsIndex = 1,
    overload: bool = False,
    progress: bool | None = None,
) -> Audits:
    """Holds switches to what they must do and what they promise, slot by slot.

    No cell is lost or made, cells of a flow leave in order, a matching names no port twice, and
    its weight falls by no more than is promised.

    >>> import switchlab as sl
    >>> sl.audit("islip", "serena", ports=8, load=0.8, slots=500).passed
    True
    """
    asked = arguments(
        switches,
        ports=ports,
        traffic=traffic,
        load=load,
        arrivals=arrivals,
        slots=slots,
        warmup=warmup,
        seed=seed,
        overload=overload,
    )
    with watching(progress) as watch:
        return Audits(_switchlab.audit(asked, 100, watch))


def limit(
    *switches: Switch,
    ports: SupportsIndex | Iterable[SupportsIndex] | None = None,
    traffic: TrafficLike | None = None,
    arrivals: str | None = None,
    precision: SupportsFloat = 0.005,
    slots: SupportsIndex | None = None,
    replications: SupportsIndex | None = None,
    seed: SupportsIndex = 1,
    overload: bool = False,
    memory: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
    progress: bool | None = None,
) -> Limits:
    """Finds the highest stable load of switches, with a bracket and the evidence.

    >>> import switchlab as sl
    >>> found = sl.limit("fifo", ports=4, precision=0.1, slots=20_000, replications=3)
    >>> 0.5 < found[0]["stable"]["load"] < found[0]["unstable"]["load"]
    True
    """
    asked = arguments(
        switches,
        ports=ports,
        traffic=traffic,
        arrivals=arrivals,
        slots=slots,
        replications=replications,
        seed=seed,
        overload=overload,
        memory=memory,
        threads=threads,
    )
    with watching(progress) as watch:
        found, notes = _switchlab.limit(asked, real(precision, "precision"), 100, watch)
    tell([], notes)
    return Limits(found)


class StableMatching:
    """A stable matching, and how it was found."""

    def __init__(self, text: str, shown: str) -> None:
        self._json, self._shown = text, shown
        self._found: dict[str, Any] = json.loads(text)

    def to_json(self) -> str:
        """What ``match --json`` prints, to the byte."""
        return self._json

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary."""
        found: dict[str, Any] = json.loads(self._json)
        return found

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The matched rows and columns."""
        return [(pair["row"], pair["column"]) for pair in self._found["matching"]]

    @property
    def stable(self) -> bool:
        """Whether no pair would rather be matched with each other."""
        return bool(self._found["stable"])

    def __str__(self) -> str:
        return self._shown


Ranks: TypeAlias = Sequence[Sequence[int]]
"""For each row or column the ranks that it gives, 1 for the best, 0 for a partner that is absent."""


def match(
    rankings: Path | tuple[Ranks, Ranks],
    *,
    algorithm: str = "find-roots",
    steps: bool = False,
) -> StableMatching:
    """Finds a stable matching of rankings.

    ``rankings`` is the path of a file, CSV or JSON, or a pair of matrices of ranks: what each row
    gives the columns, and what each column gives the rows.

    >>> import switchlab as sl
    >>> sl.match(([[1, 2], [2, 1]], [[1, 2], [2, 1]])).pairs
    [(0, 0), (1, 1)]
    """
    if isinstance(rankings, tuple):
        rows, columns = rankings
        lists = {"rows": {"ranks": _ranks(rows)}, "columns": {"ranks": _ranks(columns)}}
        text = json.dumps(lists)
    else:
        name = path(rankings, "rankings")
        assert name is not None
        try:
            text = FilePath(name).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ValueError(f"cannot read {name}: {error}") from error
    return StableMatching(*_switchlab.find_matching(text, spec(algorithm, "algorithm"), bool(steps)))


def _ranks(rows: Ranks) -> list[list[int]]:
    from ._arguments import whole

    return [[whole(rank, "a rank", 65535) for rank in row] for row in rows]


@dataclass(frozen=True)
class Reproduced:
    """What the claims of papers came to."""

    claims: dict[str, tuple[str, str]]
    """By name: the ruling, and what was measured."""
    table: str
    """The claims for people."""
    tally: str
    """How many hold, do not hold and are undecided."""
    page: FilePath
    """The page with everything."""
    files: dict[str, tuple[FilePath, ...]]
    """By figure: its files."""

    def figure(self, name: str) -> Picture:
        """A figure by its name, such as ``"classics/delay/delay"``."""
        files = self.files.get(name)
        if files is None:
            raise ValueError(f"there is no figure {name!r}; there are: {', '.join(self.files)}")
        drawn = [file for file in files if file.suffix == ".svg"]
        if not drawn:
            raise ValueError(f"{name} was not drawn")
        return Picture(drawn[0].read_text(encoding="utf-8"))

    def __str__(self) -> str:
        return f"{self.table}\n{self.tally}\n{self.page}\n"


def reproduce(
    *wanted: str,
    papers: Path = "papers",
    out: Path = "reproduced",
    run: str | None = None,
    threads: SupportsIndex | None = None,
    progress: bool | None = None,
) -> Reproduced:
    """Judges the claims of papers, from shipped results, or run anew: ``run="quick"`` or ``"full"``.

    ``wanted`` names papers or experiments, as ``"001"`` or ``"001/fig-2"``; all of them without.
    ``papers`` is the folder of the repository that has them. Ctrl-C ends what is run anew; what it
    had finished is in ``out``, and the next call goes on from there.
    """
    folder = path(papers, "papers")
    target = path(out, "out")
    assert folder is not None and target is not None
    if not os.path.isdir(folder):
        raise ValueError(f"there is no {folder}; run this where the papers are, or give papers=DIR")
    names = [spec(name, "a paper") for name in wanted]
    with watching(progress) as watch:
        found = _switchlab.reproduce(names, folder, target, run, whole_or_none(threads, "threads"), watch)
    rulings, table, tally, page, figures, warnings = found
    tell(warnings)
    return Reproduced(
        claims={name: (ruling, measured) for name, ruling, measured in rulings},
        table=table,
        tally=tally,
        page=FilePath(page),
        files={name: tuple(FilePath(target) / file for file in files) for name, files in figures},
    )


@dataclass(frozen=True)
class Replayed:
    """Whether a manifest's results are what is measured again."""

    points: int
    results_sha256: str
    differences: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether they are the same, to the last bit."""
        return not self.differences


def replay(
    manifest: Path,
    *,
    trust_paths: bool = False,
    out: Path | None = None,
    threads: SupportsIndex | None = None,
    progress: bool | None = None,
) -> Replayed:
    """Runs again what a manifest, or the one in a directory, describes, and compares.

    It reads traces and matrices in the manifest's folder only, or any with `trust_paths`.
    """
    name = path(manifest, "manifest")
    assert name is not None
    with watching(progress) as watch:
        points, hash_, differences = _switchlab.replay(
            name, bool(trust_paths), path(out, "out"), whole_or_none(threads, "threads"), watch
        )
    return Replayed(points, hash_, tuple(differences))


class Explanation(str):
    """A page that shows itself as text."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def explain(name: str, *, quick: bool = False) -> Explanation:
    """The page of a switch, traffic, arrival process or calculation, or of an experiment's file.

    >>> import switchlab as sl
    >>> sl.explain("islip").splitlines()[0]
    'islip (switch): iSLIP: round-robin grants and accepts with slipping pointers'
    """
    return Explanation(_switchlab.explain(spec(name, "a name"), bool(quick), 100))


@dataclass(frozen=True)
class Entry:
    """What there is under a name."""

    name: str
    about: str
    reference: str
    parameters: tuple[dict[str, Any], ...]


def _listed(kind: str) -> list[Entry]:
    listed = json.loads(_switchlab.listing())
    return [
        Entry(one["name"], one["about"], one["reference"], tuple(one["parameters"])) for one in listed if one["kind"] == kind
    ]


def list_switches() -> list[Entry]:
    """All switches: name, one line, reference, parameters.

    >>> import switchlab as sl
    >>> "islip" in [entry.name for entry in sl.list_switches()]
    True
    """
    return _listed("switch")


def list_traffic() -> list[Entry]:
    """All traffic: name, one line, reference, parameters."""
    return _listed("traffic")
