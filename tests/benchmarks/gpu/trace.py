"""What a traced program asked of the kernel that a worker of races would be refused.

Reads the output of `strace -f -qq -X verbose`. Landlock is judged as in tiers B and C.
"""

from __future__ import annotations

import os
import re
import struct
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from grader.worker import cuda, lockdown, seccomp

_LINE = re.compile(r"^(?:\d+\s+)?(?:[\d.]+\s+)?(\w+)\((.*)$")
_BEFORE_THE_LOCKDOWN = {"execve", "set_tid_address", "vfork", "fork"}
_ALLOW = 0x7FFF0000
_PATHS = ("open", "openat", "mknod", "mknodat")


def refused(lines: Iterable[str]) -> dict[str, dict[str, int]]:
    """Counts of system calls, ioctl requests and paths that a worker would be refused."""
    _, numbers = seccomp.numbers_of("x86_64", with_cuda=True)
    calls: Counter[str] = Counter()
    requests: Counter[str] = Counter()
    read: Counter[str] = Counter()
    written: Counter[str] = Counter()
    readable = _readable()
    for line in lines:
        if not (match := _LINE.match(line)):
            continue
        name, rest = match.groups()
        if name not in numbers and name not in _BEFORE_THE_LOCKDOWN:
            calls[name] += 1
        request = re.match(r"[^,]*,\s*(0x[0-9a-f]+)", rest) if name == "ioctl" else None
        if request and verdict(numbers["ioctl"], int(request[1], 16)) != _ALLOW:
            requests[request[1]] += 1
        if name in _PATHS and "ENOENT" not in rest and (found := re.search(r'"(/[^"]*)"', rest)):
            path = found[1]
            own = re.match(r"/proc/(self|thread-self|\d+)/", path)
            if re.search(r"O_(RDWR|WRONLY|CREAT)", rest) and not path.startswith("/dev/nvidia"):
                written[re.sub(r"\d+", "N", path) if own else path] += 1
            elif not own and not any(_is_below(path, folder) for folder in readable):
                read[path] += 1
    tables = {"calls": calls, "requests": requests, "read": read, "written": written}
    return {name: dict(counts.most_common(60)) for name, counts in tables.items()}


def verdict(number: int, argument: int) -> int:
    """What the filter of a worker of races returns for a call with this second argument."""
    data = struct.pack("<IIQ6Q", number, 0xC000003E, 0, 0, argument, 0, 0, 0, 0)
    program, at, value = seccomp.program(os.getpid(), "x86_64", True), 0, 0
    while True:
        code, if_true, if_false, operand = struct.unpack_from("<HBBI", program, 8 * at)
        at += 1
        if code == 0x20:
            (value,) = struct.unpack_from("<I", data, operand)
        elif code == 0x54:
            value &= operand
        elif code == 0x06:
            return int(operand)
        else:
            tests = {0x15: value == operand, 0x35: value >= operand, 0x45: bool(value & operand)}
            at += if_true if tests[code] else if_false


def _readable() -> list[str]:
    found = [*lockdown.LIBRARIES, *lockdown.interpreter_folders(), *lockdown.DEVICES]
    found += [*cuda.libraries(), *cuda.kernel_folders(), *cuda.kernel_files()]
    found += [*cuda.device_nodes(), *lockdown.MACHINE_FACTS]
    return [os.path.realpath(path) for path in found if Path(path).exists()]


def _is_below(path: str, folder: str) -> bool:
    real = os.path.realpath(path)
    return real == folder or real.startswith(folder + "/")
