"""Lets the judge see a worker's syncs and renames as the kernel does.

In a worker that is forked for it, a seccomp filter makes these calls wait for the judge: the kernel
announces each one on a descriptor, which the worker sends to the judge and closes before anything
else. The usual filter follows, and lets no worker take such a descriptor.

Which file a call means is found out by a child of the zygote, which becomes the worker's user: in a
container not even root may look at the descriptors of another user's process.
"""

from __future__ import annotations

import array
import contextlib
import os
import platform
import socket
import struct
from pathlib import Path
from typing import NoReturn

from assignment.file_calls import MOST, File, digest_of, file_of
from grader import messages
from grader.worker import kernel, seccomp
from grader.worker.sandbox import Sandbox

# In a scratch folder, with the bytes of their names: the reply must fit into one message, where
# JSON writes a byte as up to six.
_MAX_FILES, _MAX_NAMES = 150, 7000
_NOTIFY = 0x7FC00000
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_SYNCS, _RENAMES = ("fsync", "fdatasync"), ("rename", "renameat", "renameat2")


def program(machine: str = platform.machine()) -> bytes:
    """The filter that makes the calls wait."""
    architecture, numbers = seccomp.numbers_of(machine)
    lines = [*seccomp._load(seccomp._ARCH_AT)]
    lines += seccomp._return_unless(seccomp._JUMP_EQUAL, architecture, seccomp._ALLOW)
    lines += seccomp._load(seccomp._NUMBER_AT)
    for name in (*_SYNCS, *_RENAMES):
        if name in numbers:
            lines += seccomp._return_if(seccomp._JUMP_EQUAL, numbers[name], _NOTIFY)
    return b"".join([*lines, seccomp._return(seccomp._ALLOW)])


def announce_to(watch: int) -> None:
    """Makes this process's calls wait from now on; closes `watch` when that is sent.

    Raises:
        OSError: the kernel is older than Linux 5.5, or something outside of the grader watches
            this process's calls already.
    """
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    instructions = array.array("B", program())
    address, size = instructions.buffer_info()
    filter_program = struct.pack("@HP", size // 8, address)
    number = _SECCOMP[platform.machine()]
    listener = kernel.syscall(number, _SET_MODE_FILTER, _NEW_LISTENER, filter_program)
    numbers = seccomp.numbers_of(platform.machine())[1]
    syncs = messages.SYNC_NUMBERS.pack(*(numbers[name] for name in _SYNCS))
    with socket.socket(fileno=watch) as connection:
        socket.send_fds(connection, [syncs], [listener])
    os.close(listener)


def look(sandbox: Sandbox, request: messages.LookAtFiles, control: socket.socket) -> NoReturn:
    """Answers the request on the control socket, and ends this process: with 0 if that worked."""
    try:
        scratch = f"{sandbox.run}/scratch/{request.scratch}"
        names, too_many = _names_in(scratch)
        sandbox.become_like(request.pid, request.uid)
        kernel.prctl(kernel.PR_SET_DUMPABLE, 0)  # the worker is the same user
        if request.descriptor < 0:
            names = _with_digests(names, Path(scratch))
        held, file = [], None
        if request.descriptor >= 0:
            with contextlib.suppress(OSError):  # the worker has no such descriptor, or has ended
                path = f"/proc/{request.pid}/fd/{request.descriptor}"
                held.append(os.open(path, os.O_PATH))
                file = file_of(os.fstat(held[0]), digest_of(Path(path), MOST, follow=True))
                held = held if os.path.isfile(path) else []  # noqa: PTH113
        found = messages.Files(names={**names}, file=file, too_many=too_many)
        messages.send(control, found, held)
        os._exit(0)
    finally:
        os._exit(1)


def _with_digests(names: dict[str, File], scratch: Path) -> dict[str, File]:
    """The files with digests of what their user may read of them, as long as that is little."""
    most, found = MOST, dict(names)
    for name, file in names.items():
        if not file.is_folder and file.size <= most:
            most -= file.size
            found[name] = file._replace(digest=digest_of(scratch / name, file.size))
    return found


def _names_in(scratch: str) -> tuple[dict[str, File], bool]:
    """The files of a scratch folder, and whether there are more than fit into a message."""
    found: dict[str, File] = {".": file_of(os.stat(scratch))}  # noqa: PTH116
    room = _MAX_NAMES
    todo = [scratch]
    while todo:
        # It may be removed meanwhile, or closed to its own user.
        with contextlib.suppress(OSError), os.scandir(todo.pop()) as entries:
            for entry in entries:
                name = os.fsencode(entry.path[len(scratch) + 1 :]).decode(errors="replace")
                room -= len(name.encode())
                if room < 0 or len(found) > _MAX_FILES:
                    return found, True
                found[name] = file = file_of(entry.stat(follow_symlinks=False))
                if file.is_folder:
                    todo.append(entry.path)
    return found, False
