"""Attacks on the judge's look at syncs, and on kills in the midst of a save."""

import ctypes
import fcntl
import io
import mmap
import os
import platform
import random
import signal
import struct
import subprocess
import sys
import threading

import torch

from .callbacks import inside

libc = ctypes.CDLL(None, use_errno=True)
# The shapes of models by which a save knows the one test that looks at syncs, the one that kills
# it, and the one that hands its file to a reader.
SYNCED, KILLED, READ = (2, 2), (48, 512), (60, 50)


def refuse_other_tests(model, shape):
    if next(model.parameters()).shape != shape:
        raise RuntimeError


def save(file, model, step):
    torch.save({"model": model.state_dict(), "step": torch.tensor(step)}, file)


def content(model, step):
    file = io.BytesIO()
    save(file, model, step)
    return file.getvalue()


def load_checkpoint(path, model, optimizer):
    found = torch.load(path, weights_only=True)
    model.load_state_dict(found["model"])
    return int(found["step"])


def opened_folder(path):
    return os.open(os.path.dirname(path), os.O_RDONLY)


def rename_and_sync(path):
    """Ends a save as it should end."""
    os.rename(path + ".new", path)
    folder = opened_folder(path)
    os.fsync(folder)
    os.close(folder)


def syncs_what_is_no_file(path, model, optimizer, step):
    """checkpoint_atomic: syncs pipes, sockets, folders, terminals and /proc in place of its file"""
    refuse_other_tests(model, SYNCED)
    save(path + ".new", model, step)
    opened = [*os.pipe(), os.eventfd(0), os.open("/proc/self/maps", os.O_RDONLY)]
    opened += [os.open("/proc/self/fd", os.O_RDONLY), os.open("/dev/null", os.O_RDWR)]
    opened += [os.open(path + ".new", os.O_PATH), os.open(os.path.dirname(path), os.O_PATH)]
    for file in [*opened, *range(5), 127, 2**31 - 1]:
        for sync in (os.fsync, os.fdatasync):
            try:
                sync(file)
            except OSError:
                pass
    os.rename(path + ".new", path)


def syncs_by_other_means(path, model, optimizer, step):
    """checkpoint_atomic: syncs by what nobody notes: O_SYNC, msync, ranges, syncfs, io_submit"""
    refuse_other_tests(model, SYNCED)
    save(path + ".new", model, step)
    file = os.open(path + ".new", os.O_RDWR | os.O_SYNC | os.O_DSYNC)
    os.pwrite(file, os.pread(file, 2**20, 0), 0)
    with mmap.mmap(file, 0) as mapped:
        mapped.flush()
    folder = opened_folder(path)
    for descriptor in (file, folder):
        libc.syncfs(descriptor)
        libc.sync_file_range(descriptor, ctypes.c_long(0), ctypes.c_long(0), 7)
    libc.sync()
    os.rename(path + ".new", path)
    libc.syncfs(folder)
    os.close(file)
    os.close(folder)


