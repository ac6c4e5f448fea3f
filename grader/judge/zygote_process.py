"""Starts the zygote's process: with which options, and in which environment."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

from grader.paths import REPOSITORY

# No user site (-s), and neither the working directory nor a script's folder on the path (-P). -I
# would do both, and would also ignore the one variable of Python's that the zygote needs.
_OPTIONS = ("-s", "-P", "-X", "utf8")
# Sets of text keep one order in every grading, so that the same code gets the same mark. Who knows
# the seed can slow down their own dicts only; the judge, which reads their answers, has another.
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
# The path holds this package alone. The zygote drops it again, and no worker can read it.
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.worker.zygote import main; main(int(sys.argv[2]))"
)


def start_zygote(control: int, log: IO[bytes], device: str | None) -> subprocess.Popen[bytes]:
    """Starts a zygote.

    Args:
        control: the descriptor on which it is asked for workers.
        log: takes what it prints.
        device: the UUID of the CUDA device that its workers see; None for none.
    """
    return subprocess.Popen(
        [sys.executable, *_OPTIONS, "-c", _BOOT, str(REPOSITORY), str(control)],
        env=_ENVIRONMENT if device is None else _ENVIRONMENT | _environment_of(device),
        cwd="/",
        pass_fds=[control],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
    )


def _environment_of(device: str) -> dict[str, str]:
    """Shows one CUDA device; the driver's libraries are where they are for this process.

    By its UUID, since NVML and CUDA may number devices differently.
    """
    libraries = {k: os.environ[k] for k in ("LD_LIBRARY_PATH",) if k in os.environ}
    return {"CUDA_VISIBLE_DEVICES": device, **libraries}
