"""A plugin of pytest: workers seem to need several times their CPU time, as on a slow machine.

`SLOW_CPU` in the environment is the factor. What depends on a worker's CPU time goes red, where
only a busy machine's wall time would not show it.
"""

import os

from grader.judge.process import Process

VARIABLE = "SLOW_CPU"
_read = Process.cpu


def _slowed(process: Process) -> float | None:
    seconds = _read(process)
    return None if seconds is None else float(os.environ[VARIABLE]) * seconds


Process.cpu = _slowed  # type: ignore[method-assign]
