"""What judge, worker and results share about isolation: the tiers, disk limits and the error.

Imports nothing of the grader, and nothing large.
"""

from __future__ import annotations

from enum import StrEnum

# Each test has a scratch folder, and each of its workers a folder for temporary files. In tier A
# these are file systems of this size; in other tiers the judge measures both together.
SCRATCH_MIB, TMP_MIB = 256, 64
SCRATCH_FILES, TMP_FILES = 10_000, 1000
DISK_MIB, DISK_FILES = SCRATCH_MIB + TMP_MIB, SCRATCH_FILES + TMP_FILES


class CannotIsolate(Exception):
    """This machine does not offer what the wanted tier needs; the message says what failed."""


class Tier(StrEnum):
    """How isolated a submission runs, from the strongest tier to the weakest.

    `grader/sandbox/tiers.py` has the sandbox of each tier.
    """

    A = "A"
    B = "B"
    B_MINUS = "B-"
    C = "C"


UNISOLATED = "none"  # `--unsafe`: no tier at all
TIERS: tuple[str, ...] = tuple(tier.value for tier in Tier)
MEANINGS: dict[str, str] = {  # for students
    Tier.A: "namespaces, Landlock and seccomp",
    Tier.B: "a user of its own, Landlock and seccomp",
    Tier.B_MINUS: "a user of its own and seccomp, without Landlock",
    Tier.C: "Landlock and seccomp under the grader's own user; weaker than B",
    UNISOLATED: "NO ISOLATION",
}


def at_least(tier: str) -> tuple[str, ...]:
    """The tiers that are no weaker than this one, from the strongest on."""
    return TIERS[: TIERS.index(tier) + 1]
