"""The worker's end of calls that wait for the judge."""

import os
import signal
import socket
import tempfile

import pytest

from grader.worker import looks
from tests.harness.conftest import wait_until
from tests.harness.processes import is_alive


@pytest.mark.parametrize("watch", ["changes", "syncs"])
def test_worker_whose_judge_is_gone_does_not_wait_for_it(watch):
    """The kernel's descriptor would stay open in the worker alone, which then waits for itself"""
    judges, workers = socket.socketpair()
    judges.close()
    with tempfile.TemporaryFile() as file:
        if not (pid := os.fork()):
            try:
                looks.announce_to(watch, workers.detach())
            except BrokenPipeError:
                try:
                    os.fsync(file.fileno()) if watch == "syncs" else os.write(file.fileno(), b"x")
                except OSError:
                    os._exit(7)  # nobody takes the call
            os._exit(1)
        workers.close()
        ended = wait_until(lambda: not is_alive(pid), 60.0)
        os.kill(pid, signal.SIGKILL)
        assert ended
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
