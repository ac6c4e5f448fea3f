"""The judge's end of one worker: starts it, checks its lockdown, calls it, ends it."""

from __future__ import annotations

import contextlib
import functools
import os
import select
import signal
import socket
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assignment.manifest import Limits
from grader import wire
from grader.isolation import DISK_FILES, DISK_MIB
from grader.judge import process
from grader.judge.claims import claimed, failure_detail
from grader.judge.failure import GraderFault, Killed, SubmissionFailure, raised_by_submission
from grader.judge.meter import Meter, Process, Timer, WallTimer
from grader.judge.zygote import Answer, Started, Zygote
from grader.results.causes import Cause

_LOCKDOWN_SECONDS = 120.0  # on the wall: what a worker does until "go" takes milliseconds
_OUTPUT_CAP = 64 * 1024  # bytes of stdout and stderr that are kept
_CHECK_SECONDS = 0.05  # the least between two checks of what a worker holds
_CUT = 4000

_CAUSES = {
    cause.value: cause
    for cause in (
        Cause.NOT_STARTED,
        Cause.MISSING,
        Cause.IMPORT_FAILED,
        Cause.WRONG_SIGNATURE,
        Cause.EXCEPTION,
        Cause.NOT_PLAIN_DATA,
        Cause.MEMORY,
    )
}


