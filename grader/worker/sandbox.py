"""Which tier this machine can enforce: found out by trying, never inferred from a version."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Protocol

from grader.worker import lockdown
from grader.worker.lockdown import CannotIsolate, Places
from grader.worker.namespaces import Namespaces
from grader.worker.probe import probe
from grader.worker.shared import TierB, TierBMinus, TierC

_TRIAL_SECONDS = 20


class Sandbox(Protocol):
    """What a tier does, in the zygote and in each worker."""

    tier: str
    own_uids: bool  # whether each worker is another user than the judge
    common: tuple[str, ...]  # folders that everybody on the machine may write, and no worker

    def prepare(self) -> None: ...
    def make_scratch(self, name: str, uid: int) -> str: ...
    def make_tmp(self, name: str, uid: int) -> str: ...
    def make_submission(self, submission: str, name: str) -> str: ...
    def about_to_fork(self) -> None: ...
    def about_to_twin(self) -> None: ...
    def clean(self, name: str, keep_scratch: bool, alive: Collection[int]) -> None: ...
    def leave(self) -> None: ...
    def enter(
        self, channel: int, output: int, places: Places, uid: int, with_cuda: bool = False
    ) -> Places: ...


class Unprotected(TierC):
    """Tier none: a fork in a folder of its own, for code that is trusted."""

    tier = "none"
    uses_landlock = False

    def make_submission(self, submission: str, name: str) -> str:
        """As it is."""
        return submission

    def prepare(self) -> None:
        """Nothing to do."""

    def enter(
        self, channel: int, output: int, places: Places, uid: int, with_cuda: bool = False
    ) -> Places:
        """Takes the channel, and the usual limits."""
        lockdown.detach(channel, output)
        os.chdir(places.scratch)
        lockdown.limit_resources(with_cuda=with_cuda)
        return places


_SANDBOXES = {kind.tier: kind for kind in (Namespaces, TierB, TierBMinus, TierC, Unprotected)}


def choose(
    tiers: Sequence[str], run: str, hidden: tuple[str, ...], uid: int, canary: str, results: str
) -> tuple[Sandbox, dict[str, str]]:
    """Prepares the first of these tiers that holds here; and says why those before it do not.

    Args:
        tiers: from the strongest to the weakest that will do.
        run: the grading's own folder.
        hidden: folders that no worker may see.
        uid: the first of the users that workers may become, and their group.
        canary, results: what only the judge may read, and where only it may write.

    Raises:
        CannotIsolate: none of them holds; the message has the reason of each.
    """
    refused: dict[str, str] = {}
    for tier in tiers:
        reason = "" if tier == "none" else tried(tier, run, hidden, uid, canary, results)
        if not reason:
            sandbox = _SANDBOXES[tier](run, hidden, uid)
            sandbox.prepare()
            return sandbox, refused
        refused[tier] = reason
    raise CannotIsolate("\n".join(f"tier {tier}: {reason}" for tier, reason in refused.items()))


def tried(tier: str, run: str, hidden: tuple[str, ...], uid: int, canary: str, results: str) -> str:
    """Locks a process down and lets it try what it must not be able to do; "" if all of it failed.

    Otherwise the reason why the tier cannot be had.
    """
    trial = Path(run, "trial", tier)
    for place in ("submissions/0", "exchange/1", "scratch", "tmp"):
        (trial / place).mkdir(parents=True, mode=0o755)
    for folder in (trial.parent, trial, trial / "scratch", trial / "tmp"):
        folder.chmod(0o711)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _try(tier, trial, hidden, uid, canary, results, writer)
    os.close(writer)
    said = b""
    while select.select([reader], [], [], _TRIAL_SECONDS)[0] and (more := os.read(reader, 65536)):
        said += more
    os.close(reader)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return str(json.loads(said)["reason"]) if said else "a process ended while it was locked down"


def _try(
    tier: str,
    trial: Path,
    hidden: tuple[str, ...],
    uid: int,
    canary: str,
    results: str,
    writer: int,
) -> None:
    """Prepares the tier in this process, and enters it in a child. Never returns."""

    def say(reason: str) -> None:
        os.write(writer, json.dumps({"reason": reason}).encode())

    judge = os.getppid()
    try:
        sandbox = _SANDBOXES[tier](str(trial), hidden, uid)
        sandbox.prepare()
        user = uid if sandbox.own_uids else 0
        places = Places(
            str(trial / "submissions" / "0"),
            str(trial / "exchange" / "1"),
            sandbox.make_scratch("0", user),
            sandbox.make_tmp("0", user),
        )
        sandbox.about_to_fork()
        worker = os.fork()
        if worker:
            os.close(writer)
            os.waitpid(worker, 0)
            os._exit(0)
        sandbox.enter(writer, os.open("/dev/null", os.O_WRONLY), places, user)
        found = probe(canary, results, judge, hidden, sandbox.common)
        allowed = [name for name, met in found.items() if met == "allowed"]
        say(_open(allowed) if allowed else _missing())
    except CannotIsolate as error:
        say(str(error))
    except BaseException as error:
        say(f"{type(error).__name__}: {error}")
    finally:
        os._exit(0)


def _open(allowed: list[str]) -> str:
    reason = f"a worker could {', '.join(allowed)}"
    if any(name.startswith("look into") for name in allowed):
        reason += "; close such folders, or one above them, for other users: chmod o-rwx"
    if any(name.startswith("leave something") for name in allowed):
        reason += "; in a container of its own, close such folders for other users: chmod o-w"
    return reason


def _missing() -> str:
    """What a worker needs and cannot read, such as an interpreter under a closed home."""
    for path in (os.__file__, *lockdown.prefixes()):
        try:
            os.close(os.open(path, os.O_RDONLY))
        except OSError as error:
            return (
                f"a worker cannot read the interpreter: {error}. Install it and its packages where "
                "every user can read them, as below /opt, or open the folders above it (chmod o+x)"
            )
    return ""
