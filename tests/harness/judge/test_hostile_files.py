"""Files that a submission leaves for a reader: each fails the submission, and soon.

A reader runs in a worker under the limits of the test. Nothing that it finds is a fault of the
grader, and nothing makes it wait for what never comes.
"""

import pytest
import torch

from assignment.manifest import Limits
from grader.causes import Cause
from grader.judge.verdict import cause_of

MODULE = '''
import _thread
import itertools
import os
import pickle
import struct
import zipfile
from pathlib import Path

import torch


def make(name, path):
    globals()[name](path)


def folder(path):
    os.mkdir(path)


def closed_folder(path):
    os.mkdir(path, 0)


def closed_file(path):
    os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0))


def sparse(path):
    with open(path, "wb") as file:
        file.truncate(2**28)  # a worker's file can have no more


def nothing(path):
    pass


def whole(path, value=None):
    torch.save([torch.arange(1000.0)] if value is None else value, path)


def damaged(path):
    whole(path)
    data = bytearray(Path(path).read_bytes())
    for place in range(100, len(data), 97):
        data[place] ^= 255
    Path(path).write_bytes(data)


def cut_off(path):
    whole(path)
    Path(path).write_bytes(Path(path).read_bytes()[:-500])


def code(path):
    class Code:
        def __reduce__(self):
            return os.system, ("touch " + path + ".ran",)

    whole(path, Code())


def code_by_other_names(path):
    class Code:
        def __reduce__(self):
            return torch.utils.collect_env.run, ("touch " + path + ".ran",)

    import torch.utils.collect_env
    whole(path, Code())


def pickled(path, stream):
    """A file as torch.save writes it, around any pickle."""
    whole(path)
    with zipfile.ZipFile(path) as archive:
        inside = {n: archive.read(n) for n in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for n, data in inside.items():
            archive.writestr(n, stream if n.endswith("data.pkl") else data)


def deep(path):
    pickled(path, b"\\x80\\x02" + b"]" * 200_000 + b"a" * 199_999 + b".")


def in_itself(path):
    pickled(path, b"\\x80\\x02]q\\x00(h\\x00h\\x00e.")


def laughs(path):
    layers = b""
    for i in range(30):
        layers += b"]q" + bytes([i + 1]) + b"(" + (b"h" + bytes([i])) * 10 + b"e"
    pickled(path, b"\\x80\\x02]q\\x00" + layers + b".")


def much_text(path):
    pickled(path, b"\\x80\\x02X" + struct.pack("<I", 2**32 - 1) + b"x.")


def many_marks(path):
    pickled(path, b"\\x80\\x02" + b"(" * 5_000_000 + b".")


def _with_storage(path, numel, size, stride):
    def number(n):
        return b"\\x8a\\x08" + struct.pack("<q", n)

    stream = b"\\x80\\x02ctorch._utils\\n_rebuild_tensor_v2\\n((X\\x07\\x00\\x00\\x00storage"
    stream += b"ctorch\\nFloatStorage\\nX\\x01\\x00\\x00\\x000X\\x03\\x00\\x00\\x00cpu"
    stream += number(numel)
    stream += b"tQK\\x00" + number(size) + b"\\x85" + number(stride) + b"\\x85"
    stream += b"\\x89ccollections\\nOrderedDict\\n)Rt\\x52."
    pickled(path, stream)


def usual_storage(path):
    _with_storage(path, 1000, 1000, 1)


def huge_storage(path):
    _with_storage(path, 2**60, 1000, 1)


def strides_out_of_the_storage(path):
    _with_storage(path, 1000, 1000, 2**40)


def negative_strides(path):
    _with_storage(path, 1000, 1000, -1)


def exabytes_of_one_element(path):
    _with_storage(path, 1000, 2**60, 0)


def zip_bomb(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(2**26))
        archive.writestr("archive/version", b"3")


def many_files(path):
    Path(path + ".kept").touch()
    os.mkdir(path)
    try:
        for i in range(100_000):
            os.close(os.open(f"{path}/{i}", os.O_CREAT | os.O_WRONLY))
    except OSError:
        pass


def odd_names(path):
    os.mkdir(path)
    os.close(os.open(os.fsencode(path) + b"/\\xff\\xfe", os.O_CREAT | os.O_WRONLY))


def control_characters(path):
    os.mkdir(path)
    for name in ("a\\nb", "\\x1b]0;title\\x07", "-rf", "\\u202e"):
        os.close(os.open(f"{path}/{name}", os.O_CREAT | os.O_WRONLY))


def changes(path):
    Path(path).touch()

    def run():
        with open(path, "r+b", 0) as file:
            for i in itertools.count():
                os.pwrite(file.fileno(), b"%d" % i, 0)

    _thread.start_new_thread(run, ())  # which `threading` does not count
'''
FILES = ("folder", "closed_folder", "closed_file", "nothing")
CHECKPOINTS = (
    *("sparse", "damaged", "cut_off", "code", "code_by_other_names", "deep", "in_itself", "laughs"),
    *("much_text", "many_marks", "huge_storage", "strides_out_of_the_storage"),
    *("negative_strides", "exabytes_of_one_element", "zip_bomb"),
)
OF_THE_SUBMISSION = (
    *(Cause.EXCEPTION, Cause.MEMORY, Cause.NOT_PLAIN_DATA, Cause.TIMEOUT, Cause.TOO_LARGE),
)


