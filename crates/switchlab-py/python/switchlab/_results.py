"""Reports, and comparisons of them."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, overload

from ._frames import Tidy

if TYPE_CHECKING:
    from ._picture import Picture


class NativeResults(Protocol):
    """What the extension hands out."""

    def json(self) -> str: ...
    def table(self, width: int) -> str: ...
    def tidy(self) -> tuple[str, str]: ...


@dataclass(frozen=True)
class Figure:
    """A mean with half the width of its 95 % interval, None if the values do not determine it."""

    mean: float
    ci95: float | None


@dataclass(frozen=True)
class Percentile:
    """A percentile of delays with the ends of its 95 % interval, None for a single replication."""

    percent: float
    value: int
    ci95: tuple[int, int] | None


@dataclass(frozen=True)
class Delay:
    """Delays in slots; None where no cell has left."""

    mean: float | None
    ci95: float | None
    p50: int | None
    p90: int | None
    p99: int | None
    p999: int | None
    p9999: int | None
    max: int | None
    little: Figure | None
    percentiles: tuple[Percentile, ...]


@dataclass(frozen=True)
class Backlog:
    """Cells inside: the mean over slots, and at the end."""

    mean: float
    end: int


@dataclass(frozen=True)
class Cells:
    """The cells that arrived in the window: ``arrived = departed + dropped + queued``."""

    arrived: int
    departed: int
    dropped: int
    queued: int
    out_of_order: int


def _figure(found: Mapping[str, Any] | None) -> Figure | None:
    return None if found is None else Figure(found["mean"], found["ci95"])


class Report:
    """The results of one switch at one point.

    >>> import switchlab as sl
    >>> report = sl.run("oq", ports=4, load=0.5, slots=2_000, replications=3)[0]
    >>> report.switch, report.verdict, report.cells.dropped
    ('oq', 'stable', 0)
    >>> report.delay.percentiles[0].percent
    50.0
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self._found = found

    def to_dict(self) -> dict[str, Any]:
        """All of it, with the keys of the program's JSON."""
        copy: dict[str, Any] = json.loads(json.dumps(self._found))
        return copy

    def get(self, key: str) -> Any:
        """The value of a key of the program's JSON; None if it was not measured."""
        return self._found.get(key)

    @property
    def switch(self) -> str:
        """The canonical spec of the switch."""
        return str(self._found["switch"])

    @property
    def ports(self) -> int:
        """The number of ports."""
        return int(self._found["ports"])

    @property
    def traffic(self) -> str:
        """The canonical traffic spec."""
        return str(self._found["traffic"])

    @property
    def arrivals(self) -> str:
        """The canonical arrival process, or ``trace``."""
        return str(self._found["arrivals"])

    @property
    def load(self) -> float:
        """The load of a line."""
        return float(self._found["load"])

    @property
    def seed(self) -> int:
        """The seed."""
        return int(self._found["seed"])

    @property
    def replications(self) -> int:
        """Independent replications."""
        return int(self._found["replications"])

    @property
    def slots(self) -> int:
        """Measured slots of each."""
        return int(self._found["slots"])

    @property
    def warmup(self) -> int:
        """Slots that were run before."""
        return int(self._found["warmup"])

    @property
    def delay(self) -> Delay:
        """Delays of cells that arrived and left in the measured slots."""
        it = self._found["delay"]

        def percentile(one: Mapping[str, Any]) -> Percentile:
            ends = one["ci95"]
            return Percentile(one["percent"], one["value"], None if ends is None else (ends[0], ends[1]))

        return Delay(
            it["mean"],
            it["ci95"],
            it["p50"],
            it["p90"],
            it["p99"],
            it["p999"],
            it["p9999"],
            it["max"],
            _figure(it["little"]),
            tuple(percentile(one) for one in it["percentiles"]),
        )

    @property
    def throughput(self) -> Figure:
        """Departures per output and measured slot."""
        it = self._found["throughput"]
        return Figure(it["mean"], it["ci95"])

    @property
    def backlog(self) -> Backlog:
        """Cells inside."""
        it = self._found["backlog"]
        return Backlog(it["mean"], it["end"])

    @property
    def cells(self) -> Cells:
        """The cells that arrived in the measured slots, by what happened to them."""
        it = self._found["cells"]
        return Cells(it["arrived"], it["departed"], it["dropped"], it["queued"], it["out_of_order"])

    @property
    def verdict(self) -> str:
        """``stable``, ``unstable`` or ``undecided``."""
        return str(self._found["verdict"])

    @property
    def evidence(self) -> str:
        """Why the verdict is what it is."""
        return str(self._found["evidence"])

    @property
    def counters(self) -> dict[str, float]:
        """The switch's own counters."""
        return dict(self._found["counters"])

    @property
    def loss(self) -> float:
        """The share of the cells that were dropped."""
        return float(self._found["loss"])

    @property
    def fairness(self) -> float | None:
        """Jain's index over flows of departed / arrived."""
        found: float | None = self._found.get("fairness")
        return found

    @property
    def versus_first(self) -> Figure | None:
        """The mean delay less that of the first switch on the same arrivals."""
        return _figure(self._found.get("versus_first"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and self._found == other._found

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        delay = self.delay
        if self.verdict != "stable" or delay.mean is None:
            shown = self.verdict
        elif delay.ci95 is None:
            shown = f"mean delay {delay.mean:.4g}"
        else:
            shown = f"mean delay {delay.mean:.4g} ±{delay.ci95:.2g}"
        return f"<{self.switch}, {self.ports} ports, {self.traffic}, load {self.load:g}: {shown}>"


class Comparison(Tidy, Sequence[Report]):
    """Switches compared on the same arrivals: a report for each, at one point or at several.

    ``str()`` is the table that the program prints; in a notebook, table and chart are shown.
    """

    def __init__(self, native: NativeResults) -> None:
        self._native = native
        self._text: str | None = None
        self._known: list[Report] | None = None

    def to_json(self) -> str:
        """What ``run --json`` prints, to the byte."""
        if self._text is None:
            self._text = self._native.json()
        return self._text

    def to_dict(self) -> list[dict[str, Any]]:
        """The reports with the keys of the program's JSON."""
        found: list[dict[str, Any]] = json.loads(self.to_json())
        return found

    @property
    def _reports(self) -> list[Report]:
        if self._known is None:
            self._known = [Report(found) for found in self.to_dict()]
        return self._known

    def _tidy(self) -> tuple[str, str]:
        return self._native.tidy()

    @overload
    def __getitem__(self, index: int) -> Report: ...
    @overload
    def __getitem__(self, index: slice) -> list[Report]: ...
    def __getitem__(self, index: int | slice) -> Report | list[Report]:
        return self._reports[index]

    def __len__(self) -> int:
        return len(self._reports)

    def __iter__(self) -> Iterator[Report]:
        return iter(self._reports)

    def plot(self, **look: Any) -> Picture:
        """A picture of it; see ``sl.plot``."""
        from ._picture import plot

        return plot(self, **look)

    def __str__(self) -> str:
        return self._native.table(100)

    def __repr__(self) -> str:
        return f"<Comparison of {len(self)} reports>\n{self}"

    def _repr_html_(self) -> str:
        return notebook(self)


AXES = ("ports", "traffic", "load")
"""Columns that stand above the table in a notebook where they are the same in all rows."""
COLUMNS = ("switch", *AXES, "verdict", "delay", "delay_p99", "throughput", "backlog")
"""The columns of a table in a notebook."""
ROWS = 60
"""More rows than this are not shown there."""
CELL = "white-space: nowrap; text-align: right"


def notebook(result: Comparison) -> str:
    """Table and chart for a notebook."""
    from . import _switchlab
    from ._picture import plot

    columns = result.columns()
    count = len(columns.get("switch", []))

    def cell(name: str, row: int) -> str:
        value = columns[name][row]
        stable = columns["verdict"][row] != "unstable"
        if value is None or (name.startswith("delay") and not stable) or (name == "backlog" and not stable):
            return "–"
        if name in ("delay", "throughput") and isinstance(columns[f"{name}_ci95"][row], float):
            return f"{value:.4g} ± {columns[f'{name}_ci95'][row]:.2g}"
        if name == "switch":
            return html.escape(_switchlab.short(value))
        return f"{value:.4g}" if isinstance(value, float) else html.escape(str(value))

    same = [name for name in AXES if name in columns and count > 0 and len(set(columns[name])) == 1]
    named = {"ports": "{} ports", "traffic": "traffic {}", "load": "load {}"}
    caption = ", ".join(named[name].format(cell(name, 0)) for name in same)
    shown = [name for name in COLUMNS if name in columns and name not in same]
    head = "".join(f'<th style="{CELL}">{html.escape(name.replace("_", " "))}</th>' for name in shown)
    rows = [
        "<tr>" + "".join(f'<td style="{CELL}">{cell(name, row)}</td>' for name in shown) + "</tr>"
        for row in range(min(count, ROWS))
    ]
    more = f"<p>and {count - ROWS} rows more</p>" if count > ROWS else ""
    table = f"<p>{caption}</p><table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>{more}"
    try:
        chart = plot(result).svg
    except ValueError:
        # A single point has a picture, a calculation may have none.
        chart = ""
    return f"<div>{table}{chart}</div>"
