"""The zygote: imports torch once, holds no secret, and forks a worker for each request.

`grader.judge.zygote` starts it as a fresh program whose environment holds only a hash seed. It
never runs a line of a submission: its forked, locked-down workers do.

Each request is one JSON message on the control socket:

    {"tiers": […], "run": folder, …}                  first: prepare the first that holds; answers
                                                      {"ready": tier, "refused": {…}, …}, or
                                                      {"fault": text} if forks would not work
    {"try": […], "run": folder, …}                    first: only try them; answers {"refused": {…}}
    {"spawn": uid, "scratch": name, "submission": folder, …} + descriptors [channel, output]
                                                      fork a worker; answers {"pid": n}
                                                      + descriptor [pidfd]
    {"reap": pid, "scratch": name, "keep": bool}      wait for a killed worker; answers
                                                      {"status": n}
    {"twin": true} + descriptor [control]             fork a second zygote; answers {"twin": true}
    {"usage": true}                                   answers {"cpu": seconds}, those of reaped
                                                      workers included
    {"discard": name}                                 remove a scratch folder; answers
                                                      {"discarded": name}

An answer {"error": text} means that the machine refused. End of file means that the judge is gone.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.worker import speed

if TYPE_CHECKING:
    from grader.worker.cgroups import ControlGroup
    from grader.worker.sandbox import Sandbox

_MAX_MESSAGE = 65536


class _JudgeGone(Exception):
    """The other end of the control socket is closed."""


def main(control_fd: int) -> None:
    """Serves requests on the control socket until the judge closes it."""
    control = socket.socket(fileno=control_fd)
    speed.import_without_fork_hooks()
    sys.argv[:] = sys.orig_argv[:] = ["worker"]  # workers need not know the repository's path
    run = ""
    try:
        settings = _receive(control)[0]
        run = settings["run"]
        _start(control, settings)
    except _JudgeGone:
        from grader import folders

        if run:  # this process may have created it again after the judge removed it
            folders.remove_while_written(Path(run))
        os._exit(0)


def _start(control: socket.socket, message: dict[str, Any]) -> None:
    """Answers the first request, and then all others."""
    from grader.isolation import CannotIsolate
    from grader.worker.sandbox import GradingContext
    from grader.worker.selection import choose, try_tier

    grading = GradingContext.from_message(message)
    if "try" in message:
        _send(control, {"refused": {tier: try_tier(tier, grading) for tier in message["try"]}})
        return
    try:
        sandbox, refused = choose(message["tiers"], grading)
    except CannotIsolate as error:
        _send(control, {"error": str(error)})
        return
    from grader.worker import cgroups

    group = cgroups.join(message["memory"], message["processes"])
    zygote = Zygote(control, sandbox, refused, group)
    try:
        _preload(message["devices"])
        if fault := _why_forks_would_fail():
            _send(control, {"fault": fault})
            zygote.end()
            return
        zygote.serve()
    except _JudgeGone:
        zygote.end()
        raise


def _preload(with_devices: bool) -> None:
    """Imports and runs what a worker will need, so that a fork finds it done.

    A library that is first used behind Landlock could not read /proc/cpuinfo, and would take other
    code paths with other last bits. Workers of a zygote `with_devices` use CUDA, which a process
    must not touch before it forks: that zygote runs no training step.
    """
    sys.dont_write_bytecode = True
    from grader import preload

    preload.load_torch(with_devices)
    import grader.worker.serve  # noqa: F401 - for the forks
    from assignment import programs, scenarios
    from grader.worker import first_calls

    scenarios.load_all()
    programs.load_all()
    first_calls.make_first_calls()
    if not with_devices:
        first_calls.make_first_training_steps()
    # Keeps only Python's own import hooks. An editable install, for example, adds another, which
    # could find modules that are not on the path.
    sys.meta_path[:] = [
        f for f in sys.meta_path if getattr(f, "__module__", "").startswith("_froz")
    ]
    # What is loaded from this repository stays loaded; nothing more of it can be found.
    from grader.paths import REPOSITORY

    sys.path[:] = [path for path in sys.path if path != str(REPOSITORY)]
    gc.collect()
    gc.freeze()  # collections in a worker skip what is loaded here
    speed.use_huge_pages()


def _why_forks_would_fail() -> str:
    """Why forks of this process could not compute, or ""; read from the kernel, not from torch.

    A fork copies only one thread: a library copied without its threads waits for them, or refuses.
    A process that holds a CUDA device open has started the driver.
    """
    threads = sum(1 for _ in Path("/proc/self/task").iterdir())
    if threads != 1:
        return f"the zygote has {threads} threads after preloading; expected 1, or no fork works"
    for descriptor in list(Path("/proc/self/fd").iterdir()):
        with contextlib.suppress(OSError):  # the descriptor of the listing itself is gone
            target = str(descriptor.readlink())
            if target.startswith("/dev/nvidia"):
                return f"the zygote holds {target} open; preloading must not touch CUDA"
    return ""


class Zygote:
    """Answers the judge's requests."""

    def __init__(
        self,
        control: socket.socket,
        sandbox: Sandbox,
        refused: dict[str, str],
        group: ControlGroup,
    ) -> None:
        self.control, self.group = control, group
        self.sandbox, self.refused = sandbox, refused
        self.alive: set[int] = set()  # children that have not been reaped
        self.is_second = False

    def serve(self) -> None:
        """Says that it is ready, and answers requests until the judge is gone."""
        ready = {
            "ready": self.sandbox.tier,
            "refused": self.refused,
            "own_uids": self.sandbox.own_uids,
            "control_group": self.group.summary,
        }
        _send(self.control, ready)
        while True:
            message, descriptors = _receive(self.control)
            if "spawn" in message:
                self.fork_worker(message, *descriptors)
            elif "twin" in message:
                self.fork_second_zygote(*descriptors)
            elif "reap" in message:
                self.reap(message["reap"], message["scratch"], message["keep"])
            elif "usage" in message:
                _send(self.control, {"cpu": sum(os.times()[:4])})
            else:
                self.sandbox.clean(message["discard"], False, self.alive)
                _send(self.control, {"discarded": message["discard"]})

    def fork_worker(self, message: dict[str, Any], channel: int, output: int) -> None:
        """Forks a worker, and sends its pidfd."""
        from grader.worker import serve
        from grader.worker.sandbox import WorkerRequest

        request = WorkerRequest.from_message(message, channel, output, self.sandbox.own_uids)
        child = -1
        try:
            paths = self.sandbox.make_paths(request)
            self.sandbox.before_worker_fork()
            child = os.fork()
        except OSError as error:
            _send(self.control, {"error": f"cannot start a worker: {error}"})
            return
        finally:
            if child != 0:  # in the worker these stay open
                os.close(channel)
                os.close(output)
        if child == 0:
            serve.run(self.sandbox, request, paths)
        self.alive.add(child)
        pidfd = os.pidfd_open(child)
        _send(self.control, {"pid": child}, [pidfd])
        os.close(pidfd)

    def fork_second_zygote(self, control: int) -> None:
        """Forks a second zygote, which serves another judge process over another socket."""
        from grader.worker import kernel

        self.sandbox.before_zygote_fork()
        try:
            second = os.fork()
        except OSError as error:
            os.close(control)
            _send(self.control, {"error": f"cannot fork a second zygote: {error}"})
            return
        if second:
            self.alive.add(second)
            os.close(control)
            _send(self.control, {"twin": True})
            return
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # nothing else would end it
        self.alive.clear()
        self.is_second = True
        self.control.close()
        self.control = socket.socket(fileno=control)

    def reap(self, pid: int, name: str, keep_scratch: bool) -> None:
        """Waits for a worker that was killed, and removes what it wrote."""
        _, status = os.waitpid(pid, 0)
        self.alive.discard(pid)
        self.sandbox.clean(name, keep_scratch, self.alive)
        _send(self.control, {"status": status})

    def end(self) -> None:
        """Ends all processes, so that the grading's folder can be removed."""
        if self.is_second:
            os._exit(0)  # the first zygote still needs the folder
        for child in self.alive:
            os.kill(child, signal.SIGKILL)
        for child in self.alive:
            os.waitpid(child, 0)
        self.group.leave()
        self.sandbox.tear_down()


def _send(control: socket.socket, message: dict[str, Any], descriptors: Any = ()) -> None:
    try:
        socket.send_fds(control, [json.dumps(message).encode()], list(descriptors))
    except (BrokenPipeError, ConnectionResetError):
        raise _JudgeGone from None


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    try:
        data, descriptors, _, _ = socket.recv_fds(control, _MAX_MESSAGE, 4)
    except ConnectionResetError:
        data = b""
    if not data:
        raise _JudgeGone  # its workers follow by PDEATHSIG
    return json.loads(data), list(descriptors)
