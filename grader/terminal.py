"""What all commands of `grader` share: exit statuses, the consoles, and how a command fails."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.console import Console

OK, BAD_INPUT, FAULT, BAD_ASSIGNMENT = 0, 2, 3, 4

console = Console()
errors = Console(stderr=True)


def fail(status: int, message: str) -> NoReturn:
    """Prints a message on stderr and ends the command with an exit status."""
    errors.print(message, style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(status)
