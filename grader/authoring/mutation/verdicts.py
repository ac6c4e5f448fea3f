"""What a campaign knows of mutants, before and after they are tried."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from grader.authoring.mutation.mutants import Mutant

Status = Literal["killed", "timed out", "survived", "untested", "fault"]


@dataclass(frozen=True)
class Trial:
    """A mutant, and the exercises whose tests are tried on it, the likeliest to notice first."""

    mutant: Mutant
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """What became of a mutant.

    Args:
        mutant: the mutant.
        status: "untested" if no hidden test is for its function; "fault" if the grader failed.
        killer: the test that noticed.
        detail: of a fault, what went wrong.
        noticed: for each nonce that was tried, whether a test noticed.
        seconds: how long it took.
    """

    mutant: Mutant
    status: Status
    killer: str = ""
    detail: str = ""
    noticed: tuple[bool, ...] = ()
    seconds: float = 0.0

    @property
    def killed(self) -> bool:
        return self.status in ("killed", "timed out")


@dataclass(frozen=True)
class Baseline:
    """How the reference itself fares: each test's seconds, the exercises that have a test, and what
    does not pass."""

    seconds: Mapping[str, float]
    exercises: frozenset[str]
    problems: tuple[str, ...]


@dataclass
class Killers:
    """The tests that noticed mutants of a function, the latest first: they may notice the next."""

    _of: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, mutant: Mutant, test: str) -> None:
        """Notes that a test noticed a mutant."""
        known = self._of[mutant.module, mutant.scope]
        if test in known:
            known.remove(test)
        known.insert(0, test)

    def rank(self, mutant: Mutant, test: str) -> int:
        """The place of a test among those to try on a mutant."""
        known = self._of[mutant.module, mutant.scope]
        return known.index(test) if test in known else len(known)
