"""What the last runs of the public tests found, by exercise.

`make submit` says it, and `make test` and `make watch` find the next exercise by it.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from assignment import manifest
from assignment.manifest import Exercise
from assignment.student.verbs import command

KEY = "assignment/states"  # in pytest's cache
FILE = f".pytest_cache/v/{KEY}"
_SETTLED = ("passed", "skipped", "no public test")
_LABELS = (  # of states, "" where no test has run
    ("pass", "passed"),
    ("fail", "in progress"),
    ("skipped", "skipped"),
    ("never started", "not started"),
    ("never tested", ""),
)


@dataclass(frozen=True)
class LastState:
    """How an exercise's tests ended last, and whether its files are as they were then."""

    state: str
    is_current: bool


def store(cache: Any, package: Path, states: Mapping[str, str]) -> None:
    """Puts the states of some exercises, by id, into pytest's cache."""
    found = cache.get(KEY, {})
    entries = found if isinstance(found, dict) else {}  # another program may have written it
    exercises = manifest.load()
    for name, state in states.items():
        entries[name] = [state, _digest(package, exercises[name])]
    cache.set(KEY, entries)


def read(root: Path, package: Path) -> dict[str, LastState]:
    """How the tests of each exercise ended last, by id; empty if none has run."""
    try:
        entries = json.loads((root / FILE).read_text(encoding="utf-8"))
        return {
            exercise.id: LastState(state, digest == _digest(package, exercise))
            for exercise in manifest.load()
            if exercise.id in entries
            for state, digest in [entries[exercise.id]]
        }
    except (OSError, ValueError, TypeError):  # none, or written by another program
        return {}


def latest(known: Mapping[str, LastState], now: Mapping[str, str]) -> dict[str, str]:
    """The state of each exercise: as this run found it, else as `known`."""
    return {name: last.state for name, last in known.items()} | dict(now)


def first_open(
    known: Mapping[str, LastState], now: Mapping[str, str] = {}, *preferred: Iterable[Exercise]
) -> Exercise | None:
    """The first exercise whose tests did not pass when they last ran: in this run, or as `known`.

    Looks through the preferred groups in order, then through all, and at core exercises first.
    """
    states = latest(known, now)
    groups = (*preferred, manifest.load())
    candidates = (e for some in groups for e in sorted(some, key=lambda e: not e.core))
    left = (e for e in candidates if not e.only_races and states.get(e.id) not in _SETTLED)
    return next(left, None)


def finished_chapters(known: Mapping[str, LastState], now: Mapping[str, str]) -> list[str]:
    """The chapters whose last core exercise passes since this run; without core ones, the last."""
    before, after = latest(known, {}), latest(known, now)
    every = [e for e in manifest.load() if not e.only_races]
    with_core = {e.chapter for e in every if e.core}
    chapters: dict[str, list[str]] = {}
    for exercise in every:
        if exercise.core or exercise.chapter not in with_core:
            chapters.setdefault(exercise.chapter, []).append(exercise.id)
    return [
        chapter
        for chapter, names in chapters.items()
        if all(after.get(name) in _SETTLED for name in names)
        and any(now.get(name) == "passed" != before.get(name) for name in names)
    ]


def show(console: Console, root: Path, package: Path) -> None:
    """Prints how the public tests ended last, for students who hand in."""
    found, test = read(root, package), command("test")
    if not found:
        console.print(f"\nNo public test has run yet in this folder; {test} runs them.")
        return
    console.print(Text("\nThe public tests, when they ran last:", style="bold"))
    exercises = [e for e in manifest.load() if not e.only_races]
    for label, state in _LABELS:
        names = [e.id for e in exercises if (found[e.id].state if e.id in found else "") == state]
        if names:
            count = f"{len(names)} of {len(exercises)}"
            _show_names(console, label, f"{count}: {', '.join(names)}")
    if changed := [name for name, last in found.items() if not last.is_current]:
        _show_names(console, "changed since", f"{', '.join(changed)}; {test} tests again")


def _show_names(console: Console, label: str, text: str) -> None:
    width, label = min(console.width, 80), f"  {label:<14}"
    console.print(
        "\n".join(textwrap.wrap(text, width, initial_indent=label, subsequent_indent=" " * 16))
    )


def _digest(package: Path, exercise: Exercise) -> str:
    """A hash of the files that the exercise is in."""
    files = [package / f"{module}.py" for module in exercise.modules]
    found = [file.read_bytes() if file.is_file() else b"" for file in files]
    return hashlib.sha256(b"\0".join(found)).hexdigest()
