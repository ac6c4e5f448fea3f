"""Runs Python commands in forks of a process that has imported torch: none waits for that.

    run("-m", "pytest", "--ex", "segments", cwd=handout)

The process, one for each process of pytest's, imports nothing of this repository. Of what Python
reads before it starts, only PYTHONPATH, PYTHONSAFEPATH, PYTHONIOENCODING and
PYTHONDONTWRITEBYTECODE have their effect: a test of anything else uses `subprocess`.
"""

from __future__ import annotations

import atexit
import functools
import gc
import importlib
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

# An optimizer's first step loads `torch._dynamo`, in most of the forks that run a handout's tests.
_LIBRARIES = ("numpy", "torch", "torch._dynamo", "beartype", "rich.console", "typer", "einops")
_LIBRARIES += ("pytest", "_pytest.assertion.rewrite", "_pytest.junitxml", "pdb", "execnet")
_LIBRARIES += ("tomllib", "rich.table", "rich.live", "msgspec", "beartype.claw", "jaxtyping")
_ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS")}


def run(
    *arguments: str, cwd: Path, env: Mapping[str, str] = os.environ, stdin: str = ""
) -> subprocess.CompletedProcess[str]:
    """As `subprocess.run([sys.executable, *arguments], …)`, with what it prints, as UTF-8."""
    with ExitStack() as stack:
        given, out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(3))
        given.write(stdin.encode())
        given.seek(0)
        status = run_on([given.fileno(), out.fileno(), err.fileno()], *arguments, cwd=cwd, env=env)
        printed = [(file.seek(0), file.read().decode())[1] for file in (out, err)]
    return subprocess.CompletedProcess(arguments, status, *printed)


def run_on(files: Sequence[int], *arguments: str, cwd: Path, env: Mapping[str, str]) -> int:
    """Runs it with these three descriptors as its standard files; returns its exit status."""
    request = json.dumps([arguments, str(cwd), dict(env)]).encode()
    socket.send_fds(server(), [request], files)
    return int(server().recv(16))


@functools.cache
def server() -> socket.socket:
    """The socket of the process that forks; the process ends with this one."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    atexit.register(ours.close)
    with theirs:
        os.set_inheritable(theirs.fileno(), True)
        command = [sys.executable, "-P", "-X", "utf8", __file__, str(theirs.fileno())]
        os.posix_spawn(sys.executable, command, {**os.environ, **_ONE_THREAD})
    return ours


def _serve(control: socket.socket) -> None:
    """Forks for each request, until the other end is closed; returns in each fork."""
    for name in _LIBRARIES:
        importlib.import_module(name)
    # Or pytest warns that it cannot rewrite the asserts of what is imported.
    sys.modules["jaxtyping"].__doc__ = "PYTEST_DONT_REWRITE"
    gc.collect()
    gc.freeze()
    while True:
        request, files, *_ = socket.recv_fds(control, 2**20, 3)
        if not request:
            os._exit(0)
        if not (pid := os.fork()):
            control.close()
            for number, file in enumerate(files):
                os.dup2(file, number)
                os.close(file)
            _execute(*json.loads(request))
        for file in files:
            os.close(file)
        _, status = os.waitpid(pid, 0)
        control.send(b"%d" % os.waitstatus_to_exitcode(status))


def _execute(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """Runs `-m module …` or `-c code …`, and ends this process as Python would."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    safe = environment.get("PYTHONSAFEPATH", "")
    before = [folder] * (not safe) + environment.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = filter(None, before)
    encoding, _, errors = environment.get("PYTHONIOENCODING", "utf-8").partition(":")
    for number, name in enumerate(("stdout", "stderr"), 1):  # a terminal's are buffered by lines
        kept = errors or getattr(sys, name).errors
        setattr(sys, name, os.fdopen(number, "w", encoding=encoding, errors=kept, closefd=False))
    sys.dont_write_bytecode = bool(environment.get("PYTHONDONTWRITEBYTECODE"))
    kind, what, *rest = arguments
    sys.argv[:] = [what if kind == "-m" else kind, *rest]
    status = 0
    try:
        if kind == "-m":
            runpy.run_module(what, run_name="__main__", alter_sys=True)
        else:
            exec(compile(what, "<string>", "exec"), {"__name__": "__main__"})
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
        status = error.code if isinstance(error.code, int) else error.code is not None
    except BaseException:
        traceback.print_exc()
        status = 1
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    _serve(socket.socket(fileno=int(sys.argv[1])))
