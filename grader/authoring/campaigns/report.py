"""Prints the progress of a campaign: a line for each finding, and the figures at the end."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from assignment.manifest import Manifest
from grader.authoring.campaigns import flakes, public_coverage, stable_marks
from grader.authoring.campaigns.try_mistakes import Screened

_PROGRESS_EVERY = 50  # nonces between two lines that say how to continue from there
_MAX_LINES = 6  # of a failure's text; the last ones are shown


class Flakes:
    """Prints for `grader author flakes`. `found` is the report so far."""

    def __init__(self, console: Console, seed: str, nonces: int, first: int) -> None:
        self.seed, self.found = seed, flakes.Report()
        self._console, self._nonces, self._first = console, nonces, first

    def failure(self, failure: flakes.Failure) -> None:
        """Prints a failed test, and the command that repeats it."""
        detail = "\n".join(failure.detail.strip().splitlines()[-_MAX_LINES:])
        self._print(
            f"[red]✗ {escape(failure.test)}[/] on {failure.submission}, "
            f"nonce {escape(failure.nonce)}: {failure.cause}\n{escape(detail)}\n"
            f"  repeat: {escape(failure.command)}"
        )

    def nonce(self, report: flakes.Report) -> None:
        """Keeps the report of the runs until now; prints it for every few nonces."""
        self.found = report
        if report.nonces % _PROGRESS_EVERY == 0:
            at = self._first + report.nonces
            self._print(
                f"{self._figures()}; to continue: --seed {escape(self.seed)} --first {at}"
                if at <= self._nonces
                else self._figures()
            )

    def summary(self) -> None:
        """Prints the figures."""
        least, most = self.found.spread
        self._print(
            f"{self._figures()}; each test ran {least} to {most} times, on all submissions "
            f"together (seed {escape(self.seed)})"
        )

    def _figures(self) -> str:
        found = self.found
        return f"{found.nonces} nonces, {found.total:,} test runs, {len(found.failures)} failed"

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)


class StableMarks:
    """Prints for `grader author stable-marks`."""

    def __init__(self, console: Console, seed: str) -> None:
        self.seed = seed
        self._console, self._done = console, 0

    def finding(self, finding: stable_marks.Finding) -> None:
        """Prints one submission: its marks, and the tests that make them change."""
        self._done += 1
        mark = "[green]✓[/]" if finding.constant and not finding.uncaught else "[red]✗[/]"
        totals = [sum(draw.points.values()) for draw in finding.draws]
        seen = f"{min(totals):g}" + (f" to {max(totals):g}" if max(totals) > min(totals) else "")
        most = sum(finding.most.values())
        self._print(f"{mark} {self._done:3} {escape(finding.name)} [dim]{seen} of {most:g}[/]")
        if finding.uncaught:
            what = f"loses no points in {finding.exercise}" if finding.exercise else "loses points"
            self._print(f"      [red]{what} with nonces {', '.join(finding.uncaught)}[/]")
        if not finding.constant:
            every = [draw.nonce for draw in finding.draws]
            for test, failing in finding.changing.items():
                passing = [nonce for nonce in every if nonce not in failing]
                rare, verb = min((failing, "fails"), (passing, "passes"), key=lambda x: len(x[0]))
                self._print(
                    f"      {escape(test)} {verb} in {len(rare)} of {len(every)}: "
                    f"{escape(', '.join(rare))}"
                )

    def summary(self, report: stable_marks.Report) -> None:
        """Prints the problems and the figures."""
        for finding in report.changing:
            self._print(
                f"[red]{escape(finding.name)}: its marks depend on the draw. "
                "Test the case in every draw[/]"
            )
        every = len(report.findings)
        self._print(
            f"{every - len(report.changing)} of {every} submissions get the same marks in every "
            f"draw (seed {self.seed})"
        )

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)


class PublicCoverage:
    """Prints for `grader author public-coverage`.

    With `missed`, each mistake that no public test sees.
    """

    def __init__(self, console: Console, manifest: Manifest, missed: bool) -> None:
        self._console, self._manifest, self._missed = console, manifest, missed

    def screened(self, one: Screened) -> None:
        """Prints a mistake, if it is to be listed."""
        if self._missed and one.hidden and not one.public:
            self._print(f"{one.wrong.path.stem}: {one.wrong.mistake}")

    def summary(self, report: public_coverage.Report) -> None:
        """Prints a line for each exercise, the problems, and the figures."""
        low = report.too_low(self._manifest)
        for share in [*report.shares(self._manifest), report.total]:
            mark = "✗" if share in low else " "
            self._print(
                f"{mark} {share.exercise:24} of {share.caught:4} caught by hidden tests, "
                f"{share.seen:4} by public ones too, {100 * share.share:3.0f} %"
            )
        for line in report.stale:
            self._print(f"stale in {public_coverage.LISTED.name}: {line}")
        self._print(
            f"required are {100 * public_coverage.IN_ALL:.0f} % in all and "
            f"{100 * public_coverage.IN_EACH:.0f} % in each exercise"
        )

    def _print(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)
