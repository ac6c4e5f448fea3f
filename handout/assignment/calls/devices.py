"""Hides CUDA devices from a process: tests compute on the CPU, so that a GPU changes no mark.

There is a second reason. A process that has asked CUDA for its devices cannot fork: in its children
every backward pass and every use of the device fails. The grader forks a worker for each test, and
a test may fork to kill a run half-way.
"""

from __future__ import annotations

import os
import warnings

_VARIABLE = "CUDA_VISIBLE_DEVICES"  # CUDA reads it when it is first asked for devices
_before: dict[str, str] | None = None  # what `visible` returned when `hide` was first called


def hide() -> None:
    """Hides all CUDA devices from this process and its children; call it before using a device.

    It may come after importing torch, which does not ask for devices. `allowed` remembers them.
    """
    global _before
    if _before is None:
        _before = visible()
    os.environ[_VARIABLE] = ""


def start_no_driver() -> None:
    """Makes torch count its CUDA devices now, while no file can be opened, so that it finds none.

    Otherwise torch starts the driver to count them, even if they are hidden: in the first backward
    pass, at the latest. The driver runs threads, and a process with threads cannot be forked
    safely. torch counts once: this result stays true for the process. Call it after `hide`.
    """
    import torch

    count = getattr(torch._C, "_cuda_getDeviceCount", None)  # builds without CUDA have none
    if count is None:
        return
    try:
        import resource
    except ImportError:  # Windows, where nothing can be forked
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, hard))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the driver cannot be started
            count()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def visible() -> dict[str, str]:
    """The environment variable that says which CUDA devices this process may see, if it is set."""
    return {_VARIABLE: os.environ[_VARIABLE]} if _VARIABLE in os.environ else {}


def allowed() -> list[str] | None:
    """The devices that this process was started with, by number or UUID; None for all."""
    found = (visible() if _before is None else _before).get(_VARIABLE)
    return None if found is None else [name.strip() for name in found.split(",") if name.strip()]
