"""Bad input: each has one clear cause on its own checks, and all other checks are graded."""

import pytest

from grader.causes import Cause
from grader.results.student import report
from tests.harness.conftest import REPOSITORY, hidden, long_unless

REFERENCE = REPOSITORY / "solutions" / "resource_accounting"
STRIDES = (REFERENCE / "strides.py").read_text()
ALONE = f"{STRIDES}\n\ndel row_major_strides, is_contiguous\n\n"  # all or nothing is earned
DTYPES = (REFERENCE / "dtypes.py").read_text()
BOTH = ["storage_index", "bytes_per_element"]
HEAD = "def storage_index(index, strides, offset=0):\n    "
# Each is appended to the reference, so that the last definition of storage_index counts.
TEXTS = {
    "def storage_index(index):\n    return 0": Cause.WRONG_SIGNATURE,
    "storage_index = 3": Cause.WRONG_SIGNATURE,
    "del storage_index": Cause.MISSING,
    f"{HEAD}return object()": Cause.NOT_PLAIN_DATA,
    f"{HEAD}import numpy; return numpy.int64(6)": Cause.NOT_PLAIN_DATA,
    f"{HEAD}return {{6}}": Cause.NOT_PLAIN_DATA,
    f"{HEAD}yield 6": Cause.NOT_PLAIN_DATA,
    # It does not keep this machine busy.
    f"{HEAD}import time\n    while True: time.sleep(1)": Cause.TIMEOUT,
    f"{HEAD}import os; os._exit(0)": Cause.DIED,
    f"{HEAD}return bytearray(20 << 30)": Cause.MEMORY,
    f"{HEAD}return {{}}[index]": Cause.EXCEPTION,
    f"{HEAD}raise NotImplementedError": Cause.NOT_STARTED,
    f"{HEAD}return float('nan')": Cause.WRONG_ANSWER,
    f"{HEAD}pass": Cause.WRONG_ANSWER,
    f"{HEAD}import torch; return torch.tensor(6)": Cause.WRONG_ANSWER,
    f"{HEAD}return 6.0": Cause.WRONG_ANSWER,
    # What torch says of a small allocation, at a limit that counts pages.
    f"{HEAD}raise RuntimeError('std::bad_alloc')": Cause.MEMORY,
}
# Of each cause one case; of a kind of answer the one that is least like what is expected.
SHORT = (1, 2, 6, 7, 8, 9, 10, 11, 12, 14, 16)


def of_index(grade):
    """The hidden checks of storage_index alone."""
    return [c for c in hidden(grade, "storage_index") if "_index_" in c.test]


@pytest.fixture
def fails(quick_grader, submit):
    """Grades a module; its exercise fails for one cause only, and that of `dtypes` passes."""

    def run(cause, module, text, exercise):
        folder = submit(dtypes=DTYPES)
        if text is not None:
            (folder / "resource_accounting" / f"{module}.py").write_bytes(text)
        only = [exercise, "bytes_per_element"]
        grade = quick_grader.grade(folder, only=only, tests="hidden")
        assert grade.faults == ()
        assert grade.submission == folder.name
        states = [c.state for c in hidden(grade, exercise)]
        causes = {c.cause for c in hidden(grade, exercise)}
        assert causes - {Cause.MISSING} == {cause} - {Cause.MISSING}
        assert (states[0], {*states[1:]} <= {"failed", "open"}) == ("failed", True)
        assert {c.state for c in hidden(grade, "bytes_per_element")} == {"passed"}
        full = {e.id: e.points for e in quick_grader.manifest}
        assert {e.id: (e.points, e.max_points, e.measured) for e in grade.exercises} == {
            exercise: (0, full[exercise], True),
            "bytes_per_element": (full["bytes_per_element"], full["bytes_per_element"], True),
        }
        return grade

    return run


@pytest.mark.parametrize("text", long_unless(TEXTS, *(list(TEXTS)[i] for i in SHORT)))
def test_bad_function_has_its_cause_and_the_others_are_graded(fails, text):
    fails(TEXTS[text], "strides", f"{ALONE}{text}\n".encode(), "storage_index")


TENSORS = ("x.reshape(-1).clone()", "x.int()", "x.numpy().copy()", "x.double() * float('nan')")


@pytest.mark.parametrize("tensor", long_unless(TENSORS, *TENSORS[1:3]))
def test_wrong_tensor_is_a_wrong_answer(fails, tensor):
    text = (
        "import torch\n"
        "def get_batch(tokens, batch_size, context_length, device='cpu'):\n"
        "    x = torch.zeros(batch_size, context_length, dtype=torch.int64)\n"
        f"    return {tensor}, {tensor}\n"
    )
    fails(Cause.WRONG_ANSWER, "data", text.encode(), "get_batch")


def test_missing_module_fails_its_own_exercises(fails):
    grade = fails(Cause.MISSING, "strides", None, "storage_index")
    assert [m.module for m in grade.modules if m.ok] == ["dtypes"]


