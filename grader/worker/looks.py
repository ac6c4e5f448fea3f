"""Lets the judge see what a worker does to files, as the kernel does.

In a worker that is forked for it, a seccomp filter makes its syncs and renames wait for the judge,
or all of its changes to files. The kernel announces each one on a descriptor, which the worker
sends to the judge and closes before anything else. The usual filter follows, and lets no worker
take such a descriptor.

Which file a sync means is found out by a child of the zygote, which becomes the worker's user: in a
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

from assignment.calls.file_calls import MAX_CONTENT, File, digest_of, file_of
from grader.sandbox import kernel, seccomp
from grader.sandbox.sandbox import Sandbox
from grader.wire import messages

# In a scratch folder, with the bytes of their names: the reply must fit into one message, where
# JSON writes a byte as up to six.
_MAX_FILES, _MAX_NAMES = 150, 7000
_NOTIFY = 0x7FC00000
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _NEW_LISTENER = 1, 8
_SYNCS, _RENAMES = ("fsync", "fdatasync"), ("rename", "renameat", "renameat2")
_WRITES = ("write", "writev", "pwrite64", "pwritev", "sendfile", "copy_file_range")
_CHANGES = ("creat", "ftruncate", "truncate", "mkdir", "mkdirat", "rmdir", "unlink", "unlinkat")
_OPENS = {"open": 1, "openat": 2}  # the position of the flags
_TO_WRITE = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
# By what is watched: the calls that wait, and those whose numbers the judge is told.
_WATCHED: dict[messages.Watch, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "syncs": ((*_SYNCS, *_RENAMES), _SYNCS),
    "changes": ((*_SYNCS, *_RENAMES, *_WRITES, *_CHANGES, *_OPENS), _WRITES),
}


def program(watch: messages.Watch, machine: str = platform.machine()) -> bytes:
    """The seccomp filter that makes the watched calls wait, an opening one only if it may write."""
    architecture, numbers = seccomp.numbers_of(machine)
    lines = [*seccomp._load(seccomp._ARCH_AT)]
    lines += seccomp._return_unless(seccomp._JUMP_EQUAL, architecture, seccomp._ALLOW)
    lines += seccomp._load(seccomp._NUMBER_AT)
    for name in sorted(numbers.keys() & set(_WATCHED[watch][0])):
        rule = [seccomp._return(_NOTIFY)]
        if name in _OPENS:
            rule = seccomp._load(seccomp._argument(_OPENS[name]))
            rule += seccomp._return_if(seccomp._JUMP_ANY_BIT, _TO_WRITE, _NOTIFY)
            rule.append(seccomp._return(seccomp._ALLOW))
        lines += [seccomp._instruction(seccomp._JUMP_EQUAL, numbers[name], 0, len(rule)), *rule]
    return b"".join([*lines, seccomp._return(seccomp._ALLOW)])


def announce_to(watch: messages.Watch, judge_socket: int) -> None:
    """Makes this process's calls wait for the judge, and closes the socket to it once it knows.

    Raises:
        OSError: the kernel is older than Linux 5.5, or something outside of the grader watches
            this process's calls already.
    """
    kernel.prctl(kernel.PR_SET_NO_NEW_PRIVS, 1)
    instructions = array.array("B", program(watch))
    address, size = instructions.buffer_info()
    filter_program = struct.pack("@HP", size // 8, address)
    number = _SECCOMP[platform.machine()]
    listener = kernel.syscall(number, _SET_MODE_FILTER, _NEW_LISTENER, filter_program)
    numbers = seccomp.numbers_of(platform.machine())[1]
    told = [numbers.get(name, -1) for name in _WATCHED[watch][1]]
    told += [-1] * (messages.CALL_NUMBERS.size // 4 - len(told))
    try:
        with socket.socket(fileno=judge_socket) as connection:
            socket.send_fds(connection, [messages.CALL_NUMBERS.pack(*told)], [listener])
    finally:  # also where the judge is gone: this process would wait for itself, for ever
        os.close(listener)


def look(sandbox: Sandbox, request: messages.LookAtFiles, control: socket.socket) -> None:
    """Becomes the worker's user, looks, and sends the reply on the control socket."""
    scratch = f"{sandbox.run}/scratch/{request.scratch}"
    names, too_many = _names_in(scratch)
    sandbox.become_like(request.pid, request.uid)
    held, file = [], None
    if request.descriptor < 0:
        names = _with_digests(names, Path(scratch))
    else:
        with contextlib.suppress(OSError):  # the worker has no such descriptor, or has ended
            path = f"/proc/{request.pid}/fd/{request.descriptor}"
            held.append(os.open(path, os.O_PATH))
            file = file_of(os.fstat(held[0]), digest_of(Path(path), MAX_CONTENT, follow=True))
            held = held if os.path.isfile(path) else []  # noqa: PTH113
    messages.send(control, messages.Files(names={**names}, file=file, too_many=too_many), held)


def _with_digests(names: dict[str, File], scratch: Path) -> dict[str, File]:
    """The same, with digests of what this process may read, of `MAX_CONTENT` bytes in all."""
    room, found = MAX_CONTENT, dict(names)
    for name, file in names.items():
        if not file.is_folder and file.size <= room:
            room -= file.size
            found[name] = file._replace(digest=digest_of(scratch / name, file.size))
    return found


def _names_in(scratch: str) -> tuple[dict[str, File], bool]:
    """All that is in a scratch folder, and itself, "."; and whether some did not fit in a reply."""
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
