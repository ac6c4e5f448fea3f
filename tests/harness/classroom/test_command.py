"""`grader class` and `grader report`, as a TA uses them; a fake grades."""

import csv
import gzip
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import zipfile
from textwrap import dedent

import pytest
from typer.testing import CliRunner

from grader import cli
from grader.classroom import cli as commands
from grader.classroom import run
from tests.harness.classroom import fakes
from tests.harness.classroom.fakes import hand_in
from tests.harness.conftest import long_unless, wait_until
from tests.harness.container import REPOSITORY


@pytest.fixture
def grader(tmp_path, log, monkeypatch):
    """Runs a command of `grader` in a folder with submissions in `in`; returns its result."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(commands, "Grader", fakes.start)

    def run(*arguments):
        return CliRunner().invoke(cli.build_app(), list(arguments))

    return run


def test_the_evening_of_the_deadline(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="fault", eve="3")
    (tmp_path / "in" / "tim.zip").write_bytes(b"no zip")
    (tmp_path / "roster.csv").write_text("id,name\nada,Ada\nbob,Bob\neve,Eve\ntim,Tim\nzoe,Zoë\n")
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "deadlines.toml").write_text("due = 2026-10-02T22:00:00Z\n")
    command = "class", "in", "--roster", "roster.csv"
    first = grader(*command, "--jobs", "1", "--publish", "out")
    assert first.exit_code == 3, first.output
    assert "not graded, so nothing is published: bob" in first.output
    assert not (tmp_path / "out").exists()

    hand_in(tmp_path / "in", bob="5")
    (tmp_path / "marks" / "overrides.csv").write_text(
        "id,exercise,points,author,reason,date\ntim,,2,ann,sent by mail,2026-10-03\n"
    )
    early = grader(*command, "--publish", "out")
    assert (early.exit_code, "show something new of bob: look" in early.output) == (3, True)
    second = grader(*command, "--publish", "out")
    assert second.exit_code == 0, second.output
    assert "4 marks: mean 4.2 of 10 points, from 2 to 7" in second.output
    with (tmp_path / "marks" / "marks.csv").open() as file:
        marks = {row["id"]: (row["status"], row["final"]) for row in csv.DictReader(file)}
    assert marks == {
        "ada": ("graded", "7.0"),
        "bob": ("graded", "5.0"),
        "eve": ("graded", "3.0"),
        "tim": ("refused", "2.0"),
        "zoe": ("missing", ""),
    }
    often = {file.name: len(file.read_text().split()) for file in (tmp_path / "log").iterdir()}
    assert often == {"ada": 1, "bob": 3, "eve": 1}
    page = (tmp_path / "out" / "ada" / "report.html").read_text()
    assert '<p class="total">7 <small>of 10 points' in page
    page = (tmp_path / "marks" / "attention.md").read_text()
    assert ("**tim** (Tim): refused" in page, "- tim: the mark was none and is 2" in page) == (
        False,  # it is decided
        True,
    )

    shown = grader("report", "marks", "ada", "--out", "one")
    assert shown.exit_code == 0, shown.output
    assert (tmp_path / "one" / "grade.json").exists()
    assert "marks.csv: status graded, score 7.0, max 10.0, late_days 0, penalty 0.0, " in (
        " ".join(shown.output.split())
    )
    refused = grader("report", "marks", "tim")
    assert (refused.exit_code, "neither a folder" in refused.output) == (2, True)
    assert "final 2.0" in refused.output


def test_who_faults_always_can_be_decided_and_published(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="fault")
    assert grader("class", "in").exit_code == 3
    done = grader("class", "in", "--publish", "out")
    assert (done.exit_code, "not graded, so nothing is published: bob" in done.output) == (3, True)
    (tmp_path / "marks" / "holds.csv").write_text(
        "id,author,reason,date,released\nbob,tim,faults,2026-10-02,\n"
    )
    assert "published in out/" in grader("class", "in", "--publish", "out").output
    assert (tmp_path / "out" / "marks.csv").read_text() == "id,points\nada,7.0\n"


def test_nothing_is_published_into_what_was_handed_in(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    grader("class", "in")
    for target in ("in", "in/out", ".", "marks", "marks/out"):
        assert grader("class", "in", "--publish", target).exit_code == 2
    assert (tmp_path / "in" / "ada").is_dir()


def test_only_some_students(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="5")
    assert grader("class", "in", "--only", "a*").exit_code == 0
    assert [file.name for file in (tmp_path / "log").iterdir()] == ["ada"]
    assert "**bob**: not graded yet" in (tmp_path / "marks" / "attention.md").read_text()
    assert grader("class", "in", "--only", "a*", "--publish", "out").exit_code == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("nowhere",), "nowhere cannot be read"),
        (("in", "--roster", "in"), "in cannot be read"),
        (("in", "--gradebook", "nowhere.csv", "--publish", "out"), "nowhere.csv cannot be read"),
        (("in", "--gradebook", "marks.csv"), "marks.csv cannot be read"),
        (("in", "--only", "nobody"), "--only nobody: nobody of them"),
    ],
)
def test_what_cannot_be_read_is_named(grader, tmp_path, arguments, said):
    (tmp_path / "in").mkdir()
    done = grader("class", *arguments)
    assert (done.exit_code, said in done.output) == (2, True), done.output
    assert not (tmp_path / "marks").exists()


def test_a_decision_about_an_entry_that_is_gone_stops_nothing(grader, tmp_path):
    hand_in(tmp_path / "in", bob="1")
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "matches.csv").write_text(
        "name,id,author,reason,date\nold.zip,bob,tim,why,2026-10-01\n"
    )
    done = grader("class", "in")
    assert done.exit_code == 0, done.output
    assert "`old.zip`: is in matches.csv and not here" in (
        tmp_path / "marks" / "attention.md"
    ).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("holds.csv", "id,author,reason,date,released\nBob,tim,why,2026-10-01,\n"),
        ("overrides.csv", "id,exercise,points,author,reason,date\nBob,,1,tim,why,2026-10-01\n"),
        ("times.csv", "id,time,author,reason,date\nBob,2026-10-02T22:00Z,tim,why,2026-10-01\n"),
        ("matches.csv", "name,id,author,reason,date\nx.zip,Bob,tim,why,2026-10-01\n"),
        ("deadlines.toml", "due = 2026-10-02T22:00:00Z\nextensions.Bob = 2026-10-03T22:00:00Z\n"),
    ],
)
def test_a_decision_about_nobody_is_refused(grader, tmp_path, file, text):
    hand_in(tmp_path / "in", bob="1")
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / file).write_text(text)
    done = grader("class", "in")
    said = f"marks/{file}: nobody of the class is called Bob; did you mean 'bob'?"
    assert (done.exit_code, said in done.output) == (2, True), done.output
    override = "id,exercise,points,author,reason,date\nbob,gathr,1,tim,why,2026-10-01\n"
    (tmp_path / "marks" / file).unlink()
    (tmp_path / "marks" / "overrides.csv").write_text(override)
    done = grader("class", "in")
    said = "no exercise is called gathr; did you mean 'gather'?"
    assert (done.exit_code, said in done.output) == (2, True)


def test_every_step_of_the_tutorial_works(grader, tmp_path):
    """Its shell commands, one after the other"""
    text = (REPOSITORY / "grader" / "classroom" / "README.md").read_text(encoding="utf-8")
    steps = [dedent(step) for step in re.findall(r"^ *```sh\n(.*?)^ *```$", text, re.M | re.S)]
    assert len(steps) == 5
    hand_in(tmp_path / "submissions", ada="7", bob="5", homework="3")
    shutil.make_archive(
        tmp_path / "submissions" / "homework", "zip", tmp_path / "submissions/homework"
    )
    shutil.rmtree(tmp_path / "submissions" / "homework")
    for part in re.split(r"(?m)^(grader .*\n)", "".join(steps)):
        if part.startswith("grader "):
            done = grader(*shlex.split(part)[1:])
            assert done.exit_code == 0, (part, done.output)
        else:
            subprocess.run(["bash", "-e"], input=part, text=True, check=True)
    assert (tmp_path / "feedback" / "marks.csv").read_text() == "id,points\nada,7.0\neve,40.0\n"
    assert len(list((tmp_path / "log").iterdir())) == 3


@pytest.mark.parametrize("kills", long_unless([3, 10], 3))
def test_a_class_that_is_killed_on_the_way_is_graded_once(tmp_path, monkeypatch, kills):
    """Driver and graders, at random; the same command goes on each time"""
    (tmp_path / "log").mkdir()
    monkeypatch.setenv("FAKE_LOG", str(tmp_path / "log"))
    names = [f"s{number:02}" for number in range(40)]
    hand_in(tmp_path / "in", **{name: f"{i} after 0.02" for i, name in enumerate(names)})
    command = [sys.executable, "-m", "tests.harness.classroom.fakes", "class", "in", "--jobs", "2"]
    rng = random.Random(39)
    for killed in range(kills + 1):
        run = subprocess.Popen(
            command, cwd=tmp_path, start_new_session=True, stdout=subprocess.PIPE, text=True
        )
        if killed < kills:  # once it grades; of a session all die together, else the driver alone
            before = len(list(tmp_path.glob("marks/students/*/grade.json.gz")))
            wanted = min(before + rng.randrange(1, 5), len(names))
            wait_until(
                lambda wanted=wanted: (
                    len(list(tmp_path.glob("marks/students/*/grade.json.gz"))) >= wanted
                )
            )
            (os.killpg if killed % 2 else os.kill)(run.pid, signal.SIGKILL)
        output, _ = run.communicate()
    assert run.returncode == 0, output
    with (tmp_path / "marks" / "marks.csv").open() as file:
        marks = {row["id"]: row["score"] for row in csv.DictReader(file)}
    assert marks == {name: str(float(i)) for i, name in enumerate(names)}
    often = [len(file.read_text().split()) for file in (tmp_path / "log").iterdir()]
    assert len(often) == len(names)
    assert sum(often) <= len(names) + 4 * kills, "only what was running was graded again"


def test_shards_together_grade_everyone_once_and_changes_are_listed(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="5", eve="3")
    for shard, count in (("1/2", 2), ("2/2", 1)):
        done = grader("class", "in", "--shard", shard)
        assert (done.exit_code, f"{count} of {count} done" in done.output) == (0, True)
        assert not (tmp_path / "marks" / "marks.csv").exists()
    assert grader("class", "in", "--shard", "1/2", "--publish", "out").exit_code == 2
    assert sorted(file.name for file in (tmp_path / "log").iterdir()) == ["ada", "bob", "eve"]
    hand_in(tmp_path / "in", bob="6")
    assert "1 change since each student" in grader("class", "in").output
    changes = (tmp_path / "marks" / "changes.csv").read_text()
    assert changes == "id,name,exercise,old,new,checks,final\nbob,,matmul_flops,5.0,6.0,,6.0\n"
    for wrong in ("0/2", "3/2", "1", "a/b"):
        assert grader("class", "in", "--shard", wrong).exit_code == 2


def test_gradebook_is_published_with_the_marks(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    (tmp_path / "roster.csv").write_text("id,email\nada,ada@x.edu\nbob,bob@x.edu\n")
    (tmp_path / "moodle.csv").write_text("Email address,Grade\nada@x.edu,\nbob@x.edu,\n")
    command = "class", "in", "--roster", "roster.csv", "--publish", "out", "--gradebook"
    assert grader(*command, "moodle.csv").exit_code == 3, "nobody has looked at it"
    done = grader(*command, "moodle.csv")
    assert done.exit_code == 0, done.output
    filled = (tmp_path / "out" / "moodle.csv").read_text()
    assert filled == "Email address,Grade\nada@x.edu,7\nbob@x.edu,\n"
    assert "published in out/: 1 with a page, 1 missing; out/moodle.csv" in done.output
    assert "missing: bob" in done.output
    stale = grader(*command[:-1])
    assert (stale.exit_code, "out has moodle.csv of before" in stale.output) == (2, True)
    assert grader(*command, "nowhere.csv").exit_code == 2


@pytest.mark.parametrize(
    ("column", "entry", "page"),
    [
        ("canvas_id", "kingada_LATE_{}_70_hw.zip", "feedback_{}_70_report.html"),
        (
            "moodle_id",
            "King_{}_assignsubmission_file_",
            "feedback_{}_assignsubmission_file_/report.html",
        ),
    ],
)
def test_pages_are_packed_by_the_names_that_the_platform_gave(
    grader, tmp_path, column, entry, page
):
    """A group's is not, if its marks differ"""
    names = {"ada": entry.format(1), "eve": entry.format(3)}
    hand_in(tmp_path / "in", **{names["ada"]: "7", names["eve"]: "5", "zoe": "4"})
    (tmp_path / "roster.csv").write_text(f"id,{column}\nada,1\nbob,2\neve,3\ntim,4\nzoe,5\n")
    (tmp_path / "marks").mkdir()
    groups = "".join(
        f"{names[first]},{who},ann,a group,2026-10-03\n"
        for first, second in (("ada", "bob"), ("eve", "tim"))
        for who in (first, second)
    )
    (tmp_path / "marks" / "matches.csv").write_text(f"name,id,author,reason,date\n{groups}")
    (tmp_path / "marks" / "overrides.csv").write_text(
        "id,exercise,points,author,reason,date\ntim,,2,ann,did nothing,2026-10-03\n"
    )
    command = "class", "in", "--roster", "roster.csv"
    assert grader(*command).exit_code == 0
    done = grader(*command, "--publish", "out")
    assert done.exit_code == 0, done.output
    assert "published in out/: 5 with a page; out/feedback.zip" in done.output
    assert "not in feedback.zip: zoe, eve, tim" in done.output
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as packed:
        assert packed.namelist() == [page.format(1)]
        assert packed.read(page.format(1)) == (tmp_path / "out/ada/report.html").read_bytes()
    (tmp_path / "marks" / "holds.csv").write_text(
        "id,author,reason,date,released\nada,tim,why,2026-10-03,\n"
    )
    assert grader(*command, "--publish", "out").exit_code == 0
    with zipfile.ZipFile(tmp_path / "out" / "feedback.zip") as packed:
        assert packed.namelist() == []


