"""A grader whose workers have no process: each gives the replies that a test chooses."""

from __future__ import annotations

import itertools
import os
import signal
import socket
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from assignment import manifest as manifests
from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.judge import grader as grader_module
from grader.judge.grader import Grader
from grader.results.record import Grade
from grader.supervisor import meter, pool
from grader.supervisor.channel import Channel
from grader.supervisor.meter import LimitChecker, Meter, Timer
from grader.supervisor.process import Activity, OutputPipe, Process, ScratchFolder, WorkerProcess
from grader.supervisor.worker import Worker
from grader.wire import arguments, frames
from grader.wire.messages import Forked, Reaped

CANARY = "canary-51c2"  # only workers of hidden tests send it


TESTS = '''
import pytest
import torch

from assignment.expect import expect


@pytest.mark.exercise("storage_index")
def test_equals(impl):
    """Six is six"""
    expect(impl.strides.storage_index("equals"), "storage_index").equals(6)


@pytest.mark.exercise("storage_index")
def test_says(impl):
    """Six is found"""
    found = impl.strides.storage_index("says")
    assert found == 6, f"found {found}"


@pytest.mark.exercise("storage_index")
def test_raises(impl):
    """What is no index is refused"""
    with pytest.raises(IndexError, match="axis"):
        impl.strides.storage_index("raises")


@pytest.mark.exercise("storage_index")
def test_raises_again(impl):
    """An error of the code is reported"""
    try:
        impl.strides.storage_index("raises_again")
    except Exception as error:
        raise RuntimeError(f"it said {error}") from error


@pytest.mark.exercise("gather")
@pytest.mark.parametrize("size", [3, 1023], ids=["a::3", "b[size-1023]"])
def test_uses(impl, size):
    found = impl.strides.gather("uses", size)
    assert found[found["key"]] + len(found) + float(found) > size


@pytest.mark.exercise("gather")
def test_tensor(impl):
    """A tensor comes back"""
    found = impl.strides.gather("tensor", torch.ones(2))
    expect(found).is_tensor((2,), torch.float32)
    expect(found).close(torch.ones(2), rtol=1e-6)


@pytest.mark.exercise("gather")
def test_twice(impl):
    """Two processes agree"""
    first = impl.strides.gather("twice")
    impl.restart()
    expect(impl.strides.gather("twice")).equals(first)
    expect([impl.strides.gather("twice") for _ in range(3)]).equals([first] * 3)
'''
PUBLIC_TESTS = '''
import pytest

from assignment.expect import expect
from assignment.hooks import seed_of


@pytest.mark.exercise("storage_index")
def test_public(impl, seed):
    """A public rule"""
    is_first = seed == seed_of("the same", "test_public_rules", "test_public")
    expect(impl.strides.storage_index("public" if is_first else "further")).equals(6)
'''
HIDDEN = ("equals", "says", "raises", "raises_again", "uses", "tensor", "twice")


@dataclass(frozen=True)
class Reply:
    """What a worker sends for one call: a value or raw bytes, and what it does afterwards."""

    value: Any = None
    raw: bytes | None = None
    number: int = 0  # added to the call's id
    afterwards: str = "waits"  # or "ends", "sends twice", "sends nothing"


@dataclass(frozen=True)
class Behaviour:
    """What a worker does in one test: its replies in turn, its output and its exit status."""

    replies: tuple[Reply, ...]
    printed: bytes = b""
    status: int = signal.SIGKILL  # as waitpid gives it


class IdleProcess:
    """A process that never uses CPU time and never sleeps."""

    def cpu(self) -> float:
        return 0.0

    def activity(self) -> Activity:
        return "running"


class FakeChannel(Channel):
    """The channel to a worker without a process: sends the replies of its test's `Behaviour`."""

    def __init__(
        self,
        process: FakeProcess,
        behaviours: dict[str, Behaviour],
        parameters: dict[str, list[str]],
    ) -> None:
        super().__init__(process.connection, process.output)
        self._process, self._behaviours, self._parameters = process, behaviours, parameters
        self._silent = False
        self._turns: Iterator[Reply] | None = None

    def _write(self, parts: Sequence[bytes | bytearray | memoryview], timer: Timer) -> int:
        sent = b"".join(bytes(part) for part in parts)[frames.HEADER.size :]
        body = frames.new_body(len(sent))
        body[:] = sent
        self._say(self._reply_to(arguments.decode(body)))
        return len(sent)

    def _reply_to(self, request: dict[str, Any]) -> Reply:
        if "compile" in request:
            return Reply({"result": {}})
        if "import" in request:
            return Reply({"result": self._parameters})
        if "seed" in request:  # the worker's next test
            self._turns = None
            return Reply({"result": None})
        behaviour = self._behaviours[request["args"][0]]
        if self._turns is None:
            self._turns = itertools.cycle(behaviour.replies)
            self._process.status = behaviour.status
            os.write(self._process.printer, behaviour.printed)
        return next(self._turns)

    def _say(self, reply: Reply) -> None:
        data = reply.raw
        if data is None:
            number = (self.call_id + reply.number) % 2**64
            data = b"".join(bytes(part) for part in frames.encode(number, reply.value))
        if reply.afterwards == "sends nothing":
            self._silent = True
            return
        self._process.theirs.sendall(data * (2 if reply.afterwards == "sends twice" else 1))
        if reply.afterwards == "ends":
            self._process.theirs.shutdown(socket.SHUT_RDWR)

    def _wait(self, event: int, timer: Timer, needed: int) -> None:
        # No answer comes, or only half a frame.
        if self._silent or not self.has_answer():
            raise SubmissionFailure(Cause.TIMEOUT, "no answer in time")


