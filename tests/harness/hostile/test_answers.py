"""Answers at the wrong time, or from a process that has ended, and files that fill the judge."""

import io
import os
import runpy
import signal
import zipfile
from pathlib import Path

import pytest
import torch

from grader.causes import Cause
from grader.faults import SubmissionFailure
from grader.supervisor import meter
from grader.supervisor.process import Process
from tests.harness.conftest import REPOSITORY, wait_until


def test_answer_before_its_question_is_rejected(sandboxed):
    """Even if it has the right call id"""
    implementation = sandboxed(
        probe="import os, sys\n"
        "from grader.wire import frames\n"
        "def f():\n"
        "    caller = sys._getframe(1)\n"
        "    while 'channel' not in caller.f_locals:\n"
        "        caller = caller.f_back\n"
        "    local = caller.f_locals\n"
        "    forged = b''\n"
        "    for number in (local['call_id'], local['call_id'] + 1):\n"
        "        parts = frames.encode(number, {'result': 'forged'})\n"
        "        forged += b''.join(bytes(part) for part in parts)\n"
        "    os.write(local['channel'], forged)  # both in one write\n"
        "    return 'honest'\n"
    )
    assert implementation.probe.f() == "forged"  # like any answer, it is the submission's to choose
    with pytest.raises(SubmissionFailure) as caught:
        implementation.probe.f()
    assert caught.value.cause is Cause.PROTOCOL


def test_answer_counts_although_the_process_ended_right_after_it(sandboxed, monkeypatch):
    """Here the judge checks the process after the answer has come, and before reading it"""
    implementation = sandboxed(probe="def f():\n    return bytes(100)\n")
    implementation.probe.f()
    running = implementation._worker

    def ended(_: Process, with_files: bool) -> None:
        assert wait_until(running._channel.has_answer)

    monkeypatch.setattr(Process, "resident", ended)
    monkeypatch.setattr(meter, "_CHECK_SECONDS", 600.0)  # no check between calls
    assert implementation.probe.f() == bytes(100)


def test_peak_memory_of_an_ended_process_is_a_failure(sandboxed):
    """It cannot be measured any more, and must not count as 0"""
    implementation = sandboxed(probe="def f():\n    return bytes(100)\n")
    assert implementation.probe.f() == bytes(100)
    pid = implementation._worker.process.pid
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: "VmHWM" not in Path(f"/proc/{pid}/status").read_text())
    with pytest.raises(SubmissionFailure) as caught:
        implementation.peak_rss()
    assert caught.value.cause is Cause.DIED


def test_answer_that_is_sent_back_too_often_for_one_message_is_the_submissions(sandboxed):
    impl = sandboxed(
        toy="def many():\n    return bytes(2**28 - 100)\n\n\ndef takes(values):\n    return True\n"
    )
    many = impl.toy.many()
    assert impl.toy.takes([many[:9]])
    with pytest.raises(SubmissionFailure) as caught:
        impl.toy.takes([many] * 3)
    assert caught.value.cause is Cause.TOO_LARGE


@pytest.mark.parametrize("kind", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_hidden_test_unpacks_no_bomb_that_a_submission_has_written(kind):
    """A test of checkpoints puts code into the submission's own file; it does so in the judge"""
    path = REPOSITORY / "tests" / "hidden" / "test_checkpoint.py"
    hidden = runpy.run_path(str(path))
    bomb, honest = io.BytesIO(), io.BytesIO()
    with zipfile.ZipFile(bomb, "w", kind) as file:
        file.writestr("run/data.pkl", bytes(2**25))
    torch.save({"step": 1}, honest)
    assert hidden["small_entries"](bomb.getvalue()) == {}
    assert len(hidden["with_code"]("/made", bomb.getvalue())) == 2
    assert len(hidden["with_code"]("/made", honest.getvalue())) == 3
