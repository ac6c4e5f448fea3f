"""A worker's life after its fork: locks itself down, waits for "go", and answers calls.

All of this runs in the process that the submission's code will own. The judge trusts nothing that
it says.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from typing import Any, NoReturn

from assignment.calls import plain
from assignment.calls.implementation import seed_everything
from grader.isolation import UNISOLATED
from grader.sandbox import lockdown
from grader.sandbox.probe import probe
from grader.sandbox.sandbox import Sandbox, WorkerPaths
from grader.wire.messages import ForkWorker
from grader.worker import calls, looks
from grader.worker.channel import receive, send
from grader.worker.failures import failure
from grader.worker.stand_ins import StandIns


def run(sandbox: Sandbox, request: ForkWorker, paths: WorkerPaths, *descriptors: int) -> NoReturn:
    """A worker's whole life, from just after its fork.

    The descriptors are those of the channel for frames, of its output and, if the judge must let
    some of its calls pass, of a socket. `paths` are as seen from outside.
    """
    channel, _, *watch = descriptors
    try:
        try:
            lockdown.detach(*descriptors)
            if watch:
                looks.announce_to(request.watch, *watch)
            inside = sandbox.lock_down(request, paths)
            probes = {}
            if sandbox.tier != UNISOLATED:
                probes = probe(sandbox.grading, request.judge, sandbox.world_writable)
        except BaseException as error:
            send(channel, 0, {"lockdown": f"{type(error).__name__}: {error}"})
            os._exit(70)
        # As one text: this is sent for every worker, and each value takes time on both ends.
        send(channel, 0, {"probes": json.dumps(probes), "scratch": inside.scratch})
        call_id, go = receive(channel)
        try:
            package = _prepare(go, inside)
        except BaseException as error:
            send(channel, call_id, {"failed": f"{type(error).__name__}: {error}"})
            os._exit(70)
        send(channel, call_id, {"ready": True})
        _serve(channel, package, inside)
    finally:
        os._exit(0)


def _prepare(go: dict[str, Any], paths: WorkerPaths) -> calls.CheckedPackage | None:
    """Limits memory, seeds, sets folders; returns the package, or None where only readers run."""
    lockdown.limit_memory(go["memory_mib"], go["address_space"])
    if not go["files"]:
        lockdown.forbid_files()
    seed_everything(go["seed"])
    os.environ["HOME"] = os.environ["TMPDIR"] = paths.tmp
    tempfile.tempdir = None  # the zygote's, if it has asked for one, is not this worker's
    if not go["package"]:  # this worker runs no code of the submission
        return None
    sys.path.append(paths.submission)
    return calls.CheckedPackage(go["package"], paths.submission)


def _serve(channel: int, package: calls.CheckedPackage | None, paths: WorkerPaths) -> None:
    """Answers requests until the judge closes the channel."""
    stand_ins = StandIns(channel)
    iterators: dict[int, Any] = {}  # that calls have returned, with their targets, by the call's id
    while True:
        call_id, request = receive(channel, stand_ins.of)
        stand_ins.begin(call_id)
        what = f"what {request.get('call', 'all of these calls')} returned"
        if package is None:
            answer = calls.read(request["call"], request["args"], request["kwargs"])
        elif "compile" in request:
            answer = {"result": calls.compile_files(paths, request["compile"])}
        elif "import" in request:
            answer = calls.check_import(package, request["import"], request["functions"])
        elif "seed" in request:
            package, answer = calls.begin_next_test(package, request["seed"]), {"result": None}
        elif "calls" in request:
            answer = calls.call_all(package, request["calls"])
        elif "next" in request:
            called, iterator = iterators[request["next"]]
            answer, what = calls.next_item(package, iterator), f"what {called} handed out"
        else:
            answer = calls.call(package, request["call"], request["args"], request["kwargs"])
            if request.get("iterate") and "result" in answer:
                answer = calls.iterate(package, answer["result"])
                if "result" in answer:
                    iterators[call_id] = request["call"], answer["result"]
                    answer = {"result": None}
        stand_ins.end()
        for stream in (sys.stdout, sys.stderr):  # the judge kills this process without a flush
            with contextlib.suppress(BaseException):
                stream.flush()
        try:
            send(channel, call_id, answer, what)
        except plain.NotPlainData as error:
            message = str(error).replace(f"{what}['result']", what)
            send(channel, call_id, failure("not_plain_data", message))
