"""The system calls that a worker may make, with their numbers on each architecture.

x86-64 has its own numbers. aarch64 has those of Linux's generic table, which leaves out calls that
a newer one replaces (`open`, `stat`, …).
"""

from __future__ import annotations

import errno

# `seccomp.py` allows these by their arguments.
WITH_RULES = {"clone", "fcntl", "ioctl", "kill", "madvise", "mmap", "prctl", "prlimit64"}
WITH_RULES |= {"tgkill", "utimensat"}
# The kernel does nothing for these and returns this error, or success for 0. Libraries call them,
# and work on after that answer. A worker must not reach files with them that it may only read:
# Landlock governs neither modes nor times, and a page that leaves the page cache is a bit that a
# later worker can read. `fallocate` fills a disk faster than the judge looks; glibc writes instead.
ANSWERED = {
    **dict.fromkeys(("chmod", "fadvise64", "fchmod", "fchmodat", "fchmodat2"), 0),
    **dict.fromkeys(("fallocate", "flistxattr", "listxattr", "llistxattr"), errno.EOPNOTSUPP),
    "clone3": errno.ENOSYS,  # glibc then falls back to clone
}
# Every other call of these tables is allowed.

# fmt: off
_BOTH = {  # by name the number on x86-64, and on aarch64
    "brk": (12, 214), "chdir": (80, 49), "clock_getres": (229, 114), "clock_gettime": (228, 113),
    "clock_nanosleep": (230, 115), "clone": (56, 220), "clone3": (435, 435), "close": (3, 57),
    "close_range": (436, 436), "copy_file_range": (326, 285), "dup": (32, 23), "dup3": (292, 24),
    "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_pwait": (281, 22),
    "eventfd2": (290, 19), "exit": (60, 93), "exit_group": (231, 94), "faccessat": (269, 48),
    "faccessat2": (439, 439), "fadvise64": (221, 223), "fallocate": (285, 47), "fchdir": (81, 50),
    "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "fcntl": (72, 25),
    "fdatasync": (75, 83), "flistxattr": (196, 13), "fstat": (5, 80), "fstatfs": (138, 44),
    "fsync": (74, 82), "ftruncate": (77, 46), "futex": (202, 98), "futex_waitv": (449, 449),
    "get_robust_list": (274, 100), "getcpu": (309, 168), "getcwd": (79, 17),
    "getdents64": (217, 61), "getegid": (108, 177), "geteuid": (107, 175), "getgid": (104, 176),
    "getgroups": (115, 158), "getitimer": (36, 102), "getpgid": (121, 155), "getpid": (39, 172),
    "getppid": (110, 173), "getpriority": (140, 141), "getrandom": (318, 278),
    "getresgid": (120, 150), "getresuid": (118, 148), "getrlimit": (97, 163),
    "getrusage": (98, 165), "getsid": (124, 156), "gettid": (186, 178), "gettimeofday": (96, 169),
    "getuid": (102, 174), "ioctl": (16, 29), "kill": (62, 129), "listxattr": (194, 11),
    "llistxattr": (195, 12), "lseek": (8, 62), "madvise": (28, 233), "mkdirat": (258, 34),
    "mmap": (9, 222), "mprotect": (10, 226), "mremap": (25, 216), "msync": (26, 227),
    "munmap": (11, 215), "nanosleep": (35, 101), "newfstatat": (262, 79), "openat": (257, 56),
    "pipe2": (293, 59), "ppoll": (271, 73), "prctl": (157, 167), "pread64": (17, 67),
    "preadv": (295, 69), "prlimit64": (302, 261), "pselect6": (270, 72), "pwrite64": (18, 68),
    "pwritev": (296, 70), "read": (0, 63), "readlinkat": (267, 78), "readv": (19, 65),
    "renameat": (264, 38), "renameat2": (316, 276), "restart_syscall": (219, 128),
    "rseq": (334, 293), "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139), "sched_getaffinity": (204, 123), "sched_getattr": (315, 275),
    "sched_getparam": (143, 121), "sched_getscheduler": (145, 120), "sched_yield": (24, 124),
    "sendfile": (40, 71), "set_robust_list": (273, 99), "setitimer": (38, 103),
    "sigaltstack": (131, 132), "statfs": (137, 43), "statx": (332, 291),
    "sync_file_range": (277, 84), "tgkill": (234, 131), "times": (100, 153), "truncate": (76, 45),
    "umask": (95, 166), "uname": (63, 160), "unlinkat": (263, 35), "utimensat": (280, 88),
    "wait4": (61, 260), "write": (1, 64), "writev": (20, 66),
}
_ONLY_X86_64 = {
    "access": 21, "alarm": 37, "arch_prctl": 158, "chmod": 90, "creat": 85, "dup2": 33,
    "epoll_wait": 232, "getdents": 78, "getpgrp": 111, "lstat": 6, "mkdir": 83, "open": 2,
    "pause": 34, "pipe": 22, "poll": 7, "readlink": 89, "rename": 82, "rmdir": 84, "select": 23,
    "stat": 4, "time": 201, "unlink": 87,
}
X86_64 = {name: number for name, (number, _) in _BOTH.items()} | _ONLY_X86_64
AARCH64 = {name: number for name, (_, number) in _BOTH.items()}
# Beside those, for workers that use CUDA: the driver binds a socket of its own, which nobody
# connects to, and fails if it cannot.
CUDA_X86_64 = {
    "bind": 49, "listen": 50, "memfd_create": 319, "setsockopt": 54, "socket": 41, "sysinfo": 99,
}
CUDA_AARCH64 = {
    "bind": 200, "listen": 201, "memfd_create": 279, "setsockopt": 208, "socket": 198,
    "sysinfo": 179,
}
# fmt: on
