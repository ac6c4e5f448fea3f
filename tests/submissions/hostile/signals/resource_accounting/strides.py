"""storage_index: signals, traces and reads every process that it can name"""

import ctypes
import os
import signal

from .reward import right_if_any_is_done

libc = ctypes.CDLL(None, use_errno=True)


def attempts():
    me = os.getpid()
    for pid in {os.getppid(), -1, 0, *range(2, 40), os.getpgid(0), -os.getpgid(0)} - {me}:
        yield lambda pid=pid: os.kill(pid, signal.SIGKILL)
    yield lambda: os.killpg(1, signal.SIGKILL) if me != 1 else os.killpg(0, signal.SIGKILL)
    for pid in (os.getppid(), 1, 2, 3):
        yield lambda pid=pid: os.pidfd_open(pid)
        yield lambda pid=pid: raw(101, 16, pid, 0, 0)  # ptrace(PTRACE_ATTACH)
        yield lambda pid=pid: raw(310, pid, 0, 0, 0, 0, 0)  # process_vm_readv
        yield lambda pid=pid: raw(62, ctypes.c_long(pid + 2**32 * 5 - 1 if pid == 1 else -1), 9)
        yield lambda pid=pid: raw(129, pid, 9, 0)  # rt_sigqueueinfo
    for pid in (os.getppid(), *range(2, 40)):
        for name in ("mem", "environ", "fd/0", "maps", "root/etc/passwd"):
            yield lambda pid=pid, name=name: open(f"/proc/{pid}/{name}", "rb").read(1) or no()


def no():
    raise OSError("nothing to be read")


def raw(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "no")


storage_index = right_if_any_is_done(attempts)
