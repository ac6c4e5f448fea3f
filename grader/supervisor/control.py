"""The judge's end of a zygote's control socket: requests, and replies in the same order."""

from __future__ import annotations

import io
import os
import socket
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from grader.faults import GraderFault
from grader.wire import messages

# A zygote that is gone is noticed immediately. One that lives may first have to remove thousands of
# a submission's files from a busy disk: 22 s have been seen.
_REPLY_SECONDS = 300
M = TypeVar("M")


class Folder:
    """Owns a descriptor of a folder, as a file object owns that of a file."""

    def __init__(self, number: int) -> None:
        self._number = number

    def fileno(self) -> int:
        """The descriptor; raises ValueError once it is closed."""
        if self._number < 0:
            raise ValueError("the folder is closed")
        return self._number

    def close(self) -> None:
        """Closes it, once."""
        number, self._number = self._number, -1
        if number >= 0:
            os.close(number)

    __del__ = close


Descriptor = io.FileIO | Folder


class PendingReply:
    """The reply to one request, which may not have arrived yet; its descriptors belong to it."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self.message: messages.Request | messages.Reply | None = None
        self.descriptors: list[Descriptor] = []

    def wait(self, kind: type[M]) -> M:
        """Returns the reply once it is there; raises GraderFault for `Failed`, or if none comes."""
        while self.message is None:
            self._control.read_reply()
        if isinstance(self.message, messages.Failed):
            raise GraderFault(self.message.reason)
        if not isinstance(self.message, kind):  # an AssertionError would be taken for a verdict
            raise GraderFault("the zygote replied to another request")
        return self.message


class Control:
    """A connected control socket, of the kind SOCK_SEQPACKET: one message for each packet."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._pending: deque[PendingReply] = deque()

    def request(self, message: messages.Request, descriptors: Sequence[int] = ()) -> PendingReply:
        """Sends a request and does not wait for its reply; raises GraderFault as `send` does."""
        reply = PendingReply(self)
        with self._closed_if_interrupted():
            self.send(message, descriptors)
            self._pending.append(reply)
        return reply

    def drain(self) -> None:
        """Waits until every request has its reply."""
        while self._pending:
            self.read_reply()

    def read_reply(self) -> None:
        """Waits for the next reply and hands it to its request; raises as `receive` does."""
        with self._closed_if_interrupted():
            message, descriptors = self.receive(_REPLY_SECONDS)
            reply = self._pending.popleft()
            reply.message, reply.descriptors = message, descriptors

    def send(self, message: messages.Request, descriptors: Sequence[int] = ()) -> None:
        """Sends one message; raises GraderFault if the zygote is gone."""
        try:
            messages.send(self._socket, message, descriptors)
        except OSError as error:
            self.close()  # had it been sent, the next request would be given its reply
            raise GraderFault(f"the zygote cannot be reached: {error}") from error

    def receive(self, seconds: float) -> tuple[messages.Request | messages.Reply, list[Descriptor]]:
        """Waits for one reply and its descriptors.

        If none comes in time, closes the connection and raises GraderFault. A reply whose
        descriptors cannot be received, since too many files are open, becomes `Failed`.
        """
        try:
            self._socket.settimeout(seconds)
            message, descriptors = messages.receive(self._socket)
            return message, [_owner_of(number) for number in descriptors]
        except EOFError:
            raise GraderFault("the zygote is gone") from None
        except messages.DescriptorsLost as error:
            return messages.Failed(reason=f"the zygote's reply cannot be taken: {error}"), []
        except OSError as error:
            self.close()  # a late reply would be taken for the next one; the workers end too
            raise GraderFault(f"the zygote does not answer: {error}") from error

    @contextmanager
    def _closed_if_interrupted(self) -> Iterator[None]:
        """Closes the connection if an exception, such as a signal's, interrupts the block.

        Otherwise replies would be matched with the wrong requests.
        """
        try:
            yield
        except GraderFault:  # it is closed, or at its end
            raise
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes this process's end. Once every process has, the zygote and its workers end."""
        self._socket.close()


def _owner_of(descriptor: int) -> Descriptor:
    if stat.S_ISDIR(os.fstat(descriptor).st_mode):
        return Folder(descriptor)
    return os.fdopen(descriptor, "rb", 0)
