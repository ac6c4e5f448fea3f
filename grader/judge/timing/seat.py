"""Where one party sits in a quad: a worker with the program prepared, on the judge's clock."""

from __future__ import annotations

from typing import Any

from grader.judge.proxy import Workers
from grader.judge.timing.contest import Contest
from grader.judge.worker import Worker


class Seat:
    """One party's place in a quad.

    On a CPU it keeps its worker, which stands still, every thread of it, while others run: so
    runs can alternate within milliseconds, faster than a busy machine changes its speed. On a CUDA
    device, where a process that stands still may have left kernels behind, each run has a new one.

    Args:
        contest: what is run, where.
        workers: whose.
        seed: draws the program's inputs.
        patience: seconds that a warm-up and a run may take; None for the worker's limit.
    """

    def __init__(
        self,
        contest: Contest,
        workers: Workers,
        seed: int,
        patience: tuple[float | None, float | None],
    ) -> None:
        self._contest, self._workers, self._inputs = contest, workers, contest.inputs(seed)
        self._patience = patience
        self._worker: Worker | None = None
        self.prepared = 0.0  # seconds of its longest warm-up

    def run(self, start: int) -> tuple[float, Any]:
        """Runs the program once: its seconds, and its output."""
        worker = self._ready()
        clock = self._contest.device.clock
        begun = clock(worker.pid)
        output = worker.call("programs.run", (self._contest.program, start), {}, self._patience[1])
        took = clock(worker.pid) - begun
        self._leave(worker)
        return took, output

    def exact(self, start: int) -> Any:
        """The exact result of a run from this start."""
        worker = self._ready()
        exactly = worker.call("programs.exact", (*self._inputs, start), {})
        self._leave(worker)
        return exactly

    def close(self) -> None:
        """Ends the worker."""
        if self._worker is not None:
            self._worker.kill()
            self._worker = None

    def _ready(self) -> Worker:
        """The worker, prepared and running."""
        if self._worker is not None:
            self._worker.resume()
            return self._worker
        own_seed = int(self._contest.rng.integers(2**63))
        self._worker, _ = self._workers.start(self._contest.limits, own_seed)
        self._contest.device.settle(self._worker.pid)
        clock = self._contest.device.clock
        begun = clock(self._worker.pid)
        self._worker.call("programs.prepare", self._inputs, {}, self._patience[0])
        self.prepared = max(self.prepared, clock(self._worker.pid) - begun)
        return self._worker

    def _leave(self, worker: Worker) -> None:
        """Lets the other party run."""
        worker.check_limits()
        if self._contest.device.keeps_workers:
            worker.pause()
        else:
            self.close()
