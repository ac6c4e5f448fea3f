"""The judge's end of a zygote's control socket: requests, and replies in the same order."""

from __future__ import annotations

import json
import socket
from collections import deque
from collections.abc import Sequence
from typing import Any

from grader.judge.failure import GraderFault

# A zygote that is gone is noticed at once. One that lives may first have to remove thousands of a
# submission's files from a busy disk: 22 s have been seen.
_REPLY_SECONDS = 300
_MAX_MESSAGE = 65536  # bytes
_MAX_DESCRIPTORS = 4


class Reply:
    """The reply to one request, which may not have arrived yet."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self.message: dict[str, Any] | None = None
        self.descriptors: list[int] = []

    def wait(self) -> dict[str, Any]:
        """Returns the message once it is there; raises GraderFault if none comes."""
        while self.message is None:
            self._control.read_reply()
        return self.message


class Control:
    """A connected control socket.

    Args:
        connection: a SOCK_SEQPACKET socket, one message for each packet.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._pending: deque[Reply] = deque()

    def request(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> Reply:
        """Sends a request and does not wait for its reply; raises GraderFault as `send` does."""
        self.send(message, descriptors)
        self._pending.append(reply := Reply(self))
        return reply

    def drain(self) -> None:
        """Waits until every request has its reply."""
        while self._pending:
            self.read_reply()

    def read_reply(self) -> None:
        """Waits for the next reply and hands it to its request; raises as `receive` does."""
        message, descriptors = self.receive(_REPLY_SECONDS)
        reply = self._pending.popleft()
        reply.message, reply.descriptors = message, descriptors

    def send(self, message: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Sends one message; raises GraderFault if the zygote is gone."""
        try:
            socket.send_fds(self._socket, [json.dumps(message).encode()], list(descriptors))
        except OSError as error:
            raise GraderFault(f"the zygote cannot be reached: {error}") from error

    def receive(self, seconds: float) -> tuple[dict[str, Any], list[int]]:
        """Waits for one message and its descriptors; raises GraderFault if none comes in time."""
        try:
            self._socket.settimeout(seconds)
            data, descriptors, _, _ = socket.recv_fds(self._socket, _MAX_MESSAGE, _MAX_DESCRIPTORS)
        except OSError as error:
            self.close()  # a late reply would be taken for the next one; the workers end too
            raise GraderFault(f"the zygote does not answer: {error}") from error
        if not data:
            raise GraderFault("the zygote is gone")
        return json.loads(data), list(descriptors)

    def close(self) -> None:
        """Closes this process's end. Once every process has, the zygote and its workers end."""
        self._socket.close()
