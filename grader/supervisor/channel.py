"""Requests to one worker and its messages, as frames over its socket."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import termios
import time
from collections.abc import Callable, Sequence
from typing import Any

from assignment.calls import plain
from grader.causes import Cause
from grader.faults import SubmissionFailure, WorkerEnded
from grader.supervisor.meter import Timer
from grader.supervisor.process import OutputPipe
from grader.supervisor.watching import Listener
from grader.wire import arguments, frames

_PIECE = 2**16  # bytes: a worker that has sent so many of a message may wait for their reading


class Channel:
    """The judge's end.

    Takes a non-blocking stream socket. Whenever it waits it reads what the worker prints, so that
    the worker cannot block on it, and answers the calls that the listener announces.
    """

    def __init__(
        self, connection: socket.socket, output: OutputPipe, listener: Listener | None = None
    ) -> None:
        self._socket, self._output, self._listener = connection, output, listener
        self._readable = select.poll()
        self._readable.register(connection, select.POLLIN)
        self.call_id = 0  # of the last request, and how many there were; 0 before any
        self._needed = 0  # bytes that the worker owes the judge; 0 while the judge sends

    def ask(
        self,
        request: Any,
        timer: Timer,
        number_of: Callable[[Any], int] | None = None,
        room: frames.Caps = frames.DEFAULT_CAPS,
    ) -> tuple[Any, frames.Caps]:
        """Sends a request, and receives the first message of that call.

        Raises:
            plain.NotPlainData: the request is not plain data, or too large.
            SubmissionFailure: the worker spoke before; and what `receive` raises.
            WorkerEnded: the worker has ended; and what the timer raises.
        """
        if self.has_answer():
            if self.is_closed():
                raise WorkerEnded
            raise SubmissionFailure(Cause.PROTOCOL, "the worker spoke before it was asked")
        parts = arguments.encode(self.call_id + 1, request, number_of=number_of)
        self.call_id += 1
        self._write(parts, timer)
        del parts  # large ones make room for the answer
        return self.receive(timer, room)

    def reply(self, message: Any, timer: Timer, room: frames.Caps) -> frames.Caps:
        """Answers a use within the call; returns the room that is left. Raises as `ask` does.

        The use's arguments may have asked for more than there is room: also SubmissionFailure.
        """
        try:
            parts = arguments.encode(self.call_id, message, caps=room)
        except plain.NotPlainData as error:
            raise SubmissionFailure(Cause.PROTOCOL, f"a use was given too much: {error}") from error
        return room._replace(size=room.size - self._write(parts, timer))

    def _write(self, parts: Sequence[bytes | bytearray | memoryview], timer: Timer) -> int:
        """Sends a whole message; returns its bytes. Raises WorkerEnded, and what the timer does."""
        views = [memoryview(part) for part in parts]
        size = sum(view.nbytes for view in views)
        while views:
            try:
                sent = os.writev(self._socket.fileno(), views[:16])
            except BlockingIOError:
                self._wait(select.POLLOUT, timer, needed=0)
                continue
            except (BrokenPipeError, ConnectionResetError):
                raise WorkerEnded from None
            while views and sent >= views[0].nbytes:
                sent -= views.pop(0).nbytes
            if views:
                views[0] = views[0][sent:]
        return size

    def receive(
        self, timer: Timer, room: frames.Caps = frames.DEFAULT_CAPS
    ) -> tuple[Any, frames.Caps]:
        """Receives a message within the call: its value, and the room that is left after it.

        The timer ends the wait, and is charged the CPU time that decoding takes.

        Raises:
            SubmissionFailure: it is too large, or no frame of this protocol.
            WorkerEnded: the worker ended before it was complete.
        """
        try:
            self._wait(select.POLLIN, timer, needed=1)
            header = memoryview(bytearray(frames.HEADER.size))
            self._fill(header, timer)
            answered, length = frames.decode_header(bytes(header), room)
            if answered != self.call_id:
                raise frames.FrameError("the answer belongs to another call")
            body = frames.new_body(length)
            self._fill(body, timer)
            began = time.thread_time()
            try:
                value, items = frames.decode(body, room)
            finally:
                timer.charge(time.thread_time() - began)
            return value, room._replace(size=room.size - length, items=room.items - items)
        except frames.FrameTooLargeError as error:
            raise SubmissionFailure(Cause.TOO_LARGE, str(error)) from error
        except frames.FrameError as error:
            raise SubmissionFailure(Cause.PROTOCOL, str(error)) from error

    def _fill(self, buffer: memoryview, timer: Timer) -> None:
        filled = 0
        while filled < len(buffer):
            try:
                got = os.readv(self._socket.fileno(), [buffer[filled:]])
            except BlockingIOError:
                self._wait(select.POLLIN, timer, min(len(buffer) - filled, _PIECE))
                continue
            except ConnectionResetError:
                got = 0
            if not got:
                raise WorkerEnded
            filled += got

    def _wait(self, event: int, timer: Timer, needed: int) -> None:
        """Waits for the socket; meanwhile reads the output and answers the listener's calls."""
        self._needed = needed
        poll = select.poll()
        poll.register(self._socket, event)
        poll.register(self._output, select.POLLIN)
        listener = self._listener
        calls_fd = listener.fileno() if listener is not None and listener.is_open else None
        if calls_fd is not None:
            poll.register(calls_fd, select.POLLIN)
        while True:
            happened = dict(poll.poll(timer.wait() * 1000 + 1))
            if self._output.fileno() in happened and not self._output.drain():
                poll.unregister(self._output)
            if listener is not None and calls_fd in happened:
                poll.unregister(calls_fd)
                if happened[calls_fd] & select.POLLIN:  # else the worker has ended
                    with timer.paused():
                        listener.answer()
                    if listener.is_open:
                        calls_fd = listener.fileno()
                        poll.register(calls_fd, select.POLLIN)
            ready = self._socket.fileno() in happened
            # A worker that sends a byte now and then has not answered.
            has_answered = ready and self.is_judges_turn()
            try:
                timer.check(waiting=not has_answered)
            except WorkerEnded:
                if not self.has_answer():  # one that came before the worker's end counts
                    raise
            if ready:
                return

    def has_answer(self) -> bool:
        """Whether an answer, or the end of the stream, can be read."""
        if self._socket.fileno() < 0:  # its number may be another file's by now
            raise ValueError("the channel is closed")
        return bool(self._readable.poll(0))

    def is_judges_turn(self) -> bool:
        """Whether the worker waits for the judge.

        Its announced system call waits; or the judge reads, and what it reads next has come; or the
        judge writes, and all of it was read.
        """
        if self._listener is not None and self._listener.is_waited_for():
            return True
        if self._needed:
            return self._waiting_bytes(termios.FIONREAD) >= self._needed
        return not self._waiting_bytes(termios.TIOCOUTQ)

    def _waiting_bytes(self, direction: int) -> int:
        """Bytes in the socket that wait to be read: FIONREAD here, TIOCOUTQ by the worker."""
        (count,) = struct.unpack("i", fcntl.ioctl(self._socket, direction, bytes(4)))
        return int(count)

    def is_closed(self) -> bool:
        """Whether the worker's end is closed, and everything it sent has been read."""
        try:
            return not self._socket.recv(1, socket.MSG_PEEK)
        except OSError:
            return True
