"""The examples in docstrings and in the README run."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import switchlab

MODULES = sorted(f"switchlab.{module.name}" for module in pkgutil.iter_modules(switchlab.__path__) if module.name != "__main__")
HERE = Path(__file__).resolve()
PAGES = [HERE.parents[1] / "README.md", HERE.parents[3] / "README.md", HERE.parents[3] / "docs/guide/python.md"]


@pytest.mark.parametrize("name", ["switchlab", *MODULES])
def test_docstrings(name):
    if name == "switchlab._experiment":
        pytest.importorskip("pandas")
    module = importlib.import_module(name)
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_everything_public_is_documented():
    for name in switchlab.__all__:
        item = getattr(switchlab, name)
        assert name == "NONE" or name == "__version__" or item.__doc__, name


@pytest.mark.parametrize("page", PAGES, ids=["package", "repository", "guide"])
def test_pages(page, tmp_path, monkeypatch):
    pytest.importorskip("numba")
    pytest.importorskip("pandas")
    if not page.exists():
        pytest.skip("it is in the repository only")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    names: dict = {}
    for block in blocks:
        exec(compile(block, str(page), "exec"), names)
    assert blocks


def test_what_type_checkers_read_runs():
    pytest.importorskip("typing_extensions")
    from typed_use import use

    use()
