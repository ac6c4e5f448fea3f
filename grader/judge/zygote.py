"""The judge's end of the zygote: starts it, asks it for workers, ends it."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import weakref
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader import folders
from grader.isolation import DISK_MIB, CannotIsolate
from grader.judge.failure import GraderFault
from grader.paths import REPOSITORY

_START_SECONDS = 120
# One that is gone is noticed at once. One that lives may have to remove a submission's thousands of
# files from a busy disk first: 22 s have been seen.
_ANSWER_SECONDS = 300
_END_SECONDS = 5
_MESSAGE = 65536
_LOOKED_AT, _DEEPEST = 20_000, 50  # files, and folders in one another
# No user site (-s), and neither the working directory nor a script's on the path (-P). Of Python's
# own variables it gets one, which -I, the same two and no variables at all, would ignore.
_OPTIONS = ("-s", "-P", "-X", "utf8")
# Sets of text have the same order in every grading, so that the same code gets the same mark. Who
# knows the seed can slow down their own dicts; the judge, which reads their answers, has another.
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
_LANES = ("1", "2")  # judge processes of one grading, each with a zygote
# The path holds this package alone; the zygote drops it again, and a worker's root has none of it.
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.worker.zygote import main; main(int(sys.argv[2]))"
)
# Of all that a grading's zygotes and workers take, beside what one test of each lane may take.
_GROUP_MIB, _GROUP_PROCESSES = 2048, 512
_FIRST_UID = 100_000  # above the accounts of any usual system
_UIDS = 16  # for each judge process; one worker lives at a time, and one more waits
_MAPPED = range(30_000, 60_000)  # where a container knows no more than 65,536 users


@dataclass(frozen=True)
class Started:
    """A worker just forked: its process, and the judge's ends of its channel and output."""

    pid: int
    zygote_pid: int  # the same process, as the zygote numbers it
    pidfd: int
    channel: socket.socket
    output: int
    scratch: str
    uid: int


class Answer:
    """An answer of the zygote's that may not have come yet. They come in the order of requests."""

    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self.message: dict[str, Any] | None = None
        self.descriptors: list[int] = []

    def wait(self) -> dict[str, Any]:
        """The answer, once it is there; raises GraderFault if none comes."""
        while self.message is None:
            self._zygote._read_one()
        return self.message


@dataclass
class Spawning:
    """A worker that was asked for: `started` waits until it is forked."""

    answer: Answer
    channel: socket.socket
    output: int
    scratch: str
    uid: int

    def started(self) -> Started:
        """The worker's process; raises GraderFault if the zygote could not fork."""
        try:
            message = self.answer.wait()
            if "error" in message or len(self.answer.descriptors) != 1:
                raise GraderFault(message.get("error", "the zygote sent no worker"))
        except GraderFault:
            self.channel.close()
            if self.output >= 0:
                os.close(self.output)
                self.output = -1
            raise
        pidfd = self.answer.descriptors[0]
        return Started(
            _pid_of(pidfd), message["pid"], pidfd, self.channel, self.output, self.scratch, self.uid
        )


