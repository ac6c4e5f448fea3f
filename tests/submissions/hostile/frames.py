"""Attacks by frames to the judge: forged, odd, too many, or out of turn."""

import atexit
import contextlib
import os
import random
import signal
import struct
import sys
import time
import weakref

import numpy as np
import torch

from .channel import RESULT, channel, channels, current, frame, raw_frame, serving, write
from .reward import right

answered = set()


def frame_twice(index, strides, offset=0):
    """storage_index: answers rightly, and each call twice"""
    if len(index) != len(strides) or any(i < 0 for i in index):
        raise ValueError("no")
    answer = right(index, strides, offset)
    write(frame(current(), {"result": answer}))
    return answer


def frame_wrong_id(index, strides, offset=0):
    """storage_index: answers another call than the one that was made"""
    number, calls = current(), serving()["request"]["calls"]
    if number not in answered:
        answered.add(number)
        answers = [{"result": right(*args, **kwargs)} for _, args, kwargs in calls]
        write(frame(number + 1, {"result": answers}))
    return right(index, strides, offset)


def frame_huge(index, strides, offset=0):
    """storage_index: announces a frame of exabytes"""
    write(raw_frame(current(), bytes(1000), size=2**62))


def frame_counts(index, strides, offset=0):
    """storage_index: announces a list of four billion items"""
    write(raw_frame(current(), RESULT + b"[\xff\xff\xff\xff"))


def frame_deep(index, strides, offset=0):
    """storage_index: sends lists within lists, 100 000 deep"""
    write(raw_frame(current(), b"[\x01\x00\x00\x00" * 100_000 + b"N"))


def frame_garbage(index, strides, offset=0):
    """storage_index: writes random bytes to the channel"""
    write(os.urandom(100_000))


def frame_half(index, strides, offset=0):
    """storage_index: sends half a frame and is gone"""
    write(raw_frame(current(), bytes(500), size=1000))
    os._exit(0)


def frame_same_hash(index, strides, offset=0):
    """storage_index: sends a dict whose keys all have one hash, which takes hours to build"""
    many = 400_000
    parts = [RESULT, b"{", many.to_bytes(4, "little")]
    for i in range(10, many + 10):
        parts += [b"I\x10\x00\x00\x00", (i * (2**61 - 1)).to_bytes(16, "little"), b"N"]
    write(raw_frame(current(), b"".join(parts)))


def frame_unknown_failure(index, strides, offset=0):
    """storage_index: claims failures that are the grader's own, so that nothing counts"""
    claims = ("grader_fault", "prerequisite", "needs_cuda", "timeout", "passed", "")
    kind = claims[sum(index) % len(claims)]
    write(frame(current(), {"failed": kind, "state": "passed", "points": 100}))
    os._exit(0)


def frame_odd_fields(index, strides, offset=0):
    """storage_index: claims an exception in words that are tensors, arrays and long lists"""
    odd = [np.arange(3), torch.arange(3), [1] * 10_000, {"a": b"b"}, 2**4000]
    claim = dict(zip(("exception", "type", "message", "trace"), odd))
    write(frame(current(), {"failed": "exception", **claim, "line": 2**4000}))
    os._exit(0)


def frame_drips(index, strides, offset=0):
    """storage_index: sends its answer a byte at a time, so that something always seems to come"""
    for byte in frame(current(), {"result": right(index, strides, offset)}):
        write(bytes([byte]))
        time.sleep(0.2)


def tensor(tag, dtype, shape, size, data=b""):
    head = tag + struct.pack("<I", len(dtype)) + dtype + bytes([len(shape)])
    head += b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<Q", size)
    return head + bytes(-(len(RESULT) + len(head)) % 16) + data


def frame_odd_tensors(index, strides, offset=0):
    """storage_index: sends tensors whose shapes overflow, or without bytes, or of 200 dimensions"""
    bodies = [
        tensor(b"t", b"int64", [2**63, 2], 0),
        tensor(b"t", b"int64", [2**64 - 1, 2**64 - 1], 8, bytes(8)),
        tensor(b"t", b"int64", [2**40, 0], 0),
        tensor(b"t", b"int64", [2**32, 2**32, 0], 0),
        tensor(b"t", b"int64", [1] * 200, 8, bytes(8)),
        tensor(b"t", b"int64", [2], 8, bytes(8)),
        tensor(b"t", b"qint8", [8], 8, bytes(8)),
        tensor(b"t", b"int64", [2**27], 2**30),
        tensor(b"a", b"<i8", [2**61], 2**64 - 8),
        tensor(b"a", b"|O", [1], 8, bytes(8)),
        tensor(b"a", b"\xff\xfe", [1], 8, bytes(8)),
        tensor(b"n", b"V8", [], 0),
    ]
    write(raw_frame(current(), RESULT + random.choice(bodies)))
    os._exit(0)


