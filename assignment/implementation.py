"""The implementation under test, as tests see it: `impl.flops.matmul_flops(1024, 256, 64)`.

`Implementation` is the interface. `LocalImplementation` imports the package into this process, so
that a breakpoint works; the grader's implementation calls a sandboxed worker. Both pass only plain
data, so that a test means the same with either.
"""

from __future__ import annotations

import importlib
import os
import random
import signal
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import torch

from assignment import file_calls, plain, programs, scenarios

DRIVERS = ("scenarios", "programs")  # modules of the assignment that drive a submission's code


class Package:
    """A package whose modules are imported when first used: `package.flops.matmul_flops`."""

    def __init__(self, name: str) -> None:
        self._name = name

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
            target: `<module>.<function>`, or `scenarios.<name>`.
            *args, **kwargs: plain data, as in `assignment/plain.py`; so is the result.
        """

    @abstractmethod
    def restart(self) -> None:
        """Continues in a fresh process, with nothing left in memory."""

    @abstractmethod
    def kill_during(self, delay: float, target: str, /, *args: Any, **kwargs: Any) -> bool:
        """Starts a call and kills its process after `delay` seconds; False if it ended earlier."""

    @abstractmethod
    def file_calls(
        self, target: str, /, *args: Any, **kwargs: Any
    ) -> tuple[Any, list[file_calls.Event]]:
        """Calls a function, and notes which files in `scratch` it syncs and renames.

        Returns:
            The function's result, and the events in order, as `file_calls.events` describes them.
        """

    @abstractmethod
    def peak_rss(self) -> int:
        """The peak memory of the process in bytes, measured from outside it."""

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


def resolve(package: Package, target: str) -> Callable[..., Any]:
    """The function of a target; scenarios and programs get the package as first argument."""
    module, _, name = target.partition(".")
    if module in DRIVERS:
        run = scenarios.find(name) if module == "scenarios" else getattr(programs, name)
        return lambda *args, **kwargs: run(package, *args, **kwargs)
    function: Callable[..., Any] = getattr(getattr(package, module), name)
    return function


def seed_everything(seed: int) -> None:
    """Seeds the global generators of random, numpy and torch."""
    random.seed(seed)
    np.random.seed(seed % 2**32)
    # Without CUDA, torch.manual_seed would also queue, with a stack trace, a seed for its devices.
    (torch.manual_seed if torch.cuda.is_available() else torch.default_generator.manual_seed)(
        seed % 2**63
    )


class LocalImplementation(Implementation):
    """An implementation imported into this process from the package of this name."""

    def __init__(self, package: str, scratch: Path) -> None:
        self._package = Package(package)
        self.scratch = scratch

    def call(self, target: str, /, *args: Any, **kwargs: Any) -> Any:
        function = resolve(self._package, target)
        result = function(
            *plain.copy(args, f"arguments of {target}"),
            **plain.copy(kwargs, f"arguments of {target}"),
        )
        return plain.copy(result, f"what {target} returned")

    def restart(self) -> None:
        """Does nothing: a local run trusts the code not to keep state in memory."""

    def kill_during(self, delay: float, target: str, /, *args: Any, **kwargs: Any) -> bool:
        if not hasattr(os, "fork"):
            _skip("killing a run half-way needs os.fork, which this system does not have")
        child = os.fork()
        if child == 0:
            try:
                self.call(target, *args, **kwargs)
            finally:
                os._exit(0)
        time.sleep(delay)
        os.kill(child, signal.SIGKILL)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    def file_calls(
        self, target: str, /, *args: Any, **kwargs: Any
    ) -> tuple[Any, list[file_calls.Event]]:
        with file_calls.noted(self.scratch, self._package._name) as calls:
            result = self.call(target, *args, **kwargs)
        return result, file_calls.events(calls, file_calls.names_in(self.scratch))

    def peak_rss(self) -> int:
        try:
            import resource
        except ImportError:
            _skip("this system does not report the peak memory of a process")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024


def _skip(reason: str) -> NoReturn:
    import pytest  # only tests can be skipped; a worker does not need pytest

    pytest.skip(reason)
