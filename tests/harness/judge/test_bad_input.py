"""Bad input: each has one clear cause on its own checks, and all other checks are graded."""

import re
import zipfile

import pytest

from grader.causes import Cause
from grader.intake.entries import SubmissionError
from grader.results.student import report
from tests.harness.conftest import REPOSITORY, hidden, long_unless

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"
STRIDES = (REFERENCE / "strides.py").read_text()
DTYPES = (REFERENCE / "dtypes.py").read_text()
BOTH = ["storage_index", "bytes_per_element"]

# Each is appended to the reference, so that the last definition of storage_index counts.
BODIES = {
    "wrong signature: too few": (
        "def storage_index(index):\n    return 0\n",
        Cause.WRONG_SIGNATURE,
    ),
    "wrong signature: no function": ("storage_index = 3\n", Cause.WRONG_SIGNATURE),
    "missing function": ("del storage_index\n", Cause.MISSING),
    "not plain data: object": (
        "def storage_index(index, strides, offset=0):\n    return object()\n",
        Cause.NOT_PLAIN_DATA,
    ),
    "not plain data: numpy scalar": (
        "import numpy\ndef storage_index(index, strides, offset=0):\n    return numpy.int64(6)\n",
        Cause.NOT_PLAIN_DATA,
    ),
    "not plain data: set": (
        "def storage_index(index, strides, offset=0):\n    return {6}\n",
        Cause.NOT_PLAIN_DATA,
    ),
    "not plain data: generator": (
        "def storage_index(index, strides, offset=0):\n    yield 6\n",
        Cause.NOT_PLAIN_DATA,
    ),
    "endless loop": (  # which does not keep this machine busy
        "import time\ndef storage_index(index, strides, offset=0):\n"
        "    while True: time.sleep(1)\n",
        Cause.TIMEOUT,
    ),
    "os._exit": (
        "import os\ndef storage_index(index, strides, offset=0):\n    os._exit(0)\n",
        Cause.DIED,
    ),
    "20 GB": (
        "def storage_index(index, strides, offset=0):\n    return bytearray(20 << 30)\n",
        Cause.MEMORY,
    ),
    "exception": (
        "def storage_index(index, strides, offset=0):\n    return {}[index]\n",
        Cause.EXCEPTION,
    ),
    "not started": (
        "def storage_index(index, strides, offset=0):\n    raise NotImplementedError\n",
        Cause.NOT_STARTED,
    ),
    "NaN": (
        "def storage_index(index, strides, offset=0):\n    return float('nan')\n",
        Cause.WRONG_ANSWER,
    ),
    "None": ("def storage_index(index, strides, offset=0):\n    pass\n", Cause.WRONG_ANSWER),
    "tensor in place of a number": (
        "import torch\ndef storage_index(index, strides, offset=0):\n    return torch.tensor(6)\n",
        Cause.WRONG_ANSWER,
    ),
    "float in place of an integer": (
        "def storage_index(index, strides, offset=0):\n    return 6.0\n",
        Cause.WRONG_ANSWER,
    ),
}


# Of each cause one case; of a kind of answer the one that is least like what is expected.
SHORT = (
    *("wrong signature: no function", "missing function", "not plain data: generator"),
    *("endless loop", "os._exit", "20 GB", "exception", "not started", "NaN"),
    "tensor in place of a number",
)


@pytest.mark.parametrize("name", long_unless(BODIES, *SHORT))
def test_bad_function_has_its_cause_and_the_others_are_graded(quick_grader, submit, name):
    text, cause = BODIES[name]
    grade = quick_grader.grade(
        submit(strides=f"{STRIDES}\n\n{text}", dtypes=DTYPES), only=BOTH, tests="hidden"
    )
    assert grade.faults == ()
    assert {c.cause for c in hidden(grade, "storage_index")} == {cause}
    assert {c.state for c in hidden(grade, "storage_index")} == {"failed"}
    assert {c.state for c in hidden(grade, "bytes_per_element")} == {"passed"}
    full = {exercise.id: exercise.points for exercise in quick_grader.manifest}
    points = {e.id: (e.points, e.max_points, e.measured) for e in grade.exercises}
    assert points == {
        "storage_index": (0, full["storage_index"], True),
        "bytes_per_element": (full["bytes_per_element"], full["bytes_per_element"], True),
    }


