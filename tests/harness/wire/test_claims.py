"""What a student reads about a failure: the exception and their own lines, each field checked."""

import pytest

from grader.authoring.variants import copy_reference
from grader.causes import Cause
from grader.wire.claims import failure_detail, import_report
from tests.harness.assignment.messages import mistakes as messages
from tests.harness.conftest import REPOSITORY
from tests.harness.results.example_grade import student_text

DTYPES = (REPOSITORY / "solutions" / "resource_accounting" / "dtypes.py").read_text()
FRAME = ["resource_accounting/flops.py", 12, "mlp_flops"]


def detail(*frames, **fields):
    answer = {"failed": "exception", "type": "KeyError", "message": "'B'", "frames": list(frames)}
    return failure_detail(answer | fields, "flops.mlp_flops")


def test_detail_has_the_exception_and_the_submissions_lines():
    assert detail(FRAME, ["resource_accounting/own/deep.py", 3, "<lambda>"]) == (
        "KeyError: 'B'\n"
        "  resource_accounting/flops.py:12 in mlp_flops\n"
        "  resource_accounting/own/deep.py:3 in <lambda>"
    )


def test_detail_without_lines_names_the_call():
    assert detail() == "flops.mlp_flops: KeyError: 'B'"
    assert failure_detail({"failed": "memory"}, "flops.f") == "flops.f: memory"


ODD_FILES = (
    *(None, b"resource_accounting/flops.py", "flops.py", "/etc/passwd"),
    *("/resource_accounting/flops.py", "../resource_accounting/flops.py"),
    *("resource_accounting/flops.txt", "resource_accounting/a b.py"),
    *("resource_accounting/flops.py\n", "resource_accounting/\x1b[31m.py", "a/" * 200 + "flops.py"),
)
ODD_LINES = (None, -1, 10**7, True, 1.5)


@pytest.mark.parametrize(
    "frame",
    [
        *(None, [], FRAME[0], tuple(FRAME), FRAME[:2], [*FRAME, 1]),
        *([file, 12, "f"] for file in ODD_FILES),
        *([FRAME[0], line, "f"] for line in (0, *ODD_LINES)),
        *([FRAME[0], 12, name] for name in ("f g", "f" * 81, None)),
    ],
    ids=repr,
)
def test_frame_of_unknown_form_is_left_out(frame):
    assert detail(frame, FRAME) == "KeyError: 'B'\n  resource_accounting/flops.py:12 in mlp_flops"


def test_lengths_are_limited():
    frames = [["p/" + "m" * 80 + ".py", 10**7 - 1, "f" * 80]] * 10_000
    text = detail(*frames, type="T" * 10_000, message="m" * 10_000)
    assert len(text) < 3000
    assert text.count("\n") == 8


CHANGE = ("resource_accounting/flops.py", 12, "gc.isenabled() is False")


@pytest.mark.parametrize(
    "change",
    [
        *(None, list(CHANGE), CHANGE[:2], (*CHANGE, 1), (CHANGE[0], 12, None)),
        *((file, 12, "x") for file in ODD_FILES),
        *((CHANGE[0], line, "x") for line in ODD_LINES),
    ],
    ids=repr,
)
def test_change_of_unknown_form_is_left_out(change):
    assert import_report({"changes": [change, CHANGE]}).changes == [CHANGE]


@pytest.mark.parametrize("changes", [None, 7, "text", {}, (CHANGE,), [CHANGE[0]]], ids=repr)
def test_changes_of_unknown_form_are_none(changes):
    assert import_report({"changes": changes}).changes == []


def test_changes_are_limited():
    found = import_report({"changes": [(CHANGE[0], 0, "x" * 10_000)] * 10_000}).changes
    assert found == [(CHANGE[0], 0, "x" * 300)] * 100


# --- in a grading ------------------------------------------------------------------------------

RECURSIVE = """
def _deep(n, then):
    return then() if n == 0 else _deep(n - 1, then)

def storage_index(index, strides, offset=0):
    print("asked")
    return _deep(200, lambda: {}["missing"])
"""


def public_checks(grade, exercise):
    return [c for c in written(grade) if c.exercise == exercise and c.visibility == "public"]


