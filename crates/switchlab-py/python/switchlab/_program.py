"""The command line: ``switchlab`` and ``python -m switchlab``."""

from __future__ import annotations

import signal
import sys


def main() -> int:
    """Runs the command line with the arguments of the process."""
    from ._switchlab import main as run

    # Ctrl-C ends the program at once, as it ends any other; a sweep loses no finished unit.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["switchlab", *sys.argv[1:]])
