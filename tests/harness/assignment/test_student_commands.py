"""What a student sees in a handout: progress of tests, and the commands hint, submit and reset."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from assignment import __main__ as commands
from assignment import manifest, plugin
from assignment.calls.imports import ADVICE
from assignment.hooks import nonce_of, seed_of
from assignment.student import states as noted
from assignment.student.progress import Tally
from assignment.student.submit import syntax_error
from tests.harness.assignment.changes import LIBRARIES, SETTINGS
from tests.harness.assignment.students import REFERENCE, environment, run_in, said_of_states
from tests.harness.conftest import long_unless
from tests.harness.results.example_grade import console

MFU = (
    "def mfu(flops, seconds, peak_flops, devices=1):\n"
    "    return flops / seconds / peak_flops / devices\n"
)
FLOPS = "tests/test_flops.py"  # a run collects it alone: that is quicker


def python(folder, *arguments, options=(), **variables):
    """Runs `python -m ...` in a folder as a student would; with options in a new process."""
    if not options and "PYTHONOPTIMIZE" not in variables:
        return run_in(folder, *arguments, PYTHONUTF8="1", **variables)
    command = [sys.executable, *options, "-m", *arguments]
    env = environment(**variables)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8")


WRITTEN = [exercise for exercise in manifest.load() if not exercise.only_races]


def states(output):
    """The table of exercises: {id: (state, passed tests)}."""
    rows = re.findall(
        r"^  . (\w+) +(passed|in progress|not started|skipped|no public test)(?: +(\d+) of)?",
        output,
        re.M,
    )
    return {name: (state, count) for name, state, count in rows}


def write(folder, module, text):
    """Appends code to a module of the student's package; later definitions count."""
    path = folder / "resource_accounting" / f"{module}.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n\n" + text, encoding="utf-8")


def test_an_untouched_handout_shows_every_exercise_as_not_started(pristine):
    run = python(pristine, "pytest", "-p", "no:cacheprovider")
    assert run.returncode == 1
    expected = {exercise.id: ("not started", "") for exercise in WRITTEN}
    assert states(run.stdout) == expected
    assert "Traceback" not in run.stdout + run.stderr
    assert "NotImplementedError" not in run.stdout
    first = next(iter(manifest.load()))
    passes = (
        f"The public tests pass for 0 of 28 exercises, 0 of {manifest.load().points:g} points; "
        "further: 0 of 42, 0 of 282 points; to be timed on a CUDA device: 0 of 3, 0 of 10 points ("
    )
    assert passes in " ".join(run.stdout.split())
    assert f"Next: {first.title}  ({first.id})" in run.stdout
    assert f"python -m pytest --ex {first.id}" in run.stdout
    assert max(map(len, run.stdout.splitlines())) <= 80


def test_a_test_that_fails_in_its_teardown_has_not_passed():
    assert Tally(collected=1, ran=1, passed=1).state == "passed"
    assert Tally(collected=1, ran=1, passed=1, failures=[None]).state == "in progress"


