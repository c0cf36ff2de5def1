"""Progress of long work, by tqdm where it is installed."""

from __future__ import annotations

import logging
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

logger = logging.getLogger("switchlab")
logger.addHandler(logging.NullHandler())

QUIET = 1.0
"""Seconds before a bar is shown."""


def tell(found: list[str], notes: list[str] | None = None) -> None:
    """Logs warnings of the lab, and notes that are none."""
    for note in notes or []:
        logger.info("%s", note)
    for warning in found:
        logger.warning("%s", warning)


@contextmanager
def watching(progress: bool | None) -> Iterator[Callable[[int, int], None] | None]:
    """A function to be told of the slots done and left; None if nothing is to be shown.

    ``None`` shows a bar where tqdm is installed and somebody looks: on a terminal or in a notebook.
    """
    if progress is None:
        progress = sys.stderr.isatty() or "ipykernel" in sys.modules
    if not progress:
        yield None
        return
    try:
        with warnings.catch_warnings():
            # Without ipywidgets it falls back to text, and says so each time.
            warnings.simplefilter("ignore")
            from tqdm.auto import tqdm
    except ImportError:
        yield None
        return
    begun = time.monotonic()
    bar: Any = None

    def watch(done: int, left: int) -> None:
        nonlocal bar
        if bar is None:
            if time.monotonic() - begun < QUIET:
                return
            bar = tqdm(total=done + left, unit=" slots", unit_scale=True, leave=False)
        bar.total = done + left
        bar.n = done
        bar.refresh()

    try:
        yield watch
    finally:
        if bar is not None:
            bar.close()