def written(grade):
    """The checks of functions that are not missing."""
    return [check for check in grade.checks if check.cause is not Cause.MISSING]


def test_student_reads_own_lines_and_staff_the_whole_traceback(quick_grader, submit):
    grade = quick_grader.grade(submit(strides=RECURSIVE), only=["storage_index"])
    for check in public_checks(grade, "storage_index"):
        error, call, printed = check.shown.partition("  call:     strides.storage_index((")
        assert error == (
            "KeyError: 'missing'\n"
            "  resource_accounting/strides.py:7 in storage_index\n"
            "  resource_accounting/strides.py:3 in _deep\n"
            "  resource_accounting/strides.py:7 in <lambda>\n"
        )
        assert call
        assert printed.endswith("\n\nprinted:\nasked\n")
        assert "calls.py" in check.detail
        assert "printed:\nasked\n" in check.detail
        assert str(REPOSITORY) not in student_text(check)
    hidden = [c for c in written(grade) if c.visibility == "hidden"]
    assert {c.shown for c in hidden} == {None}
    assert all("calls.py" in c.detail for c in hidden)


def test_path_of_own_file_in_a_message_is_shortened(quick_grader, submit):
    text = "def storage_index(*a, **k):\n    raise ValueError(f'in {__file__}')\n"
    grade = quick_grader.grade(submit(strides=text), only=["storage_index"])
    shown = public_checks(grade, "storage_index")[0].shown
    assert shown.startswith("ValueError: in resource_accounting/strides.py\n")


def test_code_that_is_not_finished_is_shown_with_its_place(quick_grader, submit):
    text = "def storage_index(index, strides, offset=0):\n"
    only = ["storage_index"]
    text += "    if index is not None:\n        raise NotImplementedError('see …')\n"
    grade = quick_grader.grade(submit(strides=text), only=only)
    assert {c.cause for c in written(grade)} == {Cause.UNFINISHED}
    assert all("Error: see …" in c.shown for c in public_checks(grade, "storage_index"))
    assert all("NotImplementedError" in c.detail for c in written(grade))


@pytest.mark.parametrize(
    ("module", "what", "call"),
    [
        ("strides", "in reverse order", "row_major_strides((4, 4))"),
        ("dtypes", "bits instead of bytes", "bytes_per_element(torch.float32)"),
    ],
)
def test_failure_is_shown_as_in_the_students_own_run(grader, tmp_path, module, what, call):
    """Of the calls of a test, its message has the one that gave the wrong answer"""
    mistakes = messages.read(messages.HERE / f"{module}.txt")
    mistake = next(m for m in mistakes if m.what == what)
    file = copy_reference(tmp_path) / f"{module}.py"
    file.write_text(f"{file.read_text(encoding='utf-8')}\n\n{mistake.code}\n", encoding="utf-8")
    grade = grader.grade(tmp_path, only=[mistake.exercise], tests="public", timing="skip")
    (check,) = [c for c in grade.checks if c.test == f"test_{module}::{mistake.test}"]
    assert f"call:     {module}.{call}" in check.shown
    assert " ".join(check.shown.split()) in " ".join(mistake.message.split())


def test_failed_import_inside_a_library_names_the_students_line(quick_grader, submit):
    text = "import json\nfrom resource_accounting import strides\n"
    other = "import json\n\nx = json.loads('{')\n"
    grade = quick_grader.grade(submit(dtypes=text, strides=other), only=["bytes_per_element"])
    (report,) = grade.modules
    assert (report.file, report.line) == ("resource_accounting/strides.py", 3)


def test_module_without_a_measured_exercise_may_be_missing(grader, submit):
    """Without a CUDA device no exercise of `performance` is measured"""
    chosen = ["bytes_per_element", "get_batch", "fast_adamw"]
    folder = submit(dtypes=DTYPES)
    grade = grader.grade(folder, only=chosen, timing="skip")
    reports = {report.module: report.ok for report in grade.modules}
    assert reports == {"dtypes": True, "data": False}
    (folder / "resource_accounting" / "performance.py").write_text("import no_such_thing\n")
    grade = grader.grade(folder, only=chosen, timing="skip")
    assert {report.module for report in grade.modules if not report.ok} == {"data", "performance"}
