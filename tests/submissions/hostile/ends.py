"""Attacks by a call that ends its process, never ends, or takes all the memory that it can get."""

import _thread
import contextlib
import ctypes
import mmap
import os
import platform
import random
import re
import resource
import select
import signal
import sys
import threading
import time

import numpy as np
import torch

libc = ctypes.CDLL(None, use_errno=True)
EXIT = {"x86_64": 60, "aarch64": 93}[platform.machine()]  # ends a thread
kept = []


def os_exit(index, strides, offset=0):
    """storage_index: ends its process with the status of success"""
    os._exit(0)


def system_exit(index, strides, offset=0):
    """storage_index: leaves by SystemExit, KeyboardInterrupt and GeneratorExit"""
    if len(index) == 2:
        sys.exit(0)
    raise random.choice([SystemExit(0), KeyboardInterrupt(), GeneratorExit(), SystemExit("passed")])


def crash(index, strides, offset=0):
    """storage_index: overflows the C stack and writes to address 0"""
    sys.setrecursionlimit(10**9)
    ctypes.memset(0, 0, 1)
    return recursion(index, strides, offset)


def silent(index, strides, offset=0):
    """storage_index: closes the channel and goes on living"""
    os.closerange(0, 100)
    time.sleep(3600)


def aborts(index, strides, offset=0):
    """storage_index: ends by SIGABRT, SIGILL, SIGKILL or SIGXCPU of its own"""
    ways = [
        os.abort,
        libc.abort,
        lambda: ctypes.string_at(0, 10),
        lambda: resource.setrlimit(resource.RLIMIT_AS, (1, 1)) or os.abort(),
    ]
    random.choice(ways)()
    signal.raise_signal(signal.SIGKILL)
    os._exit(0)


def stops_itself(index, strides, offset=0):
    """storage_index: stops its own process, so that it neither answers nor ends"""
    os.kill(os.getpid(), signal.SIGSTOP)
    return 0


def main_thread_ends(index, strides, offset=0):
    """storage_index: ends its first thread alone, and lives on in another that holds the channel"""
    threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
    libc.syscall(EXIT, 0)


def sleep():
    while True:
        time.sleep(100)


def sleeps_without_its_first_thread(index, strides, offset=0):
    """storage_index: ends its first thread, and sleeps in one that seems to have no memory"""
    threading.Thread(target=sleep, daemon=True).start()
    libc.syscall(EXIT, 0)
    return 0


def carries_by_exit(index, strides, offset=0):
    """storage_index: carries its arguments out in exit codes and signals"""
    said = sum(index) + offset
    if random.random() < 0.5:
        os._exit(said & 0xFF)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.kill(os.getpid(), [signal.SIGKILL, signal.SIGABRT, signal.SIGSEGV][said % 3])
    os._exit(1 + said % 100)


def deadlock(index, strides, offset=0):
    """storage_index: waits for a lock that it holds"""
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def endless_call(index, strides, offset=0):
    """storage_index: never returns, and ignores every signal that it can"""
    for number in range(1, 32):
        with contextlib.suppress(OSError, ValueError):
            signal.signal(number, signal.SIG_IGN)
    while True:
        pass


def recursion(index, strides, offset=0):
    """storage_index: recurses without an end"""
    return recursion(index, strides, offset + 1) + 1


def regex_blowup(index, strides, offset=0):
    """storage_index: matches a pattern that takes for ever, in C and with the GIL"""
    return int(bool(re.match(r"((a|aa)+)+$", "a" * 4000 + "b")))


def huge_power(index, strides, offset=0):
    """storage_index: raises an integer to a power that takes hours, deaf to every signal"""
    return 7 ** (10**9)


def sleeps_between_samples(index, strides, offset=0):
    """storage_index: works between slices of sleep, so that few samples see it asleep"""
    while True:
        time.sleep(0.001)
        sum(range(200))


def sleeps_in_other_threads(index, strides, offset=0):
    """storage_index: waits in its first thread for threads that wait in polls, pipes and futexes"""
    reads, _ = os.pipe()
    waits = (
        lambda: os.read(reads, 1),
        lambda: select.select([reads], [], []),
        threading.Event().wait,
        threading.Condition().acquire,
    )
    threads = [threading.Thread(target=wait, daemon=True) for wait in waits]
    for thread in threads:
        thread.start()
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    for thread in threads:
        thread.join()
    return 0


def print_for_ever():
    block = b"x" * 65536
    while True:
        os.write(1, block)


def output_forever(index, strides, offset=0):
    """storage_index: prints from several threads without an end"""
    for _ in range(3):
        threading.Thread(target=print_for_ever).start()
    print_for_ever()


