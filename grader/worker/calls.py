"""Imports and calls the submission's code, with checks of annotated shapes.

The functions that answer a request return what goes back to the judge: {"result": …}, or
{"failed": cause, …}.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import py_compile
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from inspect import isfunction
from pathlib import Path
from typing import Any

from beartype import BeartypeConf, beartype
from jaxtyping import jaxtyped

from assignment.calls import imports, plain, readers
from assignment.calls.implementation import (
    DRIVERS,
    READERS,
    Calls,
    Package,
    resolve,
    seed_everything,
)
from assignment.calls.world import LeftChanged, World, modes_unchanged
from grader.sandbox.sandbox import WorkerPaths
from grader.worker.failures import describe, failure, is_out_of_memory
from grader.worker.stubs import is_stub

# As in the handout: an int is accepted where a float is annotated.
_TYPES = beartype(conf=BeartypeConf(is_pep484_tower=True))


class CheckedPackage(Package):
    """The student's package in a folder; functions taken from its modules are checked."""

    def __init__(self, name: str, folder: str) -> None:
        super().__init__(name)
        self._root = f"{folder}/"  # what paths of its files begin with
        self._world = World()  # of one test: checks what calls leave changed
        # Finding a signature takes longer than most calls.
        self._signature_of = functools.cache(inspect.signature)

    def __getattr__(self, module: str) -> Any:
        found = CheckedModule(super().__getattr__(module))
        setattr(self, module, found)  # keeps the wrapped functions for later calls
        return found


class CheckedModule:
    """A module of the student's package, whose functions are checked."""

    def __init__(self, module: Any) -> None:
        self.bare = module

    def __getattr__(self, name: str) -> Any:
        value = with_shape_checks(getattr(self.bare, name))
        setattr(self, name, value)
        return value


def with_shape_checks(function: Any) -> Any:
    """A function that checks its annotations at each call, if it annotates a shape.

    Only functions that the judge calls are wrapped, at their first call, and only those with
    shapes: checking every function, as the handout does, takes ten times as long as everything else
    that a worker does before its first call.
    """
    if isfunction(function) and _annotates_shapes(function):
        return jaxtyped(typechecker=_TYPES)(function)
    return function


def _annotates_shapes(function: Any) -> bool:
    """Whether an annotation uses a type of jaxtyping's.

    In unevaluated text it may be anywhere; of an evaluated annotation only the outermost counts.
    """
    return any(
        getattr(function.__globals__.get(word, annotation), "__module__", "").startswith(
            "jaxtyping"
        )
        for annotation in function.__annotations__.values()
        for word in (re.findall(r"\w+", annotation) if isinstance(annotation, str) else [""])
    )


