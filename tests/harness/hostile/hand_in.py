"""Attacks as submissions: which there are, what each tries, and the folder that is handed in.

An attack is a folder in `tests/submissions/hostile`, or a function of a module that lies beside
these folders: its docstring names its target, too. The module is copied into the attack's
package, and so is every module that an attack imports from there, `from .channel import …`.
"""

import functools
import re
import shutil
from pathlib import Path
from typing import NamedTuple

from assignment import manifest
from tests.harness.container import REPOSITORY

HOSTILE = REPOSITORY / "tests" / "submissions" / "hostile"
_FIRST_LINE = re.compile(r'"""(\w+): (.+)"""')
_FUNCTION = re.compile(rf"^def (\w+)\([^)]*\):\n    {_FIRST_LINE.pattern}$", re.MULTILINE)
_IMPORT = re.compile(r"^from \.(\w+) import ", re.MULTILINE)


class Source(NamedTuple):
    """Where an attack lies.

    Attributes:
        target: the function that it attacks, or the exercise.
        tries: what it says of itself.
        module: the module that has its function; "" if it is a folder.
    """

    target: str
    tries: str
    module: str = ""


@functools.cache
def sources() -> dict[str, Source]:
    """All attacks by name."""
    found = {}
    # A folder without modules is what git leaves of one that moved: its `__pycache__`.
    for package in sorted({path.parent for path in HOSTILE.glob("*/resource_accounting/*.py")}):
        lines = [_FIRST_LINE.match(path.read_text()) for path in sorted(package.glob("*.py"))]
        assert all(lines), f"a module of {package} does not say what it tries"
        assert len({line[1] for line in lines}) == 1, f"{package} attacks several targets"
        found[package.parent.name] = Source(*lines[0].groups())
    for path in sorted(HOSTILE.glob("*.py")):
        for name, target, tries in _FUNCTION.findall(path.read_text()):
            assert name not in found, f"there are two attacks {name}"
            found[name] = Source(target, tries, path.stem)
    return found


def target_of(name: str) -> str:
    """The exercise that an attack names in its first line, or that has the function named there."""
    target = sources()[name].target
    return next(e.id for e in manifest.load() if target in (e.id, *_names(e.functions)))


def hand_in(name: str, folder: Path) -> Path:
    """Writes an attack into a folder that does not exist yet; returns that folder.

    An attack that is a function is the one that it names, or the first of its exercise; the others
    are in its module under their own names, or missing.
    """
    source = sources()[name]
    package = folder / "resource_accounting"
    if not source.module:
        shutil.copytree(HOSTILE / name, folder)
    else:
        functions = manifest.load()[target_of(name)].functions
        names, code = _names(functions), (HOSTILE / f"{source.module}.py").read_text()
        own = source.target if source.target in names else names[0]
        there = [other for other in names if other != own and f"def {other}(" in code]
        module, names = functions[0].partition(".")[0], [f"{name} as {own}", *there]
        package.mkdir(parents=True)
        text = f"from .{source.module} import {', '.join(names)}\n"
        (package / f"{module}.py").write_text(text)
    _add_imported(package)
    return folder


def _names(functions: tuple[str, ...]) -> list[str]:
    """Functions without their module's name."""
    return [function.partition(".")[2] for function in functions]


def _add_imported(package: Path) -> None:
    """Copies to a package what its modules import of the modules beside the attacks."""
    todo = list(package.glob("*.py"))
    while todo:
        for name in _IMPORT.findall(todo.pop().read_text()):
            shared, copy = HOSTILE / f"{name}.py", package / f"{name}.py"
            if shared.exists() and not copy.exists():
                shutil.copy(shared, copy)
                todo.append(copy)
