"""Schedulers of the user."""

from __future__ import annotations

import inspect
import re
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any, overload

from . import _switchlab
from ._arguments import spec

PARAMETERS = ("lengths", "ages", "requests", "matching", "slot", "seed", "state")
"""What a scheduler may be given."""

_lock = threading.Lock()
_taken: dict[str, int] = {}


class Scheduler:
    """A scheduler of your own; it takes part wherever a switch is named."""

    def __init__(self, spec: str, function: Callable[..., object], compiled: bool) -> None:
        self.spec = spec
        """The name under which it is known."""
        self.function = function
        """The function."""
        self.compiled = compiled
        """Whether it is called as a C function."""
        self.__doc__ = function.__doc__
        self.__name__ = getattr(function, "__name__", spec)
        self.__wrapped__ = getattr(function, "py_func", function)

    def __str__(self) -> str:
        return self.spec

    def __repr__(self) -> str:
        return f"<Scheduler {self.spec}, {'compiled' if self.compiled else 'plain Python'}>"


def _free_name(wanted: str) -> str:
    """The name, or the next one that is free: a name stands for one switch as long as a process lives."""
    from ._commands import list_switches

    known = {entry.name for entry in list_switches()}
    with _lock:
        count = _taken.get(wanted, 0)
        while True:
            count += 1
            name = wanted if count == 1 else f"{wanted}-{count}"
            if name not in known:
                _taken[wanted] = count
                return name
            if count == 1:
                raise ValueError(f"there is a switch {wanted!r} already; choose another name: @sl.scheduler(name=...)")


def _is_numba(function: object) -> bool:
    return type(function).__module__.startswith("numba.") and hasattr(function, "py_func")


def _compile(function: Any, parameters: list[str]) -> Any:
    """A C function around one that numba compiles."""
    numba: Any = import_module("numba")
    types = numba.types
    pointer = types.CPointer
    signature = types.void(
        types.int64,
        types.int64,
        types.int64,
        pointer(types.uint32),
        pointer(types.uint32),
        pointer(types.uint8),
        pointer(types.int64),
        types.int64,
        pointer(types.int64),
    )
    shaped = {
        "lengths": "carray(lengths, (ports, ports))",
        "ages": "carray(ages, (ports, ports))",
        "requests": "carray(requests, (ports, ports))",
        "matching": "carray(matching, (ports,))",
        "state": "carray(state, (count,))",
    }
    given = ", ".join(shaped.get(name, name) for name in parameters)
    text = f"def entry(ports, slot, seed, lengths, ages, requests, state, count, matching):\n    decide({given})\n"
    names: dict[str, Any] = {"carray": numba.carray, "decide": function}
    exec(text, names)
    return numba.cfunc(signature)(names["entry"])


@overload
def scheduler(function: Callable[..., None], /) -> Scheduler: ...
@overload
def scheduler(
    *, name: str | None = None, state: int | Callable[[int], int] = 0, compile: bool = False
) -> Callable[[Callable[..., None]], Scheduler]: ...
def scheduler(
    function: Callable[..., None] | None = None,
    /,
    *,
    name: str | None = None,
    state: int | Callable[[int], int] = 0,
    compile: bool = False,
) -> Scheduler | Callable[[Callable[..., None]], Scheduler]:
    """Makes a switch of a function: the crossbar with virtual output queues and this scheduler.

    The function is called in each slot, after its arrivals are queued. It takes what it needs, by
    name:

    - ``matching``: for each input the output to match it with; -1, no output, at the beginning. An
      output may be named once. Matching an empty queue sends nothing.
    - ``lengths``: cells of each queue, ``uint32[input, output]``.
    - ``ages``: how many slots the first cell of each queue has waited, 0 for an empty one.
    - ``requests``: whether each queue has a cell.
    - ``slot``: the slot; ``seed``: a number of this run, for random choices.
    - ``state``: ``int64`` numbers that stay from slot to slot, 0 in the first; ``state=`` says how
      many, a number or a function of the ports.

    A function that numba compiled (``@numba.njit``, or ``compile=True``) is called as a C function;
    any other as Python. An exception in compiled code cannot be seen. What a scheduler remembers
    outside of ``state`` is shared by all runs, which go on at once: keep it in ``state``.

    Its name is that of the function, in small letters; a second one of this name is called ``name-2``.

    >>> import switchlab as sl
    >>> @sl.scheduler
    ... def first_fit(lengths, matching):
    ...     free = set(range(len(matching)))
    ...     for input, row in enumerate(lengths):
    ...         for output in sorted(free):
    ...             if row[output]:
    ...                 matching[input] = output
    ...                 free.remove(output)
    ...                 break
    >>> result = sl.run("oq", first_fit, ports=4, load=0.5, slots=500, replications=2)
    >>> [report.switch for report in result]
    ['oq', 'first_fit']
    """
    if function is None:
        return lambda function: _make(function, name, state, compile)
    return _make(function, name, state, compile)


def _make(function: Any, name: str | None, state: int | Callable[[int], int], compile_: bool) -> Scheduler:
    if not callable(function):
        raise TypeError(f"a scheduler is a function, not {type(function).__name__}")
    if not (callable(state) or (isinstance(state, int) and not isinstance(state, bool))):
        raise TypeError("state is how many numbers are remembered, or a function of the ports that says it")
    plain = getattr(function, "py_func", function)
    try:
        parameters = list(inspect.signature(plain).parameters)
    except (TypeError, ValueError):
        raise TypeError("the parameters of this function cannot be read; write it with def") from None
    unknown = [parameter for parameter in parameters if parameter not in PARAMETERS]
    if unknown:
        raise ValueError(f"a scheduler has no parameter {unknown[0]!r}; it may have: {', '.join(PARAMETERS)}")
    if "matching" not in parameters:
        raise ValueError("a scheduler fills in its parameter matching")
    wanted = spec(name, "name") if name is not None else getattr(plain, "__name__", "scheduler").lower()
    if name is None and not re.fullmatch(r"[a-z][a-z0-9_]*", wanted):
        wanted = "scheduler"
    if compile_ and not _is_numba(function):
        function = import_module("numba").njit(function)
    address: int | None = None
    kept: Any = function
    if _is_numba(function):
        compiled = _compile(function, parameters)
        address, kept = compiled.address, (function, compiled)
    about = (inspect.getdoc(plain) or "a scheduler of yours").strip().splitlines()[0]
    wanted = _free_name(wanted)
    _switchlab.register(wanted, about, kept, parameters, address, state)
    return Scheduler(wanted, function, address is not None)
