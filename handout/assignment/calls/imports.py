"""Imports of the package under test: the import of a module is a call like any other.

What it leaves changed (`calls/world.py`) is noted with the line that did it, and set back. So
the order of imports decides nothing: a run at home imports each module once, for all its tests, and
the grader does so in each of its processes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any

from assignment.calls.world import BeforeImport

# A file, relative to the package's parent; a line, or 0 if none is looked for or a debugger has
# the tracer that would find it; and what is changed, as a sentence.
Change = tuple[str, int, str]
ADVICE = (
    "Settings are set back before any test, and no points are lost. Set them in the function that "
    "needs them, and set them back there."
)


def watch(package: str, with_lines: bool = False) -> None:
    """Has each import of the package's modules, from now on, set back what it leaves changed.

    With lines, which take a millisecond for a module, `take_changes` has the line of each change.
    """
    for finder in sys.meta_path:
        if isinstance(finder, _Finder) and finder.package == package:
            finder.with_lines |= with_lines
            return
    sys.meta_path.insert(0, _Finder(package, with_lines))


def take_changes() -> list[Change]:
    """What imports have left changed since this was last asked."""
    taken, _changes[:] = list(_changes), []
    return taken


def by_file(changes: Iterable[Change]) -> dict[str, list[Change]]:
    """Changes grouped by the file whose import made them, in their order."""
    found: dict[str, list[Change]] = {}
    for change in changes:
        found.setdefault(change[0], []).append(change)
    return found


def describe(changes: Sequence[Change]) -> str:
    """A line for each of one file's changes, and then what to do about them."""
    lines = [f"line {line}: {what}" if line else what for _, line, what in changes]
    return "\n".join([*lines, ADVICE])


_changes: list[Change] = []  # of imports that succeeded


class _Finder(MetaPathFinder):
    """Finds the modules of one package as the finders after it do, and wraps their execution."""

    def __init__(self, package: str, with_lines: bool) -> None:
        self.package, self.with_lines = package, with_lines
        self._start: BeforeImport | None = None  # of the outermost import, while one runs

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self.package and not name.startswith(f"{self.package}."):
            return None
        for finder in sys.meta_path[sys.meta_path.index(self) + 1 :]:
            if (spec := finder.find_spec(name, path, target)) is not None:
                if isinstance(loader := spec.loader, SourceFileLoader):  # not one that is shared
                    execute = partial(self._execute, loader.exec_module)
                    loader.exec_module = execute  # type: ignore[method-assign]
                return spec
        return None

    def _execute(self, execute: Callable[[ModuleType], None], module: ModuleType) -> None:
        """Executes a module as if it were imported first, and restores what that changed."""
        here, outer = BeforeImport(), self._start
        self._start = start = outer or here
        start.restore()  # what the importing module has set is not for this one
        lines = _Lines(module, start)
        try:
            with lines if self.with_lines else nullcontext():
                execute(module)
        except (SyntaxError, ValueError) as error:  # the latter for null bytes, before 3.11.4
            if reason := why_not_utf8(Path(module.__file__ or "")):
                raise SyntaxError(reason, (module.__file__, 1, 0, "")) from error
            raise
        else:
            file, changes = _file_of(module), start.changes()
            _changes.extend(sorted((file, lines.found.get(what, 0), what) for what in changes))
        finally:
            self._start = outer
            here.restore()


def why_not_utf8(file: Path) -> str:
    """What to do about a file in UTF-16 or with null bytes; "" for any other."""
    data = file.read_bytes()
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or data.count(b"\0") > len(data) // 3:
        return "this file is UTF-16; save it as UTF-8"
    return "this file holds null bytes; save it as UTF-8" if b"\0" in data else ""


def _file_of(module: ModuleType) -> str:
    """A module's file as a `Change` names it: `resource_accounting/seeding.py`."""
    file = Path(module.__file__ or "")
    names = module.__name__.count(".") + 1 + (file.stem == "__init__")
    return "/".join(file.parts[-names:])


class _Lines:
    """While a module is executed: finds the line of it after which something is changed.

    Python has one tracer: under a debugger or a measurement of coverage none is found.
    """

    def __init__(self, module: ModuleType, before: BeforeImport) -> None:
        self._names, self._before = vars(module), before
        self._line = 0
        self.found: dict[str, int] = {}

    def __enter__(self) -> None:
        self._outer = sys.gettrace()
        if self._outer is None or isinstance(getattr(self._outer, "__self__", None), _Lines):
            sys.settrace(self._begin)

    def __exit__(self, *_: object) -> None:
        if sys.gettrace() == self._begin:
            sys.settrace(self._outer)

    def _begin(self, frame: FrameType, _event: str, _: Any) -> Any:
        is_module = frame.f_globals is self._names and frame.f_code.co_name == "<module>"
        return self._step if is_module else None

    def _step(self, frame: FrameType, _event: str, _: Any) -> Any:
        changes = self._before.changes()  # new ones are the work of the line before
        self.found = {what: self.found.get(what, self._line) for what in changes}
        self._line = frame.f_lineno
        return self._step
