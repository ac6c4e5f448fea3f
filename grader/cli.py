"""The `grader` command: `grade` and `doctor`, and the commands of packages that are present.

`grader.authoring` and `grader.pack` add the commands that check and pack the assignment. A copy
that is packed for a container has neither package, so it does not have their commands.
"""

from __future__ import annotations

import traceback
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import typer
from rich.live import Live

import grader
from assignment import manifest as manifests
from assignment.manifest import AUTHORS, ManifestError
from grader import command_line
from grader import trace as tracing
from grader.faults import GraderFault
from grader.intake.entries import SubmissionError, check_exists
from grader.intake.stage import read
from grader.isolation import UNISOLATED, CannotIsolate, Tier, at_least
from grader.judge import provenance
from grader.judge.grader import Grader, Timing
from grader.races.device import why_unused
from grader.results.write import clear, write_all
from grader.terminal import (
    BAD_ASSIGNMENT,
    BAD_INPUT,
    FAULT,
    OK,
    MinTier,
    Unsafe,
    console,
    fail,
    print_error,
    stoppable,
)


def build_app() -> typer.Typer:
    """The commands that this copy of the grader has."""
    app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
    app.callback()(_options)
    app.command()(grade)
    app.command()(doctor)
    for package in ("grader.classroom", "grader.pack", "grader.authoring"):
        # Only in this copy's folder: another copy may be installed for the interpreter.
        spec = PathFinder.find_spec(package, grader.__path__)
        if spec is not None and spec.origin is not None:  # without origin: a folder without code
            import_module(f"{package}.cli").add_commands(app)
    return app


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(provenance.version(), highlight=False, soft_wrap=True)
        raise typer.Exit(OK)


def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="print and exit"),
    ] = False,
) -> None:
    """Grades submissions of the assignment, and checks the assignment itself."""


@stoppable("before there was a grade")
def grade(
    submission: Annotated[Path, typer.Argument(help="a folder, zip or tar")],
    out: Annotated[Path, typer.Option(help="folder for the results")] = Path("out"),
    tests: Annotated[
        Literal["all", "public"], typer.Option(help="public: run the public tests alone")
    ] = "all",
    timing: Annotated[
        Timing, typer.Option(help="whether to time programs on a CUDA device")
    ] = "auto",
    min_tier: MinTier = Tier.C,
    unsafe: Unsafe = False,
    nonce: Annotated[
        str | None, typer.Option(help="to repeat a grading: the nonce that it printed")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="seconds that tests may draw together once their exercise's share is spent; by "
            "default the manifest's",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="wall-clock seconds that the grading may take; the budget is reduced to fit",
        ),
    ] = None,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="a process for each test, in place of each exercise")
    ] = False,
    trace: Annotated[
        Path | None, typer.Option(help="file for a line on each test, call and end of a worker")
    ] = None,
) -> None:
    """Grades one submission and writes results.json, grade.json, report.html and junit.xml.

    Results of an earlier grading there are removed first. Without a score there is no results.json.

    Exit status: 0 a grade was produced, whatever the mark; 2 the submission or an option cannot be
    read; 3 a fault of the grader, or a machine that cannot isolate; 4 a mistake in the assignment.
    """
    command_line.overwrite("grader grade")  # workers may read it; it may hold the nonce
    manifest = manifests.load()
    try:
        if trace is not None:
            tracing.start(trace)
        check_exists(submission, manifest.package)
        if timing == "require" and tests == "public":
            fail(BAD_INPUT, "--timing require needs all tests: leave out --tests public")
        clear(out)  # it would be taken for this submission's
        selected = read(submission, manifest.package, manifest.modules)  # before torch is loaded
        judge = Grader(
            (UNISOLATED,) if unsafe else at_least(min_tier), budget=budget, time_limit=time_limit
        )
    except SubmissionError as error:
        fail(BAD_INPUT, str(error))
    except (OSError, GraderFault) as error:
        fail(FAULT, f"cannot start: {error}")
    from grader.results import console as summary

    # No refresh thread: the judge forks, and a fork copies only the thread that calls it.
    progress = Live("grading …", console=console, auto_refresh=False, transient=True)
    with judge, progress:
        try:
            result = judge.grade(
                selected,
                tests=tests,
                nonce=nonce,
                timing=timing,
                further_seeds=True,
                fresh=fresh,
                on_check=lambda check: progress.update(f"grading … {check.exercise}", refresh=True),
            )
        except CannotIsolate as error:
            fail(
                FAULT,
                f"this machine cannot isolate a submission as asked:\n{error}\n"
                "--unsafe runs one that you trust without isolation.",
            )
        except GraderFault as error:
            fail(FAULT, f"a fault of the grader, not of the submission: {error}")
    write_all(result, out)
    console.print(summary.summary(result))
    if timing == "auto" and (reason := why_unused()):
        unused = f"! The CUDA device of this machine was not used: {reason}"
        console.print(unused, style="yellow", markup=False)
    if result.budget is not None and result.budget.drawn:
        console.print(
            f"Slow code drew {result.budget.drawn:.0f} s, rounded up, of this grading's "
            f"{result.budget.seconds:g} s. A submission is charged at most "
            f"{result.budget.bound:.0f} s of CPU time and sleep.",
            style="dim",
            highlight=False,
        )
    line = f"nonce {result.nonce} · results in {out}/"
    console.print(line, style="dim", markup=False, highlight=False)
    console.print(f"[dim]{provenance.summary(result)}[/dim]", highlight=False)
    raise typer.Exit(FAULT if result.faults else OK)


def doctor(
    json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
    cuda: Annotated[
        bool, typer.Option("--cuda", help="which layer keeps workers from the CUDA device")
    ] = False,
) -> None:
    """Tests which isolation this machine can enforce, and lists what each tier lacks.

    With --cuda it uses the CUDA device behind more and more layers, and then in a worker of each
    tier: a few minutes.

    Exit status: 0 a submission can be graded here, or with --cuda raced; 3 it cannot.
    """
    from grader.doctor import cuda as cuda_doctor
    from grader.doctor import machine

    asked = cuda_doctor if cuda else machine
    try:
        found = asked.diagnose()
    except (OSError, GraderFault) as error:
        fail(FAULT, f"the trial failed: {error}")
    if json:
        typer.echo(msgspec.json.encode(found))
    else:
        console.print(asked.report(found))
    raise typer.Exit(OK if found.works else FAULT)


def main() -> None:
    """Runs the command in `sys.argv`.

    An unexpected exception is a fault of the grader: exit status 3. A mistake in the manifest, or
    tests that do not match it, end every command with status 4.
    """
    try:
        build_app()()
    except ManifestError as error:
        print_error(f"{AUTHORS}{error}")
        raise SystemExit(BAD_ASSIGNMENT) from None
    except Exception:
        print_error(traceback.format_exc().rstrip())
        print_error("a fault of the grader, not of the submission")
        raise SystemExit(FAULT) from None
