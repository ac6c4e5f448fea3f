"""Hides CUDA devices from a process: tests compute on the CPU, so that a GPU changes no mark.

A process that has asked CUDA for its devices cannot fork: in its children every backward pass and
every use of the device fails. The grader forks a worker for each test, and a test may fork to kill
a run half-way.
"""

from __future__ import annotations

import os

_HIDDEN = {"CUDA_VISIBLE_DEVICES": ""}  # the runtime reads it when it is first asked for devices


def hide() -> None:
    """Lets this process and its children see no CUDA device; call it before the first use of one.

    It may come after torch's import, which asks for none.
    """
    os.environ.update(_HIDDEN)


def hidden() -> dict[str, str]:
    """The variables of the environment that hide the devices; empty where they are not hidden."""
    return dict(_HIDDEN) if _HIDDEN.items() <= os.environ.items() else {}
