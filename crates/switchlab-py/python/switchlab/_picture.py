"""Pictures: the lab's own SVG."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any

from . import _switchlab
from ._arguments import Path, path, spec

if TYPE_CHECKING:
    from ._experiment import Sweep
    from ._results import Comparison


class Picture:
    """A picture; a notebook shows it.

    >>> import switchlab as sl
    >>> picture = sl.run("oq", "islip", ports=4, load=0.5, slots=1_000, replications=2).plot(title="Two switches")
    >>> picture.svg.startswith("<svg")
    True
    """

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, file: Path, *, density: float = 2.0) -> FilePath:
        """Writes it as .svg, .png or .pdf, by the extension; ``density`` is pixels of a PNG for each of the SVG."""
        name = path(file, "the file")
        assert name is not None
        target = FilePath(name)
        encoded = _switchlab.encode(self.svg, os.fspath(target), float(density))
        target.write_bytes(encoded)
        return target

    def __repr__(self) -> str:
        return f"<Picture, {len(self.svg)} bytes of SVG>"


def look(
    kind: str,
    y: str | None,
    title: str | None,
    labels: Mapping[str, str] | None,
    width: str | None,
) -> dict[str, Any]:
    """What the extension takes for a picture."""
    named = {} if labels is None else dict(labels)
    return {
        "kind": spec(kind, "kind"),
        "y": None if y is None else spec(y, "y"),
        "title": None if title is None else spec(title, "title"),
        "labels": [(spec(of, "a label"), spec(text, "a label")) for of, text in named.items()],
        "width": None if width is None else spec(width, "width"),
    }


def plot(
    result: Comparison | Sweep | Path,
    *,
    kind: str | None = None,
    y: str | None = None,
    figure: str | None = None,
    only: Mapping[str, Sequence[object] | object] | None = None,
    title: str | None = None,
    labels: Mapping[str, str] | None = None,
    width: str | None = None,
) -> Picture:
    """Draws results: those of ``sl.run`` or ``sl.sweep``, or a directory of a sweep.

    ``kind`` is ``"curve"`` (one value against another), ``"ccdf"`` (how many cells wait how long),
    ``"backlog"`` (over time), ``"matrix"`` (rates) or ``"voq"`` (cells by input and output, for
    ``occupancy=True``). ``y`` is what a curve is of, such as ``"throughput"`` or ``"delay.p99"``;
    ``figure`` names a figure of an experiment. ``only`` selects points: ``only={"load": 0.9}``.
    ``width`` is as on the command line: ``"88mm"`` or ``"600px"``. An empty title is none.

    >>> import switchlab as sl
    >>> curve = sl.run("oq", "tdm", ports=4, load=[0.2, 0.5, 0.8], slots=1_000, replications=2)
    >>> "Throughput" in sl.plot(curve, y="throughput").svg
    True
    """
    from ._experiment import Sweep, read_sweep
    from ._results import Comparison

    if not isinstance(result, (Comparison, Sweep)):
        result = read_sweep(result)
    native = result._native
    if isinstance(native, _switchlab.Comparison):
        if y is not None or figure is not None or only is not None:
            raise ValueError("y, figure and only are for several points; give several loads, ports or values")
        return Picture(native.svg(look(kind or "ccdf", None, title, labels, width)))
    assert isinstance(native, _switchlab.Results)
    wanted = look(kind or "curve", y, title, labels, width)
    if figure is not None:
        return Picture(native.figure(wanted, spec(figure, "figure")))

    def values(value: object) -> list[str]:
        many = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
        return [str(one) for one in many]

    selected = {} if only is None else {spec(name, "an axis"): values(value) for name, value in only.items()}
    return Picture(native.svg(wanted, selected))
