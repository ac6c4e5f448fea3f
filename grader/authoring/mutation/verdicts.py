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

    It is "public" if it survives the hidden tests and a public one notices it, "untested" if no
    hidden test covers its function, and a "fault" if the grader failed.
    """

    mutant: Mutant
    status: Status
    killer: str = ""  # the test that noticed it
    detail: str = ""  # of a fault
    noticed: tuple[bool, ...] = ()  # for each nonce that was tried
    seconds: float = 0.0  # wall time of its tests

    @property
    def killed(self) -> bool:
        return self.status in ("killed", "timed out")


@dataclass(frozen=True)
class Baseline:
    """The result of the unchanged reference."""

    seconds: Mapping[str, float]  # that each test was charged
    exercises: frozenset[str]  # that have a test
    problems: tuple[str, ...]  # the tests that do not pass, with their details


@dataclass
class Killers:
    """The tests that noticed mutants of a function, the latest first: they are tried first."""

    _by_scope: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, mutant: Mutant, test: str) -> None:
        """Records that a test noticed a mutant."""
        known = self._by_scope[mutant.module, mutant.scope]
        if test in known:
            known.remove(test)
        known.insert(0, test)

    def rank(self, mutant: Mutant, test: str) -> int:
        """The position of a test in the order in which tests are tried on a mutant, from 0."""
        known = self._by_scope[mutant.module, mutant.scope]
        return known.index(test) if test in known else len(known)
