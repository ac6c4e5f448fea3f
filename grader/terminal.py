"""What all commands of `grader` share: exit statuses, the consoles, and how a command fails."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable
from typing import Annotated, NoReturn, ParamSpec

import typer
from rich.console import Console

from grader import signals
from grader.isolation import Tier
from grader.results.text import printable

P = ParamSpec("P")

OK, BAD_INPUT, FAULT, BAD_ASSIGNMENT = 0, 2, 3, 4

# Options of every command that grades.
MinTier = Annotated[Tier, typer.Option(help="refuse to grade with less isolation than this")]
Unsafe = Annotated[
    bool, typer.Option("--unsafe", help="run without any isolation, whatever --min-tier says")
]

console = Console()
errors = Console(stderr=True)


def fail(status: int, message: str) -> NoReturn:
    """Prints a message on stderr and ends the command with an exit status."""
    print_error(message)
    raise typer.Exit(status)


def print_error(text: str) -> None:
    """Prints lines on stderr, without what would control a terminal: a text may name files."""
    lines = "\n".join(map(printable, text.split("\n")))
    errors.print(lines, style="red", markup=False, highlight=False, soft_wrap=True)


def stoppable(what: str) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Ends a command cleanly at a signal: closes what it opened, with exit status 3.

    After Ctrl-C it ends by that signal, so that a shell's loop ends, too. `what` ends the sentence
    that it prints then.
    """

    def decorated(command: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(command)
        def run(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                with signals.stop_on_signals():
                    command(*args, **kwargs)
            except signals.Stopped as stopped:
                print_error(f"stopped by {stopped} {what}")
                if str(stopped) == signal.SIGINT.name:
                    signal.signal(signal.SIGINT, signal.SIG_DFL)
                    signal.raise_signal(signal.SIGINT)
                raise typer.Exit(FAULT) from None

        return run

    return decorated