def call(
    package: CheckedPackage, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Calls a target such as "strides.transpose"; {"result": value} or {"failed": cause, …}."""
    module, _, name = target.partition(".")
    if module in DRIVERS:
        function = resolve(package, target)
        return _outcome(package, lambda: function(*args, **kwargs), modes_unchanged(target))
    if isinstance(imported := _import(package, module), dict):
        return imported
    try:
        function = getattr(imported, name)
    except AttributeError:
        return failure("missing", f"{module}.py has no {name}")
    except BaseException as error:  # annotations that cannot be checked
        return describe("wrong_signature", error, package._root)

    def run() -> dict[str, Any]:
        return _outcome(package, lambda: package._world.call(target, function, args, kwargs))

    answer = run() if isfunction(function) else None
    # Binding the arguments takes as long as most calls, so it comes after a function's TypeError.
    if answer is None or answer.get("exception") == "TypeError":
        try:
            # What is no function may be anything, even without a hash for the cache.
            find = package._signature_of if isfunction(function) else inspect.signature
            find(function).bind(*args, **kwargs)
        except (TypeError, ValueError) as error:
            return describe("wrong_signature", error, package._root)
    return answer or run()


def call_all(package: CheckedPackage, wanted: Calls) -> dict[str, Any]:
    """Calls targets in order: {"result": a list of what `call` gives}.

    Each result is copied immediately: a later call may change what an earlier one has returned.
    """
    answers: list[dict[str, Any]] = []
    for target, args, kwargs in wanted:
        answer: dict[str, Any] = call(package, target, args, kwargs)
        if "result" in answer:
            what = f"what {target} returned"
            try:
                answer = {"result": plain.copy(answer["result"], what)}
            except plain.NotPlainData as error:
                answer = failure("not_plain_data", str(error))
            except Exception as error:  # a method of the submission's, or no memory for it
                cause = "memory" if is_out_of_memory(error) else "not_plain_data"
                answer = failure(cause, f"{what} cannot be sent: {type(error).__name__}")
        answers.append(answer)
    return {"result": answers}


def iterate(package: CheckedPackage, iterable: Any) -> dict[str, Any]:
    """The iterator of what a call returned: {"result": iterator}, or a failure."""
    return _outcome(package, lambda: iter(iterable))


def next_item(package: CheckedPackage, iterator: Any) -> dict[str, Any]:
    """The next item of an iterator: {"result": item}, {"ended": True}, or a failure."""
    end = object()
    answer = _outcome(package, lambda: next(iterator, end), modes_unchanged("next"))
    return {"ended": True} if answer.get("result") is end else answer


def read(target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Runs a reader of `assignment/calls/readers.py`, in a worker that loads no submission."""
    reader = readers.find(target.removeprefix(f"{READERS}."))
    return _outcome(None, lambda: reader(*args, **kwargs))


def _outcome(
    package: CheckedPackage | None,
    function: Callable[[], Any],
    unchanged: AbstractContextManager[None] | None = None,
) -> dict[str, Any]:
    """{"result": what a function returned}, or a failure; its cause depends on what was raised.

    `package` is whose function it is, if it is a submission's; `unchanged` raises LeftChanged for a
    mode that the function left changed.
    """
    root = package._root if package else "\0"  # no file is the submission's
    try:
        with unchanged or contextlib.nullcontext():
            return {"result": function()}
    except LeftChanged as error:
        return describe("left_changed", error, root)
    except NotImplementedError as error:
        return describe("not_started", error, root)
    except plain.NotPlainData as error:
        return describe("not_plain_data", error, root)
    except BaseException as error:
        cause = "memory" if is_out_of_memory(error) else "exception"
        return describe(cause, error, root)


def compile_files(paths: WorkerPaths, files: list[str]) -> dict[str, bytes]:
    """What a .pyc of each file holds, by the file's name, without those that cannot be compiled."""
    compiled = f"{paths.tmp}/compiled"
    found: dict[str, bytes] = {}
    for name in files:
        with contextlib.suppress(Exception):
            py_compile.compile(
                f"{paths.submission}/{name}",
                cfile=compiled,
                doraise=True,
                invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
            )
            found[name] = Path(compiled).read_bytes()
    return found


def begin_next_test(package: CheckedPackage, seed: int) -> CheckedPackage:
    """Drops the package's modules and what they kept, and seeds generators; returns the package."""
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package._name}.")]:
        del sys.modules[name]
    seed_everything(seed)
    return CheckedPackage(package._name, package._root[:-1])


def check_import(package: CheckedPackage, module: str, functions: list[str]) -> dict[str, Any]:
    """Imports one module: {"result": …, "stubs": …, "changes": …}, or a failure.

    "result" has each function's parameters, by name, or None for what is no function; "stubs" the
    functions that are still the handout's; "changes" what imports have left changed.
    """
    imports.watch(package._name, with_lines=True)
    if isinstance(imported := _import(package, module), dict):
        return imported
    parameters: dict[str, Any] = {}
    stubs = []
    for name in functions:
        try:
            function = getattr(imported.bare, name, None)
            own = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
            names = (p.replace(annotation=p.empty, default=p.empty) for p in own)
            parameters[name] = [str(p) for p in names]  # with its stars
        except BaseException:  # the module may be anything
            parameters[name] = None
            continue
        if is_stub(function):
            stubs.append(name)
    return {"result": parameters, "stubs": stubs, "changes": imports.take_changes()}


def _import(package: CheckedPackage, module: str) -> Any:
    """The imported module, or a failure."""
    try:
        return getattr(package, module)
    except BaseException as error:
        names = (package._name, f"{package._name}.{module}")
        missing = isinstance(error, ModuleNotFoundError) and error.name in names
        return describe("missing" if missing else "import_failed", error, package._root)
