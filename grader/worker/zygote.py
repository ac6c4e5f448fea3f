"""The zygote: imports torch once, holds no secret, and forks a worker for each request.

`grader.supervisor.zygote` starts it as a fresh program whose environment holds only a hash seed. It
never runs a line of a submission: its forked, locked-down workers do. `grader/wire/messages.py` has
the requests that it serves.
"""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from grader import command_line
from grader.wire import messages
from grader.worker import speed

if TYPE_CHECKING:
    from grader.sandbox.cgroups import ControlGroup
    from grader.sandbox.sandbox import Sandbox


class _JudgeGone(Exception):
    """The other end of the control socket is closed."""


def main(control_fd: int) -> None:
    """Serves requests; removes the run's folder once the judge has closed the control socket.

    If tiers are only tried, or the start fails, it ends after that one reply.
    """
    control = socket.socket(fileno=control_fd)
    speed.import_without_fork_hooks()
    sys.argv[:] = sys.orig_argv[:] = ["worker"]  # workers need not know the repository's path
    command_line.overwrite("grader zygote")
    run = ""
    try:
        start, _ = _receive(control)
        assert isinstance(start, messages.Start), "the first request"
        run = start.grading.run
        _start(control, start)
    except _JudgeGone:
        from grader import folders

        if run:  # this process may have created it again after the judge removed it
            folders.remove_while_written(Path(run))
        os._exit(0)


def _start(control: socket.socket, start: messages.Start) -> None:
    """Answers the first request; then all others, unless that was only a try or has failed."""
    from grader.isolation import CannotIsolate
    from grader.sandbox.tiers import choose, try_tier

    if start.only_try:
        refused = {tier: try_tier(tier, start.grading) for tier in start.tiers}
        _send(control, messages.Ready(refused=refused))
        return
    try:
        sandbox, refused = choose(start.tiers, start.grading)
    except CannotIsolate as error:
        _send(control, messages.Failed(reason=str(error), cannot_isolate=True))
        return
    from grader.sandbox import cgroups
    from grader.worker import warmup

    group = cgroups.join(start.memory, start.processes)
    zygote = Zygote(control, sandbox, group)
    try:
        with zygote.ended_with_judge():
            warmup.preload(start.grading.with_devices)
        if fault := warmup.why_forks_would_fail():
            _send(control, messages.Failed(reason=fault))
            zygote.end()
            return
        ready = messages.Ready(
            refused=refused,
            tier=sandbox.tier,
            own_uids=sandbox.own_uids,
            control_group=group.summary,
        )
        _send(control, ready)
        zygote.serve()
    except _JudgeGone:
        zygote.end()
        raise


