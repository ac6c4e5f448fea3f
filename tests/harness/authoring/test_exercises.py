"""An exercise is added, renamed and removed in all its places at once."""

import ast
import os
import re
import shutil
import subprocess
import sys
import textwrap

import pytest
from typer.testing import CliRunner

from assignment import manifest as manifests
from assignment.manifest import ManifestError
from grader import cli
from grader.authoring import checklist, exercises, verify
from grader.authoring.verify import Finding
from grader.paths import REPOSITORY
from tests.harness import warm
from tests.harness.conftest import long_unless

FOLDERS = ("assignment", "solutions", "tests/public", "tests/hidden", "tests/timing")


def unneeded(folder, names):
    """What no test here looks at, such as most wrong submissions."""
    wrong = folder.endswith("wrong")
    gone = {"__pycache__", "figures"}
    return [name for name in names if name in gone or (wrong and not name.startswith("view"))]


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A copy of what authors write."""
    root = tmp_path_factory.mktemp("repository")
    for folder in (*FOLDERS, *(f"tests/submissions/{name}" for name in exercises._ALTERNATIVES)):
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=unneeded)
    return root


@pytest.fixture
def copy(pristine, tmp_path):
    return shutil.copytree(pristine, tmp_path / "repository")


def contents(root):
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


def manifest_of(root):
    return manifests.parse((root / "assignment" / "assignment.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("after", "module", "is_core"),
    [
        ("storage_index", "strides", True),
        ("view_strides", "strides", False),
        ("gather", "strides", False),  # the last of its chapter
        ("project_heads", "named_axes", True),  # the same, of core ones
        ("mfu", "flops", True),  # before the chapter's sources
    ],
)
def test_what_was_added_can_be_renamed_and_removed_without_a_trace(copy, after, module, is_core):
    before, points = contents(copy), manifest_of(copy).points
    written = exercises.add("doubled_up", after, root=copy)
    assert {path.name for path in written} >= {f"{module}.py", f"{module}.md", "assignment.toml"}
    text = (copy / "assignment" / "writeup" / f"{module}.md").read_text(encoding="utf-8")
    assert "## Exercise" not in text.partition("\nSources: ")[2]
    ids = [exercise.id for exercise in manifest_of(copy)]
    assert ids.index("doubled_up") == ids.index(after) + 1
    assert manifest_of(copy)["doubled_up"].core == is_core
    assert manifest_of(copy).points == points + is_core
    exercises.rename("doubled_up", "twofold", copy)
    assert "doubled_up" not in [exercise.id for exercise in manifest_of(copy)]
    left = {place.partition(":")[0] for place in exercises.mentions("doubled_up", copy)}
    assert left <= {name for name in contents(copy) if module in name or "doubled_up" in name} | {
        "assignment/assignment.toml",
        *(f"solutions/wrong/twofold_{name}.py" for name in exercises._WRONG),
    }, "the function keeps its name"
    exercises.remove("twofold", copy)
    assert contents(copy) == before


def test_only_the_marker_of_an_exercise_gets_its_new_name(copy):
    """A test of all optimizers calls `adamw_step` by that name, too"""
    before = contents(copy)
    exercises.rename("adamw_step", "adamw_by_hand", copy)
    after = contents(copy)
    for name in (name for name in after if name.startswith("tests/") and name in before):
        lines = zip(before[name].splitlines(), after[name].splitlines(), strict=True)
        assert all(b'exercise("adamw_by_hand"' in new for old, new in lines if old != new)


def test_an_exercise_with_mistakes_and_tests_is_removed(copy):
    changed = exercises.remove("view_strides", copy)
    assert "view_strides" not in [exercise.id for exercise in manifest_of(copy)]
    assert any(path.parent.name == "wrong" for path in changed)
    for folder in ("public", "hidden"):
        text = (copy / "tests" / folder / "test_strides.py").read_text(encoding="utf-8")
        assert 'exercise("view_strides"' not in text
        compile(text, folder, "exec")


@pytest.mark.parametrize(
    ("do", "said"),
    [
        (lambda root: exercises.add("gather", "storage_index", root=root), "gather is taken"),
        (lambda root: exercises.add("Bad", "storage_index", root=root), "'Bad' is no id"),
        (lambda root: exercises.add("good", "nosuch", root=root), "no exercise is called 'nosuch'"),
        (lambda root: exercises.add("lambda", "storage_index", root=root), "lambda is taken"),
        (lambda root: exercises.add("sum", "storage_index", root=root), "sum is taken"),
        (lambda root: exercises.add("good", "gather", 'a "b"', root), "a quotation mark"),
        (lambda root: exercises.remove("storage_index", root), "gather depend on storage_index"),
        (lambda root: exercises.rename("nosuch", "good", root), "no exercise is called"),
        (lambda root: exercises.rename("gather", "storage_index", root), "is taken"),
    ],
)
def test_what_cannot_be_done_changes_nothing(pristine, do, said):
    before = contents(pristine)
    with pytest.raises(ManifestError, match=said):
        do(pristine)
    assert contents(pristine) == before


def test_a_new_exercise_passes_its_tests_and_its_mistakes_do_not(copy):
    """As plain pytest runs them; the functions of the mistakes are appended to the reference"""
    exercises.add("doubled_up", "storage_index", root=copy)
    reference = copy / "solutions" / "resource_accounting" / "strides.py"
    right = reference.read_text(encoding="utf-8")
    (copy / "pyproject.toml").write_text("[tool.pytest.ini_options]\npythonpath = ['.']\n")

    def run():
        options = ["--submission", "solutions", "--import-mode=importlib", "--ex", "doubled_up"]
        files = ["tests/public/test_strides.py", "tests/hidden/test_strides.py"]
        command = ["-m", "pytest", "-q", "-p", "assignment.plugin", *options, *files]
        env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONSAFEPATH": "1"}
        return warm.run(*command, cwd=copy, env=env)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    wrong = sorted((copy / "solutions" / "wrong").glob("doubled_up_*.py"))
    assert len(wrong) == 3
    reference.write_text(right + wrong[0].read_text(encoding="utf-8"), encoding="utf-8")
    assert run().returncode == 1


TUTORIAL = REPOSITORY / "grader" / "authoring" / "README.md"
BLOCK = re.compile(r"(?:In `(\S+)`:\n\n)? *```(?:sh|python)\n(.*?)^ *```$", re.M | re.S)


def put(file, code):
    """Writes definitions in the place of those of the same names; a new file is all of it."""
    text = file.read_text(encoding="utf-8") if "wrong" not in file.parts else ""
    lines = text.splitlines()
    names = {node.name for node in ast.parse(code).body if isinstance(node, ast.FunctionDef)}
    for node in reversed(ast.parse(text).body):
        if isinstance(node, ast.FunctionDef) and names & {node.name, node.name.removesuffix("_of")}:
            del lines[min(d.lineno for d in [node, *node.decorator_list]) - 1 : node.end_lineno]
    text = "\n".join(lines).rstrip("\n") + "\n\n\n" if lines else ""
    file.write_text(text + code, encoding="utf-8")


@pytest.mark.parametrize(
    "is_checked", long_unless([False, True], False), ids=["written", "checked"]
)
def test_every_step_of_the_tutorial_works(tmp_path, is_checked):
    """Code goes where it is said to go, and commands run in a copy; the last takes a minute"""
    unneeded = shutil.ignore_patterns(".*", "__pycache__", "build", "out", "*.egg-info")
    root = shutil.copytree(REPOSITORY, tmp_path / "repository", ignore=unneeded)
    steps = BLOCK.findall(TUTORIAL.read_text(encoding="utf-8"))
    assert len(steps) == 11
    for file, step in steps:
        code = textwrap.dedent(step)
        if file:
            put(root / file, code)
            continue
        if not is_checked:
            code = code.replace("grader author check", ": grader author check")
        grader = f'grader() {{ {sys.executable} -m grader "$@"; }}\n'
        done = subprocess.run(
            ["bash", "-e"], input=grader + code, cwd=root, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
    exercise = manifest_of(root)["padded_bytes"]
    assert (exercise.points, exercise.work) == (
        1,
        "each row is filled up to a whole number of blocks",
    )
    assert "padded_bytes" in (root / "handout/resource_accounting/dtypes.py").read_text()


def test_the_list_names_what_is_missing_and_what_to_do(monkeypatch, tmp_path):
    """The slow lines are left out; `test_every_step_of_the_tutorial_works` has all"""
    for slow in ("_public", "_draws", "_mutants"):
        monkeypatch.setattr(checklist, slow, lambda *_: checklist.Line("slow"))
    finding = Finding("wrong", "gather_as_strided_of_contiguous", ("loses no points of gather",))
    reference = Finding("reference", "the reference", (), "1 of 1", {"test_a": 0.1, "test_b": 9.0})
    monkeypatch.setattr(verify, "graded", lambda *_: [finding, reference])
    shutil.copytree(REPOSITORY / "assignment/writeup", tmp_path / "writeup")
    text = tmp_path / "writeup" / "strides.md"
    written = text.read_text().replace("## Exercise `gather` (6 points, further)", "## Gather")
    text.write_text(f"{written}\nWrite `gather(number)`: twice the number.\n")
    monkeypatch.setattr(checklist, "_WRITEUP", tmp_path / "writeup")
    done = CliRunner().invoke(cli.build_app(), ["author", "check", "gather"])
    assert done.exit_code == 1, done.output
    said = done.output.split("✗ ")[1:]
    assert [part.partition("\n")[0] for part in said] == [
        "the text has its section",
        "its tests are quick, or it is known how long they take",
        "14 mistakes cost points of this exercise, and not too many",
    ]
    assert "→ write it in assignment/writeup/strides.md" in said[0]
    assert "its text still speaks of twice a number" in said[0]
    assert "test_b takes 9.0 s\n      → make them quicker" in said[1]
    assert "gather_as_strided_of_contiguous: loses no points of gather" in said[2]
    assert CliRunner().invoke(cli.build_app(), ["author", "check", "nosuch"]).exit_code != 0


def test_points_are_listed_as_tests_share_them():
    done = CliRunner().invoke(cli.build_app(), ["author", "points", "fast_batches"])
    assert done.output.split("\n")[0].split() == ["2", "fast_batches"]
    assert "     2 Loading and using batches on the device takes no longer" in done.output
