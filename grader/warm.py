"""Loads torch as judge and zygote both want it: on one thread, fast, and without its compiler.

Imported before torch is.
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
    """Imports torch, and what its first steps import; there is one thread before and after.

    One thread gives the same last bits everywhere, and a fork after a parallel region would hang.
    A cluster's jobs often set other numbers of threads: numpy would start them when it is imported.
    Collections are put off: there is no garbage yet, and hundreds of thousands of objects to visit.

    Args:
        with_devices: leaves the machine's CUDA devices visible, and takes no step: the first
            backward pass starts a thread for each device, and an optimizer asks CUDA for them.
            Either would leave forks of this process unable to train.
    """
    if not with_devices:
        devices.hide()
    for name in ("OMP", "MKL", "OPENBLAS"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    gc.disable()
    try:
        import torch

        torch.set_num_threads(1)
        if _COMPILER not in sys.modules:
            folder = Path(torch.__file__).with_name("_dynamo")
            sys.modules[_COMPILER] = torch._dynamo = Uncompiled(_COMPILER, folder)
        if not with_devices:
            weight = torch.ones(1, requires_grad=True)
            torch.autograd.backward(weight * 1, torch.ones(1))  # loads sympy
            torch.optim.AdamW([weight]).step()
    finally:
        gc.enable()


class Uncompiled(ModuleType):
    """Stands for torch's compiler until somebody wants to compile.

    The first step of an optimizer imports the compiler, 800 modules and 70 MB, only to tell it to
    look away: `disable` and `graph_break` do nothing where nothing is being compiled. Of its
    settings, which checkpointing reads, the file is loaded alone. Whatever else is asked for, a
    submodule included, loads the real one in this one's place.
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
        """Nothing: there is no graph."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__path__":  # `__path__`: a submodule is imported
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__], sys.modules[self.config.__name__]
        return getattr(import_module(self.__name__), name)
