"""A submission whose marks hang on chance: on the order of sets, and on what an import draws."""

from __future__ import annotations

from assignment import manifest
from tests.harness.container import REPOSITORY

# Laid after the reference's modules. Each function is right, wrong, unfinished or broken by the
# order of a set; each of some other modules can be imported or not by what it draws meanwhile. Two
# gradings agree by accident once in millions.
BY_ORDER = """
import functools

def _fickle(function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        first = next(iter({f"{function.__name__} {i}" for i in range(4)}))
        match first[-1]:
            case "0":
                return function(*args, **kwargs)
            case "1":
                raise NotImplementedError
            case "2":
                raise KeyError
        return None
    return call

for name in NAMES:
    globals()[name] = _fickle(globals()[name])
"""
BY_IMPORT = """
import random

if random.random() < 0.5:
    raise ValueError("unlucky")
"""
ORDERED, DRAWN = ("strides", "dtypes"), ("named_axes", "initialization", "gradients", "seeding")


def modules() -> dict[str, str]:
    """The text of each module by its name."""
    assignment = manifest.load()
    reference = REPOSITORY / "solutions" / assignment.package
    texts = {name: (reference / f"{name}.py").read_text() for name in (*ORDERED, *DRAWN)}
    for name in ORDERED:
        texts[name] += BY_ORDER.replace("NAMES", repr(assignment.functions_of(name)))
    for name in DRAWN:
        texts[name] += BY_IMPORT
    return texts
