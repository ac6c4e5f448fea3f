"""Measures what the reference needs: the times from which last limits and budgets are made.

The grader works without them, with less to go by: every last limit is 1 s then.
"""

from __future__ import annotations

from collections.abc import Iterator

from assignment import manifest as manifests
from grader.authoring import variants
from grader.judge.failure import GraderFault
from grader.judge.session import Judge
from grader.paths import REPOSITORY
from grader.results.record import Grade

FILE = REPOSITORY / "tests" / "reference_times.toml"
_LEAST = 0.04  # seconds: 20 times less is below the least that a last limit is
_HEAD = """\
# CPU seconds that the reference needs: of a whole grading, and of the tests that need most.
# Made by `grader calibrate`; exact to a factor of two or three, as machines differ by that.
"""


def measure(gradings: int) -> str:
    """The file's text, by so many gradings of the reference: of each test the longest time.

    Raises:
        GraderFault: a grading failed, or a test did.
    """
    with Judge(manifest=manifests.load().without_devices) as judge:
        grades = [judge.grade(variants.SOLUTIONS, timing="skip") for _ in range(gradings)]
    failed = sorted({c.test for grade in grades for c in grade.checks if c.state != "passed"})
    if failed:
        raise GraderFault(f"the reference does not pass {', '.join(failed)}: mend that first")
    return "".join(_lines(grades))


def _lines(grades: list[Grade]) -> Iterator[str]:
    longest: dict[str, float] = {}
    for grade in grades:
        for check in grade.checks:
            longest[check.test] = max(longest.get(check.test, 0.0), check.charged)
    # Of the first grading alone: it started the judge.
    first = grades[0].provenance
    yield _HEAD
    yield f"total = {first.cpu_seconds if first and first.cpu_seconds else 0.0:.0f}\n\n[tests]\n"
    for test, seconds in sorted(longest.items()):
        if seconds >= _LEAST:
            yield f'"{test}" = {seconds:.2f}\n'
