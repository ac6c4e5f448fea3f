"""The implementation under test, as tests see it: `impl.flops.matmul_flops(1024, 256, 64)`.

`Implementation` is the interface. `LocalImplementation` imports the package into this process, so
that a breakpoint works; the grader's implementation calls a sandboxed worker. Both pass only plain
data, so that a test means the same with either.
"""

from __future__ import annotations

import importlib
import os
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import torch

from assignment import programs, scenarios
from assignment.calls import file_calls, forked, imports, plain, readers
from assignment.calls.callbacks import LocalStandIns, StandInIterator
from assignment.calls.file_calls import Event, Seen
from assignment.calls.world import World, modes_unchanged

if TYPE_CHECKING:
    from assignment.calls.journal import Journal

DRIVERS = ("scenarios", "programs")  # modules of the assignment that drive a submission's code
READERS = "readers"  # the module of the assignment that reads what a submission wrote
See = Callable[[Seen | None], None]  # gets a file as it is at a moment

# Targets, each with its positional and its keyword arguments.
Calls = Sequence[tuple[str, tuple[Any, ...], dict[str, Any]]]


class Raised(NamedTuple):
    """In place of a result: what a call raised."""

    error: Exception


class Package:
    """A package whose modules are imported when first used: `package.flops.matmul_flops`.

    What an import leaves changed is set back.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        imports.watch(name)

    def __getattr__(self, module: str) -> Any:
        if module.startswith("__"):
            raise AttributeError(module)
        return importlib.import_module(f"{self._name}.{module}")


class Implementation(ABC):
    """What a test may do with an implementation; modules are attributes.

    `scratch` is a folder that the implementation may write to. It outlives `restart` and
    `kill_during`, and is removed after the test.
    """

    scratch: Path

    @abstractmethod
    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        """Calls a function of the implementation, or a scenario on it, with plain data.

        Args:
            target: `<module>.<function>`, or `scenarios.<name>`; or `readers.<name>`, which reads
                files that the implementation wrote, in the folder `scratch`. A reader runs in a
                process without the implementation's code, whose own process has been ended before.
            *args, **kwargs: plain data, as in `calls/plain.py`; so is the result. Functions
                and generators among the arguments become stand-ins (`calls/callbacks.py`).
        """

    def call_all(self, calls: Calls) -> list[Any]:
        """Calls functions in order, each with its arguments.

        The grader sends them in one request: so none may be a `readers.<name>`, and no argument a
        function or a generator. Returns their results; for a call that raises, a `Raised`.
        """
        found: list[Any] = []
        for target, args, kwargs in calls:
            try:
                found.append(self.call(target, *args, **kwargs))
            except Exception as error:
                found.append(Raised(error))
        return found

    @abstractmethod
    def iterate(self, target: str, /, *args: Any, **kwargs: Any) -> Iterator[Any]:
        """Calls a function that returns an iterator; each `next` asks it for one more item.

        The call itself is made immediately. The stand-ins among its arguments work while it runs,
        and while an item is asked for. All items together must fit into one message.
        """

    @abstractmethod
    def restart(self) -> None:
        """Continues in a fresh process, with nothing left in memory."""

    @abstractmethod
    def kill_during(self, target: str, /, *args: Any, **kwargs: Any) -> bool:
        """Calls a target, and kills its process when one of its stand-ins raises `KillProcess`.

        `kill_at_change` chooses another moment. Returns whether it was killed; False if the call
        ended earlier. Exceptions of the call are raised; a local run prints them instead.
        """

    @abstractmethod
    def kill_at_change(self, number: int) -> None:
        """Makes `kill_during` kill the process just before its `number`th change to files.

        Creating, writing, syncing, renaming and removing are changes. Of writes in a row the first,
        second, fourth, eighth and so on count. They count from now on if a function of the test
        asks during the call, otherwise from the start of the next one, and for that one alone; 0
        is none. A local run sees only what Python announces to its audit hooks of files in
        `scratch`, such as opening to write, renaming and removing.
        """

    @abstractmethod
    def watch_file(self, path: str, see: See, target: str, /, *args: Any, **kwargs: Any) -> None:
        """Calls a target, and shows what a kill at any change to files would leave of one file.

        `path` is the file's whole path, in `scratch`. `see` is given it just before each change,
        while the code waits; None if there is no regular file of this name. All writes count, those
        to the output too. For exceptions see `kill_during`.
        """

    @abstractmethod
    def file_calls(self, target: str, /, *args: Any, **kwargs: Any) -> tuple[Any, list[Event]]:
        """Calls a function, and notes which files in `scratch` it syncs and renames.

        Returns its result, and the events in order, as `file_calls.events` describes them.
        """

    @abstractmethod
    def peak_rss(self) -> int:
        """The peak memory of the process in bytes, measured from outside it.

        Read it before the calls that are judged, too: the first reading ends a process that earlier
        tests have used. A local run says 0, and judges no memory: the test's own is in the same
        process.
        """

    def __getattr__(self, module: str) -> _Module:
        if module.startswith("_"):
            raise AttributeError(module)
        return _Module(self, module)


class _Module:
    def __init__(self, implementation: Implementation, name: str) -> None:
        self._implementation, self._name = implementation, name

    def __getattr__(self, function: str) -> Callable[..., Any]:
        if function.startswith("__"):
            raise AttributeError(function)
        target = f"{self._name}.{function}"
        return lambda *args, **kwargs: self._implementation.call(target, *args, **kwargs)


def driver_of(target: str) -> Callable[..., Any] | None:
    """The assignment's own function that a target names, or None for a submission's function.

    Raises LookupError if no scenario, program or reader has this name.
    """
    module, _, name = target.partition(".")
    if module == READERS:
        return readers.find(name)
    if module == "scenarios":
        return scenarios.find(name)
    if module == "programs" and not hasattr(programs, name):
        raise LookupError(f"no program is called {name!r}")
    return getattr(programs, name) if module == "programs" else None


def resolve(package: Package, target: str) -> Callable[..., Any]:
    """The function of a target; scenarios and programs get the package as first argument."""
    module, _, name = target.partition(".")
    driver = driver_of(target)
    if driver is None:
        function: Callable[..., Any] = getattr(getattr(package, module), name)
        return function
    return driver if module == READERS else partial(driver, package)


def is_driven(target: str) -> bool:
    """Whether a target is a function of the assignment that calls those of a submission."""
    return target.partition(".")[0] in DRIVERS


def seed_everything(seed: int) -> None:
    """Seeds the global generators of random, numpy and torch."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    # Without CUDA, torch.manual_seed would also queue, with a stack trace, a seed for its devices.
    (torch.manual_seed if torch.cuda.is_available() else torch.default_generator.manual_seed)(
        seed % 2**63
    )


