"""A GPU in the machine changes no mark. `fake_device` provides a stand-in for one."""

import errno
import json
import os
import resource
import warnings
from contextlib import closing

import pytest
import torch

from assignment.calls import devices
from grader.faults import GraderFault
from grader.judge import race_fixtures  # noqa: F401 - imports TimingRunner before a test replaces it
from grader.supervisor import zygote as zygotes
from grader.supervisor.zygote import Zygote
from tests.harness import warm
from tests.harness.conftest import REPOSITORY, long_unless

# Tests of these train: in workers, and in the judge itself.
EXERCISES = ("mlp_flops", "train_loop", "checkpointed_forward")
# Prints what a zygote's preloading asks of torch that reaches a device, or would if there were one.
PRELOADS = """
import os, sys
for name in ("OMP", "MKL", "OPENBLAS"):
    os.environ[f"{name}_NUM_THREADS"] = "1"
import torch

asked = []

def note(owner, name):
    real = getattr(owner, name)

    def function(*args, **kwargs):
        asked.append(name)
        return real(*args, **kwargs)

    setattr(owner, name, function)

torch._C._cuda_getDeviceCount = lambda: 0  # as a build for CUDA has it
note(torch._C, "_cuda_getDeviceCount")
note(torch.cuda, "is_available")
note(torch.cuda, "device_count")
note(torch.optim.AdamW, "step")
note(torch.autograd.graph, "_engine_run_backward")
torch.autograd._engine_run_backward = torch.autograd.graph._engine_run_backward
from grader.worker import warmup

warmup.preload(with_devices=sys.argv[1] == "of races")
print(*asked, sep=",")
"""


def python(*arguments: str, **environment: str) -> str:
    """What a fresh Python prints, whatever this process's environment says about devices."""
    outside = {k: v for k, v in os.environ.items() if k != "CUDA_VISIBLE_DEVICES"}
    done = warm.run(*arguments, cwd=REPOSITORY, env=outside | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("lanes", "exercises"),
    long_unless([("1", EXERCISES), ("2", EXERCISES[:2])], ("2", EXERCISES[:2])),
)
def test_reference_gets_full_marks_on_a_machine_with_a_device(lanes, exercises):
    """It once lost 17 points of 100 without any fault, or had no score at all with two lanes.

    Workers of races see the device, and can train on it: their zygote sees it and does not touch
    it. Other workers see none.
    """
    result = json.loads(python("-m", "tests.harness.judge.fake_device", lanes, *exercises))
    score, max_score, faults, threads, of_tests, of_races = result
    assert faults == []
    assert score == max_score > 0
    assert threads == 1
    assert of_tests == [False, "privateuseone"]
    assert of_races == [True, "fakecuda"]


def test_device_that_is_not_hidden_breaks_a_fork():
    """Checks the test above: the stand-in breaks forks as a GPU would"""
    fork = (
        "import os; from tests.harness.judge import fake_device; fake_device.install()\n"
        "import torch; train = lambda: (torch.ones(1, requires_grad=True) * 2).backward()\n"
        "train()\n"
        "if not (pid := os.fork()):\n"
        "    try: train()\n"
        "    except RuntimeError as error: print('refused', error, flush=True)\n"
        "    os._exit(0)\n"
        "os.waitpid(pid, 0)\n"
    )
    assert "refused Unable to handle autograd's threading" in python("-c", fork)
    assert python("-c", fork, CUDA_VISIBLE_DEVICES="") == ""


def test_zygote_of_races_counts_no_devices_and_takes_no_step():
    """After any of these on a device, its forks could not use it"""
    assert python("-c", PRELOADS, "of races").strip() == ""
    asked = python("-c", PRELOADS, "of tests").strip().split(",")
    assert {"_engine_run_backward", "step"} <= set(asked)  # the test sees what it looks for
    assert asked[0] == "_cuda_getDeviceCount"


def test_zygote_of_races_gets_the_memory_of_their_tests(grader, monkeypatch):
    """Tests on a device take gigabytes of the host's memory, and no other test does"""
    memory = []
    monkeypatch.setattr("grader.races.runner.TimingRunner", lambda *args: memory.append(args[4]))
    monkeypatch.setattr("grader.judge.run.SubmissionRun", lambda **_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        grader.grade(REPOSITORY / "solutions")
    assert memory == [16384]
    assert grader._max_memory(on_device=False) == 1024


def test_driver_is_not_started_by_counting_hidden_devices(monkeypatch):
    """On an H100 it began a thread, also with devices hidden: no grading was possible there"""
    refused = []

    def count():
        try:
            os.open("/dev/null", os.O_RDONLY)
        except OSError as error:
            refused.append(error.errno)
        warnings.warn("CUDA initialization: Unexpected error", stacklevel=1)

    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    monkeypatch.setattr(torch._C, "_cuda_getDeviceCount", count, raising=False)
    devices.start_no_driver()
    assert refused == [errno.EMFILE]
    assert resource.getrlimit(resource.RLIMIT_NOFILE) == before


def test_zygote_that_cannot_fork_is_refused(monkeypatch):
    """Its workers would fail in every backward pass, as if by the submission's fault"""
    thread = (
        "import _thread, time; _thread.start_new_thread(time.sleep, (600,)); "
        "from grader.worker import warmup; warmup.preload = lambda _: None; from grader.worker"
    )
    boot = zygotes._BOOT.replace("from grader.worker", thread)
    monkeypatch.setattr(zygotes, "_BOOT", boot)
    zygote = Zygote(("none",), ())
    words = r"has 2 threads after preloading: \S+, \S+; expected 1, or no fork works"
    with closing(zygote), pytest.raises(GraderFault, match=words):
        zygote.wait()


def test_zygote_that_holds_a_device_open_reports_a_fault():
    """Its workers would be forks of a process that has started the driver"""
    holds = (
        "from pathlib import Path; from grader.worker import warmup\n"
        "print(warmup.why_forks_would_fail())\n"
        "Path.readlink = lambda self: Path('/dev/nvidia0')\n"
        "print(warmup.why_forks_would_fail())\n"
    )
    assert python("-c", holds).splitlines() == [
        "",
        "the zygote holds /dev/nvidia0 open; preloading must not touch CUDA",
    ]


def test_students_own_tests_see_no_device(tmp_path):
    """`make test` gives the same result on every machine, whatever its environment sets"""
    test = tmp_path / "test_it.py"
    test.write_text(
        "import os\ndef test_it():\n    print('seen', os.environ['CUDA_VISIBLE_DEVICES'])"
    )
    options = ("-m", "pytest", "-p", "assignment.plugin", "-sqc", "/dev/null", str(test))
    assert "seen \n" in python(*options, CUDA_VISIBLE_DEVICES="0")
