"""The users and groups that a judge's workers become."""

from __future__ import annotations

import functools
from pathlib import Path

_FIRST = 100_000  # above the accounts of any usual system
_EACH = 16  # for each judge process, which has one worker at work and one spare
_MAPPED = range(30_000, 60_000)  # where a container knows no more than 65,536 users


@functools.cache
def first_uid(judge: int) -> int:
    """The first user of the judge with this process id: no other judge on this machine has it."""
    found = _FIRST + judge * _EACH
    for line in Path("/proc/self/uid_map").read_text().splitlines():
        start, _, count = map(int, line.split())
        if start <= found and found + _EACH <= start + count:
            return found
    return _MAPPED[judge * _EACH % len(_MAPPED)]


def uid(judge: int, number: int) -> int:
    """The user of a judge's `number`th scratch folder; a few of them share one."""
    return first_uid(judge) + number % _EACH
