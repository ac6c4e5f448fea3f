"""Measures the CPU times of the reference, from which shares and budgets are computed.

Without the file the grader still works; then every test counts as a short one.
"""

from __future__ import annotations

from collections.abc import Iterator

from assignment import manifest as manifests
from grader.authoring import variants
from grader.faults import GraderFault
from grader.judge.grader import Grader
from grader.paths import REPOSITORY
from grader.results.record import Grade

FILE = REPOSITORY / "tests" / "reference_times.toml"
_SHORTEST = 0.04  # seconds; a faster test counts as half of that
_HEAD = """\
# CPU seconds that the reference needs: for a whole grading, and for each of its slow tests.
# Made by `grader author measure-reference`; machines differ by a factor of two or three.
"""


def measure(gradings: int) -> str:
    """The text of the file, with the longest time of each test in `gradings` gradings.

    Raises:
        GraderFault: a grading failed, or a test did not pass.
    """
    with Grader(manifest=manifests.load().for_any_machine) as judge:
        grades = [judge.grade(variants.SOLUTIONS, timing="skip") for _ in range(gradings)]
    failed = sorted({c.test for grade in grades for c in grade.checks if c.state != "passed"})
    if failed:
        raise GraderFault(f"the reference does not pass {', '.join(failed)}; correct that first")
    return "".join(_lines(grades))


def _lines(grades: list[Grade]) -> Iterator[str]:
    """The parts of the file's text."""
    longest: dict[str, float] = {}
    for grade in grades:
        for check in grade.checks:
            longest[check.test] = max(longest.get(check.test, 0.0), check.charged)
    # Only the first grading's total includes the start of the judge.
    first = grades[0].provenance
    yield _HEAD
    yield f"total = {first.cpu_seconds if first and first.cpu_seconds else 0.0:.0f}\n\n[tests]\n"
    for test, seconds in sorted(longest.items()):
        if seconds >= _SHORTEST:
            yield f'"{test}" = {seconds:.2f}\n'