def test_states_and_failures_of_a_handout_in_progress(workspace):
    write(
        workspace,
        "strides",
        "def gather(storage, shape, strides, offset=0):\n"
        "    print('looking at', shape)\n"
        "    return missing_name\n\n\n"
        "def row_major_strides(shape: Sequence[int]) -> tuple[int, ...]:\n"
        "    return (1, 4)\n",
    )
    write(
        workspace,
        "optimizers",
        "def inner(x: Float[torch.Tensor, 'B D'], y: Float[torch.Tensor, 'D K']) -> None: ...\n\n\n"
        "def adamw_step(*args, **kwargs):\n    inner(torch.zeros(2, 3), torch.zeros(4, 5))\n",
    )
    write(workspace, "data", "def (:\n")
    write(workspace, "flops", MFU)
    chapters = ("strides", "flops", "optimizers", "data")
    run = python(workspace, "pytest", *(f"tests/test_{chapter}.py" for chapter in chapters))
    assert run.returncode == 1
    table = states(run.stdout)
    assert table["mfu"] == ("passed", "")
    assert table["storage_index"] == ("in progress", "0")
    assert table["gather"] == ("in progress", "0")
    assert table["matmul_flops"] == ("not started", "")
    assert "    expected: (4, 1)\n    found:    (1, 4)\n    drawn:  " in run.stdout
    assert "    yours:      0  4  8 12  1 " in run.stdout
    assert "    note:     in reverse order\n    hint:" in run.stdout
    assert "    call:     strides.gather(" in run.stdout
    assert "    found:    NameError: name 'missing_name' is not defined\n" in run.stdout
    assert " gather\n      return missing_name\n" in run.stdout
    assert "  captured stdout:\n    looking at (4,)\n" in run.stdout
    assert "beartype" not in run.stdout
    assert (
        "    expected: Float[Tensor, 'D K']\n    found:    f32[4,5]\n    with:     B=2, D=3\n"
    ) in run.stdout
    assert "  wrong: optimizers.inner: argument y is not as annotated\n    call:     " in run.stdout
    assert run.stdout.count("SyntaxError: ") == 1
    assert "Traceback" not in run.stdout + run.stderr
    # The first failure of an exercise is shown in full, the others by their titles.
    every = ("--ex", "storage_index", "-v")
    assert f"What the others found:  python -m pytest {' '.join(every)}\n" in run.stdout
    wrong = "wrong: the result of row_major_strides"
    assert (run.stdout.count(wrong), run.stdout.count("✗ A 2×3×5 tensor")) == (1, 1)
    assert python(workspace, "pytest", *every).stdout.count(wrong) > 1


def test_what_hides_a_library_ends_the_process_or_is_gone_is_said(workspace):
    write(workspace, "seeding", "import os\nos._exit(0)\n")
    (workspace / "resource_accounting" / "recompute.py").unlink()
    run = python(workspace, "pytest", "tests/test_seeding.py", "tests/test_recompute.py")
    assert run.returncode == 1
    assert "    found:    SystemExit: os._exit(0)\n" in run.stdout
    assert "    hint:     this file is missing: `reset` restores its stubs" in run.stdout
    assert "What the others found" not in run.stdout
    (workspace / "torch.py").touch()
    for command in ("pytest", "assignment"):
        run = python(workspace, command, options=["-X", "utf8"])
        said = "torch.py in this folder hides the library torch: rename the file"
        assert said in run.stdout + run.stderr


def put_at_top(file, text):
    """Puts text below the docstring; returns the number of its first line."""
    future = "from __future__ import annotations\n"
    before, found, after = file.read_text(encoding="utf-8").partition(future)
    assert found
    file.write_text(before + future + text + after, encoding="utf-8")
    return before.count("\n") + 2


CHANGING = {"seeding": "independent_streams", "training": "clip_grad_norm"}


@pytest.fixture(scope="module")
def finished(pristine, tmp_path_factory):
    """A handout with the reference, the lines where two modules change settings, a run of it.

    Scenarios import a module within their call, and other calls before it.
    """
    folder = Path(shutil.copytree(pristine, tmp_path_factory.mktemp("finished") / "handout"))
    for path in REFERENCE.glob("*.py"):
        shutil.copy(path, folder / "resource_accounting")
    (jax := folder / "jax" / "_src").mkdir(parents=True)  # jaxtyping loads it, if it is there
    (jax / "traceback_util.py").write_text(
        "import numpy\nnumpy.random.rand()\ndef register_exclusion(_): pass\n"
    )
    text = LIBRARIES + "\n".join([*SETTINGS, ""])
    starts = [put_at_top(folder / "resource_accounting" / f"{m}.py", text) for m in CHANGING]
    return folder, starts, python(folder, "pytest")


def test_reference_passes_the_public_tests_with_shape_checks(finished):
    """Whatever its imports change"""
    *_, run = finished
    assert run.returncode == 0, run.stdout
    assert {state for state, _ in states(run.stdout).values()} == {"passed"}
    assert "Every public test passes. Hand in with:  python -m assignment submit" in run.stdout


def unwrapped(text):
    """The lines of a text that was wrapped with a hanging indent, each with only its beginning.

    Numbers of threads and folders are those of the process.
    """
    return [line.split(" is ")[0] for line in re.sub(r"\n {2,}", " ", text).split("\n")]


