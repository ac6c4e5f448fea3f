"""Messages between the judge and its zygote; `supervisor` and `worker` import them.

Each is one JSON object, a packet of its own on the control socket; descriptors travel with it. The
judge sends `Start` first. The zygote replies to every request, in the same order. Whatever is asked
for, the reply may be `Failed`. End of file means that the other end is gone.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Sequence
from typing import Literal

import msgspec

_MAX_MESSAGE = 65536  # bytes
_MAX_DESCRIPTORS = 4
# What the judge may watch of a worker: nothing, its syncs and renames, or all changes to files.
Watch = Literal["", "syncs", "changes"]
# What a watched worker sends with the descriptor: the kernel's numbers of `Watch`'s syncs, or of
# what writes to a file; -1 for those that this machine's architecture lacks.
CALL_NUMBERS = struct.Struct("=8i")

File = tuple[int, int, int, bool, str]  # as `assignment.calls.file_calls.File`


class _Message(msgspec.Struct, kw_only=True, tag_field="type", tag=True):
    """`type` in the JSON is the name of the class."""


class Grading(msgspec.Struct, frozen=True, kw_only=True):
    """What a zygote knows of its grader's machine and folders."""

    run: str  # its own folder, with `scratch`, `tmp`, `shared`, `submissions` and `trusted`
    hidden: tuple[str, ...]  # folders that no worker may see, even below a readable one
    first_uid: int  # of the users that workers may become, and of their groups
    canary: str  # a file that only the judge may read
    results: str  # a folder that only the judge may write
    with_devices: bool = False  # whether workers may use the machine's CUDA devices


# --- requests ------------------------------------------------------------------------------------


class Start(_Message):
    """Prepares the first tier that holds; `Ready`."""

    tiers: tuple[str, ...]  # as in `supervisor.zygote.Zygote`, and so is the next
    only_try: bool  # after a try the zygote ends
    grading: Grading
    memory: int  # bytes that all workers may hold together
    processes: int  # and threads, that they may have together


class ForkWorker(_Message):
    """Forks a worker; `Forked` with its pidfd. Comes with two descriptors: channel, output.

    With a third one, a socket, some of the worker's calls wait for the judge: the worker sends the
    descriptor on which the kernel announces them, before anything else.
    """

    scratch: str  # the name of its folders for scratch and temporary files
    uid: int  # the user that it becomes, if workers have users of their own
    submission: str  # the folder of the staged submission
    shared: str  # the folder that tests write and the worker may read, by the same path inside
    judge: int  # its process id
    watch: Watch = ""  # which calls those are; "" if the third descriptor is not there


class Reap(_Message):
    """Waits for a worker that was killed, and removes what it wrote; `Reaped`."""

    pid: int
    scratch: str
    keep_scratch: bool


class LookAtFiles(_Message):
    """Looks at a worker's files, from outside and with the worker's rights; `Files`."""

    pid: int  # this and `uid`: as in `MeasureUnlinked`
    uid: int
    scratch: str
    descriptor: int  # one of the worker's, to say which file it means; -1 for none


class MeasureUnlinked(_Message):
    """Measures what a worker keeps on the disk without a name; `Unlinked`."""

    pid: int  # as the judge numbers it
    uid: int  # the worker's user, if workers have users of their own


class OpenScratch(_Message):
    """Opens the scratch folder of a worker that has ended; `Done`, with its descriptor."""

    scratch: str


class RemoveScratch(_Message):
    """Removes a scratch folder that no living worker uses; `Done`."""

    scratch: str


class ForkZygote(_Message):
    """Forks another zygote, which serves the control socket that comes with this; `Done`."""


class GetCpuTime(_Message):
    """`CpuTime` of the zygote and of its reaped workers."""


# --- replies -------------------------------------------------------------------------------------


class Ready(_Message):
    """The zygote serves requests; attributes as in `supervisor.zygote.Zygote`.

    The tier is "" if they were only tried.
    """

    refused: dict[str, str]
    tier: str = ""
    own_uids: bool = False
    control_group: str = ""


class Forked(_Message):
    """A new worker, by the zygote's number for its process."""

    pid: int


class Reaped(_Message):
    """A worker's exit status, as `os.waitpid` gives it."""

    status: int


class Files(_Message):
    """What `LookAtFiles` found.

    Comes with a descriptor of the file that was asked for, if that is a regular one.
    """

    names: dict[str, File]  # all in the scratch folder; the folder itself is "."
    file: File | None  # the one behind the descriptor; None if there is no such file
    too_many: bool  # whether `names` was cut off


class Unlinked(_Message):
    """Bytes on disk of files without a name."""

    size: int


class CpuTime(_Message):
    """CPU time in seconds."""

    seconds: float


class Done(_Message):
    """What was asked for is done."""


class Failed(_Message):
    """What was asked for could not be done."""

    reason: str
    # Whether the machine does not offer any of the tiers; otherwise it refused something, or a fork
    # would not work.
    cannot_isolate: bool = False


Request = (
    Start
    | ForkWorker
    | Reap
    | LookAtFiles
    | MeasureUnlinked
    | OpenScratch
    | RemoveScratch
    | ForkZygote
    | GetCpuTime
)
Reply = Ready | Forked | Reaped | Files | Unlinked | CpuTime | Done | Failed
_DECODER = msgspec.json.Decoder(Request | Reply)


class DescriptorsLost(OSError):
    """A message was read whole, but there is no room for its descriptors."""


def send(connection: socket.socket, message: _Message, descriptors: Sequence[int] = ()) -> None:
    """Sends one message; raises OSError if the other end is gone."""
    socket.send_fds(connection, [msgspec.json.encode(message)], list(descriptors))


def receive(connection: socket.socket) -> tuple[Request | Reply, list[int]]:
    """Waits for one message and its descriptors.

    Raises:
        EOFError: the other end is gone.
        DescriptorsLost: there is no room for the descriptors.
        OSError: nothing can be read, or not in time.
        msgspec.DecodeError: it is none of the messages.
    """
    data, descriptors, flags, _ = socket.recv_fds(connection, _MAX_MESSAGE, _MAX_DESCRIPTORS)
    if flags & socket.MSG_CTRUNC:
        for descriptor in descriptors:
            os.close(descriptor)
        raise DescriptorsLost(errno.EMFILE, os.strerror(errno.EMFILE))
    if not data:
        raise EOFError
    return _DECODER.decode(data), list(descriptors)
