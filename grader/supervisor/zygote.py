"""The judge's side of the zygote: starts its process, asks it for workers, ends it."""

from __future__ import annotations

import copy
import os
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import IO

from assignment.calls.file_calls import Names
from grader.faults import GraderFault
from grader.isolation import DISK_MIB, UNISOLATED, CannotIsolate, Tier
from grader.machine import USUAL_LANES
from grader.paths import REPOSITORY
from grader.supervisor import run_folder
from grader.supervisor.control import Control, PendingReply
from grader.supervisor.process import OutputPipe, ScratchFolder, WorkerProcess
from grader.supervisor.run_folder import RunFolder
from grader.supervisor.watching import Changes, FileCalls, Listener, names_of
from grader.wire import messages

# No user site (-s), and neither the working directory nor a script's folder on the path (-P). -I
# would do both, and would also ignore the one variable of Python's that the zygote needs.
_OPTIONS = ("-s", "-P", "-X", "utf8")
# Sets of text keep one order in every grading, so that the same code gets the same mark. Who knows
# the seed can slow down their own dicts only; the judge, which reads their answers, has another.
_ENVIRONMENT = {"PYTHONHASHSEED": "0"}
# The path holds this package alone. The zygote drops it again, and no worker can read it.
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from grader.worker.zygote import main; main(int(sys.argv[2]))"
)


def start_zygote(control: int, log: IO[bytes], device: str | None) -> subprocess.Popen[bytes]:
    """Starts a zygote, which serves the descriptor `control`; `log` takes its stderr.

    `device` is the UUID of the CUDA device that its workers see; None for none.
    """
    return subprocess.Popen(
        [sys.executable, *_OPTIONS, "-c", _BOOT, str(REPOSITORY), str(control)],
        env=_ENVIRONMENT if device is None else _ENVIRONMENT | environment_of(device),
        cwd="/",
        pass_fds=[control],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=log,
    )


def environment_of(device: str) -> dict[str, str]:
    """Shows one CUDA device; the driver's libraries are where they are for this process.

    By its UUID, since NVML and CUDA may number devices differently.
    """
    libraries = {k: os.environ[k] for k in ("LD_LIBRARY_PATH",) if k in os.environ}
    return {"CUDA_VISIBLE_DEVICES": device, **libraries}


_START_SECONDS = 120
# Of all that a grading's zygotes and workers take, beside one test's limits in each lane.
_GROUP_MIB, _GROUP_PROCESSES = 2048, 512
_SEND_BUFFER = 4 * 2**20  # bytes
_LISTENERS: dict[str, type[Listener]] = {kind.watch: kind for kind in (FileCalls, Changes)}


