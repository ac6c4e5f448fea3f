"""The `grader` command."""

from __future__ import annotations

import functools
import os
import secrets
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn, ParamSpec

import msgspec
import typer
from rich.console import Console
from rich.live import Live
from rich.progress import Progress, TextColumn

from assignment import manifest as manifests
from assignment.manifest import AUTHORS, ManifestError
from grader import signals
from grader.isolation import UNISOLATED, CannotIsolate, Tier, at_least
from grader.judge import provenance
from grader.judge.entries import SubmissionError, check_exists
from grader.judge.failure import GraderFault
from grader.judge.session import Judge
from grader.kinds import Kind
from grader.paths import REPOSITORY

if TYPE_CHECKING:
    from grader.authoring.mutation.verdicts import Verdict

OK, BAD_INPUT, FAULT, BAD_ASSIGNMENT = 0, 2, 3, 4
_EVERY = 200  # mutants, after which a log gets a line

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)
pack = typer.Typer(no_args_is_help=True)
app.add_typer(pack, name="pack")
P = ParamSpec("P")
console = Console()
errors = Console(stderr=True)


class Tests(StrEnum):
    """Which tests are run."""

    ALL = "all"
    PUBLIC = "public"


class Timing(StrEnum):
    """Whether programs are timed."""

    AUTO = "auto"
    REQUIRE = "require"
    SKIP = "skip"


def _print_version(wanted: bool) -> None:
    if wanted:
        console.print(provenance.version(), highlight=False, soft_wrap=True)
        raise typer.Exit(OK)


@app.callback()
def _app(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="print and exit"),
    ] = False,
) -> None:
    """Grades submissions of the assignment, and checks the assignment itself."""


