"""An exercise is added, renamed and removed in all its places at once."""

import os
import shutil
import subprocess
import sys

import pytest

from assignment import manifest as manifests
from assignment.manifest import ManifestError
from grader.authoring import exercises
from grader.paths import REPOSITORY

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


def test_what_was_added_can_be_renamed_and_removed_without_a_trace(copy):
    before = contents(copy)
    written = exercises.add("doubled_up", "storage_index", root=copy)
    assert {path.name for path in written} >= {"strides.py", "strides.md", "assignment.toml"}
    ids = [exercise.id for exercise in manifest_of(copy)]
    assert ids.index("doubled_up") == ids.index("storage_index") + 1
    exercises.rename("doubled_up", "twofold", copy)
    assert "doubled_up" not in [exercise.id for exercise in manifest_of(copy)]
    left = {place.partition(":")[0] for place in exercises.mentions("doubled_up", copy)}
    assert left <= {
        name for name in contents(copy) if "strides" in name or "doubled_up" in name
    } | {
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
        command = [sys.executable, "-m", "pytest", "-q", "-p", "assignment.plugin"]
        command += ["--submission", "solutions", "--import-mode=importlib", "--ex", "doubled_up"]
        command += ["tests/public/test_strides.py", "tests/hidden/test_strides.py"]
        env = {**os.environ, "PYTHONPATH": str(copy), "PYTHONSAFEPATH": "1"}
        return subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)

    done = run()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 passed" in done.stdout
    wrong = sorted((copy / "solutions" / "wrong").glob("doubled_up_*.py"))
    assert len(wrong) == 3
    reference.write_text(right + wrong[0].read_text(encoding="utf-8"), encoding="utf-8")
    assert run().returncode == 1