class LocalImplementation(Implementation):
    """An implementation imported into this process from the package of this name.

    Calls are noted in `journal`, if there is one.
    """

    def __init__(self, package: str, scratch: Path, journal: Journal | None = None) -> None:
        self._package = Package(package)
        self.scratch = scratch
        self.journal = journal
        self._changes = forked.FileChanges(scratch)
        self._world = World()

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        stand_ins = LocalStandIns(target)
        result = self._run(stand_ins, lambda: self._noted(stand_ins, target, args, kwargs))
        copied = plain.copy(result, f"what {target} returned")
        if self.journal is not None and (driver := driver_of(target)) is not None:
            self.journal.attach_before(driver, args, kwargs, copied)
        return copied

    def iterate(self, target: str, /, *args: Any, **kwargs: Any) -> Iterator[Any]:
        stand_ins, end = LocalStandIns(target), object()
        items = self._run(stand_ins, lambda: iter(self._noted(stand_ins, target, args, kwargs)))

        def next_item() -> Any:
            with modes_unchanged("next"):
                item = self._run(stand_ins, lambda: next(items, end))
            if item is end:
                raise StopIteration
            return plain.copy(item, f"what {target} handed out")

        return StandInIterator(next_item)

    def _run(self, stand_ins: LocalStandIns, code: Callable[[], Any]) -> Any:
        """Runs code of the package; a failed assertion in a stand-in counts, even if caught."""
        try:
            return code()
        finally:
            if stand_ins.verdict:
                raise stand_ins.verdict

    def _noted(self, stand_ins: Any, target: str, args: Any, kwargs: Any) -> Any:
        """Calls a target with copies of the arguments, and notes that in the journal."""
        if self.journal is None:
            return self._call(self._package, stand_ins, target, args, kwargs)
        package = self.journal.noting(self._package) if is_driven(target) else self._package
        return self.journal.run(
            target, args, kwargs, lambda: self._call(package, stand_ins, target, args, kwargs)
        )

    def _call(self, package: Any, stand_ins: Any, target: str, args: Any, kwargs: Any) -> Any:
        """Calls a target of the package with copies, and checks what the call leaves changed."""
        function = resolve(package, target)
        what = f"arguments of {target}"
        args, kwargs = plain.copy_arguments((args, kwargs), what, stand_ins.of)
        if not is_driven(target):
            return self._world.call(target, function, args, kwargs)
        with modes_unchanged(target):
            return function(*args, **kwargs)

    def restart(self) -> None:
        """Does nothing: a local run trusts the code not to keep state in memory."""

    def kill_during(self, target: str, /, *args: Any, **kwargs: Any) -> bool:
        if not hasattr(os, "fork"):
            import pytest  # only tests can be skipped; a worker does not need pytest

            pytest.skip("killing a run half-way needs os.fork, which this system does not have")
        try:
            return forked.run_until_killed(self._noted, target, args, kwargs, self._changes)
        finally:
            self._changes.left = 0

    def kill_at_change(self, number: int) -> None:
        self._changes.left = number

    def watch_file(self, path: str, see: See, target: str, /, *args: Any, **kwargs: Any) -> None:
        self._changes.look = lambda: see(file_calls.seen(Path(path)))
        try:
            self.kill_during(target, *args, **kwargs)
        finally:
            self._changes.look = None

    def file_calls(self, target: str, /, *args: Any, **kwargs: Any) -> tuple[Any, list[Event]]:
        with file_calls.noted(self.scratch, self._package._name) as calls:
            result = self.call(target, *args, **kwargs)
        return result, file_calls.events(calls, file_calls.names_in(self.scratch))

    def peak_rss(self) -> int:
        return 0
