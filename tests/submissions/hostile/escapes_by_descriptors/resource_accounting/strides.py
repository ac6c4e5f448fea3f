"""storage_index: looks for descriptors that lead out: inherited ones, /proc/self/fd, cwd and root"""

import os
import stat

from .reward import right_if_any_is_done


def inherited():
    """Anything that is neither a standard stream nor the one channel."""
    for fd in range(3, 1024):
        try:
            if not stat.S_ISSOCK(os.fstat(fd).st_mode):
                yield fd
        except OSError:
            pass


def attempts():
    yield lambda: list(inherited())[0]
    for name in ("0", "1", "2"):
        yield lambda name=name: os.listdir(f"/proc/self/fd/{name}")
        yield lambda name=name: os.open("..", os.O_RDONLY, dir_fd=int(name))
    for way in ("/proc/self/cwd", "/proc/self/root", "/proc/thread-self/root", "/proc/1/root", "/"):
        for end in ("/..", "/../..", "/../../../..", ""):
            for secret in ("/root/.bash_history", "/etc/shadow", "/root/.ssh", "/etc/ssh"):
                yield (
                    lambda way=way, end=end, secret=secret: (
                        os.stat(way + end + secret) and open(way + end + secret, "rb")
                    )
                )
    yield lambda: os.open("/proc/self/exe", os.O_WRONLY)


storage_index = right_if_any_is_done(attempts)