class Worker:
    """One process of the submission's. It is killed at the end, whatever it is doing then."""

    def __init__(
        self,
        zygote: Zygote,
        submission: Path,
        scratch: tuple[str, int],
        check_end: Callable[[], None] = lambda: None,
    ) -> None:
        self._zygote = zygote
        self._check_end = check_end  # raises when the grading has no time left
        self._meter: Meter | None = None  # from "go" on
        self._spawning = zygote.spawn(submission, *scratch)
        self._call_id = 0
        self._output = bytearray()
        self._limits: Limits | None = None
        self._memory_floor = 0
        self._checked = time.monotonic()  # what it holds
        self._ready = False
        self.probes: dict[str, str] = {}
        self.scratch = ""
        self._ended: Answer | None = None
        self._kept = False  # its scratch folder, after its end

    @functools.cached_property
    def _started(self) -> Started:
        return self._spawning.started()

    # --- life ----------------------------------------------------------------------------------

    def ready(self) -> None:
        """Waits until the worker is locked down, and checks it from outside.

        Raises:
            GraderFault: the lockdown failed, or does not hold. No code of the submission has run.
            Killed: somebody ended it from outside.
        """
        if self._ready:
            return
        _ = self._started  # however long that takes: the zygote may be busy with an earlier one
        try:
            report = self._receive(0, WallTimer(_LOCKDOWN_SECONDS))
        except Killed:
            raise
        except SubmissionFailure as failure:
            raise GraderFault(f"a worker ended in its lockdown: {failure.detail}") from failure
        if "lockdown" in report:
            raise GraderFault(f"a worker could not be locked down: {report['lockdown']}")
        own = "yes" if self._zygote.own_uids else "no: the judge's"
        group = self._zygote.control_group
        self.probes = {**report["probes"], "a user of its own": own, "control group": group}
        self.scratch = report["scratch"]
        if self._zygote.tier != "none":
            allowed = [name for name, met in self.probes.items() if met == "allowed"]
            if allowed:
                raise GraderFault(f"a worker is not isolated, it could: {', '.join(allowed)}")
            self._check_status()
        self._ready = True

    def go(self, package: str, limits: Limits, seed: int) -> None:
        """Lets the worker import the submission's package from now on, under these limits.

        Raises:
            GraderFault: it ended before that; no code of the submission has run.
            Killed: somebody ended it from outside.
        """
        self.ready()
        self._limits = limits
        self._memory_floor = process.resident(self._started.pid) or 0
        self._meter = Meter(Process(self._started.pid), self.answered, self._check_end)
        request = {
            "package": package,
            "memory_mib": limits.memory_mib,
            "address_space": limits.address_space,
            "seed": seed,
        }
        try:
            self._ask(request, WallTimer(_LOCKDOWN_SECONDS))
        except Killed:
            raise
        except SubmissionFailure as failure:
            raise GraderFault(f"a worker ended before its test: {failure.detail}") from failure

    def kill(self, keep_scratch: bool = False) -> None:
        """Ends the worker; what it printed until then can still be read from `output`."""
        if self._ended is not None:
            if self._kept and not keep_scratch:
                self._kept = False
                self._zygote.discard(self._started.scratch)
            return
        self._kept = keep_scratch
        if self._meter is not None:
            self._meter.end()  # a call that is cut off is charged as well
        started = self._started
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(started.pidfd, signal.SIGKILL)
        self._drain()
        try:
            self._ended = self._zygote.reap(started, keep_scratch)
        finally:
            os.close(started.pidfd)
            os.close(started.output)
            started.channel.close()

    def pause(self) -> None:
        """Stops the worker, and returns when all of its threads stand still.

        Raises:
            SubmissionFailure: it is gone.
        """
        self._signal(signal.SIGSTOP)
        deadline = time.monotonic() + _LOCKDOWN_SECONDS
        while not process.is_stopped(self._started.pid):
            if time.monotonic() > deadline:
                raise GraderFault("a worker does not stop")

    def resume(self) -> None:
        """Lets it go on after `pause`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        try:
            signal.pidfd_send_signal(self._started.pidfd, number)
        except ProcessLookupError:
            raise self._gone() from None

    @property
    def pid(self) -> int:
        return self._started.pid

    @property
    def charged(self) -> float:
        """Seconds of CPU and of sleep that it was charged since "go"."""
        return self._meter.charged if self._meter else 0.0

    @property
    def output(self) -> str:
        """What the worker printed, up to a cap."""
        if self._ended is None:
            self._drain()
        return self._output.decode(errors="replace")

    def peak_rss(self) -> int:
        """The most memory that the worker ever held, in bytes."""
        peak = process.status(self._started.pid).get("VmHWM")
        if peak is None:  # it has ended, or its first thread has: it cannot be measured
            raise self._gone()
        return int(peak.split()[0]) * 1024

    def _check_status(self) -> None:
        status = process.status(self._started.pid)
        uid = str(self._started.uid if self._zygote.own_uids else os.getuid())
        expected = {
            "Uid": [uid] * 4,
            "NoNewPrivs": ["1"],
            "Seccomp": ["2"],
            "CapEff": ["0000000000000000"],
            "Threads": ["1"],
        }
        if self._zygote.tier != "C":  # whoever is not root has no say in it, nor use for it
            expected["CapBnd"] = ["0000000000000000"]
        if self._zygote.own_uids:
            expected["Groups"] = []
        for name, value in expected.items():
            if status[name].split() != value:
                raise GraderFault(
                    f"a worker is not locked down: {name} is {status[name]!r}, expected {value}"
                )

    # --- calls ---------------------------------------------------------------------------------

    def call(
        self,
        target: str,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        seconds: float | None = None,
    ) -> Any:
        """Calls a target and returns its result, within `seconds` or else the limit.

        Raises:
            SubmissionFailure: no usable answer came; the worker may be gone.
            Exception: of the nearest built-in class, if the submission's code raised.
        """
        return _unpack(
            self._ask_metered({"call": target, "args": args, "kwargs": kwargs}, seconds), target
        )

    def compile(self, files: Sequence[str], seconds: float | None = None) -> dict[str, bytes]:
        """The bytecode of those of the submission's files that can be compiled."""
        return _compiled(self._ask_metered({"compile": list(files)}, seconds), files)

    def survey(
        self, module: str, functions: list[str], seconds: float | None = None
    ) -> dict[str, Any]:
        """Imports one module: {"result": parameters by function, "stubs": …} or {"failed": …}."""
        return _surveyed(self._ask_metered({"survey": module, "functions": functions}, seconds))

    def start_call(self, target: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Sends a call whose answer nobody will read."""
        assert self._meter is not None, "go() comes before the first call"
        assert self._limits is not None
        self._call_id += 1
        request = {"call": target, "args": args, "kwargs": kwargs}
        self._meter.begin(self._limits.seconds)
        self._send(wire.encode(self._call_id, request, "the arguments"), self._meter)

    def check_limits(self) -> None:
        """Checks memory and disk between calls, which may be too short to be watched.

        Raises:
            SubmissionFailure: the worker holds more than it may.
        """
        if time.monotonic() - self._checked >= _CHECK_SECONDS:
            self._check_held()  # of one that is gone, the next call says so

    def answered(self) -> bool:
        """Whether an answer, or the worker's end, is there to be read."""
        return bool(select.select([self._started.channel], [], [], 0)[0])

    def _ask_metered(self, request: Any, seconds: float | None) -> Any:
        """Asks the submission's code, which may be charged `seconds`, or else the limit."""
        assert self._meter is not None, "go() comes before the first call"
        assert self._limits is not None
        self._meter.begin(self._limits.seconds if seconds is None else seconds)
        try:
            return self._ask(request, self._meter)
        finally:
            self._meter.end()

    def _ask(self, request: Any, timer: Timer) -> Any:
        if self.answered():
            self._fail_if_gone()
            raise SubmissionFailure(Cause.PROTOCOL, "the worker spoke before it was asked")
        self._call_id += 1
        self._send(wire.encode(self._call_id, request, "the arguments"), timer)
        return self._receive(self._call_id, timer)

    def _send(self, parts: list[Any], timer: Timer) -> None:
        views = [memoryview(part) for part in parts]
        while views:
            self._wait(select.POLLOUT, timer)
            try:
                sent = os.writev(self._started.channel.fileno(), views[:16])
            except BlockingIOError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                raise self._gone() from None
            while views and sent >= views[0].nbytes:
                sent -= views.pop(0).nbytes
            if views:
                views[0] = views[0][sent:]

    def _receive(self, call_id: int, timer: Timer) -> Any:
        try:
            header = memoryview(bytearray(wire.HEADER.size))
            self._fill(header, timer)
            answered, length = wire.decode_header(bytes(header))
            if answered != call_id:
                raise wire.FrameError("the answer belongs to another call")
            body = wire.new_body(length)
            self._fill(body, timer)
            return wire.decode(body)
        except wire.FrameTooLargeError as error:
            raise SubmissionFailure(Cause.TOO_LARGE, str(error)) from error
        except wire.FrameError as error:
            raise SubmissionFailure(Cause.PROTOCOL, str(error)) from error

    def _fill(self, room: memoryview, timer: Timer) -> None:
        filled = 0
        while filled < len(room):
            try:
                got = os.readv(self._started.channel.fileno(), [room[filled:]])
            except BlockingIOError:
                self._wait(select.POLLIN, timer)
                continue
            except ConnectionResetError:
                got = 0
            if not got:
                raise self._gone()
            filled += got

    def _wait(self, event: int, timer: Timer) -> None:
        """Waits for the channel, reading the worker's output and watching its limits meanwhile."""
        poll = select.poll()
        poll.register(self._started.channel, event)
        poll.register(self._started.output, select.POLLIN)
        milliseconds = 0.0  # at first it is only seen whether there is need to wait
        while True:
            happened = dict(poll.poll(milliseconds))
            if self._started.output in happened and not self._drain():
                poll.unregister(self._started.output)
            ready = self._started.channel.fileno() in happened
            timer.check(waiting=not ready)
            if ready:
                return
            milliseconds = timer.wait() * 1000 + 1
            if not self._check_held():
                raise self._gone()

    def _check_held(self) -> bool:
        """Fails a worker that holds more than it may; False if it is gone."""
        resident = process.resident(self._started.pid)
        if resident is None:
            return False
        self._check_memory(resident)
        self._check_disk()
        self._checked = time.monotonic()
        return True

    def _check_memory(self, resident: int) -> None:
        """Fails a worker that holds more than it may by ways that no rlimit covers."""
        if self._limits is None:
            return
        held = resident - self._memory_floor
        if held > self._limits.memory_mib * 2**20:
            raise SubmissionFailure(
                Cause.MEMORY, f"{held // 2**20} MiB held; {self._limits.memory_mib} MiB are allowed"
            )

    def _check_disk(self) -> None:
        """Fails a worker that wrote more than it may, where no file system of its own ends that."""
        if self._limits is None or self._zygote.tier in ("A", "none"):
            return
        held, files = self._zygote.disk_usage(self._started.scratch)
        if held > DISK_MIB * 2**20 or files > DISK_FILES:
            raise SubmissionFailure(
                Cause.DISK, f"{held // 2**20} MiB in {files} files; {DISK_MIB} MiB are allowed"
            )

    def _drain(self) -> bool:
        """Reads the worker's output, so that it cannot block on it; False once it is closed.

        Not without an end: several threads may write faster than this reads.
        """
        for _ in range(64):
            try:
                data = os.read(self._started.output, 65536)
            except BlockingIOError:
                return True
            if not data:
                return False
            self._output += data[: _OUTPUT_CAP - len(self._output)]
        return True

    def _fail_if_gone(self) -> None:
        try:
            gone = not self._started.channel.recv(1, socket.MSG_PEEK)
        except OSError:
            gone = True
        if gone:
            raise self._gone()

    def _gone(self) -> SubmissionFailure:
        """The worker ended by itself: how."""
        self.kill(keep_scratch=True)
        assert self._ended is not None
        status = self._ended.wait()["status"]
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number in list(signal.Signals) else str(number)
            kind = Killed if number == signal.SIGKILL else SubmissionFailure
            return kind(Cause.DIED, f"the process was ended by {name}")
        return SubmissionFailure(
            Cause.DIED, f"the process ended itself with exit code {os.WEXITSTATUS(status)}"
        )


def _compiled(answer: Any, files: Sequence[str]) -> dict[str, bytes]:
    """What of an answer is bytecode of a file that was asked for."""
    found = answer.get("result") if isinstance(answer, dict) else None
    if not isinstance(found, dict):
        return {}
    return {n: code for n, code in found.items() if n in files and type(code) is bytes}


def _surveyed(answer: Any) -> dict[str, Any]:
    """What of a survey's answer has its known form: an array has neither truth nor equality."""
    if not isinstance(answer, dict):
        return {}
    known: dict[str, Any] = {
        name: answer[name]
        for name, kind in (
            ("failed", str),
            ("type", str),
            ("message", str),
            ("file", str),
            ("line", int),
        )
        if type(answer.get(name)) is kind
    }
    if isinstance(found := answer.get("result"), dict):
        known["result"] = {
            name: names
            for name, names in found.items()
            if isinstance(names, list) and all(isinstance(n, str) for n in names)
        }
    if isinstance(stubs := answer.get("stubs"), list):
        known["stubs"] = [name for name in stubs if isinstance(name, str)]
    return known


def _unpack(answer: Any, target: str) -> Any:
    if isinstance(answer, dict):
        if answer.keys() == {"result"}:
            return answer["result"]
        failed = answer.get("failed")  # only compared: a million tensors take minutes to print
        if isinstance(failed, str) and (cause := _CAUSES.get(failed)) is not None:
            detail = failure_detail(answer, target)
            error: Exception = SubmissionFailure(cause, detail)
            if cause is Cause.EXCEPTION:
                error = raised_by_submission(answer.get("exception"), detail)
            error.add_note(claimed(answer, "trace", _CUT))  # for staff
            raise error
    raise SubmissionFailure(Cause.PROTOCOL, f"the answer to {target} has no known form")
