"""Frames to and from the judge, in a worker. The judge trusts nothing that comes from here."""

from __future__ import annotations

import os
from typing import Any

from assignment.calls import plain
from grader.wire import arguments, frames


def send(channel: int, call_id: int, value: Any, what: str = "the answer") -> None:
    """Sends one frame; raises plain.NotPlainData before anything is sent."""
    try:
        parts = [memoryview(part) for part in frames.encode(call_id, value, what)]
    except plain.NotPlainData:
        raise
    except Exception as error:  # a tensor's methods may be the submission's
        raise plain.NotPlainData(f"{what} cannot be sent: {type(error).__name__}") from error
    while parts:
        sent = os.writev(channel, parts[:16])
        while parts and sent >= parts[0].nbytes:
            sent -= parts.pop(0).nbytes
        if parts:
            parts[0] = parts[0][sent:]


def receive(channel: int, stand_in: arguments.StandIn | None = None) -> tuple[int, Any]:
    """Waits for one frame, and returns its call id and value; exits if the judge is gone."""
    header = memoryview(bytearray(frames.HEADER.size))
    _fill(channel, header)
    call_id, length = frames.decode_header(bytes(header), arguments.ARGUMENT_CAPS)
    body = frames.new_body(length)
    _fill(channel, body)
    return call_id, arguments.decode(body, stand_in)


def _fill(channel: int, buffer: memoryview) -> None:
    filled = 0
    while filled < len(buffer):
        received = os.readv(channel, [buffer[filled:]])
        if not received:
            os._exit(0)  # the judge needs this worker no longer
        filled += received