class Zygote:
    """Answers the judge's requests."""

    def __init__(self, control: socket.socket, sandbox: Sandbox, group: ControlGroup) -> None:
        self.control, self.sandbox, self.group = control, sandbox, group
        self.alive: set[int] = set()  # children that have not been reaped
        self.is_first = True

    @contextmanager
    def ended_with_judge(self) -> Iterator[None]:
        """In the block, which reads no requests, ends this process as soon as the judge is gone."""
        from grader import folders

        def end_if_gone(*_: object) -> None:
            poll = select.poll()
            poll.register(self.control, 0)
            if poll.poll(0):  # asked for no events, it tells only that the other end is closed
                self.end()
                folders.remove_while_written(Path(self.sandbox.run))
                os._exit(0)  # an exception in the middle of torch's import would abort

        flags = fcntl.fcntl(self.control, fcntl.F_GETFL)
        signal.signal(signal.SIGIO, end_if_gone)
        fcntl.fcntl(self.control, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(self.control, fcntl.F_SETFL, flags | os.O_ASYNC)
        end_if_gone()
        yield
        fcntl.fcntl(self.control, fcntl.F_SETFL, flags)
        signal.signal(signal.SIGIO, signal.SIG_DFL)

    def serve(self) -> None:
        """Answers requests; raises _JudgeGone once the judge is gone."""
        while True:
            try:
                request, descriptors = _receive(self.control)
            except messages.DescriptorsLost as error:
                self.refuse(f"the zygote cannot take a request: {error}")
                continue
            match request:
                case messages.ForkWorker():
                    self.fork_worker(request, *descriptors)
                case messages.ForkZygote():
                    self.fork_zygote(*descriptors)
                case messages.Reap():
                    self.reap(request)
                case messages.LookAtFiles() | messages.MeasureUnlinked():
                    self.look_at_worker(request)
                case messages.OpenScratch(scratch=name):
                    self.open_scratch(name)
                case messages.RemoveScratch(scratch=name):
                    self.sandbox.clean(name, False, self.alive)
                    _send(self.control, messages.Done())
                case messages.GetCpuTime():
                    _send(self.control, messages.CpuTime(seconds=sum(os.times()[:4])))

    def fork_worker(self, request: messages.ForkWorker, *descriptors: int) -> None:
        """Forks a worker, and sends its pidfd."""
        from grader.worker import serve

        if not self.sandbox.own_uids:
            request = msgspec.structs.replace(request, uid=0)
        child = -1
        try:
            paths = self.sandbox.make_paths(request)
            self.sandbox.before_worker_fork()
            child = os.fork()
            pidfd = os.pidfd_open(child) if child else -1
        except OSError as error:
            if child > 0:  # the judge could not end it
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
            self.refuse(f"cannot start a worker: {error}")
            return
        finally:
            if child != 0:  # in the worker these stay open
                for descriptor in descriptors:
                    os.close(descriptor)
        if child == 0:
            serve.run(self.sandbox, request, paths, *descriptors)
        self.alive.add(child)
        _send(self.control, messages.Forked(pid=child), [pidfd])
        os.close(pidfd)

    def fork_zygote(self, control: int) -> None:
        """Forks a zygote, which serves another judge process on `control`; returns in both."""
        from grader.sandbox import kernel

        self.sandbox.before_zygote_fork()
        try:
            other = os.fork()
        except OSError as error:
            os.close(control)
            self.refuse(f"cannot fork a second zygote: {error}")
            return
        if other:
            self.alive.add(other)
            os.close(control)
            _send(self.control, messages.Done())
            return
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # nothing else would end it
        self.alive.clear()
        self.is_first = False
        self.control.close()
        self.control = socket.socket(fileno=control)

    def look_at_worker(self, request: messages.LookAtFiles | messages.MeasureUnlinked) -> None:
        """Looks at a worker's files in a child, which becomes the worker's user for that."""
        from grader.worker import looks, unlinked

        try:
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            self.refuse(f"cannot look at a worker's files: {error}")
            return
        with ours, theirs:
            try:
                self.sandbox.before_zygote_fork()
                child = os.fork()
            except OSError as error:
                self.refuse(f"cannot look at a worker's files: {error}")
                return
            if child == 0:
                try:
                    if isinstance(request, messages.LookAtFiles):
                        looks.look(self.sandbox, request, theirs)
                    else:
                        unlinked.measure(self.sandbox, request, theirs)
                    os._exit(0)
                finally:
                    os._exit(1)
            # The child may be killed before or after it has answered: one reply goes to the judge.
            _, status = os.waitpid(child, 0)
            if status:
                self.refuse("cannot look at a worker's files")
                return
            reply, held = messages.receive(ours)
        _send(self.control, cast(messages.Reply, reply), held)
        for descriptor in held:
            os.close(descriptor)

    def open_scratch(self, name: str) -> None:
        """Sends a descriptor of a scratch folder, which the judge may have no path to."""
        try:
            folder = os.open(f"{self.sandbox.run}/scratch/{name}", os.O_PATH | os.O_DIRECTORY)
        except OSError as error:
            self.refuse(f"a scratch folder cannot be opened: {error}")
            return
        _send(self.control, messages.Done(), [folder])
        os.close(folder)

    def refuse(self, reason: str) -> None:
        """Answers that what was asked for could not be done."""
        _send(self.control, messages.Failed(reason=reason))

    def reap(self, request: messages.Reap) -> None:
        """Waits for a worker that was killed, and removes what it wrote."""
        _, status = os.waitpid(request.pid, 0)
        self.alive.discard(request.pid)
        self.sandbox.clean(request.scratch, request.keep_scratch, self.alive)
        _send(self.control, messages.Reaped(status=status))

    def end(self) -> None:
        """Kills its children and tears down the sandbox; any but the first zygote only exits."""
        if not self.is_first:
            os._exit(0)  # the first zygote still needs the sandbox
        for child in self.alive:
            os.kill(child, signal.SIGKILL)
        for child in self.alive:
            os.waitpid(child, 0)
        self.group.leave()
        self.sandbox.tear_down()


def _send(control: socket.socket, reply: messages.Reply, descriptors: Sequence[int] = ()) -> None:
    try:
        messages.send(control, reply, descriptors)
    except (BrokenPipeError, ConnectionResetError):
        raise _JudgeGone from None


def _receive(control: socket.socket) -> tuple[messages.Request | messages.Reply, list[int]]:
    try:
        return messages.receive(control)
    except (EOFError, ConnectionResetError):
        raise _JudgeGone from None  # its workers follow by PDEATHSIG
