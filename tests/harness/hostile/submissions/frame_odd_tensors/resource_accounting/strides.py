"""storage_index: sends tensors whose shapes overflow, or have no bytes, no dtype or 200 dimensions"""

import os
import random
import stat
import struct
import sys

from grader.wire import frames


def channel():
    for fd in range(3, 100):
        try:
            if stat.S_ISSOCK(os.fstat(fd).st_mode):
                return fd
        except OSError:
            pass


def current():
    frame = sys._getframe(1)
    while "call_id" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["call_id"]


def tensor(tag, dtype, shape, size, data=b""):
    head = tag + struct.pack("<I", len(dtype)) + dtype + bytes([len(shape)])
    head += b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<Q", size)
    return head + bytes(-(len(RESULT) + len(head)) % 16) + data


RESULT = b"{\x01\x00\x00\x00s\x06\x00\x00\x00result"
BODIES = [
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


def storage_index(index, strides, offset=0):
    body = RESULT + random.choice(BODIES)
    os.write(channel(), frames.HEADER.pack(frames.MAGIC, current(), len(body)) + body)
    os._exit(0)
