"""The commands shown to students: the Makefile's targets, or Python commands without make."""

from __future__ import annotations

import os


def command(verb: str, exercise_id: str = "") -> str:
    """`make hint EX=adamw_step`, or `python -m assignment hint adamw_step`."""
    if is_under_make():
        return f"make {verb} EX={exercise_id}" if exercise_id else f"make {verb}"
    if verb == "test":
        return f"python -m pytest --ex {exercise_id}" if exercise_id else "python -m pytest"
    return f"python -m assignment {verb} {exercise_id}".rstrip()


def is_under_make() -> bool:
    """Whether make started this process."""
    return "MAKELEVEL" in os.environ
