"""The preflight check: before any test a submission's files are compiled, then imported."""

import marshal
import shutil
from importlib.util import MAGIC_NUMBER

import pytest

from assignment.calls.imports import ADVICE
from grader.causes import Cause
from grader.intake.entries import MAX_BYTES
from grader.intake.stage import stage
from grader.judge.preflight import compile_ahead
from grader.results.record import ModuleReport
from grader.supervisor.pool import WorkerPool
from tests.harness.conftest import hidden

_HEADER = 16  # bytes of a compiled file before its code
GOOD = "def matmul_flops(B, D, K):\n    return 2 * B * D * K\n"


@pytest.fixture
def compiled(quick_grader, submit):
    """Compiles a submission; returns the bytecode files that it wrote, by name."""

    def run(**modules):
        quick_grader.prepare()
        manifest = quick_grader.manifest
        place = quick_grader.zygote.submissions / "compiled"
        stage(submit(**modules), place, manifest.package, manifest.modules)
        pool = WorkerPool(quick_grader.zygote, place, manifest.package)
        try:
            compile_ahead(pool, manifest)
            files = (file for file in place.rglob("*.pyc") if not file.name.startswith("__init__"))
            return {file.name: file.read_bytes() for file in files}
        finally:
            pool.close()
            quick_grader.zygote.drain()
            shutil.rmtree(place)

    return run


def test_bytecode_is_that_of_the_file(compiled):
    """It has the path that workers see, and Python does not compare it with the file's time"""
    (data,) = compiled(strides="def f():\n    return 7\n").values()
    assert data[:4] == MAGIC_NUMBER
    assert data[4:8] == b"\x01\0\0\0"  # PEP 552: an unchecked hash
    code = marshal.loads(data[_HEADER:])
    assert code.co_filename.endswith("/resource_accounting/strides.py")
    namespace = {}
    exec(code, namespace)
    assert namespace["f"]() == 7


@pytest.mark.parametrize(
    "text",
    ["def f(:", "x = '\0'", "(" * 300 + ")" * 300, "\ufeff\u2028é =", "x = 1\n  y = 2"],
)
def test_file_that_cannot_be_compiled_is_skipped(compiled, text):
    """The other files are compiled all the same"""
    assert [name.partition(".")[0] for name in compiled(flops=text, strides=GOOD)] == ["strides"]


def test_compiling_runs_no_line_of_the_submission(compiled):
    """Here the import of a module would end the process"""
    assert len(compiled(strides="import os\nos._exit(0)\n", flops=GOOD)) == 2


def test_file_that_takes_too_long_to_compile_costs_its_own_module(quick_grader, submit):
    """It is no grader fault, and other modules are graded"""
    slow = "f(x, 1)\n" * (MAX_BYTES // 8 - 1)
    good = "def bytes_per_element(dtype):\n    return dtype.itemsize\n"
    grade = quick_grader.grade(
        submit(strides=slow, dtypes=good), only=["bytes_per_element", "storage_index"]
    )
    assert grade.faults == ()
    assert {c.cause for c in hidden(grade, "storage_index")} == {Cause.IMPORT_FAILED}
    assert "passed" in {c.state for c in hidden(grade, "bytes_per_element")}


def test_change_by_a_module_of_several_others_is_reported_once(quick_grader, submit):
    text = "from resource_accounting import own\n"
    submission = submit(own="import gc\n\ngc.disable()\n", dtypes=text, strides=text)
    grade = quick_grader.grade(submission, only=["bytes_per_element", "storage_index"])
    (report,) = [report for report in grade.modules if "gc.isenabled()" in report.message]
    assert report == ModuleReport(
        module="own",
        ok=True,
        message=f"line 3: gc.isenabled() is False after the import (it was True)\n{ADVICE}",
        file="resource_accounting/own.py",
    )


def test_change_that_a_worker_makes_up_needs_a_file(quick_grader, submit):
    """It may say anything of its own files, as it may print anything"""
    text = (
        "from assignment.calls import imports\n\n"
        "imports._changes.append(('resource_accounting/none.py', 1, 'x'))\n"
        "imports._changes.append(('resource_accounting/dtypes.py', 1, 'all marks are lost'))\n"
    )
    grade = quick_grader.grade(submit(dtypes=text), only=["bytes_per_element"])
    changed = [report for report in grade.modules if ADVICE in report.message]
    assert [report.module for report in changed] == ["dtypes"]
