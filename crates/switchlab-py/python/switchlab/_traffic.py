"""Traffic as arrays and frames: matrices, traces, arrivals."""

from __future__ import annotations

import atexit
import csv
import hashlib
import io
import shutil
import tempfile
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex

import numpy as np

from . import _switchlab
from ._arguments import Path, TrafficLike, path, real, spec, whole, whole_or_none

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

NONE = 65535
"""No cell, in arrivals; no cell, in the inputs of departures."""

_folder: str | None = None


def _place(content: bytes, what: str) -> FilePath:
    """A file of this process for some content, deleted at its end."""
    global _folder
    if _folder is None:
        _folder = tempfile.mkdtemp(prefix="switchlab-")
        atexit.register(shutil.rmtree, _folder, ignore_errors=True)
    return FilePath(_folder) / f"{what}-{hashlib.sha256(content).hexdigest()[:16]}.csv"


class Traffic:
    """Traffic from a file that was written for an array or a frame."""

    def __init__(self, kind: str, file: FilePath) -> None:
        self.file = file
        name = str(file).replace('"', "")
        if name != str(file):
            raise ValueError(f'a file name with " in it cannot stand in a spec: {file}')
        self.spec = f'{kind}(file="{name}")'

    def __str__(self) -> str:
        return self.spec

    def __repr__(self) -> str:
        return f"<Traffic {self.spec}>"


def _write(kind: str, content: bytes, file: Path | None) -> Traffic:
    name = path(file, "file")
    target = _place(content, kind) if name is None else FilePath(name)
    target.write_bytes(content)
    return Traffic(kind, target)


def matrix(rates: ArrayLike, *, file: Path | None = None) -> Traffic:
    """A load matrix: ``rates[i, j]`` is the share of its line that input i sends to output j.

    It goes into a CSV file: ``file``, or one of this process. Name one where results are kept and
    gone on with later: they belong to the name of the file and its content.

    >>> import numpy as np, switchlab as sl
    >>> own = sl.matrix(np.full((4, 4), 0.2))
    >>> sl.run("oq", traffic=own, slots=1_000, replications=2)[0].ports
    4
    """
    array = np.asarray(rates, dtype=np.float64)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"a load matrix is square, not of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("a load matrix has finite rates")
    lines = "".join(",".join(repr(float(rate)) for rate in row) + "\n" for row in array)
    return _write("matrix", lines.encode(), file)


def _column(frame: Any, name: str) -> NDArray[np.int64] | None:
    # A table of Arrow has its columns themselves under the other name.
    names = getattr(frame, "column_names", None)
    if names is None:
        names = getattr(frame, "columns", None)
    known = list(frame) if names is None else [str(known) for known in names]
    if name not in known:
        return None
    values = np.asarray(frame[name])
    if values.dtype.kind == "f" and np.isfinite(values).all() and (values == np.floor(values)).all():
        values = values.astype(np.int64)
    if values.dtype.kind not in "iu":
        raise ValueError(f"the column {name} of a trace holds whole numbers, not {values.dtype}")
    return values.astype(np.int64)


def trace(cells: Any, *, file: Path | None = None) -> Traffic:
    """Cells to replay: a frame (pandas, polars, Arrow, a dictionary of lists) with the columns
    ``slot``, ``input`` and ``output``, and ``class`` and ``flow`` if cells have labels; or arrivals
    as an array of ``uint16[slots, ports]``.

    It goes into a CSV file, as ``sl.matrix`` does.

    >>> import switchlab as sl
    >>> own = sl.trace({"slot": [0, 0, 1], "input": [0, 1, 0], "output": [1, 1, 1]})
    >>> sl.run("oq", traffic=own)[0].delay.max
    1
    """
    if isinstance(cells, np.ndarray):
        array = _arrivals(cells)
        slots, inputs = np.nonzero(array != NONE)
        columns = {"slot": slots, "input": inputs, "output": array[slots, inputs].astype(np.int64)}
    else:
        columns = {}
        for name in ("slot", "input", "output"):
            found = _column(cells, name)
            if found is None:
                raise ValueError(f"a trace has the columns slot, input and output; there is no {name}")
            columns[name] = found
        for name in ("class", "flow"):
            found = _column(cells, name)
            if found is not None:
                columns[name] = found
    lengths = {len(column) for column in columns.values()}
    if len(lengths) != 1:
        raise ValueError("the columns of a trace have the same length")
    order = np.argsort(columns["slot"], kind="stable")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*(column[order].tolist() for column in columns.values()), strict=True))
    return _write("trace", text.getvalue().encode(), file)


def _arrivals(array: NDArray[Any]) -> NDArray[np.uint16]:
    """Arrivals as the extension takes them; copied only if their type or layout is another."""
    if array.ndim != 2:
        raise ValueError(f"arrivals are of two dimensions, slots and ports, not {array.ndim}")
    if array.dtype != np.uint16:
        if array.dtype.kind not in "iu":
            raise ValueError(f"arrivals are whole numbers, uint16, not {array.dtype}")
        if array.size and (array.min() < 0 or array.max() > NONE):
            raise ValueError(f"arrivals are outputs, or {NONE} for no cell")
    return np.ascontiguousarray(array, dtype=np.uint16)


def load_matrix(
    traffic: TrafficLike = "uniform", *, ports: SupportsIndex | None = None, load: SupportsFloat | None = None
) -> NDArray[np.float64]:
    """The rates of traffic as an array: cells per slot from each input to each output.

    >>> import switchlab as sl
    >>> sl.load_matrix("diagonal", ports=3, load=0.9).round(2).tolist()
    [[0.6, 0.3, 0.0], [0.0, 0.6, 0.3], [0.3, 0.0, 0.6]]
    """
    return _switchlab.load_matrix(
        spec(traffic, "traffic"),
        whole_or_none(ports, "ports"),
        None if load is None else real(load, "load"),
    )


def arrivals(
    traffic: TrafficLike = "uniform",
    *,
    slots: SupportsIndex,
    ports: SupportsIndex | None = None,
    load: SupportsFloat | None = None,
    process: str = "bernoulli",
    seed: SupportsIndex = 1,
    replication: SupportsIndex = 0,
) -> NDArray[np.uint16]:
    """The arrivals that a replication of ``sl.run`` sees, from slot 0 of its warm-up on: for each
    slot and input the output of its new cell, or ``sl.NONE``.

    >>> import switchlab as sl
    >>> cells = sl.arrivals("uniform", ports=4, load=0.5, slots=1_000)
    >>> cells.shape, bool(((cells < 4) | (cells == sl.NONE)).all())
    ((1000, 4), True)
    """
    return _switchlab.arrivals(
        spec(traffic, "traffic"),
        whole_or_none(ports, "ports"),
        None if load is None else real(load, "load"),
        spec(process, "process"),
        whole(slots, "slots"),
        whole(seed, "seed"),
        whole(replication, "replication", 2**32 - 1),
    )


def span(
    first: SupportsFloat, last: SupportsFloat, step: SupportsFloat | None = None, *, times: SupportsFloat | None = None
) -> list[float]:
    """The values from the first to the last one, by a step or by a factor: short decimals.

    >>> import switchlab as sl
    >>> sl.span(0.1, 0.5, 0.1), sl.span(4, 32, times=2)
    ([0.1, 0.2, 0.3, 0.4, 0.5], [4.0, 8.0, 16.0, 32.0])
    """
    return _switchlab.values(
        real(first, "first"),
        real(last, "last"),
        None if step is None else real(step, "step"),
        None if times is None else real(times, "times"),
    )