def test_message_says_what_came_and_what_is_expected(quick_grader, submit):
    text = "def storage_index(index, strides, offset=0):\n    return {6}\n"
    grade = quick_grader.grade(submit(strides=f"{STRIDES}\n\n{text}"), only=["storage_index"])
    detail = next(c.detail for c in grade.checks if c.visibility == "public")
    assert re.search(r"what strides\.storage_index returned.* is an object of type set", detail)
    assert "expected plain data (None, bool, int" in detail


def test_exception_is_named_by_its_nearest_builtin(quick_grader, submit):
    text = (
        "class Mine(KeyError):\n    pass\n"
        "def storage_index(index, strides, offset=0):\n    raise Mine('x')\n"
    )
    grade = quick_grader.grade(submit(strides=f"{STRIDES}\n\n{text}"), only=["storage_index"])
    assert {c.exception for c in hidden(grade, "storage_index")} == {"KeyError"}


def test_bad_signature_is_named_before_any_test(quick_grader, submit):
    text = "def storage_index(place, strides):\n    return 0\n"
    grade = quick_grader.grade(submit(strides=f"{STRIDES}\n\n{text}"), only=["storage_index"])
    (report,) = [m for m in grade.modules if m.module == "strides"]
    assert report.ok
    assert (
        "storage_index: expected parameters (index, strides, offset), got (place, strides)"
        in report.message
    )


WRONG_TENSORS = {
    "wrong shape": "x.reshape(-1).clone()",
    "wrong dtype": "x.int()",
    "wrong kind": "x.numpy().copy()",
    "NaN": "x.double() * float('nan')",
}


@pytest.mark.parametrize("name", long_unless(WRONG_TENSORS, "wrong dtype", "wrong kind"))
def test_wrong_tensor_is_a_wrong_answer(quick_grader, submit, name):
    text = (
        "import torch\n"
        "def get_batch(tokens, batch_size, context_length, device='cpu'):\n"
        "    x = torch.zeros(batch_size, context_length, dtype=torch.int64)\n"
        f"    return {WRONG_TENSORS[name]}, {WRONG_TENSORS[name]}\n"
    )
    grade = quick_grader.grade(
        submit(data=text, dtypes=DTYPES), only=["get_batch", "bytes_per_element"], tests="hidden"
    )
    assert grade.faults == ()
    assert {c.cause for c in hidden(grade, "get_batch")} == {Cause.WRONG_ANSWER}
    assert {c.state for c in hidden(grade, "bytes_per_element")} == {"passed"}


def test_syntax_error_fails_only_its_own_module_and_is_shown(quick_grader, submit):
    broken = "import math\n\ndef storage_index(index, strides:\n    return 0\n"
    grade = quick_grader.grade(submit(strides=broken, dtypes=DTYPES), only=BOTH, tests="hidden")
    assert grade.faults == ()
    assert {c.cause for c in hidden(grade, "storage_index")} == {Cause.IMPORT_FAILED}
    assert {c.state for c in hidden(grade, "bytes_per_element")} == {"passed"}
    reports = {m.module: m for m in grade.modules}
    report = reports["strides"]
    assert not report.ok
    assert (report.file, report.line) == ("resource_accounting/strides.py", 3)
    assert report.message.startswith("SyntaxError: ")
    assert reports["dtypes"].ok


def test_exception_at_import_is_shown_with_its_line(quick_grader, submit):
    grade = quick_grader.grade(
        submit(strides="x = 1\ny = x / 0\n", dtypes=DTYPES), only=["storage_index"]
    )
    (report,) = [m for m in grade.modules if m.module == "strides"]
    assert (report.file, report.line) == ("resource_accounting/strides.py", 2)
    assert report.message == "ZeroDivisionError: division by zero"


