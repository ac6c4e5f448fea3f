"""`grader pack`: what its commands write and refuse, and the commands of a packed grader."""

import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from assignment import manifest
from grader import cli
from grader.causes import Cause
from grader.faults import GraderFault
from grader.pack import gradescope, rehearsal
from grader.results.course import Settings
from grader.results.lateness import Deadlines
from tests.harness.conftest import REPOSITORY
from tests.harness.pack.conftest import copied
from tests.harness.results.example_grade import check, grade


@pytest.fixture
def full_marks(monkeypatch):
    """Skips the grading of the reference, which other tests check."""
    full = manifest.load().points
    monkeypatch.setattr(
        rehearsal, "grade_packed", lambda _: grade(score=full, max_score=full, checks=())
    )


def test_commands_write_what_is_packed(full_marks, tmp_path):
    out = tmp_path / "new" / "a.zip"
    result = CliRunner().invoke(cli.build_app(), ["pack", "gradescope", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert out.read_bytes() == gradescope.pack()
    assert out.stat().st_mode & 0o777 == 0o600  # the hidden tests are in it
    folder = tmp_path / "context"
    for _ in range(2):  # the second time over the first
        result = CliRunner().invoke(cli.build_app(), ["pack", "docker", "--out", str(folder)])
        assert result.exit_code == 0, result.output
    assert folder.stat().st_mode & 0o777 == 0o700


def test_options_of_a_course_are_packed(full_marks, tmp_path):
    late, out = tmp_path / "deadlines.toml", tmp_path / "a.zip"
    late.write_text("per_day = 0.1\n")
    options = ["--limit-per-day", "2", "--keep-best", "--late", str(late), "--leaderboard"]
    command = ["pack", "gradescope", "--out", str(out)]
    result = CliRunner().invoke(cli.build_app(), [*command, *options])
    assert result.exit_code == 0, result.output
    settings = Settings(
        limit_per_day=2, keep_best=True, late=Deadlines(per_day=0.1), leaderboard=True
    )
    assert out.read_bytes() == gradescope.pack(settings=settings)
    result = CliRunner().invoke(cli.build_app(), [*command, "--late", str(tmp_path / "nowhere")])
    assert (result.exit_code, "nowhere cannot be read" in result.output) == (2, True)


@pytest.mark.parametrize("kind", ["gradescope", "docker"])
def test_commands_pack_nothing_without_full_marks(monkeypatch, tmp_path, kind):
    """As a mistake of the assignment's author"""
    failed = [check("strides", "failed", Cause.WRONG_ANSWER, test="test_strides::test_rule")] * 7
    of = grade(score=99.5, max_score=manifest.load().points, checks=tuple(failed))
    monkeypatch.setattr(rehearsal, "grade_packed", lambda _: of)
    result = CliRunner().invoke(cli.build_app(), ["pack", kind, "--out", str(tmp_path / "out")])
    assert result.exit_code == 4
    assert (
        "a mistake of the assignment's author, not of a submission: nothing is packed: graded with "
        "it, the reference gets 99.5 of 100 points, where 100 are declared\n"
        "  test_strides::test_rule failed: wrong_answer\n"
    ) in result.output
    assert "  and 2 more\n" in result.output
    assert not (tmp_path / "out").exists()


def test_commands_pack_nothing_where_nothing_can_be_graded(monkeypatch, tmp_path):
    def fail(_):
        raise GraderFault("no tier")

    monkeypatch.setattr(rehearsal, "grade_packed", fail)
    result = CliRunner().invoke(cli.build_app(), ["pack", "docker", "--out", str(tmp_path / "out")])
    assert (result.exit_code, result.output) == (3, "no tier\n")
    assert not (tmp_path / "out").exists()


def test_commands_refuse_an_output_path_in_use(full_marks, tmp_path):
    (tmp_path / "thesis.tex").touch()
    for arguments in (
        ["docker", "--out", str(tmp_path)],
        ["docker", "--out", str(tmp_path / "thesis.tex")],
        ["gradescope", "--out", str(tmp_path)],
        ["gradescope", "--out", str(tmp_path / "a.zip"), "--extra-index", "cpu"],
    ):
        result = CliRunner().invoke(cli.build_app(), ["pack", *arguments])
        assert result.exit_code == 2, arguments
        assert "Traceback" not in result.output
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


COMMANDS = """
import typer
from grader import cli
print(*typer.main.get_command(cli.build_app()).commands)
"""


def commands_in(folder):
    """The commands that the grader in a folder offers."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", COMMANDS],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.split()


def test_packed_grader_offers_only_the_commands_that_it_can_run(tmp_path):
    packed = copied(tmp_path)
    assert commands_in(packed) == ["grade", "doctor"]
    assert {"author", "pack"} < set(commands_in(REPOSITORY))
    (packed / "grader" / "authoring" / "__pycache__").mkdir(parents=True)
    assert commands_in(packed) == ["grade", "doctor"]
