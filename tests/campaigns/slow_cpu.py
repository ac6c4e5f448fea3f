"""A plugin of pytest: workers seem to need several times their CPU time, as on a slow machine.

`SLOW_CPU` in the environment is the factor. What depends on a worker's CPU time goes red, where
only a busy machine's wall time would not show it.
"""

import os

from grader.supervisor.process import Process

VARIABLE = "SLOW_CPU"


def pytest_configure() -> None:
    """Replaces what reads the time: in pytest's own process and in each of xdist's."""
    read, factor = Process.cpu, float(os.environ[VARIABLE])

    def slowed(process: Process) -> float | None:
        seconds = read(process)
        return None if seconds is None else factor * seconds

    Process.cpu = slowed  # type: ignore[method-assign]
