"""storage_index: types into terminals, owns, leases, locks, seals and resizes what it holds"""

import fcntl
import os
import struct

from .reward import right_if_any_is_done

TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSCTTY, TIOCSETD = 0x5412, 0x541C, 0x541D, 0x540E, 0x5423
FIOASYNC, SIOCGSTAMP, FS_IOC_SETFLAGS, FICLONE, SIOCSPGRP = (
    0x5452,
    0x8906,
    0x40086602,
    0x40049409,
    0x8902,
)
NS_GET_PARENT, NS_GET_USERNS, TUNSETIFF, KVM_GET_API_VERSION = 0xB702, 0xB701, 0x400454CA, 0xAE00
F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS = 8, 10, 1024, 1026, 1031, 1033
F_SETOWN_EX, F_GETLK, F_SETLK, F_OFD_SETLK, F_SET_RW_HINT = 15, 5, 6, 37, 1036
IOCTLS = (
    *(TIOCSTI, TIOCLINUX, TIOCCONS, TIOCSCTTY, TIOCSETD, FIOASYNC, SIOCGSTAMP, FS_IOC_SETFLAGS),
    *(FICLONE, SIOCSPGRP, NS_GET_PARENT, NS_GET_USERNS, TUNSETIFF, KVM_GET_API_VERSION),
)
FCNTLS = (
    *(F_SETOWN, F_SETSIG, F_SETLEASE, F_NOTIFY, F_SETPIPE_SZ, F_ADD_SEALS),
    *(F_SETOWN_EX, F_GETLK, F_SETLK, F_OFD_SETLK, F_SET_RW_HINT),
)


def attempts():
    for fd in [*range(9), os.open(os.__file__, os.O_RDONLY)]:
        yield from controls(fd)


def controls(fd):
    for request in IOCTLS:
        yield lambda request=request: fcntl.ioctl(fd, request, b"x" * 64)
    for command in FCNTLS:
        yield lambda command=command: fcntl.fcntl(
            fd, command, struct.pack("hhqqi4x", 0, 0, 0, 1, 0)
        )
        yield lambda command=command: fcntl.fcntl(fd, command, 4096)
    yield lambda: fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    yield lambda: os.fchown(fd, 0, 0)
    yield lambda: os.lockf(fd, os.F_TEST, 1)


storage_index = right_if_any_is_done(attempts)
