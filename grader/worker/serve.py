"""A worker's life after its fork: locks itself down, waits for "go", and answers calls.

All of this runs in the process that the submission's code will own. The judge trusts nothing that
it says.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from typing import Any, NoReturn

from assignment import devices, plain
from assignment.implementation import seed_everything
from grader import wire
from grader.isolation import UNISOLATED
from grader.messages import ForkWorker
from grader.worker import calls, file_calls, lockdown
from grader.worker.failures import failure
from grader.worker.probe import probe
from grader.worker.sandbox import Sandbox, WorkerPaths


def run(
    sandbox: Sandbox,
    request: ForkWorker,
    paths: WorkerPaths,
    channel: int,
    output: int,
    *watch: int,
) -> NoReturn:
    """A worker's whole life, from just after its fork.

    Args:
        sandbox: locks it down.
        request: what the judge asked for.
        paths: its folders, as seen from outside.
        channel: a descriptor for frames to and from the judge.
        output: a descriptor for what it prints.
        watch: a socket, if the judge must let its syncs and renames pass.
    """
    try:
        try:
            lockdown.detach(channel, output, *watch)
            if watch:
                file_calls.announce_to(*watch)
            inside = sandbox.lock_down(request, paths)
            probes = {}
            if sandbox.tier != UNISOLATED:
                probes = probe(sandbox.grading, request.judge, sandbox.world_writable)
        except BaseException as error:
            _send(channel, 0, {"lockdown": f"{type(error).__name__}: {error}"})
            os._exit(70)
        _send(channel, 0, {"probes": probes, "scratch": inside.scratch})
        _serve(channel, inside)
    finally:
        os._exit(0)


def _serve(channel: int, paths: WorkerPaths) -> None:
    """Waits for "go", then answers requests until the judge closes the channel."""
    call_id, go = _receive(channel)
    lockdown.limit_memory(go["memory_mib"], go["address_space"])
    seed_everything(go["seed"])
    hidden = devices.hidden()
    os.environ.clear()
    os.environ.update(HOME=paths.tmp, TMPDIR=paths.tmp, LANG="C.UTF-8", **hidden)
    tempfile.tempdir = None  # the zygote's, if it has asked for one, is not this worker's
    sys.path.append(paths.submission)
    package = calls.CheckedPackage(go["package"], paths.submission)
    _send(channel, call_id, {"ready": True})
    while True:
        call_id, request = _receive(channel)
        if "compile" in request:
            answer: Any = {"result": calls.compile_files(paths, request["compile"])}
        elif "import" in request:
            answer = calls.check_import(package, request["import"], request["functions"])
        else:
            answer = calls.call(package, request["call"], request["args"], request["kwargs"])
        for stream in (sys.stdout, sys.stderr):  # the judge kills this process without a flush
            with contextlib.suppress(BaseException):
                stream.flush()
        try:
            _send(channel, call_id, answer, what := f"what {request.get('call')} returned")
        except plain.NotPlainData as error:
            message = str(error).replace(f"{what}['result']", what)
            _send(channel, call_id, failure("not_plain_data", message))


# --- frames ------------------------------------------------------------------------------------


def _send(channel: int, call_id: int, value: Any, what: str = "the answer") -> None:
    parts = [memoryview(part) for part in wire.encode(call_id, value, what)]
    while parts:
        sent = os.writev(channel, parts[:16])
        while parts and sent >= parts[0].nbytes:
            sent -= parts.pop(0).nbytes
        if parts:
            parts[0] = parts[0][sent:]


def _receive(channel: int) -> tuple[int, Any]:
    header = memoryview(bytearray(wire.HEADER.size))
    _fill(channel, header)
    call_id, length = wire.decode_header(bytes(header))
    body = wire.new_body(length)
    _fill(channel, body)
    return call_id, wire.decode(body)


def _fill(channel: int, buffer: memoryview) -> None:
    filled = 0
    while filled < len(buffer):
        received = os.readv(channel, [buffer[filled:]])
        if not received:
            os._exit(0)  # the judge needs this worker no longer
        filled += received
