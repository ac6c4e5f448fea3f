"""Checks what must be true for every frame that a worker can send, whatever bytes it holds.

`Checker.check` reads a frame as the judge does: first the decoder, then the readers of answers. The
result is either a FrameError, or a plain value that is no larger than its frame and is an answer,
a failure that the judge knows, or a use of a function of the test's. Reading must not take more
memory or more steps than the length of the frame allows.

A step is a call of a function, in Python or in C. The number of steps depends only on the frame,
not on the machine. A campaign also passes a clock, to find single calls that are slow.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable
from types import FrameType, ModuleType
from typing import Any

import numpy as np
import torch

from assignment.calls import plain
from grader.wire import frames
from tests.fuzz.nodes import values_in
from tests.fuzz.readers import (
    Finding,
    check_answer,
    check_answers,
    check_bytecode,
    check_import,
    check_use,
)

CAPS = frames.Caps(size=2**20, items=2000)  # small, so that small frames reach them
HEADER = frames.HEADER.size
# Limits: a constant for each frame, plus an amount for each of its bytes.
SLACK = 128 * 1024  # bytes of memory for each frame
PER_BYTE = 64  # bytes of memory: an empty dict is 5 bytes of a frame and 64 in memory
SLACK_STEPS = 200  # steps for each frame
STEPS = 4  # steps to decode a byte: an honest value of one byte takes 3
READ_STEPS = 1  # steps to read a decoded byte: readers use few fields
SLACK_NS = 3_000_000  # nanoseconds for each frame
TIMES = 4  # decoding may take this many times the slowest honest frame of the same length
READ_NS = 100  # nanoseconds to read a decoded byte: readers copy little


_REFUSED = object()


Clock = Callable[[], int]


def nanoseconds_a_byte(decoder: ModuleType, clock: Clock) -> int:
    """Time for each byte of an honest frame of one-byte values, the slowest kind."""
    many = CAPS.items - 1
    body = _new_body(b"[" + many.to_bytes(4, "little") + b"N" * many)
    return max(min(_timed(clock, decoder.decode, body, CAPS)[0] for _ in range(5)) // len(body), 1)


def _timed(clock: Clock, function: Any, *args: Any) -> tuple[int, Any]:
    """The time that a call takes, and its result."""
    began = clock()
    result = function(*args)
    return clock() - began, result


def steps(function: Any, *args: Any) -> int:
    """The number of function calls in a call, itself included."""
    count = 0

    def counts(frame: FrameType, event: str, arg: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    outer, collects = sys.getprofile(), gc.isenabled()
    gc.disable()  # a collection calls what others left
    sys.setprofile(counts)
    try:
        function(*args)
    finally:
        sys.setprofile(outer)
        if collects:
            gc.enable()
    return count


class Checker:
    """Checks frames. Counts all in `frames`, and those that were decoded in `values`.

    Args:
        decoder: the module `grader.wire`, or a copy of it.
        clock: a clock in nanoseconds. If there is one, no frame may take much longer than an honest
            frame of its length. Only campaigns use it: a person checks what they find.
    """

    def __init__(self, decoder: ModuleType = frames, clock: Clock | None = None) -> None:
        self.frames = self.values = 0
        self._decoder, self._clock = decoder, clock
        self._ns_a_byte = TIMES * nanoseconds_a_byte(decoder, clock) if clock else 0

    def check(self, frame: bytes, thorough: bool = True) -> None:
        """Reads one frame. `thorough` also measures memory and steps, and sends the value back.

        Raises:
            Finding: the frame broke a rule.
        """
        self.frames += 1
        body = self._body(frame)
        if body is None:
            return
        value = self._in_time(self._ns_a_byte, len(body), self._decode, body)
        if value is not _REFUSED:
            self.values += 1
            _Examiner().examine(value, len(body))
            self._in_time(READ_NS, len(body), _read, value)
            _check_steps(READ_STEPS, len(body), _read, value)
        if thorough:
            self._check_memory(body)
            _check_steps(STEPS, len(body), self._decode, body)
            if value is not _REFUSED:
                self._check_whole(body, value)
                _check_return(value)

    def _in_time(self, ns_a_byte: int, length: int, function: Any, *args: Any) -> Any:
        """Calls a function; with a clock, its time is limited by the length of the body."""
        if self._clock is None:
            return function(*args)
        spent, result = _timed(self._clock, function, *args)
        allowed = SLACK_NS + ns_a_byte * length
        if spent > allowed:  # try again: the garbage collector may have run
            spent = min(_timed(self._clock, function, *args)[0] for _ in range(3))
        if spent > allowed:
            raise Finding(f"to {_name(function)} {length} bytes took {spent / 1e6:.0f} ms")
        return result

    def _body(self, frame: bytes) -> memoryview | None:
        """The body that the judge would decode; None if it would reject the header or wait."""
        try:
            _, length = self._decoder.decode_header(frame[:HEADER], CAPS)
        except self._decoder.FrameError as error:
            _check_words(error)
            return None
        except Exception as error:
            raise Finding(f"the header raised {type(error).__name__}") from error
        if length > CAPS.size:
            raise Finding("the header announces more than the cap")
        return None if length > len(frame) - HEADER else _new_body(frame[HEADER : HEADER + length])

    def _decode(self, body: memoryview) -> Any:
        try:
            return self._decoder.decode(body, CAPS)[0]
        except self._decoder.FrameError as error:
            _check_words(error)
            return _REFUSED
        except Exception as error:
            raise Finding(f"decoding raised {type(error).__name__}: {error}") from error

    def _check_whole(self, body: memoryview, value: Any) -> None:
        """Checks that every byte counts and that every value of the frame is read."""
        examiner = _Examiner()
        examiner.examine(value, len(body))
        if examiner.items != (written := values_in(bytes(body))):
            raise Finding(f"{examiner.items} values were read of {written} written")
        for other in (body[:-1], bytes(body) + b"N"):
            if self._decode(_new_body(other)) is not _REFUSED:
                raise Finding(f"a value was read from {len(body)} bytes and from {len(other)}")

    def _check_memory(self, body: memoryview) -> None:
        tracemalloc.start()
        try:
            value = self._decode(body)
            if value is not _REFUSED:
                _read(value)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        if peak > SLACK + PER_BYTE * len(body):
            raise Finding(f"{len(body)} bytes took {peak} bytes of memory")


def _check_steps(per_byte: int, length: int, function: Any, *args: Any) -> None:
    taken, allowed = steps(function, *args), SLACK_STEPS + per_byte * length
    if taken > allowed:
        raise Finding(
            f"to {_name(function)} {length} bytes took {taken} steps; {allowed} are allowed"
        )


def _name(function: Any) -> str:
    return str(function.__name__).strip("_")


def _read(value: Any) -> None:
    """Reads a value as each kind of answer that the judge expects."""
    check_use(value)
    check_answer(value)
    check_answers(value)
    check_bytecode(value)
    check_import(value)


def _check_words(error: Exception) -> None:
    words = str(error)
    if len(words) > 80 or not words.isascii() or not words.isprintable():
        raise Finding(f"a FrameError quotes what it met: {words!r}")


# --- what was read -------------------------------------------------------------------------------


class _Examiner:
    """Walks through a value: exact types, within the caps, not larger than its body."""

    def __init__(self) -> None:
        self.items = self.held = 0

    def examine(self, value: Any, size: int) -> None:
        self._walk(value, 0)
        if self.items > CAPS.items:
            raise Finding(f"{self.items} values were read; {CAPS.items} may be")
        if self.held > size:
            raise Finding(f"{self.held} bytes of content came out of {size}")

    def _walk(self, value: Any, depth: int) -> None:
        self.items += 1
        if depth > CAPS.depth:
            raise Finding(f"a value is {depth} levels deep")
        kind = type(value)
        if kind is list or kind is tuple:
            for item in value:
                self._walk(item, depth + 1)
        elif kind is dict:
            for key, item in value.items():
                if type(key) not in (str, int, bool):
                    raise Finding(f"a key is {type(key).__name__}")
                if type(key) is int and not -(2**63) <= key < 2**63:
                    raise Finding("a key has more than 64 bits")
                self._walk(key, depth + 1)
                self._walk(item, depth + 1)
        elif kind is str or kind is bytes:
            self.held += len(value)
        elif kind is int:
            if value.bit_length() > 8 * CAPS.integer:
                raise Finding(f"an int has {value.bit_length()} bits")
        elif kind is torch.Tensor:
            self._tensor(value)
        elif kind is np.ndarray:
            self._array(value)
        elif not (
            value is None
            or kind in (bool, float)
            or value in frames.TORCH_NAMES
            or (isinstance(value, np.dtype) and value.str in frames.NUMPY_DTYPES)
        ):
            raise Finding(f"a value is {kind.__name__}")

    def _tensor(self, tensor: torch.Tensor) -> None:
        self.held += tensor.nbytes
        dense = tensor.layout is torch.strided and tensor.is_contiguous()
        if not dense or tensor.device.type != "cpu" or tensor.requires_grad:
            raise Finding(f"a tensor is {tensor.layout} on {tensor.device}")
        end = tensor.storage_offset() * tensor.itemsize + tensor.nbytes
        if end > tensor.untyped_storage().nbytes():
            raise Finding("a tensor reaches beyond its storage")
        if tensor.dtype is torch.bool and tensor.numel() and tensor.view(torch.uint8).max() > 1:
            raise Finding("a bool is neither 0 nor 1")

    def _array(self, array: np.ndarray) -> None:
        self.held += array.nbytes
        if array.dtype.str not in frames.NUMPY_DTYPES or not array.flags.c_contiguous:
            raise Finding(f"an array is of {array.dtype}")
        if array.dtype.kind == "b" and array.size and array.view(np.uint8).max() > 1:
            raise Finding("a bool is neither 0 nor 1")


# --- the way back --------------------------------------------------------------------------------


def _check_return(value: Any) -> None:
    """Checks that the value can be sent and gives the same bytes again."""
    try:
        sent = _sent(value)
        back = _sent(frames.decode(_new_body(sent), CAPS)[0])
    except (plain.NotPlainData, frames.FrameError) as error:
        raise Finding(f"what was read cannot be sent: {error}") from error
    if sent != back:
        raise Finding("a value changed on its way back")


def _sent(value: Any) -> bytes:
    parts = frames.encode(1, value, caps=CAPS)
    return b"".join(bytes(part) for part in parts[1:])


def _new_body(data: bytes | memoryview) -> memoryview:
    body = frames.new_body(len(data))
    body[:] = data
    return body
