"""Arguments of users, checked and made plain for the extension."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, SupportsFloat, SupportsIndex, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    from ._scheduler import Scheduler
    from ._traffic import Traffic


@runtime_checkable
class _NamedSwitch(Protocol):
    """What has a name of a switch: a scheduler of the user."""

    @property
    def spec(self) -> str: ...


Switch: TypeAlias = "str | Scheduler"
"""A switch: a spec such as ``"islip(iterations=4)"``, or a scheduler of your own."""

TrafficLike: TypeAlias = "str | Traffic"
"""Traffic: a spec such as ``"diagonal"``, or what ``sl.matrix`` or ``sl.trace`` made."""

Path: TypeAlias = "str | os.PathLike[str]"
"""The path of a file or a directory."""

MOST = 2**64 - 1


def spec(value: object, what: str) -> str:
    """The text of a switch or of traffic."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, _NamedSwitch) and isinstance(value.spec, str):
        text = value.spec
    else:
        raise TypeError(f"{what} is a text such as 'islip', not {type(value).__name__}")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{what} is not text in Unicode: {text!a}") from None
    return text


def specs(values: object, what: str) -> list[str]:
    """One spec or a list of them."""
    if values is None:
        return []
    if isinstance(values, (str, _NamedSwitch)):
        return [spec(values, what)]
    if isinstance(values, Iterable):
        return [spec(value, what) for value in values]
    return [spec(values, what)]


def whole(value: SupportsIndex, what: str, most: int = MOST) -> int:
    """A whole number from 0 on."""
    try:
        number = operator.index(value)
    except TypeError:
        # 1e5 is how many people write a hundred thousand.
        if isinstance(value, float) and value.is_integer():
            number = int(value)
        else:
            raise TypeError(f"{what} must be a whole number, not {value!r:.80}") from None
    if not 0 <= number <= most:
        raise ValueError(f"{what} must be a whole number from 0 to {most}")
    return number


def whole_or_none(value: SupportsIndex | None, what: str, most: int = MOST) -> int | None:
    """A whole number, or None for the default."""
    return None if value is None else whole(value, what, most)


def real(value: SupportsFloat, what: str) -> float:
    """A finite number."""
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what} must be a number, not {value!r:.80}")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"{what} is too large") from None
    except TypeError:
        raise TypeError(f"{what} must be a number, not {type(value).__name__}") from None
    if not math.isfinite(number):
        raise ValueError(f"{what} must be a finite number, not {number}")
    return number


def reals(values: object, what: str) -> list[float]:
    """One number or a list of them."""
    if values is None:
        return []
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        return [real(value, what) for value in values]
    return [real(values, what)]  # type: ignore[arg-type]


def wholes(values: object, what: str) -> list[int]:
    """One whole number or a list of them."""
    if values is None:
        return []
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        return [whole(value, what) for value in values]
    return [whole(values, what)]  # type: ignore[arg-type]


def path(value: Path | None, what: str) -> str | None:
    """The path of a file or a directory."""
    if value is None:
        return None
    text = os.fspath(value)
    if not isinstance(text, str):
        raise TypeError(f"{what} is a text, not {type(value).__name__}")
    if "\0" in text:
        raise ValueError(f"{what} has a zero byte in it")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ValueError(f"{what} cannot be the name of a file: {text!a}") from None
    return text


def arguments(
    switches: Sequence[Switch],
    *,
    ports: object = None,
    traffic: object = None,
    load: object = None,
    arrivals: object = None,
    vary: Mapping[str, object] | None = None,
    slots: SupportsIndex | None = None,
    warmup: SupportsIndex | str | None = None,
    replications: SupportsIndex | None = None,
    seed: SupportsIndex = 1,
    until: SupportsFloat | None = None,
    memory: SupportsIndex | None = None,
    departures: Path | None = None,
    threads: SupportsIndex | None = None,
    overload: bool = False,
    oq_lag: bool = False,
    occupancy: bool = False,
    per: str | None = None,
    percentiles: object = (),
) -> dict[str, Any]:
    """What the extension takes: all keys, None for a default."""
    auto = warmup == "auto"
    if isinstance(warmup, str) and not auto:
        raise ValueError(f'warmup is a number of slots or "auto", not {warmup!r:.80}')
    variables = {} if vary is None else vary
    if not isinstance(variables, Mapping):
        raise TypeError("vary is a dictionary of names and values")
    return {
        "switches": [spec(switch, "a switch") for switch in switches],
        "ports": wholes(ports, "ports"),
        "traffic": specs(traffic, "traffic"),
        "loads": reals(load, "load"),
        "arrivals": specs(arrivals, "arrivals"),
        "vary": {spec(name, "a variable"): reals(values, "a variable") for name, values in variables.items()},
        "slots": whole_or_none(slots, "slots"),
        "warmup": None if warmup is None or isinstance(warmup, str) else whole(warmup, "warmup"),
        "auto_warmup": auto,
        "replications": whole_or_none(replications, "replications", 2**32 - 1),
        "seed": whole(seed, "seed"),
        "until": None if until is None else real(until, "until"),
        "memory": whole_or_none(memory, "memory"),
        "departures": path(departures, "departures"),
        "threads": whole_or_none(threads, "threads"),
        "overload": bool(overload),
        "oq_lag": bool(oq_lag),
        "occupancy": bool(occupancy),
        "per": None if per is None else spec(per, "per"),
        "percentiles": reals(percentiles, "a percentile"),
    }
