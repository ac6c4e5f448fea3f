"""Which isolation this machine can enforce, and what stronger tiers lack: `grader doctor`."""

from __future__ import annotations

import os
import platform
from importlib import metadata

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from grader.isolation import MEANINGS, TIERS
from grader.judge.grader import SECRETS
from grader.judge.lanes import cores
from grader.judge.zygote import Zygote


class Diagnosis(msgspec.Struct, frozen=True):
    """The isolation that was found, and the machine.

    Args:
        tier: the strongest tier that works here; "" if none does.
        refused: for each tier that does not work, the reason.
        machine: other properties that a grading depends on, by name.
    """

    tier: str
    refused: dict[str, str]
    machine: dict[str, str]


def diagnose() -> Diagnosis:
    """Tries every tier as a grading would; returns which hold, and what the machine is.

    Raises:
        OSError: no process could be started for the trial.
        GraderFault: the trial itself failed. A tier that does not hold is part of the result.
    """
    zygote = Zygote(TIERS, SECRETS, only_try=True)
    try:
        zygote.wait()
    finally:
        zygote.close()
    held = [tier for tier in TIERS if not zygote.refused[tier]]
    refused = {tier: reason for tier, reason in zygote.refused.items() if reason}
    return Diagnosis(held[0] if held else "", refused, _machine())


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
    tiers = Table(box=None, pad_edge=False, show_header=False, title_justify="left")
    for tier in TIERS:
        reason = found.refused.get(tier)
        style = "green" if tier == found.tier else "dim" if reason else ""
        mark = "✗" if reason else "✓"
        tiers.add_row(f"{mark} {tier}", Text(reason or MEANINGS[tier]), style=style)
    facts = Table(box=None, pad_edge=False, show_header=False)
    for name, value in found.machine.items():
        facts.add_row(name, value)
    verdict = (
        Text(f"Submissions are graded in tier {found.tier}: {MEANINGS[found.tier]}.", style="bold")
        if found.tier
        else Text("This machine cannot isolate a submission.", style="bold red")
    )
    return Group(verdict, Text(), tiers, Text(), facts)