class Zygote:
    """A running zygote, in a temporary folder of its own.

    The constructor returns immediately: the zygote imports torch while the judge does the same.
    `wait` comes before the first worker.

    Args:
        tiers: from the strongest to the weakest that will do.
        hidden: folders that no worker may see.
        memory_mib: the most that a submission may hold in one test.
        only_try: tries each of the tiers, fills `refused`, and starts none.
        device: the UUID of the CUDA device that its workers, and no others, see; None for none.
        lanes: how many judge processes will ask it, or forks of it, for workers.
    """

    def __init__(
        self,
        tiers: Sequence[str],
        hidden: tuple[Path, ...],
        memory_mib: int = 1024,
        only_try: bool = False,
        device: str | None = None,
        lanes: int = USUAL_LANES,
    ) -> None:
        self.tier = ""  # the one that holds; known after `wait`, as the next three are
        self.control_group = ""  # what bounds all workers together, in words
        self.own_uids = False  # each worker is another user than the judge
        self.refused: dict[str, str] = {}  # why each stronger tier cannot be had
        self.lane = 0  # of the judge process that asks it for workers
        self._scratch_count, self._is_ready = 0, False
        self.has_device = device is not None
        self._run = RunFolder(lanes)
        self.folder, self.submissions = self._run.path, self._run.submissions
        self.trusted = self._run.trusted
        self._hidden = tuple(path.resolve() for path in (*hidden, self._run.private))
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._control = Control(ours)
        self._run.cleanup.control = self._control
        with theirs, (self._run.private / "zygote.log").open("wb") as log:
            self._process = start_zygote(theirs.fileno(), log, device)
            self._run.cleanup.process = self._process
        self._control.send(
            messages.Start(
                tiers=tuple(tiers),
                only_try=only_try,
                grading=messages.Grading(
                    run=str(self.folder),
                    hidden=tuple(map(str, self._hidden)),
                    first_uid=run_folder.first_uid(os.getpid()),
                    canary=str(self._run.canary),
                    results=str(self._run.private),
                    with_devices=self.has_device,
                ),
                memory=(_GROUP_MIB + lanes * (memory_mib + DISK_MIB)) * 2**20,
                processes=_GROUP_PROCESSES,
            )
        )

    def __repr__(self) -> str:
        return f"<Zygote {self._process.pid} lane {self.lane} tier {self.tier or 'not known yet'}>"

    def wait(self) -> None:
        """Returns when workers can be had.

        Raises:
            CannotIsolate: the machine does not offer the tier.
            GraderFault: the zygote did not start.
        """
        if self._is_ready:
            return
        try:
            reply, _ = self._control.receive(_START_SECONDS)
        except GraderFault as fault:
            log = (self._run.private / "zygote.log").read_text(errors="replace")[-2000:]
            raise GraderFault(f"{fault}\n{log}") from fault
        if isinstance(reply, messages.Failed):
            raise (CannotIsolate if reply.cannot_isolate else GraderFault)(reply.reason)
        assert isinstance(reply, messages.Ready), "the first reply"
        self.tier, self.refused = reply.tier, reply.refused
        self.own_uids, self.control_group = reply.own_uids, reply.control_group
        self._is_ready = True

    # --- folders -------------------------------------------------------------------------------

    @property
    def shared_folders(self) -> Path:
        """The folder that this lane's tests write and its workers may read."""
        return self._run.shared_folders(self.lane)

    def new_scratch(self) -> ScratchFolder:
        """Names a new scratch folder and the user that it and its workers belong to."""
        self._scratch_count += 1
        uid = run_folder.uid(os.getpid(), self._scratch_count)
        return ScratchFolder(f"{self.lane}-{self._scratch_count}", uid)

    def unbounded_folders(self, scratch: str) -> tuple[Path, ...]:
        """The folders whose disk usage the judge has to measure.

        None in tier A, where file systems bound it, and none without isolation, where nothing does.
        """
        if self.tier in (Tier.A, UNISOLATED):
            return ()
        return self.folder / "scratch" / scratch, self.folder / "tmp" / scratch

    def discard(self, scratch: str) -> None:
        """Removes a scratch folder that no living worker uses."""
        self._control.request(messages.RemoveScratch(scratch=scratch))

    # --- processes -----------------------------------------------------------------------------

    def fork_worker(
        self, submission: Path, scratch: ScratchFolder, watch: messages.Watch = ""
    ) -> WorkerProcess:
        """Asks for a worker over a staged submission, and does not wait for it.

        `watch` says which of its calls wait for the judge. Raises what `wait` raises.
        """
        self.wait()
        request = messages.ForkWorker(
            scratch=scratch.name,
            uid=scratch.uid,
            submission=str(submission),
            shared=str(self.shared_folders),
            judge=os.getpid(),
            watch=watch,
        )
        with ExitStack() as on_error, ExitStack() as workers_ends:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
            on_error.callback(ours.close)
            workers_ends.enter_context(theirs)
            for end in (ours, theirs):
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            ours.setblocking(False)
            reader, writer = os.pipe()
            their_output = workers_ends.enter_context(os.fdopen(writer, "wb", 0))
            os.set_blocking(reader, False)
            output = OutputPipe(reader)
            on_error.callback(output.close)
            sent, listener = [theirs.fileno(), their_output.fileno()], None
            if watch:
                listener_end, their_end = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
                sent.append(workers_ends.enter_context(their_end).fileno())
                listener = _LISTENERS[watch](listener_end)
                on_error.callback(listener.close)
            forked = self._control.request(request, sent)
            on_error.pop_all()
        groups = self._groups(submission, scratch)
        return WorkerProcess(forked, self._control, ours, output, scratch, groups, listener)

    def _groups(self, submission: Path, scratch: ScratchFolder) -> tuple[int, ...]:
        """The groups that a worker with a user of its own must have, its own one first."""
        if self.tier == Tier.A:
            return (scratch.uid,)
        # The folders that it must enter, and others must not.
        return tuple(folder.stat().st_gid for folder in (submission.parent, self.shared_folders))

    def look_at_files(
        self, scratch: ScratchFolder, pid: int = 0, descriptor: int = -1
    ) -> PendingReply:
        """Asks for the files in a scratch folder, and a worker's open one; see `LookAtFiles`."""
        request = messages.LookAtFiles(
            pid=pid, uid=scratch.uid, scratch=scratch.name, descriptor=descriptor
        )
        return self._control.request(request)

    def names_in(self, scratch: ScratchFolder) -> Names:
        """The files in a scratch folder, after its worker's end."""
        return names_of(self.look_at_files(scratch).wait(messages.Files))

    @contextmanager
    def open_scratch(self, scratch: ScratchFolder) -> Iterator[int]:
        """A descriptor of a scratch folder; workers that were killed before are gone."""
        reply = self._control.request(messages.OpenScratch(scratch=scratch.name))
        reply.wait(messages.Done)
        (folder,) = reply.descriptors
        with closing(folder):
            yield folder.fileno()

    def unlinked_bytes(self, pid: int, uid: int) -> int:
        """Bytes on disk of unlinked files that a worker keeps open; 0 where none can be seen."""
        if self.tier not in (Tier.B, Tier.C):
            return 0
        request = messages.MeasureUnlinked(pid=pid, uid=uid)
        return self._control.request(request).wait(messages.Unlinked).size

    def drain(self) -> None:
        """Waits until everything asked for is done: every killed worker is gone then."""
        self._control.drain()

    def cpu_seconds(self) -> float:
        """The CPU seconds of this zygote and of its workers that have been reaped."""
        self.wait()
        return self._control.request(messages.GetCpuTime()).wait(messages.CpuTime).seconds

    def fork(self, lane: int) -> Zygote:
        """Forks a zygote for a later lane's judge process; end it by `disconnect`, not `close`."""
        self.wait()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            try:
                request = messages.ForkZygote()
                self._control.request(request, [theirs.fileno()]).wait(messages.Done)
            except GraderFault:
                ours.close()
                raise
        fork = copy.copy(self)
        fork._control, fork.lane = Control(ours), lane
        return fork

    def with_device(self, device: str, memory_mib: int) -> Zygote:
        """Starts another zygote, in this one's tier, whose workers see the device of this UUID.

        A worker may hold `memory_mib` of host memory. The caller closes the zygote.
        """
        self.wait()
        return Zygote((self.tier,), self._hidden, memory_mib, device=device)

    def disconnect(self) -> None:
        """Closes this process's end: once every process has, the zygote and its workers end."""
        self._control.close()

    def close(self) -> None:
        """Ends the zygote and every worker with it, and removes the folder."""
        self._run.remove()
