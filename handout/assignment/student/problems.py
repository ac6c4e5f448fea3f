"""One line about what went wrong in a student's function, for commands that call many of them."""

from __future__ import annotations

import importlib.util
import traceback
from pathlib import Path

from assignment.calls.journal import Journal


def folder_of(package: str) -> Path:
    """The folder of a package; raises ModuleNotFoundError if there is none of this name."""
    found = importlib.util.find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError(f"no package is called {package}")
    return Path(found.submodule_search_locations[0])


def describe(
    error: BaseException, folder: Path, consequence: str, journal: Journal | None = None
) -> str:
    """What an exception says, and where in the package's folder it came from.

    If no code of the package was running, the line begins with the consequence, such as "cannot be
    drawn", and names the last call in a journal of the package's functions.
    """
    if isinstance(error, SyntaxError):
        where = f" in line {error.lineno}" if error.lineno else f": {error.msg}"
        return f"{Path(error.filename or 'a module').name} has a syntax error{where}"
    what = ": ".join(filter(None, (type(error).__name__, " ".join(str(error).split()))))
    where = place(error, folder)
    if is_stub(error, folder):
        return f"not written yet{where}"
    if where:
        return f"raises {what}{where}"
    if journal and journal.calls:
        last = journal.calls[-1]
        return f"{consequence}: {what}. The last call, {last.text}, gave {last.returned}"
    return f"{consequence}: {what}"


def place(error: BaseException, folder: Path) -> str:
    """Where in the package: ` (relu_intensity, resource_accounting/roofline.py:12)`; else ""."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if folder in path.parents:
            file = path.relative_to(folder.parent).as_posix()
            return f" ({frame.name}, {file}:{frame.lineno})"
    return ""


def is_stub(error: BaseException, folder: Path) -> bool:
    """Whether the package itself, not a library that it called, raised NotImplementedError."""
    frames = traceback.extract_tb(error.__traceback__)
    is_own = bool(frames) and folder in Path(frames[-1].filename).parents
    return isinstance(error, NotImplementedError) and is_own
