"""The commands that run campaigns: mutants, draws of inputs, mistakes."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress, TextColumn

from grader.faults import GraderFault
from grader.terminal import BAD_INPUT, FAULT, OK, console, fail

if TYPE_CHECKING:
    from grader.authoring.campaigns.try_mistakes import Screened
    from grader.authoring.mutation.verdicts import Verdict

_PROGRESS_EVERY = 200  # mutants between two lines of a log
Jobs = Annotated[int | None, typer.Option(help="processes at a time; by default one for each core")]


def require(*packages: str) -> None:
    """Ends the command if packages are missing that grading does not need."""
    if missing := [name for name in packages if find_spec(name) is None]:
        fail(FAULT, f"not installed: {', '.join(missing)}; `make .venv/dev` installs this")


@contextmanager
def _exit_on_errors() -> Iterator[None]:
    """Ends the command with a message and a status if a campaign cannot be run."""
    from grader.authoring.campaigns.inprocess import CampaignError

    try:
        yield
    except CampaignError as error:
        fail(BAD_INPUT, str(error))
    except GraderFault as error:
        fail(FAULT, f"a fault of the grader: {error}")


def mutate(
    modules: Annotated[
        list[str] | None, typer.Argument(help="modules of the reference; all by default")
    ] = None,
    jobs: Jobs = None,
    sample: Annotated[
        int | None,
        typer.Option(min=1, help="number of mutants to try, drawn by the seed; all by default"),
    ] = None,
    seed: Annotated[int, typer.Option(help="draws the sample and the tests' inputs")] = 0,
    exercise: Annotated[
        list[str] | None,
        typer.Option(help="only mutants of this exercise's functions; may be repeated"),
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=100,
            help="percentage of mutants that must be killed; by default 95, or 0 for a sample",
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="file for the whole record, as JSON")] = None,
) -> None:
    """Mutates the reference and checks that the hidden tests notice.

    Exit status: 0 they do; 1 a mutant survived that is not listed as equivalent, an entry of that
    list is stale, too few mutants were killed, or the reference itself does not pass; 2 no such
    module or exercise; 3 a fault of the grader; 4 a mistake in the manifest.
    """
    require("libcst")
    from grader.authoring.mutation import campaign, equivalents, plan, report

    assignment = plan.own_assignment()
    try:
        planned = plan.make(
            assignment, modules or (), exercises=exercise or (), sample=sample, seed=seed
        )
    except (plan.PlanError, equivalents.EquivalentsError) as error:
        fail(BAD_INPUT, str(error))
    if at_least is None:
        at_least = 0 if sample else 95  # the share of a small sample varies too much to judge
    done = survived = 0
    columns = (*Progress.get_default_columns(), TextColumn("{task.fields[survived]} survived"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("mutants", total=len(planned.chosen), survived=0)

        def show(verdict: Verdict) -> None:
            nonlocal done, survived
            done += 1
            survived += verdict.status in ("survived", "untested")
            progress.update(task, advance=1, survived=survived)
            if not console.is_terminal and done % _PROGRESS_EVERY == 0:
                console.print(f"{done}/{len(planned.chosen)} mutants, {survived} survived")

        outcome = campaign.run(assignment, planned, jobs, show)
    folder = f"{assignment.reference.name}/{assignment.manifest.package}"
    console.print(report.summary(outcome, folder, at_least), soft_wrap=True)
    if json is not None:
        json.write_bytes(report.record(outcome))
    if outcome.faults:
        raise typer.Exit(FAULT)
    bad = outcome.survivors or outcome.stale or outcome.problems
    raise typer.Exit(1 if bad or 100 * outcome.share < at_least else OK)


def flakes(
    nonces: Annotated[int, typer.Option(min=1, help="number of the last nonce")] = 1000,
    runs: Annotated[
        int, typer.Option(min=1, help="test runs to make in total; cheap tests get most of them")
    ] = 100_000,
    seed: Annotated[
        str | None,
        typer.Option(help="what nonces are made of; to continue, the seed that was printed"),
    ] = None,
    first: Annotated[int, typer.Option(min=1, help="number of the first nonce")] = 1,
    nonce: Annotated[
        list[str] | None,
        typer.Option(help="run all tests with exactly this nonce; may be repeated"),
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option(help="run only this test, file::name; may be repeated")
    ] = None,
    public: Annotated[bool, typer.Option(help="run the public tests instead")] = False,
    reference: Annotated[
        bool, typer.Option(help="run them on the reference only, not on other correct solutions")
    ] = False,
    jobs: Jobs = None,
) -> None:
    """Runs the hidden tests on every correct solution with random inputs: all must pass.

    In process, without the sandbox. Exit status: 0 all passed; 1 a test failed; 2 no such test;
    3 a fault of the grader.
    """
    from grader.authoring.campaigns import flakes as campaign
    from grader.authoring.campaigns import inprocess, report

    if nonce is None and first > nonces:
        fail(BAD_INPUT, f"--first {first} is after the last nonce, {nonces}; raise --nonces")
    printer = report.FlakesPrinter(seed or secrets.token_hex(4), nonces, first)
    own = inprocess.Assignment()
    interrupted = False
    try:
        with _exit_on_errors():
            campaign.run(
                replace(own, alternatives=()) if reference else own,
                seed=printer.seed,
                nonces=nonces,
                runs=runs,
                first=first,
                tests=test or (),
                exact_nonces=nonce or (),
                public=public,
                jobs=jobs,
                on_failure=printer.failure,
                on_nonce=printer.nonce,
            )
    except KeyboardInterrupt:
        interrupted = True
    printer.summary()
    raise typer.Exit(1 if printer.found.failures or interrupted else OK)


def stable_marks(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="files of solutions/wrong without .py, or alternatives; by default all"
        ),
    ] = None,
    nonces: Annotated[int, typer.Option(min=2, help="number of draws for each submission")] = 10,
    seed: Annotated[
        str | None,
        typer.Option(help="what nonces are made of; to repeat, the seed that was printed"),
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Grades wrong submissions with several draws of inputs: the marks must be the same in each.

    In process, without the sandbox. Exit status: 0 they are; 1 marks depend on the draw, or a
    mistake costs nothing; 2 no such submission; 3 a fault of the grader.
    """
    from grader.authoring.campaigns import inprocess, report, stable_marks

    seed, found = seed or secrets.token_hex(4), stable_marks.Report()
    own = inprocess.Assignment()
    try:
        with _exit_on_errors():
            for one in stable_marks.run(own, names or (), nonces=nonces, seed=seed, jobs=jobs):
                found.findings.append(one)
                report.print_finding(len(found.findings), one)
    except KeyboardInterrupt:
        fail(1, "interrupted; to continue, name the submissions that are left")
    report.print_stable_marks(found, seed)
    raise typer.Exit(OK if found.holds else 1)


