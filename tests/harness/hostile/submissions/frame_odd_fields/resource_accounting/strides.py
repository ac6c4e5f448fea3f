"""storage_index: claims an exception in words that are tensors, arrays and long lists"""

import os
import stat
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
    frame = sys._getframe()
    while "call_id" not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals["call_id"]


def frame(number, value):
    return b"".join(bytes(part) for part in frames.encode(number, value))


import numpy as np
import torch


def storage_index(index, strides, offset=0):
    odd = [np.arange(3), torch.arange(3), [1] * 10_000, {"a": b"b"}, 2**4000]
    claim = {name: odd[i] for i, name in enumerate(("exception", "type", "message", "trace"))}
    os.write(channel(), frame(current(), {"failed": "exception", **claim, "line": 2**4000}))
    os._exit(0)