class Zygote:
    """A running zygote and the grading's own folder.

    `start` returns at once; the zygote imports torch while the judge does the same. `wait` is
    called before the first worker.

    Args:
        tiers: from the strongest to the weakest that will do.
        hidden: folders that no worker may see.
        memory_mib: what a submission may hold, at most, in one test.
        only_try: tries each of the tiers, fills `refused` and starts none.
        with_devices: its workers, and no others, see the machine's CUDA devices.
    """

    def __init__(
        self,
        tiers: Sequence[str],
        hidden: tuple[Path, ...],
        memory_mib: int = 1024,
        only_try: bool = False,
        with_devices: bool = False,
    ) -> None:
        self.tier = ""  # known once it has started
        self.refused: dict[str, str] = {}  # the reason of each better tier that cannot be had
        # Whatever ends this process, an exception in the next line included, removes the folder: so
        # that is noted before there is one.
        name = f"grader-{secrets.token_hex(8)}"
        self.folder = Path(tempfile.gettempdir()).resolve() / name
        self._run = _Run(self.folder)
        self._end = weakref.finalize(self, self._run.end)
        self.folder.mkdir(mode=0o700)
        self.folder.chmod(0o711)
        self._lane = "1"
        for lane in _LANES:
            (self.folder / "exchange" / lane).mkdir(parents=True, mode=0o755)
        self.private = self.folder / "judge"
        self.private.mkdir(mode=0o700)
        self.canary = self.private / "canary"
        self.canary.write_text("only the judge may read this")
        (self.folder / "submissions").mkdir(mode=0o755)
        for place in ("scratch", "tmp", "trial"):
            (self.folder / place).mkdir(mode=0o711)
        self.own_uids = False
        self.control_group = ""
        self._with_devices = with_devices
        self._hidden = [str(path.resolve()) for path in (*hidden, self.private)]
        self._scratch_count = 0
        self._unanswered: deque[Answer] = deque()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._run.control = self._control
        with theirs, (self.private / "zygote.log").open("wb") as log:
            self._run.process = self._process = subprocess.Popen(
                [
                    sys.executable,
                    *_OPTIONS,
                    "-c",
                    _BOOT,
                    str(REPOSITORY),
                    str(theirs.fileno()),
                ],
                env=_ENVIRONMENT,
                cwd="/",
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        settings = {
            "try" if only_try else "tiers": list(tiers),
            "run": str(self.folder),
            "hidden": self._hidden,
            "uid": _first_uid(),
            "canary": str(self.canary),
            "results": str(self.private),
            "memory": (_GROUP_MIB + len(_LANES) * (memory_mib + DISK_MIB)) * 2**20,
            "processes": _GROUP_PROCESSES,
            "devices": with_devices,
        }
        self._send(settings)
        self._ready = False

    def wait(self) -> None:
        """Returns when workers can be had.

        Raises:
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the zygote did not start.
        """
        if self._ready:
            return
        try:
            answer, _ = self._receive(_START_SECONDS)
        except GraderFault as fault:
            log = (self.private / "zygote.log").read_text(errors="replace")[-2000:]
            raise GraderFault(f"{fault}\n{log}") from fault
        if "error" in answer:
            raise CannotIsolate(answer["error"])
        if "fault" in answer:
            raise GraderFault(answer["fault"])
        self.refused = answer["refused"]
        self.tier, self.own_uids = answer.get("ready", ""), answer.get("own_uids", False)
        self.control_group = answer.get("control_group", "")
        self._ready = True

    def new_scratch(self) -> tuple[str, int]:
        """A name for a scratch folder, and the user that it and its workers belong to."""
        self._scratch_count += 1
        uid = _first_uid() + self._scratch_count % _UIDS
        return f"{self._lane}-{self._scratch_count}", uid

    def spawn(self, submission: Path, scratch: str, uid: int) -> Spawning:
        """Asks for a worker over a staged submission, and does not wait for it.

        Raises:
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the zygote is gone.
        """
        self.wait()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        for end in (ours, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 * 2**20)
        output, their_output = os.pipe()
        os.set_blocking(output, False)
        ours.setblocking(False)
        request = {
            "spawn": uid,
            "scratch": scratch,
            "submission": str(submission),
            "exchange": str(self.exchange),
            "canary": str(self.canary),
            "results": str(self.private),
            "judge": os.getpid(),
            "hidden": self._hidden,
            "cuda": self._with_devices,
        }
        try:
            answer = self._ask(request, [theirs.fileno(), their_output])
        except GraderFault:
            ours.close()
            os.close(output)
            raise
        finally:
            theirs.close()
            os.close(their_output)
        return Spawning(answer, ours, output, scratch, uid)

    def reap(self, worker: Started, keep_scratch: bool) -> Answer:
        """Asks for a killed worker's exit status and peak memory; it may still be ending."""
        return self._ask(
            {"reap": worker.zygote_pid, "scratch": worker.scratch, "keep": keep_scratch}
        )

    def cpu_seconds(self) -> float:
        """The CPU seconds of this zygote and of its workers that have been reaped."""
        self.wait()
        return float(self._ask({"usage": True}).wait()["cpu"])

    @property
    def exchange(self) -> Path:
        """The folder that tests write and this zygote's workers may read."""
        return self.folder / "exchange" / self._lane

    def twin(self) -> Zygote:
        """A second zygote, forked from this one, for a second judge process of this grading."""
        self.wait()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                answer = self._ask({"twin": True}, [theirs.fileno()]).wait()
                if "error" in answer:
                    raise GraderFault(answer["error"])
            except GraderFault:
                ours.close()
                raise
        twin = copy.copy(self)
        twin._control, twin._unanswered, twin._lane = ours, deque(), _LANES[1]
        return twin

    def with_devices(self, memory_mib: int) -> Zygote:
        """Starts another zygote, in this one's tier, whose workers see the CUDA devices.

        Whoever starts it closes it.
        """
        self.wait()
        hidden = tuple(Path(folder) for folder in self._hidden)
        return Zygote((self.tier,), hidden, memory_mib, with_devices=True)

    def let_go(self) -> None:
        """Closes this process's end: once every process has, the zygote and its workers end."""
        self._control.close()

    def discard(self, scratch: str) -> None:
        """Removes a scratch folder that no living worker uses."""
        self._ask({"discard": scratch})

    def disk_usage(self, scratch: str) -> tuple[int, int]:
        """Bytes and files that a worker has written to its scratch folder and its tmp.

        What lies deeper than anybody puts it counts as more files than are allowed: to look for it
        would take longer than to make it.
        """
        held = files = 0
        todo = [(self.folder / place / scratch, 0) for place in ("scratch", "tmp")]
        while todo and files <= _LOOKED_AT:
            folder, depth = todo.pop()
            with contextlib.suppress(OSError), os.scandir(folder) as found:
                for entry in found:
                    files += 1 if depth < _DEEPEST else _LOOKED_AT
                    held += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        todo.append((Path(entry.path), depth + 1))
        return held, files

    def settle(self) -> None:
        """Waits until everything asked for is done: every killed worker is gone then."""
        while self._unanswered:
            self._read_one()

    def close(self) -> None:
        """Ends the zygote, every worker with it, and removes the grading's folder."""
        self._end()

    def _ask(self, message: dict[str, Any], descriptors: list[int] | None = None) -> Answer:
        self._send(message, descriptors)
        self._unanswered.append(answer := Answer(self))
        return answer

    def _read_one(self) -> None:
        message, descriptors = self._receive(_ANSWER_SECONDS)
        answer = self._unanswered.popleft()
        answer.message, answer.descriptors = message, descriptors

    def _send(self, message: dict[str, Any], descriptors: list[int] | None = None) -> None:
        try:
            socket.send_fds(self._control, [json.dumps(message).encode()], descriptors or [])
        except OSError as error:
            raise GraderFault(f"the zygote cannot be reached: {error}") from error

    def _receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        try:
            self._control.settimeout(seconds)
            data, descriptors, _, _ = socket.recv_fds(self._control, _MESSAGE, 4)
        except OSError as error:
            self.let_go()  # nobody waits for it once more, and its workers end with it
            raise GraderFault(f"the zygote does not answer: {error}") from error
        if not data:
            raise GraderFault("the zygote is gone")
        return json.loads(data), list(descriptors)


class _Run:
    """What has to end with a zygote's judge: its process, and the grading's folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._judge = folder, os.getpid()
        self.control: socket.socket | None = None
        self.process: subprocess.Popen[bytes] | None = None

    def end(self) -> None:
        """Ends the zygote, every worker with it, and removes the folder; not in a fork's end."""
        if os.getpid() != self._judge:
            return
        if self.control is not None:
            self.control.close()
        if self.process is not None:
            try:
                self.process.wait(timeout=_END_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        folders.remove_while_written(self._folder)  # a killed zygote's workers end after it


def _first_uid() -> int:
    """The first of this process's users for workers: no other judge on this machine has them."""
    first = _FIRST_UID + os.getpid() * _UIDS
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        start, _, count = map(int, line.split())
        if start <= first and first + _UIDS <= start + count:
            return first
    return _MAPPED[os.getpid() * _UIDS % len(_MAPPED)]


def _pid_of(pidfd: int) -> int:
    """The process behind a descriptor, as this process numbers it (the zygote may not)."""
    for line in Path(f"/proc/self/fdinfo/{pidfd}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    raise GraderFault("the kernel does not say which process a pidfd means")
