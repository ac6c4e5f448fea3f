"""The import of a module: what it leaves changed is noted with its line, and set back."""

import gc
import importlib
import random
import sys
import threading
import warnings
from pathlib import Path

import numpy as np
import pytest
import torch

from assignment.calls import imports
from assignment.calls.implementation import Package
from tests.harness.assignment.changes import IDLE, LIBRARIES, SETTINGS, end_idle_threads


def settings():
    """Everything that `SETTINGS` changes, as values that can be compared."""
    return [
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        torch.is_autocast_enabled("cpu"),
        torch.are_deterministic_algorithms_enabled(),
        torch.get_num_threads(),
        Path.cwd(),
        gc.isenabled(),
        sys.getrecursionlimit(),
        random.getstate(),
        [part.tolist() if isinstance(part, np.ndarray) else part for part in np.random.get_state()],
        torch.get_rng_state().tolist(),
        list(warnings.filters),
    ]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Writes the modules of a package, imports `a` and returns it: `package(a="import os")`."""
    finders, folder = list(sys.meta_path), tmp_path / "toy"
    folder.mkdir()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    IDLE.clear()
    before = threading.enumerate()

    def write(with_lines=True, **modules):
        for name in ("__init__", *modules):
            text = LIBRARIES + modules.get(name, "")
            (folder / f"{name}.py").write_text(text, encoding="utf-8")
        importlib.invalidate_caches()
        imports.watch("toy", with_lines)
        found = Package("toy")
        assert found.a.__name__ == "toy.a"
        return found

    yield write
    end_idle_threads(before)
    sys.meta_path[:] = finders
    imports.take_changes()
    for name in [name for name in sys.modules if name.partition(".")[0] == "toy"]:
        del sys.modules[name]


def places():
    return [(file, line) for file, line, _ in imports.take_changes()]


def test_settings_are_noted_with_their_lines_and_set_back(package):
    before = settings()
    package(a="\n".join(SETTINGS))
    assert settings() == before
    changes = imports.take_changes()
    for number, (change, said) in enumerate(zip(changes, SETTINGS.values(), strict=True), 4):
        assert change[:2] == ("toy/a.py", number)
        assert change[2].startswith(said)
    lines = imports.describe(changes).split("\n")
    assert lines[0] == "line 4: torch.is_grad_enabled() is False after the import (it was True)"
    assert lines[-1] == imports.ADVICE


def test_line_is_that_of_the_module_where_a_function_or_a_class_does_it(package):
    package(a="def f():\n    os.chdir('/')\n\n\nclass C:\n    f()\n", __init__="gc.disable()")
    assert places() == [("toy/__init__.py", 4), ("toy/a.py", 8)]


def test_normal_number_that_waits_in_numpys_generator_is_kept(package):
    """They are made in pairs, and a run may import a module between the two"""
    for drawn in (0, 1):
        np.random.seed(5)
        wanted = np.random.randn(3)[drawn]
        np.random.seed(5)
        np.random.randn(drawn)
        package(a="np.random.randn()\n")
        del sys.modules["toy.a"]
        assert np.random.randn() == wanted


def test_module_that_another_one_imports_has_its_own(package):
    """What it sets does not reach the one that imports it, whoever was imported first"""
    found = package(
        a="from toy import b\nX = torch.zeros(1).dtype\ngc.disable()\n",
        b="torch.set_default_dtype(torch.float64)\nX = torch.zeros(1).dtype\n",
    )
    assert found.a.X is torch.float32
    assert found.b.X is torch.float64
    assert places() == [("toy/b.py", 4), ("toy/a.py", 6)]


def test_module_finds_nothing_of_what_its_importer_has_set(package):
    """Else its constants would depend on who imports it first"""
    line = "torch.set_default_dtype(torch.float64)\n"
    b = f"X = torch.zeros(1).dtype\nwarnings.simplefilter('ignore')\n{line}"
    a = f"{line}warnings.simplefilter('ignore')\nfrom toy import b\nX = torch.zeros(1).dtype\n"
    found = package(a=a, b=b)
    assert found.b.X is torch.float32
    assert found.a.X is torch.float64
    assert places() == [("toy/b.py", 5), ("toy/b.py", 6), ("toy/a.py", 4), ("toy/a.py", 5)]


def test_import_in_a_function_is_an_import(package):
    """At home another test may have imported the module before"""
    found = package(a="def f():\n    from toy import b\n    return b\n", b="os.chdir('/')\n")
    folder = Path.cwd()
    found.a.f()
    assert Path.cwd() == folder
    assert places() == [("toy/b.py", 4)]


def test_what_a_module_sets_back_itself_is_not_noted(package):
    package(a="gc.disable()\ngc.enable()\nwith warnings.catch_warnings():\n    pass\n")
    assert places() == []


def test_module_whose_import_fails_is_set_back(package):
    before = settings()
    with pytest.raises(ZeroDivisionError):
        package(a="\n".join([*SETTINGS, "1 / 0"]))
    assert settings() == before
    assert places() == []


def test_thread_is_noted_and_stays(package, monkeypatch):
    monkeypatch.setattr(threading, "idle", IDLE, raising=False)
    package(a="threading.Thread(target=threading.idle.wait).start()\n")
    assert imports.take_changes() == [("toy/a.py", 4, "the import leaves a thread running")]


def test_folder_that_a_module_removes_is_left(package):
    folder = Path.cwd()
    package(a="os.mkdir('gone')\nos.chdir('gone')\nos.rmdir('../gone')\n")
    assert Path.cwd() == folder
    ((file, line, what),) = imports.take_changes()
    assert (file, line) == ("toy/a.py", 6)
    assert (
        what
        == f"the working folder is a folder that was removed after the import (it was {folder})"
    )


def test_filter_of_a_library_for_its_own_warnings_is_not_noted(package):
    """Whether an import loads the library depends on what was imported before"""
    package(a="class Own(Warning): ...\n\n\nwarnings.simplefilter('once', Own)\n")
    assert places() == []


def test_line_is_left_to_a_debugger_and_not_looked_for_unasked(package):
    found = package(with_lines=False, a="gc.disable()\n", b="gc.disable()\n")
    imports.watch("toy", with_lines=True)

    def tracer(*_):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        assert found.b.__name__ == "toy.b"
        assert sys.gettrace() is tracer
    finally:
        sys.settrace(before)
    changes = imports.take_changes()
    assert [(file, line) for file, line, _ in changes] == [("toy/a.py", 0), ("toy/b.py", 0)]
    assert imports.describe(changes[:1]).startswith("gc.isenabled() is False after the import")


def test_other_packages_are_left_alone(package):
    package(a="")
    sys.modules.pop("toyota", None)
    Path("toyota.py").write_text("import gc\ngc.disable()\n", encoding="utf-8")
    try:
        importlib.import_module("toyota")
        assert not gc.isenabled()
    finally:
        gc.enable()
        sys.modules.pop("toyota", None)
    assert places() == []
