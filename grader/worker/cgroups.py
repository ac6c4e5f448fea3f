"""A control group around a grading's workers, where the machine lets one be made.

The zygote joins it, and what it forks is born in it: a worker pays nothing. The judge holds each
worker to its own budget; the group ends what is too fast for a judge that looks 20 times a second,
and what all of them take together.

Version 1 has a hierarchy for each controller, version 2 one for all.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PREFIX = "grader-"
_TRIES = 50
_FILES = {  # where a limit is written, by controller, in version 1 and 2
    "memory": ("memory.limit_in_bytes", "memory.max"),
    "pids": ("pids.max", "pids.max"),
}


@dataclass(frozen=True)
class _Place:
    """This process's own group in one hierarchy, and the controllers that it has there."""

    folder: Path
    controllers: tuple[str, ...]
    version: int


class ControlGroup:
    """The groups that were made, one for each hierarchy."""

    def __init__(self, made: list[Path], says: str) -> None:
        self._made, self.says = made, says

    def leave(self) -> None:
        """Removes the groups; all other processes in them must have been ended."""
        for folder in self._made:
            with contextlib.suppress(OSError):
                _write(folder.parent / "cgroup.procs", str(os.getpid()))
            for _ in range(_TRIES):  # a process that was killed stays in its group for a moment
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.01)


def join(memory: int, processes: int) -> ControlGroup:
    """Goes on in a new group under these limits, as far as the machine lets it.

    Args:
        memory: bytes that all of its processes may hold together, files in memory included.
        processes: how many it may have, threads included.

    Returns:
        The groups; `says` names what is limited, or why nothing is.
    """
    limits = {"memory": str(memory), "pids": str(processes)}
    made, limited, reasons = [], [], []
    for place in _places():
        _sweep(place.folder)
        # Not the process's number alone: in a namespace of its own many have the same.
        folder = place.folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
        try:
            _make(folder, place, limits)
        except OSError as error:
            reasons.append(f"{', '.join(place.controllers)}: {_reason(error)}")
            continue
        made.append(folder)
        limited += [f"{name} (version {place.version})" for name in place.controllers]
    return ControlGroup(
        made,
        ", ".join(limited) or "none: " + ("; ".join(reasons) or "no hierarchy is mounted here"),
    )


def _make(folder: Path, place: _Place, limits: dict[str, str]) -> None:
    folder.mkdir()
    try:
        for name in place.controllers:
            file = _FILES[name][place.version - 1]
            _write(folder / file, limits[name])
            if file == "memory.max":  # version 1 counts swap only if asked to
                with contextlib.suppress(OSError):  # a kernel without swap accounting
                    _write(folder / "memory.swap.max", "0")
        _write(folder / "cgroup.procs", str(os.getpid()))
    except OSError:
        folder.rmdir()
        raise


def _places(
    mounts: Path = Path("/proc/self/mountinfo"), own: Path = Path("/proc/self/cgroup")
) -> Iterator[_Place]:
    """Where this process is in each hierarchy that can limit something."""
    paths = {}
    for line in own.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        paths.update(dict.fromkeys(controllers.split(","), path))
    for line in mounts.read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        root, where = fields.split()[3:5]
        kind, _, options = rest.split()[:3]
        names: tuple[str, ...]
        if kind == "cgroup2" and "" in paths:
            folder = _below(where, root, paths[""])
            names = _enabled(folder)
            version = 2
        elif kind == "cgroup":
            names = tuple(name for name in _FILES if name in options.split(",") and name in paths)
            folder = _below(where, root, paths[names[0]]) if names else Path(where)
            version = 1
        else:
            continue
        if names:
            yield _Place(folder, names, version)


def _below(mounted: str, root: str, path: str) -> Path:
    """A group's folder: a mount may show a part of the hierarchy alone."""
    with contextlib.suppress(ValueError):
        return Path(mounted) / Path(path).relative_to(root)
    return Path(mounted)


def _enabled(folder: Path) -> tuple[str, ...]:
    """The controllers that groups below this one have, once asked for; in version 2."""
    with contextlib.suppress(OSError):
        offered = (folder / "cgroup.controllers").read_text().split()
        wanted = [name for name in _FILES if name in offered]
        missing = set(wanted) - set((folder / "cgroup.subtree_control").read_text().split())
        with contextlib.suppress(OSError):  # refused where processes are in the group itself
            _write(folder / "cgroup.subtree_control", " ".join(f"+{name}" for name in missing))
        given = (folder / "cgroup.subtree_control").read_text().split()
        return tuple(name for name in wanted if name in given)
    return ()


def _sweep(folder: Path) -> None:
    """Removes groups whose zygote was killed; one that has a process cannot be removed."""
    for left in folder.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            left.rmdir()


def _write(file: Path, text: str) -> None:
    with file.open("w") as control:
        control.write(text)


def _reason(error: OSError) -> str:
    return errno.errorcode.get(error.errno or 0, str(error))
