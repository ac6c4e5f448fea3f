"""`python -m assignment`: hints, progress, handing in, starting an exercise over.

`python -m assignment --help` lists the commands.
"""

from __future__ import annotations

import argparse
import importlib.util
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

from assignment import manifest
from assignment.manifest import AUTHORS, Exercise, ManifestError
from assignment.student.definitions import replace_definition
from assignment.student.submit import pack, syntax_error
from assignment.student.verbs import UserError, command, of_another_folder

ROOT = Path(__file__).resolve().parents[1]
STUBS = Path(__file__).parent / "stubs"
ARCHIVE = "submission.zip"
PREDICTIONS = "predictions.jsonl"
SITE, TRAINING = "build/site", "build/train"
PROGRAMS = ("matmul_chain", "training", "adamw", "batches")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; returns its exit status: 2 for a UserError or a bad manifest."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # for consoles that cannot show ×
    console = Console(highlight=False, soft_wrap=True)
    parser = argparse.ArgumentParser(
        prog="python -m assignment", description="Hints, progress, handing in, starting over."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    hint = commands.add_parser("hint", help="shows the hint of an exercise")
    hint.add_argument("exercise", nargs="?", help="its id; without one, lists all exercises")
    watch = commands.add_parser("watch", help="tests an exercise at each save, then the next one")
    watch.add_argument("exercise", nargs="?", help="the first one; by default the first to do")
    commands.add_parser("progress", help="runs the public tests and shows only the table")
    submit = commands.add_parser("submit", help=f"packs {ARCHIVE}, and imports it")
    submit.add_argument("--output", type=Path, default=ROOT / ARCHIVE)
    reset = commands.add_parser("reset", help="restores an exercise's stubs, and keeps a copy")
    reset.add_argument("exercise")
    bench = commands.add_parser("bench", help="times the programs of the last chapter")
    bench.add_argument("programs", nargs="*", help=f"any of {', '.join(PROGRAMS)}; all by default")
    bench.add_argument("--picture", type=Path, default=ROOT / "roofline.svg")
    commands.add_parser("site", help="draws the text's figures with your functions, on a page")
    predict = commands.add_parser("predict", help="commits your prediction of a step, then runs it")
    predict.add_argument("sizes", nargs="*", help="small, gpt2 or train, then layers=6 and so on")
    train = commands.add_parser("train", help="trains a small model with your functions")
    train.add_argument("minutes", nargs="?", type=float, default=2.0, help="2 by default")
    options = parser.parse_args(arguments)
    try:
        if problem := of_another_folder(Path.cwd()):
            raise UserError(problem)
        tests = [sys.executable, "-m", "pytest", "--only-table"]
        run: dict[str, Callable[[], int | None]] = {
            "hint": lambda: show_hint(console, options.exercise),
            "watch": lambda: watch_files(console, options.exercise),
            "progress": lambda: subprocess.run(tests, cwd=ROOT, check=False).returncode,
            "submit": lambda: pack(console, ROOT, options.output),
            "bench": lambda: time_programs(console, options.programs, options.picture),
            "site": lambda: draw_figures(console),
            "predict": lambda: predict_step(console, options.sizes),
            "train": lambda: train_model(console, options.minutes),
            "reset": lambda: reset_exercise(console, find(options.exercise)),
        }
        return run[options.command]() or 0
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ManifestError as error:
        print(f"error: {AUTHORS}{error}", file=sys.stderr)
        return 2


# Commands import torch, which takes seconds, only where they need it.


def package_name() -> str:
    """The name of the student's package, which can be imported from now on."""
    sys.path.insert(0, str(ROOT))
    return manifest.load().package


def time_programs(console: Console, names: Sequence[str], picture: Path) -> None:
    """Times programs; raises UserError for an unknown name."""
    if unknown := sorted(set(names) - set(PROGRAMS)):
        raise UserError(f"no program is called {unknown[0]!r}; there are {', '.join(PROGRAMS)}")
    from assignment.student import bench

    bench.run(package_name(), names or PROGRAMS, console, picture)


def draw_figures(console: Console) -> None:
    """Draws the figures and prints where the page is; raises UserError without matplotlib."""
    if importlib.util.find_spec("matplotlib") is None:
        raise UserError('the figures need matplotlib: python -m pip install -e ".[bench]"')
    from assignment.student import own_figures

    page = own_figures.build(package_name(), ROOT / SITE, console)
    console.print(f"\nYour figures, beside the text's: {page.relative_to(ROOT).as_posix()}")


def predict_step(console: Console, sizes: Sequence[str]) -> None:
    """Commits the student's prediction to a file, then runs the step; may raise UserError."""
    from assignment.calls.implementation import Package
    from assignment.student import predict

    predict.run(Package(package_name()), sizes, console, ROOT / PREDICTIONS)


def train_model(console: Console, minutes: float) -> None:
    """Trains with the student's functions; raises UserError if one of them fails."""
    if not 0 < minutes <= 600:
        raise UserError(f"a training takes more than 0 minutes and at most 600, not {minutes:g}")
    from assignment.student import train

    train.run(package_name(), ROOT / TRAINING, ROOT / PREDICTIONS, console, minutes)


def find(exercise_id: str) -> Exercise:
    """The exercise with this id; if there is none, raises a UserError that offers other ids."""
    exercises = manifest.load()
    try:
        found = exercises.named(exercise_id)
    except ManifestError as error:
        raise UserError(str(error)) from error
    if exercise_id == found[0].chapter != found[0].id:
        ids = ", ".join(exercise.id for exercise in found)
        raise UserError(f"{exercise_id} is a chapter; name one of its exercises: {ids}")
    return found[0]


def show_hint(console: Console, exercise_id: str | None) -> None:
    """Prints an exercise's hint, or the list of exercises."""
    if not exercise_id:
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False, pad_edge=False)
        for exercise in manifest.load():
            table.add_row(Text(exercise.id, style="bold"), exercise.title)
        console.print(table)
        console.print(f"\nFor one exercise's hint:  {command('hint', '<id>')}")
        return
    exercise = find(exercise_id)
    console.print(Text(f"{exercise.title} ({exercise.id})", style="bold"))
    console.print()
    Console(width=min(console.width, 80), highlight=False).print(Text(exercise.hint))
    console.print()
    console.print(f"The text: assignment/writeup/{exercise.chapter}.md")
    console.print(f"Try it:   {command('test', exercise.id)}")
    if exercise.depends_on:
        console.print(f"Builds on: {', '.join(exercise.depends_on)}")


