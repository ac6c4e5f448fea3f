"""Small public programs that drive the student's code and return plain data.

A test calls one like a function: `impl.scenarios.optimizer_steps(...)`. It runs in the process of
the student's code, which is the test's own process or the grader's worker, with the student's
package as first argument.

A submission controls its worker, so what a scenario says of what happened there is no evidence. A
test judges values that need the work, on inputs drawn at that moment, uses of its own functions,
files (`calls/readers.py`), and memory and the end of the process from outside.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

_SCENARIOS: dict[str, Callable[..., Any]] = {}


def scenario(function: F) -> F:
    """Registers a scenario under its name. Its first parameter is the student's package."""
    if function.__name__ in _SCENARIOS:
        raise ValueError(f"two scenarios are called {function.__name__!r}; rename one")
    _SCENARIOS[function.__name__] = function
    return function


def find(name: str) -> Callable[..., Any]:
    """The scenario with this name; raises LookupError if there is none."""
    load_all()
    try:
        return _SCENARIOS[name]
    except KeyError:
        raise LookupError(f"no scenario is called {name!r}: {', '.join(_SCENARIOS)}") from None


@functools.cache  # it lists a folder
def load_all() -> None:
    """Imports every module of this package, so that each scenario is registered."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
