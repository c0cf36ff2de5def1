"""Comparisons of switches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, SupportsFloat, SupportsIndex

from . import _switchlab
from ._arguments import Path, Switch, TrafficLike, arguments, path
from ._progress import tell, watching
from ._results import Comparison


def run(
    *switches: Switch,
    ports: SupportsIndex | Iterable[SupportsIndex] | None = None,
    traffic: TrafficLike | Iterable[TrafficLike] | None = None,
    load: SupportsFloat | Iterable[SupportsFloat] | None = None,
    arrivals: str | Iterable[str] | None = None,
    vary: Mapping[str, Iterable[SupportsFloat] | SupportsFloat] | None = None,
    slots: SupportsIndex | None = None,
    warmup: SupportsIndex | str | None = None,
    replications: SupportsIndex | None = None,
    seed: SupportsIndex = 1,
    until: SupportsFloat | None = None,
    percentiles: Iterable[SupportsFloat] | SupportsFloat = (),
    oq_lag: bool = False,
    occupancy: bool = False,
    per: str | None = None,
    overload: bool = False,
    departures: Path | None = None,
    out: Path | None = None,
    memory: SupportsIndex | None = None,
    threads: SupportsIndex | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Compares switches on the same arrivals.

    A switch is a spec, as ``"islip(iterations=4)"``, or a scheduler of your own
    (``@sl.scheduler``). Where ``ports``, ``traffic``, ``load`` or ``arrivals`` are lists, or
    ``vary`` gives variables values, all combinations are run, and ``.to_pandas()`` is a tidy frame
    of them; ``sl.span(0.1, 0.9, 0.1)`` makes a list. ``out`` is a directory that keeps the results
    of several points, so that the next call runs what is missing.

    ``slots`` are measured after ``warmup`` (a fifth of them by default, ``"auto"`` finds one), in
    ``replications`` independent runs, 10 by default; ``until=0.01`` goes on until the mean delay is
    known to 1 %. ``percentiles``, ``oq_lag``, ``occupancy`` and ``per`` (``"port"`` or ``"pair"``)
    ask for more; ``departures`` names a file for those of the first replication.

    Errors are ``ValueError`` with the text of the program. Warnings go to the logger
    ``switchlab``. Ctrl-C ends the work between two blocks of slots.

    >>> import switchlab as sl
    >>> result = sl.run("oq", "islip", ports=8, load=[0.3, 0.6], slots=5_000, replications=3)
    >>> len(result), [report.load for report in result]
    (4, [0.3, 0.3, 0.6, 0.6])
    >>> sl.run("islp", ports=4, load=0.5)
    Traceback (most recent call last):
    ...
    ValueError: there is no switch called "islp"; did you mean islip? There are: oq, ...
    """
    asked: dict[str, Any] = arguments(
        switches,
        ports=ports,
        traffic=traffic,
        load=load,
        arrivals=arrivals,
        vary=vary,
        slots=slots,
        warmup=warmup,
        replications=replications,
        seed=seed,
        until=until,
        memory=memory,
        departures=departures,
        threads=threads,
        overload=overload,
        oq_lag=oq_lag,
        occupancy=occupancy,
        per=per,
        percentiles=percentiles,
    )
    several = out is not None or asked["vary"] or any(len(asked[it]) > 1 for it in ("ports", "traffic", "loads", "arrivals"))
    with watching(progress) as watch:
        if several:
            results = _switchlab.grid(asked, path(out, "out"), watch)
            tell(results.messages())
            return Comparison(results)
        native, warning = _switchlab.compare(asked, per == "port", watch)
    warnings, notes = native.messages()
    tell([*([warning] if warning else []), *warnings], notes)
    return Comparison(native)