def watch_files(console: Console, exercise_id: str | None) -> None:
    """Tests an exercise at each save, until the key q."""
    from assignment.student import watch

    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    exercise = find(exercise_id) if exercise_id else watch.first_open(ROOT)
    watch.preload()

    def reset(exercise: Exercise) -> None:
        try:
            reset_exercise(console, exercise)
        except UserError as error:
            console.print(Text(f"error: {error}", style="red"))

    watch.Watch(console, ROOT, exercise, partial(show_hint, console), reset).loop()


def reset_exercise(console: Console, exercise: Exercise) -> None:
    """Replaces the student's functions of an exercise with the stubs, after a backup.

    A file that is missing becomes the whole stub.

    Raises:
        UserError: the stubs are missing, or a file of the student's is not valid Python; nothing
            has been changed.
    """
    package = ROOT / manifest.load().package
    texts: dict[Path, str] = {}
    for module in exercise.modules:
        path, pristine = package / f"{module}.py", STUBS / f"{module}.py"
        if not pristine.is_file():
            raise UserError(f"{pristine} is missing; copy it from a fresh handout")
        texts[path] = stub = pristine.read_text(encoding="utf-8")
        if not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8-sig")
            for name in exercise.names_in(module):
                text = replace_definition(text, stub, name)
        except (MemoryError, RecursionError, SyntaxError, ValueError) as error:
            raise UserError(
                f"{path}: {syntax_error(path) or 'it is not UTF-8'}, so its functions cannot be "
                f"found; correct it, or copy {pristine} over it"
            ) from error
        texts[path] = text
    for path, text in texts.items():
        if not path.is_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            console.print(f"{package.name}/{path.name} was missing: all of it is a stub again")
            continue
        backup = back_up(path)
        path.write_text(text, encoding="utf-8")
        names = ", ".join(exercise.names_in(path.stem))
        console.print(f"{names} in {package.name}/{path.name}: a stub again")
        console.print(f"your code is saved in {backup.relative_to(ROOT).as_posix()}")
        for other in manifest.load():
            if other != exercise and set(other.functions) & set(exercise.functions):
                console.print(f"(this also resets {other.id}, which has the same functions)")


def back_up(path: Path) -> Path:
    """Copies a file to `backups/`, under a new name."""
    folder = ROOT / "backups"
    folder.mkdir(exist_ok=True)
    stem = f"{path.stem}-{time.strftime('%Y%m%d-%H%M%S')}"
    backup, number = folder / f"{stem}.py", 1
    while backup.exists():
        number += 1
        backup = folder / f"{stem}-{number}.py"
    backup.write_bytes(path.read_bytes())
    return backup


if __name__ == "__main__":
    sys.exit(main())
