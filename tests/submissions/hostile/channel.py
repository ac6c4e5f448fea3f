"""The socket to the judge, and frames on it, for attacks that speak in the serve loop's place."""

import os
import stat
import sys

from grader.wire import frames

RESULT = b"{\x01\x00\x00\x00s\x06\x00\x00\x00result"  # how the body of an answer begins


def channels():
    for fd in range(3, 128):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            pass


def channel():
    return next(channels(), None)


def serving():
    """The variables of the serve loop, which made this call."""
    frame = sys._getframe(1)  # its own would be kept, and with it all that its callers hold
    while "call_id" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals


def current():
    """The id of the call that is to be answered."""
    return serving()["call_id"]


def frame(number, value):
    return b"".join(map(bytes, frames.encode(number, value)))


def raw_frame(number, body, size=None):
    """A frame with any bytes in it, which may claim to be of another size."""
    return frames.HEADER.pack(frames.MAGIC, number, len(body) if size is None else size) + body


def write(data):
    while data:
        data = data[os.write(channel(), data) :]
