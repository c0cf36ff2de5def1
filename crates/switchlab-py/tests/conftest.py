"""What the tests share."""

import os
import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def program():
    """Runs the command line: the program that SWITCHLAB_PROGRAM names, else the one in the package."""
    named = os.environ.get("SWITCHLAB_PROGRAM")
    command = [named] if named else [sys.executable, "-m", "switchlab"]

    environment = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1"}

    def run(*arguments, **options):
        return subprocess.run([*command, *arguments], capture_output=True, check=False, timeout=300, env=environment, **options)

    return run
