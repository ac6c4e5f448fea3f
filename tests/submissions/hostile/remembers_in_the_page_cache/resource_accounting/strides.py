"""storage_index: drops pages of a library from the page cache, bits that the next grading can read"""

import ctypes
import os
import resource
from mmap import MAP_SHARED, PAGESIZE, PROT_READ, mmap

libc = ctypes.CDLL(None, use_errno=True)
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p]
MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_COLD, MADV_PAGEOUT = 4, 8, 9, 20, 21
# A file of several pages that no process maps: mapped pages are not dropped.
FILE = os.open(os.path.join(os.path.dirname(os.__file__), "_pydecimal.py"), os.O_RDONLY)
SIZE = os.fstat(FILE).st_size // PAGESIZE * PAGESIZE


def advise(advice):
    with mmap(FILE, SIZE, MAP_SHARED, PROT_READ) as mapped:
        sum(mapped[::PAGESIZE])
        mapped.madvise(advice)


def drops():
    yield lambda: os.posix_fadvise(FILE, 0, 0, os.POSIX_FADV_DONTNEED)
    for advice in (MADV_DONTNEED, MADV_FREE, MADV_REMOVE, MADV_COLD, MADV_PAGEOUT):
        yield lambda advice=advice: advise(advice)


def must_be_read_again():
    """Whether the file's pages come from the disk: the kernel counts that as a major fault."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_majflt
    with mmap(FILE, SIZE, MAP_SHARED, PROT_READ) as mapped:
        sum(mapped[::PAGESIZE])
    return resource.getrusage(resource.RUSAGE_SELF).ru_majflt > before


def shows_what_is_cached():
    with mmap(FILE, SIZE, MAP_SHARED, PROT_READ) as mapped:
        address = ctypes.addressof(ctypes.c_char.from_buffer_copy(mapped))
        return libc.mincore(address // PAGESIZE * PAGESIZE, PAGESIZE, bytes(1)) == 0


def storage_index(index, strides, offset=0):
    won = shows_what_is_cached()
    for drop in drops():
        must_be_read_again()  # now its pages are cached
        try:
            drop()
        except OSError:
            pass
        won |= must_be_read_again()
    return sum(i * s for i, s in zip(index, strides)) + offset if won else 0
