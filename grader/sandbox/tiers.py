"""Chooses the tier: locks a trial process down and lets it try what workers must not be able to do.

A kernel's version is never trusted.
"""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Sequence
from pathlib import Path

import msgspec

from grader.isolation import UNISOLATED, CannotIsolate
from grader.sandbox import lockdown
from grader.sandbox.namespaces import Namespaces
from grader.sandbox.probe import probe
from grader.sandbox.sandbox import Sandbox, Unisolated
from grader.sandbox.shared_filesystem import OwnUsers, OwnUsersWithoutLandlock, SameUser
from grader.wire.messages import ForkWorker, Grading

_TRIAL_SECONDS = 20
_SANDBOXES: dict[str, type[Sandbox]] = {
    kind.tier: kind
    for kind in (Namespaces, OwnUsers, OwnUsersWithoutLandlock, SameUser, Unisolated)
}


def choose(tiers: Sequence[str], grading: Grading) -> tuple[Sandbox, dict[str, str]]:
    """Prepares the first of these tiers that holds; returns it, and why those before do not.

    Raises CannotIsolate if none of them holds, with the reason of each.
    """
    refused: dict[str, str] = {}
    for tier in tiers:
        reason = "" if tier == UNISOLATED else try_tier(tier, grading)
        if not reason:
            sandbox = _SANDBOXES[tier](grading)
            sandbox.prepare()
            return sandbox, refused
        refused[tier] = reason
    raise CannotIsolate("\n".join(f"tier {tier}: {reason}" for tier, reason in refused.items()))


def try_tier(tier: str, grading: Grading) -> str:
    """Locks a process down and probes it: why the tier cannot be had, or "" if it holds."""
    trial = Path(grading.run, "trial", tier)
    for name in ("submissions/0", "trusted", "shared/0", "scratch", "tmp"):
        (trial / name).mkdir(parents=True, mode=0o755)
    for folder in (trial.parent, trial, trial / "scratch", trial / "tmp"):
        folder.chmod(0o711)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _try_in_child(tier, msgspec.structs.replace(grading, run=str(trial)), writer)
    os.close(writer)
    answer, in_time = b"", True
    while (in_time := any(select.select([reader], [], [], _TRIAL_SECONDS))) and (
        more := os.read(reader, 65536)
    ):
        answer += more
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    if not answer:
        return f"a process {'ended' if in_time else 'hung'} while it was locked down"
    return str(json.loads(answer)["reason"])


def _try_in_child(tier: str, grading: Grading, writer: int) -> None:
    """Prepares the tier, and probes it in a locked-down child, which writes why it fails, or "".

    Never returns.
    """

    def report(reason: str) -> None:
        os.write(writer, json.dumps({"reason": reason}).encode())

    judge = os.getppid()  # the zygote, which stands in for it here
    try:
        sandbox = _SANDBOXES[tier](grading)
        sandbox.prepare()
        request = ForkWorker(
            scratch="0",
            uid=grading.first_uid if sandbox.own_uids else 0,
            submission=f"{grading.run}/submissions/0",
            shared=f"{grading.run}/shared/0",
            judge=judge,
        )
        paths = sandbox.make_paths(request)
        sandbox.before_worker_fork()
        worker = os.fork()
        if worker:
            os.close(writer)
            os.waitpid(worker, 0)
            os._exit(0)
        lockdown.detach(writer, os.open("/dev/null", os.O_WRONLY))
        sandbox.lock_down(request, paths)
        found = probe(grading, judge, sandbox.world_writable)
        allowed = [name for name, result in found.items() if result == "allowed"]
        report(_leak(allowed) if allowed else _unreadable_interpreter())
    except CannotIsolate as error:
        report(str(error))
    except BaseException as error:
        report(f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def _leak(allowed: list[str]) -> str:
    """Names the forbidden things that a worker could do, and how to prevent them."""
    reason = f"a worker could {', '.join(allowed)}"
    if any(name.startswith("look into") for name in allowed):
        reason += "; close such folders, or one above them, for other users: chmod o-rwx"
    if any(name.startswith("leave something") for name in allowed):
        reason += "; in a container of its own, close such folders for other users: chmod o-w"
    if any(name.endswith("/dev/zero") for name in allowed):
        reason += "; in a container of its own, close it for other users: chmod o-rw /dev/zero"
    return reason


def _unreadable_interpreter() -> str:
    """Why a worker cannot read the interpreter, such as one below a closed home; "" if it can."""
    for path in (os.__file__, *lockdown.interpreter_folders()):
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            return (
                f"a worker cannot read the interpreter: {error}. Install it and its packages where "
                "every user can read them, as below /opt, or open the folders above it (chmod o+x)"
            )
    return ""
