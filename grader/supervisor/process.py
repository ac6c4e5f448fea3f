"""One worker as a process: its ids, what the kernel says of it, signals to it, and its end.

Nothing here relies on the worker.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import signal
import socket
import time
from pathlib import Path
from typing import Literal, NamedTuple

from grader.causes import Cause
from grader.faults import GraderFault, Killed, SubmissionFailure, WorkerEnded
from grader.isolation import Tier
from grader.supervisor.control import Control, Descriptor, PendingReply
from grader.supervisor.watching import Listener
from grader.wire import messages

Activity = Literal["running", "disk", "asleep", "stopped"]

_FIELD = re.compile(r"^(\w+):[ \t]*(.*)$", re.MULTILINE)
_RESIDENT = re.compile(r"^(RssAnon|RssFile|RssShmem|VmPTE):\s*(\d+) kB$", re.MULTILINE)
_TICKS = os.sysconf("SC_CLK_TCK")  # per second, the unit of CPU time in /proc/<pid>/stat


class Process:
    """A process by its id, until `forget`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._is_forgotten = False

    def forget(self) -> None:
        """From now on the process has ended: the kernel may give its id to another one."""
        self._is_forgotten = True

    def status(self) -> dict[str, str]:
        """The fields of `/proc/<pid>/status`; raises GraderFault if the process has ended."""
        try:
            return dict(_FIELD.findall(self._read("status")))
        except (FileNotFoundError, ProcessLookupError) as error:
            raise GraderFault("a worker's process ended before its status was checked") from error

    def resident(self, with_files: bool = False) -> int | None:
        """Resident memory and page tables in bytes; None if the process has ended.

        `with_files` also counts what is mapped of files, where a device's driver pins memory.
        """
        try:
            found = dict(_RESIDENT.findall(self._read("status")))
        except (FileNotFoundError, ProcessLookupError):
            return None
        if len(found) < 4:  # it is ending
            return None
        return 1024 * sum(int(kb) for kind, kb in found.items() if with_files or kind != "RssFile")

    def cpu(self) -> float | None:
        """CPU seconds that all of its threads have used together; None if it has ended."""
        if self._is_forgotten:
            return None
        # The id of another process's CPU clock, computed as clock_getcpuclockid(3) does.
        clock = ~self.pid << 3 | 2
        with contextlib.suppress(OSError):  # it has ended, or this kernel has no such clock
            return time.clock_gettime(clock)
        try:
            fields = self._read("stat").rpartition(")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def activity(self) -> Activity | None:
        """What it does now; None if it has ended.

        "running" if any thread runs or waits for a core; otherwise "disk" if any thread waits for
        the disk; "stopped" if a signal has stopped all of them; otherwise "asleep".
        """
        states = set[str]()  # of its threads, as the letters that proc(5) lists
        if not self._is_forgotten:
            for thread in Path(f"/proc/{self.pid}/task").glob("*/stat"):
                with contextlib.suppress(OSError):  # the thread has ended since
                    states.add(thread.read_bytes().rpartition(b")")[2].split()[0].decode())
        if states <= set("ZX"):
            return None
        if states <= set("TZX"):
            return "stopped"
        return "running" if "R" in states else "disk" if "D" in states else "asleep"

    def _read(self, name: str) -> str:
        """One of its files in /proc; raises OSError if it has ended.

        Its name is in there, which may be any bytes.
        """
        if self._is_forgotten:
            raise ProcessLookupError(f"process {self.pid} has ended")
        with open(f"/proc/{self.pid}/{name}", "rb") as file:
            return file.read().decode("latin-1")


_STOP_SECONDS = 120.0  # that stopping a process may take on a busy machine
MAX_OUTPUT = 64 * 1024  # bytes of stdout and stderr that are kept
_READS = 64  # of the output at a time: several threads may write faster than this reads


class ScratchFolder(NamedTuple):
    """A folder that a test's workers may write: its name, and the user that owns it."""

    name: str
    uid: int


class OutputPipe:
    """What one worker prints: owns a non-blocking descriptor of the pipe's read end."""

    def __init__(self, descriptor: int) -> None:
        self._file = os.fdopen(descriptor, "rb", 0)
        self._bytes = bytearray()

    def fileno(self) -> int:
        """The descriptor; raises ValueError once it is closed."""
        return self._file.fileno()

    def take(self) -> str:
        """The end of what was printed since this was last asked, up to a cap."""
        if not self._file.closed:
            self.drain()
        taken, self._bytes = self._bytes, bytearray()
        return taken.decode(errors="replace")

    def drain(self) -> bool:
        """Reads what was printed, so that the worker cannot block on it; False at the end."""
        for _ in range(_READS):
            data = self._file.read(65536)
            if data is None:  # nothing now
                return True
            if not data:
                return False
            self._bytes += data
            del self._bytes[:-MAX_OUTPUT]
        return True

    def close(self) -> None:
        """Closes the pipe; what was read can still be taken."""
        self._file.close()


class _Ids(NamedTuple):
    pid: int  # as this process numbers it
    zygote_pid: int  # the same process, as the zygote numbers it
    pidfd: Descriptor


class WorkerProcess:
    """A worker that the zygote was asked to fork; the first use of `pid` waits for the fork.

    Each of its descriptors belongs to one object, which closes it once and refuses to be used after
    that: an exception (a signal, for example) may come between any two steps, and the kernel soon
    gives a closed descriptor's number to another file.
    """

    def __init__(
        self,
        forked: PendingReply,
        control: Control,
        connection: socket.socket,  # the judge's end
        output: OutputPipe,
        scratch: ScratchFolder,
        groups: tuple[int, ...] = (),  # of its own user, if it has one: the primary group first
        listener: Listener | None = None,  # if some of its calls wait for the judge
    ) -> None:
        self._forked, self._control, self._groups = forked, control, groups
        self.listener = listener
        self.connection, self.output, self.scratch = connection, output, scratch
        self.is_killed = False  # by `kill`, or an exception ended that
        self._exited: PendingReply | None = None

    @functools.cached_property
    def _ids(self) -> _Ids:
        """Waits for the fork; closes everything if it raises GraderFault."""
        try:
            pid = self._forked.wait(messages.Forked).pid
            if len(self._forked.descriptors) != 1:
                raise GraderFault("the zygote sent no worker")
            (pidfd,) = self._forked.descriptors
            return _Ids(_pid_of(pidfd), pid, pidfd)
        except GraderFault:
            self._close()
            raise

    @property
    def pid(self) -> int:
        """Its process id; raises GraderFault if the zygote could not fork."""
        return self._ids.pid

    @functools.cached_property
    def state(self) -> Process:
        """Reads its state from the kernel, until `kill`."""
        return Process(self.pid)

    def kill(self, keep_scratch: bool) -> None:
        """Kills it, reads the rest of its output, asks the zygote to reap it, and closes all; once.

        An exception may end this at any step. All is closed even then, and the zygote ends the
        process at the latest when it ends itself.
        """
        if self.is_killed:
            return
        ids, state = self._ids, self.state
        try:
            self.is_killed = True  # not before: what is closed below would stay open for ever
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(ids.pidfd.fileno(), signal.SIGKILL)
            self.output.drain()
            state.forget()  # once it is reaped, its number may be another process's
            reap = messages.Reap(
                pid=ids.zygote_pid, scratch=self.scratch.name, keep_scratch=keep_scratch
            )
            self._exited = self._control.request(reap)
        finally:
            self._close()

    def _close(self) -> None:
        for pidfd in self._forked.descriptors:
            pidfd.close()
        self.output.close()
        self.connection.close()
        if self.listener is not None:
            self.listener.close()

    def stop(self) -> None:
        """Stops all of its threads, and waits; raises WorkerEnded, or GraderFault if it goes on."""
        self._signal(signal.SIGSTOP)
        deadline = time.monotonic() + _STOP_SECONDS
        while self.state.activity() not in ("stopped", None):
            if time.monotonic() > deadline:
                raise GraderFault("a worker does not stop")

    def resume(self) -> None:
        """Continues it after `stop`; raises WorkerEnded if it has ended."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        try:
            signal.pidfd_send_signal(self._ids.pidfd.fileno(), number)
        except ProcessLookupError:
            raise WorkerEnded from None

    def peak_rss(self) -> int:
        """The most memory it ever held, in bytes; raises WorkerEnded if that cannot be read."""
        peak = self.state.status().get("VmHWM")
        if peak is None:  # it, or its first thread, has ended
            raise WorkerEnded
        return int(peak.split()[0]) * 1024

    def check_lockdown(self, tier: str, own_uids: bool) -> None:
        """Checks in `/proc/<pid>/status` the worker's ids, capabilities, filter and threads.

        `own_uids` says whether it must have its own user and groups, or else the judge's. Raises
        GraderFault if it has kept something that it must give up.
        """
        found = self.state.status()
        uid = str(self.scratch.uid if own_uids else os.getuid())
        expected = {
            "Uid": [uid] * 4,
            "NoNewPrivs": ["1"],
            "Seccomp": ["2"],
            "CapEff": ["0000000000000000"],
            "Threads": ["1"],
        }
        if tier != Tier.C:  # without root the bounding set cannot be changed, and has no use
            expected["CapBnd"] = ["0000000000000000"]
        if own_uids:
            own, *others = map(str, self._groups)
            expected.update(Gid=[own] * 4, Groups=others)
        for name, value in expected.items():
            if found[name].split() != value:
                raise GraderFault(
                    f"a worker is not locked down: {name} is {found[name]!r}, expected {value}"
                )

    def exit_failure(self) -> SubmissionFailure:
        """How it ended, `Killed` if by SIGKILL; comes after `kill`, and waits for the zygote."""
        assert self._exited is not None, "kill() comes first"
        status = self._exited.wait(messages.Reaped).status
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            name = signal.Signals(number).name if number in list(signal.Signals) else str(number)
            kind = Killed if number == signal.SIGKILL else SubmissionFailure
            return kind(Cause.DIED, f"the process was ended by {name}")
        return SubmissionFailure(
            Cause.DIED, f"the process ended itself with exit code {os.WEXITSTATUS(status)}"
        )


def _pid_of(pidfd: Descriptor) -> int:
    """The process behind a descriptor, as this process numbers it (the zygote may not)."""
    for line in Path(f"/proc/self/fdinfo/{pidfd.fileno()}").read_text().splitlines():
        if line.startswith("Pid:"):
            return int(line.split()[1])
    raise GraderFault("the kernel does not say which process a pidfd means")
