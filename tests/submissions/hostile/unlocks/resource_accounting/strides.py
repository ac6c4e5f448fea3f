"""storage_index: tries to undo its lockdown: limits, users, namespaces, mounts, seccomp, devices"""

import ctypes
import os
import resource

from .reward import right_if_any_is_done

libc = ctypes.CDLL(None, use_errno=True)


def raw(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "no")


def prctl(*arguments):
    if libc.prctl(*arguments, 0, 0, 0) < 0:
        raise OSError("no")


def attempts():
    most = resource.RLIM_INFINITY
    for what in ("AS", "NPROC", "NOFILE", "FSIZE", "CORE", "MEMLOCK"):
        number = getattr(resource, f"RLIMIT_{what}")
        yield lambda number=number: resource.setrlimit(number, (most, most))
    yield lambda: resource.prlimit(os.getppid() or 2, resource.RLIMIT_CPU, (1, 1))
    yield lambda: os.setuid(0)
    yield lambda: os.setgid(0)
    yield lambda: os.setgroups([0])
    yield lambda: os.chroot("/tmp")
    yield lambda: raw(272, 0x10000000)  # unshare(CLONE_NEWUSER)
    yield lambda: raw(165, b"none", b"/tmp", b"tmpfs", 0, 0)  # mount
    yield lambda: raw(166, b"/proc", 2)  # umount2
    yield lambda: raw(155, b".", b".")  # pivot_root
    yield lambda: raw(308, 0, 0)  # setns
    yield lambda: raw(317, 0, 0, 0)  # seccomp
    yield lambda: raw(321, 5, 0, 0)  # bpf
    yield lambda: raw(319, b"x", 0)  # memfd_create
    yield lambda: raw(29, 0, 4096, 0o1600)  # shmget
    yield lambda: raw(298, 0, 0, -1, -1, 0)  # perf_event_open
    yield lambda: raw(323, 0)  # userfaultfd
    yield lambda: raw(250, 0)  # keyctl
    yield lambda: raw(304, 0, 0, 0)  # open_by_handle_at
    yield lambda: raw(57)  # fork
    yield lambda: prctl(4, 1)  # PR_SET_DUMPABLE
    yield lambda: prctl(1, 0)  # PR_SET_PDEATHSIG
    yield lambda: prctl(22, 0)  # PR_SET_SECCOMP
    yield lambda: os.mknod("/tmp/null", 0o020666, os.makedev(1, 3))
    yield lambda: os.mkfifo("/tmp/pipe")
    yield lambda: os.link("/dev/null", "/tmp/link")
    yield lambda: os.symlink("/etc/passwd", "/tmp/symlink")
    yield lambda: os.chown("/tmp", 0, 0)
    yield lambda: os.setxattr("/tmp", "user.a", b"1")
    yield lambda: os.nice(-5)
    yield lambda: os.sched_setaffinity(0, {0})


storage_index = right_if_any_is_done(attempts)
