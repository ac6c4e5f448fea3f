"""storage_index: ends its first thread, and sleeps in another one for which the kernel shows no memory"""

import ctypes
import threading
import time

libc = ctypes.CDLL(None)
EXIT = 60 if ctypes.sizeof(ctypes.c_void_p) and __import__("platform").machine() == "x86_64" else 93


def sleep():
    while True:
        time.sleep(100)


def storage_index(index, strides, offset=0):
    threading.Thread(target=sleep, daemon=True).start()
    libc.syscall(EXIT, 0)
    return 0
