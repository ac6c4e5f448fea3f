"""Processes with a grader each: none is left behind, and a fault costs one grader."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from grader.classroom import engine
from grader.faults import GraderFault
from tests.harness.conftest import MAX_WAIT, wait_until
from tests.harness.processes import is_alive

HOLDER = """
import os, sys, time
from functools import partial
from grader.classroom import engine

class Begun:
    def __init__(self, folder):
        open(os.path.join(folder, f"process-{os.getpid()}"), "w").close()

    def __exit__(self):
        pass

def work(_, folder, i):
    while i:
        time.sleep(0.01)

if __name__ == "__main__":
    folder = sys.argv[1]
    try:
        with engine.started(partial(Begun, folder), 1) as graders:
            tasks = [graders.submit(work, folder, i) for i in range(100)]
            tasks[0].result()
            if sys.argv[2] == "raises":
                raise KeyError("enough")
            print("ready", flush=True)
            tasks[-1].result()
    except KeyError:
        print("raised", flush=True)
"""


@pytest.fixture
def holder(tmp_path):
    """Starts a program that holds an engine with waiting work; kills it afterwards."""
    script = tmp_path / "holder.py"
    script.write_text(HOLDER, encoding="utf-8")
    started = []

    def start(how):
        command = [sys.executable, str(script), str(tmp_path), how]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for program in started:
        program.kill()
        program.wait()
        program.stdout.close()
    for process in tmp_path.glob("process-*"):
        with suppress(ProcessLookupError):
            os.kill(int(process.name.removeprefix("process-")), signal.SIGKILL)


@pytest.mark.parametrize("signal_sent", [signal.SIGTERM, signal.SIGKILL])
def test_processes_end_with_their_parent(holder, tmp_path, signal_sent):
    program = holder("waits")
    assert program.stdout.readline() == "ready\n"
    (process,) = [int(f.name.removeprefix("process-")) for f in tmp_path.glob("process-*")]
    assert is_alive(process)
    program.send_signal(signal_sent)
    program.wait()
    gone = wait_until(lambda: not is_alive(process))
    assert gone, "the process outlived the one that held its engine"


def test_an_exception_ends_work_that_never_would(holder, tmp_path):
    assert holder("raises").communicate(timeout=MAX_WAIT)[0] == "raised\n"


class Failing:
    """A grader of which the first has a fault."""

    made = 0

    def __init__(self):
        Failing.made += 1
        self.number = Failing.made

    def __exit__(self):
        Failing.made += 10


def fails_with_the_first(grader, text):
    if grader.number == 1:
        raise GraderFault("the first")
    return text, grader.number


def always_fails(grader):
    raise GraderFault(f"grader {grader.number}")


def test_work_is_done_again_by_a_new_grader_after_a_fault():
    with engine.started(Failing, 1) as graders:
        assert graders.submit(fails_with_the_first, "done").result() == ("done", 12)
        with pytest.raises(GraderFault, match="grader 23"):
            graders.submit(always_fails).result()