def test_settings_of_imports_cost_nothing_and_are_named_once_here_and_in_the_grader(
    finished, grader
):
    folder, starts, run = finished
    here = run.stdout.partition("Changed by an import ")[2].partition("\n\nProgress")[0]
    _, *blocks = re.split(r"^(?=resource_accounting/)", here, flags=re.M)

    grade = grader.grade(folder, only=CHANGING.values(), timing="skip")
    assert {e.points / e.max_points for e in grade.exercises if e.id in CHANGING.values()} == {1}
    reports = [report for report in grade.modules if report.message]
    assert [(report.module, report.ok) for report in reports] == [(m, True) for m in CHANGING]

    for block, report, start in zip(blocks, reports, starts, strict=True):
        file, *lines = unwrapped(re.sub(r"^  ", "", block.rstrip(), flags=re.M))
        assert (file, lines) == (report.file, unwrapped(report.message))
        *changes, advice = report.message.split("\n")
        assert advice == ADVICE
        first = start + LIBRARIES.count("\n")
        for number, (change, said) in enumerate(zip(changes, SETTINGS.values(), strict=True)):
            assert change.startswith(f"line {first + number}: {said}")
        assert f"\n{report.module}  {file}\n    line {first}: " in console(grade)


def test_one_exercise_or_chapter_runs_alone_and_a_wrong_name_is_an_error(pristine):
    run = python(
        pristine, "pytest", "-p", "no:cacheprovider", "--ex", "matmul_flops", MAKELEVEL="1"
    )
    assert states(run.stdout) == {"matmul_flops": ("not started", "")}
    assert "make hint EX=matmul_flops" in run.stdout
    run = python(pristine, "pytest", "-p", "no:cacheprovider", "--ex", "strides")
    chapter = {exercise.id for exercise in manifest.load() if exercise.chapter == "strides"}
    assert states(run.stdout).keys() == chapter
    run = python(pristine, "pytest", "--ex", "matmul_flop")
    assert run.returncode == 4
    assert "no exercise or chapter is called 'matmul_flop'. Did you mean: matmul_f" in run.stderr
    run = python(pristine, "pytest", "-p", "no:cacheprovider", "--ex", "train_bf16")
    assert states(run.stdout).keys() == {"bf16_train"}, "a function is known by its name, too"


def test_rules_without_a_public_test_are_named(pristine, finished):
    """Once all public tests of the exercise pass, and only where an exercise was chosen"""
    exercise = next(e for e in manifest.load() if len(e.grader_only) > 1)
    said = "tested by the grader alone"
    assert said not in python(pristine, "pytest", "--ex", exercise.id).stdout
    folder, _, run_of_all = finished
    assert said not in run_of_all.stdout
    run = python(folder, "pytest", "--ex", exercise.id)
    assert max(map(len, run.stdout.splitlines())) <= 80
    rules = f"{exercise.id}: {len(exercise.grader_only)} rules are {said}: "
    assert rules + "; ".join(exercise.grader_only) + "." in " ".join(run.stdout.split())


def test_what_follows_is_next(workspace):
    """Instead of the very first exercise, when one begins in the middle; and a chapter's end"""
    shutil.copy(REFERENCE / "named_axes.py", workspace / "resource_accounting")
    run = python(workspace, "pytest", "--ex", "similarity_scores")
    assert "(project_heads)" in run.stdout
    assert "done!" not in run.stdout
    finished = f"★ named_axes: done!  ━{19 * '─'}  2 of 28 core exercises"
    for times in (1, 0):  # it is said once
        run = python(workspace, "pytest", "--ex", "project_heads")
        assert "(matmul_flops)" in run.stdout
        assert run.stdout.count(finished) == times