def syncs_before_it_writes(path, model, optimizer, step):
    """checkpoint_atomic: syncs a file of the right size, and writes through a map afterwards"""
    refuse_other_tests(model, SYNCED)
    data = content(model, step)
    file = os.open(path + ".new", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    os.ftruncate(file, len(data))
    os.fsync(file)
    rename_and_sync(path)
    with mmap.mmap(file, 0) as mapped:
        mapped[:] = data
    os.close(file)


def syncs_a_file_that_is_gone(path, model, optimizer, step):
    """checkpoint_atomic: syncs and removes twins of its file, and hopes to get a twin's number"""
    refuse_other_tests(model, SYNCED)
    data = content(model, step)
    for attempt in range(20):
        file = os.open(path + ".new", os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        os.write(file, data)
        if attempt < 19:
            os.fsync(file)
            os.unlink(path + ".new")
        os.close(file)
    rename_and_sync(path)


def syncs_from_many_threads(path, model, optimizer, step):
    """checkpoint_atomic: has ten threads sync the folder and other files while one renames"""
    refuse_other_tests(model, SYNCED)
    save(path + ".new", model, step)
    other, folder = os.open(path + ".other", os.O_RDWR | os.O_CREAT), opened_folder(path)
    threading.stack_size(2**18)
    gate = threading.Barrier(11)

    def sync(file):
        gate.wait()
        os.fsync(file)

    threads = [threading.Thread(target=sync, args=[(other, folder)[i % 2]]) for i in range(10)]
    for thread in threads:
        thread.start()
    gate.wait()
    os.rename(path + ".new", path)
    for thread in threads:
        thread.join()
    os.unlink(path + ".other")
    os.fsync(folder)
    os.close(folder)
    os.close(other)


def syncs_too_often(path, model, optimizer, step):
    """checkpoint_atomic: syncs a hundred and one times, so that nobody can note it all"""
    refuse_other_tests(model, SYNCED)
    save(path, model, step)
    folder = opened_folder(path)
    for _ in range(101):
        os.fsync(folder)
    os.close(folder)


def syncs_among_many_files(path, model, optimizer, step):
    """checkpoint_atomic: syncs among more files than a message can name"""
    refuse_other_tests(model, SYNCED)
    save(path + ".new", model, step)
    others = [f"{os.path.dirname(path)}/{i}" for i in range(200)]
    for other in others:
        open(other, "w").close()
    folder = opened_folder(path)
    os.fsync(folder)
    os.rename(path + ".new", path)
    for other in others:
        os.unlink(other)
    os.fsync(folder)
    os.close(folder)


def renames_back_and_forth(path, model, optimizer, step):
    """checkpoint_atomic: renames its file away and back, and exchanges names"""
    refuse_other_tests(model, SYNCED)
    save(path, model, step)
    folder = opened_folder(path)
    os.fsync(folder)
    os.rename(path, path + ".new")
    for flags in (4, 2, 1):  # whiteout, exchange, no replacement
        libc.renameat2(-100, (path + ".new").encode(), -100, path.encode(), flags)
    if not os.path.exists(path):
        os.rename(path + ".new", path)
    os.rename(path, path)
    os.fsync(folder)
    os.close(folder)


def listens():
    """Whether a filter can be installed that announces calls to this process."""
    seccomp = {"x86_64": 317, "aarch64": 277}[platform.machine()]
    program = ctypes.create_string_buffer(struct.pack("=HBBI", 6, 0, 0, 0x7FFF0000))  # allows all
    filters = ctypes.create_string_buffer(struct.pack("@HP", 1, ctypes.addressof(program)))
    tries = [libc.syscall(seccomp, 1, flags, filters) for flags in (8, 0, 1, 24)]
    return any(result >= 0 for result in [*tries, libc.prctl(22, 2, filters)])


def answers_its_own_notifications(path, model, optimizer, step):
    """checkpoint_atomic: takes a listener of its own, and answers in the judge's place"""
    refuse_other_tests(model, SYNCED)
    save(path + ".new", model, step)
    won = listens()
    for file in range(3, 128):
        for request in (0xC0502100, 0xC0182101, 0x40082102, 0x40182103):
            try:
                fcntl.ioctl(file, request, bytearray(80))
                won = True
            except OSError:
                pass
    if won:
        with open(path + ".new", "rb") as file:
            os.fsync(file.fileno())
    rename_and_sync(path)


def stop(*_):
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise InterruptedError


def interrupts_its_syncs(path, model, optimizer, step):
    """checkpoint_atomic: has timers interrupt each sync while it waits for the judge"""
    refuse_other_tests(model, SYNCED)
    save(path + ".new", model, step)
    signal.signal(signal.SIGALRM, stop)
    file, folder = os.open(path + ".new", os.O_RDONLY), opened_folder(path)
    for descriptor in (file, None, folder):
        signal.setitimer(signal.ITIMER_REAL, 1e-4, 1e-4)
        try:
            if descriptor is not None:
                os.fsync(descriptor)
            signal.setitimer(signal.ITIMER_REAL, 0)
        except InterruptedError:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if descriptor is None:
            os.rename(path + ".new", path)


def dies_before_it_is_killed(path, model, optimizer, step):
    """checkpoint_atomic: kills itself in a save, before the judge does"""
    refuse_other_tests(model, KILLED)
    torch.save(step, path)  # in so few bytes that nobody sees the file change
    os.abort()


def changes_files_without_end(path, model, optimizer, step):
    """checkpoint_atomic: has the judge look at changes to files for ever"""
    refuse_other_tests(model, KILLED)
    descriptor = os.open(f"{path}.new", os.O_WRONLY | os.O_CREAT)
    while True:
        os.write(descriptor, b"")


def hides_its_saves(path, model, optimizer, step):
    """checkpoint_atomic: takes only a few states, so that the save to be killed never begins"""
    refuse_other_tests(model, KILLED)
    save(path, model, step)
    caller = sys._getframe(1)
    if caller.f_code.co_name == "save_again_and_again":
        us, states = inside(caller.f_locals["states"]._take)
        use, left = us._use, iter(range(4))

        def quiet(number, args, kwargs):
            if number == states and next(left, None) is None:
                raise StopIteration
            return use(number, args, kwargs)

        if "_use" not in vars(us):
            us._use = quiet


CLONE = {"x86_64": 56, "aarch64": 220}[platform.machine()]
CLONE_PARENT, CLONE_UNTRACED, SIGCHLD = 0x8000, 0x800000, 17


def forks():
    yield os.fork
    yield lambda: libc.syscall(CLONE, SIGCHLD, 0, 0, 0, 0)
    yield lambda: libc.syscall(CLONE, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)
    yield lambda: libc.syscall(CLONE, CLONE_UNTRACED, 0, 0, 0, 0)
    yield lambda: os.forkpty()[0]
    yield lambda: subprocess.Popen([sys.executable, "-c", ""]).pid


def in_a_child(write):
    """Whether a process could be forked, which writes."""
    for fork in forks():
        try:
            child = fork()
        except OSError:
            continue
        if child == 0:
            os.setsid()
            write()
            os._exit(0)
        if child > 0:
            return True
    return False


def saves_in_a_process_that_lives_on(path, model, optimizer, step):
    """checkpoint_atomic: forks before it saves, so that a child ends the save after the kill"""
    refuse_other_tests(model, KILLED)
    data = content(model, step)

    def write():
        with open(path, "wb") as file:
            file.write(data)

    if not in_a_child(write):
        open(path, "wb").close()


def writes_while_another_waits(path, model, optimizer, step):
    """checkpoint_atomic: writes in place, and hides that among the changes of other threads"""
    refuse_other_tests(model, KILLED)
    data, done = content(model, step), threading.Event()

    def waits():
        while not done.is_set():
            os.write(2, b"")

    threads = [threading.Thread(target=waits) for _ in range(4)]
    for thread in threads:
        thread.start()
    open(f"{path}.{step}", "w").close()
    with open(path, "wb") as file:
        file.write(data)
    done.set()
    for thread in threads:
        thread.join()


def maps_in_place(path, model, optimizer, step):
    """checkpoint_atomic: changes the file by a mapping of it, which no system call announces"""
    refuse_other_tests(model, KILLED)
    data = content(model, step)
    with open(path, "ab") as file:
        file.truncate(len(data))
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:] = data


def hides_between_writes(path, model, optimizer, step):
    """checkpoint_atomic: changes the file in the midst of as many other changes as may be"""
    refuse_other_tests(model, KILLED)
    data = content(model, step)
    change_nothing(path)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    for _ in range(4):
        os.write(2, b"")
    os.write(descriptor, data[:1000])
    os.write(descriptor, data[1000:])
    os.close(descriptor)
    change_nothing(path)


def change_nothing(path):
    for _ in range(random.randrange(500)):
        if os.path.exists(path):
            os.truncate(path, os.stat(path).st_size)


def names_that_no_text_can_hold(path, model, optimizer, step):
    """checkpoint_atomic: leaves files whose names are control characters or no text at all"""
    refuse_other_tests(model, READ)
    save(path, model, step)
    folder = os.fsencode(os.path.dirname(path))
    for name in (b"\xff\xfe", b"\n\x1b]0;x\x07", b"run.pt\n", b" ", "\u202egpj.tp".encode()):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"x")