def try_mistakes(
    folders: Annotated[
        list[Path], typer.Argument(help="folders of files in the form of solutions/wrong")
    ],
    right: Annotated[
        bool, typer.Option("--right", help="the files are right: list those that fail a test")
    ] = False,
    nonce: Annotated[str, typer.Option(help="draws the tests' inputs")] = "screen",
    jobs: Jobs = None,
) -> None:
    """Screens submissions by other authors: lists mistakes that no hidden test catches.

    Below each stand the public tests that do. In process; what passes there is graded in the
    sandbox. Exit status: 0 there are none; 1 there are some; 2 a folder has
    no submission, or a file names no exercise; 3 a fault of the grader.
    """
    from grader.authoring.campaigns import inprocess, try_mistakes

    def is_listed(one: Screened) -> bool:
        return bool(one.failed) if right else not one.is_caught

    found = []
    with _exit_on_errors():
        for one in try_mistakes.run(inprocess.Assignment(), folders, nonce=nonce, jobs=jobs):
            found.append(one)
            lines = (f"{one.wrong.path}: {one.wrong.mistake}", *(f"    {t}" for t in one.failed))
            for line in lines if is_listed(one) else ():
                console.print(line, markup=False, highlight=False, soft_wrap=True)
    counts = Counter(one.wrong.module for one in found)
    hidden = Counter(one.wrong.module for one in found if one.hidden)
    public = Counter(one.wrong.module for one in found if one.public and not one.hidden)
    for name, count in sorted(counts.items()):
        caught = f"{hidden[name]:4} fail a hidden test and {public[name]:3} a public one"
        console.print(f"{name:16} of {count:4}, {caught}", highlight=False)
    bad = sum(map(is_listed, found))
    console.print(f"{len(found)} submissions, {bad} of them listed above", highlight=False)
    raise typer.Exit(1 if bad else OK)


def public_coverage(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(help="folders of new mistakes, in the form of solutions/wrong"),
    ] = None,
    exercise: Annotated[
        list[str] | None, typer.Option(help="only mistakes of this exercise; may be repeated")
    ] = None,
    missed: Annotated[
        bool, typer.Option("--missed", help="list the mistakes that no public test sees")
    ] = False,
    nonce: Annotated[str, typer.Option(help="draws the tests' inputs")] = "teaching",
    jobs: Jobs = None,
) -> None:
    """Counts the mistakes that fail a hidden test and a public test too, by exercise.

    By default those of solutions/wrong. In process. Exit status: 0 there are enough; 1 there are
    too few, or solutions/grader_only.toml is stale; 2 no such mistake, or that list cannot be read;
    3 a fault of the grader.
    """
    from grader.authoring.campaigns import inprocess, public_coverage, report

    assignment = inprocess.Assignment()
    with _exit_on_errors():
        found = public_coverage.run(
            assignment,
            folders or (),
            exercise or (),
            listed=None if exercise else public_coverage.GRADER_ONLY,
            nonce=nonce,
            jobs=jobs,
        )
    for one in found.missed if missed else ():
        what = f"{one.wrong.path.stem}: {one.wrong.mistake}"
        console.print(what, markup=False, highlight=False, soft_wrap=True)
    report.print_public_coverage(found, assignment.manifest)
    raise typer.Exit(1 if found.too_low(assignment.manifest) or found.stale else OK)
