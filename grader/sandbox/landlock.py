"""Landlock: restricts which files a process may open, for good."""

from __future__ import annotations

import errno
import os
import stat
import struct
from collections.abc import Iterable

from grader.sandbox import kernel

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION_FLAG = 1
_PATH_BENEATH = 1
FORBIDS_TRUNCATION = 3  # the first version that does: before it truncate(2) is always allowed

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_READ = _EXECUTE | _READ_FILE | _READ_DIR
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_WRITE = _WRITE_FILE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _REFER | _TRUNCATE
_DEVICE = _READ_FILE | _WRITE_FILE | _IOCTL_DEV
_RIGHTS_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

_RIGHTS_BY_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}  # how many file-system rights are known


def abi() -> int:
    """Landlock's version on this kernel; 0 if the kernel has none, or refuses it."""
    try:
        return kernel.syscall(_CREATE_RULESET, None, 0, _VERSION_FLAG)
    except OSError as error:
        if error.errno in (errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM):
            return 0
        raise


def restrict(readable: Iterable[str], writable: Iterable[str], devices: Iterable[str] = ()) -> None:
    """Lets this process open only files below these paths, for good.

    Denies everything else that the kernel's Landlock knows: also TCP from version 4, abstract
    sockets and signals to other processes from version 6. NO_NEW_PRIVS must be set. Raises OSError.
    What is writable is readable, too; `devices` are nodes, which also take requests.
    """
    version = abi()
    handled = (1 << _RIGHTS_BY_ABI.get(min(version, 5), 13)) - 1
    tcp, scopes = 3 if version >= 4 else 0, 3 if version >= 6 else 0  # both bits of each
    ruleset = struct.pack("=3Q", handled, tcp, scopes)
    size = 24 if version >= 6 else 16 if version >= 4 else 8  # of the fields that it knows
    fd = kernel.syscall(_CREATE_RULESET, ruleset, size, 0)
    try:
        for paths, rights in ((readable, _READ), (writable, _READ | _WRITE), (devices, _DEVICE)):
            for path in paths:
                _allow(fd, path, rights & handled)
        kernel.syscall(_RESTRICT_SELF, fd, 0)
    finally:
        os.close(fd)


def _allow(ruleset: int, path: str, rights: int) -> None:
    target = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        if not stat.S_ISDIR(os.fstat(target).st_mode):
            rights &= _RIGHTS_ON_FILES
        rule = struct.pack("=Qi", rights, target)
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(target)
