"""What a worker answers too early, and what a worker that dies leaves unanswered."""

from pathlib import Path

import pytest

from grader.judge import limits, process
from grader.judge.failure import SubmissionFailure
from grader.results.causes import Cause
from tests.harness.conftest import wait_until


def test_answer_before_the_question_is_never_read(sandboxed):
    """However well its number was guessed."""
    implementation = sandboxed(
        probe="import os, sys\n"
        "from grader import wire\n"
        "def f():\n"
        "    caller = sys._getframe(1)\n"
        "    while 'channel' not in caller.f_locals:\n"
        "        caller = caller.f_back\n"
        "    local = caller.f_locals\n"
        "    forged = b''\n"
        "    for number in (local['call_id'], local['call_id'] + 1):\n"
        "        parts = wire.encode(number, {'result': 'forged'})\n"
        "        forged += b''.join(bytes(part) for part in parts)\n"
        "    os.write(local['channel'], forged)  # at once, so both lie there\n"
        "    return 'honest'\n"
    )
    assert implementation.probe.f() == "forged"  # its own answer: any value is as good
    with pytest.raises(SubmissionFailure) as caught:
        implementation.probe.f()
    assert caught.value.cause is Cause.PROTOCOL


def test_answer_counts_though_the_process_ended_right_after_it(sandboxed, monkeypatch):
    """The judge looks at the process after the answer came, and before it read it"""
    implementation = sandboxed(probe="def f():\n    return bytes(100)\n")
    implementation.probe.f()
    running = implementation._worker

    def ended(_: int) -> None:
        assert wait_until(running.has_answer)

    monkeypatch.setattr(process, "resident", ended)
    monkeypatch.setattr(limits, "_CHECK_SECONDS", 600.0)  # not between the calls
    assert implementation.probe.f() == bytes(100)


def test_peak_of_a_process_that_is_gone_is_its_own_fault(sandboxed):
    """Whoever dies after an answer cannot be measured: that must not read as "took nothing"."""
    implementation = sandboxed(
        probe="import os, threading\n"
        "def f():\n"
        "    threading.Timer(0.05, os._exit, [0]).start()\n"
        "    return bytes(100)\n"
    )
    assert implementation.probe.f() == bytes(100)
    pid = implementation._worker.pid
    assert wait_until(lambda: "VmHWM" not in Path(f"/proc/{pid}/status").read_text())
    with pytest.raises(SubmissionFailure) as caught:
        implementation.peak_rss()
    assert caught.value.cause is Cause.DIED
