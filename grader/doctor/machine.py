"""Which isolation this machine can enforce, and what stronger tiers lack: `grader doctor`."""

from __future__ import annotations

import contextlib
import os
import platform
import select
import signal
import socket
from importlib import metadata
from typing import NoReturn

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.faults import GraderFault
from grader.isolation import MEANINGS, TIERS
from grader.judge.grader import SECRETS
from grader.machine import cores
from grader.supervisor.control import PendingReply
from grader.supervisor.watching import FileCalls
from grader.supervisor.zygote import Zygote
from grader.wire import messages
from grader.worker import looks

_TRIAL_SECONDS = 20
_UNWATCHED = (
    "No grade would have a score here: a test must watch which files are synced and renamed, and "
    "this machine does not allow that ({}). It needs Linux 5.5, and a container whose engine does "
    "not watch system calls itself, as LXC does."
)


class Diagnosis(msgspec.Struct, frozen=True):
    """The isolation that was found, and the machine."""

    tier: str  # the strongest that works here; "" if none does
    refused: dict[str, str]  # for each tier that does not work, the reason
    unwatched: str  # why file syncs cannot be watched, so no grade has a score; "" if they can
    machine: dict[str, str]  # other properties that a grading depends on

    @property
    def works(self) -> bool:
        """Whether a grading here can have a score."""
        return bool(self.tier) and not self.unwatched


def diagnose() -> Diagnosis:
    """Tries every tier as a grading would; returns which hold, and what the machine is.

    Raises:
        OSError: no process could be started for the trial.
        GraderFault: the trial itself failed. A tier that does not hold is part of the result.
    """
    with contextlib.closing(Zygote(TIERS, SECRETS, only_try=True)) as zygote:
        zygote.wait()
    held = [tier for tier in TIERS if not zygote.refused[tier]]
    refused = {tier: reason for tier, reason in zygote.refused.items() if reason}
    return Diagnosis(held[0] if held else "", refused, why_unwatched(), _machine())


def why_unwatched() -> str:
    """Why the kernel does not let the judge watch syncs and renames; "" if it does.

    Tries it as a worker and the judge do: a kernel's version is never trusted.
    """
    no_files = PendingReply(None)  # type: ignore[arg-type]  # the trial asks no zygote
    no_files.message = messages.Files(names={}, file=None, too_many=False)
    ours, theirs = socket.socketpair()
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        _sync_watched(theirs, writer)
    theirs.close()
    os.close(writer)
    with os.fdopen(reader) as pipe, contextlib.closing(FileCalls(ours)) as listener:
        try:
            refused = pipe.readline()
            if not refused.strip():
                listener.look = lambda _: no_files
                listener.take_descriptor()
                if select.select([listener], [], [], _TRIAL_SECONDS)[0]:
                    listener.answer()
                refused = "" if listener.calls else "the kernel announced no call"
        except GraderFault as fault:
            refused = str(fault)
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return refused.strip()


def _sync_watched(watch: socket.socket, answer: int) -> NoReturn:
    """In a child: has its calls watched, says why not if so, and syncs something."""
    try:
        folder = os.open("/", os.O_RDONLY)
        try:
            looks.announce_to("syncs", watch.detach())
        except OSError as error:
            os.write(answer, f"{error}\n".encode())
        else:
            os.write(answer, b"\n")
            os.fsync(folder)
    finally:
        os._exit(0)


def _machine() -> dict[str, str]:
    user = "root" if os.geteuid() == 0 else f"user {os.geteuid()}"
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "system": f"{platform.system()} {platform.release()}, {platform.machine()}, as {user}",
        "python": platform.python_version(),
        "torch": f"{metadata.version('torch')}, {_cuda()}",
        "cores": f"{cores():g}: {'two tests' if cores() >= 2 else 'one test'} at a time",
        "memory": f"{memory:.1f} GiB; a grading takes 0.7, and a submission up to 1 more",
    }


def _cuda() -> str:
    import torch

    if not torch.cuda.is_available():
        return "no CUDA device"
    return f"CUDA on {torch.cuda.get_device_name()}"


def report(found: Diagnosis) -> RenderableType:
    """A table for people: each tier with what it uses or what it lacks, then the machine."""
    tiers, facts = (Table(box=None, pad_edge=False, show_header=False) for _ in range(2))
    for tier in TIERS:
        reason = found.refused.get(tier)
        style = "green" if tier == found.tier else "dim" if reason else ""
        mark = "✗" if reason else "✓"
        tiers.add_row(f"{mark} {tier}", Text(reason or MEANINGS[tier]), style=style)
    facts.add_row("file calls", found.unwatched or "syncs and renames can be watched")
    for name, value in found.machine.items():
        facts.add_row(name, value)
    if not found.tier:
        verdict = Text("This machine cannot isolate a submission.", style="bold red")
    elif found.unwatched:
        verdict = Text(_UNWATCHED.format(found.unwatched), style="bold red")
    else:
        meaning = MEANINGS[found.tier]
        verdict = Text(f"Submissions are graded in tier {found.tier}: {meaning}.", style="bold")
    return Group(verdict, Text(), tiers, Text(), facts)
