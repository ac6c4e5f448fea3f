"""The world around a call: a function leaves it as it was, unless its docstring says otherwise.

Modes of torch, the working folder, the number of threads, and the lists and dicts among the
arguments are looked at after every call, also after one that raises. Random generators, the values
of tensors and arrays, and the names in the working folder take longer: they are looked at after a
test's calls 1, 2, 4, 8 and so on of each function. Lists and dicts of a result must be new.

This finds mistakes. Code that means to hide a change can.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import sys
import threading
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assignment.calls.layouts import elements

# Where numpy's global generator, a Mersenne twister, has its 624 words and its position. Copying
# them takes a fifth of what `np.random.get_state` takes.
_NUMPYS = np.random.get_bit_generator()  # type: ignore[attr-defined]
_NUMPYS_STATE = _NUMPYS.ctypes.state_address
_NUMPYS_SIZE = 4 * 625
_RULES = ("sgd", "adagrad", "rmsprop", "adam", "adamw", "muon")
_STEPS = {f"optimizers.{rule}_step" for rule in _RULES}
# What functions may change, by their docstrings.
_ALLOWED = {
    "seeding.seed_everything": {"generators"},
    "data.get_batch": {"generators"},  # where it is given none
    **{name: {"arguments"} for name in (*_STEPS, "performance.adamw_update")},
}
# By docstrings, too: what changes nothing if it raises, what returns float32 whatever the default
# dtype is, whose tensors share memory with nothing, and what never needs autograd.
_UNCHANGED_IF_RAISED = _STEPS
_FLOAT32 = {f"initialization.{n}" for n in ("xavier_uniform", "kaiming_normal", "truncated_normal")}
_OWN_MEMORY = {"strides.gather", "data.get_batch", *_FLOAT32}
_WITHOUT_AUTOGRAD = {
    *_STEPS,
    "performance.adamw_update",
    "gradients.linear_backward",
    "gradients.mlp_backward",
    *_FLOAT32,
}
# Each mode, what reads it, and what sets it again.
_MODES: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    "torch.is_grad_enabled()": (torch.is_grad_enabled, torch.set_grad_enabled),
    "torch.get_default_dtype()": (torch.get_default_dtype, torch.set_default_dtype),
    "torch.is_autocast_enabled('cpu')": (
        lambda: torch.is_autocast_enabled("cpu"),
        lambda on: torch.set_autocast_enabled("cpu", on),
    ),
    "torch.are_deterministic_algorithms_enabled()": (
        torch.are_deterministic_algorithms_enabled,
        torch.use_deterministic_algorithms,
    ),
    "torch.get_num_threads()": (torch.get_num_threads, torch.set_num_threads),
    "the working folder": (lambda: _folder(), os.chdir),
    "gc.isenabled()": (gc.isenabled, lambda on: gc.enable() if on else gc.disable()),
    "sys.getrecursionlimit()": (sys.getrecursionlimit, sys.setrecursionlimit),
}
_GENERATOR = "the global generator of {} changed; draw from one of your own"
_READS = tuple(read for read, _ in _MODES.values())


class LeftChanged(AssertionError):
    """A call left something changed: the message says what and, after a last "; ", what to do."""


class World:
    """Looks at the world before and after the calls of one test."""

    def __init__(self) -> None:
        self._calls: Counter[str] = Counter()
        self._results: dict[str, list[Any]] = {}  # lists and dicts of the last result
        self._tensors: dict[str, list[torch.Tensor]] = {}  # tensors of the last result

    def call(self, target: str, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Calls the function of this name, and returns its result.

        Raises LeftChanged if the call left something changed, even if it raised another exception,
        or if a list or dict of its result is not new.
        """
        self._calls[target] = number = self._calls[target] + 1
        is_thorough = not number & (number - 1)  # calls 1, 2, 4, 8 and so on
        is_thorough |= target in _UNCHANGED_IF_RAISED  # it may be refused at any call
        before = _Surroundings(target, (args, kwargs), is_thorough)
        before.ignores_random = hasattr(function, "__wrapped__")  # checks of types draw from it
        try:
            with _other_settings(target, number), modes_unchanged(target):
                result = function(*args, **kwargs)
        except LeftChanged:
            raise
        except Exception as error:
            before.check(error)
            raise
        before.check(None)
        if target in _OWN_MEMORY:
            known = (args, kwargs, self._tensors.get(target))
            self._tensors[target] = _check_memory(target, known, result)
        returned = _outer_containers(result)
        given = _outer_containers((*args, *kwargs.values()))
        for old in (*given, *self._results.get(target, ())):
            if any(part is old for part in returned):
                raise LeftChanged(
                    f"{target} returned a {type(old).__name__} that it was given or has returned "
                    "before; return a new one each time"
                )
        self._results[target] = returned
        return result


