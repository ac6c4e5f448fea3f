"""Campaigns on the screen: a line for what is found as it comes, and the figures at the end."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from grader.authoring.campaigns import draws, flakes

_EVERY = 50  # nonces, after which a line says how to go on from here
_LINES = 6  # of a failure's text, from its end


class Flakes:
    """Follows `grader flakes`. `found` is the report until now."""

    def __init__(self, console: Console, seed: str, nonces: int, first: int) -> None:
        self.seed, self.found = seed, flakes.Report()
        self._console, self._nonces, self._first = console, nonces, first

    def failure(self, failure: flakes.Failure) -> None:
        """Prints what failed, where and how to repeat it."""
        said = "\n".join(failure.detail.strip().splitlines()[-_LINES:])
        self._print(
            f"[red]✗ {escape(failure.test)}[/] on {failure.submission}, "
            f"nonce {escape(failure.nonce)}: {failure.cause}\n{escape(said)}\n"
            f"  repeat: {escape(failure.command)}"
        )

    def nonce(self, report: flakes.Report) -> None:
        """Notes that one more nonce has been run; sometimes says so."""
        self.found = report
        if report.nonces % _EVERY == 0:
            at = self._first + report.nonces
            self._print(
                f"{self._figures()}; from here: --seed {escape(self.seed)} --first {at}"
                if at <= self._nonces
                else self._figures()
            )

    def summary(self) -> None:
        """Prints the figures."""
        least, most = self.found.spread
        self._print(
            f"{self._figures()}; each test ran {least} times at least, {most} at most, over all "
            f"submissions (seed {escape(self.seed)})"
        )

    def _figures(self) -> str:
        found = self.found
        return f"{found.nonces} nonces, {found.total:,} test runs, {len(found.failures)} failed"

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)


class Draws:
    """Follows `grader draws`."""

    def __init__(self, console: Console) -> None:
        self._console, self._done = console, 0

    def finding(self, finding: draws.Finding) -> None:
        """Prints one submission: its marks, and what changes if they are not always the same."""
        self._done += 1
        mark = "[green]✓[/]" if finding.constant and not finding.uncaught else "[red]✗[/]"
        totals = [sum(draw.points.values()) for draw in finding.draws]
        seen = f"{min(totals):g}" + (f" to {max(totals):g}" if max(totals) > min(totals) else "")
        most = sum(finding.most.values())
        self._print(f"{mark} {self._done:3} {escape(finding.name)} [dim]{seen} of {most:g}[/]")
        if finding.uncaught:
            what = f"costs nothing in {finding.exercise}" if finding.exercise else "loses points"
            self._print(f"      [red]{what} with nonces {', '.join(finding.uncaught)}[/]")
        if not finding.constant:
            for test, nonces in finding.changing.items():
                self._print(
                    f"      {escape(test)} fails in {len(nonces)} of {len(finding.draws)}: "
                    f"{escape(', '.join(nonces))}"
                )

    def summary(self, report: draws.Report) -> None:
        """Prints the figures, and what is wrong."""
        for finding in report.unlisted:
            self._print(
                f"[red]{escape(finding.name)}: its marks depend on the draw. Make the case certain "
                f"in the test, or list it in {draws.LISTED.name} with the reason[/]"
            )
        for line in report.stale:
            self._print(f"[red]stale in {draws.LISTED.name}: {escape(line)}[/]")
        constant = sum(finding.constant for finding in report.findings)
        self._print(
            f"{constant} of {len(report.findings)} submissions ({100 * report.share:.1f} %) get "
            f"the same marks in every draw; {100 * (1 - draws.ALLOWED):g} % are wanted"
        )

    def _print(self, text: str) -> None:
        self._console.print(text, highlight=False, soft_wrap=True)