def test_a_seed_draws_other_inputs(workspace):
    """The grader's report names such a seed, and the failure is the same at home"""
    (workspace / "tests" / "test_again.py").write_text(
        "import pytest\n\n\n@pytest.mark.exercise('matmul_flops')\n"
        "def test_sizes(impl, seed):\n"
        "    assert impl.flops.matmul_flops(seed % 1000, 1, 1) == 2 * (seed % 1000)\n"
    )
    bad = seed_of(nonce_of(17), "test_again", "test_sizes") % 1000
    code = f"def matmul_flops(n, k, m):\n    return 2 * n * k * m + (n == {bad})\n"
    write(workspace, "flops", code)
    for seed, passes in ("16", True), ("17", False):
        run = python(workspace, "pytest", "tests/test_again.py", "--seed", seed)
        assert (run.returncode == 0) == passes, run.stdout
        assert (f"matmul_flops({bad}, 1, 1)" in run.stdout) != passes


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_passes_exercise_and_seed_on(pristine):
    done = subprocess.run(
        ["make", "-n", "test", "EX=adamw_step", "SEED=17"],
        cwd=pristine,
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    assert 'pytest --ex "adamw_step" --seed "17"' in done.stdout


NO_ASSERTS = "every assert, so tests pass; start it without -O and PYTHONOPTIMIZE"


@pytest.mark.long
@pytest.mark.parametrize(("options", "variables"), [(["-O"], {}), ([], {"PYTHONOPTIMIZE": "2"})])
def test_tests_without_asserts_are_refused(pristine, options, variables):
    run = python(pristine, "pytest", "--ex", "matmul_flops", options=options, **variables)
    assert run.returncode == 4
    assert NO_ASSERTS in run.stderr


def test_plugin_without_asserts_refuses_to_run():
    """As Python compiles it with -O, in this process, which has asserts"""
    without = compile(Path(plugin.__file__).read_bytes(), plugin.__file__, "exec", optimize=1)
    exec(without, namespace := {"__name__": plugin.__name__})
    with pytest.raises(pytest.UsageError, match=NO_ASSERTS):
        namespace["pytest_configure"](None)


@pytest.fixture
def copied(workspace, tmp_path):
    """A copy of a handout, in an environment in which the original is installed."""
    variables = {"PYTHONPATH": str(workspace), "PYTHONSAFEPATH": "1"}
    return Path(shutil.copytree(workspace, tmp_path / "copy")), variables


@pytest.mark.parametrize(
    "command", [("pytest", "-o", "pythonpath="), ("assignment", "reset", "decode_float")]
)
def test_code_of_another_folder_is_refused(copied, workspace, command):
    """Once `make reset` in a copy of a handout changed the original"""
    copy, variables = copied
    before = (workspace / "resource_accounting" / "floats.py").stat()
    run = python(copy, *command, **variables)
    assert run.returncode in (2, 4)
    assert f"this is {copy}, but Python runs the code of {workspace}" in run.stderr
    assert (workspace / "resource_accounting" / "floats.py").stat() == before


def test_copy_is_tested_whatever_is_installed(copied):
    copy, variables = copied
    shutil.copy(REFERENCE / "flops.py", copy / "resource_accounting")
    run = python(copy, "pytest", FLOPS, "--ex", "matmul_flops", **variables)
    assert states(run.stdout) == {"matmul_flops": ("passed", "")}


PARTS = [
    (["tests/test_flops.py::test_mfu_of_a_product"], 1),
    (["tests/test_flops.py", "-k", "mfu"], 2),
    ([FLOPS, "--ex", "mfu", "-x"], 2),
    ([FLOPS, "--ex", "mfu", "--deselect", "tests/test_flops.py::test_mfu_of_a_product"], 2),
    (["--ex", "mfu"], 3),
]


@pytest.mark.parametrize(("options", "ran"), long_unless(PARTS, PARTS[0], PARTS[2], PARTS[-1]))
def test_a_part_of_the_tests_never_looks_like_all(workspace, options, ran):
    write(workspace, "flops", MFU.replace(" / devices", ""))
    run = python(workspace, "pytest", *options)
    assert states(run.stdout)["mfu"][0] == "in progress"
    assert ("1 of 3 tests" if ran == 3 else f"{ran} of 3 tests run") in run.stdout


def test_exercises_of_files_that_were_left_out_are_not_in_the_table(pristine):
    run = python(pristine, "pytest", "--ignore-glob=tests/test_[!l]*")  # all but the ledger
    assert "step_ledger" in states(run.stdout)
    assert "no public test" not in run.stdout


def test_a_run_that_stops_early_forgets_nothing_of_what_it_did_not_reach(workspace):
    shutil.copy(REFERENCE / "flops.py", workspace / "resource_accounting")
    assert python(workspace, "pytest", FLOPS, "--ex", "flops").returncode == 0
    write(workspace, "flops", "def matmul_flops(n, k, m):\n    return 0\n")
    python(workspace, "pytest", FLOPS, "--ex", "flops", "-x")
    python(workspace, "pytest", "--collect-only")
    known = noted.read(workspace, workspace / "resource_accounting")
    assert known["mlp_flops"].state == "passed"
    assert known["matmul_flops"].state == "in progress"


def test_a_terminal_without_symbols_gets_ascii(pristine):
    run = python(
        pristine, "pytest", FLOPS, "--ex", "matmul_flops", PYTHONIOENCODING="cp1252:strict"
    )
    assert ". matmul_flops" in run.stdout
    assert "\\u" not in run.stdout


def test_no_progress_gives_the_usual_output_of_pytest(pristine):
    run = python(pristine, "pytest", "--no-progress", "-v", FLOPS, "--ex", "matmul_flops")
    assert "FAILURES" in run.stdout
    assert "NotImplementedError: matmul_flops: not started" in run.stdout
    assert states(run.stdout) == {}


def test_hint_shows_the_hint_or_the_nearest_names(pristine):
    exercise = manifest.load()["adamw_step"]
    run = python(pristine, "assignment", "hint", "adamw_step")
    assert run.returncode == 0
    assert " ".join(exercise.hint.split()) in " ".join(run.stdout.split())
    run = python(pristine, "assignment", "hint", "adamw_stp")
    assert run.returncode == 2
    assert "Did you mean: adamw_step" in run.stderr
    run = python(pristine, "assignment", "hint", "gradients")
    assert run.returncode == 2
    assert "a chapter; name one of its exercises: linear_backward, mlp_backward\n" in run.stderr
    run = python(pristine, "assignment", "hint")
    assert all(e.id in run.stdout for e in manifest.load())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("return 1\n", "syntax error in line 1: 'return' outside function"),
        ("x = (\n", "syntax error in line 1: '(' was never closed"),
        ("# coding: foo\n", "syntax error: "),
        ("-" * 100_000 + "1", ""),
    ],
)
def test_what_cannot_be_compiled_is_said_once(tmp_path, text, said):
    (tmp_path / "own.py").write_text(text, encoding="utf-8")
    found = syntax_error(tmp_path / "own.py")
    assert found.startswith(said)
    assert "own.py" not in found


