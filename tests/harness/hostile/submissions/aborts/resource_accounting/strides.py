"""storage_index: ends by SIGABRT, SIGILL, SIGKILL or SIGXCPU of its own"""

import ctypes
import os
import random
import resource
import signal


def storage_index(index, strides, offset=0):
    ways = [
        os.abort,
        lambda: ctypes.CDLL(None).abort(),
        lambda: ctypes.string_at(0, 10),
        lambda: resource.setrlimit(resource.RLIMIT_AS, (1, 1)) or os.abort(),
    ]
    random.choice(ways)()
    signal.raise_signal(signal.SIGKILL)
    os._exit(0)
