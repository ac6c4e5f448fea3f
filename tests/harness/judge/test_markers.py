"""The exercises that tests name are those of the manifest; and the titles of tests."""

import pytest

from assignment import manifest
from assignment.hooks import title_of
from assignment.manifest import ManifestError, parse
from grader.judge import markers
from tests.harness.assignment.good_manifest import GOOD
from tests.harness.conftest import REPOSITORY

MARKED = """
import pytest

# @pytest.mark.exercise("commented")
@pytest.mark.exercise("first")
@pytest.mark.parametrize("n", [1])
def test_one(impl, n): ...

@pytest.mark.exercise(
    'second', weight=2)
def test_two(impl): ...

@pytest.mark.exercise("first", weight=2)
def test_three(impl): ...
"""


@pytest.fixture
def tests(tmp_path):
    """A folder of tests that match the manifest."""
    raced = '@pytest.mark.exercise("raced")\ndef test_raced(race): ...\n'
    for name, text in {"public": MARKED, "hidden": MARKED, "timing": raced}.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "test_one.py").write_text(text)
    return tmp_path


def test_tests_that_match_are_fine(tests):
    markers.check_tests(parse(GOOD), tests, GOOD)


def test_tests_of_the_repository_match():
    assert markers.load(REPOSITORY / "tests") == manifest.load()


@pytest.mark.parametrize("folder", ["public", "hidden", "timing"])
def test_marker_of_no_exercise_is_refused(tests, folder):
    """For example after an exercise was renamed"""
    (tests / folder / "test_two.py").write_text('\n@pytest.mark.exercise("frist")\ndef test(): ...')
    with pytest.raises(ManifestError) as caught:
        markers.check_tests(parse(GOOD), tests, GOOD)
    assert str(caught.value) == (
        f"tests/{folder}/test_two.py:2: expected the id of an exercise of "
        "assignment/assignment.toml, got 'frist'; did you mean 'first'?"
    )


@pytest.mark.parametrize(
    ("folder", "exercise", "where"),
    [("hidden", "second", "tests/hidden"), ("timing", "raced", "tests/hidden or tests/timing")],
)
def test_exercise_without_a_test_is_refused(tests, folder, exercise, where):
    """A public test alone gives no points, nor does a race if the exercise needs no device"""
    path = tests / folder / "test_one.py"
    path.write_text(path.read_text().replace("@pytest.mark.exercise", "@pytest.mark.slow"))
    for name in {"first", "second", "raced"} - {exercise}:
        text = f'@pytest.mark.exercise("{name}")\ndef test_{name}(): ...\n'
        (tests / "hidden" / f"test_{name}.py").write_text(text)
    line = GOOD.split(f'id = "{exercise}"')[0].count("\n")
    with pytest.raises(ManifestError) as caught:
        markers.check_tests(parse(GOOD), tests, GOOD)
    assert str(caught.value) == (
        f"assignment/assignment.toml:{line}: exercise '{exercise}' has no test in {where}; add one "
        f'that is marked @pytest.mark.exercise("{exercise}"), or take the exercise out'
    )


@pytest.mark.parametrize("number", [7], ids=["a named case"])
def test_title_says_which_case_if_it_asks_for_that(request, number):
    """In {case} the rule
    holds

    No title."""
    assert title_of(request.node) == "In a named case the rule holds"