def test_submit_packs_code_that_fails_and_warns_of_what_cannot_be_imported(workspace):
    write(workspace, "data", "def (:\n")
    write(workspace, "flops", "import numpy, nosuch.part\nfrom . import strides\n")
    write(workspace, "seeding", "import os\nos._exit(0)\n")
    write(workspace, "training", "{}[3]\n")
    (workspace / "resource_accounting" / "scratch.py").write_text("1 / 0\n", encoding="utf-8")
    write(workspace, "budget", "from pathlib import Path\nPath('left').touch()\n")
    (workspace / "resource_accounting" / "notes.txt").write_text("mine", encoding="utf-8")
    os.utime(workspace / "resource_accounting" / "data.py", (0, 0))  # zips begin in 1980
    shutil.rmtree(workspace / ".pytest_cache", ignore_errors=True)  # of an earlier test
    run = python(workspace, "assignment", "submit")
    assert run.returncode == 0
    assert "No public test has run yet in this folder; python -m pytest runs them." in run.stdout
    assert re.search(r"data\.py .*\n    warning: syntax error in line \d+", run.stdout)
    assert "    warning: cannot be imported: ModuleNotFoundError: No module" in run.stdout
    assert re.search(r"seeding\.py .*\n    warning: its import ends the process\n", run.stdout)
    assert re.search(r"training\.py .*\n    warning: cannot be imported: KeyError: 3\n", run.stdout)
    assert not re.search(r"scratch\.py .*\n    warning", run.stdout), "nobody grades it"
    assert "  warning: the grader does not have nosuch\n" in run.stdout
    assert not (workspace / "left").exists()
    with zipfile.ZipFile(workspace / "submission.zip") as archive:
        names = set(archive.namelist())
    assert {f"resource_accounting/{m}.py" for m in manifest.load().modules} <= names
    assert {name for name in names if not name.endswith(".py")} == {manifest.VERSION_FILE}


