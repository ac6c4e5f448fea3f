"""The data of a campaign: what is to be tried, and the results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from grader.authoring.mutation.mutants import Mutant

Status = Literal["killed", "timed out", "public", "survived", "untested", "fault"]


@dataclass(frozen=True)
class Trial:
    """A mutant, and the exercises whose tests to try on it, the most likely to notice first."""

    mutant: Mutant
    exercises: tuple[str, ...]


@dataclass(frozen=True)
class Verdict:
    """The result of one mutant.

    Args:
        mutant: the mutant.
        status: "public" if it survives the hidden tests and a public test notices it; "untested" if
            no hidden test covers its function; "fault" if the grader failed.
        killer: the test that noticed it.
        detail: what went wrong, for a fault.
        noticed: for each nonce that was tried, whether a test noticed.
        seconds: wall time of its tests.
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
    """The result of the unchanged reference.

    Args:
        seconds: what each test was charged.
        exercises: those that have a test.
        problems: the tests that do not pass, with their details.
    """

    seconds: Mapping[str, float]
    exercises: frozenset[str]
    problems: tuple[str, ...]


@dataclass
class Killers:
    """The tests that noticed mutants of a function, the latest first: they are tried first."""

    _of: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, mutant: Mutant, test: str) -> None:
        """Records that a test noticed a mutant."""
        known = self._of[mutant.module, mutant.scope]
        if test in known:
            known.remove(test)
        known.insert(0, test)

    def rank(self, mutant: Mutant, test: str) -> int:
        """The position of a test in the order in which tests are tried on a mutant, from 0."""
        known = self._of[mutant.module, mutant.scope]
        return known.index(test) if test in known else len(known)
