"""Files that a submission leaves for a reader: each fails the submission, and soon.

A reader that parses a file runs in a worker under the limits of the test. Nothing that it finds is
a fault of the grader. Those that parse nothing are in `supervisor/test_left_files.py`.
"""

import pytest
import torch

from assignment.manifest import Limits
from grader.causes import Cause
from grader.judge.verdict import cause_of

MODULE = """
import _thread
import itertools
import os
from pathlib import Path

import torch


def make(name, path):
    globals()[name](path)


def nothing(path):
    pass


def whole(path, value=None):
    torch.save([torch.arange(1000.0)] if value is None else value, path)


def cut_off(path):
    whole(path)
    Path(path).write_bytes(Path(path).read_bytes()[:-500])


def code(path):
    class Code:
        def __reduce__(self):
            return os.system, ("touch " + path + ".ran",)

    whole(path, Code())


def in_itself(path):
    value = []
    value.append(value)
    whole(path, value)


def laughs(path):
    value = []
    for _ in range(30):
        value = [value] * 10
    whole(path, value)


def exabytes_of_one_element(path):
    whole(path, torch.zeros(1).expand(2**60))


def many_files(path):
    Path(path + ".kept").touch()
    os.mkdir(path)
    try:
        for i in range(10_000):  # more are refused, by the file system or by the judge
            os.close(os.open(f"{path}/{i}", os.O_CREAT | os.O_WRONLY))
    except OSError:
        pass


def changes(path):
    Path(path).touch()

    def run():
        with open(path, "r+b", 0) as file:
            for i in itertools.count():
                os.pwrite(file.fileno(), b"%d" % i, 0)

    _thread.start_new_thread(run, ())  # which `threading` does not count
"""


@pytest.fixture
def leave(sandboxed):
    """Lets a submission leave something; returns its implementation and the path."""

    def leave(name):
        impl = sandboxed(files=MODULE, limits=Limits(seconds=2.0, memory_mib=512))
        path = str(impl.scratch / "left")
        impl.files.make(name, path)
        return impl, path

    return leave


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("nothing", Cause.EXCEPTION),
        ("cut_off", Cause.EXCEPTION),
        ("in_itself", Cause.EXCEPTION),
        ("laughs", Cause.TIMEOUT),
        ("exabytes_of_one_element", Cause.NOT_PLAIN_DATA),
    ],
)
def test_what_is_no_checkpoint_fails_the_submission(leave, name, cause):
    impl, path = leave(name)
    with pytest.raises(Exception) as failed:
        impl.readers.tensors_in(path)
    assert cause_of(failed.value, requests=1) is cause


def test_code_in_a_checkpoint_does_not_run(leave):
    impl, path = leave("code")
    with pytest.raises(Exception, match="Weights only load failed"):
        impl.readers.tensors_in(path)
    assert impl.readers.names_in(str(impl.scratch)) == ["left"]


def test_checkpoint_without_damage_is_read(leave):
    impl, path = leave("whole")
    assert torch.equal(impl.readers.tensors_in(path)[0], torch.arange(1000.0))


def test_as_many_files_as_a_worker_may_have_are_listed_and_removed(leave):
    impl, path = leave("many_files")
    assert len(impl.readers.names_in(path)) > 1000
    impl.readers.leave_only(f"{path}.kept")
    assert impl.readers.names_in(str(impl.scratch)) == ["left.kept"]


def test_file_that_changes_until_its_process_ends_is_read_afterwards(leave):
    impl, path = leave("changes")
    first = impl.readers.file_bytes(path)
    assert impl.readers.file_bytes(path) == first
