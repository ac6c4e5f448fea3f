"""The commands shown to students: the Makefile's targets, or Python commands without make."""

from __future__ import annotations

import os
from pathlib import Path


class UserError(Exception):
    """A mistake that the user can correct; the message says how."""


def command(verb: str, exercise_id: str = "") -> str:
    """Under make, `make hint EX=adamw_step`; else `python -m assignment hint adamw_step`."""
    if is_under_make():
        return f"make {verb} EX={exercise_id}" if exercise_id else f"make {verb}"
    if verb == "test":
        return f"python -m pytest --ex {exercise_id}" if exercise_id else "python -m pytest"
    return f"python -m assignment {verb} {exercise_id}".rstrip()


def is_under_make() -> bool:
    """Whether make started this process."""
    return "MAKELEVEL" in os.environ


def of_another_folder(folder: Path) -> str:
    """Why tests and commands must not run in a folder: this code is another folder's; else "".

    An environment may be shared or copied, and one folder's code is installed in it.
    """
    ours = Path(__file__).resolve().parents[1]
    theirs = folder / ours.name
    if not theirs.is_dir() or theirs.samefile(ours):
        return ""
    return (
        f"this is {folder}, but Python runs the code of {ours.parent}, which is installed in this "
        "environment; use `make`, or `python -m pytest` without PYTHONSAFEPATH and -P"
    )