@contextmanager
def modes_unchanged(target: str) -> Iterator[None]:
    """Restores each mode that the block, even one that raises, left changed; raises LeftChanged."""
    before = [read() for read in _READS]
    try:
        yield
    except Exception as error:
        _check_modes(target, before, error)
        raise
    _check_modes(target, before, None)


@contextmanager
def generators_unchanged(what: str) -> Iterator[None]:
    """Raises LeftChanged if the block draws from torch's or numpy's global generator."""
    before = global_generators()
    yield
    for name in _changed_generators(before):
        if name != "random":  # checks of types draw from Python's
            raise LeftChanged(f"{what} leaves the global generator of {name} changed; draw nothing")


class BeforeImport:
    """What the import of a module finds: to be compared with what it leaves, and to be restored.

    No files: libraries put theirs into the working folder of the grader's process.
    """

    def __init__(self) -> None:
        self._modes = [read() for read in _READS]
        self._threads = threading.active_count()
        self._generators = global_generators()
        self._numpys_state: Any = np.random.get_state()  # complete, unlike `_generators`
        self._filters, self._builtin_filters = list(warnings.filters), _filters()

    def changes(self) -> list[str]:
        """What has changed since, each as a sentence."""
        left = [_GENERATOR.format(name) for name in _changed_generators(self._generators)]
        if threading.active_count() > self._threads:
            left.append("a thread running")
        if _filters() != self._builtin_filters:
            left.append("warnings.filters changed")
        changed = _changed_modes("the import", self._modes)
        return changed + [f"the import leaves {what}" for what in left]

    def restore(self) -> None:
        """Restores modes, generators and warning filters, not threads. This can be done again."""
        _restore_modes(self._modes)
        has_normal = self._numpys_state[3]  # numpy keeps the second of a pair of normal numbers
        if has_normal or _changed_generators(self._generators):
            random.setstate(self._generators["random"])
            np.random.set_state(self._numpys_state)
            torchs = bytearray(self._generators["torch"])
            torch.default_generator.set_state(torch.frombuffer(torchs, dtype=torch.uint8))
        if warnings.filters != self._filters:
            warnings.filters[:] = self._filters  # type: ignore[index]
            with warnings.catch_warnings():  # its end has Python read them anew
                pass


def _check_modes(target: str, before: list[Any], error: Exception | None) -> None:
    if changed := _changed_modes(f"the call of {target}", before):
        _restore_modes(before)
        raise LeftChanged(", and ".join(changed)) from error


def _changed_modes(what: str, before: list[Any]) -> list[str]:
    """A sentence for each mode that differs after `what`, a call or an import in words."""
    after = [read() for read in _READS]
    if after == before:
        return []
    modes = zip(_MODES, before, after, strict=True)
    return [
        f"{name} is {new} after {what} (it was {old})" for name, old, new in modes if new != old
    ]


def _restore_modes(before: list[Any]) -> None:
    for (read, write), old in zip(_MODES.values(), before, strict=True):
        if read() != old:
            write(old)


class _Surroundings:
    """What a call finds, except for modes."""

    def __init__(self, target: str, arguments: Any, is_thorough: bool) -> None:
        self._target, self._arguments, self._is_thorough = target, arguments, is_thorough
        self._allowed = _ALLOWED.get(target, set())
        self.ignores_random = False  # Python's generator
        self._threads = threading.active_count()
        self._containers = list(_containers(arguments))
        if is_thorough:
            self._generators = global_generators()
            self._sums_before = self._checksums()
            self._autograd_before = self._autograd()
            self._names = _names()

    def check(self, error: Exception | None) -> None:
        """Raises LeftChanged if something is not as it was."""
        if error is not None and self._target in _UNCHANGED_IF_RAISED:
            self._allowed = set()
        for changed in self._changes():
            raise LeftChanged(f"{self._target} leaves {changed}") from error

    def _changes(self) -> Iterator[str]:
        """What is not as it was, each as the end of a sentence: `<target> leaves …`."""
        for container, items in self._containers:
            now = _items(container)
            if len(now) != len(items) or any(a is not b for a, b in zip(now, items, strict=True)):
                yield f"a {type(container).__name__} among its arguments changed; work on a copy"
        if threading.active_count() > self._threads:
            yield "a thread running"
        if not self._is_thorough:
            return
        if "arguments" not in self._allowed and self._sums_before != self._checksums():
            yield (
                "a tensor or an array among its arguments changed; work on a copy, and raise "
                "before anything changes"
            )
        if self._autograd_before != self._autograd():
            yield "a tensor among its arguments with a gradient, or requiring one; detach it first"
        if "generators" not in self._allowed:
            for name in _changed_generators(self._generators):
                if not (name == "random" and self.ignores_random):
                    yield _GENERATOR.format(name)
        new = _names() - self._names
        if new and (unnamed := new - _named(self._arguments)):
            yield f"a file in the working folder: {min(unnamed)}"

    def _checksums(self) -> list[int]:
        """A checksum of each tensor and array among the arguments."""
        leaves = (elements(v) if type(v) is torch.Tensor else v for v in _leaves(self._arguments))
        arrays = (leaf for leaf in leaves if type(leaf) is np.ndarray)
        return [zlib.crc32(np.ascontiguousarray(array).data) for array in arrays]

    def _autograd(self) -> list[tuple[bool, bool]]:
        """Whether each tensor among the arguments requires a gradient, and whether it has none."""
        return [(t.requires_grad, t.grad is None) for t in _tensors(self._arguments)]


