"""The zygote: imports torch once, holds no secret, and forks a worker for each request.

Started by `grader.judge.zygote` as a fresh program with an empty environment. It never runs a
line of a submission: a worker does, after its fork, locked down.

Requests come as one JSON message each, over the control socket:

    {"sandbox": …}                                    first: prepare; answers {"ready": true}
    {"spawn": uid, "scratch": name, "submission": folder, …} + descriptors [channel, output]
                                                      answers {"pid": n} + descriptor [pidfd]
    {"reap": pid, "scratch": name or null}            answers {"status": n, "peak": bytes}
    {"twin": true} + descriptor [control]             forks another zygote; answers {"twin": true}
    {"discard": name}                                 a scratch folder; answers {"discarded": name}

An answer {"error": text} means that the machine refused. End of file means: the judge is gone.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import sys
from typing import Any

_MESSAGE = 65536


def main(control_fd: int) -> None:
    """Serves requests on the control socket until the judge closes it."""
    control = socket.socket(fileno=control_fd)
    message = _receive(control)[0]
    from grader.worker.lockdown import CannotIsolate, Sandbox

    settings = message["sandbox"]
    sandbox = Sandbox(**{**settings, "hidden": tuple(settings["hidden"])})
    root = os.getuid() == 0
    try:
        if sandbox.tier == "A":
            root = sandbox.enter_namespaces()
            if not root:
                _become_init()
            sandbox.build_root()
    except CannotIsolate as error:
        _send(control, {"error": str(error)})
        return
    _warm_up()
    Zygote(control, sandbox, own_uids=root and sandbox.tier == "A").serve()


def _become_init() -> None:
    """Goes on in a child that is pid 1 of the new pid namespace; the parent only waits."""
    child = os.fork()
    if child:
        # Descriptors must go, or the judge would wait for an end of file that never comes.
        os.closerange(0, 256)
        _, status = os.waitpid(child, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    from grader.worker import kernel

    kernel.prctl(kernel.PR_SET_PDEATHSIG, signal.SIGKILL)


def _warm_up() -> None:
    """Imports and runs what a worker will need, so that a fork finds it done.

    One thread only: a fork after a parallel region would hang. A cold library behind Landlock
    could not read /proc/cpuinfo and would take other code paths, with other last bits.
    """
    for name in ("OMP", "MKL", "OPENBLAS"):
        os.environ[f"{name}_NUM_THREADS"] = "1"
    sys.dont_write_bytecode = True
    import torch

    torch.set_num_threads(1)
    import torch.utils.checkpoint

    import grader.worker.serve
    from assignment import scenarios

    scenarios.load_all()
    grader.worker.serve.rehearse()
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


class Zygote:
    """Answers the judge's requests; the only state is the sandbox and the pid namespace."""

    def __init__(self, control: socket.socket, sandbox: Any, own_uids: bool) -> None:
        self.control = control
        self.sandbox = sandbox
        self.own_uids = own_uids
        self.pid_namespace = os.open("/proc/self/ns/pid", os.O_RDONLY | os.O_CLOEXEC)

    def serve(self) -> None:
        _send(self.control, {"ready": True, "own_uids": self.own_uids})
        while True:
            request, descriptors = _receive(self.control)
            if "spawn" in request:
                self.spawn(request, *descriptors)
            elif "twin" in request:
                self.fork_twin(*descriptors)
            elif "reap" in request:
                self.reap(request)
            else:
                self.sandbox.remove_scratch(request["discard"])
                _send(self.control, {"discarded": request["discard"]})

    def spawn(self, request: dict[str, Any], channel: int, output: int) -> None:
        from grader.worker import kernel, serve

        uid = request["spawn"] if self.own_uids else 0
        try:
            scratch = self.sandbox.make_scratch(request["scratch"], uid)
            if self.sandbox.tier == "A":
                kernel.setns(self.pid_namespace, kernel.CLONE_NEWPID)
                kernel.unshare(kernel.CLONE_NEWPID)
            child = os.fork()
        except OSError as error:
            _send(self.control, {"error": f"cannot start a worker: {error}"})
            return
        finally:
            if "child" not in locals() or child:
                os.close(channel)
                os.close(output)
        if child == 0:
            serve.run(self.sandbox, channel, output, request, str(scratch), uid)
        pidfd = os.pidfd_open(child)
        _send(self.control, {"pid": child}, [pidfd])
        os.close(pidfd)

    def fork_twin(self, control: int) -> None:
        """Goes on twice; the twin serves another judge process, over another socket."""
        from grader.worker import kernel

        if self.sandbox.tier == "A":
            kernel.setns(self.pid_namespace, kernel.CLONE_NEWPID)
        if os.fork():
            os.close(control)
            _send(self.control, {"twin": True})
            return
        self.control.close()
        self.control = socket.socket(fileno=control)

    def reap(self, request: dict[str, Any]) -> None:
        _, status, usage = os.wait4(request["reap"], 0)
        if request["scratch"] is not None:
            self.sandbox.remove_scratch(request["scratch"])
        _send(self.control, {"status": status, "peak": usage.ru_maxrss * 1024})


def _send(control: socket.socket, message: dict[str, Any], descriptors: Any = ()) -> None:
    socket.send_fds(control, [json.dumps(message).encode()], list(descriptors))


def _receive(control: socket.socket) -> tuple[dict[str, Any], list[int]]:
    data, descriptors, _, _ = socket.recv_fds(control, _MESSAGE, 4)
    if not data:
        os._exit(0)  # the judge is gone; its workers follow by PDEATHSIG
    return json.loads(data), list(descriptors)
