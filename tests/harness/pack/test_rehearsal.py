"""The reference, graded with the packed files."""

import pytest

from grader.faults import GraderFault
from grader.pack import files, rehearsal
from tests.harness.conftest import keep_chapters


@pytest.fixture(scope="module")
def one_chapter():
    """The packed files, reduced to the exercises of `dtypes`, which are graded in seconds."""
    packed = dict(files.contents())
    name = "assignment/assignment.toml"
    packed[name] = keep_chapters(packed[name].decode(), ["dtypes"]).encode()
    return {
        name: data
        for name, data in packed.items()
        if not name.startswith("tests/") or name.endswith(("/test_dtypes.py", "conftest.py"))
    }


def test_reference_is_graded_with_what_is_packed_and_must_get_full_marks(one_chapter):
    """All of them, but for the mistake. `test_cli.py` has one that gets full marks"""
    name = "solutions/resource_accounting/dtypes.py"
    wrong = b"\n\ndef storage_bytes(tensors):\n    return -1\n"
    with pytest.raises(rehearsal.RehearsalError) as caught:
        rehearsal.check(one_chapter | {name: one_chapter[name] + wrong})
    assert "the reference gets 6 of 10 points, where 10 are declared" in str(caught.value)
    assert "\n  test_dtypes::test_" in str(caught.value)


def test_test_of_an_unknown_exercise_is_not_packed(one_chapter):
    name = "tests/hidden/test_dtypes.py"
    renamed = one_chapter[name].replace(b'exercise("tensor_bytes")', b'exercise("tensor_byte")')
    with pytest.raises(
        rehearsal.RehearsalError, match=r"test_dtypes\.py:\d+: expected the id of an"
    ):
        rehearsal.check(one_chapter | {name: renamed})


def test_pack_that_lacks_a_file_is_a_fault(one_chapter):
    """Files that it lacks are not taken from the checkout"""
    lacking = {n: data for n, data in one_chapter.items() if n != "grader/judge/grader.py"}
    with pytest.raises(GraderFault, match=r"No module named 'grader\.judge\.grader'"):
        rehearsal.check(lacking)
