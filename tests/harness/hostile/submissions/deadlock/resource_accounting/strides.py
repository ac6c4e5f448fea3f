"""storage_index: waits for a lock that it holds, and holds the GIL in C beside it"""

import threading

lock = threading.Lock()


def storage_index(index, strides, offset=0):
    lock.acquire()
    lock.acquire()