class FakeProcess(WorkerProcess):
    """Stands in for a worker's process: its id is this process's, and it gets no signal."""

    def __init__(self) -> None:
        ours, self.theirs = socket.socketpair()
        ours.setblocking(False)
        output, self.printer = os.pipe()
        os.set_blocking(output, False)
        reply = SimpleNamespace(wait=lambda _: Forked(pid=0), descriptors=[])
        scratch = ScratchFolder("scratch", 0)
        super().__init__(reply, None, ours, OutputPipe(output), scratch)
        self.status = 0

    @property
    def pid(self) -> int:
        return os.getpid()

    def stop(self) -> None: ...

    def resume(self) -> None: ...

    def kill(self, keep_scratch: bool = False) -> None:
        self.is_killed = True
        self.output.drain()
        self._exited = SimpleNamespace(wait=lambda _: Reaped(status=self.status))
        self._close()
        os.close(self.printer)
        self.theirs.close()


class FakeWorker(Worker):
    """A worker without a lockdown, and without limits of time and memory."""

    def wait_until_ready(self) -> None:
        self.probes, self.scratch_path = {"read": CANARY}, "/scratch"

    def go(self, package: str, limits: manifests.Limits, seed: int) -> None:
        self._seconds = limits.seconds
        self._checker = LimitChecker(Process(self.process.pid), limits)
        self._checker._memory_before = 2**60
        self._meter = Meter(IdleProcess(), limits=self._checker)


class FakeZygote:
    """Stands in for the zygote of a grader, which is in `grader`; it forks nothing."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.shared_folders = folder / "run", folder
        self.submissions = self.folder / "submissions"
        self.tier, self.own_uids = "A", True
        self.behaviours: dict[str, Behaviour] = {}
        self.submissions.mkdir(parents=True)
        for where, text in (("hidden", TESTS), ("public", PUBLIC_TESTS)):
            (folder / "tests" / where).mkdir(parents=True)
            (folder / "tests" / where / f"test_{where}_rules.py").write_text(text)
        self.submission = folder / "alice" / "resource_accounting"
        self.submission.mkdir(parents=True)
        (self.submission / "strides.py").write_text("")
        usual = manifests.load()
        manifest = msgspec.structs.replace(
            usual,
            exercise=tuple(
                msgspec.structs.replace(e, core=True)
                for e in usual
                if e.id in ("storage_index", "gather")
            ),
        )
        parameters = {
            "storage_index": ["index", "strides", "offset"],
            "gather": ["storage", "shape", "strides", "offset"],
        }
        self._parameters = parameters
        monkeypatch.setattr(grader_module, "Zygote", lambda *_, **__: self)
        monkeypatch.setattr(meter, "_CHECK_SECONDS", 0)  # in each call
        monkeypatch.setattr(pool, "Worker", self._new_worker)
        self.grader = Grader(repository=folder, manifest=manifest, lanes=1)

    def grade(self, behaviours: dict[str, Behaviour], further_seeds: bool = False) -> Grade:
        """Grades with workers that behave as given, by test; "further" is with further seeds."""
        self.behaviours = behaviours
        return self.grader.grade(
            self.submission.parent, nonce="the same", further_seeds=further_seeds
        )

    def wait(self) -> None: ...

    def drain(self) -> None: ...

    def cpu_seconds(self) -> float:
        return 0.0

    def discard(self, scratch: str) -> None: ...

    def new_scratch(self) -> ScratchFolder:
        return ScratchFolder("scratch", 0)

    def fork_worker(self, submission: Path, scratch: ScratchFolder, watch: str = "") -> FakeProcess:
        return FakeProcess()

    def _new_worker(self, zygote: Any, process: FakeProcess, *budget: Any) -> FakeWorker:
        worker = FakeWorker(zygote, process, *budget)
        worker.channel = FakeChannel(process, self.behaviours, self._parameters)
        return worker
