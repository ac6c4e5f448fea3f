"""What all commands of `grader` share: exit statuses, the consoles, and how a command fails."""

from __future__ import annotations

import traceback
from typing import NoReturn

import typer
from rich.console import Console

from grader.results.text import printable

OK, BAD_INPUT, FAULT, BAD_ASSIGNMENT = 0, 2, 3, 4

console = Console()
errors = Console(stderr=True)


def fail(status: int, message: str) -> NoReturn:
    """Prints a message on stderr and ends the command with an exit status."""
    print_error(message)
    raise typer.Exit(status)


def print_exception() -> None:
    """Prints the exception that is being handled, with its traceback, on stderr."""
    print_error(traceback.format_exc().rstrip())


def print_error(text: str) -> None:
    """Prints lines on stderr, without what would control a terminal: a text may name files."""
    lines = "\n".join(map(printable, text.split("\n")))
    errors.print(lines, style="red", markup=False, highlight=False, soft_wrap=True)
