"""The judge's side of one worker: checks its lockdown, calls it, ends it."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from assignment.calls.implementation import Calls
from assignment.manifest import Limits
from grader import trace
from grader.faults import GraderFault, SubmissionFailure, WorkerEnded, trusted
from grader.isolation import UNISOLATED
from grader.supervisor.budget import TimeBudget
from grader.supervisor.callbacks import Callbacks
from grader.supervisor.channel import Channel
from grader.supervisor.control import PendingReply
from grader.supervisor.meter import LimitChecker, Meter, WallTimer
from grader.supervisor.process import WorkerProcess
from grader.supervisor.watching import FileCalls
from grader.supervisor.zygote import Zygote
from grader.wire import claims

_LOCKDOWN_SECONDS = 120.0  # on the wall: what a worker does until "go" takes milliseconds


class Worker:
    """A worker process, which may not have been forked yet, and its answers to calls.

    The grading's budget says when there is no time left, and pays for waits.
    """

    def __init__(self, zygote: Zygote, process: WorkerProcess, budget: TimeBudget) -> None:
        self._zygote, self.process, self._budget = zygote, process, budget
        self.channel = Channel(process.connection, process.output, process.listener)
        if isinstance(process.listener, FileCalls):
            process.listener.look = self._look_at_files
        self._meter: Meter | None = None  # this and the next two from "go" on
        self._checker: LimitChecker | None = None
        self._ended_on_a_full_disk = False
        self._seconds = 0.0
        self._is_ready = False
        self._keeps_scratch = False  # after its end
        self.probes: dict[str, str] = {}  # what it tried in its lockdown, and the errors it met
        self.scratch_path = ""  # as the worker sees it

    def __repr__(self) -> str:
        return f"<Worker {self.process.scratch.name} charged {self.charged:.3f} s>"

    def wait_until_ready(self) -> None:
        """Waits until the worker is locked down, and checks that from outside.

        Raises:
            GraderFault: the lockdown failed, or does not hold. No code of the submission has run.
            Killed: a SIGKILL ended it.
        """
        # `pid` waits for the fork, which takes any time: the zygote may be busy with earlier ones.
        trace.event("forked", self.process.pid)
        with trusted("a worker ended in its lockdown"), self._alive():
            report, _ = self.channel.receive(WallTimer(_LOCKDOWN_SECONDS))
        if "lockdown" in report:
            raise GraderFault(f"a worker could not be locked down: {report['lockdown']}")
        self.probes = json.loads(report["probes"])
        self.probes["a user of its own"] = "yes" if self._zygote.own_uids else "no: the judge's"
        self.probes["control group"] = self._zygote.control_group
        self.scratch_path = report["scratch"]
        if self.process.listener is not None:
            self.process.listener.take_descriptor()
        if self._zygote.tier != UNISOLATED:
            allowed = [name for name, met in self.probes.items() if met == "allowed"]
            if allowed:
                raise GraderFault(f"a worker is not isolated, it could: {', '.join(allowed)}")
            self.process.check_lockdown(self._zygote.tier, self._zygote.own_uids)
        self._is_ready = True
        trace.event("locked down", self.process.pid)

    def go(self, package: str, limits: Limits, seed: int) -> None:
        """Lets the worker import the submission's package from now on, under these limits.

        Raises:
            GraderFault: it ended before that; no code of the submission has run.
            Killed: a SIGKILL ended it.
        """
        self._seconds = limits.seconds
        state, scratch = self.process.state, self.process.scratch
        folders = self._zygote.unbounded_folders(scratch.name)
        unlinked = functools.partial(self._zygote.unlinked_bytes, state.pid, scratch.uid)
        self._checker = LimitChecker(state, limits, folders, unlinked, self._zygote.has_device)
        self._meter = Meter(
            state,
            self.channel.is_judges_turn,
            self._budget.check_end,
            self._checker,
            self.process.resume,
            self._budget.wait_for_disk,
        )
        request = {"package": package, "seed": seed, "files": limits.files}
        request |= {"memory_mib": limits.memory_mib, "address_space": limits.address_space}
        with trusted("a worker ended before its test"), self._alive():
            answer, _ = self.channel.ask(request, WallTimer(_LOCKDOWN_SECONDS))
        if "failed" in answer:
            raise GraderFault(f"a worker failed before its test: {answer['failed']}")
        trace.event("go", self.process.pid)

    def kill(self, keep_scratch: bool = False) -> None:
        """Ends the worker. A second call may remove the scratch folder that the first one kept."""
        if self.process.is_killed:
            if self._keeps_scratch and not keep_scratch:
                self._keeps_scratch = False
                self._zygote.discard(self.process.scratch.name)
            return
        self._keeps_scratch = keep_scratch
        if self._meter is not None:
            self._meter.end()  # a call that is cut off is charged as well
        self.process.kill(keep_scratch)
        if self._is_ready:
            trace.event(f"killed, charged {self.charged:.3f} s", self.process.pid)

    def stop(self) -> None:
        """Stops all of its threads, until `resume`; raises SubmissionFailure if it has ended."""
        with self._alive():
            self.process.stop()

    def resume(self) -> None:
        """Continues it after `stop`; raises SubmissionFailure if it has ended."""
        with self._alive():
            self.process.resume()

    @property
    def charged(self) -> float:
        """Seconds of CPU, the judge's for its messages too, and of sleep since "go"."""
        return self._meter.charged if self._meter else 0.0

    def peak_rss(self) -> int:
        """The most memory that it ever held, in bytes; raises SubmissionFailure if it has ended."""
        with self._alive():
            return self.process.peak_rss()

    def is_disk_full(self) -> bool:
        """Whether the disk has no room for what the worker may still write."""
        checker = self._checker
        return self._ended_on_a_full_disk or (checker is not None and checker.is_disk_full())

    def _look_at_files(self, descriptor: int) -> PendingReply:
        return self._zygote.look_at_files(self.process.scratch, self.process.pid, descriptor)

    @contextmanager
    def _alive(self) -> Iterator[None]:
        """Reaps a worker that ends, or closes its channel, meanwhile; the failure raised says how.

        Raises GraderFault if `kill` has ended it: what it was connected to is closed.
        """
        self._check_not_killed()
        try:
            yield
        except WorkerEnded:
            raise self._end_of_process() from None

    def _check_not_killed(self) -> None:
        if self.process.is_killed:
            raise GraderFault("a worker was used after its end")

    def _end_of_process(self) -> SubmissionFailure:
        """Reaps a worker that ended, or closed its channel; returns the failure that says how."""
        self._ended_on_a_full_disk = self.is_disk_full()  # before its files go, which makes room
        self.kill(keep_scratch=True)
        return self.process.exit_failure()

    def call(
        self,
        target: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        seconds: float | None = None,
    ) -> Any:
        """Calls a target and returns its result. `seconds` replaces the test's limit.

        Raises:
            SubmissionFailure: no usable answer came; the worker is gone, or must be ended.
            Exception: of the nearest built-in class, if the submission's code raised.
            AssertionError, KillProcess: a function of the test raised it; the worker is gone.
            plain.NotPlainData: an argument cannot be sent; the worker is gone.
            GraderFault: the grader failed; the worker is gone if the request had begun.
        """
        trace.event(f"call {target}", self.process.pid)
        request = {"call": target, "args": args, "kwargs": kwargs}
        return claims.result(self._ask_metered(request, seconds), target)

    def call_all(self, calls: Calls, seconds: float) -> list[Any]:
        """Calls targets in order: `Implementation.call_all`. Raises what ends the worker."""
        trace.event(f"{len(calls)} calls", self.process.pid)
        answer = self._ask_metered({"calls": list(calls)}, seconds)
        return claims.results(answer, [target for target, _, _ in calls])

    def iterate(
        self,
        target: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        seconds: Callable[[], float],
    ) -> Iterator[Any]:
        """Calls a target that returns an iterable; each `next` asks the worker for one more item.

        The call itself is made immediately. `seconds` gives what it, and each later request, may
        be charged. Both raise what `call` raises, and in both the test's functions can be used.
        """
        trace.event(f"iterate {target}", self.process.pid)
        callbacks = Callbacks()
        request = {"call": target, "args": args, "kwargs": kwargs, "iterate": True}
        claims.result(self._ask_metered(request, seconds(), callbacks), target)
        iterator = self.channel.call_id

        def items() -> Iterator[Any]:
            while True:
                answer = self._ask_metered({"next": iterator}, seconds(), callbacks)
                if claims.is_end(answer):
                    return
                yield claims.result(answer, target)

        return items()

    def compile(self, files: Sequence[str], seconds: float) -> dict[str, bytes]:
        """The bytecode of those of the submission's files that can be compiled."""
        trace.event("compile", self.process.pid)
        return claims.bytecode(self._ask_metered({"compile": list(files)}, seconds), files)

    def import_module(
        self, module: str, functions: list[str], seconds: float
    ) -> claims.ImportReport:
        """Imports one module."""
        trace.event(f"import {module}", self.process.pid)
        answer = self._ask_metered({"import": module, "functions": functions}, seconds)
        return claims.import_report(answer)

    def begin_next_test(self, seed: int) -> None:
        """Lets it import the package anew, and seeds it; raises SubmissionFailure if it cannot."""
        trace.event("next test", self.process.pid)
        self._ask_metered({"seed": seed}, None)

    def _ask_metered(
        self, request: Any, seconds: float | None, callbacks: Callbacks | None = None
    ) -> Any:
        """Asks the submission's code, which may be charged `seconds`, or else the test's limit.

        Limits are checked first, then that the worker has not spoken. Meanwhile it may use the
        functions among the arguments: while the judge runs one, the worker's sleep is free and its
        CPU time is not. All that they are given and give, and the answer, must fit into one
        message; so must the items of an iterator together. After any exception but
        SubmissionFailure, once the request has begun, the worker is ended; after that one the
        caller ends it.
        """
        assert self._meter is not None, "go() comes before the first call"
        meter = self._meter
        (callbacks := callbacks or Callbacks()).begin()
        self._check_not_killed()
        meter.begin(self._seconds if seconds is None else seconds)
        try:
            message, callbacks.room = self.channel.ask(
                request, meter, callbacks.add, callbacks.room
            )
            while (use := callbacks.use_in(message)) is not None:
                with meter.paused():
                    reply = callbacks.run(use)
                # Uses that were sent ahead are read without a wait, in which these are checked.
                meter.check(waiting=False)
                self._check_not_killed()  # the function may have ended it
                callbacks.room = self.channel.reply(reply, meter, callbacks.room)
                message, callbacks.room = self.channel.receive(meter, callbacks.room)
            return message
        except WorkerEnded:
            raise self._end_of_process() from None
        except SubmissionFailure:
            raise
        except BaseException:  # the worker is in the midst of this request: it can take no other
            with suppress(GraderFault):  # the first exception says more
                self.kill(keep_scratch=True)
            raise
        finally:
            meter.end()
            trace.event("done", self.process.pid)
