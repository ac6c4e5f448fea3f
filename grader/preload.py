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

from assignment import devices

_COMPILER = "torch._dynamo"


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
        if not with_devices:
            weight = torch.ones(1, requires_grad=True)
            torch.autograd.backward(weight * 1, torch.ones(1))  # imports sympy
            torch.optim.AdamW([weight]).step()
    finally:
        gc.enable()


class LazyCompiler(ModuleType):
    """Stands in for the module `torch._dynamo` until code uses the compiler.

    The first optimizer step imports `torch._dynamo`, which has 800 modules, only to call `disable`
    and `graph_break`, which do nothing outside of a compilation. Checkpointing reads the compiler's
    settings: only that file is loaded. Any other attribute, a submodule included, replaces this
    object by the real module.

    Gain: without it `load_torch` takes 1.5 times the CPU time and 1.16 times the memory (302 MiB in
    place of 262).
    """

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

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # `__path__`: a submodule is imported
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__], sys.modules[self.config.__name__]
        return getattr(import_module(self.__name__), name)
