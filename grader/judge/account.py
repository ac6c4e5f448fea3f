"""What the workers of one test were charged, and what they printed."""

from __future__ import annotations

from grader.judge.worker import Worker


class Account:
    """Adds up what the test's workers do, one after the other. A worker may have had tests before.

    Attributes:
        has_earlier_tests: whether the present worker had one.
    """

    def __init__(self) -> None:
        self._charged, self._printed = 0.0, ""  # by workers that are gone
        self._worker: Worker | None = None
        self._charged_before, self._printed_before = 0.0, 0  # the present one, before this test
        self.has_earlier_tests = False

    def begin(self, worker: Worker, has_earlier_tests: bool = False) -> None:
        """Counts what this worker does from now on."""
        self._worker, self.has_earlier_tests = worker, has_earlier_tests
        self._charged_before = worker.charged if has_earlier_tests else 0.0
        self._printed_before = len(worker.output) if has_earlier_tests else 0

    def end(self) -> None:
        """The present worker is gone, or is another test's."""
        self._charged, self._printed = self.charged, self.output
        self._worker, self.has_earlier_tests = None, False

    @property
    def charged(self) -> float:
        """Seconds of CPU and of sleep."""
        now = self._worker.charged - self._charged_before if self._worker else 0.0
        return self._charged + now

    @property
    def output(self) -> str:
        """What the submission's code printed until now, up to a cap."""
        now = self._worker.output[self._printed_before :] if self._worker else ""
        return self._printed + now
