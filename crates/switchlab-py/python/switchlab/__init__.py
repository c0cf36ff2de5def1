"""A laboratory for packet-switch architectures.

Compare switches on the same cells:

>>> import switchlab as sl
>>> result = sl.run("oq", "islip(iterations=4)", ports=16, traffic="diagonal", load=0.8, slots=20_000)
>>> [report.verdict for report in result]
['stable', 'stable']
>>> result[1].delay.mean > result[0].delay.mean
True

Everything that the program ``switchlab`` computes is computed by the same code here, and gives the
same bytes: ``result.to_json()`` is what ``run --json`` prints.

``sl.run`` compares, ``sl.sweep`` runs experiments, ``sl.limit`` searches the highest stable load,
``sl.audit`` holds switches to their promises, ``sl.simulate`` and ``sl.Simulation`` take arrivals as
arrays, and ``@sl.scheduler`` makes a switch of a function.
"""

from ._commands import (
    Audits,
    Entry,
    Limits,
    Replayed,
    Reproduced,
    StableMatching,
    audit,
    explain,
    limit,
    list_switches,
    list_traffic,
    match,
    replay,
    reproduce,
)
from ._experiment import Experiment, Sweep, read_sweep, sweep
from ._picture import Picture, plot
from ._results import Backlog, Cells, Comparison, Delay, Figure, Percentile, Report
from ._run import run
from ._scheduler import Scheduler, scheduler
from ._simulation import Departures, Inspection, Queues, Simulation, simulate
from ._switchlab import __version__
from ._traffic import NONE, Traffic, arrivals, load_matrix, matrix, span, trace

__all__ = [
    "NONE",
    "Audits",
    "Backlog",
    "Cells",
    "Comparison",
    "Delay",
    "Departures",
    "Entry",
    "Experiment",
    "Figure",
    "Inspection",
    "Limits",
    "Percentile",
    "Picture",
    "Queues",
    "Replayed",
    "Report",
    "Reproduced",
    "Scheduler",
    "Simulation",
    "StableMatching",
    "Sweep",
    "Traffic",
    "__version__",
    "arrivals",
    "audit",
    "explain",
    "limit",
    "list_switches",
    "list_traffic",
    "load_matrix",
    "match",
    "matrix",
    "plot",
    "read_sweep",
    "replay",
    "reproduce",
    "run",
    "scheduler",
    "simulate",
    "span",
    "sweep",
    "trace",
]