UTF8 = "SyntaxError: this file {} save it as UTF-8 (strides.py, line 1)"
NOT_IMPORTED = [
    (b"import math\n\ndef storage_index(index, strides:\n    return 0\n", 3, "SyntaxError: "),
    (b"x = 1\ny = x / 0\n", 2, "ZeroDivisionError: division by zero"),
    ("x = 'é'".encode("latin-1"), None, "'utf-8' codec can't decode byte 0xe9"),
    (b"x = 1\0\n", 1, UTF8.format("holds null bytes;")),
    ("x = 1\n".encode("utf-16-be"), 1, UTF8.format("is UTF-16;")),  # without a mark
    ("x = 1\n".encode("utf-16"), 1, UTF8.format("is UTF-16;")),
    (b"import no_such_thing\n", 1, "ModuleNotFoundError: No module named 'no_such_thing'"),
]


@pytest.mark.parametrize(("text", "line", "words"), long_unless(NOT_IMPORTED, *NOT_IMPORTED[:5]))
def test_module_that_cannot_be_imported_fails_alone_and_its_line_is_shown(fails, text, line, words):
    grade = fails(Cause.IMPORT_FAILED, "strides", text, "storage_index")
    (report,) = [report for report in grade.modules if not report.ok]
    assert report.module == "strides"
    assert words in report.message
    if line is not None:
        assert (report.file, report.line) == ("resource_accounting/strides.py", line)


def test_file_that_keeps_several_modules_from_being_imported_is_shown_once(quick_grader, submit):
    text = "from resource_accounting import own\n"
    folder = submit(dtypes=text, strides=text)
    (folder / "resource_accounting" / "own.py").write_bytes("x = 1\n".encode("utf-16"))
    shown = report(quick_grader.grade(folder, only=BOTH, tests="public"))
    (view,) = shown.modules
    assert view.module == "dtypes, strides"
    assert view.place == "resource_accounting/own.py:1"
    assert view.message == "SyntaxError: this file is UTF-16; save it as UTF-8 (own.py, line 1)"


def test_exception_is_named_by_its_nearest_builtin(quick_grader, submit):
    text = f"class Mine(KeyError):\n    pass\n\n\n{HEAD}raise Mine('x')\n"
    grade = quick_grader.grade(submit(strides=text), only=["storage_index"], tests="hidden")
    assert {c.exception for c in of_index(grade)} == {"KeyError"}


@pytest.mark.parametrize(
    ("given", "got"),
    [
        ("place, strides", "(place, strides)"),
        ("index, strides", "(index, strides)"),
        ("index, **more", ""),
    ],
)
def test_bad_signature_is_named_before_any_test(quick_grader, submit, given, got):
    text = f"{STRIDES}\n\ndef storage_index({given}):\n    return 0\n"
    grade = quick_grader.grade(submit(strides=text), only=["storage_index"], tests="public")
    said = [m.message for m in grade.modules if m.module == "strides"]
    wanted = f"storage_index: expected parameters (index, strides, offset), got {got}"
    assert [wanted in message for message in said] == ([True] if got else [False] * len(said))


def test_right_code_that_calls_a_stub_is_no_stub(quick_grader, submit):
    """Once such an exercise was said to be not started"""
    stub = "def bytes_per_element(dtype):\n    raise NotImplementedError\n"
    folder = submit(dtypes=f"{DTYPES}\n\n{stub}")
    only = ["bytes_per_element", "tensor_bytes"]
    grade = quick_grader.grade(folder, only=only, tests="hidden")
    stubbed, calls = report(grade).exercises
    assert (stubbed.status, calls.status) == ("not started", "failed")
    assert {c.cause for c in hidden(grade, "tensor_bytes")} == {Cause.UNFINISHED}
    assert calls.hint == "It may build on the exercise `bytes_per_element`, which is not right yet."
    assert report(grade).look_first == (calls,), "there is nothing else that was tried"


def test_what_a_call_leaves_changed_is_said_of_no_other_rule(quick_grader, submit):
    body = "import torch; torch.set_grad_enabled(False)\n    return _right(index, strides, offset)"
    folder = submit(strides=f"{STRIDES}\n\n_right = storage_index\n\n\n{HEAD}{body}\n")
    grade = quick_grader.grade(folder, only=["storage_index"], tests="hidden")
    first, *others = of_index(grade)
    assert (first.state, first.cause) == ("failed", Cause.LEFT_CHANGED)
    assert first.title.startswith(
        "Calls change nothing else, and return the object that they should, in the check of: The "
        "flat "
    )
    assert {check.state for check in others} == {"open"}


SUM = "return offset + sum(i * s for i, s in zip(index, strides"


@pytest.mark.parametrize(
    ("body", "states", "said"),
    [
        (
            f"{SUM}[1:]))",
            "✗○○",
            "Open: a result in it is wrong, perhaps only by check 4's mistake.",
        ),
        (
            f"{SUM})) + (max(strides, default=0) > 2**39)",
            "✓✓✗",
            "The answer is not the expected one.",
        ),
        ("return {}[tuple(index)]", "✗○○", "Open: it fails as check 4 does."),
    ],
    ids=["wrong values", "wrong where they are large", "a KeyError"],
)
def test_one_mistake_is_told_once(quick_grader, submit, body, states, said):
    """A check's own rule is broken only by code that breaks nothing before it"""
    folder = submit(strides=f"{STRIDES}\n\n{HEAD}{body}\n")
    grade = quick_grader.grade(folder, only=["storage_index"], tests="hidden")
    (exercise,) = report(grade).exercises
    assert "".join(check.mark for check in exercise.checks) == f"✓✓✓{states}✓✓✓✓✓"
    assert exercise.checks[5].words.startswith(said)
