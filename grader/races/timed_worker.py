"""One party's worker in a block of a race, with the program prepared, on the judge's clock."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from grader.races.on_device import DeviceTest
from grader.supervisor.pool import WorkerPool
from grader.supervisor.worker import Worker


class TimedWorker:
    """Runs one party's program in a block.

    On a CPU it keeps one worker, all of whose threads are stopped while others run. So runs can
    alternate within milliseconds, faster than a busy machine changes its speed. On a CUDA device a
    stopped process may have left kernels running, so a worker is ended before others run. It makes
    several runs first: a new worker takes seconds to start.
    """

    def __init__(
        self,
        test: DeviceTest,
        pool: WorkerPool,
        seed: int,  # draws the program's inputs
        timeouts: tuple[float | None, float | None],  # as `Race` has them
        warm_ups: int,
    ) -> None:
        self._test, self._pool, self._inputs = test, pool, test.inputs(seed)
        self._timeouts, self._warm_ups = timeouts, warm_ups
        self._worker: Worker | None = None
        self.warm_up_seconds = 0.0  # the longest

    def run(self, starts: Sequence[int], seconds: float) -> tuple[float, list[Any]]:
        """Runs the program from one start after the other, until the runs took `seconds`.

        Returns the mean seconds of a run, and the outputs. The mean, since a device that limits its
        power is faster after a pause and slower later.
        """
        worker = self._ready()
        clock = self._test.device.clock
        took, outputs = [], []
        for start in starts:
            begun = clock(worker.process.pid)
            output = worker.call("programs.run", (self._test.program, start), {}, self._timeouts[1])
            took.append(clock(worker.process.pid) - begun)
            outputs.append(output)
            if sum(took) >= seconds:
                break
        self._pause(worker)
        return statistics.mean(took), outputs

    def exact(self, start: int) -> Any:
        """The result of a run from this start state, with next to no rounding: `programs.exact`."""
        worker = self._ready()
        result = worker.call("programs.exact", (*self._inputs, start), {})
        self._pause(worker)
        return result

    def close(self) -> None:
        """Ends the worker."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _ready(self) -> Worker:
        """Returns the worker, prepared and running."""
        if self._worker is not None:
            self._worker.resume()
            return self._worker
        # Of the process's global generators; the inputs have a seed of their own.
        seed = int(self._test.rng.integers(2**63))
        worker = self._worker = self._pool.start(self._test.limits, seed)
        self._test.device.pin_to_core(worker.process.pid)
        clock, warm_ups = self._test.device.clock, {"warm_ups": self._warm_ups}
        begun = clock(worker.process.pid)
        worker.call("programs.prepare", self._inputs, warm_ups, self._timeouts[0])
        self.warm_up_seconds = max(self.warm_up_seconds, clock(worker.process.pid) - begun)
        return worker

    def _pause(self, worker: Worker) -> None:
        """Stops or ends the worker, so that the other party can run."""
        if self._test.device.keeps_workers:
            worker.stop()
        else:
            self.close()