def test_submit_says_what_passes_and_what_was_never_started(workspace):
    shutil.rmtree(workspace / ".pytest_cache", ignore_errors=True)  # of an earlier test
    write(workspace, "flops", f"def matmul_flops(B, D, K):\n    return B * D * K\n\n\n{MFU}")
    python(workspace, "pytest", FLOPS, "--ex", "flops")
    said = said_of_states(workspace)
    every, here = len(WRITTEN), sum(exercise.chapter == "flops" for exercise in WRITTEN)
    assert f"  pass          1 of {every}: mfu\n" in said
    assert f"  fail          1 of {every}: matmul_flops\n" in said
    assert f"  never started {here - 2} of {every}: mlp_flops, " in said
    assert f"  never tested  {every - here} of {every}: bytes_per_element, " in said
    assert "changed since" not in said
    write(workspace, "flops", "done = True\n")
    expected = "  changed since matmul_flops, mlp_flops, "
    assert expected in said_of_states(workspace)
    python(workspace, "pytest", "tests/test_flops.py::test_a_linear_layer_forward")
    assert expected in said_of_states(workspace)  # a part says nothing


def test_submit_outside_a_handout_says_where_to_run_it(workspace):
    shutil.rmtree(workspace / "resource_accounting")
    run = python(workspace, "assignment", "submit")
    assert run.returncode == 2
    assert "holds no .py file" in run.stderr


def test_reset_restores_the_stubs_of_one_exercise_and_keeps_a_copy(workspace):
    path = workspace / "resource_accounting" / "strides.py"
    stub_text = path.read_text(encoding="utf-8")
    reference = (REFERENCE / "strides.py").read_text(encoding="utf-8")
    path.write_text(reference, encoding="utf-8")
    run = python(workspace, "assignment", "reset", "storage_index")
    assert run.returncode == 0, run.stderr
    (backup,) = (workspace / "backups").iterdir()
    assert backup.read_text(encoding="utf-8") == reference
    assert "EX=storage_index" in path.read_text(encoding="utf-8")
    assert "EX=gather" not in path.read_text(encoding="utf-8")
    path.write_text("def (:\n", encoding="utf-8")
    run = python(workspace, "assignment", "reset", "storage_index")
    assert run.returncode == 2
    assert "syntax error in line 1" in run.stderr
    path.write_text(f"x = {'-' * 100_000}1\n", encoding="utf-8")
    run = python(workspace, "assignment", "reset", "storage_index")
    assert "nested too deeply" in run.stderr
    path.unlink()
    assert python(workspace, "assignment", "reset", "storage_index").returncode == 0
    assert path.read_text(encoding="utf-8") == stub_text


def test_reset_replaces_a_definition_with_its_decorators_or_adds_it():
    stub = "def f(a):\n    raise NotImplementedError\n"
    old = "x = 1\n\n\n@cached\ndef f(a):\n    return a\n\n\ny = 2\n"
    new = f"x = 1\n\n\n{stub}\n\ny = 2\n"
    assert commands.replace_definition(old, f"import math\n\n\n{stub}", "f") == new
    assert commands.replace_definition("x = 1\n", stub, "f") == f"x = 1\n\n\n{stub}"


def test_reset_counts_lines_as_python_does():
    """A form feed, which some editors put between parts, ends none"""
    text = "x = 1\n\x0c\ndef f():\n    return 1\n\n\ny = '\x1c\u2028'\n"
    stub = "def f():\n    raise NotImplementedError\n"
    expected = text.replace("return 1", "raise NotImplementedError")
    assert commands.replace_definition(text, stub, "f") == expected


@pytest.mark.parametrize(
    "command", [["pytest"], ["assignment", "hint"], ["assignment", "submit"]], ids=" ".join
)
def test_mistake_in_the_manifest_is_reported_in_one_line(workspace, command):
    """As the author's mistake, not the student's"""
    path = workspace / "assignment" / "assignment.toml"
    text = path.read_text(encoding="utf-8")
    line = 1 + text[: text.index("\npoints = 1\n") + 1].count("\n")
    path.write_text(text.replace("\npoints = 1\n", "\npoint = 1\n", 1), encoding="utf-8")
    run = python(workspace, *command)
    assert run.returncode != 0
    said = [line for line in run.stderr.splitlines() if line]
    assert len(said) == 1
    assert (
        "a mistake of the assignment's author, not of a submission: assignment/assignment.toml:"
        f"{line}: exercise 'bytes_per_element', point: no such key; did you mean 'points'?"
    ) in said[0]
