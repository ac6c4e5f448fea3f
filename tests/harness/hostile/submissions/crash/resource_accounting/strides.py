"""storage_index: overflows the C stack and writes to address 0"""

import ctypes
import sys


def down(n):
    return down(n + 1)


def storage_index(index, strides, offset=0):
    sys.setrecursionlimit(10**9)
    ctypes.memset(0, 0, 1)
    return down(0)
