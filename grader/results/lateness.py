"""The late policy: when to hand in, and what lateness costs. A class and a pack share it."""

from __future__ import annotations

import math
from datetime import datetime
from pathlib import Path

import msgspec

from grader.results.text import plural

_DAY = 24 * 60 * 60.0


class Deadlines(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """When to hand in, and what lateness costs."""

    due: datetime | None = None  # with its zone; None if only the platform knows it
    grace_minutes: float = 0.0  # for which nobody is late, or a day later
    late_days: int = 0  # that cost nothing, for each student
    per_day: float = 0.0  # the share of the score for each further day; one that has begun is whole
    at_most: float = 1.0  # the largest share that lateness costs
    extensions: dict[str, datetime] = {}  # other times by student

    def days_late(self, student: str, when: datetime) -> int:
        """Days begun since the student's own due time; each begins later by the grace."""
        due = self.extensions.get(student, self.due)
        if due is None:
            return 0
        late = (when - due).total_seconds()
        return max(0, math.ceil((late - 60 * self.grace_minutes) / _DAY))

    def penalty(self, days: int) -> float:
        """The share of the score that so many days cost."""
        return min(self.at_most, self.per_day * max(days - self.late_days, 0))

    def in_words(self, days: int) -> str:
        """`3 days late (1 free), minus 20%`, of days that cost something."""
        free = f" ({self.late_days} free)" if self.late_days else ""
        return f"{plural(days, 'day')} late{free}, minus {100 * self.penalty(days):.3g}%"


def read(path: Path, failure: type[Exception]) -> Deadlines:
    """Reads the late policy from a file, in which times must have a zone; raises `failure`."""
    try:
        found = msgspec.toml.decode(path.read_bytes(), type=Deadlines)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        why = f"{path} cannot be read: {error}"
        if "`datetime`" in why:
            why += "; write times as 2026-10-02T23:59:00+02:00"
        raise failure(why) from error
    for what, when in [("due", found.due), *found.extensions.items()]:
        if when is not None and when.tzinfo is None:
            zone = found.due.isoformat()[-6:] if found.due and found.due.tzinfo else "+00:00"
            raise failure(f"{path}: {what} has no time zone; write {when.isoformat()}{zone}")
    if not (0 <= found.per_day <= 1 and 0 <= found.at_most <= 1):
        raise failure(f"{path}: per_day and at_most are shares of the score, from 0 to 1")
    if not (0 <= found.grace_minutes < math.inf and found.late_days >= 0):
        raise failure(f"{path}: grace_minutes and late_days are at least 0")
    return found
