"""Imports torch for judge and zygote: on one thread, without its compiler.

Import this module before torch.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from assignment.calls import devices

_COMPILER, _BACKEND = "torch._dynamo", "torch._inductor"
_SYMBOLS = "torch.fx.experimental.symbolic_shapes"


def load_torch(with_devices: bool = False) -> None:
    """Imports torch and what its first steps import. This process keeps a single thread.

    One thread gives the same last bits on every machine, and a fork after a parallel region would
    hang. numpy starts threads when it is imported if the environment asks for them, as clusters
    often do: the variables are set first.

    Args:
        with_devices: keeps the machine's CUDA devices visible and runs no training step. The first
            backward pass starts a thread for each visible device, and an optimizer initializes
            CUDA; after either, forks of this process could not train.
    """
    if not with_devices:
        devices.hide()
    for name in ("OMP", "MKL", "OPENBLAS"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    gc.disable()  # there is no garbage yet, and hundreds of thousands of objects to visit
    try:
        import torch

        torch.set_num_threads(1)
        if _COMPILER not in sys.modules:
            folder = Path(torch.__file__).with_name("_dynamo")
            sys.modules[_COMPILER] = torch._dynamo = LazyCompiler(_COMPILER, folder)
        if _BACKEND not in sys.modules:
            torch._inductor = LazyBackend(_BACKEND)
            torch._inductor.config = LazyBackend(f"{_BACKEND}.config")
            sys.modules |= {m.__name__: m for m in (torch._inductor, torch._inductor.config)}
        if _SYMBOLS not in sys.modules:
            parent = import_module("torch.fx.experimental")
            sys.modules[_SYMBOLS] = LazySymbols(_SYMBOLS)
            vars(parent)["symbolic_shapes"] = sys.modules[_SYMBOLS]
        if not with_devices:
            devices.start_no_driver()  # or the backward pass starts threads, which forbid forks
            # A training step: what it imports and starts, every fork has.
            weight = torch.ones(1, requires_grad=True)
            torch.autograd.backward(weight * 1, torch.ones(1))
            torch.optim.AdamW([weight]).step()
    finally:
        gc.freeze()  # no later collection looks through it
        gc.enable()


class _LazyModule(ModuleType):
    """Stands in for a module until code uses more of it than this object has.

    Any other attribute, a submodule included, replaces this object by the real module.
    """

    is_package = False

    def __getattr__(self, name: str) -> Any:
        # `__path__` is asked for when a submodule is imported.
        if name.startswith("__") and not (self.is_package and name == "__path__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            self.leave()
        return getattr(import_module(self.__name__), name)

    def leave(self) -> None:
        """Makes room for the real module."""
        del sys.modules[self.__name__]


class LazyCompiler(_LazyModule):
    """Stands in for the module `torch._dynamo`.

    The first optimizer step imports `torch._dynamo`, which has 800 modules, only to call `disable`
    and `graph_break`, which do nothing outside of a compilation. Checkpointing reads the compiler's
    settings: only that file is loaded.

    Gain: without it `load_torch` takes 1.5 times the CPU time and 1.16 times the memory (302 MiB in
    place of 262).
    """

    is_package = True

    def __init__(self, name: str, folder: Path) -> None:
        super().__init__(name)
        spec = spec_from_file_location(f"{name}.config", folder / "config.py")
        assert spec is not None
        assert spec.loader is not None
        self.config = sys.modules[spec.name] = module_from_spec(spec)
        spec.loader.exec_module(self.config)

    def disable(self, fn: Callable[..., Any] | None = None, *_: Any, **__: Any) -> Any:
        """The function itself, or a decorator that returns it."""
        return fn if fn is not None else lambda function: function

    def graph_break(self, *_: Any, **__: Any) -> None:
        """Does nothing: there is no graph."""

    def leave(self) -> None:
        super().leave()
        del sys.modules[self.config.__name__]


class LazyBackend(_LazyModule):
    """Stands in for the module `torch._inductor`, and for its settings.

    `torch.use_deterministic_algorithms` writes one of them.

    Gain: without it that call loads the compiler: 1.2 s and 70 MiB in each worker.
    """

    is_package = True


class LazySymbols(_LazyModule):
    """Stands in for the module `torch.fx.experimental.symbolic_shapes`, which imports sympy.

    A backward pass that is given gradients imports it to compare their shapes with the outputs'.

    Gain: without it `load_torch` takes 1.25 times the CPU time and 1.14 times the memory (281 MiB
    in place of 246).
    """

    def expect_true(self, a: Any, skip: int = 0) -> bool:
        """A bool itself; a symbol is the real module's."""
        return a if type(a) is bool else self.__getattr__("expect_true")(a, skip + 1)

    def sym_eq(self, x: Any, y: Any) -> Any:
        """Whether two shapes of ints are equal; all else is the real module's."""
        shapes = isinstance(x, tuple) and isinstance(y, tuple)
        if shapes and all(type(n) is int for n in (*x, *y)):
            return x == y
        return self.__getattr__("sym_eq")(x, y)
