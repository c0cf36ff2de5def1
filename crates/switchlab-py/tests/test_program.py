"""The command line in the package."""

import os
import shutil
import subprocess
import sys
from pathlib import Path


def run(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "switchlab", *arguments], capture_output=True, timeout=120, **options)


def test_exit_codes(tmp_path):
    assert run("list").returncode == 0
    assert run("--help").returncode == 0 and b"Usage" in run("--help").stdout
    assert run("--version").stdout.startswith(b"switchlab ")
    for wrong in (["run", "islp"], ["nothing"], ["run", "oq", "--ports", "x"]):
        done = run(*wrong)
        assert done.returncode == 2 and done.stderr and not done.stdout


def test_manifests_name_the_command(tmp_path):
    line = "run oq --ports 4 --load 0.3,0.6 --slots 200 --out".split()
    assert run(*line, str(tmp_path / "o")).returncode == 0
    assert f'"command": "switchlab {" ".join(line)} {tmp_path / "o"}"' in (tmp_path / "o/manifest.json").read_text()


def test_a_closed_pipe_is_no_error():
    done = subprocess.run(f"{sys.executable} -m switchlab list | head -1", shell=True, capture_output=True, timeout=120)
    assert done.returncode == 0 and done.stderr == b""


def test_the_script_is_installed():
    script = Path(sys.executable).with_name("switchlab")
    script = script if script.exists() else shutil.which("switchlab")
    if "SWITCHLAB_INSTALLED" in os.environ:
        assert subprocess.run([script, "list", "--json"], capture_output=True).stdout == run("list", "--json").stdout
