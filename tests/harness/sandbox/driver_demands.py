"""Which of the driver's demands a worker of a race is refused, on a machine without a driver.

    python -m tests.harness.sandbox.driver_demands TIER

prints for each demand "" or why it was refused: first in a worker of a race, then in another one.
LD_LIBRARY_PATH must name a folder with `LIBRARY`. The demands are those that others saw the real
driver make. None of this shows that it makes no other ones.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

LIBRARY = "libgrader-driver.so.1"
# What others saw the driver read; not taken from the list of what workers may read.
FOLDERS = ("/sys/bus/pci/devices", "/sys/devices", "/sys/module")
FILES = ("/proc/devices", "/proc/driver", "/proc/modules")
SUBMISSION = f"""
import ctypes, glob, mmap, os, socket, threading

from assignment.calls.world import World

World.call = lambda self, target, function, args, kwargs: function(*args, **kwargs)


def library():
    ctypes.CDLL("{LIBRARY}")


def folders_of_sys():
    for folder in FOLDERS:
        names = os.listdir(folder)
        assert names, folder
        os.listdir(f"{{folder}}/{{names[0]}}")  # of a bus a link to elsewhere


def files_of_proc():
    for file in FILES:
        open(file).close() if os.path.isfile(file) else os.listdir(file)


def own_pid_namespace():
    os.stat(f"/proc/{{os.getpid()}}/ns/pid")


def addresses():
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    arguments = 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0
    found = libc.mmap(ctypes.c_void_p(0x200000000), ctypes.c_size_t(8592031744), *arguments)
    assert found != 2**64 - 1, os.strerror(ctypes.get_errno())


def listening_socket():
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_CLOEXEC) as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        made.bind(f"\\0cuda-uvmfd-{{os.stat('/proc/self/ns/pid').st_ino}}-{{os.getpid()}}")
        made.listen(16)


def thread_name():
    refused = []

    def rename():
        try:
            with open(f"/proc/self/task/{{threading.get_native_id()}}/comm", "r+b", 0) as comm:
                comm.write(b"cuda-EvtHandlr")
        except OSError as error:
            refused.append(error)

    thread = threading.Thread(target=rename)
    thread.start()
    thread.join()
    if refused:
        raise refused[0]


def memory_file():
    os.memfd_create("cuda")


def descriptors():
    held = [os.open("/dev/null", os.O_RDONLY) for _ in range(200)]
    for descriptor in held:
        os.close(descriptor)


def connection():
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as made:
        made.connect("\\0somebody")


def network():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM).close()


def writable():
    # The driver's library by its own mount: once loaded, it goes by the name of the file beneath.
    with open("/proc/self/maps") as maps:
        paths = {{line.split()[5] for line in maps if "libc.so" in line}}
    paths.update(glob.glob("/usr/local/*/{LIBRARY}"))
    if len(paths) < 2:
        return ["not all libraries are seen"]
    return [path for path in (*paths, *FOLDERS) if not os.statvfs(path).f_flag & os.ST_RDONLY]


def refused():
    found = {{}}
    for demand in (library, folders_of_sys, files_of_proc, own_pid_namespace, addresses,
                   listening_socket, thread_name, memory_file, descriptors, connection, network):
        try:
            demand()
        except Exception as error:
            found[demand.__name__] = repr(error)
        else:
            found[demand.__name__] = ""
    found["environment"] = os.environ.get("CUDA_VISIBLE_DEVICES", "not set")
    if found["environment"]:
        found["writable"] = writable()
    return found
"""


def refusals(tier: str) -> list[dict[str, Any]]:
    """By demand: first of a worker of a race, then of another one."""
    import msgspec

    from grader.judge.grader import Grader
    from grader.judge.implementation import GradedImplementation
    from grader.supervisor.pool import WorkerPool

    folders = [path for path in FOLDERS if Path(path).is_dir()]
    files = [path for path in FILES if Path(path).exists()]
    facts = f"FOLDERS, FILES = {folders!r}, {files!r}\n"
    with Grader((tier,)) as grader:
        grader.prepare()
        limits = msgspec.structs.replace(grader.manifest.limits, address_space=False)
        found = []
        for_races = grader.zygote.with_device("GPU-1", 1024)
        for zygote in (for_races, grader.zygote):
            zygote.wait()
            package = zygote.submissions / "1" / "resource_accounting"
            package.mkdir(parents=True)
            (package / "__init__.py").touch()
            (package / "probe.py").write_text(facts + SUBMISSION)
            pool = WorkerPool(zygote, package.parent, package.name, spare=False)
            implementation = GradedImplementation(pool, limits, 1)
            found.append(implementation.probe.refused())
            implementation.close()
            zygote.drain()
        for_races.close()
    return found


if __name__ == "__main__":
    os.umask(0o022)
    print(json.dumps(refusals(*sys.argv[1:])))
