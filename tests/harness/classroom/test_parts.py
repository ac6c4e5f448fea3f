"""A correction of tests concerns some exercises, and any other change of the grader all of them."""

import pytest

from grader.classroom import parts

TESTS = """
import pytest

SIZES = (1, 2)


def helper():
    return SIZES


@pytest.mark.exercise("gather")
def test_gather(impl):
    assert impl


@pytest.mark.exercise("mfu", weight=2)
@pytest.mark.parametrize("size", SIZES)
def test_mfu(impl, size):
    assert impl
"""
OTHER = TESTS.replace('"gather"', '"adam"').replace('"mfu"', '"adagrad"')
FILE = "tests/hidden/test_a.py"
ADDED = '@pytest.mark.exercise("adam")\ndef test_more(impl):\n    assert impl\n'
NESTED = ADDED.replace("\n", "\n    ").strip()
ALL = {"gather", "mfu", "adam"}


@pytest.fixture
def after(tmp_path, monkeypatch):
    """The exercises that a change concerns, of a grader with two files of tests."""
    root, marks = tmp_path / "grader", tmp_path / "marks"
    marks.mkdir()
    of = parts.parts.__wrapped__
    monkeypatch.setattr(parts, "parts", lambda: of(root))
    monkeypatch.setattr(parts, "tree_hash", lambda: "before")
    files = {FILE: TESTS, "tests/hidden/test_b.py": OTHER, "tests/hidden/conftest.py": "A = 1\n"}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)

    def change(name, old, new):
        parts.keep_parts(marks)
        text = (root / name).read_text() if (root / name).exists() else ""
        assert old in text
        (root / name).write_text(text.replace(old, new) if text else new)
        return parts.to_rerun(marks, "before")

    return change


@pytest.mark.parametrize(
    ("name", "old", "new", "concerned"),
    [
        (FILE, "(impl):\n    assert impl", "(impl):\n    assert impl.x", {"gather"}),
        (FILE, "weight=2", "weight=3", {"mfu"}),
        (FILE, 'exercise("gather"', 'exercise("strides"', {"gather", "strides"}),
        (FILE, "return SIZES", "return SIZES[:1]", {"gather", "mfu"}),
        ("tests/hidden/test_b.py", "(1, 2)", "(1, 3)", {"adam", "adagrad"}),
        ("tests/hidden/conftest.py", "A = 1", "A = 2", None),
        ("tests/hidden/test_c.py", "", TESTS, None),
        (FILE, "SIZES", "SIZES", set()),
        (FILE, "SIZES = (1, 2)", "SIZES = (1, 2)  # of a word", set()),
        (FILE, "    return SIZES\n", f"    return SIZES\n\n\n{ADDED}", {"adam"}),
        (FILE, "def helper", f"class TestMore:\n    {NESTED}\n\n\ndef helper", ALL),
    ],
    ids=[
        "a test",
        "its weight",
        "its marker",
        "a helper",
        "a constant",
        "conftest",
        "new",
        "none",
        "a comment",
        "a further test",
        "a test in a class",
    ],
)
def test_exercises_that_a_change_concerns(after, name, old, new, concerned):
    assert after(name, old, new) == concerned


def test_a_test_that_moves_to_another_file_concerns_its_exercise(after):
    """As a public one that becomes a hidden one, and carries points then"""
    moved = TESTS[TESTS.index('@pytest.mark.exercise("gather")') :]
    after("tests/hidden/test_b.py", OTHER, OTHER + moved)
    assert after(FILE, moved, "") == {"gather", "mfu"}


def test_of_an_unknown_grader_all_may_have_changed(tmp_path):
    assert parts.to_rerun(tmp_path, "never seen") is None


def test_every_exercise_has_tests_of_its_own():
    found = parts.parts()
    assert set(found.tests) == {one for names in found.exercises.values() for one in names}
    assert len(found.tests) > 60