def _stoppable(command: Callable[P, None]) -> Callable[P, None]:
    """A command that closes what it opened when a signal asks it to end, and exits with 3."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with signals.raised():
                command(*args, **kwargs)
        except signals.Stopped as stopped:
            _fail(FAULT, f"stopped by {stopped} before there was a grade")

    return run


@app.command()
@_stoppable
def grade(
    submission: Annotated[Path, typer.Argument(help="a folder, zip or tar")],
    out: Annotated[Path, typer.Option(help="folder for the results")] = Path("out"),
    tests: Annotated[
        Tests, typer.Option(help="public: a rehearsal without hidden tests")
    ] = Tests.ALL,
    timing: Annotated[Timing, typer.Option(help="programs timed on CUDA")] = Timing.AUTO,
    min_tier: Annotated[Tier, typer.Option(help="refuse to grade with less isolation")] = Tier.C,
    unsafe: Annotated[bool, typer.Option("--unsafe", help="run without any isolation")] = False,
    nonce: Annotated[
        str | None, typer.Option(help="repeat a grading: the nonce it printed")
    ] = None,
    budget: Annotated[
        float | None,
        typer.Option(
            min=0,
            help="seconds that tests which hit their limit may draw together; by default the "
            "manifest's",
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            min=1,
            help="seconds on the wall that the grading may take; the budget is made to fit",
        ),
    ] = None,
) -> None:
    """Grades one submission and writes results.json, grade.json, report.html and junit.xml.

    Exit status: 0 a grade was produced, whatever the mark; 2 the submission or an option cannot be
    read; 3 a fault of the grader, or a machine that cannot isolate; 4 a mistake in the assignment.
    """
    try:
        check_exists(submission, manifests.load().package)  # before anything is started or loaded
        judge = Judge(
            (UNISOLATED,) if unsafe else at_least(min_tier), budget=budget, time_limit=time_limit
        )
    except SubmissionError as error:
        _fail(BAD_INPUT, str(error))
    except OSError as error:
        _fail(FAULT, f"cannot start: {error}")
    from grader.results import console as summary
    from grader.results.write import write_all

    # Drawn without a thread of its own: the judge forks, and a fork copies no other thread.
    progress = Live("grading …", console=console, auto_refresh=False, transient=True)
    with judge, progress:
        try:
            result = judge.grade(
                submission,
                tests="public" if tests is Tests.PUBLIC else "all",
                nonce=nonce,
                timing=timing.value,
                on_check=lambda check: progress.update(f"grading … {check.exercise}", refresh=True),
            )
        except SubmissionError as error:
            _fail(BAD_INPUT, str(error))
        except CannotIsolate as error:
            _fail(
                FAULT,
                f"this machine cannot isolate a submission as asked:\n{error}\n"
                "--unsafe runs one that you trust without isolation.",
            )
        except GraderFault as error:
            _fail(FAULT, f"a fault of the grader, not of the submission: {error}")
    write_all(result, out)
    console.print(summary.summary(result))
    if result.budget is not None and result.budget.drawn:
        console.print(
            f"Tests that hit their time limit drew {result.budget.drawn:g} s of this grading's "
            f"{result.budget.seconds:g} s. Code that hangs is charged {result.budget.bound:g} s "
            "at most.",
            style="dim",
            highlight=False,
        )
    console.print(f"[dim]nonce {result.nonce} · results in {out}/[/dim]")
    console.print(f"[dim]{provenance.summary(result)}[/dim]", highlight=False)
    raise typer.Exit(FAULT if result.faults else OK)


@app.command()
def verify(
    jobs: Annotated[
        int | None, typer.Option(help="processes; as many as cores if left out")
    ] = None,
    kind: Annotated[
        list[Kind] | None, typer.Option(help="grade this kind alone; may be given again")
    ] = None,
    nonces: Annotated[
        int, typer.Option(min=1, help="how often correct solutions are graded, each time anew")
    ] = 1,
    sample: Annotated[
        int | None,
        typer.Option(min=0, help="grade so many wrong submissions, drawn anew"),
    ] = None,
) -> None:
    """Verifies the assignment: correct solutions, handout, rote answers, every wrong submission.

    Exit status: 0 all holds; 1 something does not; 3 a fault of the grader; 4 a mistake in the
    manifest.
    """
    from grader.authoring import verify as verifying

    done = 0
    cases = verifying.cases(kind or tuple(Kind), nonces, sample)
    total = len(cases) + 2

    def show(finding: verifying.Finding) -> None:
        nonlocal done
        done += 1
        mark = "[green]✓[/]" if finding.ok else "[red]✗[/]"
        seen = f" [dim]{finding.seen}[/]" if finding.seen else ""
        console.print(f"{mark} {done:3}/{total} {finding.name}{seen}", highlight=False)
        for problem in finding.problems:
            console.print(f"      {problem}", style="red", markup=False, highlight=False)

    findings = verifying.verify(cases, jobs, show)
    failed = [finding for finding in findings if not finding.ok]
    console.print(f"{len(findings) - len(failed)} passed, {len(failed)} failed", highlight=False)
    raise typer.Exit(1 if failed else OK)


@app.command()
def mutate(
    modules: Annotated[
        list[str] | None, typer.Argument(help="modules of the reference; all if none is named")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="processes; as many as cores if left out")
    ] = None,
    sample: Annotated[
        int | None, typer.Option(min=1, help="try so many mutants, drawn by the seed")
    ] = None,
    seed: Annotated[int, typer.Option(help="draws the sample and the tests' inputs")] = 0,
    exercise: Annotated[
        list[str] | None, typer.Option(help="only what this exercise is for; may be repeated")
    ] = None,
    at_least: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=100,
            help="share of mutants that must be killed, in %; of a sample none, else 95",
        ),
    ] = None,
    json: Annotated[Path | None, typer.Option(help="file for the whole record")] = None,
) -> None:
    """Mutates the reference and asks whether the hidden tests notice.

    Exit status: 0 they do; 1 a mutant survived that nobody listed as equivalent, an entry of that
    list is stale, too few were killed, or the reference itself does not pass; 2 no such module or
    exercise; 3 a fault of the grader; 4 a mistake in the manifest.
    """
    from grader.authoring.mutation import campaign, equivalents, plan, report

    assignment = plan.ours()
    try:
        planned = plan.make(
            assignment, modules or (), exercises=exercise or (), sample=sample, seed=seed
        )
    except (plan.PlanError, equivalents.EquivalentsError) as error:
        _fail(BAD_INPUT, str(error))
    if at_least is None:
        at_least = 0 if sample else 95  # a few mutants say little about the share
    done = survived = 0
    columns = (*Progress.get_default_columns(), TextColumn("{task.fields[survived]} survived"))
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("mutants", total=len(planned.chosen), survived=0)

        def show(verdict: Verdict) -> None:
            nonlocal done, survived
            done += 1
            survived += verdict.status in ("survived", "untested")
            progress.update(task, advance=1, survived=survived)
            if not console.is_terminal and done % _EVERY == 0:
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


@app.command()
def calibrate(
    gradings: Annotated[int, typer.Option(min=1, help="how often the reference is graded")] = 3,
) -> None:
    """Measures the reference's CPU times anew, on an idle machine: tests/reference_times.toml.

    Exit status: 0 they are written; 3 a fault of the grader.
    """
    from grader.authoring import calibrate as calibrating

    try:
        text = calibrating.measure(gradings)
    except GraderFault as error:
        _fail(FAULT, str(error))
    calibrating.FILE.write_text(text, encoding="utf-8")
    console.print(f"wrote {calibrating.FILE.name}")


@app.command()
def flakes(
    nonces: Annotated[int, typer.Option(min=1, help="the number of the last nonce")] = 1000,
    runs: Annotated[
        int, typer.Option(min=1, help="test runs to share among them, cheap tests first")
    ] = 100_000,
    seed: Annotated[
        str | None, typer.Option(help="draws the nonces; to go on, the one that was printed")
    ] = None,
    first: Annotated[int, typer.Option(min=1, help="the number of the first nonce")] = 1,
    nonce: Annotated[
        list[str] | None, typer.Option(help="this very nonce, with all tests; may be repeated")
    ] = None,
    test: Annotated[
        list[str] | None, typer.Option(help="only this test, file::name; may be repeated")
    ] = None,
    jobs: Annotated[
        int | None, typer.Option(help="processes; as many as cores if left out")
    ] = None,
) -> None:
    """Runs the hidden tests on every correct solution with random inputs: all of them must pass.

    In process, without the sandbox. Exit status: 0 all passed; 1 a test failed; 2 no such test;
    3 a fault of the grader.
    """
    from grader.authoring.campaigns import flakes as hunting
    from grader.authoring.campaigns import inprocess, report

    if nonce is None and first > nonces:
        _fail(BAD_INPUT, f"--first {first} is after the last nonce, {nonces}; raise --nonces")
    following = report.Flakes(console, seed or secrets.token_hex(4), nonces, first)
    interrupted = False
    try:
        hunting.run(
            hunting.ours(),
            seed=following.seed,
            nonces=nonces,
            runs=runs,
            first=first,
            tests=test or (),
            exactly=nonce or (),
            jobs=jobs,
            on_failure=following.failure,
            on_nonce=following.nonce,
        )
    except inprocess.CampaignError as error:
        _fail(BAD_INPUT, str(error))
    except GraderFault as error:
        _fail(FAULT, f"a fault of the grader: {error}")
    except KeyboardInterrupt:
        interrupted = True
    following.summary()
    raise typer.Exit(1 if following.found.failures or interrupted else OK)


@app.command()
def draws(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="files of solutions/wrong without .py, or alternatives; all if none"),
    ] = None,
    nonces: Annotated[int, typer.Option(min=2, help="draws that each of them gets")] = 10,
    seed: Annotated[str, typer.Option(help="the same seed gives the same draws")] = "draws",
    jobs: Annotated[
        int | None, typer.Option(help="processes; as many as cores if left out")
    ] = None,
) -> None:
    """Grades wrong submissions with several draws of inputs: the marks must be the same in each.

    In process, without the sandbox. Exit status: 0 they are; 1 marks depend on the draw, a mistake
    costs nothing, or an entry of solutions/draw_dependent.toml is stale; 2 no such submission, or
    that list cannot be read; 3 a fault of the grader.
    """
    from grader.authoring.campaigns import draws as drawing
    from grader.authoring.campaigns import inprocess, report

    following = report.Draws(console)
    try:
        found = drawing.run(
            drawing.ours(),
            names or (),
            nonces=nonces,
            seed=seed,
            jobs=jobs,
            on_finding=following.finding,
        )
    except inprocess.CampaignError as error:
        _fail(BAD_INPUT, str(error))
    except GraderFault as error:
        _fail(FAULT, f"a fault of the grader: {error}")
    except KeyboardInterrupt:
        _fail(1, "interrupted: name the submissions that are left to go on")
    following.summary(found)
    raise typer.Exit(OK if found.holds else 1)


@app.command()
def handout(
    check: Annotated[bool, typer.Option("--check", help="only say what is stale")] = False,
) -> None:
    """Builds handout/ from the solutions, the assignment and the public tests."""
    from grader.authoring import handout as building

    if not check:
        building.build(building.HANDOUT)
        console.print(f"built {building.HANDOUT.name}/")
        return
    problems = building.check()
    for problem in problems:
        errors.print(problem, style="red", markup=False)
    if problems:
        _fail(1, "handout/ is stale: run `make handout` and commit it")
    console.print("handout/ is in sync")


@app.command()
def site(
    out: Annotated[Path, typer.Option(help="folder for the site and the PDF")] = Path("build"),
    figures: Annotated[
        bool, typer.Option("--figures", help="only draw the figures of the text anew")
    ] = False,
) -> None:
    """Builds the write-up as a site and as a PDF, from assignment/writeup/."""
    from grader.authoring import site as building

    if figures:
        try:
            from grader.authoring import figures as drawing
        except ModuleNotFoundError as error:
            _fail(1, str(building.missing(error)))
        drawing.build()
        console.print(f"drew {len(drawing.FIGURES)} figures")
        return
    try:
        building.build(out)
    except building.WriteupError as error:
        _fail(1, str(error))
    console.print(f"built {out / building.SITE / 'index.html'} and {out / building.PDF}")


@app.command()
def doctor(
    json: Annotated[bool, typer.Option("--json", help="for programs")] = False,
) -> None:
    """Tries what isolation this machine can enforce, and says what each tier lacks.

    Exit status: 0 a submission can be graded here; 3 it cannot.
    """
    from grader import doctor as examining

    try:
        found = examining.diagnose()
    except (OSError, GraderFault) as error:
        _fail(FAULT, f"the trial failed: {error}")
    if json:
        typer.echo(msgspec.json.encode(found))
    else:
        console.print(examining.report(found))
    raise typer.Exit(OK if found.tier else FAULT)


@pack.callback()
def _pack() -> None:
    """Packs the grader for a container: what grading needs, the hidden tests and the reference.

    The reference is graded first, with what would be packed: without full marks nothing is. Staff
    only. Exit status: 0 it is packed; 2 something is missing or in the way; 3 this machine cannot
    grade; 4 a mistake in the assignment, such as a reference that does not get full marks.
    """


@pack.command("gradescope")
def pack_gradescope(
    out: Annotated[Path, typer.Option(help="the zip")] = Path("out/autograder.zip"),
    minutes: Annotated[
        int, typer.Option(min=2, max=40, help="the assignment's time limit on Gradescope")
    ] = 10,
    extra_index: Annotated[
        str,
        typer.Option(
            help="for pip, while the image is built: PyTorch's index of CPU builds, which its "
            "install page names; without it the image holds several GB for CUDA",
        ),
    ] = "",
) -> None:
    """Makes the zip to upload on Gradescope, under Configure Autograder, with Ubuntu 22.04.

    Raise the container's memory to 2 GB there: the grader takes some 620 MB, and a test of a
    submission may take 1 GiB. The same checkout and options give the same bytes.
    """
    from grader.pack import gradescope
    from grader.pack.files import PackError
    from grader.results.write import write_atomically

    try:
        data = gradescope.pack(minutes, extra_index)
        _rehearse()
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, data, mode=0o600)
    except (PackError, OSError) as error:
        _fail(BAD_INPUT, str(error))
    console.print(f"packed {out}: {len(data) / 2**20:.1f} MiB, with the hidden tests: staff only")
    if not extra_index:
        console.print("no --extra-index: the image will hold PyTorch for CUDA, several GB")


@pack.command("docker")
def pack_docker(
    out: Annotated[Path, typer.Option(help="a folder, new or empty or packed before")] = Path(
        "out/docker"
    ),
) -> None:
    """Makes a build context for Docker; its Dockerfile says how to build and how to run it.

    The image grades /submission into /results. Docker's usual rights need tier B; the Dockerfile
    names the flags that give tier A.
    """
    from grader.pack import docker
    from grader.pack.files import PackError

    try:
        docker.check_folder(out)
        _rehearse()
        docker.write(out)
    except (PackError, OSError) as error:
        _fail(BAD_INPUT, str(error))
    console.print(f"packed {out}/, with the hidden tests: staff only")
    console.print(f"docker build -t autograder {out}    # {out}/Dockerfile says the rest")


def _rehearse() -> None:
    """Ends the command unless what would be packed gives the reference full marks."""
    from grader.judge import markers
    from grader.pack import files, rehearsal

    markers.load(REPOSITORY / "tests")
    try:
        rehearsal.check(files.contents())
    except rehearsal.RehearsalError as error:
        _fail(BAD_ASSIGNMENT, f"{AUTHORS}{error}")
    except GraderFault as error:
        _fail(FAULT, str(error))


def _fail(status: int, message: str) -> NoReturn:
    errors.print(message, style="red", markup=False, highlight=False, soft_wrap=True)
    raise typer.Exit(status)


def main() -> None:
    """The console script's entry: whatever nobody foresaw is a fault of the grader, status 3.

    A mistake in the manifest, or of tests that do not match it, ends every command with status 4.
    """
    os.umask(0o022)  # workers are other users, and must be able to read what is laid out for them
    try:
        app()
    except ManifestError as error:
        errors.print(f"{AUTHORS}{error}", style="red", markup=False, soft_wrap=True)
        raise SystemExit(BAD_ASSIGNMENT) from None
    except Exception as error:
        if str(getattr(error, "name", "")).startswith(("grader.authoring", "grader.pack")):
            errors.print("this copy of the grader is packed for grading alone", style="red")
            raise SystemExit(BAD_INPUT) from None
        errors.print_exception()
        errors.print("a fault of the grader, not of the submission", style="red")
        raise SystemExit(FAULT) from None
