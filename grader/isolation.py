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

    `meaning` is a line for students. `grader/sandbox/tiers.py` has the sandbox of each tier.
    """

    meaning: str

    def __new__(cls, name: str, meaning: str) -> Tier:
        tier = str.__new__(cls, name)
        tier._value_, tier.meaning = name, meaning
        return tier

    A = "A", "namespaces, Landlock and seccomp"
    B = "B", "a user of its own, Landlock and seccomp"
    B_MINUS = "B-", "a user of its own and seccomp, without Landlock"
    C = "C", "Landlock and seccomp under the grader's own user; weaker than B"


UNISOLATED = "none"  # `--unsafe`: no tier at all
TIERS: tuple[str, ...] = tuple(tier.value for tier in Tier)
MEANINGS: dict[str, str] = {
    **{tier.value: tier.meaning for tier in Tier},
    UNISOLATED: "NO ISOLATION",
}


def at_least(tier: str) -> tuple[str, ...]:
    """The tiers that are no weaker than this one, from the strongest on."""
    return TIERS[: TIERS.index(tier) + 1]
