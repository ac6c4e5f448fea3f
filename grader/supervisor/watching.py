"""System calls of a worker that wait for the judge, and the files that were there just before.

`grader/worker/looks.py` has the worker's end. Nothing here relies on what the worker says.
"""

from __future__ import annotations

import errno
import fcntl
import io
import select
import socket
import struct
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from assignment.calls.file_calls import Call, File, Names
from grader.causes import Cause
from grader.faults import GraderFault, SubmissionFailure
from grader.supervisor.control import Descriptor, PendingReply
from grader.wire import messages

MAX_CHANGES = 10_000  # of a worker; a save makes ten
_RECEIVE, _SEND = 0xC0502100, 0xC0182101  # SECCOMP_IOCTL_NOTIF_*, to the kernel's descriptor
_NOTIFICATION = struct.Struct("=QIIiIQ6Q")
_ANSWER = struct.Struct("=QqiI")
_CONTINUE = 1


class Listener(ABC):
    """Takes seccomp's notifications of one worker's calls, and lets these calls pass.

    It owns `connection`, a socket on which the worker sends the kernel's descriptor for them.
    """

    watch: ClassVar[messages.Watch]  # which calls are announced

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection = connection
        self._file: io.FileIO | None = None
        self._numbers: tuple[int, ...] = ()  # the kernel's, of the calls that the worker named
        self.is_open = True  # something may be announced

    def fileno(self) -> int:
        """The kernel's descriptor, or what that comes on."""
        return self._connection.fileno() if self._file is None else self._file.fileno()

    def is_waited_for(self) -> bool:
        """Whether a call waits for the judge."""
        return self.is_open and bool(select.select([self], [], [], 0)[0])

    def answer(self) -> None:
        """Takes what was announced, and lets that call pass.

        Raises:
            KillProcess: the worker is to be killed instead.
            SubmissionFailure: these are more calls than any correct code needs.
            GraderFault: they cannot be seen.
        """
        if self._file is None:
            self.take_descriptor()
            return
        received = bytearray(_NOTIFICATION.size)
        try:
            fcntl.ioctl(self.fileno(), _RECEIVE, received)
        except OSError as error:
            if error.errno != errno.ENOENT:
                raise GraderFault(f"a worker's call cannot be seen: {error}") from error
            return  # the call was interrupted
        identity, _, _, number, _, _, first, *_ = _NOTIFICATION.unpack(received)
        self._before_call(number in self._numbers, first)
        try:
            fcntl.ioctl(self.fileno(), _SEND, _ANSWER.pack(identity, 0, 0, _CONTINUE))
        except FileNotFoundError:
            self._interrupted()

    @abstractmethod
    def _before_call(self, is_named: bool, argument: int) -> None:
        """Takes note of a call that waits; raises what `answer` raises.

        `is_named` says whether it is one of those that the worker named.
        """

    def _interrupted(self) -> None:  # noqa: B027 - not every kind has to know
        """The call that waited last was interrupted, and did nothing."""

    def take_descriptor(self) -> None:
        """Takes what the worker sent in its lockdown, or closes if it ended; else GraderFault."""
        if self._file is not None or not self.is_open:
            return
        try:
            size = messages.CALL_NUMBERS.size
            sent, descriptors, _, _ = socket.recv_fds(self._connection, size, 1)
            if not sent:
                self.close()
                return
            self._numbers = messages.CALL_NUMBERS.unpack(sent)
            self._file = io.FileIO(descriptors[0], "rb")
        except (OSError, struct.error, IndexError) as error:
            raise GraderFault("a worker sent no descriptor for its calls") from error

    def close(self) -> None:
        """Closes all descriptors; calls that come later fail with ENOSYS."""
        self.is_open = False
        self._connection.close()
        if self._file is not None:
            self._file.close()


class Changes(Listener):
    """Kills a worker just before one of its changes to files.

    Of writes in a row only the first, second, fourth, eighth and so on are moments to kill. So a
    save has few of them, however large it is.
    """

    watch = "changes"

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        self._until_kill = 0  # moments; 0 for no kill
        self._writes_in_a_row = 0
        self._changes = 0
        self.look: Callable[[], None] | None = None  # before each, however many are in a row

    def kill_at(self, number: int) -> None:
        """Kills before the `number`th change from now on."""
        self._until_kill, self._writes_in_a_row = number, 0

    def _before_call(self, is_named: bool, argument: int) -> None:
        """Counts a change, calls `look`, and raises KillProcess at the one to kill before."""
        self._changes += 1
        if self._changes > MAX_CHANGES:
            raise SubmissionFailure(Cause.DISK, f"more than {MAX_CHANGES} changes to files")
        if self.look is not None:
            self.look()
        self._writes_in_a_row = in_a_row = self._writes_in_a_row + 1 if is_named else 0
        if self._until_kill and not in_a_row & (in_a_row - 1):  # 0 or a power of 2
            self._until_kill -= 1
            if not self._until_kill:
                # Not earlier: it imports torch, and the command line imports this module.
                from assignment.calls.callbacks import KillProcess

                raise KillProcess


MAX_CALLS = 100  # for a worker; a save makes three to six


class FileCalls(Listener):
    """Notes the syncs and renames of one worker; those that it names are the syncs."""

    watch = "syncs"

    def __init__(self, connection: socket.socket) -> None:
        super().__init__(connection)
        # Synced files: no new file gets the number of their inode.
        self._held: list[Descriptor] = []
        # Asks for the worker's files, and for the one behind a descriptor of the worker's.
        self.look: Callable[[int], PendingReply] | None = None
        self.calls: list[Call] = []

    def _before_call(self, is_named: bool, argument: int) -> None:
        """Notes a call and the files then; raises SubmissionFailure also for too many files."""
        assert self.look is not None, "nobody has said how to look at the worker's files"
        if len(self.calls) >= MAX_CALLS:
            raise SubmissionFailure(Cause.DISK, f"more than {MAX_CALLS} syncs and renames")
        reply = self.look(argument & 0x7FFFFFFF if is_named else -1)  # -1: no descriptor
        found = reply.wait(messages.Files)
        self._held += reply.descriptors
        self.calls.append(Call(names_of(found), File(*found.file) if found.file else None))

    def _interrupted(self) -> None:
        self.calls.pop()

    def close(self) -> None:
        super().close()
        for file in self._held:
            file.close()


def names_of(found: messages.Files) -> Names:
    """The files of a reply; raises SubmissionFailure if they did not fit into it."""
    if found.too_many:
        raise SubmissionFailure(Cause.DISK, "more files than any correct save needs")
    return {name: File(*file) for name, file in found.names.items()}
