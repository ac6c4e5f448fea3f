"""The zygote: imports torch once, holds no secret, and forks a worker for each request.

Started by `grader.judge.zygote` as a fresh program whose environment holds a hash seed alone. It
never runs a line of a submission: a worker does, after its fork, locked down.

Requests come as one JSON message each, over the control socket:

    {"tiers": […], "run": folder, …}                  first: prepare the first that holds; answers
                                                      {"ready": tier, "refused": {…}, …}, or
                                                      {"fault": text} if no worker could be forked
    {"try": […], "run": folder, …}                    first: only try; answers {"refused": {…}}
    {"spawn": uid, "scratch": name, "submission": folder, …} + descriptors [channel, output]
                                                      answers {"pid": n} + descriptor [pidfd]
    {"reap": pid, "scratch": name, "keep": bool}      answers {"status": n, "peak": bytes}
    {"twin": true} + descriptor [control]             forks another zygote; answers {"twin": true}
    {"usage": true}                                   answers {"cpu": seconds}, with those reaped
    {"discard": name}                                 a scratch folder; answers {"discarded": name}

An answer {"error": text} means that the machine refused. End of file means: the judge is gone.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import signal
import socket
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.worker.cgroups import ControlGroup
    from grader.worker.sandbox import Sandbox

_MESSAGE = 65536


class _JudgeGone(Exception):
    """Nobody holds the other end of the control socket any more."""


def main(control_fd: int) -> None:
    """Serves requests on the control socket until the judge closes it."""
    control = socket.socket(fileno=control_fd)
    _import_without_hooks()
    sys.argv[:] = sys.orig_argv[:] = ["worker"]  # where the repository lies is no worker's business
    run = ""
    try:
        settings = _receive(control)[0]
        run = settings["run"]
        _start(control, settings)
    except _JudgeGone:
        from grader import folders

        if run:  # made again, perhaps, by what was done after the judge had removed it
            folders.remove_while_written(Path(run))
        os._exit(0)


def _import_without_hooks() -> None:
    """Imports what registers work for each fork, and leaves that work out.

    It makes locks anew that another thread might hold, and seeds what a worker seeds itself. The
    zygote has one thread; in a worker all that would copy 280 pages of memory.
    """
    register = os.register_at_fork
    os.register_at_fork = lambda **_: None
    try:
        for name in ("concurrent.futures.thread", "logging", "random", "threading"):
            import_module(name)
    finally:
        os.register_at_fork = register


def _start(control: socket.socket, message: dict[str, Any]) -> None:
    from grader.worker.lockdown import CannotIsolate
    from grader.worker.sandbox import choose, tried

    run, uid = message["run"], message["uid"]
    rest = run, tuple(message["hidden"]), uid, message["canary"], message["results"]
    if "try" in message:
        _send(control, {"refused": {tier: tried(tier, *rest) for tier in message["try"]}})
        return
    try:
        sandbox, refused = choose(message["tiers"], *rest)
    except CannotIsolate as error:
        _send(control, {"error": str(error)})
        return
    from grader.worker import cgroups

    group = cgroups.join(message["memory"], message["processes"])
    zygote = Zygote(control, sandbox, refused, group)
    try:
        _warm_up(message["devices"])
        if fault := _why_not_fork():
            _send(control, {"fault": fault})
            zygote.end()
            return
        zygote.serve()
    except _JudgeGone:
        zygote.end()
        raise


def _warm_up(with_devices: bool) -> None:
    """Imports and runs what a worker will need, so that a fork finds it done.

    A cold library behind Landlock could not read /proc/cpuinfo and would take other code paths,
    with other last bits. A zygote `with_devices` runs forward passes only: its workers use CUDA,
    which a process must not have touched before it forks.
    """
    sys.dont_write_bytecode = True
    from grader import warm

    warm.load_torch(with_devices)
    import grader.worker.serve
    from assignment import programs, scenarios

    scenarios.load_all()
    programs.load_all()
    grader.worker.serve.rehearse()
    if not with_devices:
        grader.worker.serve.rehearse_training()
    # Installed packages may bring import hooks of their own (an editable install does): a worker
    # finds its modules by path, or not at all.
    sys.meta_path[:] = [
        f for f in sys.meta_path if getattr(f, "__module__", "").startswith("_froz")
    ]
    # What is loaded from this repository stays loaded; nothing more of it can be found.
    repository = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))  # noqa: PTH120
    sys.path[:] = [path for path in sys.path if path != repository]
    gc.collect()
    gc.freeze()
    _use_huge_pages()


def _use_huge_pages() -> None:
    """Gathers this process's own memory into huge pages, once all of it is there.

    A fork copies a page table's entries, and a worker's end drops them: with 4 KiB pages that is
    half of what a worker costs. Kernels before 6.1 refuse, and nothing changes.
    """
    from grader.worker import kernel

    for line in Path("/proc/self/maps").read_text().splitlines():
        span, mode, _, _, inode, *name = line.split()
        if mode == "rw-p" and inode == "0" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in span.split("-"))
            kernel.collapse(start, end)


def _why_not_fork() -> str:
    """Why forks of this process could not compute, or ""; read from the kernel, not from torch.

    A fork copies one thread alone, and a library that is copied without its threads waits for them
    or refuses. Whoever holds a device open has started the driver.
    """
    if (threads := len(os.listdir("/proc/self/task"))) != 1:  # noqa: PTH208
        return f"the zygote has {threads} threads after its warm-up; expected 1, or no fork works"
    for descriptor in os.listdir("/proc/self/fd"):  # noqa: PTH208
        with contextlib.suppress(OSError):  # that of the listing itself is gone
            if (target := os.readlink(f"/proc/self/fd/{descriptor}")).startswith("/dev/nvidia"):  # noqa: PTH115
                return f"the zygote holds {target} open; its warm-up must not touch CUDA"
    return ""


class Zygote:
    """Answers the judge's requests; the only state is the sandbox and the pid namespace."""

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
        self.is_twin = False

    def serve(self) -> None:
        ready = {
            "ready": self.sandbox.tier,
            "refused": self.refused,
            "own_uids": self.sandbox.own_uids,
            "control_group": self.group.says,
        }
        _send(self.control, ready)
        while True:
            request, descriptors = _receive(self.control)
            if "spawn" in request:
                self.spawn(request, *descriptors)
            elif "twin" in request:
                self.fork_twin(*descriptors)
            elif "reap" in request:
                self.reap(request)
            elif "usage" in request:
                _send(self.control, {"cpu": sum(os.times()[:4])})
            else:
                self.sandbox.clean(request["discard"], False, self.alive)
                _send(self.control, {"discarded": request["discard"]})

    def spawn(self, request: dict[str, Any], channel: int, output: int) -> None:
        from grader.worker import serve
        from grader.worker.lockdown import Places

        uid = request["spawn"] if self.sandbox.own_uids else 0
        name = request["scratch"]
        try:
            places = Places(
                self.sandbox.make_submission(request["submission"], name),
                request["exchange"],
                self.sandbox.make_scratch(name, uid),
                self.sandbox.make_tmp(name, uid),
            )
            self.sandbox.about_to_fork()
            child = os.fork()
        except OSError as error:
            _send(self.control, {"error": f"cannot start a worker: {error}"})
            return
        finally:
            if "child" not in locals() or child:
                os.close(channel)
                os.close(output)
        if child == 0:
            serve.run(self.sandbox, channel, output, request, places, uid)
        self.alive.add(child)
        pidfd = os.pidfd_open(child)
        _send(self.control, {"pid": child}, [pidfd])
        os.close(pidfd)

    def fork_twin(self, control: int) -> None:
        """Goes on twice; the twin serves another judge process, over another socket."""
        from grader.worker import kernel

        self.sandbox.about_to_twin()
        try:
            twin = os.fork()
        except OSError as error:
            os.close(control)
            _send(self.control, {"error": f"cannot fork a second zygote: {error}"})
            return
        if twin:
            self.alive.add(twin)
            os.close(control)
            _send(self.control, {"twin": True})
            return
        kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)  # it has nobody else to end it
        self.alive.clear()
        self.is_twin = True
        self.control.close()
        self.control = socket.socket(fileno=control)

    def reap(self, request: dict[str, Any]) -> None:
        _, status, usage = os.wait4(request["reap"], 0)
        self.alive.discard(request["reap"])
        self.sandbox.clean(request["scratch"], request["keep"], self.alive)
        _send(self.control, {"status": status, "peak": usage.ru_maxrss * 1024})

    def end(self) -> None:
        """Ends every process, for the grading's folder to be removed: the judge may be gone."""
        if self.is_twin:
            os._exit(0)  # the folder is still the other one's
        for child in self.alive:
            os.kill(child, signal.SIGKILL)
        for child in self.alive:
            os.waitpid(child, 0)
        self.group.leave()
        self.sandbox.leave()


def _send(control: socket.socket, message: dict[str, Any], descriptors: Any = ()) -> None:
    try:
        socket.send_fds(control, [json.dumps(message).encode()], list(descriptors))
    except (BrokenPipeError, ConnectionResetError):
        raise _JudgeGone from None


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    try:
        data, descriptors, _, _ = socket.recv_fds(control, _MESSAGE, 4)
    except ConnectionResetError:
        data = b""
    if not data:
        raise _JudgeGone  # its workers follow by PDEATHSIG
    return json.loads(data), list(descriptors)
