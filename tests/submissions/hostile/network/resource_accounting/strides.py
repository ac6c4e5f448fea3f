"""storage_index: calls for help by TCP, UDP, unix, abstract, netlink, packet and vsock sockets"""

import ctypes
import itertools
import socket
import urllib.request

from .reward import right_if_any_is_done

libc = ctypes.CDLL(None, use_errno=True)


def attempts():
    for pair in itertools.product((1, 2, 10, 16, 17, 38, 40), (1, 2, 3, 5)):
        yield lambda pair=pair: got(libc.socket(*pair, 0))
        yield lambda pair=pair: got(libc.socketpair(*pair, 0, (ctypes.c_int * 2)()))
    yield lambda: socket.socket(socket.AF_UNIX).connect("\0grader")
    yield lambda: socket.create_connection(("127.0.0.1", 80), 0.1)
    yield lambda: socket.getaddrinfo("example.org", 80)
    yield lambda: urllib.request.urlopen("http://127.0.0.1/", timeout=0.1)
    yield lambda: socket.fromfd(3, socket.AF_UNIX, socket.SOCK_STREAM).getpeername()
    yield lambda: got(libc.syscall(425, 8, (ctypes.c_char * 200)()))  # io_uring_setup


def got(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "no")


storage_index = right_if_any_is_done(attempts)
