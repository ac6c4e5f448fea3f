"""The commands for authors: they check the assignment and build the handout and the site."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.authoring.campaign_commands import (
    Jobs,
    flakes,
    mutate,
    public_coverage,
    require,
    stable_marks,
    try_mistakes,
)
from grader.authoring.variants import Kind
from grader.faults import GraderFault
from grader.paths import REPOSITORY
from grader.terminal import BAD_INPUT, FAULT, OK, console, errors, fail


def add_commands(app: typer.Typer) -> None:
    """Adds `grader author`."""
    author = typer.Typer(no_args_is_help=True, help="Checks the assignment, and builds its parts.")
    for command in (
        verify,
        handout,
        site,
        mutate,
        flakes,
        stable_marks,
        public_coverage,
        try_mistakes,
        uncovered_clauses,
        measure_reference,
        new,
        check,
        points,
        rename,
        remove,
    ):
        author.command()(command)
    app.add_typer(author, name="author")


def verify(
    jobs: Jobs = None,
    kind: Annotated[
        list[Kind] | None, typer.Option(help="grade only this kind; may be repeated")
    ] = None,
    nonces: Annotated[
        int,
        typer.Option(
            min=1, help="how often each correct solution is graded, with new inputs each time"
        ),
    ] = 1,
    sample: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="grade this many random submissions that should fail, and one that should not; "
            "all by default",
        ),
    ] = None,
    exercise: Annotated[
        list[str] | None,
        typer.Option(help="verify only this exercise; may be repeated"),
    ] = None,
) -> None:
    """Verifies the assignment: correct solutions, handout, rote answers, all wrong submissions.

    Exit status: 0 every check passed; 1 one did not; 3 a fault of the grader; 4 a mistake in the
    manifest.
    """
    require("libcst", "ruff")
    from grader.authoring import verify as verification

    of_one = Kind.REFERENCE, Kind.ALTERNATIVE, Kind.WRONG, Kind.STUB
    kinds = kind or (of_one if exercise else tuple(Kind))
    cases = verification.cases(kinds, nonces, sample, exercise or ())
    total = len(cases) + 2

    findings = []
    for number, finding in enumerate(verification.findings(cases, jobs), 1):
        findings.append(finding)
        mark = "[red]✗[/]" if finding.problems else "[green]✓[/]"
        seen = f" [dim]{finding.seen}[/]" if finding.seen else ""
        console.print(f"{mark} {number:3}/{total} {finding.name}{seen}", highlight=False)
        for problem in finding.problems:
            console.print(f"      {problem}", style="red", markup=False, highlight=False)
    failed = [finding for finding in findings if finding.problems]
    costly = [finding for finding in findings if finding.costly]
    if costly:
        console.print(f"\n{len(costly)} mistakes cost more than half of their exercise:")
    for finding in sorted(costly, key=lambda one: one.name):
        line = f"  {finding.name}: {finding.seen}, for {finding.costly}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    console.print(f"{len(findings) - len(failed)} passed, {len(failed)} failed", highlight=False)
    raise typer.Exit(1 if failed else OK)


def uncovered_clauses(
    module: Annotated[str | None, typer.Argument(help="only this module, such as strides")] = None,
    every: Annotated[
        bool, typer.Option("--all", help="also clauses that a wrong submission breaks")
    ] = False,
) -> None:
    """Lists the clauses of docstrings that no wrong submission breaks.

    Exit status: 0 there is none; 1 there are some; 2 no such module; 4 a quote that no docstring
    holds, or another mistake of the assignment's.
    """
    from assignment import manifest as manifests
    from grader.authoring import clauses as finding
    from grader.authoring.variants import all_wrong

    manifest = manifests.load()
    if module is not None and module not in manifest.modules:
        fail(BAD_INPUT, f"no module is called {module!r}; there are {', '.join(manifest.modules)}")
    known = finding.all_clauses(manifest)
    broken = finding.breakers(known, all_wrong(manifest))
    left = finding.unbroken(known, broken)
    count = 0
    for name, some in (known if every else left).items():
        if module in (None, name.partition(".")[0]):
            console.print(f"[bold]{name}[/]", highlight=False)
            for clause in some:
                is_left = clause in left.get(name, ())
                count += is_left
                line = f"  {'✗' if is_left else '✓'} {clause.text}"
                console.print(line, markup=False, highlight=False, soft_wrap=True)
                if by := ", ".join(submission.path.stem for submission in broken[clause]):
                    console.print(f"      {by}", style="dim", markup=False, soft_wrap=True)
    console.print(f"{count} clauses that no wrong submission breaks", highlight=False)
    raise typer.Exit(1 if count else OK)


def measure_reference(
    gradings: Annotated[int, typer.Option(min=1, help="how often the reference is graded")] = 3,
) -> None:
    """Measures the reference's CPU times for tests/reference_times.toml; needs an idle machine.

    Exit status: 0 the file is written; 3 a fault of the grader.
    """
    from grader.authoring import measure_reference as calibrating

    try:
        text = calibrating.measure(gradings)
    except GraderFault as error:
        fail(FAULT, str(error))
    calibrating.FILE.write_text(text, encoding="utf-8")
    console.print(f"wrote {calibrating.FILE.name}")


def handout(
    check: Annotated[bool, typer.Option("--check", help="only list what is stale")] = False,
) -> None:
    """Builds handout/ from the solutions, the assignment and the public tests."""
    require("libcst", "ruff")
    from grader.authoring import handout as building

    if not check:
        building.build(building.HANDOUT)
        console.print(f"built {building.HANDOUT.name}/")
        return
    problems = building.check()
    for problem in problems:
        errors.print(problem, style="red", markup=False)
    if problems:
        fail(1, "handout/ is stale: run `make handout` and commit it")
    console.print("handout/ is in sync")


def site(
    out: Annotated[Path, typer.Option(help="folder for the site and the PDF")] = Path("build"),
    figures: Annotated[
        bool, typer.Option("--figures", help="only redraw the figures of the text")
    ] = False,
    pictures: Annotated[
        bool, typer.Option("--pictures", help="only make README.md's pictures; needs Chromium")
    ] = False,
) -> None:
    """Builds the write-up as a site and as a PDF; also pages of the reference solutions."""
    from grader.authoring import site as building

    if figures:
        try:
            from grader.authoring import figures as drawing
        except ModuleNotFoundError as error:
            fail(1, str(building.missing(error)))
        drawing.build()
        console.print(f"drew {len(drawing.FIGURES)} figures")
        return
    if pictures:
        _make_pictures()
        return
    try:
        building.build(out)
    except building.WriteupError as error:
        fail(1, str(error))
    console.print(f"built {out / building.SITE / 'index.html'} and {out / building.PDF}")
    console.print(f"built {out / building.READING / 'index.html'}, for after the deadline")


def _make_pictures() -> None:
    from grader.authoring import pictures as drawing

    try:
        drawing.build()
    except drawing.PictureError as error:
        fail(1, str(error))
    console.print(f"wrote {drawing.FOLDER.relative_to(REPOSITORY)}/")


def new(
    exercise: Annotated[str, typer.Argument(help="the id of the new exercise")],
    after: Annotated[str, typer.Option(help="the exercise that it follows, in its chapter")],
    title: Annotated[str, typer.Option(help="by default the id in words")] = "",
) -> None:
    """Adds an exercise that works from the start, for you to write in its place.

    Exit status: 0 it is there; 4 the id is taken, or there is no such exercise to follow.
    """
    from grader.authoring import exercises

    for path in exercises.add(exercise, after, title):
        console.print(f"wrote {path.relative_to(REPOSITORY)}", highlight=False)
    then = f"make handout && grader author check {exercise}"
    console.print(f"Write your exercise in their place. Then: {then}", highlight=False)


def check(
    exercise: Annotated[str, typer.Argument(help="its id")],
    jobs: Jobs = None,
) -> None:
    """Says whether an exercise is whole, in one list, and what is to be done where it is not.

    Exit status: 0 it is; 1 it is not; 3 a fault of the grader; 4 there is none, or a mistake in the
    assignment.
    """
    require("libcst", "ruff")
    from grader.authoring import checklist

    bad = 0
    for line in checklist.lines(exercise, jobs):
        bad += bool(line.problems)
        mark = "[red]✗[/]" if line.problems else "[green]✓[/]"
        console.print(f"{mark} {line.what}", highlight=False)
        for problem in line.problems:
            console.print(f"      {problem}", style="red", markup=False, highlight=False)
        if line.problems:
            console.print(f"      → {line.advice}", markup=False, highlight=False)
    raise typer.Exit(1 if bad else OK)


def points(
    exercise: Annotated[str | None, typer.Argument(help="only this one, or a chapter")] = None,
) -> None:
    """Lists the points of each exercise, and how its graded tests share them.

    Exit status: 0; 4 there is no such exercise, or a mistake in the assignment.
    """
    from grader.authoring import checklist
    from grader.results import text

    for one, checks in checklist.graded_checks(exercise):
        console.print(f"[bold]{text.points(one.points):>5}[/] {one.id}", highlight=False)
        for check in checks:
            line = f"      {text.points(check.max_points):>4} {check.title}"
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def rename(
    exercise: Annotated[str, typer.Argument(help="its id")],
    to: Annotated[str, typer.Argument(help="its new id")],
) -> None:
    """Gives an exercise another id; its functions keep their names.

    Exit status: 0 it has it; 4 there is no such exercise, or the id is taken.
    """
    from grader.authoring import exercises

    _print_changes(exercises.rename(exercise, to), exercise)


def remove(exercise: Annotated[str, typer.Argument(help="its id")]) -> None:
    """Removes an exercise: functions and tests that are its own, mistakes, its section of the text.

    Exit status: 0 it is gone; 4 there is no such exercise, or others depend on it.
    """
    from grader.authoring import exercises

    _print_changes(exercises.remove(exercise), exercise)


def _print_changes(paths: list[Path], exercise: str) -> None:
    """Prints what changed, and where the id still stands."""
    from grader.authoring import exercises

    for path in paths:
        what = "changed" if path.exists() else "removed"
        console.print(f"{what} {path.relative_to(REPOSITORY)}", highlight=False)
    if places := len(list(exercises.mentions(exercise))):
        console.print(
            f"! {exercise} still stands in {places} lines, as the name of a function or in words: "
            f"grep -rnw {exercise} assignment solutions tests",
            style="yellow",
            soft_wrap=True,
        )
    console.print("Now: make handout && make check test", highlight=False)