def test_import_of_what_is_not_there_is_no_missing_module(quick_grader, submit):
    grade = quick_grader.grade(submit(strides="import no_such_thing\n"), only=["storage_index"])
    (report,) = [m for m in grade.modules if m.module == "strides"]
    assert "No module named 'no_such_thing'" in report.message
    assert {c.cause for c in hidden(grade, "storage_index")} == {Cause.IMPORT_FAILED}


def test_missing_module_fails_its_own_exercises(quick_grader, submit):
    grade = quick_grader.grade(submit(dtypes=DTYPES), only=BOTH, tests="hidden")
    assert grade.faults == ()
    assert {c.cause for c in hidden(grade, "storage_index")} == {Cause.MISSING}
    assert {c.state for c in hidden(grade, "bytes_per_element")} == {"passed"}
    assert [m.module for m in grade.modules if m.ok] == ["dtypes"]


NOT_UTF8 = {
    "latin-1": ("x = 'é'".encode("latin-1"), "'utf-8' codec can't decode byte 0xe9"),
    "null": (b"x = 1\0\n", "this file holds null bytes; save it as UTF-8 (strides.py, line 1)"),
    "UTF-16": ("x = 1\n".encode("utf-16"), "this file is UTF-16; save it as UTF-8 (strides.py,"),
    "UTF-16 unmarked": ("x = 1\n".encode("utf-16-be"), "this file is UTF-16; save it as UTF-8"),
}


@pytest.mark.parametrize("name", NOT_UTF8)
def test_source_that_is_no_utf8_is_an_import_error(quick_grader, submit, name):
    data, words = NOT_UTF8[name]
    folder = submit(dtypes=DTYPES)
    (folder / "resource_accounting" / "strides.py").write_bytes(data)
    grade = quick_grader.grade(folder, only=BOTH, tests="hidden")
    assert {c.cause for c in hidden(grade, "storage_index")} == {Cause.IMPORT_FAILED}
    assert {c.state for c in hidden(grade, "bytes_per_element")} == {"passed"}
    (report,) = [report for report in grade.modules if not report.ok]
    assert words in report.message
    assert report.file == "resource_accounting/strides.py" or name == "latin-1"


def test_file_that_keeps_several_modules_from_being_imported_is_shown_once(quick_grader, submit):
    text = "from resource_accounting import own\n"
    folder = submit(dtypes=text, strides=text)
    (folder / "resource_accounting" / "own.py").write_bytes("x = 1\n".encode("utf-16"))
    shown = report(quick_grader.grade(folder, only=BOTH, tests="public"))
    (view,) = shown.modules
    assert view.module == "dtypes, strides"
    assert view.place == "resource_accounting/own.py:1"
    assert view.message == "SyntaxError: this file is UTF-16; save it as UTF-8 (own.py, line 1)"


def test_archive_one_level_down_is_graded_and_the_rest_named(quick_grader, tmp_path):
    path = tmp_path / "homework.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("homework/resource_accounting/dtypes.py", DTYPES)
        archive.writestr("homework/resource_accounting/notes.txt", "…")
        archive.writestr("homework/essay.pdf", "…")
    grade = quick_grader.grade(path, only=["bytes_per_element"])
    assert grade.score == grade.max_score == quick_grader.manifest["bytes_per_element"].points
    assert grade.submission == "homework.zip"
    assert len(grade.left_out) == 2


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04broken", b"not an archive"])
def test_what_cannot_be_read_is_an_error_and_no_grade(quick_grader, tmp_path, data):
    path = tmp_path / "in.zip"
    with pytest.raises(SubmissionError, match="does not exist"):
        quick_grader.grade(path)
    path.write_bytes(data)
    with pytest.raises(SubmissionError):
        quick_grader.grade(path)