def test_all_that_is_wrong_in_files_of_staff_is_said(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    (tmp_path / "marks").mkdir()
    (tmp_path / "marks" / "deadlines.toml").write_text("due = 2026-10-02T22:00:00\n")
    (tmp_path / "marks" / "overrides.csv").write_text(
        "id,exercise,points,author,reason,date\n"
        "ada,,many,ann,why,2026-10-03\nzoe,nosuch,1,ann,why,2026-10-03\nada,,1,ann,why,today\n"
    )
    (tmp_path / "marks" / "holds.csv").write_text(
        "id,author,reason,date,released\nzoe,tim,why,2026-10-03,\n"
    )
    failed = grader("class", "in")
    assert failed.exit_code == 2
    said = failed.output.splitlines()
    assert [line.partition(": ")[0] for line in said] == [
        "marks/deadlines.toml",
        "marks/overrides.csv:2",
        "marks/overrides.csv:4",
        "marks/holds.csv",
    ]


def test_similar_lists_pairs_and_exports_the_code(grader, tmp_path):
    reference = (REPOSITORY / "solutions" / "resource_accounting" / "strides.py").read_text()
    hand_in(tmp_path / "in", ada=reference, bob=reference, eve="X = 1")
    (tmp_path / "in" / "tim.zip").write_bytes(b"no zip")
    done = grader("similar", "in", "--export", "code")
    assert (done.exit_code, "1 pair of 3 submissions" in done.output) == (0, True), done.output
    assert "tim is not compared" in done.output
    (line,) = csv.DictReader((tmp_path / "marks" / "pairs.csv").read_text().splitlines())
    assert (line["first"], line["second"], line["share"]) == ("ada", "bob", "1.0")
    assert (tmp_path / "code" / "eve" / "flops.py").read_text() == "X = 1"
    assert grader("similar", "in", "--export", "code").exit_code == 2


def test_what_others_grade_is_waited_for_until_it_is_done(grader, tmp_path, monkeypatch):
    """Also where a third machine takes over what a machine left that was killed"""
    hand_in(tmp_path / "in", ada="7")
    ends = iter(["elsewhere", "elsewhere", None])
    grade_one = run.grade_one

    def grade_all(todo, order, processes, done, start):
        for job in todo:
            done(job, next(ends) or grade_one(start(order.tiers, lanes=1), job, order))

    monkeypatch.setattr(run, "grade_all", grade_all)
    done = grader("class", "in")
    assert done.exit_code == 0, done.output
    assert next(ends, "no more") == "no more"


def test_only_what_is_published_tells_who_is_who(grader, tmp_path):
    """Staff decide by id or by alias; a new student gets an alias, and others keep theirs"""
    hand_in(tmp_path / "in", ada="7", bobbington="5")
    (tmp_path / "in" / "eveline.zip").write_bytes(b"no zip")
    (tmp_path / "roster.csv").write_text("id,name\nada,Ada King\nbobbington,Bob\neveline,Eve\n")
    command = "class", "in", "--roster", "roster.csv", "--anonymous", "key.csv"
    assert grader(*command).exit_code == 0
    key = dict(csv.reader((tmp_path / "key.csv").read_text().splitlines()[1:]))
    assert key.keys() == {"ada", "bobbington", "eveline"}
    header = "id,exercise,points,author,reason,date\n"
    decided = f"{key['ada']},,8,ann,oral exam,2026-10-03\nbobbington,,6,ann,too,2026-10-03\n"
    (tmp_path / "marks" / "overrides.csv").write_text(header + decided)
    assert grader(*command).exit_code == 0
    written = [path for path in (tmp_path / "marks").rglob("*") if path.is_file()]
    for path in (path for path in written if path.name != "overrides.csv"):
        text = path.read_bytes() if path.suffix != ".gz" else gzip.decompress(path.read_bytes())
        assert not re.search(rb"ada\b|King|bobb|eveline", text), path
        assert not re.search(r"ada\b|bobb|eveline", str(path.relative_to(tmp_path)))
    assert grader(*command, "--publish", "out").exit_code == 0
    assert (tmp_path / "out" / "marks.csv").read_text() == "id,points\nada,8.0\nbobbington,6.0\n"
    assert "Ada King" in (tmp_path / "out" / "ada" / "report.html").read_text()
    (tmp_path / "roster.csv").write_text("id\nada\nbobbington\neveline\nzoe\n")
    assert grader(*command).exit_code == 0
    later = dict(csv.reader((tmp_path / "key.csv").read_text().splitlines()))
    assert later.items() > key.items()
    inside = grader("class", "in", "--anonymous", "marks/key.csv")
    assert (inside.exit_code, "keep it outside marks" in inside.output) == (2, True)
    named = grader("class", "in", "--roster", "roster.csv")
    assert (named.exit_code, "marks has aliases" in named.output) == (2, True)
    assert grader("class", "in", "--out", "other").exit_code == 0
    mixed = grader("class", "in", "--out", "other", "--anonymous", "key.csv")
    assert (mixed.exit_code, "names students already" in mixed.output) == (2, True)
    assert grader("similar", "in", *command[2:]).exit_code == 0
    (tmp_path / "in" / "bymail.zip").write_bytes(b"no zip")
    (tmp_path / "marks" / "matches.csv").write_text(
        f"name,id,author,reason,date\nbymail.zip,{later['zoe']},ann,mail,2026-10-03\n"
    )
    assert grader(*command, "--only", "zoe").exit_code == 0


def test_what_differs_from_what_was_published_is_told(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="5")
    grader("class", "in")
    assert grader("class", "in", "--publish", "out").exit_code == 0
    hand_in(tmp_path / "in", bob="6")
    grader("class", "in")
    attention = (tmp_path / "marks" / "attention.md").read_text()
    assert "**bob**: published as 5, and is 6 now" in attention
    assert "**ada**: published" not in attention
    hand_in(tmp_path / "in", zoe_day="4")
    grader("class", "in")
    attention = (tmp_path / "marks" / "attention.md").read_text()
    assert "**zoe_day**: published as nothing, and is 4 now" in attention
    grader("class", "in", "--publish", "out")
    assert "published as" not in (tmp_path / "marks" / "attention.md").read_text()


def test_what_parts_graded_is_looked_at_before_it_is_published(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="5")
    for shard in ("1/2", "2/2"):
        assert grader("class", "in", "--shard", shard).exit_code == 0
    assert grader("class", "in", "--publish", "out").exit_code == 3
    assert not (tmp_path / "out").exists()
    assert grader("class", "in", "--publish", "out").exit_code == 0


def test_what_was_published_of_who_left_is_remembered(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7", bob="5")
    listed, command = tmp_path / "roster.csv", ("class", "in", "--roster", "roster.csv")
    listed.write_text("id\nada\nbob\n")
    grader(*command)
    assert grader(*command, "--publish", "out").exit_code == 0
    (tmp_path / "in" / "bob").rename(tmp_path / "bob")
    listed.write_text("id\nada\n")
    assert grader(*command, "--publish", "out").exit_code == 0
    (tmp_path / "bob").rename(tmp_path / "in" / "bob")
    hand_in(tmp_path / "in", bob="6")
    listed.write_text("id\nada\nbob\n")
    grader(*command)
    assert "published as 5, and is 6 now" in (tmp_path / "marks" / "attention.md").read_text()


def test_only_staff_may_look_into_the_folder(grader, tmp_path):
    hand_in(tmp_path / "in", ada="7")
    grader("class", "in")
    assert (tmp_path / "marks").stat().st_mode & 0o077 == 0