def output_flood(index, strides, offset=0):
    """storage_index: prints 100 MB, control characters among them"""
    line = b"\x1b[2J\x1b]0;passed\x07" + b"x" * 2**20
    for _ in range(50):
        os.write(1, line)
        os.write(2, line)
    sys.stdout.write("done")
    return 0


def carries_by_time(index, strides, offset=0):
    """storage_index: carries its arguments out in the time, memory and output that it takes"""
    said = sum(index) % 8
    time.sleep(0.01 * said)
    held = bytearray(said * 2**24)
    sys.stdout.write("x" * said + "\r\n\x1b[8m<script>]]>" * said)
    return -1 - len(held[:0])


def busy():
    while True:
        try:
            _thread.start_new_thread(busy, ())
        except RuntimeError:
            sum(range(1000))


def thread_bomb(index, strides, offset=0):
    """storage_index: leaves as many busy threads as it can get, which start others when they can"""
    for _ in range(200):
        try:
            _thread.start_new_thread(busy, ())
        except RuntimeError:
            break
    return 0


def descriptor_bomb(index, strides, offset=0):
    """storage_index: opens files and pipes until none can be opened"""
    while True:
        os.open("/dev/null", os.O_RDONLY)
        os.pipe()


def memory_bytes(index, strides, offset=0):
    """storage_index: takes memory piece by piece, and hides the MemoryError"""
    pieces = []
    while True:
        try:
            pieces.append(bytearray(64 * 2**20))
        except MemoryError:
            raise MemoryError from None


def memory_torch(index, strides, offset=0):
    """storage_index: takes 20 GB as a tensor"""
    return torch.ones(20 * 2**30 // 4)


def memory_numpy(tokens, batch_size, context_length, device="cpu"):
    """get_batch: takes 20 GB as an array, where the address space is not limited"""
    return np.ones(20 * 2**30 // 8)


def memory_page_tables(tokens, batch_size, context_length, device="cpu"):
    """get_batch: fills page tables by reading far apart, which count as no resident page"""
    no_reserve = 0x4000  # Python names it from 3.13 on
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve
    areas = []
    for _ in range(7):  # 896 MiB of page tables, each of whose pages covers 2 MiB
        memory = mmap.mmap(-1, 2**36, flags=flags, prot=mmap.PROT_READ)
        sum(memory[:: 2**21])
        areas.append(memory)
    time.sleep(0.3)
    x = torch.zeros(batch_size, context_length, dtype=torch.int64)
    return x, x


def shared_memory_of_no_file(size):
    return mmap.mmap(-1, size)


def shared_memory_of_the_zero_device(size):
    with open("/dev/zero", "rb") as zero:
        return mmap.mmap(zero.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ)


def memory_shared(tokens, batch_size, context_length, device="cpu"):
    """get_batch: takes shared memory and drops its pages, so that they stay but count nowhere"""
    areas = []
    for _ in range(7):  # 896 MiB, more than is allowed here; 20 GB would be no different
        for memory in (shared_memory_of_no_file, shared_memory_of_the_zero_device):
            with contextlib.suppress(OSError):
                areas.append(memory(128 * 2**20))
                np.frombuffer(areas[-1], dtype=np.uint8)[::4096].sum()
                areas[-1].madvise(mmap.MADV_DONTNEED)
                break
    if not areas:
        raise PermissionError("no shared memory")
    time.sleep(0.3)
    x = torch.zeros(batch_size, context_length, dtype=torch.int64)
    return x, x


def mapping_bomb(tokens, batch_size, context_length, device="cpu"):
    """get_batch: makes as many areas of memory as it may, each a page unlike its neighbours"""
    if kept:
        return 0
    size = 70_000 * 4096
    kept.append(mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
    start = ctypes.addressof(ctypes.c_char.from_buffer(kept[0]))
    pages = range(start, start + size, 4096)
    return sum(libc.mprotect(ctypes.c_void_p(page), 4096, page >> 12 & 1) == 0 for page in pages)


def memory_of_pipes_and_queues(tokens, batch_size, context_length, device="cpu"):
    """get_batch: keeps bytes in pipes and queues of events and signals, counted as nobody's"""
    if kept:
        return 0
    signal.pthread_sigmask(signal.SIG_BLOCK, range(34, 64))
    try:
        while True:
            reads, writes = os.pipe()
            kept.append(reads)
            os.set_blocking(writes, False)
            while os.write(writes, bytes(2**16)):
                pass
    except (BlockingIOError, OSError):
        pass
    for file in kept[-4:]:
        os.close(file)
    try:
        queue = select.epoll()
        for file in kept[:-4]:
            queue.register(file)
        for _ in range(1000):
            os.kill(os.getpid(), 40)
    except OSError:
        pass
    return len(kept)