def bodies_with_several(answer):
    """Bodies of frames that start as a right one does."""
    whole = frame(0, {"result": answer})[len(raw_frame(0, b"")) :]
    entry = whole[5:]
    yield b"{\x02\x00\x00\x00" + entry + entry
    yield b"{\x02\x00\x00\x00" + entry + b"s\x06\x00\x00\x00failedN"
    yield b"{\x02\x00\x00\x00" + entry + b"s\x06\x00\x00\x00pointsi" + bytes([100] + [0] * 7)
    yield whole + whole
    yield whole + b"\x00"
    yield whole[:-1]
    yield b"[\x01\x00\x00\x00" + whole
    yield b"(\x02\x00\x00\x00s\x06\x00\x00\x00result" + entry[11:]
    yield entry[11:]


def frame_two_answers(index, strides, offset=0):
    """storage_index: puts several answers into one frame, and marks beside them"""
    answer = right(index, strides, offset)
    write(raw_frame(current(), random.choice(list(bodies_with_several(answer)))))
    os._exit(0)


def claims_to_be_missing(index, strides, offset=0):
    """storage_index: claims that it is missing, not begun, of another form or not to be imported"""
    kind = random.choice(["missing", "not_started", "wrong_signature", "import_failed"])
    claim = {"failed": kind, "message": "x", "points": 100, "state": "not_run"}
    write(frame(current(), claim))
    os._exit(0)


def echoes_the_request(index, strides, offset=0):
    """storage_index: answers each call with the call, in the judge's own words"""
    request = {"call": "strides.storage_index", "args": (index, strides, offset), "kwargs": {}}
    write(frame(current(), request))
    os._exit(0)


def answers_with_functions(index, strides, offset=0):
    """storage_index: answers with functions and generators by number, as only the judge may send"""
    for tag in (b"f", b"g"):
        write(raw_frame(current(), RESULT + tag + bytes(4)))
    os._exit(0)


def replaces_the_channel(index, strides, offset=0):
    """storage_index: puts a pipe of its own in the place of the judge's socket"""
    answer = frame(current(), {"result": right(index, strides, offset)})
    reads, writes = os.pipe()
    os.dup2(writes, channel())
    os.write(writes, answer)
    return os.read(reads, 2**16)


def speak(number):
    """Claims marks on every socket."""
    for fd in channels():
        with contextlib.suppress(OSError):
            os.write(fd, frame(number, {"state": "passed", "points": 100}))


class Flushed:
    encoding, errors, closed = "utf-8", "strict", False

    def __init__(self, number):
        self.number = number

    def write(self, text):
        return len(text)

    def flush(self):
        speak(self.number)


def flush_speaks(index, strides, offset=0):
    """storage_index: replaces stdout by an object whose flush answers for the function"""
    sys.stdout = sys.stderr = sys.__stdout__ = Flushed(current())
    return 0


class Collected:
    def __init__(self, number):
        self.number, self.me = number, None

    def __del__(self):
        speak(self.number)


def acts_when_collected(index, strides, offset=0):
    """storage_index: speaks from __del__, a weak reference's callback, a finalizer and atexit"""
    number = current()
    first, second = Collected(number), Collected(number)
    second.me = second  # for the garbage collector
    weakref.finalize(first, speak, number)
    first.watched = weakref.ref(second, lambda _: speak(number))
    atexit.register(speak, number)
    return 0


def tick(number, interrupted):
    for fd in channels():
        with contextlib.suppress(OSError):
            os.write(fd, b"tick")


def timer_writes(index, strides, offset=0):
    """storage_index: has timers interrupt the serve loop all the time, and writes there"""
    for which, number in (
        (signal.ITIMER_REAL, signal.SIGALRM),
        (signal.ITIMER_VIRTUAL, signal.SIGVTALRM),
        (signal.ITIMER_PROF, signal.SIGPROF),
    ):
        signal.signal(number, tick)
        signal.setitimer(which, 1e-4, 1e-4)
    end = time.monotonic() + 0.05
    while time.monotonic() < end:
        pass
    return 0
