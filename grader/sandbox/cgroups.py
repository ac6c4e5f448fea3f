"""A control group for a grading's zygote and workers, where the machine lets one be created.

The zygote joins the group, and forked workers start in it: a worker pays nothing for it. The judge
checks each worker's own limits 20 times a second; the group stops what is faster than that, and
limits all workers together.

Version 1 has a hierarchy for each controller, version 2 one for all.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_PREFIX = "grader-"
_REMOVE_ATTEMPTS = 50
_LIMIT_FILES = {  # by controller, in version 1 and 2
    "memory": ("memory.limit_in_bytes", "memory.max"),
    "pids": ("pids.max", "pids.max"),
}


class _OwnGroup(NamedTuple):
    """The group of this process in one hierarchy, and the controllers that can limit it there."""

    folder: Path
    controllers: tuple[str, ...]
    version: int


class ControlGroup:
    """The groups that were created, one for each hierarchy; `summary` names what they limit."""

    def __init__(self, folders: list[Path], summary: str) -> None:
        self._folders, self.summary = folders, summary

    def leave(self) -> None:
        """Removes the groups; all other processes in them must have been killed before."""
        for folder in self._folders:
            with contextlib.suppress(OSError):
                (folder.parent / "cgroup.procs").write_text(str(os.getpid()))
            for _ in range(_REMOVE_ATTEMPTS):  # a killed process stays in its group for a moment
                with contextlib.suppress(OSError):
                    folder.rmdir()
                    break
                time.sleep(0.01)


def join(memory: int, processes: int) -> ControlGroup:
    """Moves this process into a new group with these limits, as far as the machine allows it.

    `memory` is in bytes, and counts files in memory; `processes` counts threads. The result's
    `summary` names what is limited, or why nothing is.
    """
    limits = {"memory": str(memory), "pids": str(processes)}
    folders, limited, reasons = [], [], []
    for own in _own_groups():
        for stale in own.folder.glob(f"{_PREFIX}*"):  # of a zygote that was killed
            with contextlib.suppress(OSError):  # it still has processes
                stale.rmdir()
        try:
            folders.append(_enter_new(own, limits))
        except OSError as error:
            name = errno.errorcode.get(error.errno or 0, str(error))
            reasons.append(f"{', '.join(own.controllers)}: {name}")
            continue
        limited += [f"{name} (version {own.version})" for name in own.controllers]
    none = "none: " + ("; ".join(reasons) or "no hierarchy is mounted here")
    return ControlGroup(folders, ", ".join(limited) or none)


def _enter_new(own: _OwnGroup, limits: dict[str, str], tries: int = 3) -> Path:
    """Moves this process into a new group with these limits; removes that again at an OSError."""
    # The process id is not enough: processes in different pid namespaces may have the same one.
    folder = own.folder / f"{_PREFIX}{os.getpid()}-{secrets.token_hex(4)}"
    folder.mkdir()
    try:
        for name in own.controllers:
            file = _LIMIT_FILES[name][own.version - 1]
            (folder / file).write_text(limits[name])
            if file == "memory.max":  # version 1 counts swap only if asked to
                with contextlib.suppress(OSError):  # a kernel without swap accounting
                    (folder / "memory.swap.max").write_text("0")
        (folder / "cgroup.procs").write_text(str(os.getpid()))
    except OSError as error:
        with contextlib.suppress(FileNotFoundError):
            folder.rmdir()
        if isinstance(error, FileNotFoundError) and tries > 1:
            return _enter_new(own, limits, tries - 1)  # another grading removes empty groups
        raise
    return folder


def _own_groups(
    mounts: Path = Path("/proc/self/mountinfo"), groups: Path = Path("/proc/self/cgroup")
) -> Iterator[_OwnGroup]:
    """This process's group in each hierarchy that can limit; enables controllers in version 2."""
    paths = {}
    for line in groups.read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        paths.update(dict.fromkeys(controllers.split(","), path))
    for line in mounts.read_text().splitlines():
        fields, _, rest = line.partition(" - ")
        root, mount_point = fields.split()[3:5]
        kind, _, options = rest.split()[:3]
        if kind == "cgroup2" and "" in paths:
            folder = _folder_of(paths[""], root, mount_point)
            if enabled := _enable_controllers(folder):
                yield _OwnGroup(folder, enabled, 2)
        elif kind == "cgroup":
            mounted = options.split(",")
            if names := tuple(n for n in _LIMIT_FILES if n in mounted and n in paths):
                yield _OwnGroup(_folder_of(paths[names[0]], root, mount_point), names, 1)


def _folder_of(path: str, root: str, mount_point: str) -> Path:
    """The folder of a group; a mount may show only the part of the hierarchy below `root`."""
    with contextlib.suppress(ValueError):
        return Path(mount_point) / Path(path).relative_to(root)
    return Path(mount_point)


def _enable_controllers(folder: Path) -> tuple[str, ...]:
    """Enables our controllers for groups below this one (version 2); returns those that now are."""
    with contextlib.suppress(OSError):
        offered = (folder / "cgroup.controllers").read_text().split()
        wanted = [name for name in _LIMIT_FILES if name in offered]
        control = folder / "cgroup.subtree_control"
        missing = set(wanted) - set(control.read_text().split())
        with contextlib.suppress(OSError):  # refused if the group itself has processes
            control.write_text(" ".join(f"+{name}" for name in missing))
        enabled = control.read_text().split()
        return tuple(name for name in wanted if name in enabled)
    return ()
