"""A simulated device whose time is known exactly, for tests of timing without an accelerator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class SimulatedDevice:
    """A device that works asynchronously, with a simulated clock. All times are in seconds.

    Its methods are passed to the code under test. They run in the test's own process: what the
    clock says depends on what was called before, and nobody else knows the costs.
    """

    launches: Sequence[float]  # what call i of `function` takes, while the device goes on
    works: Sequence[float]  # the work that call i then adds to the queue
    queued: float = 0.0  # work in the queue
    now: float = 0.0  # what the clock says
    reading: float = 0.0  # what each reading of the clock takes
    calls: int = field(default=0, init=False)  # of `function`

    def __post_init__(self) -> None:
        self._costs = list(zip(self.launches, self.works, strict=True))

    def function(self) -> None:
        """The function to time: queues work, which the device does in the meantime."""
        launch, work = self._costs[self.calls % len(self._costs)]
        self.calls += 1
        self.now += launch
        self.queued = max(0.0, self.queued - launch) + work

    def synchronize(self) -> None:
        """Waits until the queue is empty."""
        self.now += self.queued
        self.queued = 0.0

    def clock(self) -> float:
        """The time in seconds."""
        self.now += self.reading
        return self.now
