"""Hides CUDA devices from a process: tests compute on the CPU, so that a GPU changes no mark.

There is a second reason. A process that has asked CUDA for its devices cannot fork: in its children
every backward pass and every use of the device fails. The grader forks a worker for each test, and
a test may fork to kill a run half-way.
"""

from __future__ import annotations

import os

_HIDDEN = {"CUDA_VISIBLE_DEVICES": ""}  # CUDA reads it when it is first asked for devices


def hide() -> None:
    """Hides all CUDA devices from this process and its children; call it before using a device.

    It may be called after importing torch, since the import does not ask for devices.
    """
    os.environ.update(_HIDDEN)


def visible() -> dict[str, str]:
    """The environment variables that say which CUDA devices this process may see, if any do."""
    return {name: os.environ[name] for name in _HIDDEN if name in os.environ}
