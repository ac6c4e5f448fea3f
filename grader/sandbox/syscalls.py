"""The system calls that a worker may make, with their numbers on each architecture.

x86-64 has its own numbers. aarch64 has those of Linux's generic table, which leaves out calls that
a newer one replaces (`open`, `stat`, …).
"""

from __future__ import annotations

import errno

# `seccomp.py` allows these by their arguments.
WITH_RULES = frozenset(
    {
        *("clone", "fcntl", "ioctl", "kill", "madvise", "mmap", "prctl", "prlimit64", "tgkill"),
        "utimensat",
    }
)
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
X86_64 = {
    "access": 21, "alarm": 37, "arch_prctl": 158, "brk": 12, "chdir": 80, "chmod": 90,
    "clock_getres": 229, "clock_gettime": 228, "clock_nanosleep": 230, "clone": 56, "clone3": 435,
    "close": 3, "close_range": 436, "copy_file_range": 326, "creat": 85, "dup": 32, "dup2": 33,
    "dup3": 292, "epoll_create1": 291, "epoll_ctl": 233, "epoll_pwait": 281, "epoll_wait": 232,
    "eventfd2": 290, "exit": 60, "exit_group": 231, "faccessat": 269, "faccessat2": 439,
    "fadvise64": 221, "fallocate": 285, "fchdir": 81, "fchmod": 91, "fchmodat": 268,
    "fchmodat2": 452, "fcntl": 72, "fdatasync": 75, "flistxattr": 196, "fstat": 5, "fstatfs": 138,
    "fsync": 74, "ftruncate": 77, "futex": 202, "futex_waitv": 449, "get_robust_list": 274,
    "getcpu": 309, "getcwd": 79, "getdents": 78, "getdents64": 217, "getegid": 108, "geteuid": 107,
    "getgid": 104, "getgroups": 115, "getitimer": 36, "getpgid": 121, "getpgrp": 111, "getpid": 39,
    "getppid": 110, "getpriority": 140, "getrandom": 318, "getresgid": 120, "getresuid": 118,
    "getrlimit": 97, "getrusage": 98, "getsid": 124, "gettid": 186, "gettimeofday": 96,
    "getuid": 102, "ioctl": 16, "kill": 62, "listxattr": 194, "llistxattr": 195, "lseek": 8,
    "lstat": 6, "madvise": 28, "mkdir": 83, "mkdirat": 258, "mmap": 9, "mprotect": 10, "mremap": 25,
    "msync": 26, "munmap": 11, "nanosleep": 35, "newfstatat": 262, "open": 2, "openat": 257,
    "pause": 34, "pipe": 22, "pipe2": 293, "poll": 7, "ppoll": 271, "prctl": 157, "pread64": 17,
    "preadv": 295, "prlimit64": 302, "pselect6": 270, "pwrite64": 18, "pwritev": 296, "read": 0,
    "readlink": 89, "readlinkat": 267, "readv": 19, "rename": 82, "renameat": 264, "renameat2": 316,
    "restart_syscall": 219, "rmdir": 84, "rseq": 334, "rt_sigaction": 13, "rt_sigprocmask": 14,
    "rt_sigreturn": 15, "sched_getaffinity": 204, "sched_getattr": 315, "sched_getparam": 143,
    "sched_getscheduler": 145, "sched_yield": 24, "select": 23, "sendfile": 40,
    "set_robust_list": 273, "setitimer": 38, "sigaltstack": 131, "stat": 4, "statfs": 137,
    "statx": 332, "sync_file_range": 277, "tgkill": 234, "time": 201, "times": 100,
    "truncate": 76, "umask": 95, "uname": 63, "unlink": 87, "unlinkat": 263, "utimensat": 280,
    "wait4": 61, "write": 1, "writev": 20,
}
AARCH64 = {
    "brk": 214, "chdir": 49, "clock_getres": 114, "clock_gettime": 113, "clock_nanosleep": 115,
    "clone": 220, "clone3": 435, "close": 57, "close_range": 436, "copy_file_range": 285, "dup": 23,
    "dup3": 24, "epoll_create1": 20, "epoll_ctl": 21, "epoll_pwait": 22, "eventfd2": 19, "exit": 93,
    "exit_group": 94, "faccessat": 48, "faccessat2": 439, "fadvise64": 223, "fallocate": 47,
    "fchdir": 50, "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fcntl": 25, "fdatasync": 83,
    "flistxattr": 13, "fstat": 80, "fstatfs": 44, "fsync": 82, "ftruncate": 46, "futex": 98,
    "futex_waitv": 449, "get_robust_list": 100, "getcpu": 168, "getcwd": 17, "getdents64": 61,
    "getegid": 177, "geteuid": 175, "getgid": 176, "getgroups": 158, "getitimer": 102,
    "getpgid": 155, "getpid": 172, "getppid": 173, "getpriority": 141, "getrandom": 278,
    "getresgid": 150, "getresuid": 148, "getrlimit": 163, "getrusage": 165, "getsid": 156,
    "gettid": 178, "gettimeofday": 169, "getuid": 174, "ioctl": 29, "kill": 129, "listxattr": 11,
    "llistxattr": 12, "lseek": 62, "madvise": 233, "mkdirat": 34, "mmap": 222, "mprotect": 226,
    "mremap": 216, "msync": 227, "munmap": 215, "nanosleep": 101, "newfstatat": 79, "openat": 56,
    "pipe2": 59, "ppoll": 73, "prctl": 167, "pread64": 67, "preadv": 69, "prlimit64": 261,
    "pselect6": 72, "pwrite64": 68, "pwritev": 70, "read": 63, "readlinkat": 78, "readv": 65,
    "renameat": 38, "renameat2": 276, "restart_syscall": 128, "rseq": 293, "rt_sigaction": 134,
    "rt_sigprocmask": 135, "rt_sigreturn": 139, "sched_getaffinity": 123, "sched_getattr": 275,
    "sched_getparam": 121, "sched_getscheduler": 120, "sched_yield": 124, "sendfile": 71,
    "set_robust_list": 99, "setitimer": 103, "sigaltstack": 132, "statfs": 43, "statx": 291,
    "sync_file_range": 84, "tgkill": 131, "times": 153, "truncate": 45,
    "umask": 166, "uname": 160, "unlinkat": 35, "utimensat": 88, "wait4": 260, "write": 64,
    "writev": 66,
}
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
