"""storage_index: asks where its pages are, who shares them and what else is in the machine's memory"""

import os
import struct

from .reward import right_if_any

FILES = ("/proc/kpagecount", "/proc/kpageflags", "/proc/kpagecgroup", "/proc/kcore")
OTHERS = ("/proc/vmallocinfo", "/proc/slabinfo", "/proc/pagetypeinfo")


def attempts():
    yield lambda: any(frame_of(address) for address in areas())
    for path in (*FILES, *OTHERS):
        yield lambda path=path: os.open(path, os.O_RDONLY) >= 0
    yield lambda: open("/proc/kallsyms").readline().split()[0].strip("0")


def areas():
    with open("/proc/self/maps") as maps:
        return [int(line.partition("-")[0], 16) for line in maps][:20]


def frame_of(address):
    """The number of the physical page that holds an address; 0 for those who may not know."""
    with open("/proc/self/pagemap", "rb") as file:
        file.seek(address // 4096 * 8)
        return struct.unpack("Q", file.read(8))[0] & (1 << 55) - 1


storage_index = right_if_any(attempts)