@pytest.fixture
def leave(sandboxed):
    """Lets a submission leave something; returns its implementation and the path."""

    def leave(name):
        impl = sandboxed(files=MODULE, limits=Limits(seconds=2.0, memory_mib=512))
        path = str(impl.scratch / "left")
        impl.files.make(name, path)
        return impl, path

    return leave


def cause(function, *args):
    """Why a reader fails."""
    with pytest.raises(Exception) as failed:
        function(*args)
    return cause_of(failed.value, answers=1)


@pytest.mark.parametrize("name", ["symlink", "link", "mkfifo", "mknod"])
def test_submission_can_make_no_link_and_no_pipe(sandboxed, name):
    """So a reader meets none: of a pipe it would wait for what never comes"""
    arguments = '"/etc/passwd", path' if name in ("symlink", "link") else "path"
    impl = sandboxed(files=f"import os\n\n\ndef make(path):\n    os.{name}({arguments})\n")
    with pytest.raises(PermissionError):
        impl.files.make(str(impl.scratch / "left"))


@pytest.mark.parametrize("name", FILES)
def test_what_is_no_file_fails_every_reader(leave, name):
    impl, path = leave(name)
    assert cause(impl.readers.file_bytes, path) is Cause.EXCEPTION
    assert cause(impl.readers.tensors_in, path) is Cause.EXCEPTION
    assert cause(impl.readers.files_bytes, [path]) is Cause.EXCEPTION


@pytest.mark.parametrize("name", CHECKPOINTS)
def test_what_is_no_checkpoint_fails_the_submission(leave, name):
    impl, path = leave(name)
    assert cause(impl.readers.tensors_in, path) in OF_THE_SUBMISSION


@pytest.mark.parametrize("name", ["code", "code_by_other_names"])
def test_code_in_a_checkpoint_does_not_run(leave, name):
    impl, path = leave(name)
    assert cause(impl.readers.tensors_in, path) is Cause.EXCEPTION
    assert impl.readers.names_in(str(impl.scratch)) == ["left"]


def test_same_files_without_damage_are_read(leave):
    for name in ("whole", "usual_storage"):
        impl, path = leave(name)
        assert torch.equal(impl.readers.tensors_in(path)[0], torch.arange(1000.0))
    impl, path = leave("sparse")
    assert impl.readers.file_bytes(path) == bytes(2**20)


def test_names_that_cannot_be_sent_fail_the_submission(leave):
    impl, path = leave("odd_names")
    assert cause(impl.readers.names_in, path) is Cause.NOT_PLAIN_DATA
    impl, path = leave("control_characters")
    assert len(impl.readers.names_in(path)) == 4


def test_as_many_files_as_a_worker_may_have_are_listed_and_removed(leave):
    impl, path = leave("many_files")
    assert len(impl.readers.names_in(path)) > 1000
    impl.readers.leave_only(f"{path}.kept")
    assert impl.readers.names_in(str(impl.scratch)) == ["left.kept"]


def test_file_that_changes_until_its_process_ends_is_read_afterwards(leave):
    impl, path = leave("changes")
    first = impl.readers.file_bytes(path)
    assert impl.readers.file_bytes(path) == first
