"""The commands `grader pack gradescope` and `grader pack docker`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from assignment.manifest import AUTHORS
from grader.faults import GraderFault
from grader.paths import REPOSITORY
from grader.terminal import BAD_ASSIGNMENT, BAD_INPUT, FAULT, console, fail

pack = typer.Typer(no_args_is_help=True)


def add_commands(app: typer.Typer) -> None:
    """Adds `pack` and its commands to `grader`."""
    app.add_typer(pack, name="pack")


@pack.callback()
def _pack() -> None:
    """Packs the grader for a container, with the hidden tests and the reference: staff only.

    First the packed files grade the reference; without full marks nothing is packed. Exit status:
    0 it is packed; 2 a file is missing, or the output path is in use; 3 this machine cannot grade;
    4 a mistake in the assignment, such as a reference without full marks.
    """


@pack.command("gradescope")
def pack_gradescope(
    out: Annotated[Path, typer.Option(help="the zip to write")] = Path("out/autograder.zip"),
    minutes: Annotated[
        int, typer.Option(min=2, max=40, help="the assignment's time limit on Gradescope")
    ] = 10,
    extra_index: Annotated[
        str,
        typer.Option(
            help="an extra package index for pip: PyTorch's index of CPU builds, which PyTorch's "
            "install page names; without it the image holds several GB for CUDA",
        ),
    ] = "",
    limit_per_day: Annotated[
        int | None, typer.Option(min=1, help="submissions of a student graded in 24 hours")
    ] = None,
    keep_best: Annotated[
        bool, typer.Option("--keep-best", help="show the best score of all submissions")
    ] = False,
    late: Annotated[
        Path | None,
        typer.Option(
            help="what lateness costs: a deadlines.toml as for `grader class`. Due dates and "
            "extensions are Gradescope's; `due` counts if it has none"
        ),
    ] = None,
    visibility: Annotated[
        Literal["visible", "after_published"], typer.Option(help="when students see tests, points")
    ] = "visible",
    leaderboard: Annotated[
        bool, typer.Option("--leaderboard", help="list points in total and by chapter")
    ] = False,
) -> None:
    """Makes the zip for Gradescope. Upload it under Configure Autograder, with Ubuntu 22.04.

    Raise the container's memory to 2 GB there: the grader takes some 620 MB, and a test of a
    submission may take 1 GiB. The same checkout and options give the same bytes.
    """
    from grader.pack import gradescope
    from grader.pack.files import PackError
    from grader.results import lateness
    from grader.results.course import Settings
    from grader.results.write import write_atomically

    try:
        settings = Settings(
            limit_per_day=limit_per_day,
            keep_best=keep_best,
            late=lateness.read(late, PackError) if late else None,
            visibility=visibility,
            leaderboard=leaderboard,
        )
        data = gradescope.pack(minutes, extra_index, settings=settings)
        _rehearse()
        out.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(out, data)
    except (PackError, OSError) as error:
        fail(BAD_INPUT, str(error))
    console.print(f"packed {out}: {len(data) / 2**20:.1f} MiB, with the hidden tests: staff only")
    if not extra_index:
        console.print("no --extra-index: the image will hold PyTorch for CUDA, several GB")


@pack.command("docker")
def pack_docker(
    out: Annotated[Path, typer.Option(help="a folder: new, empty, or made by this command")] = Path(
        "out/docker"
    ),
    cuda: Annotated[
        bool, typer.Option("--cuda", help="for a runner with a CUDA device, which times programs")
    ] = False,
    base: Annotated[
        str,
        typer.Option(
            help="the image to start from, as python:…@sha256:…: with a digest each build is the "
            "same. By default one of Python's own"
        ),
    ] = "",
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
        docker.write(out, cuda=cuda, base=base or docker.BASE)
    except (PackError, OSError) as error:
        fail(BAD_INPUT, str(error))
    console.print(f"packed {out}/, with the hidden tests: staff only")
    console.print(f"docker build -t autograder {out}    # {out}/Dockerfile says the rest")


def _rehearse() -> None:
    """Ends the command unless the packed grader gives the reference full marks."""
    from grader.judge import markers
    from grader.pack import files, rehearsal

    markers.load(REPOSITORY / "tests")  # which first checks that tests and exercises match
    try:
        rehearsal.check(files.contents())
    except rehearsal.RehearsalError as error:
        fail(BAD_ASSIGNMENT, f"{AUTHORS}{error}")
    except GraderFault as error:
        fail(FAULT, str(error))
