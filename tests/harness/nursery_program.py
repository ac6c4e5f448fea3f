"""The process that `nursery.py` asks for zygotes: it forks each, and a process that awaits its end.

It has imported nothing that a zygote has not: a worker could find it.
"""

import os
import signal
import socket
import sys
from contextlib import suppress


def serve(server: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for its children
    while True:
        request, descriptors, *_ = socket.recv_fds(server, 16, 3)
        if not request:
            os._exit(0)
        if not os.fork():
            start(server, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def start(server: socket.socket, control: int, log: int, status: int) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if pid := os.fork():
        os.close(control)
        server.send(b"%d" % pid)
        server.close()
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        with suppress(BrokenPipeError):
            os.write(status, b"%d" % ended)
    else:
        server.close()
        os.close(status)
        os.dup2(log, 2)
        os.close(log)
        zygote.main(control)
    os._exit(0)


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    # What a zygote imports when it is asked for it: after `preload` it could not.
    from grader import command_line, folders, isolation  # noqa: F401
    from grader.sandbox import cgroups, kernel, tiers  # noqa: F401
    from grader.worker import looks, speed, unlinked, warmup, zygote  # noqa: F401

    speed.import_without_fork_hooks()
    command_line.overwrite("grader zygote")
    warmup.preload(with_devices=False)
    serve(socket.socket(fileno=int(sys.argv[2])))
