"""The assignment: its exercises, the code that drives them in tests, and the pytest plugin.

Public: this package is part of the handout, and imports nothing else of this repository.
"""

from pathlib import Path as _Path

PACKAGES = ("torch", "numpy", "einops", "jaxtyping")  # what the grader has, besides Python's own

for _name in PACKAGES:
    if (_Path(__file__).parents[1] / f"{_name}.py").exists():
        raise ImportError(f"{_name}.py in this folder hides the library {_name}: rename the file")