def unusual_setting(target: str, problem: str) -> str:
    """The setting of `_other_settings` that may have caused a problem of a call; "" if none has."""
    if target in _FLOAT32 and any(name in problem for name in ("torch.float64", "f64[", "double")):
        return "every second call meets float64 as the default dtype: name yours"
    if target in _WITHOUT_AUTOGRAD and "does not require grad" in problem:
        return "every third call is made with gradients disabled: use torch.enable_grad()"
    return ""


@contextmanager
def _other_settings(target: str, number: int) -> Iterator[None]:
    """Makes float64 the default dtype in every second call of functions that must name their dtype,
    and disables gradients in every third call of functions that need none."""
    if target not in _WITHOUT_AUTOGRAD:  # which those of `_FLOAT32` are in
        yield
        return
    dtype, is_enabled = torch.get_default_dtype(), torch.is_grad_enabled()
    if target in _FLOAT32 and not number % 2:
        torch.set_default_dtype(torch.float64)
    if number % 3 == 2:
        torch.set_grad_enabled(False)
    try:
        yield
    finally:
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(is_enabled)


def _check_memory(target: str, known: Any, result: Any) -> list[torch.Tensor]:
    """A result's tensors; raises LeftChanged if one shares memory with another or a known one."""
    seen = [elements(tensor) for tensor in _tensors(known)]
    seen += [leaf for leaf in _leaves(known) if type(leaf) is np.ndarray]
    tensors = _tensors(result)
    for tensor in tensors:
        try:
            found = elements(tensor)
        except (RuntimeError, TypeError):  # no tensor that could be an answer
            return []
        if any(np.may_share_memory(found, other) for other in seen):
            raise LeftChanged(
                f"{target} returned a tensor in the memory of an argument or another result; "
                "clone() it"
            )
        seen.append(found)
    return tensors


def _tensors(value: Any) -> list[torch.Tensor]:
    return [leaf for leaf in _leaves(value) if type(leaf) is torch.Tensor]


def global_generators() -> dict[str, Any]:
    """The states of the global generators, to be compared."""
    torchs = torch.default_generator.get_state()
    return {
        "random": random.getstate(),
        "numpy": ctypes.string_at(_NUMPYS_STATE, _NUMPYS_SIZE),
        "torch": ctypes.string_at(torchs.data_ptr(), torchs.numel()),
    }


def _filters() -> list[Any]:
    """The filters of warnings, without those for a library's own, set when it is loaded."""
    return [entry for entry in warnings.filters if entry[2].__module__ == "builtins"]


def _folder() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a path would take longer
    except FileNotFoundError:
        return "a folder that was removed"


def _changed_generators(before: dict[str, Any]) -> list[str]:
    return [name for name, state in global_generators().items() if state != before[name]]


def _names() -> set[str]:
    try:
        return set(os.listdir())  # noqa: PTH208 - a path would take longer than the list
    except OSError:  # no descriptor is left, or no folder
        return set()


def _items(container: Any) -> list[Any]:
    return [*container, *container.values()] if type(container) is dict else list(container)


def _outer_containers(value: Any) -> list[Any]:
    """The lists and dicts that a value is or has as items, not those within items."""
    parts = [value, *(_items(value)[:100] if type(value) in (list, tuple, dict) else ())]
    return [part for part in parts if type(part) in (list, dict)]


def _containers(value: Any) -> Iterator[tuple[Any, list[Any]]]:
    """The lists and dicts in arguments, each with its items."""
    if type(value) in (list, dict):
        yield value, _items(value)
    if type(value) in (list, tuple, dict):
        for item in _items(value):
            if type(item) in (list, tuple, dict):
                yield from _containers(item)


def _leaves(value: Any) -> Iterator[Any]:
    if type(value) in (list, tuple, dict):
        for item in _items(value):
            yield from _leaves(item)
    else:
        yield value


def _named(arguments: Any) -> set[str]:
    """What the arguments name in the working folder, by the first part of each path."""
    paths = [Path(value) for value in _leaves(arguments) if isinstance(value, str | Path)]
    near = (Path(os.path.relpath(path)) if path.is_absolute() else path for path in paths)
    return {path.parts[0] for path in near if path.parts}
