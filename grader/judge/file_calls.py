"""A worker's syncs and renames, as the kernel announces them to the judge.

`grader/worker/file_calls.py` has the worker's end. Each call waits until the judge has noted it:
nothing here relies on what the worker says.
"""

from __future__ import annotations

import errno
import fcntl
import io
import select
import socket
import struct
from collections.abc import Callable

from assignment.file_calls import Call, File, Names
from grader import messages
from grader.judge.control import PendingReply
from grader.judge.failure import GraderFault, SubmissionFailure
from grader.results.causes import Cause

MAX_CALLS = 100  # for a worker; a save makes three to six
_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # requests to the listener
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_CONTINUE = 1


class Listener:
    """Announces the syncs and renames of one worker, and lets them pass.

    Args:
        connection: a socket on which the worker sends the kernel's descriptor. It belongs to this
            object now.

    Attributes:
        calls: what was announced until now.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._file: io.FileIO | None = None
        self._look: Callable[[int], PendingReply] | None = None
        self._syncs: tuple[int, ...] = ()  # the kernel's numbers of these calls
        self._held: list[io.FileIO] = []  # synced files: no new file gets the number of their inode
        self.calls: list[Call] = []

    def open(self, look: Callable[[int], PendingReply]) -> None:
        """Takes what the worker has sent in its lockdown.

        Args:
            look: asks for the worker's files, and for the one behind a descriptor of the worker's.
        """
        self._connection.setblocking(False)
        try:
            sent, descriptors, _, _ = socket.recv_fds(self._connection, 16, 1)
            self._syncs = messages.SYNC_NUMBERS.unpack(sent)
            self._file = io.FileIO(descriptors[0], "rb")
        except (OSError, struct.error, IndexError) as error:
            raise GraderFault("a worker sent no descriptor for its calls") from error
        self._look = look

    @property
    def is_open(self) -> bool:
        return self._file is not None and not self._file.closed

    def fileno(self) -> int:
        """The kernel's descriptor."""
        assert self._file is not None, "open() comes first"
        return self._file.fileno()

    def is_waited_for(self) -> bool:
        """Whether a call waits for the judge."""
        return self.is_open and bool(select.select([self], [], [], 0)[0])

    def answer(self) -> None:
        """Notes the call that waits, and lets it pass.

        Raises:
            SubmissionFailure: these are more calls or files than any correct code needs.
            GraderFault: the files cannot be looked at.
        """
        announced = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.fileno(), _RECEIVE, announced)
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise GraderFault(f"a worker's call cannot be seen: {error}") from error
            return  # the call was interrupted
        identity, _, _, number, _, _, first, *_ = _NOTIFICATION.unpack(announced)
        if len(self.calls) >= MAX_CALLS:
            raise SubmissionFailure(Cause.DISK, f"more than {MAX_CALLS} syncs and renames")
        self._note(first if number in self._syncs else None)
        try:
            answer = _ANSWER.pack(identity, 0, 0, _CONTINUE)
            fcntl.ioctl(self.fileno(), _SEND, answer)
        except FileNotFoundError:  # the call was interrupted, and did nothing
            self.calls.pop()

    def _note(self, argument: int | None) -> None:
        """Notes a call; `argument` is that of a sync."""
        assert self._look is not None, "open() comes first"
        reply = self._look(-1 if argument is None else argument & 0x7FFFFFFF)
        found = reply.wait(messages.Files)
        self._held += reply.descriptors
        self.calls.append(Call(names(found), File(*found.file) if found.file else None))

    def close(self) -> None:
        """Closes all descriptors; calls that come later fail with ENOSYS."""
        self._connection.close()
        for file in (self._file, *self._held):
            if file is not None:
                file.close()


def names(found: messages.Files) -> Names:
    """The files of a reply; raises SubmissionFailure if they did not fit into it."""
    if found.too_many:
        raise SubmissionFailure(Cause.DISK, "more files than any correct save needs")
    return {name: File(*file) for name, file in found.names.items()}
