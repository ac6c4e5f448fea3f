"""Prints the progress of a campaign: a line for each finding, and the figures at the end."""

from __future__ import annotations

from rich.markup import escape

from assignment.manifest import Manifest
from grader.authoring.campaigns import flakes, public_coverage, stable_marks
from grader.terminal import console

_PROGRESS_EVERY = 50  # nonces between two lines that say how to continue from there
_MAX_LINES = 6  # of a failure's text; the last ones are shown


def _say(text: str, markup: bool = True) -> None:
    console.print(text, markup=markup, highlight=False, soft_wrap=True)


class FlakesPrinter:
    """Prints for `grader author flakes`. `found` is the report so far."""

    def __init__(self, seed: str, nonces: int, first: int) -> None:
        self.seed, self.found = seed, flakes.Report()
        self._nonces, self._first = nonces, first

    def failure(self, failure: flakes.Failure) -> None:
        """Prints a failed test, and the command that repeats it."""
        check = failure.check
        detail = "\n".join((check.detail or "").strip().splitlines()[-_MAX_LINES:])
        _say(
            f"[red]✗ {escape(check.test)}[/] on {failure.submission}, "
            f"nonce {escape(failure.nonce)}: {check.cause}\n{escape(detail)}\n"
            f"  repeat: {escape(failure.command)}"
        )

    def nonce(self, report: flakes.Report) -> None:
        """Keeps the report so far; prints its figures every few nonces."""
        self.found = report
        if report.nonces % _PROGRESS_EVERY == 0:
            following = self._first + report.nonces
            more = f"; to continue: --seed {escape(self.seed)} --first {following}"
            _say(self._figures() + (more if following <= self._nonces else ""))

    def summary(self) -> None:
        least, most = self.found.spread
        _say(
            f"{self._figures()}; each test ran {least} to {most} times, on all submissions "
            f"together (seed {escape(self.seed)})"
        )

    def _figures(self) -> str:
        found, runs = self.found, self.found.runs.total()
        return f"{found.nonces} nonces, {runs:,} test runs, {len(found.failures)} failed"


def print_finding(number: int, finding: stable_marks.Finding) -> None:
    """Prints a submission's marks, and the tests that make them change."""
    mark = "[green]✓[/]" if finding.constant and not finding.mismarked else "[red]✗[/]"
    totals = [sum(draw.points.values()) for draw in finding.draws]
    seen = f"{min(totals):g}" + (f" to {max(totals):g}" if max(totals) > min(totals) else "")
    most = sum(finding.most.values())
    _say(f"{mark} {number:3} {escape(finding.name)} [dim]{seen} of {most:g}[/]")
    if finding.mismarked:
        what = f"loses no points in {finding.exercise}" if finding.exercise else "loses points"
        _say(f"      [red]{what} with nonces {', '.join(finding.mismarked)}[/]")
    if not finding.constant:
        every = [draw.nonce for draw in finding.draws]
        for test, failing in finding.changing.items():
            passing = [nonce for nonce in every if nonce not in failing]
            rare, verb = min((failing, "fails"), (passing, "passes"), key=lambda x: len(x[0]))
            _say(
                f"      {escape(test)} {verb} in {len(rare)} of {len(every)}: "
                f"{escape(', '.join(rare))}"
            )


def print_stable_marks(report: stable_marks.Report, seed: str) -> None:
    """Prints the submissions whose marks change, and the figures."""
    for finding in report.changing:
        _say(
            f"[red]{escape(finding.name)}: its marks depend on the draw. "
            "Test the case in every draw[/]"
        )
    every = len(report.findings)
    _say(
        f"{every - len(report.changing)} of {every} submissions get the same marks in every "
        f"draw (seed {seed})"
    )


def print_public_coverage(report: public_coverage.Report, manifest: Manifest) -> None:
    """Prints a line for each exercise, the stale entries, and what is required."""
    low = report.too_low(manifest)
    for share in [*report.shares(manifest), report.total]:
        mark = "✗" if share in low else " "
        _say(
            f"{mark} {share.exercise:24} of {share.caught:4} caught by hidden tests, "
            f"{share.seen:4} by public ones too, {100 * share.fraction:3.0f} %",
            markup=False,
        )
    for line in report.stale:
        _say(f"stale in {public_coverage.GRADER_ONLY.name}: {line}", markup=False)
    _say(
        f"required are {100 * public_coverage.IN_ALL:.0f} % in all and "
        f"{100 * public_coverage.IN_EACH:.0f} % in each exercise"
    )
